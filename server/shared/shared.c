/*
 * The shared worlds of a directory.
 */
#include "shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
    int lock;                                       /* a file that is held */
    struct shared_world *world[SHARED_WORLDS_MOST]; /* owned, in the order of names */
    size_t count;
};

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

/* ---- One world ------------------------------------------------------------------------------------------- */

static void world_close(struct shared_world *world)
{
    if (!world)
        return;
    shared_writer_stop(world->writer);
    shared_store_close(world->store);
    edit_log_free(world->log);
    free(world);
}

/* Rows on their way into memory, by batches. */
struct filling {
    struct shared_world *world;
    struct edit_entry entry[SHARED_BATCH_MOST];
    size_t count;
    struct terrane_edit_fault fault;
    bool refused, short_of_memory;
};

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
    if ((entry->undoes || filling->count == SHARED_BATCH_MOST) && !flush(filling))
        return false;
    if (entry->undoes)
        filling->refused = !edit_log_undoable(world->log, entry->undoes);
    else
        filling->refused = terrane_edit_check(&world->recipe.world, &entry->edit, &filling->fault) != 0;
    if (!filling->refused)
        filling->entry[filling->count++] = *entry;
    return !filling->refused;
}

static bool read_log(struct shared_world *world, char *error, size_t error_bytes)
{
    struct filling filling = {.world = world};
    if (shared_store_read(world->store, 0, SHARED_ALL, fill, &filling, error, error_bytes) < 0)
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

static struct shared_world *world_open(const char *dir, const char *name, size_t bytes, char *error,
                                       size_t error_bytes)
{
    struct shared_world *world = calloc(1, sizeof *world);
    if (!world || bytes >= sizeof world->name) {
        text_print(error, error_bytes, world ? "a world's name is too long" : "out of memory");
        free(world);
        return NULL;
    }
    memcpy(world->name, name, bytes);
    world->store = shared_store_open(dir, world->name, true, error, error_bytes);
    if (world->store && read_recipe(world, error, error_bytes)) {
        name_tiles(world);
        world->log = edit_log_create();
        if (!world->log)
            text_print(error, error_bytes, "out of memory");
        else if (read_log(world, error, error_bytes)) {
            world->writer = shared_writer_start(world);
            if (world->writer)
                return world;
            text_print(error, error_bytes, "%s: no thread is to be had", world->name);
        }
    }
    world_close(world);
    return NULL;
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
    if (shared->count == SHARED_WORLDS_MOST) {
        text_print(error, error_bytes, "%s: there are over %d worlds", shared->dir, SHARED_WORLDS_MOST);
        return false;
    }
    struct shared_world *world = world_open(shared->dir, file, bytes - tail, error, error_bytes);
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
    if (!shared || !shared->dir) {
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

void shared_close(struct shared *shared)
{
    if (!shared)
        return;
    for (size_t k = 0; k < shared->count; k++)
        world_close(shared->world[k]);
    if (shared->lock >= 0)
        close(shared->lock);
    free(shared->dir);
    free(shared);
}
