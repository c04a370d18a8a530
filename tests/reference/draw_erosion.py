"""Random worlds that erode, and windows of them, for compare.py.

The ground is a little noise of one or two sizes, sloped as the level's samples are long, now and then with
flats and cut off by the sea; what is drawn widely is how it erodes. Windows are small, since the reference
works through every level up to the coarsest.
"""
from dataclasses import fields

from arithmetic import F32
from bases import PERLIN5, POLYNOMIAL, SIMPLEX, VALUE
from draw import Window, draw_f32
from fractals import FBM, RIDGED
from ops import BLEND, CURVE, FRACTAL, ZONES
from recipe import CLIMATE, NOISE, VORONOI
from recipe import GENERATORS, Droplets, ErodedLevel, Erosion, Fractal, Partition, Recipe, Rivers, Term, Zone

MOVED_MOST = 2.0**21  # metres: what a recipe may move in all is 2^22
# Of struct terrane_droplets, in its order: least, most, and what is usual.
NUMBERS = {
    "density": (0, 1, 0.01, 0.4),
    "lifetime": (0, 64, 3, 30),
    "inertia": (0, 0.99, 0, 0.4),
    "capacity": (0, 64, 0.1, 4),
    "min_capacity": (0, 1, 0, 0.05),
    "erosion": (0, 1, 0.1, 0.6),
    "deposition": (0, 1, 0.1, 0.6),
    "evaporation": (0, 1, 0, 0.1),
    "gravity": (0, 64, 0, 2),
    "speed": (0, 16, 0.1, 2),
    "water": (0, 16, 0.3, 2),
    "talus_deg": (1, 89, 10, 50),
}


def draw_number(rng, name):
    least, most, low, high = NUMBERS[name]
    if name == "lifetime" and rng.random() < 0.3:
        return F32(rng.randint(0, 8))  # Ends exactly with a step.
    return draw_f32(rng, least, most) if rng.random() < 0.25 else F32(rng.uniform(low, high))


def draw_zone(rng, first):
    """Numbers of a zone; some are those of the first one, so that not all are blended."""
    drawn = {name: draw_number(rng, name) for name in NUMBERS}
    if first is not None:
        drawn.update({name: getattr(first, name) for name in NUMBERS if rng.random() < 0.4})
    return Droplets(**drawn)


def draw_level(rng, wide):
    """wide: long lives and many slides, once in a phase or none."""
    if wide:
        return ErodedLevel(rng.randint(0, 1), rng.choice((20, 40, 64)), rng.choice((0, 3, 10)), rng.choice((0, 2)))
    return ErodedLevel(rng.randint(0, 4), rng.randint(1, 8), rng.randint(0, 2), rng.randint(0, 2))


def draw_erosion(rng, level, zones, spacing_m):
    """(erosion, spacing_m), where the library has units for both."""
    levels = min(25, level + rng.choice((1, 2, 2, 3, 3, 4)))
    if rng.random() < 0.05:
        levels = max(1, level)  # Nothing there.
    drawn = [draw_level(rng, rng.random() < 0.15) for _ in range(levels)]
    zone = []
    for _ in range(zones):
        zone.append(draw_zone(rng, zone[0] if zone else None))
    limit = rng.choice((F32(2.0**-10), F32(1), F32(1), F32(0.25), draw_f32(rng, 2.0**-10, 1)))
    turns = max(1, sum((one.phases + one.slides + one.creep) * 2**k for k, one in enumerate(drawn)))
    spacing_m = min(spacing_m, MOVED_MOST * 2.0**10 / turns)
    limit = max(F32(2.0**-10), min(limit, F32(MOVED_MOST / (turns * spacing_m))))
    return Erosion(tuple(drawn), limit, tuple(zone)), spacing_m


def fractal(rng, base, kind, cell, amplitude_m, lacunarity=2.0):
    most = 1
    while most < 5 and cell / lacunarity**most >= 2:
        most += 1
    shape = {"base": (base,) * 24, "kind": kind, "cell": cell, "lacunarity": lacunarity, "gain": F32(0.5)}
    shape.update(salt=rng.getrandbits(32), octaves=rng.randint(1, most), amplitude_m=F32(amplitude_m))
    return Term(op=FRACTAL, fractal=Fractal(warp_term=(-1, -1), **shape))


def draw_ground(rng, level, spacing_m, zoned):
    """Terms; 0 and 1 are heights, 2 and 3 run from -1 to 1, the last one is the ground."""
    log2 = min(40, level + rng.randint(2, 6))
    steep = rng.choice((0.2, 1, 3))
    height_m = min(8000, steep * 2.0**log2 * spacing_m)
    terms = [
        fractal(rng, rng.choice((PERLIN5, VALUE)), rng.choice((FBM, RIDGED)), 2.0**log2, height_m),
        fractal(rng, SIMPLEX, FBM, min(2.0**40, 1.3 * 2.0**log2), height_m / 2, 1.9),
        fractal(rng, PERLIN5, FBM, 2.0 ** min(40, log2 + 1), 1),
        fractal(rng, POLYNOMIAL, FBM, 2.0 ** min(40, log2 + 1), 1),
    ]
    if zoned:
        terms.append(Term(op=ZONES))
    elif rng.random() < 0.5:
        terms.append(Term(op=BLEND, inputs=3, in_=(0, 1, 2) + (0,) * 5, low=F32(-0.5), high=F32(0.5)))
    if rng.random() < 0.4:
        # Level above and below: droplets that do not know where to go.
        cut = max(1e-2, height_m / 4)
        knots = tuple(F32(x) for x in (-cut, 0, cut)) + (F32(0),) * 9
        ground = len(terms) - 1
        terms.append(Term(op=CURVE, inputs=1, in_=(ground,) + (0,) * 7, knots=3, knot_x=knots, knot_y=knots))
    return tuple(terms), height_m


def draw_partition(rng, level, zones, height_m):
    kind = rng.choice((NOISE, NOISE, VORONOI, CLIMATE))
    rows, columns = rng.randint(1, 3), rng.randint(1, 3)
    threshold = [F32(-0.5 + k * 0.31) for k in range(zones - 1)]
    return Partition(
        kind=kind,
        zone=tuple(
            Zone(
                name=b"z".ljust(24, b"\0"), term=rng.randint(-1, 1), amplitude=F32(rng.uniform(-1, 1)),
                offset_m=F32(rng.uniform(-0.2, 0.2) * height_m), share=F32(1 + k), colour=(k, 0, 0),
            )
            for k in range(zones)
        ),
        blend=F32(rng.choice((0.25, 0.3, 0.02))), by=2, salt=rng.getrandbits(32),
        threshold=tuple(threshold) + (F32(0),) * (15 - len(threshold)),
        cell_log2=min(40, max(6, level + rng.randint(4, 6))), jitter=F32(0.9), rounds=rng.randint(0, 1),
        temperature=2, moisture=3, cold=F32(-0.6), hot=F32(0.6), dry=F32(-0.5), wet=F32(0.5),
        table_rows=rows, table_columns=columns,
        table=tuple(rng.randrange(zones) for _ in range(rows * columns)) + (0,) * (256 - rows * columns),
    )


def draw_rivers(rng, levels):
    """Where levels may lie below lattices: droplets then add detail alone."""
    if not 4 <= levels <= 12 or rng.random() < 0.3:
        return Rivers()
    return Rivers(
        top=levels + 2, bottom=levels, steepness=F32(9), concavity=F32(0.45), cut_m=F32(200), fill=F32(0.5), shallow_m=F32(8),
        sources_ha=F32(40), runoff_mm=F32(400), inland_km=F32(64), runoff=-1, shown=F32(1),
    )  # fmt: skip


def draw_recipe(rng, level):
    spacing_m = rng.choice((1.0, 0.5, 16.0, 30.0, 1 / 3, rng.uniform(0.01, 100)))
    zones = rng.randint(1, 4)
    erosion, spacing_m = draw_erosion(rng, level, zones, spacing_m)
    terms, height_m = draw_ground(rng, level, spacing_m, rng.random() < 0.5)
    sea_m = -30000 if rng.random() < 0.5 else rng.choice((-0.3, -0.1, 0, 0.1, 1)) * height_m
    return Recipe(
        spacing_m=spacing_m, sea_m=F32(sea_m), term=terms, steep_high=F32(1),
        partition=draw_partition(rng, level, zones, height_m), erosion=erosion,
        rivers=draw_rivers(rng, len(erosion.level)), generator=rng.choice(GENERATORS),
    )


def draw_coordinate(rng, level):
    """Around 0, negative, far; now and then where blocks and nodes meet."""
    kind = rng.randrange(6)
    if kind < 2:
        return rng.randint(-20, 5)
    if kind == 2:
        return rng.randint(-5000, 5000)
    if kind == 3:
        return rng.choice((-1, 1)) * 2**32 - rng.randint(0, 20)
    if kind == 4:
        return rng.choice((-1, 1)) * 2**48 - rng.randint(-40, 40)
    return rng.randint(-(2**48), 2**48)


def draw_window(rng, level):
    width, height = (rng.choice((rng.randint(1, 24), rng.randint(24, 48))) for _ in (0, 1))
    return Window(level, draw_coordinate(rng, level), draw_coordinate(rng, level), 1, width, height)


assert list(NUMBERS) == [member.name for member in fields(Droplets)]
