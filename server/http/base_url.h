/*
 * Scheme, host and path by which a client reaches this server: what absolute URLs begin with.
 */
#ifndef TERRANE_SERVER_BASE_URL_H
#define TERRANE_SERVER_BASE_URL_H

#include "request.h"

enum { BASE_URL_BYTES = 512, BASE_URL_HOST_BYTES = 264, BASE_URL_PREFIX_BYTES = 200 };

/* What a request says of it; any string may be NULL, and none is trusted to be well-formed. */
struct base_url_parts {
    const char *target; /* as in the request line: that of an absolute one counts for more than host */
    const char *host;   /* Host */
    bool encrypted;     /* the connection */
    const char *forwarded_host; /* X-Forwarded-..., of trusted proxies alone: lists, whose last item counts */
    const char *forwarded_proto, *forwarded_prefix;
    const struct config_list *hosts; /* http.hosts: which names a proxy may say */
};

/*
 * "https://example.org:8080/maps", without a slash at the end. A host has letters, digits and .:[]_- alone, a prefix such
 * and /~ and no empty or dotted segment; a proxy's word that is ill-formed is passed over. Without a usable host the base is
 * the prefix alone, and URLs are relative to the server.
 */
void base_url_write(char base[static BASE_URL_BYTES], const struct base_url_parts *parts);

/* That of a request. Returns whether it rests on headers that caches do not tell apart by themselves: BASE_URL_VARY. */
bool base_url_of(char base[static BASE_URL_BYTES], const struct request *request);
#define BASE_URL_VARY "X-Forwarded-Host, X-Forwarded-Prefix, X-Forwarded-Proto"

#endif
