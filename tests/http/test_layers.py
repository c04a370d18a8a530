"""Slope, aspect, hillshade and relief: what they are made of. Pictures of the first two: test_formats.py."""

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


PLACES = [(0, 0, 0), (3, -7, 11), (6, 2, 3), (12, 5, -2)]


@pytest.mark.parametrize("size", [2, 65, 256, 257])
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_slope_is_the_angle_of_the_normals(connection, place, size):
    normals = get_samples(connection, 42, *place, "normal", size).astype(np.float64)
    slopes = get_samples(connection, 42, *place, "slope", size)
    angle = np.degrees(np.arctan2(np.hypot(normals[..., 0], normals[..., 1]), normals[..., 2]))
    assert np.abs(slopes - angle).max() < 0.001
    assert slopes.min() >= 0 and slopes.max() < 90


@pytest.mark.parametrize("place", [*PLACES, (24, 0, 0)], ids=str)
def test_aspect_is_the_way_down(connection, place):
    """Clockwise from north: the way that the normal leans. At level 24 all ground is level, which is 0."""
    normals = get_samples(connection, 42, *place, "normal").astype(np.float64)
    aspects = get_samples(connection, 42, *place, "aspect")
    way = np.degrees(np.arctan2(normals[..., 0], -normals[..., 1])) % 360
    level = np.hypot(normals[..., 0], normals[..., 1]) == 0
    apart = np.abs(aspects - way)
    assert aspects.min() >= 0 and aspects.max() < 360 and (aspects[level] == 0).all()
    assert np.minimum(apart, 360 - apart)[~level].max(initial=0) < 0.001 and level.all() == (place[0] == 24)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_hillshade_is_made_of_the_normals(connection, place):
    """To the last bit: the sum is written down, in binary32. Of ground as many times as steep as the level says."""
    normals = get_samples(connection, 42, *place, "normal")
    times = np.float32({0: 0.8, 3: 0.9, 6: 1.25, 12: 15}[place[0]])
    east, south, up = (normals[..., c] * scale for c, scale in enumerate((times, times, np.float32(1))))
    one = np.float32(1) / np.sqrt((east * east + south * south) + up * up)
    east, south, up = east * one, south * one, up * one
    high = np.float32(255) * np.float32(0.70710678)
    value = up * high - (east + south) * np.float32(127.5)
    coded = np.clip(value + np.float32(0.5), np.float32(0), np.float32(255)).astype(np.uint8)
    assert (get_pixels(connection, *place, "hillshade") == coded).all()


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
