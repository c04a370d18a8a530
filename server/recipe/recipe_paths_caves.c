/*
 * Paths and caves: the objects "paths" and "caves".
 *
 * They are read after spacing_m and lakes, on which they lean. What the library would refuse is refused here by its
 * place: ranges, cells that are too narrow for what they hold, levels too far above the lakes', a roof that paths cut through.
 */
#include "recipe_build.h"

static const struct terrane_paths usual_paths = {.width_m = 6,
                                                 .level = 4,
                                                 .cell_log2 = 6,
                                                 .slope = 0.25f,
                                                 .border_m = 12,
                                                 .depth_m = 12,
                                                 .colour = {176, 154, 116}};

static const struct terrane_caves usual_caves = {.share = 0.5f,
                                                 .level = 2,
                                                 .cell_log2 = 7,
                                                 .radius = 40,
                                                 .high_m = 150,
                                                 .roof_m = 12,
                                                 .height_m = 14,
                                                 .room = 80,
                                                 .slope = 0.6f};

enum { REACHES = 32 /* a cell of paths is so many of them wide */ };

static const struct place at_paths = {&build_root, "paths", 0}, at_caves = {&build_root, "caves", 0};

/* Neither paths nor caves may be decided by a level that shows no lakes. */
static int level_check(const struct build *build, const struct place *object, int level)
{
    const struct place place = {object, "level", 0};
    const struct terrane_lakes *lakes = &build->recipe.lakes;
    const int most = lakes->level + TERRANE_LAKES_COARSER;
    if (lakes->share == 0 || level <= most)
        return 0;
    return reader_refuse(build->reader, &place,
                         "%d is more than one above the level of the lakes, %d: allowed at most %d", level,
                         lakes->level, most);
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static int paths_check(const struct build *build, const struct terrane_paths *paths)
{
    const struct place width = {&at_paths, "width_m", 0}, cell = {&at_paths, "cell", 0};
    const double spacing_m = build->recipe.spacing_m, width_m = (double)paths->width_m;
    const double reach_m = width_m / 2 + (double)paths->border_m;
    const double cell_m = spacing_m * (double)(INT64_C(1) << (paths->level + paths->cell_log2));
    if (width_m < 2 * spacing_m)
        return reader_refuse(build->reader, &width, "%.9g is under two samples: allowed at least %.9g",
                             width_m, 2 * spacing_m);
    if (cell_m < REACHES * reach_m)
        return reader_refuse(build->reader, &cell,
                             "%d samples of level %d are %.9g m: allowed at least %.9g m, %d times half of "
                             "width_m and border_m",
                             1 << paths->cell_log2, paths->level, cell_m, REACHES * reach_m, REACHES);
    return level_check(build, &at_paths, paths->level);
}

static int paths_read(struct build *build, json_t *value)
{
    static const char *const words[] = {"level",   "cell",   "slope", "width_m", "border_m",
                                        "depth_m", "colour", "note",  NULL};
    const struct reader *reader = build->reader;
    const struct place colour = {&at_paths, "colour", 0};
    struct terrane_paths read = usual_paths;
    if (reader_object(reader, &at_paths, value, words) != 0 ||
        build_whole_read(reader, &at_paths, value, "level", 0, TERRANE_LEVEL_MAX, &read.level) != 0 ||
        build_cell_read(reader, &at_paths, value, 4, 7, &read.cell_log2) != 0 ||
        reader_member_float(reader, &at_paths, value, "slope", 0x1p-6, 1, &read.slope) != 0 ||
        reader_member_float(reader, &at_paths, value, "width_m", 0x1p-6, 1024, &read.width_m) != 0 ||
        reader_member_float(reader, &at_paths, value, "border_m", 0, 1024, &read.border_m) != 0 ||
        reader_member_float(reader, &at_paths, value, "depth_m", 0, 1024, &read.depth_m) != 0)
        return -1;
    const json_t *given = json_object_get(value, "colour");
    if ((given && reader_colour(reader, &colour, given, read.colour) != 0) || paths_check(build, &read) != 0)
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

static int caves_read(struct build *build, json_t *value)
{
    static const char *const words[] = {"share",    "level", "cell",  "radius", "high_m", "roof_m",
                                        "height_m", "room",  "slope", "note",   NULL};
    const struct reader *reader = build->reader;
    struct terrane_caves read = usual_caves;
    if (reader_object(reader, &at_caves, value, words) != 0 ||
        reader_member_float(reader, &at_caves, value, "share", 0, 1, &read.share) != 0 ||
        build_whole_read(reader, &at_caves, value, "level", 0, TERRANE_LEVEL_MAX, &read.level) != 0 ||
        build_cell_read(reader, &at_caves, value, 4, 8, &read.cell_log2) != 0 ||
        build_whole_read(reader, &at_caves, value, "radius", 8, TERRANE_CAVE_RADIUS_MAX, &read.radius) != 0 ||
        reader_member_float(reader, &at_caves, value, "high_m", -32768, 32768, &read.high_m) != 0 ||
        reader_member_float(reader, &at_caves, value, "roof_m", 1, 1024, &read.roof_m) != 0 ||
        reader_member_float(reader, &at_caves, value, "height_m", 2, 1024, &read.height_m) != 0 ||
        reader_member_float(reader, &at_caves, value, "room", 4, 4096, &read.room) != 0 ||
        reader_member_float(reader, &at_caves, value, "slope", 0x1p-6, 4, &read.slope) != 0 ||
        caves_check(build, &read) != 0)
        return -1;
    build->recipe.caves = read;
    return 0;
}

int build_paths_read(struct build *build, json_t *root)
{
    json_t *paths = json_object_get(root, "paths"), *caves = json_object_get(root, "caves");
    if (paths && paths_read(build, paths) != 0)
        return -1;
    return caves ? caves_read(build, caves) : 0;
}
