"""Whatever is typed, a plan or a refusal comes back, and soon."""

import random
import re
import time

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Plan, as_tree, canonical, fingerprint, in_words, read_sql
from tests.unit.plan.cases import TABLES, VISITS
from tests.unit.plan.sql.test_statement import ACCEPTED
from tests.unit.plan.test_refusals import CASES

TEXTS = 1_000  # tests/attacks/test_fuzzed_texts.py types ten times as many at a vault
STATEMENTS = [*ACCEPTED, *(statement.replace("«", "").replace("»", "") for _, statement in CASES)]
WORDS = sorted({word for statement in STATEMENTS for word in statement.split()})
SIGNS = [
    "(",
    ")",
    ",",
    ";",
    "'",
    '"',
    "--",
    "/*",
    "*/",
    "\\",
    "\0",
    "\ufeff",
    "\ud800",
    "é",
    "\n",
    "::",
    "[",
    "{",
    "$",
    "@",
    "1e9",
]


LIKE_EACH_OTHER = [
    [column.name for column in VISITS.columns],
    ["=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"],
    ["AND", "OR", "AND NOT"],
    ["0", "1", "-2", "0.5", "1e3", "'A'", "NULL", "TRUE", "DATE '2025-01-31'"],
    ["COUNT", "SUM", "AVG"],
]


def gently(statement, dice):
    """A statement with a word exchanged for one of the same sort: often one that can be read."""
    words = re.findall(r"[\w.]+|'[^']*'|\S", statement)
    known = [
        (place, sort)
        for place, word in enumerate(words)
        for sort in LIKE_EACH_OTHER
        if word in sort
    ]
    for place, sort in dice.sample(known, min(len(known), dice.randint(1, 3))):
        words[place] = dice.choice(sort)
    return " ".join(words)


def mutated(statement, dice):
    """A statement with some words exchanged, moved, repeated or broken."""
    words = statement.split(" ")
    for _ in range(dice.randint(1, 6)):
        place = dice.randrange(len(words))
        match dice.randrange(7):
            case 0:
                words[place] = dice.choice(WORDS)
            case 1:
                words.insert(place, dice.choice(WORDS))
            case 2:
                words.insert(place, dice.choice(SIGNS))
            case 3 if len(words) > 1:
                del words[place]
            case 4:
                other = dice.randrange(len(words))
                words[place], words[other] = words[other], words[place]
            case 5:
                letter = dice.randrange(len(words[place]) + 1)
                words[place] = words[place][:letter] + dice.choice(SIGNS) + words[place][letter:]
            case _:
                words[place:place] = words[place : place + dice.randint(1, 8)] * dice.choice(
                    [1, 2, 30]
                )
    return " ".join(words)


@pytest.mark.parametrize("seed", range(4))
def test_a_text_becomes_a_plan_or_a_refusal(seed):
    dice = random.Random(seed)
    plans = 0
    for _ in range(TEXTS // 4):
        text = (
            gently(dice.choice(list(ACCEPTED)), dice)
            if dice.random() < 0.4
            else mutated(dice.choice(STATEMENTS), dice)
        )
        begun = time.process_time()
        plan = read(text)
        if isinstance(plan, InvalidPlan):
            assert plan.reason
            assert plan.remedy
            assert "sqlglot" not in str(plan)
            assert 0 <= plan.start <= plan.end <= len(plan.text), (text, plan.start, plan.end)
        else:
            plans += 1
            assert isinstance(plan, Plan)
            assert in_words(plan)
            assert as_tree(plan)
            assert canonical(canonical(plan)) == canonical(plan)
            assert fingerprint(canonical(plan).question) == fingerprint(plan.question)
        # CPU seconds: only exponential time comes near
        assert time.process_time() - begun < 2, text
    assert plans > 5


def read(text):
    try:
        return read_sql(text, TABLES)
    except InvalidPlan as refusal:
        return refusal
