/*
 * Recipes as JSON (server/recipe): what is taken, what each refusal says and where, that the order of keys changes
 * nothing, and the book.
 *
 * Runs at the root of the repository and reads config/worlds. That schema and program refuse the same texts is
 * tested in tests/config/test_worlds.py.
 */
#include "recipe_json_kit.h"

#include <dirent.h>
#include <jansson.h>
#include <unistd.h>

#include "../../server/recipe/worlds.h"

/* ---- What is taken ------------------------------------------------------------------------------------- */

static const struct terrane_fractal *fractal_of(const char *term)
{
    for (int i = 0; i < recipe.world.terms; i++)
        if (strcmp(recipe.world.term[i].name, term) == 0)
            return &recipe.world.term[i].fractal;
    fail_msg("there is no term %s", term);
    return NULL;
}

static void test_least(void **state)
{
    (void)state;
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

static void test_fractal_members(void **state)
{
    (void)state;
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

static void test_operations(void **state)
{
    (void)state;
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

static void test_like(void **state)
{
    (void)state;
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

#define ZONES                                                                                        \
    "'zones': [{'name': 'low', 'colour': '#102030', 'surface': 'a', 'amplitude': 2, 'offset_m': 3}," \
    " {'name': 'high land', 'colour': '#AbCdEf', 'ground': [[0, '#000000'], [5, '#ffffff']]}]"

static void test_zones(void **state)
{
    (void)state;
    good("{'terms': {'a': {'fractal': 'fbm'}, 'n': {'fractal': 'fbm', 'cell_m': 4096}}, 'height': 'zones',"
         " 'partition': {'noise': 'n', 'thresholds': [0.25], 'blend': 0.5}, " ZONES "}");
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
         "4}}, " ZONES "}");
    assert_int_equal(partition->kind, TERRANE_PARTITION_VORONOI);
    assert_true(partition->cell_log2 == 8 && partition->rounds == 4 && partition->jitter == 1);

    good("{'terms': {'a': 1}, 'height': 'zones', 'partition': {'climate': {'temperature': 'a', 'moisture': "
         "2, 'cold': -3,"
         " 'table': [['low', 'high land'], ['high land', 'high land'], ['low', 'low']]}}, " ZONES "}");
    assert_int_equal(partition->kind, TERRANE_PARTITION_CLIMATE);
    assert_true(partition->table_rows == 3 && partition->table_columns == 2 && partition->cold == -3);
    assert_true(partition->table[0] == 0 && partition->table[1] == 1 && partition->table[5] == 0);
}

/* A height that asks for no zones: they are a layer all the same; their surfaces are not. */
static void test_zones_without_surfaces(void **state)
{
    (void)state;
    good("{'terms': {'a': 1, 'n': {'fractal': 'fbm'}}, 'height': 'n', 'partition': {'noise': 'n', "
         "'thresholds': [0]}, " ZONES "}");
    assert_int_equal(recipe.world.partition.zone[0].term, -1);
    assert_int_equal(recipe.world.terms, 1);
    assert_int_equal(recipe.world.partition.by, 0);
    good("{'terms': {'a': 1, 'n': {'fractal': 'fbm'}}, 'height': 'n', 'partition': {'climate':"
         " {'temperature': 'n', 'moisture': 2, 'table': [['low']]}}, " ZONES "}");
    assert_int_equal(recipe.world.terms, 3); /* the height is the last term: a copy of n */
    assert_int_equal(recipe.world.term[2].op, TERRANE_OP_SUM);
    assert_int_equal(recipe.world.term[2].in[0], 0);
}

static void test_unused_terms_are_dropped(void **state)
{
    struct terrane_digest digest;
    (void)state;
    good("{'terms': {'a': {'fractal': 'fbm'}}, 'height': 'a'}");
    digest = recipe.world.digest;
    good("{'terms': {'x': {'sum': ['a', 'y']}, 'a': {'fractal': 'fbm'}, 'y': 3}, 'height': 'a'}");
    assert_memory_equal(&digest, &recipe.world.digest, sizeof digest);
    assert_int_equal(recipe.world.terms, 1);
    assert_refused("{'terms': {'x': {'sum': ['a', 'z']}, 'a': 1}, 'height': 'a'}",
                   "/terms/x/sum/1: there is no term \"z\": allowed x, a");
}

/* ---- Order of keys ------------------------------------------------------------------------------------- */

/* A copy of a value with the members of all objects in another order. */
static json_t *shuffled(const json_t *value, unsigned *state)
{
    if (json_is_array(value)) {
        json_t *copy = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            json_array_append_new(copy, shuffled(json_array_get(value, i), state));
        return copy;
    }
    if (!json_is_object(value))
        return json_deep_copy(value);
    const char *keys[200];
    size_t count = 0;
    for (void *at = json_object_iter((json_t *)(uintptr_t)value); at && count < COUNT(keys);
         at = json_object_iter_next((json_t *)(uintptr_t)value, at))
        keys[count++] = json_object_iter_key(at);
    json_t *copy = json_object();
    while (count > 0) {
        *state = *state * 1664525u + 1013904223u;
        const size_t k = (*state >> 8) % count;
        json_object_set_new(copy, keys[k], shuffled(json_object_get(value, keys[k]), state));
        keys[k] = keys[--count];
    }
    return copy;
}

static void test_order_of_keys_changes_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; book_builtin_name(k); k++) {
        size_t bytes;
        unsigned dice = 7;
        const char *text = book_builtin_text(k, &bytes);
        json_t *root = json_loadb(text, bytes, 0, NULL);
        assert_int_equal(recipe_parse(&recipe, text, bytes, "a.json", error, sizeof error), 0);
        const struct recipe first = recipe;
        for (int i = 0; i < 20; i++) {
            json_t *other = shuffled(root, &dice);
            char *dump = json_dumps(other, 0);
            parse_good(dump);
            assert_memory_equal(&first.world, &recipe.world, sizeof first.world);
            free(dump);
            json_decref(other);
        }
        json_decref(root);
    }
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void test_documents(void **state)
{
    (void)state;
    assert_refused_at("", "line 1, column 0: ");
    assert_refused_at("{'height': NaN}", "line 1, column ");
    assert_refused_at("{'height': 1e999}", "line 1, column ");
    assert_refused_at("{'height': 99999999999999999999}", "line 1, column ");
    assert_refused_at("{'height': 1, 'height': 2}", "line 1, column ");
    assert_refused("[]", "an array is not an object");
    assert_refused_at("7", "line 1, column ");
    assert_refused("{}", "/height: is missing: the term that is the height, in metres");
    assert_refused_at("{'height': 1, 'hight': 1}",
                      "/hight: unknown key, perhaps height was meant: allowed $schema, name");
    assert_refused_at("{'height': 1, 'a/b~c': 1}", "/a~1b~0c: unknown key: allowed ");
    assert_refused("{'height': 1, 'spacing_m': 0}",
                   "/spacing_m: 0 is not a number from 0.0009765625 to 1048576");
    assert_refused("{'height': 1, 'spacing_m': '1'}",
                   "/spacing_m: \"1\" is not a number from 0.0009765625 to 1048576");
    assert_refused("{'height': 1, 'sea_m': 1e6}", "/sea_m: 1000000 is not a number from -32768 to 32768");
    assert_refused("{'height': 1, 'range_m': [5, 5]}", "/range_m/1: 5 is not above 5 by 1/1024 or more");
    assert_refused("{'height': 1, 'range_m': [5]}",
                   "/range_m: 1 items are not an array of 2 heights, low and high");
    assert_refused("{'height': 1, 'alias_octaves': 1}", "/alias_octaves: is neither true nor false");
    assert_refused("{'height': 1, 'description': 3}",
                   "/description: 3 is not a text of at most 399 bytes without control characters");
    assert_refused("{'height': 1, 'terms': []}", "/terms: is not an object");
    assert_refused("{'height': 1, 'terms': {'A': 1}}",
                   "/terms/A: is no name of a term: allowed [a-z][a-z0-9_-]{0,22}");
    assert_refused("{'height': 1, 'terms': {'zones': 1}}",
                   "/terms/zones: \"zones\" means the zones' surfaces already");
    assert_refused("{'height': 1, 'relief': {'water': 1}}",
                   "/relief/water: 1 is not an array of 0 to 8 colour stops");
    assert_refused_at("{'height': 1, 'relief': {'waters': []}}",
                      "/relief/waters: unknown key, perhaps water was meant");
    assert_refused("{'height': 1, 'relief': {'steep': [2, 1]}}",
                   "/relief/steep/1: 1 is not above 2 by 1/1024 or more");
}

static void test_terms(void **state)
{
    (void)state;
    assert_refused("{'height': null}", "/height: is no term: allowed a term's name, a number, or an object");
    assert_refused("{'height': 1e5}", "/height: 100000 is not a number from -32768 to 32768");
    assert_refused("{'height': {}}",
                   "/height: is no term: it has none of fractal, like, sum, product, blend, curve, zones");
    assert_refused("{'height': {'sum': []}}", "/height/sum: 0 items are not an array of 1 to 8 terms");
    assert_refused("{'height': {'sum': [1,1,1,1,1,1,1,1,1]}}",
                   "/height/sum: 9 items are not an array of 1 to 8 terms");
    assert_refused("{'height': {'sum': [[1]]}}",
                   "/height/sum/0: 1 items are not an array of 2 items, a factor and a term");
    assert_refused("{'height': {'sum': [[1e9, 1]]}}",
                   "/height/sum/0/0: 1000000000 is not a number from -1048576 to 1048576");
    assert_refused_at("{'height': {'sum': [1], 'offset': 1}}",
                      "/height/offset: unknown key, perhaps offset_m was meant");
    assert_refused_at("{'height': {'product': [1], 'time': 1}}",
                      "/height/time: unknown key, perhaps times was meant");
    assert_refused("{'height': {'blend': [1, 2]}}",
                   "/height/by: is missing: the term that says how far the blend has gone");
    assert_refused("{'height': {'blend': [1, 2], 'by': 1, 'from': 3}}",
                   "/height/to: 1 is not above from, 3, by 1/1024 or more");
    assert_refused("{'height': {'curve': 1}}",
                   "/height/knots: is missing: the curve's points, [[x, y], ...]");
    assert_refused("{'height': {'curve': 1, 'knots': [[0, 0], [0, 1]]}}",
                   "/height/knots/1/0: 0 is not above the knot before, 0, by 1/1024 or more");
    assert_refused("{'height': {'zones': false}}", "/height/zones: allowed is true alone");
    assert_refused("{'height': 'zones'}", "/height: asks for the zones, and there are none");
    assert_refused("{'terms': {'hills': 1}, 'height': 'hlls'}",
                   "/height: there is no term \"hlls\"; did you mean \"hills\"?");
}

static void test_cycles(void **state)
{
    (void)state;
    assert_refused("{'terms': {'a': 'b', 'b': 'a'}, 'height': 'a'}", "/terms/a: cycle: a -> b -> a");
    assert_refused("{'terms': {'a': {'sum': ['a']}}, 'height': 1}", "/terms/a: cycle: a -> a");
    assert_refused("{'terms': {'a': {'sum': [1, {'product': ['b', 2]}]}, 'b': {'curve': 'a', 'knots': [[0, "
                   "0], [1, 1]]}},"
                   " 'height': {'sum': ['a']}}",
                   "/terms/a: cycle: a -> b -> a");
    assert_refused("{'terms': {'a': {'fractal': 'fbm', 'warp_by': {'x': 'a'}}}, 'height': 'a'}",
                   "/terms/a: cycle: a -> a");
    assert_refused("{'terms': {'a': {'like': 'b'}, 'b': {'like': 'a'}}, 'height': 'a'}",
                   "/terms/b/like: cycle: \"a\" is like itself");
    assert_refused(
        "{'terms': {'a': 1}, 'height': 'a', 'partition': {'noise': 'zones', 'thresholds': [0]}, " ZONES "}",
        "/partition/noise: cycle: zones -> zones");
    assert_refused(
        "{'terms': {'a': {'sum': ['zones']}}, 'height': 'zones', 'partition': {'voronoi': {}}, " ZONES "}",
        "/terms/a/sum/0: cycle: zones -> a -> zones");
    assert_refused("{'terms': {'a': 1, 'b': {'sum': ['zones']}}, 'height': 'zones',"
                   " 'partition': {'noise': 'b', 'thresholds': [0]}, " ZONES "}",
                   "/terms/b/sum/0: cycle: zones -> b -> zones");
}

static void test_fractals(void **state)
{
#define FRACTAL(members) "{'terms': {'hills': {'fractal': 'fbm', " members "}}, 'height': 'hills'}"
    (void)state;
    assert_refused(
        "{'height': {'fractal': 'ridgd'}}",
        "/height/fractal: \"ridgd\" is none of fbm, billow, ridged, double-ridged, iq, multifractal, hybrid, "
        "swiss, jordan, midpoint, midpoint-smoothed; did you mean \"ridged\"?");
    assert_refused(FRACTAL("'octaves': 1000000000"),
                   "/terms/hills/octaves: 1000000000 is not a whole number from 1 to 24");
    assert_refused(FRACTAL("'octaves': 1.5"), "/terms/hills/octaves: 1.5 is not a whole number from 1 to 24");
    assert_refused(
        FRACTAL("'octaves': 9"),
        "/terms/hills/octaves: 9 octaves are more than fit: 8 do, down to cells of 2 m, two samples");
    assert_refused_at(FRACTAL("'octave': 9"), "/terms/hills/octave: unknown key, perhaps octaves was meant");
    assert_refused(FRACTAL("'cell_m': 1"),
                   "/terms/hills/cell_m: 1 is not a number from 2 to 1.099511628e+12");
    assert_refused(FRACTAL("'lacunarity': 1"), "/terms/hills/lacunarity: 1 is not a number from 1.25 to 8");
    assert_refused(FRACTAL("'gain': 2"), "/terms/hills/gain: 2 is not a number from 0 to 1");
    assert_refused(FRACTAL("'amplitude_m': -1"),
                   "/terms/hills/amplitude_m: -1 is not a number from 0 to 32768");
    assert_refused(FRACTAL("'salt': -1"), "/terms/hills/salt: -1 is not a whole number from 0 to 4294967295");
    assert_refused_at(FRACTAL("'base': 'perlin4'"),
                      "/terms/hills/base: \"perlin4\" is none of value, polynomial");
    assert_refused_at(FRACTAL("'base': ['value', 7]"), "/terms/hills/base/1: 7 is none of value, polynomial");
    assert_refused(FRACTAL("'base': []"),
                   "/terms/hills/base: 0 items are not an array of 1 to 24 bases, one an octave");
    assert_refused(FRACTAL("'warp_by': {'m': 3}"), "/terms/hills/warp_by: has neither x nor y");
    assert_refused(FRACTAL("'warp_by': 3"), "/terms/hills/warp_by: 3 is not an object");
    assert_refused(FRACTAL("'warp_by': {'x': 'y'}"),
                   "/terms/hills/warp_by/x: there is no term \"y\": allowed hills");
    assert_refused("{'height': {'fractal': 'midpoint', 'lacunarity': 3}}",
                   "/height/lacunarity: 3: midpoint displacement halves cells, it has 2 alone");
    assert_refused("{'height': {'fractal': 'midpoint', 'cell_m': 300}}",
                   "/height/cell_m: 300: midpoint displacement needs a power of two times spacing_m");
    assert_refused("{'height': {'fractal': 'midpoint', 'warp_by': {'x': 1}}}",
                   "/height/warp_by: midpoint displacement cannot be displaced");
    assert_refused("{'height': {'fractal': 'midpoint-smoothed', 'offset': -1}}",
                   "/height/offset: -1 is not a number from 0 to 4, as midpoint-smoothed needs");
    assert_refused("{'height': {'like': 3}}", "/height/like: is not the name of a fractal");
    assert_refused("{'terms': {'a': 1}, 'height': {'like': 'a'}}", "/height/like: \"a\" is no fractal");
    /* What is wrong stands where it is written, not where it is used. */
    assert_refused(
        "{'terms': {'a': {'fractal': 'fbm', 'octaves': 30}}, 'height': {'like': 'a', 'gain': 0.4}}",
        "/terms/a/octaves: 30 is not a whole number from 1 to 24");
#undef FRACTAL
}

static void test_partitions(void **state)
{
#define PARTITION(text) "{'terms': {'a': 1}, 'height': 'zones', 'partition': {" text "}, " ZONES "}"
    (void)state;
    assert_refused("{'terms': {'a': 1}, 'height': 'zones', " ZONES "}",
                   "/partition: is missing: 2 zones need one");
    assert_refused(PARTITION("'blend': 1"), "/partition: has none of noise, voronoi, climate");
    assert_refused(PARTITION("'noise': 'a'"),
                   "/partition/thresholds: is missing: one number less than there are zones");
    assert_refused(PARTITION("'noise': 'a', 'thresholds': [1, 2]"),
                   "/partition/thresholds: 2 items are not an array of 1 numbers, one less than zones");
    assert_refused(PARTITION("'noise': 'a', 'thresholds': [1], 'blend': 0"),
                   "/partition/blend: 0 is not a number from 0.0009765625 to 1048576");
    assert_refused(PARTITION("'noise': 'b', 'thresholds': [1]"),
                   "/partition/noise: there is no term \"b\": allowed zones, a");
    assert_refused(PARTITION("'voronoi': {'cell_m': 3000}"),
                   "/partition/voronoi/cell_m: 3000 is no power of two times spacing_m, 1");
    assert_refused(PARTITION("'voronoi': {'lloyd': 5}"),
                   "/partition/voronoi/lloyd: 5 is not a whole number from 0 to 4");
    assert_refused_at(PARTITION("'voronoi': {}, 'thresholds': []"),
                      "/partition/thresholds: unknown key: allowed voronoi, blend");
    assert_refused(PARTITION("'climate': {'moisture': 1, 'table': [['low']]}"),
                   "/partition/climate/temperature: is missing: a term");
    assert_refused(
        PARTITION("'climate': {'temperature': 1, 'moisture': 1}"),
        "/partition/climate/table: is missing: rows from cold to hot of zones' names from dry to wet");
    assert_refused(PARTITION("'climate': {'temperature': 1, 'moisture': 1, 'table': [['low', 'lwo']]}"),
                   "/partition/climate/table/0/1: there is no zone \"lwo\"; did you mean \"low\"?");
    assert_refused(
        PARTITION("'climate': {'temperature': 1, 'moisture': 1, 'table': [['low'], ['low', 'low']]}"),
        "/partition/climate/table/1: 2 items are not an array of 1 zones' names, as many as in the first "
        "row");
    assert_refused(
        PARTITION("'climate': {'temperature': 1, 'moisture': 1, 'cold': 2, 'hot': 1, 'table': [['low']]}"),
        "/partition/climate/hot: 1 is not above cold, 2, by 1/1024 or more");
#undef PARTITION
    assert_refused("{'height': 1, 'partition': {'voronoi': {}}, 'zones': [{'name': 'a', 'colour': '#000000', "
                   "'share': 0},"
                   " {'name': 'b', 'colour': '#000000', 'share': 0}]}",
                   "/zones: no zone has a share above 0");
    assert_refused(
        "{'height': 1, 'partition': {'noise': 1, 'thresholds': [0, 0.1], 'blend': 0.25}, 'zones': ["
        "{'name': 'a', 'colour': '#000000'}, {'name': 'b', 'colour': '#000000'}, {'name': 'c', 'colour': "
        "'#000000'}]}",
        "/partition/thresholds/1: 0.1 is not above the threshold before, 0, by blend, 0.25, or more");
}

static void test_zone_members(void **state)
{
#define ZONE(text) "{'height': 'zones', 'zones': [{" text "}]}"
    (void)state;
    assert_refused(ZONE("'colour': '#000000'"), "/zones/0/name: is missing");
    assert_refused(ZONE("'name': 'a'"), "/zones/0/colour: is missing");
    assert_refused(ZONE("'name': 'a', 'colour': '#00000g'"),
                   "/zones/0/colour: \"#00000g\" is not a colour \"#rrggbb\"");
    assert_refused(ZONE("'name': 'a', 'colour': [0, 0, 0]"),
                   "/zones/0/colour: an array is not a colour \"#rrggbb\"");
    assert_refused(ZONE("'name': ' a', 'colour': '#000000'"),
                   "/zones/0/name: is no name of a zone: allowed [A-Za-z][A-Za-z0-9 _-]{0,22}");
    assert_refused_at(ZONE("'name': 'a', 'color': '#000000'"),
                      "/zones/0/color: unknown key, perhaps colour was meant");
    assert_refused(ZONE("'name': 'a', 'colour': '#000000', 'surface': 'hlls'"),
                   "/zones/0/surface: there is no term \"hlls\": allowed zones");
    assert_refused(ZONE("'name': 'a', 'colour': '#000000', 'amplitude': 65"),
                   "/zones/0/amplitude: 65 is not a number from -64 to 64");
    assert_refused(ZONE("'name': 'a', 'colour': '#000000', 'ground': [[1, '#000000'], [1, '#000000']]"),
                   "/zones/0/ground/1/0: 1 is not above the stop before, 1, by 1/1024 or more");
#undef ZONE
    assert_refused(
        "{'height': 1, 'zones': [{'name': 'a', 'colour': '#000000'}, {'name': 'a', 'colour': '#000000'}]}",
        "/zones/1/name: zone 0 is called \"a\" already");
    assert_refused("{'height': 1, 'zones': []}", "/zones: 0 items are not an array of 1 to 16 zones");
}

/* ---- Limits -------------------------------------------------------------------------------------------- */

/* count pieces, joined by commas, between begin and end; owned. # in them is the piece's number. */
static char *repeat(const char *begin, const char *piece, int count, const char *end)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fputs(begin, out);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', out);
        for (const char *at = piece; *at; at++)
            if (*at == '#')
                fprintf(out, "%d", i);
            else
                fputc(*at, out);
    }
    fputs(end, out);
    fclose(out);
    return text;
}

static void test_limits(void **state)
{
    (void)state;
    char *text = repeat("{'height': {'sum': [1]}, 'terms': {", "'t#': 1", 97, "}}");
    assert_refused(text, "/terms: 97 terms: allowed at most 96");
    free(text);
    text = repeat("{'height': 1, 'terms': {", "'t#': 1", 96, "}}");
    good(text);
    free(text);
    /* 44 constants before the fourth of f, and five sums. */
    assert_refused_at(
        "{'terms': {'a': {'sum': [1,1,1,1,1,1,1,1]}, 'b': {'sum': [1,1,1,1,1,1,1,1]}, 'c': {'sum': "
        "[1,1,1,1,1,1,1,1]},"
        " 'd': {'sum': [1,1,1,1,1,1,1,1]}, 'e': {'sum': [1,1,1,1,1,1,1,1]}, 'f': {'sum': [1,1,1,1]}},"
        " 'height': {'sum': ['a', 'b', 'c', 'd', 'e', 'f']}}",
        "/terms/f/sum/3: one term more than the 48");
    assert_refused_at("{'terms': {'f': {'fractal': 'fbm', 'octaves': 24, 'cell_m': 1e9}},"
                      " 'height': {'sum': ['f', {'like': 'f'}, {'like': 'f'}, {'like': 'f'}, {'like': 'f'}, "
                      "{'like': 'f'}]}}",
                      "/terms/f/octaves: all fractals together have over 128 octaves");
    assert_refused_at(
        "{'height': {'fractal': 'fbm', 'base': 'cellular-f1', 'jitter': 1, 'octaves': 20, 'cell_m': 1e9}}",
        "costs as much as 2400 octaves of lattice noise: allowed at most 2000");
    good("{'height': {'fractal': 'fbm', 'base': 'cellular-f1', 'octaves': 20, 'cell_m': 1e9}}");
    assert_true(recipe.cost == 1600);
}

static void test_nesting(void **state)
{
    (void)state;
    const size_t bytes = 1 << 20;
    size_t length;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    memset(text, '[', bytes);
    text[bytes] = '\0';
    assert_false(parse(text));
    assert_string_equal(error, "a.json: the text is too large: allowed at most 262144 bytes");
    text[RECIPE_TEXT_BYTES] = '\0';
    assert_false(parse(text));
    assert_non_null(strstr(error, "maximum parsing depth reached"));
    free(text);
    /* {"sum": [{"sum": [ ... 1 ... ]}]}, 500 deep: as deep as jansson reads, deeper than terms may be. */
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fputs("{\"height\":", out);
    for (int i = 0; i < 500; i++)
        fputs("{\"sum\":[", out);
    fputs("1", out);
    for (int i = 0; i < 500; i++)
        fputs("]}", out);
    fputs("}", out);
    fclose(out);
    assert_false(parse(text));
    assert_non_null(strstr(error, ": terms rest on terms more than 128 deep"));
    assert_non_null(strstr(error, "/height/sum/0/sum/0/"));
    free(text);
}

/* ---- The book ------------------------------------------------------------------------------------------ */

static int is_recipe(const struct dirent *entry)
{
    return strstr(entry->d_name, ".json") != NULL;
}

static void test_book_is_the_folder(void **state)
{
    struct dirent **entry;
    (void)state;
    const int count = scandir("config/worlds", &entry, is_recipe, alphasort);
    assert_true(count >= 5);
    for (int k = 0; k < count; k++) {
        char path[400], name[300];
        struct recipe shipped;
        assert_non_null(book_builtin_name((size_t)k));
        snprintf(name, sizeof name, "%s.json", book_builtin_name((size_t)k));
        assert_string_equal(entry[k]->d_name, name);
        snprintf(path, sizeof path, "config/worlds/%s", name);
        if (recipe_load(&shipped, path, error, sizeof error) != 0)
            fail_msg("%s", error);
        assert_true(strlen(shipped.description) > 20);
        size_t bytes;
        const char *text = book_builtin_text((size_t)k, &bytes);
        assert_int_equal(recipe_parse(&recipe, text, bytes, name, error, sizeof error), 0);
        assert_memory_equal(&recipe.world.digest, &shipped.world.digest, sizeof recipe.world.digest);
        free(entry[k]);
    }
    free(entry);
    assert_null(book_builtin_name((size_t)count));
}

static void test_default_is_continents(void **state)
{
    static struct terrane_recipe shipped;
    (void)state;
    struct book *book = book_open("", error, sizeof error);
    assert_non_null(book);
    const struct recipe *continents = book_find(book, "continents", 10);
    assert_non_null(continents);
    terrane_recipe_default(&shipped);
    if (memcmp(&shipped.digest, &continents->world.digest, sizeof shipped.digest) != 0)
        fail_msg("lib/recipe_default.c is not config/worlds/continents.json: make recipe-default");
    book_free(book);
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_book_of_a_directory(void **state)
{
    char dir[] = "/tmp/terrane-book-XXXXXX", path[200], expected[300];
    (void)state;
    assert_non_null(mkdtemp(dir));
    write_file(dir, "mine.json", "{\"height\": 3}");
    write_file(dir, "desert.json", "{\"height\": 4}");
    write_file(dir, "README.md", "no recipe");
    struct book *book = book_open(dir, error, sizeof error);
    assert_non_null(book);
    assert_non_null(book_find(book, "alpine", 6));
    assert_null(book_find(book, "alpin", 5));
    assert_null(book_find(book, "alpine", 5));
    assert_null(book_find(book, "alpine\0", 7));
    assert_null(book_find(book, "", 0));
    assert_string_equal(book_find(book, "mineral", 4)->name, "mine");
    assert_true(book_find(book, "desert", 6)->world.term[0].offset == 4);
    for (size_t k = 1; book_at(book, k); k++)
        assert_true(strcmp(book_at(book, k - 1)->name, book_at(book, k)->name) < 0);
    book_free(book);

    write_file(dir, "bad.json", "{\"height\": \"x\"}");
    assert_null(book_open(dir, error, sizeof error));
    snprintf(expected, sizeof expected, "%s/bad.json: /height: there is no term \"x\", nor any other", dir);
    assert_string_equal(error, expected);
    write_file(dir, "bad.json", "{\"height\": 1}");
    write_file(dir, "Bad.json", "{\"height\": 1}");
    assert_null(book_open(dir, error, sizeof error));
    assert_non_null(strstr(error, "/Bad.json: is no name of a recipe: allowed [a-z][a-z0-9-]{0,63}.json"));
    const char *const names[] = {"mine.json", "desert.json", "README.md", "bad.json", "Bad.json"};
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
    assert_null(book_open(dir, error, sizeof error));
    assert_non_null(strstr(error, "No such file or directory"));
}

static int open_with(struct worlds *worlds, struct config *config, const char *text)
{
    assert_int_equal(config_load(config, NULL, error, sizeof error), 0);
    assert_int_equal(config_parse(config, text, strlen(text), "c.json", error, sizeof error), 0);
    return worlds_open(worlds, config, error, sizeof error);
}

static void test_worlds(void **state)
{
    struct config config;
    struct worlds worlds;
    const struct recipe *found = NULL;
    uint64_t seed = 0;
    (void)state;
    assert_int_equal(open_with(&worlds, &config,
                               "{\"worlds\": {\"default\": \"desert\", \"named\": {\"home\": 42, "
                               "\"peaks\": {\"seed\": \"7\", \"recipe\": \"alpine\"}}}}"),
                     0);
    assert_string_equal(worlds.standard->name, "desert");
    assert_true(worlds_named(&worlds, "home", 4, &seed, &found));
    assert_true(seed == 42 && found == worlds.standard);
    assert_true(worlds_named(&worlds, "peaks", 5, &seed, &found));
    assert_true(seed == 7 && found == worlds_recipe(&worlds, "alpine", 6));
    assert_false(worlds_named(&worlds, "peak", 4, &seed, &found));
    worlds_close(&worlds);
    config_free(&config);

    assert_int_equal(open_with(&worlds, &config, "{\"worlds\": {\"default\": \"desrt\"}}"), -1);
    assert_string_equal(error, "worlds.default: there is no recipe \"desrt\"; did you mean \"desert\"?");
    config_free(&config);
    assert_int_equal(
        open_with(&worlds, &config,
                  "{\"worlds\": {\"named\": {\"home\": {\"seed\": 1, \"recipe\": \"mountains\"}}}}"),
        -1);
    assert_string_equal(
        error, "worlds.named.home.recipe: there is no recipe \"mountains\": allowed alpine, archipelago, "
               "badlands, continents, desert");
    config_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_fractal_members),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_like),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_zones_without_surfaces),
        cmocka_unit_test(test_unused_terms_are_dropped),
        cmocka_unit_test(test_order_of_keys_changes_nothing),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_fractals),
        cmocka_unit_test(test_partitions),
        cmocka_unit_test(test_zone_members),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_book_is_the_folder),
        cmocka_unit_test(test_default_is_continents),
        cmocka_unit_test(test_book_of_a_directory),
        cmocka_unit_test(test_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
