/* Conversions between tiles, metres and windows of the lattice. */
#include "../terrane.h"

#include <stdbool.h>

int terrane_window_tile(struct terrane_window *window, int level, int64_t x, int64_t y, int size)
{
    if (level < 0 || level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    if (x < -TERRANE_TILE_LIMIT || x >= TERRANE_TILE_LIMIT || y < -TERRANE_TILE_LIMIT ||
        y >= TERRANE_TILE_LIMIT)
        return TERRANE_ETILE;

    const int cells = size & 1 ? size - 1 : size; /* with the far edge, size counts one sample more */
    const bool power = cells >= 2 && (cells & (cells - 1)) == 0;
    const bool finer = size == 2 * TERRANE_TILE_SAMPLES && level >= 1;
    if (!power || (cells > TERRANE_TILE_SAMPLES && !finer))
        return TERRANE_ESIZE;

    *window = (struct terrane_window){
        .level = finer ? level - 1 : level,
        .gi = x * (finer ? 2 * TERRANE_TILE_SAMPLES : TERRANE_TILE_SAMPLES),
        .gj = y * (finer ? 2 * TERRANE_TILE_SAMPLES : TERRANE_TILE_SAMPLES),
        .step = finer ? 1 : TERRANE_TILE_SAMPLES / cells,
        .width = size,
        .height = size,
    };
    return 0;
}

double terrane_lattice_m(const struct terrane_world *world, int level, int64_t g)
{
    const double samples = level < 0 ? 1.0 / (double)(INT64_C(1) << -level) : (double)(INT64_C(1) << level);
    return (double)g * samples * world->recipe->spacing_m;
}
