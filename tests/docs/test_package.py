"""The package: its name, its licences and what it ships; and every page that says how to install it."""

import re
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

import pytest

import tacit
from tests.docs.sources import ROOT, SRC

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTALLED = re.compile(r"pip install (?:-\S+ )*'?([\w.-]+)(?:\[([\w,]+)\])?")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def metadata(wheel: zipfile.ZipFile) -> Message:
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return HeaderParser().parsestr(wheel.read(name).decode())


def test_the_wheel_says_what_it_is(wheel):
    said = metadata(wheel)
    assert (said["Name"], said["Version"]) == ("tacit-dp", tacit.__version__)
    assert said["License-Expression"] == "MIT AND LGPL-2.0-or-later AND PostgreSQL"
    assert set(said.get_all("License-File")) == set(PROJECT["license-files"])
    assert "](" not in said.get_payload(), "a package page has no files to link to"
    assert (
        "tacit = tacit.cli:main" in wheel.read("tacit_dp-0.2.0.dist-info/entry_points.txt").decode()
    )


def test_the_wheel_ships_the_licences_and_the_data(wheel):
    names = set(wheel.namelist())
    shipped = {f"tacit/clinic/{path.name}" for path in (SRC / "tacit" / "clinic").iterdir()}
    shipped |= {"tacit/catalogue/functions.sql", "tacit/catalogue/lookups.sql"}
    shipped |= {"tacit/catalogue/data/postgresql-15.jsonl.xz"}
    assert shipped <= names
    pages = SRC / "tacit" / "server" / "http"
    assert {
        f"tacit/server/http/{path.relative_to(pages).as_posix()}"
        for folder in ("static", "templates", "vendor")
        for path in (pages / folder).iterdir()
    } <= names
    assert {name for name in names if "/licenses/" in name} == {
        f"tacit_dp-0.2.0.dist-info/licenses/{file}" for file in PROJECT["license-files"]
    }
    assert "GNU LIBRARY GENERAL PUBLIC LICENSE" in wheel.read("tacit/clinic/LGPL-2.0.txt").decode()


def told() -> list[tuple[Path, str, str | None]]:
    """Every place that says `pip install`, with what it names."""
    files = [
        ROOT / "README.md",
        ROOT / "Makefile",
        *(ROOT / "docs").rglob("*.md"),
        *SRC.rglob("*.py"),
    ]
    return [
        (file, *found)
        for file in files
        for found in INSTALLED.findall(file.read_text(encoding="utf-8"))
    ]


def test_whoever_is_told_to_install_something_is_told_the_right_name():
    names = [(file, name, extra) for file, name, extra in told() if name not in {".", "-e"}]
    assert len(names) >= 8
    for file, name, extra in names:
        if file.name == "Makefile":
            continue  # what it names are the lock and the clone
        assert name == "tacit-dp", file
        if extra and not extra.startswith("{"):
            assert set(extra.split(",")) <= set(PROJECT["optional-dependencies"]), file


def test_no_code_looks_the_package_up_by_another_name():
    assert not [
        path
        for path in SRC.rglob("*.py")
        if "importlib.metadata" in path.read_text(encoding="utf-8")
    ]
