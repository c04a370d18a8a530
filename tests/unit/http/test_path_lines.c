/*
 * Lines of paths out of tiles (server/http/path_lines.c), and where they lie on a web map.
 */
#include "../unit.h"

#include <math.h>

#include "../../../server/http/path_lines.h"

#define LINE(id, ...)                                                                \
    "{\"type\":\"Feature\",\"id\":\"" id "\",\"geometry\":{\"type\":\"LineString\"," \
    "\"coordinates\":[" __VA_ARGS__ "]},\"properties\":{\"from\":[0,0],\"to\":[1,0],\"rise_m\":-2.5}}"
#define TILE(features) "{\"type\":\"FeatureCollection\",\"features\":[" features "]}"
#define HEAD           "{\"type\":\"FeatureCollection\",\"axes\":\"east,south,up metres\",\"features\":["
#define TAIL           "]}\n"

static const struct path_window window = {-100, -50, 100, 50};
enum { MAX = 1 << 20 };

static enum path_lines_result add(struct path_lines *lines, const char *text)
{
    const size_t bytes = strlen(text);
    char *exact = malloc(bytes + (bytes == 0)); /* its end is the allocation's, for sanitizers */
    assert_non_null(exact);
    memcpy(exact, text, bytes);
    const enum path_lines_result result = path_lines_add(lines, exact, bytes);
    free(exact);
    return result;
}

static void check_text(struct path_lines *lines, const char *expected)
{
    size_t bytes = 0;
    char *text = path_lines_text(lines, &bytes);
    assert_non_null(text);
    assert_string_equal(text, expected);
    assert_int_equal(bytes, strlen(expected));
    free(text);
}

TEST(bad_tiles_are_refused)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"features\":1}",
        "{\"features\":[1]}",
        TILE("{}"),
        TILE(LINE("0a", "[0,0,0]")),             /* one position */
        TILE(LINE("0a", "[0,0,0],[1]")),         /* one number */
        TILE(LINE("0a", "[0,0,0],[1,\"1\",1]")), /* no number */
        TILE(LINE("0a", "[0,0,0],1")),           /* no position */
        TILE(LINE("", "[0,0,0],[1,1,1]")),       /* ids */
        TILE(LINE("0A", "[0,0,0],[1,1,1]")),     /* ... */
        TILE(LINE("00000000000000000", "[0,0,0],[1,1,1]")),
        TILE(LINE("0a", "[0,0,0],[1,1,1]")) "x", /* what follows */
        "{\"features\":[],\"features\":[]}",     /* twice */
        "{\"features\":[{\"id\":\"0a\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[[0,0],[1,1]]}}]}",
    };
    struct path_lines *lines = path_lines_create(&window, PATH_AXES_WORLD, 1, MAX);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (add(lines, bad[k]) != PATH_LINES_BAD)
            fail_msg("%s", bad[k]);
    check_text(lines, HEAD TAIL);
    path_lines_free(lines);
}

static bool meets(double ax, double ay, double bx, double by)
{
    const double a[2] = {ax, ay}, b[2] = {bx, by};
    const bool there = path_window_meets(&window, a, b);
    assert_true(there == path_window_meets(&window, b, a));
    return there;
}

TEST(windows_have_their_western_and_northern_edges)
{
    assert_true(meets(0, 0, 1, 1));
    assert_true(meets(0, 0, 0, 0));
    assert_true(meets(-1000, 0, 1000, 0)); /* no end of it inside */
    assert_true(meets(-1000, -1000, 1000, 1000));
    assert_false(meets(-1000, 0, 0, 1000)); /* its box meets the window, it does not */
    assert_false(meets(-200, 0, -101, 0));
    assert_true(meets(-200, 0, -100, 0));      /* the western edge */
    assert_true(meets(-100, -50, -200, -200)); /* the corner */
    assert_true(meets(-100, -1000, -100, 1000));
    assert_false(meets(100, 0, 200, 0)); /* the eastern edge is the neighbour's */
    assert_false(meets(100, -1000, 100, 1000));
    assert_false(meets(0, 50, 0, 200));
    assert_false(meets(-1000, 50, 1000, 50));
    assert_true(meets(-1000, -50, 1000, -50));
    assert_true(meets(99.9375, 0, 200, 0));
    assert_false(meets(100, 50, 200, 200));
    assert_false(meets(100, -50, 0, -150)); /* touches the corner that is not of it */
    assert_true(meets(100, -50, 0, -50));
}

/* A line that touches the plane anywhere touches one of the windows that it is cut into. */
TEST(windows_leave_nothing_between)
{
    uint64_t dice = 7;
    for (int n = 0; n < 20000; n++) {
        double v[4];
        int found = 0;
        for (int k = 0; k < 4; k++) {
            dice = dice * 6364136223846793005u + 1442695040888963407u;
            v[k] = (double)(int)(dice >> 58) - 32;
        }
        const double a[2] = {v[0] / 4, v[1] / 4}, b[2] = {v[2] / 4, v[3] / 4};
        for (int k = 0; k < 4; k++) {
            const struct path_window part = {k % 2 ? 0 : -16, k / 2 ? 0 : -16, k % 2 ? 16 : 0,
                                             k / 2 ? 16 : 0};
            found += path_window_meets(&part, a, b);
        }
        const bool west = a[0] < 0 || b[0] < 0, east = a[0] >= 0 || b[0] >= 0, north = a[1] < 0 || b[1] < 0,
                   south = a[1] >= 0 || b[1] >= 0;
        const int min = west && east ? 2 : 1, max = (west + east) * (north + south);
        assert_in_range(found, north && south && min < 2 ? 2 : min, max > 3 ? 3 : max);
    }
}

TEST(degrees_are_the_maps)
{
    const double half_m = web_map_half_m(1);
    assert_true(half_m == 33554432);
    for (int k = -64; k <= 64; k++) {
        const double part = k / 64.0;
        const struct web_place place = web_map_place(1, part * half_m, -part * half_m);
        const double latitude = atan(sinh(part * M_PI)) * 180 / M_PI;
        assert_true(place.longitude == part * 180);
        assert_true(fabs(place.latitude - latitude) < 1e-11);
        const struct web_place other = web_map_place(0.25, part * half_m / 4, -part * half_m / 4);
        assert_true(other.longitude == place.longitude && other.latitude == place.latitude);
    }
    assert_true(web_map_place(1, 0, 0).latitude == 0);
}

/* Of the map of spacing 2^-17: 256 m to each side. */
TEST(degrees_are_cut_at_the_edge)
{
    static const struct {
        const char *line, *geometry;
    } row[] = {
        {"[255,0,10],[257,0,20]", "\"LineString\",\"coordinates\":[[179.296875,0.0,10.0],[180.0,0.0,15.0]]"},
        {"[-260,0,1],[-258,0,2],[-254,0,4]",
         "\"LineString\",\"coordinates\":[[-180.0,0.0,3.0],[-178.59375,0.0,4.0]]"},
        {"[254,0,0],[258,0,4],[258,0,4],[254,0,8]",
         "\"MultiLineString\",\"coordinates\":[[[178.59375,0.0,0.0],[180.0,0.0,2.0]],[[180.0,0.0,6.0],[178."
         "59375,0.0,8.0]]]"},
        {"[-300,0,0],[300,0,6]", "\"LineString\",\"coordinates\":[[-180.0,0.0,0.44],[180.0,0.0,5.56]]"},
        {"[0,0,0],[256,0,1]", "\"LineString\",\"coordinates\":[[0.0,0.0,0.0],[180.0,0.0,1.0]]"},
    };
    const double spacing_m = 256 / web_map_half_m(1);
    assert_true(web_map_half_m(spacing_m) == 256);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[1024];
        size_t bytes = 0;
        struct path_lines *lines =
            path_lines_create(&(struct path_window){-300, -1, 300, 1}, PATH_AXES_GEOGRAPHIC, spacing_m, MAX);
        snprintf(text, sizeof text, TILE(LINE("1", "%s")), row[i].line);
        assert_int_equal(add(lines, text), PATH_LINES_FINE);
        snprintf(text, sizeof text, TILE(LINE("2", "[257,0,0],[300,0,0]")));
        assert_int_equal(add(lines, text), PATH_LINES_FINE); /* nothing of it is on the map */
        char *found = path_lines_text(lines, &bytes);
        if (!strstr(found, row[i].geometry) || strstr(found, "\"id\":\"2\""))
            fail_msg("%s: %s", row[i].line, found);
        free(found);
        path_lines_free(lines);
    }
}

GROUP(path_lines);
