/* libnoise's module::Perlin behind a C function: the same grid, octaves and gain as plain_noise_fill. */
#ifndef TERRANE_BENCH_LIBNOISE_TILE_H
#define TERRANE_BENCH_LIBNOISE_TILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Fills out[j * width + i] at samples (x0 + i, y0 + j), z = 0, in libnoise's standard quality (S3). */
void libnoise_tile_fill(float *out, int width, int height, int x0, int y0, int octaves, double cell,
                        double amplitude, double gain);

#ifdef __cplusplus
}
#endif
#endif
