/*
 * TileJSON, style, layer.json, GDAL's XML and tilesets: what the request asks for as a document of its world. Of what they
 * describe only the world's spawn is made for them; they cost a token as /world does.
 */
#include <stdlib.h>
#include <string.h>

#include "../encode/subtree.h"
#include "documents.h"
#include "guard.h"
#include "request_text.h"

/* Whether the tiles that the document would name can be had; else the target says what is wrong. */
static bool check_tiles(struct target *target)
{
    struct target tile = *target; /* as one of them would be: of a level that has all sizes */
    const bool globe = target->route == ROUTE_LAYER, mesh = globe || target->route == ROUTE_TILESET;
    enum tile_format format = globe ? FORMAT_TERRAIN : mesh ? FORMAT_GLB : FORMAT_PNG;
    if (target->route == ROUTE_VECTORS) {
        format = FORMAT_MVT;
        tile.key.size = target->key.size = tile.key.size ? tile.key.size : format_row[FORMAT_MVT].size;
    }
    if (target->route == ROUTE_GDAL)
        format = document_gdal_format(target->key.layer);
    if (target->route == ROUTE_STYLE)
        tile.key.layer = LAYER_SURFACE; /* whose encoding it is */
    if (mesh && !layer_row[target->key.layer].heights) {
        target_refuse(target, 400, "layer", "of meshes there are height and surface");
        return false;
    }
    tile.key.level = 1;
    tile.key.size = mesh || tile.key.size ? tile.key.size : TERRANE_TILE_SAMPLES;
    if (!mesh && target->route != ROUTE_VECTORS && tile.key.size != TERRANE_TILE_SAMPLES &&
        tile.key.size != 2 * TERRANE_TILE_SAMPLES) {
        target_refuse(target, 400, "size", "of a map's tiles there are 256 and 512");
        return false;
    }
    target_finish(&tile, format);
    if (tile.status) {
        *target = tile;
        return false;
    }
    if (target->route == ROUTE_STYLE && tile.key.enc == ENC_GRAY16)
        target_refuse(target, 400, "enc", "of a style's terrain there are terrarium and mapbox");
    else
        return true;
    return false;
}

/* The key in the query, for the tiles' own; NULL: none that opens anything. */
static const char *key_of(const struct request *request)
{
    const char *key = request_argument(request, "key");
    return request->holder && key && strlen(key) < DOCUMENT_KEY_BYTES ? key : NULL;
}

/* Its tiles are so wide that heights make no difference to their boxes; subtrees below are tiles of their own. */
static char *root_subtree(size_t *bytes)
{
    unsigned char *data = NULL;
    return encode_subtree(TILESET_SUBTREE_LEVELS, true, NULL, &data, bytes) == 0 ? (char *)data : NULL;
}

static char *(*const document_of[ROUTES])(const struct document *document, size_t *bytes) = {
    [ROUTE_TILEJSON] = document_tilejson, [ROUTE_STYLE] = document_style,     [ROUTE_LAYER] = document_layer,
    [ROUTE_VECTORS] = document_vectors,   [ROUTE_TILESET] = document_tileset, [ROUTE_GDAL] = document_gdal,
};

static char *make(const struct request *request, const struct spawn *spawn, const char *base, const char *key,
                  size_t *bytes)
{
    const struct target *target = &request->target;
    const bool mesh = target->route == ROUTE_LAYER || target->route == ROUTE_TILESET;
    const bool by_name = target->configured && !target->names_recipe; /* its recipe comes with it */
    char seed[TILE_SEED_BYTES];
    const struct document document = {
        .base = base,
        .world = by_name ? target->name : tile_world_name(&target->key, seed),
        .seed = target->key.seed,
        .secret = target->key.alias != NULL,
        .recipe = target->recipe,
        .layer = target->key.layer,
        .enc = target->key.enc,
        .reg = target->key.reg,
        .bands = target->key.bands,
        .size = target->key.size || mesh ? target->key.size : TERRANE_TILE_SAMPLES,
        .metadata = !target->names_extensions || target->key.metadata,
        .textured = target->key.textured,
        .variant = target->key.variant < VARIANT_UNSAID ? tile_variant_name[target->key.variant] : NULL,
        .asked_recipe = target->names_recipe ? target->recipe->name : NULL,
        .key = key,
        .changes = target->key.edits != NULL,
        .past = target->past,
        .at = target->key.at,
        .epoch = target->past ? alias_epoch(target->key.alias) : NULL,
        .page_x = target->page_x,
        .page_y = target->page_y,
        .spawn = *spawn,
    };
    _Static_assert((int)DOCUMENT_BASE_BYTES >= (int)BASE_URL_BYTES &&
                       (int)DOCUMENT_WORLD_BYTES >= (int)sizeof target->name,
                   "what documents hold");
    return target->subtree ? root_subtree(bytes) : document_of[target->route](&document, bytes);
}

enum MHD_Result route_document(struct request *request)
{
    struct target *target = &request->target;
    const char *type = target->route == ROUTE_GDAL ? "application/xml"
                       : target->subtree           ? "application/octet-stream"
                                                   : "application/json";
    char base[BASE_URL_BYTES], etag[36];
    enum MHD_Result result;
    struct spawn spawn = {0};
    const bool shows = target->route != ROUTE_GDAL && !target->subtree;
    size_t bytes = 0;
    if (!settings_allow_world(request->settings, &target->key, target->recipe))
        target_refuse(target, 404, "seed", "this server serves the worlds that its configuration names");
    if (target->status || !check_tiles(target))
        return reply_problem(request, target->status, target->parameter, target->detail, 0);
    if (shows && !request_spawn(request, route_document, &spawn, &result))
        return result;
    const char *key = key_of(request);
    const char *vary = base_url_of(base, request) ? BASE_URL_VARY : NULL;
    char *text = make(request, &spawn, base, key, &bytes);
    if (!text)
        return MHD_NO;
    etag_of(etag, text, bytes, 0);
    const bool fresh = request_knows(request, etag);
    if (fresh || guard_take(request, BUCKET_TILES, 1, &result)) {
        free(text);
        return fresh ? reply_document(request, type, NULL, 0, etag, vary, key != NULL) : result;
    }
    return reply_document(request, type, text, bytes, etag, vary, key != NULL);
}
