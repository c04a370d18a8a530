/*
 * The description of the HTTP interface: openapi.json, an OpenAPI 3.1 document, built in.
 */
#ifndef TERRANE_SERVER_OPENAPI_H
#define TERRANE_SERVER_OPENAPI_H

#include <stddef.h>

/* The document, with a zero behind it that *bytes does not count. Static storage. */
const char *openapi_text(size_t *bytes);

#endif
