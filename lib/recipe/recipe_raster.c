/*
 * Rasters: checked, measured, named.
 *
 * Between four samples in a row the cubic is a Bezier curve whose inner control points lie a sixth of the neighbours' distance from
 * its ends, and a patch among 4 x 4 samples is one whose control points are those of their columns' control points: it does not
 * leave their hull. So the least and the greatest of all these bound what is made of a raster.
 */
#include "../base/digest.h"
#include "raster.h"

static const float sample_max = 0x1p24f;

enum { STRIPE = 256, CONTROLS = 3 }; /* a cell's own corner and the two control points behind it */

/* Control points along a row of one stripe of cells. */
struct controls {
    float at[CONTROLS][STRIPE];
};

static void controls_of_row(struct controls *out, const struct terrane_raster *raster, int column, int count,
                            int64_t row)
{
    const float *from =
        raster->sample + (size_t)raster_mirror(row, raster->height - 1) * (size_t)raster->width;
    float p[STRIPE + 3];
    for (int i = 0; i < count + 3; i++)
        p[i] = from[raster_mirror((int64_t)column + i - 1, raster->width - 1)];
    for (int i = 0; i < count; i++) {
        out->at[0][i] = p[i + 1];
        out->at[1][i] = p[i + 1] + (p[i + 2] - p[i]) / 6;
        out->at[2][i] = p[i + 2] - (p[i + 3] - p[i + 1]) / 6;
    }
}

static void widen(struct terrane_raster *raster, const struct controls *const row[4], int count)
{
    float low = raster->low, high = raster->high;
    for (int k = 0; k < CONTROLS; k++)
        for (int i = 0; i < count; i++) {
            const float a = row[1]->at[k][i], b = a + (row[2]->at[k][i] - row[0]->at[k][i]) / 6,
                        c = row[2]->at[k][i] - (row[3]->at[k][i] - a) / 6;
            low = a < low ? a : low;
            low = b < low ? b : low;
            low = c < low ? c : low;
            high = a > high ? a : high;
            high = b > high ? b : high;
            high = c > high ? c : high;
        }
    raster->low = low;
    raster->high = high;
}

static void measure(struct terrane_raster *raster)
{
    struct controls stripe[4];
    raster->low = raster->high = raster->sample[0];
    for (int column = 0; column < raster->width; column += STRIPE) {
        const int left = raster->width - column, count = left < STRIPE ? left : STRIPE;
        for (int64_t row = -1; row < 2; row++)
            controls_of_row(&stripe[(row + 4) % 4], raster, column, count, row);
        for (int64_t row = 0; row < raster->height; row++) {
            controls_of_row(&stripe[(row + 2) % 4], raster, column, count, row + 2);
            const struct controls *const four[4] = {&stripe[(row + 3) % 4], &stripe[row % 4],
                                                    &stripe[(row + 1) % 4], &stripe[(row + 2) % 4]};
            widen(raster, four, count);
        }
    }
}

int terrane_raster_init(struct terrane_raster *raster)
{
    if (raster->width < 2 || raster->width > TERRANE_RASTER_SIDE || raster->height < 2 ||
        raster->height > TERRANE_RASTER_SIDE || !raster->sample)
        return TERRANE_ERASTER;
    const size_t count = (size_t)raster->width * (size_t)raster->height;
    struct digest digest = digest_start(2);
    bool fits = true;
    for (size_t i = 0; i < count; i++)
        fits &= raster->sample[i] >= -sample_max && raster->sample[i] <= sample_max;
    if (!fits)
        return TERRANE_ERASTER;
    for (size_t i = 0; i < count; i++)
        digest_put_float(&digest, raster->sample[i] + 0.0f);
    digest_end_bytes(&digest, raster->digest.byte);
    measure(raster);
    return 0;
}

bool raster_is_made(const struct terrane_raster *raster)
{
    return raster->width >= 2 && raster->width <= TERRANE_RASTER_SIDE && raster->height >= 2 &&
           raster->height <= TERRANE_RASTER_SIDE && raster->sample && raster->low >= -8 * sample_max &&
           raster->low <= raster->high && raster->high <= 8 * sample_max;
}
