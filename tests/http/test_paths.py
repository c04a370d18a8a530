"""/path: lines of paths that run through a window, out of tiles; the layers path and cave; recipes that have them."""

import itertools
import json
import math
import shutil

import numpy as np
import pytest
from http_samples import from_f32, from_png
from http_server import GENERATOR, WHOLE_FILE, book, tile

# A hilly land whose network is quick to make: a region is 2 km wide.
LEVEL, CELL, SPACING = 2, 32, 2.0
LAND = {
    "spacing_m": SPACING, "sea_m": -120,
    "terms": {"hills": {"fractal": "fbm", "cell_m": 2048, "octaves": 7, "gain": 0.45, "amplitude_m": 90}}, "height": "hills",
    "paths": {"level": LEVEL, "cell": CELL, "slope": 0.25, "width_m": 5, "border_m": 5, "depth_m": 10},
    "caves": {"level": 1, "cell": 64, "radius": 32, "high_m": 10, "share": 1},
}
NONE = {**{name: LAND[name] for name in ("spacing_m", "terms", "height")}}


def of_land(launch, folder):
    shutil.copy(WHOLE_FILE, folder)
    return launch(config={"worlds": book(folder, {"land": LAND, "none": NONE}, default="land", named={"home": {"seed": 42, "recipe": "land"}})})


@pytest.fixture(scope="module")
def land(stay, tmp_path_factory):
    return of_land(stay, tmp_path_factory.mktemp("worlds"))


def path(x0, y0, w, h, lod=LEVEL, seed=42, **query):
    given = {"x0": x0, "y0": y0, "w": w, "h": h, "lod": lod, **query}
    return f"/path/{seed}?" + "&".join(f"{name}={value}" for name, value in given.items() if value is not None)


def lines(server, *where, **query):
    """The lines of a window by id, in the order they came in."""
    answer = server.get(path(*where, **query))
    assert answer["Content-Type"] == "application/geo+json"
    collection = json.loads(answer.body)
    assert collection["type"] == "FeatureCollection"
    found = {feature["id"]: feature for feature in collection["features"]}
    assert len(found) == len(collection["features"])
    return found


def of_tile(server, x, y, lod=LEVEL):
    answer = server.get(tile(42, lod, x, y, "geojson", layer="path"))
    assert answer["Content-Type"] == "application/geo+json"
    return {feature["id"]: feature for feature in json.loads(answer.body)["features"]}


def meets(feature, x0, y0, w, h, lod=LEVEL):
    """Whether a line runs through a window, by looking at points that are 1/64 of a sample of level 0 apart."""
    step = SPACING * 2 ** lod
    west, north, east, south = x0 * step, y0 * step, (x0 + w) * step, (y0 + h) * step
    at = np.array(feature["geometry"]["coordinates"])[:, :2]
    low, high = at.min(axis=0), at.max(axis=0)
    if low[0] >= east or high[0] < west or low[1] >= south or high[1] < north:
        return False
    for a, b in itertools.pairwise(at):
        t = np.linspace(0, 1, max(2, int(np.hypot(*(b - a)) / SPACING * 64)))[:, None]
        points = a + (b - a) * t
        if ((points >= (west, north)) & (points < (east, south))).all(axis=1).any():
            return True
    return False


def test_there_are_lines(land):
    found = lines(land, 0, 0, 512, 512)
    assert len(found) > 20
    for name, feature in found.items():
        assert feature["type"] == "Feature" and len(name) == 16 and int(name, 16) > 0
        assert feature["geometry"]["type"] == "LineString"
        at = np.array(feature["geometry"]["coordinates"])
        facts = feature["properties"]
        steps = np.hypot(*np.diff(at[:, :2], axis=0).T)
        assert at.shape[1] == 3 and len(at) >= 2 and (steps > 0).all()
        assert math.isclose(facts["length_m"], steps.sum(), rel_tol=1e-9)
        assert math.isclose(facts["rise_m"], at[-1, 2] - at[0, 2], abs_tol=1e-9)
        slope = (np.abs(np.diff(at[:, 2])) / steps).max()
        assert math.isclose(facts["max_slope"], slope, rel_tol=1e-9) and slope <= 0.25 + 1e-9
        assert facts["width_m"] == 5 and facts["from"] != facts["to"]
        reach = 2 * SPACING * 2 ** LEVEL * CELL  # a node lies in its cell, or not far from it
        for cell, end in ((facts["from"], at[0]), (facts["to"], at[-1])):
            middle = (np.array(cell) + 0.5) * CELL * SPACING * 2 ** LEVEL
            assert np.abs(end[:2] - middle).max() < reach


@pytest.mark.parametrize("where", [(0, 0, 512, 512), (-256, -256, 512, 256), (-700, 100, 900, 30), (37, -411, 1, 1),
                                   (255, 255, 2, 2), (-1, 0, 1, 700)], ids=str)
def test_a_window_has_the_lines_of_its_tiles_that_meet_it(land, where):
    x0, y0, w, h = where
    union = {}
    for x in range(x0 // 256, (x0 + w - 1) // 256 + 1):
        for y in range(y0 // 256, (y0 + h - 1) // 256 + 1):
            for name, feature in of_tile(land, x, y).items():
                assert union.setdefault(name, feature) == feature  # whole, whichever tile it is from
    found = lines(land, *where)
    assert found == {name: union[name] for name in sorted(union) if meets(union[name], *where)}


@pytest.mark.parametrize("lod", [0, 1, 3, 5])
def test_levels_of_windows(land, lod):
    """The same ground in samples of other levels."""
    scale = 2.0 ** (LEVEL - lod)
    where = [int(value * scale) for value in (64, -128, 256, 320)]
    found = lines(land, 64, -128, 256, 320)
    assert len(found) > 5 and lines(land, *where, lod=lod) == found
    assert lod or lines(land, *where, lod=None) == found  # the finest unless given


def test_far_away(land):
    limit = 2 ** 40 * 256
    for where in ((limit - 300, -limit, 300, 300), (-limit, limit - 300, 300, 300)):
        for feature in lines(land, *where).values():
            assert meets(feature, *where)
    assert lines(land, limit - 1, limit - 1, 1, 1, lod=24) == {}  # where no tile of the level is


def test_worlds_without_paths_have_no_lines(land):
    answer = land.get(path(0, 0, 4097, 4097, lod=20, recipe="none"))
    assert json.loads(answer.body) == {"type": "FeatureCollection", "axes": "east,south,up metres", "features": []}
    assert answer["ETag"] != land.get(path(0, 0, 4096, 4097, lod=20, recipe="none"))["ETag"]


def test_lines_of_one_tile_fit_into_an_answer(launch, tmp_path):
    """However dense a network is, and long its numbers: no window is smaller than those of a tile."""
    dense = {**LAND, "spacing_m": 1.1, "sea_m": -30000,
             "terms": {"hills": {**LAND["terms"]["hills"], "cell_m": 1000, "octaves": 7, "amplitude_m": 200}},
             "paths": {"level": 3, "cell": 16, "slope": 1, "width_m": 2.5, "border_m": 0, "depth_m": 500}}
    del dense["caves"]
    (tmp_path / "dense.json").write_text(json.dumps(dense))
    server = of_land(launch, tmp_path)
    x = 2 ** 36 + 5
    text = server.get(tile(42, 3, x, -x, "geojson", layer="path", recipe="dense")).body
    assert len(text) > 384 << 10  # more than is counted on for one of many
    found = lines(server, 256 * x, -256 * x, 256, 256, lod=3, recipe="dense")
    assert sum(len(json.dumps(feature)) for feature in found.values()) > 384 << 10


def test_axes_are_told(land):
    told = {crs: json.loads(land.get(path(0, 0, 1, 1, crs=crs)).body)["axes"] for crs in (None, "world", "geographic")}
    assert told == {None: "east,south,up metres", "world": "east,south,up metres",
                    "geographic": "longitude,latitude degrees,up metres"}


def test_degrees_end_with_the_map(land):
    edge = 2 ** 25 // 2 ** LEVEL
    assert land.ask(path(edge - 1, -edge, 1, 1, crs="geographic"), "HEAD").status == 200
    assert "67108864" in land.ask(path(edge - 1, 0, 2, 1, crs="geographic")).problem(404, "crs")
    assert land.ask(path(edge - 1, 0, 2, 1), "HEAD").status == 200


@pytest.mark.parametrize("layer, none", [("cave", -1048576), ("path", 1048576), ("height", None)])
def test_a_number_that_is_no_value_is_told(land, layer, none):
    """In GeoTIFFs of a tile and of a region, in the head of formats without words, and in the tile's JSON."""
    gdal = pytest.importorskip("osgeo.gdal")
    gdal.UseExceptions()
    window = f"x0=0&y0=0&w=70&h=70&lod=2&layer={layer}"
    for n, target in enumerate((tile(42, 2, 0, 0, "tif", size=65, layer=layer), f"/region/42.tif?{window}")):
        gdal.FileFromMemBuffer(f"/vsimem/{layer}{n}.tif", land.get(target).body)
        dataset = gdal.Open(f"/vsimem/{layer}{n}.tif")
        bands = [dataset.GetRasterBand(b + 1) for b in range(dataset.RasterCount)]
        assert {band.GetNoDataValue() for band in bands} == {none}
        assert none is None or any((band.ReadAsArray() == none).any() for band in bands)
    for target in (tile(42, 2, 0, 0, "f32", size=65, layer=layer), tile(42, 2, 0, 0, "npy", size=65, layer=layer), f"/region/42.f32?{window}"):
        assert land.get(target).all("Terrane-Nodata") == ([str(none)] if none else [])
    told = json.loads(land.get(tile(42, 2, 0, 0, "json", size=65, layer=layer)).body)["values"]
    assert {value.get("nodata") for value in told} == {none}


def test_too_many_tiles_say_how_many_there_may_be(land):
    before = land.renders()
    detail = json.loads(land.ask(path(0, 0, 2049, 2048)).body)["detail"]
    assert "72 tiles of lod 2" in detail and "at most 64;" in detail and "1792 x 1792" in detail
    assert land.renders() == before


def test_conditions_and_head_make_nothing(land):
    before, target = land.renders(), path(40000, 40000, 600, 300)
    assert land.get(target, [("If-None-Match", land.ask(target, "HEAD")["ETag"])], 304) and land.renders() == before


def test_tags_tell_answers_apart(land):
    tags = [land.ask(target, "HEAD")["ETag"] for target in (
        path(0, 0, 10, 10), path(1, 0, 10, 10), path(0, 1, 10, 10), path(0, 0, 11, 10), path(0, 0, 10, 11), path(0, 0, 10, 10, lod=3),
        path(0, 0, 10, 10, crs="geographic"), path(0, 0, 10, 10, seed=43), path(0, 0, 10, 10, recipe="none"))]
    assert len(set(tags)) == len(tags)
    assert land.ask(path(0, 0, 10, 10, crs="world", v=GENERATOR), "HEAD")["ETag"] == tags[0]


def test_two_servers_asked_in_other_orders_agree(land, launch, tmp_path):
    """Neither what is cached nor what came first changes a byte."""
    targets = [path(x, y, 256, 256) for x, y in itertools.product((-256, 0), repeat=2)] + [path(-256, -256, 512, 512), path(-100, -100, 40, 300)]
    tiles = [tile(42, lod, 0, 0, ext, layer=layer) for lod in (0, 1, 2) for layer, ext in (("path", "f32"), ("height", "f32"), ("relief", "png"))]
    first = {target: land.get(target).body for target in [*targets, *tiles]}
    server = of_land(launch, tmp_path)
    for target in [*reversed(tiles), *reversed(targets)]:
        assert server.get(target).body == first[target], target


def test_roads_run_from_place_to_place_as_wide_as_their_rank(land):
    """In all directions, and in no lake, though there is one; places are Points, of one rank for every line that ends there."""
    X, Y, SIDE_TILES = 8, 8, 2
    found = lines(land, 256 * X, 256 * Y, 256 * SIDE_TILES, 256 * SIDE_TILES, lod=4, recipe="wayfarer").values()
    roads = [feature for feature in found if "from" in feature["properties"]]
    places, share, trunks = {}, np.zeros(8), {}
    water, river = (np.block([[from_f32(land.get(tile(42, 4, x, y, layer=layer, recipe="wayfarer", size=256)).body, layer, 256)
                               for x in range(X, X + SIDE_TILES)] for y in range(Y, Y + SIDE_TILES)]) for layer in ("water", "river"))
    lake = (water > 0) & (river == 0)
    assert lake.sum() > 1000
    for road in roads:
        facts, at = road["properties"], np.array(road["geometry"]["coordinates"])
        assert facts["width_m"] == {"trunk": 7, "lane": 4}[facts["rank"]]
        for end, place in (("from", at[0]), ("to", at[-1])):
            said = (facts[f"{end}_place"], *place)
            assert places.setdefault(tuple(facts[end]), said) == said
            trunks.setdefault(tuple(facts[end]), []).append(facts["rank"] == "trunk")
        i, j = (np.round(at[:, :2] / 16).astype(int) - 256 * np.array([X, Y])).T
        inside = (i >= 0) & (i < 256 * SIDE_TILES) & (j >= 0) & (j < 256 * SIDE_TILES)
        assert not lake[j[inside], i[inside]].any()
        east, south = np.diff(at[:, :2], axis=0).T
        eighth = np.round(np.arctan2(east, -south) / (math.pi / 4)).astype(int) % 8
        share += np.bincount(eighth, np.hypot(east, south), 8) + np.bincount((eighth + 4) % 8, np.hypot(east, south), 8)
    assert {road["properties"]["rank"] for road in roads} == {"trunk", "lane"}
    assert 0.09 <= (share / share.sum()).min() and (share / share.sum()).max() <= 0.16
    low, high = 4096 * np.array([X, Y]), 4096 * np.array([X + SIDE_TILES, Y + SIDE_TILES])
    inner = {cell: said for cell, said in places.items() if (low <= said[1:3]).all() and (said[1:3] < high).all()}
    points = {tuple(feature["properties"]["cell"]): (feature["properties"]["rank"], *feature["geometry"]["coordinates"])
              for feature in found if feature["geometry"]["type"] == "Point"}
    assert points == inner and {said[0] for said in points.values()} == {"town", "village"}
    # A trunk road ends at a village only where no line can be had of its next edge: water or a ravine is in the way.
    on_trunk = [cell for cell, said in inner.items() if said[0] == "village" and any(trunks[cell])]
    assert sum(sum(trunks[cell]) == 1 for cell in on_trunk) <= 0.2 * len(on_trunk) and len(on_trunk) > 30


def test_crossings_are_parts_of_lines_over_water(land):
    """In two windows the same, and at every level, with their ids; at level 0 the water that they cross is below them."""
    found = lines(land, 0, 512, 256, 256, lod=3, recipe="whole")
    for by in (1, 2, 3):
        assert lines(land, 0, 512 << by, 256 << by, 256 << by, lod=3 - by, recipe="whole") == found
    again = lines(land, -100, 512, 200, 256, lod=3, recipe="whole")
    assert all(found[name] == again[name] for name in found.keys() & again.keys())
    crossings = [feature for feature in found.values() if "kind" in feature["properties"]]
    assert crossings and {feature["properties"]["kind"] for feature in crossings} <= {"ford", "bridge"}
    for feature in crossings:
        path, at = found.get(feature["properties"]["path"]), feature["geometry"]["coordinates"]
        if path:
            whole = path["geometry"]["coordinates"]
            first = whole.index(at[0])
            assert whole[first:first + len(at)] == at
    for feature in crossings[:3]:
        at, wet = np.array(feature["geometry"]["coordinates"]), 0
        length = np.hypot(*np.diff(at[:, :2], axis=0).T).cumsum()
        for far in np.arange(0, length[-1], 0.5):
            i, j, height = (np.interp(far, [0, *length], axis) for axis in at.T)
            x, y = round(i) // 256, round(j) // 256
            row, column = round(j) - 256 * y, round(i) - 256 * x
            rivers, surfaces, grounds = (from_f32(land.get(tile(42, 0, x, y, layer=layer, recipe="whole")).body, layer, 257)
                                         for layer in ("river", "surface", "height"))
            half = math.ceil(feature["properties"]["width_m"] / 2)  # a brook may lie under a side of the path alone
            wet += rivers[max(row - half, 0):row + half + 1, max(column - half, 0):column + half + 1].any()
            assert rivers[row, column] == 0 or surfaces[row, column] <= grounds[row, column] or height >= surfaces[row, column] - 0.05
        assert wet, feature["id"]


HOLLOW = {"recipe": "whole"}  # of which a cave lies around a corner of four tiles of its level


def caves_of(land, lod, x, y, **query):
    return {cave["id"]: cave for cave in land.json(tile(42, lod, x, y, "json", **HOLLOW, **query))["caves"]}


def test_a_tile_lists_the_caves_that_show_in_it(land):
    """Also those whose top is next door, where their mesh is; whatever its size is. Caves' squares do not meet."""
    world, X, Y = land.json("/world/42?recipe=whole")["caves"], 0, 1  # X even, Y odd
    lod, sample = world["lod"], 2 ** world["lod"]
    radius, apart = round(world["radius_m"] / sample), 0
    listed = {where: caves_of(land, lod, *where) for where in itertools.product((X, X + 1, X + 2), (Y, Y + 1))}
    known = {name: cave for caves in listed.values() for name, cave in caves.items()}
    assert len(known) >= 3
    for (x, y), caves in listed.items():
        there = from_f32(land.get(tile(42, lod, x, y, layer="cave", **HOLLOW)).body, "cave", 257)[..., 0] > -2 ** 20
        shown = set()
        for name, cave in known.items():
            i, j = (round(metres / sample) - 256 * at for metres, at in zip(cave["top"], (x, y)))
            square = there[max(j - radius, 0):max(j + radius + 1, 0), max(i - radius, 0):max(i + radius + 1, 0)]
            if square.any():
                shown.add(name)
                apart += not (0 <= i < 256 and 0 <= j < 256)
        assert set(caves) == shown, (x, y)
        assert there.any() == bool(caves) and caves == caves_of(land, lod, x, y, size=2)
    assert apart >= 1
    south = caves_of(land, lod, X, Y + 2), caves_of(land, lod, X + 1, Y + 2)
    assert set(caves_of(land, lod + 1, X // 2, (Y + 1) // 2)) == {*listed[X, Y + 1], *listed[X + 1, Y + 1], *south[0], *south[1]}


def test_the_cave_png_says_what_the_numbers_say(land):
    """An opening is a sample whose ground lies between floor and ceiling."""
    lod, seen = land.json("/world/42?recipe=whole")["caves"]["lod"], np.zeros(3, int)
    for x, y in itertools.product((0, 1), (1, 2)):
        values = from_f32(land.get(tile(42, lod, x, y, layer="cave", size=256, **HOLLOW)).body, "cave", 256)
        kinds = from_png(land.get(tile(42, lod, x, y, "png", layer="cave", **HOLLOW)).body)
        assert ((kinds > 0) == (values[..., 0] > -2 ** 20)).all()
        seen += np.bincount(kinds.ravel(), minlength=3)
        ground = from_f32(land.get(tile(42, lod, x, y, size=256, variant="eroded", **HOLLOW)).body, "height", 256)
        assert ((kinds == 2) == ((values[..., 0] < ground) & (ground < values[..., 1]))).all()
        water = from_f32(land.get(tile(42, lod, x, y, size=256, layer="water", **HOLLOW)).body, "water", 256)
        assert not water[kinds > 0].any()
    assert (seen > 0).all()


def test_worlds_tell_of_paths_and_caves(land):
    world, none = land.json("/world/42"), land.json("/world/42?recipe=none")
    assert (world["variants"], world["variant"]) == (["base", "carved"], "carved")
    assert (none["variants"], none["variant"]) == (["base"], "base") and not {"paths", "caves"} & set(none)
    told = {"lod": LEVEL, "cell_m": CELL * SPACING * 2 ** LEVEL, "slope": 0.25, "width_m": 5, "border_m": 5, "depth_m": 10}
    assert world["paths"].items() >= told.items()
    assert world["caves"]["lod"] == 1 and world["caves"]["cell_m"] == 64 * 2 * SPACING and world["caves"]["share"] == 1
    assert world["caves"]["radius_m"] == 32 * 2 * SPACING and world["caves"]["roof_m"] == 12
    assert {"path", "cave"} <= {layer["name"] for layer in world["layers"]} and "geojson" in world["formats"]
    wayfarer = land.json("/world/42?recipe=wayfarer")
    assert wayfarer["variants"] == ["base", "eroded", "carved"] and wayfarer["variant"] == "carved"


def test_lines_lie_on_the_layer_path(land):
    """Along a line samples are of class way or node, and near its middle."""
    step = SPACING * 2 ** LEVEL
    body = land.get(tile(42, LEVEL, 0, 0, "f32", layer="path")).body
    kind, distance = np.moveaxis(from_f32(body, "path", 257), -1, 0)
    assert set(np.unique(kind)) <= {0, 1, 2, 3} and (distance >= 0).all()
    seen = 0
    for feature in of_tile(land, 0, 0).values():
        for x, y, _ in feature["geometry"]["coordinates"]:
            i, j = round(x / step), round(y / step)
            if 0 <= i <= 256 and 0 <= j <= 256:
                assert distance[j, i] <= math.hypot(x - i * step, y - j * step) + 1e-3
                seen += 1
    assert seen > 100
    pixels = from_png(land.get(tile(42, LEVEL, 0, 0, "png", layer="path", size=257)).body)
    assert (pixels == kind).all()


def test_carved_ground_is_the_default_and_differs_near_paths_alone(land):
    for lod in (0, 1):
        heights = {variant: from_f32(land.get(tile(42, lod, 1, 1, "f32", variant=variant)).body, "height", 257)
                   for variant in (None, "base", "carved", "eroded")}
        kind, distance = np.moveaxis(from_f32(land.get(tile(42, lod, 1, 1, "f32", layer="path")).body, "path", 257), -1, 0)
        assert (heights[None] == heights["carved"]).all()
        changed = heights["carved"] != heights["base"]
        assert changed.any() == (kind > 0).any() and not (changed & (kind == 0)).any()
        assert (distance[kind > 0] <= 2 * (2.5 + 5)).all() or lod > 0


def test_lines_are_negotiated(land):
    answer = land.ask("/tile/42/2/0/0?layer=path", headers=[("Accept", "application/geo+json")])
    assert answer.status == 200 and answer["Content-Type"] == "application/geo+json" and "Accept" in answer["Vary"]
