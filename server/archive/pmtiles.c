/*
 * Writing PMTiles.
 *
 *     header (127)   root directory   metadata   leaf directories   tiles
 *
 * Two walks over the tiles, in the order of their numbers. The first makes the entries: repeated bytes are not
 * stored again (a hash of 128 bits detects them), and tiles in a row with the same bytes are one entry with a
 * run. Then all lengths are known, the front is written, and the second walk copies the new bytes. So the
 * archive is clustered: offsets continue from the end of the last one, or go back.
 */
#include "pmtiles.h"
#include "../base/array.h"
#include "../base/little_endian.h"

#include <errno.h>
#include <libdeflate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "../base/check.h"
#include "../base/text.h"

enum {
    GZIP_LEVEL = 9,
    FRONT_BYTES = 16384,               /* header and root directory fit into them */
    ENTRY_BYTES_MAX = 10 + 5 + 5 + 10, /* as varints */
    LEAF_ENTRIES = 4096,               /* to begin with */
    COMPRESSION_NONE = 1,
    COMPRESSION_GZIP = 2,
    TYPE_VECTORS = 1,
    TYPE_PNG = 2,
};

/* The place of stored bytes, by their hash. length 0: an empty slot. */
struct content {
    uint64_t low, high, offset;
    uint32_t length;
};

/* An entry of a directory: run tiles from id on have the bytes at offset; run 0: offset is that of a leaf directory. */
struct entry {
    uint64_t id, offset;
    uint32_t length, run;
};

struct writer {
    const struct pmtiles_facts *facts;
    bool (*stopped)(void);
    struct entry *entry;
    size_t entries, entries_room;
    struct content *content; /* an open table, a power of two of slots */
    size_t contents, slots;
    uint64_t tiles, data_bytes; /* so far */
    FILE *out;
    size_t next;  /* second walk: the entry under way, */
    uint64_t run, /* how far into its run, */
        end;      /* and where the bytes written so far end */
};

/* ---- Directories --------------------------------------------------------------------------------------- */

static unsigned char *put_varint(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

unsigned char *archive_gzip(const unsigned char *data, size_t bytes, size_t *out_bytes)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(GZIP_LEVEL);
    unsigned char *out = NULL;
    if (compressor) {
        const size_t room = libdeflate_gzip_compress_bound(compressor, bytes);
        out = malloc(room);
        *out_bytes = out ? libdeflate_gzip_compress(compressor, data, bytes, out, room) : 0;
        CHECK(!out || *out_bytes > 0);
    }
    libdeflate_free_compressor(compressor);
    return out;
}

/* A directory of count entries (1 and more), gzip'ed. Returns owned (malloc) and *bytes; NULL when memory is
 * short. */
static unsigned char *directory(const struct entry *entries, size_t count, size_t *bytes)
{
    CHECK(count > 0);
    unsigned char *plain = malloc(10 + count * ENTRY_BYTES_MAX), *at = plain;
    if (!plain)
        return NULL;
    at = put_varint(at, count);
    for (size_t i = 0; i < count; i++)
        at = put_varint(at, entries[i].id - (i ? entries[i - 1].id : 0));
    for (size_t i = 0; i < count; i++)
        at = put_varint(at, entries[i].run);
    for (size_t i = 0; i < count; i++)
        at = put_varint(at, entries[i].length);
    for (size_t i = 0; i < count; i++) {
        const bool follows = i > 0 && entries[i].offset == entries[i - 1].offset + entries[i - 1].length;
        at = put_varint(at, follows ? 0 : entries[i].offset + 1);
    }
    unsigned char *out = archive_gzip(plain, (size_t)(at - plain), bytes);
    free(plain);
    return out;
}

struct bytes {
    unsigned char *data;
    size_t bytes;
};

static int append(struct bytes *all, const unsigned char *data, size_t bytes)
{
    unsigned char *more = realloc(all->data, all->bytes + bytes);
    if (!more)
        return -1;
    memcpy(more + all->bytes, data, bytes);
    all->data = more;
    all->bytes += bytes;
    return 0;
}

/* Makes leaves of so many entries, and their root. */
static int divide(const struct entry *entries, size_t count, size_t each, struct bytes *root,
                  struct bytes *leaves)
{
    const size_t all = (count + each - 1) / each;
    struct entry *top = malloc(all * sizeof *top);
    int result = top ? 0 : -1;
    for (size_t i = 0; i < all && result == 0; i++) {
        const size_t from = i * each, here = count - from < each ? count - from : each;
        size_t bytes;
        unsigned char *leaf = directory(entries + from, here, &bytes);
        if (leaf)
            top[i] = (struct entry){entries[from].id, leaves->bytes, (uint32_t)bytes, 0};
        result = leaf ? append(leaves, leaf, bytes) : -1;
        free(leaf);
    }
    if (result == 0)
        root->data = directory(top, all, &root->bytes);
    free(top);
    return root->data ? 0 : -1;
}

/*
 * Makes the root directory and leaves of count entries: only *root if that fits beside the header, else it
 * points to consecutive leaves with equal numbers of entries. Both owned by the caller; *leaves may be NULL.
 * 0, or -1 when memory is short.
 */
static int make_directories(const struct entry *entries, size_t count, struct bytes *root,
                            struct bytes *leaves)
{
    const size_t max = FRONT_BYTES - PMTILES_HEADER_BYTES;
    *root = *leaves = (struct bytes){0};
    if (count <= max) { /* an entry is never less than a byte or so of a directory */
        root->data = directory(entries, count, &root->bytes);
        if (!root->data || root->bytes <= max)
            return root->data ? 0 : -1;
    }
    for (size_t each = LEAF_ENTRIES;; each += each / 4) {
        free(root->data);
        free(leaves->data);
        *root = *leaves = (struct bytes){0};
        if (divide(entries, count, each, root, leaves) != 0)
            break;
        if (root->bytes <= max)
            return 0;
    }
    free(root->data);
    free(leaves->data);
    *root = *leaves = (struct bytes){0};
    return -1;
}

/* ---- The first walk ------------------------------------------------------------------------------------ */

static struct content *find(struct content *table, size_t slots, uint64_t low, uint64_t high)
{
    size_t slot = (size_t)low & (slots - 1);
    while (table[slot].length != 0 && (table[slot].low != low || table[slot].high != high))
        slot = (slot + 1) & (slots - 1);
    return &table[slot];
}

/* Keeps the table at most half full. */
static int grow_contents(struct writer *writer)
{
    if (2 * (writer->contents + 1) <= writer->slots)
        return 0;
    const size_t slots = writer->slots ? 2 * writer->slots : 1024;
    struct content *table = calloc(slots, sizeof *table);
    if (!table)
        return -1;
    for (size_t i = 0; i < writer->slots; i++)
        if (writer->content[i].length != 0)
            *find(table, slots, writer->content[i].low, writer->content[i].high) = writer->content[i];
    free(writer->content);
    writer->content = table;
    writer->slots = slots;
    return 0;
}

static int grow_entries(struct writer *writer)
{
    struct entry *entry =
        array_grown(writer->entry, writer->entries, &writer->entries_room, 1024, sizeof *entry);
    if (!entry)
        return -1;
    writer->entry = entry;
    return 0;
}

/* The outcome of a walk. */
enum visit {
    VISIT_FAILED = -1, /* mbtiles_error says why */
    VISIT_DONE,
    VISIT_STOPPED,
    VISIT_MEMORY,
    VISIT_WRITE,
    VISIT_CHANGED
};

static int visit_entry(void *context, uint64_t id, const unsigned char *data, size_t bytes)
{
    struct writer *writer = context;
    const XXH128_hash_t hash = XXH3_128bits(data, bytes);
    if (writer->stopped && writer->stopped())
        return VISIT_STOPPED;
    if (grow_contents(writer) != 0 || grow_entries(writer) != 0)
        return VISIT_MEMORY;
    struct content *content = find(writer->content, writer->slots, hash.low64, hash.high64);
    if (content->length == 0) {
        *content = (struct content){hash.low64, hash.high64, writer->data_bytes, (uint32_t)bytes};
        writer->contents++;
        writer->data_bytes += bytes;
    }
    CHECK(writer->entry != NULL);
    struct entry *last = writer->entries ? &writer->entry[writer->entries - 1] : NULL;
    writer->tiles++;
    if (last && last->offset == content->offset && last->id + last->run == id && last->run < UINT32_MAX)
        last->run++;
    else
        writer->entry[writer->entries++] = (struct entry){id, content->offset, content->length, 1};
    return 0;
}

/* ---- The file ------------------------------------------------------------------------------------------ */

static unsigned char *put_degrees(unsigned char *at, double degrees)
{
    return put_le(at, (uint64_t)(int64_t)lround(degrees * 1e7), 4);
}

static void make_header(unsigned char header[PMTILES_HEADER_BYTES], const struct writer *writer, size_t root,
                        size_t metadata, size_t leaves)
{
    const struct pmtiles_facts *facts = writer->facts;
    const uint64_t part[4] = {root, metadata, leaves, writer->data_bytes};
    uint64_t offset = PMTILES_HEADER_BYTES;
    unsigned char *at = header;
    memcpy(at, "PMTiles\3", 8);
    at += 8;
    for (int i = 0; i < 4; i++) {
        at = put_le(at, offset, 8);
        at = put_le(at, part[i], 8);
        offset += part[i];
    }
    at = put_le(at, writer->tiles, 8);
    at = put_le(at, writer->entries, 8);
    at = put_le(at, writer->contents, 8);
    at = put_le(at, 1, 1); /* clustered */
    at = put_le(at, COMPRESSION_GZIP, 1);
    at = put_le(at, facts->vectors ? COMPRESSION_GZIP : COMPRESSION_NONE, 1);
    at = put_le(at, facts->vectors ? TYPE_VECTORS : TYPE_PNG, 1);
    at = put_le(at, (uint64_t)facts->z_min, 1);
    at = put_le(at, (uint64_t)facts->z_max, 1);
    at = put_degrees(at, facts->west);
    at = put_degrees(at, facts->south);
    at = put_degrees(at, facts->east);
    at = put_degrees(at, facts->north);
    at = put_le(at, (uint64_t)facts->z_center, 1);
    at = put_degrees(at, facts->center_lon);
    at = put_degrees(at, facts->center_lat);
    CHECK(at == header + PMTILES_HEADER_BYTES);
}

/* Header, directories, metadata. */
static int write_front(struct writer *writer)
{
    unsigned char header[PMTILES_HEADER_BYTES], *metadata;
    struct bytes root, leaves;
    size_t metadata_bytes = 0;
    int result = VISIT_MEMORY;
    if (make_directories(writer->entry, writer->entries, &root, &leaves) != 0)
        return VISIT_MEMORY;
    const char *text = writer->facts->metadata;
    metadata = archive_gzip((const unsigned char *)text, strlen(text), &metadata_bytes);
    if (metadata) {
        make_header(header, writer, root.bytes, metadata_bytes, leaves.bytes);
        const bool wrote =
            fwrite(header, 1, sizeof header, writer->out) == sizeof header &&
            fwrite(root.data, 1, root.bytes, writer->out) == root.bytes &&
            fwrite(metadata, 1, metadata_bytes, writer->out) == metadata_bytes &&
            (leaves.bytes == 0 || fwrite(leaves.data, 1, leaves.bytes, writer->out) == leaves.bytes);
        result = wrote ? 0 : VISIT_WRITE;
    }
    free(metadata);
    free(root.data);
    free(leaves.data);
    return result;
}

/* The second walk: writes new bytes, and checks everything against the first. */
static int visit_data(void *context, uint64_t id, const unsigned char *data, size_t bytes)
{
    struct writer *writer = context;
    if (writer->stopped && writer->stopped())
        return VISIT_STOPPED;
    if (writer->next == writer->entries)
        return VISIT_CHANGED;
    const struct entry *entry = &writer->entry[writer->next];
    if (entry->id + writer->run != id || entry->length != bytes)
        return VISIT_CHANGED;
    const bool fresh = writer->run == 0 && entry->offset == writer->end;
    if (fresh && fwrite(data, 1, bytes, writer->out) != bytes)
        return VISIT_WRITE;
    writer->end += fresh ? bytes : 0;
    if (++writer->run == entry->run) {
        writer->next++;
        writer->run = 0;
    }
    return 0;
}

static int fail(char error[MBTILES_ERROR_BYTES], const char *path, const char *why)
{
    text_print(error, MBTILES_ERROR_BYTES, "%s: %s", path, why);
    return -1;
}

/* In words. */
static int report(enum visit result, const char *path, const struct mbtiles *tiles, int cause,
                  char error[MBTILES_ERROR_BYTES])
{
    switch (result) {
    case VISIT_DONE:
        return 0;
    case VISIT_STOPPED:
        return 1;
    case VISIT_MEMORY:
        return fail(error, path, "memory is short");
    case VISIT_WRITE:
        return fail(error, path, strerror(cause));
    case VISIT_CHANGED:
        return fail(error, path, "its tiles changed while they were read");
    case VISIT_FAILED:
        break;
    }
    text_print(error, MBTILES_ERROR_BYTES, "%s", mbtiles_error(tiles));
    return -1;
}

/* Writes the whole file under a temporary name. */
static int write_whole(struct writer *writer, struct mbtiles *tiles, const char *name)
{
    int result;
    writer->out = fopen(name, "wbe");
    if (!writer->out)
        return VISIT_WRITE;
    result = write_front(writer);
    if (result == 0)
        result = mbtiles_walk(tiles, visit_data, writer);
    if (result == 0 && writer->next != writer->entries)
        result = VISIT_CHANGED;
    if (result == 0 && (fflush(writer->out) != 0 || fsync(fileno(writer->out)) != 0))
        result = VISIT_WRITE;
    const int cause = errno;
    if (fclose(writer->out) != 0 && result == 0)
        return VISIT_WRITE;
    errno = cause;
    return result;
}

int pmtiles_write(const char *path, struct mbtiles *tiles, const struct pmtiles_facts *facts,
                  bool (*stopped)(void), char error[MBTILES_ERROR_BYTES])
{
    struct writer writer = {.facts = facts, .stopped = stopped};
    const size_t name_bytes = strlen(path) + sizeof ".new";
    char *name = malloc(name_bytes);
    if (!name)
        return fail(error, path, "memory is short");
    snprintf(name, name_bytes, "%s.new", path);
    int result = mbtiles_walk(tiles, visit_entry, &writer);
    CHECK(result != 0 || writer.entries > 0);
    if (result == 0)
        result = write_whole(&writer, tiles, name);
    if (result == 0 && rename(name, path) != 0)
        result = VISIT_WRITE;
    const int cause = errno;
    if (result != 0)
        remove(name);
    result = report(result, path, tiles, cause, error);
    free(name);
    free(writer.entry);
    free(writer.content);
    return result;
}
