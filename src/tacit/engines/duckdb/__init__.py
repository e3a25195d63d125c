"""The default engine: DuckDB, its connection, the tables it loads and the statements it keeps prepared.

May import `sql` and `sources`.
"""
