"""Frames beyond one table: the same questions as in SQL."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Frame, canonical, col, count, fingerprint, mean, read_sql, sum, units  # noqa: A004
from tests.laws.clinic import DOSES, PATIENTS, ROOMS, STATIONS, TABLES, TRIPS, VISITS

VISIT, PATIENT, DOSE, STATION = Frame(VISITS), Frame(PATIENTS), Frame(DOSES), Frame(STATIONS)

SAME = {
    "SELECT AVG(s) AS m FROM (SELECT patient, SUM(cost) AS s FROM visits GROUP BY patient)": (
        VISIT.per_unit(s=sum("cost")).agg(m=mean("s"))
    ),
    "SELECT ward, AVG(s) AS m FROM (SELECT patient, ward, SUM(cost) AS s, COUNT(*) AS k FROM visits WHERE stay > 1 "
    "GROUP BY patient, ward) WHERE k > 2 GROUP BY ward": (
        VISIT.where(col("stay") > 1)
        .per_unit("ward", s=sum("cost"), k=count())
        .where(col("k") > 2)
        .group_by("ward")
        .agg(m=mean("s"))
    ),
    "SELECT sex, COUNT(*) AS n FROM visits JOIN patients ON patient = id WHERE age > 60 GROUP BY sex": (
        VISIT.join(PATIENT).where(col("age") > 60).group_by("sex").agg(n=count())
    ),
    "SELECT COUNT(DISTINCT patient) AS u FROM visits JOIN stations USING (ward) WHERE floor > 1": (
        VISIT.join(STATION, on="ward").where(col("floor") > 1).agg(u=units())
    ),
    "SELECT COUNT(*) AS n FROM patients WHERE id NOT IN (SELECT patient FROM visits WHERE urgent)": (
        PATIENT.not_among(VISIT.where(col("urgent"))).agg(n=count())
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE patient IN (SELECT person FROM doses)": VISIT.among(
        DOSE
    ).agg(n=count()),
    "SELECT COUNT(*) AS n FROM (SELECT patient, ward FROM visits UNION ALL SELECT id, ward FROM patients)": (
        VISIT.stack(PATIENT).agg(n=count())
    ),
}


@pytest.mark.parametrize(("text", "frame"), SAME.items(), ids=list(SAME))
def test_both_doors_lead_to_the_same_question(text, frame):
    plan = read_sql(text, TABLES)
    assert canonical(frame.plan()).question == canonical(plan).question
    assert fingerprint(frame.plan().question) == fingerprint(plan.question)


def test_names_that_clash_are_called_by_their_table():
    frame = VISIT.join(PATIENT, outer=True).where(col("patients.ward") == "A").agg(n=count())
    assert frame.plan().question.rows.condition.left.column.nullable


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: VISIT.join(STATION), "no join condition connects these tables"),
        (lambda: STATION.join(VISIT, on="ward"), "start with the private table"),
        (lambda: STATION.join(VISIT, on="ward", outer=True), "write private LEFT JOIN public"),
        (lambda: Frame(TRIPS).join(Frame(ROOMS), on="ward"), "declared unique"),
        (lambda: Frame(TRIPS).join(VISIT), "two private tables in which every row is"),
        (lambda: Frame(TRIPS).per_unit(n=count()), "every row is a unit"),
        (lambda: VISIT.stack(STATION), "combine rows of the same unit"),
        (lambda: VISIT.among(STATION), "compares units"),
        (lambda: VISIT.agg(n=count()).join(PATIENT), "combine rows before group_by"),
        (lambda: VISIT.join(PATIENT.group_by("sex")), "combine rows before group_by"),
        (lambda: VISIT.per_unit("patient", n=count()), "is the protected unit"),
        (lambda: VISIT.per_unit(s=sum("visit")), "has no declared bounds, so one row could"),
        (lambda: VISIT.join(VISIT), "two tables have the name"),
    ],
)
def test_what_would_bring_units_together_is_refused(build, reason):
    with pytest.raises(InvalidPlan, match=reason):
        build()
