/*
 * OpenEXR by the C interface of its library, into memory.
 *
 *     grid ──► header ──► block of 16 rows ──► planes ──► zlib ──► memory_file
 *
 * The file depends on samples, place and the libraries' versions alone: it has no date, and names no software. One thread
 * writes a file, block after block. The library is quiet here: all that can go wrong is that memory is short.
 */
#include "exr.h"

#include <openexr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "../base/check.h"
#include "memory_file.h"

enum {
    SIDE_MAX = 4097,
    CHANNELS_MAX = 32,
    HEAD_BYTES = 1 << 16,
    VERSION_BYTES = 96,
    NAME_BYTES = 16,
    DEFLATE_LEVEL = 1
};

static char version_text[VERSION_BYTES];

static void start(void)
{
    int major, minor, patch;
    exr_get_library_version(&major, &minor, &patch, NULL);
    snprintf(version_text, sizeof version_text, "OpenEXR %d.%d.%d, zlib %s", major, minor, patch,
             zlibVersion());
}

const char *encode_exr_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    CHECK(pthread_once(&once, start) == 0);
    return version_text;
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

static const char *name_of(int channel, int channels, char text[static NAME_BYTES])
{
    snprintf(text, NAME_BYTES, "C%02d", channel);
    if (channels == 1)
        snprintf(text, NAME_BYTES, "Y");
    else if (channels <= 4)
        snprintf(text, NAME_BYTES, "%c", "RGBA"[channel]);
    return text;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static int64_t put(exr_const_context_t file, void *memory, const void *from, uint64_t bytes, uint64_t at,
                   exr_stream_error_func_ptr_t error)
{
    (void)file;
    (void)error;
    return memory_file_put(memory, at, from, bytes) ? (int64_t)bytes : -1;
}

static void say_nothing(exr_const_context_t file, exr_result_t code, const char *message)
{
    (void)file;
    (void)code;
    (void)message;
}

static bool put_place(exr_context_t file, const struct grid_place *place)
{
    return exr_attr_set_double(file, 0, "west_m", place->west_m) == 0 &&
           exr_attr_set_double(file, 0, "north_m", place->north_m) == 0 &&
           exr_attr_set_double(file, 0, "spacing_m", place->spacing_m) == 0 &&
           (place->none == 0 || exr_attr_set_float(file, 0, "none", place->none) == 0);
}

/* Begins a file with all that stands before its table. false: memory is short, and what there is of it is to be finished. */
static bool begin(exr_context_t *file, struct memory_file *memory, const struct grid *grid,
                  exr_compression_t how)
{
    exr_context_initializer_t rules = EXR_DEFAULT_CONTEXT_INITIALIZER;
    char name[NAME_BYTES];
    int part;
    CHECK(grid->width > 0 && grid->width <= SIDE_MAX && grid->height > 0 && grid->height <= SIDE_MAX);
    CHECK(grid->channels > 0 && grid->channels <= CHANNELS_MAX);
    rules.error_handler_fn = say_nothing;
    rules.user_data = memory;
    rules.write_fn = put;
    *file = NULL;
    bool fits = exr_start_write(file, "memory", EXR_WRITE_FILE_DIRECTLY, &rules) == 0 &&
                exr_add_part(*file, "samples", EXR_STORAGE_SCANLINE, &part) == 0 &&
                exr_initialize_required_attr_simple(*file, 0, grid->width, grid->height, how) == 0 &&
                exr_set_zip_compression_level(*file, 0, DEFLATE_LEVEL) == 0 && put_place(*file, &grid->place);
    for (int c = 0; fits && c < grid->channels; c++)
        fits = exr_add_channel(*file, 0, name_of(c, grid->channels, name), EXR_PIXEL_FLOAT,
                               EXR_PERCEPTUALLY_LINEAR, 1, 1) == 0;
    return fits && exr_write_header(*file) == 0;
}

/* Where a block takes its channels' samples from. */
static void point_at(exr_encode_pipeline_t *block, const struct grid *grid, int row)
{
    const size_t stride = (size_t)grid->channels * sizeof *grid->values;
    const unsigned char *from =
        (const unsigned char *)grid->values + (size_t)row * (size_t)grid->width * stride;
    CHECK(block->channel_count == grid->channels);
    for (int k = 0; k < block->channel_count; k++) {
        exr_coding_channel_info_t *to = &block->channels[k];
        to->encode_from_ptr = from + (size_t)exr_place(k, grid->channels) * sizeof *grid->values;
        to->user_pixel_stride = (int32_t)stride;
        to->user_line_stride = (int32_t)(stride * (size_t)grid->width);
    }
}

static bool put_blocks(exr_context_t file, const struct grid *grid)
{
    exr_encode_pipeline_t block = EXR_ENCODE_PIPELINE_INITIALIZER;
    exr_chunk_info_t where;
    bool fits = true, open = false;
    for (int row = 0; fits && row < grid->height; row += EXR_BLOCK_ROWS) {
        fits = exr_write_scanline_chunk_info(file, 0, row, &where) == 0;
        if (fits && open)
            fits = exr_encoding_update(file, 0, &where, &block) == 0;
        else if (fits)
            fits = open = exr_encoding_initialize(file, 0, &where, &block) == 0;
        if (!fits)
            break;
        point_at(&block, grid, row);
        fits = (row > 0 || exr_encoding_choose_default_routines(file, 0, &block) == 0) &&
               exr_encoding_run(file, 0, &block) == 0;
    }
    if (open)
        exr_encoding_destroy(file, &block);
    return fits;
}

int encode_exr(const struct grid *grid, unsigned char **data, size_t *bytes)
{
    const size_t raw =
        (size_t)grid->width * (size_t)grid->height * (size_t)grid->channels * sizeof *grid->values;
    struct memory_file memory = {.max = raw + HEAD_BYTES}; /* a block that does not shrink is left as it is */
    exr_context_t file;
    const bool put_all = begin(&file, &memory, grid, EXR_COMPRESSION_ZIP) && put_blocks(file, grid);
    if ((file && exr_finish(&file) != 0) || !put_all) {
        free(memory.data);
        return -1;
    }
    *data = memory_file_take(&memory, bytes);
    return 0;
}

unsigned char *exr_head(const struct grid *grid, bool packed, size_t *bytes)
{
    struct memory_file memory = {.max = HEAD_BYTES};
    exr_context_t file;
    const bool begun = begin(&file, &memory, grid, packed ? EXR_COMPRESSION_ZIP : EXR_COMPRESSION_NONE);
    if (file)
        exr_finish(&file); /* which says that rows are missing */
    if (begun)
        return memory_file_take(&memory, bytes);
    free(memory.data);
    return NULL;
}
