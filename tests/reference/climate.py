"""Climate: bands, winds and rain at nodes, all nodes at once, in binary32."""
import numpy as np

from arithmetic import F32, FOUR, HALF, ONE, THREE, TWO, ZERO, where
from hashing import absorb
from nodes import noise, spline

TEMPERATURE, PRECIPITATION, WARMTH = range(3)
AT = [F32(x) for x in (0, 0.15, 0.31, 0.5, 0.7, 1)]
WET = [F32(x) for x in (1.7, 1.3, 0.5, 1, 0.9, 0.5)]


def clamp(z, low, high):
    low, high = F32(low), F32(high)
    return where(z < low, low, where(z > high, high, z))


def fade(z):
    return (z * z) * (THREE - TWO * z)


def wet_of(lat):
    k = np.clip(np.searchsorted(np.array(AT), lat, "left"), 1, 5)
    at, wet = np.array(AT), np.array(WET)
    return wet[k - 1] + (wet[k] - wet[k - 1]) * ((lat - at[k - 1]) / (at[k] - at[k - 1]))


class Nodes:
    def __init__(self, terms, columns, rows):
        recipe = terms.world.recipe
        self.terms, self.climate, self.sea_m = terms, recipe.climate, recipe.sea_m
        self.level = max(terms.level, self.climate.cell_log2)
        self.columns, self.rows = columns, rows
        self.key = absorb(terms.world.seed, self.climate.salt)
        self.node_m = 2.0**self.level * float(recipe.spacing_m)
        self.lat, self.side = self.bands()
        self.warmth = self.made_warmth()

    def m(self, q):
        return max(q - (self.level - self.climate.cell_log2), 0)

    def noise(self, key, m):
        return noise(key, m, self.columns, self.rows)

    def bands(self):
        l, count = self.climate.period_log2 - self.level, len(self.rows)
        if self.climate.period_log2 == 0 or l < 2:
            return np.full(count, HALF, F32), np.zeros(count, F32)
        b = absorb(self.key, 3)
        off = (self.rows + (1 << l - 2) & (1 << l) - 1).astype(F32) / F32(2.0**l) - HALF
        bend = F32(0.025) * self.noise(b, self.m(7)) + F32(0.0125) * self.noise(absorb(b, 1), max(self.m(7) - 1, 0))
        off = off + bend
        a = abs(off) * TWO
        return where(a < ONE, a, TWO - a), where(off < ZERO, -ONE, ONE)

    def made_warmth(self):
        warm, cold = self.climate.warm_c, self.climate.cold_c
        share = (self.lat * self.lat) * (F32(1.5) - HALF * self.lat)
        return (warm + (cold - warm) * share) + FOUR * self.noise(absorb(self.key, 0), self.m(6))

    def winds(self):
        lat, swing = self.lat, self.climate.swing
        if self.climate.period_log2 == 0:
            e, s = np.full(len(lat), ONE, F32), np.zeros(len(lat), F32)
        else:
            trade = fade(clamp(lat * F32(1.5), 0, 1))
            polar = fade(clamp((lat - F32(0.7)) / F32(0.3), 0, 1))
            within = clamp(lat * F32(8), 0, 1) * clamp((ONE - lat) * F32(8), 0, 1)
            to = clamp((ONE / THREE - lat) * THREE, -0.35, 0.45) * within
            e, s = (TWO * trade - ONE) * (ONE - polar), (ZERO - self.side) * to
        e = e + swing * self.noise(absorb(self.key, 1), self.m(6))
        s = s + swing * self.noise(absorb(self.key, 2), self.m(6))
        v = np.sqrt((e * e + s * s) + F32(2.0**-10))
        return e / v, s / v

    def heights(self, e, s, k):
        """Of the places k steps upwind."""
        x, y = (ZERO - e * F32(k)), (ZERO - s * F32(k))
        i, j = (np.floor(z).astype(np.int64) for z in (x, y))
        u, v = x - i.astype(F32), y - j.astype(F32)
        c, r = self.columns + i, self.rows + j
        corner = [self.ground(c + a, r + b) for b in (0, 1) for a in (0, 1)]
        top, bottom = (g + u * (h - g) for g, h in (corner[:2], corner[2:]))
        return (top + v * (bottom - top)) - self.sea_m

    def ground(self, columns, rows):
        asked, back = np.unique(np.stack([columns, rows], 1), axis=0, return_inverse=True)
        terms = type(self.terms)(self.terms.world, self.level, asked[:, 0], asked[:, 1])
        return terms.term(self.climate.ground).v[back.reshape(-1)]

    def rain(self):
        shadow, (e, s) = self.climate.shadow, self.winds()
        steps = int(min(max(524288 / self.node_m, 1), 32))
        size = F32(self.node_m / 16384)
        gain, level = clamp(F32(0.12) * size, 0, 1), clamp(F32(0.012) * size, 0, 0.5)
        full = clamp(HALF + (self.warmth + F32(10)) * F32(0.0125), 0.25, 1.1)
        water, smooth = full * F32(0.7), None
        before = self.heights(e, s, steps)
        before = where(before > ZERO, before, ZERO)
        for k in range(steps - 1, -1, -1):
            height = self.heights(e, s, k)
            up = where(height > ZERO, height, ZERO)
            climb, before = up - before, up
            water = where(height <= ZERO, water + (full - water) * gain, water)
            ready = where(climb > ZERO, level * (ONE + shadow * climb), level / (ONE - shadow * climb))
            r = water * where(ready < HALF, ready, HALF)
            water = where(height > ZERO, water - r * HALF, water)
            smooth = r if smooth is None else smooth + (r - smooth) * HALF
        wet = ONE if self.climate.period_log2 == 0 else wet_of(self.lat)
        return self.climate.rain_mm * clamp((smooth / level) * wet, 0, 8)


def values(terms, term):
    climate = terms.world.recipe.climate

    def field(columns, rows):
        nodes = Nodes(terms, columns, rows)
        return nodes.rain() if term.of == PRECIPITATION else nodes.warmth

    v = spline(max(terms.level, climate.cell_log2), terms.level, terms.gi, terms.gj, field)
    if term.of != TEMPERATURE:
        return v
    above = terms.term(climate.ground).v - terms.world.recipe.sea_m
    return v - climate.lapse * where(above > ZERO, above, ZERO)
