"""The function of terrane, written a second time, slowly.

Made from lib/README.md and lib/terrane.h alone, to be compared with the library bit for bit (compare.py).
It has no windows, no tables and no vectors: it answers for one sample, by the formulas in the page's order.

Arithmetic. Every binary32 number is a numpy.float32 and every operation has two of them as operands, so each
rounds once. A Python float in an expression would promote it to binary64, and binary64 then sticks to all
that is made of it: `checked` looks at the type of the results, and that is enough. Integers are Python's,
masked where the page says u32 or u64.
"""
from dataclasses import dataclass, replace
from functools import lru_cache
import struct

import numpy as np

GENERATOR_VERSION = 1
LEVEL_MAX = 24

VALUE, POLYNOMIAL, POLYNOMIAL_C1, PERLIN3, PERLIN5 = range(5)
BASES = 5

U32 = (1 << 32) - 1
U64 = (1 << 64) - 1

F32 = np.float32
ZERO, HALF, ONE, TWO, THREE, FOUR, SIX = (F32(x) for x in (0, 0.5, 1, 2, 3, 4, 6))
TEN, FIFTEEN, THIRTY = F32(10), F32(15), F32(30)
FOUR_THIRDS = F32(1.3333334)
UNIT_SCALE = F32(2.0**-23)


# ---- Worlds ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fractal:
    base: int = VALUE
    salt: int = 0
    octaves: int = 0
    cell_log2: int = 0
    amplitude_m: F32 = ZERO
    gain: F32 = ZERO


@dataclass(frozen=True)
class Zone:
    name: bytes = b""
    amplitude: F32 = ONE
    offset_m: F32 = ZERO
    colour: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True)
class Partition:
    """What `threshold` holds beyond zones - 1 members and `zone` beyond `zones` is not looked at."""

    base: int = VALUE
    salt: int = 0
    cell_log2: int = 0
    zones: int = 1
    blend: F32 = ZERO
    threshold: tuple[F32, ...] = ()
    zone: tuple[Zone, ...] = (Zone(),)


@dataclass(frozen=True)
class Recipe:
    spacing_m: float = 1.0
    alias_octaves: int = 0
    offset_m: F32 = ZERO
    low_m: F32 = F32(-1000)
    high_m: F32 = F32(1000)
    base: Fractal = Fractal()
    detail: Fractal = Fractal()
    partition: Partition = Partition()


def canonical_fractal(fractal):
    if fractal.octaves == 0:
        return Fractal()
    return replace(fractal, amplitude_m=fractal.amplitude_m + ZERO, gain=fractal.gain + ZERO)


def canonical(recipe):
    """The recipe without what the digest leaves out. Adding +0 turns -0 into +0 and changes nothing else."""
    p = recipe.partition
    zone = tuple(
        replace(z, name=z.name.split(b"\0")[0], amplitude=z.amplitude + ZERO, offset_m=z.offset_m + ZERO)
        for z in p.zone[: p.zones]
    )
    if p.zones == 1:
        partition = Partition(zone=zone)
    else:
        threshold = tuple(t + ZERO for t in p.threshold[: p.zones - 1])
        partition = replace(p, threshold=threshold, zone=zone)
    return replace(
        recipe,
        offset_m=recipe.offset_m + ZERO,
        low_m=recipe.low_m + ZERO,
        high_m=recipe.high_m + ZERO,
        base=canonical_fractal(recipe.base),
        detail=canonical_fractal(recipe.detail),
        partition=partition,
    )


class World:
    def __init__(self, recipe, seed):
        self.recipe = canonical(recipe)
        self.seed = seed


# ---- Hash --------------------------------------------------------------------------------------------------


def mix(z):
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & U64
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & U64
    return z ^ z >> 31


def absorb(h, v):
    return mix(h ^ mix(v + 0x9E3779B97F4A7C15 & U64))


# The caches below spare repeated hashing of the same integers; they hold no part of the function.


@lru_cache(maxsize=1 << 16)
def octave_key(seed, salt, octave):
    return absorb(absorb(seed, salt), octave)


@lru_cache(maxsize=1 << 16)
def shifts(key, cell_log2):
    mask = (1 << cell_log2) - 1
    return absorb(key, 1) & mask, absorb(key, 2) & mask


def row_key(key, cx, cy):
    # "int64 taken as u64": cx is unsigned before it is shifted, so the shift brings in zeros.
    return absorb(absorb(key, cy & U64), cx >> 32 & U64)


def corner(key, cx, cy):
    row = row_key(key, cx, cy)
    h = (cx & U32) * 0x9E3779B1 & U32 ^ row & U32
    h ^= h >> 15
    h = h * (row >> 32 | 1) & U32
    h ^= h >> 13
    h = h * 0x297A2D39 & U32
    return h ^ h >> 15


def float_of_integer(i):
    """One rounding: binary64 holds every integer below 2^53 exactly."""
    assert abs(i) < 1 << 53
    return F32(float(i))


def unit(h):
    signed = h - (1 << 32) if h >> 31 else h
    return float_of_integer(signed >> 8) * UNIT_SCALE


# ---- One octave at one sample ------------------------------------------------------------------------------


def takes_part(world, level, cell_log2):
    return cell_log2 + world.recipe.alias_octaves >= level + 1


def locate(level, cell_log2, g, shift):
    """(cell, t) of a lattice coordinate along one axis."""
    k = cell_log2 - level
    u = g + (shift >> level)
    num = (u & ((1 << k) - 1)) << level | shift & ((1 << level) - 1)
    assert 0 <= num < 1 << cell_log2
    return u >> k, float_of_integer(num) * F32(2.0**-cell_log2)


def fade3(t):
    return (t * t) * (THREE - TWO * t)


def fade3_slope(t):
    return (SIX * t) * (ONE - t)


def fade5(t):
    return ((t * t) * t) * (t * (t * SIX - FIFTEEN) + TEN)


def fade5_slope(t):
    return ((THIRTY * t) * t) * ((ONE - t) * (ONE - t))


FADES = {
    VALUE: (fade5, fade5_slope),
    POLYNOMIAL: (fade3, fade3_slope),
    POLYNOMIAL_C1: (fade3, fade3_slope),
    PERLIN3: (fade3, fade3_slope),
    PERLIN5: (fade5, fade5_slope),
}


def product(q, x, y, fade, slope):
    """q[i][j]: i = 0 west, 1 east; j = 0 north, 1 south. Returns v, v_x, v_y, as the next two do."""
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
    v_y = (a_y + twist * fade(x)) + d_y * x
    return v, v_x, v_y


def arch(t):
    return (FOUR * t) * (ONE - abs(t))


def gradient(amplitude, w):
    scale = amplitude * FOUR_THIRDS
    turn = w + HALF
    if turn >= ONE:
        turn = turn - TWO
    return scale * arch(turn), scale * arch(w)


def perlin(gradients, x, y, fade, slope):
    """gradients[i][j] = (gx, gy)."""
    ((gx00, gy00), (gx01, gy01)), ((gx10, gy10), (gx11, gy11)) = gradients

    def along_x(p, m, f0, f1):
        """a, c, d of the page, from the weights and slopes along y or from their derivatives."""
        a = gy00 * p + gy01 * m
        c = ((gy10 - gy00) * p + (gy11 - gy01) * m) - f1
        return a, c, f1 - f0

    s, s_y = fade(y), slope(y)
    f0 = gx00 + s * (gx01 - gx00)
    f1 = gx10 + s * (gx11 - gx10)
    a, c, d = along_x(y * (ONE - s), s * (y - ONE), f0, f1)
    v = (a + f0 * x) + fade(x) * (c + d * x)
    v_x = (f0 + d * fade(x)) + slope(x) * (c + d * x)

    f0 = s_y * (gx01 - gx00)
    f1 = s_y * (gx11 - gx10)
    a, c, d = along_x((ONE - s) - y * s_y, s + s_y * (y - ONE), f0, f1)
    v_y = (a + f0 * x) + fade(x) * (c + d * x)
    return v, v_x, v_y


def octave(base, key, cell_log2, amplitude, level, gi, gj):
    """v, v_x, v_y of one octave; the derivatives are by t, that is, a cell."""
    shift_x, shift_y = shifts(key, cell_log2)
    cx, x = locate(level, cell_log2, gi, shift_x)
    cy, y = locate(level, cell_log2, gj, shift_y)
    w = [[unit(corner(key, cx + i, cy + j)) for j in (0, 1)] for i in (0, 1)]
    fade, slope = FADES[base]
    if base in (PERLIN3, PERLIN5):
        return perlin([[gradient(amplitude, w_ij) for w_ij in w_i] for w_i in w], x, y, fade, slope)
    q = [[amplitude * w_ij for w_ij in w_i] for w_i in w]
    return (polynomial if base == POLYNOMIAL else product)(q, x, y, fade, slope)


# ---- Fractals and the surface ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Noise:
    """A fractal's sum and its derivatives by metres east and south."""

    value: F32 = ZERO
    x: F32 = ZERO
    y: F32 = ZERO


def add_octave(total, world, base, salt, number, cell_log2, amplitude, level, gi, gj):
    v, v_x, v_y = octave(base, octave_key(world.seed, salt, number), cell_log2, amplitude, level, gi, gj)
    # The quotient is binary64: Python's own arithmetic.
    g = F32(1.0 / (2.0**cell_log2 * float(world.recipe.spacing_m)))
    return Noise(total.value + v, total.x + v_x * g, total.y + v_y * g)


def fractal_noise(world, fractal, start, level, gi, gj):
    total = Noise(start)
    amplitude = fractal.amplitude_m
    for number in range(fractal.octaves):
        cell_log2 = fractal.cell_log2 - number
        if takes_part(world, level, cell_log2):
            total = add_octave(
                total, world, fractal.base, fractal.salt, number, cell_log2, amplitude, level, gi, gj
            )
        amplitude = amplitude * fractal.gain
    return total


def partition_noise(world, level, gi, gj):
    p = world.recipe.partition
    if p.zones == 1 or not takes_part(world, level, p.cell_log2):
        return Noise()
    return add_octave(Noise(), world, p.base, p.salt, 0, p.cell_log2, ONE, level, gi, gj)


@dataclass(frozen=True)
class Sample:
    height: F32
    slope_x: F32
    slope_y: F32
    normal: tuple[F32, F32, F32]
    zone: int
    weights: tuple[F32, ...]


def checked(sample):
    for value in (sample.height, sample.slope_x, sample.slope_y, *sample.normal, *sample.weights):
        assert type(value) is F32, f"{value!r} is not binary32"
    return sample


def sample(world, level, gi, gj):
    """Everything of the sample (gi, gj) of a level."""
    recipe = world.recipe
    p = recipe.partition
    c = fractal_noise(world, recipe.base, recipe.offset_m, level, gi, gj)
    d = fractal_noise(world, recipe.detail, ZERO, level, gi, gj)
    n = partition_noise(world, level, gi, gj)

    s = [ONE]
    zone_index = 0
    a, o = p.zone[0].amplitude, p.zone[0].offset_m
    a_slope, o_slope = ZERO, ZERO
    for k in range(1, p.zones):
        threshold = p.threshold[k - 1]
        inv = ONE / p.blend
        u = (n.value - threshold) * inv + HALF
        if u < ZERO:
            u = ZERO
        if u > ONE:
            u = ONE
        s_k = min(fade5(u), ONE)
        r_k = fade5_slope(u) * inv
        rise_a = p.zone[k].amplitude - p.zone[k - 1].amplitude
        rise_o = p.zone[k].offset_m - p.zone[k - 1].offset_m
        a = a + s_k * rise_a
        o = o + s_k * rise_o
        a_slope = a_slope + r_k * rise_a
        o_slope = o_slope + r_k * rise_o
        s.append(s_k)
        zone_index += int(n.value >= threshold)
    weights = [s[k] - s[k + 1] for k in range(p.zones - 1)] + [s[-1]]

    height = (c.value + o) + a * d.value
    m = o_slope + d.value * a_slope
    slope_x = (c.x + a * d.x) + m * n.x
    slope_y = (c.y + a * d.y) + m * n.y
    r = ONE / np.sqrt((slope_x * slope_x + slope_y * slope_y) + ONE)
    normal = (ZERO - slope_x * r, ZERO - slope_y * r, r)
    return checked(Sample(height, slope_x, slope_y, normal, zone_index, tuple(weights)))


# ---- SipHash-2-4 -------------------------------------------------------------------------------------------


def rotate_left(x, bits):
    return (x << bits | x >> 64 - bits) & U64


class SipState:
    def __init__(self, v):
        self.v = v

    def rounds(self, count):
        v0, v1, v2, v3 = self.v
        for _ in range(count):
            v0 = v0 + v1 & U64
            v1 = rotate_left(v1, 13) ^ v0
            v0 = rotate_left(v0, 32)
            v2 = v2 + v3 & U64
            v3 = rotate_left(v3, 16) ^ v2
            v0 = v0 + v3 & U64
            v3 = rotate_left(v3, 21) ^ v0
            v2 = v2 + v1 & U64
            v1 = rotate_left(v1, 17) ^ v2
            v2 = rotate_left(v2, 32)
        self.v = [v0, v1, v2, v3]

    def output(self):
        v0, v1, v2, v3 = self.v
        return v0 ^ v1 ^ v2 ^ v3


def siphash_absorb(key, message, wide):
    """The state behind the last block. Aumasson and Bernstein 2012; `wide` is their 128-bit variant."""
    k0, k1 = struct.unpack("<QQ", key)
    state = SipState(
        [
            k0 ^ 0x736F6D6570736575,
            k1 ^ 0x646F72616E646F6D ^ (0xEE if wide else 0),
            k0 ^ 0x6C7967656E657261,
            k1 ^ 0x7465646279746573,
        ]
    )
    whole = len(message) // 8 * 8
    last = message[whole:].ljust(7, b"\0") + bytes([len(message) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", message[:whole] + last):
        state.v[3] ^= word
        state.rounds(2)
        state.v[0] ^= word
    return state


def siphash64(key, message):
    state = siphash_absorb(key, message, False)
    state.v[2] ^= 0xFF
    state.rounds(4)
    return state.output()


def siphash128(key, message):
    state = siphash_absorb(key, message, True)
    state.v[2] ^= 0xEE
    state.rounds(4)
    first = state.output()
    state.v[1] ^= 0xDD
    state.rounds(4)
    return struct.pack("<QQ", first, state.output())


# ---- Identity ----------------------------------------------------------------------------------------------

KEY = bytes(range(16))


def u32(i):
    return struct.pack("<I", i)


def f32(x):
    assert type(x) is F32
    return (x + ZERO).astype("<f4").tobytes()


def fractal_bytes(fractal):
    if fractal.octaves == 0:
        return u32(0)
    return (
        u32(fractal.octaves)
        + u32(fractal.base)
        + u32(fractal.salt)
        + u32(fractal.cell_log2)
        + f32(fractal.amplitude_m)
        + f32(fractal.gain)
    )


def canonical_bytes(world):
    recipe = world.recipe
    p = recipe.partition
    out = b"terrane\0" + u32(GENERATOR_VERSION) + struct.pack("<Qd", world.seed, recipe.spacing_m)
    out += u32(recipe.alias_octaves) + f32(recipe.offset_m) + f32(recipe.low_m) + f32(recipe.high_m)
    out += fractal_bytes(recipe.base) + fractal_bytes(recipe.detail)
    out += u32(p.zones)
    if p.zones > 1:
        out += u32(p.base) + u32(p.salt) + u32(p.cell_log2) + f32(p.blend)
        out += b"".join(f32(threshold) for threshold in p.threshold)
    for zone in p.zone:
        out += zone.name.ljust(24, b"\0") + f32(zone.amplitude) + f32(zone.offset_m) + bytes(zone.colour)
    return out


def digest(world):
    return siphash128(KEY, canonical_bytes(world))


def seed_from_name(name):
    return siphash64(KEY, name)
