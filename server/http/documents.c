/*
 * Documents of a world's pyramids.
 *
 * Every URL names the generator's version, so that tiles may be kept for as long as they are right, and carries what the
 * document was asked with: the same document asked twice names the same tiles.
 */
#include "documents.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_features.h"
#include "../base/check.h"
#include "../base/json_text.h"
#include "../base/text.h"
#include "../encode/describe.h"
#include "../encode/subtree.h"
#include "../encode/vectors.h"
#include "style_layers.h"

enum {
    QUERY_BYTES = 1100,
    URL_BYTES = 2048,
    START_PITCH = 45,
};

/* Web Mercator: the side of its square in its own metres, and how far a half of it is where no tile beyond the pyramid's is
 * touched: a fraction of the finest tile inside. */
static const double MERCATOR_M = 40075016.68557848615;
static const double EDGE_LONGITUDE = 179.9999, EDGE_LATITUDE = 85.0511;

/* ---- URLs ---------------------------------------------------------------------------------------------- */

struct query {
    char text[QUERY_BYTES];
    size_t bytes;
};

static void query_add(struct query *query, const char *name, const char *value)
{
    const int n = snprintf(query->text + query->bytes, QUERY_BYTES - query->bytes, "%c%s=%s",
                           query->bytes ? '&' : '?', name, value);
    query->bytes += (size_t)n;
    CHECK(query->bytes < QUERY_BYTES);
}

/* With escapes for all but what RFC 3986 leaves unreserved. */
static void query_add_bytes(struct query *query, const char *name, const char *value)
{
    char text[3 * DOCUMENT_KEY_BYTES + 1];
    size_t n = 0;
    CHECK(strlen(value) < DOCUMENT_KEY_BYTES);
    for (const char *at = value; *at; at++) {
        const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                           (*at >= '0' && *at <= '9') || strchr("-._~", *at);
        n += (size_t)snprintf(text + n, sizeof text - n, plain ? "%c" : "%%%02X", (unsigned char)*at);
    }
    text[n] = 0;
    query_add(query, name, text);
}

/* What all tiles of a document are asked with. */
static void query_begin(struct query *query, const struct document *document)
{
    char version[16], at[24];
    query->bytes = 0;
    snprintf(version, sizeof version, "%d", document->recipe->world.generator);
    query_add(query, "v", version);
    if (document->asked_recipe)
        query_add(query, "recipe", document->asked_recipe);
    if (document->variant)
        query_add(query, "variant", document->variant);
    snprintf(at, sizeof at, "%" PRIu64, document->at);
    if (document->past)
        query_add(query, "at", at);
    if (document->epoch)
        query_add(query, "epoch", document->epoch);
}

static void query_end(struct query *query, const struct document *document)
{
    char pages[48];
    snprintf(pages, sizeof pages, "%" PRId64 ",%" PRId64, document->page_x, document->page_y);
    if (document->page_x || document->page_y)
        query_add(query, "origin", pages);
    if (document->key)
        query_add_bytes(query, "key", document->key);
}

/* Of meshes: where none is asked for, it is the tiles' own. */
static void query_add_size(struct query *query, const struct document *document)
{
    char size[16];
    snprintf(size, sizeof size, "%d", document->size);
    if (document->size)
        query_add(query, "size", size);
}

/* A template of a map's tiles. brace: what stands before one, for GDAL. */
static void map_url(char url[URL_BYTES], const struct document *document, enum tile_layer layer,
                    enum tile_format format, const char *brace)
{
    struct query query;
    query_begin(&query, document);
    if (layer != LAYER_HEIGHT)
        query_add(&query, "layer", tile_layer_name[layer]);
    if (format == FORMAT_PNG && document->enc != ENC_TERRARIUM && tile_layer_has_enc(layer, document->enc))
        query_add(&query, "enc", tile_enc_name[document->enc]);
    if (format == FORMAT_PNG && document->reg != REG_CORNER)
        query_add(&query, "reg", tile_reg_name[document->reg]);
    if (format == FORMAT_PNG && document->bands != 0)
        query_add(&query, "bands", "1");
    if (format == FORMAT_MVT && document->size != format_row[FORMAT_MVT].size)
        query_add_size(&query, document);
    query_end(&query, document);
    const int n =
        snprintf(url, URL_BYTES, "%s/xyz/%s/%s{z}/%s{x}/%s{y}%s.%s%s", document->base, document->world, brace,
                 brace, brace, document->size == 512 ? "@2x" : "", tile_format_name[format], query.text);
    CHECK(n > 0 && n < URL_BYTES);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* A tile of size 512 has the samples of a finer level, so these end one above the finest. */
static int zoom_max(const struct document *document)
{
    return document->size == 512 ? TILE_Z0 - 1 : TILE_Z0;
}

static json_t *edges(void)
{
    return json_pack("[f, f, f, f]", -EDGE_LONGITUDE, -EDGE_LATITUDE, EDGE_LONGITUDE, EDGE_LATITUDE);
}

static json_t *seed_text(uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return json_string(text);
}

/* Semantic versioning of what tiles hold: another generator makes other worlds. */
static json_t *version_text(const struct document *document)
{
    return json_sprintf("%d.0.0", document->recipe->world.generator);
}

/* What is the world's own, for clients that know terrane; registration: of tiles that have one to choose, or NULL. */
static json_t *world_of(const struct document *document, const char *registration)
{
    json_t *materials = layer_row[document->layer].values == VALUES_OF_MATERIALS
                            ? describe_materials(&document->recipe->world)
                            : NULL;
    return json_pack(
        "{s:o, s:s, s:s, s:s*, s:s*, s:f, s:i, s:{s:f, s:f, s:f}, s:o*}", document->secret ? "name" : "seed",
        document->secret ? json_string(document->world) : seed_text(document->seed), "recipe",
        document->recipe->name, "layer", tile_layer_name[document->layer], "variant", document->variant,
        "registration", registration, "spacing_m", document->recipe->world.spacing_m, "generator",
        document->recipe->world.generator, "spawn", "x", document->spawn.x_m, "y", document->spawn.y_m,
        "height", document->spawn.height_m, "materials", materials);
}

/* Metres from one side of a page to the other. */
static double page_m(const struct document *document)
{
    return document->recipe->world.spacing_m * TERRANE_TILE_SAMPLES * (double)(1 << TILE_Z0);
}

/* ---- The first view: of a map, and of a globe, whose half is a fourth of the plane that a map shows ---- */

static int start_zoom(const struct document *document)
{
    const int zoom = TILE_Z0 - document->spawn.level, max = zoom_max(document);
    return zoom < max ? zoom : max;
}

static double rounded(double degrees)
{
    return round(degrees * 1e7) / 1e7;
}

/* Of another page than the spawn's the middle. more: what stands behind longitude and latitude, or NULL. */
static json_t *map_center(const struct document *document, json_t *more)
{
    const double pi = 3.14159265358979323846,
                 east = document->spawn.x_m / page_m(document) - (double)document->page_x,
                 south = document->spawn.y_m / page_m(document) - (double)document->page_y;
    const bool here = fabs(east) < 0.5 && fabs(south) < 0.5;
    return json_pack("[f, f, o*]", here ? rounded(east * 360) : 0,
                     here ? rounded(atan(sinh(-2 * pi * south)) * 180 / pi) : 0, more);
}

static json_t *globe_center(const struct document *document)
{
    const double degrees = 360 / (page_m(document) / 2), longitude = document->spawn.x_m * degrees,
                 latitude = -document->spawn.y_m * degrees;
    const bool here = fabs(longitude) < 180 && fabs(latitude) < 90;
    return json_pack("[f, f, i]", here ? rounded(longitude) : 0, here ? rounded(latitude) : 0,
                     TILE_GLOBE_Z0 - document->spawn.level);
}

/* The plane that the tiles lie on, in metres, north up. */
static json_t *grid_of(const struct document *document)
{
    const double side_m = page_m(document);
    return json_pack("{s:s, s:s, s:[f, f], s:f}", "id", "plane", "crs", "simple", "origin",
                     ((double)document->page_x - 0.5) * side_m, (0.5 - (double)document->page_y) * side_m,
                     "extentAtZoom0", side_m);
}

char *document_tilejson(const struct document *document, size_t *bytes)
{
    char url[URL_BYTES];
    map_url(url, document, document->layer, FORMAT_PNG, "");
    json_t *value = json_pack(
        "{s:s, s:[s], s:o, s:s, s:o, s:o, s:o, s:i, s:i, s:s, s:s, s:s*, s:i, s:o, s:o}", "tilejson", "3.0.0",
        "tiles", url, "name", json_sprintf("%s: %s", document->world, tile_layer_name[document->layer]),
        "description", document->recipe->description, "version", version_text(document), "bounds", edges(),
        "center", map_center(document, json_integer(start_zoom(document))), "minzoom", 0, "maxzoom",
        zoom_max(document), "scheme", "xyz", "format", tile_format_name[FORMAT_PNG], "encoding",
        tile_rgb_enc(document->layer, document->enc), "tileSize", document->size, "tileGrid",
        grid_of(document), "terrane",
        world_of(document, layer_row[document->layer].heights ? tile_reg_name[document->reg] : NULL));
    return json_text(value, JSON_INDENT(2), bytes);
}

/* The root lies between tiles, which are put together of samples alone: it has no vectors. */
enum { VECTORS_ZOOM_MIN = 1 };

char *document_vectors(const struct document *document, size_t *bytes)
{
    char url[URL_BYTES];
    map_url(url, document, document->layer, FORMAT_MVT, "");
    const int zoom = start_zoom(document);
    json_t *value = json_pack(
        "{s:s, s:[s], s:o, s:s, s:o, s:o, s:o, s:i, s:i, s:s, s:s, s:o, s:o, s:o}", "tilejson", "3.0.0",
        "tiles", url, "name", json_sprintf("%s: vectors", document->world), "description",
        document->recipe->description, "version", version_text(document), "bounds", edges(), "center",
        map_center(document, json_integer(zoom > VECTORS_ZOOM_MIN ? zoom : VECTORS_ZOOM_MIN)), "minzoom",
        VECTORS_ZOOM_MIN, "maxzoom", TILE_Z0, "scheme", "xyz", "format", "pbf", "vector_layers",
        vector_layers(), "tileGrid", grid_of(document), "terrane", world_of(document, NULL));
    return json_text(value, JSON_INDENT(2), bytes);
}

static json_t *dem_source(const struct document *document)
{
    char url[URL_BYTES];
    map_url(url, document, LAYER_SURFACE, FORMAT_PNG, "");
    return json_pack("{s:s, s:[s], s:s, s:i, s:i, s:i, s:o}", "type", "raster-dem", "tiles", url, "encoding",
                     tile_enc_name[document->enc], "tileSize", document->size, "minzoom", 0, "maxzoom",
                     zoom_max(document), "bounds", edges());
}

static json_t *picture_source(const struct document *document)
{
    struct document plain = *document;
    char url[URL_BYTES];
    plain.enc = ENC_TERRARIUM;
    plain.reg = REG_CORNER;
    map_url(url, &plain, document->layer, FORMAT_PNG, "");
    return json_pack("{s:s, s:[s], s:i, s:i, s:i, s:o}", "type", "raster", "tiles", url, "tileSize",
                     document->size, "minzoom", 0, "maxzoom", zoom_max(document), "bounds", edges());
}

/* Of the vector tiles of the ground that the style shows. */
static json_t *vector_source(const struct document *document)
{
    struct document plain = *document;
    char url[URL_BYTES];
    plain.size = format_row[FORMAT_MVT].size;
    map_url(url, &plain, LAYER_HEIGHT, FORMAT_MVT, "");
    return json_pack("{s:s, s:[s], s:i, s:i, s:o}", "type", "vector", "tiles", url, "minzoom",
                     VECTORS_ZOOM_MIN, "maxzoom", TILE_Z0, "bounds", edges());
}

static json_t *style_layers(const struct document *document)
{
    const bool shaded = layer_row[document->layer].values == 0; /* pictures have a light of their own */
    json_t *layers = json_pack(
        "[{s:s, s:s, s:{s:s}}, {s:s, s:s, s:s}, {s:s, s:s, s:s, s:{s:f, s:s, s:s, s:s}}]", "id", "background",
        "type", "background", "paint", "background-color", "#20303c", "id", "picture", "type", "raster",
        "source", "picture", "id", "hillshade", "type", "hillshade", "source", "hillshade", "paint",
        "hillshade-exaggeration", shaded ? 0.125 : 0.25, "hillshade-shadow-color", "#1c2530",
        "hillshade-highlight-color", "#fff8e7", "hillshade-accent-color", "#3a4450");
    style_add_vectors(&layers, "vectors");
    return layers;
}

/* Two sources of heights: a map that draws terrain and shade from one shows both less well. */
char *document_style(const struct document *document, size_t *bytes)
{
    json_t *sources =
        json_pack("{s:o, s:o, s:o, s:o}", "terrain", dem_source(document), "hillshade", dem_source(document),
                  "picture", picture_source(document), "vectors", vector_source(document));
    json_t *sky = json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "sky-color", "#7aa7d6", "horizon-color",
                            "#dfe9f2", "fog-color", "#dfe9f2", "sky-horizon-blend", 0.5, "horizon-fog-blend",
                            0.5, "fog-ground-blend", 0.75);
    /* Mercator's square holds the page: what is a metre to the map is more, or less, on the ground. */
    const double exaggeration = MERCATOR_M / page_m(document);
    json_t *value =
        json_pack("{s:i, s:o, s:{s:o}, s:o, s:i, s:i, s:o, s:{s:s, s:f}, s:o, s:o}", "version", 8, "name",
                  json_sprintf("%s: %s", document->world, tile_layer_name[document->layer]), "metadata",
                  "terrane:world", world_of(document, NULL), "center", map_center(document, NULL), "zoom",
                  start_zoom(document), "pitch", START_PITCH, "sources", sources, "terrain", "source",
                  "terrain", "exaggeration", exaggeration, "sky", sky, "layers", style_layers(document));
    return json_text(value, JSON_INDENT(2), bytes);
}

/*
 * Every tile of every level is there, and where the tiles say so, too (metadata), metadataAvailability has to stand beside
 * it: CesiumJS fails on such tiles without it. CesiumJS and Cesium Native then believe the tiles alone, other readers
 * `available`. What they need is a tile of every METADATA_LEVELS-th level: the roots, and no other.
 */
enum { METADATA_LEVELS = TILE_GLOBE_Z0 + 1 };

static json_t *all_available(void)
{
    json_t *levels = json_array();
    for (int z = 0; levels && z <= TILE_GLOBE_Z0; z++)
        json_append(&levels, json_pack("[{s:i, s:i, s:i, s:i}]", "startX", 0, "startY", 0, "endX",
                                       (2 << z) - 1, "endY", (1 << z) - 1));
    return levels;
}

char *document_layer(const struct document *document, size_t *bytes)
{
    char url[URL_BYTES];
    struct query query;
    query_begin(&query, document);
    if (document->layer != LAYER_SURFACE)
        query_add(&query, "layer", tile_layer_name[document->layer]);
    query_add_size(&query, document);
    query_end(&query, document);
    if (document->metadata)
        query_add(&query, "extensions", "metadata");
    snprintf(url, sizeof url, "{z}/{x}/{y}.terrain%s", query.text);
    json_t *value = json_pack(
        "{s:s, s:o, s:s, s:o, s:s, s:s, s:s, s:s, s:[s], s:[s, s, s*], s:[i, i, i, i], s:o, s:i, "
        "s:i, s:o, s:o}",
        "tilejson", "2.1.0", "name",
        json_sprintf("%s: %s", document->world, tile_layer_name[document->layer]), "description",
        document->recipe->description, "version", version_text(document), "format", "quantized-mesh-1.0",
        "scheme", "tms", "projection", "EPSG:4326", "attribution", "terrane", "tiles", url, "extensions",
        "octvertexnormals", "watermask", document->metadata ? "metadata" : NULL, "bounds", -180, -90, 180, 90,
        "center", globe_center(document), "minzoom", 0, "maxzoom", TILE_GLOBE_Z0, "available",
        all_available(), "terrane", world_of(document, NULL));
    if (document->metadata)
        json_put(&value, "metadataAvailability", json_integer(METADATA_LEVELS));
    return json_text(value, JSON_INDENT(2), bytes);
}

/* ---- 3D Tiles ------------------------------------------------------------------------------------------ */

static json_t *template_of(const char *ending, const struct query *query)
{
    return json_sprintf("{level}/{x}/{y}.%s%s", ending, query->text);
}

/* How far the tiles' ground may be from the bounds of the noise: by erosion, paths and what people do. */
static double moved_of(const struct document *document)
{
    const struct terrane_recipe *recipe = &document->recipe->world;
    struct tile_key key = {.layer = document->layer, .variant = VARIANT_UNSAID};
    for (int v = 0; document->variant && v < VARIANTS; v++)
        if (strcmp(document->variant, tile_variant_name[v]) == 0)
            key.variant = (enum tile_variant)v;
    tile_key_vary(&key, recipe);
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(recipe, &bounds);
    return (key.variant == VARIANT_BASE ? 0 : bounds.erosion_m) +
           (key.variant == VARIANT_CARVED ? bounds.paths_m : 0) +
           (document->changes ? TERRANE_EDIT_MOVE_M : 0);
}

/*
 * Around the page: x to the east, y to the north, z up, metres. Skirts are at most as long as the world is tall before erosion
 * and paths, which may move ground beyond that.
 */
static json_t *page_box(const struct document *document)
{
    const double half_m = page_m(document) / 2;
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(&document->recipe->world, &bounds);
    const double skirt_m = bounds.high_m - bounds.low_m, moved_m = moved_of(document);
    const double low_m = bounds.low_m - (moved_m + skirt_m),
                 high_m = fmax(bounds.high_m + moved_m, document->recipe->world.sea_m);
    return json_pack("[f, f, f, f, f, f, f, f, f, f, f, f]", 0.0, 0.0, (low_m + high_m) / 2, half_m, 0.0, 0.0,
                     0.0, half_m, 0.0, 0.0, 0.0, (high_m - low_m) / 2);
}

/* What subtrees say of their tiles: encode/subtree.c. */
static json_t *schema(void)
{
    return json_pack("{s:s, s:{s:{s:{s:{s:s, s:s, s:s, s:b, s:i, s:b}}}}}", "id", "terrane", "classes",
                     "tile", "properties", "box", "type", "SCALAR", "componentType", "FLOAT64", "semantic",
                     "TILE_BOUNDING_BOX", "array", 1, "count", SUBTREE_BOX_NUMBERS, "required", 1);
}

/* A tile's error counts as a step between its vertices: what a client takes for an error, in pixels, is its steps' width. */
char *document_tileset(const struct document *document, size_t *bytes)
{
    const int steps = (document->size ? document->size : TERRANE_TILE_SAMPLES / 2 + 1) - 1;
    const double error_m = page_m(document) / steps;
    struct query query;
    query_begin(&query, document);
    if (document->layer != LAYER_SURFACE)
        query_add(&query, "layer", tile_layer_name[document->layer]);
    query_add_size(&query, document);
    if (document->enc == ENC_QUANTISED)
        query_add(&query, "enc", tile_enc_name[document->enc]);
    if (document->textured)
        query_add(&query, "texture", tile_layer_name[LAYER_RELIEF]);
    query_end(&query, document);
    json_t *tiling = json_pack("{s:s, s:i, s:i, s:{s:o}}", "subdivisionScheme", "QUADTREE", "subtreeLevels",
                               TILESET_SUBTREE_LEVELS, "availableLevels", TILE_Z0 + 1, "subtrees", "uri",
                               template_of("subtree", &query));
    json_t *root = json_pack("{s:{s:o}, s:f, s:s, s:{s:o}, s:o}", "boundingVolume", "box", page_box(document),
                             "geometricError", error_m, "refine", "REPLACE", "content", "uri",
                             template_of("glb", &query), "implicitTiling", tiling);
    json_t *value = json_pack("{s:{s:s, s:o}, s:o, s:f, s:o, s:{s:o}}", "asset", "version", "1.1",
                              "tilesetVersion", version_text(document), "schema", schema(), "geometricError",
                              2 * error_m, "root", root, "extras", "terrane", world_of(document, NULL));
    return json_text(value, JSON_INDENT(2), bytes);
}

/* ---- XML ----------------------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
    static const struct {
        char c;
        const char *name;
    } escape[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
    for (; *text; text++) {
        const char *name = NULL;
        for (size_t i = 0; i < sizeof escape / sizeof *escape; i++)
            name = *text == escape[i].c ? escape[i].name : name;
        if (name)
            fputs(name, out);
        else
            fputc(*text, out);
    }
}

enum tile_format document_gdal_format(enum tile_layer layer)
{
    return tile_layer_has(layer, FORMAT_TIF) ? FORMAT_TIF : FORMAT_PNG;
}

/* One a number of a sample; of relief red, green and blue. */
static int bands_of(const struct document *document)
{
    return layer_row[document->layer].picture == PICTURE_COLOURS
               ? 3
               : tile_values(document->layer, &document->recipe->world);
}

/* Begins with <GDAL_WMS>: GDAL knows the file by that, and takes no declaration before it. */
char *document_gdal(const struct document *document, size_t *bytes)
{
    const enum tile_format format = document_gdal_format(document->layer);
    char url[URL_BYTES], *text = NULL;
    const double edge = MERCATOR_M / 2;
    FILE *out = open_memstream(&text, bytes);
    if (!out)
        return NULL;
    map_url(url, document, document->layer, format, "$");
    fputs("<GDAL_WMS>\n  <Service name=\"TMS\">\n    <ServerUrl>", out);
    put_text(out, url);
    fprintf(out,
            "</ServerUrl>\n  </Service>\n"
            "  <DataWindow>\n"
            "    <UpperLeftX>%.10f</UpperLeftX>\n    <UpperLeftY>%.10f</UpperLeftY>\n"
            "    <LowerRightX>%.10f</LowerRightX>\n    <LowerRightY>%.10f</LowerRightY>\n"
            "    <TileLevel>%d</TileLevel>\n    <TileCountX>1</TileCountX>\n    <TileCountY>1</TileCountY>\n"
            "    <YOrigin>top</YOrigin>\n"
            "  </DataWindow>\n",
            -edge, edge, edge, -edge, zoom_max(document));
    fprintf(out,
            "  <Projection>EPSG:3857</Projection>\n"
            "  <BlockSizeX>%d</BlockSizeX>\n  <BlockSizeY>%d</BlockSizeY>\n"
            "  <BandsCount>%d</BandsCount>\n  <DataType>%s</DataType>\n"
            "  <MaxConnections>4</MaxConnections>\n",
            document->size, document->size, bands_of(document), format == FORMAT_TIF ? "Float32" : "Byte");
    if (format == FORMAT_TIF && layer_row[document->layer].none != 0)
        fprintf(out, "  <DataValues NoData=\"%.9g\"/>\n", (double)layer_row[document->layer].none);
    fputs("</GDAL_WMS>\n", out);
    return text_end(out, &text);
}
