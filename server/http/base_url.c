/*
 * Scheme, host and path of a request.
 */
#include "base_url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct item {
    const char *at;
    size_t bytes;
};

static bool is_one_of(char c, const char *others)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr(others, c) != NULL);
}

static bool is_host(struct item host)
{
    for (size_t i = 0; i < host.bytes; i++)
        if (!is_one_of(host.at[i], ".:[]_-"))
            return false;
    return host.bytes > 0 && host.bytes < BASE_URL_HOST_BYTES;
}

/* "/a/b": no segment is empty, "." or "..", so that what follows stays below it. */
static bool is_prefix(struct item prefix)
{
    size_t segment = 0; /* bytes of it that are no dots count as 3 */
    if (prefix.bytes == 0 || prefix.bytes >= BASE_URL_PREFIX_BYTES || prefix.at[0] != '/')
        return false;
    for (size_t i = 1; i <= prefix.bytes; i++) {
        const bool ends = i == prefix.bytes || prefix.at[i] == '/';
        if (ends && segment < 3)
            return false;
        if (!ends && !is_one_of(prefix.at[i], "._~-"))
            return false;
        segment = ends ? 0 : segment + (prefix.at[i] == '.' ? 1 : 3);
    }
    return true;
}

/* The nearest proxy's word stands last. */
static struct item last_item(const char *list)
{
    const char *comma = list ? strrchr(list, ',') : NULL;
    struct item item = {comma ? comma + 1 : list ? list : "", 0};
    item.at += strspn(item.at, " \t");
    item.bytes = strlen(item.at);
    while (item.bytes && (item.at[item.bytes - 1] == ' ' || item.at[item.bytes - 1] == '\t'))
        item.bytes--;
    return item;
}

static struct item host_of(const struct base_url_parts *parts)
{
    const struct item forwarded = last_item(parts->forwarded_host);
    char name[BASE_URL_HOST_BYTES];
    if (is_host(forwarded)) {
        snprintf(name, sizeof name, "%.*s", (int)forwarded.bytes, forwarded.at);
        if (!parts->hosts || host_allowed(parts->hosts, name))
            return forwarded;
    }
    const char *target = parts->target;
    const bool absolute =
        target && (strncasecmp(target, "http://", 7) == 0 || strncasecmp(target, "https://", 8) == 0);
    const char *host = absolute ? strstr(target, "//") + 2 : parts->host ? parts->host : "";
    return (struct item){host, absolute ? strcspn(host, "/?#") : strlen(host)};
}

static bool is_secure(const struct base_url_parts *parts)
{
    const struct item proto = last_item(parts->forwarded_proto);
    if (proto.bytes == 5 && strncasecmp(proto.at, "https", 5) == 0)
        return true;
    if (proto.bytes == 4 && strncasecmp(proto.at, "http", 4) == 0)
        return false;
    return parts->encrypted;
}

void base_url_write(char base[static BASE_URL_BYTES], const struct base_url_parts *parts)
{
    const struct item host = host_of(parts);
    struct item prefix = last_item(parts->forwarded_prefix);
    if (prefix.bytes && prefix.at[prefix.bytes - 1] == '/')
        prefix.bytes--;
    if (!is_prefix(prefix))
        prefix.bytes = 0;
    _Static_assert((int)BASE_URL_BYTES > BASE_URL_HOST_BYTES + BASE_URL_PREFIX_BYTES + 8, "with https://");
    if (is_host(host))
        snprintf(base, BASE_URL_BYTES, "%s%.*s%.*s", is_secure(parts) ? "https://" : "http://",
                 (int)host.bytes, host.at, (int)prefix.bytes, prefix.at);
    else
        snprintf(base, BASE_URL_BYTES, "%.*s", (int)prefix.bytes, prefix.at);
}

/* ---- Of a request -------------------------------------------------------------------------------------- */

struct forwarding {
    const char *host, *proto, *prefix;
};

/* Several fields of a name are one list: the last one's end is its end. */
static enum MHD_Result forwarding_add(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct forwarding *forwarding = cls;
    (void)kind;
    if (strcasecmp(name, "X-Forwarded-Host") == 0)
        forwarding->host = value;
    else if (strcasecmp(name, "X-Forwarded-Proto") == 0)
        forwarding->proto = value;
    else if (strcasecmp(name, "X-Forwarded-Prefix") == 0)
        forwarding->prefix = value;
    return MHD_YES;
}

bool base_url_of(char base[static BASE_URL_BYTES], const struct request *request)
{
    const struct settings *settings = request->settings;
    const bool trusted = settings->config.http.trusted_proxies.count > 0 &&
                         networks_have(settings->proxies, (const struct sockaddr *)&request->link->peer);
    struct forwarding forwarding = {NULL, NULL, NULL};
    if (trusted)
        MHD_get_connection_values(request->connection, MHD_HEADER_KIND, forwarding_add, &forwarding);
    const struct base_url_parts parts = {
        .target = request->text,
        .host = request_header(request, MHD_HTTP_HEADER_HOST),
        .encrypted = request->link->loop->encrypted,
        .forwarded_host = forwarding.host,
        .forwarded_proto = forwarding.proto,
        .forwarded_prefix = forwarding.prefix,
        .hosts = &settings->config.http.hosts,
    };
    base_url_write(base, &parts);
    return trusted;
}
