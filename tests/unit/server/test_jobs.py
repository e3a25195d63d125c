"""Jobs are kept for a while."""

import pytest

from tacit.errors import (
    NotFound,
)
from tacit.server import Question
from tests.unit.server.clinics import (
    COUNT,
    make_folder,
    run,
    who,
)


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


def test_of_one_person_so_many_answers_are_kept(folder):
    async def scenario(desk):
        ana = who(desk, "ana")
        first = await desk.ask(ana, Question(COUNT, epsilon=0.1))
        await first.result()
        others = await desk.ask(who(desk, "ben"), Question(COUNT, epsilon=0.1))
        await others.result()
        for _ in range(40):
            last = await desk.ask(ana, Question(COUNT, epsilon=0.1))
        assert desk.job(ana, last.id).is_done
        assert sum(job.owner == "ana" for job in desk.asking._jobs._jobs.values()) == 32
        with pytest.raises(NotFound):
            desk.job(ana, first.id)
        assert desk.job(who(desk, "ben"), others.id) is others

    run(folder, scenario)
