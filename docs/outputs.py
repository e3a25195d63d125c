"""Puts what the README's commands really print into the README: `python docs/outputs.py`."""

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
CLINIC = ROOT / "src" / "tacit" / "cli" / "clinic"
BLOCK = "(?<=<!-- {name} -->\n```{kind}\n).*?(?=```\n<!-- /{name} -->)"
NAMES = ("first", "shell", "demo")


def shown(name: str, kind: str = "") -> str:
    """What the README holds between its marks."""
    found = re.search(BLOCK.format(name=name, kind=kind), README.read_text(encoding="utf-8"), re.DOTALL)
    if found is None:
        raise AssertionError(f"README.md has no block {name!r}")
    return found[0]


def printed(name: str) -> str:
    """What is really printed now."""
    match name:
        case "first":
            return _python(shown("code", "python"))
        case "shell":
            return _shell(shown("command", "sh"))
        case _:
            return _demo()


def shape(text: str) -> str:
    """A text without its digits: what stays the same although the noise is fresh.

    >>> shape("n  1,234  [1,200, 1,268]") == shape("n    87  [-3, 177]")
    True
    """
    for pattern, instead in (
        (r"\b[0-9a-f]{12}…", "…"),
        (r"[█░]+", "█"),
        (r"─+", "─"),
        (r"[-±]?\d+(,\d{3})*(\.\d+)?(e[+-]?\d+)?", "#"),
        (r"[ \t]+", " "),
    ):
        text = re.sub(pattern, instead, text)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _python(code: str) -> str:
    out, here = io.StringIO(), Path.cwd()
    os.chdir(CLINIC)
    try:
        with redirect_stdout(out):
            exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - it is the README's own example
    finally:
        os.chdir(here)
    return _trimmed(out.getvalue())


def _shell(command: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return _run(["sh", "-c", command], CLINIC, PATH=path)


def _demo() -> str:
    with TemporaryDirectory() as folder:
        return _run([sys.executable, "-c", "from tacit.cli import main; main()", "demo", "demo"], Path(folder))


def _run(command: list[str], folder: Path, **more: str) -> str:
    plain = {"COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(  # noqa: S603 - all of it is ours
        command, cwd=folder, env=os.environ | plain | more, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return _trimmed(done.stdout)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def main() -> None:
    """Nothing; but the README is written anew."""
    page = README.read_text(encoding="utf-8")
    for name in NAMES:
        fresh = printed(name).replace("\\", "\\\\")
        page = re.sub(BLOCK.format(name=name, kind=""), fresh, page, flags=re.DOTALL)
    README.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
