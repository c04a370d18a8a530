"""SIGHUP: a whole new configuration, or the old one and a line that says why; and the listener never closes."""

import concurrent.futures
import itertools
import json
import os

from http_client import Crowd, in_less_than, wait_for
from http_load import Load
from http_operator import admin, bearer, keys_file, reload, token_file
from http_server import base_tile, book

HOT = base_tile(42, 3, 2, 2, "png", size=32)
KEY, OTHER = "the-first-key-0123", "the-second-key-0123"
HILLS = {"terms": {}, "height": {"fractal": "fbm", "amplitude_m": 100}}


@in_less_than(60)
def test_limits(launch):
    server = launch()
    assert [server.ask(HOT).status for _ in range(5)] == [200] * 5
    assert reload(server, {"limits": {"tiles_per_minute": 1, "tiles_burst": 2}})
    assert [server.ask(HOT).status for _ in range(3)] == [200, 200, 429]
    assert reload(server, {"limits": {"tiles_per_minute": 1, "tiles_burst": 50}})
    assert server.ask(HOT).status == 429  # what was spent is spent
    assert reload(server, {}) and server.ask(HOT).status == 200


def test_keys(launch, tmp_path):
    config = {"access": {"keys_file": keys_file(tmp_path, (KEY, "one", {})), "required": True}}
    server = launch(config=config)
    with server.connect() as connection:
        assert [connection.ask(HOT, headers=bearer(key)).status for key in (KEY, OTHER)] == [200, 401]
        keys_file(tmp_path, (OTHER, "two", {}))
        assert connection.ask(HOT, headers=bearer(KEY)).status == 200  # not before it is told
        assert reload(server)
        assert [connection.ask(HOT, headers=bearer(key)).status for key in (KEY, OTHER)] == [401, 200]
        assert reload(server, {}) and connection.ask(HOT).status == 200
        assert connection.ask(HOT)["Cache-Control"].startswith("public")


def test_the_token(launch, tmp_path):
    server = launch()
    assert admin(server, "/stats").status == 403
    assert reload(server, {"access": {"admin_token_file": token_file(tmp_path)}}) and admin(server, "/stats").status == 200
    token_file(tmp_path, "another-token-0123")
    assert reload(server) and admin(server, "/stats").status == 401
    assert admin(server, "/stats", token="another-token-0123").status == 200


def test_worlds(launch, tmp_path):
    def named(number):
        return {"seed": number, "secret": False}
    server = launch(config={"worlds": {"named": {"home": named(1)}}})

    def seed(name):
        return server.get(f"/tile/{name}/3/0/0.png?size=2&variant=base")["Terrane-Seed"]
    assert seed("home") == "1" and seed("away") not in ("1", "2")
    assert reload(server, {"worlds": {"named": {"home": named(2), "away": named(1)}}})
    assert (seed("home"), seed("away")) == ("2", "1")
    assert reload(server, {"worlds": {"open": False, "named": {"home": named(42)}}})
    assert server.ask(HOT).status == 200 and server.ask("/world/43").status == server.ask("/world/away").status == 404
    assert reload(server, {}) and server.ask("/world/43").status == 200


def test_recipes(launch, tmp_path):
    config = {"worlds": book(tmp_path, {"hills": HILLS})}
    target = "/tile/42/3/0/0.f32?size=33&recipe="
    server = launch(config=config)
    first, world = server.get(f"{target}hills"), server.json("/world/42?recipe=hills")
    shipped = server.get(f"{target}desert")["ETag"]
    assert server.ask(f"{target}dunes").status == 404
    book(tmp_path, {"hills": {**HILLS, "height": {**HILLS["height"], "amplitude_m": 200}}, "dunes": HILLS})
    assert server.get(f"{target}hills")["X-Cache"] == "memory"
    assert reload(server)
    second = server.get(f"{target}hills")
    assert second["ETag"] != first["ETag"] and second.body != first.body and second["X-Cache"] == "render"
    assert server.json("/world/42?recipe=hills") != world
    assert server.get(f"{target}dunes").body == first.body  # the recipe as it was, under another name
    assert server.get(f"{target}desert")["ETag"] == shipped and server.get(f"{target}desert")["X-Cache"] == "memory"
    (tmp_path / "dunes.json").unlink()
    assert reload(server) and server.ask(f"{target}dunes").status == 404
    assert reload(server, {"worlds": {**config["worlds"], "default": "hills"}})
    assert server.json("/world/42")["recipe"] == "hills" and server.get(target.partition("&")[0]).body == second.body


def test_requests_under_way_end_as_they_began(launch, tmp_path, hold):
    """What waits holds the recipe that it was asked with, though the file is gone and the settings are others by then."""
    server = launch(config={"worlds": book(tmp_path, {"hills": HILLS}), "render": {"threads": 1, "queue": 1000}},
                    environment=hold.environment)
    hold.hold()
    blocking = [base_tile(42, 1, i, 92, "png", layer="normal", size=512) for i in range(60)]
    with Crowd(server.public, blocking) as crowd, Crowd(server.public, ["/tile/42/3/9/9.f32?size=33&recipe=hills"] * 3) as late:
        wait_for(lambda: server.count("terrane_inflight") == 63, what="a queue")
        (tmp_path / "hills.json").unlink()
        for _ in range(3):
            assert reload(server)
        hold.release()
        assert [answer.status for answer in (*late.receive(), *crowd.receive())] == [200] * 63
    assert server.ask("/world/42?recipe=hills").status == 404


def test_budgets(launch):
    server = launch(config={"cache": {"write_interval_ms": 1}})
    for i in range(80):
        server.get(base_tile(42, 3, i, 3, "f32", size=129))
    server.wait_stored(80)
    assert server.count("terrane_cache_bytes", tier="memory") > 4 << 20
    small = {"cache": {"write_interval_ms": 1, "memory_bytes": 1 << 20, "disk_rows": 10}}
    assert reload(server, small)
    wait_for(lambda: server.count("terrane_cache_bytes", tier="memory") <= 1 << 20, what="a small memory")
    server.get(base_tile(42, 3, 500, 3, "f32", size=129))
    wait_for(lambda: server.count("terrane_cache_entries", tier="disk") <= 10, what="few rows")
    assert server.count("terrane_cache_budget_bytes", tier="memory") == 1 << 20
    assert reload(server, {"cache": {"write_interval_ms": 1}})
    for i in range(80):
        server.get(base_tile(42, 3, i, 3, "f32", size=129))
    assert server.count("terrane_cache_bytes", tier="memory") > 4 << 20


def test_level_hosts_and_routes(launch):
    server = launch()
    assert reload(server, {"render": {"queue": 7}, "http": {"hosts": ["example.org"]}, "log": {"level": "error"}})
    assert server.count("terrane_queue_limit_tiles") == 7 and server.ask(HOT).status == 421
    quiet = server.log_text()
    assert reload(server, {"http": {"status": False}, "log": {"level": "error"}}) and server.log_text() == quiet
    assert server.ask("/tile/42/0/0/0/status").status == 404
    assert reload(server, {}) and "reload: done" in server.log_text()[len(quiet):]
    assert server.ask(HOT).status == server.ask("/tile/42/0/0/0/status").status == 200


def test_the_environment_stands_over_the_file_and_outlasts_a_reload(launch):
    server = launch(config={"http": {"status": True}}, environment={"TERRANE_HTTP_STATUS": "false"})
    assert server.ask(HOT).status == 200 and server.ask("/tile/42/0/0/0.png/status").status == 404
    assert reload(server, {"http": {"status": True, "hosts": []}}) and server.ask("/tile/42/0/0/0.png/status").status == 404


def test_reloads_under_load(launch, tmp_path):
    """No request fails, no connection is cut, nothing grows."""
    count = 200 if os.environ.get("TERRANE_TEST_LONG") else 48
    worlds = tmp_path / "worlds"
    worlds.mkdir()
    keys = keys_file(tmp_path, *[(f"{KEY}-{i}", f"k{i}", {}) for i in range(200)])
    configs = [{"access": {"keys_file": keys}, "worlds": book(worlds, {"hills": HILLS}, named={f"w{i}": {"seed": i, "secret": False} for i in range(200)}),
                "log": {"access": str(tmp_path / f"log{turn}")}, "http": {"trusted_proxies": ["10.0.0.0/8"] * turn},
                "cache": {"memory_bytes": 16 << 20}}
               for turn in range(2)]
    # AddressSanitizer, where it is built in, keeps what was freed: less of it, or that is what grows.
    server = launch(config=configs[0], environment={"ASAN_OPTIONS": "quarantine_size_mb=1"})
    sizes, asked = [], itertools.count()

    def next_target(client, turn=None):
        turn = next(asked) if turn is None else turn
        target = (HOT, base_tile(client, 3, turn % 200, 5, "png", size=32),
                  f"/tile/w7/3/{turn % 50}/7.png?size=16&recipe=hills", "/world/w5")[turn % 4]
        return target, bearer(f"{KEY}-{client}")

    with concurrent.futures.ThreadPoolExecutor(4) as clients:  # what tiles are made with, by each render thread, stays in memory
        list(clients.map(lambda at: server.get(*next_target(*at)), itertools.product(range(4), range(200))))
    with Load(server, next_target, clients=4):
        for turn in range(count):
            assert reload(server, configs[turn % 2])
            if (turn + 1) % (count // 4) == 0:
                sizes.append((server.resident_bytes(), len(os.listdir(f"/proc/{server.process.pid}/fd"))))
    assert server.count("terrane_reloads_total", result="done") == count and server.count("terrane_reloads_total", result="refused") == 0
    # what requests under way hold of the configurations before, and the heaps of threads, come and go: some 13 MB; 36 configurations are 81 MB
    assert sizes[-1][0] - sizes[0][0] < 24 << 20 and sizes[-1][1] <= sizes[0][1] + 2
    with server.connect() as connection:
        assert connection.ask("/readyz").status == 200


def test_what_waits_for_a_restart_stays(launch, tmp_path):
    """Names of secret worlds, too, which hang on a file in cache.dir."""
    config = {"worlds": {"named": {"home": "42"}}}
    server = launch(config=config)
    before = server.get(HOT.replace("/42/", "/home/"))
    assert reload(server, {**config, "cache": {"dir": str(tmp_path / "other")}, "http": {"server_timing": False}})
    after = server.get(HOT.replace("/42/", "/home/"))
    assert after["ETag"] == before["ETag"] and "Server-Timing" in after and not (tmp_path / "other").exists()
    for disk_bytes in (1 << 23, 0):  # a tier cannot be closed: it keeps the quota that it has come to
        assert reload(server, {**config, "cache": {"disk_bytes": disk_bytes}})
        assert server.count("terrane_cache_budget_bytes", tier="disk") == 1 << 23
