"""What is kept of a token: salts for every name, and proofs that only its owner can make."""

import hmac
from hashlib import sha256

from tacit.server import scram_keys
from tacit.server.scram_keys import ScramKeys, derive_keys, salt_of, sign_as_server, verify_proof


def test_every_name_has_a_salt():
    salts = {name: salt_of("secret", name) for name in ("ana", "nobody", "somebody else", "")}
    assert all(len(salt) == 16 for salt in salts.values())
    assert len(set(salts.values())) == 4
    assert salts["nobody"] == salt_of("secret", "nobody") != salt_of("another", "nobody")


def proof_of(token, salt, signed):
    salted = __import__("hashlib").pbkdf2_hmac("sha256", token.encode(), salt, 4096)
    client = hmac.digest(salted, b"Client Key", "sha256")
    mask = hmac.digest(sha256(client).digest(), signed, "sha256")
    return bytes(a ^ b for a, b in zip(client, mask, strict=True))


def test_a_proof_is_found_among_several_keys_and_another_is_not():
    salt = salt_of("secret", "ana")
    keys = [derive_keys(f"tct_{n}", salt) for n in range(11)]
    assert verify_proof(keys, b"said", proof_of("tct_10", salt, b"said")) == 10
    assert verify_proof(keys, b"said", proof_of("tct_0", salt, b"said")) == 0
    assert verify_proof(keys, b"else", proof_of("tct_0", salt, b"said")) is None
    assert verify_proof(keys, b"said", proof_of("tct_11", salt, b"said")) is None
    assert verify_proof(keys, b"said", b"short") is None
    assert verify_proof([], b"said", bytes(32)) is None


def test_the_servers_proof_is_made_with_its_own_key():
    keys = ScramKeys(b"s" * 32, b"k" * 32)
    assert sign_as_server(keys, b"said") == hmac.digest(b"k" * 32, b"said", "sha256")


def test_as_many_proofs_are_checked_for_a_name_that_nobody_has(monkeypatch):
    counted = []
    real = hmac.compare_digest

    def compare(left, right):
        counted.append(1)
        return real(left, right)

    monkeypatch.setattr(scram_keys.hmac, "compare_digest", compare)
    salt = salt_of("secret", "ana")
    keys = [derive_keys(f"tct_{n}", salt) for n in range(8)]
    found = set()
    for few in (keys[:0], keys[:1], keys[:7], keys):
        for proof in (bytes(32), proof_of("tct_0", salt, b"said")):
            counted.clear()
            verify_proof(few, b"said", proof)
            found.add(len(counted))
    assert found == {8}
