/*
 * A window of samples as bytes, made while they are sent: rows of tiles are gathered one after the other, and one alone is
 * held while the next is being made. Knows no headers and no replies.
 *
 * Memory: the tiles of two rows (17 along a row at most; 256 KiB each and number of a sample, 192 KiB each as pixels), of
 * many numbers the next row's first tiles alone, and of PNG what png_stream.h says. It is booked (guard.h) before
 * anything is asked for.
 */
#ifndef TERRANE_SERVER_WINDOW_STREAM_H
#define TERRANE_SERVER_WINDOW_STREAM_H

#include "gather.h"

struct window_stream;

/* Columns of the widest window of such samples that is held within STREAM_BYTES_MAX, wherever it begins. */
int window_width_max(enum tile_format format, int values);

/*
 * The window of a request: its target's window, and key, whose format is that of the answer; request->world. Returns owned;
 * NULL when memory is short. Borrows the request. Nothing is asked for yet.
 */
struct window_stream *window_stream_create(struct request *request);
void window_stream_free(void *stream); /* struct window_stream *; NULL is fine */

/* Length of the whole; 0: of a PNG, it is known at the end alone. */
uint64_t window_stream_bytes(const struct window_stream *stream);

/* Chooses bytes first .. last, both included, of all (of PNG: everything, whatever they are), and begins to gather the tiles
 * that these need. false: answered, and *result says how. Once. */
bool window_stream_begin(struct window_stream *stream, uint64_t first, uint64_t last,
                         enum MHD_Result *result);

enum window_state {
    WINDOW_READY,
    WINDOW_WAIT, /* the connection is suspended */
    WINDOW_FAILED
};

/* Until the first bytes can be had. *why: of WINDOW_FAILED. */
enum window_state window_stream_prepare(struct window_stream *stream, enum pool_outcome *why);

/* MHD_ContentReaderCallback, of a struct window_stream; counts in request->body_bytes. Once the stream is ready. */
ssize_t window_stream_read(void *stream, uint64_t position, char *buffer, size_t max);

#endif
