/*
 * The self-test: before a server says that it is ready, it makes a few known tiles with the kernels it will use, and
 * compares their samples with what they have to be.
 */
#ifndef TERRANE_SERVER_SELFTEST_H
#define TERRANE_SERVER_SELFTEST_H

#include <stddef.h>

/*
 * Makes a tile before erosion, one after it with its normals and as PNG, and one of lakes, of the built-in
 * recipe: some 50 ms of one core, three times that with scalar kernels. Returns 0; or -1 with one line in
 * error that says which differed, and how. After terrane_init.
 */
int selftest_run(char *error, size_t error_bytes);

#endif
