"""Copies of a world that people change, kept by its events alone, are the world: from a cold start, while it changes, after a connection that was
dropped with what happened meanwhile, after a follower was changed for another one, and after the world was made anew."""

import hashlib
import json
import queue
import signal
import subprocess
import sys
import threading

import pytest

from folders import ROOT
from http_client import limit
from http_worlds import RAISE
from shared import Relay, follow, make, serve, write

LEVEL, WINDOW = 1, [-1, -1, 1, 0]  # six tiles of 512 m
FOLLOW = ROOT / "example/follow"
PROGRAMS = {"python": [sys.executable, FOLLOW / "follow.py"], "node": ["node", FOLLOW / "follow.mjs"]}


class Follower:
    def __init__(self, program, url):
        self.process = subprocess.Popen([*program, url, "commons", *map(str, [LEVEL, *WINDOW])], stdout=subprocess.PIPE, text=True)
        self.told = queue.Queue()
        threading.Thread(target=lambda: [self.told.put(json.loads(line)) for line in self.process.stdout], daemon=True).start()

    def until(self, number, epoch=None):
        """What it tells when it has come to an operation; and all that it told until then."""
        seen = []
        while not seen or seen[-1]["number"] != number or seen[-1]["epoch"] != (epoch or seen[-1]["epoch"]):
            seen.append(self.told.get(timeout=limit(60)))
        return seen[-1], seen


def digest_of(server):
    """Of the same tiles, as the server has them now."""
    x0, y0, x1, y1 = WINDOW
    tiles = [server.get(f"/tile/commons/{LEVEL}/{x}/{y}.f32").body for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)]
    return hashlib.sha256(b"".join(tiles)).hexdigest()


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_a_copy_is_the_world(launch, tmp_path, program):
    def begin(seed):
        make(tmp_path, seed)
        started = serve(launch, tmp_path)
        relay.to = started.public
        return started

    relay = Relay()
    server = begin(42)
    write(server, [RAISE, {**RAISE, "x": -300}, {"brush": "mark", "x": 1, "y": 2}])
    follower = Follower(PROGRAMS[program], relay.url)
    try:
        cold, _ = follower.until(3)
        assert cold["fetched"] == 6 and cold["digest"] == digest_of(server)
        relay.cut = 20000  # in the middle of a tile
        assert follower.until(write(server, {**RAISE, "x": 600, "y": 200}))[0] == {**cold, "number": 4, "fetched": 1, "digest": digest_of(server)}
        assert relay.cut is None
        far, _ = follower.until(write(server, {**RAISE, "x": 90000}))
        assert far["fetched"] == 0 and far["digest"] == digest_of(server)
        undone, _ = follower.until(write(server, {"seq": 4}, to="undo"))
        assert undone["digest"] == digest_of(server) == cold["digest"]

        relay.to = None
        relay.drop()
        for k in range(20):
            write(server, {**RAISE, "x": 20 * k})
        relay.to = server.public
        resumed, told = follower.until(26)
        assert len(told) == 1 and resumed["digest"] == digest_of(server) != cold["digest"]

        one, two = (follow(launch, tmp_path / name, server) for name in ("one", "two"))
        relay.to = one.public
        relay.drop()
        at_one, told = follower.until(write(one, {**RAISE, "x": 70}))
        assert len(told) == 1 and at_one["fetched"] <= 6 and at_one["digest"] == digest_of(server)
        two.process.send_signal(signal.SIGSTOP)  # and is not as far, when its client comes
        ahead, _ = follower.until(write(one, {**RAISE, "x": 80}))
        relay.to = two.public
        relay.drop()
        one.stop()
        two.process.send_signal(signal.SIGCONT)
        at_two, told = follower.until(write(server, {**RAISE, "x": 90}))
        assert {each["epoch"] for each in told} == {cold["epoch"]} and at_two["digest"] == digest_of(server) != ahead["digest"]
        two.stop()
        relay.to = server.public

        epochs = {cold["epoch"]}
        for seed, count in ((43, 2), (44, 30)):  # fewer operations than it knows of, and more
            server.stop()
            relay.drop()
            for path in tmp_path.glob("commons.world*"):
                path.unlink()
            server = begin(seed)
            for k in range(count):
                write(server, {**RAISE, "x": 10 * k})
            anew, _ = follower.until(count, json.loads(server.get("/world/commons").body)["edits"]["epoch"])
            assert anew["digest"] == digest_of(server) and anew["epoch"] not in epochs
            epochs.add(anew["epoch"])
    finally:
        follower.process.kill()
        follower.process.wait()
        relay.close()
