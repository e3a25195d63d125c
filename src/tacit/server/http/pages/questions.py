"""What somebody typed, as the desk takes it, and what comes of it, as pages show it.

Checked by: tests/unit/server/http/test_pages.py
"""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from tacit.errors import AccessDenied, InvalidInput, TacitError
from tacit.server.http.charts import MOST_ROWS, whiskers
from tacit.server.http.pages.rendering import share_text
from tacit.server.http.problems import problem_from
from tacit.server.http.remedies import rewrite_of
from tacit.server.http.request_models import SQL, exact_number
from tacit.server.jobs import Question

__all__ = [
    "answer_view",
    "columns_of_parts",
    "how_many_fit",
    "price_to_halve",
    "question_from",
    "refusal_view",
    "ways_to_halve",
]

_PART = re.compile(r"(.+)'s (?:count|(?:first |second )?sum.*)")
_TIMES = re.compile(r"(pay ([0-9]+) times as much) \((?:([0-9.]+)%)?(.*)\)")


def question_from(asked: Mapping[str, Any]) -> Question:
    """What was typed, as the desk takes it."""
    price, confidence = (
        str(asked["price"]).strip().replace(",", "."),
        str(asked["confidence"]).strip(),
    )
    try:
        sure = float(confidence or "0.95")
    except ValueError:
        raise InvalidInput("confidence", confidence, "write a number such as 0.95") from None
    if len(asked["sql"]) > SQL:
        raise InvalidInput("a question", "so long a text", f"write at most {SQL:,} characters")
    number = _typed_number(price) if price else None
    by_accuracy = asked["by"] == "within"
    epsilon, within = (None, number) if by_accuracy else (number, None)
    return Question(asked["sql"], epsilon, within, sure)


def _typed_number(text: str) -> Any:
    whole, _, part = text.partition(".")
    if len(text) > 40 or not (whole + part).isdigit() or not (whole + part).isascii():
        raise InvalidInput("the price", text, "write a number in digits, such as 0.1")
    return exact_number(text)


def refusal_view(refusal: TacitError, sql: str) -> dict[str, Any]:
    """A refusal as the pages show it: where it is, why, how to mend it, and a text that does."""
    if isinstance(refusal, AccessDenied) and not refusal.signed_in:
        raise refusal
    said = problem_from(refusal)
    reason, remedy = said.get("reason"), said.get("remedy")
    same = bool(said.get("text")) and said["text"] == sql
    return {
        "title": said["title"],
        "reason": reason or said["detail"],
        "remedy": remedy if reason else "",
        "start": said["start"] if same else 0,
        "end": said["end"] if same else 0,
        "fragment": sql[said["start"] : said["end"]] if same else "",
        "rewrite": rewrite_of(sql, said) if same else None,
    }


def price_text(price: Any, own: float | None) -> str:
    """What an answer cost; who has a limit of their own is told which share of it that is, everyone else of the limit.

    >>> from tacit.curator import Price
    >>> price_text(Price(0.1, 0.004), None), price_text(Price(0.1, 0.004, free=True), 2.5)
    ('epsilon 0.1, 0.4 % of the limit', 'nothing: the stored answer, which cost epsilon 0.1, 1 % of your limit')
    """
    whose, share = ("the", price.share) if own is None else ("your", price.share * own)
    cost = f"epsilon {price.epsilon:.3g}, {share_text(share)} of {whose} limit"
    return f"nothing: the stored answer, which cost {cost}" if price.free else cost


def answer_view(
    release: Any,
    id: str | None = None,  # noqa: A002 -- as it is called
    own: float | None = None,
) -> dict[str, Any]:
    """An answer as the pages show it; by the `id` of its job it can be had in other forms.

    `own` is how many shares of who asked's own limit one share of everyone's is.
    """
    ends = {f"{name}{end}" for name in release.measured for end in ("_low", "_high")}
    heads = [name for name in release.columns if name not in ends]
    rows = [[_cell(row, name, release.measured) for name in heads] for row in release]
    charts = [(name, whiskers(release, name)) for name in release.measured]
    return {
        "id": id,
        "heads": heads,
        "measured": release.measured,
        "rows": rows,
        "charts": [(name, chart) for name, chart in charts if chart],
        "many": len(rows) > MOST_ROWS,
        "csv": release.to_csv(),
        "price": price_text(release.price, own),
        "confidence": release.confidence,
        "entry": release.receipt.get("entry"),
        "made_up": bool(release.receipt.get("made up")),
        "notes": list(release.notes),
        "left_out": [str(each) for each in release.left_out],
    }


def _cell(row: Mapping[str, Any], name: str, measured: Any) -> tuple[Any, ...]:
    """A value, and its interval if it was measured."""
    if name not in measured:
        return (row[name],)
    return row[name], row[f"{name}_low"], row[f"{name}_high"]


def how_many_fit(share: float, left: float) -> int | None:
    """How many answers of a share each fit into what is left; None if they cost nothing.

    >>> how_many_fit(0.1, 0.3), how_many_fit(0.0, 0.3)
    (3, None)
    """
    return int(left / share * (1 + 1e-9)) if share > 0 else None


def columns_of_parts(measures: Iterable[str], known: Iterable[str]) -> list[str]:
    """The columns that are computed from several measures, by what an explanation calls these, but for `known` ones.

    >>> columns_of_parts(["n", "s's count", "bmi's count", "bmi's sum about the middle of its range"], {"bmi"})
    ['s']
    """
    found = (_PART.fullmatch(each) for each in measures)
    names = dict.fromkeys(each[1] for each in found if each is not None)
    return [name for name in names if name not in set(known)]


def price_to_halve(limit: Any, epsilon: float) -> str:
    """The epsilon that halves the noise, rounded up to three digits: the one that is charged four times as much where
    squares of noise add up, and twice as much where losses do.

    >>> from tacit.curator import Limit
    >>> price_to_halve(Limit(2), 0.05), price_to_halve(Limit(2, 1e-6), 0.05)
    ('0.1', '0.105')
    """
    rule = limit.filter()

    def amount(price: float) -> Fraction:
        return Fraction(rule.price_of(Fraction(f"{price:.3g}")).amount)

    wanted = amount(epsilon) * (4 if limit.delta else 2)
    low, high = epsilon, 8 * epsilon
    while high - low > low / 2_000:
        middle = (low + high) / 2
        low, high = (low, middle) if amount(middle) >= wanted else (middle, high)
    return f"{float(f'{high:.3g}'):g}"


def ways_to_halve(halving: str, own: float | None = None) -> list[str]:
    """The ways that an explanation names, one by one: the first is a price, the others are the curator's.

    Who has a limit of their own is told which share of that the price is, by the one of the question.

    >>> ways_to_halve("pay 4 times as much (10.5% of the limit), or declare bounds half as wide.")
    ['pay 4 times as much (10.5 % of the limit)', 'declare bounds half as wide']
    >>> ways_to_halve("pay 4 times as much (10.5% of the limit).", own=0.05)
    ['pay 4 times as much (20 % of your limit)']
    """
    first, *others = halving.removesuffix(".").split(", or ")
    priced = _TIMES.fullmatch(first)
    if priced is not None and own is not None:
        first = f"{priced[1]} ({share_text(int(priced[2]) * own)} of your limit)"
    elif priced is not None and priced[3]:
        first = f"{priced[1]} ({priced[3]} %{priced[4]})"
    return [first, *others]
