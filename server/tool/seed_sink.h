/*
 * Where seeded tiles go: the disk cache, an archive, or the shared tier. What is there is found again, so that seeding goes on
 * where it ended.
 *
 * One thread at a time.
 */
#ifndef TERRANE_SERVER_SEED_SINK_H
#define TERRANE_SERVER_SEED_SINK_H

#include "../archive/pmtiles.h"
#include "../cache/disk.h"
#include "seed_plan.h"
#include "seed_shared.h"

/* ---- What an archive of tiles says about itself (seed_facts.c) ------------------------------------------- */

enum { SEED_ROWS_MAX = 32, SEED_VALUE_BYTES = 2048 };

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

/* ---- The sink ------------------------------------------------------------------------------------------ */

enum { SEED_SINK_ERROR_BYTES = MBTILES_ERROR_BYTES };

struct seed_sink;

/* Both return owned; NULL with one line in error. The cache has a queue of the sink's own size. */
struct seed_sink *seed_sink_cache(const struct disk_options *options, char error[SEED_SINK_ERROR_BYTES]);

struct seed_sink *seed_sink_shared(const struct seed_shared_options *options,
                                   char error[SEED_SINK_ERROR_BYTES]);

/*
 * What there is already, for a look: nothing is begun where nothing is. Returns 0 and *sink, which is NULL where
 * nothing is; or -1 with one line in error. Of what is found only seed_sink_has, _is_complete and _close are of use.
 */
int seed_sink_look_cache(const struct disk_options *options, struct seed_sink **sink,
                         char error[SEED_SINK_ERROR_BYTES]);

/*
 * FILE.part holds the tiles until all are there: then MBTiles gets its name, and pmtiles is written from it. FILE itself
 * has to be of these facts, and is complete then: nothing is made; or not there. Borrows facts and path. look: as above.
 */
int seed_sink_archive(const char *path, bool pmtiles, const struct seed_facts *facts, bool look,
                      struct seed_sink **sink, char error[SEED_SINK_ERROR_BYTES]);

/* Whether it was complete when it was opened: a finished PMTiles archive. It has every tile, and takes none. */
bool seed_sink_is_complete(const struct seed_sink *sink);

/* Whether a tile is there: 1 or 0; -1: it cannot be told. */
int seed_sink_has(struct seed_sink *sink, const struct tile_key *key, const struct digest *digest);

/* Takes a tile; holds its own reference where it needs one. 0, or -1: the sink takes nothing any more. */
int seed_sink_put(struct seed_sink *sink, const struct tile_key *key, struct blob *blob);

/* Makes what was put last. Called at least once a second, it bounds what kill -9 loses. 0, or -1. */
int seed_sink_commit(struct seed_sink *sink);

/* Once all tiles are there: 0 done, 1 stopped, -1. */
int seed_sink_finish(struct seed_sink *sink, bool (*stopped)(void));

/* Tiles that were put and are there to stay, and what they have in bytes. */
void seed_sink_stored(const struct seed_sink *sink, int64_t *tiles, uint64_t *bytes);

/* Whether the last failure is that a signal has stopped the run, while the shared tier was away. */
bool seed_sink_was_stopped(const struct seed_sink *sink);

/* Tiles that the cache's quota has pushed out meanwhile, oldest first; entries of any kind that the shared tier's store
 * has; of an archive 0. */
uint64_t seed_sink_evicted(const struct seed_sink *sink);

/* The file or directory that holds the tiles now. */
const char *seed_sink_place(const struct seed_sink *sink);

/* Why the last call failed: one line. */
const char *seed_sink_error(const struct seed_sink *sink);

/* NULL is fine. */
void seed_sink_close(struct seed_sink *sink);

#endif
