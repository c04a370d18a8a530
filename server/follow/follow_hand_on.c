/*
 * Writes that are handed on to the home. An answer is passed back when the copy here has what was written, so that who reads after it
 * sees it; or after HELD_MS, where the copy is behind.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "follow_parts.h"

enum { HELD_MS = 2000 };

bool follow_hand_on(struct follow *follow, struct follow_ask *ask)
{
    ask->next = NULL;
    ask->text = NULL;
    ask->bytes = 0;
    pthread_mutex_lock(&follow->lock);
    const bool taken = !follow->stops && follow->started && follow->asks < FOLLOW_ASKS_MAX;
    if (taken) {
        *follow->ask_end = ask;
        follow->ask_end = &ask->next;
        follow->asks++;
    }
    pthread_mutex_unlock(&follow->lock);
    if (taken)
        curl_multi_wakeup(follow->multi);
    return taken;
}

static void finish(struct follow *follow, struct follow_ask *ask)
{
    pthread_mutex_lock(&follow->lock);
    follow->asks--;
    pthread_mutex_unlock(&follow->lock);
    ask->done(ask); /* which may free it */
}

static void ask_fail(struct follow *follow, struct follow_ask *ask, enum follow_outcome outcome)
{
    ask->outcome = outcome;
    finish(follow, ask);
}

/* All that wait to be begun. */
static struct follow_ask *take_asks(struct follow *follow)
{
    pthread_mutex_lock(&follow->lock);
    struct follow_ask *ask = follow->ask;
    follow->ask = NULL;
    follow->ask_end = &follow->ask;
    pthread_mutex_unlock(&follow->lock);
    return ask;
}

void follow_asks_begin(struct follow *follow)
{
    struct follow_ask *ask = take_asks(follow);
    while (ask) {
        struct follow_ask *next = ask->next;
        char path[160];
        snprintf(path, sizeof path, "/world/%s/%s", ask->world->name, ask->route);
        const struct follow_transfer form = {.kind = FOLLOW_ASK, .ask = ask, .max = FOLLOW_ANSWER_BYTES};
        if (!follow_transfer_begin(follow->multi, &follow->options, &form, path))
            ask_fail(follow, ask, FOLLOW_AWAY);
        ask = next;
    }
}

/*
 * Whether it is an answer of a home: what was written, with the last operation's number, or why nothing was. Anything else, as of what stands
 * between, or of a server that fails, does not tell.
 */
static bool is_answer(struct follow_ask *ask)
{
    json_t *answer = json_loadb(ask->text, ask->bytes, 0, NULL);
    const json_int_t last = json_integer_value(json_object_get(answer, "last"));
    const bool says_why = json_is_string(json_object_get(answer, "detail"));
    const bool fresh = ask->status == 200 || ask->status == 201;
    json_decref(answer);
    ask->last = fresh && last > 0 ? (uint64_t)last : 0;
    return fresh ? last > 0 : ask->status >= 400 && ask->status < (says_why ? 600U : 500U);
}

void follow_ask_done(struct follow *follow, struct follow_transfer *transfer, CURLcode result)
{
    struct follow_ask *ask = transfer->ask;
    curl_off_t retry_after_s = 0;
    ask->status = follow_transfer_status(transfer, result);
    ask->text = transfer->text;
    ask->bytes = transfer->bytes;
    transfer->text = NULL;
    if (ask->status == 0 || !ask->text || !is_answer(ask)) {
        long sent = 0; /* on a connection that died, too, after which libcurl tried another */
        curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &sent);
        const bool unsent =
            sent == 0 && (result == CURLE_COULDNT_CONNECT || result == CURLE_COULDNT_RESOLVE_HOST ||
                          result == CURLE_SSL_CONNECT_ERROR);
        follow_transfer_end(follow->multi, transfer);
        ask_fail(follow, ask, unsent ? FOLLOW_AWAY : FOLLOW_LOST);
        return;
    }
    curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    ask->outcome = FOLLOW_ANSWERED;
    ask->retry_after_s = retry_after_s < 86400 * 2 ? (int)retry_after_s : 86400 * 2;
    follow_transfer_end(follow->multi, transfer);
    ask->until_ms = follow_now_ms() + HELD_MS;
    ask->next = follow->held;
    follow->held = ask;
}

uint64_t follow_asks_held(struct follow *follow, uint64_t now_ms)
{
    uint64_t due = UINT64_MAX;
    for (struct follow_ask **at = &follow->held; *at;) {
        struct follow_ask *ask = *at;
        if (ask->last > edit_log_count(ask->world->log) && now_ms < ask->until_ms) {
            due = ask->until_ms < due ? ask->until_ms : due;
            at = &ask->next;
            continue;
        }
        *at = ask->next;
        finish(follow, ask);
    }
    return due;
}

void follow_asks_end(struct follow *follow)
{
    follow_asks_held(follow, UINT64_MAX);
    struct follow_ask *ask = take_asks(follow);
    while (ask) {
        struct follow_ask *next = ask->next;
        ask_fail(follow, ask, FOLLOW_AWAY);
        ask = next;
    }
}
