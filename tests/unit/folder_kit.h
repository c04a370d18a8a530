/*
 * A folder of a test's own, which goes with all that is in it.
 */
#ifndef TERRANE_TESTS_FOLDER_KIT_H
#define TERRANE_TESTS_FOLDER_KIT_H

#include "unit.h"

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
    char command[sizeof folder + 10];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
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

static inline void file_write(const char *path, const void *data, size_t bytes)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

#endif
