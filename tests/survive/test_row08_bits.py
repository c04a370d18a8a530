"""Row 8: bits flipped in the entries of a running server's store. Each is noticed, made again and counted."""

import os
import random
import sqlite3

from herd import ask_list
from http_client import wait_for
from http_operator import reload
from http_server import base_tile

PAGE, ENTRY_HEADER = 16384, 56
CONFIG = {"cache": {"memory_bytes": 1 << 20, "disk_bytes": 512 << 20, "write_interval_ms": 5}}


def request(number):
    fmt, query = [("f32", {"size": 65}), ("png", {"size": 128}), ("npy", {"size": 129}), ("png", {"size": 32}),
                  ("r16", {})][number % 5]
    return base_tile(42, number % 4, number // 5, 11, fmt, **query), ()


def varint(data, at):
    """Of SQLite: (value, where it ends)."""
    value = 0
    for i in range(9):
        byte = data[at + i]
        value = value << 8 | byte if i == 8 else value << 7 | byte & 127
        if i == 8 or byte < 128:
            return value, at + i + 1
    raise AssertionError("unreachable")


def big(data, at, count):
    return int.from_bytes(data[at:at + count], "big")


def entries(data, number):
    """Of the table whose root is page number: where in the file each entry's bytes are, as [(offset, bytes)], headers first."""
    start = (number - 1) * PAGE
    head = start + (100 if number == 1 else 0)
    kind, cells = data[head], big(data, head + 3, 2)
    inner = kind == 5
    assert kind in (5, 13), kind
    at = [start + big(data, head + (12 if inner else 8) + 2 * i, 2) for i in range(cells)]
    if inner:
        for child in [big(data, cell, 4) for cell in at] + [big(data, head + 8, 4)]:
            yield from entries(data, child)
        return
    for cell in at:
        total, cell = varint(data, cell)
        _, cell = varint(data, cell)
        least = (PAGE - 12) * 32 // 255 - 23
        local = total
        if total > PAGE - 35:
            local = least + (total - least) % (PAGE - 4)
            local = local if local <= PAGE - 35 else least
        header, _ = varint(data, cell)
        parts = [(cell + header, local - header)]
        following, left = big(data, cell + local, 4) if local < total else 0, total - local
        while left > 0:
            count = min(left, PAGE - 4)
            parts.append(((following - 1) * PAGE + 4, count))
            following, left = big(data, (following - 1) * PAGE, 4), left - count
        assert data[parts[0][0]:parts[0][0] + 4] == b"TRNE"
        yield parts


def place(parts, number):
    """Where in the file an entry's byte is."""
    for offset, count in parts:
        if number < count:
            return offset + number
        number -= count
    raise AssertionError("behind the entry's end")


def flip(path, chance):
    """One bit of every entry of the database; (how many, how many of them in headers)."""
    with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as database:  # which the server has locked
        root = database.execute("SELECT rootpage FROM sqlite_schema WHERE name='blob'").fetchone()[0]
    database.close()
    found, headers = list(entries(path.read_bytes(), root)), 0
    with path.open("r+b", buffering=0) as file:
        for i, parts in enumerate(found):
            count = sum(length for _, length in parts)
            number = chance.randrange(ENTRY_HEADER if i % 5 == 0 else count)
            headers += number < ENTRY_HEADER
            at = place(parts, number)
            byte = os.pread(file.fileno(), 1, at)[0]
            os.pwrite(file.fileno(), bytes([byte ^ 1 << chance.randrange(8)]), at)
    return len(found), headers


def settle(server):
    """Until all that was written has left the log for the database, where it can be found: a second without writing."""
    log = server.cache / "tiles.db-wal"
    wait_for(lambda: not log.exists() or log.stat().st_size == 0, "an empty log")


def test_row_8_flipped_bits(launch, figures, full):
    count, chance = 1000 if full else 100, random.Random(8)
    server = launch(config=CONFIG)
    requests = [request(number) for number in range(count)]
    before = {asked: answer.body for asked, answer in ask_list(server.public, requests)}
    server.wait_stored(count)
    settle(server)
    flipped, headers = flip(server.cache / "tiles.db", chance)
    assert flipped == count
    # The writer forgets the pages it knows, as after a quota changed.
    assert reload(server, {"cache": {**CONFIG["cache"], "disk_bytes": 500 << 20}})
    # Out of memory, and something is written: so that readers read the pages anew.
    others = [(base_tile(43, 0, i, 0, "f32", size=129), ()) for i in range(40)]
    ask_list(server.public, others)
    server.wait_stored(count + len(others))
    start = server.metrics()
    answers = ask_list(server.public, requests)
    after = server.metrics()
    wrong = sum(answer.status != 200 or answer.body != before[asked] for asked, answer in answers)
    made = sum(answer["X-Cache"] == "render" for _, answer in answers)
    damaged = after.total("terrane_disk_damaged_total") - start.total("terrane_disk_damaged_total")
    renders = after.total("terrane_renders_total") - start.total("terrane_renders_total")
    stored = start.total("terrane_disk_stores_total") + count  # as many entries as before are there from the first moment on
    wait_for(lambda: server.count("terrane_disk_stores_total") >= stored, "what was made again on disk")
    again = ask_list(server.public, requests)
    twice = sum(answer["X-Cache"] == "render" for _, answer in again)
    wrong_again = sum(answer.status != 200 or answer.body != before[asked] for asked, answer in again)
    figures(f"{flipped} entries with a flipped bit, {headers} in headers: {wrong} served wrong, {damaged:.0f} "
            f"counted as damaged, {renders:.0f} made again; asked again: {wrong_again} wrong, {twice} made")
    assert len(answers) == len(again) == count and wrong == wrong_again == 0
    assert damaged == renders == made == count
    assert twice == 0 and server.count("terrane_disk_degraded") == 0
