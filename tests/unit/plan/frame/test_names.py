"""A frame shows what it can do, and answers to the names of other libraries with its own."""

import copy
from types import ModuleType

import pytest

import tacit
from tacit.plan import Column, Frame, Kind, Table

VISITS = Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),))


def test_what_is_listed_can_be_called():
    listed = dir(Frame(VISITS))
    assert {"where", "group_by", "agg", "ask", "top"} <= set(listed)
    assert all(callable(getattr(Frame(VISITS), name)) for name in listed)
    fields = {"asker", "kept", "most", "skipped", "finding", "conditions"}
    assert fields.isdisjoint(listed)


def test_no_step_is_missing_from_the_list():
    steps = {
        name for name, value in vars(Frame).items() if callable(value) and not name.startswith("_")
    }
    assert steps == set(dir(Frame(VISITS)))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("filter", "where"),
        ("groupby", "group_by"),
        ("collect", "ask"),
        ("explain", "vault.explain"),
        ("with_columns", "agg"),
    ],
)
def test_the_names_of_other_libraries_lead_to_ours(name, meant):
    with pytest.raises(AttributeError, match=f"a frame has no '{name}': here it is {meant}"):
        getattr(Frame(VISITS), name)


def test_a_column_says_how_it_is_used():
    column = VISITS.columns[0].name
    with pytest.raises(
        AttributeError, match=rf'use the column in a step, .* group_by\("{column}"\)'
    ):
        getattr(Frame(VISITS), column)


def test_other_names_are_just_missing():
    with pytest.raises(AttributeError, match=r"^a frame has no 'wards'$"):
        Frame(VISITS).wards  # noqa: B018
    assert copy.copy(Frame(VISITS)).table == VISITS


def test_the_package_lists_its_public_names_and_rooms_alone():
    listed = {name for name in dir(tacit) if not name.startswith("_")}
    rooms = {name for name in listed if isinstance(getattr(tacit, name), ModuleType)}
    assert rooms == {"accounting", "audit", "learn", "local", "mechanisms", "privacy", "synth"}
    public = {name for name in tacit.__all__ if not name.startswith("_")}
    assert listed - rooms == public | {"max", "min", "open", "sum"}
