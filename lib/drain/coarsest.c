/*
 * The coarsest lattice: trees from the sea, and from inland lakes where that is too far.
 *
 * A first growth from the sea tells how far land is from it. In every aligned block of cells the lowest of the land is the
 * root of an inland lake if it is inland itself. A second growth is from both. A cell that no way reaches within its bound is
 * a root for itself: the worst of worlds has bounded trees.
 */
#include <string.h>

#include "drain.h"

/* Ways from beyond come in there. */
static void mark_border(struct drain_field *field)
{
    for (int y = 0; y < field->height; y++)
        for (int x = 0; x < field->width; x++) {
            const int32_t c = y * field->width + x;
            if ((x < 2 || y < 2 || x >= field->width - 2 || y >= field->height - 2) &&
                !(field->mark[c] & DRAIN_FIXED))
                field->mark[c] = DRAIN_UNSURE;
        }
}

static void start(struct drain_field *field)
{
    for (int c = 0; c < field->cells; c++)
        if (field->ground[c] < field->law->sea) {
            field->to[c] = TERRANE_DRAIN_SEA;
            field->mark[c] = DRAIN_FIXED;
            field->z[c] = field->ground[c];
            field->ground[c] = field->law->sea;
            field->area[c] = 0;
        }
    mark_border(field);
}

static void set_root(struct drain_field *field, int32_t c)
{
    field->to[c] = TERRANE_DRAIN_INLAND | TERRANE_DRAIN_STREAM;
    field->mark[c] = DRAIN_FIXED;
    field->z[c] = field->ground[c];
    field->count[c] = true;
}

/* The root of a block, which is NONE or far, or not known. */
static void find_root(struct drain_field *field, int x0, int y0)
{
    int32_t lowest = -1;
    for (int y = y0; y < y0 + DRAIN_TOP_BLOCK; y++)
        for (int x = x0; x < x0 + DRAIN_TOP_BLOCK; x++) {
            const int32_t c = y * field->width + x;
            if (field->to[c] != TERRANE_DRAIN_SEA && (lowest < 0 || field->ground[c] < field->ground[lowest]))
                lowest = c;
        }
    if (lowest < 0)
        return;
    if (field->d[lowest] > field->law->far)
        set_root(field, lowest);                   /* the cost is a lower bound where it is unsure */
    else if (field->mark[lowest] & DRAIN_UNSURE) { /* it may be one */
        field->to[lowest] = TERRANE_DRAIN_NONE;
        field->count[lowest] = true;
    }
}

void drain_top(struct drain_field *field)
{
    start(field);
    drain_grow(field, field->law->far);
    memset(field->count, false, (size_t)field->cells); /* of new sources */
    for (int y = 0; y < field->height; y += DRAIN_TOP_BLOCK)
        for (int x = 0; x < field->width; x += DRAIN_TOP_BLOCK)
            find_root(field, x, y);
    for (int c = 0; c < field->cells; c++)
        if (!(field->mark[c] & DRAIN_FIXED))
            field->mark[c] &= (uint8_t)~DRAIN_DIRTY;
    drain_grow_on(field, field->law->far, field->law->far + DRAIN_TOP_END);
    for (int c = 0; c < field->cells; c++)
        if (!(field->mark[c] & (DRAIN_FIXED | DRAIN_UNSURE)) && field->to[c] == TERRANE_DRAIN_NONE)
            set_root(field, c);
}
