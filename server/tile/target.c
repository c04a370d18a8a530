/*
 * The request target. The grammar is docs of the contract: /tile/{seed}/{lod}/{x}/{y}[.{ext}]?name=value&...
 *
 * The path is decoded once into a small buffer and cut in place; no segment has an escaped slash. Numbers are plain decimals: no
 * plus sign, no leading zeros, no exponent, so that a tile has one name. Well-formed numbers that name no
 * tile are 404, ill-formed ones 400.
 */
#include "target.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../../lib/terrane_features.h"
#include "target_text.h"

enum { SEGMENTS = 7 };

/* ---- Seeds --------------------------------------------------------------------------------------------- */

bool target_read_seed(const char *text, size_t bytes, const struct target_names *names, struct tile_key *key,
                      const struct recipe **recipe, bool *configured)
{
    const struct slice slice = {text, bytes};
    uint64_t value;
    if (slice_unsigned(slice, &value) == 1 || slice_hex(slice, &value)) {
        key->seed = value;
        return true;
    }
    if (!slice_is_name(slice))
        return false;
    for (int k = 0; k < 2; k++) { /* twice: it may come between the two questions */
        *configured = names->world && names->world(names->context, text, bytes, key, recipe);
        if (*configured)
            return true;
        if (k == 0 && names->away && names->away(names->context, text, bytes))
            return false; /* of a world that is away it is no seed's name, either */
    }
    key->seed = terrane_seed_from_name(text, bytes);
    return true;
}

static void read_seed(struct target *target, struct slice text, const struct target_names *names)
{
    const bool read =
        target_read_seed(text.at, text.bytes, names, &target->key, &target->recipe, &target->configured);
    if (target->configured && text.bytes < sizeof target->name)
        memcpy(target->name, text.at, text.bytes);
    const char *away = read || !names->away ? NULL : names->away(names->context, text.at, text.bytes);
    if (away)
        target_refuse(target, 503, "name", away);
    else if (!read)
        target_wrong(target, 400, "seed", text,
                     "must be 0 .. 18446744073709551615, 0x and 1 to 16 hex digits, or a name "
                     "[A-Za-z][A-Za-z0-9_-]{0,63}");
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
    const int read = slice_signed(text, value);
    if (read == 0)
        target_wrong(target, 400, name, text, "must be a plain decimal, with a minus sign where negative");
    else if (read < 0 || *value < -TERRANE_TILE_LIMIT || *value >= TERRANE_TILE_LIMIT)
        target_wrong(target, 404, name, text, "there are tiles from -1099511627776 to 1099511627775");
}

/* What stands behind the last dot; without it, empty. */
static struct slice cut_ending(struct slice *name)
{
    const char *dot = memchr(name->at, '.', name->bytes);
    const size_t bytes = dot ? (size_t)(dot - name->at) : name->bytes;
    const struct slice ending = {dot ? dot + 1 : "", dot ? name->bytes - bytes - 1 : 0};
    name->bytes = bytes;
    return ending;
}

static void read_ending(struct target *target, struct slice ending)
{
    int choice = 0;
    target_choose(target, "ext", ending, tile_ending_name, FORMATS, &choice);
    target->key.format = (enum tile_format)choice;
}

static bool read_tile(struct target *target, const struct slice segment[SEGMENTS],
                      const struct target_names *names)
{
    struct slice y = segment[4];
    int64_t lod = 0;

    target->negotiated = memchr(y.at, '.', y.bytes) == NULL;
    const struct slice ending = cut_ending(&y);
    read_seed(target, segment[1], names);
    const int read = slice_signed(segment[2], &lod);
    if (read == 0)
        target_wrong(target, 400, "lod", segment[2], "must be a plain decimal");
    else if (read < 0 || lod < 0 || lod > TERRANE_LEVEL_MAX)
        target_wrong(target, 404, "lod", segment[2], "there are levels 0 to 24");
    else
        target->key.level = (int)lod;
    read_coordinate(target, "x", segment[3], &target->key.x);
    read_coordinate(target, "y", y, &target->key.y);
    if (!target->negotiated)
        read_ending(target, ending);
    return true;
}

/* A number of a pyramid, from 0 on, below a bound. */
static uint64_t read_index(struct target *target, const char *name, struct slice text, uint64_t bound,
                           const char *outside)
{
    uint64_t value = 0;
    const int read = slice_unsigned(text, &value);
    if (read == 0)
        target_wrong(target, 400, name, text, "must be a plain decimal without a sign");
    else if (read < 0 || value >= bound)
        target_wrong(target, 404, name, text, outside);
    return value < bound ? value : 0;
}

/* z counts the other way round than lod, and the world's origin is in the middle of the pyramid. The tile at its root has
 * the origin in its own middle. */
static bool read_xyz(struct target *target, const struct slice segment[SEGMENTS],
                     const struct target_names *names)
{
    struct slice y = segment[4];
    struct slice ending = cut_ending(&y);
    const bool twice = y.bytes > 3 && memcmp(y.at + y.bytes - 3, "@2x", 3) == 0;
    y.bytes -= twice ? 3 : 0;
    read_seed(target, segment[1], names);
    const int z = (int)read_index(target, "z", segment[2], TILE_Z0 + 1, "there are z from 0 to 18");
    const uint64_t side = UINT64_C(1) << z;
    target->key.level = TILE_Z0 - z;
    target->key.x = (int64_t)read_index(target, "x", segment[3], side, "there are x from 0 to 2^z - 1");
    target->key.y = (int64_t)read_index(target, "y", y, side, "there are y from 0 to 2^z - 1");
    target->key.shift = z == 0 ? SHIFT_NORTH_WEST : SHIFT_NONE;
    read_ending(target, ending);
    const bool of_size = format_row[target->key.format].carries == CARRIES_GRID;
    if (twice || of_size)
        target->key.size = TERRANE_TILE_SAMPLES << twice;
    if (twice && target->key.level == 0)
        target_wrong(target, 404, "z", segment[2], "@2x ends at z 17, one above the finest level");
    return true;
}

/* To the world's coordinates, once the page is known. */
static void place_xyz(struct target *target)
{
    const int64_t half =
        TILE_Z0 - target->key.level > 0 ? INT64_C(1) << (TILE_Z0 - target->key.level - 1) : 0;
    const int64_t page = INT64_C(1) << (TILE_Z0 - target->key.level);
    target->key.x += target->page_x * page - half;
    target->key.y += target->page_y * page - half;
}

/* Half a turn is 2^z tiles to either side of the origin; y counts from the south. */
static bool read_terrain(struct target *target, const struct slice segment[SEGMENTS],
                         const struct target_names *names)
{
    struct slice y = segment[4];
    const struct slice ending = cut_ending(&y);
    read_seed(target, segment[1], names);
    const int z = (int)read_index(target, "z", segment[2], TILE_GLOBE_Z0 + 1, "there are z from 0 to 16");
    const int64_t rows = INT64_C(1) << z;
    const uint64_t x =
        read_index(target, "x", segment[3], 2 * (uint64_t)rows, "there are x from 0 to 2^(z + 1) - 1");
    const uint64_t south = read_index(target, "y", y, (uint64_t)rows, "there are y from 0 to 2^z - 1");
    target->key.level = TILE_GLOBE_Z0 - z;
    target->key.x = (int64_t)x - rows;
    target->key.y = rows - 1 - (int64_t)south - rows / 2;
    target->key.shift = z == 0 ? SHIFT_NORTH : SHIFT_NONE;
    target->key.format = FORMAT_TERRAIN;
    if (!slice_is(ending, "terrain"))
        target_wrong(target, 400, "ext", ending, "must be terrain");
    return true;
}

/* The same squares as /xyz, but y counts from the south: children divide their parent's box along its axes. */
static bool read_3dtiles(struct target *target, const struct slice segment[SEGMENTS],
                         const struct target_names *names)
{
    struct slice y = segment[4];
    const struct slice ending = cut_ending(&y);
    read_seed(target, segment[1], names);
    const int z = (int)read_index(target, "z", segment[2], TILE_Z0 + 1, "there are z from 0 to 18");
    const int64_t side = INT64_C(1) << z;
    const uint64_t x = read_index(target, "x", segment[3], (uint64_t)side, "there are x from 0 to 2^z - 1");
    const uint64_t south = read_index(target, "y", y, (uint64_t)side, "there are y from 0 to 2^z - 1");
    target->key.level = TILE_Z0 - z;
    target->key.x = (int64_t)x - side / 2;
    target->key.y = side - 1 - (int64_t)south - side / 2;
    target->key.shift = z == 0 ? SHIFT_NORTH_WEST : SHIFT_NONE;
    const bool subtree = slice_is(ending, "subtree");
    target->key.format = subtree ? FORMAT_SUBTREE : FORMAT_GLB;
    target->key.placed = true;
    target->subtree = subtree && z == 0; /* its tiles have their shares of the whole box */
    target->route = target->subtree ? ROUTE_TILESET : ROUTE_3DTILES;
    if (!subtree && !slice_is(ending, "glb"))
        target_wrong(target, 400, "ext", ending, "must be glb or subtree");
    if (subtree && z % TILESET_SUBTREE_LEVELS != 0)
        target_wrong(target, 404, "z", segment[2], "there are subtrees at z 0, 5, 10 and 15");
    return true;
}

static bool read_world(struct target *target, const struct slice segment[SEGMENTS],
                       const struct target_names *names)
{
    read_seed(target, segment[1], names);
    return true;
}

static bool read_shared(struct target *target, const struct slice segment[SEGMENTS],
                        const struct target_names *names)
{
    read_seed(target, segment[1], names);
    if (!target->key.edits && target->status != 503) {
        target->status = 0;
        target_wrong(target, 404, "name", segment[1], "is no world that people change");
    }
    return true;
}

/* /{what}/{seed}.{ending} */
static bool read_document(struct target *target, const struct slice segment[SEGMENTS],
                          const struct target_names *names)
{
    struct slice name = segment[1];
    const struct slice ending = cut_ending(&name);
    if (!slice_is(ending, target->route == ROUTE_GDAL ? "xml" : "json"))
        return false;
    read_seed(target, name, names);
    return true;
}

static bool read_region(struct target *target, const struct slice segment[SEGMENTS],
                        const struct target_names *names)
{
    struct slice name = segment[1];
    const struct slice ending = cut_ending(&name);
    read_seed(target, name, names);
    read_ending(target, ending);
    if (!format_row[target->key.format].window)
        target_wrong(target, 400, "ext", ending, "a region's are png, f32, r16, npy, tif, exr and rgba8");
    return true;
}

static bool read_file(struct target *target, const struct slice segment[SEGMENTS],
                      const struct target_names *names)
{
    const struct slice name = segment[1];
    (void)names;
    if (name.bytes == 0 || name.bytes >= sizeof target->file)
        return false;
    memcpy(target->file, name.at, name.bytes);
    return true;
}

static bool read_model(struct target *target, const struct slice segment[SEGMENTS],
                       const struct target_names *names)
{
    char allowed[120] = "there are ";
    const size_t n = strlen(allowed);
    struct slice name = segment[1];
    (void)names;
    if (!slice_is(cut_ending(&name), "glb"))
        return false;
    const int found = tile_name_find(terrane_model_name, TERRANE_MODELS, name.at, name.bytes);
    target->model = found;
    tile_names_list(allowed + n, sizeof allowed - n, terrane_model_name, TERRANE_MODELS);
    if (found < 0)
        target_wrong(target, 404, "name", name, allowed);
    return true;
}

/* How the segments of a route's path are read, and the layer where none is asked for. false: there is no such path after all. */
static const struct {
    bool (*read)(struct target *target, const struct slice segment[SEGMENTS],
                 const struct target_names *names);
    enum tile_layer layer;
} reader[ROUTES] = {
    [ROUTE_TILE] = {read_tile, LAYER_HEIGHT},        [ROUTE_STATUS] = {read_tile, LAYER_HEIGHT},
    [ROUTE_XYZ] = {read_xyz, LAYER_HEIGHT},          [ROUTE_TERRAIN] = {read_terrain, LAYER_SURFACE},
    [ROUTE_3DTILES] = {read_3dtiles, LAYER_SURFACE}, [ROUTE_TILEJSON] = {read_world, LAYER_HEIGHT},
    [ROUTE_STYLE] = {read_document, LAYER_RELIEF},   [ROUTE_LAYER] = {read_world, LAYER_SURFACE},
    [ROUTE_GDAL] = {read_document, LAYER_HEIGHT},    [ROUTE_TILESET] = {read_world, LAYER_SURFACE},
    [ROUTE_POINT] = {read_world, LAYER_HEIGHT},      [ROUTE_REGION] = {read_region, LAYER_HEIGHT},
    [ROUTE_PATH] = {read_world, LAYER_HEIGHT},       [ROUTE_VIEWER] = {read_file, LAYER_HEIGHT},
    [ROUTE_WORLD] = {read_world, LAYER_HEIGHT},      [ROUTE_RIVER] = {read_world, LAYER_HEIGHT},
    [ROUTE_DOWNSTREAM] = {read_world, LAYER_HEIGHT}, [ROUTE_MODEL] = {read_model, LAYER_HEIGHT},
    [ROUTE_VECTORS] = {read_world, LAYER_HEIGHT},    [ROUTE_FIND] = {read_world, LAYER_HEIGHT},
    [ROUTE_EDITS] = {read_shared, LAYER_HEIGHT},     [ROUTE_UNDO] = {read_shared, LAYER_HEIGHT},
    [ROUTE_MARKS] = {read_shared, LAYER_HEIGHT},     [ROUTE_EVENTS] = {read_shared, LAYER_HEIGHT},
    [ROUTE_LOG] = {read_shared, LAYER_HEIGHT},
};

/* Whether segments are those of a row's path. */
static bool fits_path(const char *path, const struct slice *segment, int segments)
{
    for (int i = 0; i < segments; i++) {
        if (*path != '/')
            return false;
        const size_t bytes = strcspn(++path, "/");
        if (*path != '{' && (segment[i].bytes != bytes || memcmp(segment[i].at, path, bytes) != 0))
            return false;
        path += bytes;
    }
    return *path == 0;
}

/* false: they are of no route. */
static bool read_segments(struct target *target, const struct slice segment[SEGMENTS], int segments,
                          const struct target_names *names)
{
    for (int r = 0; r < ROUTES; r++) {
        if (!route_row[r].path || !fits_path(route_row[r].path, segment, segments))
            continue;
        target->route = (enum route)r;
        if (!reader[r].read || reader[r].read(target, segment, names)) {
            target->key.layer = reader[r].layer;
            return true;
        }
        target->route = ROUTE_UNKNOWN;
    }
    return false;
}

/* An escaped slash is part of a segment, and nothing here has one in its name. */
static bool escapes_slash(struct slice raw)
{
    return memmem(raw.at, raw.bytes, "%2F", 3) || memmem(raw.at, raw.bytes, "%2f", 3);
}

/* raw: as it came; path: decoded. */
static void read_path(struct target *target, struct slice raw, struct slice path,
                      const struct target_names *names)
{
    struct slice segment[SEGMENTS];
    const bool whole = !escapes_slash(raw);
    const int segments = whole && path.bytes > 0 && path.at[0] == '/' ? cut(path, segment) : 0;
    if (whole && slice_is(path, "/"))
        target->route = ROUTE_VIEWER;
    else if (segments == 0 || !read_segments(target, segment, segments, names))
        target_wrong(target, 404, "path", path,
                     "there is nothing here; tiles are at /tile/{seed}/{lod}/{x}/{y}");
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
    if (!target_decode(target, raw_path, buffer, &path))
        return;
    read_path(target, raw_path, path, names);
    const bool tile = target_is_tile(target) || target->route == ROUTE_STATUS;
    if (target->status != 400 && route_row[target->route].asks)
        target_read_query(target, query, names);
    if (target->status == 0 && target->route == ROUTE_XYZ)
        place_xyz(target);
    if (target->status == 0 && tile && !target->negotiated)
        target_finish(target, target->key.format);
}

void target_name_recipe(struct tile_key *key, const struct recipe *recipe, const struct recipe *standard)
{
    key->recipe = !*recipe->name || recipe_same(recipe, standard)
                      ? NULL
                      : recipe->name; /* "": of a file, or the world's own */
    key->generator = recipe->usual && !key->alias ? 0 : recipe->world.generator;
}

void target_finish(struct target *target, enum tile_format format)
{
    const char *given = tile_format_name[format];
    char size[16];
    const bool mesh =
        format_row[format].carries == CARRIES_MESH || format_row[format].carries == CARRIES_BOXES;
    target->key.format = format;
    tile_key_vary(&target->key, &target->recipe->world);
    switch (tile_key_finish(&target->key)) {
    case TILE_FINE:
        return;
    case TILE_BAD_FORMAT:
        target_wrong(target, 400, "ext", (struct slice){given, strlen(given)},
                     tile_layer_has(target->key.layer, format)
                         ? "the tile at a pyramid's root has no description, lines or caves"
                         : "this layer has no such format");
        return;
    case TILE_BAD_ENC:
        given = tile_enc_name[target->key.enc];
        target_wrong(target, 400, "enc", (struct slice){given, strlen(given)},
                     mesh ? "of a mesh there is quantised"
                     : tile_layer_has_enc(target->key.layer, ENC_GRAY16)
                         ? "this layer's are terrarium, mapbox and gray16"
                         : "this layer's are terrarium and mapbox");
        return;
    case TILE_BAD_TEXTURE:
        target_refuse(target, 400, "texture", "only a glb of height or surface has one: relief");
        return;
    case TILE_BAD_BANDS:
        target_refuse(target, 400, "bands", "only a png or rgba8 of cover has more than the first ones");
        return;
    case TILE_BAD_SIZE:
        snprintf(size, sizeof size, "%d", target->key.size);
        target_wrong(target, 400, "size", (struct slice){size, strlen(size)},
                     tile_has_far_edge(&target->key)
                         ? "must be 2^k + 1 from 3 to 257"
                         : "must be 2^k from 2 to 512 or 2^k + 1 from 3 to 257; 512 needs lod 1 or more");
        return;
    case TILE_BAD_REG:
        given = tile_reg_name[target->key.reg];
        target_wrong(target, 400, "reg", (struct slice){given, strlen(given)},
                     format == FORMAT_PNG && layer_row[target->key.layer].heights
                         ? "of pixels' centres there are sizes 2^k, without the neighbours' edge"
                         : "pixels' centres are of png of height and surface");
        return;
    case TILE_BAD_LEVEL: /* levels and coordinates have been checked */
    case TILE_BAD_TILE:
        target_wrong(target, 404, "tile", (struct slice){"", 0}, "there is no such tile");
    }
}
