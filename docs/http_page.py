"""Writes docs/http.md: every operation of the HTTP interface, its requests and responses, and every problem.

The page is made from the OpenAPI document that the server itself shows. `make reference` runs it.
"""

from pathlib import Path
from typing import Any, cast

from tacit.server.http.app import describe_app, make_app
from tacit.server.http.problems import TYPES

__all__ = ["document", "page"]

PAGE = Path(__file__).parent / "http.md"
INTRODUCTION = """# HTTP reference

This is the HTTP interface of `tacit serve`, below `/api/v1`. Requests and responses are JSON. Every request except the
first one below needs `Authorization: Bearer TOKEN`. The `Accept` header selects the format of an answer: JSON, CSV
(`text/csv`) or an Arrow stream (`application/vnd.apache.arrow.stream`). A refusal is a problem document
(`application/problem+json`). `/api/v1/openapi.json` is the same description in OpenAPI 3.1.
[Run a server](how-to/run-a-server.md) says how to start one. This page is written by `make reference`.
"""


def document() -> dict[str, Any]:
    """The OpenAPI document; no vault is needed for it."""
    app = make_app(cast("Any", None), cast("Any", None))
    return describe_app(cast("Any", app.app))


def page() -> str:
    """The whole page."""
    told = document()
    parts = [INTRODUCTION]
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            parts.append(describe(f"{method.upper()} {path}", operation, told))
    rows = [f"| {status} | `{kind}` | {title} |" for kind, (status, title) in TYPES.items()]
    parts.append(
        "\n".join(["## Problems", "", "| status | type | title |", "|---|---|---|", *rows, ""])
    )
    return "\n".join(parts)


def describe(name: str, operation: dict[str, Any], told: dict[str, Any]) -> str:
    """An operation: what it does, its request and its response."""
    lines = [f"## {name}", "", " ".join(operation["description"].split()), ""]
    fields = [
        (each["name"], each["in"], each["schema"], each.get("required", False))
        for each in operation.get("parameters", [])
    ]
    body = operation.get("requestBody")
    if body is not None:
        shape = resolve(body["content"]["application/json"]["schema"], told)
        fields += [
            (field, "body", schema, field in shape.get("required", []))
            for field, schema in shape.get("properties", {}).items()
        ]
    if fields:
        lines += ["| field | in | type | |", "|---|---|---|---|"]
        lines += [
            f"| `{field}` | {where} | {kind(schema)} | {'required' if needed else default(schema)} |"
            for field, where, schema, needed in fields
        ]
        lines.append("")
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            lines.append(f"{status}: {shown(response, told)}")
            lines.append("")
    return "\n".join(lines)


def shown(response: dict[str, Any], told: dict[str, Any]) -> str:
    """What a response holds: the fields of its JSON."""
    schema = response.get("content", {}).get("application/json", {}).get("schema")
    if schema is None:
        return "no content."
    shape = resolve(schema, told)
    names = ", ".join(f"`{name}`" for name in shape.get("properties", {}))
    return f"{names}." if names else f"{kind(schema)}."


def resolve(schema: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """A schema by its name, or as it is."""
    if "$ref" in schema:
        return cast("dict[str, Any]", told["components"]["schemas"][schema["$ref"].rsplit("/")[-1]])
    return schema


def kind(schema: dict[str, Any]) -> str:
    """What a field is, in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/")[-1])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    words = {"array": "list", "null": "null", "object": "object"}
    name = words.get(schema.get("type", ""), str(schema.get("type", "anything")))
    ends = [
        f"{word} {schema[key]:,}"
        for word, key in (("from", "minimum"), ("to", "maximum"), ("at most", "maxLength"))
        if key in schema and abs(schema[key]) < 2**53
    ]
    return " ".join([name, *ends, *(["characters"] if "maxLength" in schema else [])])


def default(schema: dict[str, Any]) -> str:
    """What is meant if a field is left out."""
    return f"default {schema['default']}" if schema.get("default") not in (None, "") else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
