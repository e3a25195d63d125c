"""How a question is built from rows, keys and measures, and what is public about it.

May import `model` and `semantics`. Both doors, SQL and frames, build questions with these.
"""
