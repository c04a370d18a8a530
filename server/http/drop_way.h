/*
 * The way of a drop as it is told: a line of so many points at most, its length, and the rivers that it passes.
 *
 * Knows no HTTP. A way that has more points than there is room for loses every second of them, and from then on keeps every
 * second, fourth, eighth ... that comes: which are left is a function of the way alone. Length counts them all.
 */
#ifndef TERRANE_SERVER_DROP_WAY_H
#define TERRANE_SERVER_DROP_WAY_H

#include "../../lib/terrane_make.h"

enum {
    WAY_POINTS = 8192,
    WAY_RIVERS = 65536, /* passed, from the first on; others are not told */
    WAY_AHEAD = 2
};

struct drop_way {
    const struct terrane_world *world;
    double unit_m; /* of heights: working it out takes as long as a cell */
    struct terrane_walk walk;
    struct way_point {
        double x_m, y_m, z_m;
    } point[WAY_POINTS], first, last; /* of all that came */
    size_t points, came;              /* kept; all */
    unsigned stride_log2;
    double length_m;
    uint64_t *river; /* owned */
    size_t rivers, river_room;
    bool short_of_memory;
};

/* From a place on, whose cell there is. NULL: memory is short. */
struct drop_way *drop_way_create(const struct terrane_world *world, double x_m, double y_m);
void drop_way_free(struct drop_way *way);

/* The region that has the cell that comes next. */
struct terrane_region drop_way_region(const struct drop_way *way);

/* The region of the lattice above that has it. false: there is none above. */
bool drop_way_above(const struct drop_way *way, struct terrane_region *above);

/* Regions that it will come to after drop_way_region's, as a product of drop_way_above's says: how many. Finer ground may differ. */
int drop_way_ahead(const struct drop_way *way, const struct terrane_drained *above,
                   struct terrane_region ahead[WAY_AHEAD]);

/* Goes on over a product that has it. false: it leads nowhere, or memory is short. */
bool drop_way_go(struct drop_way *way, const struct terrane_drained *drained);

/* Whether it has come to its end. */
bool drop_way_ended(const struct drop_way *way);

/* A Feature, with a line feed at its end; malloc'ed. NULL: memory is short. */
char *drop_way_text(const struct drop_way *way);

#endif
