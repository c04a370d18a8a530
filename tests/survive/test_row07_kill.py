"""Row 7: kill -9 under load. Nothing that was ever answered changes, a restart is quick, and the quota is held."""

import hashlib
import itertools
import random
import re
import statistics
import time

from herd import Herd, ask_list, directory_bytes
from http_client import limit, wait_for
from http_server import base_tile, render, tile

QUOTA = 4 << 20
CONFIG = {"cache": {"memory_bytes": 1 << 20, "disk_bytes": QUOTA, "write_interval_ms": 5}}
PLAIN, ZSTD, GZIP = (), (("Accept-Encoding", "zstd"),), (("Accept-Encoding", "gzip"),)
KINDS = [("png", {"size": 128}, PLAIN), ("f32", {"size": 129}, PLAIN), ("f32", {"size": 129}, ZSTD), ("json", {}, PLAIN),
         ("npy", {"size": 65, "layer": "normal"}, GZIP), ("r16", {"size": 65}, PLAIN),
         ("png", {"layer": "relief", "size": 64}, PLAIN), ("png", {"layer": "slope", "size": 256}, PLAIN)]


def request(number):
    """The number-th request: one in twenty is of an eroded world, whose regions are stored, too."""
    fmt, query, headers = KINDS[number % len(KINDS)]
    make = tile if number % 20 == 7 else base_tile
    level = 9 if number % 20 == 7 else number % 5
    return make(42, level, number // 8, 7 * (number % 3), fmt, **query), headers


class Book:
    """What was ever answered."""

    def __init__(self):
        self.body, self.answers, self.wrong, self.other = {}, 0, [], []

    def note(self, asked, answer):
        self.answers += 1
        if answer.status != 200:
            self.other.append((asked, answer.status))
            return
        found = hashlib.blake2b(answer.body, digest_size=16).digest()
        if self.body.setdefault(asked, found) != found:
            self.wrong.append(asked)


def endless(requests, seed):
    """Any of them, for ever."""
    chance = random.Random(seed)
    while True:
        yield chance.choice(requests)


def ask_again(address, requests, book):
    """Every one of them is answered."""
    requests = list(requests)
    answers = ask_list(address, requests)
    assert len(answers) == len(requests)
    for asked, answer in answers:
        book.note(asked, answer)


def check_rendered(book, numbers):
    """Against the program that renders without a server."""
    for number in numbers:
        target, headers = request(number)
        if (target, headers) not in book.body or headers:
            continue
        path, _, query = target.partition("?")
        seed, level, x, rest = re.fullmatch(r"/tile/(\d+)/(\d+)/(-?\d+)/(.*)", path).groups()
        y, _, fmt = rest.partition(".")
        options = dict(part.split("=") for part in query.split("&") if part)
        made = render(seed, level, x, y, fmt, **options)
        assert hashlib.blake2b(made, digest_size=16).digest() == book.body[target, headers], target
        yield target


def test_row_7_kill_9_under_load(launch, tmp_path, figures, full):
    rounds, fresh, pool = 1000 if full else 20, 16, 160
    chance, book, cache = random.Random(7), Book(), tmp_path / "cache"
    starts, work, sizes, under_way, count = [], [], [], [], itertools.count(pool)
    for _ in range(rounds):
        begin = time.monotonic()
        server = launch(cache=cache, config=CONFIG)
        starts.append(time.monotonic() - begin)
        work.append(server.cpu_seconds())
        sizes.append(directory_bytes(cache))
        again = list(book.body)
        chance.shuffle(again)
        again = again if len(again) < 3 * pool else again[:pool] + list(book.body)[-3 * fresh:]
        ask_again(server.public, again, book)
        new = [request(next(count)) for _ in range(fresh)]
        old = [request(number) for number in range(pool)]
        herds = [Herd(server.public, endless(new + old, chance.randrange(1 << 40)), 12, book.note) for _ in range(2)]
        enough = book.answers + chance.randrange(2, 160)
        for herd in herds:
            herd.start()
        wait_for(lambda: book.answers >= enough, what="answers")
        sizes.append(directory_bytes(cache))
        under_way.append(sum(len(herd.members) for herd in herds))
        server.kill()
        for herd in herds:
            herd.finish()
        sizes.append(directory_bytes(cache))
    server = launch(cache=cache, config=CONFIG)
    ask_again(server.public, book.body, book)
    assert server.count("terrane_disk_degraded") == 0
    assert not book.wrong and not book.other, (book.wrong[:5], book.other[:5])
    rendered = len(list(check_rendered(book, range(0, pool, 4))))
    figures(f"{rounds} times kill -9, {statistics.mean(under_way):.0f} requests under way at each; {book.answers} "
            f"answers of {len(book.body)} tiles, {len(book.wrong)} wrong, {rendered} compared with terrane render; "
            f"start to ready median {1000 * statistics.median(starts):.0f} ms, longest {1000 * max(starts):.0f} ms, CPU {1000 * statistics.median(work):.0f} ms; "
            f"directory at most {max(sizes)} of {QUOTA} bytes")
    assert rendered > 10 and len(book.body) > pool
    assert max(sizes) <= QUOTA
    assert not full or (statistics.median(starts) < limit(1) and max(starts) < limit(5))  # the longest is the machine's
