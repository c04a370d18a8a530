/*
 * Fractals: {"fractal": kind, ...}, or {"like": "another", ...} with what differs.
 *
 * A fractal is read through layers: the object itself, the one it is like, the one that is like, and so on. A member is
 * the first layer's that has it, with the place where it stands; what no layer has is the library's default for the
 * kind. So a fractal that is like another shares its salt, and follows it: with a gain of its own it is the same
 * landscape, rougher.
 */
#include "build.h"

#include <string.h>

#include "../recipe/kinds.h"
#include "../recipe/numbers.h"

enum { LAYERS_MAX = 8 };

struct layers {
    struct {
        const struct value *object;
        struct place place;
    } layer[LAYERS_MAX];
    int count;
};

/* ---- Layers -------------------------------------------------------------------------------------------- */

static bool is_fractal(const struct value *value)
{
    return value_get(value, "fractal") || value_get(value, "like");
}

/* A name may stand for a name: follows it to an object. NULL: refused, at the place that asks. */
static const struct value *fractal_named(struct build *build, const struct place *place, const char **name)
{
    for (int hops = 0; hops < LAYERS_MAX; hops++) {
        const struct value *value = build_named(build, place, *name);
        if (!value)
            return NULL;
        if (value_is(value, VALUE_OBJECT) && is_fractal(value))
            return value;
        if (!value_is(value, VALUE_STRING))
            break;
        *name = value->string;
    }
    reader_refuse(build->reader, place, "\"%.40s\" is no fractal", *name);
    return NULL;
}

static int layers_read(struct build *build, const struct place *place, const struct value *value,
                       struct layers *layers)
{
    layers->layer[0].object = value;
    layers->layer[0].place = *place;
    layers->count = 1;
    for (;;) {
        const int last = layers->count - 1;
        const struct place at = {&layers->layer[last].place, "like", 0};
        const struct value *like = value_get(layers->layer[last].object, "like");
        if (members_object(build->reader, &layers->layer[last].place, layers->layer[last].object,
                           &fractal_members) != 0)
            return -1;
        if (!like)
            return 0;
        if (!value_is(like, VALUE_STRING))
            return reader_refuse(build->reader, &at, "is not the name of a fractal");
        const char *name = like->string;
        const struct value *named = fractal_named(build, &at, &name);
        if (!named)
            return -1;
        for (int i = 0; i < layers->count; i++)
            if (layers->layer[i].object == named)
                return reader_refuse(build->reader, &at, "cycle: \"%.40s\" is like itself", name);
        if (layers->count == LAYERS_MAX)
            return reader_refuse(build->reader, &at, "fractals are like fractals more than %d deep",
                                 LAYERS_MAX);
        layers->layer[layers->count].object = named;
        layers->layer[layers->count++].place = (struct place){&build_terms, name, 0};
    }
}

/* The first layer's member of that name and its place; NULL: none has it. Then the place is where it would stand. */
static const struct value *layers_get(const struct layers *layers, const char *key, struct place *place)
{
    for (int i = 0; i < layers->count; i++) {
        const struct value *value = value_get(layers->layer[i].object, key);
        *place = (struct place){&layers->layer[i].place, key, 0};
        if (value)
            return value;
    }
    *place = (struct place){&layers->layer[0].place, key, 0};
    return NULL;
}

/* ---- Members ------------------------------------------------------------------------------------------- */

static int numbers_read(const struct reader *reader, const struct layers *layers,
                        struct terrane_fractal *fractal)
{
    struct place place;
    for (size_t k = 0; k < fractal_members.count; k++) {
        const struct value *value = layers_get(layers, fractal_members.row[k].key, &place);
        if (value && member_read(reader, &place, value, &fractal_members.row[k], fractal) != 0)
            return -1;
    }
    layers_get(layers, "offset", &place);
    if (fractal->kind == TERRANE_MIDPOINT_SMOOTHED && fractal->offset < 0)
        return reader_refuse(reader, &place, "%.9g is not a number from 0 to 4, as midpoint-smoothed needs",
                             (double)fractal->offset);
    layers_get(layers, "amplitude_m", &place);
    return fractal_is_faint(fractal)
               ? reader_refuse(
                     reader, &place,
                     "%.9g is too little to divide by, as multifractal does: allowed 0, or at least 1e-36",
                     (double)fractal->amplitude_m)
               : 0;
}

/* One word for all octaves, or one for each; the last one goes on. */
static int bases_read(const struct reader *reader, const struct layers *layers,
                      struct terrane_fractal *fractal)
{
    const char *words[TERRANE_BASES];
    struct place place;
    const struct value *value = layers_get(layers, "base", &place);
    int base = fractal->base[0], given = 0;
    for (int k = 0; k < TERRANE_BASES; k++)
        words[k] = base_rows[k].name;
    if (value && !value_is(value, VALUE_ARRAY) &&
        reader_word(reader, &place, value, words, TERRANE_BASES, &base) != 0)
        return -1;
    if (value_is(value, VALUE_ARRAY)) {
        if (reader_array(reader, &place, value, 1, TERRANE_OCTAVES_MAX, "bases, one an octave") != 0)
            return -1;
        given = (int)value->count;
    }
    for (int i = 0; i < TERRANE_OCTAVES_MAX; i++) {
        const struct place item = {&place, NULL, (size_t)i};
        if (i < given &&
            reader_word(reader, &item, value_item(value, item.index), words, TERRANE_BASES, &base) != 0)
            return -1;
        fractal->base[i] = (uint8_t)base;
    }
    return 0;
}

/* How many octaves fit, from a cell down to the least. */
static int octaves_fit(double cell, double lacunarity, double min)
{
    int count = 0;
    for (; count < TERRANE_OCTAVES_MAX && cell >= min; count++)
        cell /= lacunarity;
    return count;
}

/* Octaves, their cells and how these shrink: what has to fit together. */
static int cells_read(struct build *build, const struct layers *layers, struct terrane_fractal *fractal)
{
    const struct reader *reader = build->reader;
    const double spacing = build->recipe.spacing_m, min = build->recipe.alias_octaves ? 1 : 2;
    struct place at_octaves, at_cell, at_lacunarity;
    int64_t octaves = fractal->octaves;
    double cell_m = fractal->cell * spacing;
    const struct value *value = layers_get(layers, "octaves", &at_octaves);
    if (value && reader_whole(reader, &at_octaves, value, 1, TERRANE_OCTAVES_MAX, &octaves) != 0)
        return -1;
    fractal->octaves = (int)octaves;
    value = layers_get(layers, "cell_m", &at_cell);
    if (value && reader_number(reader, &at_cell, value, min * spacing, 0x1p40 * spacing, &cell_m) != 0)
        return -1;
    fractal->cell = value ? cell_m / spacing : fractal->cell;
    value = layers_get(layers, "lacunarity", &at_lacunarity);
    if (value && reader_number(reader, &at_lacunarity, value, 1.25, 8, &fractal->lacunarity) != 0)
        return -1;
    const int fit = octaves_fit(fractal->cell, fractal->lacunarity, min);
    if (fractal->octaves > fit)
        return reader_refuse(reader, &at_octaves,
                             "%d octaves are more than fit: %d do, down to cells of %.9g m, %s",
                             fractal->octaves, fit, min * spacing, min > 1 ? "two samples" : "one sample");
    if (fractal_is_midpoint(fractal) && fractal->lacunarity != 2)
        return reader_refuse(reader, &at_lacunarity,
                             "%.9g: midpoint displacement halves cells, it has 2 alone", fractal->lacunarity);
    if (fractal_is_midpoint(fractal) && !is_power_of_two(fractal->cell))
        return reader_refuse(reader, &at_cell,
                             "%.9g: midpoint displacement needs a power of two times spacing_m",
                             fractal->cell * spacing);
    build->octaves += fractal->octaves;
    if (build->octaves > TERRANE_OCTAVES_ALL)
        return reader_refuse(reader, &at_octaves, "all fractals together have over %d octaves",
                             TERRANE_OCTAVES_ALL);
    return 0;
}

/* Given, or a hash of the name that the term has: of the last layer's, which all of them share. */
static int salt_read(const struct reader *reader, const struct layers *layers,
                     struct terrane_fractal *fractal)
{
    struct place place;
    int64_t salt;
    const struct value *value = layers_get(layers, "salt", &place);
    if (value) {
        if (reader_whole(reader, &place, value, 0, UINT32_MAX, &salt) != 0)
            return -1;
        fractal->salt = (uint32_t)salt;
        return 0;
    }
    char where[PLACE_BYTES];
    place_text(&layers->layer[layers->count - 1].place, where, sizeof where);
    const char *name = build_name(where);
    fractal->salt = (uint32_t)terrane_seed_from_name(name, strlen(name));
    return 0;
}

/* {"x": term, "y": term, "m": factor}: makes both terms. */
static int warp_by_read(struct build *build, const struct layers *layers, struct terrane_fractal *fractal)
{
    struct place place;
    const struct value *value = layers_get(layers, "warp_by", &place);
    fractal->warp_term[0] = fractal->warp_term[1] = -1;
    if (!value)
        return 0;
    members_default(&warp_members, fractal);
    if (members_object(build->reader, &place, value, &warp_members) != 0 ||
        members_read(build->reader, &place, value, &warp_members, fractal) != 0)
        return -1;
    if (fractal_is_midpoint(fractal))
        return reader_refuse(build->reader, &place, "midpoint displacement cannot be displaced");
    for (int i = 0; i < 2; i++) {
        const struct place axis = {&place, i ? "y" : "x", 0};
        const struct value *term = value_get(value, axis.key);
        if (term && (fractal->warp_term[i] = build_term(build, &axis, term)) < 0)
            return -1;
    }
    if (fractal->warp_term[0] < 0 && fractal->warp_term[1] < 0)
        return reader_refuse(build->reader, &place, "has neither x nor y");
    return 0;
}

int build_fractal(struct build *build, const struct place *place, const struct value *value)
{
    const char *words[TERRANE_FRACTAL_KINDS];
    struct layers layers;
    struct place at_kind;
    int kind;
    for (int k = 0; k < TERRANE_FRACTAL_KINDS; k++)
        words[k] = kind_rows[k].name;
    if (layers_read(build, place, value, &layers) != 0)
        return -1;
    const struct value *word = layers_get(&layers, "fractal", &at_kind);
    if (reader_word(build->reader, &at_kind, word, words, TERRANE_FRACTAL_KINDS, &kind) != 0)
        return -1;
    struct terrane_term made = terrane_term_fractal((enum terrane_fractal_kind)kind);
    struct terrane_fractal *fractal = &made.fractal;
    if (numbers_read(build->reader, &layers, fractal) != 0 ||
        bases_read(build->reader, &layers, fractal) != 0 || cells_read(build, &layers, fractal) != 0 ||
        salt_read(build->reader, &layers, fractal) != 0 || warp_by_read(build, &layers, fractal) != 0)
        return -1;
    return build_append(build, place, value, &made);
}
