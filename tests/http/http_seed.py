"""Runs of `terrane seed`."""

import contextlib
import json
import os
import sqlite3
import subprocess

from http_client import PATIENCE_S
from http_server import PLAIN_FILE, PROGRAM, run

SMALL = ["--zoom", "0-3", "--variant", "base", "--recipe", str(PLAIN_FILE)]  # 85 tiles: quick ones
TOTAL = 85


def seed(*words, status=0, world=42, **options):
    """`terrane seed` of the recipe that is the servers' default, unless words have another, or a configuration."""
    recipe = [] if {"--recipe", "--config"} & {*words} else ["--recipe", PLAIN_FILE]
    done = run("seed", world, *words, *recipe, **options)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done


def start(*words, world=42):
    return subprocess.Popen([PROGRAM, "seed", str(world), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def lines(text):
    return [json.loads(line) for line in text.decode().splitlines()]


def until(process, enough):
    """The line that tells of so many tiles done."""
    while True:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        told = json.loads(line)
        if told["done"] >= enough:
            return told


def on_a_terminal(*words):
    """Standard output, and what a terminal behind standard error was told."""
    ours, its = os.openpty()
    process = subprocess.Popen([PROGRAM, "seed", "42", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=its)
    os.close(its)
    out, told = process.communicate(timeout=PATIENCE_S)[0], b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while chunk := os.read(ours, 65536):
            told += chunk
    os.close(ours)
    assert process.returncode == 0
    return out, told


def end_early(process, number, enough):
    """Sends a signal once so many tiles are told of. Its last line, its status and its last words."""
    last = until(process, enough)
    process.send_signal(number)
    rest, words = process.communicate(timeout=PATIENCE_S)
    return [last, *lines(rest)][-1], process.returncode, words.decode()


def tiles(folder):
    """What a cache holds, by numbers that are made from the tiles' keys: key, facts, checksum and bytes of each."""
    with contextlib.closing(sqlite3.connect(folder / "tiles.db")) as database:
        return dict(database.execute("SELECT id, entry FROM blob"))
