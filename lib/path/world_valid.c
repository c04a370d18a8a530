/*
 * Paths of a world: validation of untrusted networks, and their colour.
 *
 * A valid network may be nonsense, but apply reads nothing outside of it and computes only with finite numbers: indices
 * and ranges are checked, no segment is empty, and everything is near the region, so offsets from there are integers that
 * a double holds. Its cost is not much more than that of a real one: no two lines share points, and no segment is longer
 * than real ones.
 */
#include "network.h"
#include "world.h"

/* ---- Valid --------------------------------------------------------------------------------------------- */

/* True if v is near the region, in fine units. */
static bool near(const struct path_scale *scale, int64_t v, int64_t region)
{
    const int64_t from =
        (int64_t)((uint64_t)v - ((uint64_t)region << (TERRANE_PATHS_LOG2 + scale->sample_log2)));
    const int64_t max = ((1 << TERRANE_PATHS_LOG2) + 4 * scale->cell) * (INT64_C(1) << scale->sample_log2);
    return from >= -max && from <= max;
}

static bool height_fits(int32_t height)
{
    return height >= -PATH_HEIGHT_MAX && height <= PATH_HEIGHT_MAX;
}

static bool node_valid(const struct path_scale *scale, const struct terrane_path_network *network, int n)
{
    const struct terrane_path_node *node = &network->node[n];
    const int64_t limit = INT64_C(1) << 50;
    if (node->gi < -limit || node->gi > limit || node->gj < -limit || node->gj > limit ||
        !height_fits(node->height) || (node->town && !scale->spread) ||
        node->cx != node->gi >> scale->cell_log2 || node->cy != node->gj >> scale->cell_log2)
        return false;
    const int64_t x = (int64_t)((uint64_t)node->gi << scale->sample_log2);
    const int64_t y = (int64_t)((uint64_t)node->gj << scale->sample_log2);
    return near(scale, x, network->x) && near(scale, y, network->y) &&
           (n == 0 || node[-1].cy < node->cy || (node[-1].cy == node->cy && node[-1].cx < node->cx));
}

/* Max length: two samples, at which lines are split, and a fine unit for each cut end. Both points are near. */
static bool segment_valid(const struct path_scale *scale, const struct terrane_path_point *a,
                          const struct terrane_path_point *b)
{
    const int64_t max = (INT64_C(2) << scale->sample_log2) + 2, x = b->x - a->x, y = b->y - a->y;
    return (x != 0 || y != 0) && x >= -max && x <= max && y >= -max && y <= max;
}

/* first: the end of the points of the edges before it. */
static bool line_valid(const struct path_scale *scale, const struct terrane_path_network *network,
                       const struct terrane_path_edge *edge, int first)
{
    if (edge->state != TERRANE_PATH_OPEN)
        return edge->points == 0;
    if (edge->points < 2 || edge->points > path_points_max(scale->cell_log2) || edge->first != first ||
        first > network->points - edge->points || !(scale->slope > 0))
        return false;
    const struct terrane_path_point *point = network->point + edge->first;
    for (int k = 0; k < edge->points; k++)
        if (!near(scale, point[k].x, network->x) || !near(scale, point[k].y, network->y) ||
            !height_fits(point[k].height) || (unsigned)point[k].over >= TERRANE_PATH_OVERS ||
            (k > 0 && !segment_valid(scale, &point[k - 1], &point[k])))
            return false;
    return true;
}

static bool edge_valid(const struct path_scale *scale, const struct terrane_path_network *network, int e,
                       int first)
{
    const struct terrane_path_edge *edge = &network->edge[e];
    if (edge->id == 0 || edge->from < 0 || edge->from >= edge->to || edge->to >= network->nodes ||
        (unsigned)edge->state >= TERRANE_PATH_STATES ||
        (unsigned)edge->road >= (unsigned)(scale->spread ? TERRANE_PATH_ROADS : 1) ||
        !line_valid(scale, network, edge, first))
        return false;
    return e == 0 || edge[-1].from < edge->from || (edge[-1].from == edge->from && edge[-1].to < edge->to);
}

bool terrane_paths_valid(const struct terrane_recipe *recipe, const struct terrane_path_network *network)
{
    if (!(recipe->paths.width_m > 0) || !network_exists(network) || !network_fits(network))
        return false;
    const struct path_scale scale = path_scale_of(recipe);
    for (int n = 0; n < network->nodes; n++)
        if (!node_valid(&scale, network, n))
            return false;
    int points = 0;
    for (int e = 0; e < network->edges; e++) {
        if (!edge_valid(&scale, network, e, points))
            return false;
        points += network->edge[e].points;
    }
    return points == network->points;
}

/* ---- Paint --------------------------------------------------------------------------------------------- */

enum { LEVEL_SHADE = 180, SHADOW = 90 /* of 256: the light in full shadow */ };

void terrane_paths_paint(const struct terrane_recipe *recipe, const uint8_t *kind, const uint8_t *shade,
                         size_t count, uint8_t *rgb)
{
    for (size_t k = 0; k < count; k++) {
        if (kind[k] == TERRANE_PATH_NONE)
            continue;
        const uint32_t light = SHADOW + shade[k] * (256u - SHADOW) / LEVEL_SHADE;
        for (int c = 0; c < 3; c++) {
            const uint32_t lit = recipe->paths.colour[c] * light >> 8, own = lit < 255 ? lit : 255;
            uint8_t *out = &rgb[3 * k + (size_t)c];
            *out = (uint8_t)(kind[k] >= TERRANE_PATH_WAY ? own : (7 * *out + own + 4) >> 3);
        }
    }
}
