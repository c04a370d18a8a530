"""Token buckets: tiles served and tiles made, a pair for each client."""

import contextlib
import json
import os
import signal
import time

import pytest
from http_client import Crowd, ask_all, in_less_than, request_bytes, wait_for
from http_operator import keys_file
from http_server import base_tile, dear, heavy

PROXY = {"trusted_proxies": ["127.0.0.1"]}
HOT = base_tile(42, 3, 0, 0, "png", size=32)


def cold(i, y=0):
    return base_tile(42, 3, i, 1 + y, "png", size=32)


def limits(**given):
    """A minute brings one token: what is there at first is all that a test sees."""
    rates = {name.replace("burst", "per_minute"): 1 for name in given}
    return {"limits": {**rates, **given}}


def check_limited(answer, seconds=60):
    answer.problem(429)
    assert 1 <= int(answer["Retry-After"]) <= seconds and "ETag" not in answer
    assert answer["Cache-Control"] == "no-store" and answer["Access-Control-Allow-Origin"] == "*"


def statuses(connection, targets, headers=()):
    return [connection.ask(target, headers=headers).status for target in targets]


@in_less_than(60)
def test_tiles_served(launch):
    server = launch(config=limits(tiles_burst=5))
    with server.connect() as connection:
        assert statuses(connection, [HOT] * 5) == [200] * 5
        for target in (HOT, cold(1), "/world/42", HOT.replace("?", "/status?")):
            check_limited(connection.ask(target))
        assert statuses(connection, ["/healthz", "/readyz", "/openapi.json"]) == [200] * 3
    assert server.count("terrane_limited_total", bucket="tiles") == 4
    assert server.count("terrane_limited_total", bucket="renders") == 0
    assert server.renders() == 1


def test_a_token_comes_back_after_the_time_said(launch):
    server = launch(config={"limits": {"tiles_per_minute": 60, "tiles_burst": 1}})
    for _ in range(2):
        refused = wait_for(lambda: (lambda answer: answer.status == 429 and answer)(server.ask(HOT)), what="an empty bucket")
        check_limited(refused, 1)
        time.sleep(int(refused["Retry-After"]) + 0.01)
        assert server.ask(HOT).status == 200


@in_less_than(60)
def test_304_and_head_cost_nothing(launch):
    server = launch(config=limits(tiles_burst=2, renders_burst=1))
    with server.connect() as connection:
        etag = connection.ask(HOT)["ETag"]
        for turn in range(2):  # with a token left, then with none
            for _ in range(10):
                assert connection.ask(HOT, headers=[("If-None-Match", etag)]).status == 304
                assert connection.ask(HOT, "HEAD").status == 200
                assert server.ask(cold(turn), "HEAD").status == 200
                assert connection.ask(HOT, "OPTIONS").status == 204
                assert connection.ask("/tile/42/0/0/0.png?layer=none").status == 400
            assert connection.ask(HOT).status == (200 if turn == 0 else 429)


@in_less_than(60)
def test_tiles_made(launch):
    """A refused tile costs nothing: the other bucket gets its token back."""
    server = launch(config=limits(tiles_burst=8, renders_burst=3))
    with server.connect() as connection:
        assert statuses(connection, [cold(i) for i in range(3)]) == [200] * 3
        for i in range(3, 9):
            check_limited(connection.ask(cold(i)))
        assert statuses(connection, [cold(i % 3) for i in range(6)]) == [200] * 5 + [429]
    assert server.count("terrane_limited_total", bucket="renders") == 6 and server.renders() == 3


@in_less_than(60)
def test_what_is_on_disk_costs_no_render(launch, tmp_path):
    targets = [cold(i) for i in range(6)]
    first = launch(cache=tmp_path / "cache")
    for target in targets:
        first.get(target)
    assert first.stop() == 0
    server = launch(cache=tmp_path / "cache", config=limits(renders_burst=1))
    with server.connect() as connection:
        assert [connection.ask(target)["X-Cache"] for target in targets[:3]] == ["disk"] * 3
        assert statuses(connection, [cold(100), cold(101)]) == [200, 429]
        assert [connection.ask(target)["X-Cache"] for target in targets] == ["memory"] * 3 + ["disk"] * 3
    assert server.renders() == 1


@in_less_than(60)
def test_who_joins_a_render_pays_for_none(launch, hold):
    server = launch(config={**limits(renders_burst=20)}, environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [heavy(0)] * 20) as crowd:
        wait_for(lambda: server.count("terrane_inflight") == 20, what="the crowd")
        hold.release()
        assert [answer.status for answer in crowd.receive()] == [200] * 20 and server.renders() == 1
    with server.connect() as connection:
        found = statuses(connection, [cold(i) for i in range(20)])
    # the one costs a token for each 20 ms that it takes here; if all had paid, none would be left
    assert found == [200] * found.count(200) + [429] * found.count(429) and 10 <= found.count(200) <= 19


@in_less_than(60)
def test_who_joins_a_render_needs_no_token(launch, tmp_path, hold):
    other = ("0123456789abcdef", "other", {"renders_per_minute": 0})
    server = launch(config={"render": {"threads": 1}, "access": {"keys_file": keys_file(tmp_path, other)},
                            **limits(renders_burst=1)}, environment=hold.environment)
    with server.connect() as connection:
        assert statuses(connection, [cold(0), cold(1)]) == [200, 429]
        hold.hold()
        with Crowd(server.public, [heavy(i) for i in range(60)], [("X-Api-Key", other[0])]) as crowd:
            wait_for(lambda: server.count("terrane_inflight") == 60, what="the crowd")
            with Crowd(server.public, [heavy(59)]) as joining:
                wait_for(lambda: server.count("terrane_inflight") == 61, what="who joins")
                assert statuses(connection, [cold(1)]) == [429]
                hold.release()
                assert joining.receive()[0].status == 200
            assert all(answer.status == 200 for answer in crowd.receive())
    assert server.renders() == 61 and server.count("terrane_coalesced_total") == 1


@in_less_than(60)
def test_503_gives_tokens_back(launch, hold):
    server = launch(config={"render": {"threads": 1, "queue": 1}, "cache": {"disk_bytes": 0},
                            **limits(tiles_burst=40, renders_burst=40)}, environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [cold(100 + i) for i in range(40)]) as crowd:  # each costs less than its token is worth
        wait_for(lambda: server.count("terrane_refused_total") > 20, what="requests that find the queue full")
        hold.release()
        answers = crowd.receive()
    served = sum(answer.status == 200 for answer in answers)
    assert sorted({answer.status for answer in answers}) == [200, 503]
    with server.connect() as connection:
        assert statuses(connection, [cold(i) for i in range(40 - served)]) == [200] * (40 - served)
        check_limited(connection.ask(HOT))


@in_less_than(60)
def test_a_client_that_leaves_its_queued_tiles_gets_their_tokens_back(launch, hold):
    crowd, tokens = 120, 200
    server = launch(config={"render": {"threads": 1}, **limits(renders_burst=tokens)},
                    environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [heavy(i) for i in range(crowd)]):
        wait_for(lambda: server.count("terrane_inflight") == crowd, what="requests under way")
    wait_for(lambda: server.count("terrane_connections") == 1, what="a crowd that is seen to be gone")
    hold.release()
    server.wait_idle()
    spent = server.renders()  # what the worker had begun
    with server.connect() as connection:
        found = statuses(connection, [cold(i) for i in range(tokens + 1)])
    assert spent < 10 and found.count(200) >= tokens - 10 and found[-1] == 429


BY_TIME = pytest.mark.skipif("TIMEOUT_MULT" in os.environ, reason="a sanitizer's time is not the program's")


@BY_TIME
@in_less_than(60)
def test_tiles_cost_what_making_them_costs(launch):
    """A token is worth 20 ms: a tile with regions of its own takes several, and who owes a second gets no more."""
    server = launch(config={"render": {"threads": 1}, **limits(renders_burst=1)}, world="continents")
    with server.connect() as connection:
        assert connection.ask(dear(1)).status == 200
        refused = connection.ask(cold(1))
        check_limited(refused, 100000)
        assert int(refused["Retry-After"]) > 60
        assert statuses(connection, [dear(1)]) == [200]


@BY_TIME
@in_less_than(60)
def test_one_token_lets_in_no_crowd(launch):
    """Of many dear tiles asked for at once, as many are made as a token and the debt that is allowed pay for."""
    server = launch(config={"render": {"threads": 2}, **limits(renders_burst=60)}, world="continents")
    statuses_found = [answer.status for answer in ask_all(server.public, [dear(i) for i in range(80)])]
    assert set(statuses_found) == {200, 429} and statuses_found.count(429) > 20
    with server.connect(source="127.0.0.2") as other:
        assert other.ask(dear(99)).status == 200
    assert server.count("terrane_limited_total", bucket="renders") == statuses_found.count(429)


def point(x, y):
    """Of four tiles."""
    return f"/point/42?x={x}&y={y}&lod=3&recipe=continents&variant=base"


def region(width, height, x0=0):
    return f"/region/42.f32?x0={x0}&y0=0&w={width}&h={height}&lod=3&variant=base"


def tiles(count, y=0):
    return [base_tile(72, 20, n, y, size=3) for n in range(count)]


PATHS = "/path/42?x0=0&y0=0&w=512&h=512&lod=3&recipe=whole"
BAD = ["/tile/42/3/0/one.f32", "/tile/42/25/0/0.f32", "/tile/42/3/0/1.f32?size=100"]
# A burst; paths, and lists of them in one request, that are answered; those that are refused then; for how long at least and at most.
COSTS = {
    "points": ({"tiles_burst": 9}, [point(1, 2), point(5, 7), point(5, 8)], [point(9, 9)], 120, 240),
    "regions": ({"tiles_burst": 20}, [region(1024, 768)] * 2, [region(256, 256)], 120, 300),  # 12, and 8 and 4 more
    "a region": ({"tiles_burst": 20}, [region(1536, 1024)], [HOT], 120, 300),
    "paths": ({"tiles_burst": 2}, [PATHS], [PATHS], 0, 900),
    "batches": ({"tiles_burst": 10}, [tiles(6) + BAD, tiles(6), []], [tiles(1), BAD], 240, 360),  # one a path, whatever its answer
    "a large batch": ({"tiles_burst": 20}, [[HOT] * 256], [HOT], 14100, 14220),
    "regions made": ({"renders_burst": 5}, [region(512, 512)] * 2 + [region(2560, 256, 5120)], [region(512, 256, 51200)], 360, 900),
    "batches made": ({"renders_burst": 4}, [tiles(30)] * 2, [tiles(1, 1)], 1200, 2400)}


@pytest.mark.parametrize("name", COSTS)
@in_less_than(60)
def test_many_tiles_cost_as_many_tokens(launch, name):
    """One at hand is enough, the others are owed. What was made costs no render, and HEAD nothing."""
    limit, answered, refused, least, most = COSTS[name]
    server = launch(config=limits(**limit))

    def ask(what):
        return server.ask(what) if isinstance(what, str) else server.ask("/tiles", "POST", body=json.dumps({"tiles": what}).encode())
    assert [ask(what).status for what in answered] == [200] * len(answered)
    for answer in map(ask, refused):
        check_limited(answer, most)
        assert int(answer["Retry-After"]) > least
    for what in answered:
        if "renders_burst" in limit:
            assert ask(what).status == 200
        if isinstance(what, str):
            assert server.ask(what, "HEAD").status == 200


ADDRESSES = [  # who asks, and whether that is the client at 192.0.2.1 or 2001:db8:0:1::/64, who has no token left
    ("192.0.2.1", True), ("192.0.2.2", False), ("203.0.113.7, 192.0.2.1", True), ("2001:db8:0:1:ffff::2", True),
    ("2001:db8:0:2::1", False), ("nonsense", False)]  # more: tests/unit/access/test_networks.c


def forwarded(*values):
    return [("X-Forwarded-For", value) for value in values]


@in_less_than(60)
def test_clients_behind_a_trusted_proxy(launch):
    """Several headers are one list."""
    server = launch(config={"http": PROXY, **limits(tiles_burst=1)})

    def status(*chain):
        return server.ask(HOT, headers=forwarded(*chain)).status
    assert status("192.0.2.1") == status("2001:db8:0:1::9") == 200
    for chain, spent in ADDRESSES:
        assert [status(chain), status(chain)] == [429 if spent else 200, 429], chain
    assert [status("192.0.2.40", "192.0.2.1"), status("192.0.2.1", "192.0.2.41"), status("192.0.2.1", "127.0.0.1")] == [429, 200, 429]


@pytest.mark.parametrize("config", [{}, PROXY])
@in_less_than(60)
def test_nobody_else_is_believed(launch, config):
    server = launch(config={"http": config, **limits(tiles_burst=2)})
    with server.connect(source="127.0.0.2") as connection:
        found = [connection.ask(HOT, headers=forwarded(f"192.0.2.{i}")).status for i in range(3)]
    assert found == [200, 200, 429]
    with server.connect(source="127.0.0.3") as connection:
        assert connection.ask(HOT).status == 200


def open_many(server, count, source):
    return [server.connect(source=source) for _ in range(count)]


def opened(server):
    """Connections but that of the operator who asks."""
    return server.count("terrane_connections") - 1


def is_served(server, source):
    with server.connect(source=source) as connection:
        return statuses(connection, ["/healthz"]) == [200]


def closed(connections):
    """How many of them the server has closed."""
    for connection in connections:
        connection.socket.setblocking(False)
    ended = 0
    for connection in connections:
        try:
            ended += connection.socket.recv(1) == b""
        except BlockingIOError:
            pass
        except ConnectionResetError:
            ended += 1
    return ended


def test_idle_connections_of_one_address_shut_out_nobody(launch):
    """By default an address has a quarter of http.connections."""
    server = launch(config={"http": {"connections": 64}})
    many = open_many(server, 80, "127.0.0.2")
    wait_for(lambda: server.count("terrane_connections_refused_total", why="address") == 64, "64 refused")
    assert all(is_served(server, f"127.0.0.{n}") for n in range(3, 33))
    assert server.count("terrane_connections_refused_total", why="limit") == 0
    wait_for(lambda: closed(many) == 64, what="64 that are closed")
    assert server.count("terrane_connections_cut_total", why="room") == 0


def test_idle_connections_of_the_greatest_holder_go_first(launch):
    """In two threads, and whichever of them takes the new ones."""
    server = launch(config={"http": {"connections": 64, "connections_per_address": 64, "threads": 2}})
    few = [c for n in range(3, 7) for c in open_many(server, 4, f"127.0.0.{n}")]
    assert all(statuses(connection, ["/healthz"]) == [200] for connection in few)
    many = open_many(server, 48, "127.0.0.2")
    wait_for(lambda: opened(server) == 64, "64 connections")
    guests = []
    for n in range(1, 13):
        guests.append(server.connect(source=f"127.0.1.{n}"))
        assert statuses(guests[-1], ["/healthz"]) == [200]
        wait_for(lambda: opened(server) <= 64, "no more than there may be")
    cut = server.count("terrane_connections_cut_total", why="room")  # two that find no room at one moment may each close one
    assert server.count("terrane_connections_refused_total") == 0 and 12 <= cut <= 36
    wait_for(lambda: closed(many) >= cut, what="those that are closed")
    assert closed(few) == closed(guests) == 0


def test_unfinished_requests_go_as_idle_connections_do(launch):
    """Five addresses keep as many as they may, none of which ever ends its headers, and come again: others are served."""
    server = launch(config={"http": {"connections": 64, "connections_per_address": 16, "threads": 1}})

    def begin(connection):
        with contextlib.suppress(OSError):
            connection.send(b"GET /healthz HTTP/1.1\r\nHost: terrane.test\r\n")
        return connection
    unfinished = [begin(c) for n in range(2, 7) for c in open_many(server, 16, f"127.0.0.{n}")]
    wait_for(lambda: opened(server) >= 63, "as many connections as there may be")
    for n in range(1, 31):
        unfinished.append(begin(server.connect(source=f"127.0.0.{2 + n % 5}")))
        assert is_served(server, f"127.0.1.{n}")
    assert closed(unfinished) >= 30 and server.count("terrane_requests_total", status="400") == 0


def test_busy_connections_stay(launch, hold):
    """Who waits for an answer is not thrown out; where all do, who comes last is refused."""
    server = launch(config={"http": {"connections": 64, "connections_per_address": 64}, "render": {"threads": 1}},
                    environment=hold.environment)
    hold.hold()
    busy = open_many(server, 60, "127.0.0.2")
    for connection in busy:
        connection.send(request_bytes(HOT))
    wait_for(lambda: server.count("terrane_inflight") == 60, what="60 that wait")
    idle = open_many(server, 4, "127.0.0.3")
    wait_for(lambda: opened(server) == 64, "64 connections")
    guests = []
    for n in range(4, 20):  # four for idle ones, five for whom room is looked for
        guests.append(server.connect(source=f"127.0.0.{n}"))
        with contextlib.suppress(OSError):
            guests[-1].send(request_bytes(HOT))
    wait_for(lambda: server.count("terrane_connections_refused_total", why="limit") > 0, "some who are refused")
    wait_for(lambda: opened(server) <= 64 + 5, what="who is refused to be gone")
    wait_for(lambda: closed(idle) == 4, "idle ones that are closed")
    assert closed(busy) == 0
    hold.release()
    for connection in busy:
        connection.socket.setblocking(True)
        assert connection.receive().status == 200
    wait_for(lambda: opened(server) <= 64, "idle ones that are closed")
    assert is_served(server, "127.0.0.99")


def test_who_has_begun_is_read_once(launch):
    """Room is looked for among idle connections whose requests go on at that very moment."""
    server = launch(config={"http": {"connections": 16, "connections_per_address": 16, "threads": 1}})
    for _ in range(8):
        begun = open_many(server, 15, "127.0.0.2")
        for connection in begun:
            connection.send(b"GET /healthz HTTP/1.1\r")
        busy = server.connect(source="127.0.0.3")
        assert statuses(busy, ["/healthz"]) == [200]  # and what was sent before it has been read
        busy.send(request_bytes("/healthz") * 2000)  # so that it is not stopped where it waits, which would end
        server.process.send_signal(signal.SIGSTOP)
        os.waitpid(server.process.pid, os.WUNTRACED)
        for connection in begun:
            connection.send(b"\nHost: terrane.test\r\n\r\n")
        guests = [server.connect(source=f"127.0.0.{n}") for n in range(4, 12)]
        server.process.send_signal(signal.SIGCONT)
        assert [connection.receive().status for connection in begun] == [200] * 15
        for connection in (busy, *begun, *guests):
            connection.close()
        wait_for(lambda: opened(server) == 0, "no connections")
    assert server.count("terrane_requests_total", status="400") == 0


def test_proxies_keep_their_idle_connections(launch):
    """In one thread: two that find no room at one moment may each close one."""
    server = launch(config={"http": {"connections": 64, "trusted_proxies": ["127.0.0.2"], "threads": 1}})
    proxy = open_many(server, 60, "127.0.0.2")
    wait_for(lambda: opened(server) == 60, "60 connections")
    others = [server.connect(source=f"127.0.0.{n}") for n in range(3, 7)]
    wait_for(lambda: opened(server) == 64, "64 connections")
    for n in range(7, 9):
        others.append(server.connect(source=f"127.0.0.{n}"))
        assert statuses(others[-1], ["/healthz"]) == [200]
    wait_for(lambda: opened(server) <= 64, "no more than there may be")
    wait_for(lambda: closed(others) == 2, what="two that are closed")
    assert closed(proxy) == 0
