"""The oracle: rows in Python lists, evaluated one by one, which every other engine must equal.

May import `sql` (for the limits it shares) and `sources`.
"""
