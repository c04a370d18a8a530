"""One client's crowd, and others: nobody waits behind it, finds its queue full, or loses to what nobody waits for.

Order is asserted, not time: how much of the crowd's work was done when the other's was. tests/survive has the times."""

import contextlib
import json
import threading

import pytest
from http_client import Crowd, wait_for
from http_server import base_tile

GREEDY, POLITE = "127.0.0.2", "127.0.0.3"
BUSY = {"render": {"threads": 1, "queue": 200, "deadline_ms": 600000}, "cache": {"disk_bytes": 0}}


def heavy(i, row):
    return base_tile(42, 1, i, row, "png", layer="normal", size=512)


def dear(i, row):
    """With regions of its own."""
    return f"/tile/42/0/{5000 * i}/{row}.png?layer=relief"


class Greedy:
    """So many connections of one address that each ask for one cold tile after the other, and again when refused."""

    def __init__(self, server, connections, target):
        self.statuses, self.ended, self.lock = {}, threading.Event(), threading.Lock()
        self.threads = [threading.Thread(target=self._ask, args=(server, k, target), daemon=True) for k in range(connections)]

    def _ask(self, server, k, target):
        number = 0
        with contextlib.suppress(OSError), server.connect(source=GREEDY) as connection:
            while not self.ended.is_set():
                number += 1
                status = connection.ask(target(number, 1000 + k)).status
                with self.lock:
                    self.statuses[status] = self.statuses.get(status, 0) + 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()

    def count(self, *statuses):
        with self.lock:
            return sum(self.statuses.get(status, 0) for status in statuses)


def test_a_crowd_keeps_nobody_waiting(launch):
    server = launch(config=BUSY)
    with Crowd(server.public, [heavy(i, 90) for i in range(90)], source=GREEDY) as crowd:
        wait_for(lambda: server.count("terrane_inflight") + server.renders() >= 85, what="the crowd")
        before = server.renders()
        with server.connect(source=POLITE) as polite:
            assert [polite.ask(heavy(i, 91)).status for i in range(5)] == [200] * 5
        assert server.renders() - before < 40  # 5 of these, and as much of the crowd's
        assert all(answer.status == 200 for answer in crowd.receive(60))


def test_regions_are_in_turn_too(launch):
    """What a tile rests on waits in its client's turn, not behind all that others have begun."""
    server = launch(config=BUSY)
    with Crowd(server.public, [dear(i, 92) for i in range(60)], source=GREEDY):
        wait_for(lambda: server.count("terrane_inflight") >= 55, what="the crowd")
        before = server.metrics().total("terrane_regions_total")
        with server.connect(source=POLITE) as polite:
            assert polite.ask(dear(1, 1000)).status == 200
            own = server.metrics().total("terrane_regions_total") - before
        assert own < 40


@pytest.mark.parametrize("disk", [0, 1 << 26])
def test_a_full_queue_has_room_for_others(launch, disk):
    server = launch(config={**BUSY, "render": {**BUSY["render"], "queue": 16}, "cache": {"disk_bytes": disk}})
    with Greedy(server, 40, heavy) as greedy:
        wait_for(lambda: greedy.count(503, 429) > 0, what="a queue that is full")
        with server.connect(source=POLITE) as polite:
            assert {polite.ask(heavy(i, 93)).status for i in range(10)} == {200}
        wait_for(lambda: greedy.count(429) > 0, what="429")
    assert server.count("terrane_limited_total", bucket="queue") > 0


def test_a_region_finds_room_beside_a_crowd_of_them(launch):
    server = launch(config={**BUSY, "render": {**BUSY["render"], "queue": 32}})
    big = "/region/42.f32?lod=1&w=4097&h=4097&y0=0&x0={}"
    with contextlib.ExitStack() as stack:
        for i in range(6):
            connection = stack.enter_context(server.connect(source=GREEDY))
            connection.socket.sendall(f"GET {big.format(i * 5000)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        wait_for(lambda: server.count("terrane_queue_tiles", **{"class": "bulk"}) >= 4, what="bulk")
        with server.connect(source=POLITE) as polite:
            answer = polite.ask("/region/42.f32?lod=1&w=1025&h=1025&variant=base&x0=0&y0=90000")
            assert answer.status == 200 and len(answer.body) == 1025 * 1025 * 4


def test_prefetches_wait_for_quiet(launch):
    """As long as somebody waits, nothing is made for nobody."""
    server = launch(config=BUSY)
    ask = {"seed": "42", "position": [1e6, 1e6], "view_distance": 3000, "variant": "base"}
    with Crowd(server.public, [heavy(i, 94) for i in range(60)], source=GREEDY) as crowd:
        wait_for(lambda: server.count("terrane_inflight") >= 20, what="the crowd")
        answer = server.ask("/prefetch", "POST", body=json.dumps(ask).encode())
        assert answer.status == 202 and json.loads(answer.body)["queued"] > 3
        assert server.count("terrane_queue_tiles", **{"class": "idle"}) > 3
        assert all(answer.status == 200 for answer in crowd.receive(60))
        assert server.count("terrane_prefetch_made_total") <= 1
    wait_for(lambda: server.count("terrane_queue_tiles", **{"class": "idle"}) == 0, what="idle work")
    assert server.count("terrane_prefetch_made_total") > 3
