"""Sealed bytes tell nothing without the key, and open nowhere but where they are bound to."""

import pytest

from tacit.errors import InvalidData
from tacit.exact import KEY_BYTES, new_key, seal, unseal

SECRET, HERE = b"a noisy threshold", b"watch 1"


def test_what_was_sealed_opens_under_its_key_where_it_is_bound_to() -> None:
    key = new_key()
    assert len(key) == KEY_BYTES
    assert unseal(key, seal(key, SECRET, HERE), HERE) == SECRET


def test_sealed_bytes_do_not_hold_the_secret_and_are_others_each_time() -> None:
    key = new_key()
    sealed = {seal(key, SECRET, HERE) for _ in range(20)}
    assert len(sealed) == 20
    assert all(SECRET not in each for each in sealed)


def test_no_two_keys_are_alike() -> None:
    assert len({new_key() for _ in range(100)}) == 100


@pytest.mark.parametrize("what", ["key", "place", "bytes", "end", "nothing"])
def test_another_key_another_place_or_altered_bytes_do_not_open(what: str) -> None:
    key = new_key()
    sealed = seal(key, SECRET, HERE)
    altered = bytes([*sealed[:-1], sealed[-1] ^ 1])
    given = {
        "key": (new_key(), sealed, HERE),
        "place": (key, sealed, b"watch 2"),
        "bytes": (key, altered, HERE),
        "end": (key, sealed[:-1], HERE),
        "nothing": (key, b"", HERE),
    }[what]
    with pytest.raises(InvalidData, match="another key, or altered"):
        unseal(*given)
