/*
 * Paths of a world: the course of an edge's line.
 *
 * A line goes straight from its node to a gate on the edge's axis, on the samples' cheapest way to the other gate, and
 * straight to the other node. Gates are 4 margins and 2 samples from the nodes: there the diamond, less the margin, is wide
 * enough for a sample beside the gate. The way keeps to that smaller diamond, which is convex. Smoothing takes means of
 * consecutive points, which stay in it; it leaves 9/16 of the straight ends, which still have a margin on both sides.
 * Coordinates are fine units from the first node, so a line does not depend on the region that asks.
 */
#include <string.h>

#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "network.h"
#include "world_line.h"

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* An edge's box is no longer than an edge and a sample. */
static int box_max(const struct terrane_recipe *recipe)
{
    return (int)path_scale_of(recipe).longest + 3;
}

static void block_deal(struct lines *lines, const struct terrane_recipe *recipe,
                       const struct terrane_window *needs, struct room *room)
{
    const size_t samples = samples_of(needs);
    const size_t side = (size_t)box_max(recipe), box = side * side;
    const size_t rivers = recipe->rivers.top > 0;
    lines->wet = room_take(room, samples);
    lines->level = room_take(room, 2 * rivers * samples * sizeof *lines->level);
    lines->toll = room_take(room, rivers * samples);
    lines->box_toll = room_take(room, rivers * box);
    lines->along = room_take(room, rivers * POINTS_MAX * sizeof *lines->along);
    lines->deck = room_take(room, rivers * POINTS_MAX * sizeof *lines->deck);
    lines->ford = room_take(room, rivers * POINTS_MAX * sizeof *lines->ford);
    lines->over = room_take(room, rivers * POINTS_MAX);
    lines->blocked = room_take(room, box);
    lines->box_ground = room_take(room, box * sizeof *lines->box_ground);
    lines->way = room_take(room, WAY_MAX * sizeof *lines->way);
    lines->place = room_take(room, POINTS_MAX * sizeof *lines->place);
    lines->other = room_take(room, POINTS_MAX * sizeof *lines->other);
    lines->height = room_take(room, 3 * POINTS_MAX * sizeof *lines->height);
    lines->cap = room_take(room, POINTS_MAX * sizeof *lines->cap);
    lines->climb = room_take(room, POINTS_MAX * sizeof *lines->climb);
    lines->mark = room_take(room, POINTS_MAX * sizeof *lines->mark);
    lines->point = room_take(room, POINTS_MAX * sizeof *lines->point);
    lines->surface = room_take(room, path_surface_bytes(POINTS_MAX));
    lines->astar = room_take(room, astar_bytes((int)side, (int)side));
}

size_t path_lines_bytes(const struct terrane_recipe *recipe, const struct terrane_window *needs)
{
    struct lines lines;
    struct room room = {NULL, 0};
    block_deal(&lines, recipe, needs, &room);
    return room.taken;
}

/* ---- The way ------------------------------------------------------------------------------------------- */

struct box {
    int64_t x, y; /* samples of needs */
    int width, height;
};

static int64_t least4(const int64_t *v)
{
    return min_int64(min_int64(v[0], v[1]), min_int64(v[2], v[3]));
}

static int64_t greatest4(const int64_t *v)
{
    return max_int64(max_int64(v[0], v[1]), max_int64(v[2], v[3]));
}

/*
 * Fills the box's ground and blocked samples: water, and samples nearer than a margin to the diamond's sides. With v from p
 * to the sample: (4 v.e - 7 |v x e|) / (65^(1/2) |e|) from the two sides at p.
 */
static void box_fill(struct lines *lines, const struct box *box, const struct terrane_path_node *p,
                     const struct terrane_path_node *q)
{
    const int64_t ex = q->gi - p->gi, ey = q->gj - p->gj, e2 = ex * ex + ey * ey;
    const double sample = (double)(INT64_C(1) << lines->scale.sample_log2);
    const int64_t room =
        (int64_t)(lines->scale.margin / sample * 8.06225774829855 * __builtin_sqrt((double)e2)) + 1;
    for (int j = 0; j < box->height; j++)
        for (int i = 0; i < box->width; i++) {
            const size_t from = index_of(lines, box->x + i, box->y + j);
            const int64_t x = lines->needs->gi + box->x + i - p->gi,
                          y = lines->needs->gj + box->y + j - p->gj;
            const int64_t along = x * ex + y * ey, cross = x * ey - y * ex;
            const int64_t wide = 7 * (cross < 0 ? -cross : cross) + room;
            const int k = j * box->width + i;
            lines->blocked[k] = wide > 4 * along || wide > 4 * (e2 - along) || lines->wet[from] != 0;
            lines->box_ground[k] = path_units(&lines->scale, (double)lines->ground[from]);
            if (lines->drained)
                lines->box_toll[k] = lines->toll[from];
        }
}

/* Fine units from p to the gate on the axis before it, away along the edge. */
static struct place gate_of(const struct lines *lines, const struct terrane_path_node *p,
                            const struct terrane_path_node *q)
{
    const double x = (double)(q->gi - p->gi), y = (double)(q->gj - p->gj);
    const double sample = (double)(INT64_C(1) << lines->scale.sample_log2);
    const double far = (4 * lines->scale.margin + 2 * sample) / __builtin_sqrt(x * x + y * y);
    return (struct place){path_floor(x * far + 0.5), path_floor(y * far + 0.5)};
}

/* Samples are relative to p here, too. Returns how many; 0: there is no way. */
static int way_find(struct lines *lines, const struct terrane_path_node *p, const struct terrane_path_node *q,
                    struct place from, struct place to)
{
    const int bits = lines->scale.sample_log2;
    const int64_t half = INT64_C(1) << (bits - 1);
    const struct path_diamond d = path_diamond_of(p->gi - lines->needs->gi, p->gj - lines->needs->gj,
                                                  q->gi - lines->needs->gi, q->gj - lines->needs->gj);
    struct box box = {.x = least4(d.x) / 14, .y = least4(d.y) / 14};
    box.width = (int)(greatest4(d.x) / 14 + 1 - box.x) + 1;
    box.height = (int)(greatest4(d.y) / 14 + 1 - box.y) + 1;
    box_fill(lines, &box, p, q);
    const int64_t px = p->gi - lines->needs->gi - box.x, py = p->gj - lines->needs->gj - box.y;
    const int64_t a = (py + ((from.y + half) >> bits)) * box.width + px + ((from.x + half) >> bits);
    const int64_t b = (py + ((to.y + half) >> bits)) * box.width + px + ((to.x + half) >> bits);
    if (lines->blocked[a] || lines->blocked[b])
        return 0;
    const struct astar_grid grid = {.width = box.width,
                                    .height = box.height,
                                    .ground = lines->box_ground,
                                    .blocked = lines->blocked,
                                    .toll = lines->drained ? lines->box_toll : NULL};
    const int n =
        astar_find(&grid, &lines->cost, (uint32_t)a, (uint32_t)b, lines->astar, lines->way, WAY_MAX);
    for (int k = 0; k < n; k++) {
        const int64_t x = (int64_t)(lines->way[k] % (uint32_t)box.width) - px;
        const int64_t y = (int64_t)(lines->way[k] / (uint32_t)box.width) - py;
        lines->other[k] = (struct place){x * (1 << bits), y * (1 << bits)};
    }
    return n;
}

/* ---- The line ------------------------------------------------------------------------------------------ */

/*
 * Adds a point where a line leaves the disc around the node at its start (step 1) or end (step -1), unless it has one near:
 * there its height begins to rise. Returns the number of points.
 */
static int disc_point(struct place *place, int n, int step, double disc, double sample)
{
    const int node = step > 0 ? 0 : n - 1, end = n - 1 - node;
    int k = node;
    while (k + step != end && beyond(place[node], place[k + step], disc) == 0)
        k += step;
    const struct place a = place[k], b = place[k + step];
    const double in = __builtin_sqrt(length2(place[node], a)), out = __builtin_sqrt(length2(place[node], b));
    if (disc - in < sample / 8 || out - disc < sample / 8)
        return n;
    const int at = step > 0 ? k + 1 : k;
    memmove(place + at + 1, place + at, (size_t)(n - at) * sizeof *place);
    place[at] = place_at(a, b, (disc - in) / (out - in));
    return n + 1;
}

/* Fills place with the points of a line from p, or gives 0: WET. */
static int line_find(struct lines *lines, const struct terrane_path_node *p,
                     const struct terrane_path_node *q, enum terrane_path_state *state)
{
    const int bits = lines->scale.sample_log2;
    const double sample = (double)(INT64_C(1) << bits);
    const struct place end = {(q->gi - p->gi) * (1 << bits), (q->gj - p->gj) * (1 << bits)};
    const struct place gate = gate_of(lines, p, q), back = gate_of(lines, q, p);
    const struct place far = {end.x + back.x, end.y + back.y};
    const double gates = 8 * lines->scale.margin + 8 * sample;
    int n = 0;
    lines->place[n++] = (struct place){0, 0};
    if (length2(lines->place[0], end) > gates * gates) {
        const int ways = way_find(lines, p, q, gate, far);
        *state = TERRANE_PATH_WET;
        if (ways == 0)
            return 0;
        lines->place[n++] = gate;
        for (int k = 2; k + 2 < ways; k += 2)
            lines->place[n++] = lines->other[k];
        lines->place[n++] = far;
    }
    lines->place[n++] = end;
    for (int k = 0; k < 3; k++)
        course_means(lines->place, n);
    if (n > 2) {
        n = course_cut(lines->place, n, lines->other);
        n = course_cut(lines->other, n, lines->place);
    }
    n = course_thin(lines->place, n, sample, lines->other, lines->points_max);
    if (n > 0 && n + 2 <= lines->points_max) {
        n = disc_point(lines->other, n, 1, lines->scale.disc, sample);
        n = disc_point(lines->other, n, -1, lines->scale.disc, sample);
    }
    *state = TERRANE_PATH_STEEP;
    return n;
}

/* ---- Edges --------------------------------------------------------------------------------------------- */

/* Writes the line in lines->other, from origin, with heights into lines->point; else returns why there are none. */
static enum terrane_path_state line_heights(struct lines *lines, const struct terrane_path_node *p,
                                            const struct terrane_path_node *q, struct place origin, int n)
{
    const struct place zero = {0, 0};
    const double apart = beyond(zero, lines->other[n - 1], 2 * lines->scale.disc);
    path_profile_ground(lines, p, lines->other, n);
    if (path_steep(lines, p, q, lines->other, n) && path_line_is_dry(lines, origin, lines->other, n) &&
        path_line_fits(lines, origin, n))
        return TERRANE_PATH_OPEN;
    if ((double)path_rise(p->height, q->height) > lines->scale.line_slope * apart)
        return TERRANE_PATH_STEEP;
    path_profile(lines, p, q, lines->other, n, NULL);
    if (!path_line_is_dry(lines, origin, lines->other, n))
        return TERRANE_PATH_WET;
    return path_line_fits(lines, origin, n) ? TERRANE_PATH_OPEN : TERRANE_PATH_STEEP;
}

/* Returns the number of points in lines->point. */
static int edge_line(struct lines *lines, const struct terrane_path_node *p,
                     const struct terrane_path_node *q, enum terrane_path_state *state)
{
    const int bits = lines->scale.sample_log2;
    const struct place origin = {(p->gi - lines->needs->gi) * (1 << bits),
                                 (p->gj - lines->needs->gj) * (1 << bits)};
    const struct place end = {(q->gi - p->gi) * (1 << bits), (q->gj - p->gj) * (1 << bits)};
    const struct place zero = {0, 0};
    *state = TERRANE_PATH_STEEP;
    if (!(lines->scale.slope > 0))
        return 0;
    if (lines->wet[index_of(lines, p->gi - lines->needs->gi, p->gj - lines->needs->gj)] ||
        lines->wet[index_of(lines, q->gi - lines->needs->gi, q->gj - lines->needs->gj)]) {
        *state = TERRANE_PATH_WET;
        return 0;
    }
    const double apart = beyond(zero, end, 2 * lines->scale.disc);
    if ((double)path_rise(p->height, q->height) > lines->scale.steep * apart)
        return 0;
    if (!path_node_fits(lines, p) || !path_node_fits(lines, q))
        return 0;
    int n = line_find(lines, p, q, state);
    if (n > 0 && lines->drained && (n = path_rivers(lines, p, n)) == 0)
        *state = TERRANE_PATH_WET;
    if (n == 0)
        return 0;
    lines->low = lines->drained && lines->crossings > 0;
    *state = line_heights(lines, p, q, origin, n);
    if (*state != TERRANE_PATH_OPEN && lines->low) {
        lines->low = false;
        *state = line_heights(lines, p, q, origin, n);
    }
    return *state == TERRANE_PATH_OPEN ? n : 0;
}

static int edge_add(struct lines *lines, struct terrane_path_edge *edge)
{
    struct terrane_path_network *network = lines->network;
    struct terrane_path_node *p = &network->node[edge->from], *q = &network->node[edge->to];
    const int n = edge_line(lines, p, q, &edge->state);
    edge->first = edge->points = 0;
    if (n == 0)
        return 0;
    edge->first = network->points;
    edge->points = n;
    if (lines->drained)
        path_bridges(lines, n);
    memcpy(network->point + network->points, lines->point, (size_t)n * sizeof *lines->point);
    network->points += n;
    p->open++;
    q->open++;
    return n;
}

int terrane_paths_lines(const struct terrane_world *world, const struct terrane_window *needs,
                        const float *ground, const float *depth_m, const struct terrane_drained *drained,
                        const struct terrane_memory *memory, struct terrane_path_network *network)
{
    struct lines lines = {
        .world = world,
        .drained = drained,
        .recipe = world->recipe,
        .scale = path_scale_of(world->recipe),
        .network = network,
        .needs = needs,
        .ground = ground,
        .depth_m = depth_m,
        .shore = path_shore_samples(world->recipe),
    };
    const int max = terrane_paths_needs_side(world->recipe);
    if (needs->width == 0) {
        network->points = 0;
        return 0;
    }
    if (needs->width < 0 || needs->height < 1 || needs->width > max || needs->height > max)
        return TERRANE_EWINDOW;
    void *block = memory_take(memory, path_lines_bytes(world->recipe, needs));
    if (!block)
        return TERRANE_EMEMORY;
    block_deal(&lines, world->recipe, needs, &(struct room){block, 0});
    network->points = 0;
    lines.points_max = path_points_max(lines.scale.cell_log2);
    lines.river_units = terrane_erosion_unit_m(world->recipe) / lines.scale.unit_m;
    lines.cost = (struct astar_cost){
        .alpha = 1000,
        .beta = 1.8,
        .per_unit =
            lines.scale.unit_m / (world->recipe->spacing_m * (double)(INT64_C(1) << lines.scale.level)),
    };
    const int error = drained ? path_tolls(&lines, ground, memory) : 0;
    if (error == 0)
        path_wet_mark(&lines);
    for (int n = 0; n < network->nodes && error == 0; n++)
        path_node_height(&lines, &network->node[n]);
    for (int e = 0; e < network->edges && error == 0; e++)
        (void)edge_add(&lines, &network->edge[e]);
    if (error == 0 && world->recipe->generator >= 17 && lines.scale.spread)
        path_lone_close(&lines.scale, network);
    memory_give(memory, block);
    return error;
}
