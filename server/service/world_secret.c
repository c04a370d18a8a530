/*
 * The secret from which names of secret worlds are derived. It is in the operator's file, which all nodes of a cluster share;
 * else in a file beside the disk tier, whose entries it names: made once, it lasts as long as they do.
 */
#include "world_secret.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "../access/keys.h"
#include "../base/file_text.h"
#include "../observe/log.h"

enum { WORLD_SECRET_BYTES = 65 }; /* of one that is drawn: 64 hexadecimal digits and a zero */

static void draw(char secret[static WORLD_SECRET_BYTES])
{
    unsigned char byte[(WORLD_SECRET_BYTES - 1) / 2];

    while (getrandom(byte, sizeof byte, 0) !=
           sizeof byte) /* a signal, before the kernel has gathered enough */
        continue;
    text_hex(secret, byte, sizeof byte);
    explicit_bzero(byte, sizeof byte);
}

/*
 * Creates the file atomically: if several servers start at once, the first one's stays. whole: the path, and six X
 * for a temporary name.
 */
static int file_make(const char *path, char *whole)
{
    char secret[WORLD_SECRET_BYTES];
    const int file = mkostemp(whole, O_CLOEXEC); /* of mode 0600 */

    if (file < 0)
        return -1;
    draw(secret);
    secret[WORLD_SECRET_BYTES - 1] = '\n';
    int result = write(file, secret, sizeof secret) == sizeof secret && fsync(file) == 0 ? 0 : -1;
    explicit_bzero(secret, sizeof secret);
    if (close(file) != 0 || (result == 0 && link(whole, path) != 0 && errno != EEXIST))
        result = -1;
    unlink(whole);
    return result;
}

/* path: a file in a directory that may be missing. */
static char *read_or_make(char *path, bool makes, char *error, size_t error_bytes)
{
    char *whole = NULL;
    char *const name = strrchr(path, '/');
    int result = 0;

    if (makes && access(path, F_OK) != 0 && errno == ENOENT) {
        *name = '\0';
        result = directories_make(path, 0700);
        *name = '/';
        if (result == 0)
            result = asprintf(&whole, "%s.XXXXXX", path) < 0 ? -1 : file_make(path, whole);
        if (result != 0)
            snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        free(whole);
    }
    return result == 0 ? secret_read(path, error, error_bytes) : NULL;
}

char *world_secret_read(const struct config *config, bool makes, char *error, size_t error_bytes)
{
    char *path = NULL, *secret = NULL;

    if (config->worlds.secret_file[0] != '\0')
        return secret_read(config->worlds.secret_file, error, error_bytes);
    if (config->cache.disk_bytes == 0) {
        snprintf(error, error_bytes,
                 "no worlds.secret_file is given, and there is no disk tier to keep one in");
        return NULL;
    }
    char *const dir = config_cache_dir(config);
    if (!dir || asprintf(&path, "%s/worlds-secret", dir) < 0)
        snprintf(error, error_bytes, "worlds.secret_file: out of memory");
    else
        secret = read_or_make(path, makes, error, error_bytes);
    free(dir);
    free(path);
    return secret;
}

char *world_secret_have(const struct config *config, char *error, size_t error_bytes)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char passing[WORLD_SECRET_BYTES];
    char *const secret = world_secret_read(config, true, error, error_bytes);

    if (secret || config->worlds.secret_file[0] != '\0')
        return secret;
    pthread_mutex_lock(&lock);
    if (passing[0] == '\0')
        draw(passing);
    pthread_mutex_unlock(&lock);
    log_write(LOG_WARNING, "worlds", "%s: tiles of secret worlds have other ETags after the next start",
              error);
    snprintf(error, error_bytes, "worlds.secret_file: out of memory");
    return strdup(passing);
}
