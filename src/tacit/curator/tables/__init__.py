"""Many tables of counts in one release, and what is made of them: marginals, workloads, synthetic
rows.

Imports the policy, the record and the answer; `vault` imports it.
"""
