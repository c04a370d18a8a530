/*
 * The files of the viewer, which server/web/build.mjs makes and the program carries in its read-only data.
 */
#ifndef TERRANE_SERVER_WEB_FILES_H
#define TERRANE_SERVER_WEB_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes with a strong tag of their own, quotes included. */
struct web_form {
    const unsigned char *data;
    size_t bytes;
    const char *etag;
};

struct web_file {
    const char *name, *type;
    bool lasting; /* its name has its digest in it: whoever has it may keep it for ever */
    struct web_form plain, gzip;
};

/* The file of that name; "" is the page itself. NULL: there is none. Static storage. */
const struct web_file *web_file_find(const char *name);

/* The k-th file; NULL behind the last. */
const struct web_file *web_file_at(size_t k);

#endif
