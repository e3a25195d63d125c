"""A cookie counts if this server signed it, it is not too old, and nothing has changed since."""

import pytest

from tacit.server import Identities
from tacit.server.sessions import HOURS, Sessions


@pytest.fixture
def people():
    known = Identities()
    known.add("ana", "analyst")
    known.add("ben", "analyst")
    return known


def test_a_cookie_says_who_signed_in_until_it_is_too_old(people):
    now = [0.0]
    sessions = Sessions(people, now=lambda: now[0])
    cookie = sessions.issue(people._identity("ana"))
    found = sessions.read(cookie)
    assert found.identity.name == "ana"
    assert (
        sessions.read(cookie).csrf
        == found.csrf
        != sessions.read(sessions.issue(people._identity("ben"))).csrf
    )
    now[0] = HOURS * 3600 - 1
    assert sessions.read(cookie) is not None
    now[0] += 2
    assert sessions.read(cookie) is None


def test_a_cookie_that_was_changed_or_made_elsewhere_counts_for_nothing(people):
    sessions = Sessions(people)
    cookie = sessions.issue(people._identity("ana"))
    body, _, mark = cookie.partition(".")
    other = Identities()
    other.add("ana", "analyst")
    forged = Sessions(other).issue(other._identity("ana"))
    for wrong in (
        "",
        ".",
        body,
        f"{body}.",
        f"{body}x.{mark}",
        f"{body}.{mark[:-1]}0x",
        forged,
        "é.é",
    ):
        assert sessions.read(wrong) is None
    ben = sessions.issue(people._identity("ben"))
    assert sessions.read(f"{ben.partition('.')[0]}.{mark}") is None


def test_a_change_of_password_or_rights_ends_every_session(people):
    sessions = Sessions(people)
    cookie = sessions.issue(people._identity("ana"))
    people.disable("ana")
    assert sessions.read(cookie) is None
    people.enable("ana")
    assert sessions.read(cookie) is None


def test_a_session_by_a_token_counts_no_longer_than_the_token():
    now = [0.0]
    people = Identities(now=lambda: now[0])
    people.add("ana", "analyst")
    token = people.new_token("ana", days=0.25)
    other = people.new_token("ana", days=30)
    sessions = Sessions(people, now=lambda: now[0])
    cookies = [sessions.issue(people._identity("ana"), each) for each in (token, other)]
    assert [sessions.read(each) is not None for each in cookies] == [True, True]
    now[0] = 7 * 3600
    assert [sessions.read(each) is not None for each in cookies] == [False, True]
    (kept,) = people.tokens("ana")
    people.revoke(kept.id)
    assert sessions.read(cookies[1]) is None
