"""Rasters: a cubic through samples that are given, mirrored and faded beyond their edges."""
from dataclasses import dataclass
import struct

import numpy as np

from arithmetic import F32, HALF, ONE, TWO, ZERO, fade5
from hashing import KEY, siphash128

SAMPLES = {}  # by their digests: rows of binary32


def digest_of(samples):
    """Of samples, which it keeps."""
    found = siphash128(KEY, b"".join(struct.pack("<f", x) for x in (samples + ZERO).reshape(-1)))
    SAMPLES[found] = samples
    return found


def units(v, spacing_m):
    z = v / spacing_m * 2.0**20
    return int(z + 0.5) if z >= 0 else int(z - 0.5)


@dataclass
class Place:
    k: int
    t: object
    q: object


def place(term, spacing_m, axis, level, g):
    raster = term.raster
    n = (raster.width, raster.height)[axis]
    a, s, fade = (units(v, spacing_m) for v in (raster.at_m[axis], raster.step_m, raster.fade_m))
    w = int(g) * 2**level * 2**20 - a
    off = max(-w, w - (n - 1) * s, 0)
    q = ONE
    if off >= fade and off > 0:
        q = ZERO
    elif off > 0:
        faded = fade5(F32(off * 2**24 // fade) * F32(2.0**-24))
        q = ZERO if faded > ONE else ONE - faded
    k = w // s
    return Place(k, F32((w - k * s) * 2**24 // s) * F32(2.0**-24), q)


def mirrored(i, n):
    i %= 2 * (n - 1)
    return 2 * (n - 1) - i if i > n - 1 else i


def cubic(a, b, c, d, t):
    c1, c2 = (c - a) * HALF, (a + TWO * c) - (F32(2.5) * b + HALF * d)
    c3 = (d - a) * HALF + (b - c) * F32(1.5)
    return b + t * (c1 + t * (c2 + t * c3))


def value(term, x, y):
    samples = SAMPLES[term.raster.digest]
    height, width = samples.shape
    rows = [mirrored(y.k + j, height) for j in range(-1, 3)]
    columns = [samples[rows, mirrored(x.k + j, width)] for j in range(-1, 3)]
    return cubic(*(cubic(*column, y.t) for column in columns), x.t) * term.factor[0] + term.offset


def values(terms, term, beyond):
    spacing_m, out = terms.world.recipe.spacing_m, []
    for gi, gj, other in zip(terms.gi, terms.gj, beyond):
        x, y = place(term, spacing_m, 0, terms.level, gi), place(term, spacing_m, 1, terms.level, gj)
        w = x.q * y.q
        out.append(w * (value(term, x, y) if w > ZERO else ZERO) + (ONE - w) * other)
    return np.array(out, F32)
