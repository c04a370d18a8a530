/*
 * Holders: a table by client, and lists by rank.
 *
 * Invariants. A holder is in its chain while it has connections, and in the list of its rank while one of them is idle.
 */
#include "loop.h"

#include <stdlib.h>

#include "../base/check.h"

/* ---- Ranks --------------------------------------------------------------------------------------------- */

/* Up to 7 the number itself, and above a fourth of each doubling: 8 and 9, 10 and 11 ... 16 to 19 ... */
static int rank_of(unsigned connections)
{
    int halvings = 0;
    while (connections >> halvings >= 8)
        halvings++;
    const int rank = 4 * halvings + (int)(connections >> halvings);
    CHECK(rank < HOLDER_RANKS); /* of 2^19 connections */
    return rank;
}

int holders_top(const struct holders *holders)
{
    return atomic_load_explicit(&holders->top, memory_order_relaxed);
}

static void rank_enter(struct holders *holders, struct holder *holder)
{
    const int rank = rank_of(holder->connections);
    holder->behind = NULL;
    holder->before = holders->last[rank];
    *(holder->before ? &holder->before->behind : &holders->first[rank]) = holder;
    holders->last[rank] = holder;
    if (rank > holders_top(holders))
        atomic_store_explicit(&holders->top, rank, memory_order_relaxed);
}

static void rank_leave(struct holders *holders, struct holder *holder)
{
    const int rank = rank_of(holder->connections);
    int top = holders_top(holders);
    *(holder->before ? &holder->before->behind : &holders->first[rank]) = holder->behind;
    *(holder->behind ? &holder->behind->before : &holders->last[rank]) = holder->before;
    if (rank < top)
        return;
    while (top > 0 && !holders->first[top])
        top--;
    atomic_store_explicit(&holders->top, top, memory_order_relaxed);
}

/* One more connection, or one fewer. */
static void count(struct holders *holders, struct holder *holder, int change)
{
    const unsigned now = holder->connections + (unsigned)change;
    const bool moves = holder->first && rank_of(now) != rank_of(holder->connections);
    if (moves)
        rank_leave(holders, holder);
    holder->connections = now;
    if (moves)
        rank_enter(holders, holder);
}

/* ---- Clients ------------------------------------------------------------------------------------------- */

/* Where a client's holder is in its chain, or the chain's end. */
static struct holder **find(struct holders *holders, const struct client_id *client)
{
    struct holder **at = &holders->chain[client->low % HOLDER_CHAINS];
    while (*at && ((*at)->client.low != client->low || (*at)->client.high != client->high))
        at = &(*at)->next;
    return at;
}

void holders_add(struct holders *holders, struct connection *connection)
{
    struct holder **at = find(holders, &connection->client);
    if (!*at) {
        *at = calloc(1, sizeof **at);
        if (!*at)
            return;
        (*at)->client = connection->client;
    }
    connection->held = (struct held){.holder = *at};
    count(holders, *at, 1);
}

void holders_remove(struct holders *holders, struct connection *connection)
{
    struct holder *holder = connection->held.holder;
    if (!holder)
        return;
    holders_set_idle(holders, connection, false);
    count(holders, holder, -1);
    connection->held.holder = NULL;
    if (holder->connections > 0)
        return;
    *find(holders, &holder->client) = holder->next;
    free(holder);
}

/* ---- Idle ones ----------------------------------------------------------------------------------------- */

void holders_set_idle(struct holders *holders, struct connection *connection, bool idle)
{
    struct held *held = &connection->held;
    struct holder *holder = held->holder;
    if (!holder || held->idle == idle)
        return;
    held->idle = idle;
    if (idle) {
        held->next = NULL;
        held->previous = holder->last;
        *(holder->last ? &holder->last->held.next : &holder->first) = connection;
        holder->last = connection;
        if (!held->previous)
            rank_enter(holders, holder);
        return;
    }
    if (holder->first == connection && holder->last == connection)
        rank_leave(holders, holder);
    *(held->previous ? &held->previous->held.next : &holder->first) = held->next;
    *(held->next ? &held->next->held.previous : &holder->last) = held->previous;
}

struct connection *holders_first(const struct holders *holders)
{
    const int top = holders_top(holders);
    return top > 0 ? holders->first[top]->first : NULL;
}
