"""Who waits goes first, what is fetched ahead after that, bulk last; and nothing starves."""


import pytest
from http_client import Crowd, wait_for
from http_server import base_tile

BUSY = {"render": {"threads": 1, "queue": 400, "deadline_ms": 60000}, "cache": {"disk_bytes": 0}}
CLASSES = {"waiting": ["u=0", "u=1", "u=3", "u=3, i", "i, u=2", "", "u=8", "u=-1", "u=10", "nonsense", "u", "u="],
           "neighbour": ["u=4", "u=5", "i,u=5", "u=4;x=1"], "bulk": ["u=6", "u=7", "u=7, i", "i, u=7"]}
GIVEN = [(value, name) for name, values in CLASSES.items() for value in values]


def heavy(i, row):
    return base_tile(42, 1, i, row, "png", layer="normal", size=512)


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


def check_overtaken(server, hold, crowd, asked, most):
    """Those asked for after a crowd of bulk, and more urgently, are among the next `most` tiles that are made."""
    hold.hold()
    with Crowd(server.public, crowd, priority("u=7")) as many:
        wait_for(lambda: server.count("terrane_inflight") == len(crowd), what="the crowd")
        with Crowd(server.public, asked, priority("u=1")) as few:
            wait_for(lambda: server.count("terrane_inflight") == len(crowd) + len(asked), what="who is more urgent")
            hold.allow(most)
            assert all(answer.status == 200 for answer in few.receive())
        hold.release()
        assert all(answer.status == 200 for answer in many.receive())


def test_who_waits_overtakes_bulk(launch, hold):
    server = launch(config=BUSY, environment=hold.environment)
    check_overtaken(server, hold, [heavy(i, 81) for i in range(90)], [heavy(i, 82) for i in range(5)], 8)


def test_who_joins_a_tile_in_bulk_hurries_it(launch, hold):
    server = launch(config=BUSY, environment=hold.environment)
    crowd = [heavy(i, 87) for i in range(90)]
    check_overtaken(server, hold, crowd, [crowd[-1]], 4)
