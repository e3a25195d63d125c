"""Tables on a Spark cluster are named by an address that holds no secret."""

import pytest

from tacit.engines import SparkTable, is_address, source_of
from tacit.engines.sources.addresses import table_at
from tacit.engines.sources.source_kinds import table_name
from tacit.engines.sources.spark_tables import spark_table
from tacit.errors import InvalidData

SECRET = "s3cret-4f1c"


@pytest.mark.parametrize(
    ("given", "parts", "form"),
    [
        ("spark://host/visits", ("visits",), None),
        ("spark://ann@host:15003/clinic.visits", ("clinic", "visits"), None),
        ("spark://host/lake.clinic.visits?use_ssl=true", ("lake", "clinic", "visits"), None),
        ("spark://host/parquet:/data/visits", ("/data/visits",), "parquet"),
        ("spark://host/delta:s3a://bucket/visits", ("s3a://bucket/visits",), "delta"),
    ],
)
def test_an_address_names_a_table_or_a_folder(given, parts, form):
    found = spark_table(given)
    assert (found.parts, found.format) == (parts, form)
    assert is_address(given)
    assert source_of(given) == found
    assert table_at(given) == found
    assert table_name(given) == "visits"


def test_where_it_is_has_a_port_and_may_be_encrypted():
    assert spark_table("spark://host/visits").address == "spark://host:15002"
    assert spark_table("spark://ann@[::1]:9/v?use_ssl=true").address == (
        "spark://ann@[::1]:9?use_ssl=true"
    )
    assert spark_table("spark://host/v?use_ssl=false").address == "spark://host:15002"
    folder = SparkTable("spark://host:15002", ("/data/visits.parquet",), "parquet")
    assert (folder.called, folder.name) == ("parquet:/data/visits.parquet", "visits")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f"spark://ann:{SECRET}@host/visits", "contains a password"),
        (f"spark://host/visits?token={SECRET}", "the parameter 'token'"),
        (f"spark://host/visits?{SECRET.upper()}=1", "the parameter 'one'"),
        ("spark://host/visits?use_ssl=maybe", "true or false"),
        ("spark://host/", "names no table"),
        ("spark://host/a.b.c.d", "names no table"),
        ("spark://host/a..b", "names no table"),
        ("spark://host/a/b", "names no table"),
        ("spark:///visits", "names no table"),
        ("spark://host/csv:/data/visits", "names no folder"),
        ("spark://host/parquet:/", "names no folder"),
        ("spark://host:port/visits", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_without_a_secret(given, said):
    with pytest.raises(InvalidData, match=said) as raised:
        spark_table(given)
    assert SECRET not in str(raised.value)
