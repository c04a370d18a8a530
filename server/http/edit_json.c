/*
 * Operations from JSON and to it. What is between two integers is rounded to the nearest, as the answer tells.
 */
#include "edit_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Members --------------------------------------------------------------------------------------------- */

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
    M_PROPERTIES,
    M_TOKEN,
    MEMBERS
};

static const char *const member_name[MEMBERS] = {
    "brush", "x", "y", "inner", "outer", "strength", "strength_m", "height_m", "term", "properties", "token"};

#define BIT(m) (1u << (m))
enum { PLACE = BIT(M_BRUSH) | BIT(M_X) | BIT(M_Y), STROKE = PLACE | BIT(M_OUTER) };

/* What a brush cannot do without, and what it may have besides. */
static const struct {
    unsigned wants, has;
} brush_row[TERRANE_BRUSHES] = {
    [TERRANE_BRUSH_RAISE] = {STROKE | BIT(M_STRENGTH_M), BIT(M_INNER)},
    [TERRANE_BRUSH_LOWER] = {STROKE | BIT(M_STRENGTH_M), BIT(M_INNER)},
    [TERRANE_BRUSH_LEVEL] = {STROKE | BIT(M_HEIGHT_M), BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_SMOOTH] = {STROKE, BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_SHARPEN] = {STROKE, BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_NOISE] = {STROKE | BIT(M_TERM), BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_RESTORE] = {STROKE, BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_MARK] = {PLACE, BIT(M_PROPERTIES)},
};

/* An operation being read: the k-th of its list, of a world whose sample of level 0 has so many parts a metre. */
struct reading {
    const struct terrane_recipe *recipe;
    struct body_complaint *complaint;
    size_t k;
    double parts;
    const json_t *member[MEMBERS];
};

static bool refuse(const struct reading *reading, enum member member, const char *what)
{
    return body_refuse(reading->complaint, 400, member_name[member], "operation %zu: %s %s", reading->k,
                       member_name[member], what);
}

/* The members that are given; false: one is none, or none of this brush's. */
static bool find_members(struct reading *reading, json_t *object)
{
    unsigned given = 0;
    char shown[TEXT_SHOWN_BYTES];
    if (!json_is_object(object))
        return body_refuse(reading->complaint, 400, "body", "operation %zu must be an object", reading->k);
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at);
        const int which = tile_name_find(member_name, MEMBERS, key, strlen(key));
        text_show(shown, sizeof shown, key);
        if (which < 0)
            return body_refuse(reading->complaint, 400, "body", "operation %zu: there is no member %s",
                               reading->k, shown);
        reading->member[which] = json_object_iter_value(at);
        given |= BIT(which);
    }
    const char *word = json_string_value(reading->member[M_BRUSH]);
    const int brush = word ? tile_name_find(terrane_brush_name, TERRANE_BRUSHES, word, strlen(word)) : -1;
    char allowed[120] = "must be one of ";
    const size_t n = strlen(allowed);
    tile_names_list(allowed + n, sizeof allowed - n, terrane_brush_name, TERRANE_BRUSHES);
    if (brush < 0)
        return refuse(reading, M_BRUSH, allowed);
    const unsigned wants = brush_row[brush].wants, has = wants | brush_row[brush].has | BIT(M_TOKEN);
    for (int m = 0; m < MEMBERS; m++) {
        if (wants & BIT(m) & ~given)
            return refuse(reading, (enum member)m, "is needed with this brush");
        if (given & BIT(m) & ~has)
            return refuse(reading, (enum member)m, "is no member of this brush");
    }
    return true;
}

/* The nearest integer to a number times scale; beyond 2^53 it is held there, which no member allows. */
static bool read_number(const struct reading *reading, enum member member, double scale, int64_t *value)
{
    const double max = 0x1p53, number = json_number_value(reading->member[member]) * scale;
    if (!json_is_number(reading->member[member]) || !isfinite(number))
        return refuse(reading, member, "must be a number");
    *value = (int64_t)(number > max ? max : number < -max ? -max : round(number));
    return true;
}

static int32_t held(int64_t v)
{
    return (int32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

/* What a share is where none is said: all of it. */
static bool read_strength(const struct reading *reading, struct terrane_edit *edit)
{
    int64_t strength = edit->brush == TERRANE_BRUSH_MARK ? 0 : TERRANE_EDIT_SHARES;
    if (reading->member[M_STRENGTH_M] && !read_number(reading, M_STRENGTH_M, TERRANE_EDIT_UNITS, &strength))
        return false;
    if (reading->member[M_STRENGTH] && !read_number(reading, M_STRENGTH, TERRANE_EDIT_SHARES, &strength))
        return false;
    edit->strength = held(strength);
    return true;
}

static bool is_fractal(const struct terrane_recipe *recipe, int term)
{
    return recipe->term[term].op == TERRANE_OP_FRACTAL;
}

static bool read_term(const struct reading *reading, struct terrane_edit *edit)
{
    const char *name = json_string_value(reading->member[M_TERM]);
    for (int k = 0; name && k < reading->recipe->terms; k++)
        if (strcmp(reading->recipe->term[k].name, name) == 0 && is_fractal(reading->recipe, k)) {
            edit->term = k;
            return true;
        }
    return refuse(reading, M_TERM, "must be the name of a fractal of the world's recipe");
}

static bool read_token(const struct reading *reading, char token[static SHARED_TOKEN_BYTES + 1])
{
    const char *text = json_string_value(reading->member[M_TOKEN]);
    if (!reading->member[M_TOKEN])
        return true;
    if (!text || !shared_is_token(text))
        return refuse(reading, M_TOKEN, "must be [A-Za-z0-9._:-]{1,64}");
    memcpy(token, text, strlen(text) + 1);
    return true;
}

static bool read_note(const struct reading *reading, char note[static SHARED_NOTE_BYTES + 1])
{
    const json_t *properties = reading->member[M_PROPERTIES];
    if (!properties)
        return true;
    if (!json_is_object(properties))
        return refuse(reading, M_PROPERTIES, "must be an object");
    char *text = json_dumps(properties, JSON_COMPACT | JSON_SORT_KEYS);
    const bool fits = text && strlen(text) <= SHARED_NOTE_BYTES;
    if (fits)
        memcpy(note, text, strlen(text) + 1);
    free(text);
    return fits || refuse(reading, M_PROPERTIES, "must be 1024 bytes of JSON at most");
}

/* ---- What is out of range, in the client's own units ----------------------------------------------------- */

static bool refuse_fault(const struct reading *reading, const struct terrane_edit *edit,
                         const struct terrane_edit_fault *fault)
{
    const bool metres = edit->brush == TERRANE_BRUSH_RAISE || edit->brush == TERRANE_BRUSH_LOWER;
    const bool strength = strcmp(fault->member, "strength") == 0,
               height = strcmp(fault->member, "height") == 0;
    const double unit = !strength && !height ? reading->parts
                        : height || metres   ? TERRANE_EDIT_UNITS
                                             : TERRANE_EDIT_SHARES;
    const char *member = strength && metres ? "strength_m" : height ? "height_m" : fault->member;
    return body_refuse(reading->complaint, 400, member, "operation %zu: %s must be from %.9g to %.9g",
                       reading->k, member, (double)fault->min / unit, (double)fault->max / unit);
}

/* Whether a world takes a brush: surroundings are made of ground alone, whose regions other tiles share. */
static bool may_use(const struct terrane_recipe *recipe, enum terrane_brush brush)
{
    const bool reads = brush == TERRANE_BRUSH_SMOOTH || brush == TERRANE_BRUSH_SHARPEN;
    return !reads || (recipe->erosion.levels == 0 && recipe->rivers.top == 0 && recipe->paths.width_m == 0);
}

static bool read_numbers(const struct reading *reading, struct terrane_edit *edit)
{
    int64_t inner = 0, outer = 0, height = 0;
    if (!read_number(reading, M_X, reading->parts, &edit->x) ||
        !read_number(reading, M_Y, reading->parts, &edit->y) ||
        (reading->member[M_INNER] && !read_number(reading, M_INNER, reading->parts, &inner)) ||
        (reading->member[M_OUTER] && !read_number(reading, M_OUTER, reading->parts, &outer)) ||
        (reading->member[M_HEIGHT_M] && !read_number(reading, M_HEIGHT_M, TERRANE_EDIT_UNITS, &height)))
        return false;
    edit->inner = held(inner);
    edit->outer = held(outer);
    edit->height = held(height);
    return read_strength(reading, edit) && (!reading->member[M_TERM] || read_term(reading, edit));
}

static bool read_edit(struct reading *reading, json_t *object, struct shared_edit *edit)
{
    struct terrane_edit *one = &edit->entry.edit;
    struct terrane_edit_fault fault;
    if (!find_members(reading, object))
        return false;
    const char *word = json_string_value(reading->member[M_BRUSH]);
    one->brush = (enum terrane_brush)tile_name_find(terrane_brush_name, TERRANE_BRUSHES, word, strlen(word));
    if (!read_numbers(reading, one) || !read_token(reading, edit->token) || !read_note(reading, edit->note))
        return false;
    if (!may_use(reading->recipe, one->brush))
        return refuse(reading, M_BRUSH,
                      "smooth and sharpen are not for worlds with erosion, rivers or paths yet");
    return terrane_edit_check(reading->recipe, one, &fault) == 0 || refuse_fault(reading, one, &fault);
}

/* ---- Bodies ---------------------------------------------------------------------------------------------- */

static struct shared_edit *edits_new(size_t count, const char *by, struct body_complaint *complaint)
{
    struct shared_edit *edits = calloc(count + 1, sizeof *edits);
    if (!edits)
        body_refuse(complaint, 503, NULL, "The server is short of memory; try again shortly.");
    for (size_t k = 0; k < count && edits; k++)
        snprintf(edits[k].by, sizeof edits[k].by, "%s", by);
    return edits;
}

size_t edit_json_read(const char *text, size_t bytes, const struct shared_world *world, const char *by,
                      struct shared_edit **edits, struct body_complaint *complaint)
{
    json_t *root = body_json(text, bytes, complaint);
    const bool list = json_is_array(root);
    size_t count = list ? json_array_size(root) : 1;
    *edits = NULL;
    if (root && (count == 0 || count > SHARED_BATCH_MAX))
        body_refuse(complaint, count == 0 ? 400 : 413, "body", "there are %zu operations, and 1 to %d may be",
                    count, SHARED_BATCH_MAX);
    if (root && !complaint->status)
        *edits = edits_new(count, by, complaint);
    for (size_t k = 0; k < count && *edits && !complaint->status; k++) {
        struct reading reading = {.recipe = &world->recipe.world,
                                  .complaint = complaint,
                                  .k = k,
                                  .parts = TERRANE_EDIT_PARTS / world->recipe.world.spacing_m};
        read_edit(&reading, list ? json_array_get(root, k) : root, &(*edits)[k]);
    }
    json_decref(root);
    if (!complaint->status)
        return count;
    free(*edits);
    *edits = NULL;
    return 0;
}

size_t edit_json_read_undo(const char *text, size_t bytes, const char *by, struct shared_edit **edits,
                           struct body_complaint *complaint)
{
    json_t *root = body_json(text, bytes, complaint), *given = json_object_get(root, "token");
    const char *token = json_string_value(given);
    int64_t number = 0;
    *edits = NULL;
    if (root && (!json_is_object(root) || json_object_size(root) != (given ? 2 : 1) ||
                 !text_value_integer(json_object_get(root, "seq"), &number) || number < 1))
        body_refuse(complaint, 400, "seq",
                    "the body must be {\"seq\": N}, the number of an operation, and may have a token");
    else if (given && (!token || !shared_is_token(token)))
        body_refuse(complaint, 400, "token", "token must be [A-Za-z0-9._:-]{1,64}");
    if (root && !complaint->status)
        *edits = edits_new(1, by, complaint);
    if (*edits) {
        (*edits)->entry.undoes = (uint64_t)number;
        snprintf((*edits)->token, sizeof(*edits)->token, "%s", token ? token : "");
    }
    json_decref(root);
    return *edits != NULL;
}

/* ---- To JSON --------------------------------------------------------------------------------------------- */

static bool put(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

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

static bool put_place(json_t *object, const struct shared_world *world, const struct terrane_edit *edit)
{
    const double part_m = world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    return put(object, "x", json_real((double)edit->x * part_m)) &&
           put(object, "y", json_real((double)edit->y * part_m)) &&
           (edit->brush == TERRANE_BRUSH_MARK ||
            (put(object, "inner", json_real((double)edit->inner * part_m)) &&
             put(object, "outer", json_real((double)edit->outer * part_m))));
}

static bool put_stroke(json_t *object, const struct shared_world *world, const struct shared_edit *edit)
{
    const struct terrane_edit *one = &edit->entry.edit;
    const unsigned has = brush_row[one->brush].wants | brush_row[one->brush].has;
    bool ok =
        put(object, "brush", json_string(terrane_brush_name[one->brush])) && put_place(object, world, one);
    if (has & BIT(M_STRENGTH_M))
        ok = ok && put(object, "strength_m", json_real((double)one->strength / TERRANE_EDIT_UNITS));
    if (has & BIT(M_STRENGTH))
        ok = ok && put(object, "strength", json_real((double)one->strength / TERRANE_EDIT_SHARES));
    if (has & BIT(M_HEIGHT_M))
        ok = ok && put(object, "height_m", json_real((double)one->height / TERRANE_EDIT_UNITS));
    if (has & BIT(M_TERM))
        ok = ok && put(object, "term", json_string(world->recipe.world.term[one->term].name));
    return ok && (!*edit->note || put(object, "properties", json_loads(edit->note, 0, NULL)));
}

/* Where ground moves by it; of what undoes another operation, where that moved it. */
static bool put_box(json_t *object, const struct shared_world *world, const struct shared_edit *edit)
{
    const struct shared_box box = shared_box_of(world, &edit->entry);
    const double part_m = world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    return box.x0 == box.x1 || put(object, "box",
                                   json_pack("[f, f, f, f]", (double)box.x0 * part_m, (double)box.y0 * part_m,
                                             (double)box.x1 * part_m, (double)box.y1 * part_m));
}

json_t *edit_json_of(const struct shared_world *world, const struct shared_edit *edit)
{
    json_t *object = json_object();
    bool ok = object && put(object, "seq", json_integer((json_int_t)edit->number));
    ok = ok && (edit->entry.undoes ? put(object, "undoes", json_integer((json_int_t)edit->entry.undoes))
                                   : put_stroke(object, world, edit));
    ok = ok && put_box(object, world, edit);
    ok = ok && put(object, "by", json_string(edit->by)) && put(object, "at", time_of(edit->at_ms));
    if (*edit->token)
        ok = ok && put(object, "token", json_string(edit->token));
    if (ok)
        return object;
    json_decref(object);
    return NULL;
}

json_t *edit_json_event(const struct shared_world *world, const struct shared_edit *edit)
{
    json_t *object = edit_json_of(world, edit);
    if (!object || put(object, "epoch", json_string(world->epoch)))
        return object;
    json_decref(object);
    return NULL;
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

json_t *edit_json_facts(const struct shared_world *world, uint64_t count)
{
    const struct terrane_recipe *recipe = &world->recipe.world;
    json_t *brushes = json_array(), *terms = json_array();
    bool ok = brushes && terms;
    for (int k = 0; ok && k < TERRANE_BRUSHES; k++)
        if (may_use(recipe, (enum terrane_brush)k))
            ok = json_array_append_new(brushes, json_string(terrane_brush_name[k])) == 0;
    for (int k = 0; ok && k < recipe->terms; k++)
        if (is_fractal(recipe, k))
            ok = json_array_append_new(terms, json_string(recipe->term[k].name)) == 0;
    if (ok)
        return json_pack("{s:s, s:I, s:o, s:o, s:f}", "epoch", world->epoch, "count", (json_int_t)count,
                         "brushes", brushes, "terms", terms, "outer_m",
                         TERRANE_EDIT_RADIUS_MAX * recipe->spacing_m / TERRANE_EDIT_PARTS);
    json_decref(brushes);
    json_decref(terms);
    return NULL;
}
