"""What the disk keeps: over restarts, kill -9 and damage. A request is answered whatever the disk does."""

import os
import random
import shutil

import pytest
from http_client import Crowd, ask_all, wait_for
from http_server import REPRESENTATIONS, base_tile, render, tile

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


def fill(launch, cache):
    """A cache directory that holds TARGETS."""
    server = launch(cache=cache, config=FAST_WRITES)
    ask_for(server)
    assert server.stop() == 0


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


@pytest.mark.parametrize("stored", [0, 3, 15])
def test_kill_9_under_load(launch, tmp_path, expected, stored):
    server = launch(cache=tmp_path / "cache", config=FAST_WRITES)
    with Crowd(server.public, [base_tile(7, 0, i, 5, "npy") for i in range(100)] + TARGETS):
        wait_for(lambda: server.count("terrane_disk_stores_total") >= stored, what="tiles on disk")
        server.kill()
    again = restarted(launch, tmp_path / "cache", expected)
    for i in (0, 7, 24):
        assert again.get(TARGETS[i]).body == render(42, 3, i, -i, "png", variant="base")
    assert again.count("terrane_disk_degraded") == 0
    assert again.stop() == 0
    third = restarted(launch, tmp_path / "cache", expected)
    assert third.renders() == 0


def damage(path, kind):
    data = bytearray(path.read_bytes())
    chance = random.Random(kind)
    if kind == "flipped":
        for _ in range(200):
            data[chance.randrange(4096, len(data))] ^= 1 << chance.randrange(8)
    elif kind == "header":
        data[:100] = chance.randbytes(100)
    elif kind == "page":
        data[4096:8192] = chance.randbytes(4096)
    elif kind == "halved":
        del data[len(data) // 2:]
    elif kind == "garbage":
        data = chance.randbytes(1 << 20)
    elif kind == "empty":
        data = b""
    elif kind == "text":
        data = b"SQLite format 3\0" + b"not at all\n" * 1000
    path.write_bytes(data)


@pytest.mark.parametrize("kind", ["flipped", "header", "page", "halved", "garbage", "empty", "text"])
def test_a_damaged_database(launch, tmp_path, expected, kind):
    fill(launch, tmp_path / "cache")
    damage(tmp_path / "cache" / "tiles.db", kind)
    server = restarted(launch, tmp_path / "cache", expected)
    assert server.stop() == 0
    assert restarted(launch, tmp_path / "cache", expected).stop() == 0


def test_flipped_payloads_are_counted(launch, tmp_path, expected):
    """A bit in every page behind the first few: whatever is served was verified or made."""
    fill(launch, tmp_path / "cache")
    path = tmp_path / "cache" / "tiles.db"
    data = bytearray(path.read_bytes())
    for at in range(16 * 4096 + 2048, len(data), 4096):
        data[at] ^= 0x10
    path.write_bytes(data)
    server = restarted(launch, tmp_path / "cache", expected)
    metrics = server.metrics()
    assert metrics.total("terrane_disk_damaged_total") + metrics.total("terrane_disk_errors_total") > 0
    assert metrics.total("terrane_renders_total") > 0


@pytest.mark.parametrize("place", ["file", "below a file", "tiles.db a directory", "nowhere", "read only"])
def test_a_cache_that_cannot_be(launch, tmp_path, expected, place):
    """The server starts all the same, says so in its log and serves without."""
    cache = tmp_path / "cache"
    if place == "file":
        cache.write_text("not a directory")
    elif place == "below a file":
        cache.write_text("not a directory")
        cache = cache / "cache"
    elif place == "tiles.db a directory":
        (cache / "tiles.db" / "full").mkdir(parents=True)
    elif place == "nowhere":
        cache = "/proc/terrane/cache"
    else:
        cache.mkdir(mode=0o555)
    server = restarted(launch, cache, expected)
    if place in ("file", "below a file", "nowhere"):
        assert server.count("terrane_disk_degraded") == 1 and "warning" in server.log_text()
    assert server.get(TARGETS[0])["X-Cache"] == "memory"


def test_the_directory_goes_away_while_serving(launch, tmp_path, expected):
    server = launch(cache=tmp_path / "cache", config=FAST_WRITES)
    assert bodies(server, TARGETS[:20]) == expected[:20]
    shutil.rmtree(tmp_path / "cache")
    assert bodies(server) == expected
    assert bodies(server, TARGETS[::-1]) == expected[::-1]
    more = [base_tile(43, 3, i, 0, "png") for i in range(30)]
    assert bodies(server, more) == bodies(server, more)


def test_the_directory_comes_back(launch, tmp_path, expected):
    cache = tmp_path / "cache"
    cache.write_text("in the way")
    server = launch(cache=cache, config=FAST_WRITES)
    assert bodies(server) == expected and server.count("terrane_disk_degraded") == 1
    cache.unlink()
    wait_for(lambda: server.count("terrane_disk_degraded") == 0, what="a well disk")
    more = [base_tile(43, 3, i, 0, "png") for i in range(10)]
    ask_for(server, more)
    server.wait_stored(10)


def test_no_disk_tier(launch, tmp_path, expected):
    server = launch(cache=tmp_path / "cache", config={"cache": {"disk_bytes": 0}})
    assert bodies(server) == expected and not (tmp_path / "cache").exists()


def test_a_small_quota_is_held(launch, tmp_path, expected):
    quota = 4 << 20
    server = launch(cache=tmp_path / "cache", config={"cache": {
        "disk_bytes": quota, "memory_bytes": 1 << 20, "write_interval_ms": 1}})
    for turn in range(8):
        ask_for(server, [base_tile(42, 0, i, turn, "f32", size=129) for i in range(60)])
        used = sum(os.stat(os.path.join(folder, name)).st_size
                   for folder, _, names in os.walk(tmp_path / "cache") for name in names)
        assert used <= quota
    assert bodies(server) == expected


def test_a_small_memory_is_held(launch, tmp_path, expected):
    memory = 1 << 20
    server = launch(cache=tmp_path / "cache", config={"cache": {"memory_bytes": memory, "disk_bytes": 0}})
    for _ in range(2):
        assert bodies(server) == expected
        assert server.count("terrane_cache_bytes", tier="memory") <= memory
    assert server.count("terrane_cache_evictions_total", tier="memory") > 0
