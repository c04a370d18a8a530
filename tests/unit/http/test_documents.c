/*
 * Documents of pyramids, and what their URLs begin with (server/http/documents.c, base_url.c).
 */
#include "../unit.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../server/http/base_url.h"
#include "../../../server/http/documents.h"

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

static json_t *parsed(char *text, size_t bytes)
{
    json_error_t error;
    assert_non_null(text);
    assert_int_equal(strlen(text), bytes);
    assert_int_equal(text[bytes - 1], '\n');
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s: %s", error.text, text);
    free(text);
    return root;
}

static json_t *at(json_t *value, const char *name)
{
    json_t *member = json_object_get(value, name);
    if (!member)
        fail_msg("no %s", name);
    return member;
}

static void assert_text(json_t *value, const char *name, const char *expected)
{
    assert_string_equal(json_string_value(at(value, name)), expected);
}

static void assert_number(json_t *value, const char *name, double expected)
{
    assert_true(fabs(json_number_value(at(value, name)) - expected) <= 1e-12 * fabs(expected));
}

static const char *tiles_of(json_t *value)
{
    assert_int_equal(json_array_size(at(value, "tiles")), 1);
    return json_string_value(json_array_get(at(value, "tiles"), 0));
}

/* ---- TileJSON ------------------------------------------------------------------------------------------ */

static json_t *tilejson(const struct document *document)
{
    size_t bytes;
    char *text = document_tilejson(document, &bytes);
    return parsed(text, bytes);
}

TEST(tilejson_is_of_version_3)
{
    struct document document = plain_document();
    json_t *root = tilejson(&document);
    char version[16];
    snprintf(version, sizeof version, "%d.0.0", TERRANE_GENERATOR_VERSION);
    assert_text(root, "tilejson", "3.0.0");
    assert_text(root, "version", version);
    assert_text(root, "scheme", "xyz");
    assert_text(root, "format", "png");
    assert_text(root, "encoding", "terrarium");
    assert_text(root, "description", recipe.description);
    assert_string_equal(tiles_of(root),
                        "https://maps.example:8443/t/xyz/18446744073709551615/{z}/{x}/{y}.png?v=3");
    assert_number(root, "minzoom", 0);
    assert_number(root, "maxzoom", 18);
    assert_number(root, "tileSize", 256);
    assert_text(at(root, "terrane"), "seed", "18446744073709551615");
    assert_text(at(root, "terrane"), "recipe", "hills");
    assert_text(at(root, "terrane"), "layer", "height");
    assert_number(at(root, "terrane"), "spacing_m", 2);
    assert_number(at(root, "terrane"), "generator", TERRANE_GENERATOR_VERSION);
    assert_null(json_object_get(at(root, "terrane"), "variant"));
    json_decref(root);
}

/* Their corners lie in the pyramid's own corner tiles at its finest level: none is left out, none beyond is touched. */
TEST(bounds_are_just_inside)
{
    struct document document = plain_document();
    json_t *root = tilejson(&document);
    const double pi = 3.14159265358979323846, side = 1 << TILE_Z0;
    double edge[4];
    for (size_t i = 0; i < 4; i++)
        edge[i] = json_number_value(json_array_get(at(root, "bounds"), i));
    const double x[2] = {(edge[0] + 180) / 360 * side, (edge[2] + 180) / 360 * side};
    for (int i = 0; i < 2; i++) {
        const double latitude = edge[i ? 1 : 3] * pi / 180;
        const double y = (0.5 - asinh(tan(latitude)) / (2 * pi)) * side;
        assert_true(x[i] > 0 && x[i] < side && y > 0 && y < side);
        assert_true(i == 0 ? x[i] < 1 && y < 1 : x[i] > side - 1 && y > side - 1);
    }
    json_decref(root);
}

TEST(tilejson_hands_on_what_was_asked)
{
    struct document document = plain_document();
    document.world = "alps";
    document.layer = LAYER_SURFACE;
    document.enc = ENC_MAPBOX;
    document.size = 512;
    document.variant = "base";
    document.asked_recipe = "hills";
    document.key = "a b&c=d#\"\xff~";
    document.page_x = -3;
    document.page_y = 4194303;
    json_t *root = tilejson(&document);
    assert_string_equal(tiles_of(root),
                        "https://maps.example:8443/t/xyz/alps/{z}/{x}/{y}@2x.png?v=3&recipe=hills"
                        "&variant=base&layer=surface&enc=mapbox&origin=-3,4194303"
                        "&key=a%20b%26c%3Dd%23%22%FF~");
    assert_text(root, "encoding", "mapbox");
    assert_text(root, "name", "alps: surface");
    assert_text(at(root, "terrane"), "variant", "base");
    assert_number(root, "tileSize", 512);
    assert_number(root, "maxzoom", 17);
    json_t *grid = at(root, "tileGrid");
    const double side = 256.0 * 2 * (1 << 18);
    assert_text(grid, "crs", "simple");
    assert_number(grid, "extentAtZoom0", side);
    assert_true(json_number_value(json_array_get(at(grid, "origin"), 0)) == -3.5 * side);
    assert_true(json_number_value(json_array_get(at(grid, "origin"), 1)) == -4194302.5 * side);
    json_decref(root);
}

/* An encoding is told where a client can make heights of the png, and named where it is not the default. */
TEST(encodings_are_of_heights)
{
    for (int layer = 0; layer < LAYERS; layer++)
        for (int enc = 0; enc < ENCS_PNG; enc++) {
            struct document document = plain_document();
            document.layer = (enum tile_layer)layer;
            document.enc = (enum tile_enc)enc;
            json_t *root = tilejson(&document);
            const bool heights = layer == LAYER_HEIGHT || layer == LAYER_SURFACE || layer == LAYER_DELTA;
            json_t *encoding = json_object_get(root, "encoding");
            if (heights && enc != ENC_GRAY16)
                assert_string_equal(json_string_value(encoding), tile_enc_name[enc]);
            else
                assert_null(encoding);
            const bool named = enc != ENC_TERRARIUM && tile_layer_has_enc(document.layer, document.enc);
            assert_int_equal(strstr(tiles_of(root), "&enc=") != NULL, named);
            assert_int_equal(strstr(tiles_of(root), "&layer=") != NULL, layer != LAYER_HEIGHT);
            json_decref(root);
        }
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

/* ---- Style --------------------------------------------------------------------------------------------- */

TEST(styles_have_terrain_shade_and_a_picture)
{
    struct document document = plain_document();
    size_t bytes;
    document.layer = LAYER_RELIEF;
    document.enc = ENC_MAPBOX;
    char *text = document_style(&document, &bytes);
    json_t *root = parsed(text, bytes);
    assert_number(root, "version", 8);
    const char *const dem[] = {"terrain", "hillshade"};
    for (int i = 0; i < 2; i++) {
        json_t *source = at(at(root, "sources"), dem[i]);
        assert_text(source, "type", "raster-dem");
        assert_text(source, "encoding", "mapbox");
        assert_number(source, "tileSize", 256);
        assert_number(source, "maxzoom", 18);
        assert_non_null(strstr(tiles_of(source), "layer=surface&enc=mapbox"));
    }
    json_t *picture = at(at(root, "sources"), "picture");
    assert_text(picture, "type", "raster");
    assert_non_null(strstr(tiles_of(picture), "layer=relief"));
    assert_null(strstr(tiles_of(picture), "enc="));
    assert_text(at(root, "terrain"), "source", "terrain");
    /* As wide as the map takes the page to be: 40,075 km for 2^26 samples of 2 m. */
    assert_number(at(root, "terrain"), "exaggeration", 40075016.685578488 / 134217728);
    json_t *layers = at(root, "layers");
    for (size_t i = 0; i < json_array_size(layers); i++) {
        json_t *layer = json_array_get(layers, i);
        json_t *source = json_object_get(layer, "source");
        assert_true(i == 0 || json_object_get(at(root, "sources"), json_string_value(source)));
        assert_non_null(at(layer, "type"));
    }
    assert_int_equal(json_array_size(layers), 3);
    json_decref(root);
}

/* ---- layer.json ---------------------------------------------------------------------------------------- */

TEST(globes_have_every_tile)
{
    struct document document = plain_document();
    size_t bytes;
    document.layer = LAYER_SURFACE;
    document.size = 0;
    document.key = "+";
    document.metadata = true;
    char *text = document_layer(&document, &bytes);
    json_t *root = parsed(text, bytes);
    assert_text(root, "format", "quantized-mesh-1.0");
    assert_text(root, "scheme", "tms");
    assert_text(root, "projection", "EPSG:4326");
    assert_string_equal(tiles_of(root), "{z}/{x}/{y}.terrain?v=3&key=%2B&extensions=metadata");
    assert_string_equal(json_string_value(json_array_get(at(root, "extensions"), 2)), "metadata");
    assert_number(root, "metadataAvailability", TILE_GLOBE_Z0 + 1); /* else CesiumJS fails with metadata */
    json_t *available = at(root, "available");
    assert_int_equal(json_array_size(available), TILE_GLOBE_Z0 + 1);
    for (size_t z = 0; z <= TILE_GLOBE_Z0; z++) {
        json_t *range = json_array_get(json_array_get(available, z), 0);
        assert_int_equal(json_array_size(json_array_get(available, z)), 1);
        assert_number(range, "startX", 0);
        assert_number(range, "startY", 0);
        assert_number(range, "endX", (double)(2 << z) - 1);
        assert_number(range, "endY", (double)(1 << z) - 1);
    }
    json_decref(root);
    document.layer = LAYER_HEIGHT;
    document.size = 33;
    document.metadata = false;
    document.asked_recipe = "hills";
    document.key = NULL;
    text = document_layer(&document, &bytes);
    root = parsed(text, bytes);
    assert_string_equal(tiles_of(root), "{z}/{x}/{y}.terrain?v=3&recipe=hills&layer=height&size=33");
    assert_int_equal(json_array_size(at(root, "extensions")), 2);
    assert_null(json_object_get(root, "metadataAvailability"));
    assert_int_equal(json_array_size(at(root, "available")), TILE_GLOBE_Z0 + 1);
    json_decref(root);
}

/* ---- GDAL ---------------------------------------------------------------------------------------------- */

TEST(gdal_knows_bands_and_types)
{
    static const int bands[LAYERS] = {
        [LAYER_HEIGHT] = 1, [LAYER_NORMAL] = 3,    [LAYER_PARTITION] = 5, [LAYER_SLOPE] = 1,
        [LAYER_RELIEF] = 3, [LAYER_HILLSHADE] = 1, [LAYER_WATER] = 1,     [LAYER_SURFACE] = 1,
        [LAYER_DELTA] = 1,  [LAYER_FLOW] = 1,      [LAYER_PATH] = 2,      [LAYER_CAVE] = 2};
    for (int layer = 0; layer < LAYERS; layer++) {
        const bool picture = layer_row[layer].values == 0;
        struct document document = plain_document();
        if (bands[layer] == 0)
            continue; /* newer than this list */
        char expected[64];
        size_t bytes;
        document.layer = (enum tile_layer)layer;
        document.enc = ENC_MAPBOX; /* of png; a tif has none */
        char *text = document_gdal(&document, &bytes);
        assert_non_null(text);
        assert_int_equal(strlen(text), bytes);
        assert_memory_equal(text, "<GDAL_WMS>", 10);
        snprintf(expected, sizeof expected, "<BandsCount>%d</BandsCount>", bands[layer]);
        assert_non_null(strstr(text, expected));
        assert_non_null(strstr(text, picture ? "<DataType>Byte</DataType>" : "<DataType>Float32</DataType>"));
        assert_non_null(
            strstr(text, picture ? "/${z}/${x}/${y}.png?v=3&amp;layer=" : "/${z}/${x}/${y}.tif?v=3"));
        assert_null(strstr(text, "enc="));
        assert_non_null(strstr(text, "<TileLevel>18</TileLevel>"));
        free(text);
    }
}

TEST(xml_has_no_stray_marks)
{
    struct document document = plain_document();
    size_t bytes;
    document.base = "a<b>&\"c'";
    document.layer = LAYER_SLOPE;
    char *text = document_gdal(&document, &bytes);
    assert_non_null(strstr(text, "<ServerUrl>a&lt;b&gt;&amp;&quot;c&apos;/xyz/"));
    for (const char *mark = strchr(text, '&'); mark; mark = strchr(mark + 1, '&'))
        assert_true(strncmp(mark, "&amp;", 5) == 0 || strncmp(mark, "&lt;", 4) == 0 ||
                    strncmp(mark, "&gt;", 4) == 0 || strncmp(mark, "&quot;", 6) == 0 ||
                    strncmp(mark, "&apos;", 6) == 0);
    free(text);
}

/* ---- What URLs begin with ------------------------------------------------------------------------------ */

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
        const char *target, *host;
        bool encrypted;
        const char *base;
    } cases[] = {
        {"/xyz", "example.org", false, "http://example.org"},
        {"/xyz", "example.org:8080", true, "https://example.org:8080"},
        {"/xyz", "[::1]:80", false, "http://[::1]:80"},
        {"/xyz", "Ex_am-ple.ORG.", false, "http://Ex_am-ple.ORG."},
        {"http://other:1/xyz?a", "example.org", false, "http://other:1"},
        {"HTTPS://other/xyz", "example.org", false, "http://other"}, /* by the connection it came on */
        {"http://other?x", NULL, false, "http://other"},
        {"http://user@other/xyz", "example.org", false, ""},
        {"http:///xyz", "example.org", false, ""},
        {"/xyz", NULL, false, ""},
        {"/xyz", "", true, ""},
        {"/xyz", "a b", false, ""},
        {"/xyz", "a/b", false, ""},
        {"/xyz", "a\"b", false, ""},
        {"/xyz", "a<b", false, ""},
        {"/xyz", "a{z}", false, ""},
        {"/xyz", "a\xc3\xa9", false, ""},
        {NULL, NULL, false, ""},
    };
    char longest[BASE_URL_HOST_BYTES + 2], expected[BASE_URL_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_base(&(struct base_url_parts){.target = cases[i].target,
                                             .host = cases[i].host,
                                             .encrypted = cases[i].encrypted},
                    cases[i].base);
    memset(longest, 'h', sizeof longest);
    longest[BASE_URL_HOST_BYTES] = 0;
    assert_base(&(struct base_url_parts){.host = longest}, "");
    longest[BASE_URL_HOST_BYTES - 1] = 0;
    snprintf(expected, sizeof expected, "http://%s", longest);
    assert_base(&(struct base_url_parts){.host = longest}, expected);
}

TEST(proxies_have_the_last_word)
{
    static const struct {
        const char *host, *proto, *prefix, *base;
    } cases[] = {
        {NULL, NULL, NULL, "http://inner"},
        {"outer:444", "https", "/maps", "https://outer:444/maps"},
        {"evil, outer", "http, HTTPS", "/evil, /maps/", "https://outer/maps"},
        {" outer\t", " https ", " /maps/a.b ", "https://outer/maps/a.b"},
        {"bad host", "gopher", "maps", "http://inner"},
        {"outer,", "https,", "/maps,", "http://inner"},
        {"", "", "", "http://inner"},
        {NULL, NULL, "/", "http://inner"},
        {NULL, NULL, "//evil.example", "http://inner"},
        {NULL, NULL, "/a//b", "http://inner"},
        {NULL, NULL, "/a/../b", "http://inner"},
        {NULL, NULL, "/./b", "http://inner"},
        {NULL, NULL, "/a/..", "http://inner"},
        {NULL, NULL, "/..a/b...c", "http://inner/..a/b...c"},
        {NULL, NULL, "/a?b", "http://inner"},
        {NULL, NULL, "/a%2fb", "http://inner"},
        {NULL, NULL, "/{z}", "http://inner"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_base(&(struct base_url_parts){.target = "/xyz",
                                             .host = "inner",
                                             .forwarded_host = cases[i].host,
                                             .forwarded_proto = cases[i].proto,
                                             .forwarded_prefix = cases[i].prefix},
                    cases[i].base);
    assert_base(&(struct base_url_parts){.host = "inner", .encrypted = true, .forwarded_proto = "http"},
                "http://inner");
    assert_base(&(struct base_url_parts){.forwarded_prefix = "/maps"}, "/maps");
}

/* http.hosts says whose URLs are written, whoever asks. */
TEST(proxies_name_allowed_hosts)
{
    char *name[] = {"maps.example", "*.example.org"};
    const struct config_list hosts = {name, 2}, any = {NULL, 0};
    struct base_url_parts parts = {.host = "inner", .hosts = &hosts, .forwarded_host = "maps.example:81"};
    assert_base(&parts, "http://maps.example:81");
    parts.forwarded_host = "a.example.org";
    assert_base(&parts, "http://a.example.org");
    parts.forwarded_host = "evil.example";
    assert_base(&parts, "http://inner");
    parts.hosts = &any;
    assert_base(&parts, "http://evil.example");
}

GROUP(documents);
