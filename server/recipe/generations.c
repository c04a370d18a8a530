#include "generations.h"

#include <stdlib.h>

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

bool generations_put_old(struct generations *generations, const struct recipe *recipe, int last)
{
    for (int k = 0; k <= last - TERRANE_GENERATOR_OLDEST; k++) {
        if (!generations->under[k])
            generations->under[k] = calloc(1, sizeof *generations->under[k]);
        if (!generations->under[k])
            return false;
        const bool usual = generations->under[k]->usual;
        write_under(generations->under[k], recipe, TERRANE_GENERATOR_OLDEST + k, generations);
        generations->under[k]->usual = usual;
    }
    return true;
}

struct generations *generations_make(const struct recipe *recipe, int last, int usual)
{
    struct generations *generations = calloc(1, sizeof *generations);
    if (!generations || !generations_put_old(generations, recipe, last)) {
        generations_free(generations);
        return NULL;
    }
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
