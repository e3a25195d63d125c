"""`tacit serve`: loopback alone without TLS, analysts with limits alone, and an orderly end."""

import json
import os
import signal
import socket
import subprocess
import sys
from urllib.request import Request, urlopen

import psycopg
import pytest

import tacit
from tacit.curator import KINDS, Vault
from tacit.errors import InvalidInput
from tacit.server import Desk, Server, identities_of, serve
from tacit.server.serve_vault import serve_alone
from tests.unit.server.clinics import COUNT, POLICY, add_people, make_folder


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "example.org", "::"])
def test_without_tls_only_this_machine_is_served(tmp_path, host):
    with pytest.raises(InvalidInput, match="TLS"):
        serve(make_folder(tmp_path / "clinic"), host=host)


@pytest.mark.parametrize("ports", [{"port": 99_999}, {"port": -1}, {"port": 0, "pg": 65_536}])
def test_a_number_that_no_port_has_is_refused(tmp_path, ports):
    with pytest.raises(InvalidInput, match="give a port from 1 to 65535, or 0 for any"):
        serve(make_folder(tmp_path / "clinic"), **ports)


def test_a_certificate_is_looked_at_before_anything_is_opened(tmp_path):
    with pytest.raises(InvalidInput, match=r"the certificate cannot be read"):
        serve(tmp_path / "no-vault", tls=(tmp_path / "no.crt", tmp_path / "no.key"))


def test_a_vault_has_one_server(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    for _ in range(2):  # and another one after it
        with serve_alone(folder):
            with pytest.raises(InvalidInput, match="another server"), serve_alone(folder):
                pass
            with pytest.raises(InvalidInput, match="another server"):
                serve(folder / "tacit.toml", port=0)


def test_over_a_ledger_that_others_reach_several_may_serve(tmp_path):
    place = '[ledger]\nplace = "postgresql://tacit@db.example.org/ledger"\n\n'
    folder = make_folder(tmp_path / "clinic", place + POLICY)
    with serve_alone(folder), serve_alone(folder):
        assert not (folder / "server.lock").exists()


def test_analysts_without_a_limit_are_not_served_unless_that_is_meant(tmp_path):
    folder = make_folder(tmp_path / "clinic", POLICY.split("[analysts.ana]", maxsplit=1)[0])
    identities = identities_of(folder)
    identities.add("ana", "analyst")
    with pytest.raises(InvalidInput, match="a limit of their own for ana is missing"):
        Server(folder, secure=False)
    Server(folder, secure=False, shared_limit=True).desk.close()
    identities.disable("ana")
    identities.close()
    Server(folder, secure=False).desk.close()


def test_a_rehearsal_reads_no_row_and_charges_nothing(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    server = Server(folder, secure=False)
    (folder / "visits.csv").unlink()
    server.desk.rehearse()
    assert list(server.desk._vault.ledger.entries()) == []
    server.close()


def test_tables_are_read_and_made_up_rows_are_asked_before_the_address_is_said(
    tmp_path, monkeypatch
):
    """Nobody's first question waits for it in its slot; nothing is charged."""
    folder, done = make_folder(tmp_path / "clinic"), []
    for name in ("rehearse", "open_tables"):
        real = getattr(Desk, name)
        monkeypatch.setattr(Desk, name, lambda desk, n=name, r=real: (r(desk), done.append(n)))

    def ready(_):
        done.append("serving")
        os.kill(os.getpid(), signal.SIGTERM)

    def say(text):
        done.append(text.split(" ")[0])

    serve(folder, port=0, say=say, ready=ready)
    assert done == ["rehearse", "open_tables", "Serving", "The", "serving"]
    with tacit.open(folder) as vault:
        assert not list(vault.ledger.entries())


def test_questions_of_every_kind_are_rehearsed(tmp_path, monkeypatch):
    server = Server(make_folder(tmp_path / "clinic"), secure=False)
    kinds, real = [], Vault.sql

    def sql(vault, text, **terms):
        kinds.append((vault.classify(text, epsilon=1).kind, vault is server.desk._served.twin()))
        return real(vault, text, **terms)

    monkeypatch.setattr(Vault, "sql", sql)
    server.desk.rehearse()
    assert {kind for kind, is_twin in kinds if is_twin} == set(KINDS)
    monkeypatch.undo()
    server.close()


def test_the_first_curator_chooses_a_password_by_a_link_once(tmp_path):
    server = Server(make_folder(tmp_path / "clinic"), secure=False)
    path = server.first_link()
    assert path.startswith("/welcome/")
    secret = path.removeprefix("/welcome/")
    assert server.identities.use_link(secret, "a long password").role == "curator"
    assert server.first_link() is None
    server.desk.close()


def test_an_analyst_who_is_called_curator_stays_one_and_the_first_curator_gets_another_name(
    tmp_path,
):
    folder = make_folder(tmp_path / "clinic")
    identities_of(folder).add("curator", "analyst")
    server = Server(folder, secure=False, shared_limit=True)
    secret = server.first_link().removeprefix("/welcome/")
    found = server.identities.use_link(secret, "a long password")
    assert (found.name, found.role) == ("curator-2", "curator")
    assert server.identities._identity("curator").role == "analyst"
    server.desk.close()


def test_a_curator_who_is_disabled_gets_no_link(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    known = identities_of(folder)
    known.add("curator", "curator")
    known.disable("curator")
    server = Server(folder, secure=False)
    secret = server.first_link().removeprefix("/welcome/")
    assert server.identities.use_link(secret, "a long password").name == "curator-2"
    server.desk.close()


def test_a_folder_without_a_vault_has_no_identities(tmp_path):
    with pytest.raises(InvalidInput):
        identities_of(tmp_path / "nothing" / "here")


def test_a_server_that_is_told_to_stop_finishes_what_it_was_asked(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    identities = add_people(identities_of(folder))
    token = identities.new_token("ana")
    identities.close()
    command = [sys.executable, "-m", "tacit", "serve", str(folder), "--http", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        url = process.stdout.readline().split()[-1]
        link = process.stdout.readline()
        assert "/welcome/" in link
        request = Request(
            f"{url}/api/v1/answers",
            json.dumps({"sql": COUNT, "epsilon": 0.5}).encode(),
            {
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
                "Prefer": "respond-async",
            },
        )
        with urlopen(request, timeout=60) as response:
            assert response.status == 202
        process.send_signal(signal.SIGTERM)  # its slot has not ended
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    with tacit.open(folder) as vault:
        (entry,) = vault.ledger.entries()
        assert entry.is_answered
    events = [
        json.loads(line)["event"] for line in (folder / "audit.jsonl").read_text().splitlines()
    ]
    assert events == ["started", "asked", "answered", "stopped"]


def test_clients_of_postgresql_are_served_beside_the_browser(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    identities = add_people(identities_of(folder))
    token = identities.new_token("ana")
    identities.close()
    command = [sys.executable, "-m", "tacit", "serve", str(folder), "--http", "0", "--pg", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        process.stdout.readline()
        told = process.stdout.readline().removeprefix("psql: ").replace("NAME", "ana")
        assert "dbname=clinic" in told
        given = f"{told} password={token} options='-c tacit.epsilon=1'"
        with psycopg.connect(given, autocommit=True) as connection:
            ((count,),) = connection.execute(COUNT).fetchall()
            assert connection.execute("SELECT current_database()").fetchall() == [("clinic",)]
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
    assert isinstance(count, int)
    vault = tacit.open(folder)
    assert [entry.analyst for entry in vault.ledger.entries()] == ["ana"]
    vault.close()


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InvalidInput, match="--pg"):
        serve(make_folder(tmp_path / "clinic"), port=0, pg=taken.getsockname()[1])
