"""Viewers that walk worlds, and notice every byte that is not what a lone server sends."""

import collections
import hashlib
import random
import threading
import time

import net
from http_client import Connection, limit

WORLDS = (("42", ""), ("7", "recipe=alpine"))


def path_of_screens(seed, levels, steps, across=3, down=2):
    """Tiles (level, x, y) in the order that a viewer needs them: pans, zooms in, and out."""
    chance = random.Random(seed)
    level, x, y = levels[len(levels) // 2], chance.randrange(-60, 60), chance.randrange(-60, 60)
    dx, dy = 1, 0
    seen = {}
    for _ in range(steps):
        for j in range(down):
            for i in range(across):
                seen.setdefault((level, x + i, y + j))
        if chance.random() < 0.25 and level > levels[0]:
            level, x, y = level - 1, 2 * x + across // 2, 2 * y + down // 2
        elif chance.random() < 0.2 and level < levels[-1]:
            level, x, y = level + 1, (x - across // 2) // 2, (y - down // 2) // 2
        else:
            if chance.random() < 0.3:
                dx, dy = chance.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
            x, y = x + 2 * dx, y + 2 * dy
    return list(seen)


def targets(seed, levels=range(1, 6), steps=5):
    """What two viewers ask for: each a world of its own, pictures mostly."""
    walks = []
    for n, (world, query) in enumerate(WORLDS):
        walk = []
        for k, (level, x, y) in enumerate(path_of_screens(seed + n, list(levels), steps)):
            ending = ".json" if k % 11 == 5 else ".npy" if k % 7 == 3 else ".png"
            walk.append(f"/tile/{world}/{level}/{x}/{y}{ending}{'?' if query else ''}{query}")
        walks.append(walk)
    return [t for pair in zip(*walks) for t in pair]


def digest(answer):
    return hashlib.sha256(answer.body).hexdigest(), answer["ETag"]


def reference(node, wanted):
    """{target: digest} as the lone server makes them."""
    found = {}
    with Connection((node.host.address, 8080)) as connection:
        for target in wanted:
            answer = connection.ask(target)
            assert answer.status == 200, (target, answer.status, answer.body[:200])
            found[target] = digest(answer)
    return found


class Walk:
    """Clients that go round and round a list of targets until it is over. `with Walk(...) as walk:`; then walk.check()."""

    def __init__(self, address, known, clients=4, rounds=None, tag=""):
        """rounds: as often, or until the block is left. tag: part of every query, so that caches in front of the nodes have nothing."""
        self.address, self.known, self.tag, self.rounds = address, known, tag, rounds
        self.lock = threading.Lock()
        self.left = collections.deque()
        self.round, self.requests, self.busy, self.slowest_s = 0, 0, 0, 0.0
        self.failed, self.differing, self.turned_away = [], [], []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._client, args=(net.CLIENTS[i],)) for i in range(clients)]

    def _next(self):
        with self.lock:
            if self.over.is_set():
                return None
            if not self.left:
                if self.rounds is not None and self.round >= self.rounds:
                    return None
                self.round += 1
                self.left.extend((t, f"{t}{'&' if '?' in t else '?'}round={self.tag}{self.round}") for t in self.known)
            return self.left.popleft()

    def _client(self, source):
        connection = None
        while (wanted := self._next()) is not None:
            target, asked = wanted
            started = time.monotonic()
            try:
                while True:
                    connection = connection or Connection(self.address, source=source)
                    answer = connection.ask(asked)
                    # Told to come back, which is no failure; one that lasts is.
                    if answer.status != 503 or "Retry-After" not in answer or time.monotonic() - started > limit(60):
                        break
                    self.busy += 1
                    if b"render queue is full" not in answer.body and b"not ready in time" not in answer.body:
                        self.turned_away.append((asked, answer.body[:200]))
                    time.sleep(0.2)
                if answer.status != 200:
                    self.failed.append((asked, answer.status, answer.body[:200]))
                elif digest(answer) != self.known[target]:
                    self.differing.append((asked, answer.headers))
                if connection.closed or answer.all("Connection") == ["close"]:
                    connection.close()
                    connection = None
            except Exception as error:  # whatever a client can meet is what is counted here
                self.failed.append((asked, repr(error)))
                if connection:
                    connection.close()
                connection = None
            with self.lock:
                self.requests += 1
                self.slowest_s = max(self.slowest_s, time.monotonic() - started)
        if connection:
            connection.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()

    def join(self):
        for thread in self.threads:
            thread.join()

    def further(self, count, seconds=60):
        """Waits for so many answers more."""
        wanted = self.requests + count
        end = time.monotonic() + limit(seconds)
        while self.requests < wanted:
            assert time.monotonic() < end, f"{self.requests} of {wanted} answers; {self.failed[:3]}"
            time.sleep(0.01)

    def check(self):
        assert not self.failed, f"{len(self.failed)} of {self.requests} failed: {self.failed[:5]}"
        # Only where there is too much to make may a client be told to come back.
        assert not self.turned_away, f"{len(self.turned_away)} of {self.requests} turned away: {self.turned_away[:5]}"
        assert not self.differing, f"{len(self.differing)} of {self.requests} differ: {self.differing[:3]}"
        return f"{self.requests} requests, none failed, none differs; told to come back {self.busy}; slowest {self.slowest_s:.2f} s"
