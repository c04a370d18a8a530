/*
 * Paths of a world: the graph of nodes.
 *
 * Pairs of nodes are ordered by (squared distance, cell of the lesser, cell of the other), cells by (cy, cx). Two nodes p, q are
 * neighbours if no third one r has (p, r) and (q, r) before (p, q): the relative neighbourhood graph. It contains the minimum
 * spanning tree, so it is connected; no two of its edges cross, and at a node they are 60 degrees apart or more.
 *
 * Cells that decide. In cells of side 1, nodes are 1/8 .. 7/8 into their own. A disc with the edge as its diameter lies where r
 * would be; around any place some cell has all of its nodes within 7/8 * sqrt 2 = 1.24, so no edge is longer than 2.475, and so
 * r, nearer than that to p, is in the 7 x 7 cells around p's. Nor does an edge join cells three apart: (3, 0) always has r in (1,
 * 0), as (q.x - p.x)^2 - (q.x - r.x)^2 >= (r.x - p.x) (2 q.x - r.x - p.x) >= 1/4 * 17/4 = 1.06 is more than 0.75^2 = 0.56; (3, 1)
 * has it in (1, 0) or (2, 1), where the loss along y is below 1.03 for one of the two; (3, 2) and (3, 3) are too long.
 *
 * Spread nodes are 1/16 .. 15/16 into their cells. Then no edge is longer than 2 * 15/16 * sqrt 2 = 2.652; r is in the 7 x 7
 * cells still, as that of a fourth cell is 3.125 away; and edges may join cells three apart.
 *
 * Diamonds of edges with a common node cannot overlap: 60 degrees. Those of two others can: two long edges side by side. Then
 * (Gilbert and Pollak 1968) the greater one, pq, closes a cycle p - r - s - q over the other, rs, of which it is the greatest
 * pair; it is left out. The greatest edge of a cycle is not in the minimum spanning tree, so the graph stays connected.
 */
#include "../base/hash.h"
#include "../base/lend.h"
#include "../term/scratch.h"
#include "network.h"
#include "world_cells.h"

/* ---- Diamonds ------------------------------------------------------------------------------------------ */

/* 14 (p, middle + w, q, middle - w), w = 2/7 of the edge turned by a right angle. */
struct path_diamond path_diamond_of(int64_t px, int64_t py, int64_t qx, int64_t qy)
{
    const int64_t x = qx - px, y = qy - py;
    return (struct path_diamond){
        .x = {14 * px, 7 * (px + qx) - 4 * y, 14 * qx, 7 * (px + qx) + 4 * y},
        .y = {14 * py, 7 * (py + qy) + 4 * x, 14 * qy, 7 * (py + qy) - 4 * x},
    };
}

/* True if a side of a separates the two: b is entirely on its other side. */
static bool parted(const struct path_diamond *a, const struct path_diamond *b)
{
    for (int k = 0; k < 4; k++) {
        const int n = (k + 1) & 3, o = (k + 2) & 3;
        const int64_t x = a->x[n] - a->x[k], y = a->y[n] - a->y[k];
        const int64_t own = (a->y[o] - a->y[k]) * x - (a->x[o] - a->x[k]) * y; /* inside has its sign */
        bool apart = own != 0;
        for (int c = 0; apart && c < 4; c++) {
            const int64_t side = (b->y[c] - a->y[k]) * x - (b->x[c] - a->x[k]) * y;
            apart = own > 0 ? side <= 0 : side >= 0;
        }
        if (apart)
            return true;
    }
    return false;
}

bool path_diamonds_overlap(const struct path_diamond *a, const struct path_diamond *b)
{
    return !parted(a, b) && !parted(b, a);
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

/*
 * Edges that reach the region end at most 2.652 cells and a little from it: in PATH_RINGS rings of cells around its own.
 * Nodes that decide an edge are up to 3 more rings away, and those that decide an edge that it might overlap 3 more.
 */
enum { RINGS = PATH_RINGS + PATH_DECIDE };

static void cells_start(struct path_cells *cells)
{
    const struct path_scale *scale = &cells->scale;
    const int32_t slack = (int32_t)path_node_slack(scale);
    for (int k = 0; k < cells->side * cells->side; k++) {
        const int64_t cx = cells->cx + k % cells->side, cy = cells->cy + k / cells->side;
        struct path_cell *place = &cells->cell[k];
        int64_t gi, gj;
        place->exists = path_cell_exists(scale, cx, cy);
        if (!place->exists)
            continue;
        path_node_start(scale, cells->world->seed, cx, cy, &gi, &gj);
        const int32_t x = (int32_t)(gi - cells->gi), y = (int32_t)(gj - cells->gj);
        *place = (struct path_cell){x - slack, y - slack, x + slack, y + slack, .exists = true};
    }
}

/* Finds a node; error may be set. */
static const struct path_cell *node_at(struct path_cells *cells, int k)
{
    struct path_cell *place = &cells->cell[k];
    if (place->low_x < place->high_x && !cells->error) {
        int64_t gi = cells->gi, gj = cells->gj;
        cells->error =
            path_node_find(cells->world, &cells->scale, &cells->memory, cells->cx + k % cells->side,
                           cells->cy + k / cells->side, &gi, &gj, &place->ground);
        place->low_x = place->high_x = (int32_t)(gi - cells->gi);
        place->low_y = place->high_y = (int32_t)(gj - cells->gj);
    }
    return place;
}

static int64_t gap(int32_t low_a, int32_t high_a, int32_t low_b, int32_t high_b)
{
    return low_a > high_b ? low_a - high_b : low_b > high_a ? low_b - high_a : 0;
}

static int64_t span(int32_t low_a, int32_t high_a, int32_t low_b, int32_t high_b)
{
    const int64_t east = high_a - low_b, west = high_b - low_a;
    return east > west ? east : west;
}

/* Min and max squared distance that two nodes can have: equal once both are known. */
static int64_t min_between(const struct path_cells *cells, int a, int b)
{
    const struct path_cell *p = &cells->cell[a], *q = &cells->cell[b];
    const int64_t x = gap(p->low_x, p->high_x, q->low_x, q->high_x);
    const int64_t y = gap(p->low_y, p->high_y, q->low_y, q->high_y);
    return x * x + y * y;
}

static int64_t max_between(const struct path_cells *cells, int a, int b)
{
    const struct path_cell *p = &cells->cell[a], *q = &cells->cell[b];
    const int64_t x = span(p->low_x, p->high_x, q->low_x, q->high_x);
    const int64_t y = span(p->low_y, p->high_y, q->low_y, q->high_y);
    return x * x + y * y;
}

/* True if pair (a, b) comes before (c, d); indices of cells have the order of (cy, cx). Their nodes are known. */
static bool before(struct path_cells *cells, int a, int b, int c, int d)
{
    (void)node_at(cells, a);
    (void)node_at(cells, b);
    const int64_t one = max_between(cells, a, b), two = max_between(cells, c, d);
    if (one != two)
        return one < two;
    const int low_one = a < b ? a : b, low_two = c < d ? c : d;
    return low_one != low_two ? low_one < low_two : a + b < c + d;
}

static struct path_diamond diamond_of(const struct path_cells *cells, int p, int q)
{
    const struct path_cell *a = &cells->cell[p], *b = &cells->cell[q];
    return path_diamond_of(a->low_x, a->low_y, b->low_x, b->low_y);
}

/* ---- Edges --------------------------------------------------------------------------------------------- */

enum { AROUND = 7 * 7 };

/* The k-th of the 7 x 7 cells around p, or -1. */
static int around(const struct path_cells *cells, int p, int k)
{
    const int x = p % cells->side + k % 7 - 3, y = p / cells->side + k / 7 - 3;
    if (x < 0 || x >= cells->side || y < 0 || y >= cells->side || !cells->cell[y * cells->side + x].exists)
        return -1;
    return y * cells->side + x;
}

/* True if a third node is certainly nearer to both, wherever they are. */
static bool surely_parted(const struct path_cells *cells, int p, int q)
{
    const int64_t min = min_between(cells, p, q);
    for (int k = 0; k < AROUND; k++) {
        const int r = around(cells, p, k);
        if (r >= 0 && r != p && r != q && max_between(cells, p, r) < min && max_between(cells, q, r) < min)
            return true;
    }
    return false;
}

/* p and q are known. */
static bool neighbours(struct path_cells *cells, int p, int q)
{
    const int64_t d2 = max_between(cells, p, q);
    for (int k = 0; k < AROUND; k++) {
        const int r = around(cells, p, k);
        if (r < 0 || r == p || r == q || min_between(cells, p, r) > d2 || min_between(cells, q, r) > d2)
            continue;
        if (before(cells, p, r, p, q) && before(cells, q, r, p, q))
            return false;
    }
    return true;
}

/* True if pq's diamond overlaps that of a lesser edge over which it closes a cycle, from p to r and from s to q. */
static bool overlaps_over(struct path_cells *cells, int p, int q, int r)
{
    const struct path_diamond own = diamond_of(cells, p, q);
    const int64_t d2 = max_between(cells, p, q);
    for (int k = 0; k < AROUND; k++) {
        const int s = around(cells, q, k);
        if (s < 0 || s == p || s == q || s == r || min_between(cells, q, s) > d2 ||
            min_between(cells, r, s) > d2 || !before(cells, q, s, p, q) || !before(cells, r, s, p, q))
            continue;
        const struct path_diamond other = diamond_of(cells, r, s);
        if (path_diamonds_overlap(&own, &other) && neighbours(cells, r, s))
            return true;
    }
    return false;
}

static bool overlaps(struct path_cells *cells, int p, int q)
{
    const int64_t d2 = max_between(cells, p, q);
    for (int k = 0; k < AROUND; k++) {
        const int r = around(cells, p, k);
        if (r >= 0 && r != p && r != q && min_between(cells, p, r) <= d2 && before(cells, p, r, p, q) &&
            overlaps_over(cells, p, q, r))
            return true;
    }
    return false;
}

/* True if the two can be neighbours; then their nodes are known. */
static bool may_join(struct path_cells *cells, int p, int q)
{
    const int64_t n = cells->scale.cell;
    const int64_t longest2 = n * n * (cells->scale.spread ? 7034 : 6126) / 1000 + 1; /* 2.652^2, 2.475^2 */
    if (min_between(cells, p, q) > longest2 || surely_parted(cells, p, q))
        return false;
    (void)node_at(cells, p);
    (void)node_at(cells, q);
    return max_between(cells, p, q) <= longest2;
}

bool path_edge_is(struct path_cells *cells, int p, int q)
{
    const int side = cells->side, y = q / side - p / side;
    const uint32_t bit = UINT32_C(1) << path_behind(q % side - p % side, y);
    struct path_cell *cell = &cells->cell[p];
    if (!(cell->asked & bit) && may_join(cells, p, q) && neighbours(cells, p, q) && !overlaps(cells, p, q))
        cell->joined |= bit;
    cell->asked |= bit;
    return cell->joined & bit;
}

/* True if an edge between the two might reach the region: its diamond is less than 4/5 of a cell wide to either side. */
static bool may_reach(const struct path_cells *cells, int p, int q)
{
    const struct path_cell *a = &cells->cell[p], *b = &cells->cell[q];
    const int32_t wide = (int32_t)(4 * cells->scale.cell / 5);
    const int32_t low = (int32_t)(cells->reach.x[0] / 14) - wide,
                  high = (int32_t)(cells->reach.x[2] / 14) + wide;
    return (a->high_x >= low || b->high_x >= low) && (a->low_x <= high || b->low_x <= high) &&
           (a->high_y >= low || b->high_y >= low) && (a->low_y <= high || b->low_y <= high);
}

static bool joined(struct path_cells *cells, int p, int q)
{
    if (!cells->cell[q].exists || !may_reach(cells, p, q) || !may_join(cells, p, q))
        return false;
    const struct path_diamond diamond = diamond_of(cells, p, q);
    return path_diamonds_overlap(&diamond, &cells->reach) && path_edge_is(cells, p, q);
}

/* ---- The network --------------------------------------------------------------------------------------- */

static uint64_t edge_id(const struct path_cells *cells, int p, int q)
{
    uint64_t id = UINT64_C(0x5061746873); /* "Paths" */
    id = hash_absorb(id, (uint64_t)(cells->cx + p % cells->side));
    id = hash_absorb(id, (uint64_t)(cells->cy + p / cells->side));
    id = hash_absorb(id, (uint64_t)(cells->cx + q % cells->side));
    id = hash_absorb(id, (uint64_t)(cells->cy + q / cells->side));
    return id ? id : 1;
}

/*
 * Nodes: (16 + 2 * 3)^2 = 484 at most; a node has at most 6 edges, 60 degrees apart, so there are 3 * 484 = 1452 edges.
 */
_Static_assert((16 + 2 * PATH_RINGS) * (16 + 2 * PATH_RINGS) <= TERRANE_PATHS_NODES_MAX, "nodes fit");
_Static_assert(3 * (16 + 2 * PATH_RINGS) * (16 + 2 * PATH_RINGS) <= TERRANE_PATHS_EDGES_MAX, "edges fit");

/* Edges of p to cells after it: three apart only if nodes are spread. used: cells whose nodes have any. */
static void edges_of(struct path_cells *cells, int p, int16_t *used, struct terrane_path_network *network)
{
    const int far = cells->scale.spread ? 3 : 2;
    for (int k = PATH_BEHIND_FIRST; k < PATH_BEHIND_END; k++) {
        const int x = k % 7 - 3, y = k / 7, q = p + y * cells->side + x;
        if (x < -far || x > far || y > far || network->edges == TERRANE_PATHS_EDGES_MAX ||
            !joined(cells, p, q))
            continue;
        used[p] = used[q] = 1;
        network->edge[network->edges++] = (struct terrane_path_edge){
            .id = edge_id(cells, p, q),
            .from = p,
            .to = q,
            .state = TERRANE_PATH_OPEN,
            .road = cells->cell[p].trunk >> k & 1 ? TERRANE_PATH_TRUNK : TERRANE_PATH_LANE,
        };
    }
}

static void nodes_number(struct path_cells *cells, int16_t *used, struct terrane_path_network *network)
{
    for (int k = 0; k < cells->side * cells->side; k++) {
        if (!used[k])
            continue;
        used[k] = (int16_t)network->nodes;
        network->node[network->nodes++] = (struct terrane_path_node){
            .cx = cells->cx + k % cells->side,
            .cy = cells->cy + k / cells->side,
            .gi = cells->gi + cells->cell[k].low_x,
            .gj = cells->gj + cells->cell[k].low_y,
            .town = cells->cell[k].town,
        };
    }
    for (int e = 0; e < network->edges; e++) {
        network->edge[e].from = used[network->edge[e].from];
        network->edge[e].to = used[network->edge[e].to];
    }
}

/* The box of all diamonds, with a margin. */
static void needs_of(const struct path_cells *cells, const struct terrane_path_network *network,
                     struct terrane_window *needs)
{
    int64_t west = INT32_MAX, north = INT32_MAX, east = INT32_MIN, south = INT32_MIN;
    *needs = (struct terrane_window){.level = cells->scale.level, .step = 1};
    if (network->edges == 0)
        return;
    for (int e = 0; e < network->edges; e++) {
        const struct terrane_path_node *p = &network->node[network->edge[e].from],
                                       *q = &network->node[network->edge[e].to];
        const struct path_diamond d =
            path_diamond_of(p->gi - cells->gi, p->gj - cells->gj, q->gi - cells->gi, q->gj - cells->gj);
        for (int c = 0; c < 4; c++) {
            west = d.x[c] < west ? d.x[c] : west;
            east = d.x[c] > east ? d.x[c] : east;
            north = d.y[c] < north ? d.y[c] : north;
            south = d.y[c] > south ? d.y[c] : south;
        }
    }
    const int margin = path_needs_margin(cells->world->recipe, &cells->scale);
    west = west / 14 - 1 - margin;
    north = north / 14 - 1 - margin;
    east = east / 14 + 1 + margin;
    south = south / 14 + 1 + margin;
    needs->gi = cells->gi + west;
    needs->gj = cells->gj + north;
    needs->width = (int)(east - west + 1);
    needs->height = (int)(south - north + 1);
}

int terrane_paths_needs_side(const struct terrane_recipe *recipe)
{
    const struct path_scale scale = path_scale_of(recipe);
    return (1 << TERRANE_PATHS_LOG2) +
           2 * (path_reach_samples(&scale) + (int)scale.longest + 2 + path_needs_margin(recipe, &scale));
}

static void square_around(const struct path_scale *scale, struct path_diamond *square)
{
    const int64_t around = path_reach_samples(scale);
    const int64_t low = -14 * around, high = 14 * ((1 << TERRANE_PATHS_LOG2) + around);
    *square = (struct path_diamond){.x = {low, high, high, low}, .y = {low, low, high, high}};
}

bool path_diamond_is_inner(const struct path_scale *scale, const struct path_diamond *diamond)
{
    const int64_t around = path_reach_samples(scale);
    const int64_t low = 14 * around, high = 14 * ((1 << TERRANE_PATHS_LOG2) - around);
    for (int c = 0; c < 4; c++)
        if (diamond->x[c] < low || diamond->x[c] > high || diamond->y[c] < low || diamond->y[c] > high)
            return false;
    return true;
}

/* Edges, and the nodes that have any. */
static int network_make(struct path_cells *cells, int16_t *used, struct terrane_path_network *network)
{
    const int first = cells->rings - PATH_RINGS, end = cells->side - first;
    cells_start(cells);
    if (cells->scale.spread)
        cells->error = path_towns_find(cells);
    for (int y = first; y < end; y++)
        for (int x = first; x < end; x++)
            if (cells->cell[y * cells->side + x].exists)
                edges_of(cells, y * cells->side + x, used, network);
    if (cells->error) {
        network->edges = 0;
        return cells->error;
    }
    nodes_number(cells, used, network);
    return 0;
}

int terrane_paths_graph(const struct terrane_world *world, const struct terrane_memory *memory,
                        struct terrane_path_network *network, struct terrane_window *needs)
{
    if (!network_exists(network))
        return TERRANE_EWINDOW;
    struct path_cells cells = {
        .world = world,
        .scale = path_scale_of(world->recipe),
        .gi = network->x * (1 << TERRANE_PATHS_LOG2),
        .gj = network->y * (1 << TERRANE_PATHS_LOG2),
        .rings = RINGS + path_town_rings(world->recipe),
    };
    cells.cx = (cells.gi >> cells.scale.cell_log2) - cells.rings;
    cells.cy = (cells.gj >> cells.scale.cell_log2) - cells.rings;
    cells.side = (1 << (TERRANE_PATHS_LOG2 - cells.scale.cell_log2)) + 2 * cells.rings;
    square_around(&cells.scale, &cells.reach);
    const size_t count = (size_t)cells.side * (size_t)cells.side;
    cells.cell = memory_zeros(memory, count * (sizeof *cells.cell + sizeof(int16_t)));
    if (!cells.cell || !memory_lend(memory, &cells.memory)) {
        memory_give(memory, cells.cell);
        return TERRANE_EMEMORY;
    }
    network->nodes = network->edges = network->points = 0;
    const int error = network_make(&cells, (int16_t *)(cells.cell + count), network);
    if (error == 0)
        needs_of(&cells, network, needs);
    memory_lend_end(memory, &cells.memory);
    memory_give(memory, cells.cell);
    return error;
}
