/*
 * What a request says beside its target: which bytes it wants, where its client finds this server, and bodies that are one list.
 * Bytes of strangers.
 */
#ifndef TERRANE_SERVER_REQUEST_TEXT_H
#define TERRANE_SERVER_REQUEST_TEXT_H

#include <jansson.h>

#include "../config/config.h"
#include "../tile/target.h"

struct request;

/*
 * A header's values, which are one list however many fields of its name there are, in text of so many bytes: "a, b". Of one that
 * is too long the right end, which is the nearest proxies' word. NULL: there is none.
 */
const char *header_list(const struct request *request, const char *name, char *text, size_t bytes);

/* ---- Range requests (RFC 9110, section 14) for one range of bytes ----------------------------------------------- */

enum range_kind {
    RANGE_WHOLE, /* no range, one that is ill-formed, of other units or of several parts: answer 200 with everything */
    RANGE_PART,         /* 206 */
    RANGE_UNSATISFIABLE /* 416 */
};

/*
 * What a Range header (or NULL) selects of a representation of so many bytes: *first .. *last, both included. if_range: that
 * header or NULL; what is not this very strong tag (a weak one, another, a date) asks for the whole.
 */
enum range_kind range_parse(const char *range, const char *if_range, const char *etag, uint64_t bytes,
                            uint64_t *first, uint64_t *last);

/* ---- Scheme, host and path by which a client reaches this server: what absolute URLs begin with ------------------- */

enum { BASE_URL_BYTES = 512, BASE_URL_HOST_BYTES = 264, BASE_URL_PREFIX_BYTES = 200 };

/* What a request says of it; any string may be NULL, and none is trusted to be well-formed. */
struct base_url_parts {
    const char *target; /* as in the request line: that of an absolute one counts for more than host */
    const char *host;   /* Host */
    bool encrypted;     /* the connection */
    unsigned
        proxies; /* trusted ones that the request came through, each of which added to lists, or replaced them */
    const char
        *forwarded_host; /* X-Forwarded-..., lists: the item of the outermost of those proxies counts */
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

/*
 * What links that are paths begin with: the base's path, "/maps" or "". Remembers it in the request (prefix), and whether its
 * answer rests on that header (vary_prefix); borrowed from there.
 */
const char *base_path_of(struct request *request);

/*
 * A copy of a text with the prefix before the last byte, a slash, of each mark from an offset on. Returns owned, and how many bytes
 * these are; NULL: memory is short.
 */
char *prefix_links(const char *text, size_t bytes, size_t from, const char *mark, const char *prefix,
                   size_t *made);

/* ---- Bodies that are one list: {"tiles": [...]}, {"places": [...]} ------------------------------------------------ */

/* Why a body was refused. */
struct body_complaint {
    unsigned status;       /* 400, 413 or 503; 0: none */
    const char *parameter; /* static storage, or what the reader was given; may be NULL */
    char detail[TARGET_DETAIL_BYTES];
};

/* Fills a complaint. Returns false, for its caller to return. */
__attribute__((format(printf, 4, 5))) bool body_refuse(struct body_complaint *complaint, unsigned status,
                                                       const char *parameter, const char *format, ...);

/* Reads a text of JSON, of whatever kind. Returns owned (json_decref), or NULL, and the complaint says why. */
json_t *body_json(const char *text, size_t bytes, struct body_complaint *complaint);

/*
 * Reads a JSON object whose only member is `name`, a list of at most `most`. Returns the object, owned (json_decref), with
 * the list, borrowed from it, in *list; or NULL, and the complaint says why. Jansson bounds how deep values nest.
 */
json_t *body_list(const char *text, size_t bytes, const char *name, size_t max, const json_t **list,
                  struct body_complaint *complaint);

#endif
