/*
 * A map that is being imported: its numbers, from the command line and the file, and what is written of it.
 */
#include "import_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "../recipe/recipe_json.h"

/* Whether there is nothing behind a number but a unit, or nothing. */
static bool number_of(const char *text, const char *unit, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && isfinite(*out) && (*end == '\0' || strcmp(end, unit) == 0);
}

int import_refuse(const char *what, const char *text, const char *allowed)
{
    char shown[TEXT_SHOWN_BYTES];
    text_show(shown, sizeof shown, text);
    fprintf(stderr, "terrane import: %s: %s: %s\n", what, shown, allowed);
    return 2;
}

/* ---- The numbers --------------------------------------------------------------------------------------- */

static void span_of(const struct raster_samples *samples, double *low, double *high)
{
    const size_t count = (size_t)samples->width * (size_t)samples->height;
    float min = samples->sample[0], max = samples->sample[0];
    for (size_t i = 0; i < count; i++) {
        min = samples->sample[i] < min ? samples->sample[i] : min;
        max = samples->sample[i] > max ? samples->sample[i] : max;
    }
    *low = (double)min;
    *high = (double)max;
}

/* From the file's numbers to metres. 0, or 2 with a line. */
int import_heights(const struct import_options *options, const struct raster_samples *samples,
                   struct import_map *map)
{
    double min, max, low_m, high_m, sea_m = 0;
    char *end;
    span_of(samples, &min, &max);
    map->times = 1;
    if (options->sea && !number_of(options->sea, "m", &sea_m))
        return import_refuse("--sea", options->sea, "allowed are metres");
    map->offset_m = -sea_m;
    if (options->heights) {
        low_m = strtod(options->heights, &end);
        const double white = (double)samples->white, from = white > 0 ? 0 : min, to = white > 0 ? white : max;
        if (end == options->heights || *end != ',' || !number_of(end + 1, "m", &high_m) || !(high_m > low_m))
            return import_refuse("--heights", options->heights,
                                 "allowed are two numbers of metres, LOW,HIGH");
        if (!(to > from))
            return import_refuse("--heights", options->heights, "the file is level");
        map->times = (high_m - low_m) / (to - from);
        map->offset_m += low_m - from * map->times;
    } else if (samples->white > 0) {
        fputs("terrane import: a picture's numbers are no metres: say --heights LOW,HIGH, those of black and "
              "white\n",
              stderr);
        return 2;
    }
    map->low_m = min * map->times + map->offset_m;
    map->high_m = max * map->times + map->offset_m;
    if (map->low_m >= -12000 && map->high_m <= 30000)
        return 0;
    fprintf(stderr, "terrane import: heights from %.9g to %.9g m over the sea: allowed are -12000 to 30000\n",
            map->low_m, map->high_m);
    return 2;
}

int import_across(const struct import_options *options, double *across_m)
{
    double km;
    const size_t bytes = strlen(options->across);
    bool good = true;
    if (bytes > 2 && strcmp(options->across + bytes - 2, "km") == 0 && number_of(options->across, "km", &km))
        *across_m = 1000 * km;
    else
        good = number_of(options->across, "m", across_m);
    if (!good || !(*across_m > 0))
        return import_refuse("--across", options->across, "allowed are kilometres, as 500km, or metres");
    return 0;
}

/* From sample to sample. */
int import_spacing(const struct import_options *options, int width, struct import_map *map)
{
    map->step_m = map->across_m / (width - 1);
    if (map->step_m >= 0.0625 && map->step_m <= 0x1p20)
        return 0;
    return import_refuse("--across", options->across ? options->across : "the file's own",
                         "samples are to be from 1/16 m to 2^20 m apart");
}

/* ---- Files --------------------------------------------------------------------------------------------- */

/* The recipe, and what goes with it: files, the raster's first, the recipe's last. It is read as the server will, so that what is wrong is said now. */
int import_write(const struct import_options *options, struct import_map *map, struct import_file *files,
                 size_t count)
{
    char *json = NULL, *raster = NULL, *text = NULL, error[RECIPE_ERROR_BYTES];
    struct recipe *recipe = calloc(1, sizeof *recipe);
    int status = 1;
    if (!recipe || asprintf(&json, "%s/%s.json", options->output, options->name) < 0 ||
        asprintf(&raster, "%s.%s", options->name, files[0].ending) < 0 ||
        (map->file = raster, text = import_recipe(map)) == NULL) {
        fputs("terrane import: out of memory\n", stderr);
        goto out;
    }
    files[count - 1] = (struct import_file){.ending = "json", .data = text, .bytes = strlen(text)};
    status = import_files_write(options->output, options->name, files, count);
    if (status == 0 && (status = recipe_load(recipe, json, error, sizeof error) != 0) != 0) {
        fprintf(stderr, "terrane import: %s\n", error);
        import_files_remove(options->output, options->name, files, count);
    }
out:
    if (recipe)
        recipe_drop(recipe);
    free(recipe);
    free(text);
    free(raster);
    free(json);
    return status;
}

void import_tell(const struct import_options *options, const struct import_map *map, int width, int height)
{
    printf("%s/%s.json: %d x %d heights, %.6g m apart, of %.6g to %.6g m over the sea\n"
           "terrane serve --worlds %s # then /tile/42/9/0/0.png?layer=relief&recipe=%s\n",
           options->output, options->name, width, height, map->step_m, map->low_m, map->high_m,
           options->output, options->name);
}
