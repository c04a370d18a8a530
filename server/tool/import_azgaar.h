/*
 * A full JSON export of Azgaar's Fantasy Map Generator: its heights as a raster, and its names. Any bytes may be given.
 */
#ifndef TERRANE_SERVER_IMPORT_AZGAAR_H
#define TERRANE_SERVER_IMPORT_AZGAAR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { AZGAAR_WHY_BYTES = 320, AZGAAR_CELLS_MAX = 1 << 18, AZGAAR_FINER = 4 };

/* What of an export counts here. Positions are pixels, east and south of the map's north-western corner. */
struct azgaar {
    json_t *root; /* owned */
    double width, height;
    double metres_px;   /* metres a pixel */
    double exponent;    /* of heights over the sea */
    int across, down;   /* cells, in rows from the north */
    double spacing;     /* of their square lattice: each has one point, by its middle there */
    double (*point)[2]; /* owned; of cells */
    double *level;      /* owned; 0 .. 100, the sea's is 20 */
};

/*
 * Reads a file, a regular one. metres_across: from its western edge to its eastern one; 0: as its own scale has it. 0, or -1 with one line in
 * why that does not name it; then *map holds nothing.
 */
int azgaar_read(const char *path, double metres_across, struct azgaar *map, char *why, size_t why_bytes)
    __attribute__((warn_unused_result));
void azgaar_drop(struct azgaar *map);

/* Metres over the sea of a level, as the generator tells them; in a line between whole ones about the sea's. */
double azgaar_metres(const struct azgaar *map, double level);

/* The map's heights in metres, AZGAAR_FINER samples a cell: width x height of them, owned; metres_px * *step_px apart. NULL: memory is short. */
float *azgaar_ground(const struct azgaar *map, int *width, int *height, double *step_px);

/* GeoJSON of burgs, states and rivers that have names, in metres around the middle of a raster of that size; owned. NULL: memory is short. */
char *azgaar_places(const struct azgaar *map, double middle_x_px, double middle_y_px, size_t *bytes,
                    size_t *count);

/* All of a file as JSON (import_azgaar_text.c). Owned; NULL: why says, with its place, what is wrong. */
json_t *azgaar_text(const char *path, char *why, size_t why_bytes);

/* A finite number, or a text that is one, as some of the settings are; false: there is none. */
bool azgaar_number(const json_t *value, double *number);

#endif
