/*
 * The parts in turn, and figure 1.
 */
#include "paper.h"

#include <stdio.h>

#include "json_build.h"
#include "plot.h"
#include "say.h"

enum { OCTAVES = 8, SIDE = 256 };

json_t *paper_octaves(const struct paper *paper)
{
    static struct terrane_recipe recipe;
    const struct terrane_window window = {.step = 1, .width = SIDE, .height = SIDE};
    struct raster raster[OCTAVES] = {{0}};
    char title[OCTAVES][16], path[PATH_BYTES];
    const char *titles[OCTAVES];
    json_t *spans = json_array();
    int status = 0;

    for (int k = 0; status == 0 && k < OCTAVES; k++) {
        struct terrane_world world;
        float low, high;
        snprintf(title[k], sizeof title[k], "%d octave%s", k + 1, k ? "s" : "");
        titles[k] = title[k];
        if (source_fractal(TERRANE_POLYNOMIAL, k + 1, 0.5f, SIDE, &recipe) != 0) {
            say_error("figure 1: the recipe is refused");
            status = 1;
            break;
        }
        terrane_world_init(&world, &recipe, 1);
        status = source_heights(paper->source, &world, &window, true, &raster[k]);
        if (status != 0)
            break;
        terrane_height_range(raster[k].sample, raster_count(&raster[k]), &low, &high);
        json_array_append_new(spans, json_pack("[f, f]", (double)low, (double)high));
    }
    path_join(path, sizeof path, paper->directory, "", "figure-1-octaves.png");
    if (status == 0)
        status = plot_strip(raster, titles, OCTAVES, path);
    for (int k = 0; k < OCTAVES; k++)
        raster_free(&raster[k]);
    if (status != 0) {
        json_decref(spans);
        return NULL;
    }
    printf("Figure 1: zero-gradient D2M1N3, 1 to 8 octaves, gain 0.5: figure-1-octaves.png\n\n");
    return json_pack("{s:i, s:f, s:o}", "samples", SIDE, "gain", 0.5, "range_of_each", spans);
}

int paper_run(const struct paper *paper)
{
    static const struct {
        const char *name;
        json_t *(*run)(const struct paper *paper);
    } part[] = {{"figure_1", paper_octaves},
                {"figure_6", paper_frequencies},
                {"figures_14_15", paper_dimensions},
                {"coasts", paper_coasts},
                {"ground", paper_ground}};
    json_t *const all = json_object();

    json_object_set_new(all, "quick", json_boolean(paper->quick));
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        json_t *const result = part[k].run(paper);
        say_done();
        if (!result) {
            json_decref(all);
            return 1;
        }
        json_object_set_new(all, part[k].name, result);
    }
    return json_save(all, paper->directory, "paper.json") == 0 ? 0 : 1;
}
