"""Who may ask: names, roles, passwords, tokens, and how much of the limit each may spend in a day."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import Any

from tacit.errors import AccessDenied, AllowanceExceeded, InvalidInput
from tacit.frozen import frozen
from tacit.server.later_writes import LaterWrites
from tacit.server.passwords import (
    hash_of_token,
    hash_password,
    is_password,
    new_secret,
    new_token,
)
from tacit.server.scram_keys import ScramKeys, derive_keys, salt_of, sign_as_server, verify_proof
from tacit.server.state_tables import FileTables, Statements, Tables

__all__ = ["FILE", "ROLES", "Identities", "Identity", "Person", "Token"]

FILE = "identities.sqlite"
"""Where the identities of a vault are kept, beside its policy."""

ROLES = ("curator", "analyst", "auditor")
"""What somebody may be: who decides, who asks, who checks."""

_DAY = 86_400.0
_LINK = 1.0  # days that a link to set a password can be used
_LONGEST_NAME = 100
_SEEN_EVERY = 60.0
_SPEND = "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT (name, day) DO UPDATE SET share = excluded.share"


@frozen
class Identity:
    """Somebody who is signed in.  Who asks pays as `name`; the curator pays from the limit of everyone.

    `generation` is another one after each change of password or rights: what was signed before counts no more.
    """

    name: str
    role: str
    generation: int = 0
    price: str | None = None
    allowance: float | None = None

    @property
    def payer(self) -> str | None:
        """Who is charged: an analyst by name, or the curator (None)."""
        return self.name if self.role == "analyst" else None


@frozen
class Person:
    """An identity as the curator sees it."""

    name: str
    role: str
    disabled: bool
    has_password: bool
    price: str | None
    allowance: float | None
    seen: float | None


@frozen
class Token:
    """A token as its owner sees it: never the token itself.  `id` is the beginning of its hash."""

    id: str
    name: str
    label: str
    made: float
    expires: float


class Identities:
    """The identities of a vault: in a file of their own or, where several servers share a ledger, in its database.

    Claim:      what the tables hold signs nobody in: passwords and tokens are hashed.
    Because:    a token is 256 random bits and kept as its SHA-256 and its SCRAM keys, a password as its Argon2id.
    Checked by: tests/unit/server/test_identities.py::test_the_file_signs_nobody_in
    """

    def __init__(
        self, file: str | Path | Tables = ":memory:", *, now: Callable[[], float] | None = None
    ) -> None:
        self.tables: Tables = FileTables(file) if isinstance(file, str | Path) else file
        self._now = self.tables.now if now is None else now
        self._scram_secret: str | None = None
        self._later = LaterWrites(self.tables)
        self._seen: dict[str, float] = {}  # when it was last noted that somebody is here

    @property
    def is_near(self) -> bool:
        """Whether somebody is looked up in microseconds."""
        return self.tables.is_near

    def writing(self) -> AbstractContextManager[Statements]:
        """One indivisible step, seen by other processes whole or not at all."""
        return self.tables.writing()

    def close(self) -> None:
        """Let go of where they are."""
        self._later.close()
        self.tables.close()

    # ---------------------------------------------------------------- people

    def add(
        self,
        name: str,
        role: str,
        password: str | None = None,
        *,
        price: str | None = None,
        allowance: float | None = None,
    ) -> None:
        """Add somebody; without a password, only tokens and a link sign them in.

        >>> people = Identities()
        >>> people.add("ana", "analyst", "a long password")
        >>> people.sign_in("ana", "a long password").role
        'analyst'
        """
        if not name or not name.isprintable() or name != name.strip() or len(name) > _LONGEST_NAME:
            raise InvalidInput("name", name, "give a name of at most 100 printable characters")
        if role not in ROLES:
            raise InvalidInput("role", role, f"give one of: {', '.join(ROLES)}")
        _check_allowance(allowance)
        hashed = None if password is None else hash_password(password)
        with self.writing() as file:
            if self._row(name) is not None:
                raise InvalidInput(
                    "name",
                    name,
                    "somebody is called so already; choose another, or give "
                    f"{name} a new password: tacit user passwd VAULT {quote(name)}",
                )
            file.execute(
                "INSERT INTO people (name, role, password, price, allowance) VALUES (?, ?, ?, ?, ?)",
                (name, role, hashed, price, allowance),
            )

    def set_password(self, name: str, password: str) -> None:
        """Give somebody another password: whoever is signed in by the old one is signed out, and its tokens end."""
        hashed = hash_password(password)
        with self.writing() as file:
            self._known(name)
            self._put_password(file, name, hashed)

    def set_terms(self, name: str, *, price: str | None, allowance: float | None) -> None:
        """Say at which price somebody asks who names none, and which share of the limit is a day's allowance."""
        _check_allowance(allowance)
        self._change(name, "price = ?, allowance = ?", price, allowance)

    def disable(self, name: str) -> None:
        """Let somebody in no more: neither by password nor by token, and what is open is closed."""
        self._change(name, "disabled = 1, generation = generation + 1")

    def enable(self, name: str) -> None:
        """Let somebody in again, by password and by the tokens that have not expired."""
        self._change(name, "disabled = 0, generation = generation + 1")

    def people(self) -> list[Person]:
        """Everybody, by name."""
        self._later.finish()
        with self.tables.reading() as file:
            rows = file.execute(
                "SELECT name, role, disabled, password IS NOT NULL, price, allowance, seen FROM people ORDER BY name"
            ).fetchall()
        return [Person(row[0], row[1], bool(row[2]), bool(row[3]), *row[4:]) for row in rows]

    def is_known(self, name: str) -> bool:
        """Whether this is somebody's name."""
        return self._row(name) is not None

    def end_sessions(self, name: str) -> None:
        """Let what was signed for somebody until now count no more; tokens do."""
        self._change(name, "generation = generation + 1")

    def find(self, name: str, generation: int) -> Identity | None:
        """Somebody who signed in at this generation, if that still counts."""
        found = self._identity(name)
        if found is None or found.generation != generation:
            return None
        self._see(name)
        return found

    def sign_in(self, name: str, password: str) -> Identity | None:
        """Somebody by name and password; None, after the same work, for whatever reason.

        Claim:      a wrong name, a wrong password, a missing password and somebody disabled look alike.
        Because:    one hash is computed in every case, and None is all that is returned.
        Checked by: tests/unit/server/test_identities.py::test_every_reason_not_to_sign_in_looks_alike
        """
        row = self._row(name)
        right = is_password(None if row is None else row[2], password)
        found = self._identity(name)
        return found if right else None

    # ---------------------------------------------------------------- tokens and links

    def new_token(self, name: str, label: str = "", *, days: float = 30.0) -> str:
        """A token by which somebody signs in; it is shown once and kept as a hash."""
        if not 0 < days <= 3660:
            raise InvalidInput("days", days, "give a number of days, such as 30")
        if not label.isprintable() or len(label) > _LONGEST_NAME:
            raise InvalidInput("label", label, "give at most 100 printable characters")
        token, now = new_token(), self._now()
        keys = derive_keys(token, self.salt_of(name))
        with self.writing() as file:
            self._known(name)
            file.execute("DELETE FROM tokens WHERE expires < ?", (now,))
            file.execute(
                "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(hash_of_token(token), name, label, now, now + days * _DAY),
                    *(keys.stored, keys.server),
                ),
            )
        return token

    def tokens(self, name: str | None = None) -> list[Token]:
        """The tokens of somebody, or of everybody, that still count."""
        with self.tables.reading() as file:
            rows = file.execute(
                "SELECT substr(hash, 1, 12), name, label, made, expires FROM tokens "
                "WHERE expires >= ? AND (CAST(? AS TEXT) IS NULL OR name = ?) ORDER BY made",
                (self._now(), name, name),
            ).fetchall()
        return [Token(*row) for row in rows]

    def revoke(self, id: str, name: str | None = None) -> str:  # noqa: A002 -- as it is called
        """Let a token count no more; the name of whose it was."""
        with self.writing() as file:
            rows = file.execute(
                "SELECT hash, name FROM tokens WHERE substr(hash, 1, 12) = ? AND (CAST(? AS TEXT) IS NULL OR name = ?)",
                (id, name, name),
            ).fetchall()
            if len(rows) != 1:
                raise InvalidInput("token", id, "name one that is listed")
            file.execute("DELETE FROM tokens WHERE hash = ?", (rows[0][0],))
        owner: str = rows[0][1]
        return owner

    def of_token(self, token: str) -> Identity | None:
        """Whose token this is, if it counts."""
        return self.of_token_hash(hash_of_token(token))

    def of_token_hash(self, hashed: str) -> Identity | None:
        """Whose token has this hash, if it counts."""
        with self.tables.reading() as file:
            row = file.execute(
                "SELECT name FROM tokens WHERE hash = ? AND expires >= ?", (hashed, self._now())
            ).fetchone()
        if row is None:
            return None
        found = self._identity(row[0])
        if found is not None:
            self._see(found.name)
        return found

    def salt_of(self, name: str) -> bytes:
        """The salt with which the tokens of a name are hashed for SCRAM; a name that nobody has is given one, too."""
        if self._scram_secret is None:
            self._scram_secret = self.secret("scram")
        return salt_of(self._scram_secret, name)

    def of_proof(self, name: str, signed: bytes, proof: bytes) -> tuple[str, bytes] | None:
        """The hash of the token by which somebody proved who they are, and the server's proof; None for any reason.

        Claim:      a wrong name, a wrong token, one that has expired and somebody disabled look alike.
        Because:    as many proofs are checked in every case, and None is all that is returned.
        Checked by: tests/unit/server/test_identities.py::test_every_reason_not_to_accept_a_proof_looks_alike
        """
        with self.tables.reading() as file:
            rows = file.execute(
                "SELECT hash, stored_key, server_key FROM tokens JOIN people USING (name) "
                "WHERE name = ? AND expires >= ? AND disabled = 0 AND stored_key IS NOT NULL "
                "ORDER BY made DESC",
                (name, self._now()),
            ).fetchall()
        keys = [ScramKeys(stored, server) for _, stored, server in rows]
        found = verify_proof(keys, signed, proof)
        return None if found is None else (rows[found][0], sign_as_server(keys[found], signed))

    def has_token(self, hashed: str) -> bool:
        """Whether the token of this hash still counts."""
        with self.tables.reading() as file:
            row = file.execute(
                "SELECT 1 FROM tokens WHERE hash = ? AND expires >= ?", (hashed, self._now())
            ).fetchone()
        return row is not None

    def new_link(self, name: str) -> str:
        """A secret by which somebody sets a password, once, within a day."""
        secret = new_secret()
        with self.writing() as file:
            self._known(name)
            file.execute("DELETE FROM links WHERE name = ? OR expires < ?", (name, self._now()))
            file.execute(
                "INSERT INTO links VALUES (?, ?, ?)",
                (hash_of_token(secret), name, self._now() + _LINK * _DAY),
            )
        return secret

    def of_link(self, secret: str) -> str | None:
        """Who may set a password by this link, if it was not used and is not too old."""
        with self.tables.reading() as file:
            row = file.execute(
                "SELECT name FROM links WHERE hash = ? AND expires >= ?",
                (hash_of_token(secret), self._now()),
            ).fetchone()
        return None if row is None else str(row[0])

    def use_link(self, secret: str, password: str) -> Identity:
        """Set the password of whom a link was made for; the link counts no more."""
        hashed = hash_password(password)
        with self.writing() as file:
            row = file.execute(
                "DELETE FROM links WHERE hash = ? AND expires >= ? RETURNING name",
                (hash_of_token(secret), self._now()),
            ).fetchone()
            if row is None:
                raise AccessDenied(
                    "this link was used or has expired", "ask for another", signed_in=False
                )
            self._put_password(file, row[0], hashed)
        found = self._identity(row[0])
        if found is None:
            raise AccessDenied("this name is disabled", "ask the curator", signed_in=False)
        return found

    def secret(self, name: str) -> str:
        """A secret of this server by its name, made when it is first needed."""
        with self.writing() as file:
            file.execute(
                "INSERT INTO settings VALUES (?, ?) ON CONFLICT DO NOTHING", (name, new_secret())
            )
            row = file.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        found: str = row[0]
        return found

    # ---------------------------------------------------------------- a day's allowance

    def spend(self, who: Identity, share: float) -> str:
        """Take a share of the limit from today's allowance, before it is charged; the day from which it was taken.

        Claim:      what somebody is answered in a day for a charge does not exceed the allowance.
        Because:    sum and check are one indivisible step, made before the ledger is asked; what turns out to be free,
                    or is refused before it is charged, is given back to the day from which it was taken.  What was
                    charged before takes nothing; if it is charged anew, since its table was refreshed meanwhile, it is
                    counted when it was.
        Checked by: tests/unit/server/test_identities.py::test_the_allowance_of_a_day_is_never_exceeded
        """
        day = self._today()
        with self.writing() as file:
            spent = self._spent(file, who.name, day)
            if share and who.allowance is not None and spent + share > who.allowance * (1 + 1e-12):
                raise AllowanceExceeded(share, max(0.0, who.allowance - spent))
            file.execute("DELETE FROM spent WHERE day < ?", (day,))
            file.execute(_SPEND, (who.name, day, spent + share))
        return day

    def count(self, who: Identity, share: float) -> None:
        """Count for today what was charged already, whatever is allowed."""
        self.give_back(who, -share, self._today())

    def give_back(self, who: Identity, share: float, day: str) -> None:
        """Give back what was not charged, to the day from which it was taken."""
        with self.writing() as file:
            spent = max(0.0, self._spent(file, who.name, day) - share)
            file.execute(_SPEND, (who.name, day, spent))

    def spent_today(self, name: str) -> float:
        """The share of the limit that somebody has spent today (UTC)."""
        with self.tables.reading() as file:
            return self._spent(file, name, self._today())

    # ---------------------------------------------------------------- texts of questions

    def keep_text(self, name: str, entry: int, body: dict[str, Any]) -> None:
        """Keep what somebody typed for an entry of the ledger, for their own history: the ledger has words alone."""
        self._later.add(
            ("text", name, entry),
            "INSERT INTO texts VALUES (?, ?, ?) "
            "ON CONFLICT (name, entry) DO UPDATE SET body = excluded.body",
            (name, entry, json.dumps(body)),
        )

    def texts(self, name: str, entries: Sequence[int]) -> dict[int, dict[str, Any]]:
        """What somebody typed for some entries."""
        wanted = {*entries}
        if not wanted:
            return {}
        waiting = [self._later.find(("text", name, entry)) for entry in wanted]  # before the file
        with self.tables.reading() as file:
            rows = file.execute(
                "SELECT entry, body FROM texts WHERE name = ? AND entry BETWEEN ? AND ?",
                (name, min(wanted), max(wanted)),
            ).fetchall()
        found = {entry: body for entry, body in rows if entry in wanted}
        found |= {values[1]: values[2] for values in waiting if values is not None}
        return {entry: json.loads(body) for entry, body in found.items()}

    # ---------------------------------------------------------------- inside

    def _today(self) -> str:
        return datetime.fromtimestamp(self._now(), UTC).date().isoformat()

    @staticmethod
    def _spent(file: Statements, name: str, day: str) -> float:
        row = file.execute(
            "SELECT share FROM spent WHERE name = ? AND day = ?", (name, day)
        ).fetchone()
        return 0.0 if row is None else float(row[0])

    @staticmethod
    def _put_password(file: Statements, name: str, hashed: str) -> None:
        """Another password; tokens of who had one before end: somebody else may have them."""
        file.execute(
            "DELETE FROM tokens WHERE name = "
            "(SELECT name FROM people WHERE name = ? AND password IS NOT NULL)",
            (name,),
        )
        file.execute(
            "UPDATE people SET password = ?, generation = generation + 1 WHERE name = ?",
            (hashed, name),
        )

    def _row(
        self, name: str
    ) -> tuple[str, str, str | None, int, int, str | None, float | None] | None:
        with self.tables.reading() as file:
            found: tuple[str, str, str | None, int, int, str | None, float | None] | None = (
                file.execute(
                    "SELECT name, role, password, generation, disabled, price, allowance FROM people WHERE name = ?",
                    (name,),
                ).fetchone()
            )
        return found

    def _known(self, name: str) -> None:
        if self._row(name) is None:
            raise InvalidInput("name", name, "name somebody who was added")

    def _identity(self, name: str) -> Identity | None:
        row = self._row(name)
        if row is None or row[4]:
            return None
        return Identity(row[0], row[1], row[3], row[5], row[6])

    def _see(self, name: str) -> None:
        """Remember when somebody was here, to the minute."""
        moment = monotonic()
        if moment - self._seen.get(name, -_SEEN_EVERY) < _SEEN_EVERY:
            return
        self._seen[name], now = moment, self._now()
        self._later.add(
            ("seen", name),
            "UPDATE people SET seen = ? WHERE name = ? AND (seen IS NULL OR seen < ?)",
            (now, name, now),
        )

    def _change(self, name: str, what: str, *given: object) -> None:
        with self.writing() as file:
            self._known(name)
            file.execute(f"UPDATE people SET {what} WHERE name = ?", (*given, name))  # noqa: S608 -- texts of this file


def _check_allowance(allowance: float | None) -> None:
    if allowance is not None and not 0 < allowance <= 1:
        raise InvalidInput("allowance", allowance, "give a share of the limit a day, such as 0.05")
