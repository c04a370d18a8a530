"""Stores and workers for tests of `terrane seed --queue`."""

import contextlib
import json
import socket
import sqlite3
import subprocess

from http_client import limit, wait_for
from http_server import PROGRAM

SMALL = ["--zoom", "0-3", "--variant", "base"]  # 85 tiles, 13 blocks: quick ones
TOTAL, BLOCKS = 85, 13


class Store:
    """A redis-server that keeps nothing, and says what a socket can."""

    ports = set()  # no store gets another's, which may be at the end of its life

    def __init__(self, folder, *settings):
        self.folder, self.settings, self.process, self.port = folder, settings, None, None
        while self.port is None or self.port in self.ports:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        self.ports.add(self.port)
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        with open(self.folder / "store.log", "ab") as log:
            self.process = subprocess.Popen(
                ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", *self.settings],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(self.answers, 30, "redis-server")

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16)[:1] in (b"+", b"-")
        return False

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def say(self, *words):
        """A command's answer: bytes, int, None or a list of them."""
        with socket.create_connection(("127.0.0.1", self.port), limit(20)) as connection:
            words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
            connection.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
            with connection.makefile("rb") as answers:
                return self.read(answers)

    def read(self, answers):
        line = answers.readline()
        kind, rest = line[:1], line[1:-2]
        assert kind in b"+:$*" and kind, line
        if kind == b"*":
            return [self.read(answers) for _ in range(int(rest))]
        if kind == b"$":
            return answers.read(int(rest) + 2)[:-2] if rest != b"-1" else None
        return int(rest) if kind == b":" else rest

    def keys(self):
        """Those of the one plan that there is: the hash, the stream, the bits."""
        names = sorted(key.decode() for key in self.say("KEYS", "terrane:seed:*"))
        name = names[0].split(":")[2]
        assert {key.split(":")[2] for key in names} == {name} and len(name) == 32
        return f"terrane:seed:{name}", f"terrane:seed:{name}:blocks", f"terrane:seed:{name}:done"


@contextlib.contextmanager
def a_store(path):
    started = Store(path)
    try:
        yield started
    finally:
        started.end()


@contextlib.contextmanager
def workers_in(path):
    """Starts workers, which end with it: begin(store, name, words ...), with a cache of that name, or none."""
    started = []

    def start(store, name, *words, plan=SMALL):
        started.append(subprocess.Popen(
            [PROGRAM, "seed", "42", *plan, "--queue", store.url, *(["--cache", str(path / name)] if name else []), *map(str, words)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.communicate()


def lines(text):
    return [json.loads(line) for line in text.decode().splitlines()]


def finish(process, status=0, seconds=120):
    """Its last line, and what it said on standard error."""
    out, errors = process.communicate(timeout=limit(seconds))
    assert process.returncode == status, (process.returncode, errors)
    return lines(out)[-1], errors.decode()


def until(process, enough):
    """The line that tells of so many tiles done by all."""
    while True:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        told = json.loads(line)
        if told["done"] >= enough:
            return told


def tiles(folder):
    """What a cache holds, by numbers that are made from the tiles' keys: key, facts, checksum and bytes of each."""
    with contextlib.closing(sqlite3.connect(folder / "tiles.db")) as database:
        return dict(database.execute("SELECT id, entry FROM blob"))
