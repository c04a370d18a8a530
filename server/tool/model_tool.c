/*
 * terrane model: grows one of the models and writes it to a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/terrane_features.h"
#include "../base/text.h"
#include "../encode/glb.h"
#include "tool.h"

static const char usage[] =
    "usage: terrane model NAME [options]\n"
    "       terrane model --list\n\n"
    "Grows a model of what stands on ground, and writes it as glTF 2.0, binary: metres, y up, its foot at "
    "the origin.\n\n"
    "  --list             names of the models, one a line\n"
    "  --seed N           which of its kind, 0 to 15 (default: 0)\n"
    "  -o, --output FILE  where to write, - for standard output (default where that is no terminal)\n";

/* The model of that name, or -1 with a line on standard error. */
static int model_find(const char *name)
{
    char shown[TEXT_SHOWN_BYTES];
    for (int k = 0; k < (int)TERRANE_MODELS; k++)
        if (strcmp(terrane_model_name[k], name) == 0)
            return k;
    text_show(shown, sizeof shown, name);
    fprintf(stderr, "terrane model: %s: there is no such model; there are", shown);
    for (int k = 0; k < (int)TERRANE_MODELS; k++)
        fprintf(stderr, "%s %s", k ? "," : "", terrane_model_name[k]);
    fputc('\n', stderr);
    return -1;
}

/* 0 to 15, or -1 with a line on standard error. */
static int seed_of(const char *text)
{
    char shown[TEXT_SHOWN_BYTES];
    const size_t bytes = strlen(text);
    const int seed = bytes > 0 && bytes <= 2 && strspn(text, "0123456789") == bytes
                         ? (int)strtol(text, NULL, 10)
                         : TERRANE_MODEL_SEEDS;
    if (seed < TERRANE_MODEL_SEEDS)
        return seed;
    text_show(shown, sizeof shown, text);
    fprintf(stderr, "terrane model: --seed: %s: allowed are 0 to %d\n", shown, TERRANE_MODEL_SEEDS - 1);
    return -1;
}

static int write_model(int model, int seed, const char *output)
{
    unsigned char *data;
    size_t bytes;
    if (encode_model_glb(model, seed, &data, &bytes) != 0) {
        fputs("terrane model: out of memory\n", stderr);
        return 1;
    }
    const int status = tool_write("model", data, bytes, output);
    free(data);
    return status;
}

int model_command(int argc, char **argv)
{
    const char *name = NULL, *seed_text = "0", *output = NULL;
    bool list = false;
    const struct option_spec specs[] = {
        {"list", 0, NULL, &list}, {"seed", 0, &seed_text, NULL}, {"output", 'o', &output, NULL}, {0}};
    int words;
    const int ended = options_read("model", usage, argc, argv, specs, &name, 1, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    for (int k = 0; list && k < (int)TERRANE_MODELS; k++)
        puts(terrane_model_name[k]);
    if (list)
        return 0;
    if (!name) {
        fputs("terrane model: needs a NAME (terrane model --list lists them)\n", stderr);
        return 2;
    }
    const int model = model_find(name), seed = model < 0 ? -1 : seed_of(seed_text);
    if (seed < 0)
        return 2;
    if (!output && isatty(STDOUT_FILENO)) {
        fputs("terrane model: a model is not for a terminal: use -o FILE\n", stderr);
        return 2;
    }
    return write_model(model, seed, output);
}
