"""A rewrite is offered where a remedy names an aggregate and the refused text is known, and nowhere else."""

import pytest

from tacit.server.http.remedies import rewrite_of

SQL = "SELECT cost AS c, ward FROM visits"


@pytest.mark.parametrize(
    ("problem", "found"),
    [
        (
            {"remedy": "use AVG(cost)", "start": 7, "end": 11},
            "SELECT AVG(cost) AS c, ward FROM visits",
        ),
        (
            {"remedy": "use COUNT(*)", "start": 18, "end": 22},
            "SELECT cost AS c, COUNT(*) AS n FROM visits",
        ),
        ({"remedy": "name another column", "start": 7, "end": 11}, None),
        ({"remedy": "use COUNT(*)", "start": 0, "end": 0}, None),
        ({"remedy": "use COUNT(*)", "start": 7, "end": 99}, None),
        ({}, None),
    ],
)
def test_a_rewrite(problem, found):
    assert rewrite_of(SQL, problem) == found
