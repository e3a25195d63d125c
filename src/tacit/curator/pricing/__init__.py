"""On what terms a question is answered: its noise, its price, its size, and the threshold of unknown keys.

May import `policy`.
"""
