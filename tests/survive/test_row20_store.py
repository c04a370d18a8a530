"""Row 20: a store that is killed, comes back, and hangs as a process, again and again, under load: nobody notices."""

import contextlib
import threading

import pytest
from http_client import ask_all, wait_for
from http_server import Server, base_tile
from http_store import PROGRAM, Store

pytestmark = pytest.mark.skipif(not PROGRAM, reason="redis-server is not installed")
CLIENTS = 4


class Load:
    """Clients that ask for new tiles and for known ones in turn, and hold every answer against what a lone server says."""

    def __init__(self, server, lone):
        self.server, self.lone = server, lone
        self.asked, self.wrong, self.over = 0, [], threading.Event()
        self.turn, self.lock = 0, threading.Lock()
        self.threads = [threading.Thread(target=self._ask, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def _target(self):
        with self.lock:
            self.turn += 1
            x = self.turn // 2 if self.turn % 2 else self.turn // 8
        return base_tile(42, 3, x, 5, "f32", size=65)

    def _ask(self):
        try:
            with self.server.connect() as connection, self.lone.connect() as other:
                while not self.over.is_set():
                    target = self._target()
                    answer, known = connection.ask(target), other.ask(target)
                    with self.lock:
                        self.asked += 1
                        if answer.status != 200 or answer.body != known.body or answer["ETag"] != known["ETag"]:
                            self.wrong.append((target, answer.status))
        except OSError as error:
            self.wrong.append(("connection", error))

    def further(self, count):
        """Until so many more have been answered: however long a fault lasts, answers go on."""
        aim = self.asked + count
        wait_for(lambda: self.asked >= aim or self.wrong, 120, "answers")

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
        assert not self.wrong, self.wrong[:3]


def is_open(server):
    return server.count("terrane_shared_breaker_open") == 1


def test_row_20_store_killed_and_hung(launch, figures, full):
    rounds = 20 if full else 1
    with contextlib.closing(Store()) as store, Server() as lone:
        config = {"cache": {"disk_bytes": 0, "memory_bytes": 4 << 20, "shared": store.url, "shared_timeout_ms": 100,
                            "shared_retry_ms": 100, "shared_lease_ms": 1000}}
        server = launch(config=config)
        wait_for(lambda: not is_open(server), what="a tier that is well")
        load = Load(server, lone)
        for _ in range(rounds):
            for fault, mend in ((store.stop, store.start), (store.freeze, store.thaw)):
                stores = server.count("terrane_shared_stores_total")
                wait_for(lambda: server.count("terrane_shared_stores_total") > stores, 60, "entries that are stored")
                fault()
                wait_for(lambda: is_open(server), 60, "a breaker that opens")
                load.further(100)  # it stays so as long as nobody mends it
                assert is_open(server)
                mend()
                wait_for(lambda: not is_open(server), 60, "a breaker that closes")
                load.further(20)
        load.end()
        answers = ask_all(server.public, [base_tile(42, 3, x, 5, "f32", size=65) for x in range(8)])
        assert {answer.status for answer in answers} == {200}
        figures(20, f"store killed and hung {rounds} times each: {load.asked} answers, none wrong, none refused")
