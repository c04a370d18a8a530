/*
 * terrane recipe: lists the book; checks one recipe and tells what it makes.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/terrane_make.h"
#include "../config/config.h"
#include "../recipe/worlds.h"
#include "tool.h"

static const char usage[] = "usage: terrane recipe [NAME | FILE.json] [options]\n\n"
                            "  without a word   lists the book of recipes\n"
                            "  NAME             tells what a recipe of the book makes\n"
                            "  FILE.json        checks a file and tells what it makes\n"
                            "  --config FILE    for the directory of recipes\n\n"
                            "Exit status 1 with one line that names the value, when a recipe is refused.\n";

static void list(const struct worlds *worlds)
{
    const struct recipe *recipe;
    for (size_t k = 0; (recipe = book_at(worlds->book, k)) != NULL; k++)
        printf("%-14s%c %s\n", recipe->name, recipe == worlds->standard ? '*' : ' ', recipe->description);
}

static void tell_terms(const struct terrane_recipe *recipe)
{
    printf("\nterms\n");
    for (int i = 0; i < recipe->terms; i++) {
        const struct terrane_term *term = &recipe->term[i];
        printf("  %2d  %-23s  %s", i, term->name, terrane_op_name[term->op]);
        if (term->op == TERRANE_OP_FRACTAL)
            printf(", %d octaves from %.9g m", term->fractal.octaves, term->fractal.cell * recipe->spacing_m);
        if (term->op == TERRANE_OP_RASTER)
            printf(", %d x %d samples every %.9g m", term->raster->width, term->raster->height, term->step_m);
        putchar('\n');
    }
    printf("\nzones\n");
    for (int z = 0; z < recipe->partition.zones; z++) {
        const struct terrane_zone *zone = &recipe->partition.zone[z];
        printf("  %2d  %-23s  %s\n", z, zone->name,
               zone->term >= 0 ? recipe->term[zone->term].name : "level");
    }
}

/* The numbers of droplets: one where all zones agree, else one a zone. */
static void tell_droplets(const struct terrane_recipe *recipe)
{
    float number[TERRANE_ZONES_MAX][TERRANE_DROPLET_NUMBERS];
    const int zones = recipe->partition.zones;
    _Static_assert(sizeof number == sizeof recipe->erosion.zone, "nothing but numbers");
    memcpy(number, recipe->erosion.zone, sizeof number);
    for (int k = 0; k < (int)TERRANE_DROPLET_NUMBERS; k++) {
        bool differ = false;
        for (int z = 1; z < zones; z++)
            differ |= number[z][k] != number[0][k];
        printf("  %-13s ", terrane_droplet_name[k]);
        for (int z = 0; z < (differ ? zones : 1); z++)
            printf(" %.6g", (double)number[z][k]);
        putchar('\n');
    }
}

static struct terrane_ground_errors errors_of(const struct terrane_recipe *recipe, int level)
{
    struct terrane_ground_errors errors;
    terrane_ground_errors(recipe, level, &errors);
    return errors;
}

static void tell_erosion(const struct terrane_recipe *recipe)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    if (erosion->levels == 0)
        return;
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(recipe, &bounds);
    printf("\nerosion of levels 0 .. %d: at most %.9g m, in steps of %.9g m\n", erosion->levels - 1,
           bounds.erosion_m, terrane_units(recipe).erosion_m);
    printf("  level  phases  steps  slides  creep  halo  m at most\n");
    for (int level = 0; level < erosion->levels; level++)
        printf("  %5d  %6d  %5d  %6d  %5d  %4d  %.6g\n", level, erosion->phases[level], erosion->steps[level],
               erosion->slides[level], erosion->creep[level], terrane_erosion_halo(recipe, level),
               errors_of(recipe, level + 1).erosion_m - errors_of(recipe, level).erosion_m);
    tell_droplets(recipe);
}

static void tell_plates(const struct terrane_recipe *recipe)
{
    const struct terrane_plates *plates = &recipe->plates;
    const double cell_m = ldexp(recipe->spacing_m, plates->cell_log2);
    if (plates->cell_log2 == 0)
        return;
    printf("\nplates of blocks %.9g m wide, %.6g of them land, whose lines are seen up to %.9g m\n", cell_m,
           (double)plates->land, (double)plates->reach * cell_m);
}

static void tell_climate(const struct terrane_recipe *recipe)
{
    const struct terrane_climate *climate = &recipe->climate;
    const double node_m = ldexp(recipe->spacing_m, climate->cell_log2);
    if (climate->cell_log2 == 0)
        return;
    printf("\nclimate every %.9g m, over %s: %.6g .. %.6g degrees, ", node_m,
           recipe->term[climate->ground].name, (double)climate->cold_c, (double)climate->warm_c);
    if (climate->period_log2 == 0)
        printf("no bands");
    else
        printf("bands of %.9g m", ldexp(recipe->spacing_m, climate->period_log2));
    printf(", %.6g mm a year over warm sea\n", (double)climate->rain_mm);
}

static void tell_lakes(const struct terrane_recipe *recipe)
{
    const struct terrane_lakes *lakes = &recipe->lakes;
    const double sample_m = recipe->spacing_m * (double)(1 << lakes->level);
    const int cell = 1 << lakes->cell_log2;
    if (lakes->share == 0)
        return;
    printf("\nlakes of level %d, in samples of %.9g m\n", lakes->level, sample_m);
    printf("  start in %.6g of all cells of %d samples (%.9g m)\n", (double)lakes->share, cell,
           cell * sample_m);
    printf("  reach %d samples (%.9g m), are %.6g .. %.6g m deep\n", lakes->radius, lakes->radius * sample_m,
           (double)lakes->shallow_m, (double)lakes->depth_m);
}

static void tell_rivers(const struct terrane_recipe *recipe)
{
    const struct terrane_rivers *rivers = &recipe->rivers;
    if (rivers->top == 0)
        return;
    printf("\nrivers of every second level from %d to %d, in samples of %.9g to %.9g m\n", rivers->top,
           rivers->bottom, recipe->spacing_m * (1 << rivers->top), recipe->spacing_m * (1 << rivers->bottom));
    printf("  fall (%.6g + %.6g a metre of height) * area^-%.6g, begin at %.6g ha, ",
           (double)rivers->steepness, (double)rivers->rise, (double)rivers->concavity,
           (double)rivers->sources_ha);
    if (rivers->runoff < 0)
        printf("%.6g mm run off a year\n", (double)rivers->runoff_mm);
    else
        printf("%s is what runs off\n", recipe->term[rivers->runoff].name);
    if (rivers->sand > 0)
        printf("%s is the sand on it\n", recipe->term[rivers->sand - 1].name);
    printf("  cut %.6g m at most, fill %.6g of a basin with water that is over %.6g m deep\n",
           (double)rivers->cut_m, (double)rivers->fill, (double)rivers->shallow_m);
    printf("  drain inland over %.6g km from the sea, are %.6g m wide and %.6g m deep at 1 m3/s\n",
           (double)rivers->inland_km, (double)rivers->width, (double)rivers->depth);
    if (rivers->shown != 1)
        printf("  are shown on maps where they carry %.6g times what is usual\n", (double)rivers->shown);
    if (rivers->flats > 0)
        printf("  lakes on maps are deeper than %.6g of a cell\n", (double)rivers->flats);
    if (rivers->rounding > 0)
        printf("  hillsides are rounded %d times\n", rivers->rounding);
    if (recipe->ice.width_m > 0)
        printf("  ice has made troughs %.6g m to the wall, from ground of %.6g m on, whole from %.6g m\n",
               (double)recipe->ice.width_m, (double)recipe->ice.from_m, (double)recipe->ice.full_m);
}

static void tell_paths(const struct terrane_recipe *recipe)
{
    const struct terrane_paths *paths = &recipe->paths;
    const double sample_m = recipe->spacing_m * (double)(1 << paths->level);
    const int cell = 1 << paths->cell_log2;
    if (paths->width_m == 0)
        return;
    printf("\npaths of level %d, in samples of %.9g m\n", paths->level, sample_m);
    printf("  one node in each cell of %d samples (%.9g m)\n", cell, cell * sample_m);
    printf(
        "  %.6g m wide with %.6g m on both sides, rise %.6g at most, cut or raise ground by %.6g m at most\n",
        (double)paths->width_m, (double)paths->border_m, (double)paths->slope, (double)paths->depth_m);
}

static void tell_caves(const struct terrane_recipe *recipe)
{
    const struct terrane_caves *caves = &recipe->caves;
    const double sample_m = recipe->spacing_m * (double)(1 << caves->level);
    const int cell = 1 << caves->cell_log2;
    if (caves->share == 0)
        return;
    printf("\ncaves of level %d, in samples of %.9g m\n", caves->level, sample_m);
    printf("  tried in %.6g of all cells of %d samples (%.9g m), under tops above %.6g m\n",
           (double)caves->share, cell, cell * sample_m, (double)caves->high_m);
    printf("  reach %d samples (%.9g m), have %.6g samples of floor at least, are %.6g m high at most\n",
           caves->radius, caves->radius * sample_m, (double)caves->room, (double)caves->height_m);
    printf("  under %.6g m of rock at least, entered from ground no steeper than %.6g\n",
           (double)caves->roof_m, (double)caves->slope);
}

static void tell_cover(const struct terrane_recipe *recipe)
{
    if (recipe->cover.materials > 0)
        printf("\ncover\n");
    for (int m = 0; m < recipe->cover.materials; m++) {
        const struct terrane_material *material = &recipe->cover.material[m];
        printf("  %2d  %-23s  up to %.6g of what is left", m, material->name, (double)material->share);
        for (int k = 0; k < material->conditions; k++) {
            const int of = material->condition[k].of, term = of - TERRANE_COVER_QUANTITIES;
            printf("%s%s", k > 0 ? ", " : ", by ",
                   term >= 0 ? recipe->term[term].name : terrane_cover_quantity_name[of]);
        }
        putchar('\n');
    }
}

static void tell_objects(const struct terrane_recipe *recipe)
{
    if (recipe->objects.classes > 0)
        printf("\nobjects\n");
    for (int c = 0; c < recipe->objects.classes; c++) {
        const struct terrane_class *class = &recipe->objects.of[c];
        printf("  %2d  %-23s  %s, %.6g m apart, up to level %d, on", c, class->name,
               terrane_model_name[class->model], (double)class->radius_m, class->level);
        for (int m = 0; m < recipe->cover.materials; m++)
            if (class->on[m] > 0)
                printf(" %s (%.6g)", recipe->cover.material[m].name, (double)class->on[m]);
        for (int k = 0; k < class->conditions; k++)
            printf("%s%s", k > 0 ? ", " : ", by ",
                   recipe->term[class->condition[k].of - TERRANE_COVER_QUANTITIES].name);
        putchar('\n');
    }
}

static void tell_errors(const struct terrane_recipe *recipe, const char *what, size_t member)
{
    printf("\n%s\n", what);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        const struct terrane_ground_errors errors = errors_of(recipe, level);
        printf("%s%.4g",
               level % 8 ? "  "
               : level   ? "\n  "
                         : "  ",
               *(const double *)(const void *)((const char *)&errors + member));
    }
    putchar('\n');
}

static void tell_parts(const double seconds[TERRANE_PARTS])
{
    for (int part = 0; part < TERRANE_PARTS; part++)
        if (seconds[part] > 0)
            printf(" %s %.2f", terrane_part_name[part], seconds[part]);
    putchar('\n');
}

/* What the dearest tile takes, and what of that goes where. */
static void tell_seconds(const struct terrane_recipe *recipe)
{
    double seconds[TERRANE_PARTS];
    printf("tile      %.2f of %d s alone, with scalar kernels:",
           terrane_recipe_seconds(recipe, NULL, seconds), RECIPE_SECONDS_LIMIT);
    tell_parts(seconds);
    printf("          %.2f s here, with %s kernels:", terrane_recipe_seconds(recipe, terrane_isa(), seconds),
           terrane_isa());
    tell_parts(seconds);
}

static void tell(const struct recipe *recipe)
{
    const struct terrane_recipe *world = &recipe->world;
    struct terrane_ground_bounds bounds;
    struct terrane_cost cost;
    int octaves = 0;
    for (int i = 0; i < world->terms; i++)
        octaves += world->term[i].op == TERRANE_OP_FRACTAL ? world->term[i].fractal.octaves : 0;
    terrane_ground_bounds(world, &bounds);
    terrane_recipe_cost(world, &cost);
    if (recipe->description[0])
        printf("%s\n\n", recipe->description);
    printf("digest    ");
    for (int i = 0; i < 16; i++)
        printf("%02x", world->digest.byte[i]);
    printf("\ncost      %.0f of %d\noctaves   %d of %d\nterms     %d of %d\n", recipe->cost,
           RECIPE_COST_LIMIT, octaves, TERRANE_OCTAVES_ALL, world->terms, TERRANE_TERMS_MAX);
    if (cost.region > 0)
        printf("region    %.0f\n", cost.region);
    tell_seconds(world);
    printf("slopes    %s\nheights   %.1f .. %.1f m (16 bits: %.9g .. %.9g)\nsea       %.9g m\n",
           world->analytic ? "analytic" : "central differences", bounds.low_m, bounds.high_m,
           (double)world->low_m, (double)world->high_m, (double)world->sea_m);
    tell_terms(world);
    tell_plates(world);
    tell_climate(world);
    tell_erosion(world);
    tell_lakes(world);
    tell_rivers(world);
    tell_paths(world);
    tell_caves(world);
    tell_cover(world);
    tell_objects(world);
    tell_errors(world, "geometric error of each level, m", offsetof(struct terrane_ground_errors, terms_m));
    if (world->erosion.levels > 0)
        tell_errors(world, "... which erosion adds", offsetof(struct terrane_ground_errors, erosion_m));
    if (world->rivers.top > 0)
        tell_errors(world, "... which rivers add", offsetof(struct terrane_ground_errors, rivers_m));
}

/* The recipe that a word names: of the book, or of a file, which goes to *own. NULL: refused, with a line. */
static const struct recipe *recipe_named(const struct worlds *worlds, const char *word, struct recipe *own)
{
    char error[RECIPE_ERROR_BYTES];
    if (tool_is_file(word)) {
        if (recipe_load(own, word, error, sizeof error) == 0)
            return own;
        fprintf(stderr, "%s\n", error);
        return NULL;
    }
    const struct recipe *recipe = book_find(worlds->book, word, strlen(word));
    if (!recipe)
        fprintf(stderr, "terrane recipe: %s: there is no recipe of that name (terrane recipe lists them)\n",
                word);
    return recipe;
}

int recipe_command(int argc, char **argv)
{
    static struct recipe own;
    const char *file = NULL, *word = NULL;
    const struct option_spec specs[] = {{"config", 0, &file, NULL}, {0}};
    char error[CONFIG_ERROR_BYTES];
    struct config config = {0};
    struct worlds worlds = {0};
    const struct recipe *recipe = NULL;
    int words, status = 2;

    const int ended = options_read("recipe", usage, argc, argv, specs, &word, 1, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    const bool asks_book = words == 0 || !tool_is_file(word);
    if (config_environment_load(&config, file, error, sizeof error) != 0 ||
        (asks_book && worlds_open(&worlds, &config, error, sizeof error) != 0)) {
        fprintf(stderr, "terrane recipe: %s\n", error);
        goto out;
    }
    status = 0;
    if (words == 0)
        list(&worlds);
    else if ((recipe = recipe_named(&worlds, word, &own)) == NULL)
        status = 1;
    else
        tell(recipe);
    if (status == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "terrane recipe: standard output: %s\n", strerror(errno));
        status = 1;
    }
out:
    recipe_drop(&own);
    worlds_close(&worlds);
    config_free(&config);
    return status;
}
