/*
 * The canonical form of recipes and its digest.
 *
 * Two recipes that give the same samples by the rules of terrane.h (they differ in members that do not count,
 * in the sign of a zero, in bytes after a name) become the same bytes, padding included: the form is written
 * member by member into zeros. The digest is of its members in the order of terrane.h (lib/README.md
 * "Identity"). It includes members that are zero because they do not count, so only one place decides what
 * counts.
 */
#include <string.h>

#include "../base/digest.h"
#include "kinds.h"
#include "member.h"
#include "recipe.h"

/* ---- Canonical form ------------------------------------------------------------------------------------ */

/* Adding 0 turns -0 into +0 and changes nothing else. */
static float plain(float v)
{
    return v + 0.0f;
}

static void fractal_canonical(struct terrane_fractal *out, const struct terrane_fractal *in)
{
    out->kind = in->kind;
    if (!fractal_is_midpoint(in))
        memcpy(out->base, in->base, (size_t)in->octaves);
    out->salt = in->salt;
    out->octaves = in->octaves;
    out->cell = in->cell;
    out->lacunarity = in->lacunarity;
    members_canonical(&fractal_members, fractal_traits(in), out, in);
    const bool displaced = fractal_is_displaced(in);
    for (int axis = 0; axis < 2; axis++)
        out->warp_term[axis] = displaced ? in->warp_term[axis] : -1;
    if (displaced)
        out->warp_m = in->warp_m;
}

static void raster_canonical(struct terrane_term *out, const struct terrane_term *in)
{
    out->raster = in->raster;
    out->step_m = in->step_m;
    out->fade_m = in->fade_m + 0.0;
    for (int axis = 0; axis < 2; axis++)
        out->at_m[axis] = in->at_m[axis] + 0.0;
}

static void term_canonical(struct terrane_term *out, const struct terrane_term *in)
{
    const struct op_row *row = &op_rows[in->op];
    name_canonical(out->name, in->name, sizeof out->name);
    out->op = in->op;
    if (row->parts & OP_FRACTAL) {
        fractal_canonical(&out->fractal, &in->fractal);
        return;
    }
    if (row->most > 0) {
        out->inputs = in->inputs;
        memcpy(out->in, in->in, (size_t)in->inputs * sizeof in->in[0]);
    }
    if (row->parts & OP_OF)
        out->of = in->of;
    if (row->parts & OP_FACTORS)
        floats_canonical(out->factor, in->factor, in->inputs);
    if (row->parts & OP_KNOTS) {
        out->knots = in->knots;
        floats_canonical(out->knot_x, in->knot_x, in->knots);
        floats_canonical(out->knot_y, in->knot_y, in->knots);
    }
    if (row->parts & OP_PLACED)
        raster_canonical(out, in);
    members_canonical(row->members, 0, out, in);
}

static void gradient_canonical(struct terrane_gradient *out, const struct terrane_gradient *in)
{
    out->stops = in->stops;
    for (int k = 0; k < in->stops; k++) {
        out->stop[k].at_m = plain(in->stop[k].at_m);
        memcpy(out->stop[k].colour, in->stop[k].colour, sizeof out->stop[k].colour);
    }
}

static void zone_canonical(struct terrane_zone *out, const struct terrane_zone *in, unsigned traits)
{
    name_canonical(out->name, in->name, sizeof out->name);
    out->term = in->term;
    members_canonical(&zone_members, traits, out, in);
    gradient_canonical(&out->ground, &in->ground);
    gradient_canonical(&out->steep, &in->steep);
}

static void partition_canonical(struct terrane_partition *out, const struct terrane_partition *in)
{
    out->zones = in->zones;
    for (int k = 0; k < in->zones; k++)
        zone_canonical(&out->zone[k], &in->zone[k], zone_traits(in, &in->zone[k]));
    if (in->zones == 1)
        return;
    out->kind = in->kind;
    out->blend = in->blend;
    switch (in->kind) {
    case TERRANE_PARTITION_NOISE:
        out->by = in->by;
        floats_canonical(out->threshold, in->threshold, in->zones - 1);
        break;
    case TERRANE_PARTITION_VORONOI:
        out->salt = in->salt;
        out->cell_log2 = in->cell_log2;
        members_canonical(&voronoi_members, 0, out, in);
        break;
    case TERRANE_PARTITION_CLIMATE:
        out->temperature = in->temperature;
        out->moisture = in->moisture;
        members_canonical(&climate_members, 0, out, in);
        out->table_rows = in->table_rows;
        out->table_columns = in->table_columns;
        memcpy(out->table, in->table, (size_t)in->table_rows * (size_t)in->table_columns);
        break;
    case TERRANE_PARTITION_KINDS:
        break;
    }
}

void recipe_canonical(struct terrane_recipe *out, const struct terrane_recipe *in)
{
    memset(out, 0, sizeof *out);
    out->generator = in->generator ? in->generator : TERRANE_GENERATOR_VERSION;
    out->spacing_m = in->spacing_m;
    out->alias_octaves = in->alias_octaves;
    out->low_m = plain(in->low_m);
    out->high_m = plain(in->high_m);
    out->sea_m = plain(in->sea_m);
    out->terms = in->terms;
    for (int i = 0; i < in->terms; i++)
        term_canonical(&out->term[i], &in->term[i]);
    partition_canonical(&out->partition, &in->partition);
    gradient_canonical(&out->water, &in->water);
    out->steep_low = plain(in->steep_low);
    out->steep_high = plain(in->steep_high);
    recipe_earth_canonical(out, in);
    recipe_erosion_canonical(out, in);
    recipe_paths_canonical(out, in);
    recipe_cover_canonical(out, in);
    recipe_objects_canonical(out, in);
}

/* ---- Digest -------------------------------------------------------------------------------------------- */

static void put_whole(struct digest *digest, int v)
{
    digest_put(digest, (uint64_t)(int64_t)v, 4);
}

static void put_fractal(struct digest *digest, const struct terrane_fractal *fractal)
{
    put_whole(digest, (int)fractal->kind);
    digest_put_bytes(digest, fractal->base, sizeof fractal->base);
    digest_put(digest, fractal->salt, 4);
    put_whole(digest, fractal->octaves);
    digest_put_double(digest, fractal->cell);
    digest_put_double(digest, fractal->lacunarity);
    members_digest(&fractal_members, digest, fractal);
    put_whole(digest, fractal->warp_term[0]);
    put_whole(digest, fractal->warp_term[1]);
    digest_put_float(digest, fractal->warp_m);
}

static void put_raster(struct digest *digest, const struct terrane_term *term)
{
    digest_put(digest, (uint64_t)term->raster->width, 4);
    digest_put(digest, (uint64_t)term->raster->height, 4);
    digest_put_bytes(digest, term->raster->digest.byte, sizeof term->raster->digest.byte);
    digest_put_double(digest, term->at_m[0]);
    digest_put_double(digest, term->at_m[1]);
    digest_put_double(digest, term->step_m);
    digest_put_double(digest, term->fade_m);
}

static void put_term(struct digest *digest, const struct terrane_term *term)
{
    put_whole(digest, (int)term->op);
    if (op_rows[term->op].parts & OP_OF)
        put_whole(digest, term->of);
    put_whole(digest, term->inputs);
    for (int k = 0; k < TERRANE_INPUTS_MAX; k++)
        put_whole(digest, term->in[k]);
    floats_digest(digest, term->factor, TERRANE_INPUTS_MAX);
    digest_put_float(digest, term->offset);
    digest_put_float(digest, term->low);
    digest_put_float(digest, term->high);
    put_whole(digest, term->knots);
    floats_digest(digest, term->knot_x, TERRANE_KNOTS_MAX);
    floats_digest(digest, term->knot_y, TERRANE_KNOTS_MAX);
    put_fractal(digest, &term->fractal);
    if (op_rows[term->op].parts & OP_PLACED)
        put_raster(digest, term);
}

static void put_gradient(struct digest *digest, const struct terrane_gradient *gradient)
{
    put_whole(digest, gradient->stops);
    for (int k = 0; k < gradient->stops; k++) {
        digest_put_float(digest, gradient->stop[k].at_m);
        digest_put_bytes(digest, gradient->stop[k].colour, sizeof gradient->stop[k].colour);
    }
}

static void put_zone(struct digest *digest, const struct terrane_zone *zone)
{
    digest_put_bytes(digest, (const uint8_t *)zone->name, sizeof zone->name);
    put_whole(digest, zone->term);
    members_digest(&zone_members, digest, zone);
    put_gradient(digest, &zone->ground);
    put_gradient(digest, &zone->steep);
}

static void put_partition(struct digest *digest, const struct terrane_partition *partition)
{
    put_whole(digest, (int)partition->kind);
    put_whole(digest, partition->zones);
    for (int k = 0; k < partition->zones; k++)
        put_zone(digest, &partition->zone[k]);
    digest_put_float(digest, partition->blend);
    put_whole(digest, partition->by);
    floats_digest(digest, partition->threshold, TERRANE_ZONES_MAX - 1);
    digest_put(digest, partition->salt, 4);
    put_whole(digest, partition->cell_log2);
    members_digest(&voronoi_members, digest, partition);
    put_whole(digest, partition->temperature);
    put_whole(digest, partition->moisture);
    members_digest(&climate_members, digest, partition);
    put_whole(digest, partition->table_rows);
    put_whole(digest, partition->table_columns);
    digest_put_bytes(digest, partition->table, sizeof partition->table);
}

struct terrane_digest recipe_digest(const struct terrane_recipe *recipe)
{
    static const uint8_t magic[8] = "terrane";
    struct digest digest = digest_start(2);
    struct terrane_digest out = {{0}};
    digest_put_bytes(&digest, magic, sizeof magic);
    digest_put(&digest, (uint64_t)recipe->generator, 4);
    digest_put_double(&digest, recipe->spacing_m);
    put_whole(&digest, recipe->alias_octaves);
    digest_put_float(&digest, recipe->low_m);
    digest_put_float(&digest, recipe->high_m);
    digest_put_float(&digest, recipe->sea_m);
    put_whole(&digest, recipe->terms);
    for (int i = 0; i < recipe->terms; i++)
        put_term(&digest, &recipe->term[i]);
    put_partition(&digest, &recipe->partition);
    put_gradient(&digest, &recipe->water);
    digest_put_float(&digest, recipe->steep_low);
    digest_put_float(&digest, recipe->steep_high);
    recipe_earth_digest(&digest, recipe);
    recipe_erosion_digest(&digest, recipe);
    recipe_paths_digest(&digest, recipe);
    recipe_cover_digest(&digest, recipe);
    recipe_objects_digest(&digest, recipe);
    digest_end_bytes(&digest, out.byte);
    return out;
}
