/*
 * terrane render: one tile, or many as one picture, into a file. Words are read as the target that HTTP would be asked
 * (tool_target.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/text.h"
#include "../render/product.h"
#include "mosaic.h"
#include "tool.h"
#include "tool_target.h"

static const char usage[] =
    "usage: terrane render SEED LOD X Y [options]\n"
    "       terrane render SEED LOD --window X0,Y0,W,H [options]\n\n"
    "  SEED LOD X Y       as in /tile/SEED/LOD/X/Y: a number, 0x hex or a name; 0 (finest) .. 24; tile, "
    "signed\n"
    "  --window X0,Y0,W,H  W x H samples of the level, up to 4097 x 4097, from sample X0, Y0 on to the east "
    "and\n"
    "                     south, wherever that is: as png, f32, r16, npy, tif, exr or rgba8, whichever the\n"
    "                     layer has; takes 128 MB, and four times the picture\n"
    "  --region WxH       the same as tiles: W x H of them, 1 to 16 each, from tile X, Y on\n"
    "  --layer L          $layers\n"
    "  --variant V        base, eroded or carved (default: the last that the recipe has)\n"
    "  --format F         $formats; or what FILE's name ends with\n"
    "  --size N           2^k from 2 to 512 or 2^k + 1 from 3 to 257 (default: 256 for png, 129 for glb, "
    "else\n"
    "                     257); with --region 2^k from 2 to 256 (default: 256)\n"
    "  --enc E            of a png of height or surface: terrarium (default), mapbox, gray16 (not of delta); "
    "of a "
    "glb\n"
    "                     quantised\n"
    "  --bands B          of a png or rgba8 of cover: 0 (default), the first four materials, or 1, the "
    "others\n"
    "  --texture relief   of a glb of height or surface: its relief, as a picture on it\n"
    "  --recipe R         a recipe of the book (terrane recipe lists it), or a FILE.json\n"
    "  --generator N      one that is kept, whose functions make the world (default: the recipe's)\n"
    "  --config FILE      for the names of worlds, and the directory of recipes\n"
    "  -o, --output FILE  where to write, - for standard output (default where that is no terminal)\n\n"
    "examples:\n"
    "  terrane render 42 0 3 -7 -o tile.png\n"
    "  terrane render 42 4 --window -1000,500,1201,801 --layer relief -o map.png\n"
    "  terrane render 42 6 -4 -4 --region 8x8 --format npy -o heights.npy\n";

enum { REGION_TILES_MAX = 16 }; /* along either axis */

struct render_options {
    const char *layer, *variant, *format, *size, *enc, *bands, *texture, *recipe, *generator, *config,
        *output, *region, *window;
    int across, down;   /* tiles of the region; 0: one tile */
    char corner[4][24]; /* of the window, as words: x0, y0, w, h */
};

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
    const char *const tile[] = {"tile", word[0], word[1], word[2], word[3]};
    const char *const region[] = {"region", word[0]};
    const bool window = options->window != NULL;
    const struct tool_parameter parameters[] = {
        {"layer", options->layer},
        {"variant", options->variant},
        {"size", options->size || !options->region ? options->size : "256"},
        {"enc", options->enc},
        {"bands", options->bands},
        {"texture", options->texture},
        {"recipe", tool_is_file(options->recipe) ? NULL : options->recipe},
        {"v", options->generator},
        {"lod", window ? word[1] : NULL},
        {"x0", window ? options->corner[0] : NULL},
        {"y0", window ? options->corner[1] : NULL},
        {"w", window ? options->corner[2] : NULL},
        {"h", window ? options->corner[3] : NULL}};
    return tool_target_text(window ? region : tile, window ? 2 : 5, format_of(options), parameters,
                            sizeof parameters / sizeof *parameters);
}

static int render(const struct target *target, const struct render_options *options)
{
    struct terrane_world world;
    struct produce_times times = {0};
    struct producer *producer = producer_create();
    struct blob *blob = NULL;
    int status = 1;
    alias_world_init(&world, &target->recipe->world, target->key.seed, target->key.alias);
    if (producer)
        blob = produce(producer, &target->key, &world, &times);
    if (blob)
        status = tool_write("render", blob->data, blob->bytes, options->output);
    else
        fprintf(stderr, "terrane render: out of memory\n");
    blob_release(blob);
    producer_free(producer);
    return status;
}

/* ---- Regions and windows ------------------------------------------------------------------------------- */

static int read_region(struct render_options *options)
{
    const char *at = options->region;
    if (!at)
        return 0;
    int64_t across, down;
    if (word_number(&at, REGION_TILES_MAX, &across) && word_skip(&at, 'x') &&
        word_number(&at, REGION_TILES_MAX, &down) && !*at && across > 0 && down > 0) {
        options->across = (int)across;
        options->down = (int)down;
        return 0;
    }
    fprintf(stderr, "terrane render: region=%.*s: must be WxH, each from 1 to %d\n",
            text_cut(options->region, 40), options->region, REGION_TILES_MAX);
    return -1;
}

/* Cuts --window, where it is given, into four words; what they have to be is the target's to say. */
static int read_window(struct render_options *options)
{
    const char *at = options->window;
    if (!at)
        return 0;
    for (int i = 0; i < 4; i++) {
        const size_t bytes = strcspn(at, ",");
        const bool ends = at[bytes] == (i < 3 ? ',' : 0);
        if (bytes == 0 || bytes >= sizeof options->corner[i] || !ends) {
            fprintf(stderr, "terrane render: window=%.*s: must be X0,Y0,W,H: samples of the level\n",
                    text_cut(options->window, 80), options->window);
            return -1;
        }
        memcpy(options->corner[i], at, bytes);
        at += bytes + (i < 3);
    }
    return 0;
}

/* What a target may ask of one tile, but not of many. true: a line about it stands on standard error. */
static bool mosaic_is_refused(const struct mosaic *mosaic, bool window)
{
    const struct tile_key *key = &mosaic->key;
    const int64_t end = TERRANE_TILE_LIMIT * key->size;
    if (!tile_layer_has_window(key->layer, key->format))
        fprintf(stderr, "terrane render: ext=%s: a region of this layer has no such format\n",
                tile_format_name[key->format]);
    else if (key->size > TERRANE_TILE_SAMPLES || key->size % 2 != 0)
        fprintf(stderr, "terrane render: size=%d: must be 2^k from 2 to 256 with --region\n", key->size);
    else if (mosaic->x0 > end - mosaic->width)
        fprintf(stderr, "terrane render: %s=%" PRId64 ": the region reaches beyond the last tile\n",
                window ? "x0" : "x", key->x);
    else if (mosaic->y0 > end - mosaic->height)
        fprintf(stderr, "terrane render: %s=%" PRId64 ": the region reaches beyond the last tile\n",
                window ? "y0" : "y", key->y);
    else
        return false;
    return true;
}

static int render_mosaic(const struct mosaic *mosaic, const struct render_options *options)
{
    unsigned char *data = NULL;
    size_t bytes;
    int status = 1;
    if (mosaic_make(mosaic, &data, &bytes) == 0)
        status = tool_write("render", data, bytes, options->output);
    else
        fprintf(stderr, "terrane render: out of memory\n");
    free(data);
    return status;
}

/* Of a target that names the region's first tile, or a window. */
static int render_many(const struct target *target, const struct render_options *options)
{
    const struct tile_key *key = &target->key;
    struct terrane_world world;
    struct mosaic mosaic = {
        .world = &world,
        .key = *key,
        .x0 = key->x * key->size,
        .y0 = key->y * key->size,
        .width = options->across * key->size,
        .height = options->down * key->size,
        .progress = isatty(STDERR_FILENO),
    };
    if (options->window) {
        mosaic.key.x = mosaic.x0 = target->window.x0; /* in words about them */
        mosaic.key.y = mosaic.y0 = target->window.y0;
        mosaic.width = target->window.width;
        mosaic.height = target->window.height;
    }
    if (mosaic_is_refused(&mosaic, options->window != NULL))
        return 2;
    alias_world_init(&world, &target->recipe->world, key->seed, key->alias);
    return render_mosaic(&mosaic, options);
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* Reads the words as a target and makes what it names. */
static int answer(const char *const word[4], const struct render_options *options, struct tool_names *names)
{
    struct target target = {0};
    int status = 2;
    char *text = target_of(word, options);
    if (text)
        tool_target_read(&target, text, names);
    if (text && target.status == 0 && target.route == ROUTE_REGION) { /* of tiles, whose default differs */
        target.key.size = TERRANE_TILE_SAMPLES;
        target_finish(&target, target.key.format);
    }
    if (!text)
        fprintf(stderr, "terrane render: out of memory\n");
    else if (target.status || target.route != (options->window ? ROUTE_REGION : ROUTE_TILE))
        fprintf(stderr, "terrane render: %s\n", target.detail);
    else if (!options->output && isatty(STDOUT_FILENO) && target.key.format != FORMAT_JSON)
        fprintf(stderr, "terrane render: a tile is not for a terminal: use -o FILE\n");
    else if ((status = tool_target_hide(&target, names, "render", false)) == 0)
        status =
            options->region || options->window ? render_many(&target, options) : render(&target, options);
    free(text);
    return status;
}

/* What the words and options cannot be together: a line on standard error, and true. */
static bool is_contradictory(const struct render_options *options, int words)
{
    if (options->window && (options->region || options->size))
        fprintf(stderr, "terrane render: --window takes no %s: it is in samples of the level\n",
                options->region ? "--region" : "--size");
    else if (words != (options->window ? 2 : 4))
        fprintf(stderr,
                "terrane render: needs SEED LOD X Y (or SEED LOD and --window; see terrane render --help)\n");
    else
        return false;
    return true;
}

int render_command(int argc, char **argv)
{
    struct render_options options = {0};
    const struct option_spec specs[] = {{"layer", 0, &options.layer, NULL},
                                        {"variant", 0, &options.variant, NULL},
                                        {"format", 0, &options.format, NULL},
                                        {"size", 0, &options.size, NULL},
                                        {"enc", 0, &options.enc, NULL},
                                        {"bands", 0, &options.bands, NULL},
                                        {"texture", 0, &options.texture, NULL},
                                        {"recipe", 0, &options.recipe, NULL},
                                        {"generator", 0, &options.generator, NULL},
                                        {"config", 0, &options.config, NULL},
                                        {"output", 'o', &options.output, NULL},
                                        {"region", 0, &options.region, NULL},
                                        {"window", 0, &options.window, NULL},
                                        {0}};
    const char *word[4] = {NULL};
    struct tool_names names;
    int words;

    const int ended = options_read("render", usage, argc, argv, specs, word, 4, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    if (is_contradictory(&options, words) || read_region(&options) != 0 || read_window(&options) != 0 ||
        tool_names_open(&names, "render", options.config, options.recipe) != 0)
        return 2;
    const int status = answer(word, &options, &names);
    tool_names_close(&names);
    return status;
}
