/*
 * Vector tiles as Mapbox wrote them down, version 2.1: layers of features with their geometry in whole units of 1 / MVT_EXTENT of the
 * tile's side, x to the east and y to the south. Knows no world.
 */
#ifndef TERRANE_SERVER_MVT_H
#define TERRANE_SERVER_MVT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MVT_EXTENT = 4096 };
enum mvt_kind { MVT_POINT = 1, MVT_LINE = 2, MVT_POLYGON = 3 };

struct mvt_point {
    int32_t x, y;
};

/* True if b is on the straight line from a to c. */
static inline bool mvt_is_between(const struct mvt_point *a, const struct mvt_point *b,
                                  const struct mvt_point *c)
{
    const int64_t x = b->x - a->x, y = b->y - a->y, on_x = c->x - b->x, on_y = c->y - b->y;
    return x * on_y == y * on_x && x * on_x + y * on_y >= 0;
}

/* Extends a line to a point, dropping redundant points. Returns the number of points. */
static inline size_t mvt_add(struct mvt_point *point, size_t points, struct mvt_point place)
{
    if (points > 0 && point[points - 1].x == place.x && point[points - 1].y == place.y)
        return points;
    while (points > 1 && mvt_is_between(&point[points - 2], &point[points - 1], &place))
        points--;
    point[points] = place;
    return points + 1;
}

/* Makes a ring of such a line: its ends meet, so what goes for inner points goes for all. Returns how many. */
static inline size_t mvt_close(struct mvt_point *point, size_t points)
{
    while (points > 1 && ((point[0].x == point[points - 1].x && point[0].y == point[points - 1].y) ||
                          (points > 2 && mvt_is_between(&point[points - 2], &point[points - 1], &point[0]))))
        points--;
    size_t first = 0;
    while (points - first > 2 && mvt_is_between(&point[points - 1], &point[first], &point[first + 1]))
        first++;
    memmove(point, point + first, (points - first) * sizeof *point);
    return points - first;
}

/*
 * A tile under construction: layers, with features, each with its kind, then properties and geometry. If memory runs short, all
 * calls do nothing from then on, and mvt_finish fails.
 */
struct mvt;
struct mvt *mvt_create(void); /* returns owned; NULL when memory is short */
void mvt_free(struct mvt *mvt);

void mvt_layer(struct mvt *mvt,
               const char *name); /* of static storage; a layer without features is left out */
void mvt_feature(struct mvt *mvt, enum mvt_kind kind, uint64_t id); /* id 0: it has none */

/* key: of static storage. */
void mvt_text(struct mvt *mvt, const char *key, const char *text);
void mvt_id(struct mvt *mvt, const char *key,
            uint64_t id); /* 16 hexadecimal digits: clients round a feature's id, or read it with a sign */
void mvt_whole(struct mvt *mvt, const char *key, int64_t number);
void mvt_number(struct mvt *mvt, const char *key, double number); /* whole where it is */

/* Points of the feature's kind: one; two or more of a line, of which a feature may have several, and which repeats the first if
 * it is closed; three or more of a ring, without repeating the first: outer rings go clockwise on a map, and holes, which follow
 * their ring, the other way. */
void mvt_geometry(struct mvt *mvt, const struct mvt_point *point, size_t points, bool closed);

/*
 * Returns the tile, malloc'ed, and frees mvt. NULL when memory was short. A tile without layers has 0 bytes, but is
 * not NULL.
 */
unsigned char *mvt_finish(struct mvt *mvt, size_t *bytes);

/* True if bytes are a valid tile: every length, index, command and value is in its place, and nothing else. */
bool mvt_fits(const unsigned char *data, size_t bytes);

#endif
