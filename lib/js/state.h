/*
 * What the module's files share: its one world, the tile under way, and what was made last.
 */
#ifndef TERRANE_JS_STATE_H
#define TERRANE_JS_STATE_H

#include "../terrane_features.h"
#include "../terrane_make.h"
#include "module.h"

enum { CELLS = 4, REGIONS = CELLS * TERRANE_PLAN_REGIONS };

/* Part of a tile, which lies in one region of each kind or in 2 x 2. */
struct cell {
    struct terrane_window window; /* of the tile */
    size_t at;                    /* of its first sample */
    struct terrane_plan plan;
    int region[TERRANE_PLAN_REGIONS]; /* of all that the tile rests on */
};

struct js_state {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_memory memory; /* with scratch and memo, once something is made */
    char message[TERRANE_REFUSAL_BYTES];
    uint8_t colour[TERRANE_PALETTE_MAX][3];

    enum terrane_layer layer;
    struct terrane_window window;
    struct cell cell[CELLS];
    int cells;

    struct terrane_region region[REGIONS];
    struct terrane_packed input[REGIONS]; /* of the region of the same number */
    struct js_region told[REGIONS];
    int regions;

    void *made; /* the last call's, the next one's to free */
    size_t made_bytes;
};
extern struct js_state js;

/* Scratch and memo, which whoever only plans does without. */
int js_lend(void);

/* Takes what a call made, in the place of what the last one did. */
void js_keep(void *made, size_t bytes);

enum terrane_picture js_picture_of(int layer);

/* The terms of a recipe that was checked as numbers: how many there are; number: room for them, or NULL. */
size_t terms_numbers(const struct terrane_recipe *recipe, double *number);

#endif
