/*
 * Files of heights that a reload found changed: their worlds are others from then on; and those that a reload would find so.
 */
#include <stdio.h>
#include <string.h>

#include "../raster/raster_set.h"
#include "worlds.h"

static const struct raster_set *set_of(const struct recipe *recipe)
{
    return (const struct raster_set *)(const void *)recipe->rasters; /* its first member */
}

/* The file of that name; NULL: the recipe names none such. */
static const struct raster_file *file_of(const struct recipe *recipe, const char *name)
{
    const struct raster_set *set = set_of(recipe);
    for (int k = 0; set && k < set->count; k++)
        if (strcmp(set->file[k].name, name) == 0)
            return &set->file[k];
    return NULL;
}

static bool differ(const struct raster_file *a, const struct raster_file *b)
{
    return a->raster.width != b->raster.width ||
           memcmp(&a->raster.digest, &b->raster.digest, sizeof a->raster.digest) != 0;
}

/* Names that are listed, up to so many. */
struct listed {
    char *names;
    size_t bytes, used, count;
};

static void list(struct listed *listed, const char *file, const char *recipe)
{
    if (listed->count++ < WORLDS_CHANGED_NAMED && listed->used < listed->bytes)
        listed->used += (size_t)snprintf(listed->names + listed->used, listed->bytes - listed->used,
                                         "%s%s of %s", listed->used ? ", " : "", file, recipe);
}

size_t worlds_changed(const struct worlds *before, const struct worlds *now, char *names, size_t names_bytes)
{
    const struct recipe *recipe;
    struct listed listed = {names, names_bytes, 0, 0};
    names[0] = '\0';
    for (size_t k = 0; (recipe = book_at(now->book, k)) != NULL; k++) {
        const struct recipe *was = book_find(before->book, recipe->name, strlen(recipe->name));
        const struct raster_set *set = set_of(recipe);
        for (int i = 0; was && set && i < set->count; i++) {
            const struct raster_file *file = file_of(was, set->file[i].name);
            if (file && differ(file, &set->file[i]))
                list(&listed, file->name, recipe->name);
        }
    }
    return listed.count;
}

size_t worlds_stale(const struct worlds *worlds, char *names, size_t names_bytes)
{
    const struct recipe *recipe;
    struct listed listed = {names, names_bytes, 0, 0};
    names[0] = '\0';
    for (size_t k = 0; (recipe = book_at(worlds->book, k)) != NULL; k++) {
        const struct raster_set *set = set_of(recipe);
        for (int i = 0; set && i < set->count; i++)
            if (!raster_is_as_read(set->file[i].path, &set->file[i].stamp))
                list(&listed, set->file[i].name, recipe->name);
    }
    return listed.count;
}
