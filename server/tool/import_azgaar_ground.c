/*
 * Heights of cells, whose points are scattered about a square lattice, as a raster: Barnes' analysis (1964), means that a Gaussian weighs,
 * corrected by what they miss at the points.
 */
#include <math.h>
#include <stdlib.h>

#include "import_azgaar.h"

enum { AROUND = 3, CORRECTIONS = 4 };
#define WIDTH 0.55 /* of the Gaussian, in cells */

/* The mean of what is given of cells, at a place that is no more than a cell off cell (i, j). */
static double mean_at(const struct azgaar *map, const double *given, double x, double y)
{
    const int i = (int)(x / map->spacing), j = (int)(y / map->spacing);
    double sum = 0, weights = 0;
    for (int row = j > AROUND ? j - AROUND : 0; row <= j + AROUND && row < map->down; row++)
        for (int column = i > AROUND ? i - AROUND : 0; column <= i + AROUND && column < map->across;
             column++) {
            const size_t k = (size_t)row * (size_t)map->across + (size_t)column;
            const double dx = (map->point[k][0] - x) / map->spacing,
                         dy = (map->point[k][1] - y) / map->spacing;
            const double weight = exp(-(dx * dx + dy * dy) / (2 * WIDTH * WIDTH));
            sum += weight * given[k];
            weights += weight;
        }
    return weights > 0 ? sum / weights : 0;
}

/* What is to be given of cells so that means at their points are their levels. */
static bool correct(const struct azgaar *map, double *given, double *missed)
{
    const size_t count = (size_t)map->across * (size_t)map->down;
    for (size_t k = 0; k < count; k++)
        given[k] = map->level[k];
    for (int turn = 0; turn < CORRECTIONS; turn++) {
        for (size_t k = 0; k < count; k++)
            missed[k] = map->level[k] - mean_at(map, given, map->point[k][0], map->point[k][1]);
        for (size_t k = 0; k < count; k++)
            given[k] += missed[k];
    }
    return true;
}

float *azgaar_ground(const struct azgaar *map, int *width, int *height, double *step_px)
{
    const size_t count = (size_t)map->across * (size_t)map->down;
    *width = map->across * AZGAAR_FINER + 1;
    *step_px = map->width / (*width - 1);
    *height = (int)(map->height / *step_px) + 1;
    double *const given = calloc(count, sizeof *given), *const missed = calloc(count, sizeof *missed);
    float *const ground = given && missed ? calloc((size_t)*width * (size_t)*height, sizeof *ground) : NULL;
    if (ground)
        correct(map, given, missed);
    for (size_t j = 0; ground && j < (size_t)*height; j++)
        for (size_t i = 0; i < (size_t)*width; i++) {
            const double level = mean_at(map, given, (double)i * *step_px, (double)j * *step_px);
            ground[j * (size_t)*width + i] = (float)azgaar_metres(map, fmin(fmax(level, 0), 100));
        }
    free(given);
    free(missed);
    return ground;
}
