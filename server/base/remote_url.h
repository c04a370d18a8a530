/*
 * The address of a Valkey or Redis: a URL as its own tools take it.
 *
 *     redis://[[user]:password@]host[:port][/database]     also valkey://
 *     rediss://...                                         over TLS; also valkeys://
 *     unix://[[user]:password@]/path/of/socket[?db=database]   also redis+unix://, redis+socket://
 *
 * Characters that a URL cannot hold are written %XX. A host may be an IPv6 address in brackets. The default port is
 * 6379, the default database 0. A user without a password is "user:@".
 */
#ifndef TERRANE_SERVER_REMOTE_URL_H
#define TERRANE_SERVER_REMOTE_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REMOTE_URL_BYTES = 2048,
    REMOTE_HOST_BYTES = 256,
    REMOTE_SECRET_BYTES = 512,
    REMOTE_DATABASE_MAX = 65535
};

struct remote_url {
    bool tls;
    bool local;                   /* host is the path of a socket */
    char host[REMOTE_HOST_BYTES]; /* zero-terminated, as the others */
    uint16_t port;
    char user[REMOTE_SECRET_BYTES], password[REMOTE_SECRET_BYTES]; /* "": none */
    unsigned database;
};

/* Fills url. Returns 0, or -1 with one line in error, which never holds the password; url is undefined then. */
int remote_url_read(struct remote_url *url, const char *text, char *error, size_t error_bytes);

/* The URL without its user and password, for logs and messages: "redis://host:6379/0". At most bytes, zero-terminated. */
void remote_url_show(const struct remote_url *url, char *text, size_t bytes);

/*
 * Overwrites the password in a URL's text, if any, with asterisks; the text never gets longer. In an invalid URL it
 * overwrites everything that could be a password.
 */
void remote_url_mask(char *text);

#endif
