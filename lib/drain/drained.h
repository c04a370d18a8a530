/*
 * Drained windows: making them, what is read of them, and rivers in the ground below the lattices.
 */
#ifndef TERRANE_DRAINED_H
#define TERRANE_DRAINED_H

#include "../terrane_features.h"

/*
 * terrane_drain_needs - the window of the next coarser lattice that draining one rests on, but for few. false: it is of the
 * coarsest, or above it.
 */
bool terrane_drain_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *needed);

/*
 * terrane_drain - drain a window.
 *
 *   from    NULL, or a product of the next coarser lattice: the result is the same, to the last bit, and sooner there
 *   memory  about 40 bytes are taken for a cell of the window with its halo, beside what is made of coarser lattices; where its memo knows
 *           the row of windows that are asked for, also of up to three more of these, in all 60 MB at most of the widest that recipes reach, 837
 *   out     window (step 1, of a level from rivers.bottom to rivers.top, at most TERRANE_DRAIN_SIDE_MAX wide) and the arrays to fill
 *
 * Returns 0, TERRANE_EMEMORY, TERRANE_ELEVEL or TERRANE_EWINDOW.
 */
#define TERRANE_DRAIN_SIDE_MAX 1024
int terrane_drain(const struct terrane_world *world, const struct terrane_drained *from,
                  const struct terrane_memory *memory, struct terrane_drained *out) TERRANE_MUST_CHECK;

/* Bytes that draining a window takes beside scratch, as a rule; and the coarser lattice above it where there is one. */
size_t terrane_drain_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window);

/*
 * Parts of a product, of a window of its level (any step) that it covers; they return 0 or TERRANE_EWINDOW.
 *
 * terrane_drained_heights    heights holds what terrane_heights made of the window, and becomes drained ground
 * terrane_drained_discharge  m3/s where a river is, else 0
 * terrane_drained_levels     level_m[j * width + i], as terrane_lakes': of sea and lakes, and on their shores, for samples of
 *                            a level: of a finer one shores are lower ground, too; reads TERRANE_SHORE_RINGS cells more on
 *                            every side
 */
#define TERRANE_SHORE_RINGS 3
int terrane_drained_heights(const struct terrane_recipe *recipe, const struct terrane_window *window,
                            const struct terrane_drained *drained, float *heights) TERRANE_MUST_CHECK;
int terrane_drained_discharge(const struct terrane_recipe *recipe, const struct terrane_window *window,
                              const struct terrane_drained *drained, float *discharge) TERRANE_MUST_CHECK;
int terrane_drained_levels(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const struct terrane_drained *drained, int level,
                           float *level_m) TERRANE_MUST_CHECK;

/*
 * terrane_drained_erosion - what drainage did to ground, for terrane_erode to go on from.
 *
 *   out  its window: step 1, of the level rivers.bottom, covered by drained
 *
 * Returns 0, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_drained_erosion(const struct terrane_world *world, const struct terrane_drained *drained,
                            const struct terrane_memory *memory,
                            struct terrane_eroded *out) TERRANE_MUST_CHECK;

/*
 * terrane_sand - lays a recipe's sand on a window's ground, and fills with it what water has cut there: after erosion, before rivers are cut.
 *
 *   drained  of the window's level, covering it: shown rivers stay bare; NULL, or of another level: they come after
 *   memory   8 bytes are taken for a sample, beside scratch
 *
 * Returns 0, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_sand(const struct terrane_world *world, const struct terrane_window *window,
                 const struct terrane_drained *drained, const struct terrane_memory *memory,
                 float *heights) TERRANE_MUST_CHECK;

/*
 * terrane_rivers_apply - rivers in the ground of a window of a level below rivers.bottom.
 *
 *   drained    of the level rivers.bottom; covers the window with TERRANE_RIVERS_MARGIN cells around
 *   heights    of the window, eroded: become the ground with beds and banks; or NULL
 *   surface_m  the water of rivers, or TERRANE_DRY; may be NULL
 *   discharge  m3/s where a river is, narrower than a sample, too; else 0; may be NULL
 *
 * terrane_rivers_beds - beds alone, and from generator 13 on the banks right beside them, which raise ground up to 15: after paths have been laid over the ground, whose banks they keep.
 *
 * terrane_rivers_damp - of pictures: how much of a bank each sample is, 1 at most right beside water, 0 away from it; faint where
 * channels begin, and where a bank is narrower than a sample.
 *
 * All return 0, TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
#define TERRANE_RIVERS_MARGIN 9 /* 8 before generator 12 */
static inline int rivers_margin(const struct terrane_recipe *recipe)
{
    return TERRANE_RIVERS_MARGIN - (recipe->generator < 12);
}

int terrane_rivers_apply(const struct terrane_world *world, const struct terrane_window *window,
                         const struct terrane_drained *drained, const struct terrane_memory *memory,
                         float *heights, float *surface_m, float *discharge) TERRANE_MUST_CHECK;
int terrane_rivers_beds(const struct terrane_world *world, const struct terrane_window *window,
                        const struct terrane_drained *drained, const struct terrane_memory *memory,
                        float *heights) TERRANE_MUST_CHECK;
int terrane_rivers_damp(const struct terrane_world *world, const struct terrane_window *window,
                        const struct terrane_drained *drained, const struct terrane_memory *memory,
                        float *damp) TERRANE_MUST_CHECK;

uint64_t drain_stem_id(const struct terrane_world *world, const struct terrane_stem *stem);

/* Whether a cell's stem may be one: of its lattice, or a coarser one. */
bool terrane_stem_fits(const struct terrane_recipe *recipe, const struct terrane_drained *drained, size_t at);

/*
 * What lattices, rivers and sand add to a level's geometric error, in metres; 0 at level 0, and without rivers. Proved below
 * rivers.bottom; from there on, where no law bounds it closely, the law that windows bear out: 3 samples of rivers.bottom,
 * above it 2 of the level and 6 of rivers.bottom, or all that the ground spans where that is less.
 */
double terrane_rivers_error_m(const struct terrane_recipe *recipe, int level);

#endif
