"""What the disk keeps: over restarts, kill -9 and damage. A request is answered whatever the disk does."""

import pytest
from http_client import ask_all, request_bytes, wait_for
from http_hold import HungDisk
from http_server import REPRESENTATIONS, base_tile, tile

FAST_WRITES = {"cache": {"write_interval_ms": 1, "retry_interval_ms": 100}}
TARGETS = [base_tile(42, 3, i, -i, "png") for i in range(25)]
TARGETS += [base_tile(42, 3, i, -i, "f32", layer="normal", size=65) for i in range(25)]


def ask_for(server, targets=TARGETS):
    answers = ask_all(server.public, targets)
    assert all(answer and answer.status == 200 for answer in answers)
    return answers


def bodies(server, targets=TARGETS):
    return [answer.body for answer in ask_for(server, targets)]


@pytest.fixture(scope="module")
def expected(server):
    """What a server that nothing happened to answers."""
    return bodies(server)


def restarted(launch, cache, expected, **options):
    """A server on a cache that something happened to; it answers rightly, twice."""
    server = launch(cache=cache, **{"config": FAST_WRITES, **options})
    assert bodies(server) == expected
    assert bodies(server) == expected
    return server


def test_a_restart_serves_from_disk(launch, tmp_path):
    targets = [tile(42, 3, 1, 2, fmt, layer=layer, enc=enc) for layer, fmt, enc in REPRESENTATIONS]
    first = launch(cache=tmp_path / "cache", config={"cache": {"write_behind_bytes": 256 << 20}})  # for regions, too
    before = ask_for(first, targets)
    assert first.stop() == 0
    second = launch(cache=tmp_path / "cache")
    after = ask_for(second, targets)
    assert {answer["X-Cache"] for answer in after} == {"disk"}

    def lasting(answer):
        return [header for header in answer.headers if header[0] not in ("Date", "X-Cache", "Server-Timing")]

    for old, new in zip(before, after):
        assert old.body == new.body and lasting(old) == lasting(new)
    assert second.renders() == 0 and second.count("terrane_cache_hits_total", tier="disk") == len(targets)
    assert {answer["X-Cache"] for answer in ask_for(second, targets)} == {"memory"}


@pytest.mark.parametrize("place", ["file", "tiles.db a directory", "nowhere", "read only"])
def test_a_cache_that_cannot_be(launch, tmp_path, expected, place):
    """The server starts all the same, says so in its log and serves without."""
    cache = tmp_path / "cache"
    if place == "file":
        cache.write_text("not a directory")
    elif place == "tiles.db a directory":
        (cache / "tiles.db" / "full").mkdir(parents=True)
    elif place == "nowhere":
        cache = "/proc/terrane/cache"
    else:
        cache.mkdir(mode=0o555)
    server = restarted(launch, cache, expected)
    if place in ("file", "nowhere"):
        assert server.count("terrane_disk_degraded") == 1 and "warning" in server.log_text()
    assert server.get(TARGETS[0])["X-Cache"] == "memory"


@pytest.mark.parametrize("target", [TARGETS[0], TARGETS[0].replace("?", "/status?")], ids=["tile", "status"])
def test_an_end_does_not_wait_for_a_disk_that_hangs(launch, tmp_path, target):
    """With the thread that looks there for a tile, whose client has left; with one that answers."""
    disk = HungDisk(tmp_path)
    server = launch(environment=disk.environment)
    with server.connect() as client:
        disk.hang(reads=True)
        client.send(request_bytes(target))
        wait_for(disk.waiting, what="a look at the disk")
    server.expected_exit = 1
    assert server.stop() == 1 and disk.waiting() and "the cache's disk does not answer" in server.log_text()


def test_no_disk_tier(launch, tmp_path, expected):
    server = launch(cache=tmp_path / "cache", config={"cache": {"disk_bytes": 0}})
    assert bodies(server) == expected and not (tmp_path / "cache").exists()
