/*
 * Words of a command line put together as the target that HTTP would be asked, so that both accept and refuse
 * the same things in the same words; and what names mean in them.
 */
#ifndef TERRANE_SERVER_TOOL_TARGET_H
#define TERRANE_SERVER_TOOL_TARGET_H

#include "../recipe/generations.h"
#include "../recipe/worlds.h"
#include "../service/host_limits.h"
#include "../tile/target.h"

/* A parameter of the query; value NULL: it is not given. */
struct tool_parameter {
    const char *name, *value;
};

/*
 * "/segment/segment.ending?name=value&...": count of each, with all that has a meaning in a target escaped.
 * Owned (malloc); NULL when memory is short. ending NULL: none.
 */
char *tool_target_text(const char *const *segments, size_t segment_count, const char *ending,
                       const struct tool_parameter *parameters, size_t parameter_count);

/* What names mean: those of the configuration and the book, and a recipe of a file where one is named. All
 * zero is one that tool_names_close accepts. */
struct tool_names {
    struct config config; /* with budgets that the host has room for */
    struct host_limits limits;
    struct worlds worlds;
    struct generations *file; /* owned; NULL: the recipe is of the book */
    struct target_names target;
};

/*
 * Reads the configuration: the file at config (or NULL) and the environment; and recipe where that is a file's name: it stands
 * where the standard one does, also for worlds that the configuration names. Returns 0, or -1 with a line on
 * standard error that begins with "terrane COMMAND:".
 */
int tool_names_open(struct tool_names *names, const char *command, const char *config, const char *recipe);
void tool_names_close(struct tool_names *names);

/* Reads a target's text (of tool_target_text) and the recipe's name that links need. */
void tool_target_read(struct target *target, const char *text, const struct tool_names *names);

/* Does it name a world whose seed is a secret? */
bool tool_target_is_secret(const struct target *target, const struct tool_names *names);

/*
 * Gives the target of such a world the alias that its servers have, which stands in the seed's place; others stay. What only reads (and not makes) creates no
 * secret (what does says so), and where there is none, or the recipe is another one, the target stays, with a line on standard error in the first case. Returns 0, or the
 * exit status, with a line on standard error that begins with "terrane COMMAND:".
 */
int tool_target_hide(struct target *target, struct tool_names *names, const char *command, bool makes);

#endif
