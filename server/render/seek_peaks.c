/*
 * Peaks of a square of samples, by their prominence.
 */
#include <stdlib.h>
#include <string.h>

#include "seek_parts.h"

struct top {
    uint32_t depth; /* the lower, the higher */
    int32_t at;
};

/* Heights as whole numbers: the higher, the lower. */
static uint32_t depth_of(float height)
{
    const float plain = height + 0.0F; /* no zero below 0 */
    uint32_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 31 ? bits : 0x7FFFFFFF - bits;
}

/* From the highest on; of the same height in the order that they have. other: as much room. */
static void sort(struct top *top, struct top *other, int32_t count)
{
    enum { BITS = 8, BINS = 1 << BITS };
    for (int shift = 0; shift < 32; shift += BITS) { /* an even number of times */
        int32_t end[BINS + 1] = {0};
        for (int32_t k = 0; k < count; k++)
            end[(top[k].depth >> shift & (BINS - 1)) + 1]++;
        for (int b = 1; b <= BINS; b++)
            end[b] += end[b - 1];
        for (int32_t k = 0; k < count; k++)
            other[end[top[k].depth >> shift & (BINS - 1)]++] = top[k];
        struct top *const sorted = other;
        other = top;
        top = sorted;
    }
}

/*
 * Ground that the sea leaves as it falls: islands grow together at cols, and where two do the lower top has its prominence.
 */
struct islands {
    const struct seek_ground *ground;
    float prominence_m; /* at least */
    seek_found *found;
    void *context;
    int32_t *
        parent; /* of each sample; -1: it is under water. An island's root is its top, since tops come first */
    bool *open; /* of an island's root: it may go on where samples are missing */
};

static int32_t root_of(const struct islands *islands, int32_t at)
{
    int32_t *parent = islands->parent;
    while (parent[at] != at)
        at = parent[at] = parent[parent[at]];
    return at;
}

/* Shows a top whose island ends at a col. Not one at the edge: nobody knows what is beyond it. */
static void drown(const struct islands *islands, int32_t top, float col)
{
    const int side = islands->ground->side, i = top % side, j = top / side;
    const float prominence = islands->ground->height[top] - col;
    if (prominence >= islands->prominence_m && i > 0 && j > 0 && i < side - 1 && j < side - 1)
        islands->found(islands->context, i, j, (double)prominence, !islands->open[top]);
}

/* Joins two samples' islands at a col. */
static void join(const struct islands *islands, int32_t a, int32_t b, float col)
{
    const float *height = islands->ground->height;
    a = root_of(islands, a);
    b = root_of(islands, b);
    if (a == b)
        return;
    const bool first = height[a] > height[b] || (a < b && height[a] >= height[b]);
    const int32_t higher = first ? a : b, lower = first ? b : a;
    drown(islands, lower, col);
    islands->parent[lower] = higher;
    islands->open[higher] |= islands->open[lower];
}

static void rise(const struct islands *islands, int32_t at)
{
    const int side = islands->ground->side;
    islands->parent[at] = at;
    for (int d = 0; islands->ground->missing && d < 9; d++)
        islands->open[at] |= seek_ground_lacks(islands->ground, at % side + d % 3 - 1, at / side + d / 3 - 1);
    for (int d = 0; d < 9; d++) {
        const int i = at % side + d % 3 - 1, j = at / side + d / 3 - 1;
        if (i >= 0 && j >= 0 && i < side && j < side && islands->parent[j * side + i] >= 0)
            join(islands, at, j * side + i, islands->ground->height[at]);
    }
}

int seek_peaks(const struct seek_ground *ground, float sea_m, float prominence_m, seek_found *found,
               void *context)
{
    const int32_t count = ground->side * ground->side;
    struct top *order = malloc(2 * (size_t)count * sizeof *order);
    int32_t *parent = malloc((size_t)count * sizeof *parent), land = 0;
    bool *open = calloc((size_t)count, sizeof *open);
    const struct islands islands = {ground, prominence_m, found, context, parent, open};
    const int error = order && parent && open ? 0 : -1;
    for (int32_t at = 0; error == 0 && at < count; at++) {
        parent[at] = -1;
        if (ground->height[at] > sea_m && !seek_ground_lacks(ground, at % ground->side, at / ground->side))
            order[land++] = (struct top){depth_of(ground->height[at]), at};
    }
    if (error == 0)
        sort(order, order + count, land);
    for (int32_t k = 0; k < land; k++)
        rise(&islands, order[k].at);
    for (int32_t k = 0; k < land; k++)
        if (parent[order[k].at] == order[k].at)
            drown(&islands, order[k].at, sea_m);
    free(open);
    free(parent);
    free(order);
    return error;
}
