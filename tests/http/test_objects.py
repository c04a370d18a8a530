"""Objects: places of trees, shrubs and rocks as records, GeoJSON, JSON, pictures and instances, and what they keep to."""

import json
import math

import numpy as np
import pytest
from http_samples import from_png
from http_server import book, run, tile

CLASSES = [{"name": "fir", "model": "conifer", "radius_m": 4, "on": {"wood": 1, "grass": 0.05}, "scale": [0.7, 1.3], "level": 4},
           {"name": "gorse", "model": "shrub", "radius_m": 2.3, "on": {"grass": 0.4, "wood": 0.2}, "slope": 0.5},
           {"name": "stone", "model": "boulder", "radius_m": 9, "on": {"rock": 1, "grass": 0.1}, "slope": 3,
            "where": {"patches": [-0.3, 0.1, None, None]}, "level": 3}]
MINE = {"description": "Hills with woods, rivers and lanes.", "height": {"fractal": "fbm", "cell_m": 4096, "octaves": 9, "amplitude_m": 300},
        "sea_m": -40, "rivers": {"top": 9, "bottom": 5, "inland_km": 16}, "erosion": {"phases": 1}, "paths": {"width_m": 4},
        "terms": {"patches": {"fractal": "fbm", "cell_m": 512, "octaves": 3}},
        "cover": {"materials": [{"name": "rock", "colour": "#808080", "where": {"slope": [0.3, 0.6, None, None]}},
                                {"name": "wood", "colour": "#204020", "where": {"patches": [-0.1, 0.1, None, None]}},
                                {"name": "grass", "colour": "#80a050"}]},
        "objects": {"classes": CLASSES}}
FOREST = {"height": 10, "cover": {"materials": [{"name": "wood", "colour": "#204020"}]},
          "objects": {"classes": [{"name": "fir", "model": "conifer", "radius_m": 5, "on": {"wood": 1}, "level": 3}]}}
RECORD = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("turn", "u1"), ("scale", "u1"), ("of", "u1"), ("variant", "u1")])


@pytest.fixture(scope="module")
def land(stay, tmp_path_factory):
    thin = json.loads(json.dumps(FOREST).replace('{"wood": 1}', '{"wood": 0.1}'))
    narrow = [{**FOREST["objects"]["classes"][0], "name": f"c{k}", "radius_m": 2 if k < 4 else 64, "level": 4} for k in range(5)]
    recipes = {"mine": MINE, "forest": FOREST, "thin": thin, "limits": {**FOREST, "objects": {"classes": narrow}}}
    return stay(config={"worlds": book(tmp_path_factory.mktemp("worlds"), recipes)})


def ask(server, lod, x, y, ext, recipe="mine", layer="objects", **query):
    return server.get(tile(42, lod, x, y, ext, recipe=recipe, layer=layer, **query)).body


def records(server, lod, x, y, recipe="mine"):
    body = ask(server, lod, x, y, "bin", recipe)
    assert body[:4] == b"TOBJ" and int.from_bytes(body[4:8], "little") == len(body) // 16 - 1 and not any(body[8:16])
    return np.frombuffer(body[16:], RECORD)


def places(server, lod, x, y, recipe="mine"):
    """Records by where they are in the world, in 16ths of a metre."""
    side = 256 << lod
    return {(int((x * side + at["x"]) * 16), int((y * side + at["y"]) * 16)): at for at in records(server, lod, x, y, recipe)}


TILES = [(0, 11, 4), (1, 3, 2)]


@pytest.mark.parametrize("place", [(0, 11, 4), pytest.param((1, 3, 2), marks=pytest.mark.long)], ids=str)
def test_none_is_nearer_than_its_radius_across_tiles(land, place):
    lod, x, y = place
    found = [at for dy in (0, 1) for dx in (0, 1) for at in
             ((*key, record["of"]) for key, record in places(land, lod, x + dx, y + dy).items())]
    assert len(found) > 100
    at, of = np.array([f[:2] for f in found], float) / 16, np.array([f[2] for f in found])
    assert (np.bincount(of, minlength=3) > 0).all() if lod < 3 else (of != 1).all()
    radius = np.array([c["radius_m"] for c in CLASSES])[of]
    away = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    np.fill_diagonal(away, np.inf)
    assert (away >= np.maximum(radius[:, None], radius[None])).all()


@pytest.mark.parametrize("place", TILES, ids=str)
def test_ground_bears_them(land, place):
    lod, x, y = place
    all_of = records(land, lod, x, y)
    grid = {layer: np.frombuffer(ask(land, lod, x, y, "f32", layer=layer), "<f4").reshape(257, 257, -1)
            for layer in ("height", "water", "river", "path")}
    u, v = all_of["x"] / (1 << lod), all_of["y"] / (1 << lod)
    i, j = u.astype(int), v.astype(int)
    for layer, dry in (("water", lambda a: a == 0), ("river", lambda a: a == 0), ("path", lambda a: a < 2)):
        assert all(dry(grid[layer][j + dj, i + di, 0]).all() for dj in (0, 1) for di in (0, 1)), layer
    h = grid["height"][..., 0].astype(float)
    nw, ne, sw, se, fx, fy = h[j, i], h[j, i + 1], h[j + 1, i], h[j + 1, i + 1], u - i, v - j
    z = (nw * (1 - fx) + ne * fx) * (1 - fy) + (sw * (1 - fx) + se * fx) * fy
    assert np.abs(z - all_of["z"]).max() < 0.01
    rise = np.hypot((ne - nw) * (1 - fy) + (se - sw) * fy, (sw - nw) * (1 - fx) + (se - ne) * fx) / (1 << lod)
    assert (rise <= np.array([c.get("slope", 0.7) for c in CLASSES])[all_of["of"]] + 1e-5).all()
    assert rise.max() > 0.2 or lod > 1


def test_a_coarser_level_has_a_subset(land):
    """Of places and what stands there; a place is missing below only where the finer ground does not bear it."""
    coarse = places(land, 2, 1, 1)
    fine = {key: record for dy in (0, 1) for dx in (0, 1) for key, record in places(land, 1, 2 + dx, 2 + dy).items()}
    both = [key for key in coarse if key in fine]
    assert len(coarse) > 200 and len(both) > 0.9 * len(coarse) and len(fine) > 2 * len(coarse)
    assert all(list(coarse[key])[3:] == list(fine[key])[3:] for key in both)
    h = {}
    for key in set(coarse) - set(both):
        x, y = key[0] >> 13, key[1] >> 13
        if (x, y) not in h:
            h[x, y] = {layer: np.frombuffer(ask(land, 1, x, y, "f32", layer=layer), "<f4").reshape(257, 257, -1)[..., 0]
                       for layer in ("height", "water", "river", "path")}
        i, j = (key[0] >> 5) & 255, (key[1] >> 5) & 255
        four = {layer: values[j:j + 2, i:i + 2] for layer, values in h[x, y].items()}
        steep = np.hypot(np.diff(four["height"], axis=1).max(), np.diff(four["height"], axis=0).max()) / 2
        steep = max(steep, np.hypot(np.abs(np.diff(four["height"], axis=1)).max(), np.abs(np.diff(four["height"], axis=0)).max()) / 2)
        assert (four["water"] > 0).any() or (four["river"] > 0).any() or (four["path"] >= 2).any() or \
            steep > CLASSES[coarse[key]["of"]].get("slope", 0.7), key


@pytest.mark.parametrize(("recipe", "share"), [("forest", 1), ("thin", 0.1)])
def test_a_forest_is_as_dense_as_is_told(land, recipe, share):
    """config/worlds/README.md: (1 - e^(-4 share)) / (3 radius^2) of them a square metre, nearly; and a quarter with each level."""
    told = (1 - math.exp(-4 * share)) / (3 * 25)
    for lod in (0, 1, 3):
        count = np.mean([len(records(land, lod, x, y, recipe)) for x in (0, 9) for y in (0, 7)])
        square_m = (256 << lod) ** 2
        if lod == 0:
            assert abs(count / square_m - told) < 0.1 * told, (count, told)
        else:  # there are fewer in each other's way, and those of the last generation have none behind them
            assert 0.8 * told < count * 4 ** lod / square_m < 1.34 * share / 25


def test_a_picture_of_512_pixels_has_the_finer_level(land):
    shown = np.zeros((512, 512), bool)
    for x, y in {key for dy in (0, 1) for dx in (0, 1) for key in places(land, 0, 6 + dx, 4 + dy)}:
        shown[(y - 1024 * 16) // 16, (x - 1536 * 16) // 16] = True
    pixels = from_png(ask(land, 1, 3, 2, "png", size=512))
    assert ((pixels != 0) == shown).all()


def test_radii_at_their_limits(land, tmp_path):
    """Of the widest, and four of the narrowest beside it: still none is nearer than its radius. More of them cost too much."""
    found = records(land, 0, 0, 0, "limits")
    at, radius = np.stack([found["x"], found["y"]], 1).astype(float), np.where(found["of"] == 4, 64, 2)
    assert len(found) > 1000 and (np.bincount(found["of"]) > 0).all()
    for k, away in enumerate(np.hypot(*(at - one).T) for one in at):
        away[k] = np.inf
        assert (away >= np.maximum(radius, radius[k])).all()
    dense = {**FOREST, "objects": {"classes": [{**FOREST["objects"]["classes"][0], "name": f"c{k}", "radius_m": 2} for k in range(8)]}}
    (tmp_path / "dense.json").write_text(json.dumps(dense))
    refused = run("recipe", tmp_path / "dense.json")
    assert refused.returncode != 0 and b"cost" in refused.stderr, refused


def test_formats_have_the_same_places(land):
    lod, x, y = 1, 3, 2
    all_of, side = records(land, lod, x, y), 512
    collection, told = json.loads(ask(land, lod, x, y, "geojson")), json.loads(ask(land, lod, x, y, "json"))["objects"]
    assert [c["name"] for c in told["classes"]] == ["fir", "gorse", "stone"] and len(told["places"]) == len(collection["features"]) == len(all_of)
    pixels = from_png(ask(land, lod, x, y, "png"))
    edged, east, small = (from_png(ask(land, lod, *at, "png", size=size)) for at, size in (((x, y), 257), ((x + 1, y), 257), ((x, y), 65)))
    assert (edged[:-1, :-1] == pixels).all() and (edged[:, -1] == east[:, 0]).all() and edged[:, -1].any() and (edged[::4, ::4] == small).all()
    for record, feature, row in zip(all_of, collection["features"], told["places"], strict=True):
        at = [float(x * side + record["x"]), float(y * side + record["y"]), float(record["z"])]
        assert feature["geometry"] == {"type": "Point", "coordinates": at}
        assert feature["properties"] == {"class": CLASSES[record["of"]]["name"], "model": CLASSES[record["of"]]["model"],
                                         "turn_deg": record["turn"] * 360 / 256, "scale": record["scale"] / 64, "variant": record["variant"]}
        assert row == [record["of"], *at, record["turn"] * 360 / 256, record["scale"] / 64, record["variant"]]
        assert pixels[int(record["y"] // 2), int(record["x"] // 2)] != 0
    scales = all_of["scale"][all_of["of"] == 0] / 64
    assert 0.69 < scales.min() < 0.75 and 1.25 < scales.max() < 1.31 and (all_of["scale"][all_of["of"] == 1] == 64).all()
    assert all_of["turn"].std() > 60 and set(all_of["variant"]) == set(range(16))


def test_a_glb_has_instances(land):
    lod, x, y = 1, 3, 2
    body, all_of = ask(land, lod, x, y, "glb"), records(land, lod, x, y)
    length = int.from_bytes(body[12:16], "little")
    document, numbers = json.loads(body[20:20 + length]), body[28 + length:]
    assert document["extensionsRequired"] == document["extensionsUsed"] == ["EXT_mesh_gpu_instancing"]

    def array(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        return np.frombuffer(numbers, "<f4", view["byteLength"] // 4, view["byteOffset"]).reshape(accessor["count"], -1)

    assert [node["name"] for node in document["nodes"]] == ["fir", "gorse", "stone"]
    for of, node in enumerate(document["nodes"]):
        names = node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]
        at, turn, scale = (array(names[name]) for name in ("TRANSLATION", "ROTATION", "SCALE"))
        mine = all_of[all_of["of"] == of]
        assert np.allclose(at, np.stack([mine["x"] - 256, mine["z"], mine["y"] - 256], 1))
        assert np.allclose(scale, np.repeat(mine["scale"][:, None] / 64, 3, 1)) and np.allclose(np.linalg.norm(turn, axis=1), 1)
        # what looked east looks so far clockwise of it, in a frame of x east and z south
        _, qy, _, qw = turn.T
        assert np.allclose(np.arctan2(-2 * qy * qw, 1 - 2 * qy * qy) % (2 * np.pi), mine["turn"] * np.pi / 128, atol=1e-5)


def test_levels_without_objects_are_empty(land):
    assert len(records(land, 5, 0, 0)) == 0 and json.loads(ask(land, 5, 0, 0, "geojson"))["features"] == []
    assert json.loads(ask(land, 5, 0, 0, "json"))["objects"]["places"] == []
    assert set(records(land, 4, 0, 0)["of"]) <= {0}
    body = ask(land, 5, 0, 0, "glb")
    assert "nodes" not in json.loads(body[20:])


def test_the_world_tells_classes(land):
    world = json.loads(land.get("/world/42?recipe=mine").body)
    assert [c["name"] for c in world["objects"]] == ["fir", "gorse", "stone"] and world["objects"][0]["model"] == "conifer"
    assert {"name": "objects", "formats": ["png", "json", "glb", "geojson", "bin"], "encodings": []} in world["layers"] and "bin" in world["formats"]
    plain = json.loads(land.get("/world/42").body)
    assert ("objects" in plain) == any(layer["name"] == "objects" for layer in plain["layers"]) == ("bin" in plain["formats"])
