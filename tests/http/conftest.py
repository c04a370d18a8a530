"""Servers for tests. A test that fails shows the log of every server that it had."""

import pytest
from http_server import Server

CONFIG = {"worlds": {"named": {"alps": "42", "fjords": "0xfeedface", "last": "18446744073709551615"}}}


def end(server):
    status = server.close()
    expected, log = server.expected_exit, server.log_text()
    server.forget()
    assert status == expected, f"exit status {status} instead of {expected}:\n{log}"


@pytest.fixture(scope="module")
def server():
    """One server for a module's tests: they must not mind each other's traffic."""
    started = Server(config=CONFIG)
    yield started
    end(started)


@pytest.fixture(scope="module")
def connection(server):
    """A connection to it that stays open."""
    with server.connect() as opened:
        yield opened


@pytest.fixture
def launch():
    """Starts servers that end with the test: launch(cache=..., config=..., environment=...)."""
    started = []

    def start(**options):
        started.append(Server(**options))
        return started[-1]

    yield start
    for server in started:
        end(server)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for server in Server.live:
            report.sections.append((f"log of {server.url or 'a server that did not start'}",
                                    server.log_text()[-8000:]))
