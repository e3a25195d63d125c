"""Whether a statement keeps its promise on neighbouring databases, and a smaller statement if it does not."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any, TypeVar
from unittest.mock import patch

import sqlglot
from sqlglot import exp

from tacit.curator import Limit, Policy, Shared, Terms, Vault, terms_of
from tacit.curator.pricing.key_codes import code_of, key_of
from tacit.curator.pricing.unknown_key_threshold import CodeFinder, Finder
from tacit.engines import Engine
from tacit.errors import TacitError
from tacit.ledger import MemoryLedger
from tacit.mechanisms import RankedCells
from tacit.plan import (
    Column,
    CombinedPlan,
    Keeping,
    KeyValue,
    Kind,
    Plan,
    Question,
    Weighing,
    fill_subqueries,
    groups_of,
    hold_value,
    prove,
    prove_combined,
    read_asked,
    table_of,
    top_k_of,
)
from tacit.privacy import Neighbours, Norm
from tacit.stability import key_sensitivity, sensitivity_of, weight_alone
from tests.laws.statement_grammar import TABLES, Statement
from tests.laws.statement_worlds import World
from tests.laws.test_corridor import Opened, Watched, constant_release, left_by, misranking_moved

__all__ = ["Outcome", "Violation", "check_statement", "shrink_statement"]

MOST_GROUPS = 600  # a statement of more takes long to be compared, and says no more
FOUND = 5  # unknown keys that are treated as found
SHARED = {name: Shared(table, table.contributions or 1, 2) for name, table in TABLES.items()}
SECRET = bytes(range(32))
# that may be left out
CLAUSES = ("with_", "where", "joins", "having", "order", "limit", "qualify", "windows")
Key = tuple[KeyValue, ...]


Read = TypeVar("Read", Plan, CombinedPlan)


class Violation(AssertionError):
    """A statement broke what is promised of it."""


@dataclass(frozen=True)
class Outcome:
    """What came of a statement: why it was refused or left out, or how close neighbours came to the claim."""

    refused: str | None = None
    left_out: bool = False
    moved: bool = False
    share: float = 0.0


@dataclass(frozen=True)
class Accepted:
    """A statement that is accepted, on its terms."""

    plan: Plan
    terms: Terms
    limit: Limit

    @property
    def question(self) -> Question:
        """What is measured."""
        return self.plan.question


def check_statement(
    statement: Statement,
    world: World,
    chosen: Sequence[int],
    relation: Neighbours,
    *,
    compare: bool,
    leave: bool,
) -> Outcome:
    """Check one statement on the chosen databases of a world, the first of which lacks the unit.

    `compare` asks DuckDB too; `leave` takes the whole way through vaults, under `relation`.
    """
    limit = Limit(3, 1e-6 if statement.finding and not statement.is_pure else 0, relation)
    try:
        parts = list_parts(statement)
        accepted = []
        for plan in parts:
            shared = SHARED[table_of(plan.question.rows).name]
            terms = terms_of(plan.question, shared, limit, Fraction(1))
            world.memories[0].dry_run(plan.question, terms.weights)
            accepted.append(Accepted(plan, terms, limit))
    except TacitError as refusal:
        return Outcome(
            refused=re.sub(
                r"'[^']*'|\d[\d,]*", "…", getattr(refusal, "reason", None) or str(refusal)
            )[:90]
        )
    # which key comes first is drawn, and has laws of its own: tests/laws/test_top_k.py
    leave = leave and not any(map(top_k_of, parts))
    if leave and len(parts) > 1 and not any(part.question.unknown for part in parts):
        check_combined_leaving(statement, [world.memories[place] for place in chosen], limit)
    leave = leave and len(parts) == 1
    found = [
        _check_part(asked, statement, world, chosen, compare=compare, leave=leave)
        for asked in accepted
    ]
    return Outcome(
        left_out=all(each.left_out for each in found),
        moved=any(each.moved for each in found),
        share=max(each.share for each in found),
    )


def list_parts(statement: Statement) -> list[Plan]:
    """The questions of a statement; what rows are compared with is filled in, within its bounds or NULL."""
    plan, _ = read_asked(statement.text, TABLES, finding=statement.finding, bound=statement.bound)
    if statement.bound:
        same, _ = read_asked(statement.constant, TABLES, finding=statement.finding)
        _require(plan == same, "parameters ask for something else than their constants")
    if not isinstance(plan, CombinedPlan):
        return [_pass_gate(prove, plan)]
    plan, dice = _pass_gate(prove_combined, plan), Random(statement.text)
    values = {
        place: dice.choice([None, *_possible(each.column)])
        for place, each in enumerate(plan.subqueries)
    }
    return [replace(part, question=fill_subqueries(part.question, values)) for part in plan.parts]


def _pass_gate(gate: Callable[[Read], Read], plan: Read) -> Read:
    """The plan as it is run: what the reader of statements accepts, the gate of all plans lets through."""
    try:
        return gate(plan)
    except TacitError as refusal:
        raise Violation(f"it is read, and refused at the gate: {refusal}") from refusal


def _possible(column: Column) -> list[Any]:
    """Constants that a subquery might release."""
    if column.kind in {Kind.INTEGER, Kind.NUMBER}:
        assert column.low is not None and column.high is not None  # noqa: PT018
        return [column.low, column.high, *(hold_value(each, column) for each in (3, 40))]
    return ["A", "B"] if column.kind is Kind.TEXT else []


def _check_part(
    asked: Accepted,
    statement: Statement,
    world: World,
    chosen: Sequence[int],
    *,
    compare: bool,
    leave: bool,
) -> Outcome:
    """Check one question of a statement."""
    plan, terms = asked.plan, asked.terms
    if not plan.question.unknown and groups_of(plan.question) > MOST_GROUPS:
        return Outcome(left_out=True)
    engines = [world.memories[place] for place in chosen]
    found = check_keys(asked, engines) if plan.question.unknown else None
    question = replace(plan.question, found=found)
    exact = [engine.evaluate(question, terms.weights) for engine in engines]
    share = check_moves(asked, exact)
    if compare:
        check_engines(
            asked,
            question,
            exact[1:2],
            engines[1:2],
            [world.duck(chosen[1])],
            exactly=statement.exact,
        )
    if leave:
        check_leaving(asked, engines, statement)
    return Outcome(moved=share > 0, share=float(share) ** 0.5)


# ---------------------------------------------------------------- how far exact answers move


def check_moves(asked: Accepted, exact: Sequence[Any]) -> Fraction:
    """No two answers are further apart than is claimed of neighbours; the largest share of a claim, squared."""
    furthest = Fraction(0)
    shapes = {(answer.shape, answer.dtype) for answer in exact}
    _require(len(shapes) == 1, f"the shape of the answer depends on the rows: {shapes}")
    for one, other in combinations(range(len(exact)), 2):
        relation = Neighbours.REPLACE if one else Neighbours.ADD_OR_REMOVE
        claims = sensitivity_of(asked.question, asked.terms.weights, relation)
        for place, claim in enumerate(claims):
            square = _measure_move(asked.terms, place, exact[one], exact[other])
            _require(
                square <= claim.bound**2,
                f"measure {place} moves by {float(square) ** 0.5}, and {claim} is claimed",
            )
            furthest = max(furthest, square / claim.bound**2)
            if relation is asked.limit.neighbours:
                _check_rounded(asked.terms, place, exact[one], exact[other])
    return furthest


def _measure_move(terms: Terms, place: int, one: Any, other: Any) -> Fraction:
    """How far a measure moves in its norm over groups, squared."""
    where, mechanism = terms.columns[place], terms.mechanisms[place]
    if isinstance(mechanism, RankedCells):
        apart = (one[:, where] != other[:, where]).any(axis=1)
        pairs = [
            (a, b)
            for a, b, differs in zip(one[:, where], other[:, where], apart, strict=True)
            if differs
        ]
        moves = [max(misranking_moved(aim, *pair) for aim in mechanism.aims) for pair in pairs]
    else:
        both = zip(one[:, where.start].tolist(), other[:, where.start].tolist(), strict=True)
        moves = [Fraction(abs(a - b)) for a, b in both if a != b]
    return (
        sum(moves, Fraction()) ** 2
        if terms.weights.norm is Weighing.L1
        else sum((m * m for m in moves), Fraction())
    )


def _check_rounded(terms: Terms, place: int, one: Any, other: Any) -> None:
    """What noise is added to, on its grid, moves no further than the noise hides."""
    if terms.grids[place] == 1:
        return
    start = terms.columns[place].start
    both = [terms.round_to_grid(place, answer[:, start].tolist()) for answer in (one, other)]
    square = sum((a - b) ** 2 for a, b in zip(*both, strict=True))
    _require(
        square <= terms.sensitivities[place].bound ** 2,
        f"measure {place} moves further on its grid than is claimed",
    )


def check_keys(asked: Accepted, engines: Sequence[Engine]) -> tuple[Key, ...]:
    """What units keep of unknown keys moves no further than is claimed; some keys, as if they had been found."""
    finder = asked.terms.finder
    assert finder is not None
    keeping = replace(finder.keeping, secret=SECRET)
    weights = [gather(engine, asked.question, keeping) for engine in engines]
    for one, other in combinations(range(len(weights)), 2):
        relation = Neighbours.REPLACE if one else Neighbours.ADD_OR_REMOVE
        claim = key_sensitivity(asked.question, keeping, relation)
        here, there = weights[one], weights[other]
        moves = [here.get(key, 0) - there.get(key, 0) for key in {*here, *there}]
        norm = sum(map(abs, moves)) ** 2 if claim.norm is Norm.L1 else sum(m * m for m in moves)
        _require(
            norm <= claim.bound**2,
            f"unknown keys move too far under {relation.value}: {moves}",
        )
        _require(
            sum(m != 0 for m in moves) <= claim.dimension,
            f"too many unknown keys move under {relation.value}",
        )
        if isinstance(finder, Finder):
            _check_own_keys(asked.question, keeping, here, there)
        else:
            _check_codes(finder, here)
    every = sorted({key for each in weights for key in each}, key=repr)
    return tuple(every[:FOUND])


def _check_own_keys(
    question: Question, keeping: Keeping, here: Mapping[Key, int], there: Mapping[Key, int]
) -> None:
    """Keys that one of two neighbours has alone are few, and weigh no more than the threshold takes them to."""
    for mine, theirs in ((here, there), (there, here)):
        own = [weight for key, weight in mine.items() if key not in theirs]
        _require(len(own) <= keeping.most, f"one unit has {len(own)} keys of its own")
        _require(
            all(weight <= weight_alone(question, keeping, 1, len(own)) for weight in own),
            f"keys of one unit weigh more than is claimed: {own}",
        )


def _check_codes(finder: CodeFinder, found: Mapping[Key, int]) -> None:
    """Every key that there is could be shown by noise alone, if nobody had it: its code is that of no other."""
    for key in found:
        _require(
            key_of(code_of(key, finder.kinds), finder.kinds) == key, f"no code is that of {key!r}"
        )


def gather(engine: Engine, question: Question, keeping: Keeping) -> dict[Key, int]:
    """What every unknown key weighs."""
    with engine.gather(question, keeping) as gathered:
        return dict(
            zip(gathered.keys(range(len(gathered.weights))), gathered.weights.tolist(), strict=True)
        )


# ---------------------------------------------------------------- engines, and what leaves


def check_engines(
    asked: Accepted,
    question: Question,
    exact: Sequence[Any],
    memories: Sequence[Engine],
    engines: Sequence[Engine],
    *,
    exactly: bool,
) -> None:
    """DuckDB fails on none of the databases and, where the last bits are no library's, has the same integers."""
    finder = asked.terms.finder
    for answer, memory, engine in zip(exact, memories, engines, strict=True):
        engine.dry_run(asked.question, asked.terms.weights)
        found = engine.evaluate(question, asked.terms.weights)
        _require(found.dtype == answer.dtype, "the engines' integers are of different types")
        if exactly:
            apart = [
                (row, mine.tolist(), its.tolist())
                for row, (mine, its) in enumerate(zip(answer, found, strict=True))
                if (mine != its).any()
            ]
            _require(not apart, f"memory and DuckDB differ: {str(apart)[:300]}")
        if finder is not None and exactly:
            keeping = replace(finder.keeping, secret=SECRET)
            both = [gather(each, asked.question, keeping) for each in (memory, engine)]
            _require(both[0] == both[1], f"memory and DuckDB gather other keys: {both}")


def check_leaving(asked: Accepted, engines: Sequence[Engine], statement: Statement) -> None:
    """With noise that is a constant, nothing that leaves tells the databases apart; nothing fails once it is paid."""
    finder = asked.terms.finder

    def passing(_: Finder | CodeFinder, gathered: Any) -> tuple[tuple[int, ...], tuple[Key, ...]]:
        names = gathered.keys(range(len(gathered.weights)))
        return tuple(names.index(key) for key in common), tuple(common)

    common: list[Key] = []
    keeping = None
    if finder is not None:
        keeping = replace(finder.keeping, secret=SECRET)
        every = [gather(engine, asked.question, keeping) for engine in engines]
        common = sorted(set.intersection(*map(set, every)), key=repr)[:FOUND]
    vaults = [_open_vault(engine, asked.limit) for engine in engines]
    _check_explained(vaults, statement)
    with (
        constant_release(),
        patch.object(Finder, "find", passing),
        patch.object(Finder, "secret", lambda _: keeping),
        patch.object(CodeFinder, "find", passing),
        patch.object(CodeFinder, "secret", lambda _: keeping),
    ):
        left = [left_by(each, asked.plan, epsilon=1) for each in vaults]
    _check_same(vaults, left)


def check_combined_leaving(statement: Statement, engines: Sequence[Engine], limit: Limit) -> None:
    """The same of a statement that asks several questions."""
    vaults = [_open_vault(engine, limit) for engine in engines]
    _check_explained(vaults, statement)
    params = _params(statement)
    with constant_release():
        left = [left_by(each, statement.text, epsilon=1, params=params) for each in vaults]
    _check_same(vaults, left)


def _params(statement: Statement) -> Any:
    """What an analyst gives beside the text."""
    if ":p" in statement.text:
        return dict(statement.bound)
    return [value for _, value in statement.bound] or None


def _check_explained(vaults: Sequence[Opened], statement: Statement) -> None:
    explained = {
        str(each.vault.explain(statement.text, epsilon=1, params=_params(statement)))
        for each in (vaults[0], vaults[-1])
    }
    _require(len(explained) == 1, f"what is explained differs: {explained}")


def _check_same(vaults: Sequence[Opened], left: Sequence[tuple[Any, ...]]) -> None:
    for each, (answer, *_) in zip(vaults, left, strict=True):
        failed = isinstance(answer[0], type)
        _require(not (failed and each.entries), f"it fails after it was paid for: {answer}")
    first, *others = left
    _require(all(each == first for each in others), f"what leaves differs: {first} and {others}")


def _open_vault(engine: Engine, limit: Limit) -> Opened:
    calls: list[str] = []
    watched, ledger = Watched(engine, calls), Watched(MemoryLedger(limit.filter()), calls)
    policy = Policy(limit, SHARED, "person")
    return Opened(Vault(policy, dict.fromkeys(TABLES, watched), ledger), watched, ledger)


def _require(kept: bool, what: str) -> None:
    if not kept:
        raise Violation(what)


# ---------------------------------------------------------------- a smaller statement


def shrink_statement(
    statement: Statement, fails: Callable[[Statement], bool], *, tries: int = 400
) -> Statement:
    """A smaller statement that fails too, found by leaving out clauses and columns and by putting parts in the place of
    wholes."""
    left = tries
    while True:
        for text in _write_smaller(statement.text):
            left -= 1
            if left < 0:
                return statement
            smaller = replace(statement, text=text)
            if fails(smaller):
                statement = smaller
                break
        else:
            return statement


def _write_smaller(text: str) -> Iterator[str]:
    """Texts with one thing less, those that lose most first."""
    tree = sqlglot.parse_one(text, "duckdb")
    count = sum(1 for _ in tree.walk())
    for place in range(count):
        for change in range(len(CLAUSES)):
            copy = tree.copy()
            node = next(node for number, node in enumerate(copy.walk()) if number == place)
            if isinstance(node, exp.Expression) and _take_away(node, change):
                yield copy.sql("duckdb")


def _take_away(node: exp.Expression, change: int) -> bool:
    """Take something away; whether there was something."""
    if isinstance(node, exp.Select):
        clause = CLAUSES[change]
        if node.args.get(clause):
            node.set(clause, None)
            return True
        return False
    if (
        change == 0
        and node.arg_key in {"expressions", "ctes"}
        and node.parent
        and len(node.parent.args[node.arg_key]) > 1
    ):
        node.pop()
        return True
    if isinstance(node, exp.Union):
        part = node.this if change == 1 else node.expression
        if change in {1, 2}:
            node.replace(part.copy())
        return change in {1, 2}
    parts = [part for part in node.args.values() if isinstance(part, exp.Expression)]
    if isinstance(
        node, exp.Binary | exp.Func | exp.Paren | exp.Not | exp.Case | exp.If
    ) and 1 <= change <= len(parts):
        node.replace(parts[change - 1].copy())
        return True
    return False
