"""The reference's erosion on its own: what the page promises of it. Needs no library."""
from dataclasses import replace
import math
import random

import numpy as np
import pytest

from arithmetic import F32, ONE, checked
from draw_erosion import draw_recipe
from erosion import Droplets, Erosion, Ground, Steering, births, cubic, doubled, mean, parents, talus_slope
from recipe import ErodedLevel
from terms import Terms
from world_reference import World

LEVELS = (ErodedLevel(2, 5, 1), ErodedLevel(1, 7, 2), ErodedLevel(2, 4, 0))


def eroding_world(seed, **members):
    """A drawn one, on dry ground, that erodes at three levels."""
    recipe = draw_recipe(random.Random(seed), 0)
    zone = tuple(replace(z, density=F32(0.3), lifetime=F32(20)) for z in recipe.erosion.zone)
    erosion = replace(recipe.erosion, level=LEVELS, limit=F32(0.5), zone=zone)
    return World(replace(recipe, spacing_m=1.0, sea_m=F32(-30000), erosion=replace(erosion, **members)), seed)


def erosion_of(world):
    def heights(level, x, y, width, height):
        gj, gi = np.meshgrid(np.arange(y, y + height), np.arange(x, x + width), indexing="ij")
        return checked(Terms(world, level, gi.ravel(), gj.ravel()).last().v).reshape(height, width)

    return Erosion(world, -10000.0, 10000.0, heights)


def bowl(size, depth):
    """Ground that falls to the middle, in units."""
    at = np.arange(size) - size // 2
    return -depth * np.maximum(0, size // 2 - np.hypot(*np.meshgrid(at, at))).astype(np.int64)


# ---- Parts -------------------------------------------------------------------------------------------------


def test_talus_is_a_tangent():
    for degrees in np.linspace(1, 89, 353, dtype=F32):
        assert math.isclose(talus_slope(degrees), math.tan(math.radians(float(degrees))), rel_tol=2e-6)


@pytest.mark.parametrize("first", [-5, -4, 0, 3, 2**40 + 1])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_children_of_a_slope_are_a_slope(first, count):
    low, many = parents(first, count)
    ramp = np.broadcast_to(2 * np.arange(low, low + many), (many, many))
    window = (first, first, count, count)
    for middle in (cubic, mean):
        assert (doubled(ramp, window, middle) == np.arange(first, first + count)).all()
        assert (doubled(ramp.T, window, middle).T == np.arange(first, first + count)).all()


# ---- Droplets and slides -----------------------------------------------------------------------------------


def droplets_on(world, ground, sea=-(2**29)):
    window = (-7, 30, *ground.shape)
    steering = Steering(world, 0, window)
    born = births(99, window, lambda gi, gj: np.full(len(gi), 0.4, F32))
    return Droplets(Ground(ground, F32(2.0**-12), sea), born, steering)


def test_births_are_as_dense_as_told():
    x, y, u, v = births(5, (-13, 2**40 + 3, 401, 201), lambda gi, gj: np.full(len(gi), 0.07, F32))
    assert abs(len(x) / (400 * 200) - 0.07) < 0.005
    assert x.min() == 0 and x.max() == 399 and y.min() == 0 and y.max() == 199
    assert 0 <= u.min() and u.max() < 1 and abs(v.mean() - 0.5) < 0.02


def test_droplets_leave_what_they_took():
    droplets = droplets_on(eroding_world(1), bowl(60, 3000))
    count = len(droplets.x)
    droplets.run(20, F32(0.5))
    assert count > 1000 and np.abs(droplets.left).sum() > 2**16 * count // 10
    assert droplets.left.sum() == -droplets.load.sum()
    assert droplets.left[28:32, 28:32].sum() > 0  # They come to rest in the middle.


def test_droplets_end_where_it_is_level():
    droplets = droplets_on(eroding_world(1), np.zeros((40, 40), np.int64))
    count = len(droplets.x)
    droplets.run(20, F32(0.5))
    assert len(droplets.x) == 0 and not droplets.left.any() and droplets.steps.sum() == count


def test_droplets_stop_at_the_sea():
    droplets = droplets_on(eroding_world(1), bowl(60, 3000), -3000 * 25)
    droplets.run(60, F32(0.5))
    below = bowl(60, 3000)[:-1, :-1] < -3000 * 28
    assert droplets.steps[~below].sum() > 1000 and not droplets.steps[below].any()


def test_slides_lose_nothing_and_stop_at_the_talus():
    world = eroding_world(2, limit=ONE)
    world = World(replace(world.recipe, erosion=replace(world.recipe.erosion, limit=ONE)), 2)
    erosion = erosion_of(world)
    ground = np.zeros((80, 80), np.int64)
    ground[38:42, 38:42] = int(30 * erosion.units.sample(0))
    steering = Steering(world, 0, (0, 0, 80, 80))
    steering.number = {"talus_deg": np.full((80, 80), 0.6, F32)}
    before = ground.sum()
    for _ in range(400):
        ground = np.pad(erosion.slide(0, ground, steering), 1)
    assert ground.sum() == before
    assert np.abs(np.diff(ground)).max() < 0.7 * erosion.units.sample(0)


# ---- The pyramid -------------------------------------------------------------------------------------------


def test_slides_fill_pits_to_the_lowest_neighbour_and_no_further_than_the_limit():
    erosion = erosion_of(eroding_world(2))
    limit = erosion.units.limit(0)
    for deep, filled in ((limit // 2, limit // 2), (3 * limit, limit)):
        ground = np.full((5, 5), 100)
        ground[1, 2], ground[2, 2] = 100 - limit // 4, 100 - limit // 4 - deep
        steering = Steering(erosion.world, 0, (0, 0, 5, 5))
        steering.number = {"talus_deg": np.full((5, 5), 50, F32)}
        after = erosion.slide(0, ground, steering)
        assert after[1, 1] == ground[2, 2] + filled
        ground[2, 2] = ground[1, 2]  # Of two as low as each other, none is a pit.
        assert (erosion.slide(0, ground, steering) == ground[1:4, 1:4]).all()


def test_above_the_coarsest_level_nothing_moves():
    erosion = erosion_of(eroding_world(1))
    moved, flow = erosion.eroded(3, 5, 6, 4, 3)
    assert moved.shape == (3, 4) and not moved.any() and not flow.any()
    assert erosion.asked(3, 5, 6, 4, 3) == [] and erosion.halo(3) == 0


def test_without_droplets_and_slides_a_level_takes_over_what_its_parent_moved():
    world = eroding_world(4, level=(ErodedLevel(0, 1, 0), ErodedLevel(2, 6, 1)))
    erosion = erosion_of(world)
    fine, coarse = erosion.eroded(0, -8, 20, 17, 9), erosion.eroded(1, -4, 10, 9, 5)
    assert coarse[0].any()
    for here, there in zip(fine, coarse):
        assert (here[::2, ::2] == there).all()
