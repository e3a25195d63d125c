"""Settings have defaults and levels; a price that was set last counts, and what cannot be is refused."""

from fractions import Fraction

import pytest

from tacit.server.wire.problems import Problem
from tacit.server.wire.settings import REPORTED, Price, Settings, read_price_comment


def test_levels_cover_one_another_and_return():
    settings = Settings({"application_name": "psql", "session_authorization": "ana"})
    assert settings["APPLICATION_NAME"] == "psql"
    settings.set("application_name", "x")
    settings.set("application_name", "y", local=True)
    assert settings["application_name"] == "y"
    settings.end_transaction()
    assert settings["application_name"] == "x"
    settings.reset("application_name")
    assert settings["application_name"] == "psql"
    settings.set("my.own", "1")
    assert settings["my.own"] == "1"
    settings.reset_all()
    with pytest.raises(Problem):
        settings["my.own"]
    assert set(REPORTED) <= set(settings.items())


def test_the_price_that_was_set_last_counts():
    settings = Settings({"tacit.epsilon": "0.1"})
    assert settings.price == Price(epsilon=Fraction(1, 10))
    settings.set("tacit.within", "50")
    assert settings.price == Price(within=Fraction(50))
    settings.set("tacit.epsilon", "1e-2")
    assert settings.price == Price(epsilon=Fraction(1, 100))
    settings.set("tacit.within", "5", local=True)
    assert settings.price == Price(within=Fraction(5))
    settings.end_transaction()
    assert settings.price == Price(epsilon=Fraction(1, 100))
    settings.set("tacit.epsilon", "")
    assert settings.price == Price()
    settings.reset("tacit.epsilon")
    assert settings.price == Price(epsilon=Fraction(1, 10))


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("tacit.epsilon", "-1", "22023"),
        ("tacit.epsilon", "0", "22023"),
        ("tacit.epsilon", "nan", "22023"),
        ("tacit.epsilon", "1e9999999", "22023"),
        ("tacit.epsilon", "1" * 200, "22023"),
        ("tacit.within", "x", "22023"),
        ("tacit.confidence", "1.5", "22023"),
        ("tacit.intervals", "perhaps", "22023"),
        ("tacit.preview", "real", "22023"),
        ("tacit.nothing", "1", "42704"),
        ("nothing", "1", "42704"),
        ("server_version", "99", "55P02"),
        ("is_superuser", "on", "55P02"),
        ("client_encoding", "LATIN1", "22023"),
        ("DateStyle", "German", "22023"),
        ("TimeZone", "a;b", "22023"),
        ("application_name", "x" * 5_000, "22023"),
    ],
)
def test_what_cannot_be_is_refused(name, value, code):
    with pytest.raises(Problem) as refusal:
        Settings().set(name, value)
    assert refusal.value.code == code


def test_values_are_kept_as_clients_expect_them():
    settings = Settings()
    settings.set("datestyle", "iso, dmy")
    for name in ("utf-8", "'utf-8'", "UNICODE"):
        settings.set("client_encoding", name)
    settings.set("tacit.intervals", "TRUE")
    settings.set("default_transaction_read_only", "off")
    assert settings["DateStyle"] == "ISO, DMY"
    assert settings["client_encoding"] == "UTF8"
    assert settings.is_on("tacit.intervals")
    assert settings["default_transaction_read_only"] == "on"


def test_a_session_keeps_so_many_settings_at_most():
    settings = Settings()
    for number in range(200):
        settings.set(f"my.s{number}", "x")
    settings.set("my.s0", "y")
    with pytest.raises(Problem, match="too many"):
        settings.set("my.other", "x")


def test_a_comment_names_a_price():
    found = read_price_comment(("-- by a tool", "/* TACIT : within = 50 */"))
    assert found == Price(within=Fraction(50))
    assert read_price_comment(("-- tacit: epsilon=0.25",)) == Price(epsilon=Fraction(1, 4))
    assert read_price_comment(("/* tacitly: epsilon=1 */", "/* epsilon=1 */")) == Price()
    for wrong in ("/* tacit: epsilon */", "/* tacit: delta=1 */", "/* tacit: epsilon=-1 */"):
        with pytest.raises(Problem):
            read_price_comment((wrong,))
