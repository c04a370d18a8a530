/*
 * One cave: its place, and the shape of its floor and ceiling.
 *
 * From a start the search goes up to the highest neighbour, repeatedly, to a top, or for at most dig_reach samples: then a
 * shoulder of the mountain is the top. The cave's square is 2 radius + 1 samples wide around the top; its two outermost rings
 * contain nothing of the cave.
 *
 * Room. The top's part of the mountain is the ground, lowered in proportion to the distance from the top, so that it ends
 * even if the ground keeps rising behind the top. From the top on, the highest sample next to those taken is taken, until the
 * recipe's number are taken and the next one is lower than all of them: then the taken samples are the connected part of
 * {mountain >= lowest} that contains the top. None of them may be near the border, or wet. The floor is roof and standing
 * height below the lowest of them, so the ceiling, which rises over its walls with the mountain, leaves roof_m of rock. A
 * factor keeps the ceiling's max under height_m.
 *
 * Corridor. The entrance is the nearest sample outside, by steps of 5 and 7, where the ground is about as low as the floor,
 * and from which three samples lead outwards, dry, and no steeper than the recipe's slope. The corridor's floor slopes evenly
 * from the room's to the ground there. It is three samples wide where the rock over it holds, and at its mouth; where the
 * ground is lower than its ceiling it is open.
 *
 * Only the ground and water of the square and of the way up decide, so the cave is the same in every window.
 */
#ifndef TERRANE_DIG_H
#define TERRANE_DIG_H

#include "../base/heap.h"
#include "../terrane_features.h"

enum {
    DIG_EDGE = 3,     /* samples at the square's border without any cave */
    DIG_APPROACH = 3, /* samples before the entrance that can be walked */
    DIG_WAY = 5,      /* length of a step to the side; 7 diagonally */
    DIG_WAY_MAX = 160 /* of a corridor: 32 samples */
};

/* Height of a corridor, and of a room at its walls. */
float dig_standing_m(const struct terrane_recipe *recipe);

/* Metres between samples of the caves' level. */
double dig_sample_m(const struct terrane_recipe *recipe);

/* Bound of the distance from a start to its top along each axis, exclusive. */
int dig_reach(const struct terrane_recipe *recipe);

/* Arrays of one square, row by row, side to a row. */
struct dig {
    const struct terrane_world *world;
    const float *ground_all, *depth_all;
    struct terrane_window window; /* of those two */
    int radius, side;
    double sample_m;
    float standing_m;
    int64_t gi, gj; /* of the square's north-west sample */
    struct heap heap;
    uint32_t *way; /* way of each place from the room; before that the places taken */
    float *ground; /* of the square */
    float *mount;  /* of the square: the top's part of the mountain, see dig.c */
    float *floor;  /* dug floor: TERRANE_ROCK if there is none */
    float *ceiling;
    uint8_t *wet;    /* water here or on one of the 8 neighbours */
    uint8_t *mark;   /* what a sample is */
    uint8_t *from;   /* direction of the last step to it */
    int taken_count; /* samples of the room */
    float lowest_m, highest_m;
    uint32_t entrance;
};

/* Of the square. */
static inline size_t dig_samples(int radius)
{
    const size_t side = 2 * (size_t)radius + 1;
    return side * side;
}

/* Bytes of a dig's memory, at any address. */
size_t dig_bytes(int radius);

/* Borrows all: ground and depth_m, whose window contains all later squares and ways, and memory. */
struct dig dig_new(const struct terrane_world *world, const struct terrane_window *window,
                   const float *ground, const float *depth_m, void *memory);

/* Moves from a start to its top. false: it is out of reach, or too low. Reads ground dig_reach around the start. */
bool dig_climb(const struct dig *dig, int64_t *gi, int64_t *gj);

/*
 * Digs the cave of a top. Fills *cave except its id and cell, and dig->floor and dig->ceiling of the square. false:
 * there is none. Cost: O(n log n) of the square's samples.
 */
bool dig_cave(struct dig *dig, uint64_t id, int64_t gi, int64_t gj, struct terrane_cave *cave);

/* Bytes that terrane_caves needs: caves.c. */
size_t caves_work_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window);

/* ---- Between dig.c and dig_corridor.c ------------------------------------------------------------------ */

enum { DIG_ROCK, DIG_SEEN, DIG_ROOM }; /* marks; DIG_ROOM + k: of the room, k steps at least from its walls */
enum { DIG_RINGS = 3 };

/* True inside the square, at least so many samples from its border. */
static inline bool dig_inside(const struct dig *dig, int x, int y, int edge)
{
    return x >= edge && y >= edge && x < dig->side - edge && y < dig->side - edge;
}

/* Finds the entrance, and lays the corridor. false: there is none. floor_m: of the room. */
bool dig_corridor(struct dig *dig, float floor_m);

/* Steps to the 8 neighbours, clockwise from the east. */
extern const int dig_dx[8], dig_dy[8];

#endif
