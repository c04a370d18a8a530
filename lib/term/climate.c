/*
 * Warmth, winds and rain.
 *
 * Air starts 0.7 full half a thousand kilometres upwind, CLIMATE_STEPS nodes at most. Over the sea it fills up, the
 * more the warmer it is; over land it rains: a little on level ground, more where ground rises, less where it
 * falls. What rains in the last steps is the node's rain. Rates are of 16 km. Binary32, a node for itself.
 */
#include "climate.h"

#include <string.h>

#include "../base/window.h"
#include "memo.h"
#include "nodes.h"
#include "scratch.h"

/* The width that every machine has. */
#define LANES 4
#include "../base/lane.h"

enum {
    WARMTH_NOISE_LOG2 = 6,
    WIND_NOISE_LOG2 = 6,
    BAND_NOISE_LOG2 = 7, /* cells of noise, in the recipe's nodes */
    ROW_NODES = 256      /* that are made together */
};

static const double march_m = 524288, rate_m = 16384;

static const float land_rain = 0.012f; /* share of the air's water that falls in 16 km over level land */
static const float sea_gain = 0.12f;   /* share of what is lacking that it takes up over the sea */

/* ---- Places -------------------------------------------------------------------------------------------- */

static float clamp(float v, float low, float high)
{
    return v < low ? low : v > high ? high : v;
}

static float fade(float t)
{
    return t * t * (3 - 2 * t);
}

/* What is constant for a window. */
struct weather {
    const struct terrane_recipe *recipe;
    uint64_t key;
    int node_log2; /* of level-0 samples */
    int coarser;   /* the nodes are 2^coarser of the recipe's */
    float size;    /* a node, in 16 km */
    int steps;     /* 1 .. CLIMATE_STEPS */
    const float *ground;
    int width; /* of ground */
};

static int noise_log2(const struct weather *weather, int log2)
{
    return log2 > weather->coarser ? log2 - weather->coarser : 0;
}

/* ---- Bands --------------------------------------------------------------------------------------------- */

/* Where between the warmest line (0) and the coldest (1), and on which side of the warmest: north is -1. */
struct band {
    float latitude, side;
};

/* Not where there are none, or they are too narrow for the level. */
static bool has_bands(const struct weather *weather)
{
    const int period_log2 = weather->recipe->climate.period_log2;
    return period_log2 != 0 && period_log2 - weather->node_log2 >= 2;
}

/* Row 0 of nodes lies halfway, and the warmest line a quarter of the period south of it. Bends move it by up to a thirteenth. */
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

/* How ready air is to rain: where it rises at the warmest line, sinks beside it, rises again, and is too cold. */
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

/* What a row of nodes has of noise. */
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

/* LANES nodes of a row side by side: winds and warmth, and the ground of the first one's own place, of which up to CLIMATE_STEPS
 * more are on every side. */
struct places {
    const struct weather *weather;
    lane_f east, south, warmth;
    const float *ground;
    int last; /* of those that are nodes: others repeat it */
};

/* Over the sea's level, k nodes upwind, between four nodes: numbers that are the same wherever the window begins. */
static lane_f heights_at(const struct places *places, int k)
{
    const int width = places->weather->width;
    const lane_f x = -places->east * (float)k, y = -places->south * (float)k;
    const lane_i c = lane_floor(x), r = lane_floor(y);
    const lane_f u = x - __builtin_convertvector(c, lane_f), v = y - __builtin_convertvector(r, lane_f);
    lane_f corner[4];
    for (int i = 0; i < LANES; i++) {
        const float *const at =
            places->ground + (i < places->last ? i : places->last) + (ptrdiff_t)r[i] * width + c[i];
        corner[0][i] = at[0];
        corner[1][i] = at[1];
        corner[2][i] = at[width];
        corner[3][i] = at[width + 1];
    }
    const lane_f top = corner[0] + u * (corner[1] - corner[0]);
    const lane_f bottom = corner[2] + u * (corner[3] - corner[2]);
    return top + v * (bottom - top) - places->weather->recipe->sea_m;
}

static lane_f clamp_lanes(lane_f v, float low, float high)
{
    v = lane_select(v < low, lane_splat(low), v);
    return lane_select(v > high, lane_splat(high), v);
}

/* The march to places: what rains there, in times of rain over warm sea. */
static lane_f march(const struct places *places)
{
    const struct weather *weather = places->weather;
    const float size = weather->size, shadow = weather->recipe->climate.shadow;
    const lane_f full = clamp_lanes(0.5f + (places->warmth + 10) * 0.0125f, 0.25f, 1.1f);
    const float gain = clamp(sea_gain * size, 0, 1), level = clamp(land_rain * size, 0, 0.5f);
    const lane_f start = heights_at(places, weather->steps);
    lane_f water = full * 0.7f, smooth = {0}, before = lane_where(start > 0, start);
    for (int k = weather->steps - 1; k >= 0; k--) {
        const lane_f height = heights_at(places, k), above = lane_where(height > 0, height),
                     climb = above - before;
        before = above;
        water = lane_select(height > 0, water, water + (full - water) * gain);
        const lane_f ready =
            lane_select(climb > 0, level * (1 + shadow * climb), level / (1 - shadow * climb));
        const lane_f rain = water * lane_select(ready < 0.5f, ready, lane_splat(0.5f));
        /* the rest rises from the ground again */
        water = lane_select(height > 0, water - rain * 0.5f, water);
        smooth = k == weather->steps - 1 ? rain : smooth + (rain - smooth) * 0.5f;
    }
    return smooth / level;
}

/* A row of nodes, ROW_NODES at most, from node (c, r) of a rectangle on, of which ground has steps + 1 more on every side. */
static void row_make(const struct weather *weather, const struct nodes *nodes, int c, int r, int count,
                     float *warmth_out, float *rain_out)
{
    const struct terrane_climate *climate = &weather->recipe->climate;
    const int64_t column = nodes->column + c, row = nodes->row + r;
    const int halo = weather->steps + 1;
    struct noises noises;
    noises_make(weather, column, row, count, &noises);
    for (int first = 0; first < count; first += LANES) {
        struct band band[LANES];
        struct places places = {.weather = weather,
                                .ground = weather->ground + (size_t)(r + halo) * (size_t)weather->width +
                                          (size_t)(c + first + halo),
                                .last = count - first < LANES ? count - first - 1 : LANES - 1};
        for (int i = 0; i < LANES; i++) {
            const int at = first + (i < places.last ? i : places.last);
            band[i] = band_at(weather, row, noises.bend[at], noises.finer[at]);
            const struct wind wind = wind_at(climate, band[i], noises.east[at], noises.south[at]);
            places.east[i] = wind.east;
            places.south[i] = wind.south;
            places.warmth[i] = warmth_at(climate, band[i], noises.sway[at]);
        }
        const lane_f rain = march(&places);
        for (int i = 0; i <= places.last; i++) {
            const float ready = climate->period_log2 ? band_rain(band[i].latitude) : 1;
            warmth_out[first + i] = places.warmth[i];
            rain_out[first + i] = climate->rain_mm * clamp(rain[i] * ready, 0, CLIMATE_RAIN_MOST);
        }
    }
}

static int steps_of(double node_m)
{
    const double steps = march_m / node_m;
    return steps < 1 ? 1 : steps > CLIMATE_STEPS ? CLIMATE_STEPS : (int)steps;
}

/* ---- Rectangles of nodes ------------------------------------------------------------------------------- */

/* All of them, into warmth and rain, which are columns x rows. Returns 0 or TERRANE_EMEMORY. */
static int nodes_make(const struct terrane_world *world, int level, const struct nodes *nodes,
                      const struct terrane_memory *memory, float *warmth, float *rain)
{
    const struct terrane_recipe *recipe = world->recipe;
    const int coarser = level - recipe->climate.cell_log2;
    const double node_m = (double)(INT64_C(1) << level) * recipe->spacing_m;
    const int steps = steps_of(node_m), halo = steps + 1;
    const struct terrane_window ground = {.level = level,
                                          .gi = nodes->column - halo,
                                          .gj = nodes->row - halo,
                                          .step = 1,
                                          .width = nodes->columns + 2 * halo + 1,
                                          .height = nodes->rows + 2 * halo + 1};
    float *const heights = memory_take(memory, samples_of(&ground) * sizeof *heights);
    if (!heights)
        return TERRANE_EMEMORY;
    const struct weather weather = {.recipe = recipe,
                                    .key = hash_absorb(world->seed, recipe->climate.salt),
                                    .node_log2 = level,
                                    .coarser = coarser,
                                    .size = (float)(node_m / rate_m),
                                    .steps = steps,
                                    .ground = heights,
                                    .width = ground.width};
    window_nodes(world, &ground, &recipe->climate.ground, 1, memory, &heights);
    for (int r = 0; r < nodes->rows; r++)
        for (int c = 0; c < nodes->columns; c += ROW_NODES) {
            const int left = nodes->columns - c, count = left < ROW_NODES ? left : ROW_NODES;
            row_make(&weather, nodes, c, r, count, warmth, rain);
            warmth += count;
            rain += count;
        }
    memory_give(memory, heights);
    return 0;
}

/* ---- What is remembered -------------------------------------------------------------------------------- */

enum { BLOCK_LOG2 = 4, SIDE = CLIMATE_BLOCK };
_Static_assert(SIDE == 1 << BLOCK_LOG2, "one number");

/* NULL: memory is short. */
static const struct climate_block *block_at(const struct terrane_world *world, int level, int64_t column,
                                            int64_t row, const struct terrane_memory *memory)
{
    struct climate_block *block = &memory->memo->climate[((uint64_t)column & 7) + 8 * ((uint64_t)row & 3)];
    _Static_assert(CLIMATE_BLOCKS == 32, "8 x 4: the four of a window are never one place");
    if (block->made && block->seed == world->seed && block->level == level && block->column == column &&
        block->row == row && memcmp(&block->recipe, &world->recipe->digest, sizeof block->recipe) == 0)
        return block;
    const struct nodes nodes = {.column = column * SIDE, .row = row * SIDE, .columns = SIDE, .rows = SIDE};
    block->made = false;
    if (nodes_make(world, level, &nodes, memory, block->warmth, block->rain) != 0)
        return NULL;
    block->seed = world->seed;
    block->recipe = world->recipe->digest;
    block->level = level;
    block->column = column;
    block->row = row;
    block->made = true;
    return block;
}

/* Whether few blocks hold the nodes: then making these is cheap, and others will want them. */
static bool in_few(const struct nodes *nodes)
{
    const int64_t columns =
        ((nodes->column + nodes->columns - 1) >> BLOCK_LOG2) - (nodes->column >> BLOCK_LOG2) + 1;
    const int64_t rows = ((nodes->row + nodes->rows - 1) >> BLOCK_LOG2) - (nodes->row >> BLOCK_LOG2) + 1;
    return columns <= 2 && rows <= 2;
}

static int nodes_recall(const struct terrane_world *world, int level, const struct nodes *nodes,
                        const struct terrane_memory *memory, float *warmth, float *rain)
{
    for (int r = 0; r < nodes->rows; r++)
        for (int c = 0; c < nodes->columns; c++) {
            const int64_t column = nodes->column + c, row = nodes->row + r;
            const struct climate_block *block =
                block_at(world, level, column >> BLOCK_LOG2, row >> BLOCK_LOG2, memory);
            if (!block)
                return TERRANE_EMEMORY;
            const size_t at = (size_t)((row & (SIDE - 1)) * SIDE + (column & (SIDE - 1)));
            *warmth++ = block->warmth[at];
            *rain++ = block->rain[at];
        }
    return 0;
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

int climate_make(struct fields *fields, const struct terrane_world *world,
                 const struct terrane_window *window, int around, const struct terrane_memory *memory)
{
    const int finest = world->recipe->climate.cell_log2;
    const int level = finest > window->level ? finest : window->level;
    const struct nodes nodes = nodes_of(window, around, level);
    const size_t bytes = (size_t)nodes.columns * (size_t)nodes.rows * sizeof(float);
    fields->warmth = fields->rain = nodes;
    fields->warmth.value = memory_take(memory, bytes);
    fields->rain.value = memory_take(memory, bytes);
    if (!fields->warmth.value || !fields->rain.value)
        return TERRANE_EMEMORY;
    return memory->memo && in_few(&nodes)
               ? nodes_recall(world, level, &nodes, memory, fields->warmth.value, fields->rain.value)
               : nodes_make(world, level, &nodes, memory, fields->warmth.value, fields->rain.value);
}

/* ---- Strips -------------------------------------------------------------------------------------------- */

static void subtract_height(const struct terrane_recipe *recipe, const float *ground, int width, float *value)
{
    for (int i = 0; i < width; i++) {
        const float height = ground[i] - recipe->sea_m;
        value[i] -= recipe->climate.lapse * (height > 0 ? height : 0);
    }
}

void climate_rows(const struct fields *fields, const struct terrane_recipe *recipe,
                  enum terrane_climate_of of, int64_t gi, const struct rows *rows, const struct strip *ground,
                  struct strip *out)
{
    nodes_rows(of == TERRANE_CLIMATE_PRECIPITATION ? &fields->rain : &fields->warmth, gi, rows, out);
    for (int r = rows->first; of == TERRANE_CLIMATE_TEMPERATURE && r < rows->end; r++)
        subtract_height(recipe, ground->value[r] + KERNEL_PAD, rows->width, out->value[r] + KERNEL_PAD);
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
    const int most = (KERNEL_WIDTH - 1) / window->step + 1;
    for (int first = 0; first < window->width; first += most) {
        const int columns = window->width - first < most ? window->width - first : most;
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

/* From ice over tundra and grass to sand where it is dry, to woods where it is wet. */
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
