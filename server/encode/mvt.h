/*
 * Vector tiles as Mapbox wrote them down, version 2.1: layers of features with their geometry in whole units of 1 / MVT_EXTENT of the
 * tile's side, x to the east and y to the south. Knows no world.
 */
#ifndef TERRANE_SERVER_MVT_H
#define TERRANE_SERVER_MVT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MVT_EXTENT = 4096 };
enum mvt_kind { MVT_POINT = 1, MVT_LINE = 2, MVT_POLYGON = 3 };

struct mvt_point {
    int32_t x, y;
};

/* Whether b is on the straight way from a to c. */
static inline bool mvt_is_between(const struct mvt_point *a, const struct mvt_point *b,
                                  const struct mvt_point *c)
{
    const int64_t x = b->x - a->x, y = b->y - a->y, on_x = c->x - b->x, on_y = c->y - b->y;
    return x * on_y == y * on_x && x * on_x + y * on_y >= 0;
}

/* Leads a line on to a place, without points that say nothing: how many it has then. */
static inline size_t mvt_add(struct mvt_point *point, size_t points, struct mvt_point place)
{
    if (points > 0 && point[points - 1].x == place.x && point[points - 1].y == place.y)
        return points;
    while (points > 1 && mvt_is_between(&point[points - 2], &point[points - 1], &place))
        points--;
    point[points] = place;
    return points + 1;
}

/*
 * A tile under way: layers, in them features, of these the kind, then what is said of it and its geometry. Where memory is short all of it
 * does nothing from then on, and mvt_finish says so.
 */
struct mvt;
struct mvt *mvt_create(void); /* returns owned; NULL when memory is short */
void mvt_free(struct mvt *mvt);

void mvt_layer(struct mvt *mvt,
               const char *name); /* of static storage; a layer without features is left out */
void mvt_feature(struct mvt *mvt, enum mvt_kind kind, uint64_t id); /* id 0: it has none */

/* key: of static storage. */
void mvt_text(struct mvt *mvt, const char *key, const char *text);
void mvt_whole(struct mvt *mvt, const char *key, int64_t number);
void mvt_number(struct mvt *mvt, const char *key, double number); /* whole where it is */

/* Points of the feature's kind: one; two or more of a line, of which a feature may have several, and which, if it is closed, leads back to
 * the first; three or more of a ring, without the first once more: outer ones go clockwise on a map, and holes, which stand behind the
 * ring that they are in, the other way. */
void mvt_geometry(struct mvt *mvt, const struct mvt_point *point, size_t points, bool closed);

/* The tile, malloc'ed; and frees mvt. NULL when memory was short. A tile without layers has no bytes, and still an address. */
unsigned char *mvt_finish(struct mvt *mvt, size_t *bytes);

/* Whether bytes are such a tile: every length, index, command and value is in its place, and nothing else. */
bool mvt_fits(const unsigned char *data, size_t bytes);

#endif
