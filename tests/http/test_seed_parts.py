"""terrane seed on several machines: parts of a plan into caches of their own or into a shared tier, a redis-server."""

import contextlib
import json
import pathlib
import re

import pytest
from http_seed import SMALL, TOTAL, end_early, lines, seed, start, tiles
from http_server import PROGRAM, run
from http_store import PROGRAM as STORE_PROGRAM
from http_store import Store


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one machine makes of SMALL."""
    folder = tmp_path_factory.mktemp("alone")
    seed(*SMALL, "--cache", folder / "cache")
    made = tiles(folder / "cache")
    assert len(made) == TOTAL
    return made


def entries(store):
    """Entries of the shared tier that a store holds, which are those of a disk cache."""
    keys = [key for key in store.ask("KEYS", "terrane:*") if re.fullmatch(rb"terrane:2:[0-9a-f]{32}", key)]
    return {store.ask("GET", key) for key in keys}


def last_of(*words, **options):
    return lines(seed(*SMALL, *words, **options).stdout)[-1]


def test_parts_are_the_whole(tmp_path, alone):
    """Each tile is made by one machine, and is the one that a single machine makes; a part goes on, or has all."""
    made, parts = {}, 3
    for part in range(1, parts + 1):
        words = ["--part", f"{part}/{parts}", "--cache", tmp_path / str(part)]
        told = lines(seed(*SMALL, *words, "--dry-run").stdout)[0]
        last = last_of(*words)
        own = tiles(tmp_path / str(part))
        assert 0 < last["made"] == last["total"] == told["total"] == len(own) < TOTAL and not made.keys() & own.keys()
        again = last_of(*words)
        assert (again["made"], again["found"]) == (0, len(own))
        assert lines(seed(*SMALL, *words, "--dry-run").stdout)[0]["found"] == len(own)
        made |= own
    assert made == alone


def test_parts_fill_a_shared_tier(store, alone):
    last = [last_of("--part", part, "--shared", store.url) for part in ("1/2", "2/2")]
    assert sum(line["made"] for line in last) == TOTAL and entries(store) == set(alone.values())
    assert last_of("--shared", store.url)["found"] == TOTAL
    assert lines(seed(*SMALL, "--shared", store.url, "--dry-run").stdout)[0]["found"] == TOTAL


def test_what_is_stopped_leaves_its_tiles(store, alone):
    told, status, _ = end_early(start(*SMALL, "--shared", store.url, "--rate", 2), 15, 1)
    assert status == 3 and told["result"] == "stopped"
    assert last_of("--shared", store.url)["found"] == told["made"] and entries(store) == set(alone.values())


def test_a_store_that_takes_nothing(store):
    store.ask("CONFIG", "SET", "maxmemory", "1")
    said = seed(*SMALL, "--shared", store.url, status=1).stderr
    assert b"OOM" in said and b"takes no tiles" in said
    store.stop()
    said = seed(*SMALL, "--shared", store.url, "--patience", "0", status=1).stderr
    assert re.search(rb"Connection refused; given up after \d+ s\n$", said)


def test_a_store_that_has_no_room(store):
    """Whoever fills it is told that it did not keep all."""
    store.ask("CONFIG", "SET", "maxmemory", "8mb")
    store.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    done = seed(*SMALL, "--shared", store.url)
    assert lines(done.stdout)[-1]["made"] == TOTAL > len(entries(store))
    assert re.search(rb"has evicted \d+ entries meanwhile", done.stderr)


def test_the_store_of_the_configuration(store, tmp_path):
    """With the password that its file holds."""
    (tmp_path / "password").write_text("open/sesame\n")
    store.ask("ACL", "SETUSER", "seeder", "on", ">open/sesame", "~*", "+@all")
    (tmp_path / "node.json").write_text(json.dumps({"cache": {"shared": store.url.replace("//", "//seeder:@"),
                                                              "shared_password_file": str(tmp_path / "password")}}))
    assert last_of("--shared", "config", "--config", tmp_path / "node.json")["made"] == TOTAL == len(entries(store))
    done = seed(*SMALL, "--shared", "config", status=2)
    assert done.stderr == b"terrane seed: shared=config: the configuration has no cache.shared\n"


@pytest.mark.skipif(not STORE_PROGRAM, reason="redis-server is not installed")
def test_passwords():
    """A wrong one is said at once, and no password is shown: not in messages, and not to anybody who lists processes."""
    with contextlib.closing(Store(password="open sesame")) as store:
        bare = f"127.0.0.1:{store.port}"
        for user, why in (("", b"NOAUTH"), (":wrong%2Fword@", b"WRONGPASS"), ("nobody:wrong%2Fword@", b"WRONGPASS")):
            done = seed(*SMALL, "--shared", f"redis://{user}{bare}", status=1)
            assert why in done.stderr.splitlines()[-1] and b"wrong" not in done.stderr and not done.stdout
        done = seed(*SMALL, "--shared", f"redis://:open%20sesame@{bare}/99", status=1)
        assert done.stderr.endswith(b"DB index is out of range\n") and b"trying again" not in done.stderr
        worker = start(*SMALL, "--shared", f"redis://:open%20sesame@{bare}/3", "--rate", 2)
        assert worker.stdout.readline()
        words = pathlib.Path(f"/proc/{worker.pid}/cmdline").read_bytes()
        assert bare.encode() in words and b"sesame" not in words
        assert end_early(worker, 15, 1)[1] == 3


def test_the_page_of_clusters(store):
    """Its commands work as printed, but for the store's port, as far as --dry-run goes."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/clusters.md").read_text()
    commands = re.findall(r"^    build/(terrane seed .*--part.*)$", page, re.M)
    assert len(commands) == 2
    for command in commands:
        words = command.replace("redis://127.0.0.1:6380", store.url).split()
        assert store.url in words
        told = run(*words[1:], "--dry-run")
        assert told.returncode == 0 and lines(told.stdout)[0]["total"] > 0, (PROGRAM, told.stderr)
