/*
 * What both kinds of archives say when a file is not the one that was meant.
 */
#ifndef TERRANE_SERVER_ARCHIVE_TEXT_H
#define TERRANE_SERVER_ARCHIVE_TEXT_H

#include <stddef.h>

enum { ARCHIVE_SHOWN_BYTES = 81 };

/* A value of metadata as it may be shown: its first 80 bytes at most, printable ASCII alone. NULL: "". */
const char *archive_shown(char shown[ARCHIVE_SHOWN_BYTES], const char *value);

/* The name of a row of metadata as people know it: without the prefix of those that are terrane's alone. */
const char *archive_plain(const char *name);

#endif
