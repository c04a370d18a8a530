"""Operations: their numbers, and of each that makes a term of others at the same sample, what of a Term counts and what it is."""
from collections import namedtuple

import numpy as np

from arithmetic import F32, ONE, THREE, TWO, ZERO, Number, at_most_one, clamp_value, constant, fade5, fade5_slope, where

FRACTAL, SUM, PRODUCT, BLEND, CURVE, ZONES, PLATES, WEATHER, COARSE, RASTER, MIN, MAX = range(12)
OF_NODES = (PLATES, WEATHER, COARSE)


def first(values, count):
    return values[:count] + tuple(type(v)(0) for v in values[count:])


def total(term, count, *inputs):
    t = constant(term.offset, count)
    for number, factor in zip(inputs, term.factor):
        t = t + number.scaled(factor)
    return t


def product(term, count, *inputs):
    p = constant(term.factor[0], count)
    for number in inputs:
        p = p * number
    return constant(term.offset, count) + p


def extreme(better):
    def made(_, count, t, *others):
        for number in others:
            here = better(number.v, t.v)
            t = Number(where(here, number.v, t.v), where(here, number.x, t.x), where(here, number.y, t.y))
        return t
    return made


def blend(term, _, a, b, by):
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


def curve(term, _, at):
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


# inputs: how many draw.py gives it. counts: what of a Term counts beside op and inputs. made: what it is at so many samples.
# reach: what its size stays under, from that of its inputs.
Op = namedtuple("Op", "inputs counts made reach")
OPS = {
    SUM: Op((0, 8), lambda t: {"factor": first(t.factor, t.inputs), "offset": True}, total, lambda sizes: sum(sizes) * 2 + 40000),
    PRODUCT: Op((0, 3), lambda t: {"factor": first(t.factor, 1), "offset": True}, product, lambda sizes: float(np.prod(sizes)) * 2 + 40000),
    MIN: Op((1, 8), lambda t: {}, extreme(np.less), max),
    MAX: Op((1, 8), lambda t: {}, extreme(np.greater), max),
    BLEND: Op((3, 3), lambda t: {"low": True, "high": True}, blend, lambda sizes: max(sizes) * 2),
    CURVE: Op((1, 1), lambda t: {"knots": True, "knot_x": first(t.knot_x, t.knots), "knot_y": first(t.knot_y, t.knots)}, curve,
              lambda sizes: 10000.0),
}
