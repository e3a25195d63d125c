"""Connections, a certificate's end and what nobody answered, as whoever runs a server sees them."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tacit.errors import InvalidInput
from tacit.server.certificates import check_certificate, read_expiry
from tacit.server.server_health import Watched, Watching, read_misses


def make_certificate(folder, days):
    file = folder / f"{days}.crt"
    subject = ["-subj", "/CN=localhost", "-days", str(days)]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    subprocess.run(
        ["openssl", "req", "-x509", *key, *subject, "-keyout", f"{file}.key", "-out", str(file)],
        check=True,
        capture_output=True,
    )
    return file


def test_of_a_certificate_and_its_key_it_is_said_which_is_wrong(tmp_path):
    mine, other = make_certificate(tmp_path, 2), make_certificate(tmp_path, 3)
    key, missing, junk = Path(f"{mine}.key"), tmp_path / "no.pem", tmp_path / "junk"
    junk.write_bytes(b"junk\xff")
    check_certificate(mine, key)
    locked = tmp_path / "locked.key"
    locked.write_text("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    damaged = tmp_path / "damaged.crt"
    damaged.write_text(mine.read_text().replace("CERTIFICATE-----\n", "CERTIFICATE-----\nAAAA", 1))
    for pair, named, said in (
        ((missing, key), missing, r"the certificate cannot be read \(no such file"),
        ((mine, missing), missing, r"the key cannot be read \(no such file"),
        ((tmp_path, key), tmp_path, "the certificate cannot be read"),
        ((key, mine), key, "the two are swapped: give the certificate first"),
        ((junk, key), junk, "no certificate in PEM"),
        ((mine, junk), junk, "no private key in PEM"),
        ((mine, Path(f"{other}.key")), f"{other}.key", "it is not the key of"),
        ((mine, locked), locked, "it has a password; write it without"),
        ((damaged, key), f"{damaged} {key}", "one of the two is damaged"),
    ):
        with pytest.raises(InvalidInput, match=said) as refused:
            check_certificate(*pair)
        assert str(named)[:60] in str(refused.value)


@pytest.mark.parametrize("days", [2, 20_000])  # written with two digits of the year, and with four
def test_the_end_of_a_certificate_is_read(tmp_path, days):
    found = read_expiry(make_certificate(tmp_path, days))
    assert abs(found - datetime.now(UTC) - timedelta(days)) < timedelta(minutes=10)


@pytest.mark.parametrize(
    "text", ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]
)
def test_what_is_no_certificate_is_refused(tmp_path, text):
    file = tmp_path / "none.crt"
    file.write_text(text)
    with pytest.raises(InvalidInput, match="PEM"):
        read_expiry(file)
    with pytest.raises(InvalidInput, match="PEM"):
        read_expiry(tmp_path / "missing.crt")


def test_the_last_misses_are_shown_newest_first(tmp_path):
    file = tmp_path / "misses.jsonl"
    assert read_misses(file) == ()
    lines = [json.dumps({"sql": f"SELECT {n} /* {'x' * 500} */"}) for n in range(1000)]
    file.write_text("\n".join(lines) + "\n")
    found = read_misses(file)
    assert len(found) == 20
    assert found[0]["sql"].startswith("SELECT 999 ")


def test_a_look_counts_and_says_what_is_left(tmp_path):
    watching = Watching()
    watching.counts["HTTP"] = lambda: 3
    seen = watching.look()
    assert seen.told() == {"connections": {"HTTP": 3}, "certificate_expires": None, "misses": []}
    assert seen.days_left is None
    soon = Watched({}, datetime.now(UTC) + timedelta(days=5, hours=1), ())
    assert soon.days_left == 5
