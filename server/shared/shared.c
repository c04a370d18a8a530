/*
 * The shared worlds of a directory.
 */
#include "shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include "../base/file_text.h"
#include "../base/little_endian.h"
#include "../recipe/recipe_json.h"

static const char ending[] = ".world";

struct shared {
    char *dir;
    int lock; /* a file that is held */
    struct shared_quota *quota;
    struct shared_world *world[SHARED_WORLDS_MAX]; /* owned, in the order of names */
    size_t count;
};

struct shared_quota *shared_quota(const struct shared *shared)
{
    return shared->quota;
}

const char *shared_dir(const struct shared *shared)
{
    return shared->dir;
}

struct shared_world *shared_find(const struct shared *shared, const char *name, size_t bytes)
{
    size_t low = 0, high = shared ? shared->count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        struct shared_world *world = shared->world[middle];
        const int order = strncmp(world->name, name, bytes);
        if (order == 0 && world->name[bytes] == 0)
            return world;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct shared_world *shared_at(const struct shared *shared, size_t k)
{
    return shared && k < shared->count ? shared->world[k] : NULL;
}

/* ---- Boxes ----------------------------------------------------------------------------------------------- */

struct shared_box shared_box_of(const struct shared_world *world, const struct edit_entry *entry)
{
    struct edit_entry undone;
    const bool found = entry->undoes && edit_log_entry(world->log, entry->undoes, &undone);
    const struct terrane_edit *edit = found ? &undone.edit : &entry->edit;
    return (struct shared_box){edit->x - edit->outer, edit->y - edit->outer, edit->x + edit->outer,
                               edit->y + edit->outer};
}

bool shared_box_holds(const struct shared_box *outer, const struct shared_box *inner)
{
    return outer->x0 <= inner->x0 && outer->x1 >= inner->x1 && outer->y0 <= inner->y0 &&
           outer->y1 >= inner->y1;
}

bool shared_box_touches(const struct shared_box *a, const struct shared_box *b)
{
    return a->x0 <= b->x1 && a->x1 >= b->x0 && a->y0 <= b->y1 && a->y1 >= b->y0;
}

/* ---- One world ------------------------------------------------------------------------------------------- */

static void world_close(struct shared_world *world)
{
    if (!world)
        return;
    shared_writer_stop(world->writer);
    if (world->feed)
        world->feed->free(world->feed);
    shared_store_close(world->store);
    edit_log_free(world->log);
    free(world);
}

/* Rows on their way into memory, by batches. */
struct filling {
    struct shared_world *world;
    struct edit_entry entry[SHARED_BATCH_MAX];
    size_t count;
    struct shared_quota *quota; /* that counts it, too; or NULL */
    int64_t now_ms;
    struct terrane_edit_fault fault;
    bool refused, short_of_memory;
};

/* What is not a stroke's: who, a token, and what a mark says. */
static bool words_are_good(const struct shared_edit *edit)
{
    const bool mark = edit->entry.edit.brush == TERRANE_BRUSH_MARK && edit->entry.undoes == 0;
    json_t *note = *edit->note && mark ? json_loads(edit->note, 0, NULL) : NULL;
    const bool good = !*edit->note || json_is_object(note);
    json_decref(note);
    return good && text_name(edit->by) && (!*edit->token || shared_is_token(edit->token));
}

/* As it is where another one is undone. */
static bool is_bare(const struct terrane_edit *edit)
{
    return edit->brush == 0 && edit->x == 0 && edit->y == 0 && edit->inner == 0 && edit->outer == 0 &&
           edit->strength == 0 && edit->height == 0 && edit->term == 0;
}

static bool flush(struct filling *filling)
{
    filling->short_of_memory = edit_log_append(filling->world->log, filling->entry, filling->count) != 0;
    filling->count = 0;
    return !filling->short_of_memory;
}

/* Whether a row is an operation of this world. */
static bool fill(void *context, const struct shared_edit *edit)
{
    struct filling *filling = context;
    struct shared_world *world = filling->world;
    const struct edit_entry *entry = &edit->entry;
    if ((entry->undoes || filling->count == SHARED_BATCH_MAX) && !flush(filling))
        return false;
    if (!words_are_good(edit))
        filling->refused = true;
    else if (entry->undoes)
        filling->refused = !is_bare(&entry->edit) || !edit_log_undoable(world->log, entry->undoes);
    else
        filling->refused = terrane_edit_check(&world->recipe.world, &entry->edit, &filling->fault) != 0;
    if (!filling->refused) {
        filling->entry[filling->count++] = *entry;
        filling->short_of_memory =
            filling->quota && !shared_quota_note(filling->quota, edit, filling->now_ms);
    }
    return !filling->refused && !filling->short_of_memory;
}

bool shared_world_fill(struct shared_world *world, struct shared_quota *quota, char *error,
                       size_t error_bytes)
{
    struct filling filling = {.world = world, .quota = quota, .now_ms = shared_now_ms()};
    const uint64_t count = edit_log_count(world->log);
    if (shared_store_read(world->store, count, SHARED_ALL, fill, &filling, error, error_bytes) < 0)
        return false;
    if (!filling.short_of_memory && !flush(&filling))
        filling.refused = false;
    if (filling.refused)
        text_print(error, error_bytes, "%s: operation %llu is none of this world's", world->name,
                   (unsigned long long)edit_log_count(world->log) + 1);
    else if (filling.short_of_memory)
        text_print(error, error_bytes, "%s: out of memory", world->name);
    return !filling.refused && !filling.short_of_memory;
}

/* What names its tiles: its world's digest, and its name, since what JSON says of it is not what it says of the seed. */
static void name_tiles(struct shared_world *world)
{
    struct terrane_world plain;
    unsigned char text[sizeof plain.digest.byte + TEXT_NAME_BYTES];
    const int k = world->recipe.world.generator - TERRANE_GENERATOR_OLDEST;
    terrane_world_init(&plain, &world->recipe.world, world->seed);
    memcpy(text, plain.digest.byte, sizeof plain.digest.byte);
    memcpy(text + sizeof plain.digest.byte, world->name, strlen(world->name));
    const XXH128_hash_t hash = XXH3_128bits(text, sizeof plain.digest.byte + strlen(world->name));
    put_le(put_le(world->alias.under[k].digest.byte, hash.low64, 8), hash.high64, 8);
    world->alias.under[k].ids = world->seed;
    world->alias.name = world->name;
}

static bool read_recipe(struct shared_world *world, char *error, size_t error_bytes)
{
    const struct shared_seed *seed = shared_store_seed(world->store);
    char why[RECIPE_ERROR_BYTES];
    world->seed = seed->seed;
    if (recipe_parse(&world->recipe, seed->text, seed->bytes, world->name, why, sizeof why) != 0) {
        text_print(error, error_bytes, "%s", why);
        return false;
    }
    if (world->recipe.world.generator != seed->generator) {
        text_print(error, error_bytes,
                   "%s: the world is of generator %d, which this program does not have: `terrane --version` "
                   "tells those",
                   world->name, seed->generator);
        return false;
    }
    return true;
}

/* All of a world but its writer. quota: NULL, or what keys have written today is noted there. */
static struct shared_world *world_read(const char *dir, struct shared_quota *quota, const char *name,
                                       size_t bytes, bool write, char *error, size_t error_bytes)
{
    struct shared_world *world = calloc(1, sizeof *world);
    if (!world || bytes >= sizeof world->name) {
        text_print(error, error_bytes, world ? "a world's name is too long" : "out of memory");
        free(world);
        return NULL;
    }
    memcpy(world->name, name, bytes);
    world->store = shared_store_open(dir, world->name, write, error, error_bytes);
    if (world->store)
        snprintf(world->epoch, sizeof world->epoch, "%s", shared_store_epoch(world->store));
    if (world->store && read_recipe(world, error, error_bytes)) {
        name_tiles(world);
        world->log = edit_log_create();
        if (!world->log)
            text_print(error, error_bytes, "out of memory");
        else if (shared_world_fill(world, quota, error, error_bytes))
            return world;
    }
    world_close(world);
    return NULL;
}

static struct shared_world *world_open(const char *dir, struct shared_quota *quota, const char *name,
                                       size_t bytes, char *error, size_t error_bytes)
{
    struct shared_world *world = world_read(dir, quota, name, bytes, true, error, error_bytes);
    if (world)
        world->writer = shared_writer_start(world);
    if (!world || world->writer)
        return world;
    text_print(error, error_bytes, "%s: no thread is to be had", world->name);
    world_close(world);
    return NULL;
}

int64_t shared_check(const char *dir, const char *name, char *error, size_t error_bytes)
{
    struct shared_world *world = world_read(dir, NULL, name, strlen(name), false, error, error_bytes);
    const int64_t count = world ? (int64_t)edit_log_count(world->log) : -1;
    world_close(world);
    return count;
}

/* ---- The directory --------------------------------------------------------------------------------------- */

static bool hold(struct shared *shared, char *error, size_t error_bytes)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/lock", shared->dir);
    shared->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (shared->lock >= 0 && flock(shared->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    text_print(error, error_bytes, "%s: %s", path,
               errno == EWOULDBLOCK ? "another server has these worlds" : strerror(errno));
    return false;
}

/* In the order of names. */
static void put(struct shared *shared, struct shared_world *world)
{
    size_t k = shared->count++;
    for (; k > 0 && strcmp(shared->world[k - 1]->name, world->name) > 0; k--)
        shared->world[k] = shared->world[k - 1];
    shared->world[k] = world;
}

/* false: it could not be opened. */
static bool take(struct shared *shared, const char *file, char *error, size_t error_bytes)
{
    const size_t bytes = strlen(file), tail = sizeof ending - 1;
    if (bytes <= tail || strcmp(file + bytes - tail, ending) != 0)
        return true;
    if (shared->count == SHARED_WORLDS_MAX) {
        text_print(error, error_bytes, "%s: there are over %d worlds", shared->dir, SHARED_WORLDS_MAX);
        return false;
    }
    struct shared_world *world =
        world_open(shared->dir, shared->quota, file, bytes - tail, error, error_bytes);
    if (world)
        put(shared, world);
    return world != NULL;
}

static bool take_all(struct shared *shared, char *error, size_t error_bytes)
{
    DIR *dir = opendir(shared->dir);
    bool good = dir != NULL;
    if (!dir)
        text_print(error, error_bytes, "%s: %s", shared->dir, strerror(errno));
    for (const struct dirent *entry; good && (entry = readdir(dir)) != NULL;)
        good = take(shared, entry->d_name, error, error_bytes);
    if (dir)
        closedir(dir);
    return good;
}

struct shared *shared_open(const char *dir, char *error, size_t error_bytes)
{
    struct shared *shared = calloc(1, sizeof *shared);
    if (shared)
        shared->dir = strdup(dir);
    if (shared)
        shared->quota = shared_quota_create();
    if (!shared || !shared->dir || !shared->quota) {
        if (shared) {
            shared_quota_free(shared->quota);
            free(shared->dir);
        }
        free(shared);
        text_print(error, error_bytes, "worlds.shared_dir: out of memory");
        return NULL;
    }
    shared->lock = -1;
    char why[SHARED_ERROR_BYTES];
    if (directories_make(shared->dir) != 0)
        text_print(why, sizeof why, "%s: %s", dir, strerror(errno));
    else if (hold(shared, why, sizeof why) && take_all(shared, why, sizeof why))
        return shared;
    text_print(error, error_bytes, "worlds.shared_dir: %s", why);
    shared_close(shared);
    return NULL;
}

void shared_quiesce(struct shared *shared)
{
    for (size_t k = 0; shared && k < shared->count; k++)
        shared_writer_quiesce(shared->world[k]->writer);
}

void shared_close(struct shared *shared)
{
    if (!shared)
        return;
    for (size_t k = 0; k < shared->count; k++)
        world_close(shared->world[k]);
    if (shared->lock >= 0)
        close(shared->lock);
    shared_quota_free(shared->quota);
    free(shared->dir);
    free(shared);
}
