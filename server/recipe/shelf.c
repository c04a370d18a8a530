#include "shelf.h"

#include <stdlib.h>

#include "../base/check.h"

/* The recipe under another generator; it needs no check, since nothing but its digest depends on it. */
static struct recipe *copy_under(const struct recipe *recipe, int generator, const struct shelf *shelf)
{
    struct recipe *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *recipe;
    copy->kept = shelf->under;
    copy->world.generator = generator;
    CHECK(terrane_recipe_init(&copy->world, NULL) == 0);
    return copy;
}

bool shelf_put_old(struct shelf *shelf, const struct recipe *recipe, int last)
{
    for (int k = 0; k <= last - TERRANE_GENERATOR_OLDEST; k++) {
        const bool usual = shelf->under[k] && shelf->under[k]->usual;
        struct recipe *copy = copy_under(recipe, TERRANE_GENERATOR_OLDEST + k, shelf);
        if (!copy)
            return false;
        copy->usual = usual;
        shelf->usual = usual ? copy : shelf->usual;
        free(shelf->under[k]);
        shelf->under[k] = copy;
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
        free(shelf->under[k]);
    free(shelf);
}
