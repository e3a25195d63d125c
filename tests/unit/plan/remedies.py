"""What a refusal advises, applied: for every reason of the SQL door a statement that follows its remedy.

A remedy that is about the policy has the column, or the table, as it is declared then.
"""

# ruff: noqa: E501 -- a reason and what is written instead stand on one line

from dataclasses import replace

from tests.laws import clinic
from tests.unit.plan.cases import VISITS

_C = "SELECT COUNT(*) AS n FROM visits"
_W = _C + " WHERE "


def declared(**changes):
    """The table of visits in which some columns are declared in more detail."""
    columns = tuple(replace(each, **changes.get(each.name, {})) for each in VISITS.columns)
    return {"visits": replace(VISITS, columns=columns)}


def stations(**changes):
    """The clinic in which the wards of stations are declared in more detail."""
    ward, *rest = clinic.STATIONS.columns
    return {
        **clinic.TABLES,
        "stations": replace(clinic.STATIONS, columns=(replace(ward, **changes), *rest)),
    }


# By reason: what is written instead; a pair brings the tables as they are declared then.
APPLIED = {
    "a column of the answer has no name": _C,
    "this text contains an invalid character": _W + "name = 'a'",
    "chained comparisons are not supported": _W + "1 < age AND age < 5",
    "only SELECT is supported; data cannot be changed": _C,
    "this would show single rows, and single rows are never released": "SELECT COUNT(*), SUM(age), AVG(age) FROM visits",
    "'age' would be shown for single rows, and single rows are never released": "SELECT age, COUNT(*) FROM visits GROUP BY age",
    "'patient' is the protected unit and is never shown": "SELECT COUNT(DISTINCT patient) FROM visits",
    "'age' is not in GROUP BY: a group has many values of it": "SELECT ward, AVG(age), COUNT(*) FROM visits GROUP BY ward",
    "this contains no aggregate": "SELECT 1 AS one, COUNT(*) FROM visits",
    "this contains no aggregate: the groups are public, and which of them have such rows is not": (
        "SELECT ward, COUNT(*) FROM visits WHERE age > 3 GROUP BY ward"
    ),
    "the query has no FROM": _C,
    "'patient' is the protected unit: grouping by it would give one answer per person": (
        "SELECT ward, COUNT(DISTINCT patient) FROM visits GROUP BY ward"
    ),
    "the values of 'name' are private and not declared; unknown keys need delta > 0": (
        "SELECT name, COUNT(*) FROM visits GROUP BY name",
        declared(name={"values": ("a", "b")}),
    ),
    "the values of 'serial' are private and not declared; unknown keys need delta > 0": (
        "SELECT COUNT(*) FROM visits GROUP BY serial",
        declared(serial={"low": 0, "high": 9}),
    ),
    "the values of 'cost' are private and not declared; unknown keys need delta > 0": (
        "SELECT COUNT(*) FROM visits GROUP BY FLOOR(cost / 1000)"
    ),
    "the values of 'UPPER(name)' are private and not declared; unknown keys need delta > 0": (
        "SELECT COUNT(*) FROM visits GROUP BY CASE WHEN UPPER(name) = 'A' THEN 'a' ELSE 'other' END"
    ),
    "the values of 'u' are private and not declared; unknown keys need delta > 0": (
        "SELECT CASE WHEN UPPER(name) = 'A' THEN 1 ELSE 0 END AS u, COUNT(*) FROM visits GROUP BY u"
    ),
    "the values of 'LN(stay)' are private and not declared; unknown keys need delta > 0": (
        "SELECT COUNT(*) FROM visits GROUP BY FLOOR(stay / 10) * 10"
    ),
    "the values of \"DATE_TRUNC('day', seen)\" are private and not declared; unknown keys need delta > 0": (
        "SELECT COUNT(*) FROM visits WHERE seen BETWEEN '2025-01-01' AND '2025-03-01' GROUP BY DATE_TRUNC('month', seen)"
    ),
    "a month or a day of one digit would not be read here: a date is written 2024-01-31": (
        "SELECT COUNT(*) FROM visits WHERE MAKE_DATE(2024, age, 1) > day"
    ),
    "this is constant, so it does not define groups": "SELECT COUNT(*) FROM visits GROUP BY ward",
    "there is no column 3": "SELECT ward, COUNT(*) FROM visits GROUP BY 1",
    "PIVOT is not supported": "SELECT COUNT(*) FILTER (WHERE ward = 'A') AS a FROM visits",
    "ALL, ANY and SOME are not supported": _W + "age > 1 AND age > 2",
    "DISTINCT would merge groups whose shown columns are equal": "SELECT DISTINCT ward, COUNT(*) FROM visits GROUP BY ward",
    "DISTINCT is supported only after SELECT, inside COUNT(DISTINCT ...) and in IS DISTINCT FROM": (
        "SELECT age, COUNT(*) FROM visits GROUP BY age"
    ),
    "COUNT(DISTINCT a, b) is not supported": "SELECT COUNT(DISTINCT (sex, ward)) FROM visits",
    "a constant has only one value": _C,
    "a window over single rows is not allowed here": (
        "SELECT COUNT(*) FROM (SELECT patient, COUNT(*) OVER (PARTITION BY patient) AS k FROM visits) WHERE k > 1",
        clinic.TABLES,
    ),
    "no condition in WHERE connects these tables, so every pair of rows would be combined": (
        "SELECT COUNT(*) FROM visits v, stations s WHERE v.ward = s.ward",
        clinic.TABLES,
    ),
    "two private tables in which every row is a unit cannot be joined": (
        "SELECT COUNT(*) FROM trips JOIN stations ON trips.ward = stations.ward",
        clinic.TABLES,
    ),
    "this combines several answers, which is more than one plan": _C,
    "a subquery in IN or EXISTS must be about the protected unit, as a condition of its own in WHERE": (
        _W + "patient IN (SELECT patient FROM visits WHERE age > 3) AND age IN (1, 2)"
    ),
    "whether any row exists at all would be an answer without noise": (
        "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.age > 3)"
    ),
    "FILTER is allowed after an aggregate only": "SELECT SUM(ABS(age)) FILTER (WHERE age > 3) FROM visits",
    "samples are not supported: the noise already protects all rows": _C,
    "hints are not supported": _C,
    "locking clauses are not supported": _C,
    "collations are not supported: text is compared by code point": _W + "name = 'a'",
    "this way to match text means different things in different dialects": _W
    + "REGEXP_MATCHES(name, '^a') OR REGEXP_FULL_MATCH(name, 'a.*')",
    "brackets in GLOB are not supported": _W + "REGEXP_MATCHES(name, '^[ab]')",
    "the table 'visits' has no declared column 'A'": _W + "ward = 'A'",
    "ESCAPE is not supported": _W + "name LIKE 'a\\%'",
    "a pattern must be a constant text": _W + "name LIKE 'a%'",
    "this pattern ends in a backslash, which must escape a character": _W + "name LIKE 'a\\\\'",
    "'!' is not supported": _W + "name = 'a' OR NOT name <> 'b'",
    "NULLs come last here": "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age) FROM visits",
    "LIMIT counts rows": _C + " LIMIT 10",
    "a whole number is needed here": _C + " LIMIT 1",
    "FETCH takes FIRST or NEXT": _C + " LIMIT 10",
    "TOP is supported at the beginning of one query, with a number": (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 10"
    ),
    "table hints are not supported": _C,
    "UNNEST would make several rows of one": (
        "SELECT COUNT(*) FILTER (WHERE CONTAINS(ward, 'a')) AS a, AVG(age) FILTER (WHERE CONTAINS(ward, 'b')) AS b FROM visits"
    ),
    "random values are not available: the same question must mean the same tomorrow": _C,
    "which day of the week is 1 differs between dialects": (
        _W + "EXTRACT(ISODOW FROM day) = 1 OR EXTRACT(DOW FROM day) + 1 = 1"
    ),
    "which week of a year is 1 differs between dialects": (
        _W + "EXTRACT(ISOWEEK FROM day) = 1 OR DATE_TRUNC(day, WEEK(SUNDAY)) = DATE '2025-01-05'"
    ),
    "DATE_DIFF in weeks counts complete weeks in some dialects and beginnings of weeks in others": (
        _W + "DATE_DIFF('day', day, seen) // 7 > 1 OR DATE_DIFF(seen, day, ISOWEEK) > 1"
    ),
    "LAST_DAY is the last day of a month": _W + "DATE_TRUNC('year', day) = day",
    "FORMAT takes a date and a format": _W + "FORMAT(day, 'yyyy-MM') = '2025-01'",
    "LIKE ANY needs a list of patterns": _W + "name LIKE ANY ('a%', 'b%')",
    "there is no column 4": _C + " ORDER BY 1",
    "the list may contain constants only": _W + "age = change OR age = 1",
    "IN needs a list": _W + "age IN (1, 2)",
    "row values such as (a, b) cannot be compared": "SELECT ward, sex, COUNT(*) FROM visits WHERE age = 1 AND change = 2 GROUP BY ward, sex",
    "this part of the question is not supported": "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "the table is called 'visits' here": _W + "visits.age > 1 AND visits.age > 2",
    "the table is called 'v' here": "SELECT COUNT(*) FROM visits v WHERE v.age > 1",
    "there is no schema 'main': all tables are in 'public'": _C,
    "there is no table 'visits.parquet'": _C,
    "this is not a table": "SELECT COUNT(*) FROM (SELECT * FROM visits) x",
    "there is no table 'nowhere'": _C,
    "the table 'visits' has no declared column 'agee'": _W + "age > 5",
    "the table 'visits' has no declared column 'Age'": _W + '"age" > 5',
    "only one statement can be asked at a time": _C,
    "two columns have the name 'n'": "SELECT COUNT(*) AS n, SUM(age) AS other FROM visits",
    "'n_low' is the name of an interval column that 'n' adds": "SELECT COUNT(*) AS n, SUM(age) AS other FROM visits",
    "the table 'visits' has no declared column 'n'": _C + " HAVING n > 3",
    "an aggregate is not allowed here": _C + " HAVING COUNT(*) > 3",
    "'weight' has no declared bounds, so one row could change the answer by any amount": (
        "SELECT SUM(weight) FROM visits",
        declared(weight={"low": 0, "high": 200}),
    ),
    "this would list values of single rows, and single rows are never released": (
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    ),
    "the function IQR is not supported": (
        "SELECT QUANTILE_CONT(age, 0.75) - QUANTILE_CONT(age, 0.25) FROM visits"
    ),
    "NTILE over single rows would depend on every row": (
        "SELECT CASE WHEN age < (SELECT QUANTILE_CONT(age, 0.5) FROM visits) THEN 1 ELSE 2 END AS half, "
        "AVG(stay) AS m FROM visits GROUP BY half"
    ),
    "a month has no fixed length": (
        "SELECT COUNT(*) FROM visits WHERE day - DATE '2024-01-01' < INTERVAL 30 DAY"
    ),
    "SUM and AVG need a number, but this is of type text": "SELECT COUNT(name) FROM visits",
    "SUM and AVG need a number, but this is of type boolean": "SELECT SUM(CASE WHEN smoker THEN 1 ELSE 0 END) FROM visits",
    "the divisor may be arbitrarily close to zero, so the quotient has no bound": (
        "SELECT AVG(age / cost), SUM(age / CASE WHEN cost >= 0.01 THEN cost END) FROM visits WHERE cost >= 0.01"
    ),
    "this integer could exceed 64 bits": "SELECT SUM(CAST(age AS DOUBLE) * 1000000000) FROM visits",
    "arithmetic needs numbers, but this is of type text": (
        _W
        + "age + CASE WHEN CAST(name AS DOUBLE) > 9 THEN 9 WHEN CAST(name AS DOUBLE) < 0 THEN 0 ELSE CAST(name AS DOUBLE) END > 3 OR ward || name = 'Aa'"
    ),
    "this is always 0, so there is nothing to aggregate": _C,
    "this is the same in every row, so there is nothing to aggregate": _C,
    "NULL is never counted": _C,
    "nothing is counted": _C,
    "a condition is needed here, but this is of type integer": _W + "age > 0",
    "values of type integer and text cannot be compared": _W + "age = 5",
    "to compare with NULL always gives NULL": _W + "age IS NULL",
    "'UNKNOWN' is not supported here": _W + "smoker IS NULL",
    "there is no such date": _W + "day > DATE '2025-01-31'",
    "this is not a valid date": _W + "day > DATE '2025-01-31'",
    "the current time is not available: the same question must mean the same tomorrow": _W
    + "day > DATE '2025-01-31'",
    "this interval is not supported": _W
    + "day > DATE '2025-01-01' + INTERVAL 3 MONTH AND DATE '2025-01-01' + age > '2025-02-02'",
    "this interval is too long": _W + "seen > seen + INTERVAL 9 YEAR",
    "this timestamp is outside the years 1 to 9999": _W
    + "seen > DATE '9999-12-01' + INTERVAL 1 DAY",
    "an interval can only be added to or subtracted from a date or a timestamp": _W
    + "seen > seen - INTERVAL 1 DAY",
    "an interval is not a value of its own": _W + "seen > seen + INTERVAL 1 DAY",
    "DATE_ADD needs a unit of time here": _W + "seen + INTERVAL 1 YEAR > seen",
    "DATE_ADD takes dates and timestamps, but this is of type integer": _W
    + "CAST(name AS DATE) + INTERVAL 1 DAY > seen",
    "DATE_TRUNC needs a unit of time here": _W + "DATE_TRUNC('year', seen) > seen",
    "DATE_DIFF needs a unit of time here": _W + "DATE_DIFF('day', day, seen) // 7 > 3",
    "EXTRACT needs a part of a timestamp here": "SELECT SUM(EXTRACT(month FROM seen)) FROM visits",
    "EXTRACT takes dates and timestamps, but this is of type text": "SELECT SUM(MONTH(CAST(name AS DATE))) FROM visits",
    "timestamp + integer is not supported": _W + "seen + INTERVAL 1 DAY > seen",
    "timestamp - timestamp is not supported": _W + "DATE_DIFF('hour', seen, seen) > 1",
    "date * integer is not supported": _W + "day + 2 > day",
    "ABS takes numbers, but this is of type text": _W + "ABS(CAST(name AS DOUBLE)) > 1",
    "ROUND needs a constant number of decimals": "SELECT SUM(ROUND(cost, 2)) FROM visits",
    "FLOOR and CEIL take one argument and return integers": "SELECT SUM(FLOOR(cost * 100) / 100) FROM visits",
    "SUBSTR needs a constant start position": _W + "SUBSTR(name, 1, 3) = 'a'",
    "SUBSTR needs a constant length": _W + "SUBSTR(name, 1, 2) = 'a'",
    "SUBSTR takes from 2 to 3 values": _W + "SUBSTR(name, 1, 1) = 'a'",
    "LOWER takes text, but this is of type integer": _W + "LOWER(CAST(age AS VARCHAR)) = 'a'",
    "|| takes text, but this is of type number": _W + "name || CAST(age AS VARCHAR) = 'a'",
    "// takes whole numbers, but this is of type number": "SELECT SUM(CAST(cost AS BIGINT) // 2) FROM visits",
    "TRIM removes spaces only": _W + "LTRIM(name) = 'a'",
    "the range of this value is not known, and one row could change the answer by any amount": (
        "SELECT SUM(CASE WHEN LENGTH(name) > 100 THEN 100 WHEN LENGTH(name) < 0 THEN 0 ELSE LENGTH(name) END) FROM visits"
    ),
    "this number could become too large for a double": (
        "SELECT SUM(EXP(cost)) FROM visits",
        declared(cost={"high": 10}),
    ),
    "the base may be arbitrarily close to zero, so the power has no bound": (
        "SELECT SUM(POWER(CASE WHEN cost >= 0.01 THEN cost END, -1)) FROM visits"
    ),
    "the arguments of COALESCE have different types: integer and text": _W + "COALESCE(age, 5) = 5",
    "true and false cannot be ordered": _W + "smoker OR age > 3",
    "LEAST of NULL alone is constant": "SELECT SUM(LEAST(age, NULL)) FROM visits",
    "to calculate with NULL always gives NULL": _W + "age IS NOT NULL",
    "COALESCE takes from 1 to 32 values": "SELECT SUM(COALESCE(age, change, 0)) FROM visits",
    "DECIMAL takes no arguments here": "SELECT SUM(CAST(cost AS DOUBLE)) FROM visits",
    "this may have more than 3 digits before the decimal point": "SELECT SUM(ROUND(cost, 2)) FROM visits",
    "this precision of DECIMAL is not supported": "SELECT SUM(CAST(cost AS DECIMAL(38, 2))) FROM visits",
    "only numbers can be cast to DECIMAL": _W + "ROUND(CAST(name AS DOUBLE), 2) > 1",
    "this date format is not supported": _W + "STRFTIME(day, '%Y-%m') = '2025-01'",
    "the date format must be a constant text": _W + "STRFTIME(day, '%Y-%m') = '2025-01'",
    "the second and third argument of REPLACE must be constants": _W
    + "REPLACE(name, '-', '') = 'b'",
    "the text to search for must be a constant": _W + "CONTAINS(name, 'A')",
    "RIGHT needs a constant length": _W + "RIGHT(name, 2) = 'b'",
    "the type TIME is not supported": _W
    + "EXTRACT(HOUR FROM seen) >= 12 AND EXTRACT(HOUR FROM seen) * 60 + EXTRACT(MINUTE FROM seen) < 1000",
    "a value of type number cannot be cast to text": _W
    + "CAST(CAST(cost AS BIGINT) AS VARCHAR) = '1'",
    "MODE can be selected only alone or with the keys of its groups": "SELECT age FROM visits GROUP BY age ORDER BY COUNT(*) DESC LIMIT 1",
    "the value of a single row is never released": (
        "SELECT AVG(x) FROM (SELECT patient, ARG_MAX(age, day) AS x FROM visits GROUP BY patient)"
    ),
    "the function WEEKDAY is not supported": _W
    + "EXTRACT(ISODOW FROM day) - 1 = 0 OR EXTRACT(DOW FROM day) = 1",
    "the function MONTHS_BETWEEN is not supported": "SELECT AVG(TIMESTAMPDIFF(MONTH, day, DATE '2025-09-01')) FROM visits",
    "the function TIMEDIFF is not supported": "SELECT AVG(EXTRACT(EPOCH FROM DATE '2025-09-01' - day)) FROM visits",
    "the function TO_NUMBER is not supported": _W + "CAST(name AS DOUBLE) > 3",
    "the function HYPOT is not supported": "SELECT AVG(SQRT(age * age + cost * cost)) FROM visits",
    "texts that are not declared are read in few date formats": _W
    + "TO_DATE(name, '%d/%m/%Y') > day OR TO_DATE(name, '%Y%m%d') > day",
    "a unit of time is needed here": _W + "DATEADD(month, 3, day) > day",
    "a constant whole number is needed here": _W
    + "DATEADD(day, 30, day) > day AND day + age > day",
    "the function REVERSE is not supported": _W + "RIGHT(name, 1) = 'b'",
    "the function mystery is not supported": "SELECT AVG(age) FROM visits",
    "^ and ** mean different things in different dialects": "SELECT SUM(POWER(age, 2)) FROM visits",
    "a number runs into a name": _W + "age > 16",
    "this integer does not fit into 64 bits": _W + "age > 99999999999999999999.0",
    "'a' is not supported": _W + "name = 'a'",
    "adjacent text constants are not joined": _W + "name = 'a' || 'b'",
    "'+' is not supported here": _W + "age > 3",
    "SELECT INTO is not supported": _C,
    "the parentheses do not balance": _W + "EXTRACT(year FROM day) = 2025",
    "')' is missing before this": _C,
    "a quote or a comment is not closed": _W + "name = 'a'",
    "this is not valid SQL": _W + "age > 3",
    "the branches of this CASE have different types: integer and text": "SELECT SUM(CASE WHEN age > 3 THEN 2 ELSE 1 END) FROM visits",
    "every branch of this CASE is NULL": "SELECT SUM(CASE WHEN age > 3 THEN 1 END) FROM visits",
    "this is not supported": "SELECT SUM(age) FROM visits",
    "':' is not supported": _C,
}

_JOIN = "SELECT COUNT(*) AS n FROM visits v JOIN patients p ON v.patient = p.id"
# The same over the tables of the clinic.
APPLIED_TO_ROWS = {
    "private tables can only be joined on the protected unit: this join would combine rows of different units": (
        "SELECT COUNT(*) FROM visits JOIN patients ON visits.ward = patients.ward AND visits.patient = patients.id"
    ),
    "CROSS JOIN would combine rows of different units": "SELECT COUNT(*) FROM visits v JOIN stations s ON v.ward = s.ward",
    "NATURAL joins are not supported: a join needs ON or USING": "SELECT COUNT(*) FROM visits v JOIN stations s ON v.ward = s.ward",
    "FULL JOIN is supported on the unit alone": (
        "SELECT COUNT(*) FROM visits FULL JOIN patients ON patient = id WHERE visits.ward = patients.ward"
    ),
    "FULL JOIN is supported between private tables on their unit": (
        "SELECT COUNT(*) FROM visits LEFT JOIN stations ON visits.ward = stations.ward"
    ),
    "'id' is the protected unit of the optional side of an outer join, which can only be tested for NULL or counted": (
        "SELECT COUNT(*) FROM visits LEFT JOIN patients ON patient = id WHERE patients.id IS NOT NULL"
    ),
    "this outer join would keep rows of the public table, which belong to no unit": (
        "SELECT COUNT(*) FROM visits LEFT JOIN stations ON visits.ward = stations.ward"
    ),
    "SEMI JOIN is not supported": "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT id FROM patients)",
    "a row could match many public rows, and every row is a unit: its influence on the answer is not bounded": (
        "SELECT COUNT(*) FROM trips JOIN stations USING (ward)"
    ),
    "an outer join needs an equality between columns of both sides": (
        "SELECT COUNT(*) FROM visits v LEFT JOIN patients p ON v.patient = p.id WHERE v.stay > 3"
    ),
    "rows are joined with an answer on its keys, and this is a noisy number": (
        "SELECT COUNT(*) FROM visits v CROSS JOIN (SELECT COUNT(*) AS n FROM visits) g WHERE g.n = v.cost"
    ),
    "'n' is a column of an answer, and its keys are not all in GROUP BY": (
        "SELECT g.n, COUNT(*) AS k FROM visits v JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) g USING (ward) "
        "GROUP BY g.n, v.ward"
    ),
    "a column of an answer cannot be a key of grouping sets": (
        "SELECT v.ward, COUNT(*) AS k FROM visits v JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1) g USING (ward) "
        "WHERE v.stay > g.n GROUP BY ROLLUP (v.ward)"
    ),
    "a row may meet several groups of this answer": (
        "SELECT COUNT(*) FROM visits v JOIN (SELECT ward, urgent, COUNT(*) AS n FROM visits GROUP BY ward, urgent) g "
        "ON g.ward = v.ward AND g.urgent = v.urgent"
    ),
    "no condition connects these rows with the groups of the answer": (
        "SELECT COUNT(*) FROM visits v JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) g ON g.ward = v.ward WHERE g.n > v.cost"
    ),
    "an outer join would keep groups of the answer that meet no row": (
        "SELECT COUNT(*) FROM visits v LEFT JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) g ON g.ward = v.ward"
    ),
    "an outer join with an answer takes equalities with its keys alone": (
        "SELECT COUNT(*) FROM visits v LEFT JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) g ON g.ward = v.ward WHERE v.cost > g.n"
    ),
    "this answer may have more than 100 groups that rows are compared with": (
        "SELECT COUNT(*) FROM visits v JOIN (SELECT day, COUNT(*) AS n FROM visits GROUP BY day ORDER BY n DESC LIMIT 10) g ON g.day = v.day"
    ),
    (
        "an answer is joined with public tables of at most 500 rows, and 'stations' has more, or its rows are not known here"
    ): "SELECT s.floor, COUNT(*) AS n FROM visits v JOIN stations s ON s.ward = v.ward GROUP BY s.floor",
    "an answer is joined with a public table here": (
        "SELECT s.floor, COUNT(*) AS n FROM visits v JOIN stations s ON s.ward = v.ward GROUP BY s.floor"
    ),
    "a subquery about a public table cannot be tied to the row outside": (
        "SELECT COUNT(*) FROM visits v LEFT JOIN stations s ON s.ward = v.ward WHERE cost > s.floor"
    ),
    "a subquery may aggregate per unit only: an aggregate over all units would have no noise": (
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM visits GROUP BY patient HAVING COUNT(*) > 3)"
    ),
    "LIMIT in a subquery would let one unit displace the rows of another": (
        "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) AS k FROM visits) WHERE k <= 3"
    ),
    "ORDER BY has no effect in a subquery": "SELECT COUNT(*) AS n FROM (SELECT * FROM visits) ORDER BY n",
    "DISTINCT without the unit would merge equal rows of different units": (
        "SELECT COUNT(*) FROM (SELECT DISTINCT patient, ward FROM visits)"
    ),
    "two columns have the name 'x'": "SELECT COUNT(*) FROM (SELECT id AS x, age AS other FROM patients)",
    "a comma join and RIGHT JOIN cannot be combined": (
        "SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient = p.id JOIN stations s ON p.ward = s.ward"
    ),
    "UNION without the unit would merge equal rows of different units": (
        "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits UNION SELECT id, ward FROM patients)"
    ),
    "INTERSECT and EXCEPT would compare rows of different units": (
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT id FROM patients)"
    ),
    "'patient' is the protected unit on one side of UNION ALL and 'ward' on the other side is not": (
        "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits UNION ALL SELECT id, ward FROM patients)"
    ),
    "'cost' has different types on the two sides: number and text": (
        "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits UNION ALL SELECT id, sex FROM patients)"
    ),
    "UNION ALL needs equal columns, but one side has 1 and the other 2": (
        "SELECT COUNT(*) FROM (SELECT patient FROM visits UNION ALL SELECT id FROM patients)"
    ),
    "UNION ALL of these tables would combine rows with different units": (
        "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits UNION ALL SELECT id, ward FROM patients)"
    ),
    "this window would combine rows of several units": (
        "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient ORDER BY cost) AS k FROM visits)"
    ),
    "PARTITION BY over groups takes keys only, not noisy numbers": (
        "SELECT ward, RANK() OVER (PARTITION BY ward ORDER BY ward) AS r, COUNT(*) AS n FROM visits GROUP BY ward"
    ),
    "HAVING cannot contain a window": (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward QUALIFY RANK() OVER (ORDER BY COUNT(*)) = 1"
    ),
    "RANK needs an order": "SELECT ward, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ward",
    "QUALIFY over single rows needs a subquery": (
        "SELECT COUNT(*) FROM (SELECT * FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) = 1)"
    ),
    "window frames (ROWS, RANGE) are not supported here": "SELECT COUNT(*) FROM (SELECT SUM(age) OVER (PARTITION BY id) FROM patients)",
    "this window function is not supported": (
        "SELECT COUNT(*) FROM (SELECT RANK() OVER (PARTITION BY patient ORDER BY day) AS a FROM visits)"
    ),
    "LAG and LEAD take no default value: they return NULL where there is no row": (
        "SELECT AVG(CASE WHEN a IS NULL THEN 0 ELSE a END) FROM "
        "(SELECT LAG(stay, 1) OVER (PARTITION BY patient ORDER BY day) AS a FROM visits)"
    ),
    "the public column 'floor' has another type than what is compared with it": (
        "SELECT COUNT(*) FROM visits WHERE CAST(ward AS BIGINT) IN (SELECT floor FROM stations)"
    ),
    "the subquery after IN may give more than 50 values": (
        "SELECT COUNT(*) FROM visits WHERE stay IN (SELECT stay FROM visits GROUP BY stay ORDER BY COUNT(*) DESC LIMIT 50)"
    ),
    "the subquery returns more than one column": "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM stations)",
    "a join condition cannot contain a subquery": _JOIN
    + " WHERE p.id IN (SELECT patient FROM visits)",
    "QUALIFY cannot be combined with GROUP BY here": (
        "SELECT COUNT(*) FROM (SELECT * FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) "
        "QUALIFY ROW_NUMBER() OVER (PARTITION BY patient ORDER BY n) = 1)"
    ),
    "there is no window 'v'": "SELECT COUNT(*) FROM (SELECT COUNT(*) OVER w AS n FROM visits WINDOW w AS (PARTITION BY patient))",
    "two windows have the name 'w'": "SELECT COUNT(*) FROM (SELECT AVG(stay) OVER w FROM visits WINDOW w AS (PARTITION BY patient))",
    "a window cannot be based on another": (
        "SELECT COUNT(*) FROM (SELECT COUNT(*) OVER w AS n FROM visits WINDOW w AS (PARTITION BY patient ORDER BY day))"
    ),
    "the subquery does not return the protected unit": "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT id FROM patients)",
    "a correlated subquery would be another question for each row": (
        "SELECT COUNT(*) FROM (SELECT cost, AVG(cost) OVER (PARTITION BY patient) AS m FROM visits) WHERE cost > m"
    ),
    "a scalar subquery gives one value, and this one may give several": (
        "SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)"
    ),
    "a released count or sum has no declared bounds, so noise would hide what is summed here": (
        "SELECT SUM(cost) * (SELECT COUNT(*) FROM visits) FROM visits"
    ),
    "a public table has no units to compare": "SELECT COUNT(*) FROM visits v JOIN stations s ON s.ward = v.ward",
    "a correlated subquery may refer to the unit of the outer row and to nothing else": (
        "SELECT COUNT(*) FROM (SELECT DISTINCT v.patient, v.day FROM visits v JOIN patients p ON p.id = v.patient "
        "AND p.age < v.stay) x"
    ),
    "recursive queries are not supported": "WITH t AS (SELECT * FROM visits) SELECT COUNT(*) FROM t",
    "column aliases after the name of a subquery are not supported": "WITH t AS (SELECT cost AS a FROM visits) SELECT COUNT(a) FROM t",
    "two common table expressions have the name 't'": (
        "WITH t AS (SELECT cost FROM visits), u AS (SELECT stay FROM visits) SELECT COUNT(*) FROM t"
    ),
    "the table 'the subquery' has no declared column 'patient'": "SELECT COUNT(cost) FROM (SELECT cost FROM visits)",
    "'ward' is ambiguous: it is a column of visits and of patients": (
        "SELECT visits.ward, COUNT(*) FROM visits JOIN patients ON patient = id GROUP BY visits.ward"
    ),
    "two tables have the name 'v' here": "SELECT COUNT(*) FROM visits v JOIN patients other ON v.patient = other.id",
    "'k' has no known range, so one row could change the answer by any amount": (
        "SELECT SUM(CASE WHEN k > 100 THEN 100 WHEN k < 0 THEN 0 ELSE k END) FROM "
        "(SELECT patient, ROW_NUMBER() OVER (PARTITION BY patient) AS k FROM visits)"
    ),
    "every row is a unit, so there is nothing to aggregate per unit": "SELECT COUNT(*) FROM trips",
    "'cost' is not in GROUP BY: a unit has many values of it": (
        "SELECT COUNT(*) FROM (SELECT patient, MAX(cost) AS m, COUNT(*) AS n FROM visits GROUP BY patient)"
    ),
    "LATERAL subqueries are not supported": _JOIN,
    "VALUES is supported after JOIN only": (
        "SELECT COUNT(*) FROM visits t JOIN (VALUES ('A', 1), ('B', 2)) AS v(name, grade) ON t.ward = v.name"
    ),
    "no join condition connects these tables": "SELECT COUNT(*) FROM visits v JOIN stations s ON v.ward = s.ward",
    "the table 'visits' has no declared column 'serial'": (
        "SELECT AVG(s) FROM (SELECT patient, SUM(stay) AS s FROM visits GROUP BY patient)"
    ),
    "there is no table 'missing'": _JOIN,
    "there is no table 'x' here": "SELECT SUM(v.stay) FROM visits v JOIN patients p ON v.patient = p.id",
    "the table 'p' has no column 'stay'": "SELECT COUNT(p.age) FROM visits v JOIN patients p ON v.patient = p.id",
}
