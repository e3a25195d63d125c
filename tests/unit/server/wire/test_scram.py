"""SCRAM: who has a token is signed in, with or without a bound channel; every other message ends in one refusal."""

import base64
import struct
import subprocess

import pytest

from tacit.server.scram_keys import derive_keys, salt_of, sign_as_server, verify_proof
from tacit.server.wire.scram import (
    MECHANISM,
    PLUS,
    Exchange,
    ScramFailed,
    end_point,
    read_end_point,
)
from tests.unit.server.wire.rooms import Proof

TOKEN, SALT = "tct_a-token", salt_of("secret", "ana")
KEYS = derive_keys(TOKEN, SALT)


def check(signed, proof):
    return None if verify_proof([KEYS], signed, proof) is None else sign_as_server(KEYS, signed)


def first_of(proof):
    body = proof.first()[5:]
    mechanism, _, rest = body.partition(b"\0")
    return mechanism.decode(), rest[4:]


def run(proof, binding=None):
    exchange = Exchange(SALT, binding)
    said = exchange.begin(*first_of(proof))
    final = exchange.finish(proof.last(said)[5:], check)
    return base64.b64decode(final.removeprefix(b"v=")) == proof.expected


def test_who_has_the_token_is_signed_in_and_sees_that_the_server_knows_it():
    assert run(Proof(TOKEN))
    assert run(Proof(TOKEN), binding=b"hash")
    assert run(Proof(TOKEN, header="y,,"))
    assert run(Proof(TOKEN, header="p=tls-server-end-point,,", binding=b"hash"), binding=b"hash")


@pytest.mark.parametrize(
    ("proof", "binding"),
    [
        (Proof("tct_another"), None),
        (Proof(TOKEN, header="y,,"), b"hash"),  # somebody in between has hidden the binding
        (Proof(TOKEN, header="p=tls-server-end-point,,", binding=b"hash"), None),
        (Proof(TOKEN, header="p=tls-server-end-point,,", binding=b"other"), b"hash"),
        (Proof(TOKEN, header="p=tls-unique,,", binding=b"hash"), b"hash"),
        (Proof(TOKEN, header="x,,"), None),
        (Proof(TOKEN, header="n,a=cleo,"), None),
        (Proof(TOKEN, header="n"), None),
        (Proof(TOKEN, nonce=""), None),
        (Proof(TOKEN, nonce="x\n"), None),
        (Proof(TOKEN, nonce="x,m=ext"), None),
        (Proof(TOKEN, nonce="x" * 3_000), None),
    ],
)
def test_every_other_exchange_is_refused(proof, binding):
    with pytest.raises(ScramFailed):
        run(proof, binding)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(",r=", ",r=x"),
        lambda text: text.replace("c=biws", "c=eSws"),
        lambda text: text.replace("c=biws,", ""),
        lambda text: text.rpartition(",p=")[0],
        lambda text: text[:-4] + "AAA=",
        lambda text: text[:-4] + "!!!!",
        lambda text: "",
        lambda text: "\udcff",
    ],
)
def test_a_changed_proof_is_refused(change):
    proof, exchange = Proof(TOKEN), Exchange(SALT, None)
    said = exchange.begin(*first_of(proof))
    changed = change(proof.last(said)[5:].decode()).encode(errors="surrogateescape")
    with pytest.raises(ScramFailed):
        exchange.finish(changed, check)


def test_mechanisms_that_were_not_offered_are_refused():
    first = first_of(Proof(TOKEN))[1]
    for mechanism, binding in (
        (PLUS, None),
        ("SCRAM-SHA-1", None),
        ("PLAIN", b"hash"),
        (PLUS, b"hash"),
    ):
        with pytest.raises(ScramFailed):
            Exchange(SALT, binding).begin(mechanism, first)
    with pytest.raises(ScramFailed):
        Exchange(SALT, None).finish(b"c=biws,r=x,p=eA==", check)
    assert Exchange(SALT, None).begin(MECHANISM, first) != Exchange(SALT, None).begin(
        MECHANISM, first
    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (("rsa:2048", "-sha256"), "sha256"),
        (("rsa:2048", "-sha384"), "sha384"),
        (("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-sha512"), "sha512"),
        (("ed25519",), None),
    ],
)
def test_a_channel_is_bound_to_the_hash_that_signs_the_certificate(tmp_path, kind, name):
    file, key = tmp_path / "a.crt", tmp_path / "a.key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-keyout", str(key), "-out", str(file)),
        ],
        check=True,
        capture_output=True,
    )
    found = read_end_point(file)
    if name is None:
        assert found is None
        return
    printed = subprocess.run(
        ["openssl", "x509", "-in", str(file), "-noout", "-fingerprint", f"-{name}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert found.hex() == printed.strip().partition("=")[2].replace(":", "").lower()


def test_a_certificate_of_unknown_signature_binds_nothing():
    def element(tag, content):
        return bytes([tag]) + struct.pack("!B", len(content)) + content

    algorithm = element(0x30, element(0x06, b"\x2a\x03"))
    assert end_point(element(0x30, element(0x30, b"tbs") + algorithm)) is None
