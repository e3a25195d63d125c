"""Refusals: what is not answered is refused with its reason, a remedy, and the text underlined."""

import pytest

from tacit.errors import InvalidPlan, TacitError, Unbounded
from tacit.plan import read_sql
from tests.unit.plan.cases import TABLES

# By reason: statements in which «...» encloses what the message underlines.
REFUSED = {
    "a column of the answer has no name": ['SELECT «COUNT(*)» AS "" FROM visits'],
    "this text holds a character that is none": [
        "SELECT COUNT(*) FROM visits WHERE name = «'a\0'»"
    ],
    "comparisons do not follow each other": [
        "SELECT COUNT(*) FROM visits WHERE «1 < age < 5»",
        "SELECT COUNT(*) FROM visits WHERE «smoker = age > 5»",
    ],
    "only a SELECT is answered, and nothing is ever changed": [
        "«DROP» TABLE visits",
        "«(»SELECT COUNT(*) FROM visits)",
        "«FROM» visits SELECT COUNT(*)",
    ],
    "every row would be shown, and no row ever leaves": [
        "SELECT «*» FROM visits",
        "SELECT visits.«*» FROM visits",
        "SELECT COUNT(visits.«*») FROM visits",
    ],
    "'age' has a value in every row, and no row ever leaves": [
        "SELECT «age» FROM visits",
        "SELECT COUNT(*) FROM visits ORDER BY «age»",
        "SELECT COUNT(*) FROM visits HAVING «age» > 3",
    ],
    "'patient' names the protected unit and is never shown": [
        "SELECT «patient» FROM visits",
    ],
    "'age' is not a key: a group has many values of it": [
        "SELECT ward, «age», COUNT(*) FROM visits GROUP BY ward",
    ],
    "nothing is measured: the groups themselves are public, only what is counted in them is not": [
        "SELECT DISTINCT «ward FROM visits»",
        "SELECT «ward FROM visits GROUP BY ward»",
        "SELECT «1 FROM visits»",
    ],
    "no table is asked about": [
        "SELECT (SELECT «COUNT(*) FROM visits»)",
        "SELECT «COUNT(*)»",
    ],
    "'patient' names the protected unit: one group for each would be one answer about each": [
        "SELECT patient, COUNT(*) FROM visits GROUP BY «patient»",
    ],
    "which values 'name' has is private, and unknown keys need delta > 0": [
        "SELECT name, COUNT(*) FROM visits GROUP BY «name»",
    ],
    "which values 'serial' has is private, and unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «serial»",
    ],
    "which values 'cost' has is private, and unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «cost»",
    ],
    "which values 'UPPER(name)' has is private, and unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «UPPER(name)»",
    ],
    "which values 'u' has is private, and unknown keys need delta > 0": [
        "SELECT «UPPER(name)» AS u, COUNT(*) FROM visits GROUP BY u",
    ],
    "which values 'LN(stay)' has is private, and unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «LN(stay)»",
    ],
    "which values \"DATE_TRUNC('day', seen)\" has is private, and unknown keys need delta > 0": [
        "SELECT COUNT(*) FROM visits GROUP BY «DATE_TRUNC('day', seen)»",
    ],
    "this is the same in every row, so it makes no groups": [
        "SELECT COUNT(*) FROM visits GROUP BY «1 + 1»",
        "SELECT COUNT(*) FROM visits GROUP BY «'ward'»",
    ],
    "there is no column 3": [
        "SELECT COUNT(*) FROM visits GROUP BY «3»",
    ],
    "several sets of groups in one question are not answered": [
        "SELECT COUNT(*) FROM visits GROUP BY «ROLLUP» (ward)",
        "SELECT COUNT(*) FROM visits GROUP BY «GROUPING SETS» ((ward), ())",
        "SELECT COUNT(*) FROM visits «PIVOT» (COUNT(*) FOR ward IN ('A'))",
    ],
    "ALL, ANY and SOME are not read": [
        "SELECT COUNT(*) FROM visits WHERE age > «ALL» (SELECT 1)",
        "SELECT COUNT(*) FROM visits WHERE age = «ANY» (ARRAY[1])",
        "SELECT COUNT(«ALL» age) FROM visits",
    ],
    "groups that look alike would become one row, and how many there are is lost": [
        "SELECT DISTINCT «COUNT(*) FROM visits GROUP BY ward»",
    ],
    "DISTINCT is read only after SELECT, inside COUNT(DISTINCT ...) and in IS DISTINCT FROM": [
        "SELECT SUM(«DISTINCT» age) FROM visits",
    ],
    "several values at once are not counted": [
        "SELECT COUNT(DISTINCT «patient, ward») FROM visits",
    ],
    "a constant has one value": [
        "SELECT COUNT(DISTINCT «7») FROM visits",
    ],
    "a window looks at single rows, and here rows are counted or chosen": [
        "SELECT «COUNT(*)» OVER () FROM visits",
    ],
    "nothing in WHERE says what these tables have in common: every pair of rows would meet": [
        "SELECT COUNT(*) FROM visits, «loose»",
    ],
    "where every row is a unit, two private tables have nothing to be joined on": [
        "SELECT COUNT(*) FROM visits JOIN «loose ON visits.age = loose.x»",
    ],
    "two questions are not answered as one: each has noise and a price of its own": [
        "«SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM loose»",
    ],
    "a question inside IN or EXISTS is about the protected unit, and stands by itself among the conditions of WHERE": [
        "SELECT COUNT(*) FROM visits WHERE «age IN (SELECT x FROM loose)»",
    ],
    "whether there is any row would be told about everybody at once": [
        "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT «1 FROM loose»)",
    ],
    "columns are named where they are selected": [],
    "FILTER chooses the rows of an aggregate": [
        "SELECT «ABS(age) FILTER (WHERE age > 3)» FROM visits",
    ],
    "a sample of the rows is not taken: noise already protects all of them": [
        "SELECT COUNT(*) FROM visits «TABLESAMPLE» (10)",
        "SELECT COUNT(*) FROM visits «USING» SAMPLE 10%",
    ],
    "hints are not read": [
        "SELECT /*«+ PARALLEL(8) »*/ COUNT(*) FROM visits",
    ],
    "rows are read and never locked": [
        "SELECT COUNT(*) FROM visits «FOR» UPDATE",
    ],
    "text is compared by code point, without collations": [
        "SELECT COUNT(*) FROM visits WHERE name «COLLATE» nocase = 'a'",
    ],
    "of the ways to match text only LIKE and ILIKE are read": [
        "SELECT COUNT(*) FROM visits WHERE name «SIMILAR TO» 'a%'",
    ],
    "ESCAPE is not read": [
        "SELECT COUNT(*) FROM visits WHERE name LIKE 'a!%' «ESCAPE» '!'",
    ],
    "a pattern must be a constant text": [
        "SELECT COUNT(*) FROM visits WHERE name LIKE «sex»",
    ],
    "this pattern ends in a backslash, which needs something after it": [
        "SELECT COUNT(*) FROM visits WHERE name LIKE «'a\\'»",
    ],
    "'~' is not understood": [
        "SELECT COUNT(*) FROM visits WHERE name «~» 'a'",
    ],
    "NULLs come last": [
        "SELECT COUNT(*) AS n FROM visits ORDER BY «n» NULLS FIRST",
    ],
    "LIMIT counts rows": [
        "«SELECT COUNT(*) FROM visits LIMIT 10%»",
    ],
    "a whole number is needed here": [
        "SELECT COUNT(*) FROM visits LIMIT «age»",
        "SELECT COUNT(*) FROM visits LIMIT -«1»",
        "SELECT COUNT(*) FROM visits ORDER BY «'n'»",
    ],
    "FETCH and TOP are not read": [
        "SELECT COUNT(*) FROM visits «FETCH» FIRST 5 ROWS ONLY",
        "SELECT «TOP» 5 COUNT(*) FROM visits",
    ],
    "there is no column 4": [
        "SELECT COUNT(*) FROM visits ORDER BY «4»",
    ],
    "a list may hold constants only": [
        "SELECT COUNT(*) FROM visits WHERE age IN («age», 1)",
    ],
    "IN needs a list": [
        "SELECT COUNT(*) FROM visits WHERE age IN «change»",
    ],
    "several values in parentheses are not compared at once": [
        "SELECT COUNT(*) FROM visits GROUP BY («ward, sex»)",
        "SELECT COUNT(*) FROM visits WHERE («age, change») IN ((1, 2))",
    ],
    "this part of the question is not understood": [
        "SELECT ward, COUNT(*) FROM visits GROUP BY «ward» WITH TOTALS",
        "SELECT COUNT(age, «cost») FROM visits",
        "SELECT COUNT(*) FROM visits WHERE «age BETWEEN SYMMETRIC 3 AND 1»",
    ],
    "the table is called 'visits' here": [
        "SELECT COUNT(*) FROM visits WHERE visits.age > 1 AND «other».age > 2",
    ],
    "the table is called 'v' here": [
        "SELECT COUNT(*) FROM visits v WHERE «visits».age > 1",
    ],
    "tables are known by their name alone": [
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
    "the table 'visits' has no column 'agee'": [
        "SELECT COUNT(*) FROM visits WHERE «agee» > 5",
    ],
    "the table 'visits' has no column 'Age'": [
        'SELECT COUNT(*) FROM visits WHERE «"Age"» > 5',
    ],
    "one statement is answered at a time": [
        "SELECT COUNT(*) FROM visits; «DELETE» FROM visits",
    ],
    "two columns are named 'n'": [
        "SELECT COUNT(*) AS n, «SUM(age)» AS n FROM visits",
    ],
    "'n_low' is the name of the interval that 'n' brings with it": [
        "SELECT «COUNT(*) AS n, SUM(age) AS n_low FROM visits»",
    ],
    "the table 'visits' has no column 'n'": [
        "SELECT COUNT(*) AS n FROM visits WHERE «n» > 3",
        "SELECT COUNT(*) AS n, «n» + 1 AS m FROM visits",
    ],
    "a single row has no COUNT, SUM or AVG": [
        "SELECT COUNT(*) FROM visits WHERE «COUNT(*)» > 3",
        "SELECT SUM(«COUNT(*)») FROM visits",
    ],
    "'weight' has no declared range, so one row could change the answer by any amount": [
        "SELECT SUM(«weight») FROM visits",
        "SELECT AVG(«weight» * 2) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE «weight» + 1 > 3",
    ],
    "a value of kind text cannot be summed": [
        "SELECT SUM(«name») FROM visits",
    ],
    "a value of kind boolean cannot be summed": [
        "SELECT SUM(«smoker») FROM visits",
    ],
    "the divisor may come as close to zero as it likes, so the quotient has no bound": [
        "SELECT SUM(«age / cost») FROM visits",
    ],
    "this integer could leave 64 bits": [
        "SELECT SUM(«age * 1000000000000 * 1000000000000») FROM visits",
    ],
    "one cannot calculate with a value of kind text": [
        "SELECT SUM(age + «name») FROM visits",
    ],
    "this is always 0, so there is nothing to measure": [
        "SELECT SUM(«0 * 1») FROM visits",
    ],
    "this is the same in every row, so there is nothing to measure": [
        "SELECT AVG(«5») FROM visits",
    ],
    "NULL is never counted": [
        "SELECT «COUNT»(NULL) FROM visits",
    ],
    "nothing is counted": [
        "SELECT «COUNT»() FROM visits",
    ],
    "a condition is needed here, and this is of kind integer": [
        "SELECT COUNT(*) FROM visits WHERE «age» IS TRUE",
        "SELECT SUM(IF(«age», 1, 0)) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE «age»",
    ],
    "values of kind integer and text cannot be compared": [
        "SELECT COUNT(*) FROM visits WHERE «age = 'x'»",
    ],
    "to compare with NULL gives NULL, always": [
        "SELECT COUNT(*) FROM visits WHERE «age» = NULL",
    ],
    "'UNKNOWN' is not understood here": [
        "SELECT COUNT(*) FROM visits WHERE smoker IS «UNKNOWN»",
    ],
    "there is no such day": [
        "SELECT COUNT(*) FROM visits WHERE «day > '2025-02-30'»",
    ],
    "this is not a day": [
        "SELECT COUNT(*) FROM visits WHERE «day > '1 January'»",
    ],
    "the clock is no part of a question: the same question must mean the same tomorrow": [
        "SELECT COUNT(*) FROM visits WHERE day > «CURRENT_DATE»",
    ],
    "this interval of time is not understood": [
        "SELECT COUNT(*) FROM visits WHERE day > DATE '2025-01-01' + «INTERVAL» age DAY",
        "SELECT COUNT(*) FROM visits WHERE day > DATE '2025-01-01' + «INTERVAL» (1) DAY",
        "SELECT COUNT(*) FROM visits WHERE seen > seen + INTERVAL «'1 year 2 months'»",
        "«SELECT COUNT(*) FROM visits WHERE seen > seen + INTERVAL 1.5 DAY»",
    ],
    "this interval is longer than all of time": [
        "SELECT COUNT(*) FROM visits WHERE seen > «seen» + INTERVAL 99999 YEAR",
    ],
    "this moment lies beyond the years 1 to 9999": [
        "SELECT COUNT(*) FROM visits WHERE seen > DATE «'9999-12-01'» + INTERVAL 1 MONTH",
    ],
    "intervals are added to a day or a moment, or taken from one": [
        "SELECT COUNT(*) FROM visits WHERE seen > INTERVAL 1 DAY - «seen»",
    ],
    "an interval of time is no value of its own": [
        "«SELECT COUNT(*) FROM visits WHERE seen > INTERVAL 1 DAY»",
    ],
    "DATE_ADD needs a unit of time here": [
        "SELECT COUNT(*) FROM visits WHERE «seen» + INTERVAL 1 DECADE > seen",
    ],
    "DATE_ADD reads days and moments, and this is of kind integer": [
        "SELECT COUNT(*) FROM visits WHERE «age» + INTERVAL 1 DAY > seen",
    ],
    "DATE_TRUNC needs a unit of time here": [
        "SELECT COUNT(*) FROM visits WHERE «DATE_TRUNC('century', seen)» > seen",
    ],
    "DATE_DIFF needs a unit of time here": [
        "SELECT SUM(«DATE_DIFF('week', day, seen)») FROM visits",
    ],
    "EXTRACT needs a part of a moment here": [
        "SELECT SUM(EXTRACT(millennium FROM «seen»)) FROM visits",
    ],
    "EXTRACT reads days and moments, and this is of kind text": [
        "SELECT SUM(YEAR(«name»)) FROM visits",
    ],
    "a value of kind timestamp + one of kind integer is not understood": [
        "SELECT COUNT(*) FROM visits WHERE «seen» + 1 > seen",
    ],
    "a value of kind timestamp - one of kind timestamp is not understood": [
        "SELECT COUNT(*) FROM visits WHERE «seen» - seen > 1",
    ],
    "a value of kind date * one of kind integer is not understood": [
        "SELECT COUNT(*) FROM visits WHERE «day» * 2 > day",
    ],
    "DATE takes nothing in parentheses here": [
        "SELECT COUNT(*) FROM visits WHERE «DATE»(seen) = day",
    ],
    "DATE_ADD is not read": [
        "SELECT COUNT(*) FROM visits WHERE «DATE_ADD(seen, INTERVAL 1 DAY)» > seen",
    ],
    "ABS reads numbers, and this is of kind text": [
        "SELECT SUM(ABS(«name»)) FROM visits",
    ],
    "ROUND needs a constant number of decimals here": [
        "SELECT SUM(ROUND(cost, «age»)) FROM visits",
        "SELECT SUM(ROUND(cost, «99»)) FROM visits",
    ],
    "FLOOR, CEIL and TRUNC give whole numbers": [
        "SELECT SUM(FLOOR(cost, «1»)) FROM visits",
    ],
    "SUBSTR needs a constant place here": [
        "SELECT COUNT(*) FROM visits WHERE SUBSTR(name, «0», 3) = 'a'",
        "SELECT COUNT(*) FROM visits WHERE SUBSTR(name, «age», 3) = 'a'",
    ],
    "SUBSTR needs a constant length here": [
        "SELECT COUNT(*) FROM visits WHERE SUBSTR(name, 1, -«2») = 'a'",
    ],
    "SUBSTR takes from 2 to 3 values": [
        "SELECT COUNT(*) FROM visits WHERE «SUBSTR(name)» = 'a'",
    ],
    "LOWER reads text, and this is of kind integer": [
        "SELECT COUNT(*) FROM visits WHERE LOWER(«age») = 'a'",
    ],
    "|| reads text, and this is of kind number": [
        "SELECT COUNT(*) FROM visits WHERE name || «cost» = 'a'",
    ],
    "// reads whole numbers, and this is of kind number": [
        "SELECT SUM(«cost» // 2) FROM visits",
    ],
    "TRIM takes away spaces only": [
        "SELECT COUNT(*) FROM visits WHERE TRIM(LEADING FROM «name») = 'a'",
    ],
    "of the logarithms only those to base ten and e are answered": [
        "SELECT SUM(«LOG(2, stay)») FROM visits",
        "SELECT SUM(«LOG2(stay)») FROM visits",
    ],
    "the range of this value is not known, and one row could change the answer by any amount": [
        "SELECT SUM(«LENGTH(name)») FROM visits",
    ],
    "this number could become too large for a double": [
        "SELECT SUM(«EXP(cost)») FROM visits",
        "SELECT SUM(«POWER(cost, 1000)») FROM visits",
    ],
    "the base may come as close to zero as it likes, so that its power has no bound": [
        "SELECT SUM(«POWER(cost, -1)») FROM visits",
        "SELECT SUM(«POWER(change, change)») FROM visits",
    ],
    "COALESCE has values of different kinds: integer and text": [
        "SELECT COUNT(*) FROM visits WHERE «COALESCE(age, 'x')» = 'x'",
    ],
    "true and false have no order": [
        "SELECT COUNT(*) FROM visits WHERE «GREATEST(smoker, age > 3)»",
    ],
    "LEAST of nothing but NULL is always the same": [
        "SELECT SUM(«LEAST»(NULL, NULL)) FROM visits",
    ],
    "to calculate with NULL gives NULL, always": [
        "SELECT SUM(«ABS»(NULL)) FROM visits",
        "SELECT SUM(«NULLIF(age, NULL)») FROM visits",
    ],
    "COALESCE takes from 1 to 32 values": [
        "SELECT SUM(«COALESCE(" + "age, " * 40 + "0)») FROM visits",
    ],
    "DECIMAL takes nothing in parentheses here": [
        "SELECT SUM(CAST(cost AS «DECIMAL»(10, 2, 3))) FROM visits",
        "SELECT SUM(CAST(cost AS «DECIMAL»(cost))) FROM visits",
    ],
    "this may have more than 3 digits before the point": [
        "SELECT SUM(CAST(«cost» AS DECIMAL(5, 2))) FROM visits",
        "SELECT COUNT(CAST(«weight» AS DECIMAL(5, 2))) FROM visits",
    ],
    "there is no such DECIMAL here": [
        "SELECT SUM(CAST(«cost» AS DECIMAL(39, 2))) FROM visits",
    ],
    "only numbers are cast to DECIMAL": [
        "SELECT SUM(CAST(«name» AS DECIMAL(5, 2))) FROM visits",
    ],
    "FLOAT and REAL keep seven digits only, and numbers are doubles here": [
        "SELECT SUM(CAST(«cost» AS REAL)) FROM visits",
        "SELECT SUM(«cost»::FLOAT) FROM visits",
    ],
    "this format of a moment is not read": [
        "SELECT COUNT(*) FROM visits WHERE «STRFTIME(day, '%c')» = '1'",
        "SELECT COUNT(*) FROM visits WHERE «STRFTIME(day, '100%')» = '1'",
        "SELECT COUNT(*) FROM visits WHERE «TO_CHAR(day, 'Month')» = '1'",
    ],
    "the format of a moment is a constant text": [
        "SELECT COUNT(*) FROM visits WHERE «STRFTIME(day, name)» = '1'",
    ],
    "REPLACE needs constant texts: what is replaced, and by what": [
        "SELECT COUNT(*) FROM visits WHERE REPLACE(name, «ward», '') = 'b'",
        "SELECT COUNT(*) FROM visits WHERE REPLACE(name, «''», 'a') = 'b'",
    ],
    "what a text holds must be a constant": [
        "SELECT COUNT(*) FROM visits WHERE CONTAINS(name, «ward»)",
    ],
    "RIGHT needs a constant length here": [
        "SELECT COUNT(*) FROM visits WHERE RIGHT(name, «age») = 'b'",
        "SELECT COUNT(*) FROM visits WHERE RIGHT(name, -«1») = 'b'",
    ],
    "the type SMALLINT is not read": [
        "SELECT SUM(CAST(«cost» AS SMALLINT)) FROM visits",
    ],
    "a value of kind number cannot be cast to text": [
        "SELECT COUNT(*) FROM visits WHERE CAST(«cost» AS VARCHAR) = '1'",
    ],
    "MODE is none of the functions that are answered": [
        "SELECT «MODE(age)» FROM visits",
    ],
    "REVERSE is none of the functions that are answered": [
        "SELECT COUNT(*) FROM visits WHERE «REVERSE(name)» = 'b'",
    ],
    "mystery is none of the functions that are answered": [
        "SELECT «mystery(age)» FROM visits",
    ],
    "^ and ** do not mean a power to everybody": [
        "SELECT SUM(age «^» 2) FROM visits",
        "SELECT SUM(age «**» 2) FROM visits",
    ],
    "'$' is not understood": [
        "SELECT COUNT(*) FROM visits WHERE age > «$»1",
    ],
    "'?' is not understood": [
        "SELECT COUNT(*) FROM visits WHERE age > «?»",
    ],
    "a number runs into a name": [
        "SELECT COUNT(*) FROM visits WHERE age > 0«x10»",
    ],
    "this integer does not fit into 64 bits": [
        "SELECT COUNT(*) FROM visits WHERE age > «99999999999999999999»",
    ],
    "'a' is not understood": [
        "SELECT COUNT(*) FROM visits WHERE name = «E'a'»",
    ],
    "texts are not joined": [
        "SELECT COUNT(*) FROM visits WHERE name = «'a'» 'b'",
    ],
    "'+' is not understood here": [
        "SELECT COUNT(*) FROM visits WHERE age > «+»3",
    ],
    "an answer is not written into a table": [
        "SELECT COUNT(*) «INTO» t FROM visits",
    ],
    "a parenthesis is not opened or not closed": [
        "«SELECT COUNT(*) FROM visits WHERE EXTRACT(year FROM day = 2025»",
        "«SELECT COUNT(*) FROM visits WHERE SUBSTRING(name, 2 = 'a'»",
    ],
    "')' is missing before this": [
        "SELECT COUNT(* «FROM» visits",
    ],
    "a quotation mark or a comment is not closed": [
        "«SELECT COUNT(*) FROM visits WHERE name = 'a»",
    ],
    "this is not SQL that can be read": [
        "SELECT COUNT(*) FROM visits «WHERE»",
        "SELECT COUNT(*) FROM visits WHERE age > «AND» 3",
    ],
    "the branches of this CASE are of different kinds: integer and text": [
        "SELECT SUM(CASE WHEN «age > 3 THEN 'a' ELSE 1» END) FROM visits",
    ],
    "every branch of this CASE is NULL": [
        "SELECT SUM(CASE WHEN «age > 3» THEN NULL END) FROM visits",
    ],
    "this is not understood": [
        "SELECT SUM(«age ORDER BY cost») FROM visits",
    ],
    "':' is not understood": [
        "SELECT n«:» COUNT(*) FROM visits",
    ],
}
CASES = [(reason, statement) for reason, statements in REFUSED.items() for statement in statements]


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
        "'age' is not a key: a group has many values of it",
        "  SELECT ward, age, COUNT(*)",
        "               ^^^",
        "add it to GROUP BY, or ask for COUNT, SUM or AVG of age",
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
