"""Texts are read as sqlglot reads DuckDB's SQL, which this dialect copies without its generator."""

import subprocess
import sys

import pytest
from sqlglot.dialects.duckdb import DuckDB

from tacit.plan.dialect import Reading

# What is used to write SQL, to annotate trees with types, or is the class itself.
ELSEWHERE = {
    "EXPRESSION_METADATA",
    "Generator",
    "INVERSE_TIME_MAPPING",
    "INVERSE_TIME_TRIE",
    "Tokenizer",
    "generator_class",
    "jsonpath_tokenizer_class",
    "to_json_path",
    "tokenizer_class",
}


def settings(kind):
    return {name for name in dir(kind) if not name.startswith("__") and not hasattr(getattr(kind, name), "__self__")}


@pytest.mark.parametrize("name", sorted(settings(DuckDB) - ELSEWHERE))
def test_every_setting_that_reading_looks_up_is_duckdbs(name):
    assert getattr(Reading, name) == getattr(DuckDB, name)


@pytest.mark.parametrize("name", sorted(settings(DuckDB.Tokenizer)))
def test_every_setting_of_the_tokenizer_is_duckdbs(name):
    assert getattr(Reading.Tokenizer, name) == getattr(DuckDB.Tokenizer, name)


def test_a_question_opens_no_generator():
    script = "import sys, tacit.plan; print('sqlglot.generators.duckdb' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found == "False\n"
