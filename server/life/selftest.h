/*
 * The self-test: before a server says that it is ready, it makes a few known tiles with the kernels it will use, and
 * checks their samples.
 */
#ifndef TERRANE_SERVER_SELFTEST_H
#define TERRANE_SERVER_SELFTEST_H

#include <stddef.h>

#include "../tile/tile.h"

/*
 * Makes a tile of noise, one of drained ground and one of its water as PNG, of the built-in recipe, and an eroded one with its
 * normals of the same without rivers: some 100 ms of one core, three times that with scalar kernels. Returns 0; or -1 with one line in
 * error that says which differed, and how. After terrane_init.
 */
int selftest_run(char *error, size_t error_bytes);

/* The tiles of the self-test and the expected digests: for selftest.c and its unit test. */
struct selftest_case {
    struct tile_key key;  /* as asked for: before tile_key_vary and tile_key_finish */
    bool dry;             /* of the recipe without rivers */
    struct digest wanted; /* XXH128 of the tile's bytes, which are little-endian; of a PNG, of its pixels */
};

enum { SELFTEST_CASES = 5, SELFTEST_SEED = 42 };
extern const struct selftest_case selftest_cases[SELFTEST_CASES];

/* The worlds of the cases: the built-in recipe, with and without rivers; they borrow recipe. */
void selftest_worlds(struct terrane_recipe recipe[static 2], struct terrane_world world[static 2]);

/* Fills got[count] with the digests of the cases' tiles in these two worlds. Returns 0, or -1 with one line in error. */
int selftest_digests(const struct terrane_world *world, const struct selftest_case *cases, int count,
                     struct digest *got, char *error, size_t error_bytes);

/* Compares all digests: 0, or -1 with one line in error about the first that differs. */
int selftest_compare(const struct terrane_world *world, const struct selftest_case *cases, int count,
                     char *error, size_t error_bytes);

#endif
