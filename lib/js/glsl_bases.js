// The base noises in GLSL: value and slopes, a cell, of octave o at a place, of amplitude a. "One octave at one sample" of the library's page
// has the formulas; brackets are as there, and a product that goes into a sum is made by terrane_by (glsl_text.js).

const FADE = {
    3: { fade: 'terrane_by(x * x, 3.0 - 2.0 * x)', slope: 'terrane_by(6.0 * x, 1.0 - x)' },
    5: { fade: 'terrane_fade(x)', slope: 'terrane_by((30.0 * x) * x, (1.0 - x) * (1.0 - x))' },
};
const fades = (degree) => `
float terrane_fade_${degree}(float x) { return ${FADE[degree].fade}; }
float terrane_slope_${degree}(float x) { return ${FADE[degree].slope}; }
`;
const S = (degree) => ({ S: `terrane_fade_${degree}`, D: `terrane_slope_${degree}` });

const NUMBERS = `
vec4 terrane_numbers(uvec4 h, float a)
{
    return terrane_by(vec4(terrane_number(h.x), terrane_number(h.y), terrane_number(h.z), terrane_number(h.w)), vec4(a * ${2 ** -31}));
}
`;

const GRADIENT = `
float terrane_arch(float n, float z) { return terrane_by(n * z, 2147483648.0 - abs(n)); }
vec2 terrane_gradient(uint h, float p)
{
    float z = p * ${2 ** -60};
    return vec2(terrane_arch(terrane_number(h + 0x40000000u), z), terrane_arch(terrane_number(h), z));
}
`;

/* q: 00, 10, 01, 11. */
const product = (name, degree) => `
vec3 terrane_${name}(int o, terrane_Cell c, float a)
{
    vec4 q = terrane_numbers(terrane_corners(o, c), a);
    float x = c.t.x, y = c.t.y, s = ${S(degree).S}(y), s1 = ${S(degree).D}(y);
    float dy = q.z - q.x, dy1 = q.w - q.y, dx = q.y - q.x, w = dy1 - dy;
    float west = q.x + terrane_by(s, dy), b = dx + terrane_by(s, w), f = ${S(degree).S}(x);
    return vec3(west + terrane_by(b, f), terrane_by(b, ${S(degree).D}(x)), terrane_by(s1, dy) + terrane_by(s1 * w, f));
}
`;

const POLYNOMIAL = `
vec3 terrane_polynomial(int o, terrane_Cell c, float a)
{
    vec4 q = terrane_numbers(terrane_corners(o, c), a);
    float x = c.t.x, y = c.t.y, s = terrane_fade_3(y), s1 = terrane_slope_3(y);
    float dy = q.z - q.x, dy1 = q.w - q.y, dx = q.y - q.x, w = dy1 - dy;
    float west = q.x + terrane_by(s, dy), b = dx + terrane_by(y, w), d = terrane_by(s - y, w), f = terrane_fade_3(x);
    return vec3((west + terrane_by(b, f)) + terrane_by(d, x), terrane_by(b, terrane_slope_3(x)) + d,
                (terrane_by(s1, dy) + terrane_by(w, f)) + terrane_by((s1 - 1.0) * w, x));
}
`;

/* pseudo: what IQ takes for slopes. */
const perlin = (name, degree) => `
vec3 terrane_${name}(int o, terrane_Cell cell, float amplitude, bool pseudo)
{
    uvec4 h = terrane_corners(o, cell);
    float length = amplitude * 1.3333334;
    vec2 g00 = terrane_gradient(h.x, length), g10 = terrane_gradient(h.y, length);
    vec2 g01 = terrane_gradient(h.z, length), g11 = terrane_gradient(h.w, length);
    float x = cell.t.x, y = cell.t.y, s = ${S(degree).S}(y), s1 = ${S(degree).D}(y), sx = ${S(degree).S}(x);
    float p = y * (1.0 - s), m = s * (y - 1.0);
    float f0 = g00.x + terrane_by(s, g01.x - g00.x), f1 = g10.x + terrane_by(s, g11.x - g10.x);
    float a = terrane_by(g00.y, p) + terrane_by(g01.y, m), c = (terrane_by(g10.y - g00.y, p) + terrane_by(g11.y - g01.y, m)) - f1, d = f1 - f0;
    float across = terrane_by(${S(degree).D}(x), c + terrane_by(d, x));
    vec3 n = vec3((a + terrane_by(f0, x)) + terrane_by(sx, c + terrane_by(d, x)), pseudo ? across : (f0 + terrane_by(d, sx)) + across, 0.0);
    float q = terrane_by(s1, y - 1.0);
    p = (pseudo ? 0.0 : 1.0 - s) - terrane_by(y, s1);
    m = pseudo ? q : s + q;
    f0 = terrane_by(s1, g01.x - g00.x);
    f1 = terrane_by(s1, g11.x - g10.x);
    a = terrane_by(g00.y, p) + terrane_by(g01.y, m);
    c = (terrane_by(g10.y - g00.y, p) + terrane_by(g11.y - g01.y, m)) - f1;
    d = f1 - f0;
    n.z = (a + terrane_by(f0, x)) + terrane_by(sx, c + terrane_by(d, x));
    return n;
}
`;

const HERMITE = `
float terrane_cubic(float a, float b, float c, float d, float x) { return a + terrane_by(x, b + terrane_by(x, c + terrane_by(x, d))); }
vec3 terrane_hermite(int o, terrane_Cell cell, float amplitude, float weight)
{
    uvec4 h = terrane_corners(o, cell);
    vec4 q = terrane_numbers(h, amplitude);
    float length = amplitude * weight, x = cell.t.x, y = cell.t.y;
    vec2 g00 = terrane_gradient(terrane_again(h.x), length), g10 = terrane_gradient(terrane_again(h.y), length);
    vec2 g01 = terrane_gradient(terrane_again(h.z), length), g11 = terrane_gradient(terrane_again(h.w), length);
    float n = q.y - q.x, o1 = q.w - q.z, w = q.z - q.x, e = q.w - q.y;
    float c20 = (terrane_by(3.0, n) - 2.0 * g00.x) - g10.x, c30 = (g10.x + g00.x) - 2.0 * n;
    float c21 = ((terrane_by(3.0, o1) - 2.0 * g01.x) - g11.x) - c20, c31 = ((g11.x + g01.x) - 2.0 * o1) - c30;
    float c02 = (terrane_by(3.0, w) - 2.0 * g00.y) - g01.y, c03 = (g01.y + g00.y) - 2.0 * w;
    float c12 = ((terrane_by(3.0, e) - 2.0 * g10.y) - g11.y) - c02, c13 = ((g11.y + g10.y) - 2.0 * e) - c03;
    float c11 = (w - e) + ((g01.x - g00.x) + (g10.y - g00.y));
    float b = terrane_cubic(g00.x, c11, c12, c13, y), c = c20 + terrane_by(y, c21), d = c30 + terrane_by(y, c31);
    return vec3(terrane_cubic(terrane_cubic(q.x, g00.y, c02, c03, y), b, c, d, x),
                b + terrane_by(x, 2.0 * c + terrane_by(x, 3.0 * d)),
                terrane_cubic(g00.y + terrane_by(y, 2.0 * c02 + terrane_by(y, 3.0 * c03)), c11 + terrane_by(y, 2.0 * c12 + terrane_by(y, 3.0 * c13)), c21, c31, x));
}
`;

const VERTEX = `
const float terrane_K = 0.21132486540518712;
void terrane_vertex(int o, terrane_Cell c, ivec2 at, vec2 v, float reach, float length, inout vec3 sum)
{
    uint h = terrane_corner(terrane_column(o, terrane_moved(c.x, at.x)), terrane_row(o, terrane_moved(c.y, at.y)));
    vec2 g = terrane_gradient(h, length);
    float r = max((reach - terrane_by(v.x, v.x)) - terrane_by(v.y, v.y), 0.0), r2 = r * r, r4 = r2 * r2;
    float plane = terrane_by(g.x, v.x) + terrane_by(g.y, v.y), turn = (8.0 * (r2 * r)) * plane;
    sum += terrane_by(vec3(r4), vec3(plane, g)) - vec3(0.0, terrane_by(vec2(turn), v));
}
`;

const SIMPLEX = `
vec3 terrane_simplex(int o, terrane_Cell c, float a)
{
    vec2 v = c.t - terrane_by(c.t.x + c.t.y, terrane_K), one = vec2(1.0 + terrane_zero, terrane_zero);
    vec3 sum = vec3(0.0);
    bool east = v.x > v.y;
    terrane_vertex(o, c, ivec2(0), v, 0.5, a * 93.5, sum);
    terrane_vertex(o, c, east ? ivec2(1, 0) : ivec2(0, 1), (v - (east ? one : one.yx)) + terrane_K, 0.5, a * 93.5, sum);
    terrane_vertex(o, c, ivec2(1), (v - one.x) + 2.0 * terrane_K, 0.5, a * 93.5, sum);
    return sum;
}
`;

const SMOOTH = `
vec3 terrane_simplex_smooth(int o, terrane_Cell c, float a)
{
    bool east = c.t.x > c.t.y;
    float h = max(c.t.x, c.t.y), l = min(c.t.x, c.t.y);
    int p = 1.0 - h < l && 1.0 - h < h - l ? 2 : 0, q = l <= 1.0 - h && l < h - l ? -1 : 1;
    vec2 v = c.t - terrane_by(c.t.x + c.t.y, terrane_K);
    vec3 sum = vec3(0.0);
    for (int k = 0; k < 4; k++) {
        ivec2 at = k == 0 ? ivec2(0) : k == 1 ? ivec2(1, 0) : k == 2 ? ivec2(1) : ivec2(p, q);
        if (!east) at = at.yx;
        terrane_vertex(o, c, at, (v - vec2(at)) + terrane_by(float(at.x + at.y), terrane_K), 0.6666667, a * 17.0859375, sum);
    }
    return sum;
}
`;

/* far: F2 alone, or F2 less F1 (edge). */
const CELLULAR = `
vec2 terrane_way(vec3 d, float f) { return f == 0.0 ? vec2(0.0) : d.yz / f; }
vec3 terrane_cellular(int o, terrane_Cell c, float a, float jitter, bool far, bool edge)
{
    float z = jitter * ${2 ** -32};
    int reach = jitter > 0.65 ? 2 : 1;
    vec3 one = vec3(1e9, 0.0, 0.0), two = one; // square of the distance, way
    for (int j = -reach; j <= reach; j++) {
        uvec2 row = terrane_row(o, terrane_moved(c.y, j));
        for (int i = -reach; i <= reach; i++) {
            uint h = terrane_corner(terrane_column(o, terrane_moved(c.x, i)), row);
            vec2 v = c.t - (vec2(i, j) + (terrane_by(vec2(terrane_number(h), terrane_number(h << 16)), vec2(z)) + 0.5));
            vec3 d = vec3(terrane_by(v.x, v.x) + terrane_by(v.y, v.y), v);
            if (d.x < one.x) { two = one; one = d; }
            else if (d.x < two.x) two = d;
        }
    }
    float f1 = sqrt(one.x), f2 = sqrt(two.x), m = far || edge ? 1.25 : 1.41421356;
    vec3 n1 = vec3(f1, terrane_way(one, f1)), n2 = vec3(f2, terrane_way(two, f2));
    vec3 n = edge ? n2 - n1 : far ? n2 : n1;
    return terrane_by(vec3(terrane_by(n.x, m) - 1.0, n.yz), vec3(a, vec2(m * a)));
}
`;

/* Of each base: the texts it needs, the call of it, and how far it may lie from the library's of amplitude 1, in 2^-24: nothing, but where there are
 * roots and quotients. Those are within 3 units of the last place, 2^-23 at most, of what they are there: distances of up to 1.5, and ways along them of up to 1, each 1.42
 * times; EDGE has two. reach and steep: the most of a value and of a slope; bend: of how slopes change, a cell; infinite: they jump.
 * weight: what HERMITE's gradients add, each its length. */
const cellular = (far, edge, most) => ({
    needs: [CELLULAR], call: ({ jitter }, a) => `terrane_cellular(o, c, ${a}, ${jitter}, ${far}, ${edge})`,
    error: 32, slope: 40, reach: 1.0001, steep: most, bend: Infinity,
});
const plain = (name) => (_, a) => `terrane_${name}(o, c, ${a})`;
const gradient = (name) => (_, a, pseudo) => `terrane_${name}(o, c, ${a}, ${pseudo})`;

export const BASES = {
    value: { needs: [fades(5), NUMBERS, product('value', 5)], call: plain('value'), reach: 1.0001, steep: 4, bend: 20 },
    polynomial: { needs: [fades(3), NUMBERS, POLYNOMIAL], call: plain('polynomial'), reach: 1.01, steep: 3.5, bend: Infinity },
    'polynomial-c1': { needs: [fades(3), NUMBERS, product('polynomial_c1', 3)], call: plain('polynomial_c1'), reach: 1.0001, steep: 3.5, bend: 16 },
    perlin3: { needs: [fades(3), GRADIENT, perlin('perlin3', 3)], call: gradient('perlin3'), reach: 1.0001, steep: 3, bend: 16 },
    perlin5: { needs: [fades(5), GRADIENT, perlin('perlin5', 5)], call: gradient('perlin5'), reach: 1.0001, steep: 3.2, bend: 16 },
    hermite: {
        needs: [NUMBERS, GRADIENT, HERMITE], call: ({ weight }, a) => `terrane_hermite(o, c, ${a}, ${weight})`,
        reach: 1.01, steep: 3.5, bend: 18, weight: { reach: 0.376, steep: 1, bend: 8 },
    },
    simplex: { needs: [GRADIENT, VERTEX, SIMPLEX], call: plain('simplex'), reach: 1.0001, steep: 8, bend: 80 },
    'simplex-smooth': { needs: [GRADIENT, VERTEX, SMOOTH], call: plain('simplex_smooth'), reach: 1.0001, steep: 5.5, bend: 60 },
    'cellular-f1': cellular(false, false, 1.5),
    'cellular-f2': cellular(true, false, 1.4),
    'cellular-edge': cellular(false, true, 2.8),
};
