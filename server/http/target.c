/*
 * The request target. The grammar is docs of the contract: /tile/{seed}/{lod}/{x}/{y}[.{ext}]?name=value&...
 *
 * The path is decoded once into a small buffer and cut in place. Numbers are plain decimals: no
 * plus sign, no leading zeros, no exponent, so that a tile has one name. Well-formed numbers that name no
 * tile are 404, ill-formed ones 400.
 */
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../recipe/recipe_json.h"

enum { DECODED_BYTES = 8192, SEGMENTS = 7 };

struct slice {
    const char *at;
    size_t bytes;
};

static bool slice_is(struct slice slice, const char *text)
{
    return slice.bytes == strlen(text) && memcmp(slice.at, text, slice.bytes) == 0;
}

/*
 * Says what is wrong: names the parameter and quotes at most 40 bytes of what was given, printable ones only.
 * The first complaint stands, but what is ill-formed (400) comes before what is well-formed and not there
 * (404, 410).
 */
static void wrong(struct target *target, unsigned status, const char *parameter, struct slice given,
                  const char *allowed)
{
    char quote[41];
    size_t n = given.bytes < 40 ? given.bytes : 40;
    if (target->status == 400 || (target->status && status != 400))
        return;
    for (size_t i = 0; i < n; i++)
        quote[i] = given.at[i] >= ' ' && given.at[i] <= '~' ? given.at[i] : '?';
    quote[n] = 0;
    target->status = status;
    target->parameter = parameter;
    snprintf(target->detail, sizeof target->detail, "%s=%s%s: %s", parameter, quote,
             given.bytes > n ? "..." : "", allowed);
}

void target_refuse(struct target *target, unsigned status, const char *parameter, const char *why)
{
    target->status = status;
    target->parameter = parameter;
    snprintf(target->detail, sizeof target->detail, "%s: %s", parameter, why);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes percent escapes; the decoded length, or -1: a broken escape, a zero byte, or too long. */
static int decode(const char *in, size_t bytes, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        char c = in[i];
        if (c == '%') {
            const int high = i + 2 < bytes ? hex_digit(in[i + 1]) : -1,
                      low = i + 2 < bytes ? hex_digit(in[i + 2]) : -1;
            if (high < 0 || low < 0)
                return -1;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == 0 || n == DECODED_BYTES)
            return -1;
        out[n++] = c;
    }
    return (int)n;
}

static bool decode_slice(struct target *target, struct slice raw, char *buffer, struct slice *out)
{
    const int n = decode(raw.at, raw.bytes, buffer);
    if (n < 0) {
        wrong(target, 400, "target", raw,
              "has a broken percent escape, a zero byte, or more than 8192 bytes");
        return false;
    }
    *out = (struct slice){buffer, (size_t)n};
    return true;
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

/* A plain decimal without sign. 1: read; 0: ill-formed; -1: well-formed, over 2^64 - 1. */
static int read_unsigned(struct slice text, uint64_t *value)
{
    uint64_t v = 0;
    bool over = false;
    if (text.bytes == 0 || (text.bytes > 1 && text.at[0] == '0'))
        return 0;
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return 0;
        const unsigned digit = (unsigned)(text.at[i] - '0');
        over = over || v > (UINT64_MAX - digit) / 10;
        v = v * 10 + digit;
    }
    *value = v;
    return over ? -1 : 1;
}

/* The same with an optional minus sign; -0 is ill-formed. -1: beyond 2^62. */
static int read_signed(struct slice text, int64_t *value)
{
    const bool minus = text.bytes > 0 && text.at[0] == '-';
    const struct slice digits = {text.at + minus, text.bytes - minus};
    uint64_t v;
    const int read = read_unsigned(digits, &v);
    if (read == 0 || (minus && read == 1 && v == 0))
        return 0;
    if (read < 0 || v > UINT64_C(1) << 62)
        return -1;
    *value = minus ? -(int64_t)v : (int64_t)v;
    return 1;
}

static bool read_hex(struct slice text, uint64_t *value)
{
    uint64_t v = 0;
    if (text.bytes < 3 || text.bytes > 18 || text.at[0] != '0' || (text.at[1] != 'x' && text.at[1] != 'X'))
        return false;
    for (size_t i = 2; i < text.bytes; i++) {
        const int digit = hex_digit(text.at[i]);
        if (digit < 0)
            return false;
        v = v << 4 | (uint64_t)digit;
    }
    *value = v;
    return true;
}

static bool is_name(struct slice text)
{
    if (text.bytes < 1 || text.bytes > 64)
        return false;
    for (size_t i = 0; i < text.bytes; i++) {
        const char c = text.at[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool inner = (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!letter && (i == 0 || !inner))
            return false;
    }
    return true;
}

bool target_read_seed(const char *text, size_t bytes, const struct target_names *names, uint64_t *seed,
                      const struct recipe **recipe, bool *configured)
{
    const struct slice slice = {text, bytes};
    uint64_t value;
    if (read_unsigned(slice, &value) == 1 || read_hex(slice, &value))
        *seed = value;
    else if (!is_name(slice))
        return false;
    else if (names->world && names->world(names->context, text, bytes, seed, recipe))
        *configured = true;
    else
        *seed = terrane_seed_from_name(text, bytes);
    return true;
}

static void read_seed(struct target *target, struct slice text, const struct target_names *names)
{
    if (!target_read_seed(text.at, text.bytes, names, &target->key.seed, &target->recipe,
                          &target->configured))
        wrong(target, 400, "seed", text,
              "must be 0 .. 18446744073709551615, 0x and 1 to 16 hex digits, or a name "
              "[A-Za-z][A-Za-z0-9_-]{0,63}");
}

/* ---- Query --------------------------------------------------------------------------------------------- */

enum { Q_LAYER, Q_VARIANT, Q_ENC, Q_SIZE, Q_RECIPE, Q_V, QUERIES };

static void choose(struct target *target, const char *parameter, struct slice value, const char *const *table,
                   int count, int *choice)
{
    const int found = tile_name_find(table, count, value.at, value.bytes);
    if (found >= 0) {
        *choice = found;
        return;
    }
    char allowed[120] = "must be one of";
    size_t n = strlen(allowed);
    for (int i = 0; i < count && n < sizeof allowed; i++)
        n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s %s", i ? "," : "", table[i]);
    wrong(target, 400, parameter, value, allowed);
}

static void read_version(struct target *target, struct slice value)
{
    uint64_t v;
    const int read = read_unsigned(value, &v);
    if (read == 0)
        wrong(target, 400, "v", value, "must be a generator version, a plain decimal");
    else if (read < 0 || v != TERRANE_GENERATOR_VERSION)
        wrong(target, 410, "v", value, "this server generates another version; it is in /world/{seed}");
    else
        target->pinned = true;
}

static void read_size(struct target *target, struct slice value)
{
    uint64_t v;
    const int read = read_unsigned(value, &v);
    if (read == 1 && v >= 1 && v <= 4097)
        target->key.size = (int)v;
    else
        wrong(target, 400, "size", value, "must be 2^k from 2 to 512 or 2^k + 1 from 3 to 257");
}

static void read_recipe(struct target *target, struct slice value, const struct target_names *names)
{
    const struct recipe *recipe = names->recipe ? names->recipe(names->context, value.at, value.bytes) : NULL;
    target->names_recipe = recipe != NULL;
    if (recipe)
        target->recipe = recipe;
    else
        wrong(target, 404, "recipe", value, "there is no recipe of that name");
}

static void read_parameter(struct target *target, int which, struct slice value,
                           const struct target_names *names)
{
    int choice = 0;
    switch (which) {
    case Q_LAYER:
        choose(target, "layer", value, tile_layer_name, LAYERS, &choice);
        target->key.layer = (enum tile_layer)choice;
        break;
    case Q_VARIANT:
        choose(target, "variant", value, tile_variant_name, VARIANTS, &choice);
        target->key.variant = (enum tile_variant)choice;
        break;
    case Q_ENC:
        choose(target, "enc", value, tile_enc_name, ENCS, &choice);
        target->key.enc = (enum tile_enc)choice;
        break;
    case Q_SIZE:
        read_size(target, value);
        break;
    case Q_RECIPE:
        if (!is_name(value))
            wrong(target, 400, "recipe", value, "must be a name [A-Za-z][A-Za-z0-9_-]{0,63}");
        else
            read_recipe(target, value, names);
        break;
    default:
        read_version(target, value);
    }
}

/* Of the raw query, since an escaped & or = is no separator. Unknown names are ignored, the first wrong value
 * is reported. */
static void read_query(struct target *target, struct slice query, const struct target_names *names)
{
    static const char *const name[QUERIES] = {"layer", "variant", "enc", "size", "recipe", "v"};
    char key_buffer[DECODED_BYTES], value_buffer[DECODED_BYTES];
    bool seen[QUERIES] = {false};
    const char *at = query.at, *const end = query.at + query.bytes;
    while (at < end && target->status != 400) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        struct slice key = {at, (size_t)((equals ? equals : stop) - at)};
        struct slice value = {equals ? equals + 1 : stop, equals ? (size_t)(stop - equals - 1) : 0};
        if (!decode_slice(target, key, key_buffer, &key) ||
            !decode_slice(target, value, value_buffer, &value))
            return;
        const int which = tile_name_find(name, QUERIES, key.at, key.bytes);
        if (which >= 0 && seen[which])
            wrong(target, 400, name[which], value, "is given more than once");
        else if (which >= 0)
            read_parameter(target, which, value, names);
        if (which >= 0)
            seen[which] = true;
        at = stop + 1;
    }
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

/* Cuts a path at its slashes; the number of segments, at most SEGMENTS (more are counted as SEGMENTS). */
static int cut(struct slice path, struct slice segment[SEGMENTS])
{
    int n = 0;
    const char *at = path.at + 1, *const end = path.at + path.bytes; /* behind the leading slash */
    for (;;) {
        const char *stop = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
        stop = stop ? stop : end;
        if (n == SEGMENTS)
            return n;
        segment[n++] = (struct slice){at, (size_t)(stop - at)};
        if (stop == end)
            return n;
        at = stop + 1;
    }
}

static void read_coordinate(struct target *target, const char *name, struct slice text, int64_t *value)
{
    const int read = read_signed(text, value);
    if (read == 0)
        wrong(target, 400, name, text, "must be a plain decimal, with a minus sign where negative");
    else if (read < 0 || *value < -TERRANE_TILE_LIMIT || *value >= TERRANE_TILE_LIMIT)
        wrong(target, 404, name, text, "there are tiles from -1099511627776 to 1099511627775");
}

static void read_tile(struct target *target, const struct slice segment[SEGMENTS],
                      const struct target_names *names)
{
    struct slice y = segment[4];
    const char *dot = memchr(y.at, '.', y.bytes);
    int64_t lod = 0;

    target->negotiated = dot == NULL;
    if (dot)
        y.bytes = (size_t)(dot - y.at);
    read_seed(target, segment[1], names);
    const int read = read_signed(segment[2], &lod);
    if (read == 0)
        wrong(target, 400, "lod", segment[2], "must be a plain decimal");
    else if (read < 0 || lod < 0 || lod > TERRANE_LEVEL_MAX)
        wrong(target, 404, "lod", segment[2], "there are levels 0 to 24");
    else
        target->key.level = (int)lod;
    read_coordinate(target, "x", segment[3], &target->key.x);
    read_coordinate(target, "y", y, &target->key.y);
    if (dot) {
        const struct slice ext = {dot + 1, segment[4].bytes - y.bytes - 1};
        int choice = 0;
        choose(target, "ext", ext, tile_format_name, FORMATS, &choice);
        target->key.format = (enum tile_format)choice;
    }
}

static void read_path(struct target *target, struct slice path, const struct target_names *names)
{
    static const struct {
        const char *path;
        enum metric_route route;
    } plain[] = {{"/healthz", ROUTE_HEALTH},       {"/readyz", ROUTE_READY},  {"/metrics", ROUTE_METRICS},
                 {"/openapi.json", ROUTE_OPENAPI}, {"/stats", ROUTE_STATS},   {"/purge", ROUTE_PURGE},
                 {"/log-level", ROUTE_LOG_LEVEL},  {"/reload", ROUTE_RELOAD}, {"/prefetch", ROUTE_PREFETCH}};
    struct slice segment[SEGMENTS];
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (slice_is(path, plain[i].path)) {
            target->route = plain[i].route;
            return;
        }
    const int segments = path.bytes > 0 && path.at[0] == '/' ? cut(path, segment) : 0;
    if (slice_is(segment[0], "tile") &&
        (segments == 5 || (segments == 6 && slice_is(segment[5], "status")))) {
        target->route = segments == 5 ? ROUTE_TILE : ROUTE_STATUS;
        read_tile(target, segment, names);
    } else if (segments == 2 && slice_is(segment[0], "world")) {
        target->route = ROUTE_WORLD;
        read_seed(target, segment[1], names);
    } else {
        wrong(target, 404, "path", path, "there is nothing here; tiles are at /tile/{seed}/{lod}/{x}/{y}");
    }
}

/* The path and query of an absolute-form target ("http://host/path") or the target itself. */
static struct slice origin_form(struct slice text)
{
    const char *schemes[] = {"http://", "https://"};
    for (int i = 0; i < 2; i++) {
        const size_t n = strlen(schemes[i]);
        if (text.bytes < n || strncasecmp(text.at, schemes[i], n) != 0)
            continue;
        const char *mark = memchr(text.at + n, '?', text.bytes - n);
        const size_t bytes = mark ? (size_t)(mark - text.at) - n : text.bytes - n;
        const char *slash = memchr(text.at + n, '/', bytes); /* one behind the mark is the query's */
        if (slash)
            return (struct slice){slash, text.bytes - (size_t)(slash - text.at)};
    }
    return text;
}

void target_parse(struct target *target, const char *text, size_t bytes, const struct target_names *names)
{
    char buffer[DECODED_BYTES];
    struct slice raw = origin_form((struct slice){text, bytes}), path;
    const char *mark;

    *target =
        (struct target){.route = ROUTE_UNKNOWN, .recipe = names->standard, .key.variant = VARIANT_UNSAID};
    mark = raw.bytes ? memchr(raw.at, '?', raw.bytes) : NULL;
    const struct slice raw_path = {raw.at, mark ? (size_t)(mark - raw.at) : raw.bytes};
    const struct slice query = {mark ? mark + 1 : "", mark ? raw.bytes - raw_path.bytes - 1 : 0};
    if (!decode_slice(target, raw_path, buffer, &path))
        return;
    read_path(target, path, names);
    const bool tile = target->route == ROUTE_TILE || target->route == ROUTE_STATUS;
    if (target->status != 400 && (tile || target->route == ROUTE_WORLD))
        read_query(target, query, names);
    if (target->status == 0 && tile && !target->negotiated)
        target_finish(target, target->key.format);
}

void target_finish(struct target *target, enum tile_format format)
{
    const char *given = tile_format_name[format];
    char size[16];
    target->key.format = format;
    tile_key_vary(&target->key, &target->recipe->world);
    switch (tile_key_finish(&target->key)) {
    case TILE_FINE:
        return;
    case TILE_BAD_FORMAT:
        wrong(target, 400, "ext", (struct slice){given, strlen(given)}, "this layer has no such format");
        return;
    case TILE_BAD_ENC:
        given = tile_enc_name[target->key.enc];
        wrong(target, 400, "enc", (struct slice){given, strlen(given)},
              "this layer's are terrarium and mapbox");
        return;
    case TILE_BAD_SIZE:
        snprintf(size, sizeof size, "%d", target->key.size);
        wrong(target, 400, "size", (struct slice){size, strlen(size)},
              "must be 2^k from 2 to 512 or 2^k + 1 from 3 to 257; 512 needs lod 1 or more");
        return;
    default: /* levels and coordinates have been checked */
        wrong(target, 404, "tile", (struct slice){"", 0}, "there is no such tile");
    }
}
