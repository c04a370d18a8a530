/*
 * The lines of paths that cross a tile.
 */
#include <stdlib.h>

#include "tile_piece.h"

__extension__ typedef __int128 wide;

/* Where a sample of the tile's level lies in them along an axis. */
static int64_t place_of(int level, int64_t g, int corner_level, int64_t corner)
{
    return (int64_t)(((uint64_t)g << (level + 4)) - ((uint64_t)corner << (corner_level + 4)));
}

struct tile_ground tile_ground_of(const struct piece *piece, int level, int64_t corner_x, int64_t corner_y)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const int64_t side = (int64_t)TERRANE_TILE_SAMPLES << (piece->key->level - window->level);
    return (struct tile_ground){
        .west = place_of(window->level, window->gi, level, corner_x),
        .north = place_of(window->level, window->gj, level, corner_y),
        .east = place_of(window->level, window->gi + side, level, corner_x),
        .south = place_of(window->level, window->gj + side, level, corner_y),
    };
}

/* On which side of a line a corner is: -1, 0 or 1. */
static int side_of(int64_t ax, int64_t ay, int64_t bx, int64_t by, int64_t x, int64_t y)
{
    const wide cross = (wide)(bx - ax) * (y - ay) - (wide)(by - ay) * (x - ax);
    return cross > 0 ? 1 : cross < 0 ? -1 : 0;
}

/* A straight piece and a rectangle meet if their boxes do, and the corners are not all on one side of it. */
bool tile_ground_crosses(const struct tile_ground *ground, int64_t ax, int64_t ay, int64_t bx, int64_t by)
{
    if ((ax < ground->west && bx < ground->west) || (ax > ground->east && bx > ground->east) ||
        (ay < ground->north && by < ground->north) || (ay > ground->south && by > ground->south))
        return false;
    const int sides[] = {side_of(ax, ay, bx, by, ground->west, ground->north),
                         side_of(ax, ay, bx, by, ground->east, ground->north),
                         side_of(ax, ay, bx, by, ground->west, ground->south),
                         side_of(ax, ay, bx, by, ground->east, ground->south)};
    const int sum = sides[0] + sides[1] + sides[2] + sides[3];
    return sum > -4 && sum < 4;
}

static bool line_crosses(const struct piece *piece, const struct terrane_path_network *network,
                         const struct path_line *line)
{
    const int level = piece->world->recipe->paths.level, log2 = TERRANE_PATHS_LOG2 + level + 4;
    const struct tile_ground ground =
        tile_ground_of(piece, level, network->x * (INT64_C(1) << TERRANE_PATHS_LOG2),
                       network->y * (INT64_C(1) << TERRANE_PATHS_LOG2));
    const uint64_t west = (uint64_t)network->x << log2, north = (uint64_t)network->y << log2;
    for (int i = 1; i < line->edge->points; i++) {
        const struct terrane_path_point *a = &line->point[i - 1], *b = &line->point[i];
        if (tile_ground_crosses(&ground, (int64_t)((uint64_t)a->x - west), (int64_t)((uint64_t)a->y - north),
                                (int64_t)((uint64_t)b->x - west), (int64_t)((uint64_t)b->y - north)))
            return true;
    }
    return false;
}

static int compare_lines(const void *a, const void *b)
{
    const uint64_t first = ((const struct path_line *)a)->edge->id,
                   second = ((const struct path_line *)b)->edge->id;
    return first < second ? -1 : first > second;
}

static void add_lines(struct piece *piece, const struct terrane_path_network *network)
{
    for (int e = 0; e < network->edges; e++) {
        const struct terrane_path_edge *edge = &network->edge[e];
        if (edge->points < 2)
            continue;
        const struct path_line line = {
            .from = &network->node[edge->from],
            .to = &network->node[edge->to],
            .edge = edge,
            .point = &network->point[edge->first],
        };
        if (line_crosses(piece, network, &line))
            piece->line[piece->lines++] = line;
    }
}

/* Those of several networks come from each of them. */
int piece_make_lines(struct piece *piece)
{
    const int networks = piece->plan->ground.paths.count;
    size_t max = 1;
    for (int k = 0; k < networks; k++)
        max += (size_t)piece->ground.paths[k].network.edges;
    piece->line = malloc(max * sizeof *piece->line);
    if (!piece->line)
        return -1;
    for (int k = 0; k < networks; k++)
        add_lines(piece, &piece->ground.paths[k].network);
    qsort(piece->line, (size_t)piece->lines, sizeof *piece->line, compare_lines);
    int kept = 0;
    for (int i = 0; i < piece->lines; i++)
        if (kept == 0 || piece->line[kept - 1].edge->id != piece->line[i].edge->id)
            piece->line[kept++] = piece->line[i];
    piece->lines = kept;
    return 0;
}
