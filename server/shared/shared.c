/*
 * One shared world: its file, read into memory.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../base/little_endian.h"
#include "../recipe/recipe_json.h"
#include "shared_parts.h"

/* ---- Boxes ----------------------------------------------------------------------------------------------- */

struct shared_box shared_box_of(const struct shared_world *world, const struct edit_entry *entry,
                                uint64_t number)
{
    const struct terrane_edit_box box =
        entry->undoes ? edit_log_moved(world->log, entry->undoes, number ? number - 1 : UINT64_MAX)
                      : terrane_edit_parts(&entry->edit);
    return (struct shared_box){box.west, box.north, box.east, box.south};
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

void shared_world_close(struct shared_world *world)
{
    if (!world)
        return;
    shared_writer_stop(world->writer);
    if (world->feed)
        world->feed->free(world->feed);
    shared_store_close(world->store);
    edit_log_free(world->log);
    free((void *)(uintptr_t)world->shelf.dir);
    free(world->dir);
    free(world);
}

/* Rows on their way into memory, by batches. */
struct filling {
    struct shared_world *world;
    struct edit_entry entry[SHARED_BATCH_MAX];
    size_t count;
    struct shared_quota *quota; /* that counts it, too; or NULL */
    int64_t now_ms;
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
           edit->strength == 0 && edit->height == 0 && edit->term == 0 && edit->points == 0;
}

bool shared_world_takes(const struct shared_world *world, const struct shared_edit *edit)
{
    const struct edit_entry *entry = &edit->entry;
    struct terrane_edit_fault fault;
    const int64_t end_ms = INT64_C(253402300800000); /* of years with four digits */
    return words_are_good(edit) && edit->at_ms >= 0 && edit->at_ms < end_ms &&
           (entry->undoes ? is_bare(&entry->edit)
                          : terrane_edit_check(&world->recipe.world, &entry->edit, &fault) == 0);
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
    filling->refused =
        !shared_world_takes(world, edit) || (entry->undoes && !edit_log_undoable(world->log, entry->undoes));
    if (!filling->refused) {
        filling->entry[filling->count++] = *entry;
        filling->short_of_memory =
            filling->quota && !shared_quota_note(filling->quota, edit, filling->now_ms);
    }
    if (!filling->refused && !filling->short_of_memory && entry->edit.points > 0)
        return flush(filling); /* its line is there no longer */
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
    world->alias.epoch = world->epoch;
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
    shared_world_close(world);
    return NULL;
}

/* From a file of its own: any thread. */
static bool chain_of(void *context, uint64_t number, unsigned char chain[static EDIT_CHAIN_BYTES])
{
    const struct shared_world *world = context;
    char error[SHARED_ERROR_BYTES];
    _Static_assert((int)EDIT_CHAIN_BYTES == (int)SHARED_CHAIN_BYTES, "one is the other");
    struct shared_store *store = shared_store_open(world->dir, world->name, false, error, sizeof error);
    const bool good = store && strcmp(shared_store_epoch(store), world->epoch) == 0 &&
                      shared_store_chain_at(store, number, chain);
    shared_store_close(store);
    return good;
}

/* Has its states kept in NAME.states, beside its file. Where memory is short they are not. */
static void shelve(struct shared_world *world, const char *dir)
{
    const size_t room = strlen(dir) + sizeof world->name + 16;
    char *states = malloc(room);
    world->dir = strdup(dir);
    if (states)
        snprintf(states, room, "%s/%s.states", dir, world->name);
    world->shelf =
        (struct edit_shelf){.dir = states, .epoch = world->epoch, .chain = chain_of, .context = world};
    if (states && world->dir)
        edit_states_shelve(edit_log_states(world->log), &world->shelf);
}

struct shared_world *shared_world_open(const char *dir, struct shared_quota *quota, const char *name,
                                       size_t bytes, char *error, size_t error_bytes)
{
    struct shared_world *world = world_read(dir, quota, name, bytes, true, error, error_bytes);
    if (world) {
        shelve(world, dir);
        world->writer = shared_writer_start(world);
    }
    if (!world || world->writer)
        return world;
    text_print(error, error_bytes, "%s: no thread is to be had", world->name);
    shared_world_close(world);
    return NULL;
}

int64_t shared_check(const char *dir, const char *name, char *error, size_t error_bytes)
{
    struct shared_world *world = world_read(dir, NULL, name, strlen(name), false, error, error_bytes);
    const int64_t count = world ? (int64_t)edit_log_count(world->log) : -1;
    shared_world_close(world);
    return count;
}
