/*
 * terrane seed: fills the disk cache of a server, or writes an archive of tiles. Which tiles is told by
 * seed_plan.h, where they go by seed_sink.h, how they are made by seed_run.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "options.h"
#include "seed_run.h"
#include "tool.h"
#include "tool_target.h"

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED, THREADS_MAX = 1024 };

static const char usage[] =
    "usage: terrane seed SEED --lod A..B | --zoom A-B [options]\n\n"
    "  SEED                as in /tile/SEED/...: a number, 0x hex or a name\n\n"
    "levels:\n"
    "  --lod A..B          0 (finest) .. 24; of an archive up to 18\n"
    "  --zoom A-B          the same as a web map counts, z = 18 - lod: 0 .. 18 (z 0 lies around the "
    "origin)\n\n"
    "window (with --zoom or an archive: without one, the whole map):\n"
    "  --bounds X0,Y0,X1,Y1  metres of the world: west, north, east, south; y grows south\n"
    "  --zoom-window W     z/x0-x1/y0-y1, as a web map counts at zoom z\n"
    "  --center X,Y        metres, with --radius\n"
    "  --radius M          metres\n\n"
    "where to:\n"
    "  --cache DIR         the disk cache that terrane serve --cache DIR uses, while it does not run "
    "(default:\n"
    "                      the configuration's); within the quota that the configuration gives it\n"
    "  -o, --output FILE   FILE.pmtiles (version 3) or FILE.mbtiles (1.3) with the tiles of /xyz/SEED\n"
    "  --archive F         pmtiles or mbtiles, where FILE's name does not end so\n\n"
    "tiles, PNG all of them:\n"
    "  --layer L           height (default), normal, partition, slope, hillshade, relief, water, surface,\n"
    "                      delta, flow\n"
    "  --variant V         base or eroded (default: eroded where the recipe erodes)\n"
    "  --enc E             of height, surface or delta: terrarium (default), mapbox, gray16\n"
    "  --size N            256 (default) or 512\n"
    "  --recipe R          a recipe of the book (terrane recipe lists it), or a FILE.json\n"
    "  --config FILE       for names of worlds, the directory of recipes, and the cache's quota\n\n"
    "how:\n"
    "  --dry-run           make a few tiles, tell how many there are and about what all would take, and end\n"
    "  --threads N         that make tiles (default: render.threads of the configuration, else one a core)\n"
    "  --rate N            at most so many tiles a second\n"
    "  --max-load L        begin nothing while the load average of the last minute is above\n"
    "  --quiet             tell no progress\n\n"
    "Tells progress on a terminal's standard error, else by a line of JSON a second on standard output. "
    "What\n"
    "is there already is not made again: the same command goes on where it was stopped, or killed. An\n"
    "archive that is not finished lies in FILE.mbtiles itself, or in FILE.pmtiles.part.\n\n"
    "exit status: 0 done, 1 failed, 2 asked wrongly, 3 stopped by SIGINT or SIGTERM\n\n"
    "examples:\n"
    "  terrane seed 42 --lod 4..8 --center 0,0 --radius 20000 --dry-run\n"
    "  terrane seed 42 --zoom 0-5 --layer relief -o relief.pmtiles\n"
    "  terrane seed 42 --zoom 8-10 --zoom-window 10/510-513/510-513 -o heights.mbtiles\n"
    "  terrane seed 42 --lod 9..11 --bounds -200000,-200000,200000,200000 --cache tiles\n";

struct seed_options {
    const char *layer, *variant, *enc, *size, *recipe, *config, *cache, *output, *archive;
    const char *threads, *rate, *max_load;
    struct seed_words words;
    bool dry_run, quiet, help;
};

/* Everything that the command has opened. */
struct seeding {
    struct seed_options options;
    struct tool_names names;
    struct target target;
    struct terrane_world world;
    struct seed_plan plan;
    struct seed_facts facts;
    struct seed_run run;
    bool pmtiles;
};

static int fail(int status, const char *what)
{
    fprintf(stderr, "terrane seed: %s\n", what);
    return status;
}

static int wrong(const char *option, const char *text, const char *allowed)
{
    fprintf(stderr, "terrane seed: %s=%.80s: %s\n", option, text, allowed);
    return EXIT_USAGE;
}

/* ---- Reading what is asked ----------------------------------------------------------------------------- */

/* A finite decimal from low to high. */
static bool read_decimal(const char *text, double low, double high, double *value)
{
    char *end = NULL;
    if (!*text || strspn(text, "0123456789.") != strlen(text))
        return false;
    *value = strtod(text, &end);
    return *end == 0 && isfinite(*value) && *value >= low && *value <= high;
}

static int read_pace(struct seeding *seeding)
{
    const struct seed_options *options = &seeding->options;
    const struct config *config = &seeding->names.config;
    struct seed_run *run = &seeding->run;
    double threads = config->render.threads ? config->render.threads : uv_available_parallelism();
    if (options->threads &&
        (!read_decimal(options->threads, 1, THREADS_MAX, &threads) || threads != floor(threads)))
        return wrong("threads", options->threads, "must be 1 .. 1024");
    if (options->rate && !read_decimal(options->rate, 1e-3, 1e6, &run->rate))
        return wrong("rate", options->rate, "must be tiles a second, 0.001 .. 1000000");
    if (options->max_load && !read_decimal(options->max_load, 1e-2, 1e6, &run->load))
        return wrong("max-load", options->max_load, "must be a load average, 0.01 .. 1000000");
    run->threads = (unsigned)threads;
    run->memory_bytes = config->cache.memory_bytes;
    return 0;
}

/* Which archive, by --archive or the file's name. */
static int read_archive(struct seeding *seeding)
{
    const struct seed_options *options = &seeding->options;
    const char *dot = options->output ? strrchr(options->output, '.') : NULL;
    const char *format = options->archive ? options->archive : dot ? dot + 1 : "";
    if (!options->output)
        return options->archive ? fail(EXIT_USAGE, "--archive needs --output: where to write") : 0;
    if (options->cache)
        return fail(EXIT_USAGE, "takes --cache or --output, not both");
    seeding->pmtiles = strcmp(format, "pmtiles") == 0;
    if (seeding->pmtiles || strcmp(format, "mbtiles") == 0)
        return 0;
    return options->archive ? wrong("archive", options->archive, "must be pmtiles or mbtiles")
                            : wrong("output", options->output,
                                    "must end with .pmtiles or .mbtiles, or --archive tell which");
}

/* The tile at the origin stands for all: what is wrong with it is wrong with each. */
static int read_tile(struct seeding *seeding, const char *seed)
{
    const struct seed_options *options = &seeding->options;
    const char *const segments[] = {"tile", seed, "1", "0", "0"};
    const struct tool_parameter parameters[] = {
        {"layer", options->layer},
        {"variant", options->variant},
        {"enc", options->enc},
        {"size", options->size},
        {"recipe", tool_is_file(options->recipe) ? NULL : options->recipe}};
    struct target *target = &seeding->target;
    char *text = tool_target_text(segments, 5, "png", parameters, sizeof parameters / sizeof *parameters);
    if (!text)
        return fail(EXIT_FAILED, "out of memory");
    tool_target_read(target, text, &seeding->names);
    free(text);
    if (target->status || target->route != ROUTE_TILE)
        return fail(EXIT_USAGE, target->detail);
    if (target->key.size != TERRANE_TILE_SAMPLES && target->key.size != 2 * TERRANE_TILE_SAMPLES)
        return wrong("size", options->size, "must be 256 or 512");
    target->key.recipe = NULL; /* PNGs have no links */
    terrane_world_init(&seeding->world, &target->recipe->world, target->key.seed);
    return 0;
}

static int read_plan(struct seeding *seeding)
{
    char error[SEED_ERROR_BYTES];
    seeding->plan.key = seeding->target.key;
    seeding->options.words.archive = seeding->options.output != NULL;
    if (seed_plan_read(&seeding->plan, &seeding->options.words, seeding->target.recipe->world.spacing_m,
                       error) != 0)
        return fail(EXIT_USAGE, error);
    seeding->run.plan = &seeding->plan;
    seeding->run.world = &seeding->world;
    return 0;
}

/* ---- Doing it ------------------------------------------------------------------------------------------ */

static int dry_run(const struct seeding *seeding)
{
    struct seed_estimate estimate;
    if (seed_estimate(&seeding->run, &estimate) != 0)
        return fail(EXIT_FAILED, "out of memory");
    if (isatty(STDOUT_FILENO))
        printf("%" PRId64 " tiles; about %.1f MB and %.0f s with %u threads, as %d of them tell\n",
               estimate.tiles, estimate.bytes / 1e6, ceil(estimate.seconds), seeding->run.threads,
               estimate.samples);
    else
        printf("{\"total\":%" PRId64
               ",\"estimate\":true,\"bytes\":%.0f,\"seconds\":%.1f,\"threads\":%u,\"samples\":%d}\n",
               estimate.tiles, estimate.bytes, estimate.seconds, seeding->run.threads, estimate.samples);
    const struct config_cache *cache = &seeding->names.config.cache;
    if (!seeding->options.output && estimate.bytes > (double)cache->disk_bytes)
        fprintf(stderr,
                "terrane seed: that is more than the cache keeps: cache.disk_bytes is %" PRIu64
                " (%.1f MB)\n",
                cache->disk_bytes, (double)cache->disk_bytes / 1e6);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

static struct seed_sink *open_cache(struct seeding *seeding, char error[SEED_SINK_ERROR_BYTES])
{
    const struct config_cache *cache = &seeding->names.config.cache;
    struct seed_sink *sink = NULL;
    char *dir = config_cache_dir(&seeding->names.config);
    snprintf(error, SEED_SINK_ERROR_BYTES, "%s",
             dir ? "cache.disk_bytes=0: the configuration has no disk cache" : "out of memory");
    if (dir && cache->disk_bytes > 0)
        sink = seed_sink_cache(&(struct disk_options){.dir = dir,
                                                      .quota_bytes = cache->disk_bytes,
                                                      .quota_rows = cache->disk_rows,
                                                      .write_behind_bytes = cache->write_behind_bytes,
                                                      .write_interval_ms = cache->write_interval_ms,
                                                      .retry_interval_ms = cache->retry_interval_ms,
                                                      .readers = 1},
                               error);
    free(dir);
    return sink;
}

static struct seed_sink *open_archive(struct seeding *seeding, char error[SEED_SINK_ERROR_BYTES])
{
    const struct seed_options *options = &seeding->options;
    const char *recipe = seeding->target.recipe->name;
    snprintf(error, SEED_SINK_ERROR_BYTES, "out of memory");
    if (seed_facts_make(&seeding->facts, &seeding->plan, &seeding->world,
                        *recipe ? recipe : options->recipe) != 0)
        return NULL;
    return seed_sink_archive(options->output, seeding->pmtiles, &seeding->facts, error);
}

/* What is to be said at the end; the exit status. */
static int conclude(const struct seeding *seeding, const struct seed_sink *sink, enum seed_result result,
                    const struct seed_progress *progress, const char *error)
{
    const uint64_t evicted = seed_sink_evicted(sink);
    if (evicted > 0)
        fprintf(stderr,
                "terrane seed: the cache has dropped %" PRIu64 " tiles, the oldest, since it keeps no more: "
                "cache.disk_bytes is %" PRIu64 ", cache.disk_rows %" PRIu64 "\n",
                evicted, seeding->names.config.cache.disk_bytes, seeding->names.config.cache.disk_rows);
    switch (result) {
    case SEED_DONE:
        return EXIT_DONE;
    case SEED_STOPPED:
        fprintf(stderr,
                "terrane seed: stopped; the same command goes on from here: %" PRId64 " of %" PRId64
                " tiles are in %s\n",
                progress->made + progress->found, progress->total, seed_sink_place(sink));
        return EXIT_STOPPED;
    default:
        return fail(EXIT_FAILED, error);
    }
}

static int seed(struct seeding *seeding)
{
    char error[SEED_SINK_ERROR_BYTES];
    if (seeding->options.dry_run)
        return dry_run(seeding);
    seed_run_catch_signals();
    struct seed_sink *sink =
        seeding->options.output ? open_archive(seeding, error) : open_cache(seeding, error);
    if (!sink)
        return fail(EXIT_FAILED, error);
    struct seed_progress progress = {.total = seed_plan_tiles(&seeding->plan),
                                     .quiet = seeding->options.quiet,
                                     .terminal = isatty(STDERR_FILENO) == 1};
    const enum seed_result result = seed_run(&seeding->run, sink, &progress, error);
    const int status = conclude(seeding, sink, result, &progress, error);
    seed_sink_close(sink);
    return status;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int answer(struct seeding *seeding, const char *word)
{
    struct seed_options *options = &seeding->options;
    char error[CONFIG_ERROR_BYTES];
    int status = read_archive(seeding);
    if (status != 0)
        return status;
    if (tool_names_open(&seeding->names, "seed", options->config, options->recipe) != 0)
        return EXIT_USAGE;
    if (options->cache &&
        config_set(&seeding->names.config, "cache.dir", options->cache, "--cache", error, sizeof error) != 0)
        return fail(EXIT_USAGE, error);
    log_set_level(seeding->names.config.log.level);
    if ((status = read_pace(seeding)) != 0 || (status = read_tile(seeding, word)) != 0 ||
        (status = read_plan(seeding)) != 0)
        return status;
    return seed(seeding);
}

int seed_command(int argc, char **argv)
{
    struct seeding *seeding = calloc(1, sizeof *seeding);
    const char *word;
    int words, status = EXIT_USAGE;
    if (!seeding)
        return fail(EXIT_FAILED, "out of memory");
    struct seed_options *options = &seeding->options;
    struct seed_words *plan = &options->words;
    const struct option_spec specs[] = {{"layer", 0, &options->layer, NULL},
                                        {"variant", 0, &options->variant, NULL},
                                        {"enc", 0, &options->enc, NULL},
                                        {"size", 0, &options->size, NULL},
                                        {"recipe", 0, &options->recipe, NULL},
                                        {"config", 0, &options->config, NULL},
                                        {"cache", 0, &options->cache, NULL},
                                        {"output", 'o', &options->output, NULL},
                                        {"archive", 0, &options->archive, NULL},
                                        {"lod", 0, &plan->lod, NULL},
                                        {"zoom", 0, &plan->zoom, NULL},
                                        {"bounds", 0, &plan->bounds, NULL},
                                        {"zoom-window", 0, &plan->zoom_window, NULL},
                                        {"center", 0, &plan->center, NULL},
                                        {"radius", 0, &plan->radius, NULL},
                                        {"threads", 0, &options->threads, NULL},
                                        {"rate", 0, &options->rate, NULL},
                                        {"max-load", 0, &options->max_load, NULL},
                                        {"dry-run", 0, NULL, &options->dry_run},
                                        {"quiet", 0, NULL, &options->quiet},
                                        {"help", 'h', NULL, &options->help},
                                        {0}};
    if (options_read("seed", argc, argv, specs, &word, 1, &words) == 0) {
        if (options->help) {
            fputs(usage, stdout);
            status = EXIT_DONE;
        } else if (words != 1) {
            fail(EXIT_USAGE, "needs SEED (see terrane seed --help)");
        } else {
            status = answer(seeding, word);
        }
    }
    seed_facts_free(&seeding->facts);
    tool_names_close(&seeding->names);
    free(seeding);
    return status;
}
