/*
 * Lines: commands out, replies in, in order.
 *
 *  (1) A received byte is in `in` until the guard (remote_guard.c) has seen it, then in the reader. The reader is
 *      called when the guard reports a complete reply, and has nothing left after that. A reply that is one string
 *      (an entry) bypasses the reader, which would copy it twice and grow: it is received into its final place.
 *  (2) Sending does not read: a store takes commands even if its replies are not read, and the reply to one command
 *      is small beside the socket buffers. Otherwise the deadline would end it.
 *  (3) Messages show the store's own words, cut and without control characters, and never what was sent to it.
 */
#include "remote_line.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <uv.h>

#include "../base/check.h"
#include "remote_line_parts.h"

enum { IN_BYTES = 65536, LENGTH_BYTES = 24, PIECES = 1 + 4 * LINE_WORDS, SHOWN_BYTES = 120 };

_Static_assert((int)PIECES <= (int)WIRE_VECTORS, "a command goes at once");

struct line {
    struct wire wire;
    struct guard guard;
    redisReader *reader;
    size_t in_at, in_bytes; /* in[in_at .. in_bytes) has come and was not looked at */
    char in[IN_BYTES];
};

static int line_find_local(struct line_place *place, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t bytes = strlen(path);

    CHECK(bytes < sizeof address.sun_path); /* by remote_url_read */
    memcpy(address.sun_path, path, bytes + 1);
    memcpy(&place->at[0].address, &address, sizeof address);
    place->at[0].bytes = sizeof address;
    place->count = 1;
    return 0;
}

int line_find(struct line_place *place, const struct remote_url *url, char *error, size_t error_bytes)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    char port[8];

    *place = (struct line_place){0};
    if (url->local)
        return line_find_local(place, url->host);
    snprintf(port, sizeof port, "%u", url->port);
    const int failed = getaddrinfo(url->host, port, &hints, &list);
    if (failed != 0) {
        snprintf(error, error_bytes, "%.200s: %s", url->host, gai_strerror(failed));
        return -1;
    }
    for (const struct addrinfo *a = list; a && place->count < LINE_ADDRESSES; a = a->ai_next) {
        if (a->ai_addrlen > sizeof place->at[0].address)
            continue;
        memcpy(&place->at[place->count].address, a->ai_addr, a->ai_addrlen);
        place->at[place->count++].bytes = a->ai_addrlen;
    }
    freeaddrinfo(list);
    if (place->count > 0)
        return 0;
    snprintf(error, error_bytes, "%.200s: has no address", url->host);
    return -1;
}

/* Control characters and what is not ASCII become '?'. */
static void clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
            *text = '?';
}

void line_clean(char *text, size_t bytes, const redisReply *reply)
{
    const bool has_text = reply->type == REDIS_REPLY_ERROR || reply->type == REDIS_REPLY_STATUS;

    snprintf(text, bytes, "%s", has_text && reply->str ? reply->str : "");
    clean(text);
}

/* Each address has an equal share of the remaining time, so one that does not answer leaves some for the next. */
static int line_connect(struct line *line, const struct line_place *place, uint64_t deadline_ns)
{
    for (size_t i = 0; i < place->count; i++) {
        const uint64_t now_ns = uv_hrtime();
        const uint64_t left_ns = now_ns < deadline_ns ? deadline_ns - now_ns : 0;

        if (wire_connect(&line->wire, (const struct sockaddr *)&place->at[i].address, place->at[i].bytes,
                         now_ns + left_ns / (place->count - i)) == 0)
            return 0;
    }
    return -1;
}

/* A refusal of the store's, as the line's end. */
static int line_refused(struct line *line, const char *what, const redisReply *reply)
{
    char text[SHOWN_BYTES];

    line_clean(text, sizeof text, reply);
    return wire_fail(&line->wire, LINE_UNREACHABLE, "%s: %s", what,
                     text[0] ? text : "an answer of a wrong kind");
}

static int line_expect_ok(struct line *line, const char *what, uint64_t deadline_ns)
{
    redisReply *const reply = line_receive(line, deadline_ns);
    int failed = 0;

    if (!reply)
        return -1;
    if (reply->type != REDIS_REPLY_STATUS)
        failed = line_refused(line, what, reply);
    freeReplyObject(reply);
    return failed;
}

/*
 * Signs in and selects the database, in one round trip. A store that requires a password otherwise says so at the
 * first command.
 */
static int line_sign_in(struct line *line, const struct remote_url *url, uint64_t deadline_ns)
{
    const bool signs = url->user[0] || url->password[0], selects = url->database > 0;
    char database[16];

    if (signs) {
        const struct line_word with_user[] = {LINE_WORD("AUTH"), LINE_WORD(url->user),
                                              LINE_WORD(url->password)};
        const struct line_word alone[] = {LINE_WORD("AUTH"), LINE_WORD(url->password)};

        if (line_send(line, url->user[0] ? with_user : alone, url->user[0] ? 3 : 2, deadline_ns) < 0)
            return -1;
    }
    if (selects) {
        snprintf(database, sizeof database, "%u", url->database);
        const struct line_word select[] = {LINE_WORD("SELECT"), LINE_WORD(database)};

        if (line_send(line, select, 2, deadline_ns) < 0)
            return -1;
    }
    if (signs && line_expect_ok(line, "signing in", deadline_ns) < 0)
        return -1;
    return selects ? line_expect_ok(line, "selecting the database", deadline_ns) : 0;
}

struct line *line_open(const struct remote_url *url, const struct line_place *place,
                       const struct line_trust *trust, uint64_t deadline_ns, char *error, size_t error_bytes)
{
    struct line *const line = malloc(sizeof *line);

    CHECK(place->count > 0 && place->count <= LINE_ADDRESSES);
    CHECK(trust || !url->tls);
    if (!line) {
        snprintf(error, error_bytes, "memory is short");
        return NULL;
    }
    wire_init(&line->wire);
    guard_begin(&line->guard, LINE_REPLY_BYTES);
    line->in_at = line->in_bytes = 0;
    line->reader = redisReaderCreate();
    if (!line->reader)
        wire_fail(&line->wire, LINE_MEMORY, "memory is short");
    else if (line_connect(line, place, deadline_ns) == 0 &&
             (!url->tls || wire_encrypt(&line->wire, trust, url->host, deadline_ns) == 0) &&
             line_sign_in(line, url, deadline_ns) == 0)
        return line;
    snprintf(error, error_bytes, "%s", line_error(line));
    line_close(line);
    return NULL;
}

/*
 * The vectors of a command: a line with its count, and for each word a line with its length, its bytes, and a line
 * end.
 */
struct command {
    size_t count;
    struct iovec piece[PIECES];
    char length[1 + LINE_WORDS][LENGTH_BYTES];
};

static void command_add(struct command *command, const void *data, size_t bytes)
{
    union {
        const void *from;
        void *to;
    } const pointer = {.from = data}; /* sendmsg only reads */

    if (bytes > 0)
        command->piece[command->count++] = (struct iovec){pointer.to, bytes};
}

int line_send(struct line *line, const struct line_word *words, size_t count, uint64_t deadline_ns)
{
    struct command command = {.count = 0};

    CHECK(count >= 1 && count <= LINE_WORDS);
    command_add(&command, command.length[0],
                (size_t)snprintf(command.length[0], LENGTH_BYTES, "*%zu\r\n", count));
    for (size_t i = 0; i < count; i++) {
        char *const length = command.length[1 + i];
        const size_t bytes = words[i].bytes + words[i].tail_bytes;

        command_add(&command, length, (size_t)snprintf(length, LENGTH_BYTES, "$%zu\r\n", bytes));
        command_add(&command, words[i].data, words[i].bytes);
        command_add(&command, words[i].tail, words[i].tail_bytes);
        command_add(&command, "\r\n", 2);
    }
    return wire_send(&line->wire, command.piece, command.count, deadline_ns);
}

static redisReply *line_nonsense(struct line *line)
{
    wire_fail(&line->wire, LINE_NONSENSE, "what came is not RESP: not a store's answer");
    return NULL;
}

static redisReply *line_no_memory(struct line *line)
{
    wire_fail(&line->wire, LINE_MEMORY, "memory is short");
    return NULL;
}

/* Receives more bytes. Checks the time, since a stream without pauses never makes the wire wait. */
static ssize_t line_more(struct line *line, char *bytes, size_t room, uint64_t deadline_ns)
{
    if (line->guard.bytes > 0 && uv_hrtime() >= deadline_ns)
        return wire_fail(&line->wire, LINE_LATE, "the answer takes too long");
    return wire_receive(&line->wire, bytes, room, deadline_ns);
}

/* The bytes of a string and its CR LF; room for bytes and 2 more. */
static int line_take(struct line *line, char *text, size_t bytes, uint64_t deadline_ns)
{
    const size_t there = line->in_bytes - line->in_at, whole = bytes + 2;
    size_t have = there < whole ? there : whole;

    memcpy(text, line->in + line->in_at, have);
    line->in_at += have;
    while (have < whole) {
        const ssize_t count = line_more(line, text + have, whole - have, deadline_ns);

        if (count < 0)
            return -1;
        have += (size_t)count;
    }
    if (memcmp(text + bytes, "\r\n", 2) == 0)
        return 0;
    line_nonsense(line);
    return -1;
}

/* A reply that is one string, or none (text NULL); takes the text. */
static redisReply *line_string(struct line *line, char *text, size_t bytes)
{
    redisReply *const reply = calloc(1, sizeof *reply);

    guard_begin(&line->guard, LINE_REPLY_BYTES);
    if (!reply) {
        free(text);
        return line_no_memory(line);
    }
    reply->type = text ? REDIS_REPLY_STRING : REDIS_REPLY_NIL;
    reply->str = text;
    reply->len = bytes;
    return reply;
}

static redisReply *line_receive_string(struct line *line, uint64_t deadline_ns)
{
    const size_t bytes = line->guard.payload - 2;
    char *const text = malloc(bytes + 2);

    if (!text)
        return line_no_memory(line);
    if (line_take(line, text, bytes, deadline_ns) < 0) {
        free(text);
        return NULL;
    }
    text[bytes] = '\0';
    return line_string(line, text, bytes);
}

/* The reader has all of a reply. */
static redisReply *line_parse(struct line *line)
{
    void *reply = NULL;

    guard_begin(&line->guard, LINE_REPLY_BYTES);
    if (redisReaderGetReply(line->reader, &reply) == REDIS_OK && reply)
        return reply;
    return line->reader->err == REDIS_ERR_OOM ? line_no_memory(line) : line_nonsense(line);
}

redisReply *line_receive(struct line *line, uint64_t deadline_ns)
{
    if (line->wire.fault != LINE_FINE)
        return NULL;
    for (bool direct = false;;) {
        size_t taken;

        if (line->in_at == line->in_bytes) {
            const ssize_t count = line_more(line, line->in, sizeof line->in, deadline_ns);

            if (count < 0)
                return NULL;
            line->in_at = 0;
            line->in_bytes = (size_t)count;
        }
        const char *const from = line->in + line->in_at;
        if (line->guard.bytes == 0)
            direct = *from == '$';
        const enum guard_answer answer = guard_look(&line->guard, from, line->in_bytes - line->in_at, &taken);
        line->in_at += taken;
        if (answer == GUARD_NONSENSE)
            return line_nonsense(line);
        if (answer == GUARD_TOO_LONG) {
            wire_fail(&line->wire, LINE_TOO_LONG, "an answer that is too long came");
            return NULL;
        }
        if (answer == GUARD_STRING)
            return line_receive_string(line, deadline_ns);
        if (direct && answer == GUARD_WHOLE)
            return line_string(line, NULL, 0);
        if (!direct && redisReaderFeed(line->reader, from, taken) != REDIS_OK)
            return line_no_memory(line);
        if (answer == GUARD_WHOLE)
            return line_parse(line);
    }
}

redisReply *line_call(struct line *line, const struct line_word *words, size_t count, uint64_t deadline_ns)
{
    return line_send(line, words, count, deadline_ns) < 0 ? NULL : line_receive(line, deadline_ns);
}

const char *line_error(const struct line *line)
{
    return line->wire.error;
}

enum line_fault line_fault(const struct line *line)
{
    return line->wire.fault;
}

void line_close(struct line *line)
{
    if (!line)
        return;
    wire_close(&line->wire);
    if (line->reader)
        redisReaderFree(line->reader);
    free(line);
}
