/*
 * Lines of paths, gathered from GeoJSON of tiles into one collection: each once, ordered by id, whole.
 *
 * Knows no HTTP. The text of tiles is taken for a stranger's: what is no collection of lines with ids is refused.
 */
#ifndef TERRANE_SERVER_PATH_LINES_H
#define TERRANE_SERVER_PATH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum path_axes {
    PATH_AXES_WORLD,     /* as the tiles have them: metres to the east, to the south, up */
    PATH_AXES_GEOGRAPHIC /* longitude, latitude, and metres up: RFC 7946 */
};

/* The ground whose lines are wanted: of west_m and north_m, and up to, but without, east_m and south_m. */
struct path_window {
    double west_m, north_m, east_m, south_m;
};

struct path_lines;

/* spacing_m: of the world, for PATH_AXES_GEOGRAPHIC. max: bytes of all lines that are kept. NULL: memory is short. */
struct path_lines *path_lines_create(const struct path_window *window, enum path_axes axes, double spacing_m,
                                     size_t max);
void path_lines_free(struct path_lines *lines);

enum path_lines_result { PATH_LINES_FINE, PATH_LINES_BAD, PATH_LINES_MANY, PATH_LINES_MEMORY };

/* Keeps the lines of a tile that run through the window and have not come before. */
enum path_lines_result path_lines_add(struct path_lines *lines, const void *text, size_t bytes);

/* How many are kept. */
size_t path_lines_count(const struct path_lines *lines);

/* The collection: malloc'ed text with a line feed and a zero at its end, of which *bytes counts the line feed. NULL: memory is
 * short. */
char *path_lines_text(struct path_lines *lines, size_t *bytes);

/* Whether a line from a to b (metres east, south) touches the window. */
bool path_window_meets(const struct path_window *window, const double a[2], const double b[2]);

/*
 * Where a place of the plane lies on a web map: longitude and latitude of what /xyz shows there. The same to the last bit on every
 * machine: sums, products, quotients and square roots of doubles, and no libm.
 */
struct web_place {
    double longitude, latitude; /* degrees */
};

/* Metres from the world's middle to each side of the square that a web map shows: longitude 180, latitude 85.05. */
double web_map_half_m(double spacing_m);

/* Of a place x_m to the east and y_m to the south; latitude is within 1e-11 degrees where the place is in the square. What is
 * up to twice as far out has a longitude beyond 180. */
struct web_place web_map_place(double spacing_m, double x_m, double y_m);

#endif
