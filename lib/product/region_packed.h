/*
 * What stands behind the arrays of a packed region: networks and caves.
 */
#ifndef TERRANE_PRODUCT_REGION_PACKED_H
#define TERRANE_PRODUCT_REGION_PACKED_H

#include "region.h"

static inline unsigned char *put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

/* These move *at behind what they read. */
static inline uint64_t get_le(const unsigned char **at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t) * (*at)++ << (8 * i);
    return value;
}

static inline int64_t get_64(const unsigned char **at)
{
    return (int64_t)get_le(at, 8);
}

static inline int32_t get_32(const unsigned char **at)
{
    return (int32_t)(uint32_t)get_le(at, 4);
}

size_t network_bytes(const struct terrane_path_network *network); /* packed */
size_t caves_bytes(int caves);

/* Room for so many of each, and one more: none of its arrays, which it owns, is NULL. Returns 0 or TERRANE_EMEMORY. */
int network_room(struct terrane_path_network *network, int nodes, int edges, int points,
                 const struct terrane_memory *memory);
void network_free(struct terrane_path_network *network, const struct terrane_memory *memory);

void network_pack(unsigned char *at, const struct terrane_path_network *network);

/* Reads counts. false: they cannot be, or do not belong to so many bytes. */
bool network_counts(struct terrane_path_network *network, const unsigned char *at, size_t bytes);

/* Reads a network whose counts have been read, into room for them. */
void network_unpack(struct terrane_path_network *network, const unsigned char *at);

void caves_pack(unsigned char *at, const struct terrane_cave *cave, int caves);

/* How many, if so many bytes are theirs; else -1. */
int caves_count(const unsigned char *at, size_t bytes);
void caves_unpack(struct terrane_cave *cave, int caves, const unsigned char *at);

#endif
