"""What the ledger keeps of an answer: released integers, receipts, and facts that were found privately.

May import `policy`, `pricing` and `answer`.
"""
