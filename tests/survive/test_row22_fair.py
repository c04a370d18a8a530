"""Row 22: one address that wants everything, and a client who asks for little: what the second one waits for.

Sixty-four connections of one address ask for cold tiles of the dearest kind, again as soon as they are answered, whatever the
answer; a polite client of another address asks for such tiles one after the other, first alone, then beside them, or beside
a prefetch a second. Times are of the best of three turns: clients and server share the machine."""

import contextlib
import itertools
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


@contextlib.contextmanager
def crowd(server, row, statuses):
    numbers, ended = itertools.count(), threading.Event()

    def answered(_, answer):
        statuses[answer.status] = statuses.get(answer.status, 0) + 1

    herd = Herd(server.public, ((dear(-40 * next(numbers), row), ()) for _ in iter(ended.is_set, True)), ABUSERS, answered, source=GREEDY)
    herd.start()
    time.sleep(1)  # a queue of its own
    yield
    ended.set()
    herd.stop()


@contextlib.contextmanager
def prefetches(server):
    ended = threading.Event()

    def ahead():
        for number in itertools.count(1):
            if ended.wait(1):
                return
            view = {"seed": "7", "recipe": "alpine", "layer": "relief", "position": [number * 1e6, 3e6], "view_distance": 9000}
            with server.connect(source=AHEAD) as connection:
                assert connection.ask("/prefetch", "POST", body=json.dumps(view).encode()).status == 202

    thread = threading.Thread(target=ahead, daemon=True)
    thread.start()
    yield
    ended.set()
    thread.join()


def times_longer(server, figures, row, others, what):
    """A polite client's tile beside others, than alone."""
    alone = polite(server, 10, row)
    with others:
        beside = polite(server, 20, row + 800)
    ratio = quantile(beside, 0.5) / quantile(alone, 0.5)
    figures(f"cold tile p50 {milliseconds(quantile(alone, .5))} alone, {milliseconds(quantile(beside, .5))} beside {what} "
            f"(x {ratio:.2f}; worst {milliseconds(max(beside))})")
    return ratio


@pytest.mark.long
@pytest.mark.parametrize("config", [{}, PUBLIC], ids=["default", "public"])
def test_row_22_cold_tiles_beside_a_crowd(launch, figures, config):
    server, statuses = launch(config={**CONFIG, **config}), {}
    best = min(times_longer(server, figures, row, crowd(server, row + 400, statuses), f"{ABUSERS} of one address") for row in (1000, 2000, 3000))
    figures(f"who got {statuses}")
    assert set(statuses) <= {200, 429, 503} and statuses.get(429, 0) > 0
    assert best < limit(3)


@pytest.mark.long
def test_row_22_cold_tiles_beside_prefetches(launch, figures):
    server = launch(config=CONFIG)
    best = min(times_longer(server, figures, row, prefetches(server), "a prefetch a second") for row in (100_000, 101_000, 102_000))
    figures(f"{server.count('terrane_prefetch_made_total'):.0f} tiles were made ahead")
    assert best < limit(1.2)
