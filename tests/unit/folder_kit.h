/*
 * Folders of tests, which go with all that is in them.
 */
#ifndef TERRANE_TESTS_FOLDER_KIT_H
#define TERRANE_TESTS_FOLDER_KIT_H

#include "unit.h"

#include <ftw.h>

static inline int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* A folder with all that is in it, or a file. */
static inline int remove_tree(const char *path)
{
    return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define FOLDER "/tmp/terrane-test-XXXXXX"

static char folder[] = FOLDER;

static inline int folder_make(void **state)
{
    (void)state;
    memcpy(folder, FOLDER, sizeof folder);
    return mkdtemp(folder) ? 0 : -1;
}

static inline int folder_remove(void **state)
{
    (void)state;
    return remove_tree(folder);
}

/* A path in it, of a name and what it ends with; the last 16 of them stay. */
static inline char *folder_path(const char *name, const char *ending)
{
    static char path[16][sizeof folder + 60];
    static int turn;
    turn = (turn + 1) % 16;
    snprintf(path[turn], sizeof path[turn], "%s/%s%s", folder, name, ending);
    return path[turn];
}

#define file_write(path, data, bytes) file_put(path, "wb", data, bytes)

static inline void file_put(const char *path, const char *mode, const void *data, size_t bytes)
{
    FILE *const file = fopen(path, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

#endif
