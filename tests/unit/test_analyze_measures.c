/*
 * The measures of analyze/ on surfaces whose answers are known: planes, paraboloids, straight and round
 * coasts, the Koch curve, and noise of a given spectrum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiss_fft.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyze/analysis.h"
#include "../../analyze/box_count.h"
#include "../../analyze/dividers.h"
#include "../../analyze/drainage.h"
#include "../../analyze/fit.h"
#include "../../analyze/ground.h"
#include "../../analyze/raster.h"
#include "../../analyze/spectrum.h"
#include "../../lib/hash.h"

#define PI   3.14159265358979324
#define KOCH 1.2618595071429148 /* log 4 / log 3 */

static void assert_near(double value, double wanted, double room)
{
    if (!(fabs(value - wanted) <= room))
        fail_msg("%.9g is not within %g of %.9g", value, room, wanted);
}

/* Every sample from its column and row, in metres. */
static struct raster raster_of(int width, int height, double dx_m, double dy_m,
                               double (*height_m)(double x, double y))
{
    struct raster raster;
    assert_int_equal(raster_make(&raster, width, height), 0);
    raster.dx_m = dx_m;
    raster.dy_m = dy_m;
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            raster.sample[(size_t)j * (size_t)width + (size_t)i] = (float)height_m(i * dx_m, j * dy_m);
    return raster;
}

/* ---- Lines -------------------------------------------------------------------------------------------- */

static void lines_are_fitted(void **state)
{
    const double x[4] = {1, 2, 3, 4}, straight[4] = {5, 3, 1, -1}, bent[4] = {0, 1, 1, 0},
                 same[4] = {2, 2, 2, 2};
    (void)state;
    const struct fit fit = fit_line(x, straight, 4);
    assert_int_equal(fit.points, 4);
    assert_near(fit.slope, -2, 1e-12);
    assert_near(fit.intercept, 7, 1e-12);
    assert_near(fit.r2, 1, 1e-12);
    assert_near(fit_line(x, bent, 4).r2, 0, 1e-12);
    assert_near(fit_line(x, same, 4).r2, 1, 0);
    assert_int_equal(fit_line(same, x, 4).points, 0);
    assert_int_equal(fit_line(x, straight, 1).points, 0);
}

/* ---- Boxes -------------------------------------------------------------------------------------------- */

static double beach(double x, double y)
{
    return 300.5 - x + 0 * y;
}

static double slant(double x, double y)
{
    return 0.61 * x - y + 200.3;
}

static double island(double x, double y)
{
    return 400 - hypot(x - 511.7, y - 509.2);
}

static double dimension_of(double (*height_m)(double x, double y))
{
    struct raster raster = raster_of(1024, 1024, 1, 1, height_m);
    struct box_count count;
    assert_int_equal(box_count_level(&raster, 0, &count), 0);
    assert_int_equal(count.sizes, BOX_SIZES);
    raster_free(&raster);
    return box_count_dimension(&count.fit);
}

static void smooth_coasts_have_dimension_one(void **state)
{
    (void)state;
    assert_near(dimension_of(beach), 1, 1e-9);
    assert_near(dimension_of(slant), 1, 0.02);
    assert_near(dimension_of(island), 1, 0.03);
}

static void an_area_has_dimension_two(void **state)
{
    struct box_count count;
    uint8_t *const cell = malloc(1023 * 700);
    (void)state;
    assert_non_null(cell);
    memset(cell, 1, 1023 * 700);
    assert_int_equal(box_count_cells(cell, 1023, 700, &count), 0);
    assert_near(box_count_dimension(&count.fit), 2, 1e-12);
    assert_near(count.fit.r2, 1, 1e-12);
    for (int k = 0; k < count.sizes; k++) /* 960 x 640 cells are covered */
        assert_near(count.mean[k], 960.0 * 640 / (count.side[k] * count.side[k]), 0);
    free(cell);
}

static void no_coast_has_no_dimension(void **state)
{
    struct raster raster = raster_of(200, 150, 1, 1, beach);
    struct box_count count;
    (void)state;
    assert_int_equal(box_count_level(&raster, -1000, &count), 0); /* all land */
    assert_int_equal(count.fit.points, 0);
    assert_true(isnan(box_count_dimension(&count.fit)));
    assert_int_equal(box_count_level(&raster, 1000, &count), 0); /* all sea */
    assert_int_equal(count.fit.points, 0);
    raster_free(&raster);
}

/* 4^7 segments between (0, 0) and (1, 0). */
enum { KOCH_DEPTH = 7, KOCH_POINTS = (1 << 2 * KOCH_DEPTH) + 1 };

static struct point *koch(void)
{
    static const double turn[4] = {0, PI / 3, -PI / 3, 0};
    struct point *const out = calloc(KOCH_POINTS, sizeof *out);
    const double length = pow(3, -KOCH_DEPTH);
    assert_non_null(out);
    for (int k = 0; k < KOCH_POINTS - 1; k++) {
        double angle = 0;
        for (int digit = 0; digit < KOCH_DEPTH; digit++)
            angle += turn[k >> 2 * digit & 3];
        out[k + 1] = (struct point){out[k].x + length * cos(angle), out[k].y + length * sin(angle), 0};
    }
    return out;
}

static void the_koch_curve_has_its_dimension(void **state)
{
    enum { WIDTH = 2200, HEIGHT = 800 };
    struct point *const curve = koch();
    uint8_t *const cell = calloc(WIDTH, HEIGHT);
    struct box_count count;
    (void)state;
    assert_non_null(cell);
    assert_near(curve[KOCH_POINTS - 1].x, 1, 1e-9);
    assert_near(curve[KOCH_POINTS - 1].y, 0, 1e-9);
    for (int k = 0; k < KOCH_POINTS; k++) /* a segment spans less than a cell: no gaps */
        cell[(100 + (int)(curve[k].y * 1950)) * WIDTH + 100 + (int)(curve[k].x * 1950)] = 1;
    assert_int_equal(box_count_cells(cell, WIDTH, HEIGHT, &count), 0);
    assert_near(box_count_dimension(&count.fit), KOCH, 0.03);
    assert_true(count.fit.r2 > 0.999);
    /* a step of 3^-k ends where one of the curve's 4^k parts does; a hair less, for rounding */
    const struct dividers walk = dividers_measure(curve, KOCH_POINTS, 0.99999 / 243, 0.99999 / 3, 5);
    assert_near(walk.dimension, KOCH, 0.002);
    for (int k = 0; k < 5; k++)
        assert_near(walk.length[k], pow(4.0 / 3, 5 - k), 0.01 * walk.length[k]);
    free(cell);
    free(curve);
}

static void dividers_walk_as_stated(void **state)
{
    const struct point straight[3] = {{0, 0, 0}, {7, 0, 0}, {10, 0, 0}},
                       corner[3] = {{0, 0, 0}, {3, 0, 0}, {3, 4, 0}};
    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        assert_near(dividers_walk(straight, 3, 1.5, backwards), 10, 1e-12);
        assert_near(dividers_walk(straight, 3, 50, backwards), 10, 1e-12); /* never leaves the first sphere */
        assert_near(dividers_walk(corner, 3, 5, backwards), 5, 1e-9);
    }
    assert_near(dividers_measure(straight, 3, 0.1, 5, 5).dimension, 1, 1e-9);
}

/* ---- Ground ------------------------------------------------------------------------------------------- */

static double ramp(double x, double y)
{
    return 0.3 * x + 0.4 * y;
}

static double bowl(double x, double y)
{
    return (x - 100) * (x - 100) + (y - 60) * (y - 60);
}

static void a_plane_has_one_slope(void **state)
{
    struct raster raster = raster_of(128, 96, 10, 5, ramp);
    struct ground ground;
    (void)state;
    ground_measure(&raster, -1, &ground);
    assert_int_equal(ground.samples, 128 * 96);
    assert_int_equal(ground.land, 128 * 96);
    assert_int_equal(ground.interior, 126 * 94);
    assert_near(ground.slope_mean, atan(0.5) * 180 / PI, 1e-4);
    assert_near(ground.slope_median, atan(0.5) * 180 / PI, 0.011);
    assert_near(ground.slope_deviation, 0, 0.01);
    assert_near(ground.slope_share[26], 1, 1e-12); /* 26.57 degrees */
    assert_near(ground.integral, 0.5, 1e-4);
    assert_near(ground.curve[0], 1, 0);
    assert_int_equal(ground.pits + ground.peaks, 0);
    /* the sea takes the lower half */
    ground_measure(&raster, (double)ground.mean_m, &ground);
    assert_near((double)ground.land, 128 * 96 / 2.0, 100);
    raster_free(&raster);
}

static void extremes_are_counted(void **state)
{
    struct raster raster = raster_of(200, 120, 1, 1, bowl);
    struct ground ground;
    (void)state;
    ground_measure(&raster, -1, &ground);
    assert_int_equal(ground.pits, 1);
    assert_int_equal(ground.peaks, 0);
    for (size_t k = 0; k < raster_count(&raster); k++)
        raster.sample[k] = -raster.sample[k];
    ground_measure(&raster, -1e6, &ground);
    assert_int_equal(ground.pits, 0);
    assert_int_equal(ground.peaks, 1);
    ground_measure(&raster, 1e6, &ground); /* no land */
    assert_int_equal(ground.land, 0);
    assert_true(isnan(ground.integral) && isnan(ground.slope_median));
    for (size_t k = 0; k < raster_count(&raster); k++)
        raster.sample[k] = 7;
    ground_measure(&raster, 7, &ground); /* a plain */
    assert_int_equal(ground.land, raster_count(&raster));
    assert_true(isnan(ground.integral));
    assert_near(ground.slope_median, 0, 0.01);
    assert_int_equal(ground.pits + ground.peaks, 0);
    raster_free(&raster);
}

/* ---- Spectrum ----------------------------------------------------------------------------------------- */

static double waves(double x, double y)
{
    return 5 * sin(2 * PI * (x * 0.8 + y * 0.6) / 120) + 3 * x - 2 * y;
}

static void a_wave_stands_at_its_frequency(void **state)
{
    struct raster raster = raster_of(500, 403, 3, 4, waves);
    struct spectrum *const spectrum = malloc(sizeof *spectrum);
    double most = 0, at = 0, total = 0;
    (void)state;
    assert_non_null(spectrum);
    assert_int_equal(spectrum_measure(&raster, spectrum), 0);
    assert_int_equal(spectrum->width, 500);
    assert_int_equal(spectrum->height, 400);
    for (int k = 0; k < spectrum->bins; k++) {
        if (spectrum->power[k] > most) {
            most = spectrum->power[k];
            at = spectrum->frequency[k];
        }
        total += spectrum->power[k];
    }
    assert_near(at, 1 / 120.0, 0.06 / 120);
    assert_true(most > 0.5 * total);
    free(spectrum);
    raster_free(&raster);
}

/*
 * Power falling as frequency^-beta, by a transform of random phases: the real part of the sum over all
 * frequencies, rows first, then columns.
 */
static struct raster noise_of(int side, double beta)
{
    const size_t n = (size_t)side;
    kiss_fft_cpx *const a = malloc(n * n * sizeof *a), *const line = malloc(2 * n * sizeof *line);
    const kiss_fft_cfg plan = kiss_fft_alloc(side, 1, NULL, NULL);
    struct raster raster;
    assert_true(a && line && plan && raster_make(&raster, side, side) == 0);
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const double fx = i <= side / 2 ? i : i - side, fy = j <= side / 2 ? j : j - side;
            const double f = hypot(fx, fy), size = f > 0 ? pow(f, -beta / 2) : 0;
            const double phase =
                2 * PI * (double)hash_unit((uint32_t)hash_mix((uint64_t)(j * side + i) + 12345));
            a[j * side + i] = (kiss_fft_cpx){(float)(size * cos(phase)), (float)(size * sin(phase))};
        }
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++)
                line[i] = pass ? a[i * n + j] : a[j * n + i];
            kiss_fft(plan, line, line + n);
            for (size_t i = 0; i < n; i++)
                *(pass ? &a[i * n + j] : &a[j * n + i]) = line[n + i];
        }
    for (size_t k = 0; k < n * n; k++)
        raster.sample[k] = 100 * a[k].r;
    kiss_fft_free(plan);
    free(line);
    free(a);
    return raster;
}

static void noise_has_its_exponents(void **state)
{
    static const double beta[3] = {2.6, 3.0, 3.4}; /* Hurst 0.3, 0.5, 0.7 */
    struct spectrum *const spectrum = malloc(sizeof *spectrum);
    (void)state;
    assert_non_null(spectrum);
    for (int k = 0; k < 3; k++) {
        struct raster raster = noise_of(512, beta[k]);
        struct roughness roughness;
        assert_int_equal(spectrum_measure(&raster, spectrum), 0);
        assert_near(-spectrum->fit.slope, beta[k], 0.1);
        assert_true(spectrum->fit.r2 > 0.98);
        roughness_measure(&raster, &roughness);
        assert_int_equal(roughness.scales, 6); /* 4 .. 128 */
        assert_near(roughness.fit.slope, beta[k] / 2 - 1, 0.12);
        raster_free(&raster);
    }
    free(spectrum);
}

/* White noise of variance 1/3: its power, over frequencies of area 1 / (dx dy), is dx dy / 3 throughout. */
static void power_is_a_density(void **state)
{
    struct raster raster;
    struct spectrum *const spectrum = malloc(sizeof *spectrum);
    (void)state;
    assert_non_null(spectrum);
    assert_int_equal(raster_make(&raster, 640, 480), 0);
    raster.dx_m = 2;
    raster.dy_m = 5;
    for (size_t k = 0; k < raster_count(&raster); k++)
        raster.sample[k] = hash_unit((uint32_t)hash_mix(k));
    assert_int_equal(spectrum_measure(&raster, spectrum), 0);
    for (int k = 0; k < spectrum->bins; k++)
        if (spectrum->frequency[k] > 16 * spectrum->low_frequency)
            assert_near(spectrum->power[k], 10 / 3.0, 0.2);
    assert_near(spectrum->fit.slope, 0, 0.1);
    free(spectrum);
    raster_free(&raster);
}

static void planes_are_not_rough(void **state)
{
    struct raster raster = raster_of(300, 200, 1, 1, ramp);
    struct roughness roughness;
    (void)state;
    roughness_measure(&raster, &roughness);
    assert_int_equal(roughness.scales, 4); /* 4 .. 32 */
    for (int k = 0; k < roughness.scales; k++)
        assert_near(roughness.rms_m[k], 0, 1e-4);
    raster_free(&raster);
}

/* ---- Drainage ----------------------------------------------------------------------------------------- */

static double rise(double x, double y)
{
    return x + 0 * y;
}

static double funnel(double x, double y)
{
    return hypot(x - 40, y - 30);
}

static double half_under_water(double x, double y)
{
    return x - 9.5 + 0 * y;
}

/* Every row runs west on its own: sample i walks i steps, but for those on the border, which stand still. */
static void a_ramp_drains_straight(void **state)
{
    enum { W = 50, H = 20 };
    struct raster raster = raster_of(W, H, 3, 7, rise);
    struct drainage drainage;
    (void)state;
    assert_int_equal(drainage_measure(&raster, -1, &drainage), 0);
    assert_int_equal(drainage.land, W * H);
    assert_near(drainage.length_m, 3.0 * (H - 2) * ((W - 2) * (W - 1) / 2.0) / (W * H), 1e-9);
    assert_near(drainage.end[DRAINAGE_BORDER], 1, 0);
    assert_near(drainage.end[DRAINAGE_PIT], 0, 0);
    assert_near(drainage.end[DRAINAGE_SEA], 0, 0);
    raster_free(&raster);
}

/* Columns 0 .. 9 are under water; sample i >= 10 walks i - 9 steps, and ends where the sea begins. */
static void water_ends_in_the_sea(void **state)
{
    enum { W = 50, H = 20 };
    struct raster raster = raster_of(W, H, 1, 1, half_under_water);
    struct drainage drainage;
    (void)state;
    assert_int_equal(drainage_measure(&raster, 0, &drainage), 0);
    assert_int_equal(drainage.land, 40 * H);
    const double inner = 39.0 * (H - 2), border = 40.0 * H - inner;
    assert_near(drainage.end[DRAINAGE_SEA], inner / (40 * H), 1e-12);
    assert_near(drainage.end[DRAINAGE_BORDER], border / (40 * H), 1e-12);
    assert_near(drainage.length_m, (H - 2) * (39 * 40 / 2.0) / (40 * H), 1e-9);
    assert_int_equal(drainage_measure(&raster, 1000, &drainage), 0); /* no land */
    assert_int_equal(drainage.land, 0);
    assert_true(isnan(drainage.length_m) && isnan(drainage.end[DRAINAGE_PIT]));
    assert_int_equal(drainage.fit.points, 0);
    raster_free(&raster);
}

static void a_bowl_drains_to_its_pit(void **state)
{
    struct raster raster = raster_of(81, 61, 1, 1, funnel);
    struct drainage drainage;
    double length = 0;
    (void)state;
    assert_int_equal(drainage_measure(&raster, -1, &drainage), 0);
    for (int j = 1; j < 60; j++) /* diagonals first, then straight: every path is a shortest one */
        for (int i = 1; i < 80; i++) {
            const int dx = abs(i - 40), dy = abs(j - 30), both = dx < dy ? dx : dy;
            length += sqrt(2) * both + (dx + dy - 2 * both);
        }
    assert_near(drainage.length_m, length / (81 * 61), 1e-9);
    assert_near(drainage.end[DRAINAGE_PIT], 79.0 * 59 / (81 * 61), 1e-12);
    raster_free(&raster);
}

/* Column x drains x samples of its row to the east, by a slope of x^-0.45. */
static double concave(double x, double y)
{
    static double height[4200];
    if (height[0] == 0)
        for (int k = 4198; k >= 0; k--)
            height[k] = height[k + 1] + pow(k > 0 ? k : 1, -0.45);
    return height[(int)x] + 0 * y;
}

static void slopes_fall_with_area(void **state)
{
    struct raster raster = raster_of(4200, 18, 1, 1, concave);
    struct drainage drainage;
    (void)state;
    assert_int_equal(drainage_measure(&raster, -1, &drainage), 0);
    assert_int_equal(drainage.fit.points, DRAINAGE_BINS);
    assert_near(drainage.area[0], 38.5, 1e-9); /* 32 .. 45, each in every row but the border's */
    assert_near(drainage.slope[0], pow(38.5, -0.45), 0.002);
    assert_near(-drainage.fit.slope, 0.45, 0.002);
    assert_true(drainage.fit.r2 > 0.9999);
    raster_free(&raster);
}

/* Areas beside a second walk, path by path, over rough ground with flats, pits and water. */
static void paths_add_up(void **state)
{
    enum { W = 60, H = 47 };
    struct raster raster;
    struct drainage drainage;
    double length = 0, end[DRAINAGE_ENDS] = {0};
    size_t land = 0;
    (void)state;
    assert_int_equal(raster_make(&raster, W, H), 0);
    for (int i = 0; i < W * H; i++)
        raster.sample[i] = (float)(hash_mix((uint64_t)i) % 40) + (float)(i % W) * 0.5f; /* many are equal */
    for (int start = 0; start < W * H; start++) {
        int i = start % W, j = start / W;
        if (raster_at(&raster, i, j) < 12)
            continue;
        land++;
        for (;;) {
            double most = 0;
            int to_i = i, to_j = j;
            if (raster_at(&raster, i, j) < 12) {
                end[DRAINAGE_SEA]++;
                break;
            }
            if (i == 0 || j == 0 || i == W - 1 || j == H - 1) {
                end[DRAINAGE_BORDER]++;
                break;
            }
            for (int dj = -1; dj <= 1; dj++)
                for (int di = -1; di <= 1; di++) {
                    const double fall =
                        (double)raster_at(&raster, i, j) - (double)raster_at(&raster, i + di, j + dj);
                    if ((di || dj) && fall / hypot(di, dj) > most) {
                        most = fall / hypot(di, dj);
                        to_i = i + di;
                        to_j = j + dj;
                    }
                }
            if (to_i == i && to_j == j) {
                end[DRAINAGE_PIT]++;
                break;
            }
            length += hypot(to_i - i, to_j - j);
            i = to_i;
            j = to_j;
        }
    }
    assert_int_equal(drainage_measure(&raster, 12, &drainage), 0);
    assert_int_equal(drainage.land, land);
    assert_near(drainage.length_m, length / (double)land, 1e-9);
    for (int k = 0; k < DRAINAGE_ENDS; k++) {
        assert_true(end[k] > 50);
        assert_near(drainage.end[k], end[k] / (double)land, 1e-12);
    }
    raster_free(&raster);
}

/* ---- All together ------------------------------------------------------------------------------------- */

static void odd_rasters_are_measured(void **state)
{
    static const int side[][2] = {{16, 16}, {17, 16}, {16, 31}, {64, 64}, {67, 331}, {1021, 16}};
    struct analysis *const analysis = malloc(sizeof *analysis);
    (void)state;
    assert_non_null(analysis);
    for (size_t k = 0; k < sizeof side / sizeof *side; k++) {
        struct raster raster = raster_of(side[k][0], side[k][1], 1, 1, island);
        for (int flat = 0; flat < 2; flat++) {
            assert_int_equal(analysis_make(&raster, 0, 0, analysis), 0);
            json_t *const json = analysis_json(analysis);
            assert_non_null(json);
            assert_int_equal(json_array_size(json_object_get(json, "samples")), 2);
            json_decref(json);
            memset(raster.sample, 0, raster_count(&raster) * sizeof *raster.sample);
        }
        raster_free(&raster);
    }
    free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_fitted),
        cmocka_unit_test(smooth_coasts_have_dimension_one),
        cmocka_unit_test(an_area_has_dimension_two),
        cmocka_unit_test(no_coast_has_no_dimension),
        cmocka_unit_test(dividers_walk_as_stated),
        cmocka_unit_test(the_koch_curve_has_its_dimension),
        cmocka_unit_test(a_plane_has_one_slope),
        cmocka_unit_test(extremes_are_counted),
        cmocka_unit_test(a_wave_stands_at_its_frequency),
        cmocka_unit_test(noise_has_its_exponents),
        cmocka_unit_test(power_is_a_density),
        cmocka_unit_test(planes_are_not_rough),
        cmocka_unit_test(a_ramp_drains_straight),
        cmocka_unit_test(water_ends_in_the_sea),
        cmocka_unit_test(a_bowl_drains_to_its_pit),
        cmocka_unit_test(slopes_fall_with_area),
        cmocka_unit_test(paths_add_up),
        cmocka_unit_test(odd_rasters_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
