/*
 * Blocks of crust and the lines between them, for one cell.
 *
 * A place in the cell reads lines that pass within PLATES_REACH cells of it, so in the 3 x 3 cells around. Every
 * piece of the true Voronoi diagram that lies there has the sites that it is nearest to, and those that cut it
 * off, within VORONOI_REACH cells of itself: PLATES_SIDE cells hold them all. Pieces farther out may be wrong, and
 * are too far away to count: arcs lie an eighth of a cell off their line, and what a line says ends at reach, 7/8
 * at most.
 *
 * Sites and drifts are integers; from these on all is binary64, in the order of the cells, and each cell makes its
 * lines for itself: two cells' copies of one line differ by rounding, some 1e-7 cells.
 */
#include <string.h>

#include "../base/hash.h"
#include "plates.h"

enum { PLATE_LOG2 = 2, MIDDLE = PLATES_SIDE / 2 }; /* a plate's cells are 4 of blocks' */

static const double arc =
    0.125; /* how far behind a trench the arc stands, in cells: the recipe's reach allows for it */

/* What a block is. */
struct block {
    double x, y; /* from the cell's north-west corner */
    double drift_x, drift_y;
    uint64_t plate, hash;
    bool land;
};

/* -1 .. 1 of bits of a hash. */
static double unit(uint64_t hash, int shift)
{
    return (double)(int64_t)(hash >> shift & 0xFFFF) / 32767.5 - 1;
}

static uint64_t hash_of(uint64_t key, int64_t column, int64_t row)
{
    return hash_absorb(hash_absorb(key, (uint64_t)column), (uint64_t)row);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* A smooth number about -1 .. 1 at (x, y) in cells of 2^log2 blocks: bilinear between hashed corners. */
static double swell(uint64_t key, int64_t column, int64_t row, double x, double y, int log2)
{
    const int64_t mask = (INT64_C(1) << log2) - 1, c = column >> log2, r = row >> log2;
    const double side = (double)(INT64_C(1) << log2);
    const double u = ((double)(column & mask) + x) / side, v = ((double)(row & mask) + y) / side;
    const double north = unit(hash_of(key, c, r), 0) * (1 - u) + unit(hash_of(key, c + 1, r), 0) * u;
    const double south = unit(hash_of(key, c, r + 1), 0) * (1 - u) + unit(hash_of(key, c + 1, r + 1), 0) * u;
    return north * (1 - v) + south * v;
}

/* The nearest of the sites of the 3 x 3 plates around a block's: which is a hash, and its drift with it. */
static uint64_t plate_of(uint64_t key, int64_t column, int64_t row, double x, double y)
{
    const int64_t mask = (1 << PLATE_LOG2) - 1, c = column >> PLATE_LOG2, r = row >> PLATE_LOG2;
    const double side = 1 << PLATE_LOG2;
    const double u = ((double)(column & mask) + x) / side, v = ((double)(row & mask) + y) / side;
    double least = 64;
    uint64_t nearest = 0;
    for (int64_t j = -1; j <= 1; j++)
        for (int64_t i = -1; i <= 1; i++) {
            const uint64_t hash = hash_of(key, c + i, r + j);
            const double dx = (double)i + 0.5 + unit(hash, 0) * 0.45 - u,
                         dy = (double)j + 0.5 + unit(hash, 16) * 0.45 - v;
            if (dx * dx + dy * dy < least) {
                least = dx * dx + dy * dy;
                nearest = hash;
            }
        }
    return nearest;
}

/*
 * Land comes in masses of several blocks: what decides is four fifths noise that is wider than a block. The level above
 * which so many blocks lie was counted over 1,000,000 of them; between the counts it is straight.
 */
static double land_level(double land)
{
    static const double level[] = {1.2,    0.347,  0.252, 0.18,   0.117,  0.058, 0,
                                   -0.058, -0.117, -0.18, -0.252, -0.347, -1.2};
    static const double share[] = {0,      0.0833, 0.1667, 0.25,   0.3333, 0.4167, 0.5,
                                   0.5833, 0.6667, 0.75,   0.8333, 0.9167, 1};
    int k = 1;
    while (k < 12 && land > share[k])
        k++;
    return level[k - 1] + (level[k] - level[k - 1]) * (land - share[k - 1]) / (share[k] - share[k - 1]);
}

static struct block block_make(const struct plates *plates, uint64_t key, const struct plates_cell *cell,
                               int i, int j)
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const struct voronoi_site site = plates->sites.site[plates->sites.edge + j][plates->sites.edge + i];
    const int64_t column = cell->column + i - MIDDLE, row = cell->row + j - MIDDLE;
    const double x = 0.5 + (double)site.x * 0x1p-16, y = 0.5 + (double)site.y * 0x1p-16;
    const uint64_t hash = hash_of(hash_absorb(key, 2), column, row);
    const uint64_t plate = plate_of(hash_absorb(key, 3), column, row, x, y);
    const double high = 0.5 * swell(hash_absorb(key, 4), column, row, x, y, PLATE_LOG2) +
                        0.3 * swell(hash_absorb(key, 5), column, row, x, y, 1) + 0.2 * unit(hash, 0);
    return (struct block){
        .x = x + (double)(i - MIDDLE),
        .y = y + (double)(j - MIDDLE),
        .drift_x = unit(plate, 32),
        .drift_y = unit(plate, 48),
        .plate = plate,
        .hash = hash,
        .land = high > land_level((double)recipe->land),
    };
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* What is left of the line between two blocks, in its own parts of 1: from low to high. */
struct piece {
    double x, y, along_x,
        along_y; /* at 0, halfway between the sites; square to the way from one to the other */
    double low, high;
};

/* Keeps what is nearer to a than to the block. Along the line, the difference of squared distances is linear. */
static void piece_cut(struct piece *piece, const struct block *a, const struct block *block)
{
    const double nx = 2 * (block->x - a->x), ny = 2 * (block->y - a->y);
    const double c = (block->x * block->x + block->y * block->y) - (a->x * a->x + a->y * a->y);
    const double at0 = (nx * piece->x + ny * piece->y) - c, rise = nx * piece->along_x + ny * piece->along_y;
    if (rise > 0 && -at0 < piece->high * rise)
        piece->high = -at0 / rise;
    else if (rise < 0 && -at0 < piece->low * rise)
        piece->low = -at0 / rise;
    else if (rise == 0 && at0 > 0)
        piece->high = piece->low;
}

/* Whether a stretch of a line is left. */
static bool piece_is_left(const struct piece *piece)
{
    return piece->high - piece->low > 1e-6;
}

static bool far_off(double a, double b, double reach)
{
    return (a < -reach && b < -reach) || (a > 1 + reach && b > 1 + reach);
}

/* Cuts by the sites of the 3 x 3 cells around one. */
static void piece_cut_near(struct piece *piece, const struct block *block, int a, int b, int around)
{
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const int x = around % PLATES_SIDE + i, y = around / PLATES_SIDE + j, k = y * PLATES_SIDE + x;
            if (x >= 0 && x < PLATES_SIDE && y >= 0 && y < PLATES_SIDE && k != a && k != b)
                piece_cut(piece, &block[a], &block[k]);
        }
}

/* Whether a line may count: the sites around both of its own leave nothing of most, or nothing that is near. By more than rounding may
 * move. */
static bool piece_may_count(struct piece piece, const struct block *block, int a, int b, double reach)
{
    const double near = reach + arc + 0x1p-10;
    piece_cut_near(&piece, block, a, b, a);
    if (piece.high - piece.low < 0)
        return false;
    piece_cut_near(&piece, block, a, b, b);
    return piece.high - piece.low >= 0 &&
           !far_off(piece.x + piece.along_x * piece.low, piece.x + piece.along_x * piece.high, near) &&
           !far_off(piece.y + piece.along_y * piece.low, piece.y + piece.along_y * piece.high, near);
}

/* Whether a block's lines may count: where they do, it is within sqrt(2). */
static bool block_may_count(const struct block *block, double reach)
{
    const double near = reach + arc + 1.4143;
    return !far_off(block->x, block->x, near) && !far_off(block->y, block->y, near);
}

/* Whether a stretch of the line counts. It ends PLATES_SIDE cells away, where nothing has cut it. Sites may be one place. */
static bool piece_make(struct piece *piece, const struct block *block, int a, int b, double reach)
{
    const double dx = block[b].x - block[a].x, dy = block[b].y - block[a].y, apart2 = dx * dx + dy * dy;
    if (apart2 == 0 || apart2 > 8.001) /* each is within sqrt(2) of what both are nearest to */
        return false;
    const double end = PLATES_SIDE / __builtin_sqrt(apart2);
    *piece = (struct piece){.x = (block[a].x + block[b].x) / 2,
                            .y = (block[a].y + block[b].y) / 2,
                            .along_x = -dy,
                            .along_y = dx,
                            .low = -end,
                            .high = end};
    if (!piece_may_count(*piece, block, a, b, reach))
        return false;
    for (int k = 0; k < PLATES_SITES && piece_is_left(piece); k++)
        if (k != a && k != b)
            piece_cut(piece, &block[a], &block[k]);
    return piece_is_left(piece);
}

/* Adds a line, off by so much along the way from one block to the other, unless it lies beyond reach. */
static void line_add(struct plates_cell *cell, const struct piece *piece, enum terrane_plates_of of,
                     double off, double weak, double closing, double reach)
{
    const double long2 = piece->along_x * piece->along_x + piece->along_y * piece->along_y;
    const double scale = off / __builtin_sqrt(long2);
    const double x = piece->x + piece->along_y * scale, y = piece->y - piece->along_x * scale;
    const double x0 = x + piece->along_x * piece->low, y0 = y + piece->along_y * piece->low;
    const double x1 = x + piece->along_x * piece->high, y1 = y + piece->along_y * piece->high;
    if (far_off(x0, x1, reach) || far_off(y0, y1, reach) || cell->lines == PLATES_LINES)
        return;
    const double along = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0);
    const int k = cell->lines++;
    cell->of[k] = (uint8_t)of;
    cell->x[k] = (float)x0;
    cell->y[k] = (float)y0;
    cell->along_x[k] = (float)(x1 - x0);
    cell->along_y[k] = (float)(y1 - y0);
    cell->inverse[k] = (float)(1 / along);
    cell->weak[k] = (float)weak;
    cell->closing[k] = (float)closing;
}

static double within_one(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* What two plates do to each other along a line between two of their blocks. */
static void boundary_add(struct plates_cell *cell, const struct piece *piece, const struct block *a,
                         const struct block *b, double reach)
{
    const double dx = b->x - a->x, dy = b->y - a->y, apart = __builtin_sqrt(dx * dx + dy * dy);
    const double vx = a->drift_x - b->drift_x, vy = a->drift_y - b->drift_y;
    const double closing = (vx * dx + vy * dy) / (apart * 2), shear = (vy * dx - vx * dy) / (apart * 2);
    const double size = closing < 0 ? -closing : closing, least = 0.1;
    const double weak = reach * (1 - within_one((size - least) * 3));
    if (size < least) {
        const double sliding = within_one((shear < 0 ? -shear : shear) * 3);
        line_add(cell, piece, TERRANE_PLATES_TRANSFORM, 0, reach * (1 - sliding), closing, reach);
    } else if (closing < 0) {
        const bool land = a->land && b->land;
        line_add(cell, piece, land ? TERRANE_PLATES_RIFT : TERRANE_PLATES_RIDGE, 0, weak, closing, reach);
    } else if (a->land && b->land) {
        line_add(cell, piece, TERRANE_PLATES_COLLISION, 0, weak, closing, reach);
    } else { /* the ocean's crust goes under; of two oceans', the one that a hash says */
        const bool under_b = a->land != b->land ? b->land : a->plate < b->plate;
        line_add(cell, piece, TERRANE_PLATES_TRENCH, 0, weak, closing, reach);
        line_add(cell, piece, TERRANE_PLATES_ARC, under_b ? arc : -arc, weak, closing, reach);
    }
}

/* Where a plate's continent grew together long ago: some of the lines in it, worn in different degrees. */
static void suture_add(struct plates_cell *cell, const struct piece *piece, const struct block *a,
                       const struct block *b, double reach)
{
    const double age = unit(hash_mix(a->hash ^ b->hash), 0);
    if (a->land && b->land && age > -0.3)
        line_add(cell, piece, TERRANE_PLATES_SUTURE, 0, reach * 0.6 * within_one((1 - age) / 1.3), 0, reach);
}

void plates_cell_make(struct plates *plates, struct plates_cell *cell, int64_t column, int64_t row)
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const struct terrane_partition sites = {.zones = 1, .jitter = recipe->jitter, .rounds = recipe->rounds};
    const uint64_t key = hash_absorb(plates->world->seed, recipe->salt);
    struct block block[PLATES_SITES];
    bool may_count[PLATES_SITES];
    cell->made = true;
    cell->seed = plates->world->seed;
    cell->recipe = plates->world->recipe->digest;
    cell->column = column;
    cell->row = row;
    cell->lines = 0;
    voronoi_sites_make(&plates->sites, &sites, hash_absorb(key, 1), column - PLATES_REACH, row - PLATES_REACH,
                       2 * PLATES_REACH + 1, 2 * PLATES_REACH + 1);
    for (int k = 0; k < PLATES_SITES; k++) {
        block[k] = block_make(plates, key, cell, k % PLATES_SIDE, k / PLATES_SIDE);
        may_count[k] = block_may_count(&block[k], (double)recipe->reach);
    }
    for (int k = 0; k < PLATES_BLOCKS; k++) { /* the inner ones; what fills the last vector is far away */
        const struct block *inner = &block[k < 25 ? (k / 5 + 1) * PLATES_SIDE + k % 5 + 1 : 0];
        const double share = 0.5 + 0.5 * unit(inner->hash, 16);
        cell->site_x[k] = k < 25 ? (float)inner->x : 1024;
        cell->site_y[k] = (float)inner->y;
        cell->crust[k] = (float)(inner->land ? 0.4 + 0.6 * share : -0.5 - 0.5 * share);
    }
    for (int a = 0; a < PLATES_SITES; a++)
        for (int b = a + 1; b < PLATES_SITES; b++) {
            struct piece piece;
            if (!may_count[a] || !may_count[b] || !piece_make(&piece, block, a, b, (double)recipe->reach))
                continue;
            if (block[a].plate != block[b].plate)
                boundary_add(cell, &piece, &block[a], &block[b], (double)recipe->reach);
            else
                suture_add(cell, &piece, &block[a], &block[b], (double)recipe->reach);
        }
}
