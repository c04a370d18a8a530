"""Cover: weights of materials as numbers and as pictures of four, of a recipe of the operator's own."""

import json

import numpy as np
import pytest
from http_samples import from_png
from http_server import TILE_MAX, TILE_MIN, book, tile

NAMES = ["snow", "rock", "sand", "marsh", "wood", "grass"]
WHERE = [{"height": [150, 250, None, None], "curvature": [-0.02, 0, None, None]}, {"slope": [0.3, 0.6, None, None]},
         {"shore": [None, None, 40, 120], "depth": [None, None, 0, 2]}, {"wetness": [5, 9, None, None], "river": [None, None, 2, 8]},
         {"patches": [-0.2, 0.2, None, None]}]
MINE = {"description": "Hills that are covered.", "height": {"fractal": "fbm", "cell_m": 4096, "octaves": 9, "amplitude_m": 300}, "rivers": {"top": 8, "bottom": 4, "inland_km": 16},
        "erosion": {"phases": 1}, "terms": {"patches": {"fractal": "fbm", "cell_m": 256, "octaves": 3}},
        "cover": {"materials": [{"name": name, "colour": f"#0000{k:02x}", **({"where": WHERE[k]} if k < 5 else {})}
                                for k, name in enumerate(NAMES)]}}


@pytest.fixture(scope="module")
def covered(stay, tmp_path_factory):
    return stay(config={"worlds": book(tmp_path_factory.mktemp("worlds"), {"mine": MINE})})


def mine(server, lod, x, y, ext="f32", size=256, **query):
    return server.get(tile(42, lod, x, y, ext, recipe="mine", layer="cover", size=size, **query))


def weights(server, lod, x, y, size=256, **query):
    return np.frombuffer(mine(server, lod, x, y, size=size, **query).body, "<f4").reshape(size, size, len(NAMES))


PLACES = [(0, -1, -1), (2, 3, -7), (5, -1, 0), (7, 0, -1), (14, 0, 0), (3, TILE_MAX, TILE_MIN)]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_weights_sum_to_one_and_pictures_have_them(covered, place):
    values = weights(covered, *place)
    assert values.min() >= 0 and (values.sum(-1) == 1).all() and (values[..., ::-1].sum(-1) == 1).all()
    assert (values * 65536 == np.floor(values * 65536)).all()
    first, rest = (from_png(mine(covered, *place, "png", bands=bands).body) for bands in (0, 1))
    assert (from_png(mine(covered, *place, "png").body) == first).all()
    assert first.shape == rest.shape == (256, 256, 4) and (rest[..., 2:] == 0).all()
    together = np.concatenate([first, rest], -1)[..., :len(NAMES)].astype(int)
    assert (together.sum(-1) == 255).all() and np.abs(together - 255 * values).max() <= 1


def test_all_materials_are_somewhere(covered):
    most = np.max([weights(covered, lod, x, y, 65).max((0, 1)) for lod, x, y in [(2, 3, -7), (5, -1, 0), (7, 0, -1), (4, 3, 2), (4, -3, 1)]], 0)
    assert (most > 0.5).all(), most


def test_pictures_of_windows_are_cut_out_of_those_of_tiles(covered):
    picture = from_png(covered.get("/region/42.png?x0=-70&y0=200&w=130&h=90&lod=4&recipe=mine&layer=cover&bands=1").body)
    west, east = (from_png(mine(covered, 4, x, 0, "png", bands=1).body) for x in (-1, 0))
    assert (picture[:56] == np.concatenate([west[200:, -70:], east[200:, :60]], 1)).all()


def test_documents_name_materials(covered):
    world = covered.json("/world/42?recipe=mine")
    assert [(m["index"], m["name"], m["colour"]) for m in world["cover"]] == [(k, n, f"#0000{k:02x}") for k, n in enumerate(NAMES)]
    assert "cover" in [layer["name"] for layer in world["layers"]]
    told = covered.json("/xyz/42/tile.json?recipe=mine&layer=cover&bands=1")
    assert told["terrane"]["materials"] == world["cover"] and "bands=1" in told["tiles"][0]
    assert "materials" not in covered.json("/xyz/42/tile.json?recipe=mine&layer=relief")["terrane"]
    facts = json.loads(mine(covered, 4, 0, 0, "json", 65).body)["values"]
    assert [value["name"] for value in facts] == NAMES and sum(value["mean"] for value in facts) == pytest.approx(1)


def test_bands_are_of_pictures_of_cover_alone(covered):
    tags = {mine(covered, 4, 0, 0, "png", **query)["ETag"] for query in ({}, {"bands": 0}, {"bands": 1})}
    assert len(tags) == 2
    for query, words in (("layer=cover&bands=2", "must be one of 0, 1"), ("layer=relief&bands=1", "only a png or rgba8 of cover")):
        assert words in covered.ask(f"/tile/42/4/0/0.png?{query}").problem(400, "bands")
    covered.get("/tile/42/4/0/0.f32?layer=cover&bands=1", status=400)


def test_recipes_without_cover_are_one_number(launch, tmp_path):
    server = launch(config={"worlds": book(tmp_path, {"bare": {"height": 7}})})
    query = {"recipe": "bare", "layer": "cover", "size": 17}
    assert (np.frombuffer(server.get(tile(42, 4, 0, 0, "f32", **query)).body, "<f4") == np.ones(17 * 17)).all()
    assert (from_png(server.get(tile(42, 4, 0, 0, "png", **query)).body) == [255, 0, 0, 0]).all()
    world = server.json("/world/42?recipe=bare")
    assert "cover" not in world and "cover" not in [layer["name"] for layer in world["layers"]]
