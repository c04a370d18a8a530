/* Internal functions on windows. */
#ifndef TERRANE_WINDOW_H
#define TERRANE_WINDOW_H

#include "../terrane.h"

static inline bool window_valid(const struct terrane_window *window)
{
    const int64_t limit = INT64_C(1) << 50;
    return window->level >= 0 && window->level <= TERRANE_LEVEL_MAX && window->gi >= -limit &&
           window->gi <= limit && window->gj >= -limit && window->gj <= limit && window->step >= 1 &&
           window->step <= TERRANE_TILE_SAMPLES && window->width >= 1 &&
           window->width <= TERRANE_WINDOW_MAX && window->height >= 1 && window->height <= TERRANE_WINDOW_MAX;
}

static inline size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

/* The place of count samples from (gi, gj) on, in arrays of a window of step 1, which has them. */
static inline size_t window_at(const struct terrane_window *window, int64_t gi, int64_t gj, int count)
{
    const int64_t i = gi - window->gi, j = gj - window->gj;
#ifdef TERRANE_DEBUG
    if (i < 0 || j < 0 || i + count > window->width || j >= window->height)
        __builtin_trap(); /* beyond the halo that was declared */
#endif
    (void)count;
    return (size_t)j * (size_t)window->width + (size_t)i;
}

/* Checks a window of step 1 of a level: 0, TERRANE_ELEVEL or TERRANE_EWINDOW. */
static inline int window_check(const struct terrane_window *window, int level)
{
    if (window->level != level || level < 0 || level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    return window_valid(window) && window->step == 1 ? 0 : TERRANE_EWINDOW;
}

static inline bool window_same(const struct terrane_window *a, const struct terrane_window *b)
{
    return a->level == b->level && a->gi == b->gi && a->gj == b->gj && a->step == b->step &&
           a->width == b->width && a->height == b->height;
}

/* A window of step 1 with halo samples more on every side. */
static inline struct terrane_window window_grown(const struct terrane_window *window, int halo)
{
    return (struct terrane_window){
        .level = window->level,
        .gi = window->gi - halo,
        .gj = window->gj - halo,
        .step = 1,
        .width = window->width + 2 * halo,
        .height = window->height + 2 * halo,
    };
}

/* True if a window of step 1 contains all samples of another. */
static inline bool window_covers(const struct terrane_window *window, const struct terrane_window *needed)
{
    return window->level == needed->level && window->step == 1 && window->gi <= needed->gi &&
           window->gj <= needed->gj && window->gi + window->width >= needed->gi + needed->width &&
           window->gj + window->height >= needed->gj + needed->height;
}

/* The samples of a level on both sides of a sample along an axis; equal if the sample is on that level. coarser: the
 * sample's level minus that level; may be negative. */
struct sides {
    int64_t low, high;
};

static inline struct sides sides_of(int64_t g, int coarser)
{
    if (coarser >= 0) {
        const int64_t at = g * (INT64_C(1) << coarser);
        return (struct sides){at, at};
    }
    const int64_t low = g >> -coarser;
    return (struct sides){low, low + ((g & ((INT64_C(1) << -coarser) - 1)) != 0)};
}

/* The window of a level that contains the samples around those of a window (any step). */
static inline struct terrane_window window_around(const struct terrane_window *window, int level)
{
    const int coarser = window->level - level;
    const struct sides west = sides_of(window->gi, coarser), north = sides_of(window->gj, coarser);
    const struct sides east = sides_of(window->gi + (int64_t)(window->width - 1) * window->step, coarser);
    const struct sides south = sides_of(window->gj + (int64_t)(window->height - 1) * window->step, coarser);
    return (struct terrane_window){
        .level = level,
        .gi = west.low,
        .gj = north.low,
        .step = 1,
        .width = (int)(east.high - west.low + 1),
        .height = (int)(south.high - north.low + 1),
    };
}

/* As terrane_heights, for any term. */
int window_term(const struct terrane_world *world, const struct terrane_window *window, int term,
                const struct terrane_memory *memory, float *out);

/* As terrane_heights and the indices of terrane_zones, in one pass: what both rest on is made once. */
int window_heights_zones(const struct terrane_world *world, const struct terrane_window *window,
                         const struct terrane_memory *memory, float *heights, uint8_t *index);

/* Makes whole windows of several terms, which use neither the climate nor coarse terms of coarser nodes. The window may have any
 * size and place within the range of coordinates. memory includes a scratch. */
void window_nodes(const struct terrane_world *world, const struct terrane_window *window, const int *terms,
                  int count, const struct terrane_memory *memory, float *const *out);

/* The recipe's climate at the samples of a window: degrees at sea level, and mm a year. The recipe must have one. */
int window_climate(const struct terrane_world *world, const struct terrane_window *window,
                   const struct terrane_memory *memory, float *warmth_c, float *rain_mm);

/* Degrees at the sea's level become those at heights. */
void climate_cool(const struct terrane_recipe *recipe, const float *heights, size_t count, float *warmth_c);

/*
 * Receives rows of values of a set of terms (bits): count samples of the window, for a term, from the at-th on. In
 * any order.
 */
struct term_rows {
    uint64_t terms;
    void (*show)(void *context, int term, size_t at, size_t count, const float *values);
    void *context;
};
int window_terms(const struct terrane_world *world, const struct terrane_window *window,
                 const struct term_rows *rows, const struct terrane_memory *memory);

/* Water over heights as by terrane_water, for lakes of any level (water.c); sea_m: sea level everywhere, or
 * TERRANE_DRY. */
void water_rows(float sea_m, const struct terrane_window *window, const float *heights,
                const struct terrane_window *lakes, const float *level_m, float *surface_m, float *depth_m);

#endif
