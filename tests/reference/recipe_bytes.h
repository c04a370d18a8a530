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

#include "lib/recipe/member.h"
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

/* Members that lie in memory as in the bytes, one behind the other. */
#define PASS(stream, of, first, last) \
    pass(stream, &(of)->first, (size_t)((uint8_t *)(&(of)->last + 1) - (uint8_t *)&(of)->first))

/* The one that terms of read recipes name. */
static struct terrane_raster passed_raster;

static void pass_raster(struct stream *stream, struct terrane_term *term)
{
    struct terrane_raster told = stream->writing ? *term->raster : passed_raster;
    term->raster = stream->writing ? term->raster : &passed_raster;
    pass(stream, &told.width, 4);
    pass(stream, &told.height, 4);
    pass(stream, &told.digest, sizeof told.digest);
    PASS(stream, term, at_m, fade_m);
}

static void pass_term(struct stream *stream, struct terrane_term *term)
{
    pass(stream, &term->op, 4);
    if (term->op >= TERRANE_OP_PLATES && term->op <= TERRANE_OP_COARSE)
        pass(stream, &term->of, 4);
    PASS(stream, term, inputs, knot_y);
    PASS(stream, &term->fractal, kind, octaves);
    PASS(stream, &term->fractal, cell, warp_m);
    if (term->op == TERRANE_OP_RASTER)
        pass_raster(stream, term);
}

static void pass_partition(struct stream *stream, struct terrane_partition *partition)
{
    pass(stream, &partition->kind, 4);
    pass_count(stream, &partition->zones, TERRANE_ZONES_MAX);
    for (int k = 0; k < partition->zones; k++) {
        PASS(stream, &partition->zone[k], name, colour);
        pass_gradient(stream, &partition->zone[k].ground);
        pass_gradient(stream, &partition->zone[k].steep);
    }
    PASS(stream, partition, blend, table);
}

/* Of that many zones. */
static void pass_erosion(struct stream *stream, struct terrane_erosion *erosion, int zones)
{
    pass_count(stream, &erosion->levels, TERRANE_LEVEL_MAX + 1);
    for (int l = 0; l < erosion->levels; l++) {
        pass(stream, &erosion->phases[l], 1);
        pass(stream, &erosion->steps[l], 1);
        pass(stream, &erosion->slides[l], 1);
        pass(stream, &erosion->creep[l], 1);
    }
    pass(stream, &erosion->limit, 4);
    /* A struct terrane_droplets is floats alone. */
    for (int k = 0; k < zones && erosion->levels > 0; k++)
        pass(stream, &erosion->zone[k], sizeof erosion->zone[k]);
}

/* Whether what a mark announces comes next, or, when writing, is there. */
static int pass_mark(struct stream *stream, uint64_t mark, int there)
{
    if (!stream->writing)
        there = stream->end - stream->at >= 8 && memcmp(stream->at, &mark, 8) == 0;
    if (there)
        pass(stream, &mark, sizeof mark);
    return there;
}

static void pass_plates(struct stream *stream, struct terrane_plates *plates)
{
    if (pass_mark(stream, UINT64_C(0x736574616C50), plates->cell_log2 != 0))
        PASS(stream, plates, cell_log2, reach);
}

static void pass_climate(struct stream *stream, struct terrane_climate *climate)
{
    if (!pass_mark(stream, UINT64_C(0x6574616D696C43), climate->cell_log2 != 0))
        return;
    pass(stream, &climate->cell_log2, 4);
    pass(stream, &climate->period_log2, 4);
    pass(stream, &climate->ground, 4);
    pass(stream, &climate->salt, 4);
    PASS(stream, climate, warm_c, shadow);
}

/* Numbers that came later, each behind its name where it is not what it usually is. */
static void pass_late(struct stream *stream, const struct members *members, void *of, const void *usual)
{
    for (const struct member *row = members->row; row < members->row + members->count; row++) {
        char *const at = (char *)of + row->at;
        uint64_t mark = 0;
        if (!row->late)
            continue;
        memcpy(&mark, row->key, strlen(row->key) < 8 ? strlen(row->key) : 8);
        if (!stream->writing)
            member_put(row, row->usual, of);
        if (pass_mark(stream, mark, memcmp(at, (const char *)usual + row->at, 4) != 0))
            pass(stream, at, 4);
    }
}

static void pass_rivers(struct stream *stream, struct terrane_rivers *rivers)
{
    if (!pass_mark(stream, UINT64_C(0x737265766952), rivers->top != 0))
        return;
    pass(stream, &rivers->runoff, 4);
    PASS(stream, rivers, top, sources_ha);
    PASS(stream, rivers, runoff_mm, depth);
    struct terrane_rivers usual;
    members_default(&rivers_members, &usual);
    pass_late(stream, &rivers_members, rivers, &usual);
}

static void pass_ice(struct stream *stream, struct terrane_ice *ice)
{
    if (pass_mark(stream, UINT64_C(0x656349), ice->width_m != 0))
        PASS(stream, ice, width_m, full_m);
}

static void pass_recipe(struct stream *stream, struct terrane_recipe *recipe)
{
    if (!stream->writing) { /* of neither the reference knows anything */
        memset(&recipe->cover, 0, sizeof recipe->cover);
        memset(&recipe->objects, 0, sizeof recipe->objects);
    }
    pass(stream, &recipe->generator, 4);
    PASS(stream, recipe, spacing_m, sea_m);
    pass_count(stream, &recipe->terms, TERRANE_TERMS_MAX);
    for (int k = 0; k < recipe->terms; k++)
        pass_term(stream, &recipe->term[k]);
    pass_partition(stream, &recipe->partition);
    pass_gradient(stream, &recipe->water);
    PASS(stream, recipe, steep_low, steep_high);
    pass_plates(stream, &recipe->plates);
    pass_climate(stream, &recipe->climate);
    pass_erosion(stream, &recipe->erosion, recipe->partition.zones);
    pass(stream, &recipe->lakes, sizeof recipe->lakes);
    pass_rivers(stream, &recipe->rivers);
    pass_ice(stream, &recipe->ice);
}

#endif
