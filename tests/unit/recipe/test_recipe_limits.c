/*
 * Recipes (lib/recipe/recipe.c, lib/recipe/recipe_check.c): what is refused, and where; names that end, and fractals as they begin.
 */
#include "../recipe_kit.h"

#include <limits.h>

/*
 * Members with limits of their own that are no rows (test_recipe_rows.c): the least and the greatest that are taken, the
 * error outside, and where.
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
    FRACTAL(MULTI, warp_term[0], WHOLE, -1, MULTI - 1, TERRANE_ETERM),
    FRACTAL(MULTI, warp_term[1], WHOLE, -1, MULTI - 1, TERRANE_ETERM),
    FRACTAL(MULTI, warp_m, FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    FRACTAL(SMOOTHED, offset, FLOAT, 0, 4, TERRANE_EAMPLITUDE),
    FRACTAL(SMOOTHED, lacunarity, DOUBLE, 2, 2, TERRANE_EAMPLITUDE),
    FRACTAL(SMOOTHED, octaves, WHOLE, 1, 10, TERRANE_EOCTAVES),
    FRACTAL(SMOOTHED, cell, DOUBLE, 1024, 1024, TERRANE_ECELL),
    TERM(SUM, inputs, WHOLE, 0, 8, TERRANE_ETERM),
    TERM(SUM, in[0], WHOLE, 0, SUM - 1, TERRANE_ETERM),
    TERM(SUM, in[1], WHOLE, 0, SUM - 1, TERRANE_ETERM),
    TERM(SUM, factor[1], FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    TERM(PRODUCT, inputs, WHOLE, 0, 8, TERRANE_ETERM),
    TERM(PRODUCT, in[1], WHOLE, 0, PRODUCT - 1, TERRANE_ETERM),
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
    ZONE(NOISE, 2, ground.stops, WHOLE, 0, 2, 0),
    ZONE(NOISE, 2, ground.stop[0].at_m, FLOAT, -0x1p20, 5 - 0x1p-10, 0),
    ZONE(NOISE, 0, steep.stop[0].at_m, FLOAT, -0x1p20, 0x1p20, TERRANE_EAMPLITUDE),
    MEMBER(partition.blend, FLOAT, 0x1p-10, 2, TERRANE_ETHRESHOLD),
    MEMBER(partition.by, WHOLE, 0, CURVE, TERRANE_ETERM),
    MEMBER(partition.threshold[0], FLOAT, -0x1p20, 0.75, 0),
    MEMBER(partition.threshold[1], FLOAT, -0.75, 0x1p20, 0),
    OF(VORONOI, partition.cell_log2, WHOLE, 6, 40, TERRANE_ECELL, -1),
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

static void expect_limit(const struct limit *limit, double value)
{
    struct terrane_recipe recipe = recipe_with(limit, value);
    const bool in_zones = limit->error == TERRANE_ETERM && limit->where < 0 && value > CURVE && value < TERMS;
    if (limit->error) /* a term that rests on zones is named */
        expect_refused(&recipe, limit->error, in_zones ? (int)value : limit->where);
    else
        assert_true(terrane_recipe_init(&recipe, NULL) < 0);
}

TEST(recipes_are_taken_up_to_their_limits)
{
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

TEST(every_limit_has_its_error)
{
    enum terrane_partition_kind kind = TERRANE_PARTITION_NOISE;
    struct terrane_recipe recipe;

    REFUSED(terms, 0, TERRANE_ETERM, -1);
    REFUSED(terms, -1, TERRANE_ETERM, -1);
    REFUSED(terms, TERRANE_TERMS_MAX + 1, TERRANE_ETERM, -1);
    REFUSED(steep_low, -1, TERRANE_EAMPLITUDE, -1);
    REFUSED(steep_low, nextafterf(0.75f, 1), TERRANE_ETHRESHOLD, -1);
    REFUSED(steep_high, 1025, TERRANE_EAMPLITUDE, -1);
    REFUSED(water.stops, 9, TERRANE_ETHRESHOLD, -1);
    REFUSED(water.stop[1].at_m, 0, TERRANE_ETHRESHOLD, -1);
    REFUSED(term[BASES].fractal.octaves, 11, TERRANE_ECELL, BASES);
    REFUSED(term[BASES].fractal.octaves, 25, TERRANE_EOCTAVES, BASES);
    REFUSED(term[BASES].fractal.base[3], TERRANE_BASES, TERRANE_EBASE, BASES);
    REFUSED(term[BLEND].low, NAN, TERRANE_EAMPLITUDE, BLEND);
    REFUSED(term[BLEND].low, 2, TERRANE_ETHRESHOLD, BLEND);
    REFUSED(term[BLEND].high, 0x1p21f, TERRANE_EAMPLITUDE, BLEND);
    REFUSED(term[CURVE].knots, 13, TERRANE_ETHRESHOLD, CURVE);
    REFUSED(term[ZONES].op, TERRANE_OPS, TERRANE_EBASE, ZONES);
    REFUSED(term[ZONES].op, TERRANE_OP_MAX, TERRANE_ETERM, ZONES); /* of nothing */
    REFUSED(partition.kind, TERRANE_PARTITION_KINDS, TERRANE_EBASE, -1);
    REFUSED(partition.zones, 0, TERRANE_EZONES, -1);
    REFUSED(partition.zones, 17, TERRANE_EZONES, -1);
    REFUSED(partition.zone[1].term, TERMS, TERRANE_ETERM, 1);
    REFUSED(partition.zone[1].term, ZONES, TERRANE_ETERM, ZONES);
    REFUSED(partition.zone[1].term, HEIGHT, TERRANE_ETERM, ZONES);
    REFUSED(partition.zone[2].steep.stops, -1, TERRANE_ETHRESHOLD, 2);
    REFUSED(partition.threshold[1], -1, TERRANE_ETHRESHOLD, -1);
    kind = TERRANE_PARTITION_CLIMATE;
    REFUSED(partition.cold, 10, TERRANE_ETHRESHOLD, -1);
    REFUSED(partition.table[5], 3, TERRANE_EZONES, -1);
}

/* The last cell: 2 samples, or 1 with alias_octaves; MIDPOINT: 2 always. Halvings are exact. */
TEST(octaves_fit_their_cells)
{
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

TEST(octaves_are_counted_together)
{
    struct terrane_recipe recipe = recipe_flat();

    recipe.terms = 0;
    for (int i = 0; i < 6; i++) /* 8 + 5 * 24 */
        recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_VALUE, i ? 24 : 8, 0x1p24, 1, 0.5f));
    expect_taken(&recipe);
    recipe.term[0].fractal.octaves = 9;
    expect_refused(&recipe, TERRANE_EOCTAVES, 5);
    recipe.term[5] = (struct terrane_term){.op = TERRANE_OP_SUM};
    expect_taken(&recipe);
}

TEST(terms_end_inside_binary32)
{
    struct terrane_recipe recipe = recipe_flat();

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
TEST(partitions_ask_what_stands_apart)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE);

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

TEST(names_end)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE);
    memset(recipe.partition.zone[2].name, 'n', sizeof recipe.partition.zone[2].name);
    memset(recipe.term[0].name, 't', sizeof recipe.term[0].name);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    assert_int_equal(recipe.partition.zone[2].name[23], 0);
    assert_int_equal(recipe.term[0].name[23], 0);
}

TEST(plain_fractals_are_taken)
{
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

GROUP(recipe_limits);
