/*
 * Where a place of the plane lies on a web map: longitude and latitude of what /xyz shows there.
 *
 * The same to the last bit on every machine: sums, products, quotients and square roots of doubles, and no libm.
 */
#ifndef TERRANE_SERVER_WEB_MAP_H
#define TERRANE_SERVER_WEB_MAP_H

struct web_place {
    double longitude, latitude; /* degrees */
};

/* Metres from the world's middle to each side of the square that a web map shows: longitude 180, latitude 85.05. */
double web_map_half_m(double spacing_m);

/* Of a place x_m to the east and y_m to the south; latitude is within 1e-11 degrees where the place is in the square. What is
 * up to twice as far out has a longitude beyond 180. */
struct web_place web_map_place(double spacing_m, double x_m, double y_m);

#endif
