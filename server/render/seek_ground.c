/*
 * What of a square of samples is of a kind, and what of that hangs together.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/little_endian.h"
#include "seek_parts.h"

int seek_ground_make(struct seek_ground *ground, int side)
{
    const size_t count = (size_t)side * (size_t)side;
    ground->side = side;
    ground->missing = 0;
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

bool seek_ground_lacks(const struct seek_ground *ground, int i, int j)
{
    const int side = ground->side, across = side / TERRANE_TILE_SAMPLES;
    return ground->missing && i >= 0 && j >= 0 && i < side && j < side &&
           ground->missing >> (j / TERRANE_TILE_SAMPLES * across + i / TERRANE_TILE_SAMPLES) & 1;
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

struct blob *seek_ground_weigh(const struct find_question *question, const struct terrane_recipe *recipe,
                               enum tile_layer layer, const struct blob *weights)
{
    const int values = tile_values(layer, recipe);
    const size_t samples = weights->bytes / (4 * (size_t)values);
    unsigned char *mark = malloc(samples);
    for (size_t k = 0; mark && k < samples; k++)
        mark[k] = heaviest(weights->data + 4 * (size_t)values * k, values) == question->which;
    return mark ? blob_create(&weights->key, &weights->info, mark, samples) : NULL;
}

void seek_ground_read(struct seek_ground *ground, const struct find_question *question,
                      const struct terrane_recipe *recipe, enum tile_layer layer, const unsigned char *data,
                      int samples, int x, int y)
{
    const bool marks = find_row[question->what].named;
    const size_t bytes = marks ? 1 : 4 * (size_t)tile_values(layer, recipe);
    for (int j = 0; j < samples; j++) {
        const unsigned char *row = data + bytes * (size_t)j * (TERRANE_TILE_SAMPLES + 1);
        const size_t at = (size_t)(y + j) * (size_t)ground->side + (size_t)x;
        for (int i = 0; i < samples; i++) {
            const unsigned char *sample = row + bytes * (size_t)i;
            if (marks)
                ground->is[at + (size_t)i] = *sample;
            else if (layer == LAYER_HEIGHT)
                ground->height[at + (size_t)i] = get_f32(sample);
            else if (layer == LAYER_SURFACE)
                ground->surface[at + (size_t)i] = get_f32(sample);
            else if (layer == LAYER_RIVER)
                ground->flow[at + (size_t)i] = get_f32(sample);
            else /* of caves, open: the ground lies between floor and ceiling */
                ground->is[at + (size_t)i] = get_f32(sample) < ground->height[at + (size_t)i] &&
                                             ground->height[at + (size_t)i] < get_f32(sample + 4);
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

static enum seek_is is_of(const struct seek_ground *ground, enum find_what what, int i, int j, float sea_m)
{
    const size_t at = (size_t)j * (size_t)ground->side + (size_t)i;
    const bool wet = ground->surface[at] > ground->height[at], flows = ground->flow[at] > 0;
    switch (what) {
    case FIND_LAKE:
        return wet && !flows && ground->surface[at] > sea_m ? SEEK_IS : SEEK_IS_NOT;
    case FIND_RIVER:
        return flows ? SEEK_IS : SEEK_IS_NOT;
    case FIND_MOUTH:
        return !flows ? SEEK_IS_NOT : by_ocean(ground, i, j, true, sea_m) ? SEEK_IS : SEEK_JOINS;
    case FIND_COAST:
        return !wet && by_ocean(ground, i, j, false, sea_m) ? SEEK_IS : SEEK_IS_NOT;
    case FIND_PEAK:
    case FIND_CAVE:
    case FIND_ZONE:
    case FIND_COVER:
    case FIND_PLACE:
    case FIND_TOWN:
    case FINDS:
        break;
    }
    return SEEK_IS_NOT;
}

/* Caves, zones and cover are marked as they are read. */
void seek_ground_mark(struct seek_ground *ground, enum find_what what, float sea_m)
{
    if (what == FIND_CAVE || what == FIND_ZONE || what == FIND_COVER)
        return;
    for (int j = 0; j < ground->side; j++)
        for (int i = 0; i < ground->side; i++)
            ground->is[(size_t)j * (size_t)ground->side + (size_t)i] =
                (uint8_t)(seek_ground_lacks(ground, i, j) ? SEEK_IS_NOT : is_of(ground, what, i, j, sea_m));
}

/* ---- What hangs together ------------------------------------------------------------------------------- */

struct part {
    int32_t nearest, count;
    double off;
    bool whole;
};

/* Whether a sample that is missing may be beside one, or beside one that is not known for that. */
static bool is_by_missing(const struct seek_ground *ground, int i, int j)
{
    enum { NEAR = 2 };
    bool is_by = false;
    for (int d = 0; ground->missing && d < 9; d++)
        is_by = is_by || seek_ground_lacks(ground, i + (d % 3 - 1) * NEAR, j + (d / 3 - 1) * NEAR);
    return is_by;
}

/* From a sample that is of the kind on all that hangs together with it, by its eight neighbours; marked as seen. */
static struct part part_of(const struct seek_ground *ground, double x, double y, int32_t from, bool *seen,
                           int32_t *stack)
{
    const int side = ground->side;
    struct part part = {.nearest = from, .off = -1, .whole = true};
    int32_t depth = 0;
    stack[depth++] = from;
    seen[from] = true;
    while (depth > 0) {
        const int32_t at = stack[--depth];
        const int i = at % side, j = at / side;
        const double off = (i - x) * (i - x) + (j - y) * (j - y);
        part.count += ground->is[at] == SEEK_IS;
        part.whole = part.whole && !is_by_missing(ground, i, j);
        if (ground->is[at] == SEEK_IS &&
            (part.off < 0 || off < part.off || (off <= part.off && at < part.nearest))) {
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
        if (ground->is[at] != SEEK_IS || seen[at])
            continue;
        const struct part part = part_of(ground, x, y, at, seen, stack);
        found(context, part.nearest % ground->side, part.nearest / ground->side, part.count, part.whole);
    }
    const int error = seen && stack ? 0 : -1;
    free(stack);
    free(seen);
    return error;
}
