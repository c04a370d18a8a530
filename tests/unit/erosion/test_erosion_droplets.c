/*
 * The droplets of erosion (lib/kernel/droplet.inc), by every usable instruction set: against plain ones
 * written here from lib/README.md, their mass, and single ones on ground made for them. TERRANE_TEST_SETS
 * raises the number of random sets.
 */
#include "erosion_field_kit.h"

#include "slow_droplet.h"

/* ---- A field ------------------------------------------------------------------------------------------- */

enum { NODES_ACROSS = WIDE / ERODE_GRID + 3 };

static uint64_t moved[CELLS];
static float grid[TERRANE_DROPLET_NUMBERS * NODES_ACROSS * NODES_ACROSS];
static struct erode_births births;

static const struct erode_field field = {WIDE, HIGH, ground, moved};

/* What plain droplets leave. */
static int64_t plain_amount[CELLS];
static uint32_t plain_steps[CELLS];

static const struct slow_field plain = {WIDE, ground, plain_amount, plain_steps};

/* ---- Laws of dice -------------------------------------------------------------------------------------- */

static const struct erode_bounds everywhere = {0, 0, WIDE - 1, HIGH - 1};

static void set_number(struct erode_law *law, int k, double v)
{
    law->number[k] = (float)v;
}

/* Any numbers a recipe may have, some of them steered, for ground of a height: mostly slopes of a real world, sometimes
 * any. */
static struct erode_law dice_law(struct dice *dice, int32_t height)
{
    const double steep = dice_chance(dice, 0.8) ? dice_real(dice, 0, 6) : dice_real(dice, -20, 30);
    struct erode_law law = {.grid = grid,
                            .nodes = NODES_ACROSS * NODES_ACROSS,
                            .grid_width = NODES_ACROSS,
                            .grid_x = dice_int(dice, 0, 15),
                            .grid_y = dice_int(dice, 0, 15),
                            .steps = dice_int(dice, 1, TERRANE_STEPS_MAX),
                            .to_sample = (float)(exp2(steep) / height),
                            .limit = dice_member(dice, 0x1p-10, 1),
                            .sea = dice_chance(dice, 0.5) ? -(1 << 30) : dice_int(dice, -height, height / 2),
                            .steered = dice_chance(dice, 0.5) ? 0 : (uint32_t)dice_int(dice, 0, 4095)};
    const struct terrane_droplets droplets = dice_droplets(dice);
    memcpy(law.number, &droplets, sizeof law.number);
    if (dice_chance(dice, 0.2))
        set_number(&law, 2, 0); /* without inertia they rest where it is flat */
    for (int n = 0; n < law.nodes; n++) {
        const struct terrane_droplets there = dice_droplets(dice);
        for (int k = 0; k < (int)TERRANE_DROPLET_NUMBERS; k++)
            memcpy(&grid[k * law.nodes + n], (const char *)&there + (size_t)k * sizeof(float), sizeof(float));
    }
    return law;
}

/* Droplets in the bounds; in the corners, too. */
static void dice_births(struct dice *dice, const struct erode_bounds *bounds, int count)
{
    memset(&births, 0xFF, sizeof births); /* NaN behind the last */
    births.count = count;
    for (int i = 0; i < count; i++) {
        births.x[i] = dice_int(dice, bounds->x0, bounds->x1 - 1);
        births.y[i] = dice_int(dice, bounds->y0, bounds->y1 - 1);
        births.u[i] = (float)dice_int(dice, 0, 16383) * 0x1p-14f;
        births.v[i] = dice_chance(dice, 0.1) ? 0 : (float)dice_int(dice, 0, 16383) * 0x1p-14f;
    }
}

static int64_t run(const struct erode_law *law, const struct erode_bounds *bounds)
{
    memset(moved, 0, sizeof moved);
    return erode_kernels_current()->droplets_run(&field, bounds, law, &births);
}

static int32_t amount_of(int cell)
{
    return (int32_t)(moved[cell] >> 32);
}

static uint32_t steps_of(int cell)
{
    return (uint32_t)moved[cell];
}

/* ---- Droplets ------------------------------------------------------------------------------------------ */

static void droplets_are_as_defined(void **state)
{
    struct dice dice = {501};
    int64_t walked = 0, left = 0;

    (void)state;
    for (int n = 0; n < sets(1000); n++) {
        const struct erode_law law = dice_law(&dice, dice_ground(&dice));
        struct erode_bounds bounds = everywhere;
        if (n % 2)
            bounds = (struct erode_bounds){dice_int(&dice, 0, 20), dice_int(&dice, 0, 20),
                                           dice_int(&dice, 30, WIDE - 1), dice_int(&dice, 30, HIGH - 1)};
        dice_births(&dice, &bounds, n % 9 == 0 ? ERODE_BATCH : dice_int(&dice, 1, 100));
        int64_t carried = 0, sum = 0;
        memset(plain_amount, 0, sizeof plain_amount);
        memset(plain_steps, 0, sizeof plain_steps);
        for (int i = 0; i < births.count; i++)
            carried +=
                slow_droplet(&plain, &law, &bounds, births.x[i], births.y[i], births.u[i], births.v[i]);
        for (int k = 0; terrane_isa_usable(k); k++) {
            isa_choose(k);
            assert_true(run(&law, &bounds) == carried);
            for (int i = 0; i < CELLS; i++)
                assert_true(amount_of(i) == (int32_t)plain_amount[i] && steps_of(i) == plain_steps[i]);
        }
        for (int i = 0; i < CELLS; i++) {
            sum += plain_amount[i];
            walked += plain_steps[i];
            left += plain_amount[i] != 0;
        }
        assert_true(sum + carried == 0);
    }
    assert_true(walked > 100000 && left > 100000);
}

/* All of moved's amounts and what is carried are 0 together; one by one droplets leave what they leave together. */
static void mass_is_kept_and_order_does_not_count(void **state)
{
    struct dice dice = {502};
    static uint64_t together[CELLS];

    (void)state;
    for (int n = 0; n < sets(100); n++) {
        const struct erode_law law = dice_law(&dice, dice_ground(&dice));
        dice_births(&dice, &everywhere, dice_int(&dice, 1, 60));
        isa_choose(n);
        const int64_t carried = run(&law, &everywhere);
        int64_t sum = carried, alone = 0;
        for (int i = 0; i < CELLS; i++)
            sum += amount_of(i);
        assert_true(sum == 0 && carried >= 0);
        memcpy(together, moved, sizeof moved);
        memset(moved, 0, sizeof moved);
        struct erode_births one = {.count = 1};
        for (int i = births.count - 1; i >= 0; i--) { /* backwards */
            one.x[0] = births.x[i];
            one.y[0] = births.y[i];
            one.u[0] = births.u[i];
            one.v[0] = births.v[i];
            alone += erode_kernels_current()->droplets_run(&field, &everywhere, &law, &one);
        }
        assert_true(alone == carried);
        assert_memory_equal(moved, together, sizeof moved);
    }
}

/* A law for ground counted in 1/1024 of a sample. */
static struct erode_law plain_law(void)
{
    return (struct erode_law){.number = {0, 64, 0.5f, 4, 0, 0.5f, 0.5f, 0, 1, 1, 1, 1},
                              .steps = TERRANE_STEPS_MAX,
                              .to_sample = 0x1p-10f,
                              .limit = 1,
                              .sea = -(1 << 30)};
}

static void one_birth(int x, int y)
{
    births.count = 1;
    births.x[0] = x;
    births.y[0] = y;
    births.u[0] = 0.25f;
    births.v[0] = 0.5f;
}

/* The ground falls eastwards: the droplet goes straight there, a cell a step, as long as it lives. */
static void droplets_run_straight_down_a_plane(void **state)
{
    (void)state;
    for (int i = 0; i < CELLS; i++)
        ground[i] = -300 * (i % WIDE);
    for (int life = 0; life <= TERRANE_STEPS_MAX; life += 4)
        for (int steps = 1; steps <= TERRANE_STEPS_MAX; steps += 9) {
            struct erode_law law = plain_law();
            set_number(&law, 1, life);
            law.steps = steps;
            isa_choose(life);
            one_birth(2, 20);
            births.u[0] = steps % 2 ? 0 : 0.25f; /* at 0 it always meets the edges of cells */
            const int64_t carried = run(&law, &everywhere);
            const int walks = life < steps ? life : steps;
            for (int i = 0; i < CELLS; i++)
                assert_int_equal(steps_of(i), i / WIDE == 20 && i % WIDE >= 2 && i % WIDE < 2 + walks);
            assert_true((carried > 0) == (walks > 0));
        }
}

/* A fraction of lifetime is a step more. */
static void lifetimes_are_rounded_up(void **state)
{
    (void)state;
    for (int i = 0; i < CELLS; i++)
        ground[i] = 300 * (i / WIDE);
    for (int k = 0; k < 5; k++) {
        struct erode_law law = plain_law();
        set_number(&law, 1, 3 + k * 0.25);
        one_birth(30, 40);
        run(&law, &everywhere);
        int steps = 0;
        for (int i = 0; i < CELLS; i++)
            steps += (int)steps_of(i);
        assert_int_equal(steps, k ? 4 : 3);
    }
}

/* A funnel with a flat floor: all that is taken on the way is dropped where it rests. */
static void droplets_rest_in_a_pit(void **state)
{
    struct dice dice = {505};
    (void)state;
    for (int i = 0; i < CELLS; i++) {
        const int x = abs(i % WIDE - 35), y = abs(i / WIDE - 26), far = x > y ? x : y;
        ground[i] = far > 4 ? 200 * (far - 4) : 0;
    }
    struct erode_law law = plain_law();
    set_number(&law, 2, 0); /* without inertia */
    for (int n = 0; n < 20; n++) {
        isa_choose(n);
        dice_births(&dice, &everywhere, 200);
        assert_true(run(&law, &everywhere) == 0);
        int64_t floor_amount = 0, taken = 0;
        for (int i = 0; i < CELLS; i++) {
            const int x = i % WIDE, y = i / WIDE;
            const bool flat = x >= 31 && x < 39 && y >= 22 && y < 30;
            floor_amount += flat ? amount_of(i) : 0;
            taken -= flat ? 0 : amount_of(i);
            assert_true(!flat || amount_of(i) >= 0);
        }
        assert_true(floor_amount == taken && taken > 0);
    }
}

/* At the sea droplets drop their load and end; those born in it do nothing. */
static void droplets_end_at_the_sea(void **state)
{
    struct dice dice = {506};
    (void)state;
    for (int i = 0; i < CELLS; i++)
        ground[i] = 250 * (30 - i % WIDE); /* the coast is at x = 30 */
    struct erode_law law = plain_law();
    law.sea = 0;
    for (int n = 0; n < 20; n++) {
        isa_choose(n);
        dice_births(&dice, &everywhere, 300);
        assert_true(run(&law, &everywhere) == 0);
        int64_t dropped = 0;
        for (int i = 0; i < CELLS; i++) {
            assert_true(i % WIDE < 30 || amount_of(i) >= 0);
            assert_true(i % WIDE <= 30 || moved[i] == 0); /* the first cell under water takes it all */
            dropped += i % WIDE == 30 ? amount_of(i) : 0;
        }
        assert_true(dropped > 0);
    }
}

/* A valley across the way: what goes up the other side fills the valley, not above the way's height. */
static void uphill_fills(void **state)
{
    (void)state;
    for (int i = 0; i < CELLS; i++)
        ground[i] = 400 * abs(i % WIDE - 20);
    struct erode_law law = plain_law();
    set_number(&law, 2, 0.9);
    one_birth(5, 20);
    run(&law, &everywhere);
    for (int x = 5; x < 19; x++)
        assert_true(amount_of(20 * WIDE + x) < 0);
    assert_true(amount_of(20 * WIDE + 20) > 0); /* from here it climbed */
    assert_true(amount_of(20 * WIDE + 20) <= 400 * 64);
}

static void numbers_do_what_they_say(void **state)
{
    struct dice dice = {507};
    (void)state;
    for (int n = 0; n < sets(60); n++) {
        struct erode_law law = dice_law(&dice, dice_ground(&dice));
        law.steered = 0;
        law.sea = -(1 << 30);
        set_number(&law, 1, 30);
        dice_births(&dice, &everywhere, 64);
        isa_choose(n);
        int64_t steps = 0, sum = 0;
        switch (n % 4) {
        case 0: /* no capacity takes nothing */
            set_number(&law, 3, 0);
            set_number(&law, 4, 0);
            break;
        case 1: /* no lifetime: no step at all */
            set_number(&law, 1, 0);
            break;
        case 2: /* no erosion takes nothing */
            set_number(&law, 5, 0);
            break;
        default: /* all water gone after a step: nothing is taken but where droplets start */
            set_number(&law, 4, 0);
            set_number(&law, 7, 1);
        }
        run(&law, &everywhere);
        for (int i = 0; i < CELLS; i++) {
            steps += steps_of(i);
            sum += n % 4 == 3 ? 0 : llabs(amount_of(i));
        }
        assert_true((steps == 0) == (n % 4 == 1));
        assert_true(sum == 0);
        for (int b = 0; n % 4 == 3 && b < births.count; b++)
            moved[births.y[b] * WIDE + births.x[b]] = 0;
        for (int i = 0; i < CELLS; i++)
            assert_true(amount_of(i) >= 0);
    }
}

UNIT(erosion_droplets)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(droplets_are_as_defined),
        cmocka_unit_test(mass_is_kept_and_order_does_not_count),
        cmocka_unit_test(droplets_run_straight_down_a_plane),
        cmocka_unit_test(lifetimes_are_rounded_up),
        cmocka_unit_test(droplets_rest_in_a_pit),
        cmocka_unit_test(droplets_end_at_the_sea),
        cmocka_unit_test(uphill_fills),
        cmocka_unit_test(numbers_do_what_they_say),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
