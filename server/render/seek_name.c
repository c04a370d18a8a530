/*
 * What was found gets its name from tiles that show it, or its height.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/little_endian.h"
#include "seek_parts.h"
#include "tile_piece.h"

/* The tile of a sample; the last tile's far edge is its own, since none lies beyond. */
static int64_t tile_of(int64_t g)
{
    const int log2 = 8;
    _Static_assert(TERRANE_TILE_SAMPLES == 1 << 8, "log2");
    const int64_t tile = g >> log2;
    return tile < TERRANE_TILE_LIMIT ? tile : TERRANE_TILE_LIMIT - 1;
}

/* Leaves of a tile's rows or columns those near a sample. */
static void keep_near(int64_t *first, int *count, int64_t at)
{
    const int64_t end =
        *first + *count < at + PIECE_PEAK_NEAR + 1 ? *first + *count : at + PIECE_PEAK_NEAR + 1;
    *first = *first > at - PIECE_PEAK_NEAR ? *first : at - PIECE_PEAK_NEAR;
    *count = (int)(end - *first);
}

int seek_name_peak(const struct terrane_world *world, struct seek_hit *hit)
{
    struct terrane_landmark *peak = malloc(TERRANE_LANDMARKS_MAX * sizeof *peak);
    struct terrane_window near;
    int peaks = 0, error = -1;
    if (peak && terrane_window_tile(&near, hit->level, tile_of(hit->gi), tile_of(hit->gj),
                                    TERRANE_TILE_SAMPLES) == 0) {
        keep_near(&near.gi, &near.width, hit->gi);
        keep_near(&near.gj, &near.height, hit->gj);
        error = terrane_landmarks(world, 1 << TERRANE_LANDMARK_PEAK, &near, NULL, peak, &peaks) == 0 ? 0 : -1;
    }
    if (error == 0 && peaks > 0) {
        terrane_landmark_name(world, &peak[0], hit->name);
        snprintf(hit->id, sizeof hit->id, "%016" PRIx64, peak[0].id);
    }
    free(peak);
    return error;
}

void seek_begin_naming(struct seek *seek)
{
    const enum find_what what = seek->question.what;
    const bool lake = what == FIND_LAKE, named = lake || what == FIND_RIVER || what == FIND_MOUTH;
    if (!find_row[what].placed && (!named || seek->world->recipe->rivers.top == 0))
        return;
    seek->naming = seek->results > 0;
    seek->had = 0;
    seek->layer[0] = lake ? LAYER_WATER : named ? LAYER_RIVER : LAYER_HEIGHT;
    seek->layers = 1;
    for (size_t k = 0; k < seek->results; k++) {
        struct seek_hit *hit = &seek->result[k];
        hit->tile = seek_want_tile(seek, hit->level, tile_of(hit->gi), tile_of(hit->gj));
    }
}

static float height_in(const unsigned char *f32, int64_t column, int64_t row)
{
    return get_f32(f32 + 4 * (row * (TERRANE_TILE_SAMPLES + 1) + column));
}

int seek_name_results(struct seek *seek)
{
    const bool placed = find_row[seek->question.what].placed, lake = seek->question.what == FIND_LAKE;
    int error = 0;
    for (size_t k = 0; k < seek->results && error == 0; k++) {
        struct seek_hit *hit = &seek->result[k];
        const struct blob *blob = seek->blob[hit->tile];
        const double near_m = SEEK_AROUND * seek_step_m(seek, hit->level);
        if (placed)
            hit->height_m =
                (double)height_in(blob->data, hit->gi - TERRANE_TILE_SAMPLES * seek->tile_x[hit->tile],
                                  hit->gj - TERRANE_TILE_SAMPLES * seek->tile_y[hit->tile]);
        else
            error = (lake ? lake_near : river_near)(blob->data, blob->bytes, hit->x_m, hit->y_m, near_m,
                                                    &hit->water);
    }
    return error;
}
