/*
 * What the parts of a running server share. Made by serve.c, borrowed by everything else.
 */
#ifndef TERRANE_SERVER_SERVICE_H
#define TERRANE_SERVER_SERVICE_H

#include "cache/disk.h"
#include "cache/memory.h"
#include "config.h"
#include "metrics.h"
#include "recipe/worlds.h"
#include "render/pool.h"

struct service {
    struct config config;
    struct worlds worlds; /* borrows the configuration; outlives the pool */
    struct metrics metrics;
    struct memory *memory;
    struct disk *disk; /* or NULL: no disk tier */
    struct pool *pool;
    atomic_bool draining;       /* answers end their connections */
    atomic_bool ready;          /* /readyz: up, and not draining */
    atomic_int_fast64_t active; /* requests begun and not yet completed */
};

#endif
