"""A throw-away Spark Connect server for a whole run of tests: on loopback, on a free port, gone when the run is."""

import atexit
import fcntl
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from tacit.engines.sources.spark_tables import SparkTable
from tacit.plan import Kind, Table
from tests.missing import ServerMissing

OWNER = "TESTS_SHARE_SPARK_WITH"
"""A variable that holds the number of a process: all runs of tests share one server as long as it lives."""
ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 300  # seconds for what takes twenty
TYPES = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "STRING",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP_NTZ",
}
LOG = """
rootLogger.level = error
rootLogger.appenderRef.stdout.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
"""
OPENED = (
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio"),
    *("java.util", "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref"),
    *("sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar"),
)
# One quick compiler on one thread, and classes of the locked archives are not verified: two thirds of the time.
QUICK = [
    *("-XX:TieredStopAtLevel=1", "-XX:CICompilerCount=1", "-XX:+UseSerialGC", "-Xshare:auto"),
    *("-Xss4m", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"),
]
COMPILED = ["-XX:ReservedCodeCacheSize=768m"]
"""Of a server that compiles thousands of statements, which else fill the room for compiled code again and again."""
# Statements are small and many: to compile them would take longer than to run them.  In soak they are compiled.
UNCOMPILED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "Pacific/Auckland",  # of somebody who lives elsewhere
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    # What ran before is forgotten, and nobody reads plans but `explained`: else thousands of them fill the memory.
    "spark.sql.maxPlanStringLength": "2000",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.ui.retainedTasks": "10",
    **({} if SOAK else UNCOMPILED),
}

# The server lives as long as the process that the run of tests began with: however that ends, nothing is left behind.
KEEPER = """
owner=$1 base=$2; shift 2
trap 'kill -9 $server 2>/dev/null; rm -rf "$base" "$(dirname "$base")/tacit-spark-of-$owner.json"' EXIT
trap exit TERM
"$@" & server=$!
while kill -0 $owner 2>/dev/null && kill -0 $server 2>/dev/null; do sleep 1; done
"""


_keepers: list[subprocess.Popen[bytes]] = []


def packages() -> Path:
    """The packages of the environment that `make setup-spark` makes: Spark's Java archives and its client."""
    found = sorted((ROOT / ".venv-spark").glob("lib/python3*/site-packages/pyspark/jars"))
    if not found:
        raise ServerMissing("there is no Spark; install it with `make spark`")
    if not shutil.which("java"):
        raise ServerMissing(
            "there is no Java; install it with `make system` or `apt-get install default-jre-headless`"
        )
    return found[0].parent.parent


def find_client() -> None:
    """Let this process import Spark's client, which is in the environment of the server."""
    where = str(packages())
    if where not in sys.path:
        sys.path.append(where)  # after everything else: numpy, pandas and pyarrow are our own


@dataclass(frozen=True)
class Cluster:
    """A running server: its port, its folder, and the process that runs it."""

    port: int
    folder: str
    keeper: int

    @property
    def address(self) -> str:
        """Where it is, as a source names it."""
        return f"spark://127.0.0.1:{self.port}"

    def process(self) -> int:
        """The number of the server's own process."""
        found = subprocess.run(
            ["pgrep", "-P", str(self.keeper), "java"], capture_output=True, text=True, check=True
        )
        return int(found.stdout.split()[0])

    def seconds(self) -> float:
        """CPU seconds that the server has taken so far."""
        fields = Path(f"/proc/{self.process()}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def events(self) -> str:
        """All that the server has written into its log of events, and said."""
        written = [
            path.read_text() for path in Path(self.folder, "events").rglob("*") if path.is_file()
        ]
        return "".join(written) + Path(self.folder, "said").read_text()

    def executors(self) -> list[int]:
        """The numbers of the processes that it has started."""
        found = subprocess.run(
            ["pgrep", "-P", str(self.process()), "java"],
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(number) for number in found.stdout.split()]

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Meanwhile no file can be written: none may be longer than nothing."""
        number = self.process()
        before = resource.prlimit(number, resource.RLIMIT_FSIZE)
        resource.prlimit(number, resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            yield
        finally:
            resource.prlimit(number, resource.RLIMIT_FSIZE, before)

    def crash(self) -> None:
        """End the server without giving it time for anything."""
        os.kill(self.process(), 9)


def started(
    owner: int,
    settings: Mapping[str, str] = SETTINGS,
    java: Iterable[str] = QUICK,
    memory: str = "2g",
    master: str = "local[2]",
    port: int = 0,
) -> Cluster:
    """A new server, which lives as long as a process; its master may start executors as processes of their own."""
    jars, base = packages() / "pyspark" / "jars", Path(tempfile.mkdtemp(prefix="tacit-spark-"))
    for name in ("events", "local", "warehouse", "conf", "home"):
        (base / name).mkdir()
    (base / "home" / "jars").symlink_to(
        jars
    )  # executors are started from there, and write beside it
    (base / "conf" / "log4j2.properties").write_text(LOG)
    with socket.create_server(("127.0.0.1", port)) as free:
        port = free.getsockname()[1]
    known = {
        **settings,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(base / "warehouse"),
        "spark.eventLog.dir": (base / "events").as_uri(),
        "spark.local.dir": str(base / "local"),
    }
    line = ["java", "-cp", f"{base / 'conf'}:{jars}/*", f"-Xmx{memory}", *java]
    line += [f"--add-opens=java.base/{each}=ALL-UNNAMED" for each in OPENED]
    line += ["org.apache.spark.deploy.SparkSubmit", "--master", master]
    line += [part for name, value in known.items() for part in ("--conf", f"{name}={value}")]
    line += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    with (base / "said").open("wb") as said:
        keeper = subprocess.Popen(
            ["bash", "-c", KEEPER, "keeper", str(owner), str(base), *line],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            cwd=base,
            env={
                "PATH": os.environ["PATH"],
                "SPARK_LOCAL_IP": "127.0.0.1",
                "LC_ALL": "C.UTF-8",
                "SPARK_HOME": str(base / "home"),
                "SPARK_SCALA_VERSION": "2.13",
            },
            start_new_session=True,
        )
    _keepers.append(keeper)  # who is forgotten is warned of
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and keeper.poll() is None:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return Cluster(port, str(base), keeper.pid)
        time.sleep(0.1)
    raise ServerMissing(f"the server does not answer: {(base / 'said').read_text()}")


def _is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ


def owner() -> int:
    """The process that the run of tests began with: that of all workers, or the one that was told to this process."""
    return int(os.environ.get(OWNER) or (os.getppid() if _is_worker() else os.getpid()))


@cache
def running() -> Cluster:
    """The server of this run of tests, which all its processes share; started when it is first asked for."""
    find_client()
    whole = owner()
    note = Path(tempfile.gettempdir()) / f"tacit-spark-of-{whole}.json"
    with note.open("a+") as shared:
        fcntl.flock(shared, fcntl.LOCK_EX)
        shared.seek(0)
        if known := shared.read():
            found = Cluster(**json.loads(known))
            with suppress(OSError):
                os.kill(found.keeper, 0)
                return found
        found = started(whole, java=[*QUICK, *COMPILED], memory="6g") if SOAK else started(whole)
        shared.truncate(0)
        shared.write(json.dumps(found.__dict__))
    return found


@cache
def control() -> Any:
    """A session in which tests make tables."""
    cluster = running()
    from tacit.engines.spark.session import Sessions

    return _meanwhile.enter_context(Sessions(cluster.address, PATIENCE).session())


_meanwhile = ExitStack()
atexit.register(_meanwhile.close)
_numbers = count()


def store(rows: Mapping[Table, Iterable[Mapping[str, Any]]]) -> dict[Table, SparkTable]:
    """Tables of the catalogue with these rows; those that were there stay until the server goes."""
    import pyarrow as pa
    from pyarrow import parquet

    arrow = {
        Kind.BOOLEAN: pa.bool_(),
        Kind.INTEGER: pa.int64(),
        Kind.NUMBER: pa.float64(),
        Kind.TEXT: pa.string(),
        Kind.DATE: pa.date32(),
        Kind.TIMESTAMP: pa.timestamp("us"),
    }
    found = {}
    for table, listed in rows.items():
        given = list(listed)
        name = f"kept_{os.getpid()}_{next(_numbers)}"
        kinds = {column.name: column.kind for column in table.columns}
        if table.unit is not None:
            kinds.setdefault(table.unit, Kind.TEXT)
        columns = [
            pa.array([_cell(row.get(each)) for row in given], arrow[kind])
            for each, kind in kinds.items()
        ]
        folder = Path(running().folder, "stored", name)
        folder.mkdir(parents=True)
        parquet.write_table(pa.table(columns, names=list(kinds)), folder / "part.parquet")
        made = ", ".join(
            f"`{each.replace('`', '``')}` {TYPES[kind]}" for each, kind in kinds.items()
        )
        execute(f"CREATE TABLE {name} ({made}) USING parquet LOCATION '{folder}'")
        found[table] = SparkTable(running().address, ("default", name))
    return found


def _cell(cell: Any) -> Any:
    """A moment without its zone, which is UTC."""
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return cell.astimezone(UTC).replace(tzinfo=None)
    return cell


def execute(*statements: str) -> list[tuple[Any, ...]]:
    """Run statements as the owner of everything; the rows of the last."""
    for statement in statements:
        rows = control().spark.sql(statement).toArrow().to_pylist()
    return [tuple(row.values()) for row in rows]


def literal(text: str) -> str:
    """A text in a statement."""
    from tacit.engines.spark.literals import text_literal

    return text_literal(text)


def explained(session: Any, sql: str) -> str:
    """How Spark would run a statement."""
    from tacit.engines.spark.dialect import SPARK

    session.spark.conf.set("spark.sql.maxPlanStringLength", "2000000")
    found = session.spark.sql(f"EXPLAIN {SPARK.finish(sql)}").toArrow().to_pylist()
    return str(found[0]["plan"])


@contextmanager
def another(
    settings: Mapping[str, str] = SETTINGS, master: str = "local[2]", port: int = 0
) -> Iterator[Cluster]:
    """A server of one test's own, which may be harmed; at a port, where one is to come back."""
    find_client()
    cluster = started(os.getpid(), settings, master=master, port=port)
    try:
        yield cluster
    finally:
        with suppress(OSError):
            os.kill(cluster.keeper, 15)
