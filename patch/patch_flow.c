/*
 * Least-cost flow on a grid: see patch_flow.h.
 *
 * Primal-dual, from all supplies at once (Ford and Fulkerson, with Dinic's blocking flows). Invariants, before
 * and after each step:
 *
 *   1. price[v] - price[u] <= 1 for neighbours, and equal to 1 where anything is carried from u to v: no way is
 *      cheaper than the difference of prices, and what is carried goes along such cheapest ways (complementary
 *      slackness). So what has been carried so far is carried at the least cost of that amount.
 *   2. price is 0 where supply remains, and the same, the length of the ways of this phase, where any is missing.
 *
 * A way is open from u to v if price[v] - price[u] = 1, or if ground carried from v to u can be left where it
 * was. A phase carries along open ways until none leads from a supply to where some is missing. Then the price
 * of all samples that cannot be reached rises by 1: open ways between two reached or two unreached samples stay
 * open; those from unreached to reached ones carry nothing (else their other direction were open). After 2
 * (side - 1) phases every way has been open.
 *
 * Measured, one of 2 cores: 257 x 257 as carved or relaxed 0.1 to 1 s; 257 x 257 of unrelated noise, where
 * everything moves, 5 s (108 phases, 2,700 rounds of open ways); time grows a little faster than samples times
 * the longest way.
 */
#include "patch_flow.h"

#include <stdbool.h>
#include <string.h>

enum { EAST, WEST, SOUTH, NORTH, DIRECTIONS };

#define OUTSIDE INT16_MIN /* price beside the grid: differs from all others by more than 1 */

static size_t places(int side)
{
    return ((size_t)side + 2) * ((size_t)side + 2);
}

size_t patch_flow_bytes(int side)
{
    return places(side) *
               (2 * sizeof(int64_t) + 2 * sizeof(int32_t) + sizeof(uint32_t) + sizeof(int16_t) + 1) +
           64;
}

struct patch_flow patch_flow_new(int side, void *memory)
{
    const size_t count = places(side);
    memset(memory, 0, patch_flow_bytes(side));
    struct patch_flow flow = {.side = side, .stride = (size_t)side + 2, .east = memory};
    flow.south = flow.east + count;
    flow.supply = (int32_t *)(flow.south + count);
    flow.level = flow.supply + count;
    flow.queue = (uint32_t *)(flow.level + count);
    flow.price = (int16_t *)(flow.queue + count);
    flow.turn = (uint8_t *)(flow.price + count);
    for (size_t at = 0; at < count; at++) {
        const size_t x = at % flow.stride, y = at / flow.stride;
        if (x == 0 || y == 0 || x > (size_t)side || y > (size_t)side)
            flow.price[at] = OUTSIDE;
    }
    return flow;
}

static uint32_t neighbour(const struct patch_flow *flow, uint32_t at, int direction)
{
    const uint32_t stride = (uint32_t)flow->stride;
    const uint32_t to[DIRECTIONS] = {at + 1, at - 1, at + stride, at - stride};
    return to[direction];
}

static bool is_backward(int direction)
{
    return direction == WEST || direction == NORTH;
}

/* Where what is carried between at and its neighbour is kept: at the northwestern of the two. */
static int64_t *between(const struct patch_flow *flow, uint32_t at, int direction)
{
    int64_t *kept = direction == EAST || direction == WEST ? flow->east : flow->south;
    return &kept[is_backward(direction) ? neighbour(flow, at, direction) : at];
}

/* What is carried from at in this direction; below 0: what comes from there. */
static int64_t carried(const struct patch_flow *flow, uint32_t at, int direction)
{
    const int64_t amount = *between(flow, at, direction);
    return is_backward(direction) ? -amount : amount;
}

static void carry(struct patch_flow *flow, uint32_t at, int direction, int64_t amount)
{
    *between(flow, at, direction) += is_backward(direction) ? -amount : amount;
}

static bool is_open(const struct patch_flow *flow, uint32_t at, uint32_t to, int direction)
{
    const int rise = flow->price[to] - flow->price[at];
    return rise == 1 || (rise == -1 && carried(flow, at, direction) < 0);
}

/* Levels of all samples that open ways lead to, in *reached many; false: nothing is missing at any of them. */
static bool find_levels(struct patch_flow *flow, uint32_t *reached)
{
    const size_t count = places(flow->side);
    uint32_t last = 0;
    for (size_t at = 0; at < count; at++) {
        flow->level[at] = flow->supply[at] > 0 ? 0 : -1;
        if (flow->supply[at] > 0)
            flow->queue[last++] = (uint32_t)at;
    }
    bool missing = false;
    for (uint32_t first = 0; first < last; first++) {
        const uint32_t at = flow->queue[first];
        missing |= flow->supply[at] < 0;
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            const uint32_t to = neighbour(flow, at, direction);
            if (flow->level[to] >= 0 || !is_open(flow, at, to, direction))
                continue;
            flow->level[to] = flow->level[at] + 1;
            flow->queue[last++] = to;
        }
    }
    *reached = last;
    return missing;
}

/* Carries along the way from way[0] to way[steps], as much as goes; the first step that then goes no more, or steps. */
static uint32_t carry_along(struct patch_flow *flow, const uint32_t *way, uint32_t steps)
{
    const uint32_t from = way[0], to = way[steps];
    int64_t amount = flow->supply[from] < -flow->supply[to] ? flow->supply[from] : -flow->supply[to];
    for (uint32_t step = 0; step < steps; step++) {
        const int64_t back = -carried(flow, way[step], flow->turn[way[step]]);
        if (back > 0 && back < amount)
            amount = back;
    }
    uint32_t stop = steps;
    for (uint32_t step = steps; step-- > 0;) {
        const uint32_t at = way[step];
        const int64_t back = -carried(flow, at, flow->turn[at]);
        carry(flow, at, flow->turn[at], amount);
        if (back == amount)
            stop = step;
    }
    flow->supply[from] -= (int32_t)amount;
    flow->supply[to] += (int32_t)amount;
    return stop;
}

/* All that goes from one supply along open ways that rise a level a step; way: of the length of the highest level + 1. */
static void carry_from(struct patch_flow *flow, uint32_t from, uint32_t *way)
{
    uint32_t steps = 0;
    way[0] = from;
    while (flow->supply[from] > 0) {
        const uint32_t at = way[steps];
        if (flow->supply[at] < 0) {
            steps = carry_along(flow, way, steps);
            continue;
        }
        int turn = flow->turn[at];
        uint32_t to = 0;
        for (; turn < DIRECTIONS; turn++) {
            to = neighbour(flow, at, turn);
            if (flow->level[to] == flow->level[at] + 1 && is_open(flow, at, to, turn))
                break;
        }
        flow->turn[at] = (uint8_t)turn;
        if (turn < DIRECTIONS) {
            way[++steps] = to;
        } else if (steps == 0) {
            return;
        } else {
            flow->turn[way[--steps]]++;
        }
    }
}

/* All that goes along open ways that rise a level a step. The queue begins with the supplies; what follows them is free for
 * a way, which has no more samples than were reached behind them, and the supply itself. */
static void carry_all(struct patch_flow *flow)
{
    uint32_t supplies = 0;
    while (flow->level[flow->queue[supplies]] == 0)
        supplies++;
    memset(flow->turn, 0, places(flow->side));
    for (uint32_t i = 0; i < supplies; i++)
        carry_from(flow, flow->queue[i], flow->queue + supplies);
}

static void raise_prices(struct patch_flow *flow)
{
    const size_t count = places(flow->side);
    for (size_t at = 0; at < count; at++)
        flow->price[at] = (int16_t)(flow->price[at] + (flow->level[at] < 0 && flow->price[at] != OUTSIDE));
}

void patch_flow_solve(struct patch_flow *flow)
{
    const uint32_t samples = (uint32_t)flow->side * (uint32_t)flow->side;
    for (uint32_t reached = 0;;) {
        const bool missing = find_levels(flow, &reached);
        if (missing)
            carry_all(flow);
        else if (reached == 0 || reached == samples)
            return;
        else
            raise_prices(flow);
    }
}
