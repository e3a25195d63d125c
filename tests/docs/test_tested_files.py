"""Each file of the source has a test of its name, or says which test checks it."""

import pytest

from tests.docs.sources import ROOT, SRC, docstrings, modules, parsed
from tests.docs.test_checked_by import labels_of


def has_its_test(path, root=ROOT):
    """Whether tests/unit has a test of the name of this file, or one of its docstrings names one that checks it."""
    inside = path.relative_to(root / "src" / "tacit")
    if (root / "tests" / "unit" / inside.parent / f"test_{inside.name}").is_file():
        return True
    texts = docstrings(parsed(path.read_text(encoding="utf-8")))
    return any(label.startswith("tests/") for _, text in texts for label in labels_of(text))


def test_each_file_has_a_test_of_its_name_or_says_which_one_checks_it():
    files = [path for path in modules() if not path.name.startswith("__")]
    assert len(files) > 200
    without = {
        path.relative_to(SRC / "tacit").as_posix() for path in files if not has_its_test(path)
    }
    assert not without, "write tests/unit/.../test_<name>.py, or `Checked by:` in its docstring"


@pytest.mark.parametrize(
    ("text", "test", "found"),
    [
        ('"""One."""\n', None, False),
        ('"""One."""\n', "tests/unit/room/test_one.py", True),
        ('"""One."""\n', "tests/unit/test_one.py", False),
        ('"""One.\n\nChecked by: tests/laws/test_two.py\n"""\n', None, True),
        ('"""One.\n\nChecked by: hand\n"""\n', None, False),
        ('"""One."""\n# Checked by: tests/laws/test_two.py\n', None, False),
    ],
)
def test_a_test_is_found_by_its_name_or_by_a_label(tmp_path, text, test, found):
    for name, content in {"src/tacit/room/one.py": text, **({test: ""} if test else {})}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert has_its_test(tmp_path / "src/tacit/room/one.py", tmp_path) is found
