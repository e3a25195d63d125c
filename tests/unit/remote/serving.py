"""A real server on this machine, in a thread, over a small vault."""

import asyncio
import socket
import threading
from contextlib import contextmanager, nullcontext

import uvicorn

from tacit.server.http.app import make_app
from tacit.server.sessions import Sessions
from tests.unit.server.clinics import add_people, make_desk


@contextmanager
def served(folder, identities, **given):
    """The address of a server over a vault's directory, its desk and its identities."""
    desk = make_desk(folder, identities=add_people(identities), **given)
    app = make_app(desk, Sessions(identities), secure=False)
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off", access_log=False)
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()  # whoever comes before it runs waits
    done = threading.Event()

    def run():
        async def whole():
            desk.loop = asyncio.get_running_loop()
            await server.serve(sockets=[listening])
            await desk.drain()

        asyncio.run(whole())
        done.set()

    threading.Thread(target=run, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", desk, identities
    finally:
        server.should_exit = True
        assert done.wait(60)
        desk.close()
