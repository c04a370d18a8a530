"""The function of terrane, written a second time, slowly.

Made from lib/README.md and lib/terrane.h alone, to be compared with the library bit for bit (compare.py). It
has no windows, tables or strips: `Samples` answers for any samples of one level, by the formulas in the
page's order. A file here is a section of the page.
"""
import numpy as np

from arithmetic import F32, ONE, ZERO, checked
from recipe import analytic, canonical, world_digest
from terms import Terms
import partitions
import shading


class World:
    def __init__(self, recipe, seed):
        self.recipe, self.seed = canonical(recipe), seed
        self.analytic = analytic(self.recipe)
        self.voronoi = self.plates = None  # made when they are first asked for

    def digest(self):
        return world_digest(self.recipe, self.seed)


class Samples:
    """Samples (gi[n], gj[n]) of a level; every layer is arrays with one member a sample."""

    def __init__(self, world, level, gi, gj):
        self.world, self.level = world, level
        self.gi, self.gj = np.array(gi, np.int64), np.array(gj, np.int64)
        terms = Terms(world, level, self.gi, self.gj)
        self.number = terms.last()
        self.height = checked(self.number.v)
        self.weights = [checked(w.v) for w in terms.weights()]
        self.zone = partitions.dominant(self.weights)
        self.slope_x, self.slope_y = self.slopes()
        r = ONE / np.sqrt((self.slope_x * self.slope_x + self.slope_y * self.slope_y) + ONE)
        self.normal = [checked(n) for n in (ZERO - self.slope_x * r, ZERO - self.slope_y * r, r)]

    def slopes(self):
        if self.world.analytic:
            return self.number.x, self.number.y
        d = F32(1.0 / (2.0 * (2.0**self.level * float(self.world.recipe.spacing_m))))
        east, west, south, north = np.split(self.around(), 4)
        return (east - west) * d, (south - north) * d

    def around(self):
        """The heights of the four neighbours of all samples."""
        gi, gj = self.gi, self.gj
        all_gi = np.concatenate([gi + 1, gi - 1, gi, gi])
        all_gj = np.concatenate([gj, gj, gj + 1, gj - 1])
        return Terms(self.world, self.level, all_gi, all_gj).last().v

    def layer(self, name):
        """The channels of a layer, as the library orders them."""
        if name == "height":
            return [self.height]
        if name == "normal":
            return self.normal
        if name == "zones":
            return [self.zone]
        if name == "weights":
            return self.weights
        return shading.relief(self.world.recipe, self.level, self.height, self.normal, self.weights)


FLOAT_LAYERS = ("height", "normal", "weights")
BYTE_LAYERS = ("zones", "relief")
LAYERS = FLOAT_LAYERS + BYTE_LAYERS
