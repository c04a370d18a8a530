/*
 * Tiles of a square pyramid on one line: level by level, each along a Hilbert curve. Neighbours on the line are
 * neighbours on the map, so that what is read together lies together.
 */
#ifndef TERRANE_SERVER_HILBERT_H
#define TERRANE_SERVER_HILBERT_H

#include <stdint.h>

enum { HILBERT_Z_MAX = 26 };

/* The number of tile x, y of level z: those of the levels above it come first. z 0 .. HILBERT_Z_MAX; x, y
 * below 2^z. */
uint64_t hilbert_id(int z, uint32_t x, uint32_t y);

#endif
