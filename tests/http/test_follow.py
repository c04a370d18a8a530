"""Servers that follow a world's home have its log, serve its ground and hand writes on, whatever ends meanwhile."""

import collections
import concurrent.futures
import contextlib
import http.client
import http.server
import json
import random
import sqlite3
import struct
import threading
import time

import pytest
from http_client import PATIENCE_S, wait_for
from http_events import Stream
from http_openapi import OPERATIONS, call
from http_operator import bearer, keys_file
from http_server import run
from http_store import free_port
from http_worlds import DIGGER, RAISE, READER, anew, log_of, pages, tile, world, write

FOLLOWER = "follower-s-key-01234567"


@pytest.fixture
def cluster(launch, tmp_path):
    return Cluster(launch, tmp_path)


class Cluster:
    """A home of a world, and who follows it; each may end and be started again."""

    def __init__(self, launch, directory):
        self.launch, self.directory = launch, directory
        world(directory / "home")
        keys = keys_file(directory, (DIGGER, "digger", {"edit": True}), (READER, "reader", {}), (FOLLOWER, "follower", {"follow": True}))
        self.config = {"worlds": {"shared_dir": str(directory / "home")}, "access": {"keys_file": keys}, "limits": {"tiles_per_minute": 0}}
        (directory / "key").write_text(FOLLOWER)
        self.address = f"127.0.0.1:{free_port()}"  # that stays

    def home(self):
        return self.launch(config=self.config, listen=self.address)

    def follower(self, name="one", ready=True):
        server = self.launch(config={"worlds": {"shared_dir": str(self.directory / name), "follow": f"http://{self.address}", "follow_key_file": str(self.directory / "key")}})
        if ready:
            wait_for(lambda: server.ask("/readyz", admin=True).status == 200, what="a follower that is ready")
        return server


def has(server, count, name="commons"):
    """Waits until it has so many operations."""
    wait_for(lambda: server.ask(f"/world/{name}/edits?since={count}").status == 200, what=f"operation {count}")


def follows(server):
    return json.loads(server.get("/world/commons").body)["edits"]["follows"]


def agree(*servers):
    """Logs, ground, marks and what was."""
    logs, ground = ([ask(server) for server in servers] for ask in (
        pages, lambda server: [server.get(target).body for at in (1, 2) for target in (tile(0, 0), tile(0, 0, at=at), tile(0, 0, layer="relief", ext="png"), "/world/commons/marks")]))
    assert all(log == logs[0] for log in logs) and all(one == ground[0] for one in ground)


def test_a_follower_is_its_home(cluster):
    home = cluster.home()
    write(home, [{**RAISE, "x": 48 * k, "token": f"t{k}"} for k in range(200)])
    write(home, [{"brush": "mark", "x": k, "y": 2, "properties": {"name": "\u00e9\n\u0001"}} for k in range(199)])
    write(home, {"seq": 390}, to="undo")  # which comes with what it undoes
    write(home, {"brush": "way", "line": [[5 * k, 7 * k, k % 3] for k in range(1024)], "width": 4, "slope": 1})  # the longest
    begun = time.monotonic()
    follower = cluster.follower()  # which is ready when it has caught up
    has(follower, 401)
    stream = Stream(follower, "?since=400")
    write(home, {"seq": 1}, to="undo")
    assert stream.numbers(2) == [401, 402] and stream.greeting["epoch"] == log_of(home)["epoch"]
    agree(home, follower)
    for target in (tile(0, 0), tile(0, 0), "/region/commons.f32?lod=0&x0=0&y0=0&w=9&h=9"):
        assert follower.get(target)["Terrane-Edit"] == "402" and not home.get(target).all("Terrane-Edit")
    assert follower.get(tile(0, 0), [("If-None-Match", home.get(tile(0, 0))["ETag"])], 304)["Terrane-Edit"] == "402"
    assert follows(follower) == {"home": f"http://{cluster.address}", "away": False, "behind": 0}
    told = follower.metrics()
    assert [told.total(f"terrane_follow_{name}") for name in ("worlds", "refused", "away", "behind_edits")] == [1, 0, 0, 0] and told.total("terrane_follow_silent_seconds") <= time.monotonic() - begun + 1


def test_writes_are_handed_on(cluster):
    home, follower = cluster.home(), cluster.follower()
    for k in range(20):  # and seen by who reads after them
        begun = time.monotonic()
        assert write(follower, {**RAISE, "token": f"t{k}"})["first"] == k + 1
        if time.monotonic() - begun > 2:  # no answer is held longer for a copy that is behind
            has(follower, k + 1)
        assert follower.get(tile(0, 0, at=k + 1))["Terrane-Edit"] == str(k + 1)
    assert write(follower, {**RAISE, "token": "t3"}, status=200)["first"] == 4
    assert write(follower, {"seq": 1}, to="undo")["first"] == 21
    has(follower, 21)
    write(follower, {"seq": 1}, to="undo", status=409)
    assert write(follower, {**RAISE, "outer": -4}, status=400)["parameter"] == "outer"
    write(follower, RAISE, key=None, status=401)
    write(follower, RAISE, key=READER, status=403)
    match = follower.ask("/world/commons/edits", "POST", [*bearer(DIGGER), ("If-Match", "3")], json.dumps(RAISE).encode())
    assert "has 21 operations, not 3" in match.problem(412, "If-Match")
    assert home.metrics().total("terrane_world_edits_total") == 21 == log_of(follower)["next"]
    body = follower.get(tile(0, 0)).body
    home.kill()
    refused = follower.ask("/world/commons/edits", "POST", bearer(DIGGER), json.dumps(RAISE).encode())
    assert "nothing was written" in refused.problem(503) and int(refused["Retry-After"]) > 0
    assert follower.get(tile(0, 0)).body == body and follower.ask("/readyz", admin=True).status == 200
    wait_for(lambda: follows(follower)["away"], what="a home that is away")
    follower.stop()
    again = cluster.follower()  # from its own copy
    assert again.get(tile(0, 0)).body == body and len(pages(again)) == 21
    for target in (tile(0, 0, name="other"), "/world/other"):  # which the home may have
        again.get(target, status=503).problem(503, "name")
    again.get(tile(0, 0, name="7"))
    home = cluster.home()
    wait_for(lambda: again.ask(tile(0, 0, name="other")).status == 200, what="the home's worlds")
    write(home, RAISE)
    has(again, 22)
    assert again.metrics().total("terrane_follow_handed_total") == 0
    wait_for(lambda: not follows(again)["away"], what="the home's events")


def test_a_home_made_anew_is_never_merged(cluster):
    home, follower = cluster.home(), cluster.follower()
    write(follower, [RAISE] * 5)
    has(follower, 5)
    old = Stream(follower, "?since=4")
    assert old.numbers(1) == [5]
    home.stop()
    anew(cluster.directory / "home", seed=43)
    home = cluster.home()
    write(home, [{**RAISE, "x": 7}] * 9)
    with pytest.raises(EOFError):
        old.numbers(1)
    wait_for(lambda: follower.ask("/world/commons/edits").status == 200 and log_of(follower)["next"] == 9, what="the new world")
    agree(home, follower)
    assert Stream(follower).greeting["epoch"] == log_of(home)["epoch"] != old.greeting["epoch"]
    assert len(list((cluster.directory / "one").glob(f"commons.world.aside-{old.greeting['epoch']}-*"))) == 1


@pytest.mark.parametrize("count", [2, 9])
def test_a_copy_that_differs_is_refused(cluster, count):
    """Its home was put back to an older copy of its file, and went another way: shorter, or longer by now."""
    home, follower = cluster.home(), cluster.follower()
    write(home, [RAISE] * 5)
    has(follower, 5)
    epoch = log_of(home)["epoch"]
    home.stop()
    anew(cluster.directory / "home")
    with contextlib.closing(sqlite3.connect(cluster.directory / "home/commons.world", isolation_level=None)) as db:
        db.execute("UPDATE world SET value = ? WHERE name = 'epoch'", [epoch])
    home = cluster.home()
    write(home, [{**RAISE, "x": 5}] * count)
    wait_for(lambda: follower.metrics().total("terrane_follow_refused") == 1, what="a world that is refused")
    for target in (tile(0, 0), "/world/commons", "/world/commons/edits", "/point/commons?x=1&y=1"):
        refused = follower.get(target, status=503)
        assert "another one than its home has" in refused.problem(503, "name") and refused["Retry-After"]
    frame = follower.ask("/tiles", "POST", [], json.dumps({"tiles": [tile(0, 0)]}).encode())
    assert struct.unpack("<3I", frame.body[:12])[1] == 503
    assert "commons: it is not served any more" in follower.log_text()
    follower.stop()
    agree(home, cluster.follower())


def test_who_may_follow(cluster, launch):
    home = cluster.home()
    for target in ("/worlds", "/world/commons/log"):
        assert home.get(target, status=401) and home.get(target, bearer(DIGGER), 403) and home.get(target, bearer(FOLLOWER))
    assert "secret" not in home.get("/worlds", bearer(FOLLOWER)).body.decode()
    (cluster.directory / "key").write_text(DIGGER)
    waits = cluster.follower("two", ready=False)
    wait_for(lambda: "status 403" in waits.log_text(), what="a refusal")
    assert waits.get(tile(0, 0, name="anything"), status=503) and b"copying worlds" in waits.ask("/readyz", admin=True).body
    for path, method, operation in OPERATIONS:
        if method == "get" and "{seed}" in path:
            assert call(waits, path, method, operation, seed="anything").status == 503, path
    for follow, directory in (("ftp://a", "d"), ("http://", "d"), ("http://a/", "d"), ("http://u:p@a", "d"), ("http://a?b", "d"), ("http://a", "")):
        file = cluster.directory / "bad.json"
        file.write_text(json.dumps({"worlds": {"follow": follow, "shared_dir": directory}}))
        refused = run("serve", "--check-config", "--config", file)
        assert refused.returncode and b"worlds.follow: " in refused.stderr, follow


@contextlib.contextmanager
def false_home(cluster, answer, ends=False):
    """In the home's place: answer(method, path) is a status and a body, or what comes of one, piece by piece.

    ends: it keeps the connections of writes, and ends without a word with the first one that comes on such."""

    class Home(http.server.BaseHTTPRequestHandler):
        kept = False

        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.kept and self.command == "POST":
                server.shutdown()
                server.server_close()
                self.close_connection = True
                return
            status, body = answer(self.command, self.path)
            whole = isinstance(body, bytes)
            with contextlib.suppress(OSError):
                self.wfile.write(b"HTTP/1.1 %d x\r\n" % status + (b"Content-Length: %d\r\n" % len(body) if whole else b"") + b"\r\n")
                for piece in [body] if whole else body:
                    self.wfile.write(piece)
            self.kept = ends and self.command == "POST"
            self.close_connection = not self.kept

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    host, port = cluster.address.split(":")
    with http.server.ThreadingHTTPServer((host, int(port)), Home) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


def variants(page):
    """Pages of a log that are none, by name; what a follower has of each: None, nothing, else so many operations."""
    head, one, two, last = page.splitlines(keepends=True)
    row, end = json.loads(one), json.loads(last)
    line = lambda old, **more: json.dumps({**old, **more}).encode() + b"\n"
    return {"good": (page, 2), "cut": (page[:-5], None), "short": (head + one + last, None), "order": (head + two + one + last, None), "endless": (b"{" * (9 << 20), None),
            "empty": (b"", None), "far": (head + one + two + line(end, next=2**62), None), "epoch": (line(json.loads(head), epoch="x") + one + two + last, None),
            "seed": (line(json.loads(head), seed="-1") + one + two + last, None), "recipe": (line(json.loads(head), recipe="{}") + one + two + last, None),
            "generator": (line(json.loads(head), generator=99) + one + two + last, None), "chain": (head + one + two + line(end, chain="0" * 32), None),
            "there": (page, None), "more": (line(json.loads(head), count=9) + one + two + last, 2), "anew": (page, 0), "row": (head + line(row, outer=0) + two + last, 0), "undo": (head + line(row, undoes=1) + two + last, None), "other": (head + line(row, strength=7) + two + last, None)}


def test_a_home_is_not_trusted(cluster):
    home = cluster.home()
    write(home, [RAISE, {"brush": "mark", "x": 1, "y": 2}])
    pages_of, asked = variants(home.get("/world/commons/log", bearer(FOLLOWER)).body), collections.Counter()
    home.stop()

    def answer(_, path):
        name = path.split("/")[-2]
        if path == "/worlds":
            (cluster.directory / "one/there.world").touch()  # so that there can be no copy
            return 200, json.dumps({"worlds": [{"name": name, "count": 2} for name in pages_of]}).encode()
        if "/log?" not in path:
            return 200, b"event: world\ndata: {}\n\n"
        asked[path.split("/")[-1] + name] += 1
        body = pages_of[name][0].splitlines(keepends=True)
        if name == "anew":
            body[0] = json.dumps({**json.loads(body[0]), "epoch": f"{asked.total():016x}"}).encode() + b"\n"
        return 200, b"".join(body if path.endswith("since=0") else body[::3])  # of what is there

    begun = time.monotonic()
    with false_home(cluster, answer):
        follower = cluster.follower(ready=False)
        once = {"good", "chain", "other", "more", "anew"}  # taken, or refused for good
        wait_for(lambda: all(asked[f"log?since=0{name}"] >= (1 if name in once else 2) for name in pages_of), what="each page, and once more")
        wait_for(lambda: asked["log?since=2more"] >= 3 and asked["log?since=0anew"] >= 3, what="pages of what is not there")
        wait_for(lambda: follower.metrics().total("terrane_follow_refused") == 2, what="two worlds that differ")
        has(follower, 2, "good")
        for name, (_, count) in pages_of.items():
            answer = follower.ask(f"/world/{name}/edits")
            assert name == "anew" or answer.status == (503 if count is None else 200) and (count is None or json.loads(answer.body)["next"] == count), (name, answer.body)
            assert name == "anew" or str(cluster.directory) not in answer.body.decode(), answer.body
    # No faster than it may: a tenth of a second lies between two tries, however long all of this took.
    assert max(asked.values()) <= 5 + 10 * (time.monotonic() - begun), asked
    assert follower.stop() == 0
    assert sorted(path.name for path in (cluster.directory / "one").glob("*.world") if path.name != "anew.world") == ["good.world", "more.world", "row.world", "there.world"]


def test_what_is_no_answer_of_a_home_tells_nothing(cluster):
    """What a proxy says, or a home that fails, is passed on neither as done nor as refused."""
    home = cluster.home()
    write(home, RAISE)
    page = home.get("/world/commons/log", bearer(FOLLOWER)).body
    home.stop()
    said = [(201, b"<html>"), (201, b"{}"), (204, b""), (307, b"{}"), (502, b"<html>"), (999, b"{}"), (201, b'{"last": 1'), (201, b"x" * (1 << 20))]

    def answer(method, path):
        if method == "POST":
            return said[-1]
        return (200, b'{"worlds": [{"name": "commons", "count": 1}]}') if path == "/worlds" else (200, page if "/log" in path else b":\n\n")

    with false_home(cluster, answer):
        follower = cluster.follower()
        while said:
            assert "may have been written, or nothing" in write(follower, RAISE, status=503)["detail"], said[-1][:60]
            said.pop()


def test_a_write_that_was_sent_may_have_been_written(cluster):
    """On a connection that was open, and is closed with the home's end: libcurl tries another, which is refused."""
    home = cluster.home()
    write(home, RAISE)
    page = home.get("/world/commons/log", bearer(FOLLOWER)).body
    home.stop()

    def answer(method, path):
        if method == "POST":
            return 201, b'{"first": 1, "last": 1}'
        return (200, b'{"worlds": [{"name": "commons", "count": 1}]}') if path == "/worlds" else (200, page if "/log" in path else b":\n\n")

    with false_home(cluster, answer, ends=True):
        follower = cluster.follower()
        detail = wait_for(lambda: write(follower, {**RAISE, "token": "a"}, status=None).get("detail"), what="a write on a connection that was kept")
        assert "may have been written, or nothing" in detail
    assert "nothing was written" in write(follower, {**RAISE, "token": "b"}, status=503)["detail"]


def test_what_is_heard_of_while_a_page_comes_is_asked_for(cluster):
    """And not when the home is asked for its worlds again: the page may have been made before."""
    home, asked, told = cluster.home(), [], {name: threading.Event() for name in ("asked", "heard", "go", "over")}
    pages_of = []
    for since in range(3):
        if since < 2:
            write(home, RAISE)
        pages_of.append(home.get(f"/world/commons/log?since={since}", bearer(FOLLOWER)).body)
    home.stop()

    def events():
        yield b"event: world\ndata: {}\n\n"
        told["asked"].wait(PATIENCE_S)
        yield b"id: 2\ndata: {}\n\n"
        told["heard"].set()
        told["over"].wait(PATIENCE_S)

    def answer(_, path):
        asked.append(path)
        if "/log?" not in path:
            return 200, events() if "/events" in path else b'{"worlds": [{"name": "commons", "count": 1}]}'
        told["asked"].set()
        told["go"].wait(PATIENCE_S)
        return 200, pages_of[int(path[-1])]

    with false_home(cluster, answer):
        follower = cluster.follower(ready=False)
        told["heard"].wait(PATIENCE_S)
        follower.metrics()
        told["go"].set()
        has(follower, 2)
        assert asked.count("/worlds") == 1, asked
        told["over"].set()
        follower.stop()


NO = "no-"
REFUSED = [(400, [{**RAISE, "token": NO}, {**RAISE, "outer": 0}], ()), (400, {**RAISE, "x": 2**48 + 1, "token": NO}, ()), (412, {**RAISE, "token": NO}, [("If-Match", "999999999")]), (403, {**RAISE, "token": NO}, bearer(READER)),
           (409, [{**RAISE, "token": NO}] * 2, ())]


class Writers:
    """Many at once, at all servers, each one operation after the other with tokens; what was refused or lost is sent again elsewhere,
    once there is a home."""

    def __init__(self, servers, count):
        self.servers, self.told, self.stops, self.home, self.come = servers, {}, False, threading.Event(), threading.Condition()
        self.home.set()
        self.pool = concurrent.futures.ThreadPoolExecutor(count)
        self.done = [self.pool.submit(self.write, k) for k in range(count)]

    def write(self, writer):
        draw, k = random.Random(writer), 0
        while not self.stops:
            token = f"{writer}-{k}"
            status, edit, headers = (201, {**RAISE, "x": writer, "y": k, "token": token}, ()) if draw.random() < 0.9 else draw.choice(REFUSED)
            try:
                answer = draw.choice([*self.servers]).ask("/world/commons/edits", "POST", headers if status == 403 else [*bearer(DIGGER), *headers], json.dumps(edit).encode())
            except (OSError, ValueError, http.client.HTTPException):
                self.home.wait()
                continue
            if answer.status == 503:
                self.home.wait()
                continue
            assert answer.status == status or (status, answer.status) == (201, 200), answer.body
            if status == 201:
                with self.come:
                    self.told[token] = json.loads(answer.body)["first"]
                    self.come.notify()
                k += 1

    def more(self, count):
        with self.come:
            wanted = len(self.told) + count
            assert self.come.wait_for(lambda: len(self.told) >= wanted, PATIENCE_S), f"{len(self.told)} operations, not {wanted}"

    def end(self):
        self.stops = True
        for one in self.done:
            one.result()
        self.pool.shutdown()


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.long)])
def test_everything_agrees_after_kills(cluster, kills):
    """64 writers, while the home is killed, and now and then a follower; what was refused is nowhere."""
    draw = random.Random(kills)
    start = {"home": cluster.home, "one": lambda: cluster.follower("one", ready=False), "two": lambda: cluster.follower("two", ready=False)}
    servers = {name: begin() for name, begin in start.items()}
    alive = list(servers.values())
    writers = Writers(alive, 64)
    for name in [name for k in range(kills) for name in ("home", *(["one", "two", ""][k % 3:][:1]))]:
        if not name:
            continue
        writers.more(draw.randrange(20, 80))
        alive.remove(servers[name])
        if name == "home":
            writers.home.clear()
        servers[name].kill()
        writers.more(20 if name != "home" else 0)
        servers[name] = start[name]()
        alive.append(servers[name])
        writers.home.set()
    writers.more(40)
    writers.end()
    count = log_of(servers["home"], len(writers.told))["next"]
    log = pages(servers["home"])
    tokens = {edit["token"]: edit["seq"] for edit in log}
    assert len(tokens) == len(log) >= count and writers.told.items() <= tokens.items() and NO not in tokens
    for server in servers.values():
        has(server, len(log))
    agree(*servers.values())
    assert all(server.metrics().total("terrane_follow_refused") == 0 for server in servers.values())
