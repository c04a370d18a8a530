"""What the machine does to the server: files of the cache cut short or removed while it runs, files that may grow no further,
too few descriptors, too little stack. It answers, or says in a line why it cannot begin; no signal ends it."""

import contextlib
import itertools
import json
import os
import random
import re
import resource
import select
import subprocess

import http_server
import pytest
from http_client import PATIENCE_S, Connection, wait_for
from http_load import Load
from http_operator import certificate
from http_server import PLAIN_FILE, PROGRAM, base_tile, render, run

CACHE = {"cache": {"write_interval_ms": 1, "retry_interval_ms": 100, "memory_bytes": 1 << 20}}
NUMBERS = itertools.count()


def a_load(server):
    """Somebody who asks for new tiles, and for old ones again."""
    known = {base_tile(42, 3, i, 7, "png"): render(42, 3, i, 7, "png", variant="base") for i in range(4)}

    def next_target(_):
        new = next(NUMBERS)
        return base_tile(42, 0, new, 3, "f32", size=129) if new % 5 == 0 else random.choice(sorted(known)), ()

    return Load(server, next_target, lambda target, answer: answer.body == known.setdefault(target, answer.body))


def files(server):
    return sorted(path.name for path in server.cache.iterdir() if path.name != "tiles.db.damaged")


def cut(path, how):
    with contextlib.suppress(FileNotFoundError):  # SQLite makes and removes some of them while it works
        if how == "removed":
            path.unlink()
        else:
            os.truncate(path, path.stat().st_size // 2 if how == "halved" else 0)


def until_stored(server):
    before = server.count("terrane_disk_stores_total")
    wait_for(lambda: server.count("terrane_disk_stores_total") > before + 5
             and server.count("terrane_disk_degraded") == 0, "tiles that are stored again")


@pytest.mark.parametrize("how", ["emptied", "halved", "removed"])
def test_files_of_the_cache_are_cut_while_it_runs(launch, how):
    server = launch(config=CACHE)
    with a_load(server):
        until_stored(server)
        for name in ("tiles.db", "tiles.db-wal", "tiles.db-shm", *files(server), "tiles.db"):
            cut(server.cache / name, how)
            until_stored(server)
        wait_for(lambda: "warning cache" in server.log_text(), what="a word of it")
    assert server.stop() == 0


@pytest.mark.parametrize("most", [4096, 100000])
def test_files_that_may_grow_no_further(launch, tmp_path, monkeypatch, most):
    """Answers go on without the disk and without a line in the log, which are said to be missing; both come back."""
    limited = tmp_path / "terrane"
    limited.write_text(f'#!/bin/bash\nexec prlimit --fsize={most}: "{PROGRAM}" "$@" 2> >(exec cat >&2)\n')
    limited.chmod(0o755)
    monkeypatch.setattr(http_server, "PROGRAM", limited)
    log = tmp_path / "access.log"
    server = launch(config={**CACHE, "log": {"access": str(log)}})
    with a_load(server) as load:
        wait_for(lambda: server.count("terrane_access_log_dropped_total") > 0, what="lines that do not fit")
        wait_for(lambda: server.count("terrane_disk_degraded") == 1, what="a tier that is said to be unwell")
        load.further(20)
        assert log.stat().st_size <= most and (server.cache / "tiles.db").stat().st_size <= most
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, resource.prlimit(0, resource.RLIMIT_FSIZE))
        until_stored(server)
        wait_for(lambda: log.stat().st_size > 2 * most, what="lines again")
    assert "takes no tiles" in server.log_text() and "File too large" in server.log_text()
    assert server.stop() == 0
    assert all(json.loads(line) for line in log.read_bytes().splitlines())


def test_a_picture_that_may_grow_no_further(tmp_path):
    """No half file is under the name of a whole one. Of seeding: test_seed.py."""
    done = run("render", 42, 3, 0, 0, "--recipe", PLAIN_FILE, "-o", tmp_path / "a.png", file_bytes=8192)
    assert done.returncode == 1 and b"a.png: File too large" in done.stderr and not (tmp_path / "a.png").exists()


def begin(command, most, directory, of=resource.RLIMIT_NOFILE):
    """A command that may have so much of it: (its exit status, or None where it serves, what it said)."""
    program = subprocess.Popen([PROGRAM, *command], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE,
                               preexec_fn=lambda: resource.setrlimit(of, (most, most)))
    with program:
        try:
            if command[0] == "serve" and select.select([program.stdout], [], [], PATIENCE_S)[0]:
                line = program.stdout.readline()
                if line:
                    address = re.search(r"127.0.0.1:(\d+)", json.loads(line)["admin"])
                    with Connection(("127.0.0.1", int(address[1]))) as connection:
                        assert connection.ask("/healthz").status == 200
                    program.terminate()
                    assert program.wait(PATIENCE_S) == 0
                    return None, program.stderr.read().decode()
            _, said = program.communicate(timeout=PATIENCE_S)
            return program.returncode, said.decode()
        finally:
            program.kill()


def test_a_server_with_few_descriptors(tmp_path):
    """Any number of them: one line that says how many there are and how many it takes, or it serves."""
    cert, key = certificate(tmp_path, "server")
    config = {"cache": {"shared": "redis://127.0.0.1:1"}, "log": {"access": "access.log"},
              "http": {"tls": {"certificate": str(cert), "key": str(key)}}}
    (tmp_path / "all.json").write_text(json.dumps({**config, "render": {"selftest": False}}))
    (tmp_path / "none.json").write_text(json.dumps({"cache": {"disk_bytes": 0}, "render": {"selftest": False}}))
    served = set()
    for name in ("all", "none"):
        for descriptors in (4, 14, 24, 29, 34, 44, 64):
            status, said = begin(["serve", "--config", f"{name}.json", "--listen", "127.0.0.1:0", "--admin",
                                  "127.0.0.1:0", "--cache", "cache"], descriptors, tmp_path)
            if status is None:
                served.add(descriptors)
                continue
            assert status == 1 and said.count("\n") == 1, (descriptors, said)
            assert re.search(rf"\b{descriptors} descriptors are allowed .*at least \d+ are needed", said), said
            assert not served, "the more, the better"
        assert 64 in served
        served.clear()


@pytest.mark.parametrize("command", [
    ["seed", "42", "--recipe", PLAIN_FILE, "--zoom", "0-1", "-o", "{}.mbtiles"], ["seed", "42", "--recipe", PLAIN_FILE, "--zoom", "0-1", "-o", "{}.pmtiles"],
    ["seed", "42", "--recipe", PLAIN_FILE, "--zoom", "0-1", "--cache", "{}"],
    ["seed", "42", "--recipe", PLAIN_FILE, "--zoom", "0", "--shared", "redis://127.0.0.1:1", "--patience", "0"],
    ["render", "42", "--recipe", PLAIN_FILE, "9", "0", "0", "-o", "{}.png"], ["recipe"], ["health", "127.0.0.1:1"]])
def test_a_command_with_few_descriptors(tmp_path, command):
    """Does its work, or says why it cannot."""
    for descriptors in (4, 6, 8, 10, 12, 15, 24, 64):
        status, said = begin([str(word).format(f"of-{descriptors}") for word in command], descriptors, tmp_path)
        assert status in (0, 1) and (status == 0 or said), (descriptors, status, said)
        if status == 0:
            assert not said


@pytest.mark.skipif("TIMEOUT_MULT" in os.environ, reason="a sanitizer's stack is not the program's")
@pytest.mark.parametrize("command", [["serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--cache", "cache"],
                                     ["render", "42", "9", "0", "0", "-o", "a.png"], ["recipe", "continents"]])
def test_a_command_with_little_stack(tmp_path, command):
    """It says how much there is and how much it takes, or does its work."""
    for kib in (64, 128, 256, 511):
        assert begin(command, kib << 10, tmp_path, resource.RLIMIT_STACK) == (
            1, f"terrane {command[0]}: {kib} KiB of stack are allowed (ulimit -s), and at least 512 are needed\n")
    status, said = begin(command, 512 << 10, tmp_path, resource.RLIMIT_STACK)
    assert not status, said
