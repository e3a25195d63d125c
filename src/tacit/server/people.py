"""The people of a server: who signs in, by what, and what a curator decides about them.  No vault is needed for it."""

from __future__ import annotations

from contextlib import suppress

from tacit.errors import AccessDenied, InvalidInput, NotFound, TooMany
from tacit.server.audit_log import AuditLog
from tacit.server.identities import Identities, Identity, Person, Token
from tacit.server.rate_limits import Rates
from tacit.server.rights import RIGHTS, check_right

__all__ = ["People"]

_MOST_KNOWN = 10_000  # names at addresses that are remembered


class People:
    """Everybody who may sign in."""

    def __init__(self, identities: Identities, audit: AuditLog, rates: Rates) -> None:
        self._identities = identities
        self._audit = audit
        self._rates = rates
        self._known: dict[tuple[str, str], None] = {}

    def sign_in(self, name: str, password: str, address: str, *, door: str = "http") -> Identity:
        """Somebody by name and password, if nobody has tried too often.

        Claim:      passwords cannot be guessed quickly, and no stranger keeps a person out: neither by tries from
                    another address, nor, where the person has signed in before, by tries from many.
        Because:    tries are counted for each name at each address; those by one name from everywhere are counted only
                    where that name has not signed in before.
        Checked by: tests/unit/server/test_people.py
        """
        try:
            self._count_attempt(name, address)
        except TooMany:
            with suppress(TooMany):  # a log that strangers can fill is none
                self._rates.take("notes of attempts from this address", address)
                self._note_refusal(name, address, door, "TooMany")
            raise
        found = self._identities.sign_in(name, password)
        if found is None:
            self._note_refusal(name, address, door, "AccessDenied")
            raise AccessDenied(
                "the name or the password is wrong",
                "try again, or ask the curator",
                signed_in=False,
            )
        self._remember(name, address)
        self._audit.note("signed in", identity=found.name, door=door, address=address)
        return found

    def _count_attempt(self, name: str, address: str) -> None:
        self._rates.take("attempts to sign in from this address", address)
        self._rates.take("attempts to sign in by this name from this address", f"{address} {name}")
        if (name, address) not in self._known:
            self._rates.take("attempts to sign in by this name", name)

    def _remember(self, name: str, address: str) -> None:
        """Remember where somebody has signed in, and forget who did so longest ago."""
        self._known.pop((name, address), None)
        self._known[name, address] = None
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]

    def _note_refusal(self, name: str, address: str, door: str, problem: str) -> None:
        """Note by whose name somebody tried; what is nobody's name may be a password in the wrong field."""
        about = name if self._identities.is_known(name) else None
        self._audit.note(
            "refused to sign in", door=door, about=about, address=address, problem=problem
        )

    def of_token(self, token: str) -> Identity:
        """Somebody by a token."""
        found = self._identities.of_token(token)
        if found is None:
            raise AccessDenied(
                "the token is wrong, revoked or has expired", "ask for another", signed_in=False
            )
        return found

    def salt_of(self, name: str) -> bytes:
        """The salt of a name, whether anybody has it or not."""
        return self._identities.salt_of(name)

    def of_proof(self, name: str, signed: bytes, proof: bytes, address: str) -> tuple[str, bytes]:
        """The pass of who has proved to have a token, and the server's own proof; failures are counted.

        Claim:      whoever fails too often, at an address, waits; the reason is never said.
        Because:    every failure takes from the rates of its address, and one sentence is said of all of them; a token
                    is too long to be guessed from many.
        Checked by: tests/unit/server/test_people.py::test_proofs_that_fail_are_counted_and_no_reason_is_said
        """
        rates = {
            "attempts to sign in from this address": address,
            "attempts to sign in by this name from this address": f"{address} {name}",
        }
        for what, whose in rates.items():
            self._rates.check(what, whose)
        found = self._identities.of_proof(name, signed, proof)
        if found is None:
            for what, whose in rates.items():
                self._rates.take(what, whose)
            self._note_refusal(name, address, "wire", "AccessDenied")
            raise AccessDenied(
                "the name or the token is wrong",
                "the password of a PostgreSQL client is a token: tacit token new",
                signed_in=False,
            )
        self._audit.note("signed in", identity=name, door="wire", address=address)
        return found

    def of_pass(self, held: str) -> Identity:
        """Who holds a pass, as they are now: another role or price counts at once, and a token that ended ends it."""
        found = self._identities.of_token_hash(held)
        if found is None:
            raise AccessDenied(
                "the token was revoked or has expired", "connect with another", signed_in=False
            )
        return found

    def name_of_link(self, secret: str) -> str:
        """Who may choose a password by a link; one that was used, or is too old, is refused."""
        name = self._identities.of_link(secret)
        if name is None:
            said = "this link was used, or is older than a day; ask the curator for another"
            raise NotFound("link", "", said)
        return name

    def use_link(self, secret: str, password: str) -> Identity:
        """Choose a password by a link, once."""
        found = self._identities.use_link(secret, password)
        self._audit.note("password set", identity=found.name, door="http")
        return found

    def new_token(self, who: Identity, label: str, *, days: float) -> str:
        """A token for who is signed in."""
        token = self._identities.new_token(who.name, label, days=days)
        self._audit.note("token made", identity=who.name)
        return token

    def count_request(self, name: str) -> None:
        """Count a request of somebody, or refuse it: one of too many."""
        self._rates.take("requests", name)

    def sign_out(self, who: Identity) -> None:
        """Let the sessions of somebody count no more, wherever their cookies are."""
        self._identities.end_sessions(who.name)
        self._audit.note("signed out", identity=who.name, door="http")

    def everybody(self, who: Identity) -> list[Person]:
        """Everybody who may sign in."""
        check_right(who, "decide")
        return self._identities.people()

    def tokens(self, who: Identity) -> list[Token]:
        """Everybody's tokens for a curator, and one's own for everybody else."""
        check_right(who, "look")
        return self._identities.tokens(None if who.role in RIGHTS["decide"] else who.name)

    def revoke_token(self, who: Identity, id: str) -> None:  # noqa: A002 -- as it is called
        """Let a token count no more: any for a curator, and one's own for everybody else."""
        check_right(who, "look")
        self._identities.revoke(id, None if who.role in RIGHTS["decide"] else who.name)
        self._audit.note("token revoked", identity=who.name, about=id)

    def add_person(
        self, who: Identity, name: str, role: str, *, price: str | None, allowance: float | None
    ) -> str:
        """Add somebody; a link by which they choose a password."""
        check_right(who, "decide")
        self._identities.add(name, role, price=price, allowance=allowance)
        self._audit.note("added", identity=who.name, about=name)
        return self._identities.new_link(name)

    def reset_password(self, who: Identity, name: str) -> str:
        """A link by which somebody chooses another password."""
        check_right(who, "decide")
        return self._identities.new_link(name)

    def token_for(self, who: Identity, name: str, label: str, *, days: float) -> str:
        """A token for somebody else, which is shown once."""
        check_right(who, "decide")
        token = self._identities.new_token(name, label, days=days)
        self._audit.note("token made", identity=who.name, about=name)
        return token

    def set_disabled(self, who: Identity, name: str, *, disabled: bool) -> None:
        """Let somebody in no more, or again."""
        check_right(who, "decide")
        if disabled and name == who.name:
            raise InvalidInput("name", name, "you cannot disable your own name")
        (self._identities.disable if disabled else self._identities.enable)(name)
        self._audit.note("disabled" if disabled else "enabled", identity=who.name, about=name)
