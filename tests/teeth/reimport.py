"""Which modules of Tacit are imported anew when one of its files changes, and which may stay as they are.

The process that forks trials has imported the sound source. A trial forgets the planted module and all that import it,
directly or through others, and finds these in the planted copy; the rest cannot know the difference.
"""

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

_FORGOTTEN: list[ModuleType] = []


def import_all(source: Path) -> None:
    """Import every module of the package `tacit` that lies in the directory `source`."""
    sys.path.insert(0, str(source))
    for name in modules_in(source):
        import_module(name)
    sys.path.remove(str(source))


@cache
def modules_in(source: Path) -> Mapping[str, Path]:
    """The modules of Tacit by their dotted names, `tacit.__main__` and the like left out."""
    found = {}
    for file in sorted((source / "tacit").rglob("*.py")):
        parts = file.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if parts[-1] != "__main__":
            found[name] = file
    return found


@cache
def imports_in(source: Path) -> Mapping[str, frozenset[str]]:
    """By module: the modules that its text imports, at the top, in functions or for types alone.

    A package inside a room counts as importing the package around it, which Python runs first.
    """
    known = modules_in(source)
    found = {}
    for name, file in known.items():
        imported = imported_by(imports_alone(file.read_text(encoding="utf-8")), known)
        around = name.rpartition(".")[0] if file.name == "__init__.py" else ""
        found[name] = frozenset(imported | ({around} - {"", "tacit"}))
    return found


_IMPORT = re.compile(
    r"^[ \t]*((?:from tacit[\w.]* import|import tacit)(?: \([^)]*\)|[^\n(]*))", re.MULTILINE
)


def imports_alone(text: str) -> ast.Module:
    """The imports of Tacit in a text, wherever they stand: to parse all of every file would take seconds.

    >>> text = "from tacit.plan import (\\n    Frame,  # a plan\\n)\\nx = 1\\ndef f():\\n    import tacit.engines"
    >>> print(ast.unparse(imports_alone(text)))
    from tacit.plan import Frame
    import tacit.engines
    """
    found = _IMPORT.findall(text)
    try:
        return ast.parse("\n".join(found))
    except SyntaxError:  # words of a comment or of a docstring: all is parsed
        return ast.parse(text)


def imported_by(tree: ast.Module, known: Mapping[str, Path]) -> set[str]:
    """The modules among `known` that a text imports.

    >>> known = dict.fromkeys(["tacit.plan", "tacit.plan.model", "tacit.plan.sql"], Path())
    >>> text = "from tacit.plan import model as m, Frame\\nimport tacit.plan.sql"
    >>> sorted(imported_by(ast.parse(text), known))
    ['tacit.plan', 'tacit.plan.model', 'tacit.plan.sql']
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names, level=0):
                # Whether the package itself is used, or only a file inside it, is seen from the names.
                inside = {f"{module}.{alias.name}" for alias in names}
                found |= inside & known.keys()
                if inside - known.keys():
                    found.add(module)
            case _:
                pass
    return found & known.keys()


def dependents_of(module: str, imports: Mapping[str, frozenset[str]]) -> set[str]:
    """The module and all that import it, directly or through others.

    >>> imports = {"a": frozenset(), "b": frozenset({"a"}), "c": frozenset({"b"}), "d": frozenset()}
    >>> sorted(dependents_of("a", imports)), sorted(dependents_of("c", imports))
    (['a', 'b', 'c'], ['c'])
    """
    found = {module}
    while more := {name for name, used in imports.items() if used & found} - found:
        found |= more
    return found


@cache
def dependents_in(module: str, source: Path) -> frozenset[str]:
    """`dependents_of` a module of the package in the directory `source`."""
    return frozenset(dependents_of(module, imports_in(source)))


@cache
def code_in(source: Path) -> Mapping[str, CodeType]:
    """The compiled text of every module, read once: trials run it again without reading files."""
    loaders = {name: SourceFileLoader(name, str(file)) for name, file in modules_in(source).items()}
    return {name: _known(loader.get_code(name)) for name, loader in loaders.items()}


def _known(code: CodeType | None) -> CodeType:
    assert code is not None
    return code


def forget(module: str, source: Path, planted: Path) -> None:
    """Forget a module and its dependents; when they are imported again they come from the directory `planted`.

    There only `module` has another text: all others run the code that is known already.
    """
    forgotten = dependents_in(module, source)
    for name in forgotten:
        parent, _, last = name.rpartition(".")
        if parent and getattr(sys.modules[parent], last, None) is sys.modules[name]:
            delattr(sys.modules[parent], last)
    # To free what they hold would touch, and so copy, memory that the fork shares with its parent.
    _FORGOTTEN.extend(sys.modules.pop(name) for name in sorted(forgotten))
    kept: dict[str, dict[str, ModuleType]] = {}
    for name in modules_in(source):
        if name in sys.modules:
            parent, _, last = name.rpartition(".")
            kept.setdefault(parent, {})[last] = sys.modules[name]
            if hasattr(sys.modules[name], "__path__"):
                sys.modules[name].__path__ = [str(planted / name.replace(".", "/"))]
    files = {name: planted / modules_in(source)[name].relative_to(source) for name in forgotten}
    sys.path.insert(0, str(planted))
    sys.meta_path.insert(0, _Renewed(module, files, code_in(source), kept))


class _Renewed:
    """Finds what was forgotten, and gives packages back those of their modules that were not."""

    def __init__(
        self,
        changed: str,
        files: Mapping[str, Path],
        code: Mapping[str, CodeType],
        kept: Mapping[str, Mapping[str, ModuleType]],
    ) -> None:
        self.changed = changed
        self.files = files
        self.code = code
        self.kept = kept

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.files:
            return None
        code = None if name == self.changed else self.code[name]
        loader = _Loader(name, str(self.files[name]), code, self.kept.get(name, {}))
        return spec_from_file_location(name, self.files[name], loader=loader)


class _Loader(SourceFileLoader):
    """Runs a module with the modules of the package that stayed, and reads its file only if it has another text."""

    def __init__(
        self, name: str, path: str, code: CodeType | None, inside: Mapping[str, ModuleType]
    ) -> None:
        super().__init__(name, path)
        self.code = code
        self.inside = inside

    def get_code(self, fullname: str) -> CodeType | None:
        return self.code or super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self.inside)
        super().exec_module(module)
