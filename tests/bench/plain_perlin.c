#include "plain_perlin.h"

#define DIAGONAL 0.70710678f

static const float gradient[8][2] = {
    {1.0f, 0.0f},         {-1.0f, 0.0f},         {0.0f, 1.0f},          {0.0f, -1.0f},
    {DIAGONAL, DIAGONAL}, {-DIAGONAL, DIAGONAL}, {DIAGONAL, -DIAGONAL}, {-DIAGONAL, -DIAGONAL},
};

void plain_perlin_init(struct plain_perlin *noise, uint32_t seed)
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

static inline float perlin(const struct plain_perlin *noise, float x, float y)
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

static inline float fbm(const struct plain_perlin *noise, float x, float y, int octaves, float amplitude,
                        float gain)
{
    float sum = 0.0f;

    for (int i = 0; i < octaves; i++) {
        sum += amplitude * perlin(noise, x, y);
        amplitude *= gain;
        x *= 2.0f;
        y *= 2.0f;
    }
    return sum;
}

void plain_perlin_fill(const struct plain_perlin *noise, float *out, int width, int height, int x0, int y0,
                       int octaves, float cell, float amplitude, float gain)
{
    const float frequency = 1.0f / cell;

    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            out[j * width + i] = fbm(noise, (float)(x0 + i) * frequency, (float)(y0 + j) * frequency, octaves,
                                     amplitude, gain);
}

void plain_perlin_warp(const struct plain_perlin *noise, float *out, int width, int height, int x0, int y0,
                       int octaves, float cell, float amplitude, float gain, int warp_octaves, float warp)
{
    const float frequency = 1.0f / cell;
    const float reach = warp * frequency;

    /* Other parts of the one noise displace it: 37 and 91 cells away. */
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            const float x = (float)(x0 + i) * frequency, y = (float)(y0 + j) * frequency;
            const float u = fbm(noise, x + 37.25f, y + 91.5f, warp_octaves, reach, gain);
            const float v = fbm(noise, x + 91.75f, y + 37.5f, warp_octaves, reach, gain);
            out[j * width + i] = fbm(noise, x + u, y + v, octaves, amplitude, gain);
        }
}
