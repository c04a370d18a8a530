"""Random recipes, windows and samples for compare.py.

The draws lean towards the places where an implementation can go wrong: edges of cells, cells whose number
passes a multiple of 2^32, the ends of the lattice, levels that leave octaves out, zones that touch, windows
wider than a library would work on in one piece. Members that a recipe does not use hold rubbish.
"""
from dataclasses import replace

import numpy as np

from arithmetic import F32
from bases import BASES, TRIANGULAR
from fractals import FBM, KINDS, MIDPOINTS, MULTIFRACTAL
from hashing import octave_key
from ops import BLEND, CURVE, FRACTAL, OPS, PRODUCT, SUM, ZONES
from recipe import CLIMATE, NOISE, VORONOI
from recipe import GENERATORS, Erosion, Fractal, Lakes, Partition, Recipe, Stop, Term, Zone
import places

LATTICE_MAX = 2**50
NAN = F32(np.nan)
# Windows around powers of two and beyond: whatever a library's chunks are, they end in here.
WIDE = (129, 255, 256, 257, 300, 511, 512, 513, 1023, 1024, 1025)
LARGEST = F32(2.0**36)  # of a term, well below where the library refuses


class Window:
    def __init__(self, level, gi, gj, step, width, height):
        self.level, self.gi, self.gj = level, gi, gj
        self.step, self.width, self.height = step, width, height

    def words(self):
        return [str(n) for n in (self.level, self.gi, self.gj, self.step, self.width, self.height)]


def draw_f32(rng, low, high):
    """A binary32 number of [low, high]: its ends, zeros of both signs, round numbers, any bits."""
    kind = rng.randrange(14)
    if kind == 0:
        return F32(low)
    if kind == 1:
        return F32(high)
    if kind == 2 and low <= 0 <= high:
        return F32(rng.choice((0.0, -0.0)))
    if kind == 3 and low <= 0:
        return F32(min(high, rng.choice((1e-42, 1e-38, 1e-20, 1e-6))))
    if kind == 4 and high - low >= 2:
        return F32(rng.randint(int(np.ceil(low)), int(high)))
    # Rounding to binary32 must not leave the range.
    return min(max(F32(rng.uniform(float(low), float(high))), F32(low)), F32(high))


def draw_rising(rng, count, low, high, gap):
    """count numbers that rise by at least gap."""
    spare = high - low - gap * 1.01 * (count - 1)
    cuts = sorted(rng.uniform(0, spare) for _ in range(count))
    return [F32(low + cut + gap * 1.01 * k) for k, cut in enumerate(cuts)]


def draw_colour(rng):
    return tuple(rng.randrange(256) for _ in range(3))


def draw_stops(rng, reach):
    count = rng.choice((0, 0, 1, 2, 3, 8))
    return tuple(Stop(at, draw_colour(rng)) for at in draw_rising(rng, count, -reach, reach, 0.01))


# ---- Fractals ----------------------------------------------------------------------------------------------

LATTICE, POINTS, WARPED = range(3)


def draw_cell(rng, level, style, alias):
    """Cells of any size, most of them such that some octaves take part at the level."""
    least = 1 - alias
    log2 = rng.randint(least, 40) if rng.random() < 0.15 else min(40, max(least, level + rng.randint(1, 11)))
    if style == LATTICE or rng.random() < 0.2:
        return 2.0**log2
    return float(min(2.0**40, max(2.0**least, 2.0**log2 * rng.uniform(0.6, 1.7))))


def most_octaves(cell, lacunarity, alias):
    count, least = 0, 2.0 - alias
    while cell >= least and count < 24:
        cell, count = cell / lacunarity, count + 1
    return count


def draw_fractal(rng, kind, base, level, style, alias):
    midpoint = kind in MIDPOINTS
    cell = draw_cell(rng, level, LATTICE if midpoint else style, 0 if midpoint else alias)
    lacunarity = 2.0
    if style != LATTICE and not midpoint:
        lacunarity = rng.choice((2.0, 1.9, 1.25, 8.0, rng.uniform(1.25, 8)))
    most = most_octaves(cell, lacunarity, 0 if midpoint else alias)
    octaves = max(1, min(most, rng.choice((1, 2, 3, 4, 6, 8, rng.randint(1, 24)))))
    bases = [base] * 24 if rng.random() < 0.6 else [rng.randrange(BASES) for _ in range(24)]
    bases = bases[:octaves] + [rng.randrange(256) for _ in range(24 - octaves)]
    if midpoint:
        bases = [rng.randrange(BASES) for _ in range(24)]
    return Fractal(
        kind=kind,
        base=tuple(bases),
        salt=rng.choice((0, 1, rng.getrandbits(32), 2**32 - 1)),
        octaves=octaves,
        cell=cell,
        lacunarity=lacunarity,
        amplitude_m=draw_f32(rng, 0, rng.choice((1, 100, 5000, 32768))),
        gain=draw_f32(rng, 0, 1) if rng.random() < 0.5 else F32(0.5),
        weight=draw_f32(rng, 0, 4),
        # Around 0.65 cellular noise changes how far it looks.
        jitter=draw_f32(rng, 0, 1) if rng.random() < 0.8 else F32(rng.choice((0.65, 0.6500001, 0.656))),
        offset=draw_f32(rng, 0 if midpoint else -4, 4) if rng.random() < 0.5 else F32(0.7),
        sharpness=draw_f32(rng, -16, 16) if rng.random() < 0.5 else F32(1.3),
        warp=draw_f32(rng, -4, 4) if rng.random() < 0.4 else F32(0.3),
        damp=draw_f32(rng, 0, 4) if rng.random() < 0.5 else F32(0.8),
        warp_term=(-1, -1),
        warp_m=draw_f32(rng, -(2**20), 2**20),
    )


def rubbish_but(term):
    """What a term's operation leaves out, filled with what would show if it counted."""
    if term.op == FRACTAL:
        return replace(
            term, inputs=77, in_=(-5,) * 8, factor=(NAN,) * 8, offset=NAN, low=NAN, high=NAN, knots=-3,
            knot_x=(NAN,) * 12, knot_y=(NAN,) * 12,
        )
    bad = Fractal(kind=0, base=(99,) * 24, octaves=-1, cell=float("nan"), gain=NAN, warp_term=(40, 40))
    count = max(0, term.inputs)
    in_ = term.in_[:count] + (47,) * (8 - count)
    return replace(term, in_=in_, fractal=bad)


class Draw:
    """Terms of a recipe, one behind the other; bound is what none of them passes, roughly."""

    def __init__(self, rng, level, kind, base, style):
        self.rng, self.level, self.style = rng, level, style
        self.alias = int(rng.random() < 0.3)
        drawn = (2.0 ** rng.randint(-10, 20), rng.uniform(0.5, 50), 10 ** rng.uniform(-3, 6))
        self.spacing_m = rng.choice((1.0, 1.5, 30.0, 1 / 3, *drawn))
        self.terms, self.bounds = [], []
        self.fractal(FBM, rng.randrange(BASES), LATTICE)
        if rng.random() < 0.6:
            self.fractal(rng.choice((FBM, rng.randrange(KINDS))), rng.randrange(BASES), rng.randrange(3))
        self.main = len(self.terms)
        self.fractal(kind, base, style)
        for _ in range(rng.randrange(3)):
            self.operation()
        self.plain = len(self.terms)

    def add(self, term, bound):
        self.terms.append(rubbish_but(term))
        self.bounds.append(bound)

    def any_term(self):
        return self.rng.randrange(len(self.terms))

    def fractal(self, kind, base, style):
        rng = self.rng
        fractal = draw_fractal(rng, kind, base, self.level, style, self.alias)
        if kind == MULTIFRACTAL and 0 < fractal.amplitude_m < 1e-36:  # is refused
            fractal = replace(fractal, amplitude_m=F32(1e-20))
        if style == WARPED and self.terms:
            warps = rng.choice(((0, 0), (0, -1), (-1, 0), (self.any_term(), self.any_term())))
            cell_m = fractal.cell * self.spacing_m
            reach = cell_m * rng.choice((0.01, 0.3, 2, 1e4)) / max(1.0, float(self.bounds[0]) / 50)
            warp_m = draw_f32(rng, -min(reach, 2**20), min(reach, 2**20))
            fractal = replace(fractal, warp_term=warps, warp_m=warp_m)
        elif rng.random() < 0.3:
            # Terms without a factor displace nothing.
            fractal = replace(fractal, warp_m=F32(-0.0), warp_term=(0, 0) if self.terms else (-1, -1))
        bound = F32(200) * fractal.amplitude_m
        self.add(Term(op=FRACTAL, fractal=fractal), bound)

    def operation(self, *must):
        """An operation on terms; must are such that it has to have."""
        rng, op = self.rng, self.rng.choice(tuple(OPS))
        inputs = rng.randint(*OPS[op].inputs)
        chosen = (list(must) + [self.any_term() for _ in range(8)])[: max(inputs, len(must))]
        if op == CURVE:
            chosen = chosen[-1:]
        bounds = [self.bounds[k] for k in chosen]
        if op == PRODUCT and np.prod([float(b) + 1 for b in bounds]) > float(LARGEST) / 2**8:
            op = SUM
        factors = [draw_f32(rng, -2, 2) for _ in range(8)]
        term = Term(
            op=op, inputs=len(chosen), in_=tuple(chosen), factor=tuple(factors),
            offset=draw_f32(rng, -32768, 32768), low=NAN, high=NAN, knots=-7,
            knot_x=(NAN,) * 12, knot_y=(NAN,) * 12,
        )
        counts, bound = OPS[op].counts(term), F32(OPS[op].reach([float(b) for b in bounds]))
        if "factor" not in counts:
            term = replace(term, factor=(NAN,) * 8, offset=NAN)
        reach = min(float(bounds[-1]) / 100 + 0.2, 1e5) if bounds else 0
        if op == BLEND:
            low, high = draw_rising(rng, 2, -reach, reach, 2.0**-9 * max(reach, 1))
            term = replace(term, low=low, high=high)
        if op != CURVE:
            return self.add(term, bound)
        knots = rng.randint(2, 12)
        x = draw_rising(rng, knots, -reach - 1, reach + 1, 2.0**-8 + reach * 2.0**-20)
        y = [draw_f32(rng, -3000, 3000) for _ in range(knots)]
        if rng.random() < 0.5:
            y.sort()
        x, y = (tuple(v) + (NAN,) * (12 - knots) for v in (x, y))
        self.add(replace(term, knots=knots, knot_x=x, knot_y=y), bound)

    def zones(self, partition):
        if partition.zones and self.rng.random() < 0.8:
            most = max(float(self.bounds[z.term]) for z in partition.zone)
            if most < float(LARGEST) / 2**12:
                self.add(Term(op=ZONES, inputs=-9, in_=(50,) * 8), F32(most * 64 + 32768))

    def recipe(self, partition):
        rng = self.rng
        self.zones(partition)
        if rng.random() < 0.6:
            self.operation(*sorted({self.main, len(self.terms) - 1}))
        low_m, high_m = sorted(F32(x) for x in (rng.uniform(-32768, -1), rng.uniform(1, 32768)))
        steep = sorted(draw_f32(rng, 0, rng.choice((1, 1, 1024))) for _ in range(2))
        if rng.random() < 0.2:
            steep = [steep[0]] * 2
        return Recipe(
            spacing_m=self.spacing_m, alias_octaves=self.alias,
            low_m=low_m if rng.random() < 0.9 else F32(-0.0), high_m=high_m,
            sea_m=draw_f32(rng, -500, 500), term=tuple(self.terms), partition=partition,
            water=draw_stops(rng, rng.choice((10, 5000))), steep_low=steep[0], steep_high=steep[1],
            erosion=Erosion(limit=NAN), generator=rng.choice(GENERATORS),
            lakes=Lakes(F32(rng.choice((0.0, -0.0))), -7, 99, -1, NAN, NAN),
        )


# ---- Partitions --------------------------------------------------------------------------------------------


def draw_zones(rng, count, terms):
    zone = []
    for k in range(count):
        name = bytes(rng.randint(1, 255) for _ in range(rng.randint(0, 23))) + b"\0"
        # What follows the terminator is no part of the name.
        name += bytes(rng.randint(0, 255) for _ in range(24 - len(name)))
        zone.append(
            Zone(
                name=name, term=rng.randint(-1, terms - 1), amplitude=draw_f32(rng, -3, 3),
                offset_m=draw_f32(rng, -2000, 2000), share=draw_f32(rng, 0, 1024), colour=draw_colour(rng),
                ground=draw_stops(rng, 3000), steep=draw_stops(rng, 300),
            )
        )
    return tuple(zone)


def draw_bands(rng, zones, reach):
    """(blend, thresholds): gaps of at least blend within -reach .. reach, some exactly blend."""
    if rng.random() < 0.3:
        # Thresholds at multiples of a power of two are exact, so that transitions touch.
        step = 2.0 ** rng.randint(-6, max(-6, int(np.log2(reach)) - 2))
        start = rng.randint(-zones, 1)
        return F32(step), [F32((start + k) * step) for k in range(zones - 1)]
    blend = max(2.0**-10, rng.choice((0.01, 0.5, 1)) * reach / zones * 0.9)
    return F32(blend), draw_rising(rng, zones - 1, -reach, reach, blend) if zones > 1 else []


def draw_partition(rng, draw, kind):
    zones = rng.choice((1, 2, 3, 4, rng.randint(1, 16), 16))
    by = rng.randrange(draw.plain)
    others = [rng.randrange(draw.plain) for _ in range(2)]
    reach = [max(0.1, min(float(draw.bounds[k]) / 200, 2.0**19)) for k in (by, *others)]
    blend, threshold = draw_bands(rng, zones, reach[0])
    if kind == VORONOI:
        blend = rng.choice((F32(0.5), F32(0.25), F32(2.0**-6), draw_f32(rng, 2.0**-6, 0.5)))
    if kind == CLIMATE:
        blend = draw_f32(rng, 2.0**-10, 1)
    rows, columns = rng.randint(1, 16), rng.randint(1, 16)
    table = [rng.randrange(zones) for _ in range(rows * columns)]
    zone = draw_zones(rng, zones, draw.plain)
    if rng.random() < 0.2:
        zone = tuple(replace(z, share=F32(0)) for z in zone)
    partition = Partition(
        kind=kind, zone=zone, blend=blend, by=by, salt=rng.getrandbits(32),
        threshold=tuple(threshold) + (NAN,) * (15 - len(threshold)),
        cell_log2=min(40, max(6, draw.level + rng.randint(2, 10))),
        jitter=draw_f32(rng, 0, 1), rounds=rng.randint(0, 4), temperature=others[0], moisture=others[1],
        cold=F32(-reach[1]), hot=F32(reach[1] * rng.uniform(0, 1)), dry=F32(-reach[2] * rng.uniform(0, 1)),
        wet=F32(reach[2]), table_rows=rows, table_columns=columns,
        table=tuple(table) + (200,) * (256 - len(table)),
    )
    if kind != NOISE:
        partition = replace(partition, threshold=(NAN,) * 15, by=-4)
    if kind != VORONOI:
        partition = replace(partition, cell_log2=99, jitter=NAN, rounds=-1)
    if kind != CLIMATE:
        partition = replace(partition, cold=NAN, hot=NAN, dry=NAN, wet=NAN, table_rows=-1, temperature=-9)
    return partition


# ---- Windows and samples -----------------------------------------------------------------------------------


def octaves_at(world, level):
    """(octave_key, c) of each octave that takes part on the lattice, or could."""
    found = []
    for term in world.recipe.term:
        f = term.fractal
        if term.op != FRACTAL or f.kind in MIDPOINTS:
            continue
        for i, cell in enumerate(places.cells_at(f, level, world.recipe.alias_octaves)):
            c = places.power_of_two(cell)
            if c is not None and f.base[i] not in TRIANGULAR:
                found.append((octave_key(world.seed, f.salt, i), c))
    return found


def draw_coordinate(rng, world, level, axis, extent):
    """Where a window of extent lattice steps starts along an axis."""
    kind = rng.randrange(10)
    octaves = octaves_at(world, level)
    inside = rng.randint(0, extent)
    if kind < 4 and octaves:
        # The edge of a cell, somewhere in the window; often one where the high word of its number changes.
        key, c = rng.choice(octaves)
        k = c - level
        most = LATTICE_MAX >> k
        words = most >> 32
        if words > 0 and rng.random() < 0.7:
            cell = rng.randint(-min(words, 3), min(words, 3)) << 32
        else:
            cell = rng.choice((-1, 0, 1, rng.randint(-most, most)))
        g = (cell << k) - (places.shifts(key, c)[axis] >> level) - inside
    elif kind == 4:
        g = rng.choice((-1, 1)) * 2**33 - inside
    elif kind == 5:
        g = rng.choice((-1, 1)) * 2**48 - inside
    elif kind == 6:
        g = rng.choice((-LATTICE_MAX, LATTICE_MAX - extent, LATTICE_MAX))
    elif kind == 7:
        g = rng.randint(-LATTICE_MAX, LATTICE_MAX)
    elif kind == 8:
        g = 256 * rng.randint(-(2**40), 2**40 - 1)
    else:
        g = rng.randint(-3000, 3000)
    # The limit is one of the first sample: a window may reach past it.
    return max(-LATTICE_MAX, min(LATTICE_MAX, g))


def draw_window(rng, world, level):
    step = rng.choice((1, 1, 1, 1, 2, 4, 256, rng.randint(1, 256)))
    kind = rng.random()
    if kind < 0.8:
        width, height = rng.randint(1, 40), rng.randint(1, 9)
    elif kind < 0.995:
        width, height = rng.choice(WIDE), rng.randint(1, 2)
    else:
        width, height = 4097, 1
    if rng.random() < 0.08:
        width, height = height, width
    gi = draw_coordinate(rng, world, level, 0, (width - 1) * step)
    gj = draw_coordinate(rng, world, level, 1, (height - 1) * step)
    return Window(level, gi, gj, step, width, height)


def draw_samples(rng, window, count):
    """Samples of a window: corners, columns at round numbers, any."""
    columns = [i for i in range(0, window.width, 16)] + [window.width - 1]
    picked = {(0, 0), (window.width - 1, window.height - 1)}
    for _ in range(4 * count):
        if len(picked) >= count:
            break
        if rng.random() < 0.3:
            i = rng.choice(columns) + rng.randint(-1, 1)
        else:
            i = rng.randrange(window.width)
        picked.add((min(max(i, 0), window.width - 1), rng.randrange(window.height)))
    return sorted(picked, key=lambda ij: (ij[1], ij[0]))


def affordable(world, window, samples):
    """How many samples to ask of a window: few where far places of a Voronoi partition share no sites."""
    p = world.recipe.partition
    if p.zones == 1 or p.kind != VORONOI:
        return samples
    cells = max(window.width, window.height) * window.step / 2.0 ** max(0, p.cell_log2 - window.level)
    return samples if cells < 2 else min(samples, 4 if p.rounds > 1 else 12)
