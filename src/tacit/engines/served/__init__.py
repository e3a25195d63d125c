"""What engines share whose tables stay on a server.

Checked by: tests/unit/engines/postgres/test_engine.py and tests/unit/engines/spark/test_engine.py
"""
