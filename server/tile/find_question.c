/*
 * The rows of finds.inc, and the words in which they are asked for.
 */
#include <stdio.h>
#include <string.h>

#include "find.h"
#include "tile.h"

#define BIT(layer)          (UINT32_C(1) << (layer))
#define GROUND_AND_WATER    (BIT(LAYER_HEIGHT) | BIT(LAYER_SURFACE))

#define FIND(id, name, ...) [FIND_##id] = {__VA_ARGS__},
const struct find_row find_row[FINDS] = {
#include "finds.inc"
};
#undef FIND

#define FIND(id, name, ...) [FIND_##id] = name,
static const char *const find_name[FINDS] = {
#include "finds.inc"
};

enum {
    NAMES_MAX =
        (int)TERRANE_ZONES_MAX > (int)TERRANE_MATERIALS_MAX ? TERRANE_ZONES_MAX : TERRANE_MATERIALS_MAX
};

/* The names that may stand behind the colon. Returns how many. */
static int names_of(enum find_what what, const struct terrane_recipe *recipe, const char **name)
{
    const bool zones = what == FIND_ZONE;
    const int count = zones ? recipe->partition.zones : recipe->cover.materials;
    for (int k = 0; k < count; k++)
        name[k] = zones ? recipe->partition.zone[k].name : recipe->cover.material[k].name;
    return count;
}

/* A layer that such things are read from, and that the recipe has not; LAYERS: none. */
static int lacking(const struct terrane_recipe *recipe, enum find_what what)
{
    for (int l = 0; l < LAYERS; l++)
        if ((find_row[what].layers & BIT(l)) && !tile_layer_is_in(recipe, (enum tile_layer)l))
            return l;
    return LAYERS;
}

static void list_kinds(char why[FIND_WHY_BYTES])
{
    int n = snprintf(why, FIND_WHY_BYTES, "must be one of ");
    for (int k = 0; k < FINDS && n < FIND_WHY_BYTES; k++)
        n += snprintf(why + n, (size_t)(FIND_WHY_BYTES - n), "%s%s%s", k > 0 ? ", " : "", find_name[k],
                      find_row[k].named ? ":NAME" : "");
}

unsigned find_read(const char *text, const struct terrane_recipe *recipe, struct find_question *question,
                   char why[FIND_WHY_BYTES])
{
    const char *name[NAMES_MAX], *colon = strchr(text, ':');
    const int what = tile_name_find(find_name, FINDS, text, colon ? (size_t)(colon - text) : strlen(text));
    if (what < 0 || (colon != NULL) != find_row[what].named) {
        list_kinds(why);
        return 400;
    }
    question->what = (enum find_what)what;
    question->which = 0;
    const int lacks = lacking(recipe, question->what);
    if (lacks < LAYERS) {
        snprintf(why, FIND_WHY_BYTES, "the recipe has no layer %s", tile_layer_name[lacks]);
        return 404;
    }
    if ((find_row[what].layers & BIT(LAYER_PATH)) && recipe->paths.towns.block_log2 == 0) {
        snprintf(why, FIND_WHY_BYTES, "the recipe has no towns");
        return 404;
    }
    if (!colon)
        return 0;
    const int count = names_of(question->what, recipe, name);
    question->which = tile_name_find(name, count, colon + 1, strlen(colon + 1));
    if (question->which >= 0)
        return 0;
    const int n = snprintf(why, FIND_WHY_BYTES, "the recipe has ");
    tile_names_list(why + n, FIND_WHY_BYTES - (size_t)n, name, count);
    return 404;
}

const char *find_write(const struct find_question *question, const struct terrane_recipe *recipe,
                       char what[FIND_WHAT_BYTES])
{
    const char *name[NAMES_MAX];
    const bool named = find_row[question->what].named;
    if (named)
        names_of(question->what, recipe, name);
    snprintf(what, FIND_WHAT_BYTES, "%s%s%s", find_name[question->what], named ? ":" : "",
             named ? name[question->which] : "");
    return what;
}
