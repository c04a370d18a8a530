/*
 * Marching cubes (Lorensen and Cline 1987): the triangles that separate a cube's corners in air from those in rock. The table
 * is computed from the cube itself.
 *
 * Corner c stands at (c & 1, c >> 1 & 1, c >> 2 & 1); a case is the set of corners in the air, bit c for corner c. Edge e runs
 * along axis e >> 2; bits 0 and 1 of e are its place along the axis after that, and the one after that (x, y, z, x ...).
 *
 * On each face a line goes around each run of rock corners, so two opposite corners in air are connected; that depends only on
 * the face, so neighbours agree. Each edge between air and rock is the end of a line of one of its faces, and the start of a
 * line of the other: lines form loops, which are cut into triangles. No cut lies in a face, since the neighbour might make the
 * same one, and its edge would have four triangles.
 */
#ifndef TERRANE_CUBES_H
#define TERRANE_CUBES_H

#include <stdint.h>

enum { CUBE_TRIANGLES = 5 /* of a case, at most */ };

struct cubes {
    struct {
        uint8_t triangles;
        uint8_t edge[CUBE_TRIANGLES]
                    [3]; /* counter-clockwise seen from the air where x is east, y south and z up */
    } of[256];
};

void cubes_fill(struct cubes *cubes);

/* The lower corner of an edge. */
static inline int cube_edge_low(int edge)
{
    const int axis = edge >> 2;
    return (edge & 1) << (axis + 1) % 3 | (edge >> 1 & 1) << (axis + 2) % 3;
}

#endif
