"""Row 14: SIGTERM under load. Readiness fails first, every request that was accepted is answered whole, and the end comes in
time; a second signal forces it.

The load is connections that ask again as soon as they are answered, until they are told to close; then they come anew, as long
as anybody listens. A request counts as accepted when its connection had given an answer before, or any part of one; of another
one it is not known whether the server ever took it: those are counted apart."""

import itertools
import random
import statistics
import time

import pytest
from herd import Herd
from http_client import Crowd, limit, wait_for
from http_server import base_tile

WORLD = "continents"

CONFIG = {"render": {"queue": 65536, "deadline_ms": 60000}, "cache": {"memory_bytes": 8 << 20}}
NUMBERS = itertools.count()


def requests(chance):
    """Cached and cold, quick and slow."""
    kinds = [lambda: base_tile(42, 0, chance.randrange(8), 14, "png"), lambda: base_tile(42, 0, next(NUMBERS), 14, "f32"),
             lambda: base_tile(42, 1, next(NUMBERS), 15, "png", layer="normal", size=512),
             lambda: base_tile(42, 2, next(NUMBERS), 16, "json")]
    while True:
        yield chance.choice(kinds)(), ()


class Round:
    """What became of the requests of one end."""

    def __init__(self):
        self.statuses, self.lost, self.unknown = {}, [], 0

    def answered(self, _, answer):
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1

    def ended(self, request, answers, data, error):
        if answers or data or not isinstance(error, OSError):
            self.lost.append((request[0], answers, bytes(data[:40]), repr(error)))
        else:
            self.unknown += 1


def new_connection(server):
    """The status of a tile over a new connection; None where nobody listens any more."""
    try:
        with server.connect() as connection:
            return connection.ask(base_tile(42, 0, 0, 14, "png")).status
    except OSError:
        return None


def unready_seen(server, begin):
    """Whether readiness fails. Over a new connection: one that was told "ready" while the signal came may be told with it to
    close. Who had no core for as long as the server goes on finds nobody."""
    try:
        with server.connect(admin=True) as watcher:
            return watcher.ask("/readyz").status == 503
    except ConnectionError:
        assert time.monotonic() - begin > 0.2
        return True


def end_under_load(server, chance, known):
    """Ends a server. Its round; after how long readiness failed, what a new connection got then and when; and when all was over."""
    assert not unready_seen(server, 0)
    herds = [Herd(server.public, requests(random.Random(chance.random())), 16, known.answered, known.ended) for _ in range(2)]
    for herd in herds:
        herd.start()
    resting = [server.connect() for _ in range(10)]  # with nothing asked, or half of it: nobody waits for them
    for connection in resting[::2]:
        connection.send(b"GET /tile")
    time.sleep(chance.uniform(0.05, 0.4))
    begin = time.monotonic()
    server.signal()
    wait_for(lambda: unready_seen(server, begin), what="unreadiness")
    unready = time.monotonic() - begin
    fresh = new_connection(server)
    asked = time.monotonic() - begin
    status = server.wait()
    ended = time.monotonic() - begin
    for herd in herds:
        herd.stop()
    for connection in resting:
        connection.close()
    assert status == 0
    return unready, fresh, asked, ended


@pytest.mark.long
def test_row_14_sigterm_under_load(launch, tmp_path, figures):
    rounds, chance, known = 200, random.Random(14), Round()
    unready, ended, fresh = [], [], 0
    for _ in range(rounds):
        server = launch(cache=tmp_path / "cache", config=CONFIG)
        first, status, asked, last = end_under_load(server, chance, known)
        unready.append(first)
        ended.append(last)
        # Who is told not to send new clients has a moment to do so: until then they are served.
        assert status == 200 or asked > 0.2, (status, asked)
        fresh += status == 200
    figures(f"{rounds} ends under load: answers {known.statuses}, {len(known.lost)} accepted requests lost, "
            f"{known.unknown} connections ended before anything came of them; readiness failed after at most "
            f"{1000 * max(unready):.0f} ms, {fresh} new connections served after that; exit 0 after "
            f"{statistics.median(ended):.2f} s, at most {max(ended):.2f} s")
    assert not known.lost, known.lost[:5]
    assert set(known.statuses) == {200} and fresh > 0
    assert max(ended) < limit(10)


@pytest.mark.long
def test_row_14_a_second_signal_forces(launch, tmp_path, figures):
    rounds, seconds = 20, []
    for _ in range(rounds):
        server = launch(cache=tmp_path / "cache", config=CONFIG)
        server.expected_exit = 1
        with Crowd(server.public, [base_tile(42, 1, next(NUMBERS), 17, "png", layer="normal", size=512) for _ in range(1000)]):
            wait_for(lambda: server.count("terrane_inflight") > 500, what="requests under way")
            server.signal()
            wait_for(lambda: "terminating" in server.log_text(), what="the first signal")
            begin = time.monotonic()
            server.signal()
            assert server.wait() == 1
            seconds.append(time.monotonic() - begin)
    figures(f"{rounds} second signals: exit 1 after at most {1000 * max(seconds):.0f} ms")
    assert max(seconds) < limit(2)
