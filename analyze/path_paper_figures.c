/*
 * Table 1 and the figures, as lines of values by size and terrain.
 *
 * Iterations are those of patches of which every limit was kept, as in the document. The fast way has no iterations:
 * among them it stands as its time in sweeps, one iteration of the relaxation at slope 0.0035 of the same patch.
 */
#include <math.h>

#include "path_paper.h"

typedef double measure_of(const struct path_outcome *outcome);

static double iterations(const struct path_outcome *outcome)
{
    return outcome->relaxed.how == TERRANE_RELAXED_ALL ? (double)outcome->relaxed.iterations : (double)NAN;
}

static double sweeps(const struct path_outcome *outcome)
{
    const double sweep = outcome->seconds / (double)outcome->relaxed.iterations;
    return outcome->relaxed.iterations > 0 ? outcome->fast_seconds / sweep : (double)NAN;
}

/* Of what costs something: where nothing is to be moved there is no ratio. */
static double ratio(const struct path_outcome *outcome)
{
    return outcome->optimum > 0 ? outcome->distance / outcome->optimum : (double)NAN;
}

static double fast_ratio(const struct path_outcome *outcome)
{
    return outcome->optimum > 0 ? outcome->fast_distance / outcome->optimum : (double)NAN;
}

double path_share_unsatisfied(const struct terrane_relax_report *report)
{
    double held = 0, unsatisfied = 0;
    for (int k = 0; k < TERRANE_HOLDS; k++) {
        held += (double)report->held[k];
        unsatisfied += (double)report->unsatisfied[k];
    }
    return held > 0 ? 100 * unsatisfied / held : 0;
}

static double unsatisfied(const struct path_outcome *outcome)
{
    return path_share_unsatisfied(&outcome->relaxed);
}

static double fast_unsatisfied(const struct path_outcome *outcome)
{
    return path_share_unsatisfied(&outcome->fast);
}

static double solved(const struct path_outcome *outcome)
{
    return outcome->relaxed.how == TERRANE_RELAXED_ALL ? 100 : 0;
}

static double times_faster(const struct path_outcome *outcome)
{
    return outcome->fast_seconds > 0 ? outcome->seconds / outcome->fast_seconds : (double)NAN;
}

static double against_relaxation(const struct path_outcome *outcome)
{
    return outcome->distance > 0 ? outcome->fast_distance / outcome->distance : (double)NAN;
}

/* ---- Which line is which ------------------------------------------------------------------------------- */

struct member {
    int series;
    const char *label; /* NULL ends a set */
};

static const struct member slopes[] = {
    {PATH_FLAT, "slope 0.0005"}, {PATH_USUAL, "slope 0.0035"}, {PATH_STEEP, "slope 0.0095"}, {0}};
static const struct member thresholds[] = {{PATH_LOOSEST, "threshold 1e-3"},
                                           {PATH_LOOSER, "threshold 1e-4"},
                                           {PATH_USUAL, "threshold 1e-5"},
                                           {PATH_TIGHTER, "threshold 1e-6"},
                                           {0}};
static const struct member configurations[] = {{PATH_USUAL, "across"},
                                               {PATH_ROUGH, "roughness"},
                                               {PATH_STITCHED, "across, stitched"},
                                               {PATH_ROUGH_STITCHED, "roughness, stitched"},
                                               {0}};

/* One line for each member of the set, and of PATH_USUAL one for the fast way. */
static const struct figure_of {
    const char *key, *title, *quantity, *file;
    bool logarithmic;
    const struct member *set;
    measure_of *measure;
    measure_of *fast; /* NULL: no such line */
    const char *fast_label;
} figures[PATH_FIGURES] = {
    {"table_1", "Table 1: iterations until every limit is kept", "iterations", NULL, true, slopes, iterations,
     NULL, NULL},
    {"figure_4", "Figure 4: iterations by slope", "iterations", "figure-4-iterations.png", true, slopes,
     iterations, sweeps, "fast way, its time in sweeps"},
    {"figure_6", "Figure 6: iterations by configuration, of patches that are solved", "iterations",
     "figure-6-iterations.png", true, configurations, iterations, sweeps, "fast way, its time in sweeps"},
    {"figure_6_solved", "Figure 6: patches that are solved, in percent", "percent", NULL, false,
     configurations, solved, NULL, NULL},
    {"figure_8", "Figure 8: EMD(L, H) / EMD(L, H0) by slope", "ratio", "figure-8-ratio.png", false, slopes,
     ratio, fast_ratio, "fast way, slope 0.0035"},
    {"figure_9", "Figure 9: EMD(L, H) / EMD(L, H0) by threshold", "ratio", "figure-9-ratio.png", false,
     thresholds, ratio, fast_ratio, "fast way, no threshold"},
    {"figure_10", "Figure 10: iterations by threshold", "iterations", "figure-10-iterations.png", true,
     thresholds, iterations, sweeps, "fast way, its time in sweeps"},
    {"figure_11", "Figure 11: constraints that are not satisfied, in percent", "percent",
     "figure-11-unsatisfied.png", false, configurations, unsatisfied, fast_unsatisfied, "fast way"},
    {"fast_times", "The fast way: times faster than the relaxation", "times", NULL, true, slopes,
     times_faster, NULL, NULL},
    {"fast_distance", "The fast way: its EMD(L, H) over the relaxation's", "ratio", NULL, false, slopes,
     against_relaxation, NULL, NULL},
};

/* Table 1 of the document, from 9 x 9 to 257 x 257. */
static const double published[3][PATH_SIZES] = {{82.8, 385.7, 2368.7, 8828.1, 51781.6, 219010.8},
                                                {58.2, 219.1, 1102.5, 5276.0, 26898.2, 116102.7},
                                                {11.3, 18.3, 39.4, 155.6, 998.3, 3744.4}};

/* The optimum knows no threshold: where only that differs from PATH_USUAL, the optimum is its. */
static double value_of(const struct path_study *study, int series, measure_of *measure, int size, int terrain)
{
    struct path_outcome outcome = study->of[series][size][terrain];
    const struct path_outcome *const usual = &study->of[PATH_USUAL][size][terrain];

    if (!outcome.done)
        return (double)NAN;
    if (!path_series[series].fast && path_series[series].distance)
        outcome.optimum = usual->done ? usual->optimum : (double)NAN;
    return measure(&outcome);
}

static void fill_line(const struct path_study *study, int series, measure_of *measure, const char *label,
                      struct path_line *line)
{
    line->label = label;
    for (int size = 0; size < study->sizes; size++) {
        double sum = 0;
        int count = 0;
        for (int t = 0; t < PATH_TERRAINS; t++) {
            const double value =
                t < study->terrains ? value_of(study, series, measure, size, t) : (double)NAN;
            line->value[size][t] = value;
            sum += isfinite(value) ? value : 0;
            count += isfinite(value);
        }
        line->mean[size] = count ? sum / count : (double)NAN;
    }
}

void path_figure_make(const struct path_study *study, int k, struct path_figure *figure)
{
    const struct figure_of *const of = &figures[k];

    *figure = (struct path_figure){.key = of->key,
                                   .title = of->title,
                                   .quantity = of->quantity,
                                   .file = of->file,
                                   .logarithmic = of->logarithmic};
    for (; of->set[figure->lines].label; figure->lines++) {
        const struct member *const member = &of->set[figure->lines];
        struct path_line *const line = &figure->line[figure->lines];
        fill_line(study, member->series, of->measure, member->label, line);
        line->published = k == 0 ? published[figure->lines] : NULL;
    }
    if (of->fast)
        fill_line(study, PATH_USUAL, of->fast, of->fast_label, &figure->line[figure->lines++]);
}

bool path_figure_has_values(const struct path_study *study, const struct path_figure *figure)
{
    for (int k = 0; k < figure->lines; k++)
        for (int size = 0; size < study->sizes; size++)
            if (isfinite(figure->line[k].mean[size]))
                return true;
    return false;
}
