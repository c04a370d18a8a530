"""Slope, hillshade and relief: what they are made of, that they fit, and the formats they have."""

import io
import json

import numpy as np
import pytest
from http_samples import from_png, png_chunks, png_header
from http_server import LAYERS, RAW_LAYERS, TILE_MAX, TILE_MIN, TOLD_LAYERS, tile

SHADED = ("slope", "hillshade", "relief")
LACKING = [(layer, "r16") for layer in ("slope", "water", "delta", "flow", "path", "cave")]
LACKING += [(layer, fmt) for layer in ("hillshade", "relief") for fmt in ("f32", "npy", "r16")]
PLACES = [(0, 0, 0), (3, -7, 11), (6, 2, 3), (12, 5, -2)]
AROUND = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def get_body(connection, lod, x, y, ext, **query):
    answer = connection.ask(tile(42, lod, x, y, ext, **query))
    assert answer.status == 200, answer.body[:300]
    return answer.body


def get_floats(connection, lod, x, y, layer, size=257):
    """[row, column, channel] of the layer's f32."""
    body = get_body(connection, lod, x, y, "f32", layer=layer, size=size)
    return np.frombuffer(body, "<f4").reshape(size, size, -1)


def get_pixels(connection, lod, x, y, layer, size=257):
    return from_png(get_body(connection, lod, x, y, "png", layer=layer, size=size))


def edge(d):
    """What a 257-tile shares with its neighbour in direction d of one axis: its own part, the neighbour's."""
    return {-1: (slice(0, 1), slice(256, 257)), 0: (slice(None), slice(None)),
            1: (slice(256, 257), slice(0, 1))}[d]


@pytest.mark.parametrize("layer", SHADED)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_png_container(connection, layer, place):
    body = get_body(connection, *place, "png", layer=layer)
    assert [kind for kind, _ in png_chunks(body)] == [b"IHDR", b"IDAT", b"IEND"]
    assert png_header(body) == (256, 256, 8, 2 if layer == "relief" else 0, 0, 0, 0)
    assert from_png(body).shape == ((256, 256, 3) if layer == "relief" else (256, 256))


@pytest.mark.parametrize("size", [2, 65, 256, 257])
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_slope_is_the_angle_of_the_normals(connection, place, size):
    normals = get_floats(connection, *place, "normal", size).astype(np.float64)
    slopes = get_floats(connection, *place, "slope", size)[..., 0]
    angle = np.degrees(np.arctan2(np.hypot(normals[..., 0], normals[..., 1]), normals[..., 2]))
    assert np.abs(slopes - angle).max() < 0.001
    assert slopes.min() >= 0 and slopes.max() < 90


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_slope_png_and_npy_equal_the_f32(connection, place):
    slopes = get_floats(connection, *place, "slope")[..., 0]
    coded = np.clip(np.floor(slopes.astype(np.float64) * 255 / 90 + 0.5), 0, 255)
    assert (get_pixels(connection, *place, "slope") == coded).all()
    array = np.load(io.BytesIO(get_body(connection, *place, "npy", layer="slope")), allow_pickle=False)
    assert array.shape == (257, 257) and array.dtype == np.dtype("<f4") and (array == slopes).all()


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_hillshade_is_made_of_the_normals(connection, place):
    """To the last bit: the sum is written down, in binary32."""
    normals = get_floats(connection, *place, "normal")
    east, south, up = (normals[..., c] for c in range(3))
    high = np.float32(255) * np.float32(0.70710678)
    value = up * high - (east + south) * np.float32(127.5)
    coded = np.clip(value + np.float32(0.5), np.float32(0), np.float32(255)).astype(np.uint8)
    assert (get_pixels(connection, *place, "hillshade") == coded).all()


def test_hillshade_has_light_and_shade(connection):
    shades = get_pixels(connection, 0, 0, 0, "hillshade", 64)
    assert len(np.unique(shades)) > 4
    seen = [from_png(get_body(connection, 3, x, -2, "png", layer="hillshade", size=64, variant="base")).mean() for x in range(40)]
    assert 120 < np.mean(seen) < 220


@pytest.mark.parametrize("lod", [0, 3, 6])
def test_relief_has_the_light_of_hillshade(connection, lod):
    """From sample to sample the ground's colours hardly change; the light does. Before erosion: both are drawn of the
    ground in the same way, and places so far apart share no region."""
    agree = []
    for x in range(0, 400, 46):
        place = (lod, x, 7 - x)
        about = json.loads(get_body(connection, *place, "json", variant="base"))
        relief, shade = (from_png(get_body(connection, *place, "png", layer=layer, size=257, variant="base"))
                         for layer in ("relief", "hillshade"))
        relief = relief.sum(axis=2)
        if about["min_m"] > 1 and shade.std() > 4:
            agree.append(np.corrcoef(np.diff(relief, axis=1).ravel(), np.diff(shade, axis=1).ravel())[0, 1])
    assert not agree or np.median(agree) > 0.5


def test_relief_is_coloured(connection):
    seen = np.concatenate([get_pixels(connection, 9, x, 3, "relief", 64).reshape(-1, 3) for x in range(24)])
    assert len(np.unique(seen, axis=0)) > 100
    assert (seen.max(axis=1) - seen.min(axis=1)).mean() > 10  # no greys


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("lod,x,y", [(0, 0, 0), (3, -1, -1), (7, 12345, -54321), (12, 5, -2),
                                     (2, TILE_MAX, TILE_MIN), (24, TILE_MIN, TILE_MAX)])
def test_neighbours_share_their_edges(connection, layer, lod, x, y):
    middle, seen = get_pixels(connection, lod, x, y, layer), 0
    for dx, dy in AROUND:
        if all(TILE_MIN <= c <= TILE_MAX for c in (x + dx, y + dy)):
            (mine_x, other_x), (mine_y, other_y) = edge(dx), edge(dy)
            other = get_pixels(connection, lod, x + dx, y + dy, layer)
            assert (middle[mine_y, mine_x] == other[other_y, other_x]).all(), (dx, dy)
            seen += 1
    assert seen >= 3


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_smaller_sizes_are_subsets(connection, layer, place):
    whole = get_pixels(connection, *place, layer)
    for cells in (2, 4, 8, 16, 32, 64, 128, 256):
        step = 256 // cells
        assert (get_pixels(connection, *place, layer, cells + 1) == whole[::step, ::step]).all()
        assert (get_pixels(connection, *place, layer, cells) == whole[:-1:step, :-1:step]).all()


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("lod,x,y", [(1, 0, 0), (10, 617, -2345), (24, -1, -1)])
def test_512_is_the_four_tiles_below(connection, layer, lod, x, y):
    whole = get_pixels(connection, lod, x, y, layer, 512)
    for i in (0, 1):
        for j in (0, 1):
            part = get_pixels(connection, lod - 1, 2 * x + i, 2 * y + j, layer, 256)
            assert (whole[256 * j:256 * j + 256, 256 * i:256 * i + 256] == part).all()


@pytest.mark.parametrize("layer,fmt", LACKING)
def test_formats_that_a_layer_lacks(server, layer, fmt):
    answer = server.ask(tile(42, 0, 0, 0, fmt, layer=layer))
    problem = json.loads(answer.body)
    assert answer.status == 400 and answer["Content-Type"] == "application/problem+json"
    assert problem["parameter"] == "ext" and problem["detail"] == f"ext={fmt}: this layer has no such format"


@pytest.mark.parametrize("layer", SHADED)
def test_encodings_are_for_heights(connection, layer):
    plain = connection.ask(tile(42, 0, 1, 1, "png", layer=layer))
    for enc in ("mapbox", "gray16"):
        other = connection.ask(tile(42, 0, 1, 1, "png", layer=layer, enc=enc))
        assert other.body == plain.body and other["ETag"] == plain["ETag"]


def test_layers_have_validators_of_their_own(connection):
    tags = {connection.ask(tile(42, 0, 1, 1, "png", layer=layer), "HEAD")["ETag"] for layer in LAYERS}
    assert len(tags) == len(LAYERS)


@pytest.mark.parametrize("layer", SHADED)
def test_known_tiles_are_not_sent_again(server, layer):
    target = tile(42, 2, 77, 78, "png", layer=layer)
    tag, before = server.ask(target, "HEAD")["ETag"], server.renders()
    assert server.ask(target, headers=[("If-None-Match", tag)]).status == 304
    assert server.renders() == before
    assert server.get(target)["ETag"] == tag and server.renders() == before + 1


@pytest.mark.parametrize("size", [2, 65, 257])
def test_head_knows_the_length_of_slopes(server, size):
    answer = server.ask(tile(42, 5, 91, size, "f32", layer="slope", size=size), "HEAD")
    assert answer.status == 200 and int(answer["Content-Length"]) == size * size * 4
    assert answer["Content-Type"] == "application/octet-stream"
    assert int(answer["Terrane-Width"]) == size and "Terrane-Min" not in answer


@pytest.mark.parametrize("layer", SHADED)
def test_description(server, layer):
    """The ground is described as for heights; links go to what there is of the layer. What values span: test_description.py"""
    height = server.json(tile(42, 3, -7, 11, "json"))
    other = server.json(tile(42, 3, -7, 11, "json", layer=layer))
    links = other.pop("links")
    assert [value["name"] for value in height["values"]] == ["height"]
    for one in (height, other):
        del one["values"]
    del height["links"]
    assert (height.pop("layer"), other.pop("layer")) == ("height", layer)
    assert other == height
    for fmt in ("png", "f32", "npy", "r16", "json"):
        assert (fmt in links) == ((layer, fmt) not in LACKING), fmt
    for target in links.values():
        server.get(target)


def test_the_world_names_all_layers(server):
    assert [layer["name"] for layer in server.json("/world/42")["layers"]] == list(TOLD_LAYERS)


@pytest.mark.parametrize("layer", RAW_LAYERS)
def test_raw_layers_are_finite(connection, layer):
    for place in PLACES:
        assert np.isfinite(get_floats(connection, *place, layer, 65)).all()
