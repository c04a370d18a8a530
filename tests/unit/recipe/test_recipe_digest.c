/*
 * Recipes (lib/recipe.c): the digest knows all that counts, and nothing else. Of rows: test_recipe_rows.c.
 */
#include "../recipe_kit.h"

#define MOVED(member, value) \
    (recipe = recipe_middle(kind), recipe.member = (value), digest_new(&digests, recipe))

TEST(digest_knows_every_member_of_terms)
{
    const enum terrane_partition_kind kind = TERRANE_PARTITION_NOISE;
    struct digests digests = {0};
    struct terrane_recipe recipe = recipe_middle(kind);

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
    MOVED(term[MULTI].fractal.warp_term[0], -1);
    MOVED(term[MULTI].fractal.warp_term[1], 0);
    MOVED(term[MULTI].fractal.warp_m, -10);
    MOVED(term[SMOOTHED].fractal.offset, 0.25f);
    MOVED(term[SUM].op, TERRANE_OP_PRODUCT);
    MOVED(term[SUM].inputs, 1);
    MOVED(term[SUM].in[1], HYBRID);
    MOVED(term[SUM].factor[1], 3);
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

TEST(digest_knows_every_member_of_partitions)
{
    enum terrane_partition_kind kind = TERRANE_PARTITION_NOISE;
    struct digests digests = {0};
    struct terrane_recipe recipe = recipe_middle(kind);

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
TEST(digest_leaves_names_of_terms_out)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE), other = recipe;

    other.term[SUM].name[0] = 'S';
    other.analytic = true;
    memset(&other.digest, 0x5A, sizeof other.digest);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    assert_int_equal(terrane_recipe_init(&other, NULL), 0);
    assert_memory_equal(&recipe.digest, &other.digest, sizeof recipe.digest);
    assert_string_equal(other.term[SUM].name, "Sum");
    assert_int_equal(recipe.analytic, other.analytic);
}

GROUP(recipe_digest);
