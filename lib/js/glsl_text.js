// What every twin's source begins with: integers of 64 bits in pairs of words, the hash, places in cells, splines. A number of 64 bits is
// uvec2(low, high), a negative one as two's complement has it.

export const INTEGERS = `
struct terrane_At { uvec2 x, y; int level; };      // samples of level 0, whole
struct terrane_Cell { uvec2 x, y; vec2 t; };       // of an octave, and the place in it

uvec2 terrane_add(uvec2 a, uvec2 b)
{
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}
uvec2 terrane_extended(int v) { return uvec2(uint(v), v < 0 ? 0xFFFFFFFFu : 0u); }
uvec2 terrane_moved(uvec2 a, int by) { return terrane_add(a, terrane_extended(by)); }

/* a * b of words, whole. */
uvec2 terrane_wide(uint a, uint b)
{
    uint al = a & 0xFFFFu, ah = a >> 16, bl = b & 0xFFFFu, bh = b >> 16;
    uint one = al * bh, two = ah * bl;
    uint mid = (al * bl >> 16) + (one & 0xFFFFu) + (two & 0xFFFFu);
    return uvec2(a * b, ah * bh + (one >> 16) + (two >> 16) + (mid >> 16));
}
uvec2 terrane_times(uvec2 a, uvec2 b)
{
    uvec2 low = terrane_wide(a.x, b.x);
    return uvec2(low.x, low.y + a.x * b.y + a.y * b.x);
}

/* >> n and << n, n = 0 .. 63; the sign comes in. */
uvec2 terrane_right(uvec2 a, int n)
{
    uint sign = uint(int(a.y) >> 31);
    if (n >= 32) return uvec2(uint(int(a.y) >> (n - 32)), sign);
    return n == 0 ? a : uvec2(a.x >> n | a.y << (32 - n), uint(int(a.y) >> n));
}
uvec2 terrane_left(uvec2 a, int n)
{
    if (n >= 32) return uvec2(0u, a.x << (n - 32));
    return n == 0 ? a : uvec2(a.x << n, a.y << n | a.x >> (32 - n));
}
/* The lowest n bits. */
uvec2 terrane_within(uvec2 a, int n)
{
    if (n >= 32) return uvec2(a.x, n == 32 ? 0u : a.y & (0xFFFFFFFFu >> (64 - n)));
    return uvec2(n == 0 ? 0u : a.x & (0xFFFFFFFFu >> (32 - n)), 0u);
}
uvec2 terrane_moved(uvec2 a, int by, int level) { return terrane_add(a, terrane_left(terrane_extended(by), level)); }
float terrane_power(int n) { return uintBitsToFloat(uint(n + 127) << 23); }
`;

export const HASH = (count) => `
layout(std140) uniform Terrane { uvec4 terrane_octave[${count}]; };

/* a * b, rounded, whatever is made of it: a card that fuses a product into a sum fuses it into this one. No compiler knows that it is 0. */
float terrane_zero;
float terrane_by(float a, float b) { return a * b + terrane_zero; }
vec2 terrane_by(vec2 a, vec2 b) { return a * b + terrane_zero; }
vec3 terrane_by(vec3 a, vec3 b) { return a * b + terrane_zero; }
vec4 terrane_by(vec4 a, vec4 b) { return a * b + terrane_zero; }

uvec4 terrane_word(int o, int k) { return terrane_octave[6 * o + k]; }
float terrane_amplitude(int o) { return uintBitsToFloat(terrane_word(o, 0).w); }
float terrane_per_metre(int o) { return uintBitsToFloat(terrane_word(o, 4).w); }
float terrane_share(int o) { return uintBitsToFloat(terrane_word(o, 5).w); }
bool terrane_ends(int o, int level) { return level > int(terrane_word(o, 0).y); }

uvec2 terrane_mix(uvec2 z)
{
    z ^= uvec2(z.x >> 30 | z.y << 2, z.y >> 30);
    z = terrane_times(z, uvec2(0x1CE4E5B9u, 0xBF58476Du));
    z ^= uvec2(z.x >> 27 | z.y << 5, z.y >> 27);
    z = terrane_times(z, uvec2(0x133111EBu, 0x94D049BBu));
    return z ^ uvec2(z.x >> 31 | z.y << 1, z.y >> 31);
}
uvec2 terrane_absorb(uvec2 h, uvec2 v) { return terrane_mix(h ^ terrane_mix(terrane_add(v, uvec2(0x7F4A7C15u, 0x9E3779B9u)))); }

/* Of the higher word of a cell's coordinate; those by the world's middle, 0 and -1, are known. */
uint terrane_high(int o, bool south, uint c)
{
    uvec4 near = terrane_word(o, 2), key = terrane_word(o, 1);
    if (c == 0u) return south ? near.z : near.x;
    if (c == 0xFFFFFFFFu) return south ? near.w : near.y;
    return terrane_absorb(south ? key.zw : key.xy, terrane_extended(int(c))).x;
}
uint terrane_column(int o, uvec2 c) { return (c.x * 0x9E3779B1u) ^ terrane_high(o, false, c.y); }
uvec2 terrane_row(int o, uvec2 c)
{
    uint y = (c.x * 0x85EBCA77u) ^ terrane_high(o, true, c.y);
    y ^= y >> 16; y *= 0x7FEB352Du;
    y ^= y >> 15; y *= 0x846CA68Bu;
    y ^= y >> 16;
    return uvec2(y, ((y * 0x9E3779B1u) ^ terrane_word(o, 0).x) | 1u);
}
uint terrane_corner(uint column, uvec2 row)
{
    uint h = column ^ row.x;
    h ^= h >> 15; h *= row.y;
    h ^= h >> 13; h *= 0x297A2D39u;
    return h ^ h >> 15;
}
uint terrane_again(uint h) { h *= 0x9E3779B1u; return h ^ h >> 15; }
float terrane_number(uint h) { return float(int(h)); }

/* Of the four around a cell: 00, 10, 01, 11, east first. */
uvec4 terrane_corners(int o, terrane_Cell c)
{
    uint west = terrane_column(o, c.x), east = terrane_column(o, terrane_moved(c.x, 1));
    uvec2 north = terrane_row(o, c.y), south = terrane_row(o, terrane_moved(c.y, 1));
    return uvec4(terrane_corner(west, north), terrane_corner(east, north), terrane_corner(west, south), terrane_corner(east, south));
}
`;

export const PLACES = `
void terrane_axis(uvec2 g, uvec2 shift, int log2, out uvec2 cell, out float t)
{
    uvec2 u = terrane_add(g, shift);
    uvec2 num = terrane_within(u, log2);
    cell = terrane_right(u, log2);
    t = (float(terrane_right(num, 16).x) * 65536.0 + float(num.x & 0xFFFFu)) * terrane_power(-log2);
}
terrane_Cell terrane_lattice(terrane_At p, int o)
{
    uvec4 shift = terrane_word(o, 3);
    int log2 = int(terrane_word(o, 0).z);
    terrane_Cell c;
    terrane_axis(p.x, shift.xy, log2, c.x, c.t.x);
    terrane_axis(p.y, shift.zw, log2, c.y, c.t.y);
    return c;
}

/* (v * step + shift) >> 32, of 128 bits: words 1 to 3. v is signed. */
uvec3 terrane_part(uvec2 v, uvec3 step, uvec2 shift)
{
    uvec2 a = terrane_wide(v.x, step.x), b = terrane_wide(v.x, step.y), c = terrane_wide(v.y, step.x), d = terrane_wide(v.y, step.y);
    uvec2 e = terrane_wide(v.x, step.z);
    uvec2 one = terrane_add(terrane_add(uvec2(a.y, 0u), uvec2(b.x, 0u)), uvec2(c.x, 0u));
    uvec2 two = terrane_add(uvec2(one.y, 0u), uvec2(b.y, 0u));
    two = terrane_add(terrane_add(terrane_add(two, uvec2(c.y, 0u)), uvec2(d.x, 0u)), uvec2(e.x, 0u));
    uvec2 upper = uvec2(two.x, two.y + d.y + e.y + v.y * step.z);
    if (int(v.y) < 0) upper = terrane_add(upper, terrane_add(~step.xy, uvec2(1u, 0u)));
    uint low = a.x + shift.x;
    uvec2 next = terrane_add(terrane_add(uvec2(one.x, 0u), uvec2(shift.y, 0u)), uvec2(low < a.x ? 1u : 0u, 0u));
    return uvec3(next.x, terrane_add(upper, uvec2(next.y, 0u)));
}
void terrane_from_part(uvec3 part, out uvec2 cell, out float t)
{
    cell = part.yz;
    t = float(part.x >> 8) * terrane_power(-24);
}
terrane_Cell terrane_points(terrane_At p, int o)
{
    uvec4 shift = terrane_word(o, 3);
    uvec3 own = terrane_word(o, 4).xyz;
    terrane_Cell c;
    terrane_from_part(terrane_part(p.x, own, shift.xy), c.x, c.t.x);
    terrane_from_part(terrane_part(p.y, own, shift.zw), c.y, c.t.y);
    return c;
}
uvec3 terrane_sum(uvec3 a, uvec3 b)
{
    uint low = a.x + b.x;
    return uvec3(low, terrane_add(terrane_add(a.yz, b.yz), uvec2(low < a.x ? 1u : 0u, 0u)));
}
terrane_Cell terrane_skewed(terrane_At p, int o)
{
    uvec4 shift = terrane_word(o, 3);
    uvec3 own = terrane_word(o, 4).xyz, cross = terrane_word(o, 5).xyz;
    terrane_Cell c;
    terrane_from_part(terrane_sum(terrane_part(p.x, own, shift.xy), terrane_part(p.y, cross, uvec2(0u))), c.x, c.t.x);
    terrane_from_part(terrane_sum(terrane_part(p.x, cross, uvec2(0u)), terrane_part(p.y, own, shift.zw)), c.y, c.t.y);
    return c;
}

/* By so many cells. */
terrane_Cell terrane_pushed(terrane_Cell c, vec2 e)
{
    vec2 t = c.t + clamp(e, -1048576.0, 1048576.0), whole = floor(t);
    return terrane_Cell(terrane_moved(c.x, int(whole.x)), terrane_moved(c.y, int(whole.y)), t - whole);
}
terrane_Cell terrane_pushed_skewed(terrane_Cell c, vec2 e) { return terrane_pushed(c, e + terrane_by(e.x + e.y, 0.36602540378443865)); }

float terrane_fade(float t) { return terrane_by((t * t) * t, terrane_by(t, terrane_by(t, 6.0) - 15.0) + 10.0); }
float terrane_step(float u) { return min(terrane_fade(clamp(u, 0.0, 1.0)), 1.0); }
`;
