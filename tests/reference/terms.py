"""Terms at samples of a level, as Numbers. `Terms` makes each that is asked for once."""
import numpy as np

from arithmetic import (
    F32, ONE, THREE, TWO, ZERO, Number, at_most_one, clamp_value, constant, fade5, fade5_slope, where,
    without_slopes,
)
from fractals import MIDPOINTS, is_displaced
from recipe import BLEND, COARSE, CURVE, FRACTAL, PLATES, PRODUCT, RASTER, SUM, WEATHER
import climate
import fractals
import midpoint
import nodes
import partitions
import plates
import raster


def blend(term, a, b, by):
    inverse = ONE / (term.high - term.low)
    u = clamp_value((by.v - term.low) * inverse)
    s = at_most_one(fade5(u))
    rate = where((s > ZERO) & (s < ONE), fade5_slope(u) * inverse, ZERO)
    s = Number(s, rate * by.x, rate * by.y)
    return s.line(-ONE, ONE) * a + s * b


def knot_slopes(x, y):
    slopes = [ZERO]
    for k in range(1, len(x) - 1):
        b = (y[k] - y[k - 1]) / (x[k] - x[k - 1])
        a = (y[k + 1] - y[k]) / (x[k + 1] - x[k])
        slopes.append((TWO * (b * a)) / (b + a) if b * a > ZERO else ZERO)
    return slopes + [ZERO]


def curve(term, at):
    x, y = term.knot_x[: term.knots], term.knot_y[: term.knots]
    slopes = knot_slopes(x, y)
    value, rate = np.zeros(len(at.v), F32), np.zeros(len(at.v), F32)
    # Of the pieces from the first on, the last that begins at or before the value stays.
    for k in range(term.knots - 1):
        width, rise = x[k + 1] - x[k], y[k + 1] - y[k]
        f, g = slopes[k] * width, slopes[k + 1] * width
        c0, c1, c2, c3 = y[k], f, (THREE * rise - TWO * f) - g, (f + g) - TWO * rise
        inverse = ONE / width
        u = clamp_value((at.v - x[k]) * inverse)
        here = (x[k] <= at.v) | (k == 0)
        value = where(here, c0 + u * (c1 + u * (c2 + u * c3)), value)
        rate = where(here, (c1 + u * (TWO * c2 + u * (THREE * c3))) * inverse, rate)
    return Number(value, rate * at.x, rate * at.y)


class Terms:
    def __init__(self, world, level, gi, gj):
        self.world, self.level, self.gi, self.gj = world, level, gi, gj
        self.known = {}
        self.known_weights = None

    def term(self, k):
        if k not in self.known:
            self.known[k] = self.made(self.world.recipe.term[k])
        return self.known[k]

    def last(self):
        return self.term(len(self.world.recipe.term) - 1)

    def weights(self):
        if self.known_weights is None:
            self.known_weights = partitions.weights(self.world, self.level, self.gi, self.gj, self.term)
        return self.known_weights

    def constant(self, c):
        return constant(c, len(self.gi))

    def made(self, term):
        if term.op == FRACTAL:
            return self.fractal(term.fractal)
        if term.op == PLATES:
            return without_slopes(plates.values(self.world, term.of, self.level, self.gi, self.gj))
        if term.op == WEATHER:
            return without_slopes(climate.values(self, term))
        if term.op == COARSE and self.level < term.of:
            return without_slopes(nodes.coarse(self, term))
        inputs = [self.term(k) for k in term.in_[: term.inputs]]
        if term.op == SUM:
            t = self.constant(term.offset)
            for number, factor in zip(inputs, term.factor):
                t = t + number.scaled(factor)
            return t
        if term.op == PRODUCT:
            p = self.constant(term.factor[0])
            for number in inputs:
                p = p * number
            return self.constant(term.offset) + p
        if term.op == BLEND:
            return blend(term, *inputs)
        if term.op == CURVE:
            return curve(term, inputs[0])
        if term.op == COARSE:
            return inputs[0]
        if term.op == RASTER:
            return without_slopes(raster.values(self, term, inputs[0].v))
        return self.zones()

    def fractal(self, fractal):
        if fractal.kind in MIDPOINTS:
            return midpoint.value(self.world, fractal, self.level, self.gi, self.gj)
        warps = None
        if is_displaced(fractal):
            warps = [self.constant(ZERO) if k == -1 else self.term(k) for k in fractal.warp_term]
        return fractals.value(self.world, fractal, self.level, self.gi, self.gj, warps)

    def zones(self):
        t = self.constant(ZERO)
        for zone, weight in zip(self.world.recipe.partition.zone, self.weights()):
            if zone.term == -1:
                surface = self.constant(zone.offset_m)
            else:
                surface = self.term(zone.term).line(zone.amplitude, zone.offset_m)
            t = t + weight * surface
        return t
