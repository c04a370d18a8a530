/*
 * A window under work: its ground as it was, what operations added so far, and the lattices that smooth and sharpen read.
 *
 *  (1) What an operation does to a sample depends on the sample's own ground, on what was added there before, and, of smooth and
 *      sharpen, on the mean there: a function of a lattice, which no window has to do with.
 *  (2) On a lattice that is read all operations before are applied but smooth and sharpen. So a mean never rests on another mean, and
 *      what a window rests on ends TERRANE_EDIT_HALO samples beyond the operations on it.
 */
#include "../base/lend.h"
#include "../base/window.h"
#include "mean.h"

enum { GROUND_MOST = 1 << 30, MOVE_MOST = TERRANE_EDIT_MOVE_M * TERRANE_EDIT_UNITS };

struct lattice {
    struct edit_ground ground;
    float *noise; /* values of a term; NULL: of none yet */
    int term;
};

struct terrane_editing {
    const struct terrane_world *world;
    struct terrane_memory memory;
    struct mean *mean;
    int reads;                                       /* lattices that are read */
    struct lattice own, read[TERRANE_EDIT_LATTICES]; /* of the window; of needs */
};

/* ---- What is read ---------------------------------------------------------------------------------------- */

/* By level: what smooth and sharpen of a list read for a window, and which of them is the last. */
struct reads {
    bool any[TERRANE_LEVEL_MAX + 1];
    struct terrane_edit_box box[TERRANE_LEVEL_MAX + 1];
    size_t last[TERRANE_LEVEL_MAX + 1];
};

/* The part of a window that an operation may move. */
static bool part_of(const struct terrane_window *window, const struct terrane_edit *edit,
                    struct stroke *stroke, struct edit_part *part)
{
    if (edit->brush == TERRANE_BRUSH_MARK || !stroke_at(edit, window->level, stroke))
        return false;
    const struct terrane_edit_box box = stroke_box(stroke);
    return edit_part_of(window, &box, part);
}

static void add_box(struct terrane_edit_box *sum, const struct terrane_edit_box *box, bool first)
{
    if (first || box->west < sum->west)
        sum->west = box->west;
    if (first || box->north < sum->north)
        sum->north = box->north;
    if (first || box->east > sum->east)
        sum->east = box->east;
    if (first || box->south > sum->south)
        sum->south = box->south;
}

static void find_reads(const struct terrane_edit *edits, size_t count, const struct terrane_window *window,
                       struct reads *reads)
{
    struct stroke stroke;
    struct edit_part part;
    *reads = (struct reads){.any = {false}};
    for (size_t k = 0; k < count; k++)
        if (edit_reads(&edits[k]) && part_of(window, &edits[k], &stroke, &part)) {
            const int level = edit_reads_level(&edits[k], window->level);
            const struct terrane_edit_box box = edit_mean_box(window, &part, level);
            add_box(&reads->box[level], &box, !reads->any[level]);
            reads->any[level] = true;
            reads->last[level] = k;
        }
}

static struct terrane_window read_window(const struct terrane_edit_box *box, int level)
{
    return (struct terrane_window){.level = level,
                                   .gi = box->west - MEAN_REACH,
                                   .gj = box->north - MEAN_REACH,
                                   .step = 1,
                                   .width = (int)(box->east - box->west) + 1 + 2 * MEAN_REACH,
                                   .height = (int)(box->south - box->north) + 1 + 2 * MEAN_REACH};
}

void terrane_edit_needs(const struct terrane_edit *edits, size_t count, const struct terrane_window *window,
                        struct terrane_edit_needs *needs)
{
    struct reads reads;
    find_reads(edits, count, window, &reads);
    needs->count = 0;
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        if (reads.any[level])
            needs->window[needs->count++] = read_window(&reads.box[level], level);
}

/* Whether an operation moves what those behind it read. */
static bool is_read(const struct reads *reads, const struct terrane_edit *edit, size_t k)
{
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        if (reads->any[level] && k < reads->last[level] && !edit_reads(edit)) {
            const struct terrane_window window = read_window(&reads->box[level], level);
            struct stroke stroke;
            struct edit_part part;
            if (part_of(&window, edit, &stroke, &part))
                return true;
        }
    return false;
}

size_t terrane_edits_touching(const struct terrane_edit *edits, size_t count,
                              const struct terrane_window *window, uint8_t *keep)
{
    struct reads reads;
    struct stroke stroke;
    struct edit_part part;
    size_t kept = 0;
    find_reads(edits, count, window, &reads);
    for (size_t k = 0; k < count; k++) {
        keep[k] = part_of(window, &edits[k], &stroke, &part) || is_read(&reads, &edits[k], k);
        kept += keep[k];
    }
    return kept;
}

/* ---- Opening --------------------------------------------------------------------------------------------- */

/* To the nearest, away from 0 where there are two, and held to what edits have numbers for. */
static int32_t in_units(float metres, int32_t most)
{
    const double units = (double)metres * TERRANE_EDIT_UNITS;
    if (!(units > -most))
        return -most;
    return units < most ? (int32_t)(units < 0 ? units - 0.5 : units + 0.5) : most;
}

static bool open_lattice(struct terrane_editing *editing, struct lattice *lattice,
                         const struct terrane_window *window, const float *heights)
{
    const size_t count = samples_of(window), bytes = count * sizeof(int32_t);
    lattice->ground = (struct edit_ground){.window = *window,
                                           .base = memory_take(&editing->memory, bytes),
                                           .delta = memory_zeros(&editing->memory, bytes)};
    if (!lattice->ground.base || !lattice->ground.delta)
        return false;
    for (size_t k = 0; k < count; k++)
        lattice->ground.base[k] = in_units(heights[k], GROUND_MOST);
    return true;
}

static int check_windows(const struct terrane_window *window, const struct terrane_edit_needs *needs)
{
    if (window->level < 0 || window->level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    bool valid = window_valid(window);
    for (int k = 0; k < needs->count; k++)
        valid = valid && window_valid(&needs->window[k]);
    return valid ? 0 : TERRANE_EWINDOW;
}

int terrane_edit_open(const struct terrane_world *world, const struct terrane_window *window,
                      const float *heights, const struct terrane_edit_needs *needs,
                      const float *const *ground, const struct terrane_memory *memory,
                      struct terrane_editing **editing)
{
    const int error = check_windows(window, needs);
    if (error != 0)
        return error;
    struct terrane_editing *made = memory_zeros(memory, sizeof *made);
    if (!made)
        return TERRANE_EMEMORY;
    made->world = world;
    made->memory = *memory_lender(memory);
    bool whole = open_lattice(made, &made->own, window, heights);
    for (int k = 0; k < needs->count && whole; k++, made->reads++)
        whole = open_lattice(made, &made->read[k], &needs->window[k], ground[k]);
    if (needs->count > 0 && whole)
        whole = (made->mean = memory_take(memory, sizeof *made->mean)) != NULL;
    if (!whole) {
        terrane_edit_close(made);
        return TERRANE_EMEMORY;
    }
    *editing = made;
    return 0;
}

static void close_lattice(const struct terrane_memory *memory, struct lattice *lattice)
{
    memory_give(memory, lattice->ground.base);
    memory_give(memory, lattice->ground.delta);
    memory_give(memory, lattice->noise);
}

void terrane_edit_close(struct terrane_editing *editing)
{
    if (!editing)
        return;
    const struct terrane_memory memory = editing->memory;
    close_lattice(&memory, &editing->own);
    for (int k = 0; k < TERRANE_EDIT_LATTICES; k++)
        close_lattice(&memory, &editing->read[k]);
    memory_give(&memory, editing->mean);
    memory_give(&memory, editing);
}

/* ---- Applying -------------------------------------------------------------------------------------------- */

/* Values of a term at all samples of a lattice, which stay until another term is asked for. */
static int find_noise(struct terrane_editing *editing, struct lattice *lattice, int term)
{
    const struct terrane_window *window = &lattice->ground.window;
    if (lattice->noise && lattice->term == term)
        return 0;
    if (!lattice->noise)
        lattice->noise = memory_take(&editing->memory, samples_of(window) * sizeof(float));
    lattice->term = term;
    return lattice->noise ? window_term(editing->world, window, term, &editing->memory, lattice->noise)
                          : TERRANE_EMEMORY;
}

/* What a brush adds to a sample k that gets a share of it. */
static int64_t move(const struct terrane_edit *edit, const struct lattice *lattice, const struct mean *mean,
                    size_t k, int64_t g, int finer, int64_t share)
{
    const int64_t part = share_of(edit->strength, share);
    const int64_t delta = lattice->ground.delta[k], height = lattice->ground.base[k] + delta;
    switch (edit->brush) {
    case TERRANE_BRUSH_RAISE:
        return part;
    case TERRANE_BRUSH_LOWER:
        return -part;
    case TERRANE_BRUSH_LEVEL:
        return share_of(edit->height - height, part);
    case TERRANE_BRUSH_SMOOTH:
        return share_of(mean_between(mean, g, finer) - height, part);
    case TERRANE_BRUSH_SHARPEN:
        return share_of(height - mean_between(mean, g, finer), part);
    case TERRANE_BRUSH_NOISE:
        return share_of(in_units(lattice->noise[k], MOVE_MOST), part);
    case TERRANE_BRUSH_RESTORE:
        return share_of(-delta, part);
    case TERRANE_BRUSH_MARK:
    case TERRANE_BRUSHES:
        break;
    }
    return 0;
}

/* mean: of smooth and sharpen, on a lattice so many levels coarser. */
static void apply_part(const struct terrane_edit *edit, const struct stroke *stroke, struct lattice *lattice,
                       const struct edit_part *part, struct mean *mean, int finer)
{
    const struct terrane_window *window = &lattice->ground.window;
    const int64_t parts = INT64_C(1) << (window->level + EDIT_PARTS_LOG2);
    for (int j = part->north; j <= part->south; j++) {
        const int64_t gj = window->gj + (int64_t)j * window->step;
        if (mean)
            mean_row(mean, gj, finer);
        for (int i = part->west; i <= part->east; i++) {
            const int64_t gi = window->gi + (int64_t)i * window->step;
            const int64_t share = stroke_share(stroke, gi * parts - stroke->x, gj * parts - stroke->y);
            if (share == 0)
                continue;
            const size_t k = (size_t)j * (size_t)window->width + (size_t)i;
            const int64_t delta = lattice->ground.delta[k] + move(edit, lattice, mean, k, gi, finer, share);
            lattice->ground.delta[k] = (int32_t)(delta > MOVE_MOST    ? MOVE_MOST
                                                 : delta < -MOVE_MOST ? -MOVE_MOST
                                                                      : delta);
        }
    }
}

static int apply_alone(struct terrane_editing *editing, struct lattice *lattice,
                       const struct terrane_edit *edit)
{
    struct stroke stroke;
    struct edit_part part;
    if (!part_of(&lattice->ground.window, edit, &stroke, &part))
        return 0;
    const int error = edit->brush == TERRANE_BRUSH_NOISE ? find_noise(editing, lattice, edit->term) : 0;
    if (error == 0)
        apply_part(edit, &stroke, lattice, &part, NULL, 0);
    return error;
}

static int apply_mean(struct terrane_editing *editing, const struct terrane_edit *edit)
{
    const struct terrane_window *window = &editing->own.ground.window;
    struct stroke stroke;
    struct edit_part part;
    if (!part_of(window, edit, &stroke, &part))
        return 0;
    const int level = edit_reads_level(edit, window->level);
    const struct terrane_edit_box box = edit_mean_box(window, &part, level);
    const struct terrane_window needed = read_window(&box, level);
    for (int k = 0; k < editing->reads; k++)
        if (window_covers(&editing->read[k].ground.window, &needed)) {
            mean_make(editing->mean, &editing->read[k].ground, &box);
            apply_part(edit, &stroke, &editing->own, &part, editing->mean, level - window->level);
            return 0;
        }
    return TERRANE_EWINDOW;
}

int terrane_edit_apply(struct terrane_editing *editing, const struct terrane_edit *edits, size_t count)
{
    int error = 0;
    for (const struct terrane_edit *edit = edits; edit < edits + count && error == 0; edit++) {
        if (edit_reads(edit)) {
            error = apply_mean(editing, edit);
            continue;
        }
        error = apply_alone(editing, &editing->own, edit);
        for (int k = 0; k < editing->reads && error == 0; k++)
            error = apply_alone(editing, &editing->read[k], edit);
    }
    return error;
}

void terrane_edit_heights(const struct terrane_editing *editing, float *heights)
{
    const struct edit_ground *ground = &editing->own.ground;
    const size_t count = samples_of(&ground->window);
    for (size_t k = 0; k < count; k++)
        if (ground->delta[k] != 0)
            heights[k] = (float)(ground->base[k] + ground->delta[k]) * (1.0f / TERRANE_EDIT_UNITS);
}
