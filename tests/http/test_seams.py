"""Tiles of one world fit: neighbours bit for bit, sizes as subsets, levels within their error."""

import numpy as np
import pytest
from http_samples import from_png
from http_server import LAYERS, RAW_LAYERS, TILE_MAX, TILE_MIN, tile

WORLD = "whole"

HALF = 1 << 39
# Around 0, anywhere, at the ends of the range, and where sample coordinates pass 2^24, 2^31, 2^32 and 2^48; at what levels.
# 0 to 3 erode; around -3, 2 of level 2 there is all that a recipe may have.
PLACES = {(-3, 2): (2,), (0, 0): (0, 10, 24), (-1, -1): (3, 17), (0, -1): (10,), (12345, -54321): (17,), (TILE_MAX, TILE_MIN): (0, 24),
          (TILE_MIN, TILE_MAX): (10,), (TILE_MIN, TILE_MIN): (24,),
          (1 << 16, -(1 << 16)): (24,), ((1 << 23) - 1, 1 << 23): (17,), ((1 << 24) - 1, -(1 << 24)): (10,), (1 << 40 >> 8, -3): (3,)}
LEVELS = [(place, lod) for place, levels in PLACES.items() for lod in levels]
SHORT = [((-3, 2), 2), ((0, -1), 10), ((TILE_MAX, TILE_MIN), 24)]
AROUND = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def samples(connection, seed, lod, x, y, layer, size=257):
    return np.frombuffer(connection.get(tile(seed, lod, x, y, "f32", layer=layer, size=size)).body, "<f4").reshape(size, size, -1)


def edge(d):
    """What a 257-tile shares with its neighbour in direction d of one axis: its own part, the neighbour's."""
    return {-1: (slice(0, 1), slice(256, 257)), 0: (slice(None), slice(None)), 1: (slice(256, 257), slice(0, 1))}[d]


def same(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def check_neighbours(get, x, y):
    """get(x, y) makes a 257-tile's samples."""
    middle, seen = get(x, y), 0
    for dx, dy in AROUND:
        if all(TILE_MIN <= c <= TILE_MAX for c in (x + dx, y + dy)):
            (mine_x, other_x), (mine_y, other_y) = edge(dx), edge(dy)
            assert same(middle[mine_y, mine_x], get(x + dx, y + dy)[other_y, other_x]), (dx, dy)
            seen += 1
    assert seen >= 3


def sample(all_of_them, short):
    """A part of them in the check, and the others marked long."""
    return [row if row in short else pytest.param(*row, marks=pytest.mark.long) for row in all_of_them]


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("place,lod", sample(LEVELS, SHORT), ids=str)
def test_neighbours_share_their_edges(connection, layer, place, lod):
    check_neighbours(lambda x, y: samples(connection, 42, lod, x, y, layer), *place)
    whole = samples(connection, 42, lod, *place, layer)
    assert np.ptp([*whole[0], *whole[-1], *whole[:, 0], *whole[:, -1]], axis=0).all() or (place, lod) != SHORT[0]


@pytest.mark.parametrize("lod,place", sample([(2, (-3, 2)), (12, (TILE_MAX, TILE_MIN))], [(2, (-3, 2))]))
@pytest.mark.parametrize("layer", LAYERS)
def test_neighbours_share_their_edges_in_png(connection, layer, lod, place):
    check_neighbours(lambda x, y: from_png(connection.ask(tile(42, lod, x, y, "png", layer=layer, size=257)).body), *place)


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("place,lod", sample([(place, levels[0]) for place, levels in PLACES.items()], SHORT[:1]), ids=str)
def test_smaller_sizes_are_subsets(connection, layer, place, lod):
    whole = samples(connection, 42, lod, *place, layer, 257)
    for cells in (2, 4, 8, 16, 32, 64, 128, 256):
        step = 256 // cells
        assert same(samples(connection, 42, lod, *place, layer, cells + 1), whole[::step, ::step])
        assert same(samples(connection, 42, lod, *place, layer, cells), whole[:-1:step, :-1:step])


@pytest.mark.parametrize("layer", RAW_LAYERS)
@pytest.mark.parametrize("place,lod", sample([((0, 0), 1), ((-2, 1), 3), ((-1, -1), 11), ((617, -2345), 24), ((HALF - 1, -HALF), 1), ((-HALF, HALF - 1), 24)],
                                             [((-2, 1), 3), ((-HALF, HALF - 1), 24)]), ids=str)
def test_512_is_the_four_tiles_below(connection, layer, place, lod):
    """Of 1 and 3, where both erode; of 11, which does not itself."""
    x, y = place
    whole = samples(connection, 42, lod, x, y, layer, 512)
    for i in (0, 1):
        for j in (0, 1):
            part = samples(connection, 42, lod - 1, 2 * x + i, 2 * y + j, layer, 256)
            assert same(whole[256 * j:256 * j + 256, 256 * i:256 * i + 256], part)


@pytest.mark.parametrize("place", [(TILE_MAX, TILE_MIN), pytest.param((TILE_MIN, TILE_MAX), marks=pytest.mark.long)], ids=str)
def test_512_at_the_ends_of_the_range(server, connection, place):
    """Its quarters are no tiles of the level below; they agree with lod 1 within its error."""
    whole = samples(connection, 42, 1, *place, "height", 512)
    own = samples(connection, 42, 1, *place, "height", 256)
    error = server.json("/world/42")["levels"][1]["geometric_error_m"]
    assert np.abs(whole[::2, ::2] - own).max() <= error
