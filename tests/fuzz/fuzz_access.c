/*
 * Fuzzing who may come in. The input's first line are networks and hosts, separated by spaces; its second
 * X-Forwarded-For, its third Host; the rest is a file of keys, a time, and a key.
 *
 * Whatever comes in: refusals are one printable line; a client is the peer or stands in the header, and who
 * is trusted is passed over only for somebody left of him; a file of keys that is taken keeps its promises.
 * Seeds: tests/fuzz/corpus/access.
 */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "../../server/access/keys.h"
#include "../../server/access/networks.h"
#include "fuzz_kit.h"

enum { ITEMS = 64 };

/* The next line, owned, in a block of exactly its length and a zero; *data moves behind it. */
static char *line_next(const uint8_t **data, size_t *bytes)
{
    const uint8_t *const end = *bytes > 0 ? memchr(*data, '\n', *bytes) : NULL;
    const size_t length = end ? (size_t)(end - *data) : *bytes, used = length + (end != NULL);
    char *const line = copy(*data, length, true);

    *data = used > 0 ? *data + used : *data;
    *bytes -= used;
    return line;
}

/* Splits at spaces, in place. */
static void words(struct config_list *list, char *text)
{
    for (char *at = text; list->count < ITEMS && *at; list->count++) {
        const size_t bytes = strcspn(at, " ");
        list->item[list->count] = at;
        at += bytes + (at[bytes] != '\0');
        if (at[-1] == ' ')
            at[-1] = '\0';
    }
}

static void client_check(const struct networks *networks, const struct sockaddr_storage *peer,
                         const char *header)
{
    const struct sockaddr *const from = (const struct sockaddr *)peer;
    struct sockaddr_storage client, again;

    memset(&client, 0xa5, sizeof client);
    memset(&again, 0x5a, sizeof again);
    networks_client(networks, from, header, &client);
    networks_client(networks, from, header, &again);
    require(memcmp(&client, &again, sizeof client) == 0, "the same question, and two clients");
    require(client.ss_family == AF_INET || client.ss_family == AF_INET6, "a client without an address");
    networks_client(networks, from, NULL, &again);
    const bool moved = memcmp(&client, &again, sizeof client) != 0;
    require(!moved || networks_have(networks, from), "somebody is believed who is not trusted");
    require(!moved || strpbrk(header, "0123456789abcdefABCDEF:"), "a client out of nothing");
    /* Behind a client who is not trusted nobody else is looked for, whatever stands there. */
    if (!moved || networks_have(networks, (const struct sockaddr *)&client))
        return;
    char *const longer = room(strlen(header) + 20);
    snprintf(longer, strlen(header) + 20, "203.0.113.9,%s", header);
    networks_client(networks, from, longer, &again);
    require(memcmp(&client, &again, sizeof client) == 0, "more was read than what proxies wrote");
    free(longer);
}

static void networks_check(const struct config_list *list, const char *header)
{
    struct sockaddr_storage v4 = {0}, v6 = {0};
    const struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001)};
    struct sockaddr_in6 b = {.sin6_family = AF_INET6};
    char error[CONFIG_ERROR_BYTES] = "";

    struct networks *const networks = networks_create(list, "proxies", error, sizeof error);
    require((networks != NULL) == (error[0] == '\0'), "a refusal without a message, or the other way round");
    if (!networks) {
        require_line(error, sizeof error, "proxies[");
        return;
    }
    inet_pton(AF_INET6, "fd00::1", &b.sin6_addr);
    memcpy(&v4, &a, sizeof a);
    memcpy(&v6, &b, sizeof b);
    client_check(networks, &v4, header);
    client_check(networks, &v6, header);
    networks_free(networks);
}

static void hosts_check(const struct config_list *list, const char *host)
{
    const struct config_list none = {NULL, 0};
    const bool allowed = host_allowed(list, host);

    require(host_allowed(&none, host), "an empty list refuses");
    require(list->count > 0 || allowed, "an empty list refuses");
    require(!allowed || list->count == 0 || host[0] != '\0', "no host at all is allowed");
    for (size_t i = 0; i < list->count; i++)
        if (strpbrk(list->item[i], "/@\\?#")) /* allows itself */
            return;
    require(!allowed || list->count == 0 || !strpbrk(host, "/@ \\?#"), "more than a name is allowed");
}

static void keys_check(const char *text, size_t bytes)
{
    char error[CONFIG_ERROR_BYTES] = "";
    struct keys *const keys = keys_parse(text, bytes, "k.json", error, sizeof error);

    require((keys != NULL) == (error[0] == '\0'), "a refusal without a message, or the other way round");
    if (!keys) {
        require_line(error, sizeof error, "k.json: ");
        return;
    }
    require(keys_count(keys) <= KEYS_MAX, "too many keys");
    for (size_t k = 0; k < keys->count; k++) {
        const struct key_holder *const holder = &keys->holder[k];
        require(holder->name[0] != '\0' && strlen(holder->name) <= KEY_NAME_BYTES, "a key without a name");
        require(holder->expires_s >= 0, "a key that expired before 1970");
        for (int b = 0; b < BUCKETS; b++)
            require(holder->rate[b].per_minute == 0 || (holder->has_rate[b] && holder->rate[b].burst > 0),
                    "a rate of no burst");
    }
    (void)keys_find(keys, text, bytes);
    keys_free(keys);
}

static void text_check(const char *text, size_t bytes)
{
    int64_t time_s = -1;
    size_t line_bytes;
    const char *const line = key_text_line(text, bytes, &line_bytes);

    require(line >= text && line_bytes <= bytes && line + line_bytes <= text + bytes,
            "a line outside of its text");
    (void)key_text_allowed(line, line_bytes);
    require(key_text_time(text, &time_s) == (time_s >= 0) && time_s <= 253402300799,
            "a time out of the calendar");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *item[ITEMS];
    struct config_list list = {item, 0};
    char *const first = line_next(&data, &bytes), *const forwarded = line_next(&data, &bytes),
                *const host = line_next(&data, &bytes);
    char *const rest = copy(data, bytes, true);

    words(&list, first);
    networks_check(&list, forwarded);
    hosts_check(&list, host);
    keys_check(rest, bytes);
    text_check(rest, bytes);
    text_check(forwarded, strlen(forwarded));
    free(first);
    free(forwarded);
    free(host);
    free(rest);
    return 0;
}
