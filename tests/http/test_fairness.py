"""One client's crowd, and others: nobody waits behind it, finds its queue full, or loses to what nobody waits for.

Order is asserted, not time: how much of the crowd's work was done when the other's was. tests/survive has the times."""

import json

import pytest
from http_client import Crowd, wait_for
from http_server import book, dear, heavy
from test_paths import LAND

GREEDY, POLITE = "127.0.0.2", "127.0.0.3"
BUSY = {"render": {"threads": 1, "queue": 200}, "cache": {"disk_bytes": 0}}


def test_a_crowd_keeps_nobody_waiting(launch, hold):
    """Of the next forty tiles five are his, whatever the crowd asked for before; turns go by what tiles cost, so not just every second is."""
    server = launch(config=BUSY, environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [heavy(i, 90) for i in range(90)], source=GREEDY) as crowd:
        wait_for(lambda: server.count("terrane_inflight") == 90, what="the crowd")
        with Crowd(server.public, [heavy(i, 91) for i in range(5)], source=POLITE) as polite:
            wait_for(lambda: server.count("terrane_inflight") == 95, what="the other client")
            hold.allow(40)
            assert [answer.status for answer in polite.receive()] == [200] * 5
        hold.release()
        assert all(answer.status == 200 for answer in crowd.receive())


def test_regions_are_in_turn_too(launch, hold):
    """What a tile rests on waits in its client's turn, not behind all that others have begun."""
    alone = launch(config=BUSY, world="continents")
    alone.get(dear(1, 1000))
    own = alone.metrics().total("terrane_regions_total")
    server = launch(config=BUSY, environment=hold.environment, world="continents")
    hold.hold()
    with Crowd(server.public, [dear(i, 92) for i in range(60)], source=GREEDY):
        wait_for(lambda: server.count("terrane_inflight") == 60, what="the crowd")
        before = server.metrics().total("terrane_regions_total")
        with Crowd(server.public, [dear(1, 1000)], source=POLITE) as polite:
            wait_for(lambda: server.count("terrane_inflight") == 61, what="the other client")
            hold.allow(5)
            assert polite.receive()[0].status == 200
        wait_for(hold.is_spent, what="a worker that is held again")
        assert server.metrics().total("terrane_regions_total") - before < 6 * own  # five jobs, and not what sixty rest on
        hold.release()


@pytest.mark.parametrize("disk", [0, 1 << 26])
def test_a_full_queue_has_room_for_others(launch, hold, disk):
    server = launch(config={**BUSY, "render": {**BUSY["render"], "queue": 16}, "cache": {"disk_bytes": disk}}, environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [heavy(i, 93) for i in range(40)], source=GREEDY) as greedy:
        wait_for(lambda: server.count("terrane_queue_depth") >= 15, what="a queue that is full")
        with Crowd(server.public, [heavy(i, 94) for i in range(5)], source=POLITE) as polite:
            wait_for(lambda: server.count("terrane_limited_total", bucket="queue") > 0, what="429")
            hold.release()
            assert [answer.status for answer in polite.receive()] == [200] * 5
        assert {200, 429} <= {answer.status for answer in greedy.receive()} <= {200, 429, 503}


def test_prefetches_wait_for_quiet(launch, hold):
    """As long as somebody waits, nothing is made for nobody."""
    server = launch(config=BUSY, environment=hold.environment)
    hold.hold()
    ask = {"seed": "42", "position": [1e6, 1e6], "view_distance": 3000, "variant": "base"}
    with Crowd(server.public, [heavy(i, 94) for i in range(60)], source=GREEDY) as crowd:
        wait_for(lambda: server.count("terrane_inflight") == 60, what="the crowd")
        answer = server.ask("/prefetch", "POST", body=json.dumps(ask).encode())
        assert answer.status == 202 and json.loads(answer.body)["queued"] > 3
        assert server.count("terrane_queue_tiles", **{"class": "idle"}) > 3
        hold.allow(60)
        assert all(answer.status == 200 for answer in crowd.receive())
        assert server.count("terrane_prefetch_made_total") == 0
        hold.release()
    # What waited for 20 s is forgotten.
    wait_for(lambda: server.ask("/prefetch", "POST", body=json.dumps(ask).encode()).status == 202
             and server.count("terrane_prefetch_made_total") > 3, what="idle work")


def test_pictures_of_regions_cost_what_writing_them_costs(launch):
    """Though all their tiles are there already."""
    server = launch(config={"limits": {"renders_per_minute": 1, "renders_burst": 40}})
    target = "/region/42.png?lod=20&x0=0&y0=0&w=1025&h=1025&layer=relief&variant=base"
    statuses = []
    for _ in range(1000):
        statuses.append(server.ask(target).status)
        if statuses[-1] != 200:
            break
    assert set(statuses) == {200, 429} and len(statuses) > 2
    with server.connect(source=POLITE) as polite:
        assert polite.ask(target).status == 200


@pytest.mark.long
def test_lines_and_places_are_written_by_workers(launch, tmp_path):
    """Who answers others is not kept by what takes long to read and to write, though nothing has to be made."""
    server = launch(config={"http": {"threads": 1}, "render": {"threads": 1}, "worlds": book(tmp_path, {"land": LAND}, default="land")})
    places = json.dumps({"places": [[i % 32, i // 32] for i in range(1024)]}).encode()
    for target, method, body in (("/path/42?x0=0&y0=0&w=1792&h=1792&lod=2", "GET", b""), ("/point/42", "POST", places)):
        with server.connect() as connection:
            assert connection.ask(target, method, body=body).status == 200
            before = server.thread_seconds()
            for _ in range(300):
                assert connection.ask("/healthz").status == 200
            grown = server.thread_seconds(before)
            loop = max(grown, key=grown.get)
            before = server.thread_seconds()
            for _ in range(3):
                assert connection.ask(target, method, body=body).status == 200
            grown = server.thread_seconds(before)
        assert grown[loop] < 0.35 * sum(grown.values()), (target, grown)
