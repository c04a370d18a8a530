/*
 * Entries against keys (server/render/tile_fits.c): what was made for a key fits it, in every layer, format, encoding, size and
 * coding; what is shorter, longer, of another size, has another head, or cannot be read, does not.
 */
#include <libdeflate.h>

#include "../../../server/encode/coding.h"
#include "../../../server/render/name_near.h"
#include "hollow_kit.h"

/* All tests' own: the small world, with zones, cover and objects. */
static struct dice_world *const w = &scene.w;

static int open_mixed(void **state)
{
    if (scene_open(state) != 0)
        return -1;
    hollow_recipe(&w->recipe);
    w->recipe.partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_NOISE, .zones = 3, .blend = 20, .threshold = {-50, 50}};
    for (int z = 0; z < 3; z++) {
        w->recipe.partition.zone[z].term = -1;
        w->recipe.erosion.zone[z] = droplets_default;
    }
    w->recipe.cover.materials = 1;
    w->recipe.objects.classes = 1;
    w->recipe.objects.of[0] = (struct terrane_class){.radius_m = (float)(40 * w->recipe.spacing_m),
                                                     .on = {1},
                                                     .slope = 64,
                                                     .small = 1,
                                                     .large = 1,
                                                     .level = 3};
    make_world(&w->world, &w->recipe, 42);
    return 0;
}

static void refuse_lengths(const struct product_key *key, const struct blob *blob)
{
    const size_t length[] = {1, 4, 17, blob->bytes / 2, blob->bytes - 4, blob->bytes - 1, blob->bytes + 1};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        if (key->tile.format != FORMAT_BIN || length[i] % 16 != 0) /* so many objects there may be */
            refuse(key, kit_copy(blob, length[i]), "another length");
    struct blob *zeros = kit_copy(blob, blob->bytes + 1);
    memset(zeros->data, 0, zeros->bytes);
    refuse(key, zeros, "zeros");
}

static void refuse_facts(const struct product_key *key, const struct blob *blob)
{
    const struct blob_info true_info = blob->info;
    const int sides[] = {1, true_info.width - 1, true_info.width + 1, 4097};
    const float extremes[][2] = {{NAN, 1}, {0, NAN}, {-INFINITY, 1}, {0, INFINITY}, {2, 1}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int high = 0; high < 2; high++) {
            struct blob *lie = kit_copy(blob, blob->bytes);
            *(high ? &lie->info.height : &lie->info.width) = (uint16_t)sides[i];
            refuse(key, lie, "another side");
        }
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        struct blob *lie = kit_copy(blob, blob->bytes);
        lie->info.min_m = extremes[i][0];
        lie->info.max_m = extremes[i][1];
        refuse(key, lie, "another range");
    }
    for (int format = 0; format < FORMATS; format++)
        for (int coding = 0; coding < CODINGS; coding++) {
            struct blob *lie = kit_copy(blob, blob->bytes);
            lie->info.format = (uint8_t)format;
            lie->info.coding = (uint8_t)coding;
            if (format == true_info.format && coding == true_info.coding)
                blob_release(lie);
            else
                refuse(key, lie, "another kind");
        }
}

/* Bytes of heads, one by one: of each format so many from the beginning hold nothing that samples decide. */
static void refuse_heads(const struct product_key *key, const struct blob *blob)
{
    static const size_t head[FORMATS] = {
        [FORMAT_PNG] = 29, [FORMAT_NPY] = 128,   [FORMAT_JSON] = 1,     [FORMAT_TIF] = 8,
        [FORMAT_GLB] = 20, [FORMAT_GEOJSON] = 1, [FORMAT_SUBTREE] = 24, [FORMAT_EXR] = 400};
    for (size_t at = 0; blob->info.coding == CODING_IDENTITY && at < head[key->tile.format]; at++) {
        const unsigned char byte = blob->data[at] ^ 0x40;
        refuse_bytes(key, blob, at, &byte, 1, "another head");
    }
    if (key->tile.format != FORMAT_F32 || blob->info.coding != CODING_IDENTITY)
        return;
    static const uint32_t words[] = {0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000, 0x7f7fffff};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) /* NaN of either sign and order of bytes */
        refuse_bytes(key, blob, blob->bytes - 4, &words[i], 4, "no number");
}

/* Whether a coded lie is none: a bit of deflate may lead to the very bytes, since texts repeat. */
static bool says_the_same(const struct blob *lie, const struct blob *blob)
{
    size_t bytes, lie_bytes;
    unsigned char *data = coding_undo(CODING_GZIP, blob->data, blob->bytes, 1 << 24, &bytes);
    unsigned char *other = coding_undo(CODING_GZIP, lie->data, lie->bytes, 1 << 24, &lie_bytes);
    const bool same = data && other && bytes == lie_bytes && memcmp(data, other, bytes) == 0;
    free(data);
    free(other);
    return same;
}

/* Behind the heads: of what has a sum of its own any bit, of texts a byte that no text has. */
static void refuse_inside(const struct product_key *key, const struct blob *blob)
{
    enum { STEPS = 16, GZIP_HEAD = 10 };
    const bool plain = blob->info.coding == CODING_IDENTITY;
    const bool text = plain && (key->tile.format == FORMAT_JSON || key->tile.format == FORMAT_GEOJSON);
    const bool sum = blob->info.coding == CODING_GZIP || (plain && key->tile.format == FORMAT_PNG);
    for (size_t k = 0; (text || sum) && k < STEPS; k++) {
        struct blob *lie = kit_copy(blob, blob->bytes);
        unsigned char *at = lie->data + GZIP_HEAD + k * (lie->bytes - GZIP_HEAD) / STEPS;
        *at = !text ? *at ^ 4 : k % 2 == 0 ? 1 : 0xff;
        if (blob->info.coding == CODING_GZIP && says_the_same(lie, blob))
            blob_release(lie);
        else
            refuse(key, lie, "another inside");
    }
}

/* Documents with nothing in them, and of meshes those that speak of what is not there. */
static void refuse_documents(const struct product_key *key, const struct blob *blob)
{
    static const char *const said[] = {"\"version\":\"",
                                       "\"scene\":", "\"buffers\":[{\"byteLength\":", "\"count\":"};
    const bool glb = key->tile.format == FORMAT_GLB, subtree = key->tile.format == FORMAT_SUBTREE;
    const size_t at = glb ? 20 : subtree ? 24 : 0, bytes_at = glb ? 12 : 8;
    if (blob->info.coding != CODING_IDENTITY)
        return;
    if (key->tile.format == FORMAT_JSON || key->tile.format == FORMAT_GEOJSON) {
        struct blob *lie = kit_copy(blob, 3);
        memcpy(lie->data, "{}\n", 3);
        refuse(key, lie, "an empty object");
    }
    if (!glb && !subtree)
        return;
    const size_t bytes = blob->data[bytes_at] | (size_t)blob->data[bytes_at + 1] << 8;
    struct blob *empty = kit_copy(blob, blob->bytes);
    memset(empty->data + at, ' ', bytes);
    memcpy(empty->data + at, "{}", 2);
    refuse(key, empty, "an empty document");
    for (size_t i = 0; glb && i < COUNT(said); i++) {
        struct blob *lie = kit_copy(blob, blob->bytes);
        char *found = memmem(lie->data + at, bytes, said[i], strlen(said[i]));
        if (found)
            found[strlen(said[i])] = '9';
        if (found && memcmp(lie->data, blob->data, blob->bytes) != 0)
            refuse(key, lie, said[i]);
        else
            blob_release(lie);
    }
}

static void one_kind(struct tile_key tile, int *kinds)
{
    if (tile.format == FORMAT_TERRAIN || tile.format == FORMAT_SUBTREE)
        tile.level = 3;
    tile_key_vary(&tile, &w->recipe);
    const struct tile_key asked = tile;
    if (tile_key_finish(&tile) != TILE_FINE || tile.enc != asked.enc || tile.coding != asked.coding ||
        tile.metadata + tile.placed < asked.metadata)
        return; /* none, or another one's */
    const struct product_key key = product_of_tile(&tile);
    struct blob *blob = scene_make(&key, true);
    if (!product_fits(&key, &w->world, blob))
        fail_msg("refused: layer %d format %d enc %d size %d coding %d shift %d", (int)tile.layer,
                 (int)tile.format, (int)tile.enc, tile.size, (int)tile.coding, (int)tile.shift);
    refuse_lengths(&key, blob);
    refuse_facts(&key, blob);
    refuse_heads(&key, blob);
    refuse_inside(&key, blob);
    refuse_documents(&key, blob);
    blob_release(blob);
    (*kinds)++;
}

TEST(every_kind_fits_its_key_alone)
{
    static const int sizes[] = {0, 64, 65};
    int kinds = 0;
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int enc = 0; enc < ENCS; enc++)
                    for (int more = 0; more < CODINGS + 5; more++) {
                        struct tile_key key = {.seed = 42,
                                               .x = 1,
                                               .y = -1,
                                               .level = 2,
                                               .layer = (enum tile_layer)layer,
                                               .variant = VARIANT_UNSAID,
                                               .format = (enum tile_format)format,
                                               .enc = (enum tile_enc)enc,
                                               .size = sizes[s]};
                        if (more > 0 && s == 0 && format_row[format].size > 65)
                            continue;
                        if (more == CODINGS + 1 && format == FORMAT_TERRAIN)
                            continue; /* whose pyramid has the other shift */
                        key.coding = more < CODINGS ? (enum tile_coding)more : CODING_IDENTITY;
                        key.shift = more == CODINGS       ? SHIFT_NORTH
                                    : more == CODINGS + 1 ? SHIFT_NORTH_WEST
                                                          : SHIFT_NONE;
                        key.textured = more == CODINGS + 2;
                        key.metadata = key.placed = more == CODINGS + 3;
                        key.reg = more == CODINGS + 4 ? REG_CENTER : REG_CORNER;
                        one_kind(key, &kinds);
                    }
    assert_true(kinds > 600);
}

static unsigned char *put_big(unsigned char *at, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (unsigned char)(value >> shift);
    return at;
}

/*
 * A grey picture of so many bytes of rows, all of one value, with right sums all over. What is refused or not is what
 * picture_read does not take, or does: who rests on a tile that fits can read it.
 */
static struct blob *grey(const struct blob *like, size_t bytes, unsigned char value, unsigned char window)
{
    enum { IDAT = 33, IEND = 12 };
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);
    struct blob *blob = kit_copy(like, like->bytes);
    unsigned char *rows = malloc(bytes), *at = blob->data + IDAT;
    assert_true(compressor && rows);
    memset(rows, value, bytes);
    const size_t length =
        libdeflate_zlib_compress(compressor, rows, bytes, at + 8, like->bytes - IDAT - 12 - IEND);
    assert_true(length > 0);
    at[8] = window;
    at[9] = (unsigned char)(31 - window * 256 % 31);
    put_big(at, (uint32_t)length);
    unsigned char *end = put_big(at + 8 + length, libdeflate_crc32(0, at + 4, 4 + length));
    memcpy(end, like->data + like->bytes - IEND, IEND);
    blob->bytes = (size_t)(end + IEND - blob->data);
    libdeflate_free_compressor(compressor);
    free(rows);
    return blob;
}

TEST(a_picture_that_fits_can_be_read)
{
    enum { ROWS = 256 * 257 };
    static const struct {
        size_t bytes;
        unsigned char value, window;
        bool fits;
    } lie[] = {{ROWS, 0, 0x78, true},      {ROWS, 4, 0x78, true},      {ROWS, 5, 0x78, false},
               {ROWS - 1, 0, 0x78, false}, {ROWS + 1, 0, 0x78, false}, {ROWS, 0, 0x88, false},
               {ROWS, 0, 0x77, false}};
    const struct tile_key tile = kit_key(2, 1, -1, LAYER_SLOPE, FORMAT_PNG, 256, VARIANT_BASE);
    const struct product_key key = product_of_tile(&tile);
    struct blob *blob = scene_make(&key, false);
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        struct blob *made = grey(blob, lie[i].bytes, lie[i].value, lie[i].window);
        struct picture picture;
        const bool reads = picture_read(&picture, made->data, made->bytes) == 0;
        if (reads)
            free(picture.pixels);
        assert_int_equal(product_fits(&key, &w->world, made), lie[i].fits);
        assert_true(reads || !lie[i].fits);
        blob_release(made);
    }
    blob_release(blob);
}

/* Each other's entries, both true. */
TEST(another_keys_entry_is_refused)
{
    static const struct {
        enum tile_layer layer;
        enum tile_format format;
        enum tile_enc enc;
        int size;
    } kind[] = {
        {LAYER_HEIGHT, FORMAT_PNG, ENC_TERRARIUM, 256},    {LAYER_HEIGHT, FORMAT_PNG, ENC_GRAY16, 256},
        {LAYER_HEIGHT, FORMAT_PNG, ENC_TERRARIUM, 128},    {LAYER_PARTITION, FORMAT_PNG, ENC_TERRARIUM, 256},
        {LAYER_SLOPE, FORMAT_PNG, ENC_TERRARIUM, 256},     {LAYER_PATH, FORMAT_PNG, ENC_TERRARIUM, 256},
        {LAYER_HEIGHT, FORMAT_F32, ENC_TERRARIUM, 256},    {LAYER_HEIGHT, FORMAT_F32, ENC_TERRARIUM, 257},
        {LAYER_NORMAL, FORMAT_F32, ENC_TERRARIUM, 257},    {LAYER_PATH, FORMAT_NPY, ENC_TERRARIUM, 257},
        {LAYER_HEIGHT, FORMAT_TIF, ENC_TERRARIUM, 257},    {LAYER_HEIGHT, FORMAT_TIF, ENC_TERRARIUM, 65},
        {LAYER_NORMAL, FORMAT_TIF, ENC_TERRARIUM, 257},    {LAYER_HEIGHT, FORMAT_TERRAIN, ENC_TERRARIUM, 65},
        {LAYER_HEIGHT, FORMAT_TERRAIN, ENC_TERRARIUM, 33}, {LAYER_HEIGHT, FORMAT_EXR, ENC_TERRARIUM, 257},
        {LAYER_HEIGHT, FORMAT_EXR, ENC_TERRARIUM, 65},     {LAYER_NORMAL, FORMAT_EXR, ENC_TERRARIUM, 257}};
    enum { KINDS = sizeof kind / sizeof *kind };
    struct product_key key[KINDS];
    struct blob *blob[KINDS];
    for (int i = 0; i < KINDS; i++) {
        struct tile_key tile = kit_key(2, 1, -1, kind[i].layer, kind[i].format, kind[i].size, VARIANT_BASE);
        tile.enc = kind[i].enc;
        key[i] = product_of_tile(&tile);
        blob[i] = scene_make(&key[i], true);
    }
    for (int i = 0; i < KINDS; i++)
        for (int k = 0; k < KINDS; k++) {
            struct blob *lie = kit_copy(blob[k], blob[k]->bytes);
            lie->info = blob[i]->info; /* what it says of itself is the key's */
            assert_int_equal(product_fits(&key[i], &w->world, lie), i == k);
            blob_release(lie);
        }
    for (int i = 0; i < KINDS; i++)
        blob_release(blob[i]);
}

/* A collection of features, filled up with blanks to a length. */
static struct blob *collection_of(const struct product_key *key, const char *features, size_t bytes)
{
    struct blob *made = scene_make(key, true), *blob = kit_copy(made, bytes);
    memset(blob->data, ' ', bytes);
    memcpy(blob->data, "{\"type\":\"FeatureCollection\",\"features\":[", 40);
    memcpy(blob->data + 40, features, strlen(features));
    memcpy(blob->data + bytes - 3, "]}\n", 3);
    blob_release(made);
    return blob;
}

/* What is taken may be of any features: who looks for a lake among them finds none, and nothing else happens. */
TEST(a_lake_without_a_shore_is_none)
{
    static const char *const features[] = {
        "{\"properties\":{\"class\":\"lake\"}}",
        "{\"properties\":{\"class\":\"lake\"},\"geometry\":{\"type\":7}}",
        "{\"properties\":{\"class\":\"lake\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[]]}}",
        "7"};
    const struct tile_key tile = kit_key(2, 1, -1, LAYER_WATER, FORMAT_GEOJSON, 257, VARIANT_BASE);
    const struct product_key key = product_of_tile(&tile);
    for (size_t i = 0; i < COUNT(features); i++) {
        struct blob *blob = collection_of(&key, features[i], 200);
        struct near_name lake;
        assert_true(product_fits(&key, &w->world, blob));
        assert_int_equal(lake_near(blob->data, blob->bytes, 0, 0, 1e9, &lake), 0);
        assert_true(lake.id[0] == 0 && lake.name[0] == 0);
        blob_release(blob);
    }
}

/* Contours of rough ground are long, and so are edges of its zones; nobody parses them again. */
TEST(contours_fit_however_long)
{
    static const enum tile_layer layers[] = {LAYER_HEIGHT, LAYER_PARTITION};
    for (size_t i = 0; i < COUNT(layers); i++) {
        const struct tile_key tile = kit_key(2, 1, -1, layers[i], FORMAT_GEOJSON, 257, VARIANT_BASE);
        const struct product_key key = product_of_tile(&tile);
        struct blob *blob = collection_of(&key, "", 20 << 20);
        assert_true(product_fits(&key, &w->world, blob));
        blob_release(blob);
    }
}

/* Divided by their length: normals without one would come out as no numbers. */
TEST(normals_point_up)
{
    const struct tile_key tile = kit_key(2, 1, -1, LAYER_NORMAL, FORMAT_F32, 257, VARIANT_BASE);
    const struct product_key key = product_of_tile(&tile);
    struct blob *blob = scene_make(&key, false);
    for (int below = 0; below < 2; below++) {
        const float up = below ? -1 : 0;
        refuse_bytes(&key, blob, 12 * 1000 + 8, &up, sizeof up, "a normal that does not point up");
    }
    blob_release(blob);
}

/* Four bytes a sample are floats as well; those of heights are no weights. */
TEST(weights_are_of_a_whole)
{
    const struct tile_key tile = kit_key(2, 1, -1, LAYER_COVER, FORMAT_RGBA8, 257, VARIANT_BASE);
    const struct product_key key = product_of_tile(&tile);
    struct blob *blob = scene_make(&key, false);
    refuse_bytes(&key, blob, 4 * 1000, (const unsigned char[4]){128, 64, 32, 32}, 4,
                 "weights of more than all");
    blob_release(blob);
}

GROUP(tile_fits, open_mixed, scene_close);
