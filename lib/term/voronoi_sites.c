/*
 * Sites: one a square cell, hashed, relaxed, and the search for the nearest.
 *
 * All numbers are integers, and every site is computed in coordinates of its own cell, so any block that
 * contains a cell finds the same site in it. Lengths are units of 2^-16 cells.
 *
 * Lloyd's relaxation moves each site to the centroid of its Voronoi cell. An endless plane is relaxed exactly
 * from a bounded neighbourhood, because the Voronoi cell is cut at a box of one cell's half-width around the
 * middle of the site's own cell (2 x 2 cells in all), and because sites stay in their cells:
 *
 *  1. A point q of the box lies in some cell, whose site is at most sqrt(2) cells away.
 *  2. Sites outside the 5 x 5 cells around are 2.5 - 1 = 1.5 cells away from q or more: never its nearest. So
 *     the cut Voronoi cell depends only on the 24 neighbours, with 0.08 cells to spare for rounding, and a
 *     round reads VORONOI_REACH = 2 cells far; k rounds, 2k.
 *  3. A centroid outside the site's cell is moved back into it. Cells are half open and cover the plane, so
 *     no two sites ever meet.
 *
 * From 1, and since cells three away begin 2 cells away, the 5 x 5 cells around a place contain its nearest
 * site.
 *
 * No overflow. Corners of the box are within 2^16 of the middle on each axis, neighbours within 2.5 * 2^16.
 * For a site s, a neighbour t and a corner q, side = |q - s|^2 - |q - t|^2 is less than 2 * (3.5 * 2^16)^2 <
 * 2^37 in magnitude; times an edge's extent, at most 2^17, 2^54. A cross product of two corners is at most
 * 2^33, its moment 2^50, and there are at most 28 corners.
 */
#include <string.h>

#include "../base/hash.h"
#include "../base/min_max.h"
#include "voronoi.h"

enum {
    CELL = 1 << 16,
    HALF = 1 << 15,
    CORNERS_MAX = 4 + 24, /* a cut removes at least one corner and adds two */
};

/* The cut Voronoi cell, corners clockwise as rows grow downwards. */
struct polygon {
    int corners;
    int64_t x[CORNERS_MAX], y[CORNERS_MAX];
};

/* Neighbours, nearer ones first: their cuts spare most of the others'. */
static const int8_t ring[24][2] = {
    {0, -1}, {-1, 0}, {1, 0},  {0, 1}, {-1, -1}, {1, -1}, {-1, 1},  {1, 1},
    {0, -2}, {-2, 0}, {2, 0},  {0, 2}, {-1, -2}, {1, -2}, {-2, -1}, {2, -1},
    {-2, 1}, {2, 1},  {-1, 2}, {1, 2}, {-2, -2}, {2, -2}, {-2, 2},  {2, 2},
};

/* ---- Relaxation ---------------------------------------------------------------------------------------- */

/* The square of the distance from (x, y) to the farthest corner. */
static int64_t farthest2(const struct polygon *polygon, int64_t x, int64_t y)
{
    int64_t max = 0;
    for (int i = 0; i < polygon->corners; i++) {
        const int64_t dx = polygon->x[i] - x, dy = polygon->y[i] - y, d = dx * dx + dy * dy;
        max = d > max ? d : max;
    }
    return max;
}

static int next_corner(int i, int n)
{
    return i + 1 < n ? i + 1 : 0;
}

static int previous_corner(int i, int n)
{
    return i > 0 ? i - 1 : n - 1;
}

static void add_corner(struct polygon *polygon, int64_t x, int64_t y)
{
    polygon->x[polygon->corners] = x;
    polygon->y[polygon->corners++] = y;
}

/*
 * Removes the part on the far side of a line, where corners have side > 0. Two corners replace the run of
 * such corners around the worst, where the edges at its ends meet the line, rounded towards the corners that
 * stay. It is one run, even if rounding has left the polygon not quite convex: it never grows by more than 1.
 */
static void cut(struct polygon *polygon, const int64_t *side, int worst)
{
    const int n = polygon->corners;
    const struct polygon old = *polygon;
    int before = previous_corner(worst, n), after = next_corner(worst, n);

    while (before != worst && side[before] > 0)
        before = previous_corner(before, n);
    while (after != worst && side[after] > 0)
        after = next_corner(after, n);
    polygon->corners = 0;
    if (before == worst) /* nothing is left, which only rounding could cause */
        return;
    const int ends[2][2] = {{before, next_corner(before, n)}, {after, previous_corner(after, n)}};
    for (int e = 0; e < 2; e++) {
        const int in = ends[e][0], out = ends[e][1];
        const int64_t part = -side[in], whole = side[out] - side[in];
        add_corner(polygon, old.x[in] + (old.x[out] - old.x[in]) * part / whole,
                   old.y[in] + (old.y[out] - old.y[in]) * part / whole);
    }
    for (int i = after;; i = next_corner(i, n)) {
        add_corner(polygon, old.x[i], old.y[i]);
        if (i == before)
            break;
    }
}

/* Keeps the part that is no farther from (sx, sy) than from (tx, ty). */
static bool keep_nearer(struct polygon *polygon, int64_t sx, int64_t sy, int64_t tx, int64_t ty)
{
    const int64_t nx = 2 * (tx - sx), ny = 2 * (ty - sy), c = (tx * tx + ty * ty) - (sx * sx + sy * sy);
    int64_t side[CORNERS_MAX], max = 0;
    int worst = -1;
    for (int i = 0; i < polygon->corners; i++) {
        side[i] = nx * polygon->x[i] + ny * polygon->y[i] - c;
        if (side[i] > max) {
            max = side[i];
            worst = i;
        }
    }
    if (worst >= 0)
        cut(polygon, side, worst);
    return worst >= 0;
}

static int16_t into_cell(int64_t v)
{
    return (int16_t)(v < -HALF ? -HALF : v > HALF - 1 ? HALF - 1 : v);
}

/* The centroid, to the nearest unit, in the cell; the old site if rounding has left no area. */
static struct voronoi_site centroid(const struct polygon *polygon, struct voronoi_site old)
{
    int64_t area2 = 0, moment_x = 0, moment_y = 0;
    for (int i = 0, j = polygon->corners - 1; i < polygon->corners; j = i++) {
        const int64_t cross = polygon->x[j] * polygon->y[i] - polygon->x[i] * polygon->y[j];
        area2 += cross;
        moment_x += (polygon->x[j] + polygon->x[i]) * cross;
        moment_y += (polygon->y[j] + polygon->y[i]) * cross;
    }
    if (area2 <= 0)
        return old;
    return (struct voronoi_site){.x = into_cell(floor_divide(2 * moment_x + 3 * area2, 6 * area2)),
                                 .y = into_cell(floor_divide(2 * moment_y + 3 * area2, 6 * area2))};
}

/* One round of relaxation for the site in the middle of 5 x 5 in memory, rows `stride` apart. */
static struct voronoi_site relax(const struct voronoi_site *middle, int stride)
{
    const int64_t sx = middle->x, sy = middle->y;
    struct polygon polygon = {.corners = 4, .x = {-CELL, CELL, CELL, -CELL}, .y = {-CELL, -CELL, CELL, CELL}};
    int64_t reach2 = farthest2(&polygon, sx, sy);

    for (int i = 0; i < 24; i++) {
        const struct voronoi_site *t = middle + ring[i][1] * stride + ring[i][0];
        const int64_t tx = ring[i][0] * CELL + t->x, ty = ring[i][1] * CELL + t->y;
        const int64_t dx = tx - sx, dy = ty - sy;
        if (dx * dx + dy * dy >= 4 * reach2) /* twice as far as any corner: nothing is nearer to it */
            continue;
        if (keep_nearer(&polygon, sx, sy, tx, ty))
            reach2 = farthest2(&polygon, sx, sy);
    }
    return centroid(&polygon, *middle);
}

/* ---- Sites --------------------------------------------------------------------------------------------- */

/* Random choice of zones: zone z by hashes from below[z - 1] to below[z] - 1. */
struct draw {
    int zones;
    uint64_t below[TERRANE_ZONES_MAX]; /* 0 .. 2^32, never falling */
};

static struct draw plan_draw(const struct terrane_partition *partition)
{
    struct draw draw = {.zones = partition->zones};
    double sum = 0, so_far = 0;
    for (int z = 0; z < partition->zones; z++)
        sum += (double)partition->zone[z].share;
    for (int z = 0; z < partition->zones; z++) {
        so_far += sum > 0 ? (double)partition->zone[z].share : 1;
        draw.below[z] = (uint64_t)(so_far / (sum > 0 ? sum : (double)partition->zones) * 0x1p32);
    }
    return draw;
}

static uint8_t draw_zone(const struct draw *draw, uint32_t hash)
{
    int z = 0;
    while (z < draw->zones - 1 && hash >= draw->below[z])
        z++;
    return (uint8_t)z;
}

/* -32768 .. 32767, times jitter. */
static int16_t jittered(uint32_t sixteen_bits, int64_t jitter)
{
    return (int16_t)(((int64_t)sixteen_bits - HALF) * jitter >> 16);
}

static void scatter_sites(struct voronoi_sites *sites, uint64_t key, float jitter)
{
    const int64_t scale = (int64_t)(jitter * 65536.0f);
    uint32_t column[VORONOI_SIDE];

    hash_columns(key, sites->column, 0, sites->side_x, column);
    for (int y = 0; y < sites->side_y; y++) {
        const struct hash_row row = hash_row(key, sites->row + y);
        for (int x = 0; x < sites->side_x; x++) {
            const uint32_t h = hash_corner(column[x], row);
            sites->site[y][x] =
                (struct voronoi_site){.x = jittered(h >> 16, scale), .y = jittered(h & 0xFFFF, scale)};
        }
    }
}

static void draw_zones(struct voronoi_sites *sites, const struct terrane_partition *partition, uint64_t key)
{
    const struct draw draw = plan_draw(partition);
    const int edge = sites->edge;
    uint32_t column[VORONOI_SIDE];

    hash_columns(key, sites->column, 0, sites->side_x, column);
    for (int y = edge; y < sites->side_y - edge; y++) {
        const struct hash_row row = hash_row(key, sites->row + y);
        for (int x = edge; x < sites->side_x - edge; x++)
            sites->zone[y][x] = draw_zone(&draw, hash_corner(column[x], row));
    }
}

void voronoi_sites_make(struct voronoi_sites *sites, const struct terrane_partition *partition, uint64_t key,
                        int64_t column, int64_t row, int cells_x, int cells_y)
{
    const int margin = VORONOI_REACH * (1 + partition->rounds);
    sites->column = column - margin;
    sites->row = row - margin;
    sites->side_x = cells_x + 2 * margin;
    sites->side_y = cells_y + 2 * margin;
    sites->edge = 0;

    scatter_sites(sites, hash_absorb(key, 0), partition->jitter);
    for (int round = 0; round < partition->rounds; round++) {
        memcpy(sites->before, sites->site, (size_t)sites->side_y * sizeof sites->site[0]);
        sites->edge += VORONOI_REACH;
        for (int y = sites->edge; y < sites->side_y - sites->edge; y++)
            for (int x = sites->edge; x < sites->side_x - sites->edge; x++)
                sites->site[y][x] = relax(&sites->before[y][x], VORONOI_SIDE);
    }
    draw_zones(sites, partition, hash_absorb(key, 1));
}

/* ---- The nearest --------------------------------------------------------------------------------------- */

struct nearest {
    int64_t distance2;
    int cell;
};

/* Searches the cells within `reach` around the place's. Rows first, and only a strictly nearer one replaces the best. */
static inline struct nearest nearest_within(const struct voronoi_sites *sites, struct voronoi_place place,
                                            int reach)
{
    struct nearest best = {.distance2 = INT64_MAX};
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
            const struct voronoi_site site = sites->site[place.cell_y + dy][place.cell_x + dx];
            const int64_t x = dx * CELL + HALF + site.x - place.x, y = dy * CELL + HALF + site.y - place.y;
            const int64_t distance2 = x * x + y * y;
            if (distance2 < best.distance2) {
                best.distance2 = distance2;
                best.cell = (place.cell_y + dy) * VORONOI_SIDE + place.cell_x + dx;
            }
        }
    return best;
}

/*
 * Cells two away, and every site in them, are more than a cell away: the 3 x 3 cells decide unless their
 * nearest is farther than that.
 */
int voronoi_nearest(const struct voronoi_sites *sites, struct voronoi_place place)
{
    const struct nearest near = nearest_within(sites, place, 1);
    return near.distance2 <= (int64_t)CELL * CELL ? near.cell
                                                  : nearest_within(sites, place, VORONOI_REACH).cell;
}
