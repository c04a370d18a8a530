/*
 * Entries of caches against the tiles that they are said to be.
 */
#ifndef TERRANE_SERVER_TILE_FITS_H
#define TERRANE_SERVER_TILE_FITS_H

#include "../cache/blob.h"

/*
 * Whether a blob that was stored for a finished key, by whomever, may stand for it: lengths, heads and counts are those that
 * the encoders write for such a key, numbers that others compute with are finite, and so is what a reply says of them; what is
 * coded or deflated can be undone, and texts are parsed. So whoever rests on a tile that fits can read it, and fails for want of
 * memory alone; what it shows may still be wrong. false where memory is short, too. Some passes over the bytes.
 */
bool tile_blob_fits(const struct tile_key *key, const struct terrane_recipe *recipe, const struct blob *blob);

#endif
