/*
 * Peaks are tops of the base surface, seas of that turned upside down, ranges of its mean over a square, and capes of how much of a square
 * around land is sea. For bays land and sea change places. Islands are tops of land, and tracts of how much of a square around land is inside of its zone. Banks are
 * tops that the sea covers.
 *
 * Squares are summed in integers, so that a sample has the same number from every window.
 */
#include "field.h"

#include <string.h>

#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/window.h"

enum {
    RANGE_REACH = 4,               /* samples of a mean around its middle */
    COAST_REACH = 8,               /* ... of what is counted around a cape or a bay */
    TRACT_REACH = COAST_REACH + 1, /* with the neighbours of what is counted */
    REACH_MAX = TRACT_REACH,
    COAST_SIDE = 2 * COAST_REACH + 1,
    COAST_SAMPLES = COAST_SIDE * COAST_SIDE,
    STEPS = 16,   /* of a metre, in which means are summed */
    TIE_LOG2 = 14 /* bits of a hash, by which samples that count the same are told apart */
};

int field_reach(enum terrane_landmark_kind kind)
{
    static const int reach[TERRANE_LANDMARKS] = {[TERRANE_LANDMARK_RANGE] = RANGE_REACH,
                                                 [TERRANE_LANDMARK_CAPE] = COAST_REACH,
                                                 [TERRANE_LANDMARK_BAY] = COAST_REACH,
                                                 [TERRANE_LANDMARK_TRACT] = TRACT_REACH};
    return reach[kind];
}

bool field_open(struct numbers *field, const struct terrane_world *world, const struct terrane_memory *memory,
                int max)
{
    const size_t side = (size_t)max + 2 * REACH_MAX;
    *field = (struct numbers){.world = world, .memory = memory};
    field->height = memory_take(memory, side * side * sizeof *field->height);
    field->zone = memory_take(memory, side * side);
    field->table = memory_take(memory, (side + 1) * (side + 1) * sizeof *field->table);
    if (field->height && field->zone && field->table)
        return true;
    field_close(field);
    return false;
}

void field_close(struct numbers *field)
{
    memory_give(field->memory, field->table);
    memory_give(field->memory, field->zone);
    memory_give(field->memory, field->height);
}

int field_look(struct numbers *field, const struct terrane_window *window, int reach, bool zones)
{
    const struct terrane_window around = window_grown(window, reach);
    field->window = *window;
    field->reach = reach;
    return zones ? window_heights_zones(field->world, &around, field->memory, field->height, field->zone)
                 : terrane_heights(field->world, &around, field->memory, field->height);
}

int field_zone(const struct numbers *field, int at)
{
    const int width = field->window.width, i = at % width + field->reach, j = at / width + field->reach;
    return field->zone[(ptrdiff_t)j * (width + 2 * field->reach) + i];
}

/* What a kind's numbers are made of, while they are. */
struct count {
    const struct numbers *field;
    enum terrane_landmark_kind kind;
    int width; /* of the field's heights */
};

/* Whether a kind's own ground is there, or what it counts around that. */
static bool is_own(const struct count *count, float height)
{
    return (height > count->field->world->recipe->sea_m) == (count->kind == TERRANE_LANDMARK_CAPE);
}

/* Whether a sample is land, and those to its east and its south are of its zone. */
static bool is_inside(const struct count *count, ptrdiff_t at)
{
    const uint8_t *zone = count->field->zone + at;
    return count->field->height[at] > count->field->world->recipe->sea_m && zone[0] == zone[1] &&
           zone[0] == zone[count->width];
}

static int64_t counted(const struct count *count, int i, int j)
{
    const float sea_m = count->field->world->recipe->sea_m;
    const ptrdiff_t at = (ptrdiff_t)j * count->width + i;
    const float height = count->field->height[at];
    if (count->kind == TERRANE_LANDMARK_RANGE)
        return height > sea_m ? (int64_t)((double)(height - sea_m) * STEPS) : 0;
    if (count->kind != TERRANE_LANDMARK_TRACT)
        return !is_own(count, height);
    return i + 1 < count->width && j + 1 < count->field->window.height + 2 * count->field->reach &&
           is_inside(count, at);
}

/* Sums of the first samples of the first rows: one more of each than there are. */
static void sum(const struct count *count)
{
    const int width = count->width, height = count->field->window.height + 2 * count->field->reach;
    int64_t *row = count->field->table;
    for (int i = 0; i <= width; i++)
        row[i] = 0;
    for (int j = 0; j < height; j++) {
        int64_t *next = row + width + 1, along = 0;
        next[0] = 0;
        for (int i = 0; i < width; i++) {
            along += counted(count, i, j);
            next[i + 1] = row[i + 1] + along;
        }
        row = next;
    }
}

/* ... of the square around a sample. */
static int64_t sum_around(const struct count *count, int at, int reach)
{
    const int side = 2 * reach + 1, width = count->width + 1;
    const int64_t *first = count->field->table + (ptrdiff_t)(at / count->width - reach) * width +
                           at % count->width - reach,
                  *last = first + (ptrdiff_t)side * width;
    return last[side] - last[0] - first[side] + first[0];
}

/* Whether a sample's ground goes on, by its sides, to the border of the square around it: else it is an islet or a pool. */
static bool goes_on(const struct count *count, int at)
{
    const float *corner = count->field->height + at - COAST_REACH * (count->width + 1);
    bool seen[COAST_SAMPLES] = {false};
    int stack[COAST_SAMPLES], depth = 0;
    stack[depth++] = COAST_SAMPLES / 2;
    seen[COAST_SAMPLES / 2] = true;
    while (depth > 0) {
        const int here = stack[--depth], x = here % COAST_SIDE, y = here / COAST_SIDE;
        const int beside[] = {here - 1, here + 1, here - COAST_SIDE, here + COAST_SIDE};
        if (x == 0 || y == 0 || x == COAST_SIDE - 1 || y == COAST_SIDE - 1)
            return true;
        for (int k = 0; k < 4; k++) {
            const int next = beside[k];
            if (seen[next] || !is_own(count, corner[next / COAST_SIDE * count->width + next % COAST_SIDE]))
                continue;
            seen[next] = true;
            stack[depth++] = next;
        }
    }
    return false;
}

/* What counts the same is told apart by its place. */
static float with_tie(int64_t samples, int64_t gi, int64_t gj)
{
    const uint64_t tie = hash_absorb(hash_absorb(0, (uint64_t)gi), (uint64_t)gj) >> (64 - TIE_LOG2);
    return (float)(int)(samples << TIE_LOG2 | (int64_t)tie) / (1 << TIE_LOG2);
}

/* Of a cape or bay: what of the square around it is the other thing, where that is most of it. */
static float coast_at(const struct count *count, int at, int64_t gi, int64_t gj)
{
    const int64_t min = COAST_SAMPLES * 2 / 3;
    if (!is_own(count, count->field->height[at]))
        return FIELD_NONE;
    const int64_t others = sum_around(count, at, COAST_REACH);
    return others < min || !goes_on(count, at) ? FIELD_NONE : with_tie(others, gi, gj);
}

/* Of a tract: what of the square around it is inside of a zone, where that is most of it. */
static float tract_at(const struct count *count, int at, int64_t gi, int64_t gj)
{
    const int64_t min = COAST_SAMPLES * 3 / 4;
    if (!is_inside(count, at))
        return FIELD_NONE;
    const int64_t inside = sum_around(count, at, COAST_REACH);
    return inside < min ? FIELD_NONE : with_tie(inside, gi, gj);
}

/* Of kinds that look at a sample's height alone. */
static void plain_row(const struct count *count, const float *height, int samples, float *number)
{
    const float sea_m = count->field->world->recipe->sea_m;
    if (count->kind == TERRANE_LANDMARK_SEA)
        for (int i = 0; i < samples; i++)
            number[i] = -height[i];
    else if (count->kind == TERRANE_LANDMARK_ISLAND)
        for (int i = 0; i < samples; i++)
            number[i] = height[i] > sea_m ? height[i] - sea_m : FIELD_NONE;
    else
        memcpy(number, height, (size_t)samples * sizeof *number);
}

static float number_at(const struct count *count, int at, int64_t gi, int64_t gj)
{
    const double part = 1.0 / (STEPS * (2 * RANGE_REACH + 1) * (2 * RANGE_REACH + 1));
    if (count->kind == TERRANE_LANDMARK_RANGE)
        return (float)((double)sum_around(count, at, RANGE_REACH) * part);
    return count->kind == TERRANE_LANDMARK_TRACT ? tract_at(count, at, gi, gj) : coast_at(count, at, gi, gj);
}

void field_numbers(const struct numbers *field, enum terrane_landmark_kind kind, float *number)
{
    const struct terrane_window *window = &field->window;
    const struct count count = {field, kind, window->width + 2 * field->reach};
    const bool plain = field_reach(kind) == 0;
    if (!plain)
        sum(&count);
    for (int j = 0; j < window->height; j++, number += window->width) {
        const int at = (j + field->reach) * count.width + field->reach;
        if (plain)
            plain_row(&count, field->height + at, window->width, number);
        for (int i = 0; i < window->width && !plain; i++)
            number[i] = number_at(&count, at + i, window->gi + i, window->gj + j);
    }
}
