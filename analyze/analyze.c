/*
 * terrane-analyze: measures worlds and real ground alike. `terrane analyze` runs it; it is a program of its
 * own so that the server loads nothing that draws or transforms.
 *
 *     world window ──────┐
 *     .f32 .npy .npz ────┴─> raster ─> boxes, slopes, roughness, spectrum ─> table, JSON, PNG
 *     --paper: noises, coasts, ground ─> the same measures ─> tables, JSON, PNG
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../server/tool/options.h"
#include "../server/tool/tool.h"
#include "analysis.h"
#include "directory.h"
#include "json_build.h"
#include "paper.h"
#include "path_paper.h"
#include "raster_read.h"
#include "say.h"
#include "source.h"

enum { SIDE_MIN = 64, SIDE_MAX = 4096, SIDE_USUAL = 1024 };

static const char usage[] =
    "usage: terrane analyze --world SEED [--recipe NAME|FILE] [--variant V] [--lod L] [--at X,Y] [--size N]\n"
    "                       [options]\n"
    "       terrane analyze FILE [--width W] [--member NAME] [--spacing M[,M]] [options]\n"
    "       terrane analyze --paper [--quick] [--out DIR]\n\n"
    "measures a window of a world, or a raster of real ground: box-count dimension of the coast, slopes,\n"
    "hypsometry, pits and peaks, drainage, roughness and power spectrum. Prints a table; writes\n"
    "analysis.json and pictures.\n\n"
    "  --world SEED       a number, 0x hex or a name\n"
    "  --recipe R         a recipe's name, or a file (default: the recipe that ships)\n"
    "  --variant V        base or eroded: all measures are of that surface (default: eroded where the "
    "recipe\n"
    "                     erodes)\n"
    "  --lod L            level of detail, 0 (finest, default) .. 24\n"
    "  --at X,Y           the window's middle in metres, east and south of the origin (default: 0,0)\n"
    "  --size N           samples a side, 64 .. 4096 (default: 1024)\n\n"
    "  FILE               NAME.npy, NAME.npz, or little-endian floats, north to south, west to east\n"
    "  --width W          samples a row of a file of floats\n"
    "  --member NAME      of an .npz (default: its first array of two dimensions)\n"
    "  --spacing M[,M]    metres between samples of a row, and between rows (default: 1)\n\n"
    "  --sea M            sea level in metres (default: the recipe's; for files 0)\n"
    "  --contour M        count the boxes of this contour, in metres or \"median\" (default: the sea level)\n"
    "  --out DIR          where files go; made when missing (default: terrane-analysis)\n\n"
    "  --paper            document 000 measured again: its figures 1, 6, 14 and 15, coasts of GSHHG "
    "(Debian's\n"
    "                     gmt-gshhg-high) and ground of SRTM (python-matplotlib-data); a few minutes\n"
    "  --quick            ... with few seeds, in seconds\n";

struct request {
    const char *world, *recipe, *variant, *lod, *at, *size, *width, *member, *spacing, *sea, *contour, *out;
    bool paper, quick, help;
    const char *file;
};

static int refuse(const char *option, const char *value, const char *allowed)
{
    say_error("--%s=%s: %s (see terrane analyze --help)", option, value, allowed);
    return 2;
}

/* ---- Numbers ------------------------------------------------------------------------------------------ */

static bool read_number(const char *text, double *out)
{
    char *end;
    if (!*text || !strchr("+-.0123456789", *text))
        return false;
    *out = strtod(text, &end);
    return !*end && isfinite(*out);
}

static bool read_whole(const char *text, int low, int high, int *out)
{
    double number;
    if (!*text || strspn(text, "0123456789") != strlen(text) || !read_number(text, &number) || number < low ||
        number > high)
        return false;
    *out = (int)number;
    return true;
}

/* "A,B", or "A" for both where that is allowed. */
static bool read_pair(const char *text, bool one_is_enough, double out[2])
{
    char copy[128];
    const size_t n = strlen(text);

    if (n >= sizeof copy)
        return false;
    memcpy(copy, text, n + 1);
    char *const comma = strchr(copy, ',');
    if (comma)
        *comma = 0;
    else if (!one_is_enough)
        return false;
    return read_number(copy, &out[0]) && read_number(comma ? comma + 1 : copy, &out[1]);
}

/* ---- What is measured --------------------------------------------------------------------------------- */

/* The world's digest in hexadecimal, which stands for generator, recipe and seed, and the window's corner. */
static json_t *world_json(const struct terrane_world *world, const struct terrane_window *window, bool eroded)
{
    char digest[2 * sizeof world->digest.byte + 1], seed[24];

    for (size_t k = 0; k < sizeof world->digest.byte; k++)
        snprintf(digest + 2 * k, 3, "%02x", world->digest.byte[k]);
    snprintf(seed, sizeof seed, "%" PRIu64, world->seed);
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:I}", "world", digest, "seed", seed, "variant",
                     eroded ? "eroded" : "base", "lod", window->level, "gi", (json_int_t)window->gi, "gj",
                     (json_int_t)window->gj);
}

static int read_world(const struct request *request, struct raster *raster, double *sea_m, json_t **origin)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_window window = {.step = 1, .width = SIDE_USUAL, .height = SIDE_USUAL};
    struct source source;
    double at[2] = {0, 0};
    uint64_t seed;

    if (!source_seed(request->world, &seed))
        return refuse("world", request->world,
                      "a seed is 0 .. 2^64 - 1, 0x and hexadecimal digits, or a name");
    if (request->lod && !read_whole(request->lod, 0, TERRANE_LEVEL_MAX, &window.level))
        return refuse("lod", request->lod, "levels are 0 .. 24");
    if (request->size && !read_whole(request->size, SIDE_MIN, SIDE_MAX, &window.width))
        return refuse("size", request->size, "sides are 64 .. 4096");
    window.height = window.width;
    const bool base = request->variant && strcmp(request->variant, "base") == 0;
    if (request->variant && !base && strcmp(request->variant, "eroded") != 0)
        return refuse("variant", request->variant, "variants are base and eroded");
    if (request->at && !read_pair(request->at, false, at))
        return refuse("at", request->at, "a place is X,Y in metres");
    int status = source_recipe(request->recipe, &recipe);
    if (status != 0)
        return status;
    terrane_world_init(&world, &recipe, seed);
    const double spacing_m = terrane_lattice_m(&world, window.level, 1);
    if (!(fabs(at[0] / spacing_m) < 0x1p49 && fabs(at[1] / spacing_m) < 0x1p49))
        return refuse("at", request->at, "this lies outside the world");
    window.gi = (int64_t)floor(at[0] / spacing_m) - window.width / 2;
    window.gj = (int64_t)floor(at[1] / spacing_m) - window.height / 2;
    *sea_m = (double)recipe.sea_m;
    const bool eroded = recipe.erosion.levels > 0 && !base;
    *origin = world_json(&world, &window, eroded);
    if (source_open(&source) != 0)
        return 1;
    status = eroded ? source_eroded_heights(&source, &world, &window, false, raster)
                    : source_heights(&source, &world, &window, false, raster);
    source_close(&source);
    return status;
}

static int read_file(const struct request *request, struct raster *raster, json_t **origin)
{
    double spacing[2] = {1, 1};
    int width = 0;

    if (request->width && !read_whole(request->width, RASTER_SIDE_MIN, RASTER_SIDE_MAX, &width))
        return refuse("width", request->width, "widths are 16 .. 32768");
    if (request->spacing &&
        (!read_pair(request->spacing, true, spacing) || !(fmin(spacing[0], spacing[1]) >= 1e-6) ||
         !(fmax(spacing[0], spacing[1]) <= 1e6)))
        return refuse("spacing", request->spacing, "distances are 10^-6 .. 10^6 m");
    const int status = raster_read(raster, request->file, width, request->member);
    if (status == 0) {
        raster->dx_m = spacing[0];
        raster->dy_m = spacing[1];
        *origin = json_pack("{s:s}", "file", request->file);
    }
    return status;
}

/* Levels that were asked for, once the raster is there. */
static int read_levels(const struct request *request, const struct raster *raster, double *sea_m,
                       double *level_m)
{
    float median;

    if (request->sea && !read_number(request->sea, sea_m))
        return refuse("sea", request->sea, "a height in metres");
    *level_m = *sea_m;
    if (!request->contour)
        return 0;
    if (strcmp(request->contour, "median") != 0)
        return read_number(request->contour, level_m)
                   ? 0
                   : refuse("contour", request->contour, "a height in metres, or \"median\"");
    if (raster_median(raster, &median) != 0) {
        say_error("out of memory");
        return 1;
    }
    *level_m = (double)median;
    return 0;
}

static int make_directory(const char *directory)
{
    if (directory_make(directory) == 0)
        return 0;
    say_error("%s: %s", directory, strerror(errno));
    return 1;
}

/* Everything that is made of one raster. Takes origin. */
static int tell(const struct analysis *analysis, const struct raster *raster, const char *title,
                json_t *origin, const char *directory)
{
    json_t *const json = analysis_json(analysis);

    if (json_object_set_new(json, "origin", origin) != 0) {
        json_decref(json);
        say_error("out of memory, or a name that is no UTF-8");
        return 1;
    }
    analysis_print(analysis, stdout);
    if (analysis_plot(analysis, raster, directory, "", title) != 0) {
        json_decref(json);
        return 1;
    }
    return json_save(json, directory, "analysis.json") == 0 ? 0 : 1;
}

static int analyse(const struct request *request, const char *directory)
{
    static struct analysis analysis;
    struct raster raster = {0};
    json_t *origin = NULL;
    char title[160];
    double sea_m = 0, level_m;
    int status =
        request->world ? read_world(request, &raster, &sea_m, &origin) : read_file(request, &raster, &origin);

    if (status == 0)
        status = read_levels(request, &raster, &sea_m, &level_m);
    if (status == 0)
        status = make_directory(directory);
    if (status == 0)
        status = analysis_make(&raster, sea_m, level_m, &analysis) == 0 ? 0 : 1;
    snprintf(title, sizeof title, "%s%.120s", request->world ? "world " : "",
             request->world ? request->world : request->file);
    if (status == 0)
        status = tell(&analysis, &raster, title, origin, directory);
    else
        json_decref(origin);
    raster_free(&raster);
    return status;
}

static int measure_paper(const struct request *request, const char *directory)
{
    struct source source;

    if (make_directory(directory) != 0 || source_open(&source) != 0)
        return 1;
    const struct paper paper = {&source, directory, request->quick};
    const int status = paper_run(&paper);
    source_close(&source);
    return status;
}

/* ---- What was asked ----------------------------------------------------------------------------------- */

static int check_request(const struct request *request)
{
    const int subjects = (request->world != NULL) + (request->file != NULL) + request->paper;
    const struct {
        const char *name, *value;
        bool fits;
    } option[] = {{"recipe", request->recipe, request->world},
                  {"variant", request->variant, request->world},
                  {"lod", request->lod, request->world},
                  {"at", request->at, request->world},
                  {"size", request->size, request->world},
                  {"width", request->width, request->file},
                  {"member", request->member, request->file},
                  {"spacing", request->spacing, request->file},
                  {"sea", request->sea, !request->paper},
                  {"contour", request->contour, !request->paper},
                  {"quick", request->quick ? "yes" : NULL, request->paper}};

    if (subjects != 1) {
        say_error("needs one of --world SEED, FILE and --paper (see terrane analyze --help)");
        return 2;
    }
    for (size_t k = 0; k < sizeof option / sizeof *option; k++)
        if (option[k].value && !option[k].fits) {
            say_error("--%s: does not go with %s (see terrane analyze --help)", option[k].name,
                      request->world  ? "--world"
                      : request->file ? "a file"
                                      : "--paper");
            return 2;
        }
    return 0;
}

/* The exit status, once what was printed is out. */
static int finish(int status)
{
    if (status == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
        say_error("standard output: %s", strerror(errno));
        status = 1;
    }
    return status;
}

int main(int argc, char **argv)
{
    struct request request = {0};
    const struct option_spec specs[] = {
        {"world", 0, &request.world, NULL},     {"recipe", 0, &request.recipe, NULL},
        {"variant", 0, &request.variant, NULL}, {"lod", 0, &request.lod, NULL},
        {"at", 0, &request.at, NULL},           {"size", 0, &request.size, NULL},
        {"width", 0, &request.width, NULL},     {"member", 0, &request.member, NULL},
        {"spacing", 0, &request.spacing, NULL}, {"sea", 0, &request.sea, NULL},
        {"contour", 0, &request.contour, NULL}, {"out", 'o', &request.out, NULL},
        {"paper", 0, NULL, &request.paper},     {"quick", 0, NULL, &request.quick},
        {"help", 'h', NULL, &request.help},     {0}};
    int words;

    if (argc > 0 && strcmp(argv[0], "path") == 0) /* `terrane path` */
        return path_paper_command(argc - 1, argv + 1);
    if (options_read("analyze", argc - 1, argv + 1, specs, &request.file, 1, &words) != 0)
        return 2;
    if (request.help) {
        fputs(usage, stdout);
        return finish(0);
    }
    int status = check_request(&request);
    if (status == 0 && tool_init_kernels() != 0)
        status = 2;
    const char *const directory = request.out ? request.out : "terrane-analysis";
    if (status == 0)
        status = request.paper ? measure_paper(&request, directory) : analyse(&request, directory);
    return finish(status);
}
