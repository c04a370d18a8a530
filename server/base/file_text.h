/*
 * Whole small files, and directories.
 */
#ifndef TERRANE_SERVER_FILE_TEXT_H
#define TERRANE_SERVER_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Reads a regular file of at most limit bytes. Owned, not zero-terminated; *bytes is its length. NULL: a few words in
 * why say what is wrong (80 bytes hold them).
 */
char *file_text(const char *path, size_t limit, size_t *bytes, char *why, size_t why_bytes);

/* Reads at most bytes - 1 of a file, zero-terminated; false if there is no such file, or it is empty. */
bool file_head(const char *path, char *text, size_t bytes);

/* mkdir -p, of a mode that the umask takes from. Cuts the path at each slash in turn, and restores it. 0; -1: errno says why. */
int directories_make(char *path, mode_t mode);

#endif
