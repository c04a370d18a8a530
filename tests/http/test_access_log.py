"""The access log: a line of JSON for each request, names of requests, no secrets, rotation."""

import datetime
import json
import os
import re
import time

import pytest
from http_client import Crowd, wait_for
from http_operator import keys_file, reload
from http_server import base_tile

KEY = "a-key-of-the-game-1"
MEMBERS = {"time", "id", "client", "method", "target", "route", "status", "bytes", "tier", "queue_ms", "region_ms",
           "render_ms", "total_ms"}
HOT = base_tile(42, 3, 6, 6, "png", size=32)


def lines_now(path):
    """The log's lines; those of scrapes, which tests make, left out."""
    found = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
    return [line for line in found if line["route"] != "/metrics"]


def lines(path, count):
    """The same once there are so many and the last one is whole."""
    def read():
        whole = path.exists() and path.read_bytes()[-1:] == b"\n"
        return whole and len(lines_now(path)) >= count and lines_now(path)
    return wait_for(read, f"{count} lines in {path}")


@pytest.fixture
def logged(launch, tmp_path):
    """A server with an access log, and the log."""
    def start(environment=None, **config):
        path = tmp_path / "access.log"
        return launch(config={"log": {"access": str(path)}, "access": {"keys_file": keys_file(tmp_path, (KEY, "game", {}))},
                              **config}, environment=environment), path
    return start


def test_one_line_for_each_request(logged):
    server, path = logged()
    asked = [(HOT, "GET", 200, "render"), (HOT, "GET", 200, "memory"), (HOT, "HEAD", 200, "memory"),
             ("/world/42", "GET", 200, "none"), ("/tile/42/0/0/x.png", "GET", 400, "none"), ("/nothing?x=1", "GET", 404, "none"),
             (HOT, "POST", 405, "none"), ("/healthz", "GET", 200, "none"), (HOT, "OPTIONS", 204, "none"),
             (f"{HOT}&v=99", "GET", 410, "none")]
    begun = time.time()
    with server.connect() as connection:
        answers = [connection.ask(target, method, [("User-Agent", "tests/1.0")]) for target, method, _, _ in asked]
    found = lines(path, len(asked))
    assert len(found) == len(asked)
    for (target, method, status, tier), answer, line in zip(asked, answers, found):
        assert set(line) == MEMBERS | {"agent"}
        assert (line["target"], line["method"], line["status"], line["tier"]) == (target, method, status, tier)
        assert line["id"] == answer["X-Request-Id"] and line["client"] == "127.0.0.1" and line["agent"] == "tests/1.0"
        assert line["bytes"] == len(answer.body)
        assert 0 <= line["queue_ms"] <= line["total_ms"] and line["render_ms"] <= line["total_ms"]
        assert begun - 1 < datetime.datetime.fromisoformat(line["time"]).timestamp() <= time.time() and line["time"].endswith("Z")
    assert [line["route"] for line in found[:6]] == ["/tile"] * 3 + ["/world", "/tile", "unknown"]
    assert found[0]["render_ms"] > 0 and found[1]["render_ms"] == 0
    assert len({line["id"] for line in found}) == len(found)
    assert path.stat().st_mode & 0o077 & ~0o040 == 0  # for the operator's group at most


GIVEN = [("my-request-1", True), ("x" * 64, True), ("x" * 65, False), ("with space", False), ('with"quote', False),
         ("back\\slash", False), ("f\u00fcnf", False), ("", False)]


def test_a_request_s_own_name(logged):
    server, path = logged()
    with server.connect() as connection:
        answers = [connection.ask(HOT, headers=[("X-Request-Id", given)])["X-Request-Id"] for given, _ in GIVEN]
    for (given, kept), name in zip(GIVEN, answers):
        assert name == given if kept else re.fullmatch("[0-9a-f]{8,64}", name)
    assert [line["id"] for line in lines(path, len(GIVEN))] == answers


def test_no_log_no_names(server):
    assert "X-Request-Id" not in server.ask(HOT, headers=[("X-Request-Id", "mine")])


def test_keys_are_never_written(logged):
    server, path = logged()
    secret = KEY.replace("a-key", "%61-key")
    targets = [f"{HOT}&key={KEY}", f"{HOT}&key={secret}", f"{HOT}&KEY={KEY}&size=32", f"/nothing?key={KEY}#x",
               f"/tile/x?a=b&k%65y={KEY}", f"{HOT}&key=wrong-{KEY}"]
    with server.connect() as connection:  # whose lines come in order
        for target in targets:
            connection.ask(target)
        for headers in ([("Authorization", f"Bearer {KEY}")], [("X-Api-Key", KEY)], [("X-Api-Key", f"wrong-{KEY}")]):
            connection.ask(HOT, headers=headers)
    found = lines(path, len(targets) + 3)
    assert "of-the-game" not in path.read_text() and "of-the-game" not in server.log_text()
    assert found[0]["target"] == f"{HOT}&key=-" and found[0]["key"] == found[1]["key"] == found[6]["key"] == "game"
    assert "key" not in found[5] and found[5]["status"] == found[8]["status"] == 401


def test_who_leaves_is_told_of(logged, hold):
    server, path = logged(render={"threads": 1, "queue": 1000}, environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [base_tile(42, 1, i, 91, "png", layer="normal", size=512) for i in range(60)]):
        wait_for(lambda: server.count("terrane_queue_depth") > 20, what="a queue")
    wait_for(lambda: server.count("terrane_connections") == 1, what="a crowd that is seen to be gone")
    hold.release()
    server.wait_idle()
    found = lines(path, 60)
    assert {line["status"] for line in found} <= {200, None} and any(line["status"] is None for line in found)


def test_who_is_behind_a_proxy(logged):
    server, path = logged(http={"trusted_proxies": ["127.0.0.1"]})
    server.ask(HOT, headers=[("X-Forwarded-For", "203.0.113.9, 2001:db8::7")])
    with server.connect(source="127.0.0.2") as connection:
        connection.ask(HOT, headers=[("X-Forwarded-For", "203.0.113.9")])
    assert {line["client"] for line in lines(path, 2)} == {"2001:db8::7", "127.0.0.2"}


def test_rotation(logged, tmp_path):
    """The file is renamed, the server told: no line is lost, none is split."""
    server, path = logged()
    config = json.loads(server.config.read_text())
    count, descriptors = 0, []
    for turn in range(4):
        with server.connect() as connection:
            for _ in range(50):
                connection.ask(HOT)
        os.rename(path, tmp_path / f"old.{turn}")
        with server.connect() as connection:
            for _ in range(50):
                connection.ask(HOT)
        assert reload(server)
        descriptors.append(server.descriptors())
        count += 100
    server.ask("/healthz")
    wait_for(path.exists, what="the new file")
    lines(path, 1)
    wait_for(lambda: sum(len(lines_now(log)) for log in (path, *tmp_path.glob("old.*"))) == count + 1, what="all lines")
    assert server.count("terrane_access_log_dropped_total") == 0 and descriptors[-1] <= descriptors[0] + 2
    config["log"]["access"] = str(tmp_path / "elsewhere.log")
    assert reload(server, config)
    server.ask("/nothing")
    assert lines(tmp_path / "elsewhere.log", 1)[-1]["target"] == "/nothing"
    assert not reload(server, {**config, "log": {"access": str(tmp_path / "no" / "such" / "directory")}})
    server.ask("/nothing")
    lines(tmp_path / "elsewhere.log", 2)


def test_the_end_writes_what_is_queued(logged):
    server, path = logged()
    with server.connect() as connection:
        for _ in range(200):
            connection.ask(HOT)
    assert server.stop() == 0 and len(lines_now(path)) == 200
