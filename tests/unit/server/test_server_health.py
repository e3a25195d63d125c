"""Connections, a certificate's end and what nobody answered, as whoever runs a server sees them."""

import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from tacit.errors import InvalidInput
from tacit.server.certificates import read_expiry
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
