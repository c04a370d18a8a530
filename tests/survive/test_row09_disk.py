"""Row 9: the disk is full, cannot be written, or its directory is missing. Requests are answered all the same, and tiles are
stored again soon after the disk is well."""

import itertools
import shutil
import subprocess
import time

import pytest
from herd import ask_list
from http_client import wait_for
from http_server import base_tile

NUMBERS = itertools.count()


def config(full, **cache):
    retry = {} if full else {"retry_interval_ms": 200}
    return {"cache": {"disk_bytes": 256 << 20, "write_interval_ms": 10, "memory_bytes": 1 << 20, **retry, **cache}}


def ask(server, count):
    """Distinct tiles, twice each; statuses of all the answers, and whether both bodies were the same."""
    requests = [(base_tile(42, 0, next(NUMBERS), 3, "f32", size=129), ()) for _ in range(count)]
    statuses, bodies = {}, {}
    for asked, answer in ask_list(server.public, requests) + ask_list(server.public, requests):
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        assert bodies.setdefault(asked, answer.body) == answer.body
    return statuses


def stores(server):
    return server.count("terrane_disk_stores_total")


def until_stored(server):
    """Seconds until a new tile is in the database that is there, a few being asked for all the time."""
    begin, before = time.monotonic(), stores(server)

    def stored():
        assert set(ask(server, 2)) == {200}
        time.sleep(0.02)
        return stores(server) > before and (server.cache / "tiles.db").exists()

    wait_for(stored, "tiles that are stored again")
    return time.monotonic() - begin


@pytest.fixture
def mount(tmp_path):
    """mount(words, ...): mounts something on a directory, which is let go of at the end; skips where that is not allowed."""
    mounted = []

    def run(*words):
        return subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False)

    def do(*words):
        done = run(*words)
        if done.returncode != 0:
            pytest.skip(f"mount is not allowed here: {done.stderr.strip()}")
        if "remount" not in str(words):
            mounted.append(words[-1])

    yield do
    for path in reversed(mounted):
        subprocess.run(["umount", "-l", path], check=True)


def report(figures, what, count, seconds):
    figures(f"{what}: {count} requests, all 200; stored again after {seconds:.2f} s")


def test_row_9_disk_full(launch, tmp_path, mount, figures, full):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=6m", "tmpfs", disk)
    server = launch(cache=disk / "cache", config=config(full))
    statuses = ask(server, 400)
    wait_for(lambda: server.count("terrane_disk_degraded") == 1, what="a full disk")
    for status, count in ask(server, 100).items():
        statuses[status] = statuses.get(status, 0) + count
    assert set(statuses) == {200}, statuses
    assert server.count("terrane_disk_errors_total") > 0 and "the disk is full" in server.log_text()
    mount("-o", "remount,size=200m", disk)
    seconds = until_stored(server)
    wait_for(lambda: server.count("terrane_disk_degraded") == 0, what="a well disk")
    report(figures, "disk full", sum(statuses.values()), seconds)
    assert server.stop() == 0  # before its directory goes


def test_row_9_disk_read_only(launch, tmp_path, mount, figures, full):
    place = tmp_path / "disk"
    place.mkdir()
    first = launch(cache=place / "cache", config=config(full))
    ask(first, 20)
    first.wait_stored(20)
    assert first.stop() == 0
    mount("--bind", place, place)
    mount("-o", "remount,bind,ro", place)
    server = launch(cache=place / "cache", config=config(full))
    statuses = ask(server, 200)
    assert set(statuses) == {200}, statuses
    assert server.count("terrane_disk_degraded") == 1 and stores(server) == 0
    mount("-o", "remount,bind,rw", place)
    report(figures, "disk read-only", sum(statuses.values()), until_stored(server))
    assert server.stop() == 0


def test_row_9_directory_missing(launch, tmp_path, figures, full):
    """It cannot be made; then it can; then somebody removes it while it is used."""
    above = tmp_path / "above"
    above.write_text("in the way")
    server = launch(cache=above / "cache", config=config(full))
    statuses = ask(server, 100)
    assert set(statuses) == {200} and server.count("terrane_disk_degraded") == 1, statuses
    above.unlink()
    above.mkdir()
    report(figures, "directory that cannot be made", sum(statuses.values()), until_stored(server))
    shutil.rmtree(above / "cache")
    statuses = ask(server, 100)
    assert set(statuses) == {200}, statuses
    report(figures, "directory removed", sum(statuses.values()), until_stored(server))
