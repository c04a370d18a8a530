/*
 * Between the files of a search (seek.h).
 */
#ifndef TERRANE_SERVER_SEEK_PARTS_H
#define TERRANE_SERVER_SEEK_PARTS_H

#include "name_near.h"
#include "seek.h"

/* Something that was found. */
struct seek_hit {
    int64_t gi, gj; /* sample of its level */
    int level;      /* that it has been followed to */
    int seen;       /* ... and at which it was seen first */
    size_t tile;    /* of those that are wanted, in which it is looked for */
    double x_m, y_m, distance_m;
    double height_m;        /* of ground; of areas once they are found */
    double measure;         /* of areas m2, as seen at that level; of a river m3/s */
    char id[17], name[32];  /* of what is listed, and of caves; empty: it has none */
    struct near_name water; /* of lakes, rivers and mouths */
    bool town;
    bool whole; /* nothing of it can be in tiles that were not there when it was found */
};

enum seek_is {
    SEEK_IS_NOT,
    SEEK_IS,
    SEEK_JOINS /* it is not, but what it joins is one: a river has one mouth, however often it touches the sea */
};

/* A square of samples of one level. */
struct seek_ground {
    int side;
    float *height, *surface, *flow; /* of layers that nobody asked for zeros */
    uint8_t *is;                    /* enum seek_is: whether it is of the kind that is looked for */
    unsigned missing;               /* bits of tiles, row by row, whose samples nobody knows */
};

int seek_ground_make(struct seek_ground *ground, int side); /* -1: memory is short */
void seek_ground_free(struct seek_ground *ground);
bool seek_ground_lacks(const struct seek_ground *ground, int i, int j); /* a sample is in it, but missing */

/* What is kept of a tile of weights: a byte a sample, whether it is of the kind. NULL: memory is short. */
struct blob *seek_ground_weigh(const struct find_question *question, const struct terrane_recipe *recipe,
                               enum tile_layer layer, const struct blob *weights);

/*
 * Puts a tile's layer, or what is kept of it, into ground, of rows and columns 0 .. samples - 1 of the tile, from column x and row y on.
 */
void seek_ground_read(struct seek_ground *ground, const struct find_question *question,
                      const struct terrane_recipe *recipe, enum tile_layer layer, const unsigned char *data,
                      int samples, int x, int y);

/* Once all layers are in it: marks what is of the kind. */
void seek_ground_mark(struct seek_ground *ground, enum find_what what, float sea_m);

/*
 * Of everything of the kind that hangs together the sample that is nearest to a place, and how many those are. x and y:
 * the place, in samples from the ground's first one on. found is shown each, and whether it is whole: nothing of it can be missing. Returns 0, or -1 when memory
 * is short.
 */
typedef void seek_found(void *context, int i, int j, double measure, bool whole);
int seek_parts(const struct seek_ground *ground, double x, double y, seek_found *found, void *context);

struct seek_stage {
    int level;
    int across;     /* tiles; the place lies within half a tile of their middle */
    double reach_m; /* once it is over: all that it shows so near, but no stage before, was followed */
};

struct seek {
    const struct terrane_world *world;
    struct tile_key key;
    struct find_question question;
    double x_m, y_m;
    enum tile_layer layer[SEEK_LAYERS];
    size_t layers;
    struct seek_stage stage[SEEK_STAGES];
    int stages, at; /* the one that is under way */
    int follows;    /* the stage that hits are followed to; at: they are looked for */

    int tile_level[SEEK_TILES];
    int64_t tile_x[SEEK_TILES], tile_y[SEEK_TILES];
    size_t tiles; /* wanted, of each layer; 0: it has ended */
    size_t had;   /* of them the first, that are there */
    size_t all;   /* that the stage has: more than are wanted where these may be enough */
    struct seek_tile {
        int level;
        int64_t x, y;
        enum tile_layer layer;
    } ahead[SEEK_AHEAD];
    size_t aheads;
    struct blob *blob[SEEK_WANTS];

    struct seek_hit hit[SEEK_HITS]; /* of the stage, nearest first */
    size_t hits, first, last;       /* first .. last - 1 are being followed */
    size_t tries;                   /* groups so far */
    double followed_m;              /* how far the last of these was */
    size_t tried;                   /* hits of a part of the stage's tiles that were followed */
    bool partial;                   /* they are being followed */
    bool again;                     /* they were, in vain: now all tiles are looked at */
    struct seek_hit
        far[SEEK_HITS]; /* what lies beyond where the stages so far see everything, nearest first */
    size_t fars;
    struct seek_hit result[FIND_LIMIT_MAX];
    size_t results;
    bool sounding; /* tiles of heights are wanted that may show that there is only sea */
    bool naming;   /* the results' tiles of lines or areas, or of heights, are wanted */
};

enum { SEEK_AROUND = 2 /* samples of the coarser level that a place may lie off on the finer one */ };

/* ---- seek_stages.c: which levels, and which tiles of them, nearest first ---------------------------------- */

void seek_plan(struct seek *seek, int level);
double seek_step_m(const struct seek *seek, int level);
bool seek_is_last(const struct seek *seek);       /* the stage under way is */
bool seek_is_same_level(const struct seek *seek); /* the stage before it was of its level */
double seek_reach_m(const struct seek *seek); /* how far from its place the stage under way sees everything */
void seek_look(struct seek *seek, bool all);  /* wants tiles of the stage under way: the nearest, or all */
double seek_missing_m(const struct seek *seek); /* how far the nearest of those that are not wanted yet is */
int64_t seek_first_tile(const struct seek *seek, double at_m); /* of the stage under way, along an axis */
void seek_look_ahead(struct seek *seek);                       /* lists what may be wanted next */
int64_t seek_tile_from(const struct seek *seek, const struct seek_stage *stage, double at_m); /* ... of one */
void seek_list_tile(struct seek *seek, int level, int64_t x, int64_t y); /* the nearest comes first */

/* ---- seek_sound.c -------------------------------------------------------------------------------------------- */

enum seek_depth { SEEK_LAND, SEEK_DEEP, SEEK_UNKNOWN };

bool seek_sound_begin(struct seek *seek);      /* wants the first tile; false: nothing is to be learnt so */
enum seek_depth seek_sound(struct seek *seek); /* of the tiles that there are; SEEK_UNKNOWN: it wants more */

/* How high ground of finer levels stands at most between 3 x 3 samples, but for both levels' errors, by their least and their greatest. */
float seek_sound_most(float low_m, float high_m);

/* ---- seek_hits.c: what the tiles of a stage show ------------------------------------------------------------ */

void seek_place(const struct seek *seek, struct seek_hit *hit); /* where its sample is, and how far */
void seek_place_listed(const struct seek *seek, struct seek_hit *hit,
                       int level);                             /* which sample, and how far */
void seek_away(const struct seek *seek, struct seek_hit *hit); /* how far */
void seek_insert(struct seek_hit *list, size_t *count, size_t max, const struct seek_hit *hit);
void seek_read_tile(const struct seek *seek, size_t tile, int samples, struct seek_ground *ground, int x,
                    int y);
int seek_find(struct seek *seek); /* hits, of the tiles that there are; -1: memory is short */

/* How many of the first hits are what all of the stage's tiles would have shown first. */
size_t seek_sure(const struct seek *seek);

/* ---- seek_follow.c: what was seen on a coarse level, on the first one ---------------------------------------- */

/* Wants the next tiles that the group is followed to; false: it has come to the first stage. */
bool seek_follow_down(struct seek *seek);

int seek_refine(struct seek *seek); /* moves hits to where these show them; -1: memory is short */
size_t seek_want_tile(struct seek *seek, int level, int64_t x, int64_t y);

/* ---- seek_name.c -------------------------------------------------------------------------------------------- */

/* Wants the tiles of lines or areas that the results lie in, where those have names, or of facts, or of heights. */
void seek_begin_naming(struct seek *seek);
enum tile_format seek_naming_format(const struct seek *seek);
int seek_name_results(struct seek *seek);

/* Reads what of a kind a tile lists as geojson; each is shown. Returns 0, or -1 where it is none, or memory is short. */
typedef void seek_listed(void *context, const struct seek_hit *hit);
int seek_list(const unsigned char *text, size_t bytes, enum find_what what, seek_listed *found,
              void *context);

#endif
