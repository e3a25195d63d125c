"""Questions that analysts would write mean what they mean in DuckDB, where nothing is clipped and noise is off."""

import pytest

from tacit.curator import Limit
from tacit.plan import Summed, canonical, fingerprint, in_words, read_sql
from tests.laws import clinic
from tests.together import together

# Each has named columns; the keys come first.
TEXTS = """
SELECT COUNT(*) AS n FROM (SELECT * FROM visits WHERE urgent) AS u

SELECT SUM(double) AS s FROM (SELECT patient, cost * 2 AS double FROM visits) t WHERE double > 100

SELECT ward, COUNT(*) AS n FROM (SELECT patient, ward, stay FROM visits WHERE stay > 0) GROUP BY ward

WITH long AS (SELECT patient, ward, stay FROM visits WHERE stay >= 2) SELECT ward, AVG(stay) AS m FROM long GROUP BY
ward

WITH a AS (SELECT patient, cost FROM visits), b AS (SELECT patient, cost / 2 AS half FROM a) SELECT SUM(half) AS s,
COUNT(DISTINCT patient) AS p FROM b

SELECT COUNT(DISTINCT who) AS n FROM (SELECT patient AS who FROM visits WHERE ward = 'A')

SELECT AVG(s) AS m FROM (SELECT patient, SUM(cost) AS s FROM visits GROUP BY patient)

SELECT COUNT(*) AS n FROM (SELECT patient, COUNT(*) AS k FROM visits GROUP BY patient HAVING COUNT(*) >= 3)

SELECT SUM(k) AS s, AVG(longest) AS t FROM (SELECT patient, COUNT(stay) AS k, MAX(stay) AS longest FROM visits GROUP
BY 1) x

SELECT ward, AVG(s) AS m, COUNT(*) AS n FROM (SELECT patient, ward, SUM(cost) AS s FROM visits GROUP BY patient,
ward) GROUP BY ward

SELECT AVG(mean) AS m FROM (SELECT patient, AVG(stay) AS mean FROM visits GROUP BY patient)

SELECT AVG(spread) AS m FROM (SELECT patient, MAX(cost) - MIN(cost) AS spread FROM visits GROUP BY patient)

SELECT SUM(wards) AS s FROM (SELECT patient, COUNT(DISTINCT ward) AS wards FROM visits GROUP BY patient)

SELECT AVG(share) AS m FROM (SELECT patient, SUM(CASE WHEN urgent THEN 1 ELSE 0 END) / COUNT(*) AS share FROM visits
GROUP BY patient)

SELECT COUNT(*) AS n FROM (SELECT patient, stay % 2 AS odd, COUNT(*) AS k FROM visits GROUP BY patient, stay % 2)
WHERE odd = 1 AND k > 1

SELECT AVG(weeks) AS m FROM (SELECT patient, SUM(days) AS weeks FROM (SELECT patient, day, SUM(stay) AS days FROM
visits GROUP BY patient, day) GROUP BY patient)

SELECT COUNT(*) AS n, SUM(x) AS s FROM (SELECT patient, cost AS x FROM visits UNION ALL SELECT person, mg FROM
doses)

SELECT ward, COUNT(*) AS n FROM (SELECT patient, ward FROM visits UNION ALL SELECT id, ward FROM patients) GROUP BY
ward

SELECT COUNT(*) AS n FROM (SELECT ward FROM visits UNION ALL SELECT ward FROM visits UNION ALL SELECT ward FROM
patients)

SELECT SUM(km) AS s FROM (SELECT km FROM trips UNION ALL SELECT km FROM trips WHERE ward = 'A')

SELECT sex, AVG(cost) AS m FROM visits JOIN patients ON visits.patient = patients.id GROUP BY sex

SELECT p.sex, COUNT(*) AS n FROM visits AS v JOIN patients AS p ON p.id = v.patient AND p.age >= 18 GROUP BY p.sex

SELECT p.ward, COUNT(*) AS n FROM visits v JOIN patients p ON v.patient = p.id WHERE v.ward = p.ward GROUP BY p.ward

SELECT v.ward, COUNT(*) AS n, COUNT(p.age) AS k FROM visits v LEFT JOIN patients p ON v.patient = p.id GROUP BY
v.ward

SELECT SUM(CASE WHEN v.cost IS NULL THEN 1 ELSE 0 END) AS s FROM visits v RIGHT JOIN patients p ON v.patient = p.id

SELECT COUNT(*) AS n, SUM(mg) AS s FROM visits v JOIN doses d ON d.visit = v.visit WHERE v.urgent

SELECT drug, COUNT(DISTINCT v.patient) AS n FROM visits v JOIN doses d ON v.patient = d.person GROUP BY drug

SELECT COUNT(*) AS n FROM visits a JOIN visits b ON a.patient = b.patient AND a.ward = b.ward AND a.visit < b.visit

SELECT floor, COUNT(*) AS n FROM visits JOIN stations USING (ward) GROUP BY floor

SELECT floor, SUM(km) AS s FROM trips t JOIN stations s ON s.ward = t.ward GROUP BY floor

SELECT COUNT(*) AS n, SUM(beds) AS s FROM visits v LEFT JOIN rooms r ON r.ward = v.ward AND r.beds > 1

SELECT s.floor, AVG(p.age) AS m FROM stations s JOIN visits v ON v.ward = s.ward JOIN patients p ON p.id = v.patient
GROUP BY s.floor

SELECT sex, AVG(s) AS m FROM patients p JOIN (SELECT patient, SUM(cost) AS s FROM visits GROUP BY patient) AS t ON
t.patient = p.id GROUP BY sex

SELECT COUNT(*) AS n FROM visits WHERE patient IN (SELECT id FROM patients WHERE sex = 'f')

SELECT COUNT(*) AS n FROM patients WHERE id NOT IN (SELECT patient FROM visits WHERE urgent) AND age > 30

SELECT COUNT(*) AS n FROM patients p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.patient = p.id AND v.ward = 'B')

SELECT sex, COUNT(*) AS n FROM patients WHERE NOT EXISTS (SELECT * FROM visits WHERE patient = patients.id) GROUP BY
sex

SELECT AVG(cost) AS m FROM visits WHERE patient IN (SELECT patient FROM visits GROUP BY patient HAVING COUNT(*) > 2)

SELECT COUNT(*) AS n FROM visits WHERE (patient IN (SELECT person FROM doses WHERE drug = 'x') AND stay > 0) AND NOT
(patient IN (SELECT person FROM doses WHERE drug = 'y'))

SELECT f, COUNT(*) AS n FROM (SELECT FIRST_VALUE(ward) OVER (PARTITION BY patient ORDER BY day, visit) AS f,
ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day, visit) AS k FROM visits) WHERE k = 1 GROUP BY f

SELECT f, COUNT(*) AS n FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day, visit) AS k,
FIRST_VALUE(ward) OVER (PARTITION BY patient ORDER BY day, visit) AS f FROM visits) WHERE k = 2 GROUP BY f

SELECT ward, COUNT(*) AS n FROM (SELECT ward, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day, visit) AS k FROM
visits) WHERE k = 1 GROUP BY ward

SELECT AVG(change) AS m FROM (SELECT patient, stay - LAG(stay) OVER (PARTITION BY patient ORDER BY visit) AS change
FROM visits)

SELECT SUM(share) AS s FROM (SELECT cost / (SUM(cost) OVER (PARTITION BY patient) + 1) AS share FROM visits)

SELECT COUNT(*) AS n FROM (SELECT stay, AVG(stay) OVER (PARTITION BY patient) AS usual FROM visits) WHERE stay >
usual

SELECT COUNT(*) AS n FROM (SELECT RANK() OVER (PARTITION BY patient, ward ORDER BY stay DESC) AS r FROM visits)
WHERE r <= 2

SELECT SUM(so_far) AS s FROM (SELECT COUNT(*) OVER (PARTITION BY patient ORDER BY stay) AS so_far FROM visits)

SELECT next, COUNT(*) AS n FROM (SELECT LEAD(ward, 2) OVER (PARTITION BY patient ORDER BY visit) AS next FROM
visits) GROUP BY next

SELECT SUM(most - stay) AS s FROM (SELECT stay, MAX(stay) OVER (PARTITION BY patient) AS most, MIN(cost) OVER
(PARTITION BY patient ORDER BY visit) AS least FROM visits) WHERE least < 2500
"""
STATEMENTS = [" ".join(text.split()) for text in TEXTS.split("\n\n")]
ROWS = clinic.rows()


@pytest.fixture(scope="module")
def engines():
    connection = clinic.plain(ROWS)
    vaults = [clinic.vault(limit, ROWS) for limit in (Limit(10**6), Limit(10**6, 1e-9))]
    yield connection, vaults
    connection.close()


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_means_what_it_means_in_duckdb(engines, statement):
    connection, vaults = engines
    result = connection.execute(statement)
    names = [column[0] for column in result.description]
    plan = read_sql(statement, clinic.TABLES)
    keys = len(plan.question.keys)
    wanted = {row[:keys]: row[keys:] for row in result.fetchall() if None not in row[:keys]}
    for vault in vaults:
        with clinic.no_noise():
            release = vault.sql(statement, epsilon=10**4, raw=True)
        found = [tuple(row[name] for name in names) for row in release]
        assert set(wanted) <= {row[:keys] for row in found}
        for row in found:
            right = wanted.get(row[:keys], (None,) * (len(row) - keys))
            for number, true in zip(row[keys:], right, strict=True):
                # an empty group: a sum or count of nothing is nothing, and has no mean
                if true is None:
                    assert number is None or abs(number) < 1e-6
                else:
                    assert number == pytest.approx(true, rel=1e-5, abs=_coarseness(plan))


def _coarseness(plan):
    """How far sums may be off that are taken in whole steps of the grid, over some hundred rows."""
    steps = [
        measure.step
        for measure in plan.question.measures
        if isinstance(measure, Summed) and measure.step < 1
    ]
    return float(300 * max(steps, default=0)) + 1e-4


@together
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_can_be_said_in_words_and_has_one_canonical_form(statement):
    plan = read_sql(statement, clinic.TABLES)
    assert in_words(plan)
    assert canonical(canonical(plan)) == canonical(plan)
    assert fingerprint(canonical(plan).question) == fingerprint(plan.question)
