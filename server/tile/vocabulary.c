/*
 * The rows of layers.inc, formats.inc and routes.inc, and their names.
 */
#include "route.h"
#include "tile.h"

#define BIT(member)          (1 << (member))
#define LAYER(id, name, ...) [LAYER_##id] = {__VA_ARGS__},
const struct layer_row layer_row[LAYERS] = {
#include "layers.inc"
};
#undef LAYER

#define LAYER(id, name, ...) [LAYER_##id] = name,
const char *const tile_layer_name[LAYERS] = {
#include "layers.inc"
};

#define BYTES                         "application/octet-stream"
#define FORMAT(id, name, ending, ...) [FORMAT_##id] = {__VA_ARGS__},
const struct format_row format_row[FORMATS] = {
#include "formats.inc"
};
#undef FORMAT

#define FORMAT(id, name, ...) [FORMAT_##id] = name,
const char *const tile_format_name[FORMATS] = {
#include "formats.inc"
};
#undef FORMAT

#define ENDING(name)                  name
#define NO_ENDING(name)               NULL
#define FORMAT(id, name, ending, ...) [FORMAT_##id] = ending(name),
const char *const tile_ending_name[FORMATS] = {
#include "formats.inc"
};

#define ROUTE(id, name, ...) [ROUTE_##id] = {__VA_ARGS__},
const struct route_row route_row[ROUTES] = {
#include "routes.inc"
};
#undef ROUTE

#define ROUTE(id, name, ...) [ROUTE_##id] = name,
const char *const route_name[ROUTES] = {
#include "routes.inc"
};

const char *route_allow(enum route route)
{
    return route_row[route].allow ? route_row[route].allow : "GET, HEAD, OPTIONS";
}
