/* Outlines of the samples of a kind in a grid: shapes, each a ring with its holes. */
#ifndef TERRANE_SERVER_OUTLINES_H
#define TERRANE_SERVER_OUTLINES_H

#include "mvt.h"

struct outlines {
    int side;
    int32_t unit;        /* between samples */
    const uint8_t *kind; /* of each of side x side samples */
    uint8_t of;
    /*
     * Returns how far from sample a to its neighbour b, east or south of it, the outline crosses, 0 .. unit: exactly
     * one of them is of the kind.
     */
    int32_t (*cut)(const void *context, size_t a, size_t b);
    const void *context;
    /* The result of outlines_make, owned. */
    struct outlines_ring *ring;
    struct mvt_point *point;
    size_t rings, points, shapes, ring_room, point_room;
    bool failed;
};

/* 0; -1: memory is short. To be freed in either case. */
int outlines_make(struct outlines *outlines);
void outlines_free(struct outlines *outlines);

/* Writes the k-th shape as geometry of the open feature. */
void outlines_write(const struct outlines *outlines, size_t k, struct mvt *mvt);

#endif
