#!/usr/bin/python3
"""Keeps samples of a world that people change in step with it, by its events alone. Nothing but Python's standard library.

    follow.py SERVER WORLD LEVEL X0 Y0 X1 Y1     tiles X0..X1 by Y0..Y1 of a level

Whatever happens, `tiles` holds the world as it was after operation `number`: it is fetched with at=number. After every change a line of
JSON tells number, which world it is (epoch), how many tiles were fetched, and the digest of all.
"""

import hashlib
import http.client
import json
import sys
import time
import urllib.error
import urllib.request

SILENT_S = 60  # without so much as a heartbeat, which comes every 15 s unless the server's worlds.heartbeat_s says otherwise
LOOK = 16  # samples around a tile that may count for it
SIZE = 256


class Copy:
    def __init__(self, server, world, level, x0, y0, x1, y1):
        self.server, self.world, self.level = server, world, level
        self.places = [(x, y) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)]
        self.tiles = {}  # place -> bytes: 257 x 257 floats, rows from the north; numpy.frombuffer(.., "<f4").reshape(257, 257)
        self.number = self.epoch = None  # nothing yet
        self.stale, self.until, self.doubts = set(), 0, False
        facts = self.facts()
        self.sample_m = facts["spacing_m"] * 2**level

    def facts(self):
        with urllib.request.urlopen(f"{self.server}/world/{self.world}", timeout=SILENT_S) as answer:
            return json.load(answer)

    def fetch(self, places, number):
        for x, y in places:
            with urllib.request.urlopen(f"{self.server}/tile/{self.world}/{self.level}/{x}/{y}.f32?at={number}&epoch={self.epoch}", timeout=SILENT_S) as answer:
                self.tiles[x, y] = answer.read()
        self.number = number
        digest = hashlib.sha256(b"".join(self.tiles[place] for place in self.places)).hexdigest()
        print(json.dumps({"number": number, "epoch": self.epoch, "fetched": len(places), "digest": digest}), flush=True)

    def touched(self, edit):
        """Tiles that an operation may have changed. What undoes another one has the box of all that moves by it."""
        if "box" not in edit:
            return set()  # a mark
        west, north, east, south = (metres / self.sample_m for metres in edit["box"])
        return {(x, y) for x, y in self.places if west <= (x + 1) * SIZE + LOOK and east >= x * SIZE - LOOK
                and north <= (y + 1) * SIZE + LOOK and south >= y * SIZE - LOOK}

    def begin(self, told):
        """The first event: which world this is, and how many operations it has by now."""
        self.until = told["count"]
        if told["epoch"] != self.epoch or self.number is None:
            self.number, self.epoch, self.stale = None, told["epoch"], set()
            self.fetch(self.places, told["count"])

    def apply(self, edit):
        """One operation. Of many that have happened meanwhile tiles are fetched once, after the last."""
        if edit["seq"] <= self.number:
            return
        self.stale |= self.touched(edit)
        if edit["seq"] >= self.until:
            self.fetch(sorted(self.stale), edit["seq"])
            self.stale = set()

    def listen(self):
        """Until the stream ends."""
        if self.doubts and self.facts()["edits"]["epoch"] != self.epoch:
            self.number = self.epoch = None
        self.doubts = False
        since = {} if self.number is None else {"Last-Event-ID": str(self.number)}
        request = urllib.request.Request(f"{self.server}/world/{self.world}/events", headers=since)
        with urllib.request.urlopen(request, timeout=SILENT_S) as stream:
            kind = ""
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    (self.begin if kind == "world" else self.apply)(json.loads(value))
                elif not name:
                    kind = ""

    def follow(self):
        while True:
            try:
                self.listen()
            except urllib.error.HTTPError as error:
                if error.code in (401, 403):
                    raise
                # It has fewer operations than we know of: it is another world, or a server that is not as far as the one before.
                self.doubts = error.code in (404, 409)
            except (OSError, http.client.HTTPException) as error:  # the server is gone, or the way there; or an answer was cut off
                print(f"{error}; again in a second", file=sys.stderr)
            except ValueError as error:  # half an event
                print(error, file=sys.stderr)
            time.sleep(1)


if __name__ == "__main__":
    Copy(*sys.argv[1:3], *map(int, sys.argv[3:8])).follow()
