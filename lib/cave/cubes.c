/*
 * Marching cubes: see cubes.h.
 */
#include "cubes.h"

#include <string.h>

enum { EDGES = 12, NO_EDGE = 0xFF };

/* The edge between two corners that differ in one bit. */
static int edge_between(int a, int b)
{
    const int axis = (a ^ b) >> 1, low = a & b; /* 1, 2, 4 -> 0, 1, 2 */
    return axis << 2 | (low >> (axis + 1) % 3 & 1) | (low >> (axis + 2) % 3 & 1) << 1;
}

/* The faces that an edge lies in, one bit each: 2 axis + side. */
static unsigned faces_of(int edge)
{
    const int axis = edge >> 2, low = cube_edge_low(edge), b = (axis + 1) % 3, c = (axis + 2) % 3;
    return 1u << (2 * b + (low >> b & 1)) | 1u << (2 * c + (low >> c & 1));
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* The four corners of a face, counter-clockwise seen from outside. */
static void face_corners(int axis, int side, int corner[4])
{
    const int b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
    const int around[4] = {0, b, b | c, c};
    for (int k = 0; k < 4; k++)
        corner[k] = around[side ? k : 3 - k] | side << axis;
}

/* Lines of a face: each goes from the end of a run of rock back to its beginning. */
static void face_lines(unsigned air, int axis, int side, uint8_t next[EDGES])
{
    int corner[4];
    face_corners(axis, side, corner);
    for (int k = 0; k < 4; k++) {
        const int from = corner[k], to = corner[(k + 1) & 3];
        if (!(air >> from & 1) || air >> to & 1)
            continue; /* not from air to rock */
        int end = k + 1;
        while (!(air >> corner[(end + 1) & 3] & 1))
            end++;
        next[edge_between(corner[end & 3], corner[(end + 1) & 3])] = (uint8_t)edge_between(from, to);
    }
}

/* ---- Triangles ----------------------------------------------------------------------------------------- */

/*
 * Cuts triangles off a loop, trying its corners in turn, so that no cut lies in a face. Returns how many; -1:
 * impossible.
 */
static int cut(const uint8_t *loop, int count, uint8_t (*out)[3])
{
    if (count == 3) {
        memcpy(*out, loop, 3);
        return 1;
    }
    for (int k = 0; k < count; k++) {
        const uint8_t a = loop[k], b = loop[(k + 1) % count], c = loop[(k + 2) % count];
        uint8_t rest[EDGES];
        int left = 0;
        if (faces_of(a) & faces_of(c))
            continue;
        for (int i = 0; i < count; i++)
            if (i != (k + 1) % count)
                rest[left++] = loop[i];
        const int cuts = cut(rest, left, out + 1);
        if (cuts < 0)
            continue;
        (*out)[0] = a, (*out)[1] = b, (*out)[2] = c;
        return cuts + 1;
    }
    return -1;
}

static int fill_case(unsigned air, uint8_t (*out)[3])
{
    uint8_t next[EDGES];
    int triangles = 0;
    memset(next, NO_EDGE, sizeof next);
    for (int face = 0; face < 6; face++)
        face_lines(air, face >> 1, face & 1, next);
    for (int first = 0; first < EDGES; first++) {
        uint8_t loop[EDGES];
        int count = 0;
        for (int edge = first; next[edge] != NO_EDGE;) {
            const int after = next[edge];
            loop[count++] = (uint8_t)edge;
            next[edge] = NO_EDGE;
            edge = after;
        }
        if (count >= 3) {
            const int cuts = cut(loop, count, out + triangles);
            if (cuts < 0)
                return -1;
            triangles += cuts;
        }
    }
    return triangles;
}

void cubes_fill(struct cubes *cubes)
{
    memset(cubes, 0, sizeof *cubes);
    for (unsigned air = 0; air < 256; air++)
        cubes->of[air].triangles = (uint8_t)fill_case(air, cubes->of[air].edge);
}
