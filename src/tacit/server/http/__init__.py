"""The HTTP door: requests become calls of the desk, and what it says becomes JSON, CSV, Arrow or a page."""
