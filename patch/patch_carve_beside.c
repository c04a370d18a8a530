/*
 * Where ground goes that a path has no use for, or comes from: just beside it.
 *
 * Samples outside that touch the inside are banks. Outside samples belong to the bank they are nearest to, up
 * to a depth; banks that have few of them (pockets, the inner side of bends) are passed by. Each inside sample
 * owes to the bank it is nearest to; what opposite samples owe each other cancels on the way. A bank spreads
 * its sum evenly over its samples, in whole units: nothing is lost. What would rise too high goes to ever
 * larger squares until there is room.
 *
 * All by breadth-first search: O(samples), and as many times that as there are sizes of squares where piles are
 * too high.
 */
#include "patch_carve.h"

#include <string.h>

#define NOBODY UINT32_MAX

struct beside {
    int side;
    uint32_t samples;
    int32_t *heights;
    int64_t *owed;
    uint32_t *outer,
        *outer_from; /* outside samples, from the banks outwards; the one each was reached from */
    uint32_t *inner, *inner_from; /* banks, then inside samples, from the banks inwards */
    uint32_t *share;              /* of banks: samples that belong to it */
    uint16_t *steps;              /* from the inside, 1 for banks; 0: not reached */
    uint8_t *passed;              /* inside, or of a bank that is passed by */
    uint32_t outers, inners, banks;
};

_Static_assert(5 * sizeof(uint32_t) + sizeof(uint16_t) + 1 <= CARVE_SCRATCH,
               "what a sample takes of scratch");

static bool touches(int side, uint32_t at, const uint8_t *inside)
{
    uint32_t to[4];
    carve_neighbours(carve_row(side), at, to);
    for (int i = 0; i < 4; i++)
        if (inside[to[i]])
            return true;
    return false;
}

/* Outside samples up to depth steps from the inside, and how many each bank has. */
static void find_outer(struct beside *b, const uint8_t *inside, int depth)
{
    memset(b->steps, 0, b->samples * sizeof *b->steps);
    memset(b->share, 0, b->samples * sizeof *b->share);
    b->outers = 0;
    for (uint32_t at = 0; at < b->samples; at++) {
        b->outer_from[at] = NOBODY;
        if (inside[at] || !touches(b->side, at, inside))
            continue;
        b->steps[at] = 1;
        b->outer[b->outers++] = at;
    }
    b->banks = b->outers;
    for (uint32_t first = 0; first < b->outers; first++) {
        const uint32_t at = b->outer[first];
        if (b->steps[at] >= depth)
            continue;
        uint32_t to[4];
        carve_neighbours(carve_row(b->side), at, to);
        for (int i = 0; i < 4; i++) {
            if (inside[to[i]] || b->steps[to[i]])
                continue;
            b->steps[to[i]] = (uint16_t)(b->steps[at] + 1);
            b->outer_from[to[i]] = at;
            b->outer[b->outers++] = to[i];
        }
    }
    for (uint32_t i = b->outers; i-- > 0;) {
        const uint32_t at = b->outer[i];
        b->share[at]++;
        if (b->outer_from[at] != NOBODY)
            b->share[b->outer_from[at]] += b->share[at];
    }
}

/* Which banks are passed by, and the way from each inside sample to one that is not. */
static void find_inner(struct beside *b, const uint8_t *inside, int depth)
{
    memcpy(b->passed, inside, b->samples);
    b->inners = 0;
    for (uint32_t at = 0; at < b->samples; at++)
        b->inner_from[at] = NOBODY;
    for (uint32_t i = 0; i < b->outers; i++) {
        const uint32_t at = b->outer[i], from = b->outer_from[at];
        b->passed[at] = from == NOBODY ? 2 * b->share[at] < (uint32_t)depth : b->passed[from];
        if (from == NOBODY && !b->passed[at]) {
            b->inner_from[at] = at;
            b->inner[b->inners++] = at;
        }
    }
    b->banks = b->inners;
    for (uint32_t first = 0; first < b->inners; first++) {
        const uint32_t at = b->inner[first];
        uint32_t to[4];
        carve_neighbours(carve_row(b->side), at, to);
        for (int i = 0; i < 4; i++)
            if (b->passed[to[i]] && b->inner_from[to[i]] == NOBODY) {
                b->inner_from[to[i]] = at;
                b->inner[b->inners++] = to[i];
            }
    }
}

/* Adds up to *left / *among to a sample that is one of *among; both become what is then left of them. */
static void put(struct beside *b, uint32_t at, int64_t *left, int64_t *among)
{
    const int64_t height = b->heights[at];
    const int64_t then =
        carve_clamp(height + *left / *among, -TERRANE_PATCH_HEIGHT_MAX, TERRANE_PATCH_HEIGHT_MAX);
    b->heights[at] = (int32_t)then;
    *left -= then - height;
    --*among;
}

/*
 * Banks take what they are owed, no higher than rise. A bank's samples come one by one in outer[]: what is left
 * of its sum is kept in owed[] of the bank itself, and how many of its samples are to come in share[].
 */
static void fill_banks(struct beside *b, int64_t rise)
{
    for (uint32_t i = b->inners; i-- > b->banks;) {
        const uint32_t at = b->inner[i];
        b->owed[b->inner_from[at]] += b->owed[at];
        b->owed[at] = 0;
    }
    for (uint32_t i = 0; i < b->outers; i++) {
        const uint32_t at = b->outer[i], from = b->outer_from[at];
        if (b->passed[at])
            continue;
        const uint32_t bank = from == NOBODY                  ? at
                              : b->outer_from[from] == NOBODY ? from
                                                              : b->outer_from[from];
        b->outer_from[at] = from == NOBODY ? NOBODY : bank; /* straight to the bank, for those that follow */
        int64_t among = b->share[bank];
        int64_t left = carve_clamp(b->owed[bank], -rise * among, rise * among);
        const int64_t over = b->owed[bank] - left;
        put(b, at, &left, &among);
        b->owed[bank] = left + over;
        b->share[bank] = (uint32_t)among;
    }
}

static bool is_open(const struct beside *b, uint32_t at)
{
    return b->steps[at] && !b->passed[at];
}

/* One square's samples take its sum, kept in owed[] of its corner, if they can. */
static void fill_square(struct beside *b, uint32_t x0, uint32_t y0, uint32_t size, int64_t rise, bool last)
{
    const uint32_t row = (uint32_t)b->side;
    const uint32_t x1 = x0 + size < row ? x0 + size : row, y1 = y0 + size < row ? y0 + size : row;
    const uint32_t corner = y0 * row + x0, half = size / 2;
    for (int i = 1; i < 4; i++) {
        const uint32_t x = x0 + (i & 1 ? half : 0), y = y0 + (i & 2 ? half : 0);
        if (x >= row || y >= row)
            continue;
        b->owed[corner] += b->owed[y * row + x];
        b->owed[y * row + x] = 0;
    }
    int64_t left = b->owed[corner], open = 0;
    if (left == 0)
        return;
    for (uint32_t y = y0; y < y1; y++)
        for (uint32_t x = x0; x < x1; x++)
            open += is_open(b, y * row + x);
    if (!last && left != carve_clamp(left, -rise * open, rise * open))
        return;
    for (uint32_t y = y0; y < y1; y++)
        for (uint32_t x = x0; x < x1; x++)
            if (is_open(b, y * row + x))
                put(b, y * row + x, &left, &open);
    b->owed[corner] = left;
}

static void fill_squares(struct beside *b, int64_t rise)
{
    const uint32_t row = (uint32_t)b->side;
    for (uint32_t size = 2;; size *= 2) {
        const bool last = size >= row;
        for (uint32_t y = 0; y < row; y += size)
            for (uint32_t x = 0; x < row; x += size)
                fill_square(b, x, y, size, rise, last);
        if (last)
            return;
    }
}

int64_t carve_beside(struct carve *carve, const uint8_t *inside, int depth, int64_t rise)
{
    struct beside b = {.side = carve->side,
                       .samples = (uint32_t)carve->side * (uint32_t)carve->side,
                       .heights = carve->heights,
                       .owed = carve->owed,
                       .outer = carve->scratch};
    b.outer_from = b.outer + b.samples;
    b.inner = b.outer_from + b.samples;
    b.inner_from = b.inner + b.samples;
    b.share = b.inner_from + b.samples;
    b.steps = (uint16_t *)(b.share + b.samples);
    b.passed = (uint8_t *)(b.steps + b.samples);

    find_outer(&b, inside, depth);
    find_inner(&b, inside, depth);
    fill_banks(&b, rise);
    fill_squares(&b, rise);
    const int64_t lost = b.owed[0];
    b.owed[0] = 0;
    return lost;
}
