/*
 * Trusted proxies, X-Forwarded-For and hosts.
 *
 * X-Forwarded-For grows at its right end: each proxy appends the address that asked it. Everything left of the first
 * address that is no trusted proxy was written by that address, and is ignored.
 */
#include "networks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

enum {
    V4_BITS = 96,       /* of ::ffff:0:0/96, where the IPv4 addresses are */
    FORWARDED_MAX = 64, /* max addresses read from one header; no chain of proxies is as long */
    NAME_BYTES = 253    /* longest host */
};

struct network {
    struct peer_address address;
    unsigned bits; /* of the 128 that count; of an IPv4 network 96 or more */
};

struct networks {
    size_t count;
    struct network network[];
};

static const char digits[] = "0123456789";

/* ---- Addresses --------------------------------------------------------------------------------------- */

/* Conversions from sockets and text, and back. Socket structs are copied: no alignment and no aliasing is assumed. */

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

/*
 * Reads an address as people write it ("10.0.0.1", "fd00::1"; not zero-terminated), without brackets, port,
 * zone or spaces. False, and nothing filled, for anything else.
 */
static bool address_read(struct peer_address *address, const char *text, size_t bytes)
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

/* Fills *to: AF_INET for IPv4, else AF_INET6; port 0. */
static void address_store(const struct peer_address *address, struct sockaddr_storage *to)
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

/* ---- Networks ------------------------------------------------------------------------------------------ */

/* Reads the number of bits after a slash, without sign or leading zeros; -1: no number up to most. */
static int bits_read(const char *text, int max)
{
    int64_t bits;
    if (strspn(text, digits) == 0 || (text[0] == '0' && text[1] != '\0') || !text_integer(text, &bits) ||
        bits > max)
        return -1;
    return (int)bits;
}

static unsigned char mask(unsigned bits, unsigned byte)
{
    const unsigned rest = bits > 8 * byte ? bits - 8 * byte : 0;
    return (unsigned char)(rest >= 8 ? 0xff : 0xff00 >> rest);
}

/* Reads one item. Returns NULL, or what is wrong with it. */
static const char *network_read(struct network *network, const char *item)
{
    static const char form[] =
        "is neither an address nor a network: allowed 10.0.0.1, 10.0.0.0/8, fd00::1, fd00::/8";
    const size_t bytes = strcspn(item, "/");
    const bool v6 = memchr(item, ':', bytes) != NULL;

    if (strchr(item, '%'))
        return "has a zone, which no address from elsewhere has: allowed fd00::1, fd00::/8";
    if (!address_read(&network->address, item, bytes))
        return form;
    network->bits = 128;
    if (item[bytes] == '/') {
        const int bits = bits_read(item + bytes + 1, v6 ? 128 : 32);
        if (bits < 0)
            return v6 ? "has no prefix of 0 .. 128 bits" : "has no prefix of 0 .. 32 bits";
        network->bits = (unsigned)bits + (v6 ? 0 : V4_BITS);
    }
    for (unsigned i = 0; i < 16; i++)
        if (network->address.byte[i] & ~mask(network->bits, i) & 0xff)
            return "has bits behind its prefix: allowed are networks whose bits are 0 there";
    return NULL;
}

struct networks *networks_create(const struct config_list *list, const char *key, char *error,
                                 size_t error_bytes)
{
    char shown[TEXT_SHOWN_BYTES];

    if (list->count > CONFIG_LIST) {
        snprintf(error, error_bytes, "%s: %zu items: allowed at most %d", key, list->count, CONFIG_LIST);
        return NULL;
    }
    struct networks *const networks = calloc(1, sizeof *networks + list->count * sizeof *networks->network);
    if (!networks) {
        snprintf(error, error_bytes, "%s: out of memory", key);
        return NULL;
    }
    for (; networks->count < list->count; networks->count++) {
        const char *const item = list->item[networks->count];
        const char *const wrong = network_read(&networks->network[networks->count], item);
        if (!wrong)
            continue;
        text_show(shown, sizeof shown, item);
        snprintf(error, error_bytes, "%s[%zu]: %s %s", key, networks->count, shown, wrong);
        networks_free(networks);
        return NULL;
    }
    return networks;
}

void networks_free(struct networks *networks)
{
    free(networks);
}

/* An IPv4 address is in no IPv6 network, however short its prefix: ::/0 has none of them. */
static bool network_has(const struct network *network, const struct peer_address *address)
{
    const unsigned whole = network->bits / 8;

    if (network->address.v4 != address->v4 || memcmp(network->address.byte, address->byte, whole) != 0)
        return false;
    return whole == 16 || (address->byte[whole] & mask(network->bits, whole)) == network->address.byte[whole];
}

static bool networks_trust(const struct networks *networks, const struct peer_address *address)
{
    for (size_t i = 0; i < networks->count; i++)
        if (network_has(&networks->network[i], address))
            return true;
    return false;
}

bool networks_have(const struct networks *networks, const struct sockaddr *address)
{
    struct peer_address plain;
    return peer_address_of(&plain, address) && networks_trust(networks, &plain);
}

/* ---- Clients ------------------------------------------------------------------------------------------- */

/* ":" and 1 to 5 digits, or nothing. */
static bool port_or_nothing(const char *text, size_t bytes)
{
    if (bytes == 0)
        return true;
    if (text[0] != ':' || bytes < 2 || bytes > 6)
        return false;
    for (size_t i = 1; i < bytes; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

/* Reads one item of X-Forwarded-For, with or without spaces around it. */
static bool forwarded_read(struct peer_address *address, const char *text, size_t bytes)
{
    for (; bytes > 0 && (*text == ' ' || *text == '\t'); bytes--)
        text++;
    while (bytes > 0 && (text[bytes - 1] == ' ' || text[bytes - 1] == '\t'))
        bytes--;
    if (bytes > 0 && text[0] == '[') {
        const char *const end = memchr(text, ']', bytes);
        if (!end || !memchr(text, ':', (size_t)(end - text)))
            return false;
        const size_t used = (size_t)(end - text) + 1;
        return port_or_nothing(end + 1, bytes - used) && address_read(address, text + 1, used - 2);
    }
    const char *const colon = memchr(text, ':', bytes);
    const size_t head = colon ? (size_t)(colon - text) : bytes;
    if (!colon || memchr(colon + 1, ':', bytes - head - 1)) /* none, or more than one: an IPv6 address */
        return address_read(address, text, bytes);
    return port_or_nothing(colon, bytes - head) && address_read(address, text, head);
}

/* Takes the connection's other end as the client: an IPv4 address as IPv4, whatever the socket is. */
static void client_is_peer(const struct sockaddr *peer, struct sockaddr_storage *client)
{
    struct peer_address address;
    struct sockaddr_in6 v6;

    memset(client, 0, sizeof *client);
    client->ss_family = peer->sa_family;
    if (peer->sa_family == AF_INET) {
        memcpy(client, peer, sizeof(struct sockaddr_in));
    } else if (peer->sa_family == AF_INET6) {
        memcpy(&v6, peer, sizeof v6);
        memcpy(client, &v6, sizeof v6);
        if (peer_address_of(&address, peer) && address.v4) {
            address_store(&address, client);
            memcpy((char *)client + offsetof(struct sockaddr_in, sin_port), &v6.sin6_port,
                   sizeof v6.sin6_port);
        }
    }
}

unsigned networks_client(const struct networks *networks, const struct sockaddr *peer,
                         const char *forwarded_for, struct sockaddr_storage *client)
{
    struct peer_address next;

    client_is_peer(peer, client);
    if (!networks_have(networks, peer))
        return 0;
    const char *end = forwarded_for ? forwarded_for + strlen(forwarded_for) : NULL;
    unsigned proxies = 1;
    for (; end && proxies <= FORWARDED_MAX; proxies++) {
        const char *start = end;
        while (start > forwarded_for && start[-1] != ',')
            start--;
        if (!forwarded_read(&next, start, (size_t)(end - start)))
            break;
        address_store(&next, client);
        if (start == forwarded_for || !networks_trust(networks, &next))
            break;
        end = start - 1;
    }
    return proxies;
}

/* ---- Hosts --------------------------------------------------------------------------------------------- */

static char lower(char byte)
{
    return (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
}

static bool same_name(const char *a, const char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

/* Length of a host without port and last dot, or without brackets; 0: invalid. Moves *host past a bracket. */
static size_t name_bytes(const char **host)
{
    const char *text = *host;
    const size_t whole = strnlen(text, NAME_BYTES + sizeof "[].:65535");
    size_t bytes = whole;

    if (text[0] == '[') {
        const char *const end = memchr(text, ']', whole);
        if (!end || !memchr(text, ':', (size_t)(end - text)) ||
            (end[1] != '\0' && (end[1] != ':' || end[2 + strspn(end + 2, digits)] != '\0')))
            return 0;
        *host = text + 1;
        return (size_t)(end - text) - 1;
    }
    const char *const colon = memchr(text, ':', whole);
    if (colon && !memchr(colon + 1, ':', whole - (size_t)(colon - text) - 1)) {
        if (colon[1 + strspn(colon + 1, digits)] != '\0')
            return 0;
        bytes = (size_t)(colon - text);
    }
    bytes -= bytes > 0 && text[bytes - 1] == '.';
    return bytes <= NAME_BYTES ? bytes : 0;
}

/* True for labels with a dot after each, which may replace the asterisk and its dot. */
static bool labels(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const char byte = lower(text[i]);
        const bool letter =
            (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
        if (!letter && (byte != '.' || i == 0 || text[i - 1] == '.'))
            return false;
    }
    return bytes >= 2 && text[bytes - 1] == '.';
}

bool host_allowed(const struct config_list *hosts, const char *host)
{
    if (hosts->count == 0)
        return true;
    const size_t bytes = host ? name_bytes(&host) : 0;
    for (size_t i = 0; bytes > 0 && i < hosts->count; i++) {
        const char *item = hosts->item[i];
        const bool below = item[0] == '*' && item[1] == '.';
        item += below ? 2 : 0;
        const size_t item_bytes = name_bytes(&item);
        if (item_bytes == 0 || bytes < item_bytes || !same_name(host + bytes - item_bytes, item, item_bytes))
            continue;
        if (below ? labels(host, bytes - item_bytes) : bytes == item_bytes)
            return true;
    }
    return false;
}
