/*
 * Networks and caves, packed number by number, little-endian, without gaps: terrane_make.h has the layout.
 *
 * What is read is read into memory of its own: its length is checked against its counts before anything is allocated for them.
 */
#include "region_packed.h"
#include "../cave/cave_shown.h"
#include "../path/network.h"

enum {
    COUNT_BYTES = 4,
    NETWORK_BYTES = 12,
    NODE_BYTES = 40,
    EDGE_BYTES = 28,
    POINT_BYTES = 21,
    CAVE_BYTES = 72
};

/* In the words of what is open, and of the state: a town, and the road. Recipes without towns have neither. */
enum { TOWN_BIT = 31, ROAD_BIT = 8 };

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static unsigned char *put_float(unsigned char *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_le(at, bits, 4);
}

static float get_float(const unsigned char **at)
{
    const uint32_t bits = (uint32_t)get_le(at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t network_bytes(const struct terrane_path_network *network)
{
    return NETWORK_BYTES + (size_t)network->nodes * NODE_BYTES + (size_t)network->edges * EDGE_BYTES +
           (size_t)network->points * POINT_BYTES;
}

size_t caves_bytes(int caves)
{
    return COUNT_BYTES + (size_t)caves * CAVE_BYTES;
}

/* ---- Networks ------------------------------------------------------------------------------------------ */

void network_free(struct terrane_path_network *network, const struct terrane_memory *memory)
{
    memory_give(memory, network->node);
    memory_give(memory, network->edge);
    memory_give(memory, network->point);
    network->node = NULL;
    network->edge = NULL;
    network->point = NULL;
}

int network_room(struct terrane_path_network *network, int nodes, int edges, int points,
                 const struct terrane_memory *memory)
{
    network->node = memory_zeros(memory, ((size_t)nodes + 1) * sizeof *network->node);
    network->edge = memory_zeros(memory, ((size_t)edges + 1) * sizeof *network->edge);
    network->point = memory_zeros(memory, ((size_t)points + 1) * sizeof *network->point);
    if (network->node && network->edge && network->point)
        return 0;
    network_free(network, memory);
    return TERRANE_EMEMORY;
}

void network_pack(unsigned char *at, const struct terrane_path_network *network)
{
    at = put_le(at, (uint64_t)network->nodes, 4);
    at = put_le(at, (uint64_t)network->edges, 4);
    at = put_le(at, (uint64_t)network->points, 4);
    for (int i = 0; i < network->nodes; i++) {
        const struct terrane_path_node *node = &network->node[i];
        const int64_t place[] = {node->cx, node->cy, node->gi, node->gj};
        for (int k = 0; k < 4; k++)
            at = put_le(at, (uint64_t)place[k], 8);
        at = put_le(at, (uint64_t)node->height, 4);
        at = put_le(at, node->open | (uint32_t)node->town << TOWN_BIT, 4);
    }
    for (int i = 0; i < network->edges; i++) {
        const struct terrane_path_edge *edge = &network->edge[i];
        const int32_t number[] = {edge->from, edge->to,
                                  (int32_t)edge->state | (int32_t)edge->road << ROAD_BIT, edge->points,
                                  edge->first};
        at = put_le(at, edge->id, 8);
        for (int k = 0; k < 5; k++)
            at = put_le(at, (uint64_t)number[k], 4);
    }
    for (int i = 0; i < network->points; i++) {
        at = put_le(at, (uint64_t)network->point[i].x, 8);
        at = put_le(at, (uint64_t)network->point[i].y, 8);
        at = put_le(at, (uint64_t)network->point[i].height, 4);
        at = put_le(at, (uint64_t)network->point[i].over, 1);
    }
}

/* Counts, if they can be and belong to so many bytes. */
bool network_counts(struct terrane_path_network *network, const unsigned char *at, size_t bytes)
{
    if (bytes < NETWORK_BYTES)
        return false;
    network->nodes = get_32(&at);
    network->edges = get_32(&at);
    network->points = get_32(&at);
    return network_fits(network) && network_bytes(network) == bytes;
}

void network_unpack(struct terrane_path_network *network, const unsigned char *at)
{
    at += NETWORK_BYTES;
    for (int i = 0; i < network->nodes; i++) {
        struct terrane_path_node *node = &network->node[i];
        node->cx = get_64(&at);
        node->cy = get_64(&at);
        node->gi = get_64(&at);
        node->gj = get_64(&at);
        node->height = get_32(&at);
        node->open = (uint32_t)get_le(&at, 4);
        node->town = node->open >> TOWN_BIT;
        node->open &= (UINT32_C(1) << TOWN_BIT) - 1;
    }
    for (int i = 0; i < network->edges; i++) {
        struct terrane_path_edge *edge = &network->edge[i];
        edge->id = get_le(&at, 8);
        edge->from = get_32(&at);
        edge->to = get_32(&at);
        const uint32_t state = (uint32_t)get_le(&at, 4);
        edge->state = (enum terrane_path_state)(state & ((1 << ROAD_BIT) - 1));
        edge->road = (enum terrane_path_road)(state >> ROAD_BIT);
        edge->points = get_32(&at);
        edge->first = get_32(&at);
    }
    for (int i = 0; i < network->points; i++) {
        network->point[i].x = get_64(&at);
        network->point[i].y = get_64(&at);
        network->point[i].height = get_32(&at);
        network->point[i].over = (enum terrane_path_over)get_le(&at, 1);
    }
}

/* ---- Caves --------------------------------------------------------------------------------------------- */

void caves_pack(unsigned char *at, const struct terrane_cave *cave, int caves)
{
    at = put_le(at, (uint64_t)caves, COUNT_BYTES);
    for (int i = 0; i < caves; i++, cave++) {
        const int64_t place[] = {cave->cx, cave->cy,          cave->gi,
                                 cave->gj, cave->entrance_gi, cave->entrance_gj};
        at = put_le(at, cave->id, 8);
        for (int k = 0; k < 6; k++)
            at = put_le(at, (uint64_t)place[k], 8);
        at = put_float(at, cave->entrance_m);
        at = put_float(at, cave->floor_m);
        at = put_float(at, cave->ceiling_m);
        at = put_le(at, (uint64_t)cave->samples, 4);
    }
}

/* How many, if so many bytes are theirs; else -1. */
int caves_count(const unsigned char *at, size_t bytes)
{
    if (bytes < COUNT_BYTES)
        return -1;
    const int caves = get_32(&at);
    return caves >= 0 && caves <= TERRANE_CAVES_MAX && caves_bytes(caves) == bytes ? caves : -1;
}

void caves_unpack(struct terrane_cave *cave, int caves, const unsigned char *at)
{
    at += COUNT_BYTES;
    for (int i = 0; i < caves; i++, cave++) {
        cave->id = get_le(&at, 8);
        cave->cx = get_64(&at);
        cave->cy = get_64(&at);
        cave->gi = get_64(&at);
        cave->gj = get_64(&at);
        cave->entrance_gi = get_64(&at);
        cave->entrance_gj = get_64(&at);
        cave->entrance_m = get_float(&at);
        cave->floor_m = get_float(&at);
        cave->ceiling_m = get_float(&at);
        cave->samples = get_32(&at);
    }
}
