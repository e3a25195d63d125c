"""Every public name is explained where it is defined and where users look."""

import importlib.util

from docs.reference import explained, public_names, reference, rooms
from tests.docs.sources import ROOT

NAMES = [(room, name) for room in rooms() for name in public_names(importlib.import_module(room))]


def test_a_room_says_which_of_its_names_are_public():
    listed = {room: public_names(importlib.import_module(room)) for room in rooms()}
    assert [room for room, names in listed.items() if not names] == []
    assert [room for room, names in listed.items() if len(set(names)) < len(names)] == []


def test_a_public_name_has_a_docstring():
    assert len(NAMES) > 400
    assert [
        (room, name) for room, name in NAMES if not explained(importlib.import_module(room), name)
    ] == []


def test_the_reference_is_what_the_docstrings_say():
    written = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert written == reference(), "docs/reference.md is out of date: run `make reference`"


def test_a_name_without_a_docstring_is_caught(tmp_path):
    file = tmp_path / "sample.py"
    file.write_text(
        "from dataclasses import dataclass\n"
        "def bare(): pass\n"
        "@dataclass\nclass Point:\n    x: int\n"
        "class Kind(Exception): pass\n"
        "BITS = 1\n"
        "WORD = 2\n'The bits of a word.'\n"
        "def good():\n    '''The sum, rounded up. With e.g. a remark.\n\n    More.'''\n"
    )
    specification = importlib.util.spec_from_file_location("sample", file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert explained(module, "good") == "The sum, rounded up."
    assert explained(module, "WORD") == "The bits of a word."
    assert [explained(module, name) for name in ("bare", "Point", "Kind", "BITS")] == [
        "",
        "",
        "",
        "",
    ]
