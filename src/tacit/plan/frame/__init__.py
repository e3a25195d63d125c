"""The frame door: Python expressions become a plan.

May import `model`, `semantics`, `questions` and `rewrite`, and never `sql`.
"""
