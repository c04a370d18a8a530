/*
 * A recipe as C: a definition that a program takes without JSON. lib/recipe_default.c is made with it.
 *
 * What is zero is left out; numbers have the digits that bring them back exactly.
 */
#include "recipe_source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_name[TERRANE_OPS] = {"FRACTAL", "SUM", "PRODUCT", "BLEND", "CURVE", "ZONES"};
static const char *const kind_name[TERRANE_FRACTAL_KINDS] = {
    "FBM",   "BILLOW", "RIDGED",   "DOUBLE_RIDGED",    "IQ", "MULTIFRACTAL", "HYBRID",
    "SWISS", "JORDAN", "MIDPOINT", "MIDPOINT_SMOOTHED"};
static const char *const base_name[TERRANE_BASES] = {
    "VALUE",   "POLYNOMIAL", "POLYNOMIAL_C1", "PERLIN3",     "PERLIN5",
    "HERMITE", "SIMPLEX",    "CELLULAR_F1",   "CELLULAR_F2", "CELLULAR_EDGE"};
static const char *const partition_name[TERRANE_PARTITION_KINDS] = {"NOISE", "VORONOI", "CLIMATE"};

/* The shortest decimal that is read back as v, with a point or an exponent, and an f. */
static const char *number(float v, char text[32])
{
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, 32, "%.*g", digits, (double)v);
        if (strtof(text, NULL) == v)
            break;
    }
    if ((!strchr(text, '.') || strchr(text, 'e')) && v > -1e6f && v < 1e6f && v == (float)(long)v)
        snprintf(text, 32, "%ld.0", (long)v);
    const size_t end = strlen(text);
    snprintf(text + end, 32 - end, "f");
    return text;
}

static void member(FILE *out, const char *name, float v)
{
    char text[32];
    if (v != 0)
        fprintf(out, " .%s = %s,", name, number(v, text));
}

static void members(FILE *out, const char *name, const float *v, int count)
{
    char text[32];
    if (count == 0)
        return;
    fprintf(out, " .%s = {", name);
    for (int k = 0; k < count; k++)
        fprintf(out, "%s%s", k ? ", " : "", number(v[k], text));
    fputs("},", out);
}

static void whole(FILE *out, const char *name, long v)
{
    if (v != 0)
        fprintf(out, " .%s = %ld,", name, v);
}

static void print_fractal(FILE *out, const struct terrane_fractal *fractal)
{
    fprintf(out, " .fractal = {.kind = TERRANE_%s, .base = {", kind_name[fractal->kind]);
    for (int i = 0; i < fractal->octaves; i++)
        fprintf(out, "%sTERRANE_%s", i ? ", " : "", base_name[fractal->base[i]]);
    fprintf(out, "}, .salt = %uu, .octaves = %d, .cell = %.17g, .lacunarity = %.17g,",
            (unsigned)fractal->salt, fractal->octaves, fractal->cell, fractal->lacunarity);
    member(out, "amplitude_m", fractal->amplitude_m);
    member(out, "gain", fractal->gain);
    member(out, "weight", fractal->weight);
    member(out, "jitter", fractal->jitter);
    member(out, "offset", fractal->offset);
    member(out, "sharpness", fractal->sharpness);
    member(out, "warp", fractal->warp);
    member(out, "damp", fractal->damp);
    fprintf(out, " .warp_term = {%d, %d},", fractal->warp_term[0], fractal->warp_term[1]);
    member(out, "warp_m", fractal->warp_m);
    fputs("},", out);
}

static void print_term(FILE *out, const struct terrane_term *term)
{
    fprintf(out, "(struct terrane_term){.name = \"%s\", .op = TERRANE_OP_%s,", term->name, op_name[term->op]);
    whole(out, "inputs", term->inputs);
    if (term->inputs > 0) {
        fputs(" .in = {", out);
        for (int k = 0; k < term->inputs; k++)
            fprintf(out, "%s%d", k ? ", " : "", term->in[k]);
        fputs("},", out);
    }
    if (term->op == TERRANE_OP_SUM || term->op == TERRANE_OP_PRODUCT)
        members(out, "factor", term->factor, term->inputs > 0 ? term->inputs : 1);
    member(out, "offset", term->offset);
    member(out, "low", term->low);
    member(out, "high", term->high);
    whole(out, "knots", term->knots);
    members(out, "knot_x", term->knot_x, term->knots);
    members(out, "knot_y", term->knot_y, term->knots);
    if (term->op == TERRANE_OP_FRACTAL)
        print_fractal(out, &term->fractal);
    fputs("};\n", out);
}

static void print_gradient(FILE *out, const char *name, const struct terrane_gradient *gradient)
{
    char text[32];
    if (gradient->stops == 0)
        return;
    fprintf(out, " .%s = {.stops = %d, .stop = {", name, gradient->stops);
    for (int k = 0; k < gradient->stops; k++)
        fprintf(out, "%s{%s, {%d, %d, %d}}", k ? ", " : "", number(gradient->stop[k].at_m, text),
                gradient->stop[k].colour[0], gradient->stop[k].colour[1], gradient->stop[k].colour[2]);
    fputs("}},", out);
}

static void print_zone(FILE *out, const struct terrane_zone *zone)
{
    fprintf(out, "(struct terrane_zone){.name = \"%s\", .term = %d,", zone->name, zone->term);
    member(out, "amplitude", zone->amplitude);
    member(out, "offset_m", zone->offset_m);
    member(out, "share", zone->share);
    fprintf(out, " .colour = {%d, %d, %d},", zone->colour[0], zone->colour[1], zone->colour[2]);
    print_gradient(out, "ground", &zone->ground);
    print_gradient(out, "steep", &zone->steep);
    fputs("};\n", out);
}

static void print_partition(FILE *out, const struct terrane_partition *partition)
{
    fprintf(out, "recipe->partition = (struct terrane_partition){.kind = TERRANE_PARTITION_%s, .zones = %d,",
            partition_name[partition->kind], partition->zones);
    member(out, "blend", partition->blend);
    whole(out, "by", partition->by);
    if (partition->kind == TERRANE_PARTITION_NOISE)
        members(out, "threshold", partition->threshold, partition->zones - 1);
    if (partition->salt)
        fprintf(out, " .salt = %uu,", (unsigned)partition->salt);
    whole(out, "cell_log2", partition->cell_log2);
    member(out, "jitter", partition->jitter);
    whole(out, "rounds", partition->rounds);
    whole(out, "temperature", partition->temperature);
    whole(out, "moisture", partition->moisture);
    member(out, "cold", partition->cold);
    member(out, "hot", partition->hot);
    member(out, "dry", partition->dry);
    member(out, "wet", partition->wet);
    whole(out, "table_rows", partition->table_rows);
    whole(out, "table_columns", partition->table_columns);
    const int entries = partition->table_rows * partition->table_columns;
    for (int k = 0; k < entries; k++)
        fprintf(out, "%s%d%s", k ? ", " : " .table = {", partition->table[k], k + 1 == entries ? "}," : "");
    fputs("};\n", out);
    for (int z = 0; z < partition->zones; z++) {
        fprintf(out, "recipe->partition.zone[%d] = ", z);
        print_zone(out, &partition->zone[z]);
    }
}

static void print_counts(FILE *out, const char *name, const uint8_t *count, int levels)
{
    fprintf(out, " .%s = {", name);
    for (int level = 0; level < levels; level++)
        fprintf(out, "%s%d", level ? ", " : "", count[level]);
    fputs("},", out);
}

static void print_droplets(FILE *out, const struct terrane_droplets *droplets)
{
    static const char *const name[] = {"density",      "lifetime", "inertia",    "capacity",
                                       "min_capacity", "erosion",  "deposition", "evaporation",
                                       "gravity",      "speed",    "water",      "talus_deg"};
    float number[TERRANE_DROPLET_NUMBERS];
    _Static_assert(sizeof name / sizeof *name == TERRANE_DROPLET_NUMBERS, "a name for each member");
    memcpy(number, droplets, sizeof number);
    fputs("(struct terrane_droplets){", out);
    for (size_t k = 0; k < TERRANE_DROPLET_NUMBERS; k++)
        member(out, name[k], number[k]);
    fputs("};\n", out);
}

static void print_erosion(FILE *out, const struct terrane_recipe *recipe)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    if (erosion->levels == 0)
        return;
    fprintf(out, "recipe->erosion = (struct terrane_erosion){.levels = %d,", erosion->levels);
    print_counts(out, "phases", erosion->phases, erosion->levels);
    print_counts(out, "steps", erosion->steps, erosion->levels);
    print_counts(out, "slides", erosion->slides, erosion->levels);
    member(out, "limit", erosion->limit);
    fputs("};\n", out);
    for (int z = 0; z < recipe->partition.zones; z++) {
        fprintf(out, "recipe->erosion.zone[%d] = ", z);
        print_droplets(out, &erosion->zone[z]);
    }
}

static void print_lakes(FILE *out, const struct terrane_lakes *lakes)
{
    if (lakes->share == 0)
        return;
    fputs("recipe->lakes = (struct terrane_lakes){", out);
    member(out, "share", lakes->share);
    whole(out, "level", lakes->level);
    whole(out, "cell_log2", lakes->cell_log2);
    whole(out, "radius", lakes->radius);
    member(out, "depth_m", lakes->depth_m);
    member(out, "shallow_m", lakes->shallow_m);
    fputs("};\n", out);
}

static void print_paths(FILE *out, const struct terrane_paths *paths)
{
    if (paths->width_m == 0)
        return;
    fputs("recipe->paths = (struct terrane_paths){", out);
    member(out, "width_m", paths->width_m);
    whole(out, "level", paths->level);
    whole(out, "cell_log2", paths->cell_log2);
    member(out, "slope", paths->slope);
    member(out, "border_m", paths->border_m);
    member(out, "depth_m", paths->depth_m);
    fprintf(out, " .colour = {%d, %d, %d},", paths->colour[0], paths->colour[1], paths->colour[2]);
    fputs("};\n", out);
}

static void print_caves(FILE *out, const struct terrane_caves *caves)
{
    if (caves->share == 0)
        return;
    fputs("recipe->caves = (struct terrane_caves){", out);
    member(out, "share", caves->share);
    whole(out, "level", caves->level);
    whole(out, "cell_log2", caves->cell_log2);
    whole(out, "radius", caves->radius);
    member(out, "high_m", caves->high_m);
    member(out, "roof_m", caves->roof_m);
    member(out, "height_m", caves->height_m);
    member(out, "room", caves->room);
    member(out, "slope", caves->slope);
    fputs("};\n", out);
}

void recipe_source_write(FILE *out, const struct terrane_recipe *recipe)
{
    fprintf(out,
            "void recipe_fill(struct terrane_recipe *recipe)\n{\n"
            "*recipe = (struct terrane_recipe){.spacing_m = %.17g,",
            recipe->spacing_m);
    whole(out, "alias_octaves", recipe->alias_octaves);
    member(out, "low_m", recipe->low_m);
    member(out, "high_m", recipe->high_m);
    member(out, "sea_m", recipe->sea_m);
    whole(out, "terms", recipe->terms);
    member(out, "steep_low", recipe->steep_low);
    member(out, "steep_high", recipe->steep_high);
    print_gradient(out, "water", &recipe->water);
    fputs("};\n", out);
    for (int t = 0; t < recipe->terms; t++) {
        fprintf(out, "recipe->term[%d] = ", t);
        print_term(out, &recipe->term[t]);
    }
    print_partition(out, &recipe->partition);
    print_erosion(out, recipe);
    print_lakes(out, &recipe->lakes);
    print_paths(out, &recipe->paths);
    print_caves(out, &recipe->caves);
    fputs("const int error = terrane_recipe_init(recipe, NULL);\n"
          "(void)error; /* none: it was accepted before it was written */\n"
          "}\n",
          out);
}
