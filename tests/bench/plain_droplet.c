#include "plain_droplet.h"

#include <math.h>

enum { EDGE = PLAIN_BRUSH_RADIUS + 1 };

void plain_droplets_init(struct plain_droplets *d)
{
    const int r = PLAIN_BRUSH_RADIUS;
    float sum = 0.0f;

    d->brush_cells = 0;
    for (int y = -r; y <= r; y++)
        for (int x = -r; x <= r; x++) {
            const float weight = (float)r - sqrtf((float)(x * x + y * y));
            if (weight <= 0.0f)
                continue;
            d->brush_offset[d->brush_cells] = y * d->width + x;
            d->brush_weight[d->brush_cells++] = weight;
            sum += weight;
        }
    for (int k = 0; k < d->brush_cells; k++)
        d->brush_weight[k] /= sum;
}

static float random_unit(struct plain_droplets *d)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 17;
    d->state ^= d->state << 5;
    return (float)(d->state >> 8) * 0x1p-24f;
}

struct place {
    float height, gradient_x, gradient_y;
};

static inline struct place place_at(const struct plain_droplets *d, int cell, float u, float v)
{
    const float *p = d->ground + cell;
    const float nw = p[0], ne = p[1], sw = p[d->width], se = p[d->width + 1];

    return (struct place){
        .height = (nw * (1 - u) + ne * u) * (1 - v) + (sw * (1 - u) + se * u) * v,
        .gradient_x = (ne - nw) * (1 - v) + (se - sw) * v,
        .gradient_y = (sw - nw) * (1 - u) + (se - ne) * u,
    };
}

static inline float height_at(const struct plain_droplets *d, int cell, float u, float v)
{
    const float *p = d->ground + cell;

    return (p[0] * (1 - u) + p[1] * u) * (1 - v) + (p[d->width] * (1 - u) + p[d->width + 1] * u) * v;
}

static inline void deposit(struct plain_droplets *d, int cell, float u, float v, float amount)
{
    float *p = d->ground + cell;

    p[0] += amount * (1 - u) * (1 - v);
    p[1] += amount * u * (1 - v);
    p[d->width] += amount * (1 - u) * v;
    p[d->width + 1] += amount * u * v;
}

static inline void erode(struct plain_droplets *d, int cell, float amount)
{
    float *p = d->ground + cell;

    for (int k = 0; k < d->brush_cells; k++)
        p[d->brush_offset[k]] -= amount * d->brush_weight[k];
}

static void droplet_run(struct plain_droplets *d, float x, float y)
{
    float dir_x = 0.0f, dir_y = 0.0f, speed = d->speed, water = d->water, sediment = 0.0f;

    for (int step = 0; step < d->lifetime; step++) {
        const int cell_x = (int)x, cell_y = (int)y, cell = cell_y * d->width + cell_x;
        const float u = x - (float)cell_x, v = y - (float)cell_y;
        const struct place here = place_at(d, cell, u, v);

        dir_x = dir_x * d->inertia - here.gradient_x * (1 - d->inertia);
        dir_y = dir_y * d->inertia - here.gradient_y * (1 - d->inertia);
        const float length = sqrtf(dir_x * dir_x + dir_y * dir_y);
        if (length < 1e-6f)
            break;
        dir_x /= length;
        dir_y /= length;
        x += dir_x;
        y += dir_y;
        if (!(x >= EDGE && x < (float)(d->width - EDGE) && y >= EDGE && y < (float)(d->height - EDGE)))
            break;

        const int next_x = (int)x, next_y = (int)y;
        const float dh =
            height_at(d, next_y * d->width + next_x, x - (float)next_x, y - (float)next_y) - here.height;
        const float wanted = -dh * speed * water * d->capacity;
        const float capacity = wanted > d->min_capacity ? wanted : d->min_capacity;
        if (dh > 0.0f || sediment > capacity) {
            const float fill = dh < sediment ? dh : sediment;
            const float amount = dh > 0.0f ? fill : (sediment - capacity) * d->deposition;
            sediment -= amount;
            deposit(d, cell, u, v, amount);
        } else {
            const float free = (capacity - sediment) * d->erosion;
            const float amount = free < -dh ? free : -dh;
            sediment += amount;
            erode(d, cell, amount);
        }
        const float square = speed * speed - dh * d->gravity;
        speed = square > 0.0f ? sqrtf(square) : 0.0f;
        water *= 1 - d->evaporation;
    }
}

void plain_droplets_run(struct plain_droplets *d, int count)
{
    for (int k = 0; k < count; k++) {
        const float x = random_unit(d) * (float)(d->width - 2 * EDGE - 1);
        const float y = random_unit(d) * (float)(d->height - 2 * EDGE - 1);
        droplet_run(d, x + EDGE, y + EDGE);
    }
}
