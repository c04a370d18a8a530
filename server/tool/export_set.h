/*
 * What a set of an engine's tiles is: the engines, a row each, which samples each tile has, and what its files are called.
 *
 * A tile whose side is odd shares its edges with the next ones, which begin on its last samples; one of an even side ends where the
 * next begins. Tiles count from the north-west, columns to the east and rows to the south.
 *
 * Pure functions.
 */
#ifndef TERRANE_SERVER_EXPORT_SET_H
#define TERRANE_SERVER_EXPORT_SET_H

#include "../tile/tile.h"

enum {
    EXPORT_ERROR_BYTES = 400,
    EXPORT_NAME_BYTES = 96, /* of a file */
    EXPORT_ACROSS_MAX = 64  /* tiles along either axis */
};

/* ---- Engines ------------------------------------------------------------------------------------------- */

enum export_engine { EXPORT_UNREAL, EXPORT_UNITY, EXPORT_GODOT, EXPORT_BLENDER, EXPORT_ENGINES };

/* How heights are written. */
enum export_coding {
    EXPORT_R16,    /* uint16, little-endian, over the set's range */
    EXPORT_GRAY16, /* the same as PNG */
    EXPORT_F32,    /* float32, little-endian: metres */
    EXPORT_TIF,    /* ... as GeoTIFF */
};

struct export_format {
    const char *name;   /* as --format has it; NULL: none */
    const char *ending; /* of files */
    enum export_coding coding;
};

enum { EXPORT_SIZES = 16, EXPORT_FORMATS = 4 };

struct export_engine_row {
    const char *name;
    int size[EXPORT_SIZES];                      /* sides of a tile, the default first; 0: no more */
    struct export_format format[EXPORT_FORMATS]; /* the default first */
    const char *place[2]; /* what stands before the numbers of column and row in a name */
    bool
        from_south; /* rows of samples begin in the south, and so do rows of tiles; but PNGs, whose first row is a picture's top */
    bool splats;    /* weights of four materials as RGBA; else each as grey */
    bool even;      /* weights have an even side: the middle row and column are left out */
    bool controls;  /* tiles of even sides have Terrain3D's control maps, too */
};

/* ---- Layers -------------------------------------------------------------------------------------------- */

enum export_layer { EXPORT_HEIGHT, EXPORT_WATER, EXPORT_COVER, EXPORT_OBJECTS, EXPORT_LAYERS };

struct export_layer_row {
    const char *name; /* as --layers has it, and files begin */
    enum tile_layer layer;
    enum tile_format format;
    int size;
    bool heights; /* in the format of heights, and of their range */
};

extern const struct export_layer_row export_layer_row[EXPORT_LAYERS];

/* ---- The set ------------------------------------------------------------------------------------------- */

/* Where the range of 16 bits comes from. */
enum export_range {
    EXPORT_RANGE_SET, /* the least and greatest of the set's own heights, to whole metres: known once all are made */
    EXPORT_RANGE_WORLD, /* what the recipe can have at all: sets of one world fit one another */
    EXPORT_RANGE_GIVEN
};

struct export_set {
    enum export_engine engine;
    const struct export_engine_row *row;
    const struct export_format *format;
    const struct terrane_recipe *recipe; /* borrowed */
    bool layer[EXPORT_LAYERS];
    int level, size;
    int step;         /* samples from a tile to the next */
    int across, down; /* tiles */
    int64_t x0, y0;   /* the north-western sample, of the level's lattice */
    double spacing_m; /* between samples of the level */
    enum export_range range;
    float low_m, high_m; /* of EXPORT_RANGE_WORLD and EXPORT_RANGE_GIVEN; else 0 */
};

/* What the words of the command line say; NULL: not given. */
struct export_words {
    const char *engine, *format, *size, *tiles, *center, *range, *layers;
};

/* Fills set, of a level of worlds of a recipe. Returns 0, or -1 with one line in error that names the option and what is
 * allowed. */
int export_set_read(struct export_set *set, const struct export_words *words,
                    const struct terrane_recipe *recipe, int level, char error[static EXPORT_ERROR_BYTES]);

/* Samples of a tile. */
static inline size_t export_set_count(const struct export_set *set)
{
    return (size_t)set->size * (size_t)set->size;
}

bool export_set_has_heights(const struct export_set *set);

/* Whether heights wait for all of them before they are written: their range is not known before. */
bool export_set_waits(const struct export_set *set);

/* The world's tiles that a tile of the set touches, or all of it does: x0 <= x < x1. */
struct export_rect {
    int64_t x0, y0, x1, y1;
};
struct export_rect export_set_touched(const struct export_set *set, int column, int row);
struct export_rect export_set_all(const struct export_set *set);

/* The key of one of these in a layer, of a finished key of the world. */
struct tile_key export_set_key(const struct export_set *set, const struct tile_key *key,
                               enum export_layer layer, int64_t x, int64_t y);

/* ---- Files --------------------------------------------------------------------------------------------- */

/* Materials' weights that a sample has; 0: the layer is not written. */
int export_set_materials(const struct export_set *set);

/* Whether there are control maps, behind the weights. */
bool export_set_controls(const struct export_set *set);

/* Samples along a side of a picture of weights. */
int export_set_weights_side(const struct export_set *set);

/* Files that a tile has of a layer; 0 where the set has none of it. */
int export_set_files(const struct export_set *set, enum export_layer layer);

/* The name of one of them. Column and row below 0: a star in place of the numbers. Returns name. */
const char *export_set_name(const struct export_set *set, enum export_layer layer, int file, int column,
                            int row, char name[static EXPORT_NAME_BYTES]);

/* Its length, where the set alone says it; else 0. */
uint64_t export_set_bytes(const struct export_set *set, enum export_layer layer, int file);

#endif
