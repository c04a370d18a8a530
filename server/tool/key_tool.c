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
    "  --edit            the holder may change worlds that people change\n"
    "  --hash            reads a key from standard input's first line instead of making one\n\n"
    "A key is " KEY_TEXT_ALLOWED ".\n";

enum { KEY_CHARACTERS = 32, LINE_MOST = 1024 };

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

/* The member of the file: on one line, with a line feed. Returns 0, or -1 with a line on standard error. */
static int member_write(const char *key, size_t bytes, const char *name, const char *expires, bool edit)
{
    unsigned char sha256[32];
    char hex[65], own_name[16];

    if (key_text_hash(key, bytes, sha256) != 0) {
        fputs("terrane key: SHA-256 is not to be had\n", stderr);
        return -1;
    }
    for (size_t i = 0; i < sizeof sha256; i++)
        snprintf(hex + 2 * i, 3, "%02x", sha256[i]);
    snprintf(own_name, sizeof own_name, "key-%.8s", hex);
    printf("{\"name\": \"%s\", \"sha256\": \"%s\"%s%s%s%s}\n", name ? name : own_name, hex,
           expires ? ", \"expires\": \"" : "", expires ? expires : "", expires ? "\"" : "",
           edit ? ", \"edit\": true" : "");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("terrane key: standard output");
        return -1;
    }
    return 0;
}

/* Whether the options' values are allowed; false with a line on standard error. */
static bool values_check(const char *name, const char *expires)
{
    char shown[TEXT_SHOWN_BYTES];
    int64_t expires_s;

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
    const char *name = NULL, *expires = NULL;
    bool help = false, hash = false, edit = false;
    const struct option_spec specs[] = {{"name", 0, &name, NULL},   {"expires", 0, &expires, NULL},
                                        {"edit", 0, NULL, &edit},   {"hash", 0, NULL, &hash},
                                        {"help", 'h', NULL, &help}, {0}};
    char line[LINE_MOST];
    const char *key = line;
    size_t bytes = KEY_CHARACTERS;
    int words, status = 1;

    if (options_read("key", argc, argv, specs, NULL, 0, &words) != 0)
        return 2;
    if (help) {
        fputs(usage, stdout);
        return 0;
    }
    if (!values_check(name, expires))
        return 2;
    if (hash) {
        const size_t read = line_read(line, sizeof line);
        key = key_text_line(line, read, &bytes);
        if (!key_text_allowed(key, bytes))
            fputs("terrane key: standard input's first line is no key: allowed " KEY_TEXT_ALLOWED "\n",
                  stderr);
        else
            status = member_write(key, bytes, name, expires, edit) == 0 ? 0 : 1;
    } else if (key_make(line) == 0 && member_write(key, bytes, name, expires, edit) == 0) {
        /* Last: a key that nobody's file knows is of no use to its holder. */
        status = fprintf(stderr, "%.*s\n", KEY_CHARACTERS, key) < 0;
    }
    explicit_bzero(line, sizeof line);
    return status;
}
