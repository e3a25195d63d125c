"""The gate: bodies have a limit, mistakes one constant text, and sessions a cookie that only this server reads."""

import asyncio
import json
import threading

import pytest

from tacit.server import Identities
from tacit.server.http.authenticate_requests import BODY, Headers
from tests.unit.server.clinics import make_folder, running_app


def answered(app, *, headers=(), chunks=(b"",)):
    """What leaves, if an application is asked through the gate."""
    sent = []
    waiting = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "headers": list(headers), "method": "POST", "path": "/"}
    asyncio.run(Headers(app, secure=True)(scope, receive, send))
    return sent


async def reading(scope, receive, send):
    for _ in range(3):
        await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"done"})


async def failing(scope, receive, send):
    raise RuntimeError("patient 17 is ill")


def test_a_body_within_the_limit_passes_and_a_longer_one_does_not():
    half = b"x" * (BODY // 2)
    assert answered(reading, chunks=[half, half, b""])[0]["status"] == 200
    assert answered(reading, chunks=[half, half, b"x"])[0]["status"] == 413
    for said in (str(BODY + 1).encode(), b"-5", b"many", b"9" * 5_000, b"1" + b"0" * 5_000):
        assert answered(reading, headers=[(b"content-length", said)])[0]["status"] == 413
    zeros = b"0" * 5_000 + b"3"
    assert (
        answered(reading, headers=[(b"content-length", zeros)], chunks=[b""] * 3)[0]["status"]
        == 200
    )


def test_a_mistake_is_one_constant_text():
    start, body = answered(failing)
    assert start["status"] == 500
    said = json.loads(body["body"])
    assert said["type"] == "/problems/internal"
    assert "patient" not in str(said)


def test_over_tls_browsers_are_told_to_stay_with_it():
    start = answered(reading, chunks=[b"", b"", b""])[0]
    names = dict(start["headers"])
    assert b"max-age" in names[b"strict-transport-security"]
    assert b"nonce-" in names[b"content-security-policy"]
    other = dict(answered(reading, chunks=[b"", b"", b""])[0]["headers"])
    assert other[b"content-security-policy"] != names[b"content-security-policy"]


@pytest.mark.parametrize("near", [True, False])
def test_a_database_is_asked_who_somebody_is_where_nobody_waits_for_it(tmp_path, monkeypatch, near):
    with running_app(make_folder(tmp_path / "clinic", rows=10)) as clinic:
        threads, of_token = [], Identities.of_token_hash

        def noted(self, hashed):
            threads.append(threading.current_thread().name)
            return of_token(self, hashed)

        monkeypatch.setattr(Identities, "of_token_hash", noted)
        monkeypatch.setattr(clinic.identities.tables, "is_near", near)
        for path in ("/api/v1/budget", "/tables", "/no-such-page"):
            clinic.ana.get(path, headers={"accept": "text/html"})
    assert threads
    assert {name.startswith("tacit-desk") for name in threads} == {not near}
