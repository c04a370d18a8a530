/*
 * terrane find: the nearest of a kind from a place, as /find answers it. Words are read as the target that HTTP would be asked
 * (tool_target.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "../render/product.h"
#include "../render/seek.h"
#include "tool.h"
#include "tool_target.h"

static const char usage[] =
    "usage: terrane find SEED WHAT X Y [options]\n\n"
    "  SEED               a number, 0x hex or a name\n"
    "  WHAT               peak, lake, river, mouth (of a river, in the sea), coast, cave (a way in), place "
    "(a\n"
    "                     town or village), town, zone:NAME or cover:NAME (terrane recipe tells names)\n"
    "  X Y                from where: metres to the east and the south of the world's middle\n"
    "  --limit N          at most so many, the nearest first: 1 (default) to 10\n"
    "  --lod L            the finest level that is looked at: 0 .. 15 (default: 9); places and caves have "
    "their "
    "own\n"
    "  --recipe R         a recipe of the book (terrane recipe lists it), or a FILE.json\n"
    "  --generator N      one that is kept, whose functions make the world (default: the recipe's)\n"
    "  --config FILE      for the names of worlds, and the directory of recipes\n"
    "  -o, --output FILE  where to write, - for standard output (default)\n\n"
    "Writes GeoJSON: what was found, and how far was looked. Nothing found is an answer, too.\n\n"
    "examples:\n"
    "  terrane find 42 lake 0 0\n"
    "  terrane find 42 town 12000 -3000 --recipe wayfarer --limit 5\n";

struct find_options {
    const char *limit, *level, *recipe, *generator, *config, *output;
};

/* The target, owned; NULL when memory is short. */
static char *target_of(const char *const word[4], const struct find_options *options)
{
    const char *const segments[] = {"find", word[0]};
    const struct tool_parameter parameters[] = {
        {"what", word[1]},
        {"x", word[2]},
        {"y", word[3]},
        {"limit", options->limit},
        {"lod", options->level},
        {"recipe", tool_is_file(options->recipe) ? NULL : options->recipe},
        {"v", options->generator},
    };
    return tool_target_text(segments, 2, NULL, parameters, sizeof parameters / sizeof *parameters);
}

/* Makes all tiles that a search wants, and goes on with them. Returns 0, or -1 when memory is short. */
static int step(struct seek *seek, const struct terrane_world *world, struct producer *producer,
                struct memory *memory)
{
    const size_t wants = seek_wants(seek);
    for (size_t k = 0; k < wants; k++) {
        struct produce_times times = {0};
        struct tile_key key;
        seek_key(seek, k, &key);
        const struct product_key product = product_of_tile(&key);
        struct blob *blob = product_make_alone(producer, &product, world, memory, &times);
        if (!blob)
            return -1;
        seek_give(seek, k, blob);
    }
    return seek_step(seek);
}

static int find(const struct target *target, const struct find_options *options)
{
    struct terrane_world world;
    alias_world_init(&world, &target->recipe->world, target->key.seed, target->key.alias);
    const double max_m = terrane_lattice_m(&world, 0, TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES),
                 x_m = target->place.x_m, y_m = target->place.y_m;
    if (x_m < -max_m || x_m >= max_m || y_m < -max_m || y_m >= max_m) {
        fprintf(stderr, "terrane find: X and Y: the world spans %.17g to %.17g m\n", -max_m, max_m);
        return 2;
    }
    struct producer *producer = producer_create();
    struct memory *memory = memory_create(PRODUCE_BYTES);
    struct seek *seek = seek_create(&world, &target->key, &target->find, x_m, y_m, target->key.level);
    int status = 1;
    bool fine = producer && memory && seek;
    while (fine && seek_wants(seek) > 0)
        fine = step(seek, &world, producer, memory) == 0;
    size_t bytes = 0;
    char *text = fine ? seek_text(seek, &bytes) : NULL;
    if (text)
        status = tool_write("find", (const unsigned char *)text, bytes, options->output);
    else
        fprintf(stderr, "terrane find: out of memory\n");
    free(text);
    seek_free(seek);
    memory_free(memory);
    producer_free(producer);
    return status;
}

/* Reads the words as a target and looks for what it names. */
static int answer(const char *const word[4], const struct find_options *options, struct tool_names *names)
{
    struct target target = {0};
    int status = 2;
    char *text = target_of(word, options);
    if (!text) {
        fprintf(stderr, "terrane find: out of memory\n");
        return 1;
    }
    tool_target_read(&target, text, names);
    if (target.status == 0)
        target_finish(&target, FORMAT_F32);
    if (target.status || target.route != ROUTE_FIND)
        fprintf(stderr, "terrane find: %s\n", target.detail);
    else if ((status = tool_target_hide(&target, names, "find", false)) == 0)
        status = find(&target, options);
    free(text);
    return status;
}

int find_command(int argc, char **argv)
{
    struct find_options options = {0};
    const struct option_spec specs[] = {{"limit", 0, &options.limit, NULL},
                                        {"lod", 0, &options.level, NULL},
                                        {"recipe", 0, &options.recipe, NULL},
                                        {"generator", 0, &options.generator, NULL},
                                        {"config", 0, &options.config, NULL},
                                        {"output", 'o', &options.output, NULL},
                                        {0}};
    const char *word[4] = {NULL};
    struct tool_names names;
    int words;

    const int ended = options_read("find", usage, argc, argv, specs, word, 4, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    if (words != 4) {
        fprintf(stderr, "terrane find: needs SEED WHAT X Y (see terrane find --help)\n");
        return 2;
    }
    if (tool_names_open(&names, "find", options.config, options.recipe) != 0)
        return 2;
    const int status = answer(word, &options, &names);
    tool_names_close(&names);
    return status;
}
