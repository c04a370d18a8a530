/*
 * A tile as vectors, which some files make.
 */
#ifndef TERRANE_SERVER_TILE_VECTORS_H
#define TERRANE_SERVER_TILE_VECTORS_H

#include "../encode/mvt.h"
#include "tile_piece.h"

/* Layers river and path. 0; -1: memory is short. */
int tile_add_ways(const struct piece *piece, struct mvt *mvt);

/* A place in 2^-4 samples of level 0 as a tile has it; false: it is a neighbour's, as what lies on the east or south edge is. */
bool tile_point(const struct piece *piece, int64_t x, int64_t y, struct mvt_point *point);

/* Whether the tile shows water at a point of its own. */
bool tile_is_wet(const struct piece *piece, struct mvt_point at);

/* ---- Names --------------------------------------------------------------------------------------------- */

enum label_kind {
    LABEL_TOWN,
    LABEL_VILLAGE,
    LABEL_RIVER,
    LABEL_LAKE,
    LABEL_PEAK,
    LABEL_SEA,
    LABEL_RANGE,
    LABEL_CAPE,
    LABEL_BAY,
    LABEL_ISLAND,
    LABEL_TRACT,
    LABEL_BANK,
    LABELS
};

struct tile_label {
    enum label_kind kind;
    int rank;      /* the lower, the farther away it is worth showing */
    double weight; /* ... of those that have one rank the greatest first */
    uint64_t id;
    double ele_m;  /* of a peak */
    int64_t angle; /* of a river or a range: degrees clockwise */
    int zone;      /* of a tract */
    bool shown;    /* by a vector tile */
    struct mvt_point at;
    char name[TERRANE_NAME_BYTES];
};

struct tile_labels {
    struct tile_label *label; /* owned: freed by whoever began with zeros */
    size_t count, room;
};

/*
 * They add to labels, and return 0, or -1: memory is short. tile_list_landmarks: of kinds (1 << enum terrane_landmark_kind); where the tile's
 * water is made, names of land stand on land, and names of water in it.
 */
int tile_label_add(struct tile_labels *labels, const struct tile_label *label);
int tile_list_labels(const struct piece *piece, struct tile_labels *labels); /* all */
int tile_list_landmarks(const struct piece *piece, unsigned kinds, struct tile_labels *labels);
int tile_list_lakes(const struct piece *piece, struct tile_labels *labels); /* of piece_make_lakes */

const char *tile_label_kind(const struct tile_label *label);

/* Orders labels of one rank: by kind, then the heavier first, then the southern and the eastern. As qsort's. */
int tile_label_compare(const struct tile_label *first, const struct tile_label *second);
bool tile_label_turns(const struct tile_label *label); /* its angle is told */

/* Points of the layer that is under way. few: so many that a view can show them. 0, or -1: memory is short. */
int tile_draw_labels(const struct piece *piece, const struct tile_labels *labels, bool few, struct mvt *mvt);

/* What has a name in the tile, for its JSON: an array. NULL: memory is short. */
json_t *tile_names(const struct piece *piece);

/* To hundredths. */
double tile_rounded(double value);

#endif
