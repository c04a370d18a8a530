"""Row 22: one address that wants everything, and a client who asks for little: what the second one waits for.

Sixty-four connections of one address ask for cold tiles of the dearest kind, again as soon as they are answered, whatever the
answer; a polite client of another address asks for such tiles one after the other, first alone, then beside them, then beside
a prefetch a second. Times are asserted in the long run, of the best of three turns: clients and server share the machine."""

import json
import threading
import time

import pytest
from herd import Herd, milliseconds, quantile
from http_client import limit

WORLD = "continents"

GREEDY, POLITE, AHEAD = "127.0.0.2", "127.0.0.3", "127.0.0.4"
ABUSERS = 64
PUBLIC = {"limits": {"renders_per_minute": 3000, "renders_burst": 1500}}  # as config/public.json
CONFIG = {"log": {"slow_ms": 0}, "render": {"deadline_ms": 30000}, "cache": {"memory_bytes": 256 << 20, "disk_bytes": 256 << 20}}


def dear(x, y):
    return f"/tile/7/2/{x}/{y}.png?recipe=alpine&layer=relief"


def polite(server, seconds, row):
    """Seconds that each tile took; all are 200."""
    times, end = [], time.monotonic() + seconds
    with server.connect(source=POLITE) as connection:
        while time.monotonic() < end or not times:
            begin = time.monotonic()
            answer = connection.ask(dear(40 * len(times), row))
            assert answer.status == 200, (answer.status, answer.body[:200])
            times.append(time.monotonic() - begin)
    return times


def greedy(server, row, statuses, ended):
    numbers = iter(range(10**9))
    requests = ((dear(-40 * next(numbers), row), ()) for _ in iter(ended.is_set, True))

    def answered(_, answer):
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
    return Herd(server.public, requests, ABUSERS, answered, source=GREEDY)


def turn(server, number, seconds):
    statuses, ended = {}, threading.Event()
    alone = polite(server, seconds / 2, 1000 * number)
    herd = greedy(server, 1000 * number + 400, statuses, ended)
    herd.start()
    time.sleep(1)  # a queue of its own
    beside = polite(server, seconds, 1000 * number + 800)
    ended.set()
    herd.stop()
    herd.join(limit(60))
    return alone, beside, statuses


@pytest.mark.long
@pytest.mark.parametrize("config", [{}, PUBLIC], ids=["default", "public"])
def test_row_22_cold_tiles_beside_a_crowd(launch, figures, full, config):
    server = launch(config={**CONFIG, **config})
    ratios, refused = [], 0
    for number in range(3 if full else 1):
        alone, beside, statuses = turn(server, number + 1, 20 if full else 6)
        ratios.append(quantile(beside, 0.5) / quantile(alone, 0.5))
        refused += statuses.get(429, 0)
        figures(22, f"cold tile p50 {milliseconds(quantile(alone, .5))} alone, {milliseconds(quantile(beside, .5))} beside "
                    f"{ABUSERS} of one address (x {ratios[-1]:.2f}; worst {milliseconds(max(beside))}), who got {statuses}")
        assert set(statuses) <= {200, 429, 503}
    if full:
        assert min(ratios) < limit(3) and refused > 0


@pytest.mark.long
def test_row_22_cold_tiles_beside_prefetches(launch, figures, full):
    server = launch(config=CONFIG)
    ended, ratios = threading.Event(), []

    def ahead():
        number = 0
        while not ended.wait(1):
            number += 1
            view = {"seed": "7", "recipe": "alpine", "layer": "relief", "position": [number * 1e6, 3e6], "view_distance": 9000}
            with server.connect(source=AHEAD) as connection:
                assert connection.ask("/prefetch", "POST", body=json.dumps(view).encode()).status == 202

    for number in range(3 if full else 1):
        alone = polite(server, 10 if full else 3, 100_000 + 1000 * number)
        ended.clear()
        thread = threading.Thread(target=ahead, daemon=True)
        thread.start()
        beside = polite(server, 20 if full else 4, 100_400 + 1000 * number)
        ended.set()
        thread.join()
        ratios.append(quantile(beside, 0.5) / quantile(alone, 0.5))
        figures(22, f"cold tile p50 {milliseconds(quantile(alone, .5))} alone, {milliseconds(quantile(beside, .5))} beside a "
                    f"prefetch a second (x {ratios[-1]:.2f}), of which {server.count('terrane_prefetch_made_total'):.0f} tiles were made")
    if full:
        assert min(ratios) < limit(1.2)
