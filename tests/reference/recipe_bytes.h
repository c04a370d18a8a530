/*
 * recipe_bytes - a recipe from and to the bytes that lib/README.md lists for its digest.
 *
 * One list of members serves both ways. Bytes are little-endian, and so is every machine the probe is built
 * for.
 */
#ifndef TESTS_REFERENCE_RECIPE_BYTES_H
#define TESTS_REFERENCE_RECIPE_BYTES_H

#include <stdint.h>
#include <string.h>

#include "lib/terrane.h"

struct stream {
    uint8_t *at, *end;
    int writing;
    int failed;
};

/* Moves bytes between the stream and a member. */
static void pass(struct stream *stream, void *member, size_t bytes)
{
    if ((size_t)(stream->end - stream->at) < bytes) {
        stream->failed = 1;
        return;
    }
    if (stream->writing)
        memcpy(stream->at, member, bytes);
    else
        memcpy(member, stream->at, bytes);
    stream->at += bytes;
}

/* An int of 32 bits that says how many follow, at most max. */
static void pass_count(struct stream *stream, int *count, int max)
{
    pass(stream, count, sizeof *count);
    if (stream->failed || *count < 0 || *count > max) {
        stream->failed = 1;
        *count = 0;
    }
}

static void pass_gradient(struct stream *stream, struct terrane_gradient *gradient)
{
    pass_count(stream, &gradient->stops, TERRANE_STOPS_MAX);
    for (int k = 0; k < gradient->stops; k++) {
        pass(stream, &gradient->stop[k].at_m, sizeof(float));
        pass(stream, gradient->stop[k].colour, 3);
    }
}

static void pass_fractal(struct stream *stream, struct terrane_fractal *fractal)
{
    pass(stream, &fractal->kind, 4);
    pass(stream, fractal->base, sizeof fractal->base);
    pass(stream, &fractal->salt, 4);
    pass(stream, &fractal->octaves, 4);
    pass(stream, &fractal->cell, 8);
    pass(stream, &fractal->lacunarity, 8);
    pass(stream, &fractal->amplitude_m, 4);
    pass(stream, &fractal->gain, 4);
    pass(stream, &fractal->weight, 4);
    pass(stream, &fractal->jitter, 4);
    pass(stream, &fractal->offset, 4);
    pass(stream, &fractal->sharpness, 4);
    pass(stream, &fractal->warp, 4);
    pass(stream, &fractal->damp, 4);
    pass(stream, fractal->warp_term, sizeof fractal->warp_term);
    pass(stream, &fractal->warp_m, 4);
}

static void pass_term(struct stream *stream, struct terrane_term *term)
{
    pass(stream, &term->op, 4);
    pass(stream, &term->inputs, 4);
    pass(stream, term->in, sizeof term->in);
    pass(stream, term->factor, sizeof term->factor);
    pass(stream, &term->offset, 4);
    pass(stream, &term->low, 4);
    pass(stream, &term->high, 4);
    pass(stream, &term->knots, 4);
    pass(stream, term->knot_x, sizeof term->knot_x);
    pass(stream, term->knot_y, sizeof term->knot_y);
    pass_fractal(stream, &term->fractal);
}

static void pass_zone(struct stream *stream, struct terrane_zone *zone)
{
    pass(stream, zone->name, sizeof zone->name);
    pass(stream, &zone->term, 4);
    pass(stream, &zone->amplitude, 4);
    pass(stream, &zone->offset_m, 4);
    pass(stream, &zone->share, 4);
    pass(stream, zone->colour, sizeof zone->colour);
    pass_gradient(stream, &zone->ground);
    pass_gradient(stream, &zone->steep);
}

static void pass_partition(struct stream *stream, struct terrane_partition *partition)
{
    pass(stream, &partition->kind, 4);
    pass_count(stream, &partition->zones, TERRANE_ZONES_MAX);
    for (int k = 0; k < partition->zones; k++)
        pass_zone(stream, &partition->zone[k]);
    pass(stream, &partition->blend, 4);
    pass(stream, &partition->by, 4);
    pass(stream, partition->threshold, sizeof partition->threshold);
    pass(stream, &partition->salt, 4);
    pass(stream, &partition->cell_log2, 4);
    pass(stream, &partition->jitter, 4);
    pass(stream, &partition->rounds, 4);
    pass(stream, &partition->temperature, 4);
    pass(stream, &partition->moisture, 4);
    pass(stream, &partition->cold, 4);
    pass(stream, &partition->hot, 4);
    pass(stream, &partition->dry, 4);
    pass(stream, &partition->wet, 4);
    pass(stream, &partition->table_rows, 4);
    pass(stream, &partition->table_columns, 4);
    pass(stream, partition->table, sizeof partition->table);
}

/* Of that many zones. */
static void pass_erosion(struct stream *stream, struct terrane_erosion *erosion, int zones)
{
    pass_count(stream, &erosion->levels, TERRANE_LEVEL_MAX + 1);
    for (int l = 0; l < erosion->levels; l++) {
        pass(stream, &erosion->phases[l], 1);
        pass(stream, &erosion->steps[l], 1);
        pass(stream, &erosion->slides[l], 1);
    }
    pass(stream, &erosion->limit, 4);
    /* A struct terrane_droplets is floats alone. */
    for (int k = 0; k < zones && erosion->levels > 0; k++)
        pass(stream, &erosion->zone[k], sizeof erosion->zone[k]);
}

static void pass_lakes(struct stream *stream, struct terrane_lakes *lakes)
{
    pass(stream, &lakes->share, 4);
    pass(stream, &lakes->level, 4);
    pass(stream, &lakes->cell_log2, 4);
    pass(stream, &lakes->radius, 4);
    pass(stream, &lakes->depth_m, 4);
    pass(stream, &lakes->shallow_m, 4);
}

static void pass_recipe(struct stream *stream, struct terrane_recipe *recipe)
{
    pass(stream, &recipe->spacing_m, 8);
    pass(stream, &recipe->alias_octaves, 4);
    pass(stream, &recipe->low_m, 4);
    pass(stream, &recipe->high_m, 4);
    pass(stream, &recipe->sea_m, 4);
    pass_count(stream, &recipe->terms, TERRANE_TERMS_MAX);
    for (int k = 0; k < recipe->terms; k++)
        pass_term(stream, &recipe->term[k]);
    pass_partition(stream, &recipe->partition);
    pass_gradient(stream, &recipe->water);
    pass(stream, &recipe->steep_low, 4);
    pass(stream, &recipe->steep_high, 4);
    pass_erosion(stream, &recipe->erosion, recipe->partition.zones);
    pass_lakes(stream, &recipe->lakes);
}

#endif
