/*
 * The kernels of erosion (lib/kernel/droplet.inc, settle.inc), by every usable instruction set: droplets and rows against
 * plain ones written here from lib/README.md, mass, and single droplets on ground made for them. test_erosion_phase.c has
 * what a phase makes of them. TERRANE_TEST_SETS raises the number of random sets.
 */
#include "erosion_kit.h"

#include "slow_droplet.h"

/* ---- A field ------------------------------------------------------------------------------------------- */

enum { WIDE = 70, HIGH = 52, CELLS = WIDE * HIGH, NODES_ACROSS = WIDE / ERODE_GRID + 3 };

static int32_t ground[CELLS];
static uint64_t moved[CELLS];
static float grid[TERRANE_DROPLET_NUMBERS * NODES_ACROSS * NODES_ACROSS];
static struct erode_births births;

static const struct erode_field field = {WIDE, HIGH, ground, moved};

/* What plain droplets leave. */
static int64_t plain_amount[CELLS];
static uint32_t plain_steps[CELLS];

static const struct slow_field plain = {WIDE, ground, plain_amount, plain_steps};

/* ---- Grounds and laws of dice -------------------------------------------------------------------------- */

static const struct erode_bounds everywhere = {0, 0, WIDE - 1, HIGH - 1};

/* Hills, steps, planes and rubble. Returns their greatest height: up to 2^29. */
static int32_t dice_ground(struct dice *dice)
{
    const int kind = dice_int(dice, 0, 4), most = 1 << dice_int(dice, 2, 29);
    const double wave = dice_real(dice, 0.02, 0.4), turn = dice_real(dice, 0, 6);
    for (int i = 0; i < CELLS; i++) {
        const double x = i % WIDE, y = i / WIDE;
        const double hill = sin(wave * x + turn) * cos(wave * 0.7 * y) + 0.2 * sin(wave * 3.1 * (x + y));
        const double plane = (x * cos(turn) + y * sin(turn)) / 90;
        ground[i] = kind == 0   ? dice_int(dice, -most, most)
                    : kind == 1 ? (int32_t)(most * plane)
                    : kind == 2 ? (int32_t)(floor(hill * 4) / 5 * most)
                                : (int32_t)(0.8 * hill * most);
    }
    return most;
}

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

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static int32_t dice_value(struct dice *dice, int most_log2)
{
    const int most = most_log2 < 31 ? 1 << most_log2 : INT32_MAX;
    return dice_chance(dice, 0.2) ? (dice_chance(dice, 0.5) ? most : -most)
                                  : (int32_t)dice_whole(dice, -most, most);
}

static int64_t within(int64_t v, int64_t most)
{
    return v > most ? most : v < -most ? -most : v;
}

static void cells_are_gathered(void **state)
{
    enum { COUNT_MOST = 300 };
    struct dice dice = {511};
    static uint64_t row[COUNT_MOST + 1], kept[COUNT_MOST + 1];
    static int32_t amount[COUNT_MOST];
    static uint32_t steps[COUNT_MOST];

    (void)state;
    for (int n = 0; n < sets(200); n++) {
        const int count = dice_int(&dice, 5, COUNT_MOST);
        for (int i = 0; i < count; i++) {
            const uint32_t left = (uint32_t)dice_value(&dice, dice_int(&dice, 0, 31));
            row[i] = (uint64_t)(dice_chance(&dice, 0.02) ? UINT32_C(1) << 31 : left) << 32 |
                     (uint32_t)dice_bits(&dice);
        }
        row[count] = 77;
        memcpy(kept, row, sizeof row);
        isa_choose(n);
        erode_kernels_current()->gather_row(row, count, amount, steps);
        for (int i = 0; i < count; i++)
            assert_true(row[i] == 0);
        assert_true(row[count] == 77);
        for (int i = 1; i < count; i++)
            assert_true(steps[i] == (uint32_t)kept[i - 1] + (uint32_t)kept[i]);
        for (int i = 2; i < count - 1; i++) {
            int64_t m[4];
            for (int k = 0; k < 4; k++)
                m[k] = within((int32_t)(kept[i - 2 + k] >> 32), 1 << 27);
            assert_true(amount[i] == (m[0] + m[3] + 3 * (m[1] + m[2]) + 4) >> 3);
        }
    }
}

/* Never below the lowest or above the highest of the 3 x 3 around as they were, nor by more than the limit. */
static void rows_settle_between_their_neighbours(void **state)
{
    enum { COUNT_MOST = 200 };
    struct dice dice = {512};
    static int32_t amount[4][COUNT_MOST], old[3][COUNT_MOST + 2], out[COUNT_MOST];
    int settled = 0;

    (void)state;
    for (int n = 0; n < sets(400); n++) {
        const int count = dice_int(&dice, 1, COUNT_MOST), rough = dice_int(&dice, 0, 30);
        const int32_t *amounts[4], *olds[3];
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < count; i++)
                amount[k][i] = dice_value(&dice, 27);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < count + 2; i++)
                old[k][i] = dice_value(&dice, rough);
        for (int k = 0; k < 4; k++)
            amounts[k] = amount[k];
        for (int k = 0; k < 3; k++)
            olds[k] = old[k] + 1;
        const struct erode_settling settling = {
            (float)exp2(dice_real(&dice, -40, 25)),
            (int32_t)(float)dice_int(&dice, 0, 1 << dice_int(&dice, 0, 26))};
        memcpy(out, old[1] + 1, (size_t)count * sizeof *out);
        isa_choose(n);
        erode_kernels_current()->settle_row(&settling, count, amounts, olds, out);
        for (int i = 0; i < count; i++) {
            int64_t low = INT64_MAX, high = INT64_MIN;
            for (int k = 0; k < 9; k++) {
                const int32_t v = old[k / 3][i + k % 3];
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
            const int64_t sum =
                ((int64_t)amount[0][i] + amount[3][i] + 3 * ((int64_t)amount[1][i] + amount[2][i]) + 4) >> 3;
            const double want = (double)((float)sum * settling.to_units), most = settling.limit;
            const double bounded = want > most ? most : want < -most ? -most : want;
            const int64_t to = old[1][i + 1] + (int64_t)bounded;
            const int64_t right = to < low ? low : to > high ? high : to;
            assert_true(llabs(out[i] - (int64_t)old[1][i + 1]) <= settling.limit);
            assert_true(out[i] == right);
            settled += out[i] != old[1][i + 1];
        }
    }
    assert_true(settled > 3000);
}

static void flow_is_counted_up_to_its_end(void **state)
{
    struct dice dice = {513};
    uint32_t north[64], south[64], flow[65], before[65];

    (void)state;
    for (int n = 0; n < 200; n++) {
        for (int i = 0; i < 65; i++)
            before[i] = flow[i] = dice_chance(&dice, 0.3) ? UINT32_MAX - (uint32_t)dice_int(&dice, 0, 99)
                                                          : (uint32_t)dice_bits(&dice);
        for (int i = 0; i < 64; i++) {
            north[i] = (uint32_t)dice_bits(&dice) >> dice_int(&dice, 1, 31);
            south[i] = (uint32_t)dice_bits(&dice) >> dice_int(&dice, 1, 31);
        }
        isa_choose(n);
        erode_kernels_current()->flow_row(64, north, south, flow);
        for (int i = 0; i < 64; i++) {
            const uint64_t sum = before[i] + 4 * ((uint64_t)north[i] + south[i]);
            assert_true(flow[i] == (sum > UINT32_MAX ? UINT32_MAX : sum));
        }
        assert_true(flow[64] == before[64]);
    }
}

static void parents_rows_are_between(void **state)
{
    struct dice dice = {514};
    int32_t row[4][40], out[40];
    uint32_t flow[2][40], mean[40];

    (void)state;
    for (int n = 0; n < 300; n++) {
        for (int i = 0; i < 40; i++) {
            for (int k = 0; k < 4; k++)
                row[k][i] = dice_value(&dice, 26) / 4 * 5; /* what overshoots along x */
            for (int k = 0; k < 2; k++)
                flow[k][i] = dice_chance(&dice, 0.3) ? UINT32_MAX : (uint32_t)dice_bits(&dice);
        }
        isa_choose(n);
        erode_kernels_current()->between_rows(40, row[0], row[1], row[2], row[3], out);
        erode_kernels_current()->mean_rows(40, flow[0], flow[1], mean);
        for (int i = 0; i < 40; i++) {
            assert_true(out[i] ==
                        (9 * ((int64_t)row[1][i] + row[2][i]) - ((int64_t)row[0][i] + row[3][i]) + 8) >> 4);
            assert_true(mean[i] == ((uint64_t)flow[0][i] + flow[1][i] + 1) / 2);
        }
    }
}

static void heights_are_counted_towards_zero(void **state)
{
    static const float heights[] = {0, 0.99f, -0.99f, 1.5f, -1.5f, 12345.6f, -32768, 32768};
    static const int32_t units[] = {0, 0, 0, 1, -1, 12345, -32768, 32768};
    int32_t out[COUNT(heights)];

    (void)state;
    for (int k = 0; terrane_isa_usable(k); k++) {
        isa_choose(k);
        erode_kernels_current()->units_row(COUNT(heights), heights, 1, out);
        assert_memory_equal(out, units, sizeof out);
        erode_kernels_current()->units_row(COUNT(heights), heights, 0x1p14f, out);
        for (int i = 0; i < COUNT(heights); i++)
            assert_int_equal(out[i], (int32_t)((double)heights[i] * 16384));
    }
}

/* ---- Slides -------------------------------------------------------------------------------------------- */

static int64_t plain_slide(int64_t difference, int64_t twice, int shift, int64_t most)
{
    const int64_t over = llabs(difference) - (twice >> 1), part = over > 0 ? over >> shift : 0;
    return (difference < 0 ? -1 : 1) * (part < most ? part : most);
}

/* A field whose rim is too steep to slide: nothing is lost; nobody gains more than a limit, or passes neighbours. */
static void slides_keep_the_ground(void **state)
{
    struct dice dice = {515};
    static int32_t talus[CELLS], out[CELLS];
    int slid = 0;

    (void)state;
    for (int n = 0; n < sets(60); n++) {
        const int32_t limit = dice_int(&dice, 0, 1 << dice_int(&dice, 0, 26));
        const int gentle = dice_int(&dice, 0, 27);
        dice_ground(&dice);
        for (int i = 0; i < CELLS; i++) {
            const int x = i % WIDE, y = i / WIDE;
            const bool rim = x == 0 || y == 0 || x == WIDE - 1 || y == HIGH - 1;
            ground[i] >>= 4; /* the rim's talus is more than any difference */
            talus[i] = rim ? 1 << 28 : abs(dice_value(&dice, gentle)) / 2;
        }
        memcpy(out, ground, sizeof out);
        isa_choose(n);
        for (int y = 1; y < HIGH - 1; y++) {
            const int32_t *old[3], *angle[3];
            for (int k = 0; k < 3; k++) {
                old[k] = ground + (y - 1 + k) * WIDE + 1;
                angle[k] = talus + (y - 1 + k) * WIDE + 1;
            }
            erode_kernels_current()->slide_row(WIDE - 2, old, angle, limit, out + y * WIDE + 1);
        }
        int64_t sum = 0;
        for (int i = 0; i < CELLS; i++) {
            const int x = i % WIDE, y = i / WIDE;
            sum += (int64_t)out[i] - ground[i];
            if (x == 0 || y == 0 || x == WIDE - 1 || y == HIGH - 1)
                continue;
            int64_t gain = 0, low = ground[i], high = ground[i];
            for (int k = 0; k < 9; k++) {
                const int at = i + (k / 3 - 1) * WIDE + k % 3 - 1;
                const int64_t d = (int64_t)ground[at] - ground[i], t = (int64_t)talus[at] + talus[i];
                if (k % 2)
                    gain += plain_slide(d, t, 3, limit >> 3);
                else if (k != 4)
                    gain += plain_slide(d, t + (t >> 2) + (t >> 3) + (t >> 5), 4, limit >> 3);
                low = ground[at] < low ? ground[at] : low;
                high = ground[at] > high ? ground[at] : high;
            }
            assert_true(out[i] == ground[i] + gain);
            assert_true(out[i] >= low && out[i] <= high && llabs(gain) <= limit);
            slid += gain != 0;
        }
        assert_true(sum == 0);
    }
    assert_true(slid > 20000);
}

/* Only where the old ground is a pit, only upwards, to its rim at most and by the limit at most. */
static void pits_are_filled(void **state)
{
    enum { COUNT_MOST = 120 };
    struct dice dice = {516};
    static int32_t old[3][COUNT_MOST + 2], out[COUNT_MOST], before[COUNT_MOST];
    int filled = 0;

    (void)state;
    for (int n = 0; n < sets(300); n++) {
        const int count = dice_int(&dice, 1, COUNT_MOST), rough = dice_int(&dice, 1, 29);
        const int32_t limit = dice_int(&dice, 0, 1 << dice_int(&dice, 0, 26));
        const int32_t *olds[3];
        for (int k = 0; k < 3; k++) {
            olds[k] = old[k] + 1;
            for (int i = 0; i < count + 2; i++)
                old[k][i] = dice_value(&dice, rough);
        }
        for (int i = 0; i < count; i++)
            before[i] = out[i] = old[1][i + 1] + dice_int(&dice, -(limit >> 3), limit >> 3);
        isa_choose(n);
        erode_kernels_current()->fill_row(count, olds, limit, out);
        for (int i = 0; i < count; i++) {
            int64_t rim = INT64_MAX, to = before[i];
            const int64_t was = old[1][i + 1];
            for (int k = 0; k < 9; k++)
                if (k != 4 && old[k / 3][i + k % 3] < rim)
                    rim = old[k / 3][i + k % 3];
            if (was < rim && to < (rim < was + limit ? rim : was + limit))
                to = rim < was + limit ? rim : was + limit;
            assert_true(out[i] == to);
            filled += out[i] != before[i];
        }
    }
    assert_true(filled > 500);
}

int main(void)
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
        cmocka_unit_test(cells_are_gathered),
        cmocka_unit_test(rows_settle_between_their_neighbours),
        cmocka_unit_test(flow_is_counted_up_to_its_end),
        cmocka_unit_test(parents_rows_are_between),
        cmocka_unit_test(heights_are_counted_towards_zero),
        cmocka_unit_test(slides_keep_the_ground),
        cmocka_unit_test(pits_are_filled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
