"""Erosion and water over HTTP: the same bits whichever tile is asked first, by however many workers, from whatever caches."""

import math
import random

import numpy as np
import pytest
from http_client import ask_all
from http_server import TILE_MAX, TILE_MIN, book, tile

# Levels 0 to 5 erode, and 4 has anchors: tiles of 0 to 3 rest on them, those of 4 and 5 on nothing.
GULLIES = {
    "description": "Hills with short gullies and many lakes.", "range_m": [-4096, 4096], "sea_m": -300,
    "height": {"sum": [{"fractal": "fbm", "cell_m": 4096, "octaves": 10, "amplitude_m": 900}]},
    "erosion": {"levels": 6, "phases": 2, "steps": 6, "slides": 1},
    "lakes": {"level": 3, "cell": 32, "share": 1, "radius": 24, "shallow_m": 0},
}
# The same hills with rivers: lattices at levels 4, 6 and 8.
BROOKS = {**GULLIES, "erosion": {**GULLIES["erosion"], "levels": 4}, "rivers": {"top": 8, "bottom": 4, "inland_km": 16}}
del BROOKS["lakes"]
LAYERS = ("height", "delta", "flow", "water", "surface")
SIDE = 4


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    return book(tmp_path_factory.mktemp("worlds"), {"gullies": GULLIES, "brooks": BROOKS}, default="gullies")


@pytest.fixture(scope="module")
def gullies(stay, worlds):
    """One server for tests that do not mind its caches."""
    return stay(config={"worlds": worlds})


@pytest.fixture
def start(launch, worlds):
    """A server with empty caches."""
    def begin(threads=2, memory=None, disk=True, cache=None):
        settings = {"disk_bytes": 256 << 20 if disk else 0, "write_behind_bytes": 128 << 20, **({"memory_bytes": memory} if memory else {})}
        return launch(cache=cache, config={"worlds": worlds, "cache": settings, "render": {"threads": threads}})
    return begin


def targets_of(lod, west, north, side=SIDE, layers=LAYERS, **query):
    return [tile(42, lod, west + i, north + j, "f32", layer=layer, size=129, **query)
            for layer in layers for j in range(side) for i in range(side)]


def bodies(server, targets, together=16):
    """{target: body}, some at a time."""
    found = {}
    for at in range(0, len(targets), together):
        part = targets[at:at + together]
        for target, answer in zip(part, ask_all(server.public, part)):
            assert answer is not None and answer.status == 200, (target, answer)
            found[target] = answer.body
    return found


def samples(body):
    side = round((len(body) // 4) ** 0.5)
    return np.frombuffer(body, "<u4").reshape(side, side)  # bits, not numbers: -0 is not 0


def get(server, lod, x, y, layer, **query):
    return samples(server.get(tile(42, lod, x, y, "f32", layer=layer, **query)).body)


BLOCKS = [(0, -2, -2), (4, -3, -2), (1, TILE_MAX - SIDE + 1, TILE_MIN)]


@pytest.fixture(scope="module")
def expected():
    """Blocks as the first server of a test made them; all others must make the same."""
    return {}


def check(expected, found):
    for target, body in found.items():
        assert expected.setdefault(target, body) == body, target


def regions_under(lod, west, north):
    """Of erosion 4 x 4 tiles up to level 2 and 2 x 2 above; of lakes 512 samples of level 3; anchors one tile of level 4.
    Above level 3 anchors are for lakes alone."""
    def squares(width):  # as log2, in tiles of the level
        return math.prod(len({at >> width if width >= 0 else at << -width for at in range(first, first + SIDE)})
                         for first in (west, north))
    anchors = squares(4 - lod)
    return {"erosion": squares(2 if lod <= 2 else 1), "anchor": anchors, "lakes": anchors}


@pytest.mark.parametrize("block", [*BLOCKS[:2], pytest.param(BLOCKS[2], marks=pytest.mark.long)], ids=str)
def test_no_order_and_no_number_of_workers_changes_a_bit(start, expected, block):
    targets = targets_of(*block, layers=LAYERS if block[0] == 0 else LAYERS[:4])
    for turn, threads in enumerate((1, 8, 2)):
        server = start(threads=threads, disk=turn % 2 == 0)
        order = targets[:]
        random.Random(turn).shuffle(order)
        check(expected, bodies(server, order, together=1 if turn == 2 else 64))
        metrics = server.metrics()
        assert metrics.total("terrane_renders_total") == len(targets)
        # once for each region, however many tiles ask for it at once, and for each anchor
        assert {product: metrics.total("terrane_regions_total", product=product)
                for product in ("erosion", "anchor", "lakes")} == regions_under(*block)
        assert metrics.total("terrane_parked") == metrics.total("terrane_queue_depth") == 0


def test_warm_caches_change_nothing(start, expected, tmp_path):
    targets = targets_of(*BLOCKS[0], layers=("height", "delta", "water"))
    first = start(cache=tmp_path / "cache")
    check(expected, bodies(first, targets))
    check(expected, bodies(first, targets[::-1]))
    stored = int(first.count("terrane_cache_entries", tier="memory"))
    first.wait_stored(stored)
    assert first.stop() == 0
    second = start(cache=tmp_path / "cache")  # the same tiles from disk, and others of the regions there
    check(expected, bodies(second, targets))
    more = targets_of(*BLOCKS[0], layers=("flow", "surface"))
    check(expected, bodies(second, more))
    metrics = second.metrics()
    assert metrics.total("terrane_regions_total") == 0
    assert metrics.total("terrane_region_hits_total", tier="disk") > 0
    assert metrics.total("terrane_renders_total") == len(more)


@pytest.mark.parametrize("memory", [1 << 20, 12 << 20])
def test_half_evicted_caches_change_nothing(start, expected, memory):
    """The smaller budget holds an anchor at most, the other one region of erosion: they are made again, and come out the same."""
    targets = targets_of(0, -2, -2, side=3, layers=("height", "water"))
    server = start(memory=memory, disk=memory == 12 << 20)
    for turn in range(2):
        order = targets[:]
        random.Random(turn).shuffle(order)
        check(expected, bodies(server, order, together=5))
    assert server.count("terrane_cache_bytes", tier="memory") <= memory


@pytest.mark.parametrize("threads,memory", [(1, None), (8, 3 << 20)], ids=str)
def test_rivers_are_the_same_from_any_cache(start, expected, threads, memory):
    targets = [target for lod in (0, 4, 6) for target in
               targets_of(lod, -2, -2, side=3, layers=("surface", "river"), recipe="brooks")]
    server = start(threads=threads, memory=memory)
    for turn in range(2):
        order = targets[:]
        random.Random(turn).shuffle(order)
        found = bodies(server, order, together=1 if threads == 1 else 40)
        check(expected, found)
        assert sum(samples(body).any() for target, body in found.items() if "layer=river" in target) > 20


PLACES = [(0, 0), (-1, -1), (1, -2), (12345, -54321)]


def floats(server, lod, x, y, layer, **query):
    return get(server, lod, x, y, layer, **query).view("<f4")


@pytest.mark.parametrize("lod", [0, 4, 5])
def test_layers_belong_together(gullies, lod):
    """eroded = base + delta; surface = ground + depth; what is under no water is ground."""
    moved = 0
    for x, y in PLACES:
        base = floats(gullies, lod, x, y, "height", variant="base")
        eroded = floats(gullies, lod, x, y, "height", variant="eroded")
        delta = floats(gullies, lod, x, y, "delta")
        assert np.array_equal(eroded, floats(gullies, lod, x, y, "height"))  # the recipe's default
        assert np.array_equal(base + delta, eroded)
        depth, surface = floats(gullies, lod, x, y, "water"), floats(gullies, lod, x, y, "surface")
        assert (depth >= 0).all() and np.array_equal(np.maximum(eroded, surface), surface)
        assert np.array_equal(surface[depth == 0], eroded[depth == 0])
        assert np.array_equal(depth > 0, surface > eroded)
        assert (floats(gullies, lod, x, y, "flow") >= 0).all()
        moved += np.count_nonzero(delta)
    assert moved > 1000


def test_nothing_erodes_above_the_coarsest_level(gullies):
    for lod in (6, 9, 24):
        assert not floats(gullies, lod, 3, -4, "delta").any()
        assert not floats(gullies, lod, 3, -4, "flow").any()
        assert np.array_equal(get(gullies, lod, 3, -4, "height", variant="base"), get(gullies, lod, 3, -4, "height"))


def block_of(server, lod, side, layer):
    return np.block([[floats(server, lod, i, j, layer, size=256) for i in range(side)] for j in range(side)])


def test_lakes_are_flat_across_tiles(gullies):
    """Wet neighbours of the lakes' own level stand at one height, whatever tiles they are of; levels that stand on the
    same places show the same heights there."""
    shown = {}
    for lod, side in ((2, 2), (3, 2), (4, 1)):
        surface, depth = block_of(gullies, lod, side, "surface"), block_of(gullies, lod, side, "water")
        wet = (depth > 0) & (surface > GULLIES["sea_m"])
        shown[lod] = surface, wet
    surface, wet = shown[3]
    for a, b in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1, :], np.s_[1:, :])):
        both = wet[a] & wet[b]
        assert both.any() and np.array_equal(surface[a][both], surface[b][both])
    for lod in (2, 4):
        own, common = 1 << max(0, 3 - lod), 1 << max(0, lod - 3)
        (there, wet_there), (here, wet_here) = ([part[::step, ::step][:256, :256] for part in shown[level]]
                                                for level, step in ((lod, own), (3, common)))
        both = wet_there & wet_here
        assert both.any() and np.array_equal(there[both], here[both])
