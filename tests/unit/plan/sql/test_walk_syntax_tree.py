"""The nodes of a tree, as the parser's own walk gives them."""

import pytest
import sqlglot
from sqlglot import exp

from tacit.plan.sql.walk_syntax_tree import list_nodes

TEXTS = (
    "SELECT a + 1 AS b, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 3",
    "SELECT (SELECT MAX(x) FROM u) - AVG(x) FROM t WHERE x IN (SELECT y FROM u) ORDER BY 1",
    "WITH w AS (SELECT 1 AS a) SELECT CASE WHEN a = 1 THEN 'x' ELSE NULL END FROM w UNION ALL SELECT 2",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("prune", [None, lambda node: isinstance(node, exp.Subquery)])
def test_nodes_are_those_of_the_parsers_own_walk(text, prune):
    tree = sqlglot.parse_one(text, "duckdb")
    assert list(map(id, list_nodes(tree, prune))) == list(map(id, tree.walk(prune=prune)))
