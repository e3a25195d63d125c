"""Puts what the README's commands really print into the README: `python docs/outputs.py`."""

import io
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PACKAGE = ROOT / "docs" / "package.md"
PICTURE = ROOT / "docs" / "pictures" / "older.png"
BLOCK = "(?<=<!-- {name} -->\n```{kind}\n).*?(?=```\n<!-- /{name} -->)"
NAMES = ("first", "shell", "demo")


def shown(name: str, kind: str = "", page: Path = README) -> str:
    """What a page holds between its marks."""
    found = re.search(
        BLOCK.format(name=name, kind=kind), page.read_text(encoding="utf-8"), re.DOTALL
    )
    if found is None:
        raise AssertionError(f"{page.name} has no block {name!r}")
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

    Noise decides, too, whether a caption says that a number says next to nothing.

    >>> shape("n  1,234  [1,200, 1,268]") == shape("n    87  [-3, 177]")
    True
    """
    for pattern, instead in (
        (r"(?m)^.* says? next to nothing.*$", ""),
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
    with TemporaryDirectory() as empty:
        os.chdir(empty)
        try:
            with redirect_stdout(out):
                exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - it is the README's own example
        finally:
            os.chdir(here)
    return _trimmed(out.getvalue())


def _shell(command: str) -> str:
    with TemporaryDirectory() as empty:
        script = _write_command(Path(empty) / "bin" / "tacit")
        return _run(
            ["sh", "-c", command],
            Path(empty),
            PATH=f"{script.parent}{os.pathsep}{os.environ['PATH']}",
        )


def _demo(picture: Path | None = None) -> str:
    """What `make demo` prints in a clone: the command is that of its environment, and no shell finds another."""
    with TemporaryDirectory() as folder:
        script = _write_command(Path(folder) / ".venv" / "bin" / "tacit")
        (Path(folder) / "out").mkdir()
        command = [str(script.relative_to(folder)), "demo", "out/demo"]
        text = _run(command, Path(folder), PATH="/usr/bin:/bin")
        if picture is not None:
            shutil.copyfile(Path(folder) / "out" / "demo" / "older.png", picture)
        return text


def _write_command(script: Path) -> Path:
    """The command, of these sources."""
    script.parent.mkdir(parents=True)
    script.write_text(f"#!{sys.executable}\nfrom tacit.cli import main\nmain()\n", encoding="utf-8")
    script.chmod(0o755)
    return script


def _run(command: list[str], folder: Path, **more: str) -> str:
    plain = {"COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    plain["PYTHONPATH"] = str(ROOT / "src")
    done = subprocess.run(  # noqa: S603 - all of it is ours
        command,
        cwd=folder,
        env=os.environ | plain | more,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return _trimmed(done.stdout)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def main() -> None:
    """Write the README anew, and what the page of the package has of it."""
    page = README.read_text(encoding="utf-8")
    for name in NAMES:
        fresh = (_demo(PICTURE) if name == "demo" else printed(name)).replace("\\", "\\\\")
        page = re.sub(BLOCK.format(name=name, kind=""), fresh, page, flags=re.DOTALL)
    README.write_text(page, encoding="utf-8")
    _copy_first()


def _copy_first() -> None:
    """Put the README's first example and its answer into the page of the package, which is a page of its own."""
    page = PACKAGE.read_text(encoding="utf-8")
    for name, kind in (("code", "python"), ("first", "")):
        page = re.sub(
            BLOCK.format(name=name, kind=kind),
            shown(name, kind).replace("\\", "\\\\"),
            page,
            flags=re.DOTALL,
        )
    PACKAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
