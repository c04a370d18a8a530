"""Tiles and worlds as JSON: every number computed again from samples."""

import numpy as np
import pytest
from http_samples import from_png, get_samples
from http_server import ENCS, ALL_FORMATS, GENERATOR, LAST_LEVEL, LAYER_ENCS, LAYERS, SINGLE_LAYERS, TILE_MAX, TILE_MIN, TOLD_LAYERS, has, tile

WORLD = "whole"

BANDS = {**{name: (name,) for name in SINGLE_LAYERS}, "water": ("depth",), "river": ("discharge",),
         "normal": ("east", "south", "up"), "climate": ("temperature", "precipitation", "wetness"),
         "path": ("class", "distance"), "cave": ("floor", "ceiling")}
CASES = [(0, -1, -1, 257), (3, -7, 11, 65), (12, -7, 4, 256), (9, 100, 7, 512), (0, TILE_MAX, TILE_MIN, 257)]


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request, server, connection):
    """lod, x, y, size, the JSON, the heights, and each sample's X and Y."""
    lod, x, y, size = request.param
    text = server.json(tile(42, lod, x, y, "json", size=size))
    heights = get_samples(connection, 42, lod, x, y, "height", size).astype(np.float64)
    spacing = text["samples"]["spacing_m"]
    east, south = (first * 2.0 ** text["samples"]["lod"] + np.arange(size) * spacing for first in text["samples"]["origin"])
    return lod, x, y, size, text, heights, east, south


def test_names(case, server):
    lod, x, y, _, text, *_ = case
    world = server.json("/world/42")
    assert (text["seed"], text["lod"], text["x"], text["y"]) == ("42", lod, x, y)
    assert (text["layer"], text["variant"], text["generator"]) == ("height", world["variant"], GENERATOR)
    level = text["samples"]["lod"]
    assert text["eroded"] == (world["variant"] != "base" and level < world["erosion"]["levels"])


def test_samples(case, server):
    lod, x, y, size, text, *_ = case
    samples = text["samples"]
    level = lod - 1 if size == 512 else lod
    cells = 512 if size == 512 else 256
    assert (samples["width"], samples["height"], samples["lod"]) == (size, size, level)
    assert samples["spacing_m"] == 2.0 ** level * cells / (size & ~1)
    assert samples["origin"] == [x * cells, y * cells]
    assert text["geometric_error_m"] == server.json("/world/42")["levels"][level]["geometric_error_m"]
    assert text["vertices"] == {str(n + 1): (n + 1) ** 2 for n in (2, 4, 8, 16, 32, 64, 128, 256)}


def test_measures_and_bounds(case):
    *_, text, heights, east, south = case
    assert (text["min_m"], text["max_m"]) == (heights.min(), heights.max())
    assert text["mean_m"] == pytest.approx(heights.mean(), abs=2.0 ** -16)
    assert text["centroid_m"] == pytest.approx([east.mean(), south.mean(), heights.mean()], abs=2.0 ** -16, rel=1e-15)
    assert text["box_m"] == {"low": [east[0], south[0], heights.min()], "high": [east[-1], south[-1], heights.max()]}
    assert text["bounds_m"] == {"west": east[0], "north": south[0], "east": east[-1], "south": south[-1]}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("lod,x,y,size", [(2, 1, 1, 257), (9, -3, 2, 512)])
def test_values_are_the_layers(server, layer, lod, x, y, size):
    """Of each number of a sample; but for what stands for none."""
    query = {"layer": layer, "recipe": "whole"}
    text = server.json(tile(42, lod, x, y, "json", size=size, **query))
    if not has(layer, "f32"):
        assert text["values"] == []
        return
    numbers = np.frombuffer(server.get(tile(42, lod, x, y, "f32", size=size, **query)).body, "<f4").astype(np.float64)
    bands = numbers.reshape(size * size, -1).T
    materials = server.json("/world/42?recipe=whole").get("cover", [{"name": "ground"}])
    lists = {"partition": text["zones"], "cover": materials}
    names = [item["name"] for item in lists[layer]] if layer in lists else BANDS[layer]
    assert [value["name"] for value in text["values"]] == list(names) and len(names) == len(bands)
    for value, band in zip(text["values"], bands):
        band = band[np.abs(band) < 2 ** 20] if layer in ("path", "cave") else band
        assert value["count"] == len(band) and value["unit"] in ("m", "1", "degree", "droplet", "m3/s", "degree Celsius", "mm/a")
        if len(band) == 0:
            assert value["min"] is value["max"] is value["mean"] is None
        else:
            assert (value["min"], value["max"]) == (band.min(), band.max())
            assert value["mean"] == pytest.approx(band.mean(), abs=2.0 ** -16)


def test_geometry_is_that_of_the_surface_where_it_is_asked_for(server):
    where = next(at for at in [(8, x, y) for x in (-2, -4, -5) for y in (6, 4, 2)]
                 if 0 < server.json(tile(42, *at, "json", size=65))["water"]["sea"] < 1)
    ground, surface, water = (server.json(tile(42, *where, "json", size=65, layer=layer)) for layer in ("height", "surface", "water"))
    assert (ground["measured"], surface["measured"], water["measured"]) == ("ground", "surface", "ground")
    top = get_samples(server, 42, *where, "surface", 65).astype(np.float64)
    assert (surface["min_m"], surface["max_m"]) == (top.min(), top.max()) and surface["min_m"] > ground["min_m"]
    assert surface["mean_m"] == pytest.approx(top.mean(), abs=2.0 ** -16) and surface["centroid_m"][2] == surface["mean_m"]
    assert surface["box_m"]["low"][2] == top.min() and water["min_m"] == ground["min_m"]
    assert water["values"][0]["max"] == get_samples(server, 42, *where, "water", 65).max()


def test_sphere(case):
    *_, text, heights, east, south = case
    low, high = (np.array(text["box_m"][side]) for side in ("low", "high"))
    centre = np.array(text["sphere_m"]["centre"])
    assert centre == pytest.approx((low + high) / 2, rel=1e-15)
    distance = np.sqrt((east[None, :] - centre[0]) ** 2 + (south[:, None] - centre[1]) ** 2 + (heights - centre[2]) ** 2)
    assert text["sphere_m"]["radius"] == pytest.approx(distance.max(), rel=1e-12)


def test_zone_fractions(case, connection):
    lod, x, y, size, text, *_ = case
    mask = from_png(connection.ask(tile(42, lod, x, y, "png", layer="partition", size=size)).body)
    counts = np.bincount(mask.ravel(), minlength=len(text["zones"])) / mask.size
    assert [zone["fraction"] for zone in text["zones"]] == pytest.approx(counts.tolist(), abs=1e-12)
    assert sum(zone["fraction"] for zone in text["zones"]) == pytest.approx(1)
    weights = get_samples(connection, 42, lod, x, y, "partition", size, zones=len(text["zones"]))
    shares = np.bincount(weights.argmax(axis=2).ravel(), minlength=len(text["zones"])) / mask.size
    assert np.abs(shares - counts).max() < 0.01


def test_water_fractions(case, connection, server):
    lod, x, y, size, text, heights, *_ = case
    sea_m = server.json("/world/42")["sea_m"]
    depth, surface, river = (get_samples(connection, 42, lod, x, y, layer, size) for layer in ("water", "surface", "river"))
    wet = depth > 0
    assert text["water"] == {"sea": (wet & (surface <= sea_m)).mean(), "lakes": (wet & (surface > sea_m)).mean(),
                             "rivers": (river > 0).mean()}
    assert (surface >= heights).all() and (surface[~wet] == heights[~wet]).all()
    assert (surface[heights < sea_m] >= sea_m).all()


def test_links_lead_somewhere(case, connection):
    lod, x, y, _, text, *_ = case
    links = text["links"]
    for name, target in links.items():
        assert connection.ask(target).status == 200, name
    around = {"north": (x, y - 1), "east": (x + 1, y), "south": (x, y + 1), "west": (x - 1, y)}
    there = {name: at for name, at in around.items() if all(TILE_MIN <= c <= TILE_MAX for c in at)}
    assert {name: links.get(name) for name in around if name in links} == {
        name: tile(42, lod, *at, "json") for name, at in there.items()}
    assert ("parent" in links) == (lod < LAST_LEVEL)
    if lod < LAST_LEVEL:
        assert links["parent"] == tile(42, lod + 1, x >> 1, y >> 1, "json")
    assert {name for name in links if name in ALL_FORMATS} == {fmt for fmt in ALL_FORMATS if has("height", fmt)}


@pytest.mark.parametrize("layer", LAYERS)
def test_other_layers_describe_the_same_ground(server, layer):
    variant = "eroded" if layer in ("delta", "flow", "river") else None  # paths have no part in these
    height = server.json(tile(42, 3, -7, 11, "json", variant=variant))
    other = server.json(tile(42, 3, -7, 11, "json", layer=layer, variant=variant))
    assert other.pop("layer") == layer and height.pop("layer") == "height"
    links = other.pop("links")
    for name, target in height.pop("links").items():
        if name == "world":
            assert links.pop(name) == target
        elif name not in ALL_FORMATS or has(layer, name):
            expected = target if layer == "height" else target.replace("?", f"?layer={layer}&") if variant else f"{target}?layer={layer}"
            assert links.pop(name) == expected, name
    assert set(links) == {fmt for fmt in ALL_FORMATS if has(layer, fmt) and not has("height", fmt)}
    assert height.pop("measured") == "ground" and other.pop("measured") == ("surface" if layer == "surface" else "ground")
    of_its_own = ["values"]
    assert height["samples"].pop("digest") != other["samples"].pop("digest", None) or layer in ("height", "surface")
    assert ("objects" in other) == (layer == "objects")
    other.pop("objects", None)
    if layer == "surface":
        of_its_own += ["min_m", "max_m", "mean_m", "centroid_m", "box_m", "sphere_m"]
    for member in of_its_own:
        del height[member], other[member]
    assert other == height


def test_world(server):
    answer = server.get("/world/42?recipe=continents")
    world = server.json("/world/42?recipe=continents")
    assert answer["Content-Type"] == "application/json" and answer["ETag"].startswith('W/"')
    assert answer["Terrane-Seed"] == world["seed"] == "42"
    assert world["generator"] == GENERATOR and len(world["world"]) == 32
    assert [layer["name"] for layer in world["layers"]] == list(TOLD_LAYERS)
    for layer in world["layers"]:
        assert layer["formats"] == [fmt for fmt in ALL_FORMATS if has(layer["name"], fmt)]
        assert layer["encodings"] == list(LAYER_ENCS.get(layer["name"], ()))
    assert set(world["formats"]) == set(ALL_FORMATS) - ({"bin"} if "objects" not in world else set()) and world["encodings"] == list(ENCS)
    assert world["variants"] == (["base", "eroded"] if world["erosion"] else ["base"])
    assert world["variant"] == world["variants"][-1] and "paths" not in world and "caves" not in world
    assert world["tiles"] == {"min": TILE_MIN, "max": TILE_MAX} and world["tile_samples"] == 256
    assert [level["lod"] for level in world["levels"]] == list(range(LAST_LEVEL + 1))
    for level in world["levels"]:
        assert level["spacing_m"] == world["spacing_m"] * 2 ** level["lod"]
        assert level["tile_m"] == level["spacing_m"] * 256
    errors = [level["geometric_error_m"] for level in world["levels"]]
    assert errors[0] == 0 and errors == sorted(errors) and errors[1] > 0
    low, high = world["height_bounds_m"]["low"], world["height_bounds_m"]["high"]
    text = server.json(tile(42, 12, 5, -2, "json", recipe="continents"))
    assert low <= text["min_m"] < text["max_m"] <= high
    assert text["world"] == world["world"] and world["range_16bit_m"]["low"] < world["range_16bit_m"]["high"]
    assert [zone["index"] for zone in world["zones"]] == list(range(len(world["zones"])))
