#include "plain_simplex.h"

#define SKEW   0.36602540f /* (sqrt(3) - 1) / 2 */
#define UNSKEW 0.21132487f /* (3 - sqrt(3)) / 6 */
#define SCALE  99.83685f   /* the largest sum of three corners becomes 1 */

/* 24 directions, 15 degrees apart, from 7.5; the first 8 again, to make 32. */
static const float gradient[32][2] = {
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

/* Without SSE4.1 floorf is a call. */
static inline int fast_floor(float v)
{
    int i = (int)v;
    return v < (float)i ? i - 1 : i;
}

static inline float corner(const uint8_t *perm, int i, int j, float x, float y)
{
    const float a = 0.5f - x * x - y * y;

    if (a <= 0.0f)
        return 0.0f;
    const float *g = gradient[perm[perm[i & 255] + (j & 255)] & 31];
    return (a * a) * (a * a) * (g[0] * x + g[1] * y);
}

static inline float simplex(const struct plain_perlin *noise, float x, float y)
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

static inline float fbm(const struct plain_perlin *noise, float x, float y, int octaves, float amplitude,
                        float gain)
{
    float sum = 0.0f;

    for (int i = 0; i < octaves; i++) {
        sum += amplitude * simplex(noise, x, y);
        amplitude *= gain;
        x *= 2.0f;
        y *= 2.0f;
    }
    return sum;
}

void plain_simplex_fill(const struct plain_perlin *noise, float *out, int width, int height, int x0, int y0,
                        int octaves, float cell, float amplitude, float gain)
{
    const float frequency = 1.0f / cell;

    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            out[j * width + i] = fbm(noise, (float)(x0 + i) * frequency, (float)(y0 + j) * frequency, octaves,
                                     amplitude, gain);
}
