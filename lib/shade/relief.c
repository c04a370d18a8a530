/*
 * The relief map.
 *
 * It is made a block of samples at a time, and what a block holds decides only which work is left out, and what is left out would
 * have added 0 or a whole number known beforehand:
 *
 *   - a zone whose weight is 0 all over a block is skipped: it would add 0 * colour;
 *   - of a gradient, the pieces that end below a block's least quantity are counted by their upper stop, and
 *     those that begin at or above its greatest are skipped: they would add 1 or 0 times the difference of
 *     two stops, and channels are whole numbers up to 255, whose differences and sums binary32 holds;
 *   - likewise water on dry blocks, land on drowned ones, steep colours on gentle ground.
 *
 * So the bytes do not depend on where blocks begin, and neither on how a caller splits the samples.
 *
 * Colours are blended as they stand in the recipe, in sRGB: a gradient then looks between its stops as it
 * does in the style sheets and map editors it was tried in, and what stands on flat ground is the very colour
 * that the recipe names. Light multiplies a colour, by 1 on flat ground: the stops stay true and only slopes
 * are changed. It is the sun's and the sky's. The sky is blue, so that shade turns cool and lit slopes turn
 * warm, by a tint too weak to be seen as one; it is brighter above and in the south-west, so that there is form
 * in the shade, too. Where light is short the air before the ground has some of its own: a colour of at least a
 * quarter grey, as all are that ship, is never under 15 % grey.
 */
#include <string.h>

#include "../recipe/numbers.h"
#include "light.h"

enum { CHANNELS = 3, ROWS = 8, BLOCK = ROWS * LANES }; /* a block is ROWS vectors of samples */

/* ---- Light --------------------------------------------------------------------------------------------- */

/* The sun's light and the sky's, each 1 on flat ground and nowhere below 0. */
struct light {
    lane_f sun, sky;
};

LANE_FN struct light light_on(struct normal_lanes n, float times)
{
    const struct normal_lanes lit = steepen(n, times);
    return (struct light){.sun = positive(lit.up - (lit.east + lit.south) * all(SUN_UP)),
                          .sky = all(0.5f) + (all(0.5f) * lit.up + all(0.35f) * (lit.south - lit.east))};
}

/* The sky's share in the light of land, and what the air has where there is none: a colour c in light l is c l + air (1 - l)^2,
 * in luminance never under 38 where c is 63 or more. */
static const float sky_land[CHANNELS] = {0.32f, 0.34f, 0.38f}, air[CHANNELS] = {30, 41, 54};

/* The sun's share in that of water, whose colour tells its depth: most of what the sun draws lies below it. */
#define SUN_WATER 0.0625f

LANE_FN lane_f land_lit(lane_f colour, int channel, struct light light)
{
    const lane_f sky = all(sky_land[channel]);
    const lane_f share = sky * light.sky + (all(1.0f) - sky) * light.sun;
    const lane_f lack = positive(all(1.0f) - share);
    return colour * share + all(air[channel]) * (lack * lack);
}

LANE_FN lane_f water_lit(lane_f colour, struct light light)
{
    return colour * (all(1.0f - SUN_WATER) + all(SUN_WATER) * light.sun);
}

/* ---- Gradients ----------------------------------------------------------------------------------------- */

/* A quantity of a block's samples, and what it spans there. */
struct span {
    lane_f at[ROWS];
    float low, high;
};

struct colours {
    lane_f channel[CHANNELS]; /* 0 .. 255 */
};

/* What of a gradient matters over a span: the stop below it, and the pieces that it reaches. */
struct ramp {
    struct colours first;
    int pieces;
    struct {
        lane_f start, length; /* in metres */
        struct colours rise;
    } piece[TERRANE_STOPS_MAX];
};

/* Where a recipe has no colours for water: clear over a shelf, soon blue, dark over the deep. */
static const struct terrane_gradient water_default = {
    .stops = 7,
    .stop = {{.at_m = 0, .colour = {118, 178, 198}},
             {.at_m = 10, .colour = {96, 158, 186}},
             {.at_m = 50, .colour = {66, 124, 164}},
             {.at_m = 200, .colour = {40, 88, 139}},
             {.at_m = 800, .colour = {29, 69, 121}},
             {.at_m = 3000, .colour = {20, 51, 98}},
             {.at_m = 6000, .colour = {12, 34, 72}}},
};

static void span_measure(struct span *span)
{
    lane_f low = span->at[0], high = span->at[0];
    for (int r = 1; r < ROWS; r++) {
        low = lane_select(span->at[r] < low, span->at[r], low);
        high = lane_select(span->at[r] > high, span->at[r], high);
    }
    span->low = low[0];
    span->high = high[0];
    for (int k = 1; k < LANES; k++) {
        span->low = low[k] < span->low ? low[k] : span->low;
        span->high = high[k] > span->high ? high[k] : span->high;
    }
}

static void ramp_make(struct ramp *ramp, const struct terrane_gradient *gradient, const struct span *span)
{
    int k = 0;
    while (k + 1 < gradient->stops && gradient->stop[k + 1].at_m <= span->low)
        k++;
    for (int c = 0; c < CHANNELS; c++)
        ramp->first.channel[c] = all((float)gradient->stop[k].colour[c]);
    ramp->pieces = 0;
    for (; k + 1 < gradient->stops && gradient->stop[k].at_m < span->high; k++) {
        const uint8_t *const from = gradient->stop[k].colour, *const to = gradient->stop[k + 1].colour;
        const int p = ramp->pieces++;
        ramp->piece[p].start = all(gradient->stop[k].at_m);
        ramp->piece[p].length = all(gradient->stop[k + 1].at_m - gradient->stop[k].at_m);
        for (int c = 0; c < CHANNELS; c++)
            ramp->piece[p].rise.channel[c] = all((float)(to[c] - from[c]));
    }
}

/* The colours at v: a stop's, and of each piece behind it the share that v has gone through. A division makes
 * the share exactly 1 at the next stop. */
LANE_FN struct colours ramp_at(const struct ramp *ramp, lane_f v)
{
    struct colours out = ramp->first;
    for (int p = 0; p < ramp->pieces; p++) {
        const lane_f share = clamp_to((v - ramp->piece[p].start) / ramp->piece[p].length, 1.0f);
        for (int c = 0; c < CHANNELS; c++)
            out.channel[c] += share * ramp->piece[p].rise.channel[c];
    }
    return out;
}

/* ---- Generators ---------------------------------------------------------------------------------------- */

/*
 * How much of a sample's colour is a river's, in 256ths: a line a sample wide, clearer the more water comes for the level.
 * Where a river is wider than that, it is beside the line as well, and has discharge there.
 */
static uint32_t river_cover_plain(double discharge, double min)
{
    return discharge > min ? (uint32_t)(256.5 - 256 * __builtin_sqrt(min / discharge)) : 0;
}

/* Brooks are faint, and not nearly as clear as what they flow into. */
static uint32_t river_cover_soft(double discharge, double min)
{
    enum { MAX = 240 };
    const double cover = discharge > min ? 320.5 - 320 * __builtin_sqrt(__builtin_sqrt(min / discharge)) : 0;
    return cover < MAX ? (uint32_t)cover : MAX;
}

/* How water is drawn from a generator on. */
struct water_style {
    int generator;
    bool soft_shores;     /* shallow water shows the ground; before, all water hid it */
    bool rivers_on_water; /* by its own depth a river's water would be as bright as a beach */
    bool brooks_taper;    /* nothing is painted where a channel begins, and a brook is one line, wet or not */
    bool mutes;           /* rivers are less blue, and faint on snow */
    float river_looks_m;  /* rivers are painted like water so deep */
    uint32_t (*river_cover)(double discharge, double min);
};

static const struct water_style *water_style_of(const struct terrane_recipe *recipe)
{
    static const struct water_style style[] = {
        {18, true, true, true, true, 800, river_cover_soft},
        {17, true, true, true, false, 800, river_cover_soft},
        {14, true, true, false, false, 400, river_cover_soft},
        {9, false, true, false, false, 100, river_cover_plain},
        {0, false, false, false, false, 100, river_cover_plain},
    };
    const struct water_style *found = style;
    while (found->generator > recipe->generator)
        found++;
    return found;
}

/* ---- Shores -------------------------------------------------------------------------------------------- */

/*
 * How water meets the ground, in metres. Water as deep as `hides` hides the ground; of what is shallower SHORE_LEAST is seen at least.
 * `deeper` is added to depths before they get colours: shallows that are narrower than a sample would rim every lake and island. Both
 * are 0 where shores are not soft.
 */
struct shore {
    float deeper, hides;
};

#define SHORE_LEAST 0.375f

static struct shore shore_of(const struct terrane_recipe *recipe, int level)
{
    const float sample_m = (float)(recipe->spacing_m * (double)(INT64_C(1) << level)), part = sample_m / 64;
    if (!water_style_of(recipe)->soft_shores)
        return (struct shore){0, 0};
    return (struct shore){__builtin_sqrtf(sample_m), part > 0.25f ? part : 0.25f};
}

/* What of a colour is the water's, which does not hide the ground. */
LANE_FN lane_f shore_share(struct shore shore, lane_f depth)
{
    return all(SHORE_LEAST) + all(1 - SHORE_LEAST) * (depth / all(shore.hides));
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* One block of samples on its way to colours. */
struct block {
    struct span height, depth; /* depth: over 0 under water */
    struct span steepness;     /* 0: ground, 1: steep */
    struct light light[ROWS];
    struct colours land[ROWS];
};

/* Reads a whole block. depths: of water; NULL: the sea's. */
static void block_load(struct block *block, const struct terrane_recipe *recipe, int level,
                       const float *heights, const float *normals, const float *depths)
{
    const float span = recipe->steep_high - recipe->steep_low, min = 0x1p-10f;
    const lane_f steep_low = all(recipe->steep_low), steep_span = all(span > min ? span : min);
    for (int r = 0; r < ROWS; r++) {
        const struct normal_lanes n = normals_load(normals + 3 * LANES * r);
        const lane_f slope = lane_sqrt(n.east * n.east + n.south * n.south) / n.up;
        const lane_f t = clamp_to((slope - steep_low) / steep_span, 1.0f);
        const lane_f fade = ((t * t) * t) * (t * (t * all(6.0f) - all(15.0f)) + all(10.0f));
        block->steepness.at[r] = clamp_to(fade, 1.0f);
        block->light[r] = light_on(n, steepness_lit[level]);
        block->height.at[r] = lane_load(heights + LANES * r);
        block->depth.at[r] =
            depths ? lane_load(depths + LANES * r) : all(recipe->sea_m) - block->height.at[r];
    }
    span_measure(&block->height);
    span_measure(&block->steepness);
    span_measure(&block->depth);
}

/* Adds a zone's colours to the land's, each times its weight. */
static void block_add_zone(struct block *block, const struct terrane_zone *zone, const float weight[BLOCK])
{
    const struct terrane_gradient plain = {
        .stops = 1, .stop = {{.colour = {zone->colour[0], zone->colour[1], zone->colour[2]}}}};
    const bool both = zone->steep.stops > 0 && block->steepness.high > 0;
    struct ramp ground, steep;
    ramp_make(&ground, zone->ground.stops > 0 ? &zone->ground : &plain, &block->height);
    if (both)
        ramp_make(&steep, &zone->steep, &block->height);
    for (int r = 0; r < ROWS; r++) {
        const lane_f part = lane_load(weight + LANES * r);
        struct colours colour = ramp_at(&ground, block->height.at[r]);
        if (both) {
            const struct colours other = ramp_at(&steep, block->height.at[r]);
            for (int c = 0; c < CHANNELS; c++)
                colour.channel[c] += block->steepness.at[r] * (other.channel[c] - colour.channel[c]);
        }
        for (int c = 0; c < CHANNELS; c++)
            block->land[r].channel[c] += part * colour.channel[c];
    }
}

static void block_colour_land(struct block *block, const struct terrane_partition *partition,
                              const float *weights)
{
    const size_t zones = (size_t)partition->zones;
    for (int r = 0; r < ROWS; r++)
        block->land[r] = (struct colours){0};
    for (size_t z = 0; z < zones; z++) {
        float weight[BLOCK];
        lane_i any = {0};
        for (size_t i = 0; i < BLOCK; i++)
            weight[i] = weights[i * zones + z];
        for (int r = 0; r < ROWS; r++)
            any |= (lane_i)lane_load(weight + LANES * r);
        if (any[0] | any[1] | any[2] | any[3])
            block_add_zone(block, &partition->zone[z], weight);
    }
}

/* Lights land and water, and writes the block. */
static void block_store(const struct block *block, const struct ramp *water, struct shore shore, uint8_t *rgb)
{
    const bool hides = shore.hides > 0;
    for (int r = 0; r < ROWS; r++) {
        const lane_f depth = block->depth.at[r], share = hides ? shore_share(shore, depth) : all(1.0f);
        const lane_i wet = depth > all(0.0f), hidden = depth >= all(shore.hides);
        const struct colours below = ramp_at(water, depth + all(shore.deeper));
        lane_i byte[CHANNELS];
        for (int c = 0; c < CHANNELS; c++) {
            const lane_f land = land_lit(block->land[r].channel[c], c, block->light[r]);
            const lane_f over = water_lit(below.channel[c], block->light[r]);
            byte[c] = round_to_byte(
                lane_select(wet, lane_select(hidden, over, land + share * (over - land)), land));
        }
        for (int k = 0; k < LANES; k++)
            for (int c = 0; c < CHANNELS; c++)
                *rgb++ = (uint8_t)byte[c][k];
    }
}

/* Of colours as they are. */
static void block_take_land(struct block *block, const float *colours)
{
    for (int r = 0; r < ROWS; r++) {
        const struct normal_lanes of = normals_load(colours + CHANNELS * LANES * r);
        block->land[r] = (struct colours){{of.east, of.south, of.up}};
    }
}

/* What says the land's colours: weights of zones, or colours, so many numbers a sample. */
struct land {
    const float *values;
    size_t numbers;
    bool coloured;
};

static void relief_block(const struct terrane_recipe *recipe, int level, const float *heights,
                         const float *normals, struct land land, const float *depths, uint8_t *rgb)
{
    const struct shore shore = shore_of(recipe, level);
    struct block block;
    struct ramp water;
    block_load(&block, recipe, level, heights, normals, depths);
    const struct span seen = {.low = block.depth.low + shore.deeper, .high = block.depth.high + shore.deeper};
    ramp_make(&water, recipe->water.stops > 0 ? &recipe->water : &water_default, &seen);
    if (block.depth.low > 0 && block.depth.low >= shore.hides)
        memset(block.land, 0, sizeof block.land);
    else if (land.coloured)
        block_take_land(&block, land.values);
    else
        block_colour_land(&block, &recipe->partition, land.values);
    block_store(&block, &water, shore, rgb);
}

/* The last samples, fewer than a block, filled up with copies of the first of them. */
static void relief_rest(const struct terrane_recipe *recipe, int level, const float *heights,
                        const float *normals, struct land land, const float *depths, size_t count,
                        uint8_t *rgb)
{
    float height[BLOCK], depth[BLOCK], normal[3 * BLOCK], value[TERRANE_ZONES_MAX * BLOCK];
    uint8_t made[CHANNELS * BLOCK];
    for (size_t i = 0; i < BLOCK; i++) {
        const size_t from = i < count ? i : 0;
        height[i] = heights[from];
        depth[i] = depths ? depths[from] : 0;
        for (size_t c = 0; c < 3; c++)
            normal[3 * i + c] = normals[3 * from + c];
        for (size_t n = 0; n < land.numbers; n++)
            value[land.numbers * i + n] = land.values[land.numbers * from + n];
    }
    const struct land copied = {value, land.numbers, land.coloured};
    relief_block(recipe, level, height, normal, copied, depths ? depth : NULL, made);
    for (size_t i = 0; i < CHANNELS * count; i++)
        rgb[i] = made[i];
}

static void relief(const struct terrane_recipe *recipe, int level, const float *heights, const float *normals,
                   struct land land, const float *depth_m, size_t count, uint8_t *rgb)
{
    for (size_t i = 0; i < count; i += BLOCK) {
        const struct land here = {land.values + land.numbers * i, land.numbers, land.coloured};
        const float *const depths = depth_m ? depth_m + i : NULL;
        if (i + BLOCK <= count)
            relief_block(recipe, level, heights + i, normals + 3 * i, here, depths, rgb + CHANNELS * i);
        else
            relief_rest(recipe, level, heights + i, normals + 3 * i, here, depths, count - i,
                        rgb + CHANNELS * i);
    }
}

void terrane_relief(const struct terrane_recipe *recipe, int level, const float *heights,
                    const float *normals, const float *weights, const float *depth_m, size_t count,
                    uint8_t *rgb)
{
    relief(recipe, level, heights, normals, (struct land){weights, (size_t)recipe->partition.zones, false},
           depth_m, count, rgb);
}

void terrane_relief_cover(const struct terrane_recipe *recipe, int level, const float *heights,
                          const float *normals, const float *colours, const float *depth_m, size_t count,
                          uint8_t *rgb)
{
    relief(recipe, level, heights, normals, (struct land){colours, CHANNELS, true}, depth_m, count, rgb);
}

/* ---- Rivers -------------------------------------------------------------------------------------------- */

enum { RIVER_WET = 192 }; /* of 256, of what is painted where a river's water stands */

/* m3/s for each square metre of a sample, from which on a river is seen at all: half a metre a year, of 64 samples; where more runs
 * off, of so much: else wet land would be all blue. */
#define RIVER_SEEN 0x1p-20

#define YEAR_S     31557600.0

/* m3/s: from `min` on a river is seen; below `brook` it is so narrow that it has no shore. */
struct seen {
    double min, brook;
};

static struct seen seen_of(const struct terrane_recipe *recipe, int level, const struct water_style *style)
{
    const double sample_m = recipe->spacing_m * (double)(INT64_C(1) << level);
    const double mean = (double)recipe_runoff_mm(recipe) / RUNOFF_MEAN_MM;
    const double min =
        RIVER_SEEN * sample_m * sample_m * (mean > 1 ? mean : 1) * (double)recipe->rivers.shown;
    const double mean_mm = recipe->rivers.runoff < 0 ? (double)recipe->rivers.runoff_mm : RUNOFF_MEAN_MM;
    const double head = (double)recipe->rivers.sources_ha * 10 * mean_mm / YEAR_S; /* 10,000 m2, mm */
    if (!style->brooks_taper)
        return (struct seen){min, 0};
    return (struct seen){head > min ? head : min, 4 * sample_m * sample_m};
}

/* Of a sample, by its water's depth. */
static uint32_t cover_of(const struct water_style *style, struct shore shore, float depth, double discharge,
                         struct seen seen)
{
    if (!(depth > 0))
        return style->river_cover(discharge, seen.min);
    if (!(discharge > 0) || !style->rivers_on_water)
        return 0;
    const uint32_t wet = style->brooks_taper ? style->river_cover(discharge, seen.min) : RIVER_WET;
    if (depth >= shore.hides || discharge < seen.brook)
        return wet;
    return (uint32_t)((float)wet * shore_share(shore, all(depth))[0]);
}

/* Nearer to grey, and darker: rivers carry silt, and have what stands beside them in them. */
static struct colours muted(struct colours colour)
{
    lane_f *const c = colour.channel;
    const lane_f grey = all(0.06f) * ((c[0] + all(2) * c[1]) + c[2]);
    for (int k = 0; k < CHANNELS; k++)
        c[k] = all(0.7f) * c[k] + grey;
    return colour;
}

enum { THAWED = 96 };

/* Of THAWED, how much of a river is seen: on level snow two thirds, on white one. */
static uint32_t thaw_of(const struct water_style *style, const uint8_t *rgb)
{
    const uint32_t grey = (rgb[0] + 2U * rgb[1] + rgb[2]) / 4;
    return style->mutes && grey > 192 ? 288 - grey : THAWED;
}

void terrane_relief_rivers(const struct terrane_recipe *recipe, int level, const float *normals,
                           const float *depth_m, const float *discharge, size_t count, uint8_t *rgb)
{
    const struct water_style *const style = water_style_of(recipe);
    const struct seen seen = seen_of(recipe, level, style);
    const struct span deep = {.low = style->river_looks_m, .high = style->river_looks_m};
    const struct shore shore = shore_of(recipe, level);
    struct ramp water;
    ramp_make(&water, recipe->water.stops > 0 ? &recipe->water : &water_default, &deep);
    struct colours colour = ramp_at(&water, all(style->river_looks_m));
    if (style->mutes)
        colour = muted(colour);
    for (size_t i = 0; i < count; i++) {
        const uint32_t cover = cover_of(style, shore, depth_m[i], (double)discharge[i], seen) *
                               thaw_of(style, &rgb[CHANNELS * i]) / THAWED;
        if (cover == 0)
            continue;
        const struct light light = light_on(normals_load_rest(normals + 3 * i, 1), steepness_lit[level]);
        for (int c = 0; c < CHANNELS; c++) {
            const lane_i own = round_to_byte(water_lit(colour.channel[c], light));
            uint8_t *out = &rgb[CHANNELS * i + (size_t)c];
            *out = (uint8_t)((*out * (256 - cover) + (uint32_t)own[0] * cover + 128) >> 8);
        }
    }
}

void terrane_relief_banks(const float *banks, const float *depth_m, size_t count, uint8_t *rgb)
{
    enum { LEAST = 38 }; /* 15 % grey, which no land is darker than */
    static const float dark[CHANNELS] = {0.42f, 0.3f, 0.36f};
    for (size_t i = 0; i < count; i++, rgb += CHANNELS)
        for (int c = 0; c < CHANNELS && banks[i] > 0 && !(depth_m[i] > 0); c++) {
            const uint8_t now = (uint8_t)((float)rgb[c] * (1 - dark[c] * banks[i]) + 0.5f);
            const uint8_t least = rgb[c] < LEAST ? rgb[c] : LEAST;
            rgb[c] = now > least ? now : least;
        }
}
