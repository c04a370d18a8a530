/* Between shared.c, which knows one world, and shared_set.c, which has those of a directory. */
#ifndef TERRANE_SERVER_SHARED_PARTS_H
#define TERRANE_SERVER_SHARED_PARTS_H

#include "shared.h"

/* Opens a world and starts its writer. Returns owned, or NULL with one line in error. */
struct shared_world *shared_world_open(const char *dir, struct shared_quota *quota, const char *name,
                                       size_t bytes, char *error, size_t error_bytes);
void shared_world_close(struct shared_world *world); /* NULL is fine */

#endif
