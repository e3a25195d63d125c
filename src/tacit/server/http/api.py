"""The HTTP interface, `/api/v1`: one function a route, each of which translates and asks the desk."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from tacit.errors import NotFound
from tacit.server.desk import Desk
from tacit.server.http import request_models, response_models
from tacit.server.http.authenticate_requests import Gate, Visitor
from tacit.server.http.forecast import forecast
from tacit.server.http.values import ARROW, CSV, answer_response
from tacit.server.jobs import Job
from tacit.server.json_forms import (
    answer_fields,
    budget_fields,
    explanation_fields,
    limit_fields,
    standing_fields,
    table_fields,
)
from tacit.server.ledger_views import PastQuestion, Verification

__all__ = ["api_routes"]

PATIENCE = 10.0
"""The longest that a request waits for its answer, in seconds; beyond that it is told where to look."""

_TOKEN_DAYS = 0.5

_FORMS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": response_models.Answer,
        "description": "The answer.",
        "content": {
            CSV: {"schema": {"type": "string"}},
            ARROW: {"schema": {"type": "string", "format": "binary"}},
        },
    },
    202: {
        "model": response_models.Waiting,
        "description": "The answer is sent when its slot ends.",
        "headers": {
            "Location": {"schema": {"type": "string"}},
            "Retry-After": {"schema": {"type": "integer"}},
        },
    },
}

Entry = Annotated[int, Path(ge=0, le=2**62)]
Name = Annotated[str, Path(max_length=200)]


Visiting = Callable[[Request], Awaitable[Visitor]]
"""What tells who a request is from, or refuses it."""


def api_routes(gate: Gate) -> APIRouter:
    """The routes of the interface."""
    routes = APIRouter(prefix="/api/v1")

    async def visitor(request: Request) -> Visitor:
        return await gate.visitor(request)

    for add in (
        *(_sign_in_routes, _table_routes, _question_routes, _answer_routes, _release_routes),
        *(_survey_routes, _receipt_routes, _budget_routes, _curator_routes, _ledger_routes),
    ):
        add(routes, gate.desk, visitor)
    return routes


def _sign_in_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """How programs sign in."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.post("/tokens", status_code=201, tags=["sign in"])
    async def make_token(
        request: Request, body: request_models.SignInBody
    ) -> response_models.TokenMade:
        """A bearer token for twelve hours, in exchange for a name and a password."""
        address = request.client.host if request.client else "nowhere"
        who = await desk.run(lambda: desk.people.sign_in(body.name, body.password, address))
        token = await desk.run(lambda: desk.people.new_token(who, "by password", days=_TOKEN_DAYS))
        return response_models.TokenMade(token=token, expires_in=int(_TOKEN_DAYS * 86_400))

    @routes.get("/me", tags=["sign in"])
    async def read_me(who: Who) -> response_models.Me:
        """Who is signed in, and what is left."""
        standing = await desk.run(lambda: desk.standing(who.identity))
        return response_models.Me.model_validate(standing_fields(standing))


def _table_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What is declared."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.get("/tables", tags=["tables"])
    async def list_tables(who: Who) -> response_models.TablesTold:
        """The declared tables, with declared and estimated bounds."""
        found = await desk.run(lambda: desk.tables(who.identity))
        policy = desk.policy
        own = policy.analysts.get(who.identity.payer or "")
        return response_models.TablesTold(
            unit=policy.unit,
            replay=policy.replay,
            limit=limit_fields(policy.limit),
            own=None if own is None else limit_fields(own),
            tables=[
                {**table_fields(shared.asked_table), "keys": shared.keys}
                for shared in found.values()
            ],
        )

    @routes.get("/tables/{name}", tags=["tables"])
    async def read_table(who: Who, name: Name) -> response_models.TableTold:
        """One table, and what can be asked about its columns."""
        found = await desk.run(lambda: desk.tables(who.identity))
        if name not in found:
            raise NotFound("table", name)
        listing = await desk.run(lambda: desk.describe(who.identity, name))
        return response_models.TableTold(
            version=desk.version(name),
            table=table_fields(found[name].asked_table),
            listing=response_models.Answer.model_validate(answer_fields(listing)),
        )


def _question_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What is asked, for nothing or for a charge."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.post("/explanations", tags=["questions"])
    async def explain(
        who: Who, body: request_models.QuestionBody
    ) -> response_models.ExplanationTold:
        """What an answer would contain and cost.  This is free, and no row is read."""
        told = await desk.run(lambda: desk.explain(who.identity, body.question()))
        return response_models.ExplanationTold.model_validate(explanation_fields(told))

    @routes.post("/answers", response_model=None, responses=_FORMS, tags=["questions"])
    async def ask(
        request: Request,
        who: Who,
        body: request_models.AnswerBody,
        prefer: Annotated[str, Header()] = "",
        idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
    ) -> Response:
        """The answer, charged once; if its slot is long, the id under which to fetch it."""
        job = await desk.ask(who.identity, body.question(), idempotency_key)
        return await _respond(request, desk, job, patient="respond-async" not in prefer)

    @routes.post(
        "/twin/answers", response_model=None, responses={200: _FORMS[200]}, tags=["questions"]
    )
    async def ask_twin(request: Request, who: Who, body: request_models.AnswerBody) -> Response:
        """The answer on made-up rows.  It is free."""
        release = await desk.run(lambda: desk.ask_twin(who.identity, body.question()))
        return answer_response(request, release)


def _answer_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What was asked, and what came of it."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.get("/answers", tags=["questions"])
    async def list_answers(
        who: Who,
        table: Annotated[str | None, Query(max_length=200)] = None,
        after: Annotated[int | None, Query(ge=0, le=2**62)] = None,
        most: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> response_models.History:
        """Your own questions, newest first."""
        found = await desk.run(
            lambda: desk.ledger.history(who.identity, before=after, most=most, table=table)
        )
        following = found[-1].entry if len(found) == most else None
        return response_models.History(answers=[_past(each) for each in found], next=following)

    @routes.get("/answers/{id}", response_model=None, responses=_FORMS, tags=["questions"])
    async def read_answer(request: Request, who: Who, id: Name) -> Response:  # noqa: A002 -- as it is called
        """An answer, once its slot has ended."""
        job = desk.job(who.identity, id)
        return await _respond(request, desk, job, patient=False)

    @routes.delete("/answers/{id}", status_code=204, tags=["questions"])
    async def leave_answer(who: Who, id: Name) -> None:  # noqa: A002 -- as it is called
        """Stop waiting.  The question runs to its end and its answer is stored: asking again is free."""
        desk.asking.leave(who.identity, id)


def _release_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What is made of rows beside answers: synthetic tables and models."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.post("/synthetic-tables", response_model=None, responses=_FORMS, tags=["releases"])
    async def synthesize(
        request: Request,
        who: Who,
        body: request_models.SyntheticBody,
        prefer: Annotated[str, Header()] = "",
    ) -> Response:
        """Rows that look like a table's own and belong to nobody, at one price; more of them are free."""
        job = await desk.releases.synthesize(
            who.identity,
            body.table,
            request_models.exact_number(body.epsilon),
            columns=body.columns,
            always=body.always,
            rows=body.rows,
        )
        return await _respond(request, desk, job, patient="respond-async" not in prefer)

    @routes.post("/models", response_model=None, responses=_FORMS, tags=["releases"])
    async def learn(
        request: Request,
        who: Who,
        body: request_models.ModelBody,
        prefer: Annotated[str, Header()] = "",
    ) -> Response:
        """A model fitted to rows, as JSON with its numbers in Base64; the same fit again is free."""
        job = await desk.releases.learn(who.identity, body.fit())
        return await _respond(request, desk, job, patient="respond-async" not in prefer)


def _survey_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """Surveys, which need no row of the vault."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.get("/surveys", tags=["releases"])
    async def list_surveys(who: Who) -> response_models.SurveysTold:
        """The collected surveys: their questions and their privacy promise."""
        found = await desk.run(lambda: desk.surveys(who.identity))
        return response_models.SurveysTold(
            surveys=[
                response_models.SurveyTold(
                    name=name, answers=list(each.values), promise=dict(each.promise)
                )
                for name, each in found.items()
            ]
        )

    @routes.get(
        "/surveys/{survey}", response_model=None, responses={200: _FORMS[200]}, tags=["releases"]
    )
    async def read_survey(request: Request, who: Who, survey: Name) -> Response:
        """Estimates, with intervals, of how often each answer was given.  This is free."""
        release = await desk.run(lambda: desk.survey(who.identity, survey))
        return answer_response(request, release)


def _receipt_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What was answered, and whether the ledger has it."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.get("/receipts/{entry}", tags=["receipts"])
    async def read_receipt(who: Who, entry: Entry) -> dict[str, Any]:
        """The receipt of an answer."""
        return await desk.run(lambda: desk.ledger.receipt(who.identity, entry))

    @routes.post("/receipts/check", tags=["receipts"])
    async def check_receipt(who: Who, body: request_models.ReceiptBody) -> response_models.Faults:
        """The fields in which a receipt differs from the ledger."""
        receipt: Mapping[str, Any] = body.model_dump()
        return response_models.Faults(
            faults=await desk.run(lambda: desk.ledger.check_receipt(who.identity, receipt))
        )


def _budget_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What is spent and left."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.get("/budget", tags=["budget"])
    async def read_budget(who: Who) -> response_models.BudgetTold:
        """What is spent and left."""
        budget = await desk.run(lambda: desk.budget(who.identity))
        return response_models.BudgetTold.model_validate(budget_fields(budget))

    @routes.get("/budget/analysts", tags=["budget"])
    async def read_budgets(who: Who) -> dict[str, response_models.BudgetTold]:
        """What each analyst has spent and left."""
        found = await desk.run(lambda: desk.budgets(who.identity))
        return {
            name: response_models.BudgetTold.model_validate(budget_fields(each))
            for name, each in found.items()
        }

    @routes.get("/budget/forecast", tags=["budget"])
    async def read_forecast(who: Who) -> response_models.Forecast:
        """When the limit will be reached at the pace of the last seven days, and how many answers still fit."""
        standing = await desk.run(lambda: desk.standing(who.identity))
        spending = await desk.run(lambda: desk.ledger.spending(who.identity))
        return response_models.Forecast.model_validate(forecast(standing, spending, desk.policy))


def _curator_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What a curator decides and finds."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.post("/bounds", response_model=None, responses=_FORMS, tags=["curator"])
    async def find_bounds(request: Request, who: Who, body: request_models.BoundsBody) -> Response:
        """Estimate the bounds of a column, privately and at a price."""
        epsilon = request_models.exact_number(body.epsilon)
        job = await desk.releases.find_bounds(who.identity, body.column, epsilon, body.share)
        return await _respond(request, desk, job, patient=True)

    @routes.post("/contributions", response_model=None, responses=_FORMS, tags=["curator"])
    async def find_contributions(
        request: Request, who: Who, body: request_models.ContributionsBody
    ) -> Response:
        """Estimate the contribution bound of a table, privately and at a price."""
        epsilon = request_models.exact_number(body.epsilon)
        job = await desk.releases.find_contributions(who.identity, body.table, epsilon, body.share)
        return await _respond(request, desk, job, patient=True)

    @routes.post("/tables/{name}/refresh", tags=["curator"])
    async def refresh(who: Who, name: Name) -> response_models.Version:
        """Declare that the rows of a table have changed: its answers are no longer replayed."""
        version = await desk.run(lambda: desk.refresh(who.identity, name))
        return response_models.Version(table=name, version=version)

    @routes.post("/policy/reload", status_code=204, tags=["curator"])
    async def reload(who: Who) -> None:
        """Read the policy again."""
        await desk.run(lambda: desk.reload(who.identity))


def _ledger_routes(routes: APIRouter, desk: Desk, visitor: Visiting) -> None:
    """What the ledger has, for who checks it."""
    Who = Annotated[Visitor, Depends(visitor)]

    @routes.get("/ledger/records", tags=["ledger"])
    async def read_records(
        who: Who,
        first: Annotated[int, Query(alias="from", ge=0, le=2**62)] = 0,
        most: Annotated[int, Query(ge=1, le=200)] = 200,
    ) -> response_models.Records:
        """Records of the ledger, oldest first."""
        found = await desk.run(lambda: desk.ledger.records(who.identity, first=first, most=most))
        return response_models.Records(
            records=found, next=first + most if len(found) == most else None
        )

    @routes.post("/ledger/verifications", status_code=202, tags=["ledger"])
    async def verify(who: Who) -> response_models.VerificationTold:
        """Check the whole ledger."""
        return _verification(desk.ledger.verify(who.identity))

    @routes.get("/ledger/verifications/{number}", tags=["ledger"])
    async def read_verification(who: Who, number: Entry) -> response_models.VerificationTold:
        """The progress and the result of a check of the ledger."""
        return _verification(desk.ledger.verification(who.identity, number))


async def _respond(request: Request, desk: Desk, job: Job, *, patient: bool) -> Response:
    """The answer if it is there or soon will be; else where it will be, and when."""
    if not job.is_done:
        left = desk.asking.seconds_left(job)
        if not patient or left > PATIENCE:
            told = {"id": job.id, "seconds": left, "length": desk.asking.length_of(job)}
            headers = {
                "Location": f"/api/v1/answers/{job.id}",
                "Retry-After": str(max(1, round(left + 0.5))),
            }
            return JSONResponse(told, 202, headers)
    return answer_response(request, await job.result(), job.id)


def _past(each: PastQuestion) -> response_models.Past:
    names = response_models.Past.model_fields
    return response_models.Past.model_validate({name: getattr(each, name) for name in names})


def _verification(check: Verification) -> response_models.VerificationTold:
    names = response_models.VerificationTold.model_fields
    return response_models.VerificationTold.model_validate(
        {name: getattr(check, name) for name in names}
    )
