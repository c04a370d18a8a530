/*
 * Entries of caches against the tiles that they are said to be.
 */
#ifndef TERRANE_SERVER_TILE_FITS_H
#define TERRANE_SERVER_TILE_FITS_H

#include "../cache/blob.h"

/*
 * Whether a blob that was stored for a finished key, by whomever, may stand for it: lengths, heads and counts are those that
 * the encoders write for such a key, numbers that others compute with are finite, and so is what a reply says of them. What is
 * deflated is not inflated here, and no text is parsed: who reads those finds out, and says so. One pass over numbers, else the
 * heads alone.
 */
bool tile_blob_fits(const struct tile_key *key, const struct terrane_recipe *recipe, const struct blob *blob);

#endif
