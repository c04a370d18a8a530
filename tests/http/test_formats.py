"""Every layer in every format: what comes back, and that all formats say the same as the f32."""

import io
import re

import numpy as np
import pytest
from http_samples import (channels, eighths, flow_steps, from_f32, from_png, get_samples, mapbox, packed, palette, png_chunks,
                          png_header, range16, terrarium, turns, unit8)
from http_server import FORMATS, LAYER_ENCS, LAYER_ROWS, R16_LAYERS, RAW_LAYERS, REPRESENTATIONS, tile, vary

PLACES = [(0, 0, 0), (3, -7, 11), (12, -7, 4)]
SIZES = [2, 3, 64, 65, 256, 257]
ERODED = {"recipe": "whole"}  # where something was carried away, and flows


@pytest.fixture(scope="module")
def world(server):
    return server.json("/world/42")


@pytest.mark.parametrize("layer,fmt,enc", REPRESENTATIONS)
def test_status_type_and_length(connection, layer, fmt, enc):
    for place in PLACES:
        answer = connection.get(tile(42, *place, fmt, layer=layer, enc=enc))
        assert answer["Content-Type"] == FORMATS[fmt]
        assert int(answer["Content-Length"]) == len(answer.body) > 0
        assert "Transfer-Encoding" not in answer and answer.all("Vary") == vary(layer, fmt)


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("size", SIZES)
def test_f32_has_a_value_a_sample_and_channel(connection, layer, size):
    samples = get_samples(connection, 42, 3, -7, 11, layer, size)
    assert samples.shape[:2] == (size, size) and samples.size == size * size * channels(layer)
    assert np.isfinite(samples).all()


@pytest.mark.parametrize("layer,fmt,enc", [r for r in REPRESENTATIONS if r[1] == "png"])
def test_png_container(connection, layer, fmt, enc):
    body = connection.ask(tile(42, 3, -7, 11, fmt, layer=layer, enc=enc)).body
    kinds = [kind for kind, _ in png_chunks(body)]
    indexed = layer in ("partition", "path", "cave", "objects")
    expected = [b"IHDR", b"PLTE", b"IDAT", b"IEND"] if indexed else [b"IHDR", b"IDAT", b"IEND"]
    assert [kind for i, kind in enumerate(kinds) if kind not in kinds[:i]] == expected
    grey = re.search("PICTURE_(DEGREES|GREY|FLOW)", LAYER_ROWS[layer])
    deep = layer == "water" or enc == "gray16"
    depth, colour = (8, 3) if indexed else (16, 0) if deep else (8, 0 if grey else 6 if layer == "cover" else 2)
    assert png_header(body) == (256, 256, depth, colour, 0, 0, 0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("layer", ["height", "surface", "delta"])
def test_height_png_equals_f32(connection, world, layer, place, size):
    query = ERODED if layer == "delta" else {}
    heights = get_samples(connection, 42, *place, layer, size, **query)
    bodies = {enc: connection.ask(tile(42, *place, "png", enc=enc, size=size, layer=layer, **query)).body
              for enc in LAYER_ENCS[layer]}
    coded = packed(from_png(bodies["terrarium"]))
    assert (coded == terrarium(heights)).all()
    assert np.abs(coded / 256 - 32768 - heights).max() <= 0.5 / 256 + 1e-9
    coded = packed(from_png(bodies["mapbox"]))
    assert (coded == mapbox(heights)).all()
    assert np.abs(coded * 0.1 - 10000 - heights).max() <= 0.05 + 1e-9
    if "gray16" not in bodies:
        return
    low, high = world["range_16bit_m"]["low"], world["range_16bit_m"]["high"]
    coded = from_png(bodies["gray16"])
    assert (coded == range16(heights, low, high)).all()
    clamped = np.clip(heights, low, high)
    assert np.abs(coded / 65535 * (high - low) + low - clamped).max() <= (high - low) / 65535 / 2 + 1e-6


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("layer,coded", [("water", eighths), ("flow", flow_steps), ("normal", unit8), ("aspect", turns)])
def test_png_equals_f32(connection, layer, coded, place):
    pixels = from_png(connection.ask(tile(42, *place, "png", layer=layer, **ERODED)).body)
    assert (pixels == coded(get_samples(connection, 42, *place, layer, 256, **ERODED))).all()
    assert np.ptp(pixels) > 10 or place == PLACES[2] or (layer, place) == ("water", PLACES[0])


@pytest.mark.parametrize("layer", R16_LAYERS)
@pytest.mark.parametrize("size", SIZES)
def test_r16_is_the_range_of_the_world(connection, world, layer, size):
    body = connection.ask(tile(42, 3, -7, 11, "r16", layer=layer, size=size)).body
    coded = np.frombuffer(body, "<u2").reshape(size, size)
    heights = get_samples(connection, 42, 3, -7, 11, layer, size)
    assert (coded == range16(heights, world["range_16bit_m"]["low"], world["range_16bit_m"]["high"])).all()


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("size", SIZES)
def test_npy_is_the_f32_with_a_header(connection, layer, size):
    body = connection.ask(tile(42, 3, -7, 11, "npy", layer=layer, size=size)).body
    array = np.load(io.BytesIO(body), allow_pickle=False)
    raw = connection.ask(tile(42, 3, -7, 11, "f32", layer=layer, size=size)).body
    assert body[:8] == b"\x93NUMPY\x01\x00" and (len(body) - len(raw)) % 64 == 0
    assert array.dtype == np.dtype("<f4") and array.flags.c_contiguous
    assert array.shape == from_f32(raw, layer, size).shape
    assert array.tobytes() == raw


@pytest.mark.parametrize("place", PLACES)
def test_partition_mask_is_the_heaviest_zone(connection, world, place):
    weights = get_samples(connection, 42, *place, "partition", 256).astype(np.float64)
    assert weights.min() >= 0 and weights.max() <= 1 and np.abs(weights.sum(axis=2) - 1).max() < 1e-5
    body = connection.ask(tile(42, *place, "png", layer="partition")).body
    mask = from_png(body)
    ordered = np.sort(weights, axis=2)
    clear = ordered[..., -1] - ordered[..., -2] > 1e-4
    assert clear.mean() > 0.5 and (mask[clear] == weights.argmax(axis=2)[clear]).all()
    colours = ["#%02x%02x%02x" % colour for colour in palette(body)]
    assert colours == [zone["colour"] for zone in world["zones"]]
    assert mask.max() < len(world["zones"])
