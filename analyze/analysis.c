/*
 * The measures in turn, and their numbers as JSON and as a table.
 */
#include "analysis.h"

#include <math.h>

#include "json_build.h"
#include "say.h"

int analysis_make(const struct raster *raster, double sea_m, double level_m, struct analysis *out)
{
    static const char what[] = "measuring";

    *out = (struct analysis){.width = raster->width,
                             .height = raster->height,
                             .dx_m = raster->dx_m,
                             .dy_m = raster->dy_m,
                             .sea_m = sea_m,
                             .level_m = level_m};
    say_progress(what, 0, 5);
    if (box_count_level(raster, level_m, &out->coast) != 0)
        goto out_of_memory;
    say_progress(what, 1, 5);
    ground_measure(raster, sea_m, &out->ground);
    say_progress(what, 2, 5);
    if (drainage_measure(raster, sea_m, &out->drainage) != 0)
        goto out_of_memory;
    say_progress(what, 3, 5);
    roughness_measure(raster, &out->roughness);
    say_progress(what, 4, 5);
    if (spectrum_measure(raster, &out->spectrum) != 0)
        goto out_of_memory;
    say_done();
    return 0;
out_of_memory:
    say_error("out of memory");
    return -1;
}

static double share(size_t part, size_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static json_t *coast_json(const struct analysis *analysis)
{
    const struct box_count *const coast = &analysis->coast;
    json_t *const sides = json_array(), *const grids = json_array();

    for (int k = 0; k < coast->sizes; k++)
        json_array_append_new(sides, json_integer(coast->side[k]));
    for (int g = 0; g < BOX_GRIDS; g++)
        json_array_append_new(grids,
                              json_pack("{s:o, s:o}", "boxes", json_row(coast->boxes[g], coast->sizes),
                                        "dimension", json_of(box_count_dimension(&coast->grid_fit[g]))));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "level_m", json_of(analysis->level_m), "dimension",
                     json_of(box_count_dimension(&coast->fit)), "fit", json_fit(&coast->fit), "box_samples",
                     sides, "boxes", json_row(coast->mean, coast->sizes), "grids", grids);
}

static json_t *slope_json(const struct ground *ground)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "samples", (json_int_t)ground->interior, "median_degrees",
                     json_of(ground->slope_median), "mean_degrees", json_of(ground->slope_mean),
                     "deviation_degrees", json_of(ground->slope_deviation), "share_of_each_degree",
                     json_row(ground->slope_share, GROUND_DEGREES));
}

static json_t *hypsometry_json(const struct ground *ground)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "min_m", json_of(ground->min_m), "max_m",
                     json_of(ground->max_m), "mean_m", json_of(ground->mean_m), "integral",
                     json_of(ground->integral), "share_at_or_above_each_percent",
                     json_row(ground->curve, GROUND_CURVE_POINTS));
}

static double concavity_of(const struct drainage *drainage)
{
    return drainage->fit.points > 0 ? -drainage->fit.slope : (double)NAN;
}

static json_t *drainage_json(const struct drainage *drainage)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "length_m", json_of(drainage->length_m),
                     "ends_in_pits", json_of(drainage->end[DRAINAGE_PIT]), "ends_in_sea",
                     json_of(drainage->end[DRAINAGE_SEA]), "ends_at_border",
                     json_of(drainage->end[DRAINAGE_BORDER]), "concavity", json_of(concavity_of(drainage)),
                     "fit", json_fit(&drainage->fit), "area_samples", json_row(drainage->area, DRAINAGE_BINS),
                     "slope", json_row(drainage->slope, DRAINAGE_BINS));
}

static json_t *roughness_json(const struct roughness *roughness)
{
    json_t *const sides = json_array();
    const double hurst = roughness->fit.points > 0 ? roughness->fit.slope : (double)NAN;

    for (int k = 0; k < roughness->scales; k++)
        json_array_append_new(sides, json_integer(roughness->side[k]));
    return json_pack("{s:o, s:o, s:o, s:o}", "box_samples", sides, "rms_m",
                     json_row(roughness->rms_m, roughness->scales), "exponent", json_of(hurst), "fit",
                     json_fit(&roughness->fit));
}

static json_t *spectrum_json(const struct spectrum *spectrum)
{
    const double beta = spectrum->fit.points > 0 ? -spectrum->fit.slope : (double)NAN;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:[i, i]}", "beta", json_of(beta), "beta_of_profiles",
                     json_of(beta - 1), "fit", json_fit(&spectrum->fit), "band_cycles_per_m",
                     json_row((const double[]){spectrum->low_frequency, spectrum->high_frequency}, 2),
                     "frequency_cycles_per_m", json_row(spectrum->frequency, spectrum->bins), "power_m4",
                     json_row(spectrum->power, spectrum->bins), "samples", spectrum->width, spectrum->height);
}

json_t *analysis_json(const struct analysis *analysis)
{
    const struct ground *const ground = &analysis->ground;
    json_t *const extremes = json_pack("{s:I, s:o, s:o}", "samples", (json_int_t)ground->interior,
                                       "pit_share", json_of(share(ground->pits, ground->interior)),
                                       "peak_share", json_of(share(ground->peaks, ground->interior)));
    return json_pack("{s:[i, i], s:[f, f], s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "samples",
                     analysis->width, analysis->height, "spacing_m", analysis->dx_m, analysis->dy_m, "sea_m",
                     json_of(analysis->sea_m), "land_share", json_of(share(ground->land, ground->samples)),
                     "coast", coast_json(analysis), "slope", slope_json(ground), "hypsometry",
                     hypsometry_json(ground), "extremes", extremes, "drainage",
                     drainage_json(&analysis->drainage), "roughness", roughness_json(&analysis->roughness),
                     "spectrum", spectrum_json(&analysis->spectrum));
}

/* ---- Table -------------------------------------------------------------------------------------------- */

static void row(FILE *out, const char *name, double value, int digits, const char *unit)
{
    if (isfinite(value))
        fprintf(out, "  %-34s %12.*f %s\n", name, digits, value, unit);
    else
        fprintf(out, "  %-34s %12s\n", name, "-");
}

void analysis_print(const struct analysis *analysis, FILE *out)
{
    const struct ground *const ground = &analysis->ground;
    const struct spectrum *const spectrum = &analysis->spectrum;
    const struct roughness *const roughness = &analysis->roughness;
    const struct drainage *const drainage = &analysis->drainage;
    double least = (double)INFINITY, most = (double)-INFINITY;

    for (int g = 0; g < BOX_GRIDS; g++) {
        least = fmin(least, box_count_dimension(&analysis->coast.grid_fit[g]));
        most = fmax(most, box_count_dimension(&analysis->coast.grid_fit[g]));
    }
    fprintf(out, "%d x %d samples, %g x %g m apart\n", analysis->width, analysis->height, analysis->dx_m,
            analysis->dy_m);
    row(out, "sea level", analysis->sea_m, 1, "m");
    row(out, "land", 100 * share(ground->land, ground->samples), 1, "%");
    row(out, "height of land, least", ground->min_m, 1, "m");
    row(out, "                mean", ground->mean_m, 1, "m");
    row(out, "                most", ground->max_m, 1, "m");
    row(out, "hypsometric integral", ground->integral, 3, "");
    row(out, "slope of land, median", ground->slope_median, 2, "degrees");
    row(out, "               mean", ground->slope_mean, 2, "degrees");
    row(out, "               standard deviation", ground->slope_deviation, 2, "degrees");
    row(out, "pits", 100 * share(ground->pits, ground->interior), 3, "% of land");
    row(out, "peaks", 100 * share(ground->peaks, ground->interior), 3, "% of land");
    row(out, "drainage, mean length", drainage->length_m, 1, "m");
    row(out, "    ends in pits", 100 * drainage->end[DRAINAGE_PIT], 1, "% of land");
    row(out, "    concavity", concavity_of(drainage), 3, "");
    row(out, "    R^2", drainage->fit.points > 0 ? drainage->fit.r2 : (double)NAN, 4, "");
    if (analysis->level_m != analysis->sea_m)
        row(out, "contour measured", analysis->level_m, 1, "m");
    row(out, "box-count dimension", box_count_dimension(&analysis->coast.fit), 3, "");
    row(out, "    of one grid, least", least, 3, "");
    row(out, "                 most", most, 3, "");
    row(out, "    R^2", analysis->coast.fit.points > 0 ? analysis->coast.fit.r2 : (double)NAN, 4, "");
    row(out, "spectrum, beta", spectrum->fit.points > 0 ? -spectrum->fit.slope : (double)NAN, 2, "");
    row(out, "    from wavelength", 1 / spectrum->low_frequency, 0, "m");
    row(out, "    to wavelength", 1 / spectrum->high_frequency, 0, "m");
    row(out, "roughness, exponent", roughness->fit.points > 0 ? roughness->fit.slope : (double)NAN, 2, "");
    for (int k = 0; k < roughness->scales; k++) {
        char name[48];
        snprintf(name, sizeof name, "    rms in boxes of %d samples", roughness->side[k]);
        row(out, name, roughness->rms_m[k], 2, "m");
    }
}
