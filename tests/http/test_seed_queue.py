"""terrane seed --queue: workers share a plan out by a redis-server, whatever happens to them or to it."""

import concurrent.futures
import contextlib
import inspect
import json
import pathlib
import re
import signal
import subprocess
import time

import pytest
from http_client import limit, wait_for
from http_server import PROGRAM, run
from http_store import PROGRAM as STORE_PROGRAM
from http_store import Store, free_port
from http_workers import BLOCKS, SMALL, TOTAL, finish, keys_of, lines, tiles, until, workers_in

pytestmark = [pytest.mark.long, pytest.mark.skipif(not STORE_PROGRAM, reason="redis-server is not installed")]


@pytest.fixture
def store():
    with contextlib.closing(Store()) as started:
        yield started


@pytest.fixture
def begin(tmp_path):
    with workers_in(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one machine makes of SMALL."""
    folder = tmp_path_factory.mktemp("alone")
    assert run("seed", 42, *SMALL, "--cache", folder / "cache").returncode == 0
    made = tiles(folder / "cache")
    assert len(made) == TOTAL
    return made


OWN = {"store", "begin", "tmp_path", "alone"}  # what a test that runs beside others is given as fixtures would


def play(scenario, path, given):
    names = inspect.signature(scenario).parameters
    with contextlib.closing(Store()) as store, workers_in(path) as start:
        given = {**given, "store": store, "begin": start, "tmp_path": path}
        scenario(**{name: given[name] for name in names})


@pytest.fixture(scope="module")
def outcomes(request, alone, tmp_path_factory):
    """What becomes of those of the chosen tests that mostly wait: they run beside each other."""
    chosen = [item for item in request.session.items if item.module is request.module and hasattr(item.function, "scenario")]
    pool = concurrent.futures.ThreadPoolExecutor(6)
    try:
        yield {item.nodeid: pool.submit(play, item.function.scenario, tmp_path_factory.mktemp("beside"),
                                        {**(item.callspec.params if hasattr(item, "callspec") else {}), "alone": alone}) for item in chosen}
    finally:
        pool.shutdown(cancel_futures=True)


def beside(scenario):
    """A test that mostly waits: its rates are low, so that something can happen meanwhile."""
    def test(outcomes, request, **_):
        outcomes[request.node.nodeid].result()

    parameters = inspect.signature(scenario).parameters.values()
    own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("outcomes", "request")]
    test.__signature__ = inspect.Signature([*own, *(p.replace(kind=p.KEYWORD_ONLY) for p in parameters if p.name not in OWN)])
    test.__doc__, test.scenario = scenario.__doc__, scenario
    return test


def union(tmp_path, *names):
    """All that caches hold together, where none holds what differs from another's."""
    every = {}
    for name in names:
        if (tmp_path / name / "tiles.db").exists():
            for key, data in tiles(tmp_path / name).items():
                assert every.setdefault(key, data) == data
    return every


# ---- Sharing --------------------------------------------------------------------------------------------------------


def test_two_workers_share_a_plan(store, begin, tmp_path, alone):
    """Every tile is made once in all, by both of them, and is the one that a single machine makes."""
    workers = [begin(store, name, "--threads", 1, "--rate", 40) for name in "ab"]
    last = [finish(worker)[0] for worker in workers]
    made = [line["worker"]["made"] for line in last]
    assert sum(made) == TOTAL and min(made) > 0
    assert [len(tiles(tmp_path / name)) for name in "ab"] == made and union(tmp_path, "a", "b") == alone
    for line in last:
        assert (line["done"], line["total"], line["made"], line["found"], line["result"]) == (TOTAL, TOTAL, TOTAL, 0, "done")
        assert line["bytes"] == last[0]["worker"]["bytes"] + last[1]["worker"]["bytes"] and line["worker"]["claimed"] == 0
    state, stream, bits = keys_of(store)
    assert store.ask("XLEN", stream) == 0 and store.ask("BITCOUNT", bits) == BLOCKS
    assert store.ask("XINFO", "CONSUMERS", stream, "workers") == []
    assert all(0 < store.ask("TTL", key) <= 7 * 86400 for key in (state, stream, bits))


def test_eroded_ground_is_the_same(store, begin, tmp_path):
    """Regions over which blocks end, made by each worker for itself; and tiles that take their time: none is told of before it is
    there."""
    plan = ["--lod", "5..6", "--center", "3000,-4000", "--radius", "20000"]
    assert run("seed", 42, *plan, "--cache", tmp_path / "alone", seconds=300).returncode == 0
    last = [finish(worker, seconds=300)[0] for worker in [begin(store, name, "--threads", 1, plan=plan) for name in "ab"]]
    assert all(line["made"] == line["total"] for line in last) and sum(line["worker"]["made"] for line in last) == last[0]["total"]
    assert union(tmp_path, "a", "b") == tiles(tmp_path / "alone")


def test_again_makes_nothing(store, begin, tmp_path):
    finish(begin(store, "a"))
    line, said = finish(begin(store, "b"))
    assert (line["made"], line["done"], line["worker"]["made"], line["result"]) == (TOTAL, TOTAL, 0, "done")
    assert said == f"terrane seed: {store.url}/0: nothing was left to make; --again begins anew\n"
    assert tiles(tmp_path / "b") == {}
    line, _ = finish(begin(store, "b", "--again"))
    assert line["worker"]["made"] == TOTAL and len(tiles(tmp_path / "b")) == TOTAL
    line, _ = finish(begin(store, "b", "--again"))  # what is there is found
    assert (line["made"], line["found"], line["worker"]["found"]) == (0, TOTAL, TOTAL)


@beside
def test_again_joins_what_is_under_way(store, begin, tmp_path, alone):
    first = begin(store, "a", "--rate", 8)
    until(first, 5)
    made = [finish(worker)[0]["worker"]["made"] for worker in (first, begin(store, "b", "--again"))]
    assert sum(made) == TOTAL and min(made) > 0 and union(tmp_path, "a", "b") == alone


def test_plans_do_not_mix(store, begin, tmp_path):
    """What is done in workers' own caches is not in the shared tier, either."""
    plan = ["--zoom", "0-1", "--variant", "base"]
    finish(begin(store, "a", plan=plan))
    line, _ = finish(begin(store, None, "--shared", store.url, plan=plan))
    assert line["worker"]["made"] == line["total"] == len(entries(store))
    for number, other in enumerate((["--zoom", "0-2", "--variant", "base"], [*plan, "--layer", "slope"], [*plan, "--enc", "mapbox"],
                                    [*plan, "--recipe", "alpine"], [*plan, "--size", "512"], [*plan, "--bounds", "0,0,9e6,9e6"])):
        line, _ = finish(begin(store, f"b{number}", plan=other))
        assert line["worker"]["made"] == line["total"] == len(tiles(tmp_path / f"b{number}")) > 0
    assert len({key.split(b":")[2] for key in store.ask("KEYS", "terrane:seed:*")}) == 8


@beside
def test_dry_run_asks_the_store(store, begin, tmp_path):
    words = [*SMALL, "--queue", store.url, "--dry-run", "--rate", 1]
    first = lines(run("seed", 42, *words).stdout)[0]
    assert (first["total"], first["found"], first["seconds"]) == (TOTAL, 0, TOTAL) and store.ask("KEYS", "*") == []
    worker = begin(store, "a", "--rate", 25)
    until(worker, 10)
    worker.terminate()
    done = finish(worker, 3)[0]["done"]
    rest = lines(run("seed", 42, *words).stdout)[0]
    assert 10 <= done < TOTAL and rest["found"] == done and rest["seconds"] == TOTAL - done
    assert list(tmp_path.glob("*")) == [tmp_path / "a"]
    store.stop()
    gone = run("seed", 42, *words)
    assert gone.returncode == 1 and f"{store.url}/0" in gone.stderr.decode() and gone.stderr.count(b"\n") == 1


# ---- Into the shared tier -------------------------------------------------------------------------------------------


def entries(store):
    """Entries of the shared tier that a store holds, which are those of a disk cache."""
    keys = [key for key in store.ask("KEYS", "terrane:*") if re.fullmatch(rb"terrane:2:[0-9a-f]{32}", key)]
    return {store.ask("GET", key) for key in keys}


def test_into_the_shared_tier(store, begin, tmp_path, alone):
    """By two who share the plan, each tile once; all that is there is found, by whom ever."""
    first = begin(store, None, "--shared", store.url, "--threads", 1, "--rate", 40)
    last = [finish(worker)[0] for worker in (first, begin(store, None, "--shared", store.url, "--threads", 1, "--rate", 40))]
    assert sum(line["worker"]["made"] for line in last) == TOTAL and all(line["bytes"] == last[0]["bytes"] for line in last)
    assert entries(store) == set(alone.values())
    line, _ = finish(begin(store, None, "--shared", store.url, "--again"))
    assert (line["made"], line["found"]) == (0, TOTAL)
    words = ["seed", 42, *SMALL, "--shared", store.url]
    assert lines(run(*words, "--dry-run").stdout)[0]["found"] == TOTAL
    line = lines(run(*words).stdout)[-1]
    assert (line["made"], line["found"], line["result"]) == (0, TOTAL, "done") and "worker" not in line


@beside
def test_a_stopped_worker_leaves_its_tiles(store, begin, alone):
    """What it put into the shared tier, of blocks that it had begun, the next one finds."""
    stopped = begin(store, None, "--shared", store.url, "--rate", 20)
    until(stopped, 5)
    stopped.terminate()
    told, _ = finish(stopped, 3)
    line, _ = finish(begin(store, None, "--shared", store.url))
    assert line["worker"]["made"] == TOTAL - told["worker"]["made"] and entries(store) == set(alone.values())


@beside
def test_the_shared_tier_comes_back(store, begin, alone):
    """Frozen, full, and restarted without what it held."""
    worker = begin(store, None, "--shared", store.url, "--rate", 20)
    until(worker, 5)
    store.freeze()
    time.sleep(3)
    store.thaw()
    until(worker, 20)
    store.stop()
    store.start()
    line, _ = finish(worker)
    assert line["done"] == TOTAL and entries(store) == set(alone.values())


def test_a_shared_tier_that_takes_nothing(store, begin, tmp_path):
    store.ask("CONFIG", "SET", "maxmemory", "1")
    done = run("seed", 42, *SMALL, "--shared", store.url)
    assert done.returncode == 1 and b"OOM" in done.stderr and b"takes no tiles" in done.stderr
    store.stop()
    done = run("seed", 42, *SMALL, "--shared", store.url, "--patience", 1)
    assert done.returncode == 1 and re.search(rb"Connection refused; given up after \d+ s\n$", done.stderr)


def test_a_shared_tier_that_has_no_room(store, begin):
    """Whoever fills it is told that it kept not all; the plan's own keys may go, too, and no tile is left out for that."""
    store.ask("CONFIG", "SET", "maxmemory", "8mb")
    store.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    line, said = finish(begin(store, None, "--shared", store.url))
    assert line["done"] == TOTAL and re.search(r"has evicted \d+ entries meanwhile", said)
    assert line["worker"]["made"] >= TOTAL > len(entries(store))


@beside
def test_stopped_while_the_shared_tier_is_away(store, begin):
    """Before it began, and in the middle: stopped it is, and not failed."""
    worker = begin(store, None, "--shared", store.url, "--rate", 20)
    until(worker, 5)
    store.freeze()
    time.sleep(1)
    worker.terminate()
    line, said = finish(worker, 3)
    assert line["result"] == "stopped" and f"of {TOTAL} tiles are done" in said
    store.stop()
    second = begin(store, None, "--shared", store.url)
    assert b"cannot be used" in second.stderr.readline()
    second.terminate()
    out, said = second.communicate(timeout=limit(20))
    assert second.returncode == 3 and out == b"" and b"stopped; nothing was begun" in said


def test_the_stores_of_the_configuration(store, begin, tmp_path):
    """With the password that its file holds."""
    (tmp_path / "password").write_text("open/sesame\n")
    store.ask("ACL", "SETUSER", "seeder", "on", ">open/sesame", "~*", "+@all")
    (tmp_path / "node.json").write_text(json.dumps({"cache": {"shared": store.url.replace("//", "//seeder:@"),
                                                              "shared_password_file": str(tmp_path / "password")}}))
    words = ["--shared", "config", "--queue", "config"]
    done = run("seed", 42, *SMALL, *words, "--config", tmp_path / "node.json")
    assert done.returncode == 0 and len(entries(store)) == TOTAL and lines(done.stdout)[-1]["worker"]["made"] == TOTAL, done.stderr
    done = run("seed", 42, *SMALL, *words)
    assert done.returncode == 2 and done.stderr == b"terrane seed: queue=config: the configuration has no cache.shared\n"


# ---- Workers end ----------------------------------------------------------------------------------------------------


@beside
def test_a_dead_worker_is_taken_over(store, begin, tmp_path, alone):
    """kill -9 half-way: what was done counts, what it had begun is made by another."""
    dead = begin(store, "a", "--rate", 20)
    done = until(dead, 10)["done"]
    dead.kill()
    dead.communicate()
    line, _ = finish(begin(store, "b", "--claim-after", 2))
    assert line["done"] == line["made"] == TOTAL and line["worker"]["claimed"] > 0
    assert TOTAL - 40 <= line["worker"]["made"] <= TOTAL - done and union(tmp_path, "a", "b") == alone


@beside
def test_a_frozen_worker_is_taken_over(store, begin, tmp_path, alone):
    """And when it goes on, it finds out that nothing is left; no tile counts twice."""
    frozen = begin(store, "a", "--rate", 20)
    until(frozen, 10)
    frozen.send_signal(signal.SIGSTOP)
    line, _ = finish(begin(store, "b", "--claim-after", 2))
    assert line["worker"]["claimed"] > 0 and line["made"] == TOTAL
    frozen.send_signal(signal.SIGCONT)
    line, _ = finish(frozen)
    assert line["made"] == line["done"] == TOTAL and union(tmp_path, "a", "b") == alone


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@beside
def test_a_stopped_worker_gives_back(store, begin, tmp_path, alone, number):
    """At once: nobody has to find out that it is silent."""
    stopped = begin(store, "a", "--rate", 20)
    until(stopped, 10)
    stopped.send_signal(number)
    told, said = finish(stopped, 3)
    assert told["result"] == "stopped" and f"{told['done']} of {TOTAL} tiles are done" in said and "left to others" in said
    line, _ = finish(begin(store, "b", "--claim-after", 86400))
    assert line["made"] == TOTAL and line["worker"]["claimed"] == 0 and line["worker"]["made"] == TOTAL - told["done"]
    assert union(tmp_path, "a", "b") == alone


def test_a_worker_that_fails_gives_back(store, begin, tmp_path, alone):
    """Its disk is full."""
    def small_files():
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    words = [PROGRAM, "seed", "42", *SMALL, "--queue", store.url, "--cache", str(tmp_path / "a")]
    failed = subprocess.run(words, capture_output=True, timeout=limit(60), preexec_fn=small_files, check=False)
    assert failed.returncode == 1 and lines(failed.stdout)[-1]["result"] == "failed"
    line, _ = finish(begin(store, "b", "--claim-after", 86400))
    assert line["done"] == TOTAL and line["worker"]["claimed"] == 0
    assert union(tmp_path, "b").items() <= alone.items()


# ---- The store ends -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("away_s", [0, 2])
@beside
def test_an_empty_store_after_a_restart(store, begin, tmp_path, alone, away_s):
    """Nothing is missing in the end, and what a worker has made it finds again."""
    workers = [begin(store, name, "--rate", 8, "--claim-after", 2) for name in "ab"]
    until(workers[0], 10)
    store.stop()
    time.sleep(away_s)
    store.start()
    for worker in workers:
        line, said = finish(worker)
        assert line["done"] == TOTAL and line["result"] == "done"
        if away_s:
            assert re.fullmatch(r"terrane seed: .*; trying again for 300 s\nterrane seed: .*: is back\n", said)
    assert union(tmp_path, "a", "b") == alone and store.ask("BITCOUNT", keys_of(store)[2]) == BLOCKS


@beside
def test_a_frozen_store(store, begin, tmp_path, alone):
    worker = begin(store, "a", "--rate", 10)
    until(worker, 10)
    store.freeze()
    wait_for(lambda: json.loads(worker.stdout.readline()).get("waits") == "waits for the store", 60, "the store is missed")
    store.thaw()
    line, said = finish(worker)
    assert line["made"] == TOTAL and "is back" in said and union(tmp_path, "a") == alone


@beside
def test_patience_ends(store, begin, tmp_path):
    """What was at hand is finished, and the reason told."""
    worker = begin(store, "a", "--rate", 20, "--patience", 1)
    until(worker, 5)
    store.stop()
    line, said = finish(worker, 1)
    assert line["result"] == "failed" and f"{store.url}/0: " in said and re.search(r"given up after \d+ s\n$", said)
    store.start()
    assert finish(begin(store, "b"))[0]["made"] == TOTAL
    store.stop()
    line, said = finish(begin(store, "b", "--patience", 0), 1)
    assert line["result"] == "failed" and said.count("\n") == 1 and "Connection refused" in said


# ---- Words ----------------------------------------------------------------------------------------------------------


@beside
def test_passwords(tmp_path, begin):
    """A wrong one is said at once, and no password is shown: not in messages, and not to who lists processes."""
    with contextlib.closing(Store(password="open sesame")) as store:
        bare = f"127.0.0.1:{store.port}"
        for user, why in (("", "NOAUTH"), (":wrong%2Fword@", "WRONGPASS"), ("nobody:wrong%2Fword@", "WRONGPASS")):
            store.url = f"redis://{user}{bare}"
            line, said = finish(begin(store, "a"), 1)
            assert line["result"] == "failed" and why in said and f"redis://{bare}/0: " in said and "wrong" not in said
            assert said.count("\n") == 1
            done = run("seed", 42, *SMALL, "--shared", store.url)
            assert done.returncode == 1 and why.encode() in done.stderr.splitlines()[-1] and b"wrong" not in done.stderr
            assert not done.stdout
        store.url = f"redis://:open%20sesame@{bare}/99"
        for words in (["--shared", store.url], ["--queue", store.url, "--cache", tmp_path / "a"]):
            done = run("seed", 42, *SMALL, *words)
            assert done.returncode == 1 and done.stderr.endswith(b"DB index is out of range\n") and b"trying again" not in done.stderr
        store.url = f"redis://:open%20sesame@{bare}/3"
        worker = begin(store, "a", "--rate", 20)
        until(worker, 5)
        words = pathlib.Path(f"/proc/{worker.pid}/cmdline").read_bytes()
        assert bare.encode() in words and b"sesame" not in words
        line, said = finish(worker)
        assert line["worker"]["made"] == TOTAL and not said


def test_a_store_of_a_cluster(begin):
    with contextlib.closing(Store("--cluster-enabled", "yes", "--cluster-port", str(free_port()))) as store:
        assert "a part of a cluster of stores" in finish(begin(store, "a"), 1)[1]


def test_a_local_socket(tmp_path, begin):
    with contextlib.closing(Store("--unixsocket", tmp_path / "s")) as store:
        store.url = f"unix://{tmp_path}/s"
        assert finish(begin(store, "a"))[0]["worker"]["made"] == TOTAL


def test_the_page_of_clusters(store, tmp_path):
    """Its command works as printed, but for the store's port."""
    readme = pathlib.Path(__file__).resolve().parents[2] / "docs/clusters.md"
    command, = re.findall(r"^    (build/terrane seed .*--queue.*)$", readme.read_text(), re.M)
    command = command.partition("#")[0].replace("build/terrane", str(PROGRAM)).replace("redis://127.0.0.1", store.url)
    assert store.url in command
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, timeout=limit(300), executable="/bin/bash", check=False)
    assert done.returncode == 0 and lines(done.stdout)[-1]["result"] == "done", done.stderr
