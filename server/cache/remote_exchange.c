/*
 * Exchanges: some commands, as many replies, one deadline.
 *
 * A store closes lines that were idle for long, or all of them when it restarts, and a line finds that out when it is
 * used. That is no failure: the commands go once more over a new line, in what is left of the time. To do them twice
 * is harmless, but that a lease which we took the first time is there the second: who asks for one is told.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../base/check.h"
#include "../observe/log.h"
#include "remote_state.h"

#define SAY_NS UINT64_C(60000000000) /* at most one line about refusals in so long */

void remote_key(char key[static REMOTE_KEY_BYTES], const struct digest *digest, bool lease)
{
    snprintf(key, REMOTE_KEY_BYTES, "terrane:%d:%016" PRIx64 "%016" PRIx64 "%s", ENTRY_VERSION, digest->high,
             digest->low, lease ? ":lease" : "");
}

void remote_free_replies(redisReply **replies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (replies[i])
            freeReplyObject(replies[i]);
        replies[i] = NULL;
    }
}

bool remote_is_token(const struct remote *remote, const redisReply *reply)
{
    return reply->type == REDIS_REPLY_STRING && reply->len == REMOTE_TOKEN_BYTES - 1 &&
           memcmp(reply->str, remote->token, reply->len) == 0;
}

static struct line *exchange_open(struct remote *remote, uint64_t deadline_ns, char *error,
                                  size_t error_bytes)
{
    struct line_place place;

    uv_mutex_lock(&remote->mutex);
    place = remote->place;
    uv_mutex_unlock(&remote->mutex);
    CHECK(place.count > 0); /* the breaker closes after the name was found */
    return line_open(&remote->url, &place, remote->trust, deadline_ns, error, error_bytes);
}

/* One attempt on a line. */
static bool exchange_try(struct line *line, const struct remote_command *commands, size_t count,
                         redisReply **replies, uint64_t deadline_ns)
{
    for (size_t i = 0; i < count; i++)
        if (line_send(line, commands[i].word, commands[i].words, deadline_ns) < 0)
            return false;
    for (size_t i = 0; i < count; i++)
        if (!(replies[i] = line_receive(line, deadline_ns)))
            return false;
    return true;
}

enum line_fault remote_exchange(struct remote *remote, struct line **line,
                                const struct remote_command *commands, size_t count, redisReply **replies,
                                uint64_t deadline_ns, bool *twice)
{
    char error[LINE_ERROR_BYTES] = "";
    bool again = false;

    if (!twice)
        twice = &again;
    *twice = false;

    for (size_t i = 0; i < count; i++)
        replies[i] = NULL;
    for (;;) {
        const bool fresh = !*line;

        if (fresh && !(*line = exchange_open(remote, deadline_ns, error, sizeof error))) {
            breaker_failure(remote, error);
            return LINE_UNREACHABLE;
        }
        if (exchange_try(*line, commands, count, replies, deadline_ns)) {
            breaker_success(remote);
            return LINE_FINE;
        }
        const enum line_fault fault = line_fault(*line);
        snprintf(error, sizeof error, "%s", line_error(*line));
        line_close(*line);
        *line = NULL;
        remote_free_replies(replies, count);
        if (fault == LINE_TOO_LONG)
            return fault;
        if (fault != LINE_CLOSED || fresh) {
            breaker_failure(remote, error);
            return fault;
        }
        *twice = true;
    }
}

bool remote_is_unwell(const redisReply *reply)
{
    static const char *const words[] = {"LOADING ", "MASTERDOWN ", "BUSY ", "NOAUTH "};

    if (reply->type != REDIS_REPLY_ERROR)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(reply->str, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

void remote_refusal(struct remote *remote, const redisReply *reply)
{
    const uint64_t now_ns = uv_hrtime();
    uint64_t said_ns = atomic_load_explicit(&remote->said_refusal_ns, memory_order_relaxed);
    char text[120];

    remote_count(&remote->refused, 1);
    line_clean(text, sizeof text, reply);
    if (remote_is_unwell(reply)) {
        breaker_open(remote, text);
        return;
    }
    if ((said_ns == 0 || now_ns - said_ns > SAY_NS) &&
        atomic_compare_exchange_strong(&remote->said_refusal_ns, &said_ns, now_ns))
        log_write(LOG_WARNING, "cache", "the shared tier %s refuses a command (%s)", remote->shown, text);
}
