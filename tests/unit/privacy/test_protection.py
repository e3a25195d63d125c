"""Who is protected."""

import dataclasses
import pickle

import pytest

from tacit.errors import InvalidInput
from tacit.privacy import Neighbours, Protection


def test_replacing_is_removing_and_adding():
    assert Neighbours.REPLACE.steps == 2
    assert Neighbours.ADD_OR_REMOVE.steps == 1


def test_relations_are_called_by_their_names():
    assert Neighbours("replace") is Neighbours.REPLACE
    assert Neighbours("add-or-remove") is Neighbours.ADD_OR_REMOVE
    assert len(Neighbours) == 2


def test_a_unit_may_be_added_or_removed_unless_it_is_said_otherwise():
    assert Protection("patient").neighbours is Neighbours.ADD_OR_REMOVE


@pytest.mark.parametrize("unit", ["", None, 1, True, b"patient", ["patient"], float("nan")])
def test_a_unit_has_a_name(unit):
    with pytest.raises(InvalidInput, match=r"^unit (cannot be .*|is missing); name the column"):
        Protection(unit)


@pytest.mark.parametrize("neighbours", ["Replace", "", None, 1, True, Neighbours])
def test_a_relation_is_one_of_two(neighbours):
    with pytest.raises(
        InvalidInput, match=r'^neighbours (cannot be .*|is missing); give "add-or-remove"'
    ):
        Protection("patient", neighbours)


def test_a_protection_is_a_frozen_value():
    protection = Protection("patient", Neighbours.REPLACE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        protection.unit = "row"
    assert (
        pickle.loads(pickle.dumps(protection))
        == protection
        == Protection("patient", Neighbours.REPLACE)
    )
    assert hash(protection) == hash(Protection("patient", Neighbours.REPLACE))
    assert protection != Protection("patient")


@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_relation_may_be_given_by_its_name(neighbours):
    named = Protection("patient", neighbours.value)
    assert named == Protection("patient", neighbours)
    assert named.neighbours is neighbours
