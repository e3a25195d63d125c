"""Statements other than questions, as clients and people write them: SET, SHOW, BEGIN, DECLARE, FETCH, COPY, EXPLAIN.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from collections.abc import Sequence
from typing import Any

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement, Token, matching_bracket
from tacit.server.wire.problems import Problem
from tacit.server.wire.values import type_named

__all__ = [
    "Copy",
    "Declare",
    "Explain",
    "Fetch",
    "PreparedRun",
    "Preparation",
    "SetSetting",
    "is_question",
    "is_write",
    "question_within",
    "refuse_write",
    "read_cancel",
    "read_copy",
    "read_declare",
    "read_execute",
    "read_explain",
    "read_fetch",
    "read_name",
    "read_prepare",
    "read_set",
    "read_show",
    "syntax_problem",
]

_QUESTIONS = frozenset({"select", "with", "values", "table", "describe", "desc", "summarize"})
_WRITES = frozenset(
    {
        *("insert", "update", "delete", "merge", "create", "drop", "alter", "truncate", "grant"),
        *("revoke", "lock", "vacuum", "analyze", "reindex", "cluster", "comment", "refresh"),
        *("security", "import", "load", "checkpoint", "reassign", "do", "call", "notify"),
    }
)
_LARGEST = 2**31 - 1
_WHOLE = {"all": _LARGEST}


def is_question(statement: Statement) -> bool:
    """Whether a statement asks for rows of a table, or of the catalogue."""
    first = statement.tokens[0]
    if first.is_sign("("):
        return True
    return first.is_word(*_QUESTIONS) or (statement.tokens[1:2] == () and first.is_word("table"))


def is_write(statement: Statement) -> bool:
    """Whether a statement would change something."""
    return statement.tokens[0].is_word(*_WRITES)


def read_cancel(statement: Statement, values: Sequence[Any]) -> int | None:
    """Whose statement is to be cancelled, by SELECT pg_cancel_backend(number); None for every other statement.

    >>> from tacit.server.wire.lexer import split_statements
    >>> read_cancel(split_statements("SELECT pg_cancel_backend(42)")[0], ())
    42
    >>> [read_cancel(split_statements("SELECT pg_cancel_backend($1)")[0], (text,)) for text in ("²", "٣", "9" * 11)]
    [None, None, None]
    """
    tokens = [each for each in statement.tokens if not each.is_sign("::")][1:]
    if len(tokens) > 2 and tokens[0].value == "pg_catalog" and tokens[1].is_sign("."):
        tokens = tokens[2:]
    named = len(tokens) >= 4 and tokens[0].value == "pg_cancel_backend"
    if not named or not tokens[1].is_sign("(") or not tokens[-1].is_sign(")") or len(tokens) > 5:
        return None
    given = tokens[2]
    if given.kind == "parameter" and len(given.value) < 4:
        found = values[int(given.value) - 1] if 0 < int(given.value) <= len(values) else None
    else:
        found = given.value if given.kind == "number" else None
    text = str(found)
    return int(text) if _is_count(text) else None


def _is_count(text: str) -> bool:
    """Whether a text is a whole number as PostgreSQL writes it, of at most ten digits."""
    return text.isascii() and text.isdigit() and len(text) < 11


def refuse_write(statement: Statement) -> None:
    """Refuse what would change something."""
    if statement.tokens and is_write(statement):
        word = statement.word(0).upper()
        hint = "a vault cannot be written to: ask with SELECT"
        raise Problem("25006", f"cannot execute {word} in a read-only vault", hint)


def syntax_problem(statement: Statement, place: int = 0) -> Problem:
    """The refusal of a statement that cannot be read from a token on."""
    found = statement.tokens[place : place + 1]
    if not found:
        end = statement.start + len(statement.text)
        return Problem("42601", "syntax error at end of input", position=end + 1)
    token = found[0]
    text = statement.text[token.start - statement.start : token.end - statement.start]
    return Problem("42601", f'syntax error at or near "{text[:64]}"', position=token.start + 1)


# -------------------------------------------------------------------- settings


@frozen
class SetSetting:
    """SET name = value; no value is DEFAULT, no name is a SET that changes nothing here."""

    name: str | None
    value: str | None = None
    local: bool = False


def read_set(statement: Statement) -> SetSetting:
    """What a SET sets.

    >>> from tacit.server.wire.lexer import split_statements
    >>> read_set(split_statements("SET LOCAL tacit.epsilon TO 0.1")[0])
    SetSetting(name='tacit.epsilon', value='0.1', local=True)
    """
    place, local = 1, False
    if statement.word(1) in {"session", "local"} and statement.word(2) not in {
        "characteristics",
        "authorization",
        "",
    }:
        place, local = 2, statement.word(1) == "local"
    word = statement.word(place)
    if word == "session" or word in {"transaction", "constraints", "role"}:
        return SetSetting(None)
    if word == "time" and statement.word(place + 1) == "zone":
        return SetSetting("TimeZone", _value(statement, place + 2), local)
    if word == "names":
        return SetSetting("client_encoding", _value(statement, place + 1), local)
    if word == "schema":
        return SetSetting("search_path", _value(statement, place + 1), local)
    name, place = read_dotted(statement, place)
    sign = statement.tokens[place : place + 1]
    if not sign or not (sign[0].is_sign("=") or sign[0].is_word("to")):
        raise syntax_problem(statement, place)
    return SetSetting(name, _value(statement, place + 1), local)


def read_show(statement: Statement, place: int = 1) -> str:
    """The setting that SHOW or RESET names."""
    words = tuple(token.value for token in statement.tokens[place:])
    if words[:1] == ("time",):
        return "TimeZone"
    if words[:1] == ("transaction",):
        return "transaction_isolation"
    if words[:2] == ("session", "authorization"):
        return "session_authorization"
    name, end = read_dotted(statement, place)
    if end != len(statement.tokens):
        raise syntax_problem(statement, end)
    return name


def read_dotted(statement: Statement, place: int) -> tuple[str, int]:
    """A name with dots in it, and the place after it."""
    parts = [read_name(statement, place)]
    place += 1
    while statement.tokens[place : place + 1] and statement.tokens[place].is_sign("."):
        parts.append(read_name(statement, place + 1))
        place += 2
    return ".".join(parts), place


def read_name(statement: Statement, place: int) -> str:
    """A name at a place, with or without quotes."""
    found = statement.tokens[place : place + 1]
    if not found or found[0].kind not in {"word", "name"}:
        raise syntax_problem(statement, place)
    return found[0].value


def _value(statement: Statement, place: int) -> str | None:
    """What stands behind the sign of a SET: one value, or several with commas."""
    tokens = statement.tokens[place:]
    if not tokens:
        raise syntax_problem(statement, place)
    if len(tokens) == 1 and tokens[0].is_word("default"):
        return None
    parts, sign = list[str](), ""
    for token in tokens:
        if token.is_sign(","):
            continue
        if token.is_sign("-") or token.is_sign("+"):
            sign = token.value.replace("+", "")
            continue
        if token.kind in {"sign", "parameter"}:
            raise syntax_problem(statement, statement.tokens.index(token))
        parts.append(sign + token.value)
        sign = ""
    return ", ".join(parts)


# -------------------------------------------------------------------- cursors


@frozen
class Declare:
    """DECLARE name CURSOR FOR question."""

    name: str
    question: Statement
    hold: bool


@frozen
class Fetch:
    """FETCH or MOVE: in which direction, how many rows, of which cursor."""

    direction: str
    count: int
    name: str


def read_declare(statement: Statement) -> Declare:
    """What a DECLARE declares."""
    name = read_name(statement, 1)
    places = [at for at, token in enumerate(statement.tokens) if token.is_word("for")]
    words = [token.value for token in statement.tokens[2 : places[0]]] if places else []
    if "cursor" not in words or "binary" in words:
        raise syntax_problem(statement, 2)
    hold = "hold" in words and "without" not in words
    question = statement.rest(places[0] + 1)
    if not question.tokens or not is_question(question):
        raise syntax_problem(statement, places[0] + 1)
    return Declare(name, question, hold)


def read_fetch(statement: Statement) -> Fetch:
    """What a FETCH or a MOVE asks for.

    >>> from tacit.server.wire.lexer import split_statements
    >>> read_fetch(split_statements("FETCH FORWARD 100 FROM c")[0])
    Fetch(direction='forward', count=100, name='c')
    """
    place, direction, count = 1, "forward", 1
    word = statement.word(1)
    if word in {"next", "prior", "first", "last"} and len(statement.tokens) > 2:
        direction, count = {
            "next": ("forward", 1),
            "prior": ("backward", 1),
            "first": ("absolute", 1),
            "last": ("absolute", -1),
        }[word]
        place = 2
    elif word in {"forward", "backward", "absolute", "relative"} and len(statement.tokens) > 2:
        direction, place = word, 2
        count, place = _count(statement, place, needed=word in {"absolute", "relative"})
    else:
        count, place = _count(statement, place, needed=False)
    if statement.word(place) in {"from", "in"}:
        place += 1
    name = read_name(statement, place)
    if place + 1 != len(statement.tokens):
        raise syntax_problem(statement, place + 1)
    return Fetch(direction, count, name)


def _count(statement: Statement, place: int, *, needed: bool) -> tuple[int, int]:
    tokens = statement.tokens
    sign = 1
    if tokens[place : place + 1] and tokens[place].is_sign("-"):
        sign, place = -1, place + 1
    found = tokens[place : place + 1]
    if found and found[0].is_word("all") and len(tokens) > place + 1 and sign == 1 and not needed:
        return _LARGEST, place + 1
    if found and found[0].kind == "number" and _is_count(found[0].value):
        return sign * min(int(found[0].value), _LARGEST), place + 1
    if needed or sign < 0:
        raise syntax_problem(statement, place)
    return 1, place


# -------------------------------------------------------------------- prepared statements


@frozen
class Preparation:
    """PREPARE name (types) AS statement."""

    name: str
    types: tuple[int, ...]
    statement: Statement


@frozen
class PreparedRun:
    """EXECUTE name (values)."""

    name: str
    values: tuple[Any, ...]


def read_prepare(statement: Statement) -> Preparation:
    """What a PREPARE prepares."""
    name, place, types = read_name(statement, 1), 2, list[int]()
    if statement.tokens[2:3] and statement.tokens[2].is_sign("("):
        end = matching_bracket(statement.tokens, 2)
        if end is None:
            raise syntax_problem(statement, 2)
        for named in _separated(statement.tokens[3:end]):
            found = type_named(" ".join(token.value for token in named).replace(" [ ]", "[]"))
            if found is None:
                raise Problem("42704", "there is no such type", position=named[0].start + 1)
            types.append(found)
        place = end + 1
    if statement.word(place) != "as":
        raise syntax_problem(statement, place)
    rest = statement.rest(place + 1)
    if not rest.tokens:
        raise syntax_problem(statement, place + 1)
    return Preparation(name, tuple(types), rest)


def read_execute(statement: Statement) -> PreparedRun:
    """What an EXECUTE runs; its values are constants."""
    name, values = read_name(statement, 1), list[Any]()
    if len(statement.tokens) > 2:
        end = matching_bracket(statement.tokens, 2)
        if not statement.tokens[2].is_sign("(") or end != len(statement.tokens) - 1:
            raise syntax_problem(statement, 2)
        for named in _separated(statement.tokens[3:end]):
            values.append(_constant(statement, named))
    return PreparedRun(name, tuple(values))


def _constant(statement: Statement, tokens: list[Token]) -> Any:
    """A constant as the text of its value; None is NULL."""
    sign = ""
    if tokens[0].is_sign("-") and len(tokens) > 1:
        sign, tokens = "-", tokens[1:]
    if len(tokens) > 1 and not tokens[1].is_sign("::"):
        raise syntax_problem(statement, statement.tokens.index(tokens[1]))
    token = tokens[0]
    if token.is_word("null"):
        return None
    if token.kind in {"number", "text"} or token.is_word("true", "false"):
        return sign + token.value
    raise syntax_problem(statement, statement.tokens.index(token))


def _separated(tokens: tuple[Token, ...]) -> list[list[Token]]:
    """Tokens in groups, at the commas that stand in no bracket."""
    groups, depth = list[list[Token]]([[]]), 0
    for token in tokens:
        if token.kind == "sign":
            depth += {"(": 1, ")": -1}.get(token.value, 0)
        if token.is_sign(",") and not depth:
            groups.append([])
        else:
            groups[-1].append(token)
    if any(not group for group in groups):
        raise Problem("42601", "a value is missing between commas")
    return groups


# -------------------------------------------------------------------- EXPLAIN and COPY


@frozen
class Explain:
    """EXPLAIN question, in which form."""

    question: Statement
    form: str = "text"


@frozen
class Copy:
    """COPY (question) TO STDOUT, in which form."""

    question: Statement
    form: str = "text"
    header: bool = False
    delimiter: str = "\t"
    null: str = "\\N"
    quote: str = '"'
    escape: str = '"'
    force: bool = False


def read_explain(statement: Statement) -> Explain:
    """What an EXPLAIN explains: ANALYZE, VERBOSE and the rest of its options change nothing."""
    place, form = 1, "text"
    if (
        statement.tokens[1:2]
        and statement.tokens[1].is_sign("(")
        and statement.word(2) not in _QUESTIONS
    ):
        end = matching_bracket(statement.tokens, 1)
        if end is None:
            raise syntax_problem(statement, 1)
        words = [token.value for token in statement.tokens[2:end]]
        if "format" in words:
            form = (words[words.index("format") + 1 :] or [""])[0]
        place = end + 1
    while statement.word(place) in {"analyze", "analyse", "verbose"}:
        place += 1
    if form not in {"text", "json"}:
        raise Problem(
            "0A000", "EXPLAIN supports the formats TEXT and JSON", "FORMAT TEXT or FORMAT JSON"
        )
    question = statement.rest(place)
    if not question.tokens:
        raise syntax_problem(statement, place)
    return Explain(question, form)


def read_copy(statement: Statement) -> Copy:
    """What a COPY copies: questions alone, and to the client alone."""
    tokens = statement.tokens
    if tokens[1:2] and tokens[1].is_sign("("):
        end = matching_bracket(tokens, 1)
        if end is None:
            raise syntax_problem(statement, 1)
        question, place = statement.between(2, end), end + 1
    else:
        question, place = _whole_table(statement)
    if statement.word(place) == "from":
        raise Problem("25006", "cannot execute COPY FROM in a read-only vault")
    if statement.word(place) != "to" or not question.tokens:
        raise syntax_problem(statement, place)
    if statement.word(place + 1) != "stdout":
        raise Problem("42501", "answers are copied only to the client", "write COPY (…) TO STDOUT")
    return _copy_options(statement, question, place + 2)


def _whole_table(statement: Statement) -> tuple[Statement, int]:
    """COPY table (columns) TO …, as the question that it is."""
    name, place = read_dotted(statement, 1)
    columns = "*"
    if statement.tokens[place : place + 1] and statement.tokens[place].is_sign("("):
        end = matching_bracket(statement.tokens, place)
        if end is None:
            raise syntax_problem(statement, place)
        columns = statement.between(place + 1, end).text
        place = end + 1
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in name.split("."))
    text = f"SELECT {columns} FROM {quoted}"  # noqa: S608 -- names in quotes, and refused or not as any question
    return Statement(text, statement.start, statement.tokens[:1], statement.comments), place


def _copy_options(statement: Statement, question: Statement, place: int) -> Copy:
    given: dict[str, str] = {}
    tokens = list(statement.tokens[place:])
    if tokens and tokens[0].is_word("with"):
        tokens = tokens[1:]
    if tokens and tokens[0].is_sign("("):
        for group in _separated(tuple(tokens[1:-1])):
            given[group[0].value] = group[1].value if len(group) > 1 else "true"
    else:
        while tokens:
            word = tokens.pop(0)
            if word.is_word("csv", "binary", "text"):
                given["format"] = word.value
            elif word.is_word("header"):
                given["header"] = "true"
            elif word.is_word("delimiter", "null", "quote", "escape", "delimiters"):
                if tokens and tokens[0].is_word("as"):
                    tokens.pop(0)
                if not tokens:
                    raise syntax_problem(statement, len(statement.tokens))
                given[word.value.removesuffix("s")] = tokens.pop(0).value
            elif word.is_word("force") and tokens and tokens[0].is_word("quote"):
                given["force_quote"], tokens = "*", []
            else:
                raise syntax_problem(statement, statement.tokens.index(word))
    form = given.pop("format", "text").lower()
    if form not in {"text", "csv", "binary"}:
        raise Problem("22023", f'COPY format "{form[:64]}" not recognized')
    csv = form == "csv"
    header = given.pop("header", "false").lower() in {"true", "on", "1"}
    delimiter = given.pop("delimiter", "," if csv else "\t")
    null = given.pop("null", "" if csv else "\\N")
    quote = given.pop("quote", '"')
    escape = given.pop("escape", quote)
    force = given.pop("force_quote", "") == "*"
    encoding = given.pop("encoding", "UTF8")
    if given or encoding.upper().replace("-", "") != "UTF8":
        raise Problem(
            "0A000", f"this option of COPY is not supported: {next(iter(given), 'encoding')[:64]}"
        )
    if any(len(each) != 1 or ord(each) > 126 for each in (delimiter, quote, escape)):
        raise Problem("22023", "a delimiter, a quote and an escape are one character each")
    return Copy(question, form, header, delimiter, null, quote, escape, force)


def question_within(statement: Statement) -> Statement | None:
    """The question of a statement: itself, or what it declares, copies, explains or executes."""
    if not statement.tokens:
        return None
    if is_question(statement):
        return statement
    match statement.word(0):
        case "declare":
            return read_declare(statement).question
        case "copy":
            return read_copy(statement).question
        case "explain":
            return question_within(read_explain(statement).question)
        case _:
            return None
