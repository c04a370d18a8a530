/*
 * Features: what stands or runs in a world as things, not samples: rivers, networks of paths, caves, objects.
 *
 * Regions hold them (terrane_make.h); here is what they are, and what is made of them: lines, ways of drops, meshes.
 *
 * Memory, threads and errors are as in terrane.h.
 */
#ifndef TERRANE_FEATURES_H
#define TERRANE_FEATURES_H

#include "terrane.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_NAME_BYTES 24 /* of what anything is called, with its end */

/* ---- Rivers ---------------------------------------------------------------------------------------------- */

/*
 * A recipe with rivers has drainage lattices at the levels rivers.top, top - 2 .. rivers.bottom, and one between each two
 * of them for the level between. lib/drain/drain.h says how they are made, lib/README.md to the bit.
 */

/* Where a cell's water goes: 0 .. 7 to the neighbour east, south-east, south ... north-east; or nowhere. */
enum {
    TERRANE_DRAIN_SEA = 8,     /* it is sea */
    TERRANE_DRAIN_INLAND = 9,  /* it is the deepest place of an inland lake */
    TERRANE_DRAIN_NONE = 15,   /* nobody has said */
    TERRANE_DRAIN_WAY = 15,    /* the bits of these */
    TERRANE_DRAIN_STREAM = 16, /* finer lattices trace it */
    TERRANE_DRAIN_LAKE = 32,   /* z is a lake's surface, over ground as noise makes it */
};

/*
 * A window (step 1) of a lattice. z: height of the ground in units of erosion (terrane_units), or of a lake's surface over
 * it; of sea the ground. low and high: the halves of a word whose upper byte says where water goes, and the others how much:
 * what runs off at the cell and above it, in mm a year times cells of the level rivers.bottom. stem: of which river. Row by row;
 * the caller owns them.
 */
struct terrane_drained {
    struct terrane_window window;
    int32_t *z;
    uint32_t *low, *high;
    uint32_t *stem; /* terrane_drained_stem reads it */
};

/* A cell of it: where its water goes, with what it is (TERRANE_DRAIN_STREAM, TERRANE_DRAIN_LAKE), and how much that is. */
struct terrane_drained_cell {
    int to;
    uint64_t runoff;
};
static inline struct terrane_drained_cell terrane_drained_cell(const struct terrane_drained *drained,
                                                               size_t at)
{
    const uint32_t high = drained->high[at];
    const struct terrane_drained_cell cell = {(int)(high >> 24),
                                              (uint64_t)(high & 0xFFFFFF) << 32 | drained->low[at]};
    return cell;
}

/*
 * A stem: a river from its source down to where it joins a greater one, the sea or an inland lake. Its source is a cell of the coarsest lattice
 * on which it runs: that to which one comes up the neighbours that bring the most. It is one and the same at every level, in every product.
 */
struct terrane_stem {
    int level;      /* of its source */
    int64_t gi, gj; /* ... its sample */
};

/* Reads a cell's; false: it is of none, since no finer level has it. */
bool terrane_drained_stem(const struct terrane_recipe *recipe, const struct terrane_drained *drained,
                          size_t at, struct terrane_stem *stem);

/* Its id, and its name where name is not NULL, as terrane_place_name: no two stems of a level whose sources are within 512 cells of it are
 * called alike in a tongue. */
uint64_t terrane_stem_name(const struct terrane_world *world, const struct terrane_stem *stem,
                           char name[TERRANE_NAME_BYTES]);

/* The same of a lake, by the stem where its water leaves it, or ends, and its surface there, z: the same at every level that has it. */
uint64_t terrane_lake_name(const struct terrane_world *world, const struct terrane_stem *stem, int32_t z,
                           char name[TERRANE_NAME_BYTES]);

/* x and y: 2^-4 samples of level 0, modulo 2^64, which coarse levels exceed far out; z: of the water, in units of erosion (terrane_units). */
struct terrane_river_point {
    int64_t x, y;
    int32_t z;
};

enum terrane_river_end {
    TERRANE_RIVER_JOINS, /* another line */
    TERRANE_RIVER_SEA,
    TERRANE_RIVER_LAKE
};

/*
 * A line of a river: of a lattice's cells, from a head, a confluence, a lake's outlet or the edge of an aligned block of
 * 2^TERRANE_RIVER_BLOCK_LOG2 cells on to where the next begins, or to the sea or a lake. So it lies in one block, and it, and its
 * id, are the same in every product that has that. Heights fall or stay.
 *
 * order: 1 + floor(log4(runoff / the least runoff of a line)): Strahler's, of a network whose areas rise fourfold from order to
 * order. His own is no local number.
 */
enum { TERRANE_RIVER_BLOCK_LOG2 = 6, TERRANE_RIVER_POINTS_MAX = (2 << 2 * TERRANE_RIVER_BLOCK_LOG2) + 2 };

struct terrane_river {
    uint64_t id, to; /* to: of the line that it joins; else 0 */
    bool named;      /* it has a stem: that of its last cell */
    struct terrane_stem stem;
    enum terrane_river_end end;
    int order;
    uint64_t runoff; /* at its end, as the two below */
    double discharge_m3s;
    float width_m;
    int points;                        /* two at least */
    struct terrane_river_point *point; /* the caller's, TERRANE_RIVER_POINTS_MAX of them */
};

/*
 * Fills the line that begins at a cell; false: none does, or the product lacks the cell's block or four cells around it (two
 * before generator 12).
 *
 * beside: the part of a line over one cell beside a product's blocks: with it whoever draws those alone has all of the lines that lead into
 * them. id is 0, to that of the line which begins at the next cell, if one does, and runoff the cell's. false: there is no river, or the
 * product lacks three cells around it (one before generator 12).
 */
bool terrane_river(const struct terrane_world *world, const struct terrane_drained *drained, int64_t gi,
                   int64_t gj, bool beside, struct terrane_river *river);

/* Begins at a cell of the level rivers.bottom: zeros but for gi and gj; then it says where it is. */
struct terrane_walk {
    int64_t gi, gj;             /* the cell that comes next */
    enum terrane_river_end end; /* TERRANE_RIVER_JOINS: it goes on */
    uint64_t river;             /* the id of the line that it is on; 0: on none */
    uint64_t steps;             /* cells so far */
    int32_t z;                  /* of the last point */
    /* its own */
    int32_t floor; /* no cell may be over that */
    int came;      /* the way to the cell; -1: it is the first */
};

/*
 * terrane_walk - goes on as far as a product leads: to the sea, an inland lake, or a block that is not in it as terrane_river
 * wants it. visit is shown every point on the way; z never rises.
 *
 * Returns 0; or TERRANE_EWINDOW where the product has not got the block of the cell that comes next, or leads uphill, in circles
 * or nowhere (TERRANE_WALK_MAX cells are more than any way has): it is no product.
 */
#define TERRANE_WALK_MAX (UINT64_C(1) << 22)
int terrane_walk(const struct terrane_world *world, const struct terrane_drained *drained,
                 struct terrane_walk *walk,
                 void (*visit)(void *context, const struct terrane_walk *walk,
                               const struct terrane_river_point *point),
                 void *context) TERRANE_MUST_CHECK;

/* ---- Paths ----------------------------------------------------------------------------------------------- */

/*
 * Paths of a world: a network that is the same whichever part of it is asked for first.
 *
 * Nodes. Each square cell of 2^cell_log2 samples of the paths' level has one: a hashed sample in its middle half, moved to
 * the flattest ground near it that is not under the sea. All of this reads the level's base surface. In recipes with towns
 * nodes stand nearly anywhere in their cells, and they are villages; one of a block of cells is a town.
 *
 * Graph. Two nodes are joined where no third one is nearer to both than they are to each other: the relative neighbourhood
 * graph, which is connected and planar; 7 x 7 cells decide it. Of two edges whose diamonds overlap one is left out, which
 * leaves the graph connected.
 *
 * Roads. Towns are neighbours as nodes are, and trunk roads lead from one to the next over the graph's edges, the shortest way
 * that is not steep. All others are lanes.
 *
 * Lines. An edge's line is found by A* on the level's ground (eroded where the recipe erodes) inside the edge's own
 * diamond: a little under 30 degrees to both sides at both ends, less a margin. Diamonds of two edges do not overlap, so
 * lines meet at nodes only. It keeps out of sea and lakes. There is none where these, or a rise that the slope does not allow,
 * are in the way; nor, from generator 17 on with towns, of a few lanes that join no road and no town.
 *
 * Rivers. A line crosses them, at fords where they are narrow and on bridges where they are not; there is none that would run
 * along one.
 *
 * Surface. Along a line the path's height is the ground's, held to the slope, and level on a pad around each node. At a
 * sample it is half-way between the two cones' envelopes (the least and the greatest surface through the line that rises
 * nowhere by more than the slope). A line that uses at most two thirds of the slope has one that is held to it whatever the
 * line's shape; of a steeper one it is looked at when the line is made, and the line is made gentler where it bends too much.
 * On the path the ground is that surface, to the unit; over the border it passes into the ground as it was.
 */

#define TERRANE_PATHS_LOG2       8    /* a region of the network: 256 x 256 samples of the paths' level */
#define TERRANE_PATHS_NODES_MAX  1024 /* of a region */
#define TERRANE_PATHS_EDGES_MAX  2048 /* ... */
#define TERRANE_PATHS_POINTS_MAX (1 << 17)  /* ... of all of its lines */
#define TERRANE_PATHS_FAR        1048576.0f /* as a distance: no path is within reach */

enum terrane_path_class {
    TERRANE_PATH_NONE = 0,
    TERRANE_PATH_BORDER = 1, /* ground that passes into the path */
    TERRANE_PATH_WAY = 2,    /* the path: held to the slope */
    TERRANE_PATH_NODE = 3,   /* ... of a node */
    TERRANE_PATH_CLASSES
};

/* Why an edge has no line. */
enum terrane_path_state {
    TERRANE_PATH_OPEN = 0,
    TERRANE_PATH_WET = 1, /* a node is under water, or water is in the way, or it would run along a river */
    TERRANE_PATH_STEEP =
        2, /* it would rise more than the slope allows, or be cut or raised by more than depth_m */
    TERRANE_PATH_LONE = 3, /* it would have a line, but leads nowhere: from generator 17 on */
    TERRANE_PATH_STATES
};

/* What an edge is, in recipes with towns; in others all are lanes. */
enum terrane_path_road { TERRANE_PATH_LANE = 0, TERRANE_PATH_TRUNK, TERRANE_PATH_ROADS };

struct terrane_path_node {
    int64_t cx, cy; /* cell */
    int64_t gi, gj; /* sample of the paths' level */
    int32_t height; /* of its pad, in units of paths; 0 before terrane_paths_lines */
    uint32_t open;  /* edges with a line that end here, of those the network holds */
    bool town;      /* where there are any; else it is a village */
};

/* What lies under a line from one of its points to the next. */
enum terrane_path_over {
    TERRANE_PATH_LAND = 0,
    TERRANE_PATH_FORD = 1, /* a river at most TERRANE_PATH_FORD_M broad, which the line meets at its water */
    TERRANE_PATH_BRIDGE = 2, /* any other: the line is above the water, and the bed stays open */
    TERRANE_PATH_OVERS
};
#define TERRANE_PATH_FORD_M 5

struct terrane_path_point {
    int64_t x, y;   /* 2^-4 samples of level 0 */
    int32_t height; /* units */
    enum terrane_path_over over;
};

struct terrane_path_edge {
    uint64_t id;      /* a hash of its cells and nothing else; never 0 */
    int32_t from, to; /* nodes of the network; the cell of from is the lesser by (cy, cx) */
    enum terrane_path_state state;
    enum terrane_path_road road;
    int32_t points, first; /* of its line, from node to node, in network->point; 0 where it has none */
};

/* All that reaches a region of the paths' level. Arrays are the caller's, of TERRANE_PATHS_..._MAX elements. Ordered: nodes
 * by (cy, cx), edges by (from, to), points by the edges: lines follow each other without gaps. */
struct terrane_path_network {
    int64_t x, y; /* of the region: samples from 256 x, 256 y on of the paths' level */
    int nodes, edges, points;
    struct terrane_path_node *node;
    struct terrane_path_edge *edge;
    struct terrane_path_point *point;
};

/* What a place is called, in Latin letters: by world and cell, the same from every window and at every level. */
void terrane_place_name(const struct terrane_world *world, const struct terrane_path_node *node,
                        char name[TERRANE_NAME_BYTES]);

/* Width of a road: width_m, but of a recipe with towns a lane's lane_m. */
float terrane_paths_width_m(const struct terrane_recipe *recipe, enum terrane_path_road road);

/* ---- Landmarks ------------------------------------------------------------------------------------------- */

/*
 * Landmarks of a world: peaks, seas, ranges, capes, bays, islands, tracts and banks, which keep their name from far to near.
 *
 * Each level up to TERRANE_LANDMARK_TOP has those of its base surface: of each square cell of 32 samples the one with the highest number, where none
 * within 16 samples is as high, and no landmark of the kind and of a coarser level is within 16 samples. Numbers are: of a peak the height; of a sea the
 * depth; of a range the mean height of land over a square; of a cape, which is land, how much of a square around it is sea, and of a bay, which is
 * sea, how much of one is land; of an island how high it is, where all of it lies within 16 samples; of a tract, which is land, how much of a square around it
 * is inside of one zone; of a bank, which the sea covers, the height. lib/README.md has it to the bit, and how high is high enough.
 *
 * From level to level down a landmark climbs to the highest of 5 x 5 samples; ranges and tracts stay. A tile of level L shows peaks and islands of level L and above, and of
 * the other kinds those of level L + 1 or L + 2 and above, down to a level of each kind's own. So what a coarser level shows a finer one has, too, at most two steps
 * of the landmark's own level away; around it are more.
 */
#define TERRANE_LANDMARK_TOP  16
#define TERRANE_LANDMARKS_MAX 512 /* of a tile, of each kind */

enum terrane_landmark_kind {
    TERRANE_LANDMARK_PEAK,
    TERRANE_LANDMARK_SEA,
    TERRANE_LANDMARK_RANGE,
    TERRANE_LANDMARK_CAPE,
    TERRANE_LANDMARK_BAY,
    TERRANE_LANDMARK_ISLAND,
    TERRANE_LANDMARK_TRACT,
    TERRANE_LANDMARK_BANK,
    TERRANE_LANDMARKS
};

struct terrane_landmark {
    uint64_t id; /* a hash of world->ids, its kind, level and cell: the same at every level */
    enum terrane_landmark_kind kind;
    int level;      /* whose it is */
    int64_t cx, cy; /* cell of that level */
    int64_t gi, gj; /* sample of the tile's level */
    float
        rise; /* of its number over the highest that lies 16 samples of its own level off: a peak's prominence is that at least */
    int zone; /* of a tract: whose it is, of the recipe's partition; else 0 */
    float run
        [2]; /* of a range: a length times the cosine and the sine of twice the angle in which it runs, clockwise from east; else 0 */
};

/*
 * terrane_landmarks - those of a window: a tile without its far edges, or any other of step 1 that is no larger.
 *
 *   kinds  1 << kind of each that is wanted: several cost little more than one
 *   mark   room for TERRANE_LANDMARKS_MAX of each of them: kind by kind, coarsest first, then by cell, row by row
 *   marks  how many
 *
 * Returns 0, TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY; on an error *marks is 0. Cost: heights of four tiles or so, and for
 * tracts zones of two; with a memo a fourth of that where a tile near by was before.
 */
int terrane_landmarks(const struct terrane_world *world, unsigned kinds, const struct terrane_window *window,
                      const struct terrane_memory *memory, struct terrane_landmark *mark,
                      int *marks) TERRANE_MUST_CHECK;

void terrane_landmark_name(const struct terrane_world *world, const struct terrane_landmark *mark,
                           char name[TERRANE_NAME_BYTES]);

/* ---- Caves ----------------------------------------------------------------------------------------------- */

/*
 * Caves of a world: rooms under mountains, with a corridor to the open.
 *
 * A cell of 2^cell_log2 samples of the caves' level may try one at a hashed sample: it climbs to a top, or as far as half a
 * radius, and goes down from there until the ground around, what lies further off counted as lower, has room under the roof.
 * It lays the floor: flat, then noise. The ceiling is the mountain above in small, under roof_m of rock at least. A corridor,
 * whose rock thins towards its end, leads from the room to a slope that can be walked on. All of it keeps to a square of
 * radius samples around the top, and out of water. Where squares of two caves meet, the one with the lower id stays, whether
 * or not a third one is in its way: so 3 x 3 squares decide.
 *
 * Ground is the level's surface without paths: eroded where the recipe erodes there, else base.
 */

#define TERRANE_CAVES_COARSER 1             /* levels above the caves' own that still show them */
#define TERRANE_ROCK          (-1048576.0f) /* as floor and ceiling: there is no cave */

struct terrane_cave {
    uint64_t id;                      /* a hash of seed and cell: its rock's noise begins with it */
    int64_t cx, cy;                   /* cell */
    int64_t gi, gj;                   /* its top, a sample of the caves' level: whose tile it belongs to */
    int64_t entrance_gi, entrance_gj; /* sample in front of the opening, outside */
    float entrance_m;                 /* ground there */
    float floor_m;                    /* before noise */
    float ceiling_m;                  /* its highest */
    int32_t samples;                  /* of floor, corridor included */
};

/* The id to tell others: of world->ids and cell, so cave->id where those are the seed. From cave->id the seed can be counted back. */
uint64_t terrane_cave_id(const struct terrane_world *world, const struct terrane_cave *cave);

/* The window of the caves' level whose floors and ceilings a window (any step) of levels 0 .. caves.level + TERRANE_CAVES_COARSER reads;
 * false: the level shows none. */
bool terrane_caves_shown_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                               struct terrane_window *caves);

/* What a sample is: rock, inside a cave, or where one comes out. */
enum terrane_cave_kind { TERRANE_CAVE_ROCK, TERRANE_CAVE_INSIDE, TERRANE_CAVE_OPENING, TERRANE_CAVE_KINDS };

#define TERRANE_CAVE_VERTICES_MAX  (1 << 18)
#define TERRANE_CAVE_TRIANGLES_MAX (1 << 19)

/*
 * Marching cubes over floor, ceiling and noise in three dimensions. Vertices in metres: x east and y south of the sample
 * (cave->gi, cave->gj), z up, absolute. Triangles face into the cave, counter-clockwise seen from inside. Closed and manifold
 * but for the opening: the loop (or loops) of edges with one triangle lies on the ground, where the faces that would shut it
 * are left out.
 */
struct terrane_cave_mesh {
    int vertices, triangles;
    float *vertex;   /* 3 each: room for TERRANE_CAVE_VERTICES_MAX */
    float *normal;   /* 3 each, unit, likewise */
    uint32_t *index; /* 3 each: room for TERRANE_CAVE_TRIANGLES_MAX */
};

/*
 * terrane_cave_mesh - the mesh of one cave.
 *
 *   window          covers what terrane_cave_mesh_needs names
 *   ground          of that window
 *   floor_ceiling   of that window, by terrane_caves; other caves' samples in it are left alone
 *
 * Returns 0, TERRANE_EWINDOW, TERRANE_EMEMORY, or TERRANE_ECAVES: more vertices than there is room for; then the
 * arrays may have been written, the counts not.
 */
int terrane_cave_mesh(const struct terrane_world *world, const struct terrane_window *window,
                      const struct terrane_cave *cave, const float *ground, const float *floor_ceiling,
                      const struct terrane_memory *memory, struct terrane_cave_mesh *mesh) TERRANE_MUST_CHECK;

/*
 * Quads of the caves' level's ground (opening[j * (width - 1) + i]: between samples i and i + 1, j and j + 1 of the window)
 * that an opening takes: 1, others 0. A mesh of the ground that leaves them out has a hole where the cave comes out.
 */
int terrane_caves_openings(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const float *ground, const float *floor_ceiling,
                           uint8_t *opening) TERRANE_MUST_CHECK;

/* ---- Objects --------------------------------------------------------------------------------------------- */

/*
 * Objects: places of trees, shrubs and rocks, of the classes that a recipe names.
 *
 * A class has one candidate in each cell of lattices of square cells, which are a radius wide at level 0 and twice as wide from
 * generation to generation. The cover of the level TERRANE_OBJECTS_COVER, and terms there, say whether one is taken; of those that
 * are, one stands unless another stands before it within the larger of both radii: one of a coarser generation, or of its own with
 * a higher number. A level L shows generations L and above. Then the level's own ground has to bear it.
 *
 * So where candidates are, and which of them stand before others, is the same at every level, and a coarser level has no object
 * that finer ones have not, but where their ground is too steep, under water or a path. lib/README.md has it to the bit.
 */

#define TERRANE_OBJECTS_COVER \
    4 /* the level whose cover takes candidates: the finest that a lattice of drainage may have */
#define TERRANE_OBJECTS_SAMPLE  16   /* parts of a sample of level 0 that places are counted in: */
#define TERRANE_OBJECTS_LATTICE (-4) /* terrane_lattice_m has metres of them */
#define TERRANE_OBJECTS_SCALE   64   /* parts that scales are counted in */

struct terrane_object {
    int64_t x, y;    /* east and south, in parts of a sample */
    float z;         /* metres: the ground's, between its four samples, rounded to 2^-8 */
    uint8_t of;      /* class */
    uint8_t variant; /* seed of its model */
    uint8_t turn;    /* 256ths of a whole one, clockwise as a map shows it */
    uint8_t scale;   /* in 64ths of the model's size */
};

/* ---- Models: of what objects are --------------------------------------------------------------------------- */

/*
 * Trees, shrubs, a cactus, a boulder, of a few hundred triangles each. Plants are grown by L-systems (Prusinkiewicz, Lindenmayer: The
 * Algorithmic Beauty of Plants, 1990), the boulder is a sphere that planes cut and noise bends. A mesh is a function of its model and
 * seed: the same bits on every machine.
 */
enum terrane_model {
    TERRANE_MODEL_CONIFER,
    TERRANE_MODEL_BROADLEAF,
    TERRANE_MODEL_PALM,
    TERRANE_MODEL_SHRUB,
    TERRANE_MODEL_CACTUS,
    TERRANE_MODEL_DEAD_TREE,
    TERRANE_MODEL_BOULDER,
    TERRANE_MODELS
};

#define TERRANE_MODEL_SEEDS         16   /* of each model: 0 .. 15 */
#define TERRANE_MODEL_VERTICES_MAX  4096 /* of terrane_model_mesh */
#define TERRANE_MODEL_TRIANGLES_MAX 1024

/* "conifer", "dead-tree" ... */
extern const char *const terrane_model_name[TERRANE_MODELS];

/*
 * Metres: x east, y up, z south of the foot, which is the origin; the foot of a boulder is below the ground. Triangles are
 * counter-clockwise seen from outside; leaves have one side, which is to be drawn from both. Colours are linear.
 */
struct terrane_model_mesh {
    int vertices, triangles;
    float *vertex;   /* 3 each: room for TERRANE_MODEL_VERTICES_MAX */
    float *normal;   /* 3 each, unit, likewise */
    uint8_t *colour; /* 4 each: red, green, blue of 255, and 255; likewise */
    uint16_t *index; /* 3 each: room for TERRANE_MODEL_TRIANGLES_MAX */
};

/* Nothing is allocated. Returns 0, or TERRANE_EMODEL: there is no such model or seed; then the mesh is as it was. */
int terrane_model_mesh(int model, int seed, struct terrane_model_mesh *mesh) TERRANE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
