/*
 * The course of a line: a way over samples, made smooth.
 */
#ifndef TERRANE_PATH_COURSE_H
#define TERRANE_PATH_COURSE_H

#include <stdbool.h>
#include <stdint.h>

/* Fine units, 2^-4 samples of level 0, from a line's first point unless stated otherwise. */
struct place {
    int64_t x, y;
};

static inline double length2(struct place a, struct place b)
{
    const double x = (double)(b.x - a.x), y = (double)(b.y - a.y);
    return x * x + y * y;
}

/* Each point between the first two and the last two becomes the mean (1 2 1) of itself and those beside it. */
void course_means(struct place *place, int n);

/* Chaikin: each corner but the ends makes two, a quarter of the way to its neighbours. Returns how many. */
int course_cut(const struct place *in, int n, struct place *out);

/* Leaves out points that are less than 1.25 samples behind the one before them, and parts segments of over 2. Returns how many; 0: they
 * are over most. */
int course_thin(const struct place *in, int n, double sample, struct place *out, int max);

#endif
