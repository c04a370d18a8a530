#include "plain_polynomial.h"

#include "../../lib/hash.h"

#define DIAGONAL 0.70710678f

static const float gradient[8][2] = {
    {1.0f, 0.0f},         {-1.0f, 0.0f},         {0.0f, 1.0f},          {0.0f, -1.0f},
    {DIAGONAL, DIAGONAL}, {-DIAGONAL, DIAGONAL}, {DIAGONAL, -DIAGONAL}, {-DIAGONAL, -DIAGONAL},
};

/* ---- Once an octave, once a row of corners ------------------------------------------------------------- */

static void tabulate(struct plain_octave *o)
{
    const int n = 1 << o->log2;

    for (int i = 0; i < n; i++) {
        const float t = (float)i / (float)n;
        o->t[i] = t;
        o->s[i] = t * t * (3.0f - 2.0f * t);
        o->t2[i] = t * t;
        o->t3[i] = t * t * t;
    }
}

static void corners_of_values(struct plain_corner *row, int cells, uint64_t key, int y, float amplitude)
{
    const struct hash_row hashed = hash_row(key, y);

    for (int i = 0; i <= cells; i++)
        row[i].height = amplitude * hash_unit(hash_corner(hash_column(key, i), hashed));
}

/* Gradients of length amplitude * steep beside the values; the hash's lowest bits choose, its highest are the
 * value. */
static void corners_of_gradients(struct plain_corner *row, int cells, uint64_t key, int y, float amplitude,
                                 float steep)
{
    const struct hash_row hashed = hash_row(key, y);

    for (int i = 0; i <= cells; i++) {
        const uint32_t h = hash_corner(hash_column(key, i), hashed);
        row[i].height = amplitude * hash_unit(h);
        row[i].east = amplitude * steep * gradient[h & 7][0];
        row[i].south = amplitude * steep * gradient[h & 7][1];
    }
}

/* ---- Zero-gradient D2M1N3 ------------------------------------------------------------------------------ */

static void cells_zero(struct plain_octave *o)
{
    for (int i = 0; i < o->cells; i++) {
        const float h00 = o->north[i].height, h10 = o->north[i + 1].height;
        const float h01 = o->south[i].height, h11 = o->south[i + 1].height;
        o->cell.zero[i] = (struct plain_zero){
            .height = h00, .east = h10 - h00, .south = h01 - h00, .twist = h11 + h00 - h10 - h01};
    }
}

static void row_zero(const struct plain_octave *o, float *out, int width, float y, float sy)
{
    const int mask = (1 << o->log2) - 1;
    const float crease = sy - y;

    for (int i = 0; i < width; i++) {
        const struct plain_zero *c = &o->cell.zero[i >> o->log2];
        const float x = o->t[i & mask], sx = o->s[i & mask];
        out[i] += c->height + sx * c->east + sy * c->south + c->twist * (sx * y + x * crease);
    }
}

/* ---- Perlin noise with S3 ------------------------------------------------------------------------------ */

static inline float lerp(float a, float b, float t)
{
    return a + t * (b - a);
}

static void row_perlin(const struct plain_octave *o, float *out, int width, float y, float sy)
{
    const int mask = (1 << o->log2) - 1;
    const float y1 = y - 1.0f;

    for (int i = 0; i < width; i++) {
        const struct plain_corner *north = &o->north[i >> o->log2], *south = &o->south[i >> o->log2];
        const float x = o->t[i & mask], x1 = x - 1.0f, sx = o->s[i & mask];
        const float v00 = north[0].east * x + north[0].south * y;
        const float v10 = north[1].east * x1 + north[1].south * y;
        const float v01 = south[0].east * x + south[0].south * y1;
        const float v11 = south[1].east * x1 + south[1].south * y1;
        out[i] += lerp(lerp(v00, v10, sx), lerp(v01, v11, sx), sy);
    }
}

/* ---- General D2M1N3 ------------------------------------------------------------------------------------ */

static struct plain_hermite hermite_cell(const struct plain_corner *n, const struct plain_corner *s)
{
    struct plain_hermite c;

    c.c00 = n[0].height;
    c.c10 = n[0].east;
    c.c01 = n[0].south;
    c.c20 = 3.0f * (n[1].height - n[0].height) - 2.0f * n[0].east - n[1].east;
    c.c30 = n[1].east + n[0].east - 2.0f * (n[1].height - n[0].height);
    c.c02 = 3.0f * (s[0].height - n[0].height) - 2.0f * n[0].south - s[0].south;
    c.c03 = s[0].south + n[0].south - 2.0f * (s[0].height - n[0].height);
    c.c21 = 3.0f * (s[1].height - s[0].height) - 2.0f * s[0].east - s[1].east - c.c20;
    c.c31 = s[1].east + s[0].east - 2.0f * (s[1].height - s[0].height) - c.c30;
    c.c12 = 3.0f * (s[1].height - n[1].height) - 2.0f * n[1].south - s[1].south - c.c02;
    c.c13 = s[1].south + n[1].south - 2.0f * (s[1].height - n[1].height) - c.c03;
    c.c11 = s[0].height + n[1].height - n[0].height - s[1].height + s[0].east + n[1].south - n[0].south -
            n[0].east;
    return c;
}

static void cells_hermite(struct plain_octave *o)
{
    for (int i = 0; i < o->cells; i++)
        o->cell.hermite[i] = hermite_cell(&o->north[i], &o->south[i]);
}

static void row_hermite(const struct plain_octave *o, float *out, int width, float y)
{
    const int mask = (1 << o->log2) - 1;
    const float y2 = y * y, y3 = y2 * y;

    for (int i = 0; i < width; i++) {
        const struct plain_hermite *c = &o->cell.hermite[i >> o->log2];
        const float x = o->t[i & mask], x2 = o->t2[i & mask], x3 = o->t3[i & mask];
        out[i] += (c->c00 + c->c01 * y + c->c02 * y2 + c->c03 * y3) +
                  x * (c->c10 + c->c11 * y + c->c12 * y2 + c->c13 * y3) + x2 * (c->c20 + c->c21 * y) +
                  x3 * (c->c30 + c->c31 * y);
    }
}

/* ---- The octave ---------------------------------------------------------------------------------------- */

static void corners_make(struct plain_corner *row, enum plain_polynomial kind, int cells, uint64_t key, int y,
                         float amplitude)
{
    if (kind == PLAIN_ZERO_GRADIENT)
        corners_of_values(row, cells, key, y, amplitude);
    else
        corners_of_gradients(row, cells, key, y, amplitude, kind == PLAIN_PERLIN3 ? 1.41421356f : 0.01f);
}

static void row_make(const struct plain_octave *o, enum plain_polynomial kind, float *out, int width, int j)
{
    const float y = o->t[j], sy = o->s[j];

    if (kind == PLAIN_ZERO_GRADIENT)
        row_zero(o, out, width, y, sy);
    else if (kind == PLAIN_PERLIN3)
        row_perlin(o, out, width, y, sy);
    else
        row_hermite(o, out, width, y);
}

void plain_polynomial_add(struct plain_octave *o, enum plain_polynomial kind, float *map, int resolution,
                          int cell_log2, uint64_t key, float amplitude)
{
    o->log2 = cell_log2;
    o->cells = resolution >> cell_log2;
    tabulate(o);
    for (int j = 0; j < resolution; j++) {
        const int inside = j & ((1 << cell_log2) - 1);
        if (inside == 0) {
            corners_make(o->north, kind, o->cells, key, j >> cell_log2, amplitude);
            corners_make(o->south, kind, o->cells, key, (j >> cell_log2) + 1, amplitude);
            if (kind == PLAIN_ZERO_GRADIENT)
                cells_zero(o);
            else if (kind == PLAIN_HERMITE)
                cells_hermite(o);
        }
        row_make(o, kind, map + (long)j * resolution, resolution, inside);
    }
}
