#include "generations.h"

#include <stdlib.h>

#include "../base/check.h"

/* The recipe under another generator; it needs no check, since what a recipe may say is the same under all. */
static void write_under(struct recipe *out, const struct recipe *recipe, int generator,
                        const struct shelf *shelf)
{
    recipe_drop(out);
    *out = *recipe;
    refcount_hold(out->rasters);
    out->kept = shelf->under;
    out->world.generator = generator;
    CHECK(terrane_recipe_init(&out->world, NULL) == 0);
}

bool shelf_put_old(struct shelf *shelf, const struct recipe *recipe, int last)
{
    for (int k = 0; k <= last - TERRANE_GENERATOR_OLDEST; k++) {
        if (!shelf->under[k])
            shelf->under[k] = calloc(1, sizeof *shelf->under[k]);
        if (!shelf->under[k])
            return false;
        const bool usual = shelf->under[k]->usual;
        write_under(shelf->under[k], recipe, TERRANE_GENERATOR_OLDEST + k, shelf);
        shelf->under[k]->usual = usual;
    }
    return true;
}

struct shelf *shelf_make(const struct recipe *recipe, int last, int usual)
{
    struct shelf *shelf = calloc(1, sizeof *shelf);
    if (!shelf || !shelf_put_old(shelf, recipe, last)) {
        shelf_free(shelf);
        return NULL;
    }
    if (recipe->pins || usual == 0)
        usual = recipe->world.generator;
    struct recipe *const found = shelf->under[(usual < last ? usual : last) - TERRANE_GENERATOR_OLDEST];
    found->usual = true;
    shelf->usual = found;
    return shelf;
}

void shelf_free(struct shelf *shelf)
{
    for (int k = 0; shelf && k < GENERATORS; k++)
        if (shelf->under[k]) {
            recipe_drop(shelf->under[k]);
            free(shelf->under[k]);
        }
    free(shelf);
}
