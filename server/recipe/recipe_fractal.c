/*
 * Fractals: {"fractal": kind, ...}, or {"like": "another", ...} with what differs.
 *
 * A fractal is read through layers: the object itself, the one it is like, the one that is like, and so on. A member is
 * the first layer's that has it, with the place where it stands; what no layer has is the library's default for the
 * kind. So a fractal that is like another shares its salt, and follows it: with a gain of its own it is the same
 * landscape, rougher.
 */
#include <stddef.h>
#include <string.h>

#include "recipe_build.h"

enum { LAYERS_MOST = 8 };

const char *const build_base_name[TERRANE_BASES] = {
    [TERRANE_VALUE] = "value",
    [TERRANE_POLYNOMIAL] = "polynomial",
    [TERRANE_POLYNOMIAL_C1] = "polynomial-c1",
    [TERRANE_PERLIN3] = "perlin3",
    [TERRANE_PERLIN5] = "perlin5",
    [TERRANE_HERMITE] = "hermite",
    [TERRANE_SIMPLEX] = "simplex",
    [TERRANE_CELLULAR_F1] = "cellular-f1",
    [TERRANE_CELLULAR_F2] = "cellular-f2",
    [TERRANE_CELLULAR_EDGE] = "cellular-edge",
};

const char *const build_kind_name[TERRANE_FRACTAL_KINDS] = {
    [TERRANE_FBM] = "fbm",
    [TERRANE_BILLOW] = "billow",
    [TERRANE_RIDGED] = "ridged",
    [TERRANE_DOUBLE_RIDGED] = "double-ridged",
    [TERRANE_IQ] = "iq",
    [TERRANE_MULTIFRACTAL] = "multifractal",
    [TERRANE_HYBRID] = "hybrid",
    [TERRANE_SWISS] = "swiss",
    [TERRANE_JORDAN] = "jordan",
    [TERRANE_MIDPOINT] = "midpoint",
    [TERRANE_MIDPOINT_SMOOTHED] = "midpoint-smoothed",
};

static const char *const fractal_words[] = {
    "fractal", "like",   "base",   "octaves",   "cell_m", "lacunarity", "gain",    "amplitude_m", "salt",
    "weight",  "jitter", "offset", "sharpness", "warp",   "damp",       "warp_by", "note",        NULL};

struct layers {
    struct {
        json_t *object;
        struct place place;
    } layer[LAYERS_MOST];
    int count;
};

/* ---- Layers -------------------------------------------------------------------------------------------- */

static bool is_fractal(const json_t *value)
{
    return json_object_get(value, "fractal") || json_object_get(value, "like");
}

/* A name may stand for a name: follows it to an object. NULL: refused, at the place that asks. */
static json_t *fractal_named(struct build *build, const struct place *place, const char **name)
{
    for (int hops = 0; hops < LAYERS_MOST; hops++) {
        json_t *value = build_named(build, place, *name);
        if (!value)
            return NULL;
        if (json_is_object(value) && is_fractal(value))
            return value;
        if (!json_is_string(value))
            break;
        *name = json_string_value(value);
    }
    reader_refuse(build->reader, place, "\"%.40s\" is no fractal", *name);
    return NULL;
}

static int layers_read(struct build *build, const struct place *place, json_t *value, struct layers *layers)
{
    layers->layer[0].object = value;
    layers->layer[0].place = *place;
    layers->count = 1;
    for (;;) {
        const int last = layers->count - 1;
        const struct place at = {&layers->layer[last].place, "like", 0};
        json_t *like = json_object_get(layers->layer[last].object, "like");
        if (reader_keys(build->reader, &layers->layer[last].place, layers->layer[last].object,
                        fractal_words) != 0)
            return -1;
        if (!like)
            return 0;
        if (!json_is_string(like))
            return reader_refuse(build->reader, &at, "is not the name of a fractal");
        const char *name = json_string_value(like);
        json_t *named = fractal_named(build, &at, &name);
        if (!named)
            return -1;
        for (int i = 0; i < layers->count; i++)
            if (layers->layer[i].object == named)
                return reader_refuse(build->reader, &at, "cycle: \"%.40s\" is like itself", name);
        if (layers->count == LAYERS_MOST)
            return reader_refuse(build->reader, &at, "fractals are like fractals more than %d deep",
                                 LAYERS_MOST);
        layers->layer[layers->count].object = named;
        layers->layer[layers->count++].place = (struct place){&build_terms, name, 0};
    }
}

/* The first layer's member of that name and its place; NULL: none has it. Then the place is where it would stand. */
static json_t *layers_get(const struct layers *layers, const char *key, struct place *place)
{
    for (int i = 0; i < layers->count; i++) {
        json_t *value = json_object_get(layers->layer[i].object, key);
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
#define FLOAT(member, low, high)                                     \
    {                                                                \
#member, offsetof(struct terrane_fractal, member), low, high \
    }
    static const struct {
        const char *key;
        size_t offset;
        double low, high;
    } member[] = {FLOAT(amplitude_m, 0, 32768), FLOAT(gain, 0, 1),    FLOAT(weight, 0, 4),
                  FLOAT(jitter, 0, 1),          FLOAT(offset, -4, 4), FLOAT(sharpness, -16, 16),
                  FLOAT(warp, -4, 4),           FLOAT(damp, 0, 4)};
#undef FLOAT
    struct place place;
    for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
        const json_t *value = layers_get(layers, member[i].key, &place);
        void *const at = (char *)fractal + member[i].offset;
        if (value && reader_float(reader, &place, value, member[i].low, member[i].high, at) != 0)
            return -1;
    }
    layers_get(layers, "offset", &place);
    if (fractal->kind == TERRANE_MIDPOINT_SMOOTHED && fractal->offset < 0)
        return reader_refuse(reader, &place, "%.9g is not a number from 0 to 4, as midpoint-smoothed needs",
                             (double)fractal->offset);
    return 0;
}

/* One word for all octaves, or one for each; the last one goes on. */
static int bases_read(const struct reader *reader, const struct layers *layers,
                      struct terrane_fractal *fractal)
{
    struct place place;
    const json_t *value = layers_get(layers, "base", &place);
    int base = fractal->base[0], given = 0;
    if (value && !json_is_array(value) &&
        reader_word(reader, &place, value, build_base_name, TERRANE_BASES, &base) != 0)
        return -1;
    if (json_is_array(value)) {
        if (reader_array(reader, &place, value, 1, TERRANE_OCTAVES_MAX, "bases, one an octave") != 0)
            return -1;
        given = (int)json_array_size(value);
    }
    for (int i = 0; i < TERRANE_OCTAVES_MAX; i++) {
        const struct place item = {&place, NULL, (size_t)i};
        if (i < given && reader_word(reader, &item, json_array_get(value, item.index), build_base_name,
                                     TERRANE_BASES, &base) != 0)
            return -1;
        fractal->base[i] = (uint8_t)base;
    }
    return 0;
}

/* How many octaves fit, from a cell down to the least. */
static int octaves_fit(double cell, double lacunarity, double least)
{
    int count = 0;
    for (; count < TERRANE_OCTAVES_MAX && cell >= least; count++)
        cell /= lacunarity;
    return count;
}

static bool is_midpoint(const struct terrane_fractal *fractal)
{
    return fractal->kind == TERRANE_MIDPOINT || fractal->kind == TERRANE_MIDPOINT_SMOOTHED;
}

/* Octaves, their cells and how these shrink: what has to fit together. */
static int cells_read(struct build *build, const struct layers *layers, struct terrane_fractal *fractal)
{
    const struct reader *reader = build->reader;
    const double spacing = build->recipe.spacing_m, least = build->recipe.alias_octaves ? 1 : 2;
    struct place at_octaves, at_cell, at_lacunarity;
    int64_t octaves = fractal->octaves;
    double cell_m = fractal->cell * spacing;
    const json_t *value = layers_get(layers, "octaves", &at_octaves);
    if (value && reader_whole(reader, &at_octaves, value, 1, TERRANE_OCTAVES_MAX, &octaves) != 0)
        return -1;
    fractal->octaves = (int)octaves;
    value = layers_get(layers, "cell_m", &at_cell);
    if (value && reader_number(reader, &at_cell, value, least * spacing, 0x1p40 * spacing, &cell_m) != 0)
        return -1;
    fractal->cell = value ? cell_m / spacing : fractal->cell;
    value = layers_get(layers, "lacunarity", &at_lacunarity);
    if (value && reader_number(reader, &at_lacunarity, value, 1.25, 8, &fractal->lacunarity) != 0)
        return -1;
    const int fit = octaves_fit(fractal->cell, fractal->lacunarity, least);
    if (fractal->octaves > fit)
        return reader_refuse(
            reader, &at_octaves, "%d octaves are more than fit: %d do, down to cells of %.9g m, %s",
            fractal->octaves, fit, least * spacing, least > 1 ? "two samples" : "one sample");
    if (is_midpoint(fractal) && fractal->lacunarity != 2)
        return reader_refuse(reader, &at_lacunarity,
                             "%.9g: midpoint displacement halves cells, it has 2 alone", fractal->lacunarity);
    if (is_midpoint(fractal) && !is_power_of_two(fractal->cell))
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
    const json_t *value = layers_get(layers, "salt", &place);
    if (value) {
        if (reader_whole(reader, &place, value, 0, UINT32_MAX, &salt) != 0)
            return -1;
        fractal->salt = (uint32_t)salt;
        return 0;
    }
    char where[PLACE_BYTES];
    place_text(&layers->layer[layers->count - 1].place, where, sizeof where);
    const char *name = strncmp(where, "/terms/", 7) == 0 ? where + 7 : where + 1;
    fractal->salt = (uint32_t)terrane_seed_from_name(name, strlen(name));
    return 0;
}

/* {"x": term, "y": term, "m": factor}: makes both terms. */
static int warp_by_read(struct build *build, const struct layers *layers, struct terrane_fractal *fractal)
{
    static const char *const words[] = {"x", "y", "m", "note", NULL};
    struct place place;
    json_t *value = layers_get(layers, "warp_by", &place);
    fractal->warp_term[0] = fractal->warp_term[1] = -1;
    if (!value)
        return 0;
    fractal->warp_m = 1;
    if (reader_object(build->reader, &place, value, words) != 0 ||
        reader_member_float(build->reader, &place, value, "m", -0x1p20, 0x1p20, &fractal->warp_m) != 0)
        return -1;
    if (is_midpoint(fractal))
        return reader_refuse(build->reader, &place, "midpoint displacement cannot be displaced");
    for (int i = 0; i < 2; i++) {
        const struct place axis = {&place, i ? "y" : "x", 0};
        json_t *term = json_object_get(value, axis.key);
        if (term && (fractal->warp_term[i] = build_term(build, &axis, term)) < 0)
            return -1;
    }
    if (fractal->warp_term[0] < 0 && fractal->warp_term[1] < 0)
        return reader_refuse(build->reader, &place, "has neither x nor y");
    return 0;
}

int build_fractal(struct build *build, const struct place *place, json_t *value)
{
    struct layers layers;
    struct place at_kind;
    int kind;
    if (layers_read(build, place, value, &layers) != 0)
        return -1;
    const json_t *word = layers_get(&layers, "fractal", &at_kind);
    if (reader_word(build->reader, &at_kind, word, build_kind_name, TERRANE_FRACTAL_KINDS, &kind) != 0)
        return -1;
    struct terrane_term made = terrane_term_fractal((enum terrane_fractal_kind)kind);
    struct terrane_fractal *fractal = &made.fractal;
    if (numbers_read(build->reader, &layers, fractal) != 0 ||
        bases_read(build->reader, &layers, fractal) != 0 || cells_read(build, &layers, fractal) != 0 ||
        salt_read(build->reader, &layers, fractal) != 0 || warp_by_read(build, &layers, fractal) != 0)
        return -1;
    return build_append(build, place, value, &made);
}
