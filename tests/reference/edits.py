"""Edits: operations over the ground of a level, in Python's own integers (arrays of objects), which do not end."""
from dataclasses import astuple, dataclass
import math
import struct

import numpy as np

from arithmetic import F32
from hashing import KEY, siphash128
from terms import Terms

RAISE, LOWER, LEVEL, SMOOTH, SHARPEN, NOISE, RESTORE, MARK = range(8)
READERS = (SMOOTH, SHARPEN)
WHOLE = 65536


@dataclass
class Edit:
    brush: int
    x: int
    y: int
    inner: int = 0
    outer: int = 0
    strength: int = 0
    height: int = 0
    term: int = 0

    def words(self):
        return " ".join(map(str, astuple(self)))


def integers(values):
    return np.array([int(v) for v in values], object)


def units(heights):
    def one(h):
        h = min(max(float(h) * 16384, -(2.0**30)), 2.0**30)
        return math.floor(h + 0.5) if h >= 0 else -math.floor(-h + 0.5)

    return integers(one(h) for h in heights)


def of(v, share):
    return (v * share + 32768) >> 16


def held(v, most):
    return np.minimum(np.maximum(v, -most), most)


def fade(t):
    cube, rest = (t * t * t) >> 18, 10 * 2**28 - ((t * (15 * 65536 - 6 * t)) >> 4)
    return (cube * rest + 2**41) >> 42


def shares(edit, level, gi, gj):
    """Of samples: what of an operation each of them gets."""
    none = integers([0] * len(gi))
    if edit.brush == MARK:
        return none
    least = 32 * 2**level
    radius, inner, whole = edit.outer, edit.inner, WHOLE
    if radius < least:
        radius, inner, whole = least, inner * least // radius, radius**2 * WHOLE // least**2
    fine = 24 - (radius.bit_length() - 1)

    def finely(v):
        return v * 2**fine if fine >= 0 else v >> -fine

    east, south = finely(gi * 16 * 2**level - edit.x), finely(gj * 16 * 2**level - edit.y)
    ring, far = finely(radius) - finely(inner), finely(radius)

    def one(square):
        if square <= finely(inner) ** 2:
            return whole
        if square >= far**2:
            return 0
        return of(fade(((far - math.isqrt(square)) * (2**41 // ring) + 2**24) >> 25), whole)

    return integers(one(square) for square in east * east + south * south)


class Ground:
    """Samples of a level of a world, under operations."""

    def __init__(self, world, level, gi, gj):
        self.world, self.level, self.gi, self.gj = world, level, integers(gi), integers(gj)
        self.terms = Terms(world, level, np.array(gi, np.int64), np.array(gj, np.int64))
        self.heights = self.terms.last().v
        self.base = units(self.heights)
        self.delta = integers([0] * len(gi))

    def apply(self, edits):
        for k, edit in enumerate(edits):
            share = shares(edit, self.level, self.gi, self.gj)
            if share.any():
                added = np.where(share > 0, self.added(edit, of(edit.strength, share), edits[:k]), 0)
                self.delta = held(self.delta + added, 2**26)

    def added(self, edit, part, before):
        here = self.base + self.delta
        if edit.brush in (RAISE, LOWER):
            return part if edit.brush == RAISE else -part
        if edit.brush == LEVEL:
            return of(edit.height - here, part)
        if edit.brush == NOISE:
            return of(held(units(self.terms.term(edit.term).v), 2**26), part)
        if edit.brush == RESTORE:
            return of(-self.delta, part)
        mean = self.means(edit, before)
        return of(mean - here if edit.brush == SMOOTH else here - mean, part)

    def means(self, edit, before):
        level = max(self.level, edit.outer.bit_length() - 1 - 8)
        finer = level - self.level
        i, j = self.gi >> finer, self.gj >> finer
        west, north = min(i) - 5, min(j) - 5
        columns, rows = max(i) + 7 - west, max(j) + 7 - north
        read = Ground(self.world, level, np.tile(np.arange(west, west + columns), rows), np.repeat(np.arange(north, north + rows), columns))
        read.apply([one for one in before if one.brush not in READERS])
        means = pyramids((read.base + read.delta).reshape(rows, columns))
        along_x, along_y = (spline(g - (g >> finer) * 2**finer, 2**finer) for g in (self.gi, self.gj))

        row, first = ((g - low - 5).astype(np.int64) for g, low in ((j, north), (i, west)))

        def column(a):
            return (128 + sum(along_y[b] * means[row + b, first + a] for b in range(4))) >> 8

        return (2**23 + sum(along_x[a] * column(a) for a in range(4))) >> 24

    def edited(self):
        moved = F32(2.0**-14) * np.array([F32(int(v)) for v in self.base + self.delta], F32)
        return np.where(self.delta == 0, self.heights, moved)


def pyramids(ground):
    """Of all samples that have four on every side."""
    weights = [5 - abs(k) for k in range(-4, 5)]
    rows, columns = (n - 8 for n in ground.shape)
    across = sum(w * ground[:, k : k + columns] for k, w in enumerate(weights))
    return (312 + sum(w * across[k : k + rows] for k, w in enumerate(weights))) // 625


def spline(t, n):
    before, after = (n - t) ** 3 * WHOLE // (6 * n**3), (n**3 + 3 * t * (n**2 + n * t - t**2)) * WHOLE // (6 * n**3)
    last = t**3 * WHOLE // (6 * n**3)
    return before, WHOLE - before - after - last, after, last


def digest(edits):
    made = bytes(16)
    for edit in edits:
        made = siphash128(KEY, made + struct.pack("<Iqqiiiii", *astuple(edit)))
    return made
