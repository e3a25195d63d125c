"""`tacit.connect`: a vault on another machine, asked over HTTP as one here is."""

from tacit.remote.vault import RemoteVault, connect

__all__ = ["RemoteVault", "connect"]
