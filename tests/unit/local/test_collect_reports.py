"""Reports as lines: whatever is sent, it is counted or refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InvalidData, InvalidInput
from tacit.local import (
    TEMPLATE,
    collect_reports,
    read_collected,
    read_questionnaire,
    write_collected,
    write_report,
)

ANSWERS = {"vegetarian": "no", "dish": "soup", "spent": "12.5", "town": "Cork"}


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    file = tmp_path_factory.mktemp("survey") / "survey.toml"
    file.write_text(TEMPLATE)
    return read_questionnaire(file)


@pytest.fixture(scope="module")
def lines(survey):
    return [write_report(survey, ANSWERS) for _ in range(50)]


def changed(line, **changes):
    report = json.loads(line)
    report.update(changes)
    return json.dumps(report)


def test_whole_reports_are_counted(survey, lines):
    found = collect_reports(survey, lines)
    assert found.people == 50
    assert found.refused.total == 0
    assert found.estimate("dish").people == 50
    assert found.estimate("spent").people == 50
    with pytest.raises(InvalidInput):
        found.estimate("weather")


def test_every_way_to_be_wrong_is_counted(survey, lines):
    good = json.loads(lines[0])
    answers = good["answers"]

    def answering(number, **changes):
        return changed(lines[0], id=f"{number:032x}", answers={**answers, **changes})

    malformed = [
        "{",
        b"\xff\xfe",
        "[]",
        "null",
        "1e999",
        "[" * 100_000,
        "9" * 6000,
        changed(lines[0], id="x" * 32),
        changed(lines[0], id=5),
        changed(lines[0], more=1),
        changed(lines[0], answers=[]),
        changed(lines[0], answers={"dish": 1}),
        json.dumps({**good, "answers": {**answers, "again": 1}}),
        " " * (1 << 20) + lines[0],
    ]
    out_of_domain = [
        answering(1, dish=99),
        answering(2, dish=None),
        answering(3, vegetarian=True),
        answering(4, spent=[5, 5]),
        answering(5, town={}),
        answering(6, town="0"),
    ]
    foreign = [changed(lines[0], survey="other"), changed(lines[0], digest="0" * 16)]
    found = collect_reports(
        survey, [*lines[:20], *malformed, *out_of_domain, lines[3], "", "\n", *foreign, *lines[20:]]
    )
    assert found.people == 50
    refused = found.refused
    assert refused.malformed == len(malformed)
    assert refused.out_of_domain == len(out_of_domain)
    assert refused.foreign == len(foreign)
    assert refused.duplicate == 1
    assert found.estimates == collect_reports(survey, lines).estimates


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
def test_no_line_makes_it_fail(survey, lines, line):
    found = collect_reports(survey, [lines[0], line])
    assert found.people == 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    st.sampled_from(["vegetarian", "dish", "spent", "town"]),
)
def test_no_answer_makes_it_fail(survey, lines, answer, question):
    report = json.loads(lines[0])
    line = changed(lines[0], id="0" * 32, answers={**report["answers"], question: answer})
    found = collect_reports(survey, [lines[1], line])
    assert found.people + found.refused.out_of_domain == 2


def test_a_duplicate_counts_once_wherever_it_stands(survey, lines):
    found = collect_reports(survey, [*lines, *lines] * 30)
    assert (found.people, found.refused.duplicate) == (50, 50 * 59)


def test_no_report_is_no_survey(survey):
    with pytest.raises(InvalidData):
        collect_reports(survey, ["{}"])


def test_what_was_collected_is_read_as_it_was_written(survey, lines):
    found = collect_reports(survey, [*lines, "wrong"])
    assert read_collected(survey, write_collected(found)) == found
    for line in lines:
        assert json.loads(line)["id"] not in write_collected(found)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": "0"}', "null"])
def test_a_collection_of_another_kind_is_refused(survey, text):
    with pytest.raises(InvalidInput):
        read_collected(survey, text)


def test_a_collection_of_another_length_is_refused(survey, lines):
    told = json.loads(write_collected(collect_reports(survey, lines)))
    told["questions"]["dish"].append(1)
    with pytest.raises(InvalidInput):
        read_collected(survey, json.dumps(told))


def test_a_text_and_a_picture_of_all_questions(survey, lines, tmp_path):
    found = collect_reports(survey, lines)
    assert "Which dish do you like best?" in str(found)
    assert "0 lines refused" in str(found)
    found.plot(tmp_path / "bars.png")
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
