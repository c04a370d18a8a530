/*
 * Tiles: what they read, and their samples by layer.
 *
 * Sample memory is sized by the window, which the key's check has bounded: at most 512 x 512 samples, or the 513 x 513 that
 * are the corners of so many pixels of height or surface. The most that a piece holds at a time is a relief: ground, normals,
 * water, pixels and a strip's weights, 36 bytes a sample and 4 MB, or then rivers, 55 bytes a sample, 15 MB, or cover with what it is
 * made of, 67 bytes a sample, 18 MB; as vectors, of 257 x 257, lines of up to ISOLINES_MAX cells, 40 bytes each, 21 MB; its encoded bytes
 * and the regions it reads come on top (8 MB of erosion at levels 0 to 2, 2 MB above; 1 MB a region of lakes, of which a tile
 * of size 512 may read four; networks take some 10 KB; caves 4 to 5 MB a region, of which their layer and descriptions may
 * read four). Meshes of caves are bounded by CAVES_MESH_BYTES (tile_caves.c).
 */
#include "tile_make.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../../lib/terrane_make.h"
#include "../base/check.h"
#include "../encode/encode.h"
#include "ground_kept.h"
#include "tile_piece.h"

/* ---- What it reads ------------------------------------------------------------------------------------- */

/* What is described is all there is. */
static unsigned reads_of(const struct tile_key *key, bool holed)
{
    unsigned reads = terrane_layer_reads[layer_row[key->layer].samples];
    const unsigned named = TERRANE_READS_RELIEF | TERRANE_READS_AROUND; /* by which lakes are */
    if (key->format == FORMAT_JSON)
        return named | TERRANE_READS_CAVES;
    if (key->format == FORMAT_MVT)
        return named;
    if (tile_is_drawn(key) && key->layer == LAYER_WATER) /* which of it is rivers; and names */
        reads |= TERRANE_READS_GROUND | TERRANE_READS_RIVERS | TERRANE_READS_AROUND;
    if (tile_is_drawn(key) && key->layer == LAYER_HEIGHT) /* which peaks are under it */
        reads |= TERRANE_READS_WATER;
    if (key->format == FORMAT_TERRAIN)
        reads |= TERRANE_READS_WATER;
    return holed ? reads | TERRANE_READS_CAVES : reads;
}

/* Whether it is a mesh with a vertex at every sample of the caves' level. */
static bool may_be_holed(const struct tile_key *key, const struct terrane_window *window,
                         const struct terrane_recipe *recipe)
{
    return key->format == FORMAT_GLB && layer_row[key->layer].heights && window->step == 1 &&
           window->width == TERRANE_TILE_SAMPLES + 1 && window->level == recipe->caves.level;
}

/* From a level of drainage to the next coarser lattice that others rest on: those between, which are only shown, rest on the one above. */
static int levels_up(const struct terrane_recipe *recipe, int level)
{
    return (level - recipe->rivers.bottom) % 2 == 0 ? 2 : 1;
}

/*
 * The coarser regions of drainage over the tile's own, of a tile that has names. Returns how many regions it has then. Where the tile lies
 * in several, they are two along an axis, the first of which is even: all lie in the same coarser ones.
 */
static int plan_overs(struct tile_plan *plan, const struct terrane_recipe *recipe, unsigned reads)
{
    const struct terrane_region *own = &plan->ground.drainage.first;
    int regions = plan->ground.regions, level = own->level;
    plan->overs = 0;
    if (plan->ground.drainage.count == 0 || !(reads & TERRANE_READS_AROUND))
        return regions;
    while (plan->overs < TILE_OVER && (level += levels_up(recipe, level)) <= recipe->rivers.top) {
        const int up = level - own->level + terrane_region_log2(own->kind, level) -
                       terrane_region_log2(own->kind, own->level);
        plan->region[regions++] =
            (struct terrane_region){own->kind, level, own->x >> up, own->y >> up, own->variant};
        plan->overs++;
    }
    return regions;
}

void tile_plan_make(const struct tile_key *key, const struct terrane_recipe *recipe, struct tile_plan *plan)
{
    struct terrane_window window;
    enum terrane_variant variant = (enum terrane_variant)key->variant;
    _Static_assert((int)VARIANT_BASE == (int)TERRANE_VARIANT_BASE &&
                       (int)VARIANT_ERODED == (int)TERRANE_VARIANT_ERODED &&
                       (int)VARIANT_CARVED == (int)TERRANE_VARIANT_CARVED,
                   "the same words");
    CHECK(key->shift == SHIFT_NONE);
    tile_window(key, &window);
    if (key->format == FORMAT_SUBTREE && variant == TERRANE_VARIANT_CARVED)
        variant = TERRANE_VARIANT_ERODED; /* boxes count with all that paths may do */
    const unsigned reads = reads_of(key, may_be_holed(key, &window, recipe));
    CHECK(terrane_plan(recipe, &window, variant, reads, &plan->ground) == 0);
    memcpy(plan->region, plan->ground.region, sizeof plan->ground.region);
    plan->regions = tile_edits_regions(key, recipe, &plan->ground, plan->region,
                                       plan_overs(plan, recipe, reads), TILE_REGIONS_MAX);
    plan->holed = plan->ground.caves.count > 0 && may_be_holed(key, &window, recipe);
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

/* Each fills what it is named after and returns 0, or not when memory is short. */

int piece_make_zones(struct piece *piece)
{
    piece->index = malloc(piece->ground.count);
    return piece->index ? terrane_zones(piece->world, &piece->plan->ground.window, piece->ground.memory,
                                        piece->index, NULL)
                        : -1;
}

/* The ground or the water's surface, which is level, with normals; depth where a format wants it. */
static int make_mesh(struct piece *piece)
{
    struct terrane_ground *ground = &piece->ground;
    const bool surface = piece->key->layer == LAYER_SURFACE;
    if (terrane_ground_layer(ground, TERRANE_LAYER_NORMAL) != 0 ||
        terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT) != 0)
        return -1;
    if ((surface || piece->key->format == FORMAT_TERRAIN) &&
        terrane_ground_layer(ground, TERRANE_LAYER_WATER) != 0)
        return -1;
    piece->spoiled = surface || (piece->plan->holed && piece->plan->ground.carved);
    if (piece->plan->holed && piece_make_holes(piece) != 0)
        return -1;
    for (size_t i = 0; surface && i < ground->count; i++)
        if (ground->layer[TERRANE_LAYER_WATER][i] > 0)
            memcpy(&ground->layer[TERRANE_LAYER_NORMAL][3 * i], (const float[3]){0, 0, 1}, 3 * sizeof(float));
    return 0;
}

/* Of what is described: its objects, or the layer's numbers, where it has any; ground, zones and water; paths and caves besides. */
static int make_facts(struct piece *piece)
{
    const enum tile_layer layer = piece->key->layer;
    return (!tile_is_of_objects(piece->key) || terrane_ground_objects(&piece->ground) == 0) &&
                   (layer_row[layer].values == 0 ||
                    terrane_ground_layer(&piece->ground, layer_row[layer].samples) == 0) &&
                   (piece->world->recipe->rivers.top == 0 ||
                    (terrane_ground_layer(&piece->ground, TERRANE_LAYER_RIVER) == 0 &&
                     piece_make_rivers(piece) == 0)) &&
                   terrane_ground_layer(&piece->ground, TERRANE_LAYER_HEIGHT) == 0 &&
                   terrane_ground_layer(&piece->ground, TERRANE_LAYER_WATER) == 0 &&
                   piece_make_lakes(piece) == 0 && piece_make_zones(piece) == 0 &&
                   piece_make_lines(piece) == 0 && piece_list_caves(piece) == 0
               ? 0
               : -1;
}

/* Pixels; or the layer's numbers, which encoders make pixels of. */
static int make_picture(struct piece *piece)
{
    const struct layer_row *row = &layer_row[piece->key->layer];
    const enum terrane_picture picture = picture_row[row->picture].made;
    if (picture == TERRANE_PICTURE_NONE)
        return terrane_ground_layer(&piece->ground, row->samples);
    const int channels = picture == TERRANE_PICTURE_COVER
                             ? tile_values(piece->key->layer, piece->world->recipe)
                             : picture_channels(picture_row[row->picture].pixels);
    piece->pixels = malloc(piece->ground.count * (size_t)channels);
    return piece->pixels ? terrane_ground_picture(&piece->ground, picture, piece->pixels) : -1;
}

/* Whether normals, and what rests on them, are made of ground around: then heights are, too, so that the next layer finds it. */
static bool has_around(const struct terrane_ground *ground)
{
    const struct terrane_plan *plan = ground->plan;
    return plan->window.step == 1 &&
           (plan->eroded || plan->carved || ground->edits || plan->drainage.count > 0);
}

static int make_samples(struct piece *piece)
{
    if (format_row[piece->key->format].pixels)
        return make_picture(piece);
    if (tile_is_of_objects(piece->key) && piece->key->format != FORMAT_JSON)
        return terrane_ground_objects(&piece->ground);
    switch (format_row[piece->key->format].carries) {
    case CARRIES_WORDS:
        return piece->key->format == FORMAT_JSON              ? make_facts(piece)
               : piece->key->format == FORMAT_MVT             ? piece_make_vectors(piece)
               : tile_is_drawn(piece->key)                    ? piece_make_drawn(piece)
               : layer_row[piece->key->layer].of == OF_RIVERS ? piece_make_rivers(piece)
                                                              : piece_make_lines(piece);
    case CARRIES_MESH:
        return tile_is_of_caves(piece->key) ? piece_list_caves(piece) : make_mesh(piece);
    case CARRIES_BOXES:
        return terrane_ground_around(&piece->ground) == 0
                   ? terrane_ground_layer(&piece->ground, TERRANE_LAYER_SURFACE)
                   : -1;
    case CARRIES_GRID:
        break;
    }
    if (piece->key->layer == LAYER_HEIGHT && has_around(&piece->ground) &&
        terrane_ground_around(&piece->ground) != 0)
        return -1;
    return terrane_ground_layer(&piece->ground, layer_row[piece->key->layer].samples);
}

const float *piece_values(const struct piece *piece)
{
    return piece->ground.layer[layer_row[piece->key->layer].samples];
}

/* Of whose numbers a reply says the least and the greatest; TERRANE_LAYERS: of none. */
static enum terrane_layer ranged(const struct tile_key *key)
{
    const bool wet = key->layer == LAYER_WATER || key->layer == LAYER_SURFACE;
    if (key->format == FORMAT_SUBTREE || (key->format == FORMAT_JSON && !wet) ||
        layer_row[key->layer].picture == PICTURE_COLOURS)
        return TERRANE_LAYER_HEIGHT;
    return tile_layer_has_range(key->layer) && key->format != FORMAT_GEOJSON ? layer_row[key->layer].samples
                                                                             : TERRANE_LAYERS;
}

static void piece_free(struct piece *piece)
{
    if (!piece->spoiled)
        ground_keep(&piece->producer->kept, &piece->ground);
    terrane_ground_close(&piece->ground);
    free(piece->index);
    free(piece->pixels);
    free(piece->holes);
    free(piece->line);
    piece_free_rivers(piece);
    for (int k = 0; k < TILE_OVER; k++)
        terrane_region_close(&piece->over[k], &piece->producer->memory);
    free(piece->lake);
    free(piece->lake_of);
    free(piece->cave);
}

/* A region among the inputs, for ground beside the tile. */
static bool get_region(void *user, const struct terrane_world *world, const struct terrane_region *region,
                       const struct terrane_memory *memory, struct terrane_packed *packed)
{
    const struct piece *piece = user;
    (void)world; /* the tile's */
    for (int k = 0; k < piece->plan->regions; k++) {
        const struct terrane_region *own = &piece->plan->region[k];
        if (own->kind != region->kind || own->level != region->level || own->x != region->x ||
            own->y != region->y || own->variant != region->variant)
            continue;
        *packed = (struct terrane_packed){memory->alloc(memory->user, piece->inputs[k]->bytes),
                                          piece->inputs[k]->bytes};
        if (packed->data)
            memcpy(packed->data, piece->inputs[k]->data, packed->bytes);
        return packed->data;
    }
    return false;
}

/* The inputs' bytes, as the library reads them; and what is kept, where it is of this ground. */
static int open_ground(struct piece *piece)
{
    struct terrane_packed packed[TILE_REGIONS_MAX];
    for (int k = 0; k < piece->plan->regions; k++)
        packed[k] = (struct terrane_packed){piece->inputs[k]->data, piece->inputs[k]->bytes};
    if (terrane_ground_open(piece->world, &piece->plan->ground, packed, &piece->producer->memory,
                            &piece->ground) != 0)
        return -1;
    for (int k = 0; k < piece->plan->overs; k++) {
        const int at = piece->plan->ground.regions + k;
        if (terrane_region_open(&piece->plan->region[at], &packed[at], &piece->producer->memory,
                                &piece->over[k]) != 0)
            return -1;
    }
    if (!tile_edits_open(piece->key, &piece->edits))
        return -1;
    piece->beside = (struct terrane_store){.get = get_region, .user = piece};
    piece->edits.source.store = &piece->beside;
    /* Boxes are of ground before edits, and of what these may make of it. */
    piece->ground.edits =
        piece->edits.touched && piece->key->format != FORMAT_SUBTREE ? &piece->edits.source : NULL;
    ground_take(&piece->producer->kept, &piece->ground);
    return 0;
}

/* The numbers are a payload's last bytes, whatever stands before them. */
void tile_note_samples(const struct tile_key *key, const struct terrane_recipe *recipe,
                       const unsigned char *data, size_t bytes, struct blob_info *info)
{
    if (!format_row[key->format].digest)
        return;
    const size_t count = (size_t)key->size * (size_t)key->size * (size_t)tile_values(key->layer, recipe);
    CHECK(bytes >= count * sizeof(float));
    info->sampled = true;
    terrane_samples_digest(data + bytes - count * sizeof(float), count, &info->samples);
}

struct blob *tile_make(struct producer *producer, const struct tile_key *key, const struct digest *digest,
                       const struct terrane_world *world, const struct tile_plan *plan,
                       struct blob *const *inputs, struct produce_times *times)
{
    struct piece piece = {.producer = producer, .key = key, .world = world, .plan = plan, .inputs = inputs};
    const enum terrane_layer range = ranged(key);
    struct blob *blob = NULL;
    piece.info = (struct blob_info){
        .format = (uint8_t)key->format,
        .width = (uint16_t)key->size,
        .height = (uint16_t)key->size,
    };

    const uint64_t start = uv_hrtime();
    if (open_ground(&piece) != 0 || make_samples(&piece) != 0)
        goto out;
    if (range != TERRANE_LAYERS)
        terrane_height_range(piece.ground.layer[range], piece.ground.count, &piece.info.min_m,
                             &piece.info.max_m);
    const uint64_t made = uv_hrtime();
    if (piece_encode(&piece) != 0)
        goto out;
    if (!producer->untold)
        tile_note_samples(key, world->recipe, piece.data, piece.bytes, &piece.info);
    times->surface_ns = made - start;
    times->encode_ns = uv_hrtime() - made;
    blob = blob_create(digest, &piece.info, piece.data, piece.bytes);
out:
    piece_free(&piece);
    return blob;
}
