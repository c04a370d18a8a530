/*
 * Fuzzing payloads: entries of store and cache that lie about what is in them, with a right checksum.
 *
 * At the start one true entry of each kind is made, in a small world that has everything but rivers: tiles of each format, coded
 * ones, regions; and in one with rivers what shows them. An input names one, and changes of it: bytes, words, its length, and
 * what its header says. The entry is packed with
 * its checksum and read again; where product_fits then takes it for its key's, it is used as the server would use it: whatever
 * rests on it is made, places are read out of it, pictures are decoded, lines are collected. Nothing but an error may come of
 * that. Seeds: tests/fuzz/corpus/payload.
 */
#include "../../server/encode/encode.h"
#include "../../server/http/drop_way.h"
#include "../../server/http/path_lines.h"
#include "../../server/http/places.h"
#include "../../server/recipe/recipe_json.h"
#include "../../server/render/product.h"
#include "fuzz_kit.h"

static const char recipe_text[] =
    "{\"terms\": {\"hills\": {\"fractal\": \"fbm\", \"octaves\": 4, \"cell_m\": 4096, \"amplitude_m\": 240}},"
    " \"height\": \"hills\", \"sea_m\": -100, \"erosion\": {\"levels\": 5, \"phases\": 1, \"steps\": 3},"
    " \"lakes\": {\"level\": 3, \"cell\": 32, \"radius\": 16, \"share\": 1}, \"paths\": {\"level\": 4, "
    "\"cell\": 32},"
    " \"caves\": {\"share\": 1, \"cell\": 64, \"radius\": 16, \"high_m\": 0, \"room\": 8, \"slope\": 2}}";

static const char rivers_text[] =
    "{\"terms\": {\"hills\": {\"fractal\": \"fbm\", \"octaves\": 6, \"cell_m\": 4096, \"amplitude_m\": 240}},"
    " \"height\": \"hills\", \"sea_m\": -40, \"erosion\": {\"levels\": 4, \"phases\": 1, \"steps\": 3},"
    " \"rivers\": {\"top\": 6, \"bottom\": 4, \"inland_km\": 16}}";

/* An entry's key, and up to two of what rests on it. */
struct kind {
    const struct terrane_world *world;
    struct product_key key, above[2];
    int aboves;
    struct blob *blob;
};

enum { KINDS_MAX = 160, LEVEL = 2, X = 3, Y = -3, SIZE = 33 };

static struct {
    struct recipe recipe[2];
    struct terrane_world worlds[2];
    const struct terrane_world *world; /* the one at work */
    struct producer *producer;
    struct memory *memory;
    struct kind kind[KINDS_MAX];
    int kinds;
} stage;

static struct product_key tile_of(enum tile_layer layer, enum tile_format format, int size)
{
    struct tile_key key = {.seed = 42,
                           .x = X,
                           .y = Y,
                           .level = LEVEL,
                           .layer = layer,
                           .variant = VARIANT_UNSAID,
                           .format = format,
                           .size = size};
    tile_key_vary(&key, stage.world->recipe);
    require(tile_key_finish(&key) == TILE_FINE, "no such tile");
    return product_of_tile(&key);
}

static struct kind *add(struct product_key key)
{
    struct produce_times times;
    struct kind *kind = &stage.kind[stage.kinds++];
    require(stage.kinds <= KINDS_MAX, "more kinds than there is room for");
    kind->world = stage.world;
    kind->key = key;
    kind->blob = product_make_alone(stage.producer, &key, stage.world, stage.memory, &times);
    require(kind->blob && product_fits(&key, stage.world, kind->blob), "what was made does not fit");
    return kind;
}

/* A tile, and what its bytes go into: itself coded, and put together with others. */
static void add_tile(enum tile_layer layer, enum tile_format format, int size)
{
    struct kind *kind = add(tile_of(layer, format, size));
    struct product_key coded = kind->key, shifted = kind->key;
    coded.tile.coding = CODING_GZIP;
    if (tile_key_finish(&coded.tile) == TILE_FINE && coded.tile.coding == CODING_GZIP)
        kind->above[kind->aboves++] = coded;
    shifted.tile.shift = SHIFT_NORTH_WEST;
    if (format != FORMAT_TERRAIN && tile_key_finish(&shifted.tile) == TILE_FINE)
        kind->above[kind->aboves++] = shifted;
}

static void add_coded(enum tile_coding coding)
{
    struct product_key key = tile_of(LAYER_WATER, FORMAT_F32, 0);
    key.tile.coding = coding;
    (void)add(key);
}

/* A mesh, and the picture that goes onto it. */
static void add_textured(void)
{
    struct product_key textured = tile_of(LAYER_HEIGHT, FORMAT_GLB, SIZE), in[PRODUCT_INPUTS_MAX];
    textured.tile.textured = true;
    require(product_inputs(&textured, stage.world, in) == 2, "a mesh and its picture");
    for (int i = 0; i < 2; i++) {
        struct kind *kind = add(in[i]);
        kind->above[kind->aboves++] = textured;
    }
    (void)add(textured);
}

/* All regions below a tile; each is read by that tile, and by the regions on the way. */
static void add_regions(struct product_key tile)
{
    struct product_key in[PRODUCT_INPUTS_MAX], below[PRODUCT_INPUTS_MAX];
    const int count = product_inputs(&tile, stage.world, in);
    for (int i = 0; i < count; i++) {
        struct kind *kind = add(in[i]);
        kind->above[kind->aboves++] = tile;
        if (in[i].product == PRODUCT_CAVES)
            kind->above[kind->aboves++] = tile_of(LAYER_CAVE, FORMAT_GLB, 0);
        if (in[i].product == PRODUCT_PATHS)
            kind->above[kind->aboves++] = tile_of(LAYER_RELIEF, FORMAT_PNG, 257);
        if (in[i].product == PRODUCT_DRAINAGE)
            kind->above[kind->aboves++] = tile_of(LAYER_RIVER, FORMAT_GEOJSON, 0);
        if (product_inputs(&in[i], stage.world, below) == 0)
            continue;
        struct kind *anchor = add(below[0]);
        anchor->above[anchor->aboves++] = in[i];
    }
}

/* From here on it is of that one that is spoken. */
static void begin_world(int which, const char *text)
{
    char error[RECIPE_ERROR_BYTES];
    if (recipe_parse(&stage.recipe[which], text, strlen(text), "fuzz", error, sizeof error) != 0)
        require(false, error);
    terrane_world_init(&stage.worlds[which], &stage.recipe[which].world, 42);
    stage.world = &stage.worlds[which];
}

static void start(void)
{
    require(terrane_init(NULL) == 0, "no kernels");
    begin_world(0, recipe_text);
    stage.producer = producer_create();
    stage.memory = memory_create(512 << 20);
    require(stage.producer && stage.memory, "out of memory");
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++)
            if (tile_layer_has((enum tile_layer)layer, (enum tile_format)format) && format != FORMAT_GLB &&
                format != FORMAT_SUBTREE && format != FORMAT_TERRAIN)
                add_tile((enum tile_layer)layer, (enum tile_format)format, SIZE);
    for (int k = 0; k < 3; k++) /* those that places are read out of */
        (void)add(tile_of((enum tile_layer[]){LAYER_HEIGHT, LAYER_WATER, LAYER_NORMAL}[k], FORMAT_F32, 0));
    add_tile(LAYER_HEIGHT, FORMAT_TERRAIN, SIZE);
    add_tile(LAYER_HEIGHT, FORMAT_SUBTREE, SIZE);
    add_tile(LAYER_CAVE, FORMAT_GLB, 0);
    add_coded(CODING_GZIP);
    add_coded(CODING_ZSTD);
    add_textured();
    add_regions(tile_of(LAYER_CAVE, FORMAT_JSON, 0));
    begin_world(1, rivers_text);
    add_tile(LAYER_RIVER, FORMAT_GEOJSON, 0);
    (void)add(tile_of(LAYER_RIVER, FORMAT_F32, 0));
    add_regions(tile_of(LAYER_RELIEF, FORMAT_PNG, 257));
}

/* ---- Lies ---------------------------------------------------------------------------------------------- */

static uint32_t take(const uint8_t **data, size_t *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i<count && * bytes> 0; i++, (*bytes)--)
        value = value << 8 | *(*data)++;
    return value;
}

/* The entry as somebody left it, who can write checksums: packed, and read back. NULL: it is none. */
static struct blob *lie_about(const struct blob *truth, const uint8_t *data, size_t bytes)
{
    static const uint32_t words[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000, 0x7fc00000,
                                     0x7f800000, 0xff800000, 0x7f7fffff, 0x49800000, 0xc9800000, 0x00000001};
    size_t length = truth->bytes;
    const uint32_t flags = take(&data, &bytes, 1);
    struct blob_info info = truth->info;
    if (flags & 1)
        length = take(&data, &bytes, 3) % (2 * truth->bytes) + 1;
    if (flags & 2)
        length = length > bytes % 9 + 1 ? length - bytes % 9 : length + bytes % 9;
    if (flags & 4)
        info.coding = (uint8_t)(take(&data, &bytes, 1) % CODINGS);
    if (flags & 8) {
        const uint32_t low = words[take(&data, &bytes, 1) % 12], high = words[take(&data, &bytes, 1) % 12];
        memcpy(&info.min_m, &low, 4);
        memcpy(&info.max_m, &high, 4);
    }
    if (flags & 16)
        info.width = (uint16_t)(take(&data, &bytes, 2) % ENTRY_SIDE_MAX + 1);
    unsigned char *payload = room(length);
    memcpy(payload, truth->data, length < truth->bytes ? length : truth->bytes);
    while (bytes > 0) {
        const uint32_t what = take(&data, &bytes, 1), near = what & 4 ? 256 : 1 << 24;
        const size_t at = take(&data, &bytes, 3) % near;
        const size_t place = what & 8 ? length - 1 - at % length : at % length;
        const uint32_t value =
            what & 1 ? words[take(&data, &bytes, 1) % 12] : take(&data, &bytes, what & 2 ? 4 : 1);
        const size_t width = what & 3 ? 4 : 1, room = length - place;
        memcpy(payload + place, &value, width < room ? width : room);
    }
    struct blob *packed = blob_create(&truth->key, &info, payload, length);
    require(packed != NULL, "out of memory");
    unsigned char *entry = room(entry_bytes(packed));
    uint64_t world;
    entry_pack(entry, packed);
    require(entry_check(entry, entry_bytes(packed), &truth->key, &info, &world),
            "a sealed entry is not taken");
    free(entry);
    return packed;
}

/* ---- Use ----------------------------------------------------------------------------------------------- */

static void make_above(const struct product_key *above, struct blob *lie)
{
    struct product_key in[PRODUCT_INPUTS_MAX];
    struct blob *inputs[PRODUCT_INPUTS_MAX];
    struct produce_times times = {0};
    struct product_plan plan;
    const struct digest name = product_digest(above, stage.world);
    const int count = product_plan(above, &name, stage.world, &plan, in);
    for (int i = 0; i < count; i++) {
        const struct digest digest = product_digest(&in[i], stage.world);
        inputs[i] = digest_equal(&digest, &lie->key)
                        ? blob_hold(lie)
                        : product_make_alone(stage.producer, &in[i], stage.world, stage.memory, &times);
        require(inputs[i] != NULL, "out of memory");
    }
    struct blob *blob = product_make(stage.producer, above, stage.world, &plan, inputs, &times);
    require(!blob || product_fits(above, stage.world, blob), "what was made of it does not fit its own key");
    blob_release(blob);
    for (int i = 0; i < count; i++)
        blob_release(inputs[i]);
}

static void read_places(const struct tile_key *key, const struct blob *blob)
{
    static const enum point_layer as[LAYERS] = {
        [LAYER_WATER] = POINT_WATER, [LAYER_NORMAL] = POINT_NORMAL, [LAYER_RIVER] = POINT_RIVER};
    struct body_complaint complaint;
    struct places *places = places_one(777.5, -700.25);
    require(places && places_locate(places, stage.world, key->level, &complaint), "a place");
    places_fill(places, 0, as[key->layer], blob->data);
    const struct point *point = &places->point[0];
    const double sum = point->height_m + point->water_m + point->discharge_m3s + point->normal[0] +
                       point->normal[1] + point->normal[2];
    require(sum - sum == 0, "a place with no number");
    free(places);
}

static void read_lines(const struct blob *blob)
{
    const struct path_window window = {.west_m = -1e6, .north_m = -1e6, .east_m = 1e6, .south_m = 1e6};
    for (int axes = PATH_AXES_WORLD; axes <= PATH_AXES_GEOGRAPHIC; axes++) {
        struct path_lines *lines = path_lines_create(&window, (enum path_axes)axes, 1, 1 << 20);
        size_t bytes;
        require(lines != NULL, "out of memory");
        const enum path_lines_result result = path_lines_add(lines, blob->data, blob->bytes);
        require(result == PATH_LINES_FINE || result == PATH_LINES_MANY, "lines that cannot be read");
        if (result == PATH_LINES_FINE)
            free(path_lines_text(lines, &bytes));
        path_lines_free(lines);
    }
}

/* Where a drop runs that falls there. */
static void follow_drop(const struct terrane_region *region, struct blob *lie)
{
    const struct terrane_packed packed = {lie->data, lie->bytes};
    struct terrane_region_view view;
    struct drop_way *way = drop_way_create(stage.world, 3777.5, -2700.25);
    require(way && terrane_region_open(region, &packed, NULL, &view) == 0, "out of memory");
    if (drop_way_go(way, &view.drained) && drop_way_ended(way))
        free(drop_way_text(way));
    terrane_region_close(&view, NULL);
    drop_way_free(way);
}

static void use(const struct kind *kind, struct blob *lie)
{
    const struct tile_key *key = &kind->key.tile;
    if (kind->key.product == PRODUCT_DRAINAGE && kind->key.region.level == stage.world->recipe->rivers.bottom)
        follow_drop(&kind->key.region, lie);
    for (int i = 0; i < kind->aboves; i++)
        make_above(&kind->above[i], lie);
    if (kind->key.product != PRODUCT_TILE || lie->info.coding != CODING_IDENTITY)
        return;
    if (key->format == FORMAT_PNG) {
        struct picture picture;
        require(picture_read(&picture, lie->data, lie->bytes) == 0, "a picture that cannot be read");
        require(picture.width == key->size && picture.height == key->size, "another picture");
        free(picture.pixels);
    }
    if (key->format == FORMAT_GEOJSON && !tile_is_drawn(key)) /* what routes put together */
        read_lines(lie);
    if (key->format == FORMAT_F32 && key->size == TERRANE_TILE_SAMPLES + 1 &&
        (key->layer == LAYER_HEIGHT || key->layer == LAYER_WATER || key->layer == LAYER_NORMAL ||
         key->layer == LAYER_RIVER))
        read_places(key, lie);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (stage.kinds == 0)
        start();
    const uint32_t which = take(&data, &bytes, 1);
    const struct kind *kind = &stage.kind[which % (uint32_t)stage.kinds];
    struct blob *lie = lie_about(kind->blob, data, bytes);
    stage.world = kind->world;
    if (product_fits(&kind->key, stage.world, lie))
        use(kind, lie);
    blob_release(lie);
    return 0;
}
