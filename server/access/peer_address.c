/*
 * Addresses: from sockets, from text, and back. Sockets' structs are copied, never pointed into: no alignment
 * and no aliasing is assumed.
 */
#include "peer_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static void from_v4(struct peer_address *address, const struct in_addr *v4)
{
    memcpy(address->byte, mapped, sizeof mapped);
    memcpy(address->byte + sizeof mapped, v4, 4);
    address->v4 = true;
}

static void from_v6(struct peer_address *address, const struct in6_addr *v6)
{
    memcpy(address->byte, v6, 16);
    address->v4 = memcmp(address->byte, mapped, sizeof mapped) == 0;
}

bool peer_address_of(struct peer_address *address, const struct sockaddr *from)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    switch (from->sa_family) {
    case AF_INET:
        memcpy(&v4, from, sizeof v4);
        from_v4(address, &v4.sin_addr);
        return true;
    case AF_INET6:
        memcpy(&v6, from, sizeof v6);
        from_v6(address, &v6.sin6_addr);
        return true;
    default:
        return false;
    }
}

bool peer_address_read(struct peer_address *address, const char *text, size_t bytes)
{
    char whole[INET6_ADDRSTRLEN];
    struct in6_addr v6;
    struct in_addr v4;

    if (bytes == 0 || bytes >= sizeof whole || memchr(text, '\0', bytes))
        return false;
    memcpy(whole, text, bytes);
    whole[bytes] = '\0';
    if (inet_pton(AF_INET, whole, &v4) == 1)
        from_v4(address, &v4);
    else if (inet_pton(AF_INET6, whole, &v6) == 1)
        from_v6(address, &v6);
    else
        return false;
    return true;
}

void peer_address_store(const struct peer_address *address, struct sockaddr_storage *to)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    memset(to, 0, sizeof *to);
    memcpy(&v4.sin_addr, address->byte + sizeof mapped, 4);
    memcpy(&v6.sin6_addr, address->byte, 16);
    if (address->v4)
        memcpy(to, &v4, sizeof v4);
    else
        memcpy(to, &v6, sizeof v6);
}
