/*
 * Plans. Everything here is done once a chunk; lib/README.md "One octave at one sample" is what it lays out.
 *
 * Lattice coordinates never overflow: a cell takes part at level L only with cell_log2 >= L, so a sample's
 * column is (gi + (shift >> L)) >> (cell_log2 - L), with |gi| <= 2^50 + 2^22 and the shift under 2^40.
 */
#include "plan.h"

#include <string.h>

#include "hash.h"

/* Positions in the cell, from the first block on. Cells shorter than the span repeat. */
static void fill_positions(const struct octave *octave, int64_t rest_x)
{
    const int64_t cell = INT64_C(1) << octave->k;
    const float scale = 1.0f / (float)(INT64_C(1) << octave->cell_log2);
    const int fresh = cell < octave->span ? (int)cell : octave->span;
    for (int i = 0; i < fresh; i++) {
        const int64_t u = (octave->phase + i) & (cell - 1);
        octave->t[i] = (float)((u << octave->level) | rest_x) * scale;
    }
    for (int done = fresh; done < octave->span; done += fresh) {
        const int more = done + fresh <= octave->span ? fresh : octave->span - done;
        memcpy(octave->t + done, octave->t, (size_t)more * sizeof *octave->t);
    }
}

static void plan_octave(struct octave *octave, const struct terrane_world *world, enum terrane_base base,
                        uint64_t key, int cell_log2, float amplitude, int level, int64_t gi, int width,
                        struct octave_store *store)
{
    const int64_t mask = (INT64_C(1) << cell_log2) - 1, low = (INT64_C(1) << level) - 1;
    const int64_t shift_x = (int64_t)hash_absorb(key, 1) & mask,
                  shift_y = (int64_t)hash_absorb(key, 2) & mask;
    const int k = cell_log2 - level;
    const int64_t u = gi + (shift_x >> level), cell = INT64_C(1) << k, place = u & (cell - 1);
    const int lead = (int)(place & (KERNEL_PAD - 1));
    const int span = (lead + width + KERNEL_PAD - 1) / KERNEL_PAD * KERNEL_PAD;

    *octave = (struct octave){
        .base = base,
        .level = level,
        .cell_log2 = cell_log2,
        .k = k,
        .key = key,
        .amplitude = amplitude,
        .unit_slope = (float)(1.0 / ((double)(INT64_C(1) << cell_log2) * world->recipe.spacing_m)),
        .shift_y = shift_y >> level,
        .rest_y = shift_y & low,
        .column = u >> k,
        .phase = place - lead,
        .lead = lead,
        .span = span,
        .columns = (int)((place - lead + span - 1) >> k) + 2,
        .north = {store->corner[0], store->corner[1]},
        .south = {store->corner[2], store->corner[3]},
        .t = store->table[0],
        .fade = store->table[1],
        .fade_slope = store->table[2],
    };
    fill_positions(octave, shift_x & low);
    kernels_current()->octave_tables(octave);
}

void plan_fractal(struct fractal_plan *plan, const struct terrane_world *world,
                  const struct terrane_fractal *fractal, float start, int level, int64_t gi, int width,
                  struct octave_store *store)
{
    const uint64_t key = hash_absorb(world->seed, fractal->salt);
    float amplitude = fractal->amplitude_m;
    plan->start = start;
    plan->octaves = 0;
    for (int i = 0; i < fractal->octaves && fractal->cell_log2 - i + world->recipe.alias_octaves > level;
         i++) {
        plan_octave(&plan->octave[i], world, fractal->base, hash_absorb(key, (uint64_t)i),
                    fractal->cell_log2 - i, amplitude, level, gi, width, &store[i]);
        plan->octaves++;
        amplitude *= fractal->gain;
    }
}

void plan_partition(struct fractal_plan *plan, const struct terrane_world *world, int level, int64_t gi,
                    int width, struct octave_store *store)
{
    const struct terrane_partition *partition = &world->recipe.partition;
    const struct terrane_fractal noise = {
        .base = partition->base,
        .salt = partition->salt,
        .octaves = partition->zones > 1,
        .cell_log2 = partition->cell_log2,
        .amplitude_m = 1,
    };
    plan_fractal(plan, world, &noise, 0, level, gi, width, store);
}

void plan_steer(struct steer *steer, const struct terrane_partition *partition)
{
    *steer = (struct steer){.thresholds = partition->zones - 1};
    if (steer->thresholds > 0)
        steer->inv_blend = 1.0f / partition->blend;
    for (int k = 0; k < partition->zones; k++) {
        const struct terrane_zone *zone = &partition->zone[k];
        steer->amplitude[k] = k ? zone->amplitude - zone[-1].amplitude : zone->amplitude;
        steer->offset[k] = k ? zone->offset_m - zone[-1].offset_m : zone->offset_m;
        if (k)
            steer->threshold[k - 1] = partition->threshold[k - 1];
    }
}
