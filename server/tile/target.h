/*
 * The request target: what a path and its query ask for. Pure functions of bytes; fuzzed.
 */
#ifndef TERRANE_SERVER_TARGET_H
#define TERRANE_SERVER_TARGET_H

#include "find.h"
#include "named_recipe.h"
#include "route.h"
#include "tile.h"

enum {
    TARGET_DETAIL_BYTES = 200,
    TARGET_FILE_BYTES = 64,
    TARGET_PAGES = 1 << 22,  /* of /xyz: pages between -TARGET_PAGES and TARGET_PAGES, neither included */
    TARGET_REGION_MAX = 4097 /* samples along an axis */
};

/* Names that a target may use: of the configuration and the book of recipes, which this file need not know. */
struct target_names {
    /* Seed, alias and recipe of a named world; false: no such name. */
    bool (*world)(const void *context, const char *name, size_t bytes, struct tile_key *key,
                  const struct recipe **recipe);
    /* The recipe of that name; NULL: there is none. */
    const struct recipe *(*recipe)(const void *context, const char *name, size_t bytes);
    const void *context;
    const struct recipe *standard; /* where none is named */
    /* What is told of the name of a world that is not here now (503); NULL: of any other. NULL: there are none such. */
    const char *(*away)(const void *context, const char *name, size_t bytes);
};

/* A window of one level's samples. */
struct target_window {
    int64_t x0, y0;
    int width, height;
};

struct target {
    enum route route;
    unsigned status;                  /* 0: well-formed; else what to answer: 400, 404, 410 or 413 */
    const char *parameter;            /* what is wrong, where something is: a name of the contract */
    char detail[TARGET_DETAIL_BYTES]; /* a sentence about it */
    struct tile_key
        key; /* of tiles: finished unless negotiated; of /world: the seed alone; of others: what they were given */
    const struct recipe
        *recipe;           /* of /tile and /world: recipe=, else the named world's, else the standard one */
    bool configured;       /* the seed is that of a named world of the configuration */
    bool names_recipe;     /* recipe= is given */
    bool negotiated;       /* the path names no format: Accept chooses; then target_finish */
    bool names_extensions; /* of /terrain and its layer.json: by extensions=, whatever Accept says */
    bool subtree;          /* of a tileset: not tileset.json, but the subtree whose root is the tileset's */
    bool pinned;           /* v= names a generator: what the program ships never changes then */
    int generator;         /* by v=; 0: it is not given */
    bool says_lod;         /* the query does */
    bool past;             /* at= names an operation: the world of then, which stays */
    bool coarse;           /* of /world: spawn=coarse */
    bool has_since;        /* by since= */
    uint64_t since;        /* of /world/.../edits and /events */
    struct {
        double x0, y0, x1, y1; /* metres */
        bool given;
    } box;                       /* of these, and of /marks */
    int64_t page_x, page_y;      /* of /xyz and its documents: origin= */
    struct target_window window; /* of /region, /path and /river */
    bool geographic;             /* longitudes and latitudes instead of metres; /find refuses it */
    struct {
        double x_m, y_m;
        bool given;
    } place;                           /* of /point, /downstream and /find */
    struct find_question find;         /* of /find */
    char what[FIND_WHAT_BYTES];        /* ... as it was asked; cut: too long to be any */
    int model, model_seed;             /* of /model */
    char file[TARGET_FILE_BYTES];      /* of /viewer/...: which of its files; "" at / */
    char name[TARGET_FILE_BYTES + 1];  /* of a named world of the configuration; else "" */
    char epoch[ALIAS_EPOCH_BYTES + 1]; /* that a world of that name is to have, by epoch=; "": any */
};

/*
 * Reads a raw target as it stands in the request line ("/tile/42/0/1/-2.png?size=65"); percent escapes are
 * decoded here. Fills all of *target. Never fails: what is wrong is in status, parameter and detail.
 */
void target_parse(struct target *target, const char *text, size_t bytes, const struct target_names *names);

static inline bool target_is_tile(const struct target *target)
{
    return route_row[target->route].tile;
}

/* Notes in a key what links have to say of its recipe, beside a seed or the name of a secret world: its name unless it is the standard one's,
 * and its generator unless that is the usual one. */
void target_name_recipe(struct tile_key *key, const struct recipe *recipe, const struct recipe *standard);

/* Sets the format that Accept chose and checks the whole key; sets status where it cannot be. */
void target_finish(struct target *target, enum tile_format format);

/* Makes the target one that is answered with this status. parameter: static storage; why: a sentence. */
void target_refuse(struct target *target, unsigned status, const char *parameter, const char *why);

/*
 * Reads a key's seed as it stands in a path: a number, or a name, which is that of a configured world (then *recipe
 * is its recipe, *configured true, and the key has its alias) or is hashed. Returns false, with nothing changed, where it is neither.
 */
bool target_read_seed(const char *text, size_t bytes, const struct target_names *names, struct tile_key *key,
                      const struct recipe **recipe, bool *configured);

/*
 * The format that an Accept header prefers (NULL or nothing usable: PNG): by quality, then by how specific
 * the range is, then in the order of enum tile_format. application/octet-stream means f32.
 */
enum tile_format accept_choose(const char *accept);
/* ... of those that a layer has; of others where none of them is acceptable, so that the mistake is told. */
enum tile_format accept_choose_of(const char *accept, enum tile_layer layer);

/*
 * Whether an Accept header (NULL: no) asks for this extension: a parameter extensions= of any media range that is not
 * refused, as in application/vnd.quantized-mesh;extensions=octvertexnormals-metadata. Not of that range alone: there is a
 * client that adds the parameter to the last one.
 */
bool accept_extension(const char *accept, const char *name);

/* Whether a list of extensions, joined by -, has this one. */
bool extensions_have(const char *list, size_t bytes, const char *name);

/*
 * The coding that an Accept-Encoding header prefers among ours, by quality; at the same quality zstd before gzip before
 * none. NULL, or nothing usable: CODING_IDENTITY; where the header refuses that, gzip, unless it refuses gzip, too.
 */
enum tile_coding accept_coding(const char *accept_encoding);

/* Does an If-None-Match header (a list of entity tags, or *) match this strong tag, quotes included? Weak
 * comparison. */
bool etag_matches(const char *list, const char *etag, bool strongly);

#endif
