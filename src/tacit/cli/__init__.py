"""The `tacit` command."""

from tacit.cli.main import app

__all__ = ["app"]
