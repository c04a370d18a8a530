"""Servers for tests. A test that fails shows the log of every server that it had."""

import contextlib
import signal

import pytest
from http_hold import Hold
from http_server import PLAIN, Server
from http_store import PROGRAM, Store

# A shell's background jobs ignore it, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

NAMED = {"alps": "42", "fjords": "0xfeedface", "last": "18446744073709551615"}
CONFIG = {"worlds": {"named": {name: {"seed": seed, "secret": False} for name, seed in NAMED.items()}}}


@contextlib.contextmanager
def starts(module, ending=None):
    """Of a module that is about ground: it says `WORLD = "continents"`, or another recipe that is its servers' default.

    ending: a stack in which servers end that have been told to, which takes each a quarter of a second, while other tests go on."""
    with contextlib.ExitStack() as started:
        servers, world = [], getattr(module, "WORLD", PLAIN)
        yield lambda **options: servers.append(started.enter_context(Server(**{"world": world, **options}))) or servers[-1]
        for server in servers:  # all at once
            if not server.signalled:
                server.signal()
        if ending is not None:
            ending.push(started.pop_all())
            Server.live[:] = [server for server in Server.live if server not in servers]


@pytest.fixture(scope="module")
def ending():
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def launch(request, ending):
    """Starts servers that are told to end with the test: launch(cache=..., config=..., environment=..., world=...)."""
    with starts(request.module, ending) as start:
        yield start


@pytest.fixture
def hold(tmp_path):
    """Holds the workers of a server: launch(environment=hold.environment)."""
    holds = Hold(tmp_path)
    yield holds
    holds.release()  # or the server does not end; launch comes first among a test's fixtures, and so ends last


@pytest.fixture(scope="module")
def stay(request):
    """The same for servers that end with the module: its tests must not mind each other's traffic."""
    with starts(request.module) as start:
        yield start


@pytest.fixture(scope="module")
def server(stay):
    return stay(config=CONFIG)


@pytest.fixture(scope="module")
def connection(server):
    """A connection to it that stays open."""
    with server.connect() as opened:
        yield opened


@pytest.fixture
def store():
    if not PROGRAM:
        pytest.skip("redis-server is not installed")
    with contextlib.closing(Store()) as started:
        yield started


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for server in Server.live:
            report.sections.append((f"log of {server.url or 'a server that did not start'}",
                                    server.log_text()[-8000:]))
