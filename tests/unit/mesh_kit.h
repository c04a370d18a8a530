/*
 * Ground to make meshes of, and numbers out of bytes.
 */
#ifndef TERRANE_TESTS_MESH_KIT_H
#define TERRANE_TESTS_MESH_KIT_H

#include <math.h>

#include "../../server/base/little_endian.h"
#include "../../server/encode/mesh.h"
#include "unit.h"

/* Owns its arrays: mesh_kit_free. depth is NULL until a test sets it. */
static inline struct mesh_ground mesh_kit_ground(int side, double spacing_m, float tall_m)
{
    const size_t count = (size_t)side * (size_t)side;
    float *heights = malloc(count * sizeof *heights), *normals = malloc(3 * count * sizeof *normals);
    assert_non_null(heights);
    assert_non_null(normals);
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const size_t k = (size_t)j * (size_t)side + (size_t)i;
            const float x = 6.0f * (float)i / (float)side, y = 6.0f * (float)j / (float)side;
            const float e = 0.5f * sinf(x + y), s = 0.4f * cosf(x - y);
            heights[k] = tall_m * sinf(x) * cosf(y);
            normals[3 * k] = e;
            normals[3 * k + 1] = s;
            normals[3 * k + 2] = sqrtf(1 - e * e - s * s);
        }
    return (struct mesh_ground){.side = side,
                                .spacing_m = spacing_m,
                                .west_m = -3 * spacing_m,
                                .north_m = 1024 * spacing_m,
                                .error_m = spacing_m,
                                .heights = heights,
                                .normals = normals};
}

static inline void mesh_kit_free(struct mesh_ground *ground)
{
    free((void *)(uintptr_t)ground->heights);
    free((void *)(uintptr_t)ground->normals);
    free((void *)(uintptr_t)ground->depth);
}

#define get_u16(at) ((unsigned)get_le(at, 2))

/* FNV-1a. */
static inline uint64_t hash_of(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
