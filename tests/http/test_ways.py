"""Ways: paths through points that somebody means, routed over the ground of then, and kept as the line they became."""

import itertools
import json
import math

import numpy as np
import pytest
from http_operator import bearer, keys_file
from http_server import run
from http_worlds import DIGGER, RAISE, commons, log_of, samples, served, tile, world, write  # noqa: F401


WAY = {"brush": "way", "points": [[20, 30], [300, 200], [480, 90]], "width": 8, "border": 6, "slope": 0.3, "depth": 60}


def heights(server, x=0, y=0, name="commons", **query):
    return samples(server.get(tile(x, y, name=name, **query)))[..., 0]


def test_a_way_keeps_its_limits_and_stays_what_it_became(launch, tmp_path):
    server = launch(config=world(tmp_path))
    tags = [server.get(tile(x, y))["ETag"] for x, y in ((0, 0), (1, 1), (3, 0))]
    before = heights(server)
    made = write(server, {**WAY, "token": "w"})["edits"][0]
    line = made["line"]
    assert line[0][:2] == WAY["points"][0] and line[-1][:2] == WAY["points"][-1] and "points" not in made
    assert (made["width"], made["border"], made["slope"], made["strength"]) == (8, 6, pytest.approx(0.3, abs=1e-5), 1)
    assert all(abs(a[2] - b[2]) <= 0.3 * math.dist(a[:2], b[:2]) for a, b in itertools.combinations(line, 2))
    assert min(math.dist(point[:2], WAY["points"][1]) for point in line) < 6
    box = [min(p[0] for p in line) - 10, min(p[1] for p in line) - 10, max(p[0] for p in line) + 10, max(p[1] for p in line) + 10]
    assert made["box"] == box
    after = heights(server)
    here = [(x, y, z) for x, y, z in line if 0 <= min(x, y) <= max(x, y) < 256]
    for x, y, z in here:
        assert abs(after[round(y), round(x)] - z) <= 0.3 and abs(z - before[round(y), round(x)]) < 62
    y, x = np.mgrid[:257, :257]
    near = np.min([np.hypot(x - a, y - b) for a, b, _ in line], axis=0)
    assert np.array_equal(after[near > 12], before[near > 12]) and len(here) > 50
    assert [server.get(tile(x, y))["ETag"] == tag for (x, y), tag in zip(((0, 0), (1, 1), (3, 0)), tags, strict=True)] == [False, True, True]

    write(server, [{**RAISE, "x": 200}, {**{k: made[k] for k in ("brush", "line", "width", "border", "slope")}}])
    assert log_of(server)["edits"][2]["line"] == line  # as it is
    assert write(server, {**WAY, "depth": 0.01, "token": "w"}, status=200)["first"] == 1  # nothing is routed again
    assert np.array_equal(heights(server, at=1), after) and np.array_equal(heights(server, at=0), before)
    write(server, {"brush": "restore", "x": 128, "y": 128, "inner": 500, "outer": 500})
    assert np.array_equal(heights(server), before)
    write(server, {"seq": 4}, to="undo")
    both = heights(server)
    for seq in (2, 3, 1):
        write(server, {"seq": seq}, to="undo")
    assert server.get(tile(0, 0))["ETag"] == tags[0]
    edits = log_of(server)["edits"]
    server.stop()

    exported, other = run("world", "export", "commons", "--dir", tmp_path).stdout.decode(), tmp_path / "other"
    assert run("world", "import", "commons", "--dir", other, text=exported).returncode == 0
    for directory in (tmp_path, other):
        again = launch(config=served(directory))
        assert log_of(again)["edits"] == edits and np.array_equal(heights(again, at=1), after) and np.array_equal(heights(again, at=5), both)
        again.stop()
    lines = exported.splitlines()
    for old, new in (('"points":[[', '"points":[[1e3,'), ('"slope":19661', '"slope":"1"'), ('"brush":8', '"brush":0')):
        assert old in lines[1], (old, lines[1][:200])
        spoiled = "\n".join([lines[0], lines[1].replace(old, new, 1), ""])
        assert run("world", "import", "spoiled", "--dir", other, text=spoiled).returncode == 1


def test_a_way_goes_round_what_is_steep_and_over_the_ground_of_then(commons):  # noqa: F811
    """A wall that somebody made lies in its way."""
    ask = {**WAY, "points": [[0, 128], [256, 128]]}
    straight = write(commons, ask)["edits"][0]["line"]
    x, y, _ = straight[len(straight) // 2]
    write(commons, {"seq": 1}, to="undo")
    write(commons, {"brush": "raise", "x": x, "y": y, "inner": 20, "outer": 30, "strength_m": 300})
    around = write(commons, ask)["edits"][0]["line"]
    assert min(math.dist(p[:2], (x, y)) for p in around) > 25


WRONG = [(422, "points", {"slope": 1e-4}), (422, "points", {"depth": 0.001}), (422, "points", {"points": [[7, 7], [7, 7]]}), *((400, "points", {"width": 2, "points": [ends, ends[::-1]]}) for ends in ([2**48 - 60, 2**48 - 1], [-2**48, 60 - 2**48])), (400, "points", {"points": [[0, 0], [1e6, 0]]}),
         (400, "points", {"points": [[0, 0]]}), (400, "points", {"points": [[0, 0]] * 17}), (400, "points", {"points": [[0, 0], [1, "2"]]}), (400, "points", {"points": [[0, 0], [1, 2, 3]]}),
         (400, "points", {"points": {}}), (400, "points", {"points": [[0, 0], [1e300, 0]]}), (400, "points", {"line": [[0, 0, 0], [9, 9, 9]]}), (400, "width", {"width": 0}), (400, "width", {"width": 1e9}),
         (400, "border", {"border": -1}), (400, "slope", {"slope": 0}), (400, "slope", {"slope": 5}), (400, "depth", {"depth": 0}), (400, "depth", {"depth": 1e9}), (400, "x", {"x": 1}), (400, "strength", {"strength": 2})]


def test_what_is_wrong_with_a_way_is_named(commons):  # noqa: F811
    for status, parameter, more in WRONG:
        assert write(commons, {**WAY, **more}, status=status)["parameter"] == parameter, more
    told = write(commons, {**WAY, "slope": 1e-3, "depth": 4000}, status=422)["detail"]
    assert "480,90" in told and "m more than its slope" in told
    assert write(commons, [RAISE, WAY], status=400)["parameter"] == "points"
    laid = {k: WAY[k] for k in ("brush", "width", "slope")}
    for line in ([[0, 0, 0]], [[0, 0, 0], [0, 0, 1]], [[0, 0, 0], [1, 1]], [[0, 0, 0], [9, 9, 1e9]], [[0, 0, 0], [3e5, 0, 0]], [[k, 0, 0] for k in range(1025)]):
        assert write(commons, {**laid, "line": line}, status=400)["parameter"] == "line", line[:3]
    assert write(commons, laid, status=400)["parameter"] == "points" and write(commons, {**laid, "line": [[0, 0, 0], [9, 9, 9]], "depth": 1}, status=400)["parameter"] == "depth"
    assert log_of(commons)["edits"] == []


def test_rights_of_a_key_hold_for_all_of_a_way(launch, tmp_path):
    boxed, small, daily = "boxed-s-key-0123456789", "small-s-key-0123456789", "daily-s-key-0123456789"
    config = world(tmp_path)
    keys = ((DIGGER, "digger", {"edit": True}), (boxed, "boxed", {"edit": {"box": [0, 0, 487, 215]}}), (small, "small", {"edit": {"outer_max_m": 150}}), (daily, "daily", {"edit": {"per_day": 3}}))
    config["access"]["keys_file"] = keys_file(tmp_path, *keys)
    server = launch(config=config)
    for key in (boxed, small):
        assert write(server, WAY, key=key, status=403)["parameter"] == "key"
        write(server, {**WAY, "points": [[150, 100], [250, 120]], "slope": 1}, key=key)
    assert "3 operations a day" in write(server, WAY, key=daily, status=429)["detail"]
    for number, status in (("7", 412), ("2", 201)):
        assert server.ask("/world/commons/edits", "POST", [*bearer(DIGGER), ("If-Match", number)], json.dumps(WAY).encode()).status == status


def test_the_box_of_an_undo_has_all_that_read_its_ground(commons):  # noqa: F811
    """smooth and sharpen near it, later than it; and what lies outside stays."""
    stroke = {"brush": "smooth", "y": 100, "outer": 32}
    write(commons, [{**stroke, "x": 60}, {**RAISE, "strength_m": 80}, {**stroke, "x": 165}, {**stroke, "brush": "sharpen", "x": 40, "inner": 8}, {**stroke, "x": 600}, {**stroke, "x": 100, "y": 150}])
    write(commons, {"seq": 6}, to="undo")
    before = {lod: [heights(commons, x, 0, lod=lod) for x in (0, 1)] for lod in (0, 2, 4)}
    west, north, east, south = write(commons, {"seq": 2}, to="undo")["edits"][0]["box"]
    assert (west, north, east, south) == (8, 60, 197, 140) == tuple(log_of(commons, 7)["edits"][0]["box"])
    outside = 0
    for lod, tiles in before.items():
        for x, old in enumerate(tiles):
            moved = heights(commons, x, 0, lod=lod) != old
            j, i = (at * 2**lod for at in np.nonzero(moved))
            i, more = i + x * 256 * 2**lod, 16 * 2**lod if lod > 2 else 2 * 2**lod
            assert np.all((i >= west - more) & (i <= east + more) & (j >= north - more) & (j <= south + more)), (lod, x)
            outside += int(np.sum((i > 141) & (lod == 0)))
    assert outside > 100
    assert [edit["seq"] for edit in json.loads(commons.get("/world/commons/edits?since=0&box=180,90,190,110").body)["edits"]] == [3, 8]


def test_a_tile_is_under_so_many_points_of_ways(launch, tmp_path):
    """What it costs is bounded; elsewhere there is room, and where some were undone."""
    server = launch(config={**world(tmp_path), "limits": {"tiles_per_minute": 0}})
    line = lambda y: [[2 + k % 2, y + k / 8, 0] for k in range(1024)]  # noqa: E731
    way = {"brush": "way", "width": 1, "slope": 1}
    for k in range(16):
        write(server, {**way, "line": line(k), "token": f"w{k}"})
    assert "no room" in write(server, {**way, "line": [[3000, 0, 0], [9, 9, 0]]}, status=507)["detail"]  # where it ends
    assert write(server, {**way, "line": line(3), "token": "w3"}, status=200)["first"] == 4  # which was written
    write(server, {**way, "line": line(3000)})
    write(server, {"seq": 7}, to="undo")
    write(server, {**way, "line": [[0, 0, 0], [9, 9, 0]]})
    first = log_of(server)  # a page is as long as what it holds
    assert first["next"] == len(first["edits"]) == 16 and [edit["seq"] for edit in log_of(server, 16)["edits"]] == [17, 18, 19]
