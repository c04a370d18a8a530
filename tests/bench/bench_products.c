/*
 * bench_products paths|caves|drainage [--json FILE] [--quick] [--strict]: what a region of paths, caves or rivers of the recipe
 * wayfarer takes, its ground and water included, made from the regions that it rests on, which are there; and what is made of
 * it: the tile of level 0 that has the most of paths, carved and just eroded; the mesh of a cave. One thread, in turn.
 *
 * The region is the first one to the east of the origin's that shows enough of what it is about.
 */
#include "../../lib/base/window.h"
#include "../../lib/cave/cave_shown.h"
#include "../../lib/terrane_make.h"
#include "../golden/shipped.h"
#include "bench_rounds.h"

#include <string.h>

enum { ROUNDS = 15, ROUNDS_QUICK = 7, KEPT_MAX = 256, TRIES = 64, SIDE = 257 };

static const double seconds = 4.0;

/* What a group measures, and how much of it a region has to show: lines, caves, cells of land. */
static const struct group {
    const char *name;
    enum terrane_region_kind kind;
    int min;
    double limit_us;
} groups[] = {{"paths", TERRANE_REGION_PATHS, 8, 60e3},
              {"caves", TERRANE_REGION_CAVES, 1, 400e3},
              {"drainage", TERRANE_REGION_DRAINAGE, 1 << 16, 90e3}};

static struct work {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_memory memory;
    struct terrane_region region;
    struct terrane_region_view view;
    struct terrane_window tile;
    struct terrane_cave_mesh mesh;
    struct {
        struct terrane_region region;
        struct terrane_packed packed;
    } kept[KEPT_MAX];
    int count;
} work;

/* ---- Regions ------------------------------------------------------------------------------------------- */

static struct terrane_packed kept(const struct terrane_region *region);

static struct terrane_packed region_make(const struct terrane_region *region)
{
    struct terrane_region_needs needs;
    struct terrane_packed inputs[TERRANE_REGION_NEEDS], out;

    terrane_region_needs(&work.recipe, region, &needs);
    for (int k = 0; k < needs.count; k++)
        inputs[k] = kept(&needs.region[k]);
    bench_need("terrane_region_make",
               terrane_region_make(&work.world, region, &needs, inputs, &work.memory, &out));
    return out;
}

static struct terrane_packed kept(const struct terrane_region *region)
{
    for (int k = 0; k < work.count; k++) {
        const struct terrane_region *is = &work.kept[k].region;
        if (is->kind == region->kind && is->level == region->level && is->x == region->x &&
            is->y == region->y && is->variant == region->variant)
            return work.kept[k].packed;
    }
    if (work.count == KEPT_MAX)
        bench_die("regions", "more than expected");
    const struct terrane_packed packed = region_make(region);
    work.kept[work.count].region = *region;
    work.kept[work.count++].packed = packed;
    return packed;
}

/* The first cave whose mesh needs no more than the region's window; NULL: each is cut by its edge. */
static const struct terrane_cave *cave_inside(const struct terrane_region_view *view)
{
    for (int k = 0; k < view->caves; k++) {
        struct terrane_window needed;
        terrane_cave_mesh_needs(&work.recipe, &view->cave[k], &needed);
        if (window_covers(&view->window, &needed))
            return &view->cave[k];
    }
    return NULL;
}

static int shown(const struct terrane_region_view *view, enum terrane_region_kind kind)
{
    int land = 0;

    if (kind != TERRANE_REGION_DRAINAGE)
        return kind == TERRANE_REGION_CAVES ? cave_inside(view) != NULL : view->network.edges;
    for (int c = 0; c < view->window.width * view->window.height; c++)
        land += (terrane_drained_cell(&view->drained, (size_t)c).to & TERRANE_DRAIN_WAY) < 8;
    return land;
}

static void region_find(const struct group *group)
{
    const struct terrane_recipe *recipe = &work.recipe;

    work.region =
        (struct terrane_region){.kind = group->kind,
                                .level = group->kind == TERRANE_REGION_PATHS   ? recipe->paths.level
                                         : group->kind == TERRANE_REGION_CAVES ? recipe->caves.level
                                                                               : recipe->rivers.bottom,
                                .variant = TERRANE_VARIANT_ERODED};
    for (int k = 0; k < TRIES; k++, work.region.x++) {
        const struct terrane_packed packed = kept(&work.region);
        bench_need("terrane_region_open",
                   terrane_region_open(&work.region, &packed, &work.memory, &work.view));
        if (shown(&work.view, group->kind) >= group->min)
            return;
        terrane_region_close(&work.view, &work.memory);
    }
    bench_die(group->name, "nowhere around");
}

static void fill_region(const struct bench_method *m, int x, int y)
{
    (void)m, (void)x, (void)y;
    free(region_make(&work.region).data);
}

/* ---- Tiles and meshes ---------------------------------------------------------------------------------- */

/* Makes a tile's heights. Returns how many of its samples are path, where it is carved. */
static int tile_make(const struct terrane_window *tile, enum terrane_variant variant)
{
    static uint8_t kind[SIDE * SIDE];
    struct terrane_packed inputs[TERRANE_PLAN_REGIONS];
    struct terrane_plan plan;
    struct terrane_ground ground = {.world = NULL};
    int found = 0;

    bench_need("terrane_plan", terrane_plan(&work.recipe, tile, variant, TERRANE_READS_GROUND, &plan));
    for (int k = 0; k < plan.regions; k++)
        inputs[k] = kept(&plan.region[k]);
    bench_need("terrane_ground_open", terrane_ground_open(&work.world, &plan, inputs, &work.memory, &ground));
    bench_need("terrane_ground_layer", terrane_ground_layer(&ground, TERRANE_LAYER_HEIGHT));
    if (plan.carved)
        bench_need("terrane_ground_picture", terrane_ground_picture(&ground, TERRANE_PICTURE_PATHS, kind));
    for (int i = 0; i < SIDE * SIDE && plan.carved; i++)
        found += kind[i] != TERRANE_PATH_NONE;
    terrane_ground_close(&ground);
    return found;
}

/* The tile of the region's middle that has the most of paths. */
static void tile_find(void)
{
    const int64_t x = (2 * work.region.x + 1) << (work.region.level - 1), y = (2 * work.region.y + 1)
                                                                              << (work.region.level - 1);
    int max = 0;

    for (int k = 0; k < 16; k++) {
        struct terrane_window tile;
        bench_need("terrane_window_tile", terrane_window_tile(&tile, 0, x + k % 4, y + k / 4, SIDE));
        const int found = tile_make(&tile, TERRANE_VARIANT_CARVED);
        if (found > max) {
            max = found;
            work.tile = tile;
        }
    }
    if (max == 0)
        bench_die("tiles", "no path crosses one");
    printf("%d of %d samples of the tile are paths or beside them\n", max, SIDE * SIDE);
}

static void fill_tile(const struct bench_method *m, int x, int y)
{
    (void)x, (void)y;
    tile_make(&work.tile, (enum terrane_variant)m->subject);
}

static void fill_mesh(const struct bench_method *m, int x, int y)
{
    const struct terrane_region_view *view = &work.view;

    (void)m, (void)x, (void)y;
    bench_need("terrane_cave_mesh",
               terrane_cave_mesh(&work.world, &view->window, cave_inside(view), view->ground,
                                 view->floor_ceiling, &work.memory, &work.mesh));
}

static void mesh_open(void)
{
    work.mesh.vertex = bench_memory(3 * sizeof(float) * TERRANE_CAVE_VERTICES_MAX);
    work.mesh.normal = bench_memory(3 * sizeof(float) * TERRANE_CAVE_VERTICES_MAX);
    work.mesh.index = bench_memory(3 * sizeof(uint32_t) * TERRANE_CAVE_TRIANGLES_MAX);
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void method_add(struct bench *b, const char *name,
                       void (*fill)(const struct bench_method *m, int x, int y), int subject)
{
    bench_add(b,
              &(struct bench_method){.fill = fill,
                                     .subject = subject,
                                     .isa = terrane_isa_usable(0),
                                     .batch = fill == fill_tile ? 0 : 1},
              "%s", name);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const struct group *group = groups;

    while (argc < 2 || strcmp(argv[1], group->name) != 0)
        if (++group == groups + sizeof groups / sizeof *groups)
            bench_die("usage", "paths|caves|drainage [--json FILE] [--quick] [--strict]");
    const struct bench_options options = bench_options_read(argc - 1, argv + 1);
    bench_need("terrane_init", terrane_init(NULL));
    work.memory.scratch = bench_memory(terrane_scratch_bytes);
    recipe_shipped(&work.recipe, "wayfarer", TERRANE_GENERATOR_VERSION);
    terrane_world_init(&work.world, &work.recipe, 42);
    region_find(group);
    method_add(&bench, "the region", fill_region, 0);
    if (group->kind == TERRANE_REGION_PATHS) {
        tile_find();
        method_add(&bench, "a tile, eroded", fill_tile, TERRANE_VARIANT_ERODED);
        method_add(&bench, "a tile, carved", fill_tile, TERRANE_VARIANT_CARVED);
    } else if (group->kind == TERRANE_REGION_CAVES) {
        mesh_open();
        method_add(&bench, "a cave's mesh", fill_mesh, 0);
    }
    bench_run(&bench, options.quick ? ROUNDS_QUICK : ROUNDS, options.quick ? 0.0 : seconds);
    printf("%s: one thread, %s, %d rounds; a region of %d x %d samples\n", group->name, terrane_isa_usable(0),
           bench.rounds, work.view.window.width, work.view.window.height);
    bench_print_runs(&bench, bench.methods);
    bench_line_time(&bench, "a region with its ground", &bench.method[0], group->limit_us);
    if (group->kind == TERRANE_REGION_PATHS)
        bench_line_value(&bench, "a tile with paths by the same without",
                         bench.method[2].median_us / bench.method[1].median_us, 2, false);
    else if (group->kind == TERRANE_REGION_CAVES)
        bench_line_time(&bench, "a cave's mesh", &bench.method[1], 5e3);
    return bench_report(&bench, &options);
}
