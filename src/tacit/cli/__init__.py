"""The `tacit` command."""

from __future__ import annotations

from tacit.cli.command import app, main

__all__ = ["app", "main"]
