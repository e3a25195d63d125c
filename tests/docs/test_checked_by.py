"""Claims carry their reason and the test that checks them, and what they point at exists."""

import re
from functools import cache

import pytest

from tests.docs.sources import ROOT, docstrings, parsed, sources

LABELS = ("Claim:", "Because:", "Checked by:")


def labels_of(text):
    """The tests that the `Checked by:` labels of a docstring name, and the labels that name none."""
    for block in re.findall(r"Checked by:(.*(?:\n(?!\s*\n|\s*[A-Z][a-z ]*:).*)*)", text):
        named = re.findall(r"tests/[\w/]+\.py(?:::\w+)*", block)
        yield from named or [f"nothing ({block.strip()!r})"]


def named_in(text):
    """The functions and classes of a text, each as the names that lead to it, by their indentation.

    >>> list(named_in("class C:\\n    def f(): ...\\ndef g(): ..."))
    [('C',), ('C', 'f'), ('g',)]
    """
    around = []
    for indent, name in re.findall(r"(?m)^( *)(?:def|class) (\w+)", text):
        around = [*(each for each in around if len(each[0]) < len(indent)), (indent, name)]
        yield tuple(name for _, name in around)


@cache
def names_in(path):
    return {(), *named_in(path.read_text(encoding="utf-8"))}


def missing(label, root):
    """Why what a label names does not exist, or None if it does."""
    file, *inside = label.split("::")
    path = root / file
    return None if path.is_file() and tuple(inside) in names_in(path) else f"{label} does not exist"


def complaints(source, module, root=ROOT):
    """What is wrong with the claims of a module, one sentence each."""
    found, texts = [], list(docstrings(parsed(source)))
    for name, text in texts:
        where = f"{module}: {name}"
        present = [label for label in LABELS if re.search(rf"(?m)^\s*{label}", text)]
        names_its_test = name == "the module" and present == ["Checked by:"]
        if present and present != list(LABELS) and not names_its_test:
            found.append(f"{where}: has {present}, a claim needs all of {list(LABELS)}")
        found += [
            f"{where}: {reason}" for label in labels_of(text) if (reason := missing(label, root))
        ]
        for page in re.findall(r"docs/[\w/.-]+\.md", text):
            if not (root / page).is_file():
                found.append(f"{where}: {page} does not exist")
    if source.count("Checked by:") > sum(text.count("Checked by:") for _, text in texts):
        found.append(f"{module}: a label outside a docstring, where nobody reads it")
    return found


def test_claims_have_a_reason_and_a_test_that_exists():
    assert [line for name, text in sources() for line in complaints(text, name)] == []


GOOD = '''
def f():
    """One.

    Claim:      x
    Because:    y (docs/proofs/y.md)
    Checked by: tests/laws/test_x.py::test_y and
                tests/laws/test_x.py
    """
'''


@pytest.fixture
def root(tmp_path):
    for name, text in {
        "tests/laws/test_x.py": "def test_y(): pass\n",
        "docs/proofs/y.md": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_good_claim_passes(root):
    assert complaints(GOOD, "sample", root) == []


def test_a_module_may_name_its_test_without_a_claim_and_a_function_may_not(root):
    label = "Checked by: tests/laws/test_x.py"
    assert complaints(f'"""One.\n\n{label}\n"""\n', "sample", root) == []
    assert complaints(f'"""One.\n\n{label[:-3]}z.py\n"""\n', "sample", root)
    assert complaints(f'def f():\n    """One.\n\n    {label}\n    """\n', "sample", root)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("test_x.py::test_y", "test_x.py::test_z"),
        ("                tests/laws/test_x.py", "                tests/laws/test_w.py"),
        (
            "Checked by: tests/laws/test_x.py::test_y and\n                tests/laws/test_x.py\n",
            "Checked by: hand\n",
        ),
        ("    Because:    y (docs/proofs/y.md)\n", ""),
        ("    Claim:      x\n", ""),
        ("docs/proofs/y.md", "docs/proofs/z.md"),
        ('    """One.', '    # Checked by: nobody\n    """One.'),
    ],
)
def test_a_bad_claim_is_caught(root, before, after):
    assert before in GOOD
    assert complaints(GOOD.replace(before, after), "sample", root)
