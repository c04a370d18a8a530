/*
 * Where the nearest of a kind is: a lake, a river, a peak. A search outwards from a place, over coarser and coarser levels:
 *
 *     four tiles of a level around the place, then 25 ──► is there one? ──► no: of a level three above, and so on
 *          └─► yes: the tile below it of each finer level ──► ... of the first level: what is still there, where it is there
 *
 * Of them the nearest comes first, and others only where something that is as near could be in them.
 *
 * A function of the world, the place and the question alone. Who runs it brings the tiles: it says which (seek_wants, seek_key), is
 * given them, and goes on (seek_step) until it wants none. What it makes of them is compared as samples and binary64, so it is
 * the same on every machine. It holds 256 KB a tile and layer that it is given (SEEK_WANTS), or of four tiles of weights, one after the
 * other, as much for each weight, and 30 MB more while it looks at them. One thread at a time.
 */
#ifndef TERRANE_SERVER_SEEK_H
#define TERRANE_SERVER_SEEK_H

#include "../cache/blob.h"
#include "../tile/find.h"
#include "../tile/tile.h"

enum {
    SEEK_STAGES = 12, /* that there are at most */
    SEEK_HITS = 64,   /* of a stage that are kept, the nearest */
    SEEK_TRIES = 3,   /* groups of a stage's hits that are followed down */
    SEEK_TILES = 25,  /* that are looked at together, of four layers at most */
    SEEK_LAYERS = 4,
    SEEK_AHEAD = 12, /* tiles that may be wanted next */
    SEEK_WANTS = SEEK_TILES * SEEK_LAYERS
};

struct seek;

/*
 * x_m and y_m lie in the world; key: finished, of any f32 tile of it, from which the tiles' keys are made; level: 0 .. FIND_LEVEL_MAX,
 * the finest to look at where the kind does not say which. world is borrowed until seek_free. Owned; NULL: memory is short.
 */
struct seek *seek_create(const struct terrane_world *world, const struct tile_key *key,
                         const struct find_question *question, double x_m, double y_m, int level);
void seek_free(struct seek *seek);

/* How many tiles it wants, all of them before it goes on. 0: it has come to its end. */
size_t seek_wants(const struct seek *seek);

/* How many, by the indices behind those, it may want next: that are worth making where there is nothing else to do. */
size_t seek_spares(const struct seek *seek);
void seek_key(const struct seek *seek, size_t index, struct tile_key *key);
void seek_give(struct seek *seek, size_t index, struct blob *blob); /* takes the blob, which fits its key */

/* Goes on, and lets go of the tiles: some milliseconds. Returns 0, or -1 when memory is short. */
int seek_step(struct seek *seek);

/* What was found, as GeoJSON, owned: a FeatureCollection that says how far was looked. NULL: memory is short. */
char *seek_text(const struct seek *seek, size_t *bytes);

#endif
