/* What operations add to the error of a level. */
#include "edit_errors.h"

/* Two samples lie 2 * TERRANE_EDIT_MOVE_M further apart at most, whatever was done: no operation is counted for more. */
static const int64_t ALL = INT64_C(2) * TERRANE_EDIT_MOVE_M * TERRANE_EDIT_UNITS;

/* Rounding of a share of what heights differ by. */
enum { ROUNDING = 1 };

static void add(struct edit_errors *errors, int level, int64_t units)
{
    if (level > TERRANE_LEVEL_MAX)
        return;
    errors->units[level] += units;
    if (errors->units[level] > ALL)
        errors->units[level] = ALL;
}

/* The first level but 0 at which a stroke is less than two samples wide. */
static int narrow_from(const struct terrane_edit *edit)
{
    int level = 1;
    while (edit->outer >= INT64_C(2) * TERRANE_EDIT_PARTS << level)
        level++;
    return level;
}

/* The first level that smooth sees by means of its own: below it reads those of the level at which its radius is 16 to 32 samples. */
static int smooth_from(const struct terrane_edit *edit)
{
    int level = 1;
    while (edit->outer >= INT64_C(16) * TERRANE_EDIT_PARTS << level)
        level++;
    return level;
}

void edit_errors_add(struct edit_errors *errors, const struct terrane_edit *edit)
{
    switch (edit->brush) {
    case TERRANE_BRUSH_RAISE:
    case TERRANE_BRUSH_LOWER:
        add(errors, narrow_from(edit), edit->strength);
        break;
    case TERRANE_BRUSH_LEVEL:
    case TERRANE_BRUSH_RESTORE:
    case TERRANE_BRUSH_WAY:
        add(errors, 1, ROUNDING);
        add(errors, narrow_from(edit), ALL);
        break;
    case TERRANE_BRUSH_SMOOTH:
        add(errors, 1, ROUNDING);
        add(errors, smooth_from(edit), ALL);
        break;
    case TERRANE_BRUSH_SHARPEN:
    case TERRANE_BRUSH_NOISE:
        add(errors, 1, ALL); /* which see another ground, or fractal, at every level */
        break;
    case TERRANE_BRUSH_MARK:
    case TERRANE_BRUSHES:
        break;
    }
}

double edit_errors_m(const struct edit_errors *errors, int level, double high_m)
{
    int64_t units = 0;
    bool any = false;
    for (int k = 0; k <= TERRANE_LEVEL_MAX; k++) {
        any = any || errors->units[k] > 0;
        units += k <= level ? errors->units[k] : 0;
    }
    if (!any || level == 0)
        return 0;
    if (units > ALL)
        units = ALL;
    /* Of both levels: a height in units, and the sum in binary32. */
    return (double)(units + 2) / TERRANE_EDIT_UNITS + (high_m + TERRANE_EDIT_MOVE_M) * 0x1p-23;
}
