/*
 * Paths of a world: towns, and the trunk roads between them.
 *
 * A block of 2^block_log2 square cells has one town: of TRIES hashed cells in its middle half the one with the best ground
 * (worth), if it is dry. Towns are neighbours as nodes are, by the places of their cells, in blocks at most 2 apart, and at most
 * FAR_MAX blocks from each other. A third town that is nearer to both is in a block within 2 of both, or does not count.
 *
 * A trunk road is the cheapest way between two of them over edges of the graph, in cells whose summed distance to both is at most
 * WAY_MAX of the distance between the two, plus 2 cells: so it depends only on the two, and every region that it passes finds
 * the same one. The cost of an edge is its rise, and the steepness of the ground in any direction. A trunk road avoids edges that
 * hardly have a line (a node is under the sea, one is too high over the other, or the ground is too steep); if no way is left,
 * there is none.
 */
#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../term/memo.h"
#include "world_cells.h"

#define FAR_MAX  2.25
#define WAY_MAX  1.25
#define SIDE_MAX 1.0 /* slope of the ground over the max slope of a path */

enum {
    TRIES = 4,
    SIDE = 7,
    MIDDLE = SIDE * SIDE / 2,
    BLOCKS_AROUND = 2,
    COAST_M = 40,
    CLIMB_COST = 12,
    SIDE_COST = 12
};

static const int64_t no_worth = INT64_MIN;
static const int32_t no_way = INT32_MAX;

/* Cells are counted from the first one of the cells, blocks from the first one around them. */
struct town {
    int x, y;
    enum { TOWN_UNKNOWN, TOWN_NONE, TOWN_IS } state;
};

/* cost and before: cost of the way to a cell, and the cell before it. */
struct towns {
    struct path_cells *cells;
    int block_log2, side;
    int64_t bx, by;
    struct town *town;
    int32_t *cost, *before, *open;
};

static double far_max(int block_log2)
{
    return FAR_MAX * (double)(1 << block_log2);
}

/* Max distance in cells of a way from the middle between its ends, along an axis. */
static int wide_max(double far)
{
    return (int)((WAY_MAX * far + 2) / 2) + 1;
}

int path_town_rings(const struct terrane_recipe *recipe)
{
    const int log2 = recipe->paths.towns.block_log2;
    return log2 > 0 ? 2 * wide_max(far_max(log2)) : 0;
}

/* ---- Towns --------------------------------------------------------------------------------------------- */

/* For a pass: how much two opposite places are above the middle, and the two across below it; else 0. */
static int64_t pass_over(const int32_t *height, int step, int across)
{
    const int32_t own = height[MIDDLE];
    const int32_t a = height[MIDDLE - step], b = height[MIDDLE + step], c = height[MIDDLE - across],
                  d = height[MIDDLE + across];
    const int64_t up = (int64_t)(a < b ? a : b) - own, down = (int64_t)own - (c > d ? c : d);
    const int64_t min = up < down ? up : down;
    return min > 0 ? min : 0;
}

/* Prefers flat ground, at the bottom of a valley or on a pass, and on a shore. height: of the places around. */
static int64_t worth_of(const struct path_scale *scale, const int32_t *height)
{
    const int r = SIDE / 2;
    const int32_t own = height[MIDDLE];
    int64_t rough = 0, around = 0, best_pass = 0;
    bool shore = false;
    if (own < scale->sea)
        return no_worth;
    for (int k = 0; k < SIDE * SIDE; k++) {
        const int x = k % SIDE - r, y = k / SIDE - r;
        rough += x >= -1 && x <= 1 && y >= -1 && y <= 1 ? path_rise(height[k], own) : 0;
        around += height[k];
        shore = shore || height[k] < scale->sea;
    }
    static const int step[4] = {r, r * SIDE, r * SIDE + r, r * SIDE - r};
    for (int k = 0; k < 4; k++) {
        const int64_t pass = pass_over(height, step[k], step[k ^ 1]);
        best_pass = pass > best_pass ? pass : best_pass;
    }
    const int64_t low = around / (SIDE * SIDE) - own;
    return 2 * low + 6 * best_pass - rough + (shore ? path_units(scale, COAST_M) : 0);
}

/* The worth of a cell, at the start of its node search. */
static int64_t worth_at(struct path_cells *cells, int64_t cx, int64_t cy)
{
    const int stride = (int)(cells->scale.cell / 4);
    int64_t gi, gj;
    float height_m[SIDE * SIDE];
    int32_t height[SIDE * SIDE];
    if (!path_cell_exists(&cells->scale, cx, cy) || cells->error)
        return no_worth;
    struct memo_path *kept = path_kept(cells->world, &cells->scale, &cells->memory, cx, cy);
    if (kept && kept->owner.made & MEMO_PATH_WORTH)
        return kept->worth;
    path_node_start(&cells->scale, cells->world->seed, cx, cy, &gi, &gj);
    const struct terrane_window window = {.level = cells->scale.level,
                                          .gi = gi - SIDE / 2 * stride,
                                          .gj = gj - SIDE / 2 * stride,
                                          .step = stride,
                                          .width = SIDE,
                                          .height = SIDE};
    cells->error = terrane_heights(cells->world, &window, &cells->memory, height_m);
    for (int k = 0; k < SIDE * SIDE && !cells->error; k++)
        height[k] = path_units(&cells->scale, (double)height_m[k]);
    const int64_t worth = cells->error ? no_worth : worth_of(&cells->scale, height);
    if (kept && !cells->error) {
        kept->worth = worth;
        kept->owner.made |= MEMO_PATH_WORTH;
    }
    return worth;
}

static const struct town *town_at(struct towns *towns, int block)
{
    struct town *town = &towns->town[block];
    if (town->state != TOWN_UNKNOWN)
        return town;
    const int bits = towns->block_log2;
    const int64_t bx = towns->bx + block % towns->side, by = towns->by + block / towns->side;
    const int64_t n = INT64_C(1) << bits;
    uint64_t hash = hash_absorb(towns->cells->world->seed, UINT64_C(0x736E776F54)); /* "Towns" */
    int64_t best = no_worth;
    hash = hash_absorb(hash_absorb(hash, (uint64_t)bx), (uint64_t)by);
    town->state = TOWN_NONE;
    for (int k = 0; k < TRIES; k++, hash >>= 16) {
        const int64_t cx = bx * n + n / 4 + (int64_t)(hash & (uint64_t)(n / 2 - 1));
        const int64_t cy = by * n + n / 4 + (int64_t)(hash >> 8 & (uint64_t)(n / 2 - 1));
        const int64_t worth = worth_at(towns->cells, cx, cy);
        if (worth <= best)
            continue;
        best = worth;
        *town = (struct town){(int)(cx - towns->cells->cx), (int)(cy - towns->cells->cy), TOWN_IS};
    }
    return town;
}

/* ---- Neighbours ---------------------------------------------------------------------------------------- */

static int64_t apart2(const struct town *a, const struct town *b)
{
    const int64_t x = a->x - b->x, y = a->y - b->y;
    return x * x + y * y;
}

static bool first_of(const struct town *a, const struct town *b)
{
    return a->y < b->y || (a->y == b->y && a->x < b->x);
}

/* True if pair (a, b) comes before (c, d), as for pairs of nodes. */
static bool before(const struct town *a, const struct town *b, const struct town *c, const struct town *d)
{
    const int64_t one = apart2(a, b), two = apart2(c, d);
    const struct town *low_one = first_of(a, b) ? a : b, *high_one = first_of(a, b) ? b : a;
    const struct town *low_two = first_of(c, d) ? c : d, *high_two = first_of(c, d) ? d : c;
    if (one != two)
        return one < two;
    return low_one != low_two ? first_of(low_one, low_two) : first_of(high_one, high_two);
}

/* True if blocks p, and q after it, are neighbours; all blocks within 2 of both must exist. */
static bool neighbours(struct towns *towns, int p, int q)
{
    const struct town *a = town_at(towns, p), *b = town_at(towns, q);
    const double far = far_max(towns->block_log2);
    const int px = p % towns->side, py = p / towns->side, qx = q % towns->side, qy = q / towns->side;
    if (a->state != TOWN_IS || b->state != TOWN_IS || (double)apart2(a, b) > far * far)
        return false;
    for (int y = max_int(py, qy) - BLOCKS_AROUND; y <= py + qy - max_int(py, qy) + BLOCKS_AROUND; y++)
        for (int x = max_int(px, qx) - BLOCKS_AROUND; x <= px + qx - max_int(px, qx) + BLOCKS_AROUND; x++) {
            const int r = y * towns->side + x;
            const struct town *c = r == p || r == q ? NULL : town_at(towns, r);
            if (c && c->state == TOWN_IS && before(a, c, a, b) && before(b, c, a, b))
                return false;
        }
    return true;
}

/* ---- Ways ---------------------------------------------------------------------------------------------- */

/* True if a way between the two may pass through a cell. */
static bool allowed(const struct town *a, const struct town *b, int x, int y)
{
    return path_length(x - a->x, y - a->y) + path_length(x - b->x, y - b->y) <=
           WAY_MAX * path_length(a->x - b->x, a->y - b->y) + 2;
}

/* The cost of an edge; no_way: no trunk road uses it. Both nodes are known. */
static int32_t cost_of(const struct path_scale *scale, const struct path_cell *p, const struct path_cell *q)
{
    const double far = path_length(p->low_x - q->low_x, p->low_y - q->low_y);
    const double fine = far * (double)(INT64_C(1) << scale->sample_log2);
    const double rise = (double)path_rise(p->ground.height, q->ground.height), flat = fine - 2 * scale->disc;
    const double climb = rise / (scale->steep * fine),
                 side = (p->ground.steep + q->ground.steep) / (2 * scale->steep);
    if (p->ground.height < scale->sea || q->ground.height < scale->sea || side > SIDE_MAX ||
        rise > scale->steep * (flat > 0 ? flat : 0))
        return no_way;
    return (int32_t)(16 * far * (1 + CLIMB_COST * climb * climb + SIDE_COST * side * side));
}

/* Lowers the costs of ways over p to its neighbours. Returns the number of open cells. */
static int step_from(struct towns *towns, const struct town *a, const struct town *b, int p, int open)
{
    struct path_cells *cells = towns->cells;
    for (int k = 0; k < 7 * 7; k++) {
        const int x = p % cells->side + k % 7 - 3, y = p / cells->side + k / 7 - 3, q = y * cells->side + x;
        if (q == p || x < 0 || x >= cells->side || y < 0 || y >= cells->side || !cells->cell[q].exists ||
            !allowed(a, b, x, y) || !path_edge_is(cells, p < q ? p : q, p < q ? q : p))
            continue;
        const int32_t step = cost_of(&cells->scale, &cells->cell[p], &cells->cell[q]);
        if (step == no_way || towns->cost[p] + step >= towns->cost[q])
            continue;
        if (towns->cost[q] == no_way)
            towns->open[open++] = q;
        towns->cost[q] = towns->cost[p] + step;
        towns->before[q] = p;
    }
    return open;
}

/* Removes the cheapest open cell, of equal ones the first, from the list. */
static int take_cheapest(const struct towns *towns, int open)
{
    int best = 0;
    for (int k = 1; k < open; k++) {
        const int32_t own = towns->cost[towns->open[k]], min = towns->cost[towns->open[best]];
        if (own < min || (own == min && towns->open[k] < towns->open[best]))
            best = k;
    }
    const int cell = towns->open[best];
    towns->open[best] = towns->open[open - 1];
    return cell;
}

/* p before q. */
static void mark_road(struct path_cells *cells, int p, int q)
{
    cells->cell[p].trunk |=
        UINT32_C(1) << path_behind(q % cells->side - p % cells->side, q / cells->side - p / cells->side);
}

/* Marks the edges of the way between two towns, if there is one. */
static void lead_road(struct towns *towns, const struct town *a, const struct town *b)
{
    struct path_cells *cells = towns->cells;
    const int from = a->y * cells->side + a->x, to = b->y * cells->side + b->x;
    int open = 1, at = -1;
    for (int k = 0; k < cells->side * cells->side; k++)
        towns->cost[k] = no_way;
    towns->cost[from] = 0;
    towns->open[0] = from;
    while (open > 0 && at != to && !cells->error) {
        at = take_cheapest(towns, open--);
        if (at != to)
            open = step_from(towns, a, b, at, open);
    }
    for (int q = to; at == to && q != from && !cells->error; q = towns->before[q])
        mark_road(cells, q < towns->before[q] ? q : towns->before[q],
                  q < towns->before[q] ? towns->before[q] : q);
}

/* ---- All of them --------------------------------------------------------------------------------------- */

/* True if a stretch of cells around a middle may contain an edge that the region knows. */
static bool comes_by(const struct path_cells *cells, double middle, double wide)
{
    return middle + wide >= cells->rings - PATH_RINGS &&
           middle - wide < cells->side - cells->rings + PATH_RINGS;
}

/*
 * True if a road between the towns of two blocks might pass the region; a town is at most a quarter of a block off
 * its middle.
 */
static bool may_come_by(const struct towns *towns, int p, int q)
{
    const double n = (double)(1 << towns->block_log2), wide = wide_max(far_max(towns->block_log2)) + n / 4;
    const int64_t x = towns->bx * 2 + p % towns->side + q % towns->side + 1,
                  y = towns->by * 2 + p / towns->side + q / towns->side + 1;
    return comes_by(towns->cells, (double)x * n / 2 - (double)towns->cells->cx, wide) &&
           comes_by(towns->cells, (double)y * n / 2 - (double)towns->cells->cy, wide);
}

static void road_find(struct towns *towns, int p, int q)
{
    if (!may_come_by(towns, p, q))
        return;
    const struct town *a = town_at(towns, p), *b = town_at(towns, q);
    const double wide = wide_max(path_length(a->x - b->x, a->y - b->y));
    if (comes_by(towns->cells, (a->x + b->x) / 2.0, wide) &&
        comes_by(towns->cells, (a->y + b->y) / 2.0, wide) && neighbours(towns, p, q))
        lead_road(towns, a, b);
}

static void block_find(struct towns *towns, int p)
{
    struct path_cells *cells = towns->cells;
    const int n = 1 << towns->block_log2, x = p % towns->side, y = p / towns->side;
    const double west = (double)((towns->bx + x) * n - cells->cx),
                 north = (double)((towns->by + y) * n - cells->cy);
    if (comes_by(cells, west + n / 2.0, n / 2.0) && comes_by(cells, north + n / 2.0, n / 2.0) &&
        town_at(towns, p)->state == TOWN_IS)
        cells->cell[towns->town[p].y * cells->side + towns->town[p].x].town = true;
    for (int k = PATH_BEHIND_FIRST; k < PATH_BEHIND_END; k++) {
        const int dx = k % 7 - 3, dy = k / 7;
        if (dx >= -BLOCKS_AROUND && dx <= BLOCKS_AROUND && dy <= BLOCKS_AROUND)
            road_find(towns, p, p + dy * towns->side + dx);
    }
}

int path_towns_find(struct path_cells *cells)
{
    const int bits = cells->world->recipe->paths.towns.block_log2, edge = 2 * BLOCKS_AROUND;
    struct towns towns = {.cells = cells,
                          .block_log2 = bits,
                          .side = (cells->side >> bits) + 2 + 2 * edge,
                          .bx = (cells->cx >> bits) - edge,
                          .by = (cells->cy >> bits) - edge};
    const size_t count = (size_t)cells->side * (size_t)cells->side,
                 blocks = (size_t)towns.side * (size_t)towns.side;
    towns.cost = memory_take(&cells->memory, 3 * count * sizeof *towns.cost);
    towns.town = memory_zeros(&cells->memory, blocks * sizeof *towns.town);
    if (towns.cost && towns.town) {
        towns.before = towns.cost + count;
        towns.open = towns.before + count;
        for (int y = edge; y < towns.side - edge; y++)
            for (int x = edge; x < towns.side - edge; x++)
                block_find(&towns, y * towns.side + x);
    } else
        cells->error = TERRANE_EMEMORY;
    memory_give(&cells->memory, towns.town);
    memory_give(&cells->memory, towns.cost);
    return cells->error;
}
