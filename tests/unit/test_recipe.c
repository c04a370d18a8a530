/*
 * Recipes: what is refused and where, the canonical form, and the digest (lib/recipe.c, lib/recipe_check.c,
 * lib/recipe_canonical.c, lib/recipe_default.c).
 */
#include "lib_fixture.h"

#include <limits.h>

/* ---- A recipe in the middle of every limit, so that each of its members can be moved on its own --------- */

enum { BASES, MULTI, HYBRID, SWISS, JORDAN, SMOOTHED, SUM, PRODUCT, BLEND, CURVE, ZONES, HEIGHT, TERMS };

static void add_fractals(struct terrane_recipe *recipe)
{
    static const enum terrane_fractal_kind kinds[] = {TERRANE_FBM,    TERRANE_MULTIFRACTAL,
                                                      TERRANE_HYBRID, TERRANE_SWISS,
                                                      TERRANE_JORDAN, TERRANE_MIDPOINT_SMOOTHED};
    for (int i = 0; i < COUNT(kinds); i++) {
        struct terrane_term term = term_fractal(kinds[i], TERRANE_PERLIN3, 4, 1024, 4, 0.5f);
        snprintf(term.name, sizeof term.name, "fractal %d", i);
        term.fractal.salt = (uint32_t)i;
        recipe_add(recipe, term);
    }
    recipe->term[BASES].fractal.base[1] = TERRANE_HERMITE;
    recipe->term[BASES].fractal.base[2] = TERRANE_CELLULAR_F2;
    recipe->term[MULTI].fractal.warp_term[0] = BASES;
    recipe->term[MULTI].fractal.warp_m = 10;
}

static void add_operations(struct terrane_recipe *recipe)
{
    recipe_add(recipe, (struct terrane_term){.name = "sum",
                                             .op = TERRANE_OP_SUM,
                                             .inputs = 2,
                                             .in = {BASES, MULTI},
                                             .factor = {1, 2},
                                             .offset = 3});
    recipe_add(recipe, (struct terrane_term){.name = "product",
                                             .op = TERRANE_OP_PRODUCT,
                                             .inputs = 2,
                                             .in = {BASES, HYBRID},
                                             .factor = {0.25f},
                                             .offset = 3});
    recipe_add(recipe, (struct terrane_term){.name = "blend",
                                             .op = TERRANE_OP_BLEND,
                                             .inputs = 3,
                                             .in = {SWISS, JORDAN, SMOOTHED},
                                             .low = -1,
                                             .high = 2});
    recipe_add(recipe, (struct terrane_term){.name = "curve",
                                             .op = TERRANE_OP_CURVE,
                                             .inputs = 1,
                                             .in = {SUM},
                                             .knots = 3,
                                             .knot_x = {-100, 0, 100},
                                             .knot_y = {-10, 0, 50}});
    recipe_add(recipe, (struct terrane_term){.name = "zones", .op = TERRANE_OP_ZONES});
    recipe_add(recipe, (struct terrane_term){.name = "height",
                                             .op = TERRANE_OP_SUM,
                                             .inputs = 4,
                                             .in = {PRODUCT, BLEND, CURVE, ZONES},
                                             .factor = {1, 1, 1, 1}});
}

static void add_zones(struct terrane_partition *partition)
{
    for (int z = 0; z < 3; z++) {
        struct terrane_zone *zone = &partition->zone[z];
        *zone = (struct terrane_zone){.name = "zone",
                                      .term = z,
                                      .amplitude = 1 + (float)z,
                                      .offset_m = 5,
                                      .share = 2,
                                      .colour = {1, 2, 3}};
        zone->ground = (struct terrane_gradient){.stops = 2, .stop = {{-5, {1, 2, 3}}, {5, {4, 5, 6}}}};
        zone->steep = (struct terrane_gradient){.stops = 1, .stop = {{0, {7, 8, 9}}}};
    }
}

static struct terrane_recipe recipe_middle(enum terrane_partition_kind kind)
{
    struct terrane_recipe recipe = {.spacing_m = 2, .low_m = -500, .high_m = 700, .sea_m = 1};
    add_fractals(&recipe);
    add_operations(&recipe);
    recipe.partition = (struct terrane_partition){.kind = kind, .zones = 3, .blend = 0.25f};
    add_zones(&recipe.partition);
    recipe.water = (struct terrane_gradient){.stops = 2, .stop = {{0, {1, 2, 3}}, {50, {4, 5, 6}}}};
    recipe.steep_low = 0.5f;
    recipe.steep_high = 0.75f;
    struct terrane_partition *partition = &recipe.partition;
    if (kind == TERRANE_PARTITION_NOISE) {
        partition->threshold[0] = -1;
        partition->threshold[1] = 1;
        partition->by = BASES;
    } else if (kind == TERRANE_PARTITION_VORONOI) {
        partition->salt = 9;
        partition->cell_log2 = 10;
        partition->jitter = 0.5f;
        partition->rounds = 2;
    } else {
        partition->temperature = BASES;
        partition->moisture = CURVE;
        partition->cold = partition->dry = -10;
        partition->hot = partition->wet = 10;
        partition->table_rows = 2;
        partition->table_columns = 3;
        memcpy(partition->table, (const uint8_t[]){0, 1, 2, 2, 1, 0}, 6);
    }
    return recipe;
}

/* Checks that a recipe is refused, and left as it was. */
static void expect_refused(const struct terrane_recipe *recipe, int error, int where)
{
    struct terrane_recipe copy;
    int at = 77;
    memcpy(&copy, recipe, sizeof copy);
    assert_int_equal(terrane_recipe_init(&copy, &at), error);
    assert_int_equal(at, where);
    assert_memory_equal(&copy, recipe, sizeof copy);
    assert_int_equal(terrane_recipe_init(&copy, NULL), error);
}

static void expect_taken(const struct terrane_recipe *recipe)
{
    struct terrane_recipe copy = *recipe, twice;
    int at = 77;
    assert_int_equal(terrane_recipe_init(&copy, &at), 0);
    assert_int_equal(at, -1);
    memcpy(&twice, &copy, sizeof twice);
    assert_int_equal(terrane_recipe_init(&twice, NULL), 0);
    assert_memory_equal(&twice, &copy, sizeof copy);
}

/* ---- Limits ----------------------------------------------------------------------------------------- */

/*
 * Members with limits of their own: the least and the greatest that are taken, the error outside, and
 * where.
 */
static const struct limit {
    size_t offset;
    enum { WHOLE, FLOAT, DOUBLE } type;
    double low, high;
    int error, where;
    enum terrane_partition_kind kind;
} limits[] = {
#define OF(kind, member, type, low, high, error, where)                                                  \
    {                                                                                                    \
        offsetof(struct terrane_recipe, member), type, low, high, error, where, TERRANE_PARTITION_##kind \
    }
#define MEMBER(member, type, low, high, error) OF(NOISE, member, type, low, high, error, -1)
#define TERM(index, member, type, low, high, error) \
    OF(NOISE, term[index].member, type, low, high, error, index)
#define FRACTAL(index, member, type, low, high, error) TERM(index, fractal.member, type, low, high, error)
#define ZONE(kind, index, member, type, low, high, error) \
    OF(kind, partition.zone[index].member, type, low, high, error, index)
    MEMBER(spacing_m, DOUBLE, 0x1p-10, 0x1p20, TERRANE_ESPACING),
    MEMBER(alias_octaves, WHOLE, 0, 1, TERRANE_EOCTAVES),
    MEMBER(low_m, FLOAT, -32768, 0x1.5dfffep9, TERRANE_ERANGE), /* up to just below high_m */
    MEMBER(high_m, FLOAT, -0x1.f3fffep8, 32768, TERRANE_ERANGE),
    MEMBER(sea_m, FLOAT, -32768, 32768, TERRANE_EAMPLITUDE),
    MEMBER(steep_low, FLOAT, 0, 0.75, 0),
    MEMBER(steep_high, FLOAT, 0.5, 1024, 0),
    MEMBER(water.stops, WHOLE, 0, 2, 0),
    MEMBER(water.stop[1].at_m, FLOAT, 0x1p-10, 0x1p20, 0),
    FRACTAL(BASES, kind, WHOLE, 0, TERRANE_FRACTAL_KINDS - 1, TERRANE_EBASE),
    FRACTAL(BASES, octaves, WHOLE, 1, 10, 0),
    FRACTAL(BASES, cell, DOUBLE, 16, 0x1p40, TERRANE_ECELL),
    FRACTAL(BASES, lacunarity, DOUBLE, 1.25, 8, TERRANE_EAMPLITUDE),
    FRACTAL(BASES, amplitude_m, FLOAT, 0, 32768, TERRANE_EAMPLITUDE),
    FRACTAL(BASES, gain, FLOAT, 0, 1, TERRANE_EAMPLITUDE),
    FRACTAL(BASES, weight, FLOAT, 0, 4, TERRANE_EAMPLITUDE),
    FRACTAL(BASES, jitter, FLOAT, 0, 1, TERRANE_EAMPLITUDE),
    FRACTAL(MULTI, offset, FLOAT, -4, 4, TERRANE_EAMPLITUDE),
    FRACTAL(MULTI, sharpness, FLOAT, -16, 16, TERRANE_EAMPLITUDE),
    FRACTAL(MULTI, warp_term[0], WHOLE, -1, MULTI - 1, TERRANE_ETERM),
    FRACTAL(MULTI, warp_term[1], WHOLE, -1, MULTI - 1, TERRANE_ETERM),
    FRACTAL(MULTI, warp_m, FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    FRACTAL(HYBRID, offset, FLOAT, -4, 4, TERRANE_EAMPLITUDE),
    FRACTAL(SWISS, warp, FLOAT, -4, 4, TERRANE_EAMPLITUDE),
    FRACTAL(JORDAN, warp, FLOAT, -4, 4, TERRANE_EAMPLITUDE),
    FRACTAL(JORDAN, damp, FLOAT, 0, 4, TERRANE_EAMPLITUDE),
    FRACTAL(SMOOTHED, offset, FLOAT, 0, 4, TERRANE_EAMPLITUDE),
    FRACTAL(SMOOTHED, lacunarity, DOUBLE, 2, 2, TERRANE_EAMPLITUDE),
    FRACTAL(SMOOTHED, octaves, WHOLE, 1, 10, TERRANE_EOCTAVES),
    FRACTAL(SMOOTHED, cell, DOUBLE, 1024, 1024, TERRANE_ECELL),
    TERM(SUM, inputs, WHOLE, 0, 8, TERRANE_ETERM),
    TERM(SUM, in[0], WHOLE, 0, SUM - 1, TERRANE_ETERM),
    TERM(SUM, in[1], WHOLE, 0, SUM - 1, TERRANE_ETERM),
    TERM(SUM, factor[1], FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    TERM(SUM, offset, FLOAT, -32768, 32768, TERRANE_EAMPLITUDE),
    TERM(PRODUCT, inputs, WHOLE, 0, 8, TERRANE_ETERM),
    TERM(PRODUCT, in[1], WHOLE, 0, PRODUCT - 1, TERRANE_ETERM),
    TERM(PRODUCT, factor[0], FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    TERM(PRODUCT, offset, FLOAT, -32768, 32768, TERRANE_EAMPLITUDE),
    TERM(BLEND, inputs, WHOLE, 3, 3, TERRANE_ETERM),
    TERM(BLEND, in[2], WHOLE, 0, BLEND - 1, TERRANE_ETERM),
    TERM(BLEND, low, FLOAT, -0x1p20, 2 - 0x1p-10, 0),
    TERM(BLEND, high, FLOAT, -1 + 0x1p-10, 0x1p20, 0),
    TERM(CURVE, inputs, WHOLE, 1, 1, TERRANE_ETERM),
    TERM(CURVE, in[0], WHOLE, 0, CURVE - 1, TERRANE_ETERM),
    TERM(CURVE, knots, WHOLE, 2, 3, 0),
    TERM(CURVE, knot_x[1], FLOAT, -100 + 0x1p-10, 100 - 0x1p-10, 0),
    TERM(CURVE, knot_y[2], FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    ZONE(NOISE, 1, term, WHOLE, -1, 9, 0),
    ZONE(NOISE, 1, amplitude, FLOAT, -64, 64, TERRANE_EAMPLITUDE),
    ZONE(NOISE, 2, offset_m, FLOAT, -32768, 32768, TERRANE_EAMPLITUDE),
    ZONE(NOISE, 2, ground.stops, WHOLE, 0, 2, 0),
    ZONE(NOISE, 2, ground.stop[0].at_m, FLOAT, -0x1p20, 5 - 0x1p-10, 0),
    ZONE(NOISE, 0, steep.stop[0].at_m, FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    ZONE(VORONOI, 1, share, FLOAT, 0, 1024, TERRANE_EAMPLITUDE),
    MEMBER(partition.blend, FLOAT, 0x1p-10, 2, TERRANE_ETHRESHOLD),
    MEMBER(partition.by, WHOLE, 0, CURVE, TERRANE_ETERM),
    MEMBER(partition.threshold[0], FLOAT, -0x1p20, 0.75, 0),
    MEMBER(partition.threshold[1], FLOAT, -0.75, 0x1p20, 0),
    OF(VORONOI, partition.blend, FLOAT, 0x1p-6, 0.5, TERRANE_ETHRESHOLD, -1),
    OF(VORONOI, partition.cell_log2, WHOLE, 6, 40, TERRANE_ECELL, -1),
    OF(VORONOI, partition.jitter, FLOAT, 0, 1, TERRANE_EAMPLITUDE, -1),
    OF(VORONOI, partition.rounds, WHOLE, 0, 4, TERRANE_EAMPLITUDE, -1),
    OF(CLIMATE, partition.blend, FLOAT, 0x1p-10, 1, TERRANE_ETHRESHOLD, -1),
    OF(CLIMATE, partition.temperature, WHOLE, 0, CURVE, TERRANE_ETERM, -1),
    OF(CLIMATE, partition.moisture, WHOLE, 0, CURVE, TERRANE_ETERM, -1),
    OF(CLIMATE, partition.cold, FLOAT, -0x1p20, 10 - 0x1p-10, 0, -1),
    OF(CLIMATE, partition.wet, FLOAT, -10 + 0x1p-10, 0x1p20, 0, -1),
    OF(CLIMATE, partition.table_rows, WHOLE, 1, 16, TERRANE_EZONES, -1),
    OF(CLIMATE, partition.table_columns, WHOLE, 1, 16, TERRANE_EZONES, -1),
#undef ZONE
#undef FRACTAL
#undef TERM
#undef MEMBER
#undef OF
};

static struct terrane_recipe recipe_with(const struct limit *limit, double value)
{
    struct terrane_recipe recipe = recipe_middle(limit->kind);
    const float as_float = (float)value;
    const int as_whole = limit->type == WHOLE ? (int)value : 0;
    void *member = (char *)&recipe + limit->offset;
    if (limit->type == DOUBLE)
        memcpy(member, &value, sizeof value);
    else if (limit->type == FLOAT)
        memcpy(member, &as_float, sizeof as_float);
    else
        memcpy(member, &as_whole, sizeof as_whole);
    return recipe;
}

/* The next value of the member's type. */
static double beyond(const struct limit *limit, double value, double towards)
{
    if (limit->type == WHOLE)
        return value + (towards < value ? -1 : 1);
    if (limit->type == DOUBLE)
        return nextafter(value, towards);
    return (double)nextafterf((float)value, (float)towards);
}

/* Refused, by whatever name. */
static void expect_some_refusal(struct terrane_recipe recipe)
{
    assert_true(terrane_recipe_init(&recipe, NULL) < 0);
}

static void expect_limit(const struct limit *limit, double value)
{
    const struct terrane_recipe recipe = recipe_with(limit, value);
    const bool in_zones = limit->error == TERRANE_ETERM && limit->where < 0 && value > CURVE && value < TERMS;
    if (limit->error) /* a term that rests on zones is named */
        expect_refused(&recipe, limit->error, in_zones ? (int)value : limit->where);
    else
        expect_some_refusal(recipe);
}

static void recipes_are_taken_up_to_their_limits(void **state)
{
    (void)state;
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++) {
        const struct terrane_recipe recipe = recipe_middle((enum terrane_partition_kind)kind);
        expect_taken(&recipe);
    }
    for (int n = 0; n < COUNT(limits); n++) {
        const struct limit *limit = &limits[n];
        const bool whole = limit->type == WHOLE;
        struct terrane_recipe recipe = recipe_with(limit, limit->low);
        expect_taken(&recipe);
        recipe = recipe_with(limit, limit->high);
        expect_taken(&recipe);
        const double outside[] = {
            beyond(limit, limit->low, -INFINITY),  beyond(limit, limit->high, INFINITY),
            whole ? (double)INT_MIN : -INFINITY,   whole ? (double)INT_MAX : INFINITY,
            whole ? (double)INT_MAX : (double)NAN,
        };
        for (int i = 0; i < COUNT(outside); i++)
            expect_limit(limit, outside[i]);
    }
}

#define REFUSED(member, value, error, where) \
    (recipe = recipe_middle(kind), recipe.member = (value), expect_refused(&recipe, error, where))

static void every_limit_has_its_error(void **state)
{
    enum terrane_partition_kind kind = TERRANE_PARTITION_NOISE;
    struct terrane_recipe recipe;

    (void)state;
    REFUSED(terms, 0, TERRANE_ETERM, -1);
    REFUSED(terms, -1, TERRANE_ETERM, -1);
    REFUSED(terms, TERRANE_TERMS_MAX + 1, TERRANE_ETERM, -1);
    REFUSED(steep_low, -1, TERRANE_EAMPLITUDE, -1);
    REFUSED(steep_low, nextafterf(0.75f, 1), TERRANE_ETHRESHOLD, -1);
    REFUSED(steep_high, 1025, TERRANE_EAMPLITUDE, -1);
    REFUSED(steep_high, NAN, TERRANE_EAMPLITUDE, -1);
    REFUSED(water.stops, 9, TERRANE_ETHRESHOLD, -1);
    REFUSED(water.stop[1].at_m, 0, TERRANE_ETHRESHOLD, -1);
    REFUSED(water.stop[0].at_m, NAN, TERRANE_EAMPLITUDE, -1);
    REFUSED(term[BASES].fractal.octaves, 0, TERRANE_EOCTAVES, BASES);
    REFUSED(term[BASES].fractal.octaves, 11, TERRANE_ECELL, BASES);
    REFUSED(term[BASES].fractal.octaves, 25, TERRANE_EOCTAVES, BASES);
    REFUSED(term[BASES].fractal.octaves, 1000000000, TERRANE_EOCTAVES, BASES);
    REFUSED(term[BASES].fractal.lacunarity, 8.1, TERRANE_EAMPLITUDE, BASES);
    REFUSED(term[BASES].fractal.lacunarity, NAN, TERRANE_EAMPLITUDE, BASES);
    REFUSED(term[BASES].fractal.base[3], TERRANE_BASES, TERRANE_EBASE, BASES);
    REFUSED(term[SMOOTHED].fractal.cell, 1000, TERRANE_ECELL, SMOOTHED);
    REFUSED(term[SMOOTHED].fractal.octaves, 11, TERRANE_EOCTAVES, SMOOTHED);
    REFUSED(term[BLEND].low, NAN, TERRANE_EAMPLITUDE, BLEND);
    REFUSED(term[BLEND].low, 2, TERRANE_ETHRESHOLD, BLEND);
    REFUSED(term[BLEND].high, 0x1p21f, TERRANE_EAMPLITUDE, BLEND);
    REFUSED(term[CURVE].knots, 1, TERRANE_ETHRESHOLD, CURVE);
    REFUSED(term[CURVE].knots, 13, TERRANE_ETHRESHOLD, CURVE);
    REFUSED(term[CURVE].knot_x[1], NAN, TERRANE_EAMPLITUDE, CURVE);
    REFUSED(term[ZONES].op, TERRANE_OPS, TERRANE_EBASE, ZONES);
    REFUSED(partition.kind, TERRANE_PARTITION_KINDS, TERRANE_EBASE, -1);
    REFUSED(partition.zones, 0, TERRANE_EZONES, -1);
    REFUSED(partition.zones, 17, TERRANE_EZONES, -1);
    REFUSED(partition.zone[1].term, -2, TERRANE_ETERM, 1);
    REFUSED(partition.zone[1].term, TERMS, TERRANE_ETERM, 1);
    REFUSED(partition.zone[1].term, ZONES, TERRANE_ETERM, ZONES);
    REFUSED(partition.zone[1].term, HEIGHT, TERRANE_ETERM, ZONES);
    REFUSED(partition.zone[2].steep.stops, -1, TERRANE_ETHRESHOLD, 2);
    REFUSED(partition.threshold[1], -1, TERRANE_ETHRESHOLD, -1);
    REFUSED(partition.threshold[1], NAN, TERRANE_EAMPLITUDE, -1);
    REFUSED(partition.by, ZONES, TERRANE_ETERM, ZONES);
    REFUSED(partition.by, HEIGHT, TERRANE_ETERM, HEIGHT);
    kind = TERRANE_PARTITION_CLIMATE;
    REFUSED(partition.temperature, HEIGHT, TERRANE_ETERM, HEIGHT);
    REFUSED(partition.moisture, ZONES, TERRANE_ETERM, ZONES);
    REFUSED(partition.cold, 10, TERRANE_ETHRESHOLD, -1);
    REFUSED(partition.wet, INFINITY, TERRANE_EAMPLITUDE, -1);
    REFUSED(partition.table[5], 3, TERRANE_EZONES, -1);
}

/* The last cell: 2 samples, or 1 with alias_octaves; MIDPOINT: 2 always. Halvings are exact. */
static void octaves_fit_their_cells(void **state)
{
    (void)state;
    for (int alias = 0; alias <= 1; alias++)
        for (int octaves = 1; octaves <= 24; octaves++) {
            struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, octaves, octaves - alias, 1, 0.5f);
            struct terrane_fractal *fractal = &recipe.term[0].fractal;
            recipe.alias_octaves = alias;
            expect_taken(&recipe);
            fractal->cell = nextafter(fractal->cell, 0);
            expect_refused(&recipe, TERRANE_ECELL, 0);
            fractal->kind = TERRANE_MIDPOINT;
            expect_refused(&recipe, TERRANE_ECELL, 0); /* no power of two */
            fractal->cell = exp2(octaves);
            expect_taken(&recipe);
            fractal->cell /= 2;
            expect_refused(&recipe, TERRANE_EOCTAVES, 0);
        }
}

static void octaves_are_counted_together(void **state)
{
    struct terrane_recipe recipe = recipe_flat();

    (void)state;
    recipe.terms = 0;
    for (int i = 0; i < 6; i++) /* 8 + 5 * 24 */
        recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_VALUE, i ? 24 : 8, 0x1p24, 1, 0.5f));
    expect_taken(&recipe);
    recipe.term[0].fractal.octaves = 9;
    expect_refused(&recipe, TERRANE_EOCTAVES, 5);
    recipe.term[5] = (struct terrane_term){.op = TERRANE_OP_SUM};
    expect_taken(&recipe);
}

static void terms_end_inside_binary32(void **state)
{
    struct terrane_recipe recipe = recipe_flat();

    (void)state;
    recipe.term[0] = (struct terrane_term){.op = TERRANE_OP_SUM, .offset = 32768};
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_PRODUCT, .inputs = 1, .factor = {0x1p20f}});
    recipe_add(&recipe,
               (struct terrane_term){.op = TERRANE_OP_PRODUCT, .inputs = 1, .in = {1}, .factor = {31}});
    expect_taken(&recipe);
    recipe.term[2].factor[0] = 33; /* times 2^35 */
    expect_refused(&recipe, TERRANE_EAMPLITUDE, 2);
    for (int i = 3; i < TERRANE_TERMS_MAX; i++) { /* far beyond binary64 */
        struct terrane_term term = {.op = TERRANE_OP_PRODUCT, .inputs = 8};
        term.factor[0] = 0x1p20f;
        for (int k = 0; k < 8; k++)
            term.in[k] = i - 1;
        recipe_add(&recipe, term);
    }
    expect_refused(&recipe, TERRANE_EAMPLITUDE, 2);
    recipe.term[2].factor[0] = 0;
    recipe.term[3].in[0] = 1; /* 0 at last, but not on the way */
    expect_refused(&recipe, TERRANE_EAMPLITUDE, 3);
}

/* The partition may ask a term behind the zones, as long as it does not rest on them. */
static void partitions_ask_what_stands_apart(void **state)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE);

    (void)state;
    const struct terrane_term height = recipe.term[HEIGHT];
    recipe.term[HEIGHT] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 2, 512, 1, 0.5f);
    const int late = recipe_add(&recipe, height);
    recipe.partition.by = HEIGHT;
    expect_taken(&recipe);
    recipe.term[HEIGHT].fractal.warp_term[1] = ZONES;
    recipe.term[HEIGHT].fractal.warp_m = 1; /* now it rests on them */
    expect_refused(&recipe, TERRANE_ETERM, HEIGHT);
    recipe.partition.by = late;
    expect_refused(&recipe, TERRANE_ETERM, late);
    recipe.partition.zones = 1; /* then no one asks */
    expect_taken(&recipe);
    recipe.term[late].in[0] = late;
    expect_refused(&recipe, TERRANE_ETERM, late);
}

/* ---- Canonical form ------------------------------------------------------------------------------------ */

static void expect_same(struct terrane_recipe a, struct terrane_recipe b)
{
    assert_int_equal(terrane_recipe_init(&a, NULL), 0);
    assert_int_equal(terrane_recipe_init(&b, NULL), 0);
    assert_memory_equal(&a, &b, sizeof a);
}

/* Everything that does not count in a fractal of plain octaves. */
static void spoil_fractal(struct terrane_fractal *fractal)
{
    memset(fractal->base + fractal->octaves, 0xEE, (size_t)(TERRANE_OCTAVES_MAX - fractal->octaves));
    fractal->weight = fractal->jitter = NAN;
    fractal->offset = fractal->sharpness = fractal->warp = fractal->damp = INFINITY;
    fractal->warp_term[0] = 1000;
    fractal->warp_term[1] = INT_MIN;
    fractal->warp_m = -0.0f;
}

static void terms_are_rid_of_what_does_not_count(void **state)
{
    const struct terrane_recipe middle = recipe_middle(TERRANE_PARTITION_NOISE);
    struct terrane_recipe plain = recipe_fractal(TERRANE_VALUE, 3, 9, 5, 0.5f), other = plain;

    (void)state;
    spoil_fractal(&other.term[0].fractal);
    other.term[0].inputs = -3;
    other.term[0].in[2] = 99;
    other.term[0].factor[0] = other.term[0].low = other.term[0].offset = NAN;
    other.term[0].knots = 1000;
    expect_same(plain, other);

    other = middle;
    memset(other.term[SMOOTHED].fractal.base, 0xEE, TERRANE_OCTAVES_MAX); /* MIDPOINT takes none */
    other.term[SMOOTHED].fractal.warp_term[0] = 1;
    other.term[SMOOTHED].fractal.warp_m = 5;
    other.term[SMOOTHED].fractal.weight = 4;
    other.term[MULTI].fractal.weight = other.term[MULTI].fractal.jitter = NAN; /* no base takes them */
    other.term[SUM].in[2] = other.term[SUM].in[7] = -9;
    other.term[SUM].factor[2] = other.term[SUM].low = NAN;
    other.term[SUM].fractal.octaves = INT_MAX;
    other.term[PRODUCT].factor[1] = NAN;
    other.term[BLEND].factor[0] = other.term[BLEND].offset = NAN;
    other.term[BLEND].in[3] = 700;
    other.term[CURVE].knot_x[3] = other.term[CURVE].knot_y[11] = other.term[CURVE].offset = NAN;
    other.term[ZONES].inputs = 9;
    other.term[ZONES].knots = -1;
    memset(&other.term[TERMS], 0xFF, sizeof other.term[TERMS]); /* behind the last */
    memset(other.term[SUM].name + 4, 'x', 20);
    other.term[SUM].name[3] = '\0';
    expect_same(middle, other);
}

static void partitions_are_rid_of_what_does_not_count(void **state)
{
    (void)state;
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++) {
        const struct terrane_recipe middle = recipe_middle((enum terrane_partition_kind)kind);
        struct terrane_recipe other = middle, one = middle;
        struct terrane_partition *partition = &other.partition;
        if (kind != TERRANE_PARTITION_NOISE) {
            partition->by = 99;
            partition->threshold[0] = NAN;
        }
        if (kind != TERRANE_PARTITION_VORONOI) {
            partition->salt = 5;
            partition->cell_log2 = -1;
            partition->jitter = partition->zone[1].share = NAN;
            partition->rounds = 77;
        }
        if (kind != TERRANE_PARTITION_CLIMATE) {
            partition->temperature = partition->moisture = -7;
            partition->cold = partition->wet = NAN;
            partition->table_rows = 1000;
            memset(partition->table, 0xEE, sizeof partition->table);
        }
        partition->threshold[2] = NAN;
        memset(&partition->zone[3], 0xFF, 13 * sizeof partition->zone[3]);
        partition->zone[0].ground.stop[2].at_m = NAN;
        expect_same(middle, other);

        one.partition.zones = other.partition.zones = 1;
        partition->kind = TERRANE_PARTITION_KINDS;
        partition->blend = NAN;
        partition->threshold[1] = partition->zone[0].share = partition->cold = NAN;
        partition->by = partition->temperature = partition->moisture = INT_MIN;
        expect_same(one, other);
    }
}

static void names_end_and_zeros_lose_their_sign(void **state)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE), other = recipe;

    (void)state;
    recipe.sea_m = recipe.term[SUM].offset = recipe.partition.threshold[0] = recipe.term[CURVE].knot_y[0] = 0;
    other.sea_m = other.term[SUM].offset = other.partition.threshold[0] = other.term[CURVE].knot_y[0] = -0.0f;
    recipe.partition.zone[2].offset_m = recipe.water.stop[0].at_m = recipe.term[MULTI].fractal.gain = 0;
    other.partition.zone[2].offset_m = other.water.stop[0].at_m = other.term[MULTI].fractal.gain = -0.0f;
    memset(other.partition.zone[2].name, 'n', 24);
    memset(recipe.partition.zone[2].name, 'n', 23);
    memset(other.term[0].name, 't', 24);
    memcpy(recipe.term[0].name, other.term[0].name, 23);
    recipe.partition.zone[1].term = other.partition.zone[1].term = -1;
    recipe.partition.zone[1].amplitude = 0;
    other.partition.zone[1].amplitude = NAN; /* of nothing */
    expect_same(recipe, other);
    assert_int_equal(terrane_recipe_init(&other, NULL), 0);
    assert_false(signbit(other.sea_m) || signbit(other.term[SUM].offset));
    assert_int_equal(strlen(other.term[0].name), 23);
}

static void canonical_recipes_stay(void **state)
{
    struct dice dice = {0x7EC1};
    int eroded = 0;

    (void)state;
    for (int n = 0; n < 3000; n++) {
        struct terrane_recipe recipe;
        dice_recipe(&dice, &recipe);
        expect_taken(&recipe);
        dice_erosion(&dice, &recipe, TERRANE_LEVEL_MAX + 1);
        eroded += recipe.erosion.levels > 0;
        expect_taken(&recipe);
    }
    assert_true(eroded > 1000); /* the others move or reach too far */
}

/* ---- Digest ----------------------------------------------------------------------------------------- */

enum { DIGESTS_MOST = 256 };

struct digests {
    int count;
    struct terrane_digest digest[DIGESTS_MOST];
};

/* Takes up a digest that must differ from all so far. */
static void digest_new(struct digests *digests, struct terrane_recipe recipe)
{
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    for (int i = 0; i < digests->count; i++)
        assert_memory_not_equal(&recipe.digest, &digests->digest[i], sizeof recipe.digest);
    assert_true(digests->count < DIGESTS_MOST);
    digests->digest[digests->count++] = recipe.digest;
}

#define MOVED(member, value) \
    (recipe = recipe_middle(kind), recipe.member = (value), digest_new(&digests, recipe))

static void digest_knows_every_member_of_terms(void **state)
{
    const enum terrane_partition_kind kind = TERRANE_PARTITION_NOISE;
    struct digests digests = {0};
    struct terrane_recipe recipe = recipe_middle(kind);

    (void)state;
    digest_new(&digests, recipe);
    MOVED(spacing_m, nextafter(2, 3));
    MOVED(alias_octaves, 1);
    MOVED(low_m, -501);
    MOVED(high_m, 701);
    MOVED(sea_m, -1);
    MOVED(terms, TERMS - 1);
    MOVED(steep_low, 0.25f);
    MOVED(steep_high, 1);
    MOVED(water.stops, 1);
    MOVED(water.stop[1].at_m, 51);
    MOVED(water.stop[1].colour[2], 7);
    MOVED(term[BASES].fractal.kind, TERRANE_BILLOW);
    MOVED(term[BASES].fractal.base[3], TERRANE_VALUE);
    MOVED(term[BASES].fractal.salt, 77);
    MOVED(term[BASES].fractal.octaves, 5);
    MOVED(term[BASES].fractal.cell, nextafter(1024, 0));
    MOVED(term[BASES].fractal.lacunarity, 2.5);
    MOVED(term[BASES].fractal.amplitude_m, nextafterf(4, 0));
    MOVED(term[BASES].fractal.gain, 0.25f);
    MOVED(term[BASES].fractal.weight, 0.25f);
    MOVED(term[BASES].fractal.jitter, 0.25f);
    MOVED(term[MULTI].fractal.offset, 0.25f);
    MOVED(term[MULTI].fractal.sharpness, 0.25f);
    MOVED(term[MULTI].fractal.warp_term[0], -1);
    MOVED(term[MULTI].fractal.warp_term[1], 0);
    MOVED(term[MULTI].fractal.warp_m, -10);
    MOVED(term[HYBRID].fractal.offset, 0.25f);
    MOVED(term[SWISS].fractal.warp, 0.25f);
    MOVED(term[JORDAN].fractal.warp, 0.25f);
    MOVED(term[JORDAN].fractal.damp, 0.25f);
    MOVED(term[SMOOTHED].fractal.offset, 0.25f);
    MOVED(term[SUM].op, TERRANE_OP_PRODUCT);
    MOVED(term[SUM].inputs, 1);
    MOVED(term[SUM].in[1], HYBRID);
    MOVED(term[SUM].factor[1], 3);
    MOVED(term[SUM].offset, 4);
    MOVED(term[PRODUCT].factor[0], 3);
    MOVED(term[BLEND].low, -2);
    MOVED(term[BLEND].high, 3);
    MOVED(term[CURVE].knots, 2);
    MOVED(term[CURVE].knot_x[1], 1);
    MOVED(term[CURVE].knot_y[1], 1);
    MOVED(term[ZONES].op, TERRANE_OP_SUM);
    recipe = recipe_middle(kind); /* the places of terms count */
    const struct terrane_term swap = recipe.term[SWISS];
    recipe.term[SWISS] = recipe.term[JORDAN];
    recipe.term[JORDAN] = swap;
    digest_new(&digests, recipe);
}

static void digest_knows_every_member_of_partitions(void **state)
{
    enum terrane_partition_kind kind = TERRANE_PARTITION_NOISE;
    struct digests digests = {0};
    struct terrane_recipe recipe = recipe_middle(kind);

    (void)state;
    digest_new(&digests, recipe);
    MOVED(partition.zones, 2);
    MOVED(partition.zones, 1);
    MOVED(partition.blend, 0.125f);
    MOVED(partition.by, HYBRID);
    MOVED(partition.threshold[0], -2);
    MOVED(partition.threshold[1], 2);
    for (int z = 0; z < 3; z++) {
        MOVED(partition.zone[z].name[0], 'Z');
        MOVED(partition.zone[z].name[4], '2');
        MOVED(partition.zone[z].term, 5);
        MOVED(partition.zone[z].amplitude, 7.5f);
        MOVED(partition.zone[z].offset_m, 7.5f);
        MOVED(partition.zone[z].colour[z], 200);
        MOVED(partition.zone[z].ground.stops, 1);
        MOVED(partition.zone[z].ground.stop[1].at_m, 8);
        MOVED(partition.zone[z].steep.stops, 0);
        MOVED(partition.zone[z].steep.stop[0].colour[0], 88);
    }
    kind = TERRANE_PARTITION_VORONOI;
    digest_new(&digests, recipe_middle(kind));
    MOVED(partition.blend, 0.125f);
    MOVED(partition.salt, 10);
    MOVED(partition.cell_log2, 11);
    MOVED(partition.jitter, 0.25f);
    MOVED(partition.rounds, 1);
    MOVED(partition.zone[2].share, 1);
    kind = TERRANE_PARTITION_CLIMATE;
    digest_new(&digests, recipe_middle(kind));
    MOVED(partition.blend, 0.125f);
    MOVED(partition.temperature, MULTI);
    MOVED(partition.moisture, MULTI);
    MOVED(partition.cold, -11);
    MOVED(partition.hot, 11);
    MOVED(partition.dry, -11);
    MOVED(partition.wet, 11);
    MOVED(partition.table_rows, 1);
    MOVED(partition.table_columns, 2);
    MOVED(partition.table[5], 1);
}

/* Names of terms are for people; what is made by the call is not read. */
static void digest_leaves_names_of_terms_out(void **state)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE), other = recipe;

    (void)state;
    other.term[SUM].name[0] = 'S';
    other.analytic = true;
    memset(&other.digest, 0x5A, sizeof other.digest);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    assert_int_equal(terrane_recipe_init(&other, NULL), 0);
    assert_memory_equal(&recipe.digest, &other.digest, sizeof recipe.digest);
    assert_string_equal(other.term[SUM].name, "Sum");
    assert_int_equal(recipe.analytic, other.analytic);
}

/* ---- What is made ------------------------------------------------------------------------------------ */

static bool is_analytic(struct terrane_recipe recipe)
{
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    return recipe.analytic;
}

static void slopes_are_analytic_where_all_are(void **state)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 2, 9, 5, 0.5f);

    (void)state;
    for (int kind = 0; kind < TERRANE_FRACTAL_KINDS; kind++) {
        const bool rough = kind == TERRANE_IQ || kind == TERRANE_SWISS || kind == TERRANE_JORDAN ||
                           kind == TERRANE_MIDPOINT || kind == TERRANE_MIDPOINT_SMOOTHED;
        struct terrane_recipe warped = recipe_fractal(TERRANE_SIMPLEX, 2, 9, 5, 0.5f), unused;
        warped.term[0].fractal.kind = (enum terrane_fractal_kind)kind;
        assert_int_equal(is_analytic(warped), !rough);
        recipe_add(&warped, recipe.term[0]);
        assert_true(is_analytic(warped)); /* the first is unused */
        warped.term[1].fractal.warp_term[1] = 0;
        assert_true(is_analytic(warped)); /* by nothing */
        warped.term[1].fractal.warp_m = 3;
        assert_int_equal(is_analytic(warped), !rough);
        unused = warped;
        recipe_add(&unused, (struct terrane_term){.op = TERRANE_OP_ZONES});
        unused.partition.zone[0].term = 1;
        assert_int_equal(is_analytic(unused), !rough); /* through the zones */
    }
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++) {
        recipe = recipe_middle((enum terrane_partition_kind)kind);
        for (int i = SWISS; i <= SMOOTHED; i++)
            recipe.term[i].fractal.kind = TERRANE_RIDGED;
        assert_int_equal(is_analytic(recipe), kind == TERRANE_PARTITION_NOISE);
        recipe.partition.zones = 1;
        assert_true(is_analytic(recipe));
        recipe.terms = ZONES; /* no zones in the height */
        recipe.partition.zones = 3;
        assert_true(is_analytic(recipe));
    }
    recipe = recipe_middle(TERRANE_PARTITION_NOISE); /* through what the partition asks */
    recipe.terms = ZONES + 1;
    assert_true(is_analytic(recipe));
    recipe.partition.by = JORDAN;
    assert_false(is_analytic(recipe));
}

static void plain_fractals_are_taken(void **state)
{
    (void)state;
    for (int kind = 0; kind < TERRANE_FRACTAL_KINDS; kind++) {
        struct terrane_recipe recipe = recipe_flat();
        recipe.term[0] = terrane_term_fractal((enum terrane_fractal_kind)kind);
        expect_taken(&recipe);
        const struct terrane_fractal *fractal = &recipe.term[0].fractal;
        assert_true(fractal->octaves == 1 && fractal->cell == 256 && fractal->lacunarity == 2);
        assert_true(fractal->amplitude_m == 1 && fractal->gain == 0.5f && fractal->weight == 1);
        assert_true(fractal->base[0] == TERRANE_PERLIN5 && fractal->base[23] == TERRANE_PERLIN5);
        assert_true(fractal->warp_term[0] == -1 && fractal->warp_term[1] == -1 && fractal->warp_m == 0);
    }
    assert_true(terrane_term_fractal(TERRANE_SWISS).fractal.warp == 0.15f);
    assert_true(terrane_term_fractal(TERRANE_JORDAN).fractal.damp == 0.8f);
}

static void the_default_recipe_is_ready(void **state)
{
    struct terrane_recipe recipe, again;

    (void)state;
    memset(&recipe, 0xA5, sizeof recipe);
    terrane_recipe_default(&recipe);
    memcpy(&again, &recipe, sizeof again);
    assert_int_equal(terrane_recipe_init(&again, NULL), 0);
    assert_memory_equal(&again, &recipe, sizeof again);
    assert_memory_not_equal(&recipe.digest, &(struct terrane_digest){{0}}, sizeof recipe.digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recipes_are_taken_up_to_their_limits),
        cmocka_unit_test(every_limit_has_its_error),
        cmocka_unit_test(octaves_fit_their_cells),
        cmocka_unit_test(octaves_are_counted_together),
        cmocka_unit_test(terms_end_inside_binary32),
        cmocka_unit_test(partitions_ask_what_stands_apart),
        cmocka_unit_test(terms_are_rid_of_what_does_not_count),
        cmocka_unit_test(partitions_are_rid_of_what_does_not_count),
        cmocka_unit_test(names_end_and_zeros_lose_their_sign),
        cmocka_unit_test(canonical_recipes_stay),
        cmocka_unit_test(digest_knows_every_member_of_terms),
        cmocka_unit_test(digest_knows_every_member_of_partitions),
        cmocka_unit_test(digest_leaves_names_of_terms_out),
        cmocka_unit_test(slopes_are_analytic_where_all_are),
        cmocka_unit_test(plain_fractals_are_taken),
        cmocka_unit_test(the_default_recipe_is_ready),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
