/*
 * Worlds: a recipe checked, made canonical and named by a digest; and what it bounds.
 */
#include "terrane.h"

#include <stdbool.h>
#include <string.h>

#include "digest.h"

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Also false for NaN. */
static bool within(double v, double low, double high)
{
    return v >= low && v <= high;
}

static int fractal_check(const struct terrane_fractal *fractal, int alias_octaves)
{
    if (fractal->octaves == 0)
        return 0;
    if (fractal->octaves < 0 || fractal->octaves > TERRANE_OCTAVES_MAX)
        return TERRANE_EOCTAVES;
    if (fractal->cell_log2 > TERRANE_CELL_LOG2_MAX)
        return TERRANE_ECELL;
    if (fractal->octaves > fractal->cell_log2 + alias_octaves)
        return TERRANE_EOCTAVES;
    if ((unsigned)fractal->base >= TERRANE_BASES)
        return TERRANE_EBASE;
    if (!within((double)fractal->amplitude_m, 0, 32768) || !within((double)fractal->gain, 0, 1))
        return TERRANE_EAMPLITUDE;
    return 0;
}

static int partition_check(const struct terrane_partition *partition)
{
    if (partition->zones < 1 || partition->zones > TERRANE_ZONES_MAX)
        return TERRANE_EZONES;
    for (int k = 0; k < partition->zones; k++)
        if (!within((double)partition->zone[k].amplitude, 0, 64) ||
            !within((double)partition->zone[k].offset_m, -32768, 32768))
            return TERRANE_EAMPLITUDE;
    if (partition->zones == 1)
        return 0;
    if (partition->cell_log2 < 1 || partition->cell_log2 > TERRANE_CELL_LOG2_MAX)
        return TERRANE_ECELL;
    if ((unsigned)partition->base >= TERRANE_BASES)
        return TERRANE_EBASE;
    if (!within((double)partition->blend, 0x1p-10, 2))
        return TERRANE_ETHRESHOLD;
    for (int k = 0; k < partition->zones - 1; k++) {
        const float least = k ? partition->threshold[k - 1] + partition->blend : -1;
        if (!within((double)partition->threshold[k], (double)least, 1))
            return TERRANE_ETHRESHOLD;
    }
    return 0;
}

static int recipe_check(const struct terrane_recipe *recipe)
{
    int error;
    if (!within(recipe->spacing_m, 0x1p-10, 0x1p20))
        return TERRANE_ESPACING;
    if (!within((double)recipe->low_m, -32768, 32768) || !within((double)recipe->high_m, -32768, 32768) ||
        recipe->low_m >= recipe->high_m)
        return TERRANE_ERANGE;
    if (!within((double)recipe->offset_m, -32768, 32768))
        return TERRANE_EAMPLITUDE;
    if (recipe->alias_octaves < 0 || recipe->alias_octaves > 1)
        return TERRANE_EOCTAVES;
    if ((error = fractal_check(&recipe->base, recipe->alias_octaves)) != 0 ||
        (error = fractal_check(&recipe->detail, recipe->alias_octaves)) != 0)
        return error;
    return partition_check(&recipe->partition);
}

/* ---- Canonical form ------------------------------------------------------------------------------------ */

/* Takes over what counts, and nothing else; adding 0 turns -0 into +0. */
static struct terrane_fractal fractal_canonical(const struct terrane_fractal *in)
{
    if (in->octaves == 0)
        return (struct terrane_fractal){0};
    return (struct terrane_fractal){
        .base = in->base,
        .salt = in->salt,
        .octaves = in->octaves,
        .cell_log2 = in->cell_log2,
        .amplitude_m = in->amplitude_m + 0.0f,
        .gain = in->gain + 0.0f,
    };
}

static void partition_canonical(struct terrane_partition *out, const struct terrane_partition *in)
{
    *out = (struct terrane_partition){.zones = in->zones};
    if (in->zones > 1) {
        out->base = in->base;
        out->salt = in->salt;
        out->cell_log2 = in->cell_log2;
        out->blend = in->blend;
    }
    for (int k = 0; k < in->zones; k++) {
        const struct terrane_zone *zone = &in->zone[k];
        for (size_t i = 0; i + 1 < sizeof zone->name && zone->name[i]; i++)
            out->zone[k].name[i] = zone->name[i];
        out->zone[k].amplitude = zone->amplitude + 0.0f;
        out->zone[k].offset_m = zone->offset_m + 0.0f;
        memcpy(out->zone[k].colour, zone->colour, sizeof zone->colour);
        if (k)
            out->threshold[k - 1] = in->threshold[k - 1] + 0.0f;
    }
}

/* The bytes that lib/README.md lists: at most 8 + 4 + 8 + 24 + 2 * 24 + 20 + 15 * 4 + 16 * 35. */
struct bytes {
    size_t count;
    uint8_t byte[1024];
};

static void put(struct bytes *out, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out->byte[out->count++] = (uint8_t)(v >> 8 * i);
}

static void put_float(struct bytes *out, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put(out, bits, 4);
}

static void put_fractal(struct bytes *out, const struct terrane_fractal *fractal)
{
    put(out, (uint64_t)fractal->octaves, 4);
    if (fractal->octaves == 0)
        return;
    put(out, (uint64_t)fractal->base, 4);
    put(out, fractal->salt, 4);
    put(out, (uint64_t)fractal->cell_log2, 4);
    put_float(out, fractal->amplitude_m);
    put_float(out, fractal->gain);
}

static void put_partition(struct bytes *out, const struct terrane_partition *partition)
{
    put(out, (uint64_t)partition->zones, 4);
    if (partition->zones > 1) {
        put(out, (uint64_t)partition->base, 4);
        put(out, partition->salt, 4);
        put(out, (uint64_t)partition->cell_log2, 4);
        put_float(out, partition->blend);
        for (int k = 0; k < partition->zones - 1; k++)
            put_float(out, partition->threshold[k]);
    }
    for (int k = 0; k < partition->zones; k++) {
        const struct terrane_zone *zone = &partition->zone[k];
        for (size_t i = 0; i < sizeof zone->name; i++)
            put(out, (uint8_t)zone->name[i], 1);
        put_float(out, zone->amplitude);
        put_float(out, zone->offset_m);
        for (int c = 0; c < 3; c++)
            put(out, zone->colour[c], 1);
    }
}

static void world_digest(struct terrane_world *world)
{
    static const char magic[8] = "terrane";
    const struct terrane_recipe *recipe = &world->recipe;
    struct bytes out = {0};
    uint64_t spacing, digest[2];
    for (size_t i = 0; i < sizeof magic; i++)
        put(&out, (uint8_t)magic[i], 1);
    put(&out, TERRANE_GENERATOR_VERSION, 4);
    put(&out, world->seed, 8);
    memcpy(&spacing, &recipe->spacing_m, sizeof spacing);
    put(&out, spacing, 8);
    put(&out, (uint64_t)recipe->alias_octaves, 4);
    put_float(&out, recipe->offset_m);
    put_float(&out, recipe->low_m);
    put_float(&out, recipe->high_m);
    put_fractal(&out, &recipe->base);
    put_fractal(&out, &recipe->detail);
    put_partition(&out, &recipe->partition);
    digest_siphash(out.byte, out.count, 2, digest);
    for (int i = 0; i < 16; i++)
        world->digest.byte[i] = (uint8_t)(digest[i / 8] >> 8 * (i % 8));
}

int terrane_world_init(struct terrane_world *world, const struct terrane_recipe *recipe, uint64_t seed)
{
    const int error = recipe_check(recipe);
    if (error)
        return error;
    const struct terrane_recipe given = *recipe; /* it may be the world's own */
    memset(world, 0, sizeof *world);
    world->seed = seed;
    world->recipe.spacing_m = given.spacing_m;
    world->recipe.alias_octaves = given.alias_octaves;
    world->recipe.offset_m = given.offset_m + 0.0f;
    world->recipe.low_m = given.low_m + 0.0f;
    world->recipe.high_m = given.high_m + 0.0f;
    world->recipe.base = fractal_canonical(&given.base);
    world->recipe.detail = fractal_canonical(&given.detail);
    partition_canonical(&world->recipe.partition, &given.partition);
    world_digest(world);
    return 0;
}

uint64_t terrane_seed_from_name(const char *name, size_t bytes)
{
    uint64_t seed;
    digest_siphash((const uint8_t *)name, bytes, 1, &seed);
    return seed;
}

/* ---- Bounds -------------------------------------------------------------------------------------------- */

/*
 * How far octaves with cells of at most 2^cell_log2 level-0 samples can reach together: their amplitudes
 * times the range of their base (lib/README.md).
 */
static double reach_of(const struct terrane_fractal *fractal, int cell_log2)
{
    double sum = 0;
    float amplitude = fractal->amplitude_m;
    for (int i = 0; i < fractal->octaves; i++, amplitude *= fractal->gain)
        if (fractal->cell_log2 - i <= cell_log2)
            sum += (double)amplitude;
    return sum * (fractal->base == TERRANE_POLYNOMIAL ? 1 + 5.0 / 512 : 1) * 1.00001;
}

/* What the zones span. */
struct zone_span {
    double calm, steep; /* least and greatest amplitude */
    double offset_low, offset_high;
    double low, high; /* of offset -+ amplitude * detail: in between, weights are a mean of zones */
    double magnitude; /* the greatest |offset| */
};

static struct zone_span zones_span(const struct terrane_partition *partition, double detail)
{
    struct zone_span span = {0};
    for (int k = 0; k < partition->zones; k++) {
        const double amplitude = (double)partition->zone[k].amplitude;
        const double offset = (double)partition->zone[k].offset_m, size = offset < 0 ? -offset : offset;
        const double low = offset - amplitude * detail, high = offset + amplitude * detail;
        span.calm = k == 0 || amplitude < span.calm ? amplitude : span.calm;
        span.steep = amplitude > span.steep ? amplitude : span.steep;
        span.offset_low = k == 0 || offset < span.offset_low ? offset : span.offset_low;
        span.offset_high = k == 0 || offset > span.offset_high ? offset : span.offset_high;
        span.low = k == 0 || low < span.low ? low : span.low;
        span.high = k == 0 || high > span.high ? high : span.high;
        span.magnitude = size > span.magnitude ? size : span.magnitude;
    }
    return span;
}

/*
 * How far roundings can move a height: under 256 of them, each by at most 2^-24 of the largest number that
 * can stand on the way, which offsets of opposite signs make larger than the height itself.
 */
static double rounding_m(const struct terrane_recipe *recipe, const struct zone_span *span, double base,
                         double detail)
{
    const double offset = recipe->offset_m < 0 ? -(double)recipe->offset_m : (double)recipe->offset_m;
    return (offset + base + 2 * span->magnitude + 2 * span->steep * detail) * 0x1p-16;
}

void terrane_height_bounds_m(const struct terrane_world *world, double *low_m, double *high_m)
{
    const struct terrane_recipe *recipe = &world->recipe;
    const double base = reach_of(&recipe->base, TERRANE_CELL_LOG2_MAX);
    const double detail = reach_of(&recipe->detail, TERRANE_CELL_LOG2_MAX);
    const struct zone_span span = zones_span(&recipe->partition, detail);
    const double slack = rounding_m(recipe, &span, base, detail);
    *low_m = (double)recipe->offset_m + span.low - base - slack;
    *high_m = (double)recipe->offset_m + span.high + base + slack;
}

double terrane_level_error_m(const struct terrane_world *world, int level)
{
    const struct terrane_recipe *recipe = &world->recipe;
    const struct terrane_partition *partition = &recipe->partition;
    if (level <= 0)
        return 0;
    const int last = level - recipe->alias_octaves; /* the largest cell that is left out */
    const double base = reach_of(&recipe->base, TERRANE_CELL_LOG2_MAX);
    const double detail = reach_of(&recipe->detail, TERRANE_CELL_LOG2_MAX);
    const struct zone_span span = zones_span(partition, detail);
    double error = reach_of(&recipe->base, last) + span.steep * reach_of(&recipe->detail, last);
    if (partition->zones > 1 && partition->cell_log2 <= last) /* the zones themselves are left out */
        error += (span.offset_high - span.offset_low) + (span.steep - span.calm) * detail;
    return error + 2 * rounding_m(recipe, &span, base, detail); /* of either level */
}
