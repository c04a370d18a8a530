/*
 * Operations, marks and what may be done to a world, to JSON.
 */
#include "edit_members.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "../base/json_text.h"

static json_t *time_of(int64_t at_ms)
{
    const time_t seconds = (time_t)(at_ms / 1000);
    struct tm when;
    char text[40], whole[48];
    gmtime_r(&seconds, &when);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &when);
    snprintf(whole, sizeof whole, "%s.%03dZ", text, (int)(at_ms % 1000));
    return json_string(whole);
}

static void put_place(json_t **object, const struct shared_world *world, const struct terrane_edit *edit)
{
    const double part_m = world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    json_put(object, "x", json_real((double)edit->x * part_m));
    json_put(object, "y", json_real((double)edit->y * part_m));
    if (edit->brush == TERRANE_BRUSH_MARK)
        return;
    json_put(object, "inner", json_real((double)edit->inner * part_m));
    json_put(object, "outer", json_real((double)edit->outer * part_m));
}

/* The line that a way became, its points as they are. */
static json_t *line_of(double part_m, const struct terrane_edit *edit)
{
    json_t *line = json_array();
    for (const struct terrane_path_point *point = edit->line; point < edit->line + edit->points; point++)
        json_append(&line, json_pack("[f, f, f]", (double)point->x * part_m, (double)point->y * part_m,
                                     (double)point->height / TERRANE_EDIT_UNITS));
    return line;
}

static void put_way(json_t **object, const struct shared_world *world, const struct terrane_edit *edit)
{
    const double part_m = world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    json_put(object, "width", json_real((double)edit->inner * 2 * part_m));
    json_put(object, "border", json_real((double)(edit->outer - edit->inner) * part_m));
    json_put(object, "slope", json_real((double)edit->slope / TERRANE_EDIT_SHARES));
    json_put(object, "line", line_of(part_m, edit));
}

static void put_stroke(json_t **object, const struct shared_world *world, const struct shared_edit *edit)
{
    const struct terrane_edit *one = &edit->entry.edit;
    const unsigned has = brush_row[one->brush].wants | brush_row[one->brush].has;
    json_put(object, "brush", json_string(terrane_brush_name[one->brush]));
    if (one->brush == TERRANE_BRUSH_WAY)
        put_way(object, world, one);
    else
        put_place(object, world, one);
    if (has & BIT(M_STRENGTH_M))
        json_put(object, "strength_m", json_real((double)one->strength / TERRANE_EDIT_UNITS));
    if (has & BIT(M_STRENGTH))
        json_put(object, "strength", json_real((double)one->strength / TERRANE_EDIT_SHARES));
    if (has & BIT(M_HEIGHT_M))
        json_put(object, "height_m", json_real((double)one->height / TERRANE_EDIT_UNITS));
    if (has & BIT(M_TERM))
        json_put(object, "term", json_string(world->recipe.world.term[one->term].name));
    if (*edit->note)
        json_put(object, "properties", json_loads(edit->note, 0, NULL));
}

/* Where ground moves by it; of what undoes another operation, where that moved it. */
static void put_box(json_t **object, const struct shared_world *world, const struct shared_edit *edit)
{
    const struct shared_box box = shared_box_of(world, &edit->entry, edit->number);
    const double part_m = world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    if (box.x0 != box.x1)
        json_put(object, "box",
                 json_pack("[f, f, f, f]", (double)box.x0 * part_m, (double)box.y0 * part_m,
                           (double)box.x1 * part_m, (double)box.y1 * part_m));
}

json_t *edit_json_of(const struct shared_world *world, const struct shared_edit *edit)
{
    json_t *object = json_object();
    json_put(&object, "seq", json_integer((json_int_t)edit->number));
    if (edit->entry.undoes)
        json_put(&object, "undoes", json_integer((json_int_t)edit->entry.undoes));
    else
        put_stroke(&object, world, edit);
    put_box(&object, world, edit);
    json_put(&object, "by", json_string(edit->by));
    json_put(&object, "at", time_of(edit->at_ms));
    if (*edit->token)
        json_put(&object, "token", json_string(edit->token));
    return object;
}

json_t *edit_json_event(const struct shared_world *world, const struct shared_edit *edit)
{
    json_t *object = edit_json_of(world, edit);
    json_put(&object, "epoch", json_string(world->epoch));
    return object;
}

/* The nearest part, as of an operation's place; held far beyond all of them. */
static int64_t parts_of(const struct shared_world *world, double metres)
{
    const double max = 0x1p60, parts = metres * (TERRANE_EDIT_PARTS / world->recipe.world.spacing_m);
    return (int64_t)(parts > max ? max : parts < -max ? -max : round(parts));
}

struct shared_box edit_json_rectangle(const struct shared_world *world, double x0, double y0, double x1,
                                      double y1)
{
    return (struct shared_box){parts_of(world, x0), parts_of(world, y0), parts_of(world, x1),
                               parts_of(world, y1)};
}

struct shared_box edit_json_box(const struct shared_world *world, const struct target *target)
{
    if (!target->box.given)
        return (struct shared_box){INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX};
    return edit_json_rectangle(world, target->box.x0, target->box.y0, target->box.x1, target->box.y1);
}

json_t *edit_json_mark(const struct shared_world *world, const struct shared_edit *edit)
{
    const double part_m = world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    json_t *properties = *edit->note ? json_loads(edit->note, 0, NULL) : json_object();
    return json_pack("{s:s, s:I, s:{s:s, s:[f, f]}, s:o}", "type", "Feature", "id", (json_int_t)edit->number,
                     "geometry", "type", "Point", "coordinates", (double)edit->entry.edit.x * part_m,
                     (double)edit->entry.edit.y * part_m, "properties", properties);
}

/* By level of detail. */
static json_t *errors_of(const struct shared_world *world)
{
    const struct edit_errors errors = edit_log_errors(world->log);
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(&world->recipe.world, &bounds);
    json_t *list = json_array();
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        json_append(&list,
                    json_real(edit_errors_m(&errors, level, fmax(fabs(bounds.low_m), fabs(bounds.high_m)))));
    return list;
}

json_t *edit_json_facts(const struct shared_world *world, uint64_t count, json_t *follows)
{
    const struct terrane_recipe *recipe = &world->recipe.world;
    json_t *brushes = json_array(), *terms = json_array();
    for (int k = 0; k < TERRANE_BRUSHES; k++)
        json_append(&brushes, json_string(terrane_brush_name[k]));
    for (int k = 0; k < recipe->terms; k++)
        if (edit_is_fractal(recipe, k))
            json_append(&terms, json_string(recipe->term[k].name));
    return json_pack("{s:s, s:I, s:o, s:o, s:f, s:o, s:o*}", "epoch", world->epoch, "count",
                     (json_int_t)count, "brushes", brushes, "terms", terms, "outer_m",
                     TERRANE_EDIT_RADIUS_MAX * recipe->spacing_m / TERRANE_EDIT_PARTS, "level_errors_m",
                     errors_of(world), "follows", follows);
}
