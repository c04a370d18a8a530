/*
 * Cover (lib/cover, lib/product/ground_cover.c): what weights are by rules that stand here in other words, and that they are the
 * same in every window, at every step, by every instruction set, wherever regions end. TERRANE_TEST_SETS raises the number of
 * random worlds.
 */
#include "drain_kit.h"

#include "../../../lib/base/window.h"
#include "../../../lib/cover/cover.h"
#include "../shelf_kit.h"

static struct terrane_condition condition(int of, float a, float b, float c, float d)
{
    return (struct terrane_condition){
        .of = of, .rises = b > a, .falls = d > c, .rise = {a, b}, .fall = {c, d}};
}

static void add_material(struct terrane_recipe *recipe, float share, int conditions,
                         const struct terrane_condition *where)
{
    struct terrane_material *material = &recipe->cover.material[recipe->cover.materials++];
    snprintf(material->name, sizeof material->name, "m%d", recipe->cover.materials);
    memset(material->colour, 31 * recipe->cover.materials, 3);
    material->share = share;
    material->conditions = conditions;
    for (int k = 0; k < conditions; k++)
        material->condition[k] = where[k];
}

/* Hills by the sea, with rivers, and a material for each quantity, a term among them. */
static void world_make(struct terrane_world *world, struct terrane_recipe *recipe, uint64_t seed)
{
    *recipe = recipe_flat();
    recipe->term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 3, 512, 1, 0.5f);
    recipe_add(recipe, term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 8, 4096, 300, 0.5f));
    rivers_usual(recipe, 4, 8);
    recipe->sea_m = -60;
    const struct terrane_condition by[] = {condition(TERRANE_COVER_CURVATURE, 0, 0, -0.02f, 0),
                                           condition(TERRANE_COVER_SLOPE, 0.2f, 0.7f, 0, 0),
                                           condition(TERRANE_COVER_DEPTH, 0, 1, 0, 0),
                                           condition(TERRANE_COVER_SHORE, 0, 0, 20, 100),
                                           condition(TERRANE_COVER_HEIGHT, -5, 5, 100, 300),
                                           condition(TERRANE_COVER_RIVER, 0, 0, 2, 12),
                                           condition(TERRANE_COVER_WETNESS, 2, 9, 0, 0),
                                           condition(TERRANE_COVER_QUANTITIES, -0.2f, 0.3f, 0, 0)};
    add_material(recipe, 0.8f, 2, by);
    for (int k = 2; k < 8; k++)
        add_material(recipe, 0.9f, 1, &by[k]);
    add_material(recipe, 1, 0, NULL);
    make_world(world, recipe, seed);
}

static float *layer_made(const struct terrane_world *world, const struct terrane_window *window,
                         enum terrane_layer layer, enum terrane_variant variant)
{
    float *out =
        malloc(window_samples(window) * sizeof *out * (size_t)terrane_layer_values(world->recipe, layer));
    assert_non_null(out);
    assert_int_equal(terrane_make(world, window, layer, variant, &store, scratch, out), 0);
    return out;
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

static void expect_part(const struct terrane_world *world, const struct terrane_window *whole,
                        const float *expected, const struct terrane_window *part)
{
    const size_t size = (size_t)terrane_cover_materials(world->recipe) * sizeof(float);
    char *got = (char *)layer_made(world, part, TERRANE_LAYER_COVER, TERRANE_VARIANT_ERODED);
    for (int j = 0; j < part->height; j++)
        for (int i = 0; i < part->width; i++) {
            const size_t at = (size_t)(part->gj - whole->gj + j * part->step) * (size_t)whole->width +
                              (size_t)(part->gi - whole->gi + i * part->step);
            assert_memory_equal(got + (size_t)(j * part->width + i) * size,
                                (const char *)expected + at * size, size);
        }
    free(got);
}

/* Around the corner of four regions of drainage: each level's 256 cells. Above the lattices nothing is known of water. */
TEST(windows_and_regions_agree)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    struct dice dice = {9};
    double used[TERRANE_MATERIALS_MAX] = {0};
    world_make(&world, &recipe, 42);
    static const int levels[] = {1, 4, 6, 9};
    for (int n = 0; n < COUNT(levels); n++) {
        const int level = levels[n];
        const int64_t corner = level < 4 ? (INT64_C(256) << (4 - level)) * (n % 2 ? 1 : -1) : 256;
        const struct terrane_window whole = {level, corner - 40, -40, 1, 90, 75};
        float *all = layer_made(&world, &whole, TERRANE_LAYER_COVER, TERRANE_VARIANT_ERODED);
        for (size_t i = 0; i < window_samples(&whole) * 8; i++)
            used[i % 8] += (double)all[i];
        for (int k = 0; k < 2; k++) {
            const int step = dice_int(&dice, 1, 4), gi = dice_int(&dice, 0, 60), gj = dice_int(&dice, 0, 50);
            const struct terrane_window part = {level,
                                                whole.gi + gi,
                                                whole.gj + gj,
                                                step,
                                                dice_int(&dice, 1, (89 - gi) / step + 1),
                                                dice_int(&dice, 1, (74 - gj) / step + 1)};
            isa_choose(level + k);
            expect_part(&world, &whole, all, &part);
        }
        free(all);
    }
    shelf_clear(&shelf);
    for (int m = 0; m < 8; m++)
        assert_true(used[m] > 50); /* samples: each quantity has said something */
}

/* ---- Rules --------------------------------------------------------------------------------------------- */

static double smooth(double from, double to, double v)
{
    const double t = fmin(1, fmax(0, (v - from) / (to - from)));
    return t * t * (3 - 2 * t);
}

/* How far the sea or a lake is, in cells, by all cells around: no chain of neighbours is shorter than 5/7 of 2^0.5 of it. */
static double water_near(const struct terrane_drained *drained, int64_t gi, int64_t gj)
{
    double near = COVER_REACH;
    for (int j = -COVER_REACH; j <= COVER_REACH; j++)
        for (int i = -COVER_REACH; i <= COVER_REACH; i++) {
            const int to = terrane_drained_to(drained, drained_at(drained, gi + i, gj + j));
            const int across = abs(i) < abs(j) ? abs(i) : abs(j), along = abs(abs(i) - abs(j));
            if ((to & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA || to & TERRANE_DRAIN_LAKE)
                near = fmin(near, 1.4 * across + along);
        }
    return near;
}

/* Where the way of a cell's water has come to after as many steps, a stream or water. */
static double stream_under(const struct terrane_recipe *recipe, const struct terrane_drained *drained,
                           size_t at, uint64_t least)
{
    for (int k = 0; k < COVER_REACH; k++) {
        const int to = terrane_drained_to(drained, at);
        if ((to & TERRANE_DRAIN_WAY) >= TERRANE_DRAIN_SEA || to & TERRANE_DRAIN_LAKE ||
            terrane_drained_runoff(drained, at) >= least)
            break;
        at = receiver(drained, at);
    }
    return (terrane_drained_to(drained, at) & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA
               ? (double)recipe->sea_m
               : drained->z[at] * terrane_erosion_unit_m(recipe);
}

/* The uniform cubic B-spline's weight of a cell k from a place. */
static double spline(double k)
{
    k = fabs(k);
    return k < 1 ? 2.0 / 3 - k * k + k * k * k / 2 : k < 2 ? pow(2 - k, 3) / 6 : 0;
}

struct drained_at {
    double log2_cells, stream_m, shore_m;
};

static struct drained_at drained_of_sample(const struct terrane_recipe *recipe,
                                           const struct terrane_drained *drained, int finer, int64_t gi,
                                           int64_t gj)
{
    const double x = ldexp((double)gi, -finer), y = ldexp((double)gj, -finer);
    const double cells = ldexp(1, 2 * (drained->window.level - recipe->rivers.bottom)),
                 side = recipe->spacing_m * ldexp(1, drained->window.level);
    const double area = 64 * cells * (double)recipe->rivers.runoff_mm,
                 head = (double)recipe->rivers.sources_ha * 10000 * (double)recipe->rivers.runoff_mm /
                        ldexp(1, 2 * recipe->rivers.bottom);
    struct drained_at sum = {0};
    for (int64_t j = (int64_t)floor(y) - 1; j <= (int64_t)floor(y) + 2; j++)
        for (int64_t i = (int64_t)floor(x) - 1; i <= (int64_t)floor(x) + 2; i++) {
            const double weight = spline(x - (double)i) * spline(y - (double)j);
            const size_t at = drained_at(drained, i, j);
            const double runoff =
                (double)terrane_drained_runoff(drained, at) / ((double)recipe->rivers.runoff_mm * cells);
            sum.log2_cells += weight * log2(fmax(runoff, 0x1p-8));
            sum.stream_m += weight * stream_under(recipe, drained, at, (uint64_t)fmax(area, floor(head) + 1));
            sum.shore_m += weight * side * water_near(drained, i, j);
        }
    return sum;
}

/* Each material by itself: its share times what conditions say, of what those before it have left. */
TEST(weights_are_what_the_rules_say)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    int wet = 0, near = 0, streams = 0;
    world_make(&world, &recipe, 4);
    for (int level = 2; level <= 6; level += 4) { /* finer than the lattices, and one of them */
        const struct terrane_window window = {level, 20, 30, 1, 96, 96}, around = {level, 19, 29, 1, 98, 98};
        const int bottom = level > 4 ? level : 4, finer = bottom - level;
        const struct terrane_window cells = {bottom, (20 >> finer) - 10, (30 >> finer) - 10,
                                             1,      (96 >> finer) + 24, (96 >> finer) + 24};
        struct terrane_drained drained = drained_new(&world, NULL, &cells);
        float *weights = layer_made(&world, &window, TERRANE_LAYER_COVER, TERRANE_VARIANT_ERODED),
              *height = layer_made(&world, &around, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_ERODED),
              *water = layer_made(&world, &window, TERRANE_LAYER_WATER, TERRANE_VARIANT_ERODED),
              *normal = layer_made(&world, &window, TERRANE_LAYER_NORMAL, TERRANE_VARIANT_ERODED),
              *term = malloc(window_samples(&window) * sizeof *term);
        const double step = ldexp(1, level);
        assert_non_null(term);
        assert_int_equal(window_term(&world, &window, 0, scratch, term), 0);
        for (int k = 0; k < 96 * 96; k++) {
            const float *n = &normal[3 * k], *h = &height[(k / 96 + 1) * 98 + k % 96 + 1];
            const double slope = hypot((double)n[0], (double)n[1]) / (double)n[2];
            const double bend = (4 * ((double)h[-1] + h[1] + h[-98] + h[98]) + h[-99] + h[-97] + h[97] +
                                 h[99] - 20 * (double)h[0]) /
                                (6 * step * step);
            const struct drained_at at =
                drained_of_sample(&recipe, &drained, finer, window.gi + k % 96, window.gj + k / 96);
            const double suit[7] = {0.8 * (1 - smooth(-0.02, 0, bend)) * smooth(0.2, 0.7, slope),
                                    0.9 * smooth(0, 1, (double)water[k]),
                                    0.9 * (1 - smooth(20, 100, at.shore_m)),
                                    0.9 * smooth(-5, 5, (double)h[0] + 60) *
                                        (1 - smooth(100, 300, (double)h[0] + 60)),
                                    0.9 * (1 - smooth(2, 12, (double)h[0] - at.stream_m)),
                                    0.9 * smooth(2, 9, at.log2_cells - log2(fmax(slope, 0x1p-6))),
                                    0.9 * smooth(-0.2, 0.3, (double)term[k])};
            double left = 1;
            float sum = 0;
            for (int m = 0; m < 8; m++) {
                const double expected = m < 7 ? suit[m] * left : left, got = (double)weights[8 * k + m];
                left -= expected;
                sum += weights[8 * k + m];
                if (fabs(got - expected) > 0.02)
                    fail_msg("level %d, sample %d, material %d: %g, expected %g", level, k, m, got, expected);
                assert_true(ldexp(got, 16) == floor(ldexp(got, 16)));
            }
            assert_true(sum == 1);
            wet += water[k] > 0;
            near += at.shore_m < 100;
            streams += at.log2_cells > 8;
        }
        free(drained.z);
        free(weights);
        free(height);
        free(water);
        free(normal);
        free(term);
    }
    shelf_clear(&shelf);
    assert_true(wet > 100 && near > 100 && streams > 20);
}

/* ---- What is hostile ------------------------------------------------------------------------------------ */

/* Cells that say anything: ways that lead nowhere or in circles, any heights, any runoff. */
TEST(drainage_that_lies_does_no_harm)
{
    struct dice dice = {5};
    const struct terrane_window window = {2, 3, 5, 1, 33, 21}, cells = {4, -10, -9, 1, 40, 32};
    static struct terrane_recipe recipe;
    struct terrane_world world;
    world_make(&world, &recipe, 1);
    struct terrane_drained drained = drained_of(&cells);
    for (int n = 0; n < 200; n++) {
        float out[3][33 * 21];
        for (size_t i = 0; i < window_samples(&cells); i++) {
            drained.z[i] = dice_chance(&dice, 0.1) ? INT32_MIN : (int32_t)dice_bits(&dice);
            drained.low[i] = (uint32_t)dice_bits(&dice);
            drained.high[i] = (uint32_t)dice_bits(&dice);
            drained.stem[i] = (uint32_t)dice_bits(&dice);
        }
        assert_int_equal(cover_of_drainage(&recipe, &window, &drained, scratch, out[0], out[1], out[2]), 0);
        for (int k = 0; k < 33 * 21; k++) {
            assert_true(isfinite(out[0][k]) && isfinite(out[1][k]));
            assert_true(out[2][k] >= 0 && out[2][k] <= 1.0001f * cover_far_m(&recipe, 4));
        }
    }
    const struct terrane_window far = {2, 90, 5, 1, 33, 21};
    float none[33 * 21];
    assert_int_equal(cover_of_drainage(&recipe, &far, &drained, scratch, none, NULL, NULL), TERRANE_EWINDOW);
    struct purse purse = {.left = 2};
    const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
    assert_int_equal(cover_of_drainage(&recipe, &window, &drained, &memory, none, NULL, NULL),
                     TERRANE_EMEMORY);
    assert_int_equal(purse.lent, 0);
    free(drained.z);
}

GROUP(cover, set_up, tear_down);
