/*
 * One cave: where it may be, and the shape of its floor and ceiling.
 *
 * From a start the way goes up to the highest neighbour, again and again, to a top, or until it has come dig_reach samples
 * far: a shoulder of the mountain is its top, then. The cave's square is 2 radius + 1 samples wide around the top; nothing of
 * the cave is on its two outermost rings.
 *
 * Room. The top's part of the mountain is the ground, lowered by as much as it is away from the top: so that what goes on
 * rising behind the top ends, too. Of it, the highest sample next to what is taken is taken, from the top on, until the
 * recipe's number are taken and the next one is lower than all of them: then the taken are the connected part of {mountain >=
 * lowest} that holds the top. None of them may be near the border, or wet. The floor is laid roof and standing height under
 * the lowest of them: so the ceiling, which rises over its walls with the mountain, leaves roof_m of rock. A factor keeps its
 * highest under height_m.
 *
 * Corridor. Away from the room the ground comes down: the nearest sample outside, by steps of 5 and 7, where it is about as
 * low as the floor, and from where three samples lead on outwards, dry, and no steeper than the recipe's slope, is the
 * entrance. The corridor's floor goes evenly from the room's to the ground there. It is three samples wide where the rock
 * holds over it, and at its mouth; where the ground is lower than its ceiling it is open.
 *
 * Everything is decided by the ground and water of the square and the way up, so it is the same in every window.
 */
#ifndef TERRANE_DIG_H
#define TERRANE_DIG_H

#include "../terrane_features.h"

enum {
    DIG_EDGE = 3,      /* samples to the square's border that nothing of a cave has */
    DIG_APPROACH = 3,  /* samples before the entrance that can be walked */
    DIG_WAY = 5,       /* length of a step to the side; 7 diagonally */
    DIG_WAY_MOST = 160 /* of a corridor: 32 samples */
};

/* Height of a corridor, and of a room at its walls. */
float dig_standing_m(const struct terrane_recipe *recipe);

/* Metres between samples of the caves' level. */
double dig_sample_m(const struct terrane_recipe *recipe);

/* Samples from a start to its top, less than that along each axis. */
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
    uint64_t *heap;
    int heap_count;
    uint32_t *way; /* of each place, from the room; places taken, before that */
    float *ground; /* of the square */
    float *mount;  /* of the square: what of the ground is the top's, see dig.c */
    float *floor;  /* what is dug: TERRANE_ROCK where there is nothing */
    float *ceiling;
    uint8_t *wet;    /* water is here or on one of the 8 around */
    uint8_t *mark;   /* what a sample is */
    uint8_t *from;   /* direction of the last step to it */
    int taken_count; /* samples of the room */
    float lowest_m, highest_m;
    uint32_t entrance;
};

/* Bytes of a dig's memory, at any address. */
size_t dig_bytes(int radius);

/* Borrows all: ground and depth_m, whose window holds all squares and ways to come, and memory. */
struct dig dig_new(const struct terrane_world *world, const struct terrane_window *window,
                   const float *ground, const float *depth_m, void *memory);

/* From a start to its top, in place. false: it is out of reach, or too low. Reads ground dig_reach around the start. */
bool dig_climb(const struct dig *dig, int64_t *gi, int64_t *gj);

/*
 * The cave of a top. Fills *cave but for its id and cell, and dig->floor and dig->ceiling of the square. false: there is
 * none. Cost: O(n log n) of the square's samples.
 */
bool dig_cave(struct dig *dig, uint64_t id, int64_t gi, int64_t gj, struct terrane_cave *cave);

/* Bytes that terrane_caves takes: caves.c. */
size_t caves_work_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window);

/* ---- Between dig.c and dig_corridor.c ------------------------------------------------------------------ */

enum { DIG_ROCK, DIG_SEEN, DIG_ROOM }; /* marks; DIG_ROOM + k: of the room, k steps at least from its walls */
enum { DIG_RINGS = 3 };

void dig_push(struct dig *dig, uint64_t entry);
uint64_t dig_pop(struct dig *dig);

/* Within the square, and so many samples from its border. */
static inline bool dig_inside(const struct dig *dig, int x, int y, int edge)
{
    return x >= edge && y >= edge && x < dig->side - edge && y < dig->side - edge;
}

/* Finds the entrance, and lays the corridor. false: there is none. floor_m: of the room. */
bool dig_corridor(struct dig *dig, float floor_m);

/* Steps to the 8 around, in order around, from the east by the south. */
extern const int dig_dx[8], dig_dy[8];

#endif
