"""Bugs of the dialect of Spark, and of the engine that asks a cluster."""

from tests.teeth.bug import Bug

SPARK = "src/tacit/engines/spark"
SUITE = "tests/laws/test_spark_conformance.py"
UNIT = "tests/unit/engines/spark"
EDGES = f"{SUITE}::test_spark_gets_no_edge_wrong"

BUGS = [
    Bug(
        name="spark-keys-that-are-no-text",
        file=f"{SPARK}/dialect.py",
        before='        return f"is_valid_utf8({value})"',
        after='        return f"{value} IS NOT NULL"',
        killed_by=f"{UNIT}/test_engine.py::test_bytes_that_are_no_text_are_no_key",
        note="a question fails when such a key is read, and not if nobody has it",
    ),
    Bug(
        name="spark-null-hashed-as-zero",
        file=f"{SPARK}/dialect.py",
        before='return f"CASE WHEN {number} IS NOT NULL THEN {bits} END"',
        after="return bits",
        killed_by=f"{SUITE}::test_keys_are_hashed_by_the_same_texts_in_spark",
        note="NULL would be written as a word without digits, that is as zero, and share the hash of that key",
    ),
    Bug(
        name="spark-float-division",
        file=f"{SPARK}/functions.py",
        before='f"ELSE ({first} div nullif({y}, 0L)) END"',
        after='f"ELSE CAST(floor({first} / nullif({y}, 0L)) AS BIGINT) END"',
        killed_by=EDGES,
        note="a quotient in doubles rounds downward below zero, and to the nearest beyond 2**53",
    ),
    Bug(
        name="spark-order-of-the-locale",
        file=f"{SPARK}/catalog.py",
        before='"{}" if plain else',
        after="\"collate({}, 'UNICODE')\" if plain else",
        killed_by=EDGES,
        note="in a locale a comes before B: which rows a condition takes would depend on the table",
    ),
    Bug(
        name="spark-zone-of-the-cluster",
        file=f"{SPARK}/session.py",
        before='    "spark.sql.session.timeZone": "UTC",\n',
        after="",
        killed_by=f"{UNIT}/test_session.py::test_settings_are_those_that_statements_rely_on",
        note="days would begin where the cluster is",
    ),
    Bug(
        name="spark-sum-of-64-bits",
        file=f"{SPARK}/dialect.py",
        before='f"sum(CAST(({value}) AS DECIMAL(19,0)))"',
        after='f"sum(CAST(({value}) AS BIGINT))"',
        killed_by=EDGES,
        note="five large amounts overflow: whether a question fails would depend on the rows",
    ),
    Bug(
        name="spark-cast-that-raises",
        file=f"{SPARK}/dialect.py",
        before="THEN try_cast({x} AS {TYPES[kind]}) END",
        after="THEN CAST({x} AS {TYPES[kind]}) END",
        killed_by=EDGES,
        note="the thirtieth of February looks like a date, and the cast raises after the charge",
    ),
    Bug(
        name="spark-quotient-that-rounds",
        file=f"{SPARK}/dialect.py",
        before="try_divide({one} - {one} % {two}, {two})",
        after="try_divide({one}, {two})",
        killed_by=EDGES,
        note="a weight that is rounded up lets a unit count for more than was charged for",
    ),
    Bug(
        name="spark-text-that-is-taken-apart",
        file=f"{SPARK}/literals.py",
        before='letter.isalnum() or letter == " "',
        after='letter.isalnum() or letter in " ("',
        killed_by=f"{UNIT}/test_dialect.py::test_no_text_leaves_its_quotes",
        note="a constant of the analyst's that looks like a part of the statement would be changed",
    ),
    Bug(
        name="spark-secret-in-plans",
        file=f"{SPARK}/dialect.py",
        before='return f"(SELECT digits FROM {SECRET})"',
        after="return self.text(digits)",
        killed_by=f"{UNIT}/test_engine.py::test_no_cell_is_in_what_the_cluster_writes_down",
        note="who reads the cluster's log would know which keys a unit kept",
    ),
    Bug(
        name="spark-rehearsal-reads-rows",
        file=f"{SPARK}/table_selects.py",
        before="AS whole WHERE FALSE",
        after="AS whole WHERE TRUE",
        killed_by=f"{UNIT}/test_engine.py::test_a_dry_run_reads_no_row",
        note="what a rehearsal says before the charge would depend on rows",
    ),
    Bug(
        name="spark-client-prints-the-server",
        file=f"{SPARK}/session.py",
        before="PySparkLogger.getLogger(name).disabled = True",
        after="PySparkLogger.getLogger(name).disabled = False",
        killed_by=f"{UNIT}/test_session.py::test_what_the_server_says_of_a_failure_is_not_printed",
        note="the message of a failed cast quotes the cell, on standard error",
    ),
    Bug(
        name="spark-refusal-quotes-the-server",
        file=f"{SPARK}/session.py",
        before="if said else EngineFailed()",
        after="if said else InvalidData(str(error))",
        killed_by=f"{UNIT}/test_session.py::test_what_has_no_sentence_says_nothing",
        note="what the server says may hold a token, a cell or a name",
    ),
    Bug(
        name="spark-token-in-the-address",
        file="src/tacit/engines/sources/spark_tables.py",
        before="    if parts.password is not None:\n",
        after="    if False:\n",
        killed_by="tests/unit/engines/sources/test_spark_tables.py::test_what_is_wrong_is_said_without_a_secret",
        note="a token in a policy is in backups, in the ledger's notes and in pictures of screens",
    ),
    Bug(
        name="spark-other-files-in-the-middle",
        file=f"{SPARK}/session.py",
        before="self.spark.sql(select).createOrReplaceTempView(name)",
        after='self.spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {select}").collect()',
        killed_by=f"{UNIT}/test_engine.py::test_every_question_sees_the_files_that_it_began_with",
        note="keys and counts of one answer would be of different files",
    ),
    Bug(
        name="spark-two-engines-in-one-question",
        file="src/tacit/engines/choose_engine.py",
        before="        if len(there) == len(tables):\n",
        after="        if there:\n",
        killed_by="tests/unit/engines/test_choose_engine.py::test_tables_of_two_places_are_refused",
        note="a question about tables of two places would be asked of one of them",
    ),
]
