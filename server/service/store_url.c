/*
 * Where the shared tier is: cache.shared, with the password that its file holds.
 */
#include "store_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../access/key_text.h"
#include "../access/keys.h"
#include "../base/file_text.h"
#include "../base/remote_url.h"

enum { PASSWORD_FILE_BYTES = 4096 };

/* Appends a password to a URL, each byte that may mean something there as %XX. Returns the text's end. */
static char *put_password(char *at, const char *password, size_t bytes)
{
    static const char digit[] = "0123456789ABCDEF";

    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)password[i];
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            *at++ = (char)c;
        } else {
            *at++ = '%';
            *at++ = digit[c >> 4];
            *at++ = digit[c & 15];
        }
    }
    return at;
}

/* A URL with this password in place of its own. Owned; NULL when memory is short. */
static char *url_with(const char *url, const char *password, size_t bytes)
{
    const char *const colon = strstr(url, "://");
    const size_t scheme = colon ? (size_t)(colon - url) + 3 : 0;
    const char *const host = url + scheme;
    const char *const sign = host[0] == '/' ? NULL : strrchr(host, '@'); /* as remote_url_read has it */
    const size_t user = sign ? strcspn(host, ":@") : 0;
    char *const text = malloc(scheme + user + 1 + 3 * bytes + 1 + strlen(host) + 1), *at = text;

    if (!text)
        return NULL;
    memcpy(at, url, scheme + user);
    at += scheme + user;
    *at++ = ':';
    at = put_password(at, password, bytes);
    *at++ = '@';
    memcpy(at, sign ? sign + 1 : host, strlen(sign ? sign + 1 : host) + 1);
    return text;
}

char *store_url_read(const struct config_cache *cache, char *error, size_t error_bytes)
{
    static const char key[] = "cache.shared_password_file";
    const char *const file = cache->shared_password_file;
    struct remote_url url;
    char why[CONFIG_ERROR_BYTES], *text;
    size_t bytes, line_bytes;

    if (cache->shared[0] == '\0' || file[0] == '\0') {
        text = strdup(cache->shared);
        if (!text)
            snprintf(error, error_bytes, "out of memory");
        return text;
    }
    char *const content = file_text(file, PASSWORD_FILE_BYTES, &bytes, why, sizeof why);
    if (!content) {
        snprintf(error, error_bytes, "%s: %s: %s", key, file, why);
        return NULL;
    }
    const char *const line = key_text_line(content, bytes, &line_bytes);
    text = line_bytes > 0 ? url_with(cache->shared, line, line_bytes) : NULL;
    if (line_bytes == 0) {
        snprintf(error, error_bytes, "%s: %s: its first line is empty: allowed a password", key, file);
    } else if (!text) {
        snprintf(error, error_bytes, "out of memory");
    } else if (remote_url_read(&url, text, why, sizeof why) != 0) {
        snprintf(error, error_bytes, "%s: %s: no password for cache.shared: %s", key, file, why);
        secret_free(text);
        text = NULL;
    }
    explicit_bzero(&url, sizeof url);
    explicit_bzero(content, bytes);
    free(content);
    return text;
}
