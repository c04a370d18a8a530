/*
 * A world's paths and its rivers (lib/path/world_river.c), against all pieces of all channels around.
 */
#include "paths_kit.h"

#include "../../../lib/drain/river.h"
#include "../drain/drain_kit.h"

enum { PIECES_MAX = 1 << 16 };

struct piece {
    struct river_piece at;
    double half; /* fine units */
};

struct land {
    struct paths *paths;
    struct path_scale scale;
    struct terrane_drained drained;
    struct piece *piece; /* of rivers that are seen at level 0 */
    int pieces;
};

/* Hills with brooks; a plain with broad rivers. */
static struct land land_new(bool plain)
{
    struct land land = {.paths = paths_new(PATHS_HILLS, plain ? 4 : 9)};
    struct terrane_recipe *recipe = &land.paths->recipe;
    recipe->lakes.share = 0;
    recipe->term[0].fractal.amplitude_m = plain ? 20 : 50;
    recipe->sea_m = -150;
    rivers_usual(recipe, 5, 7);
    recipe->rivers.width = plain ? 60 : 8;
    assert_int_equal(terrane_recipe_init(recipe, NULL), 0);
    terrane_world_init(&land.paths->world, recipe, plain ? 4 : 9);
    land.scale = path_scale_of(recipe);
    land.piece = direct_room(PIECES_MAX * sizeof *land.piece);
    return land;
}

static void land_free(struct land *land)
{
    free(land->drained.z);
    free(land->piece);
    paths_free(land->paths);
}

static void find_pieces(struct land *land)
{
    const struct terrane_recipe *recipe = &land->paths->recipe;
    const struct terrane_window *window = &land->drained.window;
    land->pieces = 0;
    for (int j = 4; j < window->height - 4; j++)
        for (int i = 4; i < window->width - 4; i++) {
            const size_t at = (size_t)j * (size_t)window->width + (size_t)i;
            const double width_m =
                (double)river_width_m(recipe, terrane_drained_cell(&land->drained, at).runoff);
            struct river_piece piece[RIVER_PIECES + 1];
            if (!river_at(&land->drained, at, river_min(recipe)) || width_m < 0.7 * recipe->spacing_m ||
                terrane_drained_cell(&land->drained, at).to & TERRANE_DRAIN_LAKE)
                continue;
            const int count = river_pieces(&land->paths->world, &land->drained, at, river_min(recipe), piece);
            assert_true(land->pieces + count <= PIECES_MAX);
            for (int k = 0; k < count; k++)
                land->piece[land->pieces++] = (struct piece){
                    piece[k], fmin((double)RIVER_WIDENED * width_m, 128 * recipe->spacing_m) / 2 * 16};
        }
}

static void land_make(struct land *land, int64_t x, int64_t y)
{
    struct paths *paths = land->paths;
    struct terrane_path_network *network = &paths->network;
    assert_int_equal(paths_graph(paths, x, y), 0);
    const struct terrane_window lakes = window_around(&paths->needs, 5);
    const struct terrane_window cells = window_grown(&lakes, TERRANE_RIVERS_MARGIN);
    const size_t samples = samples_of(&paths->needs);
    float *level_m = direct_floats(samples_of(&lakes));
    free(land->drained.z);
    free(paths->ground);
    free(paths->depth_m);
    land->drained = drained_new(&paths->world, NULL, &cells);
    find_pieces(land);
    paths->ground = direct_floats(samples);
    paths->depth_m = direct_floats(samples);
    assert_int_equal(terrane_heights(&paths->world, &paths->needs, &paths->memory, paths->ground), 0);
    assert_int_equal(
        terrane_rivers_apply(&paths->world, &paths->needs, &land->drained, NULL, paths->ground, NULL, NULL),
        0);
    assert_int_equal(
        terrane_drained_levels(&paths->recipe, &lakes, &land->drained, paths->needs.level, level_m), 0);
    water_rows(TERRANE_DRY, &paths->needs, paths->ground, &lakes, level_m, NULL, paths->depth_m);
    assert_int_equal(terrane_paths_lines(&paths->world, &paths->needs, paths->ground, paths->depth_m,
                                         &land->drained, &guarded_memory, network),
                     0);
    assert_true(terrane_paths_valid(&paths->recipe, network));
    free(level_m);
}

/* The river that a place lies deepest in, if it is no further than wide from its water; and that water, in units. */
static const struct piece *water_at(const struct land *land, double x, double y, double wide, double *water)
{
    const double units = terrane_erosion_unit_m(&land->paths->recipe) / land->scale.unit_m;
    const struct piece *found = NULL;
    for (int k = 0; k < land->pieces; k++) {
        const struct piece *piece = &land->piece[k];
        const struct river_point *a = &piece->at.from, *b = &piece->at.to;
        const double ex = (double)(b->x - a->x), ey = (double)(b->y - a->y);
        const double dx = x - (double)a->x, dy = y - (double)a->y, e2 = ex * ex + ey * ey;
        if (fabs(dx) > 4000 || fabs(dy) > 4000)
            continue;
        const double t = e2 > 0 ? fmin(fmax((dx * ex + dy * ey) / e2, 0), 1) : 0;
        if (hypot(dx - t * ex, dy - t * ey) <= piece->half + wide && (!found || piece->half > found->half)) {
            found = piece;
            *water = (a->z + t * (b->z - a->z)) * units;
        }
    }
    return found;
}

/* Over water there is a ford or a bridge, above it; and nowhere else. */
static void check_line(const struct land *land, const struct terrane_path_point *point, int points, int *seen)
{
    enum { STEPS = 16 };
    const double sample = (double)(1 << land->scale.sample_log2);
    double length = 0, broadest = 0, water = 0;
    for (int k = 0; k + 1 < points; k++) {
        const double ex = (double)(point[k + 1].x - point[k].x), ey = (double)(point[k + 1].y - point[k].y);
        const enum terrane_path_over over = point[k].over;
        for (int s = 0; s <= STEPS; s++) {
            const double t = (double)s / STEPS, x = (double)point[k].x + t * ex,
                         y = (double)point[k].y + t * ey;
            const double height = point[k].height + t * (point[k + 1].height - point[k].height);
            const struct piece *in = water_at(land, x, y, 0, &water);
            assert_true(!in || s == 0 || s == STEPS || over != TERRANE_PATH_LAND);
            const bool broad = in && in->half > TERRANE_PATH_FORD_M * 8 * (double)RIVER_WIDENED;
            assert_true(!in || height >= water - 2 + (broad ? 0.9 / land->scale.unit_m : 0));
            if (over == TERRANE_PATH_LAND)
                continue;
            const struct piece *by = water_at(land, x, y, land->scale.half, &water);
            assert_true(!by || over == TERRANE_PATH_BRIDGE ||
                        (!broad && height - water < 2 / land->scale.unit_m));
            broadest = by ? fmax(broadest, by->half) : broadest;
        }
        if (over == TERRANE_PATH_LAND)
            continue;
        length += hypot(ex, ey);
        if (point[k + 1].over != TERRANE_PATH_LAND)
            continue;
        assert_true(broadest > 0 && length <= 4 * 2 * (broadest + land->scale.half) + sample);
        seen[over]++;
        length = broadest = 0;
    }
}

TEST(lines_cross_rivers_and_do_not_run_along_them)
{
    for (int plain = 0; plain < 2; plain++) {
        struct land land = land_new(plain);
        int seen[TERRANE_PATH_OVERS] = {0};
        for (int64_t at = 0; at < 3; at++) {
            const struct terrane_path_network *network = &land.paths->network;
            land_make(&land, at, -at);
            for (int e = 0; e < network->edges; e++)
                if (network->edge[e].points > 0)
                    check_line(&land, network->point + network->edge[e].first, network->edge[e].points, seen);
        }
        assert_true(seen[TERRANE_PATH_BRIDGE] >= 3 && (plain || seen[TERRANE_PATH_FORD] >= 3));
        land_free(&land);
    }
}

GROUP(paths_rivers);
