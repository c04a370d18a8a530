/*
 * Patches to try things on, for tests and benchmarks: ground by midpoint displacement, a graph that scales with the patch,
 * and memory for all.
 */
#ifndef PATCH_GROUND_KIT_H
#define PATCH_GROUND_KIT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../terrane_patch.h"

/* -1 .. 1 by coordinates. */
static inline double kit_random(uint64_t seed, int x, int y)
{
    uint64_t h = seed * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)x * UINT64_C(0xD1B54A32D192ED03) +
                 (uint64_t)y * UINT64_C(0x8CB92BA72F3D8DD7);
    for (int i = 0; i < 3; i++) {
        h ^= h >> 32;
        h *= UINT64_C(0xD6E8FEB86659FD93);
    }
    return (double)(int64_t)h * 0x1p-63;
}

/* Midpoint displacement, 0 .. 1 or so: 257 x 257 subsampled, so that all sizes 2^k + 1 show the same ground. */
static inline void kit_ground(uint64_t seed, int side, double *ground)
{
    enum { FULL = 257 };
    double *all = calloc(FULL * FULL, sizeof *all);
    double swing = 0.4; /* by 2^-0.9 a level: nothing here needs the C library's arithmetic */
    for (int step = 256; step > 0; step /= 2, swing *= 0.53588673126814657)
        for (int y = 0; y < FULL; y += step)
            for (int x = 0; x < FULL; x += step) {
                const int odd_x = x / step % 2, odd_y = y / step % 2;
                double mean = 0.5;
                if (step < 256) {
                    if (!odd_x && !odd_y)
                        continue;
                    const int dx = odd_x ? step : 0, dy = odd_y ? step : 0;
                    mean = (all[(y - dy) * FULL + x - dx] + all[(y + dy) * FULL + x + dx] +
                            all[(y - dy) * FULL + x + dx] + all[(y + dy) * FULL + x - dx]) /
                           4;
                }
                all[y * FULL + x] = mean + swing * kit_random(seed, x, y);
            }
    const int skip = 256 / (side - 1);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            ground[y * side + x] = all[y * skip * FULL + x * skip];
    free(all);
}

struct kit {
    struct terrane_patch patch;
    struct terrane_shape shape;
    struct terrane_limits limits;
    struct terrane_relax relax;
    size_t samples;
    double *ground, *heights;
    int32_t *units;
    void *memory;
    struct terrane_graph_node node[5];
    struct terrane_graph_edge edge[5];
    struct terrane_graph graph;
};

/* Five nodes, four of them around a middle one, scaled; a ring of one edge more. */
static inline void kit_graph(struct kit *kit, double slope)
{
    static const double place[5][2] = {{0.5, 0.47}, {0.06, 0.16}, {0.9, 0.09}, {0.84, 0.94}, {0.12, 0.81}};
    static const int ends[5][2] = {{1, 0}, {0, 2}, {0, 3}, {4, 0}, {1, 4}};
    const double last = kit->patch.side - 1, width = fmax(1, last / 16);
    for (int i = 0; i < 5; i++) {
        kit->node[i] = (struct terrane_graph_node){(int)lrint(place[i][0] * last),
                                                   (int)lrint(place[i][1] * last), 2 * width};
        kit->edge[i] = (struct terrane_graph_edge){ends[i][0], ends[i][1], width, slope, width};
    }
    kit->graph = (struct terrane_graph){5, 5, kit->node, kit->edge, slope};
}

static inline void *kit_array(size_t count, size_t size)
{
    void *array = calloc(count, size);
    if (!array)
        abort();
    return array;
}

/* A patch 96 long, which makes iterations as many as the document has, with nobody held: all limits are there. */
static inline void kit_make_sized(struct kit *kit, int side)
{
    *kit = (struct kit){.patch = {side, 96.0 / (side - 1), 0x1p-24}, .samples = (size_t)side * (size_t)side};
    kit->shape = terrane_shape_default();
    kit->relax = terrane_relax_default();
    kit->ground = kit_array(kit->samples, sizeof(double));
    kit->heights = kit_array(kit->samples, sizeof(double));
    kit->units = kit_array(kit->samples, sizeof(int32_t));
    kit->limits.gradient = kit_array(kit->samples, sizeof(float));
    kit->limits.across = kit_array(kit->samples, sizeof(float));
    kit->limits.across_x = kit_array(kit->samples, sizeof(float));
    kit->limits.across_y = kit_array(kit->samples, sizeof(float));
    kit->limits.roughness = kit_array(kit->samples, sizeof(float));
    kit->limits.position = kit_array(kit->samples, sizeof(double));
    const size_t bytes = terrane_patch_bytes(&kit->patch);
    kit->memory = aligned_alloc(TERRANE_SCRATCH_ALIGN, (bytes + 63) / 64 * 64);
    if (!kit->memory)
        abort();
    memset(kit->memory, 0xA5, bytes);
    for (size_t i = 0; i < kit->samples; i++) {
        kit->limits.gradient[i] = kit->limits.across[i] = kit->limits.roughness[i] = -1;
        kit->limits.position[i] = (double)NAN;
    }
}

/* ... with ground: side is 2^k + 1, at most 257. */
static inline void kit_make(struct kit *kit, int side, uint64_t seed)
{
    kit_make_sized(kit, side);
    kit_ground(seed, side, kit->ground);
}

/* Heights anew, of both kinds. */
static inline void kit_start(struct kit *kit)
{
    memcpy(kit->heights, kit->ground, kit->samples * sizeof(double));
    for (size_t i = 0; i < kit->samples; i++)
        kit->units[i] = (int32_t)lrint(kit->ground[i] / kit->patch.unit);
}

static inline void kit_free(struct kit *kit)
{
    free(kit->ground);
    free(kit->heights);
    free(kit->units);
    free(kit->limits.gradient);
    free(kit->limits.across);
    free(kit->limits.across_x);
    free(kit->limits.across_y);
    free(kit->limits.roughness);
    free(kit->limits.position);
    free(kit->memory);
}

#endif
