/*
 * Detects a finished archive by its header and metadata. pmtiles_write renames a file when it is complete, so
 * the only other cases are another archive, or a truncated copy.
 *
 * Nothing in the file is trusted: lengths are bounded before anything is read by them.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/little_endian.h"
#include "../base/text.h"
#include "mbtiles.h"
#include "pmtiles.h"

enum { METADATA_BYTES_MAX = 1 << 16 }; /* zipped or not; those of terrane's have about 700 */

static int refuse(char error[MBTILES_ERROR_BYTES], const char *path, const char *why)
{
    text_print(error, MBTILES_ERROR_BYTES, "%.*s: is there already, %.250s; remove it, or write elsewhere",
               text_cut(path, 200), path, why);
    return -1;
}

/* True if all bytes could be read. */
static bool read_at(int file, void *data, size_t bytes, uint64_t offset)
{
    unsigned char *at = data;
    while (bytes > 0) {
        const ssize_t got = pread(file, at, bytes, (off_t)offset);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        const size_t more = got > 0 ? (size_t)got : 0;
        at += more;
        offset += more;
        bytes -= more;
    }
    return true;
}

/* Reads the metadata, 1 .. METADATA_BYTES_MAX bytes at offset; NULL: no gzip of a JSON object, or memory is short. */
static json_t *read_metadata(int file, uint64_t offset, size_t bytes)
{
    struct libdeflate_decompressor *gunzip = libdeflate_alloc_decompressor();
    unsigned char *zipped = malloc(bytes);
    char *text = malloc(METADATA_BYTES_MAX);
    json_t *object = NULL;
    size_t text_bytes = 0;
    if (gunzip && zipped && text && read_at(file, zipped, bytes, offset) &&
        libdeflate_gzip_decompress(gunzip, zipped, bytes, text, METADATA_BYTES_MAX, &text_bytes) ==
            LIBDEFLATE_SUCCESS)
        object = json_loadb(text, text_bytes, JSON_REJECT_DUPLICATES, NULL);
    libdeflate_free_decompressor(gunzip);
    free(zipped);
    free(text);
    if (json_is_object(object))
        return object;
    json_decref(object);
    return NULL;
}

/* Compares the metadata with the wanted one, in its order. */
static int compare(const char *path, const json_t *said, json_t *wanted, char error[MBTILES_ERROR_BYTES])
{
    const char *name;
    json_t *value;
    char here[ARCHIVE_SHOWN_BYTES], there[ARCHIVE_SHOWN_BYTES], why[250];
    json_object_foreach(wanted, name, value)
    {
        const json_t *found = json_object_get(said, name);
        if (json_equal(found, value))
            continue;
        if (!json_is_string(value)) /* what a vector archive has, and no other */
            return refuse(error, path, "and was made with other options");
        if (!json_is_string(found))
            return refuse(error, path, "and is no archive of terrane's");
        text_print(why, sizeof why, "and was made with %s \"%s\", not \"%s\"", archive_plain(name),
                   archive_shown(there, json_string_value(found)),
                   archive_shown(here, json_string_value(value)));
        return refuse(error, path, why);
    }
    return json_object_size(said) == json_object_size(wanted)
               ? 1
               : refuse(error, path, "and was made with other options");
}

/* True if header, directories, metadata and tiles follow each other and fill the file. */
static bool is_whole(const unsigned char *header, uint64_t file_bytes)
{
    uint64_t end = PMTILES_HEADER_BYTES;
    for (int part = 0; part < 4; part++) {
        const uint64_t offset = get_le(header + 8 + 16 * part, 8), bytes = get_le(header + 16 + 16 * part, 8);
        if (offset != end || bytes > file_bytes || end > file_bytes - bytes)
            return false;
        end += bytes;
    }
    return end == file_bytes;
}

static int find_in(int file, const char *path, const char *metadata, int64_t tiles,
                   char error[MBTILES_ERROR_BYTES])
{
    unsigned char header[PMTILES_HEADER_BYTES];
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        text_print(error, MBTILES_ERROR_BYTES, "%.*s: is a %s; write to a file", text_cut(path, 300), path,
                   S_ISDIR(status.st_mode) ? "directory" : "pipe or a device");
        return -1;
    }
    if (!read_at(file, header, sizeof header, 0) || memcmp(header, "PMTiles\3", 8) != 0)
        return refuse(error, path, "and is no archive of terrane's");
    const uint64_t file_bytes = (uint64_t)status.st_size, offset = get_le(header + 24, 8),
                   bytes = get_le(header + 32, 8);
    json_t *said = NULL, *wanted = json_loads(metadata, 0, NULL);
    if (offset < file_bytes && bytes > 0 && bytes <= METADATA_BYTES_MAX)
        said = read_metadata(file, offset, (size_t)bytes);
    int result;
    if (!wanted)
        result = refuse(error, path, "and memory is short");
    else if (!said)
        result = refuse(error, path, "and is damaged, or no archive of terrane's");
    else
        result = compare(path, said, wanted, error);
    json_decref(said);
    json_decref(wanted);
    if (result == 1 && (!is_whole(header, file_bytes) || get_le(header + 72, 8) != (uint64_t)tiles))
        return refuse(error, path, "and is damaged: it has not all of its bytes");
    return result;
}

int pmtiles_find(const char *path, const char *metadata, int64_t tiles, char error[MBTILES_ERROR_BYTES])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its other end */
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (file < 0) {
        text_print(error, MBTILES_ERROR_BYTES, "%.*s: is there already, and cannot be read: %s",
                   text_cut(path, 300), path, strerror(errno));
        return -1;
    }
    const int result = find_in(file, path, metadata, tiles, error);
    close(file);
    return result;
}
