"""Requests drawn from an OpenAPI document, and whether a response is one that it declares.

Requests are as declared, but for one place in some of them: a value of another kind, a field too many or too few, a
body that is no JSON.  What comes back must have a status that the operation declares, and a body of its schema.
"""

import json
from urllib.parse import quote, urlencode

from hypothesis import strategies as st

TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["", "0", "é", "\x00", "a" * 300, "1/0", "-1", "1e999", "visits", "visits.cost"]
    ),
)
QUESTIONS = st.one_of(
    TEXTS,
    st.sampled_from(
        [
            "SELECT COUNT(*) AS n FROM visits",
            "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
            "SELECT cost FROM visits",
            "SELECT COUNT(*) AS n FROM visits WHERE cost > ?",
            "SELECT icd, COUNT(*) AS n FROM visits GROUP BY icd",
            "SHOW TABLES",
            "SELECT",
            "SELECT COUNT(*) FROM visits LIMIT 0",
            "SELECT 1 / 0",
            "((((((((",
        ]
    ),
)
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(10**18, 10**400),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def resolved(schema, document):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def values(schema, document, name=""):
    """Values that a schema declares."""
    schema = resolved(schema, document)
    if "anyOf" in schema:
        return st.one_of([values(each, document, name) for each in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    match schema.get("type"):
        case "string" if "pattern" in schema:
            return st.from_regex(schema["pattern"].removesuffix("$") + r"\Z").filter(
                lambda text: len(text) <= schema.get("maxLength", 10**9)
            )
        case "string":
            texts = QUESTIONS if name == "sql" else TEXTS
            return texts.map(lambda text: text[: schema.get("maxLength", 10**9)])
        case "integer":
            low, high = schema.get("minimum", -(10**30)), schema.get("maximum", 10**30)
            return st.one_of(st.integers(max(low, 0), min(high, 9)), st.integers(low, high))
        case "number":
            low, high = schema.get("exclusiveMinimum", 0), schema.get("exclusiveMaximum")
            high = schema.get("maximum", 1e300) if high is None else high
            inside = st.floats(low, high, exclude_min=True, exclude_max=True)
            return st.one_of(st.sampled_from([0.01, 0.5]), inside)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            items = values(schema.get("items", {}), document)
            return st.lists(items, max_size=min(3, schema.get("maxItems", 3)))
        case "object" if "properties" in schema:
            known = {
                field: values(each, document, field) for field, each in schema["properties"].items()
            }
            needed = {field: known[field] for field in schema.get("required", [])}
            other = {field: each for field, each in known.items() if field not in needed}
            return st.fixed_dictionaries(needed, optional=other)
        case "object":
            more = schema.get("additionalProperties", {})
            inner = values(more, document) if isinstance(more, dict) else ANYTHING
            return st.dictionaries(st.text(max_size=4), inner, max_size=3)
        case _:
            return ANYTHING


@st.composite
def bodies(draw, schema, document):
    """A body as bytes: most are as declared."""
    body = draw(values(schema, document))
    match draw(st.integers(0, 9)):
        case 0 if isinstance(body, dict) and body:
            body[draw(st.sampled_from(sorted(body)))] = draw(ANYTHING)
        case 1 if isinstance(body, dict) and body:
            del body[draw(st.sampled_from(sorted(body)))]
        case 2 if isinstance(body, dict):
            body["extra"] = draw(ANYTHING)
        case 3:
            body = draw(ANYTHING)
        case 4:
            return draw(st.binary(max_size=40))
        case 5:
            return json.dumps(body).encode()[:-1]
    return json.dumps(body).encode()


@st.composite
def requests(draw, document):
    """An operation, and method, path, headers and body of a request for it."""
    operations = [
        (method, path, operation)
        for path, methods in sorted(document["paths"].items())
        for method, operation in sorted(methods.items())
    ]
    method, path, operation = draw(st.sampled_from(operations))
    headers, query = {}, []
    where = path
    for parameter in operation.get("parameters", []):
        declared = values(parameter["schema"], document, parameter["name"])
        value = draw(declared if draw(st.integers(0, 4)) else ANYTHING)
        text = value if isinstance(value, str) else json.dumps(value)
        if parameter["in"] == "path":
            where = where.replace("{" + parameter["name"] + "}", quote(text, safe="") or "0")
        elif parameter["in"] == "query" and draw(st.booleans()):
            query.append((parameter["name"], text))
        elif parameter["in"] == "header" and draw(st.booleans()):
            headers[parameter["name"].lower()] = (
                text.encode("ascii", "replace").decode().replace("\n", " ")
            )
    body = b""
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        body = draw(bodies(schema, document))
        headers["content-type"] = draw(
            st.sampled_from(["application/json"] * 6 + ["text/plain", "", "application/xml"])
        )
    if draw(st.integers(0, 5)) == 0:
        headers["accept"] = draw(
            st.sampled_from(["text/csv", "text/html", "application/vnd.apache.arrow.stream", "x"])
        )
    return (
        operation,
        method.upper(),
        where + ("?" + urlencode(query) if query else ""),
        headers,
        body,
    )


def undeclared(operation, document, status, media, body):
    """What of a response the document does not declare; None if it does."""
    declared = operation["responses"].get(str(status))
    if declared is None:
        return f"status {status}"
    contents = declared.get("content", {})
    kind = (media or "").partition(";")[0]
    if not contents:
        return None if not body else "a body"
    if kind not in contents:
        return f"media type {kind!r}"
    if not kind.endswith("json"):
        return None
    return mismatch(json.loads(body), contents[kind]["schema"], document, "$")


KINDS = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def mismatch(value, schema, document, place):
    """Where a value departs from its schema; None if nowhere."""
    schema = resolved(schema, document)
    if "anyOf" in schema:
        found = [mismatch(value, each, document, place) for each in schema["anyOf"]]
        return None if None in found else found[0]
    if "enum" in schema and value not in schema["enum"]:
        return f"{place}: {value!r}"
    kind = schema.get("type")
    if kind is None:
        return None
    wrong = isinstance(value, bool) and kind in {"integer", "number"}
    if wrong or not isinstance(value, KINDS[kind]):
        return f"{place}: {type(value).__name__} for {kind}"
    parts = []
    if kind == "object":
        missing = set(schema.get("required", [])) - value.keys()
        if missing:
            return f"{place}: {missing} missing"
        known, more = schema.get("properties", {}), schema.get("additionalProperties", {})
        for name, each in value.items():
            inner = known.get(name, more if isinstance(more, dict) else None)
            if inner is None:
                if more is False:
                    return f"{place}.{name}: not declared"
                continue
            parts.append(mismatch(each, inner, document, f"{place}.{name}"))
    elif kind == "array":
        parts = [mismatch(each, schema.get("items", {}), document, f"{place}[]") for each in value]
    return next((part for part in parts if part is not None), None)
