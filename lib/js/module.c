/*
 * What the package's JavaScript calls of libterrane: one world an instance, its tiles and the regions they rest on.
 *
 * A region is told as the seven words of struct js_region. Numbers beyond 32 bits come and go in halves, or as doubles that hold
 * them exactly. Where a call wants a block of bytes, js_take makes room for it. Calls return 0 or more, or an error.
 */
#include <stdlib.h>

#include "state.h"

struct js_state js;

/* ---- Memory ---------------------------------------------------------------------------------------------- */

void *js_take(size_t bytes)
{
    return aligned_alloc(TERRANE_SCRATCH_ALIGN,
                         (bytes + TERRANE_SCRATCH_ALIGN - 1) & -(size_t)TERRANE_SCRATCH_ALIGN);
}

void js_give(void *block)
{
    free(block);
}

static void *take(void *user, size_t bytes)
{
    (void)user;
    return js_take(bytes);
}

static void give(void *user, void *block)
{
    (void)user;
    free(block);
}

int js_lend(void)
{
    if (js.memory.scratch)
        return 0;
    void *scratch = js_take(terrane_scratch_bytes), *memo = calloc(1, terrane_memo_bytes);
    if (!scratch || !memo) {
        free(scratch);
        free(memo);
        return TERRANE_EMEMORY;
    }
    js.memory = (struct terrane_memory){.alloc = take, .free = give, .scratch = scratch, .memo = memo};
    return 0;
}

void js_keep(void *made, size_t bytes)
{
    free(js.made);
    js.made = made;
    js.made_bytes = bytes;
}

void *js_made(void)
{
    return js.made;
}

size_t js_made_bytes(void)
{
    return js.made_bytes;
}

/* ---- World ----------------------------------------------------------------------------------------------- */

int js_open(const char *text, size_t bytes, uint32_t seed_low, uint32_t seed_high)
{
    int error = terrane_init(NULL);
    if (error == 0)
        error =
            terrane_recipe_parse(text, bytes, NULL, NULL, &js.recipe, NULL, js.message, sizeof js.message);
    if (error == 0)
        terrane_world_init(&js.world, &js.recipe, (uint64_t)seed_high << 32 | seed_low);
    return error;
}

const char *js_message(int error)
{
    return error == TERRANE_ETEXT ? js.message : terrane_error_text(error);
}

void js_seed_of_name(const char *name, size_t bytes, uint64_t *seed)
{
    *seed = terrane_seed_from_name(name, bytes);
}

const char *js_isa(void)
{
    return terrane_isa();
}

const uint8_t *js_digest(void)
{
    return js.world.digest.byte;
}

const uint8_t *js_samples_digest(const void *samples, size_t bytes)
{
    static struct terrane_digest digest;
    terrane_samples_digest(samples, bytes / sizeof(float), &digest);
    return digest.byte;
}

int js_spawn(double place[3])
{
    struct terrane_spawn spawn;
    const int error = terrane_spawn(&js.world, NULL, &spawn);
    if (error != 0)
        return error;
    place[0] = spawn.x_m;
    place[1] = spawn.y_m;
    place[2] = spawn.height_m;
    return 0;
}

int js_terms_make(void)
{
    const size_t bytes = terms_numbers(&js.recipe, NULL) * sizeof(double);
    double *number = js_take(bytes);
    if (!number)
        return TERRANE_EMEMORY;
    terms_numbers(&js.recipe, number);
    js_keep(number, bytes);
    return 0;
}

double js_cost(void)
{
    struct terrane_cost cost;
    terrane_recipe_cost(&js.recipe, &cost);
    return cost.sample;
}

double js_seconds(void)
{
    double seconds[TERRANE_PARTS];
    return terrane_recipe_seconds(&js.recipe, NULL, seconds);
}

int js_generator(void)
{
    return js.recipe.generator;
}

double js_spacing_m(void)
{
    return js.recipe.spacing_m;
}

const char *js_layer_name(int layer)
{
    return layer < (int)TERRANE_LAYERS ? terrane_layer_name[layer] : NULL;
}

int js_layer_values(int layer)
{
    return terrane_layer_values(&js.recipe, (enum terrane_layer)layer);
}

/* The picture of a layer that is no function of a sample's numbers alone. */
enum terrane_picture js_picture_of(int layer)
{
    static const enum terrane_picture picture[TERRANE_LAYERS] = {
        [TERRANE_LAYER_PARTITION] = TERRANE_PICTURE_ZONES,
        [TERRANE_LAYER_PATH] = TERRANE_PICTURE_PATHS,
        [TERRANE_LAYER_CAVE] = TERRANE_PICTURE_CAVES,
        [TERRANE_LAYER_COVER] = TERRANE_PICTURE_COVER,
        [TERRANE_LAYER_CLIMATE] = TERRANE_PICTURE_CLIMATE,
        [TERRANE_LAYER_RELIEF] = TERRANE_PICTURE_RELIEF,
        [TERRANE_LAYER_HILLSHADE] = TERRANE_PICTURE_HILLSHADE,
        [TERRANE_LAYER_OBJECTS] = TERRANE_PICTURE_OBJECTS,
    };
    return picture[layer];
}

int js_palette(int layer)
{
    return terrane_picture_palette(&js.recipe, js_picture_of(layer), js.colour);
}

const uint8_t *js_colours(void)
{
    return js.colour[0];
}

int js_layer_channels(int layer)
{
    switch (js_picture_of(layer)) {
    case TERRANE_PICTURE_NONE:
    case TERRANE_PICTURES:
        return 0;
    case TERRANE_PICTURE_COVER:
        return terrane_layer_values(&js.recipe, TERRANE_LAYER_COVER);
    case TERRANE_PICTURE_RELIEF:
    case TERRANE_PICTURE_CLIMATE:
        return 3;
    case TERRANE_PICTURE_HILLSHADE:
    case TERRANE_PICTURE_ZONES:
    case TERRANE_PICTURE_PATHS:
    case TERRANE_PICTURE_CAVES:
    case TERRANE_PICTURE_OBJECTS:
        break;
    }
    return 1;
}

const char *js_variant_name(int variant)
{
    return variant < (int)TERRANE_VARIANTS ? terrane_variant_name[variant] : NULL;
}

int js_variant_default(void)
{
    return (int)terrane_layer_variant(&js.recipe, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_CARVED);
}
