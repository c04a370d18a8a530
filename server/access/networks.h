/* Addresses: trusted proxies, and the client behind them. */
#ifndef TERRANE_SERVER_NETWORKS_H
#define TERRANE_SERVER_NETWORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "../config/config.h"

struct networks;

/*
 * From a list of addresses ("10.0.0.1", "fd00::1") and networks ("10.0.0.0/8"; bits behind the prefix must be 0). Returns
 * owned, or NULL with one line in error that names the key and the wrong item. An empty list is fine.
 */
struct networks *networks_create(const struct config_list *list, const char *key, char *error,
                                 size_t error_bytes);
void networks_free(struct networks *networks); /* NULL is fine */

/* True if the address is in one of them. IPv4-mapped IPv6 addresses count as IPv4. */
bool networks_have(const struct networks *networks, const struct sockaddr *address);

/*
 * Finds the client. peer: the connection's other end. If it is trusted, X-Forwarded-For is read from its right end (which
 * the proxy wrote) as long as addresses are trusted; the first untrusted one is the client. An item that is no address
 * ends this: then the last trusted one is the client. Ports ("1.2.3.4:80", "[::1]:80") are ignored. Returns how many
 * trusted proxies the request came through: 0 if peer is untrusted.
 */
unsigned networks_client(const struct networks *networks, const struct sockaddr *peer,
                         const char *forwarded_for, struct sockaddr_storage *client);

/*
 * True if a Host header names one of the allowed hosts (an empty list allows all). Case, a port and a final dot do not
 * count; "*.example.org" allows every name below example.org.
 */
bool host_allowed(const struct config_list *hosts, const char *host);

/* An Internet address as 128 bits: an IPv4 one as mapped into IPv6 (::ffff:a.b.c.d), so both spellings are equal. */
struct peer_address {
    unsigned char byte[16];
    bool v4; /* byte begins with ::ffff: */
};

/* False, and nothing filled, for families other than AF_INET and AF_INET6. */
bool peer_address_of(struct peer_address *address, const struct sockaddr *from);

#endif
