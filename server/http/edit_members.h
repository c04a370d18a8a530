/*
 * Members of operations in JSON: of the files that read and write them.
 */
#ifndef TERRANE_SERVER_EDIT_MEMBERS_H
#define TERRANE_SERVER_EDIT_MEMBERS_H

#include "edit_json.h"

enum member {
    M_BRUSH,
    M_X,
    M_Y,
    M_INNER,
    M_OUTER,
    M_STRENGTH,
    M_STRENGTH_M,
    M_HEIGHT_M,
    M_TERM,
    M_WIDTH,
    M_BORDER,
    M_SLOPE,
    M_DEPTH,
    M_POINTS,
    M_LINE,
    M_PROPERTIES,
    M_TOKEN,
    MEMBERS
};

#define BIT(m) (1u << (m))

/* What a brush cannot do without, and what it may have besides. */
struct brush_row {
    unsigned wants, has;
};
extern const struct brush_row brush_row[TERRANE_BRUSHES];

bool edit_is_fractal(const struct terrane_recipe *recipe, int term);

#endif
