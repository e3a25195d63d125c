"""psql: the whole \\d family, \\copy, \\gdesc, what tab completion asks, errors that are underlined."""

import os
import re
import subprocess
import time

import pexpect
from steps import COUNTS, IS_VAULT, OPTIONS, TOO_DEAR, WHERE, expect, step, until_cancelled

ENVIRONMENT = {
    **os.environ,
    "PGPASSWORD": WHERE["password"],
    "PGOPTIONS": OPTIONS,
    "PAGER": "cat",
    "TERM": "xterm",
    "PSQL_HISTORY": "/dev/null",
    **({"PGSSLMODE": "verify-full", "PGSSLROOTCERT": WHERE["ca"]} if IS_VAULT else {}),
}
COMMAND = [
    "psql",
    "-X",
    "-h",
    WHERE["host"],
    "-p",
    str(WHERE["port"]),
    "-U",
    WHERE["name"],
    WHERE["database"],
]


def psql(*commands):
    """Run commands in one session; what is printed."""
    found = subprocess.run(
        [*COMMAND, "-v", "ON_ERROR_STOP=1"],
        input="\n".join(commands) + "\n",
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=120,
        check=False,
    )
    expect(found.returncode == 0 and "ERROR" not in found.stderr, found.stderr)
    return found.stdout


def failing(command):
    return subprocess.run(
        [*COMMAND, "-c", command],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=120,
        check=False,
    ).stderr


FAMILY = r"""
\d|\d+|\dt|\dt+|\dt public.*|\dt *.*|\d patients|\d+ patients|\d visits|\dn|\dn+|\l|\l+|\df|\df+ lower|\da|\du|\dg|\dp
\z patients|\dv|\dm|\di|\ds|\dT|\dT+|\do|\dx|\db|\dC|\dD|\dE|\des|\deu|\dew|\dF|\dFd|\dFp|\dFt|\dL|\dO|\drds|\dRp|\dRs
\dy|\dA|\dA+|\dAc|\dAf|\dAo|\dAp|\dX|\ddp|\dconfig|\dP|\dd|\dS labs|\dconfig server_version|\dl|\dtS pg_c*|\dc
"""
TABS = r"""
select * from |select * from la|select * from public.|select * from labs where |\d |\d pa|set |set search_path to |show
\dn |\c |\df lo|select lo|insert into |alter table |grant select on |\dT |select * from labs join |set role
select * from pg_catalog.pg_c|select * from labs order by |\du |explain select * from l|\sf lo
"""


def family():
    """All in one session: starting a session costs more than a statement."""
    return [each for line in FAMILY.strip().split("\n") for each in line.split("|")]


def describe_tables():
    said = psql(r"\d labs", r"\d+ patients")
    expect("double precision" in said and re.search(r"integer.*18.*100", said), said)


def copy():
    said = psql(rf"\copy ({COUNTS}) to stdout with csv header")
    expect(said.startswith("test,n"), said)
    expect(len(said.splitlines()) == (3 if IS_VAULT else 1), said)


def completions():
    """One session in which each text is typed and completed, and then thrown away."""
    session = pexpect.spawn(
        COMMAND[0], COMMAND[1:], env=ENVIRONMENT, encoding="utf8", timeout=30, dimensions=(200, 160)
    )
    session.expect("[=][#>] ")
    for text in [each for line in TABS.strip("\n").split("\n") for each in line.split("|")]:
        session.send(text + "\t\t")
        time.sleep(0.3)
        session.sendcontrol("c")
        session.expect("[=][#>] ")
    session.sendline("SELECT 6 * 7 AS whole;")
    session.expect("42")
    session.sendline(r"\q")
    session.expect(pexpect.EOF)
    session.close()


def completed():
    session = pexpect.spawn(
        COMMAND[0], COMMAND[1:], env=ENVIRONMENT, encoding="utf8", timeout=30, dimensions=(200, 160)
    )
    session.expect("[=][#>] ")
    session.send("select test from la\t")
    session.expect("labs")
    session.sendcontrol("c")
    session.sendline(r"\q")
    session.close()


def cancel():
    session = pexpect.spawn(COMMAND[0], COMMAND[1:], env=ENVIRONMENT, encoding="utf8", timeout=60)
    session.expect("[=][#>] ")
    until_cancelled(4, lambda question: is_cancelled(session, question))
    session.close(force=True)


def is_cancelled(session, question):
    session.sendline(question + ";")
    time.sleep(0.1)
    while (found := session.expect(["cancel", "rows\\)", pexpect.TIMEOUT], timeout=0.05)) == 2:
        session.sendintr()
    session.expect("[=][#>] ")
    return found == 0


def underlined():
    said = failing("SELECT test, COUNT(*) AS n FROM labs GROUP BY tset")
    expect("LINE 1" in said and "^" in said, said)


for each in family():
    step(each, lambda each=each: psql(each))
step("tables are described", describe_tables)
step("browse", lambda: expect("labs" in psql(r"\dt")))
step("ask", lambda: psql(COUNTS + ";"))
step(r"\gdesc", lambda: expect("bigint" in psql(COUNTS + r" \gdesc")))
step(r"\copy", copy)
step("COPY to the standard output", lambda: psql(f"COPY ({COUNTS}) TO STDOUT WITH CSV;"))
step("explain", lambda: psql(f"EXPLAIN {COUNTS};"))
step(
    "cursors",
    lambda: psql(
        "BEGIN;", f"DECLARE c CURSOR FOR {COUNTS};", "FETCH 1 FROM c;", "CLOSE c;", "COMMIT;"
    ),
)
step(
    "parameter",
    lambda: psql(
        f"PREPARE q AS {COUNTS} HAVING COUNT(*) > $1;", "EXECUTE q(-10000);", "DEALLOCATE q;"
    ),
)
step(r"\bind is not there, \g is", lambda: psql("SELECT 1 \\g"))
step(r"\watch stops by itself", lambda: psql("SHOW server_version;"))
step("show all", lambda: psql("SHOW ALL;"))
step(r"\conninfo, \encoding", lambda: psql(r"\conninfo", r"\encoding"))
step("crosstab", lambda: psql(r"SELECT 'a' AS x, 'b' AS y, 1 AS v \crosstabview"))
step("tab completion", completions)
if IS_VAULT:
    step("a table's name is completed", completed)
    step("intervals", lambda: expect("n_low" in psql("SET tacit.intervals = on;", COUNTS + ";")))
    step("budget", lambda: expect("remaining" in psql("SELECT * FROM tacit.budget;")))
    step("answers", lambda: psql("SELECT * FROM tacit.answers;"))
    step(
        "the limit is kept",
        lambda: expect(
            "limit" in failing("/* tacit: epsilon=1000 */ " + TOO_DEAR.format(10)).lower()
        ),
    )
    step("errors are underlined", underlined)
    step("rows are refused", lambda: expect("ERROR" in failing("SELECT * FROM labs")))
    step("writes are refused", lambda: expect("read-only" in failing("CREATE TABLE t (a int)")))
    step("connect with TLS", lambda: expect("SSL connection" in psql(r"\conninfo")))
    step("cancel", cancel)
