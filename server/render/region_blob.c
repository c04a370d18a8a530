/*
 * Blobs of regions: a header, arrays of samples, and of networks and caves what is packed behind them (region_packed.h).
 *
 * Arrays are read where they lie, and hold numbers of this machine only while a region is made (swap_words).
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "region_packed.h"

#define MAGIC UINT32_C(0x47525254) /* "TRRG" */

static size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

static unsigned char *put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

/* Turns numbers of this machine into little-endian ones, or back. */
static void swap_words(uint32_t *word, size_t count)
{
    if (htole32(1) == 1)
        return;
    for (size_t i = 0; i < count; i++)
        word[i] = htole32(word[i]);
}

/* ---- Lengths ------------------------------------------------------------------------------------------- */

static void header_make(unsigned char header[REGION_HEADER_BYTES], const struct region *region,
                        const struct terrane_window *window)
{
    unsigned char *at = put_le(header, MAGIC, 4);
    at = put_le(at, REGION_LAYOUT, 4);
    at = put_le(at, (uint64_t)region->kind, 4);
    at = put_le(at, (uint64_t)region->variant, 4);
    at = put_le(at, (uint64_t)region->level, 8);
    at = put_le(at, (uint64_t)region->x, 8);
    at = put_le(at, (uint64_t)region->y, 8);
    at = put_le(at, (uint64_t)window->gi, 8);
    at = put_le(at, (uint64_t)window->gj, 8);
    at = put_le(at, (uint64_t)window->width, 4);
    at = put_le(at, (uint64_t)window->height, 4);
    CHECK(at == header + REGION_HEADER_BYTES);
}

static size_t arrays_of(enum region_kind kind)
{
    switch (kind) {
    case REGION_LAKES:
        return 1;
    case REGION_PATHS:
        return 0;
    case REGION_CAVES:
        return 3;
    case REGION_EROSION:
    case REGION_ANCHOR:
        break;
    }
    return 2;
}

static size_t arrays_bytes(enum region_kind kind, const struct terrane_window *window)
{
    return samples_of(window) * arrays_of(kind) * sizeof(uint32_t);
}

size_t region_blob_bytes(const struct terrane_recipe *recipe, const struct region *region)
{
    static const struct terrane_path_network full = {.nodes = TERRANE_PATHS_NODES_MAX,
                                                     .edges = TERRANE_PATHS_EDGES_MAX,
                                                     .points = TERRANE_PATHS_POINTS_MAX};
    struct terrane_window window;
    region_window(recipe, region, &window);
    const size_t packed = region->kind == REGION_PATHS   ? network_bytes(&full)
                          : region->kind == REGION_CAVES ? caves_bytes(TERRANE_CAVES_MAX)
                                                         : 0;
    return REGION_HEADER_BYTES + arrays_bytes(region->kind, &window) + packed;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

void region_room_free(struct region_room *room)
{
    free(room->data);
    free(room->cave);
    network_free(&room->network);
    room->data = NULL;
    room->cave = NULL;
}

/* What is packed behind the arrays, while it is not. */
static bool room_for_packed(struct region_room *room, const struct region *region)
{
    room->network.x = region->x;
    room->network.y = region->y;
    if (region->kind == REGION_PATHS)
        return network_room(&room->network, TERRANE_PATHS_NODES_MAX, TERRANE_PATHS_EDGES_MAX,
                            TERRANE_PATHS_POINTS_MAX);
    if (region->kind == REGION_CAVES)
        return (room->cave = calloc(TERRANE_CAVES_MAX, sizeof *room->cave)) != NULL;
    return true;
}

void region_room_make(struct region_room *room, const struct terrane_recipe *recipe,
                      const struct region *region)
{
    *room = (struct region_room){.kind = region->kind};
    region_window(recipe, region, &room->window);
    const size_t count = samples_of(&room->window);
    room->bytes = REGION_HEADER_BYTES + arrays_bytes(region->kind, &room->window);
    room->data = malloc(room->bytes);
    if (!room->data || !room_for_packed(room, region)) {
        region_room_free(room);
        return;
    }
    header_make(room->data, region, &room->window);
    void *arrays = room->data + REGION_HEADER_BYTES; /* aligned as malloc aligns */
    switch (region->kind) {
    case REGION_LAKES:
        room->level_m = arrays;
        return;
    case REGION_PATHS:
        return;
    case REGION_CAVES:
        room->floor_ceiling = arrays;
        room->ground = room->floor_ceiling + 2 * count;
        return;
    case REGION_EROSION:
    case REGION_ANCHOR:
        room->delta = arrays;
        room->flow = (uint32_t *)arrays + count;
    }
}

/* Puts what is packed behind the arrays. false: memory is short. */
static bool pack(struct region_room *room)
{
    const bool paths = room->kind == REGION_PATHS;
    if (!paths && room->kind != REGION_CAVES)
        return true;
    const size_t bytes = paths ? network_bytes(&room->network) : caves_bytes(room->caves);
    unsigned char *data = realloc(room->data, room->bytes + bytes);
    if (!data)
        return false;
    if (paths)
        network_pack(data + room->bytes, &room->network);
    else
        caves_pack(data + room->bytes, room->cave, room->caves);
    room->data = data;
    room->bytes += bytes;
    return true;
}

struct blob *region_blob(struct region_room *room, const struct digest *digest)
{
    const struct blob_info info = {
        .format = FORMAT_F32, /* raw numbers; a tier only asks for a format that there is */
        .width = (uint16_t)room->window.width,
        .height = (uint16_t)room->window.height,
    };
    void *arrays = room->data + REGION_HEADER_BYTES;
    struct blob *blob = NULL;
    swap_words(arrays, (room->bytes - REGION_HEADER_BYTES) / sizeof(uint32_t));
    if (pack(room)) {
        blob = blob_create(digest, &info, room->data, room->bytes);
        room->data = NULL;
    }
    region_room_free(room);
    return blob;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static void view_arrays(struct region_view *view, enum region_kind kind, void *arrays)
{
    const size_t count = samples_of(&view->window);
    switch (kind) {
    case REGION_LAKES:
        view->level_m = arrays;
        return;
    case REGION_PATHS:
        return;
    case REGION_CAVES:
        view->floor_ceiling = arrays;
        view->ground = view->floor_ceiling + 2 * count;
        return;
    case REGION_EROSION:
    case REGION_ANCHOR:
        view->eroded = (struct terrane_eroded){
            .window = view->window, .delta = arrays, .flow = (uint32_t *)arrays + count};
    }
}

/* Reads what is packed. 0; -1 when memory is short, or bytes are not what they should be. */
static int view_packed(struct region_view *view, const struct region *region, const unsigned char *at,
                       size_t bytes)
{
    switch (region->kind) {
    case REGION_PATHS:
        view->network.x = region->x;
        view->network.y = region->y;
        return network_counts(&view->network, at, bytes) ? network_unpack(&view->network, at) : -1;
    case REGION_CAVES:
        view->caves = caves_count(at, bytes);
        if (view->caves < 0)
            return -1;
        view->cave = calloc((size_t)view->caves + 1, sizeof *view->cave);
        if (!view->cave)
            return -1;
        caves_unpack(view->cave, view->caves, at);
        return 0;
    case REGION_EROSION:
    case REGION_ANCHOR:
    case REGION_LAKES:
        break;
    }
    return bytes == 0 ? 0 : -1;
}

int region_open(struct region_view *view, const struct terrane_recipe *recipe, const struct region *region,
                const struct blob *blob)
{
    *view = (struct region_view){.copy = NULL};
    region_window(recipe, region, &view->window);
    const size_t bytes = arrays_bytes(region->kind, &view->window), behind = REGION_HEADER_BYTES + bytes;
    CHECK(blob->bytes >= behind);
    void *arrays = blob->data + REGION_HEADER_BYTES;
    if (htole32(1) != 1 && bytes > 0) {
        view->copy = malloc(bytes);
        if (!view->copy)
            return -1;
        arrays = memcpy(view->copy, arrays, bytes);
        swap_words(arrays, bytes / sizeof(uint32_t));
    }
    view_arrays(view, region->kind, arrays);
    if (view_packed(view, region, blob->data + behind, blob->bytes - behind) == 0)
        return 0;
    region_close(view);
    return -1;
}

void region_close(struct region_view *view)
{
    free(view->copy);
    free(view->cave);
    network_free(&view->network);
    view->copy = NULL;
    view->cave = NULL;
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Also false for NaN. */
static bool within(double v, double low, double high)
{
    return v >= low && v <= high;
}

/* Heights that caves and the ground over them may have: meshes are as tall as these are apart. */
static void hollow_range(const struct terrane_recipe *recipe, double *low_m, double *high_m)
{
    const double moved_m = recipe->erosion.levels > 0 ? terrane_erosion_bound_m(recipe) : 0;
    const double spare_m = (double)recipe->caves.height_m + (double)recipe->caves.roof_m;
    terrane_height_bounds_m(recipe, low_m, high_m);
    *low_m -= moved_m + spare_m;
    *high_m += moved_m + spare_m;
}

static bool caves_fit(const struct terrane_recipe *recipe, const struct region_view *view)
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

static bool numbers_fit(const struct terrane_recipe *recipe, const struct region_view *view,
                        enum region_kind kind)
{
    const size_t count = samples_of(&view->window);
    bool fit = true;
    switch (kind) {
    case REGION_LAKES:
        for (size_t i = 0; i < count; i++) /* also false for NaN */
            fit &= view->level_m[i] >= TERRANE_DRY && view->level_m[i] <= -TERRANE_DRY;
        return fit;
    case REGION_PATHS:
        return terrane_paths_valid(recipe, &view->network) && lines_fit(&view->network);
    case REGION_CAVES:
        return caves_fit(recipe, view);
    case REGION_EROSION:
    case REGION_ANCHOR:
        break;
    }
    const double unit_m = terrane_erosion_unit_m(recipe), bound_m = terrane_erosion_bound_m(recipe);
    for (size_t i = 0; i < count; i++)
        fit &= within(view->eroded.delta[i] * unit_m, -bound_m, bound_m);
    return fit;
}

bool region_blob_fits(const struct terrane_recipe *recipe, const struct region *region,
                      const struct blob *blob)
{
    unsigned char header[REGION_HEADER_BYTES];
    struct terrane_window window;
    struct region_view view;
    region_window(recipe, region, &window);
    header_make(header, region, &window);
    if (blob->bytes < REGION_HEADER_BYTES + arrays_bytes(region->kind, &window) ||
        memcmp(blob->data, header, sizeof header) != 0)
        return false;
    if (region_open(&view, recipe, region, blob) != 0)
        return false;
    const bool fit = numbers_fit(recipe, &view, region->kind);
    region_close(&view);
    return fit;
}
