/*
 * Samples as GeoTIFF. Pixels are points (GTRasterTypeGeoKey).
 */
#ifndef TERRANE_SERVER_TIF_H
#define TERRANE_SERVER_TIF_H

#include "encode.h"

/* The library versions that its bytes depend on: "libtiff 4.5.0, zlib 1.2.13". Static storage. */
const char *encode_tif_version(void);

/*
 * float32, one strip of 64 rows after the other, Deflate with the predictor for floating point; channels 1 .. 32 as bands side by
 * side. values: width * height * channels, north to south. malloc'ed bytes in *data, *bytes and 0; -1 when memory is short.
 */
int encode_tif(const float *values, int width, int height, int channels, const struct grid_place *place,
               unsigned char **data, size_t *bytes);

/* ---- Row by row ---------------------------------------------------------------------------------------- */

/*
 * The same for a streamed window: uncompressed, so that the place of every row is known at the beginning.
 *
 * tif_head malloc'ed bytes before the first row; *bytes their number. The rows follow, little-endian: height * width *
 *            channels * 4 bytes. channels 1 .. 32, side by side. NULL when memory is short.
 */
unsigned char *tif_head(int width, int height, int channels, const struct grid_place *place, size_t *bytes);

#endif
