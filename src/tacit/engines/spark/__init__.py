"""Tables that stay on a Spark cluster: only exact integers leave it.

Checked by: tests/unit/engines/spark/test_engine.py
"""
