#include "edit_states.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "edit_shelf.h"

enum {
    STATES = 512,            /* of a world */
    STATES_BYTES = 16 << 20, /* likewise */
    ALL_BYTES = 128 << 20,   /* of all worlds, but that each may have ... */
    MIN_BYTES = 1 << 20,     /* ... so many */
    COMPRESSION = 1
};

static atomic_size_t all_bytes;

struct kept {
    struct terrane_window window;
    unsigned kind;
    uint64_t used; /* 0: free */
    struct edit_state state;
    size_t packed_bytes; /* of state.packed, which is compressed here */
};

struct edit_states {
    pthread_mutex_t lock;
    uint64_t clock;
    size_t bytes;
    struct edit_shelf *shelf; /* borrowed; NULL: none */
    struct kept kept[STATES];
};

void edit_states_shelve(struct edit_states *states, struct edit_shelf *shelf)
{
    edit_shelf_open(shelf);
    states->shelf = shelf;
}

struct edit_states *edit_states_create(void)
{
    struct edit_states *states = calloc(1, sizeof *states);
    if (states)
        pthread_mutex_init(&states->lock, NULL);
    return states;
}

void edit_states_free(struct edit_states *states)
{
    if (!states)
        return;
    for (struct kept *kept = states->kept; kept < states->kept + STATES; kept++)
        free(kept->state.packed);
    atomic_fetch_sub(&all_bytes, states->bytes);
    pthread_mutex_destroy(&states->lock);
    free(states);
}

static bool same(const struct kept *kept, const struct terrane_window *window, unsigned kind)
{
    return kept->used != 0 && kept->kind == kind && edit_same_window(&kept->window, window);
}

static struct kept *find(struct edit_states *states, const struct terrane_window *window, unsigned kind)
{
    for (struct kept *kept = states->kept; kept < states->kept + STATES; kept++)
        if (same(kept, window, kind))
            return kept;
    return NULL;
}

static void drop(struct edit_states *states, struct kept *kept)
{
    states->bytes -= kept->packed_bytes;
    atomic_fetch_sub(&all_bytes, kept->packed_bytes);
    free(kept->state.packed);
    *kept = (struct kept){.used = 0};
}

/* Of one that is in memory. */
static bool get_kept(struct edit_states *states, const struct terrane_window *window, unsigned kind,
                     uint64_t at, struct edit_state *state)
{
    unsigned char *packed = NULL;
    pthread_mutex_lock(&states->lock);
    struct kept *kept = find(states, window, kind);
    if (kept && kept->state.seen <= at) {
        *state = kept->state;
        kept->used = ++states->clock;
        packed = malloc(state->bytes);
        if (packed &&
            ZSTD_decompress(packed, state->bytes, kept->state.packed, kept->packed_bytes) != state->bytes) {
            free(packed);
            packed = NULL;
        }
        state->packed = packed;
    }
    pthread_mutex_unlock(&states->lock);
    return packed != NULL;
}

/* Whether so many more bytes would be too many. */
static bool is_full(const struct edit_states *states, size_t bytes)
{
    const size_t own = states->bytes + bytes;
    return own > STATES_BYTES || (own > MIN_BYTES && atomic_load(&all_bytes) + bytes > ALL_BYTES);
}

/* A free place, for so many bytes: the states that were not used for longest make room. NULL: other worlds have it. */
static struct kept *make_room(struct edit_states *states, size_t bytes)
{
    for (;;) {
        struct kept *oldest = states->kept, *empty = NULL;
        for (struct kept *kept = states->kept; kept < states->kept + STATES; kept++) {
            if (kept->used == 0)
                empty = kept;
            else if (oldest->used == 0 || kept->used < oldest->used)
                oldest = kept;
        }
        if (empty && !is_full(states, bytes))
            return empty;
        if (states->bytes == 0)
            return NULL;
        drop(states, oldest);
    }
}

/* Compressed; NULL: memory is short, or it is too large to be kept. */
static unsigned char *compressed(const struct edit_state *state, size_t *bytes)
{
    const size_t room = ZSTD_compressBound(state->bytes);
    unsigned char *wide = malloc(room), *packed = NULL;
    *bytes = wide ? ZSTD_compress(wide, room, state->packed, state->bytes, COMPRESSION) : 0;
    if (wide && !ZSTD_isError(*bytes) && *bytes <= STATES_BYTES / 4)
        packed = malloc(*bytes);
    if (packed)
        memcpy(packed, wide, *bytes);
    free(wide);
    return packed;
}

/* Takes the bytes, of a state that is compressed. */
static void keep(struct edit_states *states, const struct terrane_window *window, unsigned kind,
                 const struct edit_state *state, unsigned char *packed, size_t bytes)
{
    pthread_mutex_lock(&states->lock);
    struct kept *kept = find(states, window, kind);
    if (!kept || kept->state.seen <= state->seen) {
        if (kept)
            drop(states, kept);
        kept = make_room(states, bytes);
        if (kept) {
            *kept = (struct kept){*window, kind, ++states->clock, *state, bytes};
            kept->state.packed = packed;
            states->bytes += bytes;
            atomic_fetch_add(&all_bytes, bytes);
            packed = NULL;
        }
    }
    pthread_mutex_unlock(&states->lock);
    free(packed);
}

bool edit_states_get(struct edit_states *states, const struct terrane_window *window, unsigned kind,
                     uint64_t at, struct edit_state *state)
{
    size_t bytes;
    if (get_kept(states, window, kind, at, state))
        return true;
    unsigned char *packed =
        states->shelf ? edit_shelf_get(states->shelf, window, kind, at, state, &bytes) : NULL;
    if (!packed)
        return false;
    keep(states, window, kind, state, packed, bytes);
    return get_kept(states, window, kind, at, state);
}

void edit_states_put(struct edit_states *states, const struct terrane_window *window, unsigned kind,
                     const struct edit_state *state)
{
    size_t bytes;
    unsigned char *packed = compressed(state, &bytes);
    if (packed && states->shelf)
        edit_shelf_put(states->shelf, window, kind, state, packed, bytes);
    if (packed)
        keep(states, window, kind, state, packed, bytes);
}
