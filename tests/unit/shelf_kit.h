/*
 * A store of a few regions for terrane_make: what one call has made the next one finds.
 */
#ifndef TERRANE_TESTS_SHELF_KIT_H
#define TERRANE_TESTS_SHELF_KIT_H

#include "../../lib/terrane_make.h"
#include "lib_fixture.h"

enum { SHELF_MAX = 64 };

/* Member by member: the bytes between them may differ. */
static inline bool region_same(const struct terrane_region *a, const struct terrane_region *b)
{
    return a->kind == b->kind && a->level == b->level && a->x == b->x && a->y == b->y &&
           a->variant == b->variant;
}

struct shelf {
    struct terrane_region region[SHELF_MAX];
    struct terrane_packed packed[SHELF_MAX];
    int count, found;
};

static inline bool shelf_get(void *user, const struct terrane_world *world,
                             const struct terrane_region *region, const struct terrane_memory *memory,
                             struct terrane_packed *packed)
{
    struct shelf *shelf = user;
    (void)world;
    for (int i = 0; i < shelf->count; i++)
        if (region_same(&shelf->region[i], region)) {
            *packed = shelf->packed[i];
            packed->data = memory->alloc(memory->user, packed->bytes);
            if (!packed->data)
                return false;
            memcpy(packed->data, shelf->packed[i].data, packed->bytes);
            shelf->found++;
            return true;
        }
    return false;
}

static inline void shelf_put(void *user, const struct terrane_world *world,
                             const struct terrane_region *region, const struct terrane_packed *packed)
{
    struct shelf *shelf = user;
    (void)world;
    assert_true(shelf->count < SHELF_MAX);
    for (int i = 0; i < shelf->count; i++) /* nothing is made twice */
        assert_false(region_same(&shelf->region[i], region));
    shelf->region[shelf->count] = *region;
    shelf->packed[shelf->count].bytes = packed->bytes;
    shelf->packed[shelf->count].data = malloc(packed->bytes);
    assert_non_null(shelf->packed[shelf->count].data);
    memcpy(shelf->packed[shelf->count++].data, packed->data, packed->bytes);
}

static inline void shelf_clear(struct shelf *shelf)
{
    while (shelf->count > 0)
        free(shelf->packed[--shelf->count].data);
    shelf->found = 0;
}

static struct shelf shelf;
static const struct terrane_store store = {shelf_get, shelf_put, &shelf};

#endif
