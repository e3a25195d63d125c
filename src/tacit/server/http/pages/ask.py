"""The page on which questions are written, explained as they are typed, run and answered.

Checked by: tests/unit/server/http/test_pages.py and tests/browser/test_flows.py
"""

from fractions import Fraction
from typing import Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from tacit.errors import NotFound, TacitError
from tacit.printing import json_text
from tacit.server.http.authenticate_requests import Visitor
from tacit.server.http.pages.questions import (
    answer_view,
    columns_of_parts,
    how_many_fit,
    price_to_halve,
    question_from,
    refusal_view,
    ways_to_halve,
)
from tacit.server.http.pages.rendering import Pages, Route, url_of
from tacit.server.http.pages.tables import table_views
from tacit.server.http.request_models import SQL
from tacit.server.http.values import ARROW, CSV, answer_as
from tacit.server.jobs import Job, Question
from tacit.server.rights import check_right

__all__ = ["AskPage"]

PATIENCE = 10.0
"""The longest that a form waits for its answer, in seconds."""

MANY_COLUMNS = 20
"""From how many columns on the list of tables can be searched."""

_EXAMPLE_PRICE = "0.1"
_TYPED = {"sql": "", "by": "epsilon", "price": "", "confidence": "0.95"}
_FORMS = {"csv": CSV, "arrow": ARROW}


class AskPage:
    """Questions and answers."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of this page."""
        return [
            ("GET", "/ask", self.show),
            ("POST", "/explain", self.explain),
            ("POST", "/ask", self.ask),
            ("GET", "/answers/{id}.{form}", self.save),
            ("GET", "/answers/{id}", self.show_answer),
            ("POST", "/answers/{id}/leave", self.leave),
        ]

    async def show(self, request: Request) -> Response:
        """The empty page, or a question from its address: it is explained and never asked."""
        query = dict(request.query_params)
        fields = {
            "sql": query.get("q", "")[:SQL],
            "by": "within" if "within" in query else "epsilon",
            "price": query.get("within") or query.get("epsilon", ""),
            "confidence": query.get("confidence", ""),
            "twin": query.get("twin", ""),
        }
        return await self._show_with(request, await self._gate.visitor(request), fields)

    async def explain(self, request: Request) -> Response:
        """What an answer to the typed question would be made of and cost."""
        who, fields = await self._pages.form(request)
        if "x-part" not in request.headers:
            return await self._show_with(request, who, fields)
        asked = {**_TYPED, **fields}
        explained = await self._explained(who, asked)
        return self._pages.render(request, "explanation.html", who, asked=asked, **explained)

    async def ask(self, request: Request) -> Response:
        """Ask the typed question: the answer, or the wait for it."""
        who, fields = await self._pages.form(request)
        part = "x-part" in request.headers
        asked = {**_TYPED, **fields}
        try:
            answer, waiting = await self._ask(who, asked, part=part)
        except TacitError as refusal:
            refused = refusal_view(refusal, asked["sql"])
            if part:
                return self._pages.render(request, "refused.html", who, 200, problem=refused)
            return await self._show_with(request, who, fields, refused=refused)
        if part:
            return self._part(request, who, answer, waiting)
        if waiting:
            return RedirectResponse(f"/answers/{waiting['id']}", 303)
        return await self._show_with(request, who, fields, answer=answer)

    async def show_answer(self, request: Request, id: str) -> Response:  # noqa: A002 -- as it is called
        """An answer, once its slot has ended; until then the page comes back by itself."""
        who = await self._gate.visitor(request)
        part = "x-part" in request.headers
        try:
            answer, waiting = await self._outcome(who, self._desk.job(who.identity, id), part=True)
        except TacitError as refusal:
            if not part:
                raise
            refused = refusal_view(refusal, "")
            return self._pages.render(request, "refused.html", who, 200, problem=refused)
        if part:
            return self._part(request, who, answer, waiting)
        return await self._pages.show(request, "kept.html", who, answer=answer, waiting=waiting)

    async def save(self, request: Request, id: str, form: str) -> Response:  # noqa: A002 -- as it is called
        """An answer as a file: CSV or Arrow."""
        who = await self._gate.visitor(request)
        job = self._desk.job(who.identity, id)
        if form not in _FORMS or not job.is_done:
            raise NotFound("answer", f"{id}.{form}")
        return answer_as(job.outcome(), _FORMS[form])

    async def leave(self, request: Request, id: str) -> Response:  # noqa: A002 -- as it is called
        """Stop waiting: the question is asked to its end, and its answer is kept."""
        who, _ = await self._pages.form(request)
        self._desk.asking.leave(who.identity, id)
        if "x-part" in request.headers:
            return self._pages.render(request, "left.html", who)
        return RedirectResponse("/history", 303)

    async def _ask(self, who: Visitor, asked: dict[str, Any], *, part: bool) -> tuple[Any, Any]:
        question = question_from(asked)
        if asked.get("twin") == "on":
            release = await self._desk.run(lambda: self._desk.ask_twin(who.identity, question))
            return answer_view(release), None
        job = await self._desk.ask(who.identity, question, asked.get("key") or None)
        return await self._outcome(who, job, part=part)

    async def _outcome(self, who: Visitor, job: Job, *, part: bool) -> tuple[Any, Any]:
        """The answer of a job, or how long it takes."""
        left, late = self._desk.asking.seconds_left(job), False
        if left <= 0 and not job.is_done:  # the slot was missed: it leaves when the longest ends
            left, late = self._desk.asking.seconds_left(job, missed=True), True
        if not job.is_done and (part or left > PATIENCE):
            return None, {"id": job.id, "seconds": left, "late": late}
        return answer_view(await job.result(), job.id, self._pages.own_scale(who)), None

    def _part(self, request: Request, who: Visitor, answer: Any, waiting: Any) -> Response:
        name = "answer.html" if answer else "waiting.html"
        return self._pages.render(request, name, who, answer=answer, waiting=waiting)

    async def _show_with(
        self, request: Request, who: Visitor, fields: dict[str, str], **more: Any
    ) -> Response:
        check_right(who.identity, "ask")
        tables = await table_views(self._desk, who)
        asked = self._asked(who, fields, next((each["name"] for each in tables), "t"))
        names = {each["name"]: [c["column"] for c in each["columns"]] for each in tables}
        return await self._pages.show(
            request,
            "ask.html",
            who,
            tables=tables,
            searched=sum(len(each) for each in names.values()) > MANY_COLUMNS,
            schema=json_text(names),
            url=url_of(request),
            asked=asked,
            **await self._explained(who, asked),
            **{"answer": None, "waiting": None, "refused": None, **more},
        )

    def _asked(self, who: Visitor, fields: dict[str, str], table: str) -> dict[str, Any]:
        """What the form holds: what was typed, and where nothing was, a question and a price to begin with."""
        usual = f"{float(Fraction(who.identity.price or _EXAMPLE_PRICE)):g}"
        return {
            "sql": fields.get("sql") or f"SELECT COUNT(*) AS n\nFROM {table}",
            "by": "within" if fields.get("by") == "within" else "epsilon",
            "price": fields.get("price") or usual,
            "confidence": fields.get("confidence") or "0.95",
            "twin": fields.get("twin") == "on",
        }

    async def _explained(self, who: Visitor, asked: dict[str, Any]) -> dict[str, Any]:
        """The explanation of what is typed, or its refusal; it is free."""
        try:
            question = question_from(asked)
            told = await self._desk.run(lambda: self._desk.explain(who.identity, question))
            today = await self._desk.run(lambda: self._desk.left_today(who.identity))
            fits = await self._desk.run(lambda: self._desk.price_that_fits(who.identity, told))
        except TacitError as refusal:
            return {"told": None, "problem": refusal_view(refusal, asked["sql"])}
        share, left = told.own or (told.share, told.left)
        is_paid = not told.free and told.affordable
        is_beyond = today is not None and is_paid and told.share > today
        return {
            "told": told,
            "problem": None,
            "derived": columns_of_parts(
                (each.measure for each in told.expected), (each.column for each in told.means)
            ),
            "many": how_many_fit(share, left),
            "many_today": None if today is None else how_many_fit(told.share, today),
            "today": (today or 0.0) * (self._pages.own_scale(who) or 1) if is_beyond else None,
            "ways": ways_to_halve(told.halving, None if told.own is None else told.own[0]),
            "halved": self._halved(who, question),
            "fitting": None if fits is None else f"{float(fits):g}",
            "typed": question.sql,
        }

    def _halved(self, who: Visitor, question: Question) -> dict[str, str]:
        """A question with half the error: by what it is paid, and how much that is."""
        if question.within is not None:
            return {"by": "within", "price": f"{float(question.within) / 2:g}"}
        epsilon = float(Fraction(question.epsilon or who.identity.price or _EXAMPLE_PRICE))
        return {"by": "epsilon", "price": price_to_halve(self._desk.policy.limit, epsilon)}
