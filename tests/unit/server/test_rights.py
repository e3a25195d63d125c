"""Each role may do what is written here."""

import pytest

from tacit.errors import (
    AccessDenied,
)
from tacit.server import Question
from tests.unit.server.clinics import (
    COUNT,
    ROLES,
    make_folder,
    run,
    who,
)


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


RIGHTS = {
    "explain": ("ana cleo", lambda desk, w: desk.explain(w, Question(COUNT, epsilon=1))),
    "ask_twin": ("ana cleo", lambda desk, w: desk.ask_twin(w, Question(COUNT, epsilon=1))),
    "history": ("ana cleo", lambda desk, w: desk.ledger.history(w)),
    "tables": ("ana cleo otto", lambda desk, w: desk.tables(w)),
    "describe": ("ana cleo otto", lambda desk, w: desk.describe(w, "visits")),
    "standing": ("ana cleo otto", lambda desk, w: desk.standing(w)),
    "budgets": ("cleo otto", lambda desk, w: desk.budgets(w)),
    "records": ("cleo otto", lambda desk, w: desk.ledger.records(w)),
    "verify": ("cleo otto", lambda desk, w: desk.ledger.verify(w)),
    "refresh": ("cleo", lambda desk, w: desk.refresh(w, "visits")),
    "reload": ("cleo", lambda desk, w: desk.reload(w)),
    "people": ("cleo", lambda desk, w: desk.people.everybody(w)),
    "tokens": ("ana cleo otto", lambda desk, w: desk.people.tokens(w)),
    "reset_password": ("cleo", lambda desk, w: desk.people.reset_password(w, "ben")),
    "token_for": ("cleo", lambda desk, w: desk.people.token_for(w, "ben", "", days=1)),
    "set_disabled": ("cleo", lambda desk, w: desk.people.set_disabled(w, "ben", disabled=True)),
    "operations": ("cleo", lambda desk, w: desk.operations(w)),
}


@pytest.mark.parametrize("name", ["ana", "cleo", "otto"])
def test_each_role_may_do_what_is_written_here_and_nothing_else(folder, name):
    async def scenario(desk):
        for allowed, call in RIGHTS.values():
            if name in allowed.split():
                call(desk, who(desk, name))
            else:
                with pytest.raises(AccessDenied, match=ROLES[name]):
                    call(desk, who(desk, name))
        if name == "otto":
            with pytest.raises(AccessDenied):
                await desk.ask(who(desk, name), Question(COUNT, epsilon=1))

    run(folder, scenario)
