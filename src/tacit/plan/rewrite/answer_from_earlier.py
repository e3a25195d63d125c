"""What an earlier answer already tells: the same rows and groups, seen through other measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from tacit.plan.model.expressions import Expression, MeasureOf, MomentOf, walk_expression
from tacit.plan.model.nodes import Measure, Plan, Summed
from tacit.plan.model.serialize import serial

__all__ = ["derive_plan", "identity"]


def identity(measure: Measure) -> str:
    """A text by which a measure is known in what was released: equal measures share it.

    >>> from tacit.plan import Counted, Units
    >>> identity(Counted()) == identity(Counted()), identity(Counted()) == identity(Units())
    (True, False)
    """
    return sha256(serial(measure).encode()).hexdigest()[:32]


def derive_plan(plan: Plan, released: Sequence[str]) -> tuple[Plan, tuple[int, ...]] | None:
    """The plan in measures that were `released` about its subject, and their places there; None if one is missing.

    A mean is a sum divided by a count, so that it can be had from a sum about zero as well as from one about the
    middle of its range.

    Claim:      the view of the new plan has the same meaning; only the noise is another.
    Because:    a measure is exchanged for itself, or a centred sum that only means are made of for one without centre.
    Checked by: tests/laws/test_derived.py

    >>> from tacit.plan import Column, Kind, Table, canonical, read_sql
    >>> visits = {"visits": Table("visits", (Column("cost", Kind.INTEGER, low=0, high=9),), unit="patient")}
    >>> both = canonical(read_sql("SELECT SUM(cost) AS s, COUNT(cost) AS n FROM visits", visits))
    >>> mean = canonical(read_sql("SELECT AVG(cost) AS m FROM visits", visits))
    >>> derive_plan(mean, [identity(measure) for measure in both.question.measures]) is not None
    True
    """
    direct = _shown_directly(plan)
    measures = []
    for place, measure in enumerate(plan.question.measures):
        found = next(
            (form for form in _forms(measure, place in direct) if identity(form) in released), None
        )
        if found is None:
            return None
        measures.append(found)
    places = tuple(released.index(identity(measure)) for measure in measures)
    return replace(plan, question=replace(plan.question, measures=tuple(measures))), places


def _forms(measure: Measure, direct: bool) -> tuple[Measure, ...]:
    """The measures that do in place of one; a sum that is shown itself is only itself."""
    match measure:
        case Summed(centre=centre) if centre and not direct:
            return (measure, replace(measure, centre=0))
        case _:
            return (measure,)


def _shown_directly(plan: Plan) -> set[int]:
    """The places of measures that the view uses other than through a mean."""
    view = plan.view
    roots: list[Expression] = [shown.value for shown in view.columns] + [
        order.value for order in view.order
    ]
    roots += [condition for condition in (view.having, view.qualify) if condition is not None]
    shown = [part for root in roots for part in walk_expression(root)]
    # about one centre
    moments = {place for part in shown if isinstance(part, MomentOf) for place in part.places}
    return moments | {part.place for part in shown if isinstance(part, MeasureOf)}
