"""Bugs that statements written by a grammar notice: units in two spellings, windows, copies of rows, NULLs, keys."""

from tests.teeth.bug import Bug

ENGINES = "src/tacit/engines"
STATEMENTS = "tests/laws/test_generated_statements.py::test_generated_statements_keep_their_promise"

BUGS = [
    Bug(
        name="generated-windows-over-everybody",
        file=f"{ENGINES}/memory/rows.py",
        before="[_window_values(mine, window, names) for window in windows]",
        after=(
            "[_window_values(mine + [r for us in units.values() if us is not mine for r in us], w, "
            "names) for w in windows]"
        ),
        killed_by=f"{STATEMENTS}[3]",
        environment={"FIRST_STATEMENT": "1578"},
        note="a window in the memory engine looks at the rows of all units",
    ),
    Bug(
        name="generated-two-spellings-are-two-units",
        file=f"{ENGINES}/memory/rows.py",
        before=("                rows_of_all\n                if alike\n                else ["),
        after=(
            "                rows_of_all\n                if alike or True\n                else ["
        ),
        killed_by=f"{STATEMENTS}[1]",
        environment={"FIRST_STATEMENT": "749"},
        note="a unit that one table stores as a text and another as a number counts twice where they are stacked",
    ),
    Bug(
        name="generated-groups-of-everybody",
        file=f"{ENGINES}/memory/rows.py",
        before=("{name: total(cells) for name, total in totals},\n        )\n"),
        after="{n: fold([c for (_, p), all in groups.items() if p == place for c in all]) for n, fold in totals})\n",
        killed_by=f"{STATEMENTS}[1]",
        environment={"FIRST_STATEMENT": "614"},
        note="what a unit's rows add up to, for each of its keys, is taken of everybody's rows",
    ),
    Bug(
        name="generated-presence-not-held",
        file=f"{ENGINES}/memory/engine.py",
        before="answer[group, j] += presence_weight(len(groups), weights)",
        after="answer[group, j] += full",
        killed_by=f"{STATEMENTS}[2]",
        environment={"FIRST_STATEMENT": "1469"},
        note="a unit that is in many groups counts in full in each of them",
    ),
    Bug(
        name="generated-one-value-more",
        file=f"{ENGINES}/distinct_values_per_unit.py",
        before="key=lambda pair: _hash(unit, pair, kind))[:most])",
        after="key=lambda pair: _hash(unit, pair, kind))[: most + 1])",
        killed_by=f"{STATEMENTS}[1]",
        environment={"FIRST_STATEMENT": "541"},
        note="a unit brings one value more than its weights allow for",
    ),
    Bug(
        name="generated-held-by-its-largest-group",
        file=f"{ENGINES}/weights_of_rows.py",
        before="            most = (weights.bound << weights.bits) // sum(vector)\n",
        after="            most = (weights.bound << weights.bits) // max(vector)\n",
        killed_by=f"{STATEMENTS}[1]",
        environment={"FIRST_STATEMENT": "538"},
        note="in the norm L1 a unit is held in each group, and not in all together",
    ),
    Bug(
        name="generated-every-row-keeps-keys",
        file=f"{ENGINES}/memory/engine.py",
        before="owned[number if whole else row.unit].add(values)",
        after="owned[number].add(values)",
        killed_by=f"{STATEMENTS}[0]",
        note="of unknown keys every row of a unit keeps its own",
    ),
    Bug(
        name="generated-keys-without-delta-weigh-as-with-one",
        file=f"{ENGINES}/unknown_keys_per_unit.py",
        before="    if keeping.norm is Weighing.L1:\n",
        after="    if keeping.norm is Weighing.L1 and kept == 1:\n",
        killed_by=f"{STATEMENTS}[1]",
        environment={"FIRST_STATEMENT": "675"},
        note="without a delta the squares of what a unit's keys weigh are bounded, and not their sum",
    ),
    Bug(
        name="generated-copies-have-one-key",
        file="src/tacit/stability/unknown_key_weights.py",
        before='Keeping(multiplicity(question.rows), 0, b"", norm)',
        after='Keeping(1, 0, b"", norm)',
        killed_by=f"{STATEMENTS}[3]",
        environment={"FIRST_STATEMENT": "1883"},
        note="where every row is a unit, its copies in a stack are taken for one key",
    ),
    Bug(
        name="generated-null-is-nobodys-key",
        file=f"{ENGINES}/memory/engine.py",
        before="            owned[number if whole else row.unit].add(values)\n",
        after="            owned[number if whole or None in values else row.unit].add(values)\n",
        killed_by=f"{STATEMENTS}[3]",
        note="every row of a unit whose key is NULL counts for that key",
    ),
    Bug(
        name="generated-units-looked-up-as-stored",
        file=f"{ENGINES}/memory/rows.py",
        before="if (_unit_identity(row.unit) in units) is present]",
        after="if (row.unit in units) is present]",
        killed_by=f"{STATEMENTS}[0]",
        note="IN and NOT IN know a unit only if both tables store it alike",
    ),
]
