"""Rivers in relief. Values of slope, aspect, hillshade and relief: tests/reference, which test_example.py finds served."""

import json

import numpy as np
import pytest
from http_samples import from_png, get_samples
from http_server import ROOT, tile

WORLD = "continents"
RECIPE = json.loads((ROOT / "config/worlds/continents.json").read_text())
RAIN_MM, SHOWN = RECIPE["climate"]["rain_mm"], RECIPE["rivers"]["shown"]


def get_pixels(connection, lod, x, y, layer, **query):
    return from_png(connection.get(tile(42, lod, x, y, "png", layer=layer, size=257, **query)).body)


@pytest.mark.parametrize("place", [(9, -51, 42), (7, -206, 169), (5, -824, 676)], ids=str)
def test_relief_has_rivers(connection, place):
    """Where much water comes for the level the dry relief is blue; of base ground, which has no rivers, it is as the ground is."""
    flow, depth = (get_samples(connection, 42, *place, layer) for layer in ("river", "water"))
    least = 2.0**-20 * 4.0 ** place[0] * max(RAIN_MM / 512, 1) * SHOWN
    great = (flow > 16 * least) & (depth == 0)
    assert great.sum() > 30
    relief = get_pixels(connection, *place, "relief").astype(int)
    assert (relief[..., 2] - relief[..., 0])[great].min() > 30
    base = get_pixels(connection, *place, "relief", variant="base").astype(int)
    assert np.median((base[..., 2] - base[..., 0])[great]) < 0
