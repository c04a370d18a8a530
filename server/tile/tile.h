/*
 * What a tile is called: layers, formats, encodings, sizes, and the key that names one representation.
 *
 * The vocabulary of the whole server. Knows no HTTP, no cache and no encoder.
 */
#ifndef TERRANE_SERVER_TILE_H
#define TERRANE_SERVER_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../lib/terrane.h"
#include "../edit/edit_log.h"
#include "alias.h"
#include "format.h"
#include "layer.h"

enum tile_variant {
    VARIANT_BASE,
    VARIANT_ERODED,
    VARIANT_CARVED, /* eroded, where the level erodes, with paths in it */
    VARIANTS,
    VARIANT_UNSAID = VARIANTS /* before tile_key_vary: the recipe's default */
};

/* How a representation's bytes are coded for the way: Content-Encoding. */
enum tile_coding { CODING_IDENTITY, CODING_GZIP, CODING_ZSTD, CODINGS };
enum tile_enc {
    ENC_TERRARIUM,
    ENC_MAPBOX,
    ENC_GRAY16,
    ENCS_PNG,
    ENC_QUANTISED = ENCS_PNG, /* of a mesh: 16 and 8 bits a number instead of 32 */
    ENCS
};
/* Registration: where in its pixel a picture's value is. REG_CENTER: in the middle, the mean of what the four corners have in
 * the same encoding, rounded half up. The key's size counts pixels; samples are one more along each axis. */
enum tile_reg { REG_CORNER, REG_CENTER, REGS };
/* Pyramids: z of level 0. The side of a web map is 2^TILE_Z0 of its tiles, half a turn of the globe 2^TILE_GLOBE_Z0. */
enum { TILE_Z0 = 18, TILE_GLOBE_Z0 = 16 };
enum { TILESET_SUBTREE_LEVELS = 5 }; /* of 3D Tiles: levels of the web map's pyramid that one file is about */

/* Where a tile lies beside the one of its coordinates: half a tile to the north, or to the north and west. What is at the
 * root of a pyramid whose middle is the world's origin. */
enum tile_shift { SHIFT_NONE, SHIFT_NORTH, SHIFT_NORTH_WEST };

/* Names as they stand in URLs and on the command line, indexed by the enums above. */
extern const char *const tile_variant_name[VARIANTS];
extern const char *const tile_enc_name[ENCS];
extern const char *const tile_reg_name[REGS];
extern const char *const tile_coding_name[CODINGS]; /* as in Content-Encoding */

/* Is there such a representation? */
bool tile_layer_has(enum tile_layer layer, enum tile_format format);

/* Is a layer worth asking for? Empty ones are, too, that there always were. */
bool tile_layer_is_in(const struct terrane_recipe *recipe, enum tile_layer layer);

/* Is there such a PNG? quantised is of meshes. */
bool tile_layer_has_enc(enum tile_layer layer, enum tile_enc enc);

/* The name of the encoding of a layer's png that maps can make heights of; NULL: it has none. */
const char *tile_rgb_enc(enum tile_layer layer, enum tile_enc enc);

/* How many numbers a sample of a layer has, in worlds of a recipe: 1 .. TERRANE_ZONES_MAX. Of pictures alone: 1. */
int tile_values(enum tile_layer layer, const struct terrane_recipe *recipe);

/* How many bytes a sample has, in a format whose row says value_bytes. */
size_t tile_sample_bytes(enum tile_layer layer, enum tile_format format, const struct terrane_recipe *recipe);

/* Whether a sample is one number, so that a tile has a least and a greatest one. */
bool tile_layer_has_range(enum tile_layer layer);

/* Whether a window of samples, which may begin within a tile, has such a format: that of any picture, and of numbers. */
bool tile_layer_has_window(enum tile_layer layer, enum tile_format format);

/* Index of a name in one of the tables above, or -1. The name need not be zero-terminated. */
int tile_name_find(const char *const *names, int count, const char *name, size_t bytes);

/* The names of such a table, with ", " between them, as many as there is room for; what of the text was used. */
size_t tile_names_list(char *text, size_t room, const char *const *names, int count);

/* One tile in one representation. Canonical once tile_key_vary and tile_key_finish have run: equal tiles have equal
 * members. */
struct tile_key {
    uint64_t seed;
    int64_t x, y;
    int level;
    enum tile_layer layer;
    enum tile_variant variant;
    enum tile_format format;
    enum tile_enc enc;       /* ENC_TERRARIUM where the representation has no encoding to choose */
    int size;                /* 0 before tile_key_finish: the format's default */
    enum tile_coding coding; /* CODING_IDENTITY of png, and of whatever tile_key_finish leaves */
    enum tile_shift shift;
    enum tile_reg reg; /* REG_CORNER where nothing else can be: see tile_key_finish */
    bool metadata;     /* terrain says which tiles there are below it; false of all other formats */
    bool placed;       /* a glb's node puts it where it is in the world; false of all other formats */
    bool textured;     /* a glb of ground holds the tile's relief as a picture; false of all others */
    int bands;     /* of a png or rgba8 of weights: from the 4 * bands-th on; 0 or 1, and 0 of all others */
    int generator; /* the one that links have to name; 0: none */
    const char *recipe;        /* its name, for links, borrowed; NULL: the one that links need not name */
    const struct alias *alias; /* borrowed; NULL: the seed is no secret */
    struct edit_log *edits;    /* of a shared world, borrowed; else NULL: what people did to it, */
    uint64_t at;               /* as far as its operation of that number */
};

/* Parts where an operation lies that may move ground of a key's tile, at its level or a finer one, from a sample on over so many along both axes. */
struct terrane_edit_box tile_edits_box(const struct tile_key *key, int west, int north, int side);

/* Operations, in order, that may move ground of a subtree's tiles, whatever their level. Returns how many, in an array that is the caller's;
 * EDIT_LOG_MANY: there are thousands; EDIT_LOG_FAILED: memory is short. */
size_t tile_edits_within(const struct tile_key *key, struct terrane_edit **edits);

/* The digest of what lies over a finished key's ground: of the operations that it rests on, in order, with EDIT_MARGIN samples around it; of
 * a subtree, tile_edits_within. Zeros where there are none; false: memory is short. */
bool tile_edits_digest(const struct tile_key *key, struct terrane_digest *digest);

/* A key's world as it stands in paths, and the member of JSON that says it: its name under "name" where its seed is a secret, else
 * the seed under "seed". text: room for the seed's digits; returns it, or the name. */
enum { TILE_SEED_BYTES = 24 };
const char *tile_world_name(const struct tile_key *key, char text[static TILE_SEED_BYTES]);
const char *tile_world_member(const struct tile_key *key);

/* What of a key's world its path does not say, as links have it: "?recipe=alpine&v=7", the first mark as given; "" where nothing is
 * needed. Returns text. */
enum { TILE_WORLD_QUERY_BYTES = 96 };
const char *tile_world_query(const struct tile_key *key, char mark, char text[static TILE_WORLD_QUERY_BYTES]);

enum tile_problem {
    TILE_FINE,
    TILE_BAD_LEVEL,
    TILE_BAD_TILE,
    TILE_BAD_SIZE,
    TILE_BAD_FORMAT,
    TILE_BAD_ENC,
    TILE_BAD_REG,
    TILE_BAD_BANDS,
    TILE_BAD_TEXTURE
};

/* The variant of a recipe's tiles where none is asked for: carved where the recipe has paths, else eroded where it erodes. */
enum tile_variant tile_variant_default(const struct terrane_recipe *recipe);

/* Whether tiles of a recipe have such a variant. */
bool tile_variant_is_of(enum tile_variant variant, const struct terrane_recipe *recipe);

/*
 * Gives a key whose layer and format are chosen the variant that it has in a world of this recipe: base of partition,
 * which erosion and paths leave alone (its json describes the ground, and keeps the variant); eroded of delta and flow, which
 * speak of erosion; the default of path and cave, of which there is one; the others what was asked for, the default where the
 * recipe has no such variant, and for VARIANT_UNSAID.
 */
void tile_key_vary(struct tile_key *key, const struct terrane_recipe *recipe);

/*
 * Puts defaults in (size 256 for png, 129 for glb and the meshes of a subtree, 65 for terrain, 257 else), clears what does
 * not matter, such as a coding that is not worth it (coding.h), and checks the whole: level and tile in range, size one of
 * terrane_window_tile's, of meshes 2^k + 1, format, encoding and texture such as the layer has; no json, no lines, no caves'
 * meshes and no boxes where the tile is shifted; centres of png of height and surface alone, and of sizes 2^k.
 */
enum tile_problem tile_key_finish(struct tile_key *key);

/* Gives a finished key a content coding, where that is worthwhile. */
void tile_key_code(struct tile_key *key, enum tile_coding coding);

/* Whether a content coding is worth trying for a key's representation: never for png; for others as measured (encode/coding.c).
 * Decided from the key alone, since the ETag is. */
bool tile_coding_worthwhile(const struct tile_key *key);

/* A mesh of what is below the ground, of which a tile has any number. */
bool tile_is_of_caves(const struct tile_key *key);

/* Places of objects, in whatever format: the ground that they stand on has all samples with the far edges, whatever the
 * key's size; of a png of 512 pixels those of the next finer level, and of one of 2^k + 1
 * what stands beyond its last samples. */
bool tile_is_drawn(const struct tile_key *key);     /* lines or areas of samples, as geojson */
bool tile_has_far_edge(const struct tile_key *key); /* sizes are 2^k + 1 alone */
bool tile_is_of_objects(const struct tile_key *key);

/* The relief that a textured key's mesh shows: every sample, with the far edges, finished. */
struct tile_key tile_key_picture(const struct tile_key *key);

/* The samples of a finished key: those that its values are, or that are the corners of its pixels; of a subtree, all that
 * its root has. */
void tile_window(const struct tile_key *key, struct terrane_window *window);

/* 128 bits that name a representation (tile_key_digest in encode/encode.h): the ETag and the caches' key. */
struct digest {
    uint64_t low, high;
};

/* Payload length of a finished key in a format without a header, of worlds of a recipe; 0: it depends on the samples, as it does
 * wherever they are coded. */
uint64_t tile_bytes(const struct tile_key *key, const struct terrane_recipe *recipe);

static inline bool digest_equal(const struct digest *a, const struct digest *b)
{
    return a->low == b->low && a->high == b->high;
}

#endif
