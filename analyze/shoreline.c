/*
 * GSHHG's netCDF files cut every polygon into segments along a grid of bins (2 degrees a side in the high
 * resolution). They are HDF5 files and read as such.
 *
 * Bins are numbered from 90 N, 0 E, eastwards, then southwards. A point is two unsigned 16-bit numbers, 0 ..
 * 65535 across its bin from the south-west corner; a cut gives both neighbours a point on their common side,
 * so that with X and Y counted in these units around the Earth a segment starts exactly where the one before
 * it ends. A segment's word holds, from the top, its number of points, 3 bits of level (1: a shore of the
 * sea) and 3 bits each of the sides where the polygon enters and leaves the bin, 4 and 4 for a polygon that
 * lies within one bin.
 *
 * The files are a package's, but numbers in them are checked before they are used as indices.
 */
#include "shoreline.h"

#include <hdf5.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

enum { BIN_UNITS = 65535, LEVEL_SEA = 1, ARRAY_MAX = 1 << 26 };

#define RADIANS_PER_DEGREE 0.017453292519943295

struct numbers {
    int *value;
    int count;
};

struct store {
    int bin_minutes, columns, rows;      /* of bins */
    struct numbers first, count;         /* segments of a bin */
    struct numbers word, start, polygon; /* of a segment: see above; its first point; its polygon's number */
    struct numbers x, y;                 /* of a point, 0 .. 65535 */
};

/* A segment of one polygon, and its ends in units around the Earth. */
struct piece {
    int start, points;
    int64_t west, south; /* of its bin, in units */
    int64_t key;         /* of its first point */
};

static bool read_array(hid_t file, const char *name, struct numbers *out)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set < 0 ? -1 : H5Dget_space(set);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);

    *out = (struct numbers){0};
    if (count > 0 && count <= ARRAY_MAX)
        out->value = malloc((size_t)count * sizeof *out->value);
    if (out->value && H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->value) >= 0)
        out->count = (int)count;
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return out->count > 0;
}

static bool read_one(hid_t file, const char *name, int *out)
{
    struct numbers numbers;
    const bool fine = read_array(file, name, &numbers);
    *out = fine ? numbers.value[0] : 0;
    free(numbers.value);
    return fine;
}

static bool read_store(hid_t file, struct store *store)
{
    return read_one(file, "Bin_size_in_minutes", &store->bin_minutes) &&
           read_one(file, "N_bins_in_360_longitude_range", &store->columns) &&
           read_one(file, "N_bins_in_180_degree_latitude_range", &store->rows) &&
           read_array(file, "Id_of_first_segment_in_a_bin", &store->first) &&
           read_array(file, "N_segments_in_a_bin", &store->count) &&
           read_array(file, "Embedded_npts_levels_exit_entry_for_a_segment", &store->word) &&
           read_array(file, "Id_of_first_point_in_a_segment", &store->start) &&
           read_array(file, "Id_of_GSHHS_ID", &store->polygon) &&
           read_array(file, "Relative_longitude_from_SW_corner_of_bin", &store->x) &&
           read_array(file, "Relative_latitude_from_SW_corner_of_bin", &store->y);
}

static void free_store(struct store *store)
{
    free(store->first.value);
    free(store->count.value);
    free(store->word.value);
    free(store->start.value);
    free(store->polygon.value);
    free(store->x.value);
    free(store->y.value);
}

/* Every index the rest of this file follows. */
static bool sound(const struct store *store)
{
    if (store->bin_minutes < 60 || store->bin_minutes > 1200 || 10800 % store->bin_minutes != 0 ||
        store->columns != 21600 / store->bin_minutes || store->rows != 10800 / store->bin_minutes)
        return false;
    if (store->first.count != store->columns * store->rows || store->count.count != store->first.count ||
        store->start.count != store->word.count || store->polygon.count != store->word.count ||
        store->x.count != store->y.count)
        return false;
    for (int b = 0; b < store->first.count; b++)
        if (store->count.value[b] < 0 || store->first.value[b] < 0 ||
            store->count.value[b] > store->word.count - store->first.value[b])
            return false;
    for (int s = 0; s < store->word.count; s++) {
        const int points = store->word.value[s] >> 9;
        if (points < 1 || store->start.value[s] < 0 || points > store->x.count - store->start.value[s])
            return false;
    }
    for (int p = 0; p < store->x.count; p++) { /* stored as signed numbers */
        store->x.value[p] &= 0xFFFF;
        store->y.value[p] &= 0xFFFF;
    }
    return true;
}

static int64_t key_of(const struct store *store, int64_t x, int64_t y)
{
    const int64_t round = (int64_t)store->columns * BIN_UNITS;
    return (x % round) * ((int64_t)store->rows * BIN_UNITS + 1) + y;
}

static int64_t point_key(const struct store *store, const struct piece *piece, int k)
{
    return key_of(store, piece->west + store->x.value[piece->start + k],
                  piece->south + store->y.value[piece->start + k]);
}

static struct piece piece_of(const struct store *store, int bin, int segment)
{
    struct piece piece = {.start = store->start.value[segment],
                          .points = store->word.value[segment] >> 9,
                          .west = (int64_t)(bin % store->columns) * BIN_UNITS,
                          .south = (int64_t)(store->rows - 1 - bin / store->columns) * BIN_UNITS};
    piece.key = point_key(store, &piece, 0);
    return piece;
}

static struct site site_of(const struct store *store, const struct piece *piece, int k)
{
    const double degrees = store->bin_minutes / 60.0 / BIN_UNITS;
    return (struct site){(double)(piece->south + store->y.value[piece->start + k]) * degrees - 90,
                         (double)(piece->west + store->x.value[piece->start + k]) * degrees};
}

/* Square of a distance, in degrees: good enough to tell which of two sites is nearer. */
static double apart(struct site a, struct site b)
{
    const double east = remainder(a.longitude - b.longitude, 360) * cos(b.latitude * RADIANS_PER_DEGREE);
    return east * east + (a.latitude - b.latitude) * (a.latitude - b.latitude);
}

/* ---- The polygon -------------------------------------------------------------------------------------- */

static bool of_sea(const struct store *store, int segment)
{
    return (store->word.value[segment] >> 6 & 7) == LEVEL_SEA;
}

/* The number of the polygon whose shore comes nearest to a site. */
static int nearest_polygon(const struct store *store, struct site site)
{
    double least = (double)INFINITY;
    int found = -1;

    for (int b = 0; b < store->first.count; b++)
        for (int s = store->first.value[b]; s < store->first.value[b] + store->count.value[b]; s++) {
            const struct piece piece = piece_of(store, b, s);
            if (!of_sea(store, s) || apart(site_of(store, &piece, 0), site) > 25)
                continue; /* no bin spans 5 degrees on the ground */
            for (int k = 0; k < piece.points; k++) {
                const double distance = apart(site_of(store, &piece, k), site);
                if (distance < least) {
                    least = distance;
                    found = store->polygon.value[s];
                }
            }
        }
    return found;
}

static int by_key(const void *a, const void *b)
{
    const int64_t x = ((const struct piece *)a)->key, y = ((const struct piece *)b)->key;
    return (x > y) - (x < y);
}

/* Owned, sorted by key; NULL when memory is short. */
static struct piece *pieces_of(const struct store *store, int polygon, size_t *count)
{
    struct piece *const pieces = malloc((size_t)store->word.count * sizeof *pieces);

    *count = 0;
    for (int b = 0; pieces && b < store->first.count; b++)
        for (int s = store->first.value[b]; s < store->first.value[b] + store->count.value[b]; s++)
            if (of_sea(store, s) && store->polygon.value[s] == polygon && *count < (size_t)store->word.count)
                pieces[(*count)++] = piece_of(store, b, s);
    if (pieces)
        qsort(pieces, *count, sizeof *pieces, by_key);
    return pieces;
}

/* Puts pieces end to end into a ring of points; where it does not close, it ends. */
static int join(const struct store *store, const struct piece *pieces, size_t count, struct shoreline *ring)
{
    size_t room = 0;

    for (size_t k = 0; k < count; k++)
        room += (size_t)pieces[k].points;
    *ring = (struct shoreline){.point = malloc((room + 1) * sizeof *ring->point)};
    if (!ring->point)
        return -1;
    const struct piece *piece = count > 0 ? pieces : NULL;
    for (size_t k = 0; piece && k < count; k++) {
        const struct piece wanted = {.key = point_key(store, piece, piece->points - 1)};
        const int fresh = piece->points - (piece->points > 1); /* the last is the next piece's first */
        for (int p = 0; p < fresh && ring->points < room; p++)
            ring->point[ring->points++] = site_of(store, piece, p);
        piece = bsearch(&wanted, pieces, count, sizeof *pieces, by_key);
        if (piece == pieces)
            break;
    }
    return 0;
}

/* ---- The stretch -------------------------------------------------------------------------------------- */

static size_t nearest_point(const struct shoreline *ring, struct site site)
{
    size_t found = 0;
    for (size_t k = 1; k < ring->points; k++)
        if (apart(ring->point[k], site) < apart(ring->point[found], site))
            found = k;
    return found;
}

/* Fills *out, which stays empty when the ring is. */
static int stretch(const struct shoreline *ring, struct site from, struct site via, struct site to,
                   struct shoreline *out)
{
    const size_t n = ring->points;

    if (n == 0)
        return 0;
    const size_t a = nearest_point(ring, from), b = nearest_point(ring, to);
    const size_t ahead = (b + n - a) % n, middle = (nearest_point(ring, via) + n - a) % n;
    const bool forwards = middle <= ahead;
    out->points = (forwards ? ahead : n - ahead) + 1;
    out->point = malloc(out->points * sizeof *out->point);
    for (size_t k = 0; out->point && k < out->points; k++)
        out->point[k] = ring->point[(forwards ? a + k : a + n - k) % n];
    return out->point ? 0 : -1;
}

int shoreline_read(const char *file, struct site from, struct site via, struct site to, struct shoreline *out)
{
    struct store store = {0};
    struct shoreline ring = {0};
    struct piece *pieces = NULL;
    const char *problem = NULL;
    size_t count;

    *out = (struct shoreline){0};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t id = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0)
        problem = "cannot be read as HDF5";
    else if (!read_store(id, &store) || !sound(&store))
        problem = "not a binned GSHHG shoreline";
    else if (!(pieces = pieces_of(&store, nearest_polygon(&store, from), &count)) ||
             join(&store, pieces, count, &ring) != 0 || stretch(&ring, from, via, to, out) != 0)
        problem = "out of memory";
    else if (out->points < 2)
        problem = "has no coast between the sites";
    if (problem) {
        say_error("%s: %s", file, problem);
        shoreline_free(out);
    }
    if (id >= 0)
        H5Fclose(id);
    free(ring.point);
    free(pieces);
    free_store(&store);
    return problem ? -1 : 0;
}

void shoreline_free(struct shoreline *shoreline)
{
    free(shoreline->point);
    shoreline->point = NULL;
}
