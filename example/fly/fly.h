/*
 * terrane-fly: a flight over a world that is made while one flies. fly.c has the window and the keys, ground.c makes tiles of ground on a
 * thread of its own, draw.c draws them.
 *
 * X is east, Y is south, heights are up, all in metres, as in terrane.h; angles are radians, headings clockwise from north.
 */
#ifndef FLY_H
#define FLY_H

#include <SDL.h>
#include <terrane_make.h>

enum {
    TILE = TERRANE_TILE_SAMPLES,
    SIDE = TILE + 1, /* with the edges that neighbours share, so that none of them is read between samples */
    ACROSS = 5,      /* tiles of a level that are kept around the eye, along each axis */
    LEVELS = 9,
    FADE_MS = 600 /* in which a tile appears */
};
/* A tile of ground. The eye is so many samples or more inside the edges of those that are kept: so far does a level reach. */
#define REACH (TILE * (ACROSS - 1) / 2)

struct tile {
    struct tile *next; /* on its way from the thread that made it */
    int level;
    int64_t x, y;
    Uint32 born;                /* when it was first drawn: it fades in */
    float top;                  /* the highest of height */
    float height[SIDE * SIDE];  /* of ground or water, whichever is higher */
    Uint32 colour[SIDE * SIDE]; /* 0xAARRGGBB; alpha: 255 where water is */
};

struct eye {
    double x, y;
    float height, heading, pitch, speed;
};

/* An angle of one turn at most as one between -pi and pi. */
static inline float turned(float angle)
{
    const float turn = 6.2831853F;
    return angle > turn / 2 ? angle - turn : angle < -turn / 2 ? angle + turn : angle;
}

struct ground;
/* What there is to draw: of each level, the tiles around an eye that there are; NULL: not yet. */
struct view {
    int64_t x[LEVELS], y[LEVELS]; /* of the first tile */
    const struct tile *tile[LEVELS][ACROSS][ACROSS];
    float fade[LEVELS][ACROSS][ACROSS]; /* 0 .. 1: how much of a tile is there yet */
    float top[LEVELS];                  /* the highest ground of a level and of coarser ones */
    int finest;                         /* no finer level is wanted: the eye is too high */
};

/* Begins to make ground around an eye, coarse levels first. NULL: SDL_GetError says why. */
struct ground *ground_open(const struct terrane_world *world, const struct eye *eye);
void ground_close(struct ground *ground);
/* Tells where the eye is, and what there is to see from there. Returns how many tiles that are wanted are not there. */
int ground_view(struct ground *ground, const struct eye *eye, struct view *view);
/* Height of the ground, or of water over it, in the finest tile that is there; 0 where none is. */
float ground_height(const struct terrane_world *world, const struct view *view, double x, double y);

struct drawing;
/* Draws with two threads, where there are two processors. */
struct drawing *draw_open(const struct terrane_world *world, int width, int height);
void draw_close(struct drawing *drawing);
/* A picture: width * height pixels, 0xFFRRGGBB, until the next. */
const Uint32 *draw(struct drawing *drawing, const struct view *view, const struct eye *eye);

#endif
