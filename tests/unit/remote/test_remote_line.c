/*
 * Lines: replies in pieces, what is no reply, replies without an end, silence, and who is not there.
 */
#include "../remote_kit.h"

static void play_bytewise(struct fake *fake, int fd)
{
    char command[256];
    if (fake_read(fd, command, sizeof command) > 0)
        for (size_t i = 0; i < fake->bytes && fake_write(fd, fake->text + i, 1); i++)
            if (i % 16 == 0)
                uv_sleep(1);
    fake_hang(fake, fd);
}

static void play_then_close(struct fake *fake, int fd)
{
    char command[256];
    if (fake_read(fd, command, sizeof command) > 0)
        fake_write(fd, fake->text, fake->bytes);
}

static void play_then_hang(struct fake *fake, int fd)
{
    play_then_close(fake, fd);
    fake_hang(fake, fd);
}

/* The text, and then the letter a until the other end has had enough. */
static void play_for_ever(struct fake *fake, int fd)
{
    char bytes[65536];
    memset(bytes, 'a', sizeof bytes);
    play_then_close(fake, fd);
    while (!atomic_load(&fake->stop) && fake_write(fd, bytes, sizeof bytes))
        ;
}

/* A byte now and then: no single wait is long. */
static void play_drops(struct fake *fake, int fd)
{
    play_then_close(fake, fd);
    while (!atomic_load(&fake->stop) && fake_write(fd, "a", 1))
        uv_sleep(5);
}

/* Takes nothing: what is sent fills the socket. */
static void play_deaf(struct fake *fake, int fd)
{
    (void)fd;
    while (!atomic_load(&fake->stop))
        uv_sleep(5);
}

struct asked {
    struct line *line;
    redisReply *reply;
    uint64_t took_ms;
};

/* Asks a fake one PING. */
static struct asked ask(const struct fake *fake, uint64_t ms)
{
    struct asked asked = {.line = kit_line(fake->url, NULL, KIT_LONG_MS)};
    if (!asked.line)
        fail_msg("%s", kit_error);
    const uint64_t from_ns = uv_hrtime();
    asked.reply = kit_say(asked.line, "PING", ms);
    asked.took_ms = (uv_hrtime() - from_ns) / KIT_MS;
    return asked;
}

static void asked_end(struct asked *asked)
{
    if (asked->reply)
        freeReplyObject(asked->reply);
    line_close(asked->line);
}

/* What is played is no reply: PING ends with a fault, after as long as it may take where that is its being late. */
static void expect_fault(void (*play)(struct fake *fake, int fd), const char *text, uint64_t ms,
                         enum line_fault fault)
{
    struct fake fake;

    fake_start(&fake, play, text, strlen(text));
    struct asked asked = ask(&fake, ms);
    assert_null(asked.reply);
    if (line_fault(asked.line) != fault)
        fail_msg("%s: %d %s", text, line_fault(asked.line), line_error(asked.line));
    assert_true(line_error(asked.line)[0]);
    assert_true(fault != LINE_LATE || (asked.took_ms >= ms && asked.took_ms < KIT_LONG_MS));
    assert_null(kit_say(asked.line, "PING", KIT_LONG_MS)); /* for good */
    asked_end(&asked);
    fake_stop(&fake);
}

TEST(replies_come_in_pieces)
{
    static const char text[] = "*3\r\n$11\r\nhello\r\nyou!\r\n*2\r\n:-42\r\n*0\r\n$-1\r\n-NO it is\r\n";
    struct fake fake;

    fake_start(&fake, play_bytewise, text, sizeof text - 1);
    struct asked asked = ask(&fake, KIT_LONG_MS);
    assert_non_null(asked.reply);
    assert_int_equal(asked.reply->type, REDIS_REPLY_ARRAY);
    assert_int_equal(asked.reply->elements, 3);
    assert_string_equal(asked.reply->element[0]->str, "hello\r\nyou!");
    assert_int_equal(asked.reply->element[1]->element[0]->integer, -42);
    assert_int_equal(asked.reply->element[1]->element[1]->elements, 0);
    assert_int_equal(asked.reply->element[2]->type, REDIS_REPLY_NIL);
    /* What follows is the next one's. */
    freeReplyObject(asked.reply);
    asked.reply = line_receive(asked.line, kit_in_ms(KIT_LONG_MS));
    assert_non_null(asked.reply);
    assert_int_equal(asked.reply->type, REDIS_REPLY_ERROR);
    assert_string_equal(asked.reply->str, "NO it is");
    asked_end(&asked);
    fake_stop(&fake);
}

TEST(what_is_no_reply_ends_with_its_fault)
{
    static const struct {
        void (*play)(struct fake *fake, int fd);
        uint64_t ms;
        enum line_fault fault;
        const char *text[20];
    } bad[] = {
        {play_then_hang,
         KIT_LONG_MS,
         LINE_NONSENSE,
         {"HTTP/1.1 400 Bad Request\r\n\r\n", "\r\n", "+OK\n", "+OK\rx", "+O\nK\r\n", ":\r\n", ":-\r\n",
          ":1x\r\n", ":9223372036854775808\r\n", ":99999999999999999999\r\n",
          ":0000000000000000000000000000000001\r\n", "$\r\n", "$-2\r\n", "$03\r\nabc\r\n", "$3\r\nabcd\r\n",
          "$3\r\nabc\rx", "*-2\r\n", "*1\r\n%1\r\n"}},
        {play_then_hang,
         KIT_LONG_MS,
         LINE_TOO_LONG,
         {"$67112961\r\n", "$9223372036854775807\r\n", "$67112948\r\n", "*65537\r\n", "*4294967296\r\n",
          "*9223372036854775807\r\n", "*65536\r\n*1\r\n",
          "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"}},
        /* What could be a reply's beginning is waited for; the longest is 67112947. A store that closes is told from one that is late. */
        {play_then_hang,
         60,
         LINE_LATE,
         {"$67112947\r\n", "*2\r\n$67000000\r\n", "", "+O", "$5\r\nab", "*2\r\n:1\r\n"}},
        {play_then_close, KIT_LONG_MS, LINE_CLOSED, {"", "+O", "$5\r\nab", "*2\r\n:1\r\n"}},
        /* Replies without an end are not kept. */
        {play_for_ever, 3 * KIT_LONG_MS, LINE_TOO_LONG, {"+", "-", ":", "$", "*"}},
        {play_for_ever, 3 * KIT_LONG_MS, LINE_NONSENSE, {"", "$67000000\r\n", "*1\r\n$1\r\n"}},
        /* Bytes now and then, and faster than they are taken, so that there is never anything to wait for. */
        {play_drops, 150, LINE_LATE, {"$1000000\r\n"}},
        {play_for_ever, 5, LINE_LATE, {"$67000000\r\n"}}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (const char *const *text = bad[i].text; *text; text++)
            expect_fault(bad[i].play, *text, bad[i].ms, bad[i].fault);
}

TEST(deadlines_hold_for_what_is_sent)
{
    const size_t bytes = (size_t)32 << 20;
    char *const much = calloc(1, bytes);
    struct fake fake;

    assert_non_null(much);
    fake_start(&fake, play_deaf, "", 0);
    struct line *const line = kit_line(fake.url, NULL, KIT_LONG_MS);
    assert_non_null(line);
    const struct line_word words[] = {LINE_WORD("SET"), LINE_WORD("key"), LINE_BYTES(much, bytes)};
    const uint64_t from_ns = uv_hrtime();
    assert_int_equal(line_send(line, words, 3, from_ns + 100 * KIT_MS), -1);
    assert_int_equal(line_fault(line), LINE_LATE);
    assert_true(uv_hrtime() - from_ns >= 100 * KIT_MS && uv_hrtime() < kit_in_ms(KIT_LONG_MS));
    assert_null(line_receive(line, kit_in_ms(KIT_LONG_MS)));
    line_close(line);
    fake_stop(&fake);
    free(much);
}

TEST(who_is_not_there_is_said)
{
    struct line_place place;
    char text[64];

    snprintf(text, sizeof text, "redis://127.0.0.1:%u", kit_free_port());
    assert_null(kit_line(text, NULL, KIT_LONG_MS));
    assert_string_equal(kit_error, "connecting: Connection refused");
    assert_null(kit_line("unix:///tmp/terrane-no-such-socket", NULL, KIT_LONG_MS));
    assert_string_equal(kit_error, "connecting: No such file or directory");
    assert_int_equal(remote_url_read(&kit_url, "redis://store.invalid", kit_error, sizeof kit_error), 0);
    assert_int_equal(line_find(&place, &kit_url, kit_error, sizeof kit_error), -1);
    assert_memory_equal(kit_error, "store.invalid: ", 15);
}

/* Of two addresses the first does not answer: the second has its time. */
TEST(the_next_address_has_its_turn)
{
    struct fake fake;
    char text[64];

    fake_start(&fake, play_then_hang, "+PONG\r\n", 7);
    snprintf(text, sizeof text, "redis://127.0.0.1:%u", kit_free_port());
    struct line_place place = kit_find(text);
    place.at[1] = kit_find(fake.url).at[0];
    place.count = 2;
    struct line *const line =
        line_open(&kit_url, &place, NULL, kit_in_ms(KIT_LONG_MS), kit_error, sizeof kit_error);
    if (!line)
        fail_msg("%s", kit_error);
    redisReply *const reply = kit_say(line, "PING", KIT_LONG_MS);
    assert_non_null(reply);
    freeReplyObject(reply);
    line_close(line);
    fake_stop(&fake);
}

/* A store's words about a refusal are cut and cleaned, and hold no secret of ours. */
TEST(refusals_are_said_in_clean_words)
{
    static const char text[] =
        "-WRONGPASS \033[31mred\177 \377 0123456789012345678901234567890123456789012345678901234"
        "56789012345678901234567890123456789012345678901234567890123456789\r\n";
    struct fake fake;
    char place[96];

    fake_start(&fake, play_then_hang, text, sizeof text - 1);
    snprintf(place, sizeof place, "redis://me:secret@127.0.0.1:%u", fake.port);
    assert_null(kit_line(place, NULL, KIT_LONG_MS));
    assert_memory_equal(kit_error, "signing in: WRONGPASS ?[31mred? ? 0123456789", 44);
    assert_true(strlen(kit_error) < 160);
    fake_stop(&fake);
}

GROUP(remote_line);
