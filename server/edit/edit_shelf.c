/*
 * Files of states: a head, the state compressed with zstd, and a digest of both. Every file is checked before it is used, and removed if it
 * is damaged or belongs to another world.
 */
#include "edit_shelf.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../lib/terrane.h"

enum {
    FILES_MAX = 2048, /* of a world */
    SWEPT = 512,      /* so many of the oldest are removed when there are FILES_MAX */
    PATH_BYTES = 4400,
    PACKED_MAX = 4 << 20,
    BYTES_MAX = 64 << 20,
    MARGIN_MAX = 1 << 20
};

/* In the machine's byte order; a file from a machine with another one has another number in `order`, and is not used. */
struct head {
    char magic[8], version[24], epoch[24];
    uint64_t order;
    int64_t level, gi, gj, step, width, height, kind;
    uint64_t from, seen;
    int64_t margin;
    uint64_t bytes, packed_bytes;
    unsigned char chain[EDIT_CHAIN_BYTES];
};

static void head_of(struct head *head, const struct edit_shelf *shelf, const struct terrane_window *window,
                    unsigned kind, const struct edit_state *state, size_t packed_bytes)
{
    memset(head, 0, sizeof *head);
    memcpy(head->magic, "trnstate", sizeof head->magic);
    snprintf(head->version, sizeof head->version, "%s", TERRANE_VERSION);
    snprintf(head->epoch, sizeof head->epoch, "%s", shelf->epoch);
    head->order = 0x0102030405060708;
    head->level = window->level;
    head->gi = window->gi;
    head->gj = window->gj;
    head->step = window->step;
    head->width = window->width;
    head->height = window->height;
    head->kind = kind;
    head->from = state->from;
    head->seen = state->seen;
    head->margin = state->margin;
    head->bytes = state->bytes;
    head->packed_bytes = packed_bytes;
}

static bool path_of(const struct edit_shelf *shelf, const struct terrane_window *window, unsigned kind,
                    char path[static PATH_BYTES])
{
    const int64_t place[] = {window->level, window->gi,     window->gj, window->step,
                             window->width, window->height, kind};
    const int bytes = snprintf(path, PATH_BYTES, "%s/%016llx", shelf->dir,
                               (unsigned long long)XXH3_64bits(place, sizeof place));
    return bytes > 0 && bytes < PATH_BYTES;
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* Returns the whole file, owned; NULL if there is none, or if it is no regular file or too large. */
static unsigned char *read_file(const char *path, size_t *bytes)
{
    const size_t max = sizeof(struct head) + PACKED_MAX + sizeof(XXH128_canonical_t);
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    unsigned char *text = NULL;
    size_t got = 0;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        (uint64_t)status.st_size <= max)
        text = malloc((size_t)status.st_size);
    while (text && got < (size_t)status.st_size) {
        const ssize_t part = read(file, text + got, (size_t)status.st_size - got);
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    if (file >= 0)
        close(file);
    *bytes = got;
    return text;
}

/* Whether text is a valid state of this window and world. The chain is not checked. */
static bool is_state(const struct edit_shelf *shelf, const unsigned char *text, size_t bytes,
                     const struct terrane_window *window, unsigned kind, struct head *head)
{
    struct head own;
    XXH128_canonical_t digest;
    if (bytes < sizeof *head + sizeof digest)
        return false;
    memcpy(head, text, sizeof *head);
    const struct edit_state state = {
        .from = head->from, .seen = head->seen, .margin = head->margin, .bytes = (size_t)head->bytes};
    head_of(&own, shelf, window, kind, &state, (size_t)head->packed_bytes);
    memcpy(own.chain, head->chain, sizeof own.chain);
    if (memcmp(&own, head, sizeof own) != 0 || head->packed_bytes > PACKED_MAX || head->bytes > BYTES_MAX ||
        bytes != sizeof *head + head->packed_bytes + sizeof digest || head->from > head->seen ||
        head->margin < 0 || head->margin > MARGIN_MAX)
        return false;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(text, bytes - sizeof digest));
    return memcmp(&digest, text + bytes - sizeof digest, sizeof digest) == 0;
}

unsigned char *edit_shelf_get(struct edit_shelf *shelf, const struct terrane_window *window, unsigned kind,
                              uint64_t at, struct edit_state *state, size_t *packed_bytes)
{
    unsigned char chain[EDIT_CHAIN_BYTES], *packed = NULL;
    struct head head = {.seen = 0};
    char path[PATH_BYTES];
    size_t bytes;
    if (atomic_load(&shelf->files) == 0 || !path_of(shelf, window, kind, path))
        return NULL;
    unsigned char *text = read_file(path, &bytes);
    if (!text)
        return NULL;
    const bool good = is_state(shelf, text, bytes, window, kind, &head) &&
                      (head.seen > at || (shelf->chain(shelf->context, head.seen, chain) &&
                                          memcmp(chain, head.chain, sizeof chain) == 0));
    if (!good && unlink(path) == 0)
        atomic_fetch_sub(&shelf->files, 1);
    if (good && head.seen <= at)
        packed = malloc(head.packed_bytes + 1);
    if (packed) {
        memcpy(packed, text + sizeof head, head.packed_bytes);
        *packed_bytes = head.packed_bytes;
        *state = (struct edit_state){
            .from = head.from, .seen = head.seen, .margin = head.margin, .bytes = (size_t)head.bytes};
    }
    free(text);
    return packed;
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

struct entry {
    struct timespec when;
    char name[17];
};

static int older(const void *a, const void *b)
{
    const struct timespec *one = &((const struct entry *)a)->when, *other = &((const struct entry *)b)->when;
    return one->tv_sec != other->tv_sec ? (one->tv_sec > other->tv_sec) - (one->tv_sec < other->tv_sec)
                                        : (one->tv_nsec > other->tv_nsec) - (one->tv_nsec < other->tv_nsec);
}

/* Removes unfinished files, which a killed server has left, and the oldest if there are more than `leave`. Returns how many are left. */
static int look(const struct edit_shelf *shelf, int leave)
{
    struct entry *all = calloc(FILES_MAX, sizeof *all);
    DIR *dir = all ? opendir(shelf->dir) : NULL;
    int count = 0, left;
    for (const struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        struct stat status;
        const bool ours = strlen(entry->d_name) == 16 && count < FILES_MAX;
        if (*entry->d_name == '.' || fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!ours) {
            unlinkat(dirfd(dir), entry->d_name, 0);
            continue;
        }
        all[count].when = status.st_mtim;
        memcpy(all[count++].name, entry->d_name, sizeof all->name);
    }
    if (count > leave)
        qsort(all, (size_t)count, sizeof *all, older);
    for (left = count; left > leave; left--)
        unlinkat(dirfd(dir), all[count - left].name, 0);
    if (dir)
        closedir(dir);
    free(all);
    return left;
}

void edit_shelf_open(struct edit_shelf *shelf)
{
    atomic_store(&shelf->files, look(shelf, FILES_MAX));
}

static bool write_file(const char *path, const struct head *head, const unsigned char *packed)
{
    XXH3_state_t *hash = XXH3_createState();
    XXH128_canonical_t digest;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = hash && file >= 0;
    if (good) {
        XXH3_128bits_reset(hash);
        XXH3_128bits_update(hash, head, sizeof *head);
        XXH3_128bits_update(hash, packed, head->packed_bytes);
        XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(hash));
        good = write(file, head, sizeof *head) == sizeof *head &&
               write(file, packed, head->packed_bytes) == (ssize_t)head->packed_bytes &&
               write(file, &digest, sizeof digest) == sizeof digest;
    }
    XXH3_freeState(hash);
    if (file >= 0)
        good = close(file) == 0 && good;
    return good;
}

/* Whether the file is of this world and has seen more operations. */
static bool is_newer(const char *path, const struct head *than)
{
    struct head head;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool is = file >= 0 && read(file, &head, sizeof head) == sizeof head &&
                    memcmp(&head, than, offsetof(struct head, order)) == 0 && head.seen > than->seen;
    if (file >= 0)
        close(file);
    return is;
}

void edit_shelf_put(struct edit_shelf *shelf, const struct terrane_window *window, unsigned kind,
                    const struct edit_state *state, const unsigned char *packed, size_t packed_bytes)
{
    static atomic_uint next;
    char path[PATH_BYTES], fresh[PATH_BYTES + 16];
    struct head head;
    head_of(&head, shelf, window, kind, state, packed_bytes);
    if (packed_bytes > PACKED_MAX || state->bytes > BYTES_MAX || !path_of(shelf, window, kind, path) ||
        is_newer(path, &head) || !shelf->chain(shelf->context, state->seen, head.chain))
        return;
    if (atomic_load(&shelf->files) >= FILES_MAX)
        atomic_store(&shelf->files, look(shelf, FILES_MAX - SWEPT));
    mkdir(shelf->dir, 0700);
    snprintf(fresh, sizeof fresh, "%s.%u", path, atomic_fetch_add(&next, 1));
    const bool is_new = access(path, F_OK) != 0;
    if (!write_file(fresh, &head, packed) || rename(fresh, path) != 0)
        unlink(fresh);
    else if (is_new)
        atomic_fetch_add(&shelf->files, 1);
}
