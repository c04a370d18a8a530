"""Binary32 arithmetic, and numbers that carry slopes.

Every quantity is a numpy.float32, or an array of them with one member a sample, and every operation has two
of them as operands, so each rounds once. A Python float in an expression might be taken for binary64, and
binary64 then sticks to all that is made of it: `checked` looks at the type of the results, and that is
enough.
"""
from dataclasses import dataclass

import numpy as np

F32 = np.float32
ZERO, QUARTER, HALF, ONE, TWO, THREE, FOUR = (F32(x) for x in (0, 0.25, 0.5, 1, 2, 3, 4))
SIX, EIGHT, TEN, FIFTEEN, THIRTY = (F32(x) for x in (6, 8, 10, 15, 30))

# Products that count for nothing may be of infinite parts, and a quotient by 0 is replaced by its rule.
np.seterr(all="ignore")


def checked(values):
    """The values given out: +0 is added to them."""
    assert values.dtype == F32, f"{values.dtype} is not binary32"
    return values + ZERO


def where(condition, yes, no):
    out = np.where(condition, yes, no)
    assert out.dtype == F32
    return out


def clamp_value(v):
    return where(v < ZERO, ZERO, where(v > ONE, ONE, v))


def at_most_one(v):
    return where(v > ONE, ONE, v)


def fade3(t):
    return (t * t) * (THREE - TWO * t)


def fade3_slope(t):
    return (SIX * t) * (ONE - t)


def fade5(t):
    return ((t * t) * t) * (t * (t * SIX - FIFTEEN) + TEN)


def fade5_slope(t):
    return ((THIRTY * t) * t) * ((ONE - t) * (ONE - t))


@dataclass(frozen=True)
class Number:
    """A value and its slopes east and south."""

    v: object
    x: object
    y: object

    def __add__(self, other):
        return Number(self.v + other.v, self.x + other.x, self.y + other.y)

    def __mul__(self, other):
        return Number(
            self.v * other.v, self.x * other.v + self.v * other.x, self.y * other.v + self.v * other.y
        )

    def scaled(self, c):
        return Number(self.v * c, self.x * c, self.y * c)

    def line(self, c, o):
        """self * c + o"""
        return Number(self.v * c + o, self.x * c, self.y * c)

    def absolute(self):
        turned = self.v < ZERO
        return Number(abs(self.v), where(turned, -self.x, self.x), where(turned, -self.y, self.y))

    def clamp(self):
        inside = (self.v > ZERO) & (self.v < ONE)
        return Number(clamp_value(self.v), where(inside, self.x, ZERO), where(inside, self.y, ZERO))


def constant(c, count):
    return Number(np.full(count, c, F32), np.zeros(count, F32), np.zeros(count, F32))


class Slopeless(Number):
    pass


def without_slopes(v):
    """Of numbers that have none. NaN, so that a height that needs them shows it."""
    none = np.full(len(v), np.nan, F32)
    return Slopeless(v, none, none)
