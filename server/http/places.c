/*
 * Places on the ground.
 *
 * A coordinate in metres becomes one in samples by a division, which is exact where the spacing is a power of two. Where it
 * is not, what the library calls a sample's place is taken for that place: rounding moves no sample.
 */
#include "places.h"
#include "../base/little_endian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"

enum { ROW = TERRANE_TILE_SAMPLES + 1 };

/* ---- Reading ------------------------------------------------------------------------------------------- */

static struct places *places_create(size_t count)
{
    struct places *places = calloc(1, sizeof *places + count * sizeof *places->point);
    if (places)
        places->count = count;
    return places;
}

struct places *places_one(double x_m, double y_m)
{
    struct places *places = places_create(1);
    if (places)
        places->point[0] = (struct point){.x_m = x_m, .y_m = y_m};
    return places;
}

static bool read_place(const json_t *given, struct point *point)
{
    const json_t *x = json_array_get(given, 0), *y = json_array_get(given, 1); /* of what is no list NULL */
    if (json_array_size(given) != 2 || !json_is_number(x) || !json_is_number(y))
        return false;
    point->x_m = json_number_value(x);
    point->y_m = json_number_value(y);
    return true;
}

struct places *places_read(const char *text, size_t bytes, struct body_complaint *complaint)
{
    const json_t *list;
    json_t *root = body_list(text, bytes, "places", PLACES_MAX, &list, complaint);
    if (!root)
        return NULL;
    struct places *places = places_create(json_array_size(list));
    if (!places)
        body_refuse(complaint, 503, NULL, "The server is short of memory; try again shortly.");
    for (size_t i = 0; places && i < places->count && !complaint->status; i++)
        if (!read_place(json_array_get(list, i), &places->point[i]))
            body_refuse(complaint, 400, "places", "places[%zu] must be two numbers, [x, y] in metres", i);
    json_decref(root);
    if (complaint->status) {
        free(places);
        return NULL;
    }
    return places;
}

/* ---- Locating ------------------------------------------------------------------------------------------ */

static bool locate_axis(const struct terrane_world *world, int level, double at_m, int64_t *tile, int *sample,
                        double *part)
{
    const double limit = (double)(TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES);
    double at = at_m / terrane_lattice_m(world, level, 1);
    if (!(at >= -limit && at < limit))
        return false;
    const double nearest = nearbyint(at);
    if (terrane_lattice_m(world, level, (int64_t)nearest) == at_m && nearest < limit)
        at = nearest;
    const double whole = floor(at), of_tile = floor(whole / TERRANE_TILE_SAMPLES);
    *tile = (int64_t)of_tile;
    *sample = (int)(whole - of_tile * TERRANE_TILE_SAMPLES);
    *part = at - whole; /* 1 where at is below 0 by less than doubles tell */
    return true;
}

static void locate(struct point *point, const struct terrane_world *world, int level)
{
    point->outside =
        !locate_axis(world, level, point->x_m, &point->tile_x, &point->column, &point->east) ? "x"
        : !locate_axis(world, level, point->y_m, &point->tile_y, &point->row, &point->south) ? "y"
                                                                                             : NULL;
}

static bool same_tile(const struct point *a, const struct point *b)
{
    return a->tile_x == b->tile_x && a->tile_y == b->tile_y;
}

/* By tile, and in a tile as they were asked for. */
static int compare(const void *left, const void *right, void *context)
{
    const struct point *point = context;
    const uint16_t i = *(const uint16_t *)left, j = *(const uint16_t *)right;
    const struct point *a = &point[i], *b = &point[j];
    if (a->tile_y != b->tile_y)
        return a->tile_y < b->tile_y ? -1 : 1;
    if (a->tile_x != b->tile_x)
        return a->tile_x < b->tile_x ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Locates and groups; the number of tiles, of which the first PLACES_TILES_MAX have their place. */
static size_t group(struct places *places, const struct terrane_world *world, int level)
{
    size_t inside = 0, tiles = 0;
    for (size_t i = 0; i < places->count; i++) {
        locate(&places->point[i], world, level);
        if (!places->point[i].outside)
            places->order[inside++] = (uint16_t)i;
    }
    qsort_r(places->order, inside, sizeof *places->order, compare, places->point);
    for (size_t i = 0; i < inside; i++)
        if (i == 0 || !same_tile(&places->point[places->order[i - 1]], &places->point[places->order[i]])) {
            if (tiles < PLACES_TILES_MAX)
                places->first[tiles] = i;
            tiles++;
        }
    places->first[tiles < PLACES_TILES_MAX ? tiles : PLACES_TILES_MAX] = inside;
    places->level = level;
    places->tiles = tiles;
    return tiles;
}

/* The finest level from `level` on where they lie in at most so many tiles; -1: there is none. */
static int level_for(struct places *places, const struct terrane_world *world, int level, size_t max)
{
    while (level <= TERRANE_LEVEL_MAX && group(places, world, level) > max)
        level++;
    return level <= TERRANE_LEVEL_MAX ? level : -1;
}

bool places_locate(struct places *places, const struct terrane_world *world, int level,
                   struct body_complaint *complaint)
{
    if (level == PLACES_LEVEL_CHOSEN) {
        if (level_for(places, world, 0, PLACES_TILES_CHOSEN) >= 0)
            return true;
        return body_refuse(complaint, 413, "places", "places: they lie in over %d tiles at every lod",
                           PLACES_TILES_CHOSEN);
    }
    const size_t tiles = group(places, world, level);
    if (tiles <= PLACES_TILES_MAX)
        return true;
    const int would_do = level_for(places, world, level, PLACES_TILES_MAX);
    if (would_do < 0)
        return body_refuse(complaint, 413, "places", "places: they lie in over %d tiles at every lod",
                           PLACES_TILES_MAX);
    return body_refuse(complaint, 413, "lod",
                       "lod=%d: the places lie in %zu tiles, and %d is the most; lod=%d would do", level,
                       tiles, PLACES_TILES_MAX, would_do);
}

/* ---- Filling ------------------------------------------------------------------------------------------- */

static double float_at(const unsigned char *f32, size_t i)
{
    return (double)get_f32(f32 + 4 * i);
}

/* Weighted so that parts of 0 and of 1 give the samples themselves. */
static double between(const struct point *point, const unsigned char *f32, size_t channels, size_t channel)
{
    const size_t north = ((size_t)point->row * ROW + (size_t)point->column) * channels + channel;
    const size_t south = north + ROW * channels;
    const double e = point->east, s = point->south;
    const double above = (1 - e) * float_at(f32, north) + e * float_at(f32, north + channels);
    const double below = (1 - e) * float_at(f32, south) + e * float_at(f32, south + channels);
    return (1 - s) * above + s * below;
}

/* Between a river's sample and one beside it is no river of half its size. */
static size_t nearest_at(const struct point *point)
{
    return (size_t)(point->row + (point->south >= 0.5)) * ROW +
           (size_t)(point->column + (point->east >= 0.5));
}

static void fill_normal(struct point *point, const unsigned char *f32)
{
    double n[3], square = 0;
    for (size_t c = 0; c < 3; c++) {
        n[c] = between(point, f32, 3, c);
        square += n[c] * n[c];
    }
    for (size_t c = 0; c < 3; c++)
        point->normal[c] = n[c] / sqrt(square); /* up is above 0: their mean is, too */
}

void places_fill(struct places *places, size_t t, enum point_layer layer, const unsigned char *f32)
{
    CHECK(t < places->tiles && places->tiles <= PLACES_TILES_MAX);
    for (size_t k = places->first[t]; k < places->first[t + 1]; k++) {
        struct point *point = &places->point[places->order[k]];
        if (layer == POINT_HEIGHT)
            point->height_m = between(point, f32, 1, 0);
        else if (layer == POINT_WATER)
            point->water_m = between(point, f32, 1, 0);
        else if (layer == POINT_RIVER)
            point->discharge_m3s = float_at(f32, nearest_at(point));
        else
            fill_normal(point, f32);
    }
}

void places_zones(struct places *places, size_t t, const struct terrane_world *world,
                  const struct terrane_memory *memory)
{
    CHECK(t < places->tiles && places->tiles <= PLACES_TILES_MAX);
    for (size_t k = places->first[t]; k < places->first[t + 1]; k++) {
        struct point *point = &places->point[places->order[k]];
        const struct terrane_window window = {
            .level = places->level,
            .gi = point->tile_x * TERRANE_TILE_SAMPLES + point->column + (point->east >= 0.5),
            .gj = point->tile_y * TERRANE_TILE_SAMPLES + point->row + (point->south >= 0.5),
            .step = 1,
            .width = 1,
            .height = 1};
        uint8_t zone = 0;
        CHECK(terrane_zones(world, &window, memory, &zone, NULL) == 0);
        point->zone = zone;
    }
}

double point_slope_degrees(const struct point *point)
{
    static const double degrees = 57.295779513082320877;
    return atan2(hypot(point->normal[0], point->normal[1]), point->normal[2]) * degrees;
}
