/*
 * What a request can be for: the server's routes, a row each, in routes.inc. How one is read stands in target.c, how one is
 * answered in server/http.
 */
#ifndef TERRANE_SERVER_ROUTE_H
#define TERRANE_SERVER_ROUTE_H

#include <stdbool.h>

enum route {
#define ROUTE(id, ...) ROUTE_##id,
#include "routes.inc"
#undef ROUTE
    ROUTES
};

struct route_row {
    const char *path;  /* a segment in braces is any; endings are their reader's; NULL: of no path */
    const char *allow; /* methods; NULL: those that read */
    bool body;         /* POST and PUT may bring one */
    bool tile;         /* the answer is a tile: by its own coordinates or those of a pyramid */
    bool
        text; /* the answer is a text, coded where that pays, under a weak ETag that is the same for all codings */
    bool asks;    /* with a query; of a world, but for models */
    bool works;   /* it wants workers, and so a server that has tested itself */
    bool keyed;   /* it wants a key where keys are configured */
    bool probe;   /* asked by address, which learns nothing that a host guards; of both listeners */
    bool admin;   /* of the admin listener alone */
    bool guarded; /* it wants the admin's token */
};

extern const struct route_row route_row[ROUTES];
extern const char *const route_name[ROUTES]; /* in metrics and logs */

const char *route_allow(enum route route);

#endif
