/*
 * The query of a target: which names a route knows, and what their values have to be. Names that it does not know are
 * ignored, so that clients may add their own.
 */
#include <stdio.h>
#include <string.h>

#include "../../lib/terrane_model.h"
#include "target_text.h"

enum query {
    Q_LAYER,
    Q_VARIANT,
    Q_ENC,
    Q_REG,
    Q_SIZE,
    Q_RECIPE,
    Q_V,
    Q_ORIGIN,
    Q_LOD,
    Q_X0,
    Q_Y0,
    Q_W,
    Q_H,
    Q_X,
    Q_Y,
    Q_EXTENSIONS,
    Q_CRS,
    Q_TEXTURE,
    Q_SEED,
    Q_BANDS,
    Q_WHAT,
    Q_LIMIT,
    Q_AT,
    Q_SINCE,
    Q_BOX,
    QUERIES
};

#define BIT(route) (UINT64_C(1) << (route))
static const uint64_t TILES = BIT(ROUTE_TILE) | BIT(ROUTE_STATUS) | BIT(ROUTE_XYZ) | BIT(ROUTE_TERRAIN) |
                              BIT(ROUTE_3DTILES),
                      LINES = BIT(ROUTE_PATH) | BIT(ROUTE_RIVER),
                      WINDOWS = BIT(ROUTE_REGION) | BIT(ROUTE_PATH) | BIT(ROUTE_RIVER),
                      WAY = BIT(ROUTE_DOWNSTREAM),
                      SHARED = BIT(ROUTE_EDITS) | BIT(ROUTE_UNDO) | BIT(ROUTE_MARKS) | BIT(ROUTE_EVENTS) |
                               BIT(ROUTE_LOG),
                      PLACES = BIT(ROUTE_POINT) | BIT(ROUTE_DOWNSTREAM) | BIT(ROUTE_FIND);

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

static void read_version(struct target *target, struct slice value)
{
    uint64_t v;
    const int read = slice_unsigned(value, &v);
    if (read == 0)
        target_wrong(target, 400, "v", value, "must be a generator version, a plain decimal");
    else if (read < 0 || v < TERRANE_GENERATOR_OLDEST || v > TERRANE_GENERATOR_VERSION)
        target_wrong(target, 410, "v", value,
                     "is no generator of this server; /world/{seed} says which it has");
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

static void read_size(struct target *target, struct slice value)
{
    uint64_t v;
    const int read = slice_unsigned(value, &v);
    if (read == 1 && v >= 1 && v <= 4097)
        target->key.size = (int)v;
    else
        target_wrong(target, 400, "size", value, "must be 2^k from 2 to 512 or 2^k + 1 from 3 to 257");
}

static void read_recipe(struct target *target, struct slice value, const struct target_names *names)
{
    if (!slice_is_name(value)) {
        target_wrong(target, 400, "recipe", value, "must be a name [A-Za-z][A-Za-z0-9_-]{0,63}");
        return;
    }
    const struct recipe *recipe = names->recipe ? names->recipe(names->context, value.at, value.bytes) : NULL;
    target->names_recipe = recipe != NULL;
    if (recipe)
        target->recipe = recipe;
    else
        target_wrong(target, 404, "recipe", value, "there is no recipe of that name");
}

/* Pages of a pyramid's whole width and height, to the east and south. */
static void read_origin(struct target *target, struct slice value)
{
    const char *comma = memchr(value.at, ',', value.bytes);
    const size_t first = comma ? (size_t)(comma - value.at) : 0;
    const struct slice x = {value.at, first},
                       y = {comma ? comma + 1 : value.at, comma ? value.bytes - first - 1 : 0};
    const int read_x = slice_signed(x, &target->page_x), read_y = slice_signed(y, &target->page_y);
    if (read_x == 0 || read_y == 0)
        target_wrong(target, 400, "origin", value, "must be two plain decimals, as 0,0 or -1,2");
    else if (read_x < 0 || read_y < 0 || target->page_x <= -TARGET_PAGES || target->page_x >= TARGET_PAGES ||
             target->page_y <= -TARGET_PAGES || target->page_y >= TARGET_PAGES)
        target_wrong(target, 404, "origin", value, "there are pages from -4194303 to 4194303");
}

/* A list of wishes: those that are not known are not sent. */
static void read_extensions(struct target *target, struct slice value)
{
    bool names = value.bytes > 0;
    for (size_t i = 0; i < value.bytes; i++) {
        const char c = value.at[i];
        names =
            names && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-');
    }
    if (!names)
        target_wrong(target, 400, "extensions", value,
                     "must be names joined by -, as octvertexnormals-watermask-metadata");
    target->names_extensions = true;
    target->key.metadata = target->key.metadata || extensions_have(value.at, value.bytes, "metadata");
}

static void read_level(struct target *target, struct slice value)
{
    int64_t lod = 0;
    const int read = slice_signed(value, &lod);
    if (read == 0)
        target_wrong(target, 400, "lod", value, "must be a plain decimal");
    else if (read < 0 || lod < 0 || lod > TERRANE_LEVEL_MAX)
        target_wrong(target, 404, "lod", value, "there are levels 0 to 24");
    else
        target->key.level = (int)lod;
}

/* x0 and y0: samples of the level, which all lie in its tiles. */
static void read_corner(struct target *target, const char *name, struct slice value, int64_t *corner)
{
    const int64_t limit = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES;
    const int read = slice_signed(value, corner);
    if (read == 0)
        target_wrong(target, 400, name, value, "must be a plain decimal, with a minus sign where negative");
    else if (read < 0 || *corner < -limit || *corner >= limit)
        target_wrong(target, 404, name, value, "there are samples from -281474976710656 to 281474976710655");
}

static void read_side(struct target *target, const char *name, struct slice value, int *side)
{
    uint64_t v = 0;
    const int read = slice_unsigned(value, &v);
    if (read == 0 || (read > 0 && v == 0))
        target_wrong(target, 400, name, value, "must be a plain decimal from 1 to 4097");
    else if (read < 0 || v > TARGET_REGION_MAX)
        target_wrong(target, 413, name, value, "a window has at most 4097 x 4097 samples");
    else
        *side = (int)v;
}

static void read_metres(struct target *target, const char *name, struct slice value, double *metres)
{
    if (!slice_decimal(value, metres))
        target_wrong(target, 400, name, value,
                     "must be metres, a finite decimal number as 1200.5, -3 or 1e3");
}

static void read_model_seed(struct target *target, struct slice value)
{
    uint64_t seed;
    _Static_assert(TERRANE_MODEL_SEEDS == 16, "as it is said");
    if (slice_unsigned(value, &seed) == 1 && seed < TERRANE_MODEL_SEEDS)
        target->model_seed = (int)seed;
    else
        target_wrong(target, 400, "seed", value, "of a model there are 0 to 15, plain decimals");
}

static void read_limit(struct target *target, struct slice value)
{
    uint64_t limit;
    _Static_assert(FIND_LIMIT_MAX == 10, "as it is said");
    if (slice_unsigned(value, &limit) == 1 && limit >= 1 && limit <= FIND_LIMIT_MAX)
        target->find.limit = (int)limit;
    else
        target_wrong(target, 400, "limit", value, "must be a plain decimal from 1 to 10");
}

/* The world as it was after its operation of that number. */
static void read_at(struct target *target, struct slice value)
{
    uint64_t at;
    const int read = slice_unsigned(value, &at);
    if (read == 0)
        target_wrong(target, 400, "at", value, "must be the number of an operation, a plain decimal");
    else if (!target->key.edits)
        target_wrong(target, 404, "at", value, "only a world that people change has operations");
    else if (read < 0 || at > target->key.at)
        target_wrong(target, 404, "at", value, "the world has no operation of that number yet");
    else
        target->key.at = at;
    target->past = target->status == 0;
}

static void read_since(struct target *target, struct slice value)
{
    if (slice_unsigned(value, &target->since) != 1 || target->since > INT64_MAX)
        target_wrong(target, 400, "since", value, "must be the number of an operation, a plain decimal");
    target->has_since = true;
}

static void read_box(struct target *target, struct slice value)
{
    double number[4];
    int read = 0;
    for (const char *at = value.at, *const end = at + value.bytes; read < 4; read++) {
        const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
        const char *stop = comma ? comma : end;
        if ((comma != NULL) != (read < 3) ||
            !slice_decimal((struct slice){at, (size_t)(stop - at)}, &number[read]))
            break;
        at = stop + (comma != NULL);
    }
    if (read < 4 || number[0] > number[2] || number[1] > number[3]) {
        target_wrong(target, 400, "box", value, "must be x0,y0,x1,y1 in metres, as -100,0,250.5,80");
        return;
    }
    target->box.x0 = number[0];
    target->box.y0 = number[1];
    target->box.x1 = number[2];
    target->box.y1 = number[3];
    target->box.given = true;
}

static void read_parameter(struct target *target, enum query which, struct slice value,
                           const struct target_names *names)
{
    static const char *const crs_name[] = {"world", "geographic"}, *const bands_name[] = {"0", "1"};
    int choice = 0;
    switch (which) {
    case Q_LAYER:
        target_choose(target, "layer", value, tile_layer_name, LAYERS, &choice);
        target->key.layer = (enum tile_layer)choice;
        break;
    case Q_VARIANT:
        target_choose(target, "variant", value, tile_variant_name, VARIANTS, &choice);
        target->key.variant = (enum tile_variant)choice;
        break;
    case Q_ENC:
        target_choose(target, "enc", value, tile_enc_name, ENCS, &choice);
        target->key.enc = (enum tile_enc)choice;
        break;
    case Q_REG:
        target_choose(target, "reg", value, tile_reg_name, REGS, &choice);
        target->key.reg = (enum tile_reg)choice;
        break;
    case Q_SIZE:
        read_size(target, value);
        break;
    case Q_RECIPE:
        read_recipe(target, value, names);
        break;
    case Q_V:
        read_version(target, value);
        break;
    case Q_ORIGIN:
        read_origin(target, value);
        break;
    case Q_LOD:
        read_level(target, value);
        break;
    case Q_X0:
        read_corner(target, "x0", value, &target->window.x0);
        break;
    case Q_Y0:
        read_corner(target, "y0", value, &target->window.y0);
        break;
    case Q_W:
        read_side(target, "w", value, &target->window.width);
        break;
    case Q_H:
        read_side(target, "h", value, &target->window.height);
        break;
    case Q_X:
        read_metres(target, "x", value, &target->place.x_m);
        break;
    case Q_Y:
        read_metres(target, "y", value, &target->place.y_m);
        break;
    case Q_EXTENSIONS:
        read_extensions(target, value);
        break;
    case Q_CRS:
        target_choose(target, "crs", value, crs_name, 2, &choice);
        target->geographic = choice == 1;
        break;
    case Q_TEXTURE: /* of what layer: there is one */
        target_choose(target, "texture", value, &tile_layer_name[LAYER_RELIEF], 1, &choice);
        target->key.textured = true;
        break;
    case Q_SEED:
        read_model_seed(target, value);
        break;
    case Q_BANDS:
        target_choose(target, "bands", value, bands_name, 2, &choice);
        target->key.bands = choice;
        break;
    case Q_WHAT:
        snprintf(target->what, sizeof target->what, "%.*s", (int)value.bytes, value.at);
        break;
    case Q_LIMIT:
        read_limit(target, value);
        break;
    case Q_AT:
        read_at(target, value);
        break;
    case Q_SINCE:
        read_since(target, value);
        break;
    case Q_BOX:
        read_box(target, value);
        break;
    case QUERIES:
        break;
    }
}

static void want(struct target *target, const bool seen[QUERIES], enum query which, const char *name,
                 const char *what)
{
    if (!seen[which])
        target_wrong(target, 400, name, (struct slice){"", 0}, what);
}

/* What a route cannot do without. */
static void want_all(struct target *target, const bool seen[QUERIES])
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
static void read_find(struct target *target, const bool seen[QUERIES])
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
    static const char *const name[QUERIES] = {
        "layer", "variant", "enc",  "reg",   "size", "recipe", "v",          "origin", "lod",
        "x0",    "y0",      "w",    "h",     "x",    "y",      "extensions", "crs",    "texture",
        "seed",  "bands",   "what", "limit", "at",   "since",  "box"};
    const uint64_t lines = LINES | WAY,    /* of which there is one kind */
        all = ~BIT(ROUTE_MODEL) & ~SHARED, /* of worlds; routes without a query do not come here */
        layers = all & ~lines & ~BIT(ROUTE_FIND);
    const uint64_t known[QUERIES] = {
        [Q_LAYER] = layers,
        [Q_VARIANT] = layers,
        [Q_ENC] = layers,
        [Q_REG] = BIT(ROUTE_XYZ) | BIT(ROUTE_TILEJSON) | BIT(ROUTE_STYLE),
        [Q_SIZE] = all & ~WINDOWS & ~PLACES,
        [Q_RECIPE] = all,
        [Q_V] = all,
        [Q_ORIGIN] =
            BIT(ROUTE_XYZ) | BIT(ROUTE_TILEJSON) | BIT(ROUTE_STYLE) | BIT(ROUTE_GDAL) | BIT(ROUTE_VECTORS),
        [Q_LOD] = WINDOWS | (PLACES & ~WAY),
        [Q_X0] = WINDOWS,
        [Q_Y0] = WINDOWS,
        [Q_W] = WINDOWS,
        [Q_H] = WINDOWS,
        [Q_X] = PLACES,
        [Q_Y] = PLACES,
        [Q_EXTENSIONS] = BIT(ROUTE_TERRAIN) | BIT(ROUTE_LAYER),
        [Q_CRS] = LINES,
        [Q_TEXTURE] = TILES | BIT(ROUTE_TILESET),
        [Q_SEED] = BIT(ROUTE_MODEL),
        [Q_BANDS] =
            BIT(ROUTE_TILE) | BIT(ROUTE_STATUS) | BIT(ROUTE_XYZ) | BIT(ROUTE_REGION) | BIT(ROUTE_TILEJSON),
        [Q_WHAT] = BIT(ROUTE_FIND),
        [Q_LIMIT] = BIT(ROUTE_FIND),
        [Q_AT] = all,
        [Q_SINCE] = BIT(ROUTE_EDITS) | BIT(ROUTE_EVENTS) | BIT(ROUTE_LOG),
        [Q_BOX] = BIT(ROUTE_EDITS) | BIT(ROUTE_EVENTS) | BIT(ROUTE_MARKS),
    };
    char key_buffer[DECODED_BYTES], value_buffer[DECODED_BYTES];
    bool seen[QUERIES] = {false};
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
        const int which = tile_name_find(name, QUERIES, key.at, key.bytes);
        const bool ours = which >= 0 && (known[which] & BIT(target->route)) != 0;
        const bool again =
            ours && seen[which] && which != Q_EXTENSIONS; /* which clients add to what is there */
        if (again)
            target_wrong(target, 400, name[which], value, "is given more than once");
        else if (ours)
            read_parameter(target, (enum query)which, value, names);
        if (ours)
            seen[which] = true;
        at = stop + 1;
    }
    if (!seen[Q_REG])
        target->key.reg = usual_reg(target);
    want_all(target, seen);
    if (target->key.edits && target->names_recipe)
        target_refuse(target, 400, "recipe", "a world that people change has its own recipe");
    if (target->generator && target->status == 0)
        choose_generator(target);
    if (target->route == ROUTE_FIND && target->status == 0)
        read_find(target, seen);
}
