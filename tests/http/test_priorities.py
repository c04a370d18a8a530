"""Priority: what is less urgent than what somebody waits for. Who comes first then: tests/unit/jobs/test_pool_classes.c."""

import pytest
from http_server import base_tile

CLASSES = {"waiting": ["u=0", "u=1", "u=3", "u=3, i", "i, u=2", "", "u=8", "u=-1", "u=10", "nonsense", "u", "u="],
           "neighbour": ["u=4", "u=5", "i,u=5", "u=4;x=1"], "bulk": ["u=6", "u=7", "u=7, i", "i, u=7"]}
GIVEN = [(value, name) for name, values in CLASSES.items() for value in values]


def priority(value):
    return [("Priority", value)]


def waited(server):
    return {name: server.count("terrane_wait_seconds_count", **{"class": name}) for name in CLASSES}


@pytest.mark.parametrize("value,expected", GIVEN, ids=[f"{value or 'none'}" for value, _ in GIVEN])
def test_classes(server, value, expected):
    before = waited(server)
    row = 500 + GIVEN.index((value, expected))
    assert server.get(base_tile(42, 3, 1, row, "png", size=8), priority(value) if value else []).status == 200
    after = waited(server)
    assert {name for name in CLASSES if after[name] > before[name]} == {expected}


def test_what_browsers_prefetch_is_less_urgent(server):
    before = waited(server)
    server.get(base_tile(42, 3, 1, 600, "png", size=8), [("Sec-Purpose", "prefetch"), *priority("u=1")])
    assert waited(server)["neighbour"] == before["neighbour"] + 1


def test_a_tile_is_the_same_at_any_priority(server):
    tags = {server.ask(base_tile(42, 3, 2, 600, "png"), "HEAD", priority(f"u={u}"))["ETag"] for u in range(8)}
    assert len(tags) == 1 and "Vary" not in server.get(base_tile(42, 3, 2, 600, "png"), priority("u=7"))
