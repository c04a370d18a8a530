/*
 * Two formats that come from strangers. Every offset is checked against what is left before it is followed;
 * sums are of numbers under 2^33 in 64 bits.
 */
#include "npy.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

static uint64_t little(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int k = bytes; k-- > 0;)
        value = value << 8 | at[k];
    return value;
}

/* ---- Arrays ------------------------------------------------------------------------------------------- */

/* What stands behind 'key': in the header's dictionary; NULL when it is missing. The header ends with a
 * zero. */
static const char *behind_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += *at == '\'' || *at == '"';
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    return at + 1 + strspn(at + 1, " ");
}

static const char *parse_type(const char *header, struct npy *out)
{
    const char *const at = behind_key(header, "descr");

    if (!at || (at[0] != '\'' && at[0] != '"') || !at[1] || !at[2] || !at[3] ||
        (at[4] != '\'' && at[4] != '"'))
        return "its type is none of i1 to i4, u1 to u4, f4, f8";
    out->kind = at[2];
    out->item_bytes = at[3] - '0';
    out->big_endian = at[1] == '>';
    const bool whole = (at[2] == 'i' || at[2] == 'u') && (at[3] == '1' || at[3] == '2' || at[3] == '4');
    const bool real = at[2] == 'f' && (at[3] == '4' || at[3] == '8');
    if (!strchr("<>|=", at[1]) || (!whole && !real))
        return "its type is none of i1 to i4, u1 to u4, f4, f8";
    return NULL;
}

static const char *parse_shape(const char *header, struct npy *out)
{
    static const char bad[] = "its shape is not understood";
    const char *at = behind_key(header, "shape");

    if (!at || *at++ != '(')
        return bad;
    out->dimensions = 0;
    out->shape[0] = out->shape[1] = 1;
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, ", ")) {
        int64_t side = 0;
        if (*at < '0' || *at > '9')
            return bad;
        for (; *at >= '0' && *at <= '9'; at++) {
            side = side * 10 + (*at - '0');
            if (side > INT32_MAX)
                return "a side is too long";
        }
        if (side < 1)
            return "it is empty";
        if (out->dimensions == 2)
            return "it has more than two dimensions";
        out->shape[out->dimensions++] = side;
        if (*at != ',' && *at != ')' && *at != ' ')
            return bad;
    }
    return NULL;
}

const char *npy_parse(struct span file, struct npy *out)
{
    char header[1024];
    const char *problem;

    if (file.bytes < 12 || memcmp(file.data, "\x93NUMPY", 6) != 0 || file.data[6] < 1 || file.data[6] > 3)
        return "not a NumPy file of version 1 to 3";
    const int prefix = file.data[6] == 1 ? 2 : 4;
    const size_t start = 8 + (size_t)prefix, bytes = (size_t)little(file.data + 8, prefix);
    if (bytes >= sizeof header || bytes > file.bytes - start)
        return "its header is cut off, or over 1023 bytes";
    memcpy(header, file.data + start, bytes);
    header[bytes] = 0;
    problem = parse_type(header, out);
    if (problem)
        return problem;
    const char *const order = behind_key(header, "fortran_order");
    if (!order || strncmp(order, "False", 5) != 0)
        return "it is not in C order";
    problem = parse_shape(header, out);
    if (problem)
        return problem;
    out->items = (struct span){file.data + start + bytes, file.bytes - start - bytes};
    const uint64_t items = (uint64_t)out->shape[0] * (uint64_t)out->shape[1]; /* under 2^62 */
    if (items != out->items.bytes / (size_t)out->item_bytes ||
        out->items.bytes % (size_t)out->item_bytes != 0)
        return "its length is not that of its shape";
    return NULL;
}

double npy_item(const struct npy *npy, size_t k)
{
    uint8_t turned[8];
    const uint8_t *at = npy->items.data + k * (size_t)npy->item_bytes;
    float f4;
    double f8;

    for (int b = 0; npy->big_endian && b < npy->item_bytes; b++)
        turned[b] = at[npy->item_bytes - 1 - b];
    if (npy->big_endian)
        at = turned;
    const uint64_t bits = little(at, npy->item_bytes);
    const uint32_t low = (uint32_t)bits;
    if (npy->kind == 'f' && npy->item_bytes == 4) {
        memcpy(&f4, &low, sizeof f4);
        return (double)f4;
    }
    if (npy->kind == 'f') {
        memcpy(&f8, &bits, sizeof f8);
        return f8;
    }
    const double value = (double)bits, range = (double)(UINT64_C(1) << 8 * npy->item_bytes);
    return npy->kind == 'i' && value >= range / 2 ? value - range : value;
}

/* ---- Archives ----------------------------------------------------------------------------------------- */

enum { END_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30 };

/* The directory's place and its number of entries, from the record at the end (a comment may follow it). */
static const char *find_directory(struct span archive, size_t *offset, int *entries)
{
    for (size_t back = END_BYTES; back <= archive.bytes && back <= END_BYTES + 65535; back++) {
        const uint8_t *const end = archive.data + archive.bytes - back;
        if (memcmp(end, "PK\5\6", 4) != 0)
            continue;
        *entries = (int)little(end + 10, 2);
        *offset = (size_t)little(end + 16, 4);
        return NULL;
    }
    return "not a ZIP file";
}

static const char *unpack(struct span packed, int method, size_t bytes, struct span *owned)
{
    uint8_t *const data = malloc(bytes ? bytes : 1);
    struct libdeflate_decompressor *const inflate = libdeflate_alloc_decompressor();
    const char *problem = data && inflate ? NULL : "out of memory";

    if (!problem && method == 0 && packed.bytes == bytes)
        memcpy(data, packed.data, bytes);
    else if (!problem &&
             (method == 0 || libdeflate_deflate_decompress(inflate, packed.data, packed.bytes, data, bytes,
                                                           NULL) != LIBDEFLATE_SUCCESS))
        problem = "a member does not unpack to the size it states";
    libdeflate_free_decompressor(inflate);
    if (problem)
        free(data);
    else
        *owned = (struct span){data, bytes};
    return problem;
}

const char *npz_member(struct span archive, int index, size_t limit, char *name, size_t name_bytes,
                       struct span *owned)
{
    static const char cut[] = "the ZIP file is cut off or damaged";
    size_t at;
    int entries;
    const char *const problem = find_directory(archive, &at, &entries);

    if (problem)
        return problem;
    if (index >= entries)
        return "";
    for (;; index--) {
        if (at > archive.bytes || archive.bytes - at < ENTRY_BYTES ||
            memcmp(archive.data + at, "PK\1\2", 4) != 0)
            return cut;
        const uint8_t *const entry = archive.data + at;
        const size_t text = (size_t)little(entry + 28, 2);
        const size_t length =
            ENTRY_BYTES + text + (size_t)little(entry + 30, 2) + (size_t)little(entry + 32, 2);
        if (length > archive.bytes - at)
            return cut;
        if (index > 0) {
            at += length;
            continue;
        }
        const int method = (int)little(entry + 10, 2);
        const size_t packed = (size_t)little(entry + 20, 4), bytes = (size_t)little(entry + 24, 4);
        const size_t local = (size_t)little(entry + 42, 4),
                     shown = text < name_bytes - 1 ? text : name_bytes - 1;
        memcpy(name, entry + ENTRY_BYTES, shown);
        name[shown] = 0;
        if (little(entry + 8, 2) & 1 || (method != 0 && method != 8))
            return "a member is encrypted, or packed by another way than deflate";
        if (bytes > limit)
            return "a member is too large, or needs ZIP64";
        if (local > archive.bytes || archive.bytes - local < LOCAL_BYTES)
            return cut;
        const uint8_t *const head = archive.data + local;
        const size_t skip = LOCAL_BYTES + (size_t)little(head + 26, 2) + (size_t)little(head + 28, 2);
        if (skip > archive.bytes - local || packed > archive.bytes - local - skip)
            return cut;
        return unpack((struct span){head + skip, packed}, method, bytes, owned);
    }
}
