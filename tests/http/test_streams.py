"""limits.stream_bytes: what regions and batches hold for clients that read slowly, over all connections and of one client."""

import contextlib
import json
import time

import pytest
from http_client import in_less_than, request_bytes, wait_for
from http_operator import reload
from http_server import base_tile

MIB = 1 << 20
LIMIT = {"limits": {"stream_bytes": 64 * MIB}}
# Regions of 16 x 16 tiles, 8.1 MiB each, as many as there are: nobody gets more than he leaves.
SHARE = 3
FULL = ("127.0.0.2",) * SHARE + ("127.0.0.3",) * 2 + ("127.0.0.4",)
TILE = base_tile(42, 20, 0, 0, size=33)


def region(n, ext="f32", side=4000):
    """64 MB of cheap samples: more than any kernel buffers."""
    return f"/region/{n}.{ext}?x0=0&y0=0&w={side}&h={side}&lod=20&variant=base"


def batch(n):
    """100 tiles of 3 MB: five are made ahead, one is being sent."""
    return batch_of([base_tile(n, 20, x, 0, layer="normal", size=512) for x in range(100)])


def held(server):
    return server.count("terrane_stream_bytes")


def begin(stack, server, data, source=None):
    """A client that asks and reads no more than the status."""
    connection = stack.enter_context(server.connect(source=source))
    connection.send(data)
    status = int(connection.socket.recv(12).split()[1])
    return connection, status


def begins(stack, server, data, source):
    connection, status = begin(stack, server, data, source)
    if status == 503:
        connection.close()
    return status == 200


def check_full(answer, status=503):
    assert ("one client" if status == 429 else "Too many") in answer.problem(status)
    assert int(answer["Retry-After"]) >= 1 and answer["Cache-Control"] == "no-store"


def fill(stack, server, sources=(None,) * SHARE):
    for n, source in enumerate(sources):
        assert begin(stack, server, request_bytes(region(n)), source)[1] == 200


@pytest.mark.parametrize("data,sources", [(lambda n: request_bytes(region(n)), FULL), (batch, ("127.0.0.2", "127.0.0.3"))],
                         ids=["regions", "batches"])
def test_slow_readers_are_bounded(launch, data, sources):
    server = launch(config=LIMIT)
    with contextlib.ExitStack() as stack:
        opened = [begin(stack, server, data(n), source) for n, source in enumerate(sources)]
        assert [status for _, status in opened] == [200] * len(sources)
        assert 32 * MIB < held(server) <= 64 * MIB
        with server.connect() as more:
            for n in (100, 101):
                more.send(data(n))
                check_full(more.receive())
            etag = more.ask(region(100), "HEAD")["ETag"]  # what holds nothing has its answer
            assert more.ask(region(100), headers=[("If-None-Match", etag)]).status == 304
            assert more.ask(TILE).status == more.ask("/point/42?x=1&y=2&lod=20&variant=base").status == 200
            assert server.count("terrane_streams_refused_total", why="limit") == 2
        opened[0][0].close()
        wait_for(lambda: begins(stack, server, data(102), "127.0.0.5"), what="room for one more")
        assert held(server) <= 64 * MIB and server.is_well()
    wait_for(lambda: held(server) == 0, what="everything given back")
    server.wait_idle()


@in_less_than(60)
def test_who_is_refused_pays_nothing(launch):
    server = launch(config={"limits": {"stream_bytes": 64 * MIB, "tiles_per_minute": 1, "tiles_burst": SHARE * 256 + 1}})
    with contextlib.ExitStack() as stack:
        fill(stack, server)
        check_full(server.ask(region(SHARE)), 429)
        assert [server.ask(TILE).status for _ in range(2)] == [200, 429]
        check_full(server.ask(region(SHARE)), 429)
        assert server.count("terrane_streams_refused_total", why="client") == 2


def test_room_comes_back_however_a_stream_ends(launch):
    server = launch(config=LIMIT)
    for n in range(9):
        assert len(server.get(region(n % 2, side=1000)).body) == 4000000
        assert server.get(region(n % 2, "png", 300)).status == 200
        assert server.get(region(n % 2), [("Range", "bytes=4000-4999")], 206).body
        assert server.get(region(n % 2, "npy"), [("Range", "bytes=0-9")], 206).body  # the head: no tile
        with server.connect() as connection:
            connection.send(request_bytes(region(n)))
            connection.socket.recv(100)
    for body in ({"tiles": [TILE] * 3}, {"tiles": ["/nowhere"] * 256}, {"tiles": []}):
        assert server.ask("/tiles", "POST", body=json.dumps(body).encode()).status == 200
    wait_for(lambda: held(server) == 0, what="everything given back")
    assert server.count("terrane_streams_refused_total") == 0


@in_less_than(60)
def test_also_where_there_is_no_token(launch):
    server = launch(config={"limits": {"stream_bytes": 64 * MIB, "tiles_per_minute": 1, "tiles_burst": 1}})
    assert server.ask(TILE).status == 200
    with server.connect() as connection:
        assert [connection.ask(region(7)).status for _ in range(12)] == [429] * 12
    assert held(server) == 0


def test_who_is_refused_is_told_after_a_while(launch):
    """Who asks again at once asks ten times a second, whatever the reason."""
    server = launch(config=LIMIT)
    with contextlib.ExitStack() as stack:
        fill(stack, server, FULL)
        for source, status in (("127.0.0.2", 429), ("127.0.0.5", 503)):
            with server.connect(source=source) as connection:
                began = time.monotonic()
                for _ in range(5):
                    check_full(connection.ask(region(SHARE)), status)
                assert time.monotonic() - began > 0.48


def test_a_reload_changes_it(launch):
    server = launch(config=LIMIT)
    with contextlib.ExitStack() as stack:
        fill(stack, server)
        check_full(server.ask(region(SHARE)), 429)
        assert reload(server, {"limits": {"stream_bytes": 80 * MIB}})
        assert server.count("terrane_stream_limit_bytes") == 80 * MIB
        assert begin(stack, server, request_bytes(region(SHARE)))[1] == 200
        check_full(server.ask(region(SHARE + 1)), 429)
        assert reload(server, {"limits": {"stream_bytes": 0}})  # no limit
        for n in range(12):
            assert begin(stack, server, request_bytes(region(n)))[1] == 200
        assert reload(server, LIMIT)  # those that are there go on
        check_full(server.ask(region(20)), 429)
        check_full(ask_from(server, "127.0.0.2", request_bytes(region(20))))
    wait_for(lambda: held(server) == 0, what="everything given back")


SMALL = "/region/9.f32?x0=0&y0=0&w=64&h=64&lod=20&variant=base"


def ask_from(server, source, data):
    with server.connect(source=source) as connection:
        connection.send(data)
        return connection.receive()


def batch_of(tiles):
    return request_bytes("/tiles", "POST", body=json.dumps({"tiles": tiles}).encode())


def partitions(n):
    """256 tiles of 9.4 MB: one is made ahead, one is being sent."""
    return batch_of([base_tile(n, 20, x, 0, layer="partition", size=512) for x in range(256)])


def test_one_address_leaves_room_for_others(launch):
    """64 connections of one address ask for what is held the longest, and for small things that fit in between, and read next
    to nothing of it."""
    server = launch(config={"limits": {"stream_bytes": 256 * MIB}})
    small = batch_of([base_tile(5, 20, x, 0, size=129) for x in range(256)])
    with contextlib.ExitStack() as stack:
        large = [data for n in range(20) for data in (partitions(n), request_bytes(region(n, side=4097)))]
        found = [begin(stack, server, data, "127.0.0.2")[1] for data in large + [small] * 24]
        answers = [ask_from(server, source, request_bytes(SMALL))
                   for source in ("127.0.0.1", "127.0.0.3") for _ in range(20)]
        assert [answer.status for answer in answers] == [200] * 40
        assert all(len(answer.body) == 64 * 64 * 4 for answer in answers)
        assert set(found) == {200, 429}
        wait_for(lambda: 64 * MIB < held(server) <= 128 * MIB, what="the last of the others to be given back")
    wait_for(lambda: held(server) == 0, what="everything given back")


def test_who_holds_much_is_to_read_fast(launch):
    """9 MiB are set aside, and a quarter of a megabyte a second has to be taken, not 16 KiB: what sockets hold is taken at
    once, and is a few seconds' worth."""
    server = launch(config={"http": {"send_timeout_s": 1}})
    with contextlib.ExitStack() as stack:
        assert begin(stack, server, request_bytes(region(1)))[1] == 200
        wait_for(lambda: server.count("terrane_connections_cut_total", why="send") == 1, "a cut")
        wait_for(lambda: held(server) == 0, what="everything given back")


@pytest.mark.parametrize("tile", [base_tile(42, 20, 0, 0, "glb", layer="cave"),
                                  base_tile(42, 20, 0, 0, "png", layer="partition", size=512)])
def test_what_cannot_come_is_not_booked(launch, tile):
    """There are no caves; pixels have three bytes, however many numbers their samples have. 15 MiB are left."""
    server = launch(config=LIMIT)
    with contextlib.ExitStack() as stack:
        fill(stack, server, FULL)
        assert ask_from(server, "127.0.0.5", batch_of([tile] * 4)).status == 200


def test_a_share_is_a_client_s(launch):
    """Behind a proxy too, where all have one address; nobody gets another one by saying that he is somebody else."""
    server = launch(config={**LIMIT, "http": {"trusted_proxies": ["127.0.0.1"]}})

    def ask(stack, n, name, source):
        data = request_bytes(region(n), headers=[("X-Forwarded-For", f"192.0.2.{name}")])
        return begin(stack, server, data, source)[1]

    with contextlib.ExitStack() as stack:
        assert [ask(stack, n, 1, "127.0.0.1") for n in range(SHARE + 1)] == [200] * SHARE + [429]
        assert [ask(stack, n, 2, "127.0.0.1") for n in range(3)] == [200, 200, 429]
        assert [ask(stack, 9, n, "127.0.0.2") for n in (3, 4)] == [200, 429]
