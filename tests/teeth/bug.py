"""A planted bug: one exact text of one source file, replaced by a wrong one, and the test that must notice."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Bug:
    """`before`, which occurs once in `file`, becomes `after`; the test `killed_by` must then fail.

    `environment` is set while that test runs, for instance {"HYPOTHESIS_PROFILE": "ci"}. `crashes` is the kind of error
    that the bug is about, where it would otherwise show only that the text makes no sense: "TypeError".
    """

    name: str
    file: str
    before: str
    after: str
    killed_by: str
    note: str
    environment: Mapping[str, str] = field(default_factory=dict)
    crashes: str = ""

    @property
    def module(self) -> str:
        """The dotted name of the file: `tacit.exact.coins`."""
        return module_of(self.file)

    @property
    def room(self) -> str:
        """The room the file lies in, or the file's own name at the top: `exact`, `errors`."""
        return self.module.split(".")[1] if "." in self.module else "tacit"


def module_of(file: str) -> str:
    """The dotted name of a file of the source.

    >>> module_of("src/tacit/exact/coins.py"), module_of("src/tacit/exact/__init__.py")
    ('tacit.exact.coins', 'tacit.exact')
    """
    path = PurePosixPath(file).relative_to("src").with_suffix("")
    return ".".join(path.parent.parts if path.name == "__init__" else path.parts)


class Unplantable(Exception):
    """The bug does not fit the source as it is today."""


def planted(bug: Bug, source: str) -> str:
    """The text of the file with the bug in it, which compiles."""
    text = replaced(bug, source)
    try:
        compile(text, bug.file, "exec")
    except SyntaxError as error:
        raise Unplantable(f"{bug.name}: the planted file does not compile ({error})") from None
    return text


def replaced(bug: Bug, source: str) -> str:
    """The text of the file with the bug in it; whether it compiles is seen when it is imported."""
    found = source.count(bug.before)
    if found != 1:
        raise Unplantable(
            f"{bug.name}: `before` occurs {found} times in {bug.file}, it must occur once"
        )
    if bug.before == bug.after:
        raise Unplantable(f"{bug.name}: `after` equals `before`")
    return source.replace(bug.before, bug.after)


def rooms_with_bugs() -> dict[str, list[Bug]]:
    """The bugs of every file of tests/teeth/bugs, by the name of that file."""
    files = sorted((ROOT / "tests" / "teeth" / "bugs").glob("*.py"))
    return {
        file.stem: list(importlib.import_module(f"tests.teeth.bugs.{file.stem}").BUGS)
        for file in files
    }


def all_bugs() -> list[Bug]:
    """Every planted bug."""
    return [bug for bugs in rooms_with_bugs().values() for bug in bugs]
