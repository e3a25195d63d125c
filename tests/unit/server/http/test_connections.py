"""What a table's page says to programs can be pasted."""

import ast
import json
import re
import shlex

from tacit.server.http.connections import connections

SQL = "SELECT test, COUNT(*) AS n FROM labs GROUP BY test"
URL = "https" + "://tacit.example.org:8443"


def told(wire=None, name="ana"):
    return {each.program: each.text for each in connections(URL, SQL, name, "1/20", wire)}


def test_the_python_lines_connect_and_ask():
    calls = [node for node in ast.walk(ast.parse(told()["Python"])) if isinstance(node, ast.Call)]
    values = {node.value for call in calls for node in call.args if isinstance(node, ast.Constant)}
    assert values == {URL, SQL}
    assert "epsilon=0.05" in told()["Python"]


def test_the_shell_line_sends_the_question():
    words = shlex.split(told()["curl"].replace("\\\n", " "))
    assert json.loads(words[words.index("-d") + 1]) == {"sql": SQL, "epsilon": 0.05}
    assert words[-1] == f"{URL}/api/v1/answers"


def test_clients_of_postgresql_are_named_when_its_port_is_open_and_told_the_price():
    assert set(told()) == {"Python", "curl"}
    every = told((5432, "clinic"))
    assert set(every) == {"Python", "curl", "psql", "SQLAlchemy", "JDBC", "DBeaver", "Metabase"}
    for program in ("psql", "SQLAlchemy", "JDBC", "Metabase"):
        assert "-c%20tacit.epsilon%3D0.05" in every[program]
    assert re.search(r"ana@tacit\.example\.org:5432/clinic\?sslmode=verify-full", every["psql"])
    assert "a%2Fb%40c@" in told((5432, "clinic"), "a/b@c")["psql"]
