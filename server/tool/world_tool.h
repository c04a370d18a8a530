/* Between the files of `terrane world`: world_tool.c has the command, world_rewrite.c what writes a world's file anew. */
#ifndef TERRANE_SERVER_WORLD_TOOL_H
#define TERRANE_SERVER_WORLD_TOOL_H

#include "../config/config.h"
#include "../recipe/worlds.h"
#include "../shared/shared.h"

struct world_tool {
    const char *name, *seed, *recipe, *config_file, *keep,
        *generator; /* as they are given; NULL: they are not */
    struct config config;
    struct worlds worlds;
    char *dir; /* owned */
    char error[SHARED_ERROR_BYTES];
};

/* The error on standard error; the exit status. */
int world_fail(const struct world_tool *tool);

/* A recipe's text with the generator that makes it, so that it goes on doing so. Owned; NULL, and the error says why. */
char *world_pinned_text(struct world_tool *tool, const char *text, size_t bytes, int generator);

int world_compact(struct world_tool *tool);
int world_rebase(struct world_tool *tool);

#endif
