/*
 * Caves of a world: rooms under mountains, with a corridor to the open.
 *
 * A cell of 2^cell_log2 samples of the caves' level may try one at a hashed sample: it climbs to a top, or as far as half a
 * radius, and goes down from there until the ground around, what lies further off counted as lower, has room under the roof.
 * It lays the floor: flat, then noise. The ceiling is the mountain above in small, under roof_m of rock at least. A corridor,
 * whose rock thins towards its end, leads from the room to a slope that can be walked on. All of it keeps to a square of
 * radius samples around the top, and out of water. Where squares of two caves meet, the one with the lower id stays, whether
 * or not a third one is in its way: so 3 x 3 squares decide.
 *
 * Ground is the level's surface without paths: eroded where the recipe erodes there, else base.
 *
 * Memory, threads and errors are as in terrane.h.
 */
#ifndef TERRANE_CAVES_H
#define TERRANE_CAVES_H

#include "terrane.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_CAVES_COARSER 1             /* levels above the caves' own that still show them */
#define TERRANE_CAVES_MAX     1024          /* of terrane_caves */
#define TERRANE_ROCK          (-1048576.0f) /* as floor and ceiling: there is no cave */

struct terrane_cave {
    uint64_t id;                      /* a hash of seed and cell: its rock's noise begins with it */
    int64_t cx, cy;                   /* cell */
    int64_t gi, gj;                   /* its top, a sample of the caves' level: whose tile it belongs to */
    int64_t entrance_gi, entrance_gj; /* sample in front of the opening, outside */
    float entrance_m;                 /* ground there */
    float floor_m;                    /* before noise */
    float ceiling_m;                  /* its highest */
    int32_t samples;                  /* of floor, corridor included */
};

/* The id to tell others: of world->ids and cell, so cave->id where those are the seed. From cave->id the seed can be counted back. */
uint64_t terrane_cave_id(const struct terrane_world *world, const struct terrane_cave *cave);

/* The window of ground and water that terrane_caves reads for a window of the caves' level. */
void terrane_caves_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *ground);

/*
 * terrane_caves - the caves of a window of the caves' level (step 1).
 *
 *   ground, depth_m  of the window that terrane_caves_needs names
 *   floor_ceiling    floor_ceiling[2 * k], [2 * k + 1]: metres, floor below ceiling; TERRANE_ROCK both where there is none
 *   cave             receives those whose top is in the window, by (cy, cx), TERRANE_CAVES_MAX at most; *caves their number.
 *                    Tops are over 2 radius apart: windows of up to 32 (2 radius + 1) samples, 544 at least, have no more
 *
 * Returns 0, TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_caves(const struct terrane_world *world, const struct terrane_window *window, const float *ground,
                  const float *depth_m, const struct terrane_memory *memory, float *floor_ceiling,
                  struct terrane_cave *cave, int *caves) TERRANE_MUST_CHECK;

/* The window of the caves' level whose floors and ceilings a window (any step) of levels 0 .. caves.level + TERRANE_CAVES_COARSER reads;
 * false: the level shows none. */
bool terrane_caves_shown_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                               struct terrane_window *caves);

/* What a sample is: rock, inside a cave, or where one comes out. */
enum terrane_cave_kind { TERRANE_CAVE_ROCK, TERRANE_CAVE_INSIDE, TERRANE_CAVE_OPENING, TERRANE_CAVE_KINDS };

/* ---- Meshes -------------------------------------------------------------------------------------------- */

#define TERRANE_CAVE_VERTICES_MAX  (1 << 18)
#define TERRANE_CAVE_TRIANGLES_MAX (1 << 19)

/*
 * Marching cubes over floor, ceiling and noise in three dimensions. Vertices in metres: x east and y south of the sample
 * (cave->gi, cave->gj), z up, absolute. Triangles face into the cave, counter-clockwise seen from inside. Closed and manifold
 * but for the opening: the loop (or loops) of edges with one triangle lies on the ground, where the faces that would shut it
 * are left out.
 */
struct terrane_cave_mesh {
    int vertices, triangles;
    float *vertex;   /* 3 each: room for TERRANE_CAVE_VERTICES_MAX */
    float *normal;   /* 3 each, unit, likewise */
    uint32_t *index; /* 3 each: room for TERRANE_CAVE_TRIANGLES_MAX */
};

/*
 * terrane_cave_mesh - the mesh of one cave.
 *
 *   window          covers what terrane_cave_mesh_needs names
 *   ground          of that window
 *   floor_ceiling   of that window, by terrane_caves; other caves' samples in it are left alone
 *
 * Returns 0, TERRANE_EWINDOW, TERRANE_EMEMORY, or TERRANE_ECAVES: more vertices than there is room for.
 */
int terrane_cave_mesh(const struct terrane_world *world, const struct terrane_window *window,
                      const struct terrane_cave *cave, const float *ground, const float *floor_ceiling,
                      const struct terrane_memory *memory, struct terrane_cave_mesh *mesh) TERRANE_MUST_CHECK;

/*
 * Quads of the caves' level's ground (opening[j * (width - 1) + i]: between samples i and i + 1, j and j + 1 of the window)
 * that an opening takes: 1, others 0. A mesh of the ground that leaves them out has a hole where the cave comes out.
 */
int terrane_caves_openings(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const float *ground, const float *floor_ceiling,
                           uint8_t *opening) TERRANE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
