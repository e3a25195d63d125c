"""Questions as SQL text: expressions, groups, sums, and the whole statement.

May import the files of `engines` that every engine shares, and no engine.
"""
