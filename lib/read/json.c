/*
 * A lexer that looks one byte ahead, and a loop over tokens: what is open is linked by the tree itself, so nesting takes
 * no stack.
 *
 * Memory. A value begins the text or stands behind one of , [ { (a member's behind its name): so many are the most there
 * can be. A string without its quotes and escapes is shorter than the text it is written as, by room for its zero.
 */
#include "json.h"

#include <string.h>

#include "message.h"

enum { DEPTH_MAX = 2048, NEAR_MAX = 20, HEADS = 1024 };
enum { END = -1, BAD = -2 }; /* in place of a byte */

/* ... or the byte of one of ,:[]{} */
enum { TOKEN_INVALID = -1, TOKEN_END = 0, TOKEN_WORD = 256, TOKEN_NUMBER, TOKEN_STRING };

struct lexer {
    const char *at, *end;
    const char *bad;   /* the first byte that is no UTF-8; NULL: all are */
    const char *begin; /* of the token that is being read */
    int line, column, last_column;
    int token;
    bool failed;
    bool zero;          /* a string has a U+0000 */
    struct value value; /* what the token means, if it means one */
    const char *key;    /* of the value that comes next */
    unsigned hash;
    struct value *fresh;       /* where the next one goes */
    char *pool;                /* where the next string goes */
    struct value *head[HEADS]; /* of the members whose keys hash to that */
    char *error;
    size_t error_bytes;
};

/* "what near 'TOKEN'", where that is short. Of several mistakes the first one counts. Returns TOKEN_INVALID. */
static int refuse(struct lexer *lexer, const char *what)
{
    char near[NEAR_MAX + 1] = "";
    const size_t bytes = (size_t)(lexer->at - lexer->begin);
    const bool none = bytes == 0 || *lexer->begin == '\0';
    if (lexer->failed)
        return TOKEN_INVALID;
    lexer->failed = true;
    if (bytes <= NEAR_MAX)
        memcpy(near, lexer->begin, bytes);
    say(lexer->error, lexer->error_bytes, "line %d, column %d: %s%s%s%s", lexer->line, lexer->column, what,
        none && lexer->at != lexer->bad ? " near end of file"
        : near[0] != '\0'               ? " near '"
                                        : "",
        near, near[0] != '\0' ? "'" : "");
    return TOKEN_INVALID;
}

/* ---- Bytes ----------------------------------------------------------------------------------------------- */

/* Bytes of the sequence there; 0: it is no UTF-8. */
static int sequence(const char *text, const char *end)
{
    const unsigned char *at = (const unsigned char *)text;
    const int count = at[0] < 0x80   ? 1
                      : at[0] < 0xc2 ? 0
                      : at[0] < 0xe0 ? 2
                      : at[0] < 0xf0 ? 3
                      : at[0] < 0xf5 ? 4
                                     : 0;
    if (count > end - text)
        return 0;
    for (int i = 1; i < count; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const bool beyond =
        (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f); /* and surrogates */
    return overlong || beyond ? 0 : count;
}

static const char *bad_byte(const char *at, const char *end)
{
    while (at < end) {
        const int count = sequence(at, end);
        if (count == 0)
            return at;
        at += count;
    }
    return NULL;
}

/* Columns count characters. */
static bool begins_character(int byte)
{
    return (byte & 0xc0) != 0x80;
}

static int next(struct lexer *lexer)
{
    char what[40];
    if (lexer->at == lexer->end)
        return END;
    const int byte = (unsigned char)*lexer->at;
    if (lexer->at == lexer->bad) {
        say(what, sizeof what, "unable to decode byte 0x%x", (unsigned)byte);
        refuse(lexer, what);
        return BAD;
    }
    lexer->at++;
    if (byte == '\n') {
        lexer->line++;
        lexer->last_column = lexer->column;
        lexer->column = 0;
    } else if (begins_character(byte)) {
        lexer->column++;
    }
    return byte;
}

/* Takes the last byte back. */
static void back(struct lexer *lexer, int byte)
{
    if (byte < 0)
        return;
    lexer->at--;
    if (byte == '\n') {
        lexer->line--;
        lexer->column = lexer->last_column;
    } else if (begins_character(byte)) {
        lexer->column--;
    }
}

static bool is_letter(int byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* ---- Tokens ---------------------------------------------------------------------------------------------- */

static int digits_skip(struct lexer *lexer, int byte)
{
    while (is_digit(byte))
        byte = next(lexer);
    return byte;
}

static int integer_token(struct lexer *lexer)
{
    const bool minus = *lexer->begin == '-';
    const uint64_t max = (uint64_t)INT64_MAX + minus;
    uint64_t number = 0;
    for (const char *at = lexer->begin + minus; at < lexer->at; at++) {
        const unsigned digit = (unsigned)(*at - '0');
        if (number > (max - digit) / 10)
            return refuse(lexer, minus ? "too big negative integer" : "too big integer");
        number = number * 10 + digit;
    }
    lexer->value = (struct value){.kind = VALUE_INTEGER};
    lexer->value.integer = minus ? (int64_t)(0 - number) : (int64_t)number;
    return TOKEN_NUMBER;
}

static int number_token(struct lexer *lexer, int byte)
{
    if (byte == '-')
        byte = next(lexer);
    const bool zero = byte == '0';
    if (!is_digit(byte)) {
        back(lexer, byte);
        return TOKEN_INVALID;
    }
    byte = zero ? next(lexer) : digits_skip(lexer, byte);
    if ((zero && is_digit(byte)) || (byte != '.' && byte != 'e' && byte != 'E')) {
        back(lexer, byte);
        return zero && is_digit(byte) ? TOKEN_INVALID : integer_token(lexer);
    }
    if (byte == '.') {
        byte = next(lexer);
        if (!is_digit(byte)) {
            back(lexer, byte);
            return TOKEN_INVALID;
        }
        byte = digits_skip(lexer, byte);
    }
    if (byte == 'e' || byte == 'E') {
        byte = next(lexer);
        if (byte == '+' || byte == '-')
            byte = next(lexer);
        if (!is_digit(byte)) {
            back(lexer, byte);
            return TOKEN_INVALID;
        }
        byte = digits_skip(lexer, byte);
    }
    back(lexer, byte);
    lexer->value = (struct value){.kind = VALUE_REAL};
    if (!decimal_read(lexer->begin, (size_t)(lexer->at - lexer->begin), &lexer->value.real))
        return refuse(lexer, "real number overflow");
    return TOKEN_NUMBER;
}

/* The four digits behind \u. */
static unsigned unit_of(const char *at)
{
    unsigned unit = 0;
    for (int i = 0; i < 4; i++)
        unit = unit * 16 + (unsigned)hex_of(at[i]);
    return unit;
}

static char *utf8_put(char *out, unsigned point)
{
    if (point < 0x80) {
        *out++ = (char)point;
        return out;
    }
    if (point < 0x800) {
        *out++ = (char)(0xc0 | point >> 6);
    } else {
        if (point < 0x10000) {
            *out++ = (char)(0xe0 | point >> 12);
        } else {
            *out++ = (char)(0xf0 | point >> 18);
            *out++ = (char)(0x80 | (point >> 12 & 0x3f));
        }
        *out++ = (char)(0x80 | (point >> 6 & 0x3f));
    }
    *out++ = (char)(0x80 | (point & 0x3f));
    return out;
}

/* \uXXXX, or two of them, from the u on: returns where it ends; NULL: refused. */
static const char *unicode_decode(struct lexer *lexer, const char *at)
{
    char what[40];
    unsigned point = unit_of(at + 1), low = 0;
    at += 5;
    if (point >= 0xd800 && point < 0xdc00 && at[0] == '\\' && at[1] == 'u') {
        low = unit_of(at + 2);
        at += 6;
        if (low < 0xdc00 || low > 0xdfff) {
            say(what, sizeof what, "invalid Unicode '\\u%04X\\u%04X'", point, low);
            refuse(lexer, what);
            return NULL;
        }
        point = ((point - 0xd800) << 10) + (low - 0xdc00) + 0x10000;
    } else if (point >= 0xd800 && point < 0xe000) {
        say(what, sizeof what, "invalid Unicode '\\u%04X'", point);
        refuse(lexer, what);
        return NULL;
    }
    lexer->zero |= point == 0;
    lexer->pool = utf8_put(lexer->pool, point);
    return at;
}

/* What stands between the quotes, of which every escape is one. */
static int string_decode(struct lexer *lexer)
{
    static const char escape[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    const char *at = lexer->begin + 1, *const end = lexer->at - 1;
    lexer->zero = false;
    lexer->value = (struct value){.kind = VALUE_STRING};
    lexer->value.string = lexer->pool;
    while (at < end) {
        if (*at != '\\') {
            *lexer->pool++ = *at++;
        } else if (at[1] != 'u') {
            int k = 0;
            while (escape[k] != at[1])
                k++;
            *lexer->pool++ = meaning[k];
            at += 2;
        } else if ((at = unicode_decode(lexer, at + 1)) == NULL) {
            return TOKEN_INVALID;
        }
    }
    *lexer->pool++ = '\0';
    return TOKEN_STRING;
}

/* The rest of an escape; what it was that is none is refused. Returns the byte behind it. */
static int escape_skip(struct lexer *lexer)
{
    int byte = next(lexer);
    if (byte == 'u') {
        byte = next(lexer);
        for (int i = 0; i < 4; i++) {
            if (hex_of(byte) < 0)
                return refuse(lexer, "invalid escape");
            byte = next(lexer);
        }
        return byte;
    }
    if (byte == '"' || byte == '\\' || byte == '/' || byte == 'b' || byte == 'f' || byte == 'n' ||
        byte == 'r' || byte == 't')
        return next(lexer);
    return refuse(lexer, "invalid escape");
}

static int string_token(struct lexer *lexer)
{
    char what[40];
    int byte = next(lexer);
    while (byte != '"' && !lexer->failed) {
        if (byte == END)
            return refuse(lexer, "premature end of input");
        if (byte < 0x20) {
            back(lexer, byte);
            say(what, sizeof what, "control character 0x%x", (unsigned)byte);
            return refuse(lexer, byte == '\n' ? "unexpected newline" : what);
        }
        byte = byte == '\\' ? escape_skip(lexer) : next(lexer);
    }
    return lexer->failed ? TOKEN_INVALID : string_decode(lexer);
}

static int word_token(struct lexer *lexer)
{
    static const struct {
        const char *word;
        enum value_kind kind;
    } words[] = {{"true", VALUE_TRUE}, {"false", VALUE_FALSE}, {"null", VALUE_NULL}};
    int byte;
    do
        byte = next(lexer);
    while (is_letter(byte));
    back(lexer, byte);
    const size_t bytes = (size_t)(lexer->at - lexer->begin);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (bytes == strlen(words[k].word) && memcmp(lexer->begin, words[k].word, bytes) == 0) {
            lexer->value = (struct value){.kind = words[k].kind};
            return TOKEN_WORD;
        }
    return TOKEN_INVALID;
}

static int token_of(struct lexer *lexer, int byte)
{
    if (byte < 0)
        return byte == END ? TOKEN_END : TOKEN_INVALID;
    if (byte == '"')
        return string_token(lexer);
    if (is_digit(byte) || byte == '-')
        return number_token(lexer, byte);
    if (is_letter(byte))
        return word_token(lexer);
    for (const char *mark = ",:[]{}"; *mark; mark++)
        if (byte == *mark)
            return byte;
    while (byte >= 0x80 && lexer->at < lexer->end && lexer->at != lexer->bad &&
           !begins_character((unsigned char)*lexer->at))
        lexer->at++; /* the whole character, for the message */
    return TOKEN_INVALID;
}

static int scan(struct lexer *lexer)
{
    int byte;
    do {
        lexer->begin = lexer->at;
        byte = next(lexer);
    } while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r');
    return lexer->token = token_of(lexer, byte);
}

/* ---- The tree -------------------------------------------------------------------------------------------- */

static unsigned hash_of(const struct value *object, const char *key)
{
    uint32_t hash = (uint32_t)((uintptr_t)object >> 4) * UINT32_C(2654435761);
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * UINT32_C(16777619);
    return (hash ^ hash >> 15) % HEADS;
}

/* A member's name and its colon; the value's token comes next. */
static int key_scan(struct lexer *lexer, const struct value *open)
{
    if (lexer->token != TOKEN_STRING)
        return refuse(lexer, "string or '}' expected");
    if (lexer->zero)
        return refuse(lexer, "NUL byte in object key not supported");
    lexer->key = lexer->value.string;
    lexer->hash = hash_of(open, lexer->key);
    for (const struct value *at = lexer->head[lexer->hash]; at; at = at->same)
        if (at->up == open && strcmp(at->key, lexer->key) == 0)
            return refuse(lexer, "duplicate object key");
    if (scan(lexer) != ':')
        return refuse(lexer, "':' expected");
    return scan(lexer);
}

/* Puts the token's value into what is open. While a value is open, next is its last part. */
static struct value *append(struct lexer *lexer, struct value *open)
{
    struct value *value = lexer->fresh++;
    *value = lexer->value;
    value->up = open;
    if (!open)
        return value;
    if (open->kind == VALUE_OBJECT) {
        value->key = lexer->key;
        value->same = lexer->head[lexer->hash];
        lexer->head[lexer->hash] = value;
    }
    if (open->count++ > 0)
        open->next->next = value;
    else
        open->first = value;
    open->next = value;
    return value;
}

/* At a value's first token. Returns the value, perhaps open; NULL: refused. */
static struct value *value_begin(struct lexer *lexer, struct value *open, int depth)
{
    if (lexer->token == TOKEN_END && value_is(open, VALUE_ARRAY))
        refuse(lexer, "']' expected");
    else if (depth >= DEPTH_MAX)
        refuse(lexer, "maximum parsing depth reached");
    else if (lexer->token == TOKEN_STRING && lexer->zero)
        refuse(lexer, "\\u0000 is not allowed without JSON_ALLOW_NUL");
    else if (lexer->token == '{' || lexer->token == '[')
        lexer->value = (struct value){.kind = lexer->token == '{' ? VALUE_OBJECT : VALUE_ARRAY};
    else if (lexer->token < TOKEN_WORD)
        refuse(lexer, lexer->token == TOKEN_INVALID ? "invalid token" : "unexpected token");
    return lexer->failed ? NULL : append(lexer, open);
}

/* From what is open to the next value's first token; what ends is closed on the way. Returns what is open then. */
static struct value *value_end(struct lexer *lexer, struct value *open, int *depth)
{
    bool first = lexer->token == '{' || lexer->token == '[';
    while (open && !lexer->failed) {
        const bool object = open->kind == VALUE_OBJECT;
        int token = scan(lexer);
        if (token == (object ? '}' : ']')) {
            struct value *up = open->up;
            open->next = NULL;
            open = up;
            --*depth;
            first = false;
            continue;
        }
        if (!first && token != ',') {
            refuse(lexer, object ? "'}' expected" : "']' expected");
            break;
        }
        if (!first)
            scan(lexer);
        if (object)
            key_scan(lexer, open);
        break;
    }
    return open;
}

static struct value *tree_read(struct lexer *lexer)
{
    struct value *open = NULL, *root = lexer->fresh;
    int depth = 0;
    scan(lexer);
    if (lexer->token != '[' && lexer->token != '{')
        refuse(lexer, "'[' or '{' expected");
    while (!lexer->failed) {
        struct value *value = value_begin(lexer, open, depth);
        if (value && (lexer->token == '{' || lexer->token == '[')) {
            open = value;
            depth++;
        }
        open = value ? value_end(lexer, open, &depth) : NULL;
        if (!open)
            break;
    }
    if (!lexer->failed && scan(lexer) != TOKEN_END)
        refuse(lexer, "end of file expected");
    return lexer->failed ? NULL : root;
}

/* ---- The calls ------------------------------------------------------------------------------------------- */

static size_t values_max(const char *text, size_t bytes)
{
    size_t count = 1;
    for (size_t i = 0; i < bytes; i++)
        count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return count;
}

size_t json_bytes(const char *text, size_t bytes)
{
    return values_max(text, bytes) * sizeof(struct value) + bytes;
}

const struct value *json_read(const char *text, size_t bytes, void *memory, char *error, size_t error_bytes)
{
    struct lexer lexer = {
        .at = text,
        .begin = text,
        .end = text + bytes,
        .bad = bad_byte(text, text + bytes),
        .line = 1,
        .fresh = memory,
        .error = error,
        .error_bytes = error_bytes,
    };
    lexer.pool = (char *)(lexer.fresh + values_max(text, bytes));
    return tree_read(&lexer);
}

const struct value *value_get(const struct value *value, const char *key)
{
    if (!value_is(value, VALUE_OBJECT))
        return NULL;
    value = value->first;
    while (value && strcmp(value->key, key) != 0)
        value = value->next;
    return value;
}

const struct value *value_item(const struct value *value, size_t index)
{
    if (!value_is(value, VALUE_ARRAY))
        return NULL;
    value = value->first;
    while (value && index-- > 0)
        value = value->next;
    return value;
}
