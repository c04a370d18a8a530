#include "generations.h"

#include <stdlib.h>
#include <string.h>

#include "../base/check.h"

/* The recipe under another generator; it needs no check, since what a recipe may say is the same under all. */
static void write_under(struct recipe *out, const struct recipe *recipe, int generator,
                        const struct generations *generations)
{
    recipe_drop(out);
    *out = *recipe;
    refcount_hold(out->rasters);
    out->kept = generations->under;
    out->world.generator = generator;
    CHECK(terrane_recipe_init(&out->world, NULL) == 0);
}

void generations_put_old(struct generations *generations, const struct recipe *recipe, int first, int last)
{
    for (int n = first; n <= last; n++) {
        struct recipe *const under = generations->under[n - TERRANE_GENERATOR_OLDEST];
        const bool usual = under->usual;
        write_under(under, recipe, n, generations);
        under->usual = usual;
    }
}

struct generations *generations_make(const struct recipe *recipe, int first, int last, int usual)
{
    struct generations *generations = calloc(1, sizeof *generations);
    bool whole = generations != NULL;
    for (int k = 0; whole && k <= last - TERRANE_GENERATOR_OLDEST; k++) {
        generations->under[k] = calloc(1, sizeof *generations->under[k]);
        whole = generations->under[k] != NULL;
        if (whole)
            memcpy(generations->under[k]->name, recipe->name, sizeof recipe->name);
    }
    if (!whole) {
        generations_free(generations);
        return NULL;
    }
    generations_put_old(generations, recipe, first, last);
    if (recipe->pins || usual == 0)
        usual = recipe->world.generator;
    struct recipe *const found = generations->under[(usual < last ? usual : last) - TERRANE_GENERATOR_OLDEST];
    found->usual = true;
    generations->usual = found;
    return generations;
}

void generations_free(struct generations *generations)
{
    for (int k = 0; generations && k < GENERATORS; k++)
        if (generations->under[k]) {
            recipe_drop(generations->under[k]);
            free(generations->under[k]);
        }
    free(generations);
}
