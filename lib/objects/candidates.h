/* Placement of objects: candidates of a rectangle, and which of them stand. */
#ifndef TERRANE_OBJECTS_CANDIDATES_H
#define TERRANE_OBJECTS_CANDIDATES_H

#include "../terrane_make.h"

enum {
    OBJECTS_NODE_LOG2 =
        TERRANE_OBJECTS_COVER + 4, /* of the distance between nodes, samples of the cover's level, in parts */
    OBJECTS_GENERATIONS = TERRANE_OBJECTS_LEVEL + 1,
};

/* The largest radius of a class in parts, rounded up: 32 .. 1024. */
int objects_halo(const struct terrane_recipe *recipe);

/* The place of a rectangle in parts, whose first generation is that of its level. */
struct objects_place {
    int64_t x, y;
    int width, height; /* up to 2^18 */
    int level;
};

/* The window of nodes around candidates of the place and its halo. */
struct terrane_window objects_nodes(const struct terrane_recipe *recipe, const struct objects_place *place);

/* A candidate, relative to the place's corner; rank 0: it is not taken. */
struct candidate {
    int32_t x, y;
    uint32_t rank;
};

/* All candidates of a class and generation around a place, in cells side parts wide, the first of which begins at x, y. */
struct candidates {
    int side, columns, rows;
    int64_t cx, cy;       /* the first cell */
    int32_t x, y;         /* not above 0 */
    struct candidate *at; /* NULL: there are none */
};

struct objects {
    const struct terrane_world *world;
    struct objects_place place;
    struct candidates of[TERRANE_CLASSES_MAX][OBJECTS_GENERATIONS];
};

/*
 * objects_draw - candidates.
 *
 *   takes takes[c][node]: the share of a class's candidates that is taken, at the nodes of objects_nodes, linear between
 *   them
 *
 * Returns 0 or TERRANE_EMEMORY. Free its result with objects_end, whatever it returns.
 */
int objects_draw(struct objects *objects, const struct terrane_world *world,
                 const struct objects_place *place, const float *const takes[TERRANE_CLASSES_MAX],
                 const struct terrane_memory *memory);
void objects_end(struct objects *objects, const struct terrane_memory *memory);

/* True if a candidate of the place is taken and none that stands precedes it. */
bool objects_stands(const struct objects *objects, int of, int generation, int column, int row);

/* The object of a candidate, except its height. */
struct terrane_object objects_object(const struct objects *objects, int of, int generation, int column,
                                     int row);

#endif
