/*
 * What was found gets its name from tiles that show it, or its height.
 */
#include "../base/little_endian.h"
#include "seek_parts.h"

/* The tile of a sample; the last tile's far edge is its own, since none lies beyond. */
static int64_t tile_of(int64_t g)
{
    const int log2 = 8;
    _Static_assert(TERRANE_TILE_SAMPLES == 1 << 8, "log2");
    const int64_t tile = g >> log2;
    return tile < TERRANE_TILE_LIMIT ? tile : TERRANE_TILE_LIMIT - 1;
}
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
