"""Nodes: the spline among them, their noise, and coarse terms."""
import numpy as np

from arithmetic import F32, FOUR, HALF, ONE, SIX, THREE, TWO, fade5
from hashing import corner, unit

SIXTH = ONE / SIX


def weights(t):
    u = ONE - t
    return (((u * u) * u) * SIXTH, (((THREE * t - SIX) * t) * t + FOUR) * SIXTH,
            (((THREE * u - SIX) * u) * u + FOUR) * SIXTH, ((t * t) * t) * SIXTH)  # fmt: skip


def spline(nodes_level, level, gi, gj, values):
    """values(columns, rows): the field at nodes. Each node that samples share is asked once."""
    k = nodes_level - level
    c, r = gi >> k, gj >> k
    s, t = ((g & (1 << k) - 1).astype(F32) * F32(2.0**-k) for g in (gi, gj))
    at = np.array([(c + i, r + j) for i in range(-1, 3) for j in range(-1, 3)])  # 16 x 2 x samples
    asked, back = np.unique(at.transpose(0, 2, 1).reshape(-1, 2), axis=0, return_inverse=True)
    n = values(asked[:, 0], asked[:, 1])[back.reshape(-1)].reshape(4, 4, len(gi))
    w0, w1, w2, w3 = weights(t)
    v = [(w0 * n[i, 0] + w1 * n[i, 1]) + (w2 * n[i, 2] + w3 * n[i, 3]) for i in range(4)]
    c0, c1 = ((v[0] + v[2]) + FOUR * v[1]) * SIXTH, (v[2] - v[0]) * HALF
    c2, c3 = ((v[0] + v[2]) - TWO * v[1]) * HALF, ((v[3] - v[0]) + THREE * (v[1] - v[2])) * SIXTH
    return c0 + s * (c1 + s * (c2 + s * c3))


def corners(key, m, columns, rows):
    """q_00, q_10, q_01, q_11, U and V of nodes."""
    q = [unit(corner(key, (columns >> m) + i, (rows >> m) + j)) for j in (0, 1) for i in (0, 1)]
    u, v = (fade5((g & (1 << m) - 1).astype(F32) * F32(2.0**-m)) for g in (columns, rows))
    return (*q, u, v)


def noise(key, m, columns, rows):
    q00, q10, q01, q11, u, v = corners(key, m, columns, rows)
    top, bottom = q00 + u * (q10 - q00), q01 + u * (q11 - q01)
    return top + v * (bottom - top)


def coarse(terms, term):
    def values(columns, rows):
        return type(terms)(terms.world, term.of, columns, rows).term(term.in_[0]).v

    return spline(term.of, terms.level, terms.gi, terms.gj, values)
