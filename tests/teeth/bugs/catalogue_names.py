"""Bugs planted where names and values are written into the statements that the catalogue's DuckDB runs."""

from tests.teeth.bug import Bug

FILE = "src/tacit/catalogue/database.py"
NAMES = "tests/attacks/test_catalogue_names.py"

BUGS = [
    Bug(
        name="catalogue-columns-end-their-quotes",
        file=FILE,
        before='f"{quoted(column)} {duckdb_type(kind)}" for',
        after="f'\"{column}\" {duckdb_type(kind)}' for",
        killed_by=f"{NAMES}::test_a_column_may_have_any_name_and_is_read_by_it",
        note="the name of a released column would end its quotes, and what follows be read as SQL",
        crashes="CatalogueError",
    ),
    Bug(
        name="catalogue-runs-several-statements",
        file=FILE,
        before="if len(found) != 1:",
        after="if not found:",
        killed_by=f"{NAMES}::test_a_text_of_several_statements_is_not_run",
        note="what follows a semicolon would be run, and no fence has read it",
    ),
    Bug(
        name="catalogue-runs-what-does-not-read",
        file=FILE,
        before="if self._one(sql).type != duckdb.StatementType.SELECT:",
        after="if not self._one(sql):",
        killed_by=f"{NAMES}::test_a_text_of_several_statements_is_not_run",
        note="a statement that changes the catalogue would be run",
    ),
    Bug(
        name="catalogue-keeps-what-a-request-changed",
        file=FILE,
        before='self._run("ROLLBACK")',
        after='self._run("END")',
        killed_by=f"{NAMES}::test_whatever_a_request_changes_is_rolled_back",
        note="macros that one analyst made would compute another's answers",
    ),
    Bug(
        name="catalogue-describes-with-the-settings-of-the-last",
        file=FILE,
        before="            self._apply(settings)\n            yield\n",
        after="            self.last = {**getattr(self, 'last', {}), **settings}\n"
        "            self._apply(self.last)\n            yield\n",
        killed_by=f"{NAMES}::test_what_another_session_set_is_not_seen_when_described_or_asked",
        note="an analyst would read another's settings and name",
    ),
]
