#include "plain_noise.h"

#include <math.h>

#define DIAGONAL 0.70710678f

static const float gradient[8][2] = {
    {1.0f, 0.0f},         {-1.0f, 0.0f},         {0.0f, 1.0f},          {0.0f, -1.0f},
    {DIAGONAL, DIAGONAL}, {-DIAGONAL, DIAGONAL}, {DIAGONAL, -DIAGONAL}, {-DIAGONAL, -DIAGONAL},
};

#define SKEW   0.36602540f /* (sqrt(3) - 1) / 2 */
#define UNSKEW 0.21132487f /* (3 - sqrt(3)) / 6 */
#define SCALE  99.83685f   /* the largest sum of three corners becomes 1 */

/* 24 directions, 15 degrees apart, from 7.5; the first 8 again, to make 32. */
static const float simplex_gradient[32][2] = {
    {0.9914449f, 0.1305262f},   {0.9238795f, 0.3826834f},   {0.7933533f, 0.6087614f},
    {0.6087614f, 0.7933533f},   {0.3826834f, 0.9238795f},   {0.1305262f, 0.9914449f},
    {-0.1305262f, 0.9914449f},  {-0.3826834f, 0.9238795f},  {-0.6087614f, 0.7933533f},
    {-0.7933533f, 0.6087614f},  {-0.9238795f, 0.3826834f},  {-0.9914449f, 0.1305262f},
    {-0.9914449f, -0.1305262f}, {-0.9238795f, -0.3826834f}, {-0.7933533f, -0.6087614f},
    {-0.6087614f, -0.7933533f}, {-0.3826834f, -0.9238795f}, {-0.1305262f, -0.9914449f},
    {0.1305262f, -0.9914449f},  {0.3826834f, -0.9238795f},  {0.6087614f, -0.7933533f},
    {0.7933533f, -0.6087614f},  {0.9238795f, -0.3826834f},  {0.9914449f, -0.1305262f},
    {0.9914449f, 0.1305262f},   {0.9238795f, 0.3826834f},   {0.7933533f, 0.6087614f},
    {0.6087614f, 0.7933533f},   {0.3826834f, 0.9238795f},   {0.1305262f, 0.9914449f},
    {-0.1305262f, 0.9914449f},  {-0.3826834f, 0.9238795f},
};

void plain_noise_init(struct plain_noise *noise, uint32_t seed, float jitter)
{
    uint32_t state = seed;

    for (int i = 0; i < 256; i++)
        noise->perm[i] = (uint8_t)i;
    for (int i = 255; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        int j = (int)((state >> 8) % (uint32_t)(i + 1));
        uint8_t swap = noise->perm[i];
        noise->perm[i] = noise->perm[j];
        noise->perm[j] = swap;
    }
    for (int i = 0; i < 256; i++)
        noise->perm[256 + i] = noise->perm[i];
    state = seed;
    for (int i = 0; i < 256; i++)
        for (int axis = 0; axis < 2; axis++) {
            state = state * 1664525u + 1013904223u;
            noise->point[i][axis] = 0.5f + jitter * ((float)(state >> 8) * 0x1p-24f - 0.5f);
        }
}

/* Without SSE4.1 floorf is a call. This is what most noise libraries do in its place. */
static inline int fast_floor(float v)
{
    int i = (int)v;
    return v < (float)i ? i - 1 : i;
}

static inline float fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static inline float lerp(float a, float b, float t)
{
    return a + t * (b - a);
}

static inline float dot_gradient(int hash, float x, float y)
{
    const float *g = gradient[hash & 7];
    return g[0] * x + g[1] * y;
}

static inline float perlin(const struct plain_noise *noise, float x, float y)
{
    const uint8_t *perm = noise->perm;
    int xi = fast_floor(x), yi = fast_floor(y);
    float xf = x - (float)xi, yf = y - (float)yi;

    xi &= 255;
    yi &= 255;
    int a = perm[xi] + yi, b = perm[xi + 1] + yi;
    float u = fade(xf), v = fade(yf);
    float north = lerp(dot_gradient(perm[a], xf, yf), dot_gradient(perm[b], xf - 1.0f, yf), u);
    float south =
        lerp(dot_gradient(perm[a + 1], xf, yf - 1.0f), dot_gradient(perm[b + 1], xf - 1.0f, yf - 1.0f), u);
    return lerp(north, south, v);
}

static inline float corner(const uint8_t *perm, int i, int j, float x, float y)
{
    const float a = 0.5f - x * x - y * y;

    if (a <= 0.0f)
        return 0.0f;
    const float *g = simplex_gradient[perm[perm[i & 255] + (j & 255)] & 31];
    return (a * a) * (a * a) * (g[0] * x + g[1] * y);
}

static inline float simplex(const struct plain_noise *noise, float x, float y)
{
    const float skew = (x + y) * SKEW;
    const int i = fast_floor(x + skew), j = fast_floor(y + skew);
    const float unskew = (float)(i + j) * UNSKEW;
    const float xf = x - ((float)i - unskew), yf = y - ((float)j - unskew);
    const int east = xf > yf;

    return SCALE *
           (corner(noise->perm, i, j, xf, yf) +
            corner(noise->perm, i + east, j + 1 - east, xf - (float)east + UNSKEW,
                   yf - (float)(1 - east) + UNSKEW) +
            corner(noise->perm, i + 1, j + 1, xf - (1.0f - 2.0f * UNSKEW), yf - (1.0f - 2.0f * UNSKEW)));
}

static inline float cellular(const struct plain_noise *noise, enum plain_kind kind, float x, float y)
{
    const uint8_t *perm = noise->perm;
    const int xi = fast_floor(x), yi = fast_floor(y);
    const float xf = x - (float)xi, yf = y - (float)yi;
    float nearest = 8.0f, second = 8.0f;

    for (int i = -1; i <= 1; i++) {
        const int column = perm[(xi + i) & 255];
        for (int j = -1; j <= 1; j++) {
            const float *point = noise->point[perm[column + ((yi + j) & 255)]];
            const float dx = (float)i + point[0] - xf, dy = (float)j + point[1] - yf;
            const float d = dx * dx + dy * dy;
            const float farther = d > nearest ? d : nearest;
            second = farther < second ? farther : second;
            nearest = d < nearest ? d : nearest;
        }
    }
    if (kind == PLAIN_F1)
        return sqrtf(nearest) - 1.0f;
    return kind == PLAIN_F2 ? sqrtf(second) - 1.0f : sqrtf(second) - sqrtf(nearest) - 1.0f;
}

/* Inlined once a kind, so that none pays for what it does not ask for. */
#define ALWAYS __attribute__((always_inline)) static inline

ALWAYS float fbm(const struct plain_noise *noise, enum plain_kind kind, float x, float y, int octaves,
                 float amplitude, float gain)
{
    float sum = 0.0f;

    for (int i = 0; i < octaves; i++) {
        sum += amplitude * (kind == PLAIN_SIMPLEX ? simplex(noise, x, y)
                            : kind < PLAIN_F1     ? perlin(noise, x, y)
                                                  : cellular(noise, kind, x, y));
        amplitude *= gain;
        x *= 2.0f;
        y *= 2.0f;
    }
    return sum;
}

ALWAYS void fill(const struct plain_noise *noise, enum plain_kind kind, float *out, int side, int x0, int y0,
                 int octaves, float cell, float amplitude, float gain)
{
    const float frequency = 1.0f / cell, reach = PLAIN_WARP * frequency;

    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            float x = (float)(x0 + i) * frequency, y = (float)(y0 + j) * frequency;
            if (kind == PLAIN_WARPED) { /* by other parts of the one noise: 37 and 91 cells away */
                const float u = fbm(noise, kind, x + 37.25f, y + 91.5f, PLAIN_WARP_OCTAVES, reach, gain);
                y += fbm(noise, kind, x + 91.75f, y + 37.5f, PLAIN_WARP_OCTAVES, reach, gain);
                x += u;
            }
            out[j * side + i] = fbm(noise, kind, x, y, octaves, amplitude, gain);
        }
}

void plain_noise_fill(const struct plain_noise *noise, enum plain_kind kind, float *out, int side, int x0,
                      int y0, int octaves, float cell, float amplitude, float gain)
{
#define KIND(is)                                                            \
    case is:                                                                \
        fill(noise, is, out, side, x0, y0, octaves, cell, amplitude, gain); \
        break
    switch (kind) {
        KIND(PLAIN_PERLIN);
        KIND(PLAIN_WARPED);
        KIND(PLAIN_SIMPLEX);
        KIND(PLAIN_F1);
        KIND(PLAIN_F2);
        KIND(PLAIN_EDGE);
    }
}
