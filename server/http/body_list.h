/*
 * Bodies that are one list: {"tiles": [...]}, {"places": [...]}. Bytes of strangers; pure.
 */
#ifndef TERRANE_SERVER_BODY_LIST_H
#define TERRANE_SERVER_BODY_LIST_H

#include <jansson.h>

#include "../tile/target.h"

/* Why a body was refused. */
struct body_complaint {
    unsigned status;       /* 400, 413 or 503; 0: none */
    const char *parameter; /* static storage, or what the reader was given; may be NULL */
    char detail[TARGET_DETAIL_BYTES];
};

/* Fills a complaint. Returns false, for its caller to return. */
__attribute__((format(printf, 4, 5))) bool body_refuse(struct body_complaint *complaint, unsigned status,
                                                       const char *parameter, const char *format, ...);

/*
 * Reads a JSON object whose only member is `name`, a list of at most `most`. Returns the object, owned (json_decref), with
 * the list, borrowed from it, in *list; or NULL, and the complaint says why. Jansson bounds how deep values nest.
 */
json_t *body_list(const char *text, size_t bytes, const char *name, size_t most, const json_t **list,
                  struct body_complaint *complaint);

#endif
