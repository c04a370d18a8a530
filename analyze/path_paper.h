/*
 * Document 002 (Velzel, "Natural Path Generation"), measured again: its table 1 and figures 4, 6, 8, 9, 10 and 11 from
 * libterrane's relaxation, with the fast way beside it.
 *
 *     series x sizes x terrains ─> path_jobs_run (threads) ─> outcomes ─> figures ─> tables, paths.json, pictures
 *                                   └─ path_measure: ground, lines, relaxation, fast way, distances, optimum
 */
#ifndef TERRANE_ANALYZE_PATH_PAPER_H
#define TERRANE_ANALYZE_PATH_PAPER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../patch/terrane_patch.h"

enum {
    PATH_SIDE = 257, /* the ground's own; smaller patches are every so manieth sample of it */
    PATH_SIZES = 6,  /* 9, 17, 33, 65, 129, 257 */
    PATH_TERRAINS = 10,
    PATH_LINES = 5, /* of one figure */
    PATH_JOBS_MAX = 64,
};

/* What one line of a figure is measured with: constraints, and up to which side. */
enum {
    PATH_FLAT,     /* slope 0.0005 */
    PATH_USUAL,    /* slope 0.0035, T_s 1e-5, across, not stitched: stands in every figure */
    PATH_STEEP,    /* slope 0.0095 */
    PATH_LOOSEST,  /* T_s 1e-3 */
    PATH_LOOSER,   /* T_s 1e-4 */
    PATH_TIGHTER,  /* T_s 1e-6 */
    PATH_ROUGH,    /* roughness beside the path */
    PATH_STITCHED, /* across, borders stitched */
    PATH_ROUGH_STITCHED,
    PATH_SERIES
};

struct path_series {
    const char *key, *label;
    double slope, threshold; /* g and T_s */
    enum terrane_beside beside;
    bool stitch;
    int side_max;
    bool distance; /* is EMD measured? */
    bool fast;     /* is the fast way measured? */
};

extern const struct path_series path_series[PATH_SERIES];

/* Of one series, size and terrain. What was not measured is NaN, or all 0. */
struct path_outcome {
    bool done;
    struct terrane_relax_report relaxed, fast; /* fast: of gradient and across alone, without threshold */
    double seconds, fast_seconds;              /* of one core */
    double distance, fast_distance, optimum;   /* EMD from L */
};

/* A patch for a picture: L, relaxed, fast; owned. */
struct path_picture {
    double *heights[3];
    uint8_t *mask; /* 1 path, 2 across, 3 roughness */
    int side;
};

struct path_study {
    const char *directory;
    bool quick;
    int jobs, sizes, terrains;
    int side[PATH_SIZES];
    const char *optimum; /* the program, or NULL */
    int optimum_side;    /* up to which it is asked */
    struct path_outcome of[PATH_SERIES][PATH_SIZES][PATH_TERRAINS];
    struct path_picture picture[PATH_SERIES]; /* of the first terrain at the largest side yet */
};

/* The command; argv[0] is the first word behind its name. Returns the exit status. */
int path_paper_command(int argc, char **argv);

/* Was the program told to stop? */
bool path_stopped(void);

/* One line "terrane path: ..." on standard error. */
void path_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Ground -------------------------------------------------------------------------------------------- */

/* Width of all patches and heights of integers, in the unit that heights have. */
#define PATH_EXTENT 80.0
#define PATH_UNIT   0x1p-24

struct terrane_patch path_patch(int side);

/*
 * path_ground - a terrain: 257 x 257 samples of seamless midpoint displacement, most in 0 .. 1, in whole units,
 * of which a patch of a smaller side has every so manieth.
 *
 * scratch: terrane_scratch_bytes. Returns 0 or libterrane's code.
 */
int path_ground(int terrain, int side, void *scratch, double *heights);

enum { PATH_GRAPH_NODES = 6, PATH_GRAPH_EDGES = 5 };

struct path_graph {
    struct terrane_graph_node node[PATH_GRAPH_NODES];
    struct terrane_graph_edge edge[PATH_GRAPH_EDGES];
    struct terrane_graph graph; /* of these: stays where it is */
};

/* The one graph, scaled with the patch. */
void path_graph_make(struct path_graph *graph, int side, double slope);

/* ---- Measuring ----------------------------------------------------------------------------------------- */

/* What runs just now; read by who tells of it. */
struct path_slot {
    _Atomic int64_t iterations;
    atomic_bool busy;
    atomic_int series, size, terrain;
};

struct path_memory; /* of one thread */

struct path_memory *path_memory_new(int side);
void path_memory_free(struct path_memory *memory);

/* Fills *out, and *picture unless NULL. Returns 0, 1 where it was stopped, -1 after a line on standard error. */
int path_measure(const struct path_study *study, int series, int size, int terrain,
                 struct path_memory *memory, struct path_slot *slot, struct path_outcome *out,
                 struct path_picture *picture);

/* I_max: slopes alone can always be kept, roughness and positions often cannot. */
int64_t path_iterations_max(const struct path_study *study, int series);

/* EMD(L, H0) by the program study->optimum; NaN where it gives none. limits: gradient and across. */
double path_optimum(const struct path_study *study, const struct terrane_patch *patch, const double *ground,
                    const struct terrane_limits *limits);

/* The program beside this one, owned; NULL: there is none. */
char *path_optimum_program(void);

/* Measures all that is not done; progress on standard error, results into paths.json as they come. 0, 1 stopped, -1. */
int path_jobs_run(struct path_study *study);

/* ---- Figures ------------------------------------------------------------------------------------------- */

struct path_line {
    const char *label;
    double value[PATH_SIZES][PATH_TERRAINS]; /* NaN: none */
    double mean[PATH_SIZES];                 /* of what there is */
    const double *published;                 /* by size from 9 on; NULL: not in the document's text */
};

struct path_figure {
    const char *key, *title, *quantity;
    const char *file; /* of its picture; NULL: a table alone */
    bool logarithmic;
    int lines;
    struct path_line line[PATH_LINES];
};

enum { PATH_FIGURES = 10 };

/* Fills figure k of PATH_FIGURES from what is done. */
void path_figure_make(const struct path_study *study, int k, struct path_figure *figure);

/* Without the optimum figures 8 and 9 have none, and are not shown. */
bool path_figure_has_values(const struct path_study *study, const struct path_figure *figure);

double path_share_unsatisfied(const struct terrane_relax_report *report);

void path_tables_print(const struct path_study *study);

/* DIR/paths.json, whole at every moment. Returns 0, or -1 after a line on standard error. */
int path_json_write(const struct path_study *study, bool complete);

/* Plots of all figures, and patches with their paths in colour. The same. */
int path_plots_write(const struct path_study *study);
int path_pictures_write(const struct path_study *study);

#endif
