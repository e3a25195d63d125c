"""The workbench: pages that the server renders, which work without scripts and are nicer with them."""

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.staticfiles import StaticFiles

from tacit.errors import AccessDenied, InvalidInput, TacitError
from tacit.printing import json_text
from tacit.server.forms import policy_faults
from tacit.server.http.charts import MOST_ROWS, budget_bar, format_number, steps, whiskers
from tacit.server.http.forecast import forecast
from tacit.server.http.gate import Gate, Visitor, check_origin
from tacit.server.http.models import SQL, exact_number
from tacit.server.http.problems import problem_from
from tacit.server.http.remedies import rewrite_of
from tacit.server.jobs import Job, Question
from tacit.server.rights import check_right

__all__ = ["STATIC", "Pages", "page_routes"]

_HERE = Path(__file__).parent
STATIC = StaticFiles(directory=_HERE / "static")
"""Style sheets and scripts, as they are in the package."""

PATIENCE = 10.0
"""The longest that a form waits for its answer, in seconds."""

_MENU = {
    "analyst": ("ask", "history", "budget", "tables"),
    "curator": (
        *("ask", "history", "budget", "tables"),
        *("policy", "people", "ledger", "operations"),
    ),
    "auditor": ("ledger", "budget", "tables"),
}
_EXAMPLE_PRICE = "0.1"


class Pages:
    """Templates, and what every page shows: who is signed in, the menu, the budget."""

    def __init__(self, gate: Gate) -> None:
        self.gate, self.desk = gate, gate.desk
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {"number": format_number, "moment": _moment, "share": _share}

    def render(
        self,
        request: Request,
        template: str,
        who: Visitor | None = None,
        status: int = 200,
        **shown: Any,
    ) -> HTMLResponse:
        """A page, or a part of one."""
        text = self._templates.get_template(template).render(
            nonce=request.state.nonce,
            **{"standing": None, "told": None, "problem": None, "many": None, **shown},
            who=None if who is None else who.identity,
            csrf="" if who is None else who.csrf or "",
            menu=() if who is None else _MENU[who.identity.role],
            here=request.url.path.split("/")[1],
            bar=budget_bar,
        )
        return HTMLResponse(text, status, headers={"Cache-Control": "no-store"})

    async def standing(self, who: Visitor) -> Any:
        """The budget of who is signed in."""
        return await self.desk.run(lambda: self.desk.standing(who.identity))

    async def form(self, request: Request) -> tuple[Visitor, dict[str, str]]:
        """Who sent a form, and what it holds; its token against forgery may be a field."""
        fields = await read_form(request)
        request.state.csrf = fields.get("csrf", "")
        return self.gate.visitor(request), fields

    def problem(self, request: Request, problem: dict[str, Any]) -> Response:
        """A refusal as a page; who is not signed in is asked to sign in."""
        if problem["status"] == 401:
            return RedirectResponse("/signin", 303)
        try:
            who = self.gate.find_visitor(request)
        except TacitError:
            who = None
        return self.render(
            request, "problem.html", who, problem["status"], problem=problem, standing=None
        )


def page_routes(pages: Pages) -> APIRouter:
    """The pages for everybody who is signed in, and those to sign in."""
    routes = APIRouter(include_in_schema=False)
    desk, gate = pages.desk, pages.gate

    @routes.get("/")
    async def home(request: Request) -> Response:
        """The first page of who is signed in."""
        who = gate.find_visitor(request)
        return RedirectResponse(
            "/signin" if who is None else f"/{_MENU[who.identity.role][0]}", 303
        )

    @routes.get("/signin")
    async def show_sign_in(request: Request) -> Response:
        """The form to sign in."""
        return pages.render(request, "signin.html", wrong="", name="")

    @routes.post("/signin")
    async def sign_in(request: Request) -> Response:
        """Sign in by name and password."""
        check_origin(request)
        fields = await read_form(request)
        name, address = fields.get("name", ""), request.client.host if request.client else "nowhere"
        try:
            who = await desk.run(
                lambda: desk.people.sign_in(name, fields.get("password", ""), address)
            )
        except TacitError as refusal:
            status = problem_from(refusal)["status"]
            wrong = str(refusal)
            return pages.render(request, "signin.html", None, status, wrong=wrong, name=name)
        return _with_cookie(gate, RedirectResponse("/", 303), who)

    @routes.post("/signout")
    async def sign_out(request: Request) -> Response:
        """Sign out: the browser forgets the session, and no copy of its cookie counts any more."""
        who, _ = await pages.form(request)
        await desk.run(lambda: desk.people.sign_out(who.identity))
        response = RedirectResponse("/signin", 303)
        response.delete_cookie(gate.cookie, path="/")
        return response

    @routes.get("/welcome/{secret}")
    async def show_welcome(request: Request, secret: str) -> Response:
        """The form to choose a password, by a link that counts once."""
        name = desk.people.name_of_link(secret)
        return pages.render(request, "welcome.html", wrong="", name=name, secret=secret)

    @routes.post("/welcome/{secret}")
    async def welcome(request: Request, secret: str) -> Response:
        """Choose a password, and be signed in."""
        check_origin(request)
        fields = await read_form(request)
        name = desk.people.name_of_link(secret)
        if fields.get("password") != fields.get("again"):
            wrong = "the two passwords differ; type the same one twice"
            return pages.render(
                request, "welcome.html", None, 422, wrong=wrong, name=name, secret=secret
            )
        try:
            who = await desk.run(lambda: desk.people.use_link(secret, fields.get("password", "")))
        except InvalidInput as refusal:
            wrong = refusal.remedy
            return pages.render(
                request, "welcome.html", None, 422, wrong=wrong, name=name, secret=secret
            )
        return _with_cookie(gate, RedirectResponse("/", 303), who)

    _question_pages(routes, pages)
    _other_pages(routes, pages)
    _curator_pages(routes, pages)
    return routes


def _question_pages(routes: APIRouter, pages: Pages) -> None:
    desk, gate = pages.desk, pages.gate

    async def shown_with(
        request: Request, who: Visitor, fields: dict[str, str], **more: Any
    ) -> Response:
        check_right(who.identity, "ask")
        found = await desk.run(lambda: desk.tables(who.identity))
        tables = await desk.run(lambda: _tables(desk, who, found))
        first = next(iter(found), "t")
        usual = f"{float(Fraction(who.identity.price or _EXAMPLE_PRICE)):g}"
        asked = {
            "sql": fields.get("sql") or f"SELECT COUNT(*) AS n\nFROM {first}",
            "by": "within" if fields.get("by") == "within" else "epsilon",
            "price": fields.get("price") or usual,
            "confidence": fields.get("confidence") or "0.95",
            "twin": fields.get("twin") == "on",
        }
        explained = await explained_with(who, asked)
        schema = json_text(
            {each["name"]: [c["column"] for c in each["columns"]] for each in tables}
        )
        return pages.render(
            request,
            "ask.html",
            who,
            standing=await pages.standing(who),
            tables=tables,
            schema=schema,
            asked=asked,
            **explained,
            **{"answer": None, "waiting": None, "refused": None, **more},
        )

    async def explained_with(who: Visitor, asked: dict[str, Any]) -> dict[str, Any]:
        """The explanation of what is typed, or its refusal; it is free."""
        try:
            question = _question(asked)
            told = await desk.run(lambda: desk.explain(who.identity, question))
        except TacitError as refusal:
            return {"told": None, "problem": _refusal(refusal, asked["sql"])}
        share, left = told.own or (told.share, told.left)
        many = int(left / share * (1 + 1e-9)) if share > 0 else None
        factor = 4 if desk.policy.limit.delta else 2
        return {"told": told, "problem": None, "many": many, "factor": factor, "asked_by": asked}

    @routes.get("/ask")
    async def show_ask(request: Request) -> Response:
        """The page on which questions are written; what its address holds is explained and never asked."""
        query = dict(request.query_params)
        fields = {
            "sql": query.get("q", "")[:SQL],
            "by": "within" if "within" in query else "epsilon",
            "price": query.get("within") or query.get("epsilon", ""),
            "confidence": query.get("confidence", ""),
        }
        return await shown_with(request, gate.visitor(request), fields)

    @routes.post("/explain")
    async def explain(request: Request) -> Response:
        """What an answer to the typed question would be made of and cost."""
        who, fields = await pages.form(request)
        if "x-part" not in request.headers:
            return await shown_with(request, who, fields)
        asked = {"sql": "", "by": "epsilon", "price": "", "confidence": "0.95", **fields}
        explained = await explained_with(who, asked)
        return pages.render(request, "explanation.html", who, asked=asked, **explained)

    @routes.post("/ask")
    async def ask(request: Request) -> Response:
        """Ask the typed question: the answer, or the wait for it."""
        who, fields = await pages.form(request)
        part = "x-part" in request.headers
        asked = {"sql": "", "by": "epsilon", "price": "", "confidence": "0.95", **fields}
        try:
            question = _question(asked)
            if fields.get("twin") == "on":
                release = await desk.run(lambda: desk.ask_twin(who.identity, question))
                answer: Any = _answer(release)
                waiting = None
            else:
                job = await desk.ask(who.identity, question, fields.get("key") or None)
                answer, waiting = await _outcome(job, part=part)
        except TacitError as refusal:
            refused = _refusal(refusal, asked["sql"])
            if part:
                return pages.render(request, "refused.html", who, 200, problem=refused)
            return await shown_with(request, who, fields, refused=refused)
        if part:
            name = "answer.html" if answer else "waiting.html"
            return pages.render(request, name, who, answer=answer, waiting=waiting)
        if waiting:
            return RedirectResponse(f"/answers/{waiting['id']}", 303)
        return await shown_with(request, who, fields, answer=answer)

    async def _outcome(job: Job, *, part: bool) -> tuple[Any, Any]:
        left = desk.seconds_left(job)
        if not job.is_done and (part or left > PATIENCE):
            return None, {"id": job.id, "seconds": left}
        return _answer(await job.result()), None

    @routes.get("/answers/{id}")
    async def show_answer(request: Request, id: str) -> Response:  # noqa: A002 -- as it is called
        """An answer, once its slot has ended; until then the page comes back by itself."""
        who = gate.visitor(request)
        part = "x-part" in request.headers
        try:
            answer, waiting = await _outcome(desk.job(who.identity, id), part=True)
        except TacitError as refusal:
            if not part:
                raise
            return pages.render(request, "refused.html", who, 200, problem=_refusal(refusal, ""))
        if part:
            name = "answer.html" if answer else "waiting.html"
            return pages.render(request, name, who, answer=answer, waiting=waiting)
        return pages.render(
            request,
            "kept.html",
            who,
            answer=answer,
            waiting=waiting,
            standing=await pages.standing(who),
        )


def _other_pages(routes: APIRouter, pages: Pages) -> None:
    desk, gate = pages.desk, pages.gate

    @routes.get("/history")
    async def show_history(
        request: Request, before: int | None = None, table: str = ""
    ) -> Response:
        """What somebody paid for, newest first."""
        who = gate.visitor(request)
        found = await desk.run(
            lambda: desk.ledger.history(who.identity, before=before, most=50, table=table or None)
        )
        following = found[-1].entry if len(found) == 50 else None
        return pages.render(
            request,
            "history.html",
            who,
            standing=await pages.standing(who),
            past=found,
            following=following,
            table=table,
            tables=list(desk.policy.tables),
        )

    @routes.get("/receipts/{entry}")
    async def show_receipt(request: Request, entry: int) -> Response:
        """A receipt, and whether the ledger agrees with it."""
        who = gate.visitor(request)
        receipt = await desk.run(lambda: desk.ledger.receipt(who.identity, entry))
        faults = await desk.run(lambda: desk.ledger.check_receipt(who.identity, receipt))
        return pages.render(
            request,
            "receipt.html",
            who,
            standing=await pages.standing(who),
            receipt=receipt,
            faults=faults,
            fields=_flat(receipt),
        )

    @routes.get("/budget")
    async def show_budget(request: Request) -> Response:
        """What is spent and left, over time, and what still fits."""
        who = gate.visitor(request)
        standing = await pages.standing(who)
        spending = await desk.run(lambda: desk.ledger.spending(who.identity))
        everyone = who.identity.role in {"curator", "auditor"}
        budgets = await desk.run(lambda: desk.budgets(who.identity)) if everyone else {}
        told = forecast(standing, spending, desk.policy)
        return pages.render(
            request,
            "budget.html",
            who,
            standing=standing,
            chart=steps(spending, "Spent"),
            budgets=sorted(budgets.items(), key=lambda each: -each[1].own.spent),
            forecast=told,
        )

    @routes.get("/tables")
    async def show_tables(request: Request) -> Response:
        """The declared tables."""
        who = gate.visitor(request)
        found = await desk.run(lambda: desk.tables(who.identity))
        tables = await desk.run(lambda: _tables(desk, who, found))
        return pages.render(
            request, "tables.html", who, standing=await pages.standing(who), tables=tables
        )

    @routes.get("/tables/{name}")
    async def show_table(request: Request, name: str) -> Response:
        """One table: its columns, and how to ask about it."""
        who = gate.visitor(request)
        await desk.run(lambda: desk.describe(who.identity, name))  # or it is not there
        found = await desk.run(lambda: desk.tables(who.identity))
        (table,) = await desk.run(lambda: _tables(desk, who, {name: found[name]}))
        return pages.render(
            request,
            "table.html",
            who,
            standing=await pages.standing(who),
            table=table,
            url=f"{request.url.scheme}://{request.url.netloc}",
        )


def _curator_pages(routes: APIRouter, pages: Pages) -> None:
    desk, gate = pages.desk, pages.gate

    @routes.get("/policy")
    async def show_policy(request: Request) -> Response:
        """The policy file, with its faults beside their lines."""
        who = gate.visitor(request)
        text, file = desk.policy_text(who.identity)
        faults: dict[int, list[str]] = {}
        for line, said in await desk.run(lambda: policy_faults(file)):
            faults.setdefault(line, []).append(said)
        return pages.render(
            request,
            "policy.html",
            who,
            standing=await pages.standing(who),
            lines=text.splitlines(),
            faults=faults,
        )

    @routes.post("/policy/reload")
    async def reload_policy(request: Request) -> Response:
        """Read the policy again."""
        who, _ = await pages.form(request)
        await desk.run(lambda: desk.reload(who.identity))
        return RedirectResponse("/policy", 303)

    async def people_with(request: Request, who: Visitor, **more: Any) -> Response:
        people = await desk.run(lambda: desk.people.everybody(who.identity))
        budgets = await desk.run(lambda: desk.budgets(who.identity))
        return pages.render(
            request,
            "people.html",
            who,
            standing=await pages.standing(who),
            people=people,
            budgets=budgets,
            tokens=desk.people.tokens(who.identity),
            **{"link": None, "token": None, "wrong": "", **more},
        )

    @routes.get("/people")
    async def show_people(request: Request) -> Response:
        """Who may ask."""
        return await people_with(request, gate.visitor(request))

    @routes.post("/people")
    async def change_people(request: Request) -> Response:
        """Add, disable or enable somebody, reset a password, make or revoke a token."""
        who, fields = await pages.form(request)
        name, act = fields.get("name", "").strip(), fields.get("act", "")
        shown: dict[str, Any] = {}
        check_right(who.identity, "decide")
        try:
            match act:
                case "add":
                    allowance = fields.get("allowance", "").strip()
                    secret = desk.people.add_person(
                        who.identity,
                        name,
                        fields.get("role", ""),
                        price=str(exact_number(fields["price"])) if fields.get("price") else None,
                        allowance=float(allowance) / 100 if allowance else None,
                    )
                    shown["link"] = (name, f"/welcome/{secret}")
                case "reset":
                    secret = desk.people.reset_password(who.identity, name)
                    shown["link"] = (name, f"/welcome/{secret}")
                case "token":
                    shown["token"] = (
                        name,
                        desk.people.token_for(who.identity, name, fields.get("label", ""), days=30),
                    )
                case "revoke":
                    desk.people.revoke_token(who.identity, fields.get("id", ""))
                case "disable" | "enable":
                    desk.people.set_disabled(who.identity, name, disabled=act == "disable")
                case _:
                    shown["wrong"] = "nothing was chosen"
        except (InvalidInput, ValueError) as wrong:
            shown["wrong"] = str(wrong)
        return await people_with(request, who, **shown)

    @routes.get("/ledger")
    async def show_ledger(request: Request, first: int = 0, check: int | None = None) -> Response:
        """Records of the ledger in pages, and whether it is whole."""
        who = gate.visitor(request)
        records = await desk.run(lambda: desk.ledger.records(who.identity, first=max(0, first)))
        checked = None if check is None else desk.ledger.verification(who.identity, check)
        return pages.render(
            request,
            "ledger.html",
            who,
            standing=await pages.standing(who),
            records=records,
            first=max(0, first),
            checked=checked,
        )

    @routes.post("/ledger/verify")
    async def verify_ledger(request: Request) -> Response:
        """Check the whole ledger."""
        who, _ = await pages.form(request)
        return RedirectResponse(f"/ledger?check={desk.ledger.verify(who.identity).number}", 303)

    @routes.get("/operations")
    async def show_operations(request: Request) -> Response:
        """How the server does."""
        who = gate.visitor(request)
        told = desk.operations(who.identity)
        return pages.render(
            request, "operations.html", who, standing=await pages.standing(who), told=told
        )


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that are text."""
    async with request.form(max_files=0, max_fields=20) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


def _with_cookie(gate: Gate, response: Response, who: Any) -> Response:
    response.set_cookie(**gate.cookie_for(who))
    return response


def _question(asked: dict[str, Any]) -> Question:
    """What was typed, as the desk takes it."""
    price, confidence = (
        str(asked["price"]).strip().replace(",", "."),
        str(asked["confidence"]).strip(),
    )
    try:
        sure = float(confidence or "0.95")
    except ValueError:
        raise InvalidInput("confidence", confidence, "write a number such as 0.95") from None
    if len(asked["sql"]) > SQL:
        raise InvalidInput("a question", "so long a text", f"write at most {SQL:,} characters")
    number = _typed_number(price) if price else None
    by_accuracy = asked["by"] == "within"
    epsilon, within = (None, number) if by_accuracy else (number, None)
    return Question(asked["sql"], epsilon, within, sure)


def _typed_number(text: str) -> Any:
    whole, _, part = text.partition(".")
    if len(text) > 40 or not (whole + part).isdigit() or not (whole + part).isascii():
        raise InvalidInput("the price", text, "write a number in digits, such as 0.1")
    return exact_number(text)


def _refusal(refusal: TacitError, sql: str) -> dict[str, Any]:
    """A refusal as the pages show it: where it is, why, how to mend it, and a text that does."""
    if isinstance(refusal, AccessDenied) and not refusal.signed_in:
        raise refusal
    said = problem_from(refusal)
    reason, remedy = said.get("reason"), said.get("remedy")
    same = bool(said.get("text")) and said["text"] == sql
    return {
        "title": said["title"],
        "reason": reason or said["detail"],
        "remedy": remedy if reason else "",
        "start": said["start"] if same else 0,
        "end": said["end"] if same else 0,
        "fragment": sql[said["start"] : said["end"]] if same else "",
        "rewrite": rewrite_of(sql, said) if same else None,
    }


def _answer(release: Any) -> dict[str, Any]:
    """An answer as the pages show it."""
    ends = {f"{name}{end}" for name in release.measured for end in ("_low", "_high")}
    heads = [name for name in release.columns if name not in ends]
    rows = [
        [
            (row[name], row[f"{name}_low"], row[f"{name}_high"])
            if name in release.measured
            else (row[name],)
            for name in heads
        ]
        for row in release
    ]
    charts = [(name, whiskers(release, name)) for name in release.measured]
    entry = release.receipt.get("entry")
    return {
        "heads": heads,
        "measured": release.measured,
        "rows": rows,
        "charts": [(name, chart) for name, chart in charts if chart],
        "many": len(rows) > MOST_ROWS,
        "csv": release.to_csv(),
        "price": release.price,
        "confidence": release.confidence,
        "entry": entry,
        "made_up": bool(release.receipt.get("made up")),
        "notes": [*release.notes, *(str(each) for each in release.left_out)],
    }


def _tables(desk: Any, who: Visitor, found: Any) -> list[dict[str, Any]]:
    """Declared tables as the pages show them."""
    tables = []
    for name, shared in found.items():
        listing = desk.describe(who.identity, name)
        tables.append(
            {
                "name": name,
                "unit": shared.table.unit,
                "public": shared.table.public,
                "contributions": shared.contributions,
                "columns": [dict(row) for row in listing],
                "version": desk.version(name),
                "notes": listing.notes,
                "references": shared.table.references,
                "examples": _examples(name, shared.table),
            }
        )
    return tables


def _examples(name: str, table: Any) -> list[str]:
    """Questions to begin with, from what is declared."""
    columns = [each for each in table.columns if each.name != table.unit]
    key = next((each.name for each in columns if each.values), None)
    number = next(
        (each.name for each in columns if each.low is not None and each.high is not None), None
    )
    found = [f"SELECT COUNT(*) AS n FROM {name}"]  # noqa: S608 -- for people to read
    if number:
        found.append(f"SELECT AVG({number}) AS mean FROM {name}")  # noqa: S608
    if key:
        measure = f", AVG({number}) AS mean" if number else ""
        found.append(f"SELECT {key}, COUNT(*) AS n{measure} FROM {name} GROUP BY {key}")  # noqa: S608
    return found


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Every field of a receipt by its path."""
    if isinstance(value, dict):
        return [
            pair
            for key, inner in value.items()
            for pair in _flat(inner, f"{name} · {key}" if name else str(key))
        ]
    if isinstance(value, list):
        return [(name, "; ".join(str(each) for each in value))]
    return [(name, str(value))]


def _moment(at: Any) -> str:
    """A time as people read it, UTC."""
    if at is None:
        return "never"
    found = datetime.fromtimestamp(at, UTC) if isinstance(at, float) else datetime.fromisoformat(at)
    return found.strftime("%Y-%m-%d %H:%M")


def _share(share: float) -> str:
    """A share of a limit, with as many digits as it needs.

    >>> _share(0.1234), _share(0.00012), _share(0)
    ('12.3 %', '0.012 %', '0 %')
    """
    percent = 100 * share
    return f"{percent:.3g} %" if percent < 1000 else f"{percent:,.0f} %"
