"""terrane render --window and --region: samples of a level, wherever they begin, cut from the tiles that hold them; and whole tiles."""

import io

import numpy as np
import pytest
from http_samples import from_f32, from_png, png_header
from http_server import PLAIN_FILE, TILE_MAX, TILE_MIN, render, run, tile

SIDE = 256
# A layer of each kind of numbers and of pictures: all of them are test_regions.py's.
PICTURES = [("height", "mapbox"), ("height", "gray16"), ("normal", None), ("partition", None), ("cover", None), ("hillshade", None)]
NUMBERS = ["height", "normal", "partition"]


def window(lod, x0, y0, width, height, ext, **options):
    given = {"recipe": PLAIN_FILE, "window": f"{x0},{y0},{width},{height}", "format": ext, **options}
    done = run("render", 42, lod, *(f"--{name}={value}" for name, value in given.items() if value is not None))
    assert done.returncode == 0, done.stderr
    return done.stdout


def served(server, lod, x0, y0, width, height, ext, **options):
    """The same of /region, whose windows are cut from tiles: test_regions.py."""
    query = "".join(f"&{name}={value}" for name, value in options.items() if value is not None)
    return server.get(f"/region/42.{ext}?lod={lod}&x0={x0}&y0={y0}&w={width}&h={height}{query}").body


@pytest.mark.parametrize("layer,enc", PICTURES)
def test_pictures_are_those_of_regions(server, layer, enc):
    place = (12, -130, 200, 301, 99)  # above what erodes: quick
    picture = window(*place, "png", layer=layer, enc=enc)
    assert (from_png(picture) == from_png(served(server, *place, "png", layer=layer, enc=enc))).all()
    assert png_header(picture)[:2] == (301, 99)


@pytest.mark.parametrize("layer", NUMBERS)
def test_arrays_are_those_of_regions(server, layer):
    for level, ext in ((12, "f32"), (12, "npy"), *([(12, "r16")] if layer == "height" else [])):
        place = (level, 255, -257, 2, 258, ext)
        assert window(*place, layer=layer) == served(server, *place, layer=layer), ext


@pytest.mark.parametrize("place", [(-1, -1, 1, 1), (-256, 256, 256, 256), (17, -600, 1, 700)])
def test_every_kind_of_edge(server, place):
    assert window(3, *place, "f32", variant="base") == served(server, 3, *place, "f32", variant="base")


def test_the_largest_window():
    data = window(20, -2000, -1, 4097, 4097, "png", layer="hillshade", variant="base")
    assert png_header(data)[:2] == (4097, 4097)


def test_at_the_ends_of_the_range(server):
    low, high = TILE_MIN * SIDE, (TILE_MAX + 1) * SIDE
    place = (3, low, high - 3, 5, 3)
    assert window(*place, "f32", variant="base") == served(server, *place, "f32", variant="base")
    for x, y, named in ((high - 4, 0, "x0"), (0, high - 2, "y0"), (high, 0, "x0"), (low - 1, 0, "x0"), (0, low - 1, "y0")):
        done = run("render", 42, 3, "--window", f"{x},{y},5,3")
        assert done.returncode == 2 and f" {named}=" in done.stderr.decode(), done.stderr


@pytest.mark.parametrize("layer,ext", [("height", "png"), ("partition", "png"), ("normal", "npy"), ("partition", "f32"),
    ("surface", "r16")])
def test_regions_are_their_tiles(server, layer, ext):
    """Of another size than 256, which is the default: that is a window."""
    def one(x, y):
        data = server.get(tile(42, 9, x, y, "f32" if ext == "npy" else ext, layer=layer, size=64)).body
        return from_png(data) if ext == "png" else np.frombuffer(data, "<u2").reshape(64, 64) if ext == "r16" else from_f32(data, layer, 64)

    expected = np.concatenate([np.concatenate([one(x, y) for x in (-2, -1, 0)], axis=1) for y in (3, 4)])
    whole = render(42, 9, -2, 3, ext, region="3x2", layer=layer, size=64)
    if ext == "png":
        assert (from_png(whole) == expected).all() and png_header(whole)[:2] == (3 * 64, 2 * 64)
    elif ext == "npy":
        assert (np.load(io.BytesIO(whole)) == expected).all()
    else:
        assert whole == expected.tobytes()
    assert render(42, 12, -2, 3, ext, region="2x1", layer=layer) == window(12, -512, 768, 512, 256, ext, layer=layer)
