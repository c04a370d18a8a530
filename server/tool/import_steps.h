/*
 * Numbers that come in few steps, as of pictures of 8 bits: terraces, where they are heights.
 */
#ifndef TERRANE_SERVER_IMPORT_STEPS_H
#define TERRANE_SERVER_IMPORT_STEPS_H

#include "../raster/raster_read.h"

/* The step of which all numbers are multiples, from the least of them on, if there are at most 256 of these; 0: they are finer, or level. */
double import_step(const struct raster_samples *samples);

/* Slopes in the place of terraces: each number goes less than half a step from where it was, so that it rounds to what it was. 0, or -1: memory is short. */
int import_smooth(struct raster_samples *samples, double step);

#endif
