"""Who may sign in, by password, token or link, until that counts no more; and what a day allows."""

import hmac
import sqlite3
import threading
from contextlib import closing
from hashlib import pbkdf2_hmac, sha256

import pytest

from tacit.errors import AccessDenied, AllowanceExceeded, InvalidInput
from tacit.server import Identities
from tacit.server import identities as module
from tacit.server.passwords import hash_of_token
from tacit.server.state_tables import FileTables

PASSWORD = "correct horse battery"


@pytest.fixture
def cheap(monkeypatch):
    """Passwords that cost nothing to check."""
    monkeypatch.setattr(module, "hash_password", lambda text: f"hash of {text}")
    monkeypatch.setattr(module, "is_password", lambda known, text: known == f"hash of {text}")


@pytest.fixture
def people(cheap):
    known = Identities()
    known.add("ana", "analyst", PASSWORD, allowance=0.1)
    known.add("cleo", "curator")
    return known


def test_somebody_signs_in_by_password(people):
    who = people.sign_in("ana", PASSWORD)
    assert (who.name, who.role, who.payer, who.allowance) == ("ana", "analyst", "ana", 0.1)
    assert people.find("ana", who.generation) == who
    assert people.people()[0].seen is not None


def test_every_reason_not_to_sign_in_looks_alike(people):
    people.add("dan", "analyst", PASSWORD)
    people.disable("dan")
    tries = [("eve", PASSWORD), ("ana", "wrong"), ("cleo", PASSWORD), ("dan", PASSWORD)]
    assert [people.sign_in(*each) for each in tries] == [None] * 4


def test_one_hash_is_checked_whoever_tries(people, monkeypatch):
    seen = []
    monkeypatch.setattr(module, "is_password", lambda known, text: seen.append(known) or False)
    for name in ("ana", "eve", "cleo"):
        people.sign_in(name, PASSWORD)
    assert len(seen) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda people: people.set_password("ana", "another long one"),
        lambda people: people.disable("ana"),
        lambda people: (people.disable("ana"), people.enable("ana")),
    ],
)
def test_what_was_signed_before_a_change_counts_no_more(people, change):
    who = people.sign_in("ana", PASSWORD)
    change(people)
    assert people.find("ana", who.generation) is None


def test_a_token_counts_until_it_expires_is_revoked_or_its_owner_is_disabled(cheap):
    now = [1000.0]
    people = Identities(now=lambda: now[0])
    people.add("ana", "analyst")
    people.add("ben", "analyst")
    token, other = people.new_token("ana", "laptop", days=1), people.new_token("ben")
    assert people.of_token(token).name == "ana"
    assert people.of_token(token + "x") is None
    (listed,) = people.tokens("ana")
    assert (listed.name, listed.label) == ("ana", "laptop")
    with pytest.raises(InvalidInput):
        people.revoke(listed.id, "ben")  # somebody else's
    assert people.revoke(listed.id, "ana") == "ana"
    assert people.of_token(token) is None
    people.disable("ben")
    assert people.of_token(other) is None
    people.enable("ben")
    assert people.of_token(other).name == "ben"
    now[0] += 31 * 86_400
    assert people.of_token(other) is None
    assert people.tokens() == []


def test_a_link_sets_a_password_once(cheap):
    now = [1000.0]
    people = Identities(now=lambda: now[0])
    people.add("cleo", "curator")
    first, second = people.new_link("cleo"), people.new_link("cleo")
    assert people.of_link(first) is None  # there is one link at a time
    assert people.of_link(second) == "cleo"
    assert people.use_link(second, PASSWORD).name == "cleo"
    assert people.sign_in("cleo", PASSWORD).role == "curator"
    with pytest.raises(AccessDenied):
        people.use_link(second, "another password")
    third = people.new_link("cleo")
    now[0] += 2 * 86_400
    with pytest.raises(AccessDenied):
        people.use_link(third, "another password")
    assert people.sign_in("cleo", PASSWORD) is not None


def test_the_file_signs_nobody_in(tmp_path):
    file = tmp_path / "identities.sqlite"
    people = Identities(file)
    people.add("ana", "analyst", PASSWORD)
    secrets = [PASSWORD, people.new_token("ana"), people.new_link("ana")]
    people.close()
    assert file.stat().st_mode & 0o777 == 0o600
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert all(secret.encode() not in kept for secret in secrets)
    again = Identities(file)
    assert again.of_token(secrets[1]).name == "ana"
    assert again.sign_in("ana", PASSWORD).name == "ana"
    again.close()


def test_the_allowance_of_a_day_is_never_exceeded(cheap):
    now = [86_400.0 * 10]
    people = Identities(now=lambda: now[0])
    people.add("ana", "analyst", allowance=0.1)
    who = people._identity("ana")
    spent = []

    def spend():
        for _ in range(20):
            try:
                people.spend(who, 0.01)
            except AllowanceExceeded:
                continue
            spent.append(0.01)

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(spent) == 10
    with pytest.raises(AllowanceExceeded) as refusal:
        people.spend(who, 0.05)
    assert refusal.value.left == pytest.approx(0.0, abs=1e-12)
    people.give_back(who, 0.05, people._today())
    assert people.spent_today("ana") == pytest.approx(0.05)
    yesterday = people.spend(who, 0.05)
    now[0] += 86_400
    assert people.spent_today("ana") == 0.0
    people.spend(who, 0.1)
    people.give_back(who, 0.05, yesterday)  # it ended after midnight
    assert people.spent_today("ana") == 0.1
    with pytest.raises(AllowanceExceeded):
        people.spend(who, 0.05)


def test_without_an_allowance_only_the_ledger_limits(people):
    people.add("dan", "analyst")
    people.spend(people._identity("dan"), 5.0)
    assert people.spent_today("dan") == 5.0


@pytest.mark.parametrize(
    "given",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"name": " ana"},
        {"name": "x" * 101},
        {"name": "ana"},
        {"role": "owner"},
        {"allowance": 0.0},
        {"allowance": 1.5},
        {"allowance": float("nan")},
    ],
)
def test_what_makes_no_sense_is_refused(people, given):
    with pytest.raises(InvalidInput):
        people.add(**{"name": "new", "role": "analyst", **given})


def test_nobody_is_changed_who_is_not_there(people):
    for change in (people.disable, people.enable, people.new_link, people.new_token):
        with pytest.raises(InvalidInput):
            change("eve")
    with pytest.raises(InvalidInput):
        people.new_token("ana", days=0)
    with pytest.raises(InvalidInput):
        people.new_token("ana", "x\x00")


def test_secrets_are_made_once_and_texts_are_kept_for_their_owner(people):
    assert people.secret("sessions") == people.secret("sessions") != people.secret("other")
    people.keep_text("ana", 3, {"sql": "SELECT 1"})
    people.keep_text("ana", 5, {"sql": "SELECT 2"})
    assert people.texts("ana", [3, 4, 9]) == {3: {"sql": "SELECT 1"}}
    assert people.texts("cleo", [3]) == people.texts("ana", []) == {}
    people.set_terms("ana", price="1/10", allowance=None)
    assert people.sign_in("ana", PASSWORD).price == "1/10"


@pytest.mark.parametrize("by_link", [False, True])
def test_another_password_ends_tokens_and_the_first_does_not(people, by_link):
    def choose(name):
        if by_link:
            people.use_link(people.new_link(name), PASSWORD + "!")
        else:
            people.set_password(name, PASSWORD + "!")

    mine, others = people.new_token("ana"), people.new_token("cleo")
    choose("ana")
    assert people.of_token(mine) is None
    assert people.of_token(others) is not None
    choose("cleo")  # who had none
    assert people.of_token(others) is not None


def test_sessions_end_when_somebody_signs_out(people):
    before = people.sign_in("ana", PASSWORD)
    people.end_sessions("ana")
    assert people.find("ana", before.generation) is None
    assert people.sign_in("ana", PASSWORD) is not None


def proof_for(people, name, token, signed=b"what was said"):
    """What a client that has a token sends."""
    salted = pbkdf2_hmac("sha256", token.encode(), people.salt_of(name), 4096)
    client = hmac.digest(salted, b"Client Key", "sha256")
    mask = hmac.digest(sha256(client).digest(), signed, "sha256")
    return bytes(a ^ b for a, b in zip(client, mask, strict=True))


def test_every_reason_not_to_accept_a_proof_looks_alike(monkeypatch):
    now = [1000.0]
    people = Identities(now=lambda: now[0])
    for name in ("ana", "ben", "cleo"):
        people.add(name, "analyst")
    token, old = people.new_token("ana"), people.new_token("ben", days=1)
    signed = b"what was said"
    held, signature = people.of_proof("ana", signed, proof_for(people, "ana", token))
    assert people.of_token_hash(held).name == "ana"
    assert len(signature) == 32
    checked = []
    real = module.verify_proof

    def verify(keys, *rest):
        checked.append(len(keys))
        return real(keys, *rest)

    monkeypatch.setattr(module, "verify_proof", verify)
    now[0] += 2 * 86_400
    people.disable("cleo")
    cases = [("nobody", token), ("ana", "tct_wrong"), ("ben", old), ("ben", token), ("cleo", token)]
    for name, each in cases:
        assert people.of_proof(name, signed, proof_for(people, name, each)) is None
    assert len(checked) == len(cases)
    people.disable("ana")
    assert people.of_proof("ana", signed, proof_for(people, "ana", token)) is None
    assert people.of_token_hash(held) is None


def test_a_file_that_is_older_than_scram_keeps_its_tokens(tmp_path):
    file = tmp_path / "identities.sqlite"
    with closing(sqlite3.connect(file)) as old:
        old.execute(
            "CREATE TABLE people (name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT, "
            "generation INTEGER NOT NULL DEFAULT 0, disabled INTEGER NOT NULL DEFAULT 0, price TEXT, "
            "allowance REAL, seen REAL) STRICT"
        )
        old.execute(
            "CREATE TABLE tokens (hash TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES people(name), "
            "label TEXT NOT NULL, made REAL NOT NULL, expires REAL NOT NULL) STRICT"
        )
        old.execute("INSERT INTO people (name, role) VALUES ('ana', 'analyst')")
        old.execute(
            "INSERT INTO tokens VALUES (?, 'ana', '', 0, 1e12)", (hash_of_token("tct_old"),)
        )
        old.commit()
    people = Identities(file)
    assert people.of_token("tct_old").name == "ana"
    assert people.of_proof("ana", b"said", proof_for(people, "ana", "tct_old", b"said")) is None
    token = people.new_token("ana")
    assert people.of_proof("ana", b"said", proof_for(people, "ana", token, b"said")) is not None
    people.close()


def test_nobody_waits_for_a_step_of_somebody_else(tmp_path):
    tables = FileTables(tmp_path / "identities.sqlite")
    people, found = Identities(tables), []
    people.add("ana", "analyst")
    with tables.writing() as file:
        file.execute("UPDATE people SET role = 'auditor' WHERE name = 'ana'")
        assert [each.role for each in people.people()] == ["auditor"]  # within the step
        other = threading.Thread(
            target=lambda: found.extend(each.role for each in people.people()), daemon=True
        )
        other.start()
        other.join(30)
        assert found == ["analyst"]  # as it was before the step
    assert [each.role for each in people.people()] == ["auditor"]
    people.close()
