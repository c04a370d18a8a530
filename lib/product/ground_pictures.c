/*
 * Pictures of a ground: its layers as bytes, and the palettes of those that are of indices.
 *
 * The most that a picture takes beside the ground's layers is a relief's: of zones a strip's weights, of cover 12 bytes a sample; of banks of rivers 28.
 */
#include "../cover/cover.h"
#include "../path/network.h"
#include "../shade/shade.h"
#include "../term/climate.h"
#include "ground_layers.h"

enum { STRIP_ROWS = 128 }; /* of relief, whose weights are the largest part */

/* ---- Relief -------------------------------------------------------------------------------------------- */

/* These return 0 or an error. */

/*
 * Normals that light falls on where a lattice of drainage shows its own cells, from generator 9 on: every cell is a step of some tree,
 * so ground is as rough as cells are wide. Differences between neighbours of a sample are means over three rows of them.
 */
static bool is_calm(const struct terrane_ground *ground)
{
    const struct terrane_recipe *recipe = ground->world->recipe;
    return recipe->generator >= 9 && ground->plan->window.level >= recipe->rivers.bottom &&
           ground->plan->drainage.count > 0;
}

static void fill_calm(const struct terrane_ground *ground, float *normals)
{
    const struct terrane_window *window = &ground->plan->window;
    const size_t step = (size_t)window->step, stride = (size_t)(window->width - 1) * step + 3;
    const float inverse = (float)(1 / (8 * terrane_lattice_m(ground->world, window->level, 1)));
    for (size_t j = 0; j < (size_t)window->height; j++)
        for (size_t i = 0; i < (size_t)window->width; i++, normals += 3) {
            const float *const n = ground->around + j * step * stride + i * step, *const m = n + stride,
                               *const s = m + stride;
            const float east = ((n[2] - n[0]) + (s[2] - s[0])) + 2 * (m[2] - m[0]),
                        south = ((s[0] - n[0]) + (s[2] - n[2])) + 2 * (s[1] - n[1]);
            const float x = 0 - east * inverse, y = 0 - south * inverse,
                        r = 1 / __builtin_sqrtf((x * x + y * y) + 1);
            normals[0] = x * r;
            normals[1] = y * r;
            normals[2] = r;
        }
}

/* By its cover, which is made. */
static int paint_cover(const struct terrane_ground *ground, const float *lit, uint8_t *rgb)
{
    const struct terrane_recipe *recipe = ground->world->recipe;
    const struct terrane_window *window = &ground->plan->window;
    float *const *layer = ground->layer;
    float *const colours = ground_floats(ground, ground->count * 3);
    int error = colours ? 0 : TERRANE_EMEMORY;
    if (error == 0) {
        terrane_cover_colours(recipe, layer[TERRANE_LAYER_COVER], ground->count, colours);
        error = terrane_cover_texture(ground->world, window, ground->memory, layer[TERRANE_LAYER_HEIGHT],
                                      layer[TERRANE_LAYER_NORMAL], layer[TERRANE_LAYER_COVER], colours);
    }
    if (error == 0)
        terrane_relief_cover(recipe, window->level, layer[TERRANE_LAYER_HEIGHT], lit, colours,
                             layer[TERRANE_LAYER_WATER], ground->count, rgb);
    memory_give(ground->memory, colours);
    return error;
}

/* Rows j .. j + window->height - 1. */
static int paint_strip(const struct terrane_ground *ground, const struct terrane_window *window, int j,
                       const float *lit, float *weights, uint8_t *rgb)
{
    float *const *layer = ground->layer;
    const size_t at = (size_t)j * (size_t)window->width;
    const int error = terrane_zones(ground->world, window, ground->memory, NULL, weights);
    if (error == 0)
        terrane_relief(ground->world->recipe, window->level, layer[TERRANE_LAYER_HEIGHT] + at, lit + at * 3,
                       weights, layer[TERRANE_LAYER_WATER] + at, samples_of(window), rgb + at * 3);
    return error;
}

static int paint_zones(const struct terrane_ground *ground, const float *lit, uint8_t *rgb)
{
    const struct terrane_window *window = &ground->plan->window;
    const size_t zones = (size_t)ground->world->recipe->partition.zones;
    const int max = window->height < STRIP_ROWS ? window->height : STRIP_ROWS;
    float *weights = ground_floats(ground, (size_t)max * (size_t)window->width * zones);
    int error = weights ? 0 : TERRANE_EMEMORY;
    for (int j = 0; j < window->height && error == 0; j += max) {
        struct terrane_window strip = *window;
        strip.gj += (int64_t)j * window->step;
        strip.height = window->height - j < max ? window->height - j : max;
        error = paint_strip(ground, &strip, j, lit, weights, rgb);
    }
    memory_give(ground->memory, weights);
    return error;
}

/* From generator 17 on rivers lie between banks. */
static int paint_banks(const struct terrane_ground *ground, uint8_t *rgb)
{
    float *damp = ground_floats(ground, ground->count);
    const int error = damp ? ground_make_damp(ground, damp) : TERRANE_EMEMORY;
    if (error == 0)
        terrane_relief_banks(damp, ground->layer[TERRANE_LAYER_WATER], ground->count, rgb);
    memory_give(ground->memory, damp);
    return error;
}

static int paint_rivers(struct terrane_ground *ground, const float *lit, uint8_t *rgb)
{
    int error = terrane_ground_layer(ground, TERRANE_LAYER_RIVER);
    if (error == 0 && ground->world->recipe->generator >= 17)
        error = paint_banks(ground, rgb);
    if (error == 0)
        terrane_relief_rivers(ground->world->recipe, ground->plan->window.level, lit,
                              ground->layer[TERRANE_LAYER_WATER], ground->layer[TERRANE_LAYER_RIVER],
                              ground->count, rgb);
    return error;
}

static int paint_paths(const struct terrane_ground *ground, uint8_t *rgb)
{
    const size_t count = ground->count;
    uint8_t *kind = memory_take(ground->memory, count), *shade = memory_take(ground->memory, count);
    const int error = kind && shade ? ground_path_kinds(ground, kind) : TERRANE_EMEMORY;
    if (error == 0) {
        terrane_hillshade(ground->plan->window.level, ground->layer[TERRANE_LAYER_NORMAL], count, shade);
        terrane_paths_paint(ground->world->recipe, kind, shade, count, rgb);
    }
    memory_give(ground->memory, kind);
    memory_give(ground->memory, shade);
    return error;
}

static int paint(struct terrane_ground *ground, const float *lit, uint8_t *rgb)
{
    int error = ground->world->recipe->cover.materials > 0 ? paint_cover(ground, lit, rgb)
                                                           : paint_zones(ground, lit, rgb);
    if (error == 0 && ground->plan->drainage.count > 0)
        error = paint_rivers(ground, lit, rgb);
    if (error == 0 && ground->plan->paths.count > 0)
        error = paint_paths(ground, rgb);
    return error;
}

/* Cover comes first, for it may want ground around, of which the other layers are taken then. */
static int make_relief(struct terrane_ground *ground, uint8_t *rgb)
{
    const bool covered = ground->world->recipe->cover.materials > 0;
    float *calm = NULL;
    int error = covered ? terrane_ground_layer(ground, TERRANE_LAYER_COVER) : 0;
    if (error == 0)
        error = terrane_ground_layer(ground, TERRANE_LAYER_NORMAL);
    if (error == 0)
        error = terrane_ground_layer(ground, TERRANE_LAYER_WATER);
    if (error == 0 && is_calm(ground)) {
        calm = ground_floats(ground, ground->count * 3);
        error = calm ? terrane_ground_around(ground) : TERRANE_EMEMORY;
    }
    if (error == 0 && calm)
        fill_calm(ground, calm);
    if (error == 0)
        error = paint(ground, calm ? calm : ground->layer[TERRANE_LAYER_NORMAL], rgb);
    memory_give(ground->memory, calm);
    return error;
}

/* ---- The others ---------------------------------------------------------------------------------------- */

static int make_hillshade(struct terrane_ground *ground, uint8_t *shade)
{
    const int error = terrane_ground_layer(ground, TERRANE_LAYER_NORMAL);
    if (error == 0)
        terrane_hillshade(ground->plan->window.level, ground->layer[TERRANE_LAYER_NORMAL], ground->count,
                          shade);
    return error;
}

static int make_climate(struct terrane_ground *ground, uint8_t *rgb)
{
    const int error = terrane_ground_layer(ground, TERRANE_LAYER_CLIMATE);
    if (error == 0)
        terrane_climate_colours(ground->layer[TERRANE_LAYER_CLIMATE], ground->count, rgb);
    return error;
}

static int make_weights(struct terrane_ground *ground, uint8_t *weights)
{
    const int error = terrane_ground_layer(ground, TERRANE_LAYER_COVER);
    if (error == 0)
        terrane_cover_bytes(ground->world->recipe, ground->layer[TERRANE_LAYER_COVER], ground->count,
                            weights);
    return error;
}

static int make_objects(struct terrane_ground *ground, uint8_t *index)
{
    const struct terrane_window *window = &ground->plan->window;
    const int part_log2 = window->level + 4; /* parts of a sample: terrane_features.h */
    const int error = terrane_ground_objects(ground);
    memset(index, 0, ground->count);
    for (size_t k = 0; k < ground->objects && error == 0; k++) {
        const struct terrane_object *object = &ground->object[k];
        const size_t i = (size_t)((object->x >> part_log2) - window->gi),
                     j = (size_t)((object->y >> part_log2) - window->gj);
        uint8_t *pixel = &index[j * (size_t)window->width + i];
        *pixel = *pixel ? *pixel : object->of + 1;
    }
    return error;
}

int terrane_ground_picture(struct terrane_ground *ground, enum terrane_picture picture, uint8_t *pixels)
{
    switch (picture) {
    case TERRANE_PICTURE_HILLSHADE:
        return make_hillshade(ground, pixels);
    case TERRANE_PICTURE_RELIEF:
        return make_relief(ground, pixels);
    case TERRANE_PICTURE_CLIMATE:
        return make_climate(ground, pixels);
    case TERRANE_PICTURE_COVER:
        return make_weights(ground, pixels);
    case TERRANE_PICTURE_ZONES:
        return terrane_zones(ground->world, &ground->plan->window, ground->memory, pixels, NULL);
    case TERRANE_PICTURE_PATHS:
        return ground_path_kinds(ground, pixels);
    case TERRANE_PICTURE_CAVES:
        return ground_cave_kinds(ground, pixels);
    case TERRANE_PICTURE_OBJECTS:
        return make_objects(ground, pixels);
    case TERRANE_PICTURE_NONE:
    case TERRANE_PICTURES:
        break;
    }
    return TERRANE_EWINDOW;
}

int ground_make_picture(struct terrane_ground *ground, enum terrane_picture picture, float *values)
{
    const size_t numbers = ground->count * (picture == TERRANE_PICTURE_RELIEF ? 3 : 1);
    uint8_t *pixels = memory_take(ground->memory, numbers);
    const int error = pixels ? terrane_ground_picture(ground, picture, pixels) : TERRANE_EMEMORY;
    for (size_t k = 0; k < numbers && error == 0; k++)
        values[k] = pixels[k];
    memory_give(ground->memory, pixels);
    return error;
}

/* ---- Palettes ------------------------------------------------------------------------------------------ */

static const uint8_t of_paths[TERRANE_PATH_CLASSES][3] = {[TERRANE_PATH_NONE] = {0, 0, 0},
                                                          [TERRANE_PATH_BORDER] = {96, 80, 56},
                                                          [TERRANE_PATH_WAY] = {224, 192, 128},
                                                          [TERRANE_PATH_NODE] = {255, 255, 255}};
static const uint8_t of_caves[TERRANE_CAVE_KINDS][3] = {[TERRANE_CAVE_ROCK] = {0, 0, 0},
                                                        [TERRANE_CAVE_INSIDE] = {144, 128, 160},
                                                        [TERRANE_CAVE_OPENING] = {255, 208, 96}};
static const uint8_t of_objects[TERRANE_CLASSES_MAX + 1][3] = {
    {0, 0, 0},      {32, 96, 48},    {96, 160, 64},   {176, 192, 96}, {144, 112, 64},
    {208, 128, 64}, {160, 160, 168}, {112, 144, 192}, {224, 208, 160}};

static int put(uint8_t colour[TERRANE_PALETTE_MAX][3], const uint8_t (*from)[3], size_t bytes)
{
    memcpy(colour, from, bytes);
    return (int)(bytes / sizeof *from);
}

static int put_zones(const struct terrane_partition *partition, uint8_t colour[TERRANE_PALETTE_MAX][3])
{
    for (int z = 0; z < partition->zones; z++)
        memcpy(colour[z], partition->zone[z].colour, sizeof colour[z]);
    return partition->zones;
}

int terrane_picture_palette(const struct terrane_recipe *recipe, enum terrane_picture picture,
                            uint8_t colour[TERRANE_PALETTE_MAX][3])
{
    switch (picture) {
    case TERRANE_PICTURE_ZONES:
        return put_zones(&recipe->partition, colour);
    case TERRANE_PICTURE_PATHS:
        return put(colour, of_paths, sizeof of_paths);
    case TERRANE_PICTURE_CAVES:
        return put(colour, of_caves, sizeof of_caves);
    case TERRANE_PICTURE_OBJECTS:
        return put(colour, of_objects, sizeof of_objects);
    case TERRANE_PICTURE_NONE:
    case TERRANE_PICTURE_HILLSHADE:
    case TERRANE_PICTURE_RELIEF:
    case TERRANE_PICTURE_CLIMATE:
    case TERRANE_PICTURE_COVER:
    case TERRANE_PICTURES:
        break;
    }
    return 0;
}
