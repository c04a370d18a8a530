/*
 * What a request can be for: the server's routes.
 */
#ifndef TERRANE_SERVER_ROUTE_H
#define TERRANE_SERVER_ROUTE_H

enum metric_route {
    ROUTE_TILE,
    ROUTE_STATUS,  /* /tile/.../status */
    ROUTE_XYZ,     /* tiles of a web map's pyramid */
    ROUTE_TERRAIN, /* tiles of a globe's */
    ROUTE_3DTILES, /* tiles of a 3D Tiles tileset, and its other subtrees */
    ROUTE_TILEJSON,
    ROUTE_STYLE,
    ROUTE_LAYER,
    ROUTE_GDAL,
    ROUTE_TILESET, /* tileset.json and the subtree at its root */
    ROUTE_POINT,
    ROUTE_REGION,
    ROUTE_PATH, /* lines of paths */
    ROUTE_BATCH,
    ROUTE_VIEWER,
    ROUTE_WORLD,
    ROUTE_PREFETCH,
    ROUTE_OPENAPI,
    ROUTE_HEALTH,
    ROUTE_READY,
    ROUTE_METRICS, /* from here on of the admin listener alone */
    ROUTE_STATS,
    ROUTE_PURGE,
    ROUTE_LOG_LEVEL,
    ROUTE_RELOAD,
    ROUTE_UNKNOWN,
    ROUTES
};

#endif
