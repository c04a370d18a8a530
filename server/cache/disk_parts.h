/*
 * The internals of the disk tier, shared by disk.c (the interface, and the readers), disk_writer.c (the writer thread),
 * disk_store.c and disk_evict.c (its side of tiles.db), disk_sql.c (connections) and disk_files.c (the directory).
 */
#ifndef TERRANE_SERVER_DISK_PARTS_H
#define TERRANE_SERVER_DISK_PARTS_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <uv.h>

#include "disk.h"
#include "queue.h"

/* ---- disk_files.c: the directory and the files in it, as the file system sees them; no SQLite ---------- */

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

/* Builds the names, touches no file. -1 when memory is short or a relative directory has no absolute name. */
int files_init(struct files *files, const char *dir);

/* Releases the lock and frees the names. */
void files_close(struct files *files);

/*
 * Makes the directory (and its parents, 0700) where it is missing, takes the lock unless this very
 * directory's is held, and clears away unusable files: a tiles.db that is no file is set aside, companions
 * without a tiles.db, an index of the log and a set aside file over damaged_max bytes are removed. Where it looks, a
 * tiles.db that is no file stays: FAILED.
 */
enum files_result files_prepare(struct files *files, uint64_t damaged_max, bool looks);

/* Removes the set aside file if it has more than damaged_max bytes. -1: errno says why not. */
int files_trim(const struct files *files, uint64_t damaged_max);

/* Bytes of a file; 0 where there is none. */
uint64_t files_bytes(const struct files *files, enum file_name name);

/* Remembers which files tiles.db and its log are; true later if they are still the same. */
void files_note(struct files *files);
bool files_same(const struct files *files);

/*
 * Moves tiles.db out of the way: renames it to tiles.db.damaged if it has at most damaged_max bytes, else
 * removes it. Also removes an older one and the companions. *kept: it was renamed. The database must be
 * closed.
 */
enum files_result files_set_aside(struct files *files, uint64_t damaged_max, bool *kept);

/* Removes tiles.db and its companions. The database must be closed. -1: errno says why not. */
int files_remove(const struct files *files);

/* ---- disk_sql.c: connections that trust nothing in the database, and the schema it must have ----------- */

/* Results are SQLite's extended codes. A connection is used by one thread at a time. */
#define SQL_PAGE_BYTES     16384
#define SQL_OVERFLOW_BYTES (SQL_PAGE_BYTES - 4) /* of a blob in one page of its chain */

/* *out is NULL unless SQLITE_OK is returned; errno is then the system's, or 0. cache_pages: max pages of the
 * file in memory. */
int sql_open(const char *path, bool writes, int cache_pages, sqlite3 **out);

/* Closes; NULL is fine. abandon: the files are not ours any more, so write and remove nothing. */
void sql_close(sqlite3 *db, bool abandon);

/* Makes the tables in an empty database: all of them or none. */
int sql_create(sqlite3 *db);

/* SQLITE_OK if the database is ours to the last object; else SQLITE_CORRUPT, and *what says why. */
int sql_check(sqlite3 *db, const char **what);

/* Switches to write-ahead logging; SQLITE_CANTOPEN if the file system cannot. */
int sql_enter_wal(sqlite3 *db);

/* Runs one statement made by sqlite3_mprintf's rules; its rows are ignored. */
int sql_run(sqlite3 *db, const char *format, ...);

/* The first column of the first row, NULL read as 0. SQLITE_EMPTY if there is no row. */
int sql_number(sqlite3 *db, const char *statement, int64_t *out);

/* A result in plain words; static storage. */
const char *sql_words(int result);

/* True if a result means that the database (not the disk) is at fault. */
bool sql_is_damage(int result);

/* ---- disk_store.c: the writer's side of tiles.db ------------------------------------------------------- */

/*
 * Stores batches and evicts the least recently used entries, within the quota. One thread at a time. Every call that can
 * fail returns how to react; store->what then describes the failure, until the next call.
 */
enum store_result {
    STORE_OK,
    STORE_UNWELL, /* not now: the disk is full, fails, is busy, memory is short */
    STORE_DAMAGED /* never again with this file */
};

enum { STORE_STATEMENTS = 16 };

struct store {
    sqlite3 *db; /* NULL: not open */
    sqlite3_stmt *statement[STORE_STATEMENTS];

    /* The quota, in pages of the database, frames of its log, and rows. Changed by store_set_quota. */
    uint64_t pages_max, frames_max, frames_soft, rows_max;
    uint64_t step_pages;      /* max pages that a change of the tables touches besides a blob's own */
    uint64_t entry_bytes_max; /* larger entries do not fit into a batch */

    uint64_t pages, pages_free, frames, rows; /* now; the first two as of the last commit */
    uint64_t log_frames;                      /* max length of the log's file */
    int64_t clock;                            /* the last use */
    uint64_t stored, evicted;                 /* since the store was made */
    uint64_t stored_open, evicted_open;       /* ... in this transaction, not counted yet */
    uint64_t rows_committed;
    unsigned char *buffer;
    size_t buffer_bytes;

    const char *what; /* the last failure, in words, */
    int cause;        /* and errno, or 0 */
    bool reopen;      /* another connection might help: the disk did not fail */
};

/* The work of one call of store_write, in this order. */
struct store_batch {
    const uint64_t *drop; /* entries to be removed */
    size_t drops;
    const uint64_t *use; /* entries that were read */
    size_t uses;
    struct blob *const *blob; /* blobs to be stored; those that can never be are skipped */
    size_t blobs;
};

/* Opens or makes the database at path. quota_bytes is for the database, its log and its index together. */
enum store_result store_open(struct store *store, const char *path, uint64_t quota_bytes,
                             uint64_t quota_rows);

/* Ends every use of the files; a closed store is fine. abandon: they are not ours any more, write nothing. */
void store_close(struct store *store, bool abandon);

enum store_result store_write(struct store *store, const struct store_batch *batch);

/* Writes and removes a test blob, and empties the log, to check that the disk accepts writes. */
enum store_result store_probe(struct store *store);

/* Empties the log into the database, if there is anything in it and no other process is in the way. */
enum store_result store_empty_log(struct store *store);

/* Changes the quota. store_shrink removes the excess; until then the database does not grow. */
enum store_result store_set_quota(struct store *store, uint64_t quota_bytes, uint64_t quota_rows);

/* True if the database exceeds the quota, after that was lowered. */
bool store_is_over(const struct store *store);

/* Takes a bounded step towards the quota. */
enum store_result store_shrink(struct store *store);

/* A walk over the entries of a world that removes them. Begins with from = INT64_MIN. */
struct store_purge {
    uint64_t world;
    int64_t from;  /* the next id, in the database's order: signed */
    uint64_t gone; /* entries removed and committed */
    bool done;
};

/* Takes a bounded step. Entries stored meanwhile, behind the position of the walk, stay. */
enum store_result store_purge(struct store *store, struct store_purge *purge);

/* Bytes of the pages in use. */
uint64_t store_bytes(const struct store *store);

/* ---- disk_evict.c: changes of the store inside a transaction, of which disk_store.c makes batches ----- */

/* All return SQLite's result; store->what describes failures that SQLite has no words for. */
int store_prepare(struct store *store);
void store_finalize(struct store *store);

/* Keeps store->frames right from now on. */
void store_watch_log(struct store *store);

/* Ends a transaction that failed, if there is one. */
void store_rollback(struct store *store);

int store_begin(struct store *store);
int store_commit(struct store *store);

/*
 * Outside a transaction: writes the log into the database; cut: also truncates its file, which happens anyway if that
 * exceeds its part of the quota. SQLITE_BUSY if readers stay in the way.
 */
int store_checkpoint(struct store *store, bool cut);

/* Counts the pages of the database, and the free ones, as of the open transaction or the last one. */
int store_count_pages(struct store *store, uint64_t *pages, uint64_t *pages_free);

/* The rest belongs inside a transaction, and may end it and begin another one before the change. */

/* Inserts a blob, or replaces the one with its id; evicts to make room. */
int store_insert(struct store *store, const struct blob *blob);

int store_remove(struct store *store, uint64_t id);
int store_use(struct store *store, uint64_t id);

/* Removes the entry that has not been used for longest. */
int store_evict(struct store *store);

/* The first entry of a world from an id on, in the order of ids; SQLITE_EMPTY: there is none. */
int store_find_world(struct store *store, uint64_t world, int64_t from, int64_t *id);

/* Gives the last page of the file back. There must be a free page. */
int store_vacuum_page(struct store *store);

/* ---- The tier ------------------------------------------------------------------------------------------ */

enum { DISK_MAGIC = 0x6469736b, DISK_DROPS = 64, USES = 4096 };

/* A small set of entries in use; when full, a new one displaces an old one. Any thread. */
struct uses {
    _Atomic uint64_t slot[USES]; /* 0 is empty */
};

enum disk_purge_state { PURGE_NONE, PURGE_WANTED, PURGE_DONE };

/* A reader: one thread's connection. */
struct disk_reader {
    _Alignas(64) uv_mutex_t mutex; /* its thread while it reads; the writer to close the connection */
    sqlite3 *db;                   /* read-only; NULL: closed */
    sqlite3_stmt *find, *has;
    uint64_t retry_ns; /* a connection that failed is not opened again before */
};

struct disk {
    uint32_t magic;

    /* Constant while the disk is open. */
    uint64_t write_interval_ns, retry_interval_ns;
    size_t batch_bytes, full_bytes; /* of a round; of a queue that is not kept waiting */
    int readers;
    bool looks;
    struct disk_reader *reader;
    uv_thread_t writer;

    /* Owned by the writer (before it runs by disk_open, after it by disk_close). */
    struct files files;
    struct store store;
    uint64_t quota_bytes, quota_rows, damaged_max_bytes;
    struct store_purge purge_walk;
    bool purging;       /* purge_walk is under way */
    int64_t purge_gone; /* so far, or -1 */
    bool begun, well;
    uint64_t ill_ns, damaged_ns; /* since when; when a database was last set aside, 0: never */
    uint64_t use[USES];

    /* Under the mutex. */
    uv_mutex_t mutex;
    uv_cond_t work, done; /* for the writer; for disk_flush and disk_purge */
    struct queue queue;
    uint64_t drop[DISK_DROPS]; /* damaged entries */
    size_t drops;
    uint64_t round_wanted, round_done;
    uint64_t flush_taken; /* of the queue: up to here a caller of disk_flush waits for */
    uint64_t look_ns;     /* when to look at the files, or to try again */
    bool accepting, suspect, stop;
    bool quota_changed;
    uint64_t quota_bytes_next, quota_rows_next;
    struct {
        enum disk_purge_state state;
        bool all;
        uint64_t world;
        int64_t gone; /* when done */
    } purge;

    /* Any thread's. */
    struct uses uses;
    atomic_bool readable;
    atomic_bool degraded;
    _Atomic uint64_t hits, misses, stores, dropped, evicted, damaged, errors, bytes, rows;
    _Atomic uint64_t warn_ns; /* the next warning about a damaged entry is not due before */
};

static inline void disk_count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* ---- disk.c -------------------------------------------------------------------------------------------- */

void uses_note(struct uses *uses, uint64_t id);

/* Empties the set into out; returns how many there are. One thread at a time. */
size_t uses_take(struct uses *uses, uint64_t out[static USES]);

/* Closes every reader's connection; none opens one until readable is true again. abandon: as in sql_close. */
void disk_close_readers(struct disk *disk, bool abandon);

/* ---- disk_writer.c ------------------------------------------------------------------------------------- */

/* The writer thread: works through the queue, until disk->stop. argument: the disk. */
void disk_writer_run(void *argument);

/* Before it runs: opens the store, creating or replacing files as needed. FILES_HELD: another process has it; else FILES_OK. */
enum files_result disk_begin(struct disk *disk);

/* After it: ends all use of the files. */
void disk_end(struct disk *disk);

#endif
