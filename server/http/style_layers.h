/* Layers of a MapLibre style that are drawn of vector tiles. */
#ifndef TERRANE_SERVER_STYLE_LAYERS_H
#define TERRANE_SERVER_STYLE_LAYERS_H

#include <jansson.h>

/* Adds them to an array, the lowest first, of a source of that name; as json_append. */
void style_add_vectors(json_t **layers, const char *source);

#endif
