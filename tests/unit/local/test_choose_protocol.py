"""Which protocol is best, and how many people it takes."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.local import (
    Duchi,
    HadamardResponse,
    KaryResponse,
    LocalHashing,
    SubsetSelection,
    best,
    error_of_survey,
    people_for_survey,
    plan_survey,
)
from tests.together import together

F = Fraction


@together
@pytest.mark.parametrize("epsilon", [F(1, 2), 1, 2, 4])
@pytest.mark.parametrize("values", [2, 3, 5, 16, 85, 1128, 5000])
def test_nothing_considered_is_more_exact_by_a_twentieth(values, epsilon):
    choice = best(values, epsilon, n=1000)
    share = F(1, values)
    variances = [each.protocol.variance(share) for each in choice.candidates]
    assert variances == sorted(variances)
    assert choice.protocol.variance(share) <= variances[0] * F(21, 20)
    assert choice.protocol.ratio <= choice.candidates[0].protocol.ratio * (1 + F(1, 10**6))
    shorter = [
        each
        for each in choice.candidates
        if each.report_bits < choice.protocol.report_bits
        and each.protocol.variance(share) <= variances[0] * F(21, 20)
    ]
    assert not shorter


def test_the_usual_choices():
    assert isinstance(best(["no", "yes"], 1, 1000).protocol, KaryResponse)
    assert isinstance(best(5, 2, 1000).protocol, KaryResponse)
    assert isinstance(best(16, 1, 1000).protocol, SubsetSelection)
    assert isinstance(best(1128, 1, 1000).protocol, HadamardResponse)
    assert isinstance(best(1128, F(1, 2), 1000).protocol, LocalHashing)
    assert isinstance(best(5000, F(1, 100), 1000).protocol, LocalHashing | HadamardResponse)


def test_a_choice_says_why():
    text = str(best(1128, 1, n=100_000))
    assert text.startswith(
        "Hadamard response: within 5 % of the least variance (subset selection's), with shorter"
    )
    assert text.count("\n") == 5


def test_people_and_error_are_inverse():
    for protocol in (KaryResponse.warner(1), HadamardResponse(20, 1), Duchi(0, 10, 1)):
        for error in (F(1, 10), F(1, 100)):
            people = people_for_survey(protocol, error)
            assert error_of_survey(protocol, people) <= error
            assert error_of_survey(protocol, people - 1) > error


def test_a_plan_falls_by_the_root_here_and_by_the_number_there():
    plan = plan_survey(KaryResponse.warner(1), people=(100, 10_000))
    assert plan.local[0] / plan.local[1] == pytest.approx(10)
    assert plan.central[0] / plan.central[1] == pytest.approx(100)
    assert "10,000 people: local ± 1.881%" in str(plan)


def test_a_plan_is_drawn(tmp_path):
    plan_survey(KaryResponse.warner(1)).plot(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("wrong", [{"error": 0}, {"error": -1}, {"error": 0.1, "share": 2}])
def test_a_plan_without_sense_is_refused(wrong):
    with pytest.raises(InvalidInput):
        people_for_survey(KaryResponse.warner(1), **wrong)
