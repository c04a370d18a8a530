/*
 * The rows of erosion (lib/kernel/settle.inc), by every usable instruction set, against plain ones written
 * here from lib/README.md: what settles, what flows, what slides, and pits. TERRANE_TEST_SETS raises the
 * number of random sets.
 */
#include "erosion_field_kit.h"

/* ---- Rows ---------------------------------------------------------------------------------------------- */

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

UNIT(erosion_rows)
{
    const struct CMUnitTest tests[] = {
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
