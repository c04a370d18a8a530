/*
 * Zones and the partition that lays them out.
 *
 * What they say by themselves (names, colours, thresholds, tables) is read at once; their terms are made when the
 * partition's turn comes and when a term first asks for "zones". The zones' surfaces rest on the partition and not
 * the other way round: while the partition's terms are made, "zones" is open, so that one of them that asks for it
 * is refused as a cycle.
 */
#include <stdio.h>
#include <string.h>

#include "recipe_build.h"

const char *const build_partition_name[TERRANE_PARTITION_KINDS] = {
    [TERRANE_PARTITION_NOISE] = "noise",
    [TERRANE_PARTITION_VORONOI] = "voronoi",
    [TERRANE_PARTITION_CLIMATE] = "climate",
};

static const struct place at_zones = {&build_root, "zones", 0}, at_partition = {&build_root, "partition", 0};

/* ---- Zones --------------------------------------------------------------------------------------------- */

int build_gradient(const struct build *build, const struct place *place, const json_t *value,
                   struct terrane_gradient *gradient)
{
    const struct reader *reader = build->reader;
    if (!value)
        return 0;
    if (reader_array(reader, place, value, 0, TERRANE_STOPS_MAX, "colour stops") != 0)
        return -1;
    gradient->stops = (int)json_array_size(value);
    for (int k = 0; k < gradient->stops; k++) {
        const struct place stop = {place, NULL, (size_t)k}, at = {&stop, NULL, 0}, colour = {&stop, NULL, 1};
        const json_t *pair = json_array_get(value, stop.index);
        if (reader_array(reader, &stop, pair, 2, 2, "items, metres and a colour") != 0 ||
            reader_float(reader, &at, json_array_get(pair, 0), -32768, 32768, &gradient->stop[k].at_m) != 0 ||
            reader_colour(reader, &colour, json_array_get(pair, 1), gradient->stop[k].colour) != 0)
            return -1;
        if (k > 0 && !((double)gradient->stop[k].at_m - (double)gradient->stop[k - 1].at_m >= 0x1p-10))
            return reader_refuse(reader, &at, "%.7g is not above the stop before, %.7g, by 1/1024 or more",
                                 (double)gradient->stop[k].at_m, (double)gradient->stop[k - 1].at_m);
    }
    return 0;
}

static int zone_name_read(struct build *build, const struct place *place, const json_t *value, int index)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _-";
    struct terrane_zone *zone = &build->recipe.partition.zone[index];
    const struct place at = {place, "name", 0};
    const json_t *name = json_object_get(value, "name");
    if (!name)
        return reader_refuse(build->reader, &at, "is missing");
    if (reader_text(build->reader, &at, name, zone->name, sizeof zone->name) != 0)
        return -1;
    if (strspn(zone->name, first) == 0 || zone->name[strspn(zone->name, more)] != '\0')
        return reader_refuse(build->reader, &at,
                             "is no name of a zone: allowed [A-Za-z][A-Za-z0-9 _-]{0,22}");
    for (int i = 0; i < index; i++)
        if (strcmp(build->recipe.partition.zone[i].name, zone->name) == 0)
            return reader_refuse(build->reader, &at, "zone %d is called \"%s\" already", i, zone->name);
    return 0;
}

static int zone_read(struct build *build, const struct place *place, json_t *value, int index)
{
    static const char *const words[] = {"name",   "colour", "surface", "amplitude", "offset_m", "share",
                                        "ground", "steep",  "erosion", "note",      NULL};
    const struct reader *reader = build->reader;
    struct terrane_zone *zone = &build->recipe.partition.zone[index];
    const struct place colour = {place, "colour", 0}, ground = {place, "ground", 0},
                       steep = {place, "steep", 0};
    *zone = (struct terrane_zone){.term = -1, .amplitude = 1, .share = 1};
    if (reader_object(reader, place, value, words) != 0 || zone_name_read(build, place, value, index) != 0)
        return -1;
    if (!json_object_get(value, "colour"))
        return reader_refuse(reader, &colour, "is missing");
    if (reader_colour(reader, &colour, json_object_get(value, "colour"), zone->colour) != 0 ||
        reader_member_float(reader, place, value, "amplitude", -64, 64, &zone->amplitude) != 0 ||
        reader_member_float(reader, place, value, "offset_m", -32768, 32768, &zone->offset_m) != 0 ||
        reader_member_float(reader, place, value, "share", 0, 1024, &zone->share) != 0 ||
        build_gradient(build, &ground, json_object_get(value, "ground"), &zone->ground) != 0)
        return -1;
    return build_gradient(build, &steep, json_object_get(value, "steep"), &zone->steep);
}

static int zones_read(struct build *build)
{
    struct terrane_partition *partition = &build->recipe.partition;
    if (!build->zones) {
        partition->zones = 1;
        partition->zone[0] = (struct terrane_zone){
            .name = "land", .term = -1, .amplitude = 1, .share = 1, .colour = {160, 170, 120}};
        return 0;
    }
    if (reader_array(build->reader, &at_zones, build->zones, 1, TERRANE_ZONES_MAX, "zones") != 0)
        return -1;
    partition->zones = (int)json_array_size(build->zones);
    for (int k = 0; k < partition->zones; k++) {
        const struct place zone = {&at_zones, NULL, (size_t)k};
        if (zone_read(build, &zone, json_array_get(build->zones, zone.index), k) != 0)
            return -1;
    }
    return 0;
}

/* ---- The partition, but for its terms ------------------------------------------------------------------- */

static int noise_read(struct build *build)
{
    static const char *const words[] = {"noise", "thresholds", "blend", "note", NULL};
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place thresholds = {&at_partition, "thresholds", 0};
    const json_t *value = json_object_get(build->partition, "thresholds");
    const size_t count = (size_t)partition->zones - 1;
    partition->blend = 0.125f;
    if (reader_keys(reader, &at_partition, build->partition, words) != 0 ||
        reader_member_float(reader, &at_partition, build->partition, "blend", 0x1p-10, 0x1p20,
                            &partition->blend) != 0)
        return -1;
    if (!value && count > 0)
        return reader_refuse(reader, &thresholds, "is missing: one number less than there are zones");
    if (value && reader_array(reader, &thresholds, value, count, count, "numbers, one less than zones") != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        const struct place item = {&thresholds, NULL, k};
        float *threshold = partition->threshold;
        if (reader_float(reader, &item, json_array_get(value, k), -0x1p20, 0x1p20, &threshold[k]) != 0)
            return -1;
        if (k > 0 && !((double)threshold[k] - (double)threshold[k - 1] >= (double)partition->blend))
            return reader_refuse(reader, &item,
                                 "%.7g is not above the threshold before, %.7g, by blend, %.7g, or more",
                                 (double)threshold[k], (double)threshold[k - 1], (double)partition->blend);
    }
    return 0;
}

/* The base-2 logarithm of a number of samples that is a power of two; -1: it is none. */
static int log2_of(double samples)
{
    for (int k = 0; k <= TERRANE_CELL_LOG2_MAX; k++)
        if (samples == (double)(INT64_C(1) << k))
            return k;
    return -1;
}

static int voronoi_read(struct build *build)
{
    static const char *const outer[] = {"voronoi", "blend", "note", NULL};
    static const char *const inner[] = {"cell_m", "jitter", "lloyd", "salt", "note", NULL};
    const struct reader *reader = build->reader;
    const double spacing = build->recipe.spacing_m;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place place = {&at_partition, "voronoi", 0};
    const struct place cell = {&place, "cell_m", 0}, lloyd = {&place, "lloyd", 0}, salt = {&place, "salt", 0};
    json_t *value = json_object_get(build->partition, "voronoi");
    double cell_m = 4096 * spacing;
    int64_t rounds = 1, given_salt = (uint32_t)terrane_seed_from_name("partition", 9);
    partition->blend = 0.125f;
    partition->jitter = 1;
    if (reader_keys(reader, &at_partition, build->partition, outer) != 0 ||
        reader_member_float(reader, &at_partition, build->partition, "blend", 0x1p-6, 0.5,
                            &partition->blend) != 0 ||
        reader_object(reader, &place, value, inner) != 0 ||
        reader_member_number(reader, &place, value, "cell_m", 64 * spacing, 0x1p40 * spacing, &cell_m) != 0 ||
        reader_member_float(reader, &place, value, "jitter", 0, 1, &partition->jitter) != 0)
        return -1;
    if (json_object_get(value, "lloyd") &&
        reader_whole(reader, &lloyd, json_object_get(value, "lloyd"), 0, 4, &rounds) != 0)
        return -1;
    if (json_object_get(value, "salt") &&
        reader_whole(reader, &salt, json_object_get(value, "salt"), 0, UINT32_MAX, &given_salt) != 0)
        return -1;
    partition->cell_log2 = log2_of(cell_m / spacing);
    partition->rounds = (int)rounds;
    partition->salt = (uint32_t)given_salt;
    if (partition->cell_log2 < 0)
        return reader_refuse(reader, &cell, "%.9g is no power of two times spacing_m, %.9g", cell_m, spacing);
    float shares = 0;
    for (int k = 0; k < partition->zones; k++)
        shares += partition->zone[k].share;
    return shares > 0 ? 0 : reader_refuse(reader, &at_zones, "no zone has a share above 0");
}

static int table_row_read(struct build *build, const struct place *place, const json_t *value)
{
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const char *names[TERRANE_ZONES_MAX];
    const size_t columns = (size_t)partition->table_columns;
    if (reader_array(reader, place, value, columns, columns, "zones' names, as many as in the first row") !=
        0)
        return -1;
    for (int k = 0; k < partition->zones; k++)
        names[k] = partition->zone[k].name;
    for (size_t column = 0; column < columns; column++) {
        const struct place entry = {place, NULL, column};
        const json_t *name = json_array_get(value, column);
        int zone = 0;
        if (!json_is_string(name))
            return reader_refuse(reader, &entry, "is not the name of a zone");
        while (zone < partition->zones && strcmp(names[zone], json_string_value(name)) != 0)
            zone++;
        if (zone == partition->zones)
            return reader_unknown(reader, &entry, "zone", json_string_value(name), names, (size_t)zone);
        partition->table[place->index * columns + column] = (uint8_t)zone;
    }
    return 0;
}

static int table_read(struct build *build, const struct place *climate, const json_t *value)
{
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place table = {climate, "table", 0}, first = {&table, NULL, 0};
    if (!value)
        return reader_refuse(reader, &table,
                             "is missing: rows from cold to hot of zones' names from dry to wet");
    if (reader_array(reader, &table, value, 1, TERRANE_TABLE_MAX, "rows") != 0 ||
        reader_array(reader, &first, json_array_get(value, 0), 1, TERRANE_TABLE_MAX, "zones' names") != 0)
        return -1;
    partition->table_rows = (int)json_array_size(value);
    partition->table_columns = (int)json_array_size(json_array_get(value, 0));
    for (size_t row = 0; row < json_array_size(value); row++) {
        const struct place place = {&table, NULL, row};
        if (table_row_read(build, &place, json_array_get(value, row)) != 0)
            return -1;
    }
    return 0;
}

/* Two numbers of which the second is above the first. */
static int span_read(const struct reader *reader, const struct place *place, const json_t *value,
                     const char *low_key, const char *high_key, float *low, float *high)
{
    const struct place at = {place, high_key, 0};
    *low = -1;
    *high = 1;
    if (reader_member_float(reader, place, value, low_key, -32768, 32768, low) != 0 ||
        reader_member_float(reader, place, value, high_key, -32768, 32768, high) != 0)
        return -1;
    if (!((double)*high - (double)*low >= 0x1p-10))
        return reader_refuse(reader, &at, "%.7g is not above %s, %.7g, by 1/1024 or more", (double)*high,
                             low_key, (double)*low);
    return 0;
}

static int climate_read(struct build *build)
{
    static const char *const outer[] = {"climate", "blend", "note", NULL};
    static const char *const inner[] = {"temperature", "moisture", "cold", "hot", "dry",
                                        "wet",         "table",    "note", NULL};
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place place = {&at_partition, "climate", 0};
    json_t *value = json_object_get(build->partition, "climate");
    partition->blend = 0.25f;
    if (reader_keys(reader, &at_partition, build->partition, outer) != 0 ||
        reader_member_float(reader, &at_partition, build->partition, "blend", 0x1p-10, 1,
                            &partition->blend) != 0 ||
        reader_object(reader, &place, value, inner) != 0 ||
        span_read(reader, &place, value, "cold", "hot", &partition->cold, &partition->hot) != 0 ||
        span_read(reader, &place, value, "dry", "wet", &partition->dry, &partition->wet) != 0)
        return -1;
    return table_read(build, &place, json_object_get(value, "table"));
}

static int partition_read(struct build *build)
{
    static int (*const read[TERRANE_PARTITION_KINDS])(struct build *) = {
        [TERRANE_PARTITION_NOISE] = noise_read,
        [TERRANE_PARTITION_VORONOI] = voronoi_read,
        [TERRANE_PARTITION_CLIMATE] = climate_read,
    };
    if (!build->partition && build->recipe.partition.zones > 1)
        return reader_refuse(build->reader, &at_partition, "is missing: %d zones need one",
                             build->recipe.partition.zones);
    if (!build->partition)
        return 0;
    if (!json_is_object(build->partition))
        return reader_refuse(build->reader, &at_partition, "is not an object");
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++)
        if (json_object_get(build->partition, build_partition_name[kind])) {
            build->recipe.partition.kind = (enum terrane_partition_kind)kind;
            return read[kind](build);
        }
    return reader_refuse(build->reader, &at_partition, "has none of noise, voronoi, climate");
}

int build_zones_read(struct build *build)
{
    return zones_read(build) != 0 ? -1 : partition_read(build);
}

/* ---- Terms --------------------------------------------------------------------------------------------- */

static int term_of(struct build *build, const struct place *up, const char *key, const json_t *object,
                   int *index)
{
    const struct place place = {up, key, 0};
    json_t *value = json_object_get(object, key);
    if (!value)
        return reader_refuse(build->reader, &place, "is missing: a term");
    *index = build_term(build, &place, value);
    return *index < 0 ? -1 : 0;
}

/* Makes whatever terms the partition names. */
static int partition_terms(struct build *build)
{
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place climate = {&at_partition, "climate", 0};
    const json_t *value = json_object_get(build->partition, "climate");
    switch (partition->kind) {
    case TERRANE_PARTITION_NOISE:
        return term_of(build, &at_partition, "noise", build->partition, &partition->by);
    case TERRANE_PARTITION_CLIMATE:
        if (term_of(build, &climate, "temperature", value, &partition->temperature) != 0)
            return -1;
        return term_of(build, &climate, "moisture", value, &partition->moisture);
    default:
        return 0;
    }
}

int build_partition_terms(struct build *build)
{
    if (!build->partition)
        return 0;
    if (build_enter(build, &at_partition, build->zones, "zones") != 0)
        return -1;
    const int result = partition_terms(build);
    build_leave(build);
    return result;
}

/* The surface of each zone, in their order. */
static int surfaces(struct build *build)
{
    struct terrane_partition *partition = &build->recipe.partition;
    for (int k = 0; k < (build->zones ? partition->zones : 0); k++) {
        const struct place zone = {&at_zones, NULL, (size_t)k}, surface = {&zone, "surface", 0};
        json_t *value = json_object_get(json_array_get(build->zones, zone.index), "surface");
        if (value && (partition->zone[k].term = build_term(build, &surface, value)) < 0)
            return -1;
    }
    return 0;
}

int build_zones_term(struct build *build, const struct place *place)
{
    const struct terrane_term made = {.op = TERRANE_OP_ZONES};
    if (build->zones_term >= 0)
        return build->zones_term;
    if (!build->zones)
        return reader_refuse(build->reader, place, "asks for the zones, and there are none");
    if (build_enter(build, place, build->zones, "zones") != 0)
        return -1;
    int result = surfaces(build);
    if (result == 0 && build->recipe.partition.zones > 1)
        result = partition_terms(build);
    build_leave(build);
    if (result == 0)
        build->zones_term = build_append(build, &at_zones, build->zones, &made);
    return result == 0 ? build->zones_term : -1;
}
