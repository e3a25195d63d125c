"""What leaves the vault: views of released numbers, their intervals, releases, explanations and plots.

May import `policy` and `pricing`.
"""
