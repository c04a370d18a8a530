/*
 * A lake is named in tiles that show it well, of its own level or of one a little coarser: three are asked for, one after the other.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/check.h"
#include "../render/tile_piece.h"
#include "point_names.h"

enum {
    NEAR = 2, /* samples: a place this near to a river's line, or a lake's shore, is on it */
    LAKE_TILES = 3,
    LAKE_COARSER = 2, /* levels from one to the next */
    RANGE_LEVEL = 8,  /* the finest whose tiles show ranges of every level */
    RANGE_NEAR =
        64 /* samples of it, or of the place's if that is coarser, that a range's middle is off at most */
};

static bool is_lake(const struct terrane_world *world, const struct point *point)
{
    return point->water_m > 0 && point->height_m + point->water_m > (double)world->recipe->sea_m;
}

bool point_names_ask(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level)
{
    const int top = world->recipe->rivers.top;
    const bool river = point->discharge_m3s > 0;
    if (top == 0 || *names->lake.id || names->asked == (river ? 1 : LAKE_TILES))
        return false;
    if (!river && (!is_lake(world, point) || level + names->asked * LAKE_COARSER > top))
        return false;
    names->asked++;
    return true;
}

void point_names_key(const struct point_names *names, const struct terrane_world *world,
                     const struct point *point, struct tile_key *key)
{
    key->layer = LAYER_RIVER;
    if (!(point->discharge_m3s > 0)) {
        const int coarser = (names->asked - 1) * LAKE_COARSER;
        key->layer = LAYER_WATER;
        key->level += coarser;
        key->x >>= coarser;
        key->y >>= coarser;
    }
    key->format = FORMAT_GEOJSON;
    tile_key_vary(key, world->recipe); /* there are none of base ground */
    CHECK(tile_key_finish(key) == TILE_FINE);
}

int point_names_read(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level, const unsigned char *text, size_t bytes)
{
    if (point->discharge_m3s > 0)
        return river_near(text, bytes, point->x_m, point->y_m, NEAR * terrane_lattice_m(world, level, 1),
                          &names->river);
    level += (names->asked - 1) * LAKE_COARSER;
    return lake_near(text, bytes, point->x_m, point->y_m, NEAR * terrane_lattice_m(world, level, 1),
                     &names->lake);
}

bool point_names_stands(const struct terrane_world *world, const struct point *point)
{
    return !point->outside && point->height_m > (double)world->recipe->sea_m && !(point->water_m > 0);
}

/* The landmark of a kind that is nearest to a sample of a level, within so many samples of it: of equally near ones the first. */
static int find_nearest(const struct terrane_world *world, enum terrane_landmark_kind kind, int level,
                        int64_t gi, int64_t gj, int near, struct near_name *name)
{
    struct terrane_landmark *mark = malloc(TERRANE_LANDMARKS_MAX * sizeof *mark);
    int marks = 0, best = 0;
    if (!mark || terrane_landmarks_near(world, 1U << kind, level, gi, gj, near, NULL, mark, &marks) != 0) {
        free(mark);
        return -1;
    }
    int64_t least = INT64_MAX;
    for (int k = 0; k < marks; k++) {
        const int64_t x = mark[k].gi - gi, y = mark[k].gj - gj, away = x * x + y * y;
        best = away < least ? k : best;
        least = away < least ? away : least;
    }
    if (marks > 0) {
        terrane_landmark_name(world, &mark[best], name->name);
        snprintf(name->id, sizeof name->id, "%016" PRIx64, mark[best].id);
    }
    free(mark);
    return 0;
}

int point_names_find(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level)
{
    const int64_t gi = point->tile_x * TERRANE_TILE_SAMPLES + point->column + (point->east >= 0.5),
                  gj = point->tile_y * TERRANE_TILE_SAMPLES + point->row + (point->south >= 0.5);
    const int coarser = level < RANGE_LEVEL ? RANGE_LEVEL - level : 0;
    if (level > TERRANE_LANDMARK_TOP)
        return 0;
    if (find_nearest(world, TERRANE_LANDMARK_PEAK, level, gi, gj, PIECE_PEAK_NEAR, &names->peak) != 0)
        return -1;
    return find_nearest(world, TERRANE_LANDMARK_RANGE, level + coarser, gi >> coarser, gj >> coarser,
                        RANGE_NEAR, &names->range);
}

int point_names_tell(const struct point_names *names, json_t *object)
{
    const struct {
        const char *member;
        const struct near_name *name;
    } told[] = {
        {"river", &names->river}, {"lake", &names->lake}, {"peak", &names->peak}, {"range", &names->range}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
        if (*told[k].name->id && json_object_set_new(object, told[k].member,
                                                     json_pack("{s:s, s:s}", "id", told[k].name->id, "name",
                                                               told[k].name->name)) != 0)
            return -1;
    return 0;
}
