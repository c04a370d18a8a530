/*
 * terrane seed: fills the disk cache of a server, or writes an archive of tiles. Which tiles is told by
 * seed_plan.h, where they go by seed_sink.h, how they are made by seed_run.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../access/keys.h"
#include "../base/remote_url.h"
#include "../base/text.h"
#include "../service/settings.h"
#include "seed_run.h"
#include "tool.h"
#include "tool_target.h"

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED, THREADS_MAX = 1024 };

struct seed_options {
    const char *format, *layer, *variant, *enc, *bands, *reg, *size, *recipe, *generator, *config, *cache,
        *output, *archive;
    const char *threads, *rate, *max_load;
    const char *shared, *patience;
    struct seed_words words;
    bool dry_run, quiet;
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
    struct seed_shared_options tier;
    bool pmtiles;
    char *shared; /* a URL, owned; argv has it without password */
};

static int fail(int status, const char *what)
{
    fprintf(stderr, "terrane seed: %s\n", what);
    return status;
}

static int wrong(const char *option, const char *text, const char *allowed)
{
    fprintf(stderr, "terrane seed: %s=%.*s: %s\n", option, text_cut(text, 80), text, allowed);
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
    double threads = host_limits_threads(&seeding->names.limits, config);
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
    if (!*options->output)
        return wrong("output", "", "must be a file");
    if (options->shared)
        return fail(EXIT_USAGE, "takes --shared or --output, not both");
    if (options->cache)
        return fail(EXIT_USAGE, "takes --cache or --output, not both");
    if (options->words.part)
        return fail(EXIT_USAGE, "takes --part or --output, not both: an archive is one file, which several "
                                "machines cannot write");
    seeding->pmtiles = strcmp(format, "pmtiles") == 0;
    if (seeding->pmtiles || strcmp(format, "mbtiles") == 0)
        return 0;
    return options->archive ? wrong("archive", options->archive, "must be pmtiles or mbtiles")
                            : wrong("output", options->output,
                                    "must end with .pmtiles or .mbtiles, or --archive tell which");
}

/* The word "config" in place of the URL is the configuration's store. */
static int read_store(struct seeding *seeding)
{
    struct seed_options *options = &seeding->options;
    char error[CONFIG_ERROR_BYTES];
    if (!options->shared || strcmp(options->shared, "config") != 0)
        return 0;
    char *store = store_url_read(&seeding->names.config.cache, error, sizeof error);
    if (!store)
        return fail(EXIT_USAGE, error);
    secret_free(seeding->shared);
    options->shared = seeding->shared = store;
    return *store ? 0 : wrong("shared", "config", "the configuration has no cache.shared");
}

/* The error of a URL has no secrets in it. */
static int check_url(const char *text)
{
    char error[SEED_SHARED_ERROR_BYTES];
    struct remote_url url;
    const bool good = !text || remote_url_read(&url, text, error, sizeof error) == 0;
    explicit_bzero(&url, sizeof url);
    if (!good)
        fprintf(stderr, "terrane seed: shared: %s\n", error);
    return good ? 0 : EXIT_USAGE;
}

static int read_tier(struct seeding *seeding)
{
    const struct seed_options *options = &seeding->options;
    double patience_s = 300;
    if (options->patience && !read_decimal(options->patience, 0, 1e6, &patience_s))
        return wrong("patience", options->patience, "must be seconds, 0 .. 1000000");
    if (options->patience && !options->shared)
        return fail(EXIT_USAGE, "--patience needs --shared: with what");
    if (options->shared && options->cache)
        return fail(EXIT_USAGE, "takes --cache or --shared, not both");
    seeding->tier = (struct seed_shared_options){.url = options->shared,
                                                 .ca = seeding->names.config.cache.shared_ca,
                                                 .expire_s = seeding->names.config.cache.shared_expire_s,
                                                 .patience_s = patience_s,
                                                 .stopped = seed_run_is_stopped};
    return check_url(options->shared);
}

/* The tiles of a secret world go into caches under the names that its servers know; an archive, which others may read, tells its name. */
static int hide_world(struct seeding *seeding)
{
    const struct config *config = &seeding->names.config;
    struct target *target = &seeding->target;
    if (seeding->options.shared && tool_target_is_secret(target, &seeding->names) &&
        config->worlds.secret_file[0] == '\0')
        return fail(EXIT_USAGE,
                    "a secret world in a shared tier needs worlds.secret_file, which its servers have");
    return tool_target_hide(target, &seeding->names, "seed", true);
}

/* One tile of a map stands for all: what is wrong with it is wrong with each. */
static int read_tile(struct seeding *seeding, const char *seed)
{
    const struct seed_options *options = &seeding->options;
    const char *const segments[] = {"xyz", seed, "17", "0", "0"};
    const struct tool_parameter parameters[] = {
        {"layer", options->layer},
        {"variant", options->variant},
        {"enc", options->enc},
        {"bands", options->bands},
        {"reg", options->reg},
        {"size", options->size},
        {"recipe", tool_is_file(options->recipe) ? NULL : options->recipe},
        {"v", options->generator}};
    struct target *target = &seeding->target;
    char *text = tool_target_text(segments, 5, options->format ? options->format : "png", parameters,
                                  sizeof parameters / sizeof *parameters);
    if (!text)
        return fail(EXIT_FAILED, "out of memory");
    tool_target_read(target, text, &seeding->names);
    free(text);
    if (target->status || target->route != ROUTE_XYZ)
        return fail(EXIT_USAGE, target->detail);
    const bool vectors = target->key.format == FORMAT_MVT;
    if (!vectors && target->key.format != FORMAT_PNG)
        return wrong("format", options->format, "must be png or mvt");
    if (vectors && !options->output)
        return fail(EXIT_USAGE, "--format mvt needs --output: vector tiles are seeded into archives");
    if (!vectors && target->key.size != TERRANE_TILE_SAMPLES && target->key.size != 2 * TERRANE_TILE_SAMPLES)
        return wrong("size", options->size, "must be 256 or 512");
    target->key.recipe = NULL; /* PNGs have no links */
    const int status = hide_world(seeding);
    alias_world_init(&seeding->world, &target->recipe->world, target->key.seed, target->key.alias);
    return status;
}

static int read_plan(struct seeding *seeding)
{
    char error[SEED_ERROR_BYTES];
    seeding->plan.key = seeding->target.key;
    seeding->options.words.archive = seeding->options.output != NULL;
    if (seed_plan_read(&seeding->plan, &seeding->options.words, seeding->target.recipe->world.spacing_m,
                       error) != 0)
        return fail(EXIT_USAGE, error);
    if (seeding->plan.key.format == FORMAT_MVT && seeding->plan.coarsest == TILE_Z0)
        return fail(EXIT_USAGE, "zoom 0 has no vector tile: of --format mvt there are zooms 1 .. 18");
    seeding->run.plan = &seeding->plan;
    seeding->run.world = &seeding->world;
    return 0;
}

/* ---- Where to ------------------------------------------------------------------------------------------ */

/* false: what there is cannot be had. */
static bool cache_options(const struct seeding *seeding, struct disk_options *options, char **dir,
                          char error[SEED_SINK_ERROR_BYTES])
{
    const struct config_cache *cache = &seeding->names.config.cache;
    *dir = config_cache_dir(&seeding->names.config);
    *options = (struct disk_options){.dir = *dir,
                                     .quota_bytes = cache->disk_bytes,
                                     .quota_rows = cache->disk_rows,
                                     .write_interval_ms = cache->write_interval_ms,
                                     .retry_interval_ms = cache->retry_interval_ms,
                                     .readers = 1};
    snprintf(error, SEED_SINK_ERROR_BYTES, "%s",
             *dir ? "cache.disk_bytes=0: the configuration has no disk cache" : "out of memory");
    return *dir && cache->disk_bytes > 0;
}

static struct seed_sink *open_cache(struct seeding *seeding, char error[SEED_SINK_ERROR_BYTES])
{
    if (seeding->options.shared)
        return seed_sink_shared(&seeding->tier, error);
    struct disk_options options;
    char *dir;
    struct seed_sink *sink =
        cache_options(seeding, &options, &dir, error) ? seed_sink_cache(&options, error) : NULL;
    free(dir);
    return sink;
}

static int make_facts(struct seeding *seeding)
{
    const char *recipe = seeding->target.recipe->name;
    return seed_facts_make(&seeding->facts, &seeding->plan, &seeding->world,
                           *recipe ? recipe : seeding->options.recipe);
}

static struct seed_sink *open_archive(struct seeding *seeding, char error[SEED_SINK_ERROR_BYTES])
{
    snprintf(error, SEED_SINK_ERROR_BYTES, "out of memory");
    if (make_facts(seeding) != 0)
        return NULL;
    struct seed_sink *sink;
    return seed_sink_archive(seeding->options.output, seeding->pmtiles, &seeding->facts, false, &sink,
                             error) == 0
               ? sink
               : NULL;
}

/* What is to be said at the end; the exit status. */
static int conclude(const struct seeding *seeding, const struct seed_sink *sink, enum seed_result result,
                    const struct seed_progress *progress, const char *error)
{
    const uint64_t evicted = seed_sink_evicted(sink);
    if (evicted > 0 && seeding->options.shared)
        fprintf(stderr,
                "terrane seed: %s: has evicted %" PRIu64 " entries meanwhile, since it has no more room (its "
                "maxmemory): tiles of this run may be among them\n",
                seed_sink_place(sink), evicted);
    else if (evicted > 0)
        fprintf(stderr,
                "terrane seed: the cache has dropped %" PRIu64 " tiles, the oldest, since it keeps no more: "
                "cache.disk_bytes is %" PRIu64 ", cache.disk_rows %" PRIu64 "\n",
                evicted, seeding->names.config.cache.disk_bytes, seeding->names.config.cache.disk_rows);
    switch (result) {
    case SEED_DONE:
        if (progress->found == progress->total && progress->terminal && !progress->quiet)
            fprintf(stderr, "terrane seed: %s: already complete\n", seed_sink_place(sink));
        return progress->unheard ? EXIT_FAILED : EXIT_DONE;
    case SEED_STOPPED:
        fprintf(stderr,
                "terrane seed: stopped; the same command goes on from here: %" PRId64 " of %" PRId64
                " tiles are in %s\n",
                progress->made + progress->found, progress->total, seed_sink_place(sink));
        return EXIT_STOPPED;
    case SEED_FAILED:
        break;
    }
    return fail(EXIT_FAILED, error);
}

/* ---- Beforehand ---------------------------------------------------------------------------------------- */

/* What there is already; NULL where nothing is. 0, or the exit status: the run would be refused. A cache that a server
 * uses now may be free when the run begins: it is not counted. */
static int look(struct seeding *seeding, struct seed_sink **sink)
{
    const char *output = seeding->options.output;
    char error[SEED_SINK_ERROR_BYTES] = "out of memory", *dir = NULL;
    struct disk_options options;
    int status = 0;
    *sink = NULL;
    if (seeding->options.shared)
        return (*sink = seed_sink_shared(&seeding->tier, error)) ? 0 : fail(EXIT_FAILED, error);
    if (output)
        return make_facts(seeding) != 0 ||
                       seed_sink_archive(output, seeding->pmtiles, &seeding->facts, true, sink, error) != 0
                   ? fail(EXIT_FAILED, error)
                   : 0;
    if (!cache_options(seeding, &options, &dir, error))
        status = fail(EXIT_FAILED, error);
    else if (seed_sink_look_cache(&options, sink, error) != 0)
        fprintf(stderr, "terrane seed: %s; what it has is not counted\n", error);
    free(dir);
    return status;
}

/* Bytes of the disk that a run takes for a while: at its end a PMTiles archive lies beside the tiles that it is written from. */
static double room_of(const struct seeding *seeding, const struct seed_sink *sink,
                      const struct seed_estimate *estimate)
{
    struct stat part = {0};
    if (!seeding->pmtiles || (sink && seed_sink_is_complete(sink)))
        return estimate->bytes;
    if (sink && stat(seed_sink_place(sink), &part) != 0)
        part.st_size = 0;
    return 2 * estimate->bytes + (double)part.st_size;
}

static void tell_estimate(const struct seed_run *run, const struct seed_estimate *estimate, double room)
{
    const char *about = estimate->found_about ? "about " : "";
    char basis[100] = "all are there already", more[100] = "";
    const bool waits = run->load > 0 && estimate->load > run->load && estimate->samples > 0;
    if (estimate->samples > 0)
        snprintf(basis, sizeof basis, "from %d tile%s timed just now, %u worker%s, load %.1f",
                 estimate->samples, estimate->samples > 1 ? "s" : "", run->threads,
                 run->threads > 1 ? "s" : "", estimate->load);
    if (!isatty(STDOUT_FILENO)) {
        printf("{\"total\":%" PRId64 ",\"found\":%" PRId64
               ",\"estimate\":true,\"bytes\":%.0f,\"room_bytes\":%.0f,\"seconds\":%.1f,\"threads\":%u,"
               "\"samples\":%d,"
               "\"load\":%.2f,\"basis\":\"%s\"%s}\n",
               estimate->tiles, estimate->found, estimate->bytes, room, estimate->seconds, run->threads,
               estimate->samples, estimate->load, basis,
               waits ? ",\"waits\":\"waits for the load to fall\"" : "");
        return;
    }
    printf("%" PRId64 " tiles", estimate->tiles);
    if (estimate->samples > 0 && estimate->found > 0)
        printf(", %s%" PRId64 " of them there already", about, estimate->found);
    if (room > estimate->bytes)
        snprintf(more, sizeof more, " (%.1f MB for a while: the archive is written from its tiles)",
                 room / 1e6);
    if (estimate->samples > 0 || room > 0)
        printf("; about %.1f MB%s and %.0f s", estimate->bytes / 1e6, more, ceil(estimate->seconds));
    printf(", %s%s\n", basis, waits ? "; begins when the load has fallen below --max-load" : "");
}

/* Tiles that the cache's quota would drop again. */
static void tell_excess(const struct config_cache *cache, const struct seed_estimate *estimate)
{
    if (estimate->bytes > (double)cache->disk_bytes || (uint64_t)estimate->tiles > cache->disk_rows)
        fprintf(stderr,
                "terrane seed: that is more than the cache keeps: cache.disk_bytes is %" PRIu64
                " (%.1f MB), cache.disk_rows %" PRIu64 "\n",
                cache->disk_bytes, (double)cache->disk_bytes / 1e6, cache->disk_rows);
}

static int dry_run(struct seeding *seeding)
{
    struct seed_estimate estimate;
    struct seed_sink *sink = NULL;
    int status = look(seeding, &sink);
    if (status != 0)
        return status;
    const int result = seed_estimate(&seeding->run, sink, seeding->pmtiles, &estimate);
    if (result != 0)
        status = fail(EXIT_FAILED, result > 0 ? seed_sink_error(sink) : "out of memory");
    else
        tell_estimate(&seeding->run, &estimate, room_of(seeding, sink, &estimate));
    seed_sink_close(sink);
    if (status != 0)
        return status;
    if (!seeding->options.output && !seeding->options.shared)
        tell_excess(&seeding->names.config.cache, &estimate);
    return seed_progress_flush("seed") == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* ---- Doing it ------------------------------------------------------------------------------------------ */

static int seed(struct seeding *seeding)
{
    char error[SEED_SINK_ERROR_BYTES];
    if (seeding->options.dry_run)
        return dry_run(seeding);
    seed_run_catch_signals();
    struct seed_sink *sink =
        seeding->options.output ? open_archive(seeding, error) : open_cache(seeding, error);
    if (!sink && seed_run_is_stopped())
        return fail(EXIT_STOPPED, "stopped; nothing was begun");
    if (!sink)
        return fail(EXIT_FAILED, error);
    struct seed_progress progress = {.command = "seed",
                                     .total = seed_plan_tiles(&seeding->plan),
                                     .quiet = seeding->options.quiet,
                                     .terminal = isatty(STDERR_FILENO) == 1};
    enum seed_result result = SEED_DONE;
    if (seed_sink_is_complete(sink)) {
        progress.found = progress.total;
        seed_progress_tell(&progress);
        seed_progress_end(&progress, "done");
    } else {
        result = seed_run(&seeding->run, sink, &progress, error);
    }
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
    if (options->cache && !*options->cache)
        return wrong("cache", "", "must be a directory");
    if (options->cache &&
        config_set(&seeding->names.config, "cache.dir", options->cache, "--cache", error, sizeof error) != 0)
        return fail(EXIT_USAGE, error);
    log_set_level(seeding->names.config.log.level);
    if ((status = read_pace(seeding)) != 0 || (status = read_tile(seeding, word)) != 0 ||
        (status = read_plan(seeding)) != 0 || (status = read_store(seeding)) != 0 ||
        (status = read_tier(seeding)) != 0)
        return status;
    return seed(seeding);
}

/* The list of processes is for everybody to read: passwords in it become asterisks. false: memory is short. */
static bool take_secrets(struct seeding *seeding, int argc, char **argv)
{
    struct seed_options *options = &seeding->options;
    if (options->shared && !(seeding->shared = strdup(options->shared)))
        return false;
    options->shared = seeding->shared;
    for (int i = 0; i < argc; i++)
        if (strstr(argv[i], "://"))
            remote_url_mask(argv[i]);
    return true;
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
    const struct option_spec specs[] = {{"format", 0, &options->format, NULL},
                                        {"layer", 0, &options->layer, NULL},
                                        {"variant", 0, &options->variant, NULL},
                                        {"enc", 0, &options->enc, NULL},
                                        {"bands", 0, &options->bands, NULL},
                                        {"reg", 0, &options->reg, NULL},
                                        {"size", 0, &options->size, NULL},
                                        {"recipe", 0, &options->recipe, NULL},
                                        {"generator", 0, &options->generator, NULL},
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
                                        {"part", 0, &plan->part, NULL},
                                        {"threads", 0, &options->threads, NULL},
                                        {"rate", 0, &options->rate, NULL},
                                        {"max-load", 0, &options->max_load, NULL},
                                        {"shared", 0, &options->shared, NULL},
                                        {"patience", 0, &options->patience, NULL},
                                        {"dry-run", 0, NULL, &options->dry_run},
                                        {"quiet", 0, NULL, &options->quiet},
                                        {0}};
    const int ended = options_read("seed", seed_usage, argc, argv, specs, &word, 1, &words);
    if (ended == EXIT_DONE)
        status = seed_progress_flush("seed") == 0 ? EXIT_DONE : EXIT_FAILED;
    else if (ended == OPTIONS_FINE && !take_secrets(seeding, argc, argv))
        status = fail(EXIT_FAILED, "out of memory");
    else if (ended == OPTIONS_FINE && words != 1)
        fail(EXIT_USAGE, "needs SEED (see terrane seed --help)");
    else if (ended == OPTIONS_FINE)
        status = answer(seeding, word);
    seed_facts_free(&seeding->facts);
    tool_names_close(&seeding->names);
    secret_free(seeding->shared);
    free(seeding);
    return status;
}
