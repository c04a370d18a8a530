/*
 * Texture: how much lighter or darker than their colours materials are, by kind, at a level. lib/README.md has the arithmetic.
 *
 *  (1) Features have sizes of whole octaves of a sample of level 0, from the finest that a texture has to its coarsest. A level shows
 *      the finest two of which it has two samples or more, the finer the clearer: so its grain fits the level, and what a level
 *      shows the next finer one has at the same place, fainter. Behind the coarsest it is gone, and fades before.
 *  (2) A sample's texture is a function of its own height, normal and weights, and of hashes of the cells around its place.
 */
#include <string.h>

#include "../base/fade.h"
#include "../base/grain.h"
#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "cover.h"

#define LANES 4 /* as of cover.c */
#include "../base/lane.h"

enum {
    SHOWN = 2,       /* octaves at once ... */
    MOST = 3,        /* ... and of close-up speckles */
    WIDE = 2,        /* octaves of stands, and of patches of ripples */
    WIDE_STANDS = 3, /* octaves from a crown to the first of them */
    FINE_ROCK = 4,   /* the coarsest octave of the grain of rock */
    WIDE_DUNES = 2,  /* octaves from that by which crests wander to that by which they come and go */
    WARP_DUNES = 2,  /* octaves from a size to that by which its lines wander */
    WARP_STRATA = 4
};

#define TEXTURE_SALT UINT64_C(0x65727574786554) /* "Texture" */

/* ---- Kinds --------------------------------------------------------------------------------------------- */

/* A texture under way: a window's, of one material, row by row. */
struct weave {
    const struct terrane_texture *texture;
    const struct terrane_window *window;
    uint64_t key;
    int first, shown; /* octaves */
    bool calm;        /* of generators from 9 on: grains of two samples, all over a view, are sandpaper */
    bool whole;       /* the first is the finest there is */
    bool varied;  /* from generator 14 on: crowns differ more, and speckles have one octave more on level 0 */
    bool patchy;  /* from generator 17 on: woods have stands and glades, and ripples are here and not there */
    bool grained; /* from generator 18 on: rock and undergrowth have a grain, and stands agree over levels */
    int wides;    /* how many wide grains there are */
    float times[MOST]; /* what each counts */
    double spacing_m;
    struct grain grain[MOST], tall; /* tall: of crowns */
    int fine; /* from generator 18 on: the octave of what lies under crowns, and of the grain of rock; 0: none */
    struct grain wide[WIDE], fines;
    struct grain_part part;          /* of a row that has any of the material */
    float *row, *warp, *run, *patch; /* a row of samples each; run: over rise, of strata and dunes */
    struct crown *crowns;            /* of a row of corners */
};

/* A corner's crown: where it stands and how high it is on a row of samples. Nothing below 0 is seen. */
struct crown {
    float x, inverse, top, light;
};

/* Rows 0 and 1 are the corners above and below the samples, rows 2 and 3 those of tall crowns, of which half are left out. A crown has
 * a radius of 0.34 to 0.5 of a cell and is up to half a cell from its corner, so a sample sees those of the four corners around it. */
static void fill_crowns(const struct weave *weave, int row)
{
    const bool tall = row >= 2;
    const struct grain *grain = tall ? &weave->tall : &weave->grain[0];
    const uint32_t *corner = row % 2 ? grain->south : grain->north;
    const float down = (float)(row % 2);
    const float dark = weave->varied ? -0.15f : 0, light = weave->varied ? 0.5f : 0.19f;
    for (int k = 0; k < grain->columns; k++) {
        const uint32_t h = corner[k];
        const float inverse = 1 / (0.42f + 0.08f * hash_unit(h << 20));
        const float south = (grain->y - down - 0.5f * hash_unit(h << 10)) * inverse;
        const float top = 1 - south * south;
        weave->crowns[k] = (struct crown){.x = 0.5f * hash_unit(h),
                                          .inverse = inverse,
                                          .top = !tall     ? top
                                                 : h >> 31 ? 2 * top
                                                           : -1,
                                          .light = dark + light * hash_unit(h << 5) - 0.57f * south};
    }
}

/* A crown's light where it stands higher than what is there, of those lanes that are inside; x: from its corner. */
LANE_FN void crown_at(const struct crown *crown, lane_f x, float times, lane_i inside, lane_f *height,
                      lane_f *light)
{
    const lane_f east = (x - lane_splat(crown->x)) * lane_splat(crown->inverse);
    const lane_f up = lane_splat(crown->top) - lane_splat(times) * (east * east);
    const lane_i over = inside & (up > *height);
    *height = lane_select(over, up, *height);
    *light = lane_select(over, lane_splat(crown->light) - lane_splat(0.57f) * east, *light);
}

/* Both crowns of a row of corners that samples from .. end - 1 see, which lie in one cell. Vectors go beyond the end, in rows that
 * have others behind them, and leave there what there is. */
static void crowns_over(const struct grain *grain, const struct crown *crown, struct grain_part part,
                        float times, float *height, float *light)
{
    const bool west = crown[0].top > 0, east = crown[1].top > 0; /* others are below what is there */
    for (int i = part.from; i < part.end && (west || east); i += LANES) {
        const lane_i inside = (lane_i)lane_iota() < part.end - i;
        const lane_f x = lane_load(grain->x + i);
        lane_f h = lane_load(height + i), l = lane_load(light + i);
        if (west)
            crown_at(&crown[0], x, times, inside, &h, &l);
        if (east)
            crown_at(&crown[1], x - lane_splat(1), times, inside, &h, &l);
        lane_store(height + i, h);
        lane_store(light + i, l);
    }
}

#define STAND_TONE 0.5f

/* Of woods: where it is high they are open and light, and below 0.25 closed. */
static void fill_stands(struct weave *weave, int64_t gj)
{
    memset(weave->patch, 0, (size_t)weave->window->width * sizeof *weave->patch);
    for (int k = 0; k < weave->wides; k++) {
        grain_row(&weave->wide[k], gj);
        grain_add(&weave->wide[k], weave->part, 0.75f, weave->patch);
    }
}

/* As high as undergrowth stands, in crowns' heights: what is lower of a crown is not seen. */
static float open_of(float v)
{
    const float open = 2 * v - 0.5f;
    return open > 0 ? (open < 2 ? open : 2) : 0;
}

/* Crowns of one octave, and taller ones of the next, lit from the north-west. What is below them is dark. */
static void add_crowns(struct weave *weave, int64_t gj)
{
    const struct grain_part part = weave->part;
    float *height = weave->warp, *light = weave->run;
    for (int i = part.from; i < part.end; i++) {
        height[i] = open_of(weave->patch[i]);
        light[i] = -0.8f + 0.7f * (height[i] < 1 ? height[i] : 1);
    }
    if (weave->fine > 0 || (!weave->grained && weave->wides > 0))
        grain_add(&weave->grain[0], part, 0.35f, light);
    if (weave->fine > 0) {
        grain_row(&weave->fines, gj);
        grain_add(&weave->fines, part, 0.35f, light);
    }
    for (int row = 0; row < 4; row++) {
        const struct grain *of = row < 2 ? &weave->grain[0] : &weave->tall;
        const float times = row < 2 ? 1 : 2;
        fill_crowns(weave, row);
        for (int i = part.from, end; i < part.end; i = end) {
            for (end = i + 1; end < part.end && of->at[end] == of->at[i];)
                end++;
            crowns_over(of, weave->crowns + of->at[i], (struct grain_part){i, end}, times, height, light);
        }
    }
    for (int i = part.from; i < part.end; i++)
        weave->row[i] += weave->times[0] * light[i];
}

/* Windward slopes are wide and light, lee slopes narrow and dark. */
static float dune_at(float phase)
{
    const float t = phase < 0.7f ? phase * (1 / 0.7f) : (1 - phase) * (1 / 0.3f);
    return 2 * FADE3(t) - 1;
}

static float floor_of(float v)
{
    const float cut = (float)(int32_t)v;
    return cut > v ? cut - 1 : cut;
}

/* sin of degrees in 0 .. 180, by Bhaskara: within 0.0017. */
static double half_wave(double degrees)
{
    const double p = degrees * (180 - degrees);
    return 4 * p / (40500 - p);
}

static double sine(double degrees)
{
    return degrees < 180   ? half_wave(degrees)
           : degrees < 360 ? -half_wave(degrees - 180)
                           : half_wave(degrees - 360);
}

/* Parts of a crest's distance, in 2^-64ths, that a sample of level 0 lies on along an axis: they wrap, as crests repeat. */
static uint64_t pace(double along, int octave)
{
    return (uint64_t)(int64_t)(along * (double)(INT64_C(1) << (62 - octave))) * 4;
}

/* z within what floor_of takes, with room for what is added. */
static float hold(float z)
{
    return z > -0x1p30f ? (z < 0x1p30f ? z : 0x1p30f) : -0x1p30f;
}

/* How much of ripples there is, by a wide noise, and by run over rise: sand that slides has none. */
static float ripple_of(float n, float run)
{
    const float here = 0.6f + 1.1f * n, lies = (run - 1.8f) * 0.65f; /* slope 0.56: none; 0.3: all */
    const float a = here > 0 ? (here < 1 ? here : 1) : 0, b = lies > 0 ? (lies < 1 ? lies : 1) : 0;
    return a * b;
}

/* Down the wind from where it blows. */
static void add_dunes(struct weave *weave, int q, int64_t gj, const float *heights)
{
    const struct terrane_window *window = weave->window;
    const double wind = (double)weave->texture->wind;
    const int octave = weave->first + q;
    const uint64_t east = pace(-sine(wind), octave) << window->level, south = pace(sine(wind + 90), octave)
                                                                              << window->level;
    const uint64_t first = (uint64_t)window->gi + (uint64_t)weave->part.from * (uint64_t)window->step;
    uint64_t at = first * east + (uint64_t)gj * south;
    memset(weave->warp, 0, (size_t)window->width * sizeof *weave->warp);
    grain_add(&weave->grain[q], weave->part, 0.9f, weave->warp);
    const float per_metre = 0.6f / (float)(weave->spacing_m * (double)(UINT64_C(1) << octave));
    if (q < weave->wides) {
        memset(weave->patch, 0, (size_t)window->width * sizeof *weave->patch);
        grain_row(&weave->wide[q], gj);
        grain_add(&weave->wide[q], weave->part, 1, weave->patch);
    }
    for (int i = weave->part.from; i < weave->part.end; i++, at += east * (uint64_t)window->step) {
        float phase = (float)(at >> 40) * 0x1p-24f + weave->warp[i], times = weave->times[q];
        if (q < weave->wides) {
            phase += 2 * weave->patch[i] + hold(heights[i] * per_metre);
            times *= ripple_of(weave->patch[i], weave->run[i]);
        }
        weave->row[i] += times * dune_at(phase - floor_of(phase));
    }
}

/* Two beds, one upon the other: each has its own grey. */
struct beds {
    struct hash_row words;
    float low, below, above;
};

static void beds_find(struct beds *beds, float low)
{
    const uint32_t bed = (uint32_t)(int32_t)low;
    beds->low = low;
    beds->below = hash_unit(hash_corner(bed * HASH_COLUMN, beds->words));
    beds->above = hash_unit(hash_corner((bed + 1) * HASH_COLUMN, beds->words));
}

/* Their border is soft: half a bed. */
static float bed_at(struct beds *beds, float z)
{
    const float low = floor_of(z), in = z - low;
    const float t = in > 0.25f ? (in < 0.75f ? (in - 0.25f) * 2 : 1) : 0;
    if (low != beds->low)
        beds_find(beds, low);
    return beds->below + FADE3(t) * (beds->above - beds->below);
}

/* As far as a bed is two samples wide; where it is one it is gone. */
static void add_strata(struct weave *weave, int q, const float *heights)
{
    const float thick = (float)(weave->spacing_m * (double)(UINT64_C(1) << (weave->first + q))),
                per_metre = 1 / thick,
                samples = thick / (float)(weave->spacing_m * (double)(UINT64_C(1) << weave->window->level));
    struct beds beds = {.words = hash_row(weave->grain[q].key, 0)};
    beds_find(&beds, 0);
    memset(weave->warp, 0, (size_t)weave->window->width * sizeof *weave->warp);
    grain_add(&weave->grain[q], weave->part, 0.75f, weave->warp);
    for (int i = weave->part.from; i < weave->part.end; i++) {
        const float wide = samples * weave->run[i] - 1;
        const float z = hold(heights[i] * per_metre + weave->warp[i]);
        if (wide > 0)
            weave->row[i] += weave->times[q] * (wide < 1 ? wide : 1) * bed_at(&beds, z);
    }
}

static void fill_runs(struct weave *weave, const float *normals)
{
    cover_slopes(normals, (size_t)weave->window->width, weave->run);
    for (int i = weave->part.from; i < weave->part.end; i++)
        weave->run[i] = 1 / (weave->run[i] > COVER_SLOPE_MIN ? weave->run[i] : COVER_SLOPE_MIN);
}

/* ---- Weaving ------------------------------------------------------------------------------------------- */

/* Speckles that are looked at from as near as can be are grains, too, of half of their finest size. */
static bool is_close(const struct weave *weave)
{
    return weave->varied && weave->window->level == 0 && weave->texture->kind == TERRANE_SPECKLE;
}

/* From a sample to the finest octave that a level shows. Crowns from afar are as small as can be. */
static int min_octaves(const struct weave *weave)
{
    return weave->calm && weave->texture->kind != TERRANE_STIPPLE && !is_close(weave) ? 2 : 1;
}

/* Octaves from a wide grain of woods to the next. */
static int stand_octaves(const struct weave *weave)
{
    return weave->grained ? 1 : 2;
}

/* Of four samples or more: of two they would all look like their lattice. */
static bool has_crowns(const struct weave *weave)
{
    return weave->texture->kind == TERRANE_STIPPLE && weave->whole &&
           weave->first >= weave->window->level + 2;
}

/* Which octaves a level shows of a texture; false: none. */
static bool weave_begin(struct weave *weave)
{
    int finest = 1, coarsest;
    while (weave->spacing_m * (double)(INT64_C(1) << finest) < (double)weave->texture->size_m[0])
        finest++;
    coarsest = finest;
    while (weave->spacing_m * (double)(INT64_C(2) << coarsest) <= (double)weave->texture->size_m[1])
        coarsest++;
    const bool close = is_close(weave) && finest > 1;
    finest -= close;
    const int min = weave->window->level + min_octaves(weave);
    weave->whole = finest >= min;
    weave->first = weave->whole ? finest : min;
    const int left = coarsest - weave->first + 1;
    weave->shown = min_int(left, close ? MOST : SHOWN);
    float sum = 0, times = weave->texture->strength;
    const bool spots = weave->calm && weave->texture->kind == TERRANE_SPECKLE;
    for (int q = 0; q < weave->shown; q++)
        sum += 1 / (float)(1 << (spots ? weave->shown - 1 - q : q));
    if (!weave->whole)
        times = times * (float)weave->shown / SHOWN * (weave->calm ? 0.5f : 1.0f);
    for (int q = 0; q < weave->shown; q++)
        weave->times[q] = times / (sum * (float)(1 << (spots ? weave->shown - 1 - q : q)));
    weave->wides = 0;
    if (weave->patchy && weave->texture->kind == TERRANE_STIPPLE)
        while (weave->wides < WIDE &&
               weave->first + WIDE_STANDS + stand_octaves(weave) * weave->wides <= coarsest)
            weave->wides++;
    if (weave->patchy && weave->texture->kind == TERRANE_DUNES)
        weave->wides = max_int(min_int(weave->shown, WIDE), 0);
    weave->fine = 0;
    if (weave->grained && has_crowns(weave))
        weave->fine = weave->first - 1;
    if (weave->grained && weave->texture->kind == TERRANE_STRATA && weave->window->level < FINE_ROCK)
        weave->fine = weave->window->level + 1;
    return weave->shown > 0 && times > 0;
}

/* What it takes: four rows, the grains, and crowns of a row of corners, two a sample at most. */
static size_t weave_words(int width)
{
    return (4 + 2 * sizeof(struct crown) / sizeof(float)) * (size_t)width +
           (MOST + 1 + WIDE + 1) * grain_words(width);
}

/* Octaves from the first that is shown to a wide grain. */
static int wide_octave(const struct weave *weave, int k)
{
    return weave->texture->kind == TERRANE_DUNES ? WARP_DUNES + WIDE_DUNES + k
                                                 : WIDE_STANDS + stand_octaves(weave) * k;
}

static void weave_grains(struct weave *weave, uint32_t *words)
{
    const int width = weave->window->width, kind = weave->texture->kind;
    const int warp = kind == TERRANE_DUNES ? WARP_DUNES : kind == TERRANE_STRATA ? WARP_STRATA : 0;
    weave->row = (void *)words;
    weave->warp = weave->row + width;
    weave->run = weave->warp + width;
    weave->patch = weave->run + width;
    words += 4 * (size_t)width;
    weave->crowns = (struct crown *)words;
    words += 2 * sizeof(struct crown) / sizeof(float) * (size_t)width;
    for (int q = 0; q < weave->shown; q++, words += grain_words(width))
        grain_begin(&weave->grain[q], weave->key, weave->first + q + warp, weave->window, words);
    for (int k = 0; k < weave->wides; k++, words += grain_words(width))
        grain_begin(&weave->wide[k], weave->key, weave->first + wide_octave(weave, k), weave->window, words);
    if (weave->fine > 0) {
        grain_begin(&weave->fines, hash_absorb(weave->key, 2), weave->fine, weave->window, words);
        words += grain_words(width);
    }
    if (has_crowns(weave))
        grain_begin(&weave->tall, hash_absorb(weave->key, 1), weave->first + 1, weave->window, words);
}

static void weave_row(struct weave *weave, int64_t gj, const float *heights, const float *normals)
{
    memset(weave->row, 0, (size_t)weave->window->width * sizeof *weave->row);
    const int kind = weave->texture->kind;
    if (kind == TERRANE_STRATA || (kind == TERRANE_DUNES && weave->wides > 0))
        fill_runs(weave, normals);
    if (kind == TERRANE_STIPPLE)
        fill_stands(weave, gj);
    for (int q = 0; q < weave->shown; q++) {
        grain_row(&weave->grain[q], gj);
        if (kind == TERRANE_DUNES)
            add_dunes(weave, q, gj, heights);
        else if (kind == TERRANE_STRATA)
            add_strata(weave, q, heights);
        else if (q == 0 && has_crowns(weave)) {
            grain_row(&weave->tall, gj);
            add_crowns(weave, gj);
        } else
            grain_add(&weave->grain[q], weave->part, weave->times[q], weave->row);
    }
    if (kind == TERRANE_STRATA && weave->fine > 0) {
        grain_row(&weave->fines, gj);
        grain_add(&weave->fines, weave->part, weave->times[0] * 0.6f, weave->row);
    }
    if (kind == TERRANE_STIPPLE && weave->wides > 0)
        for (int i = weave->part.from; i < weave->part.end; i++)
            weave->row[i] += weave->times[0] * STAND_TONE * weave->patch[i];
}

/* From the first sample of a row that has any of a material to the last one; empty: none has. */
static struct grain_part part_of(const float *weights, int width)
{
    struct grain_part part = {0, width};
    while (part.from < width && !(weights[part.from] > 0))
        part.from++;
    while (part.end > part.from && !(weights[part.end - 1] > 0))
        part.end--;
    return part;
}

/* Adds to a row's light a material's times its weight; where that is 0 to a row's end, nothing is made to add 0. */
static void weave_light(struct weave *weave, int64_t gj, const float *heights, const float *normals,
                        const float *restrict weights, float *restrict light)
{
    weave->part = part_of(weights, weave->window->width);
    if (weave->part.from == weave->part.end)
        return;
    weave_row(weave, gj, heights, normals);
    const float *restrict row = weave->row;
    for (int i = weave->part.from; i < weave->part.end; i++)
        light[i] += weights[i] * row[i];
}

/* Darker down to a quarter grey at most, from which no shade is black (shade.c). */
static void light_colours(const float *light, size_t count, float *colour)
{
    for (size_t i = 0; i < count; i++, colour += 3) {
        const float grey = 0.2126f * colour[0] + 0.7152f * colour[1] + 0.0722f * colour[2];
        float times = 1 + light[i];
        if (times < 1 && grey * times < 64)
            times = grey > 64 ? 64 / grey : 1;
        for (int c = 0; c < 3; c++)
            colour[c] = colour[c] * times < 255 ? colour[c] * times : 255;
    }
}

/* The textures that a level shows, in the order of materials. */
struct cloth {
    int weaves, material[TERRANE_MATERIALS_MAX];
    struct weave weave[TERRANE_MATERIALS_MAX];
    float *weights, *light; /* a row of each material, one behind the other; of all */
    float *room;            /* which all of them lie in */
};

static void cloth_begin(struct cloth *cloth, const struct terrane_world *world,
                        const struct terrane_window *window)
{
    const struct terrane_cover *cover = &world->recipe->cover;
    cloth->weaves = 0;
    for (int m = 0; m < cover->materials; m++) {
        const struct terrane_texture *texture = &cover->material[m].texture;
        struct weave *weave = &cloth->weave[cloth->weaves];
        *weave = (struct weave){
            .texture = texture,
            .window = window,
            .spacing_m = world->recipe->spacing_m,
            .calm = world->recipe->generator >= 9,
            .varied = world->recipe->generator >= 14,
            .patchy = world->recipe->generator >= 17,
            .grained = world->recipe->generator >= 18,
            .key = hash_absorb(hash_absorb(world->seed, TEXTURE_SALT), (uint64_t)texture->kind)};
        if (texture->kind != TERRANE_PLAIN && weave_begin(weave))
            cloth->material[cloth->weaves++] = m;
    }
}

/* false: memory is short. */
static bool cloth_take(struct cloth *cloth, int materials, const struct terrane_window *window,
                       const struct terrane_memory *memory)
{
    const size_t width = (size_t)window->width, words = weave_words(window->width);
    cloth->room = memory_zeros(memory, ((size_t)materials * width + width + (size_t)cloth->weaves * words) *
                                           sizeof *cloth->room);
    if (!cloth->room)
        return false;
    cloth->weights = cloth->room;
    cloth->light = cloth->weights + (size_t)materials * width;
    for (int k = 0; k < cloth->weaves; k++)
        weave_grains(&cloth->weave[k], (void *)(cloth->light + width + (size_t)k * words));
    return true;
}

/* A row's weights come to lie by material. */
static void weights_row(const float *weights, int materials, int width, float *out)
{
    for (int m = 0; m < materials; m++, weights++)
        for (int i = 0; i < width; i++)
            *out++ = weights[i * materials];
}

/* Row by row, so that its weights are read once for all materials, whose light is added in their order. */
int terrane_cover_texture(const struct terrane_world *world, const struct terrane_window *window,
                          const struct terrane_memory *memory, const float *heights, const float *normals,
                          const float *weights, float *colour)
{
    const int materials = world->recipe->cover.materials;
    struct cloth cloth;
    if (!window_valid(window))
        return TERRANE_EWINDOW;
    cloth_begin(&cloth, world, window);
    if (cloth.weaves == 0)
        return 0;
    if (!cloth_take(&cloth, materials, window, memory))
        return TERRANE_EMEMORY;
    const size_t width = (size_t)window->width;
    for (size_t j = 0, at = 0; j < (size_t)window->height; j++, at += width) {
        weights_row(weights + at * (size_t)materials, materials, window->width, cloth.weights);
        memset(cloth.light, 0, width * sizeof *cloth.light);
        for (int k = 0; k < cloth.weaves; k++)
            weave_light(&cloth.weave[k], window->gj + (int64_t)j * window->step, heights + at,
                        normals + 3 * at, cloth.weights + (size_t)cloth.material[k] * width, cloth.light);
        light_colours(cloth.light, width, colour + 3 * at);
    }
    memory_give(memory, cloth.room);
    return 0;
}
