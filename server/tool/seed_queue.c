/*
 * The store's side of a shared plan. Scripts are sent whole each time: the longest has 3 KB, and a block is seconds of work.
 *
 * Whatever the store answers is looked at before it is used: a number that is no block of the plan, or an entry without
 * one, is taken out of the stream and warned of, some times.
 */
#include "seed_queue.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <uv.h>

#include <xxhash.h>

#include "../base/check.h"
#include "../encode/encode.h"
#include "seed_store.h"

enum { KEY_BYTES = 64, WORKER_BYTES = 128, PLACE_BYTES = 512, PLAN_BYTES = 256, NUMBER_BYTES = 24, KEYS = 3 };
enum { IDS_BYTES = SEED_HELD_MAX * SEED_ENTRY_BYTES + 2 };
enum { WORDS_FIXED = 3 + KEYS, ARGUMENTS_MAX = 6, WARNINGS_MAX = 5, COUNTERS = 3 };

struct seed_queue {
    struct remote_url url;
    struct line_trust *trust;
    struct line *line; /* NULL: none at the moment */
    unsigned claim_ms, timeout_ms;
    struct seed_plan plan;
    int64_t blocks;
    char key[KEYS][KEY_BYTES]; /* stream, state, bits */
    char worker[WORKER_BYTES], about[PLAN_BYTES], place[PLACE_BYTES];
    struct seed_counts whole;
    bool told; /* whole is something that the store said */
    bool shared;
    int warnings;
    char error[SEED_QUEUE_ERROR_BYTES];
};

/* ---- Names --------------------------------------------------------------------------------------------- */

/* Of all that the tiles' bytes and the numbers of blocks depend on; and of where the tiles go: what is done in workers' own
 * caches is not in the shared tier. */
static struct digest digest_of(const struct seed_plan *plan, const struct terrane_world *world, bool shared)
{
    char text[PLAN_BYTES];
    const struct seed_rect rect = seed_plan_rect(plan, plan->coarsest);
    const struct tile_key key = seed_plan_key(plan, plan->coarsest, rect.x0, rect.y0);
    const struct digest first = tile_key_digest(&key, world);
    const int bytes = snprintf(text, sizeof text,
                               "seed 1 %016" PRIx64 "%016" PRIx64 " %d %d %d %" PRId64 " %" PRId64 " %" PRId64
                               " %" PRId64 " %" PRId64 "%s",
                               first.high, first.low, plan->pyramid, plan->finest, plan->coarsest,
                               plan->rect.x0, plan->rect.y0, plan->rect.x1, plan->rect.y1,
                               seed_plan_blocks(plan), shared ? " shared" : "");
    CHECK(bytes > 0 && (size_t)bytes < sizeof text);
    const XXH128_hash_t hash = XXH3_128bits(text, (size_t)bytes);
    return (struct digest){.low = hash.low64, .high = hash.high64};
}

static void name_keys(struct seed_queue *queue, const struct terrane_world *world, bool shared)
{
    static const char *const ending[KEYS] = {":blocks", "", ":done"};
    const struct digest digest = digest_of(&queue->plan, world, shared);
    const struct seed_plan *plan = &queue->plan;
    for (int i = 0; i < KEYS; i++)
        snprintf(queue->key[i], KEY_BYTES, "terrane:seed:%016" PRIx64 "%016" PRIx64 "%s", digest.high,
                 digest.low, ending[i]);
    snprintf(queue->about, sizeof queue->about,
             "seed %" PRIu64 " %s %s size %d, lod %d..%d, x %" PRId64 "..%" PRId64 ", y %" PRId64
             "..%" PRId64,
             plan->key.seed, tile_layer_name[plan->key.layer], tile_variant_name[plan->key.variant],
             plan->key.size, plan->finest, plan->coarsest, plan->rect.x0, plan->rect.x1, plan->rect.y0,
             plan->rect.y1);
}

/* Host and process are for people; what follows makes the name this run's alone. */
static bool name_worker(struct seed_queue *queue)
{
    char host[65] = "";
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return false;
    if (gethostname(host, sizeof host - 1) != 0 || !*host)
        snprintf(host, sizeof host, "host");
    for (char *at = host; *at; at++)
        *at = isalnum((unsigned char)*at) || *at == '-' || *at == '.' ? *at : '_';
    snprintf(queue->worker, sizeof queue->worker, "%s:%ld:%016" PRIx64, host, (long)getpid(), random);
    return true;
}

struct seed_queue *seed_queue_open(const struct seed_queue_options *options,
                                   char error[SEED_QUEUE_ERROR_BYTES])
{
    struct seed_queue *queue = calloc(1, sizeof *queue);
    snprintf(error, SEED_QUEUE_ERROR_BYTES, "out of memory");
    if (!queue)
        return NULL;
    queue->claim_ms = options->claim_ms;
    queue->timeout_ms = options->timeout_ms;
    queue->shared = options->shared;
    queue->plan = *options->plan;
    queue->blocks = seed_plan_blocks(options->plan);
    if (remote_url_read(&queue->url, options->url, error, SEED_QUEUE_ERROR_BYTES) != 0 ||
        (queue->url.tls && !(queue->trust = line_trust_load(options->ca, error, SEED_QUEUE_ERROR_BYTES)))) {
        seed_queue_close(queue);
        return NULL;
    }
    remote_url_show(&queue->url, queue->place, sizeof queue->place);
    name_keys(queue, options->world, options->shared);
    if (!name_worker(queue)) {
        snprintf(error, SEED_QUEUE_ERROR_BYTES, "no random numbers for a worker's name");
        seed_queue_close(queue);
        return NULL;
    }
    return queue;
}

void seed_queue_close(struct seed_queue *queue)
{
    if (!queue)
        return;
    line_close(queue->line);
    line_trust_free(queue->trust);
    explicit_bzero(&queue->url, sizeof queue->url);
    free(queue);
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

/* Keeps why. */
static enum seed_queue_answer fails(struct seed_queue *queue, const char *why, bool refused)
{
    snprintf(queue->error, sizeof queue->error, "%.300s: %.200s", queue->place, why);
    return refused ? QUEUE_REFUSED : QUEUE_AWAY;
}

static void hang_up(struct seed_queue *queue)
{
    line_close(queue->line);
    queue->line = NULL;
}

/* What a reply says: QUEUE_OK, or how it fails; then it is freed. */
static enum seed_queue_answer judge(struct seed_queue *queue, redisReply **reply)
{
    char why[LINE_ERROR_BYTES];
    if ((*reply)->type != REDIS_REPLY_ERROR)
        return QUEUE_OK;
    line_clean(why, sizeof why, *reply);
    freeReplyObject(*reply);
    *reply = NULL;
    if (strncmp(why, "CROSSSLOT", 9) == 0 || strncmp(why, "MOVED ", 6) == 0 ||
        strncmp(why, "CLUSTERDOWN", 11) == 0)
        return fails(queue,
                     "is a part of a cluster of stores, which a queue cannot use: name one that is alone",
                     true);
    return fails(queue, why, !seed_store_error_passes(why));
}

static enum seed_queue_answer connect_line(struct seed_queue *queue, uint64_t deadline_ns)
{
    char why[LINE_ERROR_BYTES];
    if (queue->line)
        return QUEUE_OK;
    const enum seed_store_answer answer =
        seed_store_reach(&queue->line, &queue->url, queue->trust, deadline_ns, why);
    return answer == STORE_REACHED ? QUEUE_OK : fails(queue, why, answer == STORE_FORBIDS);
}

/* Sends words and has *reply, owned by the caller, which is no error. A line that broke while it was idle, since the store
 * has restarted, is made anew once: all steps may be done twice. */
static enum seed_queue_answer call(struct seed_queue *queue, const struct line_word *words, size_t count,
                                   redisReply **reply)
{
    const uint64_t deadline_ns = uv_hrtime() + queue->timeout_ms * UINT64_C(1000000);
    *reply = NULL;
    for (bool used = queue->line != NULL;; used = false) {
        const enum seed_queue_answer connected = connect_line(queue, deadline_ns);
        if (connected != QUEUE_OK)
            return connected;
        *reply = line_call(queue->line, words, count, deadline_ns);
        if (*reply)
            return judge(queue, reply);
        fails(queue, line_error(queue->line), false);
        hang_up(queue);
        if (!used || uv_hrtime() >= deadline_ns)
            return QUEUE_AWAY;
    }
}

/* A decimal from 0 to most; -1: something else. */
static int64_t number_of(const redisReply *reply, int64_t most)
{
    int64_t value = 0;
    if (reply->type != REDIS_REPLY_STRING || reply->len < 1 || reply->len > 18)
        return -1;
    for (size_t i = 0; i < (size_t)reply->len; i++) {
        if (!isdigit((unsigned char)reply->str[i]))
            return -1;
        value = value * 10 + (reply->str[i] - '0');
    }
    return value <= most ? value : -1;
}

static bool is_word(const redisReply *reply, const char *word)
{
    return reply->type == REDIS_REPLY_STRING && (size_t)reply->len == strlen(word) &&
           memcmp(reply->str, word, strlen(word)) == 0;
}

/* The counters at the end of every answer; what is no number stays as it was. */
static void read_whole(struct seed_queue *queue, redisReply *const counter[COUNTERS])
{
    const int64_t made = number_of(counter[0], INT64_MAX), found = number_of(counter[1], INT64_MAX),
                  bytes = number_of(counter[2], INT64_MAX);
    if (made >= 0)
        queue->whole.made = made;
    if (found >= 0)
        queue->whole.found = found;
    if (bytes >= 0)
        queue->whole.bytes = (uint64_t)bytes;
    queue->told = true;
}

/* Runs a script with a number of arguments. QUEUE_OK: *reply, owned by the caller, is an array of so many elements, and of the
 * counters. */
static enum seed_queue_answer run(struct seed_queue *queue, const char *script, const char *const *argument,
                                  size_t arguments, size_t elements, redisReply **reply)
{
    struct line_word words[WORDS_FIXED + ARGUMENTS_MAX] = {LINE_WORD("EVAL"), LINE_WORD(script),
                                                           LINE_WORD("3")};
    CHECK(arguments <= ARGUMENTS_MAX);
    for (size_t i = 0; i < KEYS; i++)
        words[3 + i] = LINE_WORD(queue->key[i]);
    for (size_t i = 0; i < arguments; i++)
        words[WORDS_FIXED + i] = LINE_WORD(argument[i]);
    const enum seed_queue_answer answer = call(queue, words, WORDS_FIXED + arguments, reply);
    if (answer != QUEUE_OK)
        return answer;
    if ((*reply)->type == REDIS_REPLY_ARRAY && (*reply)->elements == elements + COUNTERS) {
        read_whole(queue, (*reply)->element + elements);
        return QUEUE_OK;
    }
    freeReplyObject(*reply);
    *reply = NULL;
    return fails(queue, "answers what no Valkey or Redis would", true);
}

/* As run, where the answer is of no interest. */
static enum seed_queue_answer tell(struct seed_queue *queue, const char *script, const char *const *argument,
                                   size_t arguments)
{
    redisReply *reply;
    const enum seed_queue_answer answer = run(queue, script, argument, arguments, 1, &reply);
    if (reply)
        freeReplyObject(reply);
    return answer;
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

static const char *decimal(char text[NUMBER_BYTES], uint64_t value)
{
    snprintf(text, NUMBER_BYTES, "%" PRIu64, value);
    return text;
}

enum seed_queue_answer seed_queue_drop(struct seed_queue *queue, const struct seed_entry *entry)
{
    return tell(queue, seed_script_drop, (const char *[]){entry->id}, 1);
}

static enum seed_queue_answer drop_nonsense(struct seed_queue *queue, const struct seed_entry *entry)
{
    if (queue->warnings < WARNINGS_MAX)
        fprintf(stderr, "terrane seed: %s: %s: entry %s is no block of this plan; taken out%s\n",
                queue->place, queue->key[0], entry->id,
                queue->warnings == WARNINGS_MAX - 1 ? "; of others like it nothing more is said" : "");
    queue->warnings += queue->warnings < WARNINGS_MAX;
    const enum seed_queue_answer answer = seed_queue_drop(queue, entry);
    return answer == QUEUE_OK ? QUEUE_AGAIN : answer;
}

/* What the script answered: word, id, number, whether claimed. */
static enum seed_queue_answer read_entry(struct seed_queue *queue, redisReply *const element[4],
                                         struct seed_entry *entry)
{
    if (is_word(element[0], "wait"))
        return QUEUE_WAIT;
    if (is_word(element[0], "again"))
        return QUEUE_AGAIN;
    if (is_word(element[0], "end"))
        return QUEUE_END;
    const redisReply *id = element[1];
    if (id->type != REDIS_REPLY_STRING || id->len < 1 || id->len >= SEED_ENTRY_BYTES ||
        strspn(id->str, "0123456789-") != (size_t)id->len)
        return fails(queue, "answers what no Valkey or Redis would", true);
    *entry = (struct seed_entry){.number = number_of(element[2], queue->blocks - 1),
                                 .claimed = is_word(element[3], "1")};
    memcpy(entry->id, id->str, (size_t)id->len);
    return entry->number < 0 ? drop_nonsense(queue, entry) : QUEUE_OK;
}

/* Their ids, with a space before and after each. */
static void list_ids(char ids[IDS_BYTES], const struct seed_entry *const *held, int count)
{
    size_t at = 1;
    CHECK(count <= SEED_HELD_MAX);
    ids[0] = ' ';
    ids[1] = 0;
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(ids + at, IDS_BYTES - at, "%s ", held[i]->id);
}

enum seed_queue_answer seed_queue_take(struct seed_queue *queue, const struct seed_entry *const *held,
                                       int count, struct seed_entry *entry)
{
    char blocks[NUMBER_BYTES], claim_ms[NUMBER_BYTES], ids[IDS_BYTES];
    redisReply *reply;
    list_ids(ids, held, count);
    enum seed_queue_answer answer =
        run(queue, seed_script_take,
            (const char *[]){queue->worker, decimal(blocks, (uint64_t)queue->blocks),
                             decimal(claim_ms, queue->claim_ms), queue->about, ids},
            5, 4, &reply);
    if (answer == QUEUE_OK)
        answer = read_entry(queue, reply->element, entry);
    if (reply)
        freeReplyObject(reply);
    return answer;
}

enum seed_queue_answer seed_queue_done(struct seed_queue *queue, const struct seed_entry *entry,
                                       const struct seed_counts *counts)
{
    char number[NUMBER_BYTES], made[NUMBER_BYTES], found[NUMBER_BYTES], bytes[NUMBER_BYTES];
    return tell(queue, seed_script_done,
                (const char *[]){entry->id, decimal(number, (uint64_t)entry->number),
                                 decimal(made, (uint64_t)counts->made),
                                 decimal(found, (uint64_t)counts->found), decimal(bytes, counts->bytes),
                                 queue->shared ? "1" : ""},
                6);
}

enum seed_queue_answer seed_queue_back(struct seed_queue *queue, const struct seed_entry *entry)
{
    char number[NUMBER_BYTES];
    return tell(queue, seed_script_back,
                (const char *[]){queue->worker, entry->id, decimal(number, (uint64_t)entry->number)}, 3);
}

enum seed_queue_answer seed_queue_beat(struct seed_queue *queue, const struct seed_entry *const *held,
                                       int count)
{
    char ids[IDS_BYTES];
    list_ids(ids, held, count);
    return tell(queue, seed_script_beat, (const char *[]){queue->worker, ids}, 2);
}

enum seed_queue_answer seed_queue_anew(struct seed_queue *queue)
{
    char blocks[NUMBER_BYTES];
    return tell(queue, seed_script_anew, (const char *[]){decimal(blocks, (uint64_t)queue->blocks)}, 1);
}

enum seed_queue_answer seed_queue_leave(struct seed_queue *queue)
{
    return tell(queue, seed_script_leave, (const char *[]){queue->worker}, 1);
}

/* ---- Looking ------------------------------------------------------------------------------------------- */

enum seed_queue_answer seed_queue_found(struct seed_queue *queue, int64_t found[TERRANE_LEVEL_MAX + 1])
{
    char last[NUMBER_BYTES];
    const struct line_word words[] = {LINE_WORD("GETRANGE"), LINE_WORD(queue->key[2]), LINE_WORD("0"),
                                      LINE_WORD(decimal(last, (uint64_t)(queue->blocks - 1) / 8))};
    redisReply *reply;
    const enum seed_queue_answer answer = call(queue, words, sizeof words / sizeof *words, &reply);
    if (answer != QUEUE_OK)
        return answer;
    const int64_t bits = reply->type == REDIS_REPLY_STRING ? (int64_t)reply->len * 8 : 0;
    for (int64_t number = 0; number < queue->blocks && number < bits; number++) {
        struct seed_plan block;
        if (!((unsigned char)reply->str[number / 8] & 0x80 >> number % 8))
            continue;
        seed_plan_cut(&queue->plan, number, &block);
        found[block.finest] += seed_plan_tiles(&block);
    }
    freeReplyObject(reply);
    return QUEUE_OK;
}

bool seed_queue_whole(const struct seed_queue *queue, struct seed_counts *counts)
{
    *counts = queue->whole;
    return queue->told;
}

void seed_queue_cut(const struct seed_queue *queue, int64_t number, struct seed_plan *block)
{
    seed_plan_cut(&queue->plan, number, block);
}

const char *seed_queue_place(const struct seed_queue *queue)
{
    return queue->place;
}

const char *seed_queue_error(const struct seed_queue *queue)
{
    return queue->error;
}
