/*
 * The files of an import: all of them, or none.
 */
#ifndef TERRANE_SERVER_IMPORT_FILES_H
#define TERRANE_SERVER_IMPORT_FILES_H

#include <stddef.h>

struct import_file {
    const char *ending;
    const char *from; /* a copy of that file; NULL: of bytes */
    const void *data;
    size_t bytes;
};

/* Writes DIR/NAME.ENDING of each, none of which is there yet. 0, or 1 with a line on standard error and nothing of them left. */
int import_files_write(const char *directory, const char *name, const struct import_file *files,
                       size_t count);
void import_files_remove(const char *directory, const char *name, const struct import_file *files,
                         size_t count);

#endif
