/*
 * What stands behind the arrays of a region's blob: networks and caves.
 */
#ifndef TERRANE_SERVER_REGION_PACKED_H
#define TERRANE_SERVER_REGION_PACKED_H

#include "region.h"

size_t network_bytes(const struct terrane_path_network *network); /* packed */
size_t caves_bytes(int caves);

/* Room for so many of each, and one more: none of its arrays, which it owns, is NULL. false: memory is short. */
bool network_room(struct terrane_path_network *network, size_t nodes, size_t edges, size_t points);
void network_free(struct terrane_path_network *network);

void network_pack(unsigned char *at, const struct terrane_path_network *network);

/* Reads counts. false: they cannot be, or do not belong to so many bytes. */
bool network_counts(struct terrane_path_network *network, const unsigned char *at, size_t bytes);

/* Reads a network whose counts have been read. Returns 0, or -1 when memory is short. */
int network_unpack(struct terrane_path_network *network, const unsigned char *at);

void caves_pack(unsigned char *at, const struct terrane_cave *cave, int caves);

/* How many, if so many bytes are theirs; else -1. */
int caves_count(const unsigned char *at, size_t bytes);
void caves_unpack(struct terrane_cave *cave, int caves, const unsigned char *at);

#endif
