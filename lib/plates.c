/*
 * Plates at nodes: a place is moved by noise, which makes lines of straight ones' kinks, and then looks at the blocks and lines
 * around it.
 *
 * Binary32 in cells from the corner of the place's own cell, so that nothing grows with the distance from the origin. What a node
 * has is a function of its number on the level's lattice of nodes; no other place is ever asked.
 */
#include "plates.h"

#include <string.h>

/* Millions of years that the sea's floor needs for a cell, where plates part at a speed of 1: 1 / this. */
static const float age_speed = 1.0f / 48;

/* ---- Moving places ------------------------------------------------------------------------------------- */

/* In cells: octaves from one cell down to 4 nodes. */
static float shift_at(uint64_t key, int64_t column, int64_t row, int cell_log2, float warp)
{
    float sum = 0;
    for (int log2 = cell_log2; log2 >= 2; log2--, warp *= 0.55f)
        sum += warp * node_noise(hash_absorb(key, (uint64_t)(cell_log2 - log2)), column, row, log2);
    return sum;
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* A cell that is kept, or made in the place of another. */
static const struct plates_cell *cell_at(struct plates *plates, int64_t column, int64_t row)
{
    struct plates_cell *cell = &plates->cell[((uint64_t)column & 15) + 16 * ((uint64_t)row & 3)];
    const struct terrane_world *world = plates->world;
    _Static_assert(PLATES_CELLS == 64, "16 x 4");
    if (!cell->made || cell->column != column || cell->row != row || cell->seed != world->seed ||
        memcmp(&cell->recipe, &world->recipe->digest, sizeof cell->recipe) != 0)
        plates_cell_make(plates, cell, column, row);
    return cell;
}

/* The blocks' crusts, each by how nearly its site is the nearest. */
static float crust_at(const struct plates_cell *cell, float x, float y, float blend)
{
    float e[PLATES_SITES], least = 1e9f, sum = 0, weights = 0;
    for (int j = 1; j < PLATES_SIDE - 1; j++)
        for (int i = 1; i < PLATES_SIDE - 1; i++) {
            const struct plates_block *block = &cell->block[j * PLATES_SIDE + i];
            const float dx = block->x - x, dy = block->y - y;
            const float half = (dx * dx + dy * dy) * 0.5f;
            e[j * PLATES_SIDE + i] = half;
            least = half < least ? half : least;
        }
    for (int j = 1; j < PLATES_SIDE - 1; j++)
        for (int i = 1; i < PLATES_SIDE - 1; i++) {
            const int k = j * PLATES_SIDE + i;
            const float left = blend - (e[k] - least);
            if (left > 0) {
                sum += left * left * cell->block[k].crust;
                weights += left * left;
            }
        }
    return sum / weights;
}

static float distance_to(const struct plates_line *line, float x, float y)
{
    const float dx = x - line->x, dy = y - line->y;
    float t = (dx * line->along_x + dy * line->along_y) * line->inverse;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const float ex = dx - t * line->along_x, ey = dy - t * line->along_y;
    return __builtin_sqrtf(ex * ex + ey * ey);
}

/* All quantities of a place in a cell. Distances in metres, up to reach. */
static void place_make(const struct plates *plates, const struct plates_cell *cell, float x, float y,
                       float value[TERRANE_PLATES_OFS])
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const float cell_m =
        (float)((double)(INT64_C(1) << recipe->cell_log2) * plates->world->recipe->spacing_m);
    float closing = 0, weights = 0x1p-10f, age = PLATES_AGE_MOST;
    for (int of = 0; of < TERRANE_PLATES_OFS; of++)
        value[of] = recipe->reach;
    for (int k = 0; k < cell->lines; k++) {
        const struct plates_line *line = &cell->line[k];
        const float off = distance_to(line, x, y), far = off + line->weak;
        value[line->of] = far < value[line->of] ? far : value[line->of];
        if ((line->of == TERRANE_PLATES_RIDGE || line->of == TERRANE_PLATES_RIFT) &&
            off < -line->closing * age * age_speed)
            age = off / (-line->closing * age_speed);
        if (line->closing != 0 && line->of != TERRANE_PLATES_ARC && off < recipe->reach) {
            const float near = (recipe->reach - off) * (recipe->reach - off);
            closing += near * line->closing;
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
    static const struct plates_cell empty = {.block = {{0}}};
    place_make(plates, &empty, 0, 0, value);
    value[TERRANE_PLATES_CRUST] = 0;
}

static void node_make(struct plates *plates, int64_t column, int64_t row, float value[TERRANE_PLATES_OFS])
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const int log2 = recipe->cell_log2 - plates->node_log2;
    const uint64_t key = hash_absorb(hash_absorb(plates->world->seed, recipe->salt), 6);
    const int64_t mask = (INT64_C(1) << log2) - 1;
    const float inverse = 1.0f / (float)(1 << log2);
    float x = (float)(column & mask) * inverse + shift_at(hash_absorb(key, 0), column, row, log2, recipe->warp);
    float y = (float)(row & mask) * inverse + shift_at(hash_absorb(key, 1), column, row, log2, recipe->warp);
    const int east = (int)(x + 16) - 16, south = (int)(y + 16) - 16; /* shifts are under 2 cells */
    x -= (float)east;
    y -= (float)south;
    place_make(plates, cell_at(plates, (column >> log2) + east, (row >> log2) + south), x, y, value);
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

void plates_start(struct plates *plates, const struct terrane_world *world, struct plates_cell *kept)
{
    plates->world = world;
    plates->cell = kept ? kept : plates->own;
    for (int k = 0; k < PLATES_CELLS && !kept; k++)
        plates->own[k].made = false;
}

void plates_chunk(struct plates *plates, int level, int64_t gi, int width)
{
    const int cell_log2 = plates->world->recipe->plates.cell_log2, finest = cell_log2 - PLATES_NODES_LOG2;
    plates->level = level;
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
    for (int c = 0; c < plates->chunk.columns; c++) {
        float value[TERRANE_PLATES_OFS];
        if (plates->none)
            nothing_make(plates, value);
        else
            node_make(plates, plates->chunk.column + c, row, value);
        for (int of = 0; of < TERRANE_PLATES_OFS; of++)
            plates->node[place][of][c] = value[of];
    }
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
