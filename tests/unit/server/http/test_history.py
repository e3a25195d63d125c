"""A history as CSV: every question, and no cell that a spreadsheet computes."""

import csv
import io

from tacit.server import PastQuestion
from tacit.server.http.pages.history import history_text


def past(**fields):
    return PastQuestion(
        **{
            "entry": 3,
            "at": "2026-01-01T00:00:00+00:00",
            "analyst": "ana",
            "words": "w",
            "share": 0.25,
            "answered": True,
            "hash": "00",
            "sql": "SELECT 1",
            **fields,
        }
    )


def test_every_question_is_a_line():
    first, second = csv.DictReader(io.StringIO(history_text([past(), past(entry=2, sql=None)])))
    assert (first["entry"], first["sql"], first["share"]) == ("3", "SELECT 1", "0.25")
    assert (second["entry"], second["sql"]) == ("2", "")


def test_no_cell_is_a_formula():
    (row,) = csv.DictReader(io.StringIO(history_text([past(sql="=1+1", words="@SUM(A1)")])))
    assert (row["sql"], row["words"]) == ("'=1+1", "'@SUM(A1)")
