"""Tables that stay in PostgreSQL: only exact integers leave the server.

Checked by: tests/unit/engines/postgres/test_engine.py
"""
