"""What a plan is: schema, expressions, rows, measures, and their names in fingerprints; values that never change.

Imports nothing of the room but its own files.
"""
