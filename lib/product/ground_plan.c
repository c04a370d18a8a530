/*
 * Layers and variants, and what a window of them rests on.
 */
#include "../base/window.h"
#include "../cover/cover.h"
#include "../drain/drained.h"
#include "../path/network.h"
#include "../recipe/bounds.h"
#include "../terrane_make.h"
#include "../water/water.h"
#include "region.h"

const char *const terrane_layer_name[TERRANE_LAYERS] = {
#define NAME(id, name, ...) [TERRANE_LAYER_##id] = name,
    TERRANE_LAYER_ROWS(NAME)
#undef NAME
};

const char *const terrane_variant_name[TERRANE_VARIANTS] = {
    [TERRANE_VARIANT_BASE] = "base",
    [TERRANE_VARIANT_ERODED] = "eroded",
    [TERRANE_VARIANT_CARVED] = "carved",
};

/* What layers are. */
enum varies { ALWAYS_BASE, ALWAYS_ERODED, ALWAYS_DEFAULT, AS_ASKED };
static const struct {
    int values; /* 0: a weight of each zone, or material */
    enum varies varies;
} layers[TERRANE_LAYERS] = {
#define ROW(id, name, values, reads, varies) [TERRANE_LAYER_##id] = {values, varies},
    TERRANE_LAYER_ROWS(ROW)
#undef ROW
};

int terrane_layer_values(const struct terrane_recipe *recipe, enum terrane_layer layer)
{
    if (layers[layer].values > 0)
        return layers[layer].values;
    return layer == TERRANE_LAYER_COVER ? terrane_cover_materials(recipe) : recipe->partition.zones;
}

const unsigned terrane_layer_reads[TERRANE_LAYERS] = {
#define READS(id, name, values, reads, varies) [TERRANE_LAYER_##id] = TERRANE_##reads,
    TERRANE_LAYER_ROWS(READS)
#undef READS
};

/* Where none is asked for. */
static enum terrane_variant variant_default(const struct terrane_recipe *recipe)
{
    return recipe->paths.width_m > 0    ? TERRANE_VARIANT_CARVED
           : recipe->erosion.levels > 0 ? TERRANE_VARIANT_ERODED
                                        : TERRANE_VARIANT_BASE;
}

void terrane_ground_bounds(const struct terrane_recipe *recipe, struct terrane_ground_bounds *bounds)
{
    terrane_height_bounds_m(recipe, &bounds->low_m, &bounds->high_m);
    bounds->erosion_m = terrane_erosion_bound_m(recipe);
    bounds->paths_m = recipe->paths.width_m > 0 ? terrane_paths_bound_m(recipe) : 0;
}

void terrane_ground_errors(const struct terrane_recipe *recipe, int level,
                           struct terrane_ground_errors *errors)
{
    *errors = (struct terrane_ground_errors){
        .terms_m = terrane_level_error_m(recipe, level),
        .erosion_m = terrane_erosion_error_m(recipe, level),
        .rivers_m = terrane_rivers_error_m(recipe, level),
        .paths_m = recipe->paths.width_m > 0 && level > 0 ? terrane_paths_bound_m(recipe) : 0,
    };
    errors->variant_m[TERRANE_VARIANT_BASE] = errors->terms_m;
    errors->variant_m[TERRANE_VARIANT_ERODED] = errors->terms_m + (errors->erosion_m + errors->rivers_m);
    errors->variant_m[TERRANE_VARIANT_CARVED] = errors->variant_m[TERRANE_VARIANT_ERODED] + errors->paths_m;
}

enum terrane_variant terrane_layer_variant(const struct terrane_recipe *recipe, enum terrane_layer layer,
                                           enum terrane_variant asked)
{
    const bool erodes = recipe->erosion.levels > 0;
    switch (layers[layer].varies) {
    case ALWAYS_BASE:
        return TERRANE_VARIANT_BASE;
    case ALWAYS_ERODED:
        return erodes ? TERRANE_VARIANT_ERODED : TERRANE_VARIANT_BASE;
    case ALWAYS_DEFAULT:
        break;
    case AS_ASKED:
        if (asked == TERRANE_VARIANT_BASE || (asked == TERRANE_VARIANT_ERODED && erodes))
            return asked;
    }
    return variant_default(recipe);
}

/* ---- What a window rests on ---------------------------------------------------------------------------- */

/* Lakes lie on ground without paths. */
static int plan_lakes(struct terrane_plan *plan, enum terrane_variant variant,
                      const struct terrane_recipe *recipe)
{
    struct terrane_window needed;
    if (recipe->lakes.share == 0 || !terrane_water_needs(recipe, &plan->window, &needed))
        return 0; /* also where a recipe has rivers */
    const bool eroded = recipe->lakes.level < recipe->erosion.levels && variant != TERRANE_VARIANT_BASE;
    plan->lakes.first = (struct terrane_region){
        .kind = TERRANE_REGION_LAKES,
        .level = recipe->lakes.level,
        .variant = eroded ? TERRANE_VARIANT_ERODED : TERRANE_VARIANT_BASE,
    };
    return grid_lay(&plan->lakes, &plan->window);
}

/* Ground, water and rivers of a recipe that has rivers, but of base ground. */
static int plan_drainage(struct terrane_plan *plan, enum terrane_variant variant, unsigned reads,
                         const struct terrane_recipe *recipe)
{
    const unsigned drained = TERRANE_READS_GROUND | TERRANE_READS_WATER | TERRANE_READS_RIVERS;
    const int level = plan->window.level, bottom = recipe->rivers.bottom;
    if (recipe->rivers.top == 0 || variant == TERRANE_VARIANT_BASE || level > recipe->rivers.top ||
        !(reads & drained))
        return 0;
    plan->drainage.first = (struct terrane_region){
        .kind =
            level < bottom || reads & TERRANE_READS_AROUND ? TERRANE_REGION_DRAINAGE : TERRANE_REGION_RIVERS,
        .level = level > bottom ? level : bottom,
        .variant = TERRANE_VARIANT_ERODED,
    };
    return grid_lay(&plan->drainage, &plan->window);
}

/* Of networks and caves, which look at water, too. */
static int plan_hollow(struct terrane_region_grid *grid, enum terrane_region_kind kind, int level,
                       const struct terrane_window *window, const struct terrane_recipe *recipe)
{
    const int finest = recipe->lakes.share > 0 && recipe->lakes.level < level ? recipe->lakes.level : level;
    grid->first = (struct terrane_region){
        .kind = kind,
        .level = level,
        .variant = finest < recipe->erosion.levels ? TERRANE_VARIANT_ERODED : TERRANE_VARIANT_BASE,
    };
    return grid_lay(grid, window);
}

static int plan_paths(struct terrane_plan *plan, enum terrane_variant variant, unsigned reads,
                      const struct terrane_recipe *recipe)
{
    const int level = plan->window.level;
    if (variant != TERRANE_VARIANT_CARVED || !terrane_paths_shown(recipe, level))
        return 0;
    plan->carved = reads & TERRANE_READS_GROUND && terrane_paths_carved(recipe, level);
    return plan->carved || reads & TERRANE_READS_PATHS
               ? plan_hollow(&plan->paths, TERRANE_REGION_PATHS, recipe->paths.level, &plan->window, recipe)
               : 0;
}

/* They lie in the ground as it is eroded: base ground has none, where that is another. */
static int plan_caves(struct terrane_plan *plan, enum terrane_variant variant,
                      const struct terrane_recipe *recipe)
{
    struct terrane_window seen;
    const bool other = variant == TERRANE_VARIANT_BASE && plan->window.level < recipe->erosion.levels;
    if (recipe->caves.share == 0 || other || !terrane_caves_shown_needs(recipe, &plan->window, &seen))
        return 0;
    return plan_hollow(&plan->caves, TERRANE_REGION_CAVES, recipe->caves.level, &plan->window, recipe);
}

static void add_regions(struct terrane_plan *plan, const struct terrane_region_grid *grid)
{
    for (int k = 0; k < grid->count; k++)
        plan->region[plan->regions++] = grid_at(grid, k);
}

static void list_regions(struct terrane_plan *plan)
{
    if (plan->eroded)
        plan->region[plan->regions++] = plan->erosion;
    add_regions(plan, &plan->drainage);
    add_regions(plan, &plan->lakes);
    add_regions(plan, &plan->paths);
    add_regions(plan, &plan->caves);
}

int terrane_plan(const struct terrane_recipe *recipe, const struct terrane_window *window,
                 enum terrane_variant variant, unsigned reads, struct terrane_plan *plan)
{
    const int level = window->level;
    struct terrane_plan made = {.window = *window};
    int error = 0;
    if (level < 0 || level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    if (!window_valid(window))
        return TERRANE_EWINDOW;
    made.eroded =
        reads & TERRANE_READS_GROUND && variant != TERRANE_VARIANT_BASE && level < recipe->erosion.levels;
    made.erosion = (struct terrane_region){
        .kind = TERRANE_REGION_EROSION,
        .level = level,
        .x = terrane_region_of(TERRANE_REGION_EROSION, level, window->gi),
        .y = terrane_region_of(TERRANE_REGION_EROSION, level, window->gj),
        .variant = TERRANE_VARIANT_ERODED,
    };
    error = plan_drainage(&made, variant, reads, recipe);
    if (error == 0 && reads & TERRANE_READS_WATER)
        error = plan_lakes(&made, variant, recipe);
    if (error == 0)
        error = plan_paths(&made, variant, reads, recipe);
    if (error == 0 && reads & TERRANE_READS_CAVES)
        error = plan_caves(&made, variant, recipe);
    if (error != 0)
        return error;
    list_regions(&made);
    *plan = made;
    return 0;
}
