"""Questionnaires: what they say, what they refuse, what a person pays."""

import json
from fractions import Fraction

import pytest

from tacit.errors import InvalidData, InvalidInput
from tacit.local import TEMPLATE, Hybrid, KaryResponse, read_questionnaire, survey_page

F = Fraction


@pytest.fixture
def write(tmp_path):
    def written(text):
        (tmp_path / "survey.toml").write_text(text)
        return tmp_path / "survey.toml"

    return written


SMALL = '[survey]\nname = "s"\n[questions.q]\ntype = "binary"\nepsilon = 0.5\n'


def test_the_template_is_a_questionnaire(write):
    read = read_questionnaire(write(TEMPLATE))
    assert [question.kind for question in read.questions] == ["binary", "choice", "number", "list"]
    assert isinstance(read.questions[0].protocol, KaryResponse)
    assert isinstance(read.questions[2].protocol, Hybrid)


def test_a_person_pays_the_sum_of_all_questions(write):
    read = read_questionnaire(write(TEMPLATE))
    each = [question.protocol.loss().epsilon for question in read.questions]
    assert read.loss().epsilon == pytest.approx(sum(each), rel=1e-12)
    assert read.loss().epsilon <= 4


def test_an_epsilon_is_read_as_it_is_written(write):
    read = read_questionnaire(write(SMALL))
    assert read.questions[0].protocol == KaryResponse(["no", "yes"], F(1, 2))


def test_every_question_is_answered(write):
    read = read_questionnaire(write(TEMPLATE))
    answers = {"vegetarian": "no", "dish": "soup", "spent": "12.5", "town": "Cork"}
    reports = read.encode(answers)
    assert set(reports) == set(answers)
    with pytest.raises(InvalidInput, match="every question"):
        read.encode({"dish": "soup"})
    with pytest.raises(InvalidData):
        read.encode({**answers, "dish": "stones"})
    with pytest.raises(InvalidInput):
        read.encode({**answers, "spent": "much"})


def test_the_digest_changes_with_what_a_client_is_told(write):
    one = read_questionnaire(write(SMALL)).digest
    assert read_questionnaire(write(SMALL)).digest == one
    assert read_questionnaire(write(SMALL.replace("0.5", "0.6"))).digest != one
    assert read_questionnaire(write(SMALL.replace('"s"', '"t"'))).digest != one


def test_values_may_stand_in_a_file(write, tmp_path):
    (tmp_path / "towns.txt").write_text("Aarhus\n\n Bergen \nCork\n")
    text = SMALL.replace('"binary"', '"list"\nvalues_file = "towns.txt"')
    assert read_questionnaire(write(text)).questions[0].protocol.values == (
        "Aarhus",
        "Bergen",
        "Cork",
    )


@pytest.mark.parametrize(
    "protocol", ["k-ary", "unary", "symmetric", "local-hashing", "hadamard", "subset"]
)
def test_a_protocol_may_be_named(write, protocol):
    read = read_questionnaire(write(SMALL + f'protocol = "{protocol}"\n'))
    assert read.questions[0].encode("yes") is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml",
        '[survey]\nname = "s"\n',
        '[survey]\nname = ""\n[questions.q]\ntype = "binary"\nepsilon = 1\n',
        SMALL + "[other]\n",
        SMALL + "colour = 1\n",
        SMALL + 'protocol = "magic"\n',
        SMALL.replace("binary", "poem"),
        SMALL.replace("epsilon = 0.5", ""),
        SMALL.replace("0.5", "0"),
        SMALL.replace("0.5", '"much"'),
        SMALL + 'values = ["a", "b", "c"]\n',
        SMALL + "values = [1, 2]\n",
        SMALL.replace("binary", "choice"),
        SMALL.replace("binary", "number"),
        SMALL.replace("binary", "number") + "low = 3\nhigh = 2\n",
        SMALL.replace("[questions.q]", "people = 0\n[questions.q]"),
    ],
)
def test_a_questionnaire_with_a_fault_is_refused(write, text):
    with pytest.raises(InvalidInput) as refusal:
        read_questionnaire(write(text))
    assert ";" in str(refusal.value)


def test_no_text_of_a_questionnaire_ends_a_script(write):
    text = SMALL.replace('"s"', '"</script><b>&"').replace(
        "epsilon", 'text = "</SCRIPT><!--"\nepsilon'
    )
    page = survey_page(read_questionnaire(write(text)))
    assert page.count("</script>") == 3
    assert "<!--" not in page
    told = page.split('id="survey">')[1].split("</script>")[0]
    assert json.loads(told)["survey"] == "</script><b>&"
