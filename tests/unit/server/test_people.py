"""People sign in, and a curator decides about them."""

import pytest

from tacit.errors import (
    AccessDenied,
    InvalidInput,
    TooMany,
)
from tacit.server import Rate, Rates
from tests.unit.server.clinics import (
    PLENTY,
    make_folder,
    run,
    who,
)


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


def test_people_are_added_and_disabled_by_a_curator(folder):
    async def scenario(desk):
        cleo = who(desk, "cleo")
        link = desk.people.add_person(cleo, "zoe", "analyst", price="0.1", allowance=0.5)
        assert desk._identities.of_link(link) == "zoe"
        with pytest.raises(InvalidInput):
            desk.people.set_disabled(cleo, "cleo", disabled=True)
        token = desk.people.token_for(cleo, "ana", "laptop", days=1)
        assert desk.people.of_token(token).name == "ana"
        (listed,) = desk.people.tokens(who(desk, "ana"))
        desk.people.revoke_token(who(desk, "ana"), listed.id)
        with pytest.raises(AccessDenied):
            desk.people.of_token(token)
        desk.people.set_disabled(cleo, "ana", disabled=True)
        assert who(desk, "ana") is None
        desk.people.set_disabled(cleo, "ana", disabled=False)
        assert [each.name for each in desk.people.everybody(cleo)] == [
            "ana",
            "ben",
            "cleo",
            "otto",
            "zoe",
        ]

    run(folder, scenario)


def test_signing_in_is_rated_by_name_and_by_address(folder):
    async def scenario(desk):
        for _ in range(2):
            with pytest.raises(AccessDenied):
                desk.people.sign_in("eve", "wrong", "1.2.3.4")
        with pytest.raises(TooMany):
            desk.people.sign_in("eve", "wrong", "5.6.7.8")
        with pytest.raises(AccessDenied):
            desk.people.sign_in("dan", "wrong", "1.2.3.4")
        with pytest.raises(TooMany):
            desk.people.sign_in("pam", "wrong", "1.2.3.4")

    rates = Rates(
        {
            **PLENTY,
            "attempts to sign in by this name": Rate(2, 1e9),
            "attempts to sign in from this address": Rate(3, 1e9),
        }
    )
    run(folder, scenario, rates=rates)
