/*
 * /tile/.../status: where a tile is, and what it would cost to make it. Makes nothing.
 */
#include "../base/json_text.h"
#include "../recipe/recipe_json.h"
#include "../render/product.h"
#include "guard.h"

enum { SEEN_MAX = 64 }; /* regions that are looked at: more than any tile rests on */
static const double REGION_SAMPLES = 512.0 * 512.0;

/* The regions that a tile rests on. */
struct ground {
    struct request *request;
    int regions, missing;
    struct digest seen[SEEN_MAX];
};

/* "memory", "disk" or NULL, and how many bytes. */
static const char *cached(const struct request *request, const struct digest *digest, uint64_t *bytes)
{
    if (memory_has(request->service->memory, digest, bytes))
        return "memory";
    return request_on_disk(request, digest, bytes) ? "disk" : NULL;
}

static bool is_new(struct ground *ground, const struct digest *digest)
{
    for (int i = 0; i < ground->regions; i++)
        if (digest_equal(&ground->seen[i], digest))
            return false;
    if (ground->regions == SEEN_MAX)
        return false;
    ground->seen[ground->regions++] = *digest;
    return true;
}

/* Counts what a product reads; what stands below a region that is there would not be made. As deep as the graph. */
static void survey(struct ground *ground, const struct product_key *key)
{
    const struct terrane_world *world = &ground->request->world;
    struct product_key inputs[PRODUCT_INPUTS_MAX];
    const int count = product_inputs(key, world, inputs);
    for (int i = 0; i < count; i++) {
        const struct digest digest = product_digest(&inputs[i], world);
        uint64_t bytes;
        if (!is_new(ground, &digest) || cached(ground->request, &digest, &bytes))
            continue;
        ground->missing += inputs[i].product != PRODUCT_TILE;
        survey(ground, &inputs[i]);
    }
}

/* The work in octaves of noise, as `terrane recipe` counts it: an estimate. A region counts as one that nothing is kept of. */
static json_t *cost_of(struct request *request, bool made)
{
    const struct target *target = &request->target;
    const struct product_key key = product_of_tile(&target->key);
    const double picture = target->key.textured ? TERRANE_TILE_SAMPLES + 1 : 0,
                 samples = (double)target->key.size * target->key.size + picture * picture;
    struct ground ground = {.request = request};
    if (!made)
        survey(&ground, &key);
    struct terrane_cost cost;
    terrane_recipe_cost(&target->recipe->world, &cost);
    const double tile = made ? 0 : samples * cost.sample;
    const double regions = ground.missing * REGION_SAMPLES * cost.region;
    return json_pack("{s:i, s:f, s:f}", "regions", ground.missing, "tile_octaves", tile, "region_octaves",
                     regions);
}

enum MHD_Result route_status(struct request *request)
{
    struct digest digest;
    enum MHD_Result result;
    uint64_t bytes = 0;
    size_t length;
    if (route_tile_resolve(request, &digest, &result) || guard_take(request, BUCKET_TILES, 1, &result))
        return result;
    const char *where = cached(request, &digest, &bytes);
    json_t *status = json_pack("{s:s, s:s, s:I, s:b, s:o}", "etag", request->etag, "cache",
                               where ? where : "none", "bytes", (json_int_t)bytes, "making",
                               pool_has(request->service->pool, &digest), "cost", cost_of(request, where));
    char *text = json_text(status, JSON_INDENT(2), &length);
    return text ? reply_json(request, 200, (unsigned char *)text, length, NULL) : MHD_NO;
}
