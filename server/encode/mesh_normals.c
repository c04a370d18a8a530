/*
 * Normals of heights without a margin: adds one by linear extrapolation of two samples, so a central
 * difference at the edge equals the difference of those two.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane.h"
#include "../base/check.h"
#include "mesh.h"

static float onward(float near, float far)
{
    return 2 * near - far;
}

int mesh_normals(const float *heights, int side, double spacing_m, float *normals)
{
    CHECK(side >= 2 && side <= 257);
    const size_t inner = (size_t)side, wide = inner + 2;
    float *around = malloc(wide * wide * sizeof *around);
    if (!around)
        return -1;
    for (size_t j = 1; j <= inner; j++) {
        float *row = around + j * wide;
        memcpy(row + 1, heights + (j - 1) * inner, inner * sizeof *row);
        row[0] = onward(row[1], row[2]);
        row[inner + 1] = onward(row[inner], row[inner - 1]);
    }
    for (size_t i = 0; i < wide; i++) {
        around[i] = onward(around[wide + i], around[2 * wide + i]);
        around[(inner + 1) * wide + i] = onward(around[inner * wide + i], around[(inner - 1) * wide + i]);
    }
    terrane_normals_between(around, side, side, spacing_m, normals);
    free(around);
    return 0;
}
