/*
 * Plates at nodes: a place is moved by noise, which bends straight lines, and then looks at the blocks and lines
 * around it.
 *
 * Binary32 in cells from the corner of the place's own cell, so that nothing grows with the distance from the
 * origin. What a node has is a function of its number on the level's lattice of nodes; no other place is ever
 * asked.
 */
#include "plates.h"

#include <string.h>

/* The width that every machine has. */
#define LANES 4
#include "../base/lane.h"

enum { SHIFT_OCTAVES = 3 };

/* Cells that the sea's floor moves in a million years, where plates part at a speed of 1. */
static const float age_speed = 1.0f / 48;

/* ---- Moving places ------------------------------------------------------------------------------------- */

/* One octave of value noise along a row of nodes, times amplitude, is added: hashed corners every 2^log2 nodes. */
static void shift_octave(uint64_t key, int64_t column, int64_t row, int count, int log2, float amplitude,
                         float *sum)
{
    const int64_t mask = (INT64_C(1) << log2) - 1, r = row >> log2;
    const struct hash_row north = hash_row(key, r), south = hash_row(key, r + 1);
    const float inverse = 1.0f / (float)(1 << log2), v = node_fade((float)(row & mask) * inverse);
    float west = 0, east = 0;
    for (int i = 0; i < count; i++) {
        const int64_t at = column + i;
        if (i == 0 || (at & mask) == 0) {
            const uint32_t here = hash_column(key, at >> log2), next = hash_column(key, (at >> log2) + 1);
            const float a = hash_unit(hash_corner(here, north)), b = hash_unit(hash_corner(next, north));
            west = a + v * (hash_unit(hash_corner(here, south)) - a);
            east = b + v * (hash_unit(hash_corner(next, south)) - b);
        }
        sum[i] += amplitude * (west + node_fade((float)(at & mask) * inverse) * (east - west));
    }
}

/* In cells: octaves of one cell, a half and a quarter, where that spans four nodes. */
static void shift_row(uint64_t key, int64_t column, int64_t row, int count, int cell_log2, float warp,
                      float *sum)
{
    memset(sum, 0, (size_t)count * sizeof *sum);
    for (int k = 0; k < SHIFT_OCTAVES && cell_log2 - k >= 2; k++, warp *= 0.55f)
        shift_octave(hash_absorb(key, (uint64_t)k), column, row, count, cell_log2 - k, warp, sum);
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/*
 * A cell that is kept, or made in the place of another: of 3 rows all cells of a chunk are, and of 10 rows 20 columns, so that what
 * walks over the same cells, term after term, finds them.
 */
static const struct plates_cell *cell_at(struct plates *plates, int64_t column, int64_t row)
{
    struct plates_cell *cell = &plates->kept->cell[((uint64_t)column + 69 * (uint64_t)row) % PLATES_CELLS];
    const struct terrane_world *world = plates->world;
    _Static_assert(PLATES_CELLS == 256 && (SPLINE_COLUMNS >> PLATES_LEAST_LOG2) + 4 <= 69,
                   "a row, and its shifts");
    if (!cell->made || cell->column != column || cell->row != row || cell->seed != world->seed ||
        memcmp(&cell->recipe, &world->recipe->digest, sizeof cell->recipe) != 0)
        plates_cell_make(plates, cell, column, row);
    return cell;
}

/* The blocks' crusts, each by how nearly its site is the nearest. Sums are of lanes, and then of these from the first on. */
static float crust_at(const struct plates_cell *cell, float x, float y, float blend)
{
    lane_f half[PLATES_BLOCKS / LANES], sum = {0}, weights = {0}, low = lane_splat(1e9f);
    for (int k = 0; k < PLATES_BLOCKS / LANES; k++) {
        const lane_f dx = lane_load(cell->site_x + LANES * k) - x,
                     dy = lane_load(cell->site_y + LANES * k) - y;
        half[k] = (dx * dx + dy * dy) * 0.5f;
        low = lane_select(half[k] < low, half[k], low);
    }
    float least = low[0];
    for (int k = 1; k < LANES; k++)
        least = low[k] < least ? low[k] : least;
    for (int k = 0; k < PLATES_BLOCKS / LANES; k++) {
        const lane_f left = (blend + least) - half[k];
        const lane_f weight = lane_where(left > lane_splat(0), left * left);
        sum += weight * lane_load(cell->crust + LANES * k);
        weights += weight;
    }
    return (((sum[0] + sum[1]) + sum[2]) + sum[3]) / (((weights[0] + weights[1]) + weights[2]) + weights[3]);
}

/* How far each line is, in whole vectors: what stands behind the last is garbage. */
static void distances_make(const struct plates_cell *cell, float x, float y, float off[PLATES_LINES])
{
    const lane_f zero = lane_splat(0), one = lane_splat(1);
    for (int k = 0; k < cell->lines; k += LANES) {
        const lane_f along_x = lane_load(cell->along_x + k), along_y = lane_load(cell->along_y + k);
        const lane_f dx = x - lane_load(cell->x + k), dy = y - lane_load(cell->y + k);
        const lane_f along = (dx * along_x + dy * along_y) * lane_load(cell->inverse + k);
        const lane_f above = lane_select(along < zero, zero, along), t = lane_select(above > one, one, above);
        const lane_f ex = dx - t * along_x, ey = dy - t * along_y;
        lane_store(off + k, lane_sqrt(ex * ex + ey * ey));
    }
}

/* All quantities of a place in a cell. Distances in metres, up to reach. */
static void place_make(const struct plates *plates, const struct plates_cell *cell, float x, float y,
                       float value[TERRANE_PLATES_OFS])
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const float reach = recipe->reach, cell_m = plates->cell_m;
    float closing = 0, weights = 0x1p-10f, age = PLATES_AGE_MOST, off[PLATES_LINES];
    for (int of = 0; of < TERRANE_PLATES_OFS; of++)
        value[of] = reach;
    distances_make(cell, x, y, off);
    for (int k = 0; k < cell->lines; k++) {
        const enum terrane_plates_of of = (enum terrane_plates_of)cell->of[k];
        const float speed = cell->closing[k];
        if (!(off[k] < reach))
            continue;
        /* No line counts from reach on, where the next cell may not know it: there all floor is old. */
        const float grown = -speed * age_speed * (reach - off[k]);
        if ((of == TERRANE_PLATES_RIDGE || of == TERRANE_PLATES_RIFT) && off[k] * reach < grown * age)
            age = off[k] * reach / grown;
        const float far = off[k] + cell->weak[k];
        value[of] = far < value[of] ? far : value[of];
        if (speed != 0 && of != TERRANE_PLATES_ARC) {
            const float near = (reach - off[k]) * (reach - off[k]);
            closing += near * speed;
            weights += near;
        }
    }
    for (int of = 0; of < TERRANE_PLATES_OFS; of++)
        value[of] *= cell_m;
    value[TERRANE_PLATES_CRUST] = crust_at(cell, x, y, recipe->blend);
    value[TERRANE_PLATES_CLOSING] = closing / weights;
    value[TERRANE_PLATES_AGE] = age;
}

/* What there is where cells are too small for the level. */
static void nothing_make(const struct plates *plates, float value[TERRANE_PLATES_OFS])
{
    static const struct plates_cell empty = {.lines = 0};
    place_make(plates, &empty, 0, 0, value);
    value[TERRANE_PLATES_CRUST] = 0;
}

/* The node at (x, y) cells from the corner of cell (column, row), moved: by less than a cell. */
static void node_make(struct plates *plates, int64_t column, int64_t row, float x, float y,
                      float value[TERRANE_PLATES_OFS])
{
    const int east = (int)(x + 16) - 16, south = (int)(y + 16) - 16;
    place_make(plates, cell_at(plates, column + east, row + south), x - (float)east, y - (float)south, value);
}

/* A row of nodes from the chunk's first on. */
static void row_make(struct plates *plates, int64_t row, float (*out)[SPLINE_COLUMNS])
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const int log2 = recipe->cell_log2 - plates->node_log2, count = plates->chunk.columns;
    const uint64_t key = hash_absorb(hash_absorb(plates->world->seed, recipe->salt), 6);
    const int64_t mask = (INT64_C(1) << log2) - 1, first = plates->chunk.column;
    const float inverse = 1.0f / (float)(1 << log2);
    float x[SPLINE_COLUMNS], y[SPLINE_COLUMNS];
    shift_row(hash_absorb(key, 0), first, row, count, log2, recipe->warp, x);
    shift_row(hash_absorb(key, 1), first, row, count, log2, recipe->warp, y);
    for (int c = 0; c < count; c++) {
        float value[TERRANE_PLATES_OFS];
        node_make(plates, (first + c) >> log2, row >> log2, (float)((first + c) & mask) * inverse + x[c],
                  (float)(row & mask) * inverse + y[c], value);
        for (int of = 0; of < TERRANE_PLATES_OFS; of++)
            out[of][c] = value[of];
    }
}

/* A row where cells are too small for the level. */
static void row_empty(const struct plates *plates, float (*out)[SPLINE_COLUMNS])
{
    float value[TERRANE_PLATES_OFS];
    nothing_make(plates, value);
    for (int of = 0; of < TERRANE_PLATES_OFS; of++)
        for (int c = 0; c < plates->chunk.columns; c++)
            out[of][c] = value[of];
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

void plates_start(struct plates *plates, const struct terrane_world *world, struct plates_kept *kept)
{
    plates->world = world;
    plates->cell_m =
        (float)((double)(INT64_C(1) << world->recipe->plates.cell_log2) * world->recipe->spacing_m);
    plates->kept = kept ? kept : &plates->own;
    for (int k = 0; k < PLATES_CELLS && !kept; k++)
        plates->own.cell[k].made = false;
    for (int k = 0; k < PLATES_GROUPS && !kept; k++)
        plates->own.group[k].made = false;
}

void plates_chunk(struct plates *plates, int level, int64_t gi, int width)
{
    const int cell_log2 = plates->world->recipe->plates.cell_log2, finest = cell_log2 - PLATES_NODES_LOG2;
    plates->node_log2 = level > finest ? level : finest;
    plates->none = cell_log2 - plates->node_log2 < PLATES_LEAST_LOG2;
    spline_chunk(&plates->chunk, gi, width, plates->node_log2 - level);
    memset(plates->made, 0, sizeof plates->made);
}

/* The place of a row of nodes, which is made unless it is. */
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
