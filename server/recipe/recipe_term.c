/*
 * Terms: what names, numbers and objects mean.
 *
 *     "hills"                      the term of that name          {"sum": [...]}       build_sum
 *     "zones"                      the zones' surfaces            {"product": [...]}   build_product
 *     120                          a constant                     {"blend": [a, b]}    build_blend
 *     {"fractal": ...}, {"like": ...}   recipe_fractal.c          {"curve": a}         build_curve
 *
 * Invariant: a term is appended after all it rests on, so its inputs' indices are less than its own.
 */
#include <stdio.h>
#include <string.h>

#include "recipe_build.h"

const struct place build_root = {NULL, NULL, 0};
const struct place build_terms = {&build_root, "terms", 0};

/* ---- Order --------------------------------------------------------------------------------------------- */

/* "a -> b -> a": the names from the first time that value was entered. */
static int refuse_cycle(const struct build *build, const struct place *place, int first)
{
    char text[300] = "";
    size_t used = 0;
    const char *again = NULL;
    for (int i = first; i < build->depth && used < sizeof text; i++) {
        if (!build->open[i].name)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", build->open[i].name);
        again = again ? again : build->open[i].name;
    }
    return reader_refuse(build->reader, place, "cycle: %s%s", text, again ? again : "...");
}

int build_enter(struct build *build, const struct place *place, const json_t *value, const char *name)
{
    for (int i = 0; i < build->depth; i++)
        if (build->open[i].value == value)
            return refuse_cycle(build, place, i);
    if (build->depth == BUILD_OPEN_MOST)
        return reader_refuse(build->reader, place, "terms rest on terms more than %d deep", BUILD_OPEN_MOST);
    build->open[build->depth].value = value;
    build->open[build->depth++].name = name;
    return 0;
}

void build_leave(struct build *build)
{
    build->depth--;
}

/* "/terms/hills/sum/1" is called "hills/sum/1"; of a longer name the end counts. */
static void term_name(const char *where, char name[24])
{
    const char *from = strncmp(where, "/terms/", 7) == 0 ? where + 7 : where + 1;
    const size_t bytes = strlen(from);
    from += bytes > 23 ? bytes - 23 : 0;
    memcpy(name, from, strlen(from));
}

int build_append(struct build *build, const struct place *place, const json_t *value,
                 const struct terrane_term *made)
{
    const int index = build->recipe.terms;
    if (index == TERRANE_TERMS_MAX)
        return reader_refuse(build->reader, place,
                             "one term more than the %d that a recipe can have, constants included",
                             TERRANE_TERMS_MAX);
    build->recipe.terms++;
    build->made[index] = value;
    place_text(place, build->where[index], sizeof build->where[index]);
    build->recipe.term[index] = *made;
    term_name(build->where[index], build->recipe.term[index].name);
    return index;
}

json_t *build_named(struct build *build, const struct place *place, const char *name)
{
    const char *words[BUILD_NAMED_MOST + 1] = {build->zones ? "zones" : NULL};
    size_t count = 1;
    json_t *value = json_object_get(build->named, name);
    if (value)
        return value;
    for (void *at = json_object_iter(build->named); at; at = json_object_iter_next(build->named, at))
        if (count < sizeof words / sizeof *words)
            words[count++] = json_object_iter_key(at);
    reader_unknown(build->reader, place, "term", name, words, count);
    return NULL;
}

/* ---- Operations ---------------------------------------------------------------------------------------- */

/* One item of a sum: a term, [factor, term], or {"of": term, "times": factor}. */
static int sum_item(struct build *build, const struct place *place, json_t *value, float *factor)
{
    static const char *const words[] = {"of", "times", "note", NULL};
    const struct reader *reader = build->reader;
    if (json_is_array(value)) {
        const struct place first = {place, NULL, 0}, second = {place, NULL, 1};
        if (reader_array(reader, place, value, 2, 2, "items, a factor and a term") != 0 ||
            reader_float(reader, &first, json_array_get(value, 0), -0x1p20, 0x1p20, factor) != 0)
            return -1;
        return build_term(build, &second, json_array_get(value, 1));
    }
    if (json_object_get(value, "of")) {
        const struct place of = {place, "of", 0};
        if (reader_keys(reader, place, value, words) != 0 ||
            reader_member_float(reader, place, value, "times", -0x1p20, 0x1p20, factor) != 0)
            return -1;
        return build_term(build, &of, json_object_get(value, "of"));
    }
    return build_term(build, place, value);
}

static int build_sum(struct build *build, const struct place *place, json_t *value)
{
    static const char *const words[] = {"sum", "offset_m", "note", NULL};
    const struct reader *reader = build->reader;
    const struct place sum = {place, "sum", 0};
    json_t *items = json_object_get(value, "sum");
    struct terrane_term made = {.op = TERRANE_OP_SUM};
    if (reader_keys(reader, place, value, words) != 0 ||
        reader_array(reader, &sum, items, 1, TERRANE_INPUTS_MAX, "terms") != 0 ||
        reader_member_float(reader, place, value, "offset_m", -32768, 32768, &made.offset) != 0)
        return -1;
    for (; made.inputs < (int)json_array_size(items); made.inputs++) {
        const struct place item = {&sum, NULL, (size_t)made.inputs};
        made.factor[made.inputs] = 1;
        made.in[made.inputs] =
            sum_item(build, &item, json_array_get(items, item.index), &made.factor[made.inputs]);
        if (made.in[made.inputs] < 0)
            return -1;
    }
    return build_append(build, place, value, &made);
}

static int build_product(struct build *build, const struct place *place, json_t *value)
{
    static const char *const words[] = {"product", "times", "offset_m", "note", NULL};
    const struct reader *reader = build->reader;
    const struct place product = {place, "product", 0};
    json_t *items = json_object_get(value, "product");
    struct terrane_term made = {.op = TERRANE_OP_PRODUCT, .factor = {1}};
    if (reader_keys(reader, place, value, words) != 0 ||
        reader_array(reader, &product, items, 1, TERRANE_INPUTS_MAX, "terms") != 0 ||
        reader_member_float(reader, place, value, "times", -0x1p20, 0x1p20, &made.factor[0]) != 0 ||
        reader_member_float(reader, place, value, "offset_m", -32768, 32768, &made.offset) != 0)
        return -1;
    for (; made.inputs < (int)json_array_size(items); made.inputs++) {
        const struct place item = {&product, NULL, (size_t)made.inputs};
        made.in[made.inputs] = build_term(build, &item, json_array_get(items, item.index));
        if (made.in[made.inputs] < 0)
            return -1;
    }
    return build_append(build, place, value, &made);
}

static int build_blend(struct build *build, const struct place *place, json_t *value)
{
    static const char *const words[] = {"blend", "by", "from", "to", "note", NULL};
    const struct reader *reader = build->reader;
    const struct place blend = {place, "blend", 0}, by = {place, "by", 0}, to = {place, "to", 0};
    json_t *pair = json_object_get(value, "blend"), *mask = json_object_get(value, "by");
    struct terrane_term made = {.op = TERRANE_OP_BLEND, .inputs = 3, .low = 0, .high = 1};
    if (reader_keys(reader, place, value, words) != 0 ||
        reader_array(reader, &blend, pair, 2, 2, "terms") != 0 ||
        reader_member_float(reader, place, value, "from", -0x1p20, 0x1p20, &made.low) != 0 ||
        reader_member_float(reader, place, value, "to", -0x1p20, 0x1p20, &made.high) != 0)
        return -1;
    if (!((double)made.high - (double)made.low >= 0x1p-10))
        return reader_refuse(reader, &to, "%.7g is not above from, %.7g, by 1/1024 or more",
                             (double)made.high, (double)made.low);
    if (!mask)
        return reader_refuse(reader, &by, "is missing: the term that says how far the blend has gone");
    for (size_t i = 0; i < 2; i++) {
        const struct place item = {&blend, NULL, i};
        if ((made.in[i] = build_term(build, &item, json_array_get(pair, i))) < 0)
            return -1;
    }
    if ((made.in[2] = build_term(build, &by, mask)) < 0)
        return -1;
    return build_append(build, place, value, &made);
}

static int build_curve(struct build *build, const struct place *place, json_t *value)
{
    static const char *const words[] = {"curve", "knots", "note", NULL};
    const struct reader *reader = build->reader;
    const struct place curve = {place, "curve", 0}, knots = {place, "knots", 0};
    json_t *pairs = json_object_get(value, "knots");
    struct terrane_term made = {.op = TERRANE_OP_CURVE, .inputs = 1};
    if (reader_keys(reader, place, value, words) != 0)
        return -1;
    if (!pairs)
        return reader_refuse(reader, &knots, "is missing: the curve's points, [[x, y], ...]");
    if (reader_array(reader, &knots, pairs, 2, TERRANE_KNOTS_MAX, "knots") != 0)
        return -1;
    for (; made.knots < (int)json_array_size(pairs); made.knots++) {
        const int k = made.knots;
        const struct place knot = {&knots, NULL, (size_t)k}, x = {&knot, NULL, 0}, y = {&knot, NULL, 1};
        json_t *pair = json_array_get(pairs, knot.index);
        if (reader_array(reader, &knot, pair, 2, 2, "numbers, x and y") != 0 ||
            reader_float(reader, &x, json_array_get(pair, 0), -0x1p20, 0x1p20, &made.knot_x[k]) != 0 ||
            reader_float(reader, &y, json_array_get(pair, 1), -0x1p20, 0x1p20, &made.knot_y[k]) != 0)
            return -1;
        if (k > 0 && !((double)made.knot_x[k] - (double)made.knot_x[k - 1] >= 0x1p-10))
            return reader_refuse(reader, &x, "%.7g is not above the knot before, %.7g, by 1/1024 or more",
                                 (double)made.knot_x[k], (double)made.knot_x[k - 1]);
    }
    if ((made.in[0] = build_term(build, &curve, json_object_get(value, "curve"))) < 0)
        return -1;
    return build_append(build, place, value, &made);
}

static int build_constant(struct build *build, const struct place *place, json_t *value)
{
    struct terrane_term made = {.op = TERRANE_OP_SUM};
    if (reader_float(build->reader, place, value, -32768, 32768, &made.offset) != 0)
        return -1;
    return build_append(build, place, value, &made);
}

static int build_zones_object(struct build *build, const struct place *place, json_t *value)
{
    static const char *const words[] = {"zones", "note", NULL};
    const struct place here = {place, "zones", 0};
    if (reader_keys(build->reader, place, value, words) != 0)
        return -1;
    if (!json_is_true(json_object_get(value, "zones")))
        return reader_refuse(build->reader, &here, "allowed is true alone");
    return build_zones_term(build, place);
}

/* ---- Any term ------------------------------------------------------------------------------------------ */

static int build_object(struct build *build, const struct place *place, json_t *value)
{
    static const struct {
        const char *key;
        int (*make)(struct build *build, const struct place *place, json_t *value);
    } form[] = {{"like", build_fractal},      {"fractal", build_fractal}, {"sum", build_sum},
                {"product", build_product},   {"blend", build_blend},     {"curve", build_curve},
                {"zones", build_zones_object}};
    for (size_t i = 0; i < sizeof form / sizeof *form; i++)
        if (json_object_get(value, form[i].key))
            return form[i].make(build, place, value);
    return reader_refuse(build->reader, place,
                         "is no term: it has none of fractal, like, sum, product, blend, curve, zones");
}

/* What is at a place, of which the caller knows that it is not open and has not been made. */
static int build_fresh(struct build *build, const struct place *place, json_t *value)
{
    if (json_is_string(value)) {
        const char *name = json_string_value(value);
        const struct place there = {&build_terms, name, 0};
        if (strcmp(name, "zones") == 0)
            return build_zones_term(build, place);
        json_t *named = build_named(build, place, name);
        return named ? build_term(build, &there, named) : -1;
    }
    if (json_is_number(value))
        return build_constant(build, place, value);
    if (json_is_object(value))
        return build_object(build, place, value);
    return reader_refuse(build->reader, place, "is no term: allowed a term's name, a number, or an object");
}

int build_term(struct build *build, const struct place *place, json_t *value)
{
    for (int i = 0; i < build->recipe.terms; i++)
        if (build->made[i] == value)
            return i;
    if (build_enter(build, place, value, place->up == &build_terms ? place->key : NULL) != 0)
        return -1;
    const int index = build_fresh(build, place, value);
    build_leave(build);
    return index;
}
