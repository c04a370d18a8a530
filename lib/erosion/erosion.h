/*
 * What the files of erosion share: its numbers, the windows of its levels, and one level's work.
 */
#ifndef TERRANE_EROSION_H
#define TERRANE_EROSION_H

#include "../kernel/erode.h"
#include "../recipe/numbers.h"
#include "../terrane.h"

static inline int32_t within_units(double units, double max)
{
    return (int32_t)(units > max ? max : units < -max ? -max : units);
}

/* What erosion counts in at a level. */
struct erosion_scale {
    float to_units; /* a metre */
    float sample;   /* between two samples, in units */
    int32_t limit;  /* of a phase or slide, in units */
    int32_t sea;    /* in units, within 2^30 */
    int32_t bound;  /* of what levels from this one up have moved, in units: at most 2^26 */
};

void erosion_scale(struct erosion_scale *scale, const struct terrane_recipe *recipe, int level);

/* The window of the next coarser level that upsampling to a window reads. */
struct terrane_window erosion_parent(const struct terrane_window *window);

/* Does outer hold every sample of inner (any step)? Both are of one level. */
bool erosion_covers(const struct terrane_window *outer, const struct terrane_window *inner);

/* Bytes that terrane_erode takes beside scratch, for a window and the level of from (-1: none). */
size_t erosion_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window, int from);

/* ---- One level ----------------------------------------------------------------------------------------- */

enum { EROSION_ROWS = 4 }; /* a ring of rows: the most that a row of output reads */

/* Rows on their way; more than one sample of room on either side of what is asked. */
struct erosion_rows {
    int32_t amount[EROSION_ROWS][ERODE_WIDTH];
    uint32_t steps[EROSION_ROWS][ERODE_WIDTH];
    int32_t old[EROSION_ROWS][ERODE_WIDTH];
    int32_t talus[EROSION_ROWS][ERODE_WIDTH];
};

/* A level under work: the field is the window with its halo. */
struct erosion_level {
    const struct terrane_world *world;
    struct terrane_window window; /* of the field */
    struct erosion_scale scale;
    struct erode_field field;
    struct erode_law law;
    struct erode_births births;
    struct erosion_rows rows;
    float *grid;      /* of what zones steer: law.grid */
    bool creep;       /* slides are of soil: without a talus */
    int halo;         /* of the field around what comes out */
    int inset;        /* samples on every side of the field that are not right any more: 0 .. halo */
    uint16_t *before; /* the field's ground before anything was moved, where detail.c has work */
    uint32_t *flow;   /* what comes out: field.width - 2 halo wide */
    int64_t carried;  /* amounts that droplets of the last phase kept to their end */
};

/* Nodes of the steering grid of a field. */
size_t erosion_grid_nodes(const struct terrane_window *field);

/* Fills law, and grid where zones differ. room: erosion_grid_nodes * zones floats, for as long as the call; memory: with
 * scratch. Returns 0 or terrane_zones' error. */
int erosion_law(struct erosion_level *level, const struct terrane_memory *memory, float *room);

/* Runs one phase of droplets, or one slide: the ground changes, inset grows by what that reads. moved is zero before and
 * after. */
void erosion_phase(struct erosion_level *level, int phase);
void erosion_slide(struct erosion_level *level);

/* Around all phases and slides: keeps the ground as it is before them; takes away by how much it has risen or sunk over some samples
 * (detail.c). It leaves moved as it falls. */
void erosion_detail_begin(struct erosion_level *level);
void erosion_detail(struct erosion_level *level);

/* ---- Windows ------------------------------------------------------------------------------------------- */

/*
 * terrane_erode_needs - what eroding a window rests on at a coarser level.
 *
 *   level  above window->level, up to erosion.levels - 1
 *
 * Fills *needed: a window of that level; terrane_erode takes any product that covers it as from.
 */
void terrane_erode_needs(const struct terrane_recipe *recipe, const struct terrane_window *window, int level,
                         struct terrane_window *needed);

/*
 * terrane_erode - erode a window.
 *
 *   from    NULL, or a product of a coarser level below erosion.levels that covers what terrane_erode_needs
 *           names: the result is the same, to the last bit, and sooner there
 *   memory  about 12 bytes are taken for a sample of the window with its halo, 14 where detail.c has work
 *   out     window (step 1) and the arrays to fill
 *
 * Borrows everything. Returns 0, TERRANE_EMEMORY, TERRANE_ELEVEL or TERRANE_EWINDOW: the window, or what it needs at a level,
 * is outside the lattice or over 4097 samples wide, or from does not cover it. Deltas of from that pass the bound are taken as
 * the bound. Cost: 20 to 60 ns a sample of all windows on the way; without from, one for each level to the coarsest.
 */
int terrane_erode(const struct terrane_world *world, const struct terrane_eroded *from,
                  const struct terrane_memory *memory, struct terrane_eroded *out) TERRANE_MUST_CHECK;

/*
 * Parts of a product, of a window (any step) of its level that it covers. They return 0 or TERRANE_EWINDOW.
 *
 * terrane_eroded_heights  heights[j * width + i] holds what terrane_heights made of the window, and becomes eroded.
 *
 * terrane_eroded_values   delta_m: delta in metres; flow: droplets that came by. Either may be NULL.
 */
int terrane_eroded_heights(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const struct terrane_eroded *eroded, float *heights) TERRANE_MUST_CHECK;
int terrane_eroded_values(const struct terrane_recipe *recipe, const struct terrane_window *window,
                          const struct terrane_eroded *eroded, float *delta_m,
                          float *flow) TERRANE_MUST_CHECK;

#endif
