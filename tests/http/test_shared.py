"""The shared tier: what one server makes another need not; and whatever becomes of the store, every request is answered as
without it."""

import contextlib
import functools
import json
import signal
import time

import pytest
from http_client import Crowd, ask_all, wait_for
from http_operator import admin_json, token_file
from http_server import base_tile, run, tile
from http_store import PROGRAM, Store, slow_way

pytestmark = pytest.mark.skipif(not PROGRAM, reason="redis-server is not installed")

# A store that answers is waited for, however busy the machine is: tests of the deadline set one themselves.
TIMEOUT_MS, LEASE_MS = 10000, 3000
TARGETS = [base_tile(42, lod, x, -x, ext, **query) for lod, x in ((0, 3), (4, 5), (9, 1))
           for ext, query in (("png", {}), ("f32", {}), ("png", {"layer": "normal"}), ("json", {}))]


def is_well(server):
    return server.count("terrane_shared_breaker_open") == 0


def node(launch, store, url=None, wait=True, **cache):
    """A server that knows the store; without a disk, so that what it has comes from there."""
    config = {"cache": {"disk_bytes": 0, "shared": url or store.url, "shared_timeout_ms": TIMEOUT_MS,
                        "shared_lease_ms": LEASE_MS, "shared_retry_ms": 100, **cache}}
    server = launch(config=config)
    if wait:
        wait_for(lambda: is_well(server), what="a tier that is well")
    return server


@pytest.fixture(scope="module")
def alone(stay):
    """What a server says that knows no store."""
    return functools.cache(stay().get)


def assert_same(answers, alone, targets=TARGETS):
    for target, answer in zip(targets, answers, strict=True):
        assert answer.status == 200, (target, answer.status, answer.body[:200])
        assert answer.body == alone(target).body and answer["ETag"] == alone(target)["ETag"], target


def ask_each(server, targets=TARGETS):
    with server.connect() as connection:
        return [connection.ask(target) for target in targets]


def test_what_one_made_the_other_finds(launch, store, alone):
    first, second = node(launch, store), node(launch, store)
    made = ask_each(first)
    assert {answer["X-Cache"] for answer in made} == {"render"}
    store.wait_entries(len(TARGETS))
    found = ask_each(second)
    assert [answer["X-Cache"] for answer in found] == ["shared"] * len(TARGETS)
    assert all("shared;dur=" in answer["Server-Timing"] for answer in found)
    assert second.renders() == 0 and second.count("terrane_cache_hits_total", tier="shared") == len(TARGETS)
    wait_for(lambda: second.count("terrane_request_seconds_count", tier="shared") == len(TARGETS), what="the last answer's count")
    assert_same(made, alone)
    assert_same(found, alone)
    assert {answer["X-Cache"] for answer in ask_each(second)} == {"memory"}
    wait_for(lambda: not store.leases(), what="leases given back")


def test_what_was_found_is_kept_on_disk(launch, store, tmp_path):
    first = node(launch, store)
    ask_each(first)
    store.wait_entries(len(TARGETS))
    config = {"cache": {"shared": store.url, "shared_timeout_ms": TIMEOUT_MS}}
    second = launch(config=config, cache=tmp_path)
    wait_for(lambda: is_well(second), what="a tier that is well")
    assert {answer["X-Cache"] for answer in ask_each(second)} == {"shared"}
    second.wait_stored(len(TARGETS))
    second.stop()
    third = launch(cache=tmp_path)
    assert {answer["X-Cache"] for answer in ask_each(third)} == {"disk"}


def test_compressed_tiles_are_shared(launch, store):
    first, second = node(launch, store), node(launch, store)
    target, gzip = base_tile(42, 5, 1, 1, "f32"), (("Accept-Encoding", "gzip"),)
    made = first.get(target, gzip)
    store.wait_entries(2)  # and the plain one
    found, plain = second.get(target, gzip), second.get(target)
    assert (found["X-Cache"], plain["X-Cache"]) == ("shared", "shared")
    assert found.body == made.body and found["Content-Encoding"] == "gzip" and second.renders() == 0


def test_asked_of_both_at_once_it_is_made_once(launch, store, alone):
    nodes = [node(launch, store, shared_lease_ms=60000) for _ in range(2)]
    for n in range(5):
        target = tile(7, 3, 40 + n, 9, "png", variant="base")
        before = sum(server.renders() for server in nodes)
        crowds = [Crowd(server.public, [target] * 20) for server in nodes]
        answers = [answer for crowd in crowds for answer in crowd.receive()]
        for crowd in crowds:
            crowd.leave()
        assert_same(answers, alone, [target] * len(answers))
        assert sum(server.renders() for server in nodes) == before + 1
    assert sum(server.count("terrane_shared_leases_total", answer="ours") for server in nodes) >= 5


def test_regions_are_shared_where_that_is_wanted(launch, store, alone):
    target = tile(42, 4, 10, 10, "f32", size=65, layer="delta", recipe="continents")
    nodes = [node(launch, store, shared_regions=True) for _ in range(2)]
    nodes[0].get(target)
    regions = nodes[0].count("terrane_regions_total")
    assert regions > 0
    store.wait_entries(1 + int(regions))
    beside = tile(42, 4, 10, 10, "f32", size=65, layer="flow", recipe="continents")  # rests on the same
    answer = nodes[1].get(beside)
    assert answer["X-Cache"] == "render" and answer.body == alone(beside).body
    assert nodes[1].count("terrane_regions_total") == 0
    assert nodes[1].count("terrane_region_hits_total", tier="shared") > 0
    plain = node(launch, store)
    plain.get(tile(42, 4, 10, 10, "f32", size=65, layer="height", recipe="continents"))
    assert plain.count("terrane_regions_total") > 0 and plain.count("terrane_region_hits_total", tier="shared") == 0


def test_a_prefetch_is_shared(launch, store):
    first, second = node(launch, store), node(launch, store)
    body = json.dumps({"seed": "42", "position": [0, 0], "view_distance": 600}).encode()
    queued = json.loads(first.ask("/prefetch", "POST", body=body).body)
    # What has waited for long is forgotten: on a busy machine it is asked for again.
    wait_for(lambda: first.ask("/prefetch", "POST", body=body) and len(store.entries()) >= queued["queued"], what="prefetched tiles")
    wait_for(lambda: second.ask("/prefetch", "POST", body=body) and second.count("terrane_cache_hits_total", tier="shared") >= queued["queued"],
             what="what the first has made")
    assert second.renders() == 0


def test_operators_see_it(launch, store, tmp_path):
    server = launch(config={"access": {"admin_token_file": token_file(tmp_path)},
                            "cache": {"disk_bytes": 0, "shared": store.url, "shared_timeout_ms": TIMEOUT_MS}})
    wait_for(lambda: is_well(server), what="a tier that is well")
    ask_each(server)
    wait_for(lambda: server.count("terrane_shared_stores_total") == len(TARGETS), what="stored tiles")
    metrics = server.metrics()
    assert metrics.total("terrane_shared_misses_total") == metrics.total("terrane_shared_leases_total", answer="ours") \
        == metrics.total("terrane_stage_seconds_count", stage="shared") == len(TARGETS)
    assert metrics.total("terrane_shared_bytes_total", direction="out") > 1000
    stats = admin_json(server, "/stats")["shared"]
    assert stats == {"well": True, "hits": 0, "misses": len(TARGETS), "stores": len(TARGETS), "damaged": 0, "errors": 0,
                     "refused": 0}
    purged = admin_json(server, "/purge?all=1", "POST")
    assert purged["memory"] >= len(TARGETS) and purged["shared"] == "kept"  # tiles, and regions below them
    assert {answer["X-Cache"] for answer in ask_each(server)} == {"shared"}


def test_without_a_store_nothing_speaks_of_it(launch, tmp_path):
    server = launch(config={"access": {"admin_token_file": token_file(tmp_path)}})
    assert "shared" not in server.get(TARGETS[0])["Server-Timing"]
    assert "shared" not in admin_json(server, "/stats") and "shared" not in admin_json(server, "/purge?all=1", "POST")


def test_a_dead_nodes_lease_ends(launch, store, alone):
    """Somebody who is no more has the lease of a tile: it is waited for as long as a lease, and then made."""
    server = node(launch, store)
    target = base_tile(42, 6, 2, 2, "png")
    name = "terrane:2:" + alone(target)["ETag"].strip('"') + ":lease"
    store.ask("SET", name, "somebody")
    start = time.monotonic()
    answer = server.get(target)
    taken = time.monotonic() - start
    assert answer["X-Cache"] == "render" and answer.body == alone(target).body
    assert taken >= LEASE_MS / 1000 * 0.9
    assert store.ask("GET", name) == b"somebody"  # which is not ours to take


def test_a_wait_leaves_time_to_make_it(launch, store, alone):
    """However long leases are: half of the deadline is waited at most, and nobody is told 503 for it."""
    target = base_tile(42, 6, 3, 3, "f32", size=17)
    store.ask("SET", "terrane:2:" + alone(target)["ETag"].strip('"') + ":lease", "somebody")
    statuses = []
    for deadline_s in (8, 40, 120):  # the first is enough, but on a busy machine
        server = launch(config={"render": {"deadline_ms": 1000 * deadline_s}, "cache": {
            "disk_bytes": 0, "shared": store.url, "shared_timeout_ms": TIMEOUT_MS, "shared_lease_ms": 60000}})
        wait_for(lambda: is_well(server), what="a tier that is well")
        answer = server.ask(target)
        statuses.append(answer.status)
        if answer.status == 200:
            break
    assert statuses[-1] == 200 and answer.body == alone(target).body


def test_no_store_at_all(launch, store, alone):
    store.stop()
    server = node(launch, store, wait=False)
    assert_same(ask_each(server), alone)
    assert server.count("terrane_shared_breaker_open") == 1 and server.renders() == len(TARGETS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_store_that_ends_and_comes_back(launch, store, alone, number):
    first, second = node(launch, store), node(launch, store)
    halves = TARGETS[:6], TARGETS[6:]
    assert_same(ask_each(first, halves[0]), alone, halves[0])
    store.stop(number)
    assert_same(ask_each(first), alone)
    assert_same(ask_each(second), alone)
    store.start()
    for server in (first, second):
        wait_for(lambda: is_well(server), what="a tier that is well again")
    later = [base_tile(42, 2, 30 + x, 0, "png") for x in range(4)]
    assert_same(ask_each(first, later), alone, later)
    store.wait_entries(len(later))
    found = ask_each(second, later)
    assert_same(found, alone, later)
    assert {answer["X-Cache"] for answer in found} == {"shared"}


@pytest.mark.long
def test_a_slow_store_holds_up_nobody(launch, store, alone):
    """Each answer takes a while, and none too long: few tiles can be asked for in that time, and the others are made meanwhile."""
    targets = [base_tile(42, 2, 100 + x, 0, "f32", size=17) for x in range(240)]
    for target in targets:
        alone(target)
    with slow_way(store, 0.2) as way:  # and so 24 s for all of them, by four who ask, twice for each
        server = launch(config={"render": {"deadline_ms": 16000}, "cache": {
            "disk_bytes": 0, "shared": way, "shared_timeout_ms": 2000}})
        wait_for(lambda: is_well(server), what="a tier that is well")
        assert_same(ask_all(server.public, targets), alone, targets)
        assert 0 < server.count("terrane_stage_seconds_count", stage="shared") < len(targets)
        server.stop()


def test_a_password_from_a_file(launch, tmp_path):
    secret = tmp_path / "password"
    with contextlib.closing(Store(password="correct horse/battery:staple@%")) as guarded:
        secret.write_text(guarded.password + "\n")
        server = node(launch, guarded, shared_password_file=str(secret))
        server.get(TARGETS[0])
        guarded.wait_entries(1)
        assert guarded.password not in server.log_text() and "correct" not in server.log_text()


def test_a_password_is_not_printed(tmp_path):
    """Nor by a mistake beside it."""
    file = tmp_path / "config.json"
    for shared, shown in (("redis://me:s3cret@h:7/3", "redis://me:***@h:7/3"), ("redis://h:7/3", "redis://h:7/3")):
        file.write_text(json.dumps({"cache": {"shared": shared}}))
        done = run("serve", "--config", file, "--print-config")
        assert done.returncode == 0 and json.loads(done.stdout)["cache"]["shared"] == shown
        assert (b"password" in done.stderr) == (shared != shown) and b"s3cret" not in done.stdout + done.stderr
    assert not done.stderr
    file.write_text('{"cache": {"shared" "redis://:s3cret@h"}}')
    assert b"s3cret" not in run("serve", "--config", file).stderr
