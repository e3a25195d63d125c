"""What the README shows is what its commands print, but for the noise."""

import pytest

from docs.outputs import CLINIC, NAMES, README, printed, shape, shown


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_shows_what_is_really_printed(name: str) -> None:
    assert shape(printed(name)) == shape(shown(name))


def test_the_first_example_is_four_lines_and_one_command() -> None:
    assert len(shown("code", "python").splitlines()) == 4
    assert shown("command", "sh").replace("\\\n", "").count("\n") == 1


def test_shapes_tell_texts_apart() -> None:
    assert shape("n  12 [3, 4]") == shape("n 9,999.5  [-1e+03, 2]")
    assert shape("n  12 [3, 4]") != shape("m  12 [3, 4]")
    assert shape("a 1") != shape("a 1\nb 2")


def test_the_clinics_data_come_with_their_licence() -> None:
    assert "Lesser General Public License" in (CLINIC / "NOTICE.md").read_text()
    assert "NOTICE.md" in README.read_text()
