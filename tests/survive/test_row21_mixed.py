"""Row 21: everything at once, from several addresses: tiles of all layers hot and cold, regions, batches, points, paths,
prefetches, clients that leave, reloads, purges, and a store that goes and comes. No answer but those that are told of, no
report of a sanitizer, an end in good order.

TERRANE_SURVIVE_MINUTES is how long, else a few seconds. `make survive-long` has an hour of it under ThreadSanitizer."""

import json
import os
import random
import socket
import threading
import time

import http_store
import pytest
from http_client import Connection, request_bytes, wait_for
from http_operator import TOKEN, reload, token_file
from http_server import REPRESENTATIONS, tile

WORLD = "continents"

SECONDS = float(os.environ.get("TERRANE_SURVIVE_MINUTES", 0)) * 60 or 8
RECIPES = ("continents", "alpine", "desert", "wayfarer")
RESET = b"\1\0\0\0\0\0\0\0"  # SO_LINGER: on, no time


class Mix:
    """The clients: each a thread that does one thing over and over."""

    def __init__(self, server, seconds):
        self.server, self.end = server, time.monotonic() + seconds
        self.lock, self.statuses, self.wrong = threading.Lock(), {}, []

    def note(self, what, answer, allowed=(200, 429, 503)):
        with self.lock:
            row = self.statuses.setdefault(what, {})
            row[answer.status] = row.get(answer.status, 0) + 1
            if answer.status not in allowed:
                self.wrong.append((what, answer.status, answer.body[:200]))

    def run(self, *doings):
        threads = [threading.Thread(target=self._go, args=(doing, number)) for number, doing in enumerate(doings)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _go(self, doing, number):
        chance, source = random.Random(number), f"127.0.0.{2 + number % 5}"
        while time.monotonic() < self.end:
            try:
                doing(self, chance, source)
            except Exception as error:  # is told of at the end, and the others go on
                with self.lock:
                    self.wrong.append((doing.__name__, repr(error)))
                time.sleep(0.1)

    def rest(self, seconds):
        time.sleep(max(0, min(seconds, self.end - time.monotonic())))

    def connect(self, source):
        return Connection(self.server.public, source=source)


def any_tile(chance, span=1 << 20):
    """Most of them of the ground before erosion: many in a minute, of every layer."""
    layer, fmt, enc = chance.choice(REPRESENTATIONS)
    return tile(42, chance.randrange(7), chance.randrange(span), chance.randrange(span), fmt, layer=layer, enc=enc,
                recipe=chance.choice(RECIPES), size=chance.choice((2, 33, 129)),
                variant="base" if chance.random() < 0.9 else None)


HOT = [any_tile(random.Random(number), 2) for number in range(30)]


def hot(mix, chance, source):
    with mix.connect(source) as connection:
        for target in chance.sample(HOT, 20):
            mix.note("hot", connection.ask(target, headers=[("Accept-Encoding", "gzip, zstd")]))


def cold(mix, chance, source):
    with mix.connect(source) as connection:
        mix.note("cold", connection.ask(any_tile(chance), headers=[("Priority", f"u={chance.randrange(8)}")]))


def region(mix, chance, source):
    side, fmt = chance.choice((8, 257, 700)), chance.choice(("f32", "npy", "png", "tif"))
    with mix.connect(source) as connection:
        mix.note("region", connection.ask(f"/region/42.{fmt}?lod={chance.randrange(6)}&x0={chance.randrange(1 << 16)}"
                                          f"&y0=0&w={side}&h={side}&variant=base"))


def batch(mix, chance, source):
    body = json.dumps({"tiles": [*chance.sample(HOT, 20), *(any_tile(chance) for _ in range(4))]}).encode()
    with mix.connect(source) as connection:
        mix.note("batch", connection.ask("/tiles", "POST", body=body))


def point(mix, chance, source):
    places = [[chance.uniform(-3e4, 3e4), chance.uniform(-3e4, 3e4)] for _ in range(4)]
    with mix.connect(source) as connection:
        mix.note("point", connection.ask(f"/point/42?x={places[0][0]:.2f}&y={places[0][1]:.2f}&lod=4&variant=base"))
        mix.note("point", connection.ask("/point/42?lod=5&variant=base", "POST", body=json.dumps({"places": places}).encode()))


def path(mix, chance, source):
    with mix.connect(source) as connection:
        mix.note("path", connection.ask(f"/path/42?lod=4&x0={chance.randrange(8) * 256}&y0=0&w=600&h=600&recipe=wayfarer"))
    mix.rest(chance.uniform(0, 5))


def prefetch(mix, chance, source):
    asked = {"seed": "42", "position": [chance.uniform(-1e6, 1e6), 0.0], "view_distance": 400, "variant": "base", "size": 65,
             "format": "f32"}
    with mix.connect(source) as connection:
        mix.note("prefetch", connection.ask("/prefetch", "POST", body=json.dumps(asked).encode()), (202, 429, 503))
    mix.rest(chance.uniform(2, 20))


def leave(mix, chance, source):
    """With a request on the way, or in the middle of its answer; some with a reset."""
    with mix.connect(source) as connection:
        target = chance.choice((any_tile(chance), "/region/42.f32?x0=0&y0=0&w=2000&h=2000&lod=3&variant=base"))
        connection.send(request_bytes(target))
        if chance.random() < 0.5:
            connection.socket.recv(1000)
        if chance.random() < 0.5:
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


def operate(mix, chance, source):
    """The operator, and whoever scrapes."""
    given = [("Authorization", f"Bearer {TOKEN}")]
    purge = [("/purge?seed=42", "POST"), ("/purge?all=1", "POST")][chance.random() < 0.3:] if chance.random() < 0.1 else []
    for target, method in (("/stats", "GET"), ("/metrics", "GET"), ("/log-level?level=info", "PUT"), *purge):
        mix.note("operate", mix.server.ask(target, method, given, admin=True))
    mix.rest(0.5)


@pytest.mark.long
def test_row_21_everything_at_once(launch, tmp_path, figures):
    store = http_store.Store("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru") if http_store.PROGRAM else None
    config = {"render": {"deadline_ms": 300000}, "log": {"access": str(tmp_path / "access.log")},
              "access": {"admin_token_file": token_file(tmp_path)},
              "cache": {"memory_bytes": 16 << 20, "disk_bytes": 64 << 20, "write_interval_ms": 20, "retry_interval_ms": 200,
                        **({"shared": store.url, "shared_timeout_ms": 500} if store else {})}}
    server = launch(config=config)
    mix = Mix(server, SECONDS)

    def change(mix, chance, _):
        """Reloads with other budgets; and the store goes, hangs and comes back."""
        cache = {**config["cache"], "memory_bytes": chance.choice((1, 16, 32)) << 20, "disk_bytes": chance.choice((16, 64)) << 20}
        assert reload(mix.server, {**config, "cache": cache})
        if store and chance.random() < 0.1:
            (stop, start) = chance.choice(((store.stop, store.start), (store.freeze, store.thaw)))
            stop()
            time.sleep(chance.uniform(0, 1))
            start()
        mix.rest(chance.uniform(0, 2))

    try:
        mix.run(hot, hot, cold, cold, region, batch, point, path, prefetch, leave, leave, operate, change)
        server.wait_idle()
        wait_for(lambda: server.get("/readyz"), what="a ready server")
    finally:
        if store:
            store.close()
    asked = {what: sum(row.values()) for what, row in mix.statuses.items()}
    refused = sum(count for row in mix.statuses.values() for status, count in row.items() if status in (429, 503))
    status, reports = server.stop(), server.log_text().count("Sanitizer")
    figures(f"{SECONDS:.0f} s of everything at once: {sum(asked.values())} answers ({asked}), {refused} of them 429 or 503, "
            f"{len(mix.wrong)} wrong, {reports} reports, exit status {status}")
    assert not mix.wrong, mix.wrong[:5]
    assert reports == 0 and status == 0
    assert set(asked) == {"hot", "cold", "region", "batch", "point", "path", "prefetch", "operate"}
