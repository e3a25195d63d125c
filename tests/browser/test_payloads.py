"""Keys that were found in data are text and nothing else: in Chromium, in CSV, in JSON and on a terminal."""

import csv
import io
import json
import unicodedata
from itertools import islice, product

import pytest

import tacit
from tacit.server import identities_of
from tests.browser.conftest import Workbench, address_in, serving

POLICY = """\
[limit]
epsilon = 100
delta = 1e-6

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 1

[tables.visits.columns]
icd = { type = "text" }

[analysts.ana]
epsilon = 100
"""
SQL = "SELECT icd, COUNT(*) AS n FROM visits GROUP BY icd"
PASSWORD = "correct horse battery"
EACH = 12  # patients of one key
MARK_UP = (
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>"),
    *('"><script>alert(1)</script>', "'><b onmouseover=alert(1)>", "</td></table><h1>x</h1>"),
    *("<iframe src=//evil.example></iframe>", "<a href=javascript:alert(1)>x</a>", "<!--", "]]>"),
    *(
        "<style>*{display:none}</style>",
        "<link rel=stylesheet href=//evil.example/x.css>",
        "</svg>",
    ),
    *("<meta http-equiv=refresh content=0;url=//evil.example>", "<base href=//evil.example>"),
    *("{{ 7 * 7 }}", "{% for x in y %}", "${alert(1)}", "&lt;script&gt;", "&#60;script&#62;"),
    *("<form action=//evil.example><button>x", "<object data=//evil.example>", "</textarea>"),
)
FORMULAS = (
    *("=1+1", "+1+1", "-1+1", "@SUM(A1)", "=HYPERLINK(0)", "=cmd|' /C calc'!A0", "\t=1+1", "\r=1"),
    *("=IMPORTXML(0)", "=WEBSERVICE(0)", "-2+3+cmd|0", "＝1+1"),
)
TERMINAL = (
    *("\x1b[2J", "\x1b]0;title\x07", "\x1b[31mred", "\x9b2J", "a\x08b", "\x07", "\x1bc", "\x7f"),
    *("line\nbreak", "line\r\nbreak", "tab\tstop", "\x0b", "\x0c", "\x1b]8;;x\x1b\\link"),
)
BIDI = (
    *("\u202eevil", "\u2066x\u2069", "\u200bzero", "\u200f", "\ufeffmark", "\u2028", "\u2029"),
    *("a\u0301" * 20, "\U000e0041", "\u115f", "\u3164", "\u00ad"),
)
KINDS = (*MARK_UP, *FORMULAS, *TERMINAL, *BIDI)
PAYLOADS = [
    *KINDS,
    *islice(
        (f"{one}{other}" for one, other in product(KINDS, MARK_UP[:3]) if one != other),
        200 - len(KINDS),
    ),
]


@pytest.fixture(scope="module")
def ward(tmp_path_factory, chromium):
    """A server over a vault whose keys are payloads, and a token of its analyst."""
    folder = tmp_path_factory.mktemp("payloads") / "clinic"
    folder.mkdir()
    (folder / "tacit.toml").write_text(POLICY)
    with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, quoting=csv.QUOTE_ALL)
        lines.writerow(["patient", "icd"])
        units = (
            (f"p{number}-{n}", key) for number, key in enumerate(PAYLOADS) for n in range(EACH)
        )
        lines.writerows(units)
    people = identities_of(folder)
    people.add("ana", "analyst", PASSWORD)
    token = people.new_token("ana")
    people.close()
    with serving("vault", folder) as said:
        yield Workbench(chromium, address_in(said), PASSWORD, folder), token


def is_harmless(text):
    """Whether no sign in a text moves a cursor, turns it round or cannot be seen."""
    return all(unicodedata.category(each) not in {"Cc", "Cf", "Zl", "Zp", "Cs"} for each in text)


def test_two_hundred_payloads_are_inert_wherever_they_are_shown(ward):
    bench, token = ward
    assert len(set(PAYLOADS)) == 200
    with tacit.connect(bench.url, token=token) as vault:
        release = vault.sql(SQL, epsilon=90)
    assert set(release.column("icd")) == set(PAYLOADS)

    page = bench.page("ana")
    page.open(f"{bench.url}/ask?q={SQL.replace(' ', '+')}&epsilon=90")
    page.click("#run")
    page.wait_for("document.querySelectorAll('#answer tbody tr').length === 200", "200 rows")
    shown = page.do(
        "[...document.querySelectorAll('#answer tbody tr td:first-child')].map((e) => e.textContent)"
    )
    assert all(is_harmless(each) for each in shown)
    assert "<script>alert(1)</script>" in shown
    inside = "script, img, iframe, style, link, meta, base, object, h1, b, a[href^='javascript']"
    assert page.do(f'document.querySelectorAll("#answer :is({inside})").length') == 0
    assert page.do("document.querySelectorAll('form').length") == page.do(
        "document.querySelectorAll('form[action^=\"/\"], form[method=dialog]').length"
    )
    assert page.do("document.querySelectorAll('#answer .chart text.label').length") == 30

    path = page.do("document.querySelector('#answer a[href$=\".csv\"]').getAttribute('href')")
    text = page.do(f"fetch({path!r}).then((r) => r.text())")
    cells = [row["icd"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    assert len(cells) == 200
    assert not [each for each in cells if each.lstrip("\t\r\n ").startswith(tuple("=+-@＝"))]
    assert not [each for each in cells if set(each) & set("\x1b\x9b\x07\x08\x7f")]

    told = page.do(f"fetch({path.replace('.csv', '.json')!r}).then((r) => r.text())")
    assert {row[0] for row in json.loads(told)["rows"]} == set(PAYLOADS)
    assert is_harmless(str(release).replace("\n", ""))
    bench.check()
