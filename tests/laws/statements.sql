-- Ordinary questions about the clinic of tests/laws/clinic.py, as people write them: one a paragraph, what it is for above it.

-- counts

-- how many visits
select count(*) from visits

-- how many visits, and of how many patients
SELECT COUNT(*) visits, COUNT(DISTINCT patient) patients FROM visits

-- how many visits have a cost at all
SELECT COUNT(*) AS n, COUNT(cost) AS known, COUNT(*) - COUNT(cost) AS unknown FROM visits

-- visits a ward, busiest first
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC

-- the busiest ward
SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY COUNT(*) DESC, ward LIMIT 1

-- wards with many visits
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) >= 15

-- patients by sex
SELECT p.sex, COUNT(*) AS n FROM patients p GROUP BY p.sex ORDER BY p.sex

-- urgent or not
SELECT urgent, COUNT(*) FROM visits GROUP BY urgent

-- visits by ward and urgency
SELECT ward, urgent, COUNT(*) AS n, AVG(cost) AS mean_cost FROM visits GROUP BY ward, urgent ORDER BY ward, urgent

-- groups by place
SELECT ward, drug, COUNT(*) FROM visits v JOIN doses d ON d.visit = v.visit GROUP BY 1, 2 ORDER BY 1, 2

-- sums and means

-- total and mean cost
SELECT SUM(cost) AS total, AVG(cost) AS mean FROM visits

-- cost of a day in hospital
SELECT ward, SUM(cost) / SUM(stay) AS cost_a_day FROM visits WHERE stay > 0 AND cost IS NOT NULL GROUP BY ward

-- share of urgent visits, one way
SELECT AVG(CASE WHEN urgent THEN 1.0 ELSE 0.0 END) AS share FROM visits

-- share of urgent visits, another way
SELECT ward, ROUND(100.0 * SUM(CASE WHEN urgent THEN 1 ELSE 0 END) / COUNT(*), 1) AS percent FROM visits GROUP BY ward

-- share of urgent visits, in DuckDB's spelling
SELECT SUM(urgent::INT) * 1.0 / COUNT(*) AS share FROM visits WHERE urgent IS NOT NULL

-- cost in thousands, missing ones taken as nothing
SELECT ward, SUM(COALESCE(cost, 0)) / 1000 AS thousands FROM visits GROUP BY ward ORDER BY thousands DESC

-- mean stay, where zero means not admitted
SELECT AVG(NULLIF(stay, 0)) AS days FROM visits

-- cost with a cap
SELECT ward, AVG(LEAST(cost, 1000)) AS mean FROM visits GROUP BY ward

-- cost after a deductible
SELECT SUM(GREATEST(cost - 250, 0)) AS paid FROM visits

-- a bill in another currency
SELECT ward, SUM(ROUND(cost * 0.92, 2)) AS euros FROM visits GROUP BY ward

-- log cost
SELECT AVG(LN(cost + 1)) AS log_cost, EXP(AVG(LN(cost + 1))) - 1 AS geometric FROM visits

-- root of the mean square
SELECT SQRT(AVG(POWER(stay, 2))) AS rms FROM visits

-- distance from a target
SELECT AVG(ABS(stay - 7)) AS away FROM visits

-- conditions

-- a range
SELECT COUNT(*) FROM visits WHERE cost BETWEEN 100 AND 500

-- several wards
SELECT COUNT(*) AS n FROM visits WHERE ward IN ('A', 'B') AND NOT urgent

-- all wards but one
SELECT COUNT(*) AS n FROM visits WHERE ward <> 'D' OR ward IS NULL

-- names by pattern
SELECT COUNT(*) AS n FROM visits WHERE ward LIKE 'A%' OR ward ILIKE 'b'

-- a text without its spaces
SELECT UPPER(TRIM(sex)) AS sex, COUNT(*) AS n FROM patients GROUP BY UPPER(TRIM(sex))

-- not in a list
SELECT ward, AVG(stay) AS days FROM visits WHERE ward NOT IN ('C', 'D') GROUP BY ward

-- three-valued logic
SELECT COUNT(*) AS n FROM visits WHERE urgent IS NOT TRUE AND (stay IS NULL OR stay = 0)

-- inequality that knows NULL
SELECT COUNT(*) AS n FROM visits WHERE ward IS DISTINCT FROM 'A'

-- dates

-- visits of a year
SELECT COUNT(*) AS n FROM visits WHERE day >= DATE '2024-01-01' AND day < DATE '2025-01-01'

-- the same, by its number
SELECT COUNT(*) AS n FROM visits WHERE EXTRACT(YEAR FROM day) = 2024

-- visits by year
SELECT EXTRACT(year FROM day) AS year, COUNT(*) AS n FROM visits GROUP BY year ORDER BY year

-- visits by year and quarter
SELECT YEAR(day) AS y, QUARTER(day) AS q, COUNT(*) AS n, SUM(cost) AS total FROM visits GROUP BY y, q ORDER BY y, q

-- visits by month
SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 1

-- by day of the week
SELECT DATE_PART('dow', day) AS weekday, COUNT(*) AS n FROM visits GROUP BY weekday

-- weekends against weekdays
SELECT CASE WHEN EXTRACT(dow FROM day) IN (0, 6) THEN 'weekend' ELSE 'weekday' END AS kind, AVG(stay) AS days FROM visits WHERE day IS NOT NULL GROUP BY kind

-- a window of ninety days
SELECT COUNT(*) AS n FROM visits WHERE day BETWEEN DATE '2024-06-01' AND DATE '2024-06-01' + INTERVAL 90 DAY

-- discharged by the end of the year
SELECT COUNT(*) AS n FROM visits WHERE day + CAST(stay AS INTEGER) <= DATE '2024-12-31'

-- days since the opening
SELECT AVG(DATE_DIFF('day', DATE '2024-01-01', day)) AS days FROM visits

-- buckets

-- ages by the name of their decade
SELECT CONCAT(age // 10 * 10, 's') AS decade, COUNT(*) AS n FROM patients WHERE age < 100 GROUP BY decade

-- ages in decades, whole numbers
SELECT age // 10 * 10 AS decade, COUNT(*) AS n FROM patients GROUP BY decade ORDER BY decade

-- ages in decades, PostgreSQL's way
SELECT FLOOR(age / 10.0) * 10 AS decade, COUNT(*) AS n FROM patients GROUP BY FLOOR(age / 10.0) * 10

-- costs in steps of a thousand
SELECT FLOOR(cost / 1000) AS thousands, COUNT(*) AS n FROM visits GROUP BY thousands

-- named age groups
SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS age_group, COUNT(*) AS n
FROM patients GROUP BY age_group ORDER BY n DESC, age_group

-- named groups of costs by ward
SELECT ward, CASE WHEN cost >= 2500 THEN 'dear' WHEN cost IS NULL THEN 'unknown' ELSE 'cheap' END AS class, COUNT(*) AS n
FROM visits GROUP BY ward, class

-- a missing ward gets a name
SELECT COALESCE(ward, 'none') AS ward, COUNT(*) AS n FROM visits GROUP BY COALESCE(ward, 'none')

-- several tables

-- cost by sex
SELECT p.sex, COUNT(*) AS visits, AVG(v.cost) AS mean_cost FROM visits v JOIN patients p ON v.patient = p.id GROUP BY p.sex

-- visits of the old, by ward
SELECT v.ward, COUNT(*) AS n FROM visits AS v INNER JOIN patients AS p ON p.id = v.patient WHERE p.age >= 65 GROUP BY v.ward

-- doses by floor
SELECT s.floor, d.drug, SUM(d.mg) AS mg FROM doses d JOIN visits v ON v.visit = d.visit JOIN stations s ON s.ward = v.ward GROUP BY s.floor, d.drug

-- what is known of patients without visits
SELECT COUNT(*) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id WHERE v.visit IS NULL

-- patients who never came, by the unit that is missing
SELECT COUNT(*) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id WHERE v.patient IS NULL

-- patients and visits, whether or not they meet
SELECT COUNT(*) FILTER (WHERE p.id IS NULL) AS strangers, COUNT(v.patient) AS visits, COUNT(*) AS n FROM patients p FULL JOIN visits v ON v.patient = p.id

-- what patients and visits add up to, side by side
SELECT v.ward, COUNT(*) AS n, AVG(p.age) AS age, COUNT(DISTINCT COALESCE(p.id, v.patient)) AS people FROM patients p FULL OUTER JOIN visits v ON p.id = v.patient GROUP BY v.ward ORDER BY v.ward

-- visits a floor, with USING
SELECT floor, COUNT(*) AS n, AVG(stay) AS days FROM visits JOIN stations USING (ward) GROUP BY floor HAVING COUNT(*) > 5

-- treated in another ward than the own
SELECT COUNT(*) AS n FROM visits v JOIN patients p ON v.patient = p.id WHERE v.ward <> p.ward

-- drug x for women
SELECT SUM(mg) AS mg FROM doses WHERE drug = 'x' AND person IN (SELECT id FROM patients WHERE sex = 'f')

-- patients who came and took nothing
SELECT COUNT(DISTINCT v.patient) AS n FROM visits v WHERE NOT EXISTS (SELECT 1 FROM doses d WHERE d.person = v.patient)

-- two lists in one
SELECT kind, COUNT(*) AS n FROM (
  SELECT patient, 'visit' AS kind FROM visits UNION ALL SELECT person, 'dose' FROM doses
) AS events GROUP BY kind

-- a label from a step before
WITH labelled AS (SELECT patient, cost, CASE WHEN stay >= 3 THEN 'long' WHEN stay >= 0 THEN 'short' END AS kind FROM visits)
SELECT kind, COUNT(*) AS n, AVG(cost) AS mean FROM labelled GROUP BY kind

-- months from a step before
SELECT month, COUNT(*) AS n FROM (SELECT patient, CAST(DATE_TRUNC('month', day) AS DATE) AS month FROM visits) m GROUP BY month ORDER BY month

-- per patient

-- visits a patient
SELECT AVG(n) AS visits_a_patient FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) t

-- how many patients came how often
SELECT n, COUNT(*) AS patients FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) GROUP BY n ORDER BY n

-- what patients cost, by sex
WITH spent AS (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient)
SELECT sex, AVG(total) AS mean, COUNT(*) AS n FROM patients JOIN spent ON spent.patient = patients.id GROUP BY sex

-- frequent visitors
WITH often AS (SELECT patient FROM visits GROUP BY patient HAVING COUNT(*) >= 3)
SELECT COUNT(*) AS visits, SUM(cost) AS total FROM visits WHERE patient IN (SELECT patient FROM often)

-- patients above an amount
SELECT COUNT(*) AS n FROM (SELECT patient FROM visits GROUP BY patient HAVING SUM(cost) > 5000) AS dear

-- patients whose longest stay was long
WITH longest AS (SELECT patient, MAX(stay) AS days FROM visits GROUP BY patient)
SELECT CASE WHEN days >= 14 THEN 'long' ELSE 'short' END AS kind, COUNT(*) AS patients FROM longest WHERE days IS NOT NULL GROUP BY kind

-- first visits by ward
WITH numbered AS (
  SELECT patient, ward, cost, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day, visit) AS k FROM visits
)
SELECT ward, COUNT(*) AS firsts, AVG(cost) AS mean FROM numbered WHERE k = 1 GROUP BY ward

-- how long until they come back
SELECT AVG(gap) AS days FROM (
  SELECT patient, day - LAG(day) OVER (PARTITION BY patient ORDER BY day, visit) AS gap FROM visits WHERE day IS NOT NULL
) g WHERE gap IS NOT NULL

-- back within thirty days
SELECT COUNT(DISTINCT patient) AS n FROM (
  SELECT patient, DATE_DIFF('day', LAG(day) OVER (PARTITION BY patient ORDER BY day, visit), day) AS gap FROM visits WHERE day IS NOT NULL
) g WHERE gap <= 30

-- dear compared with one's own mean
SELECT ward, COUNT(*) AS n FROM (
  SELECT patient, ward, cost, AVG(cost) OVER (PARTITION BY patient) AS own FROM visits
) x WHERE cost > 2 * own GROUP BY ward

-- running total passes a limit
SELECT COUNT(*) AS n FROM (
  SELECT patient, SUM(stay) OVER (PARTITION BY patient ORDER BY visit) AS so_far FROM visits
) r WHERE so_far >= 10

-- kinds of patients by how often they came
SELECT kind, COUNT(*) AS patients FROM (
  SELECT patient, CASE WHEN COUNT(*) >= 5 THEN 'often' WHEN COUNT(*) >= 2 THEN 'sometimes' ELSE 'once' END AS kind FROM visits GROUP BY patient
) k GROUP BY kind

-- patients seen in more than one ward
SELECT COUNT(*) AS n FROM (SELECT patient, COUNT(DISTINCT ward) AS wards FROM visits GROUP BY patient) w WHERE wards > 1

-- came in 2024 and again in 2025
SELECT COUNT(*) AS n FROM patients WHERE id IN (SELECT patient FROM visits WHERE YEAR(day) = 2024) AND id IN (SELECT patient FROM visits WHERE YEAR(day) = 2025)

-- new in 2025
SELECT COUNT(*) AS n FROM (SELECT patient, MIN(day) AS first_day FROM visits GROUP BY patient) f WHERE first_day >= DATE '2025-01-01'

-- month of the first visit
SELECT DATE_TRUNC('month', first_day) AS month, COUNT(*) AS n FROM (SELECT patient, MIN(day) AS first_day FROM visits GROUP BY patient) f GROUP BY month

-- answers of answers

-- a ratio of two groups' counts
SELECT ward, COUNT(*) AS n, SUM(CASE WHEN urgent THEN 1 ELSE 0 END) AS urgent, SUM(CASE WHEN urgent THEN 1 ELSE 0 END) * 100.0 / COUNT(*) AS percent
FROM visits GROUP BY ward HAVING COUNT(*) > 0 ORDER BY percent DESC

-- top two of three
SELECT ward, SUM(cost) AS total FROM visits WHERE ward <> 'D' GROUP BY ward ORDER BY total DESC LIMIT 2

-- the second page
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING ward IS NOT NULL ORDER BY ward LIMIT 2 OFFSET 2

-- a label on the number
SELECT ward, CASE WHEN COUNT(*) >= 25 THEN 'busy' ELSE 'quiet' END AS label, COUNT(*) AS n FROM visits GROUP BY ward

-- patients who came at all, as a share of those registered
SELECT AVG(CASE WHEN visits > 0 THEN 1 ELSE 0 END) AS share FROM (
  SELECT p.id, COUNT(v.visit) AS visits FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.id
) t

-- spread

-- variance and standard deviation of costs
SELECT VAR_SAMP(cost) AS variance, STDDEV(cost) AS deviation FROM visits

-- mean and deviation by ward
SELECT ward, AVG(cost) AS mean, STDDEV_SAMP(cost) AS deviation, COUNT(*) AS n FROM visits GROUP BY ward

-- of the whole population
SELECT VAR_POP(stay) AS variance, STDDEV_POP(stay) AS deviation FROM visits

-- do long stays cost more
SELECT CORR(cost, stay) AS r, COVAR_SAMP(cost, stay) AS c FROM visits

-- deviation of what patients cost
SELECT STDDEV(total) AS deviation FROM (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient) t

-- some rows of a group

-- urgent ones among all
SELECT COUNT(*) FILTER (WHERE urgent) AS urgent, COUNT(*) AS n, AVG(cost) FILTER (WHERE stay > 2) AS long_cost FROM visits

-- long stays by ward
SELECT ward, COUNT_IF(stay >= 3) AS long, COUNT(*) AS n FROM visits GROUP BY ward

-- urgent share of costs
SELECT ward, SUM(cost) FILTER (WHERE urgent) / SUM(cost) AS share FROM visits GROUP BY ward

-- different values

-- how many wards were used
SELECT COUNT(DISTINCT ward) AS wards FROM visits

-- days with visits, by ward
SELECT ward, COUNT(DISTINCT day) AS days FROM visits GROUP BY ward

-- keys that nobody has declared

-- visits by the last digit of their number
SELECT visit % 10 AS digit, COUNT(*) AS n FROM visits GROUP BY digit

-- shorter spellings

-- groups that follow from the columns
SELECT ward, urgent AS u, COUNT(*) AS n FROM visits GROUP BY ALL ORDER BY ALL

-- every group told once
SELECT DISTINCT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC, ward

-- patients by ward, each once
SELECT ward, COUNT(*) AS patients FROM (SELECT DISTINCT patient, ward FROM visits) GROUP BY ward

-- days on which somebody came, each once a patient
SELECT AVG(days) AS m FROM (SELECT patient, COUNT(*) AS days FROM (SELECT DISTINCT patient, day FROM visits) GROUP BY patient)

-- wards that a patient knows from either table
SELECT ward, COUNT(*) AS n FROM (SELECT patient, ward FROM visits UNION SELECT id, ward FROM patients) GROUP BY ward

-- what a patient has in each ward, with groups that follow from the columns
SELECT ward, AVG(n) AS m FROM (SELECT patient, ward, COUNT(*) AS n FROM visits GROUP BY ALL) GROUP BY ward

-- patients who have ever been urgent, named twice
SELECT COUNT(*) AS n FROM visits WHERE patient IN (SELECT DISTINCT patient FROM visits WHERE urgent)

-- two tables beside each other
SELECT p.sex, COUNT(*) AS n FROM visits v, patients p WHERE v.patient = p.id AND v.stay > 1 GROUP BY p.sex

-- two tables beside each other, the condition in parentheses and among others
SELECT COUNT(*) AS n FROM patients, visits WHERE (visits.patient = patients.id AND visits.ward = patients.ward) AND cost > 10

-- a public table beside
SELECT floor, AVG(cost) AS m FROM visits, stations WHERE visits.ward = stations.ward GROUP BY floor

-- three tables beside each other, in an order that has to be found
SELECT drug, COUNT(*) AS n FROM patients p, stations s, doses d WHERE s.ward = p.ward AND d.person = p.id GROUP BY drug

-- beside each other inside a question
SELECT AVG(t) AS m FROM (SELECT v.patient, SUM(v.cost) AS t FROM visits v, patients p WHERE p.id = v.patient AND p.age > 20 GROUP BY v.patient)

-- urgent, or of a patient who is old
SELECT COUNT(*) AS n FROM visits WHERE urgent OR patient IN (SELECT id FROM patients WHERE age > 60)

-- not both
SELECT ward, COUNT(*) AS n FROM visits WHERE NOT (stay > 2 AND patient IN (SELECT id FROM patients WHERE sex = 'f')) GROUP BY ward

-- a flag of the patient
SELECT CASE WHEN patient IN (SELECT patient FROM visits WHERE urgent) THEN 'ever urgent' ELSE 'never' END AS kind, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY kind

-- a flag as a key
SELECT patient NOT IN (SELECT patient FROM visits WHERE urgent) AS calm, COUNT(*) AS n FROM visits GROUP BY calm

-- a share of visits by who they are of
SELECT ward, AVG(CASE WHEN EXISTS (SELECT 1 FROM patients p WHERE p.id = v.patient AND p.age >= 50) THEN 1.0 ELSE 0.0 END) AS share FROM visits v GROUP BY ward

-- two flags
SELECT SUM(CASE WHEN patient IN (SELECT id FROM patients WHERE sex = 'f') = patient IN (SELECT patient FROM visits WHERE stay > 5) THEN 1 ELSE 0 END) AS n FROM visits

-- wards of a public list
SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM stations WHERE floor > 1) AND cost > 100

-- trips to wards of a public list
SELECT SUM(km) AS n FROM trips WHERE ward IN (SELECT ward FROM stations WHERE floor > 1)

-- the first visit of everybody, chosen where it is numbered
SELECT ward, COUNT(*) AS n FROM (SELECT patient, ward FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day, visit, ward, cost, stay, urgent) = 1) GROUP BY ward

-- the same by the number's name
SELECT AVG(stay) AS m FROM (SELECT patient, stay, RANK() OVER w AS k FROM visits WINDOW w AS (PARTITION BY patient ORDER BY day) QUALIFY k <= 2)

-- different wards, counted on
SELECT AVG(LEAST(k, 40)) AS m, COUNT(*) AS n FROM (SELECT DENSE_RANK() OVER (PARTITION BY patient ORDER BY ward DESC) AS k FROM visits)

-- two windows with names
SELECT SUM(a) AS a, SUM(b) AS b FROM (SELECT COUNT(*) OVER w AS a, COUNT(*) OVER v AS b FROM visits WINDOW w AS (PARTITION BY patient), v AS (PARTITION BY patient, ward ORDER BY day))

-- costs by month, written out
SELECT STRFTIME(day, '%Y-%m') AS month, COUNT(*) AS n, CAST(AVG(cost) AS DECIMAL(10, 2)) AS mean FROM visits GROUP BY month ORDER BY month

-- by weekday
SELECT DAYNAME(day) AS weekday, COUNT(*) AS n FROM visits WHERE day IS NOT NULL GROUP BY ALL ORDER BY n DESC, weekday LIMIT 3

-- among the groups

-- wards by their rank
SELECT ward, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY place, ward

-- the share of every ward
SELECT ward, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER () AS share FROM visits WHERE ward IS NOT NULL GROUP BY ward

-- the share of every ward in percent, and of the cost
SELECT ward, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS percent, SUM(cost) / SUM(SUM(cost)) OVER () AS cost_share FROM visits WHERE ward IS NOT NULL GROUP BY ALL

-- urgent ones within each ward
SELECT ward, urgent, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY ward) AS share FROM visits WHERE ward IS NOT NULL AND urgent IS NOT NULL GROUP BY ward, urgent

-- visits so far
SELECT MONTH(day) AS month, SUM(COUNT(*)) OVER (ORDER BY MONTH(day)) AS so_far FROM visits WHERE day IS NOT NULL GROUP BY month ORDER BY month

-- change to the month before
SELECT MONTH(day) AS month, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY MONTH(day)) AS change FROM visits WHERE day IS NOT NULL GROUP BY month ORDER BY month

-- far from the mean of the wards
SELECT ward, AVG(cost) - AVG(AVG(cost)) OVER () AS apart, MAX(COUNT(*)) OVER w AS most, COUNT(*) OVER w AS wards FROM visits WHERE ward IS NOT NULL GROUP BY ward WINDOW w AS ()

-- the busiest weekday of each ward
SELECT ward, ISODOW(day) AS d, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL AND day IS NOT NULL GROUP BY ward, d QUALIFY ROW_NUMBER() OVER (PARTITION BY ward ORDER BY COUNT(*) DESC, ISODOW(day)) = 1 ORDER BY ward, d

-- the two wards with most visits of those with some
SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward HAVING COUNT(*) > 3 QUALIFY DENSE_RANK() OVER (ORDER BY n DESC) <= 2 ORDER BY n DESC, ward

-- a question around another

-- large wards, sorted outside
SELECT * FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward) WHERE n > 10 ORDER BY n DESC, ward

-- the same with a name
WITH g AS (SELECT ward, COUNT(*) AS n, SUM(cost) AS total FROM visits WHERE ward IS NOT NULL GROUP BY ward) SELECT ward, total / n AS each_one FROM g WHERE n > 5 ORDER BY each_one

-- the first in each ward, ranked inside and chosen outside
SELECT ward, d, n FROM (SELECT ward, ISODOW(day) AS d, COUNT(*) AS n, ROW_NUMBER() OVER (PARTITION BY ward ORDER BY COUNT(*) DESC, ISODOW(day)) AS r FROM visits WHERE ward IS NOT NULL AND day IS NOT NULL GROUP BY ward, d) WHERE r = 1 ORDER BY ward, d

-- shares, computed outside
SELECT ward, n * 1.0 / SUM(n) OVER () AS share FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward) AS t


-- adding up what is released

-- the mean number of visits of a ward
SELECT AVG(n) AS mean_visits FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward)

-- the least, the greatest and all of them
SELECT MIN(n) AS least, MAX(n) AS most, SUM(n) AS total, COUNT(*) AS wards FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward) AS w

-- urgent wards, each once
SELECT ward, SUM(n) AS total, COUNT(*) AS kinds FROM (SELECT ward, urgent, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL AND urgent IS NOT NULL GROUP BY ward, urgent) GROUP BY ward ORDER BY ward

-- the same with a name, a filter and a condition on what is added up
WITH w AS (SELECT ward, urgent, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL AND urgent IS NOT NULL GROUP BY ward, urgent)
SELECT ward, SUM(n) FILTER (WHERE urgent) AS urgent_ones, MAX(n) AS larger FROM w GROUP BY 1 HAVING SUM(n) > 3 ORDER BY ward DESC

-- how many wards have many visits
SELECT COUNT(*) AS wards FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward HAVING COUNT(*) >= 15)

-- how visits spread over wards
SELECT STDDEV(n) AS spread, VAR_POP(n) AS variance FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward)

-- of the larger wards only
SELECT AVG(m) AS mean_of_means FROM (SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits WHERE ward IS NOT NULL GROUP BY ward) WHERE n > 10

-- frames

-- a moving average over wards
SELECT ward, AVG(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS smooth FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward

-- a centred sum over wards, counted outside
SELECT ward, SUM(n) OVER (ORDER BY ward ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS near, COUNT(*) OVER (ORDER BY ward ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS many FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward) ORDER BY ward

-- the least and the greatest of neighbours
SELECT ward, MIN(COUNT(*)) OVER (ORDER BY ward ROWS 1 PRECEDING) AS low, MAX(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS top_of_two FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward

-- running totals, one ward at a time
SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far, SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS of_all FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward

-- halves and shares of ranks
SELECT ward, COUNT(*) AS n, NTILE(2) OVER (ORDER BY ward) AS half, NTILE(9) OVER (ORDER BY ward) AS ninth, PERCENT_RANK() OVER (ORDER BY ward) AS place FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward

-- more of what each patient has

-- patients who ever came urgently
SELECT COUNT(*) AS n FROM (SELECT patient, BOOL_OR(urgent) AS ever FROM visits GROUP BY patient) WHERE ever

-- patients who always did, and the first of their wards
SELECT ward, COUNT(*) AS n FROM (SELECT patient, BOOL_AND(urgent) AS always, MIN(ward) AS ward FROM visits GROUP BY patient) WHERE always AND ward IS NOT NULL GROUP BY ward ORDER BY ward

-- patients who came and had a dose
SELECT COUNT(*) AS n FROM (SELECT patient FROM visits WHERE urgent INTERSECT SELECT patient FROM visits WHERE NOT urgent)

-- patients who came and never urgently
SELECT COUNT(*) AS n FROM (SELECT patient FROM visits EXCEPT SELECT patient FROM visits WHERE urgent)

-- a line through cost and stay
SELECT REGR_SLOPE(cost, stay) AS slope, REGR_INTERCEPT(cost, stay) AS intercept, REGR_COUNT(cost, stay) AS n, REGR_AVGX(cost, stay) AS x, REGR_AVGY(cost, stay) AS y, REGR_R2(cost, stay) AS r2 FROM visits

-- rows that WHERE bounds
SELECT AVG(cost / stay) AS a_day FROM visits WHERE stay >= 1

-- means by another name, in backticks
SELECT "ward", MEAN(cost) AS "mean cost" FROM "visits" WHERE "ward" IS NOT NULL GROUP BY "ward" ORDER BY "ward"

-- constants, tuples and rows that are chosen

-- floors as a list of constants
SELECT f.floor, COUNT(*) AS n, SUM(v.stay) AS days FROM visits v JOIN (VALUES ('A', 1), ('B', 1), ('C', 2)) AS f(ward, floor) ON v.ward = f.ward GROUP BY f.floor ORDER BY f.floor

-- prices of wards in a list of constants, wherever there is one
SELECT urgent, AVG(COALESCE(p.price, 0) * v.stay) AS mean_price FROM visits v LEFT JOIN (VALUES ('A', 1.5), ('D', -2)) p(ward, price) USING (ward) WHERE urgent IS NOT NULL GROUP BY urgent ORDER BY urgent

-- names of seasons in a list of constants
SELECT s.season, COUNT(*) AS n FROM visits v JOIN (VALUES (1, 'winter'), (2, 'winter'), (7, 'summer'), (8, 'summer')) AS s(month, season) ON EXTRACT(month FROM v.day) = s.month GROUP BY s.season ORDER BY s.season

-- pairs of wards and stays
SELECT COUNT(DISTINCT (ward, stay)) AS pairs FROM visits

-- pairs of days and truths, of some rows
SELECT ward, COUNT(DISTINCT (day, urgent, visit)) FILTER (WHERE stay > 0) AS triples FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward

-- the ward of each patient's first visit
SELECT ward, COUNT(*) AS n FROM (SELECT DISTINCT ON (patient) patient, ward FROM visits ORDER BY patient, visit) WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward

-- the last stay of each patient in each ward
SELECT ward, SUM(stay) AS days FROM (SELECT DISTINCT ON (ward, patient) stay, ward, patient FROM visits WHERE ward IS NOT NULL ORDER BY visit DESC) GROUP BY ward ORDER BY ward

-- a page of an answer
SELECT * FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward LIMIT 2 OFFSET 1) x LIMIT 5 OFFSET 1

-- mean of the two largest wards
SELECT AVG(n) AS m, SUM(n) AS s, COUNT(*) AS k, MIN(n) AS least FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY n DESC LIMIT 2)

-- median of the wards
SELECT MEDIAN(n) AS m FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward)

-- how many are dear, by adding conditions up
SELECT ward, SUM(cost > 100) AS dear, SUM(urgent) AS urgent FROM visits GROUP BY ward

-- beside the dearest ward
SELECT ward, COUNT(*) * 1.0 / FIRST_VALUE(COUNT(*)) OVER (ORDER BY COUNT(*) DESC) AS share FROM visits GROUP BY ward

-- a logarithm to a base
SELECT AVG(LOG(2, stay + 1)) AS bits FROM visits

-- every station, with those nobody was in
SELECT s.ward, COUNT(v.stay) AS n, SUM(v.stay) AS days FROM stations s LEFT JOIN visits v ON v.ward = s.ward WHERE v.stay > 1 GROUP BY s.ward ORDER BY s.ward

-- rows that have a patient
SELECT ward, COUNT(patient) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward

-- the largest ward by its number
SELECT ARG_MAX(ward, n) AS largest, ARG_MIN(n, n) AS least FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward)

-- the ward of the longest stay, by its number of patients
SELECT w, COUNT(*) AS n FROM (SELECT patient, ARG_MAX(ward, visit) AS w FROM visits GROUP BY patient) WHERE w IS NOT NULL GROUP BY w ORDER BY w

-- compared with the row's own unit

-- visits dearer than the patient's own mean
SELECT ward, COUNT(*) AS n FROM visits v WHERE cost > (SELECT AVG(w.cost) FROM visits w WHERE w.patient = v.patient) GROUP BY ward

-- the last visit of each patient, by its number
SELECT ward, COUNT(*) AS n FROM visits v WHERE visit = (SELECT MAX(w.visit) FROM visits w WHERE w.patient = v.patient) GROUP BY ward

-- visits of patients with several doses of the same visit
SELECT COUNT(*) AS n, SUM(stay) AS days FROM visits v WHERE (SELECT COUNT(*) FROM doses d WHERE d.person = v.patient AND d.visit = v.visit) > 1

-- how many labs the patients of a ward have had
SELECT ward, SUM((SELECT COUNT(*) FROM doses d WHERE d.person = v.patient)) AS s FROM visits v GROUP BY ward

-- visits with a dose of the same visit
SELECT ward, COUNT(*) AS n FROM visits v WHERE EXISTS (SELECT 1 FROM doses d WHERE d.person = v.patient AND d.visit = v.visit AND d.drug = 'x') GROUP BY ward

-- visits without one, or of an upper floor
SELECT SUM(CASE WHEN EXISTS (SELECT * FROM stations s WHERE s.ward = v.ward AND s.floor > 1) THEN stay ELSE 0 END) AS days, COUNT(*) AS n FROM visits v WHERE NOT EXISTS (SELECT 1 FROM doses d WHERE d.person = v.patient AND d.visit = v.visit)

-- visits of rooms with so many beds
SELECT COUNT(*) AS n, AVG(stay) AS days FROM visits v WHERE EXISTS (SELECT 1 FROM rooms r WHERE r.ward = v.ward AND r.beds > 0) AND NOT EXISTS (SELECT 1 FROM rooms r WHERE r.ward = v.ward AND r.beds = v.stay)
