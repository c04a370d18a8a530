"""POST /tiles: many tiles in one answer, each in a frame of its own."""

import concurrent.futures
import contextlib
import json
import os
import struct
import time

import pytest
from http_client import request_bytes, wait_for
from http_server import GENERATOR, base_tile, tile

END = 0xFFFFFFFF


def frames_of(body):
    """[(index, status, bytes)] in the order they came; the last frame is looked at and left out."""
    at, frames = 0, []
    while at < len(body):
        index, status, count = struct.unpack_from("<III", body, at)
        assert at + 12 + count <= len(body), "a frame is cut"
        frames.append((index, status, body[at + 12:at + 12 + count]))
        at += 12 + count
    assert frames and frames[-1] == (END, 0, b""), frames[-1][:2] if frames else "no frame"
    return frames[:-1]


def body_of(tiles):
    return json.dumps({"tiles": tiles}).encode()


def ask(asked, tiles, status=200):
    """A server's or a connection's answer."""
    body = tiles if isinstance(tiles, bytes) else body_of(tiles)
    answer = asked.ask("/tiles", "POST", [("Content-Type", "application/json")], body)
    assert answer.status == status, (answer.status, answer.body[:300])
    return answer


def batch(asked, tiles):
    """(status, bytes) of each, in the order of the question."""
    frames = frames_of(ask(asked, tiles).body)
    assert sorted(index for index, _, _ in frames) == list(range(len(tiles)))
    return [frame[1:] for frame in sorted(frames)]


GOOD = [
    tile(42, 3, 0, 1), tile(42, 3, 0, 1, "png"), tile(42, 3, 0, 1, "r16"), tile(42, 3, 0, 1, "npy", size=65),
    tile(42, 3, 0, 1, "json"), tile(42, 3, 0, 1, "png", layer="partition"), tile(42, 3, 0, 1, layer="normal", size=33),
    tile("alps", 5, -3, 2, recipe="alpine", variant="base"), tile("0xfeedface", 9, 0, 0, "json", recipe="desert"),
    tile(18446744073709551615, 24, -1, -1, size=16), tile(42, 6, 1, 1, "png", layer="relief", size=512),
    "/xyz/42/9/256/255.png", "/xyz/42/9/256/255@2x.png?layer=hillshade", "/xyz/42/0/0/0.f32",
    f"/tile/42/3/0/1.f32?v={GENERATOR}&size=5", "/tile/%34%32/3/0/1.f32?size=5", tile(42, 3, 0, 1, None, size=8)]
BAD = [
    "/tile/42/3/0/one.f32", "/tile/42/25/0/0.f32", "/tile/42/3/0/1.f32?size=100", "/tile/42/3/0/1.bmp",
    "/tile/42/3/0/1.f32?layer=relief", f"/tile/42/3/0/1.f32?v={GENERATOR + 1}", "/tile/42/3/0/1.f32?recipe=moon",
    "/tile/42/0/1099511627776/0.png", "/xyz/42/9/512/0.png", "/tile/9%zz/1/1/1.png", "/nowhere"]


def test_frames_hold_what_get_answers(server, connection):
    answers = batch(connection, GOOD + BAD)
    for target, (status, data) in zip(GOOD + BAD, answers):
        alone = connection.ask(target)
        assert status == alone.status and data == alone.body, target
        assert (status == 200) == (target in GOOD), target


def test_answers_say_what_they_are(server):
    answer = ask(server, GOOD[:2])
    assert answer["Content-Type"] == "application/vnd.terrane.tiles" and answer["Cache-Control"] == "no-store"
    assert answer["Transfer-Encoding"] == "chunked" and answer["Access-Control-Allow-Origin"] == "*"
    before = server.ask("/tiles", "OPTIONS")
    assert before.status == 204 and "POST" in before["Access-Control-Allow-Methods"] and "Content-Type" in before["Access-Control-Allow-Headers"]


@pytest.mark.parametrize("target", ["/world/42", "/region/42.f32?x0=0&y0=0&w=8&h=8", "/tiles", "/healthz", "/", "/point/42?x=0&y=0",
                                    "/metrics", "/purge?all=1", tile(42, 0, 0, 0, "png") + "/status"])
def test_tiles_alone(connection, target):
    (status, data), (other, _) = batch(connection, [target, base_tile(1, 0, 0, 0, size=2)])
    assert status == 400 and json.loads(data)["parameter"] == "path" and other == 200


def test_as_many_as_may_be(server, connection):
    tiles = [base_tile(11, 0, n % 16, n // 16, size=5) for n in range(256)]
    answers = batch(connection, tiles)
    assert all(status == 200 and len(data) == 100 for status, data in answers)
    assert len({data for _, data in answers}) == 256
    for n in (0, 100, 255):
        assert connection.ask(tiles[n]).body == answers[n][1]
    assert "257" in ask(server, tiles + tiles[:1], 413).problem(413, "tiles")


def test_none_and_twice(connection):
    assert batch(connection, []) == []
    answers = batch(connection, [tile(3, 2, 5, 5)] * 40)
    assert len(set(answers)) == 1 and answers[0][0] == 200


@pytest.mark.parametrize("body,parameter", [
    (b"", "body"), (b'{"tiles": []} ,', "body"), (b"\xff\xfe", "body"), (b'{"tiles": [], "tile": []}', "body"),
    (b'{"tiles": [], "tiles": []}', "body"),
    (b'{"tiles": ["/tile/1/0/0/0\0"]}', "body"), (b'{"tiles":' + b"[" * 60000, "body"), (b"{}", "tiles"), (b'{"tiles": null}', "tiles"),
    (b'{"tiles": {"0": "/tile/1/0/0/0.png"}}', "tiles"), (b'{"tiles": ["/tile/1/0/0/0.png", 7]}', "tiles")])
def test_bodies_that_are_none(server, body, parameter):
    ask(server, body, 400).problem(400, parameter)


def test_bodies_are_bounded(server):
    assert "65536" in ask(server, b'{"tiles": ["' + b"x" * 65536 + b'"]}', 413).problem(413, "body")
    assert batch(server, ["/tile/42/0/0/0.f32?size=2&n=" + "x" * 8000])[0][0] == 200
    assert batch(server, ["/tile/42/0/0/0.f32?size=2&n=" + "x" * 60000])[0][0] == 400


def test_http_1_0(server):
    """No chunks there: the end of the stream ends the answer."""
    with server.connect() as connection:
        body = body_of(GOOD[:3])
        connection.send(b"POST /tiles HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        head, _, data = connection.receive_end().partition(b"\r\n\r\n")
        assert b" 200 " in head.split(b"\r\n")[0] and b"chunked" not in head
        assert len(frames_of(data)) == 3


def test_frames_come_as_they_are_ready(launch, hold):
    """What is in memory does not wait for what has to be made."""
    server = launch(config={"render": {"threads": 1}}, environment=hold.environment)
    ready = base_tile(5, 3, 0, 0)
    size = len(server.get(ready).body)
    hold.hold()
    with server.connect() as connection:
        connection.send(request_bytes("/tiles", "POST", body=body_of([tile(5, 0, x, 900, "png") for x in range(8)] + [ready])))
        while len(connection.data) < size:
            connection.data += connection.socket.recv(65536)
        hold.release()
        frames = frames_of(connection.receive().body)
    assert frames[0][0] == 8 and [status for _, status, _ in frames] == [200] * 9


def test_two_at_once(launch):
    server = launch()
    tiles = [base_tile(21, 1, n % 8, n // 8) for n in range(64)]
    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        there, back = clients.map(lambda order: batch(server, order), (tiles, tiles[::-1]))
    assert there == back[::-1] and all(status == 200 and len(data) == 257 * 257 * 4 for status, data in there)
    assert server.renders() == 64
    server.wait_idle()


def test_a_full_queue_is_waited_for(launch):
    """However short the queue: a batch waits for its own tiles, and others find room."""
    server = launch(config={"render": {"threads": 1, "queue": 8}})
    tiles = [base_tile(31, 2, n % 8, n // 8) for n in range(48)]
    with concurrent.futures.ThreadPoolExecutor(1) as client:
        done = client.submit(batch, server, tiles)
        assert [server.ask(base_tile(32, 2, n, 0)).status for n in range(10)] == [200] * 10
        assert [status for status, _ in done.result()] == [200] * 48


@pytest.mark.long
def test_waiting_is_sleeping(launch):
    """Of the threads, one makes tiles; whoever waits for it has next to nothing to do."""
    server = launch(config={"render": {"threads": 1}, "cache": {"disk_bytes": 0}}, world="continents")
    before = server.thread_seconds()
    answers = batch(server, [tile(91, 0, n * 7, 900) for n in range(12)])
    assert [status for status, _ in answers] == [200] * 12
    spent = sorted(server.thread_seconds(before).values(), reverse=True)
    assert spent[0] >= 0.2 and spent[1] < spent[0] / 8, spent


@pytest.mark.parametrize("begun", [0, 1, 20])
def test_a_client_that_leaves(launch, hold, begun):
    """When some are made, others asked for, and most are not: those are never made."""
    server = launch(config={"render": {"threads": 1}}, environment=hold.environment)
    hold.allow(begun)
    with server.connect() as connection:
        connection.send(request_bytes("/tiles", "POST", body=body_of([tile(41, 0, n, 7, "png") for n in range(256)])))
        wait_for(lambda: server.count("terrane_inflight") > 0 and hold.is_spent(), what="a batch under way")
    wait_for(lambda: server.count("terrane_connections") == 1, what="a client that is seen to be gone")
    hold.release()
    server.wait_idle()
    assert server.renders() < begun + 80 and server.is_well()


def test_a_client_that_reads_slowly(launch):
    """It gets every frame whole, and others do not wait for it."""
    server = launch()
    tiles = [base_tile(51, 1, n % 8, n // 8) for n in range(64)]
    with server.connect() as connection:
        connection.send(request_bytes("/tiles", "POST", body=body_of(tiles)))
        for _ in range(20):
            connection.data += connection.socket.recv(4096)
            time.sleep(0.02)
        assert server.ask(base_tile(52, 1, 0, 0)).status == 200
        frames = frames_of(connection.receive().body)
    assert len(frames) == 64 and all(status == 200 and len(tile) == 264196 for _, status, tile in frames)


@pytest.mark.skipif("TIMEOUT_MULT" in os.environ, reason="a sanitizer's memory is not the program's")
def test_large_tiles_are_held_one_by_one(launch):
    """512 x 512 x 9 floats are 9.4 MB: sixteen of them for a client that does not read would be 150."""
    server = launch(config={"cache": {"memory_bytes": 16 << 20}})
    large = {"layer": "partition", "size": 512}
    server.ask(tile(70, 20, 0, 0, **large))
    before = server.resident_bytes()
    with contextlib.ExitStack() as stack:
        for seed in range(71, 75):
            connection = stack.enter_context(server.connect())
            connection.send(request_bytes("/tiles", "POST", body=body_of(
                [tile(seed, 20, n, 0, **large) for n in range(32)])))
        wait_for(lambda: server.renders() >= 5 and server.count("terrane_inflight") == 0, what="all that is made ahead")
        assert server.resident_bytes() - before < 300 << 20
        assert server.is_well()


def test_the_end_of_a_server(launch, hold):
    """What has begun is finished, or cut where that is seen."""
    server = launch(environment=hold.environment)
    hold.allow(4)
    with server.connect() as connection:
        connection.send(request_bytes("/tiles", "POST", body=body_of([base_tile(81, 1, n, 7, "png") for n in range(24)])))
        wait_for(hold.is_spent, what="a batch under way")
        server.signal()
        hold.release()
        answer = connection.receive()
        assert {status for _, status, _ in frames_of(answer.body)} <= {200, 503}
    assert server.wait() == 0
