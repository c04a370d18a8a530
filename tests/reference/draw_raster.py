"""Random recipes with a raster: rough and smooth ones, finer than the level and coarser, whole steps and odd ones."""
import numpy as np

from arithmetic import F32
from draw import draw_f32
from draw_erosion import fractal
from bases import PERLIN5
from fractals import FBM
from raster import digest_of
from ops import RASTER
from recipe import Partition, Raster, Recipe, Term, Zone


def draw_raster(rng):
    """(recipe, level, samples, where its first one is in samples of the level)"""
    width, height = rng.randint(2, 60), rng.randint(2, 60)
    noise = np.random.default_rng(rng.getrandbits(32))
    samples = noise.choice((noise.uniform(-500, 900, (height, width)), noise.integers(0, 65536, (height, width)))).astype(F32)
    samples[0, rng.randrange(width)] = F32(-0.0)
    level, spacing = rng.choice((0, 0, 1, 3, 7, 24)), rng.choice((1.0, 30.0, 1 / 3, 2.0**-10))
    step = rng.choice((1.0, 3.0, 64.0, rng.uniform(0.0625, 90))) * (2.0**level if rng.random() < 0.3 and level < 9 else 1)
    at = [rng.choice((0.0, -0.0, rng.uniform(-1e6, 1e6), float(rng.randint(-(2**39), 2**39)))) for _ in (0, 1)]
    raster = Raster(width=width, height=height, digest=digest_of(samples), at_m=tuple(x * spacing for x in at), step_m=step * spacing,
                    fade_m=rng.choice((0.0, step * spacing * rng.uniform(0, 90), 2.0**32 * spacing)))  # fmt: skip
    term = Term(op=RASTER, inputs=1, in_=(0,) * 8, factor=(F32(rng.choice((1, -0.5, 0.03))),) * 8, offset=draw_f32(rng, -900, 900), raster=raster)
    recipe = Recipe(spacing_m=spacing, term=(fractal(rng, PERLIN5, FBM, 64.0, 100.0), term), partition=Partition(zone=(Zone(term=-1),)))
    return recipe, level, samples, [int(x / 2**level) for x in at]
