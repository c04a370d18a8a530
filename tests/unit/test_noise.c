/*
 * Noises: each base on its lattice, its derivatives, and the hash under it (lib/kernel/, lib/hash.h).
 *
 * Everything is seen through terrane_heights and terrane_normals. Two worlds make the lattice visible: with
 * one alias octave of cells of one sample, every sample of VALUE is a corner's value; and an octave whose
 * shift is known (octave_shift) has its corners where the tests put them. All seeds are fixed, so no
 * statistic can come out otherwise on another day.
 */
#include "lib_fixture.h"

static float *make_heights(const struct terrane_world *world, int64_t gi, int64_t gj, int step, int width,
                           int height)
{
    const struct terrane_window window = {.gi = gi, .gj = gj, .step = step, .width = width, .height = height};
    return layer_new(world, LAYER_HEIGHTS, &window, scratch);
}

/* The level-0 lattice coordinate of a corner of octave 0 of the base fractal. */
static int64_t corner_g(const struct terrane_world *world, int64_t corner, int axis)
{
    const struct terrane_fractal *base = &world->recipe.base;
    return corner * (INT64_C(1) << base->cell_log2) -
           octave_shift(world->seed, base->salt, 0, base->cell_log2, axis);
}

/* ---- One octave ------------------------------------------------------------------------------------- */

/*
 * How far a base may go, in amplitudes. POLYNOMIAL's corner weights are not all positive: at a distance of
 * 1/8 from a corner along both axes the far one's is yS(x) + xS(y) - xy = -5/1024, its least, and the
 * magnitudes add up to 1 + 5/512. Roundings take all bases a little further: S5 comes to 1 + 1.07e-6.
 */
static double base_limit(int base)
{
    return (base == TERRANE_POLYNOMIAL ? 1 + 5.0 / 512 : 1) * 1.00001;
}

static void bases_keep_their_range(void **state)
{
    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++) {
        const bool gradient = base == TERRANE_PERLIN3 || base == TERRANE_PERLIN5;
        const double used = gradient ? 0.9 : 0.99, limit = base_limit(base);
        double low = 0, high = 0;
        for (int cell_log2 = 1; cell_log2 <= 6; cell_log2++) {
            const struct terrane_recipe recipe =
                recipe_fractal((enum terrane_base)base, 1, cell_log2, 100, 0.5f);
            struct terrane_world world;
            make_world(&world, &recipe, (uint64_t)cell_log2);
            float *heights = make_heights(&world, -300, 7000, 1, 600, 400);
            for (int i = 0; i < 600 * 400; i++) {
                low = fmin(low, (double)heights[i] / 100);
                high = fmax(high, (double)heights[i] / 100);
            }
            free(heights);
        }
        assert_true(low >= -limit && high <= limit);
        assert_true(low < -used && high > used);
    }
}

/* A cell that comes near the worst case: three corners at one end of the range, the fourth at the other. */
static void polynomial_bulges_by_a_hundredth(void **state)
{
    const struct terrane_recipe recipe = recipe_fractal(TERRANE_POLYNOMIAL, 1, 8, 1, 0.5f);
    struct terrane_world world;
    double most = 0;

    (void)state;
    make_world(&world, &recipe, 16);
    float *heights = make_heights(&world, corner_g(&world, 1328, 1), corner_g(&world, 561, 2), 1, 257, 257);
    for (int i = 0; i < 257 * 257; i++)
        most = fmax(most, (double)fabsf(heights[i]));
    assert_true(most > 1.008 && most <= base_limit(TERRANE_POLYNOMIAL));
    free(heights);
}

/*
 * Neighbouring samples differ by no more than the steepest slope allows, across cell edges as elsewhere. No
 * base is steeper than 8 amplitudes a cell: VALUE 2 * 1.875; Perlin's own gradients 4/3, and 1.875 times a
 * difference under 3.
 */
static void bases_are_continuous(void **state)
{
    const int64_t corners[][2] = {
        {0, 0}, {-3, 8}, {INT64_C(1) << 32, -1}, {-(INT64_C(1) << 32), INT64_C(1) << 32}};
    const int n = 1 << 12, side = 128;

    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++)
        for (int at = 0; at < COUNT(corners); at++) {
            const struct terrane_recipe recipe = recipe_fractal((enum terrane_base)base, 1, 12, 1, 0.5f);
            struct terrane_world world;
            make_world(&world, &recipe, 77);
            const int64_t gi = corner_g(&world, corners[at][0], 1), gj = corner_g(&world, corners[at][1], 2);
            float *heights = make_heights(&world, gi - side / 2, gj - side / 2, 1, side, side);
            for (int i = 0; i < side * side; i++) {
                if (i % side)
                    assert_true(fabs((double)heights[i] - (double)heights[i - 1]) <= 8.0 / n);
                if (i >= side)
                    assert_true(fabs((double)heights[i] - (double)heights[i - side]) <= 8.0 / n);
            }
            free(heights);
        }
}

/* A corner has one value, whatever the cells' size and whichever of its four cells it is neared from. */
static void corners_are_shared(void **state)
{
    const enum terrane_base bases[] = {TERRANE_VALUE, TERRANE_POLYNOMIAL, TERRANE_POLYNOMIAL_C1};
    struct dice dice = {4};
    struct terrane_world world;

    (void)state;
    struct terrane_recipe points = recipe_fractal(TERRANE_VALUE, 1, 0, 1, 0.5f);
    points.alias_octaves = 1;
    for (int n = 0; n < 40; n++) {
        const int64_t far = INT64_C(1) << (n % 2 ? 10 : 34);
        const int64_t cx = dice_whole(&dice, -far, far), cy = dice_whole(&dice, -far, far);
        make_world(&world, &points, (uint64_t)n);
        const float corner = height_at(&world, 0, cx, cy, scratch);
        for (int b = 0; b < COUNT(bases); b++)
            for (int cell_log2 = 1; cell_log2 <= 15; cell_log2++) {
                const struct terrane_recipe recipe = recipe_fractal(bases[b], 1, cell_log2, 1, 0.5f);
                make_world(&world, &recipe, (uint64_t)n);
                const int64_t gi = corner_g(&world, cx, 1), gj = corner_g(&world, cy, 2);
                assert_true(height_at(&world, 0, gi, gj, scratch) == corner);
                if (cell_log2 < 12)
                    continue;
                float *around = make_heights(&world, gi - 1, gj - 1, 1, 3, 3);
                for (int i = 0; i < 9;
                     i++) /* flat there: 3 t^2 times differences up to 2 and 4, and rounding */
                    assert_true(fabsf(around[i] - corner) <= 24 * 0x1p-24f + 4e-6f);
                free(around);
            }
    }
}

/* ---- Derivatives ------------------------------------------------------------------------------------ */

/* The steepness along an axis that a normal tells. */
static double normal_slope(const float *normal, int axis)
{
    return -(double)normal[axis - 1] / (double)normal[2];
}

/* Slopes of a window's surface and their differences from central differences over 2 * reach samples. */
static double worst_slope(const struct terrane_world *world, const struct terrane_window *window, int axis,
                          int reach, double *steepest,
                          bool (*omit)(const struct terrane_world *, int64_t g, int axis, int reach))
{
    struct terrane_window before = *window, after = *window;
    *(axis == 1 ? &before.gi : &before.gj) -= reach;
    *(axis == 1 ? &after.gi : &after.gj) += reach;
    float *low = layer_new(world, LAYER_HEIGHTS, &before, scratch),
          *high = layer_new(world, LAYER_HEIGHTS, &after, scratch);
    float *normals = layer_new(world, LAYER_NORMALS, window, scratch);
    double worst = 0;
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++) {
            const int at = j * window->width + i;
            const float *normal = normals + 3 * at;
            const double x = (double)normal[0], y = (double)normal[1], z = (double)normal[2];
            assert_true(z > 0 && fabs(x * x + y * y + z * z - 1) < 1e-6);
            const int64_t g =
                axis == 1 ? window->gi + (int64_t)i * window->step : window->gj + (int64_t)j * window->step;
            if (omit && omit(world, g, axis, reach))
                continue;
            const double slope = normal_slope(normal, axis);
            const double run = 2 * reach * world->recipe.spacing_m;
            worst = fmax(worst, fabs(slope - ((double)high[at] - (double)low[at]) / run));
            *steepest = fmax(*steepest, fabs(slope));
        }
    free(low), free(high), free(normals);
    return worst;
}

/* Whether g - reach and g + reach lie in different cells of an octave of the base fractal. */
static bool crosses_an_edge(const struct terrane_world *world, int64_t g, int axis, int reach)
{
    const struct terrane_fractal *base = &world->recipe.base;
    for (int i = 0; i < base->octaves; i++) {
        const int c = base->cell_log2 - i;
        const int64_t shift = octave_shift(world->seed, base->salt, i, c, axis);
        if ((g - reach + shift) >> c != (g + reach + shift) >> c)
            return true;
    }
    return false;
}

/*
 * A central difference over 2 h is off by h^2 / 6 of the third derivative, which within a cell is at most 220
 * amplitudes a cubic cell (S5''' is 60, a Perlin difference under 3, and 3 S5'' times a gradient's), and by
 * the heights' own rounding: 4 units of 2^-24 of the largest height an octave, over 2 h. Stencils across cell
 * edges are left to smoothness_is_as_declared, since only C2 bases allow for them here.
 */
static void fractals_have_their_slopes(void **state)
{
    const int reach = 8, octaves = 3, cell_log2 = 12;
    const float amplitude = 1000, gain = 0.5f;

    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++) {
        struct terrane_recipe recipe =
            recipe_fractal((enum terrane_base)base, octaves, cell_log2, amplitude, gain);
        recipe.spacing_m = 0.5;
        struct terrane_world world;
        make_world(&world, &recipe, 5);
        double third = 0, range = 0, steepest = 0;
        for (int i = 0; i < octaves; i++) {
            const double a = (double)amplitude * pow((double)gain, i),
                         cell_m = ldexp(recipe.spacing_m, cell_log2 - i);
            third += 220 * a / (cell_m * cell_m * cell_m);
            range += a;
        }
        const double h = reach * recipe.spacing_m;
        const double limit = h * h / 6 * third + 4 * octaves * range * 0x1p-24 / h;
        const struct terrane_window window = {
            .gi = -7000, .gj = 90000, .step = 61, .width = 150, .height = 150};
        for (int axis = 1; axis <= 2; axis++) {
            const double worst = worst_slope(&world, &window, axis, reach, &steepest, crosses_an_edge);
            assert_true(worst <= limit);
        }
        assert_true(steepest > 300 * limit); /* or the comparison would say little */
    }
}

/*
 * The same of surfaces that zones steer: each slope term is a product of up to three factors as above, with
 * transitions over half a noise unit in cells of 8192 samples. h^2 / 6 of the third derivatives that occur
 * comes to 2.4e-4; a missing or misplaced term of the chain rule would show a hundred times the tolerance (2
 * bands * 1.875 * 700 m / 8192).
 */
static void steered_surfaces_have_their_slopes(void **state)
{
    const enum terrane_base smooth[] = {TERRANE_VALUE, TERRANE_PERLIN5}; /* C2: edges need no exception */

    (void)state;
    for (int n = 0; n < 4; n++) {
        struct terrane_recipe recipe = recipe_fractal(smooth[n % 2], 2, 13, 500, 0.5f);
        recipe.detail = (struct terrane_fractal){.base = smooth[n / 2],
                                                 .salt = 8,
                                                 .octaves = 2,
                                                 .cell_log2 = 12,
                                                 .amplitude_m = 300,
                                                 .gain = 0.5f};
        recipe.partition = (struct terrane_partition){.base = smooth[n % 2],
                                                      .salt = 9,
                                                      .cell_log2 = 13,
                                                      .zones = 3,
                                                      .blend = 0.5f,
                                                      .threshold = {-0.3f, 0.3f}};
        recipe.partition.zone[0] = (struct terrane_zone){.amplitude = 0.1f, .offset_m = -400};
        recipe.partition.zone[1] = (struct terrane_zone){.amplitude = 1, .offset_m = 300};
        recipe.partition.zone[2] = (struct terrane_zone){.amplitude = 3, .offset_m = 0};
        struct terrane_world world;
        make_world(&world, &recipe, (uint64_t)n);
        const struct terrane_window window = {
            .gi = -20000, .gj = 5000, .step = 101, .width = 300, .height = 300};
        double steepest = 0;
        for (int axis = 1; axis <= 2; axis++) {
            const double worst = worst_slope(&world, &window, axis, 8, &steepest, NULL);
            assert_true(worst <= 6e-4);
        }
        assert_true(steepest > 0.5);
    }
}

/* The jump of the slope across a vertical cell edge in rows y = 0 .. 1 of one cell, measured one sample off
 * it. */
static double edge_jump(enum terrane_base base, uint64_t seed, int64_t cx, double *twist)
{
    const int n = 1 << 16;
    const struct terrane_recipe recipe = recipe_fractal(base, 1, 16, 1000, 0.5f);
    struct terrane_world world;
    make_world(&world, &recipe, seed);
    const int64_t gi = corner_g(&world, cx, 1), gj = corner_g(&world, 0, 2);
    float q[2][3]; /* corners around the two cells */
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++)
            q[j][i] = height_at(&world, 0, gi + (i - 1) * n, gj + j * n, scratch);
    const double west = (double)q[1][1] - (double)q[0][1] - (double)q[1][0] + (double)q[0][0];
    const double east = (double)q[1][2] - (double)q[0][2] - (double)q[1][1] + (double)q[0][1];
    *twist = fabs(east - west) / n;
    const struct terrane_window at_edge = {
        .gi = gi, .gj = gj, .step = 256, .width = 1, .height = n / 256 + 1};
    struct terrane_window off_it = at_edge;
    off_it.gi--;
    float *after = layer_new(&world, LAYER_NORMALS, &at_edge, scratch);
    float *before = layer_new(&world, LAYER_NORMALS, &off_it, scratch);
    double jump = 0;
    for (int j = 0; j < at_edge.height; j++)
        jump = fmax(jump, fabs(normal_slope(after + 3 * j, 1) - normal_slope(before + 3 * j, 1)));
    free(before);
    free(after);
    return jump;
}

/*
 * POLYNOMIAL is C0: its slope jumps across an edge by max |S3(y) - y| = sqrt(3) / 18 = 0.0962 times the
 * difference of the cells' twists. The other bases are C1 at least: over one of 2^16 samples their slope
 * moves by less than 40 / 2^16 of an amplitude a cell (second derivatives: S5'' 5.8, S3'' 6, times
 * differences under 3, and twice a gradient).
 */
static void smoothness_is_as_declared(void **state)
{
    const double crease = sqrt(3) / 18, a_cell = 1000.0 / 65536, smooth = 40.0 / 65536 * a_cell + 1e-6;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int base = 0; base < TERRANE_BASES; base++) {
            double twist;
            const double jump = edge_jump((enum terrane_base)base, seed, (int64_t)seed - 4, &twist);
            if (base == TERRANE_POLYNOMIAL) /* rows every 256th of the cell come near the worst one */
                assert_true(jump <= crease * twist + smooth && jump >= 0.999 * crease * twist - smooth);
            else
                assert_true(jump <= smooth);
        }
}

/* ---- Hash ---------------------------------------------------------------------------------------------- */

enum { FIELD = 512, CELLS = FIELD * FIELD };

/* Corner values of a field of columns cx .. and rows cy .., in [-1, 1). */
static float *corners_new(uint64_t seed, uint32_t salt, int64_t cx, int64_t cy)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 0, 1, 0.5f);
    struct terrane_world world;
    recipe.alias_octaves = 1;
    recipe.base.salt = salt;
    make_world(&world, &recipe, seed);
    return make_heights(&world, cx, cy, 1, FIELD, FIELD);
}

/* Pearson's, of count pairs. */
static double correlation(const float *a, const float *b, int count)
{
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (int i = 0; i < count; i++) {
        const double x = (double)a[i], y = (double)b[i];
        sa += x, sb += y, saa += x * x, sbb += y * y, sab += x * y;
    }
    return (count * sab - sa * sb) / sqrt((count * saa - sa * sa) * (count * sbb - sb * sb));
}

/* Independent values correlate with a deviation of 1 / sqrt(count): five of them pass. */
static void expect_independent(const float *a, const float *b, int count)
{
    assert_true(fabs(correlation(a, b, count)) < 5 / sqrt(count));
}

/* Uniform on [-1, 1): mean 0, variance 1/3, 256 equal classes, every bit half set; within five deviations. */
static void corners_are_uniform(void **state)
{
    const int64_t places[][2] = {
        {0, 0}, {-FIELD / 2, -FIELD / 2}, {INT64_C(1) << 32, -7}, {-(INT64_C(1) << 45), INT64_C(1) << 44}};

    (void)state;
    for (int at = 0; at < COUNT(places); at++) {
        float *corner = corners_new((uint64_t)at, 0, places[at][0], places[at][1]);
        double sum = 0, squares = 0, chi = 0;
        int classes[256] = {0}, bits[24] = {0}, flips[24] = {0};
        uint32_t previous = 0;
        for (int i = 0; i < CELLS; i++) {
            const double v = (double)corner[i];
            sum += v;
            squares += v * v;
            const double whole = (v + 1) * 0x1p23; /* 24 bits, exactly */
            const uint32_t word = (uint32_t)whole;
            assert_true(whole >= 0 && (double)word == whole && word < 1 << 24);
            classes[word >> 16]++;
            for (int b = 0; b < 24; b++) {
                bits[b] += (int)(word >> b & 1);
                flips[b] += (int)((word ^ previous) >> b & 1); /* from one column to the next */
            }
            previous = word;
        }
        assert_true(fabs(sum / CELLS) < 5 * sqrt(1.0 / 3 / CELLS));
        assert_true(fabs(squares / CELLS - 1.0 / 3) < 5 * sqrt(4.0 / 45 / CELLS));
        for (int c = 0; c < 256; c++)
            chi += pow(classes[c] - CELLS / 256, 2) / (CELLS / 256);
        assert_true(fabs(chi - 255) < 5 * sqrt(2 * 255));
        for (int b = 0; b < 24; b++) {
            assert_true(abs(bits[b] - CELLS / 2) < 5 * FIELD / 2); /* sqrt(CELLS) / 2 is one deviation */
            assert_true(abs(flips[b] - CELLS / 2) < 5 * FIELD / 2);
        }
        free(corner);
    }
}

static void corners_are_independent(void **state)
{
    static const struct {
        uint64_t seed;
        uint32_t salt;
        int64_t cx, cy;
    } others[] = {
        {9, 0, 1, 0},
        {9, 0, 0, 1},
        {9, 0, 1, 1},
        {9, 0, -1, 1},
        {9, 0, 2, 0},
        {9, 0, 0, 2},
        {9, 0, 16, 0},
        {9, 0, 0, 16},
        {9, 0, 256, 0},
        {9, 0, 0, 256},
        {9, 0, 3, 5},
        {10, 0, 0, 0},
        {8, 0, 0, 0},
        {9, 1, 0, 0},
        {9, 2, 0, 0},
        {10, 1, 0, 0},
        {0, 9, 0, 0},
        {9, 1u << 31, 0, 0},
        {9 + (UINT64_C(1) << 32), 0, 0, 0},
        {~UINT64_C(9), 0, 0, 0},
        {9 + (UINT64_C(1) << 63), 0, 0, 0},
        /* no period at 2^32 cells or elsewhere */
        {9, 0, INT64_C(1) << 31, 0},
        {9, 0, INT64_C(1) << 32, 0},
        {9, 0, -(INT64_C(1) << 32), 0},
        {9, 0, INT64_C(1) << 33, 0},
        {9, 0, INT64_C(1) << 48, 0},
        {9, 0, 0, INT64_C(1) << 31},
        {9, 0, 0, INT64_C(1) << 32},
        {9, 0, 0, -(INT64_C(1) << 32)},
        {9, 0, 0, INT64_C(1) << 48},
        {9, 0, INT64_C(1) << 32, INT64_C(1) << 32},
        {9, 0, INT64_C(1) << 32, -(INT64_C(1) << 32)},
    };
    float *own = corners_new(9, 0, 0, 0), *turned = malloc(CELLS * sizeof *turned);

    (void)state;
    assert_non_null(turned);
    for (int n = 0; n < COUNT(others); n++) {
        float *other = corners_new(others[n].seed, others[n].salt, others[n].cx, others[n].cy);
        expect_independent(own, other, CELLS);
        free(other);
    }
    for (int j = 0; j < FIELD; j++) /* rows as columns, off the diagonal that both share */
        for (int i = 0; i < FIELD; i++)
            turned[j * FIELD + i] = own[i * FIELD + j];
    for (int j = 0; j < FIELD; j++)
        turned[j * FIELD + j] = own[(FIELD - 1 - j) * FIELD + j];
    expect_independent(own, turned, CELLS);
    free(own);
    free(turned);
}

/* Rows share their columns' products and differ by key alone: no row may be another one, shifted. */
static void rows_are_no_shifts_of_each_other(void **state)
{
    float *corner = corners_new(12, 0, -100, -3);

    (void)state;
    for (int j = 0; j < 6; j++)
        for (int other = j; other < 6; other++)
            for (int shift = other == j; shift < FIELD / 2; shift++)
                expect_independent(corner + j * FIELD, corner + other * FIELD + shift, FIELD - shift);
    free(corner);
}

/* ---- Octaves ---------------------------------------------------------------------------------------- */

/* Octave 1, as what a second octave adds on the corners of the first (to a rounding), against octave 0. */
static void octaves_are_independent(void **state)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 1, 1, 1);
    struct terrane_world one, two;

    (void)state;
    recipe.alias_octaves = 1;
    make_world(&one, &recipe, 21);
    recipe.base.octaves = 2;
    make_world(&two, &recipe, 21);
    const int64_t gi = corner_g(&one, 0, 1), gj = corner_g(&one, 0, 2);
    float *first = make_heights(&one, gi, gj, 2, FIELD, FIELD),
          *second = make_heights(&two, gi, gj, 2, FIELD, FIELD);
    for (int i = 0; i < CELLS; i++)
        second[i] -= first[i];
    expect_independent(first, second, CELLS);
    double squares = 0;
    for (int i = 0; i < CELLS; i++)
        squares += (double)second[i] * (double)second[i];
    assert_true(fabs(squares / CELLS - 1.0 / 3) < 5 * sqrt(4.0 / 45 / CELLS));
    free(first);
    free(second);
}

/*
 * Gradient noise is 0 on its corners, so an octave's shift shows: there it adds nothing, and nowhere near it
 * does it always so. Every octave, axis, salt and seed has a shift of its own.
 */
static void octave_shifts_differ(void **state)
{
    enum { OCTAVES = 8, TOP = 20 };
    int nonzero = 0;

    (void)state;
    for (int i = 0; i < OCTAVES; i++) {
        struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN5, i + 1, TOP, 100, 1);
        struct terrane_world with, without;
        make_world(&with, &recipe, 33);
        recipe.base.octaves = i;
        make_world(&without, &recipe, 33);
        for (int of = 0; of < OCTAVES; of++) { /* on corners of each octave */
            const int64_t n = INT64_C(1) << (TOP - of);
            const int64_t gi = 3 * n - octave_shift(33, 0, of, TOP - of, 1),
                          gj = -octave_shift(33, 0, of, TOP - of, 2);
            const bool same = height_at(&with, 0, gi, gj, scratch) == height_at(&without, 0, gi, gj, scratch);
            assert_true(same || of != i);
            nonzero += !same;
        }
    }
    assert_int_equal(nonzero, OCTAVES * (OCTAVES - 1));

    int64_t shifts[2 * 24 * 4];
    int count = 0;
    for (int i = 0; i < 24; i++)
        for (int axis = 1; axis <= 2; axis++) {
            shifts[count++] = octave_shift(33, 0, i, 40, axis);
            shifts[count++] = octave_shift(33, 1, i, 40, axis);
            shifts[count++] = octave_shift(34, 0, i, 40, axis);
            shifts[count++] = octave_shift(34, 1, i, 40, axis);
        }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_true(shifts[i] != shifts[j]);
}

/* An octave's amplitude is the first one's times gain^i, and a fractal's start is the recipe's offset. */
static void octaves_have_their_amplitudes(void **state)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 0, 64, 0.25f);
    struct terrane_world world;
    double most[3];

    (void)state;
    recipe.alias_octaves = 1;
    for (int i = 0; i < 3; i++) {
        recipe.base.octaves = i + 1;
        recipe.base.cell_log2 = i;
        make_world(&world, &recipe, 5);
        float *heights = make_heights(&world, 0, 0, 1, FIELD, FIELD);
        most[i] = 0;
        for (int k = 0; k < CELLS; k++)
            most[i] = fmax(most[i], (double)fabsf(heights[k]));
        free(heights);
    }
    assert_true(most[0] <= 64 && most[0] > 63.9);
    assert_true(most[1] <= 80 && most[1] > 76);
    assert_true(most[2] <= 84 && most[2] > 78);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_keep_their_range),        cmocka_unit_test(polynomial_bulges_by_a_hundredth),
        cmocka_unit_test(bases_are_continuous),          cmocka_unit_test(corners_are_shared),
        cmocka_unit_test(fractals_have_their_slopes),    cmocka_unit_test(steered_surfaces_have_their_slopes),
        cmocka_unit_test(smoothness_is_as_declared),     cmocka_unit_test(corners_are_uniform),
        cmocka_unit_test(corners_are_independent),       cmocka_unit_test(rows_are_no_shifts_of_each_other),
        cmocka_unit_test(octaves_are_independent),       cmocka_unit_test(octave_shifts_differ),
        cmocka_unit_test(octaves_have_their_amplitudes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
