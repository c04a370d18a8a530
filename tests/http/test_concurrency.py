"""Many clients: one render a tile, the same bytes in every order, and refusals where there are too many."""

import random
import time

import pytest
from http_client import Crowd, ask_all, wait_for
from http_server import REPRESENTATIONS, base_tile, heavy, tile


def check_refusal(answer):
    """The only thing that may stand in place of a tile."""
    answer.problem(503)
    assert int(answer["Retry-After"]) > 0 and answer["Cache-Control"] == "no-store"
    assert "ETag" not in answer and answer["Access-Control-Allow-Origin"] == "*"


def test_order_and_threads_change_no_byte(launch):
    targets = [tile(seed, lod, x, y, fmt, layer=layer, enc=enc)
               for seed, lod, x, y in ((42, 0, 0, 0), (42, 3, -7, 11), (7, 12, 1 << 30, -5))
               for layer, fmt, enc in REPRESENTATIONS]
    found = {}
    for threads in (1, 4):
        server = launch(config={"render": {"threads": threads}})
        for turn in range(2):
            order = targets * 2
            random.Random(threads * 10 + turn).shuffle(order)
            for target, answer in zip(order, ask_all(server.public, order)):
                assert answer.status == 200
                got = answer.body, answer["ETag"]
                assert found.setdefault(target, got) == got, target


def test_a_full_queue_refuses_and_nothing_else(launch, hold):
    server = launch(config={"render": {"threads": 1, "queue": 2}, "cache": {"disk_bytes": 0}}, environment=hold.environment)
    targets = [heavy(i) for i in range(200)]
    hold.hold()
    with Crowd(server.public, targets) as crowd:
        wait_for(lambda: server.count("terrane_refused_total") > 0, what="a full queue")
        hold.release()
        answers = crowd.receive()
    served = [answer for answer in answers if answer and answer.status == 200]
    refused = [answer for answer in answers if not (answer and answer.status == 200)]
    for answer in refused:
        check_refusal(answer)
    assert served and refused
    wait_for(lambda: server.count("terrane_requests_total", status="503") == len(refused), what="the count")
    metrics = server.metrics()
    assert metrics.total("terrane_refused_total") == len(refused)
    assert metrics.total("terrane_renders_total") == len(served)
    assert metrics.total("terrane_queue_depth") == metrics.total("terrane_inflight") == 0
    for target in targets[:20]:  # one after the other all of them are there
        assert server.get(target).status == 200


def test_what_is_cached_is_served_while_the_queue_is_full(launch, hold):
    server = launch(config={"render": {"threads": 1, "queue": 1}}, environment=hold.environment)
    hot = base_tile(42, 0, 0, 0, "png")
    body = server.get(hot).body
    hold.hold()
    with Crowd(server.public, [heavy(300)]) as busy:
        wait_for(lambda: hold.waiting() == 1, what="a worker that is busy")
        with Crowd(server.public, [heavy(i) for i in range(300)]) as crowd:
            wait_for(lambda: server.count("terrane_refused_total") > 0, what="a full queue")
            for _ in range(20):
                assert server.get(hot).body == body
            with server.connect() as connection:  # who asks again at once asks ten times a second
                began = time.monotonic()
                for i in range(5):
                    check_refusal(connection.ask(heavy(1000 + i)))
                assert time.monotonic() - began > 0.48
            hold.release()
            crowd.receive()
        busy.receive()


def test_the_deadline_passes(launch, hold):
    server = launch(config={"render": {"threads": 1, "queue": 65536, "deadline_ms": 50},
                            "cache": {"disk_bytes": 0}}, environment=hold.environment)
    hold.hold()
    for answer in ask_all(server.public, [heavy(i) for i in range(400)]):
        check_refusal(answer)
    assert server.count("terrane_expired_total") == 400
    hold.release()

    def settled():  # what a worker has is finished
        metrics = server.metrics()
        return metrics.total("terrane_renders_total") + metrics.total("terrane_dropped_total") == 400
    wait_for(settled, what="an end for every job")
    assert server.count("terrane_queue_depth") == 0
    wait_for(lambda: server.ask(heavy(399)).status == 200, what="a tile within the deadline")


def test_who_is_served_waits(launch, hold):
    """Longer than the deadline in all, since its tiles are made one after the other."""
    assert any(served_longer_than(deadline_s, launch, hold) for deadline_s in (2, 8, 32))  # the first, but on a busy machine


def served_longer_than(deadline_s, launch, hold):
    server = launch(config={"render": {"threads": 1, "deadline_ms": deadline_s * 1000}, "cache": {"disk_bytes": 0}},
                    environment=hold.environment)
    hold.hold()
    with Crowd(server.public, [heavy(i) for i in range(8)]) as crowd:
        wait_for(lambda: server.count("terrane_inflight") == 8, what="the crowd")
        began = time.monotonic()
        while time.monotonic() - began < 1.5 * deadline_s:
            hold.allow(1)
            wait_for(hold.is_spent, what="a tile that is made")
            time.sleep(deadline_s / 4)
        waits = server.count("terrane_inflight") > 0
        hold.release()
        return waits and [answer.status for answer in crowd.receive()] == [200] * 8 and server.count("terrane_expired_total") == 0


@pytest.mark.long  # it counts on time: a worker has half a second to begin
def test_a_document_with_a_spawn_waits_as_a_tile_does(launch):
    """Its two tiles take seconds on any machine, and more where it is busy: they are in hand, and waited for."""
    server = launch(config={"render": {"threads": 1, "deadline_ms": 500}}, world="continents")
    assert "spawn" in server.json("/world/42")
    assert server.count("terrane_expired_total") == 0
