/*
 * A droplet as lib/README.md states it, one at a time and by branches: what the lanes of lib/kernel/droplet.inc are held
 * against.
 */
#ifndef TERRANE_TESTS_SLOW_DROPLET_H
#define TERRANE_TESTS_SLOW_DROPLET_H

#include "../../../lib/kernel/erode.h"
#include "../lib_fixture.h"

/* Ground, and what droplets leave by cell: amounts, and steps. */
struct slow_field {
    int width;
    const int32_t *ground;
    int64_t *amount;
    uint32_t *steps;
};

struct spot {
    int32_t z;
    float rise, gx, gy;
};

static inline struct spot spot_at(const struct slow_field *field, int x, int y, float u, float v, float k)
{
    const int32_t *at = field->ground + y * field->width + x, z = at[0];
    const float e = (float)(at[1] - z) * k, o = (float)(at[field->width] - z) * k,
                b = (float)(at[field->width + 1] - z) * k;
    struct spot spot = {.z = z};
    spot.gx = e + v * ((b - o) - e);
    spot.gy = o + u * ((b - e) - o);
    spot.rise = u * spot.gx + v * o;
    return spot;
}

static inline float slow_number(const struct erode_law *law, int k, int x, int y)
{
    if (!(law->steered >> k & 1))
        return law->number[k];
    const int i = x + law->grid_x, j = y + law->grid_y;
    const float *node = law->grid + k * law->nodes + j / 16 * law->grid_width + i / 16;
    const float f = (float)(i % 16) * 0.0625f, g = (float)(j % 16) * 0.0625f;
    const float a = node[0], b = node[1], c = node[law->grid_width], d = node[law->grid_width + 1];
    const float n = a + f * (b - a), s = c + f * (d - c);
    return n + g * (s - n);
}

static inline void slow_leave(const struct slow_field *field, int x, int y, int32_t amount)
{
    field->amount[y * field->width + x] += amount;
    field->steps[y * field->width + x]++;
}

/* What is left in the old cell, in amounts. */
static inline int32_t slow_left(float climb, float speed, float water, int32_t load, const float *n,
                                float limit)
{
    const float held = (float)load * 0x1p-16f, free_capacity = ((0 - climb) * speed) * (water * n[3]);
    const float capacity = free_capacity < n[4] ? n[4] : free_capacity;
    float left;
    if (climb > 0) {
        left = climb < held ? climb : held;
    } else if (held > capacity) {
        left = (held - capacity) * n[6];
    } else {
        const float want = (capacity - held) * n[5], fall = 0 - climb;
        left = 0 - (want < fall ? want : fall);
    }
    left = left > limit ? limit : left < -limit ? -limit : left;
    const int32_t amount = (int32_t)(left * 65536), most = load < 0 ? 0 : load;
    return amount > load ? most : amount;
}

/* One droplet, from lib/README.md. Returns what it carries at its end. */
static inline int64_t slow_droplet(const struct slow_field *field, const struct erode_law *law,
                                   const struct erode_bounds *bounds, int x, int y, float u, float v)
{
    float n[TERRANE_DROPLET_NUMBERS], dx = 0, dy = 0;
    const float k = law->to_sample;
    int32_t load = 0;
    for (int i = 0; i < (int)TERRANE_DROPLET_NUMBERS; i++)
        n[i] = slow_number(law, i, x, y);
    float speed = n[9], water = n[10];
    struct spot spot = spot_at(field, x, y, u, v, k);
    if (!((float)(spot.z - law->sea) * k + spot.rise >= 0))
        return 0;
    for (int i = 0; i < law->steps && (float)i < n[1]; i++) {
        dx = dx * n[2] - spot.gx * (1 - n[2]);
        dy = dy * n[2] - spot.gy * (1 - n[2]);
        const float n2 = dx * dx + dy * dy;
        if (!(n2 >= 1e-12f)) {
            slow_leave(field, x, y, load);
            return 0;
        }
        const float scale = 1 / sqrtf(n2);
        const int old_x = x, old_y = y;
        dx = dx * scale;
        dy = dy * scale;
        u += dx;
        v += dy;
        x += u >= 1 ? 1 : u < 0 ? -1 : 0;
        y += v >= 1 ? 1 : v < 0 ? -1 : 0;
        u = u >= 1 ? u - 1 : u < 0 ? u + 1 : u;
        v = v >= 1 ? v - 1 : v < 0 ? v + 1 : v;
        if (x < bounds->x0 || x >= bounds->x1 || y < bounds->y0 || y >= bounds->y1)
            return load;
        const struct spot next = spot_at(field, x, y, u, v, k);
        const float climb = (float)(next.z - spot.z) * k + (next.rise - spot.rise);
        const int32_t amount = slow_left(climb, speed, water, load, n, law->limit);
        slow_leave(field, old_x, old_y, amount);
        load -= amount;
        if ((float)(next.z - law->sea) * k + next.rise < 0) {
            slow_leave(field, x, y, load);
            return 0;
        }
        const float s2 = speed * speed - climb * n[8];
        speed = sqrtf(s2 > 0 ? s2 : 0);
        water = water * (1 - n[7]);
        spot = next;
    }
    return load;
}

#endif
