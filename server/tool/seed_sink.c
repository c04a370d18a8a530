/*
 * Sinks.
 *
 * The cache writes behind and promises nothing. Here every tile is held until a flush has ended and the cache
 * says that it has it; a tile that it has not is put again. So nothing is counted that is not there, and a
 * queue that could overflow is never filled.
 */
#include "seed_sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../check.h"

enum {
    PENDING_MAX = 256,            /* tiles between two flushes */
    PENDING_BYTES_MAX = 16 << 20, /* and their payload */
    PUTS_MAX = 4                  /* of one tile, until the cache is given up */
};

struct seed_sink {
    /* cache */
    struct disk *disk;
    uint64_t quota_bytes, quota_rows;
    struct blob *pending[PENDING_MAX];
    /* archive */
    struct mbtiles *tiles;
    const struct seed_facts *facts;
    const char *path;
    bool pmtiles;
    /* both */
    char *place;
    int unsettled;
    size_t unsettled_bytes;
    int64_t stored;
    uint64_t stored_bytes;
    char error[SEED_SINK_ERROR_BYTES];
};

/* ---- The cache ----------------------------------------------------------------------------------------- */

struct seed_sink *seed_sink_cache(const struct disk_options *options, char error[SEED_SINK_ERROR_BYTES])
{
    const char *why = "memory is short";
    struct disk_stats stats;
    struct seed_sink *sink = calloc(1, sizeof *sink);
    if (sink) {
        sink->quota_bytes = options->quota_bytes;
        sink->quota_rows = options->quota_rows;
        sink->place = strdup(options->dir);
        sink->disk = sink->place ? disk_open(options, &why) : NULL;
    }
    if (sink && sink->disk) {
        disk_stats(sink->disk, &stats);
        if (!stats.degraded)
            return sink;
        why = "cannot be used"; /* the log has said why */
    }
    snprintf(error, SEED_SINK_ERROR_BYTES, "cache directory %.300s: %s%s", options->dir, why,
             strstr(why, "another process")
                 ? " (it holds the file \"lock\" there): end it first, or seed another directory"
                 : "");
    seed_sink_close(sink);
    return NULL;
}

static int cache_refuses(struct seed_sink *sink)
{
    struct disk_stats stats;
    disk_stats(sink->disk, &stats);
    if (stats.degraded)
        snprintf(sink->error, sizeof sink->error,
                 "cache directory %.300s: takes no tiles; the line above says why", sink->place);
    else
        snprintf(sink->error, sizeof sink->error,
                 "cache directory %.200s: keeps no tiles: cache.disk_bytes=%llu or cache.disk_rows=%llu is "
                 "too little",
                 sink->place, (unsigned long long)sink->quota_bytes, (unsigned long long)sink->quota_rows);
    return -1;
}

/* Flushes until the cache has all that is pending. */
static int cache_settle(struct seed_sink *sink)
{
    for (int puts = 1; sink->unsettled > 0; puts++) {
        int left = 0;
        disk_flush(sink->disk);
        for (int i = 0; i < sink->unsettled; i++) {
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
        sink->unsettled = left;
        if (left > 0 && puts == PUTS_MAX)
            return cache_refuses(sink);
    }
    sink->unsettled_bytes = 0;
    return 0;
}

static int cache_put(struct seed_sink *sink, struct blob *blob)
{
    const size_t most = sink->quota_bytes / 8 < PENDING_BYTES_MAX ? (size_t)(sink->quota_bytes / 8)
                                                                  : (size_t)PENDING_BYTES_MAX;
    disk_put(sink->disk, blob);
    sink->pending[sink->unsettled++] = blob_hold(blob);
    sink->unsettled_bytes += blob->bytes;
    return sink->unsettled == PENDING_MAX || sink->unsettled_bytes >= most ? cache_settle(sink) : 0;
}

/* ---- Archives ------------------------------------------------------------------------------------------ */

static bool is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* FILE.part, or FILE where that is the archive itself. */
static char *place_of(const char *path, bool pmtiles)
{
    const size_t bytes = strlen(path) + sizeof ".part";
    char *place = malloc(bytes);
    if (place)
        snprintf(place, bytes, "%s%s", path, pmtiles ? ".part" : "");
    return place;
}

struct seed_sink *seed_sink_archive(const char *path, bool pmtiles, const struct seed_facts *facts,
                                    char error[SEED_SINK_ERROR_BYTES])
{
    struct seed_sink *sink = calloc(1, sizeof *sink);
    snprintf(error, SEED_SINK_ERROR_BYTES, "%s: memory is short", path);
    if (!sink)
        return NULL;
    sink->path = path;
    sink->facts = facts;
    sink->pmtiles = pmtiles;
    sink->place = place_of(path, pmtiles);
    if (sink->place && pmtiles && is_there(path) && !is_there(sink->place)) {
        snprintf(error, SEED_SINK_ERROR_BYTES, "%s: is there already; remove it, or write elsewhere", path);
    } else if (sink->place) {
        sink->tiles = mbtiles_open(sink->place, facts->row, facts->rows, error);
        if (sink->tiles)
            return sink;
    }
    seed_sink_close(sink);
    return NULL;
}

static int archive_fails(struct seed_sink *sink)
{
    snprintf(sink->error, sizeof sink->error, "%s", mbtiles_error(sink->tiles));
    return -1;
}

static int archive_put(struct seed_sink *sink, const struct tile_key *key, const struct blob *blob)
{
    const struct mbtiles_place place = seed_facts_place(key);
    if (mbtiles_put(sink->tiles, &place, blob->data, blob->bytes) != 0)
        return archive_fails(sink);
    sink->unsettled++;
    sink->unsettled_bytes += blob->bytes;
    return 0;
}

static int archive_settle(struct seed_sink *sink)
{
    if (mbtiles_settle(sink->tiles) != 0)
        return archive_fails(sink);
    sink->stored += sink->unsettled;
    sink->stored_bytes += sink->unsettled_bytes;
    sink->unsettled = 0;
    sink->unsettled_bytes = 0;
    return 0;
}

/* ---- Both ---------------------------------------------------------------------------------------------- */

int seed_sink_has(struct seed_sink *sink, const struct tile_key *key, const struct digest *digest)
{
    uint64_t bytes;
    if (sink->disk)
        return disk_has(sink->disk, 0, digest, &bytes);
    const struct mbtiles_place place = seed_facts_place(key);
    const int has = mbtiles_has(sink->tiles, &place);
    return has < 0 ? archive_fails(sink) : has;
}

int seed_sink_put(struct seed_sink *sink, const struct tile_key *key, struct blob *blob)
{
    return sink->disk ? cache_put(sink, blob) : archive_put(sink, key, blob);
}

int seed_sink_settle(struct seed_sink *sink)
{
    return sink->disk ? cache_settle(sink) : archive_settle(sink);
}

int seed_sink_finish(struct seed_sink *sink, bool (*stopped)(void))
{
    if (seed_sink_settle(sink) != 0)
        return -1;
    if (!sink->pmtiles)
        return 0;
    const int result = pmtiles_write(sink->path, sink->tiles, &sink->facts->pmtiles, stopped, sink->error);
    if (result != 0)
        return result;
    mbtiles_close(sink->tiles);
    sink->tiles = NULL;
    if (remove(sink->place) == 0)
        return 0;
    snprintf(sink->error, sizeof sink->error, "%.300s: cannot be removed: %s", sink->place, strerror(errno));
    return -1;
}

void seed_sink_stored(const struct seed_sink *sink, int64_t *tiles, uint64_t *bytes)
{
    *tiles = sink->stored;
    *bytes = sink->stored_bytes;
}

uint64_t seed_sink_evicted(const struct seed_sink *sink)
{
    struct disk_stats stats = {0};
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
    for (int i = 0; sink->disk && i < sink->unsettled; i++)
        blob_release(sink->pending[i]);
    disk_close(sink->disk);
    mbtiles_close(sink->tiles);
    free(sink->place);
    free(sink);
}
