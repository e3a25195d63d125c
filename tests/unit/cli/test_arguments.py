"""What is given on the command line is checked before anything is asked, and read exactly."""

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from tacit.cli.arguments import number
from tacit.cli.column_options import column_option
from tacit.cli.demo import _command
from tacit.errors import InvalidInput
from tests.unit.cli.clinics import POLICY, Said, called, vault
from tests.unit.cli.test_first_ten_minutes import helpful

COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return vault(tmp_path)


def spent(run: Run, clinic: Path) -> float:
    return float(json.loads(run("budget", clinic, "--json").out)["spent"])


# ---------------------------------------------------------------- files to write


@pytest.mark.parametrize(
    ("option", "file", "remedy"),
    [
        ("--receipt", "no/receipt.json", "its folder does not exist"),
        ("--receipt", "clinic", "it is a folder"),
        ("--receipt", "clinic/visits.csv/receipt.json", "its folder does not exist"),
        ("--plot", "no/chart.png", "its folder does not exist"),
        ("--plot", "chart.foo", ".png, .svg, .pdf"),
        ("--plot", "chart", ".png, .svg, .pdf"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_it_costs_anything(
    run: Run, clinic: Path, option: str, file: str, remedy: str
) -> None:
    helpful(
        run("sql", clinic, COUNT, "--epsilon", 1, option, clinic.parent / file), 2, option, remedy
    )
    assert spent(run, clinic) == 0


def test_a_file_without_the_right_to_write_it_is_refused_before_it_costs_anything(
    run: Run, clinic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # root may write anywhere
    monkeypatch.setattr("tacit.cli.arguments.os.access", lambda path, mode: path != tmp_path)
    helpful(
        run("sql", clinic, COUNT, "--epsilon", 1, "--receipt", tmp_path / "r.json"),
        2,
        "name a file that you may",
    )
    assert spent(run, clinic) == 0


def test_a_picture_without_what_draws_it_is_refused_before_it_costs_anything(
    run: Run, clinic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    helpful(
        run("sql", clinic, COUNT, "--epsilon", 1, "--plot", tmp_path / "chart.png"),
        2,
        "tacit-dp[plot]",
    )
    assert spent(run, clinic) == 0


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_has_any_of_three_endings(
    run: Run, clinic: Path, tmp_path: Path, ending: str
) -> None:
    chart = tmp_path / f"chart.{ending}"
    assert run("sql", clinic, COUNT, "--epsilon", "0.4", "--plot", chart).code == 0
    assert chart.stat().st_size > 0


def test_an_answer_that_was_paid_for_is_shown_whatever_becomes_of_its_files(
    run: Run, clinic: Path
) -> None:
    said = run("sql", clinic, COUNT, "--epsilon", 1, "--receipt", "/dev/full")
    helpful(said, 2, "no space left")
    assert "epsilon 1" in said.out
    assert "ward" in said.out


def test_an_answer_that_cannot_be_drawn_is_shown(run: Run, clinic: Path, tmp_path: Path) -> None:
    question = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 100000"
    said = run("sql", clinic, question, "--epsilon", 1, "--plot", tmp_path / "chart.png")
    helpful(said, 2, "nothing to plot")
    assert "epsilon 1" in said.out


def test_a_ledger_is_not_exported_into_nowhere(run: Run, clinic: Path) -> None:
    helpful(
        run("ledger", "export", clinic, "--to", clinic / "no" / "book.jsonl"),
        2,
        "--to",
        "does not exist",
    )


def test_a_full_disk_behind_the_output_is_one_sentence(clinic: Path) -> None:
    command = [sys.executable, "-c", "from tacit.cli import main; main()", "budget", str(clinic)]
    for words in ([], ["--json"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [*command, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "the output cannot be read or written (no space left on device)" in done.stderr


def test_what_the_system_refuses_is_one_sentence_for_programs_too(
    run: Run, clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*words: object, **named: object) -> None:
        raise PermissionError(13, "Permission denied", "/some/file")

    monkeypatch.setattr("tacit.cli.vault_commands.open_vault", fail)
    helpful(run("budget", clinic), 2, "/some/file", "(permission denied)", "again")
    assert json.loads(run("budget", clinic, "--json").err)["error"]["kind"] == "OSError"


# ---------------------------------------------------------------- vaults


def test_a_vault_is_not_made_where_a_file_is(run: Run, clinic: Path) -> None:
    words = ["--source", clinic / "visits.csv", "--epsilon", 1, "--answers", 4]
    helpful(run("init", clinic / "visits.csv", *words), 2, "it is a file", "--source")


def test_a_vault_is_not_made_where_no_folder_can_be(run: Run, clinic: Path) -> None:
    words = ["--source", clinic / "visits.csv", "--epsilon", 1, "--answers", 4]
    helpful(
        run("init", clinic / "visits.csv" / "new", *words),
        2,
        "name a directory where you may write",
        "name a directory",
    )


def test_the_next_step_can_be_pasted_into_a_shell(run: Run, clinic: Path, tmp_path: Path) -> None:
    made = tmp_path / "the clinic's vault"
    said = run("init", made, "--source", clinic / "visits.csv", "--epsilon", 1, "--answers", 4)
    command = said.out.rpartition("in it, then run: tacit check")[2].strip()
    echoed = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True
    )
    assert echoed.stdout.splitlines() == [str(made), "--rows"]


@pytest.mark.parametrize("missing", ["--epsilon", "--answers"])
def test_where_nobody_can_be_asked_the_missing_option_is_named(
    run: Run, clinic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    given = {"--epsilon": 1, "--answers": 4}
    words = [word for name, value in given.items() if name != missing for word in (name, value)]
    helpful(
        run("init", tmp_path / "new", "--source", clinic / "visits.csv", *words),
        2,
        f"{missing} is missing",
    )


@pytest.mark.parametrize("answer", ["fifty", "2.5", "1e99999999999"])
def test_a_number_of_answers_that_is_none_is_refused_at_the_terminal(
    run: Run, clinic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    answers = iter([answer, "4"])
    monkeypatch.setattr("typer.prompt", lambda text, default: next(answers))
    words = ["--unit", "patient", "--contributions", 5, "--epsilon", 1]
    said = run("init", tmp_path / "new", "--source", clinic / "visits.csv", *words)
    assert said.code == 0
    for word in ("--answers", answer, "whole number"):
        assert word in said.err
    assert list(answers) == []  # asked again, and then no more


def test_every_command_takes_the_policy_file_for_the_vault(run: Run, clinic: Path) -> None:
    file = clinic / "tacit.toml"
    for words in (
        ["sql", file, COUNT, "--epsilon", "0.4"],
        ["explain", file, COUNT, "--epsilon", "0.4"],
        ["mock", file, COUNT, "--epsilon", "0.4"],
        ["check", file],
        ["budget", file],
        ["refresh", file, "visits"],
        ["ledger", "list", file],
        ["ledger", "verify", file],
        ["ledger", "export", file],
        ["ledger", "adopt", file, "--why", "to see"],
    ):
        said = run(*words)
        assert said.code == 0, (words, said)


def test_a_policy_that_is_missing_is_no_data(run: Run, tmp_path: Path) -> None:
    helpful(
        run("sql", tmp_path / "nowhere" / "tacit.toml", COUNT, "--epsilon", 1),
        4,
        "nowhere",
        "tacit init",
    )
    helpful(run("sql", tmp_path / "other.toml", COUNT, "--epsilon", 1), 4, "other.toml")


def test_an_account_without_a_home_is_told_where_an_anchor_may_be(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(user: int) -> None:
        raise KeyError(user)

    clinic = vault(tmp_path, POLICY.replace('[ledger]\nanchors = "../anchors"\n', ""))
    for name in ("HOME", "TACIT_ANCHORS", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    helpful(run("budget", clinic), 5, "no home folder", "TACIT_ANCHORS")


@pytest.mark.parametrize(
    ("found", "command"), [(None, ".venv/bin/tacit"), ("/usr/bin/tacit", "tacit")]
)
def test_the_demos_last_line_names_a_command_that_the_shell_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: str | None, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    script = Path(".venv/bin/tacit")
    script.parent.mkdir(parents=True)
    script.touch()
    monkeypatch.setattr("shutil.which", lambda name: found)
    monkeypatch.setattr("sys.argv", [str(script)])
    assert _command() == command
    monkeypatch.setattr("sys.argv", ["-c"])
    assert _command() == "tacit"


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    "text",
    [
        "1e9999999999",
        "1E-9999999999",
        "1e301",
        "1e-301",
        "9" * 601,
        "1/" + "9" * 400,
        "0x10",
        "",
        "1/0",
        "nan",
        "e",
        "1e",
    ],
)
def test_a_number_that_no_double_holds_is_refused_at_once(text: str) -> None:
    with pytest.raises(InvalidInput, match="--epsilon cannot be"):
        number(text, "--epsilon")


def test_a_number_is_read_exactly() -> None:
    assert number(" 0.1 ", "--epsilon") == Fraction(1, 10)
    assert number("-1/3", "--epsilon") == Fraction(-1, 3)
    assert number("2E-5", "--epsilon") == Fraction(1, 50_000)
    assert number("0e5", "--epsilon") == 0


@pytest.mark.parametrize("huge", ["1e9999999999", "1e-9999999999"])
def test_every_option_refuses_a_number_that_would_never_be_read(
    run: Run, clinic: Path, huge: str
) -> None:
    for option in ("--epsilon", "--within"):
        for command in ("sql", "explain", "mock"):
            helpful(run(command, clinic, COUNT, option, huge), 2, option, huge)
    file, new = clinic / "visits.csv", clinic.parent / "new"
    of_file = ["sql", file, COUNT, "--unit", "patient", "--contributions", 3]
    helpful(run(*of_file, "--epsilon", huge), 2, "--epsilon")
    helpful(run(*of_file, "--epsilon", 1, "--delta", huge), 2, "--delta")
    helpful(run(*of_file, "--epsilon", 1, "--column", f"cost=0..{huge}"), 2, "--column cost")
    helpful(run("init", new, "--source", file, "--epsilon", huge, "--answers", 4), 2, "--epsilon")
    helpful(
        run("init", new, "--source", file, "--epsilon", 1, "--answers", 4, "--delta", huge),
        2,
        "--delta",
    )


@pytest.mark.parametrize(
    ("option", "far"),
    [("--epsilon", "1e-300"), ("--epsilon", "1e12"), ("--within", "1e-300"), ("--within", "1e300")],
)
def test_the_farthest_numbers_give_a_sentence_or_an_answer(
    run: Run, clinic: Path, option: str, far: str
) -> None:
    said = run("sql", clinic, COUNT, option, far)
    assert said.code in {0, 2, 3}, said
    assert "Traceback" not in said.err


def test_a_column_is_refused_by_its_name() -> None:
    with pytest.raises(InvalidInput, match="--column cost cannot be 'much'; write a range as"):
        column_option("cost=0..much")
    with pytest.raises(InvalidInput, match=r"two dots: cost:number=-1\.5\.\.5000$"):
        column_option("cost:number=-1.5-5000")
    assert column_option("code=A-1,B-2") == ("code", ["A-1", "B-2"])


def test_an_epsilon_of_zero_is_shown_as_zero(run: Run, clinic: Path) -> None:
    helpful(run("sql", clinic, COUNT, "--epsilon", "0"), 2, "epsilon cannot be 0;")


# ---------------------------------------------------------------- limits


def test_a_limit_that_was_lowered_shows_a_full_bar_and_nothing_left(run: Run, clinic: Path) -> None:
    assert run("sql", clinic, COUNT, "--epsilon", 2).code == 0
    (clinic / "tacit.toml").write_text(
        POLICY.replace("epsilon = 2.0", "epsilon = 0.1").replace("= 0.5", "= 0.1")
    )
    shown = run("budget", clinic).out
    assert shown.count("█") == 40
    assert "more than the limit is spent" in shown
    told = json.loads(run("budget", clinic, "--json").out)
    assert told["left"] == 0
    assert told["spent"] > 1
    assert "0.0% of the limit (epsilon 0.1) is left" in run("check", clinic).out
