"""Drainage of one field: the numbers of its level, trees that grow over its cells, runoff, heights and hillsides.

Cells are numbers of a field, row by row.
"""
from heapq import heappop, heappush
import math

import numpy as np

from arithmetic import F32
from hashing import absorb, corner

LEAST, MOST, PATCH, ROCK, TRACED, FAR, END, BLOCK, WEAR, DIVERSIONS, RELAX = (16, 23), 64, 4, 8, 4, 1800, 500, 16, 16, 4, 6
TALUS, INCISION, FALL, GENTLE, STEEP, MEAN, WET = 0.62, 0.6, 8, 2.0**-15, 2.0**-12, 512, 16384
SEA, INLAND, NONE, STREAM, LAKE = 8, 9, 15, 16, 32
DX, DY = (1, 1, 0, -1, -1, -1, 0, 1), (0, 1, 1, 1, 0, -1, -1, -1)
HALO, TOP_HALO = 72, 96
UNKNOWN = 1 << 40
DIAGONAL = F32(0.70710678)


def log(x):
    v, digit = 0.0, 1.0
    while x >= 2:
        x, v = x / 2, v + 1
    while x < 1:
        x, v = x * 2, v - 1
    for _ in range(50):
        x, digit = x * x, digit / 2
        if x >= 2:
            x, v = x / 2, v + digit
    return v


def power(x):
    n = math.floor(x)
    x, v, r = x - n, 1.0, 2.0
    for _ in range(50):
        r, x = math.sqrt(r), x * 2
        if x >= 1:
            v, x = v * r, x - 1
    return v * 2.0**n


def bounded(x, most):
    return int(max(-most, min(x, most)))


class Law:
    """The numbers of a level."""

    def __init__(self, world, unit, level, high):
        recipe, rivers = world.recipe, world.recipe.rivers
        coarser = level - rivers.bottom
        self.level, self.base = level, rivers.bottom
        self.key = absorb(absorb(world.seed, 0x447261696E), level)
        side, step = recipe.spacing_m * 2.0**rivers.bottom, recipe.spacing_m * 2.0**level
        s = step / unit
        self.inverse = F32(256 / s)
        self.length = (int(s), int(s * 1.4142135623730951))
        self.talus = (bounded(TALUS * s, 2**29), bounded(TALUS * s * 1.4142135623730951, 2**29))
        self.incision = bounded(INCISION * s, 2**29)
        least = float(FALL ** -(-coarser // 2))
        self.fall = [bounded(max(n * GENTLE, min(least, max(n * STEEP, 1))), 2**24) for n in self.length]
        self.sea, self.shallow, self.cut = (
            bounded(float(x) / unit, 2**29) for x in (recipe.sea_m, rivers.shallow_m, rivers.cut_m)
        )
        self.flat = bounded((float(rivers.shallow_m) + float(rivers.flats) * (step - side)) / unit, 2**29)
        self.most = bounded((high + 896) / unit, 2**30) if recipe.generator >= 16 else UNKNOWN
        self.fill, self.steep = int(rivers.fill * F32(256)), int(float(rivers.steepness) * 256)
        self.rise = int(float(rivers.rise) * unit * 256 * 2.0**32)
        self.own, self.area = int(rivers.runoff_mm + F32(0.5)), 4**coarser
        mean = float(rivers.runoff_mm) if rivers.runoff == -1 else MEAN
        sources = float(rivers.sources_ha) * 10000 / (side * side) * mean
        self.sources = int(sources) + 1 if sources < 2.0**48 else 2**48
        self.far = bounded(float(rivers.inland_km) * 1000 / step * 16, FAR)
        ice, self.ice_span = recipe.ice, 0
        if ice.width_m > 0:
            span, wide = float(ice.full_m) - float(ice.from_m), float(ice.width_m) / step
            self.ice_from = bounded(float(ice.from_m) / unit, 2**29)
            self.ice_span = bounded(span / unit, 2**29) if span > unit else 1
            ends = [min(float(n), wide) for n in range(WEAR + 1)]
            self.ice = [int(256 * ((b - a) - (b * b - a * a) / (2 * wide))) for a, b in zip(ends, ends[1:])]
        self.first, self.theta = log(side * side / MEAN), float(rivers.concavity)
        self.bottom = coarser == 0
        self.smooth = coarser == 0 or coarser % 2 == 1 and recipe.generator >= 9
        self.isotropic = recipe.generator >= 10
        self.clean = recipe.generator >= 11
        self.holds = recipe.generator >= 12
        self.home, self.cut_cells = (1024, 16) if self.isotropic else (2048, 12)
        self.rounds = rivers.rounding if coarser == 0 else 0
        self.coarsest, self.finest = level == rivers.top, coarser == 0 or coarser % 2 == 1

    def cover(self, height):
        """Of ice, of 256."""
        return max(0, min(height - self.ice_from, self.ice_span)) * 256 // self.ice_span

    def slope(self, runoff):
        n = max(runoff, 1).bit_length() - 1
        entry = 8 * n + (8 * runoff >> n & 7)
        return bounded(self.length[0] * power(-self.theta * (self.first + entry / 8)) * 256, 2**38)


class Field:
    """Cells of a window."""

    def __init__(self, law, x, y, ground, rain):
        self.law, self.x, self.y = law, x, y
        self.height, self.width = ground.shape
        self.count = ground.size
        self.g = ground.ravel().tolist()
        self.raw, self.own = self.g[:], [law.own * law.area] * self.count
        if rain is not None:
            self.own = [int(min(max(mm, 0), WET)) * law.area for mm in rain.ravel().tolist()]
        self.z, self.runoff = [0] * self.count, [0] * self.count
        self.to, self.flags, self.fixed = [NONE] * self.count, [0] * self.count, [False] * self.count
        self.stems = [None] * self.count  # of lines

    def beside(self, c):
        """(k, neighbour) of those within the field."""
        y, x = divmod(c, self.width)
        for k in range(8):
            if 0 <= x + DX[k] < self.width and 0 <= y + DY[k] < self.height:
                yield k, c + DY[k] * self.width + DX[k]

    def hashed(self, salt=0):
        gi = np.arange(self.x, self.x + self.width, dtype=np.int64)[None, :].repeat(self.height, 0)
        gj = np.arange(self.y, self.y + self.height, dtype=np.int64)[:, None].repeat(self.width, 1)
        return corner(self.law.key ^ salt, gi.ravel(), gj.ravel()).tolist()

    def fix(self, c, to, z, flags=0, runoff=0):
        self.to[c], self.z[c], self.flags[c], self.runoff[c], self.fixed[c] = to, z, flags, runoff, True

    def set_sea(self, c, z):
        self.fix(c, SEA, z)
        self.g[c] = self.law.sea

    def between(self, salt, size, shift=0):
        """Hashed numbers, 0 .. 255, of nodes size cells apart, and between them; times size squared."""
        x0, y0 = self.x // size, self.y // size
        columns, rows = (self.x + self.width - 1) // size - x0 + 2, (self.y + self.height - 1) // size - y0 + 2
        gi = np.arange(x0, x0 + columns, dtype=np.int64)[None, :].repeat(rows, 0)
        gj = np.arange(y0, y0 + rows, dtype=np.int64)[:, None].repeat(columns, 1)
        node = corner(self.law.key ^ salt, gi.ravel(), gj.ravel()).reshape(rows, columns).astype(np.int64) >> shift & 255
        x, y = np.arange(self.width) + self.x - x0 * size, np.arange(self.height) + self.y - y0 * size
        ix, iy, fx, fy = x // size, y // size, x % size, (y % size)[:, None]
        north = node[iy][:, ix] * (size - fx) + node[iy][:, ix + 1] * fx
        south = node[iy + 1][:, ix] * (size - fx) + node[iy + 1][:, ix + 1] * fx
        return north * (size - fy) + south * fy

    def falls(self, g):
        """(dear, ease) of each cell."""
        p = np.pad(g, 1, constant_values=UNKNOWN)
        near = [p[1 + DY[k] : 1 + DY[k] + self.height, 1 + DX[k] : 1 + DX[k] + self.width] for k in range(8)]
        axis, diagonal = (self.slope(g - np.min(near[k::2], axis=0)) for k in range(2))
        steepest = np.maximum(np.maximum(axis, diagonal * DIAGONAL), F32(0))
        ease = F32(0.6) / (steepest + F32(12))
        return F32(1) + steepest * ease, ease

    def slope(self, over):
        return (over.astype(F32) * self.law.inverse).clip(F32(-1024), F32(1024))

    def costs(self):
        """[k][c]: of running from c to its neighbour k."""
        g = np.array(self.g, np.int64).reshape(self.height, self.width)
        h = (np.array(self.hashed()) & 255).reshape(g.shape)
        grain = (h * h * 20 >> 16) + (self.between(4, PATCH, 8) * 12 >> 12)
        dear, ease = self.falls(g)
        found = []
        for k in range(8):
            m, least = self.slope(g - np.roll(g, (-DY[k], -DX[k]), (0, 1))), F32(LEAST[k % 2])
            fall = m * DIAGONAL if k % 2 else m
            w = (dear - np.maximum(fall, F32(0)) * ease) * least + np.maximum(-m, F32(0))
            found.append((w.clip(least, F32(MOST)).astype(np.int64) + grain).ravel().tolist())
        return found

    def grow(self, bound):
        """(d, cells that have grown, nearest first)"""
        costs, d, order, heap = self.costs(), [UNKNOWN] * self.count, [], []
        ways = [[] for _ in range(self.count)]
        for c in range(self.count):
            if self.fixed[c]:
                d[c] = 0
                heap.append((0, c))
        while heap:
            at, r = heappop(heap)
            if at != d[r]:
                continue
            if not self.fixed[r]:
                order.append(r)
            for k, c in self.beside(r):
                if self.fixed[c]:
                    continue
                by = at + costs[(k + 4) % 8][c]
                if by > bound or by > d[c]:
                    continue
                if by < d[c]:
                    d[c], ways[c] = by, []
                    heappush(heap, (by, c))
                ways[c].append((k + 4) % 8)
        for c in order:
            self.to[c] = min(ways[c])
        return d, order

    def receiver(self, c):
        return c + DY[self.to[c]] * self.width + DX[self.to[c]]

    def rises(self):
        talus = self.law.talus[0]
        if self.law.smooth:
            return (talus >> 1) + ((talus * 7 >> 3) * self.between(3, ROCK) >> 14)
        return (talus >> 3) * (4 + (np.array(self.hashed(3)) & 7)).reshape(self.height, self.width)

    def least_around(self, g, rise):
        """The least of g and of what neighbours allow."""
        diagonal = rise + (rise >> 2) + (rise >> 3)
        p, least = np.pad(g, 1, constant_values=UNKNOWN), g
        for k in range(8):
            part = p[1 + DY[k] : 1 + DY[k] + self.height, 1 + DX[k] : 1 + DX[k] + self.width]
            least = np.minimum(least, part + (diagonal if k % 2 else rise))
        return least

    def wear(self):
        axis = self.rises()
        g = np.array(self.g, np.int64).reshape(self.height, self.width)
        cold = axis * np.array([self.law.cover(h) for h in self.g]).reshape(g.shape) >> 8 if self.law.ice_span else None
        for n in range(WEAR):
            g = self.least_around(g, axis if cold is None else axis - (cold * self.law.ice[n] >> 8))
        self.g = g.ravel().tolist()
        self.lines_come_down()

    def on_line(self, c):
        return self.fixed[c] and self.to[c] < SEA

    def over_lakes(self, c, level):
        return max([level] + [self.z[n] for _, n in self.beside(c) if self.flags[n] & LAKE])

    def lines_come_down(self):
        lowered = list(self.z)
        for dam in range(self.count):
            if not self.on_line(dam) or self.flags[dam] & LAKE or self.g[dam] >= self.z[dam]:
                continue
            way, level = [dam], self.over_lakes(dam, self.g[dam])
            for n in range(1, self.law.cut_cells + 1):
                end = self.receiver(way[-1])
                if n == self.law.cut_cells or self.height_of(end) <= level or not self.on_line(end) or self.flags[end] & LAKE:
                    break
                way.append(end)
                level = self.over_lakes(end, level)
            for c in way:
                lowered[c] = min(lowered[c], max(level, self.height_of(end)))
        self.z = lowered
        for c in filter(self.on_line, range(self.count)):
            self.g[c] = min(self.g[c], self.z[c])

    def stem(self, c):
        """(level, x, y) of the source of what a cell is of."""
        law = self.law
        if self.fixed[c] and not (law.coarsest and self.to[c] == INLAND):
            return self.stems[c]
        traced = self.flags[c] & STREAM and (law.level - law.base) % 2 == 0
        if not traced and not (law.bottom and self.runoff[c] >= law.sources):
            return None
        while donors := [n for _, n in self.beside(c) if not self.fixed[n] and self.to[n] < SEA and self.receiver(n) == c]:
            c = max(donors, key=lambda n: self.runoff[n])
        return law.level, self.x + c % self.width, self.y + c // self.width

    # ---- What follows from the trees

    def settle(self, order):
        for times in range(DIVERSIONS + 1):
            self.gather(order)
            low, spill, self.raised = self.lows(order), {}, set()
            for c in order:
                self.raise_cell(c, low, spill)
            ways = {} if times == DIVERSIONS else self.diversions(order)
            if not ways:
                break
            order = self.divert(order, ways)
        self.relax(order)

    # ---- Walls

    def height_of(self, c):
        return self.law.sea if self.to[c] == SEA else self.z[c]

    def relax(self, order):
        for c in range(self.count):
            if self.fixed[c] and self.to[c] < SEA:
                dry = [self.z[n] for _, n in self.beside(c) if self.moves(n)]
                self.g[c] = min([self.z[c]] + dry)
        self.lines_come_down()
        shape = self.height, self.width
        was = [self.height_of(c) for c in range(self.count)]
        floor = np.array([self.floor(c) for c in range(self.count)]).reshape(shape)
        rise = (self.rises() * (9 if self.law.bottom else 7 if self.law.smooth else 5) >> 3).clip(1, 2**29)
        z = np.array(was, np.int64).reshape(shape)
        for _ in range(RELAX):
            z = np.maximum(floor, self.least_around(z, rise))
        z = z.ravel().tolist()
        ways = {}
        for c in order:
            if z[c] < was[c]:
                self.z[c] = z[c]
                odd = 181 if self.law.isotropic else 256
                ways[c] = min(((z[n] - z[c]) * (odd if k % 2 else 256), k) for k, n in self.beside(c))[1]
        lakes = self.flags[:]
        order = self.divert(order, ways)
        for c in order:
            self.flags[c] = lakes[c] & LAKE
        self.gather(order)
        for c in order:
            if self.to[self.receiver(c)] != SEA:
                self.runoff[c] = min(self.runoff[c], self.runoff[self.receiver(c)])

        if self.law.rounds:
            self.round(order)

    # ---- Hillsides

    def round(self, order):
        law, at = self.law, [self.height_of(c) for c in range(self.count)]
        hills = [c for c in order if not self.flags[c] & LAKE and self.runoff[c] < law.sources]
        among, grown, low, high = set(hills), set(order), {}, {}
        for c in hills:
            r = self.receiver(c)
            room = at[c] - at[r] - law.fall[self.to[c] % 2]
            low[c] = at[c] - (max(room, 0) // 2 if r in among else max(room, 0))
            for _, n in self.beside(c):
                if n not in among and (n in grown or self.fixed[n] and self.to[n] != SEA):
                    low[c] = max(low[c], at[n] + law.fall[1])
            low[c] = min(low[c], at[c])
        for c in order:
            r = self.receiver(c)
            if r in among:
                high[r] = min(high.get(r, UNKNOWN), max(low.get(c, at[c]) - law.fall[self.to[c] % 2], at[r]))
        for _ in range(law.rounds):
            was = at[:]
            for c in hills:
                z = was[c] + sum(was[n] - was[c] >> (4 if k % 2 else 3) for k, n in self.beside(c))
                at[c] = min(max(z, low[c]), high.get(c, UNKNOWN))
        for c in hills:
            self.z[c] = at[c]

    def moves(self, c):
        return not self.fixed[c] and self.to[c] < SEA and not self.flags[c] & LAKE

    def floor(self, c):
        if not self.moves(c):
            return self.height_of(c)
        wet = [self.z[n] for _, n in self.beside(c) if (self.fixed[n] or self.flags[n] & LAKE) and self.to[n] != SEA]
        return min([self.z[c], max(wet) + self.law.fall[1]]) if wet else -UNKNOWN

    def diversions(self, order):
        """{flooded or raised cell: where one beside it is lower than its receiver}"""
        ways = {}
        for c in order:
            lower = [(self.z[n], k) for k, n in self.beside(c) if self.z[n] < self.z[self.receiver(c)]]
            if lower and (self.flags[c] & LAKE or c in self.raised):
                ways[c] = min(lower)[1]
        return ways

    def divert(self, order, ways):
        """The order from receivers up again."""
        into = {}
        for c in order:
            self.to[c], self.flags[c] = ways.get(c, self.to[c]), 0
            into.setdefault(self.receiver(c), []).append(c)
        found = [c for c in order if self.fixed[self.receiver(c)]]
        for c in found:
            found += into.get(c, [])
        return found

    def gather(self, order):
        law, count = self.law, [1] * self.count
        roots = [c for c in range(self.count) if law.coarsest and self.to[c] == INLAND]
        for c in order + roots:
            self.runoff[c] = self.own[c]
        for c in reversed(order):
            r = self.receiver(c)
            if count[c] >= TRACED:
                self.flags[c] |= STREAM
            if not self.fixed[r] or law.coarsest and self.to[r] == INLAND:
                self.runoff[r] += self.runoff[c]
                count[r] += count[c]
        self.drains = count

    def under(self, c):
        if self.law.finest:
            return self.g[c]
        around = [self.g[c]] + [self.g[n] for _, n in self.beside(c)]
        low = min(around) - (max(around) - min(around) >> 3)
        return max(low, self.law.sea) if self.g[c] >= self.law.sea else low

    def lows(self, order):
        self.unders = {c: self.under(c) for c in order}
        low = dict(self.unders)
        for c in reversed(order):
            r = self.receiver(c)
            if not self.fixed[r]:
                low[r] = min(low[r], low[c])
        return low

    def raise_cell(self, c, low, spill):
        law, r, k = self.law, self.receiver(c), self.to[c] % 2
        sea, lake = self.to[r] == SEA, bool(self.flags[r] & LAKE)
        base = law.sea if sea else self.z[r]
        if not sea:
            self.runoff[c] = min(self.runoff[c], self.runoff[r])
        spill[c] = max(self.unders[c], base if self.fixed[r] else spill[r])
        depth = spill[c] - low[c]
        want = low[c] + max(depth * law.fill >> 8, depth - law.cut)
        least = base if lake else base + law.fall[k]
        leaf = ((4, 6, 7) if law.smooth else (3, 5, 6))[self.drains[c] - 1] if self.drains[c] < TRACED else 8
        climb = law.talus[k]
        if self.runoff[c] >= law.sources:
            steep = law.steep + (law.rise * max(0, self.g[c] - law.sea) >> 32)
            rise = steep * law.slope(self.runoff[c]) >> 16
            climb = min(climb, rise * 181 >> 7 if k else rise)
        climb = climb * leaf >> 3
        most = max(base + climb, min(self.g[c] - law.incision, base + law.talus[k]), least)
        if law.ice_span:
            flat = law.talus[k] // 2 * (2**16 - law.cover(self.raw[c]) * law.ice[0]) >> 16
            most = max(base + (climb if law.finest else min(climb, flat)), least)
        self.z[c] = max(least, min(want, most))
        if self.z[c] == least and self.z[c] - self.raw[c] > (0 if lake else law.flat):
            self.flags[c] |= LAKE
            part = 1 if lake else law.shallow // 8 + 1
            self.z[c] += (law.sea - self.z[c]) % part
        elif lake and self.z[c] == base:
            self.z[c] = base + law.fall[k]
        elif not lake and self.z[c] == least and self.z[c] - self.g[c] > law.talus[0] // 8:
            self.raised.add(c)
        self.z[c] = min(self.z[c], law.most)
