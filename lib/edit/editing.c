/*
 * A window under work: its ground as it was, what operations added so far, and the lattices that smooth and sharpen read.
 *
 *  (1) What an operation does to a sample depends on the sample's own ground, on what was added there before, and, of smooth and
 *      sharpen, on the mean there: a function of a lattice, which no window has to do with.
 *  (2) On a lattice that is read all operations before are applied but smooth and sharpen. So a mean never rests on another mean, and
 *      what a window rests on ends TERRANE_EDIT_HALO samples beyond the operations on it.
 */
#include "editing.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "../kernel/erode.h"

enum { BLOCK = 8 /* samples that kernels take at once, at most */ };

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
    return edit_part_of(window, &box, part) && (edit->points == 0 || way_part_of(window, edit, stroke, part));
}

static void add_box(struct terrane_edit_box *sum, const struct terrane_edit_box *box, bool first)
{
    if (first)
        *sum = *box;
    sum->west = min_int64(sum->west, box->west);
    sum->north = min_int64(sum->north, box->north);
    sum->east = max_int64(sum->east, box->east);
    sum->south = max_int64(sum->south, box->south);
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
                        bool whole, struct terrane_edit_needs *needs)
{
    const struct edit_part all = {0, 0, window->width - 1, window->height - 1};
    struct reads reads;
    find_reads(edits, count, window, &reads);
    needs->count = 0;
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        if (reads.any[level]) {
            const struct terrane_edit_box box = whole ? edit_mean_box(window, &all, level) : reads.box[level];
            needs->window[needs->count++] = read_window(&box, level);
        }
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
static int32_t in_units(float metres, int32_t max)
{
    const double units = (double)metres * TERRANE_EDIT_UNITS;
    if (!(units > -max))
        return -max;
    return units < max ? (int32_t)(units < 0 ? units - 0.5 : units + 0.5) : max;
}

static bool begin_lattice(struct terrane_editing *editing, struct edit_lattice *lattice,
                          const struct terrane_window *window)
{
    const size_t bytes = samples_of(window) * sizeof(int32_t);
    lattice->ground = (struct edit_ground){.window = *window,
                                           .base = memory_take(&editing->memory, bytes),
                                           .delta = memory_zeros(&editing->memory, bytes)};
    return lattice->ground.base && lattice->ground.delta;
}

static void fill_lattice(struct edit_lattice *lattice, const float *heights)
{
    const size_t count = samples_of(&lattice->ground.window);
    for (size_t k = 0; k < count; k++)
        lattice->ground.base[k] = in_units(heights[k], EDIT_GROUND_MAX);
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

int editing_begin(const struct terrane_world *world, const struct terrane_window *window,
                  const float *heights, const struct terrane_edit_needs *needs,
                  const struct terrane_memory *memory, struct terrane_editing **editing)
{
    struct terrane_editing *made = memory_zeros(memory, sizeof *made);
    int columns = window->width;
    if (!made)
        return TERRANE_EMEMORY;
    made->world = world;
    made->memory = *memory_lender(memory);
    for (int k = 0; k < needs->count; k++)
        columns = needs->window[k].width > columns ? needs->window[k].width : columns;
    bool whole = begin_lattice(made, &made->own, window) &&
                 (made->to = memory_take(memory, (size_t)columns * 2 * sizeof *made->to)) != NULL;
    for (int k = 0; k < needs->count && whole; k++, made->reads++)
        whole = begin_lattice(made, &made->read[k], &needs->window[k]);
    if (needs->count > 0 && whole)
        whole = (made->mean = memory_take(memory, sizeof *made->mean)) != NULL;
    if (!whole) {
        editing_close(made);
        return TERRANE_EMEMORY;
    }
    made->east2 = made->to + columns;
    fill_lattice(&made->own, heights);
    *editing = made;
    return 0;
}

int editing_open(const struct terrane_world *world, const struct terrane_window *window, const float *heights,
                 const struct terrane_edit_needs *needs, const float *const *ground,
                 const struct terrane_memory *memory, struct terrane_editing **editing)
{
    int error = check_windows(window, needs);
    if (error == 0)
        error = editing_begin(world, window, heights, needs, memory, editing);
    for (int k = 0; k < needs->count && error == 0; k++)
        fill_lattice(&(*editing)->read[k], ground[k]);
    return error;
}

static void close_lattice(const struct terrane_memory *memory, struct edit_lattice *lattice)
{
    memory_give(memory, lattice->ground.base);
    memory_give(memory, lattice->ground.delta);
    memory_give(memory, lattice->noise);
}

void editing_close(struct terrane_editing *editing)
{
    if (!editing)
        return;
    const struct terrane_memory memory = editing->memory;
    close_lattice(&memory, &editing->own);
    for (int k = 0; k < TERRANE_EDIT_LATTICES; k++)
        close_lattice(&memory, &editing->read[k]);
    memory_give(&memory, editing->mean);
    memory_give(&memory, editing->to);
    memory_give(&memory, editing);
}

/* ---- Applying -------------------------------------------------------------------------------------------- */

/* Values of a term at all samples of a lattice, which stay until another term is asked for. */
static int find_noise(struct terrane_editing *editing, struct edit_lattice *lattice, int term)
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

/* What a brush moves samples towards, or by, as kernels have it: a part of sign * (to - here * height). */
static struct edit_stroke law_of(const struct terrane_edit *edit, const struct stroke *stroke)
{
    static const struct {
        double to, here, sign; /* to: where it is the same for all samples */
    } law[TERRANE_BRUSHES] = {
        [TERRANE_BRUSH_RAISE] = {EDIT_WHOLE, 0, 1}, [TERRANE_BRUSH_LOWER] = {EDIT_WHOLE, 0, -1},
        [TERRANE_BRUSH_LEVEL] = {0, 1, 1},          [TERRANE_BRUSH_SMOOTH] = {0, 1, 1},
        [TERRANE_BRUSH_SHARPEN] = {0, 1, -1},       [TERRANE_BRUSH_NOISE] = {0, 0, 1},
        [TERRANE_BRUSH_RESTORE] = {0, 1, 1},
    };
    const double inner = (double)stroke->inner, outer = (double)stroke->outer;
    const double sign = law[edit->brush].sign / EDIT_WHOLE;
    return (struct edit_stroke){
        .inner = inner,
        .inner2 = inner * inner,
        .outer = outer,
        .outer2 = outer * outer,
        .per_ring = (double)stroke->per_ring * 0x1p-45,
        .whole = (double)stroke->share / EDIT_WHOLE,
        .strength = (double)edit->strength / EDIT_WHOLE,
        .to = sign * (edit->brush == TERRANE_BRUSH_LEVEL ? edit->height : law[edit->brush].to),
        .here = sign * law[edit->brush].here,
        .sign = sign,
        .max = EDIT_MOVE_MAX,
    };
}

/* What samples from the k-th of a lattice on, the first column'th of a part, are moved to; NULL: they share it. */
static const double *row_to(const struct terrane_edit *edit, const struct edit_lattice *lattice,
                            const struct mean *mean, size_t k, int column, int count, double *to)
{
    switch (edit->brush) {
    case TERRANE_BRUSH_SMOOTH:
    case TERRANE_BRUSH_SHARPEN:
        for (int i = 0; i < count; i++)
            to[i] = (double)mean_between(mean, column + i);
        return to;
    case TERRANE_BRUSH_NOISE:
        for (int i = 0; i < count; i++)
            to[i] = in_units(lattice->noise[k + (size_t)i], EDIT_MOVE_MAX);
        return to;
    case TERRANE_BRUSH_RESTORE:
        for (int i = 0; i < count; i++)
            to[i] = lattice->ground.base[k + (size_t)i];
        return to;
    case TERRANE_BRUSH_RAISE:
    case TERRANE_BRUSH_LOWER:
    case TERRANE_BRUSH_LEVEL:
    case TERRANE_BRUSH_MARK:
    case TERRANE_BRUSH_WAY:
    case TERRANE_BRUSHES:
        break;
    }
    return NULL;
}

/* Columns of a part, and how far east of a stroke's centre they are, in fine parts. */
struct columns {
    double east, pace;   /* the first; from one to the next */
    int count, room;     /* room: with those behind them, whose samples may be asked for, too */
    const double *east2; /* squares; of a block behind them, too */
};

/* Some of them, from one on. */
struct span {
    int from, count;
};

static int held(double v, int max)
{
    return v < 0 ? 0 : v > max ? max : (int)v;
}

/* Those that may be within so many fine parts of the centre, and those that certainly are. */
static struct span near_of(const struct columns *columns, double reach)
{
    const int from = held((-reach - columns->east) / columns->pace, columns->count);
    return (struct span){from, held((reach - columns->east) / columns->pace + 2, columns->count) - from};
}

static struct span within_of(const struct columns *columns, double reach)
{
    const int from = held((-reach - columns->east) / columns->pace + 2, columns->count);
    return (struct span){from, held((reach - columns->east) / columns->pace, columns->count) - from};
}

static bool is_within(const struct edit_stroke *law, const struct columns *columns, int k)
{
    return columns->east2[k] + law->south2 <= law->inner2;
}

/* A row of a part, from one of its columns on: so many on the ring or beyond, then within, then on the ring. */
struct runs {
    int from, count[3];
};

/* What is beyond has no share, and whole blocks are faster. */
static struct runs runs_of(const struct edit_stroke *law, const struct columns *columns)
{
    struct span all = near_of(columns, __builtin_sqrt(law->outer2 - law->south2)), flat = {0, 0};
    if (law->inner == law->outer) { /* there is no ring */
        for (; all.count > 0 && !is_within(law, columns, all.from); all.count--)
            all.from++;
        while (all.count > 0 && !is_within(law, columns, all.from + all.count - 1))
            all.count--;
        return (struct runs){all.from, {0, all.count, 0}};
    }
    if (law->south2 < law->inner2)
        flat = within_of(columns, __builtin_sqrt(law->inner2 - law->south2));
    const int whole = (all.count + BLOCK - 1) / BLOCK * BLOCK, max = columns->room - all.from;
    struct runs runs = {all.from, {whole < max ? whole : max, 0, 0}};
    if (flat.count >= 2 * BLOCK) {
        const int before = (flat.from - all.from + BLOCK - 1) / BLOCK * BLOCK;
        const int within = (flat.from + flat.count - all.from - before) / BLOCK * BLOCK;
        runs = (struct runs){all.from, {before, within, runs.count[0] - before - within}};
    }
    return runs;
}

/* A row of a part whose first sample is the k-th of the lattice. */
static void apply_row(const struct edit_stroke *law, const struct terrane_edit *edit,
                      struct edit_lattice *lattice, const struct mean *mean, size_t k,
                      const struct columns *columns, double *to)
{
    const struct runs runs = runs_of(law, columns);
    const int count = runs.count[0] + runs.count[1] + runs.count[2];
    const double *row = row_to(edit, lattice, mean, k + (size_t)runs.from, runs.from, count, to);
    for (int n = 0, at = runs.from; n < 3; at += runs.count[n++])
        if (runs.count[n] > 0)
            erode_kernels_current()->edit_row(law, columns->east2 + at, runs.count[n], n == 1,
                                              row ? row + (at - runs.from) : NULL,
                                              lattice->ground.base + k + at, lattice->ground.delta + k + at);
}

/* alone: samples behind the part are not asked for. */
static struct columns columns_of(const struct terrane_editing *editing, const struct stroke *stroke,
                                 const struct terrane_window *window, const struct edit_part *part,
                                 bool alone)
{
    const int64_t parts = INT64_C(1) << (window->level + EDIT_PARTS_LOG2);
    const int64_t west = window->gi + (int64_t)part->west * window->step;
    const double east = (double)stroke_finely(stroke, west * parts - stroke->x);
    const double pace = (double)stroke_finely(stroke, window->step * parts);
    const int count = part->east - part->west + 1, room = alone ? count : window->width - part->west;
    for (int i = 0; i < room && i < count + BLOCK; i++)
        editing->east2[i] = (east + i * pace) * (east + i * pace);
    return (struct columns){east, pace, count, room, editing->east2};
}

/* mean: what smooth and sharpen read, of a lattice so many levels coarser; else NULL. */
static void apply_part(const struct terrane_editing *editing, const struct terrane_edit *edit,
                       const struct stroke *stroke, struct edit_lattice *lattice,
                       const struct edit_part *part, struct mean *mean, int finer)
{
    const struct terrane_window *window = &lattice->ground.window;
    const int64_t parts = INT64_C(1) << (window->level + EDIT_PARTS_LOG2);
    const struct columns columns = columns_of(editing, stroke, window, part, mean != NULL);
    struct edit_stroke law = law_of(edit, stroke);
    if (mean)
        mean_columns(mean, window->gi + (int64_t)part->west * window->step, window->step, columns.count,
                     finer);
    for (int j = part->north; j <= part->south; j++) {
        const int64_t gj = window->gj + (int64_t)j * window->step;
        const double south = (double)stroke_finely(stroke, gj * parts - stroke->y);
        law.south2 = south * south;
        if (law.south2 > law.outer2)
            continue;
        if (mean)
            mean_row(mean, gj, finer);
        apply_row(&law, edit, lattice, mean, (size_t)j * (size_t)window->width + (size_t)part->west, &columns,
                  editing->to);
    }
}

static int apply_alone(struct terrane_editing *editing, struct edit_lattice *lattice,
                       const struct terrane_edit *edit)
{
    struct stroke stroke;
    struct edit_part part;
    if (!part_of(&lattice->ground.window, edit, &stroke, &part))
        return 0;
    if (edit->brush == TERRANE_BRUSH_WAY)
        return way_apply(editing, lattice, edit, &stroke, &part);
    const int error = edit->brush == TERRANE_BRUSH_NOISE ? find_noise(editing, lattice, edit->term) : 0;
    if (error == 0)
        apply_part(editing, edit, &stroke, lattice, &part, NULL, 0);
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
            apply_part(editing, edit, &stroke, &editing->own, &part, editing->mean, level - window->level);
            return 0;
        }
    return TERRANE_EWINDOW;
}

int editing_apply(struct terrane_editing *editing, const struct terrane_edit *edits, size_t count)
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

void editing_heights(const struct terrane_editing *editing, float *heights)
{
    const struct edit_ground *ground = &editing->own.ground;
    const size_t count = samples_of(&ground->window);
    const bool beyond =
        editing->world->recipe->generator >= 16; /* of ground that has no number what was added is added */
    for (size_t k = 0; k < count; k++) {
        const int32_t base = ground->base[k], delta = ground->delta[k];
        if (delta == 0)
            continue;
        if (beyond && (base == EDIT_GROUND_MAX || base == -EDIT_GROUND_MAX))
            heights[k] += (float)delta * (1.0f / TERRANE_EDIT_UNITS);
        else
            heights[k] = (float)(base + delta) * (1.0f / TERRANE_EDIT_UNITS);
    }
}
