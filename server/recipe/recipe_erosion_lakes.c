/*
 * Erosion and lakes: the objects "erosion", "lakes" and each zone's "erosion".
 *
 * A zone's numbers start from the recipe's, so the recipe's are read first. What the library would refuse is refused
 * here by its place: ranges, a halo that is too wide, more ground moved than can be counted.
 */
#include <stdio.h>
#include <string.h>

#include "recipe_build.h"

/* ---- Keys, ranges and defaults ------------------------------------------------------------------------- */

enum { LEVELS_MOST = TERRANE_LEVEL_MAX + 1, NUMBERS = TERRANE_DROPLET_NUMBERS };

/* The members of struct terrane_droplets, in their order. */
static const struct {
    const char *key;
    double least, most;
    float usual;
} number_of[] = {
    {"density", 0, 1, 0.05f},      {"lifetime", 0, TERRANE_STEPS_MAX, 30},
    {"inertia", 0, 0.99, 0.05f},   {"capacity", 0, 64, 4},
    {"min_capacity", 0, 1, 0.01f}, {"erosion", 0, 1, 0.3f},
    {"deposition", 0, 1, 0.3f},    {"evaporation", 0, 1, 0.01f},
    {"gravity", 0, 64, 0.02f},     {"speed", 0, 16, 1},
    {"water", 0, 16, 1},           {"talus_degrees", 1, 89, 38},
};
_Static_assert(sizeof number_of / sizeof *number_of == NUMBERS, "a range for each number");

const char *recipe_droplet_name(int number)
{
    return number_of[number].key;
}

/* What is counted level by level. The last of the usual ones goes on. */
static const struct count {
    const char *key;
    int least, most;
    uint8_t usual[5];
} phases_count = {"phases", 0, TERRANE_PHASES_MAX, {6, 6, 6, 6, 6}},
  steps_count = {"steps", 1, TERRANE_STEPS_MAX, {12, 12, 12, 12, 20}},
  slides_count = {"slides", 0, TERRANE_SLIDES_MAX, {2, 2, 2, 2, 2}};

static const struct terrane_erosion usual_erosion = {.levels = 10, .limit = 0.25f};

static const struct terrane_lakes usual_lakes = {
    .share = 0.5f, .level = 4, .cell_log2 = 7, .radius = 64, .depth_m = 120, .shallow_m = 1};

/* What the library can count in steps of 1/16 m: heights with what moves them, and what moves them. */
static const double heights_most_m = 0x1p25, moved_most_m = 0x1p22;

static const struct place at_erosion = {&build_root, "erosion", 0}, at_lakes = {&build_root, "lakes", 0};

/* ---- Erosion ------------------------------------------------------------------------------------------- */

int build_whole_read(const struct reader *reader, const struct place *place, const json_t *object,
                     const char *key, int low, int high, int *out)
{
    const struct place here = {place, key, 0};
    const json_t *value = json_object_get(object, key);
    int64_t v;
    if (!value)
        return 0;
    if (reader_whole(reader, &here, value, low, high, &v) != 0)
        return -1;
    *out = (int)v;
    return 0;
}

/* One number for all levels, or a list: an item a level, the last one goes on. */
static int count_read(const struct reader *reader, const json_t *object, const struct count *count,
                      int levels, uint8_t out[LEVELS_MOST])
{
    const struct place place = {&at_erosion, count->key, 0};
    const json_t *value = json_object_get(object, count->key);
    const bool list = json_is_array(value);
    if (list && json_array_size(value) > (size_t)levels)
        return reader_refuse(reader, &place, "%zu items for %d level%s: allowed at most one a level",
                             json_array_size(value), levels, levels == 1 ? "" : "s");
    if (list && json_array_size(value) == 0)
        return reader_refuse(reader, &place, "has no items: allowed 1 to %d, one a level", levels);
    const int given = list ? (int)json_array_size(value) : value ? 1 : (int)sizeof count->usual;
    for (int level = 0; level < levels; level++) {
        const struct place item = {&place, NULL, (size_t)level};
        int64_t v = 0;
        if (level >= given)
            v = out[level - 1];
        else if (!value)
            v = count->usual[level];
        else if (reader_whole(reader, list ? &item : &place, list ? json_array_get(value, item.index) : value,
                              count->least, count->most, &v) != 0)
            return -1;
        out[level] = (uint8_t)v;
    }
    return 0;
}

/* Replaces the numbers that are given. */
static int droplets_read(const struct reader *reader, const struct place *place, const json_t *object,
                         struct terrane_droplets *droplets)
{
    float number[NUMBERS];
    memcpy(number, droplets, sizeof number);
    for (int k = 0; k < NUMBERS; k++)
        if (reader_member_float(reader, place, object, number_of[k].key, number_of[k].least,
                                number_of[k].most, &number[k]) != 0)
            return -1;
    memcpy(droplets, number, sizeof number);
    return 0;
}

static int halos_check(const struct build *build)
{
    const struct terrane_erosion *erosion = &build->recipe.erosion;
    for (int level = 0; level < erosion->levels; level++) {
        const int halo = terrane_erosion_halo(&build->recipe, level);
        if (halo > TERRANE_HALO_MAX)
            return reader_refuse(
                build->reader, &at_erosion,
                "at level %d, %d phases of %d + 2 steps and %d slides read %d samples around: "
                "allowed at most %d",
                level, erosion->phases[level], erosion->steps[level], erosion->slides[level], halo,
                TERRANE_HALO_MAX);
    }
    return 0;
}

static int zone_erosion_read(struct build *build, const struct place *zone, json_t *value,
                             struct terrane_droplets *droplets)
{
    static const char *const words[] = {"density", "lifetime",      "inertia",     "capacity", "min_capacity",
                                        "erosion", "deposition",    "evaporation", "gravity",  "speed",
                                        "water",   "talus_degrees", "note",        NULL};
    const struct place place = {zone, "erosion", 0};
    if (!value)
        return 0;
    if (build->recipe.erosion.levels == 0)
        return reader_refuse(build->reader, &place,
                             "changes what is not there: the recipe has no \"erosion\" of its own");
    if (reader_object(build->reader, &place, value, words) != 0)
        return -1;
    return droplets_read(build->reader, &place, value, droplets);
}

static int recipe_erosion_read(struct build *build, json_t *value)
{
    static const char *const words[] = {"levels",  "phases",        "steps",       "slides",   "limit",
                                        "density", "lifetime",      "inertia",     "capacity", "min_capacity",
                                        "erosion", "deposition",    "evaporation", "gravity",  "speed",
                                        "water",   "talus_degrees", "note",        NULL};
    const struct reader *reader = build->reader;
    struct terrane_erosion *erosion = &build->recipe.erosion;
    struct terrane_erosion read = usual_erosion;
    float usual[NUMBERS] = {0};
    for (int k = 0; k < NUMBERS; k++)
        usual[k] = number_of[k].usual;
    memcpy(&read.zone[0], usual, sizeof usual);
    if (reader_object(reader, &at_erosion, value, words) != 0 ||
        build_whole_read(reader, &at_erosion, value, "levels", 1, LEVELS_MOST, &read.levels) != 0 ||
        count_read(reader, value, &phases_count, read.levels, read.phases) != 0 ||
        count_read(reader, value, &steps_count, read.levels, read.steps) != 0 ||
        count_read(reader, value, &slides_count, read.levels, read.slides) != 0 ||
        reader_member_float(reader, &at_erosion, value, "limit", 0x1p-10, 1, &read.limit) != 0 ||
        droplets_read(reader, &at_erosion, value, &read.zone[0]) != 0)
        return -1;
    for (int k = 1; k < build->recipe.partition.zones; k++)
        read.zone[k] = read.zone[0];
    *erosion = read;
    return halos_check(build);
}

/* ---- Lakes --------------------------------------------------------------------------------------------- */

int build_cell_read(const struct reader *reader, const struct place *object_place, const json_t *object,
                    int least, int most, int *log2)
{
    const struct place place = {object_place, "cell", 0};
    char sides[64] = "";
    int cell = 1 << *log2, log = least;
    if (build_whole_read(reader, object_place, object, "cell", 1 << least, 1 << most, &cell) != 0)
        return -1;
    while (log < most && 1 << log < cell)
        log++;
    if (1 << log == cell) {
        *log2 = log;
        return 0;
    }
    for (int k = least; k <= most; k++) {
        const size_t n = strlen(sides);
        snprintf(sides + n, sizeof sides - n, "%s%d", k > least ? ", " : "", 1 << k);
    }
    return reader_refuse(reader, &place, "%d is not one of %s", cell, sides);
}

static int lakes_read(struct build *build, json_t *value)
{
    static const char *const words[] = {"level",   "cell",      "share", "radius",
                                        "depth_m", "shallow_m", "note",  NULL};
    const struct reader *reader = build->reader;
    const struct place shallow = {&at_lakes, "shallow_m", 0};
    struct terrane_lakes read = usual_lakes;
    if (!value)
        return 0;
    if (reader_object(reader, &at_lakes, value, words) != 0 ||
        build_whole_read(reader, &at_lakes, value, "level", 0, TERRANE_LEVEL_MAX, &read.level) != 0 ||
        build_cell_read(reader, &at_lakes, value, 3, 8, &read.cell_log2) != 0 ||
        reader_member_float(reader, &at_lakes, value, "share", 0, 1, &read.share) != 0 ||
        build_whole_read(reader, &at_lakes, value, "radius", 4, TERRANE_LAKE_RADIUS_MAX, &read.radius) != 0 ||
        reader_member_float(reader, &at_lakes, value, "depth_m", 0, 32768, &read.depth_m) != 0)
        return -1;
    if (read.shallow_m > read.depth_m)
        read.shallow_m = read.depth_m; /* the usual one, where lakes are no deeper */
    if (reader_member_float(reader, &at_lakes, value, "shallow_m", 0, 32768, &read.shallow_m) != 0)
        return -1;
    if (read.shallow_m > read.depth_m)
        return reader_refuse(reader, &shallow, "%.9g is above depth_m, %.9g: no lake would be left",
                             (double)read.shallow_m, (double)read.depth_m);
    build->recipe.lakes = read;
    return 0;
}

/* ---- Both ---------------------------------------------------------------------------------------------- */

int build_erosion_read(struct build *build, json_t *root)
{
    static const struct place at_zones = {&build_root, "zones", 0};
    json_t *value = json_object_get(root, "erosion");
    if (value && recipe_erosion_read(build, value) != 0)
        return -1;
    for (size_t k = 0; k < json_array_size(build->zones); k++) {
        const struct place zone = {&at_zones, NULL, k};
        json_t *own = json_object_get(json_array_get(build->zones, k), "erosion");
        if (zone_erosion_read(build, &zone, own, &build->recipe.erosion.zone[k]) != 0)
            return -1;
    }
    return lakes_read(build, json_object_get(root, "lakes"));
}

int build_erosion_refuse(const struct build *build)
{
    double low, high;
    terrane_height_bounds_m(&build->recipe, &low, &high);
    return reader_refuse(
        build->reader, &at_erosion,
        "moves ground by up to %.9g m where heights are %.9g to %.9g m: allowed at most %.9g m, and "
        "%.9g m with the heights; fewer levels, phases or slides or a lower limit move less",
        terrane_erosion_bound_m(&build->recipe), low, high, moved_most_m, heights_most_m);
}
