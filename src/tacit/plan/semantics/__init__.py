"""What an expression means: its kind, its range, whether it can be NULL, and its value in Python.

May import `model`.
"""
