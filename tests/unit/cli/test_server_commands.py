"""People and tokens of a vault on the command line, and slots that are measured."""

import json

import pytest
from typer.testing import CliRunner

from tacit.cli.command import app
from tacit.errors import InvalidData, InvalidInput
from tacit.server import identities_of
from tacit.server.serve_vault import serve_alone
from tests.unit.server.clinics import make_folder


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


def run(*words, given=None):
    done = CliRunner().invoke(app, [str(word) for word in words], input=given)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_people_are_added_listed_disabled_and_enabled(folder):
    password = "correct horse battery"
    added = run(
        "user", "add", folder, "ana", "--password-stdin", "--price", "0.1", given=f"{password}\n"
    )
    assert "ana is added as analyst" in added
    link = json.loads(run("user", "add", folder, "cleo", "--role", "curator", "--json"))["link"]
    people = identities_of(folder)
    assert people.sign_in("ana", password).price == "1/10"
    assert people.of_link(link.removeprefix("/welcome/")) == "cleo"
    run("user", "disable", folder, "ana")
    assert people.sign_in("ana", password) is None
    run("user", "enable", folder, "ana")
    run("user", "passwd", folder, "ana", "--password-stdin", given="another password\n")
    assert people.sign_in("ana", "another password") is not None
    people.close()
    listed = json.loads(run("user", "list", folder, "--json"))
    assert [(each["name"], each["role"], each["disabled"]) for each in listed] == [
        ("ana", "analyst", False),
        ("cleo", "curator", False),
    ]
    lines = run("user", "list", folder).splitlines()
    assert lines[1] == "cleo  curator  no password yet  last seen never"
    assert lines[0] == "ana  analyst  usual price 1/10  last seen never"
    with pytest.raises(InvalidInput):
        run("user", "passwd", folder, "ana")
    with pytest.raises(InvalidInput):
        run("user", "add", folder, "eve", "--role", "owner")


def test_an_allowance_is_a_share_or_a_percentage_and_a_missing_limit_is_told(folder):
    assert "no limit" not in run("user", "add", folder, "ana", "--allowance", "5%")
    added = run("user", "add", folder, "zoe", "--allowance", "0.05")
    assert "add a section [analysts.zoe] with an epsilon" in added
    assert "no limit" not in run("user", "add", folder, "otto", "--role", "auditor")
    people = identities_of(folder)
    assert [each.allowance for each in people.people()] == [0.05, None, 0.05]
    people.close()
    assert "5% of the limit a day" in run("user", "list", folder)
    for wrong in ("5", "much", "0", "-1%"):
        with pytest.raises(InvalidInput, match=r"0\.05"):
            run("user", "add", folder, "eve", "--allowance", wrong)


def test_what_to_do_next_can_be_pasted(folder):
    added = run("user", "add", folder, "an a")
    assert '[analysts."an a"] with an epsilon' in added
    assert f"tacit reload {folder}" in added
    with pytest.raises(InvalidInput, match="tacit user passwd VAULT 'an a'"):
        run("user", "add", folder, "an a")
    link = run("user", "passwd", folder, "an a", "--link").split()[-1]
    people = identities_of(folder)
    assert people.of_link(link.removeprefix("/welcome/")) == "an a"
    people.close()
    assert "tacit reload" not in run("user", "add", folder, "ben")
    with serve_alone(folder):
        assert f"let the server that runs read it: tacit reload {folder}" in run(
            "user", "add", folder, "ana"
        )
    with pytest.raises(InvalidData, match="no server of this vault runs here"):
        run("reload", folder)


def test_tokens_are_made_listed_and_revoked(folder):
    run("user", "add", folder, "ana")
    assert run("token", "list", folder) == "There are no tokens.\n"
    token = run("token", "new", folder, "ana", "--label", "laptop").strip()
    assert json.loads(run("token", "new", folder, "ana", "--json"))["token"].startswith("tct_")
    people = identities_of(folder)
    assert people.of_token(token).name == "ana"
    listed = json.loads(run("token", "list", folder, "--json"))
    assert token not in str(listed)
    assert "laptop" in run("token", "list", folder)
    found = next(each["id"] for each in listed if each["label"] == "laptop")
    assert "ana" in run("token", "revoke", folder, found)
    assert people.of_token(token) is None
    people.close()


def test_slots_are_measured_and_written(folder):
    told = json.loads(run("calibrate", folder, "--rows", "visits=5000", "--json"))
    assert told["rows"] == {"visits": 5000}
    assert json.loads((folder / "slots.json").read_text()) == told
    assert "visits: sums" in run("calibrate", folder)
    with pytest.raises(InvalidInput):
        run("calibrate", folder, "--rows", "visits")


def test_tls_and_no_tls_are_not_both_meant(folder):
    with pytest.raises(InvalidInput):
        run("serve", folder, "--tls", "a", "b", "--insecure-loopback")
    with pytest.raises(InvalidInput, match="TLS"):
        run("serve", folder, "--host", "0.0.0.0")
