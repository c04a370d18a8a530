/*
 * The recipe of a map of one's own: what a recipe that ships does with ground, on the map's.
 */
#ifndef TERRANE_SERVER_IMPORT_RECIPE_H
#define TERRANE_SERVER_IMPORT_RECIPE_H

/* Heights of a file, as its recipe is to have them. */
struct import_map {
    const char *description;
    const char *file;        /* its name beside the recipe */
    double across_m, step_m; /* west to east; between samples */
    double times, offset_m;  /* from its numbers to metres over the sea */
    double low_m, high_m;    /* which these then are */
};

/* JSON text, owned; NULL: memory is short. */
char *import_recipe(const struct import_map *map);

#endif
