/*
 * The words of a request.
 */
#include "request_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../base/check.h"
#include "guard.h"

enum { LIST_BYTES = 1024 }; /* of proxies' words */

/* ---- Lists -------------------------------------------------------------------------------------------------- */

struct list {
    const char *name;
    char *text; /* room bytes, `bytes` of them taken */
    size_t bytes, room;
    bool any;
};

static enum MHD_Result list_add(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct list *list = cls;
    const size_t max = list->room - 2, given = value ? strlen(value) : 0;
    const size_t bytes = given < max ? given : max;
    (void)kind;
    if (strcasecmp(name, list->name) != 0)
        return MHD_YES;
    if (list->bytes + bytes > max)
        list->bytes = 0;
    if (list->bytes)
        list->text[list->bytes++] = ',';
    memcpy(list->text + list->bytes, value ? value + (given - bytes) : "", bytes);
    list->bytes += bytes;
    list->text[list->bytes] = 0;
    list->any = true;
    return MHD_YES;
}

const char *header_list(const struct request *request, const char *name, char *text, size_t bytes)
{
    struct list list = {.name = name, .text = text, .room = bytes};
    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, list_add, &list);
    return list.any ? text : NULL;
}

/* ---- Ranges ---------------------------------------------------------------------------------------------- */

/*
 * Lenient as RFC 9110 asks: a field that cannot be read, or that asks for more than one range, is passed over. Numbers of any
 * length are read; those that 64 bits do not hold count as the largest that they do.
 */

static const char *skip_blank(const char *p)
{
    return p + strspn(p, " \t");
}

/* Reads digits; false when there is none. */
static bool number(const char **at, uint64_t *value)
{
    const char *p = *at;
    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        *value = *value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *value * 10 + digit;
    }
    const bool any = p > *at;
    *at = p;
    return any;
}

/* Strong comparison: both tags are strong, and the same. */
static bool same_tag(const char *if_range, const char *etag)
{
    const size_t n = strlen(etag);
    if_range = skip_blank(if_range);
    return *etag == '"' && strncmp(if_range, etag, n) == 0 && *skip_blank(if_range + n) == '\0';
}

enum range_kind range_parse(const char *range, const char *if_range, const char *etag, uint64_t bytes,
                            uint64_t *first, uint64_t *last)
{
    uint64_t low, high;
    if (!range || (if_range && !same_tag(if_range, etag)))
        return RANGE_WHOLE;
    range = skip_blank(range);
    if (strncasecmp(range, "bytes=", 6) != 0)
        return RANGE_WHOLE;
    range = skip_blank(range + 6);
    const bool has_low = number(&range, &low);
    if (*range++ != '-')
        return RANGE_WHOLE;
    const bool has_high = number(&range, &high);
    if (*skip_blank(range) != '\0' || (!has_low && !has_high) || (has_low && has_high && high < low))
        return RANGE_WHOLE;
    if (!has_low) { /* the last high bytes */
        if (high > 0 && bytes == 0)
            return RANGE_WHOLE; /* all of nothing, of which there is no first byte */
        low = high < bytes ? bytes - high : 0;
        high = UINT64_MAX;
    }
    if (low >= bytes)
        return RANGE_UNSATISFIABLE;
    *first = low;
    *last = has_high && high < bytes ? high : bytes - 1;
    return RANGE_PART;
}

/* ---- Where a client finds this server --------------------------------------------------------------------------- */

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

/* The item that is so many from the right, from 1; of a shorter list the first. */
static struct item item_of(const char *list, unsigned from_right)
{
    struct item item = {"", 0};
    const char *end = list ? list + strlen(list) : NULL;
    while (end && from_right-- > 0) {
        item.at = end;
        while (item.at > list && item.at[-1] != ',')
            item.at--;
        item.bytes = (size_t)(end - item.at);
        end = item.at > list ? item.at - 1 : NULL;
    }
    for (; item.bytes && (*item.at == ' ' || *item.at == '\t'); item.bytes--)
        item.at++;
    while (item.bytes && (item.at[item.bytes - 1] == ' ' || item.at[item.bytes - 1] == '\t'))
        item.bytes--;
    return item;
}

static struct item host_of(const struct base_url_parts *parts)
{
    const struct item forwarded = item_of(parts->forwarded_host, parts->proxies);
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
    const struct item proto = item_of(parts->forwarded_proto, parts->proxies);
    if (proto.bytes == 5 && strncasecmp(proto.at, "https", 5) == 0)
        return true;
    if (proto.bytes == 4 && strncasecmp(proto.at, "http", 4) == 0)
        return false;
    return parts->encrypted;
}

void base_url_write(char base[static BASE_URL_BYTES], const struct base_url_parts *parts)
{
    const struct item host = host_of(parts);
    struct item prefix = item_of(parts->forwarded_prefix, parts->proxies);
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

bool base_url_of(char base[static BASE_URL_BYTES], const struct request *request)
{
    const struct settings *settings = request->settings;
    struct sockaddr_storage client;
    const unsigned proxies =
        settings->config.http.trusted_proxies.count > 0 ? guard_client(request, &client) : 0;
    char host[LIST_BYTES], proto[LIST_BYTES], prefix[LIST_BYTES];
    const struct base_url_parts parts = {
        .target = request->text,
        .host = request_header(request, MHD_HTTP_HEADER_HOST),
        .encrypted = request->link->loop->encrypted,
        .proxies = proxies,
        .forwarded_host = header_list(request, "X-Forwarded-Host", host, sizeof host),
        .forwarded_proto = header_list(request, "X-Forwarded-Proto", proto, sizeof proto),
        .forwarded_prefix = header_list(request, "X-Forwarded-Prefix", prefix, sizeof prefix),
        .hosts = &settings->config.http.hosts,
    };
    base_url_write(base, &parts);
    return proxies > 0;
}

const char *base_path_of(struct request *request)
{
    char base[BASE_URL_BYTES];
    request->vary_prefix = base_url_of(base, request);
    const char *host = strstr(base, "://"), *path = host ? strchr(host + 3, '/') : base;
    const size_t bytes = path ? strlen(path) : 0;
    CHECK(bytes < sizeof request->prefix);
    memcpy(request->prefix, path ? path : "", bytes + 1);
    return request->prefix;
}

char *prefix_links(const char *text, size_t bytes, size_t from, const char *mark, const char *prefix,
                   size_t *made)
{
    const size_t mark_bytes = strlen(mark);
    const char *at = text, *end = text + bytes, *next = text + from;
    char *copy = NULL;
    FILE *out = open_memstream(&copy, made);
    if (!out)
        return NULL;
    while ((next = memmem(next, (size_t)(end - next), mark, mark_bytes))) {
        next += mark_bytes - 1;
        fwrite(at, 1, (size_t)(next - at), out);
        fputs(prefix, out);
        at = next;
    }
    fwrite(at, 1, (size_t)(end - at), out);
    return text_end(out, &copy);
}

/* ---- Bodies ---------------------------------------------------------------------------------------------- */

/*
 * The first complaint ends it: JSON itself, members that there are not, the one that is missing, its type, its length.
 */

bool body_refuse(struct body_complaint *complaint, unsigned status, const char *parameter, const char *format,
                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_print_list(complaint->detail, sizeof complaint->detail, format, arguments);
    va_end(arguments);
    complaint->status = status;
    complaint->parameter = parameter;
    return false;
}

/* Jansson's own words quote what was given, whatever bytes it has. */
static bool refuse_text(struct body_complaint *complaint, const json_error_t *trouble)
{
    switch ((int)json_error_code(trouble)) { /* jansson may know more of them than we do */
    case json_error_out_of_memory:
        return body_refuse(complaint, 503, NULL, "The server is short of memory; try again shortly.");
    case json_error_numeric_overflow:
        return body_refuse(complaint, 400, "body", "a number is too big: line %d, column %d", trouble->line,
                           trouble->column);
    case json_error_duplicate_key:
        return body_refuse(complaint, 400, "body", "a member stands twice: line %d, column %d", trouble->line,
                           trouble->column);
    case json_error_stack_overflow:
        return body_refuse(complaint, 400, "body", "lists nest too deep: line %d, column %d", trouble->line,
                           trouble->column);
    default:
        return body_refuse(complaint, 400, "body", "the body must be a JSON object: line %d, column %d",
                           trouble->line, trouble->column);
    }
}

static bool check_members(json_t *root, const char *name, struct body_complaint *complaint)
{
    for (void *at = json_object_iter(root); at; at = json_object_iter_next(root, at)) {
        const char *given = json_object_iter_key(at);
        char quote[41] = "";
        if (strcmp(given, name) == 0)
            continue;
        for (size_t i = 0; i < sizeof quote - 1 && given[i]; i++)
            quote[i] = given[i] >= ' ' && given[i] <= '~' ? given[i] : '?';
        return body_refuse(complaint, 400, "body", "there is no member \"%s\": allowed is %s", quote, name);
    }
    return true;
}

static bool check_list(const json_t *list, const char *name, size_t max, struct body_complaint *complaint)
{
    if (!list)
        return body_refuse(complaint, 400, name, "%s is missing", name);
    if (!json_is_array(list))
        return body_refuse(complaint, 400, name, "%s must be a list", name);
    if (json_array_size(list) > max)
        return body_refuse(complaint, 413, name, "%s: there are %zu, and %zu is the most", name,
                           json_array_size(list), max);
    return true;
}

json_t *body_json(const char *text, size_t bytes, struct body_complaint *complaint)
{
    json_error_t trouble;
    json_t *root = NULL;
    *complaint = (struct body_complaint){0};
    if (bytes > 0 && memchr(text, 0, bytes)) { /* Jansson passes over some */
        body_refuse(complaint, 400, "body", "the body must have no zero bytes");
        return NULL;
    }
    root = json_loadb(bytes ? text : "", bytes, JSON_REJECT_DUPLICATES, &trouble);
    if (!root)
        refuse_text(complaint, &trouble);
    return root;
}

json_t *body_list(const char *text, size_t bytes, const char *name, size_t max, const json_t **list,
                  struct body_complaint *complaint)
{
    json_t *root = body_json(text, bytes, complaint);
    if (!root)
        return NULL;
    *list = json_object_get(root, name); /* of what is no object NULL */
    if (!json_is_object(root))
        body_refuse(complaint, 400, "body", "the body must be a JSON object");
    else if (check_members(root, name, complaint))
        check_list(*list, name, max, complaint);
    if (!complaint->status)
        return root;
    json_decref(root);
    return NULL;
}
