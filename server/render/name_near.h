/*
 * What the water at a place is called, from a tile of it as GeoJSON.
 */
#ifndef TERRANE_SERVER_NAME_NEAR_H
#define TERRANE_SERVER_NAME_NEAR_H

#include <stddef.h>

struct near_name {
    char id[17], name[32]; /* both empty: there is none */
};

/*
 * Each looks within near_m of a place in metres, finds what is nearest to it, and tells its id and name, where it has one. Returns 0, or
 * -1: it is no such tile, or memory is short. Any thread; the cost is that of reading the text.
 *
 *   river_near   the line of a tile of LAYER_RIVER: its river
 *   lake_near    the area of a tile of LAYER_WATER: its lake
 */
int river_near(const unsigned char *text, size_t bytes, double x_m, double y_m, double near_m,
               struct near_name *river);
int lake_near(const unsigned char *text, size_t bytes, double x_m, double y_m, double near_m,
              struct near_name *lake);

#endif
