/*
 * Figure 6: how often heights and slopes occur, over 1,000 terrains of 512 x 512 samples, Perlin noise with
 * S3 against zero-gradient D2M1N3: 8 octaves, gain 0.5, the first octave's cell as wide as the terrain. The
 * document does not state the octaves.
 *
 * The two noises have ranges of their own, which a recipe's amplitude makes up for; so heights and slopes
 * are counted in units of their root mean square over all terrains, and what is compared is the form. Counts
 * are made in fine bins of known range; the unit is known only at the end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_build.h"
#include "paper.h"
#include "plot.h"
#include "say.h"

enum { SIDE = 512, OCTAVES = 8, TERRAINS = 1000, QUICK_TERRAINS = 40, FINE = 1 << 14, BINS = 60, BASES = 2 };

#define HEIGHT_MAX 2.5  /* the octaves' amplitudes sum to under 2, D2M1N3 passes 1 by a hundredth */
#define SLOPE_MAX  0.25 /* per sample: 8 octaves, each of slope under 6 an amplitude and cell */

/* Of one quantity of one base. */
struct spread {
    uint64_t fine[FINE];
    double low, high; /* what the fine bins span; what lies outside counts in the first or last */
    double count, squares;
    double share[BINS]; /* of coarse bins; their sum is 1 less what lies outside */
};

/* [0] heights, [1] slopes of each base. */
struct spreads {
    struct spread of[BASES][2];
};

/* What is compared: heights from -4 to 4, slopes from 0 to 4 root mean squares. */
struct quantity {
    const char *name, *unit, *file;
    double from, to;
};

static const struct quantity quantities[2] = {
    {"height", "height, in root mean squares", "figure-6-height.png", -4, 4},
    {"slope", "gradient norm, in root mean squares", "figure-6-gradient.png", 0, 4}};

static void count_value(struct spread *spread, double value)
{
    const double place = (value - spread->low) / (spread->high - spread->low) * FINE;
    spread->fine[place < 0 ? 0 : place >= FINE ? FINE - 1 : (int)place]++;
    spread->squares += value * value;
    spread->count++;
}

static int count_base(const struct paper *paper, enum terrane_base base, int terrains, int done, int all,
                      struct spread spread[2])
{
    static struct terrane_recipe recipe;
    const struct terrane_window window = {.step = 1, .width = SIDE, .height = SIDE};
    const size_t samples = (size_t)SIDE * SIDE;
    float *const heights = malloc(samples * sizeof *heights), *const normals =
                                                                  malloc(3 * samples * sizeof *normals);
    int status = heights && normals ? source_fractal(base, OCTAVES, 0.5f, SIDE, &recipe) : -1;

    for (int t = 0; status == 0 && t < terrains; t++) {
        struct terrane_world world;
        say_progress("figure 6", done + t, all);
        terrane_world_init(&world, &recipe, (uint64_t)t + 1);
        status = terrane_heights(&world, &window, paper->source->scratch, heights);
        if (status == 0)
            status = terrane_normals(&world, &window, paper->source->scratch, normals);
        for (size_t k = 0; status == 0 && k < samples; k++) {
            const double east = (double)normals[3 * k], south = (double)normals[3 * k + 1];
            count_value(&spread[0], (double)heights[k]);
            count_value(&spread[1], sqrt(east * east + south * south) / (double)normals[3 * k + 2]);
        }
    }
    free(heights);
    free(normals);
    if (status != 0)
        say_error("figure 6: %s", heights && normals ? terrane_error_text(status) : "out of memory");
    return status;
}

/* Fine bins into coarse ones, in units of the root mean square. */
static void gather(struct spread *spread, const struct quantity *quantity)
{
    const double rms = sqrt(spread->squares / spread->count);

    for (int k = 0; k < FINE; k++) {
        const double value = (spread->low + (k + 0.5) * (spread->high - spread->low) / FINE) / rms;
        const double place = floor((value - quantity->from) / (quantity->to - quantity->from) * BINS);
        if (place >= 0 && place < BINS)
            spread->share[(int)place] += (double)spread->fine[k] / spread->count;
    }
}

/* Kullback-Leibler divergence of a from b in bits, over bins that both have. */
static double divergence(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < BINS; k++)
        if (a[k] > 0 && b[k] > 0)
            sum += a[k] * log2(a[k] / b[k]);
    return sum;
}

/* The greatest difference of the cumulative shares (Kolmogorov and Smirnov). */
static double greatest_step(const double *a, const double *b)
{
    double sum = 0, most = 0;
    for (int k = 0; k < BINS; k++) {
        sum += a[k] - b[k];
        most = fmax(most, fabs(sum));
    }
    return most;
}

static json_t *compare(const struct paper *paper, const struct quantity *quantity, struct spread *perlin,
                       struct spread *zero)
{
    double x[BINS], y[BASES][BINS], bin = 0;
    char path[PATH_BYTES], title[128];
    const double width = (quantity->to - quantity->from) / BINS;

    gather(perlin, quantity);
    gather(zero, quantity);
    for (int k = 0; k < BINS; k++) {
        x[k] = quantity->from + (k + 0.5) * width;
        y[0][k] = 100 * perlin->share[k];
        y[1][k] = 100 * zero->share[k];
        bin = fmax(bin, fabs(perlin->share[k] - zero->share[k]));
    }
    const double bits = divergence(zero->share, perlin->share),
                 step = greatest_step(zero->share, perlin->share);
    const struct plot_series series[] = {{PLOT_LINE, 0, "Perlin, S3", BINS, x, y[0]},
                                         {PLOT_LINE, 1, "zero-gradient D2M1N3", BINS, x, y[1]}};
    snprintf(title, sizeof title, "Figure 6: mean frequency of the %s", quantity->name);
    path_join(path, sizeof path, paper->directory, "", quantity->file);
    const struct plot plot = {title, quantity->unit, "percent of the samples, a bin", 2, series};
    if (plot_write(&plot, path) != 0)
        return NULL;
    printf("  %-8s %14.5f %14.5f %14.4f %14.4f %14.4f\n", quantity->name,
           sqrt(perlin->squares / perlin->count), sqrt(zero->squares / zero->count), bits, step, bin);
    return json_pack("{s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:f}", "bin_middle_rms", json_row(x, BINS),
                     "perlin_percent", json_row(y[0], BINS), "zero_gradient_percent", json_row(y[1], BINS),
                     "perlin_rms", sqrt(perlin->squares / perlin->count), "zero_gradient_rms",
                     sqrt(zero->squares / zero->count), "divergence_bits", bits,
                     "greatest_cumulative_difference", step, "greatest_bin_difference", bin);
}

json_t *paper_frequencies(const struct paper *paper)
{
    static const enum terrane_base base[BASES] = {TERRANE_PERLIN3, TERRANE_POLYNOMIAL};
    const int terrains = paper->quick ? QUICK_TERRAINS : TERRAINS;
    struct spreads *const spreads = calloc(1, sizeof *spreads);
    json_t *out = NULL;

    if (!spreads) {
        say_error("out of memory");
        return NULL;
    }
    int status = 0;
    for (int b = 0; status == 0 && b < BASES; b++) {
        spreads->of[b][0].low = -HEIGHT_MAX;
        spreads->of[b][0].high = HEIGHT_MAX;
        spreads->of[b][1].high = SLOPE_MAX;
        status = count_base(paper, base[b], terrains, b * terrains, BASES * terrains, spreads->of[b]);
    }
    say_done();
    if (status == 0) {
        printf("Figure 6: %d terrains of %d x %d, %d octaves, gain 0.5\n", terrains, SIDE, SIDE, OCTAVES);
        printf("  %-8s %14s %14s %14s %14s %14s\n", "", "rms Perlin", "rms zero-grad.", "KL, bits",
               "max cumulative", "max bin");
        json_t *const height = compare(paper, &quantities[0], &spreads->of[0][0], &spreads->of[1][0]);
        json_t *const slope = compare(paper, &quantities[1], &spreads->of[0][1], &spreads->of[1][1]);
        out = json_pack("{s:i, s:i, s:i, s:o, s:o, s:s}", "terrains", terrains, "samples", SIDE, "octaves",
                        OCTAVES, "height", height, "slope", slope, "published",
                        "heights very similar, gradients slightly different");
        printf("  published: heights \"very similar\", gradients differ \"slightly\"\n\n");
    }
    free(spreads);
    return out;
}
