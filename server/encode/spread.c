/*
 * Statistics of samples. As in the library's measures, sums are of integers, and min and max do not depend on order: no
 * split of the work can change a bit.
 */
#include "describe.h"

#include <stdint.h>

#include "mesh_bytes.h"

static struct spread extremes_of(const float *values, size_t count, size_t stride, float none)
{
    struct spread spread = {0};
    for (size_t k = 0; k < count; k++) {
        const float value = values[k * stride] + 0.0f;
        if (value != value || value == none)
            continue;
        spread.min = spread.count == 0 || value < spread.min ? value : spread.min;
        spread.max = spread.count == 0 || value > spread.max ? value : spread.max;
        spread.count++;
    }
    return spread;
}

/*
 * Units, of 2^-16 unless numbers are over 2^40 (discharge of very wide worlds), fit 2^56; their sum over 2^18 samples would
 * exceed 2^63, and is kept in two exact halves.
 */
struct spread spread_of(const float *values, size_t count, size_t stride, float none)
{
    struct spread spread = extremes_of(values, count, stride, none);
    const double low_max = -(double)spread.min, high_max = (double)spread.max;
    double scale = 65536.0;
    int64_t high = 0, low = 0;
    while ((low_max > high_max ? low_max : high_max) * scale > 0x1p56)
        scale /= 2;
    for (size_t k = 0; k < count; k++) {
        const float value = values[k * stride];
        if (value != value || value == none)
            continue;
        const double scaled = (double)value * scale;
        const int64_t units = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
        high += units >> 32;
        low += units & 0xFFFFFFFF;
    }
    if (spread.count > 0)
        spread.mean = clamp_to(((double)high * 0x1p32 + (double)low) / scale / (double)spread.count,
                               (double)spread.min, (double)spread.max);
    return spread;
}
