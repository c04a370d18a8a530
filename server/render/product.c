/*
 * The product graph, what a thread needs to make of it, and its walk in one thread.
 */
#include "product.h"
#include "../base/little_endian.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <uv.h>
#include <xxhash.h>

#include "../base/check.h"
#include "../encode/coding.h"
#include "../encode/encode.h"
#include "../encode/glb.h"

enum { HUGE_PAGE = 2 << 20, LARGE = 2 * HUGE_PAGE };

#define NAME(id, name, ...) [PRODUCT_##id] = name,
const char *const product_name[PRODUCTS] = {[PRODUCT_TILE] = "tile", TERRANE_REGION_ROWS(NAME)};

struct product_key product_of_tile(const struct tile_key *key)
{
    return (struct product_key){.product = PRODUCT_TILE, .tile = *key};
}

struct product_key product_of_region(const struct terrane_region *region)
{
    return (struct product_key){.product = (enum product)(PRODUCT_TILE + 1 + (int)region->kind),
                                .region = *region};
}

static int keys_of_regions(const struct terrane_region *region, int count, struct product_key *keys)
{
    for (int i = 0; i < count; i++)
        keys[i] = product_of_region(&region[i]);
    return count;
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
                       struct product_plan *plan, struct product_key inputs[static PRODUCT_INPUTS_MAX])
{
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
    tile_plan_make(&key->tile, world->recipe, &plan->tile);
    return keys_of_regions(plan->tile.region, plan->tile.regions, inputs);
}

/* The bytes of a tile, coded; or as they are, where that would save little. */
static struct blob *make_coded(struct producer *producer, const struct product_key *key,
                               const struct digest *digest, const struct blob *plain,
                               struct produce_times *times)
{
    const uint64_t start = uv_hrtime();
    CHECK(plain);
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
    return data ? blob_create(digest, &info, data, bytes) : NULL;
}

/* A mesh with a picture on it. */
static struct blob *make_textured(const struct digest *digest, struct blob *const *inputs,
                                  struct produce_times *times)
{
    const struct blob *mesh = inputs[0], *picture = inputs[1];
    const uint64_t start = uv_hrtime();
    CHECK(mesh && picture);
    unsigned char *data;
    size_t bytes;
    const int result = glb_texture(mesh->data, mesh->bytes, picture->data, picture->bytes,
                                   TERRANE_TILE_SAMPLES + 1, &data, &bytes);
    times->encode_ns = uv_hrtime() - start;
    return result == 0 ? blob_create(digest, &mesh->info, data, bytes) : NULL;
}

static struct blob *make_tile(struct producer *producer, const struct product_key *key,
                              const struct terrane_world *world, const struct product_plan *plan,
                              struct blob *const *inputs, struct produce_times *times)
{
    const struct digest *digest = &plan->digest;
    if (is_coded(key))
        return make_coded(producer, key, digest, inputs[0], times);
    if (is_textured(key))
        return make_textured(digest, inputs, times);
    if (key->tile.shift != SHIFT_NONE)
        return stitch_make(producer, &key->tile, digest, world, inputs, times);
    return tile_make(producer, &key->tile, digest, world, &plan->tile, inputs, times);
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

static int region_inputs(const struct product_key *key, const struct terrane_world *world,
                         struct product_plan *plan, struct product_key inputs[static PRODUCT_INPUTS_MAX])
{
    terrane_region_needs(world->recipe, &key->region, &plan->region);
    return keys_of_regions(plan->region.region, plan->region.count, inputs);
}

/* What is packed behind its arrays has a size that nobody knows before: its block may be the spare one. */
static void *cut_to(void *data, size_t bytes)
{
    void *cut = malloc_usable_size(data) > bytes + HUGE_PAGE ? realloc(data, bytes) : data;
    return cut ? cut : data;
}

/* A region's bytes are raw numbers; a tier only asks for a format that there is. */
static struct blob *make_region(struct producer *producer, const struct product_key *key,
                                const struct terrane_world *world, const struct product_plan *plan,
                                struct blob *const *inputs, struct produce_times *times)
{
    struct terrane_packed packed[TERRANE_REGION_NEEDS], out;
    const struct terrane_window *window = &plan->region.window;
    const uint64_t start = uv_hrtime();
    for (int k = 0; k < plan->region.count; k++)
        packed[k] = (struct terrane_packed){inputs[k]->data, inputs[k]->bytes};
    producer->stays = plan->region.bytes;
    const int error =
        terrane_region_make(world, &key->region, &plan->region, packed, &producer->memory, &out);
    times->region_ns = uv_hrtime() - start;
    const struct blob_info info = {
        .format = FORMAT_F32, .width = (uint16_t)window->width, .height = (uint16_t)window->height};
    return error == 0 ? blob_create(&plan->digest, &info, cut_to(out.data, out.bytes), out.bytes) : NULL;
}

static bool region_fits(const struct product_key *key, const struct terrane_recipe *recipe,
                        const struct blob *blob)
{
    const struct terrane_packed packed = {blob->data, blob->bytes};
    return terrane_region_fits(recipe, &key->region, &packed, NULL);
}

/* ---- The graph ----------------------------------------------------------------------------------------- */

/*
 * What is hashed of a region, little-endian:
 *
 *     16 world digest    4 minus the product's number    4 TERRANE_REGION_LAYOUT    4 variant    4 level    8 x    8 y
 *
 * A tile hashes its level, 0 .. 24, where a region has a number below 0. Caches know the first kinds by those of an older order.
 */
struct digest product_digest(const struct product_key *key, const struct terrane_world *world)
{
    static const uint64_t first[] = {
        [TERRANE_REGION_EROSION] = 2, [TERRANE_REGION_ANCHOR] = 3, [TERRANE_REGION_LAKES] = 1};
    unsigned char text[48], *at = text + sizeof world->digest.byte;
    if (key->product == PRODUCT_TILE)
        return tile_key_digest(&key->tile, world);
    _Static_assert(PRODUCT_TILE == 0 && sizeof world->digest.byte + 4 + 4 + 4 + 4 + 8 + 8 == sizeof text,
                   "as above");
    memcpy(text, world->digest.byte, sizeof world->digest.byte);
    at = put_le(at, (uint64_t)0 - (key->region.kind < 3 ? first[key->region.kind] : key->product), 4);
    at = put_le(at, TERRANE_REGION_LAYOUT, 4);
    at = put_le(at, (uint64_t)key->region.variant, 4);
    at = put_le(at, (uint64_t)key->region.level, 4);
    at = put_le(at, (uint64_t)key->region.x, 8);
    at = put_le(at, (uint64_t)key->region.y, 8);
    CHECK(at == text + sizeof text);
    const XXH128_hash_t hash = XXH3_128bits(text, sizeof text);
    return (struct digest){.low = hash.low64, .high = hash.high64};
}

int product_plan(const struct product_key *key, const struct digest *digest,
                 const struct terrane_world *world, struct product_plan *plan,
                 struct product_key inputs[static PRODUCT_INPUTS_MAX])
{
    *plan = (struct product_plan){.digest = *digest};
    return key->product == PRODUCT_TILE ? tile_inputs(key, world, plan, inputs)
                                        : region_inputs(key, world, plan, inputs);
}

int product_inputs(const struct product_key *key, const struct terrane_world *world,
                   struct product_key inputs[static PRODUCT_INPUTS_MAX])
{
    struct product_plan plan;
    return product_plan(key, &(struct digest){0}, world, &plan, inputs);
}

struct blob *product_make(struct producer *producer, const struct product_key *key,
                          const struct terrane_world *world, const struct product_plan *plan,
                          struct blob *const *inputs, struct produce_times *times)
{
    struct blob *blob = key->product == PRODUCT_TILE ? make_tile(producer, key, world, plan, inputs, times)
                                                     : make_region(producer, key, world, plan, inputs, times);
    if (blob)
        blob->world = get_le(world->digest.byte, 8); /* nobody else has it yet */
    return blob;
}

bool product_fits(const struct product_key *key, const struct terrane_world *world, struct blob *blob)
{
    return key->product == PRODUCT_TILE ? tile_blob_fits(&key->tile, world->recipe, blob)
                                        : !blob->info.sampled && region_fits(key, world->recipe, blob);
}

size_t product_bytes(const struct product_key *key, const struct terrane_world *world)
{
    struct terrane_region_needs needs = {.bytes = 0};
    if (key->product != PRODUCT_TILE)
        terrane_region_needs(world->recipe, &key->region, &needs);
    return needs.bytes;
}

/* ---- Makers ------------------------------------------------------------------------------------------ */

/*
 * A region's memory is one large block for a moment. In huge pages, where they are to be had, it comes in some ten faults in
 * place of thousands; but the kernel clears them, which takes a fifth of a region's time. So the last block stays, for what
 * fits in it: one a maker. What does not fit takes its place, and what becomes a blob has a block of its own size.
 */
static void spare_drop(struct producer *producer)
{
    free(producer->spare);
    producer->spare = NULL;
}

static void *take(void *user, size_t bytes)
{
    struct producer *producer = user;
    const size_t align = bytes < LARGE ? TERRANE_SCRATCH_ALIGN : HUGE_PAGE;
    void *block = producer->spare;
    if (align == HUGE_PAGE && block && bytes != producer->stays && malloc_usable_size(block) >= bytes) {
        producer->spare = NULL;
        return block;
    }
    if (align == HUGE_PAGE && bytes != producer->stays)
        spare_drop(producer);
    if (posix_memalign(&block, align, bytes) != 0)
        return NULL;
    if (align == HUGE_PAGE)
        madvise(block, bytes / HUGE_PAGE * HUGE_PAGE,
                MADV_HUGEPAGE); /* an advice: no harm where it is refused */
    return block;
}

static void give(void *user, void *block)
{
    struct producer *producer = user;
    const size_t bytes = block ? malloc_usable_size(block) : 0;
    if (bytes < LARGE || (producer->spare && malloc_usable_size(producer->spare) >= bytes)) {
        free(block);
        return;
    }
    spare_drop(producer);
    producer->spare = block;
}

/* Zeros, of which the machine gives what is touched, in huge pages where they are to be had: small ones cost a tenth of what is made cold. */
static struct terrane_memo *memo_create(void)
{
    void *memo = mmap(NULL, terrane_memo_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memo == MAP_FAILED)
        return NULL;
    madvise(memo, terrane_memo_bytes, MADV_HUGEPAGE); /* an advice: no harm where it is refused */
    return memo;
}

struct producer *producer_create(void)
{
    struct producer *producer = calloc(1, sizeof *producer);
    if (!producer)
        return NULL;
    producer->memory = (struct terrane_memory){
        .user = producer,
        .alloc = take,
        .free = give,
        .scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes),
        .memo = memo_create(),
    };
    producer->encoder = encoder_create();
    if (!producer->memory.scratch || !producer->memory.memo || !producer->encoder) {
        producer_free(producer);
        return NULL;
    }
    return producer;
}

void producer_free(struct producer *producer)
{
    if (!producer)
        return;
    ground_kept_drop(&producer->kept, &producer->memory);
    spare_drop(producer);
    free(producer->memory.scratch);
    if (producer->memory.memo)
        munmap(producer->memory.memo, terrane_memo_bytes);
    if (producer->encoder)
        encoder_free(producer->encoder);
    free(producer);
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
    struct product_plan plan;
    struct product_key keys[PRODUCT_INPUTS_MAX];
    struct blob *inputs[PRODUCT_INPUTS_MAX] = {NULL};
    struct produce_times times = {0};
    if (blob)
        return blob;
    CHECK(depth < PRODUCT_DEPTH_MAX);
    const int count = product_plan(key, &digest, walk->world, &plan, keys);
    int found = 0;
    while (found < count && (inputs[found] = walk_make(walk, &keys[found], depth + 1)) != NULL)
        found++;
    if (found == count)
        blob = product_make(walk->producer, key, walk->world, &plan, inputs, &times);
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

struct blob *produce(struct producer *producer, const struct tile_key *key, const struct terrane_world *world,
                     struct produce_times *times)
{
    const struct product_key product = product_of_tile(key);
    struct memory *memory = memory_create(PRODUCE_BYTES);
    struct blob *blob = memory ? product_make_alone(producer, &product, world, memory, times) : NULL;
    memory_free(memory);
    return blob;
}
