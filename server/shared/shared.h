/*
 * Shared worlds: files of SQLite in one directory, NAME.world, each a recipe's text, a seed, a generator and a log of operations.
 *
 * A file is written by the one server that has the directory, whose lock it holds. What it has acknowledged is on the disk.
 */
#ifndef TERRANE_SERVER_SHARED_H
#define TERRANE_SERVER_SHARED_H

#include <stdatomic.h>
#include <stddef.h>

#include "../base/text.h"
#include "../edit/edit_log.h"
#include "../edit/edit_shelf.h"
#include "../tile/named_recipe.h"
#include "../tile/tile.h"

enum {
    SHARED_ERROR_BYTES = 1400,
    SHARED_EPOCH_BYTES = ALIAS_EPOCH_BYTES,
    SHARED_WORLDS_MAX = 256,
    SHARED_BATCH_MAX = 256,           /* operations that are written at once */
    SHARED_TOKEN_BYTES = 64,          /* [A-Za-z0-9._:-]{1,64} */
    SHARED_NOTE_BYTES = 1024,         /* what a mark says, as JSON */
    SHARED_BY_BYTES = 64,             /* the name of a key */
    SHARED_CHAIN_BYTES = 16,          /* a digest of an operation and all before it */
    SHARED_WORLD_EDITS_MAX = 4000000, /* operations of a world: its quota */
    SHARED_WORLD_POINTS_MAX = 1 << 20 /* of lines of ways, likewise */
};

/* ---- Operations as they are stored (shared_store.c) ------------------------------------------------------ */

struct shared_edit {
    struct edit_entry entry;            /* a way's line is borrowed */
    char token[SHARED_TOKEN_BYTES + 1]; /* "": none */
    char note[SHARED_NOTE_BYTES + 1];   /* of a mark: a JSON object; "": of none */
    /* of those that are stored */
    uint64_t number;
    int64_t at_ms; /* since the epoch */
    char by[SHARED_BY_BYTES + 1];
};

/* Operations that it costs a key: a way is one more for each few points of its line. */
static inline size_t shared_edit_cost(const struct shared_edit *edit)
{
    enum { POINTS_OF_AN_EDIT = 16 };
    return 1 + (size_t)edit->entry.edit.points / POINTS_OF_AN_EDIT;
}

bool shared_is_token(const char *text);
bool shared_is_epoch(const char *text);

/*
 * An operation as a line of JSON without its line feed, in integers (shared_lines.c): owned (free); NULL: memory is short. And back: false,
 * it is none; what is not a line's form is for who takes it to check.
 */
char *shared_line(const struct shared_edit *edit);
bool shared_line_read(const char *text, size_t bytes,
                      struct terrane_path_point room[static TERRANE_EDIT_WAY_POINTS],
                      struct shared_edit *edit);

/* What a world is made of. */
struct shared_seed {
    uint64_t seed;
    int generator;
    const char *text; /* of its recipe: a name, or JSON; not zero-terminated */
    size_t bytes;
    const char *epoch; /* shared_store_epoch of a copy; NULL: it is a new world, and one is drawn */
};

struct shared_store;

/* Removes a world's file, which nobody has open. */
void shared_remove(const char *dir, const char *name);

/* Holds a directory as a server does: a descriptor that ends it when it is closed, or -1 with one line in error. */
int shared_hold(const char *dir, char *error, size_t error_bytes);

/* Renames a world's file, which nobody has open: NAME.world.aside-EPOCH-TIME. 0, or -1 with one line in error. */
int shared_rename_aside(const char *dir, const char *name, const char *epoch, char *error,
                        size_t error_bytes);

/* Likewise, where the file stays as well, until another is renamed over it. */
int shared_link_aside(const char *dir, const char *name, const char *epoch, char *error, size_t error_bytes);

/* Whether SQLite has nothing beside a file that is not in it yet. */
bool shared_is_alone(const char *path);

/* Whether there is no world of that name; else one line in error. */
bool shared_is_free(const char *dir, const char *name, char *error, size_t error_bytes);

/* Moves a world's file, which nobody has open, into another directory of the file system, where it must not be there. As shared_create. */
int shared_move(const char *from, const char *dir, const char *name, char *error, size_t error_bytes);

/* Makes a world's file, which must not be there: all of it, or nothing. 0, or -1 with one line in error. */
int shared_create(const char *dir, const char *name, const struct shared_seed *seed, char *error,
                  size_t error_bytes) __attribute__((warn_unused_result));

/* Opens one. Returns owned, or NULL with one line in error. write: else it is read alone. */
struct shared_store *shared_store_open(const char *dir, const char *name, bool write, char *error,
                                       size_t error_bytes);
void shared_store_close(struct shared_store *store);

/* Moves all that was committed into the file itself, before it is moved. -1: there is no room, or somebody reads it. */
int shared_store_settle(struct shared_store *store);

/* Borrowed from the store. */
const struct shared_seed *shared_store_seed(const struct shared_store *store);

/*
 * What tells this world from another one of its name that was made anew: drawn when it is made. A file from before there were any has
 * one of what it was made of. Zero-terminated; borrowed from the store.
 */
const char *shared_store_epoch(const struct shared_store *store);

/* How many operations there were when it was opened, or opened again. */
uint64_t shared_store_count(const struct shared_store *store);

/* The chain behind the last operation, of who writes; behind that of a number (0: before all). false: there is none, or the disk fails. */
const unsigned char *shared_store_chain(const struct shared_store *store);
bool shared_store_chain_at(struct shared_store *store, uint64_t number,
                           unsigned char chain[static SHARED_CHAIN_BYTES]);

/*
 * Shows the operations behind since in their order, most at most, and holds each against the chain of digests of all before it
 * where since is 0 and most SHARED_ALL. Returns how many, or -1 with one line in error: the log is damaged. show: false ends it.
 */
#define SHARED_ALL INT64_MAX
int64_t shared_store_read(struct shared_store *store, uint64_t since, int64_t max,
                          bool (*show)(void *context, const struct shared_edit *edit), void *context,
                          char *error, size_t error_bytes);

/* Likewise marks, from the first on. */
int64_t shared_store_marks(struct shared_store *store, int64_t max,
                           bool (*show)(void *context, const struct shared_edit *edit), void *context,
                           char *error, size_t error_bytes);

/* Likewise, operations of some numbers, which there are. */
int64_t shared_store_pick(struct shared_store *store, const uint32_t *number, size_t count,
                          bool (*show)(void *context, const struct shared_edit *edit), void *context,
                          char *error, size_t error_bytes);

/* The number under which a holder's token is stored; 0: it is not; -1: the disk fails. */
int64_t shared_store_token(struct shared_store *store, const char *by, const char *token);

/* A transaction: begin, any number of puts, commit, which makes it durable; an error rolls it back. SQLite's result. */
int shared_store_begin(struct shared_store *store);
int shared_store_put(struct shared_store *store, const struct shared_edit *edit);
int shared_store_commit(struct shared_store *store);
void shared_store_rollback(struct shared_store *store);

/* Whether an error of one of these says that there is no room: then nothing of the transaction is in the file. */
bool shared_store_is_full(const struct shared_store *store, int result);

/*
 * Opens a store that is written anew, after an error of which nobody knows what it left in the file, and puts what is found there, which
 * may be in no more than the system's memory, on the disk once more. Only then does it go on: 0, or -1, and it may be tried again.
 */
int shared_store_again(struct shared_store *store, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/* ---- A world that is served (shared.c, shared_writer.c) -------------------------------------------------- */

struct shared_write;

/* Who is told what was written to a world, by the world's writer, in its order, once it is on the disk and in the log. */
struct shared_feed {
    void (*told)(struct shared_feed *feed,
                 const struct shared_write *group); /* those that are SHARED_WRITTEN */
    void (*free)(struct shared_feed *feed);
};

struct shared_quota;
struct shared_writer;
struct shared_world {
    char name[TEXT_NAME_BYTES + 1];
    char epoch[SHARED_EPOCH_BYTES + 1];
    uint64_t seed;
    struct recipe recipe;
    struct alias alias; /* its tiles are its own, and links have its name */
    struct edit_log *log;
    struct shared_store *store; /* the writer's */
    struct shared_writer *writer;
    struct shared_feed *feed; /* owned, and set before the first write; or NULL */
    atomic_bool ended;        /* another one has its name, or none */
    struct edit_shelf shelf;  /* of its states */
    char *dir;                /* owned: that of its file */
};

/* The world that a key is of, whichever has its name by now; NULL: it is no shared one's. */
static inline struct shared_world *shared_of(const struct tile_key *key)
{
    char *alias = key->edits ? (char *)(uintptr_t)key->alias : NULL;
    return alias ? (struct shared_world *)(alias - offsetof(struct shared_world, alias)) : NULL;
}

struct shared;

/* Opens all worlds of a directory, in which no other server may be. Returns owned, or NULL with one line in error. */
struct shared *shared_open(const char *dir, char *error, size_t error_bytes);
void shared_close(struct shared *shared); /* NULL is fine; no write may be under way */

/* Ends all writes: those under way are done when it returns, and later ones are told SHARED_STOPPED. NULL is fine. */
void shared_quiesce(struct shared *shared);

/* Borrowed until shared_close; NULL: there is none. A shared of NULL has none. */
struct shared_world *shared_find(const struct shared *shared, const char *name, size_t bytes);
const char *shared_dir(const struct shared *shared);
/*
 * Reads one as a server would: how many operations it has, or -1 with one line in error: no server would start with it. Others may
 * have it open.
 */
int64_t shared_check(const char *dir, const char *name, char *error, size_t error_bytes);
struct shared_world *shared_at(const struct shared *shared, size_t k); /* NULL: there are no more */

/* Opens the file of a world that is served, to read it. Returns owned, or NULL with one line in error: the world has ended, too. Any thread. */
struct shared_store *shared_world_file(const struct shared *shared, const struct shared_world *world,
                                       char *error, size_t error_bytes);

/* Whether an operation, as one that is copied, is one of a world's; what it undoes the writer looks at. Any thread. */
bool shared_world_takes(const struct shared_world *world, const struct shared_edit *edit);

/* ---- Worlds that come and go while others are served, as those of another server's (shared_set.c) ------------ */

/* Every world has a feed from here on, those that come later, too. false: memory is short. */
bool shared_feed_by(struct shared *shared, struct shared_feed *(*make)(struct shared_world *world));

/* Opens one of the directory and serves it. 0, or -1 with one line in error. One thread at a time, as all of these. */
int shared_serve(struct shared *shared, const char *name, char *error, size_t error_bytes);

/*
 * Takes one off, if there is one: nobody finds it from here on, its writes end, and its file is renamed (shared_rename_aside). Who has it
 * may still read its log. 0, or -1 with one line in error.
 */
int shared_set_aside(struct shared *shared, const char *name, char *error, size_t error_bytes);

/* What who asks for a name is told that has no world now; NULL takes that back. "": any name, while nobody knows which worlds there are. */
void shared_say_away(struct shared *shared, const char *name, const char *why);
const char *shared_away(const struct shared *shared, const char *name,
                        size_t bytes); /* borrowed, or NULL; any thread */

/* A rectangle of the ground in parts of a sample of level 0 (TERRANE_EDIT_PARTS), edges included. */
struct shared_box {
    int64_t x0, y0, x1, y1;
};

/* Where an operation moves ground; of one that undoes, of that number or to come (0), where the other did, and what read its ground. */
struct shared_box shared_box_of(const struct shared_world *world, const struct edit_entry *entry,
                                uint64_t number);
bool shared_box_touches(const struct shared_box *a, const struct shared_box *b);
bool shared_box_holds(const struct shared_box *outer, const struct shared_box *inner);

enum shared_outcome {
    SHARED_WRITTEN,
    SHARED_NEW,      /* it only asked: its tokens are not there */
    SHARED_KNOWN,    /* all tokens were there already: first and last are what they got */
    SHARED_CONFLICT, /* some tokens are there already, or not in this order */
    SHARED_CHANGED,  /* the world has another number of operations than it was to have: first is that */
    SHARED_UNDONE,   /* what is to be undone is not there, or undone already */
    SHARED_SETTLED,  /* it is before the horizon */
    SHARED_FULL,     /* the world's quota, or the disk's room, is spent */
    SHARED_FAILED,   /* the disk fails, or memory is short: nothing was written */
    SHARED_UNKNOWN,  /* the disk failed at the end: all of it may be there, or nothing, as tokens will tell */
    SHARED_DIFFERS,  /* of a copy: the chain is another one than it is to be; nothing was written */
    SHARED_STOPPED   /* the server is stopping: nothing was written */
};

/*
 * A batch to write: the caller's until done is called, once, from the writer's thread, or from this one. All of it is written, or
 * nothing.
 */
struct shared_write {
    struct shared_edit *edit;
    size_t count;
    void (*done)(struct shared_write *write);
    bool asks;    /* whether its tokens are there already, and is not written */
    bool expects; /* that the world has so many operations before it */
    uint64_t expected;
    uint64_t horizon; /* of how many operations the last may be undone; 0: of all */
    const unsigned char *
        chain; /* of a copy: that behind its last operation; numbers and times are there, too. NULL: it is new */
    enum shared_outcome outcome;
    uint64_t first, last;
    struct shared_write *next; /* the writer's */
};
void shared_submit(struct shared_world *world, struct shared_write *write);

/* Puts what the file has beyond the log in memory there, and counts it (quota, or NULL); the writer's. false, with one line in error: there it ended. */
bool shared_world_fill(struct shared_world *world, struct shared_quota *quota, char *error,
                       size_t error_bytes);

/* ---- What the holders of keys may write (shared_quota.c): any thread ---------------------------------------- */

struct shared_quota *shared_quota(const struct shared *shared); /* borrowed */
struct shared_quota *shared_quota_create(void);                 /* NULL: memory is short */
void shared_quota_free(struct shared_quota *quota);             /* NULL is fine */

/* Operations that one may write; 0: no limit. */
struct shared_limit {
    unsigned per_second, per_day;
};

enum shared_over { SHARED_OVER_NOTHING, SHARED_OVER_SECOND, SHARED_OVER_DAY, SHARED_OVER_MEMORY };

/*
 * Takes so many operations of a holder's: of the day there have to be as many, in UTC; of the second there has to be one, and the others
 * are owed. wait_s: until there are. What is not written in the end is given back.
 */
enum shared_over shared_quota_take(struct shared_quota *quota, const char *by,
                                   const struct shared_limit *limit, size_t count, int64_t now_ms,
                                   unsigned *wait_s);
void shared_quota_give_back(struct shared_quota *quota, const char *by, const struct shared_limit *limit,
                            size_t count, int64_t now_ms);

/* Counts what a log has; false: memory is short. */
bool shared_quota_note(struct shared_quota *quota, const struct shared_edit *edit, int64_t now_ms);

int64_t shared_now_ms(void); /* since the epoch */

struct shared_writer *shared_writer_start(struct shared_world *world); /* NULL: no thread is to be had */
void shared_writer_quiesce(struct shared_writer *writer);              /* shared_quiesce of one */
void shared_writer_stop(struct shared_writer *writer);                 /* and frees; NULL is fine */

#endif
