/*
 * Recipes: what worlds are made of, but for their seeds. Plain structures, which their owner fills and terrane_recipe_init
 * checks. terrane.h includes this file.
 *
 * Lengths called samples are of level 0, whose samples are spacing_m apart, unless another level is named.
 */
#ifndef TERRANE_RECIPE_TYPES_H
#define TERRANE_RECIPE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "terrane_error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_LEVEL_MAX       24  /* levels of detail 0 (finest) .. 24 */
#define TERRANE_OCTAVES_MAX     24  /* of a fractal */
#define TERRANE_OCTAVES_ALL     128 /* of all fractals of a recipe */
#define TERRANE_CELL_LOG2_MAX   40
#define TERRANE_ZONES_MAX       16
#define TERRANE_TERMS_MAX       64
#define TERRANE_INPUTS_MAX      8
#define TERRANE_KNOTS_MAX       12
#define TERRANE_STOPS_MAX       8
#define TERRANE_TABLE_MAX       16
#define TERRANE_PHASES_MAX      16  /* of droplets, at a level */
#define TERRANE_STEPS_MAX       64  /* of a droplet */
#define TERRANE_SLIDES_MAX      32  /* rounds of thermal erosion, at a level */
#define TERRANE_HALO_MAX        192 /* samples that erosion reads around a window, at a level */
#define TERRANE_LAKE_RADIUS_MAX 128 /* samples of the lakes' level */
#define TERRANE_CAVE_RADIUS_MAX 64  /* samples of the caves' level */
#define TERRANE_MATERIALS_MAX   8
#define TERRANE_CONDITIONS_MAX  8 /* of a material, or class */
#define TERRANE_CLASSES_MAX     8 /* of objects */
#define TERRANE_OBJECTS_LEVEL   4 /* the coarsest that has any */
#define TERRANE_RASTERS_MAX     4
#define TERRANE_RASTER_SIDE     8192 /* samples of a raster along a side, at most */

/*
 * Base noises, in [-1, 1] but where a range is given; lib/README.md has formulas and sources. VALUE to HERMITE
 * stand on a lattice of square cells. All but MIDPOINT (see the fractals) can be displaced and stretched.
 */
enum terrane_base {
    TERRANE_VALUE = 0,      /* corner values blended by S5 x S5: C2 */
    TERRANE_POLYNOMIAL = 1, /* zero-gradient D2M1N3 as published, sign corrected: C0, edges crease; 1.0098 */
    TERRANE_POLYNOMIAL_C1 = 2, /* zero-gradient in product form, S3 x S3: C1 */
    TERRANE_PERLIN3 = 3,       /* gradient noise with S3: C1 */
    TERRANE_PERLIN5 = 4,       /* gradient noise with S5: C2 */
    TERRANE_HERMITE = 5,       /* general D2M1N3: corner values and weight times corner gradients: C0;
                                  1.0098 + 0.38 weight */
    TERRANE_SIMPLEX = 6,       /* OpenSimplex2: gradients on a triangular lattice, kernel (1/2 - r^2)^4 */
    TERRANE_CELLULAR_F1 = 7,   /* Worley: distance to the nearest of one point a cell; C0 */
    TERRANE_CELLULAR_F2 = 8,   /* ... to the second nearest */
    TERRANE_CELLULAR_EDGE = 9, /* F2 - F1: -1 on the edges between cells */
    /* OpenSimplex2S: as SIMPLEX with (2/3 - r^2)^4, so that up to four corners meet */
    TERRANE_SIMPLEX_SMOOTH = 10,
    TERRANE_BASES
};

/* How octaves n_i, amplitudes a_i = amplitude_m * gain^i, become one surface. Ranges: sum = a_0 + a_1 + ... */
enum terrane_fractal_kind {
    TERRANE_FBM = 0,           /* sum of a n */
    TERRANE_BILLOW = 1,        /* a (2 |n| - 1) */
    TERRANE_RIDGED = 2,        /* a (1 - 2 |n|) */
    TERRANE_DOUBLE_RIDGED = 3, /* a (4 |1/2 - |n|| - 1): valleys and tops are ridges */
    TERRANE_IQ = 4, /* a n / (1 + |d|^2), d the sum of (pseudo-)derivatives so far; no analytic slopes */
    TERRANE_MULTIFRACTAL = 5, /* a n w, w = clamp(offset + sharpness * sum so far / a_0) after the first */
    TERRANE_HYBRID = 6,       /* Musgrave: signals a (n + offset), weighted by the product of those before */
    TERRANE_SWISS = 7,        /* de Carpentier: 0 .. sum; ridges distorted along slopes; no analytic slopes */
    TERRANE_JORDAN = 8,       /* de Carpentier: 0 .. sum; squares, warped and damped; no analytic slopes */
    TERRANE_MIDPOINT = 9,     /* diamond-square; base is ignored; no analytic slopes */
    TERRANE_MIDPOINT_SMOOTHED = 10, /* ... whose offsets shrink with the height of their neighbours */
    TERRANE_FRACTAL_KINDS
};

/*
 * Octave i has cells of cell / lacunarity^i level-0 samples. With lacunarity 2 and a cell that is a power of two
 * (and a base on square cells, not displaced) it lies on the lattice, the fast way; otherwise it is evaluated
 * point by point. Each octave's lattice (but MIDPOINT's) is shifted by its own hashed amount. Members that a kind or base does not
 * name are ignored, and zero in the canonical form.
 */
struct terrane_fractal {
    enum terrane_fractal_kind kind;
    uint8_t base[TERRANE_OCTAVES_MAX]; /* enum terrane_base of each octave */
    uint32_t salt;     /* tells fractals of one world apart: equal salts and cells repeat each other */
    int octaves;       /* 1 .. 24 */
    double cell;       /* of octave 0, in level-0 samples: 1 .. 2^40; the last octave's is at least 2 (1 with
                          alias_octaves); MIDPOINT: a power of two */
    double lacunarity; /* 1.25 .. 8; MIDPOINT: 2 */
    float amplitude_m; /* of the first octave: 0 .. 32768; a pure number where the term is no height */
    float gain;        /* 0 .. 1 */
    float weight;      /* HERMITE: of the gradients, 0 .. 4 */
    float jitter;      /* CELLULAR: 0 (a square grid) .. 1 */
    float
        offset; /* MULTIFRACTAL, HYBRID: -4 .. 4. MIDPOINT_SMOOTHED: height (in amplitudes) of full offsets, 0 .. 4 */
    float sharpness;  /* MULTIFRACTAL: -16 .. 16 */
    float warp;       /* SWISS (0.15), JORDAN (0.35): -4 .. 4, in cells of octave 0 */
    float damp;       /* JORDAN (0.8): 0 .. 4 */
    int warp_term[2]; /* terms whose values displace x (east) and y (south), in metres; -1: none */
    float warp_m;     /* factor on both: -2^20 .. 2^20 */
};

/* How a term is made of the terms before it. in[] are indices of terms, each less than the term's own. */
enum terrane_op {
    TERRANE_OP_FRACTAL = 0, /* fractal */
    TERRANE_OP_SUM = 1,     /* offset + factor[0] * in[0] + factor[1] * in[1] + ... */
    TERRANE_OP_PRODUCT = 2, /* offset + factor[0] * in[0] * in[1] * ... */
    TERRANE_OP_BLEND = 3,   /* from in[0] to in[1] as in[2] goes from low to high, by S5 */
    TERRANE_OP_CURVE = 4,   /* in[0] through knots: a monotone cubic between them, level outside */
    TERRANE_OP_ZONES = 5,   /* sum of the zones' weights * (zone offset + zone amplitude * zone term) */
    TERRANE_OP_PLATES = 6,  /* a quantity of the recipe's plates: of */
    TERRANE_OP_CLIMATE = 7, /* ... of its climate, whose ground is in[0]: of */
    TERRANE_OP_COARSE = 8,  /* a cubic B-spline of in[0] at level of; in[0] itself from that level on */
    TERRANE_OP_RASTER = 9,  /* factor[0] * raster + offset; beyond its edges it fades into in[0] */
    TERRANE_OP_MIN = 10,    /* the least of in[0], in[1], ... */
    TERRANE_OP_MAX = 11,    /* the greatest */
    TERRANE_OPS
};

struct terrane_digest {
    uint8_t byte[16];
};

/*
 * Samples that somebody else has made: a map of one's own. Fill what is above the line and call terrane_raster_init. It is borrowed
 * by every recipe that names it, for as long as any copy of that is used, and does not change.
 */
struct terrane_raster {
    int width, height;   /* 2 .. TERRANE_RASTER_SIDE */
    const float *sample; /* width * height, row by row, north to south: finite, -2^24 .. 2^24 */
    /* ---- made by terrane_raster_init ---- */
    float low, high;              /* between which all that is made of them lies, but for its rounding */
    struct terrane_digest digest; /* of the samples, as terrane_samples_digest has it */
};

/* 0, or TERRANE_ERASTER; then the raster stands as it was. Cost: some fifteen nanoseconds a sample. */
int terrane_raster_init(struct terrane_raster *raster) TERRANE_MUST_CHECK;

struct terrane_term {
    char name[24]; /* for people and messages; at most 23 bytes count; not part of the digest */
    enum terrane_op op;
    int of; /* PLATES: enum terrane_plates_of; CLIMATE: enum terrane_climate_of; COARSE: 4 .. 22 */
    int inputs; /* SUM, PRODUCT: 0 .. 8; MIN, MAX: 1 .. 8; BLEND: 3; CURVE, CLIMATE, COARSE, RASTER: 1; others 0 */
    int in[TERRANE_INPUTS_MAX];
    float factor[TERRANE_INPUTS_MAX]; /* -2^20 .. 2^20 */
    float offset;                     /* -32768 .. 32768 */
    float low, high;                  /* BLEND: low below high by at least 2^-10 */
    int knots;                        /* CURVE: 2 .. 12 */
    float knot_x[TERRANE_KNOTS_MAX];  /* rising by at least 2^-10 */
    float knot_y[TERRANE_KNOTS_MAX];
    struct terrane_fractal fractal; /* FRACTAL */
    /* RASTER */
    const struct terrane_raster *raster;
    double at_m[2]; /* of its north-western sample, east and south: within 2^40 samples of 0 */
    double step_m;  /* between its samples: 2^-4 .. 2^20 samples */
    double fade_m;  /* from its edges outwards, mirrored there: 0 .. 2^32 samples; 0: it ends there */
};

/*
 * Plates: blocks of crust, one a square cell, continental or oceanic, that ride on plates of about 4 x 4 blocks with a drift each.
 * Lines between blocks are what their drifts make of them.
 */
struct terrane_plates {
    int cell_log2; /* of level-0 samples: 9 .. 34; 0: no plates, and nothing below counts */
    uint32_t salt;
    float jitter; /* of sites: 0 .. 1 */
    int rounds;   /* of Lloyd's relaxation: 0 .. 4 */
    float land;   /* share of blocks that are continental: 0 .. 1 */
    float warp;   /* how far noise moves places, in cells: 0 .. 0.5 */
    float blend;  /* over which crust passes into crust, on either side, in cells: 2^-4 .. 1/2 */
    float reach;  /* up to which lines are seen, in cells: 2^-4 .. 7/8 */
};

/* What plates say of a place. Distances are metres, up to reach; weaker lines count as farther. */
enum terrane_plates_of {
    TERRANE_PLATES_CRUST = 0,     /* 1 the middle of a continent, -1 of an ocean; coasts are about 0 */
    TERRANE_PLATES_CLOSING = 1,   /* speed at which plates meet near by, below 0 part: within sqrt(2) */
    TERRANE_PLATES_AGE = 2,       /* of the sea's floor, in millions of years: 0 .. 200 */
    TERRANE_PLATES_COLLISION = 3, /* from here on distances: to where continents meet */
    TERRANE_PLATES_TRENCH = 4,    /* where an ocean's floor goes under */
    TERRANE_PLATES_ARC = 5,       /* an eighth of a cell behind that, over it */
    TERRANE_PLATES_RIDGE = 6,     /* where plates part, and one is an ocean's */
    TERRANE_PLATES_RIFT = 7,      /* ... and both are land */
    TERRANE_PLATES_TRANSFORM = 8, /* where they slide */
    TERRANE_PLATES_SUTURE = 9,    /* within a plate: where its continent grew together long ago */
    TERRANE_PLATES_OFS
};

/*
 * Climate: warmth by bands, and rain that winds bring from the sea. Made at nodes, for a year's mean: there are no seasons.
 * Lengths called nodes are the distance between two of them.
 */
struct terrane_climate {
    int cell_log2; /* between nodes, in level-0 samples: 4 .. 22; 0: no climate, and nothing below counts */
    uint32_t salt;
    int ground;      /* a term: heights that winds climb; rests on neither zones nor climate */
    int period_log2; /* of bands, in level-0 samples: 6 over cell_log2 .. 40; 0: all lies halfway between */
    float warm_c;    /* at the sea's level, in the warmest band: -100 .. 100 */
    float cold_c;    /* ... in the coldest: -100 .. warm_c */
    float lapse;     /* degrees less for each metre of height: 0 .. 0.1 */
    float rain_mm;   /* a year's, over warm sea: 0 .. 16384 */
    float swing;     /* how far winds leave their band's direction: 0 (never) .. 4 (as they like) */
    float shadow;    /* rain for each metre of climb, against that of level ground: 0 .. 0.1 */
};

/* What a climate says of a place. */
enum terrane_climate_of {
    TERRANE_CLIMATE_TEMPERATURE = 0,   /* degrees */
    TERRANE_CLIMATE_PRECIPITATION = 1, /* mm a year */
    TERRANE_CLIMATE_WARMTH = 2,        /* degrees at the sea's level */
    TERRANE_CLIMATE_OFS
};

/* Colours over a quantity in metres: level below the first stop and above the last, straight between. */
struct terrane_gradient {
    int stops; /* 0 .. 8 */
    struct {
        float at_m;        /* rising by at least 2^-10 */
        uint8_t colour[3]; /* R, G, B */
    } stop[TERRANE_STOPS_MAX];
};

struct terrane_zone {
    char name[24];                  /* for people; at most 23 bytes count; part of the digest */
    int term;                       /* of OP_ZONES: an index, or -1: none */
    float amplitude;                /* factor on it: -64 .. 64 */
    float offset_m;                 /* -32768 .. 32768 */
    float share;                    /* VORONOI: how often the zone is drawn, against the others: 0 .. 1024 */
    uint8_t colour[3];              /* R, G, B of the partition mask */
    struct terrane_gradient ground; /* of relief, over height; without stops: the zone's colour */
    struct terrane_gradient steep; /* ... of slopes between steep_low and steep_high; without stops: ground */
};

enum terrane_partition_kind {
    TERRANE_PARTITION_NOISE = 0, /* bands of a term: zone k where threshold[k - 1] < value <= threshold[k] */
    TERRANE_PARTITION_VORONOI =
        1, /* the zone of the nearest site: one site a square cell, relaxed by Lloyd */
    TERRANE_PARTITION_CLIMATE = 2, /* a Whittaker table of temperature and moisture */
    TERRANE_PARTITION_KINDS
};

/* Which zone holds where, with weights that change hands smoothly. With one zone only zone[0] counts. */
struct terrane_partition {
    enum terrane_partition_kind kind;
    int zones; /* 1 .. 16 */
    struct terrane_zone zone[TERRANE_ZONES_MAX];
    float blend; /* width of a transition. NOISE: in the term's units, 2^-10 .. 2^20; VORONOI: in cells,
                                  2^-6 .. 1/2; CLIMATE: in entries of the table, 2^-10 .. 1 */
    /* NOISE */
    int by;                                 /* a term that does not rest on OP_ZONES, as the two below */
    float threshold[TERRANE_ZONES_MAX - 1]; /* zones - 1 of them, rising by at least blend */
    /* VORONOI */
    uint32_t salt;
    int cell_log2; /* of level-0 samples: 6 .. 40 */
    float jitter;  /* 0 .. 1 */
    int rounds;    /* of Lloyd's relaxation: 0 .. 4 */
    /* CLIMATE */
    int temperature, moisture;     /* terms */
    float cold, hot;               /* temperatures at the table's first and last row's outer edge */
    float dry, wet;                /* moistures at the first and last column's */
    int table_rows, table_columns; /* 1 .. 16 each */
    uint8_t table[TERRANE_TABLE_MAX *
                  TERRANE_TABLE_MAX]; /* zones; entry (row, column) at row * table_columns + column */
};

/*
 * How droplets run, and ground slides, where they start. Lengths, heights and sediment are counted in samples of the
 * level, so a slope of 1 is 45 degrees at every level.
 */
struct terrane_droplets {
    float density;      /* droplets a sample and phase: 0 .. 1 */
    float lifetime;     /* steps of about a sample, where the level's steps allow as many: 0 .. 64 */
    float inertia;      /* share of the old direction in the new one: 0 .. 0.99 */
    float capacity;     /* sediment carried for each slope, speed and water: 0 .. 64 */
    float min_capacity; /* sediment carried on flat ground: 0 .. 1 */
    float erosion;      /* share of free capacity taken up a step: 0 .. 1 */
    float deposition;   /* share of sediment over capacity dropped a step: 0 .. 1 */
    float evaporation;  /* share of water lost a step: 0 .. 1 */
    float gravity;      /* speed^2 gained for each sample of fall: 0 .. 64 */
    float speed;        /* at birth: 0 .. 16 */
    float water;        /* at birth: 0 .. 16 */
    float talus_deg;    /* angle above which ground slides: 1 .. 89 */
};

#define TERRANE_DROPLET_NUMBERS (sizeof(struct terrane_droplets) / sizeof(float))

/*
 * Erosion as a pyramid, from the coarsest of its levels down: each level takes over what the coarser ones moved, then
 * runs its phases of droplets, then its slides. Above the coarsest level nothing is eroded.
 */
struct terrane_erosion {
    int levels; /* 0 .. levels - 1 are eroded: 1 .. 25; 0: none, and nothing below counts */
    uint8_t phases[TERRANE_LEVEL_MAX + 1]; /* of droplets, at each of these levels: 0 .. 16 */
    uint8_t steps[TERRANE_LEVEL_MAX + 1];  /* longest life of a droplet there: 1 .. 64 */
    uint8_t slides[TERRANE_LEVEL_MAX + 1]; /* rounds of thermal erosion there; pits fill, too: 0 .. 32 */
    uint8_t creep[TERRANE_LEVEL_MAX +
                  1]; /* ... and behind them of soil, which has no talus: it rounds what is sharp: 0 .. 32 */
    float limit;      /* most that a phase or slide moves a sample: 2^-10 .. 1 samples */
    struct terrane_droplets zone[TERRANE_ZONES_MAX]; /* of the partition's zones; blended by weights */
};

/*
 * Lakes: at most one for each square cell of a level's lattice. A lake lies where water from a hashed start in its cell
 * comes to rest, and is filled to where it would spill.
 */
struct terrane_lakes {
    float share;     /* of cells that start one: 0 .. 1; 0: no lakes, and nothing below counts */
    int level;       /* whose lattice and surface decide: 0 .. 24 */
    int cell_log2;   /* of cells, in samples of that level: 3 .. 8 */
    int radius;      /* samples of that level from a lake's start that its water may reach: 4 .. 128 */
    float depth_m;   /* most, from surface to pit: 0 .. 32768; deeper basins are filled so far */
    float shallow_m; /* lakes that are not deeper are left out: 0 .. depth_m */
};

/*
 * Rivers: every sample of a lattice drains into one of its eight neighbours, the sea or an inland lake; ground is cut and
 * filled so that it does. Lattices are those of every second level from bottom to top, and lakes those of the drainage.
 */
struct terrane_rivers {
    int top;         /* the coarsest lattice's level: bottom + 2 .. 16, of bottom's parity; 0: no rivers, and
                         nothing below counts */
    int bottom;      /* the finest lattice's level: 4 .. 12; erosion.levels is this */
    float steepness; /* slope = steepness * area^-concavity, area in m2 of mean runoff: 2^-4 .. 1024 */
    float rise;      /* what steepness gains with each metre of height over the sea: 0 .. 1 */
    float concavity; /* 0.2 .. 0.8 */
    float cut_m;     /* most that a bar is cut to drain what lies behind it: 0 .. 32768; the rest is a lake */
    float fill;      /* share of a closed basin's depth that is filled with water, not drained: 0 .. 1 */
    float shallow_m; /* lakes that are not deeper are filled with sediment: 0.125 .. 64 */
    float sources_ha; /* area above a channel's head: 0.25 .. 65536 */
    int runoff;       /* a term: mm a year that run off, where it is above 0; -1: runoff_mm everywhere */
    float runoff_mm;  /* 0 .. 16384 */
    float inland_km;  /* land farther from the sea, as water goes, drains to inland lakes: 16 .. 4096, and
                         112 cells of the coarsest lattice at most count */
    float width;      /* of a river: width * Q^0.5 metres, Q in m3/s: 0 .. 64 */
    float depth;      /* depth * Q^0.4 metres: 0 .. 16 */
    int sand; /* 1 + a term: metres that lie on the ground that water has made, where it is above 0; 0: none */
    float
        shown; /* above the finest lattice rivers are shown that carry so many times what a sample's ground gives, of 64: 2^-4 ..
                    256; 0 means 1 */
    float
        flats; /* on lattices above the finest, lakes are land that are no deeper than shallow_m and this much of what their cells
                       are wider by: 0 .. 2^-4 */
    int rounding; /* rounds in which hillsides of the finest lattice, above channels, are rounded: 0 .. 4 */
};

/*
 * Ice: what glaciers left of high ground that rivers drain. Valleys become troughs, whose sides are parabolas, and end in bowls.
 */
struct terrane_ice {
    float width_m; /* from a trough's line to where its side is as steep as others: 1 .. 8192; 0: no ice,
                      and nothing below counts */
    float from_m,
        full_m; /* heights of ground between which ice comes to its full; full at from_m if full_m is not above it:
                   -32768 .. 32768 */
};

/*
 * Paths: one node a square cell of a level's lattice, joined by lines that rise no more than a slope allows. The ground
 * is cut and raised for them: terrane_features.h. With towns, one a square block of cells, they are trunk roads and lanes.
 */
struct terrane_towns {
    int block_log2; /* of blocks, in cells: 2 or 3; 0: no towns, and nothing below counts */
    float lane_m;   /* width of what is no trunk road: width_m at most, 2 samples of level 0 at least */
};

struct terrane_paths {
    float
        width_m; /* of a path, with towns of a trunk road: 2^-6 .. 1024, 2 samples of level 0 at least; 0: no paths, and nothing below counts */
    int level;   /* whose lattice and surface decide: 0 .. 24, lakes.level + 1, rivers.bottom - 1 */
    int cell_log2;     /* of cells, in samples of that level: 4 .. 7; a cell is 32 reaches wide at least */
    float slope;       /* most that a path rises, in metres for each metre: 2^-6 .. 1 */
    float border_m;    /* on both sides of it, over which it passes into the ground: 0 .. 1024 */
    float depth_m;     /* most that the level's ground is cut or raised for a path: 0 .. 1024 */
    uint8_t colour[3]; /* R, G, B, of relief */
    struct terrane_towns towns;
};

/*
 * Caves: at most one for each square cell of a level's lattice, under the top that a hashed start in the cell leads up
 * to: terrane_features.h. Lengths are metres.
 */
struct terrane_caves {
    float share;    /* of cells that try one: 0 .. 1; 0: no caves, and nothing below counts */
    int level;      /* whose lattice and surface decide: 0 .. 24; as of paths */
    int cell_log2;  /* of cells, in samples of that level: 4 .. 8 */
    int radius;     /* samples of that level from a cave's top that all of it keeps to: 8 .. 64 */
    float high_m;   /* tops that are not higher have none: -32768 .. 32768 */
    float roof_m;   /* rock over the ceiling, at least: 1 .. 1024, paths.depth_m at least */
    float height_m; /* of a cave, at most: 2 .. 1024 */
    float room;     /* samples of floor that a cave has at least: 4 .. 4096 */
    float slope;    /* most of the ground before the entrance: 2^-6 .. 4 */
};

/* What conditions ask of a sample, beside terms. lib/README.md says what each is, and what it is without drainage. */
enum terrane_cover_quantity {
    TERRANE_COVER_SLOPE,         /* rise over run */
    TERRANE_COVER_CURVATURE,     /* of the ground, 1/m: above 0 in hollows, below on crests */
    TERRANE_COVER_HEIGHT,        /* metres over the sea */
    TERRANE_COVER_DEPTH,         /* metres of water over it */
    TERRANE_COVER_WETNESS,       /* log2 of the cells that drain through it, over its slope */
    TERRANE_COVER_RIVER,         /* metres over the stream that it drains into */
    TERRANE_COVER_SHORE,         /* metres to the sea or a lake, as far as it looks */
    TERRANE_COVER_TEMPERATURE,   /* degrees, at its height; of recipes with a climate, as the next one */
    TERRANE_COVER_PRECIPITATION, /* mm a year */
    TERRANE_COVER_QUANTITIES
};

/* A trapezoid over a quantity: 0 up to rise[0], from there by S3 to 1 at rise[1], and from fall[0] back to 0 at fall[1]. */
struct terrane_condition {
    int of;            /* enum terrane_cover_quantity, or TERRANE_COVER_QUANTITIES + a term */
    bool rises, falls; /* false: open on that side, and its numbers do not count */
    float rise[2],
        fall[2]; /* -2^20 .. 2^20; each pair rising by 2^-20 at least; fall[0] no less than rise[1] */
};

/* What a material looks like beside its colour. */
enum terrane_texture_kind {
    TERRANE_PLAIN,
    TERRANE_STIPPLE, /* crowns of the finest size, lit on one side, and mottling of the others */
    TERRANE_STRATA,  /* beds by height, as thick as the size says */
    TERRANE_DUNES,   /* crests across a wind, so far apart */
    TERRANE_SPECKLE, /* lighter and darker grains */
    TERRANE_TEXTURES
};

/* How much lighter and darker than its colour a material is in relief: texture.c. Numbers do not count of TERRANE_PLAIN. */
struct terrane_texture {
    int kind;        /* enum terrane_texture_kind */
    float size_m[2]; /* of the finest and of the coarsest features, no less than those: 2^-4 .. 2^20 */
    float strength;  /* most that it is lighter or darker, as a share of the colour: 0 .. 0.5 */
    float wind;      /* degrees clockwise from north that it blows from, of TERRANE_DUNES: 0 .. 360 */
};

struct terrane_material {
    char name[24];     /* at most 23 bytes count; part of the digest */
    uint8_t colour[3]; /* R, G, B */
    struct terrane_texture texture;
    float share;    /* most of what those before left that it takes: 0 .. 1 */
    int conditions; /* 0 .. 8 */
    struct terrane_condition condition[TERRANE_CONDITIONS_MAX]; /* their product, times share */
};

/* What covers the ground. Each material takes its part of what those before it left; the last one takes the rest, so that its
 * share and conditions do not count. */
struct terrane_cover {
    int materials; /* 0 .. 8; 0: the recipe says nothing of it, and one material is everywhere */
    struct terrane_material material[TERRANE_MATERIALS_MAX];
};

/* One kind of thing that stands on the ground. Lengths are those at level 0. */
struct terrane_class {
    char name[24];                   /* at most 23 bytes count; part of the digest */
    int model;                       /* enum terrane_model */
    float radius_m;                  /* none of this or a narrower class is nearer: 2 .. 64 samples */
    float on[TERRANE_MATERIALS_MAX]; /* share of the candidates on each material that is taken: 0 .. 1 */
    float slope;                     /* of the ground, rise over run, at most: 0 .. 64 */
    float small, large;              /* scale, of the model's size: 0.25 .. 3.75 */
    int level;                       /* the coarsest that has any: 0 .. 4 */
    int conditions;                  /* 0 .. 8, on terms alone: their product times the share is taken */
    struct terrane_condition condition[TERRANE_CONDITIONS_MAX];
};

/* What stands on the ground: terrane_make.h. */
struct terrane_objects {
    int classes; /* 0 .. 8; any needs cover */
    struct terrane_class of[TERRANE_CLASSES_MAX];
};

struct terrane_memory; /* terrane.h */

/*
 * What a world is made of, but for its seed. Fill what is above the line and call terrane_recipe_init. A zone of zeros
 * names term 0: write -1 where there is none.
 */
struct terrane_recipe {
    int generator; /* whose functions make it: TERRANE_GENERATOR_OLDEST .. TERRANE_GENERATOR_VERSION; 0: the newest */
    double spacing_m;  /* between level-0 samples: 2^-10 .. 2^20 */
    int alias_octaves; /* 0: octaves take part where a cell spans 2 samples or more; 1: also where it spans
                          one */
    float low_m,
        high_m;  /* the range of 16-bit formats, which clamp to it; heights themselves are not clamped */
    float sea_m; /* -32768 .. 32768: relief draws water below it, measures count land above */
    int terms;   /* 1 .. 64; the last one is the height, in metres */
    struct terrane_term term[TERRANE_TERMS_MAX];
    struct terrane_partition partition;
    struct terrane_gradient water; /* of relief, over depth */
    float steep_low,
        steep_high; /* slopes (rise over run, 0 .. 1024) between which relief goes from ground to steep */
    struct terrane_plates plates;
    struct terrane_climate climate;
    struct terrane_erosion erosion;
    struct terrane_lakes lakes;
    struct terrane_rivers rivers; /* none beside lakes */
    struct terrane_ice ice;       /* none without rivers */
    struct terrane_paths paths;
    struct terrane_caves caves;
    struct terrane_cover cover;
    struct terrane_objects objects;
    /* ---- made by terrane_recipe_init; without it terrane_units tells 1 m (2^0) ---- */
    int erosion_unit_log2;        /* of the unit of eroded and drained heights, in metres: terrane_units */
    bool analytic;                /* slopes are analytic; else central differences of heights */
    struct terrane_digest digest; /* of generator version and canonical recipe */
};

/*
 * terrane_recipe_init - check a recipe and make it canonical, in place.
 *
 *   where  NULL, or receives the index of the term, or of the zone, that an error speaks of; -1: of neither.
 *
 * Members that do not count become zero; those made by it are filled. Returns 0 or the TERRANE_E code that says
 * what the recipe breaks; then the recipe stands as it was. Doing it twice changes nothing. The digest is
 * SipHash-2-4-128 (Aumasson and Bernstein) of the canonical bytes that lib/README.md lists: it names, it does not
 * authenticate.
 */
int terrane_recipe_init(struct terrane_recipe *recipe, int *where) TERRANE_MUST_CHECK;

/*
 * Files that a text names, which the library does not open. raster: that of a file's name, [A-Za-z0-9][A-Za-z0-9._-]{0,63}, ready to
 * use, borrowed as above; NULL: there is none, and why says so in a line. It may be asked for one name several times.
 */
struct terrane_files {
    const struct terrane_raster *(*raster)(void *user, const char *name, char *why, size_t why_bytes);
    void *user;
};

/*
 * terrane_recipe_parse - read a recipe from its JSON text, whose format config/worlds/README.md describes.
 *
 *   text         bytes of it; not zero-terminated; any bytes may be given.
 *   files        NULL: texts that name any are refused.
 *   description  NULL, or receives the text's description: TERRANE_DESCRIPTION_BYTES, zero-terminated.
 *   error        error_bytes (1 or more; TERRANE_REFUSAL_BYTES hold every line) that receive one printable line: the JSON
 *                Pointer of a value, what is wrong with it and what is allowed.
 *
 * The order of keys in the text changes nothing; the order in arrays may. Returns 0, and the recipe is ready to use, or
 * TERRANE_ETEXT or TERRANE_EMEMORY.
 */
#define TERRANE_RECIPE_TEXT_MAX   (256 << 10) /* bytes */
#define TERRANE_DESCRIPTION_BYTES 400
#define TERRANE_REFUSAL_BYTES     768
int terrane_recipe_parse(const char *text, size_t bytes, const struct terrane_files *files,
                         const struct terrane_memory *memory, struct terrane_recipe *recipe,
                         char *description, char *error, size_t error_bytes) TERRANE_MUST_CHECK;

/* Fills the recipe that terrane ships, ready to use: continents, seas, plains and ranges. */
void terrane_recipe_default(struct terrane_recipe *recipe);

/* A term that is a plain fractal with everything at its defaults: one octave of PERLIN5 with cells of 256 samples,
 * amplitude 1, lacunarity 2, gain 0.5, weight 1, jitter 0.65 and its kind's usual offset, sharpness, warp and damp. */
struct terrane_term terrane_term_fractal(enum terrane_fractal_kind kind);

/* The words for them in JSON: an operation's, a number's in the order of struct terrane_droplets, a quantity's of cover. */
extern const char *const terrane_op_name[TERRANE_OPS];
extern const char *const terrane_droplet_name[TERRANE_DROPLET_NUMBERS];
extern const char *const terrane_cover_quantity_name[TERRANE_COVER_QUANTITIES];

/* ---- What it costs -------------------------------------------------------------------------------------- */

/*
 * What a sample costs, counted in octaves of lattice noise (config/worlds/README.md has the weights): an estimate to
 * refuse by, not a measurement.
 */
struct terrane_cost {
    double sample;                  /* erosion and lakes count as where regions are kept and shared */
    double erosion, lakes, objects; /* what of that they are */
    double
        region; /* of a sample of a region of 512 x 512 of which nothing is kept: with halos, and every coarser level that it
                      rests on, for the level where that is dearest. 0 where nothing needs a region */
};
void terrane_recipe_cost(const struct terrane_recipe *recipe, struct terrane_cost *cost);

/*
 * Seconds of one core that a tile of the dearest layer takes where nothing is kept, an estimate; and those of each part, of which a
 * layer has some: terms, of which the tile's own samples are made, and the regions. isa: as terrane_init has it; NULL: scalar kernels.
 */
enum terrane_part {
    TERRANE_PART_TERMS,
    TERRANE_PART_EROSION,
    TERRANE_PART_LAKES,
    TERRANE_PART_PATHS,
    TERRANE_PART_CAVES,
    TERRANE_PART_RIVERS,
    TERRANE_PARTS
};
extern const char *const terrane_part_name[TERRANE_PARTS]; /* keys of the document */
double terrane_recipe_seconds(const struct terrane_recipe *recipe, const char *isa,
                              double seconds[TERRANE_PARTS]);

#ifdef __cplusplus
}
#endif
#endif
