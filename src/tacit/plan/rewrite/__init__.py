"""One form for all ways to ask the same, what nobody looks at removed, and what earlier answers already tell.

May import `model`, `semantics` and `questions`.
"""
