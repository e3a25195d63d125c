"""People sign in, and a curator decides about them."""

import hmac
import json
from hashlib import pbkdf2_hmac, sha256

import pytest

from tacit.errors import (
    AccessDenied,
    InvalidInput,
    TooMany,
)
from tacit.server import Identities, Rate, Rates
from tacit.server.scram_keys import derive_keys, sign_as_server
from tests.unit.server.clinics import (
    PASSWORD,
    PLENTY,
    add_people,
    make_folder,
    run,
    who,
)


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


def test_people_are_added_and_disabled_by_a_curator(folder):
    async def scenario(desk):
        cleo = who(desk, "cleo")
        link = desk.people.add_person(cleo, "zoe", "analyst", price="0.1", allowance=0.5)
        assert desk._identities.of_link(link) == "zoe"
        with pytest.raises(InvalidInput):
            desk.people.set_disabled(cleo, "cleo", disabled=True)
        token = desk.people.token_for(cleo, "ana", "laptop", days=1)
        assert desk.people.of_token(token).name == "ana"
        (listed,) = desk.people.tokens(who(desk, "ana"))
        desk.people.revoke_token(who(desk, "ana"), listed.id)
        with pytest.raises(AccessDenied):
            desk.people.of_token(token)
        desk.people.set_disabled(cleo, "ana", disabled=True)
        assert who(desk, "ana") is None
        desk.people.set_disabled(cleo, "ana", disabled=False)
        assert [each.name for each in desk.people.everybody(cleo)] == [
            "ana",
            "ben",
            "cleo",
            "otto",
            "zoe",
        ]

    run(folder, scenario)


def test_signing_in_is_rated_by_name_and_by_address(folder):
    async def scenario(desk):
        for _ in range(2):
            with pytest.raises(AccessDenied):
                desk.people.sign_in("eve", "wrong", "1.2.3.4")
        with pytest.raises(TooMany):
            desk.people.sign_in("eve", "wrong", "5.6.7.8")
        with pytest.raises(AccessDenied):
            desk.people.sign_in("dan", "wrong", "1.2.3.4")
        with pytest.raises(TooMany):
            desk.people.sign_in("pam", "wrong", "1.2.3.4")

    rates = Rates(
        {
            **PLENTY,
            "attempts to sign in by this name": Rate(2, 1e9),
            "attempts to sign in from this address": Rate(3, 1e9),
        }
    )
    run(folder, scenario, rates=rates)


RARE = {
    **PLENTY,
    "attempts to sign in by this name from this address": Rate(2, 1e9),
    "attempts to sign in by this name": Rate(6, 1e9),
    "notes of attempts from this address": Rate(1, 1e9),
}


def test_a_stranger_keeps_nobody_out(folder):
    """Neither by tries from one address, nor, where somebody has signed in before, from many."""

    async def scenario(desk):
        sign_in = desk.people.sign_in
        for _ in range(2):
            with pytest.raises(AccessDenied):
                sign_in("ana", "wrong", "6.6.6.6")
        with pytest.raises(TooMany):
            sign_in("ana", "wrong", "6.6.6.6")
        assert sign_in("ana", PASSWORD, "1.1.1.1").name == "ana"
        for last in range(3):
            with pytest.raises(AccessDenied):
                sign_in("ana", "wrong", f"6.6.7.{last}")
        with pytest.raises(TooMany):  # guesses from many addresses come to an end
            sign_in("ana", "wrong", "6.6.8.8")
        assert sign_in("ana", PASSWORD, "1.1.1.1").name == "ana"

    run(folder, scenario, rates=Rates(RARE), identities=add_people(Identities(), passwords=True))


def test_refused_sign_ins_are_logged_with_name_and_address(folder):
    async def scenario(desk):
        for name in ("ana", "ana", "ana", "ana", "my secret password"):
            with pytest.raises((AccessDenied, TooMany)):
                desk.people.sign_in(name, "wrong", "6.6.6.6", door="wire")
        told = [json.loads(line) for line in desk.lines]
        for line in told:
            assert (line.pop("event"), line.pop("door")) == ("refused to sign in", "wire")
            assert line.pop("address") == "6.6.6.6"
            assert line.pop("at")
        # a name that is nobody's may be a password, and is not written; one of many refusals is
        wrong, many = (
            {"about": "ana", "problem": "AccessDenied"},
            {"about": "ana", "problem": "TooMany"},
        )
        assert told == [wrong, wrong, many, {"problem": "AccessDenied"}]

    run(folder, scenario, rates=Rates(RARE))


def test_proofs_that_fail_are_counted_and_no_reason_is_said(folder):
    few = {**PLENTY, "attempts to sign in by this name from this address": Rate(3, 60.0)}

    async def scenario(desk):
        token = desk._identities.new_token("ana")
        keys = derive_keys(token, desk.people.salt_of("ana"))
        said = set()
        for name in ("ana", "nobody", "ana", "nobody", "nobody"):
            with pytest.raises(AccessDenied) as refusal:
                desk.people.of_proof(name, b"said", bytes(32), "1.1.1.1")
            said.add(str(refusal.value))
        assert len(said) == 1
        for _ in range(4):  # what succeeds is not counted
            held, signature = desk.people.of_proof("ana", b"said", proof_of(token, desk), "1.1.1.1")
            assert signature == sign_as_server(keys, b"said")
            assert desk.people.of_pass(held).name == "ana"
        with pytest.raises(TooMany):
            desk.people.of_proof("nobody", b"said", bytes(32), "1.1.1.1")
        with pytest.raises(AccessDenied):  # nobody is locked out by a stranger's tries
            desk.people.of_proof("nobody", b"said", bytes(32), "2.2.2.2")
        desk._identities.disable("ana")
        with pytest.raises(AccessDenied):
            desk.people.of_pass(held)

    run(folder, scenario, rates=Rates(few))


def proof_of(token, desk):
    """A client's proof."""
    salted = pbkdf2_hmac("sha256", token.encode(), desk.people.salt_of("ana"), 4096)
    client = hmac.digest(salted, b"Client Key", "sha256")
    mask = hmac.digest(sha256(client).digest(), b"said", "sha256")
    return bytes(a ^ b for a, b in zip(client, mask, strict=True))
