"""The client for the browser, in a browser: reports byte by byte, and a survey from the questions to the bars."""

import csv
import json
from hashlib import shake_256

import numpy as np
import pytest

from tacit.local import (
    TEMPLATE,
    client_script,
    collect_reports,
    read_collected,
    read_questionnaire,
    survey_page,
)
from tests.unit.cli.clinics import called
from tests.unit.local.browser import opened
from tests.vectors.local_clients import BYTES, FILE, PROTOCOLS

PEOPLE, WRONG = 10_000, 100

OUT = 'document.body.appendChild(Object.assign(document.createElement("pre"), { id: "out", textContent: text }));'


def test_the_browser_makes_the_same_reports_of_the_same_bytes(tmp_path):
    told = json.loads(FILE.read_text(encoding="utf-8"))
    for vector in told["vectors"]:
        vector["bytes"] = shake_256(vector["label"].encode()).digest(BYTES)[: vector["read"]].hex()
    script = """
    const lines = [];
    for (const vector of told.vectors) {
      let read = 0;
      const octets = (count) => {
        const taken = [];
        for (let i = 0; i < count; i++, read++) taken.push(parseInt(vector.bytes.slice(2 * read, 2 * read + 2), 16));
        if (read > vector.read) throw new Error("more bytes are read than were given");
        return taken;
      };
      const report = Tacit.randomise(told.protocols[vector.name], vector.index, octets);
      lines.push(JSON.stringify([vector.label, report, read]));
    }
    const text = lines.join("\\n");
    """
    page = f"<body><script>{client_script()}</script><script>const told = {json.dumps(told)};{script}{OUT}</script>"
    found = [json.loads(line) for line in opened(page, tmp_path).splitlines()]
    assert found == [[each["label"], each["report"], each["read"]] for each in told["vectors"]]


def test_the_browser_rounds_numbers_to_the_same_steps(tmp_path):
    texts = [
        "0",
        "-3",
        "5",
        "12.5",
        "20",
        "99999999999999999999",
        "0.00015",
        "+7.",
        "19.99999999999999999999",
        "1.25",
    ]
    protocols = {
        name: PROTOCOLS[name] for name in ("hybrid", "piecewise", "Duchi", "hybrid, cheap")
    }
    asked = [
        [name, protocol.describe(), text] for name, protocol in protocols.items() for text in texts
    ]
    script = (
        "const text = JSON.stringify(asked.map(([name, q, number]) => Tacit.stepOf(q, number)));"
    )
    page = f"<body><script>{client_script()}</script><script>const asked = {json.dumps(asked)};{script}{OUT}</script>"
    found = json.loads(opened(page, tmp_path))
    from fractions import Fraction

    assert found == [protocols[name].step_of(Fraction(text.rstrip("."))) for name, _, text in asked]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("survey")


@pytest.fixture(scope="module")
def survey(folder):
    (folder / "survey.toml").write_text(TEMPLATE)
    return read_questionnaire(folder / "survey.toml")


@pytest.fixture(scope="module")
def people(survey):
    """What so many made-up people would answer: every answer in a fixed share."""
    turns = np.arange(PEOPLE)
    labels = {each.name: getattr(each.protocol, "values", ()) for each in survey.questions}
    return [
        {
            "vegetarian": "yes" if turn % 10 < 3 else "no",
            "dish": labels["dish"][min(turn % 7, 4)],
            "spent": f"{turn % 15}.{turn % 4 * 25:02d}",
            "town": labels["town"][min(turn % 13, 9)],
        }
        for turn in turns.tolist()
    ]


def judge(found, people):
    """Whether all estimates are within six deviations of the truth: fails once in 10^7 runs."""
    assert found.people == PEOPLE
    for name, estimate in found.estimates:
        if name == "spent":
            truth = np.mean([float(person["spent"]) for person in people])
            assert abs(estimate.value - truth) < 6 * estimate.deviation + 0.001
            continue
        values = estimate.protocol.values
        truth = np.array([sum(person[name] == value for person in people) for value in values])
        assert (np.abs(estimate.counts - truth) < 6 * estimate.deviations).all()


def spoil(lines):
    """The lines, and among them one in a hundred that is no report."""
    wrong = ["{", "null", '{"survey": 1}', "\x00", "[" * 500] * (WRONG // 5)
    return [*lines[:50], *wrong, *lines[50:]]


def test_a_survey_by_the_command_line(folder, survey, people, capsys, monkeypatch):
    with (folder / "answers.csv").open("w", newline="") as file:
        rows = csv.DictWriter(file, list(people[0]))
        rows.writeheader()
        rows.writerows(people)

    monkeypatch.chdir(folder)

    def run(*arguments):
        said = called(capsys, monkeypatch, "survey", *arguments)
        assert said.code == 0, said.err
        return said.out

    assert "4 questions" in run("new", "survey.toml", "--page", "page.html")
    run("encode", "survey.toml", "answers.csv", "--to", "reports.jsonl")
    lines = (folder / "reports.jsonl").read_text().splitlines()
    assert len(lines) == PEOPLE
    (folder / "reports.jsonl").write_text("\n".join([*spoil(lines), lines[0]]) + "\n")
    told = json.loads(run("collect", "survey.toml", "reports.jsonl", "--to", "sums.json", "--json"))
    assert told["people"] == PEOPLE
    assert told["refused"] == {"malformed": WRONG, "out_of_domain": 0, "duplicate": 1, "foreign": 0}
    judge(read_collected(survey, (folder / "sums.json").read_text()), people)
    shown = run("report", "survey.toml", "sums.json", "--plot", "bars.png")
    assert "What do you spend on a lunch?\n10,000 reports: mean" in shown
    assert (folder / "bars.png").read_bytes().startswith(b"\x89PNG")
    tables = json.loads(run("report", "survey.toml", "sums.json", "--confidence", "0.99", "--json"))
    assert set(tables["questions"]) == set(people[0])
    assert (folder / "page.html").read_text() == survey_page(survey)


def test_a_survey_by_the_page(folder, survey, people, tmp_path):
    script = """
    const lines = [];
    for (const person of people) {
      for (const [name, answer] of Object.entries(person)) {
        const field = form.elements[name];
        if (field instanceof RadioNodeList) field.value = answer; else field.value = answer;
      }
      form.requestSubmit();
      lines.push(document.getElementById("report").value);
    }
    const text = lines.join("\\n") + "\\n" + document.getElementById("wrong").textContent;
    """
    page = survey_page(survey).replace(
        "</body>",
        f"<script>{{ const people = {json.dumps(people)};{script}{OUT} }}</script></body>",
    )
    lines = opened(page, tmp_path).splitlines()
    assert len(lines) == PEOPLE, lines[-1][:500]
    found = collect_reports(survey, spoil(lines))
    assert found.refused.malformed == found.refused.total == WRONG
    judge(found, people)


def test_the_page_asks_again_where_an_answer_is_none(survey, tmp_path):
    script = """
    form.elements.vegetarian.value = "no";
    form.elements.dish.value = "soup";
    form.elements.spent.value = "much";
    form.elements.town.value = "Cork";
    form.requestSubmit();
    const text = document.getElementById("wrong").textContent + "|" + document.getElementById("report").value;
    """
    page = survey_page(survey).replace("</body>", f"<script>{{ {script}{OUT} }}</script></body>")
    assert opened(page, tmp_path) == "Please look at your answers again: write a number in digits.|"
