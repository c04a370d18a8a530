"""Levels of detail of the ground that is served: neighbouring ones, and level 0, within the geometric error that is published."""

import os
import random

import numpy as np
import pytest
from http_server import tile

RECIPES = ["continents", *(pytest.param(name, marks=pytest.mark.long) for name in ("alpine", "archipelago", "badlands", "desert", "wayfarer"))]
SAMPLES = 10_000
COARSEST = 9
REACH = 1 << 22  # samples of level 0 around the origin
PLACES = 60 if os.environ.get("TERRANE_TEST_LONG") else 1


def heights(connection, recipe, lod, x, y, size, **query):
    body = connection.get(tile(42, lod, x, y, "f32", recipe=recipe, size=size, **query)).body
    return np.frombuffer(body, "<f4").reshape(size, size).astype(np.float64)


def on_land(connection, recipe, sea_m, dice):
    """A tile of level 9 that is not all sea by what noise says; wherever there is little land, the last one looked at."""
    for _ in range(40):
        x, y = (dice.randrange(-REACH >> COARSEST + 8, REACH >> COARSEST + 8) for _ in range(2))
        if (heights(connection, recipe, COARSEST, x, y, 17, variant="base") > sea_m).mean() > 0.25:
            break
    return x, y


def apart(connection, recipe, lod, x, y, finer):
    """What the north-west corner of a tile and the finer one's tile there differ by, where both have samples: heights and differences."""
    levels = lod - finer
    side = 256 >> levels
    fine = heights(connection, recipe, finer, x << levels, y << levels, side + 1)
    coarse = heights(connection, recipe, lod, x, y, 257)[:side + 1, :side + 1]
    return coarse.ravel(), np.abs(coarse - fine).ravel()


@pytest.mark.parametrize("recipe", RECIPES)
def test_neighbouring_levels_stay_within_their_error(server, connection, recipe):
    world = server.json(f"/world/42?recipe={recipe}")
    error = [level["geometric_error_m"] for level in world["levels"]]
    assert error == sorted(error)
    dice, pairs = random.Random(34), [(lod, lod - 1) for lod in range(1, COARSEST + 1)]
    quota, seen = SAMPLES // (PLACES * len(pairs)) + 1, 0
    for _ in range(PLACES):
        x, y = on_land(connection, recipe, world["sea_m"], dice)
        for lod, finer in [*pairs, (5, 0), (3, 0)]:
            # any tile in that of level 9
            at = [(v << COARSEST - lod) + dice.randrange(1 << COARSEST - lod) for v in (x, y)]
            height, off = apart(connection, recipe, lod, *at, finer)
            dry = np.flatnonzero(height > world["sea_m"])
            chosen = off[dry[[dice.randrange(len(dry)) for _ in range(quota)]]] if len(dry) else off[:0]
            assert max(chosen, default=0) <= error[lod], (lod, finer, at)
            seen += len(chosen)
    assert seen > SAMPLES / 2
