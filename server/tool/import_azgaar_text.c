/*
 * The text of an export, as values.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/file_text.h"
#include "../base/text.h"
#include "import_azgaar.h"

#define FILE_MAX ((size_t)256 << 20)
#define OPENINGS_MAX \
    ((size_t)1 << 23) /* arrays and objects; of 100,000 cells, the generator's most, some 3 million */
#define COMMAS_MAX ((size_t)1 << 25)

/* Memory that a text takes as values is bounded by what it has of these, before any is taken. */
static bool is_small(const char *text, size_t bytes)
{
    size_t openings = 0, commas = 0;
    for (size_t k = 0; k < bytes; k++) {
        openings += text[k] == '[' || text[k] == '{';
        commas += text[k] == ',';
    }
    return openings <= OPENINGS_MAX && commas <= COMMAS_MAX;
}

/* The 16 bits of an escape \uXXXX; 0: there is none. */
static unsigned escaped(const char *text, size_t left)
{
    char digits[5] = "", *end;
    if (left < 6 || text[0] != '\\' || text[1] != 'u')
        return 0;
    memcpy(digits, text + 2, 4);
    const unsigned long value = strtoul(digits, &end, 16);
    return end == digits + 4 ? (unsigned)value : 0;
}

/*
 * The generator cuts words of rare scripts in the middle of their letters, and JavaScript writes the halves, which are no Unicode. Each becomes
 * the letter for what is none.
 */
static void mend_halves(char *text, size_t bytes)
{
    for (size_t k = 0; k + 1 < bytes; k++) {
        if (text[k] != '\\')
            continue;
        const unsigned half = escaped(text + k, bytes - k);
        const bool high = half >> 10 == 0xd800 >> 10, low = half >> 10 == 0xdc00 >> 10;
        const bool pair = high && bytes - k > 6 && escaped(text + k + 6, bytes - k - 6) >> 10 == 0xdc00 >> 10;
        if (low || (high && !pair))
            memcpy(text + k + 2, "FFFD", 4);
        k += pair ? 11 : 1;
    }
}

json_t *azgaar_text(const char *path, char *why, size_t why_bytes)
{
    char reason[80];
    size_t bytes;
    json_error_t trouble;
    json_t *root = NULL;
    char *const text = file_text(path, FILE_MAX, &bytes, reason, sizeof reason);
    if (!text) {
        text_print(why, why_bytes, "%s", reason);
        return NULL;
    }
    const bool small = is_small(text, bytes);
    mend_halves(text, bytes);
    if (small)
        root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble);
    free(text);
    if (!small)
        text_print(why, why_bytes, "has too many values: allowed %zu arrays and objects, and %zu commas",
                   OPENINGS_MAX, COMMAS_MAX);
    else if (!root)
        text_print(why, why_bytes, "line %d, column %d: %s", trouble.line, trouble.column, trouble.text);
    return root;
}
