/*
 * Warmth, winds and rain.
 *
 * Air starts half full CLIMATE_STEPS nodes upwind. Over the sea it fills up, the more the warmer it is; over land it rains: a little
 * on level ground, more where ground rises, less where it falls. What rains at the node is its rain. Rates are of a step of
 * one of the recipe's nodes, and of as many where a level's nodes are coarser. Binary32, a node for itself.
 */
#include "climate.h"

#include "nodes.h"
#include "window.h"

enum { WARMTH_NOISE_LOG2 = 6, WIND_NOISE_LOG2 = 6 }; /* cells of noise, in the recipe's nodes */

static const float land_rain = 0.012f; /* share of the air's water that falls in a step over level land */
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

/* ---- Bands --------------------------------------------------------------------------------------------- */

/* Where between the warmest line (0) and the coldest (1), and on which side of the warmest: north is -1. */
struct band {
    float latitude, side;
};

/* Row 0 of nodes lies halfway, and the warmest line a quarter of the period south of it. */
static struct band band_at(const struct terrane_climate *climate, int node_log2, int64_t row)
{
    if (climate->period_log2 == 0)
        return (struct band){0.5f, 0};
    const int log2 = climate->period_log2 - node_log2;
    if (log2 < 2) /* no level of such a world shows its bands */
        return (struct band){0.5f, 0};
    const int64_t mask = (INT64_C(1) << log2) - 1;
    const float at = (float)((row + (INT64_C(1) << (log2 - 2))) & mask) / (float)(INT64_C(1) << log2);
    const float off = at - 0.5f; /* -1/2 .. 1/2: from cold to cold */
    return (struct band){(off < 0 ? -off : off) * 2, off < 0 ? -1 : 1};
}

struct wind {
    float east, south;
};

/*
 * Trades blow to the west and the warmest line up to a third of the way, westerlies away from it from there to near the
 * coldest. The noise may turn any of them.
 */
static struct wind wind_at(const struct terrane_climate *climate, struct band band, uint64_t key, int64_t column,
                           int64_t row, int noise_log2)
{
    const float trade = fade(clamp(band.latitude * 1.5f, 0, 1));
    const float polar = fade(clamp((band.latitude - 0.7f) / 0.3f, 0, 1));
    const float to_warm = clamp((1.0f / 3 - band.latitude) * 3, -0.35f, 0.45f) * clamp(band.latitude * 8, 0, 1);
    const bool bands = climate->period_log2 != 0;
    float east = bands ? (2 * trade - 1) * (1 - polar) : 1, south = bands ? -band.side * to_warm : 0;
    east += climate->swing * node_noise(hash_absorb(key, 1), column, row, noise_log2);
    south += climate->swing * node_noise(hash_absorb(key, 2), column, row, noise_log2);
    const float speed = __builtin_sqrtf(east * east + south * south + 0x1p-10f);
    return (struct wind){east / speed, south / speed};
}

/* How ready air is to rain: where it rises at the warmest line, sinks beside it, rises again, and is too cold. */
static float band_rain(float latitude)
{
    static const float at[] = {0, 0.15f, 0.31f, 0.5f, 0.7f, 1}, rain[] = {1.7f, 1.2f, 0.4f, 1, 0.8f, 0.3f};
    int k = 1;
    while (k < 5 && latitude > at[k])
        k++;
    return rain[k - 1] + (rain[k] - rain[k - 1]) * ((latitude - at[k - 1]) / (at[k] - at[k - 1]));
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* What is constant for a window. */
struct weather {
    const struct terrane_recipe *recipe;
    uint64_t key;
    int node_log2;  /* of level-0 samples */
    int coarser;    /* the nodes are 2^coarser of the recipe's */
    int steps;      /* 1 .. CLIMATE_STEPS */
    const float *ground;
    int width;      /* of ground */
};

static int noise_log2(const struct weather *weather, int log2)
{
    return log2 > weather->coarser ? log2 - weather->coarser : 0;
}

static float warmth_at(const struct weather *weather, struct band band, int64_t column, int64_t row)
{
    const struct terrane_climate *climate = &weather->recipe->climate;
    const float sway = CLIMATE_SWAY_C *
                       node_noise(hash_absorb(weather->key, 0), column, row, noise_log2(weather, WARMTH_NOISE_LOG2));
    return climate->warm_c + (climate->cold_c - climate->warm_c) * fade(band.latitude) + sway;
}

/* Over the sea's level, between four nodes; (x, y) from the first of ground. */
static float height_at(const struct weather *weather, float x, float y)
{
    const int c = (int)x, r = (int)y;
    const float u = x - (float)c, v = y - (float)r;
    const float *const at = weather->ground + (size_t)r * (size_t)weather->width + (size_t)c;
    const float top = at[0] + u * (at[1] - at[0]);
    const float bottom = at[weather->width] + u * (at[weather->width + 1] - at[weather->width]);
    return top + v * (bottom - top) - weather->recipe->sea_m;
}

/* The march to the node at (x, y): what rains there, in times of rain over warm sea. */
static float march(const struct weather *weather, struct wind wind, float warmth, float x, float y)
{
    const float size = (float)(1 << weather->coarser);
    const float full = clamp(0.3f + (warmth + 10) * 0.02f, 0.15f, 1.2f);
    const float gain = clamp(sea_gain * size, 0, 1), level = clamp(land_rain * size, 0, 0.5f);
    float water = full * 0.5f, rain = 0, smooth = 0;
    float before = height_at(weather, x - wind.east * (float)weather->steps, y - wind.south * (float)weather->steps);
    for (int k = weather->steps - 1; k >= 0; k--) {
        const float height = height_at(weather, x - wind.east * (float)k, y - wind.south * (float)k);
        const float climb = (height > 0 ? height : 0) - (before > 0 ? before : 0);
        if (height <= 0)
            water += (full - water) * gain;
        const float ready = climb > 0 ? level * (1 + weather->recipe->climate.shadow * climb)
                                      : level / (1 - weather->recipe->climate.shadow * climb);
        rain = water * (ready < 0.5f ? ready : 0.5f);
        if (height > 0)
            water -= rain * 0.7f; /* the rest rises from the ground again */
        smooth = k == weather->steps - 1 ? rain : smooth + (rain - smooth) * 0.5f;
        before = height;
    }
    return smooth / level;
}

static void node_make(const struct weather *weather, struct climate *out, int c, int r)
{
    const struct terrane_climate *climate = &weather->recipe->climate;
    const int64_t column = out->column + c, row = out->row + r;
    const struct band band = band_at(climate, weather->node_log2, row);
    const struct wind wind = wind_at(climate, band, weather->key, column, row, noise_log2(weather, WIND_NOISE_LOG2));
    const float warmth = warmth_at(weather, band, column, row);
    const float halo = (float)(weather->steps + 1);
    const float rain = march(weather, wind, warmth, (float)c + halo, (float)r + halo);
    const size_t at = (size_t)r * (size_t)out->columns + (size_t)c;
    out->warmth[at] = warmth;
    out->rain[at] = climate->rain_mm * clamp(rain * (climate->period_log2 ? band_rain(band.latitude) : 1), 0,
                                             CLIMATE_RAIN_MOST);
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

static void nodes_make(const struct weather *weather, struct climate *climate)
{
    for (int r = 0; r < climate->rows; r++)
        for (int c = 0; c < climate->columns; c++)
            node_make(weather, climate, c, r);
}

/* The nodes between which a window's samples lie. */
static struct climate nodes_of(const struct terrane_window *window, int around, int log2)
{
    const int64_t east = window->gi + (int64_t)(window->width - 1) * window->step + around;
    const int64_t south = window->gj + (int64_t)(window->height - 1) * window->step + around;
    struct climate nodes = {.log2 = log2,
                            .column = ((window->gi - around) >> log2) - 1,
                            .row = ((window->gj - around) >> log2) - 1};
    nodes.columns = (int)((east >> log2) - nodes.column) + 3;
    nodes.rows = (int)((south >> log2) - nodes.row) + 3;
    return nodes;
}

int climate_make(struct climate *climate, const struct terrane_world *world, const struct terrane_window *window,
                 int around, const struct terrane_memory *memory)
{
    const struct terrane_recipe *recipe = world->recipe;
    const int log2 = recipe->climate.cell_log2 > window->level ? recipe->climate.cell_log2 : window->level;
    const int coarser = log2 - recipe->climate.cell_log2;
    const int steps = coarser < 5 ? CLIMATE_STEPS >> coarser : 1, halo = steps + 1;
    struct climate made = nodes_of(window, around, log2 - window->level);
    const struct terrane_window ground = {.level = log2,
                                          .gi = made.column - halo,
                                          .gj = made.row - halo,
                                          .step = 1,
                                          .width = made.columns + 2 * halo + 1,
                                          .height = made.rows + 2 * halo + 1};
    const size_t nodes = (size_t)made.columns * (size_t)made.rows;
    float *const heights = memory_take(memory, samples_of(&ground) * sizeof *heights);
    made.warmth = heights ? memory_take(memory, 2 * nodes * sizeof *made.warmth) : NULL;
    if (made.warmth) {
        const struct weather weather = {.recipe = recipe,
                                        .key = hash_absorb(world->seed, recipe->climate.salt),
                                        .node_log2 = log2,
                                        .coarser = coarser,
                                        .steps = steps,
                                        .ground = heights,
                                        .width = ground.width};
        made.rain = made.warmth + nodes;
        window_ground(world, &ground, recipe->climate.ground, memory, heights);
        nodes_make(&weather, &made);
        *climate = made;
    }
    memory_give(memory, heights);
    return made.warmth ? 0 : TERRANE_EMEMORY;
}

void climate_free(struct climate *climate, const struct terrane_memory *memory)
{
    memory_give(memory, climate->warmth);
}

/* ---- Strips -------------------------------------------------------------------------------------------- */

static void subtract_height(const struct terrane_recipe *recipe, const float *ground, int width, float *value)
{
    for (int i = 0; i < width; i++) {
        const float height = ground[i] - recipe->sea_m;
        value[i] -= recipe->climate.lapse * (height > 0 ? height : 0);
    }
}

void climate_rows(const struct climate *climate, const struct terrane_recipe *recipe,
                  enum terrane_climate_of of, int64_t gi, const struct rows *rows, const struct strip *ground,
                  struct strip *out)
{
    const struct spline_chunk chunk = spline_chunk(gi, rows->width, climate->log2);
    const float *const field = of == TERRANE_CLIMATE_PRECIPITATION ? climate->rain : climate->warmth;
    for (int r = rows->first; r < rows->end; r++) {
        float *const value = out->value[r] + KERNEL_PAD;
        const float *node[4];
        float t;
        const int64_t row = spline_row(rows->gj + (int64_t)r * rows->step, climate->log2, &t);
        for (int k = 0; k < 4; k++)
            node[k] = field + (size_t)(row + k - climate->row) * (size_t)climate->columns +
                      (size_t)(chunk.column - climate->column);
        spline_samples(&chunk, node, t, value);
        if (of == TERRANE_CLIMATE_TEMPERATURE)
            subtract_height(recipe, ground->value[r] + KERNEL_PAD, rows->width, value);
    }
}
