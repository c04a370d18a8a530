/*
 * Recipes as JSON (lib/recipe): what is taken, and that the order of keys changes nothing.
 *
 * That schema and program refuse the same texts is tested in tests/config/test_worlds.py.
 */
#include "../recipe_json_kit.h"

#include "../../../server/recipe/worlds.h"

static const struct terrane_fractal *fractal_of(const char *term)
{
    for (int i = 0; i < recipe.world.terms; i++)
        if (strcmp(recipe.world.term[i].name, term) == 0)
            return &recipe.world.term[i].fractal;
    fail_msg("there is no term %s", term);
    return NULL;
}

TEST(test_least)
{
    good("{'height': 5}");
    assert_int_equal(recipe.world.terms, 1);
    assert_true(recipe.world.term[0].offset == 5);
    assert_string_equal(recipe.world.term[0].name, "height");
    assert_true(recipe.world.spacing_m == 1 && recipe.world.low_m == -4096 && recipe.world.high_m == 4096);
    assert_int_equal(recipe.world.partition.zones, 1);
    assert_string_equal(recipe.name, "");
    good("{'height': {'fractal': 'fbm'}}");
    assert_true(fractal_of("height")->cell == 256 && fractal_of("height")->octaves == 1);
    good("{'spacing_m': 4, 'height': {'fractal': 'fbm'}}");
    assert_true(fractal_of("height")->cell == 256);
}

TEST(test_fractal_members)
{
    good("{'spacing_m': 0.5, 'height': {'fractal': 'hybrid', 'base': ['value', 'hermite', 'cellular-edge'], "
         "'octaves': 4,"
         " 'cell_m': 1000, 'lacunarity': 2.5, 'gain': 0.25, 'amplitude_m': 12.5, 'salt': 4294967295, "
         "'weight': 3,"
         " 'jitter': 0.5, 'offset': 0.75, 'sharpness': 1, 'warp': 1, 'damp': 1}}");
    const struct terrane_fractal *fractal = fractal_of("height");
    assert_int_equal(fractal->kind, TERRANE_HYBRID);
    assert_int_equal(fractal->base[0], TERRANE_VALUE);
    assert_int_equal(fractal->base[1], TERRANE_HERMITE);
    assert_int_equal(fractal->base[3], TERRANE_CELLULAR_EDGE);
    assert_int_equal(fractal->octaves, 4);
    assert_true(fractal->cell == 2000 && fractal->lacunarity == 2.5);
    assert_true(fractal->gain == 0.25f && fractal->amplitude_m == 12.5f && fractal->salt == UINT32_MAX);
    assert_true(fractal->weight == 3 && fractal->jitter == 0.5f && fractal->offset == 0.75f);
    assert_true(fractal->sharpness == 0); /* hybrid has none */
}

/* Numbers that binary32 rounds up or down are taken at both ends of a range. */
TEST(test_ends_that_are_rounded)
{
    good("{'spacing_m': 0.1, 'height': 5, 'cover': {'materials': [{'name': 'grass', 'colour': '#000000'}]}, "
         "'objects': {"
         "'classes': [{'name': 'fir', 'model': 'palm', 'radius_m': 6.4, 'on': {'grass': 1}, 'scale': [0.8, "
         "0.8]}]}}");
    assert_true(recipe.world.objects.of[0].small == 0.8f && recipe.world.objects.of[0].large == 0.8f);
    good("{'spacing_m': 0.35, 'height': 5, 'cover': {'materials': [{'name': 'grass', 'colour': '#000000'}]}, "
         "'objects': {"
         "'classes': [{'name': 'fir', 'model': 'palm', 'radius_m': 0.7, 'on': {'grass': 1}}]}, 'paths': "
         "{'width_m': 0.7, 'cell': 128}}");
}

/* The period that is usual goes with the cell. */
TEST(test_climates_of_wide_cells)
{
    good("{'terms': {'land': {'fractal': 'fbm'}}, 'height': 'land', 'climate': {'ground': 'land', 'cell_m': "
         "524288}}");
    assert_int_equal(recipe.world.climate.period_log2, 25);
    good("{'terms': {'land': {'fractal': 'fbm'}}, 'height': 'land', 'climate': {'ground': 'land', "
         "'period_m': 0.0}}");
    assert_int_equal(recipe.world.climate.period_log2, 0);
}

TEST(test_operations)
{
    good("{'terms': {'a': 1, 'b': {'product': ['a', 'a'], 'times': 3, 'offset_m': 2},"
         " 'c': {'blend': ['a', 'b'], 'by': 'a', 'from': -2, 'to': 2},"
         " 'd': {'curve': 'c', 'knots': [[0, 1], [1, 5]]}},"
         " 'height': {'sum': ['d', [2, 'b'], {'of': 'c', 'times': -1}, {'of': 'c'}, 7], 'offset_m': 9}}");
    const struct terrane_term *term = recipe.world.term;
    const char *const names[] = {"a", "b", "c", "d", "height/sum/4", "height"};
    assert_int_equal(recipe.world.terms, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(term[i].name, names[i]);
    assert_true(term[1].op == TERRANE_OP_PRODUCT && term[1].factor[0] == 3 && term[1].offset == 2);
    assert_true(term[2].op == TERRANE_OP_BLEND && term[2].low == -2 && term[2].high == 2 &&
                term[2].in[1] == 1);
    assert_true(term[3].op == TERRANE_OP_CURVE && term[3].knots == 2 && term[3].knot_y[1] == 5);
    assert_true(term[5].op == TERRANE_OP_SUM && term[5].inputs == 5 && term[5].offset == 9);
    assert_true(term[5].factor[0] == 1 && term[5].factor[1] == 2 && term[5].factor[2] == -1 &&
                term[5].factor[3] == 1);
    assert_true(term[5].in[0] == 3 && term[5].in[1] == 1 && term[5].in[2] == 2 && term[5].in[4] == 4);
}

TEST(test_like)
{
    good("{'terms': {'hills': {'fractal': 'ridged', 'octaves': 3, 'gain': 0.3, 'warp_by': {'x': 'bend'}},"
         " 'bend': {'fractal': 'fbm'}, 'rough': {'like': 'also', 'gain': 0.6},"
         " 'also': {'like': 'hills', 'fractal': 'billow'}, 'other': {'fractal': 'ridged', 'octaves': 3}},"
         " 'height': {'sum': ['hills', 'rough', 'other']}}");
    const struct terrane_fractal *hills = fractal_of("hills"), *rough = fractal_of("rough");
    assert_true(hills->salt == rough->salt && hills->salt != fractal_of("other")->salt);
    assert_int_equal(hills->salt, (uint32_t)terrane_seed_from_name("hills", 5));
    assert_int_equal(rough->kind, TERRANE_BILLOW);
    assert_true(rough->octaves == 3 && rough->gain == 0.6f && hills->gain == 0.3f);
    assert_int_equal(rough->warp_term[0], hills->warp_term[0]);
    assert_int_equal(rough->warp_term[1], -1);
    assert_true(rough->warp_m == 1);
}

TEST(test_zones)
{
    good("{'terms': {'a': {'fractal': 'fbm'}, 'n': {'fractal': 'fbm', 'cell_m': 4096}}, 'height': 'zones',"
         " 'partition': {'noise': 'n', 'thresholds': [0.25], 'blend': 0.5}, " TWO_ZONES "}");
    const struct terrane_partition *partition = &recipe.world.partition;
    assert_int_equal(partition->zones, 2);
    assert_string_equal(recipe.world.term[partition->zone[0].term].name, "a");
    assert_string_equal(recipe.world.term[partition->by].name, "n");
    assert_int_equal(partition->zone[1].term, -1);
    assert_true(partition->zone[0].amplitude == 2 && partition->zone[0].offset_m == 3);
    assert_true(partition->threshold[0] == 0.25f && partition->blend == 0.5f);
    assert_int_equal(partition->zone[1].colour[0], 0xab);
    assert_int_equal(partition->zone[1].ground.stops, 2);

    good("{'terms': {'a': 1}, 'height': {'zones': true}, 'partition': {'voronoi': {'cell_m': 256, 'lloyd': "
         "4}}, " TWO_ZONES "}");
    assert_int_equal(partition->kind, TERRANE_PARTITION_VORONOI);
    assert_true(partition->cell_log2 == 8 && partition->rounds == 4 && partition->jitter == 1);

    good("{'terms': {'a': 1}, 'height': 'zones', 'partition': {'climate': {'temperature': 'a', 'moisture': "
         "2, 'cold': -3,"
         " 'table': [['low', 'high land'], ['high land', 'high land'], ['low', 'low']]}}, " TWO_ZONES "}");
    assert_int_equal(partition->kind, TERRANE_PARTITION_CLIMATE);
    assert_true(partition->table_rows == 3 && partition->table_columns == 2 && partition->cold == -3);
    assert_true(partition->table[0] == 0 && partition->table[1] == 1 && partition->table[5] == 0);
}

/* A height that asks for no zones: they are a layer all the same; their surfaces are not. */
TEST(test_zones_without_surfaces)
{
    good("{'terms': {'a': 1, 'n': {'fractal': 'fbm'}}, 'height': 'n', 'partition': {'noise': 'n', "
         "'thresholds': [0]}, " TWO_ZONES "}");
    assert_int_equal(recipe.world.partition.zone[0].term, -1);
    assert_int_equal(recipe.world.terms, 1);
    assert_int_equal(recipe.world.partition.by, 0);
    good("{'terms': {'a': 1, 'n': {'fractal': 'fbm'}}, 'height': 'n', 'partition': {'climate':"
         " {'temperature': 'n', 'moisture': 2, 'table': [['low']]}}, " TWO_ZONES "}");
    assert_int_equal(recipe.world.terms, 3); /* the height is the last term: a copy of n */
    assert_int_equal(recipe.world.term[2].op, TERRANE_OP_SUM);
    assert_int_equal(recipe.world.term[2].in[0], 0);
}

TEST(test_unused_terms_are_dropped)
{
    good("{'terms': {'a': {'fractal': 'fbm'}}, 'height': 'a'}");
    struct terrane_digest digest = recipe.world.digest;
    good("{'terms': {'x': {'sum': ['a', 'y']}, 'a': {'fractal': 'fbm'}, 'y': 3}, 'height': 'a'}");
    assert_memory_equal(&digest, &recipe.world.digest, sizeof digest);
    assert_int_equal(recipe.world.terms, 1);
}

/* Puts members of all objects behind the others, in place. */
static void shuffle(json_t *value, unsigned *state)
{
    const size_t members = json_object_size(value);
    for (size_t i = 0; i < json_array_size(value); i++)
        shuffle(json_array_get(value, i), state);
    for (size_t n = 0; n < members; n++) {
        void *at = json_object_iter(value);
        *state = *state * 1664525u + 1013904223u;
        for (size_t k = (*state >> 8) % members; k > 0; k--)
            at = json_object_iter_next(value, at);
        char *const key = strdup(json_object_iter_key(at));
        json_t *const member = json_incref(json_object_iter_value(at));
        shuffle(member, state);
        json_object_del(value, key);
        json_object_set_new(value, key, member);
        free(key);
    }
}

/* Of all that are built in, which are within the limits of cost: those are not looked at where the book is read. */
TEST(test_order_of_keys_changes_nothing)
{
    for (size_t k = 0; book_builtin_name(k); k++) {
        size_t bytes;
        unsigned dice = 7;
        const char *text = book_builtin_text(k, &bytes);
        json_t *root = json_loadb(text, bytes, 0, NULL);
        assert_int_equal(recipe_parse(&recipe, text, bytes, "a.json", error, sizeof error), 0);
        const struct recipe first = recipe;
        for (int i = 0; i < 20; i++) {
            shuffle(root, &dice);
            char *dump = json_dumps(root, 0);
            parse_good(dump);
            assert_memory_equal(&first.world, &recipe.world, sizeof first.world);
            free(dump);
        }
        json_decref(root);
    }
}

GROUP(recipe_json);
