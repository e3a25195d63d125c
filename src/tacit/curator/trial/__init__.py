"""Questions tried on made-up rows: mock tables, neighbouring tables, and the audit of one question.

May import all other files of the room.
"""
