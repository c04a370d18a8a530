/*
 * Documents that tell clients where a world's pyramids are: TileJSON, a MapLibre style, Cesium's layer.json, GDAL's XML, a
 * tileset of 3D Tiles.
 *
 * Pure functions of what they are given; they know no request.
 */
#ifndef TERRANE_SERVER_DOCUMENTS_H
#define TERRANE_SERVER_DOCUMENTS_H

#include "../recipe/recipe_json.h"
#include "../render/spawn.h"
#include "../tile/tile.h"

enum { DOCUMENT_BASE_BYTES = 512, DOCUMENT_WORLD_BYTES = 65, DOCUMENT_KEY_BYTES = 129 };

/* All strings are borrowed. What is NULL is not handed on to the tiles. */
struct document {
    const char *base;  /* what URLs begin with, without a slash at the end; below DOCUMENT_BASE_BYTES */
    const char *world; /* as it stands in paths: the seed, or a name; below DOCUMENT_WORLD_BYTES */
    uint64_t seed;
    bool secret; /* the seed: world is a name, and stands in its place */
    const struct recipe *recipe;
    enum tile_layer layer; /* of a style: its picture's */
    enum tile_enc enc;
    enum tile_reg reg;        /* of a map's heights */
    int bands;                /* of TileJSON */
    int size;                 /* of a map's tiles 256 or 512; of meshes, 0 for the default */
    bool metadata;            /* of a globe: its tiles say which there are below them */
    bool textured;            /* of a tileset */
    const char *variant;      /* its name */
    const char *asked_recipe; /* the recipe's name, where the world's path alone does not say it */
    const char *key;          /* any bytes, below DOCUMENT_KEY_BYTES */
    bool changes;             /* people change it */
    bool past;                /* of a world that people change: as it was after operation at */
    uint64_t at;
    const char *epoch; /* ... and which world of that name it was, for caches; NULL: it is none of the past */
    int64_t page_x, page_y; /* of a map: pages to the east and south */
    struct spawn spawn;     /* of the world; not looked at by gdal, which shows nothing */
};

/*
 * Each returns malloc'ed text with a line feed and a zero at its end, of which *bytes counts the line feed, or NULL when
 * memory is short.
 *
 * tilejson  TileJSON 3.0.0 of png tiles.
 * vectors   TileJSON 3.0.0 of vector tiles, with vector_layers. layer: height or surface.
 * style     a MapLibre style: terrain and hillshade of the surface, over them a picture. enc: terrarium or mapbox.
 * layer     Cesium's layer.json; tiles are relative to it. layer: height or surface.
 * tileset   3D Tiles 1.1: one tile, implicitly divided; tiles and subtrees are relative to it. layer: height or surface.
 * gdal      the description of a GDAL_WMS dataset: numbers as float32, of pictures their bytes.
 */
char *document_tilejson(const struct document *document, size_t *bytes);
char *document_vectors(const struct document *document, size_t *bytes);
char *document_style(const struct document *document, size_t *bytes);
char *document_layer(const struct document *document, size_t *bytes);
char *document_gdal(const struct document *document, size_t *bytes);
char *document_tileset(const struct document *document, size_t *bytes);

/* The format that document_gdal names for a layer. */
enum tile_format document_gdal_format(enum tile_layer layer);

#endif
