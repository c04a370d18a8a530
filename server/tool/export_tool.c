/*
 * terrane export: a window of a world as a set of tiles that an engine imports. What a set is is told by export_set.h, where it
 * goes by export_folder.h, how it is made by export_run.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/check.h"
#include "../base/text.h"
#include "../render/product.h"
#include "export_page.h"
#include "export_run.h"
#include "tool.h"
#include "tool_target.h"

enum {
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_USAGE,
    EXIT_STOPPED,
    THREADS_MAX = 1024,
    OBJECT_RECORD = 16,
    OBJECT_LINE = 72
};

static const char page_name[] = "README.md";

struct export_options {
    const char *seed, *lod, *variant, *recipe, *generator, *config, *threads;
    struct export_words words;
    bool dry_run, quiet;
};

/* Everything that the command has opened. */
struct exporting {
    struct export_options options;
    const char *path;
    char recipe[TEXT_SHOWN_BYTES]; /* its name, or its file's */
    struct tool_names names;
    struct target target;
    struct terrane_world world;
    struct export_set set;
    struct export_about about;
    struct export_run run;
    json_t *facts;
    enum export_state *state;
    bool ranged;                /* the range of the set's heights is known */
    int64_t total, left, files; /* tiles of the world in all layers, of these to make; files that there are */
};

static int fail(int status, const char *what)
{
    fprintf(stderr, "terrane export: %s\n", what);
    return status;
}

/* ---- Reading what is asked ----------------------------------------------------------------------------- */

/* One tile of the level stands for all. */
static int read_world(struct exporting *exporting)
{
    const struct export_options *options = &exporting->options;
    struct target *target = &exporting->target;
    const char *const segments[] = {"tile", options->seed ? options->seed : "42",
                                    options->lod ? options->lod : "0", "0", "0"};
    const struct tool_parameter parameters[] = {
        {"variant", options->variant},
        {"recipe", tool_is_file(options->recipe) ? NULL : options->recipe},
        {"v", options->generator}};
    char *text = tool_target_text(segments, 5, "f32", parameters, sizeof parameters / sizeof *parameters);
    if (!text)
        return fail(EXIT_FAILED, "out of memory");
    tool_target_read(target, text, &exporting->names);
    free(text);
    if (target->status || target->route != ROUTE_TILE)
        return fail(EXIT_USAGE, target->detail);
    target->key.recipe = NULL;
    const int status = tool_target_hide(target, &exporting->names, "export", true);
    alias_world_init(&exporting->world, &target->recipe->world, target->key.seed, target->key.alias);
    return status;
}

static int read_threads(struct exporting *exporting)
{
    const struct config *config = &exporting->names.config;
    const char *text = exporting->options.threads;
    int64_t threads = host_limits_threads(&exporting->names.limits, config);
    if (text && (!text_integer(text, &threads) || threads < 1 || threads > THREADS_MAX)) {
        fprintf(stderr, "terrane export: threads=%.*s: must be 1 .. 1024\n", text_cut(text, 80), text);
        return EXIT_USAGE;
    }
    exporting->run = (struct export_run){.set = &exporting->set,
                                         .key = &exporting->target.key,
                                         .world = &exporting->world,
                                         .threads = (unsigned)threads,
                                         .memory_bytes = config->cache.memory_bytes};
    return EXIT_DONE;
}

static int read_set(struct exporting *exporting)
{
    char error[EXPORT_ERROR_BYTES];
    const char *recipe = exporting->target.recipe->name, *file = exporting->options.recipe;
    const char *slash = *recipe || !file ? NULL : strrchr(file, '/');
    if (export_set_read(&exporting->set, &exporting->options.words, &exporting->target.recipe->world,
                        exporting->target.key.level, error) != 0)
        return fail(EXIT_USAGE, error);
    text_print(exporting->recipe, sizeof exporting->recipe, "%s",
               *recipe ? recipe
               : slash ? slash + 1
                       : file);
    exporting->about = (struct export_about){.set = &exporting->set,
                                             .key = &exporting->target.key,
                                             .world = &exporting->world,
                                             .recipe = exporting->recipe};
    exporting->facts = export_facts(&exporting->about);
    return exporting->facts ? EXIT_DONE : fail(EXIT_FAILED, "out of memory");
}

/* What there is already. */
static int look(struct exporting *exporting, const struct export_folder *folder)
{
    float low_m, high_m;
    exporting->ranged = folder && export_folder_range(folder, &low_m, &high_m);
    exporting->state = export_states(&exporting->set, folder);
    exporting->left = exporting->state ? export_left(&exporting->set, exporting->state, &exporting->total,
                                                     &exporting->files)
                                       : -1;
    return exporting->left < 0 ? fail(EXIT_FAILED, "out of memory") : EXIT_DONE;
}

static int64_t files_of(const struct export_set *set)
{
    int64_t files = 2; /* README.md and set.json */
    for (int layer = 0; layer < EXPORT_LAYERS; layer++)
        files += (int64_t)set->across * set->down * export_set_files(set, (enum export_layer)layer);
    return files;
}

/* ---- Beforehand ---------------------------------------------------------------------------------------- */

/* Bytes that a tile of the world in the middle has as a picture of weights, or as objects; 0 where memory is short. */
static double middle_bytes(const struct exporting *exporting, enum export_layer layer, int bands)
{
    const struct export_rect all = export_set_all(&exporting->set);
    struct tile_key key = export_set_key(&exporting->set, &exporting->target.key, layer,
                                         (all.x0 + all.x1) / 2, (all.y0 + all.y1) / 2);
    struct produce_times times = {0};
    if (layer == EXPORT_COVER) {
        key.format = FORMAT_PNG;
        key.bands = bands;
        if (tile_key_finish(&key) != TILE_FINE)
            return 0;
    }
    struct producer *producer = producer_create();
    struct blob *blob = producer ? produce(producer, &key, &exporting->world, &times) : NULL;
    const double bytes = blob ? (double)blob->bytes : 0;
    blob_release(blob);
    producer_free(producer);
    return bytes;
}

/* Bytes of all files of a layer, about. */
static double layer_bytes(const struct exporting *exporting, enum export_layer layer)
{
    const struct export_set *set = &exporting->set;
    const double tiles = (double)set->across * set->down, samples = (double)set->size * set->size;
    const double places = samples / (TERRANE_TILE_SAMPLES * TERRANE_TILE_SAMPLES);
    double bytes = 0;
    for (int file = 0; file < export_set_files(set, layer); file++)
        bytes += (double)export_set_bytes(set, layer, file);
    if (set->layer[layer] && layer == EXPORT_OBJECTS)
        bytes = middle_bytes(exporting, layer, 0) / OBJECT_RECORD * OBJECT_LINE * places;
    else if (set->layer[layer] && layer == EXPORT_COVER)
        bytes += (middle_bytes(exporting, layer, 0) + middle_bytes(exporting, layer, 1)) * places;
    else if (set->layer[layer] && bytes == 0) /* deflate makes little of heights */
        bytes = samples * (set->format->coding == EXPORT_GRAY16 ? 2 : 4) * 0.8;
    return bytes * tiles;
}

/* Bytes by which heights are longer than their files while they wait for their range. */
static double waiting_bytes(const struct exporting *exporting)
{
    const struct export_set *set = &exporting->set;
    const int tiles = set->across * set->down;
    double bytes = 0;
    for (int i = 0; export_set_waits(set) && i < tiles * EXPORT_LAYERS; i++)
        if (exporting->state[i] != EXPORT_THERE && export_layer_row[i / tiles].heights &&
            !(exporting->ranged && exporting->state[i] == EXPORT_MISSING))
            bytes += (double)(export_set_count(set) * sizeof(float)) -
                     layer_bytes(exporting, (enum export_layer)(i / tiles)) / tiles;
    return bytes;
}

/* As seeding the same tiles would take. */
static int estimate(const struct exporting *exporting, struct seed_estimate *estimate)
{
    const struct export_set *set = &exporting->set;
    const struct export_rect all = export_set_all(set);
    struct tile_key key[EXPORT_LAYERS];
    int keys = 0;
    *estimate = (struct seed_estimate){0};
    for (int layer = 0; layer < EXPORT_LAYERS; layer++)
        if (set->layer[layer])
            key[keys++] = export_set_key(set, &exporting->target.key, (enum export_layer)layer, 0, 0);
    if (exporting->left == 0)
        return EXIT_DONE;
    const struct seed_plan plan = {.key = key[0],
                                   .finest = set->level,
                                   .coarsest = set->level,
                                   .rect = {all.x0, all.y0, all.x1 - 1, all.y1 - 1},
                                   .parts = 1};
    const struct seed_run run = {.plan = &plan,
                                 .world = &exporting->world,
                                 .threads = exporting->run.threads,
                                 .memory_bytes = exporting->run.memory_bytes,
                                 .also = key + 1,
                                 .alsos = keys - 1};
    if (seed_estimate(&run, NULL, false, estimate) != 0)
        return fail(EXIT_FAILED, "out of memory");
    const double share = (double)exporting->left / (double)exporting->total;
    estimate->seconds *= share;
    estimate->work_s *= share;
    return EXIT_DONE;
}

static void tell(const struct exporting *exporting, const struct seed_estimate *about)
{
    const struct export_set *set = &exporting->set;
    const double waiting = waiting_bytes(exporting);
    char room[80] = "";
    double bytes = 0;
    for (int layer = 0; layer < EXPORT_LAYERS; layer++)
        bytes += layer_bytes(exporting, (enum export_layer)layer);
    if (waiting > 0)
        snprintf(room, sizeof room, " (%.1f MB for a while: heights wait for their range)",
                 (bytes + waiting) / 1e6);
    if (isatty(STDOUT_FILENO))
        printf("%d x %d tiles, %" PRId64 " files, about %.1f MB%s, %" PRId64
               " files there already; about %.0f s, %.0f CPU "
               "seconds, from %d tiles timed just now, %u worker%s, load %.1f\n",
               set->across, set->down, files_of(set), bytes / 1e6, room, exporting->files,
               ceil(about->seconds), ceil(about->work_s), about->samples, exporting->run.threads,
               exporting->run.threads > 1 ? "s" : "", about->load);
    else
        printf("{\"files\":%" PRId64 ",\"found_files\":%" PRId64 ",\"total\":%" PRId64 ",\"found\":%" PRId64
               ",\"estimate\":true,\"bytes\":%.0f,\"room_bytes\":%.0f,\"seconds\":%.1f,\"cpu_seconds\":%.1f,"
               "\"threads\":%u,"
               "\"samples\":%d,"
               "\"load\":%.2f}\n",
               files_of(set), exporting->files, exporting->total, exporting->total - exporting->left, bytes,
               bytes + waiting, about->seconds, about->work_s, exporting->run.threads, about->samples,
               about->load);
}

static int dry_run(struct exporting *exporting)
{
    struct export_folder *folder = NULL;
    struct seed_estimate about;
    char error[EXPORT_ERROR_BYTES];
    if (export_folder_open(&folder, exporting->path, exporting->facts, true, error) != 0)
        return fail(EXIT_FAILED, error);
    int status = look(exporting, folder);
    export_folder_close(folder);
    if (status != EXIT_DONE || (status = estimate(exporting, &about)) != EXIT_DONE)
        return status;
    tell(exporting, &about);
    return seed_progress_flush("export") == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* ---- Doing it ------------------------------------------------------------------------------------------ */

/* The set is whole: its page, and its numbers. */
static int conclude(struct exporting *exporting, struct export_folder *folder, char *error)
{
    size_t bytes = 0;
    char *page = export_page(&exporting->about, &bytes);
    snprintf(error, EXPORT_ERROR_BYTES, "out of memory");
    int result = page ? export_folder_put(folder, page_name, false, page, bytes, error) : -1;
    free(page);
    if (result == 0)
        result = export_folder_note(folder, export_numbers(&exporting->about), error);
    if (result == 0)
        export_folder_finish(folder);
    return result;
}

static int make(struct exporting *exporting, struct export_folder *folder)
{
    char error[EXPORT_ERROR_BYTES];
    struct seed_progress progress = {.command = "export",
                                     .total = exporting->total,
                                     .quiet = exporting->options.quiet,
                                     .terminal = isatty(STDERR_FILENO) == 1,
                                     .found = exporting->total - exporting->left};
    struct export_about *about = &exporting->about;
    enum seed_result result = export_run(&exporting->run, folder, exporting->state, &progress, &about->low_m,
                                         &about->high_m, error);
    if (result == SEED_DONE && conclude(exporting, folder, error) != 0)
        result = SEED_FAILED;
    seed_progress_end(&progress, seed_result_name[result]);
    switch (result) {
    case SEED_DONE:
        return progress.unheard ? EXIT_FAILED : EXIT_DONE;
    case SEED_STOPPED:
        fprintf(stderr,
                "terrane export: stopped; the same command goes on from here: %" PRId64 " of %" PRId64
                " tiles were made\n",
                progress.made + progress.found, progress.total);
        return EXIT_STOPPED;
    case SEED_FAILED:
        break;
    }
    return fail(EXIT_FAILED, error);
}

static int answer(struct exporting *exporting)
{
    const struct export_options *options = &exporting->options;
    char error[EXPORT_ERROR_BYTES];
    int status;
    if (tool_names_open(&exporting->names, "export", options->config, options->recipe) != 0)
        return EXIT_USAGE;
    if ((status = read_threads(exporting)) != 0 || (status = read_world(exporting)) != 0 ||
        (status = read_set(exporting)) != 0)
        return status;
    if (options->dry_run)
        return dry_run(exporting);
    seed_run_catch_signals();
    struct export_folder *folder = NULL;
    if (export_folder_open(&folder, exporting->path, exporting->facts, false, error) != 0)
        return fail(EXIT_FAILED, error);
    status = look(exporting, folder);
    if (status == EXIT_DONE)
        status = make(exporting, folder);
    export_folder_close(folder);
    return status;
}

/* ---- The command --------------------------------------------------------------------------------------- */

int export_command(int argc, char **argv)
{
    struct exporting *exporting = calloc(1, sizeof *exporting);
    int words, status = EXIT_USAGE;
    if (!exporting)
        return fail(EXIT_FAILED, "out of memory");
    struct export_options *options = &exporting->options;
    const struct option_spec specs[] = {{"engine", 0, &options->words.engine, NULL},
                                        {"size", 0, &options->words.size, NULL},
                                        {"format", 0, &options->words.format, NULL},
                                        {"layers", 0, &options->words.layers, NULL},
                                        {"seed", 0, &options->seed, NULL},
                                        {"center", 0, &options->words.center, NULL},
                                        {"tiles", 0, &options->words.tiles, NULL},
                                        {"lod", 0, &options->lod, NULL},
                                        {"variant", 0, &options->variant, NULL},
                                        {"recipe", 0, &options->recipe, NULL},
                                        {"generator", 0, &options->generator, NULL},
                                        {"config", 0, &options->config, NULL},
                                        {"range", 0, &options->words.range, NULL},
                                        {"threads", 0, &options->threads, NULL},
                                        {"dry-run", 0, NULL, &options->dry_run},
                                        {"quiet", 0, NULL, &options->quiet},
                                        {0}};
    const int ended = options_read("export", export_usage, argc, argv, specs, &exporting->path, 1, &words);
    if (ended == EXIT_DONE)
        status = seed_progress_flush("export") == 0 ? EXIT_DONE : EXIT_FAILED;
    else if (ended == OPTIONS_FINE && (words != 1 || !*exporting->path))
        fail(EXIT_USAGE, "needs DIR: where to (see terrane export --help)");
    else if (ended == OPTIONS_FINE)
        status = answer(exporting);
    free(exporting->state);
    json_decref(exporting->facts);
    tool_names_close(&exporting->names);
    free(exporting);
    return status;
}
