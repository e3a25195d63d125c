"""Addresses of tables: no password, no odd parameter, and a table at the end."""

import pytest

from tacit.engines import PostgresTable, source_of, table_name
from tacit.errors import InvalidData


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("postgresql://h/d/s.t", PostgresTable("postgresql://h/d", "s", "t")),
        ("postgres://ann@h:5433/d/s.t", PostgresTable("postgresql://ann@h:5433/d", "s", "t")),
        (
            "postgresql:///d/s.t?host=/run/pg",
            PostgresTable("postgresql:///d?host=%2Frun%2Fpg", "s", "t"),
        ),
        ("postgresql://h/d/s.t%2Ft", PostgresTable("postgresql://h/d", "s", "t/t")),
        (
            "postgresql://[::1]:5/d/s.t?sslmode=require",
            PostgresTable("postgresql://[::1]:5/d?sslmode=require", "s", "t"),
        ),
    ],
)
def test_an_address_names_a_table(given, found):
    assert source_of(given) == found
    assert table_name(given) == found.table


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("postgresql://ann:s3cret@h/d/s.t", "contains a password"),
        ("postgresql://h/d/s.t?password=s3cret", "parameter 'password'"),
        ("postgresql://h/d/s.t?options=-csearch_path%3Ds3cret", "parameter 'options'"),
        ("postgresql://h/d/s.t?S3CRET=1", "parameter 'one'"),
        ("postgresql://h/d", "names no table"),
        ("postgresql://h/d/t", "names no table"),
        ("postgresql://h/d/s.t/more", "names no table"),
        ("postgresql://h:port/d/s.t", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_without_a_secret(given, said):
    with pytest.raises(InvalidData, match=said) as raised:
        source_of(given)
    assert "s3cret" not in str(raised.value).lower()
