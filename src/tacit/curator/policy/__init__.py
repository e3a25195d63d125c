"""What the curator decides: limits, tables, columns, and the file they are written in.

Imports nothing of the room but its own files.
"""
