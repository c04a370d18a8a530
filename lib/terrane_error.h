/*
 * What libterrane's functions return when they cannot do what they are asked to.
 */
#ifndef TERRANE_ERROR_H
#define TERRANE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TERRANE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define TERRANE_MUST_CHECK /* behind the declarator, where no other compiler takes an attribute */
#endif

/* name, value, text */
#define TERRANE_ERRORS(X)                                                                                    \
    X(TERRANE_ELEVEL, -1, "level of detail outside 0 .. 24")                                                 \
    X(TERRANE_ETILE, -2, "tile outside -2^40 .. 2^40 - 1")                                                   \
    X(TERRANE_ESIZE, -3, "size is neither 2^k from 2 to 512 nor 2^k + 1 from 3 to 257")                      \
    X(TERRANE_EWINDOW, -4, "window or point outside the lattice, empty, or over 4097 samples wide or high")  \
    X(TERRANE_EISA, -5, "instruction set unknown, or not usable on this machine")                            \
    X(TERRANE_ESPACING, -6, "recipe: spacing_m outside 2^-10 .. 2^20 m")                                     \
    X(TERRANE_ERANGE, -7, "recipe: low_m is not below high_m, or one is not within 32768 m of 0")            \
    X(TERRANE_EOCTAVES, -8,                                                                                  \
      "recipe: a fractal has not 1 .. 24 octaves, or more than halvings of its cell, or all together over "  \
      "128, or alias_octaves is not 0 or 1")                                                                 \
    X(TERRANE_ECELL, -9,                                                                                     \
      "recipe: a cell spans under 2 samples (a fractal's under 1 with alias_octaves) or over 2^40")          \
    X(TERRANE_EBASE, -10, "recipe: unknown base noise, kind of fractal, operation or kind of partition")     \
    X(TERRANE_EAMPLITUDE, -11,                                                                               \
      "recipe: an amplitude, offset, gain or other number is not finite or outside its range")               \
    X(TERRANE_EZONES, -12, "recipe: not 1 .. 16 zones, or a table that names another")                       \
    X(TERRANE_ETHRESHOLD, -13,                                                                               \
      "recipe: thresholds, knots or colour stops do not rise, or a blend is outside its range")              \
    X(TERRANE_ETERM, -15,                                                                                    \
      "recipe: not 1 .. 64 terms, or one that rests on itself, on a later one, or on zones that rest on it") \
    X(TERRANE_EFLOAT, -14, "floating point: not IEEE round to nearest with subnormals")                      \
    X(TERRANE_EEROSION, -16,                                                                                 \
      "recipe: erosion: a level, count or number is outside its range, or heights are beyond its units")     \
    X(TERRANE_EHALO, -17,                                                                                    \
      "recipe: erosion: at a level, phases * (steps + 2) + slides + creep is over 192 samples")              \
    X(TERRANE_ELAKES, -18, "recipe: lakes: a level, cell, radius, share or depth is outside its range")      \
    X(TERRANE_EPATHS, -19,                                                                                   \
      "recipe: paths: a level, cell, slope or width is outside its range, or the level is over one above "   \
      "that of the lakes or not below bottom of the rivers")                                                 \
    X(TERRANE_ECAVES, -20,                                                                                   \
      "recipe: caves: a level, cell, radius, share, slope or height is outside its range, the level is not " \
      "below bottom of the rivers, or the roof is thinner than paths cut")                                   \
    X(TERRANE_EPATCH, -21, "patch: side, spacing, unit or a height is outside its range")                    \
    X(TERRANE_ENODE, -22, "graph: a node lies outside the patch")                                            \
    X(TERRANE_EWIDTH, -23, "graph: a width, slope or border is not finite, is below 0, or a width is 0")     \
    X(TERRANE_EEDGE, -24, "graph: an edge names no node, joins a node to itself, or two nodes again")        \
    X(TERRANE_ECROSSING, -25, "graph: two edges cross")                                                      \
    X(TERRANE_EUNREACHABLE, -26, "graph: no way leads along an edge: its nodes are cut off from each other") \
    X(TERRANE_ETEXT, -27, "recipe: the text is no recipe")                                                   \
    X(TERRANE_EMEMORY, -28, "memory is short")                                                               \
    X(TERRANE_ERIVERS, -29,                                                                                  \
      "recipe: rivers: a level, term or number is outside its range, erosion has other levels than those "   \
      "below their bottom, or there are lakes, too")                                                         \
    X(TERRANE_EMODEL, -30, "there is no such model, or its seed is outside 0 .. 15")                         \
    X(TERRANE_EPLATES, -31,                                                                                  \
      "recipe: plates: there are none, or a cell, quantity or number is outside its range")                  \
    X(TERRANE_ECLIMATE, -32,                                                                                 \
      "recipe: climate: there is none, a cell, quantity or number is outside its range, or its ground is "   \
      "no term, or one that rests on zones, the climate or a coarse term of wider cells")                    \
    X(TERRANE_ECOARSE, -33,                                                                                  \
      "recipe: over 8 coarse terms, or one that rests on zones, the climate or one of wider cells")          \
    X(TERRANE_ECOVER, -34,                                                                                   \
      "recipe: cover: not 0 .. 8 materials or conditions, or a term, share or trapezoid that is none")       \
    X(TERRANE_EOBJECTS, -35,                                                                                 \
      "recipe: objects: not 0 .. 8 classes, some without cover, or a model, radius, share, slope, scale, "   \
      "level or condition that is none")                                                                     \
    X(TERRANE_EGENERATOR, -36, "recipe: a generator that this library does not have")                        \
    X(TERRANE_EEDIT, -37, "edit: an unknown brush, or a member outside its range")

enum terrane_error {
#define X(name, value, text) name = value,
    TERRANE_ERRORS(X)
#undef X
};

/*
 * The sentence that belongs to an error code; "no error" for 0, "unknown error" for others. Static storage.
 */
const char *terrane_error_text(int error);

#ifdef __cplusplus
}
#endif
#endif
