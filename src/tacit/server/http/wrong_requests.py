"""What is said of a request that is not what the interface declares: in the words of the command line.

Checked by: tests/unit/server/http/test_wrong_requests.py
"""

from collections.abc import Mapping
from typing import Any

from tacit.errors import InvalidInput
from tacit.server.http.problems import problem_from, problem_of

__all__ = ["problem_of_request"]

_PARTS = {"body", "query", "path", "header"}
_PRICES = {"epsilon", "within"}
_SHOWN = 'send what /api/v1/openapi.json declares, such as {"sql": "SELECT …", "epsilon": 0.3}'


def problem_of_request(error: Mapping[str, Any]) -> dict[str, Any]:
    """The problem document of what was found to be wrong first.

    >>> problem_of_request({"type": "greater_than", "loc": ("body", "epsilon", "float"), "input": 0})["detail"]
    'epsilon cannot be 0; give a number above zero'
    """
    kind, given = error["type"], error.get("input")
    where = next((each for each in error["loc"] if each not in _PARTS), None)
    if where is None or (kind == "json_invalid" and len(error["loc"]) <= 2):
        return problem_of(
            "invalid-input",
            "the body is no JSON object; send one, with the header Content-Type: application/json",
            name="the body",
        )
    name = str(where)
    if kind == "missing":
        return problem_from(InvalidInput(name, None, _SHOWN))
    if kind == "extra_forbidden":
        said = f"there is no field {name!r} here; {_SHOWN}"
        return problem_of("invalid-input", said, name=name)
    if name in _PRICES:
        remedy = "give a number above zero"
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        exactly = "" if is_number else ', or an exact one as text, such as "0.1" or "1/3"'
        return problem_from(InvalidInput(name, _plain(given), remedy + exactly))
    if name == "confidence":
        return problem_from(InvalidInput(name, _plain(given), "give a number between 0 and 1"))
    wanted = str(error["msg"]).replace("Input should", "it should")  # the value may be a password
    return problem_of(
        "invalid-input", f"{name}: {wanted[:1].lower()}{wanted[1:]}; {_SHOWN}", name=name
    )


def _plain(given: Any) -> Any:
    """What was sent, if it is short to say."""
    return given if isinstance(given, str | int | float) else f"a {type(given).__name__}"
