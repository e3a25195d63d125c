"""Everything that can be typed is in the reference: SQL functions, commands, policy keys, error classes, exit codes."""

import ast
import inspect
import re

import pytest
import sqlglot
import typer

from docs import http_page
from docs.sql import AGGREGATED, CALLS, INSIDE, NAMES, PAGE, WINDOWS, page, statement_of
from tacit import errors
from tacit.cli import app
from tacit.cli.command import CODES
from tacit.plan.sql.allowed_syntax_nodes import AGGREGATES, TAUGHT_ARGUMENTS, TAUGHT_NODES
from tacit.plan.sql.functions import CALLED
from tacit.plan.sql.group_windows import LOOKS
from tacit.plan.sql.other_dialect_functions import NAMED
from tacit.plan.sql.precheck import _TAUGHT
from tacit.server.http.problems import TYPES
from tests.docs.sources import ROOT, SRC


def text_of(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_every_function_that_the_reader_knows_has_an_example():
    assert set(CALLS) == CALLED - INSIDE
    assert set(NAMES) == set(NAMED)
    renamed = {"DATEDIFF_IN_DAYS": "DATEDIFF"}  # which has a unit elsewhere
    for name, call in NAMES.items():
        assert call.startswith(renamed.get(name, name) + "("), call
    assert set(AGGREGATED) == AGGREGATES
    assert set(WINDOWS) == set(LOOKS)


@pytest.mark.parametrize(
    ("node", "statement"),
    [
        *((node, statement_of(call)) for node, call in CALLS.items()),
        *AGGREGATED.items(),
        *WINDOWS.items(),
    ],
)
def test_an_example_is_one_of_its_function(node, statement):
    assert sqlglot.parse_one(statement, read="duckdb").find(node)


def test_the_page_of_sql_is_what_the_reader_says():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make reference`"


def test_every_refusal_that_the_reader_teaches_is_on_the_page():
    flat = text_of("sql.md").replace("\\", "")
    for reason, remedy in (*_TAUGHT.values(), *TAUGHT_NODES.values(), *TAUGHT_ARGUMENTS.values()):
        assert reason.replace("\\", "") in flat
        assert remedy.replace("\\", "") in flat


def commands(group, above=""):
    """Every command with its options, as they are typed."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{above}{name} ")
        elif not command.hidden:
            yield f"tacit {above}{name}"


def test_every_command_is_in_the_reference():
    found = list(commands(typer.main.get_command(app)))
    assert len(found) > 25
    listed = text_of("how-to/use-the-command-line.md")
    assert [each for each in found if each not in listed] == []


def test_every_exit_code_is_in_the_reference():
    listed = text_of("how-to/use-the-command-line.md")
    assert [code for code in {0, 1, 2, *CODES.values()} if f"| {code} |" not in listed] == []


def test_every_error_class_is_in_the_reference():
    found = [
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.TacitError)
    ]
    assert len(found) > 15
    assert [name for name in found if f"- `{name}`:" not in text_of("reference.md")] == []


def policy_keys():
    """The keys that the reader of policies takes from their sections."""
    for path in sorted((SRC / "tacit" / "curator" / "policy").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="take" | "take_optional" | "section" | "sections"),
                    args=[ast.Constant(value=str(key)), *_],
                ):
                    yield key


def test_every_policy_key_is_in_the_reference():
    found = set(policy_keys())
    assert {"epsilon", "delta", "unit", "contributions", "keys"} <= found
    pages = [text_of("how-to/write-a-policy.md"), text_of("how-to/survey-without-trust.md")]
    listed = "\n".join(pages)
    assert sorted(key for key in found if not re.search(rf"\b{key}\b", listed)) == []


def test_the_page_of_http_is_what_the_server_describes():
    assert http_page.PAGE.read_text(encoding="utf-8") == http_page.page(), "run `make reference`"


def test_every_operation_and_problem_of_the_server_is_in_the_reference():
    listed = text_of("http.md")
    paths = http_page.document()["paths"]
    operations = [f"## {method.upper()} {path}\n" for path in paths for method in paths[path]]
    assert len(operations) > 20
    assert [each for each in operations if each not in listed] == []
    assert [kind for kind in TYPES if f"`{kind}`" not in listed] == []
