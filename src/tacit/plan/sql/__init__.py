"""The SQL door: text becomes a plan, or is refused with its place in the text and a remedy.

May import `model`, `semantics`, `questions` and `rewrite`; the only place that knows the parser, sqlglot.
"""
