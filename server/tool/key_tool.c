/*
 * terrane key: makes an API key for its holder, and what the file of keys says of it. Nothing is kept, and
 * the key itself stands nowhere but on standard error: only its hash goes to the file.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../access/keys.h"
#include "../base/text.h"
#include "tool.h"

static const char usage[] =
    "usage: terrane key [options]\n\n"
    "Makes a random API key. The key, for its holder, goes to standard error; the member of the file of "
    "keys\n"
    "(access.keys_file), which has the key's SHA-256 alone, to standard output.\n\n"
    "  --name NAME       the holder: [A-Za-z][A-Za-z0-9_-]{0,63}, once in the file (default: of the hash)\n"
    "  --expires TIME    " KEY_TEXT_TIME_ALLOWED " (default: never)\n"
    "  --edit            the holder may change worlds that people change; each of these bounds it:\n"
    "  --box X0,Y0,X1,Y1   nothing outside this rectangle, in metres\n"
    "  --outer-max M       the largest radius of an operation, in metres\n"
    "  --per-second N      operations a second, in the long run\n"
    "  --per-day N         operations a day, in UTC\n"
    "  --follow          the holder is a server that may copy these worlds whole, with their seeds\n"
    "  --hash            reads a key from standard input's first line instead of making one\n\n"
    "A key is " KEY_TEXT_ALLOWED ".\n";

enum { KEY_CHARACTERS = 32, LINE_MAX = 1024, VALUE_MAX = 120, EDIT_BYTES = 640 };

/* What is asked for; NULL: it is not. */
struct wish {
    const char *name, *expires;
    bool edit, follow;
    const char *box, *outer_max, *per_second, *per_day;
};

/* 32 of 62 characters: 190 bits. Returns 0, or -1 with a line on standard error. */
static int key_make(char key[KEY_CHARACTERS])
{
    static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    unsigned char random[64];
    int made = 0;

    while (made < KEY_CHARACTERS) {
        if (getrandom(random, sizeof random, 0) != sizeof random) {
            fputs("terrane key: the system gives no random bytes\n", stderr);
            return -1;
        }
        for (size_t i = 0; i < sizeof random && made < KEY_CHARACTERS; i++)
            if (random[i] < 248) /* 4 * 62: each character is as likely as any other */
                key[made++] = alphabet[random[i] % 62];
    }
    explicit_bzero(random, sizeof random);
    return 0;
}

/* Fills line with standard input's first one, as much of it as there is room for. Returns its bytes. */
static size_t line_read(char *line, size_t room)
{
    size_t bytes = 0;
    for (int byte; bytes < room && (byte = getchar()) != EOF && byte != '\n';)
        line[bytes++] = (char)byte;
    return bytes;
}

/* The right to change worlds, as the member of the file has it. */
static void edit_text(const struct wish *wish, char text[static EDIT_BYTES])
{
    const char *const value[] = {wish->box, wish->outer_max, wish->per_second, wish->per_day};
    static const char *const form[] = {"%s\"box\": [%.120s]", "%s\"outer_max_m\": %.120s",
                                       "%s\"per_second\": %.120s", "%s\"per_day\": %.120s"};
    size_t used = (size_t)snprintf(text, EDIT_BYTES, "%s", wish->edit ? ", \"edit\": " : "");
    const size_t begin = used;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    for (int i = 0; i < 4; i++)
        if (value[i])
            used += (size_t)snprintf(text + used, EDIT_BYTES - used, form[i], used > begin ? ", " : "{",
                                     value[i]);
#pragma GCC diagnostic pop
    if (wish->edit)
        snprintf(text + used, EDIT_BYTES - used, "%s", used > begin ? "}" : "true");
}

/* The member of the file: on one line, with a line feed. Returns 0, or -1 with a line on standard error. */
static int member_write(const char *key, size_t bytes, const struct wish *wish)
{
    unsigned char sha256[32];
    char hex[65], own_name[16], edit[EDIT_BYTES];
    const char *name = wish->name, *expires = wish->expires;

    if (key_text_hash(key, bytes, sha256) != 0) {
        fputs("terrane key: SHA-256 is not to be had\n", stderr);
        return -1;
    }
    text_hex(hex, sha256, sizeof sha256);
    snprintf(own_name, sizeof own_name, "key-%.8s", hex);
    edit_text(wish, edit);
    printf("{\"name\": \"%s\", \"sha256\": \"%s\"%s%s%s%s%s}\n", name ? name : own_name, hex,
           expires ? ", \"expires\": \"" : "", expires ? expires : "", expires ? "\"" : "", edit,
           wish->follow ? ", \"follow\": true" : "");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("terrane key: standard output");
        return -1;
    }
    return 0;
}

/* Bounds of the right to change worlds: what the file's reader takes. */
static bool edit_check(const struct wish *wish)
{
    const struct {
        const char *option, *value;
    } bound[] = {{"box", wish->box},
                 {"outer-max", wish->outer_max},
                 {"per-second", wish->per_second},
                 {"per-day", wish->per_day}};
    char edit[EDIT_BYTES], text[EDIT_BYTES + 200], error[400], shown[TEXT_SHOWN_BYTES];

    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        const char *value = bound[i].value;
        const bool fine =
            value && strlen(value) <= VALUE_MAX && value[strspn(value, "0123456789+-.,eE")] == 0;
        if (value && (!fine || !wish->edit)) {
            text_show(shown, sizeof shown, value);
            fprintf(stderr, "terrane key: --%s: %s%s\n", bound[i].option, shown,
                    fine ? " needs --edit, too"
                         : " is no number: allowed are decimals, of a box four with commas");
            return false;
        }
    }
    edit_text(wish, edit);
    snprintf(text, sizeof text,
             "{\"keys\": [{\"name\": \"k\", \"sha256\": "
             "\"0000000000000000000000000000000000000000000000000000000000000000\"%s}]}",
             edit);
    struct keys *keys = keys_parse(text, strlen(text), "terrane key", error, sizeof error);
    if (!keys)
        fprintf(stderr, "%s\n", error);
    keys_free(keys);
    return keys != NULL;
}

/* Whether the options' values are allowed; false with a line on standard error. */
static bool values_check(const struct wish *wish)
{
    const char *name = wish->name, *expires = wish->expires;
    char shown[TEXT_SHOWN_BYTES];
    int64_t expires_s;

    if (!edit_check(wish))
        return false;
    if (name && !text_name(name)) {
        text_show(shown, sizeof shown, name);
        fprintf(stderr, "terrane key: --name: %s is no name: allowed [A-Za-z][A-Za-z0-9_-]{0,63}\n", shown);
        return false;
    }
    if (!expires)
        return true;
    text_show(shown, sizeof shown, expires);
    if (!key_text_time(expires, &expires_s)) {
        fprintf(stderr, "terrane key: --expires: %s is no time: allowed %s\n", shown, KEY_TEXT_TIME_ALLOWED);
        return false;
    }
    if (expires_s <= (int64_t)time(NULL)) {
        fprintf(stderr, "terrane key: --expires: %s is past: allowed are times to come\n", shown);
        return false;
    }
    return true;
}

int key_command(int argc, char **argv)
{
    struct wish wish = {.name = NULL};
    bool hash = false;
    const struct option_spec specs[] = {{"name", 0, &wish.name, NULL},
                                        {"expires", 0, &wish.expires, NULL},
                                        {"edit", 0, NULL, &wish.edit},
                                        {"follow", 0, NULL, &wish.follow},
                                        {"box", 0, &wish.box, NULL},
                                        {"outer-max", 0, &wish.outer_max, NULL},
                                        {"per-second", 0, &wish.per_second, NULL},
                                        {"per-day", 0, &wish.per_day, NULL},
                                        {"hash", 0, NULL, &hash},
                                        {0}};
    char line[LINE_MAX];
    const char *key = line;
    size_t bytes = KEY_CHARACTERS;
    int words, status = 1;

    const int ended = options_read("key", usage, argc, argv, specs, NULL, 0, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    if (!values_check(&wish))
        return 2;
    if (hash) {
        const size_t read = line_read(line, sizeof line);
        key = key_text_line(line, read, &bytes);
        if (!key_text_allowed(key, bytes))
            fputs("terrane key: standard input's first line is no key: allowed " KEY_TEXT_ALLOWED "\n",
                  stderr);
        else
            status = member_write(key, bytes, &wish) == 0 ? 0 : 1;
    } else if (key_make(line) == 0 && member_write(key, bytes, &wish) == 0) {
        /* Last: a key that nobody's file knows is of no use to its holder. */
        status = fprintf(stderr, "%.*s\n", KEY_CHARACTERS, key) < 0;
    }
    explicit_bzero(line, sizeof line);
    return status;
}
