"""What people do in the workbench, done in Chromium: by mouse, by keyboard alone, and without scripts."""

import re
import time

from tests.browser.devtools import ALT, CONTROL, SHIFT

BY_TEST = "SELECT test, COUNT(*) AS n FROM labs WHERE day > {} GROUP BY test"
EDITOR = "document.querySelector('.cm-content')"


def write(page, sql):
    """Replace what the editor holds, by typing."""
    page.do(f"{EDITOR}.focus()")
    page.press("a", CONTROL)
    page.type(sql)


def reach(page):
    """The ± that the explanation shows first."""
    shown = page.text("#explanation .strong")
    return float(shown.removeprefix("±").replace(",", ""))


def explained(page, words):
    """Wait until what is typed is explained."""
    page.wait_for(
        f"document.querySelector('#explanation .words').innerText.includes({words!r})", words
    )


def answered(page):
    """Wait for the answer, and return its text."""
    page.wait_for("document.querySelector('#answer .answer table')", "no answer")
    return page.text("#answer")


def test_ask_halve_the_error_run_and_the_receipt_verifies(workbench):
    page = workbench.page("ana")
    page.open(workbench.url)
    write(page, BY_TEST.format(7))
    explained(page, "day > 7")
    before, at_first = reach(page), page.text(".who .spent span")
    page.click("[data-price]")
    page.wait_for("document.querySelector('#price').value === '0.105'")
    page.wait_for(
        f"!document.querySelector('#explanation .strong').innerText.includes('{before:,}')"
    )
    assert 0.98 * before / 2 <= reach(page) <= before / 2
    assert "q=SELECT" in page.do("location.search")
    page.click("#run")
    said = answered(page)
    assert re.search(r"hdl\s+[\d,]+\s+[\d,]+ to [\d,]+", said)
    assert page.do("document.querySelectorAll('#answer .chart .whisker').length") == 2
    page.wait_for("document.querySelector('#explanation .free')", "asked again it is free")
    assert page.text("#explanation .cost").strip() == "Asked again, it is free"
    rights = page.do(
        "[...document.querySelectorAll('#answer td.n')].map(each => each.getBoundingClientRect().right)"
    )
    assert (
        len(set(rights[::2])) == len(set(rights[1::2])) == 1
    )  # numbers of a column end at one place
    assert (
        page.text(".who .spent span") != at_first
    )  # the budget in the header is as new as the answer
    page.follow("#answer a[href^='/receipts/']")
    assert re.search(r"Verified against the ledger: all \d+ fields agree", page.text())


def test_what_is_refused_is_underlined_and_its_remedy_runs(workbench):
    page = workbench.page("ana")
    page.open(f"{workbench.url}/ask")
    write(page, "SELECT value FROM labs")
    assert page.wait_for("document.querySelector('.cm-lintRange-error').innerText") == "value"
    assert page.do("document.querySelector('#run').disabled") is True
    assert "single rows are never released" in page.text("#explanation strong")
    page.press("Enter", CONTROL)  # nothing is asked; the history of this window has it
    page.click("[data-rewrite]")
    explained(page, "mean is the mean of value")
    assert page.do(f"{EDITOR}.innerText") == "SELECT AVG(value) AS mean FROM labs"
    assert page.do("document.querySelector('.cm-lintRange-error')") is None
    page.click("#run")
    assert "mean" in answered(page)
    page.open(f"{workbench.url}/history")
    assert "SELECT value FROM labs" in page.text("#refusals")


def test_where_the_limit_is_reached_a_replay_still_works(workbench):
    page = workbench.page("chloe")
    page.open(f"{workbench.url}/ask?q=SELECT+COUNT(*)+AS+n+FROM+events&epsilon=0.9")
    page.click("#run")
    first = answered(page)
    write(page, "SELECT COUNT(*) AS n FROM patients WHERE died")
    explained(page, "where died")
    assert "does not fit" in page.text("#explanation .bad")
    assert "To halve" not in page.text("#explanation")
    assert page.do("document.querySelector('#run').disabled") is True
    fits = page.text(".fits a")
    page.click(".fits a")
    page.wait_for("document.querySelector('#explanation [data-affordable=yes]')", "it fits")
    assert fits == "Pay epsilon " + page.do("document.querySelector('#price').value")
    assert page.do("document.querySelector('#run').disabled") is False
    write(page, "SELECT COUNT(*) AS n FROM events")
    explained(page, "In events")
    page.click("#run")
    page.wait_for("document.querySelector('#answer').innerText.includes('nothing')", "it is free")
    number = re.compile(r"(?m)^[\d,]+\s+[\d,]+ to [\d,]+$")
    assert number.search(page.text("#answer"))[0] == number.search(first)[0]


def test_enter_ends_a_line_and_a_click_below_the_text_keeps_the_focus(workbench):
    page = workbench.page("ana")
    page.open(f"{workbench.url}/ask")
    write(page, "SELECT event, COUNT(*) AS n FROM events GROUP BY ")
    for letter in "event":  # which is also how a table's name begins
        page.press(letter)
    page.wait_for("document.querySelector('.cm-tooltip-autocomplete')", "nothing is proposed")
    time.sleep(0.2)  # a proposal that is younger than 75 ms is not taken by any key
    page.press("Enter")
    page.type("LIMIT 2")
    assert page.do(f"{EDITOR}.innerText").split("\n") == [
        "SELECT event, COUNT(*) AS n FROM events GROUP BY event",
        "LIMIT 2",
    ]
    page.click(".cm-scroller", down=0.9)
    assert page.do(f"document.activeElement === {EDITOR}")


def test_the_keyboard_alone_is_enough(workbench):
    page = workbench.page()
    page.open(workbench.url)
    page.type("ben")  # the first field has the focus
    page.press("Tab")
    page.type(workbench.password)
    before = page.loads
    page.press("Enter")
    page.await_load(before)
    page.wait_for(f"document.activeElement === {EDITOR}", "the editor has no focus")
    page.press("a", CONTROL)
    page.type("SELECT male, COUNT(*) AS n FROM patients GROUP BY male")
    page.press("p", ALT)
    page.type("0.04")
    explained(page, "for each male")
    page.press("Enter", CONTROL)
    answered(page)
    page.press("e", CONTROL)
    assert page.do(f"document.activeElement === {EDITOR}")
    page.press("ArrowUp", CONTROL)
    page.press("ArrowUp", CONTROL)
    page.wait_for(f"{EDITOR}.innerText.includes('WHERE died')", "the earlier question")
    page.press("ArrowDown", CONTROL)
    page.wait_for(f"{EDITOR}.innerText.includes('GROUP BY male')", "the later question")
    for _ in range(40):
        page.press("Tab")
        if page.do("document.activeElement.id") == "show-keys":
            break
    page.press("?", SHIFT)
    assert page.do("document.querySelector('#keys').open") is True
    page.press("Escape")
    page.wait_for("!document.querySelector('#keys').open")
    for _ in range(40):
        page.press("Tab", SHIFT)
        if page.do("document.activeElement.getAttribute('href') ?? ''").startswith("/receipts/"):
            break
    outline = page.do("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"  # the focus is seen
    before = page.loads
    page.press("Enter")
    page.await_load(before)
    assert "Verified against the ledger" in page.text()


def test_forms_explain_and_run_without_scripts(workbench):
    page = workbench.page("ben", scripts=False)
    page.open(f"{workbench.url}/ask")
    assert page.do("document.querySelector('.cm-editor')") is None
    page.fill("#sql", "SELECT COUNT(*) AS n\nFROM patients WHERE age > 80")
    page.follow("#explain-button")
    assert "age > 80" in page.text("#explanation .words")
    page.follow("#run")
    page.wait_for("document.querySelector('.answer table')", "no answer")
    page.follow("a[href^='/receipts/']")
    assert "Verified against the ledger" in page.text()
    page.open(f"{workbench.url}/ask")
    page.fill("#sql", "SELECT value FROM labs")
    page.follow("#run")
    assert "single rows are never released" in page.text()
    page.follow("#explanation [data-rewrite]")
    assert "mean is the mean of value" in page.text("#explanation .words")
    page.open(f"{workbench.url}/history")
    assert "age > 80" in page.text()


def test_who_stops_waiting_finds_the_answer_later(workbench):
    page = workbench.page("ana")
    page.open(f"{workbench.url}/ask?q=SELECT+MEDIAN(value)+AS+m+FROM+labs&epsilon=0.05")
    page.click("#run")
    page.wait_for("document.querySelector('#answer progress').value > 0", "the wait is not shown")
    page.click("[data-leave]")
    page.wait_for("document.querySelector('#answer').innerText.includes('You stopped waiting')")
    page.click("#run")
    answered(page)


def test_made_up_rows_are_marked_and_a_switch_away(workbench):
    page = workbench.page("ana")
    page.open(f"{workbench.url}/tables/labs")
    page.follow("form[action='/ask'] button")
    assert page.do("document.querySelector('[name=twin]').checked") is True
    page.click("#run")
    assert "Made-up rows" in answered(page)
    assert page.do("getComputedStyle(document.querySelector('.answer')).borderStyle") == "dashed"


def test_a_token_signs_in_as_long_as_it_counts(workbench):
    page = workbench.page("curator")
    page.open(f"{workbench.url}/people")
    page.follow("[aria-label='New token for ben']")
    token = re.search(r"tct_\S+", page.text(".good"))[0]
    other = workbench.page()
    other.open(f"{workbench.url}/signin")
    other.click("summary")
    other.fill("#token", token)
    other.follow("details button")
    assert other.do("location.pathname") == "/ask"
    page.follow("[aria-label^='Revoke']")
    other.open(f"{workbench.url}/ask")
    assert other.do("location.pathname") == "/signin"


def test_what_is_copied_is_what_is_shown(workbench):
    page = workbench.page("ana")
    page.allow("clipboardReadWrite", "clipboardSanitizedWrite")
    page.open(f"{workbench.url}/tables/labs")
    page.click("[aria-label='Copy for Python']")
    page.wait_for(
        "document.querySelector('[aria-label=\"Copy for Python\"]').innerText === 'Copied'"
    )
    copied = page.do("navigator.clipboard.readText()")
    assert copied == page.text(".copied code")
    assert f'tacit.connect("{workbench.url}"' in copied
