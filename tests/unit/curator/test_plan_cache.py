"""What a text was read as is remembered as long as it means the same, and no longer."""

from dataclasses import replace

import pytest

from tacit.curator import Shared
from tacit.curator.plan_cache import PlanCache
from tacit.errors import InvalidPlan
from tacit.plan import NO_PARAMETERS, Column, Kind, Table, freeze_parameters, read_asked

VISITS = Table(
    "visits",
    (Column("age", Kind.INTEGER, 0, 120), Column("name", Kind.TEXT), Column("ok", Kind.BOOLEAN)),
    unit="patient",
)
TABLES = {"visits": Shared(VISITS, 3)}
TEXT = "SELECT SUM(age) AS n FROM visits"


def anew(text, tables, bound=NO_PARAMETERS, *, finding=False):
    asked = {name: shared.asked_table for name, shared in tables.items()}
    return read_asked(text, asked, finding=finding, bound=bound)


def test_the_same_text_is_read_once():
    cache = PlanCache()
    first = cache.read(TEXT, TABLES, NO_PARAMETERS, finding=False)
    assert cache.read(TEXT, dict(TABLES), NO_PARAMETERS, finding=False) is first
    assert first == anew(TEXT, TABLES)


@pytest.mark.parametrize(
    "other",
    [
        {"visits": Shared(VISITS, 4)},
        {"visits": Shared(replace(VISITS, columns=(Column("age", Kind.INTEGER, 0, 99),)), 3)},
    ],
    ids=["contributions", "bounds"],
)
def test_what_the_policy_changes_is_read_anew(other):
    cache = PlanCache()
    cache.read(TEXT, TABLES, NO_PARAMETERS, finding=False)
    assert cache.read(TEXT, other, NO_PARAMETERS, finding=False) == anew(TEXT, other)
    assert cache.read(TEXT, TABLES, NO_PARAMETERS, finding=False) == anew(TEXT, TABLES)


def test_values_that_are_equal_and_mean_different_things_are_told_apart():
    cache, text = PlanCache(), "SELECT COUNT(*) AS n FROM visits WHERE age = ?"
    for value in (1, 1.0, True, "1", 2):
        bound = freeze_parameters([value])
        try:
            expected = anew(text, TABLES, bound)
        except InvalidPlan:
            with pytest.raises(InvalidPlan):
                cache.read(text, TABLES, bound, finding=False)
            continue
        assert cache.read(text, TABLES, bound, finding=False) == expected


def test_whether_keys_may_be_found_is_a_part_of_the_question():
    cache, text = PlanCache(), "SELECT name, COUNT(*) AS n FROM visits GROUP BY name"
    cache.read(text, TABLES, NO_PARAMETERS, finding=True)
    with pytest.raises(InvalidPlan, match="unknown keys need delta"):
        cache.read(text, TABLES, NO_PARAMETERS, finding=False)


def test_it_forgets_what_was_not_asked_for_longest():
    cache = PlanCache(most=2)
    texts = [f"{TEXT} LIMIT {n}" for n in range(1, 4)]
    first, second, third = (cache.read(t, TABLES, NO_PARAMETERS, finding=False) for t in texts)
    assert len(cache) == 2
    assert cache.read(texts[2], TABLES, NO_PARAMETERS, finding=False) is third
    assert cache.read(texts[1], TABLES, NO_PARAMETERS, finding=False) is second
    again = cache.read(texts[0], TABLES, NO_PARAMETERS, finding=False)
    assert again == first
    assert again is not first
