"""Terms at samples of a level, as Numbers. `Terms` makes each that is asked for once."""

from arithmetic import F32, ZERO, Number, Slopeless, constant, where, without_slopes
from fractals import MIDPOINTS, is_displaced
from ops import COARSE, FRACTAL, OPS, PLATES, RASTER, WEATHER
import climate
import fractals
import midpoint
import nodes
import partitions
import plates
import raster


STEEPEST = F32(2.0**63)


def held(slope):
    low = where(slope > -STEEPEST, slope, -STEEPEST)
    return where(low < STEEPEST, low, STEEPEST)


class Terms:
    def __init__(self, world, level, gi, gj):
        self.world, self.level, self.gi, self.gj = world, level, gi, gj
        self.known = {}
        self.known_weights = None

    def term(self, k):
        if k not in self.known:
            number = self.made(self.world.recipe.term[k])
            holds = self.world.recipe.generator >= 16 and not isinstance(number, Slopeless)
            self.known[k] = Number(number.v, held(number.x), held(number.y)) if holds else number
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
        if term.op == COARSE:
            return inputs[0]
        if term.op == RASTER:
            return without_slopes(raster.values(self, term, inputs[0].v))
        return OPS[term.op].made(term, len(self.gi), *inputs) if term.op in OPS else self.zones()

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
