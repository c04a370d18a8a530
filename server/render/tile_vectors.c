/*
 * A tile as vectors: outlines of zones, contours, outlines of water, lines of rivers and paths, places.
 *
 * Everything that reaches a tile's edge is cut there by numbers that both tiles have: lines meet to the unit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../encode/contours.h"
#include "../encode/outlines.h"
#include "../encode/vectors.h"
#include "tile_vectors.h"

/* A tile's samples, units between them, and what they are. */
struct sheet {
    const struct piece *piece;
    struct mvt *mvt;
    int side;
    int32_t unit;
};

/* ---- Contours ------------------------------------------------------------------------------------------ */

struct contours {
    const struct sheet *sheet;
    struct contour_interval interval;
};

static void take_contour(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed)
{
    enum { MAJOR = 5 };
    const struct contours *drawn = to;
    struct mvt *mvt = drawn->sheet->mvt;
    mvt_feature(mvt, MVT_LINE, 0);
    mvt_number(mvt, "ele", contour_m(&drawn->interval, k));
    mvt_whole(mvt, "level", k % MAJOR == 0);
    mvt_geometry(mvt, point, points, closed);
}

static int add_contours(const struct sheet *sheet)
{
    const struct terrane_window *window = &sheet->piece->plan->ground.window;
    struct contours drawn = {
        sheet, contour_interval(terrane_lattice_m(sheet->piece->world, window->level, window->step))};
    mvt_layer(sheet->mvt, vector_row[VECTOR_CONTOUR].name);
    return contours(piece_values(sheet->piece), sheet->side, drawn.interval, sheet->unit, take_contour,
                    &drawn);
}

/* ---- Outlines ------------------------------------------------------------------------------------------ */

static int32_t cut_half(const void *context, size_t a, size_t b)
{
    (void)a;
    (void)b;
    return ((const struct sheet *)context)->unit / 2;
}

/* The areas of what is of a kind, with what is said of each. lake: that they are of; or NULL. */
static int add_areas(const struct sheet *sheet, struct outlines outlines, const char *key, const char *text,
                     const struct tile_lake *lake)
{
    char id[17];
    outlines.side = sheet->side;
    outlines.unit = sheet->unit;
    outlines.context = sheet;
    const int error = outlines_make(&outlines);
    for (size_t k = 0; k < outlines.shapes && error == 0; k++) {
        mvt_feature(sheet->mvt, MVT_POLYGON, 0);
        if (outlines.kind == sheet->piece->index)
            mvt_whole(sheet->mvt, "zone", outlines.of);
        mvt_text(sheet->mvt, key, text);
        if (lake) {
            snprintf(id, sizeof id, "%016" PRIx64, lake->id);
            mvt_text(sheet->mvt, "lake", id);
            mvt_text(sheet->mvt, "name", lake->name);
        }
        outlines_write(&outlines, k, sheet->mvt);
    }
    outlines_free(&outlines);
    return error;
}

static int add_zones(const struct sheet *sheet)
{
    const struct terrane_partition *partition = &sheet->piece->world->recipe->partition;
    struct outlines outlines = {.kind = sheet->piece->index, .cut = cut_half};
    int error = 0;
    mvt_layer(sheet->mvt, vector_row[VECTOR_ZONE].name);
    for (int z = 0; z < partition->zones && error == 0; z++) {
        outlines.of = (uint8_t)z;
        error = add_areas(sheet, outlines, "name", partition->zone[z].name, NULL);
    }
    return error;
}

/* Kinds of samples; from WATERS on lakes that have names, in their order. Where two lie crosswise the later one hangs
 * together: a narrow river is one area. */
enum water { WATER_NONE, WATER_OCEAN, WATER_LAKE, WATER_RIVER, WATERS };
_Static_assert(WATERS + TILE_LAKES_MAX < 255, "kinds of outlines");

/* Where water's surface meets the ground on the way from one that is wet to one that is not. */
static int32_t cut_shore(const void *context, size_t a, size_t b)
{
    const struct sheet *sheet = context;
    const float *ground = sheet->piece->ground.layer[TERRANE_LAYER_HEIGHT],
                *depth = sheet->piece->ground.layer[TERRANE_LAYER_WATER];
    const bool first = depth[a] > 0;
    const size_t wet = first ? a : b, dry = first ? b : a;
    double share = 0.5;
    if (!(depth[dry] > 0) && ground[dry] > ground[wet])
        share = fmin((double)depth[wet] / ((double)ground[dry] - (double)ground[wet]), 1);
    return (int32_t)((first ? share : 1 - share) * sheet->unit + 0.5);
}

static uint8_t *waters_of(const struct sheet *sheet)
{
    const struct terrane_ground *ground = &sheet->piece->ground;
    const float *depth = ground->layer[TERRANE_LAYER_WATER], *surface = ground->layer[TERRANE_LAYER_SURFACE],
                *discharge = ground->layer[TERRANE_LAYER_RIVER];
    uint8_t *kind = malloc(ground->count);
    for (size_t i = 0; kind && i < ground->count; i++)
        kind[i] = !(depth[i] > 0)                                           ? WATER_NONE
                  : discharge && discharge[i] > 0                           ? WATER_RIVER
                  : surface[i] <= (float)sheet->piece->world->recipe->sea_m ? WATER_OCEAN
                  : sheet->piece->lake_of[i] == 0                           ? WATER_LAKE
                                                  : (uint8_t)(WATERS - 1 + sheet->piece->lake_of[i]);
    return kind;
}

static int add_waters(const struct sheet *sheet)
{
    static const char *const class[WATERS] = {
        [WATER_OCEAN] = "ocean", [WATER_LAKE] = "lake", [WATER_RIVER] = "river"};
    uint8_t *kind = waters_of(sheet);
    int error = kind ? 0 : -1;
    mvt_layer(sheet->mvt, vector_row[VECTOR_WATER].name);
    for (int of = WATER_OCEAN; of < WATERS + sheet->piece->lakes && error == 0; of++)
        error = add_areas(sheet, (struct outlines){.kind = kind, .of = (uint8_t)of, .cut = cut_shore},
                          "class", class[of < WATERS ? of : WATER_LAKE],
                          of < WATERS ? NULL : &sheet->piece->lake[of - WATERS]);
    free(kind);
    return error;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

int piece_make_vectors(struct piece *piece)
{
    const bool rivers = piece->world->recipe->rivers.top > 0;
    struct terrane_ground *ground = &piece->ground;
    return terrane_ground_layer(ground, layer_row[piece->key->layer].samples) == 0 &&
                   terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT) == 0 &&
                   terrane_ground_layer(ground, TERRANE_LAYER_WATER) == 0 &&
                   (!rivers || (terrane_ground_layer(ground, TERRANE_LAYER_RIVER) == 0 &&
                                piece_make_rivers(piece) == 0)) &&
                   piece_make_lakes(piece) == 0 && piece_make_zones(piece) == 0 &&
                   piece_make_lines(piece) == 0
               ? 0
               : -1;
}

static int add_labels(const struct sheet *sheet)
{
    struct tile_labels labels = {0};
    int error = tile_list_labels(sheet->piece, &labels);
    mvt_layer(sheet->mvt, vector_row[VECTOR_LABEL].name);
    if (error == 0)
        error = tile_draw_labels(sheet->piece, &labels, true, sheet->mvt);
    free(labels.label);
    return error;
}

int piece_encode_vectors(struct piece *piece)
{
    const int side = piece->plan->ground.window.width;
    const struct sheet sheet = {
        .piece = piece, .mvt = mvt_create(), .side = side, .unit = MVT_EXTENT / (side - 1)};
    if (!sheet.mvt)
        return -1;
    if (add_zones(&sheet) != 0 || add_waters(&sheet) != 0 || add_contours(&sheet) != 0 ||
        tile_add_ways(piece, sheet.mvt) != 0 || add_labels(&sheet) != 0) {
        mvt_free(sheet.mvt);
        return -1;
    }
    piece->data = mvt_finish(sheet.mvt, &piece->bytes);
    return piece->data ? 0 : -1;
}

/* ---- One layer as GeoJSON -------------------------------------------------------------------------------- */

int piece_make_drawn(struct piece *piece)
{
    struct terrane_ground *ground = &piece->ground;
    if (piece->key->layer == LAYER_PARTITION)
        return piece_make_zones(piece);
    const bool water = piece->key->layer == LAYER_WATER,
               rivers = water && piece->world->recipe->rivers.top > 0;
    return terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT) == 0 &&
                   terrane_ground_layer(ground, TERRANE_LAYER_WATER) == 0 &&
                   terrane_ground_layer(ground, TERRANE_LAYER_SURFACE) == 0 &&
                   (!rivers || terrane_ground_layer(ground, TERRANE_LAYER_RIVER) == 0) &&
                   (!water || piece_make_lakes(piece) == 0)
               ? 0
               : -1;
}

/* What has a name in GeoJSON of a layer. */
static int add_labels_of(const struct sheet *sheet, enum tile_layer layer)
{
    static const unsigned kinds[LAYERS] = {
        [LAYER_HEIGHT] = 1 << TERRANE_LANDMARK_PEAK | 1 << TERRANE_LANDMARK_RANGE,
        [LAYER_WATER] = 1 << TERRANE_LANDMARK_SEA | 1 << TERRANE_LANDMARK_CAPE | 1 << TERRANE_LANDMARK_BAY |
                        1 << TERRANE_LANDMARK_ISLAND | 1 << TERRANE_LANDMARK_BANK,
        [LAYER_PARTITION] = 1 << TERRANE_LANDMARK_TRACT,
    };
    struct tile_labels labels = {0};
    int error = layer == LAYER_WATER ? tile_list_lakes(sheet->piece, &labels) : 0;
    if (error == 0 && kinds[layer])
        error = tile_list_landmarks(sheet->piece, kinds[layer], &labels);
    mvt_layer(sheet->mvt, vector_row[VECTOR_LABEL].name);
    if (error == 0)
        error = tile_draw_labels(sheet->piece, &labels, false, sheet->mvt);
    free(labels.label);
    return error;
}

int piece_encode_drawn(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const struct sheet sheet = {
        .piece = piece, .mvt = mvt_create(), .side = window->width, .unit = MVT_EXTENT / (window->width - 1)};
    const enum tile_layer layer = piece->key->layer;
    int error = !sheet.mvt                 ? -1
                : layer == LAYER_PARTITION ? add_zones(&sheet)
                : layer == LAYER_WATER     ? add_waters(&sheet)
                                           : add_contours(&sheet);
    if (!error)
        error = add_labels_of(&sheet, layer);
    if (error) {
        mvt_free(sheet.mvt);
        return -1;
    }
    size_t bytes;
    unsigned char *tile = mvt_finish(sheet.mvt, &bytes);
    const struct geojson_place place = {
        .west_m = terrane_lattice_m(piece->world, window->level, window->gi),
        .north_m = terrane_lattice_m(piece->world, window->level, window->gj),
        .unit_m = terrane_lattice_m(piece->world, window->level, window->step) / sheet.unit,
    };
    const int written = tile ? encode_geojson_vectors(tile, bytes, &place, &piece->data, &piece->bytes) : -1;
    free(tile);
    return written;
}
