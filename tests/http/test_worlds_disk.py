"""Worlds that people change, on disks that are full, slow or fail, and servers that are killed: what was acknowledged stays."""

import concurrent.futures
import contextlib
import json
import random
import resource
import sqlite3
import subprocess

import pytest
from http_client import wait_for
from http_operator import bearer
from http_server import PLAIN_FILE, PROGRAM, run
from http_worlds import DIGGER, RAISE, Syncs, anew, log_of, pages, served, syncs, tile, world, write, write_until_it_ends  # noqa: F401


class Power(Syncs):
    """A disk whose power may fail: what was not synced is lost then, all of it, or (draw) some sectors of it. Names are where their directory was synced."""

    def __init__(self, directory, worlds):
        super().__init__(directory)
        self.keep, self.worlds = directory / "keep", worlds
        self.keep.mkdir()
        self.environment["SYNC_KEEP"] = str(self.keep)

    def fail(self, draw=None):
        names = [line.split() for line in (self.keep / "names").read_text().splitlines()]
        left = {name: self._left(number, draw) for number, name in names}
        for path in (*self.worlds.glob("*.world*"), *self.keep.iterdir()):
            path.unlink()
        for name, data in left.items():
            (self.worlds / name).write_bytes(data)
            number = (self.worlds / name).stat().st_ino
            (self.keep / f"{number}").write_bytes(data)
            (self.keep / f"{number}.live").hardlink_to(self.worlds / name)
            with (self.keep / "names").open("a") as file:
                file.write(f"{number} {name}\n")

    def _left(self, number, draw):
        synced, live = (path.read_bytes() if path.exists() else b"" for path in (self.keep / number, self.keep / f"{number}.live"))
        if not draw:
            return synced
        size = max(len(synced), len(live))
        return b"".join(draw.choice((synced, live)).ljust(size, b"\0")[at:at + 512] for at in range(0, size, 512))


@pytest.mark.parametrize("end", ["killed", "without power", "torn"])
def test_what_was_acknowledged_survives(launch, tmp_path, end):
    """The server is killed, or its disk loses power, while many write: what was acknowledged is there, once, under its number, and the tiles are those of the log."""
    power, draw, told = Power(tmp_path, tmp_path / "worlds"), random.Random(7), {}
    assert run("world", "create", "commons", "--seed", 42, "--recipe", PLAIN_FILE, "--dir", power.worlds, environment=power.environment).returncode == 0
    config = {**served(tmp_path), "worlds": {"shared_dir": str(power.worlds)}, "limits": {"tiles_per_minute": 0}}

    def fail():
        if end != "killed":
            power.fail(draw if end == "torn" else None)
    fail()
    for turn in range(2):
        server, before = launch(config=config, environment=power.environment), len(told)
        with concurrent.futures.ThreadPoolExecutor(8) as writers:
            done = [writers.submit(write_until_it_ends, server, turn, writer, told) for writer in range(8)]
            wait_for(lambda before=before, turn=turn: len(told) > before + (40, 900)[turn % 2], what="operations that were acknowledged")
            server.kill()
        assert all(one.exception() is None for one in done)
        fail()
        again = launch(config=config, environment=power.environment)
        edits = pages(again)
        assert [edit["seq"] for edit in edits] == list(range(1, len(edits) + 1))
        tokens = {edit["token"]: edit["seq"] for edit in edits}
        assert len(tokens) == len(edits) and told.items() <= tokens.items()
        token = next(iter(told))
        assert write(again, {**RAISE, "token": token}, status=200)["first"] == told[token]
        tag = again.get(tile(0, 0))["ETag"]
        again.stop()
        fail()
    last = launch(config=config)
    assert pages(last) == edits
    assert last.get(tile(0, 0))["ETag"] == tag


def test_a_full_disk_takes_nothing_and_reading_goes_on(launch, tmp_path):
    """The disk is full where the log of the file may grow no further."""
    server = launch(config={**world(tmp_path), "cache": {"disk_bytes": 0}})
    write(server, RAISE)
    whole = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    size = (tmp_path / "commons.world-wal").stat().st_size
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, whole[1]))
    tag = server.get(tile(0, 0))["ETag"]
    for _ in range(3):
        write(server, [RAISE] * 200, status=507)
    assert log_of(server)["next"] == 1 and server.get(tile(0, 0))["ETag"] == tag
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, whole)
    assert write(server, RAISE)["first"] == 2
    server.stop()
    assert b"good, 2 operations" in run("world", "check", "commons", "--dir", tmp_path).stdout


def test_a_disk_that_fails_leaves_nobody_in_doubt_for_long(launch, tmp_path, syncs):
    """What it may have written is told to be unknown; then the log is what the file has, and a retry by its token is done once."""
    server = launch(config={**world(tmp_path), "cache": {"disk_bytes": 0}}, environment=syncs.environment)
    write(server, {**RAISE, "token": "a"})
    tag = server.get(tile(0, 0))["ETag"]
    syncs.take(-1)
    for _ in range(3):
        refused = write(server, [{**RAISE, "token": "b"}, {**RAISE, "token": "c"}], status=503)
        assert "may have been" in refused["detail"] or "nothing was" in refused["detail"]
    assert log_of(server)["next"] == 1 and server.get(tile(0, 0))["ETag"] == tag
    syncs.take(0)
    again = server.ask("/world/commons/edits", "POST", bearer(DIGGER), json.dumps([{**RAISE, "token": "b"}, {**RAISE, "token": "c"}]).encode())
    assert again.status in (200, 201) and json.loads(again.body)["last"] == 3
    assert write(server, RAISE)["first"] == 4 and log_of(server)["next"] == 4
    tag = server.get(tile(0, 0))["ETag"]
    server.kill()
    once_more = launch(config={**served(tmp_path), "cache": {"disk_bytes": 0}})
    assert [edit.get("token") for edit in log_of(once_more)["edits"]] == ["a", "b", "c", None] and once_more.get(tile(0, 0))["ETag"] == tag


def test_of_those_that_undo_one_thing_at_once_one_does(launch, tmp_path, syncs):
    """They come while the disk is with another operation, so that one transaction has them all."""
    server = launch(config=world(tmp_path), environment=syncs.environment)
    write(server, RAISE)
    syncs.take(300)
    with concurrent.futures.ThreadPoolExecutor(9) as writers:
        other = writers.submit(write, server, RAISE)
        undone = list(writers.map(lambda _: server.ask("/world/commons/undo", "POST", bearer(DIGGER), b'{"seq": 1}').status, range(8)))
    assert sorted(undone) == [201] + [409] * 7 and other.result()


def test_a_retry_that_comes_with_what_the_disk_loses_is_lost_with_it(launch, tmp_path, syncs):
    server, log = launch(config=world(tmp_path), environment=syncs.environment), tmp_path / "commons.world-wal"
    write(server, RAISE)
    before = log.stat().st_size

    def ask(edit):
        return server.ask("/world/commons/edits", "POST", bearer(DIGGER), json.dumps(edit).encode()).status
    syncs.take(300)
    with concurrent.futures.ThreadPoolExecutor(3) as writers:
        writers.submit(ask, RAISE)  # what the disk is with while the others come
        wait_for(lambda: log.stat().st_size > before, what="a write")
        syncs.take(-1)
        assert list(writers.map(ask, [{**RAISE, "token": "b"}] * 2)) == [503, 503]


def test_a_stop_waits_for_what_is_being_written(launch, tmp_path, syncs):
    """Batches that are with a slow disk when the server is told to end: it ends in order, and what it acknowledged is there."""
    config, told = {**world(tmp_path), "limits": {"tiles_per_minute": 0}}, {}
    server = launch(config=config, environment=syncs.environment)
    syncs.take(60)
    with concurrent.futures.ThreadPoolExecutor(16) as writers:
        done = [writers.submit(write_until_it_ends, server, 0, writer, told) for writer in range(16)]
        wait_for(lambda: len(told) > 60, what="operations that were acknowledged")
        syncs.take(1500)  # longer than the answers of a server that stops are waited for
        assert server.stop() == 0
    assert all(one.exception() is None for one in done)
    syncs.take(0)
    tokens = {edit["token"]: edit["seq"] for edit in pages(launch(config=config))}
    assert told.items() <= tokens.items()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_world_that_has_lost_its_file_takes_nothing(launch, tmp_path, replaced):
    """Removed, or replaced, under its server: what that acknowledged would be gone with its end."""
    server = launch(config={**world(tmp_path), "cache": {"disk_bytes": 0}})
    write(server, RAISE)
    before = server.get(tile(0, 0)).body
    if replaced:
        anew(tmp_path)
    else:
        for path in tmp_path.glob("commons.world*"):
            path.unlink()
    for _ in range(2):
        assert "nothing was" in write(server, RAISE, status=503)["detail"]
    assert "removed or replaced" in server.log_text()
    assert server.get(tile(0, 0)).body == before and server.stop() == 0
    done = run("world", "check", "commons", "--dir", tmp_path)
    assert b"good, 0 operations" in done.stdout if replaced else done.returncode == 1


def test_one_server_has_a_world_and_a_damaged_one_is_refused(launch, tmp_path):
    config = world(tmp_path)
    server = launch(config=config)
    write(server, [RAISE, RAISE, RAISE])
    second = tmp_path / "second.json"
    second.write_text(json.dumps({**config, "listen": "127.0.0.1:0", "admin": ""}))
    refused = subprocess.run([PROGRAM, "serve", "--config", second, "--cache", tmp_path / "c2"], capture_output=True, check=False)
    assert refused.returncode != 0 and b"another server has these worlds" in refused.stderr
    server.stop()
    with sqlite3.connect(tmp_path / "commons.world") as db:
        db.execute("UPDATE edit SET strength = strength + 1 WHERE seq = 2")
    db.close()
    done = run("world", "check", "commons", "--dir", tmp_path)
    assert done.returncode == 1 and b"commons.world: operation 2 is damaged" in done.stderr
    refused = subprocess.run([PROGRAM, "serve", "--config", second, "--cache", tmp_path / "c2"], capture_output=True, check=False)
    assert refused.returncode != 0 and b"commons.world: operation 2 is damaged" in refused.stderr
    for statement, status in (("UPDATE edit SET strength = strength - 1 WHERE seq = 2", 0), ("DELETE FROM edit WHERE seq = 3", 1), ("DELETE FROM world WHERE name = 'head'", 0)):
        with contextlib.closing(sqlite3.connect(tmp_path / "commons.world", isolation_level=None)) as db:
            assert db.execute(statement).rowcount == 1
        assert run("world", "check", "commons", "--dir", tmp_path).returncode == status, statement  # of the last: as it was before there were heads
    for number in (2**62, -1):  # of the last row, where there is no head: as many numbers would have no room
        with contextlib.closing(sqlite3.connect(tmp_path / "commons.world", isolation_level=None)) as db:
            db.execute("DELETE FROM edit WHERE seq = 1")
            assert db.execute("UPDATE edit SET seq = ?", [number]).rowcount == 1
        done = run("world", "compact", "commons", "--dir", tmp_path)
        assert done.returncode == 1 and done.stderr.startswith(b"terrane world: ") and b"is damaged" in done.stderr, done
    for name, damage in (("other", b"no database at all"), ("empty", b"")):
        (tmp_path / f"{name}.world").write_bytes(damage)
        assert run("world", "check", name, "--dir", tmp_path).returncode == 1
