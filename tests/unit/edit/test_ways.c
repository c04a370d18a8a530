/* Ways (lib/edit/way_route.c, way.c): lines that keep their limits, and what lies on them. */
#include "edit_kit.h"

struct routed {
    struct terrane_window window;
    float *heights;
    struct terrane_path_point line[TERRANE_EDIT_WAY_POINTS];
    struct terrane_edit edit;
    struct terrane_way_place why;
};

static int route(const struct terrane_world *world, const struct terrane_way *way, struct routed *routed)
{
    assert_true(terrane_way_needs(way, &routed->window));
    assert_true(routed->window.width <= TERRANE_WAY_SIDE && routed->window.height <= TERRANE_WAY_SIDE);
    routed->heights = layer_new(world, LAYER_HEIGHTS, &routed->window, scratch);
    return terrane_way_route(world->recipe, way, &routed->window, routed->heights, scratch, routed->line,
                             &routed->edit, &routed->why);
}

/* Half a metre over the sea, where there is sea. */
static double dry(const struct terrane_recipe *recipe, float height)
{
    return height < recipe->sea_m ? recipe->sea_m + 0.5 : height;
}

static double units_at(const struct terrane_recipe *recipe, const struct routed *routed,
                       const struct terrane_path_point *point)
{
    const int64_t sample = (int64_t)PARTS << routed->window.level;
    const double x = (double)(point->x - routed->window.gi * sample) / (double)sample,
                 y = (double)(point->y - routed->window.gj * sample) / (double)sample;
    const int i = (int)x, j = (int)y, width = routed->window.width;
    const float *at = &routed->heights[j * width + i];
    const double corner[4] = {dry(recipe, at[0]), dry(recipe, at[1]), dry(recipe, at[width]),
                              dry(recipe, at[width + 1])};
    const double north = corner[0] + (x - i) * (corner[1] - corner[0]),
                 south = corner[2] + (x - i) * (corner[3] - corner[2]);
    return (north + (y - j) * (south - north)) * UNIT;
}

static double apart(const struct terrane_path_point *a, const struct terrane_path_point *b)
{
    return hypot((double)(a->x - b->x), (double)(a->y - b->y));
}

/* Neighbours that both have all of the way do not differ by more than its slope; and its points are as high as it says, but for what the
 * longest segment climbs, where it crosses itself. */
static void look_at_surface(const struct terrane_world *world, const struct routed *routed, double slope)
{
    const struct terrane_path_point *middle = &routed->line[routed->edit.points / 2];
    const struct terrane_window window = {0, (middle->x >> 4) - 40, (middle->y >> 4) - 40, 1, 81, 81};
    float *heights = edited_new(world, &window, &routed->edit, 1);
    const double segment = (double)(2 * PARTS << routed->window.level);
    bool within[81 * 81];
    for (int k = 0; k < 81 * 81; k++) {
        const struct terrane_path_point here = {.x = (window.gi + k % 81) * PARTS,
                                                .y = (window.gj + k / 81) * PARTS};
        within[k] = false;
        for (int p = 0; p < routed->edit.points; p++)
            if (apart(&here, &routed->line[p]) <= routed->edit.inner - 1) {
                const double off = fabs((double)heights[k] * UNIT - routed->line[p].height);
                assert_true(off <= slope * (apart(&here, &routed->line[p]) + segment) + 2);
                within[k] = true;
            }
        if (k % 81 > 0 && within[k] && within[k - 1])
            assert_true(fabs(heights[k] - heights[k - 1]) * UNIT <= slope * PARTS + 2);
    }
    free(heights);
}

TEST(lines_keep_their_limits)
{
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct dice dice = {41};
    int found = 0, longest = 0;
    edit_world(&world, &recipe);
    for (int n = 0; n < 40; n++) {
        static struct routed routed;
        struct terrane_way way = {.inner = 60,
                                  .outer = 200,
                                  .slope = 20000,
                                  .depth = dice_int(&dice, 1, 9) * UNIT,
                                  .places = dice_int(&dice, 2, 5)};
        const int around = 600 << dice_int(&dice, 0, 5);
        for (int k = 0; k < way.places; k++) {
            way.x[k] = (INT64_C(1) << 40) + dice_int(&dice, -around, around);
            way.y[k] = dice_int(&dice, -around, around);
        }
        const int error = route(&world, &way, &routed);
        const double slope = way.slope * (double)recipe.spacing_m / 64;
        assert_true(error == 0 || (error == TERRANE_EEDIT && routed.why.fault >= TERRANE_WAY_STEEP));
        for (int i = 0; error == 0 && i < routed.edit.points; i++) {
            const struct terrane_path_point *point = &routed.line[i];
            assert_true(fabs(point->height - units_at(&recipe, &routed, point)) <= way.depth + 3);
            for (int k = 0; k < i; k++)
                assert_true(abs(point->height - routed.line[k].height) <=
                            slope * apart(point, &routed.line[k]));
        }
        if (error == 0) {
            const struct terrane_path_point *last = &routed.line[routed.edit.points - 1];
            assert_int_equal(terrane_edit_check(&recipe, &routed.edit, NULL), 0);
            assert_true(routed.line->x == way.x[0] && routed.line->y == way.y[0] &&
                        last->x == way.x[way.places - 1] && last->y == way.y[way.places - 1]);
            look_at_surface(&world, &routed, slope);
            found++;
            longest = routed.edit.points > longest ? routed.edit.points : longest;
        }
        free(routed.heights);
    }
    assert_true(found > 10 && found < 40 && longest > 50);
}

/* ... and nothing else: the operation and the line that were there stay. */
TEST(what_has_no_line_is_told)
{
    static struct terrane_path_point before[TERRANE_EDIT_WAY_POINTS];
    struct terrane_recipe recipe;
    struct terrane_world world;
    static struct routed routed;
    edit_world(&world, &recipe);
    const struct terrane_way way = {.inner = 60,
                                    .outer = 200,
                                    .slope = 65536,
                                    .depth = 4000 * UNIT,
                                    .places = 2,
                                    .x = {0, 4000},
                                    .y = {0, 300}};
    const struct {
        int32_t slope, depth;
        int64_t x;
        enum terrane_way_fault fault;
    } wrong[] = {{65536, 4000 * UNIT, 4000, 0},
                 {1, 4000 * UNIT, 4000, TERRANE_WAY_STEEP},
                 {65536, 1, 4000, TERRANE_WAY_DEEP},
                 {65536, 4000 * UNIT, 0, TERRANE_WAY_APART},
                 {65536, 4000 * UNIT, 4000, TERRANE_WAY_LONG}};
    memset(before, 0xA5, sizeof before);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct terrane_way one = way;
        one.slope = wrong[k].slope, one.depth = wrong[k].depth, one.x[1] = wrong[k].x;
        one.y[1] = wrong[k].x ? 300 : 0;
        one.inner = wrong[k].fault == TERRANE_WAY_LONG ? way.outer + 1 : way.inner;
        memcpy(routed.line, before, sizeof before);
        memcpy(&routed.edit, before, sizeof routed.edit);
        assert_int_equal(route(&world, &one, &routed), wrong[k].fault ? TERRANE_EEDIT : 0);
        assert_int_equal(routed.why.fault, wrong[k].fault);
        assert_true(!wrong[k].fault || (routed.why.x >= 0 && routed.why.x <= 4000 && routed.why.by >= 0));
        assert_true(!wrong[k].fault || (memcmp(routed.line, before, sizeof before) == 0 &&
                                        memcmp(&routed.edit, before, sizeof routed.edit) == 0));
        free(routed.heights);
    }
    for (int k = 0; k < 4; k++) {
        struct terrane_way bad = way;
        bad.places = k == 0 ? 1 : k == 1 ? TERRANE_WAY_PLACES + 1 : 2;
        bad.x[1] = k == 2 ? INT64_MIN : k == 3 ? 1 << 21 : bad.x[1];
        assert_false(terrane_way_needs(&bad, &routed.window));
    }
}

GROUP(ways, set_up, tear_down);
