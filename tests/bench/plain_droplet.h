/*
 * The baseline of the erosion benchmark: droplets one after the other, each changing the ground under the next.
 *
 * Beyer's method (Implementation of a method for hydraulic erosion, 2015) as its public C and C# descendants have it:
 * bilinear height and gradient, inertia, capacity by fall, speed and water, deposition on the four corners, erosion by
 * a brush of radius 3. They lose speed downhill by a wrong sign; here it is right: v' = sqrt(max(0, v^2 - dh g)).
 *
 * The brush lies around the cell's corner, its weights made once: faster than around the droplet itself, with weights made
 * anew in every step, as Beyer and the first C version have it.
 */
#ifndef TERRANE_BENCH_PLAIN_DROPLET_H
#define TERRANE_BENCH_PLAIN_DROPLET_H

#include <stdint.h>

enum {
    PLAIN_BRUSH_RADIUS = 3,
    PLAIN_BRUSH_CELLS = (2 * PLAIN_BRUSH_RADIUS + 1) * (2 * PLAIN_BRUSH_RADIUS + 1),
};

struct plain_droplets {
    int width, height; /* of the ground, in samples */
    float *ground;     /* width * height, row by row, in samples; borrowed */
    int lifetime;
    float inertia, capacity, min_capacity, erosion, deposition, evaporation, gravity, speed, water;
    uint32_t state;  /* of the generator of births */
    int brush_cells; /* made by plain_droplets_init: */
    int brush_offset[PLAIN_BRUSH_CELLS];
    float brush_weight[PLAIN_BRUSH_CELLS];
};

/* Makes the brush. width, height and the numbers are set. */
void plain_droplets_init(struct plain_droplets *d);

/*
 * Runs count droplets, born anywhere but within the brush's radius of the edge; one that comes there ends, so no brush
 * leaves the ground.
 */
void plain_droplets_run(struct plain_droplets *d, int count);

#endif
