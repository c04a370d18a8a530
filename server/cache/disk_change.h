/*
 * Changes of the store inside a transaction; disk_store.c makes batches of them. All return SQLite's result,
 * and leave the words for a failure that SQLite has none for in store->what.
 */
#ifndef TERRANE_SERVER_DISK_CHANGE_H
#define TERRANE_SERVER_DISK_CHANGE_H

#include "disk_store.h"

int store_prepare(struct store *store);
void store_finalize(struct store *store);

/* Keeps store->frames right from now on. */
void store_watch_log(struct store *store);

/* Ends a transaction that failed, if there is one. */
void store_rollback(struct store *store);

int store_begin(struct store *store);
int store_commit(struct store *store);

/*
 * Outside a transaction: the log into the database; cut: its file is emptied as well, which it is in any case where it is
 * longer than its part of the quota. SQLITE_BUSY where readers stay in the way.
 */
int store_checkpoint(struct store *store, bool cut);

/* Pages of the database, and how many of them hold nothing, as the transaction (or the last one) sees it. */
int store_count_pages(struct store *store, uint64_t *pages, uint64_t *pages_free);

/* The rest belongs inside a transaction, and may end it and begin another one before the change. */

/* Inserts a blob, or replaces what is there under its id; evicts what has to go for it. */
int store_insert(struct store *store, const struct blob *blob);

int store_remove(struct store *store, uint64_t id);
int store_use(struct store *store, uint64_t id);

/* Removes the entry that has not been used for longest. */
int store_evict(struct store *store);

/* The first entry of a world from an id on, in the order of ids; SQLITE_EMPTY: there is none. */
int store_find_world(struct store *store, uint64_t world, int64_t from, int64_t *id);

/* Gives the last page of the file back. There must be a free page. */
int store_vacuum_page(struct store *store);

#endif
