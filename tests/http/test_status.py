"""/tile/.../status: where a tile is and what it would cost, before anything is made."""


import pytest
from http_client import Crowd, wait_for
from http_server import FORMATS, base_tile, tile


def status_of(target):
    path, mark, query = target.partition("?")
    return f"{path}/status{mark}{query}"


def ask(server, target):
    return server.json(status_of(target))


def test_from_nothing_to_memory_to_disk(launch, tmp_path):
    target = base_tile(42, 2, 8, 8, "f32")
    first = launch(cache=tmp_path / "cache", config={"cache": {"write_interval_ms": 1}})
    for _ in range(3):
        before = ask(first, target)
        assert (before["cache"], before["bytes"], before["making"]) == ("none", 0, False)
        assert before["cost"]["tile_octaves"] > 0
    assert first.renders() == 0
    made = first.get(target)
    after = ask(first, target)
    assert (after["cache"], after["bytes"], after["making"]) == ("memory", len(made.body), False)
    assert after["etag"] == before["etag"] == made["ETag"]
    assert after["cost"] == {"regions": 0, "tile_octaves": 0, "region_octaves": 0}
    first.wait_stored(1)
    assert first.stop() == 0
    second = launch(cache=tmp_path / "cache")
    kept = ask(second, target)
    assert (kept["cache"], kept["cost"]["tile_octaves"]) == ("disk", 0) and kept["bytes"] > 0
    assert second.get(target)["X-Cache"] == "disk" and ask(second, target)["cache"] == "memory"


def test_while_it_is_made(launch, hold):
    server = launch(config={"render": {"threads": 1, "queue": 1000}}, environment=hold.environment)
    hold.hold()
    targets = [base_tile(42, 1, i, 79, "png", layer="normal", size=512) for i in range(60)]
    with Crowd(server.public, targets) as crowd:
        wait_for(lambda: server.count("terrane_inflight") == 60, what="a queue")
        last = ask(server, targets[-1])
        assert (last["cache"], last["making"]) == ("none", True)
        assert not ask(server, base_tile(42, 1, 999, 79, "png"))["making"]
        hold.release()
        assert all(answer.status == 200 for answer in crowd.receive())
    assert all((found["cache"], found["making"]) == ("memory", False) for found in map(lambda t: ask(server, t), targets))


def test_the_cost_falls_as_regions_come(launch, tmp_path):
    """Neighbours rest on the same regions: who comes second pays for its samples alone."""
    config = {"cache": {"write_interval_ms": 1, "write_behind_bytes": 256 << 20}}
    server = launch(cache=tmp_path / "cache", config=config, world="continents")
    first, second, far = (tile(42, 4, x, 1, "f32") for x in (0, 1, 10 ** 9))
    before = {target: ask(server, target)["cost"] for target in (first, second, far)}
    assert all(cost["regions"] >= 1 and cost["region_octaves"] > cost["tile_octaves"] > 0 for cost in before.values())
    assert server.count("terrane_regions_total") == 0
    server.get(first)
    made = server.count("terrane_regions_total")
    assert made == before[first]["regions"]
    after = ask(server, second)["cost"]
    assert after["regions"] < before[second]["regions"] and after["region_octaves"] < before[second]["region_octaves"]
    assert after["tile_octaves"] == before[second]["tile_octaves"] and ask(server, far)["cost"] == before[far]
    server.get(second)
    assert server.count("terrane_regions_total") == made + after["regions"]
    server.wait_stored(3)
    assert server.stop() == 0
    again = launch(cache=tmp_path / "cache", config=config)
    other = ask(again, tile(42, 4, 0, 1, "npy"))["cost"]
    assert other["regions"] == 0 and other["tile_octaves"] > 0  # regions on disk are there, too


def test_base_rests_on_nothing(server):
    assert ask(server, base_tile(42, 4, 700, 1))["cost"]["regions"] == 0
    whole, quarter = (ask(server, base_tile(42, 4, 700, 1, size=size))["cost"]["tile_octaves"] for size in (256, 128))
    assert whole == pytest.approx(4 * quarter)


@pytest.mark.parametrize("fmt", [*FORMATS, None])
def test_it_speaks_of_the_tile_that_would_come(server, fmt):
    for headers in ([], [("Accept", "application/json")], [("Accept-Encoding", "gzip")], [("Accept-Encoding", "zstd")]):
        target = base_tile(42, 3, 50, 50, fmt)
        assert server.json(status_of(target), headers)["etag"] == server.ask(target, "HEAD", headers)["ETag"]


def test_nobody_keeps_it(server):
    answer = server.get(status_of(base_tile(42, 3, 51, 50)))
    assert answer["Cache-Control"] == "no-store" and answer["Content-Type"] == "application/json"
    assert "ETag" not in answer and answer["Access-Control-Allow-Origin"] == "*"
    head = server.ask(status_of(base_tile(42, 3, 51, 50)), "HEAD")
    assert head.status == 200 and head["Content-Type"] == "application/json"
