"""terrane render --region: many tiles as one picture; and the gallery that is made of them."""

import io
import json
import pathlib
import re
import subprocess

import numpy as np
import pytest
from http_client import limit
from http_samples import from_f32, from_png, palette, png_header
from http_server import LAYER_ENCS, LAYERS, PROGRAM, ROOT, TILE_MAX, has, render, run, tile

PICTURES = [(layer, enc) for layer in LAYERS for enc in LAYER_ENCS.get(layer, (None,))]
NUMBERS = [layer for layer in LAYERS if has(layer, "f32")]


@pytest.fixture(scope="module")
def eroding(tmp_path_factory):
    file = tmp_path_factory.mktemp("recipe") / "eroding.json"
    file.write_text(json.dumps({
        "terms": {"hills": {"fractal": "fbm", "cell_m": 2048, "octaves": 8, "amplitude_m": 200}}, "height": "hills",
        "erosion": {"levels": 2, "phases": 2, "steps": 8}, "lakes": {"level": 1, "cell": 32, "radius": 16, "share": 1}}))
    return str(file)


@pytest.fixture(scope="module")
def single(stay, eroding):
    """single(tile's place, ext, options): one tile of that world, as a server sends it."""
    server = stay(config={"worlds": {"dir": str(pathlib.Path(eroding).parent)}})
    return lambda *place, **options: server.get(tile(*place, **{**options, "recipe": "eroding"})).body


def tiles(x, y, across, down, make):
    """make(x, y) of all tiles, put together."""
    return np.concatenate([np.concatenate([make(x + i, y + j) for i in range(across)], axis=1) for j in range(down)])


@pytest.mark.parametrize("layer,enc", PICTURES)
def test_pictures_are_their_tiles(eroding, single, layer, enc):
    options = {"layer": layer, "enc": enc, "recipe": eroding, "size": 64}
    whole = render(42, 1, -2, 3, "png", region="3x2", **options)
    expected = tiles(-2, 3, 3, 2, lambda x, y: from_png(single(42, 1, x, y, "png", **options)))
    assert (from_png(whole) == expected).all()
    first = single(42, 1, -2, 3, "png", **options)
    assert png_header(whole) == (3 * 64, 2 * 64, *png_header(first)[2:])
    if layer in ("partition", "path", "cave"):
        assert palette(whole) == palette(first)


@pytest.mark.parametrize("layer", NUMBERS)
def test_arrays_are_their_tiles(eroding, single, layer):
    options = {"layer": layer, "recipe": eroding, "size": 128}

    def one(x, y):
        return from_f32(single(42, 0, x, y, "f32", **options), layer, 128, 1)

    expected = tiles(5, -1, 2, 3, one)
    assert render(42, 0, 5, -1, "f32", region="2x3", **options) == expected.tobytes()
    array = np.load(io.BytesIO(render(42, 0, 5, -1, "npy", region="2x3", **options)), allow_pickle=False)
    assert array.dtype == np.dtype("<f4") and array.shape == expected.shape and (array == expected).all()
    if has(layer, "r16"):
        coded = tiles(5, -1, 2, 3, lambda x, y: np.frombuffer(single(42, 0, x, y, "r16", **options), "<u2").reshape(128, 128))
        assert render(42, 0, 5, -1, "r16", region="2x3", **options) == coded.tobytes()


def test_default_size_is_256():
    for ext in ("f32", "npy", "r16"):
        assert render(42, 12, 0, 0, ext, region="2x1") == render(42, 12, 0, 0, ext, region="2x1", size=256)
    assert png_header(render(42, 12, 0, 0, "png", region="2x1", layer="relief"))[:2] == (512, 256)


def test_the_largest_region(tmp_path):
    path = tmp_path / "whole.png"
    done = run("render", 42, 20, -8, -8, "--region", "16x16", "--layer", "water", "-o", path, seconds=120)
    assert done.returncode == 0 and done.stdout == done.stderr == b""
    assert png_header(path.read_bytes())[:2] == (4096, 4096)


def test_at_the_end_of_the_range():
    place = (TILE_MAX - 1, -TILE_MAX - 1)
    assert len(render(42, 3, *place, "f32", region="2x2", size=2)) == 4 * 4 * 4


@pytest.mark.parametrize("options,named", [
    (["--region", "0x1"], "region"), (["--region", "1x0"], "region"), (["--region", "17x1"], "region"),
    (["--region", "1x17"], "region"), (["--region", "4"], "region"), (["--region", "4x"], "region"),
    (["--region", "x4"], "region"), (["--region", "4X4"], "region"), (["--region", "4x4x4"], "region"),
    (["--region", " 4x4"], "region"), (["--region", "04x4"], "region"), (["--region", "-4x4"], "region"),
    (["--region", "4x4 "], "region"), (["--region", ""], "region"), (["--region", "9999999999999x1"], "region"),
    (["--region"], "--region"),
    (["--region", "2x2", "--size", "257"], "size"), (["--region", "2x2", "--size", "512"], "size"),
    (["--region", "2x2", "--size", "3"], "size"), (["--region", "2x2", "--size", "100"], "size"),
    (["--region", "2x2", "--format", "json"], "ext"), (["--region", "2x2", "--format", "bmp"], "ext"),
    (["--region", "2x2", "--format", "r16", "--layer", "normal"], "ext"),
    (["--region", "2x2", "--format", "geojson", "--layer", "path"], "ext"),
    (["--region", "2x2", "--format", "f32", "--layer", "relief"], "ext"),
    (["--region", "2x2", "--layer", "delta", "--enc", "gray16"], "enc"),
    (["--region", "2x2", "--layer", "lava"], "layer"), (["--region", "2x2", "--variant", "wet"], "variant"),
])
def test_bad_regions_exit_2(options, named):
    done = run("render", 42, 1, 0, 0, *options)
    message = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b""
    assert message.startswith("terrane render: ") and message.count("\n") == 1
    assert re.search(rf"{re.escape(named)}(=|:| |$)", message), message


@pytest.mark.parametrize("x,y,named", [(TILE_MAX, 0, "x"), (0, TILE_MAX, "y")])
def test_regions_beyond_the_last_tile_exit_2(x, y, named):
    done = run("render", 42, 1, x, y, "--region", "2x2")
    assert done.returncode == 2 and done.stdout == b"" and f" {named}={TILE_MAX}: " in done.stderr.decode()


def test_a_region_that_cannot_be_written(tmp_path):
    done = run("render", 42, 9, 0, 0, "--region", "2x2", "--size", 16, "-o", tmp_path / "no" / "tile.png")
    assert done.returncode == 1 and str(tmp_path / "no" / "tile.png") in done.stderr.decode()


# ---- The gallery ----------------------------------------------------------------------------------------------------


def test_gallery(tmp_path):
    """Small: one recipe, one tile a picture, two levels. Its page leads to every picture, and its commands make them."""
    done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "tests/gallery/gallery.py", PROGRAM, tmp_path, "--recipes", "desert",
                           "--tiles", "1", "--levels", "9,6"], capture_output=True, timeout=limit(60), check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "index.html").read_text()
    pictures = re.findall(r'<img src="([^"]+)"', page)
    commands = re.findall(r"<code>terrane (.*?) -o ", page)
    assert len(pictures) == len(commands) == len(set(pictures)) == 2
    assert set(re.findall(r'href="([^"#]+)"', page)) == {*pictures, "sheet.png"}
    assert {path.name for path in tmp_path.iterdir()} == {*pictures, "index.html", "sheet.png"}
    for picture, command in zip(pictures, commands):
        assert run(*command.split()).stdout == (tmp_path / picture).read_bytes()
    assert "//" not in re.sub(r"</?[^>]*>", "", page)  # nothing comes from elsewhere
