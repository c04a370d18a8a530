/* The state of one thread's encoder: compressors and a block. For the files of this folder. */
#ifndef TERRANE_SERVER_ENCODER_H
#define TERRANE_SERVER_ENCODER_H

#include <libdeflate.h>
#include <zstd.h>

#include "encode.h"

enum { ENCODER_LEVEL_FAST = 1, ENCODER_LEVEL_DENSE = 6 }; /* of libdeflate */

struct encoder {
    struct libdeflate_compressor *fast, *dense;
    ZSTD_CCtx *zstd; /* NULL before its first use: most threads need none, and it is a megabyte */
    unsigned char *block;
    size_t block_bytes;
};

#endif
