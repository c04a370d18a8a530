/*
 * Recipes as JSON (lib/recipe): what each refusal says and where, and how much a recipe may be.
 */
#include "recipe_json_kit.h"

TEST(test_documents)
{
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

TEST(test_terms)
{
    assert_refused("{'height': null}", "/height: is no term: allowed a term's name, a number, or an object");
    assert_refused("{'height': 1e5}", "/height: 100000 is not a number from -32768 to 32768");
    assert_refused("{'height': {}}",
                   "/height: is no term: it has none of fractal, like, sum, product, blend, curve, zones, "
                   "plates, climate, coarse");
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

TEST(test_cycles)
{
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
        "{'terms': {'a': 1}, 'height': 'a', 'partition': {'noise': 'zones', 'thresholds': [0]}, " TWO_ZONES
        "}",
        "/partition/noise: cycle: zones -> zones");
    assert_refused(
        "{'terms': {'a': {'sum': ['zones']}}, 'height': 'zones', 'partition': {'voronoi': {}}, " TWO_ZONES
        "}",
        "/terms/a/sum/0: cycle: zones -> a -> zones");
    assert_refused("{'terms': {'a': 1, 'b': {'sum': ['zones']}}, 'height': 'zones',"
                   " 'partition': {'noise': 'b', 'thresholds': [0]}, " TWO_ZONES "}",
                   "/terms/b/sum/0: cycle: zones -> b -> zones");
}

TEST(test_fractals)
{
#define FRACTAL(members) "{'terms': {'hills': {'fractal': 'fbm', " members "}}, 'height': 'hills'}"
    assert_refused(
        "{'height': {'fractal': 'ridgd'}}",
        "/height/fractal: \"ridgd\" is none of fbm, billow, ridged, double-ridged, iq, multifractal, hybrid, "
        "swiss, jordan, midpoint, midpoint-smoothed; did you mean \"ridged\"?");
    assert_refused(FRACTAL("'octaves': 1000000000"),
                   "/terms/hills/octaves: 1000000000 is not a whole number from 1 to 24");
    assert_refused(
        FRACTAL("'octaves': 9"),
        "/terms/hills/octaves: 9 octaves are more than fit: 8 do, down to cells of 2 m, two samples");
    assert_refused_at(FRACTAL("'octave': 9"), "/terms/hills/octave: unknown key, perhaps octaves was meant");
    assert_refused(FRACTAL("'cell_m': 1"),
                   "/terms/hills/cell_m: 1 is not a number from 2 to 1.099511628e+12");
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

TEST(test_partitions)
{
#define PARTITION(text) "{'terms': {'a': 1}, 'height': 'zones', 'partition': {" text "}, " TWO_ZONES "}"
    assert_refused("{'terms': {'a': 1}, 'height': 'zones', " TWO_ZONES "}",
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

TEST(test_zone_members)
{
#define ZONE(text) "{'height': 'zones', 'zones': [{" text "}]}"
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

TEST(test_limits)
{
    char *text = repeat("{'height': {'sum': [1]}, 'terms': {", "'t#': 1", 97, "}}");
    assert_refused(text, "/terms: 97 terms: allowed at most 96");
    free(text);
    text = repeat("{'height': 1, 'terms': {", "'t#': 1", 96, "}}");
    good(text);
    free(text);
    /* 57 constants before the second of h, and seven sums. */
    assert_refused_at(
        "{'terms': {'a': {'sum': [1,1,1,1,1,1,1,1]}, 'b': {'sum': [1,1,1,1,1,1,1,1]}, 'c': {'sum': "
        "[1,1,1,1,1,1,1,1]},"
        " 'd': {'sum': [1,1,1,1,1,1,1,1]}, 'e': {'sum': [1,1,1,1,1,1,1,1]}, 'f': {'sum': [1,1,1,1,1,1,1,1]},"
        " 'g': {'sum': [1,1,1,1,1,1,1,1]}, 'h': {'sum': [1,1]}},"
        " 'height': {'sum': ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']}}",
        "/terms/h/sum/1: one term more than the 64");
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

TEST(test_nesting)
{
    const size_t bytes = 1 << 20;
    size_t length;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    memset(text, '[', bytes);
    text[bytes] = '\0';
    assert_false(parse(text));
    assert_string_equal(error, "a.json: the text is too large: allowed at most 262144 bytes");
    text[TERRANE_RECIPE_TEXT_MAX] = '\0';
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

GROUP(recipe_json_refusals);
