/*
 * The pyramid of erosion: from the coarsest level down to a window of the one that is asked.
 *
 *     level      what is made there
 *     l + 1      deltas and flow of a window
 *       │ between_rows, mean_rows
 *     l          base heights of the field + deltas ─► phases ─► slides ─► deltas and flow of the field without its halo
 *
 * Every window is as wide as the next one needs, so the chain makes what an unbounded world would have there: it does
 * not matter where it begins, or which window it serves.
 */
#include "erosion.h"

#include <string.h>

#include "../base/lend.h"
#include "../base/window.h"
#include "../term/scratch.h"

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* The windows of a chain: of levels level .. top, out and with their halos. */
struct chain {
    int level, top;
    struct terrane_window out[TERRANE_LEVEL_MAX + 1], field[TERRANE_LEVEL_MAX + 1];
};

static void chain_plan(struct chain *chain, const struct terrane_recipe *recipe,
                       const struct terrane_window *window, int from)
{
    chain->level = window->level;
    chain->top = from < 0 ? recipe->erosion.levels - 1 : from - 1;
    chain->out[chain->level] = *window;
    for (int level = chain->level; level <= chain->top; level++) {
        chain->field[level] = window_grown(&chain->out[level], terrane_erosion_halo(recipe, level));
        if (level < chain->top)
            chain->out[level + 1] = erosion_parent(&chain->field[level]);
    }
}

/* The memory of a chain: every level uses the same field; what comes out goes to one of two places by turns. */
struct level_buffers {
    struct erosion_level *level;
    int32_t *ground;
    uint16_t *before;
    uint64_t *moved; /* before it counts, the room for heights and weights */
    float *grid;
    int32_t *delta[2];
    uint32_t *flow[2];
};

static void level_buffers_take(struct level_buffers *buffers, struct room *room,
                               const struct terrane_recipe *recipe, const struct chain *chain)
{
    size_t field = 0, before = 0, nodes = 0, out[2] = {0, 0};
    for (int level = chain->level; level <= chain->top; level++) {
        const size_t samples = samples_of(&chain->field[level]),
                     those = erosion_grid_nodes(&chain->field[level]);
        field = samples > field ? samples : field;
        nodes = those > nodes ? those : nodes;
        if (erosion_detail_log2(recipe, level) > 0 && samples > before)
            before = samples;
        if (level > chain->level && samples_of(&chain->out[level]) > out[level & 1])
            out[level & 1] = samples_of(&chain->out[level]);
    }
    const size_t zones = (size_t)recipe->partition.zones, weights = nodes * zones * sizeof(float);
    const size_t moved = field * sizeof *buffers->moved;
    buffers->level = room_take(room, sizeof *buffers->level);
    buffers->ground = room_take(room, field * sizeof *buffers->ground);
    buffers->before = room_take(room, before * sizeof *buffers->before);
    buffers->moved = room_take(room, moved > weights ? moved : weights);
    buffers->grid = room_take(room, nodes * TERRANE_DROPLET_NUMBERS * sizeof *buffers->grid);
    for (int k = 0; k < 2; k++) {
        buffers->delta[k] = room_take(room, out[k] * sizeof *buffers->delta[k]);
        buffers->flow[k] = room_take(room, out[k] * sizeof *buffers->flow[k]);
    }
}

size_t erosion_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window, int from)
{
    struct chain chain;
    struct level_buffers buffers;
    struct room room = {NULL, 0};
    if (window_check(window, window->level) != 0 || window->level >= recipe->erosion.levels)
        return TERRANE_SCRATCH_ALIGN;
    chain_plan(&chain, recipe, window, from);
    level_buffers_take(&buffers, &room, recipe, &chain);
    return room.taken;
}

/* ---- From the parent ----------------------------------------------------------------------------------- */

/* A product of the parent, read into windows of the child. */
struct parent {
    const struct terrane_eroded *product;
    int32_t bound;
};

/* Row gj of the parent at the child's columns gi .. gi + count - 1. */
static void parent_deltas(const struct parent *parent, int64_t gi, int64_t gj, int count, int32_t *out)
{
    const int64_t west = (gi >> 1) - 1, east = ((gi + count - 1) >> 1) + 2;
    const int32_t *row =
        parent->product->delta + window_at(&parent->product->window, west, gj, (int)(east - west) + 1);
    int32_t kept[ERODE_WIDTH / 2 + 8];
    for (int i = 0; i <= (int)(east - west); i++) {
        const int32_t v = row[i] < -parent->bound ? -parent->bound : row[i];
        kept[i] = v > parent->bound ? parent->bound : v;
    }
    const int odd = (int)(gi & 1);
    for (int i = odd; i < count; i += 2)
        out[i] = kept[1 + ((i + odd) >> 1)];
    for (int i = 1 - odd; i < count; i += 2) {
        const int32_t *q = kept + 1 + ((i + odd) >> 1);
        out[i] = (9 * (q[0] + q[1]) - (q[-1] + q[2]) + 8) >> 4;
    }
}

static void parent_flow(const struct parent *parent, int64_t gi, int64_t gj, int count, uint32_t *out)
{
    const int64_t west = gi >> 1, east = (gi + count) >> 1;
    const uint32_t *row =
        parent->product->flow + window_at(&parent->product->window, west, gj, (int)(east - west) + 1);
    const int odd = (int)(gi & 1);
    for (int i = 0; i < count; i++) {
        const uint32_t *q = row + ((i + odd) >> 1);
        out[i] = (i + odd) & 1 ? (q[0] >> 1) + (q[1] >> 1) + ((q[0] | q[1]) & 1) : q[0];
    }
}

/* Adds the parent's deltas to the field's ground. */
static void add_deltas(struct erosion_level *level, const struct parent *parent)
{
    const struct terrane_window *window = &level->window;
    const int count = window->width;
    int32_t between[ERODE_WIDTH];
    int64_t made = (window->gj >> 1) - 2; /* the ring holds parent rows up to this one */
    for (int y = 0; y < window->height; y++) {
        const int64_t gj = window->gj + y, north = gj >> 1, last = gj & 1 ? north + 2 : north;
        int32_t(*ring)[ERODE_WIDTH] = level->rows.old;
        for (; made < last; made++)
            parent_deltas(parent, window->gi, made + 1, count, ring[(made + 1) & (EROSION_ROWS - 1)]);
        const int32_t *delta = ring[north & (EROSION_ROWS - 1)];
        if (gj & 1) {
            erode_kernels_current()->between_rows(count, ring[(north - 1) & (EROSION_ROWS - 1)], delta,
                                                  ring[(north + 1) & (EROSION_ROWS - 1)],
                                                  ring[(north + 2) & (EROSION_ROWS - 1)], between);
            delta = between;
        }
        int32_t *ground = level->field.ground + (size_t)y * (size_t)count;
        for (int i = 0; i < count; i++) {
            const int32_t low = delta[i] < -parent->bound ? -parent->bound : delta[i];
            ground[i] += low > parent->bound ? parent->bound : low;
        }
    }
}

/* Fills the flow of what comes out with the parent's. */
static void fill_flow(struct terrane_eroded *out, const struct parent *parent)
{
    uint32_t rows[2][ERODE_WIDTH];
    const int count = out->window.width;
    for (int y = 0; y < out->window.height; y++) {
        const int64_t gj = out->window.gj + y;
        uint32_t *flow = out->flow + (size_t)y * (size_t)count;
        if (!(gj & 1)) {
            parent_flow(parent, out->window.gi, gj >> 1, count, flow);
            continue;
        }
        for (int k = 0; k < 2; k++)
            parent_flow(parent, out->window.gi, (gj >> 1) + k, count, rows[k]);
        erode_kernels_current()->mean_rows(count, rows[0], rows[1], flow);
    }
}

/* ---- One level ----------------------------------------------------------------------------------------- */

/* What comes out: what the ground has gained over what it was at the call with sign -1. */
static void add_ground(const struct erosion_level *level, struct terrane_eroded *out, int sign)
{
    for (int y = 0; y < out->window.height; y++) {
        const int32_t *ground = level->field.ground + (size_t)(y + level->halo) * (size_t)level->field.width +
                                (size_t)level->halo;
        int32_t *delta = out->delta + (size_t)y * (size_t)out->window.width;
        for (int i = 0; i < out->window.width; i++)
            delta[i] = sign < 0 ? -ground[i] : delta[i] + ground[i];
    }
}

static int base_ground(struct erosion_level *level, const struct terrane_memory *memory)
{
    float *heights = (float *)(void *)level->field.moved;
    const int error = terrane_heights(level->world, &level->window, memory, heights);
    if (error)
        return error;
    for (int y = 0; y < level->field.height; y++) {
        const size_t row = (size_t)y * (size_t)level->field.width;
        erode_kernels_current()->units_row(level->field.width, heights + row, level->scale.to_units,
                                           level->field.ground + row);
    }
    return 0;
}

static int level_make(struct level_buffers *buffers, const struct terrane_world *world,
                      const struct chain *chain, int l, const struct terrane_eroded *parent,
                      const struct terrane_memory *memory, struct terrane_eroded *out)
{
    const struct terrane_recipe *recipe = world->recipe;
    struct erosion_level *level = buffers->level;
    struct parent from = {.product = parent};
    level->world = world;
    level->window = chain->field[l];
    level->field =
        (struct erode_field){level->window.width, level->window.height, buffers->ground, buffers->moved};
    level->grid = buffers->grid;
    level->halo = terrane_erosion_halo(recipe, l);
    level->inset = 0;
    level->before = buffers->before;
    level->flow = out->flow;
    erosion_scale(&level->scale, recipe, l);
    int error = base_ground(level, memory);
    if (error)
        return error;
    add_ground(level, out, -1);
    if (parent) {
        struct erosion_scale scale;
        erosion_scale(&scale, recipe, l + 1);
        from.bound = scale.bound;
        add_deltas(level, &from);
        fill_flow(out, &from);
    } else {
        memset(out->flow, 0, samples_of(&out->window) * sizeof *out->flow);
    }
    erosion_detail_begin(level);
    error = erosion_law(level, memory, (float *)(void *)buffers->moved);
    if (error)
        return error;
    memset(buffers->moved, 0, samples_of(&level->window) * sizeof *buffers->moved);
    for (int phase = 0; phase < recipe->erosion.phases[l]; phase++)
        erosion_phase(level, phase);
    for (int round = 0; round < erosion_slides(&recipe->erosion, l); round++) {
        level->creep = round >= recipe->erosion.slides[l];
        erosion_slide(level);
    }
    erosion_detail(level);
    add_ground(level, out, 1);
    return 0;
}

/* ---- The chain ----------------------------------------------------------------------------------------- */

static int chain_check(const struct chain *chain, const struct terrane_eroded *from)
{
    int error;
    for (int level = chain->level; level <= chain->top; level++)
        if ((error = window_check(&chain->field[level], level)) != 0)
            return error;
    if (!from)
        return 0;
    const struct terrane_window needed = erosion_parent(&chain->field[chain->top]);
    return erosion_covers(&from->window, &needed) ? 0 : TERRANE_EWINDOW;
}

/* From the coarsest level of the chain down. */
static int chain_make(const struct chain *chain, const struct terrane_world *world,
                      const struct terrane_eroded *parent, const struct terrane_memory *memory, void *block,
                      struct terrane_eroded *out)
{
    struct level_buffers buffers;
    struct room room = {block, 0};
    struct terrane_eroded made[2];
    int error = 0;
    level_buffers_take(&buffers, &room, world->recipe, chain);
    for (int level = chain->top; level > chain->level && error == 0; level--) {
        struct terrane_eroded *next = &made[level & 1];
        *next = (struct terrane_eroded){chain->out[level], buffers.delta[level & 1], buffers.flow[level & 1]};
        error = level_make(&buffers, world, chain, level, parent, memory, next);
        parent = next;
    }
    return error != 0 ? error : level_make(&buffers, world, chain, chain->level, parent, memory, out);
}

int terrane_erode(const struct terrane_world *world, const struct terrane_eroded *from,
                  const struct terrane_memory *memory, struct terrane_eroded *out)
{
    const struct terrane_recipe *recipe = world->recipe;
    struct terrane_memory lent = {.scratch = NULL};
    struct chain chain;
    int error = window_check(&out->window, out->window.level);
    if (error)
        return error;
    if (out->window.level >= recipe->erosion.levels) {
        memset(out->delta, 0, samples_of(&out->window) * sizeof *out->delta);
        memset(out->flow, 0, samples_of(&out->window) * sizeof *out->flow);
        return 0;
    }
    const int coarsest = recipe->rivers.top > 0 ? recipe->rivers.bottom : recipe->erosion.levels - 1;
    if (from && (from->window.level <= out->window.level || from->window.level > coarsest))
        return TERRANE_EWINDOW;
    chain_plan(&chain, recipe, &out->window, from ? from->window.level : -1);
    if ((error = chain_check(&chain, from)) != 0)
        return error;
    void *block = memory_take(memory, erosion_bytes(recipe, &out->window, from ? from->window.level : -1));
    error = block && memory_lend(memory, &lent) ? chain_make(&chain, world, from, &lent, block, out)
                                                : TERRANE_EMEMORY;
    memory_lend_end(memory, &lent);
    memory_give(memory, block);
    return error;
}
