/* Worlds: a recipe, a seed, and the digest of both. */
#include "../terrane.h"

#include "digest.h"

void terrane_world_init(struct terrane_world *world, const struct terrane_recipe *recipe, uint64_t seed)
{
    struct digest digest = digest_start(2);
    digest_put_bytes(&digest, recipe->digest.byte, sizeof recipe->digest.byte);
    digest_put(&digest, seed, 8);

    world->recipe = recipe;
    world->seed = world->ids = seed;
    digest_end_bytes(&digest, world->digest.byte);
}

uint64_t terrane_seed_from_name(const char *name, size_t bytes)
{
    uint64_t seed;
    digest_siphash((const uint8_t *)name, bytes, 1, &seed);
    return seed;
}
