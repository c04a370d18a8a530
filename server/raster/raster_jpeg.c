/*
 * JPEG by libjpeg: grey, or colours.
 *
 * What libjpeg only warns of (a file that ends early, codes that are none) is refused: it would go on with grey that nobody drew. A
 * progressive file makes the library go over all of a picture at each of its scans, so that there is a bound on their number.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "../../lib/terrane.h"
#include "raster_parts.h"

enum { BUFFER_BYTES = 1 << 16, SCANS_MAX = 64 };

struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    struct raster_reader *reader;
    uint64_t at; /* of the file's bytes, those behind the buffer's */
    jmp_buf back;
    unsigned char *row;
    unsigned char buffer[BUFFER_BYTES];
};

static struct decoder *decoder_of(j_common_ptr jpeg)
{
    return jpeg->client_data;
}

static _Noreturn void fail(j_common_ptr jpeg)
{
    struct decoder *const decoder = decoder_of(jpeg);
    char message[JMSG_LENGTH_MAX];
    decoder->errors.format_message(jpeg, message);
    raster_refuse(decoder->reader, "libjpeg: %s", message);
    longjmp(decoder->back, 1);
}

/* Warnings are below 0; what is only of interest is not. */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0)
        fail(jpeg);
}

static void on_progress(j_common_ptr jpeg)
{
    struct decoder *const decoder = decoder_of(jpeg);
    if (decoder->jpeg.input_scan_number <= SCANS_MAX)
        return;
    raster_refuse(decoder->reader, "has more than %d scans", SCANS_MAX);
    longjmp(decoder->back, 1);
}

/* ---- The file's bytes ---------------------------------------------------------------------------------- */

static void begin_source(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

static boolean fill_buffer(j_decompress_ptr jpeg)
{
    struct decoder *const decoder = jpeg->client_data;
    const int64_t got = raster_bytes(decoder->reader, decoder->at, decoder->buffer, BUFFER_BYTES);
    if (got <= 0) {
        raster_refuse(decoder->reader, "the file ends too early");
        longjmp(decoder->back, 1);
    }
    decoder->at += (uint64_t)got;
    decoder->source.next_input_byte = decoder->buffer;
    decoder->source.bytes_in_buffer = (size_t)got;
    return TRUE;
}

static void skip_bytes(j_decompress_ptr jpeg, long count)
{
    struct decoder *const decoder = jpeg->client_data;
    const size_t wanted = count > 0 ? (size_t)count : 0, here = decoder->source.bytes_in_buffer;
    if (wanted > here)
        decoder->at += wanted - here;
    decoder->source.next_input_byte += wanted < here ? wanted : here;
    decoder->source.bytes_in_buffer -= wanted < here ? wanted : here;
}

/* ---- The picture --------------------------------------------------------------------------------------- */

static int read_rows(struct decoder *decoder)
{
    const int channels = decoder->jpeg.output_components;
    while (decoder->jpeg.output_scanline < decoder->jpeg.output_height) {
        const size_t row = decoder->jpeg.output_scanline;
        jpeg_read_scanlines(&decoder->jpeg, &decoder->row, 1);
        if (raster_put_bytes(decoder->reader, row, decoder->row, channels) != 0)
            return -1;
    }
    jpeg_finish_decompress(&decoder->jpeg);
    return 0;
}

/* What may leave by longjmp: no variable of the caller's changes. */
static int read_image(struct decoder *decoder)
{
    struct jpeg_decompress_struct *const jpeg = &decoder->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg->src = &decoder->source;
    jpeg->progress = &decoder->progress;
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->num_components != 1 && jpeg->num_components != 3)
        return raster_refuse(decoder->reader, "has %d inks or channels: save it in grey or RGB",
                             jpeg->num_components);
    if (raster_size(decoder->reader, jpeg->image_width, jpeg->image_height) != 0)
        return -1;
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    decoder->reader->out.white = 255;
    jpeg_start_decompress(jpeg);
    return read_rows(decoder);
}

static int guarded(struct decoder *decoder)
{
    if (setjmp(decoder->back))
        return -1;
    return read_image(decoder);
}

int raster_read_jpeg(struct raster_reader *reader)
{
    struct decoder *const decoder = calloc(1, sizeof *decoder);
    if (!decoder || !(decoder->row = malloc(3 * (size_t)TERRANE_RASTER_SIDE))) {
        free(decoder);
        return raster_refuse(reader, "out of memory");
    }
    decoder->reader = reader;
    decoder->jpeg.err = jpeg_std_error(&decoder->errors);
    decoder->jpeg.client_data = decoder;
    decoder->errors.error_exit = fail;
    decoder->errors.emit_message = on_message;
    decoder->progress.progress_monitor = on_progress;
    decoder->source.init_source = begin_source;
    decoder->source.fill_input_buffer = fill_buffer;
    decoder->source.skip_input_data = skip_bytes;
    decoder->source.resync_to_restart = jpeg_resync_to_restart;
    decoder->source.term_source = begin_source;
    const int result = guarded(decoder);
    jpeg_destroy_decompress(&decoder->jpeg);
    free(decoder->row);
    free(decoder);
    return result;
}
