#include "bench_document.h"

#include "bench_rounds.h"
#include "plain_polynomial.h"
#include "plain_simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESOLUTION_OCTAVES = 3,
    SIMPLEX = PLAIN_POLYNOMIALS, /* the method behind the polynomials */
    ROUNDS_MAX = 64,
};

static const char *const names[DOCUMENT_METHODS] = {"zero-gradient", "Perlin S3", "D2M1N3", "OpenSimplex2"};

struct work {
    struct plain_octave octave;
    struct plain_perlin table;
    float map[DOCUMENT_RESOLUTION * DOCUMENT_RESOLUTION];
    float pass[DOCUMENT_RESOLUTION]; /* one row of OpenSimplex2 */
};

/* Of 2^log2 samples a side. */
static int resolution_log2(int k)
{
    return 7 + k;
}

/* ---- The work ------------------------------------------------------------------------------------------ */

/* OpenSimplex2 has no cells that stand on samples: it is evaluated, then added, row by row. */
static void simplex_add(struct work *w, int resolution, int cell_log2, int octave, float amplitude)
{
    for (int j = 0; j < resolution; j++) {
        float *row = w->map + (size_t)j * (size_t)resolution;
        plain_simplex_fill(&w->table, w->pass, resolution, 1, octave * 4096, j, 1, (float)(1 << cell_log2),
                           amplitude, 1.0f);
        for (int i = 0; i < resolution; i++)
            row[i] += w->pass[i];
    }
}

/* Octave `octave` of a terrain of 2^log2 samples a side; returns its CPU microseconds. */
static double octave_us(struct work *w, int method, int log2, int octave, int round)
{
    const int resolution = 1 << log2, cell_log2 = log2 - 1 - octave;
    const float amplitude = ldexpf(1.0f, -octave);
    const double start = bench_cpu_us();

    if (octave == 0)
        memset(w->map, 0, (size_t)resolution * (size_t)resolution * sizeof *w->map);
    if (method == SIMPLEX)
        simplex_add(w, resolution, cell_log2, octave, amplitude);
    else
        plain_polynomial_add(&w->octave, (enum plain_polynomial)method, w->map, resolution, cell_log2,
                             (uint64_t)(round * DOCUMENT_OCTAVES + octave), amplitude);
    return bench_cpu_us() - start;
}

/* ---- The checks: nobody is measured at work that was not done ------------------------------------------ */

static void check_map(const struct work *w, int method)
{
    double squares = 0.0;
    const int count = DOCUMENT_RESOLUTION * DOCUMENT_RESOLUTION;

    for (int i = 0; i < count; i++)
        squares += (double)w->map[i] * (double)w->map[i];
    const double deviation = sqrt(squares / count);
    /* Not "<": a NaN must fail, too. */
    if (!(deviation > 0.1 && deviation < 1.0))
        bench_die(names[method], "implausible deviation");
}

/* ---- The rounds ---------------------------------------------------------------------------------------- */

struct times {
    double octaves[DOCUMENT_METHODS][DOCUMENT_OCTAVES][ROUNDS_MAX];
    double resolution[DOCUMENT_METHODS][DOCUMENT_RESOLUTIONS][ROUNDS_MAX];
};

/* One terrain of every method, octave by octave. They share the map and add to what the others left
 * there, which costs the same whatever it is. */
static void round_run(struct work *w, struct times *t, int round)
{
    double sum[DOCUMENT_METHODS] = {0.0};

    for (int octave = 0; octave < DOCUMENT_OCTAVES; octave++)
        for (int m = 0; m < DOCUMENT_METHODS; m++) {
            sum[m] += octave_us(w, m, resolution_log2(DOCUMENT_RESOLUTIONS - 1), octave, round);
            t->octaves[m][octave][round] = sum[m];
        }
    for (int k = 0; k < DOCUMENT_RESOLUTIONS; k++)
        for (int m = 0; m < DOCUMENT_METHODS; m++) {
            t->resolution[m][k][round] = 0.0;
            for (int octave = 0; octave < RESOLUTION_OCTAVES; octave++)
                t->resolution[m][k][round] += octave_us(w, m, resolution_log2(k), octave, round);
        }
}

void bench_document_run(struct bench_document *d, int rounds)
{
    struct work *w = malloc(sizeof *w);
    struct times *t = malloc(sizeof *t);

    if (w == NULL || t == NULL || rounds > ROUNDS_MAX)
        bench_die("document 000", "out of memory, or too many rounds");
    plain_perlin_init(&w->table, 42);
    for (int m = 0; m < DOCUMENT_METHODS; m++) {
        for (int octave = 0; octave < DOCUMENT_OCTAVES; octave++)
            octave_us(w, m, resolution_log2(DOCUMENT_RESOLUTIONS - 1), octave, rounds);
        check_map(w, m);
    }
    for (d->rounds = 0; d->rounds < rounds; d->rounds++)
        round_run(w, t, d->rounds);
    for (int m = 0; m < DOCUMENT_METHODS; m++) {
        for (int k = 0; k < DOCUMENT_OCTAVES; k++)
            d->octaves_us[m][k] = bench_median(t->octaves[m][k], rounds);
        for (int k = 0; k < DOCUMENT_RESOLUTIONS; k++)
            d->resolution_us[m][k] = bench_median(t->resolution[m][k], rounds);
    }
    free(t);
    free(w);
}

/* ---- The report ---------------------------------------------------------------------------------------- */

double bench_document_speedup(const struct bench_document *d)
{
    double least = d->octaves_us[1][0] / d->octaves_us[0][0];

    for (int k = 0; k < DOCUMENT_OCTAVES; k++)
        least = fmin(least, d->octaves_us[1][k] / d->octaves_us[0][k]);
    for (int k = 0; k < DOCUMENT_RESOLUTIONS; k++)
        least = fmin(least, d->resolution_us[1][k] / d->resolution_us[0][k]);
    return least;
}

void bench_document_print(const struct bench_document *d)
{
    printf("  %-34s", "figure 8: T / T_Z0, octaves");
    for (int k = 0; k < DOCUMENT_OCTAVES; k++)
        printf(" %7d", k + 1);
    for (int m = 0; m < DOCUMENT_METHODS; m++) {
        printf("\n    %-32s", names[m]);
        for (int k = 0; k < DOCUMENT_OCTAVES; k++)
            printf(" %7.2f", d->octaves_us[m][k] / d->octaves_us[0][0]);
    }
    printf("\n  %-34s", "figure 9: root of T / us, samples");
    for (int k = 0; k < DOCUMENT_RESOLUTIONS; k++)
        printf(" %7d", 1 << resolution_log2(k));
    for (int m = 0; m < DOCUMENT_METHODS; m++) {
        printf("\n    %-32s", names[m]);
        for (int k = 0; k < DOCUMENT_RESOLUTIONS; k++)
            printf(" %7.2f", sqrt(d->resolution_us[m][k]));
    }
    printf("\n  %-34s", "figure 10: T / T_Z, octaves");
    for (int k = 0; k < DOCUMENT_OCTAVES; k++)
        printf(" %7d", k + 1);
    for (int m = 1; m < DOCUMENT_METHODS; m++) {
        printf("\n    %-32s", names[m]);
        for (int k = 0; k < DOCUMENT_OCTAVES; k++)
            printf(" %7.2f", d->octaves_us[m][k] / d->octaves_us[0][k]);
    }
    printf("\n");
}

static void write_numbers(FILE *f, const char *name, const double *values, int count)
{
    fprintf(f, "\"%s\": [", name);
    for (int k = 0; k < count; k++)
        fprintf(f, "%s%.3f", k > 0 ? ", " : "", values[k]);
    fprintf(f, "]");
}

void bench_document_write_json(const struct bench_document *d, FILE *f)
{
    fprintf(f,
            " \"document_000\": {\"rounds\": %d, \"octaves_at_resolution\": %d, \"resolutions_at_octaves\": "
            "%d,\n",
            d->rounds, DOCUMENT_RESOLUTION, RESOLUTION_OCTAVES);
    fprintf(f, "  \"resolutions\": [");
    for (int k = 0; k < DOCUMENT_RESOLUTIONS; k++)
        fprintf(f, "%s%d", k > 0 ? ", " : "", 1 << resolution_log2(k));
    fprintf(f, "], \"methods\": [");
    for (int m = 0; m < DOCUMENT_METHODS; m++) {
        fprintf(f, "%s\n   {\"name\": \"%s\", ", m > 0 ? "," : "", names[m]);
        write_numbers(f, "us_by_octaves", d->octaves_us[m], DOCUMENT_OCTAVES);
        fprintf(f, ", ");
        write_numbers(f, "us_by_resolution", d->resolution_us[m], DOCUMENT_RESOLUTIONS);
        fprintf(f, "}");
    }
    fprintf(f, "]}");
}
