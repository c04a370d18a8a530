"""Plates: blocks and lines in binary64 (Python's numbers), what a place makes of them in binary32. A node at a time."""
import bisect
import math

import numpy as np

from arithmetic import F32, HALF, ONE, ZERO
from hashing import absorb, mix, unsigned
from nodes import corners, spline
from recipe import Partition, Zone
from voronoi import Voronoi

CRUST, CLOSING, AGE, COLLISION, TRENCH, ARC, RIDGE, RIFT, TRANSFORM, SUTURE = range(10)
SHARE = (0, 0.0833, 0.1667, 0.25, 0.3333, 0.4167, 0.5, 0.5833, 0.6667, 0.75, 0.8333, 0.9167, 1)
LEVEL = (1.2, 0.347, 0.252, 0.18, 0.117, 0.058, 0, -0.058, -0.117, -0.18, -0.252, -0.347, -1.2)


def pick(h, s):
    return float(h >> s & 0xFFFF) / 32767.5 - 1


def land_level(land):
    k = min(max(1, bisect.bisect_left(SHARE, land)), 12)
    rise, run = LEVEL[k] - LEVEL[k - 1], SHARE[k] - SHARE[k - 1]
    return LEVEL[k - 1] + (rise * (land - SHARE[k - 1])) / run


def bound(z):
    return min(max(z, 0), 1)


class Block:
    def __init__(self, plates, column, row):
        site_x, site_y = plates.voronoi.site(plates.recipe.rounds, column, row)
        self.x, self.y = x, y = 0.5 + site_x * 2.0**-16, 0.5 + site_y * 2.0**-16
        self.plate = plates.plate(column, row, x, y)
        self.drift = pick(self.plate, 32), pick(self.plate, 48)
        self.hash = plates.at(2, column, row)
        high = 0.5 * plates.swell(4, 2, column, row, x, y) + 0.3 * plates.swell(5, 1, column, row, x, y)
        self.land = high + 0.2 * pick(self.hash, 0) > land_level(float(plates.recipe.land))
        share = 0.5 + 0.5 * pick(self.hash, 16)
        self.crust = F32(0.4 + 0.6 * share if self.land else -0.5 - 0.5 * share)


class Piece:
    """What is left of the line between blocks a and b of a list of (x, y); gone: nothing."""

    def __init__(self, at, a, b):
        (ax, ay), (bx, by) = at[a], at[b]
        dx, dy = bx - ax, by - ay
        apart2 = dx * dx + dy * dy
        self.gone = apart2 == 0 or apart2 > 8.001
        if self.gone:
            return
        self.mx, self.my, self.wx, self.wy = (ax + bx) / 2, (ay + by) / 2, -dy, dx
        self.high = 7 / math.sqrt(apart2)
        self.low = -self.high
        for k, (kx, ky) in enumerate(at):
            if k in (a, b):
                continue
            if not self.high - self.low > 1e-6:
                break
            nx, ny = 2 * (kx - ax), 2 * (ky - ay)
            f = (nx * self.mx + ny * self.my) - ((kx * kx + ky * ky) - (ax * ax + ay * ay))
            g = nx * self.wx + ny * self.wy
            if g > 0 and -f < self.high * g:
                self.high = -f / g
            elif g < 0 and -f < self.low * g:
                self.low = -f / g
            elif g == 0 and f > 0:
                self.high = self.low
        self.gone = not self.high - self.low > 1e-6

    def line(self, kind, off, weak, closing):
        z = off / math.sqrt(self.wx * self.wx + self.wy * self.wy)
        x, y = self.mx + self.wy * z, self.my - self.wx * z
        px, py = x + self.wx * self.low, y + self.wy * self.low
        ax, ay = (x + self.wx * self.high) - px, (y + self.wy * self.high) - py
        return kind, *(F32(v) for v in (px, py, ax, ay, 1 / (ax * ax + ay * ay), weak, closing))


def lines_between(piece, a, b, d, reach):
    (dx, dy), r = d, math.sqrt(d[0] * d[0] + d[1] * d[1])
    if a.plate == b.plate:
        p = pick(mix(a.hash ^ b.hash), 0)
        if a.land and b.land and p > -0.3:
            yield piece.line(SUTURE, 0, (reach * 0.6) * bound((1 - p) / 1.3), 0)
        return
    vx, vy = a.drift[0] - b.drift[0], a.drift[1] - b.drift[1]
    closing, shear = (vx * dx + vy * dy) / (r * 2), (vy * dx - vx * dy) / (r * 2)
    weak = reach * (1 - bound((abs(closing) - 0.1) * 3))
    if abs(closing) < 0.1:
        yield piece.line(TRANSFORM, 0, reach * (1 - bound(abs(shear) * 3)), closing)
    elif closing < 0:
        yield piece.line(RIFT if a.land and b.land else RIDGE, 0, weak, closing)
    elif a.land and b.land:
        yield piece.line(COLLISION, 0, weak, closing)
    else:
        towards_b = b.land if a.land != b.land else a.plate < b.plate
        yield piece.line(TRENCH, 0, weak, closing)
        yield piece.line(ARC, 0.125 if towards_b else -0.125, weak, closing)


class Plates:
    def __init__(self, recipe, seed):
        self.recipe = recipe
        self.key = absorb(seed, recipe.salt)
        self.voronoi = Voronoi(Partition(zone=(Zone(),), jitter=recipe.jitter, rounds=recipe.rounds), 0)
        self.voronoi.site_key = absorb(absorb(self.key, 1), 0)
        self.blocks, self.cells = {}, {}

    def at(self, k, column, row):
        return absorb(absorb(absorb(self.key, k), unsigned(column)), unsigned(row))

    def plate(self, column, row, x, y):
        u, v = ((column & 3) + x) / 4, ((row & 3) + y) / 4
        found = []
        for j in (-1, 0, 1):
            for i in (-1, 0, 1):
                h = self.at(3, (column >> 2) + i, (row >> 2) + j)
                dx, dy = ((i + 0.5) + pick(h, 0) * 0.45) - u, ((j + 0.5) + pick(h, 16) * 0.45) - v
                found.append((dx * dx + dy * dy, len(found), h))
        return min(found)[2]

    def swell(self, k, m, column, row, x, y):
        n = [[pick(self.at(k, (column >> m) + i, (row >> m) + j), 0) for i in (0, 1)] for j in (0, 1)]
        mask = (1 << m) - 1
        u, v = ((column & mask) + x) / 2**m, ((row & mask) + y) / 2**m
        north, south = (q[0] * (1 - u) + q[1] * u for q in n)
        return north * (1 - v) + south * v

    def block(self, column, row):
        if (column, row) not in self.blocks:
            self.blocks[column, row] = Block(self, column, row)
        return self.blocks[column, row]

    def cell(self, column, row):
        """(lines as arrays, the 5 x 5 blocks' x, y and crust)"""
        if (column, row) not in self.cells:
            way = [(i, j) for j in range(-3, 4) for i in range(-3, 4)]
            block = [self.block(column + i, row + j) for i, j in way]
            at = [(b.x + i, b.y + j) for b, (i, j) in zip(block, way)]
            lines = []
            for a in range(49):
                for b in range(a + 1, 49):
                    piece = Piece(at, a, b)
                    if not piece.gone:
                        d = at[b][0] - at[a][0], at[b][1] - at[a][1]
                        lines += lines_between(piece, block[a], block[b], d, float(self.recipe.reach))
            inner = [k for k, (i, j) in enumerate(way) if abs(i) < 3 and abs(j) < 3]
            columns = [np.array(one, int if n == 0 else F32) for n, one in enumerate(zip(*lines))]
            near = [np.array(one, F32) for one in zip(*((*at[k], block[k].crust) for k in inner))]
            self.cells[column, row] = columns, near
        return self.cells[column, row]

    def crust(self, near, x, y):
        site_x, site_y, crust = near
        dx, dy = site_x - x, site_y - y
        half = (dx * dx + dy * dy) * HALF
        left = (self.recipe.blend + half.min()) - half
        n = np.where(left > ZERO, left * left, ZERO)
        sums, total = [ZERO] * 4, [ZERO] * 4
        for k in range(25):
            sums[k % 4] = sums[k % 4] + n[k] * crust[k]
            total[k % 4] = total[k % 4] + n[k]
        return (((sums[0] + sums[1]) + sums[2]) + sums[3]) / (((total[0] + total[1]) + total[2]) + total[3])

    def place(self, of, column, row, x, y, cell_m):
        (kind, px, py, ax, ay, inverse, weak, closing), near = self.cell(column, row)
        reach = self.recipe.reach
        if of == CRUST:
            return self.crust(near, x, y)
        dx, dy = x - px, y - py
        t = np.clip((dx * ax + dy * ay) * inverse, ZERO, ONE)
        ex, ey = dx - t * ax, dy - t * ay
        off = np.sqrt(ex * ex + ey * ey)
        counts = off < reach
        if of >= COLLISION:
            far = off[counts & (kind == of)] + weak[counts & (kind == of)]
            return min([reach, *far]) * cell_m
        age, total, every = F32(200), ZERO, F32(2.0**-10)
        for k in np.flatnonzero(counts):
            if kind[k] in (RIDGE, RIFT):
                g = ((ZERO - closing[k]) * (ONE / F32(48))) * (reach - off[k])
                if off[k] * reach < g * age:
                    age = (off[k] * reach) / g
            if kind[k] != ARC and closing[k] != 0:
                n = (reach - off[k]) * (reach - off[k])
                total, every = total + n * closing[k], every + n
        return age if of == AGE else total / every

    def shift(self, n, l, columns, rows):
        d, a = np.zeros(len(columns), F32), self.recipe.warp
        for k in range(3):
            if l - k >= 2:
                key = absorb(absorb(absorb(self.key, 6), n), k)
                q00, q10, q01, q11, u, v = corners(key, l - k, columns, rows)
                west, east = q00 + v * (q01 - q00), q10 + v * (q11 - q10)
                d = d + a * (west + u * (east - west))
            a = a * F32(0.55)
        return d

    def nodes(self, of, level, cell_m, columns, rows):
        l = self.recipe.cell_log2 - level
        if l < 3:
            one = {CRUST: ZERO, CLOSING: ZERO, AGE: F32(200)}.get(of, self.recipe.reach * cell_m)
            return np.full(len(columns), one, F32)
        place, cell = [], []
        for n, at in enumerate((columns, rows)):
            x = (at & (1 << l) - 1).astype(F32) * F32(2.0**-l) + self.shift(n, l, columns, rows)
            e = (x + F32(16)).astype(int) - 16
            place.append(x - e.astype(F32))
            cell.append((at >> l) + e)
        return np.array([self.place(of, int(c), int(r), x, y, cell_m)
                         for c, r, x, y in zip(*cell, *place)], F32)  # fmt: skip


def values(world, of, level, gi, gj):
    recipe = world.recipe.plates
    if world.plates is None:
        world.plates = Plates(recipe, world.seed)
    cell_m = F32(2.0**recipe.cell_log2 * float(world.recipe.spacing_m))
    nodes_level = max(level, recipe.cell_log2 - 6)
    return spline(nodes_level, level, gi, gj,
                  lambda columns, rows: world.plates.nodes(of, nodes_level, cell_m, columns, rows))  # fmt: skip
