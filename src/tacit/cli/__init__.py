"""The `tacit` command."""

from tacit.cli.command import app, main

__all__ = ["app", "main"]
