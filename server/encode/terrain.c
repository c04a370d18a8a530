/*
 * quantized-mesh-1.0: a header in earth-centred coordinates, vertices as differences, triangles as distances
 * from the highest index so far, the vertices of each edge, extensions.
 *
 * Order of vertices. A triangle may only name a vertex that was named before, or the next one. Cells go row
 * by row, each with the triangles (nw, sw, ne) and (ne, sw, se): the first row of cells takes its two rows of
 * vertices by turns, every further one adds its southern row from west to east. vertex_index is that order.
 *
 * Only heights, in quanta of 1 / 32767 of the tile's range, are rounded by tile: neighbours' edges differ by
 * less than a quantum. The header's bounds hold for the decoded vertices.
 *
 * If no point can represent the tile in horizon tests, since it spans half of the globe, the header has NaN
 * there, and those tests find nothing hidden.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/check.h"
#include "../base/minmax.h"
#include "exact_angle.h"
#include "mesh.h"
#include "mesh_bytes.h"

enum {
    SIDE_MAX = 257,
    QUANTA = 32767,
    HEADER_BYTES = 88,
    EXTENSION_BYTES = 5, /* id and length */
    MASK_SIDE = 256,
    EXTENSION_NORMALS = 1,
    EXTENSION_WATER = 2,
    EXTENSION_METADATA = 4,
    LEVEL_MAX = 24,
    RANGE_BYTES =
        96, /* of a level's text: four names of at most 8 characters, four numbers of at most 8 digits */
    METADATA_BYTES = 32 + LEVEL_MAX * RANGE_BYTES
};

struct vector {
    double x, y, z;
};

/* The ellipsoid WGS 84. */
static const double equator_m = 6378137.0, pole_m = 6356752.3142451793;

/* A tile under construction. Rows of vertices go from north to south, columns from west to east. */
struct sheet {
    const struct mesh_ground *ground;
    int side, count; /* vertices along an edge, and in all */
    bool wide;       /* indices of 32 bits */
    float low_m, high_m;
    uint16_t
        quantum[SIDE_MAX]; /* u of a column; v of a row is that of the column counted from the other end */
    struct exact_angle longitude[SIDE_MAX], latitude[SIDE_MAX];
};

/* ---- Places on the globe ------------------------------------------------------------------------------- */

static double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct vector less(struct vector a, struct vector b)
{
    return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static struct vector times(struct vector a, double factor)
{
    return (struct vector){a.x * factor, a.y * factor, a.z * factor};
}

/* Scales to units in which the ellipsoid is a sphere of radius 1. */
static struct vector scaled(struct vector a)
{
    return (struct vector){a.x / equator_m, a.y / equator_m, a.z / pole_m};
}

static struct vector place_on_globe(struct exact_angle longitude, struct exact_angle latitude,
                                    double height_m)
{
    const double flat = latitude.cosine, up = latitude.sine;
    const double a2 = equator_m * equator_m, b2 = pole_m * pole_m;
    const double root = sqrt(a2 * flat * flat + b2 * up * up);
    const double out = (a2 / root + height_m) * flat;
    return (struct vector){out * longitude.cosine, out * longitude.sine, (b2 / root + height_m) * up};
}

/* As a reader decodes it. */
static unsigned height_quantum(const struct sheet *sheet, int column, int row)
{
    const double range_m = (double)sheet->high_m - sheet->low_m;
    const float height_m = sheet->ground->heights[row * sheet->side + column];
    return range_m > 0 ? (unsigned)quantise_share(((double)height_m - sheet->low_m) / range_m, QUANTA) : 0;
}

static struct vector vertex_place(const struct sheet *sheet, int column, int row)
{
    const double range_m = (double)sheet->high_m - sheet->low_m;
    const double height_m = sheet->low_m + range_m * height_quantum(sheet, column, row) / QUANTA;
    return place_on_globe(sheet->longitude[column], sheet->latitude[row], height_m);
}

static void open_sheet(struct sheet *sheet, const struct mesh_ground *ground, int z, uint64_t x, uint64_t y)
{
    const double tiles = (double)(UINT64_C(1) << z); /* from pole to pole */
    const int last = ground->side - 1;
    *sheet = (struct sheet){.ground = ground, .side = ground->side, .count = ground->side * ground->side};
    sheet->wide = sheet->count > 65536;
    range_of(ground->heights, (size_t)sheet->count, &sheet->low_m, &sheet->high_m);
    for (int i = 0; i <= last; i++)
        sheet->quantum[i] = (uint16_t)quantise_share((double)i / last, QUANTA);
    for (int i = 0; i <= last; i++) { /* turns; a tile is half a turn / tiles both ways */
        const double east = (double)sheet->quantum[i] / QUANTA,
                     north = (double)sheet->quantum[last - i] / QUANTA;
        sheet->longitude[i] = exact_angle(((double)x + east) / tiles / 2 - 0.5);
        sheet->latitude[i] = exact_angle(0.25 - ((double)y + 1 - north) / tiles / 2);
    }
}

/* ---- Header -------------------------------------------------------------------------------------------- */

/* The middle of the box around all vertices. */
static struct vector middle_of(const struct sheet *sheet)
{
    struct vector low = vertex_place(sheet, 0, 0), high = low;
    for (int row = 0; row < sheet->side; row++)
        for (int column = 0; column < sheet->side; column++) {
            const struct vector at = vertex_place(sheet, column, row);
            low = (struct vector){min_double(low.x, at.x), min_double(low.y, at.y), min_double(low.z, at.z)};
            high =
                (struct vector){max_double(high.x, at.x), max_double(high.y, at.y), max_double(high.z, at.z)};
        }
    return (struct vector){(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2};
}

/*
 * The distance along a direction, in units of the sphere, at which a point is above every horizon that a
 * place is above: 1 / cos(a + b), a the angle between both, b that of the place's own horizon. Places below
 * the sphere count as on it. Not above 0: there is no such point.
 */
static double horizon_reach(struct vector direction, struct vector place)
{
    const double length2 = dot(place, place), length = sqrt(length2);
    const struct vector towards = times(place, 1 / length);
    const struct vector across = cross(towards, direction);
    const double cos_a = dot(towards, direction), sin_a = sqrt(dot(across, across));
    const double cos_b = length > 1 ? 1 / length : 1;
    const double sin_b = length > 1 ? sqrt(length2 - 1) / length : 0;
    return 1 / (cos_a * cos_b - sin_a * sin_b);
}

static unsigned char *put_vector(unsigned char *at, struct vector vector)
{
    return put_f64(put_f64(put_f64(at, vector.x), vector.y), vector.z);
}

static unsigned char *put_nowhere(unsigned char *at)
{
    for (int i = 0; i < 3; i++)
        at = put_u32(put_u32(at, 0), UINT32_C(0x7FF80000)); /* NaN, the same everywhere */
    return at;
}

static unsigned char *put_header(unsigned char *at, const struct sheet *sheet)
{
    const double far_max = 1e3; /* spheres: beyond, the point is as good as none */
    const struct vector middle = middle_of(sheet);
    const struct vector direction = times(scaled(middle), 1 / sqrt(dot(scaled(middle), scaled(middle))));
    double radius_m = 0, reach = 1;
    bool hidden = true; /* it can be */
    for (int row = 0; row < sheet->side; row++)
        for (int column = 0; column < sheet->side; column++) {
            const struct vector at_vertex = vertex_place(sheet, column, row);
            const struct vector off = less(at_vertex, middle);
            const double this_reach = horizon_reach(direction, scaled(at_vertex));
            radius_m = max_double(radius_m, sqrt(dot(off, off)));
            hidden = hidden && this_reach > 0 && this_reach < far_max;
            reach = max_double(reach, this_reach);
        }
    at = put_vector(at, middle);
    at = put_f32(put_f32(at, sheet->low_m), sheet->high_m);
    at = put_f64(put_vector(at, middle), radius_m * (1 + 1e-9));
    return hidden ? put_vector(at, times(direction, reach)) : put_nowhere(at);
}

/* ---- Vertices and triangles ---------------------------------------------------------------------------- */

static uint32_t vertex_index(const struct sheet *sheet, int column, int row)
{
    return (uint32_t)(row < 2 ? 2 * column + row : row * sheet->side + column);
}

/* Calls visit for every vertex in index order. */
static unsigned char *each_vertex(unsigned char *at, const struct sheet *sheet,
                                  unsigned char *(*visit)(unsigned char *, const struct sheet *, int, int,
                                                          int *))
{
    int before = 0;
    for (int i = 0; i < 2 * sheet->side; i++)
        at = visit(at, sheet, i / 2, i % 2, &before);
    for (int row = 2; row < sheet->side; row++)
        for (int column = 0; column < sheet->side; column++)
            at = visit(at, sheet, column, row, &before);
    return at;
}

/* Writes the difference to the previous value, zigzag coded. */
static unsigned char *put_change(unsigned char *at, int value, int *before)
{
    const int change = value - *before;
    *before = value;
    return put_u16(at, (unsigned)(change < 0 ? -2 * change - 1 : 2 * change));
}

static unsigned char *put_u(unsigned char *at, const struct sheet *sheet, int column, int row, int *before)
{
    (void)row;
    return put_change(at, sheet->quantum[column], before);
}

static unsigned char *put_v(unsigned char *at, const struct sheet *sheet, int column, int row, int *before)
{
    (void)column;
    return put_change(at, sheet->quantum[sheet->side - 1 - row], before);
}

static unsigned char *put_height(unsigned char *at, const struct sheet *sheet, int column, int row,
                                 int *before)
{
    return put_change(at, (int)height_quantum(sheet, column, row), before);
}

static unsigned char *put_index(unsigned char *at, const struct sheet *sheet, uint32_t index)
{
    return sheet->wide ? put_u32(at, index) : put_u16(at, index);
}

static unsigned char *put_triangles(unsigned char *at, const struct sheet *sheet)
{
    const int cells = sheet->side - 1;
    uint32_t highest = 0;
    at = put_u32(at, (uint32_t)(2 * cells * cells));
    for (int row = 0; row < cells; row++)
        for (int column = 0; column < cells; column++) {
            const uint32_t nw = vertex_index(sheet, column, row), ne = vertex_index(sheet, column + 1, row);
            const uint32_t sw = vertex_index(sheet, column, row + 1);
            const uint32_t se = vertex_index(sheet, column + 1, row + 1);
            const uint32_t corner[6] = {nw, sw, ne, ne, sw, se};
            for (int i = 0; i < 6; i++) {
                CHECK(corner[i] <= highest);
                at = put_index(at, sheet, highest - corner[i]);
                highest += corner[i] == highest;
            }
        }
    return at;
}

/* West from the south, south from the east, east from the north, north from the west. */
static unsigned char *put_edges(unsigned char *at, const struct sheet *sheet)
{
    const int last = sheet->side - 1;
    for (int edge = 0; edge < 4; edge++) {
        at = put_u32(at, (uint32_t)sheet->side);
        for (int i = 0; i <= last; i++) {
            const int column[4] = {0, last - i, last, i}, row[4] = {last - i, last, i, 0};
            at = put_index(at, sheet, vertex_index(sheet, column[edge], row[edge]));
        }
    }
    return at;
}

/* ---- Extensions ---------------------------------------------------------------------------------------- */

static unsigned char *put_extension(unsigned char *at, int id, size_t bytes)
{
    *at++ = (unsigned char)id;
    return put_u32(at, (uint32_t)bytes);
}

static unsigned char oct_byte(double value)
{
    return (unsigned char)quantise_share(clamp_to(value, -1, 1) * 0.5 + 0.5, 255);
}

/* A direction as two bytes: the octahedron |x| + |y| + |z| = 1, its lower half folded outwards. */
static unsigned char *put_oct(unsigned char *at, struct vector n)
{
    double sum = fabs(n.x) + fabs(n.y) + fabs(n.z);
    if (!(sum > 0)) { /* none: ground is steeper than numbers are */
        n = (struct vector){0, 0, 1};
        sum = 1;
    }
    double x = n.x / sum, y = n.y / sum;
    if (n.z < 0) {
        const double folded = (1 - fabs(y)) * (x < 0 ? -1 : 1);
        y = (1 - fabs(x)) * (y < 0 ? -1 : 1);
        x = folded;
    }
    *at++ = oct_byte(x);
    *at++ = oct_byte(y);
    return at;
}

/* Converts a normal from the vertex's east, south and up to the globe's axes. */
static unsigned char *put_normal(unsigned char *at, const struct sheet *sheet, int column, int row,
                                 int *before)
{
    const float *normal = sheet->ground->normals + 3 * (row * sheet->side + column);
    const struct exact_angle lon = sheet->longitude[column], lat = sheet->latitude[row];
    const double east = normal[0], south = normal[1], up = normal[2];
    const double out = south * lat.sine + up * lat.cosine; /* away from the axis */
    (void)before;
    return put_oct(at, (struct vector){out * lon.cosine - east * lon.sine, out * lon.sine + east * lon.cosine,
                                       up * lat.sine - south * lat.cosine});
}

/* The share of water among the four vertices around the middle of a mask's cell, weighted by their distance,
 * 0 .. 255. */
static unsigned char mask_cell(const struct sheet *sheet, int column, int row)
{
    const int unit = 2 * MASK_SIDE, last = sheet->side - 1; /* of a step between vertices */
    const int x = (2 * column + 1) * last, y = (2 * row + 1) * last;
    const float *depth = sheet->ground->depth + y / unit * sheet->side + x / unit;
    const int east = x % unit, south = y % unit, side = sheet->side;
    const int wet = (depth[0] > 0) * (unit - east) * (unit - south) + (depth[1] > 0) * east * (unit - south) +
                    (depth[side] > 0) * (unit - east) * south + (depth[side + 1] > 0) * east * south;
    return (unsigned char)((wet * 255 + unit * unit / 2) / (unit * unit));
}

static unsigned char *put_mask(unsigned char *at, const struct sheet *sheet)
{
    int wet = 0;
    for (int i = 0; i < sheet->count; i++)
        wet += sheet->ground->depth[i] > 0;
    if (wet == 0 || wet == sheet->count) {
        at = put_extension(at, EXTENSION_WATER, 1);
        *at++ = wet == 0 ? 0 : 255;
        return at;
    }
    at = put_extension(at, EXTENSION_WATER, (size_t)MASK_SIDE * MASK_SIDE);
    for (int row = 0; row < MASK_SIDE; row++)
        for (int column = 0; column < MASK_SIDE; column++)
            *at++ = mask_cell(sheet, column, row);
    return at;
}

/* The tiles below, level by level: the first is that of the tile's children. y counts from the south. */
static unsigned char *put_metadata(unsigned char *at, int z, uint64_t x, uint64_t y, int below)
{
    char text[METADATA_BYTES];
    const uint64_t south = (UINT64_C(1) << z) - 1 - y;
    int n = snprintf(text, sizeof text, "{\"available\":[");
    for (int k = 1; k <= below; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s[{\"startX\":%" PRIu64 ",\"startY\":%" PRIu64 ",\"endX\":%" PRIu64
                      ",\"endY\":%" PRIu64 "}]",
                      k > 1 ? "," : "", x << k, south << k, ((x + 1) << k) - 1, ((south + 1) << k) - 1);
    n += snprintf(text + n, sizeof text - (size_t)n, "]}");
    CHECK(n < METADATA_BYTES);
    at = put_u32(put_extension(at, EXTENSION_METADATA, 4 + (size_t)n), (uint32_t)n);
    memcpy(at, text, (size_t)n);
    return at + n;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

int encode_terrain(const struct mesh_ground *ground, int z, uint64_t x, uint64_t y, int below,
                   unsigned char **data, size_t *bytes)
{
    struct sheet sheet;
    CHECK(ground->side >= 3 && ground->side <= SIDE_MAX && z >= 0 && z <= LEVEL_MAX);
    CHECK(below >= TERRAIN_NO_METADATA && z + below <= LEVEL_MAX);
    CHECK(x < UINT64_C(2) << z && y < UINT64_C(1) << z);
    open_sheet(&sheet, ground, z, x, y);

    const size_t side = (size_t)sheet.side, count = (size_t)sheet.count, index_bytes = sheet.wide ? 4 : 2;
    const size_t max = HEADER_BYTES + 4 + 6 * count + 2 + 4 + 6 * (side - 1) * (side - 1) * index_bytes +
                       4 * (4 + side * index_bytes) + 3 * EXTENSION_BYTES + 2 * count +
                       (size_t)MASK_SIDE * MASK_SIDE + (below >= 0 ? 4 + METADATA_BYTES : 0);
    unsigned char *out = malloc(max);
    if (!out)
        return -1;
    unsigned char *at = put_u32(put_header(out, &sheet), (uint32_t)count);
    at = each_vertex(at, &sheet, put_u);
    at = each_vertex(at, &sheet, put_v);
    at = each_vertex(at, &sheet, put_height);
    if (sheet.wide && (at - out) % 4 != 0)
        at = put_u16(at, 0);
    at = put_edges(put_triangles(at, &sheet), &sheet);
    at = each_vertex(put_extension(at, EXTENSION_NORMALS, 2 * count), &sheet, put_normal);
    if (ground->depth)
        at = put_mask(at, &sheet);
    if (below >= 0)
        at = put_metadata(at, z, x, y, below);
    CHECK((size_t)(at - out) <= max);

    *bytes = (size_t)(at - out);
    *data = realloc(out, *bytes);
    if (!*data)
        *data = out;
    return 0;
}
