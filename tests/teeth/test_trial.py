"""The harness itself: what counts as a kill and, more to the point, what does not."""

import dataclasses

import pytest

from tests.teeth.bug import Bug, Unplantable, planted

# Planted in a file that every room imports; the tests that look at it are written on the spot.
BEFORE = '    """No finite guarantee exists for what was asked."""\n'
SAMPLE = Bug(
    name="sample",
    file="src/tacit/errors.py",
    before=BEFORE,
    after=BEFORE + "    planted = True\n",
    killed_by="",
    note="an attribute that is not there in the sound source",
)
KILLER = "from tacit.errors import NotPrivate\ndef test_it():\n    assert not hasattr(NotPrivate, 'planted')\n"


@pytest.fixture
def killer(tmp_path):
    file = tmp_path / "test_killer.py"
    file.write_text(KILLER)
    return file


def test_a_test_that_notices_kills(tried, killer):
    verdict = tried(killer, SAMPLE)
    assert verdict.kills(SAMPLE)
    assert not verdict.passes


def test_the_same_test_passes_on_the_sound_source(tried, killer):
    verdict = tried(killer)
    assert verdict.passes
    assert not verdict.kills(SAMPLE)


def test_a_test_that_does_not_notice_does_not_kill(tried, tmp_path):
    (tmp_path / "test_blind.py").write_text("import tacit.errors\ndef test_it():\n    pass\n")
    verdict = tried(tmp_path / "test_blind.py", SAMPLE)
    assert verdict.passes
    assert not verdict.kills(SAMPLE)


@pytest.mark.parametrize(
    "test",
    [
        # an import that fails inside the test
        KILLER.replace("assert", "import tacit.nowhere; assert"),
        "import tacit.nowhere\ndef test_it(): pass\n",  # and while it is collected
        KILLER.replace("assert not", "assert nowhere and not"),
        KILLER.replace("hasattr(NotPrivate, 'planted')", "NotPrivate.nowhere"),
        KILLER.replace("hasattr(NotPrivate, 'planted')", "NotPrivate(nowhere=1)"),
        "from tests.missing import ServerMissing\n"
        + KILLER.replace("assert", "raise ServerMissing; assert"),
        "import pytest, tacit.errors\n@pytest.fixture\ndef f(): assert False\ndef test_it(f): pass\n",
        "import pytest, tacit.errors\ndef test_it(): pytest.skip('no')\n",
        "import tacit.errors\n",
        "def test_it(): assert False\n",  # never looked at Tacit
        KILLER
        + "import sys, types; sys.modules['tacit.stranger'] = types.ModuleType('tacit.stranger')\n",
        KILLER.replace("assert", "import os; os.abort(); assert"),
    ],
    ids=[
        *("late import", "import", "name", "attribute", "argument", "server"),
        *("fixture", "skip", "no test", "no Tacit", "stranger", "crash"),
    ],
)
def test_other_failures_neither_kill_nor_pass(tried, tmp_path, test):
    (tmp_path / "test_bad.py").write_text(test)
    verdict = tried(tmp_path / "test_bad.py", SAMPLE)
    assert not verdict.kills(SAMPLE)
    assert not verdict.passes


def test_a_crash_kills_a_bug_that_is_one(tried, killer):
    killer.write_text(KILLER.replace("hasattr(NotPrivate, 'planted')", "NotPrivate(nowhere=1)"))
    verdict = tried(killer, SAMPLE)
    assert not verdict.kills(dataclasses.replace(SAMPLE, crashes="NameError"))
    assert verdict.kills(dataclasses.replace(SAMPLE, crashes="TypeError"))


def test_a_bug_that_stops_the_import_is_not_killed(tried, killer):
    bug = dataclasses.replace(SAMPLE, after=BEFORE + "    import nowhere_to_be_found\n")
    assert not tried(killer, bug).kills(bug)


def test_the_text_must_occur_once():
    with pytest.raises(Unplantable, match="0 times"):
        planted(SAMPLE, "nothing")
    with pytest.raises(Unplantable, match="2 times"):
        planted(SAMPLE, BEFORE * 2)


def test_the_text_must_change():
    with pytest.raises(Unplantable, match="equals"):
        planted(dataclasses.replace(SAMPLE, after=BEFORE), BEFORE)


def test_a_bug_must_compile():
    with pytest.raises(Unplantable, match="compile"):
        planted(dataclasses.replace(SAMPLE, before="x = 1", after="x = = 1"), "x = 1\n")


def test_a_bug_knows_its_module_and_room():
    assert (SAMPLE.module, SAMPLE.room) == ("tacit.errors", "errors")
    inside = dataclasses.replace(SAMPLE, file="src/tacit/exact/__init__.py")
    assert (inside.module, inside.room) == ("tacit.exact", "exact")


def test_a_trial_runs_the_test_it_names_and_no_other(tried, killer):
    killer.write_text(
        KILLER
        + "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_other(n):\n    assert n == 1\n"
    )
    verdict = tried(f"{killer}::test_other[1]")
    assert verdict.passes
    assert verdict.passed == 1
    assert not tried(f"{killer}::test_other").passes
    assert tried(f"{killer}::test_it", SAMPLE).kills(SAMPLE)
    assert tried(f"{killer}::test_nowhere").code == pytest.ExitCode.USAGE_ERROR
