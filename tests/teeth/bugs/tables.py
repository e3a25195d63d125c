"""Bugs of many tables in one release, and of what is made of them."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_tables.py"
GREY = f"{LAWS}::test_everything_but_noise_is_the_same_on_neighbours"
PAID = f"{LAWS}::test_everything_that_is_drawn_is_paid_for"
DESK = "src/tacit/curator/tables/release_tables.py"
NOISE = "src/tacit/curator/tables/tables_noise.py"
CODED = "src/tacit/engines/rows_as_codes.py"
STABILITY = "src/tacit/stability/table_sensitivity.py"

BUGS = [
    Bug(
        name="tables-support-from-the-data",
        file=CODED,
        before="shape = tuple(int(each.max()) + 1 for each in groups)",
        after="shape = tuple(int(each[self.codes[a]].max(initial=0)) + 1 for a, each in zip(axes, groups))",
        killed_by=GREY,
        note="which values occur is private: cells are those of the policy",
    ),
    Bug(
        name="tables-edge-of-a-cell-from-the-data",
        file=CODED,
        before="place += each[self.codes[axis][start : start + _CHUNK]]",
        after="place += each[np.minimum(self.codes[axis], int(np.median(self.codes[axis])))]",
        killed_by=f"{LAWS}::test_no_unit_moves_a_table_further_than_claimed",
        note="values held at the data's median: one unit moves the edge, and all rows beyond it",
    ),
    Bug(
        name="tables-exact-number-of-rows",
        file=DESK,
        before="            model = end.value\n",
        after="            model = end.value + b'%d' % len(rows.codes[0])\n",
        killed_by=GREY,
        note="under add-or-remove the number of rows is private, too",
    ),
    Bug(
        name="tables-order-of-rows-follows-the-source",
        file=DESK,
        before="            model = end.value\n",
        after="            model = end.value + rows.codes[2][:3].astype('u1').tobytes()\n",
        killed_by=GREY,
        note="the first rows of a file are somebody's",
    ),
    Bug(
        name="tables-choice-of-pairs-is-free",
        file=NOISE,
        before="return (self._distances(len(shapes), price),)",
        after="return (self._distances(len(shapes), price * 10**6),)",
        killed_by=PAID,
        note="which pairs depend on each other is told by distances: choosing them has a price",
    ),
    Bug(
        name="tables-each-gets-the-whole-price",
        file=NOISE,
        before="shares = [price * Fraction(part, whole) for part in request.parts]",
        after="shares = [price for part in request.parts if whole]",
        killed_by=PAID,
        note="all tables of a request together cost its share",
    ),
    Bug(
        name="tables-weights-forgotten-in-sql",
        file="src/tacit/engines/sql/codes.py",
        before='weight = f"coalesce(weight, {full})::BIGINT AS weight"',
        after='weight = f"{full}::BIGINT AS weight"',
        killed_by=f"{LAWS}::test_engines_count_the_same_tables",
        note="a unit with many rows would count with all of them",
    ),
    Bug(
        name="tables-weights-forgotten-in-memory",
        file="src/tacit/engines/memory/codes.py",
        before="shares = {unit: weight([count], weights) for unit, count in owned.items()}",
        after="shares = {unit: weight([1], weights) for unit, count in owned.items()}",
        killed_by=f"{LAWS}::test_a_unit_with_many_rows_weighs_no_more_than_its_bound",
        note="a unit with many rows would count with all of them",
    ),
    Bug(
        name="tables-replace-moves-as-add",
        file=STABILITY,
        before="return Fraction(2) if norm is Norm.L1 else root_at_least(Fraction(2))",
        after="return Fraction(1)",
        killed_by=f"{LAWS}::test_no_unit_moves_a_table_further_than_claimed"
        "[Neighbours.REPLACE-Norm.L1]",
        note="one unit leaves a cell and another one enters another",
    ),
    Bug(
        name="tables-distances-move-once",
        file=STABILITY,
        before="together = Fraction(tables) if norm is Norm.L1 else root_at_least(Fraction(tables))",
        after="together = Fraction(1)",
        killed_by=f"{LAWS}::test_no_unit_moves_distances_further_than_claimed",
        note="one unit moves the distances of all pairs at once",
    ),
    Bug(
        name="tables-residual-of-the-largest-axis",
        file=STABILITY,
        before="square *= 2 * (1 + Fraction(1, min(sizes) - 1))",
        after="square *= 2 * (1 + Fraction(1, max(sizes) - 1))",
        killed_by=f"{LAWS}::test_the_claim_about_residuals_is_reached",
        note="two rows that differ on the axis with fewest values are furthest apart",
    ),
    Bug(
        name="tables-looked-at-before-they-are-paid-for",
        file=DESK,
        before="engine.code(asked.coding, asked.weights, rehearsing=True)",
        after="engine.code(asked.coding, asked.weights)",
        killed_by=PAID,
        note="a rehearsal reads no row",
    ),
]
