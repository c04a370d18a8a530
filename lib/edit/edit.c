/*
 * Operations: what they may be, and what a list of them is called.
 */
#include "../base/digest.h"
#include "stroke.h"

enum { HEIGHT_MAX = 1 << 30 };

#define BRUSH_NAME(id, name, ...) name,
const char *const terrane_brush_name[TERRANE_BRUSHES] = {TERRANE_BRUSH_ROWS(BRUSH_NAME)};

#define BRUSH_MAX(id, name, max) max,
static const int32_t strength_max[TERRANE_BRUSHES] = {TERRANE_BRUSH_ROWS(BRUSH_MAX)};

/* ---- Checking -------------------------------------------------------------------------------------------- */

static bool is_fractal(const struct terrane_recipe *recipe, const struct terrane_edit *edit)
{
    return edit->term >= 0 && edit->term < recipe->terms && recipe->term[edit->term].op == TERRANE_OP_FRACTAL;
}

/* Whether a way's line is one: its radii are in range. */
static bool line_is_good(const struct terrane_edit *edit)
{
    if (!edit->line || edit->points < 2 || edit->points > TERRANE_EDIT_WAY_POINTS)
        return false;
    for (int k = 0; k < edit->points; k++) {
        const struct terrane_path_point *point = &edit->line[k];
        const int64_t max = TERRANE_EDIT_PLACE_MAX;
        if (point->x < -max || point->x > max || point->y < -max || point->y > max ||
            point->height <= -HEIGHT_MAX || point->height >= HEIGHT_MAX || point->over != 0 ||
            (k > 0 && point->x == point[-1].x && point->y == point[-1].y))
            return false;
    }
    const struct terrane_edit_box box = terrane_edit_parts(edit);
    return edit->line->x == edit->x && edit->line->y == edit->y &&
           box.east - box.west <= 2 * TERRANE_EDIT_RADIUS_MAX &&
           box.south - box.north <= 2 * TERRANE_EDIT_RADIUS_MAX;
}

int terrane_edit_check(const struct terrane_recipe *recipe, const struct terrane_edit *edit,
                       struct terrane_edit_fault *fault)
{
    const int64_t brush = edit->brush;
    const bool known = brush >= 0 && brush < TERRANE_BRUSHES;
    const bool mark = edit->brush == TERRANE_BRUSH_MARK, noise = edit->brush == TERRANE_BRUSH_NOISE;
    const bool way = edit->brush == TERRANE_BRUSH_WAY;
    const int64_t height = edit->brush == TERRANE_BRUSH_LEVEL ? HEIGHT_MAX : 0;
    const struct {
        int64_t value;
        struct terrane_edit_fault allowed;
    } member[] = {
        {brush, {"brush", 0, TERRANE_BRUSHES - 1}},
        {edit->x, {"x", -TERRANE_EDIT_PLACE_MAX, TERRANE_EDIT_PLACE_MAX}},
        {edit->y, {"y", -TERRANE_EDIT_PLACE_MAX, TERRANE_EDIT_PLACE_MAX}},
        {edit->outer, {"outer", !mark, mark ? 0 : TERRANE_EDIT_RADIUS_MAX}},
        {edit->inner, {"inner", 0, edit->outer}},
        {edit->strength, {"strength", !mark, known ? strength_max[brush] : 0}},
        {edit->height, {"height", -height, height}},
        {noise && !is_fractal(recipe, edit) ? -1 : edit->term, {"term", 0, noise ? recipe->terms - 1 : 0}},
        {edit->slope, {"slope", way, way ? 4 * TERRANE_EDIT_SHARES : 0}},
        {way ? edit->points : edit->points | (edit->line != NULL),
         {"line", way ? 2 : 0, way ? TERRANE_EDIT_WAY_POINTS : 0}},
    };
    for (size_t k = 0; k < sizeof member / sizeof *member; k++)
        if (member[k].value < member[k].allowed.min || member[k].value > member[k].allowed.max) {
            if (fault)
                *fault = member[k].allowed;
            return TERRANE_EEDIT;
        }
    if (way && !line_is_good(edit)) {
        if (fault)
            *fault = (struct terrane_edit_fault){"line", 2, TERRANE_EDIT_WAY_POINTS};
        return TERRANE_EEDIT;
    }
    return 0;
}

/* ---- Digest ---------------------------------------------------------------------------------------------- */

void terrane_edits_digest(struct terrane_digest *digest, const struct terrane_edit *edits, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        const struct terrane_edit *edit = &edits[n];
        struct digest made = digest_start(2);
        digest_put_bytes(&made, digest->byte, sizeof digest->byte);
        digest_put(&made, (uint64_t)edit->brush, 4);
        digest_put(&made, (uint64_t)edit->x, 8);
        digest_put(&made, (uint64_t)edit->y, 8);
        const int32_t rest[] = {edit->inner, edit->outer, edit->strength, edit->height, edit->term};
        for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
            digest_put(&made, (uint32_t)rest[k], 4);
        if (edit->points > 0)
            digest_put(&made, (uint32_t)edit->slope, 4);
        for (int k = 0; k < edit->points; k++) {
            digest_put(&made, (uint64_t)edit->line[k].x, 8);
            digest_put(&made, (uint64_t)edit->line[k].y, 8);
            digest_put(&made, (uint32_t)edit->line[k].height, 4);
        }
        digest_end_bytes(&made, digest->byte);
    }
}
