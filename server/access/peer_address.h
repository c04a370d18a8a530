/*
 * Internet addresses as 128 bits: IPv4 ones as IPv6 maps them (::ffff:a.b.c.d), so that both ways to write
 * one are one.
 */
#ifndef TERRANE_SERVER_PEER_ADDRESS_H
#define TERRANE_SERVER_PEER_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct peer_address {
    unsigned char byte[16];
    bool v4; /* byte begins with ::ffff: */
};

/* False, and nothing filled, for families other than AF_INET and AF_INET6. */
bool peer_address_of(struct peer_address *address, const struct sockaddr *from);

/*
 * An address as people write it ("10.0.0.1", "fd00::1"; not zero-terminated), without brackets, port, zone or
 * spaces. False, and nothing filled, for all else.
 */
bool peer_address_read(struct peer_address *address, const char *text, size_t bytes);

/* Fills *to: AF_INET for IPv4, else AF_INET6; port 0. */
void peer_address_store(const struct peer_address *address, struct sockaddr_storage *to);

#endif
