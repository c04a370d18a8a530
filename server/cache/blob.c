/*
 * Blobs: counted references over an immutable payload.
 *
 *  (1) Whoever has a pointer to a blob has a reference or a keep, or borrows one from somebody who waits.
 *  (2) Everything but the counts and the views is written before the blob is shared, and never again.
 *  (3) A view goes from NULL to a value at most once, and is freed with the last reference.
 *  (4) Payload and struct are freed with the last keep; the references own one together.
 *
 * Taking a reference orders nothing: the taker already has one. Dropping one is a release, and the last drop
 * an acquire of all the others, so that whatever other threads did with the blob is done before it is freed.
 */
#include "blob.h"

#include <limits.h>
#include <stdlib.h>

#include "../base/check.h"

static void (*blob_view_free)(void *view);

void blob_set_view_free(void (*view_free)(void *view))
{
    blob_view_free = view_free;
}

struct blob *blob_create(const struct digest *key, const struct blob_info *info, unsigned char *data,
                         size_t bytes)
{
    struct blob *const blob = malloc(sizeof *blob);

    CHECK(data != NULL);
    if (!blob) {
        free(data);
        return NULL;
    }
    blob->key = *key;
    blob->info = *info;
    blob->world = 0;
    blob->bytes = bytes;
    blob->data = data;
    atomic_init(&blob->references, 1);
    atomic_init(&blob->keeps, 1);
    atomic_init(&blob->prefetched, false);
    for (int i = 0; i < BLOB_VIEWS; i++)
        atomic_init(&blob->view[i], NULL);
    return blob;
}

/* Adds one to a count that is not 0. */
static void count_up(atomic_uint *count)
{
    const unsigned before = atomic_fetch_add_explicit(count, 1, memory_order_relaxed);

    CHECK(before > 0 && before < UINT_MAX);
}

/* Takes one from a count; true if that was the last. */
static bool count_down(atomic_uint *count)
{
    const unsigned before = atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel);

    CHECK(before > 0);
    return before == 1;
}

struct blob *blob_hold(struct blob *blob)
{
    count_up(&blob->references);
    return blob;
}

void blob_release(struct blob *blob)
{
    if (!blob || !count_down(&blob->references))
        return;
    for (int i = 0; i < BLOB_VIEWS; i++) {
        void *const view = atomic_load_explicit(&blob->view[i], memory_order_relaxed);

        if (view) {
            CHECK(blob_view_free != NULL);
            blob_view_free(view);
        }
    }
    blob_unkeep(blob);
}

void blob_keep(struct blob *blob)
{
    count_up(&blob->keeps);
}

void blob_unkeep(struct blob *blob)
{
    if (!count_down(&blob->keeps))
        return;
    free(blob->data);
    free(blob);
}
