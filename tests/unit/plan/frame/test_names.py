"""A frame shows what it can do, and answers to the names of other libraries with its own."""

import copy
from types import ModuleType

import pytest

import tacit
from tacit.plan import Column, Frame, Kind, Table
from tacit.plan.frame.names_elsewhere import AGGREGATES, OF_FRAMES, OF_TERMS, SHOWN_ROWS

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
        ("count", r"\.agg\(n=tacit\.count\(\)\)"),
        ("avg", r'\.agg\(m=tacit\.mean\("cost"\)\)'),
        ("corr", r'\.agg\(c=tacit\.correlation\("age", "cost"\)\)'),
        ("quantile", r'\.agg\(m=tacit\.quantile\("cost", 0\.9\)\)'),
        ("to_pandas", r"ask\(epsilon=…\)\.to_pandas\(\)"),
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


def test_no_name_of_ours_is_said_to_be_called_otherwise():
    assert not OF_FRAMES.keys() & set(dir(Frame(VISITS)))
    assert not OF_TERMS.keys() & {name for name in dir(tacit.col("a")) if name[0] != "_"}
    assert not SHOWN_ROWS & OF_FRAMES.keys()
    for ours in AGGREGATES.values():
        assert callable(getattr(tacit, ours.removeprefix("tacit.")))


def test_rows_are_not_shown_whatever_the_step_is_called():
    with pytest.raises(AttributeError, match="single rows are never shown"):
        Frame(VISITS).tail(3)


@pytest.mark.parametrize(
    ("name", "meant"), [("isin", "is_in"), ("mean", "tacit.mean"), ("desc", "descending")]
)
def test_expressions_lead_from_other_names_to_ours(name, meant):
    with pytest.raises(AttributeError, match=rf"an expression has no '{name}': here it is {meant}"):
        getattr(tacit.col("age"), name)
    with pytest.raises(AttributeError, match=r"^an expression has no 'wards'$"):
        tacit.col("age").wards  # noqa: B018


def test_the_package_leads_from_other_names_of_aggregates_to_ours():
    with pytest.raises(AttributeError, match=r"has no attribute 'avg': here it is tacit\.mean$"):
        tacit.avg  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'wards'$"):
        tacit.wards  # noqa: B018


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
