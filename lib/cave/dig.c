/* A single cave: climbing, the room, its floor and ceiling. See dig.h. */
#include "dig.h"
#include "../base/window.h"
#include "../term/noise_at.h"

#include <string.h>

const int dig_dx[8] = {1, 1, 0, -1, -1, -1, 0, 1};
const int dig_dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};

/* Floors swell by an eighth of the standing height, over so many samples. */
#define SWELL       0.125f
#define SWELL_CELLS 5.0
/* Slope at which a top's part of the mountain falls below the ground. */
#define CONE 1.0f

/* ---- Numbers ------------------------------------------------------------------------------------------- */

float dig_standing_m(const struct terrane_recipe *recipe)
{
    const float height_m = recipe->caves.height_m, quarter_m = height_m * 0.25f;
    const float standing_m = quarter_m > 3 ? quarter_m : 3;
    return standing_m < height_m ? standing_m : height_m;
}

double dig_sample_m(const struct terrane_recipe *recipe)
{
    return recipe->spacing_m * (double)(INT64_C(1) << recipe->caves.level);
}

int dig_reach(const struct terrane_recipe *recipe)
{
    return recipe->caves.radius / 2;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* Size of the heap: the room adds a sample once; the corridor at most once from each of its 8 neighbours. */
static size_t heap_entries(int radius)
{
    return 9 * dig_samples(radius);
}

size_t dig_bytes(int radius)
{
    return sizeof(uint64_t) + heap_entries(radius) * sizeof(uint64_t) +
           dig_samples(radius) * (sizeof(uint32_t) + 4 * sizeof(float) + 3);
}

struct dig dig_new(const struct terrane_world *world, const struct terrane_window *window,
                   const float *ground, const float *depth_m, void *memory)
{
    const int radius = world->recipe->caves.radius;
    const size_t samples = dig_samples(radius);
    uint8_t *aligned = (uint8_t *)memory + (-(uintptr_t)memory & (sizeof(uint64_t) - 1));
    struct dig dig = {
        .world = world,
        .ground_all = ground,
        .depth_all = depth_m,
        .window = *window,
        .radius = radius,
        .side = 2 * radius + 1,
        .sample_m = dig_sample_m(world->recipe),
        .standing_m = dig_standing_m(world->recipe),
        .heap = {.entry = (uint64_t *)(void *)aligned},
    };
    dig.way = (uint32_t *)(dig.heap.entry + heap_entries(radius));
    dig.ground = (void *)(dig.way + samples);
    dig.mount = dig.ground + samples;
    dig.floor = dig.mount + samples;
    dig.ceiling = dig.floor + samples;
    dig.wet = (uint8_t *)(dig.ceiling + samples);
    dig.mark = dig.wet + samples;
    dig.from = dig.mark + samples;
    return dig;
}

/* ---- Climbing ------------------------------------------------------------------------------------------ */

/* The order of samples: by height; of equal ones the more northern, then the more western, is higher. dx, dy: -1, 0, 1. */
static uint64_t rank_at(const struct dig *dig, int64_t gi, int64_t gj, int dx, int dy)
{
    const float ground_m = dig->ground_all[window_at(&dig->window, gi + dx, gj + dy, 1)];
    return (uint64_t)heap_key(ground_m) << 32 | (uint32_t)(8 - (3 * (dy + 1) + dx + 1));
}

bool dig_climb(const struct dig *dig, int64_t *gi, int64_t *gj)
{
    const int64_t west = *gi, north = *gj, reach = dig_reach(dig->world->recipe);
    while (*gi > west - reach && *gi<west + reach && * gj> north - reach && *gj < north + reach) {
        uint64_t highest = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const uint64_t rank = rank_at(dig, *gi, *gj, dx, dy);
                highest = rank > highest ? rank : highest;
            }
        const int to = 8 - (int)(uint32_t)highest;
        if (to == 4)
            break;
        *gi += to % 3 - 1;
        *gj += to / 3 - 1;
    }
    return dig->ground_all[window_at(&dig->window, *gi, *gj, 1)] > dig->world->recipe->caves.high_m;
}

/* ---- Room ---------------------------------------------------------------------------------------------- */

/* How far the top's part of the mountain is below the ground. */
static float lowered_m(const struct dig *dig, int x, int y)
{
    const int dx = x - dig->radius, dy = y - dig->radius;
    return __builtin_sqrtf((float)(dx * dx + dy * dy)) * ((float)dig->sample_m * CONE);
}

/* Ground and water of the square around a top. */
static void load(struct dig *dig, int64_t gi, int64_t gj)
{
    const int side = dig->side;
    const size_t samples = dig_samples(dig->radius);
    dig->gi = gi - dig->radius;
    dig->gj = gj - dig->radius;
    memset(dig->mark, DIG_ROCK, samples);
    memset(dig->wet, 0, samples);
    for (int y = 0; y < side; y++) {
        const size_t from = window_at(&dig->window, dig->gi, dig->gj + y, side);
        memcpy(dig->ground + (size_t)y * (size_t)side, dig->ground_all + from,
               (size_t)side * sizeof *dig->ground);
        for (int x = 0; x < side; x++)
            dig->mount[y * side + x] = dig->ground[y * side + x] - lowered_m(dig, x, y);
        for (int x = 0; x < side; x++) {
            if (!(dig->depth_all[from + (size_t)x] > 0))
                continue;
            for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < side; j++)
                for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < side; i++)
                    dig->wet[j * side + i] = 1;
        }
    }
}

static void meet(struct dig *dig, uint32_t place)
{
    if (dig->mark[place] != DIG_ROCK)
        return;
    dig->mark[place] = DIG_SEEN;
    heap_push(&dig->heap, (uint64_t)~heap_key(dig->mount[place]) << 32 | place);
}

/* Takes samples from the top down until there is enough room. false: it reaches the border, or water. */
static bool make_room(struct dig *dig)
{
    const uint32_t side = (uint32_t)dig->side, top = (uint32_t)dig->radius * (side + 1);
    const float room = dig->world->recipe->caves.room;
    dig->heap.count = dig->taken_count = 0;
    dig->lowest_m = dig->highest_m = dig->mount[top];
    meet(dig, top);
    while (dig->heap.count > 0) {
        const uint32_t place = (uint32_t)heap_pop(&dig->heap);
        const float ground_m = dig->mount[place];
        if ((float)dig->taken_count >= room && ground_m < dig->lowest_m)
            return true;
        if (!dig_inside(dig, (int)(place % side), (int)(place / side), DIG_EDGE) || dig->wet[place])
            return false;
        dig->lowest_m = ground_m < dig->lowest_m ? ground_m : dig->lowest_m;
        dig->highest_m = ground_m > dig->highest_m ? ground_m : dig->highest_m;
        dig->mark[place] = DIG_ROOM;
        dig->way[dig->taken_count++] = place;
        meet(dig, place - side);
        meet(dig, place - 1);
        meet(dig, place + 1);
        meet(dig, place + side);
    }
    return false;
}

/* Marks samples of the room by their distance from its walls, up to DIG_RINGS. */
static void mark_rings(struct dig *dig)
{
    const int side = dig->side;
    for (int ring = 1; ring <= DIG_RINGS; ring++)
        for (int k = 0; k < dig->taken_count; k++) {
            uint8_t *mark = dig->mark + dig->way[k];
            const int min = DIG_ROOM + ring - 1;
            if (mark[-side] >= min && mark[-1] >= min && mark[0] >= min && mark[1] >= min &&
                mark[side] >= min)
                mark[0] = (uint8_t)(DIG_ROOM + ring);
        }
}

/* Height of the floor over the flat one at a sample of the room, as -1 .. 1 of the max. */
static float swell_at(const struct dig *dig, uint64_t id, uint32_t place)
{
    const int x = (int)place % dig->side - dig->radius, y = (int)place / dig->side - dig->radius;
    const double at[3] = {x / SWELL_CELLS, y / SWELL_CELLS, 0.5};
    float value = 0;
    const int error = terrane_noise_at(TERRANE_PERLIN5, 3, id, at, &value, NULL);
    return error ? 0 : value * ((float)(dig->mark[place] - DIG_ROOM) / (float)DIG_RINGS);
}

/* Makes the room's floor and ceiling. Returns its max ceiling. */
static float lay_room(struct dig *dig, uint64_t id, float floor_m)
{
    const float standing_m = dig->standing_m, rise_m = dig->highest_m - dig->lowest_m;
    const float max_m = dig->world->recipe->caves.height_m - standing_m;
    const float share = rise_m > max_m ? max_m / rise_m : 1;
    mark_rings(dig);
    for (int k = 0; k < dig->taken_count; k++) {
        const uint32_t place = dig->way[k];
        dig->floor[place] = floor_m + swell_at(dig, id, place) * (standing_m * SWELL);
        dig->ceiling[place] = floor_m + (standing_m + share * (dig->mount[place] - dig->lowest_m));
    }
    return floor_m + (standing_m + share * rise_m);
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/*
 * Checks that no ground beside the cave is far below it, since meshes reach down to the lowest ground around. Returns
 * samples dug; 0: it is.
 */
static int32_t survey(const struct dig *dig)
{
    const int side = dig->side;
    const size_t samples = dig_samples(dig->radius);
    float lowest_m = 0x1p20f, around_m = lowest_m;
    int32_t count = 0;
    for (size_t k = 0; k < samples; k++) {
        if (dig->floor[k] == TERRANE_ROCK)
            continue;
        count++;
        lowest_m = dig->floor[k] < lowest_m ? dig->floor[k] : lowest_m;
        for (int d = 0; d < 8; d++) {
            const float ground_m = dig->ground[(int)k + dig_dy[d] * side + dig_dx[d]];
            around_m = ground_m < around_m ? ground_m : around_m;
        }
    }
    return around_m > lowest_m - dig->world->recipe->caves.height_m ? count : 0;
}

bool dig_cave(struct dig *dig, uint64_t id, int64_t gi, int64_t gj, struct terrane_cave *cave)
{
    const struct terrane_recipe *recipe = dig->world->recipe;
    const float limit_m = 0x1p19f;
    load(dig, gi, gj);
    if (!make_room(dig))
        return false;
    const float floor_m = dig->lowest_m - recipe->caves.roof_m - dig->standing_m;
    if (!(floor_m - dig->standing_m * SWELL > recipe->sea_m) || !(floor_m > -limit_m) ||
        !(dig->highest_m < limit_m))
        return false;
    const size_t samples = dig_samples(dig->radius);
    for (size_t k = 0; k < samples; k++)
        dig->floor[k] = dig->ceiling[k] = TERRANE_ROCK;
    const float ceiling_m = lay_room(dig, id, floor_m);
    if (!dig_corridor(dig, floor_m))
        return false;
    const int32_t count = survey(dig);
    *cave = (struct terrane_cave){
        .gi = gi,
        .gj = gj,
        .entrance_gi = dig->gi + dig->entrance % (uint32_t)dig->side,
        .entrance_gj = dig->gj + dig->entrance / (uint32_t)dig->side,
        .entrance_m = dig->ground[dig->entrance],
        .floor_m = floor_m,
        .ceiling_m = ceiling_m,
        .samples = count,
    };
    return count > 0;
}
