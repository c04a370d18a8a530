/*
 * Directories of a test, which vanish with all that is in them.
 */
#ifndef TERRANE_TESTS_TREE_KIT_H
#define TERRANE_TESTS_TREE_KIT_H

#include "unit.h"

#include <ftw.h>

static inline int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* Or a file. */
static inline int remove_tree(const char *path)
{
    return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
