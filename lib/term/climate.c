/*
 * Warmth, winds and rain.
 *
 * Air starts 0.7 full half a thousand kilometres upwind, at most CLIMATE_STEPS nodes. Over the sea it takes up
 * water, more if it is warm; over land it rains: a little on level ground, more where ground rises, less where it
 * falls. The rain of the last steps is the node's rain. Rates are for 16 km. Binary32, each node independent.
 */
#include "climate.h"

#include <string.h>

#include "../base/window.h"
#include "memo.h"
#include "nodes.h"
#include "scratch.h"

enum {
    WARMTH_NOISE_LOG2 = 6,
    WIND_NOISE_LOG2 = 6,
    BAND_NOISE_LOG2 = 7, /* cells of noise, in the recipe's nodes */
    ROW_NODES = 256      /* that are made together */
};

static const double march_m = 524288, rate_m = 16384;

static const float land_rain = 0.012f; /* share of the air's water that falls in 16 km over level land */
static const float sea_gain = 0.12f;   /* share of the deficit that it takes up over the sea */

/* ---- Places -------------------------------------------------------------------------------------------- */

static float clamp(float v, float low, float high)
{
    return v < low ? low : v > high ? high : v;
}

static float fade(float t)
{
    return t * t * (3 - 2 * t);
}

/* The constants of a window. */
struct weather {
    const struct terrane_recipe *recipe;
    uint64_t key;
    int node_log2;      /* of level-0 samples */
    int coarser;        /* the nodes are 2^coarser of the recipe's */
    struct march march; /* its steps: 1 .. CLIMATE_STEPS; its ground: of the first existing node */
};

static int noise_log2(const struct weather *weather, int log2)
{
    return log2 > weather->coarser ? log2 - weather->coarser : 0;
}

/* ---- Bands --------------------------------------------------------------------------------------------- */

/* The place between the warmest line (0) and the coldest (1), and the side of the warmest: north is -1. */
struct band {
    float latitude, side;
};

/* False if there are no bands, or they are too narrow for the level. */
static bool has_bands(const struct weather *weather)
{
    const int period_log2 = weather->recipe->climate.period_log2;
    return period_log2 != 0 && period_log2 - weather->node_log2 >= 2;
}

/*
 * Row 0 of nodes is halfway, and the warmest line is a quarter of the period south of it. Bends move it by up to a
 * thirteenth.
 */
static struct band band_at(const struct weather *weather, int64_t row, float bend, float finer)
{
    const struct terrane_climate *climate = &weather->recipe->climate;
    const int log2 = climate->period_log2 - weather->node_log2;
    if (!has_bands(weather))
        return (struct band){0.5f, 0};
    const int64_t mask = (INT64_C(1) << log2) - 1;
    const float at = (float)((row + (INT64_C(1) << (log2 - 2))) & mask) / (float)(INT64_C(1) << log2);
    float off = at - 0.5f; /* -1/2 .. 1/2: from cold to cold */
    off += 0.025f * bend + 0.0125f * finer;
    const float latitude = (off < 0 ? -off : off) * 2;
    return (struct band){latitude < 1 ? latitude : 2 - latitude, off < 0 ? -1 : 1};
}

struct wind {
    float east, south;
};

/*
 * Trades blow to the west and the warmest line up to a third of the way, westerlies away from it from there to near the
 * coldest. The noise may turn any of them.
 */
static struct wind wind_at(const struct terrane_climate *climate, struct band band, float turn_east,
                           float turn_south)
{
    const float trade = fade(clamp(band.latitude * 1.5f, 0, 1));
    const float polar = fade(clamp((band.latitude - 0.7f) / 0.3f, 0, 1));
    const float within = clamp(band.latitude * 8, 0, 1) * clamp((1 - band.latitude) * 8, 0, 1);
    const float to_warm = clamp((1.0f / 3 - band.latitude) * 3, -0.35f, 0.45f) * within;
    const bool bands = climate->period_log2 != 0;
    float east = bands ? (2 * trade - 1) * (1 - polar) : 1, south = bands ? -band.side * to_warm : 0;
    east += climate->swing * turn_east;
    south += climate->swing * turn_south;
    const float speed = __builtin_sqrtf(east * east + south * south + 0x1p-10f);
    return (struct wind){east / speed, south / speed};
}

/* Readiness of air to rain: it rises at the warmest line, sinks beside it, rises again, and is too cold farther on. */
static float band_rain(float latitude)
{
    static const float at[] = {0, 0.15f, 0.31f, 0.5f, 0.7f, 1}, rain[] = {1.7f, 1.3f, 0.5f, 1, 0.9f, 0.5f};
    int k = 1;
    while (k < 5 && latitude > at[k])
        k++;
    return rain[k - 1] + (rain[k] - rain[k - 1]) * ((latitude - at[k - 1]) / (at[k] - at[k - 1]));
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

static float warmth_at(const struct terrane_climate *climate, struct band band, float sway)
{
    const float share = band.latitude * band.latitude * (1.5f - 0.5f * band.latitude);
    return climate->warm_c + (climate->cold_c - climate->warm_c) * share + CLIMATE_SWAY_C * sway;
}

/* The noises of a row of nodes. */
struct noises {
    float bend[ROW_NODES], finer[ROW_NODES], sway[ROW_NODES], east[ROW_NODES], south[ROW_NODES];
};

static void noises_make(const struct weather *weather, int64_t column, int64_t row, int count,
                        struct noises *noises)
{
    const uint64_t key = weather->key, bands = hash_absorb(key, 3);
    const int bend = noise_log2(weather, BAND_NOISE_LOG2), wind = noise_log2(weather, WIND_NOISE_LOG2);
    if (has_bands(weather)) {
        node_noise_row(bands, column, row, count, bend, noises->bend);
        node_noise_row(hash_absorb(bands, 1), column, row, count, bend > 0 ? bend - 1 : 0, noises->finer);
    } else {
        memset(noises->bend, 0, sizeof noises->bend);
        memset(noises->finer, 0, sizeof noises->finer);
    }
    node_noise_row(hash_absorb(key, 0), column, row, count, noise_log2(weather, WARMTH_NOISE_LOG2),
                   noises->sway);
    node_noise_row(hash_absorb(key, 1), column, row, count, wind, noises->east);
    node_noise_row(hash_absorb(key, 2), column, row, count, wind, noises->south);
}

/* Makes a row of at most ROW_NODES nodes from node (c, r) of a window on; ground has steps + 1 more nodes on every side. */
static void row_make(const struct weather *weather, const struct terrane_window *nodes, int c, int r,
                     int count, float *warmth_out, float *rain_out)
{
    const struct terrane_climate *climate = &weather->recipe->climate;
    const int halo = weather->march.steps + 1;
    struct noises noises;
    struct march march = weather->march;
    float latitude[ROW_NODES], warmth[ROW_NODES], east[ROW_NODES], south[ROW_NODES], rain[ROW_NODES];
    march.ground += (size_t)(r + halo) * (size_t)march.width + (size_t)(c + halo);
    noises_make(weather, nodes->gi + c, nodes->gj + r, count, &noises);
    for (int i = 0; i < count || i % KERNEL_PAD != 0; i++) { /* the last vector is filled */
        const int at = i < count ? i : count - 1;
        const struct band band = band_at(weather, nodes->gj + r, noises.bend[at], noises.finer[at]);
        const struct wind wind = wind_at(climate, band, noises.east[at], noises.south[at]);
        latitude[i] = band.latitude;
        east[i] = wind.east;
        south[i] = wind.south;
        warmth[i] = warmth_at(climate, band, noises.sway[at]);
    }
    kernels_current()->march_row(&march, count, east, south, warmth, rain);
    for (int i = 0; i < count; i++) {
        const float ready = climate->period_log2 ? band_rain(latitude[i]) : 1;
        warmth_out[i] = warmth[i];
        rain_out[i] = climate->rain_mm * clamp(rain[i] * ready, 0, CLIMATE_RAIN_MAX);
    }
}

/* ---- Windows of nodes ---------------------------------------------------------------------------------- */

enum { GROUND, WEATHER }; /* planes of the memo's climates: the ground, then warmth and rain */

/* Makes nodes of a level, row by row, on their ground. */
struct making {
    const struct terrane_world *world;
    const struct blocks *blocks; /* or NULL */
    const struct terrane_memory *memory;
    struct terrane_window window;
    struct weather weather;
    float *ground, *row; /* owned; row: warmth and rain */
};

static void making_free(struct making *making)
{
    memory_give(making->memory, making->ground);
    memory_give(making->memory, making->row);
    making->ground = making->row = NULL;
}

static int ground_make(void *context, const struct terrane_window *window)
{
    struct making *making = context;
    making->window = *window;
    window_nodes(making->world, window, &making->world->recipe->climate.ground, 1, making->memory,
                 &making->ground);
    return 0;
}

static const void *ground_row(void *context, int k, int y)
{
    const struct making *making = context;
    (void)k;
    return making->ground + (size_t)y * (size_t)making->window.width;
}

/* The ground of a window, owned; NULL: memory is short. */
static float *ground_of(const struct making *of, const struct terrane_window *window)
{
    const struct terrane_window around = blocks_over(window);
    struct making making = {.world = of->world, .memory = of->memory};
    const struct blocks_maker maker = {GROUND, 1, sizeof(float), &making, ground_make, ground_row};
    float *heights = memory_take(of->memory, samples_of(window) * sizeof *heights);
    void *const out = heights;
    making.ground = memory_take(of->memory, samples_of(&around) * sizeof *heights);
    const bool made =
        heights && making.ground && blocks_fill(of->blocks, of->world, window, &maker, of->memory, &out) == 0;
    making_free(&making);
    if (made)
        return heights;
    memory_give(of->memory, heights);
    return NULL;
}

static int steps_of(double node_m)
{
    const double steps = march_m / node_m;
    return steps < 1 ? 1 : steps > CLIMATE_STEPS ? CLIMATE_STEPS : (int)steps;
}

static int weather_make(void *context, const struct terrane_window *window)
{
    struct making *making = context;
    const struct terrane_recipe *recipe = making->world->recipe;
    const double node_m = (double)(INT64_C(1) << window->level) * recipe->spacing_m;
    const float size = (float)(node_m / rate_m); /* of a node */
    struct terrane_window ground = window_grown(window, steps_of(node_m) + 1);
    ground.width++;
    ground.height++;
    making_free(making);
    making->ground = ground_of(making, &ground);
    making->row = memory_take(making->memory, 2 * (size_t)window->width * sizeof *making->row);
    if (!making->ground || !making->row)
        return TERRANE_EMEMORY;
    making->window = *window;
    making->weather = (struct weather){.recipe = recipe,
                                       .key = hash_absorb(making->world->seed, recipe->climate.salt),
                                       .node_log2 = window->level,
                                       .coarser = window->level - recipe->climate.cell_log2,
                                       .march = {.ground = making->ground,
                                                 .width = ground.width,
                                                 .steps = steps_of(node_m),
                                                 .sea_m = recipe->sea_m,
                                                 .shadow = recipe->climate.shadow,
                                                 .gain = clamp(sea_gain * size, 0, 1),
                                                 .level = clamp(land_rain * size, 0, 0.5f)}};
    return 0;
}

/* Both rows are made when the first one is requested. */
static const void *weather_row(void *context, int k, int y)
{
    struct making *making = context;
    const int width = making->window.width;
    float *const warmth = making->row, *const rain = making->row + width;
    for (int c = 0; k == 0 && c < width; c += ROW_NODES)
        row_make(&making->weather, &making->window, c, y, width - c < ROW_NODES ? width - c : ROW_NODES,
                 warmth + c, rain + c);
    return k == 0 ? warmth : rain;
}

int climate_make(struct fields *fields, const struct terrane_world *world,
                 const struct terrane_window *window, int around, const struct terrane_memory *memory)
{
    const int finest = world->recipe->climate.cell_log2;
    const int level = finest > window->level ? finest : window->level;
    const struct nodes nodes = nodes_of(window, around, level);
    const struct terrane_window all = nodes_window(&nodes, level);
    struct blocks blocks;
    if (memory->memo)
        blocks = memo_climate_blocks(memory->memo);
    struct making making = {.world = world, .blocks = memory->memo ? &blocks : NULL, .memory = memory};
    const struct blocks_maker maker = {WEATHER, 2, sizeof(float), &making, weather_make, weather_row};
    fields->warmth = fields->rain = nodes;
    fields->warmth.value = memory_take(memory, samples_of(&all) * sizeof(float));
    fields->rain.value = memory_take(memory, samples_of(&all) * sizeof(float));
    void *const out[] = {fields->warmth.value, fields->rain.value};
    const int error =
        out[0] && out[1] ? blocks_fill(making.blocks, world, &all, &maker, memory, out) : TERRANE_EMEMORY;
    making_free(&making);
    return error;
}

/* ---- Strips -------------------------------------------------------------------------------------------- */

void climate_cool(const struct terrane_recipe *recipe, const float *heights, size_t count, float *warmth_c)
{
    for (size_t i = 0; i < count; i++) {
        const float above = heights[i] - recipe->sea_m;
        warmth_c[i] -= recipe->climate.lapse * (above > 0 ? above : 0);
    }
}

void climate_rows(const struct fields *fields, const struct terrane_recipe *recipe,
                  enum terrane_climate_of of, int64_t gi, const struct rows *rows, const struct strip *ground,
                  struct strip *out)
{
    nodes_rows(of == TERRANE_CLIMATE_PRECIPITATION ? &fields->rain : &fields->warmth, gi, rows, out);
    for (int r = rows->first; of == TERRANE_CLIMATE_TEMPERATURE && r < rows->end; r++)
        climate_cool(recipe, ground->value[r] + KERNEL_PAD, (size_t)rows->width, out->value[r] + KERNEL_PAD);
}

/* ---- Windows of samples -------------------------------------------------------------------------------- */

/* Every step-th sample of a row of a chunk. */
static void field_row(const struct nodes *nodes, const struct spline_chunk *chunk, int step, int columns,
                      int64_t gj, float *out)
{
    const float *node[4];
    float t, all[KERNEL_WIDTH];
    const int64_t row = spline_row(gj, nodes->log2, &t);
    for (int k = 0; k < 4; k++)
        node[k] = nodes->value + (size_t)(row + k - nodes->row) * (size_t)nodes->columns +
                  (size_t)(chunk->column - nodes->column);
    spline_samples(chunk, node, t, step == 1 ? out : all);
    for (int i = 0; step > 1 && i < columns; i++)
        out[i] = all[i * step];
}

/* Fields of the same nodes, a chunk of columns at a time. */
static void fields_rows(const struct fields *fields, const struct terrane_window *window, float *warmth_c,
                        float *rain_mm)
{
    const int max = (KERNEL_WIDTH - 1) / window->step + 1;
    for (int first = 0; first < window->width; first += max) {
        const int columns = window->width - first < max ? window->width - first : max;
        struct spline_chunk chunk;
        spline_chunk(&chunk, window->gi + (int64_t)first * window->step, (columns - 1) * window->step + 1,
                     fields->warmth.log2);
        for (int j = 0; j < window->height; j++) {
            const int64_t gj = window->gj + (int64_t)j * window->step;
            const size_t at = (size_t)j * (size_t)window->width + (size_t)first;
            field_row(&fields->warmth, &chunk, window->step, columns, gj, warmth_c + at);
            field_row(&fields->rain, &chunk, window->step, columns, gj, rain_mm + at);
        }
    }
}

int window_climate(const struct terrane_world *world, const struct terrane_window *window,
                   const struct terrane_memory *memory, float *warmth_c, float *rain_mm)
{
    struct terrane_memory lent;
    struct fields fields = {.coarse = {{0}}};
    if (!memory_lend(memory, &lent))
        return TERRANE_EMEMORY;
    const int error = climate_make(&fields, world, window, 0, &lent);
    if (error == 0)
        fields_rows(&fields, window, warmth_c, rain_mm);
    fields_free(&fields, &lent);
    memory_lend_end(memory, &lent);
    return error;
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

/* Colours from ice over tundra and grass to sand if dry, and to woods if wet. */
void terrane_climate_colours(const float *values, size_t count, uint8_t *rgb)
{
    static const float warm[] = {-15, 0, 12, 26}, wet[] = {0, 600, 2000};
    static const uint8_t colour[4][3][3] = {{{214, 222, 230}, {232, 238, 243}, {244, 247, 250}},
                                            {{170, 160, 140}, {140, 150, 125}, {105, 140, 125}},
                                            {{205, 180, 125}, {140, 165, 90}, {60, 115, 70}},
                                            {{230, 195, 130}, {165, 170, 75}, {25, 105, 50}}};
    for (size_t i = 0; i < count; i++, values += 3) {
        int a = 0, b = 0;
        while (a < 2 && values[0] > warm[a + 1])
            a++;
        while (b < 1 && values[1] > wet[b + 1])
            b++;
        const float u = clamp((values[0] - warm[a]) / (warm[a + 1] - warm[a]), 0, 1);
        const float v = clamp((values[1] - wet[b]) / (wet[b + 1] - wet[b]), 0, 1);
        for (int c = 0; c < 3; c++) {
            const float cold = (float)colour[a][b][c] + v * (float)(colour[a][b + 1][c] - colour[a][b][c]);
            const float hot =
                (float)colour[a + 1][b][c] + v * (float)(colour[a + 1][b + 1][c] - colour[a + 1][b][c]);
            *rgb++ = (uint8_t)(cold + u * (hot - cold) + 0.5f);
        }
    }
}
