/*
 * Documents of pyramids, and what their URLs begin with (server/http/documents.c, request_text.c).
 */
#include <math.h>

#include "../../../server/http/documents.h"
#include "../../../server/http/request_text.h"
#include "../words_kit.h"

static const struct recipe recipe = {.name = "hills",
                                     .description = "Hills & \"dales\".",
                                     .world = {.spacing_m = 2, .terms = 1, .partition.zones = 5}};

static struct document plain_document(void)
{
    return (struct document){.base = "https://maps.example:8443/t",
                             .world = "18446744073709551615",
                             .seed = UINT64_MAX,
                             .recipe = &recipe,
                             .size = 256};
}

/* Their corners lie in the pyramid's own corner tiles at its finest level: none is left out, none beyond is touched. */
TEST(bounds_are_just_inside)
{
    const struct document document = plain_document();
    const double pi = 3.14159265358979323846, side = 1 << TILE_Z0;
    double edge[4];
    size_t bytes;
    char *const text = document_tilejson(&document, &bytes);
    json_t *const root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_int_equal(json_unpack(root, "{s:[ffff]}", "bounds", edge, edge + 1, edge + 2, edge + 3), 0);
    const double x[2] = {(edge[0] + 180) / 360 * side, (edge[2] + 180) / 360 * side};
    for (int i = 0; i < 2; i++) {
        const double latitude = edge[i ? 1 : 3] * pi / 180;
        const double y = (0.5 - asinh(tan(latitude)) / (2 * pi)) * side;
        assert_true(x[i] > 0 && x[i] < side && y > 0 && y < side);
        assert_true(i == 0 ? x[i] < 1 && y < 1 : x[i] > side - 1 && y > side - 1);
    }
    json_decref(root);
    free(text);
}

/* The longest that may come: every member at its bound. */
TEST(the_longest_url_fits)
{
    static char base[DOCUMENT_BASE_BYTES], world[DOCUMENT_WORLD_BYTES], key[DOCUMENT_KEY_BYTES];
    static char name[RECIPE_NAME_BYTES + 1];
    struct document document = plain_document();
    char *(*const make[])(const struct document *, size_t *) = {
        document_tilejson, document_style, document_layer, document_gdal, document_tileset};
    memset(base, 'b', sizeof base - 1);
    memset(world, 'w', sizeof world - 1);
    memset(key, '&', sizeof key - 1);
    memset(name, 'r', sizeof name - 1);
    document.base = base;
    document.world = world;
    document.key = key;
    document.asked_recipe = name;
    document.variant = "eroded";
    document.layer = LAYER_HILLSHADE;
    document.enc = ENC_MAPBOX;
    document.page_x = document.page_y = -4194303;
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        size_t bytes;
        char *text = make[i](&document, &bytes);
        assert_non_null(text);
        assert_non_null(strstr(text, "key=%26%26%26"));
        assert_int_equal(strlen(text), bytes);
        free(text);
    }
}

static void assert_base(const struct base_url_parts *parts, const char *expected)
{
    char base[BASE_URL_BYTES];
    memset(base, 'x', sizeof base);
    base_url_write(base, parts);
    assert_string_equal(base, expected);
}

TEST(hosts_come_from_the_request)
{
    static const struct {
        struct base_url_parts parts;
        const char *base;
    } cases[] = {
        {{.target = "/xyz", .host = "example.org"}, "http://example.org"},
        {{.target = "/xyz", .host = "example.org:8080", .encrypted = true}, "https://example.org:8080"},
        {{.target = "/xyz", .host = "[::1]:80"}, "http://[::1]:80"},
        {{.target = "/xyz", .host = "Ex_am-ple.ORG."}, "http://Ex_am-ple.ORG."},
        {{.target = "http://other:1/xyz?a", .host = "example.org"}, "http://other:1"},
        {{.target = "HTTPS://other/xyz", .host = "example.org"}, "http://other"}, /* by its connection */
        {{.target = "http://other?x"}, "http://other"},
        {{.target = "http://user@other/xyz", .host = "example.org"}, ""},
        {{.target = "http:///xyz", .host = "example.org"}, ""},
        {{.target = "/xyz"}, ""},
        {{.target = "/xyz", .host = "", .encrypted = true}, ""},
        {{.host = NULL}, ""},
        {{.host = "inner", .forwarded_host = "evil"}, "http://inner"},
        /* the outermost proxy has the last word */
        {{.proxies = 1, .forwarded_prefix = "/maps"}, "/maps"},
        {{.host = "inner", .proxies = 1, .encrypted = true, .forwarded_proto = "http"}, "http://inner"},
        {{"/xyz", "inner", false, 1, NULL, NULL, NULL, NULL}, "http://inner"},
        {{"/xyz", "inner", false, 1, "outer:444", "https", "/maps", NULL}, "https://outer:444/maps"},
        {{"/xyz", "inner", false, 1, "evil, outer", "http, HTTPS", "/evil, /maps/", NULL},
         "https://outer/maps"},
        {{"/xyz", "inner", false, 1, " outer\t", " https ", " /maps/a.b ", NULL}, "https://outer/maps/a.b"},
        {{"/xyz", "inner", false, 1, "bad host", "gopher", "maps", NULL}, "http://inner"},
        {{"/xyz", "inner", false, 1, "outer,", "https,", "/maps,", NULL}, "http://inner"},
        {{"/xyz", "inner", false, 1, "", "", "", NULL}, "http://inner"},
        {{"/xyz", "inner", false, 1, NULL, NULL, "/..a/b...c", NULL}, "http://inner/..a/b...c"},
    };
    char longest[BASE_URL_HOST_BYTES + 2], expected[BASE_URL_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_base(&cases[i].parts, cases[i].base);
    static const char ill[] = "a b|a/b|a\"b|a<b|a{z}|a\xc3\xa9";
    for (const char *at = ill, *word; (word = word_next(&at));)
        assert_base(&(struct base_url_parts){.target = "/xyz", .host = word}, "");
    static const char paths[] = "/|//evil.example|/a//b|/a/../b|/./b|/a/..|/a?b|/a%2fb|/{z}";
    for (const char *at = paths, *word; (word = word_next(&at));)
        assert_base(&(struct base_url_parts){.host = "inner", .proxies = 1, .forwarded_prefix = word},
                    "http://inner");
    memset(longest, 'h', sizeof longest);
    longest[BASE_URL_HOST_BYTES] = 0;
    assert_base(&(struct base_url_parts){.host = longest}, "");
    longest[BASE_URL_HOST_BYTES - 1] = 0;
    snprintf(expected, sizeof expected, "http://%s", longest);
    assert_base(&(struct base_url_parts){.host = longest}, expected);
}

/* http.hosts says whose URLs are written, whoever asks. */
TEST(proxies_name_allowed_hosts)
{
    char *name[] = {"maps.example", "*.example.org"};
    const struct config_list hosts = {name, 2}, any = {NULL, 0};
    struct base_url_parts parts = {
        .host = "inner", .proxies = 1, .hosts = &hosts, .forwarded_host = "maps.example:81"};
    assert_base(&parts, "http://maps.example:81");
    parts.forwarded_host = "a.example.org";
    assert_base(&parts, "http://a.example.org");
    parts.forwarded_host = "evil.example";
    assert_base(&parts, "http://inner");
    parts.hosts = &any;
    assert_base(&parts, "http://evil.example");
}

GROUP(documents);
