"""Edits: operations over the ground of a level, in Python's own integers (arrays of objects), which do not end."""
from dataclasses import dataclass
import math
import struct

import numpy as np

from arithmetic import F32
from hashing import KEY, siphash128
from terms import Terms

RAISE, LOWER, LEVEL, SMOOTH, SHARPEN, NOISE, RESTORE, MARK, WAY = range(9)
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
    slope: int = 0
    line: tuple = ()  # of (x, y, height)

    def numbers(self):
        return self.brush, self.x, self.y, self.inner, self.outer, self.strength, self.height, self.term

    def words(self):
        return " ".join(map(str, (*self.numbers(), self.slope, len(self.line), *(v for point in self.line for v in point))))


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

    if edit.brush == WAY:
        return integers(way_share(math.sqrt(d2) * 2.0**fine, finely(inner), finely(radius), whole) if d2 < radius * radius else 0
                        for d2 in (way_near(edit, x, y) for x, y in zip(*parts_from(edit, level, gi, gj))))

    east, south = finely(gi * 16 * 2**level - edit.x), finely(gj * 16 * 2**level - edit.y)
    ring, far = finely(radius) - finely(inner), finely(radius)

    def one(square):
        if square <= finely(inner) ** 2:
            return whole
        if square >= far**2:
            return 0
        return of(fade(((far - math.isqrt(square)) * (2**41 // ring) + 2**24) >> 25), whole)

    return integers(one(square) for square in east * east + south * south)


def parts_from(edit, level, gi, gj):
    return ([float(v) for v in g * 16 * 2**level - at] for g, at in ((gi, edit.x), (gj, edit.y)))


def segments(way):
    """Of a line, in binary64: (x, y, unit vector, length), from the way's first point."""
    for (ax, ay, _), (bx, by, _) in zip(way.line, way.line[1:]):
        x, y = float(bx - ax), float(by - ay)
        length = way_apart(x, y)
        yield float(ax - way.x), float(ay - way.y), x / length, y / length, length


def way_near(way, x, y):
    """The square of the distance to the line."""
    def one(px, py, ux, uy, length):
        dx, dy = x - px, y - py
        t = min(max(dx * ux + dy * uy, 0.0), length)
        return (dx - t * ux) * (dx - t * ux) + (dy - t * uy) * (dy - t * uy)

    return min(one(*segment) for segment in segments(way))


def way_share(distance, inner, outer, whole):
    if distance <= inner:
        return whole
    if distance >= outer:
        return 0
    return of(fade(((outer - math.floor(distance)) * (2**41 // (outer - inner)) + 2**24) >> 25), whole)


def way_apart(x, y):
    return math.sqrt(x * x + y * y)


def cone(along, d, length, rise, slope, fall):
    """The least of a segment's cones, from its start's height."""
    foot = along - d * (rise / fall)
    t = min(max(foot, 0.0), length)
    return d * fall + rise * along if t == foot else rise * t + slope * way_apart(along - t, d)


def way_height(way, slope, x, y):
    """The surface of Paths, over the whole line and with a disc of no radius."""
    least, greatest = 2.0**60, -(2.0**60)
    for (px, py, ux, uy, length), a, b in zip(segments(way), way.line, way.line[1:]):
        rise = min(max(float(b[2] - a[2]) / length, -0.999 * slope), 0.999 * slope)
        fall = math.sqrt(slope * slope - rise * rise)
        dx, dy = x - px, y - py
        along, d = dx * ux + dy * uy, abs(dx * uy - dy * ux)
        least = min(least, a[2] + cone(along, d, length, rise, slope, fall))
        greatest = max(greatest, a[2] - cone(along, d, length, -rise, slope, fall))
    ends = [(end[2], slope * way_apart(x - (end[0] - way.x), y - (end[1] - way.y))) for end in (way.line[0], way.line[-1])]
    high, low = min(z + reach for z, reach in ends), max(z - reach for z, reach in ends)
    return math.floor(max(min((least + greatest) / 2, high), low) + 0.5)


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
        if edit.brush == WAY:
            slope = float(edit.slope) * float(self.world.recipe.spacing_m) * 2.0**-6
            to = integers(way_height(edit, slope, x, y) if p else 0 for x, y, p in zip(*parts_from(edit, self.level, self.gi, self.gj), part))
            return of(to - here, part)
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
        if self.world.recipe.generator >= 16:
            added = self.heights + F32(2.0**-14) * np.array([F32(int(v)) for v in self.delta], F32)
            moved = np.where(abs(self.base) == 2**30, added, moved)
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
        line = struct.pack("<i", edit.slope) + b"".join(struct.pack("<qqi", *point) for point in edit.line) if edit.line else b""
        made = siphash128(KEY, made + struct.pack("<Iqqiiiii", *edit.numbers()) + line)
    return made
