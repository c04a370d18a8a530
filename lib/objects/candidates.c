/*
 * Candidates: their places, which are taken, and which stand.
 *
 *  (1) A candidate's place, its number and whether it is taken are functions of the world, its class, generation and cell.
 *  (2) Candidates are drawn in all cells within the largest radius of the place. So all candidates that precede one of the place
 *      are among them, whatever the place, and the result is the same.
 *  (3) Along an axis there are (2^17 + 2 * 2^10) / 2^5 + 2 cells at most, of a window of 512 samples at level 4 or below, since a
 *      generation's cells are no finer than its level's samples times two.
 */
#include "candidates.h"

#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"

enum { RADIUS_MAX = 64 /* samples: as recipes have it */ };

#define OBJECTS_SALT UINT64_C(0x73746A624F) /* "Objts" */

static int radius_of(const struct terrane_recipe *recipe, int of)
{
    const double parts = (double)recipe->objects.of[of].radius_m / recipe->spacing_m * TERRANE_OBJECTS_SAMPLE;
    const int whole = (int)parts;
    /* a float may be a little more than what it was read from */
    return min_int(whole < parts ? whole + 1 : whole, RADIUS_MAX * TERRANE_OBJECTS_SAMPLE);
}

int objects_halo(const struct terrane_recipe *recipe)
{
    int halo = 0;
    for (int c = 0; c < recipe->objects.classes; c++)
        halo = max_int(halo, radius_of(recipe, c));
    return halo;
}

struct terrane_window objects_nodes(const struct terrane_recipe *recipe, const struct objects_place *place)
{
    const int halo = objects_halo(recipe);
    const int64_t gi = (place->x - halo) >> OBJECTS_NODE_LOG2, gj = (place->y - halo) >> OBJECTS_NODE_LOG2;
    return (struct terrane_window){
        .level = TERRANE_OBJECTS_COVER,
        .gi = gi,
        .gj = gj,
        .step = 1,
        .width = (int)(((place->x + place->width + halo) >> OBJECTS_NODE_LOG2) - gi) + 2,
        .height = (int)(((place->y + place->height + halo) >> OBJECTS_NODE_LOG2) - gj) + 2,
    };
}

/* ---- Drawing ------------------------------------------------------------------------------------------- */

/* The share taken at nodes, and the position of the place's corner among them, in parts. */
struct taking {
    const float *share;
    int width, x, y;
};

static float share_at(const struct taking *taking, int32_t x, int32_t y)
{
    const int u = taking->x + x, v = taking->y + y, mask = (1 << OBJECTS_NODE_LOG2) - 1;
    const float fx = (float)(u & mask) / (float)(mask + 1), fy = (float)(v & mask) / (float)(mask + 1);
    const float *north = taking->share + (size_t)(v >> OBJECTS_NODE_LOG2) * (size_t)taking->width +
                         (u >> OBJECTS_NODE_LOG2),
                *south = north + taking->width;
    const float above = north[0] + (north[1] - north[0]) * fx, below = south[0] + (south[1] - south[0]) * fx;
    return above + (below - above) * fy;
}

static uint64_t key_of(const struct terrane_world *world, int of, int generation)
{
    const uint64_t key = hash_absorb(world->seed, OBJECTS_SALT);
    const int number = of * OBJECTS_GENERATIONS + generation;
    return hash_absorb(key, (uint64_t)number);
}

/* Covers the place and its halo with cells. */
static void lay(struct candidates *cells, const struct objects_place *place, int side, int halo)
{
    const int64_t west = place->x - halo, north = place->y - halo;
    cells->side = side;
    cells->cx = floor_divide(west, side);
    cells->cy = floor_divide(north, side);
    cells->columns = (int)(floor_divide(place->x + place->width + halo, side) - cells->cx) + 1;
    cells->rows = (int)(floor_divide(place->y + place->height + halo, side) - cells->cy) + 1;
    cells->x = (int32_t)(cells->cx * side - place->x);
    cells->y = (int32_t)(cells->cy * side - place->y);
}

/* 16 bits each: position in the cell, east and south, and the threshold of the share. Beyond the halo none is taken: there are no
 * nodes, and no candidate of the place looks that far. */
static struct candidate candidate_of(const struct objects *objects, const struct candidates *cells, int halo,
                                     uint64_t row_key, int column, int row, const struct taking *taking)
{
    const uint64_t h = hash_absorb(row_key, (uint64_t)(cells->cx + column)), side = (uint64_t)cells->side;
    struct candidate made = {
        .x = cells->x + column * cells->side + (int32_t)((h & 0xFFFF) * side >> 16),
        .y = cells->y + row * cells->side + (int32_t)((h >> 16 & 0xFFFF) * side >> 16),
    };
    const bool near = made.x >= -halo && made.x <= objects->place.width + halo && made.y >= -halo &&
                      made.y <= objects->place.height + halo;
    if (near && (float)(h >> 32 & 0xFFFF) * 0x1p-16f < share_at(taking, made.x, made.y))
        made.rank = (uint32_t)(hash_mix(h) >> 32) | 1;
    return made;
}

static int draw(struct objects *objects, int of, int generation, int halo, const struct taking *taking,
                const struct terrane_memory *memory)
{
    struct candidates *cells = &objects->of[of][generation];
    const uint64_t key = key_of(objects->world, of, generation);
    lay(cells, &objects->place, radius_of(objects->world->recipe, of) << generation, halo);
    struct candidate *at = memory_take(memory, (size_t)cells->columns * (size_t)cells->rows * sizeof *at);
    cells->at = at;
    if (!at)
        return TERRANE_EMEMORY;
    for (int row = 0; row < cells->rows; row++) {
        const uint64_t row_key = hash_absorb(key, (uint64_t)(cells->cy + row));
        for (int column = 0; column < cells->columns; column++)
            *at++ = candidate_of(objects, cells, halo, row_key, column, row, taking);
    }
    return 0;
}

int objects_draw(struct objects *objects, const struct terrane_world *world,
                 const struct objects_place *place, const float *const takes[TERRANE_CLASSES_MAX],
                 const struct terrane_memory *memory)
{
    const struct terrane_objects *all = &world->recipe->objects;
    const struct terrane_window nodes = objects_nodes(world->recipe, place);
    const int halo = objects_halo(world->recipe);
    int error = 0;
    *objects = (struct objects){.world = world, .place = *place};
    for (int c = 0; c < all->classes; c++) {
        const struct taking taking = {
            .share = takes[c],
            .width = nodes.width,
            .x = (int)(place->x - nodes.gi * (1 << OBJECTS_NODE_LOG2)),
            .y = (int)(place->y - nodes.gj * (1 << OBJECTS_NODE_LOG2)),
        };
        for (int generation = place->level; generation <= all->of[c].level && error == 0; generation++)
            error = draw(objects, c, generation, halo, &taking, memory);
    }
    return error;
}

void objects_end(struct objects *objects, const struct terrane_memory *memory)
{
    for (int c = 0; c < TERRANE_CLASSES_MAX; c++)
        for (int generation = 0; generation < OBJECTS_GENERATIONS; generation++)
            memory_give(memory, objects->of[c][generation].at);
}

/* ---- Standing ------------------------------------------------------------------------------------------ */

/* True if one of these precedes another of the same or a finer generation, within so many parts of it. first: these win equal
 * ranks; self: the other is among them, and earlier ones come first. */
static bool any_before(const struct candidates *cells, const struct candidate *other, bool finer, bool first,
                       bool self, int reach)
{
    const int west = (other->x - reach - cells->x) / cells->side,
              north = (other->y - reach - cells->y) / cells->side;
    const int east = (other->x + reach - cells->x) / cells->side,
              south = (other->y + reach - cells->y) / cells->side;
    for (int row = north; row <= south; row++) {
        const struct candidate *at = cells->at + (ptrdiff_t)row * cells->columns + west, *const end =
                                                                                             at +
                                                                                             (east - west);
        for (; at <= end; at++) {
            const int64_t dx = at->x - other->x, dy = at->y - other->y;
            const bool before =
                finer ? at->rank != 0
                      : at->rank > other->rank || (at->rank == other->rank && (self ? at < other : first));
            if (before && dx * dx + dy * dy < (int64_t)reach * reach)
                return true;
        }
    }
    return false;
}

bool objects_stands(const struct objects *objects, int of, int generation, int column, int row)
{
    const struct terrane_recipe *recipe = objects->world->recipe;
    const struct candidates *own = &objects->of[of][generation];
    const struct candidate *here = own->at + (ptrdiff_t)row * own->columns + column;
    const int radius = own->side >> generation;
    if (here->rank == 0 || here->x < 0 || here->x >= objects->place.width || here->y < 0 ||
        here->y >= objects->place.height)
        return false;
    for (int c = 0; c < recipe->objects.classes; c++)
        for (int g = generation; g <= recipe->objects.of[c].level; g++) {
            const struct candidates *cells = &objects->of[c][g];
            const int other = cells->side >> g;
            if (any_before(cells, here, g > generation, c < of, c == of && g == generation,
                           radius > other ? radius : other))
                return false;
        }
    return true;
}

struct terrane_object objects_object(const struct objects *objects, int of, int generation, int column,
                                     int row)
{
    const struct candidates *cells = &objects->of[of][generation];
    const struct candidate *at = cells->at + (ptrdiff_t)row * cells->columns + column;
    const struct terrane_class *class = &objects->world->recipe->objects.of[of];
    const uint64_t key = hash_absorb(key_of(objects->world, of, generation), (uint64_t)(cells->cy + row));
    const uint64_t h = hash_absorb(hash_absorb(key, (uint64_t)(cells->cx + column)), 1);
    const int small = (int)(class->small * TERRANE_OBJECTS_SCALE + 0.5f),
              large = (int)(class->large * TERRANE_OBJECTS_SCALE + 0.5f);
    return (struct terrane_object){
        .x = objects->place.x + at->x,
        .y = objects->place.y + at->y,
        .of = (uint8_t)of,
        .variant = (uint8_t)(h & 15),
        .turn = (uint8_t)(h >> 8),
        .scale = (uint8_t)(small + (int)((h >> 16 & 0xFFFF) * (uint64_t)(large - small + 1) >> 16)),
    };
}
