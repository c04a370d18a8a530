/*
 * What was measured, for people and for programs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_build.h"
#include "path_paper.h"

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void number_text(double value, char out[32])
{
    if (!isfinite(value))
        snprintf(out, 32, "-");
    else if (fabs(value) >= 100)
        snprintf(out, 32, "%.1f", value);
    else
        snprintf(out, 32, "%.3f", value);
}

static void print_row(const char *label, const double *value, int count)
{
    char text[32];

    printf("  %-30s", label);
    for (int k = 0; k < count; k++) {
        number_text(value[k], text);
        printf(" %11s", text);
    }
    printf("\n");
}

/* Of the document's number, by size: 9, 17 .. are 0, 1 .. there. */
static double published_at(const struct path_line *line, int side)
{
    int place = 0;
    while (8 << place < side - 1)
        place++;
    return line->published[place];
}

static void print_published(const struct path_study *study, const struct path_line *line)
{
    double number[PATH_SIZES], over[PATH_SIZES];

    for (int k = 0; k < study->sizes; k++) {
        number[k] = published_at(line, study->side[k]);
        over[k] = line->mean[k] / number[k];
    }
    print_row("  the document", number, study->sizes);
    print_row("  here / there", over, study->sizes);
}

static void print_figure(const struct path_study *study, const struct path_figure *figure)
{
    double samples[PATH_SIZES];

    printf("%s\n", figure->title);
    for (int k = 0; k < study->sizes; k++)
        samples[k] = study->side[k] * study->side[k];
    printf("  %-30s", "samples of a patch");
    for (int k = 0; k < study->sizes; k++)
        printf(" %11.0f", samples[k]);
    printf("\n");
    for (int k = 0; k < figure->lines; k++) {
        print_row(figure->line[k].label, figure->line[k].mean, study->sizes);
        if (figure->line[k].published)
            print_published(study, &figure->line[k]);
    }
    printf("\n");
}

void path_tables_print(const struct path_study *study)
{
    printf("Document 002 again: means of %d terrains, patches %g wide and 1 high\n\n", study->terrains,
           PATH_EXTENT);
    for (int k = 0; k < PATH_FIGURES; k++) {
        struct path_figure figure;
        path_figure_make(study, k, &figure);
        if (path_figure_has_values(study, &figure))
            print_figure(study, &figure);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *report_json(const struct terrane_relax_report *report)
{
    static const char *const name[TERRANE_HOLDS] = {"gradient", "across", "roughness", "position"};
    json_t *const out = json_object();

    for (int k = 0; k < TERRANE_HOLDS; k++)
        if (report->held[k] > 0)
            json_object_set_new(out, name[k],
                                json_pack("{s:I, s:I, s:o}", "held", (json_int_t)report->held[k],
                                          "unsatisfied", (json_int_t)report->unsatisfied[k], "mean_distance",
                                          json_of(report->distance[k])));
    return out;
}

static json_t *outcome_json(const struct path_series *series, const struct path_outcome *outcome)
{
    static const char *const how[] = {[TERRANE_RELAXED_ALL] = "all",
                                      [TERRANE_RELAXED_MOST] = "iterations",
                                      [TERRANE_RELAXED_CYCLE] = "cycle",
                                      [TERRANE_RELAXED_STOPPED] = "stopped"};
    if (!outcome->done)
        return json_null();
    json_t *const out =
        json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "ended_by", how[outcome->relaxed.how], "iterations",
                  (json_int_t)outcome->relaxed.iterations, "seconds", json_of(outcome->seconds),
                  "constraints", report_json(&outcome->relaxed), "unsatisfied_percent",
                  json_of(path_share_unsatisfied(&outcome->relaxed)), "distance", json_of(outcome->distance),
                  "optimum", json_of(outcome->optimum));
    if (series->fast)
        json_object_set_new(out, "fast",
                            json_pack("{s:o, s:o, s:o, s:o}", "seconds", json_of(outcome->fast_seconds),
                                      "constraints", report_json(&outcome->fast), "unsatisfied_percent",
                                      json_of(path_share_unsatisfied(&outcome->fast)), "distance",
                                      json_of(outcome->fast_distance)));
    return out;
}

static json_t *series_json(const struct path_study *study, int k)
{
    static const char *const beside[] = {[TERRANE_BESIDE_NOTHING] = "nothing",
                                         [TERRANE_BESIDE_ACROSS] = "across",
                                         [TERRANE_BESIDE_ROUGHNESS] = "roughness"};
    const struct path_series *const series = &path_series[k];
    json_t *const sizes = json_array();

    for (int size = 0; size < study->sizes && study->side[size] <= series->side_max; size++) {
        json_t *const terrains = json_array();
        for (int t = 0; t < study->terrains; t++)
            json_array_append_new(terrains, outcome_json(series, &study->of[k][size][t]));
        json_array_append_new(sizes,
                              json_pack("{s:i, s:I, s:o}", "side", study->side[size], "iterations_max",
                                        (json_int_t)path_iterations_max(study, k), "terrains", terrains));
    }
    return json_pack("{s:s, s:f, s:f, s:s, s:b, s:o}", "key", series->key, "slope", series->slope,
                     "threshold", series->threshold, "beside", beside[series->beside], "stitched",
                     series->stitch, "sizes", sizes);
}

static json_t *line_json(const struct path_study *study, const struct path_line *line)
{
    json_t *const values = json_array();
    json_t *const out = json_pack("{s:s, s:o, s:o}", "label", line->label, "mean",
                                  json_row(line->mean, study->sizes), "values", values);

    for (int size = 0; size < study->sizes; size++)
        json_array_append_new(values, json_row(line->value[size], study->terrains));
    if (line->published) {
        json_t *const published = json_array();
        for (int size = 0; size < study->sizes; size++)
            json_array_append_new(published, json_of(published_at(line, study->side[size])));
        json_object_set_new(out, "published", published);
    }
    return out;
}

static json_t *figures_json(const struct path_study *study)
{
    json_t *const out = json_object();

    for (int k = 0; k < PATH_FIGURES; k++) {
        struct path_figure figure;
        json_t *const lines = json_array();
        path_figure_make(study, k, &figure);
        for (int l = 0; l < figure.lines; l++)
            json_array_append_new(lines, line_json(study, &figure.line[l]));
        json_object_set_new(
            out, figure.key,
            json_pack("{s:s, s:s, s:o}", "title", figure.title, "quantity", figure.quantity, "lines", lines));
    }
    return out;
}

int path_json_write(const struct path_study *study, bool complete)
{
    static const char part[] = "paths.json.part", name[] = "paths.json";
    char from[PATH_BYTES], to[PATH_BYTES];
    json_t *const sides = json_array(), *const series = json_array();

    for (int size = 0; size < study->sizes; size++)
        json_array_append_new(sides, json_integer(study->side[size]));
    for (int k = 0; k < PATH_SERIES; k++)
        json_array_append_new(series, series_json(study, k));
    json_t *const all = json_pack("{s:b, s:b, s:o, s:i, s:f, s:f, s:b, s:o, s:o}", "complete", complete,
                                  "quick", study->quick, "sides", sides, "terrains", study->terrains,
                                  "extent", PATH_EXTENT, "unit", PATH_UNIT, "optimum", study->optimum != NULL,
                                  "series", series, "figures", figures_json(study));
    const int status = all ? json_save(all, study->directory, part) : -1;
    path_join(from, sizeof from, study->directory, "", part);
    path_join(to, sizeof to, study->directory, "", name);
    if (!all)
        path_error("out of memory");
    if (status != 0 || rename(from, to) == 0)
        return status;
    path_error("%s: %s", to, strerror(errno));
    return -1;
}
