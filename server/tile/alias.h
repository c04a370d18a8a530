/*
 * Worlds whose seed is a secret: what stands in the seed's place wherever clients look.
 */
#ifndef TERRANE_SERVER_ALIAS_H
#define TERRANE_SERVER_ALIAS_H

#include <stddef.h>

#include "../../lib/terrane.h"

enum { ALIAS_EPOCH_BYTES = 16 /* hexadecimal digits */ };

/* What of a named world names its tiles (ETags, keys of caches) and its rivers and caves, under each generator. Both are drawn from
 * a secret of the server's: from neither can a seed be counted back, nor can one be tried. Plain data. */
struct alias {
    const char *name;  /* as it stands in paths; borrowed */
    const char *epoch; /* of a world that people change: which one of its name it is; borrowed. Else NULL */
    struct {
        struct terrane_digest digest;
        uint64_t ids;
    } under[TERRANE_GENERATOR_VERSION - TERRANE_GENERATOR_OLDEST + 1]; /* the oldest first */
};

/* That of an alias; NULL: there is none. */
static inline const char *alias_epoch(const struct alias *alias)
{
    return alias ? alias->epoch : NULL;
}

/* terrane_world_init, under the alias where there is one (else NULL), which is of the same seed and the recipe's name. */
void alias_world_init(struct terrane_world *world, const struct terrane_recipe *recipe, uint64_t seed,
                      const struct alias *alias);

#endif
