"""A question as a value: what is known of it once it was read, proved, priced and named, before data are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from tacit.accounting import Charge, Filter
from tacit.curator.answer.left_out_captions import LeftOut, add_measured, list_left_out
from tacit.curator.answer.release import Price
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.check_stated_price import agreed_price
from tacit.curator.pricing.noise_of_measures import (
    Terms,
    amount_within,
    shown_as_measured,
    terms_at,
    terms_of,
)
from tacit.curator.question_context import Access
from tacit.curator.record.found_bounds import as_declared
from tacit.curator.record.measure_clipping import clipping_topic, latest_shares
from tacit.curator.record.receipt import tag
from tacit.curator.rehearse_before_payment import check_sure_of_groups
from tacit.errors import InvalidInput
from tacit.exact import Number, at_least
from tacit.frozen import frozen
from tacit.plan import (
    NO_PARAMETERS,
    CombinedPlan,
    Owner,
    Parameters,
    Plan,
    Table,
    fingerprint_and_subject,
    held_rows,
    owner_of,
    prove,
    table_of,
    tables_of,
    top_k_of,
)
from tacit.printing import printable
from tacit.privacy import Loss

if TYPE_CHECKING:
    from tacit.curator.pricing.selection_price import SelectionTerms

__all__ = [
    "Asked",
    "Name",
    "describe",
    "error_at",
    "measured_shares",
    "name_question",
    "one_line",
    "price_plan",
    "read_confidence",
    "read_question",
    "shared_of",
]


@frozen
class Name:
    """What a question is called in the ledger: its own key, the topic that it shares with others, its fingerprint.

    `version` is that of its tables, `contributions` how many rows of a unit count in full, and `formats` how its tables
    are written, where the policy says it.
    """

    key: bytes
    topic: bytes
    version: int
    contributions: int | None
    question: bytes
    formats: bytes


@frozen
class Asked:
    """A question that was read, proved, priced and named: all that is known before data are looked at.

    `shared` is the policy on the table that is asked about, `loss` what the terms cost, `charge` the same in whole
    units of the ledger and `price` for people; `within` is the error that was asked for, if one was.
    `policy_left_out` says what the answer leaves out by the policy and the plan, `left_out` the same with what was
    measured of it.
    """

    plan: Plan
    tables: tuple[Table, ...]
    shared: Shared
    limit: Limit
    terms: Terms
    loss: Loss
    charge: Charge
    price: Price
    name: Name
    confidence: float
    within: Number | None
    policy_left_out: tuple[LeftOut, ...]
    left_out: tuple[LeftOut, ...]
    selection: SelectionTerms | None = None
    """How groups are chosen, where only which come first is shown and choosing is more accurate."""

    def terms_paid(self, charge: Charge) -> Terms:
        """The terms that a charge pays for: mostly its own, or those of an earlier and higher one."""
        if charge == self.charge and self.terms.finder is None:
            return self.terms
        return terms_at(self.plan.question, self.shared, self.limit, charge)


def read_question(
    access: Access,
    text: str,
    tables: Mapping[str, Shared],
    epsilon: Number | None,
    within: Number | None,
    bound: Parameters = NO_PARAMETERS,
) -> tuple[Plan | CombinedPlan, Number | None]:
    """The plan of a text, and the epsilon at which it is asked, which may be the text's own."""
    limit = access.policy.limit
    plan, header = access.plans.read(text, tables, bound, finding=True)
    shown = plan.plan if isinstance(plan, CombinedPlan) else plan
    return plan, agreed_price(header, shown, limit, epsilon, within)


def price_plan(
    access: Access,
    plan: Plan,
    *,
    epsilon: Number | None,
    within: Number | None = None,
    confidence: Number = 0.95,
    tables: Mapping[str, Shared] | None = None,
) -> Asked:
    """Prove a plan, and settle its terms at the asked price, or at the smallest price that is accurate enough.

    `tables` are those of the policy with facts, if they were read already.

    Claim:      whoever made a plan, it is proved before anything else is done with it; no data are looked at.
    Because:    the order of the lines below, and neither they nor what they call evaluate anything.
    Checked by: tests/attacks/test_plans_of_ones_own.py and tests/laws/test_corridor.py
    """
    proved, sure = prove(plan), read_confidence(confidence)
    check_sure_of_groups(proved, sure)
    known = access.read_tables() if tables is None else tables
    named = tuple(tables_of(proved.question.rows))
    shared = shared_of(access, proved, known, named)
    limit, rule = access.policy.limit, access.rule
    terms = _terms(proved, shared, limit, rule, epsilon, within, sure)
    loss = terms.loss
    charge = rule.price(loss)
    selection = _selection(proved, shared, limit, terms)
    weighed = terms if selection is None else replace(terms, weights=selection.weights)
    left_out = list_left_out(proved, weighed, access.policy.unit, access.text_tables)
    return Asked(
        proved,
        named,
        shared,
        limit,
        terms,
        loss,
        charge,
        access.price_of(charge, free=False),
        name_question(access, proved, shared, named),
        sure,
        within,
        left_out,
        add_measured(left_out, measured_shares(access, known, named)),
        selection,
    )


def shared_of(
    access: Access, plan: Plan, known: Mapping[str, Shared], tables: Iterable[Table]
) -> Shared:
    """The policy on the table that is asked about; refuse a plan whose tables are not as the policy declares them."""
    for table in tables:
        shared = access.policy.tables.get(table.name)
        if shared is None or not as_declared(table, shared):
            raise InvalidInput(
                "table",
                table.name,
                "use a table of this vault: vault.table(...)",
            )
    return known[table_of(plan.question.rows).name]


def describe(access: Access, asked: Asked, terms: Terms) -> dict[str, Any]:
    """What was asked, and under which policy, as it is kept with the answer."""
    limit = asked.limit
    left_out = (
        asked.policy_left_out
        if terms is asked.terms
        else list_left_out(asked.plan, terms, access.policy.unit, access.text_tables)
    )
    return {
        "unit": access.policy.unit,
        "neighbours": limit.neighbours.value,
        "question": asked.name.question.hex(),
        "table": ", ".join(table.name for table in asked.tables),
        "version": asked.name.version,
        "contributions": asked.shared.contributions,
        "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
        "made up": access.made_up,
        "left out": [str(each) for each in left_out],
    }


def _terms(
    plan: Plan,
    shared: Shared,
    limit: Limit,
    rule: Filter,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
) -> Terms:
    """The terms at the asked price, or at the smallest price that is accurate enough."""
    if epsilon is None and within is None:
        raise InvalidInput("a price", None, "give epsilon, such as 0.3, or within, such as 50")
    if epsilon is not None and within is not None:
        raise InvalidInput("within", within, "epsilon is given as well; give only one of them")
    if epsilon is not None:
        price = rule.price_of(epsilon)
    else:
        amount = amount_within(
            plan.question, shared, limit, shown_as_measured(plan), within or 0, confidence
        )
        price = Charge(ceil(amount / rule.amount(Charge(1))))
    return terms_of(plan.question, shared, limit, rule.amount(price))


def error_at(access: Access, asked: Asked, epsilon: Number) -> float:
    """The error that a question has at another price, of two digits and none too small; it depends on no data."""
    rule, question = access.rule, asked.plan.question
    amount = rule.amount(rule.price_of(epsilon))
    terms = terms_of(question, asked.shared, asked.limit, amount)
    places = shown_as_measured(asked.plan)
    error = float(max(terms.reach(place, asked.confidence) for place in places))
    digit = 10.0 ** (floor(log10(error)) - 1) if error > 0 else 1.0
    return ceil(error / digit) * digit


def _selection(plan: Plan, shared: Shared, limit: Limit, terms: Terms) -> SelectionTerms | None:
    """How groups are chosen, where that is all that is asked for."""
    top = top_k_of(plan)
    if top is None:
        return None
    from tacit.curator.pricing.selection_price import selection_terms

    return selection_terms(top, shared, limit, terms)


def name_question(access: Access, plan: Plan, shared: Shared, tables: tuple[Table, ...]) -> Name:
    """What a question is called in the ledger: as it was when the versions of its tables were looked up.

    Versions only grow, so that their sum is another one whenever a table was refreshed.
    """
    rows, question = plan.question.rows, plan.question
    held = shared.contributions
    if owner_of(rows) is Owner.UNIT:
        held = held_rows(rows, held)
    version = sum(access.ledger.version(table.name) for table in tables)
    kept = f"{shared.keys} keys".encode() if question.unknown else b""
    asked, about = fingerprint_and_subject(question)
    formats = access.formats_of(tables)
    return Name(
        tag(b"question", access.scope, version, held, asked + kept + formats),
        tag(b"subject", access.scope, version, held, about + kept + formats),
        version,
        held,
        asked,
        formats,
    )


def measured_shares(
    access: Access, known: Mapping[str, Shared], tables: Iterable[Table]
) -> Mapping[str, str]:
    """What was measured last of what is clipped in some tables, by this analyst or by the curator (None)."""
    found: dict[str, str] = {}
    for table in tables:
        if not table.public:
            shared, version = known[table.name], access.ledger.version(table.name)
            formats = access.formats_of([table])
            topics = [
                clipping_topic(shared, scope, version, formats)
                for scope in dict.fromkeys((access.scope, None))
            ]
            found |= latest_shares(access.ledger, topics, shared)
    return found


def read_confidence(given: Number) -> float:
    """A confidence as a float, refused where floats can no longer tell it from certainty, or from none."""
    if type(given) is float and 1e-12 <= given <= 1 - 1e-12:
        return given
    exact = at_least(given, "confidence")
    if not 0 < exact < 1 or not 1e-12 <= float(exact) <= 1 - 1e-12:
        raise InvalidInput(
            "confidence", given, "give a probability above 0 and below 1, such as 0.95"
        )
    return float(exact)


_ABOUT = 400  # characters of a question that the ledger keeps


def one_line(text: str) -> str:
    """A text as one line that can be printed, and not a long one."""
    shown = printable(text)
    return shown if len(shown) <= _ABOUT else shown[: _ABOUT - 1] + "…"
