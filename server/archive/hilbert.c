/*
 * The Hilbert curve of PMTiles: from the north-west corner to the north-east one.
 */
#include "hilbert.h"

#include "../base/check.h"

/*
 * From the largest quadrants down: each bit of x and y says in which quarter of the square the tile lies, in
 * the order in which the curve visits them, and turns what is below it as the curve is turned there. Only the
 * bits below s count from then on, so that wrapping around does no harm.
 */
uint64_t hilbert_id(int z, uint32_t x, uint32_t y)
{
    CHECK(z >= 0 && z <= HILBERT_Z_MAX && x >> z == 0 && y >> z == 0);
    uint64_t id = ((UINT64_C(1) << (2 * z)) - 1) / 3; /* tiles of the levels above */
    for (int bit = z - 1; bit >= 0; bit--) {
        const uint32_t s = UINT32_C(1) << bit, east = x >> bit & 1, south = y >> bit & 1;
        id += (uint64_t)(3 * east ^ south) << (2 * bit);
        if (south)
            continue;
        if (east) {
            x = s - 1 - x;
            y = s - 1 - y;
        }
        const uint32_t swap = x;
        x = y;
        y = swap;
    }
    return id;
}
