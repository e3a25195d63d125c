"""The page of the budget: what is spent and left, over time, and what still fits.

Checked by: tests/unit/server/http/test_pages.py
"""

from datetime import UTC, datetime, timedelta

from fastapi import Request, Response

from tacit.server.http.charts import steps
from tacit.server.http.forecast import forecast, own_scale
from tacit.server.http.pages.rendering import Pages, Route

__all__ = ["BudgetPage"]


class BudgetPage:
    """What is spent and left."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of this page."""
        return [("GET", "/budget", self.show)]

    async def show(self, request: Request) -> Response:
        """What is spent and left, over time, and what still fits; for who may see it, of each analyst."""
        desk, who = self._desk, await self._gate.visitor(request)
        standing = await desk.run(lambda: desk.standing(who.identity))
        spending = await desk.run(lambda: desk.ledger.spending(who.identity))
        everyone = who.identity.role in {"curator", "auditor"}
        budgets = await desk.run(lambda: desk.budgets(who.identity)) if everyone else {}
        scale = own_scale(desk.policy, who.identity.payer)
        told = forecast(standing, spending, desk.policy)
        return await self._pages.show(
            request,
            "budget.html",
            who,
            standing=standing,
            scale=scale,
            chart=steps([(at, share * scale) for at, share in spending], "Spent", told["per_day"]),
            reached=reached_on(told["days_left"], datetime.now(UTC)),
            budgets=sorted(budgets.items(), key=lambda each: -each[1].own.spent),
            forecast=told,
        )


def reached_on(days: float | None, now: datetime) -> str | None:
    """The day on which a limit is reached; None if it is not known, or further away than ten years.

    >>> reached_on(3.5, datetime(2026, 1, 1, tzinfo=UTC)), reached_on(1e9, datetime(2026, 1, 1, tzinfo=UTC))
    ('2026-01-04', None)
    """
    if days is None or days > 3650:
        return None
    return (now + timedelta(days)).date().isoformat()
