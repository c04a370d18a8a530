/*
 * Outlines of what is of a kind in a grid of samples: shapes, each a ring with the holes that are in it.
 */
#ifndef TERRANE_SERVER_OUTLINES_H
#define TERRANE_SERVER_OUTLINES_H

#include "mvt.h"

struct outlines {
    int side;
    int32_t unit;        /* between samples */
    const uint8_t *kind; /* of each of side x side samples */
    uint8_t of;
    /* How far from sample a to its neighbour b, east or south of it, the outline crosses, 0 .. unit: one is of the kind and one is not. */
    int32_t (*cut)(const void *context, size_t a, size_t b);
    const void *context;
    /* What outlines_make fills, owned. */
    struct outlines_ring *ring;
    struct mvt_point *point;
    size_t rings, points, shapes, ring_room, point_room;
    bool failed;
};

/* 0; -1: memory is short. To be freed in either case. */
int outlines_make(struct outlines *outlines);
void outlines_free(struct outlines *outlines);

/* The k-th shape as geometry of the feature that is open. */
void outlines_write(const struct outlines *outlines, size_t k, struct mvt *mvt);

#endif
