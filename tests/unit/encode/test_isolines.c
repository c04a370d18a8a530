/* Lines and outlines of grids (server/encode/isolines.c, outlines.c), and the tiles they end up in (mvt.c, mvt_fits.c). */
#include "../dice_recipe.h"

#include "../../../server/encode/isolines.h"
#include "../../../server/encode/outlines.h"

enum { UNIT = 10, LINES = 64 };

static void middles(const void *context, struct isolines_cut *cut, size_t cuts, size_t beside)
{
    (void)context, (void)beside;
    for (size_t n = 0; n < cuts; n++)
        cut[n].along = UNIT / 2;
}

static int32_t half(const void *context, size_t a, size_t b)
{
    (void)context, (void)a, (void)b;
    return UNIT / 2;
}

/* Lines as text: step, "o" of rings, points; what there is no room for is left out. */
static char drawn[8192];
static int lines;

static void note(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed)
{
    fprintf(to, "%d%s", k, closed ? "o" : "");
    for (size_t i = 0; i < points; i++)
        fprintf(to, " %d,%d", point[i].x, point[i].y);
    fputs("\n", to);
    lines++;
}

static const char *draw(int width, int height, const int32_t *step)
{
    const struct isolines_grid grid = {
        .width = width, .height = height, .step = step, .unit = UNIT, .cut = middles};
    FILE *const out = fmemopen(drawn, sizeof drawn, "w");
    drawn[0] = '\0';
    lines = 0;
    assert_int_equal(isolines(&grid, note, out), 0);
    fclose(out);
    return drawn;
}

TEST(lines_have_what_is_above_to_their_right)
{
    /* a slope to the east: going north, east is to the right */
    assert_string_equal(draw(2, 3, (const int32_t[]){0, 1, 0, 1, 0, 1}), "1 5,20 5,0\n");
    /* a hill: clockwise; a hole: the other way */
    assert_string_equal(draw(3, 3, (const int32_t[]){0, 0, 0, 0, 1, 0, 0, 0, 0}),
                        "1o 5,10 10,5 15,10 10,15\n");
    assert_string_equal(draw(3, 3, (const int32_t[]){1, 1, 1, 1, 0, 1, 1, 1, 1}),
                        "1o 10,5 5,10 10,15 15,10\n");
    /* several steps at once, below 0, too */
    assert_string_equal(draw(2, 2, (const int32_t[]){-2, 1, -2, 1}), "-1 5,10 5,0\n0 5,10 5,0\n1 5,10 5,0\n");
    /* saddles: over the middle of a cell, and beside it */
    assert_string_equal(draw(2, 2, (const int32_t[]){3, 0, 0, 3}),
                        "1 5,0 10,5\n1 5,10 0,5\n2 5,0 0,5\n2 5,10 10,5\n3 5,0 0,5\n3 5,10 10,5\n");
    assert_string_equal(draw(2, 2, (const int32_t[]){0, 3, 3, 0}),
                        "1 0,5 5,0\n1 10,5 5,10\n2 10,5 5,0\n2 0,5 5,10\n3 10,5 5,0\n3 0,5 5,10\n");
    assert_string_equal(draw(3, 2, (const int32_t[]){7, 7, 7, 7, 7, 7}), "");
}

/* Where there are too many lines every fifth is left. */
TEST(lines_are_bounded)
{
    enum { SIDE = 129 };
    static int32_t step[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        step[i] = i % 2 ? 1 << 30 : -(1 << 30);
    draw(SIDE, SIDE, step);
    assert_in_range(lines, 1, ISOLINES_MAX);
}

/* ---- Random grids -------------------------------------------------------------------------------------- */

enum { FINE = 4096, SIDE_MOST = 130, STEPS_MOST = 4096 };

/* Where line k crosses between two samples: anywhere, but the same whenever it is asked. */
static int32_t crossing(size_t a, size_t beside, int32_t k)
{
    const uint64_t hash =
        (a * 0x9E3779B97F4A7C15 + beside * 0xC2B2AE3D27D4EB4F + (uint32_t)k) * 0xD6E8FEB86659FD93;
    return 1 + (int32_t)(hash >> 40) % (FINE - 1);
}

static void crossings(const void *context, struct isolines_cut *cut, size_t cuts, size_t beside)
{
    (void)context;
    for (size_t n = 0; n < cuts; n++)
        cut[n].along = crossing((size_t)cut[n].a, beside, cut[n].k);
}

/* Twice the areas that the segments of each step sweep, seen from the corner: a point between two others on a straight line changes nothing. */
static int64_t swept[STEPS_MOST], expected[STEPS_MOST];

static int64_t cross(const struct mvt_point *p, const struct mvt_point *q)
{
    return (int64_t)p->x * q->y - (int64_t)p->y * q->x;
}

static void sweep(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed)
{
    (void)to;
    for (size_t i = 0; i + 1 < points; i++)
        swept[k] += cross(&point[i], &point[i + 1]);
    if (closed)
        swept[k] += cross(&point[points - 1], point);
}

/* A cell's segments, by their definition. Its sides are counted clockwise from the north, and lie behind the corners from the north-west on. */
static void expect_cell(const int32_t *step, int width, int x, int y, int32_t k)
{
    const size_t a = (size_t)(y * width + x), at[4] = {a, a + 1, a + (size_t)width + 1, a + (size_t)width};
    const int x0 = x * FINE, y0 = y * FINE;
    const struct mvt_point side[4] = {{x0 + crossing(a, 1, k), y0},
                                      {x0 + FINE, y0 + crossing(at[1], (size_t)width, k)},
                                      {x0 + crossing(at[3], 1, k), y0 + FINE},
                                      {x0, y0 + crossing(a, (size_t)width, k)}};
    const bool high = (int64_t)step[at[0]] + step[at[1]] + step[at[2]] + step[at[3]] >= 4 * (int64_t)k;
    for (int out = 0; out < 4;
         out++) { /* clockwise from low to high: a line leaves, and high is to its right */
        if (step[at[out]] >= k || step[at[(out + 1) % 4]] < k)
            continue;
        int in = (out + (high ? 3 : 1)) % 4; /* around the low corner, or the high one */
        while (step[at[in]] < k || step[at[(in + 1) % 4]] >= k)
            in = (in + 1) % 4;
        expected[k] += cross(&side[in], &side[out]);
    }
}

/* The greatest number that all steps of lines are multiples of. */
static int32_t stride_of(int range)
{
    int32_t stride = 0;
    for (int32_t k = 1; k <= range; k++)
        for (int32_t rest = swept[k] != 0 ? k : 0; rest != 0;) {
            const int32_t next = stride % rest;
            stride = rest;
            rest = next;
        }
    return stride;
}

TEST(lines_are_those_of_all_cells)
{
    static int32_t step[SIDE_MOST * SIDE_MOST];
    struct dice dice = {41};
    for (int n = 0; n < 40; n++) {
        const bool steep = n % 8 == 7; /* with more lines than are drawn */
        const int width = steep ? SIDE_MOST : dice_int(&dice, 2, SIDE_MOST),
                  height = steep ? SIDE_MOST : dice_int(&dice, 2, SIDE_MOST),
                  stairs = steep ? 1 : dice_int(&dice, 1, 9), range = steep ? STEPS_MOST - 1 : 20;
        const struct isolines_grid grid = {
            .width = width, .height = height, .step = step, .unit = FINE, .cut = crossings};
        for (int i = 0; i < width * height; i++)
            step[i] = dice_int(&dice, 0, range / stairs) * stairs;
        memset(swept, 0, sizeof swept);
        assert_int_equal(isolines(&grid, sweep, NULL), 0);
        const int32_t stride = steep ? stride_of(range) : 1;
        assert_int_equal(stride % 5 == 0, steep);
        for (int32_t k = 1; k <= range; k++) {
            expected[k] = 0;
            for (int c = 0; c < (width - 1) * (height - 1) && k % stride == 0; c++)
                expect_cell(step, width, c % (width - 1), c / (width - 1), k);
            assert_int_equal(swept[k], expected[k]);
        }
    }
}

/* ---- Outlines ------------------------------------------------------------------------------------------ */

static struct outlines outline(int side, const char *kinds)
{
    static uint8_t kind[LINES * LINES];
    struct outlines outlines = {.side = side, .unit = UNIT, .kind = kind, .of = 1, .cut = half};
    for (int i = 0; i < side * side; i++)
        kind[i] = kinds[i] == '#';
    assert_int_equal(outlines_make(&outlines), 0);
    return outlines;
}

/* As a tile they fit. */
static void check_tile(const struct outlines *outlines)
{
    struct mvt *mvt = mvt_create();
    size_t bytes;
    mvt_layer(mvt, "x");
    for (size_t k = 0; k < outlines->shapes; k++) {
        mvt_feature(mvt, MVT_POLYGON, 0);
        mvt_whole(mvt, "k", (int64_t)k);
        outlines_write(outlines, k, mvt);
    }
    unsigned char *data = mvt_finish(mvt, &bytes);
    assert_non_null(data);
    assert_true(mvt_fits(data, bytes));
    free(data);
}

TEST(shapes_have_their_holes)
{
    struct outlines all = outline(3, "#########");
    assert_int_equal(all.shapes, 1);
    assert_int_equal(all.rings, 1);
    assert_int_equal(all.points, 4); /* the corners */
    outlines_free(&all);
    struct outlines none = outline(3, ".........");
    assert_int_equal(none.shapes, 0);
    outlines_free(&none);
    /* a ring of land with an island in its lake, beside another with a lake */
    struct outlines ring = outline(9, "#####...."
                                      "#...#####"
                                      "#.#.##.##"
                                      "#...#####"
                                      "#####...."
                                      "........."
                                      "........."
                                      "........."
                                      "........#");
    assert_int_equal(ring.shapes, 3);
    assert_int_equal(ring.rings, 5);
    check_tile(&ring);
    outlines_free(&ring);
}

/* A kind that lies crosswise to a lesser one hangs together, that one does not; a third one changes nothing. */
TEST(shapes_hang_together_crosswise)
{
    struct outlines line = outline(4, "#..."
                                      ".#.."
                                      "..#."
                                      "...#");
    assert_int_equal(line.shapes, 1);
    outlines_free(&line);
    static const uint8_t kind[2][4] = {{1, 2, 3, 1}, {1, 2, 2, 1}};
    for (size_t k = 0; k < 2; k++) {
        struct outlines two = {.side = 2, .unit = UNIT, .kind = kind[k], .of = 1, .cut = half};
        assert_int_equal(outlines_make(&two), 0);
        assert_int_equal(two.shapes, 1 + k);
        outlines_free(&two);
    }
}

/* Also at the very samples, where none may be. */
static int32_t anywhere(const void *context, size_t a, size_t b)
{
    (void)context;
    return crossing(a, b - a, 0) % (UNIT + 1);
}

/* On which side of the line from a to b a point is. */
static int side_of(const struct mvt_point *a, const struct mvt_point *b, const struct mvt_point *point)
{
    const struct mvt_point to = {b->x - a->x, b->y - a->y}, by = {point->x - a->x, point->y - a->y};
    const int64_t turn = cross(&to, &by);
    return (turn > 0) - (turn < 0);
}

static bool do_touch(const struct mvt_point *a, const struct mvt_point *b, const struct mvt_point *c,
                     const struct mvt_point *d)
{
    const bool apart = fmax(a->x, b->x) < fmin(c->x, d->x) || fmax(c->x, d->x) < fmin(a->x, b->x) ||
                       fmax(a->y, b->y) < fmin(c->y, d->y) || fmax(c->y, d->y) < fmin(a->y, b->y);
    return !apart && side_of(a, b, c) * side_of(a, b, d) <= 0 && side_of(c, d, a) * side_of(c, d, b) <= 0;
}

/* Lines of all rings touch nowhere but where one goes on as the next. */
static void check_rings(const struct outlines *outlines)
{
    static struct mvt_point from[LINES * LINES], to[LINES * LINES];
    size_t next[LINES * LINES], lines_of = 0;
    for (size_t r = 0; r < outlines->rings; r++) {
        const struct outlines_ring *ring = &outlines->ring[r];
        for (size_t i = 0; i < ring->points; i++, lines_of++) {
            next[lines_of] = i + 1 < ring->points ? lines_of + 1 : lines_of - i;
            from[lines_of] = outlines->point[ring->first + i];
            to[lines_of] = outlines->point[ring->first + (i + 1) % ring->points];
        }
    }
    for (size_t a = 0; a < lines_of; a++)
        for (size_t b = a + 1; b < lines_of; b++)
            if (next[a] == b || next[b] == a)
                assert_int_not_equal(side_of(&from[a], &to[a], next[a] == b ? &to[b] : &from[b]), 0);
            else
                assert_false(do_touch(&from[a], &to[a], &from[b], &to[b]));
}

TEST(shapes_of_all_kinds_cover_the_tile_once)
{
    enum { SIDE = 12, KINDS = 5 };
    static uint8_t kind[SIDE * SIDE];
    struct dice dice = {7};
    for (int n = 0; n < 60; n++) {
        const int side = dice_int(&dice, 2, SIDE), kinds = dice_int(&dice, 1, KINDS);
        int64_t area = 0;
        for (int i = 0; i < side * side; i++)
            kind[i] = (uint8_t)dice_int(&dice, 0, kinds - 1);
        for (int of = 0; of < kinds; of++) {
            struct outlines outlines = {
                .side = side, .unit = UNIT, .kind = kind, .of = (uint8_t)of, .cut = anywhere};
            assert_int_equal(outlines_make(&outlines), 0);
            for (size_t r = 0; r < outlines.rings; r++) {
                const struct outlines_ring *ring = &outlines.ring[r];
                assert_true(r < outlines.shapes ? ring->area > 0 : ring->area < 0);
                assert_true(r < outlines.shapes || ring->in < outlines.shapes);
                area += ring->area;
            }
            check_rings(&outlines);
            outlines_free(&outlines);
        }
        assert_int_equal(area, 2 * (side - 1) * UNIT * (side - 1) * UNIT);
    }
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

static unsigned char *small_tile(size_t *bytes)
{
    static const struct mvt_point point[] = {{0, 0}, {40, -7}, {300, 4096}};
    struct mvt *mvt = mvt_create();
    mvt_layer(mvt, "empty");
    mvt_layer(mvt, "lines");
    mvt_feature(mvt, MVT_LINE, 77);
    mvt_text(mvt, "name", "Aß");
    mvt_number(mvt, "ele", 0.5);
    mvt_number(mvt, "level", -3);
    mvt_geometry(mvt, point, 3, true);
    mvt_feature(mvt, MVT_LINE, 78); /* nothing is drawn: left out */
    mvt_text(mvt, "name", "B");
    mvt_layer(mvt, "areas");
    mvt_feature(mvt, MVT_POLYGON, 0);
    mvt_geometry(mvt, point, 3, true);
    mvt_layer(mvt, "places");
    mvt_feature(mvt, MVT_POINT, 0);
    mvt_geometry(mvt, point + 1, 1, false);
    return mvt_finish(mvt, bytes);
}

TEST(what_is_written_fits)
{
    static const unsigned char first[] = {3 << 3 | 2, 74, 15 << 3, 2, 1 << 3 | 2, 5, 'l', 'i', 'n', 'e', 's'};
    size_t bytes;
    unsigned char *data = small_tile(&bytes);
    assert_true(mvt_fits(data, bytes));
    assert_memory_equal(data, first, 1);
    assert_memory_equal(data + 2, first + 2, sizeof first - 2);
    free(data);
}

/* Cut anywhere, or with any byte changed so that a length, an index, a command or a type is wrong. Reads nothing behind it: each is a block of its own. */
TEST(what_is_damaged_does_not)
{
    size_t bytes, refused = 0;
    unsigned char *data = small_tile(&bytes);
    for (size_t n = 1; n < bytes; n++) {
        unsigned char *part = malloc(n);
        memcpy(part, data, n);
        refused += !mvt_fits(part, n);
        free(part);
    }
    assert_true(refused >= bytes - 1 - 3); /* but for where a layer ends */
    refused = 0;
    for (size_t n = 0; n < bytes; n++)
        for (int bit = 0; bit < 8; bit++) {
            data[n] ^= (unsigned char)(1 << bit);
            refused += !mvt_fits(data, bytes);
            data[n] ^= (unsigned char)(1 << bit);
        }
    assert_true(refused > 4 * bytes); /* the rest are other numbers, letters and points */
    free(data);
}

TEST(hostile_tiles_do_not_fit)
{
    static const struct {
        const char *data;
        size_t bytes;
    } hostile[] = {
        {"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}, /* a layer longer than memory */
        {"\x1a\x06\x78\x02\x0a\x00\x28\x80", 8},              /* no name, no extent */
        {"\x1a\x10\x78\x02\x0a\x01x\x12\x06\x18\x02\x22\x02\x0a\xff\x28\x80\x20",
         18}, /* more points than there are */
        {"\x1a\x12\x78\x02\x0a\x01x\x12\x08\x12\x02\x00\x00\x18\x01\x22\x00\x28\x80\x20",
         20}, /* a key that is not there */
    };
    for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++)
        assert_false(mvt_fits((const unsigned char *)hostile[k].data, hostile[k].bytes));
}

GROUP(isolines);
