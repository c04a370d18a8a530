"""Worlds that people change, for tests: made, written to and read; and disks that are slow or fail."""

import http.client
import json
import struct

import numpy as np
import pytest
from http_hold import Preloaded
from http_operator import bearer, keys_file
from http_server import PLAIN_FILE, run

DIGGER, READER, OTHER, OLD = "digger-s-key-0123456789", "reader-s-key-0123456789", "other-s-key-01234567890", "old-s-key-012345678901"
RAISE = {"brush": "raise", "x": 100, "y": 100, "inner": 10, "outer": 40, "strength_m": 8}
STROKE = {"seq": 1, "brush": 0, "x": 0, "y": 0, "inner": 0, "outer": 16, "strength": 9, "height": 0, "term": 0, "undoes": 0, "by": "a", "at": 0, "token": "", "note": ""}


def world(directory, name="commons", recipe=PLAIN_FILE, seed=42):
    """Makes a world; the configuration of who serves it."""
    done = run("world", "create", name, "--seed", seed, "--recipe", recipe, "--dir", directory)
    assert done.returncode == 0, done.stderr
    return served(directory)


def anew(directory, **options):
    """Makes it once more, in its place."""
    for name in directory.glob("commons.world*"):
        name.unlink()
    return world(directory, **options)


def served(directory):
    keys = keys_file(directory, (DIGGER, "digger", {"edit": True}), (OTHER, "other", {"edit": True}), (READER, "reader", {}), (OLD, "old", {"edit": True, "expires": "2001-01-01T00:00:00Z"}))
    return {"worlds": {"shared_dir": str(directory)}, "access": {"keys_file": keys}}


@pytest.fixture
def commons(launch, tmp_path):
    return launch(config=world(tmp_path))


def write(server, edits, key=DIGGER, status=201, to="edits", name="commons"):
    answer = server.ask(f"/world/{name}/{to}", "POST", bearer(key) if key else [], json.dumps(edits).encode())
    assert answer.status == status or status is None, (answer.status, answer.body)
    return json.loads(answer.body)


def log_of(server, since=0, name="commons"):
    return json.loads(server.get(f"/world/{name}/edits?since={since}").body)


def tile(x, y, lod=0, size=257, layer="height", ext="f32", name="commons", **query):
    more = "".join(f"&{key}={value}" for key, value in query.items())
    return f"/tile/{name}/{lod}/{x}/{y}.{ext}?size={size}&layer={layer}{more}"


def samples(answer):
    side = int(answer["Terrane-Width"])
    return np.frombuffer(answer.body, "<f4").reshape(side, side, -1)


def write_until_it_ends(server, turn, writer, told):
    """One operation after the other, until the server is gone; told: what it has acknowledged, token to number."""
    for k in range(10000):
        token = f"{turn}-{writer}-{k}"
        body = json.dumps({**RAISE, "x": writer, "y": k, "token": token}).encode()
        try:
            answer = server.ask("/world/commons/edits", "POST", bearer(DIGGER), body)
        except (OSError, ValueError, http.client.HTTPException):
            return
        if answer.status == 503 and b"stopping" in answer.body:
            return
        assert answer.status == 201, answer.body
        told[token] = json.loads(answer.body)["first"]


def pages(server):
    edits = []
    while True:
        page = log_of(server, len(edits))
        if not page["edits"]:
            return edits
        edits += page["edits"]
        assert page["next"] == len(edits)


class Syncs(Preloaded):
    """How long the disk takes, in milliseconds; -1: it fails."""

    def __init__(self, directory):
        super().__init__(directory, "sync.c", "SYNC_FILE", 1)

    def take(self, ms):
        self.numbers[:8] = struct.pack("=q", ms)


@pytest.fixture
def syncs(tmp_path):
    made = Syncs(tmp_path)
    yield made
    made.take(0)
