/*
 * NumPy's array format and the ZIP files it comes in, as spans of memory.
 */
#ifndef TERRANE_ANALYZE_NPY_H
#define TERRANE_ANALYZE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const uint8_t *data;
    size_t bytes;
};

struct npy {
    char kind;      /* 'f', 'i' or 'u' */
    int item_bytes; /* f: 4 or 8; i, u: 1, 2 or 4 */
    bool big_endian;
    int dimensions;    /* 0 .. 2 */
    int64_t shape[2];  /* each 1 .. 2^31 - 1; of absent dimensions 1 */
    struct span items; /* exactly shape[0] * shape[1] of them; borrowed */
};

/* Reads a header. Returns NULL, or what is wrong with the file. */
const char *npy_parse(struct span file, struct npy *out);

/* Item k, k below shape[0] * shape[1]. */
double npy_item(const struct npy *npy, size_t k);

/*
 * npz_member - one file of a ZIP archive.
 *
 *   index  counts the archive's files from 0
 *   name   receives the name, cut where it is longer
 *   owned  receives the content: stored or deflated, at most limit bytes; free() its data
 *
 * Returns NULL, or what is wrong; "" when the archive has no such file.
 */
const char *npz_member(struct span archive, int index, size_t limit, char *name, size_t name_bytes,
                       struct span *owned);

#endif
