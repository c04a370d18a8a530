/*
 * The graph of terms over one window: evaluation order and storage.
 *
 * A window is processed in chunks of columns, blocks of rows, and strips of at most KERNEL_ROWS rows. A term is
 * made once for each strip, and only if needed: a zone that is nowhere in the strip, or the side of a blend
 * without a share there, is skipped. That changes no bit: it would be multiplied by 0.
 */
#ifndef TERRANE_GRAPH_H
#define TERRANE_GRAPH_H

#include "fields.h"
#include "midpoint.h"
#include "plan.h"
#include "plates.h"
#include "raster_rows.h"
#include "voronoi.h"

/* The working memory of one window, in the caller's scratch. Pages that a recipe does not need are not touched. */
struct graph {
    const struct terrane_world *world;
    const struct fields *fields; /* of the window; NULL: its terms need none */
    struct chunk chunk;
    int64_t block_gj; /* rows block_gj .. block_gj + block_height - 1 of the lattice: at most KERNEL_WIDTH */
    int block_height;
    struct rows rows;
    /* made for this strip */
    uint64_t term_made;
    bool weights_made;
    bool sites_made; /* ... for this block */

    struct fractal_plan plan[TERRANE_TERMS_MAX];
    struct curve curve[TERRANE_TERMS_MAX];
    struct octave octave[TERRANE_OCTAVES_ALL];
    union octave_store store[TERRANE_OCTAVES_ALL];
    struct point_row point_row[TERRANE_OCTAVES_MAX * KERNEL_ROWS];
    struct strip strip[TERRANE_TERMS_MAX];
    struct fractal_work work;
    struct zone_weights weights;
    struct voronoi voronoi;
    struct midpoint midpoint;
    struct plates plates;
    struct raster_chunk raster[TERRANE_RASTERS_MAX]; /* in the order of terms */
};

/* Each selects a smaller part for the next calls: a world; a chunk of columns; a block of rows; a strip in it. */
void graph_start(struct graph *graph, const struct terrane_world *world, const struct fields *fields,
                 struct terrane_memo *memo);
void graph_chunk(struct graph *graph, const struct chunk *chunk);
void graph_block(struct graph *graph, int64_t gj, int height);
void graph_strip(struct graph *graph, int64_t gj, int step, int count, bool slopes);

/* The strip of a term, made if needed. */
const struct strip *graph_value(struct graph *graph, int t);

/* The strip's weights. */
const struct zone_weights *graph_weights(struct graph *graph);

#endif
