/*
 * The URL of the shared tier's store, which holds a password: never to be shown, and freed by secret_free.
 */
#ifndef TERRANE_SERVER_STORE_URL_H
#define TERRANE_SERVER_STORE_URL_H

#include "../config/config.h"

/* cache.shared with the password of cache.shared_password_file in place of its own; "" where there is none. Owned; NULL with one line in error. */
char *store_url_read(const struct config_cache *cache, char *error, size_t error_bytes);

#endif
