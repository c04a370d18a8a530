/* The secret from which names of secret worlds are derived. */
#ifndef TERRANE_SERVER_WORLD_SECRET_H
#define TERRANE_SERVER_WORLD_SECRET_H

#include "../config/config.h"

/*
 * The secret of worlds.secret_file; if that is empty, of the file worlds-secret in cache.dir, which is created if it is missing and makes says so.
 * Owned: never show it, and free it with secret_free; NULL with one line in error. Blocks on the disk.
 */
char *world_secret_read(const struct config *config, bool makes, char *error, size_t error_bytes);

/*
 * Likewise for a server: if no file is given and none can be kept, one that lasts as long as the process, with a
 * warning in the log.
 */
char *world_secret_have(const struct config *config, char *error, size_t error_bytes);

#endif
