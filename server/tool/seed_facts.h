/*
 * What an archive of tiles says about itself.
 */
#ifndef TERRANE_SERVER_SEED_FACTS_H
#define TERRANE_SERVER_SEED_FACTS_H

#include "../archive/pmtiles.h"
#include "seed_plan.h"

enum { SEED_ROWS_MAX = 32, SEED_VALUE_BYTES = 400 };

/* Rows point into value; metadata is owned. */
struct seed_facts {
    struct mbtiles_row row[SEED_ROWS_MAX];
    size_t rows;
    char value[SEED_ROWS_MAX][SEED_VALUE_BYTES];
    struct pmtiles_facts pmtiles;
    char *metadata;
    int64_t tiles; /* of the plan */
};

/*
 * Of a plan that is a pyramid: for MBTiles rows of metadata, which name world, tiles and window to the last of
 * them; for PMTiles what the header says, and those of the rows that it does not, as JSON. recipe: its name or
 * file. Rows of equal plans are equal. Returns 0, or -1 when memory is short.
 */
int seed_facts_make(struct seed_facts *facts, const struct seed_plan *plan, const struct terrane_world *world,
                    const char *recipe);
void seed_facts_free(struct seed_facts *facts);

/* Where a tile of the plan lies in the pyramid. */
struct mbtiles_place seed_facts_place(const struct tile_key *key);

#endif
