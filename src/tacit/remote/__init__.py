"""`tacit.connect`: a vault on another machine, asked over HTTP as one here is."""

from __future__ import annotations

from tacit.remote.vault import RemoteVault, connect

__all__ = ["RemoteVault", "connect"]
