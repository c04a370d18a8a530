/*
 * Where the look at base ground leads, and the spawns that were found.
 */
#include "spawn.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../../lib/terrane_make.h"
#include "../base/check.h"

enum { SPAWNS = 256 };

int spawn_find(const struct terrane_world *world, struct spawn *spawn)
{
    struct terrane_spawn found;
    if (terrane_spawn(world, NULL, &found) != 0)
        return -1;
    *spawn = (struct spawn){found.x_m, found.y_m, found.height_m, found.level};
    return 0;
}

/* ---- What has been found ------------------------------------------------------------------------------- */

struct spawns {
    uv_mutex_t lock;
    size_t next; /* to be written over */
    struct {
        bool used, coarse;
        struct terrane_digest world;
        struct spawn spawn;
    } at[SPAWNS];
};

struct spawns *spawns_create(void)
{
    struct spawns *spawns = calloc(1, sizeof *spawns);
    if (spawns)
        CHECK(uv_mutex_init(&spawns->lock) == 0);
    return spawns;
}

void spawns_free(struct spawns *spawns)
{
    if (spawns)
        uv_mutex_destroy(&spawns->lock);
    free(spawns);
}

bool spawns_get(struct spawns *spawns, const struct terrane_digest *world, bool coarse, struct spawn *spawn)
{
    bool found = false;
    uv_mutex_lock(&spawns->lock);
    for (size_t k = 0; k < SPAWNS && !found; k++) {
        found = spawns->at[k].used && spawns->at[k].coarse == coarse &&
                memcmp(&spawns->at[k].world, world, sizeof *world) == 0;
        if (found)
            *spawn = spawns->at[k].spawn;
    }
    uv_mutex_unlock(&spawns->lock);
    return found;
}

void spawns_put(struct spawns *spawns, const struct terrane_digest *world, bool coarse,
                const struct spawn *spawn)
{
    uv_mutex_lock(&spawns->lock);
    const size_t k = spawns->next++ % SPAWNS;
    spawns->at[k].used = true;
    spawns->at[k].coarse = coarse;
    spawns->at[k].world = *world;
    spawns->at[k].spawn = *spawn;
    uv_mutex_unlock(&spawns->lock);
}
