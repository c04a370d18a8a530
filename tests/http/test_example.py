"""example/: the library's one call makes what /tile sends, to the bit: every shipped recipe, layer of samples and variant."""

import subprocess
from urllib.parse import quote

import numpy as np
import pytest
from http_client import PATIENCE_S
from http_samples import from_png
from http_server import LAYERS, PLAIN_FILE, PROGRAM, RAW_LAYERS, ROOT, WHOLE_FILE, tile

EXAMPLE = PROGRAM.parent / "terrane-example"
WORLDS = ROOT / "config" / "worlds"
VARIED = ("height", "normal", "slope", "water", "surface")
# With caves, paths and lakes; and one without, above what erodes for long.
TILES = {"whole": (2, -3, 2), "wayfarer": (3, 1, 2), "desert": (6, -2, 1)}
PICTURES = {"whole": (2, 1, 1), "wayfarer": (2, 1, 2), "desert": (1, 40, -11)}  # with objects

RECIPES = ["whole", *(pytest.param(name, marks=pytest.mark.long) for name in ("wayfarer", "desert"))]


def file_of(recipe):
    return WHOLE_FILE if recipe == "whole" else WORLDS / f"{recipe}.json"


def made(*words):
    return subprocess.run([EXAMPLE, *map(str, words)], capture_output=True, timeout=PATIENCE_S)


@pytest.mark.parametrize("recipe", RECIPES)
def test_one_call_makes_what_is_sent(server, recipe):
    differ, place = [], (42, *TILES[recipe])
    for layer in RAW_LAYERS:
        for variant in ("base", "eroded", "carved") if layer in VARIED[:1 if recipe == "whole" else None] else ("carved",):
            sent = server.get(tile(*place, "f32", layer=layer, variant=variant, recipe=recipe))
            run = made(file_of(recipe), *place, layer, variant)
            if run.returncode != 0 or not np.array_equal(np.frombuffer(run.stdout, "=u4"), np.frombuffer(sent.body, "<u4")):
                differ.append((layer, variant, run.stderr))
    assert not differ


@pytest.mark.parametrize("recipe", RECIPES)
def test_one_call_makes_pictures(server, recipe):
    place = (42, *PICTURES[recipe])
    for layer in (name for name in LAYERS if name not in RAW_LAYERS):
        sent = from_png(server.get(tile(*place, "png", layer=layer, size=257, recipe=recipe)).body)
        run = made(file_of(recipe), *place, layer, "carved")
        values = np.frombuffer(run.stdout, "=f4").reshape(sent.shape)
        assert np.array_equal(values, sent), layer
        assert len(np.unique(values)) > 1, layer


def test_what_it_cannot_make_it_says(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"terms": {"hills": {"octaves": 1e9}}}')
    run = made(wrong, 42, 3, 1, 2, "height", "base")
    assert run.returncode == 1 and b"/" in run.stderr and b"wrong.json" in run.stderr
    run = made(WORLDS / "continents.json", 42, 25, 0, 0, "height", "base")
    assert run.returncode == 1 and b"level of detail outside 0 .. 24" in run.stderr
    run = made(WORLDS / "continents.json", 42, 3, 0, 0, "heights", "base")
    assert run.returncode == 2 and b"usage" in run.stderr


@pytest.mark.parametrize("seed", ["0", "18446744073709551615", "0x2A", "0X2a", "0xffffffffffffffff", "atlantis", "x2a", "A" * 64, "a_-9"])
def test_seeds_are_those_of_the_server(server, seed):
    run = made(PLAIN_FILE, seed, 3, 1, 2, "height", "base")
    assert run.returncode == 0 and run.stdout == server.get(tile(seed, 3, 1, 2, "f32", variant="base", recipe="plain")).body, run.stderr


@pytest.mark.parametrize("seed", ["", "007", "-1", "+1", "4 2", "42x", "0x", "0xg", "0x12345678901234567", "18446744073709551616", "-a", "a.b", "A" * 65, "\u00e4"])
def test_words_that_are_no_seeds(server, seed):
    run = made(PLAIN_FILE, seed, 3, 1, 2, "height", "base")
    assert run.returncode == 2 and not run.stdout and f'SEED: "{seed}" must be 0 .. 18446744073709551615'.encode() in run.stderr
    assert server.ask(tile(quote(seed), 3, 1, 2)).status in (400, 404)


@pytest.mark.parametrize("place, named", [(("3x", 1, 2), b'LEVEL: "3x"'), ((3, "0x1", 2), b'X: "0x1"'), ((3, 1, "-"), b'Y: "-"'),
                                          ((3, 1, 10 ** 18), b'Y: "1000000000000000000"')])
def test_words_that_are_no_numbers(place, named):
    run = made(PLAIN_FILE, 42, *place, "height", "base")
    assert run.returncode == 2 and named in run.stderr
