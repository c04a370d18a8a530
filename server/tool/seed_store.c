/*
 * The store as tools reach it.
 */
#include "seed_store.h"

#include <stdio.h>
#include <string.h>

/* Whether an error reply will be another one by and by: the store loads, is full, is no master at the moment. */
static bool error_passes(const char *text)
{
    static const char *const word[] = {"LOADING", "MASTERDOWN", "READONLY",   "OOM",
                                       "MISCONF", "BUSY ",      "NOREPLICAS", "max number of clients"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strstr(text, word[i]))
            return true;
    return false;
}

/* Of line_open's errors those that the store itself has answered begin so. */
static bool is_answer(const char *why)
{
    static const char *const step[] = {"signing in: ", "selecting the database: "};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        if (strncmp(why, step[i], strlen(step[i])) == 0)
            return true;
    return false;
}

/* What a PING is answered with. One that is not permitted is an answer, too. */
static enum seed_store_answer ping(struct line *line, uint64_t deadline_ns, char why[LINE_ERROR_BYTES])
{
    enum seed_store_answer answer = STORE_REACHED;
    redisReply *reply = line_call(line, (struct line_word[]){LINE_WORD("PING")}, 1, deadline_ns);
    if (!reply) {
        snprintf(why, LINE_ERROR_BYTES, "%s", line_error(line));
        return STORE_AWAY;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        line_clean(why, LINE_ERROR_BYTES, reply);
        answer = strncmp(why, "NOAUTH", 6) == 0 ? STORE_FORBIDS
                 : error_passes(why)            ? STORE_AWAY
                                                : STORE_REACHED;
    }
    freeReplyObject(reply);
    return answer;
}

enum seed_store_answer seed_store_reach(struct line **line, const struct remote_url *url,
                                        const struct line_trust *trust, uint64_t deadline_ns,
                                        char why[LINE_ERROR_BYTES])
{
    struct line_place place;
    *line = NULL;
    if (line_find(&place, url, why, LINE_ERROR_BYTES) != 0)
        return STORE_AWAY;
    *line = line_open(url, &place, trust, deadline_ns, why, LINE_ERROR_BYTES);
    if (!*line)
        return is_answer(why) && !error_passes(why) ? STORE_FORBIDS : STORE_AWAY;
    const enum seed_store_answer answer = ping(*line, deadline_ns, why);
    if (answer == STORE_REACHED)
        return answer;
    line_close(*line);
    *line = NULL;
    return answer;
}
