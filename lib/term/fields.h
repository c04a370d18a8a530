/*
 * Fields at nodes, made for a window before its samples: the recipe's climate, and coarse terms. A strip of samples then
 * interpolates them (spline.h).
 */
#ifndef TERRANE_FIELDS_H
#define TERRANE_FIELDS_H

#include "../base/lend.h"
#include "nodes.h"
#include "spline.h"

/* The nodes around a window's samples, and one more on every side. */
struct nodes {
    int log2;            /* samples of the window's level between nodes */
    int64_t column, row; /* of the first one */
    int columns, rows;
    float *value; /* columns x rows; owned by struct fields. NULL: not made */
};

struct fields {
    struct nodes warmth, rain;
    struct nodes coarse[FIELDS_COARSE]; /* in the order of terms */
};

/* The nodes for samples from a window's first to its last, and around more on every side; nodes: a level, or the window's
 * own if that is coarser. Without values. */
struct nodes nodes_of(const struct terrane_window *window, int around, int level);

/* The nodes as samples of their level. */
struct terrane_window nodes_window(const struct nodes *nodes, int level);

/* A strip of a field that covers it: samples gi .. */
void nodes_rows(const struct nodes *nodes, int64_t gi, const struct rows *rows, struct strip *out);

/*
 * Makes the fields that a set of terms (recipe.h) needs for a window, with around samples more on every side. Borrows memory,
 * with its scratch, which is free again on return. Returns 0 or TERRANE_EMEMORY; call fields_free in both cases.
 */
int fields_make(struct fields *fields, const struct terrane_world *world, const struct terrane_window *window,
                int around, uint64_t terms, const struct terrane_memory *memory);
void fields_free(struct fields *fields, const struct terrane_memory *memory);

/* The field of a term of TERRANE_OP_COARSE; NULL: the level is as coarse as it. */
const struct nodes *fields_of(const struct fields *fields, const struct terrane_recipe *recipe, int term);

#endif
