/*
 * Tiles: made of samples, put together of others, held against their keys.
 */
#ifndef TERRANE_SERVER_TILE_MAKE_H
#define TERRANE_SERVER_TILE_MAKE_H

#include "../../lib/terrane_make.h"
#include "../cache/blob.h"

struct producer;
struct produce_times;

/* ---- tile_make.c: from a key to a blob, samples by libterrane, bytes by encode/ ------------------------------------ */

enum {
    TILE_OVER =
        3, /* coarser lattices, as others rest on them: they know lakes that the tile has but a part of */
    TILE_REGIONS_MAX = TERRANE_PLAN_REGIONS + TILE_OVER + 24 /* of ground that edits read (tile_edits.h) */
};

/* What a tile is made of, by its key, its edits and its recipe alone. */
struct tile_plan {
    struct terrane_plan ground;
    struct terrane_region region
        [TILE_REGIONS_MAX]; /* what the tile reads: the ground's, of coarser lattices, of ground beside it */
    int regions, overs;
    bool holed; /* its mesh leaves out where caves open */
};

/*
 * The layers of the tile that a thread made last, for who asks for another layer of it next, as viewers and engines do: heights, normals,
 * water and the like are functions of world and plan, whatever they were made for. Up to GROUND_KEPT_BYTES; nothing is
 * kept where kept.bytes is 0.
 */
enum { GROUND_KEPT_BYTES = 6 << 20 }; /* all layers of a relief of 257 x 257 samples take 5 MB */
struct ground_kept {
    struct terrane_digest world, edits;
    struct terrane_plan plan;
    float *around, *layer[TERRANE_LAYERS]; /* owned */
    size_t bytes;
};
void ground_kept_drop(struct ground_kept *kept, const struct terrane_memory *memory);

/* Of a finished key that is not shifted. */
void tile_plan_make(const struct tile_key *key, const struct terrane_recipe *recipe, struct tile_plan *plan);

/* The blob, owned by the caller; NULL when memory is short. key is canonical (tile_key_finish) and names this world's
 * seed; inputs are the blobs of the plan's regions. */
struct blob *tile_make(struct producer *producer, const struct tile_key *key, const struct digest *digest,
                       const struct terrane_world *world, const struct tile_plan *plan,
                       struct blob *const *inputs, struct produce_times *times);

/* Notes the digest of a tile's samples in *info, where its format is one that tells it: of its payload, not coded. */
void tile_note_samples(const struct tile_key *key, const struct terrane_recipe *recipe,
                       const unsigned char *data, size_t bytes, struct blob_info *info);

/* ---- stitch.c -------------------------------------------------------------------------------------------------- */

/*
 * Tiles that lie between tiles: the root of a pyramid whose middle is the world's origin, put together from the quarters or
 * halves of the tiles around it. Their samples are copied, so they are those tiles' own.
 */

enum { STITCH_INPUTS_MAX = 4 };

/* The keys of the tiles that a shifted key's tile is made of. Returns how many. */
int stitch_inputs(const struct tile_key *key, struct tile_key inputs[static STITCH_INPUTS_MAX]);

/* The blob, owned by the caller; NULL when memory is short, or an input is not a tile of its key. */
struct blob *stitch_make(struct producer *producer, const struct tile_key *key, const struct digest *digest,
                         const struct terrane_world *world, struct blob *const *inputs,
                         struct produce_times *times);

/* ---- tile_fits.c: entries of caches against the tiles that they are said to be ----------------------------------------- */

/*
 * Whether a blob that was stored for a finished key, by any node, may stand for it: lengths, heads and counts are those that
 * the encoders write for such a key, numbers that others compute with are finite, and so is what a reply says of them; what is
 * coded or deflated can be undone, and texts are parsed. So what rests on a tile that fits can read it, and fails for want of
 * memory alone; what it shows may still be wrong. false where memory is short, too. Some passes over the bytes. A tile of samples
 * that an older version has stored, without their digest, gets it.
 */
bool tile_blob_fits(const struct tile_key *key, const struct terrane_recipe *recipe, struct blob *blob);

#endif
