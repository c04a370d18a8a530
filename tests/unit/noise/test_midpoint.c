/*
 * Midpoint displacement (lib/midpoint.c) against its definition: a recursive function of global coordinates,
 * which knows neither windows nor strips. All seeds are fixed.
 */
#include "../unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/hash.h"
#include "../../../lib/midpoint.h"

static struct midpoint work;
static struct strip strip, other;

/* ---- Dice ---------------------------------------------------------------------------------------------- */

static uint64_t dice_state;

static int64_t dice(int64_t low, int64_t high)
{
    dice_state += UINT64_C(0x9E3779B97F4A7C15);
    return low + (int64_t)(hash_mix(dice_state) % ((uint64_t)(high - low) + 1));
}

/* Near zero, anywhere, or near the end of the lattice. */
static int64_t dice_coordinate(void)
{
    const int64_t end = (INT64_C(1) << 50) + (INT64_C(1) << 22);
    switch (dice(0, 4)) {
    case 0:
        return dice(-300, 300);
    case 1:
        return dice(-end, -end + 1000);
    case 2:
        return dice(end - 1000, end);
    case 3: /* where columns get another high half */
        return dice(-2, 2) * (INT64_C(1) << 32) + dice(-300, 300);
    default:
        return dice(-end, end);
    }
}

static struct terrane_fractal dice_fractal(enum terrane_fractal_kind kind)
{
    const int cell_log2 = (int)(dice(0, 3) ? dice(0, 12) : dice(13, 40));
    return (struct terrane_fractal){
        .kind = kind,
        .salt = (uint32_t)dice(0, UINT32_MAX),
        .octaves = (int)dice(1, TERRANE_OCTAVES_MAX),
        .cell = (double)(INT64_C(1) << cell_log2),
        .lacunarity = 2,
        .amplitude_m = dice(0, 9) ? (float)dice(1, 32768) / 16.0f : 0.0f,
        .gain = (float)dice(0, 1000) / 1000.0f,
        .offset = dice(0, 3) ? (float)dice(0, 4000) / 1000.0f : 0.0f,
    };
}

/* ---- The definition ------------------------------------------------------------------------------------ */

/* Points that are known already: subdivision and coordinates to value, by open addressing. */
enum { KNOWN = 1 << 16 };

static struct known {
    bool used;
    int i;
    int64_t u, v;
    float value;
} known[KNOWN];
static int known_count;

struct definition {
    const struct terrane_world *world;
    const struct terrane_fractal *fractal;
};

static void forget(void)
{
    memset(known, 0, sizeof known);
    known_count = 0;
}

static struct known *known_at(int i, int64_t u, int64_t v)
{
    uint64_t h = hash_absorb(hash_absorb((uint64_t)i, (uint64_t)u), (uint64_t)v) % KNOWN;
    while (known[h].used && (known[h].i != i || known[h].u != u || known[h].v != v))
        h = (h + 1) % KNOWN;
    return &known[h];
}

static float amplitude_of(const struct terrane_fractal *fractal, int octave)
{
    float a = fractal->amplitude_m;
    for (int i = 0; i < octave; i++)
        a *= fractal->gain;
    return a;
}

static float unit_of(const struct definition *of, int octave, int64_t u, int64_t v)
{
    const uint64_t key = hash_absorb(hash_absorb(of->world->seed, of->fractal->salt), (uint64_t)octave);
    return hash_unit(hash_corner(hash_column(key, u), hash_row(key, v)));
}

static float weight_of(const struct terrane_fractal *fractal, float mean)
{
    float full = fractal->offset * fractal->amplitude_m;
    if (fractal->kind == TERRANE_MIDPOINT)
        return 1;
    if (full < 0x1p-126f)
        full = 0x1p-126f;
    if (mean <= 0)
        return 0;
    return mean / full > 1 ? 1 : mean / full;
}

/* Point (u, v) of subdivision i. */
static float defined(const struct definition *of, int i, int64_t u, int64_t v)
{
    if (i == 0)
        return of->fractal->amplitude_m * unit_of(of, 0, u, v);
    if (!(u & 1) && !(v & 1))
        return defined(of, i - 1, u / 2, v / 2);
    const struct known *found = known_at(i, u, v);
    if (found->used)
        return found->value;

    float one, two;
    if (u & 1 && v & 1) {
        one = defined(of, i, u - 1, v - 1) + defined(of, i, u + 1, v + 1);
        two = defined(of, i, u + 1, v - 1) + defined(of, i, u - 1, v + 1);
    } else {
        one = defined(of, i, u - 1, v) + defined(of, i, u + 1, v);
        two = defined(of, i, u, v - 1) + defined(of, i, u, v + 1);
    }
    float value = (one + two) * 0.25f;
    if (i < of->fractal->octaves)
        value += (amplitude_of(of->fractal, i) * weight_of(of->fractal, value)) * unit_of(of, i, u, v);
    assert_true(++known_count < KNOWN);
    *known_at(i, u, v) = (struct known){.used = true, .i = i, .u = u, .v = v, .value = value};
    return value;
}

static float defined_at(const struct definition *of, int level, int64_t gi, int64_t gj)
{
    int subdivisions = -level;
    while (ldexp(1, subdivisions + level) < of->fractal->cell)
        subdivisions++;
    if (subdivisions >= 0)
        return defined(of, subdivisions, gi, gj);
    return defined(of, 0, (int64_t)((uint64_t)gi << -subdivisions), (int64_t)((uint64_t)gj << -subdivisions));
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

static void windows_are_as_defined(void **state)
{
    (void)state;
    dice_state = 1;
    for (int k = 0; k < 600; k++) {
        const struct terrane_world world = {.seed = (uint64_t)dice(0, INT64_MAX - 1)};
        const struct terrane_fractal fractal =
            dice_fractal(k & 1 ? TERRANE_MIDPOINT_SMOOTHED : TERRANE_MIDPOINT);
        const struct definition of = {.world = &world, .fractal = &fractal};
        const int level = (int)(dice(0, 2) ? dice(0, 4) : dice(0, TERRANE_LEVEL_MAX));
        const int width = (int)(dice(0, 3) ? dice(1, 40) : dice(1, KERNEL_WIDTH));
        const int rows = (int)dice(1, KERNEL_ROWS), step = (int)(dice(0, 2) ? 1 : dice(2, 256));
        const int64_t gi = dice_coordinate(), gj = dice_coordinate();

        forget();
        memset(&strip, 0xFF, sizeof strip);
        memset(&work, 0xFF, sizeof work);
        midpoint_rows(&work, &world, &fractal, level, gi, width, gj, step, rows, &strip);
        for (int r = 0; r < rows; r++)
            for (int i = 0; i < width; i++)
                assert_true(same(strip.value[r][KERNEL_PAD + i],
                                 defined_at(&of, level, gi + i, gj + (int64_t)r * step)));
    }
}

/* What two windows share does not depend on where they end, and a row not on the rows it is made with. */
static void windows_share_their_edges(void **state)
{
    (void)state;
    dice_state = 2;
    for (int k = 0; k < 400; k++) {
        const struct terrane_world world = {.seed = (uint64_t)k};
        const struct terrane_fractal fractal =
            dice_fractal(k & 1 ? TERRANE_MIDPOINT_SMOOTHED : TERRANE_MIDPOINT);
        const int64_t gi = dice_coordinate(), gj = dice_coordinate();
        const int level = (int)dice(0, 8);
        const int width = (int)dice(2, KERNEL_WIDTH), rows = (int)dice(2, KERNEL_ROWS);
        const int in = (int)dice(1, width - 1), down = (int)dice(1, rows - 1);

        midpoint_rows(&work, &world, &fractal, level, gi, width, gj, 1, rows, &strip);
        midpoint_rows(&work, &world, &fractal, level, gi + in, width - in, gj + down, 1, rows - down, &other);
        for (int r = down; r < rows; r++)
            for (int i = in; i < width; i++)
                assert_true(same(strip.value[r][KERNEL_PAD + i], other.value[r - down][KERNEL_PAD + i - in]));
    }
}

/* A level's samples are level 0's at the same places. */
static void levels_agree(void **state)
{
    (void)state;
    dice_state = 3;
    for (int k = 0; k < 400; k++) {
        const struct terrane_world world = {.seed = (uint64_t)k};
        const struct terrane_fractal fractal =
            dice_fractal(k & 1 ? TERRANE_MIDPOINT_SMOOTHED : TERRANE_MIDPOINT);
        const int level = (int)dice(1, TERRANE_LEVEL_MAX);
        const int64_t limit = INT64_C(1) << (50 - level);
        const int64_t gi = dice(-limit, limit), gj = dice(-limit, limit);

        midpoint_rows(&work, &world, &fractal, level, gi, 20, gj, 1, 2, &strip);
        for (int i = 0; i < 20; i++) {
            const int64_t x = (gi + i) * (INT64_C(1) << level), y = (gj + 1) * (INT64_C(1) << level);
            midpoint_rows(&work, &world, &fractal, 0, x, 1, y, 1, 1, &other);
            assert_true(same(strip.value[1][KERNEL_PAD + i], other.value[0][KERNEL_PAD]));
        }
    }
}

/* Nothing but the rows asked for, one float before each and one behind it is written. */
static void rows_keep_to_their_place(void **state)
{
    (void)state;
    dice_state = 4;
    for (int k = 0; k < 200; k++) {
        const struct terrane_world world = {.seed = (uint64_t)k};
        const struct terrane_fractal fractal = dice_fractal(TERRANE_MIDPOINT);
        const int width = (int)dice(1, KERNEL_WIDTH), rows = (int)dice(1, KERNEL_ROWS);

        memset(&strip, 0xFF, sizeof strip);
        memset(&other, 0xFF, sizeof other);
        midpoint_rows(&work, &world, &fractal, (int)dice(0, 3), dice_coordinate(), width, dice_coordinate(),
                      (int)dice(1, 2), rows, &strip);
        for (int r = 0; r < KERNEL_ROWS; r++) {
            const size_t untouched = (r < rows ? KERNEL_PAD - 1 : KERNEL_ROW) * sizeof(float);
            assert_memory_equal(strip.value[r], other.value[r], untouched);
            assert_memory_equal(strip.value[r] + KERNEL_PAD + width + 1, other.value[r],
                                (size_t)(KERNEL_ROW - KERNEL_PAD - width - 1) * sizeof(float));
        }
        assert_memory_equal(strip.x, other.x, sizeof strip.x);
        assert_memory_equal(strip.y, other.y, sizeof strip.y);
    }
}

static void values_keep_their_range(void **state)
{
    (void)state;
    dice_state = 5;
    for (int kind = TERRANE_MIDPOINT; kind <= TERRANE_MIDPOINT_SMOOTHED; kind++)
        for (int k = 0; k < 200; k++) {
            const struct terrane_world world = {.seed = (uint64_t)k};
            struct terrane_fractal fractal = dice_fractal((enum terrane_fractal_kind)kind);
            double limit = (double)fractal.amplitude_m;
            for (int i = 1; i < fractal.octaves; i++)
                limit += 1.5 * (double)amplitude_of(&fractal, i);
            midpoint_rows(&work, &world, &fractal, 0, dice_coordinate(), KERNEL_WIDTH, dice_coordinate(), 1,
                          KERNEL_ROWS, &strip);
            for (int r = 0; r < KERNEL_ROWS; r++)
                for (int i = 0; i < KERNEL_WIDTH; i++)
                    assert_true(fabs((double)strip.value[r][KERNEL_PAD + i]) <= limit * 1.00001);
        }
}

/*
 * Of a field of 257 x 259 samples: the points that subdivision i made, less the mean of their neighbours, are
 * uniform between -1 and 1 times the octave's amplitude, and nothing behind the last octave.
 */
static void octaves_have_their_amplitudes(void **state)
{
    enum { SIDE = 256, OCTAVES = 4, SUBDIVISIONS = 5 };
    static float field[SIDE + 3][KERNEL_ROW];
    const struct terrane_world world = {.seed = 6};
    const struct terrane_fractal fractal = {.kind = TERRANE_MIDPOINT,
                                            .octaves = OCTAVES,
                                            .cell = 1 << SUBDIVISIONS,
                                            .lacunarity = 2,
                                            .amplitude_m = 64,
                                            .gain = 0.5f};
    double sum[SUBDIVISIONS + 1] = {0}, square[SUBDIVISIONS + 1] = {0};
    int count[SUBDIVISIONS + 1] = {0};

    (void)state;
    for (int j = 0; j < SIDE + 3; j++) {
        midpoint_rows(&work, &world, &fractal, 0, 0, SIDE + 1, j, 1, 1, &strip);
        memcpy(field[j], strip.value[0] + KERNEL_PAD, (SIDE + 1) * sizeof(float));
    }
    for (int i = 0; i <= SUBDIVISIONS; i++) {
        const int s = 1 << (SUBDIVISIONS - i);
        for (int y = s; y < SIDE; y += s)
            for (int x = s; x < SIDE; x += s) {
                const bool odd_x = x / s & 1, odd_y = y / s & 1;
                if (i > 0 && !odd_x && !odd_y)
                    continue;
                const int dx = odd_x && odd_y ? s : 0;
                double d = (double)field[y][x];
                if (i > 0)
                    d -= (double)(field[y - dx][x - s] + field[y + dx][x + s] + field[y - s][x + dx] +
                                  field[y + s][x - dx]) /
                         4;
                sum[i] += d, square[i] += d * d, count[i]++;
            }
    }
    for (int i = 0; i <= SUBDIVISIONS; i++) {
        const double amplitude = i < OCTAVES ? 64 / pow(2, i) : 0;
        const double mean = sum[i] / count[i], deviation = sqrt(square[i] / count[i]);
        assert_true(fabs(mean) <= amplitude * 2.5 / sqrt(count[i]) + 1e-5);
        assert_true(fabs(deviation - amplitude / sqrt(3)) <= amplitude * 1.5 / sqrt(count[i]) + 1e-5);
    }
}

/* Low ground is smooth, high ground is not displaced otherwise than by the plain kind. */
static void smoothed_offsets_follow_height(void **state)
{
    const struct terrane_world world = {.seed = 7};
    struct terrane_fractal fractal = {.kind = TERRANE_MIDPOINT_SMOOTHED,
                                      .octaves = 6,
                                      .cell = 64,
                                      .lacunarity = 2,
                                      .amplitude_m = 1,
                                      .gain = 0.5f,
                                      .offset = 0.5f};
    double rough[2] = {0};
    int count[2] = {0};

    (void)state;
    for (int64_t gj = 0; gj < 8192; gj += 8) {
        midpoint_rows(&work, &world, &fractal, 0, 0, 257, gj, 1, 8, &strip);
        for (int r = 1; r < 7; r++)
            for (int i = 1; i < 256; i++) {
                const float *at = &strip.value[r][KERNEL_PAD + i];
                const double mean = ((double)at[-1] + (double)at[1]) / 2;
                const int high = mean > 0.5 ? 1 : 0;
                if (mean <= 0 || high) {
                    rough[high] += fabs((double)at[0] - mean);
                    count[high]++;
                }
            }
    }
    assert_true(rough[1] / count[1] > 2 * rough[0] / count[0]);

    /* With a step at 0, offsets are whole above it. */
    struct terrane_fractal plain = fractal;
    plain.kind = TERRANE_MIDPOINT;
    fractal.offset = 0;
    fractal.octaves = plain.octaves = 2;
    int whole = 0;
    for (int64_t gj = 32; gj < 6400; gj += 64)
        for (int64_t gi = 32; gi < 6400; gi += 64) { /* diamonds of octave 1 */
            float corner[2][2];
            for (int c = 0; c < 4; c++) {
                midpoint_rows(&work, &world, &plain, 0, gi - 32 + 64 * (c & 1), 1, gj - 32 + 64 * (c >> 1), 1,
                              1, &other);
                corner[c >> 1][c & 1] = other.value[0][KERNEL_PAD];
            }
            const float mean = ((corner[0][0] + corner[1][1]) + (corner[0][1] + corner[1][0])) * 0.25f;
            midpoint_rows(&work, &world, &fractal, 0, gi, 1, gj, 1, 1, &strip);
            midpoint_rows(&work, &world, &plain, 0, gi, 1, gj, 1, 1, &other);
            assert_true(same(strip.value[0][KERNEL_PAD], mean > 0 ? other.value[0][KERNEL_PAD] : mean));
            whole += mean > 0;
        }
    assert_in_range(whole, 4600, 5400);
}

/* Other seeds and other salts are other worlds. */
static void keys_are_independent(void **state)
{
    const struct terrane_fractal fractal = {
        .kind = TERRANE_MIDPOINT, .octaves = 3, .cell = 4, .lacunarity = 2, .amplitude_m = 1, .gain = 1};
    struct terrane_fractal salted = fractal;
    double product[2] = {0};

    (void)state;
    salted.salt = 1;
    for (int64_t gj = 0; gj < 800; gj += 8) {
        struct terrane_world world = {.seed = 8};
        midpoint_rows(&work, &world, &fractal, 0, 0, 257, gj, 1, 8, &strip);
        midpoint_rows(&work, &world, &salted, 0, 0, 257, gj, 1, 8, &other);
        for (int i = 0; i < 8 * 257; i++)
            product[0] += (double)strip.value[i / 257][KERNEL_PAD + i % 257] *
                          (double)other.value[i / 257][KERNEL_PAD + i % 257];
        world.seed = 9;
        midpoint_rows(&work, &world, &fractal, 0, 0, 257, gj, 1, 8, &other);
        for (int i = 0; i < 8 * 257; i++)
            product[1] += (double)strip.value[i / 257][KERNEL_PAD + i % 257] *
                          (double)other.value[i / 257][KERNEL_PAD + i % 257];
    }
    assert_true(fabs(product[0] / (800 * 257)) < 0.02);
    assert_true(fabs(product[1] / (800 * 257)) < 0.02);
}

UNIT(midpoint)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_as_defined),
        cmocka_unit_test(windows_share_their_edges),
        cmocka_unit_test(levels_agree),
        cmocka_unit_test(rows_keep_to_their_place),
        cmocka_unit_test(values_keep_their_range),
        cmocka_unit_test(octaves_have_their_amplitudes),
        cmocka_unit_test(smoothed_offsets_follow_height),
        cmocka_unit_test(keys_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
