"""Where rows come from: files, frames and lists, and what their cells mean.

May import `sql`, for cells that are read by SQL, and no engine.
"""
