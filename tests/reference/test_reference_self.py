"""The reference on its own: published vectors, and what the page says of its noises. Needs no library."""
from dataclasses import replace
import math
import random

import numpy as np
import pytest

from arithmetic import F32, ONE, ZERO, Number, fade3, fade3_slope, fade5, fade5_slope, float_of
from bases import BASES, CELLULAR, HERMITE, PERLIN3, PERLIN5, POLYNOMIAL, SIMPLEX, TRIANGULAR
from bases import evaluate, gradient
from fractals import BILLOW, DOUBLE_RIDGED, FBM, HYBRID, MULTIFRACTAL, RIDGED
from hashing import KEY, mix, octave_key, seed_from_name, siphash64, siphash128, unit
from noise_at import noise_at
from recipe import CLIMATE, CURVE, FRACTAL, NOISE, PRODUCT, SUM, VORONOI, ZONES
from recipe import Fractal, Partition, Recipe, Stop, Term, Zone, canonical
from voronoi import Voronoi
from world_reference import Samples, World
import places
import shading
import terms

# What a base reaches, beside rounding (the page's table of ranges), with a HERMITE weight of 1.
RANGE = {POLYNOMIAL: 1 + 5 / 512, HERMITE: 1.009766 + 0.376}


def reach(base):
    return RANGE.get(base, 1.0)


def fractal_of(base, kind=FBM, cell=64.0, octaves=1, **members):
    shape = {"weight": ONE, "jitter": F32(0.9), "offset": F32(0.7), "sharpness": F32(1.3)}
    shape.update(warp=F32(0.3), damp=F32(0.8), amplitude_m=ONE, gain=F32(0.5), lacunarity=2.0, salt=7)
    shape.update(members)
    return Fractal(kind=kind, base=(base,) * 24, octaves=octaves, cell=cell, warp_term=(-1, -1), **shape)


def world_of(*things, partition=None, seed=42, **members):
    term = tuple(Term(op=FRACTAL, fractal=t) if isinstance(t, Fractal) else t for t in things)
    partition = partition or Partition(zone=(Zone(colour=(10, 20, 30)),))
    return World(Recipe(term=term, partition=partition, **members), seed)


def scattered(count, reach, seed=1):
    rng = random.Random(seed)
    return [[rng.randint(-reach, reach) for _ in range(count)] for _ in (0, 1)]


def zoned(kind, **members):
    shape = {"blend": F32(0.25), "by": 0, "salt": 3, "cell_log2": 8, "jitter": F32(0.8), "rounds": 1}
    shape.update(moisture=1, cold=F32(-0.8), hot=F32(0.8), dry=F32(-0.7), wet=F32(0.9), table_rows=3)
    shape.update(threshold=tuple(F32(x) for x in (-0.5, 0, 0.25)) + (ZERO,) * 12, table_columns=4)
    shape.update(table=tuple(k % 4 for k in range(12)) + (0,) * 244)
    shape.update(members)
    zone = tuple(Zone(b"zone", 1, F32(k), F32(10 * k - 7), F32(k + 1), (k, 0, 0)) for k in range(4))
    return Partition(kind=kind, zone=zone, **shape)


def zoned_world(kind, **members):
    first, second = fractal_of(PERLIN5, cell=512.0), fractal_of(SIMPLEX, cell=700.0, salt=9)
    return world_of(first, second, Term(op=ZONES), partition=zoned(kind, **members))


# ---- Hashes and numbers ------------------------------------------------------------------------------------


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


def test_unit():
    h = np.array([0, 0x40000000, 0x80000000, 0xFFFFFFFF, 0x140000000], np.uint64)
    assert unit(h).tolist() == [0, 0.5, -1, -(2.0**-31), 0.5]


def test_integers_round_once():
    for i in (2**24 + 1, 2**24 + 3, 2**40 - 1, 2**40 - 2**15, 2**40 - 2**15 - 1, 2**39 + 2**15 + 1):
        spacing = 2 ** max(0, i.bit_length() - 24)
        low = i // spacing * spacing
        rest = 2 * (i - low)
        up = rest > spacing or (rest == spacing and low // spacing % 2 == 1)
        assert int(float_of(np.array([i], np.int64))[0]) == low + (spacing if up else 0)


def test_fades():
    t = np.linspace(0, 1, 100001, dtype=F32)
    for fade, slope in ((fade3, fade3_slope), (fade5, fade5_slope)):
        assert fade(F32(0)) == 0 and fade(F32(1)) == 1 and fade(F32(0.5)) == 0.5
        assert slope(F32(0)) == 0 and slope(F32(1)) == 0
        assert fade(t).dtype == F32 and fade(t).min() >= 0 and fade(t).max() <= 1 + 1.1e-6


def test_numbers_follow_the_rules_of_slopes():
    p, q = (Number(*(np.array([x], F32) for x in three)) for three in ((-0.5, 2, 3), (0.25, 5, 7)))
    both = p * q
    assert (both.v[0], both.x[0], both.y[0]) == (-0.125, 2 * 0.25 - 0.5 * 5, 3 * 0.25 - 0.5 * 7)
    assert (p.absolute().v[0], p.absolute().x[0]) == (0.5, -2)
    assert (p.clamp().v[0], p.clamp().x[0], q.clamp().x[0]) == (0, 0, 5)


# ---- Bases -------------------------------------------------------------------------------------------------


def test_gradients_are_one_to_one_arch_long():
    h = np.arange(0, 2**32, 2**20, dtype=np.uint64)
    gx, gy = gradient(h, ONE)
    length = np.hypot(gx.astype(float), gy.astype(float))
    assert length.min() > 0.999999 and length.max() < 1.0607


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
    assert abs(v).max() <= reach(base) * 1.00001
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


def test_perlin_is_zero_on_the_lattice():
    for base in (PERLIN3, PERLIN5):
        world = world_of(fractal_of(base, cell=32.0))
        shift_x, shift_y = places.shifts(octave_key(world.seed, 7, 0), 5)
        n = np.arange(-4, 4)
        assert not Samples(world, 0, 32 * n - shift_x, 64 * n - shift_y).height.any()


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


def test_displacement_by_a_constant_moves():
    """A metre is a sample here: what is displaced by 16 m is what stands 16 samples on."""
    for base in range(BASES):
        main = replace(fractal_of(base, cell=64.0), warp_term=(0, -1), warp_m=F32(16))
        plain = replace(main, lacunarity=1.9)
        moved = world_of(Term(op=SUM, offset=ONE), main)
        gi, gj = (np.array(g) for g in scattered(200, 10**6))
        a = Samples(moved, 0, gi, gj).height
        b = Samples(world_of(replace(plain, warp_m=ZERO)), 0, gi + 16, gj).height
        assert abs(a - b).max() < 2e-5


# ---- Terms and partitions ----------------------------------------------------------------------------------


def test_curve_goes_through_its_knots_and_never_turns_between():
    x, y = (tuple(F32(v) for v in values) for values in ((-1, 0, 0.5, 2), (-3, 1, 1.25, 9)))
    term = Term(op=CURVE, inputs=1, knots=4, knot_x=x + (ZERO,) * 8, knot_y=y + (ZERO,) * 8)

    def curve(at):
        at = np.array(at, F32)
        return terms.curve(term, Number(at, np.ones_like(at), ZERO * at))

    assert curve(x).v.tolist() == [-3, 1, 1.25, 9]
    assert curve([-50, 70]).v.tolist() == [-3, 9]
    fine = curve(np.linspace(-2, 3, 5001))
    assert (np.diff(fine.v) >= -1e-6).all()
    assert abs(np.diff(fine.v) / 1e-3 - fine.x[:-1]).max() < 0.05


def test_terms_of_nothing():
    world = world_of(Term(op=SUM, offset=F32(12.5)), Term(op=PRODUCT, in_=(0,) * 8, factor=(F32(3),) * 8))
    samples = Samples(world, 3, [-9], [10**12])
    assert samples.height[0] == 3
    assert [n[0] for n in samples.normal] == [0, 0, 1]
    assert (samples.zone[0], samples.weights[0][0]) == (0, 1)


@pytest.mark.parametrize("kind", [NOISE, VORONOI, CLIMATE])
def test_weights_sum_to_one(kind):
    world = zoned_world(kind)
    samples = Samples(world, 0, *scattered(400, 3000))
    weights = np.stack(samples.weights).astype(float)
    assert weights.min() >= 0 and weights.max() <= 1
    assert abs(weights.sum(axis=0) - 1).max() < 1e-6
    assert set(samples.zone) == {0, 1, 2, 3}
    assert ((weights > 0).sum(axis=0) > 1).any()
    assert abs(sum(n.astype(float) ** 2 for n in samples.normal) - 1).max() < 1e-6
    assert world.analytic == (kind == NOISE)


def test_voronoi_zones_are_those_of_the_nearest_sites():
    """Of 9 x 9 cells, where the page looks at 5 x 5; hard, at a level with 4 samples a cell."""
    partition = canonical(Recipe(partition=zoned(VORONOI, jitter=ONE, rounds=2))).partition
    voronoi = Voronoi(partition, 42)
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


def test_lloyd_moves_sites_to_the_middles_of_their_cells():
    """Against the mean of a grid of places whose nearest site it is."""
    voronoi = Voronoi(canonical(Recipe(partition=zoned(VORONOI, jitter=ONE))).partition, 7)
    for cx, cy in ((0, 0), (3, -2), (2**33, 5)):
        sites = [
            (voronoi.site(0, cx + i, cy + j)[0] + 65536 * i, voronoi.site(0, cx + i, cy + j)[1] + 65536 * j)
            for j in range(-3, 4) for i in range(-3, 4)
        ]
        # The page holds a cell to 65536 units around its centre; so does this.
        x, y = np.meshgrid(*[np.linspace(-65536, 65536, 513)] * 2)
        mine = np.argmin([(x - a) ** 2 + (y - b) ** 2 for a, b in sites], axis=0) == 24
        middle = np.array([x[mine].mean(), y[mine].mean()]).clip(-32768, 32767)
        assert abs(middle - voronoi.site(1, cx, cy)).max() < 300


# ---- Shading and noise at a point --------------------------------------------------------------------------


def test_slope_is_the_angle():
    rise = np.concatenate([np.linspace(0, 3, 3001), np.geomspace(3, 1e4, 500)])
    up = 1 / np.sqrt(rise**2 + 1)
    normal = [(-rise * up * 0.6).astype(F32), (rise * up * 0.8).astype(F32), up.astype(F32)]
    angle = np.degrees(np.arctan2(np.hypot(*[n.astype(float) for n in normal[:2]]), normal[2].astype(float)))
    assert abs(shading.slopes(normal) - angle).max() < 2.3e-5


def test_level_ground_has_its_own_colour():
    zone = Zone(colour=(10, 20, 30), ground=(Stop(ZERO, (50, 60, 70)), Stop(F32(10), (250, 0, 70))))
    world = world_of(Term(op=SUM, offset=F32(5)), partition=Partition(zone=(zone,)))
    samples = Samples(world, 0, [0], [0])
    assert [c[0] for c in samples.layer("relief")] == [150, 30, 70]
    assert samples.layer("hillshade")[0][0] == 180 and samples.layer("slope")[0][0] == 0
    sunk = World(replace(world.recipe, sea_m=F32(15)), 1)
    assert [c[0] for c in Samples(sunk, 0, [0], [0]).layer("relief")] == [96, 158, 186]


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
