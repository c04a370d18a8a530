/*
 * Objects of a ground: what cover and terms take at nodes, and what the ground bears.
 *
 * Nodes are samples of the level TERRANE_OBJECTS_COVER, whose ground is as noise and drainage make it: neither erosion nor paths are
 * in it, so that no region is read but those of drainage, which the plan has, and which store what nodes beyond the window read
 * (region_margin).
 */
#include "../cover/cover.h"
#include "../objects/candidates.h"
#include "ground_layers.h"

/* ---- Nodes --------------------------------------------------------------------------------------------- */

struct taken {
    const struct terrane_recipe *recipe;
    float *share; /* count of each class */
    size_t count;
};

static void show_term(void *context, int term, size_t at, size_t count, const float *values)
{
    const struct taken *taken = context;
    const struct terrane_objects *objects = &taken->recipe->objects;
    for (int c = 0; c < objects->classes; c++)
        for (int k = 0; k < objects->of[c].conditions; k++)
            if (objects->of[c].condition[k].of == TERRANE_COVER_QUANTITIES + term)
                cover_condition(&objects->of[c].condition[k], values, count,
                                taken->share + (size_t)c * taken->count + at);
}

/* Sums of shares times weights: of 1 at most, up to rounding. */
static void take_on(const struct taken *taken, const float *weights)
{
    const int materials = taken->recipe->cover.materials;
    for (int c = 0; c < taken->recipe->objects.classes; c++) {
        const float *on = taken->recipe->objects.of[c].on, *weight = weights;
        float *share = taken->share + (size_t)c * taken->count;
        for (size_t i = 0; i < taken->count; i++, weight += materials) {
            float sum = 0;
            for (int m = 0; m < materials; m++)
                sum += on[m] * weight[m];
            share[i] = sum;
        }
    }
}

static int take_where(struct taken *taken, const struct terrane_world *world,
                      const struct terrane_window *window, const struct terrane_memory *memory)
{
    struct term_rows rows = {0, show_term, taken};
    for (int c = 0; c < taken->recipe->objects.classes; c++)
        for (int k = 0; k < taken->recipe->objects.of[c].conditions; k++)
            rows.terms |= UINT64_C(1)
                          << (taken->recipe->objects.of[c].condition[k].of - TERRANE_COVER_QUANTITIES);
    return rows.terms == 0 ? 0 : window_terms(world, window, &rows, memory);
}

/* The ground of the nodes borrows the drainage of another, and gives back its own layers alone. */
static int take_nodes(const struct terrane_ground *ground, const struct terrane_window *window,
                      struct taken *taken)
{
    const struct terrane_plan plan = {.window = *window, .drainage = ground->plan->drainage};
    struct terrane_ground nodes = {
        .world = ground->world, .plan = &plan, .memory = ground->memory, .count = samples_of(window)};
    for (int k = 0; k < plan.drainage.count; k++)
        nodes.drainage[k] = ground->drainage[k];
    int error = terrane_ground_layer(&nodes, TERRANE_LAYER_COVER);
    if (error == 0)
        take_on(taken, nodes.layer[TERRANE_LAYER_COVER]);
    for (int k = 0; k < TERRANE_REGION_GRID_MAX; k++)
        nodes.drainage[k] = (struct terrane_region_view){0};
    terrane_ground_close(&nodes);
    return error != 0 ? error : take_where(taken, ground->world, window, ground->memory);
}

/* ---- Ground -------------------------------------------------------------------------------------------- */

/* What objects stand on. */
struct site {
    const struct terrane_ground *ground;
    const float *height, *depth, *discharge;
    const uint8_t *path; /* NULL: there are none */
    int part_log2;       /* of a sample of the level */
    float spacing_m;
};

static bool is_way(uint8_t path)
{
    return path == TERRANE_PATH_WAY || path == TERRANE_PATH_NODE;
}

/* Whether the four samples around it are dry, no path, and not too steep between them; then its height is filled. */
static bool bears(const struct site *site, float slope, struct terrane_object *object)
{
    const struct terrane_window *window = &site->ground->plan->window;
    const int64_t mask = (INT64_C(1) << site->part_log2) - 1;
    const size_t width = (size_t)window->width,
                 at = (size_t)((object->y >> site->part_log2) - window->gj) * width +
                      (size_t)((object->x >> site->part_log2) - window->gi);
    const size_t around[4] = {at, at + 1, at + width, at + width + 1};
    for (int k = 0; k < 4; k++)
        if (site->depth[around[k]] > 0 || site->discharge[around[k]] > 0 ||
            (site->path && is_way(site->path[around[k]])))
            return false;
    const float fx = (float)(object->x & mask) / (float)(mask + 1),
                fy = (float)(object->y & mask) / (float)(mask + 1);
    const float *h = site->height;
    const float north = h[around[1]] - h[around[0]], south = h[around[3]] - h[around[2]],
                west = h[around[2]] - h[around[0]], east = h[around[3]] - h[around[1]];
    const float rise_x = (north + (south - north) * fy) / site->spacing_m,
                rise_y = (west + (east - west) * fx) / site->spacing_m;
    if (rise_x * rise_x + rise_y * rise_y > slope * slope)
        return false;
    const float above = h[around[0]] + north * fx, below = h[around[2]] + south * fx;
    const float parts = (above + (below - above) * fy) * 0x1p8f;
    object->z = (float)(int64_t)(parts + (parts < 0 ? -0.5f : 0.5f)) * 0x1p-8f;
    return true;
}

/* Keeps an object behind the others. false: memory is short. */
static bool keep(struct terrane_ground *ground, size_t *room, const struct terrane_object *object)
{
    if (ground->objects == *room) {
        const size_t more = *room ? 2 * *room : 256;
        struct terrane_object *all = memory_take(ground->memory, more * sizeof *all);
        if (!all)
            return false;
        if (ground->objects > 0)
            memcpy(all, ground->object, ground->objects * sizeof *all);
        memory_give(ground->memory, ground->object);
        ground->object = all;
        *room = more;
    }
    ground->object[ground->objects++] = *object;
    return true;
}

static int keep_standing(struct terrane_ground *ground, const struct objects *objects,
                         const struct site *site)
{
    const struct terrane_objects *all = &ground->world->recipe->objects;
    size_t room = 0;
    for (int c = 0; c < all->classes; c++)
        for (int g = all->of[c].level; g >= objects->place.level; g--) {
            const struct candidates *cells = &objects->of[c][g];
            for (int row = 0; row < cells->rows; row++)
                for (int column = 0; column < cells->columns; column++) {
                    if (!objects_stands(objects, c, g, column, row))
                        continue;
                    struct terrane_object object = objects_object(objects, c, g, column, row);
                    if (bears(site, all->of[c].slope, &object) && !keep(ground, &room, &object))
                        return TERRANE_EMEMORY;
                }
        }
    return 0;
}

/* What the ground itself says, and its paths, where there are any. */
static int open_site(struct terrane_ground *ground, struct site *site, uint8_t **path)
{
    int error = terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT);
    if (error == 0)
        error = terrane_ground_layer(ground, TERRANE_LAYER_WATER);
    if (error == 0)
        error = terrane_ground_layer(ground, TERRANE_LAYER_RIVER);
    if (error == 0 && ground->plan->paths.count > 0) {
        *path = memory_take(ground->memory, ground->count);
        error = *path ? ground_path_kinds(ground, *path) : TERRANE_EMEMORY;
    }
    *site = (struct site){
        .ground = ground,
        .height = ground->layer[TERRANE_LAYER_HEIGHT],
        .depth = ground->layer[TERRANE_LAYER_WATER],
        .discharge = ground->layer[TERRANE_LAYER_RIVER],
        .path = *path,
        .part_log2 = ground->plan->window.level + 4,
        .spacing_m = (float)terrane_lattice_m(ground->world, ground->plan->window.level, 1),
    };
    return error;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

static int make_objects(struct terrane_ground *ground, const struct objects_place *place)
{
    const struct terrane_recipe *recipe = ground->world->recipe;
    const struct terrane_window nodes = objects_nodes(recipe, place);
    struct taken taken = {.recipe = recipe, .count = samples_of(&nodes)};
    const float *takes[TERRANE_CLASSES_MAX] = {NULL};
    struct objects objects = {0};
    struct site site;
    uint8_t *path = NULL;
    taken.share = ground_floats(ground, taken.count * (size_t)recipe->objects.classes);
    int error = taken.share ? take_nodes(ground, &nodes, &taken) : TERRANE_EMEMORY;
    for (int c = 0; error == 0 && c < recipe->objects.classes; c++)
        takes[c] = taken.share + (size_t)c * taken.count;
    if (error == 0)
        error = objects_draw(&objects, ground->world, place, takes, ground->memory);
    if (error == 0)
        error = open_site(ground, &site, &path);
    if (error == 0)
        error = keep_standing(ground, &objects, &site);
    objects_end(&objects, ground->memory);
    memory_give(ground->memory, path);
    memory_give(ground->memory, taken.share);
    return error;
}

int terrane_ground_objects(struct terrane_ground *ground)
{
    const struct terrane_window *window = &ground->plan->window;
    const int64_t part = INT64_C(1) << (window->level + 4);
    if (window->step != 1)
        return TERRANE_EWINDOW;
    if (ground->object || ground->world->recipe->objects.classes == 0 ||
        window->level > TERRANE_OBJECTS_LEVEL)
        return 0;
    const struct objects_place place = {
        .x = window->gi * part,
        .y = window->gj * part,
        .width = (int)((window->width - 1) * part),
        .height = (int)((window->height - 1) * part),
        .level = window->level,
    };
    const int error = make_objects(ground, &place);
    if (error != 0) { /* some are not all: the next call tries again */
        memory_give(ground->memory, ground->object);
        ground->object = NULL;
        ground->objects = 0;
    }
    return error;
}
