"""What the machine does to the server: files of the cache cut short or removed while it runs. It answers; no signal ends it."""

import contextlib
import itertools
import os
import random
import threading

import pytest
from http_client import Connection, wait_for
from http_server import base_tile, render

CACHE = {"cache": {"write_interval_ms": 1, "retry_interval_ms": 100, "memory_bytes": 1 << 20}}
NUMBERS = itertools.count()


class Load:
    """Somebody who asks for new tiles, and for old ones again, until the block ends; every answer is 200 and right."""

    def __init__(self, server):
        self.server, self.ended, self.wrong, self.asked = server, threading.Event(), [], 0
        self.known = {base_tile(42, 3, i, 7, "png"): render(42, 3, i, 7, "png", variant="base") for i in range(4)}
        self.thread = threading.Thread(target=self._ask)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        assert not self.wrong and self.asked > 0, self.wrong

    def _ask(self):
        try:
            with Connection(self.server.public) as connection:
                while not self.ended.is_set():
                    again = random.sample(sorted(self.known), 4)
                    for target in [base_tile(42, 0, next(NUMBERS), 3, "f32", size=129), *again]:
                        answer = connection.ask(target)
                        if answer.status != 200 or answer.body != self.known.setdefault(target, answer.body):
                            self.wrong.append((target, answer.status))
                        self.asked += 1
        except OSError as error:
            self.wrong.append(error)


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
             and server.count("terrane_disk_degraded") == 0, 60, "tiles that are stored again")


@pytest.mark.parametrize("how", ["emptied", "halved", "removed"])
def test_files_of_the_cache_are_cut_while_it_runs(launch, how):
    server = launch(config=CACHE)
    with Load(server):
        until_stored(server)
        for name in ("tiles.db", "tiles.db-wal", "tiles.db-shm", *files(server), "tiles.db"):
            cut(server.cache / name, how)
            until_stored(server)
        wait_for(lambda: "warning cache" in server.log_text(), what="a word of it")
    assert server.stop() == 0
