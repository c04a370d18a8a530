/*
 * Edits: what people did to a world, as a list of operations, laid over its ground.
 *
 * A list reaches a ground by a struct terrane_edit_source (terrane_make.h), whose find answers, for a window, which operations it
 * rests on. The least that serves:
 *
 *     static int find(void *user, const struct terrane_window *window, unsigned kind, struct terrane_edit_found *found)
 *     {
 *         const struct list *list = user;
 *         found->edits = list->edits;
 *         found->count = list->count;
 *         terrane_edit_needs(list->edits, list->count, window, false, &found->needs);
 *         return 0;
 *     }
 *
 * An operation is integers, and so is all arithmetic. A world's ground and a list of operations make the same samples in every window,
 * whichever tile is made first, and whether a list is applied at once or bit by bit. Edits come last: what erosion, rivers, lakes,
 * paths and caves read is ground without them. lib/README.md states them to the bit.
 *
 * Memory, threads and errors are as in terrane.h.
 */
#ifndef TERRANE_EDIT_H
#define TERRANE_EDIT_H

#include "terrane_features.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Operations ------------------------------------------------------------------------------------------ */

#define TERRANE_EDIT_PARTS      16 /* of a sample of level 0: places and radii are counted in them */
#define TERRANE_EDIT_PLACE_MAX  (INT64_C(1) << 52) /* centres are within, along both axes */
#define TERRANE_EDIT_RADIUS_MAX (1 << 20)
#define TERRANE_EDIT_UNITS      16384 /* of a metre: heights are counted in them */
#define TERRANE_EDIT_SHARES     65536 /* of a whole one: shares are counted in them */
#define TERRANE_EDIT_MOVE_M     4096  /* edits move no sample by more */

/*
 * Brushes, a row each: X(id, name, max of strength). strength is in units of height for raise and lower, and in shares for the
 * others: of the way to what they move a sample to, or of a term.
 *
 *   raise, lower   by strength
 *   level          towards height
 *   smooth         towards the mean of the surroundings, which are a quarter of the radius, or less, wide on every side
 *   sharpen        away from it
 *   noise          by a fractal of the recipe, which term names
 *   restore        towards ground without edits
 *   mark           a place, which moves nothing
 *   way            towards the surface of a line that has heights: a path through places, as it was routed
 */
#define TERRANE_BRUSH_ROWS(X)                                  \
    X(RAISE, "raise", TERRANE_EDIT_MOVE_M *TERRANE_EDIT_UNITS) \
    X(LOWER, "lower", TERRANE_EDIT_MOVE_M *TERRANE_EDIT_UNITS) \
    X(LEVEL, "level", TERRANE_EDIT_SHARES)                     \
    X(SMOOTH, "smooth", TERRANE_EDIT_SHARES)                   \
    X(SHARPEN, "sharpen", TERRANE_EDIT_SHARES)                 \
    X(NOISE, "noise", 16 * TERRANE_EDIT_SHARES)                \
    X(RESTORE, "restore", TERRANE_EDIT_SHARES)                 \
    X(MARK, "mark", 0)                                         \
    X(WAY, "way", TERRANE_EDIT_SHARES)

enum terrane_brush {
#define TERRANE_BRUSH_ID(id, ...) TERRANE_BRUSH_##id,
    TERRANE_BRUSH_ROWS(TERRANE_BRUSH_ID)
#undef TERRANE_BRUSH_ID
        TERRANE_BRUSHES
};

extern const char *const terrane_brush_name[TERRANE_BRUSHES];

#define TERRANE_EDIT_WAY_POINTS 1024 /* of a way's line, at most */

/*
 * One operation. All of it within the inner radius, none beyond the outer one, and the fade S5 between. Members that a brush does not
 * use are 0: of a mark all but its place. A way has its radii around its line, whose first point is its place.
 */
struct terrane_edit {
    int64_t x, y; /* the centre, east and south, in parts: within TERRANE_EDIT_PLACE_MAX */
    enum terrane_brush brush;
    int32_t inner, outer; /* in parts: 0 .. outer, 1 .. TERRANE_EDIT_RADIUS_MAX */
    int32_t strength;     /* 1 .. what the brush's row has */
    int32_t height;       /* of level, in units of height: within 2^30 */
    int32_t term;         /* of noise: a term of the recipe that is a fractal */
    int32_t slope;        /* of way: of its surface, at most, in shares: 1 .. 4 of them */
    int32_t points;       /* of way: 2 .. TERRANE_EDIT_WAY_POINTS, no two neighbours in one place */
    const struct terrane_path_point *line; /* in parts and units of height, over 0; borrowed */
};

/* What is wrong with an operation: a member, and what it may be. Static storage. */
struct terrane_edit_fault {
    const char *member;
    int64_t min, max; /* of term: the recipe's; those that are no fractals are refused as well */
};

/* Whether an operation, of whatever numbers, is one. Returns 0, or TERRANE_EEDIT and fills *fault unless NULL. What the functions
 * below are given has passed. */
int terrane_edit_check(const struct terrane_recipe *recipe, const struct terrane_edit *edit,
                       struct terrane_edit_fault *fault) TERRANE_MUST_CHECK;

/*
 * The digest of a list that a digest is of and more operations behind it: SipHash-2-4-128, operation by operation. The digest of an
 * empty list is zeros.
 */
void terrane_edits_digest(struct terrane_digest *digest, const struct terrane_edit *edits, size_t count);

/* ---- Where --------------------------------------------------------------------------------------------- */

/* From the first to the last along both axes. */
struct terrane_edit_box {
    int64_t west, north, east, south;
};

/* The parts of samples of level 0 that an operation may move, whatever the level. */
struct terrane_edit_box terrane_edit_parts(const struct terrane_edit *edit);

/*
 * The chunks on which an operation lies, for who looks operations up by place: squares of 2^log2 samples of level 0, which are as wide
 * as the operation is, or wider, so that it lies on 2 x 2 at most; log2 is 8 or more.
 */
struct terrane_edit_chunks {
    int64_t x, y;
    int log2, columns, rows;
};
void terrane_edit_chunks(const struct terrane_edit *edit, struct terrane_edit_chunks *chunks);
#define TERRANE_EDIT_CHUNK_LOG2_MAX 17

/*
 * Which operations of a list a window (any step) of any level rests on: keep[k] is 1 or 0. They are those that move its samples, and
 * those before them that move what their smooth and sharpen read. Applied alone, in their order, they make what the list makes.
 * Returns how many.
 */
size_t terrane_edits_touching(const struct terrane_edit *edits, size_t count,
                              const struct terrane_window *window, uint8_t *keep);

/* ---- Ground -------------------------------------------------------------------------------------------- */

/*
 * Windows of unedited ground, of step 1, that editing a window reads beside its own samples: of its level, or coarser ones. There are
 * some only where smooth or sharpen move samples of the window, and they lie on those operations with TERRANE_EDIT_HALO samples more
 * on every side.
 */
#define TERRANE_EDIT_LATTICES 14
#define TERRANE_EDIT_HALO     6
struct terrane_edit_needs {
    int count;
    struct terrane_window window[TERRANE_EDIT_LATTICES];
};

/* whole: windows as wide as those of operations all over the window would be, at the same levels. */
void terrane_edit_needs(const struct terrane_edit *edits, size_t count, const struct terrane_window *window,
                        bool whole, struct terrane_edit_needs *needs);

/* A window under work, which a struct terrane_edit_source may be shown. */
struct terrane_editing;

/*
 * What operations have made so far, in bytes for the program that packed them: who makes the window again, with more operations behind
 * those, applies these alone. Ground of needs is in there. Bytes that were changed make other samples, and do no other harm. Returns how
 * many they are; packed NULL: no more than that.
 */
size_t terrane_edit_pack(const struct terrane_editing *editing, void *packed);

/* Whether bytes are of such a window: then needs are theirs. */
bool terrane_edit_packed_fits(const struct terrane_window *window, const void *packed, size_t bytes,
                              struct terrane_edit_needs *needs);

/* ---- Ways ------------------------------------------------------------------------------------------------ */

#define TERRANE_WAY_PLACES 16
#define TERRANE_WAY_SIDE   513 /* samples of ground that routing reads along an axis, at most */

/*
 * A way as its author means it: places, which it passes within three samples of the level that is read, and limits. Its line is
 * routed once, over the ground of then, and kept.
 */
struct terrane_way {
    int32_t inner, outer, slope; /* as an operation has them */
    int32_t depth; /* units of height: no point of the line is farther from the ground, up or down */
    int places;    /* 2 .. TERRANE_WAY_PLACES */
    int64_t x[TERRANE_WAY_PLACES], y[TERRANE_WAY_PLACES]; /* parts */
};

/* Why a way has no line. */
enum terrane_way_fault {
    TERRANE_WAY_APART = 1, /* all places are one */
    TERRANE_WAY_STEEP,     /* its ends differ by more than its slope climbs between them, as the crow flies */
    TERRANE_WAY_DEEP,      /* it would be so far from the ground there */
    TERRANE_WAY_LONG       /* it has too many points, or with its radii and slope it is no operation */
};

struct terrane_way_place {
    enum terrane_way_fault fault;
    int64_t x, y; /* parts */
    int32_t by;   /* units of height: of STEEP how much too much it is, of DEEP how far */
};

/* The window (step 1) of the level whose ground routing reads; false: its places are too far apart, or none, or it reaches over the world's edge. */
bool terrane_way_needs(const struct terrane_way *way, struct terrane_window *window);

/*
 * terrane_way_route - the line of a way.
 *
 *   window   as terrane_way_needs has it
 *   heights  of its ground, as it is then: with edits
 *   line     room for TERRANE_EDIT_WAY_POINTS
 *   edit     becomes the operation, over line, which passes terrane_edit_check
 *
 * No two of its points differ in height by more than its slope climbs between them, as the crow flies. Where the ground is below the
 * recipe's sea it runs half a metre over that. Returns 0, TERRANE_EEDIT (there is no line, and *why says where), TERRANE_EWINDOW or TERRANE_EMEMORY. Cost: an A* over the
 * window for each two places.
 */
int terrane_way_route(const struct terrane_recipe *recipe, const struct terrane_way *way,
                      const struct terrane_window *window, const float *heights,
                      const struct terrane_memory *memory, struct terrane_path_point *line,
                      struct terrane_edit *edit, struct terrane_way_place *why) TERRANE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
