/*
 * Worlds: a recipe, a seed, and the name of both.
 */
#include "../terrane.h"

#include "digest.h"

void terrane_world_init(struct terrane_world *world, const struct terrane_recipe *recipe, uint64_t seed)
{
    struct digest digest = digest_start(2);
    uint64_t words[2];
    for (int i = 0; i < 16; i++)
        digest_put(&digest, recipe->digest.byte[i], 1);
    digest_put(&digest, seed, 8);
    digest_end(&digest, words);

    world->recipe = recipe;
    world->seed = world->ids = seed;
    for (int i = 0; i < 16; i++)
        world->digest.byte[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
}

uint64_t terrane_seed_from_name(const char *name, size_t bytes)
{
    uint64_t seed;
    digest_siphash((const uint8_t *)name, bytes, 1, &seed);
    return seed;
}
