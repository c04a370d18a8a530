/*
 * The directory of the disk tier and the files in it, as the file system sees them. Knows no SQLite.
 */
#ifndef TERRANE_SERVER_DISK_FILES_H
#define TERRANE_SERVER_DISK_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The first two hold the tiles, and belong together. */
enum file_name {
    FILE_DB,
    FILE_WAL,
    FILE_SHM,
    FILE_JOURNAL,
    FILE_DAMAGED,
    FILE_LOCK,
    FILE_NAMES,
    FILES_SHARED = 2
};

struct file_identity {
    dev_t device;
    ino_t inode; /* 0: there is no such file */
};

struct files {
    char *dir;              /* absolute, owned */
    char *path[FILE_NAMES]; /* absolute, owned */
    int lock;               /* descriptor of the lock file, held, or -1 */
    struct file_identity identity[FILES_SHARED];
};

enum files_result {
    FILES_OK,
    FILES_HELD,   /* another process has the directory */
    FILES_FAILED, /* errno says why */
};

/* Makes the names, touches nothing. -1 when memory is short or a relative directory has no absolute name. */
int files_init(struct files *files, const char *dir);

/* Lets go of the lock and frees the names. */
void files_close(struct files *files);

/*
 * Makes the directory (and its parents, 0700) where it is missing, takes the lock unless this very
 * directory's is held, and clears away what cannot be used: a tiles.db that is no file is set aside,
 * companions without a tiles.db, an index of the log and a set aside file over damaged_max bytes are removed.
 */
enum files_result files_prepare(struct files *files, uint64_t damaged_max);

/* Removes the set aside file where it has more than damaged_max bytes. -1: errno says why not. */
int files_trim(const struct files *files, uint64_t damaged_max);

/* Bytes of a file; 0 where there is none. */
uint64_t files_bytes(const struct files *files, enum file_name name);

/* Remembers which files tiles.db and its log are; true later if they are still the same. */
void files_note(struct files *files);
bool files_same(const struct files *files);

/*
 * Takes tiles.db out of the way, under the name tiles.db.damaged while it has at most damaged_max bytes, by
 * removing it otherwise; an older one and the companions are removed. *kept says which. The database must be
 * closed.
 */
enum files_result files_set_aside(struct files *files, uint64_t damaged_max, bool *kept);

/* Removes tiles.db and its companions. The database must be closed. -1: errno says why not. */
int files_remove(const struct files *files);

#endif
