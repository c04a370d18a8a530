/*
 * Operations, a row each: how a term of that kind is read, checked, digested and paid. kinds.h says what the columns are.
 */
#include "../terrane.h"
#include "kinds.h"
#include "member.h"

/* ---- Members of their JSON ----------------------------------------------------------------------------- */

#define OFFSET ROW("offset_m", FLOAT, PLACE(terrane_term, offset), -32768, 32768, 0)
#define TIMES  ROW("times", FLOAT, PLACE(terrane_term, factor), -0x1p20, 0x1p20, 1)

static const struct member sum_rows[] = {KEY("sum"), OFFSET, KEY("note")};
const struct members term_sum_members = MEMBERS(sum_rows);

static const struct member item_rows[] = {KEY("of"), ROW("times", FLOAT, 0, -0x1p20, 0x1p20, 1), KEY("note")};
const struct members sum_item_members = MEMBERS(item_rows);

static const struct member product_rows[] = {KEY("product"), TIMES, OFFSET, KEY("note")};
const struct members term_product_members = MEMBERS(product_rows);

static const struct member min_rows[] = {KEY("min"), KEY("note")}, max_rows[] = {KEY("max"), KEY("note")};
static const struct members min_members = MEMBERS(min_rows), max_members = MEMBERS(max_rows);

static const struct member blend_rows[] = {
    KEY("blend"),
    KEY("by"),
    ROW("from", FLOAT, PLACE(terrane_term, low), -0x1p20, 0x1p20, 0),
    ROW("to", FLOAT, PLACE(terrane_term, high), -0x1p20, 0x1p20, 1),
    KEY("note"),
};
const struct members term_blend_members = MEMBERS(blend_rows);

static const struct member curve_rows[] = {KEY("curve"), KEY("knots"), KEY("note")};
const struct members term_curve_members = MEMBERS(curve_rows);

static const struct member zones_rows[] = {KEY("zones"), KEY("note")};
const struct members term_zones_members = MEMBERS(zones_rows);

/* Numbers of a fractal that a kind or a base reads have their default in its row (kinds.c). */
#define NUMBER(name, trait, low, high, usual)                                             \
    {                                                                                     \
#name, MEMBER_FLOAT, PLACE(terrane_fractal, name), trait, low, high, usual, false \
    }

static const struct member fractal_rows[] = {
    KEY("fractal"),
    KEY("like"),
    KEY("base"),
    KEY("octaves"),
    KEY("cell_m"),
    KEY("lacunarity"),
    NUMBER(gain, 0, 0, 1, 0.5),
    NUMBER(amplitude_m, 0, 0, 32768, 1),
    KEY("salt"),
    NUMBER(weight, FRACTAL_WEIGHT, 0, 4, 1),
    NUMBER(jitter, FRACTAL_JITTER, 0, 1, 0.65),
    NUMBER(offset, FRACTAL_OFFSET, -4, 4, 0),
    NUMBER(sharpness, FRACTAL_SHARPNESS, -16, 16, 0),
    NUMBER(warp, FRACTAL_WARP, -4, 4, 0),
    NUMBER(damp, FRACTAL_DAMP, 0, 4, 0),
    KEY("warp_by"),
    KEY("note"),
};
const struct members fractal_members = MEMBERS(fractal_rows);

static const struct member warp_rows[] = {
    KEY("x"),
    KEY("y"),
    ROW("m", FLOAT, PLACE(terrane_fractal, warp_m), -0x1p20, 0x1p20, 1),
    KEY("note"),
};
const struct members warp_members = MEMBERS(warp_rows);

static const struct member plates_of_rows[] = {KEY("plates"), KEY("note")};
const struct members term_plates_members = MEMBERS(plates_of_rows);

static const struct member coarse_rows[] = {KEY("coarse"), KEY("cell_m"), KEY("note")};
const struct members term_coarse_members = MEMBERS(coarse_rows);

static const struct member raster_rows[] = {
    KEY("raster"), KEY("at"), KEY("spacing_m"), KEY("fade_m"), KEY("beyond"), TIMES, OFFSET, KEY("note"),
};
const struct members term_raster_members = MEMBERS(raster_rows);

static const struct member climate_of_rows[] = {KEY("climate"), KEY("note")};
const struct members term_climate_members = MEMBERS(climate_of_rows);

/* ---- Rows ---------------------------------------------------------------------------------------------- */

const char *const terrane_op_name[TERRANE_OPS] = {
    [TERRANE_OP_FRACTAL] = "fractal", [TERRANE_OP_SUM] = "sum",         [TERRANE_OP_PRODUCT] = "product",
    [TERRANE_OP_BLEND] = "blend",     [TERRANE_OP_CURVE] = "curve",     [TERRANE_OP_ZONES] = "zones",
    [TERRANE_OP_PLATES] = "plates",   [TERRANE_OP_CLIMATE] = "climate", [TERRANE_OP_COARSE] = "coarse",
    [TERRANE_OP_RASTER] = "raster",   [TERRANE_OP_MIN] = "min",         [TERRANE_OP_MAX] = "max",
};

const struct op_row op_rows[TERRANE_OPS] = {
    [TERRANE_OP_FRACTAL] = {.parts = OP_FRACTAL, .members = &fractal_members},
    [TERRANE_OP_SUM] = {.most = TERRANE_INPUTS_MAX,
                        .parts = OP_FACTORS,
                        .members = &term_sum_members,
                        .octaves = 1,
                        .ns = 0.6},
    [TERRANE_OP_PRODUCT] = {.most = TERRANE_INPUTS_MAX,
                            .members = &term_product_members,
                            .octaves = 1,
                            .ns = 0.6},
    [TERRANE_OP_BLEND] =
        {.fewest = 3, .most = 3, .parts = OP_BAND, .members = &term_blend_members, .octaves = 1, .ns = 0.6},
    [TERRANE_OP_CURVE] =
        {.fewest = 1, .most = 1, .parts = OP_KNOTS, .members = &term_curve_members, .octaves = 12, .ns = 7},
    [TERRANE_OP_ZONES] = {.members = &term_zones_members, .octaves = 1, .ns = 0.6},
    [TERRANE_OP_PLATES] = {.parts = OP_OF, .members = &term_plates_members, .octaves = 4, .ns = 1.5},
    [TERRANE_OP_CLIMATE] =
        {.fewest = 1, .most = 1, .parts = OP_OF, .members = &term_climate_members, .octaves = 4, .ns = 1.5},
    [TERRANE_OP_COARSE] =
        {.fewest = 1, .most = 1, .parts = OP_OF, .members = &term_coarse_members, .octaves = 4, .ns = 1.5},
    [TERRANE_OP_RASTER] =
        {.fewest = 1, .most = 1, .parts = OP_PLACED, .members = &term_raster_members, .octaves = 12, .ns = 4},
    [TERRANE_OP_MIN] =
        {.fewest = 1, .most = TERRANE_INPUTS_MAX, .members = &min_members, .octaves = 1, .ns = 0.6},
    [TERRANE_OP_MAX] =
        {.fewest = 1, .most = TERRANE_INPUTS_MAX, .members = &max_members, .octaves = 1, .ns = 0.6},
};
