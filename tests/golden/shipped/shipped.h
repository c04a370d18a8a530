/*
 * The recipes under config/worlds as C, but for the library's own default: golden digests need no JSON.
 */
#ifndef TERRANE_GOLDEN_SHIPPED_H
#define TERRANE_GOLDEN_SHIPPED_H

#include "../../../lib/terrane.h"

/* Each fills a recipe, ready to use. */
void recipe_alpine(struct terrane_recipe *recipe);
void recipe_archipelago(struct terrane_recipe *recipe);
void recipe_badlands(struct terrane_recipe *recipe);
void recipe_desert(struct terrane_recipe *recipe);
void recipe_wayfarer(struct terrane_recipe *recipe);

#endif
