"""Start, readiness and end."""

import json
import contextlib
import signal
import socket
import subprocess
import time

import pytest
from http_client import PATIENCE_S, Crowd, ask_all, in_less_than, wait_for
from http_server import PROGRAM, base_tile, run

BUSY = {"render": {"threads": 1, "queue": 65536}}
DRAIN_S = 8  # and a little more: as long the server waits, when it ends, for what is under way


def cold(i):
    return base_tile(42, 1, i, 78, "png", size=32)


def test_the_ready_line(server):
    assert server.ready["event"] == "ready" and server.ready["pid"] == server.process.pid
    assert server.public[0] == server.admin[0] == "127.0.0.1" and server.public[1] != server.admin[1]


@pytest.mark.parametrize("tested", [True, False])
def test_a_picture_is_made_before_it_listens(launch, hold, tested):
    """That of the self-test, where that is not left out."""
    hold.allow(1)
    launch(config={"render": {"selftest": tested}}, environment=hold.environment)
    assert hold.is_spent() == tested


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@in_less_than(DRAIN_S)
def test_accepted_requests_finish(launch, hold, number):
    server = launch(config=BUSY, environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [cold(i) for i in range(20)]) as crowd:
        wait_for(lambda: server.count("terrane_inflight") == 20, what="requests under way")
        server.signal(number)
        hold.release()
        answers = crowd.receive()
    assert [answer.status if answer else None for answer in answers] == [200] * 20
    assert server.wait() == 0


@in_less_than(DRAIN_S)
def test_readiness_fails_first(launch, hold):
    server = launch(config=BUSY, environment=hold.environment)
    hold.hold()
    with server.connect() as public, Crowd(server.public, [cold(i) for i in range(30)]) as crowd:
        assert public.ask("/readyz").status == 200
        wait_for(lambda: server.count("terrane_inflight") == 30, what="requests under way")
        server.signal()
        wait_for(lambda: server.ask("/readyz", admin=True).status == 503, what="unreadiness")
        assert public.ask("/readyz").status == 503
        hold.release()
        assert all(answer.status == 200 for answer in crowd.receive())
    assert server.wait() == 0


def test_who_still_waits_at_the_end_is_told_to_come_back(launch, hold):
    """Work that takes longer than an end may: nobody is told before he has to be, and all are."""
    server = launch(config=BUSY, environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [cold(i) for i in range(100)]) as crowd:
        wait_for(lambda: server.count("terrane_inflight") == 100, what="requests under way")
        begin = time.monotonic()
        server.signal()
        answers = crowd.receive()
        assert time.monotonic() - begin > DRAIN_S
        hold.release()
        assert server.wait() == 0
    assert {answer.status for answer in answers} == {503} and all("Retry-After" in answer for answer in answers)


@in_less_than(DRAIN_S)
def test_connections_that_keep_asking_end_with_an_answer(launch, hold):
    """No client meets an end of stream in the place of an answer: the last one says that it is the last."""
    server = launch(config={"render": {"threads": 2}}, environment=hold.environment)
    cached = base_tile(42, 0, 0, 0, "f32")
    hold.hold()
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(server.connect()) for _ in range(4)]
        for connection in connections:
            assert connection.ask(cached).status == 200
        busy = stack.enter_context(Crowd(server.public, [cold(1)]))  # who keeps the server from ending meanwhile
        wait_for(lambda: hold.waiting() == 1, what="a request under way")
        server.signal()
        wait_for(lambda: "terminating" in server.log_text(), what="the signal")
        for target, connection in zip((cached, base_tile(42, 0, 9, 9, "f32"), "/healthz", "/tile/x/y"), connections):
            answer = connection.ask(target)
            assert answer["Connection"].lower() == "close", target
            assert answer.status == (404 if target == "/tile/x/y" else 200)
        hold.release()
        assert busy.receive()[0].status == 200
    assert server.wait() == 0


def test_idle_connections_do_not_hold_the_end(launch):
    assert any(idle_end_s(launch) < DRAIN_S for _ in range(3))  # at once, but on a busy machine


def idle_end_s(launch):
    """How long a server takes to end that has idle connections."""
    server = launch()
    connections = [server.connect() for _ in range(20)]
    connections[0].ask("/healthz")
    connections[1].send(b"GET /heal")
    begin = time.monotonic()
    server.signal()
    assert server.wait() == 0
    took = time.monotonic() - begin
    for connection in connections:
        connection.close()
    return took


def test_one_server_a_cache_directory(server):
    done = run("serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--cache", server.cache)
    assert done.returncode == 1 and done.stdout == b""
    message = done.stderr.decode()
    assert str(server.cache) in message and "another process" in message
    assert server.is_well()


@pytest.mark.parametrize("which", ["--listen", "--admin"])
def test_port_in_use(tmp_path, which):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        other = {"--listen": "--admin", "--admin": "--listen"}[which]
        done = run("serve", which, address, other, "127.0.0.1:0", "--cache", tmp_path / "cache")
    assert done.returncode == 1 and done.stdout == b""
    assert address in done.stderr.decode() and "in use" in done.stderr.decode()


def test_no_admin_listener(tmp_path):
    process = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--admin", "", "--cache", tmp_path / "cache"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        ready = json.loads(process.stdout.readline())
        assert "admin" not in ready and ready["listen"].startswith("http://127.0.0.1:")
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


def test_descriptors_return(launch):
    server = launch()
    ask_all(server.public, [base_tile(42, 0, i, 0, "png") for i in range(300)])
    before = server.descriptors()
    for turn in range(3):
        ask_all(server.public, [base_tile(42, 0, i, turn, "png") for i in range(300)])
    assert server.descriptors() <= before + 2
