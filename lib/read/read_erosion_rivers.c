/*
 * Erosion, lakes, rivers and ice: the objects of those names, and each zone's "erosion".
 *
 * A zone's numbers start from the recipe's, so the recipe's are read first; erosion and lakes lean on rivers. What the library
 * would refuse is refused here by its place: ranges, a halo that is too wide, more ground moved than can be counted.
 */
#include <string.h>

#include "../recipe/bounds.h"
#include "../recipe/numbers.h"
#include "build.h"

enum { LEVELS_MAX = TERRANE_LEVEL_MAX + 1 };

/* What is counted level by level. The last of the usual ones goes on. */
static const struct count {
    const char *key;
    int min, max;
    uint8_t usual[5];
} phases_count = {"phases", 0, TERRANE_PHASES_MAX, {6, 6, 6, 6, 6}},
  steps_count = {"steps", 1, TERRANE_STEPS_MAX, {12, 12, 12, 12, 20}},
  slides_count = {"slides", 0, TERRANE_SLIDES_MAX, {2, 2, 2, 2, 2}},
  creep_count = {"creep", 0, TERRANE_SLIDES_MAX, {0, 0, 0, 0, 0}};

/* What the library can count in steps of 1/16 m: heights with what moves them, and what moves them. */
static const double heights_max_m = 0x1p25, moved_max_m = 0x1p22;

static const struct place at_erosion = {&build_root, "erosion", 0}, at_lakes = {&build_root, "lakes", 0},
                          at_rivers = {&build_root, "rivers", 0}, at_ice = {&build_root, "ice", 0};

/* ---- Erosion ------------------------------------------------------------------------------------------- */

/* One number for all levels, or a list: an item a level, the last one goes on. */
static int count_read(const struct reader *reader, const struct value *object, const struct count *count,
                      int levels, uint8_t out[LEVELS_MAX])
{
    const struct place place = {&at_erosion, count->key, 0};
    const struct value *value = value_get(object, count->key);
    const bool list = value_is(value, VALUE_ARRAY);
    if (list && value->count > (size_t)levels)
        return reader_refuse(reader, &place, "%zu items for %d level%s: allowed at most one a level",
                             (size_t)value->count, levels, levels == 1 ? "" : "s");
    if (list && value->count == 0)
        return reader_refuse(reader, &place, "has no items: allowed 1 to %d, one a level", levels);
    const int given = !value ? (int)sizeof count->usual : list ? (int)value->count : 1;
    for (int level = 0; level < levels; level++) {
        const struct place item = {&place, NULL, (size_t)level};
        int64_t v = 0;
        if (level >= given)
            v = out[level - 1];
        else if (!value)
            v = count->usual[level];
        else if (reader_whole(reader, list ? &item : &place, list ? value_item(value, item.index) : value,
                              count->min, count->max, &v) != 0)
            return -1;
        out[level] = (uint8_t)v;
    }
    return 0;
}

static int halos_check(const struct build *build)
{
    const struct terrane_erosion *erosion = &build->recipe.erosion;
    for (int level = 0; level < erosion->levels; level++) {
        const int halo = erosion_moves_reach(erosion, level);
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

static int zone_erosion_read(struct build *build, const struct place *zone, const struct value *value,
                             struct terrane_droplets *droplets)
{
    const struct place place = {zone, "erosion", 0};
    if (!value)
        return 0;
    if (!value_get(build->root, at_erosion.key))
        return reader_refuse(build->reader, &place,
                             "changes what is not there: the recipe has no \"erosion\" of its own");
    if (members_object(build->reader, &place, value, &droplets_members) != 0)
        return -1;
    return members_read(build->reader, &place, value, &droplets_members, droplets);
}

/* From the rivers' bottom on the eroded ground is the drained one, and below it erosion hands that on. */
static int levels_check(const struct build *build, int levels)
{
    const struct place place = {&at_erosion, "levels", 0};
    const struct terrane_rivers *rivers = &build->recipe.rivers;
    if (rivers->top == 0 || levels == rivers->bottom)
        return 0;
    return reader_refuse(build->reader, &place,
                         "%d is not bottom of the rivers, below which all levels are eroded: allowed %d",
                         levels, rivers->bottom);
}

static int recipe_erosion_read(struct build *build, const struct value *value)
{
    const struct reader *reader = build->reader;
    struct terrane_erosion read = {0};
    const struct members levels = {erosion_members.row, 1}; /* on which lists lean */
    members_default(&erosion_members, &read);
    if (build->recipe.rivers.top > 0)
        read.levels = build->recipe.rivers.bottom; /* the usual ones */
    if (members_object(reader, &at_erosion, value, &erosion_members) != 0 ||
        members_read(reader, &at_erosion, value, &levels, &read) != 0 ||
        levels_check(build, read.levels) != 0 ||
        count_read(reader, value, &phases_count, read.levels, read.phases) != 0 ||
        count_read(reader, value, &steps_count, read.levels, read.steps) != 0 ||
        count_read(reader, value, &slides_count, read.levels, read.slides) != 0 ||
        count_read(reader, value, &creep_count, read.levels, read.creep) != 0 ||
        members_read(reader, &at_erosion, value, &erosion_members, &read) != 0)
        return -1;
    for (int k = 1; k < build->recipe.partition.zones; k++)
        read.zone[k] = read.zone[0];
    build->recipe.erosion = read;
    return halos_check(build);
}

/* Drained ground that nothing else moves: levels without phases and slides. */
static void erosion_of_rivers(struct build *build)
{
    struct terrane_erosion *erosion = &build->recipe.erosion;
    members_default(&erosion_members, erosion);
    erosion->levels = build->recipe.rivers.bottom;
    memset(erosion->steps, 1, (size_t)erosion->levels);
    for (int k = 1; k < build->recipe.partition.zones; k++)
        erosion->zone[k] = erosion->zone[0];
}

static int erosion_read(struct build *build)
{
    static const struct place at_zones = {&build_root, "zones", 0};
    const struct value *value = value_get(build->root, at_erosion.key);
    if (value && recipe_erosion_read(build, value) != 0)
        return -1;
    if (!value && build->recipe.rivers.top > 0)
        erosion_of_rivers(build);
    for (size_t k = 0; build->zones && k < build->zones->count; k++) {
        const struct place zone = {&at_zones, NULL, k};
        const struct value *own = value_get(value_item(build->zones, k), "erosion");
        if (zone_erosion_read(build, &zone, own, &build->recipe.erosion.zone[k]) != 0)
            return -1;
    }
    return 0;
}

int build_erosion_refuse(const struct build *build)
{
    double low, high;
    terrane_height_bounds_m(&build->recipe, &low, &high);
    return reader_refuse(
        build->reader, &at_erosion,
        "moves ground by up to %.9g m where heights are %.9g to %.9g m: allowed at most %.9g m, and "
        "%.9g m with the heights; fewer levels, phases or slides or a lower limit move less",
        terrane_erosion_bound_m(&build->recipe), low, high, moved_max_m, heights_max_m);
}

/* ---- Lakes --------------------------------------------------------------------------------------------- */

static int lakes_read(struct build *build, const struct value *value)
{
    const struct place shallow = {&at_lakes, "shallow_m", 0};
    struct terrane_lakes read = {0};
    if (members_read_anew(build->reader, &at_lakes, value, &lakes_members, &read) != 0)
        return -1;
    if (read.share > 0 && build->recipe.rivers.top > 0)
        return reader_refuse(
            build->reader, &at_lakes,
            "is beside rivers, whose lakes are those of the drainage: allowed one of the two");
    if (read.shallow_m > read.depth_m && !value_get(value, shallow.key))
        read.shallow_m = read.depth_m; /* the usual one, where lakes are no deeper */
    if (read.shallow_m > read.depth_m)
        return reader_refuse(build->reader, &shallow, "%.9g is above depth_m, %.9g: no lake would be left",
                             (double)read.shallow_m, (double)read.depth_m);
    build->recipe.lakes = read;
    return 0;
}

/* ---- Rivers -------------------------------------------------------------------------------------------- */

/* Runoff that is a term; NULL: it is a number, given or usual. */
static const struct value *runoff_term(const struct value *rivers)
{
    const struct value *runoff = value_get(rivers, "runoff");
    return value_is_number(runoff) ? NULL : runoff;
}

static int rivers_read(struct build *build, const struct value *value)
{
    const struct place top = {&at_rivers, "top", 0};
    const struct members members = {rivers_members.row, rivers_members.count - (runoff_term(value) != NULL)};
    struct terrane_rivers read = {.runoff = -1};
    members_default(&rivers_members, &read);
    if (members_object(build->reader, &at_rivers, value, &rivers_members) != 0 ||
        members_read(build->reader, &at_rivers, value, &members, &read) != 0)
        return -1;
    if (!value_get(value, top.key))
        read.top += (read.top - read.bottom) % 2; /* the usual one, of bottom's parity */
    if (read.top <= read.bottom || (read.top - read.bottom) % 2 != 0)
        return reader_refuse(
            build->reader, &top,
            "%d is not 2, 4, 6 ... levels above bottom, %d: allowed every second one from %d to %d", read.top,
            read.bottom, read.bottom + 2, 16 - read.bottom % 2);
    build->recipe.rivers = read;
    return 0;
}

int build_runoff_term(struct build *build)
{
    const struct place place = {&at_rivers, "runoff", 0};
    const struct value *value = runoff_term(value_get(build->root, at_rivers.key));
    if (!value)
        return 0;
    build->recipe.rivers.runoff = build_term(build, &place, value);
    return build->recipe.rivers.runoff < 0 ? -1 : 0;
}

int build_sand_term(struct build *build)
{
    const struct place place = {&at_rivers, "sand", 0};
    const struct value *value = value_get(value_get(build->root, at_rivers.key), place.key);
    if (!value)
        return 0;
    const int term = build_term(build, &place, value);
    build->recipe.rivers.sand = term + 1;
    return term < 0 ? -1 : 0;
}

/* ---- Ice ----------------------------------------------------------------------------------------------- */

static int ice_read(struct build *build, const struct value *value)
{
    struct terrane_ice read = {0};
    if (members_read_anew(build->reader, &at_ice, value, &ice_members, &read) != 0)
        return -1;
    if (build->recipe.rivers.top == 0)
        return reader_refuse(build->reader, &at_ice,
                             "is without rivers, whose valleys it widens: allowed beside \"rivers\"");
    build->recipe.ice = read;
    return 0;
}

/* ---- All ----------------------------------------------------------------------------------------------- */

int build_erosion_read(struct build *build)
{
    const struct value *rivers = value_get(build->root, at_rivers.key),
                       *ice = value_get(build->root, at_ice.key),
                       *lakes = value_get(build->root, at_lakes.key);
    if ((rivers && rivers_read(build, rivers) != 0) || (ice && ice_read(build, ice) != 0) ||
        erosion_read(build) != 0)
        return -1;
    return lakes ? lakes_read(build, lakes) : 0;
}
