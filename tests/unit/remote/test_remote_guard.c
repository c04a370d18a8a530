/*
 * The guard in front of the parser: what it lets through, the parser takes to the last byte, however it is cut; and lines in a
 * process whose memory is short.
 */
#include "../remote_kit.h"

#include "../../../server/cache/remote_line_parts.h"
#include "../shortage_kit.h"

static uint64_t dice_state = 42;

static unsigned dice(unsigned sides)
{
    dice_state = dice_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(dice_state >> 33) % sides;
}

struct text {
    char bytes[8192];
    size_t count;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text->count +=
        (size_t)vsnprintf(text->bytes + text->count, sizeof text->bytes - text->count, format, arguments);
    va_end(arguments);
    assert_true(text->count < sizeof text->bytes);
}

/* A value such as stores send. */
static void add_value(struct text *text, unsigned depth)
{
    const unsigned kind = dice(depth < 6 && text->count < 4000 ? 8 : 6);

    if (kind == 0)
        add(text, "+OK%u\r\n", dice(1000));
    else if (kind == 1)
        add(text, "-ERR no. %u\r\n", dice(1000));
    else if (kind == 2)
        add(text, ":%s%u\r\n", dice(2) ? "" : "-", 1 + dice(100000));
    else if (kind == 3)
        add(text, "$-1\r\n");
    else if (kind == 4)
        add(text, "*-1\r\n");
    else if (kind == 5) {
        const unsigned bytes = dice(40);
        add(text, "$%u\r\n", bytes);
        for (unsigned i = 0; i < bytes; i++)
            text->bytes[text->count++] = "ab\r\n$*\0"[dice(7)];
        add(text, "\r\n");
    } else {
        const unsigned count = dice(5);
        add(text, "*%u\r\n", count);
        for (unsigned i = 0; i < count; i++)
            add_value(text, depth + 1);
    }
}

/* Gives the guard pieces of a text; how it ends, and how many bytes it took. Strings are gone on with as its user does. */
static enum guard_answer look(const struct text *text, unsigned max, size_t *taken)
{
    struct guard guard;
    enum guard_answer answer = GUARD_MORE;

    guard_begin(&guard, 1 << 20);
    *taken = 0;
    while (*taken < text->count && answer == GUARD_MORE) {
        size_t count = 1 + dice(max), step;
        if (count > text->count - *taken)
            count = text->count - *taken;
        answer = guard_look(&guard, text->bytes + *taken, count, &step);
        assert_true(step <= count && (answer != GUARD_MORE || step == count));
        *taken += step;
    }
    if (answer == GUARD_STRING) {
        const size_t end = *taken + guard.payload;
        if (end > text->count)
            return GUARD_MORE;
        *taken = end;
        return memcmp(text->bytes + end - 2, "\r\n", 2) == 0 ? GUARD_WHOLE : GUARD_NONSENSE;
    }
    return answer;
}

/* Whether the parser takes so many bytes as one reply, with nothing left. */
static bool parses(const struct text *text, size_t count)
{
    redisReader *const reader = redisReaderCreate();
    void *reply = NULL;
    bool fine = redisReaderFeed(reader, text->bytes, count - 1) == REDIS_OK &&
                redisReaderGetReply(reader, &reply) == REDIS_OK && !reply;

    fine = fine && redisReaderFeed(reader, text->bytes + count - 1, 1) == REDIS_OK &&
           redisReaderGetReply(reader, &reply) == REDIS_OK && reply && reader->pos == reader->len;
    if (reply)
        freeReplyObject(reply);
    redisReaderFree(reader);
    return fine;
}

TEST(what_passes_is_what_the_parser_takes)
{
    size_t whole = 0, broken = 0;

    for (int round = 0; round < 20000; round++) {
        struct text text = {.count = 0};
        size_t taken, again;

        add_value(&text, 0);
        const size_t one = text.count;
        add_value(&text, 6);
        assert_int_equal(look(&text, 1 + dice(64), &taken), GUARD_WHOLE);
        assert_int_equal(taken, one);
        assert_true(parses(&text, taken));
        /* Some bytes wrong. What still passes has to parse; and how it comes in pieces must not matter. */
        for (unsigned i = 1 + dice(3); i > 0; i--)
            text.bytes[dice((unsigned)text.count)] = "\r\n+-:$*0123456789a\0"[dice(20)];
        const enum guard_answer answer = look(&text, 1, &taken);
        assert_int_equal(look(&text, 4096, &again), answer);
        assert_int_equal(again, taken);
        if (answer == GUARD_WHOLE && !parses(&text, taken))
            fail_msg("round %d: %.*s", round, (int)taken, text.bytes);
        whole += answer == GUARD_WHOLE;
        broken += answer == GUARD_NONSENSE || answer == GUARD_TOO_LONG;
    }
    assert_true(whole > 1000 && broken > 1000);
}

#ifdef SHORTAGE_HOOKED
static bool talk(const struct line_place *place)
{
    static const char *const commands[] = {"SET a 1", "GET a", "GET none", "COMMAND INFO get set", "NOSUCH"};
    struct line *const line =
        line_open(&kit_url, place, NULL, kit_in_ms(KIT_LONG_MS), kit_error, sizeof kit_error);

    if (!line)
        return false;
    size_t done = 0;
    for (; done < sizeof commands / sizeof *commands; done++) {
        redisReply *const reply = kit_say(line, commands[done], KIT_LONG_MS);
        if (!reply)
            break;
        freeReplyObject(reply);
    }
    const bool fine = done == sizeof commands / sizeof *commands;
    if (!fine && line_fault(line) != LINE_MEMORY) {
        heap_spared++;
        fail_msg("%s", line_error(line));
    }
    line_close(line);
    return fine;
}

TEST(lines_break_where_memory_is_short)
{
    struct store store;
    bool fine = false;

    heap_spared++;
    store_start(&store);
    const struct line_place place = kit_find(store.url);
    const long living = atomic_load(&heap.living);
    for (long k = 0; !fine; k++) {
        heap_fail(k, k + 1);
        heap_spared--;
        fine = talk(&place);
        heap_spared++;
        assert_true(k < 10000);
        assert_true(k > 10 || !fine);
        assert_int_equal(atomic_load(&heap.living), living);
    }
    heap_fail(0, 0);
    store_stop(&store);
    heap_spared--;
}
#endif

GROUP(remote_guard);
