/*
 * Grains: noise of one octave under the samples of a window, row by row. Cells are hashed once a row of theirs, at the columns that the
 * samples ask for, two a sample at most.
 */
#include "grain.h"

#include "fade.h"
#include "hash.h"

#define LANES 4 /* as of cover.c */
#include "lane.h"

size_t grain_words(int width)
{
    return 15 * (size_t)width;
}

/* A sample's cell along an axis, and how far it is in it. */
static int64_t cell_of(const struct grain *grain, uint64_t shift, int64_t g, float *in)
{
    const int finer = grain->octave - grain->level;
    const int64_t u = g + (int64_t)(shift >> grain->level);
    const uint64_t part = ((uint64_t)u & ((UINT64_C(1) << finer) - 1)) << grain->level |
                          (shift & ((UINT64_C(1) << grain->level) - 1));
    *in = (float)part / (float)(UINT64_C(1) << grain->octave);
    return u >> finer;
}

static uint64_t shift_of(const struct grain *grain, int axis)
{
    return hash_absorb(grain->key, (uint64_t)axis) & ((UINT64_C(1) << grain->octave) - 1);
}

/* Samples go from west to east, so that columns rise. */
void grain_begin(struct grain *grain, uint64_t key, int octave, const struct terrane_window *window,
                 uint32_t *words)
{
    const size_t width = (size_t)window->width;
    int64_t last = 0;
    *grain = (struct grain){.key = hash_absorb(key, (uint64_t)octave),
                            .octave = octave,
                            .level = window->level,
                            .at = (int *)words,
                            .x = (void *)(words + width),
                            .column = words + 2 * width,
                            .north = words + 4 * width,
                            .south = words + 6 * width,
                            .value = (void *)(words + 8 * width),
                            .fade = (void *)(words + 10 * width),
                            .west = (void *)(words + 11 * width),
                            .east = (void *)(words + 12 * width),
                            .slope = (void *)(words + 13 * width)};
    grain->shift_y = shift_of(grain, 2);
    const uint64_t shift_x = shift_of(grain, 1);
    for (int i = 0; i < window->width; i++) {
        const int64_t cell = cell_of(grain, shift_x, window->gi + (int64_t)i * window->step, &grain->x[i]);
        grain->fade[i] = FADE3(grain->x[i]);
        if (grain->columns == 0 || cell > last)
            grain->column[grain->columns++] = hash_column(grain->key, last = cell);
        grain->at[i] = grain->columns - 1 - (int)(last - cell);
        if (cell == last)
            grain->column[grain->columns++] = hash_column(grain->key, ++last);
    }
}

static void hash_cells(const struct grain *grain, int64_t row, uint32_t *out)
{
    const struct hash_row words = hash_row(grain->key, row);
    for (int k = 0; k < grain->columns; k++)
        out[k] = hash_corner(grain->column[k], words);
}

void grain_row(struct grain *grain, int64_t gj)
{
    const int64_t row = cell_of(grain, grain->shift_y, gj, &grain->y);
    if (!grain->hashed || row != grain->row) {
        hash_cells(grain, row, grain->north);
        hash_cells(grain, row + 1, grain->south);
        grain->hashed = true;
        grain->row = row;
    }
}

LANE_FN lane_f noise_of(lane_f west, lane_f east, lane_f fade)
{
    const lane_f v = west + fade * (east - west), one = lane_splat(1);
    return lane_select(v > -one, lane_select(v < one, v, one), -one);
}

/* Of a column's corners, at x from it: a plane each, of their own heights and slopes, faded from one into the other. */
static void mix_corners(struct grain *grain, int k)
{
    const float down = FADE3(grain->y);
    const uint32_t n = grain->north[k], s = grain->south[k];
    const float north = hash_unit(n) + 2 * grain->y * hash_unit(n << 22),
                south = hash_unit(s) + 2 * (grain->y - 1) * hash_unit(s << 22);
    const float slope = hash_unit(n << 11);
    grain->value[k] = north + down * (south - north);
    grain->slope[k] = 2 * (slope + down * (hash_unit(s << 11) - slope));
}

/* Noise of corners that have a height and a slope: with slopes alone it would be 0 at them, where the finest octaves have half of their
 * samples, and with heights alone its spots would be square. */
void grain_add(struct grain *grain, struct grain_part part, float times, float *to)
{
    for (int k = grain->at[part.from]; k <= grain->at[part.end - 1] + 1; k++)
        mix_corners(grain, k);
    for (int i = part.from; i < part.end;
         i++) { /* fetched first: the loop behind it is of whole vectors then */
        const int k = grain->at[i];
        grain->west[i] = grain->value[k] + grain->slope[k] * grain->x[i];
        grain->east[i] = grain->value[k + 1] + grain->slope[k + 1] * (grain->x[i] - 1);
    }
    int i = part.from;
    for (; i + LANES <= part.end; i += LANES)
        lane_store(to + i, lane_load(to + i) + lane_splat(times) * noise_of(lane_load(grain->west + i),
                                                                            lane_load(grain->east + i),
                                                                            lane_load(grain->fade + i)));
    for (; i < part.end; i++)
        to[i] += times * noise_of(lane_splat(grain->west[i]), lane_splat(grain->east[i]),
                                  lane_splat(grain->fade[i]))[0];
}
