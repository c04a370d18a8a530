/*
 * Which format a file has, and what all formats are refused for.
 *
 * Files are read by their descriptor, never mapped: one that becomes shorter meanwhile is an error, and no signal. Room is made for
 * what a file says of itself only when that is within bounds.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/terrane.h"
#include "../base/text.h"
#include "raster_parts.h"

enum { SAMPLE_MAX = 1 << 24, MAGIC_BYTES = 12 };
static const uint64_t file_max = UINT64_C(1) << 31;

int raster_refuse(struct raster_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_print_list(reader->why, reader->why_bytes, format, arguments);
    va_end(arguments);
    return -1;
}

int64_t raster_bytes(const struct raster_reader *reader, uint64_t from, void *out, size_t count)
{
    const uint64_t left = from < reader->bytes ? reader->bytes - from : 0;
    const size_t wanted = count < left ? count : (size_t)left;
    for (size_t done = 0; done < wanted;) {
        const ssize_t got =
            pread(reader->file, (char *)out + done, wanted - done, (off_t)(from + (uint64_t)done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return -1;
        done += got > 0 ? (size_t)got : 0;
    }
    return (int64_t)wanted;
}

int raster_size(struct raster_reader *reader, uint64_t width, uint64_t height)
{
    if (width < 2 || width > TERRANE_RASTER_SIDE || height < 2 || height > TERRANE_RASTER_SIDE)
        return raster_refuse(reader, "%llu x %llu samples: allowed from 2 to %d along either side",
                             (unsigned long long)width, (unsigned long long)height, TERRANE_RASTER_SIDE);
    reader->out.sample = malloc((size_t)(width * height) * sizeof *reader->out.sample);
    if (!reader->out.sample)
        return raster_refuse(reader, "out of memory");
    reader->out.width = (int)width;
    reader->out.height = (int)height;
    return 0;
}

static int refuse_sample(struct raster_reader *reader, size_t at, double value)
{
    const int row = (int)(at / (size_t)reader->out.width), column = (int)(at % (size_t)reader->out.width);
    if (reader->has_none && value == reader->none)
        return raster_refuse(
            reader, "row %d, column %d has no value (%.9g, as the file says): fill such places first", row,
            column, value);
    return raster_refuse(reader, "row %d, column %d: %.9g is not a number within 2^24 of 0", row, column,
                         value);
}

int raster_put(struct raster_reader *reader, size_t at, double value)
{
    if (!(fabs(value) <= SAMPLE_MAX) || (reader->has_none && value == reader->none))
        return refuse_sample(reader, at, value);
    reader->out.sample[at] = (float)value;
    return 0;
}

static const struct format {
    unsigned char magic[MAGIC_BYTES];
    size_t bytes;
    const char *ending; /* NULL: recipes may not name such a file */
    int (*read)(struct raster_reader *reader);
} formats[] = {
    {"II*\0", 4, "tif", raster_read_tif},
    {"MM\0*", 4, "tif", raster_read_tif},
    {"II+\0", 4, "tif", raster_read_tif},
    {"MM\0+", 4, "tif", raster_read_tif},
    {"\x89PNG\r\n", 6, "png", raster_read_png},
    {"\x93NUMPY", 6, "npy", raster_read_npy},
    {"ncols", 5, "asc", raster_read_asc},
    {"NCOLS", 5, "asc", raster_read_asc},
    {"\xff\xd8\xff", 3, NULL, raster_read_jpeg},
    {"RIFF", 4, NULL, raster_read_webp},
    {"BM", 2, NULL, raster_read_bmp},
};

/* NULL: it is none, or the disk fails. */
static const struct format *format_of(const struct raster_reader *reader)
{
    unsigned char first[MAGIC_BYTES] = {0};
    if (raster_bytes(reader, 0, first, sizeof first) < 0)
        return NULL;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (memcmp(first, formats[k].magic, formats[k].bytes) == 0)
            return &formats[k];
    return NULL;
}

static int read_any(struct raster_reader *reader)
{
    const struct format *format = format_of(reader);
    if (format && (format->ending || reader->any)) {
        reader->out.foreign = !format->ending;
        return format->read(reader);
    }
    if (reader->any)
        return raster_refuse(reader,
                             "is none of TIFF, PNG, JPEG, WebP, BMP, npy and Esri's ASCII grid (ncols ...)");
    return raster_refuse(reader, "is none of TIFF, PNG, npy and Esri's ASCII grid (ncols ...)%s",
                         format ? ": terrane import heightmap makes one of it" : "");
}

static struct raster_stamp stamp_of(const struct stat *status)
{
    return (struct raster_stamp){.device = status->st_dev,
                                 .inode = status->st_ino,
                                 .bytes = (uint64_t)status->st_size,
                                 .seconds = status->st_mtim.tv_sec,
                                 .nanoseconds = status->st_mtim.tv_nsec};
}

bool raster_is_as_read(const char *path, const struct raster_stamp *stamp)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    const struct raster_stamp now = stamp_of(&status);
    return now.device == stamp->device && now.inode == stamp->inode && now.bytes == stamp->bytes &&
           now.seconds == stamp->seconds && now.nanoseconds == stamp->nanoseconds;
}

static int open_file(struct raster_reader *reader, const char *path)
{
    struct stat status;
    /* Without O_NONBLOCK the opening of a FIFO would wait for its other end. */
    reader->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (reader->file < 0 || fstat(reader->file, &status) != 0)
        return raster_refuse(reader, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return raster_refuse(reader, "is not a regular file");
    reader->bytes = (uint64_t)status.st_size;
    reader->out.stamp = stamp_of(&status);
    if (reader->bytes > file_max)
        return raster_refuse(reader, "the file is too large: allowed at most %llu bytes",
                             (unsigned long long)file_max);
    return 0;
}

const char *raster_ending(const char *path)
{
    char why[RASTER_WHY_BYTES];
    struct raster_reader reader = {.file = -1, .why = why, .why_bytes = sizeof why};
    const struct format *format = open_file(&reader, path) == 0 ? format_of(&reader) : NULL;
    if (reader.file >= 0)
        close(reader.file);
    return format ? format->ending : NULL;
}

static int read_path(const char *path, bool any, struct raster_samples *out, char *why, size_t why_bytes)
{
    struct raster_reader reader = {.file = -1, .any = any, .why = why, .why_bytes = why_bytes};
    const int result = open_file(&reader, path) == 0 ? read_any(&reader) : -1;
    if (reader.file >= 0)
        close(reader.file);
    if (result == 0)
        *out = reader.out;
    else
        free(reader.out.sample);
    return result;
}

int raster_read(const char *path, struct raster_samples *out, char *why, size_t why_bytes)
{
    return read_path(path, false, out, why, why_bytes);
}

int raster_read_any(const char *path, struct raster_samples *out, char *why, size_t why_bytes)
{
    return read_path(path, true, out, why, why_bytes);
}
