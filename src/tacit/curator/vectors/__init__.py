"""Sums of clipped vectors over declared features: the one way from rows to what learns from them.

Imports `tables`; `vault` imports it.
"""
