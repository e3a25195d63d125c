"""What PostgreSQL's clients ask about a database, answered from its declared schema alone.

A client that connects asks `pg_catalog` and `information_schema` which tables, columns, types and functions there are.
Here they are tables of a private DuckDB in a process of its own, made from the policy and from PostgreSQL's built-in
rows; PostgreSQL's SQL is rewritten for it. The room imports neither `curator` nor `engines`.

>>> from tacit.catalogue import Catalogue, Column, Schema, Table
>>> labs = Table("labs", (Column("test"), Column("day", 20, comment="integer from 0 to 30")))
>>> with Catalogue(Schema("clinic", (labs,))) as catalogue:
...     catalogue.ask("SELECT attname FROM pg_attribute WHERE attrelid = 'labs'::regclass AND attnum > 0").rows
(('test',), ('day',))
"""

from __future__ import annotations

from tacit.catalogue.catalogue import Catalogue
from tacit.catalogue.schema import SERVER_VERSION, Answer, Column, Schema, Table
from tacit.catalogue.unanswered_statements import Miss
from tacit.errors import CatalogueError

__all__ = [
    "Answer",
    "Catalogue",
    "CatalogueError",
    "Column",
    "Miss",
    "SERVER_VERSION",
    "Schema",
    "Table",
]
