/*
 * terrane import: a map of one's own becomes a folder with a recipe and the map beside it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane.h"
#include "../base/text.h"
#include "../encode/encode.h"
#include "../raster/raster_read.h"
#include "../recipe/recipe_json.h"
#include "import_azgaar.h"
#include "import_files.h"
#include "import_recipe.h"
#include "tool.h"

static const char usage[] =
    "usage: terrane import heightmap FILE --across WIDTH -o DIR [options]\n"
    "       terrane import azgaar FILE.json -o DIR [options]\n\n"
    "Makes a world of a file of heights: GeoTIFF, a grey PNG of 16 or 8 bits, npy or Esri's ASCII grid, of 2 "
    "to 8192\n"
    "samples along either side; or of a full JSON export of Azgaar's Fantasy Map Generator. DIR gets the "
    "heights "
    "and a\n"
    "recipe that has rivers, erosion, climate and cover on them, around them a sea; of an export its burgs, "
    "states and\n"
    "rivers, too, as GeoJSON. Edit the recipe as you like: config/worlds/README.md.\n\n"
    "  --across WIDTH     from its western to its eastern edge: 500km, or metres (azgaar's default:\n"
    "                     its own scale)\n"
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

static int read_across(const struct options *options, double *across_m)
{
    double km;
    const size_t bytes = strlen(options->across);
    if (bytes > 2 && strcmp(options->across + bytes - 2, "km") == 0 && number_of(options->across, "km", &km))
        *across_m = 1000 * km;
    else if (!number_of(options->across, "m", across_m) || !(*across_m > 0))
        return refuse("--across", options->across, "allowed are kilometres, as 500km, or metres");
    return 0;
}

/* From sample to sample. */
static int put_step(const struct options *options, int width, struct import_map *map)
{
    map->step_m = map->across_m / (width - 1);
    if (map->step_m >= 0.0625 && map->step_m <= 0x1p20)
        return 0;
    return refuse("--across", options->across ? options->across : "the file's own",
                  "samples are to be from 1/16 m to 2^20 m apart");
}

/* ---- Files --------------------------------------------------------------------------------------------- */

/* The recipe, and what goes with it: files, the raster's first, the recipe's last. It is read as the server will, so that what is wrong is said now. */
static int write_all(const struct options *options, struct import_map *map, struct import_file *files,
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

static void tell(const struct options *options, const struct import_map *map, int width, int height)
{
    printf("%s/%s.json: %d x %d heights, %.6g m apart, of %.6g to %.6g m over the sea\n"
           "terrane serve --worlds %s # then /tile/42/9/0/0.png?layer=relief&recipe=%s\n",
           options->output, options->name, width, height, map->step_m, map->low_m, map->high_m,
           options->output, options->name);
}

/* ---- A file of heights --------------------------------------------------------------------------------- */

static int import_heightmap(const struct options *options)
{
    char why[RASTER_WHY_BYTES];
    struct raster_samples samples;
    struct import_map map = {.description = "A map of my own."};
    if (raster_read(options->word[1], &samples, why, sizeof why) != 0) {
        fprintf(stderr, "terrane import: %s: %s\n", options->word[1], why);
        return 1;
    }
    const char *ending = raster_ending(options->word[1]);
    struct import_file files[] = {{.ending = ending ? ending : "tif", .from = options->word[1]}, {0}};
    int status = read_across(options, &map.across_m);
    if (status == 0)
        status = put_step(options, samples.width, &map);
    if (status == 0)
        status = read_heights(options, &samples, &map);
    if (status == 0)
        status = write_all(options, &map, files, sizeof files / sizeof *files);
    if (status == 0)
        tell(options, &map, samples.width, samples.height);
    free(samples.sample);
    return status;
}

/* ---- An export of Azgaar's generator --------------------------------------------------------------------- */

/* Its raster and names, beside the recipe. */
static int write_azgaar(const struct options *options, const struct azgaar *azgaar, struct import_map *map)
{
    struct import_file files[] = {{.ending = "npy"}, {.ending = "geojson"}, {0}};
    struct import_file *const raster = files, *const places = files + 1;
    struct raster_samples samples = {0};
    unsigned char *npy = NULL;
    char *names = NULL;
    double step_px;
    size_t count;
    int status = 1;
    samples.sample = azgaar_ground(azgaar, &samples.width, &samples.height, &step_px);
    if (samples.sample)
        names = azgaar_places(azgaar, (samples.width - 1) * step_px / 2, (samples.height - 1) * step_px / 2,
                              &places->bytes, &count);
    if (!names || encode_npy(samples.sample, samples.width, samples.height, 1, &npy, &raster->bytes) != 0) {
        fputs("terrane import: out of memory\n", stderr);
        goto out;
    }
    places->data = names;
    raster->data = npy;
    map->across_m = azgaar->metres_px * azgaar->width;
    status = put_step(options, samples.width, map);
    if (status == 0)
        status = read_heights(options, &samples, map);
    if (status == 0)
        status = write_all(options, map, files, sizeof files / sizeof *files);
    if (status == 0) {
        tell(options, map, samples.width, samples.height);
        printf("%s/%s.geojson: %zu names of burgs, states and rivers\n", options->output, options->name,
               count);
    }
out:
    free(npy);
    free(names);
    free(samples.sample);
    return status;
}

static int import_azgaar(const struct options *options)
{
    char why[AZGAAR_WHY_BYTES];
    struct azgaar azgaar;
    struct import_map map = {.description = "A map of Azgaar's generator."};
    if (options->across && read_across(options, &map.across_m) != 0)
        return 2;
    if (azgaar_read(options->word[1], map.across_m, &azgaar, why, sizeof why) != 0) {
        fprintf(stderr, "terrane import: %s: %s\n", options->word[1], why);
        return 1;
    }
    const int status = write_azgaar(options, &azgaar, &map);
    azgaar_drop(&azgaar);
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
    const bool azgaar = words == 2 && strcmp(options.word[0], "azgaar") == 0,
               heightmap = words == 2 && strcmp(options.word[0], "heightmap") == 0 && options.across;
    if ((!azgaar && !heightmap) || !options.output) {
        fputs("terrane import: needs heightmap FILE --across WIDTH -o DIR, or azgaar FILE -o DIR (see "
              "terrane import --help)\n",
              stderr);
        return 2;
    }
    if (!text_recipe(options.name) || strlen(options.name) > 56)
        return refuse("--name", options.name, "allowed [a-z][a-z0-9-]{0,55}");
    return azgaar ? import_azgaar(&options) : import_heightmap(&options);
}
