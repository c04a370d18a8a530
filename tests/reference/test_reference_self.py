"""The reference on its own: published vectors, and what the page says of the noises. Needs no library."""
import random

import numpy as np
import pytest

import world_reference as ref

F32 = ref.F32
ALL_BASES = range(ref.BASES)
# S5 passes 1 by up to 1.07e-6 just below t = 1; two nested blends over a range of 2 make four times that.
# POLYNOMIAL gives the far corner a weight of up to -5/1024 (at t = 1/8, 1/8), so its peak is 1 + 5/512.
EXCESS = {base: 4.5e-6 for base in ALL_BASES}
EXCESS[ref.POLYNOMIAL] = 5 / 512 + 1e-6


def world_of_one_octave(base, cell_log2, amplitude=F32(1), seed=42):
    fractal = ref.Fractal(base, salt=7, octaves=1, cell_log2=cell_log2, amplitude_m=amplitude, gain=F32(0.5))
    return ref.World(ref.Recipe(base=fractal), seed)


def zoned_world(base=ref.PERLIN5, zones=4, blend=0.125):
    rng = random.Random(1)
    partition = ref.Partition(
        base=base,
        salt=3,
        cell_log2=9,
        zones=zones,
        blend=F32(blend),
        threshold=tuple(F32(-0.25 + 0.25 * k) for k in range(zones - 1)),
        zone=tuple(
            ref.Zone(b"zone", F32(rng.uniform(0, 4)), F32(rng.uniform(-90, 90)), (k, 0, 0))
            for k in range(zones)
        ),
    )
    recipe = ref.Recipe(
        spacing_m=0.5,
        base=ref.Fractal(ref.PERLIN3, 1, 6, 12, F32(300), F32(0.5)),
        detail=ref.Fractal(ref.VALUE, 2, 5, 6, F32(20), F32(0.4)),
        partition=partition,
    )
    return ref.World(recipe, 99)


# ---- Hashes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "length, expected",
    [(0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45")],
)
def test_siphash128(length, expected):
    assert ref.siphash128(ref.KEY, bytes(range(length))).hex() == expected


@pytest.mark.parametrize("length, expected", [(0, 0x726FDB47DD0E0E31), (15, 0xA129CA6149BE45E5)])
def test_siphash64(length, expected):
    assert ref.siphash64(ref.KEY, bytes(range(length))) == expected


def test_mix_is_splitmix64():
    assert ref.mix(0x9E3779B97F4A7C15) == 0xE220A8397B1DCDAF  # its first output for seed 0


def test_unit():
    assert ref.unit(0) == 0
    assert ref.unit(0x7FFFFFFF) == F32(1 - 2.0**-23)
    assert ref.unit(0x80000000) == -1
    assert ref.unit(0xFFFFFFFF) == F32(-(2.0**-23))


def test_integers_round_once():
    for i in (2**24 + 1, 2**24 + 3, 2**40 - 1, 2**40 - 2**15, 2**40 - 2**15 - 1, 2**39 + 2**15 + 1):
        spacing = 2 ** max(0, i.bit_length() - 24)
        low = i // spacing * spacing
        rest = 2 * (i - low)
        up = rest > spacing or (rest == spacing and low // spacing % 2 == 1)
        assert int(ref.float_of_integer(i)) == low + (spacing if up else 0)


# ---- Noises ------------------------------------------------------------------------------------------------


def test_fades():
    for fade, slope in ((ref.fade3, ref.fade3_slope), (ref.fade5, ref.fade5_slope)):
        assert fade(F32(0)) == 0 and fade(F32(1)) == 1 and fade(F32(0.5)) == 0.5
        assert slope(F32(0)) == 0 and slope(F32(1)) == 0
    t = np.linspace(0, 1, 100001, dtype=np.float32)
    for fade in (ref.fade3, ref.fade5):
        values = fade(t)
        assert values.dtype == np.float32
        assert values.min() >= 0 and values.max() <= 1 + 1.1e-6


def test_gradients_are_one_to_one_arch_long():
    for w in np.linspace(-1, 1, 2001, dtype=np.float32)[:-1]:
        gx, gy = ref.gradient(F32(1), w)
        length = np.hypot(float(gx), float(gy)) * 0.75
        assert 0.999999 < length < 1.0607


@pytest.mark.parametrize("base", ALL_BASES)
def test_range(base):
    """[-1, 1] and the excess, at random corners and at the extremes of them."""
    rng = random.Random(base)
    fade, slope = ref.FADES[base]
    extremes = [F32(-1), F32(1), F32(1 - 2.0**-23), F32(0.25), F32(-0.25), F32(0.75), F32(-0.75)]
    for n in range(600):
        near_edge = F32(1 - rng.random() * 0.005)
        places = [F32(rng.random()), F32(0), F32(0.125), F32(0.5), near_edge, F32(1)]
        x, y = rng.choice(places), rng.choice(places)
        w = [[rng.choice(extremes) if n % 2 else F32(rng.uniform(-1, 1)) for _ in (0, 1)] for _ in (0, 1)]
        if base in (ref.PERLIN3, ref.PERLIN5):
            v = ref.perlin([[ref.gradient(F32(1), w_ij) for w_ij in w_i] for w_i in w], x, y, fade, slope)[0]
        else:
            v = (ref.polynomial if base == ref.POLYNOMIAL else ref.product)(w, x, y, fade, slope)[0]
        assert type(v) is F32
        assert abs(v) <= 1 + EXCESS[base]


@pytest.mark.parametrize("base", ALL_BASES)
def test_range_is_used(base):
    world = world_of_one_octave(base, 3)
    heights = [ref.sample(world, 0, 3 * n, 5 * n).height for n in range(800)]
    assert min(heights) < -0.5 and max(heights) > 0.5
    assert abs(np.mean(heights, dtype=np.float64)) < 0.1


@pytest.mark.parametrize("base", ALL_BASES)
@pytest.mark.parametrize("along_x", [True, False])
def test_continuity_across_cell_edges(base, along_x):
    """Steps over an edge are as small as steps inside, and slopes jump only where the base says so."""
    cell_log2 = 16
    world = world_of_one_octave(base, cell_log2)
    key = ref.octave_key(world.seed, 7, 0)
    shift = ref.shifts(key, cell_log2)[0 if along_x else 1]
    for cell in (-(2**32), -1, 0, 1, 5, 2**32):
        edge = (cell << cell_log2) - shift
        other = 12345 + 777 * (cell & 7)
        here, there = (
            ref.sample(world, 0, *((g, other) if along_x else (other, g))) for g in (edge - 1, edge)
        )
        assert abs(float(here.height) - float(there.height)) < 4 / 2**cell_log2
        jump = abs(float(here.slope_x - there.slope_x)) + abs(float(here.slope_y - there.slope_y))
        bound = 40 / 2.0 ** (2 * cell_log2)
        if base == ref.POLYNOMIAL:
            bound = 0.0963 * 8 / 2**cell_log2
        assert jump < bound + 4e-6 / 2**cell_log2


@pytest.mark.parametrize("base", ALL_BASES)
def test_slopes_are_derivatives(base):
    cell_log2, step = 22, 2**13
    world = world_of_one_octave(base, cell_log2, amplitude=F32(1))
    for n in range(20):
        g = [n * 5000011, n * 7000003 - 10**7]
        middle = ref.sample(world, 0, *g)
        for axis, slope in ((0, middle.slope_x), (1, middle.slope_y)):
            ahead, behind = list(g), list(g)
            ahead[axis] += step
            behind[axis] -= step
            rise = float(ref.sample(world, 0, *ahead).height) - float(ref.sample(world, 0, *behind).height)
            numeric = rise / (2 * step) * 2**cell_log2
            # POLYNOMIAL's slope jumps within a difference that spans an edge.
            tolerance = 0.8 if base == ref.POLYNOMIAL else 2e-3
            assert abs(numeric - float(slope) * 2**cell_log2) < tolerance


@pytest.mark.parametrize("base", ALL_BASES)
def test_levels_share_their_samples(base):
    """A level is level 0 with fewer samples and, where an octave is too fine, fewer octaves."""
    world = world_of_one_octave(base, 11)
    for level in range(1, 11):
        for gi, gj in ((0, 0), (17, -5), (-1000, 2**33 + 3)):
            assert ref.sample(world, level, gi, gj) == ref.sample(world, 0, gi << level, gj << level)
    assert ref.sample(world, 11, 3, 4).height == 0
    aliased = ref.World(ref.replace(world.recipe, alias_octaves=1), world.seed)
    assert ref.sample(aliased, 11, 3, 4) == ref.sample(world, 0, 3 << 11, 4 << 11)
    assert ref.sample(aliased, 12, 3, 4).height == 0


def test_perlin_is_zero_on_the_lattice():
    for base in (ref.PERLIN3, ref.PERLIN5):
        world = world_of_one_octave(base, 5)
        shift_x, shift_y = ref.shifts(ref.octave_key(world.seed, 7, 0), 5)
        for n in range(-4, 4):
            assert ref.sample(world, 0, 32 * n - shift_x, 64 * n - shift_y).height == 0


# ---- Surface -----------------------------------------------------------------------------------------------


def test_a_world_of_nothing_is_flat():
    world = ref.World(ref.Recipe(offset_m=F32(12.5)), 1)
    sample = ref.sample(world, 3, -9, 10**12)
    assert sample.height == F32(12.5)
    assert sample.normal == (0, 0, 1)
    assert (sample.zone, sample.weights) == (0, (1,))


def test_normals_and_weights():
    world = zoned_world()
    seen = set()
    for n in range(150):
        sample = ref.sample(world, 0, 37 * n, -53 * n)
        assert abs(sum(float(c) ** 2 for c in sample.normal) - 1) < 1e-6
        assert sample.normal[2] > 0
        assert abs(sum(float(w) for w in sample.weights) - 1) < 1e-6
        assert all(-1.1e-6 < w < 1 + 1.1e-6 for w in sample.weights)
        assert sample.weights[sample.zone] >= max(sample.weights) - F32(1e-6)
        seen.add(sample.zone)
    assert seen == {0, 1, 2, 3}


def test_surface_slopes_are_derivatives():
    """The chain rule through the zones, against binary32 heights a metre apart."""
    recipe = zoned_world().recipe
    smooth = ref.replace(
        recipe,
        spacing_m=2.0**-6,
        base=ref.replace(recipe.base, octaves=1, cell_log2=14),
        detail=ref.replace(recipe.detail, octaves=1, cell_log2=13),
        partition=ref.replace(recipe.partition, cell_log2=14, blend=F32(0.25)),
    )
    world = ref.World(smooth, 5)
    step = 64
    for n in range(30):
        g = [n * 5003, n * 7001]
        middle = ref.sample(world, 0, *g)
        for axis, slope in ((0, middle.slope_x), (1, middle.slope_y)):
            ahead, behind = list(g), list(g)
            ahead[axis] += step
            behind[axis] -= step
            rise = float(ref.sample(world, 0, *ahead).height) - float(ref.sample(world, 0, *behind).height)
            assert abs(rise / 2 - float(slope)) < 0.02 + 0.02 * abs(float(slope))


def test_zones_without_a_partition_octave():
    """A partition finer than the level is noise 0 everywhere: one zone, no slope from the change of zones."""
    world = zoned_world()
    a, b = ref.sample(world, 10, 5, 6), ref.sample(world, 10, -77, 1234)
    assert a.zone == b.zone == 2  # thresholds -0.25, 0, 0.25: 0 reaches the second
    assert a.weights == b.weights == (0, 0.5, 0.5, 0)


# ---- Identity ----------------------------------------------------------------------------------------------


def test_digest_sees_what_counts_and_nothing_else():
    world = zoned_world()
    recipe = world.recipe
    digest = ref.digest(world)
    assert len(digest) == 16
    assert len(ref.canonical_bytes(world)) == 44 + 2 * 24 + 20 + 3 * 4 + 4 * 35

    def changed(seed=99, **members):
        return ref.digest(ref.World(ref.replace(recipe, **members), seed)) != digest

    assert not changed()
    assert changed(seed=98)
    assert changed(offset_m=F32(1))
    assert not changed(offset_m=F32(-0.0))
    p = recipe.partition
    longer = ref.replace(p, threshold=p.threshold + (F32(9),), zone=p.zone + (ref.Zone(),))
    assert not changed(partition=longer)
    assert changed(alias_octaves=1)
    named = ref.replace(p.zone[0], name=b"zone\0tail")
    assert not changed(partition=ref.replace(p, zone=(named,) + p.zone[1:]))

    absent = ref.replace(recipe, detail=ref.Fractal(salt=1))
    also_absent = ref.replace(recipe, detail=ref.Fractal(salt=2, gain=F32(7)))
    assert ref.digest(ref.World(absent, 0)) == ref.digest(ref.World(also_absent, 0))


def test_minus_zero_changes_no_sample():
    """Equal digests promise equal samples, so -0 must not come through."""
    zone = ref.Zone(amplitude=F32(-0.0), offset_m=F32(-0.0))
    minus = ref.World(ref.Recipe(offset_m=F32(-0.0), partition=ref.Partition(zone=(zone,))), 1)
    assert not np.signbit(ref.sample(minus, 0, 0, 0).height)
