#include "drop_way.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../encode/geojson.h"

struct drop_way *drop_way_create(const struct terrane_world *world, double x_m, double y_m)
{
    const double side_m = terrane_lattice_m(world, world->recipe->rivers.bottom, 1);
    struct drop_way *way = calloc(1, sizeof *way);
    if (!way)
        return NULL;
    way->world = world;
    way->unit_m = terrane_units(world->recipe).erosion_m;
    way->first = (struct way_point){.x_m = x_m, .y_m = y_m};
    way->walk.gi = (int64_t)nearbyint(x_m / side_m);
    way->walk.gj = (int64_t)nearbyint(y_m / side_m);
    return way;
}

void drop_way_free(struct drop_way *way)
{
    if (way)
        free(way->river);
    free(way);
}

static struct terrane_region region_at(enum terrane_region_kind kind, int level, int64_t gi, int64_t gj)
{
    const int log2 = terrane_region_log2(kind, level);
    return (struct terrane_region){
        .kind = kind,
        .level = level,
        .x = gi >> log2,
        .y = gj >> log2,
        .variant = TERRANE_VARIANT_ERODED,
    };
}

struct terrane_region drop_way_region(const struct drop_way *way)
{
    return region_at(TERRANE_REGION_RIVERS, way->world->recipe->rivers.bottom, way->walk.gi, way->walk.gj);
}

/* ---- What comes later ---------------------------------------------------------------------------------- */

enum { AHEAD_STEPS = 512 /* of the lattice above */ };

bool drop_way_above(const struct drop_way *way, struct terrane_region *above)
{
    const struct terrane_rivers *rivers = &way->world->recipe->rivers;
    if (rivers->bottom + 2 > rivers->top)
        return false;
    *above = region_at(TERRANE_REGION_LATTICE, rivers->bottom + 2, (way->walk.gi + 2) >> 2,
                       (way->walk.gj + 2) >> 2);
    return true;
}

int drop_way_ahead(const struct drop_way *way, const struct terrane_drained *above,
                   struct terrane_region ahead[WAY_AHEAD])
{
    static const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    const struct terrane_window *window = &above->window;
    struct terrane_region before = drop_way_region(way);
    int64_t x = ((way->walk.gi + 2) >> 2) - window->gi, y = ((way->walk.gj + 2) >> 2) - window->gj;
    int count = 0;
    for (int step = 0; step < AHEAD_STEPS && count < WAY_AHEAD; step++) {
        if (x < 0 || y < 0 || x >= window->width || y >= window->height)
            break;
        const int to = terrane_drained_cell(above, (size_t)(y * window->width + x)).to & TERRANE_DRAIN_WAY;
        if (to >= TERRANE_DRAIN_SEA)
            break;
        x += dx[to];
        y += dy[to];
        const struct terrane_region next =
            region_at(before.kind, before.level, (window->gi + x) * 4, (window->gj + y) * 4);
        if ((next.x != before.x || next.y != before.y))
            ahead[count++] = before = next;
    }
    return count;
}

bool drop_way_ended(const struct drop_way *way)
{
    return way->walk.end != TERRANE_RIVER_JOINS;
}

/* ---- Points -------------------------------------------------------------------------------------------- */

static void thin(struct drop_way *way)
{
    for (size_t k = 0; 2 * k < WAY_POINTS; k++)
        way->point[k] = way->point[2 * k];
    way->points = WAY_POINTS / 2;
    way->stride_log2++;
}

static void add_point(struct drop_way *way, struct way_point point)
{
    const struct way_point *last = &way->last;
    if (way->came > 1 && point.x_m == last->x_m && point.y_m == last->y_m && point.z_m == last->z_m)
        return; /* the end of one curve and the beginning of the next; a line has two points at least */
    if (way->came > 0)
        way->length_m += sqrt((point.x_m - way->last.x_m) * (point.x_m - way->last.x_m) +
                              (point.y_m - way->last.y_m) * (point.y_m - way->last.y_m));
    if (way->points == WAY_POINTS)
        thin(way);
    if ((way->came & ((UINT64_C(1) << way->stride_log2) - 1)) == 0)
        way->point[way->points++] = point;
    way->last = point;
    way->came++;
}

static void add_river(struct drop_way *way, uint64_t river)
{
    if (river == 0 || way->rivers == WAY_RIVERS || (way->rivers > 0 && way->river[way->rivers - 1] == river))
        return;
    uint64_t *more = array_grown(way->river, way->rivers, &way->river_room, 256, sizeof *more);
    way->short_of_memory = way->short_of_memory || !more;
    if (!more)
        return;
    way->river = more;
    way->river[way->rivers++] = river;
}

static void visit(void *context, const struct terrane_walk *walk, const struct terrane_river_point *point)
{
    struct drop_way *way = context;
    const double spacing_m = way->world->recipe->spacing_m * GEOJSON_STEP;
    const double z_m = (double)point->z * way->unit_m;
    if (way->came == 0) {
        way->first.z_m = z_m;
        add_point(way, way->first);
    }
    const int bottom = way->world->recipe->rivers.bottom;
    add_point(way, (struct way_point){geojson_whole(point->x, walk->gi, bottom) * spacing_m,
                                      geojson_whole(point->y, walk->gj, bottom) * spacing_m, z_m});
    add_river(way, walk->river);
}

bool drop_way_go(struct drop_way *way, const struct terrane_drained *drained)
{
    return terrane_walk(way->world, drained, &way->walk, visit, way) == 0 && !way->short_of_memory;
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

enum { NUMBER_BYTES = 26 /* of %.17g: a sign, 18, an exponent of five; a separator */, HEAD_BYTES = 512 };

__attribute__((format(printf, 3, 4))) static char *put(char *at, const char *end, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int n = vsnprintf(at, (size_t)(end - at), format, values);
    va_end(values);
    return at + n; /* there is room: drop_way_text */
}

static char *put_point(char *at, const char *end, const struct way_point *point, const char *before)
{
    return put(at, end, "%s[%.17g,%.17g,%.17g]", before, point->x_m, point->y_m, point->z_m);
}

char *drop_way_text(const struct drop_way *way)
{
    const size_t room =
        HEAD_BYTES + (way->points + 1) * (3 * NUMBER_BYTES + 4) + way->rivers * (GEOJSON_ID_BYTES + 3);
    char *text = malloc(room), *at = text;
    if (!text)
        return NULL;
    const char *end = text + room;
    const bool last_is_kept = ((way->came - 1) & ((UINT64_C(1) << way->stride_log2) - 1)) == 0;
    at = put(at, end, "{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[");
    for (size_t k = 0; k < way->points; k++)
        at = put_point(at, end, &way->point[k], k > 0 ? "," : "");
    if (!last_is_kept)
        at = put_point(at, end, &way->last, ",");
    at = put(at, end, "]},\"properties\":{\"length_m\":%.17g,\"fall_m\":%.17g,\"ends\":\"%s\",\"rivers\":[",
             way->length_m, way->first.z_m - way->last.z_m, river_end_name[way->walk.end]);
    for (size_t k = 0; k < way->rivers; k++)
        at = put(at, end, "%s\"%016" PRIx64 "\"", k > 0 ? "," : "", way->river[k]);
    put(at, end, "]}}\n");
    return text;
}
