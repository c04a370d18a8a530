/*
 * terrane import: a map of one's own becomes a folder with a recipe and the map beside it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/terrane.h"
#include "../base/file_text.h"
#include "../base/text.h"
#include "../raster/raster_read.h"
#include "../recipe/recipe_json.h"
#include "import_recipe.h"
#include "tool.h"

static const char usage[] =
    "usage: terrane import heightmap FILE --across WIDTH -o DIR [options]\n\n"
    "Makes a world of a file of heights: GeoTIFF, a grey PNG of 16 or 8 bits, npy or Esri's ASCII grid, of 2 "
    "to 8192\n"
    "samples along either side. DIR gets the file and a recipe that has rivers, erosion, climate and cover "
    "on it,\n"
    "around it a sea. Edit it as you like: config/worlds/README.md.\n\n"
    "  --across WIDTH     from its western to its eastern edge: 500km, or metres\n"
    "  --heights LOW,HIGH metres of the file's least and greatest number; a picture needs it: of black and "
    "white\n"
    "  --sea M            height, in metres of the file, at which the sea stands (default: 0)\n"
    "  --name NAME        of the recipe and its file, [a-z][a-z0-9-]{0,55} (default: map)\n"
    "  -o, --output DIR   where to write; nothing there is written over\n";

struct options {
    const char *word[2], *across, *heights, *sea, *name, *output;
};

/* Whether there is nothing behind a number but a unit, or nothing. */
static bool number_of(const char *text, const char *unit, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && isfinite(*out) && (*end == '\0' || strcmp(end, unit) == 0);
}

static int refuse(const char *what, const char *text, const char *allowed)
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
static int read_heights(const struct options *options, const struct raster_samples *samples,
                        struct import_map *map)
{
    double min, max, low_m, high_m, sea_m = 0;
    char *end;
    span_of(samples, &min, &max);
    map->times = 1;
    if (options->sea && !number_of(options->sea, "m", &sea_m))
        return refuse("--sea", options->sea, "allowed are metres");
    map->offset_m = -sea_m;
    if (options->heights) {
        low_m = strtod(options->heights, &end);
        const double white = (double)samples->white, from = white > 0 ? 0 : min, to = white > 0 ? white : max;
        if (end == options->heights || *end != ',' || !number_of(end + 1, "m", &high_m) || !(high_m > low_m))
            return refuse("--heights", options->heights, "allowed are two numbers of metres, LOW,HIGH");
        if (!(to > from))
            return refuse("--heights", options->heights, "the file is level");
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

static int read_across(const struct options *options, int width, struct import_map *map)
{
    double km;
    const size_t bytes = strlen(options->across);
    if (bytes > 2 && strcmp(options->across + bytes - 2, "km") == 0 && number_of(options->across, "km", &km))
        map->across_m = 1000 * km;
    else if (!number_of(options->across, "m", &map->across_m))
        return refuse("--across", options->across, "allowed are kilometres, as 500km, or metres");
    map->step_m = map->across_m / (width - 1);
    if (map->step_m >= 0.0625 && map->step_m <= 0x1p20)
        return 0;
    return refuse("--across", options->across, "samples are to be from 1/16 m to 2^20 m apart");
}

/* ---- Files --------------------------------------------------------------------------------------------- */

/* A file that is not there yet; NULL, with a line. */
static FILE *file_new(const char *path)
{
    FILE *file = fopen(path, "wxe");
    if (!file)
        fprintf(stderr, "terrane import: %s: %s\n", path, strerror(errno));
    return file;
}

/* Closes a file that has been written; 0, or 1 with a line. */
static int file_done(FILE *file, const char *path)
{
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed)
        return 0;
    fprintf(stderr, "terrane import: %s: cannot be written\n", path);
    return 1;
}

static int file_copy(const char *from, const char *to)
{
    static char buffer[1 << 16];
    FILE *in = fopen(from, "re"), *out = in ? file_new(to) : NULL;
    int status = 1;
    if (!in)
        fprintf(stderr, "terrane import: %s: %s\n", from, strerror(errno));
    if (out) {
        for (size_t bytes; (bytes = fread(buffer, 1, sizeof buffer, in)) > 0;)
            fwrite(buffer, 1, bytes, out);
        status = file_done(out, to) | (ferror(in) != 0);
        if (status != 0)
            unlink(to);
    }
    if (in)
        fclose(in);
    return status;
}

/* Both files; the recipe is read as the server will, so that what is wrong is said now. */
static int write_all(const struct options *options, struct import_map *map, const char *ending,
                     const struct raster_samples *samples)
{
    char *folder = strdup(options->output), *json = NULL, *copy = NULL, *text = NULL,
         error[RECIPE_ERROR_BYTES];
    struct recipe *recipe = calloc(1, sizeof *recipe);
    bool copied = false, written = false;
    int status = 1;
    if (!folder || !recipe || asprintf(&json, "%s/%s.json", options->output, options->name) < 0 ||
        asprintf(&copy, "%s/%s.%s", options->output, options->name, ending) < 0) {
        fputs("terrane import: out of memory\n", stderr);
        goto out;
    }
    map->file = strrchr(copy, '/') + 1;
    text = import_recipe(map);
    if (!text || directories_make(folder) != 0) {
        fprintf(stderr, "terrane import: %s: %s\n", options->output, strerror(text ? errno : ENOMEM));
        goto out;
    }
    copied = file_copy(options->word[1], copy) == 0;
    FILE *file = copied ? file_new(json) : NULL;
    written = file != NULL;
    if (!file || (fprintf(file, "%s\n", text), file_done(file, json)) != 0)
        goto out;
    if (recipe_load(recipe, json, error, sizeof error) != 0) {
        fprintf(stderr, "terrane import: %s\n", error);
        goto out;
    }
    printf("%s: %d x %d heights, %.6g m apart, of %.6g to %.6g m over the sea\n"
           "terrane serve --worlds %s # then /tile/42/9/0/0.png?layer=relief&recipe=%s\n",
           json, samples->width, samples->height, map->step_m, map->low_m, map->high_m, options->output,
           options->name);
    status = 0;
out:
    if (status != 0 && copied)
        unlink(copy);
    if (status != 0 && written)
        unlink(json);
    if (recipe)
        recipe_drop(recipe);
    free(recipe);
    free(text);
    free(copy);
    free(json);
    free(folder);
    return status;
}

static int import(const struct options *options)
{
    char why[RASTER_WHY_BYTES];
    struct raster_samples samples;
    struct import_map map = {0};
    if (raster_read(options->word[1], &samples, why, sizeof why) != 0) {
        fprintf(stderr, "terrane import: %s: %s\n", options->word[1], why);
        return 1;
    }
    const char *ending = raster_ending(options->word[1]);
    int status = read_across(options, samples.width, &map);
    if (status == 0)
        status = read_heights(options, &samples, &map);
    if (status == 0)
        status = write_all(options, &map, ending ? ending : "tif", &samples);
    free(samples.sample);
    return status;
}

int import_command(int argc, char **argv)
{
    struct options options = {.name = "map"};
    bool help = false;
    const struct option_spec specs[] = {{"across", 0, &options.across, NULL},
                                        {"heights", 0, &options.heights, NULL},
                                        {"sea", 0, &options.sea, NULL},
                                        {"name", 0, &options.name, NULL},
                                        {"output", 'o', &options.output, NULL},
                                        {"help", 'h', NULL, &help},
                                        {0}};
    int words;
    if (options_read("import", argc, argv, specs, options.word, 2, &words) != 0)
        return 2;
    if (help) {
        fputs(usage, stdout);
        return 0;
    }
    if (words != 2 || strcmp(options.word[0], "heightmap") != 0 || !options.across || !options.output) {
        fputs("terrane import: needs heightmap FILE --across WIDTH -o DIR (see terrane import --help)\n",
              stderr);
        return 2;
    }
    if (!text_recipe(options.name) || strlen(options.name) > 56)
        return refuse("--name", options.name, "allowed [a-z][a-z0-9-]{0,55}");
    return import(&options);
}
