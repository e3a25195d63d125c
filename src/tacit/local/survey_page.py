"""A questionnaire as one page of HTML, which randomises answers where they are given."""

from __future__ import annotations

import json
from pathlib import Path

from tacit.local.questionnaire import Questionnaire

__all__ = ["client_script", "survey_page"]

_HERE = Path(__file__).parent


def client_script() -> str:
    """The client in JavaScript: one file, no dependency."""
    return (_HERE / "client.js").read_text(encoding="utf-8")


def survey_page(questionnaire: Questionnaire) -> str:
    """A page that asks the questions and shows the report to send.

    What the questionnaire says can end no script: signs that HTML reads are written as escapes.
    """
    told = json.dumps(questionnaire.describe(), ensure_ascii=True)
    safe = told.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    page = (_HERE / "page.html").read_text(encoding="utf-8")
    before, between = page.split("/*CLIENT*/")
    middle, after = between.split("/*SURVEY*/")
    return f"{before}{client_script()}{middle}{safe}{after}"
