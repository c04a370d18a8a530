/*
 * Numbers into JSON, and JSON into files.
 */
#include "json_build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../server/base/json_text.h"
#include "say.h"

json_t *json_of(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_row(const double *numbers, int count)
{
    json_t *const row = json_array();
    for (int k = 0; k < count; k++)
        json_array_append_new(row, json_of(numbers[k]));
    return row;
}

json_t *json_fit(const struct fit *fit)
{
    if (fit->points == 0)
        return json_null();
    return json_pack("{s:i, s:f, s:f, s:f}", "points", fit->points, "slope", fit->slope, "intercept",
                     fit->intercept, "r2", fit->r2);
}

void path_join(char *out, size_t bytes, const char *directory, const char *prefix, const char *name)
{
    snprintf(out, bytes, "%s/%s%s", directory, prefix, name);
}

int json_save(json_t *value, const char *directory, const char *name)
{
    char path[PATH_BYTES];
    size_t bytes;
    char *const text = json_text(value, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9), &bytes);

    path_join(path, sizeof path, directory, "", name);
    FILE *const out = text ? fopen(path, "wb") : NULL;
    const int wrote = out && fwrite(text, 1, bytes, out) == bytes;
    const int closed = out ? fclose(out) : -1;
    if (!text)
        say_error("out of memory");
    else if (!wrote || closed != 0)
        say_error("%s: %s", path, strerror(errno));
    free(text);
    return wrote && closed == 0 ? 0 : -1;
}
