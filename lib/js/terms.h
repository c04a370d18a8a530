/*
 * A recipe's terms as numbers, for JavaScript.
 */
#ifndef TERRANE_JS_TERMS_H
#define TERRANE_JS_TERMS_H

#include <stddef.h>

#include "../terrane_recipe.h"

/* Of a recipe that was checked: how many there are; number: room for them, or NULL. */
size_t terms_numbers(const struct terrane_recipe *recipe, double *number);

#endif
