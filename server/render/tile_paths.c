/*
 * A tile's paths: carved ground, the layer, the colour on relief, and the lines that cross it.
 *
 * A sample's path is the network's in whose region it lies; a window over several regions is cut into blocks, one a region.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "tile_piece.h"

/* ---- Samples ------------------------------------------------------------------------------------------- */

/* Arrays over a window of the tile's level, each or NULL, and as many samples of each to work in. */
struct layer {
    struct piece *piece;
    struct terrane_window window;
    float *heights, *distance;
    uint8_t *kind;
    float *part_heights, *part_distance;
    uint8_t *part_kind;
    void *memory;
};

static int apply_block(void *context, const struct tile_block *block)
{
    struct layer *layer = context;
    const int width = layer->window.width;
    if (layer->heights)
        tile_block_copy(block, width, layer->heights, layer->part_heights, sizeof(float), false);
    CHECK(terrane_paths_apply(layer->piece->world->recipe, &layer->piece->paths[block->k].network,
                              &block->window, layer->memory, layer->part_heights, layer->part_kind,
                              layer->part_distance) == 0);
    if (layer->heights)
        tile_block_copy(block, width, layer->heights, layer->part_heights, sizeof(float), true);
    if (layer->distance)
        tile_block_copy(block, width, layer->distance, layer->part_distance, sizeof(float), true);
    if (layer->kind)
        tile_block_copy(block, width, layer->kind, layer->part_kind, 1, true);
    return 0;
}

/* Of several regions, by way of blocks. */
static int apply_many(struct layer *layer)
{
    const size_t count = (size_t)layer->window.width * (size_t)layer->window.height;
    layer->part_heights = layer->heights ? malloc(count * sizeof(float)) : NULL;
    layer->part_distance = layer->distance ? malloc(count * sizeof(float)) : NULL;
    layer->part_kind = layer->kind ? malloc(count) : NULL;
    const bool room = (layer->part_heights || !layer->heights) &&
                      (layer->part_distance || !layer->distance) && (layer->part_kind || !layer->kind);
    if (room)
        tile_grid_visit(&layer->piece->plan.paths, &layer->window, apply_block, layer);
    free(layer->part_heights);
    free(layer->part_distance);
    free(layer->part_kind);
    return room ? 0 : -1;
}

int piece_apply_paths(struct piece *piece, const struct terrane_window *window, float *heights, uint8_t *kind,
                      float *distance_m)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    struct layer layer = {
        .piece = piece, .window = *window, .heights = heights, .distance = distance_m, .kind = kind};
    const size_t bytes = terrane_paths_apply_bytes(recipe, window);
    int result = 0;
    if (posix_memalign(&layer.memory, TERRANE_SCRATCH_ALIGN, bytes > 0 ? bytes : 1) != 0)
        return -1;
    if (tile_grid_count(&piece->plan.paths) > 1)
        result = apply_many(&layer);
    else
        CHECK(terrane_paths_apply(recipe, &piece->paths[0].network, window, layer.memory, heights, kind,
                                  distance_m) == 0);
    free(layer.memory);
    return result;
}

/* Class and distance by turns; none where the level shows no paths. */
static void interleave(float *values, const uint8_t *kind, const float *distance, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[2 * i] = kind ? kind[i] : TERRANE_PATH_NONE;
        values[2 * i + 1] = kind ? distance[i] : TERRANE_PATHS_FAR;
    }
}

int piece_make_paths(struct piece *piece)
{
    const bool shown = tile_grid_count(&piece->plan.paths) > 0, picture = piece->key->format == FORMAT_PNG;
    float *distance = picture ? NULL : malloc(piece->count * sizeof *distance);
    piece->index = calloc(piece->count, 1);
    piece->values = picture ? NULL : malloc(piece->count * 2 * sizeof *piece->values);
    int result = piece->index && (picture || (distance && piece->values)) ? 0 : -1;
    if (result == 0 && shown)
        result = piece_apply_paths(piece, &piece->plan.window, NULL, piece->index, distance);
    if (result == 0 && !picture)
        interleave(piece->values, shown ? piece->index : NULL, distance, piece->count);
    free(distance);
    return result;
}

int piece_paint_paths(struct piece *piece)
{
    uint8_t *kind = malloc(piece->count), *shade = malloc(piece->count);
    const bool made = kind && shade && piece_apply_paths(piece, &piece->plan.window, NULL, kind, NULL) == 0;
    if (made) {
        terrane_hillshade(piece->normals, piece->count, shade);
        terrane_paths_paint(piece->world->recipe, kind, shade, piece->count, piece->pixels);
    }
    free(kind);
    free(shade);
    return made ? 0 : -1;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

/* The tile's ground, edges with it, in 2^-4 samples of level 0 from the corner of a network's region on: under 2^40. */
struct ground {
    int64_t west, north, east, south;
};

/* Where a sample of the tile's level lies in them along an axis; differences are small, whatever is left out at the top. */
static int64_t place_of(int level, int64_t g, int region_level, int64_t region)
{
    const uint64_t corner = (uint64_t)region << (TERRANE_PATHS_LOG2 + region_level + 4);
    return (int64_t)(((uint64_t)g << (level + 4)) - corner);
}

static struct ground ground_of(const struct piece *piece, const struct terrane_path_network *network)
{
    const struct terrane_window *window = &piece->plan.window;
    const int level = piece->world->recipe->paths.level;
    const int64_t side = (int64_t)TERRANE_TILE_SAMPLES << (piece->key->level - window->level);
    return (struct ground){
        .west = place_of(window->level, window->gi, level, network->x),
        .north = place_of(window->level, window->gj, level, network->y),
        .east = place_of(window->level, window->gi + side, level, network->x),
        .south = place_of(window->level, window->gj + side, level, network->y),
    };
}

/* On which side of a line a corner is: -1, 0 or 1. */
static int side_of(int64_t ax, int64_t ay, int64_t bx, int64_t by, int64_t x, int64_t y)
{
    const wide cross = (wide)(bx - ax) * (y - ay) - (wide)(by - ay) * (x - ax);
    return cross > 0 ? 1 : cross < 0 ? -1 : 0;
}

/* A straight piece and a rectangle meet if their boxes do, and the corners are not all on one side of it. */
static bool crosses(const struct ground *ground, int64_t ax, int64_t ay, int64_t bx, int64_t by)
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
    const struct ground ground = ground_of(piece, network);
    const int log2 = TERRANE_PATHS_LOG2 + piece->world->recipe->paths.level + 4;
    const uint64_t west = (uint64_t)network->x << log2, north = (uint64_t)network->y << log2;
    for (int i = 1; i < line->edge->points; i++) {
        const struct terrane_path_point *a = &line->point[i - 1], *b = &line->point[i];
        if (crosses(&ground, (int64_t)((uint64_t)a->x - west), (int64_t)((uint64_t)a->y - north),
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
    const int networks = tile_grid_count(&piece->plan.paths);
    size_t most = 1;
    for (int k = 0; k < networks; k++)
        most += (size_t)piece->paths[k].network.edges;
    piece->line = malloc(most * sizeof *piece->line);
    if (!piece->line)
        return -1;
    for (int k = 0; k < networks; k++)
        add_lines(piece, &piece->paths[k].network);
    qsort(piece->line, (size_t)piece->lines, sizeof *piece->line, compare_lines);
    int kept = 0;
    for (int i = 0; i < piece->lines; i++)
        if (kept == 0 || piece->line[kept - 1].edge->id != piece->line[i].edge->id)
            piece->line[kept++] = piece->line[i];
    piece->lines = kept;
    return 0;
}
