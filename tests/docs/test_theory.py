"""The theory companion is whole: every item has a section, an example and a test; every exercise has an answer.

That the examples are true is tested with those of all pages, in test_examples.py.
"""

import ast
import re
from functools import cache

import pytest

from tests.docs.sources import ROOT

FOLDER = ROOT / "docs" / "theory"
CHAPTERS = {path.name[0].upper(): path for path in sorted(FOLDER.glob("[a-h]-*.md"))}
ITEMS = [
    f"{letter}{number}"
    for letter, last in {"A": 4, "B": 9, "C": 11, "D": 9, "E": 6, "F": 5, "G": 8, "H": 3}.items()
    for number in range(1, last + 1)
]
# Every exercise, and words that its question must contain.
EXERCISES = {
    "X1": "100 students two coins mean variance",
    "X2": "P(no | cheated) P(yes | honest) joint law",
    "X3": "uniform voter re-randomised frontier",
    "X4": "variance one side sigmoid derivative decay",
    "X5": "‖r − s‖₀ largest total",
    "X6": "{0, 1}^(2×2)",
    "X7": "one answer l fresh interval f(D) − 1",
    "X8": "ln(k/α) α/k factor two tails",
    "X9": "10,000 names",
    "X10": "sum to one",
    "X11": "time memory measured",
    "X12": "law fair coins",
    "X13": "997 zeros one viewer 50",
    "X14": "fewest votes",
    "X15": "a > b > 0 patients two conditions",
    "X16": "product sets S₁ × S₂",
    "X17": "within α_i all together concatenation",
    "X18": "δ = 0.1 ε = 0.1 classical not valid",
    "X19": "linear queries sum of the releases Gaussian",
    "X20": "joint density f + ν₁ f − 1 + ν₂",
    "X21": "net mechanism bound measured",
    "X22": "empirical errors independent",
    "X23": "1-NN 3-NN",
    "X24": "likelihood one sample two .svg",
    "X25": "m hidden layers of k neurons multiplications doubles",
    "X26": "thresholds intervals",
}
HEADING = re.compile(r"(?m)^## (\w+)\. (.*)$")
LINK = re.compile(r"\[`(tests/[\w/.-]+?)::(\w+)`\]\(\.\./\.\./([\w/.-]+)\)")
ANSWERED = re.compile(r"(?m)^>>> .*\n(?:\.\.\. .*\n)*(?!>>>|\.\.\.|\s*$|```).+")


def sections_of(page):
    """The sections of a page by their number, each with its heading."""
    parts = HEADING.split(page)[1:]
    return {
        number: f"{title}\n{body}" for number, title, body in zip(*[iter(parts)] * 3, strict=True)
    }


@cache
def names_in(path):
    """The tests that a file defines."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def faults_of(section, *, tested):
    """What a section lacks: an example with its output, a statement, or a link to a test that exists."""
    found = [] if ANSWERED.search(section) else ["no example with an output"]
    if len(section.split("```", 1)[0].split()) < 15:
        found.append("no statement before the example")
    links = LINK.findall(section)
    if tested and not links:
        found.append("no test is named")
    for path, name, target in links:
        if path != target or not (ROOT / path).is_file():
            found.append(f"{path} does not exist or is linked wrongly")
        elif name not in names_in(path):
            found.append(f"{path} has no {name}")
    return found


def slug(heading):
    """The anchor of a heading."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower())).strip("-")


def test_every_item_of_the_theory_has_a_section_and_there_are_no_others():
    found = [
        number
        for letter, path in CHAPTERS.items()
        for number in sections_of(path.read_text(encoding="utf-8"))
    ]
    assert found == ITEMS


@pytest.mark.parametrize("item", ITEMS)
def test_an_item_is_stated_and_executed_and_names_a_test_that_exists(item):
    page = CHAPTERS[item[0]].read_text(encoding="utf-8")
    assert faults_of(sections_of(page)[item], tested=True) == []


def test_every_exercise_is_there():
    page = (FOLDER / "exercises.md").read_text(encoding="utf-8")
    assert list(sections_of(page)) == list(EXERCISES)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_exercise_has_an_executed_answer(exercise):
    section = sections_of((FOLDER / "exercises.md").read_text(encoding="utf-8"))[exercise]
    assert faults_of(section, tested=False) == []
    assert section.count("*") >= 2, "the question is in italics"
    missing = [word for word in EXERCISES[exercise].split() if word.lower() not in section.lower()]
    assert missing == []


def test_the_contents_list_every_section_under_its_anchor():
    contents = (FOLDER / "README.md").read_text(encoding="utf-8")
    for path in (*CHAPTERS.values(), FOLDER / "exercises.md"):
        for number, section in sections_of(path.read_text(encoding="utf-8")).items():
            title = section.split("\n", 1)[0]
            assert f"| [{number}]({path.name}#{slug(f'{number}. {title}')}) | {title} |" in contents


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ("t\nword " * 20 + "```python\n>>> x = 1\n\n```", "no example"),
        ("t\n```python\n>>> 1\n1\n```", "no statement"),
        ("t\nword " * 20 + "```python\n>>> 1\n1\n```", "no test is named"),
        (
            "t\nword " * 20
            + "```python\n>>> 1\n1\n```\n[`tests/gone.py::test_x`](../../tests/gone.py)",
            "does not exist",
        ),
        (
            "t\nword " * 20
            + "```python\n>>> 1\n1\n```\n[`tests/docs/test_theory.py::test_gone`](../../tests/docs/test_theory.py)",
            "has no test_gone",
        ),
    ],
)
def test_a_section_that_lacks_something_is_caught(section, fault):
    assert any(fault in each for each in faults_of(section, tested=True))
