#include "plain_cellular.h"

#include <math.h>

void plain_cellular_init(struct plain_cellular *noise, uint32_t seed, float jitter)
{
    uint32_t state = seed;

    plain_perlin_init(&noise->hash, seed);
    for (int i = 0; i < 256; i++)
        for (int axis = 0; axis < 2; axis++) {
            state = state * 1664525u + 1013904223u;
            noise->point[i][axis] = 0.5f + jitter * ((float)(state >> 8) * 0x1p-24f - 0.5f);
        }
}

/* Without SSE4.1 floorf is a call. */
static inline int fast_floor(float v)
{
    int i = (int)v;
    return v < (float)i ? i - 1 : i;
}

static inline float cellular(const struct plain_cellular *noise, enum plain_feature feature, float x, float y)
{
    const uint8_t *perm = noise->hash.perm;
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
    if (feature == PLAIN_F1)
        return sqrtf(nearest) - 1.0f;
    return feature == PLAIN_F2 ? sqrtf(second) - 1.0f : sqrtf(second) - sqrtf(nearest) - 1.0f;
}

static inline float fbm(const struct plain_cellular *noise, enum plain_feature feature, float x, float y,
                        int octaves, float amplitude, float gain)
{
    float sum = 0.0f;

    for (int i = 0; i < octaves; i++) {
        sum += amplitude * cellular(noise, feature, x, y);
        amplitude *= gain;
        x *= 2.0f;
        y *= 2.0f;
    }
    return sum;
}

/* Inlined once a feature, so that none pays for what it does not ask for. */
static inline void fill(const struct plain_cellular *noise, enum plain_feature feature, float *out, int width,
                        int height, int x0, int y0, int octaves, float cell, float amplitude, float gain)
{
    const float frequency = 1.0f / cell;

    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            out[j * width + i] = fbm(noise, feature, (float)(x0 + i) * frequency, (float)(y0 + j) * frequency,
                                     octaves, amplitude, gain);
}

void plain_cellular_fill(const struct plain_cellular *noise, enum plain_feature feature, float *out,
                         int width, int height, int x0, int y0, int octaves, float cell, float amplitude,
                         float gain)
{
    if (feature == PLAIN_F1)
        fill(noise, PLAIN_F1, out, width, height, x0, y0, octaves, cell, amplitude, gain);
    else if (feature == PLAIN_F2)
        fill(noise, PLAIN_F2, out, width, height, x0, y0, octaves, cell, amplitude, gain);
    else
        fill(noise, PLAIN_EDGE, out, width, height, x0, y0, octaves, cell, amplitude, gain);
}
