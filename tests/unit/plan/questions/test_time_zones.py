"""What clocks show: by the IANA table, between the bounds of a moment, and refused where nobody knows."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, compile_expression, plain, read_sql
from tacit.plan.questions.time_zones import changes_of

LOW, HIGH = datetime(2023, 1, 1), datetime(2025, 12, 31, 23)  # noqa: DTZ001 - UTC
TABLES = {
    "t": Table(
        "t",
        (
            Column("s", Kind.TIMESTAMP, LOW, HIGH),
            Column("r", Kind.TIMESTAMP),
            Column("x", Kind.NUMBER, 0, 1),
            Column("old", Kind.TIMESTAMP, datetime(1900, 1, 1), datetime(2090, 1, 1)),  # noqa: DTZ001
        ),
    )
}


def local(text):
    """What an expression gives for a moment of s."""
    plan = read_sql(f"SELECT COUNT(*) AS n FROM t WHERE ({text}) IS NOT NULL", TABLES)
    value = compile_expression(plan.question.rows.condition.operand.operand)

    def at(moment):
        found = value({"s": plain(moment, Kind.TIMESTAMP), "r": plain(moment, Kind.TIMESTAMP)})
        return None if found is None else datetime(1970, 1, 1) + timedelta(microseconds=found)  # noqa: DTZ001

    return at


ZONES = ["Europe/Berlin", "America/New_York", "Africa/Casablanca", "Australia/Lord_Howe", "UTC"]


@pytest.mark.parametrize("zone", ZONES)
def test_clocks_show_what_the_zone_says(zone):
    at = local(f"s AT TIME ZONE '{zone}'")
    first, changes = changes_of(zone, _second(LOW), _second(HIGH))
    edges = [datetime(1970, 1, 1) + timedelta(seconds=second) for second, _ in changes]  # noqa: DTZ001
    tried = [LOW + timedelta(hours=n * 37 + 1 / 7) for n in range(700)]
    tried += [edge + timedelta(microseconds=d) for edge in edges for d in (-1, 0, 1)]
    for moment in tried:
        there = moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        assert at(moment) == there, moment
    assert first == ZoneInfo(zone).utcoffset(LOW).total_seconds()


def _second(moment):
    return int(moment.replace(tzinfo=UTC).timestamp())


def test_two_zones_in_a_row_are_those_of_a_moment_without_one():
    at = local("s AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'")
    assert at(datetime(2024, 1, 1)) == datetime(2024, 1, 1, 9)  # noqa: DTZ001


def test_utc_needs_no_bounds():
    assert local("r AT TIME ZONE 'UTC'")(datetime(1, 1, 1)) == datetime(1, 1, 1)  # noqa: DTZ001


def test_the_zones_of_a_century_are_read():
    assert read_sql("SELECT COUNT(*) AS n FROM t WHERE old AT TIME ZONE 'Asia/Tokyo' > s", TABLES)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("r AT TIME ZONE 'Europe/Berlin'", "between the bounds of this timestamp are not known"),
        ("s AT TIME ZONE 'Europe/Atlantis'", "no time zone"),
        ("s AT TIME ZONE '../../etc/passwd'", "no time zone"),
        ("s AT TIME ZONE '/etc/localtime'", "no time zone"),
        ("s AT TIME ZONE ''", "no time zone"),
        ("x AT TIME ZONE 'UTC'", "takes a timestamp"),
        ("s AT TIME ZONE s", "the zone must be a constant"),
        ("old AT TIME ZONE 'Europe/Berlin'", "clocks change more than 200 times"),
    ],
)
def test_what_is_not_known_is_refused(text, reason):
    with pytest.raises(InvalidPlan, match=reason) as refusal:
        read_sql(f"SELECT COUNT(*) AS n FROM t WHERE ({text}) IS NOT NULL", TABLES)
    assert refusal.value.remedy
