#include "libnoise_tile.h"

#if __has_include(<libnoise/noise.h>)
#include <libnoise/noise.h>
#else
#include <noise/noise.h>
#endif

extern "C" void libnoise_tile_fill(float *out, int width, int height, int x0, int y0, int octaves,
                                   double cell, double amplitude, double gain)
{
    noise::module::Perlin perlin;

    perlin.SetSeed(1);
    perlin.SetNoiseQuality(noise::QUALITY_STD);
    perlin.SetOctaveCount(octaves);
    perlin.SetFrequency(1.0 / cell);
    perlin.SetLacunarity(2.0);
    perlin.SetPersistence(gain);
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            out[j * width + i] = static_cast<float>(amplitude * perlin.GetValue(x0 + i, y0 + j, 0.0));
}
