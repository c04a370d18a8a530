/*
 * Packed regions: a header, arrays of samples, and of networks and caves what is packed behind them (region_packed.h).
 *
 * Arrays are read where they lie, and hold numbers of this machine only while a region is made (swap_words).
 */
#include "../base/min_max.h"
#include "../cave/cave_shown.h"
#include "../drain/drain.h"
#include "../drain/drained.h"
#include "../path/network.h"
#include "../recipe/bounds.h"
#include "../recipe/member.h"
#include "region_packed.h"

#define MAGIC UINT32_C(0x47525254) /* "TRRG" */
enum { LEVEL_AT = 16, WINDOW_AT = 40 };

static bool little_endian(void)
{
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Turns numbers of this machine into little-endian ones, or back. */
static void swap_words(uint32_t *word, size_t count)
{
    if (little_endian())
        return;
    for (size_t i = 0; i < count; i++)
        put_le((unsigned char *)&word[i], word[i], 4);
}

/* ---- Lengths ------------------------------------------------------------------------------------------- */

static void header_make(unsigned char header[TERRANE_REGION_HEADER_BYTES],
                        const struct terrane_region *region, const struct terrane_window *window)
{
    unsigned char *at = put_le(header, MAGIC, 4);
    at = put_le(at, TERRANE_REGION_LAYOUT, 4);
    at = put_le(at, (uint64_t)region->kind, 4);
    at = put_le(at, (uint64_t)region->variant, 4);
    at = put_le(at, (uint64_t)region->level, 8);
    at = put_le(at, (uint64_t)region->x, 8);
    at = put_le(at, (uint64_t)region->y, 8);
    at = put_le(at, (uint64_t)window->gi, 8);
    at = put_le(at, (uint64_t)window->gj, 8);
    at = put_le(at, (uint64_t)window->width, 4);
    put_le(at, (uint64_t)window->height, 4);
}

/* What a header says that the region stores, which at the ends of the world goes beyond the lattice; false: no window. */
static bool header_window(const unsigned char *header, struct terrane_window *window)
{
    const unsigned char *at = header + WINDOW_AT, *level = header + LEVEL_AT;
    *window = (struct terrane_window){.level = (int)get_64(&level), .step = 1};
    window->gi = get_64(&at);
    window->gj = get_64(&at);
    window->width = get_32(&at);
    window->height = get_32(&at);
    return window->width >= 1 && window->width <= TERRANE_WINDOW_MAX && window->height >= 1 &&
           window->height <= TERRANE_WINDOW_MAX;
}

static size_t arrays_bytes(enum terrane_region_kind kind, const struct terrane_window *window)
{
#define WORDS(id, name, words, log2) [TERRANE_REGION_##id] = words,
    static const size_t arrays[TERRANE_REGIONS] = {TERRANE_REGION_ROWS(WORDS)};
    return samples_of(window) * arrays[kind] * sizeof(uint32_t);
}

size_t region_packed_bytes(enum terrane_region_kind kind, const struct terrane_window *window)
{
    static const struct terrane_path_network full = {.nodes = TERRANE_PATHS_NODES_MAX,
                                                     .edges = TERRANE_PATHS_EDGES_MAX,
                                                     .points = TERRANE_PATHS_POINTS_MAX};
    const size_t packed = kind == TERRANE_REGION_PATHS   ? network_bytes(&full)
                          : kind == TERRANE_REGION_CAVES ? caves_bytes(TERRANE_CAVES_MAX)
                                                         : 0;
    return TERRANE_REGION_HEADER_BYTES + arrays_bytes(kind, window) + packed;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

void region_room_free(struct region_room *room, const struct terrane_memory *memory)
{
    memory_give(memory, room->data);
    memory_give(memory, room->cave);
    network_free(&room->network, memory);
    room->data = NULL;
    room->cave = NULL;
}

/* What is packed behind the arrays, while it is not. */
static int room_for_packed(struct region_room *room, const struct terrane_memory *memory)
{
    if (room->kind == TERRANE_REGION_PATHS)
        return network_room(&room->network, TERRANE_PATHS_NODES_MAX, TERRANE_PATHS_EDGES_MAX,
                            TERRANE_PATHS_POINTS_MAX, memory);
    if (room->kind == TERRANE_REGION_CAVES)
        room->cave = memory_zeros(memory, TERRANE_CAVES_MAX * sizeof *room->cave);
    return room->cave || room->kind != TERRANE_REGION_CAVES ? 0 : TERRANE_EMEMORY;
}

static struct region_arrays arrays_of(enum terrane_region_kind kind, const struct terrane_window *window,
                                      void *at)
{
    const size_t count = samples_of(window);
    struct region_arrays arrays = {0};
    switch (kind) {
    case TERRANE_REGION_LAKES:
        arrays.level_m = at;
        break;
    case TERRANE_REGION_CAVES:
        arrays.floor_ceiling = at;
        arrays.ground = arrays.floor_ceiling + 2 * count;
        break;
    case TERRANE_REGION_DRAINAGE:
    case TERRANE_REGION_RIVERS:
    case TERRANE_REGION_LATTICE:
        arrays.drained = (struct terrane_drained){.window = *window,
                                                  .z = at,
                                                  .low = (uint32_t *)at + count,
                                                  .high = (uint32_t *)at + 2 * count,
                                                  .stem = (uint32_t *)at + 3 * count};
        break;
    case TERRANE_REGION_EROSION:
    case TERRANE_REGION_ANCHOR:
        arrays.eroded =
            (struct terrane_eroded){.window = *window, .delta = at, .flow = (uint32_t *)at + count};
        break;
    case TERRANE_REGION_PATHS:
    case TERRANE_REGIONS:
        break;
    }
    return arrays;
}

int region_room_make(struct region_room *room, const struct source *source,
                     const struct terrane_region *region)
{
    *room = (struct region_room){
        .kind = region->kind, .window = *source->window, .network = {.x = region->x, .y = region->y}};
    room->bytes = TERRANE_REGION_HEADER_BYTES + arrays_bytes(region->kind, &room->window);
    room->data = memory_take(source->memory, room->bytes);
    if (!room->data)
        return TERRANE_EMEMORY;
    header_make(room->data, region, &room->window);
    room->arrays = arrays_of(room->kind, &room->window, room->data + TERRANE_REGION_HEADER_BYTES);
    return room_for_packed(room, source->memory);
}

/* Puts what is packed behind the arrays. */
static int pack_behind(struct region_room *room, const struct terrane_memory *memory)
{
    const bool paths = room->kind == TERRANE_REGION_PATHS;
    const size_t bytes = paths ? network_bytes(&room->network) : caves_bytes(room->caves);
    unsigned char *data = memory_take(memory, room->bytes + bytes);
    if (!data)
        return TERRANE_EMEMORY;
    memcpy(data, room->data, room->bytes);
    if (paths)
        network_pack(data + room->bytes, &room->network);
    else
        caves_pack(data + room->bytes, room->cave, room->caves);
    memory_give(memory, room->data);
    room->data = data;
    room->bytes += bytes;
    return 0;
}

int region_pack(struct region_room *room, const struct terrane_memory *memory, struct terrane_packed *out)
{
    void *arrays = room->data + TERRANE_REGION_HEADER_BYTES;
    swap_words(arrays, (room->bytes - TERRANE_REGION_HEADER_BYTES) / sizeof(uint32_t));
    if ((room->kind == TERRANE_REGION_PATHS || room->kind == TERRANE_REGION_CAVES) &&
        pack_behind(room, memory) != 0)
        return TERRANE_EMEMORY;
    *out = (struct terrane_packed){room->data, room->bytes};
    room->data = NULL;
    return 0;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* Reads counts of what is packed behind the arrays. false: it is not what it should be. */
static bool count_behind(struct terrane_region_view *view, const struct terrane_region *region,
                         const unsigned char *at, size_t bytes)
{
    if (region->kind == TERRANE_REGION_PATHS)
        return network_counts(&view->network, at, bytes);
    if (region->kind == TERRANE_REGION_CAVES)
        view->caves = caves_count(at, bytes);
    return region->kind == TERRANE_REGION_CAVES ? view->caves >= 0 : bytes == 0;
}

/* ... and reads it. */
static int read_behind(struct terrane_region_view *view, const struct terrane_region *region,
                       const unsigned char *at, const struct terrane_memory *memory)
{
    struct terrane_path_network *network = &view->network;
    if (region->kind == TERRANE_REGION_PATHS) {
        if (network_room(network, network->nodes, network->edges, network->points, memory) != 0)
            return TERRANE_EMEMORY;
        network_unpack(network, at);
    } else if (region->kind == TERRANE_REGION_CAVES) {
        view->cave = memory_zeros(memory, ((size_t)view->caves + 1) * sizeof *view->cave);
        if (!view->cave)
            return TERRANE_EMEMORY;
        caves_unpack(view->cave, view->caves, at);
    }
    return 0;
}

int terrane_region_open(const struct terrane_region *region, const struct terrane_packed *packed,
                        const struct terrane_memory *memory, struct terrane_region_view *view)
{
    *view = (struct terrane_region_view){.region = *region, .network = {.x = region->x, .y = region->y}};
    if (packed->bytes < TERRANE_REGION_HEADER_BYTES || !header_window(packed->data, &view->window))
        return TERRANE_EWINDOW;
    const size_t bytes = arrays_bytes(region->kind, &view->window),
                 behind = TERRANE_REGION_HEADER_BYTES + bytes;
    unsigned char *data = packed->data;
    void *arrays = data + TERRANE_REGION_HEADER_BYTES;
    if (packed->bytes < behind || !count_behind(view, region, data + behind, packed->bytes - behind))
        return TERRANE_EWINDOW;
    if (!little_endian() && bytes > 0) {
        view->copy = memory_take(memory, bytes);
        if (!view->copy)
            return TERRANE_EMEMORY;
        arrays = memcpy(view->copy, arrays, bytes);
        swap_words(arrays, bytes / sizeof(uint32_t));
    }
    const struct region_arrays at = arrays_of(region->kind, &view->window, arrays);
    view->eroded = at.eroded;
    view->drained = at.drained;
    view->level_m = at.level_m;
    view->floor_ceiling = at.floor_ceiling;
    view->ground = at.ground;
    const int error = read_behind(view, region, data + behind, memory);
    if (error != 0)
        terrane_region_close(view, memory);
    return error;
}

void terrane_region_close(struct terrane_region_view *view, const struct terrane_memory *memory)
{
    memory_give(memory, view->copy);
    memory_give(memory, view->cave);
    network_free(&view->network, memory);
    view->copy = NULL;
    view->cave = NULL;
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Heights that caves and the ground over them may have: meshes are as tall as these are apart. */
static void hollow_range(const struct terrane_recipe *recipe, double *low_m, double *high_m)
{
    const double moved_m = recipe->erosion.levels > 0 ? terrane_erosion_bound_m(recipe) : 0;
    const double spare_m = (double)recipe->caves.height_m + (double)recipe->caves.roof_m;
    terrane_height_bounds_m(recipe, low_m, high_m);
    *low_m -= moved_m + spare_m;
    *high_m += moved_m + spare_m;
}

static bool caves_fit(const struct terrane_recipe *recipe, const struct terrane_region_view *view)
{
    const struct terrane_window *window = &view->window;
    const size_t count = samples_of(window);
    const int64_t far = 4 * (int64_t)recipe->caves.radius;
    double low_m, high_m;
    bool fit = true;
    hollow_range(recipe, &low_m, &high_m);
    for (size_t i = 0; i < count; i++) {
        const double floor_m = view->floor_ceiling[2 * i], ceiling_m = view->floor_ceiling[2 * i + 1];
        const bool rock = floor_m == TERRANE_ROCK && ceiling_m == TERRANE_ROCK;
        fit &= rock || (within(floor_m, low_m, high_m) && within(ceiling_m, floor_m, high_m));
        fit &= within(view->ground[i], low_m, high_m);
    }
    for (int k = 0; k < view->caves; k++) {
        const struct terrane_cave *cave = &view->cave[k];
        fit &= cave->gi >= window->gi && cave->gi < window->gi + window->width && cave->gj >= window->gj &&
               cave->gj < window->gj + window->height;
        fit &= cave->entrance_gi >= window->gi - far &&
               cave->entrance_gi < window->gi + window->width + far &&
               cave->entrance_gj >= window->gj - far && cave->entrance_gj < window->gj + window->height + far;
        fit &= within(cave->entrance_m, low_m, high_m) && within(cave->floor_m, low_m, high_m) &&
               within(cave->ceiling_m, cave->floor_m, high_m) && cave->samples >= 0;
    }
    return fit;
}

/* Lines have points of their own: what is said of all of them together is as long as the network is. */
static bool lines_fit(const struct terrane_path_network *network)
{
    int64_t points = 0;
    for (int e = 0; e < network->edges; e++)
        points += network->edge[e].points;
    return points <= network->points;
}

/* Water that leaves a cell for one of the window's runs no higher there, and is no less. */
static bool drainage_fits(const struct terrane_recipe *recipe, const struct terrane_drained *drained)
{
    const double unit_m = terrane_erosion_unit_m(recipe), bound_m = terrane_erosion_bound_m(recipe);
    double low_m, high_m;
    bool fit = true;
    terrane_height_bounds_m(recipe, &low_m, &high_m);
    for (int y = 0; y < drained->window.height; y++)
        for (int x = 0; x < drained->window.width; x++) {
            const size_t at = (size_t)y * (size_t)drained->window.width + (size_t)x;
            const int way = terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY;
            fit &= way <= TERRANE_DRAIN_INLAND && terrane_stem_fits(recipe, drained, at) &&
                   within(drained->z[at] * unit_m, low_m - bound_m, high_m + bound_m);
            if (way > 7 || x + drain_dx[way] < 0 || x + drain_dx[way] >= drained->window.width ||
                y + drain_dy[way] < 0 || y + drain_dy[way] >= drained->window.height)
                continue;
            const size_t to =
                (size_t)(y + drain_dy[way]) * (size_t)drained->window.width + (size_t)(x + drain_dx[way]);
            const bool sea = (terrane_drained_cell(drained, to).to & TERRANE_DRAIN_WAY) >= TERRANE_DRAIN_SEA;
            fit &=
                !(terrane_drained_cell(drained, at).to & TERRANE_DRAIN_STREAM) || sea ||
                terrane_drained_cell(drained, to).to & TERRANE_DRAIN_STREAM; /* finer lattices trace it on */
            fit &= sea || (drained->z[to] <= drained->z[at] && terrane_drained_cell(drained, to).runoff >=
                                                                   terrane_drained_cell(drained, at).runoff);
        }
    return fit;
}

static bool numbers_fit(const struct terrane_recipe *recipe, const struct terrane_region_view *view,
                        enum terrane_region_kind kind)
{
    const size_t count = samples_of(&view->window);
    double low_m, high_m;
    bool fit = true;
    switch (kind) {
    case TERRANE_REGION_LAKES:
        terrane_height_bounds_m(recipe, &low_m, &high_m); /* no lake is over all ground */
        high_m = max_double(high_m + terrane_erosion_bound_m(recipe), -(double)TERRANE_DRY);
        for (size_t i = 0; i < count; i++) /* also false for NaN */
            fit &= view->level_m[i] >= TERRANE_DRY && (double)view->level_m[i] <= high_m;
        return fit;
    case TERRANE_REGION_PATHS:
        return terrane_paths_valid(recipe, &view->network) && lines_fit(&view->network);
    case TERRANE_REGION_CAVES:
        return caves_fit(recipe, view);
    case TERRANE_REGION_DRAINAGE:
    case TERRANE_REGION_RIVERS:
    case TERRANE_REGION_LATTICE:
        return drainage_fits(recipe, &view->drained);
    case TERRANE_REGION_EROSION:
    case TERRANE_REGION_ANCHOR:
    case TERRANE_REGIONS:
        break;
    }
    const double unit_m = terrane_erosion_unit_m(recipe), bound_m = terrane_erosion_bound_m(recipe);
    for (size_t i = 0; i < count; i++)
        fit &= within(view->eroded.delta[i] * unit_m, -bound_m, bound_m);
    return fit;
}

bool terrane_region_fits(const struct terrane_recipe *recipe, const struct terrane_region *region,
                         const struct terrane_packed *packed, const struct terrane_memory *memory)
{
    unsigned char header[TERRANE_REGION_HEADER_BYTES];
    struct terrane_window window;
    struct terrane_region_view view;
    terrane_region_window(recipe, region, &window);
    header_make(header, region, &window);
    if (packed->bytes < sizeof header || memcmp(packed->data, header, sizeof header) != 0 ||
        terrane_region_open(region, packed, memory, &view) != 0)
        return false;
    const bool fit = numbers_fit(recipe, &view, region->kind);
    terrane_region_close(&view, memory);
    return fit;
}
