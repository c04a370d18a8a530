/*
 * Recipes with rasters (lib/recipe/recipe_check.c, lib/read/read_raster.c): what is refused and where, what is another world, and what
 * a text may say of files.
 */
#include "recipe_ends_kit.h"

enum { MAP = TERMS, SIDE = 5 };

static float sample[SIDE * SIDE];
static struct terrane_raster raster = {.width = SIDE, .height = SIDE, .sample = sample};

static struct terrane_recipe middle(void)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE);
    assert_int_equal(terrane_raster_init(&raster), 0);
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_RASTER,
                                              .inputs = 1,
                                              .in = {HEIGHT},
                                              .factor = {1},
                                              .offset = 5,
                                              .raster = &raster,
                                              .at_m = {-7, 9},
                                              .step_m = 3 * recipe.spacing_m,
                                              .fade_m = 40 * recipe.spacing_m});
    return recipe;
}

TEST(places_and_lengths_have_limits)
{
    made = middle();
    const double spacing = made.spacing_m;
    static const struct terrane_raster empty;
    expect_taken(&made);
    for (int axis = 0; axis < 2; axis++) {
        TAKEN(term[MAP].at_m[axis], 0x1p40 * spacing);
        TAKEN(term[MAP].at_m[axis], -0x1p40 * spacing);
        REFUSED_AT(term[MAP].at_m[axis], 0x1.0000000000001p40 * spacing, TERRANE_ERASTER, MAP);
        REFUSED_AT(term[MAP].at_m[axis], (double)NAN, TERRANE_ERASTER, MAP);
    }
    TAKEN(term[MAP].step_m, 0x1p-4 * spacing);
    TAKEN(term[MAP].step_m, 0x1p20 * spacing);
    REFUSED_AT(term[MAP].step_m, 0x1.fffffffffffffp-5 * spacing, TERRANE_ERASTER, MAP);
    REFUSED_AT(term[MAP].step_m, 0x1.0000000000001p20 * spacing, TERRANE_ERASTER, MAP);
    TAKEN(term[MAP].fade_m, 0);
    TAKEN(term[MAP].fade_m, 0x1p32 * spacing);
    REFUSED_AT(term[MAP].fade_m, 0x1.0000000000001p32 * spacing, TERRANE_ERASTER, MAP);
    REFUSED_AT(term[MAP].fade_m, -0x1p-60, TERRANE_ERASTER, MAP);
    REFUSED_AT(term[MAP].raster, NULL, TERRANE_ERASTER, MAP);
    REFUSED_AT(term[MAP].raster, &empty, TERRANE_ERASTER, MAP);
    REFUSED_AT(term[MAP].offset, 32769, TERRANE_EAMPLITUDE, MAP);
    REFUSED_AT(term[MAP].factor[0], INFINITY, TERRANE_EAMPLITUDE, MAP);
    REFUSED_AT(term[MAP].inputs, 0, TERRANE_ETERM, MAP);
    REFUSED_AT(term[MAP].in[0], MAP, TERRANE_ETERM, MAP);
    made = middle();
    while (made.terms < MAP + TERRANE_RASTERS_MAX)
        recipe_add(&made, made.term[MAP]);
    expect_taken(&made);
    recipe_add(&made, made.term[MAP]);
    expect_refused(&made, TERRANE_ERASTER, MAP + TERRANE_RASTERS_MAX);
}

#define OTHER(member, value) (made = middle(), made.member = (value), digest_new(&digests, made))

/* Members of the term in it: tests/reference. */
TEST(what_counts_is_in_the_digest)
{
    static struct digests digests;
    static float others[SIDE * SIDE];
    struct terrane_raster other = {.width = SIDE, .height = SIDE, .sample = others};
    struct terrane_recipe same = middle();
    digest_new(&digests, middle());
    assert_int_equal(terrane_raster_init(&other), 0);
    made = middle();
    made.term[MAP].raster = &other; /* the same numbers, in another place */
    assert_int_equal(terrane_recipe_init(&made, NULL), 0);
    assert_int_equal(terrane_recipe_init(&same, NULL), 0);
    assert_memory_equal(&made.digest, &same.digest, sizeof made.digest);
    others[0] = -0.0f;
    assert_int_equal(terrane_raster_init(&other), 0);
    made = middle();
    made.term[MAP].raster = &other;
    assert_int_equal(terrane_recipe_init(&made, NULL), 0);
    assert_memory_equal(&made.digest, &same.digest, sizeof made.digest);
    others[SIDE * SIDE - 1] = 0x1p-149f;
    assert_int_equal(terrane_raster_init(&other), 0);
    OTHER(term[MAP].raster, &other);
    other.width = SIDE * SIDE / 2;
    other.height = 2;
    assert_int_equal(terrane_raster_init(&other), 0);
    OTHER(term[MAP].raster, &other);
    made = middle();
    made.term[MAP].at_m[0] = -0.0;
    same = middle();
    same.term[MAP].at_m[0] = 0;
    expect_same(made, same);
}

/* ---- Texts --------------------------------------------------------------------------------------------- */

static const struct terrane_raster *lend(void *user, const char *name, char *why, size_t why_bytes)
{
    snprintf(user, 80, "%s", name);
    if (strcmp(name, "there.tif") == 0)
        return &raster;
    snprintf(why, why_bytes, "is not there");
    return NULL;
}

/* A text with ' in place of ", of a recipe whose height is a raster's, by its file and these members. */
static int parse(const char *file, const char *members, bool files, struct terrane_recipe *recipe,
                 char error[TERRANE_REFUSAL_BYTES])
{
    char text[400], asked[80] = "";
    const struct terrane_files lends = {lend, asked};
    const int bytes = snprintf(text, sizeof text, "{'height': {'raster': '%s', %s}}", file, members);
    assert_in_range(bytes, 0, (int)sizeof text - 1);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return terrane_recipe_parse(text, (size_t)bytes, files ? &lends : NULL, NULL, recipe, NULL, error,
                                TERRANE_REFUSAL_BYTES);
}

#define NO_NAME "raster: is no name of a file beside the recipe: allowed [A-Za-z0-9][A-Za-z0-9._-]{0,63}"

TEST(texts_are_read_or_refused)
{
    static const struct {
        const char *file, *members, *message; /* behind /height/ */
    } bad[] = {
        {"none.tif", "'spacing_m': 9, 'beyond': 0", "raster: none.tif: is not there"},
        {"there.tif", "'beyond': 0", "spacing_m: is missing: metres between the file's samples"},
        {"there.tif", "'spacing_m': 9", "beyond: is missing: the term that it fades into beyond its edges"},
        {"../there.tif", "'spacing_m': 9, 'beyond': 0", NO_NAME},
        {".there.tif", "'spacing_m': 9, 'beyond': 0", NO_NAME},
        {"a/there.tif", "'spacing_m': 9, 'beyond': 0", NO_NAME},
        {"there.tif", "'spacing_m': 9, 'beyond': 0, 'at': [1]",
         "at: 1 items are not an array of 2 metres, east and south"},
        {"there.tif", "'spacing_m': 0.01, 'beyond': 0",
         "spacing_m: 0.01 is not a number from 0.0625 to 1048576"},
        {"there.tif", "'spacing_m': 9, 'beyond': 0, 'fade_m': -1",
         "fade_m: -1 is not a number from 0 to 4294967296"},
        {"there.tif", "'spacing_m': 9, 'beyond': 'height'", "beyond: there is no term \"height\""},
    };
    static struct terrane_recipe recipe;
    char error[TERRANE_REFUSAL_BYTES];
    assert_int_equal(terrane_raster_init(&raster), 0);
    for (size_t k = 0; k < COUNT(bad); k++) {
        assert_int_equal(parse(bad[k].file, bad[k].members, true, &recipe, error), TERRANE_ETEXT);
        assert_memory_equal(error, "/height/", 8);
        if (strncmp(error + 8, bad[k].message, strlen(bad[k].message)) != 0)
            fail_msg("\"%s\", in place of \"%s\"", error, bad[k].message);
    }
    const char *good = "'spacing_m': 9, 'beyond': -3, 'times': 2, 'offset_m': 1, 'note': 0";
    assert_int_equal(parse("there.tif", good, true, &recipe, error), 0);
    const struct terrane_term *term = &recipe.term[1];
    assert_true(recipe.terms == 2 && term->op == TERRANE_OP_RASTER && term->raster == &raster);
    assert_true(term->at_m[0] == -18 && term->at_m[1] == -18 && term->step_m == 9 && term->fade_m == 0);
    assert_true(term->factor[0] == 2 && term->offset == 1 && recipe.term[term->in[0]].offset == -3);
    assert_int_equal(parse("there.tif", good, false, &recipe, error), TERRANE_ETEXT);
    assert_string_equal(error, "/height/raster: there.tif: a recipe from here may not name files");
}

GROUP(recipe_raster);
