-- diamonds: how many
SELECT COUNT(*) FROM diamonds

-- diamonds: by cut
SELECT cut, COUNT(*) AS n, AVG(price) AS mean_price FROM diamonds GROUP BY cut ORDER BY mean_price DESC

-- diamonds: price for a carat
SELECT AVG(price / carat) AS per_carat FROM diamonds WHERE carat >= 0.2

-- diamonds: price for a carat, by colour
SELECT color, AVG(price / carat) AS per_carat FROM diamonds WHERE carat BETWEEN 0.2 AND 3 GROUP BY color

-- diamonds: median price of large ones
SELECT MEDIAN(price) FROM diamonds WHERE carat > 2

-- diamonds: quartiles
SELECT QUANTILE_CONT(price, [0.25, 0.5, 0.75]) AS q FROM diamonds

-- diamonds: approximate quantile
SELECT cut, APPROX_QUANTILE(price, 0.9) AS p90 FROM diamonds GROUP BY cut

-- diamonds: PERCENTILE_CONT
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY carat) FROM diamonds

-- diamonds: buckets of price
SELECT WIDTH_BUCKET(price, 0, 20000, 10) AS bucket, COUNT(*) AS n FROM diamonds GROUP BY bucket ORDER BY bucket

-- diamonds: buckets by FLOOR
SELECT FLOOR(carat / 0.5) * 0.5 AS size, COUNT(*) AS n FROM diamonds GROUP BY 1 ORDER BY 1

-- diamonds: share of ideal ones
SELECT AVG(CASE WHEN cut = 'Ideal' THEN 1 ELSE 0 END) AS share FROM diamonds

-- diamonds: share with a cast
SELECT SUM(CASE WHEN cut = 'Ideal' THEN 1 ELSE 0 END)::float / COUNT(*) AS share FROM diamonds

-- diamonds: correlation
SELECT CORR(carat, price) FROM diamonds

-- diamonds: slope
SELECT COVAR_POP(carat, price) / VAR_POP(carat) AS slope FROM diamonds

-- diamonds: regression
SELECT REGR_SLOPE(price, carat) AS slope, REGR_INTERCEPT(price, carat) AS intercept FROM diamonds

-- diamonds: volume
SELECT AVG(x * y * z) AS volume FROM diamonds WHERE x > 0

-- diamonds: standard deviation
SELECT clarity, STDDEV(price) AS sd FROM diamonds GROUP BY clarity

-- diamonds: two keys
SELECT cut, color, COUNT(*) AS n FROM diamonds GROUP BY cut, color ORDER BY n DESC LIMIT 10

-- diamonds: HAVING
SELECT clarity, COUNT(*) AS n FROM diamonds GROUP BY clarity HAVING COUNT(*) > 1000

-- diamonds: filter
SELECT COUNT(*) FILTER (WHERE price > 10000) AS dear, COUNT(*) AS n FROM diamonds

-- diamonds: logarithms
SELECT AVG(LN(price)) AS log_price FROM diamonds WHERE price > 0

-- diamonds: mean of means
SELECT AVG(m) FROM (SELECT cut, AVG(price) AS m FROM diamonds GROUP BY cut)

-- diamonds: rank of colours
SELECT color, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM diamonds GROUP BY color

-- diamonds: shares of the whole
SELECT cut, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS percent FROM diamonds GROUP BY cut

-- diamonds: share by a scalar subquery
SELECT cut, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM diamonds) AS share FROM diamonds GROUP BY cut

-- diamonds: mode
SELECT MODE(cut) FROM diamonds

-- diamonds: case
SELECT CASE WHEN carat < 0.5 THEN 'small' WHEN carat < 1 THEN 'middle' ELSE 'large' END AS size, AVG(price) AS p FROM diamonds GROUP BY 1

-- diamonds: distinct prices
SELECT COUNT(DISTINCT price) FROM diamonds

-- diamonds: list of cuts
SELECT cut FROM diamonds GROUP BY cut ORDER BY COUNT(*) DESC LIMIT 3

-- diamonds: union of two counts
SELECT 'dear' AS what, COUNT(*) AS n FROM diamonds WHERE price > 5000 UNION ALL SELECT 'cheap', COUNT(*) FROM diamonds WHERE price <= 5000

-- diamonds: rollup
SELECT cut, color, COUNT(*) AS n FROM diamonds GROUP BY ROLLUP (cut, color)

-- diamonds: deciles over groups
SELECT clarity, NTILE(4) OVER (ORDER BY AVG(price)) AS quarter FROM diamonds GROUP BY clarity

-- diamonds: text functions
SELECT UPPER(SUBSTR(cut, 1, 1)) AS letter, COUNT(*) AS n FROM diamonds GROUP BY letter

-- diamonds: pattern
SELECT COUNT(*) FROM diamonds WHERE REGEXP_MATCHES(clarity, '^VS[12]$')

-- diamonds: similar
SELECT COUNT(*) FROM diamonds WHERE clarity LIKE 'VS%'

-- diamonds: backticks
SELECT `cut`, COUNT(*) AS `number` FROM `diamonds` GROUP BY `cut`

-- diamonds: mean by another name
SELECT MEAN(depth) FROM diamonds

-- diamonds: safe division
SELECT SAFE_DIVIDE(SUM(price), COUNT(*)) AS mean_price FROM diamonds

-- flights: how many a carrier
SELECT carrier, COUNT(*) AS n FROM flights GROUP BY carrier ORDER BY n DESC

-- flights: mean delay a month
SELECT month, AVG(dep_delay) AS delay FROM flights GROUP BY month ORDER BY month

-- flights: month as text
SELECT COUNT(*) FROM flights WHERE month = '1'

-- flights: cancelled
SELECT origin, COUNT(*) AS cancelled FROM flights WHERE dep_time IS NULL GROUP BY origin

-- flights: share on time
SELECT carrier, AVG(CASE WHEN arr_delay <= 0 THEN 1.0 ELSE 0.0 END) AS on_time FROM flights WHERE arr_delay IS NOT NULL GROUP BY carrier

-- flights: routes
SELECT origin, dest, COUNT(*) AS n FROM flights GROUP BY origin, dest ORDER BY n DESC LIMIT 20

-- flights: planes
SELECT COUNT(DISTINCT tailnum) AS planes FROM flights

-- flights: speed
SELECT AVG(distance / (air_time / 60.0)) AS mph FROM flights WHERE air_time >= 20

-- flights: by hour
SELECT EXTRACT(HOUR FROM time_hour) AS hour, AVG(dep_delay) AS delay FROM flights GROUP BY 1 ORDER BY 1

-- flights: daily counts
SELECT DATE(time_hour) AS day, COUNT(*) AS n FROM flights GROUP BY 1 ORDER BY 1

-- flights: mean of daily counts
SELECT AVG(n) FROM (SELECT DATE(time_hour) AS day, COUNT(*) AS n FROM flights GROUP BY 1)

-- flights: weeks
SELECT DATE_TRUNC('week', time_hour) AS week, COUNT(*) AS n FROM flights GROUP BY 1

-- flights: months as BigQuery has them
SELECT DATE_TRUNC(time_hour, MONTH) AS month, COUNT(*) AS n FROM flights GROUP BY 1

-- flights: moving average
SELECT day, AVG(n) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS smooth FROM (SELECT DATE(time_hour) AS day, COUNT(*) AS n FROM flights GROUP BY 1)

-- flights: running total
SELECT month, SUM(COUNT(*)) OVER (ORDER BY month) AS so_far FROM flights GROUP BY month

-- flights: change to the month before
SELECT month, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY month) AS change FROM flights GROUP BY month ORDER BY month

-- flights: weekday names
SELECT DAYNAME(time_hour) AS weekday, COUNT(*) AS n FROM flights GROUP BY 1

-- flights: last day of the month
SELECT COUNT(*) FROM flights WHERE DATE(time_hour) = LAST_DAY(time_hour)

-- flights: time bucket
SELECT TIME_BUCKET(INTERVAL '1 month', time_hour) AS bucket, COUNT(*) AS n FROM flights GROUP BY 1

-- flights: worst delay
SELECT MAX(arr_delay) FROM flights

-- flights: 95th percentile a carrier
SELECT carrier, QUANTILE_CONT(arr_delay, 0.95) AS p95 FROM flights GROUP BY carrier

-- flights: join with public carriers
SELECT a.name, COUNT(*) AS n FROM flights f JOIN airlines a ON f.carrier = a.carrier GROUP BY a.name

-- flights: join with public airports
SELECT p.region, AVG(f.dep_delay) AS delay FROM flights f JOIN airports p ON f.dest = p.faa GROUP BY p.region

-- flights: left join
SELECT p.region, COUNT(*) AS n FROM flights f LEFT JOIN airports p ON f.dest = p.faa GROUP BY p.region

-- flights: public filter
SELECT COUNT(*) FROM flights WHERE dest IN (SELECT faa FROM airports WHERE region = 'west')

-- flights: planes that fly often
SELECT COUNT(*) FROM (SELECT tailnum, COUNT(*) AS n FROM flights GROUP BY tailnum HAVING COUNT(*) > 100)

-- flights: flights a plane
SELECT AVG(n) FROM (SELECT tailnum, COUNT(*) AS n FROM flights GROUP BY tailnum)

-- flights: top carriers by name only
SELECT carrier FROM flights GROUP BY carrier ORDER BY COUNT(*) DESC LIMIT 3

-- flights: two CTEs joined
WITH a AS (SELECT month, COUNT(*) AS n FROM flights GROUP BY month), b AS (SELECT month, AVG(dep_delay) AS d FROM flights GROUP BY month) SELECT a.month, n, d FROM a JOIN b USING (month)

-- flights: grouping sets
SELECT origin, month, COUNT(*) AS n FROM flights GROUP BY GROUPING SETS ((origin), (month))

-- flights: if
SELECT IF(distance > 1000, 'long', 'short') AS haul, AVG(arr_delay) AS delay FROM flights GROUP BY 1

-- flights: coalesce
SELECT SUM(COALESCE(dep_delay, 0)) FROM flights

-- flights: greatest
SELECT AVG(GREATEST(dep_delay, 0)) FROM flights

-- flights: try_cast
SELECT AVG(TRY_CAST(distance AS DOUBLE)) FROM flights

-- flights: date difference
SELECT AVG(DATE_DIFF('day', DATE '2013-01-01', time_hour)) FROM flights

-- flights: between dates
SELECT COUNT(*) FROM flights WHERE time_hour BETWEEN '2013-06-01' AND '2013-06-30'

-- flights: interval
SELECT COUNT(*) FROM flights WHERE time_hour >= DATE '2013-12-31' - INTERVAL 30 DAY

-- flights: season
SELECT CASE WHEN month IN (12, 1, 2) THEN 'winter' WHEN month IN (6, 7, 8) THEN 'summer' ELSE 'other' END AS season, COUNT(*) AS n FROM flights GROUP BY ALL

-- flights: quarter
SELECT QUARTER(time_hour) AS q, COUNT(*) AS n FROM flights GROUP BY q

-- flights: having on mean
SELECT carrier, AVG(arr_delay) AS d FROM flights GROUP BY carrier HAVING AVG(arr_delay) > 13 ORDER BY d DESC

-- clinic: visits a ward
SELECT ward, COUNT(*) FROM visits GROUP BY ward

-- clinic: patients a ward
SELECT ward, COUNT(DISTINCT patient) AS patients FROM visits GROUP BY ward

-- clinic: mean cost of the old
SELECT AVG(cost) FROM visits WHERE age >= 65

-- clinic: readmissions
SELECT COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) WHERE n >= 2

-- clinic: cost of each patient
SELECT AVG(total), MEDIAN(total) FROM (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient)

-- clinic: first visits
SELECT ward, COUNT(*) FROM (SELECT ward, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) AS k FROM visits) WHERE k = 1 GROUP BY ward

-- clinic: first visits with QUALIFY
SELECT ward, COUNT(*) AS n FROM (SELECT * FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) = 1) GROUP BY ward

-- clinic: patients with a lab
SELECT COUNT(DISTINCT patient) FROM visits WHERE patient IN (SELECT patient FROM labs)

-- clinic: patients without
SELECT COUNT(DISTINCT patient) FROM visits WHERE patient NOT IN (SELECT patient FROM labs)

-- clinic: exists
SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM labs l WHERE l.patient = v.patient AND l.value > 10)

-- clinic: join
SELECT v.ward, AVG(l.value) AS mean_value FROM visits v JOIN labs l ON v.patient = l.patient GROUP BY v.ward

-- clinic: any urgent
SELECT COUNT(*) FROM (SELECT patient, BOOL_OR(urgent) AS ever FROM visits GROUP BY patient) WHERE ever

-- clinic: diagnosis by prefix
SELECT LEFT(diagnosis, 1) AS chapter, COUNT(*) AS n FROM visits GROUP BY chapter

-- clinic: diagnosis by part
SELECT SPLIT_PART(diagnosis, '.', 1) AS code, COUNT(*) AS n FROM visits GROUP BY 1

-- clinic: diagnosis pattern
SELECT COUNT(*) FROM visits WHERE REGEXP_LIKE(diagnosis, '^E1[01]')

-- clinic: padded code
SELECT LPAD(SUBSTR(diagnosis, 1, 3), 5, '0') AS code, COUNT(*) AS n FROM visits GROUP BY 1

-- clinic: position
SELECT COUNT(*) FROM visits WHERE POSITION('.' IN diagnosis) > 0

-- clinic: labels
SELECT CONCAT_WS('/', ward, sex) AS label, COUNT(*) AS n FROM visits GROUP BY 1

-- clinic: decades
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM visits GROUP BY decade ORDER BY decade

-- clinic: age groups
SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END AS age_group, COUNT(*) AS n, AVG(cost) AS cost FROM visits GROUP BY 1

-- clinic: length of stay
SELECT AVG(DATE_DIFF('day', day, left_on)) AS stay FROM visits

-- clinic: stay as a difference
SELECT AVG(left_on - day) AS stay FROM visits

-- clinic: monthly
SELECT STRFTIME(day, '%Y-%m') AS month, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 1

-- clinic: weekend
SELECT COUNT_IF(EXTRACT(DOW FROM day) IN (0, 6)) AS weekend FROM visits

-- clinic: variance
SELECT VAR_SAMP(cost), STDDEV_POP(cost) FROM visits

-- clinic: several conditions
SELECT COUNT(*) FROM visits WHERE (ward = 'A' OR ward = 'B') AND NOT urgent AND cost IS NOT NULL

-- clinic: ilike
SELECT COUNT(*) FROM visits WHERE diagnosis ILIKE 'e1%'

-- clinic: costs above the mean
SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)

-- clinic: window over a patient
SELECT AVG(gap) FROM (SELECT DATE_DIFF('day', LAG(day) OVER (PARTITION BY patient ORDER BY day), day) AS gap FROM visits) WHERE gap BETWEEN 0 AND 365

-- clinic: union of tables
SELECT COUNT(DISTINCT patient) FROM (SELECT patient FROM visits UNION ALL SELECT patient FROM labs)

-- clinic: intersect
SELECT COUNT(*) FROM (SELECT patient FROM visits INTERSECT SELECT patient FROM labs)

-- clinic: last value
SELECT AVG(cost) FROM (SELECT patient, ARG_MAX(cost, day) AS cost FROM visits GROUP BY patient)

-- clinic: distinct on
SELECT ward, COUNT(*) FROM (SELECT DISTINCT ON (patient) patient, ward FROM visits ORDER BY patient, day) GROUP BY ward

-- clinic: tests a patient
SELECT test, COUNT(*) AS n, AVG(value) AS mean_value FROM labs WHERE value BETWEEN 0 AND 500 GROUP BY test

-- clinic: abnormal share
SELECT test, COUNT_IF(value > 7.0) * 1.0 / COUNT(*) AS abnormal FROM labs GROUP BY test

-- clinic: cost a day
SELECT SUM(cost) / COUNT(DISTINCT patient) AS cost_a_patient FROM visits

-- clinic: exclude
SELECT COUNT(*) FROM visits WHERE ward <> 'A'

-- clinic: between
SELECT COUNT(*) FROM visits WHERE cost BETWEEN 100 AND 200

-- clinic: order by count
SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis ORDER BY n DESC LIMIT 5

-- clinic: mean per ward beside the whole
SELECT ward, AVG(cost) AS c, AVG(AVG(cost)) OVER () AS of_wards FROM visits GROUP BY ward

-- clinic: largest ward
SELECT ward, n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) ORDER BY n DESC LIMIT 1

-- clinic: range of groups
SELECT MAX(n) - MIN(n) AS spread FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)

-- orders: revenue
SELECT SUM(amount) AS revenue FROM orders

-- orders: revenue a country
SELECT country, SUM(amount) AS revenue FROM orders GROUP BY country ORDER BY revenue DESC

-- orders: monthly revenue
SELECT DATE_TRUNC('month', ordered_at) AS month, SUM(amount) AS revenue FROM orders GROUP BY 1 ORDER BY 1

-- orders: growth
WITH m AS (SELECT DATE_TRUNC('month', ordered_at) AS month, SUM(amount) AS revenue FROM orders GROUP BY 1) SELECT month, revenue, revenue / LAG(revenue) OVER (ORDER BY month) - 1 AS growth FROM m ORDER BY month

-- orders: mean basket
SELECT AVG(amount) AS basket, COUNT(*) / COUNT(DISTINCT customer) AS orders_each FROM orders

-- orders: customers by number of orders
SELECT n, COUNT(*) AS customers FROM (SELECT customer, LEAST(COUNT(*), 5) AS n FROM orders GROUP BY customer) GROUP BY n

-- orders: large customers
SELECT COUNT(*) FROM (SELECT customer FROM orders GROUP BY customer HAVING SUM(amount) > 1000)

-- orders: status
SELECT status, COUNT(*) AS n FROM orders WHERE country = 'de' GROUP BY status

-- orders: returned share
SELECT COUNT(*) FILTER (WHERE status = 'returned')::float / COUNT(*) AS returned FROM orders

-- orders: mail domains
SELECT SPLIT_PART(mail, '@', 2) AS domain, COUNT(DISTINCT customer) AS n FROM orders GROUP BY 1

-- orders: valid mails
SELECT COUNT(*) FROM orders WHERE REGEXP_MATCHES(mail, '^[a-z0-9.]+@[a-z]+[.](com|org)$')

-- orders: by hour
SELECT EXTRACT(HOUR FROM ordered_at) AS hour, COUNT(*) AS n FROM orders GROUP BY hour ORDER BY hour

-- orders: cumulative
SELECT month, SUM(revenue) OVER (ORDER BY month ROWS UNBOUNDED PRECEDING) AS total FROM (SELECT MONTH(ordered_at) AS month, SUM(amount) AS revenue FROM orders GROUP BY 1)

-- orders: best month
SELECT MAX(revenue) FROM (SELECT MONTH(ordered_at) AS month, SUM(amount) AS revenue FROM orders GROUP BY 1)

-- orders: percentiles of customers
SELECT QUANTILE_CONT(total, 0.9) FROM (SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer)

-- orders: products
SELECT product, SUM(amount) AS revenue FROM orders GROUP BY product ORDER BY revenue DESC LIMIT 10

-- orders: products in lower case
SELECT LOWER(TRIM(product)) AS product, COUNT(*) AS n FROM orders GROUP BY 1

-- orders: year and month
SELECT YEAR(ordered_at) AS y, MONTH(ordered_at) AS m, COUNT(*) AS n FROM orders GROUP BY y, m

-- orders: date arithmetic
SELECT COUNT(*) FROM orders WHERE ordered_at >= TIMESTAMP '2024-01-01' AND ordered_at < TIMESTAMP '2024-01-01' + INTERVAL 1 MONTH

-- orders: rounding
SELECT ROUND(AVG(amount), 2) AS basket FROM orders

-- orders: decimal
SELECT CAST(AVG(amount) AS DECIMAL(10, 2)) AS basket FROM orders

-- orders: numeric
SELECT ROUND(SUM(amount)::numeric, 2) AS revenue FROM orders

-- orders: distinct countries of a customer
SELECT AVG(k) FROM (SELECT customer, COUNT(DISTINCT country) AS k FROM orders GROUP BY customer)

-- orders: new customers a month
SELECT DATE_TRUNC('month', first) AS month, COUNT(*) AS n FROM (SELECT customer, MIN(ordered_at) AS first FROM orders GROUP BY customer) GROUP BY 1

-- orders: zones
SELECT COUNT(*) FROM orders WHERE EXTRACT(HOUR FROM ordered_at AT TIME ZONE 'Europe/Berlin') < 8

-- orders: pairs of distinct
SELECT COUNT(DISTINCT (country, product)) FROM orders

-- diamonds: least and greatest
SELECT cut, MIN(price) AS low, MAX(price) AS high FROM diamonds GROUP BY cut

-- flights: rank inside each origin
SELECT origin, carrier, COUNT(*) AS n, RANK() OVER (PARTITION BY origin ORDER BY COUNT(*) DESC) AS place FROM flights GROUP BY origin, carrier

-- flights: best of each origin
SELECT origin, carrier, COUNT(*) AS n FROM flights GROUP BY origin, carrier QUALIFY ROW_NUMBER() OVER (PARTITION BY origin ORDER BY COUNT(*) DESC) = 1

-- clinic: patients in both tables
SELECT COUNT(*) FROM (SELECT patient FROM visits WHERE urgent EXCEPT SELECT patient FROM labs)

-- orders: weeks with BigQuery's name
SELECT TIMESTAMP_TRUNC(ordered_at, WEEK) AS week, COUNT(*) AS n FROM orders GROUP BY 1

-- orders: age of an order
SELECT AVG(DATE_DIFF(DATE '2025-01-01', DATE(ordered_at), DAY)) AS days FROM orders

-- diamonds: above the mean of its cut
SELECT d.color, COUNT(*) AS n FROM diamonds d WHERE d.price > (SELECT AVG(x.price) FROM diamonds x WHERE x.cut = d.cut) GROUP BY d.color

-- diamonds: joined with the means of clarities
SELECT d.cut, COUNT(*) AS dear FROM diamonds d JOIN (SELECT clarity, AVG(price) AS mean_price FROM diamonds GROUP BY clarity) m ON d.clarity = m.clarity WHERE d.price > 2 * m.mean_price GROUP BY d.cut

-- diamonds: bands about the mean
SELECT CASE WHEN d.carat > s.m + s.sd THEN 'large' WHEN d.carat < s.m - s.sd / 2 THEN 'small' ELSE 'middle' END AS size, COUNT(*) AS n FROM diamonds d, (SELECT AVG(carat) AS m, STDDEV(carat) AS sd FROM diamonds) s GROUP BY 1

-- flights: distance from the carrier's mean
WITH typical AS (SELECT carrier, AVG(distance) AS usual FROM flights GROUP BY carrier) SELECT f.origin, AVG(f.distance - t.usual) AS farther FROM flights f JOIN typical t USING (carrier) GROUP BY f.origin

-- flights: of the busiest carriers
SELECT f.origin, COUNT(*) AS n FROM flights f JOIN (SELECT carrier FROM flights GROUP BY carrier ORDER BY COUNT(*) DESC LIMIT 3) top ON f.carrier = top.carrier GROUP BY f.origin

-- flights: months above the mean of months
WITH monthly AS (SELECT month, COUNT(*) AS n FROM flights GROUP BY month), typical AS (SELECT AVG(n) AS m FROM monthly) SELECT monthly.month, monthly.n, typical.m FROM monthly CROSS JOIN typical ORDER BY monthly.month

-- clinic: above the patient's own mean
SELECT v.ward, COUNT(*) AS n FROM visits v WHERE v.cost > (SELECT AVG(w.cost) FROM visits w WHERE w.patient = v.patient) GROUP BY v.ward

-- clinic: on the first day
SELECT v.ward, COUNT(*) AS n FROM visits v WHERE v.day = (SELECT MIN(w.day) FROM visits w WHERE w.patient = v.patient) GROUP BY v.ward

-- clinic: patients with many labs
SELECT v.sex, COUNT(DISTINCT v.patient) AS n FROM visits v WHERE (SELECT COUNT(*) FROM labs l WHERE l.patient = v.patient) > 5 GROUP BY v.sex

-- orders: months above a share of countries
SELECT status, COUNT(*) AS n FROM orders GROUP BY status HAVING COUNT(*) > (SELECT AVG(n) / 10 FROM (SELECT country, COUNT(*) AS n FROM orders GROUP BY country) t)

-- diamonds: skewness
SELECT SKEWNESS(carat) AS skewness, KURTOSIS(carat) AS kurtosis FROM diamonds

-- diamonds: geometric mean
SELECT GEOMEAN(price) AS typical FROM diamonds WHERE price >= 100

-- diamonds: volume of a ball
SELECT cut, AVG(PI() * POWER(x, 3) / 6) AS volume FROM diamonds GROUP BY cut

-- diamonds: cube root
SELECT AVG(CBRT(carat)) AS size FROM diamonds

-- diamonds: shares as texts
SELECT cut, CONCAT(ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 0), '%') AS share FROM diamonds GROUP BY cut

-- diamonds: conditions as numbers
SELECT SUM(CAST(cut = 'Ideal' AS INTEGER) * price) AS revenue FROM diamonds

-- flights: distance on the globe
SELECT AVG(2 * 6371 * ASIN(SQRT(POWER(SIN(RADIANS(distance / 100.0) / 2), 2)))) AS km FROM flights

-- flights: time of day on a circle
SELECT DEGREES(ATAN2(AVG(SIN(RADIANS(15 * EXTRACT(HOUR FROM time_hour)))), AVG(COS(RADIANS(15 * EXTRACT(HOUR FROM time_hour)))))) AS angle FROM flights

-- flights: quarter as a text
SELECT 'Q' || QUARTER(time_hour) AS quarter, COUNT(*) AS n FROM flights GROUP BY 1 ORDER BY 1

-- flights: DECADE
SELECT EXTRACT(DECADE FROM time_hour) AS decade, COUNT(*) AS n FROM flights GROUP BY 1

-- flights: DATEPART
SELECT DATEPART('hour', time_hour) AS hour, AVG(dep_delay) AS delay FROM flights GROUP BY 1 ORDER BY 1

-- flights: hours within a span
SELECT AVG(EXTRACT(HOUR FROM time_hour - TIMESTAMP '2013-01-01 00:00:00')) AS hours FROM flights

-- flights: SIMILAR TO
SELECT COUNT(*) AS n FROM flights WHERE carrier SIMILAR TO '(AA|UA)'

-- flights: GLOB
SELECT COUNT(*) AS n FROM flights WHERE dest GLOB 'L*'

-- clinic: whole weeks
SELECT AVG(TIMESTAMPDIFF(WEEK, day, left_on)) AS weeks FROM visits

-- clinic: DATEADD
SELECT COUNT(*) AS n FROM visits WHERE left_on > DATEADD(day, 7, day)

-- clinic: DECODE
SELECT DECODE(ward, 'A', 'first', 'B', 'second', 'other') AS name, COUNT(*) AS n FROM visits GROUP BY 1

-- clinic: IFF
SELECT SUM(IFF(age >= 65, cost, 0)) AS cost FROM visits

-- clinic: urgent as a number
SELECT AVG(CAST(urgent AS DOUBLE)) AS share FROM visits

-- clinic: urgent is one
SELECT COUNT(*) AS n FROM visits WHERE urgent = 1

-- clinic: decades of age by person
SELECT decade, COUNT(*) AS n FROM (SELECT patient, MIN(age) - MIN(age) % 10 AS decade FROM visits GROUP BY patient) AS p GROUP BY decade ORDER BY decade

-- orders: last part of a mail address
SELECT SPLIT_PART(mail, '@', -1) AS domain, COUNT(*) AS n FROM orders GROUP BY 1

-- orders: element of a list
SELECT STRING_SPLIT(mail, '@')[2] AS domain, COUNT(*) AS n FROM orders GROUP BY 1

-- orders: whole amounts by month
SELECT STRFTIME(ordered_at, '%Y-%m') AS month, SUM(TRUNC(amount, 0)) AS amount FROM orders GROUP BY 1 ORDER BY 1

-- orders: month name as MySQL writes it
SELECT DATE_FORMAT(ordered_at, '%M') AS month, COUNT(*) AS n FROM orders GROUP BY 1

-- orders: a day from a text
SELECT COUNT(*) AS n FROM orders WHERE ordered_at >= TO_DATE('2024-03-01', 'YYYY-MM-DD')

-- orders: tenths truncated
SELECT AVG(TRUNC(amount, 1)) AS amount FROM orders

-- orders: parts of days
SELECT TIME_SLICE(ordered_at, 6, 'HOUR') AS part, COUNT(*) AS n FROM orders WHERE ordered_at < TIMESTAMP '2024-01-08' GROUP BY 1 ORDER BY 1

-- flights: hours after midnight, unit bare and column qualified
SELECT AVG(DATEDIFF('hour', DATE_TRUNC('day', f.time_hour), f.time_hour)) AS hours FROM flights f

-- clinic: DATEDIFF of qualified columns
SELECT v.ward, AVG(DATEDIFF(day, v.day, v.left_on)) AS days FROM visits v GROUP BY v.ward ORDER BY v.ward

-- clinic: first ten as T-SQL writes it
SELECT TOP 2 ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC

-- clinic: shares as Snowflake writes them
SELECT ward, RATIO_TO_REPORT(COUNT(*)) OVER () AS share FROM visits GROUP BY ward ORDER BY ward

-- clinic: CONVERT
SELECT CONVERT(date, v.day) AS day, COUNT(*) AS n FROM visits v WHERE v.day < DATE '2024-01-08' GROUP BY CONVERT(date, v.day) ORDER BY 1

-- orders: weeks that begin on Sunday
SELECT DATE_TRUNC(ordered_at, WEEK(SUNDAY)) AS week, COUNT(*) AS n FROM orders WHERE ordered_at < TIMESTAMP '2024-03-01' GROUP BY 1 ORDER BY 1

-- orders: some domains
SELECT COUNT(*) AS n FROM orders WHERE mail LIKE ANY ('%.org', '%.com')

-- clinic: days later by a column
SELECT COUNT(*) AS n FROM visits WHERE day + age * INTERVAL '1 day' > DATE '2024-06-01'
