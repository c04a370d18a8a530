/* A streamed PNG: rows go in one by one, bytes come out as they are ready. */
#ifndef TERRANE_SERVER_PNG_STREAM_H
#define TERRANE_SERVER_PNG_STREAM_H

#include "encode.h"

struct png_stream;

/* The version that its bytes depend on: zlib's, e.g. "1.2.13". Static storage. */
const char *png_stream_version(void);

/*
 * Begins a picture of width x height, 1 .. 4097 each, with the kind's depth, pixel size and palette. Returns owned; NULL
 * when memory is short. Memory: zlib's 270 KB, three rows, and unread output: up to 200 KB if it is read completely after
 * every row.
 */
struct png_stream *png_stream_create(int width, int height, const struct picture *kind);
void png_stream_free(struct png_stream *stream); /* NULL is fine */

/*
 * Adds the next row's pixels, width * kind.pixel bytes. At most height times. 0, or -1: memory is short, and the
 * stream unusable.
 */
int png_stream_row(struct png_stream *stream, const unsigned char *pixels);

/* Reads up to most ready bytes; returns how many. */
size_t png_stream_read(struct png_stream *stream, unsigned char *out, size_t max);

#endif
