/*
 * Shared plans, against a redis-server: every block is done and counts once, whatever workers and the store do, and whatever
 * stands in its keys.
 */
#include "../unit.h"

#include "../remote_kit.h"

#include "../../../server/tool/seed_queue.h"

enum { HOUR_MS = 3600000, ASKS_MAX = 100000 };

static struct store store;

static int start_store(void **state)
{
    (void)state;
    store_start(&store, "", NULL);
    return 0;
}

static int stop_store(void **state)
{
    (void)state;
    store_stop(&store);
    return 0;
}

static int empty_store(void **state)
{
    (void)state;
    store_say(&store, "FLUSHALL");
    return 0;
}

static struct seed_plan plan_of(const char *lod, const char *bounds)
{
    char error[SEED_ERROR_BYTES] = "";
    struct seed_plan plan = {.key = {.seed = 42, .format = FORMAT_PNG, .size = 256}};
    const struct seed_words words = {.lod = lod, .bounds = bounds};
    if (seed_plan_read(&plan, &words, 1, error) != 0)
        fail_msg("%s", error);
    return plan;
}

static struct seed_queue *open_at(const char *url, const struct seed_plan *plan, unsigned claim_ms)
{
    char error[SEED_QUEUE_ERROR_BYTES] = "";
    struct terrane_recipe recipe;
    struct terrane_world world;
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    struct seed_queue *queue = seed_queue_open(&(struct seed_queue_options){.url = url,
                                                                            .ca = "",
                                                                            .plan = plan,
                                                                            .world = &world,
                                                                            .claim_ms = claim_ms,
                                                                            .timeout_ms = KIT_LONG_MS},
                                               error);
    if (!queue)
        fail_msg("%s", error);
    return queue;
}

static struct seed_queue *open_queue(const struct seed_plan *plan, unsigned claim_ms)
{
    return open_at(store.url, plan, claim_ms);
}

/* Asks until the answer is another than to ask again. held: one entry, or NULL. */
static enum seed_queue_answer take_beside(struct seed_queue *queue, const struct seed_entry *held,
                                          struct seed_entry *entry)
{
    enum seed_queue_answer answer = QUEUE_AGAIN;
    for (int i = 0; i < ASKS_MAX && answer == QUEUE_AGAIN; i++)
        answer = seed_queue_take(queue, &held, held ? 1 : 0, entry);
    return answer;
}

static enum seed_queue_answer take(struct seed_queue *queue, struct seed_entry *entry)
{
    return take_beside(queue, NULL, entry);
}

static struct seed_entry take_one(struct seed_queue *queue)
{
    struct seed_entry entry;
    if (take(queue, &entry) != QUEUE_OK)
        fail_msg("nothing to take: %s", seed_queue_error(queue));
    return entry;
}

/* The counts of a block of so many tiles, a third of which were there. */
static struct seed_counts counts_of(const struct seed_queue *queue, const struct seed_entry *entry)
{
    struct seed_plan block;
    seed_queue_cut(queue, entry->number, &block);
    const int64_t tiles = seed_plan_tiles(&block);
    return (struct seed_counts){
        .made = tiles - tiles / 3, .found = tiles / 3, .bytes = (uint64_t)tiles * 1000};
}

static void finish(struct seed_queue *queue, const struct seed_entry *entry)
{
    const struct seed_counts counts = counts_of(queue, entry);
    assert_int_equal(seed_queue_done(queue, entry, &counts), QUEUE_OK);
}

/* How many blocks a queue can still take and finish; each not yet in seen, if that is not NULL. */
static int64_t finish_all(struct seed_queue *queue, char *seen)
{
    struct seed_entry entry;
    enum seed_queue_answer answer;
    int64_t count = 0;
    for (; (answer = take(queue, &entry)) == QUEUE_OK; count++) {
        assert_true(!seen || !seen[entry.number]);
        if (seen)
            seen[entry.number] = 1;
        finish(queue, &entry);
    }
    assert_int_equal(answer, QUEUE_END);
    return count;
}

/* All have come as far as the plan goes, and no further. */
static void whole_is(const struct seed_queue *queue, const struct seed_plan *plan)
{
    struct seed_counts whole;
    assert_true(seed_queue_whole(queue, &whole));
    assert_int_equal(whole.made + whole.found, seed_plan_tiles(plan));
    assert_int_equal(whole.bytes, (uint64_t)seed_plan_tiles(plan) * 1000);
}

/* The name of one of the plan's keys: 0 the hash, 1 the stream, 2 the bits. */
static void name_key(int which, char name[80])
{
    static const char *const ending[] = {"", ":blocks", ":done"};
    redisReply *reply = store_try(&store, "KEYS terrane:seed:*", KIT_LONG_MS);
    assert_true(reply && reply->type == REDIS_REPLY_ARRAY && reply->elements > 0);
    snprintf(name, 80, "%.45s%s", reply->element[0]->str, ending[which]); /* terrane:seed: and 32 digits */
    freeReplyObject(reply);
}

static void say_of(const char *command, int which, const char *rest)
{
    char name[80], text[256];
    name_key(which, name);
    snprintf(text, sizeof text, "%s %s%s%s", command, name, *rest ? " " : "", rest);
    store_say(&store, text);
}

/* More blocks than are put into the stream at once, which holds no more than a piece. */
TEST(large_plans_come_in_pieces, .setup_func = empty_store)
{
    const struct seed_plan plan = plan_of("0", "0,0,63000,63000"); /* 247 x 247 tiles */
    struct seed_queue *queue = open_queue(&plan, HOUR_MS);
    const int64_t blocks = seed_plan_blocks(&plan);
    char name[80], text[100], *seen = calloc((size_t)blocks, 1);
    assert_int_equal(blocks, 31 * 31);
    const struct seed_entry first = take_one(queue);
    name_key(1, name);
    snprintf(text, sizeof text, "XLEN %s", name);
    assert_true(store_say(&store, text) <= 256);
    seen[first.number] = 1;
    finish(queue, &first);
    assert_int_equal(finish_all(queue, seen), blocks - 1);
    assert_int_equal(store_say(&store, text), 0);
    whole_is(queue, &plan);
    seed_queue_close(queue);
    free(seen);
}

TEST(what_is_done_is_known, .setup_func = empty_store)
{
    const struct seed_plan plan = plan_of("2..6", "-3000,-1500,2222,4100");
    struct seed_queue *queue = open_queue(&plan, HOUR_MS);
    int64_t found[TERRANE_LEVEL_MAX + 1] = {0}, tiles = 0;
    assert_int_equal(seed_queue_found(queue, found), QUEUE_OK);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        assert_int_equal(found[level], 0);
    for (int i = 0; i < 5; i++) {
        struct seed_plan block;
        const struct seed_entry entry = take_one(queue);
        seed_queue_cut(queue, entry.number, &block);
        if (i % 2) {
            finish(queue, &entry);
            tiles += seed_plan_tiles(&block);
        }
    }
    assert_int_equal(seed_queue_found(queue, found), QUEUE_OK);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        tiles -= found[level];
    assert_int_equal(tiles, 0);
    seed_queue_close(queue);
}

/* One that is looked after is not: its time begins again. */
TEST(a_beat_keeps_what_is_held, .setup_func = empty_store)
{
    const struct seed_plan plan = plan_of("3", "0,0,100,100");
    struct seed_queue *a = open_queue(&plan, HOUR_MS), *b = open_queue(&plan, HOUR_MS / 2);
    const struct seed_entry first = take_one(a);
    struct seed_entry second;
    for (int beats = 1; beats >= 0; beats--) {
        char name[80], text[400];
        name_key(1, name);
        snprintf(text, sizeof text, "XPENDING %s workers - + 1", name);
        redisReply *reply = store_try(&store, text, KIT_LONG_MS);
        assert_true(reply && reply->elements == 1);
        snprintf(text, sizeof text, "XCLAIM %s workers %s 0 %s IDLE %d JUSTID", name,
                 reply->element[0]->element[1]->str, first.id, HOUR_MS);
        freeReplyObject(reply);
        store_say(&store, text);
        if (beats)
            assert_int_equal(seed_queue_beat(a, (const struct seed_entry *[]){&first}, 1), QUEUE_OK);
        assert_int_equal(take(b, &second), beats ? QUEUE_WAIT : QUEUE_OK);
    }
    seed_queue_close(a);
    seed_queue_close(b);
}

/* The answer that handed it out got lost: it is handed out again at once, and not to others. */
TEST(what_got_lost_is_given_again, .setup_func = empty_store)
{
    const struct seed_plan plan = plan_of("3", "0,0,100,100");
    struct seed_queue *a = open_queue(&plan, HOUR_MS), *b = open_queue(&plan, HOUR_MS);
    const struct seed_entry first = take_one(a);
    struct seed_entry second;
    assert_int_equal(take(b, &second), QUEUE_WAIT);
    assert_int_equal(take_beside(a, &first, &second), QUEUE_WAIT);
    second = take_one(a);
    assert_string_equal(second.id, first.id);
    assert_true(second.number == first.number && !second.claimed);
    seed_queue_close(a);
    seed_queue_close(b);
}

TEST(no_block_is_missing, .setup_func = empty_store)
{
    const struct seed_plan plan = plan_of("0..4", "-3000,-1500,2222,4100");
    const int64_t blocks = seed_plan_blocks(&plan);
    for (int which = 0; which < 4; which++) {
        struct seed_queue *a = open_queue(&plan, HOUR_MS);
        char *seen = calloc((size_t)blocks, 1);
        int64_t done = 0;
        store_say(&store, "FLUSHALL");
        for (; done < blocks / 2; done++) {
            const struct seed_entry entry = take_one(a);
            seen[entry.number] = 1;
            finish(a, &entry);
        }
        const struct seed_entry held = take_one(a);
        if (which < 3)
            say_of("DEL", which, "");
        else
            store_say(&store, "FLUSHALL");
        finish(a, &held); /* the store may have forgotten it */
        seen[held.number] = 1;
        const int64_t rest = finish_all(a, which < 2 ? seen : NULL);
        if (which < 2)
            assert_int_equal(done + 1 + rest, blocks);
        else
            assert_true(rest >= blocks - done - 1);
        int64_t found[TERRANE_LEVEL_MAX + 1] = {0}, tiles = 0;
        assert_int_equal(seed_queue_found(a, found), QUEUE_OK);
        for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
            tiles += found[level];
        assert_int_equal(tiles, seed_plan_tiles(&plan));
        seed_queue_close(a);
        free(seen);
    }
}

TEST(nonsense_is_taken_out, .setup_func = empty_store)
{
    static const char *const rest[] = {"* block x",     "* block -1", "* block 999999",     "* other 1",
                                       "* block 1 a b", "* block 01", "* block 4294967296", "* block 1.0"};
    const struct seed_plan plan = plan_of("2..4", "-3000,-1500,2222,4100");
    struct seed_queue *queue = open_queue(&plan, HOUR_MS);
    const struct seed_entry first = take_one(queue);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        say_of("XADD", 1, rest[i]);
    for (int i = 0; i < 10; i++)
        say_of("XADD", 1, "* block 2");
    say_of("HSET", 0, "made x found -1 bytes 1e99");
    finish(queue, &first);
    assert_int_equal(finish_all(queue, NULL), seed_plan_blocks(&plan) - 1);
    seed_queue_close(queue);
}

TEST(keys_of_another_kind, .setup_func = empty_store)
{
    const struct seed_plan plan = plan_of("3", "0,0,100,100");
    struct seed_queue *queue = open_queue(&plan, HOUR_MS);
    for (int which = 0; which < 3; which++) {
        struct seed_entry entry;
        store_say(&store, "FLUSHALL");
        take_one(queue);
        say_of("DEL", which, "");
        char name[80], text[100];
        name_key(which, name);
        snprintf(text, sizeof text, "RPUSH %s x", name);
        store_say(&store, text);
        assert_int_equal(take(queue, &entry), QUEUE_REFUSED);
        assert_non_null(strstr(seed_queue_error(queue), "WRONGTYPE"));
    }
    seed_queue_close(queue);
}

static void answer_text(struct fake *fake, int fd)
{
    char bytes[16384];
    if (fake_read(fd, bytes, sizeof bytes) > 0 && fake_write(fd, "+PONG\r\n", 7) &&
        fake_read(fd, bytes, sizeof bytes) > 0)
        fake_write(fd, fake->text, fake->bytes);
}

/* An answer that hands out a block, with one byte changed, or cut off: it is a block of the plan, or an end. */
TEST(answers_of_all_kinds)
{
    static const char good[] =
        "*7\r\n$4\r\nwork\r\n$3\r\n1-1\r\n$1\r\n0\r\n$0\r\n\r\n$1\r\n0\r\n$1\r\n0\r\n$1\r\n0\r\n";
    static const char with[] = "\0\r9-:*$+\xff";
    const struct seed_plan plan = plan_of("3", "0,0,5000,5000");
    const int64_t blocks = seed_plan_blocks(&plan);
    struct fake fake;
    fake_start(&fake, answer_text, good, sizeof good - 1);
    char url[64];
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", fake.port);
    struct seed_queue *queue = open_at(url, &plan, HOUR_MS);
    struct seed_entry entry;
    assert_int_equal(seed_queue_take(queue, NULL, 0, &entry), QUEUE_OK);
    assert_int_equal(entry.number, 0);
    seed_queue_close(queue);
    fake_stop(&fake);
    for (size_t at = 0; at < sizeof good - 1; at++)
        for (size_t k = 0; k < sizeof with; k++) {
            char text[sizeof good];
            memcpy(text, good, sizeof good);
            text[at] = with[k];
            const bool cut = k == sizeof with - 1;
            fake_start(&fake, answer_text, text, cut ? at : sizeof good - 1);
            snprintf(url, sizeof url, "redis://127.0.0.1:%u", fake.port);
            queue = open_at(url, &plan, HOUR_MS);
            const enum seed_queue_answer answer = seed_queue_take(queue, NULL, 0, &entry);
            assert_true(answer == QUEUE_AWAY || answer == QUEUE_REFUSED ||
                        (answer == QUEUE_OK && entry.number >= 0 && entry.number < blocks &&
                         strlen(entry.id) < SEED_ENTRY_BYTES));
            seed_queue_close(queue);
            fake_stop(&fake);
        }
}

GROUP(seed_queue, start_store, stop_store);
