/*
 * POST /tiles: the body, {"tiles": ["/tile/42/0/1/-2.f32?size=65", ...]}, and the frames of the answer. Pure; fuzzable.
 *
 * A frame is a head of three little-endian numbers of 32 bits, index (of "tiles"), status and bytes, and then those bytes:
 * of status 200 the tile as GET would send it uncompressed, else a problem document. Frames come in any order, each
 * index once. The last frame has the index BATCH_END, status 0 and no bytes, so that a cut is seen.
 */
#ifndef TERRANE_SERVER_BATCH_KEYS_H
#define TERRANE_SERVER_BATCH_KEYS_H

#include "body_list.h"

enum { BATCH_TILES_MOST = 256, BATCH_HEAD_BYTES = 12 };
#define BATCH_END UINT32_MAX

struct batch_keys {
    size_t count;
    struct target
        target[]; /* with status 0: a tile's, finished, of coding identity; else one that is refused */
};

/*
 * Reads a body. Returns owned (free), borrowing from names; NULL: the complaint says why nothing of it is answered. A target
 * without a format is one of PNG. What is wrong with one target is in that target alone.
 */
struct batch_keys *batch_keys_read(const char *text, size_t bytes, const struct target_names *names,
                                   struct body_complaint *complaint);

void batch_head_write(unsigned char head[static BATCH_HEAD_BYTES], uint32_t index, unsigned status,
                      uint32_t bytes);

#endif
