/*
 * Esri's ASCII grid: words and numbers, then as many numbers as these say.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "raster_parts.h"

enum { WORD_BYTES = 64, BUFFER_BYTES = 1 << 16 };

struct words {
    struct raster_reader *reader;
    uint64_t next; /* the byte behind the buffer */
    size_t at, filled;
    char buffer[BUFFER_BYTES];
};

/* The next byte; -1: there is none, or the disk fails. */
static int byte_of(struct words *words)
{
    if (words->at == words->filled) {
        const int64_t got = raster_bytes(words->reader, words->next, words->buffer, sizeof words->buffer);
        words->at = 0;
        words->filled = got > 0 ? (size_t)got : 0;
        words->next += words->filled;
    }
    return words->at < words->filled ? (unsigned char)words->buffer[words->at++] : -1;
}

/* The next word; "" and false: there is none, or it is longer than any that counts. */
static bool word_of(struct words *words, char out[static WORD_BYTES])
{
    size_t bytes = 0;
    int c = byte_of(words);
    while (c >= 0 && isspace(c))
        c = byte_of(words);
    for (; c >= 0 && !isspace(c); c = byte_of(words)) {
        if (bytes == WORD_BYTES - 1) {
            out[0] = '\0';
            return false;
        }
        out[bytes++] = (char)c;
    }
    out[bytes] = '\0';
    return bytes > 0;
}

static bool number_of(const char *word, double *out)
{
    char *end;
    *out = strtod(word, &end);
    return end != word && *end == '\0';
}

/* What stands before the samples; *word is then the first of these. */
static int read_head(struct words *words, char word[static WORD_BYTES], double size[2])
{
    static const char *const known[] = {"ncols",     "nrows",    "xllcorner", "xllcenter", "yllcorner",
                                        "yllcenter", "cellsize", "dx",        "dy",        "nodata_value"};
    enum { KNOWN = sizeof known / sizeof *known };
    struct raster_reader *reader = words->reader;
    size_t k = 0;
    for (int lines = 0; word_of(words, word) && isalpha((unsigned char)word[0]) && lines < KNOWN; lines++) {
        char value[WORD_BYTES];
        double number;
        for (k = 0; k < KNOWN && strcasecmp(word, known[k]) != 0; k++)
            ;
        if (k == KNOWN || !word_of(words, value) || !number_of(value, &number))
            return raster_refuse(reader, "\"%s\" is no line of the head of an ASCII grid", word);
        if (k < 2)
            size[k] = number;
        reader->has_none |= k == KNOWN - 1;
        reader->none = k == KNOWN - 1 ? number : reader->none;
    }
    return 0;
}

static int read_samples(struct words *words, char word[static WORD_BYTES])
{
    struct raster_reader *reader = words->reader;
    const size_t count = (size_t)reader->out.width * (size_t)reader->out.height;
    for (size_t i = 0; i < count; i++) {
        double number;
        if ((i > 0 && !word_of(words, word)) || word[0] == '\0')
            return raster_refuse(reader, "ends after %zu of %zu numbers, or has a word of over %d bytes", i,
                                 count, WORD_BYTES - 1);
        if (!number_of(word, &number))
            return raster_refuse(reader, "\"%s\" is no number", word);
        if (raster_put(reader, i, number) != 0)
            return -1;
    }
    return word_of(words, word) ? raster_refuse(reader, "has more than %zu numbers", count) : 0;
}

int raster_read_asc(struct raster_reader *reader)
{
    struct words *words = calloc(1, sizeof *words);
    char word[WORD_BYTES] = "";
    double size[2] = {0};
    if (!words)
        return raster_refuse(reader, "out of memory");
    words->reader = reader;
    int result = read_head(words, word, size);
    if (result == 0 && !(size[0] >= 0 && size[0] <= 1e9 && size[1] >= 0 && size[1] <= 1e9))
        result = raster_refuse(reader, "ncols or nrows is no number of samples");
    if (result == 0)
        result = raster_size(reader, (uint64_t)size[0], (uint64_t)size[1]);
    if (result == 0)
        result = read_samples(words, word);
    free(words);
    return result;
}
