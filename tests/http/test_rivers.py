"""/river and /downstream: lines of rivers, and the way of a drop; what else tells of them."""

import itertools
import json
import math
import re
import time

import numpy as np
import pytest
from http_client import in_less_than, wait_for
from http_mvt import read_mvt
from http_samples import from_f32
from http_server import book, tile

# Hills around a sea: lattices at levels 4, 6 and 8 of 2 m, quick to drain.
BOTTOM, SPACING = 4, 2.0
CELL = SPACING * 2 ** BOTTOM
LAND = {
    "spacing_m": SPACING, "sea_m": -40,
    "terms": {"hills": {"fractal": "fbm", "cell_m": 16384, "octaves": 8, "gain": 0.45, "amplitude_m": 300}}, "height": "hills",
    "erosion": {"levels": BOTTOM, "phases": 1}, "rivers": {"top": 8, "bottom": BOTTOM, "inland_km": 16},
}


def like_land(sea_m=LAND["sea_m"], hills=(), **rivers):
    bottom = rivers.get("bottom", BOTTOM)
    return {**LAND, "sea_m": sea_m, "terms": {"hills": {**LAND["terms"]["hills"], **dict(hills)}},
            "erosion": {"levels": bottom, "phases": 1}, "rivers": {**LAND["rivers"], **rivers}}


# Worlds made to keep water from running.
HOSTILE = {  # more of them: tests/unit/drain/test_drain_worlds.c
    "no-sea": like_land(-2000),
    "cone": like_land(0, {"fractal": "ridged", "base": "cellular-f1", "cell_m": 2**16, "octaves": 1, "amplitude_m": 4000}),
    "gorges": like_land(hills={"amplitude_m": 8000}, cut_m=32768, fill=0),
}
WET = {"sum": [[0.001, "hills"]], "offset_m": 2048}  # four times the mean: of 16 cells there is a river already
DENSE = {**like_land(-2000, sources_ha=0.25, runoff=WET), "spacing_m": 3.3}  # as many lines as can be, of long numbers
STEEP = {**like_land(hills={"amplitude_m": 2500}), "erosion": {
    "levels": BOTTOM, "phases": 2, "steps": 16, "lifetime": 64, "inertia": 0.1, "capacity": 20, "erosion": 0.02, "deposition": 0.02, "evaporation": 0, "gravity": 1}}
NONE = {name: LAND[name] for name in ("spacing_m", "terms", "height")}


@pytest.fixture(scope="module")
def land(stay, tmp_path_factory):
    recipes = {"land": LAND, "none": NONE, "dense": DENSE, "steep": STEEP, "lakes": like_land(fill=0.8, cut_m=0), **HOSTILE}
    named = {"home": {"seed": "42", "secret": True}}
    return stay(config={"worlds": book(tmp_path_factory.mktemp("worlds"), recipes, default="land", named=named)})


def features(answer):
    assert answer.status == 200 and answer["Content-Type"] == "application/geo+json", answer.body
    found = {feature["id"]: feature for feature in json.loads(answer.body)["features"]}
    assert list(found) == sorted(found)
    return found


def lines(server, x0, y0, w, h, lod=BOTTOM, **query):
    more = "".join(f"&{name}={value}" for name, value in query.items())
    return features(server.get(f"/river/42?x0={x0}&y0={y0}&w={w}&h={h}&lod={lod}{more}"))


def drop(server, x, y, recipe="land"):
    answer = server.get(f"/downstream/42?x={x}&y={y}&recipe={recipe}")
    assert answer["Content-Type"] == "application/geo+json"
    return json.loads(answer.body), answer


def test_ids_of_a_secret_world(land):
    """They are hashes that can be undone: not of the seed, then. The lines are the same, and what one says of another."""
    window = "x0=-40&y0=30&w=80&h=90&lod=4"
    told, hidden = (features(land.get(f"/river/{world}?{window}")) for world in (42, "home"))
    assert len(told) > 10 and not set(told) & set(hidden)

    def shapes(found):
        return sorted((line["geometry"]["coordinates"], found.get(line["properties"]["to"], {}).get("geometry")) for line in found.values())
    assert repr(shapes(told)) == repr(shapes(hidden))
    way, hidden_way = (json.loads(land.get(f"/downstream/{world}?x=1000&y=500").body) for world in (42, "home"))
    assert way["geometry"] == hidden_way["geometry"] and way["properties"]["rivers"]
    assert not set(way["properties"]["rivers"]) & set(hidden_way["properties"]["rivers"])
    labels, hidden_labels = ({label.id: label.properties["kind"] for label in read_mvt(land.get(f"/tile/{world}/6/0/0.mvt").body)["label"]} for world in (42, "home"))
    assert "peak" in labels.values() and not set(labels) & set(hidden_labels)


def test_lines_are_the_same_in_every_window_and_tile(land):
    whole = lines(land, -256, 0, 512, 256)
    assert len(whole) > 50
    for window in ((-40, 30, 80, 90), (-1, 0, 2, 256), (100, 100, 1, 1)):
        part = lines(land, *window)
        assert all(whole.get(key, line) == line for key, line in part.items())
    tiles = {**features(land.get(tile(42, BOTTOM, -1, 0, "geojson", layer="river"))),
             **features(land.get(tile(42, BOTTOM, 0, 0, "geojson", layer="river")))}
    assert tiles and all(whole[key] == line for key, line in tiles.items() if key in whole)
    finer = lines(land, -512, 0, 1024, 512, BOTTOM - 1)
    assert finer == whole
    in_tile = features(land.get(tile(42, BOTTOM - 1, 0, 0, "geojson", layer="river")))
    assert in_tile and all(tiles[key] == line for key, line in in_tile.items())


def test_lines_fall_and_join(land):
    whole = lines(land, -256, -256, 768, 768)
    ends = {"sea": 0, "lake": 0, "line": 0}
    for line in whole.values():
        facts, points = line["properties"], line["geometry"]["coordinates"]
        assert all(a[2] >= b[2] and a != b for a, b in itertools.pairwise(points))
        assert facts["fall_m"] == pytest.approx(points[0][2] - points[-1][2])
        assert facts["length_m"] == pytest.approx(sum(math.dist(a[:2], b[:2]) for a, b in itertools.pairwise(points)))
        ends[facts["to"] if facts["to"] in ends else "line"] += 1
        if facts["to"] in whole:
            other = whole[facts["to"]]
            assert other["properties"]["discharge_m3s"] >= facts["discharge_m3s"] > 0
            assert other["properties"]["order"] >= facts["order"] >= 1
            assert math.dist(points[-1][:2], other["geometry"]["coordinates"][0][:2]) < 2 * CELL
    assert ends["sea"] > 0 and ends["line"] > ends["sea"]


def test_a_river_is_one_at_every_level(land):
    """Its name and its id, down to where it joins a greater one; and the tile of vectors has both."""
    fine = {key: line["properties"] for key, line in lines(land, -512, -512, 1024, 1024).items()}
    coarse = [line["properties"] for line in lines(land, -128, -128, 256, 256, BOTTOM + 2).values()]
    names = {facts["river"]: facts["name"] for facts in (*fine.values(), *coarse)}
    assert all(names[facts["river"]] == facts["name"] for facts in (*fine.values(), *coarse))
    within = {facts["river"] for facts in coarse} & {facts["river"] for facts in fine.values()}
    assert len(within) > 20 and len(within) > 0.9 * len({facts["river"] for facts in coarse})
    joins = [(facts, fine[facts["to"]]) for facts in fine.values() if facts["to"] in fine]
    assert sum(facts["river"] == to["river"] for facts, to in joins) > len(joins) / 4
    assert sum(facts["river"] != to["river"] for facts, to in joins) > len(joins) / 4
    where = (42, BOTTOM, 0, 0)
    told = {feature["id"]: feature["properties"] for feature in json.loads(land.get(tile(*where, "geojson", layer="river")).body)["features"]}
    layers = read_mvt(land.get(tile(*where, "mvt")).body)
    drawn = [feature for feature in layers["river"] if "id" in feature.properties]
    for facts in (feature.properties for feature in drawn):
        assert (facts["name"], facts["river"]) == (told[facts["id"]]["name"], told[facts["id"]]["river"])
    labels = [feature for feature in layers["label"] if feature.properties["kind"] == "river"]
    assert len(drawn) > len(labels) == len({label.id for label in labels}) > 1
    for label in labels:
        of = [feature for feature in drawn if int(feature.properties["river"], 16) == label.id]
        assert {feature.properties["name"] for feature in of} == {label.properties["name"]} and -90 < label.properties["angle"] <= 90
        assert any(math.dist(point, label.lines[0][0]) <= 16 for feature in of for line in feature.lines for point in line)


def lakes(server, lod, tiles):
    """{id: (name, place in metres)} of what is named in tiles -tiles .. tiles - 1; each has water there."""
    found = {}
    for x, y in itertools.product(range(-tiles, tiles), repeat=2):
        labels = read_mvt(server.get(tile(42, lod, x, y, "mvt", recipe="lakes")).body).get("label", [])
        for label in (label for label in labels if label.properties["kind"] == "lake"):
            depth = from_f32(server.get(tile(42, lod, x, y, "f32", layer="water", recipe="lakes")).body, "water", 257)
            (i, j), = label.lines[0]
            assert label.id not in found and depth[round(j / 16), round(i / 16)] > 0, label.properties
            found[label.id] = label.properties["name"], ((x + i / 4096) * (256 << lod), (y + j / 4096) * (256 << lod))
    return found


def test_lakes_keep_their_names(land):
    at, below, above = lakes(land, BOTTOM, 3), lakes(land, BOTTOM - 1, 3), lakes(land, BOTTOM + 1, 1)
    assert len(at) > 10 and len({name for name, _ in at.values()}) == len(at)
    assert len(below.keys() & at.keys()) > 1 and all(below[key] == at[key] for key in below.keys() & at.keys())
    assert above and all(at[key][0] == name for key, (name, _) in above.items())


def test_a_drop_runs_to_water(land):
    known, water = lines(land, -256, -256, 768, 768), from_f32(land.get(tile(42, BOTTOM, 0, 0, "f32", layer="water")).body, "water", 257)
    passed = 0
    for x, y in ((100, 100), (-3000.5, 2500), (5000, -5000), (2048, 7000), (-7000, -7000)):
        way, answer = drop(land, x, y)
        points, facts = way["geometry"]["coordinates"], way["properties"]
        assert points[0][:2] == [x, y] and len(points) >= 2
        assert all(a[2] >= b[2] and a != b for a, b in itertools.pairwise(points))
        assert facts["ends"] in ("sea", "lake") and facts["fall_m"] == points[0][2] - points[-1][2]
        assert facts["length_m"] == pytest.approx(sum(math.dist(a[:2], b[:2]) for a, b in itertools.pairwise(points)))
        i, j = (round(c / CELL) for c in points[-1][:2])
        if 0 <= i < 256 and 0 <= j < 256:
            assert water[j, i] > 0
        followed = [river for river in facts["rivers"] if river in known]
        assert all(known[a]["properties"]["to"] in (b, "lake") for a, b in itertools.pairwise(followed))
        passed += len(followed)
        assert land.get(f"/downstream/42?x={x}&y={y}").body == answer.body
    assert passed > 0


def test_lakes_end_where_the_ground_rises(land):
    """Below the lattices, too: shores of the recipe that ships, by which few samples are far under the water of their lake: a gorge between
    two lakes is where they are."""
    def samples(layer, i, j, side, lod):
        body = land.get(f"/region/42.f32?x0={i}&y0={j}&w={side}&h={side}&lod={lod}&layer={layer}&recipe=continents").body
        return from_f32(body, layer, side)

    i0, j0, up = -2048, 1024, 9
    lake = (samples("water", i0, j0, 512, up) > 0) & (samples("surface", i0, j0, 512, up) > 0)
    shores = np.argwhere(lake[:, :-1] & ~lake[:, 1:])
    beside, walls = 0, 0
    for j, i in shores[::max(1, len(shores) // 20)]:
        at = ((i0 + i) * 128 - 128, (j0 + j) * 128 - 128, 256, 2)
        ground, surface, wet = samples("height", *at), samples("surface", *at), samples("water", *at) > 0
        for a, b in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
            for lake, dry in ((a, b), (b, a)):
                shore = wet[lake] & (surface[dry] == ground[dry]) & (surface[lake] > 0)
                beside += shore.sum()
                walls += (shore & (surface[lake] - ground[dry] > 1.5)).sum()
    assert beside > 1000 and walls < 0.1 * beside, (walls, beside)


def test_rivers_lie_in_the_ground(land):
    """Droplets carry hillsides down below the lattices, which say how high rivers are: those do not stay behind on dikes."""
    lod, side, near = 1, 512, 4
    ground, river = (
        from_f32(land.get(f"/region/42.f32?recipe=steep&lod={lod}&x0=0&y0=0&w={side}&h={side}&layer={layer}").body, layer, side) for layer in ("height", "river"))
    rows, columns = (at + near for at in np.nonzero(river[near:-near, near:-near] > 0))
    turns = np.linspace(0, 2 * math.pi, 16, endpoint=False)
    around = [ground[rows + round(near * math.sin(turn)), columns + round(near * math.cos(turn))] for turn in turns]
    lower = (np.array(around) < ground[rows, columns] - 1).mean(axis=0)
    assert len(lower) > 2000 and (lower > 0.5).mean() < 0.008, (len(lower), (lower > 0.5).mean())


def test_rivers_run_in_all_directions_alike(land):
    """Lengths of 12 cells of lines: by chance a twelfth points within 3.75 degrees of a diagonal, and a twelfth of an axis; it was twice that."""
    cells, span, found = 9, 12, np.zeros(12)
    for i, j in itertools.product((-6, 2), (-2000, 1000)):  # far from each other: neighbours share their slopes
        lines = json.loads(land.get(f"/river/42?recipe=alpine&x0={i * 256}&y0={j}&w=256&h=256&lod={cells}").body)["features"]
        for points in (np.array(line["geometry"]["coordinates"])[:, :2] / 2 ** cells for line in lines):
            along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
            at = np.stack([np.interp(np.arange(0, along[-1], span / 2), along, axis) for axis in points.T], 1)
            east, south = (at[2:] - at[:-2]).T
            found += np.histogram((np.degrees(np.arctan2(south, east)) + 3.75) % 90, 12, (0, 90), weights=np.hypot(east, south))[0]
    shares = 12 * found / found.sum()
    assert found.sum() > 3000 and 0.7 < shares[0] < 1.3 and 0.7 < shares[6] < 1.3


def test_a_place_tells_its_discharge(land):
    river = from_f32(land.get(tile(42, BOTTOM, 0, 0, "f32", layer="river")).body, "river", 257)[:256, :256]
    j, i = np.unravel_index(np.argmax(river), river.shape)
    place = json.loads(land.get(f"/point/42?x={i * CELL}&y={j * CELL}&lod={BOTTOM}").body)
    assert place["discharge_m3s"] == river[j, i] > 0
    lines = json.loads(land.get(tile(42, BOTTOM, 0, 0, "geojson", layer="river")).body)["features"]
    near = min(lines, key=lambda line: min(math.dist(at[:2], (i * CELL, j * CELL)) for at in line["geometry"]["coordinates"]))["properties"]
    assert place["river"] == {"id": near["river"], "name": near["name"]}
    assert json.loads(land.get(place["downstream"]).body)["properties"]["rivers"]
    told = json.loads(land.get(tile(42, BOTTOM, 0, 0, "json")).body)["water"]["rivers"]
    whole = from_f32(land.get(tile(42, BOTTOM, 0, 0, "f32", layer="river")).body, "river", 257)
    assert told == np.count_nonzero(whole) / whole.size > 0


@pytest.mark.parametrize("recipe", ["no-sea", *(pytest.param(name, marks=pytest.mark.long) for name in ("cone", "gorges"))])
def test_water_cannot_be_kept_from_running(land, recipe):
    bottom = HOSTILE[recipe]["rivers"]["bottom"]
    for lod, layer in itertools.product((0, bottom), ("surface", "river")):
        assert np.isfinite(np.frombuffer(land.get(tile(42, lod, 3, -5, "f32", layer=layer, recipe=recipe)).body, "<f4")).all()
    for x, y in ((1000, -2000), (-30000, 20000)):
        way, _ = drop(land, x, y, recipe)
        points = way["geometry"]["coordinates"]
        assert way["properties"]["ends"] in ("sea", "lake") and all(a[2] >= b[2] for a, b in itertools.pairwise(points))
        end = json.loads(land.get(f"/point/42?x={points[-1][0]}&y={points[-1][1]}&lod={bottom}&recipe={recipe}").body)
        assert end["water_m"] > 0, (way["properties"], end)


def test_the_widest_window_is_as_it_is_said(land):
    for at in (0, 100, 255):
        assert land.ask(f"/river/42?x0={at}&y0={at}&w=1536&h=1536&lod={BOTTOM}", "HEAD").status == 200
    refused = land.ask(f"/river/42?x0=0&y0=0&w=1792&h=1792&lod={BOTTOM}")
    why = json.loads(refused.body)["detail"]
    assert refused.status == 413 and "81 tiles of lod 4" in why and "at most 64" in why and "1536 x 1536" in why
    assert why.endswith("lod=5&x0=0&y0=0&w=896&h=896")
    assert land.ask(f"/river/42?{why.split()[-1]}", "HEAD").status == 200
    coarsest = json.loads(land.ask("/river/42?x0=0&y0=0&w=4097&h=4097&lod=8").body)["detail"]
    assert coarsest.endswith("1536 x 1536 samples of lod 8")


def test_more_lines_than_an_answer_holds(land):
    """It says how many, and what to ask for instead."""
    refused = land.ask(f"/river/42?x0=-510&y0=2&w=508&h=508&lod={BOTTOM}&recipe=dense")
    why = json.loads(refused.body)["detail"]
    kept, read, tiles, lod, most = map(int, re.match(
        r"there are over (\d+) rivers in (\d) of the window's (\d) tiles of lod (\d): allowed at most (\d+) bytes", why).groups())
    assert refused.status == 413 and (tiles, lod) == (4, BOTTOM) and 1 < read <= 4 and kept > 1000
    assert why.endswith(f"256 x 256 samples of lod {BOTTOM}, or for coarser rivers: lod={BOTTOM + 1}&x0=-255&y0=1&w=254&h=254")
    alone = land.get(f"/river/42?x0=-254&y0=2&w=252&h=252&lod={BOTTOM}&recipe=dense").body  # on one tile: has the least room
    assert most / 4 < len(alone) < most


@pytest.mark.parametrize("target", [pytest.param("/river/42?x0=0&y0=0&w=512&h=512&lod={0}", marks=pytest.mark.long), "/downstream/42?x=9000&y=9000"])
def test_what_is_not_there_in_time_is_further_on_when_asked_again(land, launch, tmp_path, target):
    """The deadline is the request's, of however many tiles or regions it is; and what was made is not lost."""
    server = launch(config={"worlds": book(tmp_path, {"land": LAND}, default="land"), "render": {"threads": 1, "deadline_ms": 50}})
    target, statuses, begun = target.format(BOTTOM), [], time.monotonic()

    def ask():
        answer = server.ask(target)
        statuses.append((answer.status, time.monotonic() - begun))
        return answer.status == 200 and answer.body
    assert wait_for(ask, what="all of it") == land.get(target).body
    assert {status for status, _ in statuses} <= {200, 503}
    assert statuses[0][0] == 503 or statuses[0][1] < 0.1  # a machine so fast that it was there in time


@in_less_than(60)
def test_a_way_over_regions_that_are_kept_costs_no_render(launch, tmp_path):
    worlds, target = {"worlds": book(tmp_path, {"land": LAND}, default="land")}, "/downstream/42?x=9000&y=9000"
    first = launch(cache=tmp_path / "cache", config={**worlds, "cache": {"write_behind_bytes": 256 << 20}})
    way = first.get(target).body
    assert first.count("terrane_regions_total") > 0 and first.stop() == 0  # all of it is written then
    again = launch(cache=tmp_path / "cache", config={**worlds, "limits": {"renders_per_minute": 1, "renders_burst": 1}})
    assert again.ask(tile(42, 20, 0, 0, "png", size=32)).status == 200  # the last token
    assert again.get(target).body == way and again.ask(tile(42, 20, 1, 0, "png", size=32)).status == 429


def test_without_rivers_there_are_no_lines(land):
    assert lines(land, 0, 0, 64, 64, recipe="none") == {}
    assert "discharge_m3s" not in json.loads(land.get("/point/42?x=0&y=0&recipe=none").body)
