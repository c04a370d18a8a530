/*
 * Strict parsing of store URLs: unknown parts are refused, since ignoring one could drop a password, or select
 * another database.
 *
 *  (1) A message shows only the parts of a URL that cannot be secret: the scheme, and the text after the last '@'. In
 *      a broken URL remote_url_mask masks more than the password.
 *  (2) No resulting string holds a control character: they go to logs and to name servers.
 */
#include "remote_url.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "text.h"

static const struct {
    const char *name;
    bool tls, local;
} schemes[] = {{"redis", false, false},      {"rediss", true, false}, {"valkey", false, false},
               {"valkeys", true, false},     {"unix", false, true},   {"redis+unix", false, true},
               {"redis+socket", false, true}};

enum { SCHEMES = sizeof schemes / sizeof *schemes, PORT_DEFAULT = 6379, PORT_MAX = 65535 };

/* A part of the text, which need not be zero-terminated. */
struct part {
    const char *at;
    size_t bytes;
};

struct reading {
    char *error;
    size_t error_bytes;
};

static int __attribute__((format(printf, 2, 3)))
complain(const struct reading *reading, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_print_list(reading->error, reading->error_bytes, format, arguments);
    va_end(arguments);
    return -1;
}

/* Takes %XX out of a part, into a zero-terminated string. what names the part; its text is not shown. */
static int decode(const struct reading *reading, const char *what, struct part part, char *out, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < part.bytes; i++) {
        unsigned char c = (unsigned char)part.at[i];

        if (c == '%') {
            const int high = i + 2 < part.bytes ? text_hex_digit(part.at[i + 1]) : -1;
            const int low = i + 2 < part.bytes ? text_hex_digit(part.at[i + 2]) : -1;

            if (high < 0 || low < 0)
                return complain(reading, "the %s has a %% without two hex digits (a %% itself is %%25)",
                                what);
            c = (unsigned char)(high * 16 + low);
            i += 2;
        }
        if (c < 0x20 || c == 0x7f)
            return complain(reading, "the %s has a control character", what);
        if (count + 1 >= room)
            return complain(reading, "the %s is longer than %zu bytes", what, room - 1);
        out[count++] = (char)c;
    }
    out[count] = '\0';
    return 0;
}

/* Reads decimal digits, at most max. */
static bool read_number(struct part part, unsigned max, unsigned *out)
{
    unsigned value = 0;

    if (part.bytes == 0)
        return false;
    for (size_t i = 0; i < part.bytes; i++) {
        const char c = part.at[i];

        if (c < '0' || c > '9')
            return false;
        value = value * 10 + (unsigned)(c - '0');
        if (value > max)
            return false;
    }
    *out = value;
    return true;
}

static int read_database(const struct reading *reading, struct part part, unsigned *out)
{
    if (read_number(part, REMOTE_DATABASE_MAX, out))
        return 0;
    return complain(reading, "the database is a number, 0 .. %d", REMOTE_DATABASE_MAX);
}

/* "[user]:password" */
static int read_user(const struct reading *reading, struct remote_url *url, struct part part)
{
    const char *const colon = memchr(part.at, ':', part.bytes);

    if (!colon)
        return complain(reading, "before the @ there is no colon: a password is written :password@, with its "
                                 "user user:password@");
    const struct part user = {part.at, (size_t)(colon - part.at)};
    const struct part password = {colon + 1, part.bytes - user.bytes - 1};
    if (decode(reading, "user", user, url->user, sizeof url->user) < 0)
        return -1;
    return decode(reading, "password", password, url->password, sizeof url->password);
}

static bool is_name(const char *host)
{
    for (const char *c = host; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '.' ||
              *c == '-' || *c == '_'))
            return false;
    return *host != '\0';
}

/* Takes an IPv6 address in brackets off the front of a part, or a name up to a colon. */
static int read_host(const struct reading *reading, struct remote_url *url, struct part *part)
{
    const bool bracket = part->bytes > 0 && part->at[0] == '[';
    const char *const end = memchr(part->at, bracket ? ']' : ':', part->bytes);
    struct part host = {part->at, end ? (size_t)(end - part->at) : part->bytes};
    struct in6_addr address;

    if (bracket && !end)
        return complain(reading, "the host has a [ without a ]");
    const size_t taken = host.bytes + bracket;
    host.at += bracket;
    host.bytes -= bracket;
    if (decode(reading, "host", host, url->host, sizeof url->host) < 0)
        return -1;
    if (bracket && inet_pton(AF_INET6, url->host, &address) != 1)
        return complain(reading, "what stands in [] is no IPv6 address");
    if (!bracket && url->host[0] == '\0')
        return complain(reading, "there is no host");
    if (!bracket && !is_name(url->host))
        return complain(reading, "the host is no name or address (an IPv6 address stands in [])");
    part->at += taken;
    part->bytes -= taken;
    return 0;
}

/* "host[:port][/[database]]" */
static int read_network(const struct reading *reading, struct remote_url *url, struct part rest)
{
    const char *const slash = memchr(rest.at, '/', rest.bytes);
    struct part authority = {rest.at, slash ? (size_t)(slash - rest.at) : rest.bytes};

    if (memchr(rest.at, '?', rest.bytes) || memchr(rest.at, '#', rest.bytes))
        return complain(reading, "behind the host there may be :port and /database, and no ? or #");
    if (read_host(reading, url, &authority) < 0)
        return -1;
    url->port = PORT_DEFAULT;
    if (authority.bytes > 0) {
        unsigned port;

        if (authority.at[0] != ':' ||
            !read_number((struct part){authority.at + 1, authority.bytes - 1}, PORT_MAX, &port) || port == 0)
            return complain(reading, "the port is a number, 1 .. %d", PORT_MAX);
        url->port = (uint16_t)port;
    }
    if (!slash || slash + 1 == rest.at + rest.bytes)
        return 0;
    return read_database(reading, (struct part){slash + 1, (size_t)(rest.at + rest.bytes - slash - 1)},
                         &url->database);
}

/* "/path[?db=database]" */
static int read_local(const struct reading *reading, struct remote_url *url, struct part rest)
{
    static const char key[] = "db=";
    const char *const mark = memchr(rest.at, '?', rest.bytes);
    const struct part path = {rest.at, mark ? (size_t)(mark - rest.at) : rest.bytes};

    if (path.bytes == 0 || path.at[0] != '/')
        return complain(reading, "the path of a socket begins with /: unix:///run/valkey/valkey.sock");
    if (decode(reading, "path", path, url->host, sizeof url->host) < 0)
        return -1;
    if (strlen(url->host) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return complain(reading, "the path of a socket is longer than %zu bytes",
                        sizeof((struct sockaddr_un *)0)->sun_path - 1);
    if (!mark)
        return 0;
    const struct part query = {mark + 1, rest.bytes - path.bytes - 1};
    if (query.bytes < sizeof key - 1 || memcmp(query.at, key, sizeof key - 1) != 0)
        return complain(reading, "behind the path of a socket there may be ?db=database alone");
    return read_database(reading, (struct part){query.at + sizeof key - 1, query.bytes - (sizeof key - 1)},
                         &url->database);
}

int remote_url_read(struct remote_url *url, const char *text, char *error, size_t error_bytes)
{
    const struct reading reading = {error, error_bytes};
    const size_t bytes = strnlen(text, REMOTE_URL_BYTES);
    const char *const colon = strstr(text, "://");
    int scheme = 0;

    *url = (struct remote_url){0};
    if (bytes >= REMOTE_URL_BYTES)
        return complain(&reading, "the URL is longer than %d bytes", REMOTE_URL_BYTES - 1);
    while (scheme < SCHEMES && !(colon && strlen(schemes[scheme].name) == (size_t)(colon - text) &&
                                 strncasecmp(schemes[scheme].name, text, (size_t)(colon - text)) == 0))
        scheme++;
    if (scheme == SCHEMES)
        return complain(&reading,
                        "a URL begins with redis:// or valkey://, over TLS rediss:// or valkeys://, of a "
                        "local socket unix://");
    url->tls = schemes[scheme].tls;
    url->local = schemes[scheme].local;
    struct part rest = {colon + 3, bytes - (size_t)(colon + 3 - text)};
    /* The last one: passwords hold @ though they should not, hosts do not. The path of a socket may. */
    const char *const at = memrchr(rest.at, '@', rest.bytes);
    if (at && !(url->local && rest.at[0] == '/')) {
        const struct part user = {rest.at, (size_t)(at - rest.at)};

        if (memchr(user.at, '/', user.bytes))
            return complain(&reading, "there is a / before the @: in a user or password it is written %%2F");
        if (read_user(&reading, url, user) < 0)
            return -1;
        rest = (struct part){at + 1, rest.bytes - user.bytes - 1};
    }
    return url->local ? read_local(&reading, url, rest) : read_network(&reading, url, rest);
}

void remote_url_show(const struct remote_url *url, char *text, size_t bytes)
{
    const bool brackets = strchr(url->host, ':') != NULL;

    if (url->local)
        text_print(text, bytes, "unix://%s?db=%u", url->host, url->database);
    else
        snprintf(text, bytes, "redis%s://%s%s%s:%u/%u", url->tls ? "s" : "", brackets ? "[" : "", url->host,
                 brackets ? "]" : "", url->port, url->database);
}

/* Replaces the bytes from .. to of a text by one to three asterisks, and moves the rest up. */
static void mask(char *text, char *from, char *to)
{
    const size_t stars = to - from < 3 ? (size_t)(to - from) : 3;

    memset(from, '*', stars);
    memmove(from + stars, to, strlen(text) - (size_t)(to - text) + 1);
}

void remote_url_mask(char *text)
{
    char *const colon = strstr(text, "://");
    char *const from = colon ? colon + 3 : text;
    char *const at = strrchr(from, '@');

    if (!at)
        return;
    /* Without a colon some tools take all of it as the password, so we treat it as one. */
    char *const user_end = memchr(from, ':', (size_t)(at - from));
    mask(text, user_end ? user_end + 1 : from, at);
}
