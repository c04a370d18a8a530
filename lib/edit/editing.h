/*
 * A window under work: its ground as it was, what operations added so far, and the lattices that smooth and sharpen read.
 */
#ifndef TERRANE_EDIT_EDITING_H
#define TERRANE_EDIT_EDITING_H

#include "mean.h"

enum { EDIT_GROUND_MAX = 1 << 30, EDIT_MOVE_MAX = TERRANE_EDIT_MOVE_M * TERRANE_EDIT_UNITS };

struct edit_lattice {
    struct edit_ground ground;
    float *noise; /* values of a term; NULL: of none yet */
    int term;
};

struct terrane_editing {
    const struct terrane_world *world;
    struct terrane_memory memory;
    struct mean *mean;
    double *to, *east2; /* a number each for columns of the widest lattice */
    int reads;          /* lattices that are read */
    struct edit_lattice own, read[TERRANE_EDIT_LATTICES]; /* of the window; of needs */
};

/*
 * Begins to edit a window (any step).
 *
 *   heights  of it, without edits
 *   needs    as terrane_edit_needs fills it, of all operations that are to be applied; those of a longer list serve, too
 *   ground   of each of its windows, without edits
 *
 * What is read is copied; the world is borrowed. Returns 0, TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int editing_open(const struct terrane_world *world, const struct terrane_window *window, const float *heights,
                 const struct terrane_edit_needs *needs, const float *const *ground,
                 const struct terrane_memory *memory, struct terrane_editing **editing);

/* The same with all that was applied when bytes were packed. TERRANE_EWINDOW, too: they do not fit. */
int editing_resume(const struct terrane_world *world, const struct terrane_window *window,
                   const float *heights, const void *packed, size_t bytes,
                   const struct terrane_memory *memory, struct terrane_editing **editing);

/* Applies operations behind those before. Returns 0, TERRANE_EWINDOW (needs were of other operations) or TERRANE_EMEMORY; after an
 * error the editing is good for nothing but to be closed. */
int editing_apply(struct terrane_editing *editing, const struct terrane_edit *edits, size_t count);

/* Puts the edited samples over heights, which hold those without edits; what no operation has moved stays. */
void editing_heights(const struct terrane_editing *editing, float *heights);

/* NULL is fine. */
void editing_close(struct terrane_editing *editing);

/* What the first two begin with: lattices that have no numbers yet but 0 as delta, and heights of the window's own. */
int editing_begin(const struct terrane_world *world, const struct terrane_window *window,
                  const float *heights, const struct terrane_edit_needs *needs,
                  const struct terrane_memory *memory, struct terrane_editing **editing);

/* A way's surface on a part of a lattice. 0, or TERRANE_EMEMORY. */
int way_apply(const struct terrane_editing *editing, const struct edit_lattice *lattice,
              const struct terrane_edit *way, const struct stroke *stroke, const struct edit_part *part);

#endif
