/*
 * Zones and the partition that lays them out.
 *
 * What they say by themselves (names, colours, thresholds, tables) is read at once; their terms are made when the
 * partition's turn comes and when a term first asks for "zones". The zones' surfaces rest on the partition and not
 * the other way round: while the partition's terms are made, "zones" is open, so that one of them that asks for it
 * is refused as a cycle.
 */
#include "build.h"

#include <string.h>

#include "../recipe/kinds.h"

static const struct place at_zones = {&build_root, "zones", 0}, at_partition = {&build_root, "partition", 0};

/* ---- Zones --------------------------------------------------------------------------------------------- */

int build_gradient(const struct build *build, const struct place *place, const struct value *value,
                   struct terrane_gradient *gradient)
{
    const struct reader *reader = build->reader;
    if (!value)
        return 0;
    if (reader_array(reader, place, value, 0, TERRANE_STOPS_MAX, "colour stops") != 0)
        return -1;
    gradient->stops = (int)value->count;
    for (int k = 0; k < gradient->stops; k++) {
        const struct place stop = {place, NULL, (size_t)k}, at = {&stop, NULL, 0}, colour = {&stop, NULL, 1};
        const struct value *pair = value_item(value, stop.index);
        if (reader_array(reader, &stop, pair, 2, 2, "items, metres and a colour") != 0 ||
            reader_float(reader, &at, value_item(pair, 0), -32768, 32768, &gradient->stop[k].at_m) != 0 ||
            reader_colour(reader, &colour, value_item(pair, 1), gradient->stop[k].colour) != 0)
            return -1;
        if (k > 0 && !((double)gradient->stop[k].at_m - (double)gradient->stop[k - 1].at_m >= 0x1p-10))
            return reader_refuse(reader, &at, "%.7g is not above the stop before, %.7g, by 1/1024 or more",
                                 (double)gradient->stop[k].at_m, (double)gradient->stop[k - 1].at_m);
    }
    return 0;
}

int build_title(const struct reader *reader, const struct place *place, const struct value *object,
                const char *what, char name[24])
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _-";
    const struct place at = {place, "name", 0};
    const struct value *value = value_get(object, at.key);
    if (!value)
        return reader_refuse(reader, &at, "is missing");
    if (reader_text(reader, &at, value, name, sizeof((struct terrane_zone *)0)->name) != 0)
        return -1;
    return reader_is_name(name, first, more)
               ? 0
               : reader_refuse(reader, &at, "is no name of %s: allowed [A-Za-z][A-Za-z0-9 _-]{0,22}", what);
}

static int zone_name_read(struct build *build, const struct place *place, const struct value *value,
                          int index)
{
    struct terrane_zone *zone = &build->recipe.partition.zone[index];
    const struct place at = {place, "name", 0};
    if (build_title(build->reader, place, value, "a zone", zone->name) != 0)
        return -1;
    for (int i = 0; i < index; i++)
        if (strcmp(build->recipe.partition.zone[i].name, zone->name) == 0)
            return reader_refuse(build->reader, &at, "zone %d is called \"%s\" already", i, zone->name);
    return 0;
}

static int zone_read(struct build *build, const struct place *place, const struct value *value, int index)
{
    const struct reader *reader = build->reader;
    struct terrane_zone *zone = &build->recipe.partition.zone[index];
    const struct place colour = {place, "colour", 0}, ground = {place, "ground", 0},
                       steep = {place, "steep", 0};
    *zone = (struct terrane_zone){.term = -1};
    members_default(&zone_members, zone);
    if (members_object(reader, place, value, &zone_members) != 0 ||
        zone_name_read(build, place, value, index) != 0)
        return -1;
    if (!value_get(value, "colour"))
        return reader_refuse(reader, &colour, "is missing");
    if (members_read(reader, place, value, &zone_members, zone) != 0 ||
        build_gradient(build, &ground, value_get(value, "ground"), &zone->ground) != 0)
        return -1;
    return build_gradient(build, &steep, value_get(value, "steep"), &zone->steep);
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
    partition->zones = (int)build->zones->count;
    for (int k = 0; k < partition->zones; k++) {
        const struct place zone = {&at_zones, NULL, (size_t)k};
        if (zone_read(build, &zone, value_item(build->zones, zone.index), k) != 0)
            return -1;
    }
    return 0;
}

/* ---- The partition, but for its terms ------------------------------------------------------------------- */

/* The object's keys and its blend. */
static int partition_members(struct build *build, const struct members *members)
{
    return members_read_anew(build->reader, &at_partition, build->partition, members,
                             &build->recipe.partition);
}

static int noise_read(struct build *build)
{
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place thresholds = {&at_partition, "thresholds", 0};
    const struct value *value = value_get(build->partition, "thresholds");
    const size_t count = (size_t)partition->zones - 1;
    if (partition_members(build, &bands_members) != 0)
        return -1;
    if (!value && count > 0)
        return reader_refuse(reader, &thresholds, "is missing: one number less than there are zones");
    if (value && reader_array(reader, &thresholds, value, count, count, "numbers, one less than zones") != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        const struct place item = {&thresholds, NULL, k};
        float *threshold = partition->threshold;
        if (reader_float(reader, &item, value_item(value, k), -0x1p20, 0x1p20, &threshold[k]) != 0)
            return -1;
        if (k > 0 && !((double)threshold[k] - (double)threshold[k - 1] >= (double)partition->blend))
            return reader_refuse(reader, &item,
                                 "%.7g is not above the threshold before, %.7g, by blend, %.7g, or more",
                                 (double)threshold[k], (double)threshold[k - 1], (double)partition->blend);
    }
    return 0;
}

static int voronoi_read(struct build *build)
{
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place place = {&at_partition, "voronoi", 0};
    const struct value *value = value_get(build->partition, "voronoi");
    members_default(&voronoi_members, partition);
    partition->cell_log2 = 12;
    partition->salt = (uint32_t)terrane_seed_from_name("partition", 9);
    if (partition_members(build, &sites_members) != 0 ||
        members_object(reader, &place, value, &voronoi_members) != 0 ||
        members_read(reader, &place, value, &voronoi_members, partition) != 0 ||
        build_side_read(build, &place, value, "cell_m", 6, TERRANE_CELL_LOG2_MAX, &partition->cell_log2) !=
            0 ||
        build_salt_read(build, &place, value, &partition->salt) != 0)
        return -1;
    float shares = 0;
    for (int k = 0; k < partition->zones; k++)
        shares += partition->zone[k].share;
    return shares > 0 ? 0 : reader_refuse(reader, &at_zones, "no zone has a share above 0");
}

static int table_row_read(struct build *build, const struct place *place, const struct value *value)
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
        const struct value *name = value_item(value, column);
        int zone = 0;
        if (!value_is(name, VALUE_STRING))
            return reader_refuse(reader, &entry, "is not the name of a zone");
        while (zone < partition->zones && strcmp(names[zone], name->string) != 0)
            zone++;
        if (zone == partition->zones)
            return reader_unknown(reader, &entry, "zone", name->string, names, (size_t)zone);
        partition->table[place->index * columns + column] = (uint8_t)zone;
    }
    return 0;
}

static int table_read(struct build *build, const struct place *climate, const struct value *value)
{
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place table = {climate, "table", 0}, first = {&table, NULL, 0};
    if (!value)
        return reader_refuse(reader, &table,
                             "is missing: rows from cold to hot of zones' names from dry to wet");
    if (reader_array(reader, &table, value, 1, TERRANE_TABLE_MAX, "rows") != 0 ||
        reader_array(reader, &first, value_item(value, 0), 1, TERRANE_TABLE_MAX, "zones' names") != 0)
        return -1;
    partition->table_rows = (int)value->count;
    partition->table_columns = (int)value_item(value, 0)->count;
    for (size_t row = 0; row < value->count; row++) {
        const struct place place = {&table, NULL, row};
        if (table_row_read(build, &place, value_item(value, row)) != 0)
            return -1;
    }
    return 0;
}

/* Two numbers of which the second is above the first. */
static int span_check(const struct reader *reader, const struct place *place, const char *low_key,
                      const char *high_key, float low, float high)
{
    const struct place at = {place, high_key, 0};
    if (!((double)high - (double)low >= 0x1p-10))
        return reader_refuse(reader, &at, "%.7g is not above %s, %.7g, by 1/1024 or more", (double)high,
                             low_key, (double)low);
    return 0;
}

static int climate_read(struct build *build)
{
    const struct reader *reader = build->reader;
    struct terrane_partition *partition = &build->recipe.partition;
    const struct place place = {&at_partition, "climate", 0};
    const struct value *value = value_get(build->partition, "climate");
    members_default(&climate_members, partition);
    if (partition_members(build, &table_members) != 0 ||
        members_object(reader, &place, value, &climate_members) != 0 ||
        members_read(reader, &place, value, &climate_members, partition) != 0 ||
        span_check(reader, &place, "cold", "hot", partition->cold, partition->hot) != 0 ||
        span_check(reader, &place, "dry", "wet", partition->dry, partition->wet) != 0)
        return -1;
    return table_read(build, &place, value_get(value, "table"));
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
    if (!value_is(build->partition, VALUE_OBJECT))
        return reader_refuse(build->reader, &at_partition, "is not an object");
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++)
        if (value_get(build->partition, partition_names[kind])) {
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

static int term_of(struct build *build, const struct place *up, const char *key, const struct value *object,
                   int *index)
{
    const struct place place = {up, key, 0};
    const struct value *value = value_get(object, key);
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
    const struct value *value = value_get(build->partition, "climate");
    switch (partition->kind) {
    case TERRANE_PARTITION_NOISE:
        return term_of(build, &at_partition, "noise", build->partition, &partition->by);
    case TERRANE_PARTITION_CLIMATE:
        if (term_of(build, &climate, "temperature", value, &partition->temperature) != 0)
            return -1;
        return term_of(build, &climate, "moisture", value, &partition->moisture);
    case TERRANE_PARTITION_VORONOI:
    case TERRANE_PARTITION_KINDS:
        break;
    }
    return 0;
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
        const struct value *value = value_get(value_item(build->zones, zone.index), "surface");
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
