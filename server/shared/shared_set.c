/*
 * The shared worlds of a directory.
 *
 * Who looks one up takes no lock: what is there is a table that never changes. Where a world comes or goes another table takes its place;
 * tables and worlds of before stay until the end, since requests may have them. CHANGES_MAX bounds them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../base/file_text.h"
#include "shared_parts.h"

static const char ending[] = ".world";

enum { CHANGES_MAX = 4096, PATH_BYTES = 4200, ASIDE_BYTES = PATH_BYTES + 64, BESIDE_BYTES = ASIDE_BYTES + 8 };

/* Names without a world, each with what is said of it. */
struct away {
    char name[TEXT_NAME_BYTES + 1];
    char why[200];
};

struct table {
    struct table *older;
    struct shared_world *ended; /* owned: the one that went when this table came */
    size_t count, away_count;
    struct shared_world *world[SHARED_WORLDS_MAX]; /* in the order of names */
    struct away *away;                             /* owned */
};

struct shared {
    char *dir;
    int lock; /* a file that is held */
    struct shared_quota *quota;
    _Atomic(struct table *) table; /* owned, with those before it */
    size_t changes;
    struct shared_feed *(*make_feed)(struct shared_world *world);
    pthread_mutex_t change; /* over all but the table that is read */
};

struct shared_quota *shared_quota(const struct shared *shared)
{
    return shared->quota;
}

const char *shared_dir(const struct shared *shared)
{
    return shared->dir;
}

/* ---- Looking up ------------------------------------------------------------------------------------------ */

static const struct table *table_of(const struct shared *shared)
{
    return atomic_load_explicit(&shared->table, memory_order_acquire);
}

/* Where a name is among the worlds, or would be; true: it is there. */
static bool place_of(const struct table *table, const char *name, size_t bytes, size_t *place)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct shared_world *world = table->world[middle];
        const int order = strncmp(world->name, name, bytes);
        *place = middle;
        if (order == 0 && world->name[bytes] == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *place = low;
    return false;
}

struct shared_world *shared_find(const struct shared *shared, const char *name, size_t bytes)
{
    const struct table *table = shared ? table_of(shared) : NULL;
    size_t place;
    return table && place_of(table, name, bytes, &place) ? table->world[place] : NULL;
}

struct shared_world *shared_at(const struct shared *shared, size_t k)
{
    const struct table *table = shared ? table_of(shared) : NULL;
    return table && k < table->count ? table->world[k] : NULL;
}

const char *shared_away(const struct shared *shared, const char *name, size_t bytes)
{
    const struct table *table = shared ? table_of(shared) : NULL;
    for (size_t k = 0; table && k < table->away_count; k++)
        if (!*table->away[k].name ||
            (strncmp(table->away[k].name, name, bytes) == 0 && table->away[k].name[bytes] == 0))
            return table->away[k].why;
    return NULL;
}

struct shared_store *shared_world_file(const struct shared *shared, const struct shared_world *world,
                                       char *error, size_t error_bytes)
{
    struct shared_store *store = shared_store_open(shared->dir, world->name, false, error, error_bytes);
    if (!store || strcmp(shared_store_epoch(store), world->epoch) == 0)
        return store;
    text_print(error, error_bytes, "%s: it was made anew just now", world->name);
    shared_store_close(store);
    return NULL;
}

/* ---- Changing -------------------------------------------------------------------------------------------- */

/* A copy of the table, with room for one name more that is away; NULL: memory is short, or there were too many changes. */
static struct table *table_copy(struct shared *shared)
{
    struct table *old = atomic_load(&shared->table);
    struct table *fresh = shared->changes < CHANGES_MAX ? calloc(1, sizeof *fresh) : NULL;
    if (!fresh)
        return NULL;
    if (old)
        *fresh = *old;
    fresh->ended = NULL;
    fresh->away = calloc(fresh->away_count + 1, sizeof *fresh->away);
    if (!fresh->away) {
        free(fresh);
        return NULL;
    }
    if (fresh->away_count)
        memcpy(fresh->away, old->away, fresh->away_count * sizeof *fresh->away);
    fresh->older = old;
    shared->changes++;
    return fresh;
}

static void table_use(struct shared *shared, struct table *fresh)
{
    atomic_store_explicit(&shared->table, fresh, memory_order_release);
}

static void table_forget_away(struct table *table, const char *name)
{
    for (size_t k = 0; k < table->away_count; k++)
        if (strcmp(table->away[k].name, name) == 0) {
            table->away[k] = table->away[--table->away_count];
            return;
        }
}

/* Takes the world. false: it has no feed, or there is no room for it; then it is not taken. */
static bool put(struct shared *shared, struct shared_world *world)
{
    size_t place;
    if (shared->make_feed && !world->feed)
        world->feed = shared->make_feed(world);
    struct table *fresh = !shared->make_feed || world->feed ? table_copy(shared) : NULL;
    if (!fresh)
        return false;
    place_of(fresh, world->name, strlen(world->name), &place);
    for (size_t k = fresh->count++; k > place; k--)
        fresh->world[k] = fresh->world[k - 1];
    fresh->world[place] = world;
    table_forget_away(fresh, world->name);
    table_use(shared, fresh);
    return true;
}

/* By a name of so many bytes, which is no world's yet. */
static bool take(struct shared *shared, const char *name, size_t bytes, char *error, size_t error_bytes)
{
    const struct table *table = table_of(shared);
    if (table && table->count == SHARED_WORLDS_MAX) {
        text_print(error, error_bytes, "%s: there are over %d worlds", shared->dir, SHARED_WORLDS_MAX);
        return false;
    }
    struct shared_world *world =
        shared_world_open(shared->dir, shared->quota, name, bytes, error, error_bytes);
    if (!world || put(shared, world))
        return world != NULL;
    shared_world_close(world);
    text_print(error, error_bytes, "%.*s: out of memory", (int)bytes, name);
    return false;
}

int shared_serve(struct shared *shared, const char *name, char *error, size_t error_bytes)
{
    pthread_mutex_lock(&shared->change);
    const bool taken = take(shared, name, strlen(name), error, error_bytes);
    pthread_mutex_unlock(&shared->change);
    return taken ? 0 : -1;
}

bool shared_feed_by(struct shared *shared, struct shared_feed *(*make)(struct shared_world *world))
{
    struct shared_world *world;
    bool good = true;
    pthread_mutex_lock(&shared->change);
    shared->make_feed = make;
    for (size_t k = 0; good && (world = shared_at(shared, k)) != NULL; k++) {
        if (!world->feed)
            world->feed = make(world);
        good = world->feed != NULL;
    }
    pthread_mutex_unlock(&shared->change);
    return good;
}

/* Renames a file, and what SQLite has beside it, if anything. false: errno says why. */
static bool rename_all(const char *from, const char *to)
{
    static const char *const more[] = {"-wal", "-shm"};
    char a[BESIDE_BYTES], b[BESIDE_BYTES];
    if (rename(from, to) != 0)
        return false;
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        snprintf(a, sizeof a, "%s%s", from, more[k]);
        snprintf(b, sizeof b, "%s%s", to, more[k]);
        if (rename(a, b) != 0 && errno != ENOENT)
            return false;
    }
    return true;
}

static int put_aside(const char *dir, const char *name, const char *epoch, bool stays, char *error,
                     size_t error_bytes)
{
    char from[PATH_BYTES], to[ASIDE_BYTES];
    snprintf(from, sizeof from, "%s/%s%s", dir, name, ending);
    snprintf(to, sizeof to, "%s.aside-%.16s-%" PRId64, from, epoch, shared_now_ms());
    /* Who reads it may have left what is not in the file yet: then all of it goes. Not every file system has links. */
    if ((stays && shared_is_alone(from) && link(from, to) == 0) || rename_all(from, to))
        return 0;
    text_print(error, error_bytes, "%s: %s", from, strerror(errno));
    return -1;
}

int shared_rename_aside(const char *dir, const char *name, const char *epoch, char *error, size_t error_bytes)
{
    return put_aside(dir, name, epoch, false, error, error_bytes);
}

int shared_link_aside(const char *dir, const char *name, const char *epoch, char *error, size_t error_bytes)
{
    return put_aside(dir, name, epoch, true, error, error_bytes);
}

/* Out of the table, its file closed. NULL: there is none, or no room (then an error). */
static struct shared_world *take_off(struct shared *shared, const char *name, char *error, size_t error_bytes)
{
    size_t place;
    *error = 0;
    if (!place_of(table_of(shared), name, strlen(name), &place))
        return NULL;
    struct table *fresh = table_copy(shared);
    if (!fresh) {
        text_print(error, error_bytes, "%s: memory is short, or worlds came and went too often: restart",
                   name);
        return NULL;
    }
    struct shared_world *world = fresh->world[place];
    fresh->count--;
    for (size_t k = place; k < fresh->count; k++)
        fresh->world[k] = fresh->world[k + 1];
    table_use(shared, fresh);
    fresh->ended = world;
    atomic_store(&world->ended, true);
    shared_writer_quiesce(world->writer);
    shared_store_close(world->store);
    world->store = NULL;
    return world;
}

int shared_set_aside(struct shared *shared, const char *name, char *error, size_t error_bytes)
{
    pthread_mutex_lock(&shared->change);
    const struct shared_world *world = take_off(shared, name, error, error_bytes);
    if (world)
        shared_rename_aside(shared->dir, name, world->epoch, error, error_bytes);
    pthread_mutex_unlock(&shared->change);
    return *error ? -1 : 0;
}

void shared_say_away(struct shared *shared, const char *name, const char *why)
{
    pthread_mutex_lock(&shared->change);
    const struct table *table = table_of(shared);
    bool same = !why;
    for (size_t k = 0; k < table->away_count; k++)
        if (strcmp(table->away[k].name, name) == 0)
            same = why && strcmp(table->away[k].why, why) == 0;
    struct table *fresh = same ? NULL : table_copy(shared);
    if (fresh) {
        table_forget_away(fresh, name);
        if (why) {
            struct away *away = &fresh->away[fresh->away_count++];
            snprintf(away->name, sizeof away->name, "%s", name);
            text_print(away->why, sizeof away->why, "%s", why);
        }
        table_use(shared, fresh);
    }
    pthread_mutex_unlock(&shared->change);
}

/* ---- The directory --------------------------------------------------------------------------------------- */

int shared_hold(const char *dir, char *error, size_t error_bytes)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/lock", dir);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        return lock;
    text_print(error, error_bytes, "%s: %s", path,
               errno == EWOULDBLOCK ? "another server has these worlds" : strerror(errno));
    if (lock >= 0)
        close(lock);
    return -1;
}

static bool take_all(struct shared *shared, char *error, size_t error_bytes)
{
    DIR *dir = opendir(shared->dir);
    bool good = dir != NULL;
    if (!dir)
        text_print(error, error_bytes, "%s: %s", shared->dir, strerror(errno));
    for (const struct dirent *entry; good && (entry = readdir(dir)) != NULL;) {
        const size_t bytes = strlen(entry->d_name), tail = sizeof ending - 1;
        if (bytes > tail && strcmp(entry->d_name + bytes - tail, ending) == 0)
            good = take(shared, entry->d_name, bytes - tail, error, error_bytes);
    }
    if (dir)
        closedir(dir);
    return good;
}

struct shared *shared_open(const char *dir, char *error, size_t error_bytes)
{
    struct shared *shared = calloc(1, sizeof *shared);
    if (shared) {
        pthread_mutex_init(&shared->change, NULL);
        shared->lock = -1;
        shared->dir = strdup(dir);
        shared->quota = shared_quota_create();
        atomic_store(&shared->table, table_copy(shared));
    }
    if (!shared || !shared->dir || !shared->quota || !table_of(shared)) {
        shared_close(shared);
        text_print(error, error_bytes, "worlds.shared_dir: out of memory");
        return NULL;
    }
    char why[SHARED_ERROR_BYTES];
    if (directories_make(shared->dir, 0700) != 0)
        text_print(why, sizeof why, "%s: %s", dir, strerror(errno));
    else if ((shared->lock = shared_hold(shared->dir, why, sizeof why)) >= 0 &&
             take_all(shared, why, sizeof why))
        return shared;
    text_print(error, error_bytes, "worlds.shared_dir: %s", why);
    shared_close(shared);
    return NULL;
}

void shared_quiesce(struct shared *shared)
{
    struct shared_world *world;
    for (size_t k = 0; (world = shared_at(shared, k)) != NULL; k++)
        shared_writer_quiesce(world->writer);
}

void shared_close(struct shared *shared)
{
    struct shared_world *world;
    if (!shared)
        return;
    for (size_t k = 0; (world = shared_at(shared, k)) != NULL; k++)
        shared_world_close(world);
    for (struct table *table = atomic_load(&shared->table); table;) {
        struct table *older = table->older;
        shared_world_close(table->ended);
        free(table->away);
        free(table);
        table = older;
    }
    if (shared->lock >= 0)
        close(shared->lock);
    shared_quota_free(shared->quota);
    pthread_mutex_destroy(&shared->change);
    free(shared->dir);
    free(shared);
}
