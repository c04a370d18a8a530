/*
 * What a set is, for people and for programs: README.md and the numbers of set.json. Pure functions.
 */
#ifndef TERRANE_SERVER_EXPORT_PAGE_H
#define TERRANE_SERVER_EXPORT_PAGE_H

#include <jansson.h>

#include "export_set.h"

/* What the set does not know. Borrowed. */
struct export_about {
    const struct export_set *set;
    const struct tile_key *key;
    const struct terrane_world *world;
    const char *recipe;  /* its name, or its file's */
    float low_m, high_m; /* the range of 16 bits; equal: there is none */
};

/* What names a set: where one of these differs it is another one. Owned; NULL when memory is short. */
json_t *export_facts(const struct export_about *about);

/* What else a program wants to know of one that is whole. Owned; NULL when memory is short. */
json_t *export_numbers(const struct export_about *about);

/* README.md: owned (malloc), *bytes long; NULL when memory is short. */
char *export_page(const struct export_about *about, size_t *bytes);

#endif
