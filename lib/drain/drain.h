/*
 * Drainage: which way water goes, over a world without an end.
 *
 * Lattices, one a level. A cell is a sample of its level; it drains into one of its eight neighbours, or is sea, or the
 * root of an inland lake. The coarsest lattice grows trees of least cost from the sea; every finer one traces the streams
 * of the lattice above first, each within the blocks of the cells it leads through, and grows trees from these over the
 * rest. Heights follow from the receivers up. All of it is integers.
 *
 *  (1) Costs lie within DRAIN_COST_MIN .. DRAIN_COST_MAX (kernel/erode.h): a way of cost d is d / DRAIN_COST_MIN steps long
 *      at most.
 *  (2) What a window shows is accepted where no way from beyond its field can be cheaper, and nothing drains in from
 *      beyond: the field's border is a source of cost 0 whose cells are unsure. What may drain in there goes down to the root, and changes
 *      heights up from there; but not those of cells that their receivers hold up (route_heights.c). What of a window is not
 *      accepted is drained again in wider fields (parts.c), up to the last of the halos (drain.c), of which (1) says that it
 *      is right, but not of water that is diverted.
 *  (3) z falls by a unit at least along every step that has grown, but on lakes and at law->most, where it is flat, and stays or falls along
 *      lines. Runoff never falls on the way down.
 *  (4) A line of a stream keeps to the blocks of the two cells it joins: lines of two streams meet only where the streams
 *      do, one level up.
 */
#ifndef TERRANE_DRAIN_H
#define TERRANE_DRAIN_H

#include "../base/lend.h"
#include "../kernel/erode.h"
#include "../recipe/numbers.h"
#include "../terrane_features.h"

enum {
    DRAIN_STREAM_CELLS = 4, /* that a stream drains, itself with it: the next lattice traces it */
    DRAIN_TOP_FAR = 1800,   /* costs from which on land is inland: the most a recipe may ask for */
    DRAIN_TOP_END = 500,    /* ... and beyond that, where a cell's way to any root ends in itself */
    DRAIN_TOP_BLOCK = 16,   /* cells of the coarsest lattice along a block that has one inland lake */
    DRAIN_DIVERSIONS = 4,   /* times that water is led to what is lower beside it */
    DRAIN_WEAR = 16,        /* cells that the foot of a slope reaches */
    DRAIN_CUT = 16,         /* cells of a line that come down together, at most */
    DRAIN_RELAX = 6,        /* rounds in which walls are worn down, an even number */
    DRAIN_ROUNDS = 4,       /* ... in which hillsides are rounded, at most */
    DRAIN_BESIDE = DRAIN_RELAX + 2 + DRAIN_ROUNDS + 1, /* cells around that heights rest on, at most */
    DRAIN_AHEAD_CELLS = 1280 << 10,                    /* of a field with windows that are to come: 50 MB */
    DRAIN_MEAN_MM =
        RUNOFF_MEAN_MM, /* of a year: steepness speaks of square metres from which so much runs off */
    DRAIN_SLOPES = 512, /* entries of the table of steepness: eighths of powers of two of runoff */
    DRAIN_BEYOND_M =
        896, /* from generator 16 on no water is led higher over the highest ground, and no bed is deeper: recipe/numbers.c allows 1024 */
};

/* ---- Numbers of one lattice ---------------------------------------------------------------------------- */

struct drain_law {
    int level, bottom;
    uint64_t key;            /* of hashes */
    float inverse;           /* of height in units: slope in 1/256 over an axis step */
    int32_t sea;             /* units */
    int32_t most;            /* nothing that has grown is higher, units: from generator 16 on */
    int32_t fall[2];         /* least, of an axis step and a diagonal one, units */
    int64_t length[2];       /* of both, units */
    int32_t talus[2];        /* most, units */
    int32_t incision;        /* that a lattice cuts into its ground at most, units */
    int32_t shallow;         /* lakes at most so deep are land on the finest lattice, units */
    int32_t flat;            /* ... and here */
    int64_t cut;             /* units */
    int32_t fill;            /* of 256 */
    int64_t steepness, rise; /* 2^-8; 2^-40 for each unit of height */
    uint64_t sources;        /* runoff at a channel's head */
    uint32_t runoff;       /* of a cell of this level where it is the same everywhere: mm * cells of bottom */
    int far;               /* of the coarsest lattice: costs from which on land is inland */
    bool smooth;           /* rock is the same over some cells (wear.c) */
    bool isotropic;        /* rivers run in all directions alike: from generator 10 on */
    bool clean;            /* lines begin where water comes in, and end at the sea: from generator 11 on */
    bool holds;            /* lines fall beside lakes and not in them: from generator 12 on */
    int cut_cells;         /* of a line that come down together */
    int rounds;            /* hillsides.c */
    bool coarsest, finest; /* nothing is above it; nothing is traced from it */
    int32_t ice_from,
        ice_span; /* units: ground from which on ice has worn, and up to where it is full; span 0: none */
    int32_t ice[DRAIN_WEAR];     /* of 256: what a round of wear lets ground under full ice rise less */
    int64_t slope[DRAIN_SLOPES]; /* units of rise over an axis step for a steepness of 1, 2^-8 */
};

void drain_law_fill(struct drain_law *law, const struct terrane_world *world, int level);

/* Costs from which on land is inland, where a level is the coarsest lattice. */
int drain_far(const struct terrane_recipe *recipe, int level);

/* How many levels above it the next coarser lattice is: 2, but 1 of those between. 0: none, it is the coarsest. */
int drain_shift(const struct terrane_rivers *rivers, int level);

/* How much ice has worn ground so high, of 256; there is some. */
static inline int32_t drain_ice(const struct drain_law *law, int32_t ground)
{
    const int64_t over = (int64_t)ground - law->ice_from, max = law->ice_span;
    return (int32_t)((over < 0 ? 0 : over < max ? over : max) * 256 / max);
}

/* Words of a chunk of cells that wait while trees grow, and of those that need not be full (grow.c). */
enum { DRAIN_QUEUE_CHUNK = 64, DRAIN_QUEUE_MORE = 130 * DRAIN_QUEUE_CHUNK };

/* ---- A field under work -------------------------------------------------------------------------------- */

/* Bits of a cell's mark. */
enum {
    DRAIN_FIXED = 1,  /* known before trees grow */
    DRAIN_UNSURE = 2, /* another field may say otherwise: way and cost */
    DRAIN_DIRTY = 4,  /* ... what drains into it */
    DRAIN_LOOSE = 64, /* ... its height, where trees have grown */
    DRAIN_AGAIN = 8,  /* on a way down a tree that is to be made again: before water was diverted */
    DRAIN_ANEW = 16,  /* ... and since */
    DRAIN_BOUND = 32, /* its runoff is not all that it drains, but what its receiver is told to have */
};

/* Of a cell's way, beside TERRANE_DRAIN_STREAM and _LAKE: it has to stand above its worn ground. Nobody else sees it. */
enum { DRAIN_RAISED = 64 };

union drain_cost {
    uint32_t into[2]; /* from each neighbour into this cell (erode.h) */
    struct {
        int32_t low, spill;
    };
};

struct drain_field {
    const struct terrane_world *world;
    const struct drain_law *law;
    struct terrane_window window;
    bool last; /* it has the last halo: what is unsure is right, too */
    int halo;  /* cells at its border, and more, that nobody asks */
    int width, height, cells;
    int off[8];      /* from a cell to its neighbours */
    int32_t *ground; /* worn */
    int32_t *z;      /* before it is known: ground as noise makes it */
    uint64_t *area;  /* runoff: of a fixed cell, and of all when trees have grown */
    union {
        uint32_t *stem; /* of fixed cells that are no sea: stem.c */
        int32_t *base;  /* of others z before it was known, when trees have grown */
    };
    union drain_cost *cost;
    union {
        uint16_t *d;  /* cost of the way from a root, while trees grow */
        uint16_t *mm; /* runoff of a cell by itself, when they have */
    };
    int32_t *order; /* cells of a tree, receivers first; DRAIN_QUEUE_MORE more than there are cells */
    uint8_t *to, *mark, *grain;
    uint8_t *count; /* cells that a cell drains, DRAIN_STREAM_CELLS at most */
};

static const int drain_dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, drain_dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};

/* A window grown by a halo, to whole blocks. */
struct terrane_window drain_field_window(const struct terrane_rivers *rivers,
                                         const struct terrane_window *window, int halo);

/* Parts of a window that are still to be drained, each in a field of its own (parts.c). */
enum { DRAIN_PARTS = 16 };
struct drain_parts {
    struct terrane_window part[DRAIN_PARTS];
    int count;
};

/* Cells of the field that a part has with a halo. */
size_t drain_cells_with(const struct terrane_rivers *rivers, const struct terrane_window *part, int halo);

/* Lists what of a window a field is not sure of, as at least one part where there is any, until there are so many in all: in halves as long as
 * these have the smaller fields with a halo. */
void drain_list_unsure(const struct drain_field *field, const struct terrane_window *window, int halo,
                       int max, struct drain_parts *parts);

/* The least window that has all of at least one part. */
struct terrane_window drain_box_of(const struct drain_parts *parts);

/* Makes one of several parts whose fields are no smaller together: no halo costs more than it would of the whole window. Returns the cells of
 * all fields. */
size_t drain_join_parts(const struct terrane_rivers *rivers, int halo, struct drain_parts *parts);

/* How windows are asked for, where memory remembers it (sweep.c): the record of a window that was asked for last, or NULL. */
struct memo_sweep;
const struct memo_sweep *drain_sweep(const struct terrane_world *world, const struct terrane_memory *memory,
                                     const struct terrane_window *window);

/* Notes that a window is asked for. */
void drain_sweep_note(const struct terrane_world *world, const struct terrane_memory *memory,
                      const struct terrane_window *window);

/* Cells that memory keeps from call to call (kept.c). Fills what it has of a window, and returns the least window with all the rest; its
 * width is 0 where nothing is left. */
struct terrane_window drain_recall(const struct terrane_world *world, const struct terrane_memory *memory,
                                   struct terrane_drained *out);

/* Whether it would leave nothing. */
bool drain_is_kept(const struct terrane_world *world, const struct terrane_memory *memory,
                   const struct terrane_window *window);

/* Keeps a window that fields were sure of; and of a window what a field asks and is sure of. There is a memo. */
void drain_keep(const struct terrane_world *world, const struct terrane_memory *memory,
                const struct terrane_drained *drained);
void drain_keep_sure(struct drain_field *field, const struct terrane_window *window,
                     const struct terrane_memory *memory);

/* The field that is tried first for a window of a lattice. */
struct terrane_window drain_first_field(const struct terrane_recipe *recipe,
                                        const struct terrane_window *window);

/* Deals a field's arrays out of a room; window and law are set. */
void drain_field_take(struct drain_field *field, struct room *room);

/* A field's ground, in units, and what runs off each cell by itself, in mm a year (ground.c). field->cost is scratch. memory: with
 * scratch; its memo knows the last field's. */
int drain_ground(struct drain_field *field, const struct terrane_memory *memory);
int drain_spring(struct drain_field *field, const struct terrane_memory *memory);

/* Base heights, in units; every cell NONE and unmarked. memory: with scratch. */
int drain_field_start(struct drain_field *field, const struct terrane_memory *memory);

/* Wears ground down: no slope is over the talus within DRAIN_WEAR cells of what is lower, and streams pull their banks
 * down with them; then lines come down from the dams that are left of their own ground. edge: cells at the field's border that are
 * unsure before; DRAIN_WEAR more are then, and one whose ground is right: so no step from a sure cell costs what it should not; and
 * law->cut_cells of the lines behind these. */
void drain_wear(struct drain_field *field, int edge);

/* How much higher the cells of a row may stand than those beside them: 4/8 to 11/8 of the talus. Rock is not everywhere the same: without
 * that hillsides would be cones. On the finest lattice it is over some cells, so hillsides are smooth, steeper here than there; coarser
 * ones are rough, and lines that are traced from them wander. field->order is looked at no more, unless rise is of it. */
void drain_rise_row(const struct drain_field *field, int y, int32_t *rise);

/* The cells at the field's border, which rounds read and do not write. */
void drain_copy_border(const struct drain_field *field, const int32_t *from, int32_t *to);

/* The cells of lines, in order, none of which is at the field's border: how many. */
int drain_lines(const struct drain_field *field, int32_t *line);

/* Lets lines down to the ground of their cells, as wear.c says. field->cost and order are scratch. */
void drain_lower_lines(struct drain_field *field);

/* What it costs to run into each cell from its neighbours. */
void drain_costs(struct drain_field *field);

/* Grows trees from all cells that are fixed or unsure over the rest, as far as a cost. Fills to, d and the marks. */
void drain_grow(struct drain_field *field, int max);

/* Grows trees on from new sources, which count marks, and farther than to the cost before; of the coarsest lattice. */
void drain_grow_on(struct drain_field *field, int before, int max);

/* Whether runoff gathers at a cell: it has grown, or is an inland lake of the coarsest lattice. What is traced is told. */
static inline bool drain_gathers(const struct drain_field *field, int32_t c)
{
    return !(field->mark[c] & DRAIN_FIXED) ||
           (field->law->coarsest && (field->to[c] & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_INLAND);
}

/* Whether a field that has settled says what is right of a cell. */
static inline bool drain_cell_is_sure(const struct drain_field *field, int32_t c)
{
    return !(field->mark[c] & DRAIN_UNSURE) && !(field->mark[c] & DRAIN_DIRTY && drain_gathers(field, c));
}

/* Runoff, heights and lakes of what has grown. */
int drain_route_heights(struct drain_field *field, const struct terrane_memory *memory);

/* The last step of that: no walls are left (relax.c). Runoff is of the ways before. */
void drain_relax(struct drain_field *field);

/* Marks as dirty what lies within reach of cells with any of some bits; of those that are fixed DRAIN_UNSURE alone counts. field->count,
 * order and grain are scratch. */
void drain_doubt_around(struct drain_field *field, uint8_t bits, int reach);

/* Hillsides of the finest lattice are rounded (hillsides.c), when all else is known. */
void drain_round(struct drain_field *field);

/* The coarsest lattice: sea and inland lakes; then trees. */
void drain_top(struct drain_field *field);

/* A finer lattice: its sea, and lines of the streams of the lattice above. room: drain_trace_bytes of the field's. */
struct drain_above {
    const struct terrane_drained *from;
    int shift; /* log2 of the cells of this lattice along one of that */
};
size_t drain_trace_bytes(const struct terrane_window *field, int shift);
void drain_trace(struct drain_field *field, const struct drain_above *above, void *room);

/* A cell's stem as a word, once its field has settled and stems are begun, which takes field->order; 0: it has none. And of a neighbour's, k from here (gi, gj), as this cell would carry it. */
void drain_stems_start(struct drain_field *field);
uint32_t drain_stem(struct drain_field *field, int32_t c);
uint32_t drain_stem_beside(const struct terrane_rivers *rivers, uint32_t word, int level, int64_t gi,
                           int64_t gj, int k);

/* What a field says of a cell; stems are begun. */
static inline void drain_cell_out(struct drain_field *field, int32_t c, struct terrane_drained *out,
                                  size_t at)
{
    out->z[at] = field->z[c];
    out->low[at] = (uint32_t)field->area[c];
    out->high[at] = (uint32_t)(field->area[c] >> 32) | (uint32_t)(field->to[c] & ~DRAIN_RAISED) << 24;
    out->stem[at] = drain_stem(field, c);
}

/* log2 in eighths, 0 of 0. */
static inline int drain_log2(uint64_t area)
{
    if (area < 8)
        return area < 2 ? 0 : area < 4 ? 8 + (int)(area & 1) * 4 : 16 + (int)(area & 3) * 2;
    const int e = 63 - __builtin_clzll(area);
    return e * 8 + (int)(area >> (e - 3) & 7);
}

#endif
