/*
 * Validation of recipes.
 *
 * Everything that is read later is checked here once, so nothing else in the library checks a recipe again:
 * every number is finite and in the range that terrane.h states, every index is of an earlier term, so terms
 * can be computed in order, and no term can leave binary32. Members that do not count are ignored.
 */
#include "bounds.h"
#include "kinds.h"
#include "member.h"
#include "raster.h"
#include "recipe.h"

static const double number_max = 0x1p20; /* for numbers without their own range, either sign */
static const double height_max = 32768;
static const double min_step = 0x1p-10; /* between knots, stops, and the ends of ranges */

/* ---- Checks -------------------------------------------------------------------------------------------- */

static bool about_zero(float v, double max)
{
    return within((double)v, -max, max);
}

static bool is_term(int index, int end)
{
    return index >= 0 && index < end;
}

/* Differences in binary64: of binary32 numbers up to 2^20, right to 2^-32. */
static bool rises(float from, float to, double min)
{
    return (double)to - (double)from >= min;
}

static int midpoint_check(const struct terrane_fractal *fractal)
{
    int halvings = 0;
    while (halvings < TERRANE_CELL_LOG2_MAX && (double)(INT64_C(1) << halvings) < fractal->cell)
        halvings++;
    if ((double)(INT64_C(1) << halvings) != fractal->cell)
        return TERRANE_ECELL;
    if (fractal->lacunarity != 2)
        return TERRANE_EAMPLITUDE;
    if (fractal->octaves > halvings)
        return TERRANE_EOCTAVES;
    return fractal->kind == TERRANE_MIDPOINT_SMOOTHED && fractal->offset < 0 ? TERRANE_EAMPLITUDE : 0;
}

static int octaves_check(const struct terrane_fractal *fractal, int alias_octaves)
{
    double cell = fractal->cell;
    if (!within(fractal->lacunarity, 1.25, 8))
        return TERRANE_EAMPLITUDE;
    for (int i = 1; i < fractal->octaves; i++)
        cell /= fractal->lacunarity;
    if (cell < (alias_octaves ? 1 : 2))
        return TERRANE_ECELL;
    for (int i = 0; i < fractal->octaves; i++)
        if (fractal->base[i] >= TERRANE_BASES)
            return TERRANE_EBASE;
    return 0;
}

/* Without a length, the displacement and its terms do not count. */
static int displacement_check(const struct terrane_fractal *fractal, int index)
{
    if (fractal->warp_m == 0)
        return 0;
    for (int axis = 0; axis < 2; axis++)
        if (fractal->warp_term[axis] < -1 || fractal->warp_term[axis] >= index)
            return TERRANE_ETERM;
    if (fractal_is_displaced(fractal) && !about_zero(fractal->warp_m, 0x1p20))
        return TERRANE_EAMPLITUDE;
    return 0;
}

static int fractal_check(const struct terrane_fractal *fractal, int index, int alias_octaves)
{
    int error;
    if ((unsigned)fractal->kind >= TERRANE_FRACTAL_KINDS)
        return TERRANE_EBASE;
    if (fractal->octaves < 1 || fractal->octaves > TERRANE_OCTAVES_MAX)
        return TERRANE_EOCTAVES;
    if (!within(fractal->cell, 1, (double)(INT64_C(1) << TERRANE_CELL_LOG2_MAX)))
        return TERRANE_ECELL;
    const bool midpoint = fractal_is_midpoint(fractal);
    if ((error = midpoint ? midpoint_check(fractal) : octaves_check(fractal, alias_octaves)) != 0)
        return error;
    if (!members_within(&fractal_members, fractal_traits(fractal), fractal) || fractal_is_faint(fractal))
        return TERRANE_EAMPLITUDE;
    return midpoint ? 0 : displacement_check(fractal, index);
}

static int inputs_check(const struct op_row *row, const struct terrane_term *term, int index)
{
    if (row->most == 0)
        return 0;
    if (term->inputs < row->fewest || term->inputs > row->most)
        return TERRANE_ETERM;
    for (int k = 0; k < term->inputs; k++)
        if (!is_term(term->in[k], index))
            return TERRANE_ETERM;
    return 0;
}

static int factors_check(const struct terrane_term *term)
{
    for (int k = 0; k < term->inputs; k++)
        if (!about_zero(term->factor[k], number_max))
            return TERRANE_EAMPLITUDE;
    return 0;
}

static int knots_check(const struct terrane_term *term)
{
    if (term->knots < 2 || term->knots > TERRANE_KNOTS_MAX)
        return TERRANE_ETHRESHOLD;
    for (int k = 0; k < term->knots; k++) {
        if (!about_zero(term->knot_x[k], number_max) || !about_zero(term->knot_y[k], number_max))
            return TERRANE_EAMPLITUDE;
        if (k && !rises(term->knot_x[k - 1], term->knot_x[k], min_step))
            return TERRANE_ETHRESHOLD;
    }
    return 0;
}

/* The two ends of a range; outside of it the value is constant. */
static int range_check(float low, float high)
{
    if (!about_zero(low, number_max) || !about_zero(high, number_max))
        return TERRANE_EAMPLITUDE;
    return rises(low, high, min_step) ? 0 : TERRANE_ETHRESHOLD;
}

static int raster_check(const struct terrane_recipe *recipe, const struct terrane_term *term)
{
    const struct terrane_raster *raster = term->raster;
    const double sample = recipe->spacing_m;
    if (!raster || !raster_is_made(raster) || !within(term->step_m, 0x1p-4 * sample, 0x1p20 * sample) ||
        !within(term->fade_m, 0, 0x1p32 * sample))
        return TERRANE_ERASTER;
    for (int axis = 0; axis < 2; axis++)
        if (!within(term->at_m[axis], -0x1p40 * sample, 0x1p40 * sample))
            return TERRANE_ERASTER;
    return 0;
}

/* What plates or a climate say, or the level of nodes. */
static int of_check(const struct terrane_recipe *recipe, const struct terrane_term *term)
{
    if (term->op == TERRANE_OP_PLATES)
        return recipe->plates.cell_log2 != 0 && (unsigned)term->of < TERRANE_PLATES_OFS ? 0 : TERRANE_EPLATES;
    if (term->op == TERRANE_OP_CLIMATE)
        return recipe->climate.cell_log2 != 0 && (unsigned)term->of < TERRANE_CLIMATE_OFS &&
                       term->in[0] == recipe->climate.ground
                   ? 0
                   : TERRANE_ECLIMATE;
    return term->of >= 4 && term->of <= 22 ? 0 : TERRANE_ECELL;
}

/* Of TERRANE_OP_ZONES, partition_check knows what they rest on. */
static int term_check(const struct terrane_recipe *recipe, int index)
{
    const struct terrane_term *term = &recipe->term[index];
    int error = 0;
    if ((unsigned)term->op >= TERRANE_OPS)
        return TERRANE_EBASE;
    const struct op_row *row = &op_rows[term->op];
    if (row->parts & OP_FRACTAL)
        return fractal_check(&term->fractal, index, recipe->alias_octaves);
    if ((error = inputs_check(row, term, index)) != 0)
        return error;
    if (row->parts & OP_OF && (error = of_check(recipe, term)) != 0)
        return error;
    if (row->parts & OP_FACTORS && (error = factors_check(term)) != 0)
        return error;
    if (row->parts & OP_KNOTS && (error = knots_check(term)) != 0)
        return error;
    if (row->parts & OP_PLACED && (error = raster_check(recipe, term)) != 0)
        return error;
    if (!members_within(row->members, 0, term))
        return TERRANE_EAMPLITUDE;
    return row->parts & OP_BAND && !rises(term->low, term->high, min_step) ? TERRANE_ETHRESHOLD : 0;
}

static int terms_check(const struct terrane_recipe *recipe, int *where)
{
    int octaves = 0, rasters = 0;
    if (recipe->terms < 1 || recipe->terms > TERRANE_TERMS_MAX)
        return TERRANE_ETERM;
    for (int i = 0; i < recipe->terms; i++) {
        const struct terrane_term *term = &recipe->term[i];
        const int error = term_check(recipe, i);
        *where = i;
        if (error)
            return error;
        octaves += term->op == TERRANE_OP_FRACTAL ? term->fractal.octaves : 0;
        if (octaves > TERRANE_OCTAVES_ALL)
            return TERRANE_EOCTAVES;
        rasters += term->op == TERRANE_OP_RASTER;
        if (rasters > TERRANE_RASTERS_MAX)
            return TERRANE_ERASTER;
    }
    *where = -1;
    return 0;
}

/* ---- Checks of what zones are -------------------------------------------------------------------------- */

static int gradient_check(const struct terrane_gradient *gradient)
{
    if (gradient->stops < 0 || gradient->stops > TERRANE_STOPS_MAX)
        return TERRANE_ETHRESHOLD;
    for (int k = 0; k < gradient->stops; k++) {
        if (!about_zero(gradient->stop[k].at_m, number_max))
            return TERRANE_EAMPLITUDE;
        if (k && !rises(gradient->stop[k - 1].at_m, gradient->stop[k].at_m, min_step))
            return TERRANE_ETHRESHOLD;
    }
    return 0;
}

static int zone_check(const struct terrane_recipe *recipe, const struct terrane_zone *zone)
{
    const struct terrane_partition *partition = &recipe->partition;
    int error;
    if (zone->term != -1 && !is_term(zone->term, recipe->terms))
        return TERRANE_ETERM;
    if (!members_within(&zone_members, zone_traits(partition, zone), zone))
        return TERRANE_EAMPLITUDE;
    error = gradient_check(&zone->ground);
    return error ? error : gradient_check(&zone->steep);
}

static int bands_check(const struct terrane_partition *partition)
{
    if (!members_within(&bands_members, 0, partition))
        return TERRANE_ETHRESHOLD;
    for (int k = 0; k < partition->zones - 1; k++) {
        if (!about_zero(partition->threshold[k], number_max))
            return TERRANE_EAMPLITUDE;
        if (k && !rises(partition->threshold[k - 1], partition->threshold[k], (double)partition->blend))
            return TERRANE_ETHRESHOLD;
    }
    return 0;
}

static int voronoi_check(const struct terrane_partition *partition)
{
    if (!members_within(&sites_members, 0, partition))
        return TERRANE_ETHRESHOLD;
    if (partition->cell_log2 < 6 || partition->cell_log2 > TERRANE_CELL_LOG2_MAX)
        return TERRANE_ECELL;
    return members_within(&voronoi_members, 0, partition) ? 0 : TERRANE_EAMPLITUDE;
}

static int climate_check(const struct terrane_partition *partition)
{
    const int rows = partition->table_rows, columns = partition->table_columns;
    int error;
    if (!members_within(&table_members, 0, partition))
        return TERRANE_ETHRESHOLD;
    if ((error = range_check(partition->cold, partition->hot)) != 0 ||
        (error = range_check(partition->dry, partition->wet)) != 0)
        return error;
    if (rows < 1 || rows > TERRANE_TABLE_MAX || columns < 1 || columns > TERRANE_TABLE_MAX)
        return TERRANE_EZONES;
    for (int k = 0; k < rows * columns; k++)
        if (partition->table[k] >= partition->zones)
            return TERRANE_EZONES;
    return 0;
}

/* Checks a term that the partition reads. All indices of the recipe must already be checked. */
static int asked_check(const struct terrane_recipe *recipe, int term, int *where)
{
    if (!(recipe_rests_on(recipe, recipe_term_bit(term)) & recipe_terms_of(recipe, TERRANE_OP_ZONES)))
        return 0;
    *where = term;
    return TERRANE_ETERM;
}

static int kind_of_partition_check(const struct terrane_recipe *recipe, int *where)
{
    const struct terrane_partition *partition = &recipe->partition;
    int error;
    switch (partition->kind) {
    case TERRANE_PARTITION_NOISE:
        if ((error = bands_check(partition)) != 0)
            return error;
        return is_term(partition->by, recipe->terms) ? asked_check(recipe, partition->by, where)
                                                     : TERRANE_ETERM;
    case TERRANE_PARTITION_VORONOI:
        return voronoi_check(partition);
    case TERRANE_PARTITION_CLIMATE:
        if ((error = climate_check(partition)) != 0)
            return error;
        if (!is_term(partition->temperature, recipe->terms) || !is_term(partition->moisture, recipe->terms))
            return TERRANE_ETERM;
        error = asked_check(recipe, partition->temperature, where);
        return error ? error : asked_check(recipe, partition->moisture, where);
    case TERRANE_PARTITION_KINDS:
        break;
    }
    return TERRANE_EBASE;
}

/* The terms of zones come before every TERRANE_OP_ZONES: before the first. */
static int order_check(const struct terrane_recipe *recipe, int *where)
{
    const uint64_t zoned = recipe_terms_of(recipe, TERRANE_OP_ZONES);
    int first = 0;
    while (first < recipe->terms && !(zoned & recipe_term_bit(first)))
        first++;
    for (int k = 0; k < recipe->partition.zones && first < recipe->terms; k++)
        if (recipe->partition.zone[k].term >= first) {
            *where = first;
            return TERRANE_ETERM;
        }
    return 0;
}

static int partition_check(const struct terrane_recipe *recipe, int *where)
{
    const struct terrane_partition *partition = &recipe->partition;
    int error;
    if (partition->zones < 1 || partition->zones > TERRANE_ZONES_MAX)
        return TERRANE_EZONES;
    if (partition->zones > 1 && (unsigned)partition->kind >= TERRANE_PARTITION_KINDS)
        return TERRANE_EBASE;
    for (int k = 0; k < partition->zones; k++)
        if ((error = zone_check(recipe, &partition->zone[k])) != 0) {
            *where = k;
            return error;
        }
    if ((error = order_check(recipe, where)) != 0 || partition->zones == 1)
        return error;
    return kind_of_partition_check(recipe, where);
}

int recipe_check(const struct terrane_recipe *recipe, int *where)
{
    int error;
    if (recipe->generator != 0 &&
        (recipe->generator < TERRANE_GENERATOR_OLDEST || recipe->generator > TERRANE_GENERATOR_VERSION))
        return TERRANE_EGENERATOR;
    if (!within(recipe->spacing_m, 0x1p-10, 0x1p20))
        return TERRANE_ESPACING;
    if (!about_zero(recipe->low_m, height_max) || !about_zero(recipe->high_m, height_max) ||
        recipe->low_m >= recipe->high_m)
        return TERRANE_ERANGE;
    if (!about_zero(recipe->sea_m, height_max) || !within((double)recipe->steep_low, 0, 1024) ||
        !within((double)recipe->steep_high, 0, 1024))
        return TERRANE_EAMPLITUDE;
    if (recipe->steep_low > recipe->steep_high)
        return TERRANE_ETHRESHOLD;
    if (recipe->alias_octaves < 0 || recipe->alias_octaves > 1)
        return TERRANE_EOCTAVES;
    if ((error = gradient_check(&recipe->water)) != 0 || (error = terms_check(recipe, where)) != 0)
        return error;
    if ((error = partition_check(recipe, where)) != 0 || (error = recipe_earth_check(recipe, where)) != 0)
        return error;
    *where = bounds_beyond(recipe);
    if (*where >= 0)
        return TERRANE_EAMPLITUDE;
    if ((error = recipe_erosion_check(recipe, where)) != 0 || (error = recipe_cover_check(recipe)) != 0)
        return error;
    return recipe_objects_check(recipe);
}
