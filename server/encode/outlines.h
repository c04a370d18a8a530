/*
 * Outlines of the samples of a kind in a grid: shapes, each a ring with its holes. Those of all kinds cover the
 * tile once, and rings of a kind touch nowhere. Where two kinds lie crosswise the greater one goes on between its
 * samples.
 */
#ifndef TERRANE_SERVER_OUTLINES_H
#define TERRANE_SERVER_OUTLINES_H

#include "mvt.h"

struct outlines_ring {
    size_t first, points;
    int64_t area; /* twice; below 0: a hole */
    struct mvt_point min, max;
    size_t in, holes; /* of a hole: its ring; of others: the first of their holes */
};

struct outlines {
    int side;
    int32_t unit;        /* between samples, 2 or more */
    const uint8_t *kind; /* of each of side x side samples, below 255 */
    uint8_t of;
    /*
     * Returns how far it is from sample a to its neighbour b, east or south of it, to where their kinds part. It is
     * held to 1 .. unit - 1.
     */
    int32_t (*cut)(const void *context, size_t a, size_t b);
    const void *context;
    /* The result of outlines_make, owned: shapes, the smallest first, then holes. */
    struct outlines_ring *ring;
    struct mvt_point *point;
    size_t rings, points, shapes, ring_room, point_room;
};

/* 0; -1: memory is short. To be freed in either case. */
int outlines_make(struct outlines *outlines);
void outlines_free(struct outlines *outlines);

/* Writes the k-th shape as geometry of the open feature. */
void outlines_write(const struct outlines *outlines, size_t k, struct mvt *mvt);

#endif
