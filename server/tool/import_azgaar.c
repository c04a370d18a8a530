/*
 * Reading an export. What is wrong is named by its place in the file.
 */
#include "import_azgaar.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_recipe.h"
#include "../base/text.h"

#define SEA         20.0
#define PICTURE_MIN 16.0
#define PICTURE_MAX 100000.0

struct reader {
    struct azgaar *map;
    char *why;
    size_t why_bytes;
};

static int refuse(const struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(const struct reader *reader, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_print_list(reader->why, reader->why_bytes, format, list);
    va_end(list);
    return -1;
}

bool azgaar_number(const json_t *value, double *number)
{
    const char *const text = json_string_value(value);
    char *end;
    if (!text)
        return json_is_number(value) && (*number = json_number_value(value), isfinite(*number));
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

/* A member of a section, between two bounds. */
static int take_number(const struct reader *reader, const char *section, const char *key, double low,
                       double high, double *number)
{
    const json_t *const value = json_object_get(json_object_get(reader->map->root, section), key);
    char shown[TEXT_SHOWN_BYTES] = "missing";
    if (azgaar_number(value, number) && *number >= low && *number <= high)
        return 0;
    if (value)
        text_value_show(value, shown, sizeof shown);
    return refuse(reader, "/%s/%s: %s; allowed %.9g to %.9g", section, key, shown, low, high);
}

/* ---- Scale ----------------------------------------------------------------------------------------------- */

/* Of the picture. Exports of old versions do not tell it; the points around, which are a cell outside, do. */
static int read_size(const struct reader *reader, const char *key, size_t axis, double *size)
{
    const json_t *const root = reader->map->root, *const grid = json_object_get(root, "grid"), *point;
    double spacing, at;
    size_t k;
    *size = 0;
    if (!json_object_get(json_object_get(root, "info"), key) &&
        azgaar_number(json_object_get(grid, "spacing"), &spacing)) {
        json_array_foreach(json_object_get(grid, "boundary"), k,
                           point) if (azgaar_number(json_array_get(point, axis), &at)) *size =
            fmax(*size, at - round(spacing));
        if (*size >= PICTURE_MIN && *size <= PICTURE_MAX)
            return 0;
    }
    return take_number(reader, "info", key, PICTURE_MIN, PICTURE_MAX, size);
}

static int read_scale(const struct reader *reader, double metres_across)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"km", 1000},   {"m", 1},      {"mi", 1609.344}, {"lg", 4828.032},
                 {"vr", 1066.8}, {"nmi", 1852}, {"nlg", 5556}};
    struct azgaar *const map = reader->map;
    double scale = 0;
    if (read_size(reader, "width", 0, &map->width) != 0 ||
        read_size(reader, "height", 1, &map->height) != 0 ||
        take_number(reader, "settings", "heightExponent", 0.5, 3, &map->exponent) != 0)
        return -1;
    map->metres_px = metres_across / map->width;
    if (metres_across > 0)
        return 0;
    const json_t *const unit = json_object_get(json_object_get(map->root, "settings"), "distanceUnit");
    if (take_number(reader, "settings", "distanceScale", 0.0001, 100000, &scale) != 0)
        return -1;
    for (size_t k = 0; json_is_string(unit) && k < sizeof units / sizeof *units; k++)
        if (strcmp(json_string_value(unit), units[k].name) == 0)
            map->metres_px = scale * units[k].metres;
    return map->metres_px > 0
               ? 0
               : refuse(reader, "/settings/distanceUnit: no unit that is known: say --across WIDTH");
}

/* ---- Cells ----------------------------------------------------------------------------------------------- */

/* A cell's point is where its place in the lattice is, give or take a cell. */
static int read_cell(const struct reader *reader, size_t k, const json_t *cell, const json_t *point)
{
    struct azgaar *const map = reader->map;
    const double spacing = map->spacing;
    const size_t column = k % (size_t)map->across, row = k / (size_t)map->across;
    double *const at = map->point[k];
    if (!json_is_number(json_object_get(cell, "h")) ||
        !azgaar_number(json_object_get(cell, "h"), map->level + k) || map->level[k] < 0 ||
        map->level[k] > 100)
        return refuse(reader, "/grid/cells/%zu/h: no number from 0 to 100", k);
    if (json_array_size(point) != 2 || !azgaar_number(json_array_get(point, 0), at) ||
        !azgaar_number(json_array_get(point, 1), at + 1))
        return refuse(reader, "/grid/points/%zu: no point", k);
    if (fabs(at[0] - ((double)column + 0.5) * spacing) <= spacing &&
        fabs(at[1] - ((double)row + 0.5) * spacing) <= spacing)
        return 0;
    return refuse(reader, "/grid/points/%zu: not in its place in rows of %d cells", k, map->across);
}

static int read_cells(const struct reader *reader)
{
    struct azgaar *const map = reader->map;
    const json_t *const grid = json_object_get(map->root, "grid"),
                        *const cells = json_object_get(grid, "cells"),
                        *const points = json_object_get(grid, "points");
    const size_t count = json_array_size(cells);
    double across = 0, down = 0;
    if (count == 0 || json_array_size(points) == 0)
        return refuse(reader,
                      "/grid: no cells and points; this is no full JSON export of Azgaar's generator");
    if (take_number(reader, "grid", "spacing", 0.01, 100000, &map->spacing) != 0 ||
        take_number(reader, "grid", "cellsX", 2, 2048, &across) != 0 ||
        take_number(reader, "grid", "cellsY", 2, 2048, &down) != 0)
        return -1;
    const double side_max = TERRANE_RASTER_SIDE - 1, rows = map->height * across * AZGAAR_FINER / map->width;
    if (across * AZGAAR_FINER > side_max || rows > side_max)
        return refuse(reader,
                      "/grid: %.9g cells across %.9g x %.9g pixels: of %d samples a cell there may be %.9g "
                      "along each side",
                      across, map->width, map->height, AZGAAR_FINER, side_max + 1);
    map->across = (int)across;
    map->down = (int)down;
    if (count != (size_t)map->across * (size_t)map->down || json_array_size(points) != count)
        return refuse(reader, "/grid: %zu cells and %zu points; cellsX and cellsY say %.9g x %.9g", count,
                      json_array_size(points), across, down);
    if (count > AZGAAR_CELLS_MAX)
        return refuse(reader, "/grid/cells: %zu; allowed at most %d", count, AZGAAR_CELLS_MAX);
    map->point = calloc(count, sizeof *map->point);
    map->level = calloc(count, sizeof *map->level);
    if (!map->point || !map->level)
        return refuse(reader, "out of memory");
    for (size_t k = 0; k < count; k++)
        if (read_cell(reader, k, json_array_get(cells, k), json_array_get(points, k)) != 0)
            return -1;
    return 0;
}

/*
 * Lakes stand above the sea, though their cells are below 20 as its are: their ground becomes a basin below their water, for water to find.
 * Cells of the pack, which are those of land and shores, know their lake and their cell of the grid; the grid's know which are one water.
 */
static void raise_lakes(struct azgaar *map)
{
    const json_t *const pack = json_object_get(map->root, "pack"),
                        *const features = json_object_get(pack, "features"),
                        *const grid_cells = json_object_get(json_object_get(map->root, "grid"), "cells"),
                        *cell;
    const size_t count = json_array_size(grid_cells);
    double *const water = calloc(count, sizeof *water); /* of what is one water in the grid */
    size_t k;
    json_array_foreach(json_object_get(pack, "cells"), k, cell)
    {
        const json_t *const f = json_object_get(cell, "f"), *const g = json_object_get(cell, "g");
        const json_t *const lake = json_is_integer(f)
                                       ? json_array_get(features, (size_t)json_integer_value(f))
                                       : NULL,
                            *const one = json_is_integer(g)
                                             ? json_array_get(grid_cells, (size_t)json_integer_value(g))
                                             : NULL;
        const char *const type = json_string_value(json_object_get(lake, "type"));
        const json_int_t id = json_integer_value(json_object_get(one, "f"));
        double level;
        if (water && type && strcmp(type, "lake") == 0 &&
            azgaar_number(json_object_get(lake, "height"), &level) && level > SEA && level <= 100 && id > 0 &&
            (size_t)id < count)
            water[id] = level;
    }
    for (k = 0; water && k < count; k++) {
        const json_int_t id = json_integer_value(json_object_get(json_array_get(grid_cells, k), "f"));
        if (id > 0 && (size_t)id < count && water[id] > 0 && map->level[k] < SEA)
            map->level[k] = fmax(water[id] - 0.5 - (SEA - map->level[k]) / 8, SEA + 0.125);
    }
    free(water);
}

/*
 * Seas are deep away from shores, as the generator draws them: its levels below the sea's are mostly those of shallow water, to the edges of the map, where
 * there is none around it. Cells of water know how many cells they are off the shore, up to the ninth.
 */
static void sink_seas(struct azgaar *map)
{
    const json_t *const cells = json_object_get(json_object_get(map->root, "grid"), "cells"), *cell;
    size_t k;
    json_array_foreach(cells, k, cell)
    {
        const json_t *const t = json_object_get(cell, "t");
        const json_int_t off = json_is_integer(t) ? json_integer_value(t) : -1;
        const double shore = off == 0 ? 10 : (double)-off;
        if (map->level[k] < SEA && off <= 0)
            map->level[k] = fmin(map->level[k], fmax(SEA - 3 * (shore - 1), 1));
    }
}

double azgaar_metres(const struct azgaar *map, double level)
{
    const double shore = 19; /* the highest level below the sea's */
    if (level >= SEA)
        return pow(level - 18, map->exponent);
    if (level > shore)
        return (level - shore) * pow(2, map->exponent) + (SEA - level) * (shore - SEA) / shore * 50;
    return level < 1 ? -990 + level * 40 : (level - SEA) / level * 50;
}

int azgaar_read(const char *path, double metres_across, struct azgaar *map, char *why, size_t why_bytes)
{
    const struct reader reader = {map, why, why_bytes};
    *map = (struct azgaar){0};
    map->root = azgaar_text(path, why, why_bytes);
    if (map->root && read_scale(&reader, metres_across) == 0 && read_cells(&reader) == 0) {
        raise_lakes(map);
        sink_seas(map);
        return 0;
    }
    azgaar_drop(map);
    return -1;
}

void azgaar_drop(struct azgaar *map)
{
    json_decref(map->root);
    free(map->point);
    free(map->level);
    *map = (struct azgaar){0};
}
