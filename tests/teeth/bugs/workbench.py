"""Bugs planted in the workbench: sessions that outlive tokens, names that are taken, cells that are formulas."""

from tests.teeth.bug import Bug

SERVER = "src/tacit/server"
UNIT = "tests/unit/server"

BUGS = [
    Bug(
        name="a-session-outlives-its-token",
        file=f"{SERVER}/sessions.py",
        before="if token and token[0] is not None and not self._identities.has_token(token[0]):",
        after="if token and token[0] is not None and not token[0]:",
        killed_by=f"{UNIT}/test_sessions.py::test_a_session_by_a_token_counts_no_longer_than_the_token",
        note="who signed in by a token would stay signed in after it was revoked",
    ),
    Bug(
        name="the-first-curator-takes-a-name-that-is-taken",
        file=f"{SERVER}/serve_vault.py",
        before="name = next(each for each in names if each not in taken)",
        after="name = names[0]",
        killed_by=(
            f"{UNIT}/test_serve_vault.py::test_an_analyst_who_is_called_curator_stays_one_and_the_first_curator_gets_"
            "another_name"
        ),
        note="a vault with an analyst called curator could not be served",
    ),
    Bug(
        name="a-history-holds-formulas",
        file=f"{SERVER}/http/pages/history.py",
        before="spreadsheet_cell(str(cell))",
        after="str(cell)",
        killed_by=f"{UNIT}/http/test_history.py::test_no_cell_is_a_formula",
        note="a question that begins with = would be computed by a spreadsheet",
    ),
    Bug(
        name="wide-signs-begin-formulas",
        file="src/tacit/printing.py",
        before='"%", "\\uff1d", ',
        after='"%", ',
        killed_by="tests/unit/test_printing.py::test_no_spreadsheet_computes_a_key",
        note="a key that begins with a wide = would be computed by a spreadsheet",
    ),
    Bug(
        name="everybody-exports-the-ledger",
        file=f"{SERVER}/http/pages/ledger.py",
        before='check_right(who.identity, "read everyone")',
        after='check_right(who.identity, "look")',
        killed_by=f"{UNIT}/http/test_pages.py::test_records_are_filtered_exported_and_compared_with_a_head",
        note="an analyst's request would begin a response that breaks off instead of being refused",
    ),
    Bug(
        name="a-change-is-tried-on-the-vault-itself",
        file=f"{SERVER}/policy_changes.py",
        before="with twin(policy) as before, twin(then) as after:",
        after="with twin(policy) as before, twin(policy) as after:",
        killed_by=f"{UNIT}/test_policy_changes.py::test_a_narrower_range_shrinks_the_error_of_a_mean",
        note="a curator would see no change whatever is tried",
    ),
    Bug(
        name="everybody-tries-the-policy",
        file=f"{SERVER}/policy_changes.py",
        before='        check_right(who, "decide")\n        vault = self._seen()',
        after="        vault = self._seen()",
        killed_by=f"{UNIT}/test_policy_changes.py::test_only_who_decides_tries",
        note="an analyst would read the words of everyone's questions",
    ),
]
