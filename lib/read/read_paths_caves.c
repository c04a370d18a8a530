/*
 * Paths and caves: the objects of those names. They lean on spacing_m, lakes and rivers.
 *
 * What the library would refuse is refused here by its place: cells that are too narrow for what they hold, levels too far above
 * the lakes' or the rivers', a roof that paths cut through.
 */
#include "build.h"

static const struct place at_paths = {&build_root, "paths", 0}, at_towns = {&at_paths, "towns", 0},
                          at_caves = {&build_root, "caves", 0};

/* ---- Paths --------------------------------------------------------------------------------------------- */

enum { REACHES = 32 /* a cell of paths is so many of them wide */ };

/* Neither paths nor caves may be decided by a level that shows no lakes, or no rivers as lines. */
static int level_check(const struct build *build, const struct place *object, int level)
{
    const struct place place = {object, "level", 0};
    const struct terrane_lakes *lakes = &build->recipe.lakes;
    const struct terrane_rivers *rivers = &build->recipe.rivers;
    const int max = lakes->level + TERRANE_LAKES_COARSER;
    if (rivers->top > 0 && level >= rivers->bottom)
        return reader_refuse(build->reader, &place,
                             "%d is not below bottom of the rivers, %d: allowed at most %d", level,
                             rivers->bottom, rivers->bottom - 1);
    if (lakes->share == 0 || level <= max)
        return 0;
    return reader_refuse(build->reader, &place,
                         "%d is more than one above the level of the lakes, %d: allowed at most %d", level,
                         lakes->level, max);
}

static int paths_check(const struct build *build, const struct terrane_paths *paths)
{
    const struct place width = {&at_paths, "width_m", 0}, cell = {&at_paths, "cell", 0};
    const double spacing_m = build->recipe.spacing_m, width_m = (double)paths->width_m;
    const double reach_m = width_m / 2 + (double)paths->border_m;
    const double cell_m = spacing_m * (double)(INT64_C(1) << (paths->level + paths->cell_log2));
    if (paths->width_m < (float)(2 * spacing_m))
        return reader_refuse(build->reader, &width, "%.9g is under two samples: allowed at least %.9g",
                             width_m, 2 * spacing_m);
    if (cell_m < REACHES * reach_m)
        return reader_refuse(build->reader, &cell,
                             "%d samples of level %d are %.9g m: allowed at least %.9g m, %d times half of "
                             "width_m and border_m",
                             1 << paths->cell_log2, paths->level, cell_m, REACHES * reach_m, REACHES);
    return level_check(build, &at_paths, paths->level);
}

static int towns_read(const struct build *build, const struct value *value, struct terrane_paths *paths)
{
    const struct place lane = {&at_towns, "lane_m", 0};
    const double min = 2 * build->recipe.spacing_m, max = (double)paths->width_m;
    if (members_read_anew(build->reader, &at_towns, value, &towns_members, &paths->towns) != 0)
        return -1;
    const double lane_m = (double)paths->towns.lane_m;
    if (paths->towns.lane_m >= (float)min && lane_m <= max)
        return 0;
    return reader_refuse(
        build->reader, &lane,
        "%.9g is not between two samples and width_m of the trunk roads: allowed %.9g to %.9g", lane_m, min,
        max);
}

static int paths_read(struct build *build, const struct value *value)
{
    struct terrane_paths read = {.colour = {176, 154, 116}};
    const struct value *towns;
    if (members_read_anew(build->reader, &at_paths, value, &paths_members, &read) != 0 ||
        paths_check(build, &read) != 0)
        return -1;
    towns = value_get(value, "towns");
    if (towns && towns_read(build, towns, &read) != 0)
        return -1;
    build->recipe.paths = read;
    return 0;
}

/* ---- Caves --------------------------------------------------------------------------------------------- */

static int caves_check(const struct build *build, const struct terrane_caves *caves)
{
    const struct place roof = {&at_caves, "roof_m", 0};
    const float cut_m = build->recipe.paths.depth_m; /* 0 without paths */
    if (caves->roof_m < cut_m)
        return reader_refuse(build->reader, &roof,
                             "%.9g is under depth_m of the paths, which cut as deep: allowed at least %.9g",
                             (double)caves->roof_m, (double)cut_m);
    return level_check(build, &at_caves, caves->level);
}

static int caves_read(struct build *build, const struct value *value)
{
    struct terrane_caves read = {0};
    if (members_read_anew(build->reader, &at_caves, value, &caves_members, &read) != 0 ||
        caves_check(build, &read) != 0)
        return -1;
    build->recipe.caves = read;
    return 0;
}

/* ---- Both ---------------------------------------------------------------------------------------------- */

int build_paths_caves_read(struct build *build)
{
    const struct value *paths = value_get(build->root, at_paths.key),
                       *caves = value_get(build->root, at_caves.key);
    if (paths && paths_read(build, paths) != 0)
        return -1;
    return caves ? caves_read(build, caves) : 0;
}
