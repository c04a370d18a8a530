/*
 * One lake: the place where water from a start comes to rest, and its level.
 *
 * From the start water goes down to the lowest neighbour, repeatedly, to a pit, and from the pit it rises in the lake's window:
 * 2 radius + 1 samples square around the start. Neighbours are the 8 around; the inside is the window without its outermost
 * ring, the border.
 *
 * The level S of a lake is the min, over all ways from the pit through the inside to a sample of the border or of the sea, of
 * the highest sample of the way, both ends included. The lake is the connected part of {height < S} that contains the pit. It
 * exists if one of the ways at S ends lower than S: there its water runs out. If all end at S itself, the border cuts the basin
 * off: no lake. A basin deeper than depth_m is filled to C = pit + depth_m instead: if C <= S the lake is the part of {height <
 * C}.
 *
 * flood_fill finds S as priority flood does (Barnes, Lehman, Mulla 2014): it repeatedly takes the lowest sample next to those
 * taken; the level is the highest taken so far. Samples at or below the level need no order and wait on a stack, higher ones in
 * a heap.
 *
 *   1. Whenever the stack is empty, the taken are the part of {height <= level} that holds the pit: all their
 *      neighbours are taken or in the heap, and those are higher. So when the level rises to the heap's lowest, v, the taken
 *      are the part of {height < v}: the lake, if v is S.
 *   2. Before the level is S none of them is on the border or in the sea, as the way to it would stay below S. At S one is: the
 *      flood ends there.
 *   3. So a lake has no sample of its window's border, all its neighbours were visited, and it is a complete part of {height <
 *      S} in the plane, not only in its window. Likewise for C.
 *
 * The shore is SHORE_RINGS rings around the lake, each the neighbours of the one before (the first: of the
 * lake) that lie in the window, its border included, and are not below the level; except in the first ring, they are not above
 * the bank, either. Beside the lake none is below, by 3. Lakes stand higher than the sea, as their pits are not below it: a
 * shore has no sample of the sea.
 */
#ifndef TERRANE_FLOOD_H
#define TERRANE_FLOOD_H

#include "../base/heap.h"
#include "../terrane.h"

/*
 * Heights as integers in the same order, -0 as +0. Those of finite heights are below the marks, which stand
 * for unvisited samples of the border, visited samples, and those of a lake and shore.
 */
#define MARK_BORDER UINT32_C(0xFFFFFFFD)
#define MARK_SEEN   UINT32_C(0xFFFFFFFE)
#define MARK_LAKE   UINT32_C(0xFFFFFFFF)

/*
 * Finer levels cut the ground of a shore below the lake: there the lake continues, as far as the rings. With the built-in
 * recipes one ring leaves up to a fifth of a shoreline over lower ground, three about a hundredth. With five it is more
 * again, because of gullies behind the rims that hold lakes back. Rings after the first end where the ground rises more
 * than an eighth of the samples' distance over the lake, which excludes gullies in hillsides.
 */
#define SHORE_RINGS 3
#define SHORE_RISE  0.125

/* Places are row by row from the window's north-west, side to a row. */
struct flood {
    const float *ground;
    struct terrane_window ground_window;
    int64_t gi, gj; /* of the window's north-west sample */
    int radius, side;
    uint32_t *key;           /* of each place */
    uint32_t *taken, *stack; /* places, each at most once */
    struct heap heap;        /* key << 32 | place, each place at most once */
    int taken_count, stack_count;
    uint32_t level, cap, sea;
    bool brim; /* a sample of the border stands at the level */
};

/* Bytes of a flood's block, aligned as memory_take's. */
size_t flood_bytes(int radius);

/* Borrows ground, whose window contains all windows of later starts, and block. */
struct flood flood_new(int radius, float sea_m, const float *ground,
                       const struct terrane_window *ground_window, void *block);

/* Descends from a start to a pit. false: it reaches the border, or goes under the sea, from where it never rises. */
bool flood_descend(struct flood *flood, int64_t gi, int64_t gj, uint32_t *pit);

struct filled {
    int count; /* the first count of flood->taken are the lake; 0: there is none */
    float pit_m, level_m;
};

/* The lake of the pit that flood_descend found. */
struct filled flood_fill(struct flood *flood, uint32_t pit, float depth_m);

/* Marks the lake that flood_fill just found, of count samples, and its shore: MARK_LAKE. bank_m: max ground of rings
 * after the first. */
void flood_mark(struct flood *flood, int count, float bank_m);

#endif
