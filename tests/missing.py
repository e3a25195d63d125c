"""What a test says that needs a program of this machine which is not there, or a server that does not start."""


class ServerMissing(Exception):
    """A program or server is missing: the test fails, and it shows nothing about Tacit, so it kills no planted bug."""
