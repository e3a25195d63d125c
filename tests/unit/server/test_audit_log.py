"""A line has a time, an event and fields of a closed list; the file is its owner's alone."""

import json
import re

import pytest

from tacit.exact import at_least
from tacit.server.audit_log import AuditLog, place_of


def test_lines_are_appended_to_a_file_that_only_its_owner_reads(tmp_path):
    file = tmp_path / "audit.jsonl"
    AuditLog.at(file).note("asked", identity="ana", share=0.5, entry=None)
    AuditLog.at(file).note("stopped")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["asked", "stopped"]
    assert lines[0].keys() == {"at", "event", "identity", "share"}
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("field", ["sql", "text", "password", "token", "answer", "rows"])
def test_a_field_that_could_hold_a_secret_is_a_mistake(field):
    with pytest.raises(AssertionError, match=field):
        AuditLog(lambda _: None).note("asked", **{field: "x"})


def test_an_event_that_nobody_knows_is_a_mistake():
    with pytest.raises(AssertionError):
        AuditLog(lambda _: None).note("hacked")


def test_names_cannot_break_out_of_their_line():
    lines = []
    AuditLog(lines.append).note("added", about='x"\n{"event": "asked"}\x1b[2J')
    assert "\n" not in lines[0]
    assert "\x1b" not in lines[0]
    assert json.loads(lines[0])["event"] == "added"


def test_a_mistake_is_noted_by_its_place_and_not_by_what_it_says():
    canary = "canary4711"
    with pytest.raises(Exception, match=canary) as raised:
        at_least(canary, canary)
    place = place_of(raised.value)
    assert re.fullmatch(r"exact/[a-z_]+\.py:\d+", place)
    assert canary not in place
    assert place_of(RuntimeError(canary)) is None


def test_a_library_in_a_folder_of_our_name_is_not_our_source():
    library = {}
    exec(
        compile("def fail():\n    raise KeyError", "elsewhere/tacit/lib/router.py", "exec"), library
    )
    with pytest.raises(KeyError) as raised:
        library["fail"]()
    assert place_of(raised.value) is None
