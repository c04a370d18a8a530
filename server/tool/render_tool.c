/*
 * terrane render: one tile, or many as one picture, into a file. The words are put together as the target that HTTP would be asked, so
 * that both accept and refuse the same things in the same words.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../http/target.h"
#include "../recipe/worlds.h"
#include "../render/produce.h"
#include "mosaic.h"
#include "options.h"
#include "tool.h"

static const char usage[] =
    "usage: terrane render SEED LOD X Y [options]\n\n"
    "  SEED LOD X Y       as in /tile/SEED/LOD/X/Y: a number, 0x hex or a name; 0 (finest) .. 24; tile, "
    "signed\n"
    "  --layer L          height (default), normal, partition, slope, hillshade, relief, water, surface,\n"
    "                     delta, flow\n"
    "  --variant V        base or eroded (default: eroded where the recipe erodes)\n"
    "  --region WxH       one picture of W x H tiles, 1 to 16 each, from tile X, Y on to the east and "
    "south:\n"
    "                     as png of any layer, as f32, r16 or npy of those with one number a sample; takes\n"
    "                     128 MB, and four times the picture (at most 4096 x 4096)\n"
    "  --format F         png (default), f32, r16, npy, json; or what FILE's name ends with\n"
    "  --size N           2^k from 2 to 512 or 2^k + 1 from 3 to 257 (default: 256 for png, else 257);\n"
    "                     with --region 2^k from 2 to 256 (default: 256)\n"
    "  --enc E            of a png of height, surface or delta: terrarium (default), mapbox, gray16\n"
    "  --recipe R         a recipe of the book (terrane recipe lists it), or a FILE.json\n"
    "  --config FILE      for the names of worlds, and the directory of recipes\n"
    "  -o, --output FILE  where to write (default: standard output, when that is no terminal)\n";

struct render_options {
    const char *layer, *variant, *format, *size, *enc, *recipe, *config, *output, *region;
    int across, down; /* tiles of the region; 0: one tile */
    bool help;
};

/* Adds text with everything that has a meaning in a target escaped. */
static void add_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (strchr("/?&=%.+", *text) || *text <= ' ' || *text > '~')
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
}

/* What was asked for, else what the file's name ends with, else png. An ending that is no format is refused as one. */
static const char *format_of(const struct render_options *options)
{
    const char *slash = options->output ? strrchr(options->output, '/') : NULL;
    const char *dot = options->output ? strrchr(slash ? slash : options->output, '.') : NULL;
    if (options->format)
        return options->format;
    return dot && dot[1] ? dot + 1 : "png";
}

/* The target, owned; NULL when memory is short. */
static char *target_of(const char *const word[4], const struct render_options *options)
{
    const struct {
        const char *name, *value;
    } parameter[] = {{"layer", options->layer},
                     {"variant", options->variant},
                     {"size", options->size || !options->region ? options->size : "256"},
                     {"enc", options->enc},
                     {"recipe", tool_is_file(options->recipe) ? NULL : options->recipe}};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "/tile");
    for (int i = 0; i < 4; i++) {
        fputc('/', out);
        add_escaped(out, word[i]);
    }
    fputc('.', out);
    add_escaped(out, format_of(options));
    for (size_t i = 0; i < sizeof parameter / sizeof *parameter; i++)
        if (parameter[i].value) {
            fprintf(out, "&%s=", parameter[i].name);
            add_escaped(out, parameter[i].value);
        }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    char *first = strchr(text, '&');
    if (first)
        *first = '?';
    return text;
}

static int write_out(const unsigned char *data, size_t bytes, const char *path)
{
    FILE *out = path ? fopen(path, "wb") : stdout;
    if (!out) {
        fprintf(stderr, "terrane render: %s: %s\n", path, strerror(errno));
        return 1;
    }
    struct stat status;
    const bool file = path && fstat(fileno(out), &status) == 0 && S_ISREG(status.st_mode);
    const bool wrote = fwrite(data, 1, bytes, out) == bytes;
    const int closed = path ? fclose(out) : fflush(stdout);
    if (wrote && closed == 0)
        return 0;
    fprintf(stderr, "terrane render: %s: %s\n", path ? path : "standard output", strerror(errno));
    if (file) /* half a tile helps nobody; a device stays */
        remove(path);
    return 1;
}

static int render(const struct target *target, const struct render_options *options)
{
    struct terrane_world world;
    struct produce_times times = {0};
    struct producer *producer = producer_create();
    struct blob *blob = NULL;
    int status = 1;
    terrane_world_init(&world, &target->recipe->world, target->key.seed);
    if (producer)
        blob = produce(producer, &target->key, &world, &times);
    if (blob)
        status = write_out(blob->data, blob->bytes, options->output);
    else
        fprintf(stderr, "terrane render: out of memory\n");
    blob_release(blob);
    producer_free(producer);
    return status;
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

/* A number from 1 to 16 and what ends it; 0: none. */
static int read_tiles(const char **at, char end)
{
    int value = 0;
    if (**at < '1' || **at > '9')
        return 0;
    for (; **at >= '0' && **at <= '9' && value <= MOSAIC_TILES_MOST; ++*at)
        value = value * 10 + (**at - '0');
    return value <= MOSAIC_TILES_MOST && *(*at)++ == end ? value : 0;
}

/* Reads --region, where it is given. */
static int read_region(struct render_options *options)
{
    const char *at = options->region;
    if (!at)
        return 0;
    options->across = read_tiles(&at, 'x');
    options->down = options->across > 0 ? read_tiles(&at, 0) : 0;
    if (options->down > 0)
        return 0;
    fprintf(stderr, "terrane render: region=%.40s: must be WxH, each from 1 to %d\n", options->region,
            MOSAIC_TILES_MOST);
    return -1;
}

/* What a target may ask of one tile, but not of many. true: a line about it stands on standard error. */
static bool region_is_refused(const struct tile_key *key, const struct render_options *options)
{
    if (!mosaic_has(key->layer, key->format))
        fprintf(stderr, "terrane render: ext=%s: a region of this layer has no such format\n",
                tile_format_name[key->format]);
    else if (key->size > TERRANE_TILE_SAMPLES || key->size % 2 != 0)
        fprintf(stderr, "terrane render: size=%d: must be 2^k from 2 to 256 with --region\n", key->size);
    else if (key->x > TERRANE_TILE_LIMIT - options->across)
        fprintf(stderr, "terrane render: x=%" PRId64 ": the region reaches beyond the last tile\n", key->x);
    else if (key->y > TERRANE_TILE_LIMIT - options->down)
        fprintf(stderr, "terrane render: y=%" PRId64 ": the region reaches beyond the last tile\n", key->y);
    else
        return false;
    return true;
}

static int render_region(const struct target *target, const struct render_options *options)
{
    struct terrane_world world;
    const struct mosaic mosaic = {
        .world = &world,
        .first = target->key,
        .across = options->across,
        .down = options->down,
        .progress = isatty(STDERR_FILENO),
    };
    unsigned char *data = NULL;
    size_t bytes;
    int status = 1;
    if (region_is_refused(&target->key, options))
        return 2;
    terrane_world_init(&world, &target->recipe->world, target->key.seed);
    if (mosaic_make(&mosaic, &data, &bytes) == 0)
        status = write_out(data, bytes, options->output);
    else
        fprintf(stderr, "terrane render: out of memory\n");
    free(data);
    return status;
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* Reads the words as a target and makes the tile. The names have been opened. */
static int answer(const char *const word[4], const struct render_options *options,
                  const struct target_names *names)
{
    struct target target;
    int status = 2;
    char *text = target_of(word, options);
    if (text)
        target_parse(&target, text, strlen(text), names);
    if (text && target.recipe != names->standard)
        target.key.recipe = target.recipe->name;
    if (!text)
        fprintf(stderr, "terrane render: out of memory\n");
    else if (target.status || target.route != ROUTE_TILE)
        fprintf(stderr, "terrane render: %s\n", target.detail);
    else if (!options->output && isatty(STDOUT_FILENO) && target.key.format != FORMAT_JSON)
        fprintf(stderr, "terrane render: a tile is not for a terminal: use -o FILE\n");
    else
        status = options->region ? render_region(&target, options) : render(&target, options);
    free(text);
    return status;
}

/* The seed of a named world, whatever its recipe. */
static bool seed_named(const void *worlds, const char *name, size_t bytes, uint64_t *seed,
                       const struct recipe **recipe)
{
    const struct recipe *its = NULL;
    (void)recipe;
    return worlds_named(worlds, name, bytes, seed, &its);
}

/* A recipe of a file stands where the standard one does, also for worlds that the configuration names. */
static int with_recipe(const char *const word[4], const struct render_options *options,
                       const struct worlds *worlds)
{
    static struct recipe recipe;
    char error[RECIPE_ERROR_BYTES];
    struct target_names names = {worlds_named, worlds_recipe, worlds, worlds->standard};
    if (!tool_is_file(options->recipe))
        return answer(word, options, &names);
    if (recipe_load(&recipe, options->recipe, error, sizeof error) != 0) {
        fprintf(stderr, "terrane render: %s\n", error);
        return 2;
    }
    names.standard = &recipe;
    names.world = seed_named;
    return answer(word, options, &names);
}

int render_command(int argc, char **argv)
{
    struct render_options options = {0};
    const struct option_spec specs[] = {{"layer", 0, &options.layer, NULL},
                                        {"variant", 0, &options.variant, NULL},
                                        {"format", 0, &options.format, NULL},
                                        {"size", 0, &options.size, NULL},
                                        {"enc", 0, &options.enc, NULL},
                                        {"recipe", 0, &options.recipe, NULL},
                                        {"config", 0, &options.config, NULL},
                                        {"output", 'o', &options.output, NULL},
                                        {"region", 0, &options.region, NULL},
                                        {"help", 'h', NULL, &options.help},
                                        {0}};
    const char *word[4];
    char error[CONFIG_ERROR_BYTES];
    struct config config = {0};
    struct worlds worlds = {0};
    int words, status = 2;

    if (options_read("render", argc, argv, specs, word, 4, &words) != 0)
        return 2;
    if (options.help) {
        fputs(usage, stdout);
        return 0;
    }
    if (words != 4) {
        fprintf(stderr, "terrane render: needs SEED LOD X Y (see terrane render --help)\n");
        return 2;
    }
    if (read_region(&options) != 0)
        return 2;
    if (config_load(&config, options.config, error, sizeof error) == 0 &&
        worlds_open(&worlds, &config, error, sizeof error) == 0)
        status = with_recipe(word, &options, &worlds);
    else
        fprintf(stderr, "terrane render: %s\n", error);
    worlds_close(&worlds);
    config_free(&config);
    return status;
}
