"""A server reads its policy again when `tacit reload` asks for it, and says if it cannot."""

import asyncio
import threading
from contextlib import suppress

import pytest

from tacit.errors import AccessDenied, InvalidData, InvalidPolicy
from tacit.server import Server, reload_policy
from tacit.server.reload_requests import (
    ANSWER,
    REQUEST,
    _read,
    answer_reload_requests,
    request_reload,
)
from tacit.server.serve_vault import is_served, serve_alone
from tests.unit.server.clinics import POLICY, make_folder


class Answering:
    """A server that answers requests on a thread of its own."""

    def __init__(self, folder, reload):
        self.loop = asyncio.new_event_loop()
        self.task = self.loop.create_task(answer_reload_requests(folder, reload))
        self.thread = threading.Thread(target=self.run)

    def run(self):
        with suppress(asyncio.CancelledError):
            self.loop.run_until_complete(self.task)
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.task.cancel)
        self.thread.join()


def test_a_policy_is_read_again_or_the_refusal_is_told(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    server = Server(folder, secure=False)
    server.identities.add("cy o", "analyst")
    server.identities.add("cleo", "curator", "correct horse battery")
    cy = server.identities.of_token(server.identities.new_token("cy o"))
    with pytest.raises(AccessDenied, match=r'\[analysts."cy o"\] with an epsilon') as refused:
        server.desk._served.of(cy)
    assert "tacit reload" in str(refused.value)
    with serve_alone(folder), Answering(folder, server.desk.reload_by_file):
        assert is_served(folder)
        (folder / "tacit.toml").write_text(POLICY + '[analysts."cy o"]\nepsilon = 1\n')
        reload_policy(folder / "tacit.toml")
        assert server.desk._served.of(cy)
        (folder / "tacit.toml").write_text("[limit")
        with pytest.raises(InvalidPolicy):  # where it is read first, by who asks
            reload_policy(folder)
        with pytest.raises(InvalidData, match="is not TOML"):
            request_reload(folder)
        assert server.desk._served.of(cy)
    assert not (folder / REQUEST).exists()
    assert not (folder / ANSWER).exists()
    server.close()


def test_where_no_server_runs_that_is_said_at_once(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    for _ in range(2):
        assert not is_served(folder)
        with pytest.raises(InvalidData, match="no server of this vault runs here"):
            reload_policy(folder)
        with serve_alone(folder):
            pass
    with pytest.raises(InvalidData, match="tacit serve"):
        request_reload(folder, seconds=0.2)
    assert not (folder / REQUEST).exists()


def test_a_request_from_before_the_server_began_is_answered_too(tmp_path):
    read = []
    (tmp_path / REQUEST).write_text("old")
    with Answering(tmp_path, lambda: read.append("again")):
        while "begun" in (said := _read(tmp_path / ANSWER)) or not said:
            pass
    assert said == "old\ndone"
    assert read == ["again"]


def test_a_server_that_has_begun_is_waited_for(tmp_path):
    """Reading the tables again may take longer than finding out that no server is there."""
    go_on = threading.Event()
    with Answering(tmp_path, lambda: go_on.wait(60)):
        asking = threading.Thread(target=request_reload, args=(tmp_path,), kwargs={"seconds": 2.0})
        asking.start()
        while "begun" not in _read(tmp_path / ANSWER):
            pass
        asking.join(2.5)
        assert asking.is_alive()
        go_on.set()
        asking.join(60)
        assert not asking.is_alive()
