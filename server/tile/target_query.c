/*
 * The query of a target: which names a route knows, and what their values have to be. Names that it does not know are
 * ignored, so that clients may add their own.
 */
#include <stdio.h>
#include <string.h>

#include "../../lib/terrane_features.h"
#include "target_text.h"

#define BIT(route) (UINT64_C(1) << (route))
static const uint64_t TILES = BIT(ROUTE_TILE) | BIT(ROUTE_STATUS) | BIT(ROUTE_XYZ) | BIT(ROUTE_TERRAIN) |
                              BIT(ROUTE_3DTILES),
                      PYRAMIDS = BIT(ROUTE_XYZ) | BIT(ROUTE_TILEJSON) | BIT(ROUTE_STYLE) | BIT(ROUTE_GDAL) |
                                 BIT(ROUTE_VECTORS),
                      LINES =
                          BIT(ROUTE_PATH) | BIT(ROUTE_RIVER), /* of which there is one kind, as of the next */
    WINDOWS = BIT(ROUTE_REGION) | LINES, PLACES = BIT(ROUTE_POINT) | BIT(ROUTE_DOWNSTREAM) | BIT(ROUTE_FIND),
                      SHARED = BIT(ROUTE_EDITS) | BIT(ROUTE_UNDO) | BIT(ROUTE_MARKS) | BIT(ROUTE_EVENTS) |
                               BIT(ROUTE_LOG),
                      WORLDS = ~BIT(ROUTE_MODEL) & ~SHARED, /* routes without a query do not come here */
    LAYERED = WORLDS & ~LINES & ~BIT(ROUTE_DOWNSTREAM) & ~BIT(ROUTE_FIND);

enum parameter {
#define PARAMETER(id, ...) Q_##id,
#include "parameters.inc"
#undef PARAMETER
    PARAMETERS
};

/* A value on its way into a target. */
struct given {
    struct target *target;
    const char *name; /* of the parameter */
    struct slice value;
    const struct target_names *names;
};

static void wrong(const struct given *given, unsigned status, const char *allowed)
{
    target_wrong(given->target, status, given->name, given->value, allowed);
}

void target_choose(struct target *target, const char *parameter, struct slice value, const char *const *table,
                   int count, int *choice)
{
    const int found = tile_name_find(table, count, value.at, value.bytes);
    if (found >= 0) {
        *choice = found;
        return;
    }
    char allowed[160] = "must be one of ";
    const size_t n = strlen(allowed);
    tile_names_list(allowed + n, sizeof allowed - n, table, count);
    target_wrong(target, 400, parameter, value, allowed);
}

static void read_version(const struct given *given)
{
    struct target *target = given->target;
    uint64_t v;
    const int read = slice_unsigned(given->value, &v);
    if (read == 0)
        wrong(given, 400, "must be a generator version, a plain decimal");
    else if (read < 0 || v < TERRANE_GENERATOR_OLDEST || v > TERRANE_GENERATOR_VERSION)
        wrong(given, 410, "is no generator of this server; /world/{seed} says which it has");
    else
        target->generator = (int)v;
}

/* The recipe under the generator that is asked for. */
static void choose_generator(struct target *target)
{
    const struct recipe *kept = recipe_under(target->recipe, target->generator);
    if (!kept) {
        target_refuse(target, 404, "v", "the recipe is not among those of this generator");
        return;
    }
    target->recipe = kept;
    target->pinned = true;
}

static void read_size(const struct given *given)
{
    struct target *target = given->target;
    uint64_t v;
    const int read = slice_unsigned(given->value, &v);
    if (read == 1 && v >= 1 && v <= 4097)
        target->key.size = (int)v;
    else
        wrong(given, 400, "must be 2^k from 2 to 512 or 2^k + 1 from 3 to 257");
}

static void read_recipe(const struct given *given)
{
    struct target *target = given->target;
    if (!slice_is_name(given->value)) {
        wrong(given, 400, "must be a name [A-Za-z][A-Za-z0-9_-]{0,63}");
        return;
    }
    const struct recipe *recipe =
        given->names->recipe
            ? given->names->recipe(given->names->context, given->value.at, given->value.bytes)
            : NULL;
    target->names_recipe = recipe != NULL;
    if (recipe)
        target->recipe = recipe;
    else
        wrong(given, 404, "there is no recipe of that name");
}

/* Pages of a pyramid's whole width and height, to the east and south. */
static void read_origin(const struct given *given)
{
    struct target *target = given->target;
    const char *comma = memchr(given->value.at, ',', given->value.bytes);
    const size_t first = comma ? (size_t)(comma - given->value.at) : 0;
    const struct slice x = {given->value.at, first},
                       y = {comma ? comma + 1 : given->value.at, comma ? given->value.bytes - first - 1 : 0};
    const int got_x = slice_signed(x, &target->page_x), got_y = slice_signed(y, &target->page_y);
    if (got_x == 0 || got_y == 0)
        wrong(given, 400, "must be two plain decimals, as 0,0 or -1,2");
    else if (got_x < 0 || got_y < 0 || target->page_x <= -TARGET_PAGES || target->page_x >= TARGET_PAGES ||
             target->page_y <= -TARGET_PAGES || target->page_y >= TARGET_PAGES)
        wrong(given, 404, "there are pages from -4194303 to 4194303");
}

/* A list of wishes: those that are not known are not sent. */
static void read_extensions(const struct given *given)
{
    struct target *target = given->target;
    bool names = given->value.bytes > 0;
    for (size_t i = 0; i < given->value.bytes; i++) {
        const char c = given->value.at[i];
        names =
            names && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-');
    }
    if (!names)
        wrong(given, 400, "must be names joined by -, as octvertexnormals-watermask-metadata");
    target->names_extensions = true;
    target->key.metadata =
        target->key.metadata || extensions_have(given->value.at, given->value.bytes, "metadata");
}

static void read_level(const struct given *given)
{
    struct target *target = given->target;
    int64_t lod = 0;
    const int read = slice_signed(given->value, &lod);
    if (read == 0)
        wrong(given, 400, "must be a plain decimal");
    else if (read < 0 || lod < 0 || lod > TERRANE_LEVEL_MAX)
        wrong(given, 404, "there are levels 0 to 24");
    else
        target->key.level = (int)lod;
}

/* x0 and y0: samples of the level, which all lie in its tiles. */
static void read_corner(const struct given *given, int64_t *corner)
{
    const int64_t limit = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES;
    const int read = slice_signed(given->value, corner);
    if (read == 0)
        wrong(given, 400, "must be a plain decimal, with a minus sign where negative");
    else if (read < 0 || *corner < -limit || *corner >= limit)
        wrong(given, 404, "there are samples from -281474976710656 to 281474976710655");
}

static void read_side(const struct given *given, int *side)
{
    uint64_t v = 0;
    const int read = slice_unsigned(given->value, &v);
    if (read == 0 || (read > 0 && v == 0))
        wrong(given, 400, "must be a plain decimal from 1 to 4097");
    else if (read < 0 || v > TARGET_REGION_MAX)
        wrong(given, 413, "a window has at most 4097 x 4097 samples");
    else
        *side = (int)v;
}

static void read_metres(const struct given *given, double *metres)
{
    if (!slice_decimal(given->value, metres))
        wrong(given, 400, "must be metres, a finite decimal number as 1200.5, -3 or 1e3");
}

static void read_model_seed(const struct given *given)
{
    struct target *target = given->target;
    uint64_t seed;
    _Static_assert(TERRANE_MODEL_SEEDS == 16, "as it is said");
    if (slice_unsigned(given->value, &seed) == 1 && seed < TERRANE_MODEL_SEEDS)
        target->model_seed = (int)seed;
    else
        wrong(given, 400, "of a model there are 0 to 15, plain decimals");
}

static void read_limit(const struct given *given)
{
    struct target *target = given->target;
    uint64_t limit;
    _Static_assert(FIND_LIMIT_MAX == 10, "as it is said");
    if (slice_unsigned(given->value, &limit) == 1 && limit >= 1 && limit <= FIND_LIMIT_MAX)
        target->find.limit = (int)limit;
    else
        wrong(given, 400, "must be a plain decimal from 1 to 10");
}

/* The world as it was after its operation of that number. */
static void read_at(const struct given *given)
{
    struct target *target = given->target;
    uint64_t at;
    const int read = slice_unsigned(given->value, &at);
    if (read == 0)
        wrong(given, 400, "must be the number of an operation, a plain decimal");
    else if (!target->key.edits)
        wrong(given, 404, "only a world that people change has operations");
    else if (read < 0 || at > target->key.at)
        wrong(given, 404, "the world has no operation of that number yet");
    else
        target->key.at = at;
    target->past = target->status == 0;
}

/* Which world of its name at= is of. */
static void read_epoch(const struct given *given)
{
    struct target *target = given->target;
    if (given->value.bytes == ALIAS_EPOCH_BYTES)
        memcpy(target->epoch, given->value.at, ALIAS_EPOCH_BYTES);
    if (strspn(target->epoch, "0123456789abcdef") != ALIAS_EPOCH_BYTES)
        wrong(given, 400, "must be 16 hexadecimal digits, as /world/{name} tells them");
}

/* A world that was made anew, or whose copy is still to come, is as an operation that has not come: nobody keeps that. */
static void check_epoch(struct target *target)
{
    if (*target->epoch && strcmp(target->epoch, target->key.alias->epoch) != 0)
        target_refuse(
            target, 404, "at",
            "of that epoch there is no world here: it was made anew, or a copy of it is still to come");
}

static void read_since(const struct given *given)
{
    struct target *target = given->target;
    if (slice_unsigned(given->value, &target->since) != 1 || target->since > INT64_MAX)
        wrong(given, 400, "must be the number of an operation, a plain decimal");
    target->has_since = true;
}

static void read_box(const struct given *given)
{
    struct target *target = given->target;
    double number[4];
    int read = 0;
    for (const char *at = given->value.at, *const end = at + given->value.bytes; read < 4; read++) {
        const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
        const char *stop = comma ? comma : end;
        if ((comma != NULL) != (read < 3) ||
            !slice_decimal((struct slice){at, (size_t)(stop - at)}, &number[read]))
            break;
        at = stop + (comma != NULL);
    }
    if (read < 4 || number[0] > number[2] || number[1] > number[3]) {
        wrong(given, 400, "must be x0,y0,x1,y1 in metres, as -100,0,250.5,80");
        return;
    }
    target->box.x0 = number[0];
    target->box.y0 = number[1];
    target->box.x1 = number[2];
    target->box.y1 = number[3];
    target->box.given = true;
}

static int choose(const struct given *given, const char *const *words, int count)
{
    int choice = 0;
    target_choose(given->target, given->name, given->value, words, count, &choice);
    return choice;
}

static void read_layer(const struct given *given)
{
    given->target->key.layer = (enum tile_layer)choose(given, tile_layer_name, LAYERS);
}

static void read_variant(const struct given *given)
{
    given->target->key.variant = (enum tile_variant)choose(given, tile_variant_name, VARIANTS);
}

static void read_enc(const struct given *given)
{
    given->target->key.enc = (enum tile_enc)choose(given, tile_enc_name, ENCS);
}

static void read_reg(const struct given *given)
{
    given->target->key.reg = (enum tile_reg)choose(given, tile_reg_name, REGS);
}

static void read_crs(const struct given *given)
{
    static const char *const crs[] = {"world", "geographic"};
    given->target->geographic = choose(given, crs, 2) == 1;
}

static void read_spawn(const struct given *given)
{
    static const char *const spawn[] = {"settled", "coarse"};
    given->target->coarse = choose(given, spawn, 2) == 1;
}

static void read_bands(const struct given *given)
{
    static const char *const bands[] = {"0", "1"};
    given->target->key.bands = choose(given, bands, 2);
}

/* Of what layer: there is one. */
static void read_texture(const struct given *given)
{
    choose(given, &tile_layer_name[LAYER_RELIEF], 1);
    given->target->key.textured = true;
}

static void read_x0(const struct given *given)
{
    read_corner(given, &given->target->window.x0);
}

static void read_y0(const struct given *given)
{
    read_corner(given, &given->target->window.y0);
}

static void read_width(const struct given *given)
{
    read_side(given, &given->target->window.width);
}

static void read_height(const struct given *given)
{
    read_side(given, &given->target->window.height);
}

static void read_x(const struct given *given)
{
    read_metres(given, &given->target->place.x_m);
}

static void read_y(const struct given *given)
{
    read_metres(given, &given->target->place.y_m);
}

static void read_what(const struct given *given)
{
    struct target *target = given->target;
    snprintf(target->what, sizeof target->what, "%.*s", (int)given->value.bytes, given->value.at);
}

static const struct {
    uint64_t routes;
    void (*read)(const struct given *given);
} parameter_row[PARAMETERS] = {
#define PARAMETER(id, name, routes, read) [Q_##id] = {routes, read},
#include "parameters.inc"
#undef PARAMETER
};

static const char *const parameter_name[PARAMETERS] = {
#define PARAMETER(id, name, ...) [Q_##id] = name,
#include "parameters.inc"
#undef PARAMETER
};

static void want(struct target *target, const bool seen[PARAMETERS], enum parameter which, const char *name,
                 const char *what)
{
    if (!seen[which])
        target_wrong(target, 400, name, (struct slice){"", 0}, what);
}

/* What a route cannot do without. */
static void want_all(struct target *target, const bool seen[PARAMETERS])
{
    if (BIT(target->route) & WINDOWS) {
        want(target, seen, Q_X0, "x0", "is needed: the window's first column");
        want(target, seen, Q_Y0, "y0", "is needed: the window's first row");
        want(target, seen, Q_W, "w", "is needed: columns");
        want(target, seen, Q_H, "h", "is needed: rows");
    }
    target->place.given = seen[Q_X] && seen[Q_Y];
}

/* What is looked for, once the recipe is known; and from which level on. */
static void read_find(struct target *target, const bool seen[PARAMETERS])
{
    char why[FIND_WHY_BYTES];
    unsigned status;
    const struct slice what = {target->what, strlen(target->what)};
    const bool outside = target->key.level > FIND_LEVEL_MAX;
    target->find.limit = seen[Q_LIMIT] ? target->find.limit : FIND_LIMIT_USUAL;
    target->key.level = seen[Q_LOD] && !outside ? target->key.level : FIND_LEVEL_USUAL;
    _Static_assert(FIND_LEVEL_MAX == 15, "as it is said");
    if (seen[Q_LOD] && outside)
        target_refuse(target, 404, "lod", "a search begins at levels 0 to 15");
    else if ((status = find_read(target->what, &target->recipe->world, &target->find, why)) != 0)
        target_wrong(target, status, "what", what, why);
}

/* Maps take a pixel of heights for what is in its middle: documents name such tiles, of a style its terrain's. */
static enum tile_reg usual_reg(const struct target *target)
{
    const bool map = target->route == ROUTE_STYLE ||
                     (target->route == ROUTE_TILEJSON && layer_row[target->key.layer].heights);
    return map ? REG_CENTER : REG_CORNER;
}

/* Of the raw query, since an escaped & or = is no separator. Names that the route does not know are ignored, the first
 * wrong value is reported. */
void target_read_query(struct target *target, struct slice query, const struct target_names *names)
{
    char key_buffer[DECODED_BYTES], value_buffer[DECODED_BYTES];
    bool seen[PARAMETERS] = {false};
    const char *at = query.at, *const end = query.at + query.bytes;
    while (at < end && target->status != 400) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        struct slice key = {at, (size_t)((equals ? equals : stop) - at)};
        struct slice value = {equals ? equals + 1 : stop, equals ? (size_t)(stop - equals - 1) : 0};
        if (!target_decode(target, key, key_buffer, &key) ||
            !target_decode(target, value, value_buffer, &value))
            return;
        const int which = tile_name_find(parameter_name, PARAMETERS, key.at, key.bytes);
        const bool ours = which >= 0 && (parameter_row[which].routes & BIT(target->route)) != 0;
        const bool again =
            ours && seen[which] && which != Q_EXTENSIONS; /* which clients add to what is there */
        if (again)
            target_wrong(target, 400, parameter_name[which], value, "is given more than once");
        else if (ours)
            parameter_row[which].read(&(struct given){target, parameter_name[which], value, names});
        if (ours)
            seen[which] = true;
        at = stop + 1;
    }
    target->says_lod = seen[Q_LOD];
    if (!seen[Q_REG])
        target->key.reg = usual_reg(target);
    want_all(target, seen);
    if (target->key.edits && target->names_recipe)
        target_refuse(target, 400, "recipe", "a world that people change has its own recipe");
    if (target->past && target->status == 0)
        check_epoch(target);
    if (target->generator && target->status == 0)
        choose_generator(target);
    if (target->route == ROUTE_FIND && target->status == 0)
        read_find(target, seen);
}
