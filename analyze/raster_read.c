/*
 * A file is read whole, then taken apart in memory.
 */
#include "raster_read.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "npy.h"
#include "say.h"

#define FILE_BYTES_MAX ((size_t)1 << 30)
#define HEIGHT_MAX_M   1e7

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

/* Fills an owned span. Returns 0, or 1 after a line on standard error. */
static int slurp(const char *path, struct span *out)
{
    struct stat status;
    FILE *const in = fopen(path, "rb");
    uint8_t *data = NULL;
    const char *problem = NULL;

    *out = (struct span){0};
    if (!in || fstat(fileno(in), &status) != 0)
        problem = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        problem = "not a regular file";
    else if (status.st_size < 1 || (uint64_t)status.st_size > FILE_BYTES_MAX)
        problem = status.st_size < 1 ? "is empty" : "is over 1 GiB long";
    else if (!(data = malloc((size_t)status.st_size)))
        problem = "out of memory";
    else if (fread(data, 1, (size_t)status.st_size, in) != (size_t)status.st_size)
        problem = "cannot be read to its end";
    else
        *out = (struct span){data, (size_t)status.st_size};
    if (problem) {
        say_error("%s: %s", path, problem);
        free(data);
    }
    if (in)
        fclose(in);
    return problem ? 1 : 0;
}

/* The array of that name, or the first of two dimensions; content is owned, what out borrows is in it. */
static int find_member(const char *path, struct span archive, const char *member, struct span *content,
                       struct npy *out)
{
    char name[256];

    for (int index = 0;; index++) {
        const char *problem = npz_member(archive, index, FILE_BYTES_MAX, name, sizeof name, content);
        if (problem && !*problem) {
            say_error("%s: has no %s %s", path, member ? "array called" : "array of two dimensions",
                      member ? member : "");
            return 1;
        }
        if (problem) {
            say_error("%s: %s", path, problem);
            return 1;
        }
        const size_t n = member ? strlen(member) : 0;
        const bool named =
            member && strncmp(name, member, n) == 0 && (!name[n] || strcmp(name + n, ".npy") == 0);
        problem = named || !member ? npy_parse(*content, out) : "another";
        if (!problem && (member || out->dimensions == 2))
            return 0;
        free((void *)(uintptr_t)content->data);
        *content = (struct span){0};
        if (named) {
            say_error("%s: %s: %s", path, name, problem);
            return 1;
        }
    }
}

/* The array in a file that has been read: of an .npz, in content (owned); of others, in file itself. */
static int find_array(const char *path, struct span file, int width, const char *member, struct span *content,
                      struct npy *out)
{
    if (ends_with(path, ".npz"))
        return find_member(path, file, member, content, out);
    if (ends_with(path, ".npy")) {
        const char *const problem = npy_parse(file, out);
        if (problem)
            say_error("%s: %s", path, problem);
        return problem ? 1 : 0;
    }
    const size_t row_bytes = 4 * (size_t)width;
    if (file.bytes % row_bytes != 0) {
        say_error("%s: its %zu bytes are not rows of %d floats", path, file.bytes, width);
        return 1;
    }
    *out = (struct npy){.kind = 'f', .item_bytes = 4, .dimensions = 2, .items = file};
    out->shape[0] = (int64_t)(file.bytes / row_bytes);
    out->shape[1] = width;
    return 0;
}

static int take_samples(const char *path, const struct npy *array, struct raster *raster)
{
    const int64_t height = array->shape[0], width = array->shape[1];

    if (array->dimensions != 2 || width < RASTER_SIDE_MIN || height < RASTER_SIDE_MIN ||
        width > RASTER_SIDE_MAX || height > RASTER_SIDE_MAX || width * height > RASTER_SAMPLES_MAX) {
        say_error("%s: %lld x %lld samples; a raster has sides of %d to %d and at most 2^26 samples", path,
                  (long long)width, (long long)height, RASTER_SIDE_MIN, RASTER_SIDE_MAX);
        return 1;
    }
    if (raster_make(raster, (int)width, (int)height) != 0) {
        say_error("%s: out of memory", path);
        return 1;
    }
    for (size_t k = 0; k < raster_count(raster); k++) {
        const double height_m = npy_item(array, k);
        if (!(fabs(height_m) <= HEIGHT_MAX_M)) { /* NaN, too */
            say_error("%s: row %zu, column %zu: %g is no height within 10^7 m", path, k / (size_t)width,
                      k % (size_t)width, height_m);
            raster_free(raster);
            return 1;
        }
        raster->sample[k] = (float)height_m;
    }
    return 0;
}

int raster_read(struct raster *raster, const char *path, int width, const char *member)
{
    const bool floats = !ends_with(path, ".npy") && !ends_with(path, ".npz");
    struct span file, content = {0};
    struct npy array;

    if (floats != (width > 0)) {
        say_error(floats ? "%s: a file of floats needs --width" : "%s: --width is for files of floats alone",
                  path);
        return 2;
    }
    if (member && !ends_with(path, ".npz")) {
        say_error("%s: --member is for .npz files alone", path);
        return 2;
    }
    int status = slurp(path, &file);
    if (status == 0)
        status = find_array(path, file, width, member, &content, &array);
    if (status == 0)
        status = take_samples(path, &array, raster);
    free((void *)(uintptr_t)content.data);
    free((void *)(uintptr_t)file.data);
    return status;
}

int raster_read_number(const char *path, const char *member, double *value)
{
    struct span file, content = {0};
    struct npy array;
    int status = slurp(path, &file);

    if (status == 0)
        status = find_member(path, file, member, &content, &array);
    if (status == 0 && array.dimensions > 0) {
        say_error("%s: %s: not a single number", path, member);
        status = 1;
    }
    if (status == 0)
        *value = npy_item(&array, 0);
    free((void *)(uintptr_t)content.data);
    free((void *)(uintptr_t)file.data);
    return status;
}
