"""Erosion: what moved, and how many droplets came by.

Arrays are windows of a level, [y, x], in int64; each stage takes one and gives one that is smaller by what it
reads around, so a halo that is too small shows as a window of another size. Droplets of a phase run side by
side, a member of an array each: they read standing ground, and what they leave is summed in integers, so
their order cannot matter. Base heights are asked for: `heights(level, x, y, width, height)`.
"""
from dataclasses import astuple, replace
import math

import numpy as np

from arithmetic import F32, ONE, ZERO, checked, where
from hashing import U64, absorb, corner, mix
from terms import Terms

NODE = 16  # samples from one node of blended numbers to the next
BLOCK = 4  # cells of a block along each axis
STILL = F32(1e-12)
SAMPLE_MOST, CELL_MOST, TALUS_MOST = 2**26, 2**27, F32(2.0**28)


def clamp(v, bound):
    return np.clip(v, -bound, bound)


def clamp_float(v, bound):
    return where(v < -bound, -bound, where(v > bound, bound, v))


def whole(v):
    """int(v)"""
    return v.astype(np.int64)


def talus_slope(degrees):
    x = float(degrees) * (math.pi / 360)
    y = x * x
    s = x * (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72))))
    c = 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90))))
    return F32(2 * s * c / (c * c - s * s))


class Units:
    """What is counted in what; low and high bound the world's heights."""

    def __init__(self, recipe, low, high):
        self.erosion, self.spacing = recipe.erosion, float(recipe.spacing_m)
        self.levels = len(recipe.erosion.level)
        self.drained = high - low + 1024 if recipe.rivers.top else 0.0
        most = self.drained
        for level in range(self.levels):
            most += self.moved(level)
        self.log2 = -30
        reach = max(-low, high)
        while not (reach + most <= 2.0 ** (29 + self.log2) and most <= 2.0 ** (26 + self.log2)):
            self.log2 += 1
        self.unit = 2.0**self.log2
        self.sea = int(clamp(int(float(recipe.sea_m) / self.unit), 2**30))

    def moved(self, level):
        one = self.erosion.level[level]
        return (one.phases + one.slides + one.creep) * float(self.erosion.limit) * self.spacing * 2.0**level

    def sample(self, level):
        """S_l"""
        return self.spacing * 2.0**level / self.unit

    def limit(self, level):
        return min(int(float(self.erosion.limit) * self.sample(level)), SAMPLE_MOST)

    def bound(self, level):
        total = self.drained
        for k in range(level, self.levels):
            total += self.moved(k)
        return min(int(total / self.unit), SAMPLE_MOST)


# ---- From the parent ---------------------------------------------------------------------------------------


def parents(first, count):
    """(first, count) of the parent's samples that between() takes for samples first .. first + count - 1."""
    low, high = (first >> 1) - 1, (first + count - 1 >> 1) + 2
    return low, high - low + 1


def between(values, first, count, middle):
    """Along the last axis, from the samples that parents() names."""
    at = np.arange(first, first + count)
    b = (at >> 1) - parents(first, count)[0]
    odd = middle(values[..., b - 1], values[..., b], values[..., b + 1], values[..., b + 2])
    return np.where(at % 2 == 1, odd, values[..., b])


def doubled(values, window, middle):
    x, y, width, height = window
    values = between(values, x, width, middle)
    return between(values.T, y, height, middle).T


def cubic(a, b, c, d):
    return 9 * (b + c) - (a + d) + 8 >> 4


def mean(_a, b, c, _d):
    return b + c + 1 >> 1


# ---- Steering ----------------------------------------------------------------------------------------------


class Steering:
    """The numbers of struct terrane_droplets over a window, by name; talus as a slope."""

    def __init__(self, world, level, window):
        self.world, self.level, self.window = world, level, window
        zones = [replace(zone, talus_deg=talus_slope(zone.talus_deg)) for zone in world.recipe.erosion.zone]
        names = list(zones[0].__dataclass_fields__)
        self.node_weights = None
        self.number = {
            name: self.over_window(numbers) for name, numbers in zip(names, zip(*map(astuple, zones)))
        }

    def over_window(self, numbers):
        _, _, width, height = self.window
        if all(n == numbers[0] for n in numbers):
            return np.full((height, width), numbers[0], F32)
        return self.blended(numbers)

    def nodes(self):
        """First column, first row, columns, rows of nodes around the window."""
        x, y, width, height = self.window
        columns, rows = (x + width - 1) // NODE - x // NODE + 2, (y + height - 1) // NODE - y // NODE + 2
        return x // NODE, y // NODE, columns, rows

    def weights(self):
        if self.node_weights is None:
            column, row, columns, rows = self.nodes()
            ends = np.arange(row, row + rows), np.arange(column, column + columns)
            gj, gi = np.meshgrid(*ends, indexing="ij")
            asked = Terms(self.world, self.level, gi.ravel() * NODE, gj.ravel() * NODE).weights()
            self.node_weights = [checked(w.v).reshape(rows, columns) for w in asked]
        return self.node_weights

    def blended(self, numbers):
        x, y, width, height = self.window
        column, row, columns, rows = self.nodes()
        at_nodes = np.zeros((rows, columns), F32)
        for weight, number in zip(self.weights(), numbers):
            at_nodes = at_nodes + weight * number
        gj, gi = np.meshgrid(np.arange(y, y + height), np.arange(x, x + width), indexing="ij")
        i, j = gi // NODE - column, gj // NODE - row
        f, g = ((at % NODE).astype(F32) * F32(0.0625) for at in (gi, gj))
        a, b, c, d = at_nodes[j, i], at_nodes[j, i + 1], at_nodes[j + 1, i], at_nodes[j + 1, i + 1]
        north, south = a + f * (b - a), c + f * (d - c)
        return north + g * (south - north)


# ---- Droplets ----------------------------------------------------------------------------------------------


def births(key, window, density):
    """(x, y, u, v) of the droplets born in the window's cells; x and y are counted from its corner."""
    x, y, width, height = window
    cells = (width - 1, height - 1)
    blocks = [np.arange(at // BLOCK, (at + n - 1) // BLOCK + 1) for at, n in zip((x, y), cells)]
    by, bx = (b.ravel() for b in np.meshgrid(blocks[1], blocks[0], indexing="ij"))
    h = corner(key, bx, by)
    count = density(bx * BLOCK, by * BLOCK) * F32(16) + (h >> 8).astype(np.int64).astype(F32) * F32(2.0**-24)
    count, draw, found = whole(count), h.astype(np.uint64), []
    for n in range(int(count.max(initial=0))):
        draw = mix(draw + key & U64)
        q = (draw >> 32).astype(np.int64)
        u, v = (q >> 4 & 16383).astype(F32) * F32(2.0**-14), (q >> 18).astype(F32) * F32(2.0**-14)
        column, row = bx * BLOCK + (q & 3) - x, by * BLOCK + (q >> 2 & 3) - y
        inside = (n < count) & (column >= 0) & (column < cells[0]) & (row >= 0) & (row < cells[1])
        found.append([member[inside] for member in (column, row, u, v)])
    if not found:
        return [np.zeros(0, np.int64)] * 2 + [np.zeros(0, F32)] * 2
    return [np.concatenate(members) for members in zip(*found)]


class Ground:
    """Standing ground, as droplets see it."""

    def __init__(self, g, slope_unit, sea):
        self.g, self.k, self.sea = g, slope_unit, sea

    def at(self, x, y, u, v):
        """(z, gx, gy, rise)"""
        g, k = self.g, self.k
        z = g[y, x]
        e, o, b = ((there - z).astype(F32) * k for there in (g[y, x + 1], g[y + 1, x], g[y + 1, x + 1]))
        gx = e + v * ((b - o) - e)
        gy = o + u * ((b - e) - o)
        return z, gx, gy, u * gx + v * o

    def dry(self, z, rise):
        return (z - self.sea).astype(F32) * self.k + rise >= ZERO


class Droplets:
    """Those of one phase that live, and what they left in cells."""

    MEMBERS = "x y u v z gx gy rise dx dy load speed water own".split()

    def __init__(self, ground, born, steering):
        self.ground = ground
        self.x, self.y, self.u, self.v = born
        height, width = ground.g.shape
        self.left = np.zeros((height - 1, width - 1), np.int64)
        self.steps = np.zeros((height - 1, width - 1), np.int64)
        self.numbers = {name: values[self.y, self.x] for name, values in steering.number.items()}
        self.own = np.arange(len(self.x))
        self.z, self.gx, self.gy, self.rise = ground.at(self.x, self.y, self.u, self.v)
        self.dx = self.dy = np.zeros(len(self.x), F32)
        self.load = np.zeros(len(self.x), np.int64)
        self.speed, self.water = self.number("speed"), self.number("water")
        self.keep(ground.dry(self.z, self.rise))

    def number(self, name):
        return self.numbers[name][self.own]

    def keep(self, those):
        for member in self.MEMBERS:
            setattr(self, member, getattr(self, member)[those])

    def leave(self, x, y, amount):
        np.add.at(self.left, (y, x), amount)
        np.add.at(self.steps, (y, x), 1)

    def end(self, those):
        """What they carry is left where they are."""
        self.leave(self.x[those], self.y[those], self.load[those])
        self.keep(~those)

    def turn(self):
        inertia = self.number("inertia")
        self.dx = self.dx * inertia - self.gx * (ONE - inertia)
        self.dy = self.dy * inertia - self.gy * (ONE - inertia)
        n2 = self.dx * self.dx + self.dy * self.dy
        self.end(~(n2 >= STILL))
        n2 = n2[n2 >= STILL]
        self.dx, self.dy = (d * (ONE / np.sqrt(n2)) for d in (self.dx, self.dy))

    def move(self):
        """(x, y, u, v) where they go."""
        out = []
        for cell, part in ((self.x, self.u + self.dx), (self.y, self.v + self.dy)):
            ahead, behind = part >= ONE, part < ZERO
            cell = cell + ahead - behind
            out.append((cell, where(ahead, part - ONE, where(behind, part + ONE, part))))
        (x, u), (y, v) = out
        height, width = self.left.shape
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        # One that leaves is too far from what is asked to count: `phase` gives out a smaller window.
        self.keep(inside)
        return x[inside], y[inside], u[inside], v[inside]

    def amounts(self, climb, limit):
        held = self.load.astype(F32) * F32(2.0**-16)
        free = ((ZERO - climb) * self.speed) * (self.water * self.number("capacity"))
        least = self.number("min_capacity")
        c = where(free < least, least, free)
        up = where(climb < held, climb, held)
        taken, fall = (c - held) * self.number("erosion"), ZERO - climb
        taken = where(taken < fall, taken, fall)
        down = where(held > c, (held - c) * self.number("deposition"), ZERO - taken)
        left = clamp_float(where(climb > ZERO, up, down), limit)
        return np.minimum(whole(left * F32(65536)), np.maximum(self.load, 0))

    def step(self, limit):
        self.turn()
        x, y, u, v = self.move()
        z, gx, gy, rise = self.ground.at(x, y, u, v)
        climb = (z - self.z).astype(F32) * self.ground.k + (rise - self.rise)
        amount = self.amounts(climb, limit)
        self.leave(self.x, self.y, amount)
        self.load = self.load - amount
        s2 = self.speed * self.speed - climb * self.number("gravity")
        self.speed = np.sqrt(where(s2 > ZERO, s2, ZERO))
        self.water = self.water * (ONE - self.number("evaporation"))
        self.x, self.y, self.u, self.v, self.z, self.gx, self.gy, self.rise = x, y, u, v, z, gx, gy, rise
        self.end(~self.ground.dry(z, rise))

    def run(self, steps, limit):
        for i in range(steps):
            self.keep(F32(i) < self.number("lifetime"))
            if len(self.x) == 0:
                break
            self.step(limit)


def spread(m):
    """Cells to samples, along the last axis; the first of the given is two before the first sample."""
    return m[..., :-3] + m[..., 3:] + 3 * (m[..., 1:-2] + m[..., 2:-1]) + 4 >> 3


def around(g):
    """The 3 x 3 samples around each but the outermost, itself in the middle."""
    height, width = g.shape
    return [g[1 + j : height - 1 + j, 1 + i : width - 1 + i] for j in (-1, 0, 1) for i in (-1, 0, 1)]


def inner(values, margin):
    height, width = values.shape
    return values[margin : height - margin, margin : width - margin]


def moving_mean(values, log2):
    """Of 2^log2 numbers along the last axis, which gets shorter by one less."""
    sums = np.cumsum(np.pad(values, ((0, 0), (1, 0))), axis=1)
    return sums[:, 1 << log2 :] - sums[:, : -(1 << log2)] + (1 << log2 >> 1) >> log2


# ---- The pyramid -------------------------------------------------------------------------------------------


class Erosion:
    def __init__(self, world, low, high, heights):
        self.world, self.heights = world, heights
        self.units = Units(world.recipe, low, high)

    def halo(self, level):
        if level >= self.units.levels:
            return 0
        one = self.world.recipe.erosion.level[level]
        return one.phases * (one.steps + 2) + one.slides + one.creep + (1 << self.detail_log2(level)) - 1

    def detail_log2(self, level):
        recipe = self.world.recipe
        if recipe.generator < 12 or not recipe.rivers.top:
            return 0
        return {1: 2, 2: 3, 3: 3}.get(recipe.rivers.bottom - level, 0)

    def with_halo(self, level, x, y, width, height):
        halo = self.halo(level)
        return (x - halo, y - halo, width + 2 * halo, height + 2 * halo)

    def asked(self, level, *window):
        """(level, window) of all heights that eroding a window asks for."""
        if level >= self.units.levels:
            return []
        window = self.with_halo(level, *window)
        (x, width), (y, height) = parents(window[0], window[2]), parents(window[1], window[3])
        return [(level, window)] + self.asked(level + 1, x, y, width, height)

    def eroded(self, level, x, y, width, height):
        """(D, F) of a window."""
        if level >= self.units.levels:
            return [np.zeros((height, width), np.int64)] * 2
        halo = self.halo(level)
        window = self.with_halo(level, x, y, width, height)
        inherited, flow = self.inherited(level, window)
        base = whole(self.heights(level, *window) * F32(1.0 / self.units.unit))
        g, moving_flow = self.eroded_ground(level, window, base + inherited)
        assert g.shape == (height, width)
        return g - inner(base, halo), np.minimum(inner(flow, halo) + moving_flow, 2**32 - 1)

    def inherited(self, level, window):
        """(what the parent moved, its flow) at the window's samples."""
        if level + 1 >= self.units.levels:
            return [np.zeros((window[3], window[2]), np.int64)] * 2
        (x, width), (y, height) = parents(window[0], window[2]), parents(window[1], window[3])
        moved, flow = self.eroded(level + 1, x, y, width, height)
        bound = self.units.bound(level + 1)
        up = doubled(clamp(moved, bound), window, cubic)
        return clamp(up, bound), doubled(flow, window, mean)

    def eroded_ground(self, level, window, g):
        one = self.world.recipe.erosion.level[level]
        steering = Steering(self.world, level, window)
        flow, before = np.zeros_like(g), g
        for p in range(one.phases):
            g, more = self.phase(level, p, window, g, steering)
            margin = one.steps + 2
            flow = inner(flow, margin) + more
            window, steering = self.cropped(window, steering, margin)
        for k in range(one.slides + one.creep):
            g = self.slide(level, g, steering, k >= one.slides)
            flow = inner(flow, 1)
            window, steering = self.cropped(window, steering, 1)
        log2 = self.detail_log2(level)
        before, reach = inner(before, (before.shape[0] - g.shape[0]) // 2), (1 << log2) - 1
        if log2:
            most = min(self.units.limit(level) * (one.phases + one.slides + one.creep), SAMPLE_MOST)
            shift = next(s for s in range(27) if most >> s <= 2**14)
            moved = (g >> shift) - (before >> shift) << shift
            average = moving_mean(moving_mean(moving_mean(moving_mean(moved, log2), log2).T, log2), log2).T
            moved = inner(moved, reach)
            g = inner(g, reach) - np.clip(average, moved + (1 << shift) - 1 - most, moved - (1 << shift) + 1 + most)
        return g, inner(flow, reach)

    @staticmethod
    def cropped(window, steering, margin):
        x, y, width, height = window
        window = (x + margin, y + margin, width - 2 * margin, height - 2 * margin)
        steering.number = {name: inner(values, margin) for name, values in steering.number.items()}
        return window, steering

    def phase(self, level, p, window, g, steering):
        """(ground, flow of this phase), steps + 2 smaller on every side."""
        units, recipe = self.units, self.world.recipe
        sample, steps = F32(units.sample(level)), recipe.erosion.level[level].steps
        key = absorb(absorb(absorb(self.world.seed, 11), level), p)

        def density(gi, gj):
            # Blocks begin outside of the window, too.
            x, y = int(gi.min()), int(gj.min())
            size = (int(gi.max()) - x + 1, int(gj.max()) - y + 1)
            return Steering(self.world, level, (x, y, *size)).number["density"][gj - y, gi - x]

        ground = Ground(g, ONE / sample, units.sea)
        droplets = Droplets(ground, births(key, window, density), steering)
        droplets.run(steps, recipe.erosion.limit)
        sums = droplets.left.astype(np.uint64).astype(np.uint32).view(np.int32).astype(np.int64)
        s = spread(spread(clamp(sums, CELL_MOST)).T).T
        height, width = s.shape
        # s begins two samples from the edge; the next steps samples may have met droplets from beyond it.
        move = s.astype(F32) * (sample * F32(2.0**-16))
        move = clamp(whole(clamp_float(move, F32(units.limit(level)))), units.limit(level))
        near = np.array(around(inner(g, 1)))
        assert near.shape[1:] == (height, width)
        moved = np.clip(near[4] + move, near.min(axis=0), near.max(axis=0))
        n = droplets.steps % 2**32
        flow = 4 * (n[:-1, :-1] + n[:-1, 1:] + n[1:, :-1] + n[1:, 1:])
        return inner(moved, steps), inner(flow, steps + 1)

    def slide(self, level, g, steering, creeps):
        """One sample smaller on every side."""
        limit = self.units.limit(level)
        talus = steering.number["talus_deg"] * F32(self.units.sample(level))
        talus = whole(where(talus < TALUS_MOST, talus, TALUS_MOST)) * (not creeps)
        gain = np.zeros_like(inner(g, 1))
        for k, (there, steep) in enumerate(zip(around(g), around(talus))):
            d, t, shift = there - inner(g, 1), steep + inner(talus, 1), 3
            if k in (0, 2, 6, 8):
                t, shift = t + (t >> 2) + (t >> 3) + (t >> 5), 4
            gain += np.sign(d) * np.minimum(np.maximum(0, abs(d) - (t >> 1)) >> shift, limit >> 3)
        near = around(g)
        middle, rim = near.pop(4), np.min(near, axis=0)
        filled = np.maximum(middle + gain, np.minimum(rim, middle + limit))
        return np.where(middle < rim, filled, middle + gain)
