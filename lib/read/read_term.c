/*
 * Terms: what names, numbers and objects mean.
 *
 *     "hills"                      the term of that name          {"sum": [...]}, {"product": [...]}   build_fold
 *     "zones"                      the zones' surfaces
 *     120                          a constant                     {"blend": [a, b]}    build_blend
 *     {"fractal": ...}, {"like": ...}   read_fractal.c          {"curve": a}         build_curve
 *     {"plates": ...}, {"climate": ...}, {"coarse": a}   read_plates_climate.c          {"raster": "FILE", ...}   read_raster.c
 *
 * Invariant: a term is appended after all it rests on, so its inputs' indices are less than its own.
 */
#include "build.h"

#include <string.h>

#include "../recipe/kinds.h"
#include "message.h"

const struct place build_root = {NULL, NULL, 0};
const struct place build_terms = {&build_root, "terms", 0};

/* ---- Order --------------------------------------------------------------------------------------------- */

/* "a -> b -> a": the names from the first time that value was entered. */
static int refuse_cycle(const struct build *build, const struct place *place, int first)
{
    char text[300] = "";
    size_t used = 0;
    const char *again = NULL;
    for (int i = first; i < build->depth; i++) {
        if (!build->open[i].name)
            continue;
        used += say(text + used, sizeof text - used, "%s -> ", build->open[i].name);
        again = again ? again : build->open[i].name;
    }
    return reader_refuse(build->reader, place, "cycle: %s%s", text, again ? again : "...");
}

int build_enter(struct build *build, const struct place *place, const struct value *value, const char *name)
{
    for (int i = 0; i < build->depth; i++)
        if (build->open[i].value == value)
            return refuse_cycle(build, place, i);
    if (build->depth == BUILD_OPEN_MAX)
        return reader_refuse(build->reader, place, "terms rest on terms more than %d deep", BUILD_OPEN_MAX);
    build->open[build->depth].value = value;
    build->open[build->depth++].name = name;
    return 0;
}

void build_leave(struct build *build)
{
    build->depth--;
}

void build_forget(struct build *build)
{
    struct terrane_partition *partition = &build->recipe.partition;
    build->recipe.terms = build->octaves = build->depth = 0;
    build->zones_term = -1;
    partition->by = partition->temperature = partition->moisture = 0;
    for (int k = 0; k < partition->zones; k++)
        partition->zone[k].term = -1;
}

const char *build_name(const char *where)
{
    static const char terms[] = "/terms/";
    const size_t bytes = sizeof terms - 1;
    return strlen(where) >= bytes && memcmp(where, terms, bytes) == 0 ? where + bytes : where + 1;
}

/* Of a longer name the end counts. */
static void term_name(const char *where, char name[24])
{
    const char *from = build_name(where);
    const size_t bytes = strlen(from);
    from += bytes > 23 ? bytes - 23 : 0;
    memcpy(name, from, strlen(from));
}

int build_append(struct build *build, const struct place *place, const struct value *value,
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

const struct value *build_named(struct build *build, const struct place *place, const char *name)
{
    const char *words[BUILD_NAMED_MAX + 1] = {build->zones ? "zones" : NULL};
    size_t count = 1;
    const struct value *value = value_get(build->named, name);
    if (value)
        return value;
    for (const struct value *at = build->named ? build->named->first : NULL; at; at = at->next)
        if (count < sizeof words / sizeof *words)
            words[count++] = at->key;
    reader_unknown(build->reader, place, "term", name, words, count);
    return NULL;
}

/* ---- Operations ---------------------------------------------------------------------------------------- */

/* One item of a sum: a term, [factor, term], or {"of": term, "times": factor}. */
static int sum_item(struct build *build, const struct place *place, const struct value *value, float *factor)
{
    const struct reader *reader = build->reader;
    if (value_is(value, VALUE_ARRAY)) {
        const struct place first = {place, NULL, 0}, second = {place, NULL, 1};
        if (reader_array(reader, place, value, 2, 2, "items, a factor and a term") != 0 ||
            reader_float(reader, &first, value_item(value, 0), -0x1p20, 0x1p20, factor) != 0)
            return -1;
        return build_term(build, &second, value_item(value, 1));
    }
    if (value_get(value, "of")) {
        const struct place of = {place, "of", 0};
        if (members_object(reader, place, value, &sum_item_members) != 0 ||
            members_read(reader, place, value, &sum_item_members, factor) != 0)
            return -1;
        return build_term(build, &of, value_get(value, "of"));
    }
    return build_term(build, place, value);
}

/* An operation on an array of terms, of which those of a sum may have factors. */
static int build_fold(struct build *build, const struct place *place, const struct value *value,
                      enum terrane_op op)
{
    const struct reader *reader = build->reader;
    const struct members *members = op_rows[op].members;
    const bool factors = op_rows[op].parts & OP_FACTORS;
    const struct place list = {place, terrane_op_name[op], 0};
    const struct value *items = value_get(value, list.key);
    struct terrane_term made = {.op = op};
    members_default(members, &made);
    if (members_object(reader, place, value, members) != 0 ||
        reader_array(reader, &list, items, 1, TERRANE_INPUTS_MAX, "terms") != 0 ||
        members_read(reader, place, value, members, &made) != 0)
        return -1;
    for (const struct value *item = items->first; item; item = item->next, made.inputs++) {
        const int k = made.inputs;
        const struct place at = {&list, NULL, (size_t)k};
        if (factors)
            made.factor[k] = 1;
        made.in[k] = factors ? sum_item(build, &at, item, &made.factor[k]) : build_term(build, &at, item);
        if (made.in[k] < 0)
            return -1;
    }
    return build_append(build, place, value, &made);
}

static int build_blend(struct build *build, const struct place *place, const struct value *value)
{
    const struct reader *reader = build->reader;
    const struct place blend = {place, "blend", 0}, by = {place, "by", 0}, to = {place, "to", 0};
    const struct value *pair = value_get(value, "blend"), *mask = value_get(value, "by");
    struct terrane_term made = {.op = TERRANE_OP_BLEND, .inputs = 3};
    members_default(&term_blend_members, &made);
    if (members_object(reader, place, value, &term_blend_members) != 0 ||
        reader_array(reader, &blend, pair, 2, 2, "terms") != 0 ||
        members_read(reader, place, value, &term_blend_members, &made) != 0)
        return -1;
    if (!((double)made.high - (double)made.low >= 0x1p-10))
        return reader_refuse(reader, &to, "%.7g is not above from, %.7g, by 1/1024 or more",
                             (double)made.high, (double)made.low);
    if (!mask)
        return reader_refuse(reader, &by, "is missing: the term that says how far the blend has gone");
    for (size_t i = 0; i < 2; i++) {
        const struct place item = {&blend, NULL, i};
        if ((made.in[i] = build_term(build, &item, value_item(pair, i))) < 0)
            return -1;
    }
    if ((made.in[2] = build_term(build, &by, mask)) < 0)
        return -1;
    return build_append(build, place, value, &made);
}

static int build_curve(struct build *build, const struct place *place, const struct value *value)
{
    const struct reader *reader = build->reader;
    const struct place curve = {place, "curve", 0}, knots = {place, "knots", 0};
    const struct value *pairs = value_get(value, "knots");
    struct terrane_term made = {.op = TERRANE_OP_CURVE, .inputs = 1};
    if (members_object(reader, place, value, &term_curve_members) != 0)
        return -1;
    if (!pairs)
        return reader_refuse(reader, &knots, "is missing: the curve's points, [[x, y], ...]");
    if (reader_array(reader, &knots, pairs, 2, TERRANE_KNOTS_MAX, "knots") != 0)
        return -1;
    for (; made.knots < (int)pairs->count; made.knots++) {
        const int k = made.knots;
        const struct place knot = {&knots, NULL, (size_t)k}, x = {&knot, NULL, 0}, y = {&knot, NULL, 1};
        const struct value *pair = value_item(pairs, knot.index);
        if (reader_array(reader, &knot, pair, 2, 2, "numbers, x and y") != 0 ||
            reader_float(reader, &x, value_item(pair, 0), -0x1p20, 0x1p20, &made.knot_x[k]) != 0 ||
            reader_float(reader, &y, value_item(pair, 1), -0x1p20, 0x1p20, &made.knot_y[k]) != 0)
            return -1;
        if (k > 0 && !((double)made.knot_x[k] - (double)made.knot_x[k - 1] >= 0x1p-10))
            return reader_refuse(reader, &x, "%.7g is not above the knot before, %.7g, by 1/1024 or more",
                                 (double)made.knot_x[k], (double)made.knot_x[k - 1]);
    }
    if ((made.in[0] = build_term(build, &curve, value_get(value, "curve"))) < 0)
        return -1;
    return build_append(build, place, value, &made);
}

static int build_constant(struct build *build, const struct place *place, const struct value *value)
{
    struct terrane_term made = {.op = TERRANE_OP_SUM};
    if (reader_float(build->reader, place, value, -32768, 32768, &made.offset) != 0)
        return -1;
    return build_append(build, place, value, &made);
}

static int build_zones_object(struct build *build, const struct place *place, const struct value *value)
{
    const struct place here = {place, "zones", 0};
    if (members_object(build->reader, place, value, &term_zones_members) != 0)
        return -1;
    if (!value_is(value_get(value, "zones"), VALUE_TRUE))
        return reader_refuse(build->reader, &here, "allowed is true alone");
    return build_zones_term(build, place);
}

/* ---- Any term ------------------------------------------------------------------------------------------ */

/* The words that say what a term is: like, which is a fractal's, and the operations. */
static int refuse_object(const struct build *build, const struct place *place)
{
    char text[300];
    size_t used = say(text, sizeof text, "%s, like", terrane_op_name[TERRANE_OP_FRACTAL]);
    for (int op = TERRANE_OP_FRACTAL + 1; op < TERRANE_OPS; op++)
        used += say(text + used, sizeof text - used, ", %s", terrane_op_name[op]);
    return reader_refuse(build->reader, place, "is no term: it has none of %s", text);
}

static int build_object(struct build *build, const struct place *place, const struct value *value)
{
    static int (*const make[TERRANE_OPS])(struct build *, const struct place *, const struct value *) = {
        [TERRANE_OP_FRACTAL] = build_fractal, [TERRANE_OP_BLEND] = build_blend,
        [TERRANE_OP_CURVE] = build_curve,     [TERRANE_OP_ZONES] = build_zones_object,
        [TERRANE_OP_PLATES] = build_plates,   [TERRANE_OP_CLIMATE] = build_climate,
        [TERRANE_OP_COARSE] = build_coarse,   [TERRANE_OP_RASTER] = build_raster,
    };
    if (value_get(value, "like"))
        return build_fractal(build, place, value);
    for (int op = 0; op < TERRANE_OPS; op++)
        if (value_get(value, terrane_op_name[op]))
            return make[op] ? make[op](build, place, value)
                            : build_fold(build, place, value, (enum terrane_op)op);
    return refuse_object(build, place);
}

/* What is at a place, of which the caller knows that it is not open and has not been made. */
static int build_fresh(struct build *build, const struct place *place, const struct value *value)
{
    if (value_is(value, VALUE_STRING)) {
        const char *name = value->string;
        const struct place there = {&build_terms, name, 0};
        if (strcmp(name, "zones") == 0)
            return build_zones_term(build, place);
        const struct value *named = build_named(build, place, name);
        return named ? build_term(build, &there, named) : -1;
    }
    if (value_is_number(value))
        return build_constant(build, place, value);
    if (value_is(value, VALUE_OBJECT))
        return build_object(build, place, value);
    return reader_refuse(build->reader, place, "is no term: allowed a term's name, a number, or an object");
}

int build_term(struct build *build, const struct place *place, const struct value *value)
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
