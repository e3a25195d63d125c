"""Every planted bug is killed by the test it names; that it passes on the sound source is shown by its own run."""

import pytest

from tests.teeth.bug import ROOT, all_bugs, replaced, rooms_with_bugs

BUGS = all_bugs()
KILLERS = {(bug.killed_by, bug.file): bug.environment for bug in BUGS}


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_killed(bug, tried):
    # or says why the bug does not fit any more
    replaced(bug, (ROOT / bug.file).read_text(encoding="utf-8"))
    verdict = tried(bug.killed_by, bug)
    assert verdict.kills(bug), f"{bug.note}\n{verdict.in_words()}"


@pytest.mark.soak  # in the same process as the bugs: `make teeth` does so, too
@pytest.mark.parametrize(("test", "file"), sorted(KILLERS))
def test_the_killer_passes_on_the_sound_source(test, file, tried):
    verdict = tried(test, environment=KILLERS[test, file], renewed=file)
    assert verdict.passes, verdict.in_words()


def test_bugs_have_different_names():
    names = [bug.name for bug in BUGS]
    assert len(names) == len(set(names))


def test_bugs_are_filed_under_their_room_or_under_what_they_are_about():
    rooms = {
        file: bugs
        for file, bugs in rooms_with_bugs().items()
        if (ROOT / "src" / "tacit" / file).is_dir()
    }
    assert len(rooms) >= 10
    misfiled = [bug.name for room, bugs in rooms.items() for bug in bugs if bug.room != room]
    assert not misfiled
