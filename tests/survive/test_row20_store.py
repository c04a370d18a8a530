"""Row 20: a store that is killed, comes back, and hangs as a process, again and again, under load: nobody notices."""

import contextlib
import itertools

import pytest
from http_client import ask_all, wait_for
from http_load import Load
from http_server import Server, base_tile
from http_store import PROGRAM, Store

pytestmark = pytest.mark.skipif(not PROGRAM, reason="redis-server is not installed")


def is_open(server):
    return server.count("terrane_shared_breaker_open") == 1


def test_row_20_store_killed_and_hung(launch, figures, full):
    rounds = 20 if full else 1
    with contextlib.closing(Store()) as store, Server() as lone:
        config = {"cache": {"disk_bytes": 0, "memory_bytes": 4 << 20, "shared": store.url, "shared_timeout_ms": 100,
                            "shared_retry_ms": 100, "shared_lease_ms": 1000}}
        targets = (base_tile(42, 3, x, 5, "f32", size=65) for turn in itertools.count() for x in (turn, turn // 4))  # new, and known

        def is_right(target, answer):
            known = lone.get(target)
            return answer.body == known.body and answer["ETag"] == known["ETag"]

        server = launch(config=config)
        wait_for(lambda: not is_open(server), what="a tier that is well")
        with Load(server, lambda _: (next(targets), ()), is_right, 4) as load:
            for _ in range(rounds):
                for fault, mend in ((store.stop, store.start), (store.freeze, store.thaw)):
                    stores = server.count("terrane_shared_stores_total")
                    wait_for(lambda: server.count("terrane_shared_stores_total") > stores, "entries that are stored")
                    fault()
                    wait_for(lambda: is_open(server), "a breaker that opens")
                    load.further(100)  # it stays so as long as nobody mends it
                    assert is_open(server)
                    mend()
                    wait_for(lambda: not is_open(server), "a breaker that closes")
                    load.further(20)
        answers = ask_all(server.public, [base_tile(42, 3, x, 5, "f32", size=65) for x in range(8)])
        assert {answer.status for answer in answers} == {200}
        figures(f"store killed and hung {rounds} times each: {sum(load.counts)} answers, none wrong, none refused")
