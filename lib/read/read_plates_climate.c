/*
 * Plates and climate: the objects of those names, and the terms that are quantities of theirs.
 */
#include "../base/min_max.h"
#include "../recipe/kinds.h"
#include "build.h"

static const struct place at_plates = {&build_root, "plates", 0}, at_climate = {&build_root, "climate", 0};

/* ---- Lengths and salts --------------------------------------------------------------------------------- */

int build_side_read(const struct build *build, const struct place *place, const struct value *object,
                    const char *key, int min, int max, int *log2)
{
    const struct place at = {place, key, 0};
    const struct value *value = value_get(object, key);
    const double spacing = build->recipe.spacing_m;
    double side_m;
    if (!value)
        return 0;
    if (reader_number(build->reader, &at, value, (double)(INT64_C(1) << min) * spacing,
                      (double)(INT64_C(1) << max) * spacing, &side_m) != 0)
        return -1;
    for (int k = min; k <= max; k++)
        if (side_m / spacing == (double)(INT64_C(1) << k)) {
            *log2 = k;
            return 0;
        }
    return reader_refuse(build->reader, &at, "%.9g is no power of two times spacing_m, %.9g", side_m,
                         spacing);
}

int build_salt_read(const struct build *build, const struct place *place, const struct value *object,
                    uint32_t *salt)
{
    const struct place at = {place, "salt", 0};
    const struct value *value = value_get(object, at.key);
    int64_t given;
    if (!value)
        return 0;
    if (reader_whole(build->reader, &at, value, 0, UINT32_MAX, &given) != 0)
        return -1;
    *salt = (uint32_t)given;
    return 0;
}

/* ---- Objects ------------------------------------------------------------------------------------------- */

static int plates_read(struct build *build, const struct value *value)
{
    struct terrane_plates *plates = &build->recipe.plates;
    members_default(&plates_members, plates);
    plates->cell_log2 = 20;
    plates->salt = (uint32_t)terrane_seed_from_name("plates", 6);
    return members_object(build->reader, &at_plates, value, &plates_members) != 0 ||
                   members_read(build->reader, &at_plates, value, &plates_members, plates) != 0 ||
                   build_side_read(build, &at_plates, value, "cell_m", 9, 34, &plates->cell_log2) != 0
               ? -1
               : build_salt_read(build, &at_plates, value, &plates->salt);
}

/* A period of 0 says that there are no bands. */
static int period_read(const struct build *build, const struct value *value, struct terrane_climate *climate)
{
    const struct value *period = value_get(value, "period_m");
    if ((value_is(period, VALUE_INTEGER) && period->integer == 0) ||
        (value_is(period, VALUE_REAL) && period->real == 0)) {
        climate->period_log2 = 0;
        return 0;
    }
    climate->period_log2 = max_int(climate->period_log2, climate->cell_log2 + 6);
    return build_side_read(build, &at_climate, value, "period_m", climate->cell_log2 + 6,
                           TERRANE_CELL_LOG2_MAX, &climate->period_log2);
}

static int climate_read(struct build *build, const struct value *value)
{
    struct terrane_climate *climate = &build->recipe.climate;
    const struct place ground = {&at_climate, "ground", 0}, cold = {&at_climate, "cold_c", 0};
    members_default(&weather_members, climate);
    climate->cell_log2 = 15;
    climate->period_log2 = 24;
    climate->salt = (uint32_t)terrane_seed_from_name("climate", 7);
    if (members_object(build->reader, &at_climate, value, &weather_members) != 0 ||
        members_read(build->reader, &at_climate, value, &weather_members, climate) != 0 ||
        build_side_read(build, &at_climate, value, "cell_m", 4, 22, &climate->cell_log2) != 0 ||
        period_read(build, value, climate) != 0 ||
        build_salt_read(build, &at_climate, value, &climate->salt) != 0)
        return -1;
    if (climate->cold_c > climate->warm_c)
        return reader_refuse(build->reader, &cold, "%.9g is above warm_c, %.9g", (double)climate->cold_c,
                             (double)climate->warm_c);
    return value_get(value, "ground") ? 0
                                      : reader_refuse(build->reader, &ground,
                                                      "is missing: the term of the heights that winds climb");
}

int build_plates_climate_read(struct build *build)
{
    const struct value *plates = value_get(build->root, at_plates.key),
                       *climate = value_get(build->root, at_climate.key);
    if (plates && plates_read(build, plates) != 0)
        return -1;
    return climate ? climate_read(build, climate) : 0;
}

/* ---- Terms --------------------------------------------------------------------------------------------- */

/* The quantity that an object names, of what the recipe must have. */
static int quantity_read(const struct build *build, const struct place *place, const struct value *value,
                         const struct members *members, const struct place *has, const char *const *words,
                         size_t count, int *of)
{
    const struct place here = {place, has->key, 0};
    if (members_object(build->reader, place, value, members) != 0)
        return -1;
    if (!value_get(build->root, has->key))
        return reader_refuse(build->reader, &here, "asks what is not there: the recipe has no \"%s\"",
                             has->key);
    return reader_word(build->reader, &here, value_get(value, has->key), words, count, of);
}

int build_plates(struct build *build, const struct place *place, const struct value *value)
{
    struct terrane_term made = {.op = TERRANE_OP_PLATES};
    if (quantity_read(build, place, value, &term_plates_members, &at_plates, plates_names, TERRANE_PLATES_OFS,
                      &made.of) != 0)
        return -1;
    return build_append(build, place, value, &made);
}

int build_climate_ground(struct build *build)
{
    const struct place place = {&at_climate, "ground", 0};
    const struct value *climate = value_get(build->root, at_climate.key);
    if (!climate)
        return 0;
    build->recipe.climate.ground = build_term(build, &place, value_get(climate, place.key));
    return build->recipe.climate.ground < 0 ? -1 : 0;
}

/* Its ground is made before it; one that rests on the climate rests on itself. */
int build_climate(struct build *build, const struct place *place, const struct value *value)
{
    struct terrane_term made = {.op = TERRANE_OP_CLIMATE, .inputs = 1};
    if (quantity_read(build, place, value, &term_climate_members, &at_climate, climate_names,
                      TERRANE_CLIMATE_OFS, &made.of) != 0 ||
        build_climate_ground(build) != 0)
        return -1;
    made.in[0] = build->recipe.climate.ground;
    return build_append(build, place, value, &made);
}

int build_coarse(struct build *build, const struct place *place, const struct value *value)
{
    struct terrane_term made = {.op = TERRANE_OP_COARSE, .of = 14, .inputs = 1};
    const struct place coarse = {place, "coarse", 0};
    if (members_object(build->reader, place, value, &term_coarse_members) != 0 ||
        build_side_read(build, place, value, "cell_m", 4, 22, &made.of) != 0 ||
        (made.in[0] = build_term(build, &coarse, value_get(value, coarse.key))) < 0)
        return -1;
    return build_append(build, place, value, &made);
}
