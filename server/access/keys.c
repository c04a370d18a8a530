/*
 * API keys and secrets: opening their files, and telling them apart without telling how far apart they are.
 */
#include "keys.h"

#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file_text.h"
#include "key_text.h"

enum { SECRET_FILE_BYTES = 4096 };

struct keys *keys_open(const char *path, char *error, size_t error_bytes)
{
    char why[80];
    size_t bytes;
    char *const text = file_text(path, KEYS_FILE_BYTES, &bytes, why, sizeof why);

    if (!text) {
        snprintf(error, error_bytes, "%s: %s", path, why);
        return NULL;
    }
    struct keys *const keys = keys_parse(text, bytes, path, error, error_bytes);
    free(text);
    return keys;
}

void keys_free(struct keys *keys)
{
    free(keys);
}

size_t keys_count(const struct keys *keys)
{
    return keys->count;
}

const struct key_holder *keys_find(const struct keys *keys, const char *key, size_t bytes)
{
    unsigned char sha256[32];
    size_t found = keys->count;

    if (!key_text_allowed(key, bytes) || key_text_hash(key, bytes, sha256) != 0)
        return NULL;
    for (size_t k = 0; k < keys->count; k++)
        found = gnutls_memcmp(keys->holder[k].sha256, sha256, sizeof sha256) == 0 ? k : found;
    return found < keys->count ? &keys->holder[found] : NULL;
}

bool secret_equal(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return a_bytes == b_bytes && gnutls_memcmp(a, b, a_bytes) == 0;
}

char *secret_read(const char *path, char *error, size_t error_bytes)
{
    char why[80], *secret = NULL;
    size_t bytes, line_bytes;
    char *const text = file_text(path, SECRET_FILE_BYTES, &bytes, why, sizeof why);

    if (!text) {
        snprintf(error, error_bytes, "%s: %s", path, why);
        return NULL;
    }
    const char *const line = key_text_line(text, bytes, &line_bytes);
    if (!key_text_allowed(line, line_bytes))
        snprintf(error, error_bytes, "%s: the first line is no secret: allowed " KEY_TEXT_ALLOWED, path);
    else if ((secret = strndup(line, line_bytes)) == NULL)
        snprintf(error, error_bytes, "%s: out of memory", path);
    explicit_bzero(text, bytes);
    free(text);
    return secret;
}

void secret_free(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}
