"""Passwords are hashed, tokens are long, and a wrong name costs as much as a wrong password."""

import pytest

from tacit.errors import InvalidInput
from tacit.server import passwords
from tacit.server.passwords import hash_password, is_password, new_token


def test_a_password_is_known_by_its_hash_alone():
    hashed = hash_password("correct horse")
    assert "correct" not in hashed
    assert hashed.startswith("$argon2id$")
    assert is_password(hashed, "correct horse")
    assert not is_password(hashed, "correct horsf")
    assert not is_password(None, "correct horse")
    assert not is_password("$broken", "correct horse")


@pytest.mark.parametrize("password", ["", "ninechars", "x" * 1025])
def test_short_and_endless_passwords_are_refused(password):
    with pytest.raises(InvalidInput):
        hash_password(password)


def test_one_hash_is_computed_in_every_case(monkeypatch):
    hashed = hash_password("correct horse")
    real, seen = passwords._argon2(), []

    class Counting:
        def verify(self, *given):
            seen.append(given[0])
            return real.verify(*given)

        hash = real.hash

    monkeypatch.setattr(passwords, "_argon2", Counting)
    for known in (hashed, None):
        is_password(known, "a wrong password")
    assert len(seen) == 2
    assert seen[0].split("$")[:4] == seen[1].split("$")[:4]  # the same parameters


def test_tokens_are_long_and_differ():
    made = {new_token() for _ in range(100)}
    assert len(made) == 100
    assert all(len(token) == 47 and token.startswith("tct_") for token in made)
