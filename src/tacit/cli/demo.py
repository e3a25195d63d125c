"""`tacit demo`: a vault over a clinic's real data, four questions, one refusal, and a ledger that was checked.

Checked by: tests/unit/cli/test_commands.py
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.output import AsJson, say
from tacit.curator import Vault, example, open_vault
from tacit.errors import InvalidInput, LimitExceeded, NotInstalled
from tacit.plan import col, count, mean

__all__ = ["demo", "print_example"]

_POLICY = """\
# What may be asked about the clinic, and how much all answers together may reveal.

[limit]
epsilon = 2.0               # of all answers together, for one patient
delta = 1e-6
unit = "patient"            # all rows of one patient, in all tables, are protected together

[ledger]
anchors = "../anchors"      # outside the vault: an older copy of the ledger is noticed

[tables.patients]
source = "patients.parquet"
unit = "patient"
contributions = 1           # one row a patient

[tables.patients.columns]
age  = { type = "integer", low = 18, high = 100 }
male = { type = "boolean", values = [true, false] }
bmi  = { type = "number", low = 5, high = 90 }
died = { type = "boolean" }

[tables.labs]
source = "labs.parquet"
unit = "patient"
contributions = 70          # a patient with more results counts for less in each

[tables.labs.columns]
test  = { type = "text", values = ["hdl", "fib4"] }
value = { type = "number", low = 0, high = 250, nullable = false }
day   = { type = "integer", low = -8000, high = 8000 }

[tables.events]
source = "events.parquet"
unit = "patient"
contributions = 3

[tables.events.columns]
event = { type = "text", values = ["nafld", "diabetes", "htn", "stroke", "heart failure"] }
"""

_CLINIC, _SERVED = "clinic", "demo-served"  # a file that says that everything was made
_ANALYSTS = ("ana", "ben", "chloe")
_PRICE, _ALLOWANCE = "1/20", 0.25
_ROWS = {"patients": 20_000, "labs": 400_000, "events": 40_000}  # rounded up, and public
_HISTORY = (
    ("ana", "SELECT test, COUNT(*) AS n, AVG(value) AS mean FROM labs GROUP BY test", 0.2),
    (
        "ana",
        "SELECT male, COUNT(*) AS n, AVG(bmi) AS bmi FROM patients WHERE age >= 65 GROUP BY male",
        0.1,
    ),
    ("ben", "SELECT event, COUNT(*) AS n FROM events GROUP BY event", 0.2),
    ("ben", "SELECT COUNT(*) AS n FROM patients WHERE died", 0.05),
    ("chloe", "SELECT MEDIAN(bmi) AS median FROM patients", 0.1),
)
_BY_TEST = "SELECT test, COUNT(*) AS n, AVG(value) AS mean FROM labs GROUP BY test"
_AGAIN = "select avg(value) as average, test from labs group by test"
_WIDE = (
    "\n(fib4 has few rows, and the range 0 to 250 is hdl's: at this price its mean is known no better than its\n"
    "interval says; a higher price makes it narrower.)"
)
_NEXT = "SELECT COUNT(*) AS n FROM patients WHERE died"
_AFFECTED = "SELECT COUNT(DISTINCT patient) AS patients FROM events WHERE event = 'nafld'"


def demo(
    folder: Annotated[
        Path, typer.Argument(help="A new folder for the vault, the anchor and the chart.")
    ] = Path("tacit-demo"),
    serve: Annotated[
        bool,
        typer.Option(
            "--serve", help="Serve the workbench over it, with analysts and some earlier questions."
        ),
    ] = False,
    http: Annotated[int, typer.Option(help="The port to serve at; 0 takes any free port.")] = 8443,
    pg: Annotated[
        int | None,
        typer.Option(help="With --serve, a port for PostgreSQL clients; 0 takes any free port."),
    ] = None,
) -> None:
    """Create a vault over a clinic's real data and ask it a few questions."""
    if serve:
        serve_demo(folder, http, pg)
        return
    if pg is not None:
        raise InvalidInput("--pg", pg, "give --serve, too: only a server has ports")
    clinic = make_vault(folder)
    with open_vault(clinic) as vault:
        _sql(vault, clinic)
        _frame(vault, folder)
        _accuracy(vault)
        _ask_again(vault)
        _show_refusal(vault)
    _show_check(clinic)


def serve_demo(folder: Path, port: int, pg: int | None = None) -> None:
    """Serve a vault over the clinic's data, with three analysts, a curator, an auditor and earlier questions.

    One that this made before is served as it is.
    """
    from tacit.server import check_installed, check_port
    from tacit.server import serve as run_server

    check_port("--http", port)
    check_port("--pg", pg)
    check_installed()
    clinic = folder / _CLINIC
    if (clinic / _SERVED).exists():
        typer.echo(f"The vault of the demo is there already, and is served as it is: {clinic}")
        typer.echo(
            f"Sign in with the password that was printed first; another one: {_command()} user passwd "
            f"{shlex.quote(str(clinic))} ana"
        )
    else:
        prepare_demo(folder)
    run_server(clinic, port=port, pg=pg, say=_announce)


def prepare_demo(folder: Path) -> None:
    """Make the vault that the demo serves, its people and its earlier questions, and say how to sign in."""
    from tacit.server import calibrate, identities_of, new_secret, write_calibration

    clinic = make_vault(folder)
    with (clinic / "tacit.toml").open("a", encoding="utf-8") as policy:
        policy.writelines(f"\n[analysts.{name}]\nepsilon = 1.0\n" for name in _ANALYSTS)
    password = new_secret()[:12]
    people = identities_of(clinic)
    for name in _ANALYSTS:
        people.add(name, "analyst", password, price=_PRICE, allowance=_ALLOWANCE)
    people.add("curator", "curator", password)
    people.add("auditor", "auditor", password)
    with open_vault(clinic) as vault:
        write_calibration(clinic, calibrate(vault, _ROWS))
        for name, text, price in _HISTORY:
            entry = vault.of(name).sql(text, epsilon=price).receipt["entry"]
            body = {"sql": text, "epsilon": str(price), "within": None, "confidence": 0.95}
            people.keep_text(name, int(entry), {**body, "raw": False})
    people.close()
    names = ", ".join((*_ANALYSTS, "curator", "auditor"))
    typer.echo(f"A vault over 17,549 patients of the Mayo Clinic's NAFLD cohort: {clinic}")
    typer.echo(f"Sign in as one of {names}; the password of all is {password}")
    typer.echo(
        f"A question without a price is asked at epsilon {_PRICE}; analysts may spend "
        f"{_ALLOWANCE:.0%} of the limit a day."
    )
    (clinic / _SERVED).touch()


def _announce(text: str) -> None:
    typer.echo(text)
    sys.stdout.flush()


def print_example(
    name: Annotated[str | None, typer.Argument(help="One of: events, labs, patients.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the path of an example table with real data that is shipped with Tacit."""
    if name is None:
        raise InvalidInput("example", None, "name one of: events, labs, patients")
    path = str(example(name))
    if as_json:
        say("", {"path": path}, as_json=True)
    else:
        typer.echo(path)  # as it is: a shell reads it


def make_vault(folder: Path) -> Path:
    """The directory of a new vault over the clinic's data."""
    if folder.exists():
        there = (folder / _CLINIC / _SERVED).exists()
        serving = f", or serve the one there: tacit demo {shlex.quote(str(folder))} --serve"
        raise InvalidInput(
            "folder",
            str(folder),
            f"it exists already; name a new one: tacit demo another-folder{serving if there else ''}",
        )
    clinic = folder / _CLINIC
    clinic.mkdir(parents=True)
    # the tables, their notice and their licence
    for file in sorted(example("labs").parent.iterdir()):
        shutil.copy(file, clinic / file.name)
    (clinic / "tacit.toml").write_text(_POLICY, encoding="utf-8")
    return clinic


def _sql(vault: Vault, clinic: Path) -> None:
    _headline(
        "1. A question in SQL",
        "17,549 patients, 400,123 lab results: the Mayo Clinic's NAFLD cohort",
    )
    typer.echo(f">>> clinic = tacit.open({str(clinic)!r})")
    typer.echo(
        f">>> clinic.explain({_BY_TEST!r}, epsilon=0.6)     # free, and before any row is read\n"
    )
    typer.echo(str(vault.explain(_BY_TEST, epsilon=0.6)))
    typer.echo("\n>>> clinic.sql(…the same…, epsilon=0.6)")
    typer.echo(str(vault.sql(_BY_TEST, epsilon=0.6)))
    typer.echo(_WIDE)


def _frame(vault: Vault, folder: Path) -> None:
    _headline("2. The same in Python, with a chart", "how heavy the clinic's older patients are")
    typer.echo(
        '>>> older = clinic.table("patients").where(tacit.col("age") >= 65).group_by("male")'
    )
    typer.echo('>>> answer = older.agg(n=tacit.count(), bmi=tacit.mean("bmi")).ask(epsilon=0.3)')
    older = vault.table("patients").where(col("age") >= 65).group_by("male")
    answer = older.agg(n=count(), bmi=mean("bmi")).ask(epsilon=0.3)
    typer.echo(str(answer))
    chart = folder / "older.png"
    typer.echo(f">>> answer.plot({str(chart)!r})")
    try:
        answer.plot(str(chart))
    except NotInstalled:
        typer.echo("(no chart: install matplotlib with pip install 'tacit-dp[plot]')")


def _accuracy(vault: Vault) -> None:
    _headline(
        "3. Accuracy first",
        "how many patients have the disease, give or take 40; what will that cost?",
    )
    typer.echo(f">>> clinic.sql({_AFFECTED!r}, within=40)")
    typer.echo(str(vault.sql(_AFFECTED, within=40)))


def _ask_again(vault: Vault) -> None:
    _headline("4. The first question again, in other words", "the same noisy numbers, for free")
    typer.echo(f">>> clinic.sql({_AGAIN!r}, epsilon=0.6)")
    typer.echo(str(vault.sql(_AGAIN, epsilon=0.6)))
    typer.echo("\n>>> print(clinic.budget)")
    typer.echo(str(vault.budget))


def _show_refusal(vault: Vault) -> None:
    _headline("5. A question that would exceed the limit", "it is refused before the data are read")
    typer.echo(
        '>>> clinic.sql("SELECT event, COUNT(*) AS n FROM events GROUP BY event", epsilon=1.9)'
    )
    try:
        vault.sql("SELECT event, COUNT(*) AS n FROM events GROUP BY event", epsilon=1.9)
    except LimitExceeded as refusal:
        typer.echo(f"LimitExceeded: {refusal}")


def _show_check(clinic: Path) -> None:
    _headline("6. The record", "opened again from disk: every link of the hash chain is checked")
    with open_vault(clinic) as vault:
        for entry in vault.ledger.entries():
            share = float(vault.policy.limit.filter().share(entry.charge))
            typer.echo(
                f"  {entry.number:>2}  {entry.hash.hex()[:12]}…  {share:>6.2%}  {entry.about}"
            )
        vault.verify()
        typer.echo(f"\nThe ledger is intact, and {vault.budget.spent:.1%} of the limit is spent.")
    typer.echo(f"The workbench over such a vault: {_command()} demo another-folder --serve")
    typer.echo(f"Try it: {_command()} sql {shlex.quote(str(clinic))} '{_NEXT}' --epsilon 0.2")


def _command() -> str:
    """What to type for `tacit`: the path of the script that runs, if a shell would not find it by its name."""
    script = Path(sys.argv[0])
    found = shutil.which("tacit") is not None or script.name != "tacit" or not script.is_file()
    return "tacit" if found else shlex.quote(str(script))


def _headline(text: str, below: str) -> None:
    typer.echo(f"\n{text}\n{'-' * len(text)}\n{below}\n")
