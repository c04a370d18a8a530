"""Octaves to fractals. A kind without slopes of its own gives NaN for them."""
import numpy as np

from arithmetic import F32, HALF, ONE, TWO, ZERO, FOUR, Number, clamp_value, constant, without_slopes
from bases import TRIANGULAR, evaluate
from hashing import octave_key
import places

FBM, BILLOW, RIDGED, DOUBLE_RIDGED, IQ, MULTIFRACTAL, HYBRID, SWISS, JORDAN = range(9)
MIDPOINT, MIDPOINT_SMOOTHED = 9, 10
KINDS = 11
MIDPOINTS = (MIDPOINT, MIDPOINT_SMOOTHED)
IN_CELLS = (IQ, SWISS, JORDAN)


def amplitudes(fractal, count):
    found = [fractal.amplitude_m]
    while len(found) < count:
        found.append(found[-1] * fractal.gain)
    return found


def is_displaced(fractal):
    return (
        fractal.kind not in MIDPOINTS
        and fractal.warp_m != ZERO
        and any(term != -1 for term in fractal.warp_term)
    )


class Octaves:
    """The octaves of one fractal of a world at samples of a level; warps are the two terms, or None."""

    def __init__(self, world, fractal, level, gi, gj, warps):
        self.world, self.fractal, self.level = world, fractal, level
        self.gi, self.gj, self.warps = gi, gj, warps
        self.cells = places.cells_at(fractal, level, world.recipe.alias_octaves)
        self.a = amplitudes(fractal, len(self.cells))

    def pushed(self, d=None):
        """Displacement in metres: by the terms, and by (D_x, D_y) where that is given."""
        fractal = self.fractal
        by_terms = None
        if self.warps:
            by_terms = tuple(term.v * fractal.warp_m for term in self.warps)
        if d is None:
            return by_terms
        factor = fractal.warp * F32(float(fractal.cell) * float(self.world.recipe.spacing_m))
        by_slopes = tuple(one * factor for one in d)
        if by_terms is None:
            return by_slopes
        return tuple(a + b for a, b in zip(by_slopes, by_terms))

    def octave(self, i, metres):
        fractal, cell = self.fractal, self.cells[i]
        base, key = fractal.base[i], octave_key(self.world.seed, fractal.salt, i)
        per_metre = F32(1.0 / (cell * float(self.world.recipe.spacing_m)))
        c = places.power_of_two(cell)
        lattice = (
            fractal.lacunarity == 2
            and c is not None
            and base not in TRIANGULAR
            and not self.warps
            and not (fractal.kind in (SWISS, JORDAN) and i > 0)
        )
        if lattice:
            place = places.on_the_lattice(key, c, self.level, self.gi, self.gj)
        else:
            place = places.point_by_point(base, key, cell, self.level, self.gi, self.gj)
            if metres is not None:
                place = places.displaced(base, place, metres, per_metre)
        amplitude = self.a[i] if fractal.kind == FBM else ONE
        v, v_x, v_y = evaluate(
            base, key, place, amplitude, fractal.weight, fractal.jitter, fractal.kind == IQ
        )
        if fractal.kind in IN_CELLS:
            return Number(v, v_x, v_y)
        v_x, v_y = v_x * per_metre, v_y * per_metre
        if self.warps:
            e_x, e_y = (term.scaled(fractal.warp_m) for term in self.warps)
            v_x, v_y = v_x * (ONE + e_x.x) + v_y * e_y.x, v_x * e_x.y + v_y * (ONE + e_y.y)
        return Number(v, v_x, v_y)

    def all(self):
        metres = self.pushed()
        return [(self.octave(i, metres), self.a[i]) for i in range(len(self.cells))]


def fbm(octaves, fractal):
    f = octaves[0][0]
    for n, _ in octaves[1:]:
        f = f + n
    return f


def from_lines(octaves, shape):
    f = constant(ZERO, len(octaves[0][0].v))
    for n, a in octaves:
        f = f + shape(n).scaled(a)
    return f


def billow(octaves, fractal):
    return from_lines(octaves, lambda n: n.absolute().line(TWO, -ONE))


def ridged(octaves, fractal):
    return from_lines(octaves, lambda n: n.absolute().line(-TWO, ONE))


def double_ridged(octaves, fractal):
    return from_lines(octaves, lambda n: n.absolute().line(-ONE, HALF).absolute().line(FOUR, -ONE))


def multifractal(octaves, fractal):
    n, a_0 = octaves[0]
    f = n.scaled(a_0)
    rate = fractal.sharpness / a_0 if a_0 != ZERO else ZERO
    for n, a in octaves[1:]:
        f = f + (n * f.line(rate, fractal.offset).clamp()).scaled(a)
    return f


def hybrid(octaves, fractal):
    count = len(octaves[0][0].v)
    f, w = constant(ZERO, count), constant(ONE, count)
    for n, a in octaves:
        g = n.line(ONE, fractal.offset) * w
        f = f + g.scaled(a)
        w = g.clamp()
    return f


def iq(octaves, fractal):
    f = d_x = d_y = np.zeros(len(octaves[0][0].v), F32)
    for n, a in octaves:
        d_x, d_y = d_x + n.x, d_y + n.y
        f = f + (n.v / (ONE + (d_x * d_x + d_y * d_y))) * a
    return without_slopes(f)


def swiss(octaves, fractal):
    f = d_x = d_y = np.zeros(len(octaves.gi), F32)
    w = np.ones(len(octaves.gi), F32)
    for i in range(len(octaves.cells)):
        n = octaves.octave(i, octaves.pushed((d_x, d_y) if i else None))
        f = f + w * (ONE - abs(n.v))
        d_x, d_y = d_x + (w * n.x) * (ZERO - n.v), d_y + (w * n.y) * (ZERO - n.v)
        w = (w * fractal.gain) * clamp_value(f)
    return without_slopes(f * octaves.a[0])


def jordan(octaves, fractal):
    f = d_x = d_y = e_x = e_y = np.zeros(len(octaves.gi), F32)
    w = np.ones(len(octaves.gi), F32)
    for i in range(len(octaves.cells)):
        n = octaves.octave(i, octaves.pushed((d_x, d_y) if i else None))
        b = ONE if i else F32(1.25)
        if i:
            share = octaves.a[i] / octaves.a[0] if octaves.a[0] != ZERO else ZERO
            w = share * (ONE - ONE / (ONE + (e_x * e_x + e_y * e_y)))
        f = f + w * (n.v * n.v)
        m_x, m_y = n.v * n.x, n.v * n.y
        d_x, d_y = d_x + m_x * b, d_y + m_y * b
        e_x, e_y = e_x + m_x * (b * fractal.damp), e_y + m_y * (b * fractal.damp)
    return without_slopes(f * octaves.a[0])


FROM_ALL = {
    FBM: fbm,
    BILLOW: billow,
    RIDGED: ridged,
    DOUBLE_RIDGED: double_ridged,
    MULTIFRACTAL: multifractal,
    HYBRID: hybrid,
    IQ: iq,
}
ONE_BY_ONE = {SWISS: swiss, JORDAN: jordan}


def value(world, fractal, level, gi, gj, warps):
    """The fractal, of any kind but the midpoints."""
    octaves = Octaves(world, fractal, level, gi, gj, warps)
    if not octaves.cells:
        return constant(ZERO, len(gi))
    if fractal.kind in ONE_BY_ONE:
        return ONE_BY_ONE[fractal.kind](octaves, fractal)
    return FROM_ALL[fractal.kind](octaves.all(), fractal)
