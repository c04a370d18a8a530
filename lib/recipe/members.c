/*
 * The rows. config/schema/world.schema.json and config/worlds/README.md document them; tests/config/test_worlds.py
 * compares the schema with the program, number by number.
 */
#include <stddef.h>

#include "../terrane.h"
#include "member.h"

static const struct member recipe_rows[] = {
    KEY("$schema"),
    KEY("name"),
    KEY("description"),
    KEY("note"),
    ROW("generator", WHOLE, PLACE(terrane_recipe, generator), TERRANE_GENERATOR_OLDEST,
        TERRANE_GENERATOR_VERSION, TERRANE_GENERATOR_VERSION),
    ROW("spacing_m", DOUBLE, PLACE(terrane_recipe, spacing_m), 0x1p-10, 0x1p20, 1),
    KEY("range_m"),
    ROW("sea_m", FLOAT, PLACE(terrane_recipe, sea_m), -32768, 32768, 0),
    KEY("terms"),
    KEY("height"),
    KEY("partition"),
    KEY("zones"),
    KEY("relief"),
    KEY("alias_octaves"),
    KEY("plates"),
    KEY("climate"),
    KEY("erosion"),
    KEY("lakes"),
    KEY("rivers"),
    KEY("ice"),
    KEY("paths"),
    KEY("caves"),
    KEY("cover"),
    KEY("objects"),
};
const struct members recipe_members = MEMBERS(recipe_rows);

static const struct member relief_rows[] = {KEY("water"), KEY("steep"), KEY("note")};
const struct members relief_members = MEMBERS(relief_rows);

/* ---- Plates and climate -------------------------------------------------------------------------------- */

static const struct member plates_rows[] = {
    KEY("cell_m"),
    ROW("land", FLOAT, PLACE(terrane_plates, land), 0, 1, 0.4),
    ROW("jitter", FLOAT, PLACE(terrane_plates, jitter), 0, 1, 1),
    ROW("lloyd", WHOLE, PLACE(terrane_plates, rounds), 0, 4, 1),
    ROW("warp", FLOAT, PLACE(terrane_plates, warp), 0, 0.5, 0.2),
    ROW("blend", FLOAT, PLACE(terrane_plates, blend), 0x1p-4, 0.5, 0.25),
    ROW("reach", FLOAT, PLACE(terrane_plates, reach), 0x1p-4, 0.875, 0.5),
    KEY("salt"),
    KEY("note"),
};
const struct members plates_members = MEMBERS(plates_rows);

static const struct member weather_rows[] = {
    KEY("ground"),
    KEY("cell_m"),
    KEY("period_m"),
    ROW("warm_c", FLOAT, PLACE(terrane_climate, warm_c), -100, 100, 28),
    ROW("cold_c", FLOAT, PLACE(terrane_climate, cold_c), -100, 100, -18),
    ROW("lapse", FLOAT, PLACE(terrane_climate, lapse), 0, 0.1, 0.0065),
    ROW("rain_mm", FLOAT, PLACE(terrane_climate, rain_mm), 0, 16384, 1100),
    ROW("swing", FLOAT, PLACE(terrane_climate, swing), 0, 4, 0.5),
    ROW("shadow", FLOAT, PLACE(terrane_climate, shadow), 0, 0.1, 0.01),
    KEY("salt"),
    KEY("note"),
};
const struct members weather_members = MEMBERS(weather_rows);

/* ---- Zones --------------------------------------------------------------------------------------------- */

static const struct member zone_rows[] = {
    KEY("name"),
    ROW("colour", COLOUR, PLACE(terrane_zone, colour), 0, 0, 0),
    KEY("surface"),
    {"amplitude", MEMBER_FLOAT, PLACE(terrane_zone, amplitude), ZONE_SURFACE, -64, 64, 1, false},
    ROW("offset_m", FLOAT, PLACE(terrane_zone, offset_m), -32768, 32768, 0),
    {"share", MEMBER_FLOAT, PLACE(terrane_zone, share), ZONE_DRAWN, 0, 1024, 1, false},
    KEY("ground"),
    KEY("steep"),
    KEY("erosion"),
    KEY("note"),
};
const struct members zone_members = MEMBERS(zone_rows);

#define BLEND(low, high, usual) ROW("blend", FLOAT, PLACE(terrane_partition, blend), low, high, usual)

static const struct member bands_rows[] = {KEY("noise"), KEY("thresholds"), BLEND(0x1p-10, 0x1p20, 0.125),
                                           KEY("note")};
const struct members bands_members = MEMBERS(bands_rows);

static const struct member sites_rows[] = {KEY("voronoi"), BLEND(0x1p-6, 0.5, 0.125), KEY("note")};
const struct members sites_members = MEMBERS(sites_rows);

static const struct member voronoi_rows[] = {
    KEY("cell_m"),
    ROW("jitter", FLOAT, PLACE(terrane_partition, jitter), 0, 1, 1),
    ROW("lloyd", WHOLE, PLACE(terrane_partition, rounds), 0, 4, 1),
    KEY("salt"),
    KEY("note"),
};
const struct members voronoi_members = MEMBERS(voronoi_rows);

static const struct member table_rows[] = {KEY("climate"), BLEND(0x1p-10, 1, 0.25), KEY("note")};
const struct members table_members = MEMBERS(table_rows);

static const struct member climate_rows[] = {
    KEY("temperature"),
    KEY("moisture"),
    ROW("cold", FLOAT, PLACE(terrane_partition, cold), -32768, 32768, -1),
    ROW("hot", FLOAT, PLACE(terrane_partition, hot), -32768, 32768, 1),
    ROW("dry", FLOAT, PLACE(terrane_partition, dry), -32768, 32768, -1),
    ROW("wet", FLOAT, PLACE(terrane_partition, wet), -32768, 32768, 1),
    KEY("table"),
    KEY("note"),
};
const struct members climate_members = MEMBERS(climate_rows);

/* ---- Erosion, lakes, rivers, paths, caves -------------------------------------------------------------- */

#define DROPLET(key, member, of, trait, low, high, usual)                                         \
    {                                                                                             \
        key, MEMBER_FLOAT, (of) + PLACE(terrane_droplets, member), trait, low, high, usual, false \
    }
#define DROPLETS(X, of, trait)                                                                               \
    X("density", density, of, trait, 0, 1, 0.05),                                                            \
        X("lifetime", lifetime, of, trait, 0, TERRANE_STEPS_MAX, 30),                                        \
        X("inertia", inertia, of, trait, 0, 0.99, 0.05), X("capacity", capacity, of, trait, 0, 64, 4),       \
        X("min_capacity", min_capacity, of, trait, 0, 1, 0.01), X("erosion", erosion, of, trait, 0, 1, 0.3), \
        X("deposition", deposition, of, trait, 0, 1, 0.3),                                                   \
        X("evaporation", evaporation, of, trait, 0, 1, 0.01), X("gravity", gravity, of, trait, 0, 64, 0.02), \
        X("speed", speed, of, trait, 0, 16, 1), X("water", water, of, trait, 0, 16, 1),                      \
        X("talus_degrees", talus_deg, of, trait, 1, 89, 38)

static const struct member droplets_rows[] = {DROPLETS(DROPLET, 0, 0), KEY("note")};
const struct members droplets_members = MEMBERS(droplets_rows);
_Static_assert(sizeof droplets_rows / sizeof *droplets_rows == TERRANE_DROPLET_NUMBERS + 1,
               "a row a number, and a note");

#define DROPLET_NAME(key, ...) key
const char *const terrane_droplet_name[TERRANE_DROPLET_NUMBERS] = {DROPLETS(DROPLET_NAME, 0, 0)};

/* Includes the droplets of all zones without their own. */
static const struct member erosion_rows[] = {
    ROW("levels", WHOLE, PLACE(terrane_erosion, levels), 1, TERRANE_LEVEL_MAX + 1, 10),
    KEY("phases"),
    KEY("steps"),
    KEY("slides"),
    KEY("creep"),
    ROW("limit", FLOAT, PLACE(terrane_erosion, limit), 0x1p-10, 1, 0.25),
    DROPLETS(DROPLET, PLACE(terrane_erosion, zone), EROSION_DROPLETS),
    KEY("note"),
};
const struct members erosion_members = MEMBERS(erosion_rows);

static const struct member lakes_rows[] = {
    ROW("level", WHOLE, PLACE(terrane_lakes, level), 0, TERRANE_LEVEL_MAX, 4),
    ROW("cell", CELL, PLACE(terrane_lakes, cell_log2), 3, 8, 7),
    ROW("share", FLOAT, PLACE(terrane_lakes, share), 0, 1, 0.5),
    ROW("radius", WHOLE, PLACE(terrane_lakes, radius), 4, TERRANE_LAKE_RADIUS_MAX, 64),
    ROW("depth_m", FLOAT, PLACE(terrane_lakes, depth_m), 0, 32768, 120),
    ROW("shallow_m", FLOAT, PLACE(terrane_lakes, shallow_m), 0, 32768, 1),
    KEY("note"),
};
const struct members lakes_members = MEMBERS(lakes_rows);

/* Runoff is read by hand if it is a term, so it is the last row. */
static const struct member rivers_rows[] = {
    ROW("top", WHOLE, PLACE(terrane_rivers, top), 6, 16, 13),
    ROW("bottom", WHOLE, PLACE(terrane_rivers, bottom), 4, 12, 5),
    ROW("steepness", FLOAT, PLACE(terrane_rivers, steepness), 0x1p-4, 1024, 12),
    ROW("rise", FLOAT, PLACE(terrane_rivers, rise), 0, 1, 0.08),
    ROW("concavity", FLOAT, PLACE(terrane_rivers, concavity), 0.2, 0.8, 0.45),
    ROW("cut_m", FLOAT, PLACE(terrane_rivers, cut_m), 0, 32768, 200),
    ROW("fill", FLOAT, PLACE(terrane_rivers, fill), 0, 1, 0.1),
    ROW("shallow_m", FLOAT, PLACE(terrane_rivers, shallow_m), 0.125, 64, 1),
    ROW("sources_ha", FLOAT, PLACE(terrane_rivers, sources_ha), 0.25, 65536, 16),
    ROW("inland_km", FLOAT, PLACE(terrane_rivers, inland_km), 16, 4096, 600),
    ROW("width", FLOAT, PLACE(terrane_rivers, width), 0, 64, 6),
    ROW("depth", FLOAT, PLACE(terrane_rivers, depth), 0, 16, 0.35),
    KEY("note"),
    KEY("sand"),
    LATE("shown", FLOAT, PLACE(terrane_rivers, shown), 0x1p-4, 256, 1),
    LATE("flats", FLOAT, PLACE(terrane_rivers, flats), 0, 0x1p-4, 0),
    LATE("rounding", WHOLE, PLACE(terrane_rivers, rounding), 0, 4, 0),
    {"runoff", MEMBER_FLOAT, PLACE(terrane_rivers, runoff_mm), RIVERS_EVEN, 0, 16384, 400, false},
};
const struct members rivers_members = MEMBERS(rivers_rows);

static const struct member ice_rows[] = {
    ROW("width_m", FLOAT, PLACE(terrane_ice, width_m), 1, 8192, 250),
    ROW("from_m", FLOAT, PLACE(terrane_ice, from_m), -32768, 32768, 500),
    ROW("full_m", FLOAT, PLACE(terrane_ice, full_m), -32768, 32768, 1500),
    KEY("note"),
};
const struct members ice_members = MEMBERS(ice_rows);

static const struct member paths_rows[] = {
    ROW("level", WHOLE, PLACE(terrane_paths, level), 0, TERRANE_LEVEL_MAX, 4),
    ROW("cell", CELL, PLACE(terrane_paths, cell_log2), 4, 7, 6),
    ROW("slope", FLOAT, PLACE(terrane_paths, slope), 0x1p-6, 1, 0.25),
    ROW("width_m", FLOAT, PLACE(terrane_paths, width_m), 0x1p-6, 1024, 6),
    ROW("border_m", FLOAT, PLACE(terrane_paths, border_m), 0, 1024, 12),
    ROW("depth_m", FLOAT, PLACE(terrane_paths, depth_m), 0, 1024, 12),
    ROW("colour", COLOUR, PLACE(terrane_paths, colour), 0, 0, 0),
    KEY("towns"),
    KEY("note"),
};
const struct members paths_members = MEMBERS(paths_rows);

static const struct member towns_rows[] = {
    ROW("block", CELL, PLACE(terrane_towns, block_log2), 2, 3, 3),
    ROW("lane_m", FLOAT, PLACE(terrane_towns, lane_m), 0x1p-6, 1024, 4),
    KEY("note"),
};
const struct members towns_members = MEMBERS(towns_rows);

static const struct member caves_rows[] = {
    ROW("share", FLOAT, PLACE(terrane_caves, share), 0, 1, 0.5),
    ROW("level", WHOLE, PLACE(terrane_caves, level), 0, TERRANE_LEVEL_MAX, 2),
    ROW("cell", CELL, PLACE(terrane_caves, cell_log2), 4, 8, 7),
    ROW("radius", WHOLE, PLACE(terrane_caves, radius), 8, TERRANE_CAVE_RADIUS_MAX, 40),
    ROW("high_m", FLOAT, PLACE(terrane_caves, high_m), -32768, 32768, 150),
    ROW("roof_m", FLOAT, PLACE(terrane_caves, roof_m), 1, 1024, 12),
    ROW("height_m", FLOAT, PLACE(terrane_caves, height_m), 2, 1024, 14),
    ROW("room", FLOAT, PLACE(terrane_caves, room), 4, 4096, 80),
    ROW("slope", FLOAT, PLACE(terrane_caves, slope), 0x1p-6, 4, 0.6),
    KEY("note"),
};
const struct members caves_members = MEMBERS(caves_rows);

/* ---- Cover --------------------------------------------------------------------------------------------- */

static const struct member cover_rows[] = {KEY("materials"), KEY("note")};
const struct members cover_members = MEMBERS(cover_rows);

static const struct member material_rows[] = {
    KEY("name"),
    ROW("colour", COLOUR, PLACE(terrane_material, colour), 0, 0, 0),
    ROW("share", FLOAT, PLACE(terrane_material, share), 0, 1, 1),
    KEY("where"),
    KEY("texture"),
    KEY("note"),
};
const struct members material_members = MEMBERS(material_rows);

static const struct member texture_rows[] = {
    KEY("kind"),
    KEY("size_m"),
    ROW("strength", FLOAT, PLACE(terrane_texture, strength), 0, 0.5, 0.25),
    {"wind", MEMBER_FLOAT, PLACE(terrane_texture, wind), TEXTURE_WIND, 0, 360, 270, false},
    KEY("note"),
};
const struct members texture_members = MEMBERS(texture_rows);

/* ---- Objects ------------------------------------------------------------------------------------------- */

static const struct member objects_rows[] = {KEY("classes"), KEY("note")};
const struct members objects_members = MEMBERS(objects_rows);

static const struct member class_rows[] = {
    KEY("name"),     KEY("model"),
    KEY("radius_m"), KEY("on"),
    KEY("where"),    ROW("slope", FLOAT, PLACE(terrane_class, slope), 0, 64, 0.7),
    KEY("scale"),    ROW("level", WHOLE, PLACE(terrane_class, level), 0, TERRANE_OBJECTS_LEVEL, 2),
    KEY("note"),
};
const struct members class_members = MEMBERS(class_rows);
