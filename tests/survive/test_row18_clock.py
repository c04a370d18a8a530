"""Row 18: the wall clock jumps while the server runs, and the machine sleeps. Only what is about the time of day follows it:
stamps, and the end of a key's life."""

import datetime
import email.utils
import itertools
import json
import signal
import struct
import time

import pytest
from herd import Herd
from http_client import limit, wait_for
from http_hold import Preloaded
from http_operator import keys_file, reload
from http_server import base_tile

WORLD = "continents"

DAY = 86400
KEY, SLOW = "a-key-until-tomorrow", "a-key-of-two-tiles-1"
HOT = base_tile(42, 3, 0, 0, "png", size=32)


class Clock(Preloaded):
    """A wall clock for one program."""

    def __init__(self, directory):
        super().__init__(directory, "clock.c", "CLOCK_MOVED_BY", 1)
        self.moved = 0

    def now(self):
        return time.time() + self.moved

    def move(self, seconds):
        self.moved = int(seconds)
        self.numbers[:8] = struct.pack("=q", self.moved)


def moment(*date):
    return datetime.datetime(*date, tzinfo=datetime.timezone.utc).timestamp()


def stamps(server, log, clock):
    """How far the stamps of an answer and of its line in the log are from the clock."""
    before = clock.now()
    date = email.utils.parsedate_to_datetime(server.get("/healthz")["Date"]).timestamp()
    size = log.stat().st_size
    server.get(HOT)
    line = wait_for(lambda: log.stat().st_size > size and log.read_bytes().endswith(b"\n")
                    and json.loads(log.read_bytes().splitlines()[-1]), "a line")
    told = datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")).timestamp()
    return abs(date - before), abs(told - before)


@pytest.mark.long
def test_row_18_the_clock_jumps(launch, tmp_path, figures):
    clock, begin = Clock(tmp_path), time.monotonic()
    log, tomorrow = tmp_path / "access.log", clock.now() + DAY
    until = datetime.datetime.fromtimestamp(tomorrow, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    keys = keys_file(tmp_path, (KEY, "until", {"expires": until}), (SLOW, "slow", {"tiles_per_minute": 1, "tiles_burst": 2}))
    config = {"access": {"keys_file": keys}, "log": {"access": str(log)},
              "cache": {"memory_bytes": 1 << 20, "write_interval_ms": 10}}
    server = launch(config=config, environment=clock.environment)
    jumps = {"an hour back": -3600, "a year on": 365 * DAY, "to 1970": 5 - clock.now(),
             "to 2038, before 31 bits have run over": moment(2038, 1, 19, 3, 14, 6) - clock.now(),
             "to 2106, before 32 bits have run over": moment(2106, 2, 7, 6, 28, 14) - clock.now(), "back": 0}
    numbers, wrong, slow, worst, turns = itertools.count(), [], [], 0, 0
    known = {}

    def answered(asked, answer):
        if answer.status != 200 or known.setdefault(asked, answer.body) != answer.body:
            wrong.append((asked, answer.status))

    def requests():
        for i in numbers:
            yield base_tile(42, 0, i if i % 2 else i % 40, 18, "f32", size=129), ()

    for name, moved in jumps.items():
        herd = Herd(server.public, requests(), 4, answered, lambda *lost: wrong.append(lost))
        herd.start()
        time.sleep(0.2)
        clock.move(moved)
        stored = server.count("terrane_disk_stores_total")
        wait_for(lambda: server.count("terrane_disk_stores_total") > stored + 20, what=f"tiles on disk, {name}")
        worst = max(worst, *stamps(server, log, clock))
        assert server.ask(HOT, headers=[("X-Api-Key", KEY)]).status == (200 if clock.now() < tomorrow else 401), name
        slow += [server.ask(HOT, headers=[("X-Api-Key", SLOW)]) for _ in range(5)]
        assert reload(server, config), name
        time.sleep(3)  # until the seconds have run over
        worst = max(worst, *stamps(server, log, clock))
        herd.stop()
        server.wait_idle()
        before = server.cpu_seconds()
        time.sleep(2)
        turns = max(turns, (server.cpu_seconds() - before) / 2)
    minutes = (time.monotonic() - begin) / 60
    taken = sum(answer.status == 200 for answer in slow)
    figures(f"{len(jumps)} jumps of the clock: {next(numbers)} answers, {len(wrong)} wrong; stamps at most {worst:.1f} s off; "
            f"{taken} tiles of a key of 2 and 1 a minute in {minutes:.1f} minutes; at rest {100 * turns:.1f} % of a core")
    assert not wrong, wrong[:5]
    assert worst < limit(2) and turns < 0.3
    assert taken <= 2 + minutes + 1 and all(0 < int(a["Retry-After"]) <= 60 for a in slow if a.status == 429)
    assert {answer.status for answer in slow} == {200, 429}


@pytest.mark.long
def test_row_18_the_machine_sleeps(launch, figures):
    """Stopped with requests under way, as for a machine that is put to sleep: they are answered, or told to come again."""
    seconds, server, ends = 70, launch(), []
    herd = Herd(server.public, ((base_tile(42, 1, i, 18, "png"), ()) for i in itertools.count()), 32,
                lambda asked, answer: ends.append(answer), lambda *lost: ends.append(None))
    herd.start()
    wait_for(lambda: len(ends) > 50, what="answers")
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    server.process.send_signal(signal.SIGCONT)
    begin, before = time.monotonic(), len(ends)
    wait_for(lambda: server.ask("/readyz").status == 200, what="a ready server")
    wait_for(lambda: len(ends) > before + 100, what="answers")
    recovery = time.monotonic() - begin
    herd.stop()
    statuses = {status: sum(1 for a in ends if (a and a.status) == status) for status in {a and a.status for a in ends}}
    figures(f"asleep for {seconds} s with 32 requests under way: answers {statuses}; a hundred more {recovery:.2f} s later")
    assert set(statuses) <= {200, 503} and all("Retry-After" in a for a in ends if a.status == 503)
    assert statuses.get(503, 0) <= 32 and server.get(HOT)
