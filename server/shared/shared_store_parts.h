/*
 * Between the files of a world's store: shared_store.c makes and opens it, shared_rows.c reads and writes its rows.
 */
#ifndef TERRANE_SERVER_SHARED_STORE_PARTS_H
#define TERRANE_SERVER_SHARED_STORE_PARTS_H

#include <sqlite3.h>

#include "shared.h"

enum { SHARED_PATH_BYTES = 4200 };

struct shared_store {
    sqlite3 *db;
    sqlite3_stmt *put, *token, *head;
    struct shared_seed seed;
    char *text;
    char epoch[SHARED_EPOCH_BYTES + 1];
    bool has_epoch; /* as a fact of the file; else it is of what the world was made of */
    uint64_t count; /* when it was opened */
    uint64_t last;  /* the row that was put last in this transaction; 0: none */
    unsigned char chain[SHARED_CHAIN_BYTES],
        committed[SHARED_CHAIN_BYTES]; /* of the last row; before the transaction */
    char path[SHARED_PATH_BYTES];
};

/* Runs a statement without parameters. SQLite's result. */
int shared_store_run(struct shared_store *store, const char *statement);

/* Makes the statements that write; likewise. */
int shared_store_prepare(struct shared_store *store);

/* What the file says of its last row: its number and chain. */
enum { SHARED_HEAD_BYTES = 24 + 2 * SHARED_CHAIN_BYTES };
void shared_store_head(uint64_t number, const unsigned char chain[static SHARED_CHAIN_BYTES],
                       char head[static SHARED_HEAD_BYTES]);

/* One line in error, of what SQLite said last. Returns -1. */
int shared_store_refuse(const struct shared_store *store, char *error, size_t error_bytes);

#endif
