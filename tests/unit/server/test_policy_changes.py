"""What changed in a policy since the last charge, and what other bounds would do: from the policy alone."""

from fractions import Fraction

import pytest

from tacit.errors import AccessDenied, InvalidInput
from tacit.server import Question
from tacit.server.policy_changes import Change, note_policy
from tests.unit.server.clinics import BY_WARD, COUNT, answer, entries, make_folder, run, who


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


def test_what_changed_since_the_last_charge_is_a_diff(folder):
    file = folder / "tacit.toml"

    async def scenario(desk):
        cleo = who(desk, "cleo")
        note_policy(desk._identities, folder, desk._vault)
        assert desk.drafts.changes(cleo) is None  # nothing was charged
        await answer(desk, "ana", Question(COUNT, epsilon=0.5))
        assert desk.drafts.changes(cleo) == []
        file.write_text(file.read_text().replace("contributions = 2", "contributions = 1"))
        note_policy(desk._identities, folder, desk._vault)  # as when it is read again
        said = desk.drafts.changes(cleo)
        assert "-contributions = 2" in said
        assert "+contributions = 1" in said
        await answer(desk, "ana", Question(BY_WARD, epsilon=0.25))
        assert desk.drafts.changes(cleo) == []

    run(folder, scenario)


@pytest.mark.parametrize(
    ("change", "ratio"),
    [
        (Change("visits", contributions=1), 0.5),
        (Change(times=2), 0.52),
        (Change("visits", column="cost", low=0, high=50), 1),
        (Change(), 1),
    ],
)
def test_a_change_is_tried_without_rows_and_for_nothing(folder, change, ratio):
    async def scenario(desk):
        await answer(desk, "ana", Question(BY_WARD, epsilon=0.5))
        before = entries(desk)
        (folder / "visits.csv").rename(folder / "away.csv")
        (tried,) = desk.drafts.try_out(who(desk, "cleo"), change)
        assert tried.words == before[0].about
        assert tried.measures[0][2] == pytest.approx(ratio * tried.measures[0][1], rel=0.02)
        assert entries(desk) == before

    run(folder, scenario)


def test_a_narrower_range_shrinks_the_error_of_a_mean(folder):
    async def scenario(desk):
        await answer(desk, "ana", Question(BY_WARD, epsilon=0.5))
        change = Change("visits", column="cost", low=Fraction(0), high=Fraction(25))
        (tried,) = desk.drafts.try_out(who(desk, "cleo"), change)
        assert tried.measures[-1][2] == pytest.approx(tried.measures[-1][1] / 2, rel=0.02)

    run(folder, scenario)


@pytest.mark.parametrize(
    "change", [Change("nothing"), Change("visits", column="cost", low=3, high=3)]
)
def test_what_cannot_be_tried_is_refused(folder, change):
    async def scenario(desk):
        with pytest.raises(InvalidInput):
            desk.drafts.try_out(who(desk, "cleo"), change)

    run(folder, scenario)


def test_only_who_decides_tries(folder):
    async def scenario(desk):
        for name in ("ana", "otto"):
            with pytest.raises(AccessDenied):
                desk.drafts.try_out(who(desk, name), Change())
            with pytest.raises(AccessDenied):
                desk.drafts.changes(who(desk, name))

    run(folder, scenario)
