/*
 * Any layer of any window: the walk down the graph of regions, and a window's way through its tiles.
 *
 *  (1) A cell, a tile's part of the window, lies in one region of erosion, and in 2 x 2 of others at most. The window's last row
 *      and column belong to the tile that ends there: no region is made for them alone.
 *  (2) What a cell reads, and what each of that is made of, is held while it is worked on: TERRANE_PLAN_REGIONS, and two for each
 *      level of anchors, 4, 8 ... 24, and the one on top of them. KEPT is more than that: there is a place for everything.
 *  (3) Cells come square by square of 1024 samples, which one region of erosion covers or a few: what is read again is there still.
 */
#include "../base/min_max.h"
#include "../term/scratch.h"
#include "region.h"

enum { KEPT = 32, TILE_LOG2 = 8, SQUARE_LOG2 = 10 };
_Static_assert(KEPT >= TERRANE_PLAN_REGIONS +
                           TERRANE_REGION_NEEDS * (TERRANE_LEVEL_MAX / TERRANE_ANCHOR_LEVELS + 1),
               "invariant 2");

/* A region that the call has made, or found. */
struct kept {
    struct terrane_region region;
    struct terrane_packed packed; /* data is NULL: the place is free */
    unsigned held, since;
};

struct maker {
    const struct terrane_world *world;
    const struct terrane_store *store; /* or NULL */
    struct terrane_memory memory;      /* with scratch */
    enum terrane_layer layer;
    enum terrane_variant variant;
    bool rests;   /* on regions */
    bool between; /* a sample is of what lies between it and the next ones, which are made, too */
    float *out;
    int width;                        /* of out */
    struct terrane_region_list *list; /* it takes what would be read, and nothing is made; or NULL */
    struct kept kept[KEPT];
    size_t bytes; /* in kept */
    unsigned now;
};

/* ---- Regions ------------------------------------------------------------------------------------------- */

static bool same(const struct terrane_region *a, const struct terrane_region *b)
{
    return a->kind == b->kind && a->level == b->level && a->x == b->x && a->y == b->y &&
           a->variant == b->variant;
}

static void drop(struct maker *maker, struct kept *kept)
{
    maker->bytes -= kept->packed.bytes;
    memory_give(&maker->memory, kept->packed.data);
    kept->packed = (struct terrane_packed){NULL, 0};
}

/* A free place, after what was used longest ago has gone for so many bytes. */
static struct kept *place_for(struct maker *maker, size_t bytes)
{
    for (;;) {
        struct kept *place = NULL, *oldest = NULL;
        for (struct kept *kept = maker->kept; kept < maker->kept + KEPT; kept++) {
            if (!kept->packed.data)
                place = kept;
            else if (kept->held == 0 && (!oldest || maker->now - kept->since > maker->now - oldest->since))
                oldest = kept;
        }
        if ((place && maker->bytes + bytes <= TERRANE_MAKE_KEPT) || !oldest)
            return place;
        drop(maker, oldest);
    }
}

static struct kept *keep(struct maker *maker, const struct terrane_region *region,
                         const struct terrane_packed *packed)
{
    struct kept *kept = place_for(maker, packed->bytes);
    *kept = (struct kept){*region, *packed, 1, ++maker->now};
    maker->bytes += packed->bytes;
    return kept;
}

/* What the store has, if it is such a region. */
static bool find(struct maker *maker, const struct terrane_region *region, struct terrane_packed *packed)
{
    const struct terrane_store *store = maker->store;
    if (!store || !store->get || !store->get(store->user, maker->world, region, &maker->memory, packed))
        return false;
    if (terrane_region_fits(maker->world->recipe, region, packed, &maker->memory))
        return true;
    memory_give(&maker->memory, packed->data);
    return false;
}

static int hold(struct maker *maker, const struct terrane_region *region, struct kept **kept);

static int make_region(struct maker *maker, const struct terrane_region *region,
                       struct terrane_packed *packed)
{
    struct terrane_region_needs needs;
    struct terrane_packed inputs[TERRANE_REGION_NEEDS];
    struct kept *held[TERRANE_REGION_NEEDS];
    int count = 0, error = 0;
    terrane_region_needs(maker->world->recipe, region, &needs);
    while (count < needs.count && (error = hold(maker, &needs.region[count], &held[count])) == 0) {
        inputs[count] = held[count]->packed;
        count++;
    }
    if (error == 0)
        error = terrane_region_make(maker->world, region, &needs, inputs, &maker->memory, packed);
    if (error == 0 && maker->store && maker->store->put)
        maker->store->put(maker->store->user, maker->world, region, packed);
    while (count > 0)
        held[--count]->held--;
    return error;
}

/* A region, which stays until it is let go (held--). */
static int hold(struct maker *maker, const struct terrane_region *region, struct kept **kept)
{
    struct terrane_packed packed;
    for (*kept = maker->kept; *kept < maker->kept + KEPT; ++*kept)
        if ((*kept)->packed.data && same(&(*kept)->region, region)) {
            (*kept)->held++;
            (*kept)->since = ++maker->now;
            return 0;
        }
    const int error = find(maker, region, &packed) ? 0 : make_region(maker, region, &packed);
    if (error == 0)
        *kept = keep(maker, region, &packed);
    return error;
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

/* What is made for a cell: of what lies between samples all of them, whatever the step, and those behind the last. */
static struct terrane_window made_for(const struct maker *maker, const struct terrane_window *cell)
{
    struct terrane_window window = *cell;
    if (maker->between) {
        window.width = (cell->width - 1) * cell->step + 2;
        window.height = (cell->height - 1) * cell->step + 2;
        window.step = 1;
    }
    return window;
}

/* Moves the cell's samples, of one number each, to the front of all that were made. */
static void take_steps(const struct block *cell, const struct terrane_window *made, float *values)
{
    const size_t width = (size_t)made->width, step = (size_t)cell->window.step;
    size_t k = 0;
    for (size_t j = 0; j < (size_t)cell->window.height; j++)
        for (size_t i = 0; i < (size_t)cell->window.width; i++)
            values[k++] = values[j * step * width + i * step];
}

static int make_samples(struct maker *maker, const struct block *cell, const struct terrane_plan *plan,
                        const struct terrane_packed *inputs)
{
    struct terrane_ground ground;
    const size_t numbers = (size_t)terrane_layer_values(maker->world->recipe, maker->layer);
    int error = terrane_ground_open(maker->world, plan, inputs, &maker->memory, &ground);
    if (error == 0)
        error = terrane_ground_layer(&ground, maker->layer);
    if (error == 0 && maker->between)
        take_steps(cell, &plan->window, ground.layer[maker->layer]);
    if (error == 0)
        block_copy(cell, maker->width, maker->out, ground.layer[maker->layer], numbers * sizeof(float), true);
    terrane_ground_close(&ground);
    return error;
}

/* Those that are not there yet. */
static void add_regions(struct terrane_region_list *list, const struct terrane_region *region, int regions)
{
    for (int r = 0; r < regions; r++) {
        int k = 0;
        while (k < list->count && k < list->max && !same(&list->region[k], &region[r]))
            k++;
        if (k == list->max)
            list->count = list->max + 1;
        else if (k == list->count)
            list->region[list->count++] = region[r];
    }
}

static int make_cell(struct maker *maker, const struct block *cell)
{
    struct terrane_plan plan;
    struct terrane_packed inputs[TERRANE_PLAN_REGIONS];
    struct kept *held[TERRANE_PLAN_REGIONS];
    const struct terrane_window window = made_for(maker, &cell->window);
    int count = 0, error = terrane_plan(maker->world->recipe, &window, maker->variant,
                                        terrane_layer_reads[maker->layer], &plan);
    if (maker->list) {
        add_regions(maker->list, plan.region, error == 0 ? plan.regions : 0);
        return error;
    }
    while (error == 0 && count < plan.regions &&
           (error = hold(maker, &plan.region[count], &held[count])) == 0) {
        inputs[count] = held[count]->packed;
        count++;
    }
    if (error == 0)
        error = make_samples(maker, cell, &plan, inputs);
    while (count > 0)
        held[--count]->held--;
    return error;
}

/* How many of a window's samples from one on along an axis lie in one square; where a window rests on nothing, so many. */
static int run_from(const struct maker *maker, const struct terrane_window *window, int first, bool south,
                    int log2)
{
    const int left = (south ? window->height : window->width) - first;
    const int64_t g = (south ? window->gj : window->gi) + (int64_t)first * window->step;
    const int64_t end = ((g >> log2) + 1) * (INT64_C(1) << log2); /* of the square */
    if (!maker->rests)
        return min_int(
            left, max_int((1 << log2) / window->step, 1)); /* what lies between samples may be made, too */
    if (g + (int64_t)(left - 1) * window->step <= end - maker->between)
        return left;
    return (int)((end - g + window->step - 1) / window->step);
}

static int make_squares(struct maker *maker, const struct block *whole, int log2)
{
    const struct terrane_window *window = &whole->window;
    int error = 0, across, down;
    for (int j = 0; j < window->height && error == 0; j += down) {
        down = run_from(maker, window, j, true, log2);
        for (int i = 0; i < window->width && error == 0; i += across) {
            across = run_from(maker, window, i, false, log2);
            struct block part = {.window = *window,
                                 .at = whole->at + (size_t)j * (size_t)maker->width + (size_t)i};
            part.window.gi += (int64_t)i * window->step;
            part.window.gj += (int64_t)j * window->step;
            part.window.width = across;
            part.window.height = down;
            error = log2 > TILE_LOG2 ? make_squares(maker, &part, TILE_LOG2) : make_cell(maker, &part);
        }
    }
    return error;
}

/* Whether a level of it rests on regions is the same everywhere: its first sample says it. */
static int look(struct maker *maker, struct terrane_window window)
{
    struct terrane_plan plan;
    window.width = window.height = 1;
    const int error =
        terrane_plan(maker->world->recipe, &window, maker->variant, terrane_layer_reads[maker->layer], &plan);
    maker->rests = error == 0 && plan.regions > 0;
    return error;
}

static bool ends_inside(int64_t g, int step, int samples)
{
    return g + (int64_t)(samples - 1) * step <= INT64_C(1) << 50;
}

static bool is_window(const struct terrane_window *window)
{
    return window_valid(window) && ends_inside(window->gi, window->step, window->width) &&
           ends_inside(window->gj, window->step, window->height);
}

int terrane_make(const struct terrane_world *world, const struct terrane_window *window,
                 enum terrane_layer layer, enum terrane_variant variant, const struct terrane_store *store,
                 const struct terrane_memory *memory, float *out)
{
    const struct block whole = {.window = *window};
    struct maker maker = {.world = world,
                          .store = store,
                          .layer = layer,
                          .variant = terrane_layer_variant(world->recipe, layer, variant),
                          .between = layer == TERRANE_LAYER_OBJECTS,
                          .out = out,
                          .width = window->width};
    int error = look(&maker, *window);
    if (error == 0 && !is_window(window))
        error = TERRANE_EWINDOW;
    if (error == 0 && !memory_lend(memory, &maker.memory))
        error = TERRANE_EMEMORY;
    if (error == 0)
        error = make_squares(&maker, &whole, SQUARE_LOG2);
    for (struct kept *kept = maker.kept; kept < maker.kept + KEPT; kept++)
        if (kept->packed.data)
            drop(&maker, kept);
    memory_lend_end(memory, &maker.memory);
    return error;
}

int make_regions(const struct terrane_recipe *recipe, const struct terrane_window *window,
                 enum terrane_layer layer, enum terrane_variant variant, struct terrane_region_list *list)
{
    const struct terrane_world world = {.recipe = recipe};
    const struct block whole = {.window = *window};
    struct maker maker = {.world = &world,
                          .layer = layer,
                          .variant = terrane_layer_variant(recipe, layer, variant),
                          .between = layer == TERRANE_LAYER_OBJECTS,
                          .width = window->width,
                          .list = list};
    const int error = look(&maker, *window);
    if (error != 0 || !maker.rests)
        return error;
    return is_window(window) ? make_squares(&maker, &whole, SQUARE_LOG2) : TERRANE_EWINDOW;
}
