"""Every command does what its help says, for people and for programs."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tacit.cli.command import CODES, app
from tests.unit.cli.clinics import POLICY, Said, called, tacit, vault

COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return vault(tmp_path)


def parsed(said: Said) -> Any:
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_a_question_is_answered_as_a_table_and_as_json(run: Run, clinic: Path) -> None:
    shown = run("sql", clinic, COUNT, "--epsilon", "0.5")
    assert shown.code == 0
    assert "ward" in shown.out
    assert "epsilon 0.5" in shown.out
    answer = parsed(run("sql", clinic, COUNT, "--epsilon", "0.5", "--json"))
    assert answer["columns"] == ["ward", "n", "n_low", "n_high"]
    assert answer["price"]["free"] is True
    assert [row["ward"] for row in answer["rows"]] == ["A", "B"]


def test_what_is_not_declared_is_said_before_and_after_it_is_paid_for(
    run: Run, tmp_path: Path
) -> None:
    bare = POLICY.replace(', values = ["A", "B"]', "").replace(
        '"number", low = 0, high = 500', '"text"'
    )
    clinic = vault(tmp_path, bare)
    shown = run("check", clinic).out
    assert "without declared values: ward, cost;" in shown
    assert "without bounds: age; to sum, average or group by one, declare low" in shown
    told = parsed(run("check", clinic, "--json"))
    assert told["undeclared"] == {"visits": {"values": ["ward", "cost"], "bounds": ["age"]}}
    advised = "whatever its size, declare values = [...] of ward in the policy"
    for _ in range(2):  # paid, and repeated for free
        answer = run("sql", clinic, COUNT, "--epsilon", "0.01")
        assert answer.code == 0
        assert advised in answer.out
    assert advised not in run("mock", clinic, COUNT, "--epsilon", "2").out
    declared = 'declare its type: columns={"cost": (..., ...)} in Python'
    for question in ("AVG(cost) AS m", "COUNT(*) AS n"):
        condition = "" if "AVG" in question else " WHERE cost > 30"
        refused = run(
            "sql", clinic, f"SELECT {question} FROM visits{condition}", "--epsilon", "0.1"
        )
        assert refused.code == 2
        assert declared in refused.err


def test_nothing_is_advised_where_all_is_declared(run: Run, tmp_path: Path) -> None:
    told = POLICY.replace('type = "integer"', 'type = "integer", low = 0, high = 120')
    clinic = vault(tmp_path, told)
    assert "without" not in run("check", clinic).out
    assert "undeclared" not in parsed(run("check", clinic, "--json"))
    refused = run("sql", clinic, "SELECT COUNT(*) AS n FROM visits WHERE ward > 3", "--epsilon", 1)
    assert "text file" not in refused.err


def test_numbers_are_read_as_they_are_written(run: Run, clinic: Path) -> None:
    for text in ("0.1", "1/10", "1e-1"):
        answer = parsed(run("sql", clinic, COUNT, "--epsilon", text, "--json"))
    assert answer["price"]["free"] is True


def test_a_question_may_say_its_price_itself(run: Run, clinic: Path) -> None:
    text = COUNT.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.25)", 1)
    assert parsed(run("sql", clinic, text, "--json"))["price"]["epsilon"] == pytest.approx(0.25)
    assert parsed(run("sql", clinic, COUNT, "--epsilon", "0.25", "--json"))["price"]["free"] is True
    assert "remove one of them" in run("sql", clinic, text, "--epsilon", "0.5").err


def test_accuracy_comes_first_if_that_is_asked(run: Run, clinic: Path) -> None:
    answer = parsed(
        run("sql", clinic, "SELECT COUNT(*) AS n FROM visits", "--within", "60", "--json")
    )
    row = answer["rows"][0]
    assert row["n_high"] - row["n_low"] <= 121


def test_an_explanation_costs_nothing_and_says_when_an_answer_is_free(
    run: Run, clinic: Path
) -> None:
    told = parsed(run("explain", clinic, COUNT, "--epsilon", "0.5", "--json"))
    assert told["free"] is False
    assert told["affordable"] is True
    run("sql", clinic, COUNT, "--epsilon", "0.5")
    assert parsed(run("explain", clinic, COUNT, "--epsilon", "0.5", "--json"))["free"] is True
    assert (
        "Price: nothing, since it follows from earlier answers"
        in run("explain", clinic, COUNT, "--epsilon", "0.5").out
    )


def test_the_twin_is_asked_without_a_charge(run: Run, clinic: Path) -> None:
    shown = run("mock", clinic, COUNT, "--epsilon", "1.5")
    assert "made-up rows" in shown.out
    assert parsed(run("budget", clinic, "--json"))["spent"] == 0


def test_the_budget_is_a_bar_and_shows_an_analysts_own(run: Run, clinic: Path) -> None:
    run("sql", clinic, COUNT, "--epsilon", "0.4", "--analyst", "alice")
    shown = run("budget", clinic, "--analyst", "alice")
    assert "█" in shown.out
    assert "by this analyst" in shown.out
    told = parsed(run("budget", clinic, "--analyst", "alice", "--json"))
    assert told["own"]["spent"] > told["spent"] > 0


def test_the_ledger_is_listed_shown_verified_and_exported(
    run: Run, clinic: Path, tmp_path: Path
) -> None:
    receipt = tmp_path / "receipt.json"
    run("sql", clinic, COUNT, "--epsilon", "0.4", "--receipt", receipt)
    (entry,) = parsed(run("ledger", "list", clinic, "--json"))
    assert entry["state"] == "answered"
    assert "number of rows" in run("ledger", "list", clinic).out
    shown = parsed(run("ledger", "show", clinic, entry["entry"], "--json"))
    lines = run("ledger", "show", clinic, entry["entry"]).out.splitlines()
    assert "% of the limit" in next(line for line in lines if line.startswith("share:"))
    assert max(map(len, lines)) < 160
    assert shown["answer"]["mechanism"] == "Gaussian"
    assert run("ledger", "verify", clinic).code == 0
    verified = parsed(run("ledger", "verify", clinic, receipt, "--json"))
    assert verified == {"charges": 1, "spent": verified["spent"], "receipts": {str(receipt): []}}
    book = tmp_path / "book.jsonl"
    run("ledger", "export", clinic, "--to", book)
    kinds = [json.loads(line)["kind"] for line in book.read_text().splitlines()]
    assert kinds == ["founded", "limited", "charged", "answered"]


def test_a_forged_receipt_is_refused(run: Run, clinic: Path, tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    run("sql", clinic, COUNT, "--epsilon", "0.4", "--receipt", receipt)
    told = json.loads(receipt.read_text())
    told["loss"]["charge"]["amount"] = "1"
    receipt.write_text(json.dumps(told))
    said = run("ledger", "verify", clinic, receipt)
    assert said.code == 2
    assert "loss.charge" in said.out
    assert f"{receipt}: it says loss.charge" in said.err
    receipt.write_text("[]")
    assert "is JSON, but not an object" in run("ledger", "verify", clinic, receipt).err
    receipt.write_text("forged")
    assert (
        "is not JSON; give a file with one receipt" in run("ledger", "verify", clinic, receipt).err
    )


def test_a_ledger_that_was_moved_is_adopted(run: Run, clinic: Path, tmp_path: Path) -> None:
    run("sql", clinic, COUNT, "--epsilon", "0.4")
    moved = tmp_path / "elsewhere" / "clinic"
    moved.parent.mkdir()
    clinic.rename(moved)
    refused = run("budget", moved)
    assert refused.code == 5
    assert "tacit ledger adopt" in refused.err
    assert run("ledger", "adopt", moved, "--why", "moved to another disk").code == 0
    assert parsed(run("budget", moved, "--json"))["spent"] > 0
    assert "moved to another disk" in run("ledger", "export", moved).out


def test_a_refreshed_table_is_asked_anew(run: Run, clinic: Path) -> None:
    run("sql", clinic, COUNT, "--epsilon", "0.4")
    assert parsed(run("refresh", clinic, "visits", "--json")) == {"table": "visits", "version": 1}
    assert parsed(run("sql", clinic, COUNT, "--epsilon", "0.4", "--json"))["price"]["free"] is False


def test_what_the_policy_leaves_open_is_found_and_used_by_the_next_process(
    run: Run, clinic: Path
) -> None:
    policy = clinic / "tacit.toml"
    # So little noise that bounds as wide as the grid, whose sums are rightly refused, are never found.
    policy.write_text(
        policy.read_text()
        .replace("contributions = 3\n", "")
        .replace("epsilon = 2.0", "epsilon = 2000")
    )
    assert "contributions to be estimated" in run("check", clinic).out
    assert run("sql", clinic, COUNT, "--epsilon", "0.1").code == 2
    assert parsed(run("budget", clinic, "--json"))["spent"] == 0
    held = parsed(run("find-contributions", clinic, "visits", "--epsilon", "500", "--json"))
    assert held["contributions"] == 5
    assert (
        "rows these bounds are meaningless: estimate them at"
        in run("find-bounds", clinic, "visits.age", "--epsilon", "500", "--share", "0.9").out
    )
    again = parsed(
        run("find-bounds", clinic, "visits.age", "--epsilon", "500", "--share", "0.9", "--json")
    )
    assert again["free"] is True
    assert run("sql", clinic, "SELECT AVG(age) AS m FROM visits", "--epsilon", "0.1").code == 0


def test_what_is_cut_off_is_measured_once_and_said_by_the_next_process(
    run: Run, clinic: Path
) -> None:
    assert "more than 3 rows" in run("explain", clinic, COUNT, "--epsilon", "0.1").out
    found = parsed(run("clipping", clinic, "visits", "--epsilon", "0.5", "--json"))
    assert (found["free"], found["contributions"], found["confidence"]) == (False, 3, 0.95)
    assert found["units"]["low"] <= found["units"]["share"] <= found["units"]["high"]
    assert (
        "nothing: the stored answer, which cost"
        in run("clipping", clinic, "visits", "--epsilon", "0.5").out
    )
    answer = parsed(
        run("sql", clinic, "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.1", "--json")
    )
    assert any("measured" in sentence for sentence in answer["left_out"])
    told = parsed(
        run("explain", clinic, "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.1", "--json")
    )
    assert told["left_out"] == answer["left_out"]
    assert run("clipping", clinic, "elsewhere", "--epsilon", "0.5").code == 2


def test_a_vault_is_made_from_the_schema_of_a_file(run: Run, clinic: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    words = ["--unit", "patient", "--contributions", 3, "--epsilon", 1, "--answers", 4]
    said = run("init", made, "--source", clinic / "visits.csv", *words)
    assert said.code == 0, said.err
    assert "delta" in said.out
    text = (made / "tacit.toml").read_text()
    assert "cost" in text
    assert "delta = 0" in text
    assert run("init", made, "--source", clinic / "visits.csv", *words).code == 2
    assert run("check", made).code == 0
    assert run("sql", made, "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.5").code == 0


def test_check_says_what_is_described(run: Run, clinic: Path) -> None:
    assert "visits: all rows of one patient, at most 3 rows in full" in run("check", clinic).out


def test_check_says_how_a_text_file_is_read_and_that_no_answer_will(run: Run, clinic: Path) -> None:
    said = run("check", clinic).out
    assert (
        "a text file in utf-8: cost as 1234.5, age as 1234; a cell that is written otherwise"
        in said
    )
    assert "before the first question: tacit check" in said


def test_one_row_is_no_rows(run: Run, clinic: Path) -> None:
    policy = clinic / "tacit.toml"
    policy.write_text(policy.read_text().replace("contributions = 3", "contributions = 1"))
    assert "at most 1 row in full" in run("check", clinic).out


def test_check_says_that_a_public_table_protects_nobody(run: Run, clinic: Path) -> None:
    (clinic / "wards.csv").write_text("ward,beds\nA,3\n")
    policy = clinic / "tacit.toml"
    public = '\n[tables.wards]\nsource = "wards.csv"\npublic = true\n'
    policy.write_text(policy.read_text() + public)
    assert "wards: public: nobody is protected" in run("check", clinic).out


def test_check_looks_at_no_row_unless_it_is_told_to(run: Run, clinic: Path) -> None:
    (clinic / "visits.csv").write_text("patient,ward,cost,age\n1,A,1.5,x\n2,C,900,7\n")
    quiet = run("check", clinic)
    assert "No row was read; to see how the rows are read" in quiet.out
    assert "NOT PRIVATE" not in quiet.out
    told = run("check", clinic, "--rows").out.splitlines()
    assert all(line.startswith("NOT PRIVATE | ") for line in told[1:])
    assert "NOT PRIVATE |   age: 1 (50.0%) not read" in told
    assert "NOT PRIVATE |   cost: 1 (50.0%) out of range" in told
    found = json.loads(run("check", clinic, "--rows", "--json").out)
    assert found["not_private"]["visits"]["columns"]["ward"]["undeclared"] == 1


def test_a_file_is_asked_without_a_vault(run: Run, clinic: Path) -> None:
    words = ["--unit", "patient", "--contributions", 3, "--column", "ward=A,B", "--epsilon", "0.5"]
    assert run("sql", clinic / "visits.csv", COUNT, *words).code == 0


def test_a_chart_is_drawn(run: Run, clinic: Path, tmp_path: Path) -> None:
    chart = tmp_path / "chart.png"
    assert run("sql", clinic, COUNT, "--epsilon", "0.4", "--plot", chart).code == 0
    assert chart.read_bytes().startswith(b"\x89PNG")


def test_errors_are_objects_for_programs(run: Run, clinic: Path) -> None:
    said = run("sql", clinic, COUNT, "--epsilon", "5", "--json")
    assert said.code == 3
    assert json.loads(said.err)["error"]["kind"] == "LimitExceeded"


def test_a_question_of_nobody_says_that_no_analyst_is_charged(run: Run, clinic: Path) -> None:
    asked = ("sql", str(clinic), "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.1")
    said = run(*asked)
    assert "--analyst NAME" in said.err
    assert "alice" in said.err
    assert "--analyst NAME" not in run(*asked, "--analyst", "alice").err


def test_every_exit_code_is_documented() -> None:
    page = (
        Path(__file__).resolve().parents[3] / "docs" / "how-to" / "use-the-command-line.md"
    ).read_text()
    for code in {0, 1, 2, *CODES.values()}:
        assert f"| {code} |" in page


def test_every_command_is_documented() -> None:
    page = (
        Path(__file__).resolve().parents[3] / "docs" / "how-to" / "use-the-command-line.md"
    ).read_text()
    names = [
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback and not command.hidden
    ]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        names += [
            f"{group.name} {command.name}" for command in group.typer_instance.registered_commands
        ]
    assert len(names) >= 13
    for name in names:
        assert f"tacit {name}" in page, name


def test_the_command_runs_as_a_process(clinic: Path) -> None:
    said = tacit("sql", clinic, COUNT, "--epsilon", "0.5")
    assert said.code == 0, said.err
    assert tacit("sql", clinic, COUNT, "--epsilon", "9").code == 3


def test_a_text_file_is_read_as_its_format_says(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text("patient;cost\n" + "".join(f"{n};1,5\n" for n in range(300)))
    words = [
        "sql",
        file,
        "SELECT AVG(cost) AS m FROM visits",
        "--unit",
        "row",
        "--column",
        "cost=0..3",
        "--epsilon",
        "9",
    ]
    refused = run(*words)
    assert (refused.code, "the separator ';'" in refused.err) == (2, True)
    answer = parsed(run(*words, "--format", "separator=;", "--format", "decimal=,", "--json"))
    assert 1.4 < answer["rows"][0]["m"] < 1.6


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["example"], "name one of: events, labs, patients"),
        (
            ["find-bounds", "vault", "cost", "--epsilon", "1"],
            "include its table, as in visits.cost",
        ),
        (
            ["sql", "vault", COUNT],
            "a price is missing; give epsilon, such as 0.3, or within, such as 50",
        ),
        (
            ["sql", "vault", COUNT, "--epsilon", "1", "--within", "9"],
            "epsilon is given as well; give only one of them",
        ),
    ],
)
def test_what_is_missing_is_named(run: Run, clinic: Path, words: list[str], remedy: str) -> None:
    said = run(*(clinic if word == "vault" else word for word in words))
    assert (said.code, said.out) == (2, "")
    assert remedy in said.err


def test_an_answer_in_a_file_is_as_wide_as_it_need_be(
    run: Run, clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    shown = run(
        "sql",
        clinic,
        COUNT.replace("COUNT(*) AS n", "COUNT(*) AS n, COUNT(*) + 1 AS m"),
        "--epsilon",
        "1",
    )
    assert all(line.count("[") == line.count("]") for line in shown.out.splitlines())


def test_the_version_is_printed_and_help_has_a_short_name(run: Run) -> None:
    assert run("--version").out.startswith("tacit 0.")
    assert "Usage" in run("-h").out


def test_the_vault_of_the_current_folder_needs_no_name(
    run: Run, clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clinic)
    assert run("budget").code == 0
    assert run("ledger", "list").code == 0
    assert run("explain", COUNT, "--epsilon", "0.4").code == 0
    assert "n" in json.loads(run("sql", COUNT, "--epsilon", "0.4", "--json").out)["columns"]


def test_an_answer_is_printed_as_csv_json_or_markdown(run: Run, clinic: Path) -> None:
    def asked(form: str) -> str:
        return run("sql", clinic, COUNT, "--epsilon", "0.4", "--format", form).out

    assert asked("csv").startswith("ward,n,n_low,n_high\n")
    assert json.loads(asked("json"))["columns"] == ["ward", "n", "n_low", "n_high"]
    assert asked("markdown").startswith("| ward | n |\n| :-- | --: |\n")


def test_the_demo_is_served_again_as_it_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Path] = []
    monkeypatch.setattr("tacit.cli.demo.prepare_demo", _prepare_nothing)
    monkeypatch.setattr("tacit.server.serve", lambda vault, **_: served.append(vault))
    folder = tmp_path / "a demo"
    for option, port in (("--http", "99999"), ("--pg", "70000")):
        refused = run("demo", folder, "--serve", option, port)
        assert f"{option} cannot be {port}; give a port" in refused.err
        assert not folder.exists()
    assert run("demo", folder, "--serve").code == 0
    again = run("demo", folder, "--serve")
    assert again.code == 0
    assert "user passwd '" in again.out
    assert served == [folder / "clinic"] * 2
    said = run("demo", folder)
    assert f"or serve the one there: tacit demo '{folder}' --serve" in said.err


def test_the_demo_writes_nothing_where_a_library_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "argon2", None)
    refused = run("demo", tmp_path / "demo", "--serve")
    assert "pip install 'tacit-dp[server]'" in refused.err
    assert not (tmp_path / "demo").exists()


def test_an_answer_that_cannot_be_encoded_is_found_by_its_line_and_question(
    run: Run, tmp_path: Path
) -> None:
    survey, answers = tmp_path / "survey.toml", tmp_path / "answers.csv"
    run("survey", "new", survey)
    head, good = "vegetarian,dish,spent,town\n", "no,soup,12.5,Cork\n"
    for text, said in (
        (head + good + "no,sopu,12.5,Cork\n", "line 3: question 'dish': this is not one of"),
        (head + "no,soup,much,Cork\n", "line 2: question 'spent': an answer cannot be"),
        (
            head.replace("dish", "dihs") + good,
            "it has no column dish; it has: vegetarian, dihs, spent",
        ),
        ("", "it has: none; every question needs a column"),
    ):
        answers.write_text(text)
        refused = run("survey", "encode", survey, answers, "--to", tmp_path / "reports.jsonl")
        assert refused.code == 2
        assert said in refused.err
    assert (
        "its answers are: soup, salad, pasta"
        in run(
            "survey",
            "encode",
            survey,
            "--answer",
            "vegetarian=no",
            "--answer",
            "dish=sopu",
            *("--answer", "spent=1", "--answer", "town=Cork"),
        ).err
    )
    lines = tmp_path / "answers.jsonl"
    lines.write_text('{"vegetarian": "no", "dish": "soup", "spent": 3}\n')
    refused = run("survey", "encode", survey, lines)
    assert "line 1: an answer cannot be ['town']; answer every question" in refused.err


def test_what_people_look_for_is_named(run: Run, tmp_path: Path) -> None:
    assert "did you mean: tacit sql VAULT" in run("ask", "clinic", "SELECT 1", "--epsilon", "1").err
    for word in ("ask", "query", "select", "run"):
        said = run(word, "clinic", "SELECT 1")
        assert f"cannot be '{word}'; did you mean: tacit sql VAULT" in said.err
        assert said.code == 2
        assert 'tacit sql VAULT "SELECT …" --epsilon 0.3' in " ".join(
            run(word, "--help").out.split()
        )
    assert run("ask").code == 2
    assert "│ ask" not in run("--help").out
    missing = run("check", tmp_path)
    assert missing.err.startswith(f"tacit: there is no file {tmp_path / 'tacit.toml'}; write one")
    assert missing.code == 4


def test_a_vault_without_a_question_is_no_question(
    run: Run, clinic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("sql", "explain", "mock"):
        said = run(command, clinic, "--epsilon", "1")
        assert said.code == 2
        assert f"the question is missing; write: tacit {command} {clinic} 'SELECT" in said.err
    monkeypatch.chdir(clinic)
    assert "the question is missing; write: tacit sql 'SELECT" in run("sql", "--epsilon", "1").err
    assert "tacit sql visits.csv 'SELECT" in run("sql", "visits.csv", "--epsilon", "1").err
    assert run("explain", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "1").code == 0
    assert run("explain", "SELECT " + "1 + " * 5_000 + "1 FROM visits", "--epsilon", "1").code == 2
    monkeypatch.chdir(tmp_path)
    assert "there is no file tacit.toml" in run("sql", "nowhere", "--epsilon", "1").err


def _prepare_nothing(folder: Path) -> None:
    (folder / "clinic").mkdir(parents=True)
    (folder / "clinic" / "demo-served").touch()
