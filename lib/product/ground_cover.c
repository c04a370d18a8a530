/*
 * Cover of a ground, strip by strip: quantities that conditions ask for, and no others, are made in turn, and what each says of the
 * materials is taken at once; so a strip needs room for the materials and a few quantities, however many terms there are.
 */
#include "../cover/cover.h"
#include "ground_layers.h"

enum { STRIP_ROWS = 86 }; /* three to a tile */

struct strip {
    struct terrane_ground *ground;
    const struct terrane_cover *cover;
    struct terrane_window window; /* of the ground's, whole rows */
    size_t at, count;             /* its first sample in the ground's, and how many */
    size_t stride;
    float *suits, *slopes, *cells, *stream, *shore, *values; /* stride each; suits: of each material */
    float *warmth, *rain; /* of all strips: what they rest on lies far around, and is made once; or NULL */
};

static bool asks(unsigned quantities, enum terrane_cover_quantity quantity)
{
    return quantities >> quantity & 1;
}

/* ---- Quantities ---------------------------------------------------------------------------------------- */

static void suit(const struct strip *strip, enum terrane_cover_quantity quantity, const float *values)
{
    cover_suit(strip->cover, (int)quantity, values, strip->stride, strip->count, strip->suits);
}

static void show_term(void *context, int term, size_t at, size_t count, const float *values)
{
    const struct strip *strip = context;
    cover_suit(strip->cover, TERRANE_COVER_QUANTITIES + term, values, strip->stride, count,
               strip->suits + at);
}

/* Of the ground around, whose rows have a sample more at either end, and every sample between. */
static void suit_curvature(struct strip *strip)
{
    const struct terrane_window *window = &strip->window, *whole = &strip->ground->plan->window;
    const size_t step = (size_t)window->step, stride = (size_t)(whole->width - 1) * step + 3;
    const double spacing_m = terrane_lattice_m(strip->ground->world, window->level, 1);
    const size_t first = strip->at / (size_t)whole->width;
    for (size_t j = 0; j < (size_t)window->height; j++)
        cover_curvatures(strip->ground->around + ((first + j) * step + 1) * stride + 1, stride, window->step,
                         window->width, spacing_m, strip->values + j * (size_t)window->width);
    suit(strip, TERRANE_COVER_CURVATURE, strip->values);
}

/* Metres over the sea, or the stream: where there is no drainage the sea. */
static void suit_above(struct strip *strip, enum terrane_cover_quantity quantity, const float *below)
{
    const float *heights = strip->ground->layer[TERRANE_LAYER_HEIGHT] + strip->at;
    const float sea_m = strip->ground->world->recipe->sea_m;
    for (size_t i = 0; i < strip->count; i++)
        strip->values[i] = heights[i] - (below ? below[i] : sea_m);
    suit(strip, quantity, strip->values);
}

/* Without drainage a sample drains itself, and shores are as far as they are looked for, but under water. */
static void fill_undrained(struct strip *strip)
{
    const struct terrane_recipe *recipe = strip->ground->world->recipe;
    const int level = strip->window.level, bottom = recipe->rivers.bottom;
    const float far_m = cover_far_m(recipe, level > bottom ? level : bottom);
    const float *depth = strip->ground->layer[TERRANE_LAYER_WATER];
    for (size_t i = 0; i < strip->count; i++) {
        strip->cells[i] = 0;
        strip->shore[i] = depth && depth[strip->at + i] > 0 ? 0 : far_m;
    }
}

static int suit_drained(struct strip *strip, unsigned quantities)
{
    const bool drained = strip->ground->plan->drainage.count > 0;
    const bool wetness = asks(quantities, TERRANE_COVER_WETNESS),
               river = asks(quantities, TERRANE_COVER_RIVER), shore = asks(quantities, TERRANE_COVER_SHORE);
    int error = 0;
    if (!wetness && !river && !shore)
        return 0;
    if (drained)
        error = ground_cover_drained(strip->ground, &strip->window, wetness ? strip->cells : NULL,
                                     river ? strip->stream : NULL, shore ? strip->shore : NULL);
    else
        fill_undrained(strip);
    if (error == 0 && wetness) {
        cover_wetness(strip->cells, strip->slopes, strip->count, strip->values);
        suit(strip, TERRANE_COVER_WETNESS, strip->values);
    }
    if (error == 0 && river)
        suit_above(strip, TERRANE_COVER_RIVER, drained ? strip->stream : NULL);
    if (error == 0 && shore)
        suit(strip, TERRANE_COVER_SHORE, strip->shore);
    return error;
}

/* Colder by the height of the ground as it is, over the sea. */
static void suit_climate(struct strip *strip, unsigned quantities)
{
    const struct terrane_ground *ground = strip->ground;
    if (asks(quantities, TERRANE_COVER_TEMPERATURE)) {
        climate_cool(ground->world->recipe, ground->layer[TERRANE_LAYER_HEIGHT] + strip->at, strip->count,
                     strip->warmth + strip->at);
        suit(strip, TERRANE_COVER_TEMPERATURE, strip->warmth + strip->at);
    }
    if (asks(quantities, TERRANE_COVER_PRECIPITATION))
        suit(strip, TERRANE_COVER_PRECIPITATION, strip->rain + strip->at);
}

/* ---- Strips -------------------------------------------------------------------------------------------- */

/* What conditions say, in the order that lib/README.md has: terms, then quantities. */
static int suit_all(struct strip *strip, const struct cover_asked *asked)
{
    float *const *layer = strip->ground->layer;
    const struct term_rows rows = {asked->terms, show_term, strip};
    const unsigned quantities = asked->quantities;
    int error = asked->terms == 0
                    ? 0
                    : window_terms(strip->ground->world, &strip->window, &rows, strip->ground->memory);
    if (error != 0)
        return error;
    if (layer[TERRANE_LAYER_NORMAL])
        cover_slopes(layer[TERRANE_LAYER_NORMAL] + 3 * strip->at, strip->count, strip->slopes);
    if (asks(quantities, TERRANE_COVER_SLOPE))
        suit(strip, TERRANE_COVER_SLOPE, strip->slopes);
    if (asks(quantities, TERRANE_COVER_CURVATURE))
        suit_curvature(strip);
    if (asks(quantities, TERRANE_COVER_HEIGHT))
        suit_above(strip, TERRANE_COVER_HEIGHT, NULL);
    if (asks(quantities, TERRANE_COVER_DEPTH))
        suit(strip, TERRANE_COVER_DEPTH, layer[TERRANE_LAYER_WATER] + strip->at);
    error = suit_drained(strip, quantities);
    if (error == 0)
        suit_climate(strip, quantities);
    return error;
}

static int make_strips(struct strip *strip, const struct cover_asked *asked, float *weights)
{
    const struct terrane_window *whole = &strip->ground->plan->window;
    int error = 0;
    for (int j = 0; j < whole->height && error == 0; j += STRIP_ROWS) {
        strip->window = *whole;
        strip->window.gj += (int64_t)j * whole->step;
        strip->window.height = whole->height - j < STRIP_ROWS ? whole->height - j : STRIP_ROWS;
        strip->at = (size_t)j * (size_t)whole->width;
        strip->count = samples_of(&strip->window);
        cover_begin(strip->cover, strip->stride, strip->count, strip->suits);
        error = suit_all(strip, asked);
        if (error == 0)
            cover_weights(strip->cover, strip->suits, strip->stride, strip->count,
                          weights + strip->at * (size_t)strip->cover->materials);
    }
    return error;
}

/* The layers that quantities are made of. A ground around comes first: the others are taken from it. */
static int make_layers(struct terrane_ground *ground, unsigned quantities)
{
    const bool drained = ground->plan->drainage.count > 0;
    const unsigned above = 1u << TERRANE_COVER_HEIGHT | 1u << TERRANE_COVER_RIVER |
                           1u << TERRANE_COVER_TEMPERATURE,
                   sloped = 1u << TERRANE_COVER_SLOPE | 1u << TERRANE_COVER_WETNESS,
                   wet = 1u << TERRANE_COVER_DEPTH | (drained ? 0 : 1u << TERRANE_COVER_SHORE);
    int error = asks(quantities, TERRANE_COVER_CURVATURE) ? terrane_ground_around(ground) : 0;
    if (error == 0 && quantities & sloped)
        error = terrane_ground_layer(ground, TERRANE_LAYER_NORMAL);
    if (error == 0 && quantities & above)
        error = terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT);
    return error == 0 && quantities & wet ? terrane_ground_layer(ground, TERRANE_LAYER_WATER) : error;
}

int ground_make_cover(struct terrane_ground *ground, float *values)
{
    const struct terrane_cover *cover = &ground->world->recipe->cover;
    const struct cover_asked asked = cover_asked(cover);
    const bool climate = asks(asked.quantities, TERRANE_COVER_TEMPERATURE) ||
                         asks(asked.quantities, TERRANE_COVER_PRECIPITATION);
    const int rows = ground->plan->window.height;
    const size_t stride =
        (size_t)ground->plan->window.width * (size_t)(rows < STRIP_ROWS ? rows : STRIP_ROWS);
    if (cover->materials < 2) { /* all of the one there is, or of none */
        for (size_t i = 0; i < ground->count; i++)
            values[i] = 1;
        return 0;
    }
    /* Weights are made of whole vectors, which may end among the quantities. */
    float *room = ground_floats(ground, ((size_t)cover->materials - 1 + 5) * stride +
                                            (climate ? 2 * ground->count : 0));
    if (!room)
        return TERRANE_EMEMORY;
    float *quantity = room + ((size_t)cover->materials - 1) * stride;
    struct strip strip = {.ground = ground,
                          .cover = cover,
                          .stride = stride,
                          .suits = room,
                          .slopes = quantity,
                          .cells = quantity + stride,
                          .stream = quantity + 2 * stride,
                          .shore = quantity + 3 * stride,
                          .values = quantity + 4 * stride,
                          .warmth = climate ? quantity + 5 * stride : NULL,
                          .rain = climate ? quantity + 5 * stride + ground->count : NULL};
    int error = make_layers(ground, asked.quantities);
    if (error == 0 && climate)
        error =
            window_climate(ground->world, &ground->plan->window, ground->memory, strip.warmth, strip.rain);
    if (error == 0)
        error = make_strips(&strip, &asked, values);
    memory_give(ground->memory, room);
    return error;
}
