"""Refusals: what is not answered is refused with its reason, a remedy, and the text underlined."""

import pytest

from tacit.errors import InvalidPlan, TacitError, Unbounded
from tacit.plan import read_sql
from tests.together import together
from tests.unit.plan.cases import TABLES

# By reason: statements in which «...» encloses what the message underlines.
REFUSED = {
    "a column of the answer has no name": ['SELECT «COUNT(*)» AS "" FROM visits'],
    "this text contains an invalid character": ["SELECT COUNT(*) FROM visits WHERE name = «'a\0'»"],
    "chained comparisons are not supported": [
        "SELECT COUNT(*) FROM visits WHERE «1 < age < 5»",
        "SELECT COUNT(*) FROM visits WHERE «smoker = age > 5»",
    ],
    "only SELECT is supported; data cannot be changed": [
        "«DROP» TABLE visits",
        "«FROM» visits SELECT COUNT(*)",
    ],
    "this would show single rows, and single rows are never released": [
        "SELECT «*» FROM visits",
        "SELECT visits.«*» FROM visits",
        "SELECT COUNT(visits.«*») FROM visits",
    ],
    "'age' would be shown for single rows, and single rows are never released": [
        "SELECT «age» FROM visits",
        "SELECT COUNT(*) FROM visits ORDER BY «age»",
        "SELECT COUNT(*) FROM visits HAVING «age» > 3",
    ],
    "'patient' is the protected unit and is never shown": [
        "SELECT «patient» FROM visits",
    ],
    "'age' is not in GROUP BY: a group has many values of it": [
        "SELECT ward, «age», COUNT(*) FROM visits GROUP BY ward",
    ],
    "a month or a day of one digit would not be read here: a date is written 2024-01-31": [
        "SELECT COUNT(*) FROM visits WHERE CAST(«'2024-' || age || '-01'» AS DATE) > day",
        "SELECT COUNT(*) FROM visits WHERE CAST(«CONCAT('2024-01-', CAST(age AS TEXT))» AS TIMESTAMP) > day",
    ],
    "this contains no aggregate": ["SELECT «1 FROM visits»"],
    "this contains no aggregate: the groups are public, and which of them have such rows is not": [
        "SELECT DISTINCT «ward FROM visits WHERE age > 3»",
        "SELECT «ward FROM visits WHERE sex = 'f' GROUP BY ward»",
    ],
    "the query has no FROM": [
        "SELECT «COUNT(*)»",
    ],
    "'patient' is the protected unit: grouping by it would give one answer per person": [
        "SELECT patient, COUNT(*) FROM visits GROUP BY «patient»",
    ],
    "the values of 'name' are private and not declared; unknown keys need delta > 0": [
        "SELECT name, COUNT(*) FROM visits GROUP BY «name»",
    ],
    "the values of 'serial' are private and not declared; unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «serial»",
    ],
    "the values of 'cost' are private and not declared; unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «cost»",
    ],
    "the values of 'UPPER(name)' are private and not declared; unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «UPPER(name)»",
    ],
    "the values of 'u' are private and not declared; unknown keys need delta > 0": [
        "SELECT «UPPER(name)» AS u, COUNT(*) FROM visits GROUP BY u",
    ],
    "the values of 'LN(stay)' are private and not declared; unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «LN(stay)»",
    ],
    "the values of \"DATE_TRUNC('day', seen)\" are private and not declared; unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «DATE_TRUNC('day', seen)»",
    ],
    "this is constant, so it does not define groups": [
        "SELECT COUNT(*) FROM visits GROUP BY «1 + 1»",
        "SELECT COUNT(*) FROM visits GROUP BY «'ward'»",
    ],
    "there is no column 3": [
        "SELECT COUNT(*) FROM visits GROUP BY «3»",
    ],
    "PIVOT is not supported": [
        "SELECT COUNT(*) FROM visits «PIVOT» (COUNT(*) FOR ward IN ('A'))",
    ],
    "ALL, ANY and SOME are not supported": [
        "SELECT COUNT(*) FROM visits WHERE age > «ALL» (SELECT 1)",
        "SELECT COUNT(*) FROM visits WHERE age < «ANY» (ARRAY[1])",
        "SELECT COUNT(«ALL» age) FROM visits",
    ],
    "DISTINCT would merge groups whose shown columns are equal": [
        "SELECT DISTINCT «COUNT(*) FROM visits GROUP BY ward»",
    ],
    "DISTINCT is supported only after SELECT, inside COUNT(DISTINCT ...) and in IS DISTINCT FROM": [
        "SELECT SUM(«DISTINCT» age) FROM visits",
    ],
    "COUNT(DISTINCT a, b) is not supported": [
        "SELECT COUNT(DISTINCT «patient, ward») FROM visits",
    ],
    "a constant has only one value": [
        "SELECT COUNT(DISTINCT «7») FROM visits",
    ],
    "a window over single rows is not allowed here": [
        "SELECT «COUNT(*)» OVER () FROM visits",
    ],
    "no condition in WHERE connects these tables, so every pair of rows would be combined": [
        "SELECT COUNT(*) FROM visits, «loose»",
    ],
    "two private tables in which every row is a unit cannot be joined": [
        "SELECT COUNT(*) FROM visits JOIN «loose ON visits.age = loose.x»",
    ],
    "this combines several answers, which is more than one plan": [
        "«SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM loose»",
    ],
    "a subquery in IN or EXISTS must be about the protected unit, as a condition of its own in WHERE": [
        "SELECT COUNT(*) FROM visits WHERE «age IN (SELECT x FROM loose)»",
    ],
    "whether any row exists at all would be an answer without noise": [
        "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT «1 FROM loose»)",
    ],
    "column aliases after the name of a subquery are not supported": [],
    "FILTER is allowed after an aggregate only": [
        "SELECT «ABS(age) FILTER (WHERE age > 3)» FROM visits",
    ],
    "samples are not supported: the noise already protects all rows": [
        "SELECT COUNT(*) FROM visits «TABLESAMPLE» (10)",
        "SELECT COUNT(*) FROM visits «USING» SAMPLE 10%",
    ],
    "hints are not supported": [
        "SELECT /*«+ PARALLEL(8) »*/ COUNT(*) FROM visits",
    ],
    "locking clauses are not supported": [
        "SELECT COUNT(*) FROM visits «FOR» UPDATE",
    ],
    "collations are not supported: text is compared by code point": [
        "SELECT COUNT(*) FROM visits WHERE name «COLLATE» nocase = 'a'",
    ],
    "this way to match text means different things in different dialects": [
        "SELECT COUNT(*) FROM visits WHERE name «RLIKE» 'a.*'",
    ],
    "ESCAPE is not supported": [
        "SELECT COUNT(*) FROM visits WHERE name LIKE 'a!%' «ESCAPE» '!'",
    ],
    "a pattern must be a constant text": [
        "SELECT COUNT(*) FROM visits WHERE name LIKE «sex»",
    ],
    "this pattern ends in a backslash, which must escape a character": [
        "SELECT COUNT(*) FROM visits WHERE name LIKE «'a\\'»",
    ],
    "'!' is not supported": [
        "SELECT COUNT(*) FROM visits WHERE name «!»~ 'a'",
    ],
    "NULLs come last here": [
        "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY «age» NULLS FIRST) FROM visits",
    ],
    "LIMIT counts rows": [
        "«SELECT COUNT(*) FROM visits LIMIT 10%»",
    ],
    "a whole number is needed here": [
        "SELECT COUNT(*) FROM visits LIMIT «age»",
        "SELECT COUNT(*) FROM visits LIMIT -«1»",
        "SELECT COUNT(*) FROM visits ORDER BY «'n'»",
    ],
    "FETCH takes FIRST or NEXT": ["SELECT COUNT(*) FROM visits «FETCH» 5 ROWS ONLY"],
    "TOP is supported at the beginning of one query, with a number": [
        "SELECT «TOP» 5 PERCENT ward, COUNT(*) FROM visits GROUP BY ward",
        "SELECT «TOP» 1 ward, COUNT(*) FROM visits GROUP BY ward UNION ALL SELECT 'all', COUNT(*) FROM visits",
        "SELECT «TOP» (5) WITH TIES ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n",
    ],
    "table hints are not supported": ["«SELECT COUNT(*) FROM visits WITH (NOLOCK)»"],
    "UNNEST would make several rows of one": [
        "SELECT «UNNEST(STRING_SPLIT(ward, '|'))» AS part, COUNT(*) FROM visits GROUP BY 1",
        "SELECT COUNT(*) FROM visits CROSS JOIN UNNEST(«STRING_SPLIT(ward, '|')) AS u»",
    ],
    "the current time is not available: the same question must mean the same tomorrow": [
        "SELECT COUNT(*) FROM visits WHERE day > «GETDATE»()",
        "SELECT COUNT(*) FROM visits WHERE day > «CURRENT_DATE»",
    ],
    "random values are not available: the same question must mean the same tomorrow": [
        "SELECT COUNT(*) FROM visits WHERE «RANDOM»() < 0.1",
    ],
    "which day of the week is 1 differs between dialects": [
        "SELECT COUNT(*) FROM visits WHERE DATEPART(weekday, «day») = 1",
    ],
    "which week of a year is 1 differs between dialects": [
        "SELECT COUNT(*) FROM visits WHERE EXTRACT(«WEEK(SUNDAY) FROM day») = 1",
    ],
    "DATE_DIFF in weeks counts complete weeks in some dialects and beginnings of weeks in others": [
        "SELECT SUM(«DATE_DIFF('week', day, seen)») FROM visits",
        "SELECT SUM(«DATEDIFF(week, visits.day, visits.seen)») FROM visits",
    ],
    "LAST_DAY is the last day of a month": [
        "SELECT COUNT(*) FROM visits WHERE «LAST_DAY(day, YEAR)» = day",
    ],
    "FORMAT takes a date and a format": [
        "SELECT COUNT(*) FROM visits WHERE FORMAT(day, «'d'») = '1'",
    ],
    "LIKE ANY needs a list of patterns": [
        "SELECT COUNT(*) FROM visits WHERE name LIKE ANY (SELECT «ward FROM visits»)",
    ],
    "there is no column 4": [
        "SELECT COUNT(*) FROM visits ORDER BY «4»",
    ],
    "the list may contain constants only": [
        "SELECT COUNT(*) FROM visits WHERE age IN («age», 1)",
    ],
    "IN needs a list": [
        "SELECT COUNT(*) FROM visits WHERE age IN «change»",
    ],
    "row values such as (a, b) cannot be compared": [
        "SELECT COUNT(*) FROM visits GROUP BY («ward, sex»)",
    ],
    "this part of the question is not supported": [
        "SELECT ward, COUNT(*) FROM visits GROUP BY «ward» WITH TOTALS",
        "SELECT COUNT(age, «cost») FROM visits",
    ],
    "the table is called 'visits' here": [
        "SELECT COUNT(*) FROM visits WHERE visits.age > 1 AND «other».age > 2",
    ],
    "the table is called 'v' here": [
        "SELECT COUNT(*) FROM visits v WHERE «visits».age > 1",
    ],
    "there is no schema 'main': all tables are in 'public'": [
        "SELECT COUNT(*) FROM «main».visits",
    ],
    "there is no table 'visits.parquet'": [
        "SELECT COUNT(*) FROM «'visits.parquet'»",
    ],
    "this is not a table": [
        "SELECT COUNT(*) FROM «read_parquet('visits.parquet')»",
    ],
    "there is no table 'nowhere'": [
        "SELECT COUNT(*) FROM «nowhere»",
    ],
    "the table 'visits' has no declared column 'agee'": [
        "SELECT COUNT(*) FROM visits WHERE «agee» > 5",
    ],
    "the table 'visits' has no declared column 'Age'": [
        'SELECT COUNT(*) FROM visits WHERE «"Age"» > 5',
    ],
    "only one statement can be asked at a time": [
        "SELECT COUNT(*) FROM visits; «DELETE» FROM visits",
    ],
    "two columns have the name 'n'": [
        "SELECT COUNT(*) AS n, «SUM(age)» AS n FROM visits",
    ],
    "'n_low' is the name of an interval column that 'n' adds": [
        "SELECT «COUNT(*) AS n, SUM(age) AS n_low FROM visits»",
    ],
    "the table 'visits' has no declared column 'n'": [
        "SELECT COUNT(*) AS n FROM visits WHERE «n» > 3",
        "SELECT COUNT(*) AS n, «n» + 1 AS m FROM visits",
    ],
    "an aggregate is not allowed here": [
        "SELECT COUNT(*) FROM visits WHERE «COUNT(*)» > 3",
        "SELECT SUM(«COUNT(*)») FROM visits",
    ],
    "'weight' has no declared bounds, so one row could change the answer by any amount": [
        "SELECT SUM(«weight») FROM visits",
        "SELECT AVG(«weight» * 2) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE «weight» + 1 > 3",
    ],
    "SUM and AVG need a number, but this is of type text": [
        "SELECT SUM(«name») FROM visits",
    ],
    "this would list values of single rows, and single rows are never released": [
        "SELECT STRING_AGG(«name, ','») FROM visits",
    ],
    "the function IQR is not supported": [
        "SELECT «iqr(age)» FROM visits",
    ],
    "NTILE over single rows would depend on every row": [
        "SELECT «NTILE(4) OVER (ORDER BY age)» AS k, COUNT(*) FROM visits GROUP BY 1",
    ],
    "a month has no fixed length": [
        "SELECT COUNT(*) FROM visits WHERE «day - DATE '2024-01-01'» < INTERVAL 1 MONTH",
    ],
    "SUM and AVG need a number, but this is of type boolean": [
        "SELECT SUM(«COALESCE(smoker, FALSE)») FROM visits",
    ],
    "the divisor may be arbitrarily close to zero, so the quotient has no bound": [
        "SELECT SUM(«age / cost») FROM visits",
        "SELECT AVG(«age / cost») FROM visits WHERE cost > 0",
        "SELECT AVG(«age / NULLIF(cost, 0)») FROM visits",
    ],
    "this integer could exceed 64 bits": [
        "SELECT SUM(«age * 1000000000000 * 1000000000000») FROM visits",
    ],
    "arithmetic needs numbers, but this is of type text": [
        "SELECT SUM(age + «name») FROM visits",
        "SELECT COUNT(*) FROM visits WHERE «ward» + name = 'Aa'",
    ],
    "this is always 0, so there is nothing to aggregate": [
        "SELECT SUM(«0 * 1») FROM visits",
    ],
    "this is the same in every row, so there is nothing to aggregate": [
        "SELECT AVG(«5») FROM visits",
    ],
    "NULL is never counted": [
        "SELECT «COUNT»(NULL) FROM visits",
    ],
    "nothing is counted": [
        "SELECT «COUNT»() FROM visits",
    ],
    "a condition is needed here, but this is of type integer": [
        "SELECT COUNT(*) FROM visits WHERE «age» IS TRUE",
        "SELECT SUM(IF(«age», 1, 0)) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE «age»",
    ],
    "values of type integer and text cannot be compared": [
        "SELECT COUNT(*) FROM visits WHERE «age = 'x'»",
    ],
    "to compare with NULL always gives NULL": [
        "SELECT COUNT(*) FROM visits WHERE «age» = NULL",
    ],
    "'UNKNOWN' is not supported here": [
        "SELECT COUNT(*) FROM visits WHERE smoker IS «UNKNOWN»",
    ],
    "there is no such date": [
        "SELECT COUNT(*) FROM visits WHERE «day > '2025-02-30'»",
    ],
    "this is not a valid date": [
        "SELECT COUNT(*) FROM visits WHERE «day > '1 January'»",
    ],
    "this interval is not supported": [
        "SELECT COUNT(*) FROM visits WHERE day > DATE '2025-01-01' + «INTERVAL» age DAY",
        "SELECT COUNT(*) FROM visits WHERE day > DATE '2025-01-01' + «INTERVAL» (1) DAY",
        "SELECT COUNT(*) FROM visits WHERE seen > seen + INTERVAL «'1 year 2 months'»",
        "«SELECT COUNT(*) FROM visits WHERE seen > seen + INTERVAL 1.5 DAY»",
    ],
    "this interval is too long": [
        "SELECT COUNT(*) FROM visits WHERE seen > «seen» + INTERVAL 99999 YEAR",
    ],
    "this timestamp is outside the years 1 to 9999": [
        "SELECT COUNT(*) FROM visits WHERE seen > DATE «'9999-12-01'» + INTERVAL 1 MONTH",
    ],
    "an interval can only be added to or subtracted from a date or a timestamp": [
        "SELECT COUNT(*) FROM visits WHERE seen > INTERVAL 1 DAY - «seen»",
    ],
    "an interval is not a value of its own": [
        "«SELECT COUNT(*) FROM visits WHERE seen > INTERVAL 1 DAY»",
    ],
    "DATE_ADD needs a unit of time here": [
        "SELECT COUNT(*) FROM visits WHERE «seen» + INTERVAL 1 DECADE > seen",
    ],
    "DATE_ADD takes dates and timestamps, but this is of type integer": [
        "SELECT COUNT(*) FROM visits WHERE «age» + INTERVAL 1 DAY > seen",
    ],
    "DATE_TRUNC needs a unit of time here": [
        "SELECT COUNT(*) FROM visits WHERE «DATE_TRUNC('century', seen)» > seen",
    ],
    "DATE_DIFF needs a unit of time here": [
        "SELECT SUM(«DATE_DIFF('decade', day, seen)») FROM visits",
    ],
    "EXTRACT needs a part of a timestamp here": [
        "SELECT SUM(EXTRACT(millennium FROM «seen»)) FROM visits",
    ],
    "EXTRACT takes dates and timestamps, but this is of type text": [
        "SELECT SUM(YEAR(«name»)) FROM visits",
    ],
    "timestamp + integer is not supported": [
        "SELECT COUNT(*) FROM visits WHERE «seen» + 1 > seen",
    ],
    "timestamp - timestamp is not supported": [
        "SELECT COUNT(*) FROM visits WHERE «seen» - seen > 1",
    ],
    "date * integer is not supported": [
        "SELECT COUNT(*) FROM visits WHERE «day» * 2 > day",
    ],
    "ABS takes numbers, but this is of type text": [
        "SELECT SUM(ABS(«name»)) FROM visits",
    ],
    "ROUND needs a constant number of decimals": [
        "SELECT SUM(ROUND(cost, «age»)) FROM visits",
        "SELECT SUM(ROUND(cost, «99»)) FROM visits",
    ],
    "FLOOR and CEIL take one argument and return integers": [
        "SELECT SUM(FLOOR(cost, «1»)) FROM visits",
    ],
    "SUBSTR needs a constant start position": [
        "SELECT COUNT(*) FROM visits WHERE SUBSTR(name, «0», 3) = 'a'",
        "SELECT COUNT(*) FROM visits WHERE SUBSTR(name, «age», 3) = 'a'",
    ],
    "SUBSTR needs a constant length": [
        "SELECT COUNT(*) FROM visits WHERE SUBSTR(name, 1, -«2») = 'a'",
    ],
    "SUBSTR takes from 2 to 3 values": [
        "SELECT COUNT(*) FROM visits WHERE «SUBSTR(name)» = 'a'",
    ],
    "LOWER takes text, but this is of type integer": [
        "SELECT COUNT(*) FROM visits WHERE LOWER(«age») = 'a'",
    ],
    "|| takes text, but this is of type number": [
        "SELECT COUNT(*) FROM visits WHERE name || «cost» = 'a'",
    ],
    "// takes whole numbers, but this is of type number": [
        "SELECT SUM(«cost» // 2) FROM visits",
    ],
    "TRIM removes spaces only": [
        "SELECT COUNT(*) FROM visits WHERE TRIM(LEADING «'0'» FROM name) = 'a'",
    ],
    "the range of this value is not known, and one row could change the answer by any amount": [
        "SELECT SUM(«LENGTH(name)») FROM visits",
    ],
    "this number could become too large for a double": [
        "SELECT SUM(«EXP(cost)») FROM visits",
        "SELECT SUM(«POWER(cost, 1000)») FROM visits",
    ],
    "the base may be arbitrarily close to zero, so the power has no bound": [
        "SELECT SUM(«POWER(cost, -1)») FROM visits",
        "SELECT SUM(«POWER(change, change)») FROM visits",
    ],
    "the arguments of COALESCE have different types: integer and text": [
        "SELECT COUNT(*) FROM visits WHERE «COALESCE(age, 'x')» = 'x'",
    ],
    "true and false cannot be ordered": [
        "SELECT COUNT(*) FROM visits WHERE «GREATEST(smoker, age > 3)»",
    ],
    "LEAST of NULL alone is constant": [
        "SELECT SUM(«LEAST»(NULL, NULL)) FROM visits",
    ],
    "to calculate with NULL always gives NULL": [
        "SELECT SUM(«ABS»(NULL)) FROM visits",
        "SELECT SUM(«NULLIF(age, NULL)») FROM visits",
    ],
    "COALESCE takes from 1 to 32 values": [
        "SELECT SUM(«COALESCE(" + "age, " * 40 + "0)») FROM visits",
    ],
    "DECIMAL takes no arguments here": [
        "SELECT SUM(CAST(cost AS «DECIMAL»(10, 2, 3))) FROM visits",
        "SELECT SUM(CAST(cost AS «DECIMAL»(cost))) FROM visits",
    ],
    "this may have more than 3 digits before the decimal point": [
        "SELECT SUM(CAST(«cost» AS DECIMAL(5, 2))) FROM visits",
        "SELECT COUNT(CAST(«weight» AS DECIMAL(5, 2))) FROM visits",
    ],
    "this precision of DECIMAL is not supported": [
        "SELECT SUM(CAST(«cost» AS DECIMAL(39, 2))) FROM visits",
    ],
    "only numbers can be cast to DECIMAL": [
        "SELECT SUM(CAST(«name» AS DECIMAL(5, 2))) FROM visits",
    ],
    "this date format is not supported": [
        "SELECT COUNT(*) FROM visits WHERE «STRFTIME(day, '%c')» = '1'",
        "SELECT COUNT(*) FROM visits WHERE «STRFTIME(day, '100%')» = '1'",
        "SELECT COUNT(*) FROM visits WHERE «TO_CHAR(day, 'IYYY')» = '1'",
    ],
    "the date format must be a constant text": [
        "SELECT COUNT(*) FROM visits WHERE «STRFTIME(day, name)» = '1'",
    ],
    "the second and third argument of REPLACE must be constants": [
        "SELECT COUNT(*) FROM visits WHERE REPLACE(name, «ward», '') = 'b'",
        "SELECT COUNT(*) FROM visits WHERE REPLACE(name, «''», 'a') = 'b'",
    ],
    "the text to search for must be a constant": [
        "SELECT COUNT(*) FROM visits WHERE CONTAINS(name, «ward»)",
    ],
    "RIGHT needs a constant length": [
        "SELECT COUNT(*) FROM visits WHERE RIGHT(name, «age») = 'b'",
        "SELECT COUNT(*) FROM visits WHERE RIGHT(name, -«1») = 'b'",
    ],
    "the type TIME is not supported": [
        "SELECT COUNT(*) FROM visits WHERE CAST(«seen» AS TIME) > '12:00'",
    ],
    "a value of type number cannot be cast to text": [
        "SELECT COUNT(*) FROM visits WHERE CAST(«cost» AS VARCHAR) = '1'",
    ],
    "MODE can be selected only alone or with the keys of its groups": [
        "SELECT «MODE(age)», COUNT(*) FROM visits",
    ],
    "the value of a single row is never released": [
        "SELECT «FIRST(age ORDER BY age)» FROM visits",
    ],
    "brackets in GLOB are not supported": [
        "SELECT COUNT(*) FROM visits WHERE name GLOB «'[ab]*'»",
    ],
    "the table 'visits' has no declared column 'A'": [
        'SELECT COUNT(*) FROM visits WHERE ward = «"A"»',
    ],
    "the function WEEKDAY is not supported": [
        "SELECT COUNT(*) FROM visits WHERE «WEEKDAY(day)» = 0",
    ],
    "the function MONTHS_BETWEEN is not supported": [
        "SELECT AVG(«MONTHS_BETWEEN(seen, day)») FROM visits",
    ],
    "the function TIMEDIFF is not supported": [
        "SELECT AVG(«TIMEDIFF(seen, day)») FROM visits",
    ],
    "the function TO_NUMBER is not supported": [
        "SELECT COUNT(*) FROM visits WHERE «TO_NUMBER(name)» > 3",
    ],
    "the function HYPOT is not supported": [
        "SELECT AVG(«HYPOT(age, cost)») FROM visits",
    ],
    "texts that are not declared are read in few date formats": [
        "SELECT COUNT(*) FROM visits WHERE «TO_DATE(name, 'DD Mon YYYY')» > day",
    ],
    "a unit of time is needed here": [
        "SELECT COUNT(*) FROM visits WHERE DATEADD(«age», 3, day) > day",
    ],
    "a constant whole number is needed here": [
        "SELECT COUNT(*) FROM visits WHERE ADD_MONTHS(day, «age») > day",
    ],
    "the function REVERSE is not supported": [
        "SELECT COUNT(*) FROM visits WHERE «REVERSE(name)» = 'b'",
    ],
    "the function mystery is not supported": [
        "SELECT «mystery(age)» FROM visits",
    ],
    "^ and ** mean different things in different dialects": [
        "SELECT SUM(age «^» 2) FROM visits",
        "SELECT SUM(age «**» 2) FROM visits",
    ],
    "nothing is bound to the parameter '1': none is given": [
        "SELECT COUNT(*) FROM visits WHERE age > «$1»",
        "SELECT COUNT(*) FROM visits WHERE age > «?»",
    ],
    "a number runs into a name": [
        "SELECT COUNT(*) FROM visits WHERE age > 0«x10»",
    ],
    "this integer does not fit into 64 bits": [
        "SELECT COUNT(*) FROM visits WHERE age > «99999999999999999999»",
    ],
    "'a' is not supported": [
        "SELECT COUNT(*) FROM visits WHERE name = «E'a'»",
    ],
    "adjacent text constants are not joined": [
        "SELECT COUNT(*) FROM visits WHERE name = «'a'» 'b'",
    ],
    "'+' is not supported here": [
        "SELECT COUNT(*) FROM visits WHERE age > «+»3",
    ],
    "SELECT INTO is not supported": [
        "SELECT COUNT(*) «INTO» t FROM visits",
    ],
    "the parentheses do not balance": [
        "«SELECT COUNT(*) FROM visits WHERE EXTRACT(year FROM day = 2025»",
        "«SELECT COUNT(*) FROM visits WHERE SUBSTRING(name, 2 = 'a'»",
    ],
    "')' is missing before this": [
        "SELECT COUNT(* «FROM» visits",
    ],
    "a quote or a comment is not closed": [
        "«SELECT COUNT(*) FROM visits WHERE name = 'a»",
    ],
    "this is not valid SQL": [
        "SELECT COUNT(*) FROM visits «WHERE»",
        "SELECT COUNT(*) FROM visits WHERE age > «AND» 3",
    ],
    "the branches of this CASE have different types: integer and text": [
        "SELECT SUM(CASE WHEN «age > 3 THEN 'a' ELSE 1» END) FROM visits",
    ],
    "every branch of this CASE is NULL": [
        "SELECT SUM(CASE WHEN «age > 3» THEN NULL END) FROM visits",
    ],
    "this is not supported": [
        "SELECT SUM(«age ORDER BY cost») FROM visits",
    ],
    "':' is not supported": [
        "SELECT n«:» COUNT(*) FROM visits",
    ],
}
CASES = [(reason, statement) for reason, statements in REFUSED.items() for statement in statements]


@together
@pytest.mark.parametrize(("reason", "statement"), CASES, ids=[statement for _, statement in CASES])
def test_a_statement_is_refused_for_its_reason(reason, statement):
    before, _, rest = statement.partition("«")
    underlined, _, after = rest.partition("»")
    with pytest.raises(InvalidPlan) as refusal:
        read_sql(before + underlined + after, TABLES)
    found = refusal.value
    assert found.reason == reason
    assert found.text[: found.start] == before
    assert found.text[found.start : found.end] == underlined
    assert found.remedy
    assert "sqlglot" not in str(found)
    assert found.__cause__ is None


def test_there_are_many_of_them():
    assert len(CASES) >= 100


def test_the_message_underlines_what_is_meant():
    with pytest.raises(InvalidPlan) as refusal:
        read_sql("SELECT ward, age, COUNT(*)\nFROM visits\nGROUP BY ward", TABLES)
    assert str(refusal.value).splitlines() == [
        "'age' is not in GROUP BY: a group has many values of it",
        "  SELECT ward, age, COUNT(*)",
        "               ^^^",
        "add it to GROUP BY, or aggregate it with COUNT, SUM or AVG(age)",
    ]


def test_a_long_line_is_shown_around_what_is_meant():
    text = (
        "SELECT COUNT(*) FROM visits WHERE "
        + "age = 1 AND " * 50
        + "agee = 2"
        + " AND age = 3" * 50
    )
    with pytest.raises(InvalidPlan) as refusal:
        read_sql(text, TABLES)
    _, line, carets, _ = str(refusal.value).splitlines()
    assert len(line) < 120
    assert line[carets.index("^") : carets.rindex("^") + 1] == "agee"


def test_characters_that_do_not_print_are_not_echoed():
    with pytest.raises(InvalidPlan) as refusal:
        read_sql("SELECT \x1b[31m COUNT(*) FROM visits", TABLES)
    assert "\x1b" not in str(refusal.value)


def test_a_missing_bound_is_its_own_error():
    with pytest.raises(Unbounded) as refusal:
        read_sql("SELECT SUM(cost + weight) FROM visits", TABLES)
    assert refusal.value.column == "weight"
    assert refusal.value.text[refusal.value.start : refusal.value.end] == "weight"
    assert isinstance(refusal.value, InvalidPlan)
    assert isinstance(refusal.value, TacitError)
    assert isinstance(refusal.value, ValueError)
