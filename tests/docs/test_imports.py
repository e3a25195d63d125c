"""Imports point one way: rooms import rooms below them, and a third-party library is imported in one place."""

import ast
import importlib
import re
import subprocess
import sys
from types import ModuleType

import pytest

from tests.docs.sources import ROOT, SRC, dotted, modules, parsed

BELOW_CURATOR = {
    "exact",
    "privacy",
    "mechanisms",
    "accounting",
    "plan",
    "stability",
    "engines",
    "ledger",
}
ALL = BELOW_CURATOR | {"curator", "local", "synth", "learn"}
# The libraries of the server are imported at the top of files in server/http, and of no other.
WEB = {"fastapi", "jinja2", "markupsafe", "pydantic", "starlette"}

# The table of ARCHITECTURE.md. `errors`, `extras`, `frozen`, `later`, `printing` and `progress` are open to all.
OPEN = {"errors", "extras", "frozen", "later", "printing", "progress"}
MAY_IMPORT = {
    "errors": set(),
    "extras": set(),
    "frozen": set(),
    "later": set(),
    "printing": set(),
    "progress": set(),
    "exact": set(),
    "privacy": {"exact"},
    "mechanisms": {"exact", "privacy"},
    "accounting": {"exact", "privacy"},
    "plan": {"exact"},
    "stability": {"plan", "privacy", "exact"},
    "engines": {"plan", "exact"},
    "ledger": {"privacy", "accounting"},
    "curator": BELOW_CURATOR | {"synth"},
    "local": {"exact", "privacy", "mechanisms", "accounting", "curator"},
    "learn": {"exact", "privacy", "mechanisms", "accounting", "curator"},
    "synth": set(),  # it sees released numbers, and nothing that could reach a row
    "audit": ALL,
    "catalogue": set(),  # another process answers for it, and neither can reach a row
    "server": {"exact", "catalogue", "curator", "local", "synth", "learn"},
    "remote": {"exact", "plan", "curator"},  # nothing of the server: it speaks HTTP
    "cli": {"plan", "curator", "local", "synth", "learn", "audit", "server"},
    # Doors, not rooms: `python -m tacit`, and the public names. Nothing imports them.
    "__main__": {"cli"},
    "tacit": (ALL | {"remote"}) - {"engines"},
}

# Inside a room: what stands later may import what stands earlier, never the other way round. An
# import inside a function may look ahead: it is made when everything has been imported.
INSIDE = {
    "plan": ("model", "semantics", "questions", "rewrite", "validate_plan", "frame", "sql"),
    "engines": (
        *(
            "unknown_keys_per_unit",
            "rows_as_codes",
            "engine",
            "weights_of_rows",
            "distinct_values_per_unit",
            "grid_cells",
            "public_join_matches",
            "work_bounds",
        ),
        *("sql", "sources", "memory", "served", "postgres", "spark", "duckdb", "choose_engine"),
    ),
    "server": (
        *(
            "certificates",
            "server_health",
            "passwords",
            "scram_keys",
            "rate_limits",
            "slots",
            "audit_log",
            "state_tables",
            "postgres_state_tables",
            "later_writes",
        ),
        *(
            "shared_board",
            "identities",
            "shared_rate_limits",
            "sessions",
            "idempotency",
            "calibration",
            "rights",
            "jobs",
        ),
        *(
            "people",
            "free_reads",
            "served_vault",
            "entry_index",
            "ledger_views",
            "policy_changes",
            "ask_in_slot",
        ),
        *(
            "models_and_synthetic_tables",
            "desk",
            "json_forms",
            "public_catalogue",
            "http",
            "wire",
            "reload_requests",
            "serve_vault",
        ),
    ),
    "curator": (
        *("integers_as_bytes", "policy", "pricing", "answer", "record", "rehearse_before_payment"),
        *(
            "plan_cache",
            "question_context",
            "priced_question",
            "replay_stored_answer",
            "ask_first_groups",
            "ask",
            "find_bounds",
            "refine_answer",
            "budget",
            "ask_combined",
            "log_answers",
            "describe_tables",
            "free_answers",
            "explain_free_answer",
            "watch_threshold",
            "tables",
            "vectors",
            "aggregate",
            "forwarding_ledger",
            "read_only_ledger",
            "duration_class_of_plan",
            "ask_text",
            "explain_question",
            "how_vaults_are_called",
            "vault",
            "hide_new_ledger_entries",
        ),
        *(
            "json_exchange",
            "parameters_as_json",
            "persistent_limit",
            "protect",
            "open_folder",
            "tables_in_files",
            "write_toml",
            "guess_references",
            "accuracy_with_and_without_delta",
            "starter_policy",
            "shipped_real_data",
            "inspect_rows",
            "cells_of_text",
            "database_rights",
        ),
        "trial",
    ),
}

# Third-party libraries and where they may be imported. A library in LAZY is imported inside a function only.
EVERYWHERE = set(MAY_IMPORT)
THIRD_PARTY = {
    "numpy": EVERYWHERE - {"errors"},
    "flint": {"exact"},
    "cryptography": {"exact"},
    "sqlglot": {"plan", "catalogue"},
    "duckdb": {"engines", "catalogue"},
    "typer": {"cli"},
    "rich": {"curator", "cli"},
    "pandas": {"curator", "engines"},
    "polars": {"curator", "engines"},
    "pyarrow": {"curator", "engines"},
    "psycopg": {"engines", "ledger", "server"},
    "pyspark": {"engines"},
    "sklearn": {"learn"},
    "argon2": {"server"},
    "fastapi": {"server"},
    "jinja2": {"server"},
    "markupsafe": {"server"},
    "pydantic": {"server"},
    "starlette": {"server"},
    "uvicorn": {"server"},
    "matplotlib": EVERYWHERE - {"errors", "exact", "privacy"},
}
LAZY = {
    "argon2",
    "uvicorn",
    "matplotlib",
    "pandas",
    "polars",
    "psycopg",
    "pyarrow",
    "pyspark",
    "rich",
    "sklearn",
}


def _is_a_file(name: str) -> bool:
    """Whether a dotted name means a file to who imports it; a room may have a function named like its file."""
    room, _, last = name.rpartition(".")
    return not room or isinstance(
        getattr(importlib.import_module(room), last, None), ModuleType | None
    )


SUBMODULES = {dotted(path) for path in modules() if _is_a_file(dotted(path))}


def room_of(module: str) -> str:
    """The room of a dotted name: `exact` for `tacit.exact.coins`, `tacit` for the package itself."""
    return module.split(".")[1] if "." in module else module


def imports_of(tree, module, *, is_package):
    """Every (dotted name, names taken from it, inside a function?, line) that the module imports."""
    everything = list(ast.walk(tree))
    functions = [
        (f.lineno, f.end_lineno or f.lineno) for f in everything if isinstance(f, ast.FunctionDef)
    ]
    for node in everything:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        inside = any(first <= node.lineno <= last for first, last in functions)
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, (), inside, node.lineno
        else:
            base = node.module or ""
            if node.level:
                above = module.split(".")[
                    : None if is_package and node.level == 1 else -node.level + is_package
                ]
                base = ".".join([*above, *([base] if base else [])])
            yield base, tuple(alias.name for alias in node.names), inside, node.lineno


def complaints(source, module, *, is_package=False, submodules=frozenset(SUBMODULES)):
    """What is wrong with the imports of a module, one sentence each."""
    room = room_of(module)
    if room not in MAY_IMPORT:
        return [f"{module}: the room {room!r} is not in the table of imports"]
    found = []
    for name, taken, inside, line in imports_of(parsed(source), module, is_package=is_package):
        where = f"{module}:{line}"
        top = name.partition(".")[0]
        # whose tables a test reads
        if top == "importlib" and module not in ("tacit", "tacit.later"):
            found.append(f"{where} imports by name, which no table can check")
        elif top == "tacit":
            found += [f"{where} {text}" for text in _about_rooms(room, name, taken, submodules)]
        elif top not in sys.stdlib_module_names:
            if room not in THIRD_PARTY.get(top, ()):
                found.append(f"{where} imports {top}, which is not for the room {room}")
            elif top in WEB and not module.startswith("tacit.server.http"):
                found.append(f"{where} imports {top}, which is for the doors alone")
            elif top in LAZY and not inside:
                found.append(
                    f"{where} imports {top} at the top, it belongs inside the function that needs it"
                )
    return found


def _about_rooms(room, name, taken, submodules):
    """What is wrong with importing `taken` from `name`, both within Tacit."""
    targets = (
        ({f"tacit.{one}" for one in taken} if taken else {"tacit"}) if name == "tacit" else {name}
    )
    for target in targets:
        other = room_of(target)
        if other == room:
            continue
        if other not in MAY_IMPORT or other == "tacit":
            yield f"imports {target}: import the room that defines the name"
        elif other not in OPEN and other not in MAY_IMPORT[room]:
            yield f"imports {other}, which {room} may not"
        elif target.count(".") > 1:
            yield f"imports {target}, a file inside another room"
        for one in taken if name == target else ():
            if one.startswith("_") or one == "*":
                yield f"imports {one} from {target}"
            if f"{target}.{one}" in submodules:
                yield f"imports {target}.{one}, a file inside another room"


def inner_complaints(source, module):
    """What is wrong with the imports of a module within its own room, one sentence each."""
    room, _, rest = module.removeprefix("tacit.").partition(".")
    if room not in INSIDE or not rest:
        return []
    order, part = INSIDE[room], rest.split(".")[0]
    if part not in order:
        return [f"{module}: {part} has no place in the order of the room {room}"]
    tree = parsed(source)
    for_types = [
        node
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
        for node in ast.walk(test)
    ]
    lines = {node.lineno for node in for_types if isinstance(node, ast.ImportFrom)}
    found = []
    for name, _, inside, line in imports_of(tree, module, is_package=False):
        other = name.removeprefix(f"tacit.{room}.").split(".")[0]
        if not name.startswith(f"tacit.{room}.") or inside or line in lines:
            continue
        if other not in order[: order.index(part) + 1]:
            found.append(f"{module}:{line} imports {other}, which comes after {part}")
    return found


def rooms_said_to_exist(architecture):
    """The rooms that the table of ARCHITECTURE.md marks as there today."""
    return set(re.findall(r"(?m)^\| `(\w+)` \|.*\| yes \|$", architecture))


def test_the_architecture_says_which_rooms_exist():
    exist = {path.parent.name for path in SRC.glob("tacit/*/__init__.py")} | OPEN
    assert rooms_said_to_exist((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")) == exist


def test_a_room_that_is_said_to_exist_is_found():
    assert rooms_said_to_exist(
        "| `exact` | coins | – | yes |\n| `plan` | what is asked | exact | |\n"
    ) == {"exact"}


def test_a_module_imports_only_what_its_room_may():
    found = []
    for path in modules():
        source = path.read_text(encoding="utf-8")
        found += complaints(source, dotted(path), is_package=path.name == "__init__.py")
    assert found == []


def doors():
    """The files of the server that people's requests reach first."""
    rooms = ("tacit.server.http", "tacit.server.wire")
    return [path for path in modules() if dotted(path).startswith(rooms)]


def test_a_door_translates_and_decides_nothing():
    """Only the desk holds a vault: a door imports no other room, and of the server what needs no vault."""
    assert len(doors()) > 5
    for path in doors():
        for name, taken, _, _ in imports_of(
            ast.parse(path.read_text(encoding="utf-8")), dotted(path), is_package=False
        ):
            if name == "tacit" or name.startswith("tacit."):
                assert room_of(name) == "server" or room_of(name) in OPEN, (path, name)
                assert "Vault" not in taken, path


def test_few_files_of_the_server_ask_a_vault():
    asking = {"sql", "find_bounds", "find_contributions", "replay"}
    found = set()
    for path in modules():
        if dotted(path).startswith("tacit.server"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
            called = {node.attr for node in calls if isinstance(node, ast.Attribute)}
            if called & asking and any(
                name == "tacit.curator"
                for name, *_ in imports_of(tree, dotted(path), is_package=False)
            ):
                found.add(path.name)
    # The desk asks its twin alone and calibration one of made-up rows; releases are made in the slots of `asking`.
    assert found == {
        "ask_in_slot.py",
        "models_and_synthetic_tables.py",
        "desk.py",
        "calibration.py",
    }


def test_inside_a_room_imports_point_one_way():
    found = []
    for path in modules():
        found += inner_complaints(path.read_text(encoding="utf-8"), dotted(path))
    assert found == []


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        (
            "tacit.plan.model.nodes",
            "from tacit.plan.sql import reading_context",
            "sql, which comes after",
        ),
        (
            "tacit.plan.frame.joins_and_unions",
            "from tacit.plan.sql.reading_context import Reader",
            "comes after frame",
        ),
        (
            "tacit.engines.sql.rows",
            "from tacit.engines.duckdb.load_tables import x",
            "comes after sql",
        ),
        ("tacit.curator.answers", "", "has no place in the order"),
    ],
)
def test_a_wrong_import_inside_a_room_is_caught(module, source, complaint):
    (found,) = inner_complaints(source, module)
    assert complaint in found
    assert (
        inner_complaints("def f():\n    from tacit.plan.sql import x", "tacit.plan.model.x") == []
    )


def test_importing_tacit_does_not_import_the_libraries_of_extras():
    rooms = [
        "tacit",
        *sorted(dotted(path.parent / "__init__.py") for path in SRC.glob("tacit/*/__init__.py")),
    ]
    script = f"import sys, {', '.join(rooms)}; print(*sorted({LAZY | WEB!r} & set(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == ""


def test_importing_tacit_does_not_import_the_audit():
    script = "import sys, tacit; print('tacit.audit' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "False\n"


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        (
            "tacit.exact.coins",
            "from tacit.privacy import Loss",
            "imports privacy, which exact may not",
        ),
        (
            "tacit.mechanisms.laplace",
            "from tacit.accounting import total",
            "accounting, which mechanisms may not",
        ),
        (
            "tacit.accounting.totals",
            "import tacit.mechanisms",
            "imports mechanisms, which accounting may not",
        ),
        (
            "tacit.privacy.loss",
            "def f():\n    from tacit.audit import verify",
            "imports audit, which privacy may not",
        ),
        (
            "tacit.privacy.loss",
            "from tacit.exact.rational import at_least",
            "a file inside another room",
        ),
        ("tacit.privacy.loss", "from tacit.exact import rational", "a file inside another room"),
        ("tacit.privacy.loss", "import tacit.exact.rational as r", "a file inside another room"),
        ("tacit.privacy.loss", "from tacit.exact import _hidden", "imports _hidden"),
        ("tacit.privacy.loss", "from tacit.exact import *", "imports *"),
        (
            "tacit.privacy.loss",
            "from ..audit import verify",
            "imports audit, which privacy may not",
        ),
        ("tacit.privacy.loss", "from .. import audit", "imports audit, which privacy may not"),
        ("tacit.privacy.loss", "import tacit", "import the room that defines the name"),
        ("tacit.privacy.loss", "import flint", "imports flint, which is not for the room privacy"),
        ("tacit.mechanisms.laplace", "from cryptography import x509", "imports cryptography"),
        ("tacit.mechanisms.laplace", "import scipy.stats", "imports scipy"),
        (
            "tacit.audit.plot",
            "import matplotlib.pyplot as plt",
            "inside the function that needs it",
        ),
        ("tacit.server.desk", "import fastapi", "which is for the doors alone"),
        ("tacit.audit.plot", "import importlib", "imports by name"),
        ("tacit.utilities.x", "", "not in the table"),
    ],
)
def test_a_wrong_import_is_caught(module, source, complaint):
    (found,) = complaints(source, module, submodules={"tacit.exact.rational"})
    assert complaint in found


def test_right_imports_pass():
    source = (
        "import math\nimport numpy as np\nfrom tacit.errors import InvalidInput\nfrom tacit.exact import at_least\n"
        "from tacit.privacy.loss import Loss\nfrom .protection import Protection\n"
        "def plot():\n    import matplotlib.pyplot as plt\n"
    )
    assert (
        complaints(source.replace("matplotlib.pyplot", "math"), "tacit.privacy.sensitivity") == []
    )
    assert (
        complaints("def plot():\n    import matplotlib.pyplot as plt\n", "tacit.audit.plot") == []
    )


ROOMS_WITH_LATER = (
    "tacit.exact",
    "tacit.plan",
    "tacit.stability",
    "tacit.privacy",
    "tacit.accounting",
    "tacit.engines",
    "tacit.mechanisms",
    "tacit.ledger",
    "tacit.curator",
    "tacit.learn",
    "tacit.server",
)


@pytest.mark.parametrize("room", ROOMS_WITH_LATER)
def test_what_a_room_opens_later_is_defined_where_its_table_says(room):
    opened = importlib.import_module(room)
    for name, file in opened._LATER.items():
        defining = importlib.import_module(f"{room}.{file}")
        assert name in opened.__all__
        assert name in defining.__all__
        assert getattr(opened, name) is getattr(defining, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = opened.nothing


def test_a_question_in_memory_opens_no_file_that_it_does_not_need():
    asked = "import sys; from tacit import protect; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "tacit.curator.vault" in found
    for room in ROOMS_WITH_LATER:
        later = {f"{room}.{file}" for file in importlib.import_module(room)._LATER.values()}
        assert not later & set(found)


@pytest.mark.parametrize("before", ["enable", "disable"])
def test_opening_a_room_leaves_the_collection_of_garbage_as_it_was(before):
    script = f"import gc; gc.{before}(); from tacit import protect; print(gc.isenabled())"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert found == f"{before == 'enable'}\n"
