"""Sample-and-aggregate: a function of the curator's own, run on blocks of units.

Imports the policy, the record, the answer and the tables; `vault` imports it.
"""
