// The base noises in GLSL: value and slopes, a cell, of octave o at a place, of amplitude a. "One octave at one sample" of the library's page
// has the formulas; brackets are as there.

const FADE = {
    3: { fade: '(x * x) * (3.0 - 2.0 * x)', slope: '(6.0 * x) * (1.0 - x)' },
    5: { fade: 'terrane_fade(x)', slope: '((30.0 * x) * x) * ((1.0 - x) * (1.0 - x))' },
};
const fades = (degree) => `
float terrane_fade_${degree}(float x) { return ${FADE[degree].fade}; }
float terrane_slope_${degree}(float x) { return ${FADE[degree].slope}; }
`;
const S = (degree) => ({ S: `terrane_fade_${degree}`, D: `terrane_slope_${degree}` });

const NUMBERS = `
vec4 terrane_numbers(uvec4 h, float a)
{
    return vec4(terrane_number(h.x), terrane_number(h.y), terrane_number(h.z), terrane_number(h.w)) * (a * ${2 ** -31});
}
`;

const GRADIENT = `
float terrane_arch(float n, float z) { return (n * z) * (2147483648.0 - abs(n)); }
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
    float west = q.x + s * dy, b = dx + s * w;
    return vec3(west + b * ${S(degree).S}(x), b * ${S(degree).D}(x), s1 * dy + (s1 * w) * ${S(degree).S}(x));
}
`;

const POLYNOMIAL = `
vec3 terrane_polynomial(int o, terrane_Cell c, float a)
{
    vec4 q = terrane_numbers(terrane_corners(o, c), a);
    float x = c.t.x, y = c.t.y, s = terrane_fade_3(y), s1 = terrane_slope_3(y);
    float dy = q.z - q.x, dy1 = q.w - q.y, dx = q.y - q.x, w = dy1 - dy;
    float west = q.x + s * dy, b = dx + y * w, d = (s - y) * w;
    return vec3((west + b * terrane_fade_3(x)) + d * x, b * terrane_slope_3(x) + d, (s1 * dy + w * terrane_fade_3(x)) + ((s1 - 1.0) * w) * x);
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
    float f0 = g00.x + s * (g01.x - g00.x), f1 = g10.x + s * (g11.x - g10.x);
    float a = g00.y * p + g01.y * m, c = ((g10.y - g00.y) * p + (g11.y - g01.y) * m) - f1, d = f1 - f0;
    float across = ${S(degree).D}(x) * (c + d * x);
    vec3 n = vec3((a + f0 * x) + sx * (c + d * x), pseudo ? across : (f0 + d * sx) + across, 0.0);
    p = pseudo ? 0.0 - y * s1 : (1.0 - s) - y * s1;
    m = pseudo ? s1 * (y - 1.0) : s + s1 * (y - 1.0);
    f0 = s1 * (g01.x - g00.x);
    f1 = s1 * (g11.x - g10.x);
    a = g00.y * p + g01.y * m;
    c = ((g10.y - g00.y) * p + (g11.y - g01.y) * m) - f1;
    d = f1 - f0;
    n.z = (a + f0 * x) + sx * (c + d * x);
    return n;
}
`;

const HERMITE = `
float terrane_cubic(float a, float b, float c, float d, float x) { return a + x * (b + x * (c + x * d)); }
vec3 terrane_hermite(int o, terrane_Cell cell, float amplitude, float weight)
{
    uvec4 h = terrane_corners(o, cell);
    vec4 q = terrane_numbers(h, amplitude);
    float length = amplitude * weight, x = cell.t.x, y = cell.t.y;
    vec2 g00 = terrane_gradient(terrane_again(h.x), length), g10 = terrane_gradient(terrane_again(h.y), length);
    vec2 g01 = terrane_gradient(terrane_again(h.z), length), g11 = terrane_gradient(terrane_again(h.w), length);
    float n = q.y - q.x, o1 = q.w - q.z, w = q.z - q.x, e = q.w - q.y;
    float c20 = (3.0 * n - 2.0 * g00.x) - g10.x, c30 = (g10.x + g00.x) - 2.0 * n;
    float c21 = ((3.0 * o1 - 2.0 * g01.x) - g11.x) - c20, c31 = ((g11.x + g01.x) - 2.0 * o1) - c30;
    float c02 = (3.0 * w - 2.0 * g00.y) - g01.y, c03 = (g01.y + g00.y) - 2.0 * w;
    float c12 = ((3.0 * e - 2.0 * g10.y) - g11.y) - c02, c13 = ((g11.y + g10.y) - 2.0 * e) - c03;
    float c11 = (w - e) + ((g01.x - g00.x) + (g10.y - g00.y));
    float b = g00.x + y * (c11 + y * (c12 + y * c13)), c = c20 + y * c21, d = c30 + y * c31;
    return vec3(terrane_cubic(q.x + y * (g00.y + y * (c02 + y * c03)), b, c, d, x),
                b + x * (2.0 * c + x * (3.0 * d)),
                terrane_cubic(g00.y + y * (2.0 * c02 + y * (3.0 * c03)), c11 + y * (2.0 * c12 + y * (3.0 * c13)), c21, c31, x));
}
`;

const VERTEX = `
const float terrane_K = 0.21132486540518712;
void terrane_vertex(int o, terrane_Cell c, ivec2 at, vec2 v, float reach, float length, inout vec3 sum)
{
    uint h = terrane_corner(terrane_column(o, terrane_moved(c.x, at.x)), terrane_row(o, terrane_moved(c.y, at.y)));
    vec2 g = terrane_gradient(h, length);
    float r = max((reach - v.x * v.x) - v.y * v.y, 0.0), r2 = r * r, r4 = r2 * r2;
    float plane = g.x * v.x + g.y * v.y, turn = (8.0 * (r2 * r)) * plane;
    sum += vec3(r4 * plane, r4 * g.x - turn * v.x, r4 * g.y - turn * v.y);
}
`;

const SIMPLEX = `
vec3 terrane_simplex(int o, terrane_Cell c, float a)
{
    float u = (c.t.x + c.t.y) * terrane_K;
    vec2 v = c.t - u;
    vec3 sum = vec3(0.0);
    bool east = v.x > v.y;
    terrane_vertex(o, c, ivec2(0), v, 0.5, a * 93.5, sum);
    terrane_vertex(o, c, east ? ivec2(1, 0) : ivec2(0, 1), (east ? vec2(v.x - 1.0, v.y) : vec2(v.x, v.y - 1.0)) + terrane_K, 0.5, a * 93.5, sum);
    terrane_vertex(o, c, ivec2(1), (v - 1.0) + 2.0 * terrane_K, 0.5, a * 93.5, sum);
    return sum;
}
`;

const SMOOTH = `
vec3 terrane_simplex_smooth(int o, terrane_Cell c, float a)
{
    bool east = c.t.x > c.t.y;
    float h = max(c.t.x, c.t.y), l = min(c.t.x, c.t.y), u = (c.t.x + c.t.y) * terrane_K;
    int p = 1.0 - h < l && 1.0 - h < h - l ? 2 : 0, q = l <= 1.0 - h && l < h - l ? -1 : 1;
    vec2 v = c.t - u;
    vec3 sum = vec3(0.0);
    for (int k = 0; k < 4; k++) {
        ivec2 at = k == 0 ? ivec2(0) : k == 1 ? ivec2(1, 0) : k == 2 ? ivec2(1) : ivec2(p, q);
        if (!east) at = at.yx;
        terrane_vertex(o, c, at, (v - vec2(at)) + float(at.x + at.y) * terrane_K, 0.6666667, a * 17.0859375, sum);
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
            vec2 v = c.t - (vec2(i, j) + (vec2(terrane_number(h), terrane_number(h << 16)) * z + 0.5));
            vec3 d = vec3(v.x * v.x + v.y * v.y, v);
            if (d.x < one.x) { two = one; one = d; }
            else if (d.x < two.x) two = d;
        }
    }
    float f1 = sqrt(one.x), f2 = sqrt(two.x), m = far || edge ? 1.25 : 1.41421356;
    vec3 n1 = vec3(f1, terrane_way(one, f1)), n2 = vec3(f2, terrane_way(two, f2));
    vec3 n = edge ? n2 - n1 : far ? n2 : n1;
    return vec3((n.x * m - 1.0) * a, n.yz * (m * a));
}
`;

/* Of each base: the texts it needs, the call of it, and how far it may lie from the library's of amplitude 1. An error counts in 2^-24: four times
 * what a value and a slope were seen to differ by where products are fused into sums at random and quotients are 2.5 units off. reach and steep: the most
 * of a value and of a slope; bend: of how slopes change, a cell; infinite: they jump. weight: what HERMITE's gradients add, each its length. */
const cellular = (far, edge, most) => ({
    needs: [CELLULAR], call: ({ jitter }, a) => `terrane_cellular(o, c, ${a}, ${jitter}, ${far}, ${edge})`,
    error: 64, slope: 20000, reach: 1.0001, steep: most, bend: Infinity,
});
const plain = (name) => (_, a) => `terrane_${name}(o, c, ${a})`;
const gradient = (name) => (_, a, pseudo) => `terrane_${name}(o, c, ${a}, ${pseudo})`;

export const BASES = {
    value: { needs: [fades(5), NUMBERS, product('value', 5)], call: plain('value'), error: 220, slope: 500, reach: 1.0001, steep: 4, bend: 20 },
    polynomial: { needs: [fades(3), NUMBERS, POLYNOMIAL], call: plain('polynomial'), error: 20, slope: 40, reach: 1.01, steep: 3.5, bend: Infinity },
    'polynomial-c1': { needs: [fades(3), NUMBERS, product('polynomial_c1', 3)], call: plain('polynomial_c1'), error: 20, slope: 40, reach: 1.0001, steep: 3.5, bend: 16 },
    perlin3: { needs: [fades(3), GRADIENT, perlin('perlin3', 3)], call: gradient('perlin3'), error: 40, slope: 80, reach: 1.0001, steep: 3, bend: 16 },
    perlin5: { needs: [fades(5), GRADIENT, perlin('perlin5', 5)], call: gradient('perlin5'), error: 190, slope: 520, reach: 1.0001, steep: 3.2, bend: 16 },
    hermite: {
        needs: [NUMBERS, GRADIENT, HERMITE], call: ({ weight }, a) => `terrane_hermite(o, c, ${a}, ${weight})`,
        error: 80, slope: 160, reach: 1.01, steep: 3.5, bend: 18, weight: { error: 80, slope: 200, reach: 0.376, steep: 1, bend: 8 },
    },
    simplex: { needs: [GRADIENT, VERTEX, SIMPLEX], call: plain('simplex'), error: 60, slope: 280, reach: 1.0001, steep: 8, bend: 80 },
    'simplex-smooth': { needs: [GRADIENT, VERTEX, SMOOTH], call: plain('simplex_smooth'), error: 50, slope: 200, reach: 1.0001, steep: 5.5, bend: 60 },
    'cellular-f1': cellular(false, false, 1.5),
    'cellular-f2': cellular(true, false, 1.4),
    'cellular-edge': cellular(false, true, 2.8),
};
