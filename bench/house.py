"""How easily the source is read: what one question passes through, how functions are named, how full lines are.

python bench/house.py                 the figures of this tree
python bench/house.py ANOTHER_TREE    beside those of another one, such as an older checkout
"""

import ast
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# One word that says that something was done, or where, and not what is done: `met`, `_held`, `beside`.
BARE_WORDS = """
met told held seen kept found given taken made said shown known drawn written built sent brought lost left cut
spent paid grown chosen hidden begun gone done bound meant become
apart beside among around across within without inside outside over under before after between behind beyond
once again alone together
"""
BARE = set(BARE_WORDS.split())
NOT_BARE = {"need", "seed", "feed", "speed", "exceed", "cut"}  # verbs and nouns

# What one question passes through: run in a process of its own, on the tree that PYTHONPATH names.
WALK = """
import json, sys
import tacit
rows = [{"patient": i // 2, "ward": "AB"[i % 2], "cost": i % 90} for i in range(60)]
columns = {"ward": ["A", "B"], "cost": (0, 100)}
vault = tacit.protect(rows, unit="patient", contributions=2, columns=columns, epsilon=3, delta=1e-6, name="visits")
files, changes, deepest, calls = set(), 0, 0, 0
last, depth = None, 0
def note(frame, event, _):
    global last, changes, deepest, depth, calls
    file = frame.f_code.co_filename
    if "/tacit/" not in file or file.startswith("<"):
        return
    if event == "call":
        depth += 1
        calls += 1
        deepest = max(deepest, depth)
        files.add(file)
        changes += file != last
        last = file
    elif event == "return":
        depth -= 1
sys.setprofile(note)
vault.sql("SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=0.3)
sys.setprofile(None)
print(json.dumps({"files": len(files), "changes of file": changes, "depth": deepest, "calls": calls}))
"""


def functions_of(tree: Path) -> Iterator[tuple[str, str]]:
    """The file and the name of every function that is no special method."""
    for path in sources_of(tree):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
                yield path.relative_to(tree).as_posix(), node.name


def sources_of(tree: Path) -> list[Path]:
    """The Python files of Tacit in a tree."""
    return sorted((tree / "src" / "tacit").rglob("*.py"))


def is_bare(name: str) -> bool:
    """Whether a name is one participle or adverb."""
    word = name.strip("_")
    return word not in NOT_BARE and (word in BARE or (word.endswith("ed") and "_" not in word))


def nodes_a_line(tree: Path) -> float:
    """Nodes of the syntax tree for every line of code, comments and docstrings not counted."""
    nodes = lines = 0
    for path in sources_of(tree):
        text = path.read_text(encoding="utf-8")
        parsed = ast.parse(text)
        nodes += sum(1 for _ in ast.walk(parsed))
        lines += len(lines_of_code(text) - lines_of_docstrings(parsed))
    return nodes / lines


def lines_of_code(text: str) -> set[int]:
    """The numbers of the lines that hold more than a comment."""
    empty = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        line
        for token in tokens
        if token.type not in empty
        for line in range(token.start[0], token.end[0] + 1)
    }


def lines_of_docstrings(parsed: ast.Module) -> set[int]:
    """The numbers of the lines that docstrings take."""
    found: set[int] = set()
    for node in ast.walk(parsed):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            found |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def import_depth(tree: Path, room: str) -> int:
    """The longest chain of parts of a room that import each other: of sub-packages, and of files outside them."""
    top = tree / "src" / "tacit" / room
    below: dict[str, set[str]] = {}
    for path in sorted(top.rglob("*.py")):
        if path == top / "__init__.py":
            continue
        parts = path.relative_to(top).with_suffix("").parts
        known = below.setdefault(parts[0], set())
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                f"tacit.{room}."
            ):
                known.add((node.module or "").split(".")[2])
    for name, known in below.items():
        known.discard(name)

    def depth(name: str) -> int:
        return 1 + max(map(depth, below.get(name, ())), default=0)

    return max(map(depth, below))


def figures_of(tree: Path) -> dict[str, float]:
    """All figures of a tree."""
    environment = {"PYTHONPATH": str(tree / "src"), "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", WALK], env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = {
        f"a question: {what}": count for what, count in json.loads(ran.stdout).items()
    }
    named = list(functions_of(tree))
    found["files"] = len(sources_of(tree))
    found["functions"] = len(named)
    found["functions with a bare participle for a name, %"] = (
        100 * sum(is_bare(name) for _, name in named) / len(named)
    )
    found["nodes of the syntax tree a line"] = nodes_a_line(tree)
    for room in ("plan", "engines", "curator"):
        found[f"{room}: longest chain of imports between its parts"] = import_depth(tree, room)
    return found


def main() -> None:
    """Print the figures, those of another tree beside them."""
    trees = [Path(given).resolve() for given in sys.argv[1:]] + [ROOT]
    columns = [figures_of(tree) for tree in trees]
    print("| |" + " before |" * (len(trees) - 1) + " now |")
    print("|---" * (len(trees) + 1) + "|")
    for what in columns[-1]:
        print(
            f"| {what} |"
            + "".join(f" {column.get(what, float('nan')):,.4g} |" for column in columns)
        )


if __name__ == "__main__":
    main()
