"""Statements that a grammar writes, as SQL, keep the promise on neighbours that are built to break it.

Everything takes the way of an analyst's text.  What is refused is refused by the text alone; of what is accepted, the
exact integers move no further than is claimed, engines agree on them, and nothing else that leaves tells neighbours
apart.
"""

import gc
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random, SystemRandom

import pytest

from tacit.privacy import Neighbours
from tests.laws.latest_statements import LATEST, write_latest_statement
from tests.laws.newer_statements import NEWER, write_newer_statement
from tests.laws.statement_checks import Outcome, Violation, check_statement, shrink_statement
from tests.laws.statement_grammar import FEATURES, Statement, write_statement
from tests.laws.statement_worlds import VARIANTS, World, make_world

SLICES, EACH = 4, 500  # 2,000 statements; `make soak` writes 24,000 others
ALL_SLICES: Counter[str] = Counter()  # what came of those so far
# smaller statements that are tried
SHRUNK = 0 if os.environ.get("HYPOTHESIS_PROFILE") == "teeth" else 300
# A planted bug says which statement it breaks: a slice begins with that one and goes on with all others.
FIRST = int(os.environ.get("FIRST_STATEMENT", "0"))
# every so many, DuckDB is asked too, or the whole way is taken through vaults
COMPARED, LEAVING = 19, 49


@pytest.fixture(autouse=True, scope="module")
def _few_collections():
    """The parser's trees are cyclic: of what was there before, none is looked at whenever they are collected.

    Nor afterwards: what was frozen when tests were collected would be looked at again, too.
    """
    gc.freeze()


@pytest.fixture(autouse=True)
def _the_same_moment(monkeypatch):
    """When a question is asked is written down, and is no part of what is compared here."""
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "2026-01-01T00:00:00Z")


@dataclass
class Tally:
    """What came of many statements."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)

    def add(self, statement: Statement, found: Outcome) -> None:
        """Count one statement."""
        if found.refused is not None:
            self.outcomes["refused"] += 1
            self.reasons[found.refused] += 1
            return
        self.outcomes.update(
            accepted=1, moved=found.moved, left_out=found.left_out, reached=found.share > 0.999
        )
        self.features.update(statement.features)

    def require(self, statements: int, least: int) -> None:
        """Most statements were accepted, many moved, and no feature is missing among them."""
        print(
            dict(self.outcomes),
            *(f"{times} refused: {why}" for why, times in self.reasons.most_common()),
            sep="\n",
        )
        assert self.outcomes["accepted"] >= 0.7 * statements
        assert self.outcomes["moved"] >= 0.25 * statements
        assert self.outcomes["reached"] >= 0.05 * statements  # as far as is claimed, and no further
        assert [
            feature for feature in (*FEATURES, *NEWER, *LATEST) if self.features[feature] < least
        ] == []


def write_any_statement(seed: int, *, deep: bool) -> Statement:
    """The statement of a seed, of which every second one has newer constructs, and every fourth one the latest."""
    writers = (write_statement, write_newer_statement, write_statement, write_latest_statement)
    return writers[seed // 10 % 4](seed, deep=deep)


def check_slice(
    seeds: Sequence[int],
    world_seed: int,
    *,
    compared: int,
    leaving: int,
    deep: bool = False,
) -> Tally:
    """Check the statements of some seeds in one world; a failure names its seed and a smaller statement."""
    world, tally, first = make_world(world_seed), Tally(), min(seeds)
    try:
        for seed in seeds:
            number = seed - first
            statement = write_any_statement(seed, deep=deep)
            dice = Random(-seed)
            chosen = (0, *dice.sample(range(1, len(VARIANTS) + 1), 2, counts=(2, 2, 2, 1, 2, 2, 4)))
            how = {"compare": number % compared == 0, "leave": number % leaving == 0}
            tally.add(statement, _check(statement, world, chosen, seed, world_seed, how))
    finally:
        world.close()
    return tally


def _check(
    statement: Statement,
    world: World,
    chosen: tuple[int, ...],
    seed: int,
    world_seed: int,
    how: dict[str, bool],
) -> Outcome:
    relation = list(Neighbours)[seed // 2 % 2]
    try:
        return check_statement(statement, world, chosen, relation, **how)
    except Exception as fault:
        kind = type(fault)

        def fails(smaller: Statement) -> bool:
            try:
                check_statement(smaller, world, chosen, relation, **how)
            except Exception as other:  # noqa: BLE001 -- whatever it is, it is to be the same again
                return type(other) is kind
            return False

        small = shrink_statement(statement, fails, tries=SHRUNK)
        note = f"seed {seed} in world {world_seed}, databases {chosen}, {relation.value}:\n{small.text}"
        raise Violation(f"{type(fault).__name__}: {fault}\n{note}") from fault


def test_a_statement_that_fails_is_told_in_few_words():
    statement = next(
        each
        for each in map(write_statement, range(1000))
        if "LAG(" in each.text and len(each.text) > 600
    )
    small = shrink_statement(statement, lambda each: "LAG(" in each.text, tries=2_000)
    assert len(small.text) < len(statement.text) / 4


@pytest.mark.parametrize("part", range(SLICES))
def test_generated_statements_keep_their_promise(part):
    seeds = sorted(range(part * EACH, (part + 1) * EACH), key=lambda seed: seed < FIRST)
    tally = check_slice(seeds, part, compared=COMPARED, leaving=LEAVING)
    tally.require(EACH, least=1)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(80))
def test_many_more_generated_statements_keep_their_promise(part):
    first = SystemRandom().randrange(10**6, 10**12)
    print(f"statements of the seeds {first} to {first + 299}, in the world {first}")
    seeds = range(first, first + 300)
    tally = check_slice(seeds, first, compared=6, leaving=10, deep=part % 4 == 0)
    ALL_SLICES.update(tally.outcomes, checked=len(seeds))
    print(f"after slice {part}, without a violation: {dict(ALL_SLICES)}")
    assert tally.outcomes["accepted"] >= 0.6 * len(seeds)
