"""terrane render --window: samples of a level, wherever they begin, cut from the tiles that hold them."""

import re

import pytest
from http_samples import from_png, png_header
from http_server import LAYER_ENCS, LAYERS, PLAIN_FILE, TILE_MAX, TILE_MIN, has, run

SIDE = 256
PICTURES = [(layer, enc) for layer in LAYERS for enc in LAYER_ENCS.get(layer, (None,))]
NUMBERS = [layer for layer in LAYERS if has(layer, "f32")]


def words(**options):
    return [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]


def window(lod, x0, y0, width, height, ext, **options):
    done = run("render", 42, lod, "--recipe", PLAIN_FILE, "--window", f"{x0},{y0},{width},{height}", "--format", ext, *words(**options))
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
    for level, ext in ((5 if layer in ("height", "flow") else 12, "f32"), (12, "npy"), *([(12, "r16")] if has(layer, "r16") else [])):
        place = (level, 255, -257, 2, 258, ext)
        assert window(*place, layer=layer) == served(server, *place, layer=layer), ext


@pytest.mark.parametrize("place", [(0, 0, 1, 1), (-1, -1, 1, 1), (-256, 256, 256, 256), (-1, 255, 2, 2), (17, -600, 1, 700)])
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


@pytest.mark.parametrize("arguments,named", [
    ([42, 3, 0, 0, "--window", "0,0,1,1"], "SEED LOD X Y"), ([42, "--window", "0,0,1,1"], "SEED LOD X Y"),
    ([42, 3, "--window", "0,0,1,1", "--region", "1x1"], "--region"), ([42, 3, "--window", "0,0,1,1", "--size", "64"], "--size"),
    ([42, 3, "--window", "0,0,1"], "window"), ([42, 3, "--window", "0,0,1,1,1"], "window"), ([42, 3, "--window", ""], "window"),
    ([42, 3, "--window", "0,,1,1"], "window"), ([42, 3, "--window", "0,0,1,"], "window"), ([42, 3, "--window", "1" * 30 + ",0,1,1"], "window"),
    ([42, 3, "--window", "0,0,0,1"], "w"), ([42, 3, "--window", "0,0,1,0"], "h"), ([42, 3, "--window", "0,0,4098,1"], "w"),
    ([42, 3, "--window", "0,0,1,4098"], "h"), ([42, 3, "--window", "0.5,0,1,1"], "x0"), ([42, 3, "--window", "0,+1,1,1"], "y0"),
    ([42, 3, "--window", "0,0,-1,1"], "w"), ([42, 25, "--window", "0,0,1,1"], "lod"), ([42, 3, "--window", "0,0,1,1&w=2"], "h"),
    ([42, 3, "--window", "0,0,1,1", "--format", "json"], "ext"), ([42, 3, "--window", "0,0,1,1", "--format", "glb"], "ext"),
    ([42, 3, "--window", "0,0,1,1", "--format", "r16", "--layer", "normal"], "ext"),
    ([42, 3, "--window", "0,0,1,1", "--layer", "delta", "--enc", "gray16"], "enc"),
    (["a b", 3, "--window", "0,0,1,1"], "seed"), ([42, 3, "--window"], "--window"),
])
def test_bad_windows_exit_2(arguments, named):
    done = run("render", *arguments)
    message = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b""
    assert message.startswith("terrane render: ") and message.count("\n") == 1
    assert re.search(rf"{re.escape(named)}(=|:| |$)", message), message
