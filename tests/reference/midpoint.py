"""Midpoint displacement: points of one lattice, asked for from the finest subdivision down.

Points are (u, v) as int64 arrays. `Subdivisions.values` asks each coarser subdivision once, for all that the
finer one needs of it.
"""
import numpy as np

from arithmetic import F32, ONE, QUARTER, ZERO, where, without_slopes
from fractals import MIDPOINT_SMOOTHED, amplitudes
from hashing import U64, corner, octave_key, unit
from places import power_of_two

DIAGONAL = ((-1, -1), (1, 1), (1, -1), (-1, 1))
STRAIGHT = ((-1, 0), (1, 0), (0, -1), (0, 1))


class Subdivisions:
    def __init__(self, world, fractal):
        self.world, self.fractal = world, fractal
        self.a = amplitudes(fractal, fractal.octaves)
        self.full = max(fractal.offset * self.a[0], F32(2.0**-126))

    def drawn(self, i, u, v):
        return unit(corner(octave_key(self.world.seed, self.fractal.salt, i), u, v))

    def moved(self, i, u, v, four):
        """A point amid four others."""
        a, b, c, d = four
        mean = ((a + b) + (c + d)) * QUARTER
        if i >= self.fractal.octaves:
            return mean
        reach = self.a[i]
        if self.fractal.kind == MIDPOINT_SMOOTHED:
            share = mean / self.full
            reach = reach * where(share > ZERO, where(share < ONE, share, ONE), ZERO)
        return mean + reach * self.drawn(i, u, v)

    def values(self, i, u, v):
        if i == 0:
            return self.a[0] * self.drawn(0, u, v)
        odd = (u & 1) + (v & 1)
        # First the points with both odd, the samples' own and those around points with one odd.
        straight = [(u[odd == 1] + x, v[odd == 1] + y) for x, y in STRAIGHT]
        u_2 = np.concatenate([u[odd == 2]] + [x[x & y & 1 == 1] for x, y in straight])
        v_2 = np.concatenate([v[odd == 2]] + [y[x & y & 1 == 1] for x, y in straight])
        around = [(u_2 + x, v_2 + y) for x, y in DIAGONAL]
        even = [(x[~x & ~y & 1 == 1], y[~x & ~y & 1 == 1]) for x, y in straight]
        u_0, v_0 = (np.concatenate(parts) for parts in zip((u[odd == 0], v[odd == 0]), *around, *even))
        coarse, index = np.unique(np.stack([u_0, v_0]), axis=1, return_inverse=True)
        known = self.values(i - 1, coarse[0] >> 1, coarse[1] >> 1)[index.reshape(-1)]
        points = dict(zip(zip(u_0.tolist(), v_0.tolist()), known))

        def look_up(u, v):
            return np.array([points[key] for key in zip(u.tolist(), v.tolist())], F32)

        middle = self.moved(i, u_2, v_2, [look_up(x, y) for x, y in around])
        points.update(zip(zip(u_2.tolist(), v_2.tolist()), middle))
        edges = self.moved(i, u[odd == 1], v[odd == 1], [look_up(x, y) for x, y in straight])
        points.update(zip(zip(u[odd == 1].tolist(), v[odd == 1].tolist()), edges))
        return look_up(u, v)


def wrapped(g, bits):
    """g * 2^bits modulo 2^64, as int64."""
    return np.array([int(n) << bits & U64 for n in g], np.uint64).view(np.int64)


def value(world, fractal, level, gi, gj):
    c = power_of_two(fractal.cell)
    subdivisions = Subdivisions(world, fractal)
    if level > c:
        return without_slopes(subdivisions.values(0, wrapped(gi, level - c), wrapped(gj, level - c)))
    return without_slopes(subdivisions.values(c - level, gi, gj))
