/*
 * terrane import: a map of one's own becomes a folder with a recipe and the map beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "../encode/encode.h"
#include "../raster/raster_read.h"
#include "import_azgaar.h"
#include "import_map.h"
#include "import_steps.h"
#include "tool.h"

static const char usage[] =
    "usage: terrane import heightmap FILE --across WIDTH -o DIR [options]\n"
    "       terrane import azgaar FILE.json -o DIR [options]\n\n"
    "Makes a world of a file of heights: GeoTIFF, npy, Esri's ASCII grid, or any picture as PNG, JPEG, WebP "
    "or "
    "BMP, of 2\n"
    "to 8192 samples along either side; or of a full JSON export of Azgaar's Fantasy Map Generator. DIR gets "
    "the "
    "heights\n"
    "and a recipe that has rivers, erosion, climate and cover on them, around them a sea; of an export its "
    "burgs, "
    "states and\n"
    "rivers, too, as GeoJSON. Edit the recipe as you like: config/worlds/README.md.\n\n"
    "  --across WIDTH     from its western to its eastern edge: 500km, or metres (azgaar's default:\n"
    "                     its own scale)\n"
    "  --heights LOW,HIGH metres of the file's least and greatest number; a picture needs it: of black and "
    "white\n"
    "  --sea M            height, in metres of the file, at which the sea stands (default: 0)\n"
    "  --smooth           slopes in the place of the terraces of a file of 8 bits, within half a step of its "
    "numbers\n"
    "  --name NAME        of the recipe and its file, [a-z][a-z0-9-]{0,55} (default: map)\n"
    "  -o, --output DIR   where to write; nothing there is written over\n";

/* ---- A file of heights --------------------------------------------------------------------------------- */

/* What to know of heights that are coarser than metres, or a guess. */
static void warn(const struct import_options *options, const struct raster_samples *samples,
                 const struct import_map *map, double step)
{
    if (samples->coloured)
        fprintf(stderr, "terrane import: %s: is in colours: how light they are is taken for heights\n",
                options->word[1]);
    if (step * map->times > 1 && !options->smooth)
        fprintf(stderr,
                "terrane import: %s: heights come in steps of %.3g m, which make terraces: take a file of 16 "
                "bits, or --smooth\n",
                options->word[1], step * map->times);
}

/* The file as it is, or its samples, as npy, where no recipe may name it or it is not left as it is. */
static int write_heightmap(const struct import_options *options, struct raster_samples *samples,
                           struct import_map *map, double step)
{
    const char *const ending = raster_ending(options->word[1]);
    struct import_file files[] = {{.ending = ending, .from = options->word[1]}, {0}};
    const bool smooth = options->smooth && step > 0;
    unsigned char *npy = NULL;
    int failed = smooth && import_smooth(samples, step) != 0;
    if (!failed && (smooth || samples->foreign || !ending)) {
        failed = encode_npy(samples->sample, samples->width, samples->height, 1, &npy, &files[0].bytes) != 0;
        files[0] = (struct import_file){.ending = "npy", .data = npy, .bytes = files[0].bytes};
    }
    if (failed)
        fputs("terrane import: out of memory\n", stderr);
    const int status = failed ? 1 : import_write(options, map, files, sizeof files / sizeof *files);
    free(npy);
    return status;
}

static int import_heightmap(const struct import_options *options)
{
    char why[RASTER_WHY_BYTES];
    struct raster_samples samples;
    struct import_map map = {.description = "A map of my own."};
    if (raster_read_any(options->word[1], &samples, why, sizeof why) != 0) {
        fprintf(stderr, "terrane import: %s: %s\n", options->word[1], why);
        return 1;
    }
    const double step = import_step(&samples);
    int status = import_across(options, &map.across_m);
    if (status == 0)
        status = import_spacing(options, samples.width, &map);
    if (status == 0)
        status = import_heights(options, &samples, &map);
    if (status == 0)
        status = write_heightmap(options, &samples, &map, step);
    if (status == 0) {
        import_tell(options, &map, samples.width, samples.height);
        warn(options, &samples, &map, step);
    }
    free(samples.sample);
    return status;
}

/* ---- An export of Azgaar's generator --------------------------------------------------------------------- */

/* Its raster and names, beside the recipe. */
static int write_azgaar(const struct import_options *options, const struct azgaar *azgaar,
                        struct import_map *map)
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
    status = import_spacing(options, samples.width, map);
    if (status == 0)
        status = import_heights(options, &samples, map);
    if (status == 0)
        status = import_write(options, map, files, sizeof files / sizeof *files);
    if (status == 0) {
        import_tell(options, map, samples.width, samples.height);
        printf("%s/%s.geojson: %zu names of burgs, states and rivers\n", options->output, options->name,
               count);
    }
out:
    free(npy);
    free(names);
    free(samples.sample);
    return status;
}

static int import_azgaar(const struct import_options *options)
{
    char why[AZGAAR_WHY_BYTES];
    struct azgaar azgaar;
    struct import_map map = {.description = "A map of Azgaar's generator."};
    if (options->across && import_across(options, &map.across_m) != 0)
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
    struct import_options options = {.name = "map"};
    const struct option_spec specs[] = {{"across", 0, &options.across, NULL},
                                        {"heights", 0, &options.heights, NULL},
                                        {"sea", 0, &options.sea, NULL},
                                        {"name", 0, &options.name, NULL},
                                        {"output", 'o', &options.output, NULL},
                                        {"smooth", 0, NULL, &options.smooth},
                                        {0}};
    int words;
    const int ended = options_read("import", usage, argc, argv, specs, options.word, 2, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    const bool azgaar = words == 2 && strcmp(options.word[0], "azgaar") == 0,
               heightmap = words == 2 && strcmp(options.word[0], "heightmap") == 0 && options.across;
    if ((!azgaar && !heightmap) || !options.output) {
        fputs("terrane import: needs heightmap FILE --across WIDTH -o DIR, or azgaar FILE -o DIR (see "
              "terrane import --help)\n",
              stderr);
        return 2;
    }
    if (!text_recipe(options.name) || strlen(options.name) > 56)
        return import_refuse("--name", options.name, "allowed [a-z][a-z0-9-]{0,55}");
    return azgaar ? import_azgaar(&options) : import_heightmap(&options);
}
