"""The reference on its own: published vectors, and what the page says of its noises. Needs no library."""
from dataclasses import replace
import math
import random

import numpy as np
import pytest

from arithmetic import F32, ONE
from bases import BASES, CELLULAR, HERMITE, PERLIN3, PERLIN5, POLYNOMIAL, SIMPLEX, TRIANGULAR, evaluate
from fractals import BILLOW, DOUBLE_RIDGED, FBM, HYBRID, MULTIFRACTAL, RIDGED
from hashing import KEY, mix, seed_from_name, siphash64, siphash128
from noise_at import noise_at
from recipe import FRACTAL, VORONOI, Fractal, Partition, Recipe, Term, Zone, canonical
from voronoi import Voronoi
from world_reference import Samples, World
import shading

# What a base reaches, beside rounding (the page's table of ranges), with a HERMITE weight of 1.
RANGE = {POLYNOMIAL: 1 + 5 / 512, HERMITE: 1.009766 + 0.376}


def fractal_of(base, kind=FBM, cell=64.0, octaves=1, **members):
    shape = {"weight": ONE, "jitter": F32(0.9), "offset": F32(0.7), "sharpness": F32(1.3)}
    shape.update(warp=F32(0.3), damp=F32(0.8), amplitude_m=ONE, gain=F32(0.5), lacunarity=2.0, salt=7)
    shape.update(members)
    return Fractal(kind=kind, base=(base,) * 24, octaves=octaves, cell=cell, warp_term=(-1, -1), **shape)


def world_of(*fractals):
    term = tuple(Term(op=FRACTAL, fractal=fractal) for fractal in fractals)
    return World(Recipe(term=term, partition=Partition(zone=(Zone(),))), 42)


def scattered(count, reach, seed=1):
    rng = random.Random(seed)
    return [[rng.randint(-reach, reach) for _ in range(count)] for _ in (0, 1)]


# ---- Hashes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "length, expected",
    [(0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45")],
)
def test_siphash128(length, expected):
    assert siphash128(KEY, bytes(range(length))).hex() == expected


@pytest.mark.parametrize("length, expected", [(0, 0x726FDB47DD0E0E31), (15, 0xA129CA6149BE45E5)])
def test_siphash64(length, expected):
    assert siphash64(KEY, bytes(range(length))) == expected
    assert seed_from_name(bytes(range(length))) == expected


def test_mix_is_splitmix64():
    first = 0xE220A8397B1DCDAF  # its first output for seed 0
    assert mix(0x9E3779B97F4A7C15) == first
    assert mix(np.array([0x9E3779B97F4A7C15], np.uint64))[0] == first


# ---- Bases -------------------------------------------------------------------------------------------------


def one_octave(base, cx, cy, x, y, weight=ONE, jitter=F32(1)):
    cells = [np.broadcast_to(np.array(c, np.int64), np.shape(x)) for c in (cx, cy)]
    return evaluate(base, 12345, (*np.ascontiguousarray(cells), x, y), ONE, weight, jitter, False)


@pytest.mark.parametrize("base", range(BASES))
def test_range(base):
    """Of many cells, at random places and near their edges."""
    rng = np.random.default_rng(base)
    x, y = (rng.random(20000).astype(F32) for _ in (0, 1))
    x[::7], y[::11], x[5::13] = F32(0), F32(0.125), F32(1 - 2.0**-24)
    cells = [rng.integers(-(2**40), 2**40, 20000) for _ in (0, 1)]
    v, v_x, v_y = one_octave(base, *cells, x, y)
    assert v.dtype == v_x.dtype == v_y.dtype == F32
    assert abs(v).max() <= RANGE.get(base, 1.0) * 1.00001
    assert v.min() < -0.5 and v.max() > 0.35
    if base not in CELLULAR:
        assert abs(v.mean(dtype=np.float64)) < 0.02


@pytest.mark.parametrize("base", range(BASES))
def test_slopes_are_derivatives(base):
    """Central differences of binary32 values, and the few places where a base creases between."""
    rng = np.random.default_rng(base)
    x, y = (rng.uniform(0.01, 0.99, 4000).astype(F32) for _ in (0, 1))
    cells = [np.arange(4000) * 3, np.arange(4000) * 5 - 9999]
    d = F32(2.0**-9)
    _, v_x, v_y = one_octave(base, *cells, x, y)
    along_x = (one_octave(base, *cells, x + d, y)[0] - one_octave(base, *cells, x - d, y)[0]) / (d + d)
    along_y = (one_octave(base, *cells, x, y + d)[0] - one_octave(base, *cells, x, y - d)[0]) / (d + d)
    if base in TRIANGULAR:  # Its slopes are by x and y before they are skewed.
        skew = F32((3 - 3**0.5) / 6)
        v_x, v_y = v_x - (v_x + v_y) * skew, v_y - (v_x + v_y) * skew
    for numeric, slope in ((along_x, v_x), (along_y, v_y)):
        off = abs(numeric - slope)
        assert np.quantile(off, 0.97 if base in CELLULAR else 1.0) < 4e-3


@pytest.mark.parametrize("base", range(BASES))
def test_continuity_across_cell_edges(base):
    t = np.linspace(0, 1, 33, dtype=F32)
    one, none = np.ones(33, F32), np.zeros(33, F32)
    for c in (-(2**32), -1, 0, 5, 2**32 - 1, 2**32, 2**40):
        for here, there in (
            (one_octave(base, c, 3, one, t), one_octave(base, c + 1, 3, none, t)),
            (one_octave(base, 3, c, t, one), one_octave(base, 3, c + 1, t, none)),
        ):
            assert abs(here[0] - there[0]).max() < 4e-6


# ---- Fractals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [FBM, BILLOW, RIDGED, DOUBLE_RIDGED, MULTIFRACTAL, HYBRID])
@pytest.mark.parametrize("warped", [False, True])
def test_fractal_slopes_are_derivatives(kind, warped):
    size, step = 2.0**20, 2**11
    push = fractal_of(SIMPLEX, cell=size, salt=1, amplitude_m=F32(size / 20))
    warp = {"warp_term": (0, 0), "warp_m": ONE} if warped else {}
    main = replace(fractal_of(PERLIN5, kind, cell=size, octaves=2), **warp)
    world = world_of(push, main)
    gi, gj = (np.array(g) for g in scattered(300, 10**9))
    assert world.analytic
    middle = Samples(world, 0, gi, gj)
    for axis, slope in ((0, middle.slope_x), (1, middle.slope_y)):
        ahead, behind = ((gi + s, gj) if axis == 0 else (gi, gj + s) for s in (step, -step))
        rise = Samples(world, 0, *ahead).height - Samples(world, 0, *behind).height
        off = abs(rise / (2 * step) - slope) * size
        assert np.quantile(off, 0.9) < 0.03  # creases are between some


# ---- Partitions --------------------------------------------------------------------------------------------


def test_voronoi_zones_are_those_of_the_nearest_sites():
    """Of 9 x 9 cells, where the page looks at 5 x 5; hard, at a level with 4 samples a cell."""
    zone = tuple(Zone(b"zone", 1, share=F32(k + 1)) for k in range(4))
    partition = Partition(kind=VORONOI, zone=zone, blend=F32(0.25), salt=3, cell_log2=8, jitter=ONE, rounds=2)
    voronoi = Voronoi(canonical(Recipe(partition=partition)).partition, 42)
    for gi, gj in zip(*scattered(60, 100)):
        x, y = (gi << 16) + 5000, (gj << 16) - 777
        near = []
        for cx in range(gi - 4, gi + 5):
            for cy in range(gj - 4, gj + 5):
                s_x, s_y = voronoi.site(2, cx, cy)
                way = ((cx << 16) + 32768 + s_x - x, (cy << 16) + 32768 + s_y - y)
                near.append((way[0] ** 2 + way[1] ** 2, cy, cx))
        _, cy, cx = min(near)
        assert voronoi.zone_of_place(gi, (y >> 16), x & 0xFFFF, y & 0xFFFF) == voronoi.zone_of_site(cx, cy)


# ---- Shading and noise at a point --------------------------------------------------------------------------


def test_slope_is_the_angle():
    rise = np.concatenate([np.linspace(0, 3, 3001), np.geomspace(3, 1e4, 500)])
    up = 1 / np.sqrt(rise**2 + 1)
    normal = [(-rise * up * 0.6).astype(F32), (rise * up * 0.8).astype(F32), up.astype(F32)]
    angle = np.degrees(np.arctan2(np.hypot(*[n.astype(float) for n in normal[:2]]), normal[2].astype(float)))
    assert abs(shading.slopes(normal) - angle).max() < 2.3e-5


@pytest.mark.parametrize("base", [PERLIN3, PERLIN5, SIMPLEX])
@pytest.mark.parametrize("dimensions", [1, 3, 4])
def test_noise_at_a_point(base, dimensions):
    rng, values = random.Random(base * dimensions), []
    for _ in range(400):
        at = [rng.uniform(-90, 90) for _ in range(dimensions)]
        value, slope = noise_at(base, 99, at)
        values.append(float(value))
        axis = rng.randrange(dimensions)
        ahead, behind = (list(at), list(at))
        ahead[axis] += 0.005
        behind[axis] -= 0.005
        numeric = (float(noise_at(base, 99, ahead)[0]) - float(noise_at(base, 99, behind)[0])) / 0.01
        assert abs(numeric - float(slope[axis])) < 0.01
    assert -1 <= min(values) < -0.45 and 0.45 < max(values) <= 1
    assert math.isclose(sum(values) / 400, 0, abs_tol=0.12)
    if base != SIMPLEX:
        assert noise_at(base, 99, [3.0] * dimensions)[0] == 0
