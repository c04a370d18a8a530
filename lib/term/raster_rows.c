/*
 * Rasters. Where a sample stands is found in integers, in 2^-20ths of a level-0 sample; the cubic is Catmull and Rom's: down first,
 * once for every column of the raster that the chunk reads, then across. lib/README.md "Rasters" is what this does.
 *
 * Nothing overflows: a sample is within 2^50 * 2^24 level-0 samples of the origin, 2^94 of these units; a raster within 2^60.
 */
#include "raster_rows.h"

#include "../base/fade.h"
#include "../recipe/raster.h"

__extension__ typedef __int128 wide;

/* A length in 2^-20ths of a level-0 sample, rounded. */
static int64_t units_of(double m, double spacing_m)
{
    const double units = m / spacing_m * 0x1p20;
    return (int64_t)(units < 0 ? units - 0.5 : units + 0.5);
}

/* Where a place is along an axis: between which samples, how far, and the raster's share there. */
struct raster_place {
    int64_t cell;
    float t, weight;
};

/* The share, in 2^-24ths, that a part is of a whole below 2^62: 0 <= part < whole. By long division, since one of 128 bits is a call. */
static float share_of(int64_t part, int64_t whole)
{
    uint64_t rest = (uint64_t)part;
    uint32_t share = 0;
    for (int digit = 0; digit < 12; digit++) {
        rest *= 4;
        share = share * 4 + (uint32_t)(rest / (uint64_t)whole);
        rest %= (uint64_t)whole;
    }
    return (float)(int32_t)share * 0x1p-24f;
}

static float weight_of(wide off, int64_t fade)
{
    if (off == 0)
        return 1;
    if (off >= fade)
        return 0;
    const float u = share_of((int64_t)off, fade), s = FADE5(u);
    return s > 1 ? 0 : 1 - s;
}

static struct raster_place place_on(const struct terrane_term *term, double spacing_m, int axis, int level,
                                    int64_t g)
{
    const int last = (axis == 0 ? term->raster->width : term->raster->height) - 1;
    const int64_t at = units_of(term->at_m[axis], spacing_m), step = units_of(term->step_m, spacing_m),
                  fade = units_of(term->fade_m, spacing_m), end = last * step;
    wide way = (wide)g * ((wide)1 << (level + 20)) - at;
    const wide off = way < 0 ? -way : way > end ? way - end : 0;
    struct raster_place place = {.weight = weight_of(off, fade)};
    if (place.weight == 0) /* any place does */
        way = 0;
    const int64_t within = (int64_t)way, rest = within % step;
    place.cell = within / step - (rest < 0);
    place.t = share_of(rest < 0 ? rest + step : rest, step);
    return place;
}

void raster_chunk(struct raster_chunk *chunk, const struct terrane_term *term, double spacing_m, int level,
                  int64_t gi, int width)
{
    const int last = term->raster->width - 1;
    int64_t from = 0; /* the cell of the first column of the newest run, which is chunk->column[run] */
    int run = 0;
    *chunk = (struct raster_chunk){
        .planned = true, .term = term, .spacing_m = spacing_m, .level = level, .width = width};
    for (int i = 0; i < width; i++) {
        const struct raster_place place = place_on(term, spacing_m, 0, level, gi + i);
        chunk->t[i] = place.t;
        chunk->weight[i] = place.weight;
        chunk->inside |= place.weight > 0;
        chunk->beyond |= place.weight < 1;
        const int64_t read = from + (chunk->columns - run); /* cells from -> read - 1 are there */
        if (i == 0 || place.cell < from || place.cell > read) {
            from = place.cell;
            run = chunk->columns;
        }
        while (from + (chunk->columns - run) < place.cell + 4) {
            const int64_t cell = from + (chunk->columns - run) - 1;
            chunk->column[chunk->columns++] = raster_mirror(cell, last);
        }
        chunk->first[i] = run + (int32_t)(place.cell - from);
    }
}

static struct raster_place row_place(const struct raster_chunk *chunk, const struct rows *rows, int r)
{
    return place_on(chunk->term, chunk->spacing_m, 1, chunk->level, rows->gj + (int64_t)r * rows->step);
}

int raster_held(const struct raster_chunk *chunk, const struct rows *rows)
{
    bool inside = false, beyond = chunk->beyond;
    for (int r = rows->first; r < rows->end; r++) {
        const float weight = row_place(chunk, rows, r).weight;
        inside |= weight > 0;
        beyond |= weight < 1;
    }
    return (inside && chunk->inside ? 1 : 0) | (beyond ? 2 : 0);
}

/* Through four numbers, t from the second to the third. */
struct cubic {
    float c[4];
};

static inline struct cubic cubic_of(float a, float b, float c, float d)
{
    return (struct cubic){
        {b, (c - a) * 0.5f, (a + 2.0f * c) - (2.5f * b + 0.5f * d), (d - a) * 0.5f + (b - c) * 1.5f}};
}

static inline float cubic_at(const struct cubic *cubic, float t)
{
    return cubic->c[0] + t * (cubic->c[1] + t * (cubic->c[2] + t * cubic->c[3]));
}

/* Down: the columns that the chunk reads, at a row's place. */
static void raster_columns(const struct raster_chunk *chunk, const struct raster_place *place,
                           float column[RASTER_COLUMNS])
{
    const struct terrane_raster *raster = chunk->term->raster;
    const float *row[4];
    for (int k = 0; k < 4; k++)
        row[k] = raster->sample +
                 (size_t)raster_mirror(place->cell - 1 + k, raster->height - 1) * (size_t)raster->width;
    for (int c = 0; c < chunk->columns; c++) {
        const int32_t at = chunk->column[c];
        const struct cubic cubic = cubic_of(row[0][at], row[1][at], row[2][at], row[3][at]);
        column[c] = cubic_at(&cubic, place->t);
    }
}

/* Across: samples that stand between the same columns share a cubic. */
static void raster_row(const struct raster_chunk *chunk, const struct raster_place *place, float *out)
{
    const struct terrane_term *term = chunk->term;
    const float times = term->factor[0], offset = term->offset;
    float column[RASTER_COLUMNS];
    raster_columns(chunk, place, column);
    for (int i = 0, end; i < chunk->width; i = end) {
        const float *v = column + chunk->first[i];
        const struct cubic cubic = cubic_of(v[0], v[1], v[2], v[3]);
        for (end = i + 1; end < chunk->width && chunk->first[end] == chunk->first[i];)
            end++;
        for (int k = i; k < end; k++)
            out[k] = cubic_at(&cubic, chunk->t[k]) * times + offset;
    }
}

void raster_rows(const struct raster_chunk *chunk, const struct rows *rows, const struct strip *beyond,
                 struct strip *out)
{
    static const float none[KERNEL_WIDTH];
    for (int r = rows->first; r < rows->end; r++) {
        const struct raster_place place = row_place(chunk, rows, r);
        const float *other = beyond ? beyond->value[r] + KERNEL_PAD : none;
        float own[KERNEL_WIDTH] = {0}, *to = out->value[r] + KERNEL_PAD;
        if (chunk->inside && place.weight > 0)
            raster_row(chunk, &place, own);
        for (int i = 0; i < chunk->width; i++) {
            const float w = chunk->weight[i] * place.weight;
            to[i] = w * own[i] + (1 - w) * other[i];
        }
    }
}
