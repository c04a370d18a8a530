/*
 * Recipes as JSON (lib/recipe): what each refusal says and where (tests/config/refusals.json), and how much a recipe
 * may be.
 */
#include "../recipe_json_kit.h"

#include <jansson.h>

TEST(texts_that_are_no_recipe)
{
    assert_refused("", "line 1, column 0: ...");
    assert_refused("{\"height\": NaN}", "line 1, column ...");
    assert_refused("{\"height\": 1e999}", "line 1, column ...");
    assert_refused("{\"height\": 99999999999999999999}", "line 1, column ...");
    assert_refused("{\"height\": 1, \"height\": 2}", "line 1, column ...");
    assert_refused("7", "line 1, column ...");
    assert_refused("[]", "an array is not an object");
}

/* A document with another value where a JSON Pointer leads; "" leads to all of it. */
static json_t *changed(json_t *document, const char *pointer, json_t *value)
{
    if (*pointer == '\0')
        return json_incref(value);
    char key[64];
    const size_t bytes = strcspn(pointer + 1, "/");
    const char *const rest = pointer + 1 + bytes;
    json_t *const copy = json_copy(document);
    snprintf(key, sizeof key, "%.*s", (int)bytes, pointer + 1);
    if (json_is_array(copy)) {
        const size_t k = strtoul(key, NULL, 10);
        json_array_set_new(copy, k, changed(json_array_get(copy, k), rest, value));
    } else {
        json_object_set_new(copy, key, changed(json_object_get(copy, key), rest, value));
    }
    return copy;
}

/* tests/config/test_worlds.py asks the schema of the same ones. */
TEST(refusals_say_what_and_where)
{
    static const char *const kind[] = {"both", "program"};
    json_t *const groups = json_load_file("tests/config/refusals.json", 0, NULL);
    size_t count = 0;
    for (size_t g = 0; g < json_array_size(groups); g++)
        for (size_t k = 0; k < COUNT(kind); k++) {
            json_t *const group = json_array_get(groups, g), *const rows = json_object_get(group, kind[k]);
            for (size_t i = 0; i < json_array_size(rows); i++, count++) {
                const char *pointer, *message;
                json_t *value;
                assert_int_equal(json_unpack(json_array_get(rows, i), "[sos]", &pointer, &value, &message),
                                 0);
                json_t *const document = changed(json_object_get(group, "basis"), pointer, value);
                char *const text = json_dumps(document, 0);
                assert_refused(text, message);
                free(text);
                json_decref(document);
            }
        }
    json_decref(groups);
    assert_true(count > 100);
}

TEST(as_many_terms_as_may_be)
{
    char text[3000];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"height\": 1, \"terms\": {");
    for (int i = 0; i < 96; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\"t%d\": 1", i ? "," : "", i);
    snprintf(text + used, sizeof text - used, "}}");
    parse_good(text);
    snprintf(text + used, sizeof text - used, ",\"more\": 1}}");
    assert_refused(text, "/terms: 97 terms: allowed at most 96");
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
