/*
 * The product graph: its table, and its walk in one thread.
 */
#include "product.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <xxhash.h>

#include "../base/check.h"
#include "../encode/coding.h"
#include "../encode/glb_texture.h"
#include "region_make.h"
#include "stitch.h"
#include "tile_fits.h"
#include "tile_make.h"

const char *const product_name[PRODUCTS] = {
    [PRODUCT_TILE] = "tile",     [PRODUCT_LAKES] = "lakes", [PRODUCT_EROSION] = "erosion",
    [PRODUCT_ANCHOR] = "anchor", [PRODUCT_PATHS] = "paths", [PRODUCT_CAVES] = "caves",
};

struct product_key product_of_tile(const struct tile_key *key)
{
    return (struct product_key){.product = PRODUCT_TILE, .tile = *key};
}

static const enum region_kind kind_of[PRODUCTS] = {
    [PRODUCT_LAKES] = REGION_LAKES, [PRODUCT_EROSION] = REGION_EROSION, [PRODUCT_ANCHOR] = REGION_ANCHOR,
    [PRODUCT_PATHS] = REGION_PATHS, [PRODUCT_CAVES] = REGION_CAVES,
};

static enum product product_of(enum region_kind kind)
{
    enum product product = PRODUCT_TILE + 1;
    while (kind_of[product] != kind)
        product++;
    return product;
}

enum region_kind product_region_kind(enum product product)
{
    return kind_of[product];
}

static struct region region_of_key(const struct product_key *key)
{
    return (struct region){
        .kind = kind_of[key->product],
        .level = key->level,
        .x = key->x,
        .y = key->y,
        .variant = key->variant,
    };
}

static struct product_key key_of_region(const struct region *region)
{
    return (struct product_key){
        .product = product_of(region->kind),
        .level = region->level,
        .x = region->x,
        .y = region->y,
        .variant = region->variant,
    };
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

static bool is_textured(const struct product_key *key)
{
    return key->tile.textured;
}

static bool is_coded(const struct product_key *key)
{
    return key->tile.coding != CODING_IDENTITY;
}

static int tile_inputs(const struct product_key *key, const struct terrane_world *world,
                       struct product_key inputs[static PRODUCT_INPUTS_MAX])
{
    struct region region[TILE_REGIONS_MAX];
    if (is_coded(key)) {
        inputs[0] = product_of_tile(&key->tile);
        inputs[0].tile.coding = CODING_IDENTITY;
        return 1;
    }
    if (is_textured(key)) {
        const struct tile_key picture = tile_key_picture(&key->tile);
        inputs[0] = product_of_tile(&key->tile);
        inputs[0].tile.textured = false;
        inputs[1] = product_of_tile(&picture);
        return 2;
    }
    if (key->tile.shift != SHIFT_NONE) {
        struct tile_key around[STITCH_INPUTS_MAX];
        const int tiles = stitch_inputs(&key->tile, around);
        for (int i = 0; i < tiles; i++)
            inputs[i] = product_of_tile(&around[i]);
        return tiles;
    }
    _Static_assert((int)TILE_REGIONS_MAX <= (int)PRODUCT_INPUTS_MAX, "all fit");
    const int count = tile_regions(&key->tile, world->recipe, region);
    for (int i = 0; i < count; i++)
        inputs[i] = key_of_region(&region[i]);
    return count;
}

static int tile_halo(const struct product_key *key, const struct terrane_recipe *recipe)
{
    (void)recipe;
    return is_coded(key) || is_textured(key) || key->tile.shift != SHIFT_NONE ? 0 : 1; /* of normals */
}

/* The bytes of a tile, coded; or as they are, where that would save little. */
static struct blob *make_coded(struct producer *producer, const struct product_key *key,
                               const struct terrane_world *world, const struct blob *plain,
                               struct produce_times *times)
{
    const struct digest digest = product_digest(key, world);
    const uint64_t start = uv_hrtime();
    struct blob_info info = plain->info;
    size_t bytes;
    bool paid;
    unsigned char *data =
        coding_apply(producer->encoder, key->tile.coding, plain->data, plain->bytes, &bytes, &paid);
    if (data) {
        info.coding = (uint8_t)key->tile.coding;
    } else if (!paid && (data = malloc(plain->bytes)) != NULL) {
        bytes = plain->bytes;
        memcpy(data, plain->data, bytes);
    }
    times->encode_ns = times->coding_ns = uv_hrtime() - start;
    return data ? blob_create(&digest, &info, data, bytes) : NULL;
}

/* A mesh with a picture on it. */
static struct blob *make_textured(const struct product_key *key, const struct terrane_world *world,
                                  struct blob *const *inputs, struct produce_times *times)
{
    const struct digest digest = product_digest(key, world);
    const struct blob *mesh = inputs[0], *picture = inputs[1];
    const uint64_t start = uv_hrtime();
    unsigned char *data;
    size_t bytes;
    const int result = glb_texture(mesh->data, mesh->bytes, picture->data, picture->bytes,
                                   TERRANE_TILE_SAMPLES + 1, &data, &bytes);
    times->encode_ns = uv_hrtime() - start;
    return result == 0 ? blob_create(&digest, &mesh->info, data, bytes) : NULL;
}

static struct blob *make_tile(struct producer *producer, const struct product_key *key,
                              const struct terrane_world *world, struct blob *const *inputs,
                              struct produce_times *times)
{
    if (is_coded(key))
        return make_coded(producer, key, world, inputs[0], times);
    if (is_textured(key))
        return make_textured(key, world, inputs, times);
    return key->tile.shift != SHIFT_NONE ? stitch_make(producer, &key->tile, world, inputs, times)
                                         : tile_make(producer, &key->tile, world, inputs, times);
}

static bool tile_fits(const struct product_key *key, const struct terrane_recipe *recipe,
                      const struct blob *blob)
{
    return tile_blob_fits(&key->tile, recipe, blob);
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

static int region_inputs(const struct product_key *key, const struct terrane_world *world,
                         struct product_key inputs[static PRODUCT_INPUTS_MAX])
{
    const struct region region = region_of_key(key);
    struct region anchor;
    int count = 0;
    if (region_anchor(world->recipe, &region, &anchor))
        inputs[count++] = key_of_region(&anchor);
    if (region_lakes_anchor(world->recipe, &region, &anchor))
        inputs[count++] = key_of_region(&anchor);
    return count;
}

static int erosion_halo(const struct product_key *key, const struct terrane_recipe *recipe)
{
    return terrane_erosion_halo(recipe, key->level);
}

static int lakes_halo(const struct product_key *key, const struct terrane_recipe *recipe)
{
    const int eroded = key->variant == VARIANT_ERODED ? terrane_erosion_halo(recipe, key->level) : 0;
    return 2 * recipe->lakes.radius + eroded;
}

/* As far as the ground that they are made of reaches beyond their own, and what erosion reads around that where it is made. */
static int hollow_halo(const struct product_key *key, const struct terrane_recipe *recipe)
{
    const struct region region = region_of_key(key);
    struct terrane_window ground[REGION_GROUNDS];
    region_grounds(recipe, &region, ground);
    return (int)(key->x * (INT64_C(1) << region_log2(region.kind, region.level)) - ground[0].gi) +
           (region_shares(recipe, &region) ? 0 : terrane_erosion_halo(recipe, key->level));
}

static struct blob *make_region(struct producer *producer, const struct product_key *key,
                                const struct terrane_world *world, struct blob *const *inputs,
                                struct produce_times *times)
{
    const struct region region = region_of_key(key);
    const struct digest digest = product_digest(key, world);
    const uint64_t start = uv_hrtime();
    struct blob *blob = region_make(producer, &region, world, inputs, &digest);
    times->region_ns = uv_hrtime() - start;
    return blob;
}

static bool region_fits(const struct product_key *key, const struct terrane_recipe *recipe,
                        const struct blob *blob)
{
    const struct region region = region_of_key(key);
    return region_blob_fits(recipe, &region, blob);
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static const struct {
    int (*inputs)(const struct product_key *key, const struct terrane_world *world,
                  struct product_key inputs[static PRODUCT_INPUTS_MAX]);
    int (*halo)(const struct product_key *key, const struct terrane_recipe *recipe);
    struct blob *(*make)(struct producer *producer, const struct product_key *key,
                         const struct terrane_world *world, struct blob *const *inputs,
                         struct produce_times *times);
    bool (*fits)(const struct product_key *key, const struct terrane_recipe *recipe, const struct blob *blob);
} graph[PRODUCTS] = {
    [PRODUCT_TILE] = {tile_inputs, tile_halo, make_tile, tile_fits},
    [PRODUCT_LAKES] = {region_inputs, lakes_halo, make_region, region_fits},
    [PRODUCT_EROSION] = {region_inputs, erosion_halo, make_region, region_fits},
    [PRODUCT_ANCHOR] = {region_inputs, erosion_halo, make_region, region_fits},
    [PRODUCT_PATHS] = {region_inputs, hollow_halo, make_region, region_fits},
    [PRODUCT_CAVES] = {region_inputs, hollow_halo, make_region, region_fits},
};

static unsigned char *put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

static uint64_t get_le(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

/*
 * What is hashed of a region, little-endian:
 *
 *     16 world digest    4 minus the product    4 REGION_LAYOUT    4 variant    4 level    8 x    8 y
 *
 * A tile hashes its level, 0 .. 24, where a region has a number below 0.
 */
struct digest product_digest(const struct product_key *key, const struct terrane_world *world)
{
    unsigned char text[48], *at = text + sizeof world->digest.byte;
    if (key->product == PRODUCT_TILE)
        return tile_key_digest(&key->tile, world);
    _Static_assert(PRODUCT_TILE == 0 && sizeof world->digest.byte + 4 + 4 + 4 + 4 + 8 + 8 == sizeof text,
                   "as above");
    memcpy(text, world->digest.byte, sizeof world->digest.byte);
    at = put_le(at, (uint64_t)0 - (uint64_t)key->product, 4);
    at = put_le(at, REGION_LAYOUT, 4);
    at = put_le(at, (uint64_t)key->variant, 4);
    at = put_le(at, (uint64_t)key->level, 4);
    at = put_le(at, (uint64_t)key->x, 8);
    at = put_le(at, (uint64_t)key->y, 8);
    CHECK(at == text + sizeof text);
    const XXH128_hash_t hash = XXH3_128bits(text, sizeof text);
    return (struct digest){.low = hash.low64, .high = hash.high64};
}

int product_inputs(const struct product_key *key, const struct terrane_world *world,
                   struct product_key inputs[static PRODUCT_INPUTS_MAX])
{
    return graph[key->product].inputs(key, world, inputs);
}

int product_halo(const struct product_key *key, const struct terrane_world *world)
{
    return graph[key->product].halo(key, world->recipe);
}

struct blob *product_make(struct producer *producer, const struct product_key *key,
                          const struct terrane_world *world, struct blob *const *inputs,
                          struct produce_times *times)
{
    struct blob *blob = graph[key->product].make(producer, key, world, inputs, times);
    if (blob)
        blob->world = get_le(world->digest.byte, 8); /* nobody else has it yet */
    return blob;
}

bool product_fits(const struct product_key *key, const struct terrane_world *world, const struct blob *blob)
{
    return graph[key->product].fits(key, world->recipe, blob);
}

size_t product_bytes(const struct product_key *key, const struct terrane_world *world)
{
    const struct region region = region_of_key(key);
    return key->product == PRODUCT_TILE ? 0 : region_blob_bytes(world->recipe, &region);
}

/* ---- The walk ------------------------------------------------------------------------------------------ */

struct walk {
    struct producer *producer;
    const struct terrane_world *world;
    struct memory *memory;
    struct produce_times *times;
};

static struct blob *walk_make(const struct walk *walk, const struct product_key *key, int depth)
{
    const struct digest digest = product_digest(key, walk->world);
    struct blob *blob = walk->memory ? memory_get(walk->memory, &digest) : NULL;
    struct product_key keys[PRODUCT_INPUTS_MAX];
    struct blob *inputs[PRODUCT_INPUTS_MAX] = {NULL};
    struct produce_times times = {0};
    if (blob)
        return blob;
    CHECK(depth < PRODUCT_DEPTH_MAX);
    const int count = product_inputs(key, walk->world, keys);
    int found = 0;
    while (found < count && (inputs[found] = walk_make(walk, &keys[found], depth + 1)) != NULL)
        found++;
    if (found == count)
        blob = product_make(walk->producer, key, walk->world, inputs, &times);
    for (int i = 0; i < found; i++)
        blob_release(inputs[i]);
    walk->times->surface_ns += times.surface_ns;
    walk->times->encode_ns += times.encode_ns;
    walk->times->region_ns += times.region_ns;
    walk->times->coding_ns += times.coding_ns;
    if (blob && walk->memory)
        memory_put(walk->memory, blob);
    return blob;
}

struct blob *product_make_alone(struct producer *producer, const struct product_key *key,
                                const struct terrane_world *world, struct memory *memory,
                                struct produce_times *times)
{
    const struct walk walk = {producer, world, memory, times};
    *times = (struct produce_times){0};
    return walk_make(&walk, key, 0);
}
