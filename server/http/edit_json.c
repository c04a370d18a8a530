/*
 * Operations from JSON. What is between two integers is rounded to the nearest, as the answer tells.
 */
#include "edit_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Members --------------------------------------------------------------------------------------------- */

static const char *const member_name[MEMBERS] = {
    "brush", "x",      "y",     "inner", "outer",  "strength", "strength_m", "height_m", "term",
    "width", "border", "slope", "depth", "points", "line",     "properties", "token"};

enum { PLACE = BIT(M_BRUSH) | BIT(M_X) | BIT(M_Y), STROKE = PLACE | BIT(M_OUTER) };

const struct brush_row brush_row[TERRANE_BRUSHES] = {
    [TERRANE_BRUSH_RAISE] = {STROKE | BIT(M_STRENGTH_M), BIT(M_INNER)},
    [TERRANE_BRUSH_LOWER] = {STROKE | BIT(M_STRENGTH_M), BIT(M_INNER)},
    [TERRANE_BRUSH_LEVEL] = {STROKE | BIT(M_HEIGHT_M), BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_SMOOTH] = {STROKE, BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_SHARPEN] = {STROKE, BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_NOISE] = {STROKE | BIT(M_TERM), BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_RESTORE] = {STROKE, BIT(M_INNER) | BIT(M_STRENGTH)},
    [TERRANE_BRUSH_MARK] = {PLACE, BIT(M_PROPERTIES)},
    [TERRANE_BRUSH_WAY] = {BIT(M_BRUSH) | BIT(M_WIDTH) | BIT(M_SLOPE),
                           BIT(M_BORDER) | BIT(M_DEPTH) | BIT(M_STRENGTH) | BIT(M_POINTS) | BIT(M_LINE)},
};

/* An operation being read: the k-th of its list, of a world whose sample of level 0 has so many parts a metre. */
struct reading {
    const struct terrane_recipe *recipe;
    struct body_complaint *complaint;
    size_t k;
    double parts;
    struct terrane_path_point *room; /* for the points of its line */
    struct terrane_way *way;         /* NULL: it may not be routed */
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
static bool integer_of(const json_t *given, double scale, int64_t *value)
{
    const double max = 0x1p53, number = json_number_value(given) * scale;
    *value = (int64_t)(!isfinite(number) || number > max ? max : number < -max ? -max : round(number));
    return json_is_number(given) && isfinite(number);
}

static bool read_number(const struct reading *reading, enum member member, double scale, int64_t *value)
{
    return integer_of(reading->member[member], scale, value) || refuse(reading, member, "must be a number");
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

bool edit_is_fractal(const struct terrane_recipe *recipe, int term)
{
    return recipe->term[term].op == TERRANE_OP_FRACTAL;
}

static bool read_term(const struct reading *reading, struct terrane_edit *edit)
{
    const char *name = json_string_value(reading->member[M_TERM]);
    for (int k = 0; name && k < reading->recipe->terms; k++)
        if (strcmp(reading->recipe->term[k].name, name) == 0 && edit_is_fractal(reading->recipe, k)) {
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

/* ---- Ways ------------------------------------------------------------------------------------------------ */

enum { DEPTH_USUAL = 16 * TERRANE_EDIT_UNITS, DEPTH_MAX = TERRANE_EDIT_MOVE_M * TERRANE_EDIT_UNITS };

/* Numbers of a list of lists of so many: into the k-th of x, y and, of three, height. */
static bool read_place(const struct reading *reading, const json_t *place, size_t numbers,
                       struct terrane_path_point *point)
{
    int64_t height = 0;
    const bool good = json_is_array(place) && json_array_size(place) == numbers &&
                      integer_of(json_array_get(place, 0), reading->parts, &point->x) &&
                      integer_of(json_array_get(place, 1), reading->parts, &point->y) &&
                      (numbers < 3 || integer_of(json_array_get(place, 2), TERRANE_EDIT_UNITS, &height));
    point->height = held(height);
    point->over = 0;
    return good;
}

/* A list of places, with heights or without, into the reading's room. Returns how many; 0: refused. */
static int read_places(const struct reading *reading, enum member member, int max)
{
    const json_t *list = reading->member[member];
    const size_t count = json_array_size(list);
    const size_t numbers = member == M_LINE ? 3 : 2;
    bool good = json_is_array(list) && count >= 2 && count <= (size_t)max;
    for (size_t k = 0; k < count && good; k++)
        good = read_place(reading, json_array_get(list, k), numbers, &reading->room[k]);
    char what[80];
    snprintf(what, sizeof what, "must be 2 to %d lists of %zu numbers", max, numbers);
    if (!good)
        refuse(reading, member, what);
    return good ? (int)count : 0;
}

/* What its points are routed by. */
static bool read_routed(const struct reading *reading, const struct terrane_edit *edit)
{
    struct terrane_way *way = reading->way;
    struct terrane_window window;
    int64_t depth = DEPTH_USUAL;
    if (!way)
        return refuse(reading, M_POINTS, "are routed one way at a time: send it by itself");
    if (reading->member[M_DEPTH] && !read_number(reading, M_DEPTH, TERRANE_EDIT_UNITS, &depth))
        return false;
    if (depth < 1 || depth > DEPTH_MAX)
        return refuse(reading, M_DEPTH, "must be above 0 and at most 4096");
    *way = (struct terrane_way){.inner = edit->inner,
                                .outer = edit->outer,
                                .slope = edit->slope,
                                .depth = (int32_t)depth,
                                .places = edit->points};
    for (int k = 0; k < way->places; k++) {
        way->x[k] = edit->line[k].x;
        way->y[k] = edit->line[k].y;
    }
    return terrane_way_needs(way, &window) ||
           refuse(reading, M_POINTS, "are too far apart, or at the edge of this world or beyond");
}

/* Radii, slope, and line or places. */
static bool read_way(const struct reading *reading, struct terrane_edit *edit)
{
    int64_t width = 0, border = 0, slope = 0;
    const bool routed = reading->member[M_POINTS] != NULL;
    if (routed == (reading->member[M_LINE] != NULL))
        return refuse(reading, M_POINTS, "are needed, or a line, with this brush");
    if (!routed && reading->member[M_DEPTH])
        return refuse(reading, M_DEPTH, "is of points that are routed");
    if (!read_number(reading, M_WIDTH, reading->parts, &width) ||
        !read_number(reading, M_SLOPE, TERRANE_EDIT_SHARES, &slope))
        return false;
    border = width;
    if (reading->member[M_BORDER] && !read_number(reading, M_BORDER, reading->parts, &border))
        return false;
    if (width < 2 || width > TERRANE_EDIT_RADIUS_MAX)
        return refuse(reading, M_WIDTH, "must be an eighth of a sample to 65536 of them");
    if (border < 0 || border > TERRANE_EDIT_RADIUS_MAX - width / 2)
        return refuse(reading, M_BORDER, "must be 0 or more, and with half the width 65536 samples at most");
    if (edit->strength < 1 || edit->strength > TERRANE_EDIT_SHARES)
        return refuse(reading, M_STRENGTH, "must be above 0 and at most 1");
    edit->inner = (int32_t)(width / 2);
    edit->outer = (int32_t)(width / 2 + border);
    edit->slope = held(slope);
    if (slope < 1 || slope > 4 * TERRANE_EDIT_SHARES)
        return refuse(reading, M_SLOPE, "must be above 0 and at most 4");
    edit->points = read_places(reading, routed ? M_POINTS : M_LINE,
                               routed ? TERRANE_WAY_PLACES : TERRANE_EDIT_WAY_POINTS);
    if (edit->points == 0)
        return false;
    edit->line = reading->room;
    edit->x = reading->room->x;
    edit->y = reading->room->y;
    return !routed || read_routed(reading, edit);
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
    if (edit->brush == TERRANE_BRUSH_WAY && strcmp(fault->member, "strength") != 0)
        return refuse(reading, M_LINE,
                      "has a point that is none of this world, or two in one place, or is too wide");
    const char *member = strength && metres ? "strength_m" : height ? "height_m" : fault->member;
    return body_refuse(reading->complaint, 400, member, "operation %zu: %s must be from %.9g to %.9g",
                       reading->k, member, (double)fault->min / unit, (double)fault->max / unit);
}

static bool read_numbers(const struct reading *reading, struct terrane_edit *edit)
{
    int64_t inner = 0, outer = 0, height = 0;
    if (edit->brush == TERRANE_BRUSH_WAY)
        return read_strength(reading, edit) && read_way(reading, edit);
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
    if (reading->way && reading->way->places > 0)
        return true; /* its line comes */
    return terrane_edit_check(reading->recipe, one, &fault) == 0 || refuse_fault(reading, one, &fault);
}

/* ---- Bodies ---------------------------------------------------------------------------------------------- */

/* points: of all lines, that stand behind them, so that one free is for all. */
static struct shared_edit *edits_new(size_t count, size_t points, const char *by,
                                     struct body_complaint *complaint)
{
    struct shared_edit *edits =
        calloc(1, (count + 1) * sizeof *edits + points * sizeof(struct terrane_path_point));
    if (!edits)
        body_refuse(complaint, 503, NULL, "The server is short of memory; try again shortly.");
    for (size_t k = 0; k < count && edits; k++)
        snprintf(edits[k].by, sizeof edits[k].by, "%s", by);
    return edits;
}

/* How many points a line may have that is an operation's; a way that is routed has as many as there may be. */
static size_t points_of(const json_t *edit)
{
    const size_t given = json_array_size(json_object_get(edit, "line"));
    return json_object_get(edit, "points") || given > TERRANE_EDIT_WAY_POINTS ? TERRANE_EDIT_WAY_POINTS
                                                                              : given;
}

struct terrane_path_point *edit_json_room(struct shared_edit *edits, size_t count)
{
    return (struct terrane_path_point *)(void *)(edits + count);
}

static void read_list(json_t *root, const struct shared_world *world, struct edit_body *body,
                      struct body_complaint *complaint)
{
    struct terrane_path_point *room = edit_json_room(body->edit, body->count);
    for (size_t k = 0; k < body->count && !complaint->status; k++) {
        json_t *one = json_is_array(root) ? json_array_get(root, k) : root;
        struct reading reading = {.recipe = &world->recipe.world,
                                  .complaint = complaint,
                                  .k = k,
                                  .parts = TERRANE_EDIT_PARTS / world->recipe.world.spacing_m,
                                  .room = room,
                                  .way = body->count == 1 ? &body->way : NULL};
        read_edit(&reading, one, &body->edit[k]);
        room += points_of(one);
    }
}

bool edit_json_read(const char *text, size_t bytes, const struct shared_world *world, const char *by,
                    struct edit_body *body, struct body_complaint *complaint)
{
    json_t *root = body_json(text, bytes, complaint);
    const bool list = json_is_array(root);
    const size_t count = list ? json_array_size(root) : 1;
    size_t points = 0;
    *body = (struct edit_body){.count = count};
    if (root && (count == 0 || count > SHARED_BATCH_MAX))
        body_refuse(complaint, count == 0 ? 400 : 413, "body", "there are %zu operations, and 1 to %d may be",
                    count, SHARED_BATCH_MAX);
    for (size_t k = 0; k < count && !complaint->status; k++)
        points += points_of(list ? json_array_get(root, k) : root);
    if (root && !complaint->status)
        body->edit = edits_new(count, points, by, complaint);
    if (body->edit)
        read_list(root, world, body, complaint);
    body->bytes = count * sizeof *body->edit + points * sizeof(struct terrane_path_point);
    json_decref(root);
    if (!complaint->status)
        return true;
    free(body->edit);
    body->edit = NULL;
    return false;
}

bool edit_json_read_undo(const char *text, size_t bytes, const char *by, struct edit_body *body,
                         struct body_complaint *complaint)
{
    json_t *root = body_json(text, bytes, complaint), *given = json_object_get(root, "token");
    const char *token = json_string_value(given);
    int64_t number = 0;
    *body = (struct edit_body){.count = 1, .bytes = sizeof *body->edit};
    if (root && (!json_is_object(root) || json_object_size(root) != (given ? 2 : 1) ||
                 !text_value_integer(json_object_get(root, "seq"), &number) || number < 1))
        body_refuse(complaint, 400, "seq",
                    "the body must be {\"seq\": N}, the number of an operation, and may have a token");
    else if (given && (!token || !shared_is_token(token)))
        body_refuse(complaint, 400, "token", "token must be [A-Za-z0-9._:-]{1,64}");
    if (root && !complaint->status)
        body->edit = edits_new(1, 0, by, complaint);
    if (body->edit) {
        body->edit->entry.undoes = (uint64_t)number;
        snprintf(body->edit->token, sizeof body->edit->token, "%s", token ? token : "");
    }
    json_decref(root);
    return body->edit != NULL;
}
