/*
 * JSON values of numbers that may not be there.
 */
#ifndef TERRANE_ANALYZE_JSON_BUILD_H
#define TERRANE_ANALYZE_JSON_BUILD_H

#include <jansson.h>

#include "fit.h"

/* null where the number is not finite. */
json_t *json_of(double number);
json_t *json_row(const double *numbers, int count);

/* null where there is no line. */
json_t *json_fit(const struct fit *fit);

/* Takes value; writes it with sorted keys. Returns 0, or -1 after a line on standard error. */
int json_save(json_t *value, const char *directory, const char *name);

/* "DIRECTORY/PREFIXNAME" into out; what does not fit is a path that cannot be opened. */
void path_join(char *out, size_t bytes, const char *directory, const char *prefix, const char *name);

enum { PATH_BYTES = 4096 };

#endif
