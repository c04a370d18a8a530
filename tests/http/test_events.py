"""Who listens to a world that people change hears everything once and in order, after whatever happened to the connection."""

import concurrent.futures
import contextlib
import json
import os
import socket
import time

import pytest
from http_client import PATIENCE_S, raise_descriptors, request_bytes, wait_for
from http_events import Stream
from http_operator import bearer, keys_file, reload
from http_worlds import DIGGER, RAISE, READER, anew, log_of, served, syncs, tile, world, write  # noqa: F401

EVENTS = "/world/commons/events"


@pytest.fixture
def commons(launch, tmp_path):
    return launch(config={**world(tmp_path), "limits": {"tiles_per_minute": 0}})


def listeners(server):
    return server.metrics().total("terrane_world_listeners")


def test_the_log_and_then_what_happens(commons):
    write(commons, [RAISE, {"brush": "mark", "x": 1, "y": 2, "properties": {"name": "é"}}])
    stream = Stream(commons, "?since=0")
    assert [stream.answer[name] for name in ("Content-Type", "Cache-Control", "X-Accel-Buffering")] == ["text/event-stream", "no-store", "no"]
    assert stream.greeting == {"name": "commons", "epoch": stream.greeting["epoch"], "count": 2} and stream.retry == 1000
    write(commons, {"seq": 1}, to="undo")
    heard = [json.loads(stream.next()[1]) for _ in range(3)]
    page = log_of(commons)
    assert page["epoch"] == stream.greeting["epoch"]
    assert heard == [{**edit, "epoch": page["epoch"]} for edit in page["edits"]] and stream.last == "3"
    now = Stream(commons)  # from now on
    write(commons, RAISE)
    assert now.numbers(1) == stream.numbers(1) == [4]
    assert stream.resume(commons, "?since=0").resume(commons).greeting["count"] == 4
    assert Stream(commons, "?since=2", [("Last-Event-ID", "3")]).numbers(1) == [4]
    wait_for(lambda: listeners(commons) == 1, what="a listener alone")  # those that have gone are no more
    assert commons.metrics().total("terrane_world_events_total") >= 6


def test_what_is_wrong_is_said(commons):
    write(commons, RAISE)
    for query, headers, status, parameter in (
            ("?since=x", [], 400, "since"), ("?since=-1", [], 400, "since"), ("?since=2", [], 409, "since"), ("", [("Last-Event-ID", "2")], 409, "Last-Event-ID"),
            ("", [("Last-Event-ID", "a")], 400, "Last-Event-ID"), ("", [("Last-Event-ID", "99999999999999999999")], 400, "Last-Event-ID"),
            ("?box=1,2,3", [], 400, "box"), ("?box=1,2,3,4,5", [], 400, "box"), ("?box=3,0,2,9", [], 400, "box"), ("?box=0,0,1,x", [], 400, "box"), ("?box=", [], 400, "box")):
        answer = commons.get(EVENTS + query, headers, status)
        assert answer.problem(status, parameter) and (not headers or answer["Cache-Control"] == "no-store"), query
    assert commons.get("/world/nowhere/events", status=404).problem(404, "name")
    assert commons.ask(EVENTS, "HEAD")["Content-Type"] == "text/event-stream"


def test_a_box_is_heard_of_alone(launch, tmp_path):
    commons = launch(config={**world(tmp_path), "worlds": {"shared_dir": str(tmp_path), "heartbeat_s": 1}})
    near, far, edge = {**RAISE, "x": 0, "y": 0}, {**RAISE, "x": 5000}, {**RAISE, "x": 240, "y": 0}
    write(commons, [far, near, far, edge, {**edge, "x": 240.0625}])
    box = "box=-200,-200,200,200"
    stream = Stream(commons, f"?since=0&{box}")
    assert stream.numbers(2) == [2, 4]
    write(commons, [{"brush": "mark", "x": 201, "y": 0}, {"brush": "mark", "x": -200, "y": 200}])
    write(commons, {"seq": 1}, to="undo")
    write(commons, {"seq": 2}, to="undo")
    write(commons, far)
    assert stream.numbers(2) == [7, 9]
    while stream.last != "10":  # what passes it by is not read again
        assert stream.next(comments=True) == ("message", "")
    assert [edit["seq"] for edit in json.loads(commons.get(f"/world/commons/edits?since=2&{box}").body)["edits"]] == [4, 7, 9]
    assert json.loads(commons.get(f"/world/commons/edits?since=2&{box}").body)["next"] == 10
    assert [mark["id"] for mark in json.loads(commons.get(f"/world/commons/marks?{box}").body)["features"]] == [7]


def test_a_long_log_comes_in_pages_and_large_events_whole(commons):
    """Further back than the feed goes, and texts that no buffer holds at once."""
    for k in range(8):
        write(commons, [{**RAISE, "x": k}] * 200)
    note = {"brush": "mark", "x": 0, "y": 0, "properties": {"text": "\u00e9" * 500}}  # 3,000 bytes as it is sent
    early = Stream(commons, "?since=0")
    for _ in range(3):
        write(commons, [note] * 20)
    assert early.numbers(1660) == list(range(1, 1661))
    assert Stream(commons, "?since=30").numbers(1630) == list(range(31, 1661))


def test_who_slept_while_more_came_than_is_kept_is_told(launch, tmp_path, syncs):  # noqa: F811
    """Of large batches that are one transaction the first is kept in the file alone."""
    commons = launch(config=world(tmp_path), environment=syncs.environment)
    far, places = {"brush": "mark", "x": 5000, "y": 0}, range(6)
    streams = [Stream(commons, f"?since=0&box={x},0,{x},0") for x in places]
    syncs.take(500)
    with concurrent.futures.ThreadPoolExecutor(7) as writers:
        writers.submit(write, commons, far)  # what the disk is with while the others come
        first = [[done["first"]] for done in writers.map(lambda x: write(commons, [{**far, "x": x}] + [far] * 255), places)]
    assert [stream.numbers(1) for stream in streams] == first


def hear(stream, last):
    numbers = []
    while not numbers or numbers[-1] < last:
        numbers += stream.numbers(1)
    return numbers


def test_many_hear_all_of_what_many_write(commons):
    streams = [Stream(commons, "?since=0") for _ in range(40)]
    with concurrent.futures.ThreadPoolExecutor(48) as workers:
        heard = [workers.submit(hear, stream, 400) for stream in streams]
        for done in [workers.submit(write, commons, [{**RAISE, "x": k}] * 5) for k in range(80)]:
            done.result()
        assert all(one.result(PATIENCE_S) == list(range(1, 401)) for one in heard)


def test_a_listener_that_reads_nothing_is_dropped(commons):
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(commons.public)
        deaf.sendall(request_bytes(EVENTS))
        wait_for(lambda: listeners(commons) == 1, what="a listener")
        note = {"brush": "mark", "x": 0, "y": 0, "properties": {"text": "\u00e9" * 500}}
        other, sent = Stream(commons), 0
        while listeners(commons) > 1:
            write(commons, [note] * 20)
            sent += 20
            assert other.numbers(20)[-1] == sent < 100000
    wait_for(lambda: commons.count("terrane_connections_cut_total", why="behind") == 1, what="the count")


@pytest.mark.parametrize("count", [400, pytest.param(10000, marks=pytest.mark.long)])
def test_a_crowd_listens_of_which_half_reads_nothing(launch, tmp_path, count):
    """As many as may be, and no more."""
    raise_descriptors(2 * count)
    commons = launch(config={**world(tmp_path), "worlds": {"shared_dir": str(tmp_path), "listeners": count}, "limits": {"tiles_per_minute": 0}, "http": {"connections": count + 64, "connections_per_address": count + 64}})
    before, crowd = commons.resident_bytes(), [socket.create_connection(commons.public, PATIENCE_S) for _ in range(count)]
    for one in crowd:
        one.sendall(request_bytes(EVENTS))
    wait_for(lambda: listeners(commons) == count, what="all of them")
    refused = commons.get(EVENTS, status=503)
    assert refused.problem(503) and int(refused["Retry-After"]) > 0
    write(commons, [RAISE] * 3)
    for one in crowd[::2]:
        text = b""
        while b"id: 3\n" not in text:
            more = one.recv(65536)
            assert more, text
            text += more
    assert commons.get(tile(0, 0))
    assert commons.resident_bytes() - before < count * 40000 + (16 << 20) or "TIMEOUT_MULT" in os.environ  # a sanitizer's memory is not the program's
    crowd.pop().close()
    wait_for(lambda: listeners(commons) == count - 1, what="one listener fewer")
    assert Stream(commons).greeting
    for one in crowd:
        one.close()
    wait_for(lambda: listeners(commons) == 0, what="nobody")
    assert write(commons, RAISE)["first"] == 4


@pytest.mark.long
def test_a_key_that_expires_ends_its_streams(launch, tmp_path):
    commons = launch(config={**world(tmp_path), "access": {"keys_file": served(tmp_path)["access"]["keys_file"], "required": True}})
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 5))
    keys_file(tmp_path, (DIGGER, "digger", {"edit": True, "expires": expires}))
    assert reload(commons)
    stream = Stream(commons, headers=bearer(DIGGER))
    write(commons, RAISE)
    assert stream.numbers(1) == [1]
    ended(stream)
    write(commons, RAISE, status=401)


def test_silence_is_filled(launch, tmp_path):
    """And a stream on which nothing else comes is not closed as idle."""
    commons = launch(config={**world(tmp_path), "worlds": {"shared_dir": str(tmp_path), "heartbeat_s": 1}, "http": {"idle_timeout_s": 1, "send_timeout_s": 1, "request_timeout_s": 1}})
    stream = in_time(lambda: Stream(commons))
    for _ in range(3):
        assert stream.next(comments=True) == ("message", "")
    in_time(lambda: write(commons, {**RAISE, "token": "one"}, status=None))
    assert stream.numbers(1) == [1]


def in_time(act):
    """A client that a busy machine keeps from sending for a second is closed as idle, and asks again."""
    def acted():
        with contextlib.suppress(ConnectionError, EOFError):
            return act()
    return wait_for(acted, what="an answer")


def ended(stream):
    with pytest.raises(EOFError):
        stream.numbers(1)


def test_a_stop_and_a_reload_end_streams_and_clients_go_on(launch, tmp_path):
    config = world(tmp_path)
    commons = launch(config=config)
    write(commons, RAISE)
    stream = Stream(commons, "?since=0")
    assert stream.numbers(1) == [1]
    assert reload(commons)
    ended(stream)
    stream = stream.resume(commons)
    commons.signal()
    ended(stream)
    assert commons.wait() == 0
    again = launch(config=config)
    write(again, RAISE)
    resumed = stream.resume(again)
    assert resumed.numbers(1) == [2]
    again.kill()
    with contextlib.suppress(ConnectionError):
        ended(resumed)
    last = launch(config=config)
    assert write(last, RAISE)["first"] == 3 and resumed.resume(last).numbers(1) == [3]


def test_a_world_made_anew_is_another(launch, tmp_path):
    config = world(tmp_path)
    commons = launch(config=config)
    write(commons, RAISE)
    first = Stream(commons, "?since=0")
    assert first.numbers(1) == [1]
    commons.stop()
    anew(tmp_path)
    again = launch(config=config)
    assert again.get(EVENTS, [("Last-Event-ID", first.last)], 409)
    assert Stream(again).greeting["epoch"] != first.greeting["epoch"]


def test_who_may_listen(launch, tmp_path):
    commons = launch(config={**world(tmp_path), "access": {"keys_file": served(tmp_path)["access"]["keys_file"], "required": True}})
    assert commons.get(EVENTS, status=401) and commons.get(f"{EVENTS}?key=nobody-s-key-at-all-0", status=401)
    by_header, stream = Stream(commons, headers=bearer(READER)), Stream(commons, f"?key={READER}")
    write(commons, RAISE)
    assert by_header.numbers(1) == stream.numbers(1) == [1]
    keys_file(tmp_path, (DIGGER, "digger", {"edit": True}))
    assert reload(commons)
    ended(stream)
    assert commons.get(f"{EVENTS}?key={READER}", status=401)
