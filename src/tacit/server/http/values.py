"""Answers in the forms that can be asked for: JSON, CSV and Arrow streams.

Checked by: tests/unit/server/http/test_api.py
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tacit.errors import NotInstalled
from tacit.server.forms import answer_fields
from tacit.server.http.problems import problem_of, problem_response

__all__ = ["ARROW", "CSV", "answer_response"]

CSV = "text/csv"
"""The media type of CSV."""

ARROW = "application/vnd.apache.arrow.stream"
"""The media type of an Arrow stream."""

_EXACT = 1 << 53


def answer_response(request: Request, release: Any, id: str | None = None) -> Response:  # noqa: A002 -- as it is called
    """An answer in the form that the request accepts."""
    wanted = request.headers.get("accept", "*/*")
    if CSV in wanted:
        return Response(release.to_csv(), media_type=f"{CSV}; charset=utf-8", headers=_named("csv"))
    if ARROW in wanted:
        try:
            return Response(release.to_arrow_stream(), media_type=ARROW, headers=_named("arrows"))
        except NotInstalled:
            return problem_response(problem_of("not-acceptable", "this server has no pyarrow"))
    fields = answer_fields(release)
    if "exact" in request.headers.get("prefer", ""):
        fields["rows"] = [[_exact(cell) for cell in row] for row in fields["rows"]]
    return JSONResponse({"id": id, **fields})


def _named(ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="answer.{ending}"'}


def _exact(cell: Any) -> Any:
    """A whole number that doubles cannot hold, as text."""
    large = isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) > _EXACT
    return str(cell) if large else cell
