"""The base noises: v, v_x, v_y of one octave in one cell a sample, by the place in the cell.

Samples come as arrays; (cx, cy) are int64, (x, y) binary32. The slopes are by x and y, that is, a cell.
"""
import numpy as np

from arithmetic import EIGHT, F32, HALF, ONE, THREE, TWO, ZERO, fade3, fade3_slope, fade5, fade5_slope, where
from hashing import again, corner, number

VALUE, POLYNOMIAL, POLYNOMIAL_C1, PERLIN3, PERLIN5, HERMITE, SIMPLEX = range(7)
CELLULAR_F1, CELLULAR_F2, CELLULAR_EDGE = 7, 8, 9
SIMPLEX_SMOOTH = 10
BASES = 11
CELLULAR = (CELLULAR_F1, CELLULAR_F2, CELLULAR_EDGE)
TRIANGULAR = (SIMPLEX, SIMPLEX_SMOOTH)

FOUR_THIRDS = F32(1.3333334)


def fades(base):
    return (fade5, fade5_slope) if base in (VALUE, PERLIN5) else (fade3, fade3_slope)


def arch(n, z):
    return (n * z) * (F32(2.0**31) - abs(n))


def gradient(h, length):
    z = length * F32(2.0**-60)
    return arch(number(h + 0x40000000), z), arch(number(h), z)


# ---- On square cells: q[i][j], g[i][j] with i = 0 west, 1 east; j = 0 north, 1 south -----------------------


def product(q, x, y, fade, slope):
    (q00, q01), (q10, q11) = q
    s, s_y = fade(y), slope(y)
    dy, dy1, dx = q01 - q00, q11 - q10, q10 - q00
    twist = dy1 - dy
    a, b = q00 + s * dy, dx + s * twist
    a_y, b_y = s_y * dy, s_y * twist
    return a + b * fade(x), b * slope(x), a_y + b_y * fade(x)


def polynomial(q, x, y, fade, slope):
    (q00, q01), (q10, q11) = q
    s, s_y = fade(y), slope(y)
    dy, dy1, dx = q01 - q00, q11 - q10, q10 - q00
    twist = dy1 - dy
    a, b, d = q00 + s * dy, dx + y * twist, (s - y) * twist
    v = (a + b * fade(x)) + d * x
    v_x = b * slope(x) + d
    a_y, d_y = s_y * dy, (s_y - ONE) * twist
    return v, v_x, (a_y + twist * fade(x)) + d_y * x


def perlin(g, x, y, fade, slope, pseudo):
    ((gx00, gy00), (gx01, gy01)), ((gx10, gy10), (gx11, gy11)) = g

    def along_x(p, m, f0, f1):
        """a, c, d, from the weights and slopes along y or from their derivatives."""
        a = gy00 * p + gy01 * m
        c = ((gy10 - gy00) * p + (gy11 - gy01) * m) - f1
        return a, c, f1 - f0

    s, s_y = fade(y), slope(y)
    f0 = gx00 + s * (gx01 - gx00)
    f1 = gx10 + s * (gx11 - gx10)
    a, c, d = along_x(y * (ONE - s), s * (y - ONE), f0, f1)
    v = (a + f0 * x) + fade(x) * (c + d * x)
    v_x = slope(x) * (c + d * x) if pseudo else (f0 + d * fade(x)) + slope(x) * (c + d * x)

    f0 = s_y * (gx01 - gx00)
    f1 = s_y * (gx11 - gx10)
    if pseudo:
        a, c, d = along_x(ZERO - y * s_y, s_y * (y - ONE), f0, f1)
    else:
        a, c, d = along_x((ONE - s) - y * s_y, s + s_y * (y - ONE), f0, f1)
    return v, v_x, (a + f0 * x) + fade(x) * (c + d * x)


def hermite(q, g, x, y):
    (q00, q01), (q10, q11) = q
    ((f00, g00), (f01, g01)), ((f10, g10), (f11, g11)) = g
    n, o, w, e = q10 - q00, q11 - q01, q01 - q00, q11 - q10
    c20, c30 = (THREE * n - TWO * f00) - f10, (f10 + f00) - TWO * n
    c21, c31 = ((THREE * o - TWO * f01) - f11) - c20, ((f11 + f01) - TWO * o) - c30
    c02, c03 = (THREE * w - TWO * g00) - g01, (g01 + g00) - TWO * w
    c12, c13 = ((THREE * e - TWO * g10) - g11) - c02, ((g11 + g10) - TWO * e) - c03
    c11 = (w - e) + ((f01 - f00) + (g10 - g00))

    def value(a, b, c, d):
        return a + x * (b + x * (c + x * d))

    b = f00 + y * (c11 + y * (c12 + y * c13))
    c, d = c20 + y * c21, c30 + y * c31
    v = value(q00 + y * (g00 + y * (c02 + y * c03)), b, c, d)
    v_x = b + x * (TWO * c + x * (THREE * d))
    a_y = g00 + y * (TWO * c02 + y * (THREE * c03))
    b_y = c11 + y * (TWO * c12 + y * (THREE * c13))
    return v, v_x, value(a_y, b_y, c21, c31)


def on_squares(base, key, cx, cy, x, y, amplitude, weight, pseudo):
    h = [[corner(key, cx + i, cy + j) for j in (0, 1)] for i in (0, 1)]
    fade, slope = fades(base)
    if base in (PERLIN3, PERLIN5):
        length = amplitude * FOUR_THIRDS
        return perlin([[gradient(h_ij, length) for h_ij in h_i] for h_i in h], x, y, fade, slope, pseudo)
    q = [[number(h_ij) * (amplitude * F32(2.0**-31)) for h_ij in h_i] for h_i in h]
    if base == HERMITE:
        length = amplitude * weight
        return hermite(q, [[gradient(again(h_ij), length) for h_ij in h_i] for h_i in h], x, y)
    return (polynomial if base == POLYNOMIAL else product)(q, x, y, fade, slope)


# ---- Simplex and cellular ----------------------------------------------------------------------------------


def simplex(key, cx, cy, x, y, amplitude):
    k = F32(0.21132486540518712)
    u = (x + y) * k
    x, y = x - u, y - u
    east = x > y
    far = TWO * k
    vertices = (
        (np.zeros_like(cx), np.zeros_like(cy), x, y),
        (
            east.astype(np.int64),
            (~east).astype(np.int64),
            where(east, (x - ONE) + k, x + k),
            where(east, y + k, (y - ONE) + k),
        ),
        (np.ones_like(cx), np.ones_like(cy), (x - ONE) + far, (y - ONE) + far),
    )
    return of_vertices(key, cx, cy, vertices, HALF, amplitude * F32(93.5))


def simplex_smooth(key, cx, cy, x, y, amplitude):
    k = F32(0.21132486540518712)
    east, h, l = x > y, np.maximum(x, y), np.minimum(x, y)
    p = np.where((ONE - h < l) & (ONE - h < h - l), 2, 0)
    q = np.where((l <= ONE - h) & (l < h - l), -1, 1)
    u = (x + y) * k
    x, y = x - u, y - u
    vertices = []
    for i, j in ((p * 0, q * 0), (p * 0 + 1, q * 0), (p * 0 + 1, q * 0 + 1), (p, q)):
        i, j = np.where(east, i, j), np.where(east, j, i)
        back = (i + j).astype(F32) * k
        vertices.append((i, j, (x - i.astype(F32)) + back, (y - j.astype(F32)) + back))
    return of_vertices(key, cx, cy, vertices, F32(2 / 3), amplitude * F32(17.0859375))


def of_vertices(key, cx, cy, vertices, reach, length):
    total = total_x = total_y = np.zeros(len(cx), F32)
    for i, j, x, y in vertices:
        gx, gy = gradient(corner(key, cx + i, cy + j), length)
        r = (reach - x * x) - y * y
        r = where(r > ZERO, r, ZERO)
        r2 = r * r
        r4 = r2 * r2
        plane = gx * x + gy * y
        total = total + r4 * plane
        turn = (EIGHT * (r2 * r)) * plane
        total_x = total_x + (r4 * gx - turn * x)
        total_y = total_y + (r4 * gy - turn * y)
    return total, total_x, total_y


def nearest_two(key, cx, cy, x, y, jitter):
    """(d1, x1, y1), (d2, x2, y2)"""
    z = jitter * F32(2.0**-32)
    reach = 2 if jitter > F32(0.65) else 1
    far, none = np.full(len(cx), 1e9, F32), np.zeros(len(cx), F32)
    first, second = (far, none, none), (far, none, none)
    for j in range(-reach, reach + 1):
        for i in range(-reach, reach + 1):
            h = corner(key, cx + i, cy + j)
            p = number(h) * z + HALF, number(h << 16) * z + HALF
            to_x, to_y = x - (F32(i) + p[0]), y - (F32(j) + p[1])
            point = (to_x * to_x + to_y * to_y, to_x, to_y)
            nearer, near = point[0] < first[0], point[0] < second[0]
            second = tuple(where(nearer, a, where(near, b, c)) for a, b, c in zip(first, point, second))
            first = tuple(where(nearer, b, a) for a, b in zip(first, point))
    return first, second


def cellular(base, key, cx, cy, x, y, amplitude, jitter):
    (d1, x1, y1), (d2, x2, y2) = nearest_two(key, cx, cy, x, y, jitter)
    f1, f2 = np.sqrt(d1), np.sqrt(d2)
    m = F32(1.41421356) if base == CELLULAR_F1 else F32(1.25)

    def quotient(a, b):
        return where(b == ZERO, ZERO, a / b)

    first = f1, quotient(x1, f1), quotient(y1, f1)
    second = f2, quotient(x2, f2), quotient(y2, f2)
    if base == CELLULAR_EDGE:
        f, f_x, f_y = (b - a for a, b in zip(first, second))
    else:
        f, f_x, f_y = first if base == CELLULAR_F1 else second
    return (f * m - ONE) * amplitude, f_x * (m * amplitude), f_y * (m * amplitude)


def evaluate(base, key, place, amplitude, weight, jitter, pseudo):
    """v, v_x, v_y; place is (cx, cy, x, y)."""
    if base == SIMPLEX:
        return simplex(key, *place, amplitude)
    if base == SIMPLEX_SMOOTH:
        return simplex_smooth(key, *place, amplitude)
    if base in CELLULAR:
        return cellular(base, key, *place, amplitude, jitter)
    return on_squares(base, key, *place, amplitude, weight, pseudo)
