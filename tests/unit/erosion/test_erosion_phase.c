/*
 * One level of erosion (lib/phase.c): phases keep to their clamps, and what lies beyond the halo does not count, though
 * nothing less would do. Compiles lib/pyramid.c anew with the checks of debug builds, and sees them strike, and not
 * strike. TERRANE_TEST_SETS raises the number of random sets.
 */
#define TERRANE_DEBUG
#include "../../../lib/pyramid.c"

#include "erosion_kit.h"
#include "slow_droplet.h"

#include <signal.h>
#include <sys/wait.h>

/* ---- A phase ------------------------------------------------------------------------------------------- */

/* One level under work, as lib/pyramid.c sets it up; its ground is the caller's to fill. */
struct site {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct erosion_level *level;
};

static void site_open(struct site *site, struct dice *dice, int phases, int steps, int slides, int margin)
{
    const int halo = phases * (steps + 2) + slides, wide = 2 * halo + 21 + 2 * margin, high = wide + 7;
    const int64_t sign = dice_chance(dice, 0.5) ? 1 : -1;
    site->recipe = recipe_hills();
    site->recipe.sea_m = dice_chance(dice, 0.5) ? -30000 : 0;
    erosion_rounds(&site->recipe.erosion, 1, phases, steps, slides);
    site->recipe.erosion.limit = (float)exp2(dice_real(dice, -5, 0));
    for (int k = 0; k < 3; k++) {
        site->recipe.erosion.zone[k] = dice_droplets(dice);
        site->recipe.erosion.zone[k].density = (float)dice_real(dice, 0.01, 1);
        site->recipe.erosion.zone[k].lifetime = 64;
    }
    make_world(&site->world, &site->recipe, dice_bits(dice));
    struct erosion_level *level = site->level = calloc(1, sizeof *level);
    assert_non_null(level);
    level->world = &site->world;
    level->window = (struct terrane_window){.gi = sign * dice_whole(dice, 0, INT64_C(1) << 48),
                                            .gj = dice_whole(dice, -1000, 1000),
                                            .step = 1,
                                            .width = wide,
                                            .height = high};
    const size_t samples = (size_t)wide * (size_t)high, nodes = erosion_grid_nodes(&level->window);
    level->field = (struct erode_field){wide, high, malloc(samples * sizeof(int32_t)), calloc(samples, 8)};
    level->grid = malloc(nodes * TERRANE_DROPLET_NUMBERS * sizeof(float));
    level->halo = halo + margin;
    level->inset = margin;
    level->flow = calloc((size_t)(wide - 2 * level->halo) * (size_t)(high - 2 * level->halo), 4);
    erosion_scale(&level->scale, &site->recipe, 0);
    float *room = malloc(nodes * 3 * sizeof *room);
    erosion_law(level, scratch, room);
    free(room);
    const double rough = exp2(dice_real(dice, -3, 2)) * (double)level->scale.sample;
    for (size_t i = 0; i < samples; i++) {
        const double x = (double)(i % (size_t)wide), y = (double)(i / (size_t)wide);
        level->field.ground[i] =
            (int32_t)(rough * (sin(x / 3) + cos(y / 4) + 3 * sin((x + y) / 11) + dice_real(dice, -0.2, 0.2)));
    }
}

static void site_close(struct site *site)
{
    free(site->level->field.ground);
    free(site->level->field.moved);
    free(site->level->grid);
    free(site->level->flow);
    free(site->level);
}

static int32_t *site_copy(const struct site *site)
{
    const size_t bytes =
        (size_t)site->level->field.width * (size_t)site->level->field.height * sizeof(int32_t);
    int32_t *copy = malloc(bytes);
    assert_non_null(copy);
    return memcpy(copy, site->level->field.ground, bytes);
}

/* The droplets of a phase of a field, drawn and run one by one, from lib/README.md. */
static void slow_run(const struct erosion_level *level, int phase, const struct slow_field *field,
                     int64_t *carried)
{
    const int64_t gi = level->window.gi, gj = level->window.gj;
    const struct erode_bounds all = {0, 0, level->field.width - 1, level->field.height - 1};
    const uint64_t key = hash_absorb(
        hash_absorb(hash_absorb(level->world->seed, 11), (uint64_t)level->window.level), (uint64_t)phase);
    *carried = 0;
    for (int64_t by = gj >> 2; 4 * by < gj + all.y1; by++)
        for (int64_t bx = gi >> 2; 4 * bx < gi + all.x1; bx++) {
            const uint32_t h = hash_corner(hash_column(key, bx), hash_row(key, by));
            const float density = slow_number(&level->law, 0, (int)(4 * bx - gi), (int)(4 * by - gj));
            uint64_t draw = h;
            for (int left = (int)(density * 16 + (float)(h >> 8) * 0x1p-24f); left > 0; left--) {
                draw = hash_mix(draw + key);
                const uint32_t q = (uint32_t)(draw >> 32);
                const int x = (int)(4 * bx - gi) + (int)(q & 3), y = (int)(4 * by - gj) + (int)(q >> 2 & 3);
                if (x >= 0 && x < all.x1 && y >= 0 && y < all.y1)
                    *carried += slow_droplet(field, &level->law, &all, x, y,
                                             (float)(q >> 4 & 16383) * 0x1p-14f, (float)(q >> 18) * 0x1p-14f);
            }
        }
}

/* A mean of four with weights 1 3 3 1. */
static int64_t mean_of(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (a + d + 3 * (b + c) + 4) >> 3;
}

/* What cells hold around a sample. */
static int64_t slow_around(const struct slow_field *field, int x, int y)
{
    int64_t r[4];
    for (int j = 0; j < 4; j++) {
        int64_t m[4];
        for (int i = 0; i < 4; i++) {
            const int64_t v = field->amount[(y - 2 + j) * field->width + x - 2 + i], most = 1 << 27;
            m[i] = v > most ? most : v < -most ? -most : v;
        }
        r[j] = mean_of(m[0], m[1], m[2], m[3]);
    }
    return mean_of(r[0], r[1], r[2], r[3]);
}

static void phases_are_as_defined(void **state)
{
    struct dice dice = {520};

    (void)state;
    for (int n = 0; n < sets(30); n++) {
        struct site site;
        int64_t carried;
        site_open(&site, &dice, 1, dice_int(&dice, 1, 12), 0, 0);
        struct erosion_level *level = site.level;
        const int wide = level->field.width, high = level->field.height, halo = level->halo;
        const size_t cells = (size_t)wide * (size_t)high;
        int32_t *before = site_copy(&site);
        const struct slow_field slow = {wide, before, calloc(cells, sizeof(int64_t)),
                                        calloc(cells, sizeof(uint32_t))};
        isa_choose(n);
        erosion_phase(level, n % 16);
        slow_run(level, n % 16, &slow, &carried);
        assert_true(carried == level->carried);
        for (int y = halo; y < high - halo; y++)
            for (int x = halo; x < wide - halo; x++) {
                const int at = y * wide + x;
                const float by = (float)slow_around(&slow, x, y) * (level->scale.sample * 0x1p-16f);
                const float most = (float)level->scale.limit;
                int64_t low = INT64_MAX, tops = INT64_MIN;
                for (int k = 0; k < 9; k++) {
                    const int32_t v = before[at + (k / 3 - 1) * wide + k % 3 - 1];
                    low = v < low ? v : low;
                    tops = v > tops ? v : tops;
                }
                const int64_t to = before[at] + (int32_t)(by > most ? most : by < -most ? -most : by);
                assert_true(level->field.ground[at] == (to < low ? low : to > tops ? tops : to));
                const uint32_t steps =
                    slow.steps[at] + slow.steps[at - 1] + slow.steps[at - wide] + slow.steps[at - wide - 1];
                assert_true(level->flow[(y - halo) * (wide - 2 * halo) + x - halo] == 4 * steps);
            }
        free(before);
        free(slow.amount);
        free(slow.steps);
        site_close(&site);
    }
}

/* What one sample passes on to another, from lib/README.md. */
static int64_t slow_pass(int64_t d, int64_t t, int64_t limit, bool diagonal)
{
    const int64_t both = diagonal ? t + (t >> 2) + (t >> 3) + (t >> 5) : t;
    const int64_t over = llabs(d) - (both >> 1), most = limit >> 3;
    const int64_t part = over > 0 ? over >> (diagonal ? 4 : 3) : 0, passed = part < most ? part : most;
    return d < 0 ? -passed : passed;
}

static int64_t slow_talus(const struct erosion_level *level, int at)
{
    const float talus = slow_number(&level->law, 11, at % level->field.width, at / level->field.width);
    const float units = talus * level->scale.sample;
    return (int32_t)(units < 0x1p28f ? units : 0x1p28f);
}

/* A sample after a slide of the ground as it was: what it gains; a pit at least rises to its rim, or by the limit. */
static int64_t slow_slide(const struct erosion_level *level, const int32_t *was, int at)
{
    const int64_t limit = level->scale.limit, mine = slow_talus(level, at);
    int64_t gain = 0, rim = INT64_MAX;
    for (int k = 0; k < 9; k++) {
        const int to = at + (k / 3 - 1) * level->field.width + k % 3 - 1;
        if (k == 4)
            continue;
        gain += slow_pass((int64_t)was[to] - was[at], mine + slow_talus(level, to), limit, k % 2 == 0);
        rim = was[to] < rim ? was[to] : rim;
    }
    const int64_t filled = rim - was[at] < limit ? rim - was[at] : limit;
    return was[at] + (was[at] < rim && gain < filled ? filled : gain);
}

static void slides_are_as_defined(void **state)
{
    struct dice dice = {526};
    int slid = 0;

    (void)state;
    for (int n = 0; n < sets(20); n++) {
        struct site site;
        site_open(&site, &dice, 0, 1, 6, 0);
        struct erosion_level *level = site.level;
        const int wide = level->field.width, high = level->field.height;
        for (int i = 0; i < wide * high; i += 7)
            level->field.ground[i] -= dice_int(&dice, 0, (int)level->scale.sample);
        if (n % 2) {
            level->law.steered = 0;
            level->law.number[11] = (float)dice_real(&dice, 0.02, 2);
        }
        isa_choose(n);
        for (int round = 1; round <= 6; round++) {
            int32_t *was = site_copy(&site);
            erosion_slide(level);
            assert_int_equal(level->inset, round);
            for (int y = round; y < high - round; y++)
                for (int x = round; x < wide - round; x++) {
                    const int at = y * wide + x;
                    assert_true(level->field.ground[at] == slow_slide(level, was, at));
                    slid += level->field.ground[at] != was[at];
                }
            free(was);
        }
        site_close(&site);
    }
    assert_true(slid > 5000);
}

/* Numbers that zones share are that; others are blended at every 16th sample of the lattice. */
static void zones_steer(void **state)
{
    struct dice dice = {525};

    (void)state;
    for (int n = 0; n < sets(10); n++) {
        struct site site;
        site_open(&site, &dice, 1, 5, 1, 0);
        struct erosion_level *level = site.level;
        struct erosion_level all = *level; /* the same, but that two zones are as the third */
        const struct erode_law *law = &level->law;
        const struct terrane_droplets *zone = site.recipe.erosion.zone;
        float *room = malloc((size_t)law->nodes * 3 * sizeof *room);
        for (int node = 0; node < law->nodes; node++) {
            const int64_t gi = level->window.gi - law->grid_x + (int64_t)(node % law->grid_width) * 16;
            const int64_t gj = level->window.gj - law->grid_y + (int64_t)(node / law->grid_width) * 16;
            const struct terrane_window at = {.gi = gi, .gj = gj, .step = 1, .width = 1, .height = 1};
            float weight[3];
            assert_true(gi % 16 == 0 && gj % 16 == 0);
            assert_int_equal(terrane_zones(&site.world, &at, scratch, NULL, weight), 0);
            const float capacity =
                weight[0] * zone[0].capacity + weight[1] * zone[1].capacity + weight[2] * zone[2].capacity;
            assert_true(law->steered & 1 << 3);
            assert_true(law->grid[3 * law->nodes + node] == capacity);
            double slope = 0;
            for (int z = 0; z < 3; z++)
                slope += (double)weight[z] * tan((double)zone[z].talus_deg * acos(-1) / 180);
            assert_true(fabs((double)law->grid[11 * law->nodes + node] - slope) < 1e-5 * slope);
        }
        assert_false(law->steered & 1 << 1); /* all have the same lifetime */
        assert_true(law->number[1] == 64);
        site.recipe.erosion.zone[0] = site.recipe.erosion.zone[1] = zone[2];
        erosion_law(&all, scratch, room);
        assert_int_equal(all.law.steered, 0);
        assert_memory_equal(all.law.number, &zone[2], 11 * sizeof(float));
        free(room);
        site_close(&site);
    }
}

static void phases_keep_to_neighbours_and_limit(void **state)
{
    struct dice dice = {521};
    int touched = 0;

    (void)state;
    for (int n = 0; n < sets(40); n++) {
        struct site site;
        site_open(&site, &dice, 1, dice_int(&dice, 1, 12), 0, 0);
        struct erosion_level *level = site.level;
        int32_t *before = site_copy(&site);
        isa_choose(n);
        erosion_phase(level, n % 16);
        const int wide = level->field.width, inset = level->inset;
        assert_int_equal(inset, level->halo);
        for (int y = inset; y < level->field.height - inset; y++)
            for (int x = inset; x < wide - inset; x++) {
                int64_t low = INT64_MAX, high = INT64_MIN;
                for (int k = 0; k < 9; k++) {
                    const int32_t v = before[(y + k / 3 - 1) * wide + x + k % 3 - 1];
                    low = v < low ? v : low;
                    high = v > high ? v : high;
                }
                const int64_t was = before[y * wide + x], is = level->field.ground[y * wide + x];
                assert_true(is >= low && is <= high && llabs(is - was) <= level->scale.limit);
                touched += is != was;
            }
        for (int i = 0; i < wide * level->field.height; i++)
            assert_true(level->field.moved[i] == 0);
        free(before);
        site_close(&site);
    }
    assert_true(touched > 5000);
}

/* What lies outside of the halo does not count: ground there is as high or low as can be. */
static void what_is_beyond_the_halo_does_not_count(void **state)
{
    struct dice dice = {522};

    (void)state;
    for (int n = 0; n < sets(60); n++) {
        const int phases = dice_int(&dice, 0, 4), slides = dice_int(&dice, 0, 3),
                  margin = dice_int(&dice, 1, 5);
        struct site site;
        site_open(&site, &dice, phases, dice_int(&dice, 1, 10), slides, margin);
        struct erosion_level *level = site.level;
        const int wide = level->field.width, high = level->field.height, halo = level->halo;
        const int out_wide = wide - 2 * halo, out_high = high - 2 * halo;
        int32_t *before = site_copy(&site);
        const size_t bytes = (size_t)out_wide * (size_t)out_high * sizeof(uint32_t);
        int32_t *kept = NULL;
        uint32_t *flow = malloc(bytes);
        for (int poisoned = 0; poisoned < 3; poisoned++) {
            for (int i = 0; i < wide * high; i++) {
                const int x = i % wide, y = i / wide;
                const bool out = x < margin || y < margin || x >= wide - margin || y >= high - margin;
                level->field.ground[i] =
                    poisoned && out ? (int32_t)dice_whole(&dice, -(1 << 29), 1 << 29) : before[i];
            }
            level->inset = margin;
            memset(level->flow, 0, bytes);
            isa_choose(n + poisoned);
            for (int p = 0; p < phases; p++)
                erosion_phase(level, p);
            for (int s = 0; s < slides; s++)
                erosion_slide(level);
            assert_int_equal(level->inset, halo);
            if (!poisoned) {
                kept = site_copy(&site);
                memcpy(flow, level->flow, bytes);
            }
            for (int y = halo; y < high - halo; y++)
                assert_memory_equal(level->field.ground + y * wide + halo, kept + y * wide + halo,
                                    (size_t)out_wide * sizeof(int32_t));
            assert_memory_equal(level->flow, flow, bytes);
        }
        free(before);
        free(kept);
        free(flow);
        site_close(&site);
    }
}

/* Ground that falls to a coast just before the outermost row or column of what comes out, on one side; from it, the rim
 * of the field is steps + 2 samples away, and lifted a bit or not. Droplets that can do nothing but dig go there. */
static void site_coast(const struct site *site, int side, bool lifted)
{
    struct erosion_level *level = site->level;
    const struct terrane_droplets digs = {0.1f, 64, 0, 64, 1, 1, 0, 0, 0, 16, 16, 45};
    const int wide = level->field.width, high = level->field.height, halo = level->halo;
    level->law.steered = 0;
    level->law.limit = 1;
    level->law.sea = 0;
    memcpy(level->law.number, &digs, sizeof digs);
    for (int i = 0; i < wide * high; i++) {
        const int x = i % wide, y = i / wide;
        const int off[] = {halo - x, x - (wide - halo - 1), halo - y, y - (high - halo - 1)};
        const double up = 0.25 * (off[side] - 1.99) + (lifted && off[side] == halo ? 0.1 : 0);
        level->field.ground[i] = (int32_t)(up * (double)level->scale.sample);
    }
}

/* Part of the outermost row or column of what comes out on a side, summed. */
static int64_t side_sum(const struct erosion_level *level, int side)
{
    const int wide = level->field.width, high = level->field.height, halo = level->halo;
    int64_t sum = 0;
    for (int k = halo + 6; k < halo + 15; k++) {
        const int at[] = {k * wide + halo, k * wide + wide - halo - 1, halo * wide + k,
                          (high - halo - 1) * wide + k};
        sum += level->field.ground[at[side]];
    }
    return sum;
}

/* The halo is as narrow as it can be: a droplet that drowns with its last step brings sand from steps + 2 samples away. */
static void the_halo_is_needed(void **state)
{
    struct dice dice = {523};

    (void)state;
    for (int n = 0; n < 16; n++) {
        const int side = n % 4;
        bool shows = false;
        for (int turn = 0; turn < 20; turn++) {
            struct site site;
            int64_t sum[2];
            site_open(&site, &dice, 1, 1 + n / 4, 0, 0);
            for (int lifted = 0; lifted < 2; lifted++) {
                site_coast(&site, side, lifted);
                site.level->inset = 0;
                erosion_phase(site.level, turn % 16);
                sum[lifted] = side_sum(site.level, side);
            }
            shows |= sum[0] != sum[1];
            site_close(&site);
        }
        assert_true(shows);
    }
}

/* ---- Reads are watched in debug builds ----------------------------------------------------------------- */

static bool traps(const struct parent *parent, int64_t gi, int64_t gj, bool flow)
{
    static int32_t delta[64];
    static uint32_t seen[64];
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGILL, SIG_DFL);
        signal(SIGTRAP, SIG_DFL);
        if (flow)
            parent_flow(parent, gi, gj, 8, seen);
        else
            parent_deltas(parent, gi, gj, 8, delta);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* The columns 10 .. 17 take a parent's 4 .. 10 for deltas, 5 .. 9 for flow. */
static void reads_beyond_the_halo_trap(void **state)
{
    struct terrane_eroded product = product_new(
        &(struct terrane_window){.level = 1, .gi = 4, .gj = -3, .step = 1, .width = 7, .height = 5});
    struct parent parent = {.product = &product, .bound = 1000};

    (void)state;
    memset(product.delta, 0, 35 * sizeof(int32_t));
    assert_false(traps(&parent, 10, -3, false));
    assert_false(traps(&parent, 10, 1, false));
    assert_false(traps(&parent, 10, 1, true));
    assert_true(traps(&parent, 9, 0, false));
    assert_true(traps(&parent, 12, 0, false));
    assert_true(traps(&parent, 10, -4, false));
    assert_true(traps(&parent, 10, 2, false));
    assert_true(traps(&parent, 7, 0, true));
    assert_true(traps(&parent, 14, 0, true));
    assert_true(traps(&parent, 10, -4, true));
    product_free(&product);
}

/* ... and never strike in what terrane_erode does, however little it is given. */
static void no_read_is_beyond_the_halo(void **state)
{
    struct dice dice = {524};

    (void)state;
    for (int n = 0; n < sets(60); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 5);
        struct terrane_window needed, window = {.level = dice_int(&dice, 0, 3),
                                                .gi = dice_whole(&dice, -70, 70),
                                                .gj = dice_whole(&dice, -70, 70),
                                                .step = 1,
                                                .width = dice_int(&dice, 1, 40),
                                                .height = dice_int(&dice, 1, 40)};
        make_world(&world, &recipe, dice_bits(&dice));
        isa_choose(n);
        terrane_erode_needs(&recipe, &window, dice_int(&dice, window.level + 1, 4), &needed);
        struct terrane_eroded parent = eroded_new(&world, NULL, &needed);
        struct terrane_eroded product = eroded_new(&world, &parent, &window);
        product_free(&product);
        product_free(&parent);
    }
}

UNIT(erosion_phase)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_as_defined),
        cmocka_unit_test(slides_are_as_defined),
        cmocka_unit_test(zones_steer),
        cmocka_unit_test(phases_keep_to_neighbours_and_limit),
        cmocka_unit_test(what_is_beyond_the_halo_does_not_count),
        cmocka_unit_test(the_halo_is_needed),
        cmocka_unit_test(reads_beyond_the_halo_trap),
        cmocka_unit_test(no_read_is_beyond_the_halo),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
