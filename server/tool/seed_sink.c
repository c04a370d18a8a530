/*
 * Sinks.
 *
 * The cache writes behind and promises nothing. Here every tile is held until a flush has ended and the cache
 * says that it has it; a tile that it has not is put again. So nothing is counted that is not there, and a
 * queue that could overflow is never filled.
 */
#include "seed_sink.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/text.h"

enum {
    PENDING_MAX = 256,            /* tiles between two flushes */
    PENDING_BYTES_MAX = 16 << 20, /* and their payload, but for the last */
    QUEUE_BYTES = 64 << 20,       /* of the cache's own queue, whose blobs are those: more than is ever put */
    PUTS_MAX = 4                  /* of one tile, until the cache is given up */
};

#define LOOK_QUOTA (UINT64_C(1) << 46) /* bytes and rows: more than any cache has */

struct seed_sink {
    /* cache */
    struct disk *disk;
    uint64_t quota_bytes, quota_rows;
    struct blob *pending[PENDING_MAX];
    /* shared tier, which counts for itself */
    struct seed_shared *shared;
    /* archive */
    struct mbtiles *tiles;
    const struct seed_facts *facts;
    const char *path;
    bool pmtiles, complete;
    /* all */
    char *place;
    int uncommitted;
    size_t uncommitted_bytes;
    int64_t stored;
    uint64_t stored_bytes;
    char error[SEED_SINK_ERROR_BYTES];
};

/* ---- Folders ------------------------------------------------------------------------------------------- */

/* Whether files can be made in the folder that a path names up to `bytes` of it, or, where that may be missing, in the
 * next one above that is there: 0, or errno. */
static int folder_fault(const char *path, size_t bytes, bool may_be_missing)
{
    char folder[PATH_MAX] = ".";
    struct stat status;
    for (;;) {
        if (bytes >= sizeof folder)
            return ENAMETOOLONG;
        if (bytes > 0) {
            memcpy(folder, path, bytes);
            folder[bytes] = 0;
        } else {
            snprintf(folder, sizeof folder, "%s", *path == '/' ? "/" : ".");
        }
        if (stat(folder, &status) == 0)
            return !S_ISDIR(status.st_mode) ? ENOTDIR : access(folder, W_OK | X_OK) != 0 ? errno : 0;
        if (errno != ENOENT || !may_be_missing || bytes == 0)
            return errno;
        while (bytes > 0 && path[bytes - 1] == '/')
            bytes--;
        while (bytes > 0 && path[bytes - 1] != '/')
            bytes--;
    }
}

/* ---- The cache ----------------------------------------------------------------------------------------- */

struct seed_sink *seed_sink_cache(const struct disk_options *options, char error[SEED_SINK_ERROR_BYTES])
{
    const char *why = "memory is short";
    struct disk_stats stats;
    const int fault = folder_fault(options->dir, strlen(options->dir), true);
    if (fault != 0) { /* the cache itself would go on without a disk */
        text_print(error, SEED_SINK_ERROR_BYTES, "cache directory %.*s: cannot be written: %s",
                   text_cut(options->dir, 300), options->dir, strerror(fault));
        return NULL;
    }
    struct disk_options own = *options;
    own.write_behind_bytes = QUEUE_BYTES;
    struct seed_sink *sink = calloc(1, sizeof *sink);
    if (sink) {
        sink->quota_bytes = options->quota_bytes;
        sink->quota_rows = options->quota_rows;
        sink->place = strdup(options->dir);
        sink->disk = sink->place ? disk_open(&own, &why) : NULL;
    }
    if (sink && sink->disk) {
        disk_stats(sink->disk, &stats);
        if (!stats.degraded)
            return sink;
        why = "cannot be used; the line above says why";
    }
    text_print(error, SEED_SINK_ERROR_BYTES, "cache directory %.*s: %s%s", text_cut(options->dir, 300),
               options->dir, why,
               strstr(why, "another process")
                   ? " (it holds the file \"lock\" there): end it first, or seed another directory"
                   : "");
    seed_sink_close(sink);
    return NULL;
}

/* Without quotas: a look drops nothing. */
int seed_sink_look_cache(const struct disk_options *options, struct seed_sink **sink,
                         char error[SEED_SINK_ERROR_BYTES])
{
    char path[PATH_MAX];
    struct stat status;
    struct disk_options look = *options;
    *sink = NULL;
    look.quota_bytes = look.quota_rows = LOOK_QUOTA;
    look.looks = true;
    snprintf(path, sizeof path, "%s/tiles.db", options->dir);
    if ((stat(path, &status) != 0 || status.st_size == 0) &&
        folder_fault(options->dir, strlen(options->dir), true) == 0)
        return 0;
    *sink = seed_sink_cache(&look, error);
    return *sink ? 0 : -1;
}

static int cache_refuses(struct seed_sink *sink)
{
    struct disk_stats stats;
    disk_stats(sink->disk, &stats);
    if (stats.degraded)
        text_print(sink->error, sizeof sink->error,
                   "cache directory %.*s: takes no tiles; the line above says why",
                   text_cut(sink->place, 300), sink->place);
    else if (stats.errors > 0)
        text_print(sink->error, sizeof sink->error,
                   "cache directory %.*s: cannot be read: memory or descriptors are short, or the disk gives "
                   "errors",
                   text_cut(sink->place, 300), sink->place);
    else
        text_print(sink->error, sizeof sink->error,
                   "cache directory %.*s: keeps no tiles: cache.disk_bytes=%llu or cache.disk_rows=%llu is "
                   "too little",
                   text_cut(sink->place, 200), sink->place, (unsigned long long)sink->quota_bytes,
                   (unsigned long long)sink->quota_rows);
    return -1;
}

/* Flushes until the cache has all that is pending. */
static int cache_commit(struct seed_sink *sink)
{
    for (int puts = 1; sink->uncommitted > 0; puts++) {
        int left = 0;
        disk_flush(sink->disk);
        for (int i = 0; i < sink->uncommitted; i++) {
            struct blob *blob = sink->pending[i];
            uint64_t bytes;
            if (disk_has(sink->disk, 0, &blob->key, &bytes)) {
                sink->stored++;
                sink->stored_bytes += blob->bytes;
                blob_release(blob);
            } else {
                sink->pending[left++] = blob;
                disk_put(sink->disk, blob);
            }
        }
        sink->uncommitted = left;
        if (left > 0 && puts == PUTS_MAX)
            return cache_refuses(sink);
    }
    sink->uncommitted_bytes = 0;
    return 0;
}

static int cache_put(struct seed_sink *sink, struct blob *blob)
{
    const size_t max = sink->quota_bytes / 8 < PENDING_BYTES_MAX ? (size_t)(sink->quota_bytes / 8)
                                                                 : (size_t)PENDING_BYTES_MAX;
    disk_put(sink->disk, blob);
    sink->pending[sink->uncommitted++] = blob_hold(blob);
    sink->uncommitted_bytes += blob->bytes;
    return sink->uncommitted == PENDING_MAX || sink->uncommitted_bytes >= max ? cache_commit(sink) : 0;
}

/* ---- Archives ------------------------------------------------------------------------------------------ */

/* An empty file is none: a run leaves it that was killed before its first commit. */
static bool is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_size > 0 || !S_ISREG(status.st_mode));
}

/* path with an ending, owned; NULL when memory is short. */
static char *join(const char *path, const char *ending)
{
    const size_t bytes = strlen(path) + strlen(ending) + 1;
    char *joined = malloc(bytes);
    if (joined)
        snprintf(joined, bytes, "%s%s", path, ending);
    return joined;
}

/* FILE.part that was left when FILE had just got its name. One of anything else stays. */
static void remove_part(const char *part, const struct seed_facts *facts)
{
    char error[SEED_SINK_ERROR_BYTES];
    struct mbtiles *tiles = is_there(part) ? mbtiles_open(part, facts->row, facts->rows, error) : NULL;
    mbtiles_close(tiles); /* which takes its journal away, while it is called so */
    if (tiles)
        remove(part);
}

/*
 * Whether an MBTiles archive has its name already: 1, it is open; 0; or -1. One that is not whole, as they once lay under
 * their names, becomes FILE.part; a look leaves it where it is.
 */
static int find_mbtiles(struct seed_sink *sink, bool look, char error[SEED_SINK_ERROR_BYTES])
{
    if (!is_there(sink->path))
        return 0;
    sink->tiles = mbtiles_open(sink->path, sink->facts->row, sink->facts->rows, error);
    if (!sink->tiles)
        return -1;
    const int64_t count = mbtiles_count(sink->tiles);
    if (count >= 0 && (look || count == sink->facts->tiles))
        return 1;
    if (count < 0) {
        text_print(error, SEED_SINK_ERROR_BYTES, "%s", mbtiles_error(sink->tiles));
        return -1;
    }
    mbtiles_close(sink->tiles);
    sink->tiles = NULL;
    if (!is_there(sink->place) && rename(sink->path, sink->place) == 0)
        return 0;
    text_print(error, SEED_SINK_ERROR_BYTES, "%.*s: is not whole, and cannot become %.*s: %s",
               text_cut(sink->path, 200), sink->path, text_cut(sink->place, 200), sink->place,
               is_there(sink->place) ? "which is there, too; remove one of them" : strerror(errno));
    return -1;
}

/* look: for what there is already. 0, -1; or 1: there is nothing, and look. */
static int open_archive(struct seed_sink *sink, bool look, char error[SEED_SINK_ERROR_BYTES])
{
    const struct seed_facts *facts = sink->facts;
    sink->place = join(sink->path, ".part");
    if (!sink->place)
        return -1;
    const int found = sink->pmtiles ? pmtiles_find(sink->path, facts->metadata, facts->tiles, error)
                                    : find_mbtiles(sink, look, error);
    if (found < 0)
        return -1;
    if (found > 0) {
        sink->complete = sink->pmtiles;
        if (!look)
            remove_part(sink->place, facts);
        sink->place[strlen(sink->path)] = 0;
        return 0;
    }
    if (!is_there(sink->place)) {
        const char *slash = strrchr(sink->path, '/');
        const int fault = folder_fault(sink->path, slash ? (size_t)(slash - sink->path) : 0, false);
        if (fault != 0) {
            text_print(error, SEED_SINK_ERROR_BYTES, "%.*s: cannot be written in its folder: %s",
                       text_cut(sink->path, 300), sink->path, strerror(fault));
            return -1;
        }
        if (look)
            return 1;
    }
    sink->tiles = mbtiles_open(sink->place, facts->row, facts->rows, error);
    return sink->tiles ? 0 : -1;
}

int seed_sink_archive(const char *path, bool pmtiles, const struct seed_facts *facts, bool look,
                      struct seed_sink **opened, char error[SEED_SINK_ERROR_BYTES])
{
    struct seed_sink *sink = calloc(1, sizeof *sink);
    *opened = NULL;
    text_print(error, SEED_SINK_ERROR_BYTES, "%.*s: memory is short", text_cut(path, 300), path);
    if (!sink)
        return -1;
    sink->path = path;
    sink->facts = facts;
    sink->pmtiles = pmtiles;
    const int result = open_archive(sink, look, error);
    if (result == 0)
        *opened = sink;
    else
        seed_sink_close(sink);
    return result < 0 ? -1 : 0;
}

static int archive_fails(struct seed_sink *sink)
{
    text_print(sink->error, sizeof sink->error, "%s", mbtiles_error(sink->tiles));
    return -1;
}

static int archive_put(struct seed_sink *sink, const struct tile_key *key, const struct blob *blob)
{
    const struct mbtiles_place place = seed_facts_place(key);
    size_t bytes = blob->bytes;
    unsigned char *coded = key->format == FORMAT_MVT ? archive_gzip(blob->data, blob->bytes, &bytes) : NULL;
    if (key->format == FORMAT_MVT && !coded) {
        text_print(sink->error, sizeof sink->error, "out of memory");
        return -1;
    }
    const int put = mbtiles_put(sink->tiles, &place, coded ? coded : blob->data, bytes);
    free(coded);
    if (put != 0)
        return archive_fails(sink);
    sink->uncommitted++;
    sink->uncommitted_bytes += bytes;
    return 0;
}

static int archive_commit(struct seed_sink *sink)
{
    if (mbtiles_commit(sink->tiles) != 0)
        return archive_fails(sink);
    sink->stored += sink->uncommitted;
    sink->stored_bytes += sink->uncommitted_bytes;
    sink->uncommitted = 0;
    sink->uncommitted_bytes = 0;
    return 0;
}

/* ---- The shared tier ----------------------------------------------------------------------------------- */

_Static_assert((int)SEED_SHARED_ERROR_BYTES <= (int)SEED_SINK_ERROR_BYTES, "its errors are the sink's");

struct seed_sink *seed_sink_shared(const struct seed_shared_options *options,
                                   char error[SEED_SINK_ERROR_BYTES])
{
    struct seed_sink *sink = calloc(1, sizeof *sink);
    snprintf(error, SEED_SINK_ERROR_BYTES, "out of memory");
    if (!sink)
        return NULL;
    sink->shared = seed_shared_open(options, error);
    sink->place = sink->shared ? strdup(seed_shared_place(sink->shared)) : NULL;
    if (sink->place)
        return sink;
    seed_sink_close(sink);
    return NULL;
}

/* ---- All ---------------------------------------------------------------------------------------------- */

bool seed_sink_is_complete(const struct seed_sink *sink)
{
    return sink->complete;
}

int seed_sink_has(struct seed_sink *sink, const struct tile_key *key, const struct digest *digest)
{
    uint64_t bytes;
    if (sink->disk)
        return disk_has(sink->disk, 0, digest, &bytes);
    if (sink->shared)
        return seed_shared_has(sink->shared, digest);
    if (sink->complete)
        return 1;
    const struct mbtiles_place place = seed_facts_place(key);
    const int has = mbtiles_has(sink->tiles, &place);
    return has < 0 ? archive_fails(sink) : has;
}

int seed_sink_put(struct seed_sink *sink, const struct tile_key *key, struct blob *blob)
{
    if (sink->shared)
        return seed_shared_put(sink->shared, blob, sink->error);
    return sink->disk ? cache_put(sink, blob) : archive_put(sink, key, blob);
}

int seed_sink_commit(struct seed_sink *sink)
{
    if (sink->shared)
        return seed_shared_commit(sink->shared, sink->error);
    return sink->disk ? cache_commit(sink) : archive_commit(sink);
}

int seed_sink_finish(struct seed_sink *sink, bool (*stopped)(void))
{
    if (seed_sink_commit(sink) != 0)
        return -1;
    if (!sink->tiles)
        return 0;
    const int result =
        sink->pmtiles ? pmtiles_write(sink->path, sink->tiles, &sink->facts->pmtiles, stopped, sink->error)
                      : mbtiles_finish(sink->tiles, stopped);
    if (result < 0 && !sink->pmtiles)
        return archive_fails(sink);
    if (result != 0 || strcmp(sink->place, sink->path) == 0)
        return result;
    mbtiles_close(sink->tiles); /* and its journal is gone */
    sink->tiles = NULL;
    if ((sink->pmtiles ? remove(sink->place) : rename(sink->place, sink->path)) == 0)
        return 0;
    text_print(sink->error, sizeof sink->error, "%.*s: cannot be %s: %s", text_cut(sink->place, 300),
               sink->place, sink->pmtiles ? "removed" : "renamed", strerror(errno));
    return -1;
}

void seed_sink_stored(const struct seed_sink *sink, int64_t *tiles, uint64_t *bytes)
{
    *tiles = sink->stored;
    *bytes = sink->stored_bytes;
    if (sink->shared)
        seed_shared_stored(sink->shared, tiles, bytes);
}

bool seed_sink_was_stopped(const struct seed_sink *sink)
{
    return sink->shared && seed_shared_was_stopped(sink->shared);
}

uint64_t seed_sink_evicted(const struct seed_sink *sink)
{
    struct disk_stats stats = {0};
    if (sink->shared)
        return seed_shared_evicted(sink->shared);
    if (sink->disk)
        disk_stats(sink->disk, &stats);
    return stats.evicted;
}

const char *seed_sink_place(const struct seed_sink *sink)
{
    return sink->place;
}

const char *seed_sink_error(const struct seed_sink *sink)
{
    return sink->error;
}

void seed_sink_close(struct seed_sink *sink)
{
    if (!sink)
        return;
    for (int i = 0; sink->disk && i < sink->uncommitted; i++)
        blob_release(sink->pending[i]);
    disk_close(sink->disk);
    seed_shared_close(sink->shared);
    mbtiles_close(sink->tiles);
    free(sink->place);
    free(sink);
}
