"""Drainage: where water goes, how much, and how high the ground is then.

Fields are made with a halo that is generous and nothing beyond it. Base heights are asked
for: `heights(level, x, y, width, height)`; so is `rain`, mm a year, where runoff is a term.
"""
import numpy as np

from arithmetic import F32
from drainage_field import BLOCK, END, HALO, INLAND, SEA, STREAM, TOP_HALO, UNKNOWN, Field, Law
from drainage_lines import Lines
from erosion import Units

# ---- The coarsest lattice ----------------------------------------------------------------------------------


def fill_top(field):
    law = field.law
    for c in range(field.count):
        if field.g[c] < law.sea:
            field.set_sea(c, field.g[c])
    d, _ = field.grow(law.far)
    for y in range(0, field.height, BLOCK):
        for x in range(0, field.width, BLOCK):
            block = [(y + j) * field.width + x + i for j in range(BLOCK) for i in range(BLOCK)]
            land = [c for c in block if field.to[c] != SEA]
            lowest = min(land, key=lambda c: field.g[c], default=None)
            if lowest is not None and d[lowest] > law.far:
                field.fix(lowest, INLAND, field.g[lowest], STREAM)
    d, order = field.grow(law.far + END)
    for c in range(field.count):
        if d[c] == UNKNOWN:
            field.fix(c, INLAND, field.g[c], STREAM)
    return order


# ---- Lattices ----------------------------------------------------------------------------------------------


class Drainage:
    def __init__(self, world, low, high, heights, rain=None):
        self.world, self.heights, self.rain = world, heights, rain
        self.rivers = world.recipe.rivers
        self.unit, self.high = Units(world.recipe, low, high).unit, high

    def shift(self, level):
        return 0 if level == self.rivers.top else 1 if (level - self.rivers.bottom) % 2 else 2

    def field_window(self, level, x, y, width, height):
        """With its halo, of whole blocks."""
        shift = self.shift(level)
        size, offset, halo = (1 << shift, 1 << shift - 1, HALO) if shift else (BLOCK, 0, TOP_HALO)
        spans = []
        for at, count in ((x, width), (y, height)):
            first = (at - halo + offset) // size
            last = (at + count - 1 + halo + offset) // size
            spans.append((first * size - offset, (last - first + 1) * size))
        return spans[0][0], spans[1][0], spans[0][1], spans[1][1]

    def above_window(self, level, x, y, width, height):
        n = 1 << self.shift(level)
        return (x + n // 2) // n - 1, (y + n // 2) // n - 1, width // n + 2, height // n + 2

    def asked(self, level, *window):
        """(level, window) of all heights that draining a window asks for."""
        window = self.field_window(level, *window)
        rest = self.asked(level + self.shift(level), *self.above_window(level, *window)) if self.shift(level) else []
        return [(level, window)] + rest

    def field(self, level, *window):
        window = self.field_window(level, *window)
        ground = (self.heights(level, *window) * F32(1 / self.unit)).astype(np.int64)
        rain = self.rain(level, *window) if self.rivers.runoff >= 0 else None
        field = Field(Law(self.world, self.unit, level, self.high), window[0], window[1], ground, rain)
        if self.shift(level):
            above = self.field(level + self.shift(level), *self.above_window(level, *window))
            Lines(field, above, 1 << self.shift(level)).trace()
            field.wear()
            _, order = field.grow(UNKNOWN - 1)
        else:
            order = fill_top(field)
        field.settle(order)
        return field

    def drained(self, level, x, y, width, height):
        """(z, runoff, where it goes with its flags, its stem) of each cell of a window."""
        field = self.field(level, x, y, width, height)
        found = []
        for j in range(height):
            for i in range(width):
                c = (y + j - field.y) * field.width + x + i - field.x
                found.append((field.z[c], field.runoff[c], field.to[c] | field.flags[c], field.stem(c)))
        return found
