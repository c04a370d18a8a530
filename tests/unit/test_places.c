/*
 * Places on the ground (server/http/places.c): which samples they lie between, grouping by tile, and what is between.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/http/places.h"

enum { ROW = 257 };

static struct terrane_recipe recipe;

static struct terrane_world world_of(double spacing_m)
{
    recipe.spacing_m = spacing_m;
    return (struct terrane_world){.recipe = &recipe};
}

static struct point located(double spacing_m, int level, double x_m, double y_m)
{
    const struct terrane_world world = world_of(spacing_m);
    struct body_complaint complaint;
    struct places *places = places_one(x_m, y_m);
    assert_non_null(places);
    assert_true(places_locate(places, &world, level, &complaint));
    const struct point point = places->point[0];
    assert_int_equal(places->tiles, point.outside ? 0 : 1);
    free(places);
    return point;
}

static void check_at(const struct point *point, int64_t tile_x, int column, double east)
{
    assert_null(point->outside);
    assert_int_equal(point->tile_x, tile_x);
    assert_int_equal(point->column, column);
    assert_true(point->east == east);
}

static void test_where_places_lie(void **state)
{
    (void)state;
    struct point point = located(1, 0, 0, -0.25);
    check_at(&point, 0, 0, 0);
    assert_int_equal(point.tile_y, -1);
    assert_int_equal(point.row, 255);
    assert_true(point.south == 0.75);
    point = located(1, 0, 255.5, 0);
    check_at(&point, 0, 255, 0.5);
    point = located(1, 0, 256, 0);
    check_at(&point, 1, 0, 0);
    point = located(1, 0, -256, 0);
    check_at(&point, -1, 0, 0);
    point = located(1, 0, -256.5, 0);
    check_at(&point, -2, 255, 0.5);
    point = located(1, 3, -12, 0);
    check_at(&point, -1, 254, 0.5);
    point = located(0x1p-10, 0, 0x1p-11, 0);
    check_at(&point, 0, 0, 0.5);
    point = located(1, 0, -1e-300, 0); /* nearer to 0 than to any double above -1 */
    check_at(&point, -1, 255, 1);
}

static void test_the_world_ends(void **state)
{
    const double end = 0x1p48;
    (void)state;
    struct point point = located(1, 0, -end, 0);
    check_at(&point, -TERRANE_TILE_LIMIT, 0, 0);
    point = located(1, 0, end - 1, 0);
    check_at(&point, TERRANE_TILE_LIMIT - 1, 255, 0);
    static const double far[] = {0x1p48, 0x1p62, 1e308, -1e308, -0x1.0000000000001p48};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        assert_string_equal(located(1, 0, far[i], 0).outside, "x");
        assert_string_equal(located(1, 0, 0, far[i]).outside, "y");
        assert_string_equal(located(0x1p-10, 0, far[i], far[i]).outside, "x");
    }
    assert_null(located(1, 24, 0x1p62, -0x1p62).outside);
}

/* Also where the spacing is no power of two, and a division would miss. */
static void test_samples_places_are_theirs(void **state)
{
    static const double spacing[] = {1, 0.1, 1.0 / 3, 30.87, 0x1p-10, 1e6};
    uint64_t dice = 1;
    (void)state;
    for (int n = 0; n < 200000; n++) {
        dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t g = ((int64_t)dice >> 15) >> (n % 49);
        const int level = n % 25;
        const struct terrane_world world = world_of(spacing[n % 6]);
        const struct point point = located(recipe.spacing_m, level, terrane_lattice_m(&world, level, g), 0);
        int64_t gi, gj;
        assert_null(point.outside);
        assert_true(point.east == 0 && point.south == 0);
        assert_int_equal(point.tile_x * 256 + point.column, g);
        point_nearest(&point, &gi, &gj);
        assert_int_equal(gi, g);
        assert_int_equal(gj, 0);
    }
}

static void test_the_nearest_sample(void **state)
{
    static const struct {
        double x_m, y_m;
        int64_t gi, gj;
    } cases[] = {{0.25, 0.75, 0, 1}, {0.5, 0.49, 1, 0}, {-0.5, -0.51, 0, -1}, {255.75, -256.25, 256, -256}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct point point = located(1, 0, cases[i].x_m, cases[i].y_m);
        int64_t gi, gj;
        point_nearest(&point, &gi, &gj);
        assert_int_equal(gi, cases[i].gi);
        assert_int_equal(gj, cases[i].gj);
    }
}

/* ---- Grouping ------------------------------------------------------------------------------------------ */

static struct places *read_fine(const char *text)
{
    struct body_complaint complaint;
    const size_t bytes = strlen(text);
    char *exact = malloc(bytes);
    assert_non_null(exact);
    memcpy(exact, text, bytes);
    struct places *places = places_read(exact, bytes, &complaint);
    free(exact);
    if (!places)
        fail_msg("%s: %s", text, complaint.detail);
    return places;
}

static void test_places_are_grouped(void **state)
{
    const struct terrane_world world = world_of(1);
    struct body_complaint complaint;
    (void)state;
    struct places *places =
        read_fine("{\"places\": [[300, 5], [1, 1], [2e99, 0], [-1, 1], [300.5, 6], [0, 0], [1, -1]]}");
    static const uint16_t order[] = {6, 3, 1, 5, 0, 4};
    static const size_t first[] = {0, 1, 2, 4, 6};
    assert_true(places_locate(places, &world, 0, &complaint));
    assert_int_equal(places->tiles, 4);
    assert_memory_equal(places->order, order, sizeof order);
    assert_memory_equal(places->first, first, sizeof first);
    assert_string_equal(places->point[2].outside, "x");
    free(places);
    places = read_fine("{\"places\": []}");
    assert_true(places_locate(places, &world, PLACES_LEVEL_CHOSEN, &complaint));
    assert_int_equal(places->tiles, 0);
    assert_int_equal(places->level, 0);
    free(places);
}

/* In a row, a tile of level 0 apart. */
static struct places *row_of(int count, double apart_m)
{
    static char text[40000];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"places\":[");
    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s[%.17g,0]", i ? "," : "", i * apart_m);
    snprintf(text + n, sizeof text - n, "]}");
    return read_fine(text);
}

static void test_levels_are_found(void **state)
{
    static const struct {
        int count, chosen, would_do; /* -1: they may lie at level 0 */
    } cases[] = {{1, 0, -1}, {32, 0, -1}, {33, 1, -1}, {64, 1, -1},
                 {65, 2, 1}, {128, 2, 1}, {129, 3, 2}, {1024, 5, 4}};
    const struct terrane_world world = world_of(1);
    struct body_complaint complaint;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct places *places = row_of(cases[i].count, 256);
        assert_true(places_locate(places, &world, PLACES_LEVEL_CHOSEN, &complaint));
        assert_int_equal(places->level, cases[i].chosen);
        assert_in_range(places->tiles, 1, PLACES_TILES_CHOSEN);
        complaint.status = 0;
        const bool fits = places_locate(places, &world, 0, &complaint);
        assert_int_equal(fits, cases[i].would_do < 0);
        if (!fits) {
            char wanted[40];
            snprintf(wanted, sizeof wanted, "lod=%d would do", cases[i].would_do);
            assert_int_equal(complaint.status, 413);
            assert_string_equal(complaint.parameter, "lod");
            assert_non_null(strstr(complaint.detail, wanted));
        }
        free(places);
    }
    struct places *apart = row_of(65, 0x1p32); /* a tile of the coarsest level */
    assert_false(places_locate(apart, &world, PLACES_LEVEL_CHOSEN, &complaint));
    assert_int_equal(complaint.status, 413);
    assert_false(places_locate(apart, &world, 24, &complaint));
    assert_string_equal(complaint.parameter, "places");
    free(apart);
}

static void test_bodies_that_are_none(void **state)
{
    static const char *const bad[] = {"{\"places\": [1, 2]}",       "{\"places\": [[1]]}",
                                      "{\"places\": [[1, 2, 3]]}",  "{\"places\": [[1, \"2\"]]}",
                                      "{\"places\": [{\"x\": 1}]}", "{\"places\": [[1, null]]}",
                                      "{\"places\": [[[], []]]}"};
    struct body_complaint complaint;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(places_read(bad[i], strlen(bad[i]), &complaint));
        assert_int_equal(complaint.status, 400);
        assert_string_equal(complaint.parameter, "places");
        assert_non_null(strstr(complaint.detail, "places[0]"));
    }
    static char many[8000];
    size_t n = (size_t)snprintf(many, sizeof many, "{\"places\":[[0,0]");
    for (int i = 1; i < PLACES_MOST + 1; i++)
        n += (size_t)snprintf(many + n, sizeof many - n, ",[0,0]");
    snprintf(many + n, sizeof many - n, "]}");
    assert_null(places_read(many, strlen(many), &complaint));
    assert_int_equal(complaint.status, 413);
}

/* ---- Between samples ----------------------------------------------------------------------------------- */

static unsigned char tile[ROW * ROW * 3 * 4];

static void put(size_t i, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 4; k++)
        tile[4 * i + (size_t)k] = (unsigned char)(bits >> (8 * k));
}

/* What is linear along both axes is met everywhere. */
static void test_heights_between(void **state)
{
    const struct terrane_world world = world_of(1);
    struct body_complaint complaint;
    (void)state;
    for (size_t j = 0; j < ROW; j++)
        for (size_t i = 0; i < ROW; i++)
            put(j * ROW + i, (float)(3 * (double)i - 2 * (double)j + (double)(i * j) / 64));
    struct places *places =
        read_fine("{\"places\": [[0, 0], [0.5, 0.25], [255.75, 255.5], [-1, 0], [255, 255]]}");
    assert_true(places_locate(places, &world, 0, &complaint));
    assert_int_equal(places->tiles, 2);
    places->point[3].height_m = 77;
    places_fill(places, 1, POINT_HEIGHT, tile);
    places_fill(places, 1, POINT_WATER, tile);
    for (size_t p = 0; p < places->count; p++) {
        const struct point *point = &places->point[p];
        const double expected = 3 * point->x_m - 2 * point->y_m + point->x_m * point->y_m / 64;
        if (p == 3)
            assert_true(point->height_m == 77); /* of the other tile */
        else
            assert_true(point->height_m == expected && point->water_m == expected);
    }
    free(places);
}

static void test_normals_between(void **state)
{
    const struct terrane_world world = world_of(1);
    struct body_complaint complaint;
    (void)state;
    for (size_t k = 0; k < (size_t)ROW * ROW; k++) {
        const bool even = k % ROW % 2 == 0;
        put(3 * k, even ? 0.6f : 0);
        put(3 * k + 1, even ? 0 : 0.6f);
        put(3 * k + 2, 0.8f);
    }
    struct places *places = read_fine("{\"places\": [[4, 4], [5, 4], [4.5, 4.5]]}");
    assert_true(places_locate(places, &world, 0, &complaint));
    places_fill(places, 0, POINT_NORMAL, tile);
    const double *n = places->point[0].normal;
    assert_true(fabs(n[0] - 0.6) < 1e-7 && n[1] == 0 && fabs(n[2] - 0.8) < 1e-7);
    assert_true(fabs(point_slope_degrees(&places->point[1]) - 36.8698976) < 1e-5);
    n = places->point[2].normal;
    assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-12);
    assert_true(n[0] == n[1] && fabs(n[0] / n[2] - 0.375) < 1e-6);
    free(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_places_lie),          cmocka_unit_test(test_the_world_ends),
        cmocka_unit_test(test_samples_places_are_theirs), cmocka_unit_test(test_the_nearest_sample),
        cmocka_unit_test(test_places_are_grouped),        cmocka_unit_test(test_levels_are_found),
        cmocka_unit_test(test_bodies_that_are_none),      cmocka_unit_test(test_heights_between),
        cmocka_unit_test(test_normals_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
