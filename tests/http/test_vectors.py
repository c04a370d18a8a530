"""Vector tiles: what is drawn in them is what samples say, and lines meet at tiles' edges."""

import json

import numpy as np
import pytest
from http_mvt import area, read_mvt
from http_server import tile

WORLD = "continents"
PLACES = [(42, 5, -35, 22, {}), (42, 9, -3, 1, {}), (7, 3, 12, -9, {"recipe": "alpine"}), (42, 4, -1, 0, {"recipe": "wayfarer"}), (42, 2, 1, 1, {"recipe": "plain"})]
EXTENT = 4096


def vectors(server, seed, lod, x, y, **query):
    answer = server.get(tile(seed, lod, x, y, "mvt", **query))
    assert answer["Content-Type"] == "application/vnd.mapbox-vector-tile"
    return read_mvt(answer.body)


def samples(server, seed, lod, x, y, layer, **query):
    return np.frombuffer(server.get(tile(seed, lod, x, y, "f32", layer=layer, **query)).body, "<f4").reshape(257, 257).astype(float)


def at(grid, points):
    """Between samples, straight along the side that a point lies on."""
    x, y = np.array(points, float).T / (EXTENT / 256)
    i, j = np.minimum(x.astype(int), 255), np.minimum(y.astype(int), 255)
    u, v = x - i, y - j
    return (grid[j, i] * (1 - u) + grid[j, i + 1] * u) * (1 - v) + (grid[j + 1, i] * (1 - u) + grid[j + 1, i + 1] * u) * v


@pytest.mark.parametrize("place", PLACES[:3], ids=str)
def test_contours_lie_at_their_height(server, place):
    *where, query = place
    heights, layers = samples(server, *where, "height", **query), vectors(server, *where, **query)
    steepest = max(np.abs(np.diff(heights, axis=axis)).max() for axis in (0, 1))
    assert len(layers["contour"]) > 10
    levels = {feature.properties["ele"] for feature in layers["contour"]}
    interval = min(np.diff(sorted(levels)))
    for feature in layers["contour"]:
        line, = feature.lines
        on_side = [point for point in line if point[0] % 16 == 0 or point[1] % 16 == 0]
        assert len(on_side) == len(line) >= 2 and feature.kind == "line"
        assert np.abs(at(heights, line) - feature.properties["ele"]).max() <= steepest / 32 + 1e-3  # half a unit of 16 a sample
        assert feature.properties["level"] == (feature.properties["ele"] % (5 * interval) == 0)
        assert line[0] == line[-1] or all(0 in point or EXTENT in point for point in (line[0], line[-1]))
    lowest = np.ceil(heights.min() / interval) * interval
    assert levels == set(np.arange(lowest, heights.max() + 1e-9, interval)) - ({lowest} if lowest == heights.min() else set())


def crossings(layers, axis, side):
    """Where lines end on a tile's side, by layer, and for contours what is said of them: rivers may join there. Two ends of one contour
    are none: it touches the side. Not at corners, to which a line may come along another side."""
    found = set()
    for name in ("contour", "river", "path"):
        for feature in layers.get(name, []):
            said = tuple(feature.properties.values()) if name == "contour" else ()
            for line in feature.lines:
                ends = {(name, said, point[1 - axis]) for point in (line[0], line[-1])
                        if point[axis] == side and 0 < point[1 - axis] < EXTENT and line[0] != line[-1]}
                along = all(point[axis] == side for point in line)  # it comes and goes on: its ends, as parts of it have them, are no other line's
                found = found ^ ends if said or along else found | ends
    return found


@pytest.mark.parametrize("place", PLACES[:4], ids=str)
def test_lines_meet_at_the_edge(server, place):
    seed, lod, x, y, query = place
    here, east, south = (vectors(server, seed, lod, x + i, y + j, **query) for i, j in ((0, 0), (1, 0), (0, 1)))
    assert crossings(here, 0, EXTENT) == crossings(east, 0, 0) and crossings(here, 1, EXTENT) == crossings(south, 1, 0)
    assert crossings(here, 0, EXTENT) | crossings(here, 1, EXTENT)


def shares(features):
    return sum(area(ring) for feature in features for ring in feature.lines) / 2 / EXTENT ** 2


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_areas_are_those_of_samples(server, place):
    *where, query = place
    layers, told = vectors(server, *where, **query), json.loads(server.get(tile(*where, "json", **query)).body)
    for feature in layers["zone"] + layers.get("water", []):
        outer, *holes = feature.lines
        assert area(outer) > 0 and all(area(hole) < 0 for hole in holes)
        assert all(0 <= c <= EXTENT for ring in feature.lines for point in ring for c in point)
    for zone in told["zones"]:
        of = [feature for feature in layers["zone"] if feature.properties["zone"] == zone["index"]]
        assert abs(shares(of) - zone["fraction"]) < 0.02 and {feature.properties["name"] for feature in of} <= {zone["name"]}
    water = {name: shares([f for f in layers.get("water", []) if f.properties["class"] == name]) for name in ("ocean", "lake", "river")}
    assert abs(water["ocean"] - told["water"]["sea"]) < 0.02
    assert abs(water["lake"] + water["river"] - told["water"]["lakes"]) < 0.02


def outlines(layers, name):
    """Points of rings, by what the areas are of."""
    of = {}
    for feature in layers.get(name, []):
        of.setdefault(tuple(feature.properties.values()), []).extend(point for ring in feature.lines for point in ring)
    return of


@pytest.mark.parametrize("place", [*PLACES, (7, 16, 0, 1, {"recipe": "alpine"}), (7, 14, 0, 0, {"recipe": "continents"})], ids=str)
def test_areas_fit_together(server, place):
    """Zones cover a tile; no ring touches itself or another of what it is of; ends of areas at a tile's side are the neighbour's."""
    seed, lod, x, y, query = place
    here, *beside = (vectors(server, seed, lod, x + i, y + j, **query) for i, j in ((0, 0), (1, 0), (0, 1)))
    assert sum(area(ring) for feature in here["zone"] for ring in feature.lines) == 2 * EXTENT ** 2
    for name in ("zone", "water"):
        points = outlines(here, name)
        assert all(len(set(of)) == len(of) for of in points.values())
        for axis, there in enumerate(beside):
            ends = [{(kind, point[1 - axis]) for kind, of in outlines(layers, name).items() for point in of if point[axis] == side and 0 < point[1 - axis] < EXTENT}
                    for layers, side in ((here, EXTENT), (there, 0))]
            assert ends[0] == ends[1]


def test_rivers_and_places_are_those_of_geojson(server):
    where = (42, 5, -35, 22)
    rivers = {feature["id"]: feature["properties"] for feature in json.loads(server.get(tile(*where, "geojson", layer="river")).body)["features"]}
    drawn = vectors(server, *where)["river"]
    assert len(drawn) > 10
    for feature in drawn:
        told = feature.properties
        if "id" in told:  # else it comes in from the neighbour's, and is the rest of a line of its
            assert feature.id == int(told["id"], 16) and told["order"] == rivers[told["id"]]["order"]
            assert abs(told["discharge"] - rivers[told["id"]]["discharge_m3s"]) <= 0.005
    assert {feature.properties["id"] for feature in drawn if "id" in feature.properties} == set(rivers)
    towns = vectors(server, 42, 4, 0, 0, recipe="wayfarer")
    assert {feature.properties["kind"] for feature in towns["label"]} >= {"town", "village"}
    assert {feature.properties["class"] for feature in towns["path"]} == {"trunk", "lane"}


def test_ids_are_the_same_everywhere(server):
    """As text: numbers of 64 bits are more than clients have room for."""
    where, query = (42, 4, 0, 0), {"recipe": "wayfarer"}
    layers = vectors(server, *where, **query)
    lines = server.json(tile(*where, "geojson", layer="path", **query))["features"]
    ids = {feature["id"]: feature["properties"].get("name") for feature in lines}
    listed = {name["id"]: name["name"] for name in server.json(tile(*where, "json", **query))["names"]}
    places = {label.properties["id"]: label.properties["name"] for label in layers["label"] if label.properties["kind"] in ("town", "village")}
    paths = {feature.properties["id"] for feature in layers["path"]}
    assert places and paths and places.items() <= ids.items() and places.items() <= listed.items() and paths <= set(ids)
    assert all(int(feature.properties["id"], 16) == (feature.id or 0) for name in ("label", "path") for feature in layers[name])


def peaks(server, seed, lod, x, y, kind, **query):
    """Of a tile's peaks, or others of a kind, by id: what is said of each, and its place in metres."""
    labels = [feature for feature in vectors(server, seed, lod, x, y, **query).get("label", []) if feature.properties["kind"] == kind]
    return {feature.id: (feature.properties, (np.array(feature.lines[0][0]) / EXTENT + (x, y)) * (256 << lod)) for feature in labels}


def from_near(server, lod, x, y, kind, **query):
    """A tile's, and its four finer ones', each of these with its ground and its sample there; and which are well inside, and so of both."""
    far, near = peaks(server, 42, lod, x, y, kind, **query), {}
    for k in range(4):
        child = (42, lod - 1, 2 * x + k % 2, 2 * y + k // 2)
        heights = samples(server, *child, "height", **query)
        for name, (said, metres) in peaks(server, *child, kind, **query).items():
            near[name] = said, metres, heights, (metres / (1 << (lod - 1))).astype(int) - 256 * np.array(child[2:])
    inside = {name for name, (_, metres) in far.items() if (np.abs(metres / (256 << lod) % 1 - 0.5) < 0.48).all()}
    assert inside and inside <= set(near)
    return far, near, inside


def test_peaks_are_the_same_from_near(server):
    """By the same name, on ground that is highest around."""
    far, near, inside = from_near(server, 12, 0, -1, "peak", recipe="plain")
    for said, _, heights, (i, j) in near.values():
        around = heights[max(j - 3, 0):min(j + 4, 256), max(i - 3, 0):min(i + 4, 256)]
        assert said["ele"] == pytest.approx(heights[j, i], abs=0.005) and heights[j, i] > 0
        assert (around <= heights[j, i]).mean() > 0.9
    for name in inside:
        (coarse, there), (fine, here, *_) = far[name], near[name]
        assert (coarse["name"], coarse["rank"]) == (fine["name"], fine["rank"]) and np.abs(there - here).max() <= 16 << 12
    assert len({said["name"] for said, *_ in near.values()}) == len(near) > len(far)


@pytest.mark.parametrize("kind,wet,y", [("sea", 1, -1), ("bay", 1, 2), ("cape", 0, -1), ("range", 0, 0), ("island", 0, -1), ("tract", 0, 0), ("bank", 1, -3)])
def test_landmarks_are_the_same_from_near(server, kind, wet, y):
    """In water or on land; what a coarser level has a finer one has, too; json lists them."""
    lod, x, query = 13, -1, {"recipe": "continents", "variant": "base"}
    far, near, inside = from_near(server, lod, x, y, kind, **query)
    assert {heights[j, i] <= 0 for _, _, heights, (i, j) in near.values()} == {bool(wet)}
    listed = {int(name["id"], 16): (name["name"], name["rank"], name["x"], name["y"])
              for name in server.json(tile(42, lod, x, y, "json", **query))["names"] if name["kind"] == kind}
    assert listed.items() >= {name: (said["name"], said["rank"], *metres) for name, (said, metres) in far.items()}.items()
    assert all(far[name][0] == near[name][0] for name in inside)


@pytest.mark.parametrize("place", [(42, 13, -1, -1, {"recipe": "alpine"}), (42, 14, 0, -1, {"recipe": "continents"})], ids=str)
def test_names_stand_where_they_belong(server, place):
    """Water of drained ground has come over land of the base surface, whose landmarks are; and no name is over another."""
    *where, query = place
    labels, depth = vectors(server, *where, **query)["label"], samples(server, *where, "water", **query)
    told = [(name["kind"], (np.array((name["x"], name["y"])) / (256 << where[1]) - where[2:]) * EXTENT) for name in server.json(tile(*where, "json", **query))["names"]]
    water = {"sea", "bay", "bank", "lake"}
    for kind, (x, y) in told:
        assert kind == "river" or (depth[int(y) // 16, int(x) // 16] > 0) == (kind in water), (kind, x, y)
    boxes = [(*label.lines[0][0], 64 * len(label.properties["name"])) for label in labels if label.properties["kind"] not in ("town", "village", "cape", "island")]
    assert 3 < len(labels) <= 7
    assert all(abs(a[1] - b[1]) >= 192 or 2 * abs(a[0] - b[0]) >= a[2] + b[2] for k, a in enumerate(boxes) for b in boxes[:k])


def test_lakes_have_the_names_that_finer_levels_tell(server):
    """One that goes on beyond its region: the outlet by which it is named may lie there, and is no other one from here."""
    def lakes(lod, x, y):
        return {name["id"] for name in server.json(tile(42, lod, x, y, "json", recipe="wayfarer"))["names"] if name["kind"] == "lake"}

    x, y = 20, -13
    drawn = {f"{label.id:016x}" for label in vectors(server, 42, 5, x, y, recipe="wayfarer")["label"] if label.properties["kind"] == "lake"}
    assert drawn and drawn <= lakes(5, x, y) <= set.union(*(lakes(4, 2 * x + i, 2 * y + j) for i in (0, 1) for j in (0, 1)))


@pytest.mark.parametrize("lod,x,y,recipe", [(8, 1, -2, "wayfarer"), (8, 1, -1, "wayfarer"), (8, 23, -6, "archipelago")])
def test_lakes_have_one_name_on_both_sides_of_an_edge(server, lod, x, y, recipe):
    """At a level between two lattices, where of a lake one tile may know all and the other a part."""
    edge = (x + 1) * (256 << lod)

    def lakes(at):
        features = server.json(tile(42, lod, at, y, "geojson", layer="water", recipe=recipe))["features"]
        return {point[1]: of["properties"].get("lake") for of in features if of["properties"].get("class") == "lake"
                for ring in of["geometry"]["coordinates"] for point in ring if point[0] == edge}

    west, east = lakes(x), lakes(x + 1)
    assert any(west.values()) and west == east


@pytest.mark.parametrize("layer,name,kind", [("height", "contour", "LineString"), ("partition", "zone", "Polygon"), ("water", "water", "Polygon")])
@pytest.mark.parametrize("place", [*PLACES[:2], (42, 13, -1, -1, {"recipe": "continents", "variant": "base"})], ids=str)
def test_geojson_has_them_in_metres(server, place, layer, name, kind):
    seed, lod, x, y, query = place
    told = json.loads(server.get(tile(seed, lod, x, y, "geojson", layer=layer, **query)).body)["features"]
    layers, unit = vectors(server, seed, lod, x, y, **query), 2 ** lod / 16
    kinds = {"height": ["range", "peak"], "partition": ["tract"], "water": ["lake", "sea", "bay", "cape", "island", "bank"]}[layer]
    drawn, named = layers.get(name, []), [label for label in layers.get("label", []) if label.properties["kind"] in kinds]
    assert named or layer == "partition" or lod < 13  # the first of them: a view is to have some dozens
    points = [feature for feature in told if feature["geometry"]["type"] == "Point"]
    told = told[:len(told) - len(points)]
    points = {feature["id"]: feature for feature in points}
    for own in named:
        feature, ((px, py),) = points[f"{own.id:016x}"], own.lines[0]
        assert {"id": feature["id"]} | feature["properties"] == own.properties
        assert feature["geometry"]["coordinates"] == [px * unit + x * 256 * 2 ** lod, py * unit + y * 256 * 2 ** lod]
    assert len(told) == len(drawn) > 0
    for feature, own in zip(told, drawn):
        lines = feature["geometry"]["coordinates"] if kind == "Polygon" else [feature["geometry"]["coordinates"]]
        assert feature["geometry"]["type"] == kind and feature["properties"] == own.properties
        assert all(line[0] == line[-1] for line in lines if kind == "Polygon")
        place = [[[px * unit + x * 256 * 2 ** lod, py * unit + y * 256 * 2 ** lod] for px, py in line] for line in own.lines]
        assert [line[:-1] if kind == "Polygon" else line for line in lines] == place


def test_tilejson_names_what_tiles_hold(server):
    told = server.json("/xyz/42/vector.json?recipe=wayfarer")
    fields = {layer["id"]: layer["fields"] for layer in told["vector_layers"]}
    url, = told["tiles"]
    assert told["minzoom"] == 1 and url.split("?")[0].endswith("/xyz/42/{z}/{x}/{y}.mvt")
    answer = server.get("/" + url.split("/", 3)[3].format(z=14, x=8192, y=8192))
    layers = read_mvt(answer.body)
    assert set(layers) <= set(fields) and {"zone", "contour", "path", "label"} <= set(layers)
    kinds = {"Number": (int, float), "String": str}
    for name, features in layers.items():
        for feature in features:
            may = {"river": {"id", "name", "river"}, "label": {"ele", "angle", "zone"}, "water": {"lake", "name"}}.get(name, set())  # not every feature has it
            assert set(feature.properties) | may == set(fields[name])
            assert all(isinstance(value, kinds[fields[name][key]]) for key, value in feature.properties.items())


def test_what_there_is_not(server):
    server.ask("/xyz/42/0/0/0.mvt").problem(400, "ext")
    server.ask(tile(42, 3, 0, 0, "mvt", layer="relief")).problem(400, "ext")
    server.ask(tile(42, 3, 0, 0, "mvt", size=64)).problem(400, "size")
    server.ask("/xyz/42/vector.json?layer=relief").problem(400, "ext")
    server.ask("/xyz/42/vector.json?size=256").problem(400, "size")
