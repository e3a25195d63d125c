"""Answers in the forms that can be asked for: JSON, CSV and Arrow streams.

Checked by: tests/unit/server/http/test_api.py
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tacit.errors import NotInstalled
from tacit.server.http.problems import problem_of, problem_response
from tacit.server.json_forms import answer_fields

__all__ = ["ARROW", "CSV", "answer_as", "answer_response", "download"]

CSV = "text/csv"
"""The media type of CSV."""

ARROW = "application/vnd.apache.arrow.stream"
"""The media type of an Arrow stream."""

_EXACT = 1 << 53


def answer_response(request: Request, release: Any, id: str | None = None) -> Response:  # noqa: A002 -- as it is called
    """An answer in the form that the request accepts."""
    wanted = request.headers.get("accept", "*/*")
    for form in (CSV, ARROW):
        if form in wanted:
            return answer_as(release, form)
    fields = answer_fields(release)
    if "exact" in request.headers.get("prefer", ""):
        fields["rows"] = [[_exact(cell) for cell in row] for row in fields["rows"]]
    return JSONResponse({"id": id, **fields})


def answer_as(release: Any, form: str) -> Response:
    """An answer as CSV or as an Arrow stream."""
    if form == CSV:
        return download(release.to_csv(), CSV, "answer.csv")
    try:
        return download(release.to_arrow_stream(), ARROW, "answer.arrows")
    except NotInstalled:
        return problem_response(problem_of("not-acceptable", "this server has no pyarrow"))


def download(content: str | bytes, media: str, name: str) -> Response:
    """A file that a browser saves."""
    kind = f"{media}; charset=utf-8" if isinstance(content, str) else media
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


def _exact(cell: Any) -> Any:
    """A whole number that doubles cannot hold, as text."""
    large = isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) > _EXACT
    return str(cell) if large else cell
