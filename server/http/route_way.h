/*
 * A way that somebody means: its line is routed over the ground of now before it is written.
 */
#ifndef TERRANE_SERVER_ROUTE_WAY_H
#define TERRANE_SERVER_ROUTE_WAY_H

#include "edit_json.h"
#include "request.h"

/* What goes on with operations, which it takes. */
typedef enum MHD_Result way_then(struct request *request, struct shared_world *world,
                                 const struct edit_body *body, const struct shared_write *form);

/* Takes the body, whose way becomes its one operation. */
enum MHD_Result way_begin(struct request *request, struct shared_world *world, const struct edit_body *body,
                          const struct shared_write *form, way_then *then);

#endif
