/*
 * terrane, the program: finds the command and runs it.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "../lib/terrane.h"
#include "encode/encode.h"
#include "tool/tool.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} command[] = {
    {"serve", serve_command, "serve tiles over HTTP"},
    {"render", render_command, "make a tile, or a window of samples, and write it to a file"},
    {"seed", seed_command, "make many tiles: into the cache, or into an archive"},
    {"export", export_command,
     "write tiles that Unreal, Unity, Godot and Blender import, and the numbers to type in"},
    {"recipe", recipe_command, "list recipes, or check one and tell what it makes"},
    {"find", find_command, "find the nearest lake, river, peak or town from a place"},
    {"import", import_command, "make a world of a map of your own: a recipe, and its heights beside it"},
    {"model", model_command, "grow a tree, a cactus or a boulder, and write it as glTF"},
    {"config", config_command, "tell the keys of the configuration: a table, a file, a schema"},
    {"analyze", analyze_command, "measure a world, or real ground: coasts, slopes, spectra"},
    {"path", analyze_command,
     "measure how paths are routed and carved: Velzel, Natural Path Generation, again"},
    {"health", health_command, "ask a running server whether it is ready"},
    {"bench", bench_command, "measure kernels and encoders on this machine"},
    {"world", world_command, "make worlds that people change, list, check and copy them"},
    {"key", key_command, "make an API key, and what the file of keys says of it"},
};

enum {
    COMMANDS = sizeof command / sizeof *command,
    /* Measured: 196 of the first thread and 72 of each other, which has as much as the limit says; the rest is for resolvers. */
    MIN_STACK_KIB = 512
};

static void help(FILE *out)
{
    fprintf(
        out,
        "usage: terrane COMMAND ...\n\n"
        "terrane makes worlds: heightmaps, normals and zones of endless terrain, the same bits for everyone\n"
        "who asks, in whatever order, on whatever machine.\n\ncommands:\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", command[i].name, command[i].what);
    fprintf(out,
            "\n  terrane COMMAND --help    the command's options\n"
            "  terrane --version         version, generator version and kernels\n\n"
            "environment:\n"
            "  TERRANE_CONFIG the configuration's file, where no --config is given\n"
            "  TERRANE_...    any key of the configuration: TERRANE_CACHE_DISK_BYTES is cache.disk_bytes\n"
            "  TERRANE_ISA    kernels to use:");
    for (int k = 0; terrane_isa_usable(k); k++)
        fprintf(out, "%s %s", k ? "," : "", terrane_isa_usable(k));
    fprintf(out, " (default: the first)\n");
}

/* The exit status of a command, once what it printed is out: 1 where that could not be written. */
static int finish(const char *name, int status)
{
    const bool failed = ferror(stdout) != 0;
    errno = 0;
    if ((fflush(stdout) == 0 && !failed) || status != 0) /* a command that failed has said why */
        return status;
    fprintf(stderr, "terrane%s%s: standard output: %s\n", *name == '-' ? "" : " ", *name == '-' ? "" : name,
            errno ? strerror(errno) : "cannot be written");
    return 1;
}

/* Beyond the limit the kernel ends a program without a word. */
static bool has_stack(const char *name)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= MIN_STACK_KIB * 1024)
        return true;
    fprintf(stderr, "terrane %s: %llu KiB of stack are allowed (ulimit -s), and at least %d are needed\n",
            name, (unsigned long long)limit.rlim_cur / 1024, MIN_STACK_KIB);
    return false;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        help(argc > 1 ? stdout : stderr);
        return argc > 1 ? finish("--help", 0) : 2;
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that may grow no further (ulimit -f) is an error, like a full disk */
    if (tool_init() != 0)
        return 2;
    if (strcmp(name, "--version") == 0) {
        printf("terrane %s, generator %d, kernels %s, libdeflate %s\n", TERRANE_VERSION,
               TERRANE_GENERATOR_VERSION, terrane_isa(), encode_compressor_version());
        return finish(name, 0);
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, command[i].name) == 0)
            return has_stack(name) ? finish(name, command[i].run(argc - 2, argv + 2)) : 1;
    fprintf(stderr, "terrane: %s: unknown command (see terrane --help)\n", name);
    return 2;
}
