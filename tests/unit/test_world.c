/*
 * Worlds, windows and what the library says about itself (lib/world.c, lib/digest.c, lib/window.c,
 * lib/error.c, lib/kernel/dispatch.c).
 */
#include "lib_fixture.h"

#include <fenv.h>
#include <limits.h>

#include "../../lib/digest.h"

/* A recipe in the middle of every limit, so that each of its members can be moved on its own. */
static struct terrane_recipe recipe_middle(void)
{
    struct terrane_recipe recipe = {
        .spacing_m = 2,
        .offset_m = 10,
        .low_m = -500,
        .high_m = 700,
        .base = {.base = TERRANE_VALUE,
                 .salt = 1,
                 .octaves = 4,
                 .cell_log2 = 30,
                 .amplitude_m = 100,
                 .gain = 0.5f},
        .detail = {.base = TERRANE_PERLIN3,
                   .salt = 2,
                   .octaves = 5,
                   .cell_log2 = 25,
                   .amplitude_m = 50,
                   .gain = 0.25f},
        .partition = {.base = TERRANE_PERLIN5,
                      .salt = 3,
                      .cell_log2 = 20,
                      .zones = 3,
                      .blend = 0.25f,
                      .threshold = {-0.75f, -0.25f}},
    };
    for (int z = 0; z < 3; z++)
        recipe.partition.zone[z] = (struct terrane_zone){
            .name = "zone", .amplitude = 1 + (float)z, .offset_m = 5 * (float)z, .colour = {1, 2, 3}};
    return recipe;
}

/* Checks that a recipe is refused, and that the world stays as it was. */
static void expect_refused(const struct terrane_recipe *recipe, int error)
{
    struct terrane_world world, before;
    memset(&world, 0xA5, sizeof world);
    memcpy(&before, &world, sizeof world);
    assert_int_equal(terrane_world_init(&world, recipe, 1), error);
    assert_memory_equal(&world, &before, sizeof world);
}

static void expect_taken(const struct terrane_recipe *recipe)
{
    struct terrane_world world;
    assert_int_equal(terrane_world_init(&world, recipe, 1), 0);
}

/* ---- Recipes and their errors ----------------------------------------------------------------------- */

/* Members with limits of their own: the least and the greatest that are taken, and the error outside. */
static const struct limit {
    size_t offset;
    enum { WHOLE, FLOAT, DOUBLE } type;
    double low, high;
    int error;
} limits[] = {
#define MEMBER(member, type, low, high, error)                          \
    {                                                                   \
        offsetof(struct terrane_recipe, member), type, low, high, error \
    }
    MEMBER(spacing_m, DOUBLE, 0x1p-10, 0x1p20, TERRANE_ESPACING),
    MEMBER(alias_octaves, WHOLE, 0, 1, TERRANE_EOCTAVES),
    MEMBER(offset_m, FLOAT, -32768, 32768, TERRANE_EAMPLITUDE),
    MEMBER(low_m, FLOAT, -32768, 0x1.5dfffep9, TERRANE_ERANGE), /* up to just below high_m */
    MEMBER(high_m, FLOAT, -0x1.f3fffep8, 32768, TERRANE_ERANGE),
    MEMBER(base.octaves, WHOLE, 0, 24, TERRANE_EOCTAVES),
    MEMBER(base.cell_log2, WHOLE, 4, 40, 0), /* its errors are two: fractals_fit_their_cells */
    MEMBER(base.base, WHOLE, 0, TERRANE_BASES - 1, TERRANE_EBASE),
    MEMBER(base.amplitude_m, FLOAT, 0, 32768, TERRANE_EAMPLITUDE),
    MEMBER(base.gain, FLOAT, 0, 1, TERRANE_EAMPLITUDE),
    MEMBER(detail.octaves, WHOLE, 0, 24, TERRANE_EOCTAVES),
    MEMBER(detail.cell_log2, WHOLE, 5, 40, 0),
    MEMBER(detail.base, WHOLE, 0, TERRANE_BASES - 1, TERRANE_EBASE),
    MEMBER(detail.amplitude_m, FLOAT, 0, 32768, TERRANE_EAMPLITUDE),
    MEMBER(detail.gain, FLOAT, 0, 1, TERRANE_EAMPLITUDE),
    MEMBER(partition.base, WHOLE, 0, TERRANE_BASES - 1, TERRANE_EBASE),
    MEMBER(partition.cell_log2, WHOLE, 1, 40, TERRANE_ECELL),
    MEMBER(partition.zones, WHOLE, 1, 3, 0), /* see zones_are_counted */
    MEMBER(partition.blend, FLOAT, 0x1p-10, 0.5, TERRANE_ETHRESHOLD),
    MEMBER(partition.threshold[0], FLOAT, -1, -0.5, TERRANE_ETHRESHOLD),
    MEMBER(partition.threshold[1], FLOAT, -0.5, 1, TERRANE_ETHRESHOLD),
    MEMBER(partition.zone[0].amplitude, FLOAT, 0, 64, TERRANE_EAMPLITUDE),
    MEMBER(partition.zone[2].amplitude, FLOAT, 0, 64, TERRANE_EAMPLITUDE),
    MEMBER(partition.zone[0].offset_m, FLOAT, -32768, 32768, TERRANE_EAMPLITUDE),
    MEMBER(partition.zone[2].offset_m, FLOAT, -32768, 32768, TERRANE_EAMPLITUDE),
#undef MEMBER
};

static struct terrane_recipe recipe_with(const struct limit *limit, double value)
{
    struct terrane_recipe recipe = recipe_middle();
    const float as_float = (float)value;
    const int as_whole = limit->type == WHOLE ? (int)value : 0;
    void *member = (char *)&recipe + limit->offset;
    if (limit->type == DOUBLE)
        memcpy(member, &value, sizeof value);
    else if (limit->type == FLOAT)
        memcpy(member, &as_float, sizeof as_float);
    else
        memcpy(member, &as_whole, sizeof as_whole);
    return recipe;
}

/* The next value of the member's type. */
static double beyond(const struct limit *limit, double value, double towards)
{
    if (limit->type == WHOLE)
        return value + (towards < value ? -1 : 1);
    if (limit->type == DOUBLE)
        return nextafter(value, towards);
    return (double)nextafterf((float)value, (float)towards);
}

static void recipes_are_taken_up_to_their_limits(void **state)
{
    (void)state;
    struct terrane_recipe recipe = recipe_middle();
    expect_taken(&recipe);
    for (int n = 0; n < COUNT(limits); n++) {
        const struct limit *limit = &limits[n];
        recipe = recipe_with(limit, limit->low);
        expect_taken(&recipe);
        recipe = recipe_with(limit, limit->high);
        expect_taken(&recipe);
        if (!limit->error)
            continue;
        const bool whole = limit->type == WHOLE;
        const double outside[] = {
            beyond(limit, limit->low, -INFINITY), beyond(limit, limit->high, INFINITY),
            whole ? (double)INT_MIN : -INFINITY,  whole ? (double)INT_MAX : INFINITY,
            whole ? -2.0 : (double)NAN,
        };
        for (int i = 0; i < COUNT(outside); i++) {
            recipe = recipe_with(limit, outside[i]);
            expect_refused(&recipe, limit->error);
        }
    }
}

/* An octave's cell spans at least 2 samples, or 1 with an alias octave; none spans over 2^40. */
static void fractals_fit_their_cells(void **state)
{
    (void)state;
    for (int alias = 0; alias <= 1; alias++)
        for (int part = 0; part < 2; part++)
            for (int octaves = 1; octaves <= 24; octaves++) {
                struct terrane_recipe recipe = recipe_middle();
                struct terrane_fractal *fractal = part ? &recipe.detail : &recipe.base;
                recipe.alias_octaves = alias;
                fractal->octaves = octaves;
                fractal->cell_log2 = octaves - alias;
                expect_taken(&recipe);
                fractal->cell_log2--;
                expect_refused(&recipe, TERRANE_EOCTAVES);
                fractal->cell_log2 = INT_MIN;
                expect_refused(&recipe, TERRANE_EOCTAVES);
                fractal->cell_log2 = 41;
                expect_refused(&recipe, TERRANE_ECELL);
                fractal->cell_log2 = INT_MAX;
                expect_refused(&recipe, TERRANE_ECELL);
            }
}

static void zones_are_counted(void **state)
{
    const int wrong[] = {0, -1, 17, INT_MIN, INT_MAX};

    (void)state;
    struct terrane_recipe recipe = recipe_middle();
    for (int i = 0; i < COUNT(wrong); i++) {
        recipe.partition.zones = wrong[i];
        expect_refused(&recipe, TERRANE_EZONES);
    }
    recipe.partition.blend = 0.125f;
    recipe.partition.zones = 16;
    for (int k = 0; k < 15; k++)
        recipe.partition.threshold[k] = -0.875f + 0.125f * (float)k; /* a blend apart, exactly */
    expect_taken(&recipe);
    recipe.partition.threshold[14] = nextafterf(recipe.partition.threshold[14], -1);
    expect_refused(&recipe, TERRANE_ETHRESHOLD);
    recipe = recipe_middle();
    recipe.partition.zones = 2; /* one threshold: the blend may be all of its 2 */
    recipe.partition.blend = 2;
    expect_taken(&recipe);
    recipe.partition.blend = nextafterf(2, 3);
    expect_refused(&recipe, TERRANE_ETHRESHOLD);
    recipe.partition.zone[1].amplitude = -1;
    recipe.partition.zones = 1; /* then neither it nor the rest of the partition counts */
    expect_taken(&recipe);
}

static void range_is_in_order(void **state)
{
    (void)state;
    struct terrane_recipe recipe = recipe_middle();
    recipe.low_m = recipe.high_m = 5;
    expect_refused(&recipe, TERRANE_ERANGE);
    recipe.low_m = 6;
    expect_refused(&recipe, TERRANE_ERANGE);
    recipe.low_m = -0.0f, recipe.high_m = 0;
    expect_refused(&recipe, TERRANE_ERANGE);
    recipe.high_m = 0x1p-149f;
    expect_taken(&recipe);
}

/* ---- Identity --------------------------------------------------------------------------------------- */

static struct terrane_digest digest_of(const struct terrane_recipe *recipe, uint64_t seed)
{
    struct terrane_world world;
    assert_int_equal(terrane_world_init(&world, recipe, seed), 0);
    return world.digest;
}

enum { DIGESTS_MOST = 128 };

struct digests {
    int count;
    struct terrane_digest digest[DIGESTS_MOST];
};

/* Takes up a digest that must differ from all so far. */
static void digest_new(struct digests *digests, const struct terrane_recipe *recipe, uint64_t seed)
{
    const struct terrane_digest digest = digest_of(recipe, seed);
    for (int i = 0; i < digests->count; i++)
        assert_memory_not_equal(&digest, &digests->digest[i], sizeof digest);
    assert_true(digests->count < DIGESTS_MOST);
    digests->digest[digests->count++] = digest;
}

static void digest_knows_every_member(void **state)
{
    struct digests digests = {0};
    struct terrane_recipe recipe = recipe_middle();

    (void)state;
    digest_new(&digests, &recipe, 0);
    digest_new(&digests, &recipe, 1);
    digest_new(&digests, &recipe, UINT64_C(1) << 63);
#define MOVED(member, value) \
    (recipe = recipe_middle(), recipe.member = (value), digest_new(&digests, &recipe, 0))
    MOVED(spacing_m, nextafter(2, 3));
    MOVED(alias_octaves, 1);
    MOVED(offset_m, -10);
    MOVED(low_m, -501);
    MOVED(high_m, 701);
    MOVED(base.base, TERRANE_POLYNOMIAL);
    MOVED(base.salt, UINT32_MAX);
    MOVED(base.octaves, 5);
    MOVED(base.octaves, 0);
    MOVED(base.cell_log2, 31);
    MOVED(base.amplitude_m, nextafterf(100, 0));
    MOVED(base.gain, 0.75f);
    MOVED(detail.base, TERRANE_POLYNOMIAL);
    MOVED(detail.salt, UINT32_MAX);
    MOVED(detail.octaves, 6);
    MOVED(detail.octaves, 0);
    MOVED(detail.cell_log2, 26);
    MOVED(detail.amplitude_m, 51);
    MOVED(detail.gain, 0.75f);
    MOVED(partition.base, TERRANE_POLYNOMIAL);
    MOVED(partition.salt, UINT32_MAX);
    MOVED(partition.cell_log2, 21);
    MOVED(partition.zones, 2);
    MOVED(partition.zones, 1);
    MOVED(partition.blend, 0.125f);
    MOVED(partition.threshold[0], -0.875f);
    MOVED(partition.threshold[1], 0.5f);
    for (int z = 0; z < 3; z++) {
        MOVED(partition.zone[z].name[0], 'Z');
        MOVED(partition.zone[z].name[3], '\0');
        MOVED(partition.zone[z].name[4], '2');
        MOVED(partition.zone[z].amplitude, 7.5f);
        MOVED(partition.zone[z].offset_m, 7.5f);
        for (int c = 0; c < 3; c++)
            MOVED(partition.zone[z].colour[c], 200);
    }
#undef MOVED
    recipe = recipe_middle(); /* the fractals' places count */
    const struct terrane_fractal swap = recipe.base;
    recipe.base = recipe.detail;
    recipe.detail = swap;
    digest_new(&digests, &recipe, 0);
}

static void expect_same_world(const struct terrane_recipe *a, const struct terrane_recipe *b)
{
    const struct terrane_digest of_a = digest_of(a, 9), of_b = digest_of(b, 9);
    assert_memory_equal(&of_a, &of_b, sizeof of_a);
}

/* What does not count does not show, and the world's own copy of the recipe is rid of it. */
static void digest_ignores_the_unused(void **state)
{
    struct terrane_world world;

    (void)state;
    struct terrane_recipe plain = recipe_middle(), other = recipe_middle();
    other.partition.zone[0].name[23] = 'x'; /* behind the zero */
    memset(other.partition.zone[1].name + 5, 0x7F, 19);
    memset(&other.partition.zone[3], 0xFF, 13 * sizeof other.partition.zone[3]);
    for (int k = 2; k < 15; k++)
        other.partition.threshold[k] = NAN;
    expect_same_world(&plain, &other);
    assert_int_equal(terrane_world_init(&world, &other, 9), 0);
    assert_string_equal(world.recipe.partition.zone[1].name, "zone");
    assert_int_equal(world.recipe.partition.zone[1].name[10], 0);
    assert_true(world.recipe.partition.threshold[5] == 0 && world.recipe.partition.zone[9].amplitude == 0);

    memset(plain.partition.zone[2].name, 'n', 24); /* a name without its zero is cut to 23 */
    other = plain;
    other.partition.zone[2].name[23] = '\0';
    expect_same_world(&plain, &other);

    plain = recipe_middle(); /* the members of an absent fractal */
    plain.base.octaves = plain.detail.octaves = 0;
    other = plain;
    other.base = (struct terrane_fractal){
        .base = (enum terrane_base)77, .salt = 5, .cell_log2 = -4, .amplitude_m = NAN};
    other.detail = (struct terrane_fractal){.gain = INFINITY, .cell_log2 = INT_MAX, .amplitude_m = -1};
    expect_same_world(&plain, &other);

    plain.partition.zones = 1; /* and of a partition of one zone */
    other = plain;
    other.partition.base = (enum terrane_base) - 1;
    other.partition.salt = 99;
    other.partition.cell_log2 = 1000;
    other.partition.blend = NAN;
    other.partition.threshold[0] = 50;
    expect_same_world(&plain, &other);

    plain = recipe_middle(); /* the sign of zero */
    plain.offset_m = plain.base.amplitude_m = plain.base.gain = plain.low_m = 0;
    plain.partition.threshold[1] = plain.partition.zone[1].amplitude = plain.partition.zone[1].offset_m = 0;
    other = plain;
    other.offset_m = other.base.amplitude_m = other.base.gain = other.low_m = -0.0f;
    other.partition.threshold[1] = other.partition.zone[1].amplitude = other.partition.zone[1].offset_m =
        -0.0f;
    expect_same_world(&plain, &other);
    assert_int_equal(terrane_world_init(&world, &other, 9), 0);
    assert_false(signbit(world.recipe.offset_m) || signbit(world.recipe.partition.threshold[1]));
}

static void worlds_may_take_their_own_recipe(void **state)
{
    const struct terrane_recipe recipe = recipe_middle();
    struct terrane_world world, other;

    (void)state;
    assert_int_equal(terrane_world_init(&world, &recipe, 3), 0);
    assert_int_equal(terrane_world_init(&other, &recipe, 4), 0);
    assert_int_equal(world.seed, 3);
    assert_int_equal(terrane_world_init(&world, &world.recipe, 4), 0);
    assert_int_equal(world.seed, 4);
    assert_memory_equal(&world.digest, &other.digest, sizeof world.digest);
    expect_taken(terrane_recipe_default());
}

/* Vectors of the SipHash reference code, the same as OpenSSL's: key and message are the bytes 0, 1, 2 ... */
static void siphash_gives_its_vectors(void **state)
{
    static const struct {
        size_t bytes;
        uint64_t of_64, of_128[2];
    } vectors[] = {
        {0, 0x726FDB47DD0E0E31, {0xE6A825BA047F81A3, 0x930255C71472F66D}},
        {1, 0x74F839C593DC67FD, {0x44AF996BD8C187DA, 0x45FC229B11597634}},
        {7, 0xAB0200F58B01D137, {0x53C1DBD8BEEBF1A1, 0x3982F01FA64AB8C0}},
        {8, 0x93F5F5799A932462, {0x61F55862BAA9623B, 0xB49714F364E2830F}},
        {15, 0xA129CA6149BE45E5, {0x11A8B03399E99354, 0xD9C3CF970FEC087E}},
        {16, 0x3F2ACC7F57C29BDB, {0xBB54B067CAA4E26E, 0x77052385BF1533FD}},
        {31, 0x32D892FAD841C342, {0xFCFA233218B03929, 0x353DC4524FDE2317}},
        {63, 0x958A324CEB064572, {0x4A83502F77D15051, 0x7CBD3F979A063E50}},
    };
    uint8_t message[64];

    (void)state;
    for (int i = 0; i < 64; i++)
        message[i] = (uint8_t)i;
    for (int n = 0; n < COUNT(vectors); n++) {
        uint64_t digest[2] = {0};
        struct guarded copy = guarded_new(vectors[n].bytes + !vectors[n].bytes, true);
        memcpy(copy.data, message, vectors[n].bytes);
        digest_siphash(copy.data, vectors[n].bytes, 1, digest);
        assert_true(digest[0] == vectors[n].of_64 && digest[1] == 0);
        digest_siphash(copy.data, vectors[n].bytes, 2, digest);
        assert_true(digest[0] == vectors[n].of_128[0] && digest[1] == vectors[n].of_128[1]);
        assert_true(terrane_seed_from_name((const char *)copy.data, vectors[n].bytes) == vectors[n].of_64);
        guarded_free(&copy);
    }
}

/* Names are bytes: case, length and zeros count. */
static void names_give_seeds(void **state)
{
    static const char *const names[] = {"",   "a",     "A",     "b",        "ab",   "ba",
                                        "a ", "world", "World", "\xC3\xA4", "a\0\0"};
    enum { NAMES = COUNT(names) };

    (void)state;
    assert_true(terrane_seed_from_name("", 0) == 0x726FDB47DD0E0E31);
    assert_true(terrane_seed_from_name("continents", 10) == 0x762D95AF92A739C4); /* OpenSSL's */
    for (int i = 0; i < NAMES; i++) {
        const size_t bytes = i == NAMES - 1 ? 3 : strlen(names[i]);
        for (int j = 0; j < i; j++)
            assert_true(terrane_seed_from_name(names[i], bytes) !=
                        terrane_seed_from_name(names[j], strlen(names[j])));
    }
}

/* ---- Windows ---------------------------------------------------------------------------------------- */

static void check_tile(int level, int64_t x, int64_t y, int size, int error)
{
    struct terrane_window window, before;
    memset(&window, 0x5A, sizeof window);
    memcpy(&before, &window, sizeof window);
    assert_int_equal(terrane_window_tile(&window, level, x, y, size), error);
    if (error) {
        assert_memory_equal(&window, &before, sizeof window);
        return;
    }
    const int cells = size - size % 2, finer = size == 512;
    assert_int_equal(window.level, level - finer);
    assert_int_equal(window.step, finer ? 1 : 256 / cells);
    assert_int_equal(window.gi, x * (finer ? 512 : 256));
    assert_int_equal(window.gj, y * (finer ? 512 : 256));
    assert_int_equal(window.width, size);
    assert_int_equal(window.height, size);
}

static void tiles_come_in_their_sizes(void **state)
{
    (void)state;
    for (int size = -3; size <= 600; size++) {
        const int cells = size % 2 ? size - 1 : size;
        const bool right = size >= 2 && (cells & (cells - 1)) == 0 && cells <= 256;
        check_tile(0, 3, -7, size, right ? 0 : TERRANE_ESIZE);
        check_tile(1, 3, -7, size, right || size == 512 ? 0 : TERRANE_ESIZE);
    }
    const int wrong[] = {1024, 1025, 65536, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1};
    for (int i = 0; i < COUNT(wrong); i++)
        check_tile(5, 0, 0, wrong[i], TERRANE_ESIZE);
}

static void tiles_end_at_their_limits(void **state)
{
    const int64_t far = INT64_C(1) << 40, out[] = {far, -far - 1, INT64_MAX, INT64_MIN};

    (void)state;
    check_tile(0, -far, -far, 257, 0);
    check_tile(24, far - 1, far - 1, 257, 0);
    check_tile(24, far - 1, -far, 512, 0);
    for (int i = 0; i < COUNT(out); i++) {
        check_tile(0, out[i], 0, 257, TERRANE_ETILE);
        check_tile(24, 0, out[i], 512, TERRANE_ETILE);
    }
    check_tile(-1, 0, 0, 257, TERRANE_ELEVEL);
    check_tile(25, 0, 0, 257, TERRANE_ELEVEL);
    check_tile(INT_MIN, 0, 0, 257, TERRANE_ELEVEL);
    check_tile(INT_MAX, 0, 0, 257, TERRANE_ELEVEL);
}

static void metres_are_exact(void **state)
{
    struct terrane_recipe recipe = recipe_middle();
    struct terrane_world world;

    (void)state;
    for (int log2 = -10; log2 <= 20; log2++) {
        recipe.spacing_m = exp2(log2);
        assert_int_equal(terrane_world_init(&world, &recipe, 0), 0);
        for (int level = 0; level <= 24; level++) {
            assert_true(terrane_lattice_m(&world, level, -5) == ldexp(-5, level + log2));
            assert_true(terrane_lattice_m(&world, level, (INT64_C(1) << 50) - 1) ==
                        ldexp((double)((INT64_C(1) << 50) - 1), level + log2));
        }
    }
    recipe.spacing_m = 0.3;
    assert_int_equal(terrane_world_init(&world, &recipe, 0), 0);
    assert_true(terrane_lattice_m(&world, 3, 7) == 56 * 0.3);
}

static void expect_error(const struct terrane_world *world, struct terrane_window window, int error)
{
    const float untouched[4] = {1, 2, 3, 4};
    void *memory = scratch_new();
    float out[4];
    for (int layer = 0; layer < LAYER_COUNT; layer++) {
        memcpy(out, untouched, sizeof out);
        assert_int_equal(layer_make(world, (enum layer)layer, &window, memory, out), error);
        assert_memory_equal(out, untouched, sizeof out);
    }
    free(memory);
}

static void windows_outside_are_refused(void **state)
{
    const int64_t limit = INT64_C(1) << 50;
    const struct terrane_window good = {.step = 1, .width = 1, .height = 1};
    struct terrane_world world;
    struct terrane_window w;

    (void)state;
    const struct terrane_recipe flat = recipe_flat();
    assert_int_equal(terrane_world_init(&world, &flat, 0), 0);
#define REFUSED(member, value, error) (w = good, w.member = (value), expect_error(&world, w, error))
    REFUSED(level, -1, TERRANE_ELEVEL);
    REFUSED(level, TERRANE_LEVEL_MAX + 1, TERRANE_ELEVEL);
    REFUSED(level, INT32_MIN, TERRANE_ELEVEL);
    REFUSED(gi, limit + 1, TERRANE_EWINDOW);
    REFUSED(gi, -limit - 1, TERRANE_EWINDOW);
    REFUSED(gi, INT64_MIN, TERRANE_EWINDOW);
    REFUSED(gj, limit + 1, TERRANE_EWINDOW);
    REFUSED(gj, -limit - 1, TERRANE_EWINDOW);
    REFUSED(gj, INT64_MAX, TERRANE_EWINDOW);
    REFUSED(step, 0, TERRANE_EWINDOW);
    REFUSED(step, -1, TERRANE_EWINDOW);
    REFUSED(step, 257, TERRANE_EWINDOW);
    REFUSED(width, 0, TERRANE_EWINDOW);
    REFUSED(width, -1, TERRANE_EWINDOW);
    REFUSED(width, TERRANE_WINDOW_MAX + 1, TERRANE_EWINDOW);
    REFUSED(height, 0, TERRANE_EWINDOW);
    REFUSED(height, INT32_MIN, TERRANE_EWINDOW);
    REFUSED(height, TERRANE_WINDOW_MAX + 1, TERRANE_EWINDOW);
#undef REFUSED
}

/* ---- The library itself ----------------------------------------------------------------------------- */

static void errors_have_their_texts(void **state)
{
    (void)state;
    assert_string_equal(terrane_error_text(0), "no error");
#define X(name, value, text)       \
    assert_int_equal(name, value); \
    assert_string_equal(terrane_error_text(value), text);
    TERRANE_ERRORS(X)
#undef X
    const int unknown[] = {1, -15, 255, INT_MAX, INT_MIN};
    for (int i = 0; i < COUNT(unknown); i++)
        assert_string_equal(terrane_error_text(unknown[i]), "unknown error");
    for (int a = 0; a >= -14; a--)
        for (int b = 0; b > a; b--)
            assert_string_not_equal(terrane_error_text(a), terrane_error_text(b));
}

static void kernels_are_chosen_by_name(void **state)
{
    static const char *const order[] = {"avx512", "avx2", "sse2", "neon", "scalar"}; /* fastest first */
    int count = 0, at = -1;

    (void)state;
    assert_string_equal(terrane_isa(), "scalar"); /* nothing has called terrane_init yet */
    for (const char *name; (name = terrane_isa_usable(count)) != NULL; count++) {
        int place = 0;
        while (place < COUNT(order) && strcmp(order[place], name) != 0)
            place++;
        assert_true(place > at && place < COUNT(order));
        at = place;
        assert_int_equal(terrane_init(name), 0);
        assert_string_equal(terrane_isa(), name);
    }
    assert_true(count >= 1);
    assert_string_equal(terrane_isa_usable(count - 1), "scalar");
    assert_null(terrane_isa_usable(-1));
    assert_null(terrane_isa_usable(count + 1));
    assert_null(terrane_isa_usable(INT_MAX));
    assert_null(terrane_isa_usable(INT_MIN));

    static const char *const wrong[] = {"", "AVX2", "avx", "avx2 ", "scala", "scalar2", "neon sse2"};
    assert_int_equal(terrane_init("scalar"), 0);
    for (int i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(terrane_init(wrong[i]), TERRANE_EISA);
        assert_string_equal(terrane_isa(), "scalar");
    }
    for (int i = 0; i < COUNT(order); i++) { /* what is not offered is refused */
        bool offered = false;
        for (int k = 0; k < count; k++)
            offered = offered || strcmp(terrane_isa_usable(k), order[i]) == 0;
        assert_int_equal(terrane_init(order[i]), offered ? 0 : TERRANE_EISA);
    }
    assert_int_equal(terrane_init(NULL), 0);
    assert_string_equal(terrane_isa(), terrane_isa_usable(0));
}

static void other_rounding_is_refused(void **state)
{
    const int modes[] = {
#ifdef FE_UPWARD
        FE_UPWARD,
#endif
#ifdef FE_DOWNWARD
        FE_DOWNWARD,
#endif
#ifdef FE_TOWARDZERO
        FE_TOWARDZERO,
#endif
        FE_TONEAREST};

    (void)state;
    assert_int_equal(terrane_init("scalar"), 0);
    for (int i = 0; i < COUNT(modes); i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        const int result = terrane_init(NULL);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(result, modes[i] == FE_TONEAREST ? 0 : TERRANE_EFLOAT);
        assert_string_equal(terrane_isa(), modes[i] == FE_TONEAREST ? terrane_isa_usable(0) : "scalar");
    }
}

static void flushed_subnormals_are_refused(void **state)
{
    (void)state;
#if defined(__x86_64__)
    const unsigned control = __builtin_ia32_stmxcsr();
    const unsigned flags[] = {0x8000, 0x0040, 0x8040}; /* flush to zero, denormals are zero, both */
    for (int i = 0; i < COUNT(flags); i++) {
        __builtin_ia32_ldmxcsr(control | flags[i]);
        const int result = terrane_init(NULL);
        __builtin_ia32_ldmxcsr(control);
        assert_int_equal(result, TERRANE_EFLOAT);
    }
    assert_int_equal(terrane_init(NULL), 0);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_chosen_by_name), /* first: it sees the library before terrane_init */
        cmocka_unit_test(other_rounding_is_refused),  cmocka_unit_test(flushed_subnormals_are_refused),
        cmocka_unit_test(errors_have_their_texts),    cmocka_unit_test(recipes_are_taken_up_to_their_limits),
        cmocka_unit_test(fractals_fit_their_cells),   cmocka_unit_test(zones_are_counted),
        cmocka_unit_test(range_is_in_order),          cmocka_unit_test(digest_knows_every_member),
        cmocka_unit_test(digest_ignores_the_unused),  cmocka_unit_test(worlds_may_take_their_own_recipe),
        cmocka_unit_test(siphash_gives_its_vectors),  cmocka_unit_test(names_give_seeds),
        cmocka_unit_test(tiles_come_in_their_sizes),  cmocka_unit_test(tiles_end_at_their_limits),
        cmocka_unit_test(metres_are_exact),           cmocka_unit_test(windows_outside_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
