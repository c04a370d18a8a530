/*
 * Plates at nodes: noise displaces a place, which bends straight lines, and then the blocks and lines around it
 * decide.
 *
 * Binary32 in cells from the corner of the place's own cell, so that nothing grows with the distance from the
 * origin. A node's values are a function of its number on the level's lattice of nodes; no other place is ever
 * evaluated.
 */
#include "plates.h"

#include <string.h>

enum { SHIFT_OCTAVES = 3 };

/* ---- Moving places ------------------------------------------------------------------------------------- */

/* The noise at a column of hashed corners: between those of two rows of them. */
static float corners_at(uint64_t key, int64_t column, struct hash_row north, struct hash_row south, float v)
{
    const uint32_t word = hash_column(key, column);
    const float top = hash_unit(hash_corner(word, north));
    return top + v * (hash_unit(hash_corner(word, south)) - top);
}

/* Adds one octave of value noise along a row of nodes, times amplitude: hashed corners every 2^log2 nodes. */
static void shift_octave(uint64_t key, int64_t column, int64_t row, int count, int log2, float amplitude,
                         float *sum)
{
    const int64_t mask = (INT64_C(1) << log2) - 1, r = row >> log2;
    const struct hash_row north = hash_row(key, r), south = hash_row(key, r + 1);
    const float inverse = 1.0f / (float)(1 << log2), v = node_fade((float)(row & mask) * inverse);
    float east = corners_at(key, column >> log2, north, south, v);
    for (int run; count > 0; column += run, sum += run, count -= run) {
        const float west = east;
        const int32_t at = (int32_t)(column & mask);
        east = corners_at(key, (column >> log2) + 1, north, south, v);
        run = node_run(column, count, log2);
        for (int i = 0; i < run; i++)
            sum[i] += amplitude * (west + node_fade((float)(at + i) * inverse) * (east - west));
    }
}

/* In cells: octaves of one cell, a half and a quarter, if that spans four nodes. */
static void shift_row(uint64_t key, int64_t column, int64_t row, int count, int cell_log2, float warp,
                      float *sum)
{
    memset(sum, 0, (size_t)count * sizeof *sum);
    for (int k = 0; k < SHIFT_OCTAVES && cell_log2 - k >= 2; k++, warp *= 0.55f)
        shift_octave(hash_absorb(key, (uint64_t)k), column, row, count, cell_log2 - k, warp, sum);
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

enum {
    SITES = 3 * PLATES_BLOCKS,
    LINE = 7
}; /* floats of a cell, and of each of its lines without the kind */

static float *numbers_of(const struct plates *plates, const struct plates_known *known)
{
    return plates->kept.pool + known->at % plates->kept.floats;
}

static bool is_kept(const struct plates *plates, const struct plates_known *known, int64_t column,
                    int64_t row)
{
    return memo_owns(&known->owner, plates->world, 0, column, row) &&
           *plates->kept.given - known->at <= plates->kept.floats;
}

/* Caches a made cell: in one piece, after the last one or at the pool's beginning. */
static void keep(const struct plates *plates, struct plates_known *known)
{
    const struct plates_cell *cell = &plates->cell;
    const size_t lines = (size_t)cell->lines, floats = SITES + LINE * lines + (lines + 3) / 4;
    const uint64_t at = *plates->kept.given % plates->kept.floats, left = plates->kept.floats - at;
    *known = (struct plates_known){.owner = memo_owner(plates->world, 0, cell->column, cell->row),
                                   .lines = cell->lines,
                                   .at = *plates->kept.given + (left < floats ? left : 0)};
    known->owner.made = 1;
    *plates->kept.given = known->at + floats;
    const float *const sites[] = {cell->site_x, cell->site_y, cell->crust};
    const float *const line[LINE] = {cell->x,       cell->y,    cell->along_x, cell->along_y,
                                     cell->inverse, cell->weak, cell->closing};
    float *to = numbers_of(plates, known);
    for (int k = 0; k < 3; k++, to += PLATES_BLOCKS)
        memcpy(to, sites[k], PLATES_BLOCKS * sizeof *to);
    for (int k = 0; k < LINE; k++, to += lines)
        memcpy(to, line[k], lines * sizeof *to);
    memcpy(to, cell->of, lines);
}

/* A cached cell, or one made in place of another, for the kernels: valid until the next request. */
static struct plates_near near_at(struct plates *plates, int64_t column, int64_t row)
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    struct plates_known *known = &plates->kept.cell[(row & (plates->kept.down - 1)) * plates->kept.across +
                                                    (column & (plates->kept.across - 1))];
    if (!is_kept(plates, known, column, row)) {
        plates_cell_make(plates, &plates->cell, column, row);
        keep(plates, known);
    }
    const float *const sites = numbers_of(plates, known), *const line = sites + SITES;
    const size_t lines = (size_t)known->lines;
    return (struct plates_near){
        .site_x = sites,
        .site_y = sites + PLATES_BLOCKS,
        .crust = sites + 2 * PLATES_BLOCKS,
        .lines = known->lines,
        .of = (const uint8_t *)(line + LINE * lines),
        .x = line,
        .y = line + lines,
        .along_x = line + 2 * lines,
        .along_y = line + 3 * lines,
        .inverse = line + 4 * lines,
        .weak = line + 5 * lines,
        .closing = line + 6 * lines,
        .reach = recipe->reach,
        .blend = recipe->blend,
        .cell_m = plates->cell_m,
    };
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* Nodes of a row, in cells after their displacement by less than a cell. */
struct moved {
    int8_t east[SPLINE_COLUMNS], south[SPLINE_COLUMNS]; /* cells from the node's own */
    float x[SPLINE_COLUMNS], y[SPLINE_COLUMNS];         /* from that cell's north-west corner */
};

static void moved_make(const struct plates *plates, int64_t row, struct moved *moved)
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const int log2 = recipe->cell_log2 - plates->node_log2, count = plates->chunk.columns;
    const uint64_t key = hash_absorb(hash_absorb(plates->world->seed, recipe->salt), 6);
    const int64_t mask = (INT64_C(1) << log2) - 1, first = plates->chunk.column;
    const float inverse = 1.0f / (float)(1 << log2);
    shift_row(hash_absorb(key, 0), first, row, count, log2, recipe->warp, moved->x);
    shift_row(hash_absorb(key, 1), first, row, count, log2, recipe->warp, moved->y);
    for (int c = 0; c < count; c++) {
        const float x = (float)((first + c) & mask) * inverse + moved->x[c],
                    y = (float)(row & mask) * inverse + moved->y[c];
        const int east = (int)(x + 16) - 16, south = (int)(y + 16) - 16;
        moved->east[c] = (int8_t)east;
        moved->south[c] = (int8_t)south;
        moved->x[c] = x - (float)east;
        moved->y[c] = y - (float)south;
    }
}

/* Makes a row of nodes from the chunk's first on: adjacent ones in one cell together. */
static void row_make(struct plates *plates, int64_t row, float (*out)[SPLINE_COLUMNS])
{
    const int log2 = plates->world->recipe->plates.cell_log2 - plates->node_log2,
              count = plates->chunk.columns;
    struct moved moved;
    moved_make(plates, row, &moved);
    for (int c = 0, end = 0; c < count; c = end) {
        const int64_t column = ((plates->chunk.column + c) >> log2) + moved.east[c];
        const int8_t south = moved.south[c];
        while (end < count && ((plates->chunk.column + end) >> log2) + moved.east[end] == column &&
               moved.south[end] == south)
            end++;
        const struct plates_near near = near_at(plates, column, (row >> log2) + south);
        float *value[TERRANE_PLATES_OFS];
        for (int of = 0; of < TERRANE_PLATES_OFS; of++)
            value[of] = out[of] + c;
        kernels_current()->plates_row(&near, end - c, moved.x + c, moved.y + c, value);
    }
}

/* Fills a row if cells are too small for the level. */
static void row_empty(const struct plates *plates, float (*out)[SPLINE_COLUMNS])
{
    static const float zero[SPLINE_COLUMNS] = {0};
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const struct plates_near near = {.site_x = zero,
                                     .site_y = zero,
                                     .crust = zero,
                                     .reach = recipe->reach,
                                     .blend = recipe->blend,
                                     .cell_m = plates->cell_m};
    float *value[TERRANE_PLATES_OFS];
    for (int of = 0; of < TERRANE_PLATES_OFS; of++)
        value[of] = out[of];
    kernels_current()->plates_row(&near, plates->chunk.columns, zero, zero, value);
    memset(out[TERRANE_PLATES_CRUST], 0, sizeof out[TERRANE_PLATES_CRUST]);
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

void plates_start(struct plates *plates, const struct terrane_world *world, struct plates_kept *kept)
{
    struct plates_own *const own = &plates->own;
    plates->world = world;
    plates->cell_m =
        (float)((double)(INT64_C(1) << world->recipe->plates.cell_log2) * world->recipe->spacing_m);
    if (kept) {
        plates->kept = (struct plates_store){&kept->given, kept->cell,  PLATES_ACROSS, PLATES_DOWN,
                                             kept->pool,   PLATES_POOL, kept->group};
        return;
    }
    plates->kept = (struct plates_store){&own->given, own->cell,       PLATES_OWN_ACROSS, PLATES_OWN_DOWN,
                                         own->pool,   PLATES_OWN_POOL, own->group};
    own->given = 0;
    for (int k = 0; k < PLATES_OWN_DOWN * PLATES_OWN_ACROSS; k++)
        own->cell[k].owner.made = 0;
    for (int k = 0; k < PLATES_GROUPS; k++)
        own->group[k].owner.made = 0;
}

void plates_chunk(struct plates *plates, int level, int64_t gi, int width)
{
    const int cell_log2 = plates->world->recipe->plates.cell_log2, finest = cell_log2 - PLATES_NODES_LOG2;
    plates->node_log2 = level > finest ? level : finest;
    plates->none = cell_log2 - plates->node_log2 < PLATES_MIN_LOG2;
    spline_chunk(&plates->chunk, gi, width, plates->node_log2 - level);
    memset(plates->made, 0, sizeof plates->made);
}

/* The place of a row of nodes, made if needed. */
static int row_at(struct plates *plates, int64_t row)
{
    const int place = (int)((uint64_t)row % SPLINE_ROWS);
    if (plates->made[place] && plates->row[place] == row)
        return place;
    if (plates->none)
        row_empty(plates, plates->node[place]);
    else
        row_make(plates, row, plates->node[place]);
    plates->made[place] = true;
    plates->row[place] = row;
    return place;
}

void plates_rows(struct plates *plates, enum terrane_plates_of of, const struct rows *rows, struct strip *out)
{
    for (int r = rows->first; r < rows->end; r++) {
        const float *node[4];
        float t;
        const int64_t row = spline_row(rows->gj + (int64_t)r * rows->step, plates->chunk.log2, &t);
        for (int k = 0; k < 4; k++)
            node[k] = plates->node[row_at(plates, row + k)][of];
        spline_samples(&plates->chunk, node, t, out->value[r] + KERNEL_PAD);
    }
}
