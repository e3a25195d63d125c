"""`tacit serve`, `tacit user`, `tacit token` and `tacit calibrate`: a vault over a network.

Checked by: tests/unit/cli/test_server_commands.py
"""

from __future__ import annotations

import shlex
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.arguments import Folder, number
from tacit.cli.output import AsJson, say
from tacit.curator import open_vault, write_key
from tacit.errors import InvalidInput
from tacit.server import Person, identities_of, is_served, reload_policy, write_calibration
from tacit.server import calibrate as measure
from tacit.server import serve as run_server

__all__ = ["calibrate", "people", "reload", "serve", "tokens"]

people = typer.Typer(help="Add, disable and list the people who may ask.", no_args_is_help=True)
"""`tacit user …`."""

tokens = typer.Typer(help="Create, revoke and list tokens for programs.", no_args_is_help=True)
"""`tacit token …`."""

_Name = Annotated[str, typer.Argument(help="The name, which is also that of the analyst.")]


def serve(
    vault: Folder = Path(),
    http: Annotated[int, typer.Option(help="The port; 0 takes any free port.")] = 8443,
    pg: Annotated[
        int | None, typer.Option(help="A port for PostgreSQL clients; 0 takes any free port.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    tls: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="A certificate and its key; without them only this machine is served."),
    ] = None,
    insecure_loopback: Annotated[
        bool,
        typer.Option(
            "--insecure-loopback",
            help="The same as leaving out --tls, said aloud: no TLS, this machine only. It cannot be given with --tls.",
        ),
    ] = False,
    shared_limit: Annotated[
        bool,
        typer.Option(
            "--shared-limit",
            help="Let analysts without a limit of their own spend the common limit.",
        ),
    ] = False,
    workers: Annotated[int, typer.Option(help="How many questions may run at the same time.")] = 2,
) -> None:
    """Serve a vault: a workbench for the browser, an HTTP interface and, with --pg, PostgreSQL's protocol.

    The policy and the ledger are checked first. On SIGTERM the server finishes running questions and accepts no more.
    """
    if tls is not None and insecure_loopback:
        raise InvalidInput("--insecure-loopback", "given with --tls", "give one of the two")
    run_server(
        vault,
        host=host,
        port=http,
        pg=pg,
        tls=tls,
        shared_limit=shared_limit,
        workers=workers,
        say=_announce,
    )


def calibrate(
    vault: Folder = Path(),
    rows: Annotated[
        list[str] | None,
        typer.Option(
            help="About how many rows a table has, as in labs=400000; the number becomes public."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure on made-up rows how long questions take, and store it in the vault, for the time slots of a server."""
    with open_vault(vault) as opened:
        found = measure(opened, dict(_table_and_rows(each) for each in rows or ()))
    folder = vault if vault.is_dir() else vault.parent
    file = write_calibration(folder, found)
    told = found.told()
    lines = [
        f"  {table}: " + ", ".join(f"{kind} {seconds:.3g} s" for kind, seconds in kinds.items())
        for table, kinds in told["seconds"].items()
    ]
    say("\n".join([f"Written: {file}", *lines]), told, as_json=as_json)


@people.command("add")
def add_person(
    vault: Folder,
    name: _Name,
    role: Annotated[str, typer.Option(help="curator, analyst or auditor.")] = "analyst",
    price: Annotated[
        str | None, typer.Option(help="The epsilon of questions that state none.", metavar="NUMBER")
    ] = None,
    allowance: Annotated[
        str | None,
        typer.Option(
            help="The share of everyone's limit that may be spent in a day: 0.05 or 5%.",
            metavar="SHARE",
        ),
    ] = None,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from the standard input.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add somebody; without a password, print a link where they choose one."""
    usual = None if price is None else str(number(price, "--price"))
    password = sys.stdin.readline().rstrip("\n") if password_stdin else None
    known = identities_of(vault)
    share = None if allowance is None else _share(allowance)
    known.add(name, role, password, price=usual, allowance=share)
    told: dict[str, object] = {"name": name, "role": role}
    text = f"{name} is added as {role}."
    if password is None:
        link = f"/welcome/{known.new_link(name)}"
        told["link"] = link
        text += f" The password is chosen at this path of the server; the link works once, within a day: {link}"
    known.close()
    if role == "analyst":
        command = f"tacit reload {shlex.quote(str(vault))}"
        if not _has_limit(vault, name):
            text += (
                f"\nThe policy has no limit for {name} yet: add a section [analysts.{write_key(name)}] with an "
                f"epsilon, or the vault is not served. A server that runs reads it on: {command}"
            )
        elif is_served(vault):
            text += f"\nIf the limit of {name} is new in the policy, let the server that runs read it: {command}"
    say(text, told, as_json=as_json)


def reload(vault: Folder = Path()) -> None:
    """Let the server that runs over a vault read its policy again."""
    reload_policy(vault)
    typer.echo("The server has read the policy again.")


@people.command("passwd")
def set_password(
    vault: Folder,
    name: _Name,
    link: Annotated[
        bool,
        typer.Option("--link", help="Print a new link where the person chooses the password."),
    ] = False,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from the standard input.")
    ] = False,
) -> None:
    """Set a password; sessions that used the old one end."""
    if link:
        known = identities_of(vault)
        path = f"/welcome/{known.new_link(name)}"
        known.close()
        typer.echo(
            f"{name} chooses a password at this path of the server, once, within a day: {path}"
        )
        return
    if password_stdin:
        password = sys.stdin.readline().rstrip("\n")
    elif sys.stdin.isatty():
        password = typer.prompt("New password", hide_input=True, confirmation_prompt=True)
    else:
        raise InvalidInput("--password-stdin", None, "give it, or run the command in a terminal")
    known = identities_of(vault)
    known.set_password(name, password)
    known.close()
    typer.echo(f"The password of {name} is set.")


@people.command("disable")
def disable_person(vault: Folder, name: _Name) -> None:
    """Disable somebody; their sessions and connections end."""
    known = identities_of(vault)
    known.disable(name)
    known.close()
    typer.echo(f"{name} is disabled.")


@people.command("enable")
def enable_person(vault: Folder, name: _Name) -> None:
    """Enable somebody again."""
    known = identities_of(vault)
    known.enable(name)
    known.close()
    typer.echo(f"{name} is enabled.")


@people.command("list")
def list_people(vault: Folder = Path(), as_json: AsJson = False) -> None:
    """List who may ask, with role, usual price and daily allowance."""
    known = identities_of(vault)
    found = known.people()
    known.close()
    told = [
        {
            "name": each.name,
            "role": each.role,
            "disabled": each.disabled,
            "price": each.price,
            "allowance": each.allowance,
            "seen": _moment(each.seen),
        }
        for each in found
    ]
    say("\n".join(map(_line_of, found)) or "Nobody has been added yet.", told, as_json=as_json)


@tokens.command("new")
def make_token(
    vault: Folder,
    name: _Name,
    label: Annotated[str, typer.Option(help="What the token is for.")] = "",
    days: Annotated[float, typer.Option(help="How long it is valid.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Create a token for somebody's programs; it is shown once."""
    known = identities_of(vault)
    token = known.new_token(name, label, days=days)
    known.close()
    if as_json:
        say("", {"token": token}, as_json=True)
    else:
        typer.echo(token)


@tokens.command("revoke")
def revoke_token(
    vault: Folder, token: Annotated[str, typer.Argument(help="Its id, as `list` shows it.")]
) -> None:
    """Revoke a token."""
    known = identities_of(vault)
    whose = known.revoke(token)
    known.close()
    typer.echo(f"The token {token} of {whose} is revoked.")


@tokens.command("list")
def list_tokens(vault: Folder = Path(), as_json: AsJson = False) -> None:
    """List the valid tokens by id, never the tokens themselves."""
    known = identities_of(vault)
    found = known.tokens()
    known.close()
    told = [
        {
            "id": each.id,
            "name": each.name,
            "label": each.label,
            "made": _moment(each.made),
            "expires": _moment(each.expires),
        }
        for each in found
    ]
    lines = [
        f"{each.id}  {each.name}  until {_moment(each.expires)}  {each.label}" for each in found
    ]
    say("\n".join(lines) or "There are no tokens.", told, as_json=as_json)


def _line_of(person: Person) -> str:
    """Somebody in the list of people."""
    parts = [
        person.name,
        person.role,
        "disabled" if person.disabled else "" if person.has_password else "no password yet",
        f"usual price {person.price}" if person.price else "",
        f"{100 * person.allowance:.3g}% of the limit a day" if person.allowance else "",
        f"last seen {_moment(person.seen) or 'never'}",
    ]
    return "  ".join(part for part in parts if part)


def _share(text: str) -> float:
    """A share as people write it: 0.05 or 5%."""
    remedy = "give a share of the limit a day, such as 0.05 or 5%"
    if text.endswith("%"):
        return float(number(text[:-1], "--allowance", remedy)) / 100
    return float(number(text, "--allowance", remedy))


def _has_limit(vault: Path, name: str) -> bool:
    """Whether the policy of a vault gives somebody a limit of their own; if there is none yet, nothing is missing."""
    file = (vault if vault.is_dir() else vault.parent) / "tacit.toml"
    if not file.is_file():
        return True
    return name in tomllib.loads(file.read_text(encoding="utf-8")).get("analysts", {})


def _announce(text: str) -> None:
    typer.echo(text)
    sys.stdout.flush()


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes")


def _table_and_rows(text: str) -> tuple[str, int]:
    table, _, rows = text.partition("=")
    if not rows.isdigit():
        raise InvalidInput("--rows", text, "write a table and a number: --rows labs=400000")
    return table, int(rows)
