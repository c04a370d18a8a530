/*
 * The folder of a set: its files, whole or not at all under their names; what it is of; and what a run leaves to the next.
 *
 *     DIR/NAME                 a file of the set
 *     DIR/set.json             what the set is of, and its numbers
 *     DIR/unfinished/          while the set is not whole: files that are being written, and samples that wait for the range
 *
 * One process at a time has it. Functions may be called from any thread, of different names at the same time.
 */
#ifndef TERRANE_SERVER_EXPORT_FOLDER_H
#define TERRANE_SERVER_EXPORT_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export_set.h"

struct export_folder;

/*
 * Opens a folder, and makes it where there is none, for a set: facts, an object of strings, numbers and arrays of these, which is
 * borrowed. look: makes and takes nothing; *folder is NULL where there is none yet. Returns 0; -1: a line is in error, as where the
 * folder holds something else, or a set whose facts differ.
 */
int export_folder_open(struct export_folder **folder, const char *path, const json_t *facts, bool look,
                       char error[static EXPORT_ERROR_BYTES]);
void export_folder_close(struct export_folder *folder); /* NULL is fine */

/* What an earlier run has noted besides the facts: "range_m" of set.json. false: nothing. */
bool export_folder_range(const struct export_folder *folder, float *low_m, float *high_m);

/* Writes set.json: facts, and what more there is to know (an object, taken). 0, or -1 with a line in error. */
int export_folder_note(struct export_folder *folder, json_t *more, char error[static EXPORT_ERROR_BYTES]);

/* The length of a file; below 0: there is none. kept: of samples that wait. */
int64_t export_folder_size(const struct export_folder *folder, const char *name, bool kept);

/* Whether a PNG has its end, so that no power cut has left half of one. */
bool export_folder_has_png(const struct export_folder *folder, const char *name);

/* Writes a file, which then has its name. 0, or -1 with a line in error, and nothing of that name is there. */
int export_folder_put(const struct export_folder *folder, const char *name, bool kept, const void *data,
                      size_t bytes, char error[static EXPORT_ERROR_BYTES]);

/* Reads samples that wait, all of bytes. 0, or -1 with a line in error. */
int export_folder_take(const struct export_folder *folder, const char *name, void *data, size_t bytes,
                       char error[static EXPORT_ERROR_BYTES]);

/* Removes samples that waited. */
void export_folder_drop(const struct export_folder *folder, const char *name);

/* The set is whole: removes what is unfinished. */
void export_folder_finish(struct export_folder *folder);

#endif
