/*
 * Figures 14 and 15: box-count dimensions of coasts of fBm, 1024 x 1024 samples, the sea at 0, boxes of 2 to
 * 64 samples. The first octave's cell is as wide as the map, as the document's octave 0 is one polynomial.
 *
 * The document speaks of a persistence that divides amplitudes; here gain multiplies them. Which values it
 * used its text does not say; these span Richardson's coasts: level sets of fBm whose octaves shrink by the
 * gain g have the dimension 2 + log2 g, at least 1.
 *
 * A point of a figure is the mean over several seeds of the counts, and the fit of that mean.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "box_count.h"
#include "json_build.h"
#include "paper.h"
#include "plot.h"
#include "say.h"

enum { SIDE = 1024, SEEDS = 16, QUICK_SEEDS = 2, GAINS = 6, OCTAVES = 10, BASES = 3, SHOWN_OCTAVES = 8 };

static const double gain[GAINS] = {0.45, 0.5, 0.55, 0.6, 0.65, 0.7};

static const struct {
    enum terrane_base base;
    const char *name, *key;
} bases[BASES] = {{TERRANE_POLYNOMIAL, "zero-gradient D2M1N3", "zero_gradient"},
                  {TERRANE_PERLIN3, "Perlin, S3", "perlin"},
                  {TERRANE_SIMPLEX, "OpenSimplex2", "simplex"}};

static const struct {
    const char *name;
    double dimension;
} richardson[] = {{"South Africa", 1.02}, {"Germany, land frontier", 1.15}, {"Britain, west coast", 1.25}};

enum { COASTS = sizeof richardson / sizeof *richardson };

/* The pool of a base, gain and number of octaves, and how its maps' dimensions spread. */
struct spot {
    struct box_count pool;
    double deviation;
};

/* All there are: [octaves - 1] of each gain of each base. */
struct spots {
    struct spot at[BASES][GAINS][OCTAVES];
};

static double spread_of(const struct box_count *counts, int count)
{
    double sum = 0, squares = 0;
    int n = 0;
    for (int k = 0; k < count; k++)
        if (counts[k].fit.points > 0) {
            const double d = box_count_dimension(&counts[k].fit);
            sum += d;
            squares += d * d;
            n++;
        }
    return n > 1 ? sqrt(fmax(0, (squares - sum * sum / n) / (n - 1))) : (double)NAN;
}

static int measure(const struct paper *paper, enum terrane_base base, int octaves, float g, int seeds,
                   struct spot *out)
{
    static struct terrane_recipe recipe;
    const struct terrane_window window = {.step = 1, .width = SIDE, .height = SIDE};
    struct box_count counts[SEEDS];
    int status = source_fractal(base, octaves, g, SIDE, &recipe);

    if (status != 0) {
        say_error("figures 14 and 15: %s", terrane_error_text(status));
        return status;
    }
    for (int s = 0; s < seeds; s++) {
        struct terrane_world world;
        struct raster raster;
        terrane_world_init(&world, &recipe, (uint64_t)s + 1);
        status = source_heights(paper->source, &world, &window, true, &raster);
        if (status == 0) {
            status = box_count_level(&raster, 0, &counts[s]);
            raster_free(&raster);
            if (status != 0)
                say_error("out of memory");
        }
        if (status != 0)
            return status;
    }
    out->pool = box_count_pool(counts, seeds);
    out->deviation = spread_of(counts, seeds);
    return 0;
}

/* ---- Figure 14 ---------------------------------------------------------------------------------------- */

/* log2 of the length (boxes times side) over log2 of the side, each curve from where the legend has it:
 * slopes count. */
static int plot_lengths(const struct paper *paper, const struct spot by_gain[GAINS])
{
    struct plot_series series[GAINS + COASTS];
    double x[BOX_SIZES], y[GAINS + COASTS][BOX_SIZES];
    char label[GAINS + COASTS][64], path[PATH_BYTES];

    for (int c = 0; c < COASTS; c++) {
        const double d = richardson[c].dimension;
        for (int k = 0; k < BOX_SIZES; k++) {
            x[k] = k + 1;
            y[c][k] = 0.1 * c + (1 - d) * k;
        }
        snprintf(label[c], sizeof label[c], "%s: %.2f", richardson[c].name, d);
        series[c] = (struct plot_series){PLOT_DASHES, 5 + c, label[c], BOX_SIZES, x, y[c]};
    }
    for (int g = 0; g < GAINS; g++) {
        const struct box_count *const pool = &by_gain[g].pool;
        const int c = COASTS + g;
        for (int k = 0; k < BOX_SIZES; k++)
            y[c][k] = 0.1 * c + log2(pool->mean[k]) + k - log2(pool->mean[0]);
        snprintf(label[c], sizeof label[c], "gain %.2f: D = %.3f", gain[g], box_count_dimension(&pool->fit));
        series[c] = (struct plot_series){PLOT_LINE, g, label[c], BOX_SIZES, x, y[c]};
    }
    path_join(path, sizeof path, paper->directory, "", "figure-14-length.png");
    const struct plot plot = {"Figure 14: length of the coast against the side of the boxes",
                              "log2 of the side in samples", "log2 of the length, shifted", GAINS + COASTS,
                              series};
    return plot_write(&plot, path);
}

static json_t *figure_14(const struct paper *paper, const struct spot by_gain[GAINS])
{
    json_t *const rows = json_array(), *const published = json_object();

    printf("Figure 14: zero-gradient D2M1N3, %d x %d, %d octaves\n  %-32s %9s %9s %9s\n", SIDE, SIDE,
           SHOWN_OCTAVES, "", "D", "R^2", "a map's +-");
    for (int c = 0; c < COASTS; c++) {
        printf("  %-32s %9.2f\n", richardson[c].name, richardson[c].dimension);
        json_object_set_new(published, richardson[c].name, json_real(richardson[c].dimension));
    }
    for (int g = 0; g < GAINS; g++) {
        const struct spot *const p = &by_gain[g];
        printf("  gain %-27.2f %9.3f %9.4f %9.3f\n", gain[g], box_count_dimension(&p->pool.fit),
               p->pool.fit.r2, p->deviation);
        json_array_append_new(rows, json_pack("{s:f, s:o, s:o, s:o, s:o}", "gain", gain[g], "dimension",
                                              json_of(box_count_dimension(&p->pool.fit)), "fit",
                                              json_fit(&p->pool.fit), "deviation", json_of(p->deviation),
                                              "boxes", json_row(p->pool.mean, p->pool.sizes)));
    }
    printf("\n");
    return plot_lengths(paper, by_gain) == 0
               ? json_pack("{s:o, s:o}", "measured", rows, "published_by_richardson", published)
               : NULL;
}

/* ---- Figure 15 ---------------------------------------------------------------------------------------- */

static int plot_octaves(const struct paper *paper, const struct spots *spots)
{
    static const enum plot_style style[BASES] = {PLOT_LINE, PLOT_DASHES, PLOT_POINTS};
    struct plot_series series[BASES * GAINS];
    double x[OCTAVES], y[BASES * GAINS][OCTAVES];
    char label[BASES * GAINS][64], path[PATH_BYTES];

    for (int b = 0; b < BASES; b++)
        for (int g = 0; g < GAINS; g++) {
            const int s = b * GAINS + g;
            for (int n = 0; n < OCTAVES; n++) {
                x[n] = n + 1;
                y[s][n] = box_count_dimension(&spots->at[b][g][n].pool.fit);
            }
            snprintf(label[s], sizeof label[s], "gain %.2f", gain[g]);
            series[s] = (struct plot_series){style[b], g, b == 0 ? label[s] : NULL, OCTAVES, x, y[s]};
        }
    path_join(path, sizeof path, paper->directory, "", "figure-15-octaves.png");
    const struct plot plot = {
        "Figure 15: dimension against octaves (line zero-gradient, dashes Perlin, dots OpenSimplex2)",
        "octaves", "box-count dimension", BASES * GAINS, series};
    return plot_write(&plot, path);
}

static json_t *figure_15(const struct paper *paper, const struct spots *spots)
{
    json_t *const out = json_object();
    double most = 0;

    for (int b = 0; b < BASES; b++) {
        json_t *const rows = json_array();
        printf("Figure 15: dimension against octaves, %s\n  gain     ", bases[b].name);
        for (int n = 0; n < OCTAVES; n++)
            printf("%7d", n + 1);
        for (int g = 0; g < GAINS; g++) {
            json_t *const row = json_array();
            printf("\n  %.2f     ", gain[g]);
            for (int n = 0; n < OCTAVES; n++) {
                const double d = box_count_dimension(&spots->at[b][g][n].pool.fit);
                printf("%7.3f", d);
                json_array_append_new(row, json_of(d));
                most = fmax(most, fabs(d - box_count_dimension(&spots->at[0][g][n].pool.fit)));
            }
            json_array_append_new(rows,
                                  json_pack("{s:f, s:o}", "gain", gain[g], "dimension_by_octaves", row));
        }
        printf("\n");
        json_object_set_new(out, bases[b].key, rows);
    }
    printf("  greatest difference from zero-gradient: %.3f\n", most);
    printf("  published: D grows with octaves; the three noises are \"essentially similar\"\n\n");
    json_object_set_new(out, "greatest_difference", json_of(most));
    if (plot_octaves(paper, spots) == 0)
        return out;
    json_decref(out);
    return NULL;
}

json_t *paper_dimensions(const struct paper *paper)
{
    const int seeds = paper->quick ? QUICK_SEEDS : SEEDS;
    struct spots *const spots = calloc(1, sizeof *spots);
    struct spot shown[GAINS];
    json_t *out = NULL;
    int status = spots ? 0 : -1;

    for (int k = 0; status == 0 && k < BASES * GAINS * OCTAVES; k++) {
        const int b = k / OCTAVES / GAINS, g = k / OCTAVES % GAINS, n = k % OCTAVES;
        say_progress("figures 14 and 15", k, BASES * GAINS * OCTAVES);
        status = measure(paper, bases[b].base, n + 1, (float)gain[g], seeds, &spots->at[b][g][n]);
    }
    say_done();
    if (status == 0) {
        for (int g = 0; g < GAINS; g++)
            shown[g] = spots->at[0][g][SHOWN_OCTAVES - 1];
        json_t *const first = figure_14(paper, shown), *const second = first ? figure_15(paper, spots) : NULL;
        if (second)
            out = json_pack("{s:i, s:i, s:o, s:o}", "samples", SIDE, "seeds", seeds, "figure_14", first,
                            "figure_15", second);
        else
            json_decref(first);
    }
    free(spots);
    return out;
}
