"""Noise at a point, in 1, 3 or 4 dimensions: Python's own binary64, one point at a time."""
import math

from arithmetic import F32, ZERO
from bases import PERLIN3, PERLIN5, SIMPLEX
from hashing import U64, absorb

FACTOR = {
    PERLIN3: {1: 2.0, 3: 0.957024, 4: 0.647165},
    PERLIN5: {1: 2.0, 3: 0.964921, 4: 0.650794},
    SIMPLEX: {1: 256 / 81, 3: 76.8807, 4: 62.7777},
}
SKEWS = {1: (0, 1), 3: (1, 3), 4: (377, 1220)}


def total(values, start=0.0):
    for value in values:
        start = start + value
    return start


def product(values):
    out = 1.0
    for value in values:
        out = out * value
    return out


def dot(a, b):
    return total(x * y for x, y in zip(a, b))


def fade(base, t):
    return (t * t) * (3 - 2 * t) if base == PERLIN3 else ((t * t) * t) * (t * (t * 6 - 15) + 10)


def fade_slope(base, t):
    return (6 * t) * (1 - t) if base == PERLIN3 else ((30 * t) * t) * ((1 - t) * (1 - t))


def gradient(key, cells):
    n = len(cells)
    h = absorb(key, n)
    for c in cells:
        h = absorb(h, c & U64)
    h >>= 32
    if n == 1:
        return [(h - (1 << 32) if h >> 31 else h) * 2.0**-31]
    m = h * (n << n - 1) >> 32
    zero = m >> n - 1
    signs = [1.0 - 2 * (m >> bit & 1) for bit in range(n - 1)]
    return signs[:zero] + [0.0] + signs[zero:]


def split(x):
    cell = math.floor(x)
    return cell, x - cell


def perlin(base, key, at):
    n = len(at)
    cells, rests = zip(*(split(x) for x in at))
    value, slope = 0.0, [0.0] * n
    for q in range(1 << n):
        high = [q >> a & 1 for a in range(n)]
        g = gradient(key, [c + one for c, one in zip(cells, high)])
        d = [t - 1 if one else t for t, one in zip(rests, high)]
        f = [fade(base, t) if one else 1 - fade(base, t) for t, one in zip(rests, high)]
        f_t = [fade_slope(base, t) if one else -fade_slope(base, t) for t, one in zip(rests, high)]
        h, w = dot(g, d), product(f)
        value = value + w * h
        for b in range(n):
            w_b = product(f_t[a] if a == b else f[a] for a in range(n))
            slope[b] = slope[b] + (w_b * h + w * g[b])
    return value, slope


def skewed(at):
    """The skewed cells and rests."""
    n = len(at)
    p, q = SKEWS[n]
    cells, rests = zip(*(split(x) for x in at))
    c = sum(cells)
    whole = c * p // q
    add = (float(c * p - whole * q) + total(rests) * p) / q
    parts = [split(rest + add) for rest in rests]
    return [cell + whole + more for cell, (more, _) in zip(cells, parts)], [rest for _, rest in parts]


def simplex(key, at):
    n = len(at)
    p, q = SKEWS[n]
    cells, r = skewed(at)
    rank = [sum(r[b] > r[a] or (r[b] == r[a] and b < a) for b in range(n)) for a in range(n)]
    value, slope = 0.0, [0.0] * n
    for k in range(n + 1):
        e = [int(rank[a] < k) for a in range(n)]
        back = ((total(r) - k) * p) / (q + n * p)
        d = [(r[a] - e[a]) - back for a in range(n)]
        t = (1.0 if n == 1 else 0.5) - dot(d, d)
        if not t > 0:
            continue
        g = gradient(key, [c + one for c, one in zip(cells, e)])
        h, v = dot(g, d), (t * t) * t
        value = value + (v * t) * h
        slope = [slope[a] + ((v * t) * g[a] - ((8 * v) * d[a]) * h) for a in range(n)]
    return value, slope


def noise_at(base, key, at):
    """(value, slopes), binary32."""
    value, slope = simplex(key, at) if base == SIMPLEX else perlin(base, key, at)
    z = FACTOR[base][len(at)]
    return F32(value * z) + ZERO, [F32(one * z) + ZERO for one in slope]
