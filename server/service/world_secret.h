/*
 * The secret that secret worlds draw their names from.
 */
#ifndef TERRANE_SERVER_WORLD_SECRET_H
#define TERRANE_SERVER_WORLD_SECRET_H

#include "../config/config.h"

/*
 * The secret of worlds.secret_file; where that is empty, of the file worlds-secret in cache.dir, which is made where it is missing.
 * Owned: never to be shown, and freed by secret_free; NULL with one line in error. Blocks on the disk.
 */
char *world_secret_read(const struct config *config, char *error, size_t error_bytes);

/* Likewise for a server: where no file is given and none can be kept, one that lasts as long as the process, and a warning in the log. */
char *world_secret_have(const struct config *config, char *error, size_t error_bytes);

#endif
