/*
 * Files of tiles.
 */
#include "export_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_make.h"
#include "../base/check.h"
#include "../base/little_endian.h"
#include "../base/text.h"
#include "../encode/encode.h"

enum { BANDS = 4 };

/* ---- Heights ------------------------------------------------------------------------------------------- */

static void turn_over(float *values, size_t side)
{
    for (size_t j = 0; j < side / 2; j++) {
        float *const upper = values + j * side, *const lower = values + (side - 1 - j) * side;
        for (size_t i = 0; i < side; i++) {
            const float kept = upper[i];
            upper[i] = lower[i];
            lower[i] = kept;
        }
    }
}

static int write_grey16(const float *heights, int side, float low_m, float high_m, unsigned char **data,
                        size_t *bytes)
{
    struct encoder *encoder = encoder_create();
    const int result = encoder ? encode_png_heights(encoder, heights, side, side, ENC_GRAY16, low_m, high_m,
                                                    false, data, bytes)
                               : -1;
    encoder_free(encoder);
    return result;
}

int export_write_heights(const struct export_set *set, float *heights, int column, int row, float low_m,
                         float high_m, unsigned char **data, size_t *bytes)
{
    const size_t side = (size_t)set->size;
    switch (set->format->coding) {
    case EXPORT_R16:
    case EXPORT_F32:
        if (set->row->from_south)
            turn_over(heights, side);
        return set->format->coding == EXPORT_R16
                   ? encode_r16(heights, side * side, low_m, high_m, data, bytes)
                   : encode_f32(heights, side * side, data, bytes);
    case EXPORT_GRAY16:
        return write_grey16(heights, set->size, low_m, high_m, data, bytes);
    case EXPORT_TIF:
        break;
    }
    const struct grid grid = {
        .values = heights,
        .width = set->size,
        .height = set->size,
        .channels = 1,
        .place = {.west_m = (double)(set->x0 + (int64_t)column * set->step) * set->spacing_m,
                  .north_m = 0 - (double)(set->y0 + (int64_t)row * set->step) * set->spacing_m,
                  .spacing_m = set->spacing_m}};
    return encode_grid(FORMAT_TIF, &grid, data, bytes);
}

/* ---- Weights ------------------------------------------------------------------------------------------- */

/* As the library's pictures have them: differences of rounded sums, the last of which is whole. */
void export_weigh(const float *weights, size_t count, int materials, uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++) {
        float sum = 0;
        int before = 0;
        for (int m = 0; m < materials; m++) {
            sum += *weights++;
            const int now = (int)(sum * 255.0f + 0.5f);
            *bytes++ = (uint8_t)(now - before);
            before = now;
        }
    }
}

/*
 * Terrain3D's control map: the heaviest material as the base, the next one as the overlay, how much of both that is, from bit 27, 22
 * and 14 on. Of equal ones the first counts as heavier.
 */
static uint32_t control_of(const uint8_t *weight, int materials)
{
    int base = 0, over = -1;
    for (int m = 1; m < materials; m++)
        if (weight[m] > weight[base])
            base = m;
    for (int m = 0; m < materials; m++)
        if (m != base && (over < 0 || weight[m] > weight[over]))
            over = m;
    const unsigned both = over < 0 ? 0 : (unsigned)weight[base] + weight[over];
    const unsigned blend = both > 0 ? (510u * weight[over] + both) / (2 * both) : 0;
    return (uint32_t)base << 27 | (uint32_t)(over < 0 ? 0 : over) << 22 | (uint32_t)blend << 14;
}

static int write_controls(const struct export_set *set, const uint8_t *weights, unsigned char **data,
                          size_t *bytes)
{
    const int materials = export_set_materials(set);
    const size_t count = (size_t)set->size * (size_t)set->size;
    unsigned char *out = malloc(count * 4), *at = out;
    if (!out)
        return -1;
    for (size_t i = 0; i < count; i++)
        at = put_u32(at, control_of(weights + i * (size_t)materials, materials));
    *data = out;
    *bytes = count * 4;
    return 0;
}

/* Some materials side by side, what there is not as 0. */
static uint8_t *pick(const struct export_set *set, const uint8_t *weights, int first, int bands)
{
    const int materials = export_set_materials(set), side = export_set_weights_side(set);
    const int left_out = side < set->size ? side / 2 : set->size; /* the middle one */
    uint8_t *out = calloc((size_t)side * (size_t)side, (size_t)bands);
    if (!out)
        return NULL;
    uint8_t *at = out;
    for (int j = 0; j < set->size; j++)
        for (int i = 0; i < set->size; i++) {
            if (i == left_out || j == left_out)
                continue;
            const uint8_t *from = weights + ((size_t)j * (size_t)set->size + (size_t)i) * (size_t)materials;
            for (int m = 0; m < bands && first + m < materials; m++)
                at[m] = from[first + m];
            at += bands;
        }
    return out;
}

int export_write_cover(const struct export_set *set, int file, const uint8_t *weights, unsigned char **data,
                       size_t *bytes)
{
    const int bands = set->row->splats ? BANDS : 1, side = export_set_weights_side(set);
    if (export_set_controls(set) && file == export_set_files(set, EXPORT_COVER) - 1)
        return write_controls(set, weights, data, bytes);
    struct encoder *encoder = encoder_create();
    uint8_t *pixels = encoder ? pick(set, weights, file * bands, bands) : NULL;
    const int result = pixels ? encode_png_pixels(encoder, pixels, side, side, bands, data, bytes) : -1;
    free(pixels);
    encoder_free(encoder);
    return result;
}

/* ---- Objects ------------------------------------------------------------------------------------------- */

/* Where the engine's origin lies: metres to the east and south of the set's north-western corner. */
static void origin_of(const struct export_set *set, double *east_m, double *south_m)
{
    const double step_m = set->step * set->spacing_m;
    const int west = set->across / 2, north = set->down / 2; /* tiles before the middle */
    *east_m = *south_m = 0;
    switch (set->engine) {
    case EXPORT_UNITY:
        *south_m = set->down * step_m;
        break;
    case EXPORT_GODOT: /* on a corner of tiles, in the middle: Terrain3D's regions lie around it */
        *east_m = west * step_m;
        *south_m = north * step_m;
        break;
    case EXPORT_BLENDER:
        *east_m = set->across * step_m / 2;
        *south_m = set->down * step_m / 2;
        break;
    case EXPORT_UNREAL:
    case EXPORT_ENGINES:
        break;
    }
}

static int compare(const void *a, const void *b)
{
    const struct export_object *one = a, *other = b;
    const double first[] = {one->y_m, one->x_m, one->of}, second[] = {other->y_m, other->x_m, other->of};
    for (int i = 0; i < 3; i++)
        if (first[i] < second[i] || first[i] > second[i])
            return first[i] < second[i] ? -1 : 1;
    return 0;
}

/* x, y, z as the engine has them, and the turn about its upward axis. */
static void place(const struct export_set *set, const struct export_object *object, double out[static 4])
{
    double east_m, south_m;
    origin_of(set, &east_m, &south_m);
    const double east = object->x_m - east_m, south = object->y_m - south_m, up = (double)object->z_m;
    const double turn = object->turn * 360.0 / 256;
    const double of[EXPORT_ENGINES][4] = {
        [EXPORT_UNREAL] = {east * 100, south * 100, up * 100, turn},
        [EXPORT_UNITY] = {east, up, 0 - south, turn},
        [EXPORT_GODOT] = {east, up, south, 0 - turn},
        [EXPORT_BLENDER] = {east, 0 - south, up, 0 - turn},
    };
    memcpy(out, of[set->engine], sizeof of[set->engine]);
}

int export_write_objects(const struct export_set *set, struct export_object *object, size_t count,
                         unsigned char **data, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    if (!out)
        return -1;
    if (count > 0)
        qsort(object, count, sizeof *object, compare);
    fprintf(out, "Name,Class,Model,Seed,X,Y,Z,Yaw,Scale\n");
    for (size_t i = 0; i < count; i++) {
        const struct terrane_class *class = &set->recipe->objects.of[object[i].of];
        double at[4];
        place(set, &object[i], at);
        fprintf(out, "%zu,%s,%s,%d,%.3f,%.3f,%.3f,%.3f,%.6g\n", i, class->name,
                terrane_model_name[class->model], object[i].variant, at[0], at[1], at[2], at[3] + 0.0,
                (double)object[i].scale / TERRANE_OBJECTS_SCALE);
    }
    *data = (unsigned char *)text_end(out, &text);
    return *data ? 0 : -1;
}
