"""Sessions of a Spark Connect server: settings that statements rely on, one session for each question."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

from tacit.engines.sources.spark_tables import TOKEN
from tacit.engines.spark.dialect import SECRET, SPARK
from tacit.engines.sql.select_with_parameters import Fetched
from tacit.errors import EngineFailed, InvalidData, TacitError
from tacit.extras import extra

__all__ = ["SETTINGS", "Session", "Sessions", "refusal_of"]

SparkSession: TypeAlias = Any  # that of pyspark, which is imported where it is used

OLDEST = 4
"""The first version that writes casts, identifiers and moments as our statements do."""

SETTINGS = {
    # whole numbers that overflow and casts that fail raise, unless the statement says what else
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    # days begin where they do in UTC, and a moment without a zone has none
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    # names and constants are what stands in the statement
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.groupByAliases": "true",
    "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
    "spark.sql.crossJoin.enabled": "true",
    # a file that cannot be read ends the question; it is not passed over
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # hashes of keys are left out of statements wherever Spark shows them
    "spark.sql.redaction.string.regex": "[0-9a-f]{32,}",
}

_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_REFUSALS = {
    "UNAUTHENTICATED": f"refuses this user or token; check the environment variable {TOKEN}",
    "PERMISSION": "may not be read by this user; grant it SELECT on the table",
    "INSUFFICIENT": "may not be read by this user; grant it SELECT on the table",
    "TABLE_OR_VIEW_NOT_FOUND": "has no such table, or lacks this format; check the source in the policy",
    "SCHEMA_NOT_FOUND": "has no such schema; check the source in the policy",
    "PATH_NOT_FOUND": "has no such folder; check the source in the policy",
    "DATA_SOURCE_NOT_FOUND": "does not know this format of files; install it there",
    "UNABLE_TO_INFER_SCHEMA": "finds no file in this folder; check the source in the policy",
    "UNRESOLVED_COLUMN": "lacks a column of the policy; run `tacit check`",
    "UNAVAILABLE": "does not answer; check the address, and that Spark Connect is running",
    "DEADLINE_EXCEEDED": "does not answer; check the address, and that Spark Connect is running",
}


def refusal_of(error: BaseException) -> TacitError:
    """What is said of a failure before anything is paid: by the code of the error, never in the server's words.

    Claim:      a message holds neither data nor a token nor text of the server.
    Because:    it is one of a few constant sentences, chosen by the code of the error; a failure without a known code
                says nothing.
    Checked by: tests/unit/engines/spark/test_session.py
    """
    codes = _codes(error)
    said = [text for code, text in _REFUSALS.items() if any(code in each for each in codes)]
    return InvalidData(f"the cluster {said[0]}") if said else EngineFailed()


def _codes(error: BaseException | None) -> list[str]:
    """The codes of an error and of those behind it: Spark's conditions, and those of the connection."""
    found: list[str] = []
    seen = 0
    while error is not None and (seen := seen + 1) < 10:
        for name in ("getCondition", "getGrpcStatusCode", "code"):
            with suppress(Exception):  # an error of another kind has none
                found.append(str(getattr(error, name)()))
        # a failed connection has no code of its own in every version of the library; its words are not passed on
        found += [code for code in ("UNAVAILABLE", "UNAUTHENTICATED") if code in str(error)]
        error = error.__cause__ or error.__context__
    return found


class Session:
    """One session of the server: views of tables that last as long as it does, and statements that read them."""

    def __init__(self, session: SparkSession, seconds: float) -> None:
        self.spark, self._seconds = session, seconds

    def create_view(self, name: str, select: str) -> None:
        """Name a SELECT; which files it reads is decided here, once for all statements that read the view."""
        self.spark.sql(select).createOrReplaceTempView(name)

    def keep_secret(self, secret: bytes) -> None:
        """Send the secret by which keys are hashed, as a row of a view.

        Claim:      it stands in no statement and no plan that the cluster writes down.
        Because:    plans show the columns of rows that a client sends, and not their cells.
        Checked by: tests/unit/engines/spark/test_engine.py::test_no_cell_is_in_what_the_cluster_writes_down
        """
        from pyarrow import table

        row = table({"digits": [secret.hex()]})
        self.spark.createDataFrame(row).createOrReplaceTempView(SECRET)

    def schema(self, select: str) -> list[tuple[str, str]]:
        """The columns of a SELECT and their types, without running it."""
        fields = self.spark.sql(select).schema.fields
        return [(field.name, field.dataType.simpleString()) for field in fields]

    def fetch(self, sql: str) -> Fetched:
        """The rows of a statement; decimals are whole numbers and come as int."""
        ending = Timer(self._seconds, self.interrupt)
        ending.daemon = True
        ending.start()
        try:
            table = self.spark.sql(SPARK.finish(sql)).toArrow()
        finally:
            ending.cancel()
        columns = [
            [None if cell is None else int(cell) for cell in column.to_pylist()]
            if str(column.type).startswith("decimal")
            else column.to_pylist()
            for column in table.columns
        ]
        rows = list(zip(*columns, strict=True)) if columns else []
        return Fetched(tuple(table.column_names), rows)

    def interrupt(self) -> None:
        """Stop what the session runs."""
        with suppress(Exception):  # it has ended, or the server has
            self.spark.interruptAll()


class Sessions:
    """The sessions of one server that are at work.

    Claim:      nothing that others set up changes what a statement means; a question leaves nothing behind but what the
                cluster itself writes down of statements; and nothing that the server says is printed.
    Because:    every question has a session of its own, in which all settings are made that statements rely on, and
                which is released at its end; statements only read; and the client's logs of failures are off.
    Checked by: tests/unit/engines/spark/test_session.py
    """

    def __init__(self, address: str, seconds: float) -> None:
        self._address, self._seconds = address, seconds
        self._lock, self._running, self._closed = Lock(), set[Session](), False

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session that is released at its end."""
        if self._closed:
            raise EngineFailed
        session = Session(_open(self._address), self._seconds)
        with self._lock:
            self._running.add(session)
        try:
            _make_settings(session.spark)
            yield session
        finally:
            with self._lock:
                self._running.discard(session)
            with suppress(Exception):  # nothing is lost with a session that broke
                session.spark.stop()

    def interrupt(self) -> None:
        """Stop whatever is running."""
        with self._lock:
            running = list(self._running)
        for session in running:
            session.interrupt()

    def close(self) -> None:
        """Stop what is running; no session is opened from now on."""
        self._closed = True
        self.interrupt()


def check_server(session: Session) -> None:
    """Refuse a server that is too old, or on which a setting is not what it was set to."""
    version = str(session.spark.version)
    if int(version.partition(".")[0]) < OLDEST:
        raise InvalidData(f"the cluster is older than Spark {OLDEST}; update it")
    known = session.spark.conf.getAll
    odd = [name for name, value in SETTINGS.items() if known.get(name) != value]
    if odd:
        raise InvalidData(
            f"the cluster does not let a session set {odd[0]}; allow it, or use another cluster"
        )


def _open(address: str) -> SparkSession:
    with extra("spark", "a table on a Spark cluster"), warnings.catch_warnings():
        # pyspark warns of versions of pandas, with which nothing is done here
        warnings.simplefilter("ignore")
        from pyspark.logger import PySparkLogger
        from pyspark.sql.connect.client.retries import DefaultPolicy
        from pyspark.sql.connect.session import SparkSession as Connected

        session = Connected(_connection(address))
    for name in _LOGS:  # what the server says of a failure, to standard error: it may quote a cell
        PySparkLogger.getLogger(name).disabled = True
    # Statements only read, and their sums depend on no order: one that is sent twice finds the same.
    session.client.set_retry_policies(
        [DefaultPolicy(max_retries=5, initial_backoff=100, max_backoff=5_000)]
    )
    return session


def _connection(address: str) -> str:
    """What pyspark calls an address, with the token of the environment."""
    parts = urlsplit(address)
    settings = {"user_agent": "tacit"}
    if parts.username:
        settings["user_id"] = parts.username
    if parts.query:
        settings["use_ssl"] = "true"
    if token := os.environ.get(TOKEN):
        settings["token"] = token
    listed = ";".join(f"{name}={quote(value, safe='')}" for name, value in settings.items())
    return f"sc://{parts.netloc.rpartition('@')[2]}/;{listed}"


def _make_settings(session: SparkSession) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a setting will be renamed
        session.conf._set_all(SETTINGS, silent=False)  # noqa: SLF001 -- one request instead of twenty
