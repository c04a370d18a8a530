"""Lakes and water, one lake at a time. Ground is a function height(gi, gj) that gives binary32."""
import heapq

import numpy as np

from arithmetic import F32, ZERO
from hashing import absorb, unsigned

DRY = F32(-(2.0**20))
COARSER = 1
RINGS = 3


def around(place):
    gi, gj = place
    return [(gi + x, gj + y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y]


def start(lakes, seed, x, y):
    """A cell's start, or None."""
    h = absorb(absorb(absorb(seed, 0x4C616B6573), unsigned(x)), unsigned(y))
    c = lakes.cell_log2
    if not F32(h >> 40) < lakes.share * F32(2.0**24):
        return None
    return (x << c) + (h & (1 << c) - 1), (y << c) + (h >> c & (1 << c) - 1)


class Basin:
    """What surrounds one start."""

    def __init__(self, recipe, height, gi, gj):
        self.lakes, self.sea_m = recipe.lakes, recipe.sea_m
        self.rise_m = F32(float(recipe.spacing_m) * 2.0**recipe.lakes.level * 0.125)
        self.centre, self.height = (gi, gj), height

    def rank(self, place):
        gi, gj = place
        return self.height(gi, gj), gj, gi

    def ring(self, place):
        return max(abs(a - b) for a, b in zip(place, self.centre))

    def on_border(self, place):
        return self.ring(place) == self.lakes.radius

    def in_window(self, place):
        return self.ring(place) <= self.lakes.radius

    def is_out(self, place):
        return self.on_border(place) or self.height(*place) < self.sea_m

    def pit(self):
        place = self.centre
        while not self.on_border(place):
            lowest = min(around(place), key=self.rank)
            if self.rank(lowest) > self.rank(place):
                return place
            place = lowest
        return None

    def ways_out(self, pit):
        """(S, whether a way at S ends lower): ways in the order of their highest sample."""
        ways, seen, level, lower = [(self.height(*pit), pit)], {pit}, None, False
        while ways and (level is None or ways[0][0] == level):
            highest, place = heapq.heappop(ways)
            if self.is_out(place):
                level = highest
                lower = lower or self.height(*place) < level
                continue
            for there in around(place):
                if there not in seen:
                    seen.add(there)
                    heapq.heappush(ways, (max(highest, self.height(*there)), there))
        return level, lower

    def part_below(self, level, pit):
        part, ask = {pit}, [pit]
        while ask:
            for there in around(ask.pop()):
                if there not in part and self.height(*there) < level:
                    part.add(there)
                    ask.append(there)
        return part

    def shore(self, level, part):
        near = set(part)
        bank = F32(level + self.rise_m)
        for ring in range(RINGS):
            beside = {there for place in near for there in around(place)} - near
            near |= {there for there in beside if self.in_window(there) and self.height(*there) >= level
                     and (ring == 0 or self.height(*there) <= bank)}
        return near - part

    def lake(self):
        """(level, samples, samples of the shore), or None."""
        pit = self.pit()
        if pit is None or self.height(*pit) < self.sea_m:
            return None
        level, lower = self.ways_out(pit)
        pit_m = self.height(*pit)
        cap = pit_m + self.lakes.depth_m
        if cap <= level:
            level = cap
        elif not lower:
            return None
        assert level.dtype == F32
        if level - pit_m <= self.lakes.shallow_m:
            return None
        part = self.part_below(level, pit)
        return level, part, self.shore(level, part)


def levels(recipe, seed, window, height):
    """level_m[y, x] of a window (gi, gj, width, height)."""
    gi, gj, columns, rows = window
    c, radius = recipe.lakes.cell_log2, recipe.lakes.radius
    found = np.full((rows, columns), DRY, F32)
    for y in range(gj - radius >> c, (gj + rows + radius >> c) + 1):
        for x in range(gi - radius >> c, (gi + columns + radius >> c) + 1):
            place = start(recipe.lakes, seed, x, y)
            # Lakes of starts farther away do not reach the window, and may lie on ground nobody gave.
            if place is None or not (-radius <= place[0] - gi < columns + radius):
                continue
            if not -radius <= place[1] - gj < rows + radius:
                continue
            lake = Basin(recipe, height, *place).lake()
            for i, j in lake[1] | lake[2] if lake else ():
                if gi <= i < gi + columns and gj <= j < gj + rows:
                    found[j - gj, i - gi] = max(found[j - gj, i - gi], lake[0])
    return found


def sides(g, coarser):
    """The samples of the lakes' level on or next to g."""
    if coarser >= 0:
        return {g << coarser}
    whole, rest = divmod(g, 1 << -coarser)
    return {whole, whole + 1} if rest else {whole}


def water(recipe, level, gi, gj, height, level_at):
    """(surface, depth) of a sample; level_at(gi, gj) of the lakes' level."""
    top, coarser = recipe.sea_m, level - recipe.lakes.level
    if recipe.lakes.share > ZERO and coarser <= COARSER:
        lake = min(level_at(x, y) for y in sides(gj, coarser) for x in sides(gi, coarser))
        top = max(top, lake)
    return (top, top - height) if height < top else (height, ZERO)
