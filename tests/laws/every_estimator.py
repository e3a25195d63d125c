"""All estimators: add one to the list, not a test."""

from fractions import Fraction

from pandas import DataFrame

from tacit.curator import protect
from tacit.curator.policy.policy import Limit, Policy, Shared
from tacit.curator.vault import Vault
from tacit.engines import Memory
from tacit.learn import (
    PCA,
    GaussianNB,
    HistogramNB,
    KMeans,
    LinearRegression,
    LogisticRegression,
    MLPClassifier,
    NearestClassifier,
    Scorecard,
)
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table
from tacit.privacy import Neighbours

BOUND = 3
COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B", "C")),
    Column("age", Kind.INTEGER, low=0, high=100),
    Column("cost", Kind.NUMBER, low=-10, high=100, nullable=False),
    Column("ill", Kind.BOOLEAN),
)
CLINIC = Table("clinic", COLUMNS, unit="patient")
PEOPLE = Table("people", COLUMNS)

EVERY = {
    "histogram": (HistogramNB(epsilon=4), "ill"),
    "gaussian": (GaussianNB(epsilon=4), "ill"),
    "scorecard": (Scorecard(epsilon=4), "ill"),
    "logistic": (LogisticRegression(epsilon=4), "ill"),
    "logistic with intervals": (LogisticRegression(epsilon=4, intervals=True), "ill"),
    "linear": (LinearRegression(epsilon=4, logs=("age",)), "cost"),
    "k-means": (KMeans(3, epsilon=4), None),
    "components": (PCA(2, epsilon=4), None),
    "nearest": (NearestClassifier(epsilon=4, waves=20), "ill"),
    "network": (MLPClassifier((4,), epsilon=4, steps=5), "ill"),
    "softmax": (MLPClassifier((), epsilon=4, steps=5), "ill"),
    "network on all rows": (MLPClassifier((4,), epsilon=4, steps=5, samples=False), "ill"),
}
TAKES_SAMPLES = {"network", "softmax"}
NEEDS_DELTA = {*TAKES_SAMPLES, "network on all rows"}


def make_rows(units, each=2):
    """Rows of so many units: who is older is likelier to be ill, and dearer."""
    return [
        {
            "patient": f"u{unit}",
            "ward": "ABC"[(unit + row) % 3],
            "age": (unit * 37 + row) % 101,
            "cost": ((unit * 37) % 101) * 0.8 + unit % 7,
            "ill": (unit * 37) % 101 + unit % 5 > 50,
        }
        for unit in range(units)
        for row in range(each)
    ]


def make_vault(
    rows,
    *,
    neighbours=Neighbours.ADD_OR_REMOVE,
    delta=Fraction(1, 10**6),
    owned=True,
    epsilon=40,
):
    table = CLINIC if owned else PEOPLE
    limit = Limit(epsilon, delta, neighbours)
    policy = Policy(limit, {table.name: Shared(table, BOUND if owned else 1)})
    return Vault(policy, {table.name: Memory({table: rows})}, MemoryLedger(limit.filter()))


def rows_of(vault):
    """The frame of a vault's only table."""
    (name,) = vault.policy.tables
    return vault.table(name)


def protect_columns(table, **how):
    """A vault in memory over a table that is given by its columns."""
    return protect(DataFrame(table), **how)
