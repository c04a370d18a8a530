/*
 * Blocks of crust and the lines between them, for one cell.
 *
 * A place in the cell reads lines that pass within PLATES_REACH cells of it, so in the 3 x 3 cells around. Every
 * piece of the true Voronoi diagram there has its nearest sites, and those that cut it off, within VORONOI_REACH
 * cells of itself: PLATES_SIDE cells contain them all. Pieces farther out may be wrong, and are too far away to
 * count: arcs are an eighth of a cell off their line, and lines have no effect beyond reach, at most 7/8.
 *
 * Sites and drifts are integers; from these on all is binary64, in the order of the cells, and each cell makes its
 * lines for itself: two cells' copies of one line differ by rounding, some 1e-7 cells.
 */
#include "../base/hash.h"
#include "plates.h"

enum { PLATE_LOG2 = 2, MIDDLE = PLATES_SIDE / 2 }; /* a plate's cells are 4 of blocks' */

static const double arc =
    0.125; /* distance of the arc behind a trench, in cells: the recipe's reach allows for it */

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

/* The nearest of the sites of the 3 x 3 plates around a block's: its hash, and its drift. */
static uint64_t plate_of(uint64_t key, int64_t column, int64_t row, double x, double y)
{
    const int64_t mask = (1 << PLATE_LOG2) - 1, c = column >> PLATE_LOG2, r = row >> PLATE_LOG2;
    const double side = 1 << PLATE_LOG2;
    const double u = ((double)(column & mask) + x) / side, v = ((double)(row & mask) + y) / side;
    double min = 64;
    uint64_t nearest = 0;
    for (int64_t j = -1; j <= 1; j++)
        for (int64_t i = -1; i <= 1; i++) {
            const uint64_t hash = hash_of(key, c + i, r + j);
            const double dx = (double)i + 0.5 + unit(hash, 0) * 0.45 - u,
                         dy = (double)j + 0.5 + unit(hash, 16) * 0.45 - v;
            if (dx * dx + dy * dy < min) {
                min = dx * dx + dy * dy;
                nearest = hash;
            }
        }
    return nearest;
}

/*
 * Land comes in groups of several blocks: the deciding number is four fifths noise wider than a block. Its quantiles
 * were counted over 1,000,000 blocks; between them it is linear.
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

static struct plates_block block_make(const struct plates *plates, uint64_t key, struct voronoi_site site,
                                      int64_t column, int64_t row)
{
    const double x = 0.5 + (double)site.x * 0x1p-16, y = 0.5 + (double)site.y * 0x1p-16;
    const uint64_t hash = hash_of(hash_absorb(key, 2), column, row);
    const uint64_t plate = plate_of(hash_absorb(key, 3), column, row, x, y);
    const double high = 0.5 * swell(hash_absorb(key, 4), column, row, x, y, PLATE_LOG2) +
                        0.3 * swell(hash_absorb(key, 5), column, row, x, y, 1) + 0.2 * unit(hash, 0);
    return (struct plates_block){
        .x = x,
        .y = y,
        .drift_x = unit(plate, 32),
        .drift_y = unit(plate, 48),
        .plate = plate,
        .hash = hash,
        .looked = false,
        .land = high > land_level((double)plates->world->recipe->plates.land),
    };
}

static void group_make(struct plates *plates, struct plates_group *group, int64_t column, int64_t row)
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    const struct terrane_partition sites = {.zones = 1, .jitter = recipe->jitter, .rounds = recipe->rounds};
    const uint64_t key = hash_absorb(plates->world->seed, recipe->salt);
    const int64_t first_column = column * PLATES_GROUP, first_row = row * PLATES_GROUP;
    const int inner = PLATES_GROUP - 2 * VORONOI_REACH; /* as many more are made all around */
    group->owner = memo_owner(plates->world, 0, column, row);
    group->owner.made = 1;
    voronoi_sites_make(&plates->sites, &sites, hash_absorb(key, 1), first_column + VORONOI_REACH,
                       first_row + VORONOI_REACH, inner, inner);
    for (int j = 0; j < PLATES_GROUP; j++)
        for (int i = 0; i < PLATES_GROUP; i++)
            group->block[j][i] =
                block_make(plates, key, plates->sites.site[plates->sites.edge + j][plates->sites.edge + i],
                           first_column + i, first_row + j);
}

static struct plates_block *block_at(struct plates *plates, int64_t column, int64_t row)
{
    const int64_t c = column >> PLATES_GROUP_LOG2, r = row >> PLATES_GROUP_LOG2;
    struct plates_group *group = &plates->kept.group[((uint64_t)c & 7) + 8 * ((uint64_t)r & 3)];
    _Static_assert(PLATES_GROUPS == 32, "8 x 4");
    if (!memo_owns(&group->owner, plates->world, 0, c, r))
        group_make(plates, group, c, r);
    return &group->block[row & (PLATES_GROUP - 1)][column & (PLATES_GROUP - 1)];
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* The remaining part of the line between two blocks: from low to high. */
struct piece {
    double x, y, along_x,
        along_y; /* at 0, halfway between the sites; perpendicular to the vector between them */
    double low, high;
};

/* For places nearer to a block or to another one: the difference of squared distances is x * .. + y * .. - c. */
struct sides {
    double x[PLATES_SITES], y[PLATES_SITES], c[PLATES_SITES];
};

static void sides_make(struct sides *sides, const struct plates_block *block, int a)
{
    for (int k = 0; k < PLATES_SITES; k++) {
        sides->x[k] = 2 * (block[k].x - block[a].x);
        sides->y[k] = 2 * (block[k].y - block[a].y);
        sides->c[k] = (block[k].x * block[k].x + block[k].y * block[k].y) -
                      (block[a].x * block[a].x + block[a].y * block[a].y);
    }
}

/* Keeps the part that is nearer to the block of sides than to block k. Along the line, the difference is linear. */
static void piece_cut(struct piece *piece, const struct sides *sides, int k)
{
    const double at0 = (sides->x[k] * piece->x + sides->y[k] * piece->y) - sides->c[k],
                 rise = sides->x[k] * piece->along_x + sides->y[k] * piece->along_y;
    if (rise > 0 && -at0 < piece->high * rise)
        piece->high = -at0 / rise;
    else if (rise < 0 && -at0 < piece->low * rise)
        piece->low = -at0 / rise;
    else if (rise == 0 && at0 > 0)
        piece->high = piece->low;
}

/* The blocks that may still shorten a piece: the cuts of others lie outside of it by more than rounding. */
static void piece_cuts(const struct piece *piece, const struct sides *sides, int64_t may[PLATES_SITES])
{
    const double high = piece->high + 0x1p-20, low = piece->low - 0x1p-20;
    for (int k = 0; k < PLATES_SITES; k++) {
        const double at0 = (sides->x[k] * piece->x + sides->y[k] * piece->y) - sides->c[k],
                     rise = sides->x[k] * piece->along_x + sides->y[k] * piece->along_y;
        const double end = rise > 0 ? high : low, beyond = rise == 0 ? -at0 : -at0 - end * rise;
        may[k] = beyond < 0;
    }
}

/* True if a part of a line remains. */
static bool piece_is_left(const struct piece *piece)
{
    return piece->high - piece->low > 1e-6;
}

static bool far_off(double a, double b, double reach)
{
    return (a < -reach && b < -reach) || (a > 1 + reach && b > 1 + reach);
}

/* Cuts by the sites of the 3 x 3 cells around one. */
static void piece_cut_near(struct piece *piece, const struct sides *sides, int a, int b, int around)
{
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const int x = around % PLATES_SIDE + i, y = around / PLATES_SIDE + j, k = y * PLATES_SIDE + x;
            if (x >= 0 && x < PLATES_SIDE && y >= 0 && y < PLATES_SIDE && k != a && k != b)
                piece_cut(piece, sides, k);
        }
}

/* True if a line may count: of most lines, the sites around both of its own leave nothing, or nothing near. The margin exceeds
 * rounding. */
static bool piece_may_count(struct piece *piece, const struct sides *sides, int a, int b, double reach)
{
    const double near = reach + arc + 0x1p-10;
    piece_cut_near(piece, sides, a, b, a);
    if (piece->high - piece->low < 0)
        return false;
    piece_cut_near(piece, sides, a, b, b);
    return piece->high - piece->low >= 0 &&
           !far_off(piece->x + piece->along_x * piece->low, piece->x + piece->along_x * piece->high, near) &&
           !far_off(piece->y + piece->along_y * piece->low, piece->y + piece->along_y * piece->high, near);
}

/* True if a block's lines may count: then it is within sqrt(2). */
static bool block_may_count(const struct plates_block *block, double reach)
{
    const double near = reach + arc + 1.4143;
    return !far_off(block->x, block->x, near) && !far_off(block->y, block->y, near);
}

/* The whole line between two blocks, which ends PLATES_SIDE cells away. false: they have none. Sites may coincide. */
static bool piece_between(struct piece *piece, const struct plates_block *block, int a, int b)
{
    const double dx = block[b].x - block[a].x, dy = block[b].y - block[a].y, apart2 = dx * dx + dy * dy;
    if (apart2 == 0 || apart2 > 8.001) /* each is within sqrt(2) of the places both are nearest to */
        return false;
    const double end = PLATES_SIDE / __builtin_sqrt(apart2);
    *piece = (struct piece){.x = (block[a].x + block[b].x) / 2,
                            .y = (block[a].y + block[b].y) / 2,
                            .along_x = -dy,
                            .along_y = dx,
                            .low = -end,
                            .high = end};
    return true;
}

/* True if a part of it counts. */
static bool piece_make(struct piece *piece, const struct plates_block *block, const struct sides *sides,
                       int a, int b, double reach)
{
    int64_t may[PLATES_SITES];
    if (!piece_between(piece, block, a, b))
        return false;
    struct piece near = *piece;
    if (!piece_may_count(&near, sides, a, b, reach))
        return false;
    piece_cuts(&near, sides, may);
    for (int k = 0; k < PLATES_SITES; k++)
        if (may[k] && k != a && k != b)
            piece_cut(piece, sides, k);
    return piece_is_left(piece);
}

/* ---- Neighbours ---------------------------------------------------------------------------------------- */

/* The blocks of the PLATES_SIDE x PLATES_SIDE cells around one, from its north-west corner. */
static void blocks_around(struct plates *plates, int64_t column, int64_t row, struct plates_block *block)
{
    for (int k = 0; k < PLATES_SITES; k++) {
        const int i = k % PLATES_SIDE - MIDDLE, j = k / PLATES_SIDE - MIDDLE;
        block[k] = *block_at(plates, column + i, row + j);
        block[k].x += (double)i;
        block[k].y += (double)j;
    }
}

/* The blocks after the middle one that may have a line with it: for others the sites around both leave nothing. Bit 0 is the one
 * to the east. Sites are multiples of 2^-16, so every cell that has them finds the same. */
static uint32_t beside_make(const struct plates_block *block)
{
    enum { A = PLATES_SITES / 2 };
    uint32_t beside = 0;
    struct sides sides;
    sides_make(&sides, block, A);
    for (int b = A + 1; b < PLATES_SITES; b++) {
        struct piece piece;
        if (!piece_between(&piece, block, A, b))
            continue;
        piece_cut_near(&piece, &sides, A, b, A);
        if (piece.high - piece.low >= 0)
            piece_cut_near(&piece, &sides, A, b, b);
        beside |= (uint32_t)(piece.high - piece.low >= 0) << (b - A - 1);
    }
    return beside;
}
_Static_assert(PLATES_SITES / 2 <= 32, "bits");

static uint32_t beside_at(struct plates *plates, int64_t column, int64_t row)
{
    const struct plates_block *known = block_at(plates, column, row);
    struct plates_block around[PLATES_SITES], *block;
    if (known->looked)
        return known->beside;
    blocks_around(plates, column, row, around);
    block = block_at(plates, column, row); /* where it may be anew */
    block->beside = beside_make(around);
    block->looked = true;
    return block->beside;
}

/* ---- What lines say ------------------------------------------------------------------------------------ */

/* Adds a line, shifted by so much along the vector between the blocks, unless it is beyond reach. */
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

/* Adds the boundary of two plates along a line between two of their blocks. */
static void boundary_add(struct plates_cell *cell, const struct piece *piece, const struct plates_block *a,
                         const struct plates_block *b, double reach)
{
    const double dx = b->x - a->x, dy = b->y - a->y, apart = __builtin_sqrt(dx * dx + dy * dy);
    const double vx = a->drift_x - b->drift_x, vy = a->drift_y - b->drift_y;
    const double closing = (vx * dx + vy * dy) / (apart * 2), shear = (vy * dx - vx * dy) / (apart * 2);
    const double size = closing < 0 ? -closing : closing, min = 0.1;
    const double weak = reach * (1 - within_one((size - min) * 3));
    if (size < min) {
        const double sliding = within_one((shear < 0 ? -shear : shear) * 3);
        line_add(cell, piece, TERRANE_PLATES_TRANSFORM, 0, reach * (1 - sliding), closing, reach);
    } else if (closing < 0) {
        const bool land = a->land && b->land;
        line_add(cell, piece, land ? TERRANE_PLATES_RIFT : TERRANE_PLATES_RIDGE, 0, weak, closing, reach);
    } else if (a->land && b->land) {
        line_add(cell, piece, TERRANE_PLATES_COLLISION, 0, weak, closing, reach);
    } else { /* oceanic crust subducts; of two oceans', a hash chooses */
        const bool under_b = a->land != b->land ? b->land : a->plate < b->plate;
        line_add(cell, piece, TERRANE_PLATES_TRENCH, 0, weak, closing, reach);
        line_add(cell, piece, TERRANE_PLATES_ARC, under_b ? arc : -arc, weak, closing, reach);
    }
}

/* Adds a suture, where a plate's continent grew together long ago: some of the lines in it, worn in different degrees. */
static void suture_add(struct plates_cell *cell, const struct piece *piece, const struct plates_block *a,
                       const struct plates_block *b, double reach)
{
    const double age = unit(hash_mix(a->hash ^ b->hash), 0);
    if (a->land && b->land && age > -0.3)
        line_add(cell, piece, TERRANE_PLATES_SUTURE, 0, reach * 0.6 * within_one((1 - age) / 1.3), 0, reach);
}

/* Adds all lines of a block with those after it. */
static void lines_add(struct plates *plates, struct plates_cell *cell, const struct plates_block *block,
                      const bool *may_count, int a)
{
    const double reach = (double)plates->world->recipe->plates.reach;
    const int x = a % PLATES_SIDE, y = a / PLATES_SIDE;
    uint32_t beside = beside_at(plates, cell->column + x - MIDDLE, cell->row + y - MIDDLE);
    struct sides sides;
    sides_make(&sides, block, a);
    for (; beside; beside &= beside - 1) {
        const int at = __builtin_ctz(beside) + 1 + PLATES_SITES / 2; /* in the cells around it */
        const int bx = x + at % PLATES_SIDE - MIDDLE, by = y + at / PLATES_SIDE - MIDDLE;
        const int b = by * PLATES_SIDE + bx;
        struct piece piece;
        if (bx < 0 || bx >= PLATES_SIDE || by >= PLATES_SIDE || !may_count[b] ||
            !piece_make(&piece, block, &sides, a, b, reach))
            continue;
        if (block[a].plate != block[b].plate)
            boundary_add(cell, &piece, &block[a], &block[b], reach);
        else
            suture_add(cell, &piece, &block[a], &block[b], reach);
    }
}

void plates_cell_make(struct plates *plates, struct plates_cell *cell, int64_t column, int64_t row)
{
    const struct terrane_plates *recipe = &plates->world->recipe->plates;
    struct plates_block block[PLATES_SITES]; /* from the cell's north-west corner */
    bool may_count[PLATES_SITES];
    cell->column = column;
    cell->row = row;
    cell->lines = 0;
    blocks_around(plates, column, row, block);
    for (int k = 0; k < PLATES_SITES; k++)
        may_count[k] = block_may_count(&block[k], (double)recipe->reach);
    for (int k = 0; k < PLATES_BLOCKS; k++) { /* the inner ones; padding of the last vector is far away */
        const struct plates_block *inner = &block[k < 25 ? (k / 5 + 1) * PLATES_SIDE + k % 5 + 1 : 0];
        const double share = 0.5 + 0.5 * unit(inner->hash, 16);
        cell->site_x[k] = k < 25 ? (float)inner->x : 1024;
        cell->site_y[k] = (float)inner->y;
        cell->crust[k] = (float)(inner->land ? 0.4 + 0.6 * share : -0.5 - 0.5 * share);
    }
    for (int a = 0; a < PLATES_SITES; a++)
        if (may_count[a])
            lines_add(plates, cell, block, may_count, a);
}
