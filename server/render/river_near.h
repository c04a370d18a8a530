/*
 * The river at a place, from a tile of rivers as GeoJSON.
 */
#ifndef TERRANE_SERVER_RIVER_NEAR_H
#define TERRANE_SERVER_RIVER_NEAR_H

#include <stddef.h>

struct river_name {
    char id[17], name[32]; /* both empty: there is none */
};

/*
 * Finds the line of a tile of LAYER_RIVER (FORMAT_GEOJSON) that is nearest to a place in metres, and within near_m of it: the id of
 * its river and that river's name, where it has one. Returns 0, or -1: it is no such tile, or memory is short. Any thread; the cost
 * is that of reading the text.
 */
int river_near(const unsigned char *text, size_t bytes, double x_m, double y_m, double near_m,
               struct river_name *river);

#endif
