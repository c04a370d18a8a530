/*
 * Requests to the home, by libcurl. What comes is bounded, redirections and proxies are not followed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "follow_parts.h"

enum { CONNECT_MS = 3000, GET_MS = 30000, PAGE_MS = 600000, PAGE_SILENT_S = 30, ASK_MS = 10000 };

/* A header, if there is a value for it, which may be empty; false: memory is short, or it is no value. */
static bool put_header(struct follow_transfer *transfer, const char *name, const char *value)
{
    if (!value)
        return true;
    const size_t bytes = strlen(name) + strlen(value) + 3;
    char *text = strpbrk(value, "\r\n") ? NULL : malloc(bytes);
    struct curl_slist *longer = NULL;
    if (text) {
        snprintf(text, bytes, "%s%s%s", name, *value ? ": " : ";",
                 value); /* libcurl's way to say an empty one */
        longer = curl_slist_append(transfer->headers, text);
    }
    free(text);
    if (longer)
        transfer->headers = longer;
    return longer != NULL;
}

/* Without the header that libcurl would add. */
static bool leave_out(struct follow_transfer *transfer, const char *name_and_colon)
{
    struct curl_slist *longer = curl_slist_append(transfer->headers, name_and_colon);
    if (longer)
        transfer->headers = longer;
    return longer != NULL;
}

static bool put_headers(struct follow_transfer *transfer, const char *own_key)
{
    const struct follow_ask *ask = transfer->ask;
    const char *key = ask ? ask->key : own_key;
    char bearer[300] = "";
    if (key && snprintf(bearer, sizeof bearer, "Bearer %s", key) >= (int)sizeof bearer)
        return false;
    const bool good =
        put_header(transfer, "Authorization", key ? bearer : NULL) &&
        (!ask || (put_header(transfer, "Content-Type", "application/json") &&
                  put_header(transfer, "If-Match", ask->match) &&
                  put_header(transfer, "X-Request-Id", ask->id) && leave_out(transfer, "Expect:") &&
                  put_header(transfer, "Connection", ask->harmless ? NULL : "close")));
    explicit_bzero(bearer, sizeof bearer);
    return good;
}

static size_t take(char *text, size_t size, size_t count, void *context)
{
    struct follow_transfer *transfer = context;
    const size_t bytes = size * count;
    if (transfer->heard) {
        transfer->heard(transfer, text, bytes);
        return bytes;
    }
    if (bytes > transfer->max - transfer->bytes)
        return 0; /* which ends it */
    if (transfer->bytes + bytes + 1 > transfer->room) {
        const size_t room = 2 * (transfer->bytes + bytes) + 4096;
        char *more = realloc(transfer->text, room);
        if (!more)
            return 0;
        transfer->text = more;
        transfer->room = room;
    }
    memcpy(transfer->text + transfer->bytes, text, bytes);
    transfer->bytes += bytes;
    transfer->text[transfer->bytes] = 0;
    return bytes;
}

static bool set(struct follow_transfer *transfer, const char *url)
{
    CURL *easy = transfer->easy;
    const struct follow_ask *ask = transfer->ask;
    const bool page = transfer->kind == FOLLOW_PAGE; /* up to 2 MiB, over a slow line */
    const long whole_ms = transfer->kind == FOLLOW_STREAM ? 0 : ask ? ASK_MS : page ? PAGE_MS : GET_MS;
    bool good =
        curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_USERAGENT, "terrane") == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK && /* no end waits for a name server */
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, whole_ms) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, page ? 1L : 0L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, page ? (long)PAGE_SILENT_S : 0L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, 20L) == CURLE_OK && /* below http.idle_timeout_s */
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->why) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_FAILONERROR, transfer->heard ? 1L : 0L) == CURLE_OK;
    if (good && ask)
        good =
            curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
            curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->body_bytes) == CURLE_OK &&
            curl_easy_setopt(easy, CURLOPT_POSTFIELDS, ask->body ? ask->body : "") == CURLE_OK &&
            /* A connection that was open may have been closed meanwhile: then libcurl sends it once more on another. */
            curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, ask->harmless ? 0L : 1L) == CURLE_OK;
    return good;
}

struct follow_transfer *follow_transfer_begin(CURLM *multi, const struct follow_options *options,
                                              const struct follow_transfer *form, const char *path)
{
    struct follow_transfer *transfer = malloc(sizeof *transfer);
    char url[FOLLOW_URL_BYTES];
    if (!transfer)
        return NULL;
    *transfer = *form;
    transfer->easy = curl_easy_init();
    if (transfer->easy && snprintf(url, sizeof url, "%s%s", options->home, path) < (int)sizeof url &&
        put_headers(transfer, options->key) && set(transfer, url) &&
        curl_multi_add_handle(multi, transfer->easy) == CURLM_OK)
        return transfer;
    follow_transfer_end(multi, transfer);
    return NULL;
}

void follow_transfer_end(CURLM *multi, struct follow_transfer *transfer)
{
    if (!transfer)
        return;
    if (transfer->easy) {
        curl_multi_remove_handle(multi, transfer->easy);
        curl_easy_cleanup(transfer->easy);
    }
    curl_slist_free_all(transfer->headers);
    free(transfer->text);
    free(transfer);
}

unsigned follow_transfer_status(const struct follow_transfer *transfer, CURLcode result)
{
    long status = 0;
    if (result != CURLE_OK && result != CURLE_HTTP_RETURNED_ERROR)
        return 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return status > 0 ? (unsigned)status : 0;
}
