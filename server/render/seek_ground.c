/*
 * What of a square of samples is of a kind, and what of that hangs together.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/little_endian.h"
#include "seek_parts.h"
#include "tile_piece.h"

int seek_ground_make(struct seek_ground *ground, int side)
{
    const size_t count = (size_t)side * (size_t)side;
    ground->side = side;
    ground->height = calloc(count, 3 * sizeof *ground->height);
    ground->is = calloc(count, 1);
    if (!ground->height || !ground->is) {
        seek_ground_free(ground);
        return -1;
    }
    ground->surface = ground->height + count;
    ground->flow = ground->surface + count;
    return 0;
}

void seek_ground_free(struct seek_ground *ground)
{
    free(ground->height);
    free(ground->is);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* The first of the greatest. */
static int heaviest(const unsigned char *f32, int values)
{
    int best = 0;
    for (int k = 1; k < values; k++)
        if (get_f32(f32 + 4 * k) > get_f32(f32 + 4 * best))
            best = k;
    return best;
}

void seek_ground_read(struct seek_ground *ground, const struct find_question *question,
                      const struct terrane_recipe *recipe, enum tile_layer layer, const unsigned char *f32,
                      int samples, int x, int y)
{
    const int values = tile_values(layer, recipe);
    for (int j = 0; j < samples; j++) {
        const unsigned char *row = f32 + 4 * (size_t)values * (size_t)j * (TERRANE_TILE_SAMPLES + 1);
        const size_t at = (size_t)(y + j) * (size_t)ground->side + (size_t)x;
        for (int i = 0; i < samples; i++) {
            const unsigned char *sample = row + 4 * (size_t)values * (size_t)i;
            if (layer == LAYER_HEIGHT)
                ground->height[at + (size_t)i] = get_f32(sample);
            else if (layer == LAYER_SURFACE)
                ground->surface[at + (size_t)i] = get_f32(sample);
            else if (layer == LAYER_RIVER)
                ground->flow[at + (size_t)i] = get_f32(sample);
            else if (layer == LAYER_CAVE) /* open: the ground lies between its floor and its ceiling */
                ground->is[at + (size_t)i] = get_f32(sample) < ground->height[at + (size_t)i] &&
                                             ground->height[at + (size_t)i] < get_f32(sample + 4);
            else
                ground->is[at + (size_t)i] = heaviest(sample, values) == question->which;
        }
    }
}

static bool is_ocean(const struct seek_ground *ground, size_t at, float sea_m)
{
    return ground->surface[at] > ground->height[at] && ground->surface[at] <= sea_m &&
           !(ground->flow[at] > 0);
}

/* Whether the sea is beside a sample: on its four sides, or on all eight. */
static bool by_ocean(const struct seek_ground *ground, int i, int j, bool eight, float sea_m)
{
    for (int d = 0; d < 9; d++) {
        const int x = i + d % 3 - 1, y = j + d / 3 - 1;
        const bool inside = x >= 0 && y >= 0 && x < ground->side && y < ground->side;
        if ((eight || d % 2 == 1) && inside &&
            is_ocean(ground, (size_t)y * (size_t)ground->side + (size_t)x, sea_m))
            return true;
    }
    return false;
}

static bool is_of(const struct seek_ground *ground, enum find_what what, int i, int j, float sea_m)
{
    const size_t at = (size_t)j * (size_t)ground->side + (size_t)i;
    const bool wet = ground->surface[at] > ground->height[at], flows = ground->flow[at] > 0;
    switch (what) {
    case FIND_LAKE:
        return wet && !flows && ground->surface[at] > sea_m;
    case FIND_RIVER:
        return flows;
    case FIND_MOUTH:
        return flows && by_ocean(ground, i, j, true, sea_m);
    case FIND_COAST:
        return !wet && by_ocean(ground, i, j, false, sea_m);
    case FIND_CAVE:
    case FIND_ZONE:
    case FIND_COVER:
        return ground->is[at] != 0;
    case FIND_PEAK:
    case FIND_PLACE:
    case FIND_TOWN:
    case FINDS:
        break;
    }
    return false;
}

void seek_ground_mark(struct seek_ground *ground, enum find_what what, float sea_m)
{
    for (int j = 0; j < ground->side; j++)
        for (int i = 0; i < ground->side; i++)
            ground->is[(size_t)j * (size_t)ground->side + (size_t)i] = is_of(ground, what, i, j, sea_m);
}

/* ---- What hangs together ------------------------------------------------------------------------------- */

struct part {
    int32_t nearest, count;
    double off;
};

/* From a sample on all that hangs together with it, by its eight neighbours; marked as seen. */
static struct part part_of(const struct seek_ground *ground, double x, double y, int32_t from, bool *seen,
                           int32_t *stack)
{
    const int side = ground->side;
    struct part part = {.nearest = from, .off = -1};
    int32_t depth = 0;
    stack[depth++] = from;
    seen[from] = true;
    while (depth > 0) {
        const int32_t at = stack[--depth];
        const int i = at % side, j = at / side;
        const double off = (i - x) * (i - x) + (j - y) * (j - y);
        part.count++;
        if (part.off < 0 || off < part.off || (off <= part.off && at < part.nearest)) {
            part.off = off;
            part.nearest = at;
        }
        for (int d = 0; d < 9; d++) {
            const int u = i + d % 3 - 1, v = j + d / 3 - 1, next = v * side + u;
            if (u < 0 || v < 0 || u >= side || v >= side || !ground->is[next] || seen[next])
                continue;
            seen[next] = true;
            stack[depth++] = next;
        }
    }
    return part;
}

int seek_parts(const struct seek_ground *ground, double x, double y, seek_found *found, void *context)
{
    const int32_t count = ground->side * ground->side;
    bool *seen = calloc((size_t)count, sizeof *seen);
    int32_t *stack = malloc((size_t)count * sizeof *stack);
    for (int32_t at = 0; seen && stack && at < count; at++) {
        if (!ground->is[at] || seen[at])
            continue;
        const struct part part = part_of(ground, x, y, at, seen, stack);
        found(context, part.nearest % ground->side, part.nearest / ground->side, part.count);
    }
    const int error = seen && stack ? 0 : -1;
    free(stack);
    free(seen);
    return error;
}

/* ---- Peaks --------------------------------------------------------------------------------------------- */

struct top {
    float height;
    int32_t at;
};

/* From the highest on; of the same height in the order of samples. */
static int by_height(const void *a, const void *b)
{
    const struct top *first = a, *second = b;
    if (first->height > second->height || first->height < second->height)
        return first->height > second->height ? -1 : 1;
    return first->at < second->at ? -1 : first->at > second->at;
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
        islands->found(islands->context, i, j, (double)prominence);
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
    drown(islands, first ? b : a, col);
    islands->parent[first ? b : a] = first ? a : b;
}

static void rise(const struct islands *islands, int32_t at)
{
    const int side = islands->ground->side;
    islands->parent[at] = at;
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
    struct top *order = malloc((size_t)count * sizeof *order);
    int32_t *parent = malloc((size_t)count * sizeof *parent), land = 0;
    const struct islands islands = {ground, prominence_m, found, context, parent};
    for (int32_t at = 0; order && parent && at < count; at++) {
        parent[at] = -1;
        if (ground->height[at] > sea_m)
            order[land++] = (struct top){ground->height[at], at};
    }
    const int error = order && parent ? 0 : -1;
    if (!error)
        qsort(order, (size_t)land, sizeof *order, by_height);
    for (int32_t k = 0; k < land; k++)
        rise(&islands, order[k].at);
    for (int32_t k = 0; k < land; k++)
        if (parent[order[k].at] == order[k].at)
            drown(&islands, order[k].at, sea_m);
    free(parent);
    free(order);
    return error;
}

/* The tile of a sample; the last tile's far edge is its own, since none lies beyond. */
static int64_t tile_of(int64_t g)
{
    const int log2 = 8;
    _Static_assert(TERRANE_TILE_SAMPLES == 1 << 8, "log2");
    const int64_t tile = g >> log2;
    return tile < TERRANE_TILE_LIMIT ? tile : TERRANE_TILE_LIMIT - 1;
}

int seek_name_peak(const struct terrane_world *world, struct seek_hit *hit)
{
    struct terrane_landmark *peak = malloc(TERRANE_LANDMARKS_MAX * sizeof *peak);
    int peaks = 0;
    if (!peak || terrane_landmarks(world, 1 << TERRANE_LANDMARK_PEAK, hit->level, tile_of(hit->gi),
                                   tile_of(hit->gj), NULL, peak, &peaks) != 0) {
        free(peak);
        return -1;
    }
    for (int k = 0; k < peaks && !*hit->name; k++) {
        if (llabs(peak[k].gi - hit->gi) > PIECE_PEAK_NEAR || llabs(peak[k].gj - hit->gj) > PIECE_PEAK_NEAR)
            continue;
        terrane_landmark_name(world, &peak[k], hit->name);
        snprintf(hit->id, sizeof hit->id, "%016" PRIx64, peak[k].id);
    }
    free(peak);
    return 0;
}
