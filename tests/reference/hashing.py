"""Hashes. Integers are Python's, or numpy arrays of uint64 (of int64 for coordinates): either will do."""
import struct

import numpy as np

from arithmetic import F32

U32 = (1 << 32) - 1
U64 = (1 << 64) - 1


def mix(z):
    z = z ^ z >> 30
    z = z * 0xBF58476D1CE4E5B9 & U64
    z = z ^ z >> 27
    z = z * 0x94D049BB133111EB & U64
    return z ^ z >> 31


def absorb(h, v):
    return mix(h ^ mix(v + 0x9E3779B97F4A7C15 & U64))


def octave_key(seed, salt, octave):
    return absorb(absorb(seed, salt), octave)


def unsigned(c):
    """A coordinate, modulo 2^64."""
    return c.view(np.uint64) if isinstance(c, np.ndarray) else c & U64


def high(key, axis, c):
    return absorb(absorb(key, axis), unsigned(c >> 32)) & U32


def column(key, cx):
    return (unsigned(cx) & U32) * 0x9E3779B1 & U32 ^ high(key, 3, cx)


def row(key, cy):
    """(add, multiply)"""
    y = (unsigned(cy) & U32) * 0x85EBCA77 & U32 ^ high(key, 4, cy)
    y = y ^ y >> 16
    y = y * 0x7FEB352D & U32
    y = y ^ y >> 15
    y = y * 0x846CA68B & U32
    y = y ^ y >> 16
    return y, (y * 0x9E3779B1 & U32 ^ key >> 32) | 1


def corner(key, cx, cy):
    add, multiply = row(key, cy)
    h = column(key, cx) ^ add
    h = h ^ h >> 15
    h = h * multiply & U32
    h = h ^ h >> 13
    h = h * 0x297A2D39 & U32
    return h ^ h >> 15


def again(h):
    h = h * 0x9E3779B1 & U32
    return h ^ h >> 15


def number(h):
    """float(int32(h)) of an array; what is above 32 bits is cut off."""
    return (h & U32).astype(np.uint32).view(np.int32).astype(F32)


def unit(h):
    return number(h) * F32(2.0**-31)


# ---- SipHash-2-4 -------------------------------------------------------------------------------------------

KEY = bytes(range(16))


def rotate_left(x, bits):
    return (x << bits | x >> 64 - bits) & U64


def rounds(v, count):
    v0, v1, v2, v3 = v
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
    return [v0, v1, v2, v3]


def output(v):
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def siphash_absorb(key, message, wide):
    """The state behind the last block. Aumasson and Bernstein 2012; `wide` is their 128-bit variant."""
    k0, k1 = struct.unpack("<QQ", key)
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D ^ (0xEE if wide else 0),
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]
    whole = len(message) // 8 * 8
    last = message[whole:].ljust(7, b"\0") + bytes([len(message) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", message[:whole] + last):
        v[3] ^= word
        v = rounds(v, 2)
        v[0] ^= word
    return v


def siphash64(key, message):
    v = siphash_absorb(key, message, False)
    v[2] ^= 0xFF
    return output(rounds(v, 4))


def siphash128(key, message):
    v = siphash_absorb(key, message, True)
    v[2] ^= 0xEE
    v = rounds(v, 4)
    first = output(v)
    v[1] ^= 0xDD
    return struct.pack("<QQ", first, output(rounds(v, 4)))


def seed_from_name(name):
    return siphash64(KEY, name)
