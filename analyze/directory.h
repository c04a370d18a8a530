/*
 * The directory that results go into.
 */
#ifndef TERRANE_ANALYZE_DIRECTORY_H
#define TERRANE_ANALYZE_DIRECTORY_H

/* Makes a directory, and those above it that are missing, as mkdir -p does. 0; or -1, and errno says why. */
int directory_make(const char *path);

#endif
