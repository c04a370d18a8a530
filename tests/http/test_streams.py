"""limits.stream_bytes: what regions and batches hold for clients that read slowly, over all connections."""

import contextlib
import json

import pytest
from http_client import request_bytes, wait_for
from http_operator import reload
from http_server import base_tile

MIB = 1 << 20
LIMIT = {"limits": {"stream_bytes": 64 * MIB}}
FIT = 7  # regions of 16 x 16 tiles: 9 MiB each
TILE = base_tile(42, 20, 0, 0, size=33)


def region(n, ext="f32", side=4000):
    """64 MB of cheap samples: more than any kernel buffers."""
    return f"/region/{n}.{ext}?x0=0&y0=0&w={side}&h={side}&lod=20&variant=base"


def batch(n):
    """100 tiles of 3 MB: five are made ahead, one is being sent."""
    tiles = [base_tile(n, 20, x, 0, layer="normal", size=512) for x in range(100)]
    return request_bytes("/tiles", "POST", body=json.dumps({"tiles": tiles}).encode())


def held(server):
    return server.count("terrane_stream_bytes")


def begin(stack, server, data):
    """A client that asks and reads no more than the status."""
    connection = stack.enter_context(server.connect())
    connection.send(data)
    status = int(connection.socket.recv(12).split()[1])
    return connection, status


def begins(stack, server, data):
    connection, status = begin(stack, server, data)
    if status == 503:
        connection.close()
    return status == 200


def check_full(answer):
    assert answer.status == 503 and int(answer["Retry-After"]) >= 1 and answer["Cache-Control"] == "no-store"
    assert answer["Content-Type"] == "application/problem+json" and "being sent" in json.loads(answer.body)["detail"]


@pytest.mark.parametrize("data,most", [(lambda n: request_bytes(region(n)), FIT), (batch, 3)], ids=["regions", "batches"])
def test_slow_readers_are_bounded(launch, data, most):
    server = launch(config=LIMIT)
    with contextlib.ExitStack() as stack:
        opened = [begin(stack, server, data(n)) for n in range(most)]
        assert [status for _, status in opened] == [200] * most
        assert 48 * MIB < held(server) <= 64 * MIB
        with server.connect() as more:
            for n in (100, 101):
                more.send(data(n))
                check_full(more.receive())
            etag = more.ask(region(100), "HEAD")["ETag"]  # what holds nothing has its answer
            assert more.ask(region(100), headers=[("If-None-Match", etag)]).status == 304
            assert more.ask(TILE).status == more.ask("/point/42?x=1&y=2&lod=20&variant=base").status == 200
            assert server.count("terrane_streams_refused_total") == 2
        opened[0][0].close()
        wait_for(lambda: begins(stack, server, data(102)), what="room for one more")
        assert held(server) <= 64 * MIB and server.is_well()
    wait_for(lambda: held(server) == 0, what="everything given back")
    server.wait_idle(30)


def test_who_is_refused_pays_nothing(launch):
    server = launch(config={"limits": {"stream_bytes": 64 * MIB, "tiles_per_minute": 1, "tiles_burst": FIT * 256 + 1}})
    with contextlib.ExitStack() as stack:
        for n in range(FIT):
            assert begin(stack, server, request_bytes(region(n)))[1] == 200
        check_full(server.ask(region(FIT)))
        assert [server.ask(TILE).status for _ in range(2)] == [200, 429]
        check_full(server.ask(region(FIT)))


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


def test_also_where_there_is_no_token(launch):
    server = launch(config={"limits": {"stream_bytes": 64 * MIB, "tiles_per_minute": 1, "tiles_burst": 1}})
    assert server.ask(TILE).status == 200
    with server.connect() as connection:
        assert [connection.ask(region(7)).status for _ in range(12)] == [429] * 12
    assert held(server) == 0


def test_a_reload_changes_it(launch):
    server = launch(config=LIMIT)
    with contextlib.ExitStack() as stack:
        for n in range(FIT):
            assert begin(stack, server, request_bytes(region(n)))[1] == 200
        check_full(server.ask(region(FIT)))
        assert reload(server, {"limits": {"stream_bytes": 80 * MIB}})
        assert server.count("terrane_stream_limit_bytes") == 80 * MIB
        assert begin(stack, server, request_bytes(region(FIT)))[1] == 200
        check_full(server.ask(region(FIT + 1)))
        assert reload(server, {"limits": {"stream_bytes": 0}})  # no limit
        for n in range(12):
            assert begin(stack, server, request_bytes(region(n)))[1] == 200
        assert reload(server, LIMIT)  # those that are there go on
        check_full(server.ask(region(20)))
    wait_for(lambda: held(server) == 0, what="everything given back")
