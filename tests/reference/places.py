"""Where a sample stands: which octaves take part, and the cell and the place in it, both ways.

gi and gj are arrays of int64. What passes 64 bits is worked out in Python's integers.
"""
import numpy as np

from arithmetic import F32, ONE, ZERO, where
from bases import TRIANGULAR
from hashing import absorb

SKEW = 0.36602540378443865
FARTHEST = F32(2.0**20)


def cells_at(fractal, level, alias_octaves):
    """The cells of the octaves that take part, coarsest first, in level-0 samples."""
    cells, cell = [], float(fractal.cell)
    while len(cells) < fractal.octaves and cell >= 2.0 ** (level + 1 - alias_octaves):
        cells.append(cell)
        cell = cell / float(fractal.lacunarity)
    return cells


def power_of_two(cell):
    """c where cell = 2^c, c >= 0, else None."""
    if cell < 1 or cell != int(cell) or int(cell) & int(cell) - 1:
        return None
    return int(cell).bit_length() - 1


def shifts(key, c):
    mask = (1 << c) - 1
    return absorb(key, 1) & mask, absorb(key, 2) & mask


def on_the_lattice(key, c, level, gi, gj):
    cells, places = [], []
    for g, shift in zip((gi, gj), shifts(key, c)):
        k = c - level
        u = g + (shift >> level)
        num = (u & (1 << k) - 1) << level | shift & (1 << level) - 1
        assert ((0 <= num) & (num < 1 << c)).all()
        cells.append(u >> k)
        places.append(num.astype(F32) * F32(2.0**-c))
    return (*cells, *places)


def integers(g):
    """An array of Python's integers."""
    return np.array([int(n) for n in g], dtype=object)


def point_by_point(base, key, cell, level, gi, gj):
    x, y = integers(gi) << level, integers(gj) << level
    if base in TRIANGULAR:
        own, cross = (4 * int((2.0**62 / cell) * f) for f in (1.0 + SKEW, SKEW))
    else:
        own, cross = 4 * int(2.0**62 / cell), 0
    p_x = (x * own + absorb(key, 1) >> 32) + (y * cross >> 32)
    p_y = (x * cross >> 32) + (y * own + absorb(key, 2) >> 32)
    cells = [(p >> 32).astype(np.int64) for p in (p_x, p_y)]
    places = [((p & (1 << 32) - 1) >> 8).astype(np.int64).astype(F32) * F32(2.0**-24) for p in (p_x, p_y)]
    return (*cells, *places)


def displaced(base, place, metres, per_metre):
    """The place moved by metres = (d_x, d_y)."""
    e_x, e_y = (d * per_metre for d in metres)
    if base in TRIANGULAR:
        skew = (e_x + e_y) * F32(SKEW)
        e_x, e_y = e_x + skew, e_y + skew
    cells, places = [], []
    for cell, t, e in zip(place[:2], place[2:], (e_x, e_y)):
        t = t + where(e < -FARTHEST, -FARTHEST, where(e > FARTHEST, FARTHEST, e))
        down = np.floor(t)
        cells.append(cell + down.astype(np.int64))
        places.append(t - down)
        assert ((ZERO <= places[-1]) & (places[-1] <= ONE)).all()
    return (*cells, *places)
