"""The application: the interface, the workbench, their problems and the document that describes them."""

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException

from tacit.errors import TacitError
from tacit.server.desk import Desk
from tacit.server.http import response_models
from tacit.server.http.api import api_routes
from tacit.server.http.authenticate_requests import Gate, Headers
from tacit.server.http.connections import WirePlace
from tacit.server.http.pages import STATIC, Pages, page_routes
from tacit.server.http.problems import MEDIA, TYPES, problem_from, problem_of, problem_response
from tacit.server.http.wrong_requests import problem_of_request
from tacit.server.server_health import Watching
from tacit.server.sessions import Sessions

__all__ = ["make_app"]

_TITLE = "Tacit"
# What is raised may be private: of a mistake its place alone is recorded, whatever the environment asks for.
_NO_TRACES: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
_WORDS = {404: "not-found", 405: "method-not-allowed", 406: "not-acceptable", 413: "too-large"}
_ALWAYS = (401, 403, 413, 422, 429, 500, 503)


def make_app(
    desk: Desk,
    sessions: Sessions,
    *,
    secure: bool = True,
    version: str = "1",
    wire: WirePlace = lambda: None,
    watching: Watching | None = None,
) -> Headers:
    """The application over a desk, as an ASGI server runs it.

    `wire` says where the PostgreSQL door is, `watching` how the server does.
    """
    gate = Gate(desk, sessions, secure=secure)
    pages = Pages(gate, wire=wire, watching=watching)
    app = FastAPI(
        title=_TITLE,
        version=version,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry=_NO_TRACES,
    )
    _show_refusals(app, desk, pages)
    _show_state(app, desk)
    app.include_router(api_routes(gate))
    app.include_router(page_routes(pages))
    app.mount("/static", STATIC)
    return Headers(app, secure=secure)


def _show_refusals(app: FastAPI, desk: Desk, pages: Pages) -> None:
    """Answer refusals, wrong requests and mistakes of our own by problems, as pages or as JSON."""

    @app.exception_handler(Exception)
    async def hide_mistake(request: Request, mistake: Exception) -> Response:
        desk.note_mistake(mistake, "http")
        said = problem_of("internal", "something went wrong here; try again")
        if _is_for_people(request):  # who is signed in is not looked up: that may be what failed
            return pages.render(request, "problem.html", None, said["status"], problem=said)
        return problem_response(said)

    @app.exception_handler(TacitError)
    async def refuse(request: Request, refusal: TacitError) -> Response:
        return await _show(pages, request, problem_from(refusal))

    @app.exception_handler(RequestValidationError)
    async def refuse_body(request: Request, wrong: RequestValidationError) -> Response:
        return await _show(pages, request, problem_of_request(wrong.errors()[0]))

    @app.exception_handler(HTTPException)
    async def refuse_path(request: Request, wrong: HTTPException) -> Response:
        kind = _WORDS.get(wrong.status_code, "invalid-input")
        path = request.url.path
        said = f"{path} is no page" if kind == "not-found" else f"{path}: {TYPES[kind][1].lower()}"
        response = await _show(pages, request, problem_of(kind, said))
        for name, value in (wrong.headers or {}).items():
            response.headers[name] = value
        return response


def _show_state(app: FastAPI, desk: Desk) -> None:
    """The routes that say how the server does, and what describes its interface."""

    @app.get("/healthz", include_in_schema=False)
    async def health() -> JSONResponse:
        """Whether the server runs: always the same body."""
        return JSONResponse({"state": "running"})

    @app.get("/readyz", include_in_schema=False)
    async def readiness() -> JSONResponse:
        """Whether questions are taken."""
        ready = await desk.run(lambda: desk.is_ready)
        return JSONResponse({"state": "ready" if ready else "not ready"}, 200 if ready else 503)

    @app.get("/api/v1/openapi.json", include_in_schema=False)
    async def document() -> JSONResponse:
        """The document that describes the interface."""
        return JSONResponse(describe_app(app))


def describe_app(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document: every operation declares the problems in which it may end."""
    if app.openapi_schema:
        return app.openapi_schema
    document = get_openapi(
        title=_TITLE,
        version=app.version,
        openapi_version="3.1.0",
        description="Private answers about a vault: see the how-to page 'Run a server'.",
        routes=app.routes,
    )
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components["Problem"] = response_models.Problem.model_json_schema()
    components.pop("HTTPValidationError", None)
    components.pop("ValidationError", None)
    document["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            signing = path.endswith("/tokens")
            if not signing:
                operation["security"] = [{"bearer": []}]
            statuses = {*_ALWAYS, 406}
            if "{" in path or path.endswith("/check"):
                statuses.add(404)
            if method == "post" and path.endswith("/answers"):
                statuses.add(409)
            for status in sorted(statuses):
                operation["responses"][str(status)] = {
                    "description": _titles(status),
                    "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
                }
    app.openapi_schema = document
    return document


def _titles(status: int) -> str:
    return "; ".join(title for code, title in TYPES.values() if code == status) or "A problem"


async def _show(pages: Pages, request: Request, problem: dict[str, Any]) -> Response:
    """A problem: a document for programs, a page for people."""
    if _is_for_people(request):
        return await pages.problem(request, problem)
    return problem_response(problem)


def _is_for_people(request: Request) -> bool:
    """Whether a browser asks for a page."""
    wants = "text/html" in request.headers.get("accept", "")
    return wants and not request.url.path.startswith("/api/")
